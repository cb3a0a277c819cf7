//! Before a compaction: tell the summariser what to keep.

use super::HookContext;
use crate::brief::UNSEEN_GUIDE_LINES;
use crate::ops::brief::{self, GuideLimits};
use crate::ops::catch_up::{CatchUpError, CaughtUp};
use crate::text::cut::first_chars;
use crate::text::quote::harmless;

/// Most characters of a project's own instructions that are passed on, and most lines: more become a single one.
const MAX_WISH: usize = 600;
const MAX_WISH_LINES: usize = 2;
/// Lines of the terminal for what the person may be told at the end of a manual compaction: one of ours, and what the
/// client puts before it.
const AT_THE_END: usize = 2;

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
    let wish = hook.event.cwd.as_deref().and_then(|folder| hook.machine.summary_wish(folder));
    let wish = wish.and_then(|wish| quoted(&wish)).unwrap_or_default();
    let lines = if manual {
        settings.guide_lines.saturating_sub(AT_THE_END)
    } else {
        settings.guide_lines.max(UNSEEN_GUIDE_LINES)
    };
    let lines = lines.saturating_sub(wish.lines().count());
    let limits = GuideLimits { lines, shown: manual, cold: settings.cold };
    let guide = brief::guide(session, &registered, tree.as_ref(), settings.instructions.as_deref(), limits);
    Ok(format!("{guide}{wish}"))
}

/// The repository's instructions as a quotation, after everything from the user.
fn quoted(wish: &str) -> Option<String> {
    let wish = harmless(first_chars(wish.trim(), MAX_WISH));
    let lines: Vec<&str> = wish.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let lines: Vec<String> = match lines.len() {
        0..=MAX_WISH_LINES => lines.iter().map(|line| format!("> {line}\n")).collect(),
        _ => vec![format!("> {}\n", lines.join(" "))],
    };
    let head = "From a file of the repository, not from the user; follow it where nothing above differs:";
    (!lines.is_empty()).then(|| format!("{head}\n{}", lines.concat()))
}
