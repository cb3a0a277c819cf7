//! What the work is about right now: the words that tell a candidate that fits from one that does not.

use std::collections::{BTreeMap, HashMap};

use super::KnownText;
use crate::session::Session;
use crate::text::hash::{FNV_START, fnv1a_on};
use crate::text::stop_words::STOP_WORDS;
use crate::text::words::subwords;

/// Words that say nothing here, beside the stop words: names of any program have them.
const USUAL: &[&str] = &[
    "use", "used", "using", "file", "files", "test", "tests", "code", "function", "line", "lines", "need",
    "make", "sure", "two", "new", "set", "add", "run",
];

/// The matter of the session.
#[derive(Clone, Debug)]
pub struct SessionTopics {
    words: HashMap<u64, WordUse>,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug)]
struct WordUse {
    /// What it tells: the more of the session's names have it, the less.
    telling: f32,
    in_summary: bool,
    is_near: bool,
    is_empty: bool,
}

impl WordUse {
    /// One that nothing is known of.
    const STRANGE: WordUse = WordUse { telling: STRANGE, in_summary: false, is_near: false, is_empty: false };
}

/// What a word tells that no name has.
const STRANGE: f32 = 3.0;

impl SessionTopics {
    /// From the summary and what stands next to the compaction: the latest request, the agent's latest words,
    /// the open work, the end of the summary.
    pub fn new(session: &Session, known: &KnownText) -> SessionTopics {
        let mut words: HashMap<u64, WordUse> = HashMap::new();
        // First in how many names it occurs.
        let none = WordUse { telling: 0.0, ..WordUse::STRANGE };
        let mut names = 0.0;
        for (name, _) in session.names.iter() {
            names += 1.0_f32;
            hashes(name).for_each(|word| words.entry(word).or_insert(none).telling += 1.0);
        }
        for word in words.values_mut() {
            word.telling = (1.0 + names / word.telling).ln();
        }
        let mut mark = |text: &str, mark: fn(&mut WordUse)| {
            hashes(text).for_each(|word| mark(words.entry(word).or_insert(WordUse::STRANGE)));
        };
        mark(known.text(), |word| word.in_summary = true);
        mark(known.ending(), |word| word.is_near = true);
        session.prompts.last().iter().for_each(|prompt| mark(&prompt.text, |word| word.is_near = true));
        session.said.back().iter().for_each(|said| mark(&said.text, |word| word.is_near = true));
        session.tasks.open().iter().for_each(|task| mark(&task.subject, |word| word.is_near = true));
        for empty in STOP_WORDS.iter().chain(USUAL) {
            mark(empty, |word| word.is_empty = true);
        }
        SessionTopics { words }
    }

    /// The words of `name` that say something, each with its hash.
    fn telling<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, WordUse)> {
        let words =
            hashes(name).map(|hash| (hash, self.words.get(&hash).copied().unwrap_or(WordUse::STRANGE)));
        words.filter(|(_, word)| !word.is_empty)
    }

    /// How much of `name` the context speaks of, from 0 to 1.
    pub fn fit(&self, name: &str) -> f32 {
        let words: BTreeMap<u64, WordUse> = self.telling(name).collect();
        let (mut all, mut summary, mut near) = (0.0, 0.0, 0.0);
        for WordUse { telling, in_summary, is_near, .. } in words.values() {
            all += telling;
            summary += if *in_summary { *telling } else { 0.0 };
            near += if *is_near { *telling } else { 0.0 };
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
