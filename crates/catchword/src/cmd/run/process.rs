//! The client as a child process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};

use super::event::RunEvent;
use super::signals;

/// A running session.
pub struct ClientProcess {
    /// The number of the session in the run, from 1.
    pub number: u32,
    child: Child,
    words: Option<Sender<String>>,
}

impl ClientProcess {
    /// Starts the client in its own process group, so that a signal reaches it only once, through us. Its stderr is
    /// ours.
    pub fn start(
        program: &str,
        words: &[String],
        number: u32,
        events: &Sender<RunEvent>,
    ) -> std::io::Result<ClientProcess> {
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        signals::own_group(&mut command);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().expect("stdin is piped");
        // In a thread: a client that does not read must not keep us from handling a signal.
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || speak(stdin, &lines));
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let events = events.clone();
        std::thread::spawn(move || {
            listen(stdout, |row| events.send(RunEvent::Row(number, row)).is_ok());
            let _ = events.send(RunEvent::Closed(number));
        });
        Ok(ClientProcess { number, child, words: Some(sender) })
    }

    /// Sends a line. If the client is gone this does nothing; the end of its output reports that.
    pub fn say(&mut self, line: &str) {
        if let Some(words) = &self.words {
            let _ = words.send(format!("{line}\n"));
        }
    }

    /// Closes the client's stdin: it finishes its work and exits.
    pub fn hang_up(&mut self) {
        self.words = None;
    }

    /// Sends a signal to the client and its children.
    pub fn signal(&mut self, signal: i32) {
        signals::send(&mut self.child, signal);
    }

    /// Sends SIGTERM.
    pub fn terminate(&mut self) {
        self.signal(signals::TERMINATE);
    }

    /// Sends SIGKILL.
    pub fn kill(&mut self) {
        self.signal(signals::KILL);
        let _ = self.child.kill();
    }

    /// Its exit status, if it has exited.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    pub fn wait(&mut self) -> std::io::Result<ExitStatus> {
        self.hang_up();
        self.child.wait()
    }
}

/// Writes every line, then closes the pipe.
fn speak(mut to: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if to.write_all(line.as_bytes()).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

/// Passes every line of `from` on until its end, or until no more are wanted.
pub fn listen(mut from: impl BufRead, mut each: impl FnMut(Vec<u8>) -> bool) {
    loop {
        let mut line = Vec::new();
        match from.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                while line.last().is_some_and(|end| matches!(end, b'\n' | b'\r')) {
                    line.pop();
                }
                if !line.is_empty() && !each(line) {
                    return;
                }
            }
        }
    }
}

/// The exit code a shell would report.
pub fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return (128 + signal) as u8;
    }
    status.code().unwrap_or(1) as u8
}
