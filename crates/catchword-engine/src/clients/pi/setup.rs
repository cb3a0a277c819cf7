//! What makes pi call us: an extension. What is claimed about the client was seen by running it (0.87.1).

use super::{NAME, PROGRAM};
use crate::clients::setup::{Hook, HookEntries, SKILL, Scope, Setup, Shim};

pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: [0, 87, 1],
    update: "npm install -g @earendil-works/pi-coding-agent@latest",
    settings: &[(Scope::User, "extensions/catchword.ts"), (Scope::Project, ".pi/extensions/catchword.ts")],
    hooks: HookEntries { client: NAME, events: HOOKS, ..HookEntries::PLAIN },
    shim: Some(Shim { template: include_str!("texts/extension.ts"), client: NAME, names: &[] }),
    instructions: |_| &["AGENTS.md"],
    files: &[SKILL],
    project_folder: ".pi",
    ..Setup::PLAIN
};

/// The events that the extension sends.
const HOOKS: &[Hook] = &[
    Hook { event: "SessionStart", timeout: 10 },
    Hook { event: "UserPromptSubmit", timeout: 10 },
    Hook { event: "PostToolUse", timeout: 10 },
    Hook { event: "PreCompact", timeout: 10 },
    Hook { event: "Stop", timeout: 10 },
    Hook { event: "SessionEnd", timeout: 10 },
];
