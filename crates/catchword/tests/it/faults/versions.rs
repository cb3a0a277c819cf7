//! Stores of other versions: older ones are set aside and rebuilt, newer ones are left as they are.

use std::path::Path;

use rusqlite::Connection;

use catchword_testkit::{SESSION, Transcript, files};

use super::{BIN, index};
use crate::hook::{Stage, a_session};

/// A store with an older schema, which has another session with a row and a note.
fn older_store(path: &Path, version: i64) {
    files::write(path, "");
    let db = Connection::open(path).expect("a new file");
    db.execute_batch(
        "PRAGMA journal_mode = WAL;
        CREATE TABLE session (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, transcript TEXT NOT NULL);
        CREATE TABLE note (session TEXT NOT NULL, no INTEGER NOT NULL, text TEXT NOT NULL);
        INSERT INTO session (id, transcript) VALUES ('older', '/t.jsonl');
        INSERT INTO note VALUES ('older', 1, 'a note from before')",
    )
    .expect("a file of our own");
    db.pragma_update(None, "user_version", version).expect("a file of our own");
}

#[test]
fn store_with_an_older_schema_is_set_aside_and_rebuilt() {
    for version in [1, 7] {
        let stage = Stage::new();
        let data = stage.env.data();
        older_store(&data.join("catchword.db"), version);
        let hooks = stage.hooks();
        super::assert_silent("tick", &hooks.post_tool_batch(&[]));
        super::assert_silent("stop", &hooks.stop("Done."));
        let brief = super::brief(&stage);
        assert!(brief.contains("write the parser"), "schema {version}:\n{brief}");
        let rows = index(&stage.env);
        assert_eq!(rows.len(), a_session().line_count(), "schema {version}");
        assert!(rows.iter().all(|(_, times)| *times == 1), "schema {version}: {rows:?}");

        // The old file is intact, and people are told where it is.
        let kept = std::fs::read_dir(data).expect("a folder").flatten().map(|entry| entry.path());
        let kept: Vec<_> = kept.filter(|path| path.to_string_lossy().contains(".set-aside-")).collect();
        assert_eq!(kept.len(), 1, "schema {version}: {kept:?}");
        let note: String = Connection::open(&kept[0])
            .and_then(|db| db.query_row("SELECT text FROM note", [], |row| row.get(0)))
            .expect("the note");
        assert_eq!(note, "a note from before");
        let name = kept[0].file_name().expect("a name").to_string_lossy().into_owned();
        let log = stage.log();
        assert!(log.contains(&name) && log.matches("older").count() == 1, "{log}");
        let doctor = stage.env.run(BIN, &["doctor"]).stdout;
        assert!(doctor.contains(&name), "{doctor}");
    }
}

#[test]
fn command_sets_an_older_store_aside_and_says_so() {
    let stage = Stage::new();
    let hooks = stage.hooks();
    let transcript = Transcript::new().cwd(stage.env.project()).prompt("write the parser").says("Done.");
    transcript.write_to(hooks.transcript_path());
    super::assert_silent("stop", &hooks.stop("Done."));
    let path = stage.env.data().join("catchword.db");
    let commands = [
        &["status", "--all"][..],
        &["search", "parser"],
        &["note"],
        &["brief"],
        &["status"],
        &["lost"],
        &["recall", "L1"],
        &["note", "--session", SESSION, "the scales are new"],
        &["backup"],
        &["index"],
        &["forget", "--session", SESSION, "--dry-run"],
    ];
    for (before, args) in commands.into_iter().enumerate() {
        let db = Connection::open(&path).expect("a store");
        db.pragma_update(None, "user_version", 7).expect("a store of ours");
        drop(db);
        let output = stage.env.run(BIN, args).success();
        let told = output.stderr.replace('\n', " ");
        assert!(told.contains("made by an older catchword") && told.contains("set aside as"), "{output}");
        assert_eq!(super::set_aside(stage.env.data()), before + 1, "{args:?}");
        assert_eq!(stage.log().matches("older").count(), before + 1, "{args:?}");
        let again = stage.env.run(BIN, args).success();
        assert!(!again.stderr.contains("older"), "{again}");
    }
    super::assert_silent("stop", &hooks.stop("Done."));
    assert_eq!(index(&stage.env).len(), transcript.line_count());
}

