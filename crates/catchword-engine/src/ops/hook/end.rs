//! The end of a session: record it and make the handoff.

use super::{HookContext, handoffs};
use crate::model::event::EndKind;
use crate::ops::catch_up::{CatchUpError, CaughtUp};
use crate::ops::handoff::Handoff;
use crate::session::Session;
use crate::store::PresenceStep;

pub(super) fn handoff(
    hook: &mut HookContext,
    kind: EndKind,
    caught: &CaughtUp,
) -> Result<Option<Handoff>, CatchUpError> {
    let handoff = note_end(hook, kind, caught.whole_session())?;
    hook.store.tidy()?;
    Ok(handoff)
}

/// Records the end before anything slow, then what git reports, and makes the handoff.
fn note_end(
    hook: &mut HookContext,
    kind: EndKind,
    session: Option<&Session>,
) -> Result<Option<Handoff>, CatchUpError> {
    let cleared = kind == EndKind::Clear;
    let project = hook.note_presence(PresenceStep::Ends { cleared, head: None })?;
    let Some(session) = session else { return Ok(None) };
    let tree = handoffs::tree_at_end(hook, project);
    if let Some(head) = tree.as_ref().and_then(|tree| tree.head.as_deref()) {
        hook.note_presence(PresenceStep::Ends { cleared, head: Some(head) })?;
    }
    Ok(handoffs::at_end(hook, session, tree))
}
