//! A call by a client: which client it is, what it sends, and a guard so that nothing but an answer reaches it.
//!
//! Shared by the hook and the status line, which the client starts at every turn.

use std::io::{IsTerminal, Read, Write};

use catchword_engine::clients::{self, Client};
use catchword_engine::session::one_line;

use super::env::Env;
use super::log;

/// More than any client sends; the rest is read and dropped so that the client's pipe does not break.
const LONGEST_PAYLOAD: u64 = 64 * 1024 * 1024;
/// How long stdin may stay silent.
#[cfg(unix)]
const SILENCE: std::time::Duration = std::time::Duration::from_secs(2);
/// How long to wait for a payload that nobody announced: a client writes it while the program starts.
#[cfg(unix)]
const AT_ONCE: std::time::Duration = std::time::Duration::from_millis(300);

/// The calling client: the word after `hook` or `statusline`. If that is not a client, the log says what to do.
pub fn caller(env: &Env) -> Option<&'static Client> {
    let word = |at: usize| env.args.get(at).map(|word| word.to_string_lossy()).unwrap_or_default();
    let (command, client) = (word(0), word(1));
    let found = clients::named(&client);
    if found.is_none() {
        let known: Vec<&str> = clients::CLIENTS.iter().map(|client| client.name).collect();
        let why = match &*client {
            "" => "does not name the client that calls it".to_owned(),
            client => format!("names an unknown client: {:?}", one_line(client, 80)),
        };
        // Logged once, because it happens at every event until somebody acts.
        let known = known.join(", ");
        log::once(env, &format!("`catchword {command}` {why} (known: {known}); run `catchword init` again"));
    }
    found
}

/// Runs `work`; errors and panics only go to the log.
pub fn guarded(env: &Env, work: impl FnOnce() -> Result<(), String>) {
    // A panic is a bug that must not reach the client; the default hook would print it.
    let for_log = env.clone();
    std::panic::set_hook(Box::new(move |panic| log::problem(&for_log, &panic.to_string())));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    if let Ok(Err(problem)) = outcome {
        log::problem(env, &problem);
    }
}

/// All of stdin, up to a limit. Does not wait for a pipe that stays open and silent: what has arrived by then is used.
pub fn read_stdin() -> Vec<u8> {
    let (mut payload, mut stdin) = (Vec::new(), Stdin::open());
    let read = stdin.by_ref().take(LONGEST_PAYLOAD).read_to_end(&mut payload);
    if read.is_ok_and(|read| read as u64 == LONGEST_PAYLOAD) {
        let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    }
    payload
}

#[cfg(not(unix))]
struct Stdin;

#[cfg(not(unix))]
impl Stdin {
    fn open() -> std::io::StdinLock<'static> {
        std::io::stdin().lock()
    }
}

/// Ends if nothing arrives for [`SILENCE`].
#[cfg(unix)]
struct Stdin(std::io::Stdin);

#[cfg(unix)]
impl Stdin {
    fn open() -> Stdin {
        Stdin(std::io::stdin())
    }
}

#[cfg(unix)]
impl Read for Stdin {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        if is_ready(&self.0, SILENCE) { Ok(rustix::io::read(&self.0, room)?) } else { Ok(0) }
    }
}

/// Whether there is something to read, or the end. Files are always ready; what cannot be polled is read without a
/// time-out.
#[cfg(unix)]
fn is_ready(from: impl std::os::fd::AsFd, limit: std::time::Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
    !matches!(poll(&mut [PollFd::new(&from, PollFlags::IN)], Some(&limit)), Ok(0))
}

/// A JSON object that comes with a call which need not read anything.
pub fn unasked_payload() -> Option<Vec<u8>> {
    let stdin = std::io::stdin();
    #[cfg(unix)]
    let comes = || is_ready(&stdin, AT_ONCE);
    #[cfg(not(unix))]
    let comes = || true;
    let payload = if stdin.is_terminal() || !comes() { Vec::new() } else { read_stdin() };
    payload.trim_ascii_start().starts_with(b"{").then_some(payload)
}

/// Ignores a closed pipe, which means that the client is gone.
pub fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        // The parent test passes its folder as the working directory.
        Env { data_dir: std::env::current_dir().ok(), ..Env::default() }
    }

    /// Run by the test below in its own process, because a panic hook is global.
    #[test]
    #[ignore = "a helper of panics_reach_only_the_log"]
    fn panicking() {
        guarded(&env(), || panic!("a bug"));
    }

    #[test]
    fn panics_reach_only_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let mut helper = std::process::Command::new(std::env::current_exe().unwrap());
        helper.args(["--exact", "app::call::tests::panicking", "--ignored", "--nocapture"]);
        let output = helper.current_dir(folder.path()).env("RUST_BACKTRACE", "1").output().unwrap();
        assert!(output.status.success());
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains("1 passed") && !stdout.contains("a bug"), "{stdout}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let log = std::fs::read_to_string(folder.path().join("hook.log")).unwrap();
        assert!(log.contains("a bug") && log.lines().count() == 1, "{log}");
    }
}
