//! Before a compaction: tell the summariser what to keep.

use super::HookContext;
use crate::ops::brief::{self, GuideLimits};
use crate::ops::catch_up::{CatchUpError, CaughtUp};

/// Lines that the person may see at the end of a manual compaction, beside those of the guide.
const AT_THE_END: usize = 1;

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
    let session = &*session;
    let settings = hook.settings;
    let tree = hook.work_tree();
    let lines = settings.guide_lines.saturating_sub(AT_THE_END);
    let limits = GuideLimits { lines, cold: settings.cold };
    Ok(brief::guide(session, &registered, tree.as_ref(), settings.instructions.as_deref(), limits))
}
