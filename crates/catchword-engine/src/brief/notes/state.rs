//! The state of a session, as of its latest row.

use crate::choose::head::notes::{holding, quoted};
use crate::choose::head::requests::goal_of;
use crate::choose::head::state;
use crate::model::entry::{Place, TaskStatus};
use crate::model::note::{Note, StateKey};
use crate::quote::{code, harmless, name, quote, quote_foreign};
use crate::session::shown::shown_action;
use crate::session::{Session, checklists};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NotesState {
    /// What is being worked on.
    pub active: Option<StateLine>,
    /// The step in progress.
    pub step: Option<StateLine>,
    /// What it waits for.
    pub blocking: Option<StateLine>,
    /// What comes next.
    pub next: Option<StateLine>,
    /// Running subagents, by id.
    pub subagents: Vec<(String, String)>,
    /// Running shells, by id.
    pub shells: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StateLine {
    pub text: String,
    /// `None` if somebody set it.
    pub place: Option<Place>,
    /// Who set it, or that it is from the record.
    pub by: &'static str,
}

impl NotesState {
    /// The four lines with their keys.
    pub fn lines(&self) -> [(StateKey, Option<&StateLine>); 4] {
        [
            (StateKey::Active, self.active.as_ref()),
            (StateKey::Step, self.step.as_ref()),
            (StateKey::Blocking, self.blocking.as_ref()),
            (StateKey::Next, self.next.as_ref()),
        ]
    }
}

/// The state of a session. Lines that somebody set and that are still valid override the record.
pub fn of(session: &Session, notes: &[Note]) -> NotesState {
    let running = |agent: bool| {
        let of_kind = session.running.iter().filter(move |(_, running)| running.agent == agent);
        of_kind.map(|(id, running)| (harmless(id).into_owned(), running.shown(120))).collect()
    };
    let mut state = NotesState {
        active: active(session),
        step: step(session),
        blocking: blocking(session),
        next: next(session),
        subagents: running(true),
        shells: running(false),
    };
    for (key, note) in holding(session, notes) {
        let line = Some(StateLine { text: quoted(note, 240), place: None, by: note.author.name() });
        match key {
            StateKey::Active => state.active = line,
            StateKey::Step => state.step = line,
            StateKey::Blocking => state.blocking = line,
            StateKey::Next => state.next = line,
        }
    }
    state
}

fn line(text: String, place: Place) -> StateLine {
    StateLine { text, place: Some(place), by: "record" }
}

/// The request that carries the work.
fn active(session: &Session) -> Option<StateLine> {
    let request = goal_of(session)?;
    Some(line(quote(&session.text_of(request), 240), request.place))
}

/// The task in progress, or else what was done last.
fn step(session: &Session) -> Option<StateLine> {
    let task = session.tasks.open().into_iter().find(|task| task.status == TaskStatus::InProgress);
    if let Some(task) = task {
        let number = task.id.as_deref().map(|id| format!("#{} ", name(id, 40))).unwrap_or_default();
        return Some(line(format!("{number}{}", quote_foreign(&task.subject, 160)), task.place));
    }
    let action = session.last_action.as_ref()?;
    let what = shown_action(session, &action.what, 160);
    Some(line(format!("last action: {what}"), action.place))
}

/// The person, if the agent waits for them; otherwise failing tests.
fn blocking(session: &Session) -> Option<StateLine> {
    if session.interrupted {
        let place = session.last_action.as_ref().map(|action| action.place);
        return Some(StateLine { text: "the user, who stopped the agent".to_owned(), place, by: "record" });
    }
    if let Some((place, asked)) = session.unanswered() {
        return Some(line(format!("the user: the agent {}", shown_action(session, asked, 200)), place));
    }
    if session.waiting {
        let said = session.last_said()?;
        let question = state::last_words(said);
        let question = question.rsplit_terminator(['.', '!']).next().unwrap_or_default().trim();
        let asks = if question.ends_with('?') {
            format!(", asked {}", quote_foreign(question, 160))
        } else {
            String::new()
        };
        return Some(line(format!("the user: the agent has ended its turn{asks}"), said.place));
    }
    let latest = session.record.runs().rev().find_map(|run| run.ended?.tests);
    // Which other tests a run includes is hard to tell, so after a passing run none counts as failing.
    latest.filter(|ok| !ok)?;
    let failure = session.failing().find(|failure| failure.line.runs_tests())?;
    let told = failure.error();
    let told = if told.is_empty() { String::new() } else { format!(": {}", quote_foreign(told, 120)) };
    Some(line(format!("{} fails{told}", code(failure.line.core(), 100)), failure.place))
}

/// What the agent announced, or else the first task or box that is not started.
fn next(session: &Session) -> Option<StateLine> {
    // "Next up" alone is a heading.
    if let Some((said, words)) = state::announced(session).filter(|(_, words)| words.chars().count() > 16) {
        return Some(line(quote_foreign(words, 200), said.place));
    }
    let task = session.tasks.open().into_iter().find(|task| task.status == TaskStatus::Pending);
    if let Some(task) = task {
        let number = task.id.as_deref().map(|id| format!("#{} ", name(id, 40))).unwrap_or_default();
        return Some(line(format!("{number}{}", quote_foreign(&task.subject, 160)), task.place));
    }
    let (place, text) = checklists::open_boxes(session).into_iter().next()?;
    Some(line(quote_foreign(text, 160), place))
}
