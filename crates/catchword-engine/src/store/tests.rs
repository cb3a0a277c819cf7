use super::*;
use crate::agent::entry::Part;

const PATIENCE: Duration = Duration::from_millis(500);

fn progress<'a>(rows: &'a [IndexRow], offset: u64, folded: Option<&'a Session>) -> Progress<'a> {
    Progress {
        session: "s",
        agent: "claude-code",
        transcript: Path::new("/t.jsonl"),
        cwd: None,
        now: 1,
        anew: false,
        cursor: Cursor { offset, line: rows.len() as u32, head_len: 0, head_hash: 0 },
        rows,
        folded,
    }
}

fn row(line: u32, id: &str) -> IndexRow {
    IndexRow { place: Place(line), id: Some(EntryId::of(id)), kind: Kind::Text, at: None }
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
fn a_row_written_again_by_the_client_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a"), row(2, "b"), row(3, "a")], 30, None)).unwrap();
    assert_eq!(entries(&store), 2);
}

#[test]
#[expect(clippy::field_reassign_with_default, reason = "its other fields are private")]
fn a_process_that_lags_behind_does_not_move_the_cursor_back() {
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
fn a_replaced_transcript_drops_what_was_stored_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a"), row(2, "b")], 20, Some(&Session::default()))).unwrap();
    store.advance(&Progress { anew: true, ..progress(&[row(1, "c")], 5, None) }).unwrap();
    assert_eq!(entries(&store), 1);
    assert_eq!(store.known("s").unwrap().unwrap().cursor.offset, 5);
    assert!(store.snapshot("s").unwrap().is_none());
}

#[test]
fn a_session_survives_the_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let mut session = Session::default();
    session.apply(&crate::agent::entry::Entry {
        place: Place(1),
        id: Some(EntryId::of("x")),
        parts: vec![Part::Prompt { text: "rename parse_line in src/a.rs".into(), queued: false }],
        ..Default::default()
    });
    store.advance(&progress(&[], 20, Some(&session))).unwrap();
    assert_eq!(store.snapshot("s").unwrap().unwrap().1, session);
}

#[test]
fn a_damaged_store_is_set_aside_and_begun_anew() {
    for damage in [
        &b"not a database at all, but longer than a header would be ........................................"
            [..],
        &[0; 4096],
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::File::create(folder.path().join("catchword.db")).unwrap();
        {
            use std::io::Write;
            let mut file =
                std::fs::OpenOptions::new().append(true).open(folder.path().join("catchword.db")).unwrap();
            file.write_all(damage).unwrap();
        }
        let mut store = Store::open(folder.path(), 77, PATIENCE).unwrap();
        store.advance(&progress(&[row(1, "a")], 5, None)).unwrap();
        assert_eq!(entries(&store), 1);
        if damage[0] != 0 {
            assert!(folder.path().join("catchword.db.damaged-77").exists(), "kept for whoever wants to look");
        }
    }
}

#[test]
fn announcing_a_compaction_twice_makes_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a")], 5, None)).unwrap();
    for _ in 0..2 {
        store.compaction_begins("s", false, 1).unwrap();
    }
    assert!(store.keep_summary("s", "sum").unwrap());
    store.compaction_begins("s", true, 2).unwrap();
    assert_eq!(store.summary("s").unwrap().as_deref(), Some("sum"), "a prepared summary stays");
    store.briefed("s", "b", 3).unwrap();
    store.compaction_ends("s", 4).unwrap();
    store.compaction_begins("s", false, 5).unwrap();
    store.compaction_ends("s", 6).unwrap();
    assert_eq!(store.sessions().unwrap()[0].compactions, 2);
}

#[test]
fn a_summary_without_an_announced_compaction_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a")], 5, None)).unwrap();
    assert!(!store.keep_summary("s", "from nowhere").unwrap());
}

#[test]
fn a_store_of_a_newer_version_is_used_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path(), 1, PATIENCE).unwrap());
    let connection = Connection::open(folder.path().join("catchword.db")).unwrap();
    connection.execute_batch("ALTER TABLE session ADD COLUMN later TEXT; PRAGMA user_version = 99").unwrap();
    drop(connection);
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    store.advance(&progress(&[row(1, "a")], 5, None)).unwrap();
    assert_eq!(entries(&store), 1);
}

#[test]
#[cfg(unix)]
fn only_the_owner_can_read_what_is_stored() {
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
