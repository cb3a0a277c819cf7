//! Measures what compactions lost and what a brief gives back, from transcripts alone.
//!
//! ```text
//! text, scan, listed: paths, commands, names  pattern: regular expressions in a file of key facts
//! needs: what an agent used again             total: many compactions as one figure
//! key_facts: what readers say must be known   score: which of that a brief gives back
//! measure: every compaction of a transcript   corpus: labelled compactions, each with its brief
//! train: labelled lines, projects left out    fit: the weights of `choose/`
//! ```
//!
//! It stands on the engine, which does not know it: no hook runs this code. Like the engine it has no terminal and reads
//! neither the environment nor the clock. Only `measure` and `corpus` do I/O.

pub mod corpus;
pub mod fit;
pub mod key_facts;
mod listed;
pub mod measure;
pub mod moments;
pub mod needs;
pub mod pattern;
mod scan;
pub mod score;
mod text;
pub mod total;
pub mod train;
