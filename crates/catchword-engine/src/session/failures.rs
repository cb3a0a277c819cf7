//! Failing commands: they failed, and nothing since shows that they are fixed.
//!
//! A line may run several commands, and the record does not say which one failed. A failure is resolved once each of
//! its commands has passed: alone, in another line or in another spelling. A later run with an unknown result also
//! drops it: we never report a failure we are not sure of.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::shell::{self, ShellStep};
use super::{Session, one_line};
use crate::lexicon::programs::BUILD_TOOLS;
use crate::model::entry::Place;

/// Maximum number of failures shown, latest first.
const MAX_SHOWN_FAILURES: usize = 8;
/// Maximum number of failures kept.
const MAX_FAILURES: usize = 24;
/// Maximum number of failed tests named, and characters of a name.
const MAX_FAILED_TESTS: usize = 6;
const MAX_TEST_NAME: usize = 120;
/// Characters kept of the line that names the error.
const MAX_TELLING: usize = 240;
/// Longer commands are scripts and are not recorded.
const MAX_FAILED_COMMAND: usize = 2_000;
/// Characters kept of the line that reports a wrong call.
const MAX_WRONG_CALL_LINE: usize = 160;
/// Tool calls after which a failed test or build that was not rerun is stale.
const STALE: u32 = 60;
/// The same for other commands: a wrong call is soon corrected or given up.
const STALE_OTHER: u32 = 15;

/// A command line that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// See [`shell::core`].
    pub core: String,
    /// Row of the call.
    pub place: Place,
    /// Tool calls before it.
    pub clock: u32,
    /// The line of its output that names the error.
    pub telling: String,
    /// Tests that the output lists as failed.
    pub tests: Vec<String>,
    /// The client truncated the output, so more tests may have failed.
    pub cut: bool,
    /// Commands of the line that have not passed since.
    parts: Vec<String>,
}

/// Failures that are not resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Failures {
    open: VecDeque<Failure>,
}

/// A finished command line.
pub struct EndedRun<'a> {
    pub command: &'a str,
    /// See [`shell::core`].
    pub core: &'a str,
    pub place: Place,
    pub clock: u32,
    /// Whether it passed; `None` if unknown.
    pub ok: Option<bool>,
    pub output: &'a str,
    /// A part of the output was left out.
    pub is_cut: bool,
    /// The line of the output that says how it went.
    pub telling: &'a str,
}

impl Failures {
    /// Something unknown ran, which may have been any of these.
    pub fn forgotten(&mut self) {
        self.open.clear();
    }

    /// Records a finished command line.
    pub fn ended(&mut self, run: &EndedRun) {
        if sets_work_aside(run.command) {
            return self.ended_without_the_work(run);
        }
        match run.ok {
            Some(true) => {
                let mut passed = shell::passed_steps(run.command, run.output);
                passed.retain(|step| shows_it_passed(step, run.output));
                // The commands a task runner echoed have passed with it.
                if !passed.is_empty() {
                    passed.extend(shell::echoed(run.output).flat_map(shell::steps));
                }
                self.over(&passed.iter().collect::<Vec<_>>());
            }
            Some(false) => self.failed(run),
            None => self.over(&shell::steps(run.command).iter().collect::<Vec<_>>()),
        }
        self.open
            .retain(|failure| failure.clock >= run.clock || !was_called_differently(failure, run.command));
    }

    /// A run on the state before the work says nothing about the work, except that what fails there too is not its fault.
    fn ended_without_the_work(&mut self, run: &EndedRun) {
        if run.ok != Some(false) {
            return;
        }
        let (parts, tests) = (failing_parts(run.command), failed_tests(run.output));
        self.open.retain(|failure| {
            let is_rerun = failure.parts.iter().all(|old| parts.iter().any(|new| covers(new, old)));
            let is_same = if failure.tests.is_empty() {
                names_an_error(&failure.telling)
                    && run.output.lines().any(|line| one_line(line.trim(), MAX_TELLING) == failure.telling)
            } else {
                failure.tests.iter().all(|test| tests.contains(test))
            };
            !(is_rerun && is_same)
        });
    }

