//! The functions that front ends call.

pub mod active;
pub mod acts;
pub mod brief;
pub mod catch_up;
pub mod checkpoint;
pub mod forget;
pub mod handoff;
pub mod history;
pub mod hook;
pub mod index;
pub mod lost;
pub mod past;
pub mod read;
pub mod recall;
pub mod record;
pub mod replay;
pub mod rows;
pub mod search;
pub mod sessions;
pub mod solved;
pub mod start;
pub mod sync;

pub use catch_up::{CatchUp, Depth};
pub use recall::recall;
pub use search::search;

#[cfg(test)]
pub(crate) mod tests;
