//! What makes Codex call us. What is claimed about the client was seen by running it (0.166.0).
//!
//! A hook runs only after the person approved it, and only while its entry is unchanged. So **the entries made here must
//! never change**: no command, no timeout, no order. A new event gets its own group.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{FOLDER, NAME, PROGRAM};
use crate::clients::setup::{
    Approval, Hook, HookEntries, HookForm, HookPlace, HookState, ManagedSettings, OUR_NAME, OwnFile,
    PluginSetup, Scope, ServerEntries, ServerFormat, Setup,
};

pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: [0, 133, 0],
    update: "npm install -g @openai/codex@latest",
    reload: "New sessions use it, once you have approved the hooks.",
    settings: &[(Scope::User, "hooks.json"), (Scope::Project, ".codex/hooks.json")],
    hooks: HookEntries { client: NAME, events: HOOKS, form: HookForm::ShellLine },
    servers: Some(ServerEntries {
        format: ServerFormat::Toml,
        state_file: CONFIG,
        project_file: ".codex/config.toml",
        key: "mcp_servers",
        ..ServerEntries::PLAIN
    }),
    instructions: |_| &["AGENTS.md"],
    files: &[OwnFile { path: "skills/catchword/SKILL.md", text: include_str!("texts/skill.md") }],
    project_folder: FOLDER,
    plugin: Some(PluginSetup {
        installed: None,
        setting: plugin_setting,
        version: |_, _| None,
        install: "codex plugin add",
        uninstall: "codex plugin remove",
    }),
    managed: Some(ManagedSettings { folder: || "/etc/codex", file: "hooks.json", more: "hooks.d" }),
    server_file: Some("app-server-daemon/daemon.pid"),
    approval: Some(Approval {
        file: CONFIG,
        how: "Start `codex` once: it lists them under \"Hooks need review\"; choose *Trust all*, or look at each with `/hooks`.",
        why: "Codex runs a hook only after you have approved its command, and skips it in silence until then.",
        state: hook_state,
        plugin_hooks: PLUGIN_HOOKS,
    }),
    ..Setup::PLAIN
};

const CONFIG: &str = "config.toml";
/// The hooks of our plugin, in its folder; `.codex-plugin/plugin.json` names the file.
const PLUGIN_HOOKS: &str = "hooks/codex.json";

/// Without `PostCompact`: it comes before the start after a compaction, and its output is dropped.
const HOOKS: &[Hook] = &[
    Hook { event: "SessionStart", timeout: 10 },
    Hook { event: "UserPromptSubmit", timeout: 5 },
    Hook { event: "PostToolUse", timeout: 5 },
    Hook { event: "PreCompact", timeout: 10 },
    Hook { event: "SubagentStop", timeout: 5 },
    Hook { event: "Stop", timeout: 5 },
    // The client warns of more.
    Hook { event: "SessionEnd", timeout: 3 },
];

/// Whether the configuration says that our plugin is enabled or disabled, and under which id (`name@marketplace`).
fn plugin_setting(config: &Value) -> Option<(&str, bool)> {
    let plugins = config.get("plugins")?.as_object()?;
    let (id, plugin) = plugins.iter().find(|(id, _)| id.split('@').next() == Some(OUR_NAME))?;
    Some((id, plugin["enabled"] != false))
}

/// The client keeps a hash of each handler that the person has approved, by file, event and position.
fn hook_state(config: &Value, place: &HookPlace, handler: &Value) -> HookState {
    let event = snake_case(place.event);
    let key = format!("{}:{event}:{}:{}", place.file, place.group, place.index);
    let state = &config["hooks"]["state"][&key];
    if config["features"]["hooks"] == false || state["enabled"] == false {
        return HookState::Off;
    }
    match state["trusted_hash"].as_str() {
        None => HookState::Unapproved,
        Some(hash) if hash != hash_of(&event, handler) => HookState::Modified,
        // For a plugin the person approves its whole folder; only the client knows whether that has changed.
        Some(_) if place.file.ends_with(PLUGIN_HOOKS) && state["trusted_content_hash"].is_null() => {
            HookState::Modified
        }
        Some(_) => HookState::Approved,
    }
}

