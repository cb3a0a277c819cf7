use super::brief::GuideLimits;
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use catchword_testkit::Transcript;
use proptest::prelude::*;

use super::hook::{HookContext, HookSettings, UnknownMachine, answer};
use super::*;
use crate::choose::WorkspaceState;
use crate::clients::CLIENTS;
use crate::model::event::{EndKind, EventKind, HookEvent, StartKind};
use crate::ops::rows::RowReader;
use crate::redact::SECRETS;
use crate::session::Session;
use crate::store::Store;

/// Reads the client's rows, with nothing forgotten.
pub(crate) const READER: RowReader<'static> = RowReader { client: CLIENTS[0], mask: SECRETS };

static SETTINGS: LazyLock<HookSettings> = LazyLock::new(HookSettings::default);

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
        CatchUp { client: CLIENTS[0], mask: SECRETS, event: &event, now: 1, in_time: &|| true }
            .run(&mut self.store, depth)
            .unwrap()
            .session
    }

    /// On an unknown machine, with all options off and no deadline.
    fn hook<'a>(&'a mut self, event: &'a HookEvent) -> HookContext<'a> {
        HookContext {
            store: &mut self.store,
            client: CLIENTS[0],
            event,
            mask: SECRETS,
            settings: &SETTINGS,
            machine: &UnknownMachine,
            now: 1,
            in_time: &|| true,
        }
    }

    fn answer(&mut self, event: &HookEvent) -> String {
        answer(&mut self.hook(event)).unwrap().stdout
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

/// With a rewind, which withdraws earlier rows.
fn a_session_with_a_rewind() -> Transcript {
    let begun = a_session().teammate("lead", "Port the lexer.").says("Noted.");
    let branch = begun.line_count() + 1;
    let schedule = serde_json::json!({"cron": "* * * * *", "prompt": "Look again."});
    let gone =
        begun.prompt("Use nom. Never write it by hand.").says("Done.").call("CronCreate", schedule).ok("ok");
    gone.rewind(branch).prompt("Write it by hand.").says("Done.").prompt("Look again.")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_split_of_a_transcript_folds_to_the_same_session(
        cuts in proptest::collection::vec((0.0_f64..1.0, any::<bool>()), 0..6),
    ) {
        let text = a_session_with_a_rewind().build();
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
fn new_transcript_is_folded_whole_but_only_its_end_is_indexed() {
    let mut bench = Bench::new();
    let transcript = (0..300).fold(Transcript::new().prompt("Build it."), |transcript, n| {
        transcript.bash(&format!("make part_{n}")).ok("done")
    });
    bench.append(transcript.build().as_bytes());
    assert_eq!(bench.catch_up(Depth::Fold).unwrap().clock, 300);
    assert_eq!((bench.entries(), bench.store.sessions().unwrap()[0].lines), (500, 601));
    bench.append(Transcript::new().says("More.").build().as_bytes());
    let _ = bench.catch_up(Depth::Index);
    assert_eq!((bench.entries(), bench.store.sessions().unwrap()[0].lines), (501, 602));
}

#[test]
fn tick_indexes_without_folding() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    assert!(bench.catch_up(Depth::Index).is_none());
    assert!(bench.entries() > 10);
    assert!(bench.store.snapshot("s").unwrap().is_none());
}

#[test]
fn tick_folds_a_session_that_lags_far_behind() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let padding = format!("{{\"type\":\"mode\",\"x\":\"{}\"}}\n", "x".repeat(300 * 1024));
    bench.append(padding.as_bytes());
    bench.catch_up(Depth::Index);
    assert!(bench.store.snapshot("s").unwrap().is_some());
}

#[test]
fn replaced_transcript_is_read_from_the_start() {
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
fn damaged_row_is_reported_once_and_others_are_read() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let event = bench.event(EventKind::Tools);
    let pass = CatchUp { client: CLIENTS[0], mask: SECRETS, event: &event, now: 1, in_time: &|| true };
    let first = pass.run(&mut bench.store, Depth::Fold).unwrap();
    assert_eq!(first.problems.len(), 1);
    assert_eq!(first.problems[0].place.to_string(), "L16");
    let again = pass.run(&mut bench.store, Depth::Fold).unwrap();
    assert_eq!(again.problems.len(), 0);
}

#[test]
fn deleted_transcript_still_yields_a_brief_from_the_snapshot() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    std::fs::remove_file(bench.path()).unwrap();
    let out = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    assert!(out.contains("write the parser"), "{out}");
}

