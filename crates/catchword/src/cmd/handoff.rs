//! `catchword handoff`: the session as a document, or its important messages.

mod replay;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use catchword_engine::clients::{CLIENTS, Client};
use catchword_engine::facts::WorkspaceState;
use catchword_engine::facts::{Unfinished, WorkTree};
use catchword_engine::model::event::HookEvent;
use catchword_engine::model::note::Note;
use catchword_engine::ops::handoff::{
    self as ops, DEFAULT_BUDGET, END, Handoff, HandoffContext, HandoffTime, MARK, SMALLEST,
};
use catchword_engine::ops::record::{RecordLines, TranscriptLines};
use catchword_engine::session::Session;
use catchword_engine::store::Store;
use catchword_engine::text::numbers::grouped;
use serde::Serialize;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::files::Access;
use crate::app::sessions::{ChosenSession, present, say_where_from};
use crate::app::{git, handoff, host};
use crate::ui::Ui;
use crate::ui::exit::Exit;

fn examples() -> String {
    let pipes = CLIENTS
        .iter()
        .map(|client| format!("\n  catchword handoff 0a1b --replay | {}", client.setup.program));
    let pipes: String = pipes.collect();
    format!("Examples:\n  catchword handoff --short\n  catchword handoff --write HANDOFF.md{pipes}")
}

/// Print or write the session as a document for whoever takes over
///
/// WHY, WHAT, HOW, CONTINUE BY and how to resume, quoted from the transcript. One is also written automatically after a
/// compaction, when you are told how far off the next one is, and at the end of a session: HANDOFF-<session>.md in the data
/// directory, or in the folder that `handoff.dir` in the settings names. Each replaces the one before.
///
/// --replay prints the session's important messages instead, to paste or pipe into a new one: requests, your answers, what
/// the agent decided and reported, and what it did in a line each with the outcome. The goal is always included; of the
/// rest, the newest. Secrets are masked. If the client has deleted the transcript, its backup is read.
#[derive(clap::Args)]
#[command(after_help = examples())]
pub struct Args {
    /// A recorded session, by the start of its id [default: the latest of this folder]
    #[arg(value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Any transcript file instead of a recorded session
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Write it to PATH, or to its usual place, instead of printing it
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "")]
    write: Option<OsString>,
    /// Most characters: 4,000 to 12,000 for a handoff, from 1,000 for a replay [default: 12,000]
    #[arg(long, value_name = "CHARACTERS")]
    budget: Option<usize>,
    /// A few lines for each of the four headings, at most 650 tokens
    #[arg(long, conflicts_with = "budget")]
    short: bool,
    /// The important messages, for a new session to read
    #[arg(long, conflicts_with_all = ["short", "write"])]
    replay: bool,
    /// With --replay, only what came before the session's Nth compaction
    #[arg(long, value_name = "N", requires = "replay")]
    at: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints or writes the document.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if args.replay {
        return replay::run(args, env, ui);
    }
    let found = find(args, env, ui)?;
    let asked = args.budget.unwrap_or(DEFAULT_BUDGET);
    let used = asked.clamp(SMALLEST, DEFAULT_BUDGET);
    if used != asked {
        let [least, most, used] = [SMALLEST, DEFAULT_BUDGET, used].map(|n| grouped(n as u64));
        ui.say(format!("A handoff has {least} to {most} characters: using {used}."));
    }
    let about = HandoffContext {
        session: &found.id,
        transcript: Some(&found.transcript),
        resume: &(found.client.phrases.resume)(&found.id),
        moment: HandoffTime::Asked,
        now: env.now(),
    };
    let workspace =
        WorkspaceState { tree: found.tree.clone(), notes: found.notes.clone(), ..WorkspaceState::default() };
    let text = if args.short {
        ops::short(&found.session, &about, &workspace)
    } else {
        ops::document(&found.session, &about, &workspace, used)
    };
    let written = args.write.as_deref().map(|path| write(Path::new(path), &found, &text, env)).transpose()?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&found, written.as_deref(), &text))?);
    } else if let Some(path) = written {
        ui.say(format!("Written to {}", env.show(&path)));
    } else {
        ui.document(&readable(&text, ui));
    }
    Ok(Exit::Ok)
}

/// The document; without its marks on a terminal, where only a person reads it.
fn readable(text: &str, ui: &Ui) -> String {
    let is_mark = |line: &str| ui.is_terminal() && (line.starts_with(MARK) || line == END);
    text.trim_end().lines().filter(|line| !is_mark(line)).collect::<Vec<_>>().join("\n")
}

