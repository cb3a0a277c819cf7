//! When backups are made: after a compaction and at the end of a session or a subagent, and which files belong to one.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catchword_engine::agent::Agent;
use catchword_engine::agent::claude_code::setup::SUBAGENTS;
use catchword_engine::agent::event::{EventKind, HookEvent};
use catchword_engine::backup::{BackupError, Backups};
use catchword_engine::history::{History, Thread};
use catchword_engine::ops::index;

use crate::config::Config;
use crate::env::Env;
use crate::host;

/// How long a hook may take for it: some 25 MB of transcript. What is left comes with the next one.
const TIME: Duration = Duration::from_millis(400);
/// Between two looks at a lock that another process holds.
const PAUSE: Duration = Duration::from_millis(5);
/// Subagents' transcripts that are looked at.
const MOST_SUBAGENTS: usize = 500;

/// Backs up the session of an event, where it is one of those, until `deadline`.
pub fn after(env: &Env, config: &Config, event: &HookEvent, deadline: Instant) -> Result<(), BackupError> {
    let is_subagent = event.kind == EventKind::SubagentEnd;
    let is_moment =
        is_subagent || matches!(event.kind, EventKind::End(_) | EventKind::AfterCompaction { .. });
    if !is_moment {
        return Ok(());
    }
    let (Some((thread, path)), Some(data)) = (ended(event), env.data_dir.as_deref()) else { return Ok(()) };
    // The settings are not read for a subagent's other hooks.
    let settings = is_subagent.then(|| Config::load(env).0);
    let config = settings.as_ref().unwrap_or(config);
    if !config.backup.on {
        return Ok(());
    }
    let backups = Backups::at(data);
    let own = Instant::now() + TIME;
    let deadline = if is_subagent { own } else { own.min(deadline) };
    let go_on = || Instant::now() < deadline;
    // After the end of a session there is no next hook.
    let waits = || matches!(event.kind, EventKind::End(_)) && go_on();
    let lock = loop {
        match backups.lock(false) {
            Err(BackupError::Busy) if waits() => std::thread::sleep(PAUSE),
            // The other one may be at this very transcript; if not, the next hook is.
            Err(BackupError::Busy) => return Ok(()),
            other => break other?,
        }
    };
    let project = event.cwd.as_deref().map(|cwd| host::project(env, cwd).root);
    let mut files = vec![(thread, path.to_owned())];
    if !is_subagent {
        // Those that hooks were told of: no folder is looked through here.
        let history = History::open_existing(data, Duration::ZERO).ok().flatten();
        let subagents =
            history.and_then(|history| history.subagents(&event.session).ok()).unwrap_or_default();
        let there = subagents.into_iter().filter(|source| source.path.is_file());
        files.extend(there.map(|source| (source.thread, source.path)));
    }
    for (thread, path) in files {
        if !go_on() {
            return Ok(());
        }
        backups.take(&lock, &thread, &path, project.as_deref(), env.now(), &go_on)?;
    }
    if matches!(event.kind, EventKind::End(_)) && go_on() && backups.is_prune_due(env.now()) {
        backups.prune(&lock, &config.backup.limits, project.as_deref(), env.now())?;
    }
    Ok(())
}

/// Whose transcript an event speaks of, and where it lies: the conversation's, or that of the subagent that has ended.
pub fn ended(event: &HookEvent) -> Option<(Thread, &Path)> {
    let path = match &event.subagent {
        Some(_) => event.subagent_transcript.as_deref(),
        None => event.transcript.as_deref(),
    };
    let path = path.filter(|path| path.is_absolute() && path.is_file())?;
    let thread =
        Thread { session: event.session.clone(), subagent: event.subagent.clone().unwrap_or_default() };
    Some((thread, path))
}

/// The transcripts of a session's subagents, which lie in a folder beside its own.
pub fn subagents_of(agent: &Agent, session: &str, transcript: &Path) -> Vec<(Thread, PathBuf)> {
    let folder = transcript.with_extension("").join(SUBAGENTS);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.take(MOST_SUBAGENTS).flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl") && path.is_file());
    paths.sort();
    let of = |path: PathBuf| Some((index::thread_of(agent, &path).ok()?, path));
    paths.into_iter().filter_map(of).filter(|(thread, _)| thread.session == session).collect()
}
