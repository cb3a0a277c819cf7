//! The real Copilot CLI, OpenCode, Kilo, Qwen Code and pi, at pinned versions, run against [`FakeChat`] in a test's private home.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::json;

use crate::fake_chat::FakeChat;
use crate::real_client::{PinnedClient, Skip, target_dir, wait_in_time};
use crate::{TestEnv, files};

const COPILOT: PinnedClient = PinnedClient {
    folder: "copilot",
    package: include_str!("../real-client/copilot/package.json"),
    lock: include_str!("../real-client/copilot/package-lock.json"),
    program: |modules| {
        let packages = std::fs::read_dir(modules.join("@github")).ok()?.flatten();
        packages.map(|package| package.path().join("copilot")).find(|program| program.is_file())
    },
};
const QWEN: PinnedClient = PinnedClient {
    folder: "qwen",
    package: include_str!("../real-client/qwen/package.json"),
    lock: include_str!("../real-client/qwen/package-lock.json"),
    program: |modules| {
        Some(modules.join("@qwen-code/qwen-code/cli-entry.js")).filter(|program| program.is_file())
    },
};

const PI: PinnedClient = PinnedClient {
    folder: "pi",
    package: include_str!("../real-client/pi/package.json"),
    lock: include_str!("../real-client/pi/package-lock.json"),
    program: |modules| {
        Some(modules.join("@earendil-works/pi-coding-agent/dist/bundle/cli.js"))
            .filter(|program| program.is_file())
    },
};

const OPENCODE: PinnedClient = PinnedClient {
    folder: "opencode",
    package: include_str!("../real-client/opencode/package.json"),
    lock: include_str!("../real-client/opencode/package-lock.json"),
    program: |modules| program_in(modules, "opencode"),
};

const KILO: PinnedClient = PinnedClient {
    folder: "kilo",
    package: include_str!("../real-client/kilo/package.json"),
    lock: include_str!("../real-client/kilo/package-lock.json"),
    program: |modules| program_in(&modules.join("@kilocode"), "kilo"),
};

/// The program of the one platform whose package was installed.
fn program_in(packages: &Path, name: &str) -> Option<PathBuf> {
    let packages = std::fs::read_dir(packages).ok()?.flatten();
    packages.map(|package| package.path().join("bin").join(name)).find(|program| program.is_file())
}

/// Far above the fifteen seconds of a whole run.
const RUN_LIMIT: Duration = Duration::from_secs(180);

/// Ends the test here, in plain words, where a real client cannot be had; with `CI=true` it fails instead.
#[macro_export]
macro_rules! real_or_skip {
    ($client:ty) => {
        match <$client>::get() {
            Ok(client) => client,
            Err(skip) => {
                skip.say(module_path!());
                return;
            }
        }
    };
}

/// An installed Copilot CLI.
#[derive(Clone, Debug)]
pub struct RealCopilot {
    program: PathBuf,
}

impl RealCopilot {
    /// The pinned client, installed on first use; tried once per process.
    pub fn get() -> Result<RealCopilot, Skip> {
        static FOUND: OnceLock<Result<RealCopilot, Skip>> = OnceLock::new();
        FOUND.get_or_init(|| COPILOT.install().map(|program| RealCopilot { program })).clone()
    }

    /// Runs it with a prompt, to the end.
    pub fn prompt(&self, env: &TestEnv, api: &FakeChat, args: &[&str], prompt: &str) -> String {
        self.prompt_that_ends(true, env, api, args, prompt)
    }

    /// The same with a prompt that a hook stops, after which the client fails.
    pub fn stopped_prompt(&self, env: &TestEnv, api: &FakeChat, args: &[&str], prompt: &str) -> String {
        self.prompt_that_ends(false, env, api, args, prompt)
    }

