// Puts the program in the place of the script that would start it: hooks call it at every turn, and node takes many
// times as long to start as the program. Where that fails the script stays, and works.
const fs = require("node:fs");
const path = require("node:path");
const { program } = require("./program.js");

if (process.platform !== "win32") {
  const place = path.join(__dirname, "bin", "catchword");
  const beside = `${place}.new`;
  try {
    fs.copyFileSync(program(), beside);
    fs.chmodSync(beside, 0o755);
    fs.renameSync(beside, place);
  } catch {
    fs.rmSync(beside, { force: true });
  }
}
