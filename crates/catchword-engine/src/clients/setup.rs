//! What makes a client call us, as data: where its settings are, which entries go in, how to recognise ours again.
//!
//! Everything here is data or a pure function over JSON. The program's `install/` reads and edits the files, and knows
//! none of a client's names.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use crate::text::shell_words;

/// Our program, and the name of our plugin, server and skill.
pub const OUR_NAME: &str = "catchword";
/// The first argument of a hook call; the client's name follows.
pub const HOOK_COMMAND: &str = "hook";
/// The first argument of a status line call; the client's name follows.
pub const STATUS_LINE_COMMAND: &str = "statusline";
/// The argument of a server call.
pub const SERVER_COMMAND: &str = "mcp";
/// The option that names the record of the status line that ours wraps.
pub const STATUS_LINE_WITH: &str = "--with";
/// The option that contains that status line itself, in case the record is lost.
pub const STATUS_LINE_KEPT: &str = "--kept";

/// How to install into a client.
pub struct Setup {
    /// The client's program.
    pub program: &'static str,
    /// The first version that understands what we install.
    pub oldest: [u32; 3],
    /// The command line that updates the client.
    pub update: &'static str,
    /// When the installation takes effect.
    pub reload: &'static str,
    /// The path of a settings file below its scope's root: at most one per scope, widest first; a later one overrides an
    /// earlier one, but hooks of all of them run.
    pub settings: &'static [(Scope, &'static str)],
    pub hooks: HookEntries,
    /// For clients whose hooks are not programs: a file of ours that calls us, instead of entries in a settings file.
    pub shim: Option<Shim>,
    /// `None` if no program can provide the status line.
    pub status_line: Option<StatusLineEntry>,
    /// The name of the model that a settings file chooses.
    pub model: fn(&Value) -> Option<&str>,
    /// `None` if the client has no MCP servers.
    pub servers: Option<ServerEntries>,
    /// Where the client looks for instructions below a scope's root, the usual place first.
    pub instructions: fn(Scope) -> &'static [&'static str],
    /// What `init` installs beside the hooks: the skill, which explains the record to the agent, and the command for notes.
    pub files: &'static [OwnFile],
    /// The client's folder in a project, for files that are checked in.
    pub project_folder: &'static str,
    pub plugin: Option<PluginSetup>,
    pub managed: Option<ManagedSettings>,
    /// The setting in a file that switches our hooks off, if it is set. Administrators (`true`) have one more.
    pub switched_off: fn(&Value, bool) -> Option<&'static str>,
    /// `None` if hooks run in every folder.
    pub trust: Option<Trust>,
    /// The file with the `pid` (JSON) of a background process whose environment hooks inherit, below the client's own folder.
    pub server_file: Option<&'static str>,
    /// How the user approves hooks, if the client runs only approved ones.
    pub approval: Option<Approval>,
}

impl Setup {
    /// Installs nothing.
    pub const PLAIN: Setup = Setup {
        program: "",
        oldest: [0, 0, 0],
        update: "",
        reload: "New sessions use it.",
        settings: &[],
        hooks: HookEntries::PLAIN,
        shim: None,
        status_line: None,
        model: |_| None,
        servers: None,
        instructions: |_| &[""],
        files: &[],
        project_folder: "",
        plugin: None,
        managed: None,
        switched_off: |_, _| None,
        trust: None,
        server_file: None,
        approval: None,
    };

    /// The settings file of a scope, if the client has one.
    pub fn settings_file(&self, scope: Scope) -> Option<&'static str> {
        self.settings.iter().find(|(of, _)| *of == scope).map(|(_, path)| *path)
    }

    /// Where our own files go for a scope, below its root. A project has no folder that is one user's alone.
    pub fn files_folder(&self, scope: Scope) -> Option<&'static str> {
        match scope {
            Scope::User => Some(""),
            Scope::Project => Some(self.project_folder),
            Scope::Local => None,
        }
    }
}

/// How far an installation reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Every project of this user.
    User,
    /// One project, for everybody who checks it out.
    Project,
    /// One project, for this user alone.
    Local,
}

impl Scope {
    /// What the paths of a scope start from.
    pub fn root(self) -> Root {
        if self == Scope::User { Root::Config } else { Root::Project }
    }

