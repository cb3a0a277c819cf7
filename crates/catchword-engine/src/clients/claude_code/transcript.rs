//! A line of Claude Code's transcript → [`Entry`].
//!
//! The hard part is to separate a person's words from everything else in a `user` row: tool results, reminders, command
//! output, messages of other agents, summaries. Text counts as the person's only if nothing shows that it is not, and
//! output of tools never does.

use std::borrow::Cow;
use std::path::Path;

use serde_json::value::RawValue;

use super::SUBAGENTS;
use super::machine_text::{SETTINGS, between, is_machine_text};
use super::origin;
use super::window;
use super::wire::{self, Attachment, Block, Input, Row, ToolUseResult, WireUsage};
use crate::clients::inputs::arguments_in;
use crate::clients::setup::printed_version;
use crate::clients::{Owner, Understood};
use crate::model::entry::{
    Entry, EntryId, Extra, KeptByClient, Mode, Part, Place, Slash, TaskState, TaskStatus, Thread, Todo, Tool,
    Usage,
};
use crate::model::frame::{FRAMED, OPENING};
use crate::model::origin::Origin;
use crate::redact::UnmaskedEntry;

/// How the changes of a file are written.
#[derive(Clone, Copy)]
enum Changes {
    /// The removed text, then the added text.
    Plain,
    /// As lines with `-` and `+`, for people.
    Marked,
}

/// Row types that carry the conversation; everything else is the client's own bookkeeping.
const CONVERSATION: [&str; 5] = ["user", "assistant", "system", "attachment", "queue-operation"];

/// The first version that was seen to keep the latest round in a compaction and to attach files again; 2.1.49 was seen
/// not to.
const KEEPS_SINCE: [u32; 3] = [2, 1, 217];
/// Since about this version the model can schedule prompts, too, and what is typed while the agent works is written a
/// second time when the agent gets it. Older versions write it to the queue only, which only the person fills.
const SCHEDULES_SINCE: [u32; 3] = [2, 1, 50];
/// What such a version gives back. Memory files are not among it.
static KEEPS: KeptByClient = KeptByClient {
    round: true,
    messages: false,
    files: 5,
    not_files: Cow::Borrowed(&[
        Cow::Borrowed("CLAUDE.md"),
        Cow::Borrowed("CLAUDE.local.md"),
        Cow::Borrowed("MEMORY.md"),
    ]),
};
static KEEPS_NOTHING: KeptByClient =
    KeptByClient { round: false, messages: false, files: 0, not_files: Cow::Borrowed(&[]) };
/// How a summary's row begins in older versions.
pub(super) const CONTINUED: &str = "This session is being continued from a previous conversation";

/// Parses one line.
pub fn entry(place: Place, line: &[u8]) -> Understood {
    understood(place, line, Changes::Plain)
}

/// The same, with changes of files marked with `-` and `+`.
pub fn entry_with_marked_changes(place: Place, line: &[u8]) -> Understood {
    understood(place, line, Changes::Marked)
}

/// Rows of a conversation name their session and have an id; the client's own bookkeeping names a session, too.
pub fn is_row(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(trimmed(line));
    let says = |row: Row| row.kind.is_some() && (row.session_id.is_some() || row.uuid.is_some());
    serde_json::from_str(&text).is_ok_and(says)
}

/// Whose transcript it is, by its path and one of its lines; `None` if this line does not say. The client names a file
/// after its session, and a subagent's `agent-<id>`, in a folder beside the session's or (older versions) in the same.
pub fn owner(path: &Path, line: &[u8]) -> Option<Owner> {
    let stem = path.file_stem()?.to_str()?;
    let subagent = stem.strip_prefix("agent-").map(str::to_owned);
    let folder = path.parent().filter(|folder| folder.ends_with(SUBAGENTS)).and_then(Path::parent);
    let named = match (&subagent, folder) {
        (Some(_), Some(folder)) => folder.file_name()?.to_str(),
        (Some(_), None) => None,
        (None, _) => Some(stem),
    };
    let by_name = named.filter(|name| is_uuid(name)).map(str::to_owned);
    let session = by_name.or_else(|| session_of(line).filter(|session| !session.is_empty()))?;
    Some(Owner { session, subagent })
}

/// The folder of a project's transcripts: its path with `-` for everything that is not a letter or digit.
pub fn project(folder: &str) -> String {
    folder
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '*' | '?') { c } else { '-' })
        .collect()
}

