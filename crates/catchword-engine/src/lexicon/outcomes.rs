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
pub const NOT_TESTS: &[&str] = &["Test Suites:", "Test Files", "Snapshots:", "test suites"];

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

/// Signs that nothing was run at all.
pub const NEVER_RAN: &[&str] = &[
    "command not found",
    "no such file or directory",
    "no rule to make target",
    "no makefile found",
    "missing script",
    "unknown command",
    "no targets specified",
    "is not recognized as",
    "nothing to be done for",
];

/// Words that make a line an error line, where it is not part of an identifier.
pub const ERROR_WORDS: &[&str] =
    &["error", "Error", "ERROR", "FAIL", "failed", "panic", "fatal", "not found", "cannot", "Exception"];

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

/// Signs in an output that the program itself broke.
pub const CRASHES: &[&str] = &["Error:", "Exception:", "panicked at", "Traceback", "Segmentation fault"];
