//! What a text speaks of, in whatever words: for telling what a summary mentions.

use std::collections::{HashMap, HashSet};

use super::stems::{Stem, share, stem_set, stems};
use crate::extract::letters::Letters;
use crate::find;

/// The share of words from which something counts as mentioned.
pub const MENTIONED: f32 = 0.72;

/// The words of a text, made comparable.
#[derive(Clone, Debug, Default)]
pub struct Speech {
    lower: String,
    letters: Letters,
    stems: Vec<Stem>,
    lines: Vec<HashSet<Stem>>,
}

impl Speech {
    /// Takes in a text.
    pub fn new(text: &str) -> Speech {
        let lower = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let lines = text.lines().filter(|line| !line.trim().is_empty()).map(stem_set).collect();
        let mut letters = Letters::default();
        letters.note(lower.as_bytes());
        Speech { lower, letters, stems: stems(text), lines }
    }

    /// Contains these very words, case and line breaks aside.
    pub fn says(&self, words: &str) -> bool {
        // Most are names, and most of those are not there.
        let is_name = words.bytes().all(|byte| byte.is_ascii_graphic());
        let wanted = if is_name {
            words.to_ascii_lowercase()
        } else {
            words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
        };
        !wanted.is_empty() && self.letters.may_hold(wanted.as_bytes()) && find::has(&self.lower, &wanted)
    }

    /// The largest share of these words that stands close together somewhere, from 0 to 1.
    pub fn speaks_of(&self, words: &str) -> f32 {
        let wanted: HashSet<Stem> = stems(words).into_iter().collect();
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
        // Of a few words some stand together anywhere: what is not nearly all must be in one line.
        if close >= 0.9 { close } else { close.min(self.in_a_line(&wanted)) }
    }

    fn in_a_line(&self, wanted: &HashSet<Stem>) -> f32 {
        self.lines.iter().map(|line| share(wanted, line)).fold(0.0, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_when_they_stand_together() {
        let far = format!("regression {} test", "filler words here ".repeat(40));
        assert!(Speech::new(&far).speaks_of("regression test") < 0.6);
        assert!(Speech::new("write a regression test").speaks_of("Write test for the regression") > 0.9);
        assert!(Speech::new("").speaks_of("anything at all") < 0.1);
    }
}
