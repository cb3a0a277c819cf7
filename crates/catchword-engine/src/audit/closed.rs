//! Whether the record has everything that happened: only then does what it does not have count.

use crate::lexicon::programs::Purpose;
use crate::model::entry::Place;
use crate::reading::command::{ShellLine, Step};
use crate::session::Session;

/// Since this row no subagent worked, no tool ran that we cannot read, nothing was dropped from the log, and every command
/// line could be parsed, has ended and was printed whole.
pub fn is_closed_since(session: &Session, place: Place) -> bool {
    let runs = || session.record.runs().rev().take_while(|run| run.place > place);
    session.saw_all_since(place)
        && !session.agents.worked_after(place)
        && session.record.dropped_events == 0
        && session.beginning.is_none()
        && runs()
            .all(|run| run.line.is_whole() && run.ended.is_some_and(|ended| !ended.goes_on && !ended.cut))
}

/// Besides, no program ran since that may have written files nobody named: only what looks, checks, or is git's.
pub fn wrote_only_what_was_seen(session: &Session, place: Place) -> bool {
    let is_known =
        |step: &Step| step.is_check() || step.is_minor() || step.purpose == Purpose::VersionControl;
    let is_plain = |line: &ShellLine| line.steps().iter().all(is_known);
    is_closed_since(session, place)
        && session.record.runs().rev().take_while(|run| run.place > place).all(|run| is_plain(run.line))
}
