//! The real Codex CLI, at a pinned version, run against [`FakeResponses`] in a test's private home.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fake_responses::FakeResponses;
use crate::real_client::{PinnedClient, Skip, kill_group, wait_in_time};
use crate::{TestEnv, files};

const PINNED: PinnedClient = PinnedClient {
    folder: "codex",
    package: include_str!("../real-client/codex/package.json"),
    lock: include_str!("../real-client/codex/package-lock.json"),
    program: find_program,
};

/// Far above the six seconds of a whole run.
const RUN_LIMIT: Duration = Duration::from_secs(120);

/// Ends the test here, in plain words, where the real Codex cannot be had; with `CI=true` it fails instead.
#[macro_export]
macro_rules! real_codex_or_skip {
    () => {
        match $crate::RealCodex::get() {
            Ok(client) => client,
            Err(skip) => {
                skip.say(module_path!());
                return;
            }
        }
    };
}

/// An installed Codex.
#[derive(Clone, Debug)]
pub struct RealCodex {
    program: PathBuf,
}

/// Who makes summaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A provider of the person's own: the client asks for a summary in words.
    Own,
    /// The vendor: the summary is its own, and nobody else can read it.
    Vendor,
}

impl RealCodex {
    /// The pinned client, installed on first use; tried once per process.
    pub fn get() -> Result<RealCodex, Skip> {
        static FOUND: OnceLock<Result<RealCodex, Skip>> = OnceLock::new();
        FOUND.get_or_init(|| PINNED.install().map(|program| RealCodex { program })).clone()
    }

