//! Identifiers the session has met: how much they were in use, and whether the agent typed them itself.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::heat::Heat;
use super::lately::{Lately, keep_the_best};
use super::words::{self, Word};
use crate::agent::entry::Place;

/// Most names kept of a stretch; past twice that the least used go.
const KEPT: usize = 300;

/// How a name was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// Typed into a command or a search: what is typed once is typed again.
    Called,
    /// In anybody's words, or in code.
    Read,
    /// In a tool's answer. Versions and measurements count for nothing there: logs are full of them.
    Seen,
}

/// How a name was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NameUse {
    /// All its uses.
    pub heat: Heat,
    /// Tool calls before it was last typed into a command or a search.
    pub called: Option<u32>,
    /// Where it was last met.
    pub place: Place,
}

impl NameUse {
    /// Adds the uses of a later stretch.
    fn add(&mut self, later: &NameUse) {
        self.heat.add(later.heat);
        self.called = later.called.or(self.called);
        self.place = later.place;
    }
}

type Map = HashMap<String, NameUse, foldhash::fast::RandomState>;

/// All names met lately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Names {
    met: Lately<Map>,
}

impl Names {
    /// Takes in a name or a number of a text.
    pub fn note(&mut self, word: &str, met: Met, clock: u32, place: Place) {
        let names = &mut self.met.now;
        let entry = match names.get_mut(word) {
            Some(entry) => entry,
            None => names.entry(word.to_owned()).or_default(),
        };
        entry.heat.touch(clock);
        entry.place = place;
        if met == Met::Called {
            entry.called = Some(clock);
        }
    }

    /// A text is read to its end: where there are too many names the least used go.
    pub fn settle(&mut self, clock: u32) {
        if self.met.now.len() > 2 * KEPT {
            keep_the_best(&mut self.met.now, KEPT, |name| worth(name, clock));
        }
    }

    /// A stretch begins.
    pub fn turn(&mut self) {
        self.met.turn();
    }

    /// A text repeats names: those that are known stay in use, the others are not taken in.
    pub fn repeated(&mut self, text: &str, clock: u32) {
        if self.met.both().iter().all(|names| names.is_empty()) {
            return;
        }
        words::scan(text, |word| {
            if let Word::Name(name) | Word::Number(name) = word
                && let Some(known) = self.met.now.get_mut(name).or_else(|| self.met.before.get_mut(name))
            {
                known.heat.touch(clock);
            }
        });
    }

    /// All names and how they were used.
    pub fn iter(&self) -> impl Iterator<Item = (&str, NameUse)> {
        let Lately { before, now } = &self.met;
        let older = before.iter().map(|(name, used)| {
            let mut used = *used;
            now.get(name).inspect(|later| used.add(later));
            (name.as_str(), used)
        });
        let newer = now.iter().filter(|(name, _)| !before.contains_key(*name));
        older.chain(newer.map(|(name, used)| (name.as_str(), *used)))
    }
}

/// How much a name is in use.
fn worth(name: &NameUse, now: u32) -> f32 {
    name.heat.level(now) + name.heat.freshness(now) + name.called.map_or(0.0, |_| 0.5)
}
