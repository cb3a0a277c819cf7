//! The model of one session: a fold over its entries.
//!
//! [`Session::apply`] is the only way to write: it takes one entry and never reads a file, a clock or another entry, so
//! any split of a transcript gives the same session. Everything that grows with the session is bounded, except for what
//! the person said, which is kept whole.

pub mod active;
pub mod agents;
mod apply;
mod calls;
pub mod checklists;
pub mod compactions;
pub mod criteria;
pub mod decisions;
pub mod files;
pub mod git;
pub mod heat;
pub mod instructions;
pub mod kept;
pub mod names;
pub mod paths;
pub mod reasons;
mod said;
pub mod shown;
pub mod spans;
mod state;
pub mod tasks;
mod touched;
pub mod vocabulary;

pub use crate::text::cut::one_line;
pub(crate) use calls::action;
pub use paths::is_inside;
pub use said::{Action, Compaction, Focus, Moment, Prompt, ProposedPlan, RunningJob, SkillUse, UnreadResult};
pub use state::Session;

#[cfg(test)]
pub(crate) mod tests;
