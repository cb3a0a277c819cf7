//! Text helpers that count characters, spaces and words exactly as the benchmark's regular expressions do.

use std::collections::HashSet;

use catchword_engine::text::cut::first_chars;
use memchr::memmem;

/// Words per shingle.
const SHINGLE: usize = 5;
/// Characters of a prompt that are searched for, because people paste logs.
const MAX_PROMPT: usize = 600;
/// Share of a prompt's shingles that must occur.
const VERBATIM: f64 = 0.8;

/// `\w`
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `\s`, which includes four separators that Rust's does not.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `text` with runs of spaces collapsed to one.
pub fn squashed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut spaces = false;
    for c in text.chars() {
        match (is_space(c), spaces) {
            (true, true) => {}
            (true, false) => out.push(' '),
            (false, _) => out.push(c),
        }
        spaces = is_space(c);
    }
    out
}

pub fn has(text: &str, item: &str) -> bool {
    memmem::find(text.as_bytes(), item.as_bytes()).is_some()
}

/// How many of `prompts` occur in `text` word for word.
pub fn verbatim(text: &str, prompts: &[String]) -> usize {
    let lower = text.to_lowercase();
    let there = shingles(&lower);
    let is_there = |prompt: &&String| {
        let start = first_chars(prompt, MAX_PROMPT).to_lowercase();
        let wanted = shingles(&start);
        wanted.intersection(&there).count() as f64 >= VERBATIM * wanted.len() as f64
    };
    prompts.iter().filter(is_there).count()
}

/// All runs of [`SHINGLE`] words; a shorter text is one run.
fn shingles(lower: &str) -> HashSet<Vec<&str>> {
    let words: Vec<&str> = lower.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
    match words.len() {
        0 => HashSet::new(),
        n if n < SHINGLE => HashSet::from([words]),
        _ => words.windows(SHINGLE).map(<[&str]>::to_vec).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_spaces_are_collapsed() {
        assert_eq!(squashed(" a\n\t b\u{1f}\u{a0}c\r\n"), " a b c ");
    }

    #[test]
    fn prompt_counts_as_present_from_four_fifths_on() {
        let text = "He said: one two three four five six seven eight nine ten, and left.";
        let there = |prompt: &str| verbatim(text, &[prompt.to_owned()]) == 1;
        assert!(there("One two three: FOUR five six"));
        // Of seven shingles the last is missing, then the last two.
        assert!(there("one two three four five six seven eight nine ten eleven"));
        assert!(!there("one two three four five six seven eleven twelve"));
        // A text shorter than a shingle never matches within a longer one.
        assert!(!there("one two"));
    }
}
