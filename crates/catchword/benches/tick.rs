//! What a hook and a status line cost, as a ratio to an empty Rust process in the same run: `cargo bench --bench tick`.
//!
//! Processes are started in turns, so that whatever else the machine does hits all of them alike. Minimum and
//! median are shown; the minimum is what the code costs, the median what a person's machine makes of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};
use serde_json::json;

const ROUNDS: usize = 200;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let empty = empty_process(folder.path());
    let mut lines =
        vec![format!("{:<34} {:>9} {:>9} {:>9} {:>9}", "process", "min", "median", "× min", "× median")];
    let mut base = None;
    for (name, case) in [
        ("empty Rust process", Case::Empty),
        ("tick, session of 1 MB", Case::Tick(1)),
        ("tick, session of 50 MB", Case::Tick(50)),
        ("status line, session of 50 MB", Case::StatusLine(50)),
    ] {
        let times = match case {
            Case::Empty => measure(|| timed(&mut Command::new(&empty), b"")),
            Case::Tick(size) => ticks(size),
            Case::StatusLine(size) => status_lines(size),
        };
        let base = *base.get_or_insert(times);
        let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
        lines.push(format!(
            "{name:<34} {:>6.2} ms {:>6.2} ms {:>9.2} {:>9.2}",
            times.0.as_secs_f64() * 1e3,
            times.1.as_secs_f64() * 1e3,
            ratio(times.0, base.0),
            ratio(times.1, base.1),
        ));
    }
    let _ = writeln!(std::io::stdout(), "{}", lines.join("\n"));
}

#[derive(Clone, Copy)]
enum Case {
    Empty,
    /// With a session of this many megabytes.
    Tick(usize),
    StatusLine(usize),
}

/// The program everything is compared with, built the default way.
fn empty_process(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    std::fs::File::create(&source).and_then(|mut f| f.write_all(b"fn main() {}")).expect("a source file");
    let built = Command::new("rustc").args(["-O", "-o"]).args([&program, &source]).status().expect("rustc");
    assert!(built.success(), "the empty program compiles");
    program
}

/// A session of this size, in the transcript of `env`.
fn session(env: &TestEnv, megabytes: usize) -> Transcript {
    let mut transcript = Transcript::new().prompt("go").task_create("write the lexer");
    let filler = "x".repeat(4_000);
    for n in 0..megabytes * 200 {
        transcript = transcript.bash(&format!("cargo test --test case_{}", n % 50)).ok(&filler);
    }
    transcript.append_to(env.transcript_path(SESSION));
    transcript
}

/// A status line of a session that is already known, with a branch to read and nothing new to note.
fn status_lines(megabytes: usize) -> (Duration, Duration) {
    let env = TestEnv::new();
    let bin = env!("CARGO_BIN_EXE_catchword");
    session(&env, megabytes);
    env.write(".git/HEAD", "ref: refs/heads/main\n");
    let _ = HookPlayer::new(&env, bin, SESSION).stop("warm");
    let payload = json!({"session_id": SESSION, "transcript_path": env.transcript_path(SESSION), "cwd": env.project(),
        "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"},
        "context_window": {"context_window_size": 200_000,
            "current_usage": {"input_tokens": 10, "cache_read_input_tokens": 30_000, "output_tokens": 40}}});
    let mut command = env.command(bin);
    command.arg("statusline");
    measure(|| timed(&mut command, payload.to_string().as_bytes()))
}

/// A `PostToolBatch` after each new row of a session that is already known.
fn ticks(megabytes: usize) -> (Duration, Duration) {
    let env = TestEnv::new();
    let bin = env!("CARGO_BIN_EXE_catchword");
    let mut transcript = session(&env, megabytes);
    let path = env.transcript_path(SESSION);
    let player = HookPlayer::new(&env, bin, SESSION);
    let _ = player.stop("warm");
    let payload = player.payload("PostToolBatch", json!({ "tool_calls": [] })).to_string();
    let mut command = env.command(bin);
    command.arg("hook");
    measure(|| {
        transcript = std::mem::take(&mut transcript).says("one more row");
        transcript.append_to(&path);
        timed(&mut command, payload.as_bytes())
    })
}

fn timed(command: &mut Command, stdin: &[u8]) -> Duration {
    let begun = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    // An empty process may be gone before its input comes.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(stdin));
    child.wait().expect("it ends");
    begun.elapsed()
}

/// Minimum and median of many runs.
fn measure(mut run: impl FnMut() -> Duration) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| run()).collect();
    times.sort_unstable();
    (times[0], times[ROUNDS / 2])
}
