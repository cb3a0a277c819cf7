//! Claude Code's JSON exactly as it is sent.
//!
//! Every field may be missing, null or of another type than last month: such a field is read as absent, so
//! that one surprise does not cost the row. What a field means is decided elsewhere.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Reads a value of the expected type, or nothing.
pub fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// Reads a string without copying it where it has no escapes, or nothing.
fn text<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?;
    Ok(as_text(raw))
}

/// The string a raw value holds.
pub fn as_text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let json = raw.get();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(json).or_else(|_| serde_json::from_str(&mended(json))).ok().map(Cow::Owned)
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
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Row<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub subtype: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub operation: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub uuid: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub cwd: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub git_branch: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub version: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient")]
    pub is_sidechain: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub is_meta: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub is_compact_summary: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub origin: Option<Origin>,
    #[serde(deserialize_with = "lenient")]
    pub compact_metadata: Option<CompactMetadata>,
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub attachment: Option<&'a RawValue>,
    #[serde(borrow)]
    pub tool_use_result: Option<&'a RawValue>,
}

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
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub model: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub stop_reason: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    #[serde(deserialize_with = "lenient")]
    pub usage: Option<WireUsage>,
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
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Block<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub text: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub input: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "text")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient")]
    pub is_error: Option<bool>,
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
}

/// The input of a tool, for every tool at once: they hardly share a name with two meanings.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Input<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub command: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient")]
    pub run_in_background: Option<bool>,
    #[serde(borrow, deserialize_with = "text")]
    pub file_path: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub notebook_path: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub path: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub pattern: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub query: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub url: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub old_string: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub new_string: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub content: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient")]
    pub edits: Option<Vec<OneEdit>>,
    #[serde(deserialize_with = "lenient")]
    pub todos: Option<Vec<WireTodo>>,
    #[serde(borrow, deserialize_with = "text")]
    pub subject: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub description: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub prompt: Option<Cow<'a, str>>,
    #[serde(borrow)]
    #[serde(rename = "taskId")]
    pub task_id: Option<&'a RawValue>,
    #[serde(borrow, rename = "task_id", deserialize_with = "text")]
    pub running_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub shell_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient")]
    pub questions: Option<Vec<WireQuestion>>,
    #[serde(borrow, deserialize_with = "text")]
    pub plan: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text", rename = "planFilePath")]
    pub plan_file: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub skill: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub args: Option<Cow<'a, str>>,
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
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolUseResult<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient")]
    pub task: Option<WireTask>,
    #[serde(borrow, deserialize_with = "text")]
    pub background_task_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub answers: Option<&'a RawValue>,
}

/// The task that `TaskCreate` made.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireTask {
    #[serde(deserialize_with = "lenient")]
    pub id: Option<String>,
}

/// A row of type `attachment`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Attachment<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub prompt: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "text")]
    pub command_mode: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "lenient")]
    pub origin: Option<Origin>,
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "text")]
    pub hook_event: Option<Cow<'a, str>>,
    /// A name in `output_style` rows, an object in others.
    #[serde(borrow)]
    pub style: Option<&'a RawValue>,
    #[serde(deserialize_with = "lenient")]
    pub skills: Option<Vec<InvokedSkill>>,
    #[serde(deserialize_with = "lenient")]
    pub is_sub_agent: Option<bool>,
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
