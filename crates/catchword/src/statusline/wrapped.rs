//! Somebody's own status line, which ours was put around: started with the same stdin, shown above ours.
//!
//! It runs the way the client would run it, while ours is drawn. One that takes too long or fails is not shown, and
//! nobody is told: a status line has no place for that.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use catchword_engine::agent::claude_code::setup::{STATUS_LINE_KEPT, STATUS_LINE_WITH};

use crate::env::Env;
use crate::install;

/// How long it may take. Status lines that start an interpreter and ask git take half a second.
const DEADLINE: Duration = Duration::from_secs(2);
/// More than anybody shows.
const MOST: u64 = 64 * 1024;

/// A status line that was started.
pub struct Wrapped {
    child: Child,
    output: Receiver<Vec<u8>>,
    begun: Instant,
}

impl Wrapped {
    /// Starts the one that `init` has kept, where the call names one.
    pub fn start(env: &Env, payload: &[u8]) -> Option<Wrapped> {
        let named = |name: &str| {
            let at = env.args.iter().position(|arg| arg == name)?;
            env.args.get(at + 1)?.to_str()
        };
        let record = named(STATUS_LINE_WITH).zip(env.data_dir.as_deref());
        let command = record
            .and_then(|(key, data)| install::kept_status_line(data, key))
            .or_else(|| named(STATUS_LINE_KEPT).and_then(install::runs))?;
        let mut child = shell(&command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (mut stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
        let payload = payload.to_owned();
        // One that does not read its input, or never stops talking, must not hold us up.
        std::thread::spawn(move || stdin.write_all(&payload));
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            if stdout.take(MOST).read_to_end(&mut text).is_ok() {
                let _ = sender.send(text);
            }
        });
        Some(Wrapped { child, output, begun: Instant::now() })
    }

    /// Its lines, as it wrote them; none where it failed.
    pub fn lines(mut self) -> Vec<String> {
        let text =
            self.output.recv_timeout(DEADLINE.saturating_sub(self.begun.elapsed())).unwrap_or_default();
        if !self.succeeds() {
            return Vec::new();
        }
        String::from_utf8_lossy(&text).trim_end().lines().map(str::to_owned).collect()
    }

    /// Waits for its end, which follows the end of its output at once, or ends it.
    fn succeeds(&mut self) -> bool {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.success(),
                Ok(None) if self.begun.elapsed() < DEADLINE => std::thread::sleep(Duration::from_millis(1)),
                _ => break,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        false
    }
}

fn shell(command: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut shell = Command::new(program);
    shell.arg(flag).arg(command);
    shell
}
