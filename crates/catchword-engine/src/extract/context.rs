//! What the work is about right now: the words that tell a candidate that fits from one that does not.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::Known;
use crate::agent::entry::{FNV_START, fnv1a, fnv1a_on};
use crate::session::Session;
use crate::session::words::subwords;

/// Words that say nothing about the matter.
const EMPTY: &[&str] = &[
    "the", "and", "for", "with", "this", "that", "from", "are", "was", "not", "but", "have", "has", "had",
    "will", "been", "into", "when", "then", "than", "them", "they", "their", "what", "which", "would",
    "should", "could", "there", "here", "also", "use", "used", "using", "file", "files", "test", "tests",
    "code", "function", "line", "lines", "need", "make", "sure", "only", "each", "your", "you", "its", "our",
    "can", "all", "any", "one", "two", "new", "now", "get", "set", "add", "run", "let",
];

/// Words by their hashes: there are tens of thousands, and all that is asked is whether two are the same.
type Words = HashSet<u64, RandomState>;

/// The matter of the session.
#[derive(Clone, Debug)]
pub struct Context {
    summary: Words,
    near: Words,
    empty: Words,
    /// What a word of the session's names tells: the more of them have it, the less.
    telling: HashMap<u64, f32, RandomState>,
}

/// What a word tells that no name has.
const STRANGE: f32 = 3.0;

impl Context {
    /// From the summary and what stands next to the compaction: the latest request, the agent's latest words,
    /// the open work, the end of the summary.
    pub fn new(session: &Session, known: &Known) -> Context {
        let mut near: Words = hashes(known.ending()).collect();
        near.extend(session.prompts.last().iter().flat_map(|p| hashes(&p.text)));
        near.extend(session.said.back().iter().flat_map(|s| hashes(&s.text)));
        near.extend(session.tasks.open().iter().flat_map(|t| hashes(&t.subject)));
        // First in how many names it occurs.
        let mut telling: HashMap<u64, f32, RandomState> = HashMap::default();
        let mut names = 0.0;
        for (name, _) in session.names.iter() {
            names += 1.0_f32;
            hashes(name).for_each(|word| *telling.entry(word).or_default() += 1.0);
        }
        for n in telling.values_mut() {
            *n = (1.0 + names / *n).ln();
        }
        let empty = EMPTY.iter().map(|word| fnv1a(word.as_bytes())).collect();
        Context { summary: hashes(known.text()).collect(), near, empty, telling }
    }

    /// How much of `name` the context speaks of, from 0 to 1.
    pub fn fit(&self, name: &str) -> f32 {
        let mut words: Vec<u64> = hashes(name).filter(|word| !self.empty.contains(word)).collect();
        words.sort_unstable();
        words.dedup();
        if words.is_empty() {
            return 0.0;
        }
        let (mut all, mut summary, mut near) = (0.0, 0.0, 0.0);
        for word in &words {
            let weight = self.telling.get(word).copied().unwrap_or(STRANGE);
            all += weight;
            summary += if self.summary.contains(word) { weight } else { 0.0 };
            near += if self.near.contains(word) { weight } else { 0.0 };
        }
        f32::midpoint(summary / all, near / all)
    }
}

fn hashes(text: &str) -> impl Iterator<Item = u64> {
    subwords(text).map(|word| fnv1a_on(FNV_START, word.bytes().map(|byte| byte.to_ascii_lowercase())))
}

/// A probability from log-odds.
pub fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}
