//! Files the session has touched or named.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::words::{self, Word};
use crate::agent::entry::Place;

/// Most files kept; past twice that the least used go.
const KEPT: usize = 2_000;
/// Bytes of a text in which files are looked for.
const LOOKED_AT: usize = 8 * 1024;

/// Who named a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    /// The person.
    Asked,
    /// The agent.
    Said,
    /// A command or a search.
    Called,
    /// A tool's answer.
    Seen,
}

/// How a file was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileUse {
    /// Times read.
    pub reads: u16,
    /// Times changed.
    pub edits: u16,
    /// Times written whole.
    pub writes: u16,
    /// It did not exist before this session.
    pub created: bool,
    /// Times named, by [`Mention`].
    pub mentions: [u16; 4],
    /// Tool calls before its last use.
    pub clock: u32,
    /// Tool calls before its last change.
    pub changed: u32,
    /// Where it was last used.
    pub place: Place,
}

impl FileUse {
    /// Changed in any way.
    pub fn is_changed(&self) -> bool {
        self.edits + self.writes > 0
    }
}

/// All files, by the path they were given with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Files {
    map: BTreeMap<String, FileUse>,
}

impl Files {
    /// A file was read.
    pub fn read(&mut self, path: &str, clock: u32, place: Place) {
        self.touched(path, clock, place, |file| file.reads = file.reads.saturating_add(1));
    }

    /// A file was changed.
    pub fn edited(&mut self, path: &str, clock: u32, place: Place) {
        self.touched(path, clock, place, |file| {
            file.edits = file.edits.saturating_add(1);
            file.changed = clock;
        });
    }

    /// A file was written whole.
    pub fn written(&mut self, path: &str, clock: u32, place: Place) {
        self.touched(path, clock, place, |file| {
            file.writes = file.writes.saturating_add(1);
            file.changed = clock;
        });
    }

    /// The file that was just written did not exist before.
    pub fn created(&mut self, path: &str) {
        if let Some(file) = self.map.get_mut(path) {
            file.created = true;
        }
    }

    /// Takes in the files that a text names.
    pub fn note_mentions(&mut self, text: &str, by: Mention, clock: u32, place: Place) {
        let mut end = text.len().min(LOOKED_AT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        words::scan(&text[..end], |word| {
            if let Word::Path(path) = word {
                self.mentioned(path, by, clock, place);
            }
        });
    }

    /// All files and how they were used.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FileUse)> {
        self.map.iter().map(|(path, use_)| (path.as_str(), use_))
    }

    fn mentioned(&mut self, path: &str, by: Mention, clock: u32, place: Place) {
        let path = path.trim_start_matches("./");
        self.touched(path, clock, place, |file| {
            file.mentions[by as usize] = file.mentions[by as usize].saturating_add(1);
        });
    }

    fn touched(&mut self, path: &str, clock: u32, place: Place, change: impl FnOnce(&mut FileUse)) {
        if path.is_empty() {
            return;
        }
        let file = match self.map.get_mut(path) {
            Some(file) => file,
            None => self.map.entry(path.to_owned()).or_default(),
        };
        change(file);
        file.clock = clock;
        file.place = place;
        if self.map.len() > 2 * KEPT {
            self.forget_the_least_used();
        }
    }

    fn forget_the_least_used(&mut self) {
        let mut all: Vec<(String, FileUse)> = std::mem::take(&mut self.map).into_iter().collect();
        let worth =
            |f: &FileUse| (f.is_changed(), u32::from(f.reads > 0) + u32::from(f.mentions[0] > 0), f.clock);
        all.sort_by(|a, b| worth(&b.1).cmp(&worth(&a.1)).then_with(|| a.0.cmp(&b.0)));
        all.truncate(KEPT);
        self.map = all.into_iter().collect();
    }
}
