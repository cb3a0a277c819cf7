//! What the real Codex wrote and sent (`fixtures/codex/`), read by the engine.

use std::path::{Path, PathBuf};

use catchword_engine::clients::{Client, named};
use catchword_engine::model::event::{EventKind, StartKind};
use catchword_engine::ops::history;
use catchword_engine::ops::rows::RowReader;
use catchword_engine::redact::SECRETS;
use catchword_engine::session::Session;

const PROMPT: &str = "Fix add in src/lib.rs. Never touch Cargo.toml.";

fn codex() -> &'static Client {
    named("codex").expect("a client of the table")
}

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/codex/0.166.0")
}

/// The rollout of a scene whose thread was seen first.
fn main_rollout(scene: &str) -> PathBuf {
    let folder = scenes().join(scene).join("transcripts");
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.remove(0)
}

fn fold(path: &Path) -> Session {
    history::fold(RowReader { client: codex(), mask: SECRETS }, path, None).unwrap()
}

#[test]
fn the_same_work_is_the_same_session_in_every_mode() {
    for (scene, manual, is_readable) in [
        ("code-mode", false, true),
        ("direct-tools", false, true),
        ("opaque-compaction", false, false),
        ("manual-compaction", true, true),
    ] {
        let session = fold(&main_rollout(scene));
        let prompts: Vec<String> = session.prompts.iter().map(|prompt| session.text_of(prompt)).collect();
        let more: &[&str] = if manual { &["Show me the result."] } else { &[] };
        assert_eq!(prompts, [&[PROMPT], more].concat(), "{scene}");
        let open: Vec<&str> = session.tasks.open().iter().map(|task| task.subject.as_str()).collect();
        assert_eq!(open, ["Write a test for add"], "{scene}");
        let compactions: Vec<_> = session.compactions.iter().map(|c| (c.manual, c.summarised)).collect();
        assert_eq!(compactions, [(manual, is_readable)], "{scene}");
        let mut changed: Vec<&str> =
            session.files.iter().filter(|(_, file)| file.is_changed()).map(|(path, _)| path).collect();
        changed.sort_unstable();
        assert_eq!(changed, ["/home/user/project/notes.md", "/home/user/project/src/lib.rs"], "{scene}");
        let failed = session.record.latest_runs().filter(|run| run.failed());
        let failed: Vec<&str> = failed.map(|run| run.line.text()).collect();
        assert_eq!(failed, ["sh run-tests.sh"], "{scene}");
        assert!(
            session.kept.has_message(session.prompts[0].hash),
            "{scene}: the client keeps the person's messages"
        );
        assert!(session.running.is_empty(), "{scene}");
    }
}

#[test]
fn a_subagent_has_a_file_of_its_own_and_ends_in_its_parents() {
    let parent = fold(&main_rollout("subagent"));
    assert_eq!(parent.prompts.len(), 1);
    assert!(parent.running.is_empty() && parent.unread.is_empty(), "{:?}", parent.running);
    assert_eq!(parent.record.runs().count(), 0, "what it ran is in its own file");
    let folder = scenes().join("subagent/transcripts");
    let owners = std::fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        (codex().owner)(&path, text.lines().next().unwrap().as_bytes()).unwrap()
    });
    let mut owners: Vec<_> = owners.map(|owner| (owner.subagent.is_some(), owner.session)).collect();
    owners.sort();
    assert_eq!(owners[0].1, owners[1].1, "both belong to one session");
    assert!(!owners[0].0 && owners[1].0);
}

#[test]
fn every_captured_payload_means_what_it_did() {
    let mut starts = 0;
    for scene in std::fs::read_dir(scenes()).unwrap() {
        let hooks = std::fs::read_to_string(scene.unwrap().path().join("hooks.jsonl")).unwrap();
        let mut announced = false;
        for line in hooks.lines() {
            let event = (codex().event)(line.as_bytes()).unwrap_or_else(|| panic!("not understood: {line}"));
            let payload: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(event.names_a_session(), "{line}");
            assert_eq!(event.session, payload["session_id"], "{line}");
            assert_eq!(event.subagent.as_deref(), payload["agent_id"].as_str(), "{line}");
            match event.kind {
                EventKind::BeforeCompaction { manual } => {
                    assert_eq!(manual, payload["trigger"] == "manual");
                    announced = true;
                }
                EventKind::Start(StartKind::Compact) => {
                    assert!(announced, "a start after a compaction follows its announcement");
                    starts += 1;
                }
                _ => {}
            }
        }
    }
    assert_eq!(starts, 4);
}
