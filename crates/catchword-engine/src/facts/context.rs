//! What the current work is about: the words that tell relevant candidates from irrelevant ones.

use std::collections::{BTreeMap, HashMap};

use super::KnownText;
use crate::lexicon::languages::Sense;
use crate::session::Session;
use crate::text::hash::{FNV_START, fnv1a_on};
use crate::text::phrases::phrases_of;
use crate::text::words::subwords;

/// What the session is about.
#[derive(Clone, Debug)]
pub struct SessionTopics {
    words: HashMap<u64, WordUse>,
}

/// What we know about a word.
#[derive(Clone, Copy, Debug)]
struct WordUse {
    /// How specific it is: the more names of the session contain it, the less.
    telling: f32,
    in_summary: bool,
    is_near: bool,
    is_empty: bool,
}

impl WordUse {
    /// A word that occurs nowhere in the session.
    const UNKNOWN: WordUse = WordUse { telling: UNKNOWN, in_summary: false, is_near: false, is_empty: false };
}

/// How specific a word is that no name contains.
const UNKNOWN: f32 = 3.0;

impl SessionTopics {
    /// From the summary and what is closest to the compaction: the latest request, the agent's latest words, the open work,
    /// the end of the summary.
    pub fn new(session: &Session, known: &KnownText) -> SessionTopics {
        let mut words: HashMap<u64, WordUse> = HashMap::new();
        // First count the names that contain each word.
        let none = WordUse { telling: 0.0, ..WordUse::UNKNOWN };
        let mut names = 0.0;
        for (name, _) in session.names.iter() {
            names += 1.0_f32;
            hashes(name).for_each(|word| words.entry(word).or_insert(none).telling += 1.0);
        }
        for word in words.values_mut() {
            word.telling = (1.0 + names / word.telling).ln();
        }
        let mut mark = |text: &str, mark: fn(&mut WordUse)| {
            hashes(text).for_each(|word| mark(words.entry(word).or_insert(WordUse::UNKNOWN)));
        };
        mark(known.text(), |word| word.in_summary = true);
        mark(known.ending(), |word| word.is_near = true);
        session.prompts.last().iter().for_each(|prompt| mark(&prompt.text, |word| word.is_near = true));
        session.said.back().iter().for_each(|said| mark(&said.text, |word| word.is_near = true));
        session.tasks.open().iter().for_each(|task| mark(&task.subject, |word| word.is_near = true));
        for empty in phrases_of(Sense::Function).chain(phrases_of(Sense::Common)) {
            mark(empty, |word| word.is_empty = true);
        }
        SessionTopics { words }
    }

    /// The significant words of `name`, hashed.
    fn telling<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, WordUse)> {
        let words =
            hashes(name).map(|hash| (hash, self.words.get(&hash).copied().unwrap_or(WordUse::UNKNOWN)));
        words.filter(|(_, word)| !word.is_empty)
    }

    /// How much of `name` matches the current work, from 0 to 1.
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