    fn prompt_that_ends(
        &self,
        well: bool,
        env: &TestEnv,
        api: &FakeChat,
        args: &[&str],
        prompt: &str,
    ) -> String {
        let mut command = env.command(&self.program);
        // It unpacks 200 MB at its first start: once for all tests.
        command.env("XDG_CACHE_HOME", target_dir().join("real-client/copilot-cache"));
        let variables = [
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_PROVIDER_API_KEY", "dummy"),
            ("COPILOT_MODEL", "fake-model"),
            ("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "100000"),
            ("COPILOT_PROVIDER_MAX_OUTPUT_TOKENS", "8000"),
            ("COPILOT_AUTO_UPDATE", "false"),
        ];
        command.envs(variables).env("COPILOT_PROVIDER_BASE_URL", api.url());
        command.args(["--allow-all-tools", "--allow-all-paths", "--output-format", "json"]);
        run_to_an_end(well, env, command.args(args).args(["-p", prompt]), "")
    }
}

/// An installed Qwen Code, and the node that npm brought with it.
#[derive(Clone, Debug)]
pub struct RealQwen {
    program: PathBuf,
    node: PathBuf,
}

impl RealQwen {
    /// The pinned client, installed on first use; tried once per process.
    pub fn get() -> Result<RealQwen, Skip> {
        static FOUND: OnceLock<Result<RealQwen, Skip>> = OnceLock::new();
        let found = || {
            let program = QWEN.install()?;
            Ok(RealQwen { node: node_beside(&program)?, program })
        };
        FOUND.get_or_init(found).clone()
    }

    /// Writes the settings of a home that asks nobody but the fake API, with the list of tasks on.
    pub fn configure(&self, env: &TestEnv) {
        let settings = json!({"general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false}, "security": {"auth": {"selectedType": "openai"}},
            "model": {"generationConfig": {"contextWindowSize": 100_000}}, "tools": {"todoWrite": {"enabled": true}}});
        files::write(env.home().join(".qwen/settings.json"), format!("{settings:#}\n"));
    }

    /// Runs it with a prompt, to the end.
    pub fn prompt(&self, env: &TestEnv, api: &FakeChat, args: &[&str], prompt: &str) -> String {
        let mut command = env.command(&self.node);
        command.arg(&self.program).env("OPENAI_API_KEY", "dummy").env("OPENAI_MODEL", "fake-model");
        command.env("OPENAI_BASE_URL", api.url());
        command.args(["--auth-type", "openai", "--yolo", "--output-format", "stream-json"]);
        run(env, command.args(args).args(["-p", prompt]), "")
    }
}

/// The node that npm installed together with a client.
fn node_beside(program: &Path) -> Result<PathBuf, Skip> {
    let modules = program.ancestors().find(|folder| folder.ends_with("node_modules")).unwrap_or(program);
    let packages = std::fs::read_dir(modules).into_iter().flatten().flatten();
    let node = packages.map(|package| package.path().join("bin/node")).find(|node| node.is_file());
    node.ok_or_else(|| Skip::because("npm has no node for this platform"))
}

/// An installed pi, and the node that npm brought with it.
#[derive(Clone, Debug)]
pub struct RealPi {
    program: PathBuf,
    node: PathBuf,
}

impl RealPi {
    /// The pinned client, installed on first use; tried once per process.
    pub fn get() -> Result<RealPi, Skip> {
        static FOUND: OnceLock<Result<RealPi, Skip>> = OnceLock::new();
        let found = || {
            let program = PI.install()?;
            Ok(RealPi { node: node_beside(&program)?, program })
        };
        FOUND.get_or_init(found).clone()
    }

    /// Writes the settings of a home that asks nobody but `api`, and keeps next to nothing in a compaction.
    pub fn configure(&self, env: &TestEnv, api: &FakeChat) {
        let model = json!({"id": "fake-model", "contextWindow": 100_000, "maxTokens": 8_000});
        let models = json!({"providers": {"fake": {"baseUrl": api.url(), "api": "openai-completions",
            "apiKey": "dummy", "models": [model]}}});
        let compaction = json!({"enabled": true, "reserveTokens": 16_384, "keepRecentTokens": 50});
        let folder = env.home().join(".pi/agent");
        files::write(folder.join("models.json"), models.to_string());
        files::write(folder.join("settings.json"), json!({"compaction": compaction}).to_string());
    }

