//! What makes OpenCode call us: a plugin. What is claimed about the client was seen by running it (1.18.33).

use serde_json::json;

use super::{NAME, PROGRAM};
use crate::clients::setup::{
    Fields, Hook, HookEntries, SERVER_COMMAND, SKILL, Scope, ServerEntries, Setup, Shim,
};

pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: [1, 18, 33],
    update: "npm install -g opencode-ai@latest",
    settings: &[(Scope::User, "plugin/catchword.js"), (Scope::Project, ".opencode/plugin/catchword.js")],
    hooks: HookEntries { client: NAME, events: HOOKS, ..HookEntries::PLAIN },
    shim: Some(Shim { template: PLUGIN, client: NAME, names: NAMES }),
    servers: Some(servers("opencode.json")),
    instructions: |_| &["AGENTS.md"],
    files: &[SKILL],
    project_folder: ".opencode",
    ..Setup::PLAIN
};

pub const PLUGIN: &str = include_str!("texts/plugin.js");

/// The events that the plugin sends.
pub const HOOKS: &[Hook] = &[
    Hook { event: "SessionStart", timeout: 10 },
    Hook { event: "UserPromptSubmit", timeout: 10 },
    Hook { event: "PostToolUse", timeout: 10 },
    Hook { event: "PreCompact", timeout: 10 },
    Hook { event: "SubagentStop", timeout: 10 },
    Hook { event: "Stop", timeout: 10 },
];

/// What the plugin needs to know.
const NAMES: &[(&str, &str)] = &[
    ("CLIENT_NAME", NAME),
    ("CLIENT_FOLDER", "opencode"),
    ("CLIENT_DATABASE_VARIABLE", "OPENCODE_DB"),
    ("CLIENT_DATABASE", "opencode.db"),
];

/// The servers in the client's settings, here and in a project.
pub const fn servers(file: &'static str) -> ServerEntries {
    ServerEntries { state_file: file, project_file: file, key: "mcp", entry: server, ..ServerEntries::PLAIN }
}

/// The program and its arguments are one list.
fn server(program: &str) -> Fields {
    Fields(vec![
        ("type", json!("local")),
        ("command", json!([program, SERVER_COMMAND])),
        ("enabled", json!(true)),
    ])
}
