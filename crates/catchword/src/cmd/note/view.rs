//! The notes of a session, for people and for programs.

use catchword_engine::brief::notes::{self, Notes, StateLine};
use serde::Serialize;

use super::super::target::FoundSession;
use super::tasks::{ColdTaskView, FinishedTaskView, OpenTaskView, SessionTasks};
use crate::app::config::Config;
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Prints state, log and tasks.
pub fn show(found: &FoundSession, as_json: bool, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let notes = notes::of(&found.session, &found.notes);
    let tasks = SessionTasks::of(found, Config::load(env).cold.turns);
    if as_json {
        ui.line(serde_json::to_string_pretty(&view(&notes, &tasks, &found.id))?);
        return Ok(Exit::Ok);
    }
    let text = notes::markdown(&notes, &found.id).replace(&format!("{}\n\n", notes::MARKER), "");
    ui.document(text.trim_end());
    tasks.print(ui);
    Ok(Exit::Ok)
}

#[derive(Serialize)]
struct NotesView<'a> {
    session: &'a str,
    as_of: Option<i64>,
    current_state: StateView<'a>,
    known: Vec<OpenLineView<'a>>,
    progress: Vec<ProgressView<'a>>,
    open_tasks: Vec<OpenTaskView<'a>>,
    finished_tasks: Vec<FinishedTaskView>,
    cold_tasks: Vec<ColdTaskView<'a>>,
}

#[derive(Serialize)]
struct OpenLineView<'a> {
    kind: &'static str,
    text: &'a str,
    place: Option<String>,
}

#[derive(Serialize)]
struct StateView<'a> {
    active: Option<NoteLineView<'a>>,
    step: Option<NoteLineView<'a>>,
    blocking: Option<NoteLineView<'a>>,
    next: Option<NoteLineView<'a>>,
    subagents: Vec<RunningView<'a>>,
    shells: Vec<RunningView<'a>>,
}

#[derive(Serialize)]
struct NoteLineView<'a> {
    text: &'a str,
    place: Option<String>,
    by: &'static str,
}

#[derive(Serialize)]
struct RunningView<'a> {
    id: &'a str,
    what: &'a str,
}

#[derive(Serialize)]
struct ProgressView<'a> {
    at: Option<i64>,
    kind: &'static str,
    text: &'a str,
    place: Option<String>,
}

fn view<'a>(notes: &'a Notes, tasks: &'a SessionTasks<'a>, session: &'a str) -> NotesView<'a> {
    let state = &notes.state;
    let line = |line: &'a Option<StateLine>| {
        line.as_ref().map(|line| NoteLineView {
            text: &line.text,
            place: line.place.map(|place| place.to_string()),
            by: line.by,
        })
    };
    let running =
        |all: &'a [(String, String)]| all.iter().map(|(id, what)| RunningView { id, what }).collect();
    let progress = notes.progress.iter().map(|line| ProgressView {
        at: line.at,
        kind: line.kind,
        text: &line.text,
        place: line.place.map(|place| place.to_string()),
    });
    let known = notes.known.iter().map(|line| OpenLineView {
        kind: line.kind,
        text: &line.text,
        place: line.place.map(|place| place.to_string()),
    });
    NotesView {
        session,
        as_of: notes.as_of,
        current_state: StateView {
            active: line(&state.active),
            step: line(&state.step),
            blocking: line(&state.blocking),
            next: line(&state.next),
            subagents: running(&state.subagents),
            shells: running(&state.shells),
        },
        known: known.collect(),
        progress: progress.collect(),
        open_tasks: tasks.open_views(),
        finished_tasks: tasks.finished_views(),
        cold_tasks: tasks.cold_views(session),
    }
}
