//! `catchword hook`: one JSON object on stdin, what the client should get on stdout, exit 0.
//!
//! Runs on every tool use of somebody's working day. What this path may not do: network, an async runtime, a
//! model, a directory walk, reading settings, more than one short transaction, or waiting past its deadline.
//! Whatever goes wrong ends in the log and, for the client, in silence: no output is better than a wrong one.

use std::io::{Read, Write};

use std::time::{Duration, Instant};

use catchword_engine::agent::{self, event::EventKind};
use catchword_engine::ops::{self, answer::Surroundings};
use catchword_engine::store::{HookRun, Store};
use catchword_engine::{problem::Problem, render};

use crate::env::Env;
use crate::log;

/// More than any client sends; the rest is read and dropped so that the client's pipe does not break.
const LONGEST_PAYLOAD: u64 = 64 * 1024 * 1024;
/// How long a hook may read a transcript it has never seen. A tick after a tool call stops early and goes on
/// at the next one; around a compaction the whole record is needed.
const TICK: Duration = Duration::from_millis(300);
const COMPACTION: Duration = Duration::from_secs(5);
/// How long to wait for another process that writes to the store.
const PATIENCE: Duration = Duration::from_millis(500);

/// Answers one hook event. Never fails, never panics past this point.
pub fn run(env: &Env) {
    let begun = Instant::now();
    let payload = read_stdin();
    // A panic is a bug, and one that must not become the client's.
    let outcome = std::panic::catch_unwind(|| answer(env, &payload, begun));
    let problem = match outcome {
        Ok(Ok(())) => return,
        Ok(Err(problem)) => problem,
        Err(_) => "panicked".to_owned(),
    };
    log::problem(env, &problem);
}

fn read_stdin() -> Vec<u8> {
    let mut payload = Vec::new();
    let mut stdin = std::io::stdin().lock();
    let _ = stdin.by_ref().take(LONGEST_PAYLOAD).read_to_end(&mut payload);
    let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    payload
}

fn answer(env: &Env, payload: &[u8], begun: Instant) -> Result<(), String> {
    let (agent, event) = agent::recognise(payload).ok_or_else(|| not_understood(payload))?;
    let folder =
        env.data_dir.as_deref().ok_or("no data directory: neither CATCHWORD_HOME nor HOME is set")?;
    let mut store = Store::open(folder, env.now(), PATIENCE).map_err(|e| e.to_string())?;
    let deadline = begun + if is_tick(&event.kind) { TICK } else { COMPACTION };
    let around = Surroundings {
        now: env.now(),
        budget: env.budget().unwrap_or(render::DEFAULT_BUDGET),
        go_on: &|| Instant::now() < deadline,
        git: &crate::git::look,
    };
    let answer = ops::answer(&mut store, agent, &event, &around);
    if let Ok(answer) = &answer {
        print(&answer.stdout);
    }
    let problem = match &answer {
        Ok(answer) => told(&answer.problems),
        Err(error) => Some(error.to_string()),
    };
    note(&mut store, env, &event.name, &event.session, begun, problem.as_deref());
    leave_open(store, &event.kind);
    problem.map_or(Ok(()), |p| Err(format!("{} {}: {p}", event.name, event.session)))
}

fn not_understood(payload: &[u8]) -> String {
    match payload.len() {
        0 => "empty stdin: a hook is called by the client with a JSON object".to_owned(),
        n => format!("not a hook payload ({n} bytes)"),
    }
}

fn is_tick(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Tools | EventKind::Prompt | EventKind::Other)
}

/// A closed pipe means that the client has gone: nobody to tell.
fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

fn told(problems: &[Problem]) -> Option<String> {
    let texts: Vec<String> = problems.iter().map(Problem::to_string).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

fn note(store: &mut Store, env: &Env, event: &str, session: &str, begun: Instant, problem: Option<&str>) {
    let run = HookRun {
        at: env.now(),
        event: event.to_owned(),
        session: session.to_owned(),
        micros: begun.elapsed().as_micros() as i64,
        problem: problem.map(str::to_owned),
    };
    if let Err(error) = store.ran(&run) {
        log::problem(env, &error.to_string());
    }
}

/// Closing the last connection moves SQLite's log into the file, which a tick has no time for; the end of a
/// turn has done it already.
fn leave_open(store: Store, kind: &EventKind) {
    if is_tick(kind) {
        std::mem::forget(store);
    }
}
