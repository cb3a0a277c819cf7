//! One file a command: its arguments next to what it does.

pub mod activate;
pub mod audit;
pub mod commands;
pub mod doctor;
pub mod eval;
pub mod explain;
mod found;
pub mod gauge;
pub mod handoff;
pub mod index;
pub mod init;
pub mod log;
pub mod mcp;
pub mod note;
pub mod notes;
pub mod recall;
pub mod remove;
pub mod replay;
pub mod run;
pub mod search;
mod server;
pub mod sessions;
pub mod show;
pub mod status;
pub mod target;
pub mod tasks;
pub mod try_out;
