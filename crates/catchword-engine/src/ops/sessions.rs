//! The sessions that are known, from hooks and from the history.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::history::{History, Source};
use crate::store::{Store, StoreError};

/// An agent that has said nothing for this long, in milliseconds, is no longer at work: longer than any one command.
const WORKS_FOR: i64 = 15 * 60_000;
/// Rows that are written this long, in milliseconds, after the end still belong to it.
const SECOND_THOUGHTS: i64 = 60_000;
/// After this time nobody is expected to answer any more.
const WAITS_FOR: i64 = 24 * 3_600_000;

/// A session in a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// The first request; unknown until it is in the history.
    pub title: Option<String>,
    /// Its transcript.
    pub transcript: PathBuf,
    /// The transcript is there.
    pub there: bool,
    /// The agent's working directory.
    pub cwd: Option<PathBuf>,
    /// The root of its work tree, or its first folder, where hooks were told.
    pub project: Option<PathBuf>,
    /// Lines of the transcript that are recorded.
    pub lines: u64,
    /// Entries that hooks have recorded.
    pub entries: u64,
    /// Prompts.
    pub prompts: u64,
    /// Tool calls.
    pub calls: u64,
    /// Compactions.
    pub compactions: u64,
    /// Subagents whose transcripts are in the history.
    pub subagents: u64,
    /// Time of its first row.
    pub first_at: Option<i64>,
    /// When something was last heard of it.
    pub last_at: i64,
    /// How it stands.
    pub state: State,
}

/// How a session stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The agent is at work.
    Working,
    /// The agent has ended its turn and waits for the person.
    Waiting,
    /// Over, with nothing left to do.
    #[default]
    Ended,
    /// Over in the middle of a turn, or with open tasks.
    Unfinished,
}

impl State {
    /// As it is called in output.
    pub fn word(self) -> &'static str {
        match self {
            State::Working => "working",
            State::Waiting => "waiting",
            State::Ended => "ended",
            State::Unfinished => "unfinished",
        }
    }
}

/// All sessions, latest first. Either of the two may not be there yet.
pub fn list(store: Option<&Store>, history: Option<&History>, now: i64) -> Result<Vec<Listed>, StoreError> {
    let mut sessions: HashMap<String, Listed> = HashMap::new();
    let sources = history.map(History::sources).transpose()?.unwrap_or_default();
    let (main, sub): (Vec<Source>, Vec<Source>) =
        sources.into_iter().partition(|source| source.thread.subagent.is_empty());
    for source in main {
        sessions.insert(source.thread.session.clone(), from_history(source, now));
    }
    for source in sub {
        // A subagent whose session is not known is found by `search`; a session it does not make.
        if let Some(session) = sessions.get_mut(&source.thread.session) {
            session.subagents += 1;
        }
    }
    for recorded in store.map(Store::sessions).transpose()?.unwrap_or_default() {
        let listed = sessions.entry(recorded.id.clone()).or_insert_with(|| Listed {
            id: recorded.id,
            state: if now - recorded.last_at < WORKS_FOR { State::Working } else { State::Ended },
            ..Listed::default()
        });
        // The hooks were told where the session is now; the history may have met a copy.
        listed.transcript = recorded.transcript;
        listed.cwd = recorded.cwd.or(listed.cwd.take());
        listed.project = recorded.project;
        listed.entries = recorded.entries;
        listed.compactions = listed.compactions.max(recorded.compactions);
        listed.last_at = listed.last_at.max(recorded.last_at);
    }
    let mut sessions: Vec<Listed> = sessions.into_values().collect();
    for session in &mut sessions {
        session.there = session.transcript.exists();
    }
    sessions.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.id.cmp(&b.id)));
    Ok(sessions)
}

fn from_history(source: Source, now: i64) -> Listed {
    Listed {
        state: state(&source, now),
        id: source.thread.session,
        title: source.title,
        transcript: source.path,
        there: false,
        cwd: source.project.map(PathBuf::from),
        project: None,
        lines: u64::from(source.cursor.line),
        entries: 0,
        prompts: source.prompts,
        calls: source.calls,
        compactions: source.compactions,
        subagents: 0,
        first_at: source.first_at,
        last_at: source.last_at.unwrap_or_default(),
    }
}

fn state(source: &Source, now: i64) -> State {
    let idle = now - source.last_at.unwrap_or_default();
    // Rows may come after the client has said goodbye: the session was taken up again.
    let over =
        source.ended_at.is_some_and(|ended| ended + SECOND_THOUGHTS > source.last_at.unwrap_or_default());
    let left = !source.waiting || source.open_tasks > 0;
    match (over, source.waiting) {
        (false, false) if idle < WORKS_FOR => State::Working,
        (false, true) if idle < WAITS_FOR => State::Waiting,
        _ if left => State::Unfinished,
        _ => State::Ended,
    }
}
