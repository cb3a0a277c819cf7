//! What outputs say: the lines in which test runners, compilers and linters report, in the form they print last.
//!
//! Only these lines say how a run went. A word like `FAIL` anywhere else in an output may be a title, a file's name or a
//! prediction.

/// What a number in a report counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountRole {
    Passed,
    /// Failures and errors.
    Failed,
    Skipped,
    /// All of them.
    Total,
}

/// The words beside a number: `3 passed`, `FAIL 2`, `Failures: 1`.
pub struct CountWord {
    pub words: &'static str,
    pub counts: CountRole,
    pub example: &'static str,
}

/// Words after a number, or before it.
pub const COUNT_WORDS: &[CountWord] = &[
    CountWord {
        words: "passed passing pass ok successes succeeded",
        counts: CountRole::Passed,
        example: "3 passed",
    },
    CountWord {
        words: "failed failing fail failures failure errors error errored broken",
        counts: CountRole::Failed,
        example: "2 failures",
    },
    CountWord {
        words: "skipped skip ignored pending todo xfailed deselected",
        counts: CountRole::Skipped,
        example: "1 ignored",
    },
    CountWord { words: "total run tests", counts: CountRole::Total, example: "7 total" },
];

/// Lines that count something else than tests.
pub const NOT_TESTS: &[&str] =
    &["Test Suites:", "Test Files", "Snapshots:", "test suites", "make: ***", "make[", "error: "];

/// Beginnings of lines whose numbers replace those of earlier ones. The numbers of all others add up: a runner prints a
/// line for each program or package.
pub const RUNNING_TOTALS: &[&str] =
    &["[ FAIL", "Tests run:", "[ERROR] Tests run:", "[INFO] Tests run:", "[WARNING] Tests run:"];

/// A line of a build, a linter or a runner without counts that says how it went.
pub struct VerdictLine {
    pub start: &'static str,
    pub passed: bool,
    pub example: &'static str,
}

const fn good(start: &'static str, example: &'static str) -> VerdictLine {
    VerdictLine { start, passed: true, example }
}

const fn bad(start: &'static str, example: &'static str) -> VerdictLine {
    VerdictLine { start, passed: false, example }
}

/// Beginnings of such lines, without leading marks.
pub const VERDICTS: &[VerdictLine] = &[
    good("test result: ok.", "test result: ok. 4 passed; 0 failed"),
    good("Finished `", "    Finished `dev` profile [unoptimized] target(s) in 2s"),
    good("All checks passed", "All checks passed!"),
    good("Success: no issues", "Success: no issues found in 3 source files"),
    good("Found 0 errors", "Found 0 errors. Watching for file changes."),
    good("0 errors", "0 errors, 2 warnings"),
    good("no problems found", "no problems found"),
    good("BUILD SUCCESS", "BUILD SUCCESSFUL in 3s"),
    good("Build succeeded", "Build succeeded."),
    good("ok  \t", "ok  \tgithub.com/x/y\t0.3s"),
    good("PASS", "PASS"),
    good("0 fail", " 0 fail"),
    bad("test result: FAILED", "test result: FAILED. 3 passed; 1 failed"),
    bad("error: ", "error: could not compile `x` (lib) due to 1 previous error"),
    bad("error[", "error[E0308]: mismatched types"),
    bad("error TS", "error TS2304: Cannot find name 'x'."),
    bad("--- FAIL", "--- FAIL: TestX (0.00s)"),
    bad("FAIL\t", "FAIL\tgithub.com/x/y\t0.3s"),
    bad("FAILED ", "FAILED tests/a.py::test_b - AssertionError"),
    bad("make: ***", "make: *** [all] Error 2"),
    bad("npm ERR!", "npm ERR! code ELIFECYCLE"),
    bad("npm error", "npm error code 1"),
    bad("BUILD FAILED", "BUILD FAILED in 3s"),
    bad("Build FAILED", "Build FAILED."),
    bad("Traceback (most recent call last)", "Traceback (most recent call last):"),
    bad("Segmentation fault", "Segmentation fault (core dumped)"),
    bad("panic: ", "panic: runtime error: index out of range"),
    bad("ELIFECYCLE", "ELIFECYCLE  Command failed with exit code 1."),
    bad("ERR_PNPM", "ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  api test"),
];

