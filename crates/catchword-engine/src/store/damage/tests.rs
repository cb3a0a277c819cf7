use std::io::{Seek, SeekFrom, Write};
use std::time::Duration;

use crate::model::note::{Author, Note};

use super::super::{HookRun, Store};
use super::*;

const PATIENCE: Duration = Duration::from_secs(5);

fn run(at: i64) -> HookRun {
    HookRun { at, event: "Stop".into(), session: "s".into(), micros: 1, problem: None }
}

/// A store of many pages, closed.
fn filled() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    for n in 0..500 {
        store.ran(&HookRun { problem: Some("x".repeat(500)), ..run(n) }).unwrap();
    }
    let path = folder.path().join("catchword.db");
    (folder, path)
}

fn overwrite(path: &Path, from: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(from)).unwrap();
    file.write_all(bytes).unwrap();
}

fn set_aside_files(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().contains(".set-aside-")).count()
}

#[test]
fn store_found_damaged_on_open_is_set_aside() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("garbage", |path| overwrite(path, 0, &[b'x'; 4096])),
        ("zeroes", |path| overwrite(path, 0, &[0; 4096])),
        ("half a page", |path| OpenOptions::new().write(true).open(path).unwrap().set_len(2_000).unwrap()),
        ("a broken first page", |path| overwrite(path, 100, &[0xff; 3_000])),
        ("something else", |path| {
            std::fs::remove_file(path).unwrap();
            std::fs::copy(std::env::current_exe().unwrap(), path).unwrap();
        }),
    ];
    for (name, damage) in damages {
        let (folder, path) = filled();
        damage(&path);
        let mut store = Store::open(folder.path(), 77, PATIENCE).unwrap_or_else(|e| panic!("{name}: {e}"));
        store.ran(&run(1)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(store.runs(9).unwrap().len(), 1, "{name}");
        assert!(
            folder.path().join("catchword.db.set-aside-77").exists(),
            "{name}: kept for whoever wants to look"
        );
    }
}

#[test]
fn empty_store_file_is_a_new_store() {
    let (folder, path) = filled();
    OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
    let mut store = Store::open(folder.path(), 77, PATIENCE).unwrap();
    store.ran(&run(1)).unwrap();
    assert_eq!((store.runs(9).unwrap().len(), set_aside_files(folder.path())), (1, 0));
}

#[test]
fn later_damage_is_distinguished_from_other_failures() {
    let (folder, path) = filled();
    // The first page of every table and index; the schema stays.
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0";
    let mut statement = connection.prepare(sql).unwrap();
    let pages = statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<Vec<u32>, _>>();
    drop(statement);
    drop(connection);
    for page in pages.unwrap() {
        overwrite(&path, u64::from(page - 1) * 4096, &[0x5a; 4096]);
    }
    let mut store = Store::open(folder.path(), 77, PATIENCE).unwrap();
    let error = store.ran(&run(1)).unwrap_err();
    assert!(error.is_damage() && !error.is_busy(), "{error}");
    store.begin_anew(78).unwrap();
    store.ran(&run(2)).unwrap();
    assert_eq!(store.runs(9).unwrap().len(), 1);
    assert!(folder.path().join("catchword.db.set-aside-78").exists());
}

#[test]
fn missing_or_altered_table_is_damage() {
    for sql in [
        "DROP TABLE session",
        "ALTER TABLE session DROP COLUMN generation",
        "INSERT INTO session VALUES (1, 's', '', '', NULL, 'far', -5, 0, 0, 0, 0)",
    ] {
        let (_folder, path) = filled();
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let store = Store::open(path.parent().unwrap(), 77, PATIENCE).unwrap();
        let error = store.known("s").unwrap_err();
        assert!(error.is_damage(), "{sql}: {error}");
    }
}

#[test]
fn notes_of_a_damaged_store_are_kept() {
    let (folder, path) = filled();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let note = Note { at: 7, author: Author::Person, state: None, text: "ask before a release".into() };
    store.add_note("s", &note).unwrap();
    drop(store);
    let sql = "ALTER TABLE session DROP COLUMN generation";
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let mut store = Store::open(folder.path(), 77, PATIENCE).unwrap();
    assert!(store.known("s").unwrap_err().is_damage());
    store.begin_anew(78).unwrap();
    assert_eq!(store.notes("s").unwrap(), [note]);
}

#[test]
#[cfg(unix)]
fn second_process_keeps_the_store_that_the_first_rebuilt() {
    let (folder, path) = filled();
    let mut first = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let mut second = Store::open(folder.path(), 1, PATIENCE).unwrap();
    first.begin_anew(10).unwrap();
    first.ran(&run(1)).unwrap();
    second.begin_anew(11).unwrap();
    second.ran(&run(2)).unwrap();
    drop(first);
    assert_eq!(second.runs(9).unwrap().len(), 2, "both in {}", path.display());
    assert!(!folder.path().join("catchword.db.set-aside-11").exists());
}

/// Closing the old database must not delete the new one's WAL: they have the same name.
#[test]
#[cfg(unix)]
fn process_with_the_old_store_does_not_harm_the_new_one() {
    let (folder, _) = filled();
    let mut old = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let mut new = Store::open(folder.path(), 1, PATIENCE).unwrap();
    new.begin_anew(10).unwrap();
    new.ran(&run(1)).unwrap();
    old.ran(&run(2)).unwrap();
    drop(old);
    new.ran(&run(3)).unwrap();
    std::mem::forget(new);
    let store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    assert_eq!(store.runs(9).unwrap().len(), 2);
    assert_eq!(store.check().unwrap(), "ok");
}

#[test]
fn busy_store_is_not_damage() {
    let (folder, path) = filled();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut store = Store::open(folder.path(), 1, Duration::from_millis(10)).unwrap();
    let error = store.ran(&run(1)).unwrap_err();
    assert!(error.is_busy() && !error.is_damage(), "{error}");
}
