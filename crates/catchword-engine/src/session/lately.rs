//! What was met lately: in the present stretch of tool calls, and in the one before it.
//!
//! A name that stood in a text some hundred calls ago is worth nothing any more ([`Heat`](super::heat::Heat) says how
//! fast it cools), so it is not kept. A session of days then costs what one of an hour does, and of a long transcript
//! that nobody has read yet only the end has to be read word by word. What a stretch holds depends on nothing before it:
//! that is what makes the two ways of reading give the same session.

use serde::{Deserialize, Serialize};

/// Tool calls in a stretch. At least as many are remembered, and at most twice as many: several compactions' worth.
pub const STRETCH: u32 = 300;

/// One thing for each of the two stretches that are remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lately<T> {
    /// Of the stretch before.
    pub before: T,
    /// Of the present one.
    pub now: T,
}

impl<T: Default> Lately<T> {
    /// A stretch begins: what was remembered of the one before the last is forgotten.
    pub fn turn(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }
}

/// Whether a stretch begins with this tool call.
pub fn begins(clock: u32) -> bool {
    clock.is_multiple_of(STRETCH)
}

/// The tool call from which on everything is remembered, when so many have been made.
pub fn since(clock: u32) -> u32 {
    (clock / STRETCH).saturating_sub(1) * STRETCH
}
