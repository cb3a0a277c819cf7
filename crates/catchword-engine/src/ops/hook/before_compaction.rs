//! Before a compaction: tell the summariser what to keep.

use super::HookContext;
use crate::ops::brief::{self, GuideLimits};
use crate::ops::catch_up::{CatchUpError, CaughtUp};

/// Lines of the terminal for what the person may be told at the end of a manual compaction: one of ours, and what the
/// client puts before it.
const AT_THE_END: usize = 2;

pub(super) fn guide(
    hook: &mut HookContext,
    manual: bool,
    caught: &mut CaughtUp,
) -> Result<String, CatchUpError> {
    let is_ours = hook.store.compaction_begins(&hook.event.session, manual, hook.now)?;
    let Some(form) = hook.client.guide.filter(|_| hook.settings.guide && is_ours) else {
        return Ok(String::new());
    };
    let registered = hook.store.registered(&hook.event.session)?;
    let session = caught.session.get_or_insert_default();
    if manual {
        session.compacts_on_order();
    }
    let session = &*session;
    let settings = hook.settings;
    let tree = hook.work_tree();
    let lines = settings.guide_lines.saturating_sub(if manual { AT_THE_END } else { 0 });
    // Of a text that is too long the client cuts off the end: fewer items say more.
    let written = (1..=lines).rev().map(|lines| {
        let limits = GuideLimits { lines, shown: manual, cold: settings.cold };
        brief::guide(session, &registered, tree.as_ref(), settings.instructions.as_deref(), limits)
    });
    let fitting = written.into_iter().find(|text| text.chars().count() <= form.characters);
    Ok((form.say)(hook.event, &fitting.unwrap_or_default()))
}
