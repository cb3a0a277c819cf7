//! One hook event: read what is new, and answer.
//!
//! One file per event, all working with one [`HookContext`]; shared steps have files of their own (`cold_tasks`,
//! `gauge`, `handoffs`, `notes`, `person`).

mod after_compaction;
mod before_compaction;
mod cold_tasks;
mod context;
mod end;
mod failure;
mod gauge;
mod handoffs;
mod note;
mod notes;
mod person;
mod prompt_and_tools;
mod restore;
mod start;
mod subagent;
mod turn_end;

pub use context::{
    FileStamp, HeadlessStart, HookContext, HookSettings, Machine, ProjectFolder, Since, UnknownMachine,
};
pub use notes::NotesDocument;

use super::catch_up::{CatchUpError, CaughtUp, Depth};
use super::handoff::Handoff;
pub use crate::brief::start::ForeignCommit;
use crate::clients::Delivery;
use crate::model::event::{EventKind, StartKind};
use crate::model::problem::Problem;
use crate::store::Store;

/// What a hook prints and reports.
#[derive(Default)]
pub struct HookAnswer {
    /// For the client's stdout; empty most of the time.
    pub stdout: String,
    /// Rows that could not be parsed.
    pub problems: Vec<Problem>,
    /// What failed; the answer is valid all the same.
    pub failed: Option<CatchUpError>,
    /// The brief had not arrived; this answer resends it.
    pub resent: bool,
    /// A document to be written.
    pub handoff: Option<Handoff>,
    /// The notes, if they are to be written out.
    pub notes: Option<NotesDocument>,
}

/// Answers an event. A damaged store is replaced by a new one, from which the event is answered: the transcript still
/// has everything.
pub fn answer(hook: &mut HookContext) -> Result<HookAnswer, CatchUpError> {
    let damage = match answer_once(hook) {
        Err(error) if error.is_damage() => error,
        other => return other,
    };
    let failed = match hook.store.begin_anew(hook.now) {
        Ok(()) => damage,
        // It cannot be set aside: answer what is possible without it.
        Err(error) => {
            *hook.store = Store::for_now()?;
            error.into()
        }
    };
    let mut answer = answer_once(hook)?;
    answer.failed.get_or_insert(failed);
    Ok(answer)
}

/// A subagent's actions are not recorded as the main conversation's, and it gets no answer. The summariser is a
/// subagent, too; its summary is kept.
fn answer_once(hook: &mut HookContext) -> Result<HookAnswer, CatchUpError> {
    let event = hook.event;
    if !event.names_a_session() {
        return Ok(HookAnswer::default());
    }
    if let EventKind::SummaryReady { summary } = &event.kind {
        hook.store.keep_summary(&event.session, &hook.mask.text(summary), hook.now)?;
        return Ok(HookAnswer::default());
    }
    if let Some(id) = &event.subagent {
        subagent::note_compaction(hook, id)?;
        return Ok(HookAnswer::default());
    }
    if event.delivered {
        hook.store.brief_arrived(&event.session, &event.name)?;
    }
    let brief_is_due = brief_is_due(hook)?;
    let depth = if brief_is_due { Depth::Fold } else { depth(&event.kind) };
    let mut caught = hook.catch_up(depth)?;
    let answer = handle(hook, &mut caught, brief_is_due)?;
    Ok(HookAnswer { problems: caught.problems, failed: caught.failed, ..answer })
}

/// Only some events need the whole session; the others just index what is new.
fn depth(kind: &EventKind) -> Depth {
    match kind {
        EventKind::BeforeCompaction { .. }
        | EventKind::AfterCompaction { .. }
        | EventKind::Start(StartKind::Compact | StartKind::Resume)
        | EventKind::TurnEnd
        | EventKind::End(_) => Depth::Fold,
        _ => Depth::Index,
    }
}

/// Whether this event is the one that can carry the brief of a compaction.
fn brief_is_due(hook: &HookContext) -> Result<bool, CatchUpError> {
    let event = hook.event;
    let carries = hook.client.delivery == Delivery::WithNextEvent
        && matches!(event.kind, EventKind::Prompt | EventKind::Tools);
    Ok(carries && hook.store.brief_is_due(&event.session)?)
}

fn handle(
    hook: &mut HookContext,
    caught: &mut CaughtUp,
    brief_is_due: bool,
) -> Result<HookAnswer, CatchUpError> {
    let mut answer = HookAnswer::default();
    gauge::learn(hook)?;
    let warning = gauge::warning(hook, caught)?;
    if warning.is_some() {
        answer.handoff = handoffs::at_threshold(hook, caught);
    }
    let warning = warning.unwrap_or_default();
    let kind = &hook.event.kind;
    let is_restore = *kind == EventKind::Start(StartKind::Compact) || brief_is_due;
    if !is_restore && matches!(caught.failed, Some(CatchUpError::Time(_))) {
        // The next hook continues from there.
        caught.failed = None;
    }
    let is_busy = caught.failed.as_ref().is_some_and(CatchUpError::is_busy);
    if !is_busy {
        cold_tasks::keep(hook, caught)?;
        answer.notes = notes::document(hook, caught)?;
    }
    match kind {
        // The next event brings the brief.
        EventKind::Start(StartKind::Compact) if hook.client.delivery == Delivery::WithNextEvent => {}
        EventKind::Start(StartKind::Compact) => {
            let is_repeated = hook.client.delivery == Delivery::InEveryRequest;
            let given = if is_repeated { hook.store.brief_given(&hook.event.session)? } else { None };
            let brief = given.map_or_else(|| restore::text(hook, caught), Ok)?;
            if !brief.is_empty() {
                answer.stdout = (hook.client.say)(hook.event, &brief, "");
            }
            // The client has recorded the compaction and sends no other event after it.
            if caught.session.as_ref().is_some_and(|session| session.kept.is_just_compacted()) {
                answer.handoff = handoffs::after_compaction(hook, caught);
            }
        }
        // The first write already timed out: waiting for a second would double the time. The handoff needs none.
        _ if is_busy => answer.handoff = handoffs::unrecorded(hook, caught),
        EventKind::Start(kind) => answer.stdout = start::notice(hook, *kind, caught)?,
        EventKind::BeforeCompaction { manual } => {
            answer.stdout = before_compaction::guide(hook, *manual, caught)?;
        }
        EventKind::AfterCompaction { summary } => {
            answer.handoff = handoffs::after_compaction(hook, caught);
            answer.stdout = after_compaction::line_for_person(hook, summary.as_deref(), caught)?;
        }
        EventKind::Prompt | EventKind::Tools => {
            (answer.stdout, answer.resent) = prompt_and_tools::say(hook, &warning, caught, brief_is_due)?;
            if brief_is_due {
                answer.handoff = handoffs::after_compaction(hook, caught);
            }
        }
        EventKind::Note { text } => answer.stdout = note::store(hook, text)?,
        EventKind::TurnEnd => answer.stdout = turn_end::say(hook, &warning)?,
        EventKind::End(kind) => answer.handoff = end::handoff(hook, *kind, caught)?,
        _ => {}
    }
    Ok(answer)
}
