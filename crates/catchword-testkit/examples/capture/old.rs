//! Old versions, which wrote a compaction as a plain user row.

use std::process::Command;

use catchword_testkit::{Asked, FakeAnswer, FakeApi, RealClient, Script, TestEnv};

use crate::Scene;
use crate::interactive::open;

/// One that marks its summary row, and one whose summary row is recognisable only by its first words.
pub const VERSIONS: [&str; 2] = ["1.0.53", "1.0.3"];

/// A scene with `version` installed; package scripts do not run.
pub fn prepare(version: &str) -> Scene {
    let mut scene = Scene::new(RealClient::at("claude"));
    let folder = scene.env.root().join("client");
    install(version, &scene.env);
    scene.client = RealClient::at(folder.join("node_modules/.bin/claude"));
    scene
}

fn install(version: &str, env: &TestEnv) {
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
    let folder = env.root().join("client");
    std::fs::create_dir_all(&folder).expect("a folder in our own temporary directory");
    npm.arg(&folder).arg(format!("@anthropic-ai/claude-code@{version}")).current_dir(&folder);
    assert!(npm.status().is_ok_and(|status| status.success()), "npm could not install {version}");
}

pub fn scene(scene: &Scene) {
    let script = Script::new()
        .turn(FakeAnswer::bash("cat src/lib.rs"))
        .turn(FakeAnswer::bash("cat missing.rs").context_tokens(190_000))
        .turn(FakeAnswer::text("I go on after the compaction."))
        .turn(FakeAnswer::text("Nothing more to do."))
        .turn(FakeAnswer::text("Still nothing."))
        .summary("1. Primary Request and Intent:\n   Fix add.");
    let api = FakeApi::start(script);
    let summaries = || api.requests_for(&Asked::Summary).len();
    let arguments = ["--model", "claude-sonnet-4-20250514", "--allowedTools", "Bash"];
    let mut terminal = open(scene, &api, &arguments);
    settle();
    terminal.line("Fix add in src/lib.rs.");
    terminal.wait("the automatic compaction", || summaries() == 1 && api.turns_left() == 2);
    settle();
    terminal.line("Go on.");
    terminal.wait("the second answer", || api.turns_left() == 1);
    settle();
    terminal.line("/compact keep the names");
    terminal.wait("the second compaction", || summaries() == 2);
    settle();
    terminal.line("And then?");
    terminal.wait("the last answer", || api.turns_left() == 0);
    settle();
    terminal.line("/exit");
    settle();
}

/// These versions have no hook that shows when they are ready for the next line.
fn settle() {
    std::thread::sleep(std::time::Duration::from_secs(3));
}
