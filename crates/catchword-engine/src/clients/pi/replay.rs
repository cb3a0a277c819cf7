//! A row of a session file → [`ReplayRow`], for measuring.

use serde_json::Value;

use super::session::{calls, texts};
use crate::clients::replay::{ReplayCall, ReplayMark, ReplayRow};
use crate::clients::rows::{replayed, replayed_call};
use crate::model::entry::EntryId;

/// Reads one line.
pub fn row(line: &[u8]) -> ReplayRow {
    replayed(line, understood)
}

fn understood(row: &Value) -> ReplayRow {
    let message = &row["message"];
    let said = texts(message);
    let shown = match (row["type"].as_str().unwrap_or_default(), message["role"].as_str().unwrap_or_default())
    {
        ("message", "user") => {
            ReplayRow { typed: said.trim().to_owned(), text: said, ..ReplayRow::default() }
        }
        ("message", "assistant") => {
            let calls: Vec<ReplayCall> = calls(message).map(call).collect();
            let given: Vec<&str> = calls.iter().map(|call| call.given.as_str()).collect();
            ReplayRow { text: format!("{said}\n{}", given.join("\n")), calls, ..ReplayRow::default() }
        }
        ("message", "toolResult") => ReplayRow { text: said, ..ReplayRow::default() },
        ("compaction", _) => {
            // The latest messages stay, too; they are not counted as known.
            let summary = row["summary"].as_str().unwrap_or_default().to_owned();
            ReplayRow { text: summary.clone(), mark: ReplayMark::Compacted(summary), ..ReplayRow::default() }
        }
        _ => ReplayRow::default(),
    };
    let cwd = row["cwd"].as_str().map(str::to_owned);
    ReplayRow { id: row["id"].as_str().map(EntryId::of), cwd, ..shown }
}

fn call(call: &Value) -> ReplayCall {
    replayed_call(&call["id"], &call["arguments"], &["path"], &["pattern"])
}
