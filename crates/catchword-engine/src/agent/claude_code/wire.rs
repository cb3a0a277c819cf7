//! Claude Code's JSON exactly as it is sent.
//!
//! Every field may be missing, null or of another type than last month: such a field is read as absent, so
//! that one surprise does not cost the row. What a field means is decided elsewhere.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::scan::{Halt, Raw, Scan};
use crate::agent::entry::Unheard;

/// Reads a value of the expected type, or nothing.
pub fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// Reads a string without copying it where it has no escapes, or nothing.
fn text<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?;
    Ok(Scan::new(raw.get().as_bytes()).text().ok().flatten())
}

/// JSON without the escapes that serde refuses (surrogates, where tools have cut emoji in half): they become
/// the replacement character.
pub fn mended(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find("\\u") {
        let escapes = rest[..at].bytes().rev().take_while(|b| *b == b'\\').count();
        let code = rest.get(at + 2..at + 6);
        let surrogate =
            code.is_some_and(|c| c.as_bytes()[0].eq_ignore_ascii_case(&b'd') && c.as_bytes()[1] >= b'8');
        mended.push_str(&rest[..at]);
        if surrogate && escapes.is_multiple_of(2) {
            mended.push('\u{fffd}');
            rest = rest.get(at + 6..).unwrap_or_default();
        } else {
            mended.push_str("\\u");
            rest = &rest[at + 2..];
        }
    }
    mended.push_str(rest);
    mended
}

/// A row of the transcript.
#[derive(Default)]
pub struct Row<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub subtype: Option<Cow<'a, str>>,
    pub operation: Option<Cow<'a, str>>,
    pub uuid: Option<Cow<'a, str>>,
    pub timestamp: Option<Cow<'a, str>>,
    pub cwd: Option<Cow<'a, str>>,
    pub git_branch: Option<Cow<'a, str>>,
    pub version: Option<Cow<'a, str>>,
    pub agent_id: Option<Cow<'a, str>>,
    pub is_sidechain: Option<bool>,
    pub is_meta: Option<bool>,
    pub is_compact_summary: Option<bool>,
    pub origin: Option<Origin>,
    pub compact_metadata: Option<CompactMetadata>,
    pub content: Option<Raw<'a>>,
    pub message: Message<'a>,
    pub attachment: Option<Raw<'a>>,
    pub tool_use_result: ToolUseResult<'a>,
}

impl<'a> Row<'a> {
    /// Reads a row, in one pass over its line. One whose type is not among `kinds` is left as soon as that is known; what
    /// the client adds to answers that are stepped over is, too.
    pub fn read(line: &'a [u8], kinds: &[&str], unheard: Option<&Unheard>) -> Result<Self, Halt> {
        let mut row = Row::default();
        let mut scan = Scan::new(line);
        scan.object(|key, scan| {
            match key {
                b"type" => {
                    row.kind = scan.text()?;
                    if !row.kind.as_deref().is_some_and(|kind| kinds.contains(&kind)) {
                        return Err(Halt::NotOurs);
                    }
                }
                b"subtype" => row.subtype = scan.text()?,
                b"operation" => row.operation = scan.text()?,
                b"uuid" => row.uuid = scan.text()?,
                b"timestamp" => row.timestamp = scan.text()?,
                b"cwd" => row.cwd = scan.text()?,
                b"gitBranch" => row.git_branch = scan.text()?,
                b"version" => row.version = scan.text()?,
                b"agentId" => row.agent_id = scan.text()?,
                b"isSidechain" => row.is_sidechain = scan.flag()?,
                b"isMeta" => row.is_meta = scan.flag()?,
                b"isCompactSummary" => row.is_compact_summary = scan.flag()?,
                b"origin" => row.origin = scan.parse()?,
                b"compactMetadata" => row.compact_metadata = scan.parse()?,
                b"content" => row.content = scan.value()?,
                b"message" => row.message = Message::read(scan)?,
                b"attachment" => row.attachment = scan.value()?,
                b"toolUseResult" if unheard.is_some_and(|unheard| row.only_answers(unheard)) => {
                    scan.skip_from_behind()?;
                }
                b"toolUseResult" => row.tool_use_result = ToolUseResult::read(scan)?,
                _ => _ = scan.skip()?,
            }
            Ok(())
        })?;
        scan.end()?;
        Ok(row)
    }

    /// Its message says nothing but that these calls were answered.
    fn only_answers(&self, unheard: &Unheard) -> bool {
        let answers = |block: &Block| {
            block.is_error != Some(true) && block.tool_use_id.as_deref().is_some_and(|call| unheard.has(call))
        };
        let blocks = &self.message.content;
        self.is_sidechain.is_some() && !blocks.is_empty() && blocks.iter().all(answers)
    }

