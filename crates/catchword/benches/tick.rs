//! What a hook and a status line cost, as a ratio to an empty Rust process in the same run: `cargo bench --bench tick`.
//!
//! Processes are started in turns. `-- --long` takes a session of 500 MB, `--binary=PATH` another build.
//! `docs/performance.md` says what the ratios should be.

mod shared;

use std::process::Command;
use std::time::Duration;

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};
use serde_json::json;
use shared::{bin, empty_process, in_turns, say, table, timed};

const ROUNDS: usize = 150;
/// Compactions are made anew in every round.
const FEW_ROUNDS: usize = 20;
const SUMMARY: &str = "The importer is being made faster. Tests of part 3 pass. Next: part 4.";

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let empty = empty_process(folder.path());
    let mut start_empty = || timed(&mut Command::new(&empty), b"");
    let long = std::env::args().any(|arg| arg == "--long");
    let largest = if long { 500 } else { 50 };
    let (mut small, mut large, mut bar) = (Ticking::new(1), Ticking::new(largest), StatusLine::new(50));
    let large_name = format!("tick, session of {largest} MB");
    let times = in_turns(
        ROUNDS,
        &mut [
            ("empty Rust process", &mut start_empty),
            ("tick, session of 1 MB", &mut || small.once()),
            (&large_name, &mut || large.once()),
            ("status line, session of 50 MB", &mut || bar.once()),
        ],
    );
    table("one process", &times);
    let mut compacting = Compacting::new(50);
    let times = in_turns(
        FEW_ROUNDS,
        &mut [
            ("empty Rust process", &mut start_empty),
            ("the four hooks of one, 50 MB", &mut || compacting.once().iter().sum()),
        ],
    );
    table("a compaction", &times);
    let last = compacting.once().map(|time| format!("{:.2} ms", time.as_secs_f64() * 1e3));
    say(&format!("PreCompact, SubagentStop, SessionStart, PostCompact, once: {}", last.join(", ")));
    let size = std::fs::metadata(bin()).map_or(0, |file| file.len()) as f64 / 1e6;
    say(&format!("binary: {size:.1} MB"));
}

/// A session of this size, in the transcript of `env`.
fn session(env: &TestEnv, megabytes: usize) -> Transcript {
    shared::mixed_session(&env.transcript_path(SESSION), megabytes * 1_000_000)
}

/// A `PostToolBatch` after each new row of a session that is already known.
struct Ticking {
    env: TestEnv,
    transcript: Transcript,
    payload: String,
}

impl Ticking {
    fn new(megabytes: usize) -> Self {
        let env = TestEnv::new();
        let transcript = session(&env, megabytes);
        let player = HookPlayer::new(&env, bin(), SESSION);
        let _ = player.stop("warm");
        let payload = player.payload("PostToolBatch", json!({ "tool_calls": [] })).to_string();
        Ticking { env, transcript, payload }
    }

    fn once(&mut self) -> Duration {
        self.transcript = std::mem::take(&mut self.transcript).says("one more row");
        self.transcript.append_to(self.env.transcript_path(SESSION));
        timed(self.env.command(bin()).arg("hook"), self.payload.as_bytes())
    }
}

/// A status line of a session that is already known, with a branch to read and nothing new to note.
struct StatusLine {
    env: TestEnv,
    payload: String,
}

impl StatusLine {
    fn new(megabytes: usize) -> Self {
        let env = TestEnv::new();
        session(&env, megabytes);
        env.write(".git/HEAD", "ref: refs/heads/main\n");
        let _ = HookPlayer::new(&env, bin(), SESSION).stop("warm");
        let payload = json!({"session_id": SESSION, "transcript_path": env.transcript_path(SESSION), "cwd": env.project(),
            "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"},
            "context_window": {"context_window_size": 200_000,
                "current_usage": {"input_tokens": 10, "cache_read_input_tokens": 30_000, "output_tokens": 40}}});
        StatusLine { env, payload: payload.to_string() }
    }

    fn once(&mut self) -> Duration {
        timed(self.env.command(bin()).arg("statusline"), self.payload.as_bytes())
    }
}

/// The hooks around a compaction of a session that is already known, some rows since the last turn.
struct Compacting {
    env: TestEnv,
    transcript: Transcript,
}

impl Compacting {
    fn new(megabytes: usize) -> Self {
        let env = TestEnv::new();
        let transcript = session(&env, megabytes);
        let _ = HookPlayer::new(&env, bin(), SESSION).stop("warm");
        Compacting { env, transcript }
    }

    fn once(&mut self) -> [Duration; 4] {
        let path = self.env.transcript_path(SESSION);
        let player = HookPlayer::new(&self.env, bin(), SESSION);
        self.transcript =
            std::mem::take(&mut self.transcript).bash("cargo test").ok("12 passed").says("one more row");
        self.transcript.append_to(&path);
        let _ = player.stop("warm");
        let message =
            format!("<analysis>\nthe session so far\n</analysis>\n\n<summary>\n{SUMMARY}\n</summary>");
        let summariser = json!({"agent_id": "a492fbb42ade0d622", "agent_type": "", "stop_hook_active": false,
            "last_assistant_message": message});
        let payloads = [
            player.payload("PreCompact", json!({"trigger": "auto", "custom_instructions": null})),
            player.payload("SubagentStop", summariser),
            player.payload("SessionStart", json!({"source": "compact", "model": "claude-sonnet-4-5"})),
            player.payload("PostCompact", json!({"trigger": "auto", "compact_summary": message})),
        ];
        let times = payloads.map(|payload| {
            let mut hook = self.env.command(bin());
            timed(hook.arg("hook").env("CATCHWORD_IN_PLACE", ""), payload.to_string().as_bytes())
        });
        // What follows a compaction is done by a process of its own; the next one is minutes away.
        std::thread::sleep(Duration::from_millis(700));
        self.transcript = std::mem::take(&mut self.transcript).compaction("auto", SUMMARY);
        self.transcript.append_to(&path);
        times
    }
}
