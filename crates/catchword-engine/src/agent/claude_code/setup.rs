//! What makes Claude Code call us, as data: where its settings lie, which entries go in, how to read back
//! what stands there.
//!
//! Everything here is a constant or a pure function over JSON; reading and editing files is the business of
//! the `install` folder of the binary, which in turn knows none of the client's names. What is claimed about
//! the client was seen by running it (2.1.325, and the older ones where a version is named).

use serde::Serialize;
use serde_json::Value;

/// The client's name for people.
pub const CLIENT: &str = "Claude Code";
/// The client's program.
pub const PROGRAM: &str = "claude";
/// The first version that understands what we install.
///
/// 2.1.138 runs a handler without its `args`, and 2.0.x throws away a whole settings file over one event it
/// does not know: there, installing would take the user's own settings out of use.
pub const OLDEST_CLIENT: [u32; 3] = [2, 1, 139];
/// How a running client comes to see that we were put in.
pub const RELOAD: &str = "Sessions started from now on have it; leave and resume one that is running.";
/// The same after we were taken out.
pub const RELOAD_WITHOUT: &str =
    "Sessions started from now on are without it; running ones may still call it.";
/// The plugin's name, the part of its id before the `@`.
pub const PLUGIN: &str = "catchword";
/// The arguments of a hook call.
pub const HOOK_ARGS: [&str; 1] = ["hook"];

/// The command by which a person goes on with a session.
pub fn resume(session: &str) -> String {
    format!("{PROGRAM} --resume {session}")
}

/// The folder beside a transcript that holds those of its subagents.
pub const SUBAGENTS: &str = "subagents";

/// Which settings file: how far an installation reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Every project of this user.
    User,
    /// One project, for everybody who checks it out.
    Project,
    /// One project, for this user alone.
    Local,
}

/// What a relative path starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The client's own folder (`~/.claude`, or where `CLAUDE_CONFIG_DIR` points).
    Config,
    /// The folder the client is started in. Not its parents: a session in a sub-folder of a project does not
    /// read the project's settings.
    Project,
}

/// One settings file of the client.
#[derive(Clone, Copy, Debug)]
pub struct SettingsFile {
    /// How far it reaches.
    pub scope: Scope,
    /// Where its path starts.
    pub root: Root,
    /// The path below that root.
    pub path: &'static str,
    /// Others read this file too, on machines where our binary lies elsewhere: it is named, not located.
    pub shared: bool,
}

/// The settings files, one a scope and in their order, widest first; a later one overrides an earlier one, except that hooks of all are run.
pub const SETTINGS: [SettingsFile; 3] = [
    SettingsFile { scope: Scope::User, root: Root::Config, path: "settings.json", shared: false },
    SettingsFile { scope: Scope::Project, root: Root::Project, path: ".claude/settings.json", shared: true },
    SettingsFile {
        scope: Scope::Local,
        root: Root::Project,
        path: ".claude/settings.local.json",
        shared: false,
    },
];

impl Scope {
    /// The settings file of this scope.
    pub fn file(self) -> SettingsFile {
        SETTINGS[self as usize]
    }
}

/// Where the client looks for instructions of this scope, the usual place first.
pub fn instructions(scope: Scope) -> (Root, &'static [&'static str]) {
    match scope {
        Scope::User => (Root::Config, &["CLAUDE.md"]),
        Scope::Project => (Root::Project, &["CLAUDE.md", ".claude/CLAUDE.md"]),
        Scope::Local => (Root::Project, &["CLAUDE.local.md"]),
    }
}

/// A file of ours that the client reads.
#[derive(Clone, Copy, Debug)]
pub struct LaidOut {
    /// Its path below the client's folder.
    pub path: &'static str,
    /// What is in it.
    pub text: &'static str,
}

/// What `init` lays out beside the hooks, and the plugin brings: what the record is and how the agent uses it, and the
/// command by which a person leaves a note. A command in a folder is called by both names: `/catchword:note`.
pub const LAID_OUT: [LaidOut; 2] = [
    LaidOut { path: "skills/catchword/SKILL.md", text: include_str!("texts/skill.md") },
    LaidOut { path: "commands/catchword/note.md", text: include_str!("texts/note.md") },
];

