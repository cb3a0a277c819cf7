//! What a hook tells us, in words that are the same for every client.

use std::path::PathBuf;

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
    /// It happened inside a subagent.
    pub subagent: bool,
    /// The client's own name of the event, for the log.
    pub name: String,
}

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
    /// The agent has ended its turn.
    TurnEnd,
    /// The session is over.
    End,
    /// Nothing we act on; what is new is recorded all the same.
    #[default]
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
