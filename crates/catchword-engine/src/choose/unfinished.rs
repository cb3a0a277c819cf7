//! What a session left undone, as far as the record shows.
//!
//! Not a kind of fact: it decides whether the next session is told of this one at all. Open tasks, unticked boxes,
//! a failing test or build and an interrupted turn are evidence. A question at the end of a turn and uncommitted
//! changes are weaker: most finished sessions end with either.

use super::WorkTree;
use crate::quote::code;
use crate::session::{Session, checklists};
use crate::text::numbers::count_of;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    pub tasks: usize,
    /// Tests and builds whose latest run failed, the latest first.
    pub failing: Vec<String>,
    /// Stopped in the middle of a turn, by the person or by a crash.
    pub broken_off: bool,
    /// The agent's last words are a question.
    pub asks: bool,
    /// Uncommitted files that this session changed.
    pub uncommitted: usize,
}

impl Unfinished {
    /// Finds what is left undone; `tree` is the current state of the work tree.
    pub fn of(session: &Session, tree: Option<&WorkTree>) -> Unfinished {
        let failing = session.failing().filter(|failure| failure.line.is_check());
        let begun = session.last_action.is_some() || !session.asked().is_empty();
        Unfinished {
            tasks: session.tasks.open().len() + checklists::open_boxes(session).len(),
            failing: failing.map(|failure| failure.line.core().to_owned()).collect(),
            broken_off: begun && (session.interrupted || !session.waiting),
            asks: session.waiting && session.last_said().is_some_and(|said| is_question(&said.text())),
            uncommitted: tree.map_or(0, |tree| uncommitted(session, tree)),
        }
    }

    /// Strong evidence: work was left in the middle.
    pub fn is_left(&self) -> bool {
        self.tasks > 0 || !self.failing.is_empty() || self.broken_off
    }

    /// Weak evidence counts, too: an open question, uncommitted changes.
    pub fn is_in_flight(&self) -> bool {
        self.is_left() || self.asks || self.uncommitted > 0
    }

    /// "2 open tasks, `cargo test` failing, broken off in the middle of a turn".
    pub fn in_words(&self) -> String {
        let mut words = Vec::new();
        if self.tasks > 0 {
            words.push(count_of(self.tasks, "open task"));
        }
        words.extend(self.failing.iter().take(2).map(|command| format!("{} failing", code(command, 80))));
        if self.broken_off {
            words.push("broken off in the middle of a turn".to_owned());
        }
        if self.asks {
            words.push("a question that waits for an answer".to_owned());
        }
        if self.uncommitted > 0 {
            words.push(format!("{} not committed", count_of(self.uncommitted, "changed file")));
        }
        words.join(", ")
    }
}

fn is_question(text: &str) -> bool {
    text.trim_end_matches(['*', '_', ')', '"', '\n', ' ']).ends_with('?')
}

/// Git prints paths relative to the work tree, the record mostly has absolute ones.
fn uncommitted(session: &Session, tree: &WorkTree) -> usize {
    let changed: Vec<&str> =
        session.files.iter().filter(|(_, file)| file.is_changed()).map(|(path, _)| path).collect();
    let is_ours = |file: &&String| {
        changed.iter().any(|path| {
            path.strip_suffix(file.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
        })
    };
    tree.changed.iter().filter(is_ours).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::history;
    use crate::ops::tests::READER;
    use catchword_testkit::Transcript;

    fn folded(transcript: &Transcript) -> Session {
        let file = tempfile::NamedTempFile::new().unwrap();
        transcript.write_to(file.path());
        history::fold(READER, file.path(), None).unwrap()
    }

    fn left(transcript: &Transcript) -> Unfinished {
        Unfinished::of(&folded(transcript), None)
    }

    #[test]
    fn answered_session_has_nothing_unfinished() {
        let done =
            left(&Transcript::new().prompt("Fix add.").bash("cargo test").ok("ok").says("It adds now."));
        assert_eq!(done, Unfinished::default());
        assert!(!done.is_left() && !done.is_in_flight());
        assert_eq!(left(&Transcript::new()), Unfinished::default());
    }

    #[test]
    fn every_kind_of_evidence_counts() {
        let start = || Transcript::new().prompt("Fix add.");
        let cases = [
            (start().task_create("write it").says("Later."), "1 open task"),
            (start().says("Left:\n- [x] a\n- [ ] b"), "1 open task"),
            (start().bash("cargo test").fails("Exit code 101").says("Hm."), "`cargo test` failing"),
            (start().bash("cargo build").ok("ok"), "broken off in the middle of a turn"),
            (start(), "broken off in the middle of a turn"),
        ];
        for (transcript, words) in cases {
            let left = left(&transcript);
            assert_eq!((left.is_left(), left.in_words().as_str()), (true, words));
        }
    }

    #[test]
    fn a_question_and_uncommitted_changes_are_weaker_evidence() {
        let session = folded(
            &Transcript::new()
                .prompt("Fix add.")
                .write("/home/user/project/src/lib.rs")
                .says("Shall I commit?"),
        );
        let tree = WorkTree { changed: vec!["src/lib.rs".into(), "other.rs".into()], ..WorkTree::default() };
        let left = Unfinished::of(&session, Some(&tree));
        assert_eq!(
            (left.asks, left.uncommitted, left.is_left(), left.is_in_flight()),
            (true, 1, false, true)
        );
        assert_eq!(left.in_words(), "a question that waits for an answer, 1 changed file not committed");
    }
}
