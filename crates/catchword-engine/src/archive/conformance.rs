//! What every [`Archive`] promises. The tests of each implementation run [`all`].

use super::history::item::{HistoryItem, ItemKind};
use super::history::query::Query;
use super::{
    Appended, Archive, ArchiveStatus, ForgottenThing, ItemId, SharedBatch, SharedItem, SharedSource,
    SharedWith, SourceFigures, SourceKey, SourcePosition, Tombstone, copy,
};
use crate::model::entry::Place;
use crate::redact::RULES;
use crate::redact::forgotten::Forgotten;

/// Opens another connection to one archive.
pub type Connect<'a> = dyn Fn() -> Box<dyn Archive + Send> + 'a;
/// A promise, checked on an empty archive.
pub type ArchivePromise = fn(&Connect);

const TIME: i64 = 1_767_268_800_000;
const WHOLE: (u32, u32) = (SourcePosition::END, SourcePosition::END);

/// All promises, each with its name.
pub const PROMISES: &[(&str, ArchivePromise)] = &[
    ("what_was_appended_is_found_and_read", what_was_appended_is_found_and_read),
    ("a_batch_is_recorded_once", a_batch_is_recorded_once),
    ("a_batch_from_another_position_changes_nothing", a_batch_from_another_position_changes_nothing),
    ("any_size_of_batches_gives_the_same_archive", any_size_of_batches_gives_the_same_archive),
    ("a_later_version_of_an_item_replaces_it", a_later_version_of_an_item_replaces_it),
    ("a_replaced_transcript_replaces_its_items", a_replaced_transcript_replaces_its_items),
    ("machines_do_not_overwrite_each_other", machines_do_not_overwrite_each_other),
    ("the_same_item_of_two_machines_is_one", the_same_item_of_two_machines_is_one),
    ("a_forgotten_session_is_gone_and_stays_gone", a_forgotten_session_is_gone_and_stays_gone),
    ("a_project_and_a_time_can_be_forgotten", a_project_and_a_time_can_be_forgotten),
    ("tombstones_are_remembered_once", tombstones_are_remembered_once),
    ("every_query_is_answered", every_query_is_answered),
    ("processes_that_append_the_same_record_it_once", processes_that_append_the_same_record_it_once),
];

/// Checks every promise; `with_empty` calls the promise with an empty archive.
pub fn all(mut with_empty: impl FnMut(&str, ArchivePromise)) {
    for (name, promise) in PROMISES {
        with_empty(name, *promise);
    }
}

fn key(machine: &str, session: &str) -> SourceKey {
    SourceKey {
        // Machines have random ids, in the form of a UUID.
        machine: format!("00000000-0000-4000-8000-{:0>12}", machine.len()),
        client: "tiny".to_owned(),
        session: session.to_owned(),
        thread: String::new(),
    }
}

/// A transcript of machine `a`, `ab`, `abc` …
fn source(machine: &str, session: &str, version: i64) -> SharedSource {
    let (line, part) = WHOLE;
    SharedSource {
        key: key(machine, session),
        reached: SourcePosition { generation: 0, version, line, part },
        person: None,
        share: SharedWith::Me,
        project_key: Some(format!("r{}", "0".repeat(32))),
        project: Some("/home/user/app".to_owned()),
        title: Some(format!("about {session}")),
        figures: SourceFigures {
            first_at: Some(TIME),
            last_at: Some(TIME + 1_000),
            prompts: 2,
            calls: 3,
            compactions: 1,
            ..SourceFigures::default()
        },
    }
}

fn item(line: u32, body: &str) -> HistoryItem {
    HistoryItem {
        place: Place(line),
        part: 0,
        until: None,
        kind: ItemKind::Prompt,
        failed: false,
        sub: false,
        author: None,
        at: Some(TIME + i64::from(line)),
        title: String::new(),
        body: body.to_owned(),
        call: None,
    }
}

fn command(line: u32, title: &str, body: &str) -> HistoryItem {
    let until = Some(Place(line + 1));
    HistoryItem { kind: ItemKind::Command, failed: true, until, title: title.to_owned(), ..item(line, body) }
}

fn batch(source: SharedSource, from: Option<SourcePosition>, items: Vec<HistoryItem>) -> SharedBatch {
    let to = source.reached;
    let items =
        items.into_iter().map(|item| SharedItem { version: to.version, rules: RULES, item }).collect();
    SharedBatch { source, from, to, items }
}