    /// Its files are used on machines where our program is elsewhere, so they name it without a path.
    pub fn is_shared(self) -> bool {
        self == Scope::Project
    }
}

/// What a relative path starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The client's own folder.
    Config,
    /// The folder the client is started in. Not its parents: a session in a sub-folder of a project does not read the
    /// project's settings.
    Project,
}

/// One event we want to be called for.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// The client's name of the event.
    pub event: &'static str,
    /// Seconds after which the client gives up on us. We answer in milliseconds; this bounds a broken disk.
    pub timeout: u32,
}

/// The member of a settings file that has a list of groups per event; each group has its handlers below the same name.
pub const HOOKS_KEY: &str = "hooks";

/// Our hooks in a settings file.
pub struct HookEntries {
    /// The client's name, which the call passes on.
    pub client: &'static str,
    /// Every event we want to be called for, in the order a session has them.
    pub events: &'static [Hook],
    pub form: HookForm,
}

/// How a handler names the program that the client is to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookForm {
    /// A line for a shell: most clients ignore `args`.
    ShellLine,
    /// A program and its arguments, without a shell: 0.8 ms cheaper, and no quoting of paths.
    Arguments,
}

impl HookEntries {
    /// No entries.
    pub const PLAIN: HookEntries = HookEntries { client: "", events: &[], form: HookForm::ShellLine };

    fn arguments(&self) -> [&'static str; 2] {
        [HOOK_COMMAND, self.client]
    }

    /// The handler that makes the client call a program.
    pub fn handler(&self, hook: &Hook, program: &str) -> Fields {
        let line = || format!("{} {}", shell_words::quoted(program), self.arguments().join(" "));
        let call = match self.form {
            HookForm::ShellLine => vec![("command", json!(line()))],
            HookForm::Arguments => vec![("command", json!(program)), ("args", json!(self.arguments()))],
        };
        let first = ("type", json!("command"));
        Fields([first].into_iter().chain(call).chain([("timeout", json!(hook.timeout))]).collect())
    }

    /// The call in a handler, if it is ours: a program with arguments, or a shell line, as people write it by hand. `exe` is
    /// the path of this program.
    pub fn ours<'a>(&self, handler: &'a Value, exe: &str) -> Option<OwnCall<'a>> {
        let program = handler.get("command")?.as_str()?;
        let own = self.arguments();
        let args = handler.get("args").filter(|_| self.form == HookForm::Arguments);
        let Some(args) = args else { return own_line(program, &own, exe) };
        let words: Vec<&str> =
            args.as_array()?.iter().map(|word| word.as_str().unwrap_or_default()).collect();
        let is_ours = words.first() == Some(&HOOK_COMMAND) && is_us(program, exe);
        is_ours.then(|| OwnCall { program, names_client: words.starts_with(&own) })
    }
}

/// Our file that the client runs in its own process. It calls us.
pub struct Shim {
    /// Its text, with [`Shim::ASK`] in a line of its own.
    pub template: &'static str,
    /// The client's name, which the call passes on.
    pub client: &'static str,
    /// What stands in the template in place of these.
    pub names: &'static [(&'static str, &'static str)],
}

impl Shim {
    /// In place of the function that asks our program.
    const ASK: &str = "ASK_THE_PROGRAM\n";
    const ASK_TEXT: &str = include_str!("texts/ask.js");
    /// Before the program and its arguments.
    const COMMAND: &str = "const COMMAND = ";
    /// In place of them.
    const PLACE: &str = "PROGRAM_AND_ARGUMENTS";

    /// The file's text, with the program that it calls.
    pub fn text(&self, program: &str) -> String {
        let named = |text: String, (place, name): &(&str, &str)| text.replace(place, name);
        let whole = self.template.replace(Self::ASK, Self::ASK_TEXT);
        let text = self.names.iter().fold(whole, named);
        text.replace(Self::PLACE, &json!([program, HOOK_COMMAND, self.client]).to_string())
    }

    /// The program that such a text calls; `None` if it is not ours.
    pub fn program(&self, text: &str) -> Option<String> {
        let line = text.lines().find_map(|line| line.strip_prefix(Self::COMMAND))?;
        let words: Vec<String> = serde_json::from_str(line).ok()?;
        (words.get(1..)? == [HOOK_COMMAND, self.client]).then(|| words[0].clone())
    }
}