/// The client names a transcript after its session.
pub fn is_of(path: &Path, session: &str) -> bool {
    path.file_stem().is_some_and(|stem| stem == session)
}

/// The session that a line says it belongs to.
fn session_of(line: &[u8]) -> Option<String> {
    serde_json::from_str::<Row>(&String::from_utf8_lossy(trimmed(line))).ok()?.session_id
}

fn is_uuid(name: &str) -> bool {
    let sizes = name.split('-').map(str::len);
    sizes.eq([8, 4, 4, 4, 12]) && name.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

fn understood(place: Place, line: &[u8], changes: Changes) -> Understood {
    let line = trimmed(line);
    if line.is_empty() || is_bookkeeping(line) {
        return Ok(None);
    }
    if line[0] != b'{' {
        return Err("not a JSON object".to_owned());
    }
    let text = String::from_utf8_lossy(line);
    let first = match serde_json::from_str(&text) {
        Ok(row) => return Ok(row_entry(place, row, changes).map(UnmaskedEntry::new)),
        Err(error) => error,
    };
    let plain = wire::plain(&text);
    match plain.as_deref().and_then(|plain| serde_json::from_str(plain).ok()) {
        Some(row) => Ok(row_entry(place, row, changes).map(UnmaskedEntry::new)),
        None => Err(format!("invalid JSON at byte {} of the line", first.column())),
    }
}

/// Without the NUL bytes that a crash leaves at the start of a line.
fn trimmed(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|b| *b != 0 && !b.is_ascii_whitespace()).unwrap_or(line.len());
    line[start..].trim_ascii_end()
}

/// Whether a row's first key shows that we do not need it: it is not parsed (some are over 100 kB). A row with its keys
/// in another order is parsed and skipped later; so this may miss rows to skip, but never skips one that matters.
fn is_bookkeeping(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"{\"type\":\"") else { return false };
    let kind = rest.split(|b| *b == b'"').next().unwrap_or_default();
    !CONVERSATION.iter().any(|c| c.as_bytes() == kind)
}

fn row_entry(place: Place, mut row: Row, changes: Changes) -> Option<Entry> {
    let parts = match row.kind.as_deref()? {
        "user" => user_parts(&mut row),
        "assistant" => assistant_parts(&mut row, changes),
        "system" => system_parts(&row),
        "attachment" => attachment_parts(&mut row),
        "queue-operation" => queue_parts(&row)?,
        _ => return None,
    };
    let sub = row.is_sidechain == Some(true) || row.agent_id.is_some();
    let version = row.version.as_deref().and_then(printed_version);
    Some(Entry {
        place,
        id: row.uuid.as_deref().map(EntryId::of),
        parent: row.parent_uuid.as_deref().map(EntryId::of),
        time: row.timestamp.as_deref().and_then(milliseconds),
        thread: if sub { Thread::Sub } else { Thread::Main },
        cwd: owned(row.cwd.as_ref()),
        // Outside a repository, and on a detached head, the client writes this.
        branch: owned(row.git_branch.as_ref()).filter(|branch| branch != "HEAD"),
        keeps: version.map(keeps),
        queue_is_typed: version.map(|version| version < SCHEDULES_SINCE),
        lasting: None,
        parts,
    })
}

fn keeps(version: [u32; 3]) -> &'static KeptByClient {
    if version >= KEEPS_SINCE { &KEEPS } else { &KEEPS_NOTHING }
}

/// A text, unless it is empty.
fn owned(text: Option<&String>) -> Option<String> {
    text.filter(|text| !text.is_empty()).cloned()
}

