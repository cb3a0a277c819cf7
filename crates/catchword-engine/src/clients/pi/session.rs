//! A row of a session file → [`Entry`].
//!
//! Rows form a tree: a prompt whose parent another prompt has, too, takes that one back.

use std::path::Path;

use serde_json::Value;

use crate::clients::inputs::arguments_in;
use crate::clients::rows::{RowReading, edited, milliseconds, parsed, searched, text, typed};
use crate::clients::{Owner, Understood};
use crate::model::entry::{Entry, EntryId, Extra, KeptByClient, Lasting, Part, Place, Thread, Tool, Usage};

/// Behind the output of a failing command.
const EXITED: &str = "Command exited with code ";
/// The latest messages stay; how many depends on their size.
static KEPT: KeptByClient =
    KeptByClient { round: true, messages: false, files: 0, not_files: std::borrow::Cow::Borrowed(&[]) };

pub fn entry(place: Place, line: &[u8]) -> Understood {
    RowReading { is_skipped: |_| false, entry: row_entry }.read(place, line)
}

/// The first row has a version and a folder; the others an id, and the id of the row before them.
pub fn is_row(line: &[u8]) -> bool {
    parsed(line.trim_ascii()).is_ok_and(|row| match row["type"].as_str() {
        Some("session") => row["version"].is_u64() && row["cwd"].is_string(),
        Some("message") => row["message"]["role"].is_string() && row.get("parentId").is_some(),
        Some("compaction") => row["summary"].is_string() && row.get("parentId").is_some(),
        Some("model_change" | "thinking_level_change") => row.get("parentId").is_some(),
        _ => false,
    })
}

/// The id at the end of a file's name: `<time>_<id>.jsonl`.
pub fn id_in(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()?.rsplit_once('_').map(|(_, id)| id)
}

/// The first row names the session, and so does the file.
pub fn owner(path: &Path, line: &[u8]) -> Option<Owner> {
    let row = parsed(line.trim_ascii()).ok();
    let named = row.as_ref().filter(|row| row["type"] == "session").and_then(|row| row["id"].as_str());
    let session = named.or_else(|| id_in(path))?.to_owned();
    Some(Owner { session, subagent: None })
}

fn row_entry(place: Place, row: &Value) -> Option<Entry> {
    let message = &row["message"];
    let is_first = row["type"] == "session";
    let parts = match (row["type"].as_str()?, message["role"].as_str()) {
        ("session", _) => Vec::new(),
        ("model_change", _) => text(row, "modelId").map(Part::Model).into_iter().collect(),
        ("message", Some("user")) => {
            let text = texts(message).trim().to_owned();
            Some(text).filter(|text| !text.is_empty()).map(typed).into_iter().collect()
        }
        ("message", Some("assistant")) => answered(row, message),
        ("message", Some("toolResult")) => vec![ended(message)],
        ("compaction", _) => {
            let before = row["tokensBefore"].as_u64();
            let compaction = Part::Compaction { manual: false, before, after: None };
            // The row stands before the start that follows; which messages stay depends on their size.
            let kept = Part::Kept(Vec::new());
            [compaction].into_iter().chain(text(row, "summary").map(Part::Summary)).chain([kept]).collect()
        }
        _ => return None,
    };
    Some(Entry {
        place,
        id: row["id"].as_str().map(EntryId::of),
        parent: row["parentId"].as_str().map(EntryId::of),
        time: row["timestamp"].as_str().and_then(milliseconds),
        cwd: text(row, "cwd"),
        keeps: Some(&KEPT),
        lasting: is_first.then_some(Lasting { thread: Some(Thread::Main), asks_person: None }),
        parts,
        ..Entry::default()
    })
}

/// The texts of a message, without the model's thoughts.
pub fn texts(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        content => {
            let parts = content.as_array().into_iter().flatten().filter(|part| part["type"] == "text");
            parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}

pub fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message["content"].as_array().into_iter().flatten().filter(|part| part["type"] == "toolCall")
}

fn answered(row: &Value, message: &Value) -> Vec<Part> {
    let mut parts = vec![Part::Message(row["id"].as_str().map(EntryId::of))];
    parts.extend(text(message, "model").map(Part::Model));
    let said = texts(message).trim().to_owned();
    parts.extend(Some(said).filter(|said| !said.is_empty()).map(Part::Text));
    parts.extend(calls(message).map(called));
    let usage = &message["usage"];
    let of = |key: &str| usage[key].as_u64().unwrap_or(0);
    let input = of("input") + of("cacheRead") + of("cacheWrite");
    if input > 0 {
        parts.push(Part::Usage(Usage { input, output: of("output"), window: None }));
    }
    parts.extend((message["stopReason"] == "stop").then_some(Part::TurnEnd));
    parts.extend((message["stopReason"] == "aborted").then_some(Part::Interrupted));
    parts
}

fn called(call: &Value) -> Part {
    let input = &call["arguments"];
    let of = |key: &str| text(input, key).unwrap_or_default();
    let tool = match call["name"].as_str().unwrap_or_default() {
        "bash" => Tool::Shell { command: of("command"), background: false },
        "read" => Tool::Read { path: of("path") },
        "write" => Tool::Write { path: of("path"), content: of("content") },
        "edit" => {
            let all = |key: &str| {
                let edits = input["edits"].as_array().into_iter().flatten();
                let one = edits.chain([input]).filter_map(|edit| edit[key].as_str());
                one.collect::<Vec<_>>().join("\n")
            };
            edited(of("path"), &all("oldText"), all("newText"))
        }
        "grep" => searched(input, true),
        "find" => searched(input, false),
        name => Tool::Other { name: name.to_owned(), input: arguments_in(input) },
    };
    Part::Call { id: text(call, "id").unwrap_or_default(), tool }
}

/// A failing command is an error, and its exit code the last line.
fn ended(message: &Value) -> Part {
    let whole = texts(message);
    let is_error = message["isError"] == true;
    let (printed, exit_code) = match whole.rsplit_once(EXITED) {
        Some((printed, code)) if is_error && message["toolName"] == "bash" => {
            (printed.trim_end().to_owned(), code.trim().parse().ok())
        }
        _ => (whole, None),
    };
    let extra = Extra { exit_code, ..Extra::default() };
    Part::Result {
        call: text(message, "toolCallId").unwrap_or_default(),
        ok: !is_error,
        text: printed,
        extra,
    }
}

#[cfg(test)]
mod tests;
