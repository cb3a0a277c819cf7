//! What a hook costs, as a ratio to an empty Rust process in the same run: `cargo bench --bench tick`.
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
    for (name, megabytes) in [
        ("empty Rust process", None),
        ("tick, session of 1 MB", Some(1)),
        ("tick, session of 50 MB", Some(50)),
    ] {
        let times = match megabytes {
            None => measure(|| timed(&mut Command::new(&empty), b"")),
            Some(size) => ticks(size),
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

/// The program everything is compared with, built the default way.
fn empty_process(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    std::fs::File::create(&source).and_then(|mut f| f.write_all(b"fn main() {}")).expect("a source file");
    let built = Command::new("rustc").args(["-O", "-o"]).args([&program, &source]).status().expect("rustc");
    assert!(built.success(), "the empty program compiles");
    program
}

/// A `PostToolBatch` after each new row of a session that is already known.
fn ticks(megabytes: usize) -> (Duration, Duration) {
    let env = TestEnv::new();
    let bin = env!("CARGO_BIN_EXE_catchword");
    let mut transcript = Transcript::new().prompt("go");
    let filler = "x".repeat(4_000);
    for n in 0..megabytes * 200 {
        transcript = transcript.bash(&format!("cargo test --test case_{}", n % 50)).ok(&filler);
    }
    let path = env.transcript_path(SESSION);
    transcript.append_to(&path);
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