impl Scope {
    /// Where files for this scope are laid out: a root and the path below it. A project has no folder that is one
    /// user's alone, so a local installation has none.
    pub fn folder(self) -> Option<(Root, &'static str)> {
        match self {
            Scope::User => Some((Root::Config, "")),
            Scope::Project => Some((Root::Project, ".claude")),
            Scope::Local => None,
        }
    }
}

/// Which plugins the client has fetched, below its own folder.
pub const INSTALLED_PLUGINS: &str = "plugins/installed_plugins.json";
/// The client's memory (trusted folders among other things), in the home or, where that was moved, in the
/// client's own folder.
pub const STATE_FILE: &str = ".claude.json";
/// The same under the name that older clients gave it, in the client's own folder: where it is there, it is used.
pub const OLD_STATE_FILE: &str = ".config.json";
/// The list of servers that a project brings along, in its folder.
pub const PROJECT_SERVERS: &str = ".mcp.json";
/// The member that holds the servers: in [`STATE_FILE`] those of the user, in [`PROJECT_SERVERS`] those of a project.
pub const SERVERS_KEY: &str = "mcpServers";
/// The argument of a server call.
const SERVER_ARG: &str = "mcp";

/// Our entry in a list of servers, as the client writes them itself.
#[derive(Serialize)]
pub struct WireServer<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    command: &'a str,
    args: [&'static str; 1],
}

/// The entry by which the client starts our server.
pub fn server(program: &str) -> WireServer<'_> {
    WireServer { kind: "stdio", command: program, args: [SERVER_ARG] }
}

/// The program that an entry of a list of servers runs, where it is ours.
pub fn our_server<'a>(entry: &'a Value, exe: &str) -> Option<&'a str> {
    let program = entry.get("command")?.as_str()?;
    let ours = entry.get("args")?.get(0)? == SERVER_ARG;
    (ours && (program == exe || stem(program) == PLUGIN)).then_some(program)
}

/// The administrator's settings within [`managed_dir`], and the folder of further ones.
pub const MANAGED: (&str, &str) = ("managed-settings.json", "managed-settings.d");

/// Where an administrator puts settings nobody can override.
pub fn managed_dir() -> &'static str {
    if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode"
    } else {
        "/etc/claude-code"
    }
}

/// One event we want to be called for.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The client's name of the event.
    pub event: &'static str,
    /// Seconds after which the client gives up on us. We answer in milliseconds; this bounds a broken disk.
    pub timeout: u32,
}

/// Every event we want to be called for, in the order a session has them.
///
/// `PostToolBatch` and not `PostToolUse` with `PostToolUseFailure`: it comes once for a batch of parallel
/// calls, failed ones included, so that a turn costs one process instead of one a call. No matchers: other
/// clients that read the same plugin treat them differently, and we branch on the payload anyway.
pub const HOOKS: [Hook; 9] = [
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
    // Without a number of its own the client would cut this one off after 1.5 seconds.
    Hook { event: "SessionEnd", timeout: 10 },
];

/// The member of a settings file under which the events stand; in each event a list of groups, in each group
/// the same name once more with the list of handlers.
pub const HOOKS_KEY: &str = "hooks";

/// A handler as the client wants it: a program and its arguments, without a shell (0.8 ms cheaper, and no
/// quoting of paths).
#[derive(Serialize)]
pub struct WireHandler<'a> {
    r#type: &'static str,
    command: &'a str,
    args: [&'static str; 1],
    timeout: u32,
}

/// A group of handlers: ours has one and no matcher.
#[derive(Serialize)]
pub struct WireGroup<'a> {
    hooks: [WireHandler<'a>; 1],
}

impl Hook {
    /// The handler that makes the client call `command`.
    pub fn handler(self, command: &str) -> WireHandler<'_> {
        WireHandler { r#type: "command", command, args: HOOK_ARGS, timeout: self.timeout }
    }

    /// The group to add to this event's list.
    pub fn group(self, command: &str) -> WireGroup<'_> {
        WireGroup { hooks: [self.handler(command)] }
    }
}

