//! Opens the databases for a question, and says who asks: a person, or an agent by its tools or in its shell.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use catchword_engine::archive::history::History;
use catchword_engine::clients::Client;
use catchword_engine::model::tokens::ClientLimits;
use catchword_engine::ops::index;
use catchword_engine::ops::read::{Reader, Surroundings, Viewer, Which};
use catchword_engine::session::Session;
use catchword_engine::store::Store;

use super::config::Config;
use super::env::Env;
use super::privacy::LeaveOutRules;
use super::sessions::{LOCK_WAIT, workspace_state};
use super::tree::DiskTree;
use super::{archive, git, host, limits, models, transcripts};

/// How long a question may wait for the history to be brought up to date.
const FRESH_WITHIN: Duration = Duration::from_millis(500);

/// What was recorded, as it is.
pub fn reader(env: &Env) -> anyhow::Result<Reader<'_>> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let store = Store::open_existing(folder, LOCK_WAIT)?;
    let history = History::open_existing(folder, LOCK_WAIT)?;
    let mut reader = closed_reader(env);
    (reader.store, reader.history) = (store, history);
    Ok(reader)
}

/// The same, with what is new since the last turn ended, as far as that is quick. If it fails (another process is writing, the
/// disk is full), what is there can still be asked for.
pub fn fresh_reader(env: &Env) -> anyhow::Result<Reader<'_>> {
    let mut reader = reader(env)?;
    let mut sessions = reader.store.as_ref().map(Store::sessions).transpose()?.unwrap_or_default();
    let left_out = LeaveOutRules::load(env);
    sessions
        .retain(|session| !left_out.holds(&session.id, session.cwd.as_deref(), Some(&session.transcript)));
    if let (None, false, Some(folder)) = (&reader.history, sessions.is_empty(), &env.data_dir) {
        reader.history = History::open(folder, env.now(), LOCK_WAIT).ok();
    }
    if let Some(history) = &mut reader.history {
        // A hook that found a damaged history had no time for it.
        let _ = env.data_dir.as_deref().map(|folder| history.salvage(folder));
        let deadline = Instant::now() + FRESH_WITHIN;
        let in_time = || Instant::now() < deadline;
        let fresh = index::refresh(history, &env.mask, &sessions, &in_time);
        if let (Ok(()), Some(store)) = (fresh, &reader.store) {
            let _ = index::notes(history, store);
        }
    }
    Ok(reader)
}

/// For this session; a file that is named needs no databases.
pub fn reader_for<'a>(which: Which, env: &'a Env) -> anyhow::Result<Reader<'a>> {
    if matches!(which, Which::File(_)) { Ok(closed_reader(env)) } else { reader(env) }
}

/// Without the databases: for files that are named, where there may be no data directory.
fn closed_reader(env: &Env) -> Reader<'_> {
    let mut reader = Reader::new(&env.mask, env.now(), viewer(env), machine(env));
    reader.data.clone_from(&env.data_dir);
    reader.own.clone_from(&env.session);
    reader
}

/// Who asks, for commands that look at files of ours or of a client's themselves.
pub fn viewer(env: &Env) -> Viewer<'static> {
    if !env.in_agent {
        return Viewer::person();
    }
    let left_out = LeaveOutRules::load(env);
    Viewer::agent(Box::new(move |session, folder, transcript| left_out.holds(session, folder, transcript)))
}

fn machine(env: &Env) -> Surroundings<'_> {
    let config = Config::load(env);
    Surroundings {
        folder: env.cwd.clone(),
        budget: config.budget,
        cold_after: config.cold.turns,
        is_alive: Box::new(host::is_alive),
        project: Box::new(|folder| host::project(env, folder)),
        limits: Box::new(|client: &Client, folder: Option<&Path>| {
            let compaction = limits::compaction(env, client, folder);
            ClientLimits { compaction, ..env.of(client).limits }
        }),
        models: Box::new(|client, folder| models::chosen(env, client, folder)),
        workspace: Box::new(move |store, client: &Client, id: &str, session: &Session| {
            workspace_state(store, client, id, session, &config, env)
        }),
        tree: Box::new(|folder| git::look(folder, env)),
        repository: Box::new(|root| Box::new(DiskTree::new(root, env))),
        unrecorded: Box::new(|id| transcripts::of_session(id, env)),
        shown: Box::new(|path| env.show(path)),
        shared: Box::new(|question| archive::ask(env, question)),
        machines: env.data_dir.as_deref().map(archive::machine_names).unwrap_or_default(),
    }
}