/// Our status line in a settings file.
pub struct StatusLineEntry {
    pub key: &'static str,
    /// The entry that makes the client ask us for its status line: the one it replaces, our program, the record of the
    /// one it replaces.
    pub entry: fn(Option<&Value>, &str, Option<&str>) -> Value,
    /// The call in an entry, if it is ours.
    pub ours: for<'a> fn(&'a Value, &str) -> Option<OwnCall<'a>>,
    /// The person's own status line that ours replaced, as our command keeps it.
    pub kept: fn(&Value) -> Option<Value>,
    /// The shell line that an entry runs.
    pub command: fn(&Value) -> Option<&str>,
}

/// The approval of hooks by the user.
pub struct Approval {
    /// The file that records it (TOML), below the client's own folder.
    pub file: &'static str,
    /// What the user has to do, and why.
    pub how: &'static str,
    pub why: &'static str,
    /// What that file says about a handler.
    pub state: fn(&Value, &HookPlace, &Value) -> HookState,
    /// The hooks of our plugin, in its folder.
    pub plugin_hooks: &'static str,
}

/// The position of a handler: settings file, event, group in the event, index in the group.
pub struct HookPlace<'a> {
    pub file: &'a str,
    pub event: &'a str,
    pub group: usize,
    pub index: usize,
}

/// Whether the client runs a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookState {
    Approved,
    Unapproved,
    /// Another handler was approved at this position.
    Modified,
    /// Switched off by the user.
    Off,
}

/// How a list of servers is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerFormat {
    Json,
    /// In a file with comments, which stay.
    Toml,
}

/// Our server in the client's lists of servers.
pub struct ServerEntries {
    pub format: ServerFormat,
    /// The file with the user's list, in the client's own folder.
    pub state_file: &'static str,
    /// If it is in the home instead, unless the client's own folder was moved.
    pub at_home: Option<StateAtHome>,
    /// A project's list, in its folder.
    pub project_file: &'static str,
    /// The member that has the servers.
    pub key: &'static str,
    /// The entry by which the client starts our server.
    pub entry: fn(&str) -> Fields,
}

impl ServerEntries {
    /// A JSON list of programs with arguments.
    pub const PLAIN: ServerEntries = ServerEntries {
        format: ServerFormat::Json,
        state_file: "",
        at_home: None,
        project_file: "",
        key: "",
        entry: |program| Fields(vec![("command", json!(program)), ("args", json!([SERVER_COMMAND]))]),
    };
}

/// A state file that many processes of the client rewrite.
pub struct StateAtHome {
    /// The name older clients gave it, in the client's own folder: if it is there, it is used.
    pub older: &'static str,
    /// The client makes a folder named after the file, with this at the end, while it rewrites the file.
    pub lock: &'static str,
}

/// Our plugin, where the client has plugins.
pub struct PluginSetup {
    /// Which plugins the client has fetched, below its own folder; `None` if it keeps no list.
    pub installed: Option<&'static str>,
    /// Whether a settings file enables or disables our plugin, and under which id.
    pub setting: fn(&Value) -> Option<(&str, bool)>,
    /// The version of a plugin that the client has fetched, by its id.
    pub version: for<'a> fn(&'a Value, &str) -> Option<&'a str>,
    /// The command lines that install and uninstall a plugin; its id follows.
    pub install: &'static str,
    pub uninstall: &'static str,
}

/// The user accepts that a client works in a folder, before it runs hooks there.
pub struct Trust {
    /// Whether they have, from the client's state file.
    pub is_given: fn(&Value, &str) -> bool,
    /// The command line that needs no trust.
    pub without: &'static str,
}

/// Settings of an administrator, which nobody can override.
pub struct ManagedSettings {
    pub folder: fn() -> &'static str,
    pub file: &'static str,
    /// The folder of further ones.
    pub more: &'static str,
}

/// A file of ours that the client reads.
#[derive(Clone, Copy, Debug)]
pub struct OwnFile {
    /// Its path below the client's folder.
    pub path: &'static str,
    pub text: &'static str,
}

/// The skill of clients that need no other words in it.
pub const SKILL: OwnFile =
    OwnFile { path: "skills/catchword/SKILL.md", text: include_str!("texts/skill.md") };

