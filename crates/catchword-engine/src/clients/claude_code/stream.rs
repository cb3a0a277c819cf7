//! The client without a terminal: the rows that it prints with `--output-format stream-json` and reads from stdin with
//! `--input-format stream-json`.
//!
//! One prompt is one turn, however many tools it calls, and a turn may be longer than the context. It can be ended
//! without loss only after a batch of tools, before the next request to the model. If [`hello`] told it to, the client
//! sends a request there, waits for our [`answer`], and ends the turn cleanly if that says stop. An interrupt would end
//! the turn at any moment, but kills running tools and is recorded as the person's.

use serde::Deserialize;
use serde_json::{Value, json};

use super::transcript::usage;
use super::wire::{self, WireUsage, lenient, list};
use crate::clients::headless::{
    Background, Boundary, EndedTurn, StreamPrompt, StreamRow as Row, ToldContext,
};

/// Prefix of the ids of our requests and callbacks.
const OURS: &str = "catchword-";

/// Parses a row. Never fails: an unknown row is [`StreamRow::Other`].
pub fn row(line: &[u8]) -> Row {
    let Some(wire) = wire::read::<WireRow>(&String::from_utf8_lossy(line)) else { return Row::Other };
    let main = wire.parent_tool_use_id.is_none();
    match (wire.kind.as_deref().unwrap_or_default(), wire.subtype.as_deref().unwrap_or_default()) {
        ("system", "init") => Row::Begun { session: wire.session_id.unwrap_or_default(), model: wire.model },
        ("system", "compact_boundary") => Row::Compacted,
        ("system", "background_tasks_changed") => Row::Background(background(wire.tasks)),
        ("assistant", _) if main => wire.message.and_then(used).unwrap_or(Row::Other),
        ("user", _) if wire.is_replay == Some(true) => taken(wire.uuid),
        ("command_lifecycle", _) => lifecycle(wire.command_uuid, wire.state.as_deref()),
        ("control_request", _) => question(wire.request_id, wire.request),
        ("control_response", _) => response(wire.response.unwrap_or_default()),
        ("result", _) => Row::Ended(ended(wire)),
        _ => Row::Other,
    }
}

fn used(message: WireMessage) -> Option<Row> {
    let usage = usage(&message.usage?)?;
    Some(Row::Used { tokens: usage.input + usage.output, model: message.model })
}

fn background(tasks: Option<Vec<StreamTask>>) -> Background {
    let (shells, agents): (Vec<_>, Vec<_>) =
        tasks.unwrap_or_default().into_iter().partition(|task| task.kind.as_deref() == Some("local_bash"));
    let shells = shells.into_iter().map(|task| task.description.unwrap_or_default()).collect();
    Background { agents: agents.len(), shells }
}

fn taken(id: Option<String>) -> Row {
    id.map_or(Row::Other, |id| Row::Taken { ours: is_our_prompt(&id), id, replay: true })
}

/// The client reports the progress of a prompt that was sent with an id.
fn lifecycle(id: Option<String>, state: Option<&str>) -> Row {
    let Some(id) = id else { return Row::Other };
    let ours = is_our_prompt(&id);
    match state {
        Some("started" | "completed") => Row::Taken { id, ours, replay: false },
        _ if ours => Row::Ours,
        _ => Row::Other,
    }
}

fn question(request: Option<String>, wire: Option<WireRequest>) -> Row {
    let wire = wire.unwrap_or_default();
    let input = wire.input.unwrap_or_default();
    let boundary = Boundary {
        request: request.unwrap_or_default(),
        sub: input.agent_id.is_some(),
        session: input.session_id.unwrap_or_default(),
        transcript: input.transcript_path.unwrap_or_default().into(),
    };
    match wire.callback_id.as_deref() {
        Some(AFTER_TOOLS) => Row::Boundary(boundary),
        Some(BEFORE_PROMPT) => Row::Prompted(boundary),
        _ => Row::Other,
    }
}

fn response(wire: WireResponse) -> Row {
    let id = wire.request_id.unwrap_or_default();
    if id == CONTEXT {
        // An older client does not know the question.
        let told = wire.response.unwrap_or_default();
        let threshold = told.threshold.filter(|_| told.compacts != Some(false));
        return Row::Context(ToldContext { window: told.window, threshold });
    }
    if id.starts_with(OURS) { Row::Ours } else { Row::Answered(id) }
}

