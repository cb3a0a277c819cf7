//! A failed run is settled by a later one that passed and ran the same or more.

use crate::record::Record;

/// The same line run again is the rule before this one; a wider run in other words is compared step by step.
pub fn apply(_log: &mut Record, _at: usize) {}
