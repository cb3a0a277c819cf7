//! What the person is told about a compaction: one line, once.
//!
//! After a manual compaction the client shows what the hook at its end prints. After an automatic one it shows nothing,
//! so the line comes with the next prompt or at the end of the turn, whichever is first once the agent has what the
//! line says it was given.

use super::HookContext;
use crate::audit::PersonLine;
use crate::model::event::short_id;
use crate::ops::catch_up::CatchUpError;
use crate::session::Session;
use crate::text::numbers::count_of;

/// The line with the command that shows both sides.
pub(super) fn with_command(mut line: PersonLine, id: &str, session: &Session) -> PersonLine {
    let number = session.earlier_compactions().len() + 1;
    let command = format!(" `catchword lost {} {number}` shows both sides.", short_id(id));
    line.text.push_str(&command);
    line
}

/// The line that is due; mostly empty. If the store is busy, the next event shows it.
pub(super) fn line_due(hook: &mut HookContext) -> Result<String, CatchUpError> {
    match claimed(hook) {
        Err(error) if error.is_busy() => Ok(String::new()),
        other => other,
    }
}

fn claimed(hook: &mut HookContext) -> Result<String, CatchUpError> {
    if !(hook.client.shows_line)(hook.event) {
        return Ok(String::new());
    }
    let id = &hook.event.session;
    let Some(untold) = hook.store.untold(id)? else { return Ok(String::new()) };
    if agent_waits(hook)? || !hook.store.claim_untold(&untold, hook.now)? {
        return Ok(String::new());
    }
    Ok(match untold.earlier {
        0 => untold.line,
        n => {
            let earlier = count_of(n, "earlier compaction");
            format!("{} {earlier} lost something, too: `catchword lost {}`.", untold.line, short_id(id))
        }
    })
}

/// The brief is known not to have arrived, or late findings are still pending.
pub(super) fn agent_waits(hook: &HookContext) -> Result<bool, CatchUpError> {
    let id = &hook.event.session;
    Ok(hook.store.missing(id)?.is_some() || hook.store.late(id)?.is_some())
}

/// Two messages for the person in one.
pub(super) fn joined(first: &str, second: &str) -> String {
    let both: Vec<&str> = [first, second].into_iter().filter(|text| !text.is_empty()).collect();
    both.join("\n")
}
