//! The notes of a session: where it stands now, and below it what was achieved and decided, with times.
//!
//! Agents hardly ever keep notes, so these keep themselves: [`of`] is a pure function of the folded session and of the
//! few lines that a person or the agent did write. The state is always as of now and never stored; what somebody said
//! about it holds until it is overtaken ([`holding`]).

mod document;
mod state;

use crate::agent::entry::Place;
use crate::extract::requests::{goal_of, is_reply};
use crate::extract::text::{harmless, quote, quote_foreign, shown_action, shown_path};
use crate::extract::{answers, decisions};
use crate::session::log::{Event, Happened};
use crate::session::{Session, one_line};

pub use document::{MARKER, markdown};
pub use state::{State, StateLine};

/// The slash command by which a person leaves a note, as clients show it: whoever writes it down for them, the words
/// are theirs.
pub const NOTE_COMMAND: &str = "/catchword:note";

/// A line a person or the agent wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whose it is.
    pub author: Author,
    /// The line of the state that it sets; an ordinary note sets none.
    pub state: Option<StateKey>,
    /// Their words.
    pub text: String,
}

/// Who wrote a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A person.
    Person,
    /// The agent.
    Agent,
}

impl Author {
    /// As notes name them.
    pub fn name(self) -> &'static str {
        match self {
            Author::Person => "user",
            Author::Agent => "agent",
        }
    }
}

/// The lines of the state that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKey {
    /// What is being worked on.
    Active,
    /// The step of it that is under way.
    Step,
    /// What it waits for.
    Blocking,
    /// What comes next.
    Next,
}

impl StateKey {
    /// All of them, in the order they are shown.
    pub const ALL: [StateKey; 4] = [StateKey::Active, StateKey::Step, StateKey::Blocking, StateKey::Next];

    /// As it is typed and stored.
    pub fn name(self) -> &'static str {
        match self {
            StateKey::Active => "active",
            StateKey::Step => "step",
            StateKey::Blocking => "blocking",
            StateKey::Next => "next",
        }
    }

    /// As it is shown.
    pub fn title(self) -> &'static str {
        match self {
            StateKey::Active => "Active work",
            StateKey::Step => "Current step",
            StateKey::Blocking => "Blocking on",
            StateKey::Next => "Next",
        }
    }

    /// The key of this name.
    pub fn named(name: &str) -> Option<StateKey> {
        StateKey::ALL.into_iter().find(|key| key.name() == name)
    }
}

/// The notes of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Notes {
    /// Time of the latest row, in milliseconds since 1970.
    pub as_of: Option<i64>,
    /// Where it stands.
    pub state: State,
    /// What was achieved and decided, oldest first.
    pub progress: Vec<Progress>,
}

/// A line of the progress log.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// When, in milliseconds since 1970, where that is known.
    pub at: Option<i64>,
    /// Where; notes have no place in the transcript.
    pub place: Option<Place>,
    /// What kind of line it is, in one word.
    pub kind: &'static str,
    /// The line.
    pub text: String,
}

/// The notes of a session, with what was written down for it.
pub fn of(session: &Session, notes: &[Note]) -> Notes {
    let notes = authors(session, notes);
    Notes { as_of: session.time, state: state::of(session, &notes), progress: progress(session, &notes) }
}

/// The same notes; one that the agent wrote down in a person's words, because they asked for it by the slash command,
/// is the person's.
pub fn authors(session: &Session, notes: &[Note]) -> Vec<Note> {
    let squashed = |text: &str| one_line(text.trim().trim_matches(['"', '\'']), usize::MAX);
    let typed: Vec<String> = session
        .skills
        .iter()
        .filter(|used| used.name == NOTE_COMMAND)
        .map(|used| squashed(&used.args))
        .collect();
    let theirs = |note: &Note| note.state.is_none() && typed.contains(&squashed(&note.text));
    let author = |note: &Note| if theirs(note) { Author::Person } else { note.author };
    notes.iter().map(|note| Note { author: author(note), ..note.clone() }).collect()
}

