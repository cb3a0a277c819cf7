//! Identifiers the session has met: how often, by whom, and when last.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::words::{self, Word};
use crate::agent::entry::Place;

/// Most names kept; past twice that the least used go.
const KEPT: usize = 6_000;
/// Bytes looked at in one text: the start and the end say what it is about.
const LOOKED_AT: usize = 8 * 1024;

/// Where a name was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the person's words.
    Asked,
    /// In the agent's words.
    Said,
    /// In the input of a command or a search.
    Called,
    /// In text that was edited or written.
    Edited,
    /// In a tool's answer.
    Seen,
}

/// How a name was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameUse {
    /// Texts it was met in, by [`Source`].
    pub by: [u16; 5],
    /// Tool calls before it was last met.
    pub clock: u32,
    /// Tool calls before it was last met outside tools' answers.
    pub used: u32,
    /// Where it was last met.
    pub place: Place,
}

/// All names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Names {
    map: HashMap<String, NameUse>,
}

impl Names {
    /// Takes in the names of a text.
    pub fn note(&mut self, text: &str, source: Source, clock: u32, place: Place) {
        words::scan(looked_at(text), |word| {
            if let Word::Name(name) = word {
                self.met(name, source, clock, place);
            }
        });
        if self.map.len() > 2 * KEPT {
            self.forget_the_least_used();
        }
    }

    /// All names and how they were used.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &NameUse)> {
        self.map.iter().map(|(name, use_)| (name.as_str(), use_))
    }

    fn met(&mut self, name: &str, source: Source, clock: u32, place: Place) {
        let entry = match self.map.get_mut(name) {
            Some(entry) => entry,
            None => self.map.entry(name.to_owned()).or_default(),
        };
        // Once per text: a file full of one word says no more than one mention.
        if entry.place == place && entry.by[source as usize] > 0 {
            return;
        }
        entry.by[source as usize] = entry.by[source as usize].saturating_add(1);
        entry.clock = clock;
        entry.place = place;
        if source != Source::Seen {
            entry.used = clock;
        }
    }

    fn forget_the_least_used(&mut self) {
        let mut all: Vec<(String, NameUse)> = self.map.drain().collect();
        let worth = |u: &NameUse| (u.by[..4].iter().map(|n| u32::from(*n)).sum::<u32>().min(4), u.clock);
        all.sort_unstable_by(|a, b| worth(&b.1).cmp(&worth(&a.1)).then_with(|| a.0.cmp(&b.0)));
        all.truncate(KEPT);
        self.map = all.into_iter().collect();
    }
}

fn looked_at(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
