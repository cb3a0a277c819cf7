//! Captures fixtures from the real client: `cargo run -p catchword-testkit --example capture -- [folder]`.
//!
//! Runs the pinned client through the scenes below against the fake API, with a hook on every event that only
//! writes down what it was sent, and lays the scrubbed payloads and transcripts into
//! `fixtures/<client>/<version>/<scene>/`, and a few old versions through one scene. A scene that is already there is left alone: fixtures are never
//! edited after they land; a new client version gets a new folder.
#![expect(clippy::print_stderr, reason = "a program for people at a terminal")]

mod codex;
mod interactive;
mod old;
mod recorder;
mod scrub;

use std::path::{Path, PathBuf};

use catchword_testkit::{FakeAnswer, FakeApi, RealClient, Script, TestEnv};
use serde_json::json;

use recorder::Recorder;

fn main() {
    let client = RealClient::get().unwrap_or_else(|skip| panic!("no client to capture from: {skip}"));
    let folder = std::env::args_os().nth(1).map_or_else(default_folder, PathBuf::from);
    let scenes: [(&str, Play); 11] = [
        ("auto-compaction", auto_compaction),
        ("manual-compaction", manual_compaction),
        ("two-compactions", two_compactions),
        ("subagent-compaction", subagent_compaction),
        ("hook-output", hook_output),
        ("long-hook-output", long_hook_output),
        ("manual-hook-output", manual_hook_output),
        ("slash-command", slash_command),
        ("fork", fork),
        ("interactive", interactive::scene),
        ("status-line", interactive::status_line),
    ];
    codex::capture(&folder.join("codex"));
    let folder = folder.join("claude-code");
    for (name, play) in scenes {
        capture(&folder.join(RealClient::version()).join(name), || Scene::new(client.clone()), play);
    }
    for version in old::VERSIONS {
        capture(&folder.join(version).join("interactive"), || old::prepare(version), old::scene);
    }
}

/// Plays a scene.
type Play = fn(&Scene);

/// Plays one scene into `folder`, unless it exists already.
fn capture(folder: &Path, prepare: impl Fn() -> Scene, play: Play) {
    if folder.exists() {
        eprintln!("{}: is there already, left alone", folder.display());
        return;
    }
    let scene = prepare();
    play(&scene);
    scene.recorder.lay_down(&scene.env, folder);
    eprintln!("{}: captured", folder.display());
}

fn default_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// A home with a small project, and the recorder as a hook on every event.
pub struct Scene {
    client: RealClient,
    env: TestEnv,
    recorder: Recorder,
}

impl Scene {
    fn new(client: RealClient) -> Self {
        let env = TestEnv::new();
        env.write("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n");
        env.write("CLAUDE.md", "# Project\n\nKeep functions short.\n");
        env.write(".claude/commands/review.md", "---\ndescription: Review a file\n---\nReview $ARGUMENTS.\n");
        let recorder = Recorder::new(&env);
        Scene { client, env, recorder }
    }

    fn path(&self, name: &str) -> String {
        self.env.project().join(name).to_str().expect("temporary paths are UTF-8").to_owned()
    }

    /// One `claude -p` run; returns the session's id.
    fn ask(&self, api: &FakeApi, prompt: &str, more: &[&str]) -> String {
        let mut run = self.client.start(&self.env, api).settings(self.recorder.settings());
        for arg in ["--model", "claude-sonnet-4-5", "--dangerously-skip-permissions"].iter().chain(more) {
            run = run.arg(arg);
        }
        run.var("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1").prompt(prompt).success().session_id()
    }
}

const FULL: u64 = 190_000;

fn auto_compaction(scene: &Scene) {
    let (lib, notes) = (scene.path("src/lib.rs"), scene.path("notes.md"));
    let task = |subject: &str| json!({"subject": subject, "description": subject, "activeForm": subject});
    let agent = json!({"description": "Look around", "prompt": "SUBAGENT-ONE: list the files.",
        "subagent_type": "general-purpose"});
    let script = Script::new()
        .turn(
            FakeAnswer::text("I plan the work first.")
                .and_tool("TaskCreate", task("Fix add"))
                .and_tool("TaskCreate", task("Write a test for add")),
        )
        .turn(FakeAnswer::tool("TaskUpdate", json!({"taskId": "1", "status": "in_progress"})))
        .turn(FakeAnswer::tool("Read", json!({"file_path": lib})))
        .turn(
            FakeAnswer::tool("Edit", json!({"file_path": lib, "old_string": "a - b", "new_string": "a + b"}))
                .and_tool("Write", json!({"file_path": notes, "content": "add was subtracting\n"})),
        )
        .turn(FakeAnswer::bash("grep -n 'a + b' src/lib.rs"))
        .turn(FakeAnswer::tool("TaskUpdate", json!({"taskId": "1", "status": "completed"})))
        .turn(FakeAnswer::tool("Agent", agent))
        // Long enough for the subagent to end meanwhile, so that its notification is always in the same place.
        .turn(FakeAnswer::bash("sleep 2; echo waited"))
        .turn(FakeAnswer::tool(
            "Bash",
            json!({"command": "sleep 6", "run_in_background": true, "description": "Serve"}),
        ))
        .turn(
            FakeAnswer::text("Now the tests.")
                .and_tool(
                    "Bash",
                    json!({"command": "echo 'test add_adds ... FAILED' >&2; exit 101", "description": "Run tests"}),
                )
                .context_tokens(FULL),
        )
        .turn(FakeAnswer::bash("echo after the compaction"))
        .turn(FakeAnswer::text("The test is still red."))
        .turn(FakeAnswer::text("The server has ended."))
        .subagent("SUBAGENT-ONE", vec![FakeAnswer::bash("ls"), FakeAnswer::text("There is src/lib.rs.")])
        .summary("1. Primary Request and Intent:\n   Fix add.");
    let api = FakeApi::start(script);
    scene.ask(&api, "Fix add in src/lib.rs. Never touch Cargo.toml.", &[]);
}

