//! Finds programs on `PATH` and asks a client for its version.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use catchword_engine::clients::Client;

use crate::app::process::{RunLimits, output_of};

/// Limits for asking a client for its version (it takes 0.2 s).
const VERSION_LIMITS: RunLimits = RunLimits { time: Duration::from_secs(5), output: 4096 };

/// The first program of this name on `path`.
pub fn on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    let names = if cfg!(windows) {
        vec![format!("{name}.exe"), format!("{name}.cmd")]
    } else {
        vec![name.to_owned()]
    };
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let mut candidates =
        folders.flat_map(|folder| names.iter().map(move |n| folder.join(n)).collect::<Vec<_>>());
    candidates.find(|file| is_program(file))
}

/// Whether a file is executable.
pub fn is_program(file: &Path) -> bool {
    let Ok(found) = file.metadata() else { return false };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    found.is_file() && runs
}

pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The version of the client on `path`; `None` if there is no client or it does not answer.
pub fn client_version(client: &Client, path: &OsStr) -> Option<[u32; 3]> {
    let program = on_path(client.setup.program, path)?;
    let printed = output_of(Command::new(program).arg("--version"), VERSION_LIMITS)?;
    (client.setup.version)(&String::from_utf8_lossy(&printed))
}
