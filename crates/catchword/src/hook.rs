//! `catchword hook`: one JSON object on stdin, what the client should get on stdout, exit 0.
//!
//! Runs on every tool use of somebody's working day. What this path may not do: network, an async runtime, a
//! model, a directory walk, reading settings where nothing depends on them, long transactions, or waiting past its
//! deadline. When a turn or a subagent has ended and the client has its answer, the history may take a moment more, and
//! at the end of a session or a subagent the backup. What follows a compaction is done by a process of its own
//! (`settle`): there the person waits for the client, and the client for us.
//! Whatever goes wrong ends in the log and, for the client, in silence: no output is better than a wrong one.

use std::cell::Cell;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use catchword_engine::agent::event::{EventKind, HookEvent, StartKind};
use catchword_engine::agent::{self, Agent};
use catchword_engine::extract::active::Source;
use catchword_engine::extract::carried::carried;
use catchword_engine::history::History;
use catchword_engine::mask::mask;
use catchword_engine::notes::Note;
use catchword_engine::ops::handoff::Handoff;
use catchword_engine::ops::index::{self, IndexError};
use catchword_engine::ops::start::Host;
use catchword_engine::ops::{self, answer::Surroundings, catch_up::CatchUpError};
use catchword_engine::problem::Problem;
use catchword_engine::session::active::Current;
use catchword_engine::session::one_line;
use catchword_engine::store::{HookRun, Store, StoreError};

use crate::around::commands::Finder;
use crate::around::project;
use crate::config::Config;
use crate::env::Env;
use crate::privacy::LeftOut;
use crate::{backup, git, handoff, host, log, settle};

/// More than any client sends; the rest is read and dropped so that the client's pipe does not break.
const LONGEST_PAYLOAD: u64 = 64 * 1024 * 1024;
/// How long a hook may read a transcript it has never seen. A tick after a tool call stops early and goes on
/// at the next one; around a compaction the whole record is needed.
const TICK: Duration = Duration::from_millis(300);
const COMPACTION: Duration = Duration::from_secs(5);
/// A person waits for a session to start.
const START: Duration = Duration::from_secs(1);
/// Where nothing else is set the client gives the end of a session 1.5 seconds; git and the disk need theirs of it.
const END: Duration = Duration::from_millis(600);
/// What all of the end may take, history and backup included.
const ALL_OF_END: Duration = Duration::from_millis(1_200);
/// How long to wait for another process that writes to the store.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long the end of a turn may take for the history, and how long it waits for another process that writes there.
const HISTORY: Duration = Duration::from_millis(400);
const HISTORY_PATIENCE: Duration = Duration::from_millis(200);

/// Answers one hook event. Never fails, never panics past this point.
pub fn run(env: &Env) {
    let begun = Instant::now();
    guarded(env, || answer(env, &read_stdin(), begun));
}

/// Does `work`; what goes wrong in it is told to the log and to nobody else.
pub fn guarded(env: &Env, work: impl FnOnce() -> Result<(), String>) {
    // A panic is a bug, and one that must not become the client's: without this it would be printed.
    let for_log = env.clone();
    std::panic::set_hook(Box::new(move |panic| log::problem(&for_log, &panic.to_string())));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    if let Ok(Err(problem)) = outcome {
        log::problem(env, &problem);
    }
}

/// All of stdin, as much as any client sends.
pub fn read_stdin() -> Vec<u8> {
    let mut payload = Vec::new();
    let mut stdin = std::io::stdin().lock();
    let read = stdin.by_ref().take(LONGEST_PAYLOAD).read_to_end(&mut payload);
    if read.is_ok_and(|read| read as u64 == LONGEST_PAYLOAD) {
        let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    }
    payload
}

