//! Measures what compactions lost and what a brief gives back, from transcripts alone.
//!
//! ```text
//! text, scan, listed: paths, commands, names  pattern: regular expressions in a file of key facts
//! needs: what an agent used again             total: many compactions as one figure
//! key_facts: what readers say must be known   measure: every compaction of a transcript
//! ```
//!
//! It stands on the engine, which does not know it: no hook runs this code. Like the engine it has no terminal and reads
//! neither the environment nor the clock. Only `measure` does I/O.

pub mod key_facts;
mod listed;
pub mod measure;
pub mod needs;
mod pattern;
mod scan;
mod text;
pub mod total;
