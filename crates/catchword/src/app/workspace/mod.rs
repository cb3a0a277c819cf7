//! The workspace of a session: the files of its commands, its project.
//!
//! Read after a compaction and by commands for people, never on a tick. Walks no folder: candidate paths are derived
//! from a name and tried one by one, and every file is read up to a limit.

pub mod commands;
pub mod project;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::app::host;

/// The root of the work tree around `folder`, or the folder itself.
pub fn root(folder: &Path) -> PathBuf {
    host::work_tree(folder).unwrap_or(folder).to_owned()
}

/// The first `most` bytes of a regular file as text. FIFOs and devices are not opened, because they would block or
/// never end; nor is a file outside `within`, if given, that a link leads to.
pub fn read(path: &Path, most: u64, within: Option<&Path>) -> Option<String> {
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    if let Some(folder) = within {
        let inside = path.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?);
        inside.then_some(())?;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::app::files::{self, Access};

    #[test]
    fn only_regular_files_inside_the_folder_are_read_up_to_a_limit() {
        let tmp = tempfile::tempdir().unwrap();
        let (inside, outside) = (tmp.path().join("in"), tmp.path().join("out"));
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        files::replace(&outside.join("secret"), b"secret", Access::Usual).unwrap();
        files::replace(&inside.join("plain"), b"0123456789", Access::Usual).unwrap();
        std::os::unix::fs::symlink(outside.join("secret"), inside.join("link")).unwrap();
        std::os::unix::fs::symlink(inside.join("plain"), inside.join("own-link")).unwrap();
        let fifo = inside.join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        assert_eq!(read(&inside.join("plain"), 4, Some(&inside)).as_deref(), Some("0123"));
        assert_eq!(read(&inside.join("own-link"), 99, Some(&inside)).as_deref(), Some("0123456789"));
        assert_eq!(read(&inside.join("link"), 99, Some(&inside)), None);
        assert_eq!(read(&inside.join("link"), 99, None).as_deref(), Some("secret"));
        for none in [&fifo, &inside, Path::new("/dev/zero"), &inside.join("missing")] {
            assert_eq!(read(none, 99, None), None, "{}", none.display());
        }
    }
}
