//! Code that the benches share: realistic sessions, and timed processes.
//!
//! A bench prints its figures beside their budgets and never fails: on a busy machine figures mean little.

#![allow(dead_code, reason = "each bench uses its part")]

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use catchword_testkit::{TestEnv, Transcript};
use serde_json::json;

/// The program under test: the one built with the bench, or `--binary=PATH`.
pub fn bin() -> &'static str {
    static BIN: LazyLock<String> = LazyLock::new(|| {
        let other = std::env::args().find_map(|arg| arg.strip_prefix("--binary=").map(str::to_owned));
        other.unwrap_or_else(|| env!("CARGO_BIN_EXE_catchword").to_owned())
    });
    &BIN
}

/// A hook, as the client calls it.
pub fn hook(env: &TestEnv) -> Command {
    let mut command = env.command(bin());
    command.args(["hook", "claude-code"]);
    command
}

/// Minimum and median of many runs: the cost of the code, and the cost on a busy machine.
#[derive(Clone, Copy)]
pub struct Times {
    pub least: Duration,
    pub median: Duration,
}

impl Times {
    pub fn of(mut times: Vec<Duration>) -> Times {
        times.sort_unstable();
        Times { least: times[0], median: times[times.len() / 2] }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [least, median] = [self.least, self.median].map(|time| time.as_secs_f64() * 1e3);
        write!(f, "best {least:>8.2} ms, median {median:>8.2} ms")
    }
}

/// Runs each case once per round, so that other load on the machine affects all of them equally.
pub fn in_turns(rounds: usize, cases: &mut [(&str, &mut dyn FnMut() -> Duration)]) -> Vec<(String, Times)> {
    let mut times = vec![Vec::with_capacity(rounds); cases.len()];
    for _ in 0..rounds {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            times.push((case.1)());
        }
    }
    cases.iter().zip(times).map(|((name, _), times)| ((*name).to_owned(), Times::of(times))).collect()
}

pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The program that hooks are compared with, built with default settings.
pub fn empty_process(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    std::fs::File::create(&source).and_then(|mut f| f.write_all(b"fn main() {}")).expect("a source file");
    let built = Command::new("rustc").args(["-O", "-o"]).args([&program, &source]).status().expect("rustc");
    assert!(built.success(), "the empty program compiles");
    program
}

/// The time a process takes from start to end.
pub fn timed(command: &mut Command, stdin: &[u8]) -> Duration {
    let begun = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    // An empty process may exit before we write its input.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(stdin));
    child.wait().expect("it ends");
    begun.elapsed()
}

/// Peak memory of a process in megabytes, if the system reports it.
pub fn peak_memory(command: &mut Command, stdin: &[u8]) -> Option<u64> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(stdin));
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().expect("it runs").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).or(peak);
        std::thread::sleep(Duration::from_millis(1));
    }
    peak.map(|kilobytes| kilobytes / 1024)
}

/// A session of about this many bytes with a realistic mix: half of it files and outputs, which the client writes twice
/// into their rows, a fifth progress rows that nobody needs, the rest thoughts, text and edits.
pub fn mixed_session(path: &Path, bytes: usize) -> Transcript {
    let mut words = Words(7);
    let mut transcript = Transcript::new().prompt("Make the importer faster. Never touch the migrations.");
    let (mut written, mut round) = (0, 0);
    while written < bytes {
        round += 1;
        let before = transcript.line_count();
        transcript = round_of_work(transcript, &mut words, round);
        written += transcript.lines()[before..].iter().map(String::len).sum::<usize>();
    }
    transcript.append_to(path);
    transcript
}

fn round_of_work(transcript: Transcript, words: &mut Words, round: usize) -> Transcript {
    let file = format!("/home/user/project/src/part_{}/module_{}.rs", round % 17, round % 211);
    let source = words.lines(90);
    let numbered: Vec<String> = source.lines().zip(1..).map(|(line, n)| format!("{n:>6}→{line}")).collect();
    let read = json!({"type": "text", "file": {"filePath": file, "content": source, "numLines": 90, "startLine": 1, "totalLines": 90}});
    let (old, new) = (words.lines(6), words.lines(7));
    let mut transcript = transcript
        .thinks(&words.lines(12))
        .call("Read", json!({"file_path": file}))
        .result(&numbered.join("\n"), read)
        .says(&words.lines(3))
        .call("Edit", json!({"file_path": file, "old_string": old, "new_string": new}))
        .result(
            &format!("The file {file} has been updated."),
            json!({"filePath": file, "oldString": old, "newString": new, "originalFile": source, "structuredPatch": []}),
        );
    for _ in 0..3 {
        let data = json!({"type": "bash_progress", "output": words.lines(20), "fullOutput": words.lines(20)});
        transcript = transcript.meta_row("progress", json!({"data": data, "toolUseID": "x"}));
    }
    transcript = transcript
        .bash(&format!("cargo test -p part_{} case_{}", round % 17, round % 50))
        .ok(&words.lines(40));
    if round.is_multiple_of(25) {
        transcript = transcript.says(&words.lines(4)).prompt(&format!("Now do the same for part {round}."));
    }
    transcript
}

/// Words that repeat like those of a program; the same on every run.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn word(&mut self) -> String {
        const PLAIN: [&str; 12] =
            ["let", "fn", "return", "if", "the", "value", "of", "match", "for", "error", "self", "when"];
        let plain = PLAIN[(self.next() % 12) as usize];
        let (a, b, c) = (self.next(), self.next(), self.next());
        match self.next() % 8 {
            0 => format!("parse_item_{}", a % 3_000),
            1 => format!("src/part_{}/module_{}.rs:{}", a % 17, b % 211, c % 900),
            2 => format!("\"{plain}\" = {};", a % 10_000),
            3 => format!("ItemReader{}::new()", a % 500),
            _ => plain.to_owned(),
        }
    }

    fn lines(&mut self, lines: usize) -> String {
        let mut text = String::new();
        for _ in 0..lines {
            text.push_str(&" ".repeat(4 * (self.next() % 4) as usize));
            for _ in 0..self.next() % 9 {
                text.push_str(&self.word());
                text.push(' ');
            }
            text.push('\n');
        }
        text
    }
}
