//! Identifiers the session has met: how much they were in use, and whether the agent typed them itself.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::heat::Heat;
use crate::model::entry::Place;
use crate::text::words::{self, Word};

/// Names that are always remembered, 300 kB of them; past twice as many the least used go.
const MAX_NAMES: usize = 6_000;

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

/// All names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Names {
    /// Some of them are no longer remembered.
    pub forgot: bool,
    map: HashMap<String, NameUse, foldhash::fast::RandomState>,
}

impl Names {
    /// Takes in a name or a number of a text.
    pub fn note(&mut self, word: &str, met: Met, clock: u32, place: Place) {
        let entry = match self.map.get_mut(word) {
            Some(entry) => entry,
            None => self.map.entry(word.to_owned()).or_default(),
        };
        entry.heat.touch(clock);
        entry.place = place;
        if met == Met::Called {
            entry.called = Some(clock);
        }
    }

    /// A text is read to its end: where there are too many names the least used go.
    pub fn settle(&mut self, clock: u32) {
        if self.map.len() > 2 * MAX_NAMES {
            self.forget_the_least_used(clock);
        }
    }

    /// A text repeats names: those that are known stay in use, the others are not taken in.
    pub fn repeated(&mut self, text: &str, clock: u32) {
        words::scan(text, |word| {
            if let Word::Name(name) | Word::Number(name) = word
                && let Some(known) = self.map.get_mut(name)
            {
                known.heat.touch(clock);
            }
        });
    }

    /// All names and how they were used.
    pub fn iter(&self) -> impl Iterator<Item = (&str, NameUse)> {
        self.map.iter().map(|(name, used)| (name.as_str(), *used))
    }

    /// Drops the least used half.
    fn forget_the_least_used(&mut self, now: u32) {
        self.forgot = true;
        let mut all: Vec<(String, NameUse)> = self.map.drain().collect();
        let worth = |n: &NameUse| n.heat.level(now) + n.heat.freshness(now) + n.called.map_or(0.0, |_| 0.5);
        all.sort_unstable_by(|a, b| worth(&b.1).total_cmp(&worth(&a.1)).then_with(|| a.0.cmp(&b.0)));
        all.truncate(MAX_NAMES);
        self.map = all.into_iter().collect();
    }
}
