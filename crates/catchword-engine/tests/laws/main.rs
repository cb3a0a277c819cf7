//! Laws that hold for every client in the table, and for a made-up one that shares nothing with them.
//!
//! A law is a function of a [`Case`]. All laws run for every case, so a new client only needs a case.

mod tiny;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use catchword_engine::choose::{Section, WorkspaceState};
use catchword_engine::clients::{self, CLIENTS, Client, Delivery, Room};
use catchword_engine::model::event::{EventKind, HookEvent, StartKind};
use catchword_engine::ops::hook::{HookContext, HookSettings, UnknownMachine, answer};
use catchword_engine::ops::{CatchUp, Depth};
use catchword_engine::quote::harmless;
use catchword_engine::redact::SECRETS;
use catchword_engine::session::{Session, one_line};
use catchword_engine::store::Store;
use catchword_engine::{brief, ops};
use catchword_testkit::tiny_client::{TinyTranscript, tiny_payload};
use catchword_testkit::{Rollout, SESSIONS, SessionRows, SessionStep};
use proptest::prelude::*;
use serde_json::json;

/// A client, and how it writes a session.
struct Case {
    client: &'static Client,
    transcript: fn(&[SessionStep]) -> String,
    /// Its agent has a list of tasks.
    has_tasks: bool,
    /// The payload of a hook after a compaction.
    compacted: fn(&str, &Path) -> Vec<u8>,
}

/// Every client as it is today, and more.
fn cases() -> Vec<Case> {
    let today = SESSIONS.iter().map(|of| Case {
        client: clients::named(of.client).expect("a client in the table"),
        transcript: of.rows,
        has_tasks: of.has_tasks,
        compacted: if of.brings.0 == "PostToolUse" { tools_ran } else { compacted },
    });
    let codex = clients::named("codex").expect("a client in the table");
    let old: [fn(&[SessionStep]) -> String; 2] =
        [|steps| Rollout::old().steps(steps).build(), |steps| Rollout::old_code_mode().steps(steps).build()];
    let old = old.map(|transcript| Case { client: codex, transcript, has_tasks: true, compacted });
    let tiny = [
        Case {
            client: &tiny::TINY,
            transcript: of_tiny,
            has_tasks: true,
            compacted: |session, path| tiny_payload("shrunk", session, path),
        },
        Case {
            client: &tiny::TINY_WITHOUT_END,
            transcript: of_tiny,
            has_tasks: true,
            compacted: |session, path| tiny_payload("did", session, path),
        },
    ];
    today.chain(old).chain(tiny).collect()
}

fn of_tiny(steps: &[SessionStep]) -> String {
    TinyTranscript::new().steps(steps).build()
}

/// The payload of most clients after a compaction.
fn compacted(session: &str, path: &Path) -> Vec<u8> {
    let payload = json!({"hook_event_name": "SessionStart", "source": "compact", "session_id": session,
        "transcript_path": path, "cwd": "/home/user/project"});
    payload.to_string().into_bytes()
}

/// The first event after a compaction that can carry the brief.
fn tools_ran(session: &str, path: &Path) -> Vec<u8> {
    let payload = json!({"hook_event_name": "PostToolUse", "session_id": session, "tool_name": "x",
        "transcript_path": path, "cwd": "/home/user/project"});
    payload.to_string().into_bytes()
}

/// A word in every text that the person did not write.
const FOREIGN: &str = "quagga";

fn any_step() -> impl Strategy<Value = SessionStep> {
    let own =
        "[A-Za-zäß€語 .!?-]{1,400}".prop_filter("a person says something", |text| !text.trim().is_empty());
    let foreign = prop::sample::select(vec![
        "always use quagga.",
        "Never touch the quagga!",
        "- [ ] quagga\nquagga: 3 failed",
    ]);
    let path =
        prop::sample::select(vec!["/home/user/project/src/a.rs", "src/quagga.rs"]).prop_map(String::from);
    let text = foreign.prop_map(String::from);
    prop_oneof![
        4 => own.prop_map(|text| SessionStep::Prompt(format!("Please: {text}"))),
        2 => text.clone().prop_map(SessionStep::Says),
        2 => (text.clone(), 0..3_i32)
            .prop_map(|(printed, exit)| SessionStep::Runs { command: "cargo test -p x".into(), exit, printed }),
        1 => (path, text.clone()).prop_map(|(path, printed)| SessionStep::Reads { path, printed }),
        1 => text.clone().prop_map(SessionStep::Task),
        1 => text.clone().prop_map(SessionStep::Note),
        1 => text.clone().prop_map(SessionStep::Helper),
        1 => text.prop_map(SessionStep::Compaction),
    ]
}

fn any_steps() -> impl Strategy<Value = Vec<SessionStep>> {
    proptest::collection::vec(any_step(), 0..24)
}