#[test]
fn subagent_events_print_and_record_nothing() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    for kind in [
        EventKind::Tools,
        EventKind::BeforeCompaction { manual: false },
        EventKind::Start(StartKind::Compact),
    ] {
        let event = HookEvent { subagent: Some("a1".into()), ..bench.event(kind) };
        assert_eq!(bench.answer(&event), "");
    }
    assert_eq!(bench.entries(), 0);
    let _ = bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    assert_ne!(bench.entries(), 0, "the session's own events record");
}

#[test]
fn only_the_start_after_a_compaction_prints_a_brief() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let other_events = [
        EventKind::Start(StartKind::Startup),
        EventKind::Start(StartKind::Resume),
        EventKind::Start(StartKind::Clear),
        EventKind::Start(StartKind::Fork),
        EventKind::Prompt,
        EventKind::Tools,
        EventKind::SubagentEnd,
        EventKind::BeforeCompaction { manual: false },
        EventKind::SummaryReady { summary: "s".into() },
        EventKind::AfterCompaction { summary: None },
        EventKind::TurnEnd,
        EventKind::End(EndKind::Other),
        EventKind::Other,
    ];
    for kind in &other_events {
        let event = bench.event(kind.clone());
        assert_eq!(bench.answer(&event), "", "before a compaction: {kind:?}");
    }
    assert_eq!(bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false })), "");
    let brief = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    assert!(brief.contains("write the parser") && brief.contains("Never touch the lock file"), "{brief}");
    for kind in &other_events {
        let event = bench.event(kind.clone());
        assert_eq!(bench.answer(&event), "", "after it: {kind:?}");
    }
}

#[test]
fn brief_does_not_repeat_what_the_summary_quotes() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    let summary =
        "The user said: \"Never touch the lock file.\" Failing: cargo test -p config. Edited src/parser.rs";
    bench.answer(&HookEvent {
        subagent: Some("a2".into()),
        ..bench.event(EventKind::SummaryReady { summary: summary.into() })
    });
    let out = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    assert!(!out.contains("- \\\"Never touch"), "{out}");
    assert!(out.contains("Latest: \\\"and no unwrap\\\" L18") && out.contains("write the parser"), "{out}");
}

#[test]
fn brief_matches_its_snapshot() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let session = bench.catch_up(Depth::Fold).unwrap();
    insta::assert_snapshot!(brief::brief(&session, None, &WorkspaceState::default(), 6_000).text);
}

#[test]
fn secrets_reach_neither_store_nor_brief() {
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
        subagent: Some("a2".into()),
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

#[test]
fn subagent_summary_is_not_used_for_the_main_thread() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let inside = |event: HookEvent| HookEvent { subagent: Some("a1".into()), ..event };
    let summary = |text: &str| EventKind::SummaryReady { summary: text.into() };
    let quotes = "Never touch the lock file. cargo test -p config src/parser.rs write the parser";
    bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    bench.answer(&inside(bench.event(EventKind::BeforeCompaction { manual: false })));
    bench.answer(&HookEvent { subagent: Some("a2".into()), ..bench.event(summary(quotes)) });
    bench.answer(&inside(bench.event(EventKind::Start(StartKind::Compact))));
    bench.answer(&inside(bench.event(EventKind::AfterCompaction { summary: Some(quotes.into()) })));
    let out = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    assert!(out.contains("Never touch the lock file"), "the full brief: {out}");
}

#[test]
fn brief_is_given_once_per_compaction_even_if_the_hook_runs_twice() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    for _ in 0..2 {
        for _ in 0..2 {
            bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
        }
        let outs = [(); 2].map(|()| bench.answer(&bench.event(EventKind::Start(StartKind::Compact))));
        assert!(outs[0].contains("write the parser") && outs[1].is_empty(), "{outs:?}");
        for _ in 0..2 {
            bench.answer(&bench.event(EventKind::AfterCompaction { summary: None }));
        }
    }
    assert_eq!(bench.store.sessions().unwrap()[0].compactions, 2);
}

