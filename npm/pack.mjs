// Lays out the npm packages and packs them: node npm/pack.mjs OUT PLATFORM=PROGRAM…
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const platforms = JSON.parse(fs.readFileSync(path.join(here, "platforms.json"), "utf8"));
const [out, ...programs] = process.argv.slice(2);
if (!out || programs.length === 0) {
  fail(`usage: node npm/pack.mjs OUT PLATFORM=PROGRAM…   platforms: ${Object.keys(platforms).join(", ")}`);
}

const cargo = fs.readFileSync(path.join(here, "..", "Cargo.toml"), "utf8");
const field = (name) => cargo.match(new RegExp(`^${name} = "(.*)"$`, "m"))[1];
// npm's provenance checks that the repository is the one that publishes.
const repository = { type: "git", url: `git+${field("repository")}.git` };
const [version, license, homepage] = ["version", "license", "repository"].map(field);
const common = { version, license, homepage, repository, files: ["bin", "LICENSE-*"] };
const work = fs.mkdtempSync(path.join(os.tmpdir(), "catchword-npm-"));
fs.mkdirSync(out, { recursive: true });
try {
  for (const program of programs) {
    packPlatform(...program.split("="));
  }
  packWrapper();
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}

function packPlatform(name, program) {
  const platform = platforms[name] ?? fail(`no platform ${name} in npm/platforms.json`);
  const folder = path.join(work, name);
  const file = platform.os === "win32" ? "catchword.exe" : "catchword";
  fs.mkdirSync(path.join(folder, "bin"), { recursive: true });
  fs.copyFileSync(program, path.join(folder, "bin", file));
  fs.chmodSync(path.join(folder, "bin", file), 0o755);
  pack(folder, {
    name: `@catchword/${name}`,
    description: `The catchword program for ${platform.os} on ${platform.cpu}`,
    os: [platform.os],
    cpu: [platform.cpu],
    preferUnplugged: true,
  });
}

function packWrapper() {
  const folder = path.join(work, "catchword");
  fs.cpSync(path.join(here, "catchword"), folder, { recursive: true });
  const names = Object.keys(platforms).map((name) => [`@catchword/${name}`, common.version]);
  pack(folder, {
    name: "catchword",
    description: field("description"),
    bin: { catchword: "bin/catchword" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(names),
  });
}

function pack(folder, description) {
  const text = JSON.stringify({ ...description, ...common }, null, 2);
  fs.writeFileSync(path.join(folder, "package.json"), `${text}\n`);
  for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) {
    fs.copyFileSync(path.join(here, "..", licence), path.join(folder, licence));
  }
  execFileSync("npm", ["pack", "--silent", "--pack-destination", path.resolve(out)], { cwd: folder, stdio: "inherit" });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