/// A store and a transcript.
struct Place {
    folder: tempfile::TempDir,
    store: Store,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("data"), 1, Duration::from_secs(1)).unwrap();
        Place { folder, store }
    }

    fn transcript(&self) -> std::path::PathBuf {
        self.folder.path().join("t.jsonl")
    }

    fn append(&self, bytes: &[u8]) {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.create(true).append(true).open(self.transcript()).unwrap();
        file.write_all(bytes).unwrap();
    }

    fn caught_up(&mut self, client: &Client, depth: Depth) -> Option<Session> {
        let event = HookEvent {
            kind: EventKind::Tools,
            session: "s".into(),
            transcript: Some(self.transcript()),
            ..HookEvent::default()
        };
        let pass = CatchUp { client, mask: SECRETS, event: &event, now: 1, in_time: &|| true };
        pass.run(&mut self.store, depth).unwrap().session
    }
}

fn folded(client: &Client, transcript: &str) -> Session {
    let mut place = Place::new();
    place.append(transcript.as_bytes());
    place.caught_up(client, Depth::Fold).unwrap_or_default()
}

/// A transcript gives the same session in whatever pieces it is recorded, including partial rows.
fn any_split_folds_the_same(case: &Case, steps: &[SessionStep], cuts: &[(f64, bool)]) {
    let text = (case.transcript)(steps);
    let mut place = Place::new();
    let mut ends: Vec<(usize, bool)> =
        cuts.iter().map(|(at, folds)| ((at * text.len() as f64) as usize, *folds)).collect();
    ends.sort_unstable();
    let mut from = 0;
    for (end, folds) in ends {
        place.append(&text.as_bytes()[from..end]);
        from = end;
        place.caught_up(case.client, if folds { Depth::Fold } else { Depth::Index });
    }
    place.append(&text.as_bytes()[from..]);
    let in_pieces = place.caught_up(case.client, Depth::Fold).unwrap_or_default();
    assert_eq!(in_pieces, folded(case.client, &text), "{:?}", case.client);
}

/// The session has all of the person's words as theirs, and nobody else's.
fn prompts_are_exactly_the_persons_words(case: &Case, steps: &[SessionStep]) {
    let session = folded(case.client, &(case.transcript)(steps));
    let typed = steps.iter().filter_map(|step| match step {
        SessionStep::Prompt(text) => Some(one_line(text, usize::MAX)),
        _ => None,
    });
    let heard: Vec<String> =
        session.prompts.iter().map(|prompt| one_line(&session.text_of(prompt), usize::MAX)).collect();
    assert_eq!(heard, typed.collect::<Vec<_>>(), "{:?}", case.client);
    let brief = ops::brief::brief(&session, None, &WorkspaceState::default(), brief::DEFAULT_BUDGET);
    for section in [Section::Asked, Section::Answers, Section::Person] {
        let section =
            brief.text.split(&brief::heading(section)).nth(1).and_then(|rest| rest.split("\n## ").next());
        let section = section.unwrap_or_default();
        let theirs = section.lines().filter(|line| !line.contains("the agent's"));
        assert!(theirs.clone().all(|line| !line.contains(FOREIGN)), "{:?}: {section}", case.client);
    }
}

/// The brief in a hook's output after a compaction is within the budget and the client's limit.
fn budgets_hold(case: &Case, steps: &[SessionStep], budget: usize) {
    let mut place = Place::new();
    place.append((case.transcript)(steps).as_bytes());
    let payload = (case.compacted)("s", &place.transcript());
    let event = (case.client.event)(&payload).expect("a payload of this client");
    match case.client.delivery {
        Delivery::AtStart | Delivery::InEveryRequest => {
            assert_eq!(event.kind, EventKind::Start(StartKind::Compact));
        }
        Delivery::WithNextEvent => {
            assert_eq!(event.kind, EventKind::Tools);
            place.caught_up(case.client, Depth::Index);
            place.store.compaction_begins("s", false, 0).unwrap();
        }
    }
    let settings = HookSettings { budget, ..HookSettings::default() };
    let mut hook = HookContext {
        store: &mut place.store,
        client: case.client,
        event: &event,
        mask: SECRETS,
        settings: &settings,
        machine: &UnknownMachine,
        now: 1,
        in_time: &|| true,
    };
    let printed = answer(&mut hook).unwrap().stdout;
    let given = place.store.given_back("s").unwrap();
    let brief = given.iter().filter_map(|given| given.brief.as_deref()).next_back().unwrap_or_default();
    let client = case.client;
    assert!(brief.chars().count() <= brief::clamped(budget), "{client:?}: {brief}");
    match client.room {
        Room::Characters(most) => assert!(brief.chars().count() <= most, "{client:?}: {brief}"),
        Room::Bytes(most) => assert!(brief.len() <= most, "{client:?}: {} bytes", brief.len()),
    }
    assert_eq!(printed, if brief.is_empty() { String::new() } else { (client.say)(&event, brief, "") });
}

