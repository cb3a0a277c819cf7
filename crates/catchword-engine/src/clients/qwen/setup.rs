//! What makes Qwen Code call us. What is claimed about the client was seen by running it (0.24.4).

use super::{FOLDER, NAME, PROGRAM};
use crate::clients::setup::{Hook, HookEntries, HookForm, SKILL, Scope, ServerEntries, Setup};

pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: [0, 24, 4],
    update: "npm install -g @qwen-code/qwen-code@latest",
    settings: &[(Scope::User, SETTINGS), (Scope::Project, ".qwen/settings.json")],
    hooks: HookEntries { client: NAME, events: HOOKS, form: HookForm::ShellLine },
    servers: Some(ServerEntries {
        state_file: SETTINGS,
        project_file: ".qwen/settings.json",
        key: "mcpServers",
        ..ServerEntries::PLAIN
    }),
    instructions: |scope| match scope {
        Scope::User => &["QWEN.md"],
        Scope::Project | Scope::Local => &["QWEN.md", "AGENTS.md"],
    },
    files: &[SKILL],
    project_folder: FOLDER,
    switched_off: |settings, _| (settings["disableAllHooks"] == true).then_some("disableAllHooks"),
    ..Setup::PLAIN
};

const SETTINGS: &str = "settings.json";

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
