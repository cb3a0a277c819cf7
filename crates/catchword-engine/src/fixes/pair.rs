//! Acts → the failures that were over later, each with what was done in between.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::act::{Act, DeedKind, Did, FixDeed, file_name, shown};
use super::signature::is_not_there;
use crate::model::entry::Place;
use crate::reading::command::{ShellLine, Step, has};
use crate::reading::effects::first_folder;
use crate::record::{CallParts, Record, RunResult, Standing, Voice};

/// Acts between a failure and the run that passed: after more nobody can say what helped. The record itself counts no
/// failure as open for longer.
pub const MOST_ACTS_BETWEEN: usize = 60;
/// Calls from the failed one up to but without the one that passed, by the order in which they were made.
pub const LONGEST_PAIR: usize = 2 * MOST_ACTS_BETWEEN;
/// Things that were done in between: of more than that nobody can say which one helped.
const MOST_DEEDS: usize = 4;

/// A failure that was over later, and what was done until then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixPair {
    /// The row of the failed call.
    pub failed: Place,
    pub failed_at: Option<i64>,
    /// What failed, on one line.
    pub command: String,
    /// The line that names the error.
    pub error: String,
    /// The row of the call that passed.
    pub passed: Place,
    pub passed_at: Option<i64>,
    /// How it was called then, if otherwise.
    pub passed_as: Option<String>,
    /// What was done in between, in order, each once.
    pub steps: Vec<FixDeed>,
    pub signature: u64,
}

/// The proven pairs, in the order of the failures. `acts` is in the order in which the calls were made.
///
/// Each is found by what comes after its failure alone, by the order of the answers, so any part of a conversation that has
/// both ends gives the same pair.
pub fn pairs(acts: &[Act]) -> Vec<FixPair> {
    let mut by_answer: Vec<&Act> = acts.iter().collect();
    by_answer.sort_by_key(|act| (act.until, act.place));
    let mut found: Vec<FixPair> =
        (0..by_answer.len()).filter_map(|at| pair(by_answer[at], &by_answer[at + 1..])).collect();
    found.retain(|pair| is_short(pair, acts));
    found.sort_by_key(|pair| pair.failed);
    found
}

fn is_short(pair: &FixPair, acts: &[Act]) -> bool {
    acts.iter().filter(|act| pair.failed <= act.place && act.place < pair.passed).count() <= LONGEST_PAIR
}

fn pair(failed: &Act, later: &[&Act]) -> Option<FixPair> {
    let Did::Ran { line, ended, signature: Some(signature), named, .. } = &failed.did else { return None };
    let mut watched = Watched::of(failed.place, line, ended)?;
    let is_later = |act: &&&Act| act.place > failed.until;
    let later: Vec<&Act> = later.iter().filter(is_later).take(MOST_ACTS_BETWEEN).copied().collect();
    for (clock, act) in later.iter().enumerate() {
        match &act.did {
            Did::Unseen => return None,
            Did::Read(_) | Did::Changed(_) | Did::Other => {}
            Did::Ran { line: new, ended, .. } => match watched.saw(act.place, clock as u32 + 1, new, ended) {
                // Work was set aside to look at another state of it.
                Watch::Goes if new.steps().iter().any(|step| step.is_git("stash")) => return None,
                Watch::Goes => {}
                Watch::Lost => return None,
                Watch::Passed => {
                    let steps = between(&later[..clock], act.place, line)?;
                    let passed_as = called_otherwise(line, new, steps.is_empty());
                    let error = failed.error();
                    // A slip in a path is corrected by the path.
                    if steps.is_empty() && (passed_as.is_none() || is_not_there(&error)) {
                        return None;
                    }
                    // The error named what was edited: it will again.
                    let is_news = |step: &FixDeed| {
                        step.kind == DeedKind::Ran || !named.iter().any(|name| name == file_name(&step.text))
                    };
                    return (passed_as.is_some() || steps.iter().any(is_news)).then(|| FixPair {
                        failed: failed.place,
                        failed_at: failed.at,
                        command: shown(line),
                        error,
                        passed: act.place,
                        passed_at: act.at,
                        passed_as,
                        steps,
                        signature: *signature,
                    });
                }
            },
        }
    }
    None
}

