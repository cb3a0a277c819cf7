//! One file a command: its arguments next to what it does.

pub mod activate;
pub mod audit;
pub mod commands;
pub mod doctor;
pub mod eval;
pub mod explain;
pub mod init;
pub mod log;
pub mod remove;
pub mod sessions;
pub mod show;
mod target;
pub mod try_out;
