//! What people search and restore: the history of all sessions, and backups of whole transcripts.

pub mod backup;
pub mod history;