/// A client without an event after a compaction: the next tool result of the main conversation has the brief, once for
/// each compaction; nothing before it has, and no prompt repeats it.
fn brief_goes_once_with_the_next_event(case: &Case) {
    let mut place = Place::new();
    let steps = [
        SessionStep::Prompt("Add a parser. Never touch the lock file.".into()),
        SessionStep::Runs { command: "cargo test".into(), exit: 101, printed: "error: expected `;`".into() },
        SessionStep::Says("I go on.".into()),
    ];
    place.append((case.transcript)(&steps).as_bytes());
    let announced = EventKind::BeforeCompaction { manual: false };
    let events = [
        (EventKind::Tools, None, false),
        (announced.clone(), None, false),
        (EventKind::Tools, Some("helper"), false),
        (EventKind::SubagentEnd, Some("helper"), false),
        (EventKind::Tools, None, true),
        (EventKind::Tools, None, false),
        (EventKind::Prompt, None, false),
        // Announced twice, and a second compaction in the same turn.
        (announced.clone(), None, false),
        (announced, None, false),
        (EventKind::Tools, None, true),
        (EventKind::Tools, None, false),
        (EventKind::TurnEnd, None, false),
        (EventKind::Prompt, None, false),
    ];
    for (at, (kind, subagent, is_told)) in events.into_iter().enumerate() {
        let event = HookEvent {
            kind,
            session: "s".into(),
            transcript: Some(place.transcript()),
            subagent: subagent.map(str::to_owned),
            name: "did".into(),
            ..HookEvent::default()
        };
        let mut hook = HookContext {
            store: &mut place.store,
            client: case.client,
            event: &event,
            mask: SECRETS,
            settings: &HookSettings::default(),
            machine: &UnknownMachine,
            now: at as i64 * 1_000,
            in_time: &|| true,
        };
        let printed = answer(&mut hook).unwrap().stdout;
        assert_eq!(printed.contains("cargo test"), is_told, "{:?}, event {at}: {printed}", case.client);
    }
}

#[test]
fn without_an_event_after_a_compaction_the_brief_goes_with_the_next_tool_result() {
    let cases = cases().into_iter().filter(|case| case.client.delivery == Delivery::WithNextEvent);
    assert!(cases.map(|case| brief_goes_once_with_the_next_event(&case)).count() > 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_split_of_a_transcript_records_the_same_session(
        steps in any_steps(),
        cuts in proptest::collection::vec((0.0_f64..1.0, any::<bool>()), 0..6),
    ) {
        for case in &cases() {
            any_split_folds_the_same(case, &steps, &cuts);
        }
    }

    #[test]
    fn foreign_text_is_never_attributed_to_the_person(steps in any_steps()) {
        for case in &cases() {
            prompts_are_exactly_the_persons_words(case, &steps);
        }
    }

    #[test]
    fn brief_fits_the_budget_and_the_clients_limit(steps in any_steps(), budget in 400..9_500_usize) {
        for case in &cases() {
            budgets_hold(case, &steps, budget);
        }
    }
}

#[test]
fn every_client_has_a_case() {
    let cases = cases();
    for client in CLIENTS {
        assert!(cases.iter().any(|case| case.client.name == client.name), "{client:?} has no laws");
    }
}

#[test]
fn client_is_recognised_by_its_rows() {
    let all: Vec<&'static Client> = cases().into_iter().map(|case| case.client).collect();
    let steps = [SessionStep::Prompt("go".into()), SessionStep::Says("on it".into())];
    for case in cases() {
        for line in (case.transcript)(&steps).lines() {
            let found = clients::of_line(&all, line.as_bytes()).map(|client| client.name);
            assert_eq!(found, Some(case.client.name), "{line}");
        }
        assert_eq!(clients::of_line(&all, b"{}").map(|client| client.name), None);
    }
}

#[test]
fn quotations_cannot_open_or_close_a_clients_tag() {
    for tag in CLIENTS.iter().flat_map(|client| client.phrases.tags) {
        for text in [format!("<{tag}>"), format!("</{tag}>")] {
            assert!(!harmless(&text).contains(&text), "{text}");
        }
    }
}

#[test]
fn same_session_yields_the_same_record_for_every_client() {
    let steps = [
        SessionStep::Prompt("Add a parser. Never touch the lock file.".into()),
        SessionStep::Task("write the parser".into()),
        SessionStep::Runs { command: "cargo test".into(), exit: 101, printed: "error: expected `;`".into() },
        SessionStep::Says("I decided to use nom because it is there.".into()),
    ];
    let cases = cases();
    let told: Vec<_> = cases
        .iter()
        .map(|case| {
            let session = folded(case.client, &(case.transcript)(&steps));
            let outcomes: Vec<_> =
                session.record.runs().map(|run| (run.line.core().to_owned(), run.ended.cloned())).collect();
            (session.prompts.len(), outcomes, session.tasks.open().len())
        })
        .collect();
    for (case, (prompts, outcomes, tasks)) in cases.iter().zip(&told) {
        assert_eq!((prompts, outcomes), (&told[0].0, &told[0].1), "{:?}", case.client);
        assert_eq!(*tasks, if case.has_tasks { told[0].2 } else { 0 }, "{:?}", case.client);
    }
}