#[test]
fn hooks_installed_during_a_compaction_still_give_its_brief() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let out = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    assert!(out.contains("write the parser"), "{out}");
}

#[test]
fn long_transcript_is_read_in_several_passes() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let padding = format!("{{\"type\":\"mode\",\"x\":\"{}\"}}\n", "x".repeat(300 * 1024));
    bench.append(padding.as_bytes());
    let mut whole = Bench::new();
    whole.append(&std::fs::read(bench.path()).unwrap());
    let expected = whole.catch_up(Depth::Fold);

    let mut passes = 0;
    while bench.store.known("s").unwrap().is_none_or(|k| k.folded < bench.path().metadata().unwrap().len()) {
        let (event, left) = (bench.event(EventKind::Tools), std::cell::Cell::new(5));
        let in_time = || left.replace(left.get() - 1) > 0;
        let answer = answer(&mut HookContext { in_time: &in_time, ..bench.hook(&event) }).unwrap();
        assert!(answer.failed.is_none(), "a tick may stop early");
        passes += 1;
        assert!(passes < 50, "no progress");
    }
    assert!(passes > 3, "{passes}");
    assert_eq!(bench.entries(), whole.entries());
    assert_eq!(bench.catch_up(Depth::Fold), expected);
}

#[test]
fn no_brief_from_a_transcript_that_was_not_read_to_its_end() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let left = std::cell::Cell::new(5);
    let in_time = || left.replace(left.get() - 1) > 0;
    let event = bench.event(EventKind::Start(StartKind::Compact));
    let answer = answer(&mut HookContext { in_time: &in_time, ..bench.hook(&event) }).unwrap();
    assert_eq!(answer.stdout, "");
    let failed = answer.failed.map(|f| f.to_string());
    assert_eq!(failed.as_deref(), Some("the transcript is read up to L5 only: no time for the rest"));
}