fn ended(wire: WireRow) -> EndedTurn {
    let subtype = wire.subtype.unwrap_or_default();
    let failed = wire.is_error == Some(true) || !(subtype.is_empty() || subtype == "success");
    let errors = wire.errors.unwrap_or_default();
    let errors: Vec<&str> = errors.iter().filter_map(Value::as_str).collect();
    let text = match subtype.as_str() {
        "" | "success" => wire.result.unwrap_or_default(),
        "error_during_execution" => "Execution error".to_owned(),
        // As the client itself prints it in text mode.
        _ => format!("Error: {}", errors.join("; ").replace("maximum number of turns", "max turns")),
    };
    let models = wire.model_usage.unwrap_or_default();
    let windows: Vec<u64> = models.values().filter_map(|model| model.window).collect();
    EndedTurn {
        session: wire.session_id.unwrap_or_default(),
        stopped: wire.terminal_reason.as_deref() == Some("hook_stopped"),
        failed,
        text,
        turns: wire.num_turns.unwrap_or(0),
        cost: wire.total_cost_usd.unwrap_or(0.0),
        window: if let [one] = windows.as_slice() { Some(*one) } else { None },
    }
}

/// The callbacks we ask for.
const AFTER_TOOLS: &str = "catchword-boundary";
const BEFORE_PROMPT: &str = "catchword-prompt";
/// The id of our question about the context.
const CONTEXT: &str = "catchword-context";
/// The reason we give for ending a turn.
const STOPPED: &str = "catchword: a fresh session goes on";
/// The first half of the ids of our prompts.
const OUR_PROMPTS: &str = "ca7c4e0d-";

fn is_our_prompt(id: &str) -> bool {
    id.starts_with(OUR_PROMPTS)
}

/// The first row for the client: it should ask us after each batch of tools. `theirs` is the first row of another
/// program that drives the client; ours is merged into it.
pub fn hello(theirs: Option<&Value>) -> String {
    let mut request = theirs.cloned().unwrap_or_else(|| {
        json!({"type": "control_request", "request_id": format!("{OURS}hello"), "request": {"subtype": "initialize"}})
    });
    let hooks = &mut request["request"]["hooks"];
    if !hooks.is_object() {
        *hooks = json!({});
    }
    for (event, callback) in [("PostToolBatch", AFTER_TOOLS), ("UserPromptSubmit", BEFORE_PROMPT)] {
        let matcher = json!({"hookCallbackIds": [callback]});
        match hooks[event].as_array_mut() {
            Some(matchers) => matchers.push(matcher),
            None => hooks[event] = json!([matcher]),
        }
    }
    request.to_string()
}

/// The same for a later session: its answer is for us, not for the other program.
pub fn hello_again(theirs: Option<&Value>) -> String {
    let theirs = theirs.cloned().map(|mut request| {
        request["request_id"] = json!(format!("{OURS}hello"));
        request
    });
    hello(theirs.as_ref())
}

/// Asks the client about its context; [`Row::Context`] is the answer.
pub fn ask_context() -> String {
    json!({"type": "control_request", "request_id": CONTEXT, "request": {"subtype": "get_context_usage"}})
        .to_string()
}

/// The answer to a boundary's request.
pub fn answer(request: &str, in_time: bool) -> String {
    let response = if in_time { json!({}) } else { json!({"continue": false, "stopReason": STOPPED}) };
    json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": request, "response": response}})
    .to_string()
}

/// Text blocks as one prompt; `number` makes its id unique in the session.
pub fn prompt(texts: &[String], number: u64) -> StreamPrompt {
    // A single text is sent as a string, so that a slash command still works.
    let content = if let [text] = texts { json!(text) } else { json!(text_blocks(texts)) };
    identified(json!({"type": "user", "message": {"role": "user", "content": content}}), number)
}

/// A row from stdin, if it is a prompt. It keeps its id.
pub fn prompt_of_row(line: &str, number: u64) -> Option<StreamPrompt> {
    let row: Value = serde_json::from_str(line).ok()?;
    (row["type"] == "user" && row["message"].is_object()).then(|| identified(row, number))
}

