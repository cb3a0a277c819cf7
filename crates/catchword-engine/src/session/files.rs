//! Files the session has touched or named.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::heat::Heat;
use super::words::{self, Word};
use crate::agent::entry::Place;

/// Most files kept; past twice that the least used go.
const KEPT: usize = 2_000;

/// What was done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// Read.
    Read,
    /// Changed in part.
    Edit,
    /// Written whole.
    Write,
    /// Named in a command or a search.
    Called,
    /// Named in anybody's words.
    Said,
    /// Named in a tool's answer.
    Seen,
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
    /// A tool was pointed at it.
    pub called: bool,
    /// Somebody spoke of it.
    pub said: bool,
    /// All its uses.
    pub heat: Heat,
    /// Tool calls before its last change.
    pub changed: u32,
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

    /// A tool has read or changed it under this path.
    pub fn is_opened(&self) -> bool {
        self.removed.is_none() && (self.reads > 0 || self.was_changed())
    }

    /// Adds the uses of the same file under another path.
    pub fn add(&mut self, other: &FileUse) {
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
        self.changed = self.changed.max(other.changed);
        self.removed = self.removed.max(other.removed);
    }

    fn note(&mut self, touch: Touch, clock: u32, place: Place) {
        let count = |n: &mut u16| *n = n.saturating_add(1);
        match touch {
            Touch::Read => count(&mut self.reads),
            Touch::Edit => count(&mut self.edits),
            Touch::Write => count(&mut self.writes),
            Touch::Called | Touch::Said | Touch::Seen => {}
        }
        if matches!(touch, Touch::Edit | Touch::Write) {
            self.changed = clock;
        }
        self.called |= !matches!(touch, Touch::Said | Touch::Seen);
        self.said |= touch == Touch::Said;
        self.heat.touch(clock);
        self.place = place;
    }
}

/// Whether `known` is this path or the end of it.
fn is_path_of(known: &str, path: &str) -> bool {
    path.strip_suffix(known)
        .is_some_and(|rest| rest.is_empty() || (rest.ends_with('/') && !known.starts_with('/')))
}

/// Every `known` of which [`is_path_of`] holds: the path, and what stands behind each of its slashes. Asked for by name
/// they are found without a look at all files.
fn names_of(path: &str) -> impl Iterator<Item = &str> {
    let behind = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    let ends = behind.filter(|end| !end.is_empty() && !end.starts_with('/') && end.len() < path.len());
    std::iter::once(path).chain(ends)
}

/// All files, by the path they were given with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Files {
    map: BTreeMap<String, FileUse>,
    /// Those that are removed: a look through all files at every read would cost more than the rest of the fold.
    gone: BTreeSet<String>,
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

