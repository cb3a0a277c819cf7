//! `catchword note`: stores a line that a person or the agent writes for a session; bare, shows the notes and tasks.

mod tasks;

use std::path::PathBuf;

use anyhow::bail;
use catchword_engine::model::event::HookEvent;
use catchword_engine::model::event::short_id;
use catchword_engine::model::note::{Author, LONGEST_NOTE, StateKey};
use catchword_engine::ops::read::Which;
use catchword_engine::ops::read::notes::notes;
use catchword_engine::text::numbers::ago;

use crate::app::env::Env;
use crate::app::notes::keep;
use crate::app::read::{reader, reader_for};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// A session that was last active longer ago, in milliseconds, may not be the one that is meant.
const OLD: i64 = 86_400_000;

const EXAMPLES: &str = "Examples:
  catchword note                                     where the session stands, its log and its tasks
  catchword note \"ask before using the staging key\"
  catchword note --state next=\"rerun the load test\"";

/// Write a line into the session's notes; bare, show notes and tasks
///
/// Notes go into the brief after a compaction, which says whose they are: the agent's if the agent runs this, otherwise
/// yours. They belong to the session whose shell this is, or else to the latest one of this folder. --state sets a line of the
/// current state instead; it holds until something else is asked for, and empty text after the = takes it back.
///
/// Bare, it shows where the session stands now, what was achieved and decided and when, and its tasks, all taken from the
/// transcript. A task is cold once it is finished and 20 turns old (`cold.turns` in the settings): near a compaction, cold
/// tasks are summarised from the record for the summariser. Where the agent kept no task list, an answered request
/// counts as a task. `notes.mirror` in the settings keeps a copy of the notes in the project.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to write down
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Set a line of the current state: active=, step=, blocking= or next=
    #[arg(long, value_name = "LINE=TEXT", value_parser = state)]
    state: Vec<(StateKey, String)>,
    /// Another session, by the start of its id
    #[arg(long, value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Show the notes of any transcript file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "state"])]
    transcript: Option<PathBuf>,
    /// Show notes and tasks as JSON; `cold_tasks` has the summaries
    #[arg(long, conflicts_with_all = ["text", "state"])]
    json: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if args.text.is_empty() && args.state.is_empty() {
        let which = Which::of(args.session.as_deref(), args.transcript.as_deref());
        return show(which, args.json, env, ui);
    }
    let (session, last_at) = session(args.session.as_deref(), env)?;
    let author = if env.in_agent { Author::Agent } else { Author::Person };
    let words = args.text.join(" ");
    let state = args.state.iter().map(|(key, text)| (Some(*key), text.as_str()));
    let lines: Vec<(Option<StateKey>, &str)> =
        state.chain((!words.trim().is_empty()).then_some((None, words.as_str()))).collect();
    if lines.is_empty() {
        bail!("nothing to write down: give the text, as in `catchword note \"ask before pushing\"`");
    }
    if let Some((_, long)) = lines.iter().find(|(_, text)| text.chars().count() > LONGEST_NOTE) {
        let characters = long.chars().count();
        bail!(
            "a note has at most {LONGEST_NOTE} characters, this one has {characters}: put it into a file and note its path"
        );
    }
    keep(&session, &lines, author, env)?;
    let id = short_id(&session);
    let age = last_at.map(|at| env.now() - at).filter(|age| *age > OLD);
    let age = age.map(|age| format!(" (last active {})", ago(age))).unwrap_or_default();
    ui.say(ui.paragraph(&format!(
        "Noted for session {id}{age}, as the {}'s. `catchword note --session {id}` shows it.",
        author.name()
    )));
    Ok(Exit::Ok)
}

/// The session that is meant: the one named, the one whose shell this is, or the latest of this folder; and when it was last
/// active, unless it is its own shell.
fn session(start: Option<&str>, env: &Env) -> anyhow::Result<(String, Option<i64>)> {
    match (start, &env.session) {
        (None, Some(id)) => {
            let event = HookEvent { session: id.clone(), ..HookEvent::default() };
            anyhow::ensure!(
                event.names_a_session(),
                "the environment names a session, but {id:?} isn't a session id"
            );
            Ok((id.clone(), None))
        }
        (start, _) => {
            let reader = reader(env)?;
            let listed = start.map_or_else(|| reader.latest_here(), |start| reader.listed(start))?;
            Ok((listed.id, Some(listed.last_at)))
        }
    }
}

/// Prints state, log and tasks.
fn show(which: Which, as_json: bool, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let notes = notes(&reader_for(which, env)?, which)?;
    if let Some(remark) = &notes.remark {
        ui.say(ui.paragraph(remark));
    }
    if as_json {
        ui.line(serde_json::to_string_pretty(&notes)?);
        return Ok(Exit::Ok);
    }
    ui.document(&notes.markdown);
    tasks::print(&notes, ui);
    Ok(Exit::Ok)
}

fn state(text: &str) -> Result<(StateKey, String), String> {
    let names = "active=, step=, blocking= or next=";
    let (key, words) = text.split_once('=').ok_or(format!("write {names} followed by the text"))?;
    let key = StateKey::named(key.trim()).ok_or(format!("there is no such line: use {names}"))?;
    Ok((key, words.to_owned()))
}
