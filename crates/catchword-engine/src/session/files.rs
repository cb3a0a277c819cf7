//! Files the session has touched or named.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::heat::Heat;
use super::lately::{Lately, keep_the_best};
use super::later::{Later, in_order};
use super::words::{self, Word};
use crate::agent::entry::Place;

/// Most opened files kept; past twice that the least used go, those last that were changed.
const OPENED_KEPT: usize = 150;
/// Most files kept that were named in a stretch; past twice that the least used go.
const NAMED_KEPT: usize = 200;

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
}

/// What tools have done with a file. Kept for the whole session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Opened {
    reads: u16,
    edits: u16,
    writes: u16,
    created: bool,
    /// Tool calls before its last change.
    changed: u32,
    /// Tool calls before it was removed or moved away, and has not come back since.
    removed: Option<u32>,
    /// Tool calls before its last use.
    clock: u32,
    place: Place,
}

impl Opened {
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
        (self.clock, self.place) = (clock, place);
    }

    /// Adds what was done with the same file under another path.
    fn add(&mut self, other: &Opened) {
        self.reads = self.reads.saturating_add(other.reads);
        self.edits = self.edits.saturating_add(other.edits);
        self.writes = self.writes.saturating_add(other.writes);
        self.created |= other.created;
        self.changed = self.changed.max(other.changed);
    }

    fn is_changed(&self) -> bool {
        self.edits > 0 || self.writes > 0
    }
}

/// That a file was in use lately, by whatever named it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Named {
    called: bool,
    said: bool,
    heat: Heat,
    removed: Option<u32>,
    place: Place,
}

impl Named {
    fn note(&mut self, touch: Touch, clock: u32, place: Place) {
        self.called |= !matches!(touch, Touch::Said | Touch::Seen);
        self.said |= touch == Touch::Said;
        self.heat.touch(clock);
        self.place = place;
    }

    /// Adds its uses in a later stretch, or under another path.
    fn add(&mut self, other: &Named) {
        if other.heat.clock >= self.heat.clock {
            self.place = other.place;
        }
        self.called |= other.called;
        self.said |= other.said;
        self.heat.add(other.heat);
        self.removed = self.removed.max(other.removed);
    }
}

