//! Files that the session opened, changed or listed.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use crate::model::entry::Place;
use crate::text::glob::name_fits;
use crate::text::words::{self, Word};

/// Files kept when pruning (about 300 kB); pruning starts at twice as many and drops the least used.
const MAX_FILES: usize = 2_000;
/// Moved files whose former path is kept.
const MAX_MOVED: usize = 200;

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Read,
    Edit,
    /// Overwritten or created.
    Write,
    /// Named in a successful command or search.
    Called,
    /// Printed by a listing, a search or git.
    Listed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileUse {
    pub reads: u16,
    pub edits: u16,
    pub writes: u16,
    /// The session created it.
    pub created: bool,
    /// How often the session moved or renamed it.
    pub moves: u16,
    /// A tool was given its path; not only listed.
    pub called: bool,
    /// Tool calls before its latest use or mention.
    pub used: u32,
    /// Tool calls before its latest change.
    pub changed: u32,
    /// Row of its latest change.
    pub changed_at: Place,
    /// Tool calls before it was removed or moved away; `None` if it exists.
    pub removed: Option<u32>,
    /// Row of its latest use.
    pub place: Place,
}

impl FileUse {
    /// Changed, and not removed since.
    pub fn is_changed(&self) -> bool {
        self.removed.is_none() && self.was_changed()
    }

    /// Changed, whether or not it still exists.
    pub fn was_changed(&self) -> bool {
        self.edits > 0 || self.writes > 0 || self.moves > 0
    }

    /// Merges the uses it had under its former path.
    fn add(&mut self, other: &FileUse) {
        if other.used >= self.used {
            (self.used, self.place) = (other.used, other.place);
        }
        self.reads = self.reads.saturating_add(other.reads);
        self.edits = self.edits.saturating_add(other.edits);
        self.writes = self.writes.saturating_add(other.writes);
        self.created |= other.created;
        self.moves = self.moves.saturating_add(other.moves);
        self.called |= other.called;
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
        (self.used, self.place) = (clock, place);
    }
}

/// All files that a tool opened or changed or a listing printed, by absolute path. Files that are only mentioned may
/// not exist, and two files with the same name are different files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Files {
    /// Whether any were pruned.
    pub forgot: bool,
    map: BTreeMap<String, FileUse>,
    /// Former paths of moved files, by their present path.
    former: BTreeMap<String, String>,
    #[serde(skip)]
    by_name: ByName,
}

/// Index of paths by file name, built on first use. Derived from the files, so it does not count in comparisons.
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

/// Whether `path` ends with `end`, at a component boundary.
fn ends_in(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || end.starts_with('/'))
}

