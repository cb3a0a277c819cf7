//! What a program asks a shared archive beside exchanging transcripts with it, and what comes back.

use std::collections::BTreeMap;

use super::SharedMatch;
use super::history::query::Query;

/// What is asked.
#[derive(Clone, Debug)]
pub enum SharedQuestion {
    /// Items that have the words of a query, or some of them, of other projects than these.
    Find { query: Query, without: Vec<String>, most: usize },
    /// The items of a session between two lines; the session by the start of its id.
    Lines { session: String, subagent: String, from: u32, to: u32 },
    /// The boundaries and summaries of a session, in order.
    Compactions { session: String },
}

/// What came back.
#[derive(Clone, Debug)]
pub enum SharedAnswer {
    /// There is no shared archive.
    NoArchive,
    /// Why it did not answer.
    Silent(String),
    Found(SharedFound),
}

#[derive(Clone, Debug, Default)]
pub struct SharedFound {
    pub matches: Vec<SharedMatch>,
    /// They have all words of the query, not only some.
    pub has_all: bool,
    /// In how many items of the archive a term of the query is, as typed, or a word of it, as [`Query::content`] has it; as
    /// far as it was counted.
    pub counts: BTreeMap<String, usize>,
    /// What people call their machines, by id.
    pub machines: BTreeMap<String, String>,
}