/// First words of a line that says how a run went, in capitals or capitalised.
pub const RESULT_WORDS: &[&str] = &[
    "SUCCESS",
    "SUCCESSFUL",
    "SUCCEEDED",
    "FAIL",
    "FAILED",
    "FAILURE",
    "PASS",
    "PASSED",
    "OK",
    "DONE",
    "ERROR",
    "SUMMARY",
    "TASKS",
];

/// Words for a part that failed, anywhere in a line: `add  0.000  FAIL`.
pub const PART_FAILED: &str = "FAIL FAILED";

/// Beginnings of lines below the result: hints, notes, what an installer does last. None says how the run went.
pub const ASIDES: &[LineSign] = &[
    sign("hint", "hint: use --watch to follow the logs"),
    sign("tip", "Tip: set NO_COLOR to turn colours off"),
    sign("note", "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"),
    sign("help:", "help: consider borrowing here"),
    sign("for more", "For more information about this error, try `rustc --explain E0308`."),
    sign("for further", "For further information visit https://example.com/errors"),
    sign("learn more", "Learn more: https://example.com/docs"),
    sign("see ", "See the docs for what to do next."),
    sign("run ", "Run `npm audit` for details."),
    sign("to ", "To start the server, run npm start"),
    sign("you can ", "You can now open the page."),
    sign("setting up ", "Setting up libssl3 (3.0.2-0ubuntu1.10) ..."),
    sign("processing triggers", "Processing triggers for libc-bin (2.35-0ubuntu3.1) ..."),
    sign("time:", "  Time:    7.754s"),
    sign("cached:", "Cached:    3 cached, 5 total"),
    sign("npm audit", "  npm audit fix"),
    sign("create mode ", " create mode 100644 src/a.rs"),
    sign("delete mode ", " delete mode 100644 src/a.rs"),
    sign("mode change ", " mode change 100644 => 100755 run.sh"),
    sign("unpacking ", "Unpacking libssl3 (3.0.2-0ubuntu1.10) ..."),
    sign("npm notice", "npm notice New major version of npm available!"),
    sign("[notice]", "[notice] A new release of pip is available: 24.0 -> 24.1"),
];

/// A sign in a line, in lower case, and a line that has it.
pub struct LineSign {
    pub sign: &'static str,
    pub example: &'static str,
}

const fn sign(sign: &'static str, example: &'static str) -> LineSign {
    LineSign { sign, example }
}

/// Nothing was run at all.
pub const NEVER_RAN: &[LineSign] = &[
    // "release: not found" is what a program says that ran: only a shell says that it found no program.
    sign("command not found", "zsh: command not found: jest"),
    sign("sh: 1: ", "/bin/sh: 1: jest: not found"),
    sign("no such file", "bash: ./run.sh: No such file or directory"),
    sign("no rule to make", "make: *** No rule to make target 'x'.  Stop."),
    sign("no makefile", "make: *** No targets specified and no makefile found.  Stop."),
    sign("no targets", "make: *** No targets.  Stop."),
    sign("missing script", "npm error Missing script: \"tset\""),
    sign("unknown command", "Unknown command: \"tset\""),
];

/// What was looked for is not there.
pub const MISSING: &[LineSign] = &[
    sign("no such file", "cat: src/a.rs: No such file or directory"),
    sign("does not exist", "File does not exist."),
    sign("cannot find the path", "The system cannot find the path specified."),
    sign("did not match any file", "fatal: pathspec 'd.md' did not match any files"),
    sign("no files found", "No files found"),
];

