//! The gauge, at every event where the person can be told: makes checkpoints that are due and warns the person once per
//! percentage; if several were passed at once, about the most urgent one. The model is not told.
//!
//! A status line gets a count before the transcript has it, and may have recorded the threshold already. Recording a
//! threshold and telling the person are separate, so the next event here still tells it.
//!
//! For a warning the session is folded up to now, so that its snapshot and its handoff are as recent as the warning
//! says.

use std::borrow::Cow;

use super::HookContext;
use crate::choose::head::work;
use crate::choose::{KnownText, Unfinished};
use crate::context::{Gauge, Learned};
use crate::model::entry::{Entry, Part, Place};
use crate::model::event::EventKind;
use crate::ops::catch_up::{CatchUpError, CaughtUp, Depth};
use crate::ops::checkpoint;
use crate::quote::harmless;
use crate::session::{Session, one_line};
use crate::store::{Checkpoint, Gauged};
use crate::text::numbers::rounded;

/// Most characters of the suggested focus for a manual compaction.
const FOCUS: usize = 160;
/// Most characters per item in it.
const ITEM: usize = 60;
/// Most items in it.
const ITEMS: usize = 3;

/// From this many compactions on, a fresh start is better than another one: each summary summarises a summary.
const MANY_COMPACTIONS: u32 = 2;

/// Stores the window that an extension of ours reports: the rows of its client do not tell. If the store is busy, the
/// next event reports it again.
pub(super) fn learn(hook: &mut HookContext) -> Result<(), CatchUpError> {
    let is_rest = matches!(hook.event.kind, EventKind::Prompt | EventKind::TurnEnd);
    let Some((model, window)) = hook.event.window.as_ref().filter(|_| is_rest) else { return Ok(()) };
    let learned = Learned { window: *window, model: (hook.client.model_key)(model) };
    let id = &hook.event.session;
    if hook.store.gauged(id)?.and_then(|gauged| gauged.learned).as_ref() == Some(&learned) {
        return Ok(());
    }
    match hook.store.learn_window(id, &learned, hook.now) {
        Err(error) if !error.is_busy() => Err(error.into()),
        _ => Ok(()),
    }
}

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
    let gauge = hook.gauge(&gauged)?;
    let due = settings.plan.due(&gauge, &gauged.reached);
    if let Some(checkpoint) = checkpoint::at(&due, &gauged, &gauge, hook.now) {
        hook.store.reach(id, &due, &checkpoint)?;
    }
    let Some(percent) = settings.plan.to_tell(&gauge, &gauged.reached) else { return Ok(None) };
    if !(hook.client.shows_line)(hook.event) {
        return Ok(None);
    }
    let left = left(&gauge, &gauged, hook.store.latest_checkpoint(id)?);
    let session = folded(hook, caught)?;
    let is_first = hook.store.claim_telling(id, gauged.tally.compactions, percent)?;
    let message = is_first.then(|| {
        let suggested = suggestion(hook, &gauged, &with_last_words(hook, &session)).unwrap_or_default();
        message(left, gauge.is_never_compacted(), &suggested)
    });
    caught.session = Some(session);
    Ok(message)
}

/// The gauge, if it may have moved.
fn moved(hook: &HookContext, caught: &mut CaughtUp) -> Result<Option<Gauged>, CatchUpError> {
    match caught.gauged.take() {
        Some(moved) => Ok(Some(moved)),
        // Reading the limit takes a file, for which a tick without a new count has no time: the next count comes soon.
        None if hook.client.compaction_limit.is_some() && hook.event.kind == EventKind::Tools => Ok(None),
        // A pass of another event, at which the person cannot be told, may have moved the gauge, or the status line may
        // have recorded a threshold.
        None => Ok(hook.store.gauged(&hook.event.session)?),
    }
}

/// Tokens left: the minimum of the gauge and the latest checkpoint since the compaction.
fn left(gauge: &Gauge, gauged: &Gauged, latest: Option<Checkpoint>) -> Option<u64> {
    let latest = latest.filter(|point| point.compaction == gauged.tally.compactions);
    gauge.left().into_iter().chain(latest.and_then(|point| point.left)).min()
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

/// What the person reads: how full the context is, that nothing is lost, and what they could do.
fn message(left: Option<u64>, is_never_compacted: bool, suggested: &str) -> String {
    let left = left.filter(|left| *left > 0).map(|left| format!("about {} tokens until", rounded(left)));
    let left = match (left, is_never_compacted) {
        (None, false) => "the compaction is due".to_owned(),
        (Some(left), false) => format!("{left} compaction"),
        (None, true) => "the context is full (automatic compaction is off)".to_owned(),
        (Some(left), true) => format!("{left} the context is full (automatic compaction is off)"),
    };
    format!("catchword: {left}; state is saved.{suggested}")
}

/// A fresh start if nothing is in flight, or if the context is a summary of summaries and the brief is passed on;
/// otherwise a compaction with a focus.
fn suggestion(hook: &HookContext, gauged: &Gauged, session: &Session) -> Option<String> {
    let phrases = &hook.client.phrases;
    if let Some(clear) = phrases.clear {
        // At a prompt, the person has just asked for something.
        if hook.event.kind != EventKind::Prompt && !is_open(session) {
            return Some(format!(" Suggested: {clear} (nothing is open)"));
        }
        if gauged.tally.compactions >= MANY_COMPACTIONS && hook.settings.offer_within.is_some() {
            let times = gauged.tally.compactions;
            return Some(format!(" Suggested: {clear} (compacted {times} times; the brief comes along)"));
        }
    }
    // A client whose summariser reads no hook takes no words with the command either.
    focus(session)
        .filter(|_| hook.client.guide.is_some())
        .map(|focus| format!(" Suggested: {} focus on {focus}", phrases.compact))
}

/// Clients write the row of the last answer a moment after this event: without it the agent would seem to be at work, and
/// what it asks or leaves open would be missed.
fn with_last_words<'a>(hook: &HookContext, session: &'a Session) -> Cow<'a, Session> {
    if hook.event.kind != EventKind::TurnEnd || session.waiting {
        return Cow::Borrowed(session);
    }
    let words = hook.event.last_words.as_deref().map(|words| Part::Text(hook.mask.text(words).into_owned()));
    let parts = words.into_iter().chain([Part::TurnEnd]).collect();
    let mut ended = session.clone();
    ended.apply(&Entry { place: Place(u32::MAX), parts, ..Entry::default() });
    Cow::Owned(ended)
}

/// Whether any work is open. Uncommitted changes count, as they do at the next start.
fn is_open(session: &Session) -> bool {
    let changed = session.files.iter().any(|(_, file)| file.is_changed());
    let is_told = || !work::facts(session, &KnownText::default()).is_empty();
    changed || Unfinished::of(session, None).is_in_flight() || is_told()
}

/// The open work in a few words, or else the last request.
fn focus(session: &Session) -> Option<String> {
    let line = |text: &str| one_line(&harmless(text), ITEM);
    let facts = work::facts(session, &KnownText::default());
    let mut items: Vec<String> = facts.iter().take(ITEMS).map(|fact| line(&fact.key)).collect();
    if items.is_empty() {
        let asked = session.asked().iter().rev().find(|prompt| !prompt.reads.is_reply);
        items.extend(asked.map(|prompt| line(&session.text_of(prompt))));
    }
    let focus = one_line(&items.join("; "), FOCUS);
    (!focus.is_empty()).then_some(focus)
}
