//! Claude Code.

pub mod setup;
