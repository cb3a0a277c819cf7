//! Files the session has touched or named.

use std::collections::BTreeMap;

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

/// All files, by the path they were given with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Files {
    map: BTreeMap<String, FileUse>,
}

impl Files {
    /// Something was done with a file.
    pub fn touch(&mut self, path: &str, touch: Touch, clock: u32, place: Place) {
        if path.is_empty() {
            return;
        }
        let file = match self.map.get_mut(path) {
            Some(file) => file,
            None => self.map.entry(path.to_owned()).or_default(),
        };
        file.note(touch, clock, place);
        if self.map.len() > 2 * KEPT {
            self.forget_the_least_used(clock);
        }
    }

    /// Takes in the files that a text names.
    pub fn note(&mut self, text: &str, touch: Touch, clock: u32, place: Place) {
        words::scan(text, |word| {
            if let Word::Path(path) = word {
                self.touch(path, touch, clock, place);
            }
        });
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
        self.map.keys().any(|known| is_path_of(known, path))
    }

    /// A file is gone, or a folder with `all` that is in it.
    pub fn removed(&mut self, path: &str, all: bool, clock: u32) {
        for known in self.known_as(path, all) {
            if let Some(file) = self.map.get_mut(&known) {
                file.removed = Some(clock);
            }
        }
    }

    /// A file or folder has another path now; `into`, that path is a folder. What was done to a file goes with it.
    pub fn moved(&mut self, from: &str, to: &str, into: bool, clock: u32, place: Place) {
        let name = from.rsplit('/').next().unwrap_or(from);
        let names_no_file = name.contains('.') && !to.rsplit('/').next().unwrap_or(to).contains('.');
        let inside = format!("{to}/");
        let is_folder = into || names_no_file || self.map.keys().any(|known| known.starts_with(&inside));
        let to = if is_folder { format!("{inside}{name}") } else { to.to_owned() };
        for known in self.known_as(from, true) {
            let new = match known.strip_prefix(from) {
                Some(rest) if !rest.is_empty() => format!("{to}{rest}"),
                _ => to.clone(),
            };
            let gone = FileUse { removed: Some(clock), place, ..FileUse::default() };
            let Some(uses) = self.map.insert(known, gone) else { continue };
            self.there(&new);
            let file = self.map.entry(new).or_default();
            file.add(&FileUse { removed: None, ..uses });
            file.note(Touch::Called, clock, place);
        }
    }

    /// A file is there; whether it was known to be gone.
    pub fn there(&mut self, path: &str) -> bool {
        let mut was_gone = false;
        for (known, file) in &mut self.map {
            if file.removed.is_some() && is_path_of(known, path) {
                file.removed = None;
                was_gone = true;
            }
        }
        was_gone
    }

    /// Any file may be there again.
    pub fn all_there(&mut self) {
        self.map.values_mut().for_each(|file| file.removed = None);
    }

    /// The paths under which a file is known, and with `all` those of what is in it. A path that is the end of another
    /// file's, too, may mean that one.
    fn known_as(&self, path: &str, all: bool) -> Vec<String> {
        let inside = |known: &str| all && known.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        let others = |known: &str| {
            let other = |(file, uses): (&String, &FileUse)| {
                uses.removed.is_none() && file != path && file != known && is_path_of(known, file)
            };
            self.map.iter().any(other)
        };
        let meant =
            |known: &str| known == path || inside(known) || (is_path_of(known, path) && !others(known));
        self.map.keys().filter(|known| meant(known)).cloned().collect()
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
    }
}
