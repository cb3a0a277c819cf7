use serde_json::json;

use super::*;

#[expect(clippy::needless_pass_by_value, reason = "tests hand over `json!` literals")]
fn read(row: Value) -> Vec<Part> {
    assert!(is_row(row.to_string().as_bytes()), "{row}");
    row_entry(Place(1), &row).map(|entry| entry.parts).unwrap_or_default()
}

#[expect(clippy::needless_pass_by_value, reason = "tests hand over `json!` literals")]
fn message(role: &str, more: Value) -> Value {
    let mut message = json!({"role": role});
    message.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    json!({"type": "message", "id": "a", "parentId": null, "message": message})
}

#[test]
fn a_failing_command_has_its_exit_code_and_only_what_it_printed() {
    let content = json!([{"type": "text", "text": "E1\n\n\nCommand exited with code 3"}]);
    let row = message(
        "toolResult",
        json!({"toolCallId": "c", "toolName": "bash", "content": content, "isError": true}),
    );
    let extra = Extra { exit_code: Some(3), ..Extra::default() };
    assert_eq!(read(row), [Part::Result { call: "c".into(), ok: false, text: "E1".into(), extra }]);
    let told = json!([{"type": "text", "text": "grep: Command exited with code 3"}]);
    let row = message(
        "toolResult",
        json!({"toolCallId": "c", "toolName": "bash", "content": told, "isError": false}),
    );
    let whole = Part::Result {
        call: "c".into(),
        ok: true,
        text: "grep: Command exited with code 3".into(),
        extra: Extra::default(),
    };
    assert_eq!(read(row), [whole]);
}

#[test]
fn thoughts_are_not_said_and_edits_are_read_whole() {
    let content = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "On it."},
        {"type": "toolCall", "id": "c", "name": "edit", "arguments": {"path": "a", "edits": [{"oldText": "1", "newText": "2"}]}}]);
    let parts = read(message("assistant", json!({"content": content, "stopReason": "toolUse"})));
    let edit = Tool::Edit { path: "a".into(), change: "1\n2".into(), added: "2".into() };
    let id = Some(EntryId::of("a"));
    assert_eq!(
        parts,
        [Part::Message(id), Part::Text("On it.".into()), Part::Call { id: "c".into(), tool: edit }]
    );
}

#[test]
fn a_file_is_named_after_its_session() {
    assert_eq!(id_in(Path::new("/s/2026-11-16T16-32-18-641Z_01a1e533.jsonl")), Some("01a1e533"));
    assert_eq!(id_in(Path::new("/s/x.jsonl")), None);
}