/// Another connection that holds the write lock until it is dropped.
fn locked(bench: &Bench) -> rusqlite::Connection {
    let other = rusqlite::Connection::open(bench.folder.path().join("data/catchword.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

#[test]
fn busy_store_delays_recording_but_not_the_brief() {
    let mut bench = Bench::new();
    bench.store = Store::open(&bench.folder.path().join("data"), 1, Duration::from_millis(20)).unwrap();
    bench.append(a_session().build().as_bytes());
    let lock = locked(&bench);
    for (kind, says) in [
        (EventKind::Tools, false),
        (EventKind::BeforeCompaction { manual: false }, false),
        (EventKind::Start(StartKind::Compact), true),
        (EventKind::AfterCompaction { summary: None }, false),
    ] {
        let event = bench.event(kind);
        let answer = answer(&mut bench.hook(&event)).unwrap();
        assert_eq!(answer.stdout.contains("write the parser"), says, "{:?}", event.kind);
        assert!(answer.failed.is_some_and(|f| f.is_busy()), "{:?}", event.kind);
    }
    drop(lock);
    bench.catch_up(Depth::Index);
    assert!(bench.entries() > 10, "the next hook catches up");
}

#[test]
fn damaged_store_is_replaced_and_the_event_answered() {
    for kind in [EventKind::Tools, EventKind::TurnEnd, EventKind::Start(StartKind::Compact)] {
        let mut bench = Bench::new();
        bench.append(a_session().build().as_bytes());
        bench.catch_up(Depth::Fold);
        let expected = bench.entries();
        let data = bench.folder.path().join("data");
        // Closed, so that everything is in the file; then the first page of every table is overwritten.
        bench.store = Store::open(&bench.folder.path().join("elsewhere"), 1, Duration::from_secs(1)).unwrap();
        let path = data.join("catchword.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        let sql = "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0";
        let mut statement = connection.prepare(sql).unwrap();
        let pages = statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<Vec<u32>, _>>();
        drop(statement);
        drop(connection);
        let mut bytes = std::fs::read(&path).unwrap();
        for page in pages.unwrap().into_iter().map(|page| page as usize) {
            bytes[(page - 1) * 4096..page * 4096].fill(0x5a);
        }
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all(&bytes).unwrap();
        bench.store = Store::open(&data, 1, Duration::from_secs(1)).unwrap();

        let event = bench.event(kind);
        let answer = answer(&mut HookContext { now: 5, ..bench.hook(&event) }).unwrap();
        assert!(answer.failed.is_some_and(|f| f.is_damage()), "the damage is reported");
        let speaks = event.kind == EventKind::Start(StartKind::Compact);
        assert_eq!(answer.stdout.contains("write the parser"), speaks, "{:?}", event.kind);
        assert_eq!(bench.entries(), expected, "{:?}: read again from the transcript", event.kind);
        assert!(data.join("catchword.db.set-aside-5").exists());
    }
}

#[test]
fn unreadable_transcript_is_reported_and_the_snapshot_used() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    bench.catch_up(Depth::Fold);
    for path in ["/dev/null", "t.jsonl", "~/t.jsonl", "/"] {
        let start = bench.event(EventKind::Start(StartKind::Compact));
        let event = HookEvent { transcript: Some(path.into()), ..start };
        let answer = answer(&mut bench.hook(&event)).unwrap();
        assert!(answer.stdout.contains("write the parser"), "{path}");
        assert!(answer.failed.is_some(), "{path}");
        bench.answer(&bench.event(EventKind::AfterCompaction { summary: None }));
    }
}

#[test]
fn invalid_session_id_is_ignored() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let long = "x".repeat(10_000);
    for id in ["", "../../x", "/etc/passwd", "a\0b", "a\nb", "..", "a b", &long] {
        for kind in [EventKind::Tools, EventKind::Start(StartKind::Compact)] {
            let event = HookEvent { session: id.into(), ..bench.event(kind) };
            assert_eq!(bench.answer(&event), "", "{id:?}");
        }
    }
    assert_eq!(bench.entries(), 0);
    let _ = bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    assert_ne!(bench.entries(), 0, "a valid one records");
}

#[test]
fn guide_names_what_the_summary_must_keep() {
    let mut bench = Bench::new();
    bench.append(a_session().task_create("read the docs").task_update(3, "completed").build().as_bytes());
    let session = bench.catch_up(Depth::Fold).unwrap();
    insta::assert_snapshot!(brief::guide(&session, &[], None, None, GuideLimits::default()));
}

#[test]
fn guide_of_a_large_session_has_eight_lines() {
    let things =
        ["parser", "lexer", "printer", "linker", "loader", "cache", "index", "queue", "router", "panel"];
    let full = things.iter().fold(Transcript::new(), |t, thing| {
        t.prompt(&format!("Please rework the {thing} next. Never change the {thing} tests."))
            .task_create(&format!("rework the {thing}"))
            .edit(&format!("/home/user/project/src/{thing}.rs"), "old", "new")
            .bash(&format!("cargo test -p {thing}"))
            .fails("Exit code 101\nerror: expected `;`")
            .bash(&format!("cargo bench -p {thing}"))
            .ok("fine")
            .says(&format!("I chose a table for the {thing} because a map was too slow."))
    });
    let mut bench = Bench::new();
    bench.append(full.prompt("And where is the report?").build().as_bytes());
    let session = bench.catch_up(Depth::Fold).unwrap();
    for own in [None, Some("Keep all SQL."), Some("One.\nTwo.\nThree.\nFour.\nFive.\nSix.")] {
        let guide = brief::guide(&session, &[], None, own, GuideLimits::default());
        let most = 8.max(own.map_or(0, |own| own.lines().count().min(3) + 2) + 4);
        assert!(guide.lines().count() <= most, "{guide}");
        assert!(!guide.contains("And where is the report?"), "the summariser has it: {guide}");
        for kept in ["rework the", "\"Never change the", "` → \"error: expected `;`\""] {
            assert!(guide.contains(kept), "{kept}:\n{guide}");
        }
    }
}

/// A session that was compacted and briefed and went on. The test decides what the client wrote about the brief.
fn briefed(bench: &mut Bench) -> (Transcript, String) {
    let before = Transcript::new().prompt("Add a parser. Never touch the lock file.").says("On it.");
    bench.append(before.build().as_bytes());
    let _ = bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    let out = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    let brief = value["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    let _ = bench.answer(&bench.event(EventKind::AfterCompaction { summary: None }));
    (before, brief)
}

/// Appends the lines of `transcript` after the first `from`.
fn append_from(bench: &Bench, transcript: &Transcript, from: usize) {
    bench.append(transcript.text_from(from).as_bytes());
}

#[test]
fn delivered_brief_is_not_sent_again() {
    let mut bench = Bench::new();
    let (before, brief) = briefed(&mut bench);
    let lines = before.line_count();
    let after = before.compaction("auto", "sum").hook_context("SessionStart", &brief).bash("ls").ok("a");
    append_from(&bench, &after, lines);
    for kind in [EventKind::Tools, EventKind::Prompt] {
        assert_eq!(bench.answer(&bench.event(kind)), "");
    }
}

#[test]
fn lost_or_truncated_brief_is_sent_again_once() {
    for cut in [None, Some(300)] {
        let mut bench = Bench::new();
        let (before, brief) = briefed(&mut bench);
        let lines = before.line_count();
        let mut after = before.compaction("auto", "sum");
        if let Some(cut) = cut {
            after = after.hook_context("SessionStart", &brief[..cut.min(brief.len() / 2)]);
        }
        let written = after.line_count();
        append_from(&bench, &after, lines);
        assert_eq!(bench.answer(&bench.event(EventKind::Tools)), "", "the agent has not answered yet");
        let after = after.bash("ls").ok("a");
        append_from(&bench, &after, written);
        let again = bench.answer(&bench.event(EventKind::Tools));
        assert!(again.contains("Never touch the lock file"), "{again}");
        assert_eq!(bench.answer(&bench.event(EventKind::Prompt)), "", "once");
    }
}

#[test]
fn brief_is_not_resent_if_the_client_records_no_hook_output() {
    let mut bench = Bench::new();
    let (before, _) = briefed(&mut bench);
    let lines = before.line_count();
    // With a boundary it would be sent again: `lost_or_truncated_brief_is_sent_again_once`.
    append_from(&bench, &before.old_style_compaction("sum").bash("ls").ok("a"), lines);
    assert_eq!(bench.answer(&bench.event(EventKind::Tools)), "");
}

#[test]
fn person_gets_one_line_about_what_the_summary_lost() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let _ = bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
    let _ = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
    let summary = Some("The user wants something.".to_owned());
    let line = bench.answer(&bench.event(EventKind::AfterCompaction { summary }));
    let lost = "catchword: the summary dropped both open tasks and 1 message of yours; all 3 given back. `catchword lost s \
                2` shows both sides.";
    assert_eq!(line, lost);
    let findings = bench.store.compactions(None).unwrap().remove(0).findings.unwrap();
    assert_eq!(findings.len(), 3, "the log counts the same");
}

/// What a compaction's hooks say to the agent at its start and to the person at its end.
fn compacted(bench: &mut Bench, early: Option<&str>, confirmed: Option<&str>) -> (String, String) {
    let before = bench.event(EventKind::BeforeCompaction { manual: false });
    let start = bench.event(EventKind::Start(StartKind::Compact));
    let after = bench.event(EventKind::AfterCompaction { summary: confirmed.map(str::to_owned) });
    let _ = bench.answer(&before);
    if let Some(summary) = early {
        let ready = bench.event(EventKind::SummaryReady { summary: summary.to_owned() });
        let _ = bench.answer(&HookEvent { subagent: Some("a2".into()), ..ready });
    }
    let said = bench.answer(&start);
    // Installed twice, each hook runs twice.
    assert_eq!(bench.answer(&start), "");
    let line = bench.answer(&after);
    assert_eq!(bench.answer(&after), "", "the person is told once");
    (said, line)
}

/// The session is not read again: neither its transcript nor its snapshot exists any more.
#[test]
fn line_for_the_person_comes_from_the_audit_made_with_the_brief() {
    let line = |gone: bool| {
        let mut bench = Bench::new();
        bench.append(a_session().build().as_bytes());
        let ready = bench.event(EventKind::SummaryReady { summary: LIE.to_owned() });
        let _ = bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
        let _ = bench.answer(&HookEvent { subagent: Some("a2".into()), ..ready });
        let _ = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
        if gone {
            std::fs::remove_file(bench.path()).unwrap();
            bench.store.prune(i64::MAX / 2).unwrap();
            assert!(bench.store.snapshot("s").unwrap().is_none());
        }
        bench.answer(&bench.event(EventKind::AfterCompaction { summary: Some(LIE.to_owned()) }))
    };
    assert!(line(false).contains("calls task 2 finished"));
    assert_eq!(line(true), line(false));
}

#[test]
fn end_of_a_compaction_folds_new_rows_and_makes_the_handoff() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let event = bench.event(EventKind::AfterCompaction { summary: None });
    let settings = HookSettings { handoffs: true, ..HookSettings::default() };
    let answered = answer(&mut HookContext { settings: &settings, ..bench.hook(&event) }).unwrap();
    assert!(answered.handoff.is_some_and(|document| document.text.contains("write the parser")));
    assert!(bench.store.snapshot("s").unwrap().is_some());
}

const LIE: &str = "7. Pending Tasks:\n   - test the parser: completed\n   - write the parser";

#[test]
fn error_known_in_time_is_in_the_brief_and_not_sent_again() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let (said, line) = compacted(&mut bench, Some(LIE), Some(LIE));
    assert!(said.contains("the summary says"), "{said}");
    assert!(line.contains("calls task 2 finished") && line.contains("given back"), "{line}");
    assert_eq!(bench.answer(&bench.event(EventKind::Tools)), "");
    assert_eq!(bench.answer(&bench.event(EventKind::Prompt)), for_person(&line), "nothing for the agent");
    let found = bench.store.compactions(None).unwrap().remove(0).findings.unwrap();
    assert!(found.iter().any(|f| f.kind == crate::model::finding::FindingKind::Contradicted), "{found:?}");
}