/// The same prompt with texts in front, each in its own block.
pub fn put_before(mut prompt: StreamPrompt, before: &[String]) -> StreamPrompt {
    let content = &mut prompt.row["message"]["content"];
    let mut blocks = text_blocks(before);
    match content.take() {
        Value::Array(own) => blocks.extend(own),
        own => blocks.push(json!({"type": "text", "text": own})),
    }
    *content = json!(blocks);
    prompt.texts = texts_of(&prompt.row);
    prompt
}

fn text_blocks(texts: &[String]) -> Vec<Value> {
    texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
}

fn identified(mut row: Value, number: u64) -> StreamPrompt {
    if !row["uuid"].is_string() {
        row["uuid"] = json!(prompt_id(number));
    }
    let id = row["uuid"].as_str().unwrap_or_default().to_owned();
    StreamPrompt { id, texts: texts_of(&row), row }
}

fn texts_of(row: &Value) -> Vec<String> {
    match &row["message"]["content"] {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks.iter().filter_map(|b| b["text"].as_str()).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// A UUID, which the client requires, from the number of the prompt.
fn prompt_id(number: u64) -> String {
    format!("{OUR_PROMPTS}{:04x}-4000-8000-{:012x}", number >> 48, number & 0xffff_ffff_ffff)
}

/// The first row of another program that drives the client.
pub fn is_hello(row: &Value) -> bool {
    row["type"] == "control_request" && row["request"]["subtype"] == "initialize"
}

/// A row for readers of the output: another session continues from here.
pub fn reset_row(from: &str, used: u64, threshold: u64, resets: u32) -> String {
    json!({"type": "system", "subtype": "catchword_reset", "session_id": from, "used": used,
        "threshold": threshold, "resets": resets})
    .to_string()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireRow {
    #[serde(rename = "type", deserialize_with = "lenient")]
    kind: Option<String>,
    #[serde(deserialize_with = "lenient")]
    subtype: Option<String>,
    #[serde(deserialize_with = "lenient")]
    session_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    model: Option<String>,
    #[serde(deserialize_with = "lenient")]
    parent_tool_use_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    message: Option<WireMessage>,
    #[serde(rename = "isReplay", deserialize_with = "lenient")]
    is_replay: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    uuid: Option<String>,
    #[serde(deserialize_with = "lenient")]
    command_uuid: Option<String>,
    #[serde(deserialize_with = "lenient")]
    state: Option<String>,
    #[serde(deserialize_with = "list")]
    tasks: Option<Vec<StreamTask>>,
    #[serde(deserialize_with = "lenient")]
    request_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    request: Option<WireRequest>,
    #[serde(deserialize_with = "lenient")]
    response: Option<WireResponse>,
    #[serde(deserialize_with = "lenient")]
    is_error: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    result: Option<String>,
    #[serde(deserialize_with = "list")]
    errors: Option<Vec<Value>>,
    #[serde(deserialize_with = "lenient")]
    terminal_reason: Option<String>,
    #[serde(deserialize_with = "lenient")]
    num_turns: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    total_cost_usd: Option<f64>,
    #[serde(rename = "modelUsage", deserialize_with = "lenient")]
    model_usage: Option<std::collections::BTreeMap<String, StreamModel>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage {
    #[serde(deserialize_with = "lenient")]
    model: Option<String>,
    #[serde(deserialize_with = "lenient")]
    usage: Option<WireUsage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct StreamTask {
    #[serde(rename = "task_type", deserialize_with = "lenient")]
    kind: Option<String>,
    #[serde(deserialize_with = "lenient")]
    description: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireRequest {
    #[serde(deserialize_with = "lenient")]
    callback_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    input: Option<WireInput>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireInput {
    #[serde(deserialize_with = "lenient")]
    session_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    transcript_path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    agent_id: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireResponse {
    #[serde(deserialize_with = "lenient")]
    request_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    response: Option<WireContext>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireContext {
    #[serde(rename = "rawMaxTokens", deserialize_with = "lenient")]
    window: Option<u64>,
    #[serde(rename = "autoCompactThreshold", deserialize_with = "lenient")]
    threshold: Option<u64>,
    #[serde(rename = "isAutoCompactEnabled", deserialize_with = "lenient")]
    compacts: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct StreamModel {
    #[serde(rename = "contextWindow", deserialize_with = "lenient")]
    window: Option<u64>,
}

#[cfg(test)]
mod tests;