fn milliseconds(timestamp: &str) -> Option<i64> {
    timestamp.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

// ---- user rows

fn user_parts(row: &mut Row) -> Vec<Part> {
    let blocks = row.message.take().unwrap_or_default().content;
    if row.is_compact_summary == Some(true) || starts_with(&blocks, CONTINUED) {
        return vec![Part::Summary(summary_words(&joined(&blocks)))];
    }
    if blocks.iter().any(|b| b.kind.as_deref() == Some("tool_result")) {
        let beside = blocks.iter().filter_map(|b| beside_a_result(b.text.as_deref()?));
        let told = row.tool_use_result.as_ref().map(told_by_result).unwrap_or_default();
        return blocks
            .iter()
            .filter_map(|b| result(b, row.tool_use_result.as_ref()))
            .chain(beside)
            .chain(told)
            .collect();
    }
    if row.is_meta == Some(true) {
        return Vec::new();
    }
    let texts = blocks.iter().filter_map(|b| b.text.as_deref());
    match row.origin.as_ref().and_then(|o| o.kind.as_deref()) {
        None | Some("human" | "auto-continuation") => said_by_person(texts, true, false),
        Some(sender @ ("peer" | "channel" | "coordinator")) => delivered(texts, sender),
        Some(_) => said_by_person(texts, false, false),
    }
}

/// Text beside a tool result is kept apart: nothing near tool output counts as the person's.
fn beside_a_result(text: &str) -> Option<Part> {
    let text = text.trim();
    (!text.is_empty() && !is_machine_text(text)).then(|| Part::Beside(text.to_owned()))
}

/// The person's part of a message, block by block: reminders are blocks of their own beside what was typed.
fn said_by_person<'a>(texts: impl Iterator<Item = &'a str>, by_person: bool, queued: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut typed = Vec::new();
    for text in texts {
        let (text, records) = without_records(text);
        // A brief is left out: it quotes what a summary has wrong.
        parts.extend(records.into_iter().filter(|record| !record.starts_with(OPENING)).map(Part::Beside));
        let text = text.trim();
        if text.is_empty() {
        } else if is_interruption(text) {
            parts.extend(by_person.then_some(Part::Interrupted));
        } else if let Some(over) = finished(text) {
            parts.extend(over);
        } else if let messages @ [_, ..] = &*origin::messages(text) {
            parts.extend(messages.iter().map(|(sender, body)| sent(sender, body)));
        } else if let Some(part) = slash(text).or_else(|| shell_input(text)).filter(|_| by_person) {
            let request = request_in(&part);
            parts.push(part);
            parts.extend(request.map(|text| Part::Prompt { text, origin: Origin::Typed, queued }));
        } else if by_person && matches!(origin::of_text(text), Origin::Typed | Origin::Plan) {
            typed.push(without_reminders(origin::without_plan_hint(text)).into_owned());
        }
    }
    let typed = typed.join("\n");
    if !typed.trim().is_empty() {
        let text = typed.trim().to_owned();
        parts.push(Part::Prompt { origin: origin::of_text(&text), text, queued });
    }
    parts
}

/// Messages that the row itself marks as another agent's.
fn delivered<'a>(texts: impl Iterator<Item = &'a str>, sender: &str) -> Vec<Part> {
    let one = |text: &'a str| match origin::messages(text) {
        messages if messages.is_empty() && !is_machine_text(text) => vec![sent(sender, text.trim())],
        messages => messages.iter().map(|(sender, body)| sent(sender, body)).collect(),
    };
    texts.filter(|text| !text.trim().is_empty()).flat_map(one).collect()
}

fn sent(sender: &str, body: &str) -> Part {
    Part::Delivered { text: body.to_owned(), origin: Origin::Agent(sender.to_owned()) }
}

/// The client's sentence for a turn that the person stopped.
pub(super) fn is_interruption(text: &str) -> bool {
    const WHOLE: [&str; 2] = ["[Request interrupted by user]", "[Request interrupted by user for tool use]"];
    WHOLE.contains(&text) || text.starts_with("[Request interrupted: the session ended")
}

/// The typed text without the reminders that the client inserts. A reminder inside code, or an incomplete one, is only
/// mentioned and stays.
fn without_reminders(text: &str) -> Cow<'_, str> {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    let (mut kept, mut from, mut at) = (String::new(), 0, 0);
    while let Some(start) = text[at..].find(OPEN).map(|found| at + found) {
        let Some(end) = text[start..].find(CLOSE).map(|found| start + found + CLOSE.len()) else { break };
        let shown = text[..start].ends_with('`') || text[..start].matches("```").count() % 2 == 1;
        if !shown {
            kept.push_str(&text[from..start]);
            from = end;
        }
        at = end;
    }
    if from == 0 {
        return text.into();
    }
    kept.push_str(&text[from..]);
    kept.trim().to_owned().into()
}

