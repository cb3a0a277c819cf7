//! The real client in a terminal: for what `-p` cannot show (status line, questions, plans, queued prompts, `!`,
//! `/clear`); and our own questions.
//!
//! The pseudo-terminal is made by util-linux's `script`. Keys are sent once the client is ready, which the fake API, a
//! recording hook or the screen shows.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use wait_timeout::ChildExt;

use crate::fake_api::{FakeApi, Request};
use crate::real_client::{ClientRun, Skip};
use crate::{TestEnv, files};

/// The key that sends a line, answers a question with its first option, and approves.
pub const ENTER: &str = "\r";

/// Far more than a client needs for anything: a busy machine is not a failure, a client that hangs is.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program in a pseudo-terminal.
pub struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: PathBuf,
}

impl Terminal {
    /// Starts the client in a trusted folder.
    pub fn open(run: ClientRun<'_>) -> Result<Terminal, Skip> {
        let folder = run.working_folder();
        trust(run.env(), folder.to_str().expect("temporary paths are UTF-8"));
        let mut client = run.command();
        Terminal::of(client.current_dir(folder), 150, run.env())
    }

    /// Starts any program; its `PATH` must have the system's programs.
    pub fn of(program: &Command, columns: u16, env: &TestEnv) -> Result<Terminal, Skip> {
        let found = Command::new("script").arg("--version").stdout(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            return Err(Skip::because("util-linux's `script` is missing"));
        }
        let words: Vec<_> = program.get_args().map(|arg| format!("'{}'", arg.to_string_lossy())).collect();
        let name = program.get_program().to_string_lossy();
        let line = format!("stty rows 50 cols {columns}; exec '{name}' {}", words.join(" "));
        let mut command = Command::new("script");
        command.args(["-qfec", &line, "/dev/null"]).env_clear();
        command.current_dir(program.get_current_dir().unwrap_or(env.project()));
        command.env("TERM", "xterm-256color");
        command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let screen = env.root().join("screen.txt");
        let output = File::create(&screen).expect("a file in our own temporary directory");
        command.stdin(Stdio::piped()).stdout(output).stderr(Stdio::null());
        let mut child = command.spawn().expect("it answered a moment ago");
        let keys = child.stdin.take().expect("stdin is piped");
        Ok(Terminal { child, keys, screen })
    }

    /// Waits until the prompt is drawn: earlier keys are lost.
    pub fn wait_for_prompt(&mut self) {
        let screen = self.screen.clone();
        self.wait("the prompt", || files::read(&screen).contains('❯'));
    }

    /// Types a line and sends it.
    pub fn line(&mut self, text: &str) {
        self.keys(text);
        self.keys(ENTER);
    }

    /// Types keys as a person would: a whole line at once counts as pasted, and Enter in it as a newline.
    pub fn keys(&mut self, keys: &str) {
        pause();
        let typed = self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush());
        typed.unwrap_or_else(|e| panic!("{e}: the client has gone:\n{}", self.tail()));
    }

    /// Waits for a question and types the answer.
    pub fn answer(&mut self, question: &str, answer: &str) {
        let screen = self.screen.clone();
        self.wait(question, || files::read(&screen).contains(question));
        self.line(answer);
    }

    /// Waits until the program ends; returns everything it printed, without progress bars.
    pub fn end(mut self) -> String {
        let status = self.child.wait_timeout(PATIENCE).expect("a child we started");
        assert!(status.is_some(), "the program does not end:\n{}", self.tail());
        let screen = files::read(&self.screen).replace("\r\n", "\n");
        let lines = screen.lines().map(|line| line.rsplit('\r').next().unwrap_or_default());
        lines.map(|line| line.replace("\u{1b}[2K", "")).collect::<Vec<_>>().join("\n")
    }

    /// Sends a prompt and waits until the script has run out.
    pub fn ask(&mut self, api: &FakeApi, prompt: &str) {
        self.line(prompt);
        self.wait("the end of the turn", || api.turns_left() == 0);
    }

    /// Presses keys repeatedly, because the client may not be ready yet.
    pub fn press_until(&mut self, keys: &str, what: &str, reached: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !reached() {
            assert!(Instant::now() < end, "time-out while pressing keys for {what}:\n{}", self.tail());
            self.keys(keys);
            pause();
        }
    }

    /// Waits for a condition.
    pub fn wait(&mut self, what: &str, mut reached: impl FnMut() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !reached() {
            assert!(Instant::now() < end, "time-out while waiting for {what}:\n{}", self.tail());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the client.
    pub fn leave(mut self) {
        self.line("/exit");
        let status = self.child.wait_timeout(PATIENCE).expect("a child we started");
        assert!(status.is_some(), "the client does not end:\n{}", self.tail());
    }

    /// The end of the screen; whole screens of minified code help nobody.
    fn tail(&self) -> String {
        let screen: Vec<char> = files::read(&self.screen).chars().collect();
        screen[screen.len().saturating_sub(2_000)..].iter().collect()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A person's pause between two keys.
pub fn pause() {
    std::thread::sleep(Duration::from_millis(700));
}

/// The file that the client names for its plan; the model would write it.
pub fn plan_file(env: &TestEnv, api: &FakeApi) -> PathBuf {
    let told = api.requests().iter().map(Request::conversation).collect::<String>();
    let folder = env.home().join(".claude/plans/");
    let start = told.find(folder.to_str().expect("temporary paths are UTF-8")).expect("a plan file is named");
    let end = start + told[start..].find(".md").expect("plans are Markdown") + ".md".len();
    PathBuf::from(&told[start..end])
}

/// Answers in advance what the client asks a new user.
fn trust(env: &TestEnv, folder: &str) {
    // Old versions do not start without the list.
    let trusted =
        json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []});
    let config = json!({"hasCompletedOnboarding": true, "theme": "dark", "primaryApiKey": "dummy",
        "bypassPermissionsModeAccepted": true,
        "customApiKeyResponses": {"approved": ["dummy"], "rejected": []}, "projects": {folder: trusted}});
    files::write(env.home().join(".claude.json"), config.to_string());
}
