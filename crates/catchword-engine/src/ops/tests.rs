use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use catchword_testkit::Transcript;
use proptest::prelude::*;

use super::answer::Surroundings;
use super::*;
use crate::agent::claude_code::AGENT;
use crate::agent::event::{EventKind, HookEvent, StartKind};
use crate::session::Session;
use crate::store::Store;

struct Bench {
    folder: tempfile::TempDir,
    store: Store,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("data"), 1, Duration::from_secs(1)).unwrap();
        Bench { folder, store }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("t.jsonl")
    }

    fn append(&self, bytes: &[u8]) {
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.path())
            .unwrap()
            .write_all(bytes)
            .unwrap();
    }

    fn event(&self, kind: EventKind) -> HookEvent {
        HookEvent {
            kind,
            session: "s".into(),
            transcript: Some(self.path()),
            name: "Test".into(),
            ..HookEvent::default()
        }
    }

    fn catch_up(&mut self, depth: Depth) -> Option<Session> {
        let event = self.event(EventKind::Tools);
        CatchUp { agent: &AGENT, event: &event, now: 1, go_on: &|| true }
            .run(&mut self.store, depth)
            .unwrap()
            .session
    }

    fn answer(&mut self, event: &HookEvent) -> String {
        let around = Surroundings { now: 1, budget: 6_000, go_on: &|| true, git: &|_| None };
        answer(&mut self.store, &AGENT, event, &around).unwrap().stdout
    }

    fn entries(&self) -> u64 {
        self.store.sessions().unwrap().iter().map(|s| s.entries).sum()
    }
}

fn a_session() -> Transcript {
    Transcript::new()
        .prompt("Add a parser for the config. Never touch the lock file.")
        .says("I'll start with src/parser.rs.")
        .task_create("write the parser")
        .task_create("test the parser")
        .task_update(1, "in_progress")
        .write("/home/user/project/src/parser.rs")
        .bash("cargo test -p config")
        .fails("Exit code 101\nerror: expected `;`")
        .edit("/home/user/project/src/parser.rs", "a", "b")
        .meta_row("file-history-snapshot", serde_json::json!({"snapshot": {}}))
        .raw("{ broken")
        .as_subagent("a1")
        .prompt("look around")
        .main_thread()
        .queued("and no unwrap")
        .compaction("auto", "The user wants a parser.")
        .duplicate_row(1)
        .says("Größe: now the tests.")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_split_of_a_transcript_folds_to_the_same_session(
        cuts in proptest::collection::vec((0.0_f64..1.0, any::<bool>()), 0..6),
    ) {
        let text = a_session().build();
        let mut whole = Bench::new();
        whole.append(text.as_bytes());
        let expected = whole.catch_up(Depth::Fold).unwrap();

        let mut split = Bench::new();
        let mut ends: Vec<(usize, bool)> = cuts.iter().map(|(at, fold)| ((at * text.len() as f64) as usize, *fold)).collect();
        ends.sort_unstable();
        let mut from = 0;
        for (end, fold) in ends {
            split.append(&text.as_bytes()[from..end]);
            from = end;
            split.catch_up(if fold { Depth::Fold } else { Depth::Index });
        }
        split.append(&text.as_bytes()[from..]);
        prop_assert_eq!(split.catch_up(Depth::Fold).unwrap(), expected);
        prop_assert_eq!(split.entries(), whole.entries());
    }
}

#[test]
fn a_tick_indexes_without_folding() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    assert!(bench.catch_up(Depth::Index).is_none());
    assert!(bench.entries() > 10);
    assert!(bench.store.snapshot("s").unwrap().is_none());
}

#[test]
fn a_fold_that_lags_far_behind_is_caught_up_by_a_tick() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let padding = format!("{{\"type\":\"mode\",\"x\":\"{}\"}}\n", "x".repeat(300 * 1024));
    bench.append(padding.as_bytes());
    bench.catch_up(Depth::Index);
    assert!(bench.store.snapshot("s").unwrap().is_some());
}