/// Splits typed text from the briefs, replays and handoffs that were pasted or piped into it: they quote another
/// session, and nothing in them was said here. Each begins a line; an incomplete one extends to the end.
fn without_records(text: &str) -> (Cow<'_, str>, Vec<String>) {
    let next = |from: usize| {
        let begins = |at: usize| {
            text[..at].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| c == '\n')
        };
        let first = |(opening, closing): (&'static str, &'static str)| {
            let at = text[from..].match_indices(opening).map(|(at, _)| from + at).find(|at| begins(*at))?;
            let end = text[at..].find(closing).map_or(text.len(), |end| at + end + closing.len());
            Some((at, end))
        };
        FRAMED.into_iter().filter_map(first).min()
    };
    let (mut kept, mut records, mut from) = (String::new(), Vec::new(), 0);
    while let Some((at, end)) = next(from) {
        kept.push_str(&text[from..at]);
        records.push(text[at..end].to_owned());
        from = end;
    }
    if records.is_empty() {
        return (text.into(), records);
    }
    kept.push_str(&text[from..]);
    (kept.into(), records)
}

/// Prompts of the client that are done once they are answered.
const ONE_SHOT: [&str; 5] = ["/init", "/insights", "/pr-comments", "/statusline", "/team-onboarding"];

/// A command with an argument is a request in the person's words; without one it only names a command.
fn request_in(part: &Part) -> Option<String> {
    match part {
        Part::Slash { name, args, .. } if !args.is_empty() && !SETTINGS.contains(&name.as_str()) => {
            Some(format!("{name} {args}"))
        }
        _ => None,
    }
}

fn slash(text: &str) -> Option<Part> {
    if !text.starts_with("<command-name>") && !text.starts_with("<command-message>") {
        return None;
    }
    let name = between(text, "<command-name>", "</command-name>")?.trim();
    let args = between(text, "<command-args>", "</command-args>").unwrap_or_default().trim();
    let slashed = if name.starts_with('/') { name.to_owned() } else { format!("/{name}") };
    // A command for the model begins with its message, one that the client runs itself with its name.
    let own = text.starts_with("<command-name>") || ONE_SHOT.contains(&slashed.as_str());
    let kind = match slashed.as_str() {
        "/clear" | "/new" | "/reset" if own => Slash::Clears,
        "/compact" if own => Slash::Compacts,
        "/exit" | "/quit" if own => Slash::Ends,
        _ if own => Slash::Own,
        _ => Slash::Prompt,
    };
    Some(Part::Slash { name: slashed, args: args.to_owned(), kind })
}

/// A compaction that the person requested, with their instructions.
fn compact_order(args: &str) -> Part {
    Part::Slash { name: "/compact".to_owned(), args: args.trim().to_owned(), kind: Slash::Compacts }
}

fn shell_input(text: &str) -> Option<Part> {
    let command = between(text.strip_prefix("<bash-input>").map(|_| text)?, "<bash-input>", "</bash-input>")?;
    Some(Part::Typed(command.trim().to_owned()))
}

/// Background work reports its end in the user's role, under a tag that depends on the version.
fn finished(text: &str) -> Option<Vec<Part>> {
    const REPORTS: [[&str; 3]; 3] = [
        ["<task-notification>", "<task-id>", "</task-id>"],
        ["<bash-notification>", "<shell-id>", "</shell-id>"],
        ["<agent-notification>", "<agent-id>", "</agent-id>"],
    ];
    let id = |[opening, open, close]: [&str; 3]| between(text.strip_prefix(opening)?, open, close);
    let id = REPORTS.into_iter().find_map(id)?.trim().to_owned();
    let status = between(text, "<status>", "</status>");
    let result = between(text, "<result>", "</result>")
        .map(|result| Part::Report { id: id.clone(), text: result.trim().to_owned() });
    let with_result = text.contains("<result>");
    let is_over = status.is_none_or(|status| is_over(status.trim()));
    is_over.then(|| result.into_iter().chain([Part::Finished { id, with_result }]).collect())
}

/// The status of background work that has ended.
fn is_over(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "killed" | "stopped" | "cancelled")
}

/// Tasks and background work in the structured part of a tool result.
fn told_by_result(wire: &ToolUseResult) -> Vec<Part> {
    let over = |id: Option<&String>, status: Option<&String>| {
        let id = id.filter(|_| status.is_some_and(|status| is_over(status)))?;
        Some(Part::Finished { id: id.clone(), with_result: true })
    };
    let asked = wire.task.iter().filter_map(|task| over(task.task_id.as_ref(), task.status.as_ref()));
    let shell = over(wire.shell_id.as_ref(), wire.status.as_ref());
    let agents =
        wire.agents.iter().flatten().filter_map(|job| over(job.agent_id.as_ref(), job.status.as_ref()));
    let tasks: Vec<TaskState> =
        wire.tasks.iter().flatten().chain(&wire.task).filter_map(task_state).collect();
    let whole = wire.tasks.is_some();
    let tasks = (!tasks.is_empty()).then_some(Part::Tasks { tasks, whole });
    asked.chain(shell).chain(agents).chain(tasks).collect()
}

