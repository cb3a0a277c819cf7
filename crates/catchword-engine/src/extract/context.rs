//! What the work is about right now: the words that tell a candidate that fits from one that does not.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Known;
use crate::agent::entry::{FNV_START, fnv1a_on};
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

/// The matter of the session.
#[derive(Clone, Debug)]
pub struct Context {
    words: HashMap<u64, Word, RandomState>,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// What it tells: the more of the session's names have it, the less.
    telling: f32,
    in_summary: bool,
    is_near: bool,
    is_empty: bool,
}

impl Word {
    /// One that nothing is known of.
    const STRANGE: Word = Word { telling: STRANGE, in_summary: false, is_near: false, is_empty: false };
}

/// What a word tells that no name has.
const STRANGE: f32 = 3.0;
/// Words of a name that are taken without asking for memory.
const FEW: usize = 12;

impl Context {
    /// From the summary and what stands next to the compaction: the latest request, the agent's latest words,
    /// the open work, the end of the summary.
    pub fn new(session: &Session, known: &Known) -> Context {
        let mut words: HashMap<u64, Word, RandomState> = HashMap::default();
        // First in how many names it occurs.
        let none = Word { telling: 0.0, ..Word::STRANGE };
        let mut names = 0.0;
        for (name, _) in session.names.iter() {
            names += 1.0_f32;
            hashes(name).for_each(|word| words.entry(word).or_insert(none).telling += 1.0);
        }
        for word in words.values_mut() {
            word.telling = (1.0 + names / word.telling).ln();
        }
        let mut mark = |text: &str, mark: fn(&mut Word)| {
            hashes(text).for_each(|word| mark(words.entry(word).or_insert(Word::STRANGE)));
        };
        mark(known.text(), |word| word.in_summary = true);
        mark(known.ending(), |word| word.is_near = true);
        session.prompts.last().iter().for_each(|prompt| mark(&prompt.text, |word| word.is_near = true));
        session.said.back().iter().for_each(|said| mark(&said.text, |word| word.is_near = true));
        session.tasks.open().iter().for_each(|task| mark(&task.subject, |word| word.is_near = true));
        for empty in EMPTY {
            mark(empty, |word| word.is_empty = true);
        }
        Context { words }
    }

    /// The words of `name` that say something, each with its hash.
    fn telling<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, Word)> {
        let words = hashes(name).map(|hash| (hash, self.words.get(&hash).copied().unwrap_or(Word::STRANGE)));
        words.filter(|(_, word)| !word.is_empty)
    }

    /// How much of `name` the context speaks of, from 0 to 1.
    pub fn fit(&self, name: &str) -> f32 {
        // Names have a few, and there are a thousand names.
        let mut few = [(0, Word::STRANGE); FEW];
        let count = self.telling(name).zip(&mut few).map(|(word, room)| *room = word).count();
        let mut many = Vec::new();
        let words = if count < FEW {
            &mut few[..count]
        } else {
            many.extend(self.telling(name));
            &mut many
        };
        words.sort_unstable_by_key(|(hash, _)| *hash);
        let (mut all, mut summary, mut near) = (0.0, 0.0, 0.0);
        for same in words.chunk_by(|a, b| a.0 == b.0) {
            let Word { telling, in_summary, is_near, .. } = same[0].1;
            all += telling;
            summary += if in_summary { telling } else { 0.0 };
            near += if is_near { telling } else { 0.0 };
        }
        if words.is_empty() { 0.0 } else { f32::midpoint(summary / all, near / all) }
    }
}

fn hashes(text: &str) -> impl Iterator<Item = u64> {
    subwords(text).map(|word| fnv1a_on(FNV_START, word.bytes().map(|byte| byte.to_ascii_lowercase())))
}

/// A probability from log-odds.
pub fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}
