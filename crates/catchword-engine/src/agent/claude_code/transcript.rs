//! A line of Claude Code's transcript → [`Entry`].
//!
//! The hard part is telling a person's words from everything else that arrives as a `user` row: tool
//! results, reminders, command output, other agents' messages, summaries. Text is taken for the person's
//! only when nothing speaks against it; what a tool returned can never become a prompt here.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;
use std::thread::LocalKey;

use super::scan::{Halt, Raw};
use super::setup::{SUBAGENTS, client_version};
use super::wire::{self, Attachment, Block, Input, OneEdit, Row, ToolUseResult, WireUsage, blocks_in};
use crate::agent::entry::{
    Entry, EntryId, Extra, Mode, Part, Place, Shared, TaskStatus, Thread, Todo, Tool, Unheard, Usage,
};
use crate::agent::{Owner, Understood};

/// How much of a row is taken.
#[derive(Clone, Copy)]
struct Most<'a> {
    /// Longest text kept of a tool's answer, an edit or an agent's message.
    text: usize,
    /// Longest prompt.
    prompt: usize,
    /// Changes of files as lines with `-` and `+`, for people.
    marked: bool,
    /// The row is only glanced at, and answers to these calls are stepped over.
    glance: Option<&'a Unheard>,
}

/// What follows a compaction never needs more of one text, and a fold must not carry megabytes. People paste logs.
const FOLDED: Most = Most { text: 16 * 1024, prompt: 64 * 1024, marked: false, glance: None };
/// Everything, for people.
const WHOLE: Most = Most { text: usize::MAX, prompt: usize::MAX, marked: true, glance: None };

/// Row types that carry the conversation; everything else is the client's own bookkeeping.
const CONVERSATION: [&str; 5] = ["user", "assistant", "system", "attachment", "queue-operation"];

/// The first version that was seen to keep the latest round in a compaction and to attach files again; 2.1.49 was seen
/// not to.
const KEEPS: [u32; 3] = [2, 1, 217];
/// How older versions begin the row that holds a summary.
pub(super) const CONTINUED: &str = "This session is being continued from a previous conversation";

/// Understands one line; long texts are cut in the middle.
pub fn entry(place: Place, line: &[u8]) -> Understood {
    understood(place, line, FOLDED)
}

/// The same line, without texts that matter for their words alone.
pub fn glance(place: Place, line: &[u8], unheard: &mut Unheard) -> Understood {
    let entry = understood(place, line, Most { glance: Some(unheard), ..FOLDED })?;
    if let Some(entry) = &entry {
        unheard.note(entry);
    }
    Ok(entry)
}

/// The calls of the main conversation that stand in a line. Most lines have none, which a look at their bytes tells; of the
/// others nothing else is taken.
pub fn calls(line: &[u8]) -> u32 {
    if memchr::memmem::find(line, br#""tool_use""#).is_none() {
        return 0;
    }
    let line = trimmed(line);
    let sound = line.starts_with(b"{") && !is_bookkeeping(line);
    if sound { wire::calls_in(line).unwrap_or(0) } else { 0 }
}

/// The same line with nothing cut, and changes of files marked with `-` and `+`.
pub fn whole(place: Place, line: &[u8]) -> Understood {
    understood(place, line, WHOLE)
}

/// Whose a transcript is, by its path and one of its lines; `None` where this line does not tell. The client calls a
/// file by its session, those of subagents `agent-<id>`, in a folder beside the session's or (older versions) with it.
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
    let session = by_name.or_else(|| Row::session_of(trimmed(line)).filter(|session| !session.is_empty()))?;
    Some(Owner { session, subagent })
}

fn is_uuid(name: &str) -> bool {
    let sizes = name.split('-').map(str::len);
    sizes.eq([8, 4, 4, 4, 12]) && name.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

fn understood(place: Place, line: &[u8], most: Most) -> Understood {
    let line = trimmed(line);
    if line.is_empty() || is_bookkeeping(line) {
        return Ok(None);
    }
    if line[0] != b'{' {
        return Err("not a JSON object".to_owned());
    }
    match Row::read(line, &CONVERSATION, most.glance) {
        Ok(row) => Ok(row_entry(place, row, most)),
        Err(Halt::NotOurs) => Ok(None),
        Err(Halt::Unsound(at)) => Err(format!("not sound JSON from byte {at} of the line on")),
    }
}

/// Without the NUL bytes that a crash leaves at the start of a line.
fn trimmed(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|b| *b != 0 && !b.is_ascii_whitespace()).unwrap_or(line.len());
    line[start..].trim_ascii_end()
}

