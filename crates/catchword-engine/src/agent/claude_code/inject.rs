//! A brief → what Claude Code takes on a hook's stdout.

use crate::agent::event::HookEvent;

/// The model gets `additionalContext`, and only under the very name of the event that is being answered.
pub fn stdout(event: &HookEvent, brief: &str) -> String {
    serde_json::json!({
        "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": brief }
    })
    .to_string()
}