impl Files {
    /// Something was done with a file.
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
        file.note(touch, clock, place);
        if self.map.len() > 2 * KEPT {
            self.forget_the_least_used(clock);
        }
    }

    /// A text repeats files: those that are known stay in use, the others are not taken in.
    pub fn repeated(&mut self, text: &str, clock: u32) {
        words::scan(text, |word| {
            if let Word::Path(path) = word
                && let Some(known) = self.map.get_mut(path)
            {
                known.heat.touch(clock);
            }
        });
    }

    /// The change that was counted did not happen: it failed or was refused.
    pub fn unchanged(&mut self, path: &str, touch: Touch) {
        let Some(file) = self.map.get_mut(path) else { return };
        match touch {
            Touch::Edit => file.edits = file.edits.saturating_sub(1),
            Touch::Write => file.writes = file.writes.saturating_sub(1),
            _ => {}
        }
    }

    /// The file that was just written did not exist before.
    pub fn created(&mut self, path: &str) {
        if let Some(file) = self.map.get_mut(path) {
            file.created = true;
        }
    }

    /// A file of this very path is known.
    pub fn knows(&self, path: &str) -> bool {
        names_of(path).any(|known| self.map.contains_key(known))
    }

    /// A file is gone, or a folder with `all` that is in it.
    pub fn removed(&mut self, path: &str, all: bool, clock: u32) {
        for known in self.known_as(path, all) {
            if let Some(file) = self.map.get_mut(&known) {
                file.removed = Some(clock);
                self.gone.insert(known);
            }
        }
    }

    /// A file or folder has another path now; `into`, that path is a folder. What was done to a file goes with it.
    pub fn moved(&mut self, from: &str, to: &str, into: bool, clock: u32, place: Place) {
        let name = from.rsplit('/').next().unwrap_or(from);
        let names_no_file = name.contains('.') && !to.rsplit('/').next().unwrap_or(to).contains('.');
        let inside = format!("{to}/");
        let is_folder = into || names_no_file || self.inside(&inside).next().is_some();
        let to = if is_folder { format!("{inside}{name}") } else { to.to_owned() };
        for known in self.known_as(from, true) {
            let new = match known.strip_prefix(from) {
                Some(rest) if !rest.is_empty() => format!("{to}{rest}"),
                _ => to.clone(),
            };
            let gone = FileUse { removed: Some(clock), place, ..FileUse::default() };
            self.gone.insert(known.clone());
            let Some(uses) = self.map.insert(known, gone) else { continue };
            self.there(&new);
            if !self.map.contains_key(&new) {
                self.by_name.add(&new);
            }
            let file = self.map.entry(new).or_default();
            file.add(&FileUse { removed: None, ..uses });
            file.note(Touch::Called, clock, place);
        }
    }

    /// A file is there; whether it was known to be gone.
    pub fn there(&mut self, path: &str) -> bool {
        let mut was_gone = false;
        for known in names_of(path) {
            if self.gone.remove(known) {
                was_gone = true;
                if let Some(file) = self.map.get_mut(known) {
                    file.removed = None;
                }
            }
        }
        was_gone
    }

    /// Any file may be there again.
    pub fn all_there(&mut self) {
        for known in std::mem::take(&mut self.gone) {
            if let Some(file) = self.map.get_mut(&known) {
                file.removed = None;
            }
        }
    }

    /// The paths under which a file is known, and with `all` those of what is in it. A path that is the end of another
    /// file's, too, may mean that one.
    fn known_as(&mut self, path: &str, all: bool) -> Vec<String> {
        let named = names_of(path).filter(|known| self.map.contains_key(*known));
        let named: Vec<String> = named.map(str::to_owned).collect();
        let mut meant: Vec<String> =
            named.into_iter().filter(|known| known == path || !self.may_be_another(known, path)).collect();
        if all {
            meant.extend(self.inside(&format!("{path}/")).map(str::to_owned));
        }
        meant.sort_unstable();
        meant.dedup();
        meant
    }

    /// Whether `known` is the end of another file's path than this one, and that file is there.
    fn may_be_another(&mut self, known: &str, path: &str) -> bool {
        if self.by_name.0.is_none() {
            self.by_name.0 = Some(HashMap::default());
            self.map.keys().for_each(|path| self.by_name.add(path));
        }
        let alike = self.by_name.0.as_ref().and_then(|paths| paths.get(last_part(known)));
        alike.into_iter().flatten().any(|file| {
            file != path
                && file != known
                && is_path_of(known, file)
                && self.map.get(file).is_some_and(|uses| uses.removed.is_none())
        })
    }

    /// The files of a folder, which is given with its last slash.
    fn inside<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.map.range::<str, _>((Bound::Included(folder), Bound::Unbounded));
        from.map(|(known, _)| known.as_str()).take_while(move |known| known.starts_with(folder))
    }

    /// All files and how they were used.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FileUse)> {
        self.map.iter().map(|(path, use_)| (path.as_str(), use_))
    }

    fn forget_the_least_used(&mut self, now: u32) {
        let mut all: Vec<(String, FileUse)> = std::mem::take(&mut self.map).into_iter().collect();
        let worth = |f: &FileUse| {
            let marks = [f.is_changed(), f.called, f.said].iter().filter(|m| **m).count();
            marks as f32 + f.heat.level(now) + f.heat.freshness(now)
        };
        all.sort_by(|a, b| worth(&b.1).total_cmp(&worth(&a.1)).then_with(|| a.0.cmp(&b.0)));
        all.truncate(KEPT);
        self.map = all.into_iter().collect();
        self.gone.retain(|known| self.map.contains_key(known));
        self.by_name = ByName::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_path_has_the_names_that_it_ends_with(path in "[a/]{0,8}", known in "[a/]{1,8}") {
            let named = names_of(&path).any(|name| name == known);
            prop_assert_eq!(named, is_path_of(&known, &path), "{} of {}", known, path);
        }
    }

    #[test]
    fn a_folder_that_is_removed_takes_its_files_along_and_no_others() {
        let mut files = Files::default();
        for path in ["src/a.rs", "src/b/c.rs", "srcs/d.rs", "a.rs"] {
            files.touch(path, Touch::Read, 1, Place(1));
        }
        files.removed("src", true, 2);
        let gone: Vec<&str> =
            files.iter().filter(|(_, file)| file.removed.is_some()).map(|(path, _)| path).collect();
        assert_eq!(gone, ["src/a.rs", "src/b/c.rs"]);
        assert!(files.there("/home/user/src/a.rs") && !files.there("src/a.rs"));
    }
}