fn recorded(archive: &mut dyn Archive, batch: &SharedBatch) -> SourcePosition {
    assert_eq!(archive.append(batch).unwrap(), Appended::Recorded);
    batch.to
}

fn found(archive: &mut dyn Archive, typed: &str) -> Vec<String> {
    let matches = archive.find(&Query::parse(typed, TIME), 100).unwrap();
    matches.into_iter().map(|found| found.item.body).collect()
}

/// What the archive says of a transcript, without what only some archives know.
fn told(archive: &mut dyn Archive, key: &SourceKey) -> Option<SharedSource> {
    let found = archive.sources().unwrap().into_iter().find(|source| source.key == *key)?;
    Some(SharedSource { person: None, share: SharedWith::Me, ..found })
}

fn what_was_appended_is_found_and_read(connect: &Connect) {
    let archive = &mut *connect();
    assert_eq!(archive.status().unwrap(), ArchiveStatus::default());
    let source = source("a", "s", 1);
    let items = vec![
        item(3, "Größe of the naïve foo_bar, 日本語のテスト"),
        command(5, "cargo test --test lexer", "error[E0308]: mismatched types"),
        HistoryItem { part: 1, kind: ItemKind::Said, ..item(5, "I'll look at std::fs::read.") },
    ];
    recorded(archive, &batch(source.clone(), None, items.clone()));
    assert_eq!(told(archive, &source.key), Some(source.clone()));
    assert_eq!(archive.items(&source.key, 0, u32::MAX, 10).unwrap(), items);
    assert_eq!(archive.items(&source.key, 6, 6, 10).unwrap(), [items[1].clone()], "its answer is there");
    assert_eq!(archive.items(&source.key, 0, 4, 10).unwrap(), [items[0].clone()]);
    assert_eq!(archive.items(&source.key, 0, u32::MAX, 2).unwrap().len(), 2);
    for (typed, count) in [
        ("naive", 1),
        ("GRÖßE foo_bar", 1),
        ("日本", 1),
        ("lexer E0308", 1),
        ("command:lexer", 1),
        ("error:mismatched", 1),
        ("error:lexer", 0),
        ("mismatch*", 1),
        ("\"mismatched types\"", 1),
        ("\"types mismatched\"", 0),
        ("std::fs::read", 1),
        ("types nowhere", 0),
        ("role:agent look", 1),
        ("role:user look", 0),
        ("session:s look", 1),
        ("session:x look", 0),
        ("project:APP look", 1),
        ("project:other look", 0),
        ("look since:2020-01-01", 1),
        ("look until:2020-01-01", 0),
    ] {
        assert_eq!(found(archive, typed).len(), count, "{typed}");
    }
    let status = archive.status().unwrap();
    assert_eq!((status.items, status.sessions, status.machines), (3, 1, 1));
}

fn a_batch_is_recorded_once(connect: &Connect) {
    let archive = &mut *connect();
    let first = batch(source("a", "s", 1), None, vec![item(1, "needle one")]);
    let reached = recorded(archive, &first);
    assert_eq!(archive.append(&first).unwrap(), Appended::Elsewhere(Some(reached)));
    let second = batch(source("a", "s", 2), Some(reached), vec![item(2, "needle two")]);
    recorded(archive, &second);
    assert_eq!(archive.append(&second).unwrap(), Appended::Elsewhere(Some(second.to)));
    assert_eq!(archive.status().unwrap().items, 2);
    assert_eq!(found(archive, "needle"), ["needle two", "needle one"]);
}

fn a_batch_from_another_position_changes_nothing(connect: &Connect) {
    let archive = &mut *connect();
    let elsewhere = SourcePosition { generation: 0, version: 7, line: 1, part: 0 };
    let lost = batch(source("a", "s", 8), Some(elsewhere), vec![item(1, "needle")]);
    assert_eq!(archive.append(&lost).unwrap(), Appended::Elsewhere(None));
    assert_eq!(archive.status().unwrap(), ArchiveStatus::default());
    let reached = recorded(archive, &batch(source("a", "s", 1), None, vec![item(1, "first")]));
    assert_eq!(archive.append(&lost).unwrap(), Appended::Elsewhere(Some(reached)));
    assert_eq!(found(archive, "needle"), [""; 0]);
}

