//! Databases of earlier versions, kept in `fixtures/databases/`: whatever the schema is by now, nothing in them is lost.

use std::path::PathBuf;

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

#[test]
fn history_whose_transcripts_are_gone_answers_as_before() {
    let env = home_of("store-10-history-4");
    for (question, answer) in [
        (["recall", "00000001:L3"], "Fix add in src/lib.rs. Never touch Cargo.toml."),
        (["recall", "00000006:L33"], "[pending] Write a test for add"),
        (["search", "helper"], "00000005:L3"),
        (["search", "approved"], "00000004:L33"),
        (["status", "--all"], "(transcript gone) Fix add"),
    ] {
        let output = env.run(BIN, &question);
        assert!(output.stdout.contains(answer), "{question:?}:\n{output}");
    }
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
