//! The databases when something is wrong with them, and the state of a session's workspace.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use catchword_engine::archive::history::History;
use catchword_engine::choose::WorkspaceState;
use catchword_engine::clients::Client;
use catchword_engine::ops::active;
use catchword_engine::ops::index::IndexError;
use catchword_engine::ops::read::ReadError;
use catchword_engine::session::Session;
use catchword_engine::session::active::Current;
use catchword_engine::store::{self, Store, StoreError};

use super::config::Config;
use super::env::Env;
use super::workspace::commands::Finder;
use super::workspace::project;
use super::{git, log};
use crate::ui::Ui;

/// How long to wait for another process that writes.
pub const LOCK_WAIT: Duration = Duration::from_secs(2);

/// Sets a store of an older version aside, as the next hook would, and says so: nothing in it can be shown.
pub fn renew_store(env: &Env, ui: &Ui) -> anyhow::Result<()> {
    let Some(folder) = env.data_dir.as_deref() else { return Ok(()) };
    if let Err(StoreError::Outdated { .. }) = Store::open_existing(folder, LOCK_WAIT)
        && let Some(why) = Store::open(folder, env.now(), LOCK_WAIT)?.replaced()
    {
        log::problem(env, why);
        ui.say(ui.paragraph(&format!("catchword: {why}. Notes stay in the old file.")));
    }
    Ok(())
}

/// Whether a command failed because a database is damaged.
pub fn is_damage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let found = cause.downcast_ref::<StoreError>();
        let found = found.or_else(|| match cause.downcast_ref::<IndexError>() {
            Some(IndexError::Store(error)) => Some(error),
            _ => None,
        });
        let found = found.or_else(|| match cause.downcast_ref::<ReadError>() {
            Some(ReadError::Store(error)) => Some(error),
            _ => None,
        });
        found.is_some_and(StoreError::is_damage)
    })
}

/// Whether a command failed because something could not be written, as on a full disk.
pub fn is_failed_write(error: &anyhow::Error) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    error.chain().any(|cause| {
        let file = cause.downcast_ref::<std::io::Error>();
        file.is_some_and(|error| matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge))
            || store::is_failed_write(cause)
    })
}

/// Sets a damaged history aside; returns whether it was the history. A damaged store is left to the next hook, which
/// fills a new one.
pub fn set_history_aside(env: &Env) -> anyhow::Result<bool> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let store = Store::open_existing(folder, LOCK_WAIT);
    let words = store.and_then(|store| store.as_ref().map(Store::check).transpose());
    if !words.is_ok_and(|words| words.is_none_or(|words| words == "ok")) {
        return Ok(false);
    }
    History::set_aside(folder, env.now())?;
    log::problem(env, "history.db is damaged; it was set aside and is rebuilt from the transcripts");
    Ok(true)
}

/// The current state of a recorded session's workspace.
pub fn workspace_state(
    store: Option<&Store>,
    client: &Client,
    id: &str,
    session: &Session,
    config: &Config,
    env: &Env,
) -> Result<WorkspaceState, StoreError> {
    let folder = session.cwd.as_deref().map(Path::new);
    let finder = Finder::new(client, config, env);
    let look = |folder: &Path, current: &Current| finder.look(folder, current);
    let (active, notes) = match store {
        Some(store) => (active::now(store, &client.commands, id, session, &look)?, store.notes(id)?),
        None => (active::joined(&client.commands, session, &[], None, &look), Vec::new()),
    };
    Ok(WorkspaceState {
        id: Some(id.to_owned()),
        tree: folder.and_then(|folder| git::look(folder, env)),
        active: Some(active),
        project: folder.map(|folder| project::look(config, folder, session, env)).unwrap_or_default(),
        notes,
        announce: config.announce,
    })
}