    /// Runs it with a prompt, to the end.
    pub fn prompt(&self, env: &TestEnv, args: &[&str], prompt: &str) -> String {
        let mut command = env.command(&self.node);
        command.arg(&self.program).env("PI_OFFLINE", "1");
        run(env, command.args(["--mode", "json", "--model", "fake/fake-model"]).args(args).arg(prompt), "")
    }

    /// Compacts the latest session, as the command in the terminal does.
    pub fn compact(&self, env: &TestEnv) {
        let mut command = env.command(&self.node);
        command.arg(&self.program).env("PI_OFFLINE", "1").process_group(0);
        command.args(["--mode", "rpc", "--model", "fake/fake-model", "--continue"]);
        let mut client =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the client starts");
        let mut input = client.stdin.take().expect("piped");
        writeln!(input, "{}", json!({"type": "compact"})).expect("it listens");
        let lines = BufReader::new(client.stdout.take().expect("piped")).lines();
        let answered = lines.map_while(Result::ok).any(|line| line.contains("\"command\":\"compact\""));
        drop(input);
        assert!(answered && wait_in_time(client, RUN_LIMIT).is_some(), "the client compacts");
    }
}

/// An installed OpenCode, or Kilo, which is built on it.
#[derive(Clone, Debug)]
pub struct RealOpenCode {
    /// As in the names of its folders and files.
    pub name: &'static str,
    program: PathBuf,
    plugins: (&'static str, &'static str),
}

impl RealOpenCode {
    /// The pinned client, installed on first use; tried once per process.
    pub fn get() -> Result<RealOpenCode, Skip> {
        static FOUND: OnceLock<Result<RealOpenCode, Skip>> = OnceLock::new();
        let plugins = ("@opencode-ai/plugin", "1.18.33");
        let found = || Ok(RealOpenCode { name: "opencode", program: OPENCODE.install()?, plugins });
        FOUND.get_or_init(found).clone()
    }

    /// Kilo.
    pub fn kilo() -> Result<RealOpenCode, Skip> {
        static FOUND: OnceLock<Result<RealOpenCode, Skip>> = OnceLock::new();
        let plugins = ("@kilocode/plugin", "7.7.9");
        let found = || Ok(RealOpenCode { name: "kilo", program: KILO.install()?, plugins });
        FOUND.get_or_init(found).clone()
    }

    /// Its own folder in a home.
    pub fn folder(&self, env: &TestEnv) -> PathBuf {
        env.home().join(".config").join(self.name)
    }

