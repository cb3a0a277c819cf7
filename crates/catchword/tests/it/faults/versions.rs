//! Stores of other versions: older ones are brought up to date with what they hold, newer ones are left as they are.

use std::path::Path;

use rusqlite::Connection;

use catchword_testkit::files;

use super::{BIN, index};
use crate::hook::{Stage, a_session};

const STEPS: [&str; 7] = [
    include_str!("../../../../catchword-engine/migrations/0001_first.sql"),
    include_str!("../../../../catchword-engine/migrations/0002_findings.sql"),
    include_str!("../../../../catchword-engine/migrations/0003_gauge.sql"),
    include_str!("../../../../catchword-engine/migrations/0004_handoff.sql"),
    include_str!("../../../../catchword-engine/migrations/0005_active.sql"),
    include_str!("../../../../catchword-engine/migrations/0006_notes.sql"),
    include_str!("../../../../catchword-engine/migrations/0007_line.sql"),
];

/// A store as the version with so many steps left it: another session, with a row and a compaction of its own.
fn store_of(path: &Path, steps: usize) {
    files::write(path, "");
    let db = Connection::open(path).expect("a new file");
    db.pragma_update(None, "journal_mode", "WAL").expect("a file of our own");
    for step in &STEPS[..steps] {
        db.execute_batch(step).expect("a landed step");
    }
    db.pragma_update(None, "user_version", steps as i64).expect("a file of our own");
    db.execute_batch(
        "INSERT INTO session (id, agent, transcript, offset, line, head_len, head_hash, first_at, last_at)
            VALUES ('older', 'claude-code', '/t.jsonl', 9, 2, 0, 0, 1, 1);
        INSERT INTO entry (session, line, id, kind, at) VALUES (1, 1, 7, 1, 1), (1, 2, 8, 2, 2);
        INSERT INTO compaction (session, manual, line, begun_at, summary, brief, briefed_at, ended_at)
            VALUES (1, 1, 2, 5, 'sum', 'an older brief', 6, 7);
        INSERT INTO hook_run (at, event, session, micros) VALUES (1, 'Stop', 'older', 900)",
    )
    .expect("the first step has these tables");
}

#[test]
fn every_landed_step_is_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catchword-engine/migrations");
    let is_step = |name: &str| name.starts_with(|first: char| first.is_ascii_digit());
    let landed = std::fs::read_dir(folder)
        .expect("the folder of steps")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_step)));
    assert_eq!(landed.count(), STEPS.len(), "a new step belongs into STEPS above");
}

#[test]
fn a_store_of_any_older_shape_is_brought_up_to_date_with_what_it_holds() {
    for steps in 0..=STEPS.len() {
        let stage = Stage::new();
        let path = stage.env.data().join("catchword.db");
        if steps > 0 {
            store_of(&path, steps);
        }
        super::assert_silent(&format!("{steps} steps"), &stage.hooks().stop("Done."));
        let brief = super::brief(&stage);
        assert!(brief.contains("write the parser"), "{steps} steps:\n{brief}");
        assert_eq!(stage.log(), "", "{steps} steps");
        assert_eq!(super::set_aside(stage.env.data()), 0, "{steps} steps");
        let of_older = index(&stage.env).into_iter().filter(|(row, _)| row.starts_with("older:")).count();
        assert_eq!(of_older, if steps > 0 { 2 } else { 0 }, "{steps} steps");
        let sessions = stage.env.run(BIN, &["sessions"]).success().stdout;
        assert_eq!(sessions.contains("older"), steps > 0, "{sessions}");
        let version: i64 = Connection::open(&path)
            .and_then(|db| db.pragma_query_value(None, "user_version", |row| row.get(0)))
            .expect("a store");
        assert_eq!(version, STEPS.len() as i64);
    }
}

/// As a later version might leave it, by its own rule that steps only add.
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
fn a_store_of_a_newer_version_is_used_left_as_it_is_and_told_of_once() {
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
    assert_eq!(shape(&path), before);
    assert_eq!(index(&stage.env).len(), a_session().line_count() + 1);
    assert_eq!(stage.log().matches("newer").count(), 1, "{}", stage.log());
    let doctor = stage.env.run(BIN, &["doctor"]).stdout;
    assert!(doctor.contains("newer"), "{doctor}");
}

/// A later version that broke the rule: nothing here fits any more, and still it is not ours to put away.
#[test]
fn a_newer_store_that_cannot_be_used_stays_where_it_is_and_the_brief_is_given_all_the_same() {
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
