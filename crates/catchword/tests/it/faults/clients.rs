//! The same faults for every client: the client notices nothing, and the next compaction is answered.

use std::os::unix::process::ExitStatusExt;

use catchword_testkit::{CommandOutput, SESSIONS, TestEnv, files};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{BIN, index, set_aside};
use crate::every_client::{ERROR, FAILING, Played, worked};

/// The events that every client has, in their order.
const EVENTS: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"];

/// A hook whose shell sets a limit first.
fn limited(played: &Played, limit: &str, event: &str, more: Value) -> CommandOutput {
    let mut command = played.env.command("sh");
    let line = format!("{limit}\nexec \"$0\" hook {}", played.of.client);
    command.arg("-c").arg(line).arg(BIN);
    played.env.run_command(command, played.payload(event, more))
}

#[track_caller]
fn assert_answered(played: &Played, name: &str) {
    let brief = played.compacted(&worked());
    assert!(brief.contains(FAILING) && brief.contains(ERROR), "{} {name}: {brief}", played.of.client);
}

#[test]
fn a_store_that_cannot_be_written_harms_no_client() {
    for of in SESSIONS {
        let mut env = TestEnv::new();
        // A file where the folder should be: that stops even root.
        let blocked = env.root().join("blocked");
        files::write(&blocked, "");
        env.set_var("CATCHWORD_HOME", &blocked);
        let played = Played::new(&env, of, 1);
        played.wrote(&worked());
        for event in EVENTS {
            let said = played.hook(event, json!({"source": "startup", "trigger": "auto"}));
            assert_eq!(said.stderr, "", "{} {event}", of.client);
        }
        let brief = played.compacted(&worked());
        // Where the brief comes with a later event, what is due is in the store.
        let is_told = of.brings.0 == "SessionStart";
        assert_eq!(brief.contains(ERROR), is_told, "{}: {brief}", of.client);
    }
}

#[test]
fn a_disk_that_fills_up_harms_no_client() {
    for of in SESSIONS {
        for blocks in [0, 8, 24, 64] {
            let env = TestEnv::new();
            let played = Played::new(&env, of, 1);
            played.wrote(&worked());
            let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
            for event in EVENTS {
                let more = json!({"source": "startup", "trigger": "auto"});
                let said = limited(&played, &limit, event, more).success();
                assert_eq!(said.stderr, "", "{} {event} at {blocks}", of.client);
            }
            assert_answered(&played, "with room again");
            assert_eq!(set_aside(env.data()), 0, "{}: a full disk is no damage", of.client);
        }
    }
}

#[test]
fn a_hook_killed_at_a_write_costs_no_client_a_row() {
    for of in SESSIONS {
        let mut kills = 0;
        for blocks in (0..).step_by(21) {
            let env = TestEnv::new();
            let played = Played::new(&env, of, 1);
            played.wrote(&worked());
            let limit = format!("ulimit -c 0; ulimit -f {blocks}");
            let killed = limited(&played, &limit, "PreCompact", json!({"trigger": "auto"}));
            assert_answered(&played, "after a kill");
            let rows = index(&env);
            assert!(!rows.is_empty() && rows.iter().all(|(_, times)| *times == 1), "{}: {rows:?}", of.client);
            assert_eq!(set_aside(env.data()), 0, "{}: a kill is no damage", of.client);
            if killed.status.signal().is_none() {
                break;
            }
            kills += 1;
        }
        assert!(kills >= 3, "{}: {kills}", of.client);
    }
}

/// Half rows, rows of nobody, bytes that are no text: what is whole counts.
#[test]
fn damaged_rows_cost_no_client_the_others() {
    for of in SESSIONS.iter().filter(|of| of.log.is_none()) {
        let env = TestEnv::new();
        let played = Played::new(&env, *of, 1);
        played.wrote(&worked());
        let path = of.file(&env, &played.id);
        let whole = files::read(&path);
        let deep = format!("{}1{}\n", "[".repeat(50_000), "]".repeat(50_000));
        let bytes = [
            &[0; 64],
            whole.as_bytes(),
            b"\xff\xfe\n{\"type\":7,\"message\":[]}\n[1]\nnull\n\0{}\0\n",
            deep.as_bytes(),
            &whole.as_bytes()[..40],
        ];
        files::write(&path, bytes.concat());
        let _ = played.hook("PreCompact", json!({"trigger": "auto"}));
        let (event, more) = played.brings();
        let brief = crate::every_client::for_model(&played.hook(event, more));
        assert!(brief.contains(FAILING) && brief.contains(ERROR), "{}: {brief}", of.client);
        let log = files::read(env.data().join("hook.log"));
        assert!(!log.contains("panicked"), "{}: {log}", of.client);
    }
}

/// A database that is none, lacks its tables, or is held by somebody else.
#[test]
fn a_database_that_cannot_be_read_harms_no_client() {
    for of in SESSIONS.iter().filter(|of| of.log.is_some()) {
        let env = TestEnv::new();
        let played = Played::new(&env, *of, 1);
        let path = of.file(&env, &played.id);
        files::write(&path, "no database at all");
        let silent = |name: &str| {
            for event in EVENTS {
                let said = played.hook(event, json!({"source": "startup", "trigger": "auto"}));
                assert_eq!((&*said.stdout, &*said.stderr), ("", ""), "{} {event}: {name}", of.client);
            }
        };
        silent("garbage");
        std::fs::remove_file(&path).expect("made above");
        drop(Connection::open(&path).and_then(|made| made.execute_batch("CREATE TABLE other (x)")));
        silent("without its tables");
        std::fs::remove_file(&path).expect("made above");
        played.wrote(&worked());
        let held = Connection::open(&path).expect("the test's own database");
        held.execute_batch("PRAGMA journal_mode = delete; BEGIN EXCLUSIVE").expect("nobody else has it");
        silent("held");
        drop(held);
        assert_answered(&played, "once it is free");
    }
}
