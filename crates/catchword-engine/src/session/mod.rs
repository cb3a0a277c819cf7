//! The model of one session: a fold over its entries.
//!
//! [`Session::apply`] is the only way to write: it takes one entry and never reads a file, a clock or another entry, so
//! any split of a transcript gives the same session. Everything that grows with the session is bounded.
//!
//! What was said, run, decided and changed is in the record ([`crate::record`]), and questions about it are answered from
//! there: what was asked, rules in force, reasons, plans, checklists, what subagents report. Beside it a session
//! has indexes (which message is a prompt, which row the plan), what lines cannot give back: what holds now by path, id or
//! name (files, tasks, jobs, commands in force, the work tree as git printed it), every word seen, kept or not, and what the
//! fold itself has to remember until the next row.

pub mod active;
pub mod agents;
mod apply;
mod calls;
pub mod checklists;
pub mod compactions;
pub mod files;
pub mod git;
pub mod instructions;
pub mod kept;
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
pub use said::{Action, Compaction, Focus, Moment, Prompt, ProposedPlan, RunningJob, UnreadResult};
pub use state::{PlacedText, Session};

#[cfg(test)]
pub(crate) mod tests;
