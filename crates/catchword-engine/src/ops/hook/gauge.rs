//! The gauge, at every event where the person can be told: makes checkpoints that are due and warns the person once per
//! percentage; if several were passed at once, of the most urgent one. The model is not told.
//!
//! For a warning the session is folded up to now, so that its snapshot and its handoff are as recent as the warning
//! says.

use super::HookContext;
use crate::clients::Client;
use crate::context::Gauge;
use crate::facts::{KnownText, work};
use crate::model::event::EventKind;
use crate::ops::catch_up::{CatchUpError, CaughtUp, Depth};
use crate::ops::checkpoint;
use crate::session::{Session, one_line};
use crate::store::Gauged;
use crate::text::numbers::rounded;
use crate::text::quote::harmless;
use crate::text::reply::is_reply;

/// Most characters of the suggested focus for a manual compaction.
const FOCUS: usize = 160;
/// Most characters per item in it.
const ITEM: usize = 60;
/// Most items in it.
const ITEMS: usize = 3;

/// The warning that is due. If the store is busy, the next event gives it.
pub(super) fn warning(hook: &mut HookContext, caught: &mut CaughtUp) -> Result<Option<String>, CatchUpError> {
    let is_heard = matches!(hook.event.kind, EventKind::Prompt | EventKind::Tools | EventKind::TurnEnd);
    // If the transcript was not read to its end, the gauge is long out of date.
    if !is_heard || caught.failed.is_some() {
        return Ok(None);
    }
    match after_pass(hook, caught) {
        Err(error) if !error.is_damage() => {
            caught.failed.get_or_insert(error);
            Ok(None)
        }
        other => other,
    }
}

fn after_pass(hook: &mut HookContext, caught: &mut CaughtUp) -> Result<Option<String>, CatchUpError> {
    let (id, settings) = (&hook.event.session, hook.settings);
    let Some(gauged) = moved(hook, caught)?.filter(|gauged| gauged.tally.used.is_some()) else {
        return Ok(None);
    };
    let gauge = checkpoint::read(Some(hook.store), hook.client, &gauged, None, &settings.limits)?;
    let due = settings.plan.due(&gauge, &gauged.reached);
    if let Some(checkpoint) = checkpoint::at(&due, &gauged, &gauge, hook.now) {
        hook.store.reach(id, &due, &checkpoint)?;
    }
    let Some(percent) = settings.plan.to_tell(&gauge, &gauged.reached) else { return Ok(None) };
    let session = folded(hook, caught)?;
    let is_first = hook.store.claim_telling(id, gauged.tally.compactions, percent)?;
    let message = is_first.then(|| message(hook.client, &gauge, &session));
    caught.session = Some(session);
    Ok(message)
}

/// The gauge, if it may have moved.
fn moved(hook: &HookContext, caught: &mut CaughtUp) -> Result<Option<Gauged>, CatchUpError> {
    match caught.gauged.take() {
        Some(moved) => Ok(Some(moved)),
        // A pass of another event, at which the person cannot be told, may have moved the gauge. Most ticks come with
        // an answer; for the others it is enough to check once or twice a turn.
        None if hook.event.kind != EventKind::Tools => Ok(hook.store.gauged(&hook.event.session)?),
        None => Ok(None),
    }
}

/// The session up to now: the one at hand, or from store and transcript, including rows that came meanwhile. Fails if
/// it is not read to its end: a checkpoint of it would be long out of date.
fn folded(hook: &mut HookContext, caught: &mut CaughtUp) -> Result<Session, CatchUpError> {
    if let Some(session) = caught.session.take() {
        return Ok(session);
    }
    let more = hook.catch_up(Depth::Fold)?;
    caught.problems.extend(more.problems);
    match more.failed {
        Some(failed) => Err(failed),
        None => Ok(more.session.unwrap_or_default()),
    }
}

/// What the person reads: how full the context is, that nothing is lost, and what a manual compaction could focus on.
fn message(client: &Client, gauge: &Gauge, session: &Session) -> String {
    let left =
        gauge.left().filter(|left| *left > 0).map(|left| format!("about {} tokens until", rounded(left)));
    let left = match (left, gauge.is_never_compacted()) {
        (None, false) => "the compaction is due".to_owned(),
        (Some(left), false) => format!("{left} compaction"),
        (None, true) => "the context is full (automatic compaction is off)".to_owned(),
        (Some(left), true) => format!("{left} the context is full (automatic compaction is off)"),
    };
    let suggested =
        // A client whose summariser reads no hook takes no words with the command either.
        focus(session).filter(|_| client.reads_guide).map(|focus| format!(" Suggested: {} focus on {focus}", client.phrases.compact));
    format!("catchword: {left}; state is saved.{}", suggested.unwrap_or_default())
}

/// The open work in a few words, or else the last request.
fn focus(session: &Session) -> Option<String> {
    let line = |text: &str| one_line(&harmless(text), ITEM);
    let facts = work::facts(session, &KnownText::default());
    let mut items: Vec<String> = facts.iter().take(ITEMS).map(|fact| line(&fact.key)).collect();
    if items.is_empty() {
        let asked = session.asked().iter().rev().find(|prompt| !is_reply(&prompt.text));
        items.extend(asked.map(|prompt| line(&prompt.text)));
    }
    let focus = one_line(&items.join("; "), FOCUS);
    (!focus.is_empty()).then_some(focus)
}
