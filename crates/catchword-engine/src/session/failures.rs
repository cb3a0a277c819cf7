//! Failing commands: they failed, and nothing since shows that they are fixed.
//!
//! A line may run several commands, and the record does not say which one failed. A failure is resolved once each of
//! its commands has passed: alone, in another line or in another spelling. A later run with an unknown result also
//! drops it: we never report a failure we are not sure of.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Session, one_line};
use crate::model::entry::Place;
use crate::reading::command::{ShellLine, Step};
use crate::reading::outcome::Outcome;
use crate::reading::report::{MAX_TELLING, names_an_error, never_ran};

/// Maximum number of failures shown, latest first.
const MAX_SHOWN_FAILURES: usize = 8;
/// Maximum number of failures kept.
const MAX_FAILURES: usize = 24;
/// Longer commands are scripts and are not recorded.
const MAX_FAILED_COMMAND: usize = 2_000;
/// Tool calls after which a failed test or build that was not rerun is stale.
const STALE: u32 = 60;
/// The same for other commands: a wrong call is soon corrected or given up.
const STALE_OTHER: u32 = 15;

/// A command line that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    pub line: ShellLine,
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
    /// Which steps of the line may have failed and have not passed since.
    parts: Vec<u16>,
}

impl Failure {
    fn parts(&self) -> impl Iterator<Item = &Step> {
        self.parts.iter().filter_map(|at| self.line.steps().get(usize::from(*at)))
    }

    fn forget_parts(&mut self, is_over: impl Fn(&Step) -> bool) {
        let steps = self.line.steps();
        self.parts.retain(|at| !steps.get(usize::from(*at)).is_some_and(&is_over));
    }
}

/// Failures that are not resolved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Failures {
    open: VecDeque<Failure>,
}

/// A finished command line.
pub struct EndedRun<'a> {
    pub line: &'a ShellLine,
    pub place: Place,
    pub clock: u32,
    /// Whether it passed; `None` if unknown.
    pub ok: Option<bool>,
    pub outcome: &'a Outcome<'a>,
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
        if sets_work_aside(run.line) {
            return self.ended_without_the_work(run);
        }
        match run.ok {
            Some(true) => {
                let passed = run.outcome.passed_steps(run.line);
                // The commands a task runner echoed have passed with it.
                if !passed.is_empty() {
                    run.outcome.echoed().for_each(|line| self.over(line.steps()));
                }
                self.over(passed);
            }
            Some(false) => self.failed(run),
            None => self.over(run.line.steps()),
        }
        self.open.retain(|failure| failure.clock >= run.clock || !was_called_differently(failure, run.line));
    }

    /// A run on the state before the work says nothing about the work, except that what fails there too is not its fault.
    fn ended_without_the_work(&mut self, run: &EndedRun) {
        if run.ok != Some(false) {
            return;
        }
        let tests = run.outcome.failed_tests();
        self.open.retain(|failure| {
            let is_rerun = failure.parts().all(|old| run.line.steps().iter().any(|new| new.covers(old)));
            let is_same = if failure.tests.is_empty() {
                names_an_error(&failure.telling)
                    && run
                        .outcome
                        .output
                        .lines()
                        .any(|line| one_line(line.trim(), MAX_TELLING) == failure.telling)
            } else {
                failure.tests.iter().all(|test| tests.contains(test))
            };
            !(is_rerun && is_same)
        });
    }

    fn failed(&mut self, run: &EndedRun) {
        let steps = run.line.steps();
        let parts: Vec<u16> =
            (0..).zip(steps).filter(|(_, step)| !step.is_minor()).map(|(at, _)| at).collect();
        if run.line.core().len() > MAX_FAILED_COMMAND || parts.is_empty() || is_probe(run) || is_slip(run) {
            return;
        }
        // A rerun replaces the earlier result.
        self.settle(|old| steps.iter().any(|new| new.covers(old)));
        self.open.push_back(Failure {
            line: run.line.clone(),
            place: run.place,
            clock: run.clock,
            telling: one_line(run.outcome.error(run.telling), MAX_TELLING),
            tests: run.outcome.failed_tests(),
            cut: run.outcome.is_cut,
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

    fn over<'a>(&mut self, passed: impl IntoIterator<Item = &'a Step>) {
        let passed: Vec<&Step> = passed.into_iter().collect();
        let commits = passed.iter().any(|step| ends_a_merge(step));
        self.open.retain(|failure| !(commits && failure.line.merges()));
        self.settle(|part| passed.iter().any(|step| settles(step, part)));
    }

    fn settle(&mut self, is_over: impl Fn(&Step) -> bool) {
        self.open.iter_mut().for_each(|failure| failure.forget_parts(&is_over));
        self.open.retain(|failure| !failure.parts.is_empty());
    }
}

/// Unresolved failures, latest first.
pub fn open(session: &Session) -> Vec<&Failure> {
    let is_recent = |failure: &&Failure| {
        let age = session.clock.saturating_sub(failure.clock);
        age <= STALE_OTHER || (age <= STALE && failure.line.is_check())
    };
    session.failures.open.iter().rev().filter(is_recent).take(MAX_SHOWN_FAILURES).collect()
}

/// Whether everything that a line runs, it runs while the work is stashed: `git stash && make test`.
fn sets_work_aside(line: &ShellLine) -> bool {
    let (mut is_aside, mut runs) = (false, false);
    for step in line.steps() {
        match step.arguments().next() {
            verb if step.is_git("stash") => match verb {
                Some("pop" | "apply") => is_aside = false,
                None | Some("push" | "save") => is_aside = true,
                Some(verb) => is_aside |= verb.starts_with('-'),
            },
            _ if step.is_minor() || step.only_looks() => {}
            _ if !is_aside => return false,
            _ => runs = true,
        }
    }
    runs
}

/// A command that handles its own failure: `curl x || echo down`.
fn is_probe(run: &EndedRun) -> bool {
    !run.line.is_check() && run.line.expects_failure()
}

/// A wrong call or a one-off script, unless it is a test or build: nobody reruns it unchanged.
fn is_slip(run: &EndedRun) -> bool {
    let is_script = run.line.text().contains('\n') && !run.line.commits();
    !run.line.is_check() && (is_script || (!run.line.merges() && run.outcome.wrong_call().is_some()))
}

/// The command never ran, and this line calls the same program differently.
fn was_called_differently(failure: &Failure, line: &ShellLine) -> bool {
    let differs =
        |part: &Step| line.steps().iter().any(|step| step.text != part.text && step.program == part.program);
    never_ran(&failure.telling) && failure.parts().any(differs)
}

fn ends_a_merge(step: &Step) -> bool {
    step.is_git("commit") || step.has("--continue") || step.has("--abort")
}

/// Whether a passed command resolves a failed one. A test or build is resolved only by a run that covers it: another
/// passing test proves nothing. For anything else a run of the same program and subcommand is enough, because the agent
/// has found out how to call it.
fn settles(passed: &Step, failed: &Step) -> bool {
    if failed.is_check() { passed.covers(failed) } else { passed.family() == failed.family() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(runs: &[(&str, Option<bool>, &str)]) -> Vec<String> {
        let mut failures = Failures::default();
        for (n, (command, ok, output)) in (1..).zip(runs) {
            let line = ShellLine::parse(command);
            let outcome = Outcome::read(*ok != Some(false), None, output);
            let telling = output.lines().next().unwrap_or_default();
            let (place, ok) = (Place(n), *ok);
            failures.ended(&EndedRun { line: &line, place, clock: n, ok, outcome: &outcome, telling });
        }
        failures.open.iter().map(|failure| failure.line.core().to_owned()).collect()
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
