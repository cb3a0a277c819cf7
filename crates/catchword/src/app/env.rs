//! The only place that reads the environment: all our variables are named here, a client's in its own folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use catchword_engine::clients::{CLIENTS, Client};
use catchword_engine::model::tokens::ClientLimits;
use catchword_engine::ops::rows::RowReader;
use catchword_engine::redact::Mask;

/// Longer names of a thread are taken for a mistake.
const LONGEST_THREAD: usize = 500;

/// What the process was started with.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// Arguments after the program's name.
    pub args: Vec<OsString>,
    /// `HOME` (on Windows `USERPROFILE`); absent in some services and containers.
    pub home: Option<PathBuf>,
    /// `XDG_DATA_HOME`, else `~/.local/share`.
    pub data_home: Option<PathBuf>,
    /// `CATCHWORD_HOME`, else `catchword` in the folder of data.
    pub data_dir: Option<PathBuf>,
    /// `CATCHWORD_BUDGET`: most characters of a brief.
    pub budget: Option<String>,
    /// `CATCHWORD_NEXT_START`: what a session without a person is told at its start.
    pub next_start: Option<String>,
    /// `CATCHWORD_THREAD`: the thread of a conversation that a bot's session belongs to.
    pub thread: Option<String>,
    /// `CATCHWORD_GIT_MS`: how long git may take, in milliseconds.
    pub git_ms: Option<u64>,
    /// `CATCHWORD_ARCHIVE`: the address of the shared archive.
    pub archive: Option<String>,
    /// `CATCHWORD_ARCHIVE_PASSWORD`: the password for it.
    pub archive_password: Option<Hidden>,
    /// `CATCHWORD_MACHINE`: what this machine is called in the shared archive.
    pub machine: Option<String>,
    /// The session whose shell or client started this process.
    pub session: Option<String>,
    /// This process runs in the agent's shell.
    pub in_agent: bool,
    /// What the environment says about each client, by name.
    pub clients: BTreeMap<&'static str, ClientEnv>,
    /// `PATH`.
    pub path: OsString,
    /// `VISUAL`, else `EDITOR`: the person's editor.
    pub editor: Option<String>,
    /// `SHELL`: the person's shell.
    pub shell: Option<PathBuf>,
    /// Where the command was started.
    pub cwd: PathBuf,
    pub exe: Option<PathBuf>,
    /// Masks secrets, and what the person wants forgotten (see `privacy.rs`).
    pub mask: Mask,
    /// Whether output has colour, if the environment says: `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM=dumb`.
    pub colour: Option<bool>,
    /// `COLUMNS`.
    pub columns: Option<usize>,
    /// `DISPLAY` or `WAYLAND_DISPLAY`, or a system that always has one: a browser can be opened.
    pub has_display: bool,
    /// `CATCHWORD_NOW`: the time in milliseconds since 1970, for reproducible tests.
    pub now: Option<i64>,
}

/// A password: never printed, not even for debugging.
#[derive(Clone)]
pub struct Hidden(pub String);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[hidden]")
    }
}

/// What the environment says about one client.
#[derive(Clone, Debug, Default)]
pub struct ClientEnv {
    /// The client's own folder.
    pub config_dir: Option<PathBuf>,
    /// It is the default folder.
    pub is_usual_dir: bool,
    /// The client process that called a hook.
    pub process: Option<u32>,
    /// Whether a person uses that client interactively.
    pub attended: Option<bool>,
    /// Limits that move the client's compaction threshold.
    pub limits: ClientLimits,
    pub model: Option<String>,
}

