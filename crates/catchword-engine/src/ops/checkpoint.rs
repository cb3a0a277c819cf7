//! Checkpoints before a compaction: at the points of the plan the facts are saved, and the person is told.
//!
//! Looked at by every hook at which the person can be told. Most of the time nothing is due; when something is,
//! the session is folded up to now and its brief kept with the point, so that it is there even if the transcript
//! goes. The person hears once of each percentage, of the most urgent one where several were passed at once; the
//! model is not told.

use std::path::Path;

use super::answer::{Surroundings, brief, stored};
use super::catch_up::{CatchUp, CatchUpError, CaughtUp, Depth};
use crate::agent::Agent;
use crate::agent::event::{EventKind, HookEvent};
use crate::extract::requests::is_reply;
use crate::extract::text::harmless;
use crate::extract::{Known, work};
use crate::gauge::{Gauge, Inputs, Limits, Status, Threshold, model_key, short};
use crate::session::{Session, one_line};
use crate::store::{Checkpoint, Gauged, Store, StoreError};

/// Most characters of the suggestion for `/compact`.
const FOCUS: usize = 160;
/// Most characters of one item in it.
const ITEM: usize = 60;
/// Items in it.
const ITEMS: usize = 3;

/// Makes the checkpoints that are due after a hook's pass and gives the line the person should see, if any.
pub fn after_pass(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    caught: &mut CaughtUp,
) -> Result<Option<String>, CatchUpError> {
    // What was not read to its end tells of a moment long past.
    if caught.failed.is_some() {
        return Ok(None);
    }
    let gauged = match caught.gauged.take() {
        Some(moved) => Some(moved),
        // A pass of another event, at which the person cannot be told, may have moved the gauge. Most ticks come with
        // an answer; for the others it is enough to look once or twice a turn.
        None if event.kind != EventKind::Tools => store.gauged(&event.session)?,
        None => None,
    };
    let Some(gauged) = gauged.filter(|gauged| gauged.tally.used.is_some()) else { return Ok(None) };
    let plan = (around.plan)();
    let gauge = read(Some(store), agent, &gauged, None, &around.limits)?;
    let (due, to_tell) = (plan.due(&gauge, &gauged.reached), plan.to_tell(&gauge, &gauged.reached));
    if due.is_empty() && to_tell.is_none() {
        return Ok(None);
    }
    let session = folded(store, agent, event, around, caught)?;
    reached(store, agent, event, around, &Moment { gauged: &gauged, gauge, session: &session }, &due)?;
    let compaction = gauged.tally.compactions;
    let message = match to_tell {
        Some(percent) if store.claim_telling(&event.session, compaction, percent)? => {
            Some(message(&gauge, &session))
        }
        _ => None,
    };
    caught.session = Some(session);
    Ok(message)
}

/// The same from a status line, which hears of a count before the transcript has it; it says nothing itself. Right
/// after a compaction its numbers may still be those of before, and are not believed.
pub fn from_status(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    status: &Status,
    gauged: &Gauged,
) -> Result<(), CatchUpError> {
    if status.used.is_none() || gauged.tally.compacted {
        return Ok(());
    }
    let gauge = read(Some(store), agent, gauged, Some(status), &around.limits)?;
    let due = (around.plan)().due(&gauge, &gauged.reached);
    if due.is_empty() {
        return Ok(());
    }
    let mut caught = CaughtUp::default();
    let session = match folded(store, agent, event, around, &mut caught) {
        // The next call goes on from there.
        Err(CatchUpError::Time(_)) => return Ok(()),
        other => other?,
    };
    reached(store, agent, event, around, &Moment { gauged, gauge, session: &session }, &due)
}

/// A moment at which points were reached.
pub struct Moment<'a> {
    /// What the store knew of the gauge.
    pub gauged: &'a Gauged,
    /// The gauge.
    pub gauge: Gauge,
    /// The session folded up to now.
    pub session: &'a Session,
}

