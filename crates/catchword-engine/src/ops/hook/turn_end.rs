//! The end of a turn: the quiet moment for housekeeping, and to tell the person what the last compaction lost.

use super::{HookContext, person};
use crate::ops::catch_up::CatchUpError;
use crate::store::PresenceStep;

pub(super) fn say(hook: &mut HookContext, warning: &str) -> Result<String, CatchUpError> {
    hook.note_presence(PresenceStep::GoesOn)?;
    hook.store.prune(hook.now)?;
    hook.store.tidy()?;
    if !person::agent_waits(hook)? {
        hook.store.lost_was_shown(&hook.event.session)?;
    }
    let lost = person::line_due(hook)?;
    Ok((hook.client.say)(hook.event, "", &person::joined(&lost, warning)))
}
