//! A row of the log of events → [`ReplayRow`], for measuring.

use serde_json::Value;

use super::events::{LoggedChange, is_typed, kind};
use crate::clients::replay::ReplayCall;
use crate::clients::replay::{ReplayMark, ReplayRow};
use crate::clients::rows::{listed_todos, replayed, replayed_call};
use crate::model::entry::EntryId;

/// Reads one line.
pub fn row(line: &[u8]) -> ReplayRow {
    replayed(line, understood)
}

fn understood(row: &Value) -> ReplayRow {
    let part = &row["data"]["part"];
    let said = || part["text"].as_str().unwrap_or_default().to_owned();
    let is_ended = !part["time"]["end"].is_null();
    let shown = match (part["type"].as_str(), row["role"].as_str()) {
        _ if kind(row) != Some(LoggedChange::Part) => ReplayRow::default(),
        (Some("text"), Some("user")) => {
            let typed = if is_typed(part) { said().trim().to_owned() } else { String::new() };
            ReplayRow { text: said(), typed, ..ReplayRow::default() }
        }
        (Some("text"), Some("assistant")) if row["mode"] == "compaction" && is_ended => ReplayRow {
            text: said(),
            mark: ReplayMark::Compacted(said()),
            manual: row["auto"] == 0,
            ..ReplayRow::default()
        },
        (Some("text"), Some("assistant")) if is_ended => ReplayRow { text: said(), ..ReplayRow::default() },
        (Some("tool"), _) => called(part),
        _ => ReplayRow::default(),
    };
    let cwd = row["cwd"].as_str().map(str::to_owned);
    ReplayRow { id: part["id"].as_str().map(EntryId::of), sub: row["parent"].is_string(), cwd, ..shown }
}

/// A call and what it printed are in one row.
fn called(part: &Value) -> ReplayRow {
    let (state, paths) = (&part["state"], ["filePath", "path"]);
    let input = &state["input"];
    let printed = state["output"].as_str().or(state["error"].as_str()).unwrap_or_default();
    let call = ReplayCall {
        tasks: listed_todos(input),
        ..replayed_call(&part["callID"], input, &paths, &["pattern", "query"])
    };
    ReplayRow { text: format!("{}\n{printed}", call.given), calls: vec![call], ..ReplayRow::default() }
}
