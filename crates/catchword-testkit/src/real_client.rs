//! Runs the real Claude Code, at a pinned version, against the fake API in a test's private home.
//!
//! npm installs it from the lock file in this crate into `target/real-client/<version>`, once for all test processes: a
//! file lock lets one install while the others wait. What npm fetched is checked against the integrity hashes of the
//! lock file; install scripts do not run.
//!
//! If it is not available (no npm, no network, no build for this platform) a test is skipped with a message on stderr;
//! with `CI=true` it fails, so that nothing stays untested silently.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wait_timeout::ChildExt;

use crate::fake_api::FakeApi;
use crate::{TestEnv, files};

const PACKAGE: &str = include_str!("../real-client/package.json");
const LOCK: &str = include_str!("../real-client/package-lock.json");

const PINNED: PinnedClient = PinnedClient { folder: "", package: PACKAGE, lock: LOCK, program: find_program };

/// A client at a pinned version, as npm has it.
pub(crate) struct PinnedClient {
    /// Where it is installed, in `target/real-client`; a folder named after its version is in there.
    pub folder: &'static str,
    pub package: &'static str,
    pub lock: &'static str,
    /// The program below npm's folder of modules.
    pub program: fn(&Path) -> Option<PathBuf>,
}

/// Far above the four seconds of a whole run: a loaded machine is not a failure, a client that hangs is.
const RUN_LIMIT: Duration = Duration::from_secs(120);

/// Skips the test with a message if the real client is not available; with `CI=true` it fails instead.
#[macro_export]
macro_rules! real_client_or_skip {
    () => {
        match $crate::RealClient::get() {
            Ok(client) => client,
            Err(skip) => {
                skip.say(module_path!());
                return;
            }
        }
    };
}

/// Why the real client is not available.
#[derive(Clone, Debug)]
pub struct Skip(String);

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Skip {
    /// Something other than the client is missing.
    pub fn because(reason: &str) -> Skip {
        Skip(reason.to_owned())
    }

    /// Prints that `what` is skipped and why; directly, because the test runner hides the output of a passing test.
    pub fn say(&self, what: &str) {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or(what);
        assert!(!in_ci(), "{name} may not be skipped in CI: {self}");
        let _ = writeln!(std::io::stderr(), "skipped: {name} because {self}");
    }
}

/// An installed client.
#[derive(Clone, Debug)]
pub struct RealClient {
    program: PathBuf,
}

impl RealClient {
    /// The pinned client, installed on first use; tried once per process.
    pub fn get() -> Result<RealClient, Skip> {
        static FOUND: OnceLock<Result<RealClient, Skip>> = OnceLock::new();
        FOUND.get_or_init(|| PINNED.install().map(RealClient::at)).clone()
    }

    /// Another client than the pinned one: an older version, for captures.
    pub fn at(program: impl Into<PathBuf>) -> RealClient {
        RealClient { program: program.into() }
    }

    /// The version that every fixture folder and the lock file are named after.
    pub fn version() -> String {
        PINNED.version()
    }

    /// The program itself, for `plugin validate` and the like.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A run in `env` against `api`, with the defaults of an offline test.
    pub fn start<'a>(&'a self, env: &'a TestEnv, api: &'a FakeApi) -> ClientRun<'a> {
        let (before, args, variables) = (Vec::new(), Vec::new(), Vec::new());
        ClientRun { client: self, env, api, before, args, variables, limit: RUN_LIMIT, folder: None }
    }
}

/// A run that is being configured.
#[must_use = "nothing runs before one of the starting methods"]
pub struct ClientRun<'a> {
    client: &'a RealClient,
    env: &'a TestEnv,
    api: &'a FakeApi,
    before: Vec<OsString>,
    args: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    limit: Duration,
    folder: Option<PathBuf>,
}

