//! The known sessions, from hooks and from the history.

use std::collections::HashMap;
use std::path::PathBuf;

use super::status::{self, Presence, SessionState};
use crate::archive::history::item::TranscriptEnd;
use crate::archive::history::{History, TranscriptSource};
use crate::store::{Store, StoreError};

/// Rows written up to this many milliseconds after the end still belong to it.
const END_GRACE_MS: i64 = 60_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedSession {
    pub id: String,
    /// The name of its client.
    pub client: String,
    /// The first request; `None` until it is in the history.
    pub title: Option<String>,
    pub transcript: PathBuf,
    /// Whether the transcript exists.
    pub there: bool,
    /// The agent's working directory.
    pub cwd: Option<PathBuf>,
    /// The root of its work tree, or its first folder, if hooks were told.
    pub project: Option<PathBuf>,
    /// Recorded lines of the transcript.
    pub lines: u64,
    /// Entries that hooks recorded.
    pub entries: u64,
    pub prompts: u64,
    pub calls: u64,
    pub compactions: u64,
    /// Subagents whose transcripts are in the history.
    pub subagents: u64,
    /// Time of its first row.
    pub first_at: Option<i64>,
    /// Time of its last sign of life.
    pub last_at: i64,
    pub state: SessionState,
    /// Its last turn has not ended, or tasks are open.
    pub unfinished: bool,
}

/// All sessions, latest first. The store or the history may not exist yet. `is_alive` says whether a client's process
/// still runs.
pub fn list(
    store: Option<&Store>,
    history: Option<&History>,
    now: i64,
    is_alive: &dyn Fn(&str) -> Option<bool>,
) -> Result<Vec<ListedSession>, StoreError> {
    let mut sessions: HashMap<String, ListedSession> = HashMap::new();
    let mut turns: HashMap<String, (TranscriptEnd, bool)> = HashMap::new();
    let sources = history.map(History::sources).transpose()?.unwrap_or_default();
    let (main, sub): (Vec<TranscriptSource>, Vec<TranscriptSource>) =
        sources.into_iter().partition(|source| source.thread.subagent.is_empty());
    for source in main {
        turns.insert(source.thread.session.clone(), (source.turn, is_over(&source)));
        sessions.insert(source.thread.session.clone(), from_history(source));
    }
    for source in sub {
        // A subagent whose session is unknown can be found by `search`, but is not listed as a session.
        if let Some(session) = sessions.get_mut(&source.thread.session) {
            session.subagents += 1;
        }
    }
    for recorded in store.map(Store::sessions).transpose()?.unwrap_or_default() {
        let listed = sessions
            .entry(recorded.id.clone())
            .or_insert_with(|| ListedSession { id: recorded.id, ..ListedSession::default() });
        // Hooks know where the session is now; the history may have seen a copy.
        listed.client = recorded.client;
        listed.transcript = recorded.transcript;
        listed.cwd = recorded.cwd.or(listed.cwd.take());
        listed.project = recorded.project;
        listed.entries = recorded.entries;
        listed.lines = listed.lines.max(recorded.lines);
        listed.compactions = listed.compactions.max(recorded.compactions);
        listed.last_at = listed.last_at.max(recorded.last_at);
    }
    let mut sessions: Vec<ListedSession> = sessions.into_values().collect();
    for session in &mut sessions {
        session.there = session.transcript.exists();
        let (turn, over) = turns.get(&session.id).copied().unwrap_or_default();
        let held = store.map(|store| store.held(&session.id)).transpose()?.flatten();
        let presence = match status::presence(held.as_ref(), is_alive) {
            Presence::Unknown if over => Presence::Over,
            known => known,
        };
        session.state = status::state(turn.waiting, turn.interrupted, presence, now - session.last_at);
    }
    sessions.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.id.cmp(&b.id)));
    Ok(sessions)
}

fn from_history(source: TranscriptSource) -> ListedSession {
    ListedSession {
        state: SessionState::default(),
        unfinished: !source.turn.waiting || source.open_tasks > 0,
        id: source.thread.session,
        client: source.client,
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

/// Whether the client reported its end. Later rows mean that the session was resumed.
fn is_over(source: &TranscriptSource) -> bool {
    source.ended_at.is_some_and(|ended| ended + END_GRACE_MS > source.last_at.unwrap_or_default())
}
