//! Stores a note for a session, for `catchword note` and the server's `note`.

use std::time::Duration;

use anyhow::{Context, bail};
use catchword_engine::archive::history::History;
use catchword_engine::model::note::{Author, Note, StateKey};
use catchword_engine::store::Store;

use super::env::Env;
use super::privacy::LeaveOutRules;
use super::sessions::LOCK_WAIT;
use super::transcripts;

/// Stores notes for a session, unless the session is forgotten or excluded.
pub fn keep(
    session: &str,
    notes: &[(Option<StateKey>, &str)],
    author: Author,
    env: &Env,
) -> anyhow::Result<()> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let transcript = transcripts::of_session(session, env).map(|(_, path)| path);
    if LeaveOutRules::load(env).holds(session, Some(&env.cwd), transcript.as_deref()) {
        bail!(
            "nothing of this session is kept: it was forgotten, or privacy.leave_out in config.toml names this folder"
        );
    }
    let mut store = Store::open(folder, env.now(), LOCK_WAIT)?;
    for (state, text) in notes {
        let text = env.mask.text(text.trim()).into_owned();
        store.add_note(session, &Note { at: env.now(), author, state: *state, text })?;
    }
    make_searchable(session, &store, env, LOCK_WAIT);
    Ok(())
}

/// Makes the notes of a session searchable immediately. If this fails, the end of the turn does it.
pub fn make_searchable(session: &str, store: &Store, env: &Env, patience: Duration) {
    let Some(folder) = env.data_dir.as_deref() else { return };
    if let Ok(Some(mut history)) = History::open_existing(folder, patience) {
        let _ = store.numbered_notes(session).and_then(|notes| history.take_notes(session, &notes));
    }
}
