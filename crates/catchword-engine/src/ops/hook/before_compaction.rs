//! Before a compaction: tell the summariser what to keep.

use super::HookContext;
use crate::ops::brief;
use crate::ops::catch_up::{CatchUpError, CaughtUp};

pub(super) fn guide(
    hook: &mut HookContext,
    manual: bool,
    caught: &mut CaughtUp,
) -> Result<String, CatchUpError> {
    let is_ours = hook.store.compaction_begins(&hook.event.session, manual, hook.now)?;
    if !hook.settings.guide || !hook.client.reads_guide || !is_ours {
        return Ok(String::new());
    }
    let registered = hook.store.registered(&hook.event.session)?;
    let session = caught.session.get_or_insert_default();
    if manual {
        session.compacts_on_order();
    }
    Ok(brief::guide(session, &registered, hook.settings.instructions.as_deref()))
}