/// A handler in the normal form that the client compares: with defaults, members sorted.
fn hash_of(event: &str, handler: &Value) -> String {
    const USUAL_TIMEOUT: u32 = 600;
    let mut handler = handler.as_object().cloned().unwrap_or_default();
    handler.entry("async").or_insert(false.into());
    handler.entry("timeout").or_insert(USUAL_TIMEOUT.into());
    let identity = json!({"event_name": event, "hooks": [handler]});
    let digest = Sha256::digest(identity.to_string().as_bytes());
    digest.iter().fold("sha256:".to_owned(), |digits, byte| format!("{digits}{byte:02x}"))
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entries_that_people_have_approved_stay_as_they_are() {
        let entries: Vec<Value> = HOOKS
            .iter()
            .map(|hook| json!({hook.event: SETUP.hooks.handler(hook, "/opt/catchword")}))
            .collect();
        let entry = |event: &str, timeout: u32| json!({event: {"type": "command", "command": "/opt/catchword hook codex", "timeout": timeout}});
        assert_eq!(
            entries,
            [
                entry("SessionStart", 10),
                entry("UserPromptSubmit", 5),
                entry("PostToolUse", 5),
                entry("PreCompact", 10),
                entry("SubagentStop", 5),
                entry("Stop", 5),
                entry("SessionEnd", 3),
            ]
        );
    }

    #[test]
    fn the_plugin_registers_what_init_registers() {
        let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/");
        let read = |file: &str| -> Value {
            serde_json::from_str(&std::fs::read_to_string(format!("{plugin}{file}")).unwrap()).unwrap()
        };
        let groups =
            |hook: &Hook| (hook.event.to_owned(), json!([{"hooks": [SETUP.hooks.handler(hook, OUR_NAME)]}]));
        let events: serde_json::Map<String, Value> = HOOKS.iter().map(groups).collect();
        assert_eq!(read(PLUGIN_HOOKS), json!({"hooks": events}));
        let manifest = read(".codex-plugin/plugin.json");
        assert_eq!(manifest["hooks"], json!(format!("./{PLUGIN_HOOKS}")));
        let ours = (&manifest["name"], &manifest["version"]);
        assert_eq!(ours, (&json!(OUR_NAME), &json!(env!("CARGO_PKG_VERSION"))));
    }

    #[test]
    fn the_plugin_is_found_in_the_configuration() {
        let config = json!({"plugins": {"other@x": {}, "catchword@team": {"enabled": true}}});
        assert_eq!(plugin_setting(&config), Some(("catchword@team", true)));
        let off = json!({"plugins": {"catchword@catchword": {"enabled": false}}});
        assert_eq!(plugin_setting(&off), Some(("catchword@catchword", false)));
        assert_eq!(plugin_setting(&json!({})), None);
    }

    #[test]
    fn a_handler_is_ours_by_program_and_argument() {
        let ours = |line: &str| {
            SETUP
                .hooks
                .ours(&json!({"command": line}), "/build/renamed")
                .map(|c| (c.program.to_owned(), c.names_client))
        };
        assert_eq!(ours("/opt/catchword hook codex"), Some(("/opt/catchword".into(), true)));
        assert_eq!(ours("'/a b/catchword' hook codex"), Some(("/a b/catchword".into(), true)));
        assert_eq!(ours("/build/renamed hook codex"), Some(("/build/renamed".into(), true)));
        assert_eq!(ours("catchword hook"), Some(("catchword".into(), false)));
        for theirs in [
            "catchword hook codex && mine",
            "env X=1 catchword hook codex",
            "catchword",
            "x hook codex",
            "catchword hook other",
        ] {
            assert_eq!(ours(theirs), None, "{theirs}");
        }
    }

    #[test]
    fn an_approval_holds_for_the_very_handler_in_its_place() {
        // As the client (0.166.0) hashes it.
        let hash = "sha256:3c583aa5fc643d118056a45a5eebba900215e3f0c6a015fe98032ff779a47c32";
        let key = "/h/hooks.json:post_tool_use:0:1";
        let config = |state: Value| json!({"hooks": {"state": {key: state}}});
        let handler = json!({"type": "command", "command": "/opt/catchword hook codex", "timeout": 5});
        let place = |index| HookPlace { file: "/h/hooks.json", event: "PostToolUse", group: 0, index };
        let approved = config(json!({"trusted_hash": hash}));
        assert_eq!(hook_state(&approved, &place(1), &handler), HookState::Approved);
        assert_eq!(hook_state(&approved, &place(0), &handler), HookState::Unapproved);
        assert_eq!(hook_state(&json!({}), &place(1), &handler), HookState::Unapproved);
        let other = json!({"type": "command", "command": "x", "timeout": 10});
        assert_eq!(hook_state(&approved, &place(1), &other), HookState::Modified);
        let plugin = HookPlace { file: "catchword@team:hooks/codex.json", ..place(1) };
        let key = "catchword@team:hooks/codex.json:post_tool_use:0:1";
        let state = |state: Value| hook_state(&json!({"hooks": {"state": {key: state}}}), &plugin, &handler);
        assert_eq!(state(json!({"trusted_hash": hash})), HookState::Modified);
        let whole = json!({"trusted_hash": hash, "trusted_content_hash": "sha256:0"});
        assert_eq!(state(whole), HookState::Approved);
        let off = config(json!({"trusted_hash": hash, "enabled": false}));
        assert_eq!(hook_state(&off, &place(1), &handler), HookState::Off);
    }
}
