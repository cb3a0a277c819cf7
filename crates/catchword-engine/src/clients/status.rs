//! What a client gives to a status line, in words that are the same for every client.

use std::path::PathBuf;

use crate::model::tokens::StatusLineTokens;

/// One call of the status line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusInput {
    /// Which session; empty where the client did not say.
    pub session: String,
    /// The session's transcript; may not exist yet.
    pub transcript: Option<PathBuf>,
    /// Working directory of the agent.
    pub cwd: Option<PathBuf>,
    /// The model's name for people.
    pub model_name: Option<String>,
    /// What it tells of the context.
    pub gauge: StatusLineTokens,
}