impl ClientRun<'_> {
    /// Sets another working directory than the project.
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.canonicalize().expect("a folder of the test's own"));
        self
    }

    pub(crate) fn working_folder(&self) -> &Path {
        self.folder.as_deref().unwrap_or(self.env.project())
    }

    pub(crate) fn env(&self) -> &TestEnv {
        self.env
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds a variable.
    pub fn var(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Starts the client through this command, which gets the client's command line as further arguments.
    pub fn through(mut self, command: &[&str]) -> Self {
        self.before = command.iter().map(OsString::from).collect();
        self
    }

    /// The settings file with the hooks under test.
    pub fn settings(self, path: &Path) -> Self {
        self.arg("--settings").arg(path)
    }

    /// Resumes an earlier session.
    pub fn resume(self, session: &str) -> Self {
        self.arg("--resume").arg(session)
    }

    /// Fixes the id of a new session.
    pub fn session_id(self, session: &str) -> Self {
        self.arg("--session-id").arg(session)
    }

    /// Sends `prompt` and waits for the end of the run.
    pub fn prompt(self, prompt: &str) -> ClientOutput {
        let mut command = self.command();
        command.args(["-p", prompt, "--output-format", "json"]).stdin(Stdio::null());
        let (out, err) = (self.capture("stdout"), self.capture("stderr"));
        command.stdout(open_for_child(&out)).stderr(open_for_child(&err));
        let child =
            command.spawn().unwrap_or_else(|e| panic!("start {}: {e}", self.client.program.display()));
        let status = wait_in_time(child, self.limit);
        let (stdout, stderr) = (files::read(&out), files::read(&err));
        let Some(status) = status else {
            panic!("the client did not end within {:?}\n{stdout}\n{stderr}", self.limit);
        };
        ClientOutput { status, stdout, stderr }
    }

    /// Holds one conversation: each prompt (or `/clear` and the like) is sent once the one before it is answered.
    /// Returns the result object of each.
    pub fn conversation(self, prompts: &[&str]) -> Vec<Value> {
        let mut command = self.command();
        command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
        let err = self.capture("stderr");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(open_for_child(&err));
        let mut child =
            command.spawn().unwrap_or_else(|e| panic!("start {}: {e}", self.client.program.display()));
        let mut keys = child.stdin.take().expect("stdin is piped");
        let (sender, lines) = std::sync::mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|l| sender.send(l)));
        let end = Instant::now() + self.limit;
        let mut results = Vec::new();
        for prompt in prompts {
            let row = json!({"type": "user", "message": {"role": "user", "content": prompt}});
            writeln!(keys, "{row}").unwrap_or_else(|e| panic!("{e}: {}", files::read(&err)));
            let result =
                std::iter::from_fn(|| lines.recv_timeout(end.saturating_duration_since(Instant::now())).ok())
                    .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
                    .find(|line| line["type"] == "result" || line.get("num_turns").is_some());
            let Some(result) = result else {
                kill_group(child.id());
                let _ = child.wait();
                panic!("no answer to {prompt:?}: {}", files::read(&err));
            };
            results.push(result);
        }
        drop(keys);
        let status = wait_in_time(child, self.limit);
        assert!(status.is_some_and(|s| s.success()), "the client failed: {status:?} {}", files::read(&err));
        results
    }

    /// The client as a command, for other kinds of arguments (`plugin validate …`).
    pub fn command(&self) -> Command {
        let client = self.client.program.as_os_str();
        let mut words = self.before.iter().map(OsString::as_os_str).chain([client]);
        let mut command = self.env.command(words.next().expect("the client, if nothing else"));
        command.args(words);
        // A fixed clock for the whole run would be wrong for every hook but the first.
        command.env_remove("CATCHWORD_NOW").process_group(0);
        for (name, value) in OFFLINE {
            command.env(name, value);
        }
        command.env("ANTHROPIC_BASE_URL", self.api.url());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.args(&self.args);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// Output goes to files: a background child that keeps a pipe open must not block the test.
    fn capture(&self, stream: &str) -> PathBuf {
        self.env.root().join(format!("client-{stream}.txt"))
    }
}

/// Keeps the client on loopback, with a key that opens nothing.
const OFFLINE: [(&str, &str); 6] = [
    ("ANTHROPIC_API_KEY", "dummy"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("IS_SANDBOX", "1"),
    ("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000"),
];

#[derive(Clone, Debug)]
#[must_use = "a run whose output nobody looks at may have failed"]
pub struct ClientOutput {
    pub status: ExitStatus,
    /// The result object, as text.
    pub stdout: String,
    pub stderr: String,
}

impl ClientOutput {
    /// The result object.
    #[track_caller]
    pub fn result(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("no result object ({e}): {self:?}"))
    }

    /// Panics unless the run succeeded from the client's point of view.
    #[track_caller]
    pub fn success(self) -> Self {
        assert!(self.status.success(), "the client failed: {self:?}");
        assert_eq!(self.result()["is_error"], false, "the client reports an error: {self:?}");
        assert_eq!(self.stderr, "", "the client complained");
        self
    }

    /// The id of the session that ran.
    #[track_caller]
    pub fn session_id(&self) -> String {
        self.result()["session_id"].as_str().expect("a result names its session").to_owned()
    }
}

impl PinnedClient {
    pub fn version(&self) -> String {
        let package: Value = serde_json::from_str(self.package).expect("package.json is JSON");
        package["version"].as_str().expect("package.json has a version").to_owned()
    }

