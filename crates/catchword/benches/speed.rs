//! What a transcript costs that nobody has read yet, beside `wc -l` and beside a script that reads it with `json.loads`,
//! how much memory that takes, and whether cost grows with length: `cargo bench --bench speed`.
//!
//! `-- --long` adds a transcript of 1 GB and one with a line of 200 MB; `wc`, `script`, `growth`, `memory` leave the others
//! out; `--binary=PATH` measures another build. `docs/performance.md` has the results.

mod shared;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};
use serde_json::json;
use shared::{Times, bin, empty_process, in_turns, mixed_session, peak_memory, say, table, timed, wanted};

const ROUNDS: usize = 9;
/// What the tools do that people use now: all rows, in Python.
const SCRIPT: &str = "import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
print(len(rows))";

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if wanted("wc") {
        beside_wc(folder.path());
    }
    if wanted("script") {
        beside_a_script(folder.path());
    }
    if wanted("growth") {
        growth();
    }
    if wanted("memory") {
        memory(folder.path(), std::env::args().any(|arg| arg == "--long"));
    }
}

/// From nothing to the finished brief of 100 MB.
fn beside_wc(folder: &Path) {
    let path = folder.join(format!("{SESSION}.jsonl"));
    mixed_session(&path, 100_000_000);
    let times = in_turns(
        ROUNDS,
        &mut [
            ("wc -l", &mut || timed(Command::new("wc").arg("-l").arg(&path), b"")),
            ("first sight, to the brief", &mut || first_sight(&path)),
        ],
    );
    table("100 MB nobody has read, cached", &times);
}

/// From nothing to the finished brief of 50 MB, and the same once the session is known.
fn beside_a_script(folder: &Path) {
    let empty = empty_process(folder);
    let env = TestEnv::new();
    let path = env.transcript_path(SESSION);
    let mut transcript = mixed_session(&path, 50_000_000);
    let player = HookPlayer::new(&env, bin(), SESSION);
    let _ = player.stop("warm");
    let payload = player.payload("PostToolBatch", json!({ "tool_calls": [] })).to_string();
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    if !has_python {
        return say("No python3: nothing to compare with.");
    }
    let times = in_turns(
        ROUNDS,
        &mut [
            ("tick, once it is known", &mut || {
                transcript = std::mem::take(&mut transcript).says("one more row");
                transcript.append_to(&path);
                timed(env.command(bin()).arg("hook"), payload.as_bytes())
            }),
            ("first sight, to the brief", &mut || first_sight(&path)),
            ("python3, json.loads", &mut || {
                timed(Command::new("python3").args(["-c", SCRIPT]).arg(&path), b"")
            }),
            ("empty Rust process", &mut || timed(&mut Command::new(&empty), b"")),
        ],
    );
    table("50 MB", &times);
    let least = |n: usize| times[n].1.least.as_secs_f64();
    say(&format!(
        "python3 takes {:.1} times as long as a first sight, {:.0} times as long as a tick.\n",
        least(2) / least(1),
        least(2) / least(0)
    ));
}

/// A hook of a session nobody knows, in a data directory of its own.
fn first_sight(transcript: &Path) -> Duration {
    let env = TestEnv::new();
    timed(env.command(bin()).arg("hook"), start_of(&env, transcript).as_bytes())
}

fn start_of(env: &TestEnv, transcript: &Path) -> String {
    json!({"session_id": SESSION, "transcript_path": transcript, "cwd": env.project(),
        "hook_event_name": "SessionStart", "source": "compact"})
    .to_string()
}

/// Sessions that are twice as long as the one before: what a call costs stays the same.
fn growth() {
    let mut lines = vec![format!(
        "{:<40} {:>11} {:>15} {:>11}",
        "tool calls, compactions", "first sight", "of it per call", "next brief"
    )];
    for (calls, compactions) in [(2_500, 6), (5_000, 12), (10_000, 25), (20_000, 50)] {
        let env = TestEnv::new();
        let path = env.transcript_path(SESSION);
        many_calls(calls, compactions).append_to(&path);
        let least = |times: Vec<Duration>| Times::of(times).least.as_secs_f64() * 1e3;
        let first = least((0..ROUNDS).map(|_| first_sight(&path)).collect());
        let _ = HookPlayer::new(&env, bin(), SESSION).stop("warm");
        let start = start_of(&env, &path);
        let next = (0..ROUNDS).map(|_| {
            let _ = HookPlayer::new(&env, bin(), SESSION).pre_compact("auto", None);
            timed(env.command(bin()).arg("hook"), start.as_bytes())
        });
        let next = least(next.collect());
        let mut line = format!("{:<40} {first:>8.2} ms", format!("{calls} calls, {compactions} compactions"));
        let _ = write!(line, " {:>12.2} µs {next:>8.2} ms", first * 1e3 / f64::from(calls));
        lines.push(line);
    }
    say(&format!("{}\n", lines.join("\n")));
}

/// Reads, edits, commands and tasks, in as many turns as it needs.
fn many_calls(calls: u32, compactions: u32) -> Transcript {
    let mut transcript = Transcript::new().prompt("Port all modules. Never push.");
    for n in 0..calls / 4 {
        let path = format!("/home/user/project/src/module_{n}.rs");
        transcript = transcript
            .read(&path)
            .edit(&path, &format!("let old_{n} = 1;"), &format!("let new_{n} = {n};"))
            .bash(&format!("cargo test --test case_{n}"))
            .ok(&format!("test case_{n} ... ok\n\ntest result: ok. {n} passed"))
            .bash(&format!("rm -f target/tmp_{n}.txt && git commit -am 'module {n}'"))
            .ok(&format!("[main {n:07x}] module {n}"));
        if n % 20 == 19 {
            transcript = transcript
                .task_create(&format!("port the modules up to {n}"))
                .task_update(n / 20 + 1, "completed")
                .says(&format!("Modules up to {n} are ported; next comes module {}.", n + 1))
                .prompt(&format!("Go on with module {} and keep the names of its functions.", n + 1));
        }
        if n % (calls / 4 / compactions).max(1) == 0 {
            transcript = transcript.compaction("auto", &format!("Modules up to {n} are ported."));
        }
    }
    transcript
}

/// The most memory that a first sight takes.
fn memory(folder: &Path, long: bool) {
    let mut cases: Vec<(String, PathBuf)> = Vec::new();
    let mut case = |name: &str, make: &mut dyn FnMut(&Path)| {
        let path = folder.join(format!("{}.jsonl", cases.len()));
        make(&path);
        cases.push((name.to_owned(), path));
    };
    case("100 MB", &mut |path| _ = mixed_session(path, 100_000_000));
    case("a line of 15 MB", &mut |path| with_line_of(path, 15_000_000));
    if long {
        case("1 GB", &mut |path| _ = mixed_session(path, 1_000_000_000));
        case("a line of 200 MB", &mut |path| with_line_of(path, 200_000_000));
    }
    for (name, path) in cases {
        let env = TestEnv::new();
        let begun = Instant::now();
        let mut command = env.command(bin());
        let peak = peak_memory(command.arg("hook"), start_of(&env, &path).as_bytes());
        let peak = peak.map_or("not told by this system".to_owned(), |peak| format!("{peak} MB at most"));
        say(&format!("memory, first sight of {name}: {peak} ({:.2} s)", begun.elapsed().as_secs_f64()));
    }
}

fn with_line_of(path: &Path, bytes: usize) {
    let text = "a line with \\ and \"quotes\" in it\n".repeat(bytes / 33);
    Transcript::new().prompt("go").bash("cat big").ok(&text).says("That was long.").append_to(path);
}
