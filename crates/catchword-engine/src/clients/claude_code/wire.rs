//! Claude Code's JSON exactly as it is sent.
//!
//! Every field may be missing, null or of another type than last month: such a field is read as absent, so
//! that one surprise does not cost the row. What a field means is decided elsewhere.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Reads a field of the expected type, or nothing.
pub fn lenient<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Lenient::new(false).deserialize(from)
}

/// Reads a list and leaves out items of another type; nothing where it is no list.
pub fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<Vec<T>>, D::Error> {
    Lenient::new(true).deserialize(from).map(|list| list.map(|List(items)| items))
}

/// Reads the blocks of a message; a plain string is one text block.
fn blocks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Block<'de>>, D::Error> {
    let text_block = |text| Block { kind: Some("text".to_owned()), text: Some(text), ..Block::default() };
    Ok(match Lenient::new(true).deserialize(from)? {
        Some(OneOrMore::One(text)) => vec![text_block(text)],
        Some(OneOrMore::More(blocks)) => blocks,
        None => Vec::new(),
    })
}

/// One text or several; nothing where it is neither.
pub fn texts(json: &RawValue) -> Vec<String> {
    match read(json.get()) {
        Some(Texts(OneOrMore::One(text))) => vec![text],
        Some(Texts(OneOrMore::More(texts))) => texts,
        None => Vec::new(),
    }
}

/// Texts that may have been read from any JSON.
struct Texts(OneOrMore<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        OneOrMore::deserialize(from).map(Texts)
    }
}

/// A list, without its items of another type; empty where it is none.
pub fn items<T: DeserializeOwned>(json: &RawValue) -> Vec<T> {
    read(json.get()).map(|List(items)| items).unwrap_or_default()
}

/// A value of the expected type, or of any other, which is stepped over.
struct Lenient<T> {
    /// A list is expected. It is stepped over otherwise: serde would take it for the fields of a struct, one by one.
    is_list: bool,
    expected: PhantomData<T>,
}

impl<T> Lenient<T> {
    fn new(is_list: bool) -> Self {
        Lenient { is_list, expected: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Lenient<T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<T>, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Lenient<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<T>, A::Error> {
        let value = self.is_list.then(|| T::deserialize(SeqAccessDeserializer::new(&mut items)).ok());
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(value.flatten())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Option<T>, A::Error> {
        let value = T::deserialize(MapAccessDeserializer::new(&mut members)).ok();
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(value)
    }
}

/// A list of what was of the expected type.
struct List<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List<T>, A::Error> {
                let mut found = Vec::new();
                while let Some(item) = items.next_element_seed(Lenient::new(false))? {
                    found.extend(item);
                }
                Ok(List(found))
            }
        }
        from.deserialize_seq(Items(PhantomData))
    }
}

/// A text, or a list of something.
enum OneOrMore<T> {
    One(String),
    More(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMore<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a text or a list")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<OneOrMore<T>, E> {
                Ok(OneOrMore::One(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<OneOrMore<T>, A::Error> {
                List::deserialize(SeqAccessDeserializer::new(items)).map(|List(items)| OneOrMore::More(items))
            }
        }
        from.deserialize_any(Either(PhantomData))
    }
}

/// Reads a value of its own; nothing where it is none.
pub fn read<T: DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok().or_else(|| serde_json::from_str(&plain(json)?).ok())
}

/// JSON that serde refuses for what is in it (half a surrogate pair, a key twice) in a form that it takes.
pub fn plain(json: &str) -> Option<String> {
    serde_json::from_str::<Value>(&mended(json)).ok().map(|value| value.to_string())
}

/// JSON without the escapes that serde refuses (surrogates, where tools have cut emoji in half): they become
/// the replacement character.
fn mended(json: &str) -> String {
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

/// The model of messages that the client makes up itself.
pub const SYNTHETIC: &str = "<synthetic>";

/// Who wrote a user row.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct WireOrigin {
    pub kind: Option<String>,
}

/// What the boundary row says of a compaction.
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

/// The input of a tool, for every tool at once: they hardly share a name with two meanings.
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

/// What the client adds to a tool's answer; the fields of several tools.
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

/// A hook's stdin.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Payload {
    #[serde(deserialize_with = "lenient")]
    pub hook_event_name: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub session_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub transcript_path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub cwd: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub agent_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub agent_transcript_path: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub agent_type: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub source: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub reason: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub trigger: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub last_assistant_message: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub compact_summary: Option<String>,
}
