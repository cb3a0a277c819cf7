//! `catchword handoff`: the session as a document, or its important messages.

mod replay;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use catchword_engine::clients::CLIENTS;
use catchword_engine::model::event::HookEvent;
use catchword_engine::ops::handoff::{DEFAULT_BUDGET, END, Handoff, MARK, SMALLEST};
use catchword_engine::ops::read::Which;
use catchword_engine::ops::read::handoff::{HandoffDocument, HandoffRequest, handoff};
use catchword_engine::store::Store;
use catchword_engine::text::numbers::grouped;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::files::Access;
use crate::app::handoff as files;
use crate::app::read::reader_for;
use crate::app::sessions::LOCK_WAIT;
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
    let asked = args.budget.unwrap_or(DEFAULT_BUDGET);
    let used = asked.clamp(SMALLEST, DEFAULT_BUDGET);
    if used != asked {
        let [least, most, used] = [SMALLEST, DEFAULT_BUDGET, used].map(|n| grouped(n as u64));
        ui.say(format!("A handoff has {least} to {most} characters: using {used}."));
    }
    if let Some(path) = &args.transcript {
        is_named_after_a_session(path)?;
    }
    let which = Which::of(args.session.as_deref(), args.transcript.as_deref());
    let request = HandoffRequest { which, budget: (!args.short).then_some(used) };
    let mut found = handoff(&reader_for(which, env)?, &request)?;
    if let Some(remark) = &found.remark {
        ui.say(ui.paragraph(remark));
    }
    found.written = args.write.as_deref().map(|path| write(Path::new(path), &found, env)).transpose()?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&found)?);
    } else if let Some(path) = found.written {
        ui.say(format!("Written to {}", env.show(&path)));
    } else {
        ui.document(&readable(&found.text, ui));
    }
    Ok(Exit::Ok)
}

/// The document; without its marks on a terminal, where only a person reads it.
fn readable(text: &str, ui: &Ui) -> String {
    let is_mark = |line: &str| ui.is_terminal() && (line.starts_with(MARK) || line == END);
    text.trim_end().lines().filter(|line| !is_mark(line)).collect::<Vec<_>>().join("\n")
}

/// A transcript is named after its session, and a handoff says how to resume that.
fn is_named_after_a_session(path: &Path) -> anyhow::Result<()> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let event = HookEvent { session: name, ..HookEvent::default() };
    anyhow::ensure!(
        event.names_a_session(),
        "{} is not named after a session: transcripts are called <session>.jsonl",
        path.display()
    );
    Ok(())
}

/// Writes to `path`, or to the folder for handoffs if it is empty.
fn write(path: &Path, found: &HandoffDocument, env: &Env) -> anyhow::Result<PathBuf> {
    if !path.as_os_str().is_empty() {
        let path = env.cwd.join(path);
        files::write(&path, &found.text, Access::Usual).map_err(anyhow::Error::msg)?;
        return Ok(path);
    }
    let document = Handoff {
        session: found.session.clone(),
        project: found.project.clone(),
        text: found.text.clone(),
    };
    let path = files::put(env, &Config::load(env), &document).map_err(anyhow::Error::msg)?;
    let store = env.data_dir.as_deref().map(|folder| Store::open_existing(folder, LOCK_WAIT)).transpose()?;
    if let Some(mut store) = store.flatten() {
        store.handoff_written(&found.session, &path)?;
    }
    Ok(path)
}
