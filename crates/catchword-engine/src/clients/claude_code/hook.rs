//! Hook events that only Claude Code has, or to which it gives more meaning.

use crate::clients::hook_protocol::{Payload, typed_note};
use crate::model::event::{EventKind, FailedCommand, HookEvent};

/// How the answer to a failed command begins.
const FAILED: &str = "Exit code ";

/// The meaning of an event, where the protocol does not say it.
pub fn kind(name: &str, payload: &Payload) -> Option<EventKind> {
    match name {
        "PostToolUseFailure" | "PostToolBatch" => Some(EventKind::Tools),
        "UserPromptExpansion" => typed_note(payload),
        "SubagentStop" => summary_ready(payload),
        "PostCompact" => Some(EventKind::AfterCompaction {
            summary: payload.compact_summary.as_deref().map(|s| summary_of(s).to_owned()),
        }),
        _ => None,
    }
}

/// The event with the commands of a batch that failed: the transcript gets their rows only after it. Of the payload, which
/// may be large, they are read only if there are any.
pub fn with_failed(event: HookEvent, payload: &[u8]) -> HookEvent {
    if event.kind != EventKind::Tools || memchr::memmem::find(payload, FAILED.as_bytes()).is_none() {
        return event;
    }
    let payload: serde_json::Value = serde_json::from_slice(payload).unwrap_or_default();
    let calls = payload["tool_calls"].as_array().into_iter().flatten();
    let failed = calls.filter_map(|call| {
        let answer = call["tool_response"].as_str().filter(|answer| answer.starts_with(FAILED))?;
        let typed = call["tool_input"]["command"].as_str()?;
        Some(FailedCommand { typed: typed.to_owned(), answer: answer.to_owned() })
    });
    HookEvent { failed: failed.collect(), ..event }
}

/// The summariser is a subagent without a type whose last words are a `<summary>`. A user's own subagent has
/// a type, so its words are never taken for the summary.
fn summary_ready(payload: &Payload) -> Option<EventKind> {
    let typed = payload.agent_type.as_deref().is_some_and(|t| !t.is_empty());
    let last = payload.last_assistant_message.as_deref()?;
    let summary = summary_of(last);
    (!typed && summary.len() < last.len()).then(|| EventKind::SummaryReady { summary: summary.to_owned() })
}

/// The text between the summary tags, or all of it.
fn summary_of(text: &str) -> &str {
    let start = text.find("<summary>").map_or(0, |at| at + "<summary>".len());
    let body = &text[start..];
    body.rfind("</summary>").map_or(body, |end| &body[..end]).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_of_calls_and_the_summary_at_the_end_are_its_own() {
        assert_eq!(kind("PostToolBatch", &Payload::default()), Some(EventKind::Tools));
        assert_eq!(kind("PostToolUseFailure", &Payload::default()), Some(EventKind::Tools));
        let payload =
            Payload { compact_summary: Some("<summary>\nkept\n</summary>".into()), ..Payload::default() };
        let summary = Some("kept".to_owned());
        assert_eq!(kind("PostCompact", &payload), Some(EventKind::AfterCompaction { summary }));
        assert_eq!(kind("Stop", &Payload::default()), None);
    }

    #[test]
    fn a_batch_names_the_commands_that_failed() {
        let call = |command: &str, answer: &str| serde_json::json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": answer});
        let calls = [call("make", "Exit code 2\nboom"), call("echo Exit code 2", "Exit codes are small")];
        let payload = serde_json::json!({"tool_calls": calls}).to_string();
        let of = |kind: EventKind| {
            with_failed(HookEvent { kind, ..HookEvent::default() }, payload.as_bytes()).failed
        };
        let [failed] = &of(EventKind::Tools)[..] else { panic!("one failed") };
        assert_eq!((failed.typed.as_str(), failed.answer.as_str()), ("make", "Exit code 2\nboom"));
        assert_eq!(of(EventKind::Prompt), []);
    }

    #[test]
    fn only_the_untyped_subagent_with_a_summary_is_the_summariser() {
        let summary = "<analysis>a</analysis><summary>\nkept\n</summary>";
        let ends = |agent: &str, last: &str| {
            let (agent_type, last_assistant_message) = (Some(agent.to_owned()), Some(last.to_owned()));
            kind("SubagentStop", &Payload { agent_type, last_assistant_message, ..Payload::default() })
        };
        assert_eq!(ends("", summary), Some(EventKind::SummaryReady { summary: "kept".into() }));
        assert_eq!(ends("general-purpose", summary), None);
        assert_eq!(ends("", "I am done"), None);
    }
}