/// A task of a list; the answer to `TaskCreate` has no status.
fn task_state(wire: &wire::WireTask) -> Option<TaskState> {
    let status = status(wire.status.as_deref()?)?;
    Some(TaskState { id: wire.id.clone()?, subject: owned(wire.subject.as_ref())?, status })
}

fn result(block: &Block, extra: Option<&ToolUseResult>) -> Option<Part> {
    let call = block.tool_use_id.as_deref()?.to_owned();
    let ok = block.is_error != Some(true);
    let text = plain_output(joined(&block.content));
    // The agent was not told this id and cannot use it.
    let told_id =
        extra.and_then(|extra| owned(extra.agent_id.as_ref())).filter(|id| text.contains(id.as_str()));
    let text = if extra.is_some_and(|extra| extra.agent_id.is_some()) { report(text) } else { text };
    let exit_code = exit_code(&text);
    let extra = Extra {
        // A successful call was not refused, even if the file it read begins like a refusal.
        refused: if ok { None } else { refused(&text) },
        skipped: !ok && was_skipped(&text),
        exit_code,
        heading_lines: heading_lines(&text, exit_code),
        timed_out: origin::is_time_out(&text) || extra.is_some_and(timed_out),
        agent: told_id,
        put_back: put_back(&text),
        number_mark: number_mark(&text),
        is_cut: text.contains("characters truncated]"),
        ..extra.map(extra_of).unwrap_or_default()
    };
    Some(Part::Result { call, ok, text, extra })
}

/// The client wraps its own errors in a tag, and has a sentence for empty output.
fn plain_output(text: String) -> String {
    if text.trim() == "(Bash completed with no output)" {
        return String::new();
    }
    let inside = text.trim().strip_prefix("<tool_use_error>");
    inside.map(|rest| rest.trim_end_matches("</tool_use_error>").to_owned()).unwrap_or(text)
}

/// Lines of an answer that are the client's: the exit code, and all of the notice that a command goes on in the background.
fn heading_lines(text: &str, exit_code: Option<i32>) -> usize {
    if text.starts_with("Command running in background with ID: ") {
        return text.lines().count();
    }
    usize::from(exit_code.is_some())
}

/// What follows the number of the first line of a file; older versions write an arrow.
fn number_mark(text: &str) -> Option<char> {
    let behind = text.trim_start().strip_prefix(|c: char| c.is_ascii_digit())?;
    let mark = behind.trim_start_matches(|c: char| c.is_ascii_digit()).chars().next();
    mark.filter(|mark| matches!(mark, '\t' | '→'))
}

/// The line that the client adds if a command left the session's folders.
fn put_back(text: &str) -> Option<String> {
    text.lines().next_back().filter(|line| line.starts_with("Shell cwd was reset to ")).map(str::to_owned)
}

/// A subagent's own words, without the id and token count that the client appends. A subagent that was only started has
/// said nothing yet.
fn report(text: String) -> String {
    let said =
        if text.starts_with("agentId: ") { "" } else { text.split("\nagentId: ").next().unwrap_or_default() };
    if said.len() == text.len() { text } else { said.trim_end().to_owned() }
}

/// The client's answer to a call that did not run, or that the person stopped.
fn was_skipped(text: &str) -> bool {
    text.contains("Sibling tool call errored")
        || text.contains("[Request interrupted by user")
        || text.contains("Command aborted before execution")
}

/// The client puts the code of a failed command on a line before its output.
fn exit_code(text: &str) -> Option<i32> {
    let (code, _) =
        text.strip_prefix("Exit code ")?.split_once('\n').unwrap_or((&text["Exit code ".len()..], ""));
    code.trim_end().parse().ok()
}

/// The client's answer to a refused call, with the person's words at the end, if any.
fn refused(text: &str) -> Option<String> {
    let rest = text.strip_prefix("The user doesn't want to proceed with this tool use.")?;
    let words = rest.split_once("the user said:\n").map_or("", |(_, words)| words.trim());
    // If asked to explain its questions, the client writes its own words, not the person's.
    Some(if words.starts_with("The user wants to clarify") { String::new() } else { words.to_owned() })
}

