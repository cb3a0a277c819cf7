//! A row of a Codex rollout → [`Entry`].
//!
//! There are two kinds of rollouts. Current ones (0.166) number their rows, and have an `item_completed` row for each
//! command, file change and text of the agent, the same in both tool modes. The model's own calls (in code mode:
//! JavaScript) repeat that and are skipped, except for plans, subagents and questions to the person, which have no such
//! item. Older ones (0.140–0.146) have no numbers and no items. There we read calls and their outputs (in code mode the
//! scripts and what they print), and events for words of the person and the agent and for patches. Each fact is read
//! from one row only.

use std::path::Path;

use serde_json::{Value, json};

use super::patch::{self, PatchForm};
use super::script;
use crate::clients::inputs::arguments_in;
use crate::clients::{ForkBase, Owner, Understood};
use crate::model::entry::{
    Entry, EntryId, Extra, Lasting, Part, Place, TaskStatus, Thread, Todo, Tool, Usage,
};
use crate::model::origin::Origin;
use crate::redact::UnmaskedEntry;
use crate::text::shell_words;

/// Rows and items that are skipped without parsing, by their start after the number: some have 60 kB.
const SKIPPED: [&str; 7] = [
    r#""type":"world_state""#,
    r#""type":"token_usage_record""#,
    r#""type":"response_item","payload":{"type":"additional_tools""#,
    r#""type":"response_item","payload":{"type":"reasoning""#,
    r#""type":"event_msg","payload":{"type":"thread_settings_applied""#,
    r#""type":"event_msg","payload":{"type":"agent_reasoning""#,
    r#""type":"event_msg","payload":{"type":"item_started""#,
];
/// Bytes at the start of a row in which its type is looked for.
const HEAD: usize = 160;
/// The kinds of message content that matter.
const TYPED: [&str; 2] = ["user.text", "user.goal"];
const INJECTED: &str = "hooks.additional_context";
/// The tools for scripts and for plans.
const SCRIPT: &str = "exec";
const PLAN: &str = "update_plan";
/// Percent of a model's window that the client calls its window.
const TOLD_PERCENT: u64 = 95;
/// In the row that begins a turn: its folder, and who approves restricted actions.
pub const LASTING: &str = r#""type":"turn_context""#;
/// The prompt that the client writes when a plan is approved.
const APPROVAL: &str = "Implement the plan.";
/// The same in a new thread, before the plan.
const PLAN_HANDED_OVER: &str = "A previous agent produced the plan below to accomplish the user's task.";
/// Precedes the person's own words beside a chosen answer.
const OWN_WORDS: &str = "user_note: ";
/// The last line of the client's text before a summary.
const PREFACE_END: &str = "use the information in this summary to assist with your own analysis:";

pub fn entry(place: Place, line: &[u8]) -> Understood {
    understood(place, line, PatchForm::Plain)
}

/// The same, with changes of files marked with `-` and `+`.
pub fn entry_with_marked_changes(place: Place, line: &[u8]) -> Understood {
    understood(place, line, PatchForm::Marked)
}

pub fn is_row(line: &[u8]) -> bool {
    const TYPES: [&str; 10] = [
        "session_meta",
        "retained_context",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "token_usage_record",
        "inter_agent_communication_metadata",
        "ghost_snapshot",
    ];
    parsed(line.trim_ascii()).is_ok_and(|row| {
        row["payload"].is_object() && row["type"].as_str().is_some_and(|kind| TYPES.contains(&kind))
    })
}

/// The first row names the thread and, for a subagent, the session that started it. For other rows we use the file's
/// name, `rollout-<time>-<thread>`, and also for the first row of another thread, with which a copied fork begins.
pub fn owner(path: &Path, line: &[u8]) -> Option<Owner> {
    let row = parsed(line.trim_ascii()).ok()?;
    let meta = &row["payload"];
    let named = meta["id"].as_str().filter(|_| row["type"] == "session_meta");
    let Some(thread) = named.filter(|id| thread_in(path).is_none_or(|thread| thread == *id)) else {
        return Some(Owner { session: thread_in(path)?.to_owned(), subagent: None });
    };
    let thread = thread.to_owned();
    if !is_subagents(meta) {
        return Some(Owner { session: thread, subagent: None });
    }
    let session = ["session_id", "parent_thread_id"].iter().find_map(|key| text(meta, key));
    Some(Owner { session: session.unwrap_or_else(|| thread.clone()), subagent: Some(thread) })
}