    /// The session that a line says it belongs to.
    pub fn session_of(line: &[u8]) -> Option<String> {
        let mut session = None;
        let _ = Scan::new(line).object(|key, scan| {
            match key {
                b"sessionId" => session = scan.text()?,
                _ => _ = scan.skip()?,
            }
            Ok(())
        });
        session.map(Cow::into_owned)
    }
}

/// How many tools the main agent uses in a row, where it is a sound one.
pub fn calls_in(line: &[u8]) -> Result<u32, Halt> {
    let (mut calls, mut is_said, mut is_sub) = (0, false, false);
    let mut scan = Scan::new(line);
    scan.object(|key, scan| {
        match key {
            b"type" => {
                is_said = scan.text()?.as_deref() == Some("assistant");
                if !is_said {
                    return Err(Halt::NotOurs);
                }
            }
            b"isSidechain" => is_sub |= scan.flag()? == Some(true),
            b"agentId" => is_sub |= scan.text()?.is_some(),
            b"message" => calls = calls_of_message(scan)?,
            _ => _ = scan.skip()?,
        }
        Ok(())
    })?;
    scan.end()?;
    Ok(if is_said && !is_sub { calls } else { 0 })
}

fn calls_of_message(scan: &mut Scan) -> Result<u32, Halt> {
    let (mut calls, mut is_models) = (0, true);
    scan.object(|key, scan| {
        match key {
            b"model" => is_models = scan.text()?.as_deref() != Some(SYNTHETIC),
            b"content" => {
                calls = 0;
                scan.array(|scan| is_call(scan).map(|is_call| calls += u32::from(is_call)))?;
            }
            _ => _ = scan.skip()?,
        }
        Ok(())
    })?;
    Ok(if is_models { calls } else { 0 })
}

fn is_call(scan: &mut Scan) -> Result<bool, Halt> {
    let (mut is_use, mut has_id, mut has_name) = (false, false, false);
    scan.object(|key, scan| {
        match key {
            b"type" => is_use = scan.text()?.as_deref() == Some("tool_use"),
            b"id" => has_id = scan.text()?.is_some(),
            b"name" => has_name = scan.text()?.is_some(),
            _ => _ = scan.skip()?,
        }
        Ok(())
    })?;
    Ok(is_use && has_id && has_name)
}

/// The model of messages that the client makes up itself.
pub const SYNTHETIC: &str = "<synthetic>";

/// Who wrote a user row.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Origin {
    pub kind: Option<String>,
}

/// What the boundary row says of a compaction.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct CompactMetadata {
    pub trigger: Option<String>,
    pub pre_tokens: Option<u64>,
    pub post_tokens: Option<u64>,
    pub preserved_messages: Option<Preserved>,
}

/// The rows that stay in the context.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Preserved {
    pub uuids: Vec<String>,
}

/// The API message inside a row.
#[derive(Default)]
pub struct Message<'a> {
    pub id: Option<Cow<'a, str>>,
    pub model: Option<Cow<'a, str>>,
    pub stop_reason: Option<Cow<'a, str>>,
    pub content: Vec<Block<'a>>,
    pub usage: Option<WireUsage>,
}

impl<'a> Message<'a> {
    fn read(scan: &mut Scan<'a>) -> Result<Self, Halt> {
        let mut message = Message::default();
        scan.object(|key, scan| {
            match key {
                b"id" => message.id = scan.text()?,
                b"model" => message.model = scan.text()?,
                b"stop_reason" => message.stop_reason = scan.text()?,
                b"content" => message.content = blocks(scan)?,
                b"usage" => message.usage = WireUsage::read(scan)?,
                _ => _ = scan.skip()?,
            }
            Ok(())
        })?;
        Ok(message)
    }
}

/// Tokens of one API message.
#[derive(Deserialize, Default, Clone)]
#[serde(default)]
pub struct WireUsage {
    #[serde(deserialize_with = "lenient")]
    pub input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub cache_creation_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub cache_read_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub output_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub iterations: Option<Vec<WireUsage>>,
    #[serde(rename = "type", deserialize_with = "lenient")]
    pub kind: Option<String>,
}

impl WireUsage {
    fn read(scan: &mut Scan) -> Result<Option<Self>, Halt> {
        let mut usage = WireUsage::default();
        let other = scan.object(|key, scan| {
            match key {
                b"input_tokens" => usage.input_tokens = scan.number()?,
                b"cache_creation_input_tokens" => usage.cache_creation_input_tokens = scan.number()?,
                b"cache_read_input_tokens" => usage.cache_read_input_tokens = scan.number()?,
                b"output_tokens" => usage.output_tokens = scan.number()?,
                b"iterations" => usage.iterations = WireUsage::several(scan)?,
                b"type" => usage.kind = scan.text()?.map(Cow::into_owned),
                _ => _ = scan.skip()?,
            }
            Ok(())
        })?;
        Ok(other.is_none().then_some(usage))
    }

