//! The words of a text as texts are compared: stems, names and numbers as they are, pairs of characters in scripts without
//! spaces.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use super::hash::{fnv1a, folded};
use super::phrases::phrases_of;
use super::specifics::is_wide;
use super::stems::{Stem, stem_of};
use super::words::{MIXED, words};
use crate::lexicon::languages::Sense;

/// A word of a text, as it is compared.
#[derive(Clone, Copy, Debug)]
pub struct ComparedWord {
    pub stem: Stem,
    /// A number, an identifier or a negation: no paraphrase changes it.
    pub exact: bool,
}

impl ComparedWord {
    /// A number or an identifier.
    pub fn is_value(self) -> bool {
        self.exact && self.stem != *NOT
    }
}

/// The words of a text that carry its topic, in order; of scripts without spaces the pairs of characters.
pub fn units(text: &str) -> impl Iterator<Item = ComparedWord> {
    words(text, MIXED).flat_map(|(_, word)| {
        let is_mixed = !word.is_ascii() && word.chars().any(is_wide);
        let (one, several) = if is_mixed { (None, pairs(word)) } else { (unit(word), Vec::new()) };
        one.into_iter().chain(several)
    })
}

fn unit(word: &str) -> Option<ComparedWord> {
    let is_lower = word.bytes().all(|b| b.is_ascii_lowercase());
    let lower = if is_lower { Cow::Borrowed(word) } else { word.to_lowercase().into() };
    if NEGATIONS.contains(&*lower) {
        return Some(ComparedWord { stem: *NOT, exact: true });
    }
    let exact = word.bytes().any(|b| b.is_ascii_digit() || b == b'_');
    stem_of(word).map(|stem| ComparedWord { stem, exact })
}

fn pairs(word: &str) -> Vec<ComparedWord> {
    let letters: Vec<char> = word.chars().collect();
    let mut units = Vec::new();
    for run in letters.chunk_by(|a, b| is_wide(*a) == is_wide(*b)) {
        let text = String::from_iter(run);
        if is_wide(run[0]) {
            let two = run.windows(2).map(String::from_iter);
            let stem = |pair: String| folded(fnv1a(pair.as_bytes()));
            units.extend(two.map(|pair| ComparedWord { stem: stem(pair), exact: false }));
        } else {
            units.extend(unit(&text));
        }
    }
    units
}

/// Words that negate, in languages with spaces; in the others they are part of a pair.
static NEGATIONS: LazyLock<HashSet<&str, foldhash::fast::RandomState>> =
    LazyLock::new(|| phrases_of(Sense::Negation).filter(|phrase| !phrase.contains([' ', '*'])).collect());
static NOT: LazyLock<Stem> = LazyLock::new(|| folded(fnv1a(b"a negation")));