/// Whether a model or the client started a thread (a review, a guard, memories), not the person.
fn is_subagents(meta: &Value) -> bool {
    meta["thread_source"] == "subagent" || !meta["source"]["subagent"].is_null()
}

pub fn is_of(path: &Path, session: &str) -> bool {
    thread_in(path) == Some(session)
}

/// A fork does not contain the original thread: its first row says up to which byte it shares it.
pub fn fork_base(path: &Path, line: &[u8]) -> Option<ForkBase> {
    let row = parsed(line.trim_ascii()).ok()?;
    let base = &row["payload"]["history_base"];
    let session = base["thread_id"].as_str()?.to_owned();
    let sessions = path.ancestors().nth(DATE_FOLDERS + 1)?;
    let folders = days_around(&session)?.map(|day| sessions.join(day)).collect();
    Some(ForkBase { session, folders, is_it: is_of, end: base["end_byte_offset"].as_u64()? })
}

/// Rollouts are in folders by year, month and day.
const DATE_FOLDERS: usize = 3;

/// The folders of the day a thread began, which its id tells (a version 7 UUID), and of those beside it: the client counts
/// days by local time.
fn days_around(thread: &str) -> Option<impl Iterator<Item = String> + use<>> {
    const DAY: i64 = 86_400_000;
    let digits: String = thread.chars().filter(|c| *c != '-').take(12).collect();
    let began = i64::from_str_radix(&digits, 16).ok()?;
    let folder = |ms: i64| {
        let day = jiff::Timestamp::from_millisecond(ms).ok()?.to_zoned(jiff::tz::TimeZone::UTC);
        Some(day.strftime("%Y/%m/%d").to_string())
    };
    Some([0, -DAY, DAY].into_iter().filter_map(move |off| folder(began + off)))
}

/// The thread's id at the end of a rollout's name.
fn thread_in(path: &Path) -> Option<&str> {
    const UUID: usize = 36;
    let stem = path.file_stem()?.to_str()?.strip_prefix("rollout-")?;
    stem.get(stem.len().checked_sub(UUID)?..)
}

pub fn parsed(line: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_str(&String::from_utf8_lossy(line))
}

fn understood(place: Place, line: &[u8], changes: PatchForm) -> Understood {
    let start = line.iter().position(|b| *b != 0 && !b.is_ascii_whitespace()).unwrap_or(line.len());
    let line = line[start..].trim_ascii_end();
    if line.is_empty() || is_skipped(line) {
        return Ok(None);
    }
    if line[0] != b'{' {
        return Err("not a JSON object".to_owned());
    }
    match parsed(line) {
        Ok(row) => Ok(row_entry(place, &row, changes).map(UnmaskedEntry::new)),
        Err(error) => Err(format!("invalid JSON at byte {} of the line", error.column())),
    }
}

/// May miss rows to skip (with keys in another order, skipped after parsing), but never skips one that matters.
fn is_skipped(line: &[u8]) -> bool {
    let head = &line[..line.len().min(HEAD)];
    let Some(at) = head.windows(8).position(|part| part == b"\"type\":\"") else { return false };
    line.ends_with(b"}") && SKIPPED.iter().any(|skipped| head[at..].starts_with(skipped.as_bytes()))
}

