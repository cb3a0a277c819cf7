//! Updates the history after the client has its answer.

use std::time::{Duration, Instant};

use catchword_engine::archive::history::History;
use catchword_engine::model::event::{EventKind, HookEvent};
use catchword_engine::ops::index::{self, IndexError};
use catchword_engine::store::{Store, StoreError};

use super::{HookCall, is_tick, time_for_all};
use crate::app::{backup, log, notes};

/// How long the end of a turn may spend on the history, and how long it waits for another process that writes there.
const HISTORY: Duration = Duration::from_millis(400);
const HISTORY_LOCK_WAIT: Duration = Duration::from_millis(200);

/// Indexes the rows of a turn or subagent when it has ended; the client has its answer by then. The end of a subagent
/// also indexes the conversation if it has a compaction that is not in the history yet. If there is no time, or another
/// process is writing, the next turn does it; what a subagent wrote after its end is indexed at the end of the session.
/// A search indexes what is still missing first.
pub(super) fn keep(call: &HookCall, store: &Store) -> Result<(), StoreError> {
    let (env, event) = (call.env, &call.event);
    let Some(folder) = env.data_dir.as_deref() else { return Ok(()) };
    if matches!(event.kind, EventKind::Note { .. }) {
        notes::make_searchable(&event.session, store, env, HISTORY_LOCK_WAIT);
    }
    if !ends_a_turn(event) && event.kind != EventKind::SubagentEnd {
        return Ok(());
    }
    let is_subagent = event.kind == EventKind::SubagentEnd;
    // After a compaction this does not wait for the end of the turn, which may be hours away.
    let compacted = if is_subagent { store.last_compacted(&event.session).ok().flatten() } else { None };
    let waiting = compacted.and_then(|compacted| Some((backup::conversation(event)?, compacted.line)));
    let mut files: Vec<_> = backup::ended(event).into_iter().collect();
    if files.is_empty() && waiting.is_none() {
        return Ok(());
    }
    let deadline = Instant::now() + HISTORY;
    let deadline =
        if is_tick(&event.kind) { deadline } else { deadline.min(call.begun + time_for_all(&event.kind)) };
    let in_time = || Instant::now() < deadline;
    let keep = || {
        let mut history = History::open(folder, env.now(), HISTORY_LOCK_WAIT)?;
        if let Some(why) = history.replaced() {
            log::problem(env, &format!("history: {why}"));
        }
        if let Some(((thread, path), line)) = waiting
            && history.source(&thread)?.is_none_or(|source| source.cursor.line < line)
        {
            files.push((thread, path));
        }
        let mut files: Vec<_> = files.into_iter().map(|(thread, path)| (thread, path.to_owned())).collect();
        if matches!(event.kind, EventKind::End(_)) {
            let subagents = history.subagents(&event.session)?;
            files.extend(subagents.into_iter().map(|source| (source.thread, source.path)));
        }
        for (thread, path) in files {
            match index::transcript(&mut history, env.reader(call.client), &thread, &path, &in_time) {
                Err(IndexError::Store(error)) => return Err(error),
                // The hook's answer has already reported it.
                Err(IndexError::Transcript { .. }) | Ok(_) => {}
            }
        }
        if is_subagent {
            return Ok(());
        }
        history.find_missing_fixes(&in_time)?;
        let notes = store.numbered_notes(&event.session).unwrap_or_default();
        history.take_notes(&event.session, &notes)?;
        history.session_ended(&event.session, matches!(event.kind, EventKind::End(_)).then(|| env.now()))
    };
    match keep() {
        Err(error) if error.is_busy() => Ok(()),
        Err(error) if error.is_damage() => History::set_aside(folder, env.now()).and(Err(error)),
        other => other,
    }
}

fn ends_a_turn(event: &HookEvent) -> bool {
    matches!(event.kind, EventKind::TurnEnd | EventKind::End(_)) && event.subagent.is_none()
}
