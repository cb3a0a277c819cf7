//! The engine.

pub mod agent;
