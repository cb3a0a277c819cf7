//! Reading of rows for clients whose JSON objects are read without types of their own.

use serde_json::Value;

use super::Understood;
use super::inputs::strings;
use super::replay::{ReplayCall, ReplayRow, TaskChange};
use crate::model::entry::{Entry, Part, Place, TaskStatus, Todo, Tool};
use crate::model::origin::Origin;
use crate::redact::UnmaskedEntry;

/// Which lines are skipped without parsing them, and what a row says.
pub struct RowReading {
    pub is_skipped: fn(&[u8]) -> bool,
    pub entry: fn(Place, &Value) -> Option<Entry>,
}

impl RowReading {
    /// A line as an entry. Zeros that a crash left before it are skipped.
    pub fn read(&self, place: Place, line: &[u8]) -> Understood {
        let start = line.iter().position(|b| *b != 0 && !b.is_ascii_whitespace()).unwrap_or(line.len());
        let line = line[start..].trim_ascii_end();
        if line.is_empty() || (self.is_skipped)(line) {
            return Ok(None);
        }
        if line[0] != b'{' {
            return Err("not a JSON object".to_owned());
        }
        match parsed(line) {
            Ok(row) => Ok((self.entry)(place, &row).map(UnmaskedEntry::new)),
            Err(error) => Err(format!("invalid JSON at byte {} of the line", error.column())),
        }
    }
}

pub fn parsed(line: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_str(&String::from_utf8_lossy(line))
}

/// A line as a measurement needs it.
pub fn replayed(line: &[u8], row: fn(&Value) -> ReplayRow) -> ReplayRow {
    parsed(line.trim_ascii()).map_or_else(|_| ReplayRow::default(), |value| row(&value))
}

pub fn milliseconds(timestamp: &str) -> Option<i64> {
    timestamp.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

/// A member that is a text and not empty.
pub fn text(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// What a person typed.
pub fn typed(text: String) -> Part {
    Part::Prompt { text, origin: Origin::Typed, queued: false }
}

/// A change of a file: what it takes out, and what it puts in.
pub fn edited(path: String, removed: &str, added: String) -> Tool {
    Tool::Edit { path, change: format!("{removed}\n{added}"), added }
}

/// A search, for text or for files.
pub fn searched(input: &Value, in_text: bool) -> Tool {
    Tool::Search { pattern: text(input, "pattern").unwrap_or_default(), path: text(input, "path"), in_text }
}

pub fn exit_code(code: &Value) -> Option<i32> {
    code.as_i64().and_then(|code| i32::try_from(code).ok())
}

/// The whole list that an input gives.
pub fn todos(input: &Value) -> Vec<Todo> {
    let status = |todo: &Value| match todo["status"].as_str() {
        Some("completed") => TaskStatus::Completed,
        Some("in_progress") => TaskStatus::InProgress,
        Some("cancelled") => TaskStatus::Deleted,
        _ => TaskStatus::Pending,
    };
    let listed = input["todos"].as_array().into_iter().flatten();
    listed.filter_map(|todo| Some(Todo { text: text(todo, "content")?, status: status(todo) })).collect()
}

/// The same for a measurement.
pub fn listed_todos(input: &Value) -> Option<TaskChange> {
    let is_open = |todo: &Todo| matches!(todo.status, TaskStatus::Pending | TaskStatus::InProgress);
    let items =
        || todos(input).into_iter().map(|todo| (is_open(&todo), todo.text)).map(|(open, text)| (text, open));
    input["todos"].is_array().then(|| TaskChange::List(items().collect()))
}

/// A call by what it may need again: members of its input with files, and those with search terms.
pub fn replayed_call(id: &Value, input: &Value, paths: &[&str], words: &[&str]) -> ReplayCall {
    let all = |keys: &[&str]| {
        keys.iter().filter_map(|key| input[key].as_str()).map(str::to_owned).collect::<Vec<_>>()
    };
    ReplayCall {
        id: id.as_str().unwrap_or_default().to_owned(),
        paths: all(paths),
        command: all(&["command"]).pop(),
        words: all(words),
        given: strings(input),
        tasks: None,
    }
}
