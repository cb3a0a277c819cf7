//! The cost of the hooks of a known session and of the status line: `cargo bench -p catchword --bench tick`.
//!
//! Prints each figure with its budget (`docs/performance.md`). `-- --long` uses a session of 500 MB instead of 50,
//! `--binary=PATH` measures another build.

mod shared;

use std::process::Command;
use std::time::Duration;

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};
use serde_json::json;
use shared::{Times, bin, empty_process, hook, in_turns, mixed_session, say, timed};

const ROUNDS: usize = 150;
const COMPACTIONS: usize = 20;
const HOOKS: [&str; 4] = ["PreCompact", "SubagentStop", "SessionStart", "PostCompact"];
const SUMMARY: &str = "The importer is being made faster. Tests of part 3 pass. Next: part 4.";

fn main() {
    let long = std::env::args().any(|arg| arg == "--long");
    one_process(if long { 500 } else { 50 });
    compaction();
}

fn one_process(megabytes: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let empty = empty_process(folder.path());
    let (mut small, mut large, mut line) =
        (Ticking::new(1), Ticking::new(megabytes), StatusLine::new(megabytes));
    let times = in_turns(
        ROUNDS,
        &mut [
            ("empty Rust process", &mut || timed(&mut Command::new(&empty), b"")),
            ("tick, session of 1 MB", &mut || small.once()),
            (&format!("tick, session of {megabytes} MB"), &mut || large.once()),
            (&format!("status line, session of {megabytes} MB"), &mut || line.once()),
        ],
    );
    say("Budget: 3 × an empty process; ratios of the best runs.");
    let least = |times: &Times| times.least.as_secs_f64();
    for (name, case) in &times {
        say(&format!("  {name:<32} {case} {:>7.2} ×", least(case) / least(&times[0].1)));
    }
}

fn compaction() {
    let mut compacting = Compacting::new(50);
    let rounds: Vec<[Duration; 4]> = (0..COMPACTIONS).map(|_| compacting.once()).collect();
    say("Budget: 100 ms for each hook of a compaction, 50 MB, warm.");
    for (at, name) in HOOKS.iter().enumerate() {
        let times = Times::of(rounds.iter().map(|round| round[at]).collect());
        say(&format!("  {name:<32} {times}"));
    }
}

/// The environment and transcript of a session of this size that a hook has already read.
fn known_session(megabytes: usize) -> (TestEnv, Transcript) {
    let env = TestEnv::new();
    let transcript = mixed_session(&env.transcript_path(SESSION), megabytes * 1_000_000);
    let _ = HookPlayer::new(&env, bin(), SESSION).stop("warm");
    (env, transcript)
}

/// A `PostToolBatch` after each new row.
struct Ticking {
    env: TestEnv,
    transcript: Transcript,
    payload: String,
}

impl Ticking {
    fn new(megabytes: usize) -> Self {
        let (env, transcript) = known_session(megabytes);
        let player = HookPlayer::new(&env, bin(), SESSION);
        let payload = player.payload("PostToolBatch", json!({ "tool_calls": [] })).to_string();
        Ticking { env, transcript, payload }
    }

    fn once(&mut self) -> Duration {
        self.transcript = std::mem::take(&mut self.transcript).says("one more row");
        self.transcript.append_to(self.env.transcript_path(SESSION));
        timed(&mut hook(&self.env), self.payload.as_bytes())
    }
}

/// A status line with a branch to read and nothing new to record.
struct StatusLine {
    env: TestEnv,
    payload: String,
}

impl StatusLine {
    fn new(megabytes: usize) -> Self {
        let (env, _) = known_session(megabytes);
        env.write(".git/HEAD", "ref: refs/heads/main\n");
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

/// The hooks of a compaction, a few rows after the last turn.
struct Compacting {
    env: TestEnv,
    transcript: Transcript,
}

impl Compacting {
    fn new(megabytes: usize) -> Self {
        let (env, transcript) = known_session(megabytes);
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
        let fields = [
            json!({"trigger": "auto", "custom_instructions": null}),
            json!({"agent_id": "a492fbb42ade0d622", "agent_type": "", "stop_hook_active": false,
                "last_assistant_message": message}),
            json!({"source": "compact", "model": "claude-sonnet-4-5"}),
            json!({"trigger": "auto", "compact_summary": message}),
        ];
        let mut payloads = HOOKS.iter().zip(fields).map(|(event, fields)| player.payload(event, fields));
        let times = std::array::from_fn(|_| {
            let payload = payloads.next().expect("one per hook").to_string();
            timed(&mut hook(&self.env), payload.as_bytes())
        });
        self.transcript = std::mem::take(&mut self.transcript).compaction("auto", SUMMARY);
        self.transcript.append_to(&path);
        times
    }
}