/// A file as tools and texts tell of it together.
fn used(opened: Option<&Opened>, named: Option<Named>) -> FileUse {
    let is_opened = opened.is_some();
    let opened = opened.copied().unwrap_or_default();
    let named = named.unwrap_or(Named { heat: Heat::cold(opened.clock), ..Named::default() });
    FileUse {
        reads: opened.reads,
        edits: opened.edits,
        writes: opened.writes,
        created: opened.created,
        called: is_opened || named.called,
        said: named.said,
        heat: named.heat,
        changed: opened.changed,
        removed: if is_opened { opened.removed } else { named.removed },
        place: opened.place.max(named.place),
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

type Names = HashMap<String, Named, RandomState>;

/// All files, by the path they were given with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Files {
    #[serde(deserialize_with = "in_order")]
    opened: BTreeMap<String, Opened>,
    /// Those of them that are removed: a look through all files at every read would cost more than the rest of the fold.
    gone: BTreeSet<String>,
    named: Later<Lately<Names>>,
    #[serde(skip)]
    by_name: ByName,
}

/// The paths of all opened files by their last part, made when it is first asked for. Drawn from the files, so that two
/// of the same files are the same with and without it.
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
    /// A tool has opened a file.
    pub fn open(&mut self, path: &str, touch: Touch, clock: u32, place: Place) {
        if path.is_empty() {
            return;
        }
        if !self.opened.contains_key(path) {
            self.by_name.add(path);
        }
        self.opened.entry(path.to_owned()).or_default().note(touch, clock, place);
        if self.opened.len() > 2 * OPENED_KEPT {
            self.forget_the_least_used();
        }
    }

    /// A file is in use.
    pub fn name(&mut self, path: &str, touch: Touch, clock: u32, place: Place) {
        if path.is_empty() {
            return;
        }
        let names = &mut self.named.now;
        let file = match names.get_mut(path) {
            Some(file) => file,
            None => names.entry(path.to_owned()).or_default(),
        };
        file.note(touch, clock, place);
        if names.len() > 2 * NAMED_KEPT {
            keep_the_best(names, NAMED_KEPT, |file| worth(file, clock));
        }
    }

    /// A stretch begins.
    pub fn turn(&mut self) {
        self.named.turn();
    }

    /// A text repeats files: those that are known stay in use, the others are not taken in.
    pub fn repeated(&mut self, text: &str, clock: u32) {
        let Lately { before, now } = &mut *self.named;
        if before.is_empty() && now.is_empty() {
            return;
        }
        words::scan(text, |word| {
            if let Word::Path(path) = word
                && let Some(known) = now.get_mut(path).or_else(|| before.get_mut(path))
            {
                known.heat.touch(clock);
            }
        });
    }

    /// The change that was counted did not happen: it failed or was refused.
    pub fn unchanged(&mut self, path: &str, touch: Touch) {
        let Some(file) = self.opened.get_mut(path) else { return };
        match touch {
            Touch::Edit => file.edits = file.edits.saturating_sub(1),
            Touch::Write => file.writes = file.writes.saturating_sub(1),
            _ => {}
        }
    }

    /// The file that was just written did not exist before.
    pub fn created(&mut self, path: &str) {
        if let Some(file) = self.opened.get_mut(path) {
            file.created = true;
        }
    }

    /// A file is gone, or a folder with `all` that is in it. Where the path is not `sure`, only if it is that of a file
    /// we know.
    ///
    /// Here and in [`Files::moved`] what is kept for good is decided by what is kept for good alone: otherwise it would
    /// depend on how long ago something was last named.
    pub fn removed(&mut self, path: &str, all: bool, sure: bool, clock: u32) {
        for known in self.opened_as(path, all, sure) {
            if let Some(file) = self.opened.get_mut(&known) {
                file.removed = Some(clock);
                self.gone.insert(known);
            }
        }
        for known in self.named_as(path, all, sure) {
            self.each_named(&known, |file| file.removed = Some(clock));
        }
    }

    /// A file or folder has another path now; `into`, that path is a folder. What was done to a file goes with it.
    pub fn moved(&mut self, from: &str, to: &str, moved: Moved, clock: u32, place: Place) {
        let name = from.rsplit('/').next().unwrap_or(from);
        let names_no_file = name.contains('.') && !to.rsplit('/').next().unwrap_or(to).contains('.');
        let inside = format!("{to}/");
        let is_folder = moved.into || names_no_file || self.inside(&inside).next().is_some();
        let to_opened = if is_folder { format!("{inside}{name}") } else { to.to_owned() };
        let is_folder = is_folder || self.names().any(|known| known.starts_with(&inside));
        let to_named = if is_folder { format!("{inside}{name}") } else { to.to_owned() };
        let renamed = |known: &str, to: &str| match known.strip_prefix(from) {
            Some(rest) if !rest.is_empty() => format!("{to}{rest}"),
            _ => to.to_owned(),
        };
        for known in self.opened_as(from, true, moved.sure) {
            let new = renamed(&known, &to_opened);
            let gone = Opened { removed: Some(clock), clock, place, ..Opened::default() };
            self.gone.insert(known.clone());
            let Some(uses) = self.opened.insert(known, gone) else { continue };
            self.there(&new);
            if !self.opened.contains_key(&new) {
                self.by_name.add(&new);
            }
            let file = self.opened.entry(new).or_default();
            file.add(&uses);
            file.note(Touch::Called, clock, place);
        }
        for known in self.named_as(from, true, moved.sure) {
            let new = renamed(&known, &to_named);
            for names in self.named.both() {
                let gone = Named { removed: Some(clock), place, ..Named::default() };
                let Some(uses) = names.get_mut(&known).map(|file| std::mem::replace(file, gone)) else {
                    continue;
                };
                names.entry(new.clone()).or_default().add(&Named { removed: None, ..uses });
            }
            self.each_named(&new, |file| file.removed = None);
            self.name(&new, Touch::Called, clock, place);
        }
    }

    /// A file is there; whether it was opened before and known to be gone.
    pub fn there(&mut self, path: &str) -> bool {
        let mut was_gone = false;
        for known in names_of(path) {
            if self.gone.remove(known) {
                was_gone = true;
                if let Some(file) = self.opened.get_mut(known) {
                    file.removed = None;
                }
            }
            self.each_named(known, |file| file.removed = None);
        }
        was_gone
    }

    /// Any file may be there again.
    pub fn all_there(&mut self) {
        for known in std::mem::take(&mut self.gone) {
            if let Some(file) = self.opened.get_mut(&known) {
                file.removed = None;
            }
        }
        for names in self.named.both() {
            for file in names.values_mut() {
                file.removed = None;
            }
        }
    }

    fn each_named(&mut self, path: &str, mut change: impl FnMut(&mut Named)) {
        for names in self.named.both() {
            names.get_mut(path).into_iter().for_each(&mut change);
        }
    }

    fn is_named(&self, path: &str) -> bool {
        self.named.now.contains_key(path) || self.named.before.contains_key(path)
    }

    /// The paths that were named lately; some of them twice.
    fn names(&self) -> impl Iterator<Item = &String> {
        self.named.now.keys().chain(self.named.before.keys())
    }

    /// The paths under which an opened file is known, and with `all` those of what is in it. A path that is the end of
    /// another file's, too, may mean that one.
    fn opened_as(&mut self, path: &str, all: bool, sure: bool) -> Vec<String> {
        let named = names_of(path).filter(|known| self.opened.contains_key(*known));
        let named: Vec<String> = named.map(str::to_owned).collect();
        if named.is_empty() && !sure {
            return named;
        }
        let mut meant: Vec<String> =
            named.into_iter().filter(|known| known == path || !self.may_be_another(known, path)).collect();
        if all {
            meant.extend(self.inside(&format!("{path}/")).map(str::to_owned));
        }
        meant.sort_unstable();
        meant.dedup();
        meant
    }

    /// The same for those that were named lately.
    fn named_as(&mut self, path: &str, all: bool, sure: bool) -> Vec<String> {
        let named = names_of(path).filter(|known| self.is_named(known));
        let named: Vec<String> = named.map(str::to_owned).collect();
        if named.is_empty() && !sure && !names_of(path).any(|known| self.opened.contains_key(known)) {
            return named;
        }
        let is_another = |known: &str| {
            let mut others =
                self.names().filter(|file| *file != path && *file != known && is_path_of(known, file));
            others.any(|file| self.lately(file).is_some_and(|uses| uses.removed.is_none()))
        };
        let mut meant: Vec<String> =
            named.into_iter().filter(|known| known == path || !is_another(known)).collect();
        meant.retain(|known| known == path || !self.may_be_another(known, path));
        if all {
            let inside = format!("{path}/");
            meant.extend(self.names().filter(|known| known.starts_with(&inside)).cloned());
        }
        meant.sort_unstable();
        meant.dedup();
        meant
    }

    /// Whether `known` is the end of another opened file's path than this one, and that file is there.
    fn may_be_another(&mut self, known: &str, path: &str) -> bool {
        if self.by_name.0.is_none() {
            self.by_name.0 = Some(HashMap::default());
            self.opened.keys().for_each(|path| self.by_name.add(path));
        }
        let alike = self.by_name.0.as_ref().and_then(|paths| paths.get(last_part(known)));
        alike.into_iter().flatten().any(|file| {
            file != path
                && file != known
                && is_path_of(known, file)
                && self.opened.get(file).is_some_and(|uses| uses.removed.is_none())
        })
    }

    /// The opened files of a folder, which is given with its last slash.
    fn inside<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let from = self.opened.range::<str, _>((Bound::Included(folder), Bound::Unbounded));
        from.map(|(known, _)| known.as_str()).take_while(move |known| known.starts_with(folder))
    }

    /// What both stretches tell of a path.
    fn lately(&self, path: &str) -> Option<Named> {
        match (self.named.before.get(path), self.named.now.get(path)) {
            (Some(before), Some(now)) => {
                let mut both = *before;
                both.add(now);
                Some(both)
            }
            (before, now) => before.or(now).copied(),
        }
    }

    /// All files and how they were used: those that were opened in the order of their paths, then the others.
    pub fn iter(&self) -> impl Iterator<Item = (&str, FileUse)> {
        let opened =
            self.opened.iter().map(|(path, file)| (path.as_str(), used(Some(file), self.lately(path))));
        let others = self.named.before.keys();
        let others =
            others.chain(self.named.now.keys().filter(|path| !self.named.before.contains_key(*path)));
        let others = others.filter(|path| !self.opened.contains_key(*path));
        opened.chain(others.map(|path| (path.as_str(), used(None, self.lately(path)))))
    }

    /// The files that tools have opened, in the order of their paths, by that alone: who has named them since is not
    /// asked.
    pub fn opened(&self) -> impl Iterator<Item = (&str, FileUse)> {
        self.opened.iter().map(|(path, file)| (path.as_str(), used(Some(file), None)))
    }

    /// Opened files that were not changed go first, then those that were not used for the longest time.
    fn forget_the_least_used(&mut self) {
        let mut all: Vec<(String, Opened)> = std::mem::take(&mut self.opened).into_iter().collect();
        let worth = |f: &Opened| (f.is_changed() && f.removed.is_none(), f.clock);
        all.sort_by(|a, b| worth(&b.1).cmp(&worth(&a.1)).then_with(|| a.0.cmp(&b.0)));
        all.truncate(OPENED_KEPT);
        self.opened = all.into_iter().collect();
        self.gone.retain(|known| self.opened.contains_key(known));
        self.by_name = ByName::default();
    }
}

/// How much a file is in use that is only named.
fn worth(file: &Named, now: u32) -> f32 {
    let marks = [file.called, file.said].iter().filter(|m| **m).count();
    marks as f32 + file.heat.level(now) + file.heat.freshness(now)
}

/// How a file was moved.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// Into the folder that is named.
    pub into: bool,
    /// The path is as it was typed; otherwise it counts only if it is that of a file we know.
    pub sure: bool,
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
            files.open(path, Touch::Read, 1, Place(1));
        }
        files.removed("src", true, true, 2);
        let gone: Vec<&str> =
            files.iter().filter(|(_, file)| file.removed.is_some()).map(|(path, _)| path).collect();
        assert_eq!(gone, ["src/a.rs", "src/b/c.rs"]);
        assert!(files.there("/home/user/src/a.rs") && !files.there("src/a.rs"));
    }
}