fn answer(env: &Env, payload: &[u8], begun: Instant) -> Result<(), String> {
    let (agent, event) = agent::recognise(payload).ok_or_else(|| not_understood(payload))?;
    if !event.names_a_session() {
        // Whatever it is, it comes from elsewhere.
        let shown = |text: &str| one_line(&mask(text), 80);
        return Err(format!("{}: not a session id: {:?}", shown(&event.name), shown(&event.session)));
    }
    if LeftOut::load(env).holds(&event.session, event.cwd.as_deref()) {
        return Ok(());
    }
    let mut store = opened(env).or_else(|problem| without_store(env, &event, problem))?;
    if matches!(event.kind, EventKind::Start(_)) {
        tell_of_newer(&store, env);
    }
    let config = settings(env, &event.kind);
    let answered = surrounded(env, agent, &event, &config, begun, |around| {
        ops::answer(&mut store, agent, &event, around)
    });
    let unsettled = answered.as_ref().is_ok_and(|answer| answer.unsettled);
    let (problems, failed) = match answered {
        Ok(answer) => {
            print(&answer.stdout);
            // The process ends in a moment, and its memory with it.
            std::mem::forget(answer.spent);
            if answer.lost {
                log::problem(
                    env,
                    &format!("{} {}: the brief had not arrived; sent again", event.name, event.session),
                );
            }
            let busy = answer.failed.as_ref().is_some_and(CatchUpError::is_busy);
            if let Some(document) = &answer.handoff {
                hand_over(&mut store, env, document, busy);
            }
            if let (Some(document), Some(path)) = (&answer.notes, &config.mirror)
                && let Err(problem) = crate::mirror::write(path, document, &event)
            {
                log::problem(env, &problem);
            }
            (answer.problems, answer.failed)
        }
        Err(error) => (Vec::new(), Some(error)),
    };
    let problem = told(&problems, failed.as_ref());
    // A store that was busy a moment ago would be waited for once more.
    if !failed.is_some_and(|f| f.is_busy()) {
        note(&mut store, env, &event, begun, problem.as_deref());
    }
    if unsettled {
        if !settle::start(env, agent, &event) {
            settle::now(env, &mut store, agent, &event, &config, begun);
        }
        leave_open(store, &event);
    } else {
        let notes = if ends_a_turn(&event) { store.numbered_notes(&event.session) } else { Ok(Vec::new()) };
        leave_open(store, &event);
        keep(env, agent, &event, &config, &notes.unwrap_or_default(), begun);
    }
    problem.map_or(Ok(()), |p| Err(format!("{} {}: {p}", event.name, event.session)))
}

/// Does `work` with what lies around a session at an event.
pub fn surrounded<T>(
    env: &Env,
    agent: &Agent,
    event: &HookEvent,
    config: &Config,
    begun: Instant,
    work: impl FnOnce(&Surroundings) -> T,
) -> T {
    let deadline = begun + time_for(&event.kind);
    let client = if is_tick(&event.kind) { None } else { host::client(env) };
    let finder = Finder::new(&agent.commands, config, env);
    // Git works while the session is read and weighed.
    let is_asked = event.kind == EventKind::Start(StartKind::Compact) && event.subagent.is_none();
    let asked = Cell::new(event.cwd.as_deref().filter(|_| is_asked).and_then(git::Asked::of));
    work(&Surroundings {
        now: env.now(),
        budget: config.budget,
        guide: config.guide,
        limits: env.limits,
        plan: &|| Config::load(env).0.plan,
        announce: config.announce,
        mirror: config.mirror.is_some(),
        go_on: &|| Instant::now() < deadline,
        git: &|folder| match asked.take() {
            Some(asked) if event.cwd.as_deref() == Some(folder) => asked.answer(),
            _ => git::look(folder),
        },
        look: &|folder, current| found(env, folder, &finder, current),
        project: &|folder, session| project::look(config, folder, session),
        instructions: config.instructions.as_deref(),
        handoff: config.handoff.on,
        next_start: config.next_start.longest(),
        host: Host {
            client: client.as_deref(),
            attended: env.attended,
            is_alive: &host::is_alive,
            project: &|folder| host::project(env, folder),
            stamp: &host::stamp,
            commits: &git::commits,
        },
    })
}

/// What comes last, when the client has its answer: the history, then the backup.
pub fn keep(
    env: &Env,
    agent: &Agent,
    event: &HookEvent,
    config: &Config,
    notes: &[(u32, Note)],
    begun: Instant,
) {
    if let Some(Err(problem)) =
        env.data_dir.as_deref().map(|folder| keep_history(env, folder, agent, event, notes, begun))
    {
        log::problem(env, &format!("{} {}: history: {problem}", event.name, event.session));
    }
    if let Err(problem) = backup::after(env, config, event, begun + time_for_all(&event.kind)) {
        log::problem(env, &format!("{} {}: {problem}", event.name, event.session));
    }
}

