//! What git says of a folder right now, asked with a deadline.
//!
//! Only asked at starts, after a compaction, where the person is told how far the next one is, at the end and by commands
//! for people; on no other tick. Hooks of the repository are kept out (no fsmonitor), and no lock is taken that could
//! get in the agent's way.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use catchword_engine::extract::WorkTree;
use catchword_engine::mask::mask;
use catchword_engine::ops::start::{ForeignCommit, Since};

use crate::host;

/// How long git may take; a large repository without an answer by then is told without.
const DEADLINE: Duration = Duration::from_millis(300);
/// Changed files that are read; more are counted by nobody.
const MOST: usize = 200;

/// The branch, the commit and the changed files of the work tree around `folder`; `None` outside a repository,
/// without git, or when it takes too long.
pub fn look(folder: &Path) -> Option<WorkTree> {
    Asked::of(folder)?.answer()
}

/// Git, at work on what [`look`] asks while its caller does something else.
pub struct Asked {
    child: Child,
    begun: Instant,
}

impl Asked {
    /// Starts it; nothing where no repository is above the folder, which need not be asked of a program.
    pub fn of(folder: &Path) -> Option<Asked> {
        host::work_tree(folder)?;
        let status = ["status", "--porcelain=v2", "--branch", "--untracked-files=no", "-z"];
        Some(Asked { child: started(folder, &status)?, begun: Instant::now() })
    }

    /// What it says.
    pub fn answer(mut self) -> Option<WorkTree> {
        let left = DEADLINE.saturating_sub(self.begun.elapsed());
        let output = read_in_time(&mut self.child, left)?;
        Some(parsed(&String::from_utf8_lossy(&output)))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Commits since then, the latest first; none where git does not answer in time.
pub fn commits(folder: &Path, since: &Since) -> Vec<ForeignCommit> {
    const LOG: [&str; 4] = ["log", "--no-show-signature", "--max-count=50", "--format=%h%x09%s"];
    let hash = since.head.as_deref().filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
    let after = hash.and_then(|hash| ask(folder, &[&LOG[..], &[&format!("{hash}..HEAD")]].concat()));
    let log = after.or_else(|| {
        let time = jiff::Timestamp::from_millisecond(since.time).ok()?.strftime("%Y-%m-%dT%H:%M:%SZ");
        ask(folder, &[&LOG[..], &[&format!("--since={time}")]].concat())
    });
    let log = log.unwrap_or_default();
    let commit = |(hash, subject): (&str, &str)| ForeignCommit { hash: hash.into(), subject: subject.into() };
    log.lines().filter_map(|line| line.split_once('\t')).map(commit).collect()
}

fn ask(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = read_in_time(&mut started(folder, arguments)?, DEADLINE)?;
    Some(String::from_utf8_lossy(&output).into_owned())
}

fn started(folder: &Path, arguments: &[&str]) -> Option<Child> {
    Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"])
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

/// The branch checked out around `folder`, masked, without asking git: from the first `.git` above it. A detached head
/// is told by its commit.
pub fn branch(folder: &Path) -> Option<String> {
    let above = host::work_tree(folder)?;
    let git = above.join(".git");
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
    (!name.is_empty()).then(|| mask(&name).into_owned())
}

/// The first lines of the latest commits; none outside a repository or without git. For commands of people only.
pub fn subjects(folder: &Path) -> Vec<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["log", "--max-count=200", "--pretty=%s"]);
    git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let output =
        git.spawn().ok().and_then(|mut child| read_in_time(&mut child, DEADLINE)).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().map(str::to_owned).collect()
}

/// The whole output, or nothing: git is ended when its time is up.
fn read_in_time(child: &mut Child, time: Duration) -> Option<Vec<u8>> {
    let mut pipe = child.stdout.take()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let read = std::io::Read::read_to_end(&mut pipe, &mut output);
        let _ = sender.send(read.map(|_| output));
    });
    let begun = Instant::now();
    let output = receiver.recv_timeout(time);
    let left = time.saturating_sub(begun.elapsed());
    let ended = output.is_ok() && wait(child, left);
    if !ended {
        end(child);
    }
    output.ok()?.ok().filter(|_| ended)
}

/// Ends it, if it has not ended, and buries it.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn wait(child: &mut Child, left: Duration) -> bool {
    let until = Instant::now() + left;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_micros(200)),
            _ => return false,
        }
    }
}

/// Entries end in NUL; a rename's old name is an entry of its own. A file's name comes last, after as many fields as
/// its kind of entry has.
fn parsed(output: &str) -> WorkTree {
    let (mut branch, mut head, mut changed) = (None, None, Vec::new());
    let mut entries = output.split('\0').filter(|e| !e.is_empty());
    while let Some(entry) = entries.next() {
        let (kind, rest) = entry.split_once(' ').unwrap_or((entry, ""));
        let fields = match kind {
            "#" => {
                match rest.split_once(' ') {
                    Some(("branch.oid", hash)) if hash != "(initial)" => head = Some(hash.to_owned()),
                    Some(("branch.head", name)) if name != "(detached)" => branch = Some(name),
                    _ => {}
                }
                continue;
            }
            "1" => 7,
            "2" => {
                entries.next();
                8
            }
            "u" => 9,
            _ => continue,
        };
        let path = rest.splitn(fields + 1, ' ').nth(fields);
        if changed.len() < MOST {
            changed.extend(path.map(str::to_owned));
        }
    }
    WorkTree::new(branch, head, &changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_read_with_renames_and_odd_names() {
        let tree = parsed(
            "# branch.oid 1f0c\0# branch.head feat/x\0# branch.upstream origin/feat/x\0# branch.ab +1 -0\0\
             1 .M N... 100644 100644 100644 a1 a1 src/a b.rs\0\
             2 R. N... 100644 100644 100644 a1 a1 R100 new.rs\0old.rs\0\
             u UU N... 100644 100644 100644 100644 a1 a2 a3 both.rs\0\
             1 MM N... 100644 100644 100644 a1 a1 Größe.md\0",
        );
        assert_eq!((tree.branch.as_deref(), tree.head.as_deref()), (Some("feat/x"), Some("1f0c")));
        assert_eq!(tree.changed, ["src/a b.rs", "new.rs", "both.rs", "Größe.md"]);
        let bare = parsed("# branch.oid (initial)\0# branch.head (detached)\0");
        assert_eq!(bare, WorkTree::default());
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
