//! A row of a Codex rollout → [`ReplayRow`], for measuring.

use serde_json::Value;

use super::rollout::{kept, parsed};
use crate::clients::inputs::strings;
use crate::clients::replay::{ReplayCall, ReplayMark, ReplayRow, TaskChange};

/// Reads one line.
pub fn row(line: &[u8]) -> ReplayRow {
    parsed(line.trim_ascii()).map_or_else(|_| ReplayRow::default(), |row| understood(&row))
}

fn understood(row: &Value) -> ReplayRow {
    let payload = &row["payload"];
    let is_current = row["ordinal"].is_u64();
    let kind = row["type"].as_str().unwrap_or_default();
    let cwd = payload["cwd"].as_str().map(str::to_owned);
    match kind {
        // The summary and the messages that stay are one row.
        "compacted" => {
            let summary = payload["message"].as_str().unwrap_or_default().to_owned();
            let text = [kept(payload), vec![summary.clone()]].concat().join("\n");
            ReplayRow { text, mark: ReplayMark::Compacted(summary), ..ReplayRow::default() }
        }
        "response_item" => ReplayRow { cwd, ..response(payload, is_current) },
        "event_msg" if payload["type"] == "user_message" && !is_current => {
            let typed = payload["message"].as_str().unwrap_or_default().trim().to_owned();
            ReplayRow { text: typed.clone(), typed, ..ReplayRow::default() }
        }
        "session_meta" | "turn_context" => ReplayRow { cwd, ..ReplayRow::default() },
        _ => ReplayRow::default(),
    }
}

/// The model saw the response items, in old and new rollouts.
fn response(item: &Value, is_current: bool) -> ReplayRow {
    let of = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
    match item["type"].as_str().unwrap_or_default() {
        "message" => {
            let kinds = &item["internal_chat_message_metadata_passthrough"]["content_item_kinds"];
            let is_typed = kinds.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "user.text"));
            let text = strings(&item["content"]);
            let typed = if is_typed { text.trim().to_owned() } else { String::new() };
            // In old rollouts an event has the person's words.
            let is_shown = item["role"] == "assistant" || is_current;
            ReplayRow { text: if is_shown { text } else { String::new() }, typed, ..ReplayRow::default() }
        }
        "function_call" => {
            let input: Value = serde_json::from_str(&of("arguments")).unwrap_or_default();
            called(of("call_id"), &of("name"), &input, of("arguments"))
        }
        "custom_tool_call" => {
            let input = Value::String(of("input"));
            called(of("call_id"), &of("name"), &input, of("input"))
        }
        "function_call_output" | "custom_tool_call_output" => {
            ReplayRow { text: strings(&item["output"]), ..ReplayRow::default() }
        }
        _ => ReplayRow::default(),
    }
}

fn called(id: String, name: &str, input: &Value, text: String) -> ReplayRow {
    let command = ["cmd", "command"].iter().find_map(|key| input[key].as_str()).map(str::to_owned);
    let patched = input.as_str().filter(|_| name == "apply_patch").map(patched).unwrap_or_default();
    let paths = ["path", "file_path"].iter().filter_map(|key| input[key].as_str()).map(str::to_owned);
    let call = ReplayCall {
        id,
        paths: paths.chain(patched).collect(),
        command,
        words: ["query", "pattern"].iter().filter_map(|key| input[key].as_str()).map(str::to_owned).collect(),
        given: strings(input),
        tasks: (name == "update_plan").then(|| plan(input)).flatten(),
    };
    ReplayRow { text, calls: vec![call], ..ReplayRow::default() }
}

/// The files that a patch names.
fn patched(patch: &str) -> Vec<String> {
    let heads = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let named = |line: &str| heads.iter().find_map(|head| line.strip_prefix(head)).map(str::to_owned);
    patch.lines().filter_map(named).collect()
}

fn plan(input: &Value) -> Option<TaskChange> {
    let steps = input["plan"].as_array()?.iter().filter(|step| step.is_object());
    let of =
        |step: &Value| (step["step"].as_str().unwrap_or_default().to_owned(), step["status"] != "completed");
    Some(TaskChange::List(steps.map(of).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(kind: &str, payload: &Value) -> ReplayRow {
        row(json!({"timestamp": "t", "type": kind, "payload": payload}).to_string().as_bytes())
    }

    #[test]
    fn calls_are_read_with_their_commands_files_and_plans() {
        let call = |name: &str, arguments: &Value| {
            let payload = json!({"type": "function_call", "name": name, "call_id": "c", "arguments": arguments.to_string()});
            of("response_item", &payload).calls.remove(0)
        };
        assert_eq!(call("exec_command", &json!({"cmd": "ls -l"})).command.as_deref(), Some("ls -l"));
        let plan = call("update_plan", &json!({"plan": [{"step": "a", "status": "pending"}]}));
        assert_eq!(plan.tasks, Some(TaskChange::List(vec![("a".into(), true)])));
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n+*** Add File: no\n*** End Patch";
        let payload =
            json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c", "input": patch});
        assert_eq!(of("response_item", &payload).calls[0].paths, ["src/a.rs"]);
    }

    #[test]
    fn a_compaction_leaves_the_persons_messages_and_the_summary() {
        let kept =
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]});
        let row = of("compacted", &json!({"message": "sum", "replacement_history": [kept]}));
        assert_eq!(row.text, "go\nsum");
        assert_eq!(row.mark, ReplayMark::Compacted("sum".into()));
    }
}