/// Saves the facts of a moment at which `points` were reached. Whatever else belongs to a checkpoint belongs here.
pub fn reached(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    moment: &Moment,
    points: &[Threshold],
) -> Result<(), CatchUpError> {
    let Some(most_urgent) = points.last() else { return Ok(()) };
    let outside = stored(store, agent, &event.session, moment.session)?;
    let checkpoint = Checkpoint {
        compaction: moment.gauged.tally.compactions,
        threshold: most_urgent.to_string(),
        at: around.now,
        line: moment.gauged.tally.place.0,
        used: moment.gauge.used.map(|used| used.tokens),
        left: moment.gauge.left(),
        brief: Some(brief(moment.session, None, &outside, around.budget).text),
    };
    store.reach(&event.session, points, &checkpoint)?;
    Ok(())
}

/// The gauge from what the store knows, the environment and, where it is asked, the status line.
pub fn read(
    store: Option<&Store>,
    agent: &Agent,
    gauged: &Gauged,
    status: Option<&Status>,
    limits: &Limits,
) -> Result<Gauge, StoreError> {
    let model = status.and_then(|s| s.model.as_deref()).or(gauged.tally.model.as_deref());
    let told = status.and_then(|s| s.window).is_some() || gauged.learned.is_some();
    let elsewhere = match (model, store) {
        (Some(model), Some(store)) if !told && (agent.window)(model).is_none() => {
            store.window_of(&model_key(model))?
        }
        _ => None,
    };
    let (tally, learned) = (&gauged.tally, gauged.learned.as_ref());
    Ok(Gauge::read(&Inputs { agent, tally, status, learned, elsewhere, limits }))
}

/// The session up to now: the one at hand, or what the store and the transcript have. Rows that came meanwhile are
/// taken in on the way. One that is not read to its end is none: a checkpoint of it would tell of a moment long past.
fn folded(
    store: &mut Store,
    agent: &Agent,
    event: &HookEvent,
    around: &Surroundings,
    caught: &mut CaughtUp,
) -> Result<Session, CatchUpError> {
    if let Some(session) = caught.session.take() {
        return Ok(session);
    }
    let pass = CatchUp { agent, event, now: around.now, go_on: around.go_on };
    let more = pass.run(store, Depth::Fold)?;
    caught.problems.extend(more.problems);
    match more.failed {
        Some(failed) => Err(failed),
        None => Ok(more.session.unwrap_or_default()),
    }
}

/// What the person reads: how far it is, that nothing is lost, and what a `/compact` of their own could keep.
fn message(gauge: &Gauge, session: &Session) -> String {
    let left =
        gauge.left().filter(|left| *left > 0).map(|left| format!("about {} tokens until", short(left)));
    let left = match (left, gauge.is_never_compacted()) {
        (None, false) => "the compaction is due".to_owned(),
        (Some(left), false) => format!("{left} compaction"),
        (None, true) => "the context is full (automatic compaction is off)".to_owned(),
        (Some(left), true) => format!("{left} the context is full (automatic compaction is off)"),
    };
    let suggested = focus(session).map(|focus| format!(" Suggested: /compact focus on {focus}"));
    format!("catchword: {left}; state is saved.{}", suggested.unwrap_or_default())
}

/// The open work in a few words, or else what was asked last.
fn focus(session: &Session) -> Option<String> {
    let line = |text: &str| one_line(&harmless(text), ITEM);
    let facts = work::facts(session, &Known::default());
    let mut items: Vec<String> = facts.iter().take(ITEMS).map(|fact| line(&fact.bare)).collect();
    if items.is_empty() {
        let asked = session.prompts.iter().rev().find(|prompt| !is_reply(&prompt.text));
        items.extend(asked.map(|prompt| line(&prompt.text)));
    }
    let focus = one_line(&items.join("; "), FOCUS);
    (!focus.is_empty()).then_some(focus)
}

/// What a status line's call is to a pass over the transcript: an event of that session.
pub fn event_of(session: &str, transcript: Option<&Path>, cwd: Option<&Path>) -> HookEvent {
    HookEvent {
        session: session.to_owned(),
        transcript: transcript.map(Path::to_owned),
        cwd: cwd.map(Path::to_owned),
        name: "StatusLine".to_owned(),
        ..HookEvent::default()
    }
}
