//! What makes pi call us: an extension. What is claimed about the client was seen by running it (0.87.1).

use super::{NAME, PROGRAM};
use crate::clients::setup::{HOOK_COMMAND, Hook, HookEntries, OwnFile, Scope, Setup, Shim};

pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: [0, 87, 1],
    update: "npm install -g @earendil-works/pi-coding-agent@latest",
    settings: &[(Scope::User, "extensions/catchword.ts"), (Scope::Project, ".pi/extensions/catchword.ts")],
    hooks: HookEntries { client: NAME, events: HOOKS, ..HookEntries::PLAIN },
    shim: Some(Shim { text, program }),
    instructions: |_| &["AGENTS.md"],
    files: &[OwnFile { path: "skills/catchword/SKILL.md", text: include_str!("texts/skill.md") }],
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
];

const EXTENSION: &str = include_str!("texts/extension.ts");
/// Stands where the program and its arguments go.
const PLACE: &str = "PROGRAM_AND_ARGUMENTS";
/// Before the program and its arguments.
const COMMAND: &str = "const COMMAND = ";

fn text(program: &str) -> String {
    EXTENSION.replace(PLACE, &serde_json::json!([program, HOOK_COMMAND, NAME]).to_string())
}

fn program(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(COMMAND))?;
    let words: Vec<String> = serde_json::from_str(line).ok()?;
    (words.get(1..)? == [HOOK_COMMAND, NAME]).then(|| words[0].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_names_the_program_it_calls() {
        for path in ["/opt/catchword", "catchword", "/it's \"here\"/catchword"] {
            assert_eq!(program(&text(path)).as_deref(), Some(path));
        }
        assert_eq!(program("export default function (pi) {}"), None);
        assert_eq!(program("const COMMAND = [\"x\",\"hook\",\"other\"]"), None);
    }
}
