//! What makes Copilot CLI call us. What is claimed about the client was seen by running it (1.0.102).

use serde_json::{Value, json};

use super::{NAME, PROGRAM};
use crate::clients::setup::{
    Fields, HOOK_COMMAND, Hook, HookEntries, OwnCall, OwnFile, Root, SERVER_COMMAND, Scope, ServerEntries,
    ServerFormat, SettingsFile, Setup, own_line, own_server,
};
use crate::text::shell_words;

/// Hooks have a file of their own: the client runs those of every file in the folder.
pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: [1, 0, 102],
    update: "copilot update",
    settings: &[
        SettingsFile { scope: Scope::User, root: Root::Config, path: "hooks/catchword.json", shared: false },
        SettingsFile {
            scope: Scope::Project,
            root: Root::Project,
            path: ".github/hooks/catchword.json",
            shared: true,
        },
    ],
    hooks: HookEntries { key: "hooks", events: HOOKS, handler, ours: our_hook },
    servers: Some(ServerEntries {
        format: ServerFormat::Json,
        state_file: "mcp-config.json",
        in_home: false,
        old_state_file: None,
        project_file: ".github/mcp.json",
        key: "mcpServers",
        entry: server,
        ours: own_server,
        lock: None,
        list: "copilot mcp list",
    }),
    instructions: |scope| match scope {
        Scope::User => (Root::Config, &["copilot-instructions.md"]),
        Scope::Project | Scope::Local => (Root::Project, &["AGENTS.md", ".github/copilot-instructions.md"]),
    },
    files: &[OwnFile { path: "skills/catchword/SKILL.md", text: include_str!("texts/skill.md") }],
    files_folder: |scope| match scope {
        Scope::User => Some((Root::Config, "")),
        Scope::Project => Some((Root::Project, ".github")),
        Scope::Local => None,
    },
    switched_off: |settings, _| (settings["disableAllHooks"] == true).then_some("disableAllHooks"),
    ..Setup::PLAIN
};

/// The arguments of a hook call.
const HOOK_ARGS: [&str; 2] = [HOOK_COMMAND, NAME];

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
    Fields(vec![
        ("type", json!("local")),
        ("command", json!(program)),
        ("args", json!([SERVER_COMMAND])),
        ("tools", json!(["*"])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_what_the_client_prints() {
        let printed = "GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n";
        assert_eq!((SETUP.version)(printed), Some([1, 0, 102]));
        assert_eq!((SETUP.version)("unknown"), None);
    }
}
