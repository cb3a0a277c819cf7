use std::time::Duration;

use super::super::{IndexRow, PassProgress};
use super::*;
use crate::model::entry::Place;
use crate::transcript::tail::Cursor;

const HERE: &str = "/home/user/project";

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), 1, Duration::from_secs(5)).unwrap();
    (folder, store)
}

/// A session with one row, which is a tool call or not.
fn record(store: &mut Store, session: &str, kind: RowKind, now: i64) {
    let row = IndexRow { place: Place(1), id: None, kind };
    let progress = PassProgress {
        session,
        client: "claude-code",
        transcript: Path::new("/t.jsonl"),
        cwd: None,
        now,
        generation: None,
        anew: false,
        cursor: Cursor { offset: 1, line: 1, ..Cursor::default() },
        rows: &[row],
        marks: &[],
        signs: &[],
        acts: &[],
        followed: &[],
        folded: None,
    };
    store.advance(&progress).unwrap();
}

fn holder<'a>(client: Option<&'a str>, project: &'a str) -> Holder<'a> {
    Holder {
        client,
        attended: Some(true),
        thread: None,
        project: Some(Path::new(project)),
        is_work_tree: false,
    }
}

#[test]
fn project_is_the_first_folder_or_the_latest_work_tree() {
    let (_folder, mut store) = store();
    record(&mut store, "s", RowKind::Call, 1);
    let here = |store: &Store, project: &str| {
        store.neighbours("x", Path::new(project), 0, false, None).unwrap().len()
    };
    store.presence("s", &holder(None, HERE), PresenceStep::Begins, 1).unwrap();
    store.presence("s", &holder(None, "/tmp"), PresenceStep::GoesOn, 2).unwrap();
    assert_eq!((here(&store, HERE), here(&store, "/tmp")), (1, 0));
    let tree = Holder { is_work_tree: true, ..holder(None, "/home/user/tree") };
    store.presence("s", &tree, PresenceStep::GoesOn, 3).unwrap();
    assert_eq!((here(&store, HERE), here(&store, "/home/user/tree")), (0, 1));
}

#[test]
fn end_holds_until_the_session_starts_again() {
    let (_folder, mut store) = store();
    record(&mut store, "s", RowKind::Call, 1);
    let holder = holder(Some("c"), HERE);
    let ended = |store: &Store| store.neighbours("x", Path::new(HERE), 0, false, None).unwrap()[0].ended;
    store.presence("s", &holder, PresenceStep::Begins, 1).unwrap();
    assert!(!ended(&store));
    let end = |head| PresenceStep::Ends { cleared: false, head };
    store.presence("s", &holder, end(Some("1f0c")), 2).unwrap();
    store.presence("s", &holder, end(None), 3).unwrap();
    assert!(ended(&store));
    assert_eq!(store.head_at_end("s").unwrap().as_deref(), Some("1f0c"));
    store.presence("s", &holder, PresenceStep::Begins, 4).unwrap();
    assert!(!ended(&store));
    assert_eq!(store.head_at_end("s").unwrap(), None);
}

#[test]
fn one_of_many_parallel_claims_gets_the_offer() {
    let (folder, mut store) = store();
    for session in ["s", "other"] {
        store.presence(session, &holder(None, HERE), PresenceStep::Begins, 1).unwrap();
    }
    let told: usize = std::thread::scope(|scope| {
        let tell = |_| {
            let mut store = Store::open(folder.path(), 1, Duration::from_secs(20)).unwrap();
            usize::from(store.claim_start("s", Some("other"), 5).unwrap())
        };
        (0..8)
            .map(|n| scope.spawn(move || tell(n)))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|t| t.join().unwrap())
            .sum()
    });
    assert_eq!(told, 1);
    assert!(store.claim_start("s", None, 5 + PAIR).unwrap(), "a later start is another one");
    assert!(!store.claim_start("unheard of", None, 5).unwrap());
}

#[test]
fn session_of_talk_alone_has_not_worked() {
    let (_folder, mut store) = store();
    record(&mut store, "talked", RowKind::Text, 2);
    record(&mut store, "worked", RowKind::Call, 1);
    for session in ["talked", "worked"] {
        store.presence(session, &holder(None, HERE), PresenceStep::Begins, 2).unwrap();
    }
    let found = store.neighbours("x", Path::new(HERE), 0, false, None).unwrap();
    let found: Vec<_> = found.iter().map(|n| (n.session.as_str(), n.worked)).collect();
    assert_eq!(found, [("talked", false), ("worked", true)]);
}
