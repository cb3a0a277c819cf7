//! Decides when a session is backed up (at its end, and at the end of the first turn or subagent after a compaction; a
//! subagent when it ends) and which files belong to it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catchword_engine::archive::backup::{BackupError, BackupList, Backups, Original};
use catchword_engine::archive::history::{History, TranscriptOwner};
use catchword_engine::clients::Client;
use catchword_engine::model::event::{EventKind, HookEvent};
use catchword_engine::ops::index;
use catchword_engine::ops::rows;
use catchword_engine::store::{Store, StoredCompaction};
use catchword_engine::transcript;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::host;

/// Time a hook may spend on it: some 25 MB of transcript. The next hook continues.
const TIME: Duration = Duration::from_millis(400);
/// Pause between two attempts to get the lock.
const PAUSE: Duration = Duration::from_millis(5);
const MAX_SUBAGENTS: usize = 500;

/// Backs up the session of an event that calls for it, until `deadline`.
pub fn after(
    env: &Env,
    store: &Store,
    config: &Config,
    event: &HookEvent,
    deadline: Instant,
) -> Result<(), BackupError> {
    let is_subagent = event.kind == EventKind::SubagentEnd;
    let is_end = matches!(event.kind, EventKind::End(_));
    if !is_subagent && !is_end && event.kind != EventKind::TurnEnd {
        return Ok(());
    }
    // Most sessions are never compacted; for them a turn costs only this query.
    let compacted = if is_end { None } else { store.last_compacted(&event.session).ok().flatten() };
    let Some(data) = env.data_dir.as_deref().filter(|_| is_subagent || is_end || compacted.is_some()) else {
        return Ok(());
    };
    // A subagent's hooks load no settings.
    let settings = is_subagent.then(|| Config::load(env));
    let config = settings.as_ref().unwrap_or(config);
    if !config.backup.on {
        return Ok(());
    }
    let backups = Backups::at(data);
    let mut files: Vec<(TranscriptOwner, PathBuf)> = Vec::new();
    let mut add = |(thread, path): (TranscriptOwner, &Path)| files.push((thread, path.to_owned()));
    if let (Some(file), true) = (ended(event), is_subagent) {
        add(file);
    }
    if let Some(file) = conversation(event) {
        let is_due = match compacted {
            Some(compacted) => backups.find(&file.0)?.is_none_or(|kept| !is_in(&compacted, &kept)),
            None => is_end,
        };
        if is_due {
            add(file);
        }
    }
    if files.is_empty() {
        return Ok(());
    }
    let own = Instant::now() + TIME;
    let deadline = if is_subagent { own } else { own.min(deadline) };
    let in_time = || Instant::now() < deadline;
    // After the end of a session there is no next hook.
    let waits = || is_end && in_time();
    let lock = loop {
        match backups.lock(false) {
            Err(BackupError::Busy) if waits() => std::thread::sleep(PAUSE),
            // The other process may be backing up this very transcript; if not, the next hook does.
            Err(BackupError::Busy) => return Ok(()),
            other => break other?,
        }
    };
    let project = event.cwd.as_deref().map(|cwd| host::project(env, cwd).root);
    if !is_subagent {
        // Only subagents that hooks reported: no directory is walked here.
        let history = History::open_existing(data, Duration::ZERO).ok().flatten();
        let subagents =
            history.and_then(|history| history.subagents(&event.session).ok()).unwrap_or_default();
        let there = subagents.into_iter().filter(|source| transcript::is_there(&source.path));
        files.extend(there.map(|source| (source.thread, source.path)));
    }
    for (thread, path) in files {
        if !in_time() {
            return Ok(());
        }
        let is_left_out = |line: &[u8]| rows::is_line_left_out(&env.mask, line);
        let original = Original {
            thread: &thread,
            path: &path,
            project: project.as_deref(),
            mask: &env.mask,
            is_left_out: &is_left_out,
        };
        backups.take(&lock, &original, env.now(), &in_time)?;
    }
    if is_end && in_time() && backups.is_prune_due(env.now()) {
        backups.prune(&lock, &config.backup.limits, project.as_deref(), env.now())?;
    }
    Ok(())
}

/// Whether a backup contains a compaction. An incomplete one may be as recent without reaching that far.
fn is_in(compacted: &StoredCompaction, kept: &BackupList) -> bool {
    kept.at >= compacted.at && kept.lines() >= compacted.line
}

/// The owner and path of the transcript that an event is about: the conversation's, or that of the subagent that ended.
pub fn ended(event: &HookEvent) -> Option<(TranscriptOwner, &Path)> {
    let path = match &event.subagent {
        Some(_) => event.subagent_transcript.as_deref(),
        None => event.transcript.as_deref(),
    };
    let path = path.filter(|path| path.is_absolute() && transcript::is_there(path))?;
    let thread = TranscriptOwner {
        session: event.session.clone(),
        subagent: event.subagent.clone().unwrap_or_default(),
    };
    Some((thread, path))
}

/// The transcript of the main conversation, even if the event is the end of a subagent.
pub fn conversation(event: &HookEvent) -> Option<(TranscriptOwner, &Path)> {
    let path = event.transcript.as_deref().filter(|path| path.is_absolute() && transcript::is_there(path))?;
    Some((TranscriptOwner { session: event.session.clone(), subagent: String::new() }, path))
}

/// The transcripts of a session's subagents, in a folder beside its own.
pub fn subagents_of(client: &Client, session: &str, transcript: &Path) -> Vec<(TranscriptOwner, PathBuf)> {
    let Some(folder) = client.transcripts.subagents_of(transcript) else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.take(MAX_SUBAGENTS).flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl") && path.is_file());
    paths.sort();
    let of = |path: PathBuf| Some((index::thread_of(client, &path).ok()?, path));
    paths.into_iter().filter_map(of).filter(|(thread, _)| thread.session == session).collect()
}
