//! Folders in which nothing is recorded, as patterns ([`glob`]). Paths are compared as text: the caller resolves links.

use std::path::{Component, Path};

use crate::text::glob;

/// The folders that are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders(Vec<Vec<String>>);

impl Folders {
    /// No folder.
    pub const NONE: Folders = Folders(Vec::new());

    /// Whole paths, with `*`, `?` and `**` in them.
    pub fn new<P: AsRef<Path>>(patterns: &[P]) -> Folders {
        Folders(patterns.iter().map(|pattern| names(pattern.as_ref())).collect())
    }

    /// Whether no folder is left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `folder`, or one above it, is left out.
    pub fn covers(&self, folder: &Path) -> bool {
        !self.is_empty() && {
            let folder = names(folder);
            self.0.iter().any(|pattern| glob::covers(pattern, &folder))
        }
    }
}

/// The names of a path, `..` resolved.
fn names(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::Prefix(prefix) => names.push(prefix.as_os_str().to_string_lossy().into_owned()),
            Component::ParentDir => drop(names.pop()),
            Component::RootDir | Component::CurDir => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_covers_what_is_below_it_and_nothing_beside_it() {
        let cases = [
            ("/home/user/secret", "/home/user/secret", true),
            ("/home/user/secret", "/home/user/secret/deep/er", true),
            ("/home/user/secret/", "/home/user/secret/x", true),
            ("/home/user/secret", "/home/user/secrets", false),
            ("/home/user/secret", "/home/user", false),
            ("/home/user/secret", "/home/user/other/../secret/x", true),
            ("/home/user/secret", "/home/user/secret/..", false),
            ("/home/*/secret", "/home/user/secret/x", true),
            ("/home/*/secret", "/home/user/v/secret", false),
            ("/work/client-*", "/work/client-7/app", true),
            ("/work/client-?", "/work/client-77", false),
            ("**/private", "/a/b/private/c", true),
            ("**/private", "/a/b/public", false),
            ("/a/**/z", "/a/z", true),
            ("/a/**/z", "/a/b/c/z/d", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(Folders::new(&[pattern]).covers(Path::new(path)), expected, "{pattern} {path}");
        }
        assert!(!Folders::NONE.covers(Path::new("/")));
    }
}