#[test]
fn error_known_late_reaches_the_agent_once_with_the_next_event() {
    for early in [None, Some("7. Pending Tasks:\n   - test the parser\n   - write the parser")] {
        let mut bench = Bench::new();
        bench.append(a_session().build().as_bytes());
        let (said, line) = compacted(&mut bench, early, Some(LIE));
        // A task that the summary leaves open, as far as is known by then, is not repeated.
        assert_eq!(said.contains("## Open work"), early.is_none(), "{said}");
        assert!(!said.contains("the summary says"), "{said}");
        assert!(line.contains("with the next prompt or tool call"), "{line}");
        let late = bench.answer(&bench.event(EventKind::Tools));
        assert!(late.contains("the summary says \\\"test the parser: completed\\\""), "{late}");
        assert!(!late.contains("## Asked") && !late.contains("## Open work"), "only the differences: {late}");
        let told = bench.answer(&bench.event(EventKind::Prompt));
        assert!(told.starts_with("{\"systemMessage\":"), "nothing more for the agent: {told}");
        assert!(told.contains("given back.") && !told.contains("with the next prompt"), "it has it: {told}");
        for kind in [EventKind::Prompt, EventKind::Tools] {
            assert_eq!(bench.answer(&bench.event(kind)), "", "once");
        }
        assert!(bench.store.compactions(None).unwrap()[0].late_at.is_some());
    }
}

