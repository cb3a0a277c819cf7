//! The client process and the disk around a session: queried at starts and ends, never on a tick.

use std::path::{Path, PathBuf};

use catchword_engine::ops::hook::{FileStamp, ProjectFolder};

use crate::app::env::Env;

/// Identifies the client process uniquely: its pid namespace (containers have their own), its pid, and its start time
/// (pids are reused).
pub fn client(process: Option<u32>) -> Option<String> {
    let id = process?;
    Some(format!("{}/{id}/{}", namespace().unwrap_or_default(), started(id).unwrap_or_default()))
}

/// The parent process, identified the same way: for a server that is the client.
#[cfg(unix)]
pub fn parent() -> Option<String> {
    client(Some(std::os::unix::process::parent_id()))
}

/// The parent process; unknown on this platform.
#[cfg(not(unix))]
pub fn parent() -> Option<String> {
    None
}

/// Whether a client process still runs. `None` if unknown: on systems without `/proc`, and from within another
/// container.
pub fn is_alive(client: &str) -> Option<bool> {
    let mut parts = client.split('/');
    let (Some(namespace_then), Some(id), Some(start)) = (parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let same = namespace().is_some_and(|now| now == namespace_then);
    same.then(|| id.parse().ok().and_then(started).is_some_and(|now| now == start))
}

/// The pid namespace; `None` on systems without `/proc`.
fn namespace() -> Option<String> {
    let link = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(link.to_string_lossy().into_owned())
}

/// The start time of a process, in ticks since boot; `None` if it is gone or a zombie.
fn started(id: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name is in parentheses and may contain anything, even parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (state != "Z" && state != "X").then(|| fields.nth(18).unwrap_or_default().to_owned())
}

/// The nearest folder, from this one upwards, that contains `.git` (a file in linked work trees).
pub fn work_tree(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

/// The project of a folder: its work tree. A home directory that is a repository does not count, because everything
/// would belong to it.
pub fn project(env: &Env, folder: &Path) -> ProjectFolder {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let home = env.home.as_deref().and_then(|home| home.canonicalize().ok());
    match work_tree(&folder).filter(|root| home.as_deref() != Some(*root)) {
        Some(root) => ProjectFolder { root: root.to_owned(), is_work_tree: true },
        None => ProjectFolder { root: folder, is_work_tree: false },
    }
}

/// The work tree around a folder, whose programs may be a stranger's. One with the home in it has the user's own.
pub fn foreign_tree(env: &Env, folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let home = env.home.as_deref().and_then(|home| home.canonicalize().ok());
    let tree = work_tree(&folder).filter(|root| !home.is_some_and(|home| home.starts_with(root)));
    tree.map(Path::to_owned)
}

/// When a file was last changed.
pub fn stamp(path: &Path) -> FileStamp {
    match std::fs::metadata(path).and_then(|m| m.modified()) {
        Ok(at) => match at.duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => FileStamp::Changed(since.as_millis() as i64),
            Err(_) => FileStamp::Unknown,
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => FileStamp::Gone,
        Err(_) => FileStamp::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn process_is_alive_until_it_exits_and_a_reused_pid_does_not_count() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let client = client(Some(child.id())).unwrap();
        assert_eq!(is_alive(&client), Some(true));
        let later = format!("{client}1");
        assert_eq!(is_alive(&later), Some(false), "the same id, started at another time");
        assert_eq!(is_alive(&client.replace("pid:[", "pid:[9")), None, "of another container");
        child.kill().unwrap();
        // A zombie counts as gone.
        while is_alive(&client) == Some(true) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(is_alive(&client), Some(false));
        assert_eq!(is_alive("garbage"), None);
    }

    #[test]
    fn each_work_tree_is_a_project() {
        let tmp = tempfile::tempdir().unwrap();
        let root = tmp.path().canonicalize().unwrap();
        let (main, linked) = (root.join("repo"), root.join("repo/.worktrees/x"));
        std::fs::create_dir_all(main.join("src")).unwrap();
        std::fs::create_dir_all(linked.join("src")).unwrap();
        std::fs::create_dir(main.join(".git")).unwrap();
        std::fs::File::create(linked.join(".git")).unwrap();
        let at = |folder: &Path| project(&Env::default(), folder);
        assert_eq!(at(&main.join("src")), ProjectFolder { root: main.clone(), is_work_tree: true });
        assert_eq!(at(&linked.join("src")), ProjectFolder { root: linked, is_work_tree: true });
        assert_eq!(at(&root), ProjectFolder { root: root.clone(), is_work_tree: false });
        let home = Env { home: Some(main.clone()), ..Env::default() };
        assert!(!project(&home, &main.join("src")).is_work_tree);
        assert_eq!(foreign_tree(&Env::default(), &main.join("src")), Some(main.clone()));
        let home = Env { home: Some(main.join("src")), ..Env::default() };
        assert_eq!(foreign_tree(&home, &main.join("src")), None, "the home lies in it");
    }
}