    /// Installs it where it is not there yet.
    pub fn install(&self) -> Result<PathBuf, Skip> {
        let folder = target_dir().join("real-client").join(self.folder).join(self.version());
        self.install_into(&folder).map_err(Skip)
    }

    fn install_into(&self, folder: &Path) -> Result<PathBuf, String> {
        std::fs::create_dir_all(folder).map_err(|e| format!("{} cannot be made: {e}", folder.display()))?;
        let lock = File::create(folder.join("install.lock")).map_err(|e| format!("no install lock: {e}"))?;
        lock.lock().map_err(|e| format!("no install lock: {e}"))?;
        // Written last: a folder without it, or with another lock file's text, holds half an installation.
        let done = folder.join("installed-package-lock.json");
        if files::read(&done) != self.lock {
            self.run_npm(folder)?;
        }
        // The builds are optional packages, so npm is content when it could fetch none of them.
        let program = (self.program)(&folder.join("node_modules"))
            .ok_or("npm fetched no build of the client: no network, or none for this platform")?;
        files::write(&done, self.lock);
        Ok(program)
    }

    fn run_npm(&self, folder: &Path) -> Result<(), String> {
        files::write(folder.join("package.json"), self.package);
        files::write(folder.join("package-lock.json"), self.lock);
        let mut npm = Command::new("npm");
        npm.args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefer-offline",
            "--loglevel=error",
        ]);
        if !in_ci() {
            // Somebody on a train should not wait two minutes to be told that there is no network.
            npm.args(["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000"]);
        }
        let output = npm.current_dir(folder).output().map_err(|e| format!("npm cannot be started: {e}"))?;
        if output.status.success() {
            return Ok(());
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        let line = complaint.lines().find(|l| !l.trim().is_empty()).unwrap_or("no reason given");
        Err(format!("npm could not install the client: {line}"))
    }
}

/// npm installs the one platform package that fits; its name differs by platform.
fn find_program(modules: &Path) -> Option<PathBuf> {
    let packages = std::fs::read_dir(modules.join("@anthropic-ai")).ok()?;
    packages.filter_map(Result::ok).map(|package| package.path().join("claude")).find(|p| p.is_file())
}

/// Cargo's target folder, found from the path of this test program and marked by cargo's cache tag.
pub(crate) fn target_dir() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), Path::to_owned)
}

#[expect(clippy::disallowed_methods, reason = "the only place in the test kit that asks for CI")]
fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

fn open_for_child(path: &Path) -> File {
    File::create(path).unwrap_or_else(|e| panic!("open {}: {e}", path.display()))
}

/// Waits for the child; past the limit it and everything it started are killed.
pub(crate) fn wait_in_time(mut child: Child, limit: Duration) -> Option<ExitStatus> {
    let status = child.wait_timeout(limit).expect("a child we started");
    if status.is_none() {
        kill_group(child.id());
        let _ = child.wait();
    }
    status
}

/// The child leads its own process group, so this reaches its hooks and shells and nobody else's.
pub(crate) fn kill_group(leader: u32) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{leader}")]).status();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_file_pins_every_platform_and_names_no_registry() {
        let (package, lock): (Value, Value) =
            (serde_json::from_str(PACKAGE).unwrap(), serde_json::from_str(LOCK).unwrap());
        let wanted = package["optionalDependencies"].as_object().unwrap();
        for (name, version) in wanted {
            let locked = &lock["packages"][format!("node_modules/{name}")];
            assert_eq!(*version, Value::from(RealClient::version()), "{name}");
            assert_eq!(locked["version"], *version, "{name}");
            assert!(locked["integrity"].as_str().is_some_and(|i| i.starts_with("sha512-")), "{name}");
        }
        assert!(!LOCK.contains("resolved") && !LOCK.contains("://"));
    }

    #[test]
    fn child_past_its_limit_is_killed_with_its_children() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo $! > grandchild; wait"]).process_group(0);
        let folder = tempfile::tempdir().unwrap();
        let child = command.current_dir(&folder).spawn().unwrap();
        assert!(wait_in_time(child, Duration::from_millis(500)).is_none());
        let grandchild = files::read(folder.path().join("grandchild"));
        let alive = || {
            let state = Command::new("ps").args(["-o", "stat=", "-p", grandchild.trim()]).output().unwrap();
            let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
            !state.is_empty() && !state.starts_with('Z')
        };
        let end = Instant::now() + Duration::from_secs(5);
        while alive() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!grandchild.trim().is_empty() && !alive(), "{grandchild}");
    }

    #[test]
    fn skip_names_the_test_and_the_reason() {
        if in_ci() {
            return;
        }
        assert_eq!(Skip("npm is missing".into()).to_string(), "npm is missing");
        Skip("this line shows what a skipped test says".into()).say("somewhere");
    }
}
