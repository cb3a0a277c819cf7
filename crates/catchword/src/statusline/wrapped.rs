//! The user's own status line, which ours wraps: started with the same stdin, shown above ours.
//!
//! It runs the way the client would run it, while ours is drawn. If it takes too long or fails it is not shown; a
//! status line has no room for errors.

use std::time::Duration;

use catchword_engine::clients::setup::{STATUS_LINE_KEPT, STATUS_LINE_WITH};

use crate::app::env::Env;
use crate::app::process::{self, RunLimits, RunningProcess};
use crate::install;

/// Status lines that start an interpreter and run git take half a second; none prints more than this.
const LIMITS: RunLimits = RunLimits { time: Duration::from_secs(2), output: 64 * 1024 };

pub struct Wrapped(RunningProcess);

impl Wrapped {
    /// Starts the one that `init` recorded, if the call names one.
    pub fn start(env: &Env, payload: &[u8]) -> Option<Wrapped> {
        let named = |name: &str| {
            let at = env.args.iter().position(|arg| arg == name)?;
            env.args.get(at + 1)?.to_str()
        };
        let record = named(STATUS_LINE_WITH).zip(env.data_dir.as_deref());
        let command = record
            .and_then(|(key, data)| install::kept_status_line(data, key))
            .or_else(|| named(STATUS_LINE_KEPT).and_then(install::runs))?;
        RunningProcess::start(&mut process::shell(&command), Some(payload.to_owned()), LIMITS).map(Wrapped)
    }

    /// Its lines, unchanged; empty if it failed.
    pub fn lines(self) -> Vec<String> {
        let text = self.0.output().unwrap_or_default();
        String::from_utf8_lossy(&text).trim_end().lines().map(str::to_owned).collect()
    }
}