/// A new store numbers its notes from one again, and the history has a first note already.
#[test]
fn notes_from_before_and_after_a_rebuild_are_both_found() {
    let stage = Stage::new();
    let hooks = stage.hooks();
    super::assert_silent("stop", &hooks.stop("Done."));
    let note = |text: &str| stage.env.run(BIN, &["note", "--session", SESSION, text]).success();
    let _ = note("the first kohlrabi");
    let db = Connection::open(stage.env.data().join("catchword.db")).expect("a store");
    db.pragma_update(None, "user_version", 1).expect("a store of ours");
    drop(db);
    super::assert_silent("stop", &hooks.stop("Done."));
    assert_eq!(super::set_aside(stage.env.data()), 1);
    let _ = note("the second kohlrabi");
    let _ = note("the third kohlrabi");
    for _ in 0..2 {
        super::assert_silent("stop", &hooks.stop("Done."));
        let found = stage.env.run(BIN, &["search", "kohlrabi", "--json"]).success().json();
        assert_eq!(found["hits"].as_array().map(Vec::len), Some(3), "{found}");
    }
    for (number, text) in [("note:1", "first"), ("note:2", "second"), ("note:3", "third")] {
        let recalled = stage.env.run(BIN, &["recall", number]).success();
        assert!(recalled.stdout.contains(text), "{number}: {recalled}");
    }
}

#[test]
fn parallel_hooks_replace_an_older_store_once() {
    let stage = Stage::new();
    older_store(&stage.env.data().join("catchword.db"), 7);
    let hooks = stage.hooks();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| super::assert_silent("tick", &hooks.post_tool_batch(&[])));
        }
    });
    super::assert_silent("stop", &hooks.stop("Done."));
    assert_eq!(index(&stage.env).len(), a_session().line_count());
    assert_eq!(super::set_aside(stage.env.data()), 1);
}

/// As a later version might leave it.
fn made_newer(path: &Path) {
    let db = Connection::open(path).expect("a store");
    db.execute_batch(
        "ALTER TABLE session ADD COLUMN later TEXT; CREATE TABLE later (x); PRAGMA user_version = 99",
    )
    .expect("a store of ours");
}

fn shape(path: &Path) -> Vec<String> {
    let db = Connection::open(path).expect("a store");
    let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a number");
    let mut statement =
        db.prepare("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY 1").expect("a schema");
    let rows = statement.query_map([], |row| row.get(0)).expect("a schema");
    let mut all: Vec<String> = rows.collect::<Result<_, _>>().expect("texts");
    all.push(version.to_string());
    all
}

#[test]
fn newer_store_is_used_unchanged_and_logged_once() {
    let stage = Stage::new();
    let hooks = stage.hooks();
    super::assert_silent("first", &hooks.stop("Done."));
    let path = stage.env.data().join("catchword.db");
    made_newer(&path);
    let before = shape(&path);
    a_session().says("more").write_to(hooks.transcript_path());
    for _ in 0..3 {
        super::assert_silent("start", &hooks.session_start("startup"));
        super::assert_silent("tick", &hooks.post_tool_batch(&[]));
        super::assert_silent("stop", &hooks.stop("Done."));
    }
    assert!(super::brief(&stage).contains("write the parser"));
    for command in [&["status", "--all"][..], &["status"], &["index"]] {
        let _ = stage.env.run(BIN, command).success();
    }
    assert_eq!((shape(&path), super::set_aside(stage.env.data())), (before, 0));
    assert_eq!(index(&stage.env).len(), a_session().line_count() + 1);
    assert_eq!(stage.log().matches("newer").count(), 1, "{}", stage.log());
    let doctor = stage.env.run(BIN, &["doctor"]).stdout;
    assert!(doctor.contains("newer"), "{doctor}");
}

/// Nothing in it is usable, but it is still not ours to set aside.
#[test]
fn unusable_newer_store_stays_and_the_brief_is_given() {
    let stage = Stage::new();
    let hooks = stage.hooks();
    super::assert_silent("first", &hooks.stop("Done."));
    let path = stage.env.data().join("catchword.db");
    made_newer(&path);
    Connection::open(&path)
        .and_then(|db| db.execute_batch("ALTER TABLE session RENAME TO session_of_later; DROP TABLE entry"))
        .expect("a store of ours");
    let before = shape(&path);
    super::assert_silent("tick", &hooks.post_tool_batch(&[]));
    super::assert_silent("stop", &hooks.stop("Done."));
    let _ = hooks.pre_compact("auto", None).success();
    let brief = hooks.session_start("compact").success().stdout;
    assert!(brief.contains("write the parser"), "{brief}");
    assert_eq!((shape(&path), super::set_aside(stage.env.data())), (before, 0));
    assert!(stage.log().contains("newer version"), "{}", stage.log());
}
