//! Somebody's own status line, which ours was put around: started with the same stdin, shown above ours.
//!
//! It runs the way the client would run it, while ours is drawn. One that takes too long or fails is not shown, and
//! nobody is told: a status line has no place for that.

use std::time::Duration;

use catchword_engine::clients::setup::{STATUS_LINE_KEPT, STATUS_LINE_WITH};

use crate::app::env::Env;
use crate::app::process::{self, RunLimits, RunningProcess};
use crate::install;

/// Status lines that start an interpreter and ask git take half a second; nobody shows more than this.
const LIMITS: RunLimits = RunLimits { time: Duration::from_secs(2), output: 64 * 1024 };

/// A status line that was started.
pub struct Wrapped(RunningProcess);

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
        RunningProcess::start(&mut process::shell(&command), Some(payload.to_owned()), LIMITS).map(Wrapped)
    }

    /// Its lines, as it wrote them; none where it failed.
    pub fn lines(self) -> Vec<String> {
        let text = self.0.output().unwrap_or_default();
        String::from_utf8_lossy(&text).trim_end().lines().map(str::to_owned).collect()
    }
}
