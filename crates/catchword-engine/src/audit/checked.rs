//! What an audit could compare and what it could not: silence about something that the record does not reach is no
//! agreement.

use super::summary::{Heading, Summary};
use super::{cannot_tell, checks};
use crate::session::Session;
use crate::text::numbers::count_of;

/// What was looked at and what was not, in a few words each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What the summary was compared with.
    pub compared: Vec<String>,
    /// What nobody can tell.
    pub not_compared: Vec<String>,
}

/// What of a summary could be compared with the record.
pub fn checked(session: &Session, summary: &str) -> Checked {
    let summary = Summary::new(summary);
    let mut checked = Checked::default();
    let mut note = |count: usize, noun: &str, missing: &str| match count {
        0 => checked.not_compared.push(missing.to_owned()),
        n => checked.compared.push(count_of(n, noun)),
    };
    let tasks = session.tasks.open().len() + session.tasks.done().len();
    note(tasks, "task", "tasks: this session kept no list");
    note(session.prompts.len(), "message", "the user's words: no message is in the record");
    note(checks::known(session), "kind of check", "tests and builds: none was run");
    let listed = summary.units().iter().any(|unit| unit.under == Heading::UserMessages);
    if !listed && !session.prompts.is_empty() {
        checked.not_compared.push("which messages are missing: the summary lists none".to_owned());
    }
    if session.beginning.is_some() {
        checked.not_compared.push("what was said before this transcript begins".to_owned());
    }
    checked.not_compared.extend(cannot_tell(session));
    checked
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;

    #[test]
    fn what_the_record_does_not_have_is_said_to_be_unknown() {
        let bare = checked(&fold(&Transcript::new().says("Hello.")), "1. Goal: x");
        assert_eq!(bare.compared, [""; 0]);
        assert!(bare.not_compared.iter().any(|said| said.starts_with("tasks")), "{bare:?}");
        let session = Transcript::new().prompt("Fix it.").task_create("Fix it").bash("cargo test").ok("ok");
        let full = checked(&fold(&session), "6. All user messages:\n   - \"Fix it.\"");
        assert_eq!(full.compared, ["1 task", "1 message", "1 kind of check"]);
        assert_eq!(full.not_compared, [""; 0]);
    }
}