#[test]
fn correct_summary_known_late_causes_no_message() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let truth = "The user wants a parser and said: \"and no unwrap\".";
    let (_, line) = compacted(&mut bench, None, Some(truth));
    assert!(!line.contains("with the next prompt"), "{line}");
    assert_eq!(bench.answer(&bench.event(EventKind::Prompt)), for_person(&line), "nothing for the agent");
    assert_eq!(bench.answer(&bench.event(EventKind::Tools)), "");
}

/// What a hook prints that has something for the person alone.
fn for_person(line: &str) -> String {
    serde_json::json!({"systemMessage": line}).to_string()
}

#[test]
fn automatic_compaction_is_reported_once_at_the_next_prompt_or_turn_end() {
    for (first, then) in [(EventKind::TurnEnd, EventKind::Prompt), (EventKind::Prompt, EventKind::TurnEnd)] {
        let mut bench = Bench::new();
        bench.append(a_session().build().as_bytes());
        let (_, line) = compacted(&mut bench, Some(LIE), Some(LIE));
        assert_eq!(bench.answer(&bench.event(EventKind::Tools)), "", "not in the middle of the work");
        assert_eq!(bench.answer(&bench.event(first.clone())), for_person(&line), "{first:?}");
        for kind in [first, then, EventKind::Tools] {
            assert_eq!(bench.answer(&bench.event(kind)), "", "once");
        }
    }
}

