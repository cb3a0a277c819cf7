//! A row of a session's events → [`Entry`].
//!
//! Rows are written in batches, up to 1.5 seconds late. Each fact is read from one row: a call from the row of its start,
//! its outcome from the row of its end, the person's words from `content`, never from `transformedContent`, to which the
//! client adds text.

use std::path::Path;

use serde_json::Value;

use super::{ROWS, todos};
use crate::clients::inputs::arguments_in;
use crate::clients::rows::{RowReading, edited, exit_code, milliseconds, parsed, searched, text, typed};
use crate::clients::{Owner, Understood, own_frame};
use crate::model::entry::{Entry, EntryId, Extra, KeptByClient, Lasting, Part, Place, Thread, Tool, Usage};
use crate::model::origin::Origin;

/// Rows that are skipped without parsing, by their start: the system prompt alone has 22 kB, and rows of hooks repeat our
/// own payloads.
const SKIPPED: [&str; 5] = [
    r#"{"type":"system.message""#,
    r#"{"type":"hook.start""#,
    r#"{"type":"hook.end""#,
    r#"{"type":"assistant.turn_"#,
    r#"{"type":"session.shutdown""#,
];
/// What the client puts before the text of hooks, behind a tool's output, in a line with the tool's name.
const GUIDANCE: (&str, &str) = ("\n\nTool \"", "Additional guidance from");
/// The last line of a shell's output, before the exit code.
const SHELL_END: &str = "<shellId: ";
/// The summary and all messages of the person stay. So does the last round, but rows are late and do not show which that
/// is.
static KEPT: KeptByClient =
    KeptByClient { round: false, messages: true, files: 0, not_files: std::borrow::Cow::Borrowed(&[]) };

pub fn entry(place: Place, line: &[u8]) -> Understood {
    RowReading { is_skipped, entry: row_entry }.read(place, line)
}

fn is_skipped(line: &[u8]) -> bool {
    line.ends_with(b"}") && SKIPPED.iter().any(|head| line.starts_with(head.as_bytes()))
}

/// Every row has a type in two parts, data, and the id of the row before it.
pub fn is_row(line: &[u8]) -> bool {
    parsed(line.trim_ascii()).is_ok_and(|row| {
        let kind = row["type"].as_str().is_some_and(|kind| kind.contains('.') || kind == "abort");
        kind && row["data"].is_object() && row.get("parentId").is_some()
    })
}

/// The session whose folder a file of events is in.
pub fn session_of(path: &Path) -> Option<&str> {
    path.parent().filter(|_| path.ends_with(ROWS))?.file_name()?.to_str()
}

/// The first row names the session, and so does the folder.
pub fn owner(path: &Path, line: &[u8]) -> Option<Owner> {
    let row = parsed(line.trim_ascii()).ok();
    let named = row.as_ref().and_then(|row| row["data"]["sessionId"].as_str());
    let session = session_of(path).or(named)?.to_owned();
    Some(Owner { session, subagent: None })
}

fn row_entry(place: Place, row: &Value) -> Option<Entry> {
    let data = &row["data"];
    let kind = row["type"].as_str()?;
    let is_start = matches!(kind, "session.start" | "session.resume" | "session.context_changed");
    let parts = match kind {
        "session.start" | "session.resume" => {
            text(data, "selectedModel").map(Part::Model).into_iter().collect()
        }
        "session.context_changed" => Vec::new(),
        "session.model_change" => text(data, "newModel").map(Part::Model).into_iter().collect(),
        "user.message" => said_to_agent(data),
        "assistant.message" => answered(data),
        "tool.execution_start" => called(data),
        "tool.execution_complete" => ended(data),
        "session.compaction_complete" => compacted(data),
        "session.usage_record" => used(&data["usage"]),
        "abort" => vec![Part::Interrupted],
        _ => return None,
    };
    let folder = if kind == "session.context_changed" { data } else { &data["context"] };
    Some(Entry {
        place,
        id: row["id"].as_str().map(EntryId::of),
        time: row["timestamp"].as_str().and_then(milliseconds),
        thread: if is_subagents(row) { Thread::Sub } else { Thread::Main },
        cwd: text(folder, "cwd"),
        branch: text(folder, "branch"),
        keeps: is_start.then_some(&KEPT),
        lasting: is_start.then_some(Lasting { thread: Some(Thread::Main), asks_person: None }),
        parts,
        ..Entry::default()
    })
}

/// Rows of a subagent are among the others, with its id or that of the call that started it.
pub fn is_subagents(row: &Value) -> bool {
    [&row["agentId"], &row["data"]["parentToolCallId"]]
        .iter()
        .any(|id| id.as_str().is_some_and(|id| !id.is_empty()))
}

/// What the person typed has no source. Skills, other agents and the client's own loop name themselves there.
fn said_to_agent(data: &Value) -> Vec<Part> {
    let whole = data["transformedContent"].as_str().and_then(own_frame);
    let injected =
        whole.map(|text| Part::Injected { event: "userPromptSubmitted".to_owned(), text: text.to_owned() });
    let words = text(data, "content").and_then(|text| match origin(data) {
        Origin::Typed => Some(typed(text)),
        Origin::Client => None,
        origin => Some(Part::Delivered { text, origin }),
    });
    words.into_iter().chain(injected).collect()
}

