//! `catchword notes`: the state of a session, and what was achieved and decided in it.

use catchword_engine::brief::notes::{self, Notes, StateLine};
use serde::Serialize;

use super::target::Which;
use crate::app::env::Env;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Show a session's notes: where it stands now, and what was achieved and decided, with times
///
/// They keep themselves, from the record; `catchword note` adds a line. `[notes]` with `mirror = "NOTES.md"` in
/// config.toml also keeps them as a file in the project.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the document.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let found = args.which.resolve(env, ui)?;
    let notes = notes::of(&found.session, &found.notes);
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&notes, &found.id))?);
    } else {
        ui.line(notes::markdown(&notes, &found.id).replace(&format!("{}\n\n", notes::MARKER), "").trim_end());
    }
    Ok(Exit::Ok)
}

#[derive(Serialize)]
struct NotesView<'a> {
    session: &'a str,
    as_of: Option<i64>,
    current_state: StateView<'a>,
    known: Vec<OpenLineView<'a>>,
    progress: Vec<ProgressView<'a>>,
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

fn view<'a>(notes: &'a Notes, session: &'a str) -> NotesView<'a> {
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
    }
}
