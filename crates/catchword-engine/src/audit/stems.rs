//! The words of a text that carry its matter, made comparable.

use std::collections::HashSet;

use crate::agent::entry::fnv1a;

/// Words that say nothing about the matter.
const EMPTY: &[&str] = &[
    "the", "and", "for", "with", "this", "that", "from", "are", "was", "were", "not", "but", "have", "has",
    "had", "will", "been", "into", "when", "then", "than", "them", "they", "their", "what", "which", "would",
    "should", "could", "there", "here", "also", "you", "your", "its", "our", "can", "all", "any", "now",
    "let", "how", "why", "who", "she", "his", "her", "does", "did", "being", "just", "some", "more", "very",
    "please", "about", "these", "those", "such", "each", "only", "out", "too", "own", "via", "per", "don",
    "isn", "doesn", "task", "user", "user's", "one", "get", "got", "i'm", "it's", "let's", "don't", "i'd",
    "we're", "that's",
];

/// Bytes of the longest of them.
const LONGEST_EMPTY: usize = 6;

/// How much of a word is compared: enough that `update`, `updated` and `updating` are one.
const LENGTH: usize = 5;

/// A word of a text, hashed.
pub type Stem = u32;

/// The stems of a text in order. Identifiers count as one word, and also by their parts.
pub fn stems(text: &str) -> Vec<Stem> {
    words(text).map(stem).collect()
}

/// The same, each once.
pub fn stem_set(text: &str) -> HashSet<Stem> {
    words(text).map(stem).collect()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let plain = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '’')));
    plain.map(|word| lowered(word.trim_matches(['\'', '’', '_']))).filter(|word| {
        let long = word.len() > 2 || word.bytes().any(|b| b.is_ascii_digit() || !b.is_ascii());
        long && !(word.len() <= LONGEST_EMPTY && EMPTY.contains(&word.as_str()))
    })
}

fn lowered(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase().replace('’', "'") }
}

fn stem(word: String) -> Stem {
    let cut: String = if word.contains('_') || word.chars().any(|c| c.is_ascii_digit()) {
        word
    } else {
        let one = word.strip_suffix('s').filter(|w| w.len() > 2 && !w.ends_with('s')).unwrap_or(&word);
        one.chars().take(LENGTH).collect()
    };
    let hash = fnv1a(cut.as_bytes());
    (hash ^ (hash >> 32)) as Stem
}

/// How much of `wanted` is in `there`, from 0 to 1; of nothing, all.
pub fn share(wanted: &HashSet<Stem>, there: &HashSet<Stem>) -> f32 {
    if wanted.is_empty() {
        return 1.0;
    }
    wanted.intersection(there).count() as f32 / wanted.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one() {
        assert_eq!(stem_set("Update the parsers"), stem_set("updating parser"));
        assert_ne!(stem_set("retry_count"), stem_set("retry_limit"));
    }

    #[test]
    fn no_empty_word_is_longer_than_the_longest() {
        assert_eq!(EMPTY.iter().map(|word| word.len()).max(), Some(LONGEST_EMPTY));
    }

    #[test]
    fn a_share_counts_each_word_once() {
        let wanted = stem_set("write the regression test test");
        assert!((share(&wanted, &stem_set("a regression test")) - 2.0 / 3.0).abs() < 0.01);
        assert!((share(&stem_set("of the"), &wanted) - 1.0).abs() < 0.01, "nothing is wanted");
    }
}
