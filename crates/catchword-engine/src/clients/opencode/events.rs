//! A row of the log of events → [`Entry`].
//!
//! A part is read from the row that finishes it, a message from the row that completes it.

use std::path::Path;

use serde_json::Value;

use crate::clients::inputs::arguments_in;
use crate::clients::rows::{RowReading, edited, exit_code, parsed, searched, text, todos, typed};
use crate::clients::{Owner, Understood};
use crate::model::entry::{Entry, EntryId, Extra, KeptByClient, Part, Place, Slash, Thread, Tool, Usage};

/// Nothing but the summary stays.
static KEPT: KeptByClient =
    KeptByClient { round: false, messages: false, files: 0, not_files: std::borrow::Cow::Borrowed(&[]) };
/// What our plugin notes at the text of a command, which looks like a prompt.
const COMMAND: &str = "catchword_command";
/// What the client puts behind the output of a command.
const REMARKS: &str = "\n\n<bash_metadata>";

pub fn entry(place: Place, line: &[u8]) -> Understood {
    RowReading { is_skipped: |line| line == b"{}", entry: row_entry }.read(place, line)
}

/// A line of ours: an event of a session in the database of this client.
pub fn is_row(line: &[u8], client: &str) -> bool {
    parsed(line.trim_ascii())
        .is_ok_and(|row| row["client"] == client && row["event"].is_string() && row["data"].is_object())
}

/// Every row names the session and the one whose agent started it.
pub fn owner(_: &Path, line: &[u8]) -> Option<Owner> {
    let row = parsed(line.trim_ascii()).ok()?;
    let session = text(&row, "session")?;
    Some(match text(&row, "parent") {
        Some(parent) => Owner { session: parent, subagent: Some(session) },
        None => Owner { session, subagent: None },
    })
}

fn row_entry(place: Place, row: &Value) -> Option<Entry> {
    let (part, info) = (&row["data"]["part"], &row["data"]["info"]);
    let parts = match kind(row)? {
        LoggedChange::Part => of_part(row, part)?,
        LoggedChange::Message => completed(info),
        LoggedChange::Removed if row["role"] == "user" && row["typed"] == 1 => vec![Part::RolledBack(1)],
        LoggedChange::Removed => return None,
        LoggedChange::Session => Vec::new(),
    };
    let id = text(part, "id").or_else(|| text(info, "id"));
    Some(Entry {
        place,
        // A later row of the same part says nothing new.
        id: id.filter(|_| !parts.is_empty()).map(|id| EntryId::of(&id)),
        time: row["data"]["time"].as_i64().or_else(|| info["time"]["completed"].as_i64()),
        thread: if row["parent"].is_string() { Thread::Sub } else { Thread::Main },
        cwd: text(row, "cwd"),
        keeps: Some(&KEPT),
        parts,
        ..Entry::default()
    })
}

/// What a row is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LoggedChange {
    Session,
    Part,
    Message,
    Removed,
}

/// The client numbers the forms of its events.
pub fn kind(row: &Value) -> Option<LoggedChange> {
    match row["event"].as_str()?.rsplit_once('.')?.0 {
        "session.created" => Some(LoggedChange::Session),
        "message.part.updated" => Some(LoggedChange::Part),
        "message.updated" => Some(LoggedChange::Message),
        "message.removed" => Some(LoggedChange::Removed),
        _ => None,
    }
}

fn of_part(row: &Value, part: &Value) -> Option<Vec<Part>> {
    let message = Part::Message(text(part, "messageID").map(|id| EntryId::of(&id)));
    match (part["type"].as_str()?, row["role"].as_str()?) {
        ("text", "user") => said_to_agent(part).map(|said| vec![said]),
        // It is written when it begins, without its end, and again.
        ("text", "assistant") if part["time"]["end"].is_null() => None,
        ("text", "assistant") if row["mode"] == "compaction" => {
            // A summary that failed replaces nothing.
            let compaction = Part::Compaction { manual: row["auto"] == 0, before: None, after: None };
            let summary = text(part, "text").map(Part::Summary);
            // The row stands before the start that follows, and none of the person's messages stays.
            let kept = Part::Kept(Vec::new());
            (row["failed"] != 1).then(|| [compaction].into_iter().chain(summary).chain([kept]).collect())
        }
        ("text", "assistant") => {
            let words = text(part, "text").filter(|text| !text.trim().is_empty())?;
            Some(vec![message, Part::Text(words)])
        }
        ("tool", _) => {
            let mut parts = vec![message];
            parts.extend(called(part));
            parts.push(ended(part));
            Some(parts)
        }
        _ => None,
    }
}

