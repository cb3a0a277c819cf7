//! What follows a compaction and nobody waits for: the fold brought up to date, the handoff, the history, the backup.
//!
//! The hook answers and starts this binary once more, as `catchword settle`, which nobody else calls. That process has
//! nothing of the client's: no pipe, no terminal, a process group of its own, so that it neither keeps a client that
//! ends nor is ended with it. It works like a hook: the same short transactions and patience, problems into the log, a
//! deadline. All of it can be done twice or be cut short: the next hook goes on where it stopped. Where it cannot be
//! started, or is not wanted (`CATCHWORD_IN_PLACE`), the hook does the same itself, after its answer.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use catchword_engine::agent::event::{EventKind, HookEvent};
use catchword_engine::agent::{self, Agent};
use catchword_engine::ops::{answer::settle, catch_up::CatchUpError};
use catchword_engine::store::Store;

use crate::config::Config;
use crate::env::Env;
use crate::privacy::LeftOut;
use crate::{hook, log};

/// How the process is called.
pub const VERB: &str = "settle";
/// After this it ends, whatever it waits for.
const LONGEST: Duration = Duration::from_secs(60);

/// Starts the process; false where the hook has to do the work itself.
pub fn start(env: &Env, agent: &Agent, event: &HookEvent) -> bool {
    let (false, Some(exe)) = (env.in_place, env.exe.as_deref()) else { return false };
    let mut command = Command::new(exe);
    command.arg(VERB).args(arguments(agent, event));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    apart(&mut command);
    // Not waited for: it outlives the hook, and whoever takes in orphans buries it.
    command.spawn().is_ok()
}

#[cfg(unix)]
fn apart(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(windows)]
fn apart(command: &mut Command) {
    const DETACHED_PROCESS: u32 = 0x8;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    std::os::windows::process::CommandExt::creation_flags(
        command,
        DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
    );
}

#[cfg(not(any(unix, windows)))]
fn apart(_: &mut Command) {}

/// What the process has to know of the event.
fn arguments(agent: &Agent, event: &HookEvent) -> [OsString; 5] {
    let path = |path: &Option<PathBuf>| path.clone().unwrap_or_default().into_os_string();
    [
        agent.name.into(),
        event.session.clone().into(),
        event.name.clone().into(),
        path(&event.transcript),
        path(&event.cwd),
    ]
}

/// The event that such arguments tell of.
fn event_of(arguments: &[OsString]) -> Option<(&'static Agent, HookEvent)> {
    let [agent, session, name, transcript, cwd] = arguments else { return None };
    let agent = agent::AGENTS.iter().find(|known| agent == known.name)?;
    let path = |path: &OsString| (!path.is_empty()).then(|| PathBuf::from(path));
    let event = HookEvent {
        kind: EventKind::AfterCompaction { summary: None },
        session: session.to_str()?.to_owned(),
        name: name.to_str()?.to_owned(),
        transcript: path(transcript),
        cwd: path(cwd),
        ..HookEvent::default()
    };
    event.names_a_session().then_some((agent, event))
}

/// The process. The work is done on a thread, so that a disk that is gone cannot keep it for ever.
pub fn run(env: &Env) {
    let (done, is_done) = std::sync::mpsc::channel();
    let theirs = env.clone();
    std::thread::spawn(move || {
        hook::guarded(&theirs, || from_arguments(&theirs, Instant::now()));
        let _ = done.send(());
    });
    if is_done.recv_timeout(LONGEST).is_err() {
        log::problem(env, "settle: not done in time; the next hook goes on from there");
    }
}

fn from_arguments(env: &Env, begun: Instant) -> Result<(), String> {
    let (agent, event) = event_of(&env.args[1..]).ok_or("settle: called by hooks only")?;
    // It may have been forgotten a moment ago.
    if LeftOut::load(env).holds(&event.session, event.cwd.as_deref()) {
        return Ok(());
    }
    let mut store = hook::opened(env)?;
    // A session that is over meanwhile has done all of it at its end, with a handoff that is newer.
    if store.held(&event.session).is_ok_and(|held| held.is_some_and(|held| held.ended)) {
        return Ok(());
    }
    let config = hook::settings(env, &event.kind);
    now(env, &mut store, agent, &event, &config, begun);
    Ok(())
}

/// Does it here and now.
pub fn now(env: &Env, store: &mut Store, agent: &Agent, event: &HookEvent, config: &Config, begun: Instant) {
    let settled =
        hook::surrounded(env, agent, event, config, begun, |around| settle(store, agent, event, around));
    let problem = match settled {
        Ok(answer) => {
            let busy = answer.failed.as_ref().is_some_and(CatchUpError::is_busy);
            if let Some(document) = &answer.handoff {
                hook::hand_over(store, env, document, busy);
            }
            hook::told(&answer.problems, answer.failed.as_ref())
        }
        Err(error) => Some(error.to_string()),
    };
    if let Some(problem) = problem {
        log::problem(env, &format!("{} {}: {problem}", event.name, event.session));
    }
    let notes = store.numbered_notes(&event.session).unwrap_or_default();
    hook::keep(env, agent, event, config, &notes, begun);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_comes_through_as_it_was() {
        let event = HookEvent {
            kind: EventKind::AfterCompaction { summary: None },
            session: "a-b".into(),
            name: "PostCompact".into(),
            transcript: Some("/t/a b.jsonl".into()),
            ..HookEvent::default()
        };
        let (agent, came) = event_of(&arguments(&agent::AGENTS[0], &event)).unwrap();
        assert_eq!((agent.name, came), (agent::AGENTS[0].name, event));
    }

    #[test]
    fn whatever_else_somebody_types_is_no_event() {
        let of = |words: &[&str]| event_of(&words.iter().map(OsString::from).collect::<Vec<_>>()).is_some();
        assert!(of(&["claude-code", "s", "PostCompact", "", ""]));
        for wrong in
            [&["claude-code", "../s", "PostCompact", "", ""][..], &["nobody", "s", "P", "", ""], &["s"], &[]]
        {
            assert!(!of(wrong), "{wrong:?}");
        }
    }
}
