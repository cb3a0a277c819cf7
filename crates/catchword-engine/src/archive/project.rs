//! Which project a folder belongs to, on every machine.
//!
//! A project is its repository's remote address, in one form however it was cloned, hashed; without one it is its folder.
//! `.git/config` is read as data: no git is run, nothing in it is followed but the place of the common folder of a work
//! tree. Read when a transcript is first recorded, never on a tick.

use std::path::{Path, PathBuf};

/// Keys of repositories and of folders: the latter tell nothing about another person's folder of the same name.
const BY_REMOTE: char = 'r';
const BY_FOLDER: char = 'f';
/// Longest file of settings that is read.
const MAX_CONFIG: u64 = 256 * 1024;

/// The key of the project at a folder.
pub fn key(folder: &Path) -> String {
    let (how, what) = match remote(folder) {
        Some(address) => (BY_REMOTE, address),
        None => (BY_FOLDER, folder.to_string_lossy().into_owned()),
    };
    format!("{how}{}", &blake3::hash(what.as_bytes()).to_hex()[..32])
}

/// Whether a key identifies a repository, which other people may have, too.
pub fn is_repository(key: &str) -> bool {
    key.starts_with(BY_REMOTE)
}

/// The normalised address of the repository that a folder is in: that of `origin`, otherwise of the first remote.
fn remote(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let text = small_file(&common_folder(&git)?.join("config"))?;
    let addresses = remotes(&text);
    let origin = addresses.iter().find(|(name, _)| name == "origin").or_else(|| addresses.first());
    normalised(&origin?.1)
}

/// The folder with the settings: of a work tree or a submodule, `.git` is a file that names it.
fn common_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = small_file(git)?;
    let named = git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    Some(match small_file(&named.join("commondir")) {
        Some(common) => named.join(common.trim()),
        None => named,
    })
}

fn small_file(path: &Path) -> Option<String> {
    let meta = path.metadata().ok()?;
    if !meta.is_file() || meta.len() > MAX_CONFIG {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// Names and addresses of the remotes.
fn remotes(config: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut name: Option<&str> = None;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let quoted = section.strip_prefix("remote \"").and_then(|rest| rest.split_once('"'));
            name = quoted.map(|(name, _)| name);
        } else if let (Some(name), Some((key, value))) = (name, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("url")
        {
            found.push((name.to_owned(), value.trim().trim_matches('"').to_owned()));
        }
    }
    found
}

/// `host/path`, in lower case: without protocol, user, password, port and `.git`. `None` for a folder.
fn normalised(address: &str) -> Option<String> {
    let rest = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.to_owned(),
        // `git@host:path`; but `C:\path` and `./path:x` are folders.
        None => {
            let (host, path) = address.split_once(':')?;
            if host.len() < 2 || host.contains(['/', '\\']) {
                return None;
            }
            format!("{host}/{path}")
        }
    };
    let (host, path) = rest.split_once('/')?;
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchword_testkit::files;

    #[test]
    fn every_way_to_clone_a_repository_gives_one_address() {
        for address in [
            "https://github.com/Team/App.git",
            "https://github.com/team/app",
            "https://somebody:token@github.com/team/app.git/",
            "git@github.com:team/app.git",
            "ssh://git@github.com:22/team/app.git",
            "git://github.com/team/app",
        ] {
            assert_eq!(normalised(address).as_deref(), Some("github.com/team/app"), "{address}");
        }
        for folder in ["/srv/app.git", "../app", "file:///srv/app.git", "C:\\code\\app", "", "https://host"] {
            assert_eq!(normalised(folder), None, "{folder}");
        }
    }

    #[test]
    fn project_of_a_clone_is_its_origin_wherever_it_lies() {
        let root = tempfile::tempdir().unwrap();
        let config = "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = git@host.org:me/app.git\n\
                      [remote \"origin\"]\n\turl = git@host.org:team/app.git\n\tfetch = +refs\n[branch \"url\"]\n\turl = no\n";
        files::write(root.path().join("one/.git/config"), config);
        files::write(
            root.path().join("two/.git/config"),
            "[remote \"origin\"]\nurl = https://host.org/team/app\n",
        );
        std::fs::create_dir_all(root.path().join("one/src/deep")).unwrap();
        // A work tree names the folder of the clone.
        files::write(root.path().join("one/.git/worktrees/w/commondir"), "../..\n");
        let gitdir = format!("gitdir: {}\n", root.path().join("one/.git/worktrees/w").display());
        files::write(root.path().join("tree/.git"), gitdir);
        let key_of = |path: &str| key(&root.path().join(path));
        assert!(is_repository(&key_of("one")));
        for same in ["one/src/deep", "two", "tree"] {
            assert_eq!(key_of(same), key_of("one"), "{same}");
        }
    }

    #[test]
    fn without_a_remote_the_project_is_its_folder() {
        let root = tempfile::tempdir().unwrap();
        files::write(root.path().join("app/.git/config"), "[core]\n\tbare = false\n");
        let app = key(&root.path().join("app"));
        assert!(!is_repository(&app));
        assert_eq!(app, key(&root.path().join("app")));
        assert_ne!(app, key(&root.path().join("other")));
    }
}