/// A row whose first key says that it is none of ours: it is never parsed (some are over 100 kB). A row with
/// another key order is parsed and skipped then; this may say "skip", never "is".
fn is_bookkeeping(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"{\"type\":\"") else { return false };
    let kind = rest.split(|b| *b == b'"').next().unwrap_or_default();
    !CONVERSATION.iter().any(|c| c.as_bytes() == kind)
}

fn row_entry(place: Place, mut row: Row, most: Most) -> Option<Entry> {
    let parts = match row.kind.as_deref()? {
        "user" => user_parts(&mut row, most),
        "assistant" => assistant_parts(&mut row, most),
        "system" => system_parts(&row),
        "attachment" => attachment_parts(&row, most),
        "queue-operation" => queue_parts(&row, most)?,
        _ => return None,
    };
    let sub = row.is_sidechain == Some(true) || row.agent_id.is_some();
    Some(Entry {
        place,
        id: row.uuid.as_deref().map(EntryId::of),
        time: row.timestamp.as_deref().and_then(milliseconds),
        thread: if sub { Thread::Sub } else { Thread::Main },
        cwd: shared(&CWD, row.cwd.as_deref()),
        // Outside a repository, and on a detached head, the client writes this.
        branch: shared(&BRANCH, row.git_branch.as_deref().filter(|branch| *branch != "HEAD")),
        keeps: row.version.as_deref().and_then(client_version).map(|version| version >= KEEPS),
        parts,
        glanced: most.glance.is_some(),
    })
}

thread_local! {
    static CWD: RefCell<Option<Shared>> = const { RefCell::new(None) };
    static BRANCH: RefCell<Option<Shared>> = const { RefCell::new(None) };
    static MODEL: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

/// A text that is not empty, the same as that of the row before it where it is equal.
fn shared(latest: &'static LocalKey<RefCell<Option<Shared>>>, text: Option<&str>) -> Option<Shared> {
    let text = text.filter(|text| !text.is_empty())?;
    latest.with_borrow_mut(|latest| {
        if latest.as_deref() != Some(text) {
            *latest = Some(text.into());
        }
        latest.clone()
    })
}

fn owned(text: Option<&Cow<str>>) -> Option<String> {
    text.filter(|t| !t.is_empty()).map(ToString::to_string)
}

fn milliseconds(timestamp: &str) -> Option<i64> {
    let any = || timestamp.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond);
    as_the_client_writes_it(timestamp).or_else(any)
}

/// The time of `2026-01-31T10:20:30.400Z`. It stands in every row, and this form is the only one that was ever seen.
fn as_the_client_writes_it(timestamp: &str) -> Option<i64> {
    let digits: &[u8; 24] = timestamp.as_bytes().try_into().ok()?;
    let is_shape = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (23, b'Z')];
    let number = |from: usize, length: usize| {
        digits[from..from + length]
            .iter()
            .try_fold(0_i16, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i16::from(digit - b'0')))
    };
    let shaped = is_shape.iter().all(|(at, sign)| digits[*at] == *sign);
    let [month, day, hour, minute, second] =
        [number(5, 2), number(8, 2), number(11, 2), number(14, 2), number(17, 2)]
            .map(|n| n.and_then(|n| i8::try_from(n).ok()));
    let date = jiff::civil::Date::new(number(0, 4).filter(|_| shaped)?, month?, day?).ok()?;
    let time = jiff::civil::Time::new(hour?, minute?, second?, 0).ok()?;
    let whole = jiff::tz::Offset::UTC.to_timestamp(date.to_datetime(time)).ok()?;
    Some(whole.as_millisecond() + i64::from(number(20, 3)?))
}

// ---- user rows

