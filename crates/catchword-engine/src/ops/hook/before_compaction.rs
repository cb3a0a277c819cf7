//! Before a compaction: tell the summariser what to keep.

use super::HookContext;
use crate::ops::brief::{self, GuideLimits};
use crate::ops::catch_up::{CatchUpError, CaughtUp};
use crate::text::cut::first_chars;
use crate::text::quote::harmless;

/// Most characters and lines of a project's own instructions that are passed on.
const MAX_WISH: usize = 600;
const MAX_WISH_LINES: usize = 4;

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
    let limits = GuideLimits { lines: settings.guide_lines, cold: settings.cold };
    let guide = brief::guide(session, &registered, tree.as_ref(), settings.instructions.as_deref(), limits);
    let wish = hook.event.cwd.as_deref().and_then(|folder| hook.machine.summary_wish(folder));
    Ok(wish.and_then(|wish| quoted(&wish)).map_or(guide.clone(), |wish| format!("{guide}{wish}")))
}

/// The repository's instructions as a quotation, after everything from the user.
fn quoted(wish: &str) -> Option<String> {
    let wish = harmless(first_chars(wish.trim(), MAX_WISH));
    let lines: Vec<String> = wish
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(MAX_WISH_LINES)
        .map(|line| format!("> {}\n", line.trim()))
        .collect();
    let head = "From a file of the repository, not from the user; follow it where nothing above differs:";
    (!lines.is_empty()).then(|| format!("{head}\n{}", lines.concat()))
}