fn any_size_of_batches_gives_the_same_archive(connect: &Connect) {
    let archive = &mut *connect();
    let items: Vec<HistoryItem> = (1..=20).map(|line| item(line, &format!("needle {line}"))).collect();
    let whole = batch(source("a", "s", 3), None, items.clone());
    recorded(archive, &whole);
    for most in [1, 3, 20, 100] {
        // What was read in pieces is the same as what was written at once.
        let (mut read, mut reached) = (Vec::new(), None);
        while let Some(next) = archive.since(&whole.source.key, reached, most).unwrap() {
            assert!(next.items.len() <= most && next.from == reached && Some(next.to) > reached);
            read.extend(next.items.into_iter().map(|shared| shared.item));
            reached = Some(next.to);
        }
        assert_eq!((read, reached), (items.clone(), Some(whole.to)), "{most}");
    }
    assert_eq!(archive.since(&key("ab", "s"), None, 10).unwrap(), None);
}

fn a_later_version_of_an_item_replaces_it(connect: &Connect) {
    let archive = &mut *connect();
    let asked = HistoryItem { failed: false, until: None, ..command(2, "make", "") };
    let first = batch(source("a", "s", 1), None, vec![item(1, "before"), asked, item(4, "after")]);
    let reached = recorded(archive, &first);
    let answered = command(2, "make", "needle");
    recorded(archive, &batch(source("a", "s", 2), Some(reached), vec![answered.clone()]));
    assert_eq!(archive.status().unwrap().items, 3);
    assert_eq!(found(archive, "needle"), ["needle"]);
    let new = archive.since(&first.source.key, Some(reached), 10).unwrap().unwrap();
    assert_eq!(new.items.into_iter().map(|shared| shared.item).collect::<Vec<_>>(), [answered]);
}

fn a_replaced_transcript_replaces_its_items(connect: &Connect) {
    let archive = &mut *connect();
    let reached =
        recorded(archive, &batch(source("a", "s", 4), None, vec![item(1, "old needle"), item(9, "old")]));
    let mut replaced = batch(source("a", "s", 5), Some(reached), vec![item(1, "new needle")]);
    replaced.to.generation = 1;
    replaced.source.reached.generation = 1;
    recorded(archive, &replaced);
    assert_eq!(found(archive, "needle"), ["new needle"]);
    assert_eq!(archive.status().unwrap().items, 1);
    // Whoever had the old one starts over.
    let anew = archive.since(&replaced.source.key, Some(reached), 10).unwrap().unwrap();
    assert_eq!((anew.items.len(), anew.to), (1, replaced.to));
}

fn machines_do_not_overwrite_each_other(connect: &Connect) {
    let archive = &mut *connect();
    recorded(archive, &batch(source("a", "s", 9), None, vec![item(1, "needle of a")]));
    recorded(archive, &batch(source("ab", "s", 1), None, vec![item(1, "needle of b")]));
    let mut both = found(archive, "needle");
    both.sort();
    assert_eq!(both, ["needle of a", "needle of b"]);
    let status = archive.status().unwrap();
    assert_eq!((status.items, status.sessions, status.machines), (2, 1, 2));
}

fn the_same_item_of_two_machines_is_one(connect: &Connect) {
    let archive = &mut *connect();
    for machine in ["a", "ab", "abc"] {
        recorded(archive, &batch(source(machine, "s", 1), None, vec![item(1, "needle"), item(2, "more")]));
    }
    assert_eq!(archive.status().unwrap().items, 2);
    let matches = archive.find(&Query::parse("needle", TIME), 100).unwrap();
    assert_eq!(matches.len(), 1);
    assert_eq!(matches[0].sources.len(), 3);
    assert_eq!(matches[0].id(), Some(ItemId::of(&key("abc", "s"), &item(1, "needle"))));
}

fn a_forgotten_session_is_gone_and_stays_gone(connect: &Connect) {
    let archive = &mut *connect();
    let gone = batch(source("a", "gone", 1), None, vec![item(1, "needle"), item(2, "needle, too")]);
    let kept = batch(source("a", "kept", 1), None, vec![item(1, "needle kept")]);
    recorded(archive, &gone);
    recorded(archive, &kept);
    let stone = Tombstone { what: ForgottenThing::session("gone"), at: TIME };
    assert_eq!(archive.forget(&stone).unwrap(), 2);
    assert_eq!(archive.forget(&stone).unwrap(), 0);
    assert_eq!(found(archive, "needle"), ["needle kept"]);
    assert_eq!(told(archive, &gone.source.key), None);
    assert_eq!(archive.append(&gone).unwrap(), Appended::Forgotten);
    let other_machine = batch(source("ab", "gone", 5), None, vec![item(1, "needle")]);
    assert_eq!(archive.append(&other_machine).unwrap(), Appended::Forgotten);
    let status = archive.status().unwrap();
    assert_eq!((status.items, status.sessions, status.tombstones), (1, 1, 1));
}

