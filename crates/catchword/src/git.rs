//! What git says of a folder right now, asked with a deadline.
//!
//! Only asked after a compaction and by commands for people, never on a tick. Hooks of the repository are kept
//! out (no fsmonitor), and no lock is taken that could get in the agent's way.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use catchword_engine::extract::WorkTree;

/// How long git may take; a large repository without an answer by then is told without.
const DEADLINE: Duration = Duration::from_millis(300);
/// Changed files that are read; more are counted by nobody.
const MOST: usize = 200;

/// The branch and the changed files of the work tree around `folder`; `None` outside a repository, without
/// git, or when it takes too long.
pub fn look(folder: &Path) -> Option<WorkTree> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"])
        .args(["status", "--porcelain=v1", "--branch", "--untracked-files=no", "-z"])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = read_in_time(&mut child)?;
    Some(parsed(&String::from_utf8_lossy(&output)))
}

/// The first lines of the latest commits; none outside a repository or without git. For commands of people only.
pub fn subjects(folder: &Path) -> Vec<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["log", "--max-count=200", "--pretty=%s"]);
    git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let output = git.spawn().ok().and_then(|mut child| read_in_time(&mut child)).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().map(str::to_owned).collect()
}

/// The whole output, or nothing: git is ended when its time is up.
fn read_in_time(child: &mut std::process::Child) -> Option<Vec<u8>> {
    let mut pipe = child.stdout.take()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let read = std::io::Read::read_to_end(&mut pipe, &mut output);
        let _ = sender.send(read.map(|_| output));
    });
    let begun = Instant::now();
    let output = receiver.recv_timeout(DEADLINE);
    let left = DEADLINE.saturating_sub(begun.elapsed());
    let ended = output.is_ok() && wait(child, left);
    if !ended {
        let _ = child.kill();
        let _ = child.wait();
    }
    output.ok()?.ok().filter(|_| ended)
}

fn wait(child: &mut std::process::Child, left: Duration) -> bool {
    let until = Instant::now() + left;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_micros(200)),
            _ => return false,
        }
    }
}

/// Entries end in NUL; a rename's old name is an entry of its own.
fn parsed(output: &str) -> WorkTree {
    let mut tree = WorkTree::default();
    let mut entries = output.split('\0').filter(|e| !e.is_empty());
    while let Some(entry) = entries.next() {
        if let Some(head) = entry.strip_prefix("## ") {
            tree.branch =
                head.split("...").next().map(str::to_owned).filter(|b| !b.starts_with("HEAD (no branch)"));
        } else if let Some((status, path)) = entry.split_at_checked(3) {
            if status.starts_with(['R', 'C']) {
                entries.next();
            }
            if tree.changed.len() < MOST {
                tree.changed.push(path.to_owned());
            }
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_read_with_renames_and_odd_names() {
        let tree =
            parsed("## feat/x...origin/feat/x [ahead 1]\0 M src/a b.rs\0R  new.rs\0old.rs\0MM Größe.md\0");
        assert_eq!(tree.branch.as_deref(), Some("feat/x"));
        assert_eq!(tree.changed, ["src/a b.rs", "new.rs", "Größe.md"]);
    }

    #[test]
    fn outside_a_repository_there_is_nothing() {
        assert_eq!(look(tempfile::tempdir().unwrap().path()), None);
    }
}
