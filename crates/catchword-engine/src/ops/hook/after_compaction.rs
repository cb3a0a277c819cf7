//! After a compaction: tell the person what the summary lost. The model already has its brief.

use super::{HookContext, person};
use crate::audit::{self, AgentReceived, Audit};
use crate::brief;
use crate::choose::head::contradictions;
use crate::ops::catch_up::{CatchUpError, CaughtUp};
use crate::session::Session;
use crate::store::Ending;

pub(super) fn line_for_person(
    hook: &mut HookContext,
    summary: Option<&str>,
    caught: &mut CaughtUp,
) -> Result<String, CatchUpError> {
    let summary = summary.map(|summary| hook.mask.text(summary));
    // For a session that was not read to its end, half of the summary would look invented.
    match confirm(hook, caught.whole_session(), summary.as_deref()) {
        // The handoff needs no store and is already made.
        Err(error) if error.is_busy() => {
            caught.failed.get_or_insert(error);
            Ok(String::new())
        }
        other => other,
    }
}

/// Ends the compaction with the summary the client reports. If the brief was made against that summary, what the person
/// is told is already known. Any other summary is audited now, and the agent hears of its errors with the next event.
fn confirm(
    hook: &mut HookContext,
    session: Option<&Session>,
    summary: Option<&str>,
) -> Result<String, CatchUpError> {
    let id = &hook.event.session;
    let Some(mut under_way) = hook.store.under_way(id)? else { return Ok(String::new()) };
    let is_known = |of: u64| summary.is_none_or(|summary| of == audit::hash_of(summary));
    let line = match (under_way.audited, under_way.line.take()) {
        (None, _) if summary.is_none() => None,
        (Some(of), Some(line)) if is_known(of) => Some(line),
        _ => {
            let (brief, earlier) = hook.store.given(&under_way)?;
            let earlier = earlier.as_ref().filter(|audit| is_known(audit.of));
            return confirm_late(hook, session, summary, brief.as_deref().unwrap_or_default(), earlier);
        }
    };
    let is_ours = hook.store.compaction_ends(id, &Ending { summary, ..Ending::default() }, hook.now)?;
    Ok(line.filter(|_| is_ours).unwrap_or_default())
}

/// The same if the summary has to be compared with the session.
fn confirm_late(
    hook: &mut HookContext,
    session: Option<&Session>,
    summary: Option<&str>,
    brief: &str,
    earlier: Option<&Audit>,
) -> Result<String, CatchUpError> {
    let id = &hook.event.session;
    let fresh = session
        .zip(summary)
        .filter(|_| earlier.is_none())
        .map(|(session, summary)| Audit::new(session, summary));
    let late = fresh.as_ref().map(|audit| contradictions::late(&audit.findings, brief)).unwrap_or_default();
    let late = brief::brief(late, brief::DEFAULT_BUDGET).text;
    let found = fresh.as_ref().or(earlier).zip(session);
    let line = |received: AgentReceived| {
        found.map(|(audit, session)| {
            let line = audit::line(session, &audit.findings, received);
            line.map(|line| person::with_command(line, id, session)).unwrap_or_default()
        })
    };
    // A line that waits is told when the agent has both.
    let both = format!("{brief}\n{late}");
    let waiting = line(AgentReceived { brief: &both, late: "" });
    let ending = Ending {
        summary,
        audit: fresh.as_ref(),
        late: Some(late.as_str()).filter(|text| !text.is_empty()),
        line: waiting.as_ref(),
    };
    let is_ours = hook.store.compaction_ends(id, &ending, hook.now)?;
    let now = line(AgentReceived { brief, late: &late }).filter(|_| is_ours);
    Ok(now.map(|line| line.text).unwrap_or_default())
}
