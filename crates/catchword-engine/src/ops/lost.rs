//! What a compaction lost: its summary beside the record, and what of that the agent got back.

use serde::Serialize;

use super::history::CompactionPoint;
use crate::audit::broken::what_is_broken;
use crate::audit::{self, AgentReceived, GivenBy, Received};
use crate::model::finding::Finding;
use crate::session::{Session, checklists, instructions};
use crate::store::GivenBack;

/// A summary compared with the record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// Where they differ: what the agent is told first, the costliest of it first.
    pub findings: Vec<ComparedFinding>,
    /// What is wrong with a summary that is none; nothing is compared with it.
    pub broken: Option<String>,
    pub checked: Checked,
    /// What could not be judged because the session has dropped some of its record.
    pub cannot_tell: Option<String>,
}

/// A finding, and whether the agent got it back.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedFinding {
    pub finding: Finding,
    /// `None` if no hook saw the compaction.
    pub given_by: Option<GivenBy>,
}

/// How much of each kind the record has to compare a summary with. Of a kind it has nothing of, nothing can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    pub tasks: usize,
    pub instructions: usize,
    /// Messages of the user.
    pub messages: usize,
    pub commands: usize,
    pub changed_files: usize,
    pub jobs: usize,
}

impl Checked {
    /// What the record of a session has.
    pub fn of(session: &Session) -> Checked {
        let boxes = checklists::latest(session).map_or(0, |list| list.items.len());
        Checked {
            tasks: session.tasks.open().len() + session.tasks.done().len() + boxes,
            instructions: instructions::in_force(session).len(),
            messages: session.asked().len(),
            commands: session.record.latest_runs().count(),
            changed_files: session.files.iter().filter(|(_, file)| file.is_changed()).count(),
            jobs: session.running.len(),
        }
    }
}

/// Compares a summary with the session it replaced. `given` is what hooks gave the agent afterwards.
pub fn compare(session: &Session, summary: &str, given: Option<&GivenBack>) -> Compared {
    let (checked, cannot_tell) = (Checked::of(session), audit::cannot_tell(session));
    if let Some(broken) = what_is_broken(session, summary) {
        return Compared { findings: Vec::new(), broken: Some(broken), checked, cannot_tell };
    }
    let received = given.map(|given| {
        let said = AgentReceived {
            brief: given.brief.as_deref().unwrap_or_default(),
            late: given.late.as_deref().unwrap_or_default(),
        };
        Received::new(said, session.kept.round())
    });
    let mut findings = audit::audit(session, summary);
    costliest_first(&mut findings);
    let compared = |finding| {
        let given_by = received.as_ref().map(|received| received.given_by(&finding));
        ComparedFinding { finding, given_by }
    };
    Compared { findings: findings.into_iter().map(compared).collect(), broken: None, checked, cannot_tell }
}

/// The costliest first.
pub fn costliest_first(findings: &mut [Finding]) {
    findings.sort_by_key(Finding::cost_rank);
}

/// The number of a recorded compaction in its transcript, counted from 1. Hooks may have been installed in the middle of a
/// session, so the place counts: a compaction is announced before its row is written.
pub fn number_in(recorded_line: u32, cuts: &[CompactionPoint]) -> Option<usize> {
    cuts.iter().position(|cut| cut.lines >= recorded_line).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(lines: u32) -> CompactionPoint {
        CompactionPoint { lines, read: lines, ..CompactionPoint::default() }
    }

    #[test]
    fn a_recorded_compaction_is_the_first_one_after_its_line() {
        let cuts = [cut(5), cut(12), cut(22)];
        let number = |line| number_in(line, &cuts);
        assert_eq!([0, 5, 6, 12, 22].map(number), [Some(1), Some(1), Some(2), Some(2), Some(3)]);
        assert_eq!(number(23), None, "under way");
    }
}