fn a_project_and_a_time_can_be_forgotten(connect: &Connect) {
    let archive = &mut *connect();
    let mut other = source("a", "elsewhere", 1);
    other.project_key = Some(format!("f{}", "1".repeat(32)));
    let mut old = other.clone();
    "old".clone_into(&mut old.key.session);
    old.figures.last_at = Some(TIME - 1_000_000);
    for source in [source("a", "here", 1), other, old.clone()] {
        recorded(archive, &batch(source, None, vec![item(1, "needle")]));
    }
    let project = ForgottenThing::Project(format!("r{}", "0".repeat(32)));
    assert_eq!(archive.forget(&Tombstone { what: project, at: TIME }).unwrap(), 1);
    assert_eq!(archive.status().unwrap().sessions, 2);
    let before = ForgottenThing::Before(TIME - 5_000);
    assert_eq!(archive.forget(&Tombstone { what: before, at: TIME }).unwrap(), 1);
    let left: Vec<String> = archive.sources().unwrap().into_iter().map(|source| source.key.session).collect();
    assert_eq!(left, ["elsewhere"]);
    // An old backup does not bring it back.
    assert_eq!(archive.append(&batch(old, None, vec![item(1, "needle")])).unwrap(), Appended::Forgotten);
}

fn tombstones_are_remembered_once(connect: &Connect) {
    let archive = &mut *connect();
    let text = Forgotten::of("kohlrabi", 7).unwrap();
    let stones = [ForgottenThing::session("s"), ForgottenThing::text(&text), ForgottenThing::Before(TIME)]
        .map(|what| Tombstone { what, at: TIME });
    for stone in stones.iter().chain(&stones) {
        archive.forget(stone).unwrap();
    }
    let remembered = connect().tombstones().unwrap();
    assert_eq!(remembered.len(), stones.len());
    assert!(stones.iter().all(|stone| remembered.contains(stone)), "{remembered:?}");
}

fn every_query_is_answered(connect: &Connect) {
    let archive = &mut *connect();
    recorded(archive, &batch(source("a", "s", 1), None, vec![item(1, "a needle")]));
    let long = "x".repeat(10_000);
    for typed in
        ["", "\"", "*", "a:b", "' OR 1", "--", "a & !b | (c <-> d):*", "\\", "é*", "%_%", "'';--", &long]
    {
        archive.find(&Query::parse(typed, TIME), 10).unwrap_or_else(|error| panic!("{typed}: {error}"));
    }
    assert_eq!(found(archive, "needle"), ["a needle"]);
}

/// Several processes, each with all of it, in batches that overlap: as two that start at the same moment.
fn processes_that_append_the_same_record_it_once(connect: &Connect) {
    let mut origin = connect();
    let items: Vec<HistoryItem> = (1..=30).map(|line| item(line, &format!("needle {line}"))).collect();
    let from = batch(source("a", "s", 1), None, items);
    recorded(&mut *origin, &from);
    let key_of_copy = key("ab", "s");
    std::thread::scope(|scope| {
        for most in [1, 2, 7] {
            let (key_of_copy, from) = (&key_of_copy, &from);
            let (mut read, mut write) = (connect(), connect());
            scope.spawn(move || {
                loop {
                    let reached = told(&mut *write, key_of_copy).map(|source| source.reached);
                    if reached == Some(from.to) {
                        break;
                    }
                    let renamed = &mut |mut batch: SharedBatch| {
                        batch.source.key = key_of_copy.clone();
                        batch
                    };
                    copy(&mut *read, &mut *write, &from.source.key, reached, most, renamed).unwrap();
                }
            });
        }
    });
    let copied = origin.items(&key_of_copy, 0, u32::MAX, 100).unwrap();
    assert_eq!(copied, from.items.into_iter().map(|shared| shared.item).collect::<Vec<_>>());
    assert_eq!(origin.status().unwrap().items, 30);
}
