//! What was met lately: in the present stretch of tool calls, and in the one before it.
//!
//! A name that stood in a text some hundred calls ago is worth nothing any more ([`Heat`](super::heat::Heat) says how
//! fast it cools), so it is not kept. A session of days then costs what one of an hour does, and of a long transcript
//! that nobody has read yet only the end has to be read word by word. What a stretch holds depends on nothing before it:
//! that is what makes the two ways of reading give the same session.

use std::collections::HashMap;
use std::hash::BuildHasher;

use serde::{Deserialize, Serialize};

/// Tool calls in a stretch. At least as many are remembered, and at most twice as many: several compactions' worth.
pub const STRETCH: u32 = 100;

/// One thing for each of the two stretches that are remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lately<T> {
    /// Of the stretch before.
    pub before: T,
    /// Of the present one.
    pub now: T,
}

impl<T: Default> Lately<T> {
    /// Both, the one before first.
    pub fn both(&mut self) -> [&mut T; 2] {
        [&mut self.before, &mut self.now]
    }

    /// A stretch begins: what was remembered of the one before the last is forgotten.
    pub fn turn(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }
}

/// Keeps those of `all` that are worth most; of equals those whose names come first.
pub fn keep_the_best<T, S: BuildHasher>(
    all: &mut HashMap<String, T, S>,
    most: usize,
    worth: impl Fn(&T) -> f32,
) {
    let mut weighed: Vec<(f32, String, T)> =
        all.drain().map(|(name, used)| (worth(&used), name, used)).collect();
    if weighed.len() > most {
        weighed.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        weighed.truncate(most);
    }
    all.extend(weighed.into_iter().map(|(_, name, used)| (name, used)));
}

/// Whether a stretch begins with this tool call.
pub fn begins(clock: u32) -> bool {
    clock.is_multiple_of(STRETCH)
}

/// The tool call from which on everything is remembered, when so many have been made.
pub fn since(clock: u32) -> u32 {
    (clock / STRETCH).saturating_sub(1) * STRETCH
}
