//! One file per command: its arguments and what it does.

pub mod archive;
pub mod backup;
pub mod brief;
pub mod commands;
pub mod completions;
pub mod config;
pub mod doctor;
pub mod eval;
pub mod forget;
pub mod handoff;
pub mod index;
pub mod init;
pub mod lost;
pub mod man;
pub mod note;
pub mod overview;
pub mod project;
pub mod recall;
pub mod remove;
pub mod restore;
pub mod run;
pub mod search;
pub mod status;
pub mod sync;
pub mod target;
pub mod try_out;
