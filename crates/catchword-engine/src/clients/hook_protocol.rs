//! Hooks as several clients call them, with the same names: a payload on stdin → [`HookEvent`], texts → stdout.
//!
//! A client that speaks it only adds its own events, and those with another meaning.

use std::path::PathBuf;

use super::lenient;
pub use super::payload::Payload;
use super::strangers;
use crate::model::event::{EndKind, EventKind, HookEvent, StartKind};
use crate::model::note;

/// The words of the protocol, see [`Words`](super::Words): only this file and its clients use them.
pub const WORDS: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PostToolUse",
    "PreCompact",
    "SubagentStop",
    "Stop",
    "hookSpecificOutput",
    "additionalContext",
    "systemMessage",
];

/// Parses a payload; `None` if it names no event, or if another program wrote it. `own` says what an event means to
/// this client, if the protocol does not.
pub fn event(payload: &[u8], own: OwnKinds) -> Option<HookEvent> {
    event_of(payload, own, |payload| strangers::of(payload).is_none())
}

/// What an event means to a client, where that is not what the protocol says.
pub type OwnKinds = fn(&str, &Payload) -> Option<EventKind>;

/// The same for a client that knows its own payloads.
pub fn event_of(payload: &[u8], own: OwnKinds, is_ours: fn(&Payload) -> bool) -> Option<HookEvent> {
    let payload: Payload = lenient::read(&String::from_utf8_lossy(payload))?;
    let name = payload.hook_event_name.clone().filter(|_| is_ours(&payload))?;
    let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let path = |text: &Option<String>| some(text).map(PathBuf::from);
    Some(HookEvent {
        kind: own(&name, &payload).unwrap_or_else(|| kind(&name, &payload)),
        session: some(&payload.session_id).unwrap_or_default(),
        transcript: path(&payload.transcript_path),
        cwd: path(&payload.cwd),
        subagent: some(&payload.agent_id),
        subagent_transcript: path(&payload.agent_transcript_path),
        last_words: some(&payload.last_assistant_message),
        delivered: payload.delivered == Some(true),
        failed: Vec::new(),
        window: some(&payload.model).zip(payload.context_window.filter(|tokens| *tokens > 0)),
        name,
    })
}

fn kind(name: &str, payload: &Payload) -> EventKind {
    match name {
        "SessionStart" => EventKind::Start(start(payload.source.as_deref())),
        "UserPromptSubmit" => typed_note(payload).unwrap_or(EventKind::Prompt),
        "PostToolUse" => EventKind::Tools,
        "PreCompact" => EventKind::BeforeCompaction { manual: payload.trigger.as_deref() == Some("manual") },
        "SubagentStop" => EventKind::SubagentEnd,
        "Stop" => EventKind::TurnEnd,
        "SessionEnd" if payload.reason.as_deref() == Some("clear") => EventKind::End(EndKind::Clear),
        "SessionEnd" => EventKind::End(EndKind::Other),
        _ => EventKind::Other,
    }
}

