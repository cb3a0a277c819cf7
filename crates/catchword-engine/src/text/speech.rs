//! Fuzzy matching of statements: does a text, such as a summary, mention something, even in other words?

use std::collections::HashMap;

use super::cut;
use super::stems::{Stem, StemSet, share, stem_set, stems};

/// The words of a text, prepared for comparison.
#[derive(Clone, Debug, Default)]
pub struct Speech {
    lower: String,
    stems: Vec<Stem>,
    lines: Vec<StemSet>,
}

impl Speech {
    pub fn new(text: &str) -> Speech {
        let lower = squashed(text);
        let lines = text.lines().filter(|line| !line.trim().is_empty()).map(stem_set).collect();
        Speech { lower, stems: stems(text), lines }
    }

    /// Whether the text contains these exact words, ignoring case and line breaks.
    pub fn says(&self, words: &str) -> bool {
        let wanted = squashed(words);
        !wanted.is_empty() && self.lower.contains(&wanted)
    }

    /// The largest share of these words that occurs close together, from 0 to 1.
    pub fn speaks_of(&self, words: &str) -> f32 {
        let wanted: StemSet = stems(words).into_iter().collect();
        if wanted.is_empty() || self.says(words) {
            return 1.0;
        }
        let window = 2 * wanted.len() + 8;
        let mut inside: HashMap<Stem, usize> = HashMap::new();
        let mut best = 0;
        for (at, stem) in self.stems.iter().enumerate() {
            if wanted.contains(stem) {
                *inside.entry(*stem).or_default() += 1;
            }
            let left = at.checked_sub(window).map(|from| self.stems[from]);
            if let Some((left, count)) = left.and_then(|left| Some((left, inside.get_mut(&left)?))) {
                *count -= 1;
                if *count == 0 {
                    inside.remove(&left);
                }
            }
            best = best.max(inside.len());
        }
        let close = best as f32 / wanted.len() as f32;
        // Some of a few words always occur close together by chance. Unless nearly all do, they must be in one line.
        if close >= 0.9 { close } else { close.min(self.in_a_line(&wanted)) }
    }

    fn in_a_line(&self, wanted: &StemSet) -> f32 {
        self.lines.iter().map(|line| share(wanted, line)).fold(0.0, f32::max)
    }
}

fn squashed(text: &str) -> String {
    cut::squashed(text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_far_apart_do_not_count_as_mentioned() {
        let far = format!("regression {} test", "filler words here ".repeat(40));
        assert!(Speech::new(&far).speaks_of("regression test") < 0.6);
        assert!(Speech::new("write a regression test").speaks_of("Write test for the regression") > 0.9);
        assert!(Speech::new("").speaks_of("anything at all") < 0.1);
    }
}