#[test]
fn manual_or_lossless_compaction_is_not_reported_again() {
    let truth = "The user wants a parser. Standing: \"no unwrap\". \"Never touch the lock file\". 7. Pending \
                 Tasks:\n   - write the parser\n   - test the parser\n`cargo test` fails: 1 failed.";
    for (manual, summary) in [(true, LIE), (false, truth)] {
        let mut bench = Bench::new();
        bench.append(a_session().build().as_bytes());
        let _ = bench.answer(&bench.event(EventKind::BeforeCompaction { manual }));
        let ready = bench.event(EventKind::SummaryReady { summary: summary.to_owned() });
        let _ = bench.answer(&HookEvent { subagent: Some("a2".into()), ..ready });
        let _ = bench.answer(&bench.event(EventKind::Start(StartKind::Compact)));
        let ended = bench.event(EventKind::AfterCompaction { summary: Some(summary.to_owned()) });
        assert_eq!(bench.answer(&ended).is_empty(), !manual);
        for kind in [EventKind::TurnEnd, EventKind::Prompt] {
            assert_eq!(bench.answer(&bench.event(kind)), "", "{manual}");
        }
    }
}

/// What the line says was given back has to have arrived: the turn ends without it, and the next prompt brings both.
#[test]
fn person_is_told_only_after_the_agent_has_the_late_findings() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let _ = compacted(&mut bench, None, Some(LIE));
    assert_eq!(bench.answer(&bench.event(EventKind::TurnEnd)), "");
    let both = bench.answer(&bench.event(EventKind::Prompt));
    assert!(both.contains("additionalContext") && both.contains("systemMessage"), "{both}");
    assert_eq!(bench.answer(&bench.event(EventKind::TurnEnd)), "");
}

#[test]
fn several_compactions_in_a_turn_report_the_latest_and_count_the_others() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let _ = compacted(&mut bench, Some(LIE), Some(LIE));
    let _ = compacted(&mut bench, Some(LIE), Some(LIE));
    let told = bench.answer(&bench.event(EventKind::TurnEnd));
    assert_eq!(told.matches("calls task 2 finished").count(), 1, "{told}");
    assert!(told.contains("1 earlier compaction lost something, too: `catchword lost s`."), "{told}");
}