fn extra_of(wire: &ToolUseResult) -> Extra {
    let launched = wire.status.as_deref() == Some("async_launched");
    Extra {
        task: wire.task.as_ref().and_then(|t| t.id.clone()),
        background: owned(wire.background_task_id.as_ref())
            .or_else(|| owned(wire.agent_id.as_ref()).filter(|_| launched)),
        answers: wire.answers.clone().map(answers).unwrap_or_default(),
        created: wire.kind.as_deref() == Some("create"),
        undecided: wire.awaiting_leader_approval == Some(true) || wire.is_agent == Some(true),
        ..Extra::default()
    }
}

/// A question of the call timed out.
fn timed_out(wire: &ToolUseResult) -> bool {
    let answers = wire.answers.iter().flat_map(serde_json::Map::values);
    answers.filter_map(serde_json::Value::as_str).any(origin::is_time_out)
}

fn answers(map: serde_json::Map<String, serde_json::Value>) -> Vec<(String, String)> {
    let text = |v: serde_json::Value| match v {
        serde_json::Value::String(s) => s,
        other => other.to_string(),
    };
    let pairs = map.into_iter().map(|(question, answer)| (question, text(answer)));
    pairs.filter(|(_, answer)| !origin::is_time_out(answer)).collect()
}

// ---- assistant rows

fn assistant_parts(row: &mut Row, changes: Changes) -> Vec<Part> {
    let message = row.message.take().unwrap_or_default();
    if message.model.as_deref() == Some(wire::SYNTHETIC) {
        return Vec::new();
    }
    let mut parts = vec![Part::Message(message.id.as_deref().map(EntryId::of))];
    parts.extend(owned(message.model.as_ref()).map(Part::Model));
    for block in &message.content {
        match block.kind.as_deref() {
            Some("text") => parts.extend(block.text.as_deref().and_then(spoken)),
            Some("tool_use") => parts.extend(call(block, changes)),
            _ => {}
        }
    }
    let window = row.requested_model.as_deref().and_then(window::requested);
    parts.extend(message.usage.as_ref().and_then(usage).map(|usage| Part::Usage(Usage { window, ..usage })));
    if message.stop_reason.as_deref() == Some("end_turn") {
        parts.push(Part::TurnEnd);
    }
    parts
}

fn spoken(text: &str) -> Option<Part> {
    let text = text.trim();
    // The client's text for an empty message of the model; its notices come under the model's name, too.
    let is_clients = matches!(text, "" | "(no content)") || origin::is_client_notice(text);
    (!is_clients).then(|| Part::Text(text.to_owned()))
}

/// All tokens sent, in the last iteration if the client counts several; rows with zeros say nothing.
pub(super) fn usage(wire: &WireUsage) -> Option<Usage> {
    let last =
        wire.iterations.iter().flatten().rev().find(|i| matches!(i.kind.as_deref(), None | Some("message")));
    let of = last.unwrap_or(wire);
    let n = |tokens: Option<u64>| tokens.unwrap_or(0);
    let cached = n(of.cache_creation_input_tokens).saturating_add(n(of.cache_read_input_tokens));
    let input = n(of.input_tokens).saturating_add(cached);
    (input > 0).then(|| Usage { input, output: n(of.output_tokens), window: None })
}

fn call(block: &Block, changes: Changes) -> Option<Part> {
    let id = block.id.as_deref()?.to_owned();
    let name = block.name.as_deref()?;
    let input = block.input.and_then(|raw| wire::read(raw.get())).unwrap_or_default();
    Some(Part::Call { id, tool: tool(name, &input, block.input, changes) })
}

