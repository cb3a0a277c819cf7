//! The engine.

pub mod mask;