/// A program was called wrongly, or cannot run here.
pub const WRONG_CALLS: &[LineSign] = &[
    sign("unknown option", "error: unknown option '--x'"),
    sign("unknown flag", "unknown flag: --x"),
    sign("unknown shorthand", "unknown shorthand flag: 'x' in -x"),
    sign("unknown argument", "Unknown argument: x"),
    sign("unknown subcommand", "error: unknown subcommand 'x'"),
    sign("no such command", "error: no such command: `tset`"),
    sign("unrecognized", "error: unrecognized arguments: --x"),
    sign("unrecognised", "unrecognised option '-x'"),
    sign("invalid option", "ls: invalid option -- 'x'"),
    sign("invalid argument", "head: invalid argument 'x'"),
    sign("illegal option", "sed: illegal option -- r"),
    sign("unexpected argument", "error: unexpected argument '--x' found"),
    sign("accepts at most", "accepts at most 1 arg(s), received 2"),
    sign("requires at least", "requires at least 1 arg(s), only received 0"),
    sign("not in this context", "option not in this context"),
    sign("no module named", "/usr/bin/python3: No module named pytest"),
    sign("cannot find module", "Error: Cannot find module '/app/x.js'"),
    sign("not a git repository", "fatal: not a git repository (or any of the parent directories): .git"),
    sign("permission denied", "bash: ./run.sh: Permission denied"),
    sign("is not recognized", "'make' is not recognized as an internal or external command"),
    sign("did not match any", "error: pathspec 'x' did not match any file(s) known to git"),
    sign("not supported", "the option is not supported on this platform"),
    sign("unsupported", "unsupported value for --format"),
    sign("already used by", "branch 'x' is already used by worktree at '/w'"),
    sign("externally-managed", "error: externally-managed-environment"),
    sign("no such option", "no such option: --x"),
    sign("not installed", "error: toolchain 'nightly' is not installed"),
    sign("access denied", "Access denied"),
    sign("operation not permitted", "kill: (1): Operation not permitted"),
    sign("gitignore", "The following paths are ignored by one of your .gitignore files:"),
];

/// Beginnings of lines that say the same.
pub const WRONG_CALL_STARTS: &[&str] = &["fatal:"];

/// A tool refuses a request, whatever it is given.
pub const REFUSALS: &[LineSign] = &[
    sign("cannot read binary", "This tool cannot read binary files."),
    sign("outside allowed", "Path is outside allowed directories"),
    sign("access denied", "Access denied"),
    sign("not allowed", "Deleting is not allowed here"),
    sign("blocked by", "The request was blocked by a rule"),
    sign("hook error", "PreToolUse hook error"),
    sign("has been denied", "Permission to use it has been denied"),
    sign("requires approval", "This command requires approval"),
    sign("can only be used", "upload can only be used in a dialog"),
];

/// Words of lines that name the error, where others only say that there was one.
pub const NAMING: &[LineSign] = &[
    sign("_test.go:", "    a_test.go:12: got 3, want 4"),
    sign("undefined reference", "a.o: undefined reference to `f'"),
    sign("multiple definition", "a.o: multiple definition of `f'"),
    sign(" error: ", "a.c:3:1: error: expected ';'"),
    sign(" error TS", "a.ts(3,1): error TS2304: Cannot find name 'x'."),
    sign("AssertionError", "E   AssertionError: 3 != 4"),
    sign("panicked at", "thread 'a' panicked at src/a.rs:3:1:"),
];

/// Lines that are the same for every error.
pub const SAME_FOR_EVERY_ERROR: &[LineSign] = &[
    sign("***", "make: *** [all] Error 2"),
    sign("exit status", "collect2: error: ld returned 1 exit status"),
    sign("exit code", "Process completed with exit code 1."),
    sign("could not compile", "error: could not compile `a` (lib) due to 1 previous error"),
    sign("npm err", "npm error code ELIFECYCLE"),
];

/// Lines that say why, where the lines that name the error do not.
pub const REASONS: &[LineSign] = &[
    sign("[rejected]", " ! [rejected]        main -> main (fetch first)"),
    sign("[remote rejected]", " ! [remote rejected] main -> main (protected branch hook declined)"),
];

