//! Names that only this folder may use: `Client::words` and the tags of the client's own text.

use crate::clients::Words;

/// Prefixes of the tags that mark the client's own text.
pub const TAGS: &[&str] =
    &["current_datetime", "system_reminder", "todo_status", "system_notification", "tagged_files"];

/// Starts of the client's sentences around a summary.
pub const AROUND_SUMMARY: &[&str] = &["Some of the conversation history has been summarized"];

pub const WORDS: Words = Words {
    anywhere: &[
        "copilot-",
        "/compact",
        "AGENTS.md",
        "disableAllHooks",
        "mcpServers",
        "session-state",
        "mcp-config",
        // Rows and their fields.
        "session.start",
        "session.resume",
        "user.message",
        "assistant.message",
        "tool.execution_start",
        "tool.execution_complete",
        "session.compaction_complete",
        "session.usage_record",
        "summaryContent",
        "transformedContent",
        "toolRequests",
        "toolCall",
        "Additional guidance from",
        // Tools.
        "str_replace_editor",
    ],
    alone: &["events.jsonl"],
};