impl Env {
    /// Reads everything once.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn from_process() -> Self {
        let path_of = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let home = path_of("HOME").or_else(|| path_of("USERPROFILE"));
        let data_home = path_of("XDG_DATA_HOME").or_else(|| home.as_ref().map(|h| h.join(".local/share")));
        Env {
            args: std::env::args_os().skip(1).collect(),
            data_dir: path_of("CATCHWORD_HOME").or_else(|| data_home.as_ref().map(|d| d.join("catchword"))),
            data_home,
            budget: std::env::var("CATCHWORD_BUDGET").ok(),
            next_start: std::env::var("CATCHWORD_NEXT_START").ok(),
            thread: set("CATCHWORD_THREAD").filter(|thread| thread.chars().count() <= LONGEST_THREAD),
            git_ms: std::env::var("CATCHWORD_GIT_MS").ok().and_then(|ms| ms.parse().ok()),
            archive: set("CATCHWORD_ARCHIVE"),
            archive_password: set("CATCHWORD_ARCHIVE_PASSWORD").map(Hidden),
            machine: set("CATCHWORD_MACHINE"),
            session: CLIENTS.iter().find_map(|client| set(client.environment.session?)),
            in_agent: CLIENTS
                .iter()
                .any(|client| client.environment.in_shell.iter().any(|name| set(name).is_some())),
            clients: CLIENTS
                .iter()
                .map(|client| (client.name, client_env(client, home.as_deref())))
                .collect(),
            path: std::env::var_os("PATH").unwrap_or_default(),
            editor: set("VISUAL").or_else(|| set("EDITOR")),
            shell: path_of("SHELL"),
            cwd: std::env::current_dir().unwrap_or_default(),
            exe: std::env::current_exe().ok(),
            mask: Mask::default(),
            colour: colour(|name| set(name)),
            columns: std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()),
            has_display: cfg!(any(windows, target_os = "macos"))
                || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| set(name).is_some()),
            now: std::env::var("CATCHWORD_NOW").ok().and_then(|n| n.parse().ok()),
            home,
        }
    }

    /// `catchword hook …`: must not wait for anything.
    pub fn is_hook_call(&self) -> bool {
        self.calls("hook")
    }

    /// `catchword statusline …`: nearly as urgent.
    pub fn is_statusline_call(&self) -> bool {
        self.calls("statusline")
    }

    fn calls(&self, command: &str) -> bool {
        self.args.first().is_some_and(|a| a == command)
            && !self.args.iter().any(|a| a == "--help" || a == "-h")
    }

    /// Reads a client's transcripts.
    pub fn reader<'a>(&'a self, client: &'a Client) -> RowReader<'a> {
        RowReader { client, mask: &self.mask }
    }

    /// What the environment says about a client.
    pub fn of(&self, client: &Client) -> ClientEnv {
        self.clients.get(client.name).cloned().unwrap_or_default()
    }

    /// A client's own folder; `None` without a home.
    pub fn config_dir(&self, client: &Client) -> Option<&Path> {
        self.clients.get(client.name)?.config_dir.as_deref()
    }

    /// The same, or an error that says how to set it.
    pub fn needed_config_dir(&self, client: &Client) -> anyhow::Result<&Path> {
        let variable = client.environment.config_dir;
        self.config_dir(client).with_context(|| format!("no home directory: set HOME or {variable}"))
    }

    /// This environment with another folder for a client.
    #[cfg(test)]
    pub fn with_config_dir(mut self, client: &Client, folder: PathBuf) -> Env {
        self.clients.entry(client.name).or_default().config_dir = Some(folder);
        self
    }

    /// A path from the settings: `~` is the home, and what is relative lies there.
    pub fn in_home(&self, path: &Path) -> PathBuf {
        let below = path.strip_prefix("~").unwrap_or(path);
        self.home.as_deref().map_or_else(|| below.to_owned(), |home| home.join(below))
    }

    /// A path for people, with the home as `~`.
    pub fn show(&self, path: &Path) -> String {
        let below = self.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
        match below {
            Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
            Some(below) => Path::new("~").join(below).display().to_string(),
            None => path.display().to_string(),
        }
    }

    /// Milliseconds since 1970.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn now(&self) -> i64 {
        self.now.unwrap_or_else(|| {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            since.map_or(0, |d| d.as_millis() as i64)
        })
    }
}

/// A variable of another program, by which to name it.
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The names of git's variables in this process. They can make git run programs and read other repositories.
pub fn git_variables() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("GIT_"))
}

#[expect(clippy::disallowed_methods, reason = "this is the one place")]
fn client_env(client: &Client, home: Option<&Path>) -> ClientEnv {
    let names = &client.environment;
    let variable = |name: &str| std::env::var(name).ok();
    let moved = std::env::var_os(names.config_dir).filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = home.map(|home| home.join(names.home_folder));
    // The XDG convention lets the person move all of these.
    let configured = std::env::var_os("XDG_CONFIG_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let below = names.home_folder.strip_prefix(".config/");
    let usual = configured.zip(below).map(|(folder, name)| folder.join(name)).or(usual);
    let config_dir = moved.or_else(|| usual.clone());
    ClientEnv {
        is_usual_dir: config_dir == usual,
        config_dir,
        process: names.process.and_then(|name| variable(name)?.parse().ok()),
        attended: (names.attended)(&variable),
        limits: (names.limits)(&variable),
        model: (names.model)(&variable),
    }
}

/// What no-color.org and bixense.com/clicolors agree on.
fn colour(set: impl Fn(&str) -> Option<String>) -> Option<bool> {
    let is = |name: &str, value: &str| set(name).is_some_and(|found| found == value);
    if set("NO_COLOR").is_some() {
        return Some(false);
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return Some(true);
    }
    (is("CLICOLOR", "0") || is("TERM", "dumb")).then_some(false)
}