/// Beginnings of lines that are no message though they have its words: code of a trace, tests that passed.
pub const NO_MESSAGE: &[&str] =
    &["raise ", "throw ", "at ", "(pass)", "\u{2713}", "\u{2714}", "PASS", "ok ", "--- PASS", "expect("];

/// A program did not come to its own end: how it ended says nothing about it.
pub const STOPPED: &[LineSign] = &[
    sign("timed out after", "Command timed out after 2m 0s"),
    sign("interrupted by", "[Request interrupted by user]"),
    sign("aborted by", "Command aborted by the user"),
    sign("terminated by signal", "process terminated by signal 15"),
];

/// A file was named that is not there: mostly a slip in its path.
pub const NOT_THERE: &[LineSign] = &[
    sign("no such file", "gcc: fatal error: a.c: No such file or directory"),
    sign("can't open file", "python3: can't open file 'a.py': [Errno 2]"),
    sign("cannot find path", "Cannot find path 'C:\\a' because it does not exist."),
    sign("does not exist", "error: file or directory 'a' does not exist"),
    sign("cannot access", "ls: cannot access 'a'"),
];

/// Words of error lines that say nothing about this error: runners write them below every one.
pub const SAYS_LITTLE: &str = "error errors err fatal fail failed fails failing failure failures panic exception cannot not found task tasks \
    exited exit code status script scripts run runs running command commands process while with were was is are be been some \
    the a an and or of in on at to for by from due see more information logs log file files test tests suite suites check \
    checks build builds lint emitted completed reverting original state because total passed pass warning warnings problem \
    problems found fixed fixable elifecycle returned return previous aborting aborted could compile compilation level verbose \
    output summary result results pre-commit husky context stack trace at";

/// How a runner lists a failed test.
pub struct FailedTestLine {
    pub start: &'static str,
    pub end: &'static str,
    /// What its name has; without it, the line is something else.
    pub has: &'static str,
    /// The name is the first word, not the rest of the line.
    pub is_word: bool,
    /// A line, and the name.
    pub example: (&'static str, &'static str),
}

pub const FAILED_TESTS: &[FailedTestLine] = &[
    FailedTestLine {
        start: "--- FAIL: ",
        end: "",
        has: "",
        is_word: true,
        example: ("--- FAIL: TestX (0.00s)", "TestX"),
    },
    FailedTestLine {
        start: "FAILED ",
        end: "",
        has: "::",
        is_word: true,
        example: ("FAILED tests/a.py::test_b - AssertionError", "tests/a.py::test_b"),
    },
    FailedTestLine {
        start: "test ",
        end: " ... FAILED",
        has: "",
        is_word: true,
        example: ("test parser::tabs ... FAILED", "parser::tabs"),
    },
    FailedTestLine {
        start: "✕ ",
        end: "",
        has: " ",
        is_word: false,
        example: ("✕ keeps the session (3 ms)", "keeps the session (3 ms)"),
    },
    FailedTestLine {
        start: "● ",
        end: "",
        has: " ",
        is_word: false,
        example: ("● Login › keeps the session", "Login › keeps the session"),
    },
];

/// A program says that it did not do what it was told to: `rm: cannot remove`.
pub const SAYS_NO: &[&str] = &["rm: ", "mv: ", "cp: ", "fatal: ", "error: "];

/// Words that make a line an error line, where it is not part of an identifier.
pub const ERROR_WORDS: &[&str] = &[
    "error",
    "Error",
    "ERROR",
    "FAIL",
    "failed",
    "panic",
    "fatal",
    "not found",
    "cannot",
    "Exception",
    "timed out",
];

/// Signs in a list of services that one of them is down.
pub const DOWN: &[&str] = &["Restarting (", "unhealthy", "Exited (", "CrashLoopBackOff"];

/// Lines in which a program says that there was nothing to do: its exit code is no failure.
pub const NOTHING_TO_DO: &[&str] = &[
    "nothing to commit",
    "nothing added to commit",
    "no changes added to commit",
    "Already up to date",
    "Everything up-to-date",
];