fn manual_compaction(scene: &Scene) {
    let lib = scene.path("src/lib.rs");
    let script = Script::new()
        .turn(FakeAnswer::tool("Read", json!({"file_path": lib})))
        .turn(FakeAnswer::tool(
            "Edit",
            json!({"file_path": lib, "old_string": "a - b", "new_string": "a + b"}),
        ))
        .turn(FakeAnswer::text("Fixed."))
        .turn(FakeAnswer::bash("cat src/lib.rs"))
        .turn(FakeAnswer::text("It adds now."))
        .summary("1. Primary Request and Intent:\n   Fix add.");
    let api = FakeApi::start(script);
    let session = scene.ask(&api, "Fix add in src/lib.rs.", &[]);
    scene.ask(&api, "/compact keep the file names", &["--resume", &session]);
    scene.ask(&api, "Show me the result.", &["--resume", &session]);
    scene.ask(&api, "/compact", &["--resume", &session]);
}

fn two_compactions(scene: &Scene) {
    let script = Script::new()
        .turn(FakeAnswer::bash("echo one"))
        .turn(FakeAnswer::bash("echo two").context_tokens(FULL))
        .turn(FakeAnswer::bash("echo three"))
        .turn(FakeAnswer::bash("echo four").context_tokens(FULL))
        .turn(FakeAnswer::bash("echo five"))
        .turn(FakeAnswer::text("Counted."))
        .summary("1. Primary Request and Intent:\n   Count, up to two.")
        .summary("1. Primary Request and Intent:\n   Count, up to four.");
    let api = FakeApi::start(script);
    scene.ask(&api, "Count to five.", &[]);
}

fn subagent_compaction(scene: &Scene) {
    let agent = json!({"description": "Look around", "prompt": "SUBAGENT-ONE: count.",
        "subagent_type": "general-purpose"});
    let inner = vec![
        FakeAnswer::bash("echo inside one"),
        FakeAnswer::bash("echo inside two").context_tokens(FULL),
        FakeAnswer::bash("echo inside three"),
        FakeAnswer::text("Counted inside."),
    ];
    let script = Script::new()
        .turn(FakeAnswer::tool("Agent", agent))
        .turn(FakeAnswer::bash("sleep 3"))
        .turn(FakeAnswer::bash("echo outside").context_tokens(FULL))
        .turn(FakeAnswer::text("Counted."))
        .subagent("SUBAGENT-ONE", inner)
        .summary("1. Primary Request and Intent:\n   Count.");
    let api = FakeApi::start(script);
    scene.ask(&api, "Count with a helper.", &[]);
}

/// Where a hook's output goes, for each event around a compaction that accepts output.
fn hook_output(scene: &Scene) {
    let context = |event: &str| {
        let output = json!({"hookEventName": event, "additionalContext": format!("Said at {event}.")});
        json!({"hookSpecificOutput": output, "systemMessage": format!("To the user at {event}.")}).to_string()
    };
    for event in ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PostToolBatch"] {
        scene.recorder.answer(event, &context(event));
    }
    for event in ["PreCompact", "SessionStart-compact", "PostCompact"] {
        scene.recorder.answer(event, &format!("Plain words at {event}.\n"));
    }
    count_across_a_compaction(scene);
}

/// More than the client passes on.
fn long_hook_output(scene: &Scene) {
    scene.recorder.answer("SessionStart-compact", &"Plain words, far too many. ".repeat(450));
    count_across_a_compaction(scene);
}

fn count_across_a_compaction(scene: &Scene) {
    let script = Script::new()
        .turn(FakeAnswer::bash("echo one"))
        .turn(FakeAnswer::bash("exit 3").context_tokens(FULL))
        .turn(FakeAnswer::bash("echo three"))
        .turn(FakeAnswer::text("Counted."))
        .summary("1. Primary Request and Intent:\n   Count.");
    let api = FakeApi::start(script);
    scene.ask(&api, "Count to three.", &[]);
}

/// The same around `/compact`, whose own output reaches the conversation.
fn manual_hook_output(scene: &Scene) {
    for event in ["PreCompact", "SessionStart-compact", "PostCompact"] {
        scene.recorder.answer(event, &format!("Plain words at {event}.\n"));
    }
    let script = Script::new()
        .turn(FakeAnswer::bash("echo one"))
        .turn(FakeAnswer::text("One."))
        .turn(FakeAnswer::text("Two."));
    let api = FakeApi::start(script.summary("1. Primary Request and Intent:\n   Count."));
    let session = scene.ask(&api, "Count to one.", &[]);
    scene.ask(&api, "/compact", &["--resume", &session]);
    scene.ask(&api, "And two?", &["--resume", &session]);
}

fn slash_command(scene: &Scene) {
    let script =
        Script::new().turn(FakeAnswer::bash("cat src/lib.rs")).turn(FakeAnswer::text("It subtracts."));
    let api = FakeApi::start(script);
    scene.ask(&api, "/review src/lib.rs", &[]);
}

fn fork(scene: &Scene) {
    let api = FakeApi::start(Script::new().turn(FakeAnswer::text("Seven.")).turn(FakeAnswer::text("Eight.")));
    let session = scene.ask(&api, "Remember seven.", &[]);
    scene.ask(&api, "And one more?", &["--resume", &session, "--fork-session"]);
}
