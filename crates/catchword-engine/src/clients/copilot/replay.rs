//! A row of a session's events → [`ReplayRow`], for measuring.

use serde_json::Value;

use super::events::{is_subagents, origin};
use super::todos;
use crate::clients::inputs::strings;
use crate::clients::replay::{ReplayCall, ReplayMark, ReplayRow, TaskChange};
use crate::clients::rows::{replayed, replayed_call};
use crate::model::entry::{EntryId, Part, TaskStatus};
use crate::model::origin::Origin;

/// Reads one line.
pub fn row(line: &[u8]) -> ReplayRow {
    replayed(line, understood)
}

fn understood(row: &Value) -> ReplayRow {
    let data = &row["data"];
    let of = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
    let shown = match row["type"].as_str().unwrap_or_default() {
        "user.message" => {
            let typed = Some(of("content")).filter(|_| origin(data) == Origin::Typed).unwrap_or_default();
            ReplayRow { text: of("content"), typed: typed.trim().to_owned(), ..ReplayRow::default() }
        }
        "assistant.message" => {
            let text = format!("{}\n{}", of("content"), strings(&data["toolRequests"]));
            ReplayRow { text, ..ReplayRow::default() }
        }
        "tool.execution_start" => ReplayRow { calls: vec![call(data)], ..ReplayRow::default() },
        "tool.execution_complete" => {
            let text = data["result"]["content"].as_str().or(data["error"]["message"].as_str());
            ReplayRow { text: text.unwrap_or_default().to_owned(), ..ReplayRow::default() }
        }
        "session.compaction_complete" if data["success"] == true => {
            let summary = of("summaryContent");
            let mark = ReplayMark::Compacted(summary.clone());
            ReplayRow { text: summary, mark, manual: data["trigger"] == "manual", ..ReplayRow::default() }
        }
        _ => ReplayRow::default(),
    };
    let cwd = data["context"]["cwd"].as_str().map(str::to_owned);
    ReplayRow { id: row["id"].as_str().map(EntryId::of), sub: is_subagents(row), cwd, ..shown }
}

fn call(data: &Value) -> ReplayCall {
    let input = &data["arguments"];
    let tasks = input["query"].as_str().filter(|_| data["toolName"] == "sql").and_then(listed);
    ReplayCall { tasks, ..replayed_call(&data["toolCallId"], input, &["path"], &["pattern", "query"]) }
}

/// The tasks that a statement adds.
fn listed(query: &str) -> Option<TaskChange> {
    todos::parts("", query).into_iter().find_map(|part| match part {
        Part::Tasks { tasks, whole: false } => {
            let item =
                |task: crate::model::entry::TaskState| (task.subject, task.status != TaskStatus::Completed);
            Some(TaskChange::List(tasks.into_iter().map(item).collect()))
        }
        _ => None,
    })
}
