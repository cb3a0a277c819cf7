//! Hashes seen in the session, and where last: a summary that changes a letter of one is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::entry::Place;

/// Hashes kept when pruning; pruning starts at twice as many and drops those seen longest ago.
const MAX_HASHES: usize = 2_000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hashes {
    /// Whether any were pruned.
    pub forgot: bool,
    places: BTreeMap<String, Place>,
}

impl Hashes {
    pub(super) fn note(&mut self, hash: &str, place: Place) {
        if let Some(known) = self.places.get_mut(hash) {
            *known = place;
            return;
        }
        self.places.insert(hash.to_owned(), place);
        if self.places.len() > 2 * MAX_HASHES {
            self.forgot = true;
            let mut seen: Vec<Place> = self.places.values().copied().collect();
            seen.sort_unstable();
            let oldest = seen[seen.len() - MAX_HASHES];
            self.places.retain(|_, place| *place >= oldest);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, Place)> {
        self.places.iter().map(|(hash, place)| (hash.as_str(), *place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_seen_longest_ago_are_dropped_first() {
        let mut hashes = Hashes::default();
        for n in 0..=2 * MAX_HASHES as u32 {
            hashes.note(&format!("a{n:07}"), Place(n));
        }
        assert!(hashes.forgot);
        let places: Vec<u32> = hashes.iter().map(|(_, place)| place.0).collect();
        assert_eq!((places.len(), places[0]), (MAX_HASHES, MAX_HASHES as u32 + 1));
    }
}