fn tool(name: &str, input: &Input, raw: Option<&RawValue>, changes: Changes) -> Tool {
    let of = |text: &Option<String>| text.clone().unwrap_or_default();
    let path = || of(if input.file_path.is_some() { &input.file_path } else { &input.notebook_path });
    match name {
        "Bash" | "PowerShell" => {
            Tool::Shell { command: of(&input.command), background: input.run_in_background == Some(true) }
        }
        "Read" | "NotebookRead" => Tool::Read { path: path() },
        "Edit" | "MultiEdit" | "NotebookEdit" => {
            Tool::Edit { path: path(), change: change(input, changes), added: added(input) }
        }
        "Write" => Tool::Write { path: path(), content: of(&input.content) },
        "Grep" | "Glob" | "LS" => Tool::Search {
            pattern: of(&input.pattern),
            path: owned(input.path.as_ref()),
            in_text: name == "Grep",
        },
        "TodoWrite" => Tool::Todos(input.todos.iter().flatten().filter_map(todo).collect()),
        "TaskCreate" => Tool::TaskCreate { subject: of(&input.subject), detail: of(&input.description) },
        "TaskUpdate" => Tool::TaskUpdate {
            task: task_id(input.task_id.as_ref()),
            status: input.status.as_deref().and_then(status),
            subject: owned(input.subject.as_ref()),
        },
        "AskUserQuestion" => {
            Tool::Ask { questions: input.questions.iter().flatten().map(|q| q.question.clone()).collect() }
        }
        "ExitPlanMode" => Tool::Plan { text: of(&input.plan), file: owned(input.plan_file.as_ref()) },
        "Task" | "Agent" => Tool::Agent { description: of(&input.description), prompt: of(&input.prompt) },
        "Skill" => Tool::Skill {
            name: of(if input.skill.is_some() { &input.skill } else { &input.command }),
            args: of(&input.args),
        },
        "KillShell" | "KillBash" | "TaskStop" => {
            Tool::Kill { id: of(if input.shell_id.is_some() { &input.shell_id } else { &input.running_id }) }
        }
        "CronCreate" | "ScheduleWakeup" => Tool::Schedule { prompt: of(&input.prompt) },
        _ => Tool::Other {
            name: name.to_owned(),
            input: raw.and_then(|raw| wire::read(raw.get())).as_ref().map(arguments_in).unwrap_or_default(),
        },
    }
}

fn change(input: &Input, changes: Changes) -> String {
    let single = std::iter::once((input.old_string.as_deref(), input.new_string.as_deref()));
    let several = input.edits.iter().flatten();
    let several = several.map(|edit| (Some(edit.old_string.as_str()), Some(edit.new_string.as_str())));
    let texts = single.chain(several).flat_map(|(old, new)| {
        [old.map(|old| marked(old, '-', changes)), new.map(|new| marked(new, '+', changes))]
    });
    texts.flatten().collect::<Vec<_>>().join("\n")
}

fn added(input: &Input) -> String {
    let several = input.edits.iter().flatten().map(|edit| edit.new_string.as_str());
    let texts = input.new_string.as_deref().into_iter().chain(several);
    texts.collect::<Vec<_>>().join("\n")
}

/// `text` with a sign before each line, if wanted.
fn marked(text: &str, sign: char, changes: Changes) -> Cow<'_, str> {
    if matches!(changes, Changes::Plain) {
        return text.into();
    }
    let lines: Vec<String> = text.lines().map(|line| format!("{sign} {line}")).collect();
    lines.join("\n").into()
}

fn todo(wire: &wire::WireTodo) -> Option<Todo> {
    let text = wire.content.clone().filter(|t| !t.is_empty())?;
    Some(Todo { text, status: wire.status.as_deref().and_then(status).unwrap_or(TaskStatus::Pending) })
}

fn status(name: &str) -> Option<TaskStatus> {
    match name {
        "pending" => Some(TaskStatus::Pending),
        "in_progress" => Some(TaskStatus::InProgress),
        "completed" => Some(TaskStatus::Completed),
        "deleted" | "cancelled" => Some(TaskStatus::Deleted),
        _ => None,
    }
}

/// Task ids come as strings and as numbers.
fn task_id(id: Option<&serde_json::Value>) -> String {
    match id {
        Some(serde_json::Value::String(id)) => id.clone(),
        Some(serde_json::Value::Null) | None => String::new(),
        Some(id) => id.to_string(),
    }
}

// ---- system and attachment rows

