//! A prompt or a tool call: give the agent what is pending, and the person what is due.

use super::{HookContext, failure, person, restore};
use crate::model::event::EventKind;
use crate::ops::catch_up::{CatchUpError, CaughtUp};

/// What to print, and whether it includes a brief that had not arrived.
pub(super) fn say(
    hook: &mut HookContext,
    warning: &str,
    caught: &mut CaughtUp,
    brief_is_due: bool,
) -> Result<(String, bool), CatchUpError> {
    let (text, resent) = if brief_is_due {
        (restore::text(hook, caught)?, false)
    } else if caught.nothing_awaited {
        Default::default()
    } else {
        pending(hook)?
    };
    let solved = failure::line(hook, caught)?;
    let text = [text, solved].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let lost = if hook.event.kind == EventKind::Prompt { person::line_due(hook)? } else { String::new() };
    Ok(((hook.client.say)(hook.event, &text, &person::joined(&lost, warning)), resent))
}

/// A brief that was lost, and what was found after it was given.
fn pending(hook: &mut HookContext) -> Result<(String, bool), CatchUpError> {
    let (id, now) = (&hook.event.session, hook.now);
    let (mut texts, mut resent) = (Vec::new(), false);
    if let Some(missing) = hook.store.missing(id)?
        && hook.store.claim_resend(&missing, now)?
    {
        texts.push(missing.brief);
        resent = true;
    }
    if let Some(late) = hook.store.late(id)?
        && hook.store.claim_late(&late, now)?
    {
        texts.push(late.text);
    }
    Ok((texts.join("\n"), resent))
}
