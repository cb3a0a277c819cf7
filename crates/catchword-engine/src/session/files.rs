//! Files that the session has opened, changed or listed.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::heat::Heat;
use crate::model::entry::Place;
use crate::text::glob::name_fits;
use crate::text::words::{self, Word};

/// Files that are always remembered, 300 kB of them; past twice as many the least used go.
const MAX_FILES: usize = 2_000;

/// What was done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// Read.
    Read,
    /// Changed in part.
    Edit,
    /// Written whole.
    Write,
    /// Named in a command or a search that ended well.
    Called,
    /// Printed as a path by a listing, a search or git.
    Listed,
}

/// How a file was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileUse {
    /// Times read.
    pub reads: u16,
    /// Times changed.
    pub edits: u16,
    /// Times written whole.
    pub writes: u16,
    /// It did not exist before this session.
    pub created: bool,
    /// A tool was pointed at it: not only listed.
    pub called: bool,
    /// Somebody spoke of it.
    pub said: bool,
    /// All its uses.
    pub heat: Heat,
    /// Tool calls before its last change.
    pub changed: u32,
    /// Where it was last changed.
    pub changed_at: Place,
    /// Tool calls before it was removed or moved away, and has not come back since.
    pub removed: Option<u32>,
    /// Where it was last used.
    pub place: Place,
}

impl FileUse {
    /// Changed in any way, and there.
    pub fn is_changed(&self) -> bool {
        self.removed.is_none() && self.was_changed()
    }

    /// Changed in any way, whether it is still there or not.
    pub fn was_changed(&self) -> bool {
        self.edits > 0 || self.writes > 0
    }

    /// Adds what was done with it under the path it had before.
    fn add(&mut self, other: &FileUse) {
        if other.heat.clock >= self.heat.clock {
            self.place = other.place;
        }
        self.reads = self.reads.saturating_add(other.reads);
        self.edits = self.edits.saturating_add(other.edits);
        self.writes = self.writes.saturating_add(other.writes);
        self.created |= other.created;
        self.called |= other.called;
        self.said |= other.said;
        self.heat.add(other.heat);
        if other.changed >= self.changed {
            (self.changed, self.changed_at) = (other.changed, self.changed_at.max(other.changed_at));
        }
    }

    fn note(&mut self, touch: Touch, clock: u32, place: Place) {
        let count = |n: &mut u16| *n = n.saturating_add(1);
        match touch {
            Touch::Read => count(&mut self.reads),
            Touch::Edit => count(&mut self.edits),
            Touch::Write => count(&mut self.writes),
            Touch::Called | Touch::Listed => {}
        }
        if matches!(touch, Touch::Edit | Touch::Write) {
            (self.changed, self.changed_at) = (clock, place);
        }
        self.called |= touch != Touch::Listed;
        self.heat.touch(clock);
        self.place = place;
    }
}

/// All files that a tool opened or changed or a listing printed, by their whole paths: what is only spoken of may not
/// exist, and two files of one name are two files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Files {
    /// Some of them are no longer remembered.
    pub forgot: bool,
    map: BTreeMap<String, FileUse>,
    #[serde(skip)]
    by_name: ByName,
}

/// The paths of all files by their last part, made when it is first asked for. Drawn from the files, so that two of the
/// same files are the same with and without it.
#[derive(Clone, Debug, Default)]
struct ByName(Option<HashMap<String, Vec<String>, RandomState>>);

impl PartialEq for ByName {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl ByName {
    fn add(&mut self, path: &str) {
        if let Some(paths) = &mut self.0 {
            paths.entry(last_part(path).to_owned()).or_default().push(path.to_owned());
        }
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether `path` ends with `end`, which begins where one of its folders or names does.
fn ends_in(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || end.starts_with('/'))
}

impl Files {
    /// Something was done with a file, which is given with its whole path.
    pub fn touch(&mut self, path: &str, touch: Touch, clock: u32, place: Place) {
        if path.is_empty() {
            return;
        }
        let file = if let Some(file) = self.map.get_mut(path) {
            file
        } else {
            self.by_name.add(path);
            self.map.entry(path.to_owned()).or_default()
        };
        file.removed = None;
        file.note(touch, clock, place);
        if self.map.len() > 2 * MAX_FILES {
            self.forget_the_least_used(clock);
        }
    }

    /// Somebody's words or an output name a file, mostly by the end of its path: the one that is known by it stays in
    /// use. Where several may be meant, none is.
    pub fn mentioned(&mut self, path: &str, said: bool, clock: u32) {
        if self.by_name.0.is_none() {
            self.by_name.0 = Some(HashMap::default());
            self.map.keys().for_each(|path| self.by_name.add(path));
        }
        let path = path.trim_start_matches("./");
        let alike = self.by_name.0.as_ref().and_then(|paths| paths.get(last_part(path)));
        let mut meant = alike.into_iter().flatten().filter(|known| ends_in(known, path));
        if let (Some(one), None) = (meant.next(), meant.next())
            && let Some(file) = self.map.get_mut(one)
        {
            file.said |= said;
            file.heat.touch(clock);
        }
    }

    /// A text repeats files: those that are known stay in use.
    pub fn repeated(&mut self, text: &str, clock: u32) {
        words::scan(text, |word| {
            if let Word::Path(path) = word {
                self.mentioned(path, false, clock);
            }
        });
    }