/// The program a handler calls, where it is one of ours: in today's form, or as a shell line
/// (`/path/catchword hook`), which people write by hand. `exe` is this very binary, whatever it is called.
pub fn our_command<'a>(handler: &'a Value, exe: &str) -> Option<&'a str> {
    let command = handler.get("command")?.as_str()?;
    let program = match handler.get("args") {
        Some(args) => (args.get(0)? == HOOK_ARGS[0]).then_some(command)?,
        None => one_word(command.trim().strip_suffix(HOOK_ARGS[0])?.trim_end_matches([' ', '\t']))?,
    };
    (program == exe || stem(program) == PLUGIN).then_some(program)
}

/// The one word a shell makes of `text`; `None` where it is several (`env X=1 catchword`), which somebody
/// wrote on purpose and which is not ours to change.
fn one_word(text: &str) -> Option<&str> {
    let within = |quote| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    within('"').or_else(|| within('\'')).or_else(|| (!text.contains(char::is_whitespace)).then_some(text))
}

/// A program's name without folders (of any system: settings files travel) and without `.exe`.
fn stem(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The member of a settings file that says what the status line runs.
pub const STATUS_LINE_KEY: &str = "statusLine";
/// The arguments of a status line call: the one that names the record of the status line it was put around, and the one
/// that has that status line itself, for the day on which the record is gone.
const STATUS_LINE_ARG: &str = "statusline";
/// See there.
pub const STATUS_LINE_WITH: &str = "--with";
/// See there.
pub const STATUS_LINE_KEPT: &str = "--kept";

/// The entry that makes the client ask us for its status line: what else stood in theirs (a padding) stays. `with` names
/// the record of theirs.
pub fn status_line(theirs: Option<&Value>, program: &str, with: Option<&str>) -> Value {
    let mut entry = theirs.and_then(Value::as_object).cloned().unwrap_or_default();
    let with = with.map(|key| format!(" {STATUS_LINE_WITH} {key}")).unwrap_or_default();
    // A shell of Windows would make something else of it.
    let kept = theirs.filter(|_| !cfg!(windows)).map(|entry| shell_word(&entry.to_string()));
    let kept = kept.map(|word| format!(" {STATUS_LINE_KEPT} {word}")).unwrap_or_default();
    let line = format!("{} {STATUS_LINE_ARG}{with}{kept}", shell_word(program));
    entry.insert("type".to_owned(), "command".into());
    entry.insert("command".to_owned(), line.into());
    Value::Object(entry)
}

/// The status line that one of ours was put around, as it stands in ours.
pub fn kept_status_line(ours: &Value) -> Option<Value> {
    let (_, kept) = status_line_command(ours)?.split_once(&format!(" {STATUS_LINE_KEPT} "))?;
    let word = kept.trim().strip_prefix('\'')?.strip_suffix('\'')?.replace(r"'\''", "'");
    serde_json::from_str(&word).ok()
}

/// The program a status line entry runs, where it is ours.
pub fn our_status_line<'a>(entry: &'a Value, exe: &str) -> Option<&'a str> {
    let line = status_line_command(entry)?;
    let (program, arguments) = first_word(line)?;
    let ours = arguments.split_whitespace().next() == Some(STATUS_LINE_ARG);
    (ours && (program == exe || stem(program) == PLUGIN)).then_some(program)
}

/// The shell line that a status line entry runs.
pub fn status_line_command(entry: &Value) -> Option<&str> {
    let line = entry.get("command")?.as_str()?.trim();
    (!line.is_empty()).then_some(line)
}

/// A path as a shell takes it for one word.
fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '\\');
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// The first word of a shell line, in quotes or not, and the rest.
fn first_word(line: &str) -> Option<(&str, &str)> {
    match line.chars().next()? {
        quote @ ('"' | '\'') => line[1..].split_once(quote),
        _ => line.split_once(char::is_whitespace),
    }
}

/// The setting by which this file switches our hooks off. An administrator has one more than the user.
pub fn switched_off(settings: &Value, managed: bool) -> Option<&'static str> {
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
pub fn plugin_setting(settings: &Value) -> Option<(&str, bool)> {
    let plugins = settings.get("enabledPlugins")?.as_object()?;
    let ours = |id: &str| id.split('@').next() == Some(PLUGIN);
    let (id, value) = plugins.iter().find(|(id, _)| ours(id))?;
    // A list of version constraints also enables a plugin.
    Some((id, value != false && !value.is_null()))
}

