//! What the record of a session does not contain: the current state of its workspace.

use super::active::ActiveNow;
use super::project::Project;
use crate::choose::WorkTree;
use crate::model::note::Note;

/// Git, the project, the active commands and the notes, as of now.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceState {
    /// The session's id, if the brief names it.
    pub id: Option<String>,
    /// `None` outside a repository, or if git was not asked.
    pub tree: Option<WorkTree>,
    /// The commands in force, with their files; `None` if only the transcript was read.
    pub active: Option<ActiveNow>,
    pub project: Project,
    /// What a person or the agent wrote down.
    pub notes: Vec<Note>,
    /// The user wants the agent to mention that the context was compacted.
    pub announce: bool,
}
