use super::*;
use crate::model::entry::Part;
use crate::model::origin::Origin;

const PATIENCE: Duration = Duration::from_millis(500);

fn progress<'a>(rows: &'a [IndexRow], offset: u64, folded: Option<&'a Session>) -> PassProgress<'a> {
    PassProgress {
        session: "s",
        client: "claude-code",
        transcript: Path::new("/t.jsonl"),
        cwd: None,
        now: 1,
        generation: None,
        anew: false,
        cursor: Cursor { offset, line: rows.len() as u32, head_len: 0, head_hash: 0 },
        rows,
        marks: &[],
        signs: &[],
        acts: &[],
        followed: &[],
        folded,
    }
}

fn row(line: u32, id: &str) -> IndexRow {
    IndexRow { place: Place(line), id: Some(EntryId::of(id)), kind: RowKind::Text }
}

fn entries(store: &Store) -> u64 {
    store.sessions().unwrap().iter().map(|s| s.entries).sum()
}

#[test]
fn reading_twice_records_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let rows = [row(1, "a"), row(2, "b")];
    store.advance(&progress(&rows, 20, None)).unwrap();
    store.advance(&progress(&rows, 20, None)).unwrap();
    assert_eq!(entries(&store), 2);
}

#[test]
fn row_written_again_by_the_client_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a"), row(2, "b"), row(3, "a")], 30, None)).unwrap();
    assert_eq!(entries(&store), 2);
}

#[test]
fn slow_process_does_not_move_the_cursor_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let mut session = Session::default();
    session.clock = 9;
    store.advance(&progress(&[row(1, "a"), row(2, "b")], 20, Some(&session))).unwrap();
    session.clock = 3;
    store.advance(&progress(&[row(1, "a")], 10, Some(&session))).unwrap();
    assert_eq!(store.known("s").unwrap().unwrap().cursor.offset, 20);
    let (cursor, kept) = store.snapshot("s").unwrap().unwrap();
    assert_eq!((cursor.offset, kept.clock), (20, 9));
}

#[test]
fn replaced_transcript_drops_its_stored_rows() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a"), row(2, "b")], 20, Some(&Session::default()))).unwrap();
    store.advance(&PassProgress { anew: true, ..progress(&[row(1, "c")], 5, None) }).unwrap();
    assert_eq!(entries(&store), 1);
    assert_eq!(store.known("s").unwrap().unwrap().cursor.offset, 5);
    assert!(store.snapshot("s").unwrap().is_none());
}

#[test]
fn session_survives_a_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let mut session = Session::default();
    session.apply(&crate::model::entry::Entry {
        place: Place(1),
        id: Some(EntryId::of("x")),
        parts: vec![Part::Prompt {
            text: "rename parse_line in src/a.rs".into(),
            origin: Origin::Typed,
            queued: false,
        }],
        ..Default::default()
    });
    store.advance(&progress(&[], 20, Some(&session))).unwrap();
    assert_eq!(store.snapshot("s").unwrap().unwrap().1, session);
}

/// A slow process that read the previous transcript must not remove anything of the present one.
#[test]
fn slow_process_does_not_undo_a_newer_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "old")], 9, None)).unwrap();
    let generation = store.known("s").unwrap().map(|k| k.generation);
    let slow = [row(1, "a")];
    let slow = PassProgress { anew: true, generation, ..progress(&slow, 5, None) };
    let quick = [row(1, "a"), row(2, "b")];
    store.advance(&PassProgress { anew: true, generation, ..progress(&quick, 10, None) }).unwrap();
    let then = store.known("s").unwrap().map(|k| k.generation);
    store.advance(&slow).unwrap();
    store.advance(&PassProgress { generation: then, ..progress(&[row(3, "c")], 15, None) }).unwrap();
    assert_eq!(entries(&store), 3);
    assert_eq!(store.known("s").unwrap().unwrap().cursor.offset, 15);
}

#[test]
fn session_forgotten_meanwhile_does_not_come_back_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&PassProgress { generation: Some(0), ..progress(&[row(7, "g")], 70, None) }).unwrap();
    assert_eq!(store.known("s").unwrap(), None);
    store.advance(&progress(&[row(1, "a")], 10, None)).unwrap();
    assert!(store.known("s").unwrap().is_some(), "from its start it is recorded");
}

/// Otherwise a fold that takes several passes would start over in each of them.
#[test]
fn unreadable_snapshot_is_replaced_by_a_shorter_one() {
    for unreadable in ["UPDATE snapshot SET format = 0", "UPDATE snapshot SET body = x'ff'"] {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
        let mut session = Session::default();
        session.clock = 9;
        store.advance(&progress(&[], 20, Some(&session))).unwrap();
        store.connection.execute_batch(unreadable).unwrap();
        session.clock = 3;
        store.advance(&progress(&[], 10, Some(&session))).unwrap();
        assert_eq!(store.snapshot("s").unwrap().unwrap().1.clock, 3, "{unreadable}");
        assert_eq!(store.known("s").unwrap().unwrap().folded, 10);
    }
}

#[test]
fn newer_store_is_used_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path(), 1, PATIENCE).unwrap());
    let connection = Connection::open(folder.path().join("catchword.db")).unwrap();
    connection.execute_batch("ALTER TABLE session ADD COLUMN later TEXT; PRAGMA user_version = 99").unwrap();
    drop(connection);
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a")], 5, None)).unwrap();
    assert_eq!(entries(&store), 1);
}

/// The first process to open a store reads the whole WAL, and ticks leave it in place.
#[test]
fn wal_of_a_long_turn_stays_short() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..50 {
        let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
        for m in 0..20 {
            let run = HookRun { at: n, event: "e".into(), session: "s".into(), micros: m, problem: None };
            store.ran(&run).unwrap();
        }
        store.close_leaving_log();
    }
    let log = folder.path().join("catchword.db-wal").metadata().unwrap().len();
    assert!(log > 0 && log < 2 * u64::from(LOG_PAGES) * 4096, "{log}");
}

#[test]
#[cfg(unix)]
fn stored_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("deep/data");
    let mut store = Store::open(&data, 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a")], 5, None)).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in std::fs::read_dir(&data).unwrap() {
        let file = file.unwrap().path();
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn pruning_drops_a_few_old_snapshots_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let session = Session::default();
    let names: Vec<String> = (0..PRUNED_AT_ONCE + 2).map(|n| format!("s{n}")).collect();
    let rows = [row(1, "a")];
    for name in &names {
        store.advance(&PassProgress { session: name, ..progress(&rows, 20, Some(&session)) }).unwrap();
    }
    let late = PassProgress { session: "late", now: SILENT, ..progress(&rows, 20, Some(&session)) };
    store.advance(&late).unwrap();
    let kept = |store: &Store| names.iter().filter(|name| store.snapshot(name).unwrap().is_some()).count();
    store.prune(SILENT).unwrap();
    assert_eq!(kept(&store), names.len(), "not yet that old");
    store.prune(SILENT + 2).unwrap();
    assert_eq!(kept(&store), 2);
    store.prune(SILENT + 2).unwrap();
    assert_eq!((kept(&store), store.sessions().unwrap().len()), (0, names.len() + 1));
    assert!(store.snapshot("late").unwrap().is_some());
}
