//! Subagents that were called, and the ids by which they can be asked again.

use serde::{Deserialize, Serialize};

use crate::model::entry::Place;
use crate::text::foreign::Foreign;

/// Subagents that are remembered, the latest ones.
const MAX_SUBAGENTS: usize = 24;

/// A subagent that was called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subagent {
    pub id: Foreign,
    /// Its order in a few words.
    pub what: Foreign,
    pub place: Place,
}

/// The subagents of a session, in the order of their last call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subagents(Vec<Subagent>);

impl Subagents {
    pub fn called(&mut self, id: &str, what: &str, place: Place) {
        let id = Foreign::new(id);
        self.0.retain(|known| known.id != id);
        self.0.push(Subagent { id, what: Foreign::new(what), place });
        let excess = self.0.len().saturating_sub(MAX_SUBAGENTS);
        self.0.drain(..excess);
    }

    pub fn latest_first(&self) -> impl Iterator<Item = &Subagent> {
        self.0.iter().rev()
    }
}
