//! The tree of a repository as it is now, for what its past says: single files are looked up, no folder is walked, and git
//! is asked only about a branch that is not checked out.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use catchword_engine::clients::CLIENTS;
use catchword_engine::clients::setup::Scope;
use catchword_engine::project::{BranchFate, FileThere, Tree};

use super::env::Env;
use super::git;
use super::process::{is_program, on_path};

/// Longest file that is read.
const MAX_TEXT: u64 = 256 * 1024;
/// Folders of a work tree that hold its own programs, and are on the path only while somebody works there.
const OWN_PROGRAMS: [&str; 3] = [".venv/bin", "venv/bin", "node_modules/.bin"];
/// What every shell can do by itself.
const BUILT_IN: &str = "[ [[ : . alias bg break builtin case cd command continue declare dirs do done echo else eval exec exit \
    export false fg for function getopts hash if jobs kill let local popd printf pushd pwd read readonly return set shift \
    shopt source test then time times trap true type ulimit umask unalias unset until wait while";

/// The work tree at a root.
pub struct DiskTree<'a> {
    root: PathBuf,
    env: &'a Env,
}

impl<'a> DiskTree<'a> {
    pub fn new(root: &Path, env: &'a Env) -> DiskTree<'a> {
        DiskTree { root: root.to_owned(), env }
    }
}

impl Tree for DiskTree<'_> {
    fn has(&self, path: &str) -> FileThere {
        match self.root.join(path).symlink_metadata() {
            Ok(_) => FileThere::Yes,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                FileThere::No
            }
            Err(_) => FileThere::Unknown,
        }
    }

    fn text(&self, path: &str) -> Option<String> {
        let path = self.root.join(path);
        // It may be a pipe, a device or a gigabyte.
        let meta = path.metadata().ok().filter(|meta| meta.is_file() && meta.len() <= MAX_TEXT)?;
        meta.is_file()
            .then(|| std::fs::read(&path).ok())
            .flatten()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn has_program(&self, name: &str) -> Option<bool> {
        let is_own = |folder: &&str| is_program(&self.root.join(folder).join(name));
        let is_there = BUILT_IN.split(' ').any(|one| one == name)
            || OWN_PROGRAMS.iter().any(is_own)
            || on_path(name, &self.env.path, None).is_some();
        (!name.is_empty()).then_some(is_there)
    }

    fn branch(&self) -> Option<String> {
        git::branch(&self.root, &self.env.mask)
    }

    fn fate_of(&self, branch: &str) -> BranchFate {
        git::fate_of(&self.root, branch, self.env)
    }

    fn instructions(&self) -> String {
        let mut names: Vec<&str> = CLIENTS
            .iter()
            .flat_map(|client| [Scope::Project, Scope::Local].map(|scope| (client.setup.instructions)(scope)))
            .flatten()
            .copied()
            .filter(|name| !name.is_empty())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().filter_map(|name| self.text(name)).collect::<Vec<_>>().join("\n")
    }
}