    fn failed(&mut self, run: &EndedRun) {
        let parts = failing_parts(run.command);
        if run.core.len() > MAX_FAILED_COMMAND || parts.is_empty() || is_probe(run) || is_slip(run) {
            return;
        }
        // A rerun replaces the earlier result.
        let is_replaced = |old: &String| parts.iter().any(|new| covers(new, old));
        self.open.iter_mut().for_each(|failure| failure.parts.retain(|part| !is_replaced(part)));
        self.open.retain(|failure| !failure.parts.is_empty());
        self.open.push_back(Failure {
            core: run.core.to_owned(),
            place: run.place,
            clock: run.clock,
            telling: one_line(telling_line(run), MAX_TELLING),
            tests: failed_tests(run.output),
            cut: run.is_cut,
            parts,
        });
        if self.open.len() > MAX_FAILURES {
            self.open.pop_front();
        }
    }

    /// Everything that failed has passed since.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Drops failures after `to`: the person rewound that work.
    pub fn rewound(&mut self, to: Place) {
        self.open.retain(|failure| failure.place <= to);
    }

    fn over(&mut self, passed: &[&ShellStep]) {
        for failure in &mut self.open {
            let (core, merges) = (failure.core.as_str(), is_merge(&failure.core));
            failure.parts.retain(|part| {
                !passed.iter().any(|step| settles(&step.core, part) || (merges && is_commit(&step.core)))
            });
            // If the whole line passed, so did each of its commands, however they are split.
            if passed.iter().any(|step| step.core == core) {
                failure.parts.clear();
            }
        }
        self.open.retain(|failure| !failure.parts.is_empty());
    }
}

/// Unresolved failures, latest first.
pub fn open(session: &Session) -> Vec<&Failure> {
    let is_recent = |failure: &&Failure| {
        let age = session.clock.saturating_sub(failure.clock);
        age <= STALE_OTHER || (age <= STALE && shell::is_check(&failure.core))
    };
    session.failures.open.iter().rev().filter(is_recent).take(MAX_SHOWN_FAILURES).collect()
}

/// The line of the output that names the error, not the one that only reports a failure.
fn telling_line<'a>(run: &EndedRun<'a>) -> &'a str {
    const NAMES: [&str; 7] = [
        "_test.go:",
        "undefined reference",
        "multiple definition",
        " error: ",
        " error TS",
        "AssertionError",
        "panicked at",
    ];
    let names = |line: &&str| NAMES.iter().any(|name| line.contains(name));
    let line = run.output.lines().map(str::trim).find(names).unwrap_or(run.telling);
    // Runners list skipped tests with "- ".
    if line.starts_with("- ") { "" } else { line }
}

/// Whether a line says what went wrong. "make: *** [build] Error 1" and "exit status 2" are the same for every error.
fn names_an_error(line: &str) -> bool {
    let lower = line.to_lowercase();
    !line.is_empty() && !["***", "exit status", "exit code"].iter().any(|report| lower.contains(report))
}

/// The tests that an output lists as failed, without duplicates: `--- FAIL: TestX`, `test x ... FAILED`, `FAILED
/// tests/a.py::x`.
fn failed_tests(output: &str) -> Vec<String> {
    let mut tests: Vec<String> = Vec::new();
    for name in output.lines().filter_map(failed_test) {
        if tests.len() < MAX_FAILED_TESTS && !tests.contains(&name) {
            tests.push(name);
        }
    }
    tests
}

fn failed_test(line: &str) -> Option<String> {
    let line = line.trim();
    let first = |rest: &str| rest.split_whitespace().next().map(str::to_owned);
    let name = if let Some(rest) = line.strip_prefix("--- FAIL: ") {
        first(rest)
    } else if let Some(rest) = line.strip_prefix("FAILED ") {
        first(rest).filter(|name| name.contains("::"))
    } else if let Some(rest) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
        first(rest)
    } else if let Some((mark, rest)) = line.split_once(" › ") {
        // `✘ 3 [chromium] › a.spec.ts:4:1 › Login › keeps the session`; skipped tests begin with `-`.
        let numbered = mark.split_once(") [").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        let timed = rest.trim_end_matches(['─', ' ']);
        let name =
            timed.rsplit_once(" (").filter(|(_, time)| time.ends_with("s)")).map_or(timed, |(name, _)| name);
        (mark.starts_with('✘') || numbered).then(|| name.to_owned())
    } else {
        let rest = line.strip_prefix("✕ ").or_else(|| line.strip_prefix("● "))?;
        Some(rest.trim().to_owned()).filter(|name| name.contains(' ') && !name.ends_with(':'))
    };
    name.map(|name| one_line(&name, MAX_TEST_NAME)).filter(|name| !name.is_empty())
}

