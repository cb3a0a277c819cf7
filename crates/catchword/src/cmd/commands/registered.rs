//! `catchword commands add` and `remove`: commands in force that the transcript does not show.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use catchword_engine::clients::CLIENTS;
use catchword_engine::ops::history;
use catchword_engine::ops::read::commands::commands;
use catchword_engine::ops::read::{ChosenSession, ReadError, Reader, Which};
use catchword_engine::session::active::{Registered, bare};
use catchword_engine::store::Store;

use crate::app::env::Env;
use crate::app::read::reader;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Register a command or skill as active, so that it survives compactions
///
/// Slash commands and skills that were called in the session are active anyway. This is for those the agent took up
/// in another way, such as by reading their file. It ends with the session, or with `catchword commands remove`.
#[derive(clap::Args)]
pub struct Add {
    /// Its name, as it would be called: tdd, git:ship, plugin:name
    name: String,
    /// Its arguments
    args: Vec<String>,
    /// Another session, by the start of its id [default: this shell's, or the latest of this folder]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// End a command or skill: it is no longer carried over
#[derive(clap::Args)]
pub struct Remove {
    /// Its name, as it would be called: tdd, git:ship, plugin:name
    name: String,
    /// Another session, by the start of its id [default: this shell's, or the latest of this folder]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// Registers a command.
pub fn add(args: &Add, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let reader = reader(env)?;
    let session = chosen(&reader, args.session.as_deref())?;
    register(&session, &args.name, &args.args.join(" "), true, env)?;
    let name = bare(&args.name);
    let active = commands(&reader, Which::of(args.session.as_deref(), None)).map(|found| found.commands);
    let active = active.unwrap_or_default();
    let file = active.iter().find(|used| used.name == name).and_then(|used| used.file.as_deref());
    ui.line(match file {
        Some(file) => format!("Active: /{name}, from {file}."),
        None => format!("Active: /{name}. No file of that name was found; its name is carried over."),
    });
    ui.line("`catchword commands` shows what it would carry over.");
    Ok(Exit::Ok)
}

/// Unregisters a command.
pub fn remove(args: &Remove, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let reader = reader(env)?;
    let session = chosen(&reader, args.session.as_deref())?;
    let name = bare(&args.name);
    let was = commands(&reader, Which::of(args.session.as_deref(), None)).map(|found| found.commands);
    register(&session, &args.name, "", false, env)?;
    ui.line(if was.unwrap_or_default().iter().any(|used| used.name == name) {
        format!("Ended: /{name} is no longer carried over.")
    } else {
        format!("/{name} was not active; `catchword commands` lists what is.")
    });
    Ok(Exit::Ok)
}

/// The session that is named, or this shell's: in its very first call it has no transcript yet, and nothing else is meant.
fn chosen(reader: &Reader, named: Option<&str>) -> anyhow::Result<ChosenSession> {
    let found = reader.choose(Which::of(named, None));
    let (own, None, Err(ReadError::NoSuchSession(_))) = (&reader.own, named, &found) else {
        return Ok(found?);
    };
    let id = own.clone().unwrap_or_default();
    // Only the form of a command's name depends on it.
    let client = &CLIENTS[0];
    Ok(ChosenSession { id, client, transcript: PathBuf::new(), cwd: None, is_file: false, is_own: true })
}

fn register(session: &ChosenSession, name: &str, args: &str, on: bool, env: &Env) -> anyhow::Result<()> {
    let name = bare(name).to_owned();
    let sound = !(session.client.commands.files)(&name).is_empty();
    ensure!(sound, "{name:?} isn't the name of a command: give it as it is called, without a path");
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let line = history::lines(&session.transcript, &env.mask).unwrap_or(0);
    let word = Registered { name, args: env.mask.text(args).into_owned(), on, line };
    let mut store = Store::open(folder, env.now(), Duration::from_secs(2))?;
    Ok(store.register(&session.id, &word, env.now())?)
}
