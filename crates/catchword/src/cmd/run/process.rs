//! The client as a child process: started, spoken to, listened to, ended.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};

use super::signals;

/// What happens to a run, from wherever.
#[derive(Debug)]
pub enum RunEvent {
    /// A session's row, without its end of line.
    Row(u32, Vec<u8>),
    /// A session's output has ended.
    Closed(u32),
    /// A line on our own stdin.
    Input(String),
    /// The end of our own stdin.
    InputEnd,
    /// A signal for us.
    #[cfg_attr(
        not(unix),
        expect(dead_code, reason = "there, the client gets what the terminal sends by itself")
    )]
    Signal(i32),
}

/// A running session.
pub struct ClientProcess {
    /// Which one of the run, from 1.
    pub number: u32,
    child: Child,
    words: Option<Sender<String>>,
}

impl ClientProcess {
    /// Starts the client in a process group of its own, so that a signal reaches it once: through us. What it has
    /// to say on stderr goes to ours.
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
        // In a thread: a client that does not read must not keep us from hearing a signal.
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

    /// Says a line. A client that has gone does not listen; its end is told by its output.
    pub fn say(&mut self, line: &str) {
        if let Some(words) = &self.words {
            let _ = words.send(format!("{line}\n"));
        }
    }

    /// There is nothing more to say: the client finishes what it does and ends.
    pub fn hang_up(&mut self) {
        self.words = None;
    }

    /// Passes a signal on to the client and what it has started.
    pub fn signal(&mut self, signal: i32) {
        signals::send(&mut self.child, signal);
    }

    /// Asks it to end now.
    pub fn terminate(&mut self) {
        self.signal(signals::TERMINATE);
    }

    /// Ends it for certain.
    pub fn kill(&mut self) {
        self.signal(signals::KILL);
        let _ = self.child.kill();
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> std::io::Result<ExitStatus> {
        self.hang_up();
        self.child.wait()
    }
}

/// Says every line until there are no more, then closes.
fn speak(mut to: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if to.write_all(line.as_bytes()).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

/// Hands on every line of `from` until its end, or until nobody wants more.
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

/// The code by which a shell would tell of this end.
pub fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return (128 + signal) as u8;
    }
    status.code().unwrap_or(1) as u8
}