/// Whether a command of this line has failed after `clock` and not passed since.
pub fn fails_since(session: &Session, core: &str, clock: u32) -> bool {
    let steps = shell::steps(core);
    let failed = session.failures.open.iter().filter(|failure| failure.clock > clock);
    failed.flat_map(|failure| &failure.parts).any(|part| steps.iter().any(|step| step.core == *part))
}

/// Whether the output proves that a step passed. A test run behind a pipe needs a sign of it.
fn shows_it_passed(step: &ShellStep, output: &str) -> bool {
    !shell::runs_tests(&step.core) || shell::tests_passed(&step.whole, Some(true), output) == Some(true)
}

/// The commands of a line that may have failed and are worth rerunning.
fn failing_parts(command: &str) -> Vec<String> {
    let steps = shell::steps(command);
    let relevant = steps.iter().map(|step| step.core.as_str()).filter(|core| !is_preparation(core));
    relevant.filter(|core| !shell::is_look(core) && !shell::looks_around(core)).map(str::to_owned).collect()
}

/// A command that only prepares the next one.
fn is_preparation(core: &str) -> bool {
    const PREPARES: [&str; 22] = [
        "cd", "export", "source", ".", "set", "unset", "mkdir", "chmod", "rm", "cp", "mv", "touch", "printf",
        "for", "do", "done", "if", "then", "else", "fi", "while", "exit",
    ];
    let first = core.split(' ').find(|word| !shell::is_setting(word));
    first.is_none_or(|program| PREPARES.contains(&program))
}

/// Whether everything that a line runs, it runs while the work is stashed: `git stash && make test`.
fn sets_work_aside(command: &str) -> bool {
    if !command.contains("git stash") {
        return false;
    }
    let (mut is_aside, mut runs) = (false, false);
    for step in shell::steps(command) {
        match step.core.strip_prefix("git stash") {
            Some(verb) if verb.starts_with(" pop") || verb.starts_with(" apply") => is_aside = false,
            Some("") => is_aside = true,
            Some(verb) if [" push", " save", " -"].iter().any(|start| verb.starts_with(start)) => {
                is_aside = true;
            }
            Some(_) => {}
            None if is_preparation(&step.core) || shell::is_look(&step.core) => {}
            None if !is_aside => return false,
            None => runs = true,
        }
    }
    runs
}

/// A command that handles its own failure: `curl x || echo down`.
fn is_probe(run: &EndedRun) -> bool {
    let prepared = ["|| echo", "|| true", "|| :", "echo $?", "echo \"exit"];
    !shell::is_check(run.core) && prepared.iter().any(|handler| run.command.contains(handler))
}

/// A wrong call or a one-off script, unless it is a test or build: nobody reruns it unchanged.
fn is_slip(run: &EndedRun) -> bool {
    let is_script = run.command.trim().contains('\n') && !run.command.contains("git commit");
    !shell::is_check(run.core) && (is_script || wrong_call(run.output).is_some_and(|_| !is_merge(run.core)))
}

/// The command never ran, and this line calls the same program differently.
fn was_called_differently(failure: &Failure, command: &str) -> bool {
    never_ran(&failure.telling)
        && failure.parts.iter().any(|part| {
            let program = target(part).into_iter().next();
            shell::steps(command)
                .iter()
                .any(|step| step.core != *part && target(&step.core).first() == program.as_ref())
        })
}

/// Whether the message says that nothing was run.
pub fn never_ran(telling: &str) -> bool {
    let lower = telling.to_lowercase();
    [
        "not found",
        "no such file",
        "no targets",
        "no rule to make",
        "no makefile",
        "missing script",
        "unknown command",
    ]
    .iter()
    .any(|slip| lower.contains(slip))
}

