//! What was seen in a session: a log of observations, and what later changed their state.
//!
//! The fold (`session/`) feeds it: every line of a prompt, sentence of the agent, call with its outcome, effect
//! on a file, line of an output worth keeping, task and answer becomes one [`Observation`], verbatim and masked. Nothing
//! is judged here and hardly anything is left out: the choice comes last, when it is known what the model already has.
//!
//! An observation never changes, except for its state: a run is overtaken by the next run of the same line, a failure
//! is settled by a run that covers it, an edit is taken back by its exact reversal. These rules are one table
//! ([`rules::RULES`]), one file each. Readers ask for what was run, committed or answered (`read.rs`) and get the
//! observations themselves: an index only says where they stand.

mod index;
mod lines;
mod log;
mod observation;
mod read;
mod remaining;
pub mod rules;

pub use log::Record;
pub use observation::{
    CallParts, Deed, Kind, Observation, RunResult, Source, Standing, Swap, TextPart, Voice, Written,
    taken_out,
};
pub use read::{Answer, CommandRun, Commit, Event, Message, Refusal};
pub use remaining::RemainingWork;

#[cfg(test)]
mod tests;
