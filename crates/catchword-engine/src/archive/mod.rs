//! What people search and restore: the history of everything said and done, and whole transcripts backed up.

pub mod backup;
pub mod history;
