//! The engine reads what the real client wrote and sent: the sessions of the capture scripts
//! (`crates/catchword-testkit/examples/capture`) fold to what was played, and payloads keep their meaning.

use std::path::{Path, PathBuf};

use catchword_engine::clients::CLIENTS;
use catchword_engine::model::event::{EventKind, HookEvent, StartKind};
use catchword_engine::ops::history;
use catchword_engine::ops::rows::RowReader;
use catchword_engine::redact::SECRETS;
use catchword_engine::session::Session;

const READER: RowReader<'static> = RowReader { client: CLIENTS[0], mask: SECRETS };

/// What a captured session must fold to.
struct Expected {
    scene: &'static str,
    /// The last digit of its id: a scene may have several sessions.
    session: u8,
    prompts: &'static [&'static str],
    /// Slash commands, with their arguments.
    slashes: &'static [&'static str],
    open: &'static [&'static str],
    done: &'static [&'static str],
    /// Whether the person requested each compaction.
    manual: &'static [bool],
    /// Files of the project that were edited or written.
    changed: &'static [&'static str],
    failed: &'static [&'static str],
    answers: &'static [(&'static str, &'static str)],
    approved: Option<bool>,
}

const SCENES: &[Expected] = &[
    Expected {
        scene: "2.1.325/auto-compaction",
        session: 1,
        prompts: &["Fix add in src/lib.rs. Never touch Cargo.toml."],
        open: &["Write a test for add"],
        done: &["Fix add"],
        manual: &[false],
        changed: &["notes.md", "src/lib.rs"],
        failed: &["echo 'test add_adds ... FAILED' >&2; exit 101"],
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/manual-compaction",
        session: 1,
        prompts: &["Fix add in src/lib.rs.", "Show me the result."],
        slashes: &["/compact keep the file names", "/compact"],
        manual: &[true, true],
        changed: &["src/lib.rs"],
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/two-compactions",
        session: 1,
        prompts: &["Count to five."],
        manual: &[false, false],
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/subagent-compaction",
        session: 1,
        prompts: &["Count with a helper."],
        manual: &[false],
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/hook-output",
        session: 1,
        prompts: &["Count to three."],
        manual: &[false],
        failed: &["exit 3"],
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/long-hook-output",
        session: 1,
        prompts: &["Count to three."],
        manual: &[false],
        failed: &["exit 3"],
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/manual-hook-output",
        session: 1,
        prompts: &["Count to one.", "And two?"],
        slashes: &["/compact"],
        manual: &[true],
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/slash-command",
        session: 1,
        prompts: &["/review src/lib.rs"],
        slashes: &["/review src/lib.rs"],
        ..NOTHING
    },
    Expected { scene: "2.1.325/fork", session: 1, prompts: &["Remember seven."], ..NOTHING },
    Expected { scene: "2.1.325/fork", session: 3, prompts: &["Remember seven.", "And one more?"], ..NOTHING },
    Expected {
        scene: "2.1.325/interactive",
        session: 1,
        prompts: &["Fix add in src/lib.rs.", "Also keep the sign in mind."],
        answers: &[("Which name?", "add")],
        approved: Some(true),
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/interactive",
        session: 5,
        prompts: &["Start over."],
        slashes: &["/clear"],
        ..NOTHING
    },
    Expected {
        scene: "2.1.325/status-line",
        session: 1,
        prompts: &["Count to four.", "Anything more?"],
        slashes: &["/compact"],
        manual: &[false, true],
        ..NOTHING
    },
    Expected {
        scene: "1.0.53/interactive",
        session: 1,
        prompts: &["Fix add in src/lib.rs.", "Go on.", "And then?"],
        slashes: &["/compact keep the names", "/exit"],
        manual: &[false, false],
        failed: &["cat missing.rs"],
        ..NOTHING
    },
    Expected {
        scene: "1.0.3/interactive",
        session: 1,
        prompts: &["Fix add in src/lib.rs.", "Go on.", "And then?"],
        slashes: &["/compact keep the names"],
        manual: &[false, false],
        failed: &["cat missing.rs"],
        ..NOTHING
    },
];

