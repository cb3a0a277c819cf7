//! The handoffs that hooks make: at a threshold, after a compaction, at the end.

use super::{HookContext, ProjectFolder};
use crate::choose::{Unfinished, WorkTree, WorkspaceState};
use crate::model::event::EventKind;
use crate::ops::catch_up::CaughtUp;
use crate::ops::handoff::{self, Handoff, HandoffSource, HandoffTime};
use crate::session::Session;

/// The warning says that the state is saved, so save it. Happens rarely enough to run git.
pub(super) fn at_threshold(hook: &HookContext, caught: &CaughtUp) -> Option<Handoff> {
    let session = caught.session.as_ref().filter(|_| hook.settings.handoffs)?;
    made(hook, session, hook.work_tree(), HandoffTime::Threshold)
}

/// Only for a session that was read to its end.
pub(super) fn after_compaction(hook: &HookContext, caught: &CaughtUp) -> Option<Handoff> {
    let session = caught.whole_session().filter(|_| hook.settings.handoffs)?;
    made(hook, session, hook.work_tree(), HandoffTime::Compaction)
}

/// Scripts start sessions by the thousand: theirs get a handoff only if work was done, or something is left to do. What
/// the agent leaves open in its own words may be in any language, so it is quoted rather than judged.
pub(super) fn at_end(hook: &HookContext, session: &Session, tree: Option<WorkTree>) -> Option<Handoff> {
    let has_worked = session.acted > 0;
    let wanted = hook.machine.is_attended() != Some(false)
        || has_worked
        || Unfinished::of(session, tree.as_ref()).is_left();
    (hook.settings.handoffs && wanted).then(|| made(hook, session, tree, HandoffTime::End)).flatten()
}

/// What git reports at the end, if there is time to run it.
pub(super) fn tree_at_end(hook: &HookContext, project: Option<ProjectFolder>) -> Option<WorkTree> {
    let project = project.filter(|project| project.is_work_tree && (hook.in_time)())?;
    hook.machine.work_tree(&project.root)
}

/// The handoff of an event that could not be recorded because the store was busy.
pub(super) fn unrecorded(hook: &HookContext, caught: &CaughtUp) -> Option<Handoff> {
    match hook.event.kind {
        EventKind::AfterCompaction { .. } => after_compaction(hook, caught),
        EventKind::End(_) => {
            let session = caught.whole_session()?;
            at_end(hook, session, tree_at_end(hook, hook.project_folder()))
        }
        _ => None,
    }
}

fn made(
    hook: &HookContext,
    session: &Session,
    tree: Option<WorkTree>,
    moment: HandoffTime,
) -> Option<Handoff> {
    let event = hook.event;
    let project = hook.project_folder().map(|project| project.root);
    let source = HandoffSource {
        client: hook.client,
        session: &event.session,
        transcript: event.transcript.as_deref(),
        project: project.as_deref(),
        now: hook.now,
    };
    // If the store cannot be read, the document only lacks the notes.
    let notes = hook.store.notes(&event.session).unwrap_or_default();
    let workspace = WorkspaceState { tree, notes, ..WorkspaceState::default() };
    handoff::handoff(session, &source, &workspace, moment)
}
