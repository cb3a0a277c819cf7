//! Names that only this folder may use: `Client::words` and the tags of the client's own text.

use crate::clients::Words;

/// Prefixes of the tags that mark the client's own text.
pub const TAGS: &[&str] = &["qwen:", "state_snapshot", "system-reminder"];

/// Starts of the client's sentences around a summary.
pub const AROUND_SUMMARY: &[&str] = &["Resume the prior task using the summary above"];

pub const WORDS: Words = Words {
    anywhere: &[
        "qwen",
        "Qwen",
        "QWEN",
        "/compress",
        "AGENTS.md",
        "disableAllHooks",
        "mcpServers",
        "PostCompact",
        "PostToolBatch",
        // Rows and their fields.
        "chat_compression",
        "compressedHistory",
        "functionCall",
        "functionResponse",
        "toolCall",
        "resultDisplay",
        "usageMetadata",
        "real_user",
        "isSidechain",
        // Tools.
        "run_shell_command",
        "todo_write",
        "write_file",
        "grep_search",
    ],
    alone: &["shell_result", "read_file", "projects", "subagents"],
};
