//! A row of a chat file → [`Entry`].

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::clients::inputs::arguments_in;
use crate::clients::rows::{
    RowReading, edited, exit_code, milliseconds, parsed, searched, text, todos, typed,
};
use crate::clients::{Owner, Understood, own_frame};
use crate::model::entry::{Entry, EntryId, Extra, KeptByClient, Part, Place, Thread, Tool, Usage};

/// The folder with the transcripts of subagents.
pub const SUBAGENTS: &str = "subagents";
/// Half of all rows: skipped without parsing. Their type follows ids and a time.
const SKIPPED: [&str; 2] = [r#""subtype":"ui_telemetry""#, r#""subtype":"attribution_snapshot""#];
/// Bytes at the start of a row in which its subtype is looked for.
const HEAD: usize = 600;
/// Start of the client's text after a summary.
const GOES_ON: &str = "\n\nResume the prior task";
/// Start of our hook's text, as the client writes it.
const FRAME: &str = "&lt;catchword-record";
/// The last call and its result stay in the context. Which files the client shows again depends on their size.
static KEPT: KeptByClient =
    KeptByClient { round: true, messages: false, files: 0, not_files: std::borrow::Cow::Borrowed(&[]) };

pub fn entry(place: Place, line: &[u8]) -> Understood {
    RowReading { is_skipped, entry: row_entry }.read(place, line)
}

/// Only rows whose type precedes any text that somebody wrote.
fn is_skipped(line: &[u8]) -> bool {
    let head = &line[..line.len().min(HEAD)];
    let ends = ["\"message\"", "\"systemPayload\""];
    let end =
        ends.iter().filter_map(|end| memchr::memmem::find(head, end.as_bytes())).min().unwrap_or(head.len());
    line.ends_with(b"}")
        && SKIPPED.iter().any(|kind| memchr::memmem::find(&head[..end], kind.as_bytes()).is_some())
}

/// Every row says where it comes from, or whose subagent's it is, and a message has parts.
pub fn is_row(line: &[u8]) -> bool {
    parsed(line.trim_ascii()).is_ok_and(|row| {
        let has_content = row["message"]["parts"].is_array() || row["systemPayload"].is_object();
        let is_of_somebody = row["provenance"].is_string() || row["agentId"].is_string();
        row["sessionId"].is_string() && is_of_somebody && has_content
    })
}

/// Every row names the session, and that of a subagent the subagent.
pub fn owner(path: &Path, line: &[u8]) -> Option<Owner> {
    let row = parsed(line.trim_ascii()).ok();
    let named = row.as_ref().and_then(|row| row["sessionId"].as_str());
    let session = named.or_else(|| path.file_stem()?.to_str())?.to_owned();
    Some(Owner { session, subagent: row.and_then(|row| text(&row, "agentId")) })
}

/// The folder with the chats that began in a folder: what is neither a letter nor a digit becomes a hyphen.
pub fn project(folder: &str) -> String {
    let name = |c: char| if c.is_ascii_alphanumeric() || c == '*' || c == '?' { c } else { '-' };
    folder.chars().map(name).collect()
}

/// The transcripts of a session's subagents are in a folder of the session, beside the one with all chats.
pub fn subagents_of(transcript: &Path) -> Option<PathBuf> {
    Some(transcript.parent()?.with_file_name(SUBAGENTS).join(transcript.file_stem()?))
}

fn row_entry(place: Place, row: &Value) -> Option<Entry> {
    let message = &row["message"];
    let parts = match row["type"].as_str()? {
        "user" => said_to_agent(row, message),
        "assistant" => answered(row, message),
        "tool_result" => ended(message, &row["toolCallResult"]),
        "system" if row["subtype"] == "chat_compression" => compacted(&row["systemPayload"]),
        _ => return None,
    };
    Some(Entry {
        place,
        id: row["uuid"].as_str().map(EntryId::of),
        time: row["timestamp"].as_str().and_then(milliseconds),
        cwd: text(row, "cwd"),
        branch: text(row, "gitBranch"),
        thread: if row["isSidechain"] == true { Thread::Sub } else { Thread::Main },
        keeps: Some(&KEPT),
        parts,
        ..Entry::default()
    })
}

/// The texts of a message, without the model's thoughts.
pub fn texts(message: &Value) -> impl Iterator<Item = &str> {
    let parts = message["parts"].as_array().into_iter().flatten();
    parts.filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str())
}

/// The client escapes the brackets of what a hook says, and nothing else.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">")
}

/// What our hook said in a text, unescaped.
fn injected(text: &str) -> Option<Part> {
    own_frame(&unescaped(text))
        .map(|text| Part::Injected { event: "additionalContext".to_owned(), text: text.to_owned() })
}

/// The person's words; a hook's text is a part of its own.
fn said_to_agent(row: &Value, message: &Value) -> Vec<Part> {
    let given: Vec<Part> = texts(message).filter_map(injected).collect();
    let own = texts(message).filter(|text| injected(text).is_none());
    let said = own.collect::<Vec<_>>().join("\n").trim().to_owned();
    let prompt = match row["provenance"].as_str() {
        _ if said.is_empty() => None,
        Some("real_user") => Some(typed(said)),
        // What a subagent is asked for.
        None if row["agentId"].is_string() => Some(typed(said)),
        _ => None,
    };
    prompt.into_iter().chain(given).collect()
}

