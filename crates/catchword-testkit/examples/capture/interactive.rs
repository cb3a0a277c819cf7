//! A session in a terminal: what `-p` cannot show (status line, questions, plans, queued prompts, `!`, `/clear`).

use catchword_testkit::terminal::{ENTER, pause, plan_file};
use catchword_testkit::{FakeAnswer, FakeApi, Script, Terminal, files};
use serde_json::json;

use crate::Scene;

pub fn scene(scene: &Scene) {
    let question = json!({"questions": [{"question": "Which name?", "header": "Name", "multiSelect": false,
        "options": [{"label": "add", "description": "Keep it"}, {"label": "sum", "description": "Rename it"}]}]});
    let script = Script::new()
        .turn(FakeAnswer::tool("AskUserQuestion", question))
        .turn(FakeAnswer::tool("ExitPlanMode", json!({})))
        .turn(FakeAnswer::bash("sleep 3; echo slept"))
        .turn(FakeAnswer::text("Done with that."))
        .turn(FakeAnswer::text("A fresh start."));
    let api = FakeApi::start(script);
    let arguments = ["--model", "claude-sonnet-4-5", "--permission-mode", "plan"];
    let mut terminal = open(scene, &api, &arguments);
    terminal.wait("the start", || {
        scene.recorder.count("SessionStart") == 1 && scene.recorder.status_line_count() > 0
    });
    terminal.line("Fix add in src/lib.rs.");
    terminal.wait("the question", || scene.recorder.count("PreToolUse") == 1);
    files::write(plan_file(&scene.env, &api), "# Plan\n\n1. Fix add\n2. Test it\n");
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

/// The input of the status line while the context fills up, over an automatic compaction and a `/compact`. The pauses
/// are for the client, which debounces its calls.
pub fn status_line(scene: &Scene) {
    let script = Script::new()
        .turn(FakeAnswer::bash("sleep 1.5; echo one").context_tokens(60_000))
        .turn(FakeAnswer::bash("sleep 1.5; echo two").context_tokens(120_000))
        .turn(FakeAnswer::bash("sleep 1.5; echo three").context_tokens(190_000))
        .turn(FakeAnswer::bash("sleep 1.5; echo four").context_tokens(30_000))
        .turn(FakeAnswer::text("Counted.").context_tokens(40_000))
        .turn(FakeAnswer::text("Nothing more.").context_tokens(25_000))
        .summary("1. Primary Request and Intent:\n   Count.");
    let api = FakeApi::start(script);
    let arguments = ["--model", "claude-sonnet-4-5", "--allowedTools=Bash"];
    let mut terminal = open(scene, &api, &arguments);
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

/// Starts the client with the recorder's hooks. Not every version supports `--settings`.
pub fn open(scene: &Scene, api: &FakeApi, arguments: &[&str]) -> Terminal {
    files::write(scene.env.home().join(".claude/settings.json"), files::read(scene.recorder.settings()));
    let run = arguments.iter().fold(scene.client.start(&scene.env, api), catchword_testkit::ClientRun::arg);
    Terminal::open(run).unwrap_or_else(|skip| panic!("{skip}"))
}
