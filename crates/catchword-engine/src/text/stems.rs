//! The one stemmer: words without their endings, for comparison here and for the index of the history.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use super::cut::first_chars;
use super::hash::{fnv1a, folded};
use super::phrases::{is_stop_word, phrases_of};
use super::words::{MIXED, words};
use crate::lexicon::languages::Sense;

/// Not stop words in general, but every session has tasks and a user.
const COMMON_HERE: [&str; 5] = ["task", "user", "user's", "per", "via"];

/// Stems of words that occur in requests and reports on anything.
pub static COMMON: LazyLock<StemSet> = LazyLock::new(|| phrases_of(Sense::Common).flat_map(stems).collect());

/// Endings that are removed, longest first. One is enough: the stem need not be a word, only the same for both forms.
const ENDINGS: &[&str] = &[
    "ations", "ation", "ingly", "ments", "ement", "ings", "ing", "edly", "ers", "ies", "ied", "ment", "ions",
    "ion", "ed", "es", "er", "ly", "s", "e", "y",
];
/// Minimum length of a stem.
const SHORTEST_STEM: usize = 3;
/// Stem length: `update`, `updated` and `updating` become one.
const LENGTH: usize = 5;

/// The hash of a stemmed word.
pub type Stem = u32;

/// Some stems. Audits compare them by the hundred thousand.
pub type StemSet = HashSet<Stem, foldhash::fast::RandomState>;

/// The stems of a text, in order.
pub fn stems(text: &str) -> Vec<Stem> {
    all_stems(text).collect()
}

/// The same as a set.
pub fn stem_set(text: &str) -> StemSet {
    all_stems(text).collect()
}

fn all_stems(text: &str) -> impl Iterator<Item = Stem> + '_ {
    words(text, MIXED).filter_map(|(_, word)| stem_of(word))
}

fn plain(word: &str) -> Cow<'_, str> {
    let word = word.trim_matches(['\'', '’', '_']);
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'\'' | b'_');
    if word.bytes().all(is_plain) { word.into() } else { word.to_lowercase().replace('’', "'").into() }
}

fn is_significant(word: &str) -> bool {
    let long = word.len() > 2 || word.bytes().any(|b| b.is_ascii_digit() || !b.is_ascii());
    long && !is_stop_word(word) && !COMMON_HERE.contains(&word)
}

/// The stem of one word; `None` if the word carries no topic.
pub fn stem_of(word: &str) -> Option<Stem> {
    Some(plain(word)).filter(|word| is_significant(word)).map(|word| stem(&word))
}

fn stem(word: &str) -> Stem {
    let is_name = word.bytes().any(|b| b == b'_' || b.is_ascii_digit());
    let cut = if is_name { word } else { first_chars(without_ending(regular(word)), LENGTH) };
    folded(fnv1a(cut.as_bytes()))
}

/// Another form of the same word, where endings alone would not make them one. The index of the history does without: a
/// word that it has must not change.
fn regular(word: &str) -> &str {
    const IRREGULAR: [(&str, &str); 10] = [
        ("apply", "applied"),
        ("built", "build"),
        ("kept", "keep"),
        ("made", "make"),
        ("ran", "run"),
        ("reply", "replied"),
        ("sent", "send"),
        ("written", "write"),
        ("wrote", "write"),
        ("rewrote", "rewrite"),
    ];
    IRREGULAR.iter().find(|(form, _)| *form == word).map_or(word, |(_, regular)| regular)
}

/// A word in lower case without its ending. Only for Latin letters: a word with digits is a name and stays as it is.
pub fn without_ending(word: &str) -> &str {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.ends_with("ss") {
        return word;
    }
    let left = |ending: &&&str| word.len() >= ending.len() + SHORTEST_STEM && word.ends_with(**ending);
    let Some(ending) = ENDINGS.iter().find(left) else { return word };
    let mut stem = &word[..word.len() - ending.len()];
    let twice =
        stem.len() > SHORTEST_STEM && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2];
    // `planned` and `plan`; but `called` and `call`.
    if twice && matches!(*ending, "ing" | "ings" | "ed" | "er" | "ers") && !stem.ends_with(['l', 's', 'z']) {
        stem = &stem[..stem.len() - 1];
    }
    if stem.len() > SHORTEST_STEM + 1 { stem.trim_end_matches('e') } else { stem }
}

/// The share of `wanted` that is in `there`, from 0 to 1; 1 if nothing is wanted.
pub fn share(wanted: &StemSet, there: &StemSet) -> f32 {
    if wanted.is_empty() {
        return 1.0;
    }
    wanted.intersection(there).count() as f32 / wanted.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_forms_share_a_stem() {
        assert_eq!(stem_set("Update the parsers"), stem_set("updating parser"));
        for (one, other) in [
            ("Wire the limiter", "wiring limiters"),
            ("map", "mapping"),
            ("add", "added"),
            ("retry", "retries"),
            ("apply", "applied"),
            ("write", "written"),
            ("cache", "caching"),
            ("pass", "passing"),
        ] {
            assert_eq!(stem_set(one), stem_set(other), "{one}, {other}");
        }
        assert_ne!(stem_set("retry_count"), stem_set("retry_limit"));
    }

    #[test]
    fn share_counts_each_word_once() {
        let wanted = stem_set("write the regression test test");
        assert!((share(&wanted, &stem_set("a regression test")) - 2.0 / 3.0).abs() < 0.01);
        assert!((share(&stem_set("of the"), &wanted) - 1.0).abs() < 0.01, "nothing is wanted");
    }
}
