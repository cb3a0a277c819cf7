//! What an entry says, read once: a command line becomes steps with their effects on files, its output
//! an outcome, a sentence what it is (a rule, a request, a decision).
//!
//! The tables are in [`crate::lexicon`]; nothing else in the engine works out again what a shell line is. No function
//! here fails: what cannot be read is marked as such, and then nobody may conclude anything from it.

pub mod claims;
pub mod command;
pub mod criteria;
pub mod effects;
pub mod git;
mod lexer;
pub mod outcome;
pub mod prose;
pub mod report;
pub mod request;
pub mod statements;