fn row_entry(place: Place, row: &Value, changes: PatchForm) -> Option<Entry> {
    let payload = &row["payload"];
    let id = row["ordinal"].as_u64().map(|ordinal| EntryId::of(&ordinal.to_string()));
    let reader = RolloutRow { is_current: id.is_some(), changes };
    let parts = match row["type"].as_str()? {
        "session_meta" => Vec::new(),
        "retained_context" => verified_answers(payload)?,
        "turn_context" => text(payload, "model").map(Part::Model).into_iter().collect(),
        "compacted" => compaction(payload),
        "response_item" if row["metadata"]["compaction_output"] == true => return None,
        "response_item" => reader.response(payload)?,
        "event_msg" => reader.event(payload)?,
        _ => return None,
    };
    Some(Entry {
        place,
        id,
        parent: None,
        time: row["timestamp"].as_str().and_then(milliseconds),
        thread: Thread::Main,
        cwd: text(payload, "cwd").or_else(|| folder_of(&payload["item"])).or_else(|| workdir(payload)),
        branch: text(&payload["git"], "branch"),
        keeps: None,
        queue_is_typed: None,
        lasting: lasting(row),
        parts,
    })
}

/// The first row says whether a thread is the person's or a subagent's; each turn says its folder and who approves.
fn lasting(row: &Value) -> Option<Lasting> {
    let payload = &row["payload"];
    match row["type"].as_str()? {
        "session_meta" => {
            let thread = if is_subagents(payload) { Thread::Sub } else { Thread::Main };
            Some(Lasting { thread: Some(thread), asks_person: Some(false) })
        }
        "turn_context" => {
            let (policy, reviewer) = (&payload["approval_policy"], &payload["approvals_reviewer"]);
            let asks = !policy.is_null() && policy != "never" && (reviewer.is_null() || reviewer == "user");
            Some(Lasting { thread: None, asks_person: Some(asks) })
        }
        _ => None,
    }
}

