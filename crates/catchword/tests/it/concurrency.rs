//! Many parallel hooks on one store, some of them killed: nothing is lost, nothing is recorded twice, and no hook that
//! was not killed prints anything.
//!
//! What must be in the store is known from a second store, filled by one hook per session that reads everything at
//! once.

use std::sync::Mutex;
use std::time::Duration;

use catchword_testkit::{CommandOutput, HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const WORKERS: usize = 8;
const SESSIONS: usize = 4;
const ROUNDS: usize = 40;

#[test]
fn eight_parallel_hooks_with_kills_record_every_row_once() {
    let env = TestEnv::new();
    let sessions: Vec<Growing> = (0..SESSIONS).map(|n| Growing::new(&env, n)).collect();
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let session = &sessions[worker % SESSIONS];
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    session.tick(worker, round);
                }
            });
        }
    });
    for session in &sessions {
        assert_silent(&session.hooks.stop("Done."));
    }

    let expected = read_in_one_go(&sessions);
    let recorded = recorded(&env);
    assert_eq!(recorded, expected);
    for session in &sessions {
        let rows = session.transcript.lock().unwrap().line_count() as u64;
        let entries = recorded.iter().find(|(id, _)| *id == session.id).map(|(_, entries)| *entries);
        assert_eq!(entries, Some(rows), "{}: an entry a row", session.id);
    }
}

/// Hooks may be installed twice, and a client may repeat one.
#[test]
fn eight_parallel_hooks_have_the_effect_of_one() {
    const SUMMARY: &str = "1. A parser is wanted.";
    let left_by = |hooks_at_once: usize| {
        let env = TestEnv::new();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut transcript = Transcript::new()
            .cwd(env.project())
            .prompt("Add a parser. Never touch the lock file.")
            .task_create("write the parser");
        let _ = hooks.compaction(&mut transcript, "auto", SUMMARY);
        let at_once = |hook: &(dyn Fn() -> CommandOutput + Sync)| {
            std::thread::scope(|scope| {
                let all: Vec<_> = (0..hooks_at_once).map(|_| scope.spawn(hook)).collect();
                let all: Vec<CommandOutput> = all.into_iter().map(|one| one.join().unwrap()).collect();
                let (told, silent): (Vec<_>, Vec<_>) =
                    all.into_iter().partition(CommandOutput::tells_only_the_person);
                silent.iter().for_each(assert_silent);
                told.len()
            })
        };
        assert_eq!(at_once(&|| hooks.post_compact("auto", SUMMARY)), 0);
        assert_eq!(at_once(&|| hooks.stop("Done.")), 1, "the person is told once what was lost");
        // A hook that finds the history or the backups busy leaves them to the next one.
        assert_silent(&hooks.stop("Done."));
        let document = files::read(env.data().join("handoffs").join(format!("HANDOFF-{SESSION}.md")));
        assert!(document.contains("at a compaction") && document.contains("write the parser"), "{document}");
        let history = rusqlite::Connection::open(env.data().join("history.db")).unwrap();
        let items: i64 = history.query_row("SELECT count(*) FROM item", [], |row| row.get(0)).unwrap();
        let backups = env.run(BIN, &["backup", "--list", "--json"]).success().json();
        assert_eq!(files::read(env.data().join("hook.log")), "");
        (items, backups.as_array().map(Vec::len), backups[0]["lines"].clone())
    };
    assert_eq!(left_by(8), left_by(1));
}

/// A session whose transcript grows while hooks read it.
struct Growing<'a> {
    id: String,
    hooks: HookPlayer<'a>,
    transcript: Mutex<Transcript>,
}

impl<'a> Growing<'a> {
    fn new(env: &'a TestEnv, n: usize) -> Self {
        let id = format!("0000000{n}-0000-4000-8000-000000000000");
        let mut transcript = Transcript::new().session(&id).cwd(env.project()).prompt("Count.");
        transcript.append_to(env.transcript_path(&id));
        Growing { hooks: HookPlayer::new(env, BIN, &id), transcript: Mutex::new(transcript), id }
    }

    /// Appends one row, as the client's only writer would, and runs a hook; every third one is killed.
    fn tick(&self, worker: usize, round: usize) {
        {
            let mut transcript = self.transcript.lock().unwrap();
            *transcript = std::mem::take(&mut *transcript).says(&format!("worker {worker}, round {round}"));
            transcript.append_to(self.hooks.transcript_path());
        }
        if round % 3 == 2 {
            let batch = json!({"permission_mode": "default", "tool_calls": []});
            let mut child = self.hooks.start(&self.hooks.payload("PostToolBatch", batch));
            // From "not yet started" to "almost done", the same on every run.
            std::thread::sleep(Duration::from_micros(((worker * 7 + round * 13) % 24 * 500) as u64));
            let _ = child.kill();
            let _ = child.wait();
        } else {
            assert_silent(&self.hooks.post_tool_batch(&[]));
        }
    }
}

/// The same transcripts, each read by one hook into a separate store.
fn read_in_one_go(sessions: &[Growing]) -> Vec<(String, u64)> {
    let env = TestEnv::new();
    for session in sessions {
        session.transcript.lock().unwrap().write_to(env.transcript_path(&session.id));
        assert_silent(&HookPlayer::new(&env, BIN, &session.id).stop("Done."));
    }
    recorded(&env)
}

/// How many entries the store has for each session. The only place that knows the schema.
fn recorded(env: &TestEnv) -> Vec<(String, u64)> {
    let sessions = env.run(BIN, &["status", "--all", "--json"]).success().json();
    let entries = |session: &Value| Some((session["id"].as_str()?.to_owned(), session["entries"].as_u64()?));
    let mut found: Vec<_> = sessions.as_array().into_iter().flatten().filter_map(entries).collect();
    found.sort();
    found
}

#[track_caller]
fn assert_silent(output: &CommandOutput) {
    assert!(output.is_silent_success(), "a hook the client would notice:\n{output}");
}
