//! A row of a chat file → [`ReplayRow`], for measuring.

use serde_json::Value;

use super::chat::{functions, summary, texts};
use crate::clients::inputs::strings;
use crate::clients::replay::{ReplayCall, ReplayMark, ReplayRow};
use crate::clients::rows::{listed_todos, replayed, replayed_call};
use crate::model::entry::EntryId;

/// Reads one line.
pub fn row(line: &[u8]) -> ReplayRow {
    replayed(line, understood)
}

fn understood(row: &Value) -> ReplayRow {
    let message = &row["message"];
    let said = texts(message).collect::<Vec<_>>().join("\n");
    let shown = match row["type"].as_str().unwrap_or_default() {
        "user" => {
            let typed = if row["provenance"] == "real_user" { said.trim().to_owned() } else { String::new() };
            ReplayRow { text: said, typed, ..ReplayRow::default() }
        }
        "assistant" => {
            let calls: Vec<ReplayCall> = functions(message, "functionCall").map(call).collect();
            let given: Vec<&str> = calls.iter().map(|call| call.given.as_str()).collect();
            ReplayRow { text: format!("{said}\n{}", given.join("\n")), calls, ..ReplayRow::default() }
        }
        "tool_result" => {
            let answers = functions(message, "functionResponse").map(|answer| strings(&answer["response"]));
            ReplayRow { text: answers.collect::<Vec<_>>().join("\n"), ..ReplayRow::default() }
        }
        "system" if row["subtype"] == "chat_compression" => {
            let payload = &row["systemPayload"];
            let summary = summary(payload).unwrap_or_default().to_owned();
            ReplayRow {
                text: strings(&payload["compressedHistory"]),
                mark: ReplayMark::Compacted(summary),
                manual: payload["info"]["triggerReason"] == "manual",
                ..ReplayRow::default()
            }
        }
        _ => ReplayRow::default(),
    };
    let cwd = row["cwd"].as_str().map(str::to_owned);
    let sub = row["isSidechain"] == true;
    ReplayRow { id: row["uuid"].as_str().map(EntryId::of), cwd, sub, ..shown }
}

fn call(call: &Value) -> ReplayCall {
    let input = &call["args"];
    let paths = ["file_path", "absolute_path", "path"];
    ReplayCall {
        tasks: listed_todos(input),
        ..replayed_call(&call["id"], input, &paths, &["pattern", "query"])
    }
}
