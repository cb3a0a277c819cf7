use serde_json::json;

use super::*;
use crate::model::origin::Origin;

fn read(row: &Value) -> Vec<Part> {
    row_entry(Place(1), row).map(|entry| entry.parts).unwrap_or_default()
}

fn user(provenance: &str, texts: &[&str]) -> Value {
    let parts: Vec<Value> = texts.iter().map(|text| json!({"text": text})).collect();
    json!({"type": "user", "provenance": provenance, "message": {"role": "user", "parts": parts}})
}

#[test]
fn only_what_a_person_typed_is_theirs() {
    let typed = |text: &str| Part::Prompt { text: text.into(), origin: Origin::Typed, queued: false };
    assert_eq!(read(&user("real_user", &["Fix it"])), [typed("Fix it")]);
    assert_eq!(read(&user("auto_continuation", &["Go on"])), []);
    let frame = "&lt;catchword-record&gt;\nx &amp; y\n&lt;/catchword-record&gt;";
    let given = Part::Injected {
        event: "additionalContext".into(),
        text: "<catchword-record>\nx &amp; y\n</catchword-record>".into(),
    };
    assert_eq!(read(&user("real_user", &["Fix it", frame])), [typed("Fix it"), given]);
}

#[test]
fn a_command_has_its_exit_code_and_only_what_it_printed() {
    let told = "Command: x\nDirectory: (root)\nOutput: E1\nExit Code: 3";
    let answer = json!({"id": "c", "name": "run_shell_command", "response": {"error": told}});
    let shown = json!({"type": "shell_result", "exitCode": 3, "output": "E1"});
    let row = json!({"type": "tool_result", "message": {"parts": [{"functionResponse": answer}]},
        "toolCallResult": {"status": "error", "resultDisplay": shown}});
    let extra = Extra { exit_code: Some(3), ..Extra::default() };
    assert_eq!(read(&row), [Part::Result { call: "c".into(), ok: false, text: "E1".into(), extra }]);
}

#[test]
fn a_compaction_has_its_summary_and_no_copies() {
    let history = json!([{"role": "user", "parts": [{"text": "<state_snapshot>s</state_snapshot>\n\nResume the prior task using the summary above."}]},
        {"role": "user", "parts": [{"text": "Never do that."}]}]);
    let info = json!({"originalTokenCount": 96_000, "newTokenCount": 1_000, "triggerReason": "token_limit"});
    let row = json!({"type": "system", "subtype": "chat_compression",
        "systemPayload": {"info": info, "compressedHistory": history}});
    let compaction = Part::Compaction { manual: false, before: Some(96_000), after: Some(1_000) };
    assert_eq!(read(&row), [compaction, Part::Summary("<state_snapshot>s</state_snapshot>".into())]);
}

#[test]
fn what_a_person_wrote_cannot_make_a_row_be_skipped() {
    let row = user("real_user", &["Look at \"subtype\":\"ui_telemetry\" here"]).to_string();
    assert!(!is_skipped(row.as_bytes()));
    let skipped = r#"{"uuid":"u","type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{}}}"#;
    assert!(is_skipped(skipped.as_bytes()) && !is_skipped(&skipped.as_bytes()[..skipped.len() - 3]));
}

#[test]
fn rows_of_a_subagent_are_its_own() {
    let row = json!({"type": "user", "sessionId": "s", "agentId": "a-1", "isSidechain": true,
        "message": {"role": "user", "parts": [{"text": "Look around."}]}});
    let line = row.to_string();
    assert!(is_row(line.as_bytes()));
    let path = Path::new("/q/projects/p/subagents/s/agent-a-1.jsonl");
    assert_eq!(subagents_of(Path::new("/q/projects/p/chats/s.jsonl")).as_deref(), path.parent());
    let own = Owner { session: "s".into(), subagent: Some("a-1".into()) };
    assert_eq!(owner(path, line.as_bytes()), Some(own));
    let entry = row_entry(Place(1), &row).expect("an entry");
    assert_eq!((entry.thread, entry.parts.len()), (Thread::Sub, 1));
}
