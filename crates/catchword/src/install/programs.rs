//! Programs on this machine: where `PATH` finds them, and what the client says its version is.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use catchword_engine::agent::claude_code::setup;

/// How long a client may take to say its version (it takes 0.2 s).
const PATIENCE: Duration = Duration::from_secs(5);

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

/// A file that can be run.
pub fn is_program(file: &Path) -> bool {
    let Ok(found) = file.metadata() else { return false };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    found.is_file() && runs
}

/// Whether two paths lead to the same file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The client's version, asked from the client on `path`; `None` where there is none or it does not answer.
pub fn client_version(path: &OsStr) -> Option<[u32; 3]> {
    let mut command = Command::new(on_path(setup::PROGRAM, path)?);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    if !ended_in_time(&mut child) {
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    let mut printed = String::new();
    child.stdout.take()?.take(4096).read_to_string(&mut printed).ok()?;
    setup::client_version(&printed)
}

fn ended_in_time(child: &mut Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            ended => return ended.is_ok(),
        }
    }
    false
}