fn system_parts(row: &Row) -> Vec<Part> {
    match row.subtype.as_deref() {
        Some("compact_boundary") => vec![compaction(row)],
        // Versions whose messages have no stop reason say it this way.
        Some("turn_duration" | "stop_hook_summary") => vec![Part::TurnEnd],
        Some("local_command") => {
            slash(row.content.as_deref().unwrap_or_default().trim()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn compaction(row: &Row) -> Part {
    let meta = row.compact_metadata.as_ref();
    Part::Compaction {
        manual: meta.and_then(|m| m.trigger.as_deref()) == Some("manual"),
        before: meta.and_then(|m| m.pre_tokens),
        after: meta.and_then(|m| m.post_tokens),
    }
}

fn attachment_parts(row: &mut Row) -> Vec<Part> {
    let Some(attachment) = row.attachment.take() else { return Vec::new() };
    match attachment.kind.as_deref() {
        Some("queued_command") => queued(&attachment, row.is_meta == Some(true)),
        Some("hook_additional_context") => vec![injected(&attachment)],
        // What a subagent was told does not concern the main conversation.
        Some("plan_mode" | "plan_mode_reentry") if attachment.is_sub_agent != Some(true) => {
            vec![Part::Mode(Mode::Plan(true))]
        }
        Some("plan_mode_exit") => vec![Part::Mode(Mode::Plan(false))],
        Some("output_style") => {
            attachment.style.map(|name| Part::Mode(Mode::Style(name))).into_iter().collect()
        }
        Some("task_status") => {
            let over = attachment.status.as_deref().is_some_and(is_over);
            attachment
                .task_id
                .filter(|_| over)
                .map(|id| Part::Finished { id, with_result: false })
                .into_iter()
                .collect()
        }
        Some("task_reminder") => {
            let tasks = attachment.content.map(wire::items).unwrap_or_default();
            let tasks: Vec<TaskState> = tasks.iter().filter_map(task_state).collect();
            (!tasks.is_empty()).then_some(Part::Tasks { tasks, whole: true }).into_iter().collect()
        }
        Some("invoked_skills") => {
            let names = attachment.skills.into_iter().flatten().map(|skill| skill.name);
            vec![Part::Reattached(names.collect())]
        }
        _ => Vec::new(),
    }
}

fn injected(attachment: &Attachment) -> Part {
    let event = attachment.hook_event.as_deref().unwrap_or_default().to_owned();
    Part::Injected { event, text: attachment.content.map(wire::texts).unwrap_or_default().join("\n") }
}

/// The queue of prompts typed while the agent works and of scheduled ones; a row does not say which it is.
fn queue_parts(row: &Row) -> Option<Vec<Part>> {
    match row.operation.as_deref()? {
        "enqueue" => {
            let typed = row.content.as_deref()?.trim();
            if let Some(over) = finished(typed) {
                return Some(over);
            }
            if let Some(args) = typed.strip_prefix("/compact ").filter(|args| !args.contains('\n')) {
                return Some(vec![compact_order(args)]);
            }
            let (typed, _) = without_records(typed);
            let typed = typed.trim();
            let are_words =
                !typed.is_empty() && is_queued_by_person(typed) && !typed.starts_with(['{', '/', '!']);
            are_words.then(|| vec![Part::Queued(without_reminders(typed).into_owned())])
        }
        "popAll" => Some(vec![Part::Unqueued]),
        "remove" => Some(vec![Part::Steered]),
        _ => None,
    }
}

/// Nothing shows that a queued text is not the person's.
fn is_queued_by_person(text: &str) -> bool {
    origin::of_text(text) == Origin::Typed && origin::messages(text).is_empty()
}

/// A prompt typed while the agent worked. Notifications have the same row type with another mode.
fn queued(attachment: &Attachment, is_meta: bool) -> Vec<Part> {
    let kind = attachment.origin.as_ref().and_then(|o| o.kind.as_deref());
    let by_person = matches!(kind, None | Some("human"))
        && attachment.command_mode.as_deref() == Some("prompt")
        && attachment.is_meta != Some(true)
        && !is_meta;
    said_by_person(attachment.prompt.iter().filter_map(|b| b.text.as_deref()), by_person, true)
}

// ---- shared

fn starts_with(blocks: &[Block], prefix: &str) -> bool {
    blocks.first().and_then(|b| b.text.as_deref()).is_some_and(|t| t.trim_start().starts_with(prefix))
}

/// A summary without the client's text around it: a reminder before it, and after it the transcript's path and how to go
/// on. Names in there would look like the session's own.
fn summary_words(text: &str) -> String {
    const BEHIND: &str = "If you need specific details from before compaction";
    let end = text.rfind(BEHIND).filter(|at| text[..*at].ends_with('\n')).unwrap_or(text.len());
    let body = text[..end].trim_end();
    let head = body.find("Summary:").unwrap_or(0);
    let reminder = body[..head].find("<system-reminder>").zip(body[..head].rfind("</system-reminder>"));
    match reminder {
        Some((from, to)) if from < to => {
            format!("{}{}", &body[..from], body[to + "</system-reminder>".len()..].trim_start())
        }
        _ => body.to_owned(),
    }
}

fn joined(blocks: &[Block]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests;
