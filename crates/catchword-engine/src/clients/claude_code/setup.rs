//! What makes Claude Code call us. What is claimed about the client was seen by running it (2.1.325, and the older ones
//! where a version is named).

use serde_json::{Value, json};

use super::{FOLDER, NAME, PROGRAM};
use crate::clients::setup::{
    Fields, Hook, HookEntries, HookForm, ManagedSettings, OUR_NAME, OwnCall, OwnFile, PluginSetup,
    SERVER_COMMAND, STATUS_LINE_COMMAND, STATUS_LINE_KEPT, STATUS_LINE_WITH, Scope, ServerEntries, Setup,
    StateAtHome, StatusLineEntry, Trust, is_us, line_words,
};
use crate::text::shell_words;

pub const SETUP: Setup = Setup {
    program: PROGRAM,
    oldest: OLDEST,
    update: "claude update",
    reload: "New sessions use it; to use it in a running one, exit and resume it.",
    settings: &[
        (Scope::User, "settings.json"),
        (Scope::Project, ".claude/settings.json"),
        (Scope::Local, ".claude/settings.local.json"),
    ],
    hooks: HookEntries { client: NAME, events: HOOKS, form: HookForm::Arguments },
    model: |settings| settings.get("model")?.as_str(),
    status_line: Some(StatusLineEntry {
        key: "statusLine",
        entry: status_line,
        ours: our_status_line,
        kept: kept_status_line,
        command: status_line_command,
    }),
    servers: Some(ServerEntries {
        state_file: ".claude.json",
        // The lock is that of the npm package `proper-lockfile`; read in 2.1.325.
        at_home: Some(StateAtHome { older: ".config.json", lock: ".lock" }),
        project_file: ".mcp.json",
        key: "mcpServers",
        entry: server,
        ..ServerEntries::PLAIN
    }),
    instructions,
    files: OWN_FILES,
    project_folder: FOLDER,
    plugin: Some(PluginSetup {
        installed: Some(INSTALLED_PLUGINS),
        setting: plugin_setting,
        version: plugin_version,
        install: "claude plugin install",
        uninstall: "claude plugin uninstall",
    }),
    managed: Some(ManagedSettings {
        folder: managed_dir,
        file: "managed-settings.json",
        more: "managed-settings.d",
    }),
    switched_off,
    trust: Some(Trust { is_given: is_trusted, without: "claude -p" }),
    ..Setup::PLAIN
};

/// 2.1.138 runs a handler without its `args`, and 2.0.x throws away a whole settings file over one event it does not
/// know: there, installing would take the user's own settings out of use.
const OLDEST: [u32; 3] = [2, 1, 139];
/// The first arguments of a status line call.
const STATUS_LINE_ARGS: [&str; 2] = [STATUS_LINE_COMMAND, NAME];
pub const INSTALLED_PLUGINS: &str = "plugins/installed_plugins.json";

fn instructions(scope: Scope) -> &'static [&'static str] {
    match scope {
        Scope::User => &["CLAUDE.md"],
        Scope::Project => &["CLAUDE.md", ".claude/CLAUDE.md"],
        Scope::Local => &["CLAUDE.local.md"],
    }
}

/// A command in a folder is called by both names: `/catchword:note`.
const OWN_FILES: &[OwnFile] = &[
    OwnFile { path: "skills/catchword/SKILL.md", text: include_str!("texts/skill.md") },
    OwnFile { path: "commands/catchword/note.md", text: include_str!("texts/note.md") },
];

/// As the client writes servers itself.
fn server(program: &str) -> Fields {
    Fields(vec![("type", json!("stdio")), ("command", json!(program)), ("args", json!([SERVER_COMMAND]))])
}

fn managed_dir() -> &'static str {
    if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode"
    } else {
        "/etc/claude-code"
    }
}

/// `PostToolBatch` and not `PostToolUse` with `PostToolUseFailure`: it comes once for a batch of parallel calls, failed
/// ones included, so that a turn costs one process instead of one a call. No matchers: other clients that read the same
/// plugin treat them differently, and we branch on the payload anyway.
const HOOKS: &[Hook] = &[
    Hook { event: "SessionStart", timeout: 10 },
    // A person waits for this one.
    Hook { event: "UserPromptSubmit", timeout: 5 },
    Hook { event: "UserPromptExpansion", timeout: 5 },
    Hook { event: "PostToolBatch", timeout: 5 },
    Hook { event: "PreCompact", timeout: 10 },
    // The summariser is a subagent: its end is where the summary is known first.
    Hook { event: "SubagentStop", timeout: 5 },
    Hook { event: "PostCompact", timeout: 10 },
    Hook { event: "Stop", timeout: 5 },
    // Without a timeout the client would kill it after 1.5 seconds.
    Hook { event: "SessionEnd", timeout: 10 },
];

