//! The input of a status line, in terms that fit every client.

use std::path::PathBuf;

use crate::model::tokens::StatusLineTokens;

/// One call of the status line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusInput {
    /// The session; empty if the client does not say.
    pub session: String,
    /// The session's transcript; may not exist yet.
    pub transcript: Option<PathBuf>,
    /// Working directory of the agent.
    pub cwd: Option<PathBuf>,
    /// The model's name for people.
    pub model_name: Option<String>,
    /// The state of the context.
    pub gauge: StatusLineTokens,
}
