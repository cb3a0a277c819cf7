//! The words everything speaks: entries, events and the few values that cross folders. No logic.

pub mod entry;
pub mod event;
pub mod finding;
pub mod frame;
pub mod note;
pub mod origin;
pub mod problem;
pub mod tokens;
