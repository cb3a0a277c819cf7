//! The lock that a client holds while it rewrites its state file: a folder beside the file, which the holder creates
//! and removes. A holder refreshes its time stamp every few seconds; a lock older than [`STALE`] was left behind.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use catchword_engine::clients::Client;
use catchword_engine::clients::setup::StateAtHome;

/// The client's own limit.
const STALE: Duration = Duration::from_secs(10);
/// Slightly longer, so that a stale lock does not exhaust the wait.
const LOCK_WAIT: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(5);

/// The lock, held until it is dropped. We need it for less than a second, so its time stamp is not refreshed.
pub struct ClientLock(PathBuf);

impl ClientLock {
    /// Waits for the client's lock on `file`; `None` if the client does not use one.
    pub fn take(client: &Client, file: &Path) -> Result<Option<ClientLock>> {
        let state = client.setup.servers.as_ref().and_then(|servers| servers.at_home.as_ref());
        let Some(StateAtHome { lock, .. }) = state else { return Ok(None) };
        let mut path = file.as_os_str().to_owned();
        path.push(lock);
        let path = PathBuf::from(path);
        let until = Instant::now() + LOCK_WAIT;
        loop {
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Some(ClientLock(path))),
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(error).with_context(|| format!("cannot make {}", path.display()));
                }
                Err(_) if is_left_behind(&path) => _ = fs::remove_dir(&path),
                Err(_) if Instant::now() < until => std::thread::sleep(PAUSE),
                Err(_) => {
                    let name = client.phrases.name;
                    bail!("{name} holds {}. Run this again in a moment.", path.display())
                }
            }
        }
    }
}

impl Drop for ClientLock {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

fn is_left_behind(lock: &Path) -> bool {
    let changed = fs::metadata(lock).and_then(|meta| meta.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > STALE))
}
