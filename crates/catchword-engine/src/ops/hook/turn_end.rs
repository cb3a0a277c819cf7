//! The end of a turn: the quiet moment for housekeeping.

use super::HookContext;
use crate::ops::catch_up::CatchUpError;
use crate::store::PresenceStep;

pub(super) fn say(hook: &mut HookContext, warning: &str) -> Result<String, CatchUpError> {
    hook.note_presence(PresenceStep::GoesOn)?;
    hook.store.prune(hook.now)?;
    hook.store.tidy()?;
    Ok((hook.client.say)(hook.event, "", warning))
}