pub fn origin(data: &Value) -> Origin {
    match data["source"].as_str().unwrap_or_default() {
        _ if data["isAutopilotContinuation"] == true => Origin::Client,
        "" | "user" => Origin::Typed,
        agent if agent.starts_with("agent-") => Origin::Agent(agent["agent-".len()..].to_owned()),
        _ => Origin::Client,
    }
}

/// A turn is over with the answer that asks for no tool.
fn answered(data: &Value) -> Vec<Part> {
    let message = Part::Message(data["messageId"].as_str().map(EntryId::of));
    let words = text(data, "content").filter(|text| !text.trim().is_empty());
    let is_last = data["toolRequests"].as_array().is_none_or(Vec::is_empty) && words.is_some();
    let end = is_last.then_some(Part::TurnEnd);
    [message].into_iter().chain(words.map(Part::Text)).chain(end).collect()
}

fn called(data: &Value) -> Vec<Part> {
    let id = text(data, "toolCallId").unwrap_or_default();
    let input = &data["arguments"];
    let of = |key: &str| text(input, key).unwrap_or_default();
    let name = data["toolName"].as_str().unwrap_or_default();
    let tool = match (name, input["command"].as_str().unwrap_or_default()) {
        ("bash" | "powershell" | "local_shell", command) => {
            Tool::Shell { command: command.to_owned(), background: input["mode"] == "async" }
        }
        ("view", _) | ("str_replace_editor", "view") => Tool::Read { path: of("path") },
        ("create", _) | ("str_replace_editor", "create") => {
            Tool::Write { path: of("path"), content: of("file_text") }
        }
        ("edit" | "str_replace_editor", _) => {
            let added = text(input, "new_str").unwrap_or_else(|| of("insert_text"));
            edited(of("path"), &of("old_str"), added)
        }
        ("grep" | "rg", _) => searched(input, true),
        ("glob", _) => searched(input, false),
        ("task", _) => Tool::Agent { description: of("description"), prompt: of("prompt") },
        ("ask_user", _) => Tool::Ask { questions: text(input, "question").into_iter().collect() },
        ("exit_plan_mode", _) => Tool::Plan { text: of("summary"), file: None },
        ("skill", _) => Tool::Skill { name: of("skill"), args: String::new() },
        ("stop_bash" | "stop_powershell", _) => Tool::Kill { id: of("shellId") },
        ("sql", _) => return todos::parts(&id, &of("query")),
        _ => Tool::Other { name: name.to_owned(), input: arguments_in(input) },
    };
    vec![Part::Call { id, tool }]
}

fn ended(data: &Value) -> Vec<Part> {
    let call = text(data, "toolCallId").unwrap_or_default();
    let exit_code = exit_code(&data["shellExecution"]["exitCode"]);
    let ok = data["success"] == true && exit_code.is_none_or(|code| code == 0);
    let whole = data["result"]["content"].as_str().or(data["error"]["message"].as_str()).unwrap_or_default();
    let (printed, hooks) = without_guidance(whole);
    let is_refused = ["denied", "rejected"].contains(&data["error"]["code"].as_str().unwrap_or_default());
    let edits = data["fileEdits"].as_array().into_iter().flatten();
    let extra = Extra {
        exit_code,
        created: ok && edits.into_iter().any(|edit| edit["kind"] == "create"),
        refused: is_refused.then(String::new),
        ..Extra::default()
    };
    let injected =
        hooks.map(|text| Part::Injected { event: "postToolUse".to_owned(), text: text.to_owned() });
    let result = Part::Result { call, ok, text: without_shell_end(printed).to_owned(), extra };
    [result].into_iter().chain(injected).collect()
}

/// A tool's output without what hooks put behind it, and what ours put there.
fn without_guidance(whole: &str) -> (&str, Option<&str>) {
    let opens = |at: &usize| whole[*at..].lines().nth(2).is_some_and(|line| line.contains(GUIDANCE.1));
    let end = whole.rmatch_indices(GUIDANCE.0).map(|(at, _)| at).find(opens);
    end.map_or((whole, None), |end| (&whole[..end], own_frame(&whole[end..])))
}

/// The client ends a command's output with its exit code.
fn without_shell_end(printed: &str) -> &str {
    let last = printed.trim_end().rfind('\n').map_or(0, |at| at + 1);
    if printed[last..].starts_with(SHELL_END) { printed[..last].trim_end_matches('\n') } else { printed }
}

/// A compaction that was not applied changes nothing.
fn compacted(data: &Value) -> Vec<Part> {
    if data["success"] != true {
        return Vec::new();
    }
    let compaction = Part::Compaction {
        manual: data["trigger"] == "manual",
        before: data["preCompactionTokens"].as_u64(),
        after: data["postCompactionTokens"].as_u64(),
    };
    [compaction].into_iter().chain(text(data, "summaryContent").map(Part::Summary)).collect()
}

/// Tokens of a request of the conversation; others make titles and summaries.
fn used(usage: &Value) -> Vec<Part> {
    let input = usage["inputTokens"].as_u64().filter(|tokens| *tokens > 0);
    let Some(input) = input.filter(|_| usage["interactionType"] == "conversation-agent") else {
        return Vec::new();
    };
    let output = usage["outputTokens"].as_u64().unwrap_or(0);
    let window = usage["maxPromptTokens"].as_u64();
    [Part::Usage(Usage { input, output, window })].into_iter().chain(window.map(Part::Window)).collect()
}

#[cfg(test)]
mod tests;
