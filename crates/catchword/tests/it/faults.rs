//! Faults of the machine: the client notices nothing, nothing is lost or recorded twice, and the next hook works.
//! `docs/reliability.md` describes each of them.

mod clients;
mod clock;
mod disk;
mod kill;
mod load;
mod payloads;
mod transcripts;
mod versions;

use std::path::Path;
use std::process::Command;

use catchword_testkit::{CommandOutput, TestEnv};

use crate::hook::{BIN, Stage};

/// A shell that sets a limit and then becomes the hook.
fn limited(env: &TestEnv, limit: &str) -> Command {
    let mut command = env.command("sh");
    command.arg("-c").arg(format!("{limit}\nexec \"$0\" hook claude-code")).arg(BIN);
    command
}

/// The rows of the index, with their number of occurrences.
fn index(env: &TestEnv) -> Vec<(String, i64)> {
    let db = rusqlite::Connection::open(env.data().join("catchword.db")).expect("a store");
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a sound store");
    assert_eq!(check, "ok");
    let sql = "SELECT s.id || ':' || e.line, count(*) FROM entry e JOIN session s ON s.no = e.session
        GROUP BY 1 ORDER BY s.id, e.line";
    let mut statement = db.prepare(sql).expect("our own table");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("our own rows");
    rows.collect::<Result<_, _>>().expect("our own rows")
}

/// The brief after a compaction.
fn brief(stage: &Stage) -> String {
    let hooks = stage.hooks();
    let _ = hooks.pre_compact("auto", None).success();
    hooks.session_start("compact").success().stdout
}

#[track_caller]
fn assert_silent(name: &str, output: &CommandOutput) {
    assert!(output.is_silent_success(), "{name}: a hook the client would notice:\n{output}");
}

/// Files beside `path` that were set aside.
fn set_aside(folder: &Path) -> usize {
    let names =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    // Another process may have had the database open, which leaves its WAL beside it.
    names
        .filter(|name| name.contains(".set-aside-") && !name.ends_with("-wal") && !name.ends_with("-shm"))
        .count()
}
