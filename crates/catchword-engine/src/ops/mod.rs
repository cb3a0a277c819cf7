//! The verbs that every front end calls.

pub mod active;
pub mod answer;
pub mod catch_up;
pub mod checkpoint;
pub mod eval;
pub mod forget;
pub mod handoff;
pub mod history;
pub mod index;
pub mod preview;
pub mod recall;
pub mod record;
pub mod replay;
pub mod search;
pub mod sessions;
pub mod start;
pub mod status;

pub use answer::answer;
pub use catch_up::{CatchUp, Depth};
pub use recall::recall;
pub use search::search;

#[cfg(test)]
mod tests;