    fn several(scan: &mut Scan) -> Result<Option<Vec<Self>>, Halt> {
        let mut all = Vec::new();
        let other = scan.array(|scan| WireUsage::read(scan).map(|usage| all.extend(usage)))?;
        Ok(other.is_none().then_some(all))
    }
}

/// A status line's stdin.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct StatusPayload {
    #[serde(deserialize_with = "lenient")]
    pub session_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub transcript_path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub cwd: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub model: Option<WireModel>,
    #[serde(deserialize_with = "lenient")]
    pub workspace: Option<Workspace>,
    #[serde(deserialize_with = "lenient")]
    pub context_window: Option<ContextWindow>,
}

/// The model as the status line is told of it.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireModel {
    #[serde(deserialize_with = "lenient")]
    pub id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub display_name: Option<String>,
}

/// The folders as the status line is told of them.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Workspace {
    #[serde(deserialize_with = "lenient")]
    pub current_dir: Option<String>,
}

/// The context as the status line is told of it; explicit nulls before the first answer.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ContextWindow {
    #[serde(deserialize_with = "lenient")]
    pub context_window_size: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub current_usage: Option<WireUsage>,
}

/// One block of a message.
#[derive(Default)]
pub struct Block<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub text: Option<Cow<'a, str>>,
    pub id: Option<Cow<'a, str>>,
    pub name: Option<Cow<'a, str>>,
    pub input: Option<Raw<'a>>,
    pub tool_use_id: Option<Cow<'a, str>>,
    pub is_error: Option<bool>,
    pub content: Option<Raw<'a>>,
}

impl<'a> Block<'a> {
    fn read(scan: &mut Scan<'a>) -> Result<Option<Self>, Halt> {
        let mut block = Block::default();
        let other = scan.object(|key, scan| {
            match key {
                b"type" => block.kind = scan.text()?,
                b"text" => block.text = scan.text()?,
                b"id" => block.id = scan.text()?,
                b"name" => block.name = scan.text()?,
                b"input" => block.input = scan.value()?,
                b"tool_use_id" => block.tool_use_id = scan.text()?,
                b"is_error" => block.is_error = scan.flag()?,
                b"content" => block.content = scan.value()?,
                _ => _ = scan.skip()?,
            }
            Ok(())
        })?;
        Ok(other.is_none().then_some(block))
    }
}

/// The blocks that stand here; a plain string is one text block.
fn blocks<'a>(scan: &mut Scan<'a>) -> Result<Vec<Block<'a>>, Halt> {
    let mut blocks = Vec::new();
    let other = scan.array(|scan| Block::read(scan).map(|block| blocks.extend(block)))?;
    blocks.extend(other.and_then(text_block));
    Ok(blocks)
}

fn text_block(raw: Raw) -> Option<Block> {
    Some(Block { kind: Some(Cow::Borrowed("text")), text: Some(raw.text()?), ..Block::default() })
}

/// The blocks of a value.
pub fn blocks_in(raw: Option<Raw>) -> Vec<Block> {
    raw.and_then(|raw| blocks(&mut Scan::new(raw.get())).ok()).unwrap_or_default()
}

/// The input of a tool, for every tool at once: they hardly share a name with two meanings.
#[derive(Default)]
pub struct Input<'a> {
    pub command: Option<Cow<'a, str>>,
    pub run_in_background: Option<bool>,
    pub file_path: Option<Cow<'a, str>>,
    pub notebook_path: Option<Cow<'a, str>>,
    pub path: Option<Cow<'a, str>>,
    pub pattern: Option<Cow<'a, str>>,
    pub old_string: Option<Raw<'a>>,
    pub new_string: Option<Raw<'a>>,
    pub content: Option<Raw<'a>>,
    pub edits: Option<Raw<'a>>,
    pub todos: Option<Vec<WireTodo>>,
    pub subject: Option<Cow<'a, str>>,
    pub description: Option<Cow<'a, str>>,
    pub prompt: Option<Raw<'a>>,
    pub task_id: Option<Raw<'a>>,
    pub running_id: Option<Cow<'a, str>>,
    pub shell_id: Option<Cow<'a, str>>,
    pub status: Option<Cow<'a, str>>,
    pub questions: Option<Vec<WireQuestion>>,
    pub plan: Option<Cow<'a, str>>,
    pub plan_file: Option<Cow<'a, str>>,
    pub skill: Option<Cow<'a, str>>,
    pub args: Option<Cow<'a, str>>,
}

