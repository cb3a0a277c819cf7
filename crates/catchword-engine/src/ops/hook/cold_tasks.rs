//! Summarises tasks that have become cold: every few turns near a compaction, and after each one.

use super::HookContext;
use crate::brief::cold_tasks::{self, TaskSummary};
use crate::model::event::EventKind;
use crate::ops::catch_up::{CatchUpError, CaughtUp};

pub(super) fn keep(hook: &mut HookContext, caught: &CaughtUp) -> Result<(), CatchUpError> {
    let Some(session) = &caught.session else { return Ok(()) };
    let is_time = match hook.event.kind {
        // The instructions for the summariser do not need the store: this can wait until the compaction is over.
        EventKind::BeforeCompaction { .. } => false,
        EventKind::AfterCompaction { .. } => true,
        _ => cold_tasks::is_due(caught.turns_before, session, hook.settings.cold.every) && is_near(hook)?,
    };
    if !is_time {
        return Ok(());
    }
    let kept: Vec<TaskSummary> =
        hook.store.cold_tasks(&hook.event.session)?.into_iter().map(|(task, _)| task).collect();
    let tasks = cold_tasks::cold(session, hook.settings.cold.turns, &kept);
    if !tasks.is_empty() {
        hook.store.keep_cold(&hook.event.session, &tasks, hook.now)?;
    }
    Ok(())
}

/// Whether a compaction is near, by the gauge in the store.
fn is_near(hook: &HookContext) -> Result<bool, CatchUpError> {
    let Some(gauged) = hook.store.gauged(&hook.event.session)? else { return Ok(true) };
    let gauge = hook.gauge(&gauged)?;
    Ok(cold_tasks::is_near(&gauge, hook.settings.cold.from))
}
