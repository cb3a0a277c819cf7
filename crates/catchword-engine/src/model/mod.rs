//! Entries, events and the few other types that folders share. No logic.

pub mod entry;
pub mod event;
pub mod finding;
pub mod frame;
pub mod note;
pub mod origin;
pub mod problem;
pub mod tokens;