impl<'a> Input<'a> {
    /// The input that a value holds; an empty one where it holds none.
    pub fn read(raw: Option<Raw<'a>>) -> Self {
        let mut input = Input::default();
        let Some(raw) = raw else { return input };
        // It is part of a row that was walked to its end: sound.
        let _ = Scan::new(raw.get()).object(|key, scan| {
            match key {
                b"command" => input.command = scan.text()?,
                b"run_in_background" => input.run_in_background = scan.flag()?,
                b"file_path" => input.file_path = scan.text()?,
                b"notebook_path" => input.notebook_path = scan.text()?,
                b"path" => input.path = scan.text()?,
                b"pattern" => input.pattern = scan.text()?,
                b"old_string" => input.old_string = scan.value()?,
                b"new_string" => input.new_string = scan.value()?,
                b"content" => input.content = scan.value()?,
                b"edits" => input.edits = scan.value()?,
                b"todos" => input.todos = scan.parse()?,
                b"subject" => input.subject = scan.text()?,
                b"description" => input.description = scan.text()?,
                b"prompt" => input.prompt = scan.value()?,
                b"taskId" => input.task_id = scan.value()?,
                b"task_id" => input.running_id = scan.text()?,
                b"shell_id" => input.shell_id = scan.text()?,
                b"status" => input.status = scan.text()?,
                b"questions" => input.questions = scan.parse()?,
                b"plan" => input.plan = scan.text()?,
                b"planFilePath" => input.plan_file = scan.text()?,
                b"skill" => input.skill = scan.text()?,
                b"args" => input.args = scan.text()?,
                _ => _ = scan.skip()?,
            }
            Ok(())
        });
        input
    }
}

/// One of several edits.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct OneEdit {
    pub old_string: String,
    pub new_string: String,
}

/// An item of `TodoWrite`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireTodo {
    #[serde(deserialize_with = "lenient")]
    pub content: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub status: Option<String>,
}

/// A question of `AskUserQuestion`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireQuestion {
    pub question: String,
}

/// What the client adds to a tool's answer; the fields of several tools.
#[derive(Default)]
pub struct ToolUseResult<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub task: Option<WireTask>,
    pub background_task_id: Option<Cow<'a, str>>,
    pub agent_id: Option<Cow<'a, str>>,
    pub status: Option<Cow<'a, str>>,
    pub answers: Option<Raw<'a>>,
}

impl<'a> ToolUseResult<'a> {
    fn read(scan: &mut Scan<'a>) -> Result<Self, Halt> {
        let mut result = ToolUseResult::default();
        scan.object(|key, scan| {
            match key {
                b"type" => result.kind = scan.text()?,
                b"task" => result.task = scan.parse()?,
                b"backgroundTaskId" => result.background_task_id = scan.text()?,
                b"agentId" => result.agent_id = scan.text()?,
                b"status" => result.status = scan.text()?,
                b"answers" => result.answers = scan.value()?,
                _ => _ = scan.skip()?,
            }
            Ok(())
        })?;
        Ok(result)
    }
}

/// The task that `TaskCreate` made.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireTask {
    #[serde(deserialize_with = "lenient")]
    pub id: Option<String>,
}

/// A row of type `attachment`.
#[derive(Default)]
pub struct Attachment<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub prompt: Option<Raw<'a>>,
    pub command_mode: Option<Cow<'a, str>>,
    pub origin: Option<Origin>,
    pub content: Option<Raw<'a>>,
    pub hook_event: Option<Cow<'a, str>>,
    /// A name in `output_style` rows, an object in others.
    pub style: Option<Raw<'a>>,
    pub skills: Option<Vec<InvokedSkill>>,
    pub is_sub_agent: Option<bool>,
}

impl<'a> Attachment<'a> {
    /// The attachment that a value holds.
    pub fn read(raw: Raw<'a>) -> Option<Self> {
        let mut attachment = Attachment::default();
        let walked = Scan::new(raw.get()).object(|key, scan| {
            match key {
                b"type" => attachment.kind = scan.text()?,
                b"prompt" => attachment.prompt = scan.value()?,
                b"commandMode" => attachment.command_mode = scan.text()?,
                b"origin" => attachment.origin = scan.parse()?,
                b"content" => attachment.content = scan.value()?,
                b"hookEvent" => attachment.hook_event = scan.text()?,
                b"style" => attachment.style = scan.value()?,
                b"skills" => attachment.skills = scan.parse()?,
                b"isSubAgent" => attachment.is_sub_agent = scan.flag()?,
                _ => _ = scan.skip()?,
            }
            Ok(())
        });
        (walked == Ok(None)).then_some(attachment)
    }
}

/// A command or skill that the client puts back into the context.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct InvokedSkill {
    pub name: String,
}

/// A hook's stdin.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Payload<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub hook_event_name: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub transcript_path: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub cwd: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub agent_transcript_path: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub agent_type: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub source: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub reason: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub trigger: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub last_assistant_message: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub compact_summary: Option<Cow<'a, str>>,
}
