//! The notes of a session: where it stands, what was achieved and decided, and its tasks.

use serde::Serialize;

use super::reader::{ChosenSession, ReadError, Reader, Which};
use crate::brief::cold_tasks::{self, TaskSummary};
use crate::brief::notes::{self, StateLine};
use crate::model::entry::{Place, TaskStatus};
use crate::session::spans::{Activity, TaskSpan, TaskSpans};
use crate::session::tasks::Task;
use crate::session::{Session, one_line};

/// Characters of a task's subject.
const SUBJECT: usize = 200;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionNotesDocument {
    /// The session's id; of a file, its name.
    pub session: String,
    /// Time of the latest row, in milliseconds since 1970.
    pub as_of: Option<i64>,
    pub current_state: StateDocument,
    /// What is open, unchecked or learned, by kind.
    pub known: Vec<KnownDocument>,
    /// What was achieved and decided, oldest first.
    pub progress: Vec<ProgressDocument>,
    pub open_tasks: Vec<OpenTaskDocument>,
    /// Finished ones that are not cold.
    pub finished_tasks: Vec<FinishedTaskDocument>,
    /// Finished long ago, with what was done for them.
    pub cold_tasks: Vec<ColdTaskDocument>,
    /// State and progress as a page of notes.
    #[serde(skip)]
    pub markdown: String,
    /// Where the record was read, if not in the transcript.
    pub remark: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateDocument {
    pub active: Option<StateLineDocument>,
    pub step: Option<StateLineDocument>,
    pub blocking: Option<StateLineDocument>,
    pub next: Option<StateLineDocument>,
    pub subagents: Vec<JobDocument>,
    pub shells: Vec<JobDocument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateLineDocument {
    pub text: String,
    pub place: Option<String>,
    /// Who set it, or that it is from the record.
    pub by: &'static str,
}

/// Something that runs in the background.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobDocument {
    pub id: String,
    pub what: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownDocument {
    /// As the brief calls it.
    pub kind: &'static str,
    pub text: String,
    pub place: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgressDocument {
    pub at: Option<i64>,
    pub kind: &'static str,
    pub text: String,
    /// Null for notes, which have no place in the transcript.
    pub place: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenTaskDocument {
    pub task_id: Option<String>,
    pub subject: String,
    /// `pending` or `in progress`.
    pub status: &'static str,
    pub place: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FinishedTaskDocument {
    /// A number, or the place of a request (`L12`).
    pub task_id: String,
    pub subject: String,
    pub start_turn: u32,
    pub end_turn: Option<u32>,
    /// What shows that it was done.
    pub evidence: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColdTaskDocument {
    pub session_id: String,
    pub task_id: String,
    pub subject: String,
    pub start_turn: u32,
    pub end_turn: u32,
    /// When it was summarised.
    pub compressed_at: i64,
    pub files_modified: Vec<String>,
    pub commands_run: Vec<String>,
    pub key_outcomes: Vec<String>,
    pub errors_resolved: Vec<String>,
}

/// The notes and tasks of a session as it is now.
pub fn notes(reader: &Reader, which: Which) -> Result<SessionNotesDocument, ReadError> {
    let chosen = reader.choose(which)?;
    let record = reader.record(&chosen)?;
    let session = reader.fold(&record, None)?;
    let notes = notes::of(&session, &reader.notes(&chosen)?);
    let cold = cold(reader, &chosen, &session)?;
    let is_warm = |span: &TaskSpan| !cold.iter().any(|task| task.task_id == span.id);
    let finished = cold_tasks::finished(&session).into_iter().filter(is_warm);
    let markdown = notes::markdown(&notes, &chosen.id).replace(&format!("{}\n\n", notes::MARKER), "");
    let place = |place: Option<Place>| place.map(|place| place.to_string());
    Ok(SessionNotesDocument {
        as_of: notes.as_of,
        current_state: state(&notes.state),
        known: notes
            .known
            .into_iter()
            .map(|line| KnownDocument { kind: line.kind, text: line.text, place: place(line.place) })
            .collect(),
        progress: notes
            .progress
            .into_iter()
            .map(|line| ProgressDocument {
                at: line.at,
                kind: line.kind,
                text: line.text,
                place: place(line.place),
            })
            .collect(),
        open_tasks: session.tasks.open().into_iter().map(open_task).collect(),
        finished_tasks: finished.map(|span| finished_task(&session, &span)).collect(),
        cold_tasks: cold,
        markdown: markdown.trim_end().to_owned(),
        remark: reader.remark(&record),
        session: chosen.id,
    })
}

fn state(state: &notes::NotesState) -> StateDocument {
    let line = |line: &Option<StateLine>| {
        line.as_ref().map(|line| StateLineDocument {
            text: line.text.clone(),
            place: line.place.map(|place| place.to_string()),
            by: line.by,
        })
    };
    let job = |(id, what): &(String, String)| JobDocument { id: id.clone(), what: what.clone() };
    StateDocument {
        active: line(&state.active),
        step: line(&state.step),
        blocking: line(&state.blocking),
        next: line(&state.next),
        subagents: state.subagents.iter().map(job).collect(),
        shells: state.shells.iter().map(job).collect(),
    }
}

fn open_task(task: &Task) -> OpenTaskDocument {
    OpenTaskDocument {
        task_id: task.id.clone(),
        subject: task.subject.clone(),
        status: if task.status == TaskStatus::InProgress { "in progress" } else { "pending" },
        place: task.place.to_string(),
    }
}

fn finished_task(session: &Session, span: &TaskSpan) -> FinishedTaskDocument {
    FinishedTaskDocument {
        task_id: span.id.clone(),
        subject: one_line(cold_tasks::subject(session, span), SUBJECT),
        start_turn: span.start.turn,
        end_turn: span.end.map(|end| end.turn),
        evidence: Activity::of(&session.record, span).evidence(),
    }
}

/// Tasks that were summarised when they became cold, and those that are cold now.
fn cold(
    reader: &Reader,
    chosen: &ChosenSession,
    session: &Session,
) -> Result<Vec<ColdTaskDocument>, ReadError> {
    let store = reader.store.as_ref().filter(|_| !chosen.is_file);
    let mut all = store.map(|store| store.cold_tasks(&chosen.id)).transpose()?.unwrap_or_default();
    let now = session.time.unwrap_or_default();
    for task in cold_tasks::cold(session, reader.machine.cold_after, &[]) {
        if !all.iter().any(|(known, _)| known.task == task.task) {
            all.push((task, now));
        }
    }
    let open = TaskSpans::of(&session.record).open;
    all.retain(|(task, _)| !open.iter().any(|span| span.id == task.task));
    all.sort_by_key(|(task, _)| (task.end_turn, task.start_turn));
    let document = |(task, compressed_at): (TaskSummary, i64)| ColdTaskDocument {
        session_id: chosen.id.clone(),
        task_id: task.task,
        subject: task.subject,
        start_turn: task.start_turn,
        end_turn: task.end_turn,
        compressed_at,
        files_modified: task.files_modified,
        commands_run: task.commands_run,
        key_outcomes: task.key_outcomes,
        errors_resolved: task.errors_resolved,
    };
    Ok(all.into_iter().map(document).collect())
}
