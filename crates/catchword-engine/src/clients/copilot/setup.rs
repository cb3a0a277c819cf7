//! What makes Copilot CLI call us. What is claimed about the client was seen by running it (1.0.102).

use serde_json::json;

use super::{NAME, PROGRAM};
use crate::clients::setup::{
    Fields, Hook, HookEntries, HookForm, SERVER_COMMAND, SKILL, Scope, ServerEntries, Setup,
};

/// Hooks have a file of their own: the client runs those of every file in the folder.
pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: [1, 0, 102],
    update: "copilot update",
    settings: &[(Scope::User, "hooks/catchword.json"), (Scope::Project, ".github/hooks/catchword.json")],
    hooks: HookEntries { client: NAME, events: HOOKS, form: HookForm::ShellLine },
    servers: Some(ServerEntries {
        state_file: "mcp-config.json",
        project_file: ".github/mcp.json",
        key: "mcpServers",
        entry: server,
        ..ServerEntries::PLAIN
    }),
    instructions: |scope| match scope {
        Scope::User => &["copilot-instructions.md"],
        Scope::Project | Scope::Local => &["AGENTS.md", ".github/copilot-instructions.md"],
    },
    files: &[SKILL],
    project_folder: ".github",
    switched_off: |settings, _| (settings["disableAllHooks"] == true).then_some("disableAllHooks"),
    ..Setup::PLAIN
};

/// The names in this spelling make the client send the fields that other clients send. It has no event after a
/// compaction.
const HOOKS: &[Hook] = &[
    Hook { event: "SessionStart", timeout: 10 },
    Hook { event: "UserPromptSubmit", timeout: 5 },
    Hook { event: "PostToolUse", timeout: 5 },
    Hook { event: "PreCompact", timeout: 10 },
    Hook { event: "SubagentStop", timeout: 5 },
    Hook { event: "Stop", timeout: 5 },
    Hook { event: "SessionEnd", timeout: 10 },
];

fn server(program: &str) -> Fields {
    Fields(vec![
        ("type", json!("local")),
        ("command", json!(program)),
        ("args", json!([SERVER_COMMAND])),
        ("tools", json!(["*"])),
    ])
}