/// A turn is over with the answer that calls no tool.
fn answered(row: &Value, message: &Value) -> Vec<Part> {
    let mut parts = vec![Part::Message(row["uuid"].as_str().map(EntryId::of))];
    parts.extend(text(row, "model").map(Part::Model));
    let said = texts(message).collect::<Vec<_>>().join("\n").trim().to_owned();
    let calls: Vec<Part> = functions(message, "functionCall").map(called).collect();
    let is_last = calls.is_empty() && !said.is_empty();
    parts.extend(Some(said).filter(|said| !said.is_empty()).map(Part::Text));
    parts.extend(calls);
    let usage = &row["usageMetadata"];
    let window = row["contextWindowSize"].as_u64();
    if let Some(input) = usage["promptTokenCount"].as_u64().filter(|tokens| *tokens > 0) {
        let output = usage["candidatesTokenCount"].as_u64().unwrap_or(0);
        parts.push(Part::Usage(Usage { input, output, window }));
        parts.extend(window.map(Part::Window));
    }
    parts.extend(is_last.then_some(Part::TurnEnd));
    parts
}

/// The parts of a message that call a function or answer a call.
pub fn functions<'a>(message: &'a Value, key: &'a str) -> impl Iterator<Item = &'a Value> {
    message["parts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(move |part| &part[key])
        .filter(|function| function.is_object())
}

fn called(call: &Value) -> Part {
    let input = &call["args"];
    let of = |key: &str| text(input, key).unwrap_or_default();
    let path =
        || text(input, "file_path").or_else(|| text(input, "absolute_path")).or_else(|| text(input, "path"));
    let tool = match call["name"].as_str().unwrap_or_default() {
        "run_shell_command" => {
            Tool::Shell { command: of("command"), background: input["is_background"] == true }
        }
        "read_file" => Tool::Read { path: path().unwrap_or_default() },
        "write_file" => Tool::Write { path: path().unwrap_or_default(), content: of("content") },
        "edit" | "replace" => edited(path().unwrap_or_default(), &of("old_string"), of("new_string")),
        "grep_search" | "search_file_content" => searched(input, true),
        "glob" => searched(input, false),
        "agent" | "task" => Tool::Agent { description: of("description"), prompt: of("prompt") },
        "exit_plan_mode" => Tool::Plan { text: of("plan"), file: None },
        "skill" => Tool::Skill { name: of("skill"), args: String::new() },
        "todo_write" => Tool::Todos(todos(input)),
        name => Tool::Other { name: name.to_owned(), input: arguments_in(input) },
    };
    Part::Call { id: text(call, "id").unwrap_or_default(), tool }
}

/// For a command, output and the client's remarks are separate; other tools have only an answer, after which a hook's
/// text may follow.
fn ended(message: &Value, result: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    for answer in functions(message, "functionResponse") {
        let response = &answer["response"];
        let told = text(response, "output").or_else(|| text(response, "error")).unwrap_or_default();
        let shown = &result["resultDisplay"];
        let is_shell = shown["type"] == "shell_result";
        let exit_code = exit_code(&shown["exitCode"]).filter(|_| is_shell);
        let own = told.find(FRAME).map_or(told.as_str(), |at| &told[..at]).trim_end();
        let printed = shown["output"].as_str().filter(|_| is_shell).unwrap_or(own).to_owned();
        let ok = result["status"].as_str().map_or(response["error"].is_null(), |status| status == "success");
        let is_new = shown["originalContent"] == "" && shown["newContent"].is_string();
        let extra = Extra {
            exit_code,
            created: ok && is_new,
            refused: (result["status"] == "cancelled").then(String::new),
            is_cut: shown["truncated"] == true,
            ..Extra::default()
        };
        let call = text(answer, "id").unwrap_or_default();
        parts.push(Part::Result { call, ok, text: printed, extra });
        parts.extend(injected(&told));
    }
    // The hook's text for a batch of calls is beside the answers.
    parts.extend(texts(message).filter_map(injected));
    parts
}

/// The summary opens the history that stays; the rest of it are copies.
pub fn summary(payload: &Value) -> Option<&str> {
    let first = payload["compressedHistory"][0]["parts"][0]["text"].as_str()?;
    Some(first.split(GOES_ON).next().unwrap_or(first).trim()).filter(|summary| !summary.is_empty())
}

fn compacted(payload: &Value) -> Vec<Part> {
    let info = &payload["info"];
    let compaction = Part::Compaction {
        manual: info["triggerReason"] == "manual",
        before: info["originalTokenCount"].as_u64(),
        after: info["newTokenCount"].as_u64(),
    };
    [compaction].into_iter().chain(summary(payload).map(|text| Part::Summary(text.to_owned()))).collect()
}

#[cfg(test)]
mod tests;
