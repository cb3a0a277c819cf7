//! A hook call, in terms that are the same for every client.

use std::path::PathBuf;

use crate::text::cut::first_chars;

/// One call of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookEvent {
    pub kind: EventKind,
    /// Empty if the client did not say.
    pub session: String,
    /// The session's transcript; may not exist yet.
    pub transcript: Option<PathBuf>,
    /// Working directory of the agent.
    pub cwd: Option<PathBuf>,
    /// The subagent in which it happened, if any.
    pub subagent: Option<String>,
    /// The transcript of the subagent that has ended.
    pub subagent_transcript: Option<PathBuf>,
    /// The agent's last words at the end of its turn; the transcript may not have them yet.
    pub last_words: Option<String>,
    /// The client's own name for the event, for the log.
    pub name: String,
}

impl HookEvent {
    /// Whether the session's id is plausible: clients use letters, digits and a few other characters. Anything else is
    /// a mistake or an attack, and nothing is done under such a name.
    pub fn names_a_session(&self) -> bool {
        is_session_id(&self.session)
    }
}

/// Whether this can be a session id.
pub fn is_session_id(id: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_allowed) && !id.starts_with('.')
}

/// The part of a session's id that is shown to people; enough to tell sessions apart.
pub fn short_id(id: &str) -> &str {
    first_chars(id, 8)
}

/// Clients use UUIDs or ids of a similar length.
const LONGEST_ID: usize = 128;

/// What happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EventKind {
    /// A session starts or resumes.
    Start(StartKind),
    /// A person sends a prompt.
    Prompt,
    /// A person types a note in place of a prompt; empty if they only typed the command.
    Note { text: String },
    /// Tools have run.
    Tools,
    /// The context is about to be replaced by a summary.
    BeforeCompaction {
        /// Requested by the person.
        manual: bool,
    },
    /// The summary is finished but not in use yet.
    SummaryReady { summary: String },
    /// The compaction is over.
    AfterCompaction {
        /// The summary, if the client passes it.
        summary: Option<String>,
    },
    /// A subagent finished.
    SubagentEnd,
    /// The agent ended its turn.
    TurnEnd,
    /// The session is over.
    End(EndKind),
    /// No action, but new rows are recorded.
    #[default]
    Other,
}

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndKind {
    /// The person cleared the context; another session follows immediately.
    Clear,
    Other,
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartKind {
    /// A new session.
    Startup,
    /// An earlier session continues.
    Resume,
    /// The person cleared the context.
    Clear,
    /// After a compaction.
    Compact,
    /// A branch of another session.
    Fork,
}
