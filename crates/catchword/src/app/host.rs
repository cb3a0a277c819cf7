//! The client process and the disk around a session: what the engine asks of them at starts and ends, never on a tick.

use std::path::Path;

use catchword_engine::ops::hook::{FileStamp, ProjectFolder};

use crate::app::env::Env;

/// The client process, so that no other process is ever taken for it: where process ids count (containers have their
/// own), its id, and when it was started (ids are used again).
pub fn client(process: Option<u32>) -> Option<String> {
    let id = process?;
    Some(format!("{}/{id}/{}", namespace().unwrap_or_default(), started(id).unwrap_or_default()))
}

/// The process that started this one, in the same words: for a server that is the client.
#[cfg(unix)]
pub fn parent() -> Option<String> {
    client(Some(std::os::unix::process::parent_id()))
}

/// The process that started this one; not known here.
#[cfg(not(unix))]
pub fn parent() -> Option<String> {
    None
}

/// Whether a client process still runs. `None` where that cannot be told: on systems without `/proc`, and from within
/// another container.
pub fn is_alive(client: &str) -> Option<bool> {
    let mut parts = client.split('/');
    let (Some(namespace_then), Some(id), Some(start)) = (parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let same = namespace().is_some_and(|now| now == namespace_then);
    same.then(|| id.parse().ok().and_then(started).is_some_and(|now| now == start))
}

/// Where process ids count; systems without `/proc` have no answer.
fn namespace() -> Option<String> {
    let link = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(link.to_string_lossy().into_owned())
}

/// When a process was started, in ticks since the machine was; `None` when it is gone or only waits to be buried.
fn started(id: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name stands in brackets and may hold anything, brackets too.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (state != "Z" && state != "X").then(|| fields.nth(18).unwrap_or_default().to_owned())
}

/// The nearest folder from this one on upwards that holds a `.git`, which is a file in linked work trees.
pub fn work_tree(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

/// The project around a folder: its work tree. A home that is a repository is none: everything would be.
pub fn project(env: &Env, folder: &Path) -> ProjectFolder {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let home = env.home.as_deref().and_then(|home| home.canonicalize().ok());
    match work_tree(&folder).filter(|root| home.as_deref() != Some(*root)) {
        Some(root) => ProjectFolder { root: root.to_owned(), is_work_tree: true },
        None => ProjectFolder { root: folder, is_work_tree: false },
    }
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
    fn a_process_is_alive_until_it_is_gone_and_no_other_passes_for_it() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let client = client(Some(child.id())).unwrap();
        assert_eq!(is_alive(&client), Some(true));
        let later = format!("{client}1");
        assert_eq!(is_alive(&later), Some(false), "the same id, started at another time");
        assert_eq!(is_alive(&client.replace("pid:[", "pid:[9")), None, "of another container");
        child.kill().unwrap();
        // Not waited for yet: gone all the same.
        while is_alive(&client) == Some(true) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(is_alive(&client), Some(false));
        assert_eq!(is_alive("garbage"), None);
    }

    #[test]
    fn a_project_is_the_work_tree_and_two_of_one_repository_are_two() {
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
    }
}
