//! A hook's stdin → [`HookEvent`].

use std::path::PathBuf;

use super::wire::{self, Payload};
use crate::model::event::{EndKind, EventKind, HookEvent, StartKind};

/// Understands a payload; `None` when it names no event.
pub fn event(payload: &[u8]) -> Option<HookEvent> {
    let text = String::from_utf8_lossy(payload);
    let wire: Payload = wire::read(&text)?;
    let name = wire.hook_event_name.as_deref()?.to_owned();
    Some(HookEvent {
        kind: kind(&name, &wire),
        session: wire.session_id.as_deref().unwrap_or_default().to_owned(),
        transcript: path(wire.transcript_path.as_deref()),
        cwd: path(wire.cwd.as_deref()),
        subagent: wire.agent_id.as_deref().map(str::to_owned),
        subagent_transcript: path(wire.agent_transcript_path.as_deref()),
        name,
    })
}

fn path(text: Option<&str>) -> Option<PathBuf> {
    text.filter(|t| !t.is_empty()).map(PathBuf::from)
}

fn kind(name: &str, wire: &Payload) -> EventKind {
    match name {
        "SessionStart" => EventKind::Start(start(wire.source.as_deref())),
        "UserPromptSubmit" => EventKind::Prompt,
        "PostToolUse" | "PostToolUseFailure" | "PostToolBatch" => EventKind::Tools,
        "PreCompact" => EventKind::BeforeCompaction { manual: wire.trigger.as_deref() == Some("manual") },
        "SubagentStop" => summary_ready(wire).unwrap_or(EventKind::SubagentEnd),
        "PostCompact" => EventKind::AfterCompaction {
            summary: wire.compact_summary.as_deref().map(|s| summary_of(s).to_owned()),
        },
        "Stop" => EventKind::TurnEnd,
        "SessionEnd" => EventKind::End(end(wire.reason.as_deref())),
        _ => EventKind::Other,
    }
}

fn start(source: Option<&str>) -> StartKind {
    match source {
        Some("resume") => StartKind::Resume,
        Some("clear") => StartKind::Clear,
        Some("compact") => StartKind::Compact,
        Some("fork") => StartKind::Fork,
        _ => StartKind::Startup,
    }
}

fn end(reason: Option<&str>) -> EndKind {
    if reason == Some("clear") { EndKind::Clear } else { EndKind::Other }
}

/// The summariser is a subagent without a type whose last words are a `<summary>`. A user's own subagent has
/// a type, so its words are never taken for the summary.
fn summary_ready(wire: &Payload) -> Option<EventKind> {
    let typed = wire.agent_type.as_deref().is_some_and(|t| !t.is_empty());
    let last = wire.last_assistant_message.as_deref()?;
    let summary = summary_of(last);
    (!typed && summary.len() < last.len()).then(|| EventKind::SummaryReady { summary: summary.to_owned() })
}

/// What stands between the summary tags, or everything.
fn summary_of(text: &str) -> &str {
    let start = text.find("<summary>").map_or(0, |at| at + "<summary>".len());
    let body = &text[start..];
    body.rfind("</summary>").map_or(body, |end| &body[..end]).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(json: &str) -> EventKind {
        event(json.as_bytes()).expect("a payload").kind
    }

    #[test]
    fn every_event_of_the_client_has_its_meaning() {
        let cases = [
            (
                r#"{"hook_event_name":"SessionStart","source":"compact"}"#,
                EventKind::Start(StartKind::Compact),
            ),
            (r#"{"hook_event_name":"SessionStart","source":"clear"}"#, EventKind::Start(StartKind::Clear)),
            (r#"{"hook_event_name":"SessionStart"}"#, EventKind::Start(StartKind::Startup)),
            (
                r#"{"hook_event_name":"PreCompact","trigger":"manual"}"#,
                EventKind::BeforeCompaction { manual: true },
            ),
            (
                r#"{"hook_event_name":"PreCompact","trigger":"auto"}"#,
                EventKind::BeforeCompaction { manual: false },
            ),
            (r#"{"hook_event_name":"PostToolBatch"}"#, EventKind::Tools),
            (r#"{"hook_event_name":"Stop"}"#, EventKind::TurnEnd),
            (r#"{"hook_event_name":"SessionEnd"}"#, EventKind::End(EndKind::Other)),
            (r#"{"hook_event_name":"SessionEnd","reason":"clear"}"#, EventKind::End(EndKind::Clear)),
            (r#"{"hook_event_name":"NewOfTomorrow"}"#, EventKind::Other),
        ];
        for (json, expected) in cases {
            assert_eq!(kind_of(json), expected, "{json}");
        }
    }

    #[test]
    fn only_the_untyped_subagent_with_a_summary_is_the_summariser() {
        let summary = r"<analysis>a</analysis><summary>\nkept\n</summary>";
        let of = |agent: &str, last: &str| {
            kind_of(&format!(
                r#"{{"hook_event_name":"SubagentStop","agent_id":"a1","agent_type":"{agent}","last_assistant_message":"{last}"}}"#
            ))
        };
        assert_eq!(of("", summary), EventKind::SummaryReady { summary: "kept".into() });
        assert_eq!(of("general-purpose", summary), EventKind::SubagentEnd);
        assert_eq!(of("", "I am done"), EventKind::SubagentEnd);
    }

    #[test]
    fn garbage_is_no_event() {
        for bytes in [
            &b""[..],
            b"null",
            b"[]",
            b"{}",
            b"{\"hook_event_name\":7}",
            b"\xff\xfe",
            b"{\"hook_event_name\":\"Stop\"",
        ] {
            assert_eq!(event(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_field_of_the_wrong_type_does_not_cost_the_event() {
        let event =
            event(br#"{"hook_event_name":"Stop","session_id":7,"cwd":null,"agent_id":null}"#).unwrap();
        assert_eq!((event.kind, event.session.as_str(), event.subagent), (EventKind::TurnEnd, "", None));
    }
}
