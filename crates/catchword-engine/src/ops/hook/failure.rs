//! A command failed as it failed before, and the record has how it passed then: the agent gets one line.
//!
//! Once per error and session, and at most three times a session. Only proven pairs are told: of this session from the
//! store, because the history is written at the end of a turn, else of the repository from the history's index. Whatever
//! cannot be read tells nothing.

use std::path::Path;

use super::HookContext;
use crate::archive::history::TranscriptOwner;
use crate::archive::history::fixes::StoredFix;
use crate::archive::history::item::MAX_ITEM_BYTES;
use crate::archive::project;
use crate::fixes::{Act, ActRow};
use crate::model::entry::Place;
use crate::model::event::{EventKind, FailedCommand};
use crate::ops::catch_up::{CatchUpError, CaughtUp};
use crate::ops::solved::{SolvedLine, solved};
use crate::reading::outcome::Outcome;
use crate::store::{StoreError, Telling, ToldKind};
use crate::text::cut::shortened;
use crate::text::escape;

/// Lines told in a session.
pub const MOST_TOLD: u32 = 3;
/// Calls after a line within which the command may pass and what was named may be used.
const WATCHED: u32 = 10;
/// Pairs looked at: some may be of a folder that is left out.
const LOOKED_AT: usize = 8;

/// The line; mostly empty.
pub(super) fn line(hook: &mut HookContext, caught: &CaughtUp) -> Result<String, CatchUpError> {
    if !hook.settings.failures || hook.event.kind != EventKind::Tools || caught.cut_short {
        return Ok(String::new());
    }
    match of_latest(hook, caught) {
        Err(error) if error.is_busy() => Ok(String::new()),
        other => Ok(other?),
    }
}

fn of_latest(hook: &mut HookContext, caught: &CaughtUp) -> Result<String, StoreError> {
    // Newest first: what the client passes on is newer than its transcript.
    let mut passed_on: Vec<Act> = hook.event.failed.iter().map(|failed| passed_on(hook, failed)).collect();
    // Its row may have arrived by now, which has its place: as two failures it would be told as the third.
    passed_on.retain(|act| !caught.failures.iter().any(|read| read.signature() == act.signature()));
    for failed in passed_on.iter().rev().chain(caught.failures.iter().rev()) {
        let Some(signature) = failed.signature() else { continue };
        if hook.store.is_told(&hook.event.session, signature, MOST_TOLD)? {
            continue;
        }
        let Some(found) = look(hook, failed, signature)? else { continue };
        let (text, command) = (hook.mask.text(&found.text), failed.command());
        let telling = Telling {
            session: &hook.event.session,
            kind: ToldKind::Failure,
            at: hook.now,
            line: caught.line.0,
            signature: Some(signature),
            command: &command,
            text: &text,
            names: &found.names,
            watch: WATCHED,
        };
        if hook.store.tell_once(&telling, MOST_TOLD)? {
            return Ok(text.into_owned());
        }
    }
    Ok(String::new())
}

/// A command that the client passes on, as its transcript will have it.
fn passed_on(hook: &HookContext, failed: &FailedCommand) -> Act {
    // Behind every row.
    let place = Place(u32::MAX);
    let (typed, answer) = (hook.mask.text(&failed.typed), hook.mask.text(&failed.answer));
    let answer = shortened(escape::without(&answer), MAX_ITEM_BYTES);
    Act::ran(place, place, Some(hook.now), &typed, &Outcome::read(false, None, &answer))
}

fn look(hook: &HookContext, failed: &Act, signature: u64) -> Result<Option<SolvedLine>, StoreError> {
    let session = &hook.event.session;
    let before = if hook.store.has_failed(session, signature, failed.place)? {
        let rows = hook.store.acts(session)?;
        let acts = rows.iter().filter_map(ActRow::act);
        acts.filter(|act| (act.until, act.place) < (failed.until, failed.place)).cloned().collect()
    } else {
        Vec::new()
    };
    let folder = hook.event.cwd.as_deref().map(|folder| folder.to_string_lossy());
    Ok(solved(signature, &before, || of_history(hook, signature), folder.as_deref()))
}

/// The pairs of this repository's other sessions, latest first.
fn of_history(hook: &HookContext, signature: u64) -> Vec<StoredFix> {
    let Ok(Some(history)) = hook.machine.history() else { return Vec::new() };
    let session = &hook.event.session;
    let main = TranscriptOwner { session: session.clone(), subagent: String::new() };
    let recorded = history.source(&main).ok().flatten().and_then(|source| source.project_key);
    let Some(key) = recorded.or_else(|| hook.event.cwd.as_deref().map(project::key)) else {
        return Vec::new();
    };
    let mut found = history.fixes_like(&key, signature, LOOKED_AT).unwrap_or_default();
    found.retain(|one| {
        let is_own = one.session == *session && one.machine.is_empty();
        let folder = one.project.as_deref().map(Path::new);
        !is_own && !hook.machine.is_left_out(&one.session, folder, Some(&one.path))
    });
    found
}
