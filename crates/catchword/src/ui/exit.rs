//! The exit codes that people and scripts may rely on.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Ok,
    /// It worked, but found something that needs attention (`doctor` with a failed check).
    Attention,
    /// It worked, and there is nothing to show (`search` without a hit).
    Nothing,
    /// It failed; the message says why and what to do.
    Failed,
    /// The exit code of the program it ran (`run`).
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
