//! The cost of a first read of a long transcript, from no store to the finished brief: `cargo bench -p catchword
//! --bench speed`.
//!
//! Prints time and memory with their budgets (`docs/performance.md`). `--binary=PATH` measures another build.

mod shared;

use std::path::Path;

use catchword_testkit::{SESSION, TestEnv};
use serde_json::json;
use shared::{Times, hook, mixed_session, peak_memory, say, timed};

const ROUNDS: usize = 9;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(format!("{SESSION}.jsonl"));
    mixed_session(&path, 100_000_000);
    let times = (0..ROUNDS).map(|_| {
        let env = TestEnv::new();
        timed(&mut hook(&env), start(&env, &path).as_bytes())
    });
    say("Budget: 1.5 s and 100 MB of memory for the first sight of 100 MB.");
    say(&format!("  time   {}", Times::of(times.collect())));
    let env = TestEnv::new();
    let peak = peak_memory(&mut hook(&env), start(&env, &path).as_bytes());
    let peak = peak.map_or("unknown on this system".to_owned(), |peak| format!("{peak} MB at most"));
    say(&format!("  memory {peak}"));
}

/// The payload after a compaction of a session that no hook has seen.
fn start(env: &TestEnv, transcript: &Path) -> String {
    json!({"session_id": SESSION, "transcript_path": transcript, "cwd": env.project(),
        "hook_event_name": "SessionStart", "source": "compact"})
    .to_string()
}