const NOTHING: Expected = Expected {
    scene: "",
    session: 0,
    prompts: &[],
    slashes: &[],
    open: &[],
    done: &[],
    manual: &[],
    changed: &[],
    failed: &[],
    answers: &[],
    approved: None,
};

#[test]
fn captured_sessions_fold_to_what_was_played() {
    for expected in SCENES {
        let session = fold(&transcript(expected.scene, expected.session));
        let name = format!("{} {}", expected.scene, expected.session);
        let prompts: Vec<_> = session.prompts.iter().map(|prompt| session.text_of(prompt)).collect();
        assert_eq!(prompts, expected.prompts, "{name}: prompts");
        let slashes: Vec<_> =
            session.beside.iter().map(|one| &**one).filter(|text| text.starts_with('/')).collect();
        assert_eq!(slashes, expected.slashes, "{name}: slash commands");
        let subjects = |tasks: Vec<&catchword_engine::session::tasks::Task>| -> Vec<String> {
            tasks.iter().map(|task| task.subject.clone()).collect()
        };
        assert_eq!(subjects(session.tasks.open()), expected.open, "{name}: open tasks");
        assert_eq!(subjects(session.tasks.done()), expected.done, "{name}: done tasks");
        let manual: Vec<_> = session.compactions.iter().map(|c| c.manual).collect();
        assert_eq!(manual, expected.manual, "{name}: compactions");
        let summaries = session.compactions.iter().filter(|c| c.summarised).count();
        assert_eq!(summaries, manual.len(), "{name}: each has its summary");
        assert_eq!(changed(&session), expected.changed, "{name}: changed files");
        assert_eq!(failed(&session), expected.failed, "{name}: failed commands");
        let answers: Vec<_> = session.record.answers().map(|a| (a.question.to_compare(), a.answer)).collect();
        assert_eq!(answers, expected.answers, "{name}: answers");
        assert_eq!(session.plan.as_ref().and_then(|p| p.approved), expected.approved, "{name}: plan");
        assert!(session.running.is_empty(), "{name}: all that ran has ended: {:?}", session.running);
    }
}

#[test]
fn every_captured_session_has_an_expectation() {
    let known: Vec<_> = SCENES.iter().map(|e| transcript(e.scene, e.session)).collect();
    for path in files("jsonl") {
        let is_main = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "transcripts");
        assert!(!is_main || known.contains(&path), "{} is in no table", path.display());
    }
}

/// What runs at a given row depends only on the record up to that row.
#[test]
fn background_job_runs_until_its_end_is_reported() {
    let path = transcript("2.1.325/auto-compaction", 1);
    let cut = history::cuts(READER, &path).unwrap().remove(0);
    let session = history::fold(READER, &path, Some(cut.lines)).unwrap();
    let running: Vec<_> = session.running.values().map(|r| (r.what.as_str(), r.agent)).collect();
    assert_eq!(running, [("sleep 6", false)]);
}

/// All their rows are a subagent's: nothing in them may reach a main conversation.
#[test]
fn subagent_transcripts_fold_to_nothing() {
    for path in files("jsonl").iter().filter(|path| path.to_string_lossy().contains("/subagents/")) {
        assert_eq!(fold(path), Session::default(), "{}", path.display());
    }
}

#[test]
fn captured_payloads_keep_their_meaning() {
    for path in files("jsonl").iter().filter(|path| path.ends_with("hooks.jsonl")) {
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let payload: serde_json::Value = serde_json::from_str(line).unwrap();
            let event =
                (CLIENTS[0].event)(line.as_bytes()).unwrap_or_else(|| panic!("not understood: {line}"));
            assert!(event.names_a_session(), "{line}");
            assert_eq!(event.session, payload["session_id"], "{line}");
            assert_eq!(event.subagent.as_deref(), payload["agent_id"].as_str(), "{line}");
            assert!(event.transcript.as_ref().is_some_and(|path| path.is_absolute()), "{line}");
            assert_eq!(kind(&event), expected_kind(&payload), "{line}");
        }
    }
}

