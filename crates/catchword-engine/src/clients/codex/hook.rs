//! A hook's stdin → [`HookEvent`].

use std::path::PathBuf;

use serde_json::Value;

use crate::model::event::{EndKind, EventKind, HookEvent, StartKind};

/// Understands a payload; `None` when it names no event.
pub fn event(payload: &[u8]) -> Option<HookEvent> {
    let payload: Value = serde_json::from_str(&String::from_utf8_lossy(payload)).ok()?;
    let text = |key: &str| payload.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let name = text("hook_event_name")?;
    Some(HookEvent {
        kind: kind(name, &payload),
        session: text("session_id").unwrap_or_default().to_owned(),
        transcript: text("transcript_path").map(PathBuf::from),
        cwd: text("cwd").map(PathBuf::from),
        subagent: text("agent_id").map(str::to_owned),
        subagent_transcript: text("agent_transcript_path").map(PathBuf::from),
        name: name.to_owned(),
    })
}

/// `PostCompact` comes before the start after the compaction and has no summary: there is nothing to say at it. The
/// compaction's row is on disk by then.
fn kind(name: &str, payload: &Value) -> EventKind {
    match name {
        "SessionStart" => EventKind::Start(start(payload["source"].as_str())),
        "UserPromptSubmit" => EventKind::Prompt,
        "PostToolUse" => EventKind::Tools,
        "PreCompact" => EventKind::BeforeCompaction { manual: payload["trigger"] == "manual" },
        "SubagentStop" => EventKind::SubagentEnd,
        "Stop" => EventKind::TurnEnd,
        "SessionEnd" => {
            EventKind::End(if payload["reason"] == "clear" { EndKind::Clear } else { EndKind::Other })
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_of_the_client_has_its_meaning() {
        let cases = [
            (
                r#"{"hook_event_name":"SessionStart","source":"compact"}"#,
                EventKind::Start(StartKind::Compact),
            ),
            (r#"{"hook_event_name":"SessionStart","source":"fork"}"#, EventKind::Start(StartKind::Fork)),
            (r#"{"hook_event_name":"SessionStart"}"#, EventKind::Start(StartKind::Startup)),
            (
                r#"{"hook_event_name":"PreCompact","trigger":"manual"}"#,
                EventKind::BeforeCompaction { manual: true },
            ),
            (
                r#"{"hook_event_name":"PreCompact","trigger":"auto"}"#,
                EventKind::BeforeCompaction { manual: false },
            ),
            (r#"{"hook_event_name":"PostCompact","trigger":"auto"}"#, EventKind::Other),
            (r#"{"hook_event_name":"PostToolUse","tool_name":"Bash"}"#, EventKind::Tools),
            (r#"{"hook_event_name":"UserPromptSubmit","prompt":"x"}"#, EventKind::Prompt),
            (r#"{"hook_event_name":"Stop"}"#, EventKind::TurnEnd),
            (r#"{"hook_event_name":"SessionEnd","reason":"other"}"#, EventKind::End(EndKind::Other)),
            (r#"{"hook_event_name":"PreModelRequest"}"#, EventKind::Other),
        ];
        for (json, expected) in cases {
            assert_eq!(event(json.as_bytes()).expect("a payload").kind, expected, "{json}");
        }
    }

    #[test]
    fn a_hook_of_a_subagent_names_the_parent_session_and_the_subagent() {
        let event = event(
            br#"{"hook_event_name":"SubagentStop","session_id":"p","agent_id":"a","agent_transcript_path":"/a.jsonl"}"#,
        )
        .unwrap();
        assert_eq!((event.session.as_str(), event.subagent.as_deref()), ("p", Some("a")));
        assert_eq!(event.subagent_transcript, Some(PathBuf::from("/a.jsonl")));
    }

    #[test]
    fn garbage_is_no_event() {
        for bytes in [&b""[..], b"null", b"[]", b"{}", b"{\"hook_event_name\":7}", b"\xff\xfe"] {
            assert_eq!(event(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_field_of_the_wrong_type_does_not_cost_the_event() {
        let event = event(br#"{"hook_event_name":"Stop","session_id":7,"cwd":null}"#).unwrap();
        assert_eq!((event.kind, event.session.as_str(), event.cwd), (EventKind::TurnEnd, "", None));
    }
}
