//! Commands that the sessions of a repository run, each in the form that passed last.

use std::collections::{BTreeMap, BTreeSet};

use super::{PastPlace, PastRun, PastTranscript, in_repository};
use crate::lexicon::programs::Purpose;
use crate::reading::command::{Joint, ShellLine, Step, has};
use crate::reading::effects::first_folder;
use crate::reading::outcome::{Outcome, is_error_line};
use crate::redact::is_masked;
use crate::session::paths::is_absolute;

/// Longest command: a longer one is a script for one occasion.
const LONGEST: usize = 160;
/// Programs that show all of what they are given, or its end.
const SHOWS_THE_END: &str = "tail tee cat";
/// Runs looked at for one that passed, the latest first: an outcome is read from all of the output.
const MOST_READ: usize = 6;

/// A command whose latest run passed.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub struct PastCommand {
    /// Without the `cd` it began with, and without pipes that only shorten the output.
    pub line: String,
    /// Where it ran, as far as its line says: below the root, empty if it does not say.
    pub folder: String,
    /// That run.
    pub passed: PastPlace,
    pub runs: usize,
    /// Sessions that ran it.
    pub sessions: usize,
    /// It checks the work: a test, a build, a linter.
    pub is_check: bool,
    /// It picks single tests or files.
    pub is_narrow: bool,
    /// It runs something of the project, or a program that nobody knows.
    pub is_known: bool,
    /// It changes nothing outside the work tree, as far as is known.
    pub is_harmless: bool,
}

impl PastCommand {
    /// With its folder, as it can be run from the root.
    pub fn in_full(&self) -> String {
        in_full(&self.folder, &self.line)
    }
}

/// A command with its folder, as it can be run from the root.
pub(super) fn in_full(folder: &str, line: &str) -> String {
    if folder.is_empty() { line.to_owned() } else { format!("cd {folder} && {line}") }
}

/// A check that fails.
#[derive(Clone, Debug, PartialEq)]
pub struct PastFailure {
    pub line: String,
    /// Where it ran, as far as its line says.
    pub folder: String,
    /// The line of its output that names the error; may be empty.
    pub error: String,
    pub failed: PastPlace,
}

/// The runs of one command.
#[derive(Default)]
struct Runs<'a> {
    all: Vec<&'a PastRun<'a>>,
    sessions: BTreeSet<&'a str>,
}

/// The commands that passed, those of the most sessions first, and the checks that fail.
pub(super) fn commands(runs: &[PastRun], root: &str) -> (Vec<PastCommand>, Vec<PastFailure>) {
    let mut found: BTreeMap<(String, String), Runs> = BTreeMap::new();
    // Where nobody knows: each may be a run of any of them.
    let mut astray: BTreeMap<String, Vec<&PastRun>> = BTreeMap::new();
    for run in runs.iter().filter(|run| is_short(&run.item.title) && is_telling(&run.line)) {
        let folder = first_folder(&run.line);
        let key = Some(run.line.key()).filter(|key| !key.is_empty());
        let key = key.unwrap_or_else(|| run.line.core().to_owned());
        if !run.is_at_start && !is_absolute(&folder) {
            astray.entry(key).or_default().push(run);
            continue;
        }
        let below = match &folder[..] {
            "" => Some(String::new()),
            folder => in_repository(folder, &run.transcript.source, root)
                // The root itself has no path below it; another folder has nothing to do with this repository.
                .or_else(|| is_root(folder, run.transcript, root).then(String::new)),
        };
        let Some(folder) = below else { continue };
        let runs = found.entry((folder, key)).or_default();
        runs.sessions.insert(&run.transcript.source.thread.session);
        runs.all.push(run);
    }
    let mut failures: Vec<PastFailure> =
        found.iter().filter_map(|((folder, _), of)| of.failure(folder, runs)).collect();
    failures.sort_by_key(|failure| std::cmp::Reverse(failure.failed.time()));
    let astray = |key: &str| astray.get(key).map(Vec::as_slice).unwrap_or_default();
    let passed = found.into_iter().filter_map(|((folder, key), runs)| runs.command(folder, astray(&key)));
    let mut passed: Vec<PastCommand> = passed.collect();
    passed.sort_by_key(|one| {
        (std::cmp::Reverse((one.sessions, one.is_check, one.runs)), std::cmp::Reverse(one.passed.time()))
    });
    (passed, failures)
}

fn is_root(folder: &str, transcript: &PastTranscript, root: &str) -> bool {
    let start = transcript.source.project.as_deref().unwrap_or_default();
    let is = |one: &str| folder.trim_end_matches('/') == one.trim_end_matches('/');
    is(root) || is(start) || folder == "."
}