/// A call of ours, as a settings file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnCall<'a> {
    /// The program it runs.
    pub program: &'a str,
    /// It says which client calls. Early builds installed a line that did not; such a line records nothing.
    pub names_client: bool,
}

/// Whether the program in a settings file is this one. `exe` is this binary, whatever its name. Settings are copied
/// between machines, so paths may be of another system.
pub fn is_us(program: &str, exe: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    program == exe || name.strip_suffix(".exe").unwrap_or(name) == OUR_NAME
}

/// The program and the words of a shell line.
pub fn line_words(line: &str) -> Option<(&str, Vec<&str>)> {
    let (program, rest) = shell_words::first_word(line.trim())?;
    Some((program.trim_matches(['"', '\'']), rest.split_whitespace().collect()))
}

/// Our call in a shell line. A line with anything else in it (`env X=1 catchword hook`) was written on purpose and is not
/// ours to change.
pub fn own_line<'a>(line: &'a str, args: &[&str], exe: &str) -> Option<OwnCall<'a>> {
    let (program, words) = line_words(line)?;
    let is_call = words.first() == args.first() && args.starts_with(&words);
    (is_call && is_us(program, exe)).then(|| OwnCall { program, names_client: words == args })
}

/// The program of a server entry, if it is ours: beside its arguments, or before them in one list.
pub fn own_server<'a>(entry: &'a Value, exe: &str) -> Option<&'a str> {
    let command = entry.get("command")?;
    let (program, argument) = match command.as_array() {
        Some(words) => (words.first()?, words.get(1)?),
        None => (command, entry.get("args")?.get(0)?),
    };
    (argument == SERVER_COMMAND).then(|| program.as_str().filter(|program| is_us(program, exe)))?
}

/// The version in what a program prints for `--version`.
pub fn printed_version(printed: &str) -> Option<[u32; 3]> {
    printed.split_whitespace().find_map(version_numbers)
}

/// The three numbers of a version, without what follows a `-` or `+`.
pub fn version_numbers(version: &str) -> Option<[u32; 3]> {
    let mut numbers = version.split(['-', '+']).next()?.split('.').map(str::parse);
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
}

/// A JSON object whose members stay in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields(pub Vec<(&'static str, Value)>);

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shim_names_the_program_it_calls() {
        let shim = Shim { template: "// WHO\nASK_THE_PROGRAM\n", client: "some", names: &[("WHO", "us")] };
        for path in ["/opt/catchword", "catchword", "/it's \"here\"/catchword"] {
            let text = shim.text(path);
            assert!(text.starts_with("// us\n"), "{text}");
            assert_eq!(shim.program(&text).as_deref(), Some(path));
        }
        assert_eq!(shim.program("export default function () {}"), None);
        assert_eq!(shim.program("const COMMAND = [\"x\",\"hook\",\"other\"]"), None);
    }

    #[test]
    fn a_server_is_ours_by_program_and_argument() {
        let ours = |entry: Value| own_server(&entry, "/build/renamed").map(str::to_owned);
        let beside = json!({"command": "/opt/catchword", "args": ["mcp"]});
        let before = json!({"type": "local", "command": ["/opt/catchword", "mcp"]});
        assert_eq!(ours(beside).as_deref(), Some("/opt/catchword"));
        assert_eq!(ours(before).as_deref(), Some("/opt/catchword"));
        assert_eq!(ours(json!({"command": ["/build/renamed", "mcp"]})).as_deref(), Some("/build/renamed"));
        for theirs in
            [json!({"command": ["npx", "mcp"]}), json!({"command": []}), json!({"command": "catchword"})]
        {
            assert_eq!(ours(theirs.clone()), None, "{theirs}");
        }
    }

    #[test]
    fn a_version_is_read_from_what_a_client_prints() {
        for (printed, version) in [
            ("2.1.325 (Claude Code)\n", Some([2, 1, 325])),
            ("codex-cli 0.166.0\n", Some([0, 166, 0])),
            ("codex-cli 0.140.0-alpha.19", Some([0, 140, 0])),
            ("GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n", Some([1, 0, 102])),
            ("unknown", None),
            ("", None),
        ] {
            assert_eq!(printed_version(printed), version, "{printed}");
        }
    }
}
