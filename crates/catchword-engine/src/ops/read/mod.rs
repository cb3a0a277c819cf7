//! Everything that a person or an agent can ask: one function for each question, one document for each answer.
//!
//! A document is a plain value with documented fields. Front ends only lay it out: `--json` prints it as it is, a
//! server hands it on as structured content, a page draws it. What somebody may see is decided by the
//! [`Reader`]'s [`Viewer`], here and nowhere else.

pub mod brief;
pub mod commands;
pub mod compaction;
pub mod doctor;
pub mod handoff;
mod lines;
pub mod notes;
pub mod project;
pub mod reader;
pub mod recall;
pub mod rows;
pub mod rules;
pub mod search;
pub mod session;
pub mod shared;
pub mod told;
pub mod trial;
pub mod work;

pub use reader::{ChosenSession, ReadError, Reader, Surroundings, Viewer, Which};
