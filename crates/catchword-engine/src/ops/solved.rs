//! Which earlier failure to tell of when a command has failed: of this session, else of the repository's history.

use crate::archive::history::fixes::StoredFix;
use crate::brief::failure::{self, Solved, SolvedIn};
use crate::fixes::{Act, FixPair, pairs};

/// What is told of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedLine {
    pub text: String,
    pub fix: FixPair,
    /// The session it was over in; `None` for this one.
    pub session: Option<String>,
    /// The files and commands that the text names.
    pub names: Vec<String>,
}

/// The line for the latest failure with this signature, from the acts of the running session (without those of the
/// failure itself), or from the history, whose pairs are `stored`, latest first.
pub fn solved(
    signature: u64,
    acts: &[Act],
    stored: impl FnOnce() -> Vec<StoredFix>,
    folder: Option<&str>,
) -> Option<SolvedLine> {
    here(signature, acts, folder).or_else(|| elsewhere(&stored()))
}

fn here(signature: u64, acts: &[Act], folder: Option<&str>) -> Option<SolvedLine> {
    let before: Vec<&Act> = acts.iter().filter(|act| act.signature() == Some(signature)).collect();
    let fix = pairs(acts).into_iter().rfind(|pair| pair.signature == signature)?;
    let solved = before.iter().position(|act| act.place == fix.failed)? + 1;
    let place = SolvedIn::Here { times: before.len() + 1, solved };
    Some(told(fix, None, folder, place))
}

fn elsewhere(stored: &[StoredFix]) -> Option<SolvedLine> {
    let latest = stored.first()?;
    let place =
        SolvedIn::Session { id: &latest.session, subagent: &latest.thread, person: latest.person.as_deref() };
    Some(told(latest.fix.clone(), Some(latest.session.clone()), latest.project.as_deref(), place))
}

fn told(fix: FixPair, session: Option<String>, folder: Option<&str>, place: SolvedIn) -> SolvedLine {
    let text = failure::line(&Solved { fix: &fix, folder, place });
    let names = failure::named(&fix, folder);
    SolvedLine { text, fix, session, names }
}
