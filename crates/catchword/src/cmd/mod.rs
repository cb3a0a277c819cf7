//! One file a command: its arguments next to what it does.

pub mod audit;
pub mod doctor;
pub mod eval;
pub mod explain;
pub mod init;
pub mod log;
pub mod note;
pub mod notes;
pub mod remove;
pub mod sessions;
pub mod show;
mod target;
pub mod tasks;
pub mod try_out;
