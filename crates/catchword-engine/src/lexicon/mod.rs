//! Words as data, without logic: what programs are for, what their outputs say, and what sentences say in each language.
//!
//! Every entry has an example, which is its test: to teach catchword a test runner, a wrapper, a count line or a
//! language, add one entry or one file here. `reading/` applies the tables; no other folder has lists of program names
//! or of words.

pub mod code;
pub mod languages;
pub mod outcomes;
pub mod programs;
pub mod summaries;
