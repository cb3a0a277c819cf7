//! The verbs that every front end calls.

pub mod answer;
pub mod catch_up;
pub mod checkpoint;
pub mod eval;
pub mod handoff;
pub mod history;
pub mod preview;
pub mod start;
pub mod status;

pub use answer::answer;
pub use catch_up::{CatchUp, Depth};

#[cfg(test)]
mod tests;