#[test]
fn a_replaced_transcript_is_read_anew() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    bench.catch_up(Depth::Fold);
    std::fs::remove_file(bench.path()).unwrap();
    bench.append(Transcript::new().prompt("something else entirely").build().as_bytes());
    let session = bench.catch_up(Depth::Fold).unwrap();
    assert_eq!(session.prompts.len(), 1);
    assert_eq!(bench.entries(), 1);
}

#[test]
fn a_damaged_row_is_reported_once_and_costs_no_other() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let event = bench.event(EventKind::Tools);
    let pass = CatchUp { agent: &AGENT, event: &event, now: 1, go_on: &|| true };
    let first = pass.run(&mut bench.store, Depth::Fold).unwrap();
    assert_eq!(first.problems.len(), 1);
    assert_eq!(first.problems[0].place.to_string(), "L16");
    let again = pass.run(&mut bench.store, Depth::Fold).unwrap();
    assert_eq!(again.problems.len(), 0);
}

#[test]
fn a_deleted_transcript_still_gives_the_brief_of_what_was_folded() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    std::fs::remove_file(bench.path()).unwrap();
    let out = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    assert!(out.contains("write the parser"), "{out}");
}

#[test]
fn a_subagents_events_say_and_record_nothing() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    for kind in [
        EventKind::Tools,
        EventKind::BeforeCompaction { manual: false },
        EventKind::Start(StartKind::Compact),
    ] {
        let event = HookEvent { subagent: true, ..bench.event(kind) };
        assert_eq!(bench.answer(&event), "");
    }
    assert_eq!(bench.entries(), 0);
}

#[test]
fn only_the_start_after_a_compaction_speaks() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    for kind in [
        EventKind::Start(StartKind::Startup),
        EventKind::Prompt,
        EventKind::Tools,
        EventKind::BeforeCompaction { manual: false },
        EventKind::SummaryReady { summary: "s".into() },
        EventKind::AfterCompaction { summary: None },
        EventKind::TurnEnd,
        EventKind::End,
        EventKind::Other,
    ] {
        let event = bench.event(kind.clone());
        assert_eq!(bench.answer(&event), "", "{kind:?}");
    }
}

#[test]
fn what_the_summary_quotes_is_not_repeated() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    let summary =
        "The user said: \"Never touch the lock file.\" Failing: cargo test -p config. Edited src/parser.rs";
    bench.answer(&HookEvent {
        subagent: true,
        ..bench.event(EventKind::SummaryReady { summary: summary.into() })
    });
    let out = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    assert!(!out.contains("## Standing"), "{out}");
    assert!(out.contains("write the parser"), "{out}");
}

#[test]
fn the_brief_reads_like_this() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let session = bench.catch_up(Depth::Fold).unwrap();
    insta::assert_snapshot!(answer::brief(&session, None, None, 6_000).text);
}

#[test]
fn a_secret_reaches_neither_the_store_nor_the_brief() {
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).chars().take(36).collect::<String>());
    let mut bench = Bench::new();
    let transcript = Transcript::new()
        .prompt(&format!("always use the token {secret} for the API"))
        .bash(&format!("curl -H 'Authorization: Bearer {secret}' localhost"))
        .fails(&format!("Exit code 1\nerror: {secret} refused"))
        .edit("/home/user/project/a.rs", "x", &secret)
        .task_create(&format!("rotate {secret}"));
    bench.append(transcript.build().as_bytes());
    bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    bench.answer(&HookEvent {
        subagent: true,
        ..bench.event(EventKind::SummaryReady { summary: secret.clone() })
    });
    let out = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    assert!(out.contains("[masked: ") && !out.contains(&secret), "{out}");
    bench.store.tidy().unwrap();
    for file in std::fs::read_dir(bench.folder.path().join("data")).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(memchr::memmem::find(&bytes, secret.as_bytes()).is_none());
    }
}