/// Of the texts in the user's role the client marks its own. The text of a command looks like a prompt: our plugin marks
/// it.
fn said_to_agent(part: &Value) -> Option<Part> {
    let words = text(part, "text").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())?;
    let command = &part["metadata"][COMMAND];
    if part["synthetic"] == true || part["ignored"] == true {
        return None;
    }
    if let Some(name) = text(command, "name") {
        let args = text(command, "arguments").unwrap_or_default().trim().to_owned();
        return Some(Part::Slash { name: format!("/{name}"), args, kind: Slash::Prompt });
    }
    Some(typed(words))
}

/// Whether a text in the user's role is the person's.
pub fn is_typed(part: &Value) -> bool {
    matches!(said_to_agent(part), Some(Part::Prompt { .. }))
}

/// Tokens, and the end of a turn. The request for a summary is not of the conversation.
fn completed(info: &Value) -> Vec<Part> {
    if info["role"] != "assistant" || info["summary"] == true || info["time"]["completed"].is_null() {
        return Vec::new();
    }
    let mut parts: Vec<Part> = text(info, "modelID").map(Part::Model).into_iter().collect();
    let tokens = &info["tokens"];
    let of = |value: &Value| value.as_u64().unwrap_or(0);
    let input = of(&tokens["input"]) + of(&tokens["cache"]["read"]) + of(&tokens["cache"]["write"]);
    if input > 0 {
        let output = of(&tokens["output"]) + of(&tokens["reasoning"]);
        parts.push(Part::Usage(Usage { input, output, window: None }));
    }
    parts.extend((info["error"]["name"] == "MessageAbortedError").then_some(Part::Interrupted));
    parts.extend((info["finish"] == "stop").then_some(Part::TurnEnd));
    parts
}

fn called(part: &Value) -> Vec<Part> {
    let state = &part["state"];
    let input = &state["input"];
    let id = text(part, "callID").unwrap_or_default();
    let of = |key: &str| text(input, key).unwrap_or_default();
    let tool = match part["tool"].as_str().unwrap_or_default() {
        "bash" => Tool::Shell { command: of("command"), background: false },
        "read" => Tool::Read { path: of("filePath") },
        "write" => Tool::Write { path: of("filePath"), content: of("content") },
        "edit" => edited(of("filePath"), &of("oldString"), of("newString")),
        "grep" => searched(input, true),
        "glob" => searched(input, false),
        "task" => Tool::Agent { description: of("description"), prompt: of("prompt") },
        "todowrite" => Tool::Todos(todos(input)),
        "skill" => Tool::Skill { name: of("name"), args: String::new() },
        "question" => Tool::Ask { questions: questions(input) },
        name => Tool::Other { name: name.to_owned(), input: arguments_in(input) },
    };
    vec![Part::Call { id, tool }]
}

fn questions(input: &Value) -> Vec<String> {
    let asked = input["questions"].as_array().into_iter().flatten();
    asked.filter_map(|question| text(question, "question")).collect()
}

/// A command that fails is completed, with its exit code.
fn ended(part: &Value) -> Part {
    let state = &part["state"];
    let metadata = &state["metadata"];
    let exit_code = exit_code(&metadata["exit"]);
    let ok = state["status"] == "completed" && exit_code.is_none_or(|code| code == 0);
    let whole = text(state, "output").or_else(|| text(state, "error")).unwrap_or_default();
    let printed = whole.split_once(REMARKS).map_or(whole.as_str(), |(printed, _)| printed).to_owned();
    let refused = state["error"].as_str().is_some_and(|error| error.contains("rejected permission"));
    let extra = Extra {
        exit_code,
        agent: text(metadata, "sessionId"),
        created: ok && metadata["exists"] == false,
        refused: refused.then(String::new),
        is_cut: metadata["truncated"] == true,
        ..Extra::default()
    };
    Part::Result { call: text(part, "callID").unwrap_or_default(), ok, text: printed, extra }
}

#[cfg(test)]
mod tests;