fn milliseconds(timestamp: &str) -> Option<i64> {
    timestamp.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

fn text(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The folder that a command ran in: `file:///home/user/my%20project`.
fn folder_of(item: &Value) -> Option<String> {
    let folder = item["cwd"].as_str()?;
    folder.strip_prefix("file://").map_or_else(|| Some(folder.to_owned()), decoded)
}

/// A path without URL escapes; `None` if it is not UTF-8.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(b'%'));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

/// The folder that a call names for its command.
fn workdir(call: &Value) -> Option<String> {
    let named = |key: &str| call[key].as_str().filter(|input| input.contains("workdir"));
    let folder = match (named("arguments"), named("input")) {
        (Some(arguments), _) => text(&serde_json::from_str(arguments).ok()?, "workdir")?,
        (None, input) => script::folder(input?)?,
    };
    Path::new(&folder).is_absolute().then_some(folder)
}

/// The texts of a message's content, joined.
fn joined(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        content => {
            let texts = content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

/// The texts of a message with these kinds; kinds are listed beside the contents, in the same order.
fn of_kind(message: &Value, wanted: &[&str]) -> Option<String> {
    let about = &message["internal_chat_message_metadata_passthrough"];
    let kinds = about["content_item_kinds"].as_array()?;
    let contents = message["content"].as_array()?;
    // If a row says who wrote a text, that counts, not the kind.
    let is_theirs = |at: usize, kind: &str| {
        let source = about["content_item_metadata"][at]["provenance"]["type"].as_str();
        !TYPED.contains(&kind) || source.is_none_or(|source| source == "user")
    };
    let texts: Vec<&str> = (0..)
        .zip(contents.iter().zip(kinds))
        .filter(|(at, (_, kind))| {
            kind.as_str().is_some_and(|kind| wanted.contains(&kind) && is_theirs(*at, kind))
        })
        .filter_map(|(_, (content, _))| content["text"].as_str())
        .collect();
    let text = texts.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

// ---- compactions

/// The summary is empty if the provider made it: only the model can read it. Or there is none, and the next window has
/// only what hooks add.
fn compaction(payload: &Value) -> Vec<Part> {
    let message = payload["message"].as_str().unwrap_or_default();
    let summary = message.split_once(PREFACE_END).map_or(message, |(_, summary)| summary).trim();
    let before = payload["latest_token_usage_record"]["usage"]["input_tokens"].as_u64();
    let mut parts = vec![Part::Compaction { manual: is_manual(payload), before, after: None }];
    if !summary.is_empty() {
        parts.push(Part::Summary(summary.to_owned()));
    } else if has_opaque_summary(payload) {
        parts.push(Part::OpaqueSummary);
    }
    parts.push(Part::Kept(kept(payload)));
    parts
}

/// A compaction that the person requests is a turn of its own, without other content.
fn is_manual(payload: &Value) -> bool {
    let turns = &payload["resume_metadata"];
    let (started, attributed) = (&turns["last_started_turn_id"], &turns["turn_attribution"]["turn_id"]);
    started.is_string() && attributed.is_string() && started != attributed
}

fn has_opaque_summary(payload: &Value) -> bool {
    let mut history = payload["replacement_history"].as_array().into_iter().flatten();
    history.any(|item| item["encrypted_content"].is_string())
}

/// The person's messages that are still in the context, verbatim. Older rows do not say whose a message is.
pub fn kept(payload: &Value) -> Vec<String> {
    let history = payload["replacement_history"].as_array().into_iter().flatten();
    let messages = history.filter(|item| item["type"] == "message" && item["role"] == "user");
    let texts = messages.filter_map(|message| {
        let has_kinds =
            message["internal_chat_message_metadata_passthrough"]["content_item_kinds"].is_array();
        if has_kinds { of_kind(message, &TYPED) } else { Some(joined(&message["content"]).trim().to_owned()) }
    });
    texts.filter(|text| !text.is_empty()).collect()
}

// ---- rows of a conversation

struct RolloutRow {
    /// Of a rollout with `item_completed` rows.
    is_current: bool,
    changes: PatchForm,
}

impl RolloutRow {
    fn response(&self, item: &Value) -> Option<Vec<Part>> {
        let parts = match item["type"].as_str()? {
            "message" => message(item),
            "agent_message" => from_agent(item),
            "function_call" => {
                let input = item["arguments"].as_str().and_then(|json| serde_json::from_str(json).ok());
                self.call(item, &input.unwrap_or_default())
            }
            "custom_tool_call" => self.custom_call(item),
            "function_call_output" if is_answer(item) => answer(item),
            "function_call_output" | "custom_tool_call_output" if !self.is_current => output(item),
            _ => return None,
        };
        (!parts.is_empty()).then_some(parts)
    }

    fn event(&self, event: &Value) -> Option<Vec<Part>> {
        let parts = match event["type"].as_str()? {
            "item_completed" => self.item(&event["item"]),
            "token_count" => tokens(event),
            "task_complete" => vec![Part::TurnEnd],
            "turn_aborted" if event["reason"] == "interrupted" => vec![Part::Interrupted],
            // Set by the person: a goal that the model sets itself is a call.
            "thread_goal_updated" if event["goal"]["status"] == "active" => {
                typed(event["goal"]["objective"].as_str())
            }
            "thread_rolled_back" => rolled_back(event),
            _ if self.is_current => return None,
            "user_message" => typed(event["message"].as_str()),
            "agent_message" => spoken(event["message"].as_str().unwrap_or_default()),
            "patch_apply_end" => self.patched(event, event["call_id"].as_str(), event["success"] == true),
            _ => return None,
        };
        (!parts.is_empty()).then_some(parts)
    }

    /// A call of the model. Current rollouts have an item for it, except for these three.
    fn call(&self, item: &Value, input: &Value) -> Vec<Part> {
        let id = item["call_id"].as_str().unwrap_or_default();
        let name = item["name"].as_str().unwrap_or_default();
        let of = |key: &str| text(input, key).unwrap_or_default();
        let tool = match name {
            PLAN => return planned(id, input),
            "request_user_input" => Tool::Ask { questions: questions(input) },
            "spawn_agent" => Tool::Agent { description: of("task_name"), prompt: of("message") },
            _ if self.is_current => return Vec::new(),
            "exec_command" | "shell_command" | "shell" | "local_shell" => {
                let command = text(input, "cmd").unwrap_or_else(|| command_line(&input["command"]));
                Tool::Shell { command, background: false }
            }
            "view_image" => Tool::Read { path: of("path") },
            // A patch comes as an event; input for a command that goes on is no command.
            "apply_patch" | "write_stdin" => return Vec::new(),
            _ => {
                let space = text(item, "namespace").map(|space| format!("{space}.")).unwrap_or_default();
                Tool::Other { name: format!("{space}{name}"), input: arguments_in(input) }
            }
        };
        vec![Part::Call { id: id.to_owned(), tool }]
    }

    fn custom_call(&self, item: &Value) -> Vec<Part> {
        let id = item["call_id"].as_str().unwrap_or_default();
        let input = item["input"].as_str().unwrap_or_default();
        if !self.is_current && item["name"] == SCRIPT {
            return self.script(id, input);
        }
        if self.is_current {
            let plans = script::arguments(input, PLAN);
            return plans.iter().flat_map(|plan| planned(id, plan)).collect();
        }
        match item["name"].as_str() {
            Some("apply_patch") | None => Vec::new(),
            Some(name) => {
                let tool = Tool::Other { name: name.to_owned(), input: input.to_owned() };
                vec![Part::Call { id: id.to_owned(), tool }]
            }
        }
    }

    /// The calls that a script makes; the script itself, if it may have made others.
    fn script(&self, id: &str, code: &str) -> Vec<Part> {
        let script = script::calls(code);
        let mut parts = Vec::new();
        let mut is_unread = script.is_unread();
        for (n, made) in script.made().iter().enumerate() {
            let input = made.input.clone().unwrap_or_default();
            let item = json!({"call_id": script.id(id, n), "name": made.tool});
            let call = self.call(&item, &input);
            let has_no_command = call.iter().any(
                |part| matches!(part, Part::Call { tool: Tool::Shell { command, .. }, .. } if command.is_empty()),
            );
            is_unread |= has_no_command;
            // Half a plan is none.
            let is_partial_plan = made.tool == PLAN && made.is_partial;
            parts.extend(call.into_iter().filter(|_| !has_no_command && !is_partial_plan));
        }
        if is_unread {
            let tool = Tool::Script { code: code.to_owned() };
            parts.insert(0, Part::Call { id: script.left_over(id), tool });
        }
        parts
    }

    fn item(&self, item: &Value) -> Vec<Part> {
        let id = item["id"].as_str().unwrap_or_default();
        let of = |key: &str| text(item, key).unwrap_or_default();
        match item["type"].as_str().unwrap_or_default() {
            "AgentMessage" => spoken(&joined(&item["content"])),
            "CommandExecution" => executed(id, item),
            "FileChange" => self.patched(item, Some(id), item["status"] == "completed"),
            "Plan" => {
                let plan = Tool::Plan { text: of("text"), file: None };
                let proposed = Extra { undecided: true, ..Extra::default() };
                answered(id, plan, true, String::new(), proposed)
            }
            "ImageView" => {
                answered(id, Tool::Read { path: of("path") }, true, String::new(), Extra::default())
            }
            "WebSearch" => {
                let tool = Tool::Other { name: "web_search".to_owned(), input: of("query") };
                answered(id, tool, true, String::new(), Extra::default())
            }
            "McpToolCall" => {
                let name = format!("{}.{}", of("server"), of("tool"));
                let tool = Tool::Other { name, input: arguments_in(&item["arguments"]) };
                let ok = item["status"] == "completed" && item["error"].is_null();
                answered(id, tool, ok, mcp_text(item), Extra::default())
            }
            "SubAgentActivity" => subagent(id, item),
            _ => Vec::new(),
        }
    }

    /// The files of a patch, each a call with its result.
    fn patched(&self, patch: &Value, id: Option<&str>, ok: bool) -> Vec<Part> {
        let id = id.unwrap_or_default();
        let printed =
            ["stdout", "stderr"].map(|key| patch[key].as_str().unwrap_or_default().trim()).join("\n");
        let refused = (patch["status"] == "declined").then(String::new);
        let changes = patch["changes"].as_object().into_iter().flatten();
        let tools = changes.flat_map(|(path, change)| patch::tools(path, change, self.changes));
        let parts = tools.enumerate().flat_map(|(n, (tool, created))| {
            let extra = Extra { created: created && ok, refused: refused.clone(), ..Extra::default() };
            let answer = printed.trim().to_owned();
            answered(&format!("{id}#{n}"), tool, ok, answer, extra)
        });
        parts.collect()
    }
}

/// A call and its result, where one row has both.
fn answered(id: &str, tool: Tool, ok: bool, text: String, extra: Extra) -> Vec<Part> {
    let id = id.to_owned();
    vec![Part::Call { id: id.clone(), tool }, Part::Result { call: id, ok, text, extra }]
}

fn message(item: &Value) -> Vec<Part> {
    let injected = of_kind(item, &[INJECTED]).map(|text| Part::Injected { event: INJECTED.to_owned(), text });
    let typed = of_kind(item, &TYPED).filter(|_| item["role"] == "user");
    injected.into_iter().chain(typed.into_iter().flat_map(|text| self::typed(Some(&text)))).collect()
}

fn typed(text: Option<&str>) -> Vec<Part> {
    let text = text.unwrap_or_default().trim();
    let origin = if text.starts_with(PLAN_HANDED_OVER) { Origin::Plan } else { Origin::Typed };
    let prompt = Part::Prompt { text: text.to_owned(), origin, queued: false };
    match text {
        "" => Vec::new(),
        APPROVAL => vec![prompt, Part::Approved],
        _ => vec![prompt],
    }
}

/// The person rewinds their latest prompts. Current clients start a fork instead.
fn rolled_back(event: &Value) -> Vec<Part> {
    let turns = event["num_turns"].as_u64().and_then(|turns| usize::try_from(turns).ok());
    turns.map(Part::RolledBack).into_iter().collect()
}

fn questions(input: &Value) -> Vec<String> {
    let asked = input["questions"].as_array().into_iter().flatten();
    asked.filter_map(|question| text(question, "question")).collect()
}

/// The person's answers as the client keeps them, each with its question.
fn verified_answers(payload: &Value) -> Option<Vec<Part>> {
    let call = payload["call_id"].as_str().filter(|_| payload["type"] == "verified_answer")?;
    let pairs = payload["questions"].as_array().into_iter().flatten().filter_map(|pair| {
        let (asked, answer) = (pair["question"].as_str()?, pair["answer"].as_str()?);
        // After the question the client explains the chosen answer.
        let chosen = answer.lines().next().unwrap_or_default();
        let question = asked.split_once(&format!("\n{chosen}: ")).map_or(asked, |(question, _)| question);
        Some((question.to_owned(), own_words(answer.lines())))
    });
    Some(answered_by_person(call, pairs.collect()))
}

/// Whether an output is the person's answers: `{"answers":{"db":{"answers":["Postgres"]}}}`.
fn is_answer(item: &Value) -> bool {
    item["output"].as_str().is_some_and(|output| output.starts_with(r#"{"answers":"#))
}

/// The person's answers as the model got them. The questions are only in the call.
fn answer(item: &Value) -> Vec<Part> {
    let output = item["output"].as_str().and_then(|output| serde_json::from_str::<Value>(output).ok());
    let answers = output.as_ref().and_then(|output| output["answers"].as_object());
    let pairs = answers.into_iter().flatten().filter_map(|(id, answer)| {
        let words = answer["answers"].as_array()?.iter().filter_map(Value::as_str);
        Some((id.clone(), own_words(words)))
    });
    answered_by_person(item["call_id"].as_str().unwrap_or_default(), pairs.collect())
}

fn own_words<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| line.strip_prefix(OWN_WORDS).unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

fn answered_by_person(call: &str, answers: Vec<(String, String)>) -> Vec<Part> {
    let answers: Vec<_> = answers.into_iter().filter(|(_, answer)| !answer.is_empty()).collect();
    let text = answers.iter().map(|(_, answer)| answer.as_str()).collect::<Vec<_>>().join("\n");
    let extra = Extra { timed_out: answers.is_empty(), answers, ..Extra::default() };
    vec![Part::Result { call: call.to_owned(), ok: true, text, extra }]
}

fn spoken(text: &str) -> Vec<Part> {
    let text = text.trim();
    if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] }
}

/// What another agent sent: a subagent's result, or a message with a header of the client.
fn from_agent(item: &Value) -> Vec<Part> {
    let sender = text(item, "author").unwrap_or_default();
    let whole = joined(&item["content"]);
    let (head, body) = whole.split_once("Payload:\n").unwrap_or(("", &whole));
    let body = body.trim().to_owned();
    if head.contains("FINAL_ANSWER") {
        let result = Some(body).filter(|body| !body.is_empty()).map(Part::Beside);
        return [Part::Finished { id: sender, with_result: true }].into_iter().chain(result).collect();
    }
    let origin = Origin::Agent(sender);
    if body.is_empty() { Vec::new() } else { vec![Part::Delivered { text: body, origin }] }
}

/// A subagent runs in the background; its path in the tree of agents is its id.
fn subagent(id: &str, item: &Value) -> Vec<Part> {
    let Some(path) = text(item, "agent_path") else { return Vec::new() };
    match item["kind"].as_str() {
        Some("started") => {
            let extra = Extra { background: Some(path.clone()), agent: Some(path), ..Extra::default() };
            vec![Part::Result { call: id.to_owned(), ok: true, text: String::new(), extra }]
        }
        Some("completed" | "failed" | "interrupted" | "closed") => {
            vec![Part::Finished { id: path, with_result: false }]
        }
        _ => Vec::new(),
    }
}

fn planned(id: &str, input: &Value) -> Vec<Part> {
    let Some(steps) = input["plan"].as_array() else { return Vec::new() };
    let todo = |step: &Value| {
        let status = match step["status"].as_str() {
            Some("completed") => TaskStatus::Completed,
            Some("in_progress") => TaskStatus::InProgress,
            _ => TaskStatus::Pending,
        };
        Some(Todo { text: text(step, "step")?, status })
    };
    let todos = Tool::Todos(steps.iter().filter_map(todo).collect());
    answered(id, todos, true, String::new(), Extra::default())
}

/// A finished command. One that the person ran (`!cmd`) is not the agent's.
fn executed(id: &str, item: &Value) -> Vec<Part> {
    let command = command_line(&item["command"]);
    if command.is_empty() || item["source"] == "unified_exec_interaction" {
        return Vec::new();
    }
    if item["source"] == "user_shell" {
        return vec![Part::Typed(command)];
    }
    let exit_code = item["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok());
    let ok = exit_code.map_or(item["status"] == "completed", |code| code == 0);
    let refused = (item["status"] == "declined").then(String::new);
    let printed = text(item, "aggregated_output").unwrap_or_default();
    let extra = Extra { refused, exit_code, is_cut: is_cut(&printed), ..Extra::default() };
    answered(id, Tool::Shell { command, background: false }, ok, printed, extra)
}

/// The line that a shell runs: `["bash", "-lc", "ls"]` runs `ls`.
fn command_line(command: &Value) -> String {
    let words: Vec<&str> = command.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match words[..] {
        [_, flag, line] if flag.starts_with('-') && flag.ends_with('c') => line.to_owned(),
        _ if words.is_empty() => command.as_str().unwrap_or_default().to_owned(),
        _ => words.iter().map(|word| shell_words::quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

/// The output of a call in an older rollout. For a command it begins with lines of the client. A command that still runs
/// says so, and no later row says which command ended.
fn output(item: &Value) -> Vec<Part> {
    const GOES_ON: &str = "Process running with session ID";
    let call = item["call_id"].as_str().unwrap_or_default().to_owned();
    let is_of_script = item["type"] == "custom_tool_call_output";
    if let Some(parts) = is_of_script.then(|| script_output(&call, &item["output"])).flatten() {
        return parts;
    }
    let whole = match &item["output"] {
        Value::Object(output) => joined(output.get("content").unwrap_or(&Value::Null)),
        output => joined(output),
    };
    let Some((head, _)) = whole.split_once("Output:\n").filter(|(head, _)| is_head(head)) else {
        return vec![Part::Result { call, ok: true, text: whole, extra: Extra::default() }];
    };
    let heading_lines = head.lines().count() + 1;
    let exit_code = ["Process exited with code ", "Exit code: "].iter().find_map(|said| {
        head.lines().find_map(|line| line.strip_prefix(said)).and_then(|code| code.trim().parse().ok())
    });
    if head.contains(GOES_ON) {
        let extra = Extra { unended: true, ..Extra::default() };
        return vec![Part::Result { call, ok: true, text: String::new(), extra }];
    }
    let extra = Extra { exit_code, heading_lines, is_cut: is_cut(&whole), ..Extra::default() };
    vec![Part::Result { call, ok: exit_code.is_none_or(|code| code == 0), text: whole, extra }]
}

/// The client cut the middle of an output.
fn is_cut(output: &str) -> bool {
    output.contains(" tokens truncated…")
}

/// The output of a script: a header, and an item for each printed text. If it still runs, the rest appears later,
/// without a reference to the script.
fn script_output(script: &str, output: &Value) -> Option<Vec<Part>> {
    const GOES_ON: &str = "running with cell ID";
    /// The member of a later call that names it.
    const CELL: &str = "cell_id";
    let head = output[0]["text"].as_str().or(output.as_str())?;
    let state = head.strip_prefix("Script ")?.lines().next()?;
    let is_head = ["completed", "failed", "terminated", GOES_ON].iter().any(|is| state.starts_with(is));
    is_head.then_some(())?;
    let texts = output.as_array().map(|items| &items[1..]).unwrap_or_default();
    let texts: Vec<&str> = texts.iter().map(|item| item["text"].as_str().unwrap_or_default()).collect();
    let mut parts = Vec::new();
    if state == "completed" {
        for answer in script::answers(script, &texts) {
            let extra = Extra {
                exit_code: answer.exit_code,
                heading_lines: answer.heading_lines,
                unended: answer.goes_on,
                is_cut: is_cut(&answer.text),
                is_untold: answer.exit_code.is_none() && !answer.goes_on,
                ..Extra::default()
            };
            let ok = answer.exit_code.is_none_or(|code| code == 0);
            parts.push(Part::Result { call: answer.call, ok, text: answer.text, extra });
        }
    } else {
        parts.extend(texts.into_iter().filter(|text| !text.is_empty()).map(|text| Part::Result {
            call: script.to_owned(),
            ok: state != "failed",
            text: text.to_owned(),
            extra: Extra { is_untold: true, ..Extra::default() },
        }));
    }
    let goes_on = state.strip_prefix(GOES_ON).map(|cell| format!("{CELL}: {}", cell.trim()));
    let failed = state == "failed" || state == "terminated";
    parts.push(Part::ScriptEnd { script: script.to_owned(), failed, goes_on });
    Some(parts)
}

fn is_head(head: &str) -> bool {
    ["Chunk ID:", "Exit code:", "Wall time:"].iter().any(|start| head.starts_with(start))
}

/// The context after the latest answer. After a compaction it is only an estimate.
fn tokens(event: &Value) -> Vec<Part> {
    let info = &event["info"];
    let last = &info["last_token_usage"];
    let Some(total) = last["total_tokens"].as_u64().filter(|total| *total > 0) else { return Vec::new() };
    let output = last["output_tokens"].as_u64().unwrap_or(0).min(total);
    // The client repeats counts; only the running total tells answers apart.
    let answer = info["total_token_usage"]["total_tokens"].as_u64().map(|n| EntryId::of(&n.to_string()));
    let window = info["model_context_window"].as_u64().map(|told| Part::Window(told * 100 / TOLD_PERCENT));
    let usage = Part::Usage(Usage { input: total - output, output, window: None });
    [Part::Message(answer), usage].into_iter().chain(window).collect()
}

fn mcp_text(item: &Value) -> String {
    let error = item["error"]["message"].as_str().or(item["error"].as_str());
    error.map_or_else(|| joined(&item["result"]["content"]), str::to_owned)
}

#[cfg(test)]
mod tests;