/// The entry that makes the client run our status line. Other members of the person's entry (a padding) are kept. `with`
/// is the name of the record of theirs.
fn status_line(theirs: Option<&Value>, program: &str, with: Option<&str>) -> Value {
    let mut entry = theirs.and_then(Value::as_object).cloned().unwrap_or_default();
    let with = with.map(|key| format!(" {STATUS_LINE_WITH} {key}")).unwrap_or_default();
    // On Windows the shell would parse it differently.
    let kept = theirs.filter(|_| !cfg!(windows)).map(|entry| shell_words::quoted(&entry.to_string()));
    let kept = kept.map(|word| format!(" {STATUS_LINE_KEPT} {word}")).unwrap_or_default();
    let line = format!("{} {}{with}{kept}", shell_words::quoted(program), STATUS_LINE_ARGS.join(" "));
    entry.insert("type".to_owned(), "command".into());
    entry.insert("command".to_owned(), line.into());
    Value::Object(entry)
}

/// The person's own status line, which ours wraps, as our command keeps it.
fn kept_status_line(ours: &Value) -> Option<Value> {
    let (_, kept) = status_line_command(ours)?.split_once(&format!(" {STATUS_LINE_KEPT} "))?;
    serde_json::from_str(shell_words::words(kept)?.first()?).ok()
}

/// The call in a status line entry, where it is ours.
fn our_status_line<'a>(entry: &'a Value, exe: &str) -> Option<OwnCall<'a>> {
    let (program, words) = line_words(status_line_command(entry)?)?;
    let ours = words.first() == Some(&STATUS_LINE_ARGS[0]) && is_us(program, exe);
    ours.then(|| OwnCall { program, names_client: words.starts_with(&STATUS_LINE_ARGS) })
}

/// The shell line that a status line entry runs.
fn status_line_command(entry: &Value) -> Option<&str> {
    let line = entry.get("command")?.as_str()?.trim();
    (!line.is_empty()).then_some(line)
}

/// The setting by which this file switches our hooks off. An administrator has one more than the user.
fn switched_off(settings: &Value, managed: bool) -> Option<&'static str> {
    let on = |key: &str| settings.get(key).is_some_and(|v| !v.is_null() && v != false && v != "false");
    if on("disableAllHooks") {
        Some("disableAllHooks")
    } else if managed && on("allowManagedHooksOnly") {
        Some("allowManagedHooksOnly")
    } else {
        None
    }
}

/// Whether this file says that our plugin is enabled or disabled, and under which id (`name@marketplace`).
fn plugin_setting(settings: &Value) -> Option<(&str, bool)> {
    let plugins = settings.get("enabledPlugins")?.as_object()?;
    let ours = |id: &str| id.split('@').next() == Some(OUR_NAME);
    let (id, value) = plugins.iter().find(|(id, _)| ours(id))?;
    // A list of version constraints also enables a plugin.
    Some((id, value != false && !value.is_null()))
}

/// The version of plugin `id` that the client has fetched, from the list it keeps.
fn plugin_version<'a>(installed: &'a Value, id: &str) -> Option<&'a str> {
    installed.get("plugins")?.get(id)?.get(0)?.get("version")?.as_str()
}