/// The line in which a program says that it was called wrongly or cannot run here; `None` if it ran and found errors.
pub fn wrong_call(output: &str) -> Option<String> {
    const SIGNS: [&str; 30] = [
        "unknown option",
        "unknown flag",
        "unknown shorthand",
        "unknown argument",
        "unknown subcommand",
        "unrecognized",
        "unrecognised",
        "invalid option",
        "invalid argument",
        "illegal option",
        "unexpected argument",
        "accepts at most",
        "requires at least",
        "not in this context",
        "no module named",
        "cannot find module",
        "not a git repository",
        "permission denied",
        "is not recognized",
        "did not match any",
        "does not exist",
        "not supported",
        "unsupported",
        "already used by",
        "externally-managed",
        "no such option",
        "not installed",
        "access denied",
        "operation not permitted",
        "gitignore",
    ];
    let is_sign = |line: &&str| {
        let lower = line.to_lowercase();
        let is_sign =
            never_ran(&lower) || lower.starts_with("fatal:") || SIGNS.iter().any(|sign| lower.contains(sign));
        is_sign && !lower.starts_with("warn")
    };
    // A compiler that reports a missing header was called correctly.
    let is_finding = |line: &&str| line.contains("error:") && line.split(':').nth(2).is_some_and(is_number);
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let head = || lines().take(4);
    let line = head().find(is_sign).filter(|_| !head().any(|line| is_finding(&line)))?;
    Some(one_line(line, MAX_WRONG_CALL_LINE))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A command that merges: it may have stopped at a conflict, which has to be resolved instead of rerun.
pub fn is_merge(core: &str) -> bool {
    ["git merge", "git rebase", "git cherry-pick", "git pull", "git stash pop"]
        .iter()
        .any(|m| core.contains(m))
}

fn is_commit(core: &str) -> bool {
    core.starts_with("git commit") || core.contains("--continue") || core.contains("--abort")
}

/// Whether a passed command resolves a failed one. A test or build is resolved only by a run that covers it: another
/// passing test proves nothing. For anything else a run of the same program and subcommand is enough, because the agent
/// has found out how to call it.
fn settles(passed: &str, failed: &str) -> bool {
    if shell::is_check(failed) { covers(passed, failed) } else { family(passed) == family(failed) }
}

fn family(core: &str) -> Vec<String> {
    let mut words = target(core);
    words.truncate(2);
    words
}

/// Whether `wide` runs everything that `narrow` runs: each target of `wide` contains a target of `narrow`.
fn covers(wide: &str, narrow: &str) -> bool {
    let (wide, narrow) = (target(wide), target(narrow));
    let Some((program, wide)) = wide.split_first() else { return false };
    // `TestA|TestB` selects both.
    let contains = |w: &str, n: &str| n.split('|').all(|n| w.split('|').any(|w| is_below(n, w)));
    let is_covered = |w: &String| narrow.iter().skip(1).any(|n| contains(w, n));
    narrow.first() == Some(program) && wide.iter().all(is_covered)
}

/// What a command runs, in any spelling: program, subcommand and targets, without variables, flags, wrappers and words
/// for "everything".
pub fn target(core: &str) -> Vec<String> {
    const WRAPPERS: [&str; 14] = [
        "time", "sudo", "npx", "bunx", "env", "run", "exec", "uv", "poetry", "pipenv", "bundle", "nice",
        "xvfb-run", "command",
    ];
    /// Flags for a folder, not a target.
    const WHERE: [&str; 6] = ["-C", "--prefix", "--cwd", "--dir", "--manifest-path", "--directory"];
    let mut words: Vec<&str> = core.split(' ').collect();
    if words.first() == Some(&"timeout") {
        words.drain(..words.len().min(2));
    }
    let mut places = Vec::new();
    for (at, word) in words.iter().enumerate() {
        places.extend(WHERE.contains(word).then_some(at + 1));
    }
    let is_ignored = |at: usize, word: &str| {
        let number = word.trim_end_matches(['s', 'm']);
        word.starts_with('-')
            || WRAPPERS.contains(&word)
            || shell::is_setting(word)
            || matches!(word, "" | "." | "./..." | "all" | ">" | "2>&1" | "/dev/null")
            || word.starts_with(['>', '<'])
            || (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
            || places.contains(&at)
    };
    let kept = words.iter().enumerate().filter(|(at, word)| !is_ignored(*at, word));
    let mut target: Vec<String> = kept.map(|(_, word)| spelled(word)).collect();
    if let Some(program) = target.first_mut() {
        *program = program_of(program);
    }
    // `python -m pytest` is pytest, and whatever precedes a build tool wraps it.
    let is_tool = |name: &str| BUILD_TOOLS.split(' ').any(|tool| tool == name);
    let runs_module = |target: &[String]| target[0] == "python" && core.contains(" -m ");
    if target.len() > 1 && (runs_module(&target) || (!is_tool(&target[0]) && is_tool(&target[1]))) {
        target.remove(0);
        target[0] = program_of(&target[0]);
    }
    target
}

/// A word without quotes and without the `fix` suffix of linter scripts.
fn spelled(word: &str) -> String {
    let bare = word.trim_matches(['"', '\'', '`', '(', ')']);
    bare.trim_end_matches(":fix").trim_end_matches("-fix").trim_start_matches(['.', '/']).to_owned()
}

/// One name for programs that are interchangeable: all package managers run the same scripts.
fn program_of(word: &str) -> String {
    let name = word.rsplit('/').next().unwrap_or(word);
    match name {
        "pnpm" | "yarn" | "bun" => "npm".to_owned(),
        "python3" => "python".to_owned(),
        "pip3" => "pip".to_owned(),
        other => other.to_owned(),
    }
}

/// `tests/a.py::test_x` is below `tests/a.py` and `tests`, even as an absolute path. Runners also treat a test name as
/// a prefix.
fn is_below(narrow: &str, wide: &str) -> bool {
    let wide = wide.trim_end_matches("/...").trim_end_matches('/');
    let is_path = wide.contains(['/', '.']);
    let begins = |narrow: &str| {
        narrow.strip_prefix(wide).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(['/', ':']) || (!is_path && wide.len() >= 6)
        })
    };
    begins(narrow)
        || (is_path
            && narrow.find(wide).is_some_and(|at| narrow[..at].ends_with('/') && begins(&narrow[at..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_covers_only_what_it_runs() {
        let cases = [
            ("cargo test", "cargo test parse_line", true),
            ("cargo test b", "cargo test a", false),
            ("cargo test -p x", "cargo test -p x parse", true),
            ("cargo test --workspace", "RUST_LOG=debug cargo test -p x", true),
            ("cargo test -p x", "cargo test", false),
            ("pytest tests/a.py", "pytest tests/a.py::test_x -q", true),
            ("pytest tests/b.py", "pytest tests/a.py", false),
            ("pytest tests/a.py", "pytest /repo/tests/a.py::test_x", true),
            ("go test ./a -run TestParse", "go test ./a -run TestParse_Tabs", true),
            ("go test ./a -run 'TestB|TestC'", "go test ./a -run TestB", true),
            ("go test ./a -run TestB", "go test ./a -run 'TestB|TestC'", false),
            ("go test ./...", "go test ./pkg/x", true),
            ("go test ./pkg/...", "go test ./pkg/x", true),
            ("npm test", "npm run test", true),
            ("pnpm test", "npm run test", true),
            ("npm run lint", "npm run test", false),
            ("npm run lint:fix", "npm run lint", true),
            ("timeout 60 make check", "make check", true),
            ("make -C build all", "make -j8", true),
            ("uv run pytest", "python3 -m pytest tests/a.py", true),
            ("bun run test", "wrapped bun run test", true),
        ];
        for (wide, narrow, expected) in cases {
            assert_eq!(covers(wide, narrow), expected, "{wide} / {narrow}");
        }
    }

    fn left(runs: &[(&str, Option<bool>, &str)]) -> Vec<String> {
        let mut failures = Failures::default();
        for (n, (command, ok, output)) in (1..).zip(runs) {
            let core = shell::core(command);
            let telling = output.lines().next().unwrap_or_default();
            failures.ended(&EndedRun {
                command,
                core: &core,
                place: Place(n),
                clock: n,
                ok: *ok,
                output,
                is_cut: false,
                telling,
            });
        }
        failures.open.iter().map(|failure| failure.core.clone()).collect()
    }

    #[test]
    fn failure_is_resolved_once_each_command_has_passed() {
        let failed = ("make lint && make test", Some(false), "error: x");
        assert_eq!(left(&[failed]), ["make lint && make test"]);
        assert_eq!(left(&[failed, ("make lint", Some(true), "")]), ["make lint && make test"]);
        assert_eq!(left(&[failed, ("make lint", Some(true), ""), ("make test", Some(true), "ok ")]), [""; 0]);
        assert_eq!(
            left(&[("make test", Some(false), "error: x"), ("make fmt && make test", Some(true), "")]),
            [""; 0]
        );
    }

    #[test]
    fn rerun_replaces_the_earlier_result() {
        let again =
            [("go test ./a -run X", Some(false), "FAIL"), ("go test ./a -run X -v", Some(false), "FAIL")];
        assert_eq!(left(&again), ["go test ./a -run X -v"]);
        assert_eq!(left(&[again[0], ("go test ./a/... | grep FAIL", None, "")]), [""; 0]);
        assert_eq!(
            left(&[again[0], ("go test ./a | tail -3", Some(true), "a trace")]),
            ["go test ./a -run X"]
        );
        assert_eq!(left(&[again[0], ("go test ./a | tail -3", Some(true), "ok  \ta\t0.1s")]), [""; 0]);
        let parts = [
            ("make && ./run_a", Some(false), "x"),
            ("make", Some(false), "y"),
            ("./run_a", Some(false), "z"),
        ];
        assert_eq!(left(&parts), ["make", "./run_a"]);
        let by_task = ("mise run ci", Some(true), "[ci] $ go test -race ./...\nok  \ta\t0.1s");
        assert_eq!(left(&[again[0], by_task]), [""; 0]);
    }

    #[test]
    fn a_run_without_the_work_is_no_failure_of_the_work() {
        let failed = ("make test", Some(false), "FAILED a.py::one");
        assert_eq!(left(&[("git stash && make test", Some(false), "FAILED a.py::one")]), [""; 0]);
        assert_eq!(left(&[failed, ("git stash && make test", Some(false), "FAILED a.py::one")]), [""; 0]);
        let others = ("git stash push -u; make test; git stash pop", Some(false), "FAILED a.py::two");
        assert_eq!(left(&[failed, others]), ["make test"], "it fails differently without the work");
        assert_eq!(left(&[failed, ("git stash && make test", Some(true), "2 passed")]), ["make test"]);
        assert_eq!(left(&[failed, ("git stash pop && make test", Some(true), "2 passed")]), [""; 0]);
        let broken = ("make build", Some(false), "a.c:3: error: undefined symbol parse");
        let baseline = |output| left(&[broken, ("git stash && make build", Some(false), output)]);
        assert_eq!(baseline("make: cc: No such file or directory"), ["make build"], "another error");
        let same = "Saved working directory\n  a.c:3: error: undefined symbol parse";
        assert_eq!(baseline(same), [""; 0], "the same error");
        for report in
            ["make: *** [Makefile:2: build] Error 1", "collect2: error: ld returned 1 exit status", ""]
        {
            let runs =
                [("make build", Some(false), report), ("git stash && make build", Some(false), report)];
            assert_eq!(left(&runs), ["make build"], "{report:?} names no error");
        }
        let pulled = ("git stash; git pull; git stash pop && make test", Some(false), "FAILED a.py::two");
        assert_eq!(left(&[pulled]).len(), 1, "it ran with the work");
    }

    #[test]
    fn corrected_call_resolves_a_slip_and_a_commit_resolves_a_merge() {
        let slip = ("cd build && make -j8", Some(false), "cd: build: No such file or directory");
        assert_eq!(left(&[slip, ("make -j4", Some(false), "a.c: error")]), ["make -j4"]);
        let merge = ("git merge topic", Some(false), "Automatic merge failed; fix conflicts");
        assert_eq!(left(&[merge, ("git status", Some(true), "")]), ["git merge topic"]);
        assert_eq!(left(&[merge, ("git commit --no-edit", Some(true), "")]), [""; 0]);
    }

    #[test]
    fn reads_probes_and_wrong_calls_are_not_failures() {
        assert_eq!(
            left(&[("gh pr diff 3 -- a", Some(false), "accepts at most 1 arg(s), received 2")]),
            [""; 0]
        );
        assert_eq!(
            left(&[
                ("cat missing.txt", Some(false), "No such file"),
                ("curl x || echo down", Some(false), "")
            ]),
            [""; 0]
        );
    }
}
