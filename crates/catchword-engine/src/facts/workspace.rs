//! What the record of a session does not hold: the state of its workspace when a text about it is written.

use super::active::ActiveNow;
use super::git::WorkTree;
use super::project::Project;
use crate::model::note::Note;

/// What git, the project, the active commands and the notes say now.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceState {
    /// The session's id, where it is told whose brief it is.
    pub id: Option<String>,
    /// `None` outside a repository, or where git was not asked.
    pub tree: Option<WorkTree>,
    /// The commands it works by, with their files; `None` where only the transcript was asked.
    pub active: Option<ActiveNow>,
    /// Its name, key files and status.
    pub project: Project,
    /// What a person or the agent wrote down for it.
    pub notes: Vec<Note>,
    /// The user wants to hear from the agent that the context was compacted.
    pub announce: bool,
}
