//! What lines of code look like, and how people mark in them what is not done.

/// Marks in capitals, as whole words.
pub const MARKS: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];

/// How a line of code opens.
pub const OPENINGS: &[&str] = &[
    "import ", "from ", "const ", "let ", "def ", "func ", "fn ", "return ", "if (", "for (", "pub ", "use ",
    "export ", "class ", "type ", "#include",
];

/// Kinds of a conventional commit.
pub const COMMIT_KINDS: &[&str] =
    &["feat", "fix", "docs", "chore", "refactor", "test", "build", "ci", "perf", "revert"];

/// Heads of the lines that `git log` prints.
pub const LOG_HEADS: &[&str] = &["Author: ", "Date: ", "Merge: ", "AuthorDate: ", "Commit: "];
