//! Commands that the sessions of a repository run, each in the form that passed last.

use std::collections::{BTreeMap, BTreeSet};

use super::{Evidence, PastRun, PastTranscript, in_repository};
use crate::archive::history::item::HistoryItem;
use crate::lexicon::programs::Purpose;
use crate::reading::command::{ShellLine, Step};
use crate::reading::effects::first_folder;
use crate::reading::outcome::Outcome;
use crate::redact::is_masked;

/// Longest command: a longer one is a script for one occasion.
const LONGEST: usize = 160;
/// Runs looked at for one that passed, the latest first: an outcome is read from all of the output.
const MOST_READ: usize = 6;

/// A command that passed.
#[derive(Clone, Debug, PartialEq)]
pub struct PastCommand {
    /// Without the `cd` it began with, and without pipes that only shorten the output.
    pub line: String,
    /// Where it ran, as far as its line says: below the root, empty if it does not say.
    pub folder: String,
    /// The latest run that passed.
    pub passed: Evidence,
    /// The latest run, if it failed.
    pub failed: Option<Evidence>,
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
        if self.folder.is_empty() {
            self.line.clone()
        } else {
            format!("cd {} && {}", self.folder, self.line)
        }
    }
}

/// The runs of one command.
#[derive(Default)]
struct Runs<'a> {
    all: Vec<&'a PastRun<'a>>,
    sessions: BTreeSet<&'a str>,
}

/// The commands that passed, those of the most sessions first.
pub(super) fn commands(runs: &[PastRun], root: &str) -> Vec<PastCommand> {
    let mut found: BTreeMap<(String, String), Runs> = BTreeMap::new();
    for run in runs.iter().filter(|run| is_short(&run.item.title) && is_telling(&run.line)) {
        let folder = first_folder(&run.line);
        let below = match &folder[..] {
            "" => Some(String::new()),
            folder => in_repository(folder, &run.transcript.source, root)
                // The root itself has no path below it; another folder has nothing to do with this repository.
                .or_else(|| is_root(folder, run.transcript, root).then(String::new)),
        };
        let Some(folder) = below else { continue };
        let key = Some(run.line.key()).filter(|key| !key.is_empty());
        let key = key.unwrap_or_else(|| run.line.core().to_owned());
        let runs = found.entry((folder, key)).or_default();
        runs.sessions.insert(&run.transcript.source.thread.session);
        runs.all.push(run);
    }
    let passed = found.into_iter().filter_map(|((folder, _), runs)| runs.command(folder));
    let mut passed: Vec<PastCommand> = passed.collect();
    passed.sort_by_key(|one| {
        (std::cmp::Reverse((one.sessions, one.is_check, one.runs)), std::cmp::Reverse(one.passed.time()))
    });
    passed
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

impl Runs<'_> {
    /// `None` if none of the latest runs passed.
    fn command(self, folder: String) -> Option<PastCommand> {
        // Nothing in its output speaks against it, and its exit code is that of what it ran.
        let ended = |item: &HistoryItem, line: &ShellLine| {
            let outcome = Outcome::read(!item.failed, None, &item.body);
            match outcome.of_line(line).passed() {
                Some(true) => outcome.surely_passed(line).then_some(true),
                ended => ended,
            }
        };
        let (mut failed, runs) = (None, self.all.len());
        let mut latest = true;
        for PastRun { transcript, item, line } in self.all.into_iter().rev().take(MOST_READ) {
            match ended(item, line) {
                Some(true) => {
                    let harmful = |step: &Step| {
                        matches!(step.purpose, Purpose::Deploy | Purpose::Change | Purpose::VersionControl)
                    };
                    return Some(PastCommand {
                        line: line.core().to_owned(),
                        folder,
                        passed: Evidence::of(transcript, item),
                        failed,
                        runs,
                        sessions: self.sessions.len(),
                        is_check: line.is_check(),
                        is_narrow: line.is_narrow(),
                        is_known: line.work().all(|step| step.purpose != Purpose::Unknown),
                        is_harmless: !line.steps().iter().any(harmful),
                    });
                }
                Some(false) if latest => failed = Some(Evidence::of(transcript, item)),
                _ => {}
            }
            latest = false;
        }
        None
    }
}
