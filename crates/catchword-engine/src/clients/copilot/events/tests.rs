use serde_json::json;

use super::*;

fn read(kind: &str, data: &Value) -> Vec<Part> {
    let row = json!({"type": kind, "data": data, "id": "i", "parentId": null});
    assert!(is_row(row.to_string().as_bytes()));
    row_entry(Place(1), &row).map(|entry| entry.parts).unwrap_or_default()
}

#[test]
fn only_what_a_person_typed_is_theirs() {
    let said = |data: Value| read("user.message", &data);
    let typed = Part::Prompt { text: "Fix it".into(), origin: Origin::Typed, queued: false };
    assert_eq!(
        said(
            json!({"content": "Fix it", "transformedContent": "<current_datetime>x</current_datetime>\n\nFix it"})
        ),
        std::slice::from_ref(&typed)
    );
    let frame = "<catchword-record>\nx\n</catchword-record>";
    let given = Part::Injected { event: "userPromptSubmitted".into(), text: frame.into() };
    let both = said(
        json!({"content": "Fix it", "transformedContent": format!("Fix it\n<system_reminder>\n{frame}\n</system_reminder>")}),
    );
    assert_eq!(both, [typed, given]);
    let agent = Part::Delivered { text: "x".into(), origin: Origin::Agent("a1".into()) };
    assert_eq!(said(json!({"content": "x", "source": "agent-a1"})), [agent]);
    assert_eq!(said(json!({"content": "x", "source": "skill-pdf"})), []);
    assert_eq!(said(json!({"content": "x", "isAutopilotContinuation": true})), []);
}

#[test]
fn a_failing_command_succeeds_as_a_call() {
    let frame = "<catchword-record>\nx\n</catchword-record>";
    let content = format!(
        "E1\n<shellId: 1 completed with exit code 3>\n\nTool \"bash\" succeeded. Additional guidance from postToolUse hooks:\n{frame}"
    );
    let data = json!({"toolCallId": "c", "success": true, "shellExecution": {"exitCode": 3}, "result": {"content": content}});
    let extra = Extra { exit_code: Some(3), ..Extra::default() };
    let result = Part::Result { call: "c".into(), ok: false, text: "E1".into(), extra };
    let given = Part::Injected { event: "postToolUse".into(), text: frame.into() };
    assert_eq!(read("tool.execution_complete", &data), [result.clone(), given]);
    // A line of ours without a frame.
    let mut other = data;
    other["result"]["content"] = json!(content.replace(frame, "catchword, from the record: x"));
    assert_eq!(read("tool.execution_complete", &other), [result]);
}

#[test]
fn a_compaction_counts_once_it_is_applied() {
    let data = json!({"success": true, "summaryContent": "s", "trigger": "manual", "preCompactionTokens": 9, "postCompactionTokens": 3});
    let compaction = Part::Compaction { manual: true, before: Some(9), after: Some(3) };
    assert_eq!(read("session.compaction_complete", &data), [compaction, Part::Summary("s".into())]);
    assert_eq!(read("session.compaction_complete", &json!({"success": false, "error": "x"})), []);
}

#[test]
fn rows_of_a_subagent_are_told_by_their_ids() {
    let of = |row: Value| row_entry(Place(1), &row).unwrap().thread;
    let data = json!({"toolCallId": "c", "toolName": "bash", "arguments": {"command": "ls"}});
    assert_eq!(of(json!({"type": "tool.execution_start", "data": data})), Thread::Main);
    assert_eq!(of(json!({"type": "tool.execution_start", "data": data, "agentId": "a"})), Thread::Sub);
    let mut of_call = data;
    of_call["parentToolCallId"] = json!("p");
    assert_eq!(of(json!({"type": "tool.execution_start", "data": of_call})), Thread::Sub);
}
