//! The exit codes people and scripts may rely on.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Ok,
    /// It worked, and what it found needs attention (`doctor` with a failed check).
    Attention,
    /// It worked, and there is nothing to show (`search` without a hit).
    Nothing,
    /// It could not do what was asked; the message says why and what to do.
    Failed,
    /// The program it ran ended with this code (`run`).
    Like(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Ok => ExitCode::SUCCESS,
            Exit::Attention | Exit::Nothing | Exit::Failed => ExitCode::FAILURE,
            Exit::Like(code) => ExitCode::from(code),
        }
    }
}
