//! A hook's stdin as several clients write it, and the members that show that another program wrote it.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::lenient::lenient;

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
    pub prompt: Option<String>,
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
    /// Only in payloads of our own extensions.
    #[serde(deserialize_with = "lenient")]
    pub delivered: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    pub context_window: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub model: Option<String>,
    // Members that only [`strangers`] write.
    #[serde(rename = "sessionId")]
    pub camel_session_id: Option<Present>,
    #[serde(rename = "hookEventName")]
    pub camel_event: Option<Present>,
    #[serde(rename = "transcriptPath")]
    pub camel_transcript_path: Option<Present>,
    #[serde(rename = "toolName")]
    pub camel_tool_name: Option<Present>,
    pub conversation_id: Option<Present>,
    pub generation_id: Option<Present>,
    pub cursor_version: Option<Present>,
    pub workspace_roots: Option<Present>,
    pub timestamp: Option<Present>,
    pub tool_result: Option<Present>,
    pub initial_prompt: Option<Present>,
}

/// A member that is there, whatever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Present;

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Present, D::Error> {
        IgnoredAny::deserialize(from).map(|_| Present)
    }
}
