// The path of the program for this platform, or why there is none.
const name = `@catchword/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "catchword.exe" : "catchword";

exports.program = () => {
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    throw new Error(
      `there is no program for this platform (the package ${name} is not installed).\n` +
        "Install again without --no-optional, or with Rust: cargo install --locked catchword",
    );
  }
};
