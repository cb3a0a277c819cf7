//! What makes Qwen Code call us. What is claimed about the client was seen by running it (0.24.4).

use serde_json::{Value, json};

use super::{FOLDER, NAME, PROGRAM};
use crate::clients::setup::{
    Fields, HOOK_COMMAND, Hook, HookEntries, OwnCall, OwnFile, Root, SERVER_COMMAND, Scope, ServerEntries,
    ServerFormat, SettingsFile, Setup, own_line, own_server,
};
use crate::text::shell_words;

pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: [0, 24, 4],
    update: "npm install -g @qwen-code/qwen-code@latest",
    settings: &[
        SettingsFile { scope: Scope::User, root: Root::Config, path: SETTINGS, shared: false },
        SettingsFile {
            scope: Scope::Project,
            root: Root::Project,
            path: ".qwen/settings.json",
            shared: true,
        },
    ],
    hooks: HookEntries { key: "hooks", events: HOOKS, handler, ours: our_hook },
    servers: Some(ServerEntries {
        format: ServerFormat::Json,
        state_file: SETTINGS,
        in_home: false,
        old_state_file: None,
        project_file: ".qwen/settings.json",
        key: "mcpServers",
        entry: server,
        ours: own_server,
        lock: None,
        list: "qwen mcp list",
    }),
    instructions: |scope| match scope {
        Scope::User => (Root::Config, &["QWEN.md"]),
        Scope::Project | Scope::Local => (Root::Project, &["QWEN.md", "AGENTS.md"]),
    },
    files: &[OwnFile { path: "skills/catchword/SKILL.md", text: include_str!("texts/skill.md") }],
    files_folder: |scope| match scope {
        Scope::User => Some((Root::Config, "")),
        Scope::Project => Some((Root::Project, FOLDER)),
        Scope::Local => None,
    },
    switched_off: |settings, _| (settings["disableAllHooks"] == true).then_some("disableAllHooks"),
    ..Setup::PLAIN
};

const SETTINGS: &str = "settings.json";
/// The arguments of a hook call.
const HOOK_ARGS: [&str; 2] = [HOOK_COMMAND, NAME];

/// `SessionEnd` is not called at the end of a run without a terminal; there the end of the turn does the same.
const HOOKS: &[Hook] = &[
    Hook { event: "SessionStart", timeout: 10 },
    Hook { event: "UserPromptSubmit", timeout: 5 },
    Hook { event: "PostToolBatch", timeout: 5 },
    Hook { event: "PreCompact", timeout: 10 },
    Hook { event: "PostCompact", timeout: 10 },
    Hook { event: "SubagentStop", timeout: 5 },
    Hook { event: "Stop", timeout: 5 },
    Hook { event: "SessionEnd", timeout: 10 },
];

/// A shell line: the client ignores `args`.
fn handler(hook: &Hook, program: &str) -> Fields {
    let line = format!("{} {}", shell_words::quoted(program), HOOK_ARGS.join(" "));
    Fields(vec![("type", json!("command")), ("command", json!(line)), ("timeout", json!(hook.timeout))])
}

/// The call in a handler, where it is one of ours.
fn our_hook<'a>(handler: &'a Value, exe: &str) -> Option<OwnCall<'a>> {
    own_line(handler.get("command")?.as_str()?, &HOOK_ARGS, exe)
}

fn server(program: &str) -> Fields {
    Fields(vec![("command", json!(program)), ("args", json!([SERVER_COMMAND]))])
}