    /// The version every fixture folder and the lock file are named after.
    pub fn version() -> String {
        PINNED.version()
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Writes the configuration of a home that talks to `api`, with the plan tool on.
    pub fn configure(&self, env: &TestEnv, api: &FakeResponses, provider: Provider) {
        let (url, model) = (api.url(), api.mode().model());
        let mut config = format!(
            "model = \"{model}\"\nmodel_context_window = 200000\nmodel_auto_compact_token_limit = 150000\n\
             approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n"
        );
        let _ = match provider {
            Provider::Own => writeln!(config, "model_provider = \"fake\""),
            Provider::Vendor => writeln!(config, "openai_base_url = \"{url}\""),
        };
        config += "\n[analytics]\nenabled = false\n\n[tools.update_plan]\nenabled = true\n";
        if provider == Provider::Own {
            let _ = write!(
                config,
                "\n[model_providers.fake]\nname = \"fake\"\nbase_url = \"{url}\"\nenv_key = \"FAKE_KEY\"\n\
                 wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
            );
        } else {
            files::write(folder(env).join("auth.json"), json!({"OPENAI_API_KEY": "sk-dummy"}).to_string());
        }
        let project = env.project().display();
        let _ = write!(config, "\n[projects.\"{project}\"]\ntrust_level = \"trusted\"\n");
        files::write(folder(env).join("config.toml"), config);
    }

    /// `codex` with these arguments, in the project.
    pub fn command(&self, env: &TestEnv, args: &[&str]) -> Command {
        let mut command = env.command(&self.program);
        command.args(args).env_remove("CATCHWORD_NOW").env("FAKE_KEY", "dummy").process_group(0);
        // The client passes on what is longer than a hook may say by a file in here.
        command.env("TMPDIR", env.root());
        command
    }

    /// Runs `codex exec` with these arguments, to the end.
    pub fn exec(&self, env: &TestEnv, args: &[&str]) -> CodexOutput {
        let (out, err) = (env.root().join("codex-stdout.txt"), env.root().join("codex-stderr.txt"));
        let mut command = self.command(env, &["exec", "--skip-git-repo-check", "--json"]);
        command.args(args).stdin(Stdio::null());
        let open = |path: &Path| std::fs::File::create(path).expect("a file of the test's own");
        command.stdout(open(&out)).stderr(open(&err));
        let child = command.spawn().unwrap_or_else(|e| panic!("start {}: {e}", self.program.display()));
        let status = wait_in_time(child, RUN_LIMIT);
        let (stdout, stderr) = (files::read(&out), files::read(&err));
        let status = status.unwrap_or_else(|| panic!("the client did not end\n{stdout}\n{stderr}"));
        CodexOutput { status, stdout, stderr }
    }

    /// Adds a folder as a marketplace and installs a plugin of it, as a person does.
    pub fn add_plugin(&self, env: &TestEnv, marketplace: &Path, plugin: &str) {
        let marketplace = marketplace.to_str().expect("a path in UTF-8");
        for args in [&["plugin", "marketplace", "add", marketplace][..], &["plugin", "add", plugin]] {
            let output = self.command(env, args).stdin(Stdio::null()).output().expect("the client starts");
            assert!(output.status.success(), "{args:?}: {output:?}");
        }
    }

    /// Its server for other programs, by which a test does what a person does at the terminal.
    pub fn app_server(&self, env: &TestEnv) -> AppServer {
        let mut command = self.command(env, &["app-server"]);
        let log =
            std::fs::File::create(env.root().join("codex-server.txt")).expect("a file of the test's own");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap_or_else(|e| panic!("start {}: {e}", self.program.display()));
        let (sender, lines) = std::sync::mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|l| sender.send(l)));
        let stdin = child.stdin.take();
        let answers = json!({});
        let mut server = AppServer { child, stdin, lines, calls: 0, shown: Vec::new(), answers };
        let capabilities = json!({"experimentalApi": true});
        server.call(
            "initialize",
            json!({"clientInfo": {"name": "test", "version": "1"}, "capabilities": capabilities}),
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "initialized"}));
        server
    }

    /// Approves the hooks that apply in the project, by the call that the client's dialog makes: the client writes them into
    /// its configuration itself.
    pub fn approve_hooks(&self, env: &TestEnv) {
        let mut server = self.app_server(env);
        let mut states = serde_json::Map::new();
        for hook in server.hooks(env.project()) {
            let (key, hash) = (hook["key"].as_str(), hook["currentHash"].as_str().unwrap_or_default());
            // Of a plugin's hook the second is of the plugin's files.
            let mut state = json!({});
            let mut hashes = hash.splitn(2, '/');
            for name in ["trusted_hash", "trusted_content_hash"] {
                state
                    .as_object_mut()
                    .expect("made above")
                    .extend(hashes.next().map(|hash| (name.to_owned(), json!(hash))));
            }
            states.insert(key.expect("a hook has a key").to_owned(), state);
        }
        let edit = json!({"keyPath": "hooks.state", "value": states, "mergeStrategy": "upsert"});
        server.call("config/batchWrite", json!({"edits": [edit], "reloadUserConfig": true}));
    }
}

/// The client's own folder.
fn folder(env: &TestEnv) -> PathBuf {
    env.home().join(".codex")
}

/// All rollouts of a home, oldest first.
pub fn rollouts(env: &TestEnv) -> Vec<PathBuf> {
    fn below(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { below(&path, into) } else { into.push(path) }
        }
    }
    let mut found = Vec::new();
    below(&folder(env).join("sessions"), &mut found);
    found.sort();
    found
}

/// How a run ended.
#[derive(Clone, Debug)]
#[must_use = "a run whose output nobody looks at may have failed"]
pub struct CodexOutput {
    pub status: ExitStatus,
    /// One event per line.
    pub stdout: String,
    pub stderr: String,
}

impl CodexOutput {
    #[track_caller]
    pub fn success(self) -> Self {
        assert!(self.status.success(), "the client failed: {self:?}");
        self
    }

    /// The thread that ran.
    #[track_caller]
    pub fn thread(&self) -> String {
        let events = self.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let started = events.into_iter().find(|event| event["type"] == "thread.started");
        let id = started.and_then(|event| event["thread_id"].as_str().map(str::to_owned));
        id.unwrap_or_else(|| panic!("no thread started: {self:?}"))
    }
}

/// A running server for other programs; ends when dropped.
pub struct AppServer {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    calls: u64,
    shown: Vec<String>,
    answers: Value,
}

