//! Signals: caught here, passed on to the client's process group.
//!
//! A counterpart for Windows does what can be done there: the console tells every program of a Ctrl-C by itself,
//! and a child can only be ended.

pub use platform::{KILL, TERMINATE, listen, own_group, send};

#[cfg(unix)]
mod platform {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::mpsc::Sender;

    use rustix::process::{Pid, Signal, kill_process_group};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    use crate::cmd::run::process::RunEvent;

    /// Please end.
    pub const TERMINATE: i32 = SIGTERM;
    /// End.
    pub const KILL: i32 = SIGKILL;

    /// Tells of every signal that would end us.
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

    /// The child leads a group of its own.
    pub fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Sends a signal to the child and what it has started; nothing once it has been waited for.
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

    use crate::cmd::run::process::Event;

    /// Please end.
    pub const TERMINATE: i32 = 15;
    /// End.
    pub const KILL: i32 = 9;

    /// The console tells the client itself.
    pub fn listen(_: &Sender<Event>) -> std::io::Result<()> {
        Ok(())
    }

    /// There are no groups to speak of.
    pub fn own_group(_: &mut Command) {}

    /// All that can be done to a child is to end it.
    pub fn send(child: &mut Child, _: i32) {
        let _ = child.kill();
    }
}