/// A compaction's hooks have a fixed order, and only its `PreCompact` says whose it is.
#[test]
fn summary_before_the_start_belongs_to_the_compaction() {
    let folder = fixtures().join("2.1.325");
    let mut compactions = 0;
    for scene in std::fs::read_dir(folder).unwrap() {
        let hooks = std::fs::read_to_string(scene.unwrap().path().join("hooks.jsonl")).unwrap();
        let mut ready = None;
        for event in hooks.lines().filter_map(|line| (CLIENTS[0].event)(line.as_bytes())) {
            match event.kind {
                EventKind::BeforeCompaction { .. } => ready = None,
                EventKind::SummaryReady { summary } => ready = Some(summary),
                EventKind::Start(StartKind::Compact) => assert!(ready.is_some()),
                EventKind::AfterCompaction { summary } => {
                    assert_eq!(summary, ready);
                    compactions += 1;
                }
                _ => {}
            }
        }
    }
    assert_eq!(compactions, 12);
}

/// Maps the client's event names to what the adapter makes of them.
fn expected_kind(payload: &serde_json::Value) -> &'static str {
    let word = |field: &str| payload[field].as_str().unwrap_or_default();
    match (word("hook_event_name"), word("source"), word("agent_type")) {
        ("SessionStart", "startup", _) => "start",
        ("SessionStart", "resume", _) => "resume",
        ("SessionStart", "clear", _) => "clear",
        ("SessionStart", "fork", _) => "fork",
        ("SessionStart", "compact", _) => "start after a compaction",
        ("UserPromptSubmit", ..) => "prompt",
        ("PostToolUse" | "PostToolUseFailure" | "PostToolBatch", ..) => "tools",
        ("PreCompact", ..) => "before a compaction",
        ("PostCompact", ..) => "after a compaction",
        ("SubagentStop", _, "") => "summary",
        ("SubagentStop", ..) => "end of a subagent",
        ("Stop", ..) => "end of a turn",
        ("SessionEnd", ..) => "end",
        (
            "PreToolUse"
            | "PermissionRequest"
            | "InstructionsLoaded"
            | "UserPromptExpansion"
            | "SubagentStart"
            | "TaskCreated"
            | "TaskCompleted",
            ..,
        ) => "nothing we act on",
        other => panic!("an event nobody has thought of: {other:?}"),
    }
}

fn kind(event: &HookEvent) -> &'static str {
    match &event.kind {
        EventKind::Start(StartKind::Startup) => "start",
        EventKind::Start(StartKind::Resume) => "resume",
        EventKind::Start(StartKind::Clear) => "clear",
        EventKind::Start(StartKind::Fork) => "fork",
        EventKind::Start(StartKind::Compact) => "start after a compaction",
        EventKind::Prompt => "prompt",
        EventKind::Note { .. } => "note",
        EventKind::Tools => "tools",
        EventKind::BeforeCompaction { .. } => "before a compaction",
        EventKind::AfterCompaction { summary } => {
            assert!(summary.as_ref().is_some_and(|s| !s.contains("<summary>") && !s.is_empty()));
            "after a compaction"
        }
        EventKind::SummaryReady { .. } => "summary",
        EventKind::SubagentEnd => "end of a subagent",
        EventKind::TurnEnd => "end of a turn",
        EventKind::End(_) => "end",
        EventKind::Other => "nothing we act on",
    }
}

fn fold(path: &Path) -> Session {
    history::fold(READER, path, None).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Relative to the captured project, in order.
fn changed(session: &Session) -> Vec<String> {
    let mut found: Vec<String> = session
        .files
        .iter()
        .filter(|(_, file)| file.is_changed())
        .map(|(path, _)| path.trim_start_matches("/home/user/project/").to_owned())
        .collect();
    found.sort();
    found
}

fn failed(session: &Session) -> Vec<String> {
    let failed = session.record.latest_runs().filter(|run| run.failed());
    failed.map(|run| run.line.text().to_owned()).collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude-code")
}

fn transcript(scene: &str, session: u8) -> PathBuf {
    fixtures().join(scene).join(format!("transcripts/00000000-0000-4000-8000-{session:012}.jsonl"))
}

/// All captured files with this extension.
fn files(ending: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![fixtures()]);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty());
    found
}