/// The chosen session.
struct HandoffSession {
    client: &'static Client,
    id: String,
    transcript: PathBuf,
    project: Option<PathBuf>,
    session: Session,
    tree: Option<WorkTree>,
    notes: Vec<Note>,
}

fn find(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<HandoffSession> {
    let is_now = args.transcript.is_none();
    let chosen = match &args.transcript {
        Some(path) => ChosenSession {
            id: name_of(path)?,
            client: TranscriptLines::of_file(path).client,
            transcript: path.clone(),
            cwd: None,
        },
        None => present(args.session.as_deref(), env)?,
    };
    let session =
        read(&chosen, env, ui).with_context(|| format!("cannot read {}", chosen.transcript.display()))?;
    let ChosenSession { id, client, transcript, .. } = chosen;
    anyhow::ensure!(session.entries > 0, "{} holds no conversation yet", transcript.display());
    let cwd = session.cwd.clone().map(PathBuf::from);
    let tree = cwd.as_deref().filter(|_| is_now).and_then(|folder| git::look(folder, env));
    let project = cwd.filter(|c| c.is_dir()).map(|cwd| host::project(env, &cwd).root);
    let store = if is_now { open(env)? } else { None };
    let notes = store.map(|store| store.notes(&id)).transpose()?.unwrap_or_default();
    Ok(HandoffSession { client, id, transcript, project, session, tree, notes })
}

/// A transcript is named after its session.
fn name_of(path: &Path) -> anyhow::Result<String> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let event = HookEvent { session: name, ..HookEvent::default() };
    anyhow::ensure!(
        event.names_a_session(),
        "{} is not named after a session: transcripts are called <session>.jsonl",
        path.display()
    );
    Ok(event.session)
}

/// If the transcript is gone, reads its backup, or else the snapshot in the store.
fn read(chosen: &ChosenSession, env: &Env, ui: &Ui) -> anyhow::Result<Session> {
    let (id, client) = (&chosen.id, chosen.client);
    let record = chosen.find(env)?;
    if let Some(record) = &record {
        say_where_from(record, env, ui);
    }
    let file = || TranscriptLines { client, lines: RecordLines::File(chosen.transcript.clone()) };
    match record.unwrap_or_else(file).fold(&env.mask, None) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let store = open(env)?;
            let kept = store.map(|store| store.snapshot(id)).transpose()?.flatten();
            kept.map(|(_, session)| session).ok_or_else(|| error.into())
        }
        other => Ok(other?),
    }
}

fn open(env: &Env) -> anyhow::Result<Option<Store>> {
    let Some(folder) = env.data_dir.as_deref() else { return Ok(None) };
    Ok(Store::open_existing(folder, Duration::from_secs(2))?)
}

/// Writes to `path`, or to the folder for handoffs if it is empty.
fn write(path: &Path, found: &HandoffSession, text: &str, env: &Env) -> anyhow::Result<PathBuf> {
    if !path.as_os_str().is_empty() {
        let path = env.cwd.join(path);
        handoff::write(&path, text, Access::Usual).map_err(anyhow::Error::msg)?;
        return Ok(path);
    }
    let document =
        Handoff { session: found.id.clone(), project: found.project.clone(), text: text.to_owned() };
    let path = handoff::put(env, &Config::load(env), &document).map_err(anyhow::Error::msg)?;
    if let Some(mut store) = open(env)? {
        store.handoff_written(&found.id, &path)?;
    }
    Ok(path)
}

#[derive(Serialize)]
struct HandoffView<'a> {
    session: &'a str,
    transcript: &'a Path,
    project: Option<&'a Path>,
    written: Option<&'a Path>,
    unfinished: UnfinishedView,
    characters: usize,
    text: &'a str,
}

#[derive(Serialize)]
struct UnfinishedView {
    tasks: usize,
    failing: Vec<String>,
    broken_off: bool,
    asks: bool,
    uncommitted: usize,
}

fn view<'a>(found: &'a HandoffSession, written: Option<&'a Path>, text: &'a str) -> HandoffView<'a> {
    let left = Unfinished::of(&found.session, found.tree.as_ref());
    HandoffView {
        session: &found.id,
        transcript: &found.transcript,
        project: found.project.as_deref(),
        written,
        unfinished: UnfinishedView {
            tasks: left.tasks,
            failing: left.failing,
            broken_off: left.broken_off,
            asks: left.asks,
            uncommitted: left.uncommitted,
        },
        characters: text.chars().count(),
        text,
    }
}
