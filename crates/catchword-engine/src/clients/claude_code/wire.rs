//! Claude Code's rows as it writes them. Every field may be absent (`clients/lenient.rs`); what they mean is decided
//! elsewhere.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::clients::lenient::{OneOrMore, one_or_more};
pub use crate::clients::lenient::{items, lenient, list, plain, read, texts};

/// Reads the blocks of a message; a plain string is one text block.
fn blocks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Block<'de>>, D::Error> {
    let text_block = |text| Block { kind: Some("text".to_owned()), text: Some(text), ..Block::default() };
    Ok(match one_or_more(from)? {
        Some(OneOrMore::One(text)) => vec![text_block(text)],
        Some(OneOrMore::More(blocks)) => blocks,
        None => Vec::new(),
    })
}

/// A row of the transcript.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Row<'a> {
    #[serde(rename = "type", deserialize_with = "lenient")]
    pub kind: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub subtype: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub operation: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub uuid: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub parent_uuid: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub session_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub timestamp: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub cwd: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub git_branch: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub version: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub agent_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub is_sidechain: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub is_meta: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub is_compact_summary: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub requested_model: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub origin: Option<WireOrigin>,
    #[serde(deserialize_with = "lenient")]
    pub compact_metadata: Option<CompactMetadata>,
    #[serde(deserialize_with = "lenient")]
    pub content: Option<String>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub message: Option<ApiMessage<'a>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub attachment: Option<Attachment<'a>>,
    #[serde(deserialize_with = "lenient")]
    pub tool_use_result: Option<ToolUseResult>,
}

/// The model name in messages that the client itself writes.
pub const SYNTHETIC: &str = "<synthetic>";

/// Who wrote a user row.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireOrigin {
    pub kind: Option<String>,
}

/// What the boundary row says about a compaction.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct CompactMetadata {
    pub trigger: Option<String>,
    pub pre_tokens: Option<u64>,
    pub post_tokens: Option<u64>,
}

/// The API message inside a row.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ApiMessage<'a> {
    #[serde(deserialize_with = "lenient")]
    pub id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub model: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub stop_reason: Option<String>,
    #[serde(borrow, deserialize_with = "blocks")]
    pub content: Vec<Block<'a>>,
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
    #[serde(deserialize_with = "list")]
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

/// The model in a status line's payload.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireModel {
    #[serde(deserialize_with = "lenient")]
    pub id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub display_name: Option<String>,
}

/// The folders in a status line's payload.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Workspace {
    #[serde(deserialize_with = "lenient")]
    pub current_dir: Option<String>,
}

/// The context in a status line's payload; explicit nulls before the first answer.
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
    #[serde(rename = "type", deserialize_with = "lenient")]
    pub kind: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub text: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub name: Option<String>,
    #[serde(borrow)]
    pub input: Option<&'a RawValue>,
    #[serde(deserialize_with = "lenient")]
    pub tool_use_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub is_error: Option<bool>,
    #[serde(borrow, deserialize_with = "blocks")]
    pub content: Vec<Block<'a>>,
}

/// The input of any tool: no field name has two meanings that matter here.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Input {
    #[serde(deserialize_with = "lenient")]
    pub command: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub run_in_background: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub file_path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub notebook_path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub pattern: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub old_string: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub new_string: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub content: Option<String>,
    #[serde(deserialize_with = "list")]
    pub edits: Option<Vec<OneEdit>>,
    #[serde(deserialize_with = "list")]
    pub todos: Option<Vec<WireTodo>>,
    #[serde(deserialize_with = "lenient")]
    pub subject: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub description: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub prompt: Option<String>,
    #[serde(rename = "taskId", deserialize_with = "lenient")]
    pub task_id: Option<Value>,
    #[serde(rename = "task_id", deserialize_with = "lenient")]
    pub running_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub shell_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub status: Option<String>,
    #[serde(deserialize_with = "list")]
    pub questions: Option<Vec<WireQuestion>>,
    #[serde(deserialize_with = "lenient")]
    pub plan: Option<String>,
    #[serde(rename = "planFilePath", deserialize_with = "lenient")]
    pub plan_file: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub skill: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub args: Option<String>,
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

/// What the client adds to a tool result; fields of several tools.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolUseResult {
    #[serde(rename = "type", deserialize_with = "lenient")]
    pub kind: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub task: Option<WireTask>,
    #[serde(deserialize_with = "lenient")]
    pub background_task_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub agent_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub status: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub answers: Option<Map<String, Value>>,
    /// Of `TaskList`.
    #[serde(deserialize_with = "list")]
    pub tasks: Option<Vec<WireTask>>,
    /// Of `AgentOutputTool`.
    #[serde(deserialize_with = "list")]
    pub agents: Option<Vec<WireJob>>,
    /// Of `BashOutput`.
    #[serde(deserialize_with = "lenient")]
    pub shell_id: Option<String>,
    /// Of `ExitPlanMode`: another agent decides about the plan.
    #[serde(deserialize_with = "lenient")]
    pub awaiting_leader_approval: Option<bool>,
    /// Of `ExitPlanMode`: a subagent's plan.
    #[serde(deserialize_with = "lenient")]
    pub is_agent: Option<bool>,
}

/// A task of the task tools, or the job that `TaskOutput` asked for: those have no `id`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireTask {
    #[serde(deserialize_with = "lenient")]
    pub id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub subject: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub task_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub status: Option<String>,
}

/// A job in the background.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct WireJob {
    #[serde(deserialize_with = "lenient")]
    pub agent_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub status: Option<String>,
}

/// A row of type `attachment`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Attachment<'a> {
    #[serde(rename = "type", deserialize_with = "lenient")]
    pub kind: Option<String>,
    #[serde(borrow, deserialize_with = "blocks")]
    pub prompt: Vec<Block<'a>>,
    #[serde(deserialize_with = "lenient")]
    pub command_mode: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub origin: Option<WireOrigin>,
    /// A text, several, or a list of tasks.
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    #[serde(deserialize_with = "lenient")]
    pub task_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub status: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub hook_event: Option<String>,
    /// A name in `output_style` rows, an object in others.
    #[serde(deserialize_with = "lenient")]
    pub style: Option<String>,
    #[serde(deserialize_with = "list")]
    pub skills: Option<Vec<InvokedSkill>>,
    #[serde(deserialize_with = "lenient")]
    pub is_sub_agent: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub is_meta: Option<bool>,
}

/// A command or skill that the client puts back into the context.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct InvokedSkill {
    pub name: String,
}