fn user_parts(row: &mut Row, most: Most) -> Vec<Part> {
    let blocks = std::mem::take(&mut row.message.content);
    if row.is_compact_summary == Some(true) || starts_with(&blocks, CONTINUED) {
        return vec![Part::Summary(summary_words(&joined(blocks)))];
    }
    if blocks.iter().any(|b| b.kind.as_deref() == Some("tool_result")) {
        let beside = blocks.iter().filter_map(|b| beside_a_result(b.text.as_deref()?, most));
        return blocks.iter().filter_map(|b| result(b, &row.tool_use_result, most)).chain(beside).collect();
    }
    if row.is_meta == Some(true) {
        return Vec::new();
    }
    let kind = row.origin.as_ref().and_then(|o| o.kind.as_deref());
    let by_person = matches!(kind, None | Some("human" | "auto-continuation"));
    said_by_person(blocks.iter().filter_map(|b| b.text.as_deref()), by_person, false, most)
}

/// Text beside a tool's answer is kept apart, whoever wrote it: near tool output nothing counts as the person's.
fn beside_a_result(text: &str, most: Most) -> Option<Part> {
    let text = text.trim();
    (!text.is_empty() && !is_machine_text(text)).then(|| Part::Beside(shortened(text, most.text)))
}

/// The person's part of a message, block by block: reminders are blocks of their own beside what was typed.
fn said_by_person<'a>(
    texts: impl Iterator<Item = &'a str>,
    by_person: bool,
    queued: bool,
    most: Most,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut typed = Vec::new();
    for text in texts.map(str::trim).filter(|t| !t.is_empty()) {
        if text.starts_with("[Request interrupted") {
            parts.extend(by_person.then_some(Part::Interrupted));
        } else if let Some(part) = finished(text) {
            parts.push(part);
        } else if let Some(part) = slash(text).or_else(|| shell_input(text)).filter(|_| by_person) {
            let request = request_in(&part, most);
            parts.push(part);
            parts.extend(request.map(|text| Part::Prompt { text, queued }));
        } else if by_person && !is_machine_text(text) {
            typed.push(without_reminders(text));
        }
    }
    let typed = typed.join("\n");
    if !typed.trim().is_empty() {
        parts.push(Part::Prompt { text: shortened(typed.trim(), most.prompt), queued });
    }
    parts
}

/// Text that the client writes in the person's place starts with a lowercase tag. Only the start counts: a
/// prompt that mentions a tag is still a prompt.
fn is_machine_text(text: &str) -> bool {
    let tag = text.strip_prefix('<').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    tag || text.starts_with("Caveat: The messages below were generated by the user")
        || text.starts_with("API Error")
}

/// What was typed without the reminders that the client puts into it. One that is shown as code, or not whole, is
/// spoken of and stays.
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

/// Commands of the client itself, and ours: what stands behind them sets something, and asks the agent for nothing.
const SETTINGS: [&str; 23] = [
    "/add-dir",
    "/agents",
    "/btw",
    crate::notes::NOTE_COMMAND,
    "/clear",
    "/color",
    "/compact",
    "/config",
    "/copy",
    "/effort",
    "/export",
    "/help",
    "/hooks",
    "/login",
    "/mcp",
    "/memory",
    "/model",
    "/permissions",
    "/plugin",
    "/rename",
    "/resume",
    "/status",
    "/theme",
];

/// Prompts that the client brings along and that are over once they are answered.
const ONE_SHOT: [&str; 5] = ["/init", "/insights", "/pr-comments", "/statusline", "/team-onboarding"];

