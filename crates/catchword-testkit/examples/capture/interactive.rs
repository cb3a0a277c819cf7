//! A session at a terminal: what `-p` cannot show (status line, questions, plans, queued prompts, `!`, `/clear`).
//!
//! The terminal is a pseudo-terminal made by `script`; keys are typed when the client has got to the point, which
//! the API and the recorder know.

use std::fs::File;
use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use catchword_testkit::{FakeApi, Script, Turn, files};
use serde_json::json;

use crate::Scene;

const ENTER: &str = "\r";

pub fn scene(scene: &Scene) {
    let question = json!({"questions": [{"question": "Which name?", "header": "Name", "multiSelect": false,
        "options": [{"label": "add", "description": "Keep it"}, {"label": "sum", "description": "Rename it"}]}]});
    let script = Script::new()
        .turn(Turn::tool("AskUserQuestion", question))
        .turn(Turn::tool("ExitPlanMode", json!({})))
        .turn(Turn::bash("sleep 3; echo slept"))
        .turn(Turn::text("Done with that."))
        .turn(Turn::text("A fresh start."));
    let api = FakeApi::start(script);
    let arguments = ["--model", "claude-sonnet-4-5", "--permission-mode", "plan"];
    let mut terminal = Terminal::open(scene, &api, &arguments);
    terminal.wait("the start", || {
        scene.recorder.count("SessionStart") == 1 && scene.recorder.status_line_count() > 0
    });
    terminal.line("Fix add in src/lib.rs.");
    terminal.wait("the question", || scene.recorder.count("PreToolUse") == 1);
    write_plan(scene, &api);
    terminal.keys(ENTER);
    terminal.wait("the plan", || scene.recorder.count("PreToolUse") == 2);
    terminal.keys(ENTER);
    terminal.wait("the command", || scene.recorder.count("PreToolUse") == 3);
    terminal.line("Also keep the sign in mind.");
    terminal.wait("the end of the turn", || scene.recorder.count("Stop") == 1);
    terminal.line("!echo typed by hand");
    pause();
    terminal.line("/clear");
    terminal.wait("the new session", || scene.recorder.count("SessionStart") == 2);
    terminal.line("Start over.");
    terminal.wait("its end", || scene.recorder.count("Stop") == 2);
    terminal.line("/exit");
    terminal.wait("the end", || scene.recorder.count("SessionEnd") == 2);
}

/// What the status line is given while the context fills up, over an automatic compaction and a `/compact`. The pauses
/// give the client the time to ask for it: it waits a moment for things to settle first.
pub fn status_line(scene: &Scene) {
    let script = Script::new()
        .turn(Turn::bash("sleep 1.5; echo one").context_tokens(60_000))
        .turn(Turn::bash("sleep 1.5; echo two").context_tokens(120_000))
        .turn(Turn::bash("sleep 1.5; echo three").context_tokens(190_000))
        .turn(Turn::bash("sleep 1.5; echo four").context_tokens(30_000))
        .turn(Turn::text("Counted.").context_tokens(40_000))
        .turn(Turn::text("Nothing more.").context_tokens(25_000))
        .summary("1. Primary Request and Intent:\n   Count.");
    let api = FakeApi::start(script);
    let arguments = ["--model", "claude-sonnet-4-5", "--allowedTools=Bash"];
    let mut terminal = Terminal::open(scene, &api, &arguments);
    terminal.wait("the start", || {
        scene.recorder.count("SessionStart") == 1 && scene.recorder.status_line_count() > 0
    });
    terminal.line("Count to four.");
    terminal.wait("the end of the turn", || scene.recorder.count("Stop") == 1);
    terminal.line("/compact");
    terminal.wait("the compaction", || scene.recorder.count("PostCompact") == 2);
    pause();
    terminal.line("Anything more?");
    terminal.wait("its end", || scene.recorder.count("Stop") == 2);
    pause();
    terminal.line("/exit");
    terminal.wait("the end", || scene.recorder.count("SessionEnd") == 1);
}

/// In plan mode the client names a file for the plan; the model would write it, here we do.
fn write_plan(scene: &Scene, api: &FakeApi) {
    let text =
        api.requests().iter().map(catchword_testkit::fake_api::Request::conversation).collect::<String>();
    let folder = scene.env.home().join(".claude/plans/");
    let start = text.find(folder.to_str().expect("temporary paths are UTF-8")).expect("a plan file is named");
    let end = start + text[start..].find(".md").expect("plans are Markdown") + ".md".len();
    files::write(&text[start..end], "# Plan\n\n1. Fix add\n2. Test it\n");
}

/// The client in a pseudo-terminal, and somebody at the keys.
pub struct Terminal {
    child: std::process::Child,
    keys: ChildStdin,
    screen: std::path::PathBuf,
}

/// As long as a person takes between two keys that matter.
fn pause() {
    std::thread::sleep(Duration::from_millis(700));
}

impl Terminal {
    /// Starts the client in a trusted project.
    pub fn open(scene: &Scene, api: &FakeApi, arguments: &[&str]) -> Self {
        let project = scene.env.project().to_str().expect("temporary paths are UTF-8");
        // Old versions do not start without the list.
        let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []});
        let config = json!({"hasCompletedOnboarding": true, "theme": "dark", "primaryApiKey": "dummy",
            "customApiKeyResponses": {"approved": ["dummy"], "rejected": []}, "projects": {project: trusted}});
        files::write(scene.env.home().join(".claude.json"), config.to_string());
        // Not every version takes `--settings`.
        files::write(scene.env.home().join(".claude/settings.json"), files::read(scene.recorder.settings()));
        let run =
            arguments.iter().fold(scene.client.start(&scene.env, api), catchword_testkit::ClientRun::arg);
        let client = run.command();
        let line: Vec<_> = client.get_args().map(|arg| format!("'{}'", arg.to_string_lossy())).collect();
        let program = client.get_program().to_string_lossy();
        let mut command = Command::new("script");
        command.args(["-qfec", &format!("stty rows 50 cols 150; exec '{program}' {}", line.join(" "))]);
        command.arg("/dev/null").env_clear().current_dir(project).env("TERM", "xterm-256color");
        command.envs(client.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let screen = scene.env.root().join("screen.txt");
        let output = File::create(&screen).expect("a file in our own temporary directory");
        command.stdin(Stdio::piped()).stdout(output).stderr(Stdio::null());
        let mut child = command.spawn().expect("`script` is part of every Linux");
        let keys = child.stdin.take().expect("stdin is piped");
        Terminal { child, keys, screen }
    }

    pub fn line(&mut self, text: &str) {
        self.keys(text);
        self.keys(ENTER);
    }

    /// Typed as a person would: a whole line at once counts as pasted, and Enter in it as a newline.
    fn keys(&mut self, keys: &str) {
        pause();
        let typed = self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush());
        typed.unwrap_or_else(|e| panic!("{e}: the client has gone:\n{}", self.screen_tail()));
    }

    pub fn wait(&mut self, what: &str, reached: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(30);
        while !reached() {
            if Instant::now() > end {
                let _ = self.child.kill();
                panic!("waited for {what} in vain:\n{}", self.screen_tail());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Terminal {
    /// What was on the screen last; whole screens full of minified code help nobody.
    fn screen_tail(&self) -> String {
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