/// The store, waited for as long as a hook may.
pub fn opened(env: &Env) -> Result<Store, String> {
    let folder =
        env.data_dir.as_deref().ok_or("no data directory: neither CATCHWORD_HOME nor HOME is set")?;
    Store::open(folder, env.now(), PATIENCE).map_err(|e| e.to_string())
}

/// After a compaction the agent is told all the same: what it needs stands in the transcript. Everything else can wait
/// until there is a store again.
fn without_store(env: &Env, event: &HookEvent, problem: String) -> Result<Store, String> {
    let told =
        matches!(event.kind, EventKind::Start(StartKind::Compact) | EventKind::BeforeCompaction { .. });
    if !told || event.subagent.is_some() {
        return Err(problem);
    }
    log::problem(env, &problem);
    Store::for_now().map_err(|e| e.to_string())
}

/// A store of a newer version is used as far as this one knows it. Whoever runs both should hear of it, once.
fn tell_of_newer(store: &Store, env: &Env) {
    if let Ok(Some((found, known))) = store.newer() {
        log::once(env, &newer(found, known));
    }
}

/// What is said of a store whose shape is `found` where this version knows `known`.
pub fn newer(found: usize, known: usize) -> String {
    format!(
        "the store is from a newer catchword (shape {found}, this one knows {known}): it is left as it is"
    )
}

fn time_for(kind: &EventKind) -> Duration {
    match kind {
        EventKind::Start(StartKind::Compact) => COMPACTION,
        EventKind::Start(_) => START,
        EventKind::End(_) => END,
        kind if is_tick(kind) => TICK,
        _ => COMPACTION,
    }
}

/// When nothing more is begun, whatever is left to do.
fn time_for_all(kind: &EventKind) -> Duration {
    if matches!(kind, EventKind::End(_)) { ALL_OF_END } else { time_for(kind) }
}

/// Puts a handoff where it belongs; one that cannot be written is told to the log. A store that is `busy` does not hear
/// of it.
pub fn hand_over(store: &mut Store, env: &Env, document: &Handoff, busy: bool) {
    // A tick has not read the settings, and hardly ever has a handoff.
    let config = Config::load(env).0;
    if !config.handoff.on {
        return;
    }
    let put = handoff::put(env, &config, document);
    let noted = put.and_then(|path| {
        if busy {
            return Err(format!("{}: the store is busy; only the handoff was written", document.session));
        }
        store.handoff_written(&document.session, &path).map_err(|error| error.to_string())
    });
    if let Err(problem) = noted {
        log::problem(env, &problem);
    }
}

/// A command's file; what is wrong with its marks is told to the log.
fn found(env: &Env, folder: &Path, finder: &Finder, current: &Current) -> Option<Source> {
    let source = finder.look(folder, current)?;
    for problem in carried(&source.text).problems {
        log::problem(env, &format!("{}: {problem}", source.shown));
    }
    Some(source)
}

fn ends_a_turn(event: &HookEvent) -> bool {
    matches!(event.kind, EventKind::TurnEnd | EventKind::End(_) | EventKind::AfterCompaction { .. })
        && event.subagent.is_none()
}

/// Takes the rows of a turn or of a subagent into the history, when it has ended: the client has its answer by then.
/// What there is no time for, or what another process is writing, comes with the next turn; what a subagent wrote after
/// its end, after a compaction or at the end of the session.
fn keep_history(
    env: &Env,
    folder: &Path,
    agent: &Agent,
    event: &HookEvent,
    notes: &[(u32, Note)],
    begun: Instant,
) -> Result<(), StoreError> {
    if !ends_a_turn(event) && event.kind != EventKind::SubagentEnd {
        return Ok(());
    }
    let Some((thread, path)) = backup::ended(event) else { return Ok(()) };
    let deadline = Instant::now() + HISTORY;
    let deadline =
        if is_tick(&event.kind) { deadline } else { deadline.min(begun + time_for_all(&event.kind)) };
    let go_on = || Instant::now() < deadline;
    let keep = || {
        let mut history = History::open(folder, env.now(), HISTORY_PATIENCE)?;
        let mut files = vec![(thread, path.to_owned())];
        if matches!(event.kind, EventKind::End(_) | EventKind::AfterCompaction { .. }) {
            let subagents = history.subagents(&event.session)?;
            files.extend(subagents.into_iter().map(|source| (source.thread, source.path)));
        }
        for (thread, path) in files {
            match index::transcript(&mut history, agent, &thread, &path, &go_on) {
                Err(IndexError::Store(error)) => return Err(error),
                // The answer has been told of it already.
                Err(IndexError::Transcript { .. }) | Ok(_) => {}
            }
        }
        if event.kind == EventKind::SubagentEnd {
            return Ok(());
        }
        history.take_notes(&event.session, notes)?;
        history.session_ended(&event.session, matches!(event.kind, EventKind::End(_)).then(|| env.now()))
    };
    match keep() {
        Err(error) if error.is_busy() => Ok(()),
        Err(error) if error.is_damage() => History::set_aside(folder, env.now()).and(Err(error)),
        other => other,
    }
}

