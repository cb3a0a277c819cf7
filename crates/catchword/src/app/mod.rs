//! What the front ends share: the environment, settings, privacy, and the files and programs around a session.
//!
//! Commands, server, status line and hook call this folder and never each other. It knows nothing about arguments,
//! protocols or colours.

pub mod archive;
pub mod backup;
pub mod call;
pub mod config;
pub mod edits;
pub mod env;
pub mod files;
pub mod forgetting;
pub mod git;
pub mod handoff;
pub mod host;
pub mod limits;
pub mod log;
pub mod mirror;
pub mod models;
pub mod notes;
pub mod page;
pub mod privacy;
pub mod process;
pub mod read;
pub mod schema;
pub mod sessions;
pub mod transcripts;
pub mod tree;
pub mod workspace;