#[test]
fn late_findings_of_a_replaced_summary_are_dropped() {
    for is_replaced in [true, false] {
        let mut bench = Bench::new();
        bench.append(a_session().build().as_bytes());
        let _ = compacted(&mut bench, None, Some(LIE));
        if is_replaced {
            let _ = bench.answer(&bench.event(EventKind::BeforeCompaction { manual: false }));
        }
        let told = bench.answer(&bench.event(EventKind::Tools));
        assert_eq!(told.is_empty(), is_replaced, "{told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]
    /// A constraint from the first hour survives fifty compactions, whatever the summaries kept of it.
    #[test]
    fn goal_and_rule_survive_fifty_compactions_without_growth(kept in proptest::collection::vec(0_u8..4, 50)) {
        const GOAL: &str = "Add rate limiting to the gateway";
        const RULE: &str = "Never touch db/migrations";
        let mut bench = Bench::new();
        let mut transcript = Transcript::new().prompt(&format!("{GOAL}. {RULE}.")).says("On it.");
        let (mut written, mut sizes) = (0, Vec::new());
        for (round, kept) in kept.into_iter().enumerate() {
            transcript = transcript
                .prompt("Go on.")
                .edit("/home/user/project/src/limiter.rs", "a", &format!("fn part_{round}() {{}}"))
                .bash("pnpm test")
                .fails("Exit code 1\nFAIL limiter: expected 429")
                .says("Not yet.");
            append_from(&bench, &transcript, written);
            written = transcript.line_count();
            let told = match kept {
                0 => "The gateway.".to_owned(),
                1 => format!("1. Primary Request:\n   {GOAL}"),
                2 => format!("The user said: \"{RULE}.\""),
                _ => format!("{GOAL}. {RULE}. All tests pass."),
            };
            // Long enough to pass for a summary of many calls.
            let summary = format!("{told}\n{}", "What follows says nothing of it. ".repeat(8));
            let (said, _) = compacted(&mut bench, Some(&summary), Some(&summary));
            for words in [GOAL, RULE] {
                prop_assert!(said.contains(words) || summary.contains(words), "round {round}: {said}");
            }
            // The verbatim lines below fill the page.
            prop_assert!(said.chars().count() < 8_000, "round {round}: {said}");
            let head = said.split("Below: lines of the record").next().unwrap_or_default();
            sizes.push((kept, head.chars().count()));
            transcript = transcript.compaction("auto", &summary).hook_context("SessionStart", "x");
            append_from(&bench, &transcript, written);
            written = transcript.line_count();
        }
        // A brief that contradicts its summary is longer than one that does not, so compare like with like.
        for kind in 0..4 {
            let most = |part: &[(u8, usize)]| part.iter().filter(|(of, _)| *of == kind).map(|(_, size)| *size).max();
            if let (Some(early), Some(late)) = (most(&sizes[2..20]), most(&sizes[38..])) {
                prop_assert!(late <= early + early / 4, "{sizes:?}");
            }
        }
        prop_assert_eq!(bench.store.sessions().unwrap()[0].compactions, 50);
    }
}

#[test]
fn losses_stay_pending_until_late_findings_are_delivered_and_shown_until_the_turn_ends() {
    let mut bench = Bench::new();
    let gauged = |bench: &Bench| bench.store.gauged("s").unwrap().unwrap_or_default();
    let pending = |bench: &Bench| gauged(bench).lost.filter(|_| gauged(bench).given_back.is_none());
    bench.append(a_session().build().as_bytes());
    let (said, _) = compacted(&mut bench, None, Some(LIE));
    assert!(pending(&bench) > Some(0));
    let brief = catchword_testkit::model_text(&said);
    let arrived = a_session().compaction("auto", LIE).hook_context("SessionStart", &brief);
    let from = a_session().line_count();
    append_from(&bench, &arrived, from);
    let _ = bench.catch_up(Depth::Index);
    assert!(pending(&bench) > Some(0), "late findings are still pending");
    let event = bench.event(EventKind::Prompt);
    assert!(!bench.answer(&event).is_empty());
    assert_eq!(pending(&bench), None);
    assert!(gauged(&bench).given_back > Some(0));
    let _ = bench.answer(&bench.event(EventKind::TurnEnd));
    assert_eq!((gauged(&bench).lost, gauged(&bench).given_back), (None, None));
}

#[test]
fn no_handoff_from_half_a_session() {
    let mut bench = Bench::new();
    bench.append(a_session().build().as_bytes());
    let _ = bench.catch_up(Depth::Fold);
    for n in 0..2_000 {
        bench.append(Transcript::new().prompt(&format!("{n} {}", "x".repeat(2_000))).build().as_bytes());
    }
    let event = bench.event(EventKind::End(EndKind::Other));
    let _locked = locked(&bench);
    let settings = HookSettings { handoffs: true, ..HookSettings::default() };
    for (in_time, documents) in [(false, 0), (true, 1)] {
        let hook = bench.hook(&event);
        let answer = answer(&mut HookContext { settings: &settings, in_time: &|| in_time, ..hook }).unwrap();
        assert_eq!(answer.handoff.iter().count(), documents);
        assert!(answer.failed.is_some_and(|failed| failed.is_busy()));
    }
}
