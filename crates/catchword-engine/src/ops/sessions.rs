//! The known sessions, from hooks and from the history.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::Serialize;

use crate::archive::history::item::TranscriptEnd;
use crate::archive::history::{History, TranscriptSource};
use crate::session::Session;
use crate::store::{Held, Store, StoreError};
use crate::transcript;

/// Rows written up to this many milliseconds after the end still belong to it.
const END_GRACE_MS: i64 = 60_000;

/// A working session without a sign of life for this many milliseconds may have been killed.
const SILENT: i64 = 10 * 60_000;
/// After this time nobody is expected to continue a session about which nothing else is known.
const LEFT: i64 = 24 * 3_600_000;

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
    /// The machine that recorded it; empty for this one.
    pub machine: String,
    /// Whose it is, if it came from a shared archive.
    pub person: Option<String>,
    /// Time of its first row.
    pub first_at: Option<i64>,
    /// Time of its last sign of life.
    pub last_at: i64,
    pub state: SessionState,
    /// Whether a client uses it.
    pub presence: Presence,
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
        session.there = transcript::is_there(&session.transcript);
        let (turn, over) = turns.get(&session.id).copied().unwrap_or_default();
        let held = store.map(|store| store.held(&session.id)).transpose()?.flatten();
        session.presence = match presence(held.as_ref(), is_alive) {
            Presence::Unknown if over => Presence::Over,
            known => known,
        };
        let silence = now - session.last_at;
        let at_rest = turn.waiting || turn.spoke;
        session.state = state(turn.waiting, at_rest, turn.interrupted, session.presence, silence);
    }
    sessions.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.id.cmp(&b.id)));
    Ok(sessions)
}

fn from_history(source: TranscriptSource) -> ListedSession {
    ListedSession {
        state: SessionState::default(),
        presence: Presence::default(),
        unfinished: !(source.turn.waiting || source.turn.spoke) || source.open_tasks > 0,
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
        machine: source.machine,
        person: source.person,
        first_at: source.first_at,
        last_at: source.last_at.unwrap_or_default(),
    }
}

/// Its last turn has not ended, or tasks are open.
pub fn is_unfinished(session: &Session) -> bool {
    !(session.waiting || session.spoke_last()) || !session.tasks.open().is_empty()
}

/// Whether the client reported its end. Later rows mean that the session was resumed.
fn is_over(source: &TranscriptSource) -> bool {
    source.ended_at.is_some_and(|ended| ended + END_GRACE_MS > source.last_at.unwrap_or_default())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
    /// The agent works.
    Working,
    /// It should be working, but shows no sign of life.
    Silent,
    /// It waits for the person.
    Waiting,
    /// The person stopped it.
    Interrupted,
    /// Its client no longer runs and never reported an end, or it stopped in the middle of a turn long ago.
    Stopped,
    /// The client reported its end.
    #[default]
    #[serde(rename = "ended")]
    Over,
}

impl SessionState {
    /// The name used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            SessionState::Working => "working",
            SessionState::Silent => "silent",
            SessionState::Waiting => "waiting",
            SessionState::Interrupted => "interrupted",
            SessionState::Stopped => "stopped",
            SessionState::Over => "ended",
        }
    }
}

/// Whether a client uses the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Its end was reported.
    Over,
    /// Its client no longer runs.
    Gone,
    /// Its client runs.
    There,
    #[default]
    Unknown,
}

fn presence(held: Option<&Held>, is_alive: &dyn Fn(&str) -> Option<bool>) -> Presence {
    let Some(held) = held else { return Presence::Unknown };
    match held.client.as_deref().and_then(is_alive) {
        _ if held.ended => Presence::Over,
        Some(true) => Presence::There,
        Some(false) => Presence::Gone,
        None => Presence::Unknown,
    }
}

/// The state of a session, for everything that shows it: from whether and how its turn ended, whether a client uses it,
/// and the time since its last sign of life. An agent `at_rest` may only be between two calls; after a day it is not.
pub(in crate::ops) fn state(
    waiting: bool,
    at_rest: bool,
    interrupted: bool,
    presence: Presence,
    silence: i64,
) -> SessionState {
    match presence {
        Presence::Over => SessionState::Over,
        Presence::Gone => SessionState::Stopped,
        Presence::Unknown if silence > LEFT && (at_rest || interrupted) => SessionState::Over,
        Presence::Unknown if silence > LEFT => SessionState::Stopped,
        _ if interrupted => SessionState::Interrupted,
        _ if waiting => SessionState::Waiting,
        Presence::Unknown if silence > SILENT => SessionState::Silent,
        _ => SessionState::Working,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_follows_the_strongest_evidence() {
        use Presence::{Gone, Over, There, Unknown};
        let cases = [
            (false, false, Unknown, 0, SessionState::Working),
            (false, false, Unknown, SILENT + 1, SessionState::Silent),
            (false, false, Unknown, LEFT + 1, SessionState::Stopped),
            (false, false, There, LEFT + 1, SessionState::Working),
            (true, false, Unknown, SILENT + 1, SessionState::Waiting),
            (true, false, Unknown, LEFT + 1, SessionState::Over),
            (true, false, There, LEFT + 1, SessionState::Waiting),
            (true, true, There, 0, SessionState::Interrupted),
            (true, true, Unknown, LEFT + 1, SessionState::Over),
            (true, true, Gone, 0, SessionState::Stopped),
            (true, true, Over, 0, SessionState::Over),
        ];
        for (waiting, interrupted, presence, silence, expected) in cases {
            assert_eq!(
                state(waiting, waiting, interrupted, presence, silence),
                expected,
                "{presence:?} {silence}"
            );
        }
    }

    #[test]
    fn words_after_the_last_call_end_a_session_that_nothing_follows() {
        let of = |silence| state(false, true, false, Presence::Unknown, silence);
        assert_eq!(
            [0, SILENT + 1, LEFT + 1].map(of),
            [SessionState::Working, SessionState::Silent, SessionState::Over]
        );
    }

    #[test]
    fn presence_depends_on_the_process_unless_the_end_was_reported() {
        let held = |ended| Held { client: Some("one".into()), ended, handoff: None };
        assert_eq!(presence(None, &|_| Some(true)), Presence::Unknown);
        assert_eq!(presence(Some(&held(false)), &|_| Some(true)), Presence::There);
        assert_eq!(presence(Some(&held(false)), &|_| Some(false)), Presence::Gone);
        assert_eq!(presence(Some(&held(false)), &|_| None), Presence::Unknown);
        assert_eq!(presence(Some(&held(true)), &|_| Some(true)), Presence::Over);
    }
}