/// On one line, and without a secret.
fn is_short(line: &str) -> bool {
    let line = line.trim();
    // Another shell than the one that a line is read as takes a path with backslashes.
    line.chars().count() <= LONGEST * 2 && !line.contains(['\n', '\\']) && !is_masked(line)
}

/// A line that somebody would run again: it works on something, does not depend on the moment, and ends.
fn is_telling(line: &ShellLine) -> bool {
    let own =
        |step: &Step| matches!(step.purpose, Purpose::VersionControl | Purpose::Change | Purpose::Deploy);
    line.is_whole()
        && (4..=LONGEST).contains(&line.core().chars().count())
        && !line.only_looks()
        && !line.commits()
        && !line.expects_failure()
        // A server does not pass: it was started.
        && !line.steps().iter().any(|step| step.purpose == Purpose::Serve)
        && line.work().any(|step| !own(step) && !step.is_minor())
        && line.steps().iter().all(|step| step.input.is_none() && !step.is_elsewhere && !step.is_conditional)
        && !line.core().contains("/tmp/")
}

/// The same program with the same verb, or without one.
fn is_form_of(other: &Step, step: &Step) -> bool {
    let (other, step) = (other.family(), step.family());
    other.first() == step.first() && (step.len() == 1 || other == step)
}

/// Whether a run passed, by its exit code and its output; `None` if they do not say. Behind a pipe the exit code is that of
/// another program: then only what was counted tells, or the end of the output.
fn ended(run: &PastRun) -> Option<bool> {
    let outcome = Outcome::read(!run.item.failed, None, &run.item.body);
    let mut piped = run.line.steps().iter().filter(|step| step.joint == Joint::Pipe);
    let is_counted = outcome.counts.is_some_and(|counts| counts.passed + counts.failed > 0);
    if !is_counted && piped.any(|step| !has(SHOWS_THE_END, &step.program)) {
        return None;
    }
    match outcome.of_line(&run.line).passed() {
        Some(true) => outcome.surely_passed(&run.line).then_some(true),
        ended => ended,
    }
}

/// The same; what does not say how it ended, but what went wrong, did not pass.
fn says(run: &PastRun) -> Option<bool> {
    ended(run).or_else(|| run.item.body.lines().any(is_error_line).then_some(false))
}

impl Runs<'_> {
    /// `None` if the latest run that says how it went passed, or something that covers it passed later.
    fn failure(&self, folder: &str, all: &[PastRun]) -> Option<PastFailure> {
        let latest = self.all.last().filter(|run| run.line.is_check() && ended(run) == Some(false))?;
        let failed = PastPlace::of(latest.transcript, latest.item);
        let outcome = Outcome::read(!latest.item.failed, None, &latest.item.body);
        if outcome.counts.is_some_and(|counts| counts.failed == 0 && counts.passed > 0) {
            return None;
        }
        let is_later = |run: &&PastRun| PastPlace::of(run.transcript, run.item).time() > failed.time();
        // What may have passed is not called failing, nor what passed in another form.
        let may_show_it = |run: &&PastRun| {
            let covered = |step: &Step| run.line.checks().any(|wide| wide.covers(step));
            let is_like = |step: &Step| run.line.checks().any(|other| is_form_of(other, step));
            let how = || ended(run);
            (latest.line.checks().all(covered) && how() != Some(false))
                || (latest.line.checks().any(is_like) && how() == Some(true))
        };
        if all.iter().filter(is_later).any(|run| may_show_it(&run)) {
            return None;
        }
        let error = outcome.error().unwrap_or_default();
        Some(PastFailure { line: latest.line.core().to_owned(), folder: folder.to_owned(), error, failed })
    }

    /// `None` if the latest run that says how it went did not pass, or a later one that may have been a run of it.
    fn command(self, folder: String, astray: &[&PastRun]) -> Option<PastCommand> {
        let runs = self.all.len();
        let latest = self.all.iter().rev().take(MOST_READ).find_map(|run| Some((run, says(run)?)));
        let (PastRun { transcript, item, line, .. }, _) = latest.filter(|(_, passed)| *passed)?;
        let passed = PastPlace::of(transcript, item);
        let is_later = |run: &&&PastRun| PastPlace::of(run.transcript, run.item).time() > passed.time();
        let mut later = astray.iter().rev().take(MOST_READ).filter(is_later);
        if later.any(|run| says(run) == Some(false)) {
            return None;
        }
        let harmful =
            |step: &Step| matches!(step.purpose, Purpose::Deploy | Purpose::Change | Purpose::VersionControl);
        Some(PastCommand {
            line: line.core().to_owned(),
            folder,
            passed,
            runs,
            sessions: self.sessions.len(),
            is_check: line.is_check(),
            is_narrow: line.is_narrow(),
            is_known: line.work().all(|step| step.purpose != Purpose::Unknown),
            is_harmless: !line.steps().iter().any(harmful),
        })
    }
}
