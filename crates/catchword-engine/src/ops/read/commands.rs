//! The slash commands and skills in force, and what would be carried over of them.

use serde::Serialize;

use super::reader::{ReadError, Reader, Which};
use crate::choose::WorkspaceState;
use crate::choose::head::active::{InUse, called};
use crate::session::Session;
use crate::session::active::By;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandsDocument {
    pub session: String,
    pub commands: Vec<CommandDocument>,
    /// Those that the user ended.
    pub ended: Vec<EndedCommand>,
    pub plan_mode: bool,
    /// Where plan mode began.
    pub plan_mode_place: Option<String>,
    pub output_style: Option<String>,
    pub project: ProjectDocument,
    /// Where the record was read, if not in the transcript.
    pub remark: Option<String>,
}

/// A command or skill in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandDocument {
    pub name: String,
    pub args: String,
    /// As it is called: `/name`.
    #[serde(skip)]
    pub called: String,
    /// `user`, `agent` or `registration`.
    pub by: &'static str,
    pub place: Option<String>,
    /// The file that defines it, as people are shown it.
    pub file: Option<String>,
    /// The client restores its text after a compaction by itself.
    pub given_back_by_client: bool,
    /// It runs in a subagent, so only its name is carried over.
    pub forked: bool,
    /// The file marks what to carry over.
    pub marked: bool,
    /// What is carried over word for word; null if nothing is.
    pub carried: Option<String>,
    /// What is wrong with the file.
    pub problems: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndedCommand {
    pub name: String,
    pub place: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProjectDocument {
    /// With its version.
    pub name: Option<String>,
    pub branch: Option<String>,
    pub not_committed: usize,
    pub open_tasks: usize,
    /// Files to look at first.
    pub key_files: Vec<String>,
    /// The configured status command.
    pub status_command: Option<String>,
    /// What it printed.
    pub status: Option<String>,
}

/// The commands in force in a session as it is now.
pub fn commands(reader: &Reader, which: Which) -> Result<CommandsDocument, ReadError> {
    let chosen = reader.choose(which)?;
    let record = reader.record(&chosen)?;
    let session = reader.fold(&record, None)?;
    let store = reader.store.as_ref();
    let workspace = (reader.machine.workspace)(store, chosen.client, &chosen.id, &session)?;
    let active = workspace.active.clone().unwrap_or_default();
    let ended = active.over.iter().map(|(name, place)| EndedCommand {
        name: name.clone(),
        place: place.map(|place| place.to_string()),
    });
    Ok(CommandsDocument {
        commands: active.uses.iter().map(command).collect(),
        ended: ended.collect(),
        plan_mode: session.active.planning.is_some(),
        plan_mode_place: session.active.planning.map(|place| place.to_string()),
        output_style: session.active.style.clone(),
        project: project(&session, workspace),
        remark: reader.remark(&record),
        session: chosen.id,
    })
}

fn command(used: &InUse) -> CommandDocument {
    let carried = used.carried();
    let is_said = !used.given_back && !carried.forked && !carried.text.is_empty();
    CommandDocument {
        name: used.current.name.clone(),
        args: used.current.args.clone(),
        called: called(&used.current),
        by: match used.current.by {
            By::Person => "user",
            By::Agent => "agent",
            By::Registration => "registration",
        },
        place: used.current.place.map(|place| place.to_string()),
        file: used.source.as_ref().map(|source| source.shown.clone()),
        given_back_by_client: used.given_back,
        forked: carried.forked,
        marked: carried.marked,
        carried: is_said.then_some(carried.text),
        problems: carried.problems,
    }
}

fn project(session: &Session, workspace: WorkspaceState) -> ProjectDocument {
    let (tree, project) = (workspace.tree, workspace.project);
    let (status_command, status) = project.status.clone().unzip();
    ProjectDocument {
        name: project.title(),
        not_committed: tree.as_ref().map_or(0, |tree| tree.changed.len()),
        branch: tree.and_then(|tree| tree.branch).or_else(|| session.branch.clone()),
        open_tasks: session.tasks.open().len(),
        key_files: project.key_files,
        status_command,
        status,
    }
}