/// Whether the user has accepted that the client works in `folder`, from the client's state file.
fn is_trusted(state: &Value, folder: &str) -> bool {
    let project = state.get("projects").and_then(|projects| projects.get(folder));
    project.and_then(|project| project.get("hasTrustDialogAccepted")) == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::setup::{HOOK_COMMAND, HOOKS_KEY};

    /// If the program is not on `PATH`, all handlers of the plugin fail and the person is not told. So a shell looks for it
    /// at the start of a session. It reads its input to the end, and prints nothing if the program is found.
    const MISSING: &str = "cat >/dev/null; command -v catchword >/dev/null 2>&1 || echo '{\"systemMessage\":\"catchword: the plugin is installed, but the program `catchword` is not on PATH, so nothing is recorded. To get it: cargo install --locked --path crates/catchword in a checkout of the repository, or an archive of a release; then start a new session.\"}'";

    fn json_group(hook: &Hook) -> std::collections::BTreeMap<&'static str, Vec<Fields>> {
        let look =
            Fields(vec![("type", "command".into()), ("command", MISSING.into()), ("timeout", 5.into())]);
        let look = (hook.event == HOOKS[0].event).then_some(look);
        [(HOOKS_KEY, [SETUP.hooks.handler(hook, OUR_NAME)].into_iter().chain(look).collect())].into()
    }

    /// The plugin's `hooks/hooks.json`: the same entries, with the program from `PATH`.
    fn plugin_hooks() -> String {
        let event = |hook: &Hook| {
            let group = serde_json::to_string_pretty(&[json_group(hook)]).expect("a plain structure");
            format!("    \"{}\": {}", hook.event, group.replace('\n', "\n    "))
        };
        let events: Vec<String> = HOOKS.iter().map(event).collect();
        format!("{{\n  \"{HOOKS_KEY}\": {{\n{}\n  }}\n}}\n", events.join(",\n"))
    }

    #[test]
    fn the_plugin_registers_what_init_registers() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/hooks/hooks.json");
        let stands = std::fs::read_to_string(file).unwrap();
        assert_eq!(HOOKS[0].event, "SessionStart");
        assert_eq!(stands, plugin_hooks(), "plugin/hooks/hooks.json must be what setup.rs says");
    }

    #[test]
    fn the_plugin_brings_the_server_that_init_registers() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/.mcp.json");
        let stands: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(stands, json!({"mcpServers": {OUR_NAME: server(OUR_NAME)}}));
    }

    #[test]
    fn the_plugin_brings_what_init_lays_out() {
        let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/");
        // A plugin's commands carry its name already.
        for (file, laid) in ["skills/catchword/SKILL.md", "commands/note.md"].iter().zip(OWN_FILES) {
            let stands = std::fs::read_to_string(format!("{plugin}{file}")).unwrap();
            assert_eq!(stands, laid.text, "plugin/{file} must be what setup.rs says");
        }
    }

    #[test]
    fn the_plugin_has_our_name_and_version() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/.claude-plugin/plugin.json");
        let manifest: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(
            (&manifest["name"], &manifest["version"]),
            (&json!(OUR_NAME), &json!(env!("CARGO_PKG_VERSION")))
        );
    }

    #[test]
    fn every_scope_has_its_settings_file() {
        for scope in [Scope::User, Scope::Project, Scope::Local] {
            assert!(SETUP.settings_file(scope).is_some_and(|path| path.contains("settings")), "{scope:?}");
        }
    }

    #[test]
    fn a_handler_is_ours_by_program_and_argument() {
        let table = [
            (
                json!({"command": "/opt/bin/catchword", "args": [HOOK_COMMAND, NAME]}),
                Some("/opt/bin/catchword"),
            ),
            (json!({"command": "/opt/bin/catchword", "args": ["hook"]}), Some("/opt/bin/catchword")),
            (json!({"command": r"C:\bin\catchword.exe", "args": ["hook"]}), Some(r"C:\bin\catchword.exe")),
            (json!({"command": "catchword", "args": ["hook", "--later"]}), Some("catchword")),
            (json!({"command": "/old/catchword hook", "timeout": 3}), Some("/old/catchword")),
            (json!({"command": " \"/a b/catchword\"  hook "}), Some("/a b/catchword")),
            (json!({"command": "/a/catchword hook claude-code"}), Some("/a/catchword")),
            (json!({"command": "catchword hook claude-code && mine"}), None),
            (json!({"command": "env X=1 catchword hook claude-code"}), None),
            (json!({"command": "/build/renamed", "args": ["hook"]}), Some("/build/renamed")),
            (json!({"command": "catchword", "args": ["statusline"]}), None),
            (json!({"command": "catchword statusline"}), None),
            (json!({"command": "catchword"}), None),
            (json!({"command": "catchword-like", "args": ["hook"]}), None),
            (json!({"command": "echo bin/catchword hook"}), None),
            (json!({"command": "/x/other", "args": ["hook"]}), None),
            (json!({"type": "prompt", "prompt": "catchword hook"}), None),
            (json!("catchword hook"), None),
        ];
        for (handler, ours) in &table {
            let program = SETUP.hooks.ours(handler, "/build/renamed").map(|call| call.program);
            assert_eq!(program, *ours, "{handler}");
        }
    }

    #[test]
    fn a_call_without_its_client_is_ours_and_known_to_be_incomplete() {
        let names_client = |handler: Value| SETUP.hooks.ours(&handler, "").unwrap().names_client;
        for whole in [
            json!({"command": "catchword", "args": [HOOK_COMMAND, NAME]}),
            json!({"command": "catchword", "args": ["hook", "claude-code", "--later"]}),
            json!({"command": "catchword hook claude-code"}),
        ] {
            assert!(names_client(whole.clone()), "{whole}");
        }
        for old in [
            json!({"command": "catchword", "args": ["hook"]}),
            json!({"command": "catchword", "args": ["hook", "nobody"]}),
            json!({"command": "catchword hook"}),
        ] {
            assert!(!names_client(old.clone()), "{old}");
        }
        let line = |line: &str| our_status_line(&json!({"command": line}), "").unwrap().names_client;
        assert!(
            line("catchword statusline claude-code") && line("catchword statusline claude-code --with 0a")
        );
        assert!(!line("catchword statusline") && !line("catchword statusline --with 0a"));
    }

    #[test]
    fn a_status_line_is_ours_by_program_and_argument() {
        let line = |command: &str| json!({"type": "command", "command": command});
        for ours in [
            status_line(None, "/opt/bin/catchword", None),
            status_line(Some(&json!({"padding": 0, "command": "x"})), "/a b/catchword", Some("0a")),
            status_line(None, "/build/renamed", None),
            line("catchword statusline"),
            line("\"/a b/catchword\"  statusline"),
        ] {
            assert!(our_status_line(&ours, "/build/renamed").is_some(), "{ours}");
        }
        for theirs in [
            line("catchword hook"),
            line("echo catchword statusline"),
            line("catchword"),
            line(""),
            json!({"type": "command"}),
            json!("catchword statusline"),
            json!(null),
        ] {
            assert!(our_status_line(&theirs, "/build/renamed").is_none(), "{theirs}");
        }
        let theirs = json!({"padding": 2, "command": "it's \"x\" --kept '1'"});
        let around = status_line(Some(&theirs), "/it's/catchword", Some("0a"));
        assert_eq!(kept_status_line(&around), Some(theirs).filter(|_| !cfg!(windows)));
        let around = status_line(Some(&json!({"padding": 2, "command": "x"})), "/it's/catchword", Some("0a"));
        let command = around["command"].as_str().unwrap_or_default();
        let (ours, kept) = command.split_once(" --kept ").unwrap_or((command, ""));
        assert_eq!(ours, r"'/it'\''s/catchword' statusline claude-code --with 0a");
        assert!(cfg!(windows) || kept == r#"'{"command":"x","padding":2}'"#, "{kept}");
        assert_eq!((&around["type"], &around["padding"]), (&json!("command"), &json!(2)));
    }

    #[test]
    fn hooks_are_off_by_anything_the_client_takes_for_true() {
        assert_eq!(switched_off(&json!({"disableAllHooks": true}), false), Some("disableAllHooks"));
        assert_eq!(switched_off(&json!({"disableAllHooks": "yes"}), false), Some("disableAllHooks"));
        for off in [json!({}), json!({"disableAllHooks": false}), json!({"disableAllHooks": null})] {
            assert_eq!(switched_off(&off, true), None, "{off}");
        }
        let only = json!({"allowManagedHooksOnly": true});
        assert_eq!(switched_off(&only, true), Some("allowManagedHooksOnly"));
        assert_eq!(switched_off(&only, false), None, "only an administrator can say that");
    }

    #[test]
    fn the_plugin_is_found_whatever_its_marketplace() {
        let settings = json!({"enabledPlugins": {"other@x": true, "catchword@team": true}});
        assert_eq!(plugin_setting(&settings), Some(("catchword@team", true)));
        let disabled = json!({"enabledPlugins": {"catchword@catchword": false}});
        assert_eq!(plugin_setting(&disabled), Some(("catchword@catchword", false)));
        assert_eq!(plugin_setting(&json!({"enabledPlugins": {"catchwords@x": true}})), None);
        assert_eq!(plugin_setting(&json!({"enabledPlugins": []})), None);
    }
}
