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

/// The branch checked out around `folder`, without asking git: from the first `.git` above it. A detached head is told
/// by its commit.
pub fn branch(folder: &Path) -> Option<String> {
    let (above, git) =
        folder.ancestors().map(|above| (above, above.join(".git"))).find(|(_, git)| git.exists())?;
    let git = if git.is_dir() {
        git
    } else {
        // A work tree of its own, or a submodule: the file says where its HEAD lies.
        let link = std::fs::read_to_string(git).ok()?;
        above.join(link.strip_prefix("gitdir:")?.trim())
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let head = head.trim();
    let name = head.strip_prefix("ref:").map_or_else(
        || head.chars().take(7).collect(),
        |name| name.trim().trim_start_matches("refs/heads/").to_owned(),
    );
    (!name.is_empty()).then_some(name)
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

    #[test]
    fn the_branch_is_read_from_a_checkout_and_from_a_work_tree() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = (folder.path().join("main"), folder.path().join("tree"));
        let git = |folder: &Path, args: &[&str]| {
            let fixed = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=trunk"];
            let done = Command::new("git").current_dir(folder).args(fixed).args(args).output().unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        std::fs::create_dir_all(main.join("a/b")).unwrap();
        git(&main, &["init"]);
        assert_eq!(branch(&main.join("a/b")).as_deref(), Some("trunk"), "before the first commit");
        git(&main, &["commit", "--allow-empty", "-m", "x"]);
        git(&main, &["worktree", "add", "-b", "feat/x", tree.to_str().unwrap()]);
        assert_eq!(branch(&tree).as_deref(), Some("feat/x"));
        git(&main, &["checkout", "--detach"]);
        assert_eq!(branch(&main).map(|commit| commit.len()), Some(7));
        assert_eq!(branch(folder.path()), None);
    }
}