/// The settings are only read when there is something to say or to write.
pub fn settings(env: &Env, kind: &EventKind) -> Config {
    if is_tick(kind) {
        return Config::default();
    }
    let (config, problems) = Config::load(env);
    for problem in problems {
        log::problem(env, &problem);
    }
    config
}

fn not_understood(payload: &[u8]) -> String {
    match payload.len() {
        0 => "empty stdin: a hook is called by the client with a JSON object".to_owned(),
        n => format!("not a hook payload ({n} bytes)"),
    }
}

fn is_tick(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Tools | EventKind::Prompt | EventKind::SubagentEnd | EventKind::Other)
}

/// A closed pipe means that the client has gone: nobody to tell.
pub fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

/// What went wrong, in one text.
pub fn told(problems: &[Problem], failed: Option<&CatchUpError>) -> Option<String> {
    let rows = problems.iter().map(Problem::to_string);
    let texts: Vec<String> = rows.chain(failed.map(ToString::to_string)).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

fn note(store: &mut Store, env: &Env, event: &HookEvent, begun: Instant, problem: Option<&str>) {
    let run = HookRun {
        at: env.now(),
        event: event.name.clone(),
        session: event.session.clone(),
        micros: begun.elapsed().as_micros() as i64,
        problem: problem.map(str::to_owned),
    };
    let noted = if is_of_compaction(event) { store.ran_in_compaction(&run) } else { store.ran(&run) };
    let Err(error) = noted else { return };
    // What the hook had to do is done; that a busy moment has no note of it is nothing to report.
    if error.is_busy() {
        return;
    }
    log::problem(env, &error.to_string());
    if error.is_damage()
        && let Err(error) = store.begin_anew(env.now())
    {
        log::problem(env, &error.to_string());
    }
}

/// One of the four hooks of a compaction of the main conversation; the summariser is a subagent of the client's.
fn is_of_compaction(event: &HookEvent) -> bool {
    match event.kind {
        EventKind::SummaryReady { .. } => true,
        EventKind::BeforeCompaction { .. }
        | EventKind::Start(StartKind::Compact)
        | EventKind::AfterCompaction { .. } => event.subagent.is_none(),
        _ => false,
    }
}

/// Closing the last connection moves `SQLite`'s log into the file and takes it away, which neither a tick nor a compaction
/// has time for. The end of a turn has moved it already ([`Store::tidy`]), and what it wrote since has begun the log anew:
/// left there, the next hook need not make another, which is waited for until it is on the disk.
fn leave_open(store: Store, event: &HookEvent) {
    if is_tick(&event.kind) || is_of_compaction(event) || event.kind == EventKind::TurnEnd {
        std::mem::forget(store);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        // The folder is the parent's; it comes as the working directory.
        Env { data_dir: std::env::current_dir().ok(), ..Env::default() }
    }

    /// Run by the test below, in a process of its own: a panic's hook is a whole process's.
    #[test]
    #[ignore = "a helper of a_panic_reaches_the_log_and_nobody_else"]
    fn panicking() {
        guarded(&env(), || panic!("a bug"));
    }

    #[test]
    fn a_panic_reaches_the_log_and_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let mut helper = std::process::Command::new(std::env::current_exe().unwrap());
        helper.args(["--exact", "hook::tests::panicking", "--ignored", "--nocapture"]);
        let output = helper.current_dir(folder.path()).env("RUST_BACKTRACE", "1").output().unwrap();
        assert!(output.status.success());
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains("1 passed") && !stdout.contains("a bug"), "{stdout}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let log = std::fs::read_to_string(folder.path().join("hook.log")).unwrap();
        assert!(log.contains("a bug") && log.lines().count() == 1, "{log}");
    }
}
