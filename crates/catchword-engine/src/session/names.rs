//! Identifiers seen in the session: how often, and whether the agent typed them itself.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::heat::Heat;
use crate::model::entry::Place;
use crate::text::words::{self, Word};

/// Names kept when pruning (about 300 kB); pruning starts at twice as many and drops the least used.
const MAX_NAMES: usize = 6_000;

/// How a name was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// Typed by the agent into a command or a search, so likely to be typed again.
    Called,
    /// In a message, or in code the agent writes.
    Read,
    /// In a tool result, where numbers are ignored: logs are full of them.
    Seen,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NameUse {
    pub heat: Heat,
    /// Tool calls before it was last typed into a command or a search.
    pub called: Option<u32>,
    /// Row where it was last seen.
    pub place: Place,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Names {
    /// Whether any were pruned.
    pub forgot: bool,
    map: HashMap<String, NameUse, foldhash::fast::RandomState>,
}

impl Names {
    /// Records a name or number.
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

    /// Called after each text: prunes if there are too many names.
    pub fn settle(&mut self, clock: u32) {
        if self.map.len() > 2 * MAX_NAMES {
            self.drop_least_used(clock);
        }
    }

    /// Records another use of the known names in a text; new ones are ignored.
    pub fn repeated(&mut self, text: &str, clock: u32) {
        words::scan(text, |word| {
            if let Word::Name(name) | Word::Number(name) = word
                && let Some(known) = self.map.get_mut(name)
            {
                known.heat.touch(clock);
            }
        });
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, NameUse)> {
        self.map.iter().map(|(name, used)| (name.as_str(), *used))
    }

    /// Drops the least used half.
    fn drop_least_used(&mut self, now: u32) {
        self.forgot = true;
        let mut all: Vec<(String, NameUse)> = self.map.drain().collect();
        let worth = |n: &NameUse| n.heat.level(now) + n.heat.freshness(now) + n.called.map_or(0.0, |_| 0.5);
        all.sort_unstable_by(|a, b| worth(&b.1).total_cmp(&worth(&a.1)).then_with(|| a.0.cmp(&b.0)));
        all.truncate(MAX_NAMES);
        self.map = all.into_iter().collect();
    }
}
