//! Words as data, without logic: what programs are for, and what their outputs say.
//!
//! Every entry has an example, which is its test: to teach catchword a test runner, a wrapper or a count line, add one
//! entry here. `reading/` applies the tables; no other folder has lists of program names.

pub mod outcomes;
pub mod programs;
pub mod summaries;
