//! What a compaction lost: its summary beside the record, and what of that the agent got back.

use super::history::CompactionPoint;
use crate::audit::broken::what_is_broken;
use crate::audit::{self, AgentReceived, GivenBy, Received};
use crate::model::finding::Finding;
use crate::session::{Session, checklists, instructions};
use crate::store::{GivenBack, Recorded};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
            instructions: instructions::holding(session.asked()).len(),
            messages: session.asked().len(),
            commands: session.commands.iter().count(),
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

/// What the agent is told first, the costliest of it first.
pub fn costliest_first(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let order = |f: &Finding| (!f.is_told(), f.cost_rank());
        order(a).cmp(&order(b)).then_with(|| b.confidence.total_cmp(&a.confidence))
    });
}

/// The number of a recorded compaction in its transcript, counted from 1. Hooks may have been installed in the middle of a
/// session, so the place counts: a compaction is announced before its row is written.
pub fn number_in(recorded_line: u32, cuts: &[CompactionPoint]) -> Option<usize> {
    cuts.iter().position(|cut| cut.lines >= recorded_line).map(|at| at + 1)
}

/// The numbers of a session's recorded compactions, oldest first. The transcript is read only if hooks have missed some:
/// `counted` is how many the store has seen in it.
pub fn numbers(
    recorded: &[Recorded],
    counted: Option<u32>,
    cuts: impl FnOnce() -> Option<Vec<CompactionPoint>>,
) -> Vec<Option<usize>> {
    // The transcript's row tells the tokens; the latest compaction's row may not be read yet.
    let seen = recorded.iter().take_while(|one| one.before.is_some()).count();
    if counted.is_some_and(|counted| counted as usize == seen) && recorded.len() <= seen + 1 {
        let number = |(at, one): (usize, &Recorded)| (at < seen || one.ended_at.is_some()).then_some(at + 1);
        return recorded.iter().enumerate().map(number).collect();
    }
    let cuts = cuts().unwrap_or_default();
    recorded.iter().map(|one| number_in(one.line, &cuts)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(line: u32, is_seen: bool, is_over: bool) -> Recorded {
        Recorded {
            session: "s".into(),
            cwd: None,
            begun_at: 1,
            ended_at: is_over.then_some(2),
            manual: false,
            line,
            before: is_seen.then_some(9),
            after: None,
            summary: None,
            brief: None,
            arrived_by: None,
            resent: false,
            items: None,
            micros: None,
            findings: None,
            late_at: None,
            person_at: None,
        }
    }

    fn cut(lines: u32) -> CompactionPoint {
        CompactionPoint {
            lines,
            read: lines,
            summary: String::new(),
            manual: false,
            before: None,
            after: None,
            at: None,
        }
    }

    #[test]
    fn a_transcript_is_read_for_numbers_only_if_hooks_missed_a_compaction() {
        let never = || panic!("not needed");
        let begun = [recorded(10, true, true), recorded(20, true, true), recorded(30, false, false)];
        assert_eq!(numbers(&begun, Some(2), never), [Some(1), Some(2), None], "under way");
        let ended = [recorded(10, true, true), recorded(20, false, true)];
        assert_eq!(numbers(&ended, Some(1), never), [Some(1), Some(2)], "its row is not read yet");
        // The first was before the hooks.
        let cuts = || Some(vec![cut(5), cut(12), cut(22)]);
        assert_eq!(numbers(&begun, Some(3), cuts), [Some(2), Some(3), None]);
        assert_eq!(numbers(&ended[1..], Some(1), cuts), [Some(3)], "one missed, one not read yet");
        assert_eq!(numbers(&begun, None, || None), [None, None, None]);
    }
}
