//! What lines of code look like, and how people mark in them what is not done.

/// Marks in capitals, as whole words.
pub const MARKS: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];

/// Words in lower case that say that something is not done.
pub const UNDONE: &[&str] = &[
    "not implemented",
    "not_implemented",
    "unimplemented!",
    "notimplementederror",
    "notimplementedexception",
    "temporarily",
    "for now",
    "placeholder for",
    "is a stub",
    "stub implementation",
    "not yet supported",
    "commented out",
];

/// Of these, the plainest.
pub const PLAIN_UNDONE: &[&str] = &["todo", "fixme", "placeholder", "stub"];

/// Calls of a test: what they expect is no leftover.
pub const EXPECTATIONS: &[&str] = &["assert", "expect(", "t.Error", "t.Fatal"];

/// Signs that `NOT_IMPLEMENTED` is said, not kept as a value.
pub const STATEMENTS: &[&str] = &["return", "throw", "raise", "//", "/*", "#"];

/// Words of programming languages, which name nothing.
pub const KEYWORDS: &[&str] =
    &["true", "false", "null", "none", "self", "this", "string", "func", "const", "return", "type", "async"];

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