impl AppServer {
    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("open until it is dropped");
        writeln!(stdin, "{message}").expect("the server reads");
    }

    /// Calls a method and waits for its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.wait(&format!("the answer to {method}"), |message| message["id"] == id);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn wait(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + RUN_LIMIT;
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            let entries = message["params"]["run"]["entries"].as_array().into_iter().flatten();
            // Only the model gets these.
            let shown = entries.filter(|entry| entry["kind"] != "context");
            self.shown.extend(shown.filter_map(|entry| entry["text"].as_str().map(str::to_owned)));
            if message["method"].is_string() && !message["id"].is_null() {
                let result = json!({"answers": self.answers});
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
            }
            if is_it(&message) {
                return message;
            }
        }
        panic!("the server never sent {what}")
    }

    /// The person's answer to the question with this id, whenever it is asked.
    pub fn answers(&mut self, id: &str, answers: &[&str]) {
        self.answers[id] = json!({"answers": answers});
    }

    /// What hooks had it show to the person so far.
    pub fn shown(&self) -> &[String] {
        &self.shown
    }

    /// The hooks that apply in a folder.
    pub fn hooks(&mut self, folder: &Path) -> Vec<Value> {
        let listed = self.call("hooks/list", json!({"cwds": [folder]}));
        listed["data"][0]["hooks"].as_array().cloned().unwrap_or_default()
    }

    /// Begins a thread in a folder.
    pub fn begin(&mut self, folder: &Path) -> String {
        let started = self.call("thread/start", json!({"cwd": folder}));
        started["thread"]["id"].as_str().expect("a thread has an id").to_owned()
    }

    /// Asks, and waits for the end of the turn.
    pub fn ask(&mut self, thread: &str, prompt: &str) {
        let input = json!([{"type": "text", "text": prompt}]);
        self.call("turn/start", json!({"threadId": thread, "input": input}));
        self.wait("the end of a turn", |message| message["method"] == "turn/completed");
    }

    /// The same in plan mode or out of it.
    pub fn ask_in_mode(&mut self, thread: &str, prompt: &str, mode: &str, model: &str) {
        let input = json!([{"type": "text", "text": prompt}]);
        let mode = json!({"mode": mode, "settings": {"model": model}});
        self.call("turn/start", json!({"threadId": thread, "input": input, "collaborationMode": mode}));
        self.wait("the end of a turn", |message| message["method"] == "turn/completed");
    }

    /// Sets a goal, as `/goal` does, and waits for the end of the turn that works on it.
    pub fn set_goal(&mut self, thread: &str, goal: &str) {
        self.call("thread/goal/set", json!({"threadId": thread, "objective": goal}));
        self.wait("the end of a turn", |message| message["method"] == "turn/completed");
    }

    /// Compacts, as `/compact` does.
    pub fn compact(&mut self, thread: &str) {
        self.call("thread/compact/start", json!({"threadId": thread}));
        self.wait("the end of a compaction", |message| message["method"] == "turn/completed");
    }
}

impl Drop for AppServer {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        kill_group(self.child.id());
        let _ = self.child.wait();
    }
}

/// The platform package has the program in a folder named after the platform, with what it needs beside it.
fn find_program(modules: &Path) -> Option<PathBuf> {
    let packages = std::fs::read_dir(modules.join("@openai")).ok()?.flatten();
    let platforms =
        packages.flat_map(|package| std::fs::read_dir(package.path().join("vendor")).into_iter().flatten());
    platforms.flatten().map(|platform| platform.path().join("bin/codex")).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_pins_every_platform_and_names_no_registry() {
        let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
        let (package, lock) = (read(PINNED.package), read(PINNED.lock));
        for (name, wanted) in package["optionalDependencies"].as_object().unwrap() {
            let locked = &lock["packages"][format!("node_modules/{name}")];
            let version = locked["version"].as_str().unwrap();
            assert_eq!(*wanted, Value::from(format!("npm:@openai/codex@{version}")), "{name}");
            assert!(version.starts_with(&RealCodex::version()), "{name}");
            assert!(locked["integrity"].as_str().is_some_and(|i| i.starts_with("sha512-")), "{name}");
        }
        assert!(!PINNED.lock.contains("resolved") && !PINNED.lock.contains("://"));
    }
}
