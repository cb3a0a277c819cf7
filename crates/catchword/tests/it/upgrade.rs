//! Databases of earlier versions, kept in `fixtures/databases/`: whatever the schema is by now, nothing in them is lost.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use catchword_testkit::{TestEnv, files};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

/// A home whose databases were written by an earlier version and whose transcripts are gone.
fn home_of(version: &str) -> TestEnv {
    let env = TestEnv::new();
    let kept = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/databases").join(version);
    for name in ["catchword.db", "history.db"] {
        files::write(env.data().join(name), std::fs::read(kept.join(name)).expect("a kept database"));
    }
    env
}

/// What the version that wrote them answered.
const ANSWERS: &[([&str; 2], &str)] = &[
    (["recall", "00000001:L3"], "Fix add in src/lib.rs. Never touch Cargo.toml."),
    (["recall", "00000006:L33"], "[pending] Write a test for add"),
    (["search", "helper"], "00000005:L3"),
    (["search", "approved"], "00000004:L33"),
    (["status", "--all"], "(transcript gone) Fix add"),
];

fn assert_nothing_is_lost(env: &TestEnv, when: &str) {
    for (question, answer) in ANSWERS {
        let output = env.run(BIN, question);
        assert!(output.stdout.contains(answer), "{when}: {question:?}:\n{output}");
    }
}

#[test]
fn history_whose_transcripts_are_gone_answers_as_before() {
    let env = home_of("store-10-history-4");
    assert_nothing_is_lost(&env, "upgraded");
    // Migrated, and read again from the texts: all items are still there.
    let env_index = env.run(BIN, &["index", "--json"]).success();
    assert!(env_index.stdout.contains("\"in_history\": 119"), "{env_index}");
}

/// A kill leaves the old tables or the new ones, and the next process goes on from there.
#[test]
fn upgrade_that_is_killed_at_any_moment_loses_nothing() {
    for delay in 0..24 {
        let env = home_of("store-10-history-4");
        let mut command = env.command(BIN);
        command.args(["search", "add"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut upgrading = command.spawn().expect("the program starts");
        std::thread::sleep(Duration::from_micros(500 * delay));
        upgrading.kill().expect("it is killed");
        upgrading.wait().expect("it ends");
        // All of them only now and then: each costs a process.
        if delay % 6 == 0 {
            assert_nothing_is_lost(&env, &format!("killed after {} µs", 500 * delay));
        } else {
            let found = env.run(BIN, &["search", "approved"]);
            assert!(found.stdout.contains("00000004:L33"), "killed after {} µs:\n{found}", 500 * delay);
        }
        let names = std::fs::read_dir(env.data()).expect("the data folder").flatten();
        let set_aside =
            names.filter(|entry| entry.file_name().to_string_lossy().contains("set-aside")).count();
        assert_eq!(set_aside, 0, "killed after {} µs", 500 * delay);
    }
}

#[test]
fn damaged_history_whose_transcripts_are_gone_keeps_what_can_be_read() {
    let env = home_of("store-10-history-4");
    assert_nothing_is_lost(&env, "before");
    let path = env.data().join("history.db");
    // The index of words is unreadable; the texts are whole.
    let connection = rusqlite::Connection::open(&path).expect("the history");
    connection.execute_batch("DROP TABLE words").expect("the index is dropped");
    drop(connection);
    let indexed = env.run(BIN, &["index"]).success();
    assert!(indexed.stderr.contains("could be read"), "{indexed}");
    assert_nothing_is_lost(&env, "after");
}

#[test]
fn no_kept_database_is_set_aside() {
    let env = home_of("store-10-history-4");
    for question in [["search", "add"], ["status", "--all"]] {
        let answer = env.run(BIN, &question).success();
        assert!(!answer.stdout.is_empty(), "{question:?}");
    }
    let names: Vec<String> = std::fs::read_dir(env.data())
        .expect("the data folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.iter().any(|name| name == "history.db"), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("set-aside")), "{names:?}");
}
