//! Reading a transcript that somebody else is writing.

pub mod tail;