/// A command with words behind it is a request as the person put it; alone it only names one.
fn request_in(part: &Part, most: Most) -> Option<String> {
    match part {
        Part::Slash { name, args, .. } if !args.is_empty() && !SETTINGS.contains(&name.as_str()) => {
            Some(shortened(format!("{name} {args}"), most.prompt))
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
    // What becomes a prompt for the model begins with its message, what the client does itself with its name.
    let own = text.starts_with("<command-name>") || ONE_SHOT.contains(&slashed.as_str());
    Some(Part::Slash { name: slashed, args: args.to_owned(), own })
}

fn shell_input(text: &str) -> Option<Part> {
    let command = between(text.strip_prefix("<bash-input>").map(|_| text)?, "<bash-input>", "</bash-input>")?;
    Some(Part::Typed(command.trim().to_owned()))
}

/// Background work reports its end in the person's place.
fn finished(text: &str) -> Option<Part> {
    let body = text.strip_prefix("<task-notification>")?;
    let id = between(body, "<task-id>", "</task-id>")?.trim().to_owned();
    Some(Part::Finished { id })
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let start = text.find(open)? + open.len();
    let end = text[start..].find(close)?;
    Some(&text[start..start + end])
}

fn result(block: &Block, extra: &ToolUseResult, most: Most) -> Option<Part> {
    let call = block.tool_use_id.as_deref()?.to_owned();
    let ok = block.is_error != Some(true);
    if ok && most.glance.is_some_and(|unheard| unheard.has(&call)) {
        return Some(Part::Result { call, ok, text: String::new(), extra: Extra::default() });
    }
    let text = shortened(joined(blocks_in(block.content)), most.text);
    // A call that worked was not refused, whatever the file it read begins with.
    let extra = Extra { refused: if ok { None } else { refused(&text) }, ..extra_of(extra) };
    Some(Part::Result { call, ok, text, extra })
}

/// The client answers a refused call in the person's name, with their words at the end if they said any.
fn refused(text: &str) -> Option<String> {
    let rest = text.strip_prefix("The user doesn't want to proceed with this tool use.")?;
    let words = rest.split_once("the user said:\n").map_or("", |(_, words)| words.trim());
    // Asked to explain its questions, the client writes what it makes of that, not what the person said.
    Some(if words.starts_with("The user wants to clarify") { String::new() } else { words.to_owned() })
}

fn extra_of(wire: &ToolUseResult) -> Extra {
    let launched = wire.status.as_deref() == Some("async_launched");
    Extra {
        task: wire.task.as_ref().and_then(|t| t.id.clone()),
        background: owned(wire.background_task_id.as_ref())
            .or_else(|| owned(wire.agent_id.as_ref()).filter(|_| launched)),
        answers: wire.answers.and_then(answers).unwrap_or_default(),
        created: wire.kind.as_deref() == Some("create"),
        refused: None,
    }
}

fn answers(raw: Raw) -> Option<Vec<(String, String)>> {
    let map: serde_json::Map<String, serde_json::Value> = raw.parse()?;
    let text = |v: serde_json::Value| match v {
        serde_json::Value::String(s) => s,
        other => other.to_string(),
    };
    Some(map.into_iter().map(|(question, answer)| (question, text(answer))).collect())
}

// ---- assistant rows

fn assistant_parts(row: &mut Row, most: Most) -> Vec<Part> {
    let message = std::mem::take(&mut row.message);
    if message.model.as_deref() == Some(wire::SYNTHETIC) {
        return Vec::new();
    }
    let mut parts = vec![Part::Message(message.id.as_deref().map(EntryId::of))];
    parts.extend(shared(&MODEL, message.model.as_deref()).map(Part::Model));
    for block in &message.content {
        match block.kind.as_deref() {
            Some("text") => parts.extend(block.text.as_deref().and_then(|text| spoken(text, most))),
            Some("tool_use") => parts.extend(call(block, most)),
            _ => {}
        }
    }
    parts.extend(message.usage.as_ref().and_then(usage).map(Part::Usage));
    if message.stop_reason.as_deref() == Some("end_turn") {
        parts.push(Part::TurnEnd);
    }
    parts
}

fn spoken(text: &str, most: Most) -> Option<Part> {
    let text = text.trim();
    (!text.is_empty()).then(|| Part::Text(shortened(text, most.text)))
}

/// Everything that was sent, from the last iteration where the client counts several; all-zero rows say
/// nothing.
pub(super) fn usage(wire: &WireUsage) -> Option<Usage> {
    let last =
        wire.iterations.iter().flatten().rev().find(|i| matches!(i.kind.as_deref(), None | Some("message")));
    let of = last.unwrap_or(wire);
    let n = |tokens: Option<u64>| tokens.unwrap_or(0);
    let cached = n(of.cache_creation_input_tokens).saturating_add(n(of.cache_read_input_tokens));
    let input = n(of.input_tokens).saturating_add(cached);
    (input > 0).then(|| Usage { input, output: n(of.output_tokens) })
}

fn call(block: &Block, most: Most) -> Option<Part> {
    let id = block.id.as_deref()?.to_owned();
    let name = block.name.as_deref()?;
    let input = Input::read(block.input);
    Some(Part::Call { id, tool: tool(name, &input, block.input, most) })
}

fn tool(name: &str, input: &Input, raw: Option<Raw>, most: Most) -> Tool {
    let of = |text: &Option<Cow<str>>| text.as_deref().unwrap_or_default().to_owned();
    let long = |text: &Option<Cow<str>>| shortened(text.as_deref().unwrap_or_default(), most.text);
    let words = |raw: Option<Raw>| match most.glance {
        Some(_) => String::new(),
        None => shortened(raw.and_then(Raw::text).unwrap_or_default(), most.text),
    };
    let path = || of(if input.file_path.is_some() { &input.file_path } else { &input.notebook_path });
    match name {
        "Bash" | "PowerShell" => {
            Tool::Shell { command: long(&input.command), background: input.run_in_background == Some(true) }
        }
        "Read" | "NotebookRead" => Tool::Read { path: path() },
        "Edit" | "MultiEdit" | "NotebookEdit" => Tool::Edit { path: path(), change: change(input, most) },
        "Write" => Tool::Write { path: path(), content: words(input.content) },
        "Grep" | "Glob" | "LS" => {
            Tool::Search { pattern: of(&input.pattern), path: owned(input.path.as_ref()) }
        }
        "TodoWrite" => Tool::Todos(input.todos.iter().flatten().filter_map(todo).collect()),
        "TaskCreate" => Tool::TaskCreate { subject: of(&input.subject) },
        "TaskUpdate" => Tool::TaskUpdate {
            task: task_id(input.task_id),
            status: input.status.as_deref().and_then(status),
            subject: owned(input.subject.as_ref()),
        },
        "AskUserQuestion" => {
            Tool::Ask { questions: input.questions.iter().flatten().map(|q| q.question.clone()).collect() }
        }
        "ExitPlanMode" => Tool::Plan { text: long(&input.plan), file: owned(input.plan_file.as_ref()) },
        "Task" | "Agent" => Tool::Agent { description: of(&input.description), prompt: words(input.prompt) },
        "Skill" => Tool::Skill {
            name: of(if input.skill.is_some() { &input.skill } else { &input.command }),
            args: of(&input.args),
        },
        "KillShell" | "KillBash" | "TaskStop" => {
            Tool::Kill { id: of(if input.shell_id.is_some() { &input.shell_id } else { &input.running_id }) }
        }
        _ if most.glance.is_some() => Tool::Other { name: name.to_owned(), input: String::new() },
        _ => Tool::Other { name: name.to_owned(), input: shortened(strings_in(raw), most.text) },
    }
}

/// All strings of an input whose shape nobody knows.
fn strings_in(raw: Option<Raw>) -> String {
    fn collect(value: &serde_json::Value, into: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => into.push(text.clone()),
            serde_json::Value::Array(items) => items.iter().for_each(|v| collect(v, into)),
            serde_json::Value::Object(fields) => fields.values().for_each(|v| collect(v, into)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Some(value) = raw.and_then(Raw::parse) {
        collect(&value, &mut found);
    }
    found.join("\n")
}

fn change(input: &Input, most: Most) -> String {
    if most.glance.is_some() {
        return String::new();
    }
    let (old, new) = (input.old_string.and_then(Raw::text), input.new_string.and_then(Raw::text));
    let single = std::iter::once((old.as_deref(), new.as_deref()));
    let edits = input.edits.and_then(Raw::parse::<Vec<OneEdit>>);
    let several = edits.iter().flatten();
    let several = several.map(|e| (Some(e.old_string.as_str()), Some(e.new_string.as_str())));
    let texts = single.chain(several).flat_map(|(old, new)| {
        [old.map(|old| marked(old, '-', most)), new.map(|new| marked(new, '+', most))]
    });
    shortened(texts.flatten().collect::<Vec<_>>().join("\n"), most.text)
}

/// `text` with a sign before each of its lines, where that is wanted.
fn marked<'a>(text: &'a str, sign: char, most: Most) -> Cow<'a, str> {
    if !most.marked {
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
fn task_id(raw: Option<Raw>) -> String {
    raw.map_or_else(String::new, |raw| String::from_utf8_lossy(raw.get()).trim_matches('"').to_owned())
}

// ---- system and attachment rows

fn system_parts(row: &Row) -> Vec<Part> {
    match row.subtype.as_deref() {
        Some("compact_boundary") => vec![compaction(row)],
        Some("local_command") => {
            let content = row.content.and_then(Raw::text).unwrap_or_default();
            slash(content.trim()).into_iter().collect()
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
        kept: meta
            .and_then(|m| m.preserved_messages.as_ref())
            .map(|p| p.uuids.iter().map(|u| EntryId::of(u)).collect())
            .unwrap_or_default(),
    }
}

fn attachment_parts(row: &Row, most: Most) -> Vec<Part> {
    let Some(attachment) = row.attachment.and_then(Attachment::read) else { return Vec::new() };
    match attachment.kind.as_deref() {
        Some("queued_command") => queued(&attachment, most),
        Some("hook_additional_context") => vec![injected(&attachment)],
        // Which of them a subagent was told is its own affair.
        Some("plan_mode" | "plan_mode_reentry") if attachment.is_sub_agent != Some(true) => {
            vec![Part::Mode(Mode::Plan(true))]
        }
        Some("plan_mode_exit") => vec![Part::Mode(Mode::Plan(false))],
        Some("output_style") => style(&attachment).into_iter().collect(),
        Some("invoked_skills") => {
            let names = attachment.skills.into_iter().flatten().map(|skill| skill.name);
            vec![Part::Reattached(names.collect())]
        }
        _ => Vec::new(),
    }
}

fn style(attachment: &Attachment) -> Option<Part> {
    let name = attachment.style?.text()?;
    Some(Part::Mode(Mode::Style(name.into_owned())))
}

fn injected(attachment: &Attachment) -> Part {
    let event = attachment.hook_event.as_deref().unwrap_or_default().to_owned();
    Part::Injected { event, text: strings(attachment.content).join("\n") }
}

/// The queue of what is typed while the agent works. Several versions write such words nowhere else.
fn queue_parts(row: &Row, most: Most) -> Option<Vec<Part>> {
    match row.operation.as_deref()? {
        "enqueue" => {
            let text = row.content?.text()?;
            let typed = text.trim();
            let by_person =
                !typed.is_empty() && !is_machine_text(typed) && !typed.starts_with(['{', '/', '!']);
            by_person.then(|| vec![Part::Queued(shortened(without_reminders(typed), most.prompt))])
        }
        "popAll" => Some(vec![Part::Unqueued]),
        _ => None,
    }
}

/// Words typed while the agent worked. Notifications queue up in the same row type under another mode.
fn queued(attachment: &Attachment, most: Most) -> Vec<Part> {
    let kind = attachment.origin.as_ref().and_then(|o| o.kind.as_deref());
    let by_person = matches!(kind, None | Some("human"))
        && matches!(attachment.command_mode.as_deref(), None | Some("prompt"));
    let blocks = blocks_in(attachment.prompt);
    said_by_person(blocks.iter().filter_map(|b| b.text.as_deref()), by_person, true, most)
}

fn strings(raw: Option<Raw>) -> Vec<String> {
    let Some(raw) = raw else { return Vec::new() };
    raw.parse::<Vec<String>>()
        .unwrap_or_else(|| raw.text().map(|text| vec![text.into_owned()]).unwrap_or_default())
}

// ---- shared

fn starts_with(blocks: &[Block], prefix: &str) -> bool {
    blocks.first().and_then(|b| b.text.as_deref()).is_some_and(|t| t.trim_start().starts_with(prefix))
}

/// A summary without what the client puts around the model's words: a reminder before it, and behind it where the
/// transcript lies and how to go on. Their names would pass for the session's.
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

fn joined(blocks: Vec<Block>) -> Cow<str> {
    let mut texts: Vec<Cow<str>> = blocks.into_iter().filter_map(|b| b.text).collect();
    if texts.len() == 1 { texts.remove(0) } else { texts.join("\n").into() }
}

/// `text` with its middle cut out where it is too long: the start says what it is, the end how it ended.
fn shortened<'a>(text: impl Into<Cow<'a, str>>, most: usize) -> String {
    let text = text.into();
    if text.len() <= most {
        return text.into_owned();
    }
    let head = floor_char(&text, most * 3 / 4);
    let tail = ceil_char(&text, text.len() - most / 4);
    format!("{}\n…\n{}", &text[..head], &text[tail..])
}

fn floor_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests;
