//! Names that only this folder may use: `Client::words` and the tags of the client's own text.

use crate::clients::Words;

/// Prefixes of the tags that mark the client's own text.
pub const TAGS: &[&str] = &[
    "environment_context",
    "user_instructions",
    "skills_instructions",
    "user_shell_command",
    "permissions",
    "collaboration_mode",
    "multi_agent_",
    "turn_aborted",
    "subagent_notification",
];

pub const WORDS: Words = Words {
    anywhere: &[
        "codex",
        "Codex",
        "CODEX",
        "AGENTS.md",
        "/compact",
        "Exit code",
        "tokens truncated",
        // Tools.
        "exec_command",
        "apply_patch",
        "update_plan",
        "write_stdin",
        "spawn_agent",
        // Events, as in other clients.
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PostToolUse",
        "PreCompact",
        "PostCompact",
        "SubagentStop",
        // Fields of payloads, rows, settings and output.
        "hook_event_name",
        "transcript_path",
        "hookSpecificOutput",
        "additionalContext",
        "systemMessage",
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "item_completed",
        "token_count",
        "replacement_history",
        "content_item_kinds",
        "history_base",
        "mcp_servers",
        "trusted_hash",
        "hooks.json",
    ],
    alone: &["Bash", "Stop"],
};
