//! Checkbox lists in the agent's messages: what it says is left to do.
//!
//! Most models keep no task list, but write checkboxes. Whether an item is open is decided by the latest list.

use super::Session;
use crate::model::entry::Place;
use crate::reading::statements::Tells;
use crate::record::Message;

/// Maximum number of open items.
const MAX_OPEN_BOXES: usize = 12;
/// Tool calls after which a list is stale, once the person has asked for something else.
const OLD: u32 = 40;

/// A checkbox list in one message of the agent.
pub struct Checklist<'a> {
    /// Row of the message.
    pub place: Place,
    /// Whether it is ticked, and its text.
    pub items: Vec<(bool, &'a str)>,
}

/// The agent's latest list. A list is ignored once the person has asked for something else and `OLD` tool calls have
/// passed.
pub fn latest(session: &Session) -> Option<Checklist<'_>> {
    let asked = session.asked().iter().rev().find(|p| !p.reads.is_reply).map_or(Place(0), |p| p.place);
    session
        .record
        .spoken()
        .rev()
        .take_while(|said| said.place > asked || session.clock.saturating_sub(said.clock) <= OLD)
        .map(|said| Checklist { place: said.place, items: items(said).collect() })
        .find(|list| !list.items.is_empty())
}

/// The unticked boxes of the agent's latest list, without those that have a task entry.
pub fn open_boxes(session: &Session) -> Vec<(Place, &str)> {
    latest(session).map(|list| open_in(session, &list)).unwrap_or_default()
}

/// The unticked boxes of a list, without those that have a task entry.
pub fn open_in<'a>(session: &Session, list: &Checklist<'a>) -> Vec<(Place, &'a str)> {
    let (open, done) = (session.tasks.open(), session.tasks.done());
    let tracked: Vec<String> = open.iter().chain(&done).map(|t| t.subject.to_lowercase()).collect();
    let open = list.items.iter().filter(|(done, text)| !done && !tracked.contains(&text.to_lowercase()));
    open.take(MAX_OPEN_BOXES).map(|(_, text)| (list.place, *text)).collect()
}

fn items(said: Message<'_>) -> impl Iterator<Item = (bool, &str)> {
    let boxes = said.lines.iter().flat_map(|line| line.says.iter().map(move |one| (line, one)));
    boxes.filter_map(|(line, one)| match one.tells {
        Tells::Box { ticked } => Some((ticked, one.sentence(&line.words))),
        _ => None,
    })
}