/// What was said of the state and still holds: the latest of each line since the goal, unless it was cleared. Something
/// asked for since then overtakes it, except that what blocks goes on blocking.
pub fn holding<'a>(session: &Session, notes: &'a [Note]) -> Vec<(StateKey, &'a Note)> {
    let time = |prompt: Option<&crate::session::Prompt>| prompt.and_then(|p| p.time).unwrap_or(i64::MIN);
    let since_goal = time(goal_of(session));
    let since_asked = time(session.prompts.iter().rev().find(|p| !is_reply(&p.text)));
    let latest =
        |key: StateKey| notes.iter().rev().find(|note| note.state == Some(key)).map(|note| (key, note));
    let holds = |(key, note): &(StateKey, &Note)| {
        let since = if *key == StateKey::Blocking { since_goal } else { since_asked };
        note.at >= since && !note.text.is_empty()
    };
    StateKey::ALL.into_iter().filter_map(latest).filter(holds).collect()
}

fn progress(session: &Session, notes: &[Note]) -> Vec<Progress> {
    let mut lines: Vec<Progress> =
        session.log.iter().filter(|event| is_told(event)).map(|event| happened(session, event)).collect();
    lines.extend(session.said.iter().flat_map(|said| {
        decisions::decided_in(&said.text).into_iter().map(|sentence| Progress {
            at: said.time,
            place: Some(said.place),
            kind: "decision",
            text: format!("the agent decided: {}", quote(sentence, 320)),
        })
    }));
    lines.sort_by_key(|line| line.place);
    // A row without a time happened when the one before it did.
    let mut now = None;
    for line in &mut lines {
        now = line.at.max(now);
        line.at = now;
    }
    lines.extend(notes.iter().filter(|note| !note.text.is_empty()).map(written));
    lines.sort_by_key(|line| line.at);
    lines
}

/// All but answers that decide nothing ("yes", "you decide").
fn is_told(event: &Event) -> bool {
    !matches!(&event.what, Happened::Answered { answer, .. } if !answers::says_something(answer))
}

fn written(note: &Note) -> Progress {
    let about = note.state.map(|key| format!(" ({})", key.title().to_lowercase())).unwrap_or_default();
    let text = format!("{}{about}: {}", note.author.name(), quote(&note.text, 600));
    Progress { at: Some(note.at), place: None, kind: "note", text }
}

fn happened(session: &Session, event: &Event) -> Progress {
    let (kind, text) = match &event.what {
        Happened::Finished { task, subject, evidence } => ("task", finished(task, subject, evidence)),
        Happened::Committed { hash, subject } => ("commit", format!("commit {hash} {}", harmless(subject))),
        Happened::Tested { command, ok, counts, times } => {
            let how = if *ok { "passed" } else { "failed" };
            let counts = counts.map(|counts| format!(" ({counts})")).unwrap_or_default();
            let again = if *times > 1 { format!(", {times} times in a row") } else { String::new() };
            ("tests", format!("tests {how}{counts}{again}: `{}`", one_line(&harmless(command), 120)))
        }
        Happened::Answered { question, answer } => {
            ("decision", format!("the user decided: {} → {}", quote(question, 120), quote(answer, 240)))
        }
        Happened::Refused { what, reason } => {
            let reason = if reason.is_empty() { String::new() } else { format!(": {}", quote(reason, 240)) };
            let what = one_line(&harmless(&shown_action(session, what)), 120);
            ("decision", format!("the user refused ({what}){reason}"))
        }
        Happened::Approved { plan } => {
            ("plan", format!("the user approved the plan {}", quote_foreign(plan, 160)))
        }
        Happened::Created { path } => ("file", format!("created {}", harmless(shown_path(session, path)))),
        Happened::Compacted { manual, before, after } => ("compaction", compacted(*manual, *before, *after)),
    };
    Progress { at: event.at.time, place: Some(event.at.place), kind, text }
}

fn finished(task: &str, subject: &str, evidence: &str) -> String {
    let number = if task.starts_with('L') { String::new() } else { format!("#{task} ") };
    let evidence = if evidence.is_empty() { "by the task list alone" } else { evidence };
    format!("finished {number}{} ({evidence})", one_line(&harmless(subject), 160))
}

fn compacted(manual: bool, before: Option<u64>, after: Option<u64>) -> String {
    let how = if manual { "by /compact" } else { "automatic" };
    let tokens = match (before, after) {
        (Some(before), Some(after)) => format!(", {}k → {}k tokens", before / 1_000, after / 1_000),
        (Some(before), None) => format!(", at {}k tokens", before / 1_000),
        _ => String::new(),
    };
    format!("compaction ({how}{tokens})")
}

#[cfg(test)]
mod tests;
