//! The one place that reads the environment: every variable catchword knows is named here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use catchword_engine::agent::claude_code::window;
use catchword_engine::gauge::Limits;

/// What the process was started with.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// Arguments after the program's name.
    pub args: Vec<OsString>,
    /// `HOME` (on Windows `USERPROFILE`); absent in some services and containers.
    pub home: Option<PathBuf>,
    /// `CATCHWORD_HOME`, else `$XDG_DATA_HOME/catchword`, else `~/.local/share/catchword`.
    pub data_dir: Option<PathBuf>,
    /// `CATCHWORD_BUDGET`: characters a brief may have.
    pub budget: Option<String>,
    /// `CLAUDE_CODE_SESSION_ID`: the session in whose shell this runs, or whose client started it.
    pub session: Option<String>,
    /// `CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub claude_dir: Option<PathBuf>,
    /// What moves the client's compaction threshold: `CLAUDE_CODE_AUTO_COMPACT_WINDOW`,
    /// `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`, `CLAUDE_CODE_MAX_OUTPUT_TOKENS`, `DISABLE_AUTO_COMPACT`, `DISABLE_COMPACT`.
    pub limits: Limits,
    /// `CLAUDE_PID`: the client process that calls a hook.
    pub client: Option<u32>,
    /// `CLAUDE_CODE_SESSION_ATTENDED`: whether a person sits at that client; of older ones `CLAUDE_CODE_ENTRYPOINT` says
    /// at least whether it was started by a program.
    pub attended: Option<bool>,
    /// `CLAUDECODE` is set: this is a shell of the agent's.
    pub in_agent: bool,
    /// `PATH`.
    pub path: OsString,
    /// Where the command was started.
    pub cwd: PathBuf,
    /// This very binary.
    pub exe: Option<PathBuf>,
    /// `CATCHWORD_IN_PLACE` is set: what follows a compaction is done by its hook, which then ends when all is done.
    pub in_place: bool,
    /// `NO_COLOR` is set.
    pub no_color: bool,
    /// `COLUMNS`.
    pub columns: Option<usize>,
    /// `CATCHWORD_NOW`: the time, in milliseconds since 1970, for repeatable tests.
    pub now: Option<i64>,
}

impl Env {
    /// Reads everything once.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn from_process() -> Self {
        let path_of = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let home = path_of("HOME").or_else(|| path_of("USERPROFILE"));
        let xdg = path_of("XDG_DATA_HOME").or_else(|| home.as_ref().map(|h| h.join(".local/share")));
        Env {
            args: std::env::args_os().skip(1).collect(),
            data_dir: path_of("CATCHWORD_HOME").or_else(|| xdg.map(|d| d.join("catchword"))),
            budget: std::env::var("CATCHWORD_BUDGET").ok(),
            session: std::env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|id| !id.is_empty()),
            claude_dir: path_of("CLAUDE_CONFIG_DIR").or_else(|| home.as_ref().map(|h| h.join(".claude"))),
            limits: limits(),
            client: std::env::var("CLAUDE_PID").ok().and_then(|id| id.parse().ok()),
            attended: std::env::var("CLAUDE_CODE_SESSION_ATTENDED")
                .ok()
                .map(|v| v != "0")
                .or_else(|| std::env::var("CLAUDE_CODE_ENTRYPOINT").ok().map(|v| !v.starts_with("sdk"))),
            in_agent: ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"].iter().any(|name| path_of(name).is_some()),
            path: std::env::var_os("PATH").unwrap_or_default(),
            cwd: std::env::current_dir().unwrap_or_default(),
            exe: std::env::current_exe().ok(),
            in_place: std::env::var_os("CATCHWORD_IN_PLACE").is_some_and(|v| !v.is_empty()),
            no_color: std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()),
            columns: std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()),
            now: std::env::var("CATCHWORD_NOW").ok().and_then(|n| n.parse().ok()),
            home,
        }
    }

    /// `catchword hook …`: the one call that must not wait for anything.
    pub fn is_hook_call(&self) -> bool {
        self.calls("hook")
    }

    /// `catchword statusline …`: the next one.
    pub fn is_statusline_call(&self) -> bool {
        self.calls("statusline")
    }

    /// `catchword settle …`: called by a hook.
    pub fn is_settle_call(&self) -> bool {
        self.calls(crate::settle::VERB)
    }

    fn calls(&self, command: &str) -> bool {
        self.args.first().is_some_and(|a| a == command)
            && !self.args.iter().any(|a| a == "--help" || a == "-h")
    }

    /// A path for people: the home as `~`.
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

/// The client hands its own environment to hooks and status line, so what holds for it can be read here.
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
fn limits() -> Limits {
    let of = |name: &str| std::env::var(name).ok();
    let (size, percent) = (of("CLAUDE_CODE_AUTO_COMPACT_WINDOW"), of("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"));
    let output = of("CLAUDE_CODE_MAX_OUTPUT_TOKENS");
    let off = [of("DISABLE_AUTO_COMPACT"), of("DISABLE_COMPACT")];
    window::limits(&window::Variables {
        window: size.as_deref(),
        percent: percent.as_deref(),
        output: output.as_deref(),
        off: off.each_ref().map(Option::as_deref),
    })
}
