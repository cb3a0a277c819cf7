//! Names that only this folder may use: `Client::words` and the tags of the client's own text.

use crate::clients::Words;

/// How tags begin by which the client marks its own text.
pub const TAGS: &[&str] = &[
    "bash-input",
    "command-name",
    "command-message",
    "local-command-stdout",
    "system-reminder",
    "task-notification",
    "tool_use_error",
];

/// How sentences begin that the client puts around a summary.
pub const AROUND_SUMMARY: &[&str] = &[
    "This session is being continued from a previous conversation",
    "If you need specific details from before compaction",
    "Please continue the conversation from where",
    "Continue the conversation from where",
];

pub const WORDS: Words = Words {
    anywhere: &[
        "claude",
        "Claude",
        "CLAUDE",
        "/compact",
        "Exit code",
        "tool_use_error",
        "characters truncated",
        "</analysis>",
        "<summary>",
        // Tools.
        "PowerShell",
        "NotebookRead",
        "MultiEdit",
        "NotebookEdit",
        "TodoWrite",
        "TaskCreate",
        "TaskUpdate",
        "TaskStop",
        "AskUserQuestion",
        "ExitPlanMode",
        "KillShell",
        "KillBash",
        // Events.
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "PostToolUse",
        "PostToolBatch",
        "PreCompact",
        "PostCompact",
        "SubagentStop",
        // Fields of payloads, rows, settings and output.
        "hook_event_name",
        "transcript_path",
        "tool_use_id",
        "toolUseResult",
        "isSidechain",
        "isMeta",
        "parentUuid",
        "compactMetadata",
        "compact_boundary",
        "hookSpecificOutput",
        "additionalContext",
        "systemMessage",
        "disableAllHooks",
        "statusLine",
        "mcpServers",
        ".mcp.json",
        "stream-json",
    ],
    alone: &[
        "Bash",
        "Read",
        "Edit",
        "Write",
        "Grep",
        "Glob",
        "LS",
        "Task",
        "Agent",
        "Skill",
        "Stop",
        "/exit",
        "/quit",
        "usage limit reached",
        "prompt is too long",
        "subagents",
        "projects",
    ],
};
