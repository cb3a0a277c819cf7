//! Codex through its scenes, with a hook on every event that writes down what it was sent.

use std::path::{Path, PathBuf};

use catchword_testkit::{
    CodexAnswer, CodexScript, FakeResponses, Provider, RealCodex, TestEnv, ToolMode, files, rollouts,
};
use serde_json::{Map, Value, json};

use crate::recorder::{read_all, write_down};
use crate::scrub::Scrub;

const EVENTS: [&str; 11] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
    "SessionEnd",
];
const FULL: u64 = 180_000;
const PROMPT: &str = "Fix add in src/lib.rs. Never touch Cargo.toml.";

/// What a scene does.
type CodexPlay = fn(&CodexScene);

struct CodexScene {
    client: RealCodex,
    env: TestEnv,
    payloads: PathBuf,
}

/// Plays every scene that is not in `folder` yet.
pub fn capture(folder: &Path) {
    let client = RealCodex::get().unwrap_or_else(|skip| panic!("no Codex to capture from: {skip}"));
    let scenes: [(&str, CodexPlay); 6] = [
        ("code-mode", |scene| scene.works(ToolMode::Code, Provider::Own)),
        ("direct-tools", |scene| scene.works(ToolMode::Direct, Provider::Own)),
        ("opaque-compaction", |scene| scene.works(ToolMode::Code, Provider::Vendor)),
        ("manual-compaction", manual_compaction),
        ("subagent", subagent),
        ("fork", fork),
    ];
    for (name, play) in scenes {
        let folder = folder.join(RealCodex::version()).join(name);
        if folder.exists() {
            eprintln!("{}: is there already, left alone", folder.display());
            continue;
        }
        let scene = CodexScene::new(client.clone());
        play(&scene);
        scene.lay_down(&folder);
        eprintln!("{}: captured", folder.display());
    }
}

impl CodexScene {
    fn new(client: RealCodex) -> Self {
        let env = TestEnv::new();
        env.write("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n");
        env.write("run-tests.sh", "echo 'test add_adds ... FAILED' >&2\nexit 101\n");
        let payloads = env.root().join("recorder/payloads");
        let hook = write_down(&env.root().join("recorder/hook.sh"), &payloads);
        let handler =
            json!({"type": "command", "command": format!("/bin/sh {}", hook.display()), "timeout": 3});
        let events: Map<String, Value> =
            EVENTS.iter().map(|event| ((*event).to_owned(), json!([{"hooks": [handler]}]))).collect();
        files::write(env.home().join(".codex/hooks.json"), json!({"hooks": events}).to_string());
        // What a hook gives the model after a compaction.
        let output = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Said by a hook."}});
        files::write(env.root().join("recorder/answers/SessionStart-compact"), output.to_string());
        CodexScene { client, env, payloads }
    }

    fn api(&self, mode: ToolMode, provider: Provider, script: CodexScript) -> FakeResponses {
        let api = FakeResponses::start(mode, script);
        self.client.configure(&self.env, &api, provider);
        self.client.approve_hooks(&self.env);
        api
    }

    fn exec(&self, args: &[&str]) -> String {
        self.client.exec(&self.env, args).success().thread()
    }

    /// A plan, an edit, a new file, a failing command, and an automatic compaction in the middle.
    fn works(&self, mode: ToolMode, provider: Provider) {
        let script = work()
            .turn(CodexAnswer::run("ls src").context_tokens(FULL))
            .turn(CodexAnswer::run("echo after the compaction"))
            .turn(CodexAnswer::text("The test is still red."));
        let _api = self.api(mode, provider, script);
        self.exec(&[PROMPT]);
    }

    fn lay_down(&self, into: &Path) {
        let mut scrub = Scrub::new(&self.env);
        let hooks: String =
            read_all(&self.payloads).iter().map(|text| scrub.text(text.trim_end()) + "\n").collect();
        files::write(into.join("hooks.jsonl"), hooks);
        for path in rollouts(&self.env) {
            let name = path.file_name().and_then(|name| name.to_str()).expect("the client's names are ASCII");
            let name = scrub.text(name);
            let rows: String =
                files::read(&path).lines().map(|line| scrub.rollout_row(line) + "\n").collect();
            files::write(into.join("transcripts").join(name), rows);
        }
    }
}

fn work() -> CodexScript {
    CodexScript::new()
        .turn(CodexAnswer::plan(&[("Fix add", "in_progress"), ("Write a test for add", "pending")]))
        .turn(CodexAnswer::run("cat src/lib.rs"))
        .turn(CodexAnswer::patch("*** Update File: src/lib.rs\n@@\n-    a - b\n+    a + b"))
        .turn(CodexAnswer::patch("*** Add File: notes.md\n+add was subtracting"))
        .turn(CodexAnswer::plan(&[("Fix add", "completed"), ("Write a test for add", "pending")]))
        .turn(CodexAnswer::run("sh run-tests.sh"))
        .summary("The user wants add to add.")
}

fn manual_compaction(scene: &CodexScene) {
    let script = work().turn(CodexAnswer::text("Fixed.")).turn(CodexAnswer::text("It adds now."));
    let _api = scene.api(ToolMode::Direct, Provider::Own, script);
    let mut server = scene.client.app_server(&scene.env);
    let thread = server.begin(scene.env.project());
    server.ask(&thread, PROMPT);
    server.compact(&thread);
    server.ask(&thread, "Show me the result.");
}

fn subagent(scene: &CodexScene) {
    let script = CodexScript::new()
        .turn(CodexAnswer::spawn("helper", "SUBTASK: list the files."))
        .turn(CodexAnswer::wait())
        .turn(CodexAnswer::text("Listed."))
        .subagent(CodexAnswer::run("ls; exit 4"))
        .subagent(CodexAnswer::text("There is src/lib.rs."));
    let _api = scene.api(ToolMode::Code, Provider::Own, script);
    scene.exec(&["List the files with a helper."]);
}

fn fork(scene: &CodexScene) {
    let script = work().turn(CodexAnswer::text("Seven.")).turn(CodexAnswer::text("Eight."));
    let _api = scene.api(ToolMode::Direct, Provider::Own, script);
    let thread = scene.exec(&[PROMPT]);
    scene.exec(&["fork", &thread, "Try it another way."]);
}