    /// The file that was just written did not exist before.
    pub fn created(&mut self, path: &str) {
        if let Some(file) = self.map.get_mut(path) {
            file.created = true;
        }
    }

    /// The known files that a path with `*` or `?` in its last part means.
    pub fn matching(&self, pattern: &str) -> Vec<String> {
        let (folder, name) = pattern.split_at(pattern.rfind('/').map_or(0, |at| at + 1));
        let within = self.inside(folder).filter(|path| {
            let rest = &path[folder.len()..];
            !rest.contains('/') && name_fits(name, rest)
        });
        within.map(str::to_owned).collect()
    }

    /// A file of this very path is known.
    pub fn knows(&self, path: &str) -> bool {
        self.map.contains_key(path)
    }

    /// A file is gone or was never there, or a folder with `all` that is in it.
    pub fn removed(&mut self, path: &str, all: bool, clock: u32) {
        for known in self.known_as(path, all) {
            if let Some(file) = self.map.get_mut(&known) {
                file.removed = Some(clock);
            }
        }
    }

    /// A file or folder has another path now; `into`, that path is a folder. What was done to a file goes with it.
    pub fn moved(&mut self, from: &str, to: &str, into: bool, clock: u32, place: Place) {
        let name = last_part(from);
        let names_no_file = name.contains('.') && !last_part(to).contains('.');
        let inside = format!("{to}/");
        let is_folder = into || names_no_file || self.inside(&inside).next().is_some();
        let to = if is_folder { format!("{inside}{name}") } else { to.to_owned() };
        for known in self.known_as(from, true) {
            let new = format!("{to}{}", known.strip_prefix(from).unwrap_or_default());
            let gone = FileUse { removed: Some(clock), place, ..FileUse::default() };
            let is_there = |uses: &FileUse| uses.removed.is_none();
            let Some(uses) = self.map.get_mut(&known).filter(|uses| is_there(uses)) else { continue };
            let uses = std::mem::replace(uses, gone);
            self.touch(&new, Touch::Called, clock, place);
            if let Some(file) = self.map.get_mut(&new) {
                file.add(&uses);
            }
        }
    }

    /// A file is there; whether it was known to be gone.
    pub fn there(&mut self, path: &str) -> bool {
        self.map.get_mut(path).is_some_and(|file| file.removed.take().is_some())
    }

    /// Any file may be there again.
    pub fn all_there(&mut self) {
        self.map.values_mut().for_each(|file| file.removed = None);
    }

    /// The path, where it is known, and with `all` those of what is in it.
    fn known_as(&self, path: &str, all: bool) -> Vec<String> {
        let own = self.map.contains_key(path).then(|| path.to_owned());
        let folder = format!("{path}/");
        let within = self.inside(&folder).filter(|_| all).map(str::to_owned);
        own.into_iter().chain(within).collect()
    }

    /// The files of a folder, which is given with its last slash.
    fn inside<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.map.range::<str, _>((Bound::Included(folder), Bound::Unbounded));
        from.map(|(known, _)| known.as_str()).take_while(move |known| known.starts_with(folder))
    }

    /// All files and how they were used, in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, FileUse)> {
        self.map.iter().map(|(path, file)| (path.as_str(), *file))
    }

    /// Drops the least used half. Changed files go last, however long ago they were changed.
    fn forget_the_least_used(&mut self, now: u32) {
        self.forgot = true;
        let mut all: Vec<(String, FileUse)> = std::mem::take(&mut self.map).into_iter().collect();
        let worth = |file: &FileUse| {
            let marks = [file.called, file.said].iter().filter(|mark| **mark).count();
            marks as f32 + file.heat.level(now) + file.heat.freshness(now)
        };
        all.sort_by(|(a_path, a), (b_path, b)| {
            let changed_first = b.is_changed().cmp(&a.is_changed());
            changed_first.then_with(|| worth(b).total_cmp(&worth(a))).then_with(|| a_path.cmp(b_path))
        });
        all.truncate(MAX_FILES);
        self.map = all.into_iter().collect();
        self.by_name = ByName::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_removed_takes_its_files_along_and_no_others() {
        let mut files = Files::default();
        for path in ["/w/src/a.rs", "/w/src/b/c.rs", "/w/srcs/d.rs", "/w/a.rs"] {
            files.touch(path, Touch::Read, 1, Place(1));
        }
        files.removed("/w/src", true, 2);
        let gone: Vec<&str> =
            files.iter().filter(|(_, file)| file.removed.is_some()).map(|(path, _)| path).collect();
        assert_eq!(gone, ["/w/src/a.rs", "/w/src/b/c.rs"]);
        assert!(files.there("/w/src/a.rs") && !files.there("/w/src/a.rs"));
    }

    #[test]
    fn a_mention_means_a_file_only_where_one_alone_ends_so() {
        let mut files = Files::default();
        for path in ["/w/lib/CMakeLists.txt", "/w/CMakeLists.txt", "/v/long-lib/notes.md"] {
            files.touch(path, Touch::Read, 1, Place(1));
        }
        for mention in ["CMakeLists.txt", "lib/notes.md", "other.md"] {
            files.mentioned(mention, true, 9);
        }
        assert!(files.iter().all(|(_, file)| !file.said && file.heat.clock == 1));
        files.mentioned("./lib/CMakeLists.txt", true, 9);
        let said: Vec<&str> = files.iter().filter(|(_, file)| file.said).map(|(path, _)| path).collect();
        assert_eq!(said, ["/w/lib/CMakeLists.txt"]);
    }
}