    /// Writes the settings of a home that asks nobody but `api`. At its start the client installs what it thinks a folder
    /// of plugins needs, and waits for that: here it finds it done.
    pub fn configure(&self, env: &TestEnv, api: &FakeChat) {
        let model =
            json!({"name": "Fake", "tool_call": true, "limit": {"context": 100_000, "output": 8_000}});
        let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "Fake", "models": {"fake-model": model},
            "options": {"baseURL": api.url(), "apiKey": "dummy"}});
        let settings = json!({"autoupdate": false, "share": "disabled", "model": "fake/fake-model",
            "small_model": "fake/fake-model", "provider": {"fake": provider},
            "permission": {"edit": "allow", "bash": "allow", "webfetch": "deny"}});
        let folder = self.folder(env);
        files::write(folder.join(format!("{}.json", self.name)), format!("{settings:#}\n"));
        let (name, version) = self.plugins;
        let needs = json!({"dependencies": {name: version}});
        let lock = json!({"name": "x", "lockfileVersion": 3, "requires": true, "packages": {"": needs}});
        files::write(folder.join("package.json"), needs.to_string());
        files::write(folder.join("package-lock.json"), lock.to_string());
        std::fs::create_dir_all(folder.join("node_modules")).expect("a folder of the test's own");
    }

    /// Runs it with a prompt, to the end.
    pub fn prompt(&self, env: &TestEnv, args: &[&str], prompt: &str) -> String {
        run(env, self.command(env).args(["run", "--format", "json"]).args(args), prompt)
    }

    /// Compacts a session, as the command in the terminal does.
    pub fn compact(&self, env: &TestEnv, session: &str) {
        let (port, log) = (free_port(), env.root().join("server.txt"));
        let mut command = self.command(env);
        let out = std::fs::File::create(&log).expect("a file of the test's own");
        command.args(["serve", "--hostname", "127.0.0.1", "--port", &port.to_string()]);
        command.process_group(0).stdin(Stdio::null()).stderr(Stdio::null()).stdout(out);
        let mut server = command.spawn().expect("the client starts");
        let body = json!({"providerID": "fake", "modelID": "fake-model"}).to_string();
        // A request that comes before it listens is never answered.
        let is_ready = (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            files::read(&log).contains("listening")
        });
        let answered = is_ready && post(port, &format!("/session/{session}/summarize"), &body);
        let _ = server.kill();
        let _ = server.wait();
        assert!(answered, "the client compacts");
    }

    fn command(&self, env: &TestEnv) -> Command {
        let mut command = env.command(&self.program);
        for what in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "SESSION_INGEST"] {
            command.env(format!("{}_DISABLE_{what}", self.name.to_uppercase()), "1");
        }
        command
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback");
    listener.local_addr().expect("bound").port()
}

/// Whether a server of the client's on loopback answers this with success.
fn post(port: u16, path: &str, body: &str) -> bool {
    let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else { return false };
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n");
    let request = format!("{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    let mut first = String::new();
    stream.set_read_timeout(Some(RUN_LIMIT)).expect("not zero");
    // It leaves the connection open.
    stream.write_all(request.as_bytes()).is_ok()
        && BufReader::new(stream).read_line(&mut first).is_ok()
        && first.starts_with("HTTP/1.1 200")
}

/// What the client printed.
fn run(env: &TestEnv, command: &mut Command, input: &str) -> String {
    run_to_an_end(true, env, command, input)
}

/// The same of one that succeeds or fails, as it should.
fn run_to_an_end(well: bool, env: &TestEnv, command: &mut Command, input: &str) -> String {
    let given = env.root().join("client-stdin.txt");
    files::write(&given, input);
    let (out, err) = (env.root().join("client-stdout.txt"), env.root().join("client-stderr.txt"));
    let open = |path: &Path| std::fs::File::create(path).expect("a file of the test's own");
    command.env_remove("CATCHWORD_NOW").process_group(0);
    command.stdin(std::fs::File::open(&given).expect("written above"));
    command.stdout(open(&out)).stderr(open(&err));
    let child = command.spawn().unwrap_or_else(|e| panic!("start {command:?}: {e}"));
    let status = wait_in_time(child, RUN_LIMIT);
    let (stdout, stderr) = (files::read(&out), files::read(&err));
    assert!(
        status.is_some_and(|status| status.success() == well),
        "{command:?}: {status:?}\n{stdout}\n{stderr}"
    );
    stdout
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn lock_files_pin_what_is_installed_and_name_no_registry() {
        for pinned in [COPILOT, OPENCODE, KILO, QWEN, PI] {
            let lock: Value = serde_json::from_str(pinned.lock).unwrap();
            let packages = lock["packages"].as_object().unwrap();
            assert!(packages.len() > 1);
            for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
                assert!(package["integrity"].as_str().is_some_and(|i| i.starts_with("sha512-")), "{name}");
            }
            assert!(!pinned.lock.contains("resolved") && !pinned.lock.contains("://"));
        }
    }
}