/// The version of plugin `id` that the client has fetched, from [`INSTALLED_PLUGINS`].
pub fn plugin_version<'a>(installed: &'a Value, id: &str) -> Option<&'a str> {
    installed.get("plugins")?.get(id)?.get(0)?.get("version")?.as_str()
}

/// Whether the user has accepted that the client works in `folder`, from [`STATE_FILE`].
pub fn is_trusted(state: &Value, folder: &str) -> bool {
    let project = state.get("projects").and_then(|projects| projects.get(folder));
    project.and_then(|project| project.get("hasTrustDialogAccepted")) == Some(&Value::Bool(true))
}

/// The version in what `claude --version` prints.
pub fn client_version(printed: &str) -> Option<[u32; 3]> {
    let mut numbers = printed.split_whitespace().next()?.split('.').map(str::parse);
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The plugin's `hooks/hooks.json`: the same entries, with the program from `PATH`.
    fn plugin_hooks() -> String {
        let event = |hook: &Hook| {
            let group = serde_json::to_string_pretty(&[hook.group(PLUGIN)]).expect("a plain structure");
            format!("    \"{}\": {}", hook.event, group.replace('\n', "\n    "))
        };
        let events: Vec<String> = HOOKS.iter().map(event).collect();
        format!("{{\n  \"{HOOKS_KEY}\": {{\n{}\n  }}\n}}\n", events.join(",\n"))
    }

    #[test]
    fn the_plugin_registers_what_init_registers() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/hooks/hooks.json");
        let stands = std::fs::read_to_string(file).unwrap();
        assert_eq!(stands, plugin_hooks(), "plugin/hooks/hooks.json must be what setup.rs says");
    }

    #[test]
    fn the_plugin_brings_the_server_that_init_registers() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/.mcp.json");
        let stands: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(stands, json!({SERVERS_KEY: {PLUGIN: server(PLUGIN)}}));
    }

    #[test]
    fn the_plugin_brings_what_init_lays_out() {
        let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/");
        // A plugin's commands carry its name already.
        for (file, laid) in ["skills/catchword/SKILL.md", "commands/note.md"].iter().zip(LAID_OUT) {
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
            (&json!(PLUGIN), &json!(env!("CARGO_PKG_VERSION")))
        );
    }

    #[test]
    fn every_scope_has_its_settings_file() {
        for scope in [Scope::User, Scope::Project, Scope::Local] {
            assert_eq!(scope.file().scope, scope);
        }
    }

    #[test]
    fn a_handler_is_ours_by_program_and_argument() {
        let table = [
            (json!({"command": "/opt/bin/catchword", "args": ["hook"]}), Some("/opt/bin/catchword")),
            (json!({"command": r"C:\bin\catchword.exe", "args": ["hook"]}), Some(r"C:\bin\catchword.exe")),
            (json!({"command": "catchword", "args": ["hook", "--later"]}), Some("catchword")),
            (json!({"command": "/old/catchword hook", "timeout": 3}), Some("/old/catchword")),
            (json!({"command": " \"/a b/catchword\"  hook "}), Some("/a b/catchword")),
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
            assert_eq!(our_command(handler, "/build/renamed"), *ours, "{handler}");
        }
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
            assert_eq!(our_status_line(&theirs, "/build/renamed"), None, "{theirs}");
        }
        let theirs = json!({"padding": 2, "command": "it's \"x\" --kept '1'"});
        let around = status_line(Some(&theirs), "/it's/catchword", Some("0a"));
        assert_eq!(kept_status_line(&around), Some(theirs).filter(|_| !cfg!(windows)));
        let around = status_line(Some(&json!({"padding": 2, "command": "x"})), "/it's/catchword", Some("0a"));
        let command = around["command"].as_str().unwrap_or_default();
        let (ours, kept) = command.split_once(" --kept ").unwrap_or((command, ""));
        assert_eq!(ours, r"'/it'\''s/catchword' statusline --with 0a");
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

    #[test]
    fn a_version_is_read_from_what_the_client_prints() {
        assert_eq!(client_version("2.1.325 (Claude Code)\n"), Some([2, 1, 325]));
        assert_eq!(client_version("unknown"), None);
        assert_eq!(client_version(""), None);
    }
}