/// The note that the prompt is, if it is one.
pub fn typed_note(payload: &Payload) -> Option<EventKind> {
    let text = note::typed(payload.prompt.as_deref()?)?.to_owned();
    Some(EventKind::Note { text })
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

/// Text for the model, which gets it only under the name of the event that is answered, and a line for the person, which
/// the model does not see. A hook prints one object, and clients may refuse one with a member they do not know. Without
/// text for either there is no output.
pub fn say(event: &HookEvent, context: &str, message: &str) -> String {
    let mut output = serde_json::Map::new();
    if !context.is_empty() {
        let context = serde_json::json!({ "hookEventName": event.name, "additionalContext": context });
        output.insert("hookSpecificOutput".to_owned(), context);
    }
    if !message.is_empty() {
        output.insert("systemMessage".to_owned(), message.into());
    }
    if output.is_empty() { String::new() } else { serde_json::Value::Object(output).to_string() }
}

/// Keeps a prompt from the model, and shows the person why.
pub fn stop_prompt(why: &str) -> String {
    serde_json::json!({ "decision": "block", "reason": why }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<HookEvent> {
        event(json.as_bytes(), |_, _| None)
    }

    #[test]
    fn every_event_of_the_protocol_has_its_meaning() {
        let cases = [
            (r#""SessionStart","source":"compact""#, EventKind::Start(StartKind::Compact)),
            (r#""SessionStart","source":"clear""#, EventKind::Start(StartKind::Clear)),
            (r#""SessionStart","source":"fork""#, EventKind::Start(StartKind::Fork)),
            (r#""SessionStart""#, EventKind::Start(StartKind::Startup)),
            (r#""PreCompact","trigger":"manual""#, EventKind::BeforeCompaction { manual: true }),
            (r#""PreCompact","trigger":"auto""#, EventKind::BeforeCompaction { manual: false }),
            (r#""PostToolUse","tool_name":"x""#, EventKind::Tools),
            (r#""UserPromptSubmit","prompt":"x""#, EventKind::Prompt),
            (r#""UserPromptSubmit","prompt":"catchword:note x""#, EventKind::Note { text: "x".into() }),
            (r#""SubagentStop","agent_id":"a""#, EventKind::SubagentEnd),
            (r#""Stop""#, EventKind::TurnEnd),
            (r#""SessionEnd""#, EventKind::End(EndKind::Other)),
            (r#""SessionEnd","reason":"clear""#, EventKind::End(EndKind::Clear)),
            (r#""NewOfTomorrow""#, EventKind::Other),
        ];
        for (members, expected) in cases {
            let event = read(&format!(r#"{{"hook_event_name":{members}}}"#)).expect("a payload");
            assert_eq!(event.kind, expected, "{members}");
        }
    }

    #[test]
    fn a_client_says_first_what_an_event_means() {
        let own = |name: &str, _: &Payload| (name == "Stop").then_some(EventKind::Other);
        let of = |json: &[u8]| event(json, own).unwrap().kind;
        assert_eq!(of(br#"{"hook_event_name":"Stop"}"#), EventKind::Other);
        assert_eq!(of(br#"{"hook_event_name":"UserPromptSubmit"}"#), EventKind::Prompt);
    }

    #[test]
    fn a_hook_of_a_subagent_names_the_parent_session_and_the_subagent() {
        let json = r#"{"hook_event_name":"SubagentStop","session_id":"p","agent_id":"a","agent_transcript_path":"/a"}"#;
        let event = read(json).unwrap();
        assert_eq!((event.session.as_str(), event.subagent.as_deref()), ("p", Some("a")));
        assert_eq!(event.subagent_transcript, Some(PathBuf::from("/a")));
    }

    #[test]
    fn garbage_is_no_event() {
        let garbage = [
            &b""[..],
            b"null",
            b"[]",
            b"{}",
            b"{\"hook_event_name\":7}",
            b"\xff\xfe",
            b"{\"hook_event_name\":\"Stop\"",
        ];
        for bytes in garbage {
            assert_eq!(event(bytes, |_, _| None), None, "{bytes:?}");
        }
        assert!(event(b"{\"hook_event_name\":\"Stop\"}", |_, _| None).is_some());
    }

    #[test]
    fn a_field_of_the_wrong_type_does_not_cost_the_event() {
        let event = read(
            r#"{"hook_event_name":"Stop","session_id":7,"cwd":null,"agent_id":null,"transcript_path":""}"#,
        )
        .unwrap();
        assert_eq!((event.kind, event.session.as_str()), (EventKind::TurnEnd, ""));
        assert_eq!((event.cwd, event.subagent, event.transcript), (None, None, None));
    }

    #[test]
    fn text_for_the_model_and_a_line_for_the_person_go_out_in_one_object() {
        let event = HookEvent { name: "PostToolUse".to_owned(), ..HookEvent::default() };
        let model = r#""hookSpecificOutput":{"additionalContext":"b","hookEventName":"PostToolUse"}"#;
        assert_eq!(say(&event, "b", ""), format!("{{{model}}}"));
        assert_eq!(say(&event, "b", "m"), format!(r#"{{{model},"systemMessage":"m"}}"#));
        assert_eq!(say(&event, "", "m"), r#"{"systemMessage":"m"}"#);
        assert_eq!(say(&event, "", ""), "");
    }
}
