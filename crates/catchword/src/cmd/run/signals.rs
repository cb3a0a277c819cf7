//! Catches signals and sends them to the client's process group.
//!
//! On Windows the console notifies every program of a Ctrl-C itself, and a child can only be killed.

pub use platform::{KILL, TERMINATE, listen, own_group, send};

#[cfg(unix)]
mod platform {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::mpsc::Sender;

    use rustix::process::{Pid, Signal, kill_process_group};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    use crate::cmd::run::event::RunEvent;

    pub const TERMINATE: i32 = SIGTERM;
    pub const KILL: i32 = SIGKILL;

    /// Sends every signal that would end us as an event.
    pub fn listen(events: &Sender<RunEvent>) -> std::io::Result<()> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
        let events = events.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if events.send(RunEvent::Signal(signal)).is_err() {
                    return;
                }
            }
        });
        Ok(())
    }

    /// Makes the child the leader of its own process group.
    pub fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Sends a signal to the child and its children; nothing once it has been waited for.
    pub fn send(child: &mut Child, signal: i32) {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = kill_process_group(Pid::from_child(child), signal);
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::process::{Child, Command};
    use std::sync::mpsc::Sender;

    use crate::cmd::run::event::RunEvent;

    pub const TERMINATE: i32 = 15;
    pub const KILL: i32 = 9;

    /// The console notifies the client itself.
    pub fn listen(_: &Sender<RunEvent>) -> std::io::Result<()> {
        Ok(())
    }

    /// There are no process groups.
    pub fn own_group(_: &mut Command) {}

    /// A child can only be killed.
    pub fn send(child: &mut Child, _: i32) {
        let _ = child.kill();
    }
}
