//! What a hook tells us, in words that are the same for every client.

use std::path::PathBuf;

use crate::text::cut::first_chars;

/// One call of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookEvent {
    /// What happened.
    pub kind: EventKind,
    /// Which session; empty where the client did not say.
    pub session: String,
    /// The session's transcript; may not exist yet.
    pub transcript: Option<PathBuf>,
    /// Working directory of the agent.
    pub cwd: Option<PathBuf>,
    /// The subagent it happened in, where it did.
    pub subagent: Option<String>,
    /// The transcript of the subagent that has ended.
    pub subagent_transcript: Option<PathBuf>,
    /// The client's own name of the event, for the log.
    pub name: String,
}

impl HookEvent {
    /// Whether the session's id is one: clients make them of letters, digits and few signs. Everything else is a
    /// mistake or a trick, and nothing is done under such a name.
    pub fn names_a_session(&self) -> bool {
        is_session_id(&self.session)
    }
}

/// Whether this can be a session's id.
pub fn is_session_id(id: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_allowed) && !id.starts_with('.')
}

/// How a session is named to people: as much of its id as tells it from others.
pub fn short_id(id: &str) -> &str {
    first_chars(id, 8)
}

/// Clients use uuids or something as short.
const LONGEST_ID: usize = 128;

/// What happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EventKind {
    /// A session begins or goes on.
    Start(StartKind),
    /// A person sends a prompt.
    Prompt,
    /// Tools have run.
    Tools,
    /// The context is about to be replaced by a summary.
    BeforeCompaction {
        /// Asked for by the person.
        manual: bool,
    },
    /// The summary is finished and not yet in use.
    SummaryReady {
        /// Its text.
        summary: String,
    },
    /// The compaction is over.
    AfterCompaction {
        /// Its summary, where the client hands it over.
        summary: Option<String>,
    },
    /// A subagent has done its work.
    SubagentEnd,
    /// The agent has ended its turn.
    TurnEnd,
    /// The session is over.
    End(EndKind),
    /// Nothing we act on; what is new is recorded all the same.
    #[default]
    Other,
}

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndKind {
    /// The person cleared the context: another session takes its place at once.
    Clear,
    /// In any other way.
    Other,
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartKind {
    /// Anew.
    Startup,
    /// An earlier one is taken up.
    Resume,
    /// The person cleared the context.
    Clear,
    /// After a compaction.
    Compact,
    /// As a branch of another.
    Fork,
}
