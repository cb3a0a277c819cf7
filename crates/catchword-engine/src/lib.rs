//! The engine of catchword: from a coding agent's transcript to what it should be told after a compaction.
//!
//! ```text
//! text: words, sentences, cutting           model: the types that every folder shares
//! lexicon: words as data                    redact: secrets out of any text
//! clients: line → Entry, payload → HookEvent  quote: anybody's text in a brief
//! transcript: bytes → whole lines
//! reading: a command line read once         session: fold entries into a Session
//! fixes: what failed and passed later
//! context: how full the context is          audit: Session × summary → Findings
//! choose: what the model is told            brief: Facts, budget → text
//! store: what hooks need, in SQLite         archive: history and backups
//! project: what one repository taught      ops: the functions that front ends call
//! ```
//!
//! It has no terminal and reads neither the environment nor the clock: callers pass both in. Of the folders above
//! `store`, only `transcript` does I/O, and none of them fails.

pub mod archive;
pub mod audit;
pub mod brief;
pub mod choose;
pub mod clients;
pub mod context;
pub mod fixes;
pub mod lexicon;
pub mod model;
pub mod ops;
pub mod project;
pub mod quote;
pub mod reading;
pub mod record;
pub mod redact;
pub mod session;
pub mod store;
pub mod text;
pub mod transcript;