/// What was done before the run at `passed`, each once; `None` if it is too much.
fn between(acts: &[&Act], passed: Place, failed: &ShellLine) -> Option<Vec<FixDeed>> {
    let mut steps: Vec<FixDeed> = Vec::new();
    let done = acts.iter().filter(|act| act.until < passed);
    let deeds = done.flat_map(|act| match &act.did {
        Did::Changed(deed) => std::slice::from_ref(deed),
        Did::Ran { deeds, line, .. } if line.key() != failed.key() => deeds.as_slice(),
        _ => &[],
    });
    for deed in deeds {
        if !steps.iter().any(|known| known.text == deed.text) {
            steps.push(deed.clone());
        }
    }
    (steps.len() <= MOST_DEEDS).then_some(steps)
}

/// The line that passed, if it does not run the same in the same way: with other settings, or, where nothing else was done,
/// with other words or through another program.
fn called_otherwise(failed: &ShellLine, passed: &ShellLine, is_all: bool) -> Option<String> {
    let settings =
        |line: &ShellLine| line.work().flat_map(|step| step.settings.clone()).collect::<BTreeSet<_>>();
    let words = |line: &ShellLine| {
        let wrappers = |step: &Step| {
            step.wrappers.iter().filter(|one| !is_idle_wrapper(one)).cloned().collect::<Vec<_>>()
        };
        line.work().map(|step| (wrappers(step), step.key())).collect::<BTreeSet<_>>()
    };
    let is_other = settings(failed) != settings(passed) || (is_all && words(failed) != words(passed));
    is_other.then(|| shown(passed))
}

/// It only limits or measures what it runs.
fn is_idle_wrapper(wrapper: &str) -> bool {
    has("timeout gtimeout time nohup nice stdbuf", wrapper.split(' ').next().unwrap_or_default())
}

enum Watch {
    /// Not over yet.
    Goes,
    Passed,
    /// It failed in another way, or nobody knows any more.
    Lost,
}

/// The record of one failed run and of what was run after it.
struct Watched<'a> {
    record: Record,
    failed: Place,
    line: &'a ShellLine,
}

impl<'a> Watched<'a> {
    /// `None` if the record would not count it as a failure.
    fn of(failed: Place, line: &'a ShellLine, ended: &RunResult) -> Option<Watched<'a>> {
        let mut watched = Watched { record: Record::default(), failed, line };
        watched.add(failed, 0, line, ended);
        let is_counted = watched.record.failing(0).next().is_some();
        is_counted.then_some(watched)
    }

    fn add(&mut self, place: Place, clock: u32, line: &ShellLine, ended: &RunResult) {
        let first = self.record.next_part(place);
        self.record.ran(place, clock, Voice::Agent, line);
        let call = CallParts { place, parts: (first, self.record.next_part(place)) };
        self.record.ended(&call, ended.clone());
    }

    fn saw(&mut self, place: Place, clock: u32, line: &ShellLine, ended: &RunResult) -> Watch {
        self.add(place, clock, line, ended);
        let is_open = self.record.failing(clock).any(|run| run.place == self.failed);
        if is_open {
            return Watch::Goes;
        }
        let state = self.record.iter().find(|seen| seen.place == self.failed).map(|seen| seen.state);
        let is_settled = matches!(state, Some(Standing::Settled(_)));
        if is_settled && ended.sure && covers(line, ended, self.line) { Watch::Passed } else { Watch::Lost }
    }
}

/// The run that passed covers every step that may have failed: another passing test, or another script of the same
/// program, proves nothing.
fn covers(passed: &ShellLine, ended: &RunResult, failed: &ShellLine) -> bool {
    // The same script of another package is another one.
    let (here, there) = (first_folder(passed), first_folder(failed));
    if !here.is_empty() && !there.is_empty() && here != there {
        return false;
    }
    if passed.key() == failed.key() {
        return true;
    }
    let own = ended.passed.iter().filter_map(|number| passed.steps().get(usize::from(*number)));
    let all: Vec<&Step> = own.chain(ended.echoed.iter().flat_map(ShellLine::steps)).collect();
    let mut work = failed.steps().iter().filter(|step| !step.is_minor()).peekable();
    work.peek().is_some() && work.all(|step| all.iter().any(|passed| passed.covers(step)))
}