impl Files {
    /// Records a use of the file with this absolute path.
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
            self.drop_least_used();
        }
    }

    /// Takes back an edit and the one that it reverses.
    pub fn taken_back(&mut self, path: &str) {
        if let Some(file) = self.map.get_mut(path) {
            file.edits = file.edits.saturating_sub(2);
        }
    }

    /// Records a mention in a message or an output, usually by the end of the path. An ambiguous mention is ignored.
    pub fn mentioned(&mut self, path: &str, clock: u32) {
        if self.by_name.0.is_none() {
            self.by_name.0 = Some(HashMap::default());
            self.map.keys().for_each(|path| self.by_name.add(path));
        }
        let path = path.trim_start_matches("./");
        let alike = self.by_name.0.as_ref().and_then(|paths| paths.get(last_part(path)));
        let mut matches = alike.into_iter().flatten().filter(|known| ends_in(known, path));
        if let (Some(one), None) = (matches.next(), matches.next())
            && let Some(file) = self.map.get_mut(one)
        {
            file.used = clock;
        }
    }

    /// Records the mentions in a text.
    pub fn mentioned_in(&mut self, text: &str, clock: u32) {
        words::scan(text, |word| {
            if let Word::Path(path) = word {
                self.mentioned(path, clock);
            }
        });
    }

    /// Marks a file that was just written as new.
    pub fn created(&mut self, path: &str) {
        if let Some(file) = self.map.get_mut(path) {
            file.created = true;
        }
    }

    /// The known files that match a path with `*` or `?` in its last component.
    pub fn matching(&self, pattern: &str) -> Vec<String> {
        let (folder, name) = pattern.split_at(pattern.rfind('/').map_or(0, |at| at + 1));
        let within = self.inside(folder).filter(|path| {
            let rest = &path[folder.len()..];
            !rest.contains('/') && name_fits(name, rest)
        });
        within.map(str::to_owned).collect()
    }

    /// Whether this path is known.
    pub fn knows(&self, path: &str) -> bool {
        self.map.contains_key(path)
    }

    /// Marks a file as removed or missing, with `all` also everything inside it.
    pub fn removed(&mut self, path: &str, all: bool, clock: u32) {
        for known in self.known_as(path, all) {
            if let Some(file) = self.map.get_mut(&known) {
                file.removed = Some(clock);
            }
        }
    }

    /// Moves a file or folder and its recorded uses; with `into`, `to` is a folder.
    pub fn moved(&mut self, from: &str, to: &str, into: bool, clock: u32, place: Place) {
        let name = last_part(from);
        let names_no_file = name.contains('.') && !last_part(to).contains('.');
        let inside = format!("{to}/");
        let is_folder = into || names_no_file || self.inside(&inside).next().is_some();
        let to = if is_folder { format!("{inside}{name}") } else { to.to_owned() };
        let mut all = self.known_as(from, true);
        // A file that nothing opened before it was moved.
        if all.is_empty() && name.contains('.') {
            self.touch(from, Touch::Called, clock, place);
            all.push(from.to_owned());
        }
        for known in all {
            let new = format!("{to}{}", known.strip_prefix(from).unwrap_or_default());
            let gone = FileUse { removed: Some(clock), place, ..FileUse::default() };
            let is_there = |uses: &FileUse| uses.removed.is_none();
            let Some(uses) = self.map.get_mut(&known).filter(|uses| is_there(uses)) else { continue };
            let uses = std::mem::replace(uses, gone);
            self.touch(&new, Touch::Called, clock, place);
            if let Some(file) = self.map.get_mut(&new) {
                file.add(&uses);
                file.moves = file.moves.saturating_add(1);
                (file.changed, file.changed_at) = (clock, place);
            }
            // Moved twice: the first path is the one others know it by.
            let first = self.former.remove(&known).unwrap_or(known);
            if self.former.len() < MAX_MOVED && first != new {
                self.former.insert(new, first);
            }
        }
    }

    /// The path of a moved file before this session moved it.
    pub fn former(&self, path: &str) -> Option<&str> {
        self.former.get(path).map(String::as_str)
    }

    /// The recorded uses of a file.
    pub fn get(&self, path: &str) -> Option<FileUse> {
        self.map.get(path).copied()
    }

    /// Marks a file as existing; returns whether it was marked as removed.
    pub fn there(&mut self, path: &str) -> bool {
        self.map.get_mut(path).is_some_and(|file| file.removed.take().is_some())
    }

    /// Marks every file as existing, for commands that may restore any of them.
    pub fn all_there(&mut self) {
        self.map.values_mut().for_each(|file| file.removed = None);
    }

    /// The path if it is known, and with `all` the known paths inside it.
    fn known_as(&self, path: &str, all: bool) -> Vec<String> {
        let own = self.map.contains_key(path).then(|| path.to_owned());
        let folder = format!("{path}/");
        let within = self.inside(&folder).filter(|_| all).map(str::to_owned);
        own.into_iter().chain(within).collect()
    }

    /// The known files in a folder; `folder` ends with a slash.
    fn inside<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.map.range::<str, _>((Bound::Included(folder), Bound::Unbounded));
        from.map(|(known, _)| known.as_str()).take_while(move |known| known.starts_with(folder))
    }

    /// All files, ordered by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, FileUse)> {
        self.map.iter().map(|(path, file)| (path.as_str(), *file))
    }

    /// Drops half of them: first those that were only listed, changed ones last, in each kind what was not used for longest.
    fn drop_least_used(&mut self) {
        self.forgot = true;
        let mut all: Vec<(String, FileUse)> = std::mem::take(&mut self.map).into_iter().collect();
        let worth = |file: &FileUse| (file.is_changed(), file.called, file.used);
        all.sort_by(|(a_path, a), (b_path, b)| worth(b).cmp(&worth(a)).then_with(|| a_path.cmp(b_path)));
        all.truncate(MAX_FILES);
        self.map = all.into_iter().collect();
        self.by_name = ByName::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_a_folder_removes_exactly_the_files_inside() {
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
    fn moved_file_keeps_its_first_path_and_counts_as_changed() {
        let mut files = Files::default();
        files.touch("/w/src/a.rs", Touch::Read, 1, Place(1));
        files.moved("/w/src/a.rs", "/w/src/b.rs", false, 2, Place(4));
        files.moved("/w/src/b.rs", "/w/lib", true, 3, Place(6));
        files.moved("/w/unseen.c", "/w/lib/seen.c", false, 4, Place(8));
        assert_eq!(files.former("/w/lib/b.rs"), Some("/w/src/a.rs"));
        assert_eq!(files.former("/w/lib/seen.c"), Some("/w/unseen.c"));
        let changed: Vec<&str> =
            files.iter().filter(|(_, file)| file.is_changed()).map(|(path, _)| path).collect();
        assert_eq!(changed, ["/w/lib/b.rs", "/w/lib/seen.c"]);
    }

    #[test]
    fn ambiguous_mention_is_ignored() {
        let mut files = Files::default();
        for path in ["/w/lib/CMakeLists.txt", "/w/CMakeLists.txt", "/v/long-lib/notes.md"] {
            files.touch(path, Touch::Read, 1, Place(1));
        }
        for mention in ["CMakeLists.txt", "lib/notes.md", "other.md"] {
            files.mentioned(mention, 9);
        }
        assert!(files.iter().all(|(_, file)| file.used == 1));
        files.mentioned("./lib/CMakeLists.txt", 9);
        let said: Vec<&str> = files.iter().filter(|(_, file)| file.used == 9).map(|(path, _)| path).collect();
        assert_eq!(said, ["/w/lib/CMakeLists.txt"]);
    }

    #[test]
    fn changed_files_are_kept_longest_and_listed_ones_go_first() {
        let mut files = Files::default();
        files.touch("/w/changed", Touch::Edit, 1, Place(1));
        files.touch("/w/read", Touch::Read, 2, Place(2));
        (0..2 * MAX_FILES as u32)
            .for_each(|n| files.touch(&format!("/w/{n}"), Touch::Listed, 3 + n, Place(3)));
        let kept = |path: &str| files.get(path).is_some();
        assert!(files.forgot && kept("/w/changed") && kept("/w/read"));
        assert!(!kept("/w/0") && kept(&format!("/w/{}", 2 * MAX_FILES - 1)));
    }
}
