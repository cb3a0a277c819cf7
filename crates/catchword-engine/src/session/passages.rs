//! Sentences of the agent that may be worth quoting after a compaction.
//!
//! The fold collects them from its whole masked messages. Which ones are quoted is decided once the summary is known
//! (`facts/quotations.rs`). The person's words are kept whole elsewhere.
//!
//! Bounded by bytes. A sentence that repeats, except for its numbers, replaces the earlier one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::entry::Place;
use crate::text::cut::one_line;
use crate::text::hash::{FNV_START, fnv1a_on};
use crate::text::statements::statements;

/// Maximum total size; the oldest are dropped first.
const KEPT_BYTES: usize = 512 * 1024;
/// Characters of a passage: shorter ones are skipped, longer ones cut.
const MIN_PASSAGE: usize = 16;
const MAX_PASSAGE: usize = 300;
/// A sentence, verbatim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuotedPassage {
    pub place: Place,
    /// Tool calls before it.
    pub clock: u32,
    pub text: String,
    /// Number of passages from the same text: one of two lines matters more than one of two hundred.
    pub siblings: u16,
    /// Sequence number, to drop the oldest first.
    number: u64,
}

/// The passages of a session, by `key`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Passages {
    kept: BTreeMap<u64, QuotedPassage>,
    bytes: usize,
    added: u64,
}

impl Passages {
    /// All passages, latest first.
    pub fn latest_first(&self) -> Vec<&QuotedPassage> {
        let mut all: Vec<&QuotedPassage> = self.kept.values().collect();
        all.sort_unstable_by_key(|passage| std::cmp::Reverse(passage.number));
        all
    }

    /// Records the statements of a text.
    pub fn said(&mut self, place: Place, clock: u32, text: &str) {
        let pieces = statements(text);
        let pieces: Vec<&str> =
            pieces.iter().map(String::as_str).filter(|piece| is_worth_keeping(piece)).collect();
        self.note(place, clock, &pieces);
    }

    /// Drops what the agent said since this row: it corrected itself.
    pub fn retracted(&mut self, since: Place) {
        let is_gone = |passage: &QuotedPassage| passage.place >= since;
        let gone: usize =
            self.kept.values().filter(|passage| is_gone(passage)).map(|passage| passage.text.len()).sum();
        self.kept.retain(|_, passage| !is_gone(passage));
        self.bytes -= gone;
    }

    fn note(&mut self, place: Place, clock: u32, pieces: &[&str]) {
        let siblings = u16::try_from(pieces.len()).unwrap_or(u16::MAX);
        for piece in pieces {
            let text = one_line(piece, MAX_PASSAGE);
            self.added += 1;
            self.bytes += text.len();
            let passage = QuotedPassage { place, clock, text, siblings, number: self.added };
            if let Some(earlier) = self.kept.insert(key(piece), passage) {
                self.bytes -= earlier.text.len();
            }
        }
        if self.bytes > KEPT_BYTES {
            self.drop_oldest();
        }
    }

    /// Drops passages after `to`: the person rewound the conversation.
    pub fn rewound(&mut self, to: Place) {
        self.kept.retain(|_, passage| passage.place <= to);
        self.bytes = self.kept.values().map(|passage| passage.text.len()).sum();
    }

    /// Drops a quarter at once, so that it rarely runs.
    fn drop_oldest(&mut self) {
        let mut ages: Vec<(u64, u64)> =
            self.kept.iter().map(|(key, passage)| (passage.number, *key)).collect();
        ages.sort_unstable();
        for (_, key) in ages {
            if self.bytes <= KEPT_BYTES / 4 * 3 {
                break;
            }
            if let Some(dropped) = self.kept.remove(&key) {
                self.bytes -= dropped.text.len();
            }
        }
    }
}

/// Whether a piece is text, not a ruler, a brace or a progress bar.
fn is_worth_keeping(piece: &str) -> bool {
    let letters = piece.chars().filter(|c| c.is_alphanumeric()).take(MIN_PASSAGE).count();
    // In scripts without spaces a character carries as much as half a word.
    let wide = piece.chars().filter(|c| *c as u32 >= 0x2E80).take(MIN_PASSAGE / 2).count();
    letters >= MIN_PASSAGE * 3 / 4 || wide >= MIN_PASSAGE / 2
}

/// The same key for lines that differ only in numbers and whitespace.
fn key(piece: &str) -> u64 {
    let folded = piece.bytes().filter(|b| !b.is_ascii_digit() && !b.is_ascii_whitespace());
    fnv1a_on(FNV_START, folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(passages: &Passages) -> Vec<&str> {
        passages.latest_first().into_iter().rev().map(|passage| passage.text.as_str()).collect()
    }

    #[test]
    fn sentence_repeated_with_other_numbers_is_kept_once_in_its_latest_form() {
        let mut passages = Passages::default();
        passages.said(Place(3), 1, "Part 12 of the index is missing in the store.");
        passages.said(Place(9), 4, "Part 14 of the index is missing in the store.");
        assert_eq!(texts(&passages), ["Part 14 of the index is missing in the store."]);
        assert_eq!(passages.latest_first()[0].place, Place(9));
    }

    fn word(number: u32) -> String {
        number.to_string().bytes().map(|b| char::from(b - b'0' + b'a')).collect()
    }

    #[test]
    fn passages_stay_within_the_byte_limit_and_drop_the_oldest_first() {
        let mut passages = Passages::default();
        for n in 0..20_000u32 {
            passages.said(Place(n), n, &format!("The part {} of the parser is done", word(n)));
        }
        let bytes: usize = passages.latest_first().iter().map(|passage| passage.text.len()).sum();
        assert!(bytes <= KEPT_BYTES && bytes == passages.bytes);
        assert_eq!(passages.latest_first()[0].place, Place(19_999));
        assert!(passages.latest_first().iter().all(|passage| passage.place.0 > 5_000));
    }

    #[test]
    fn rulers_braces_and_short_remarks_are_not_passages() {
        let mut passages = Passages::default();
        passages.said(Place(1), 1, "==========================\n});\n\nok\n\n  42%\n\nDone.");
        assert_eq!(texts(&passages), [] as [&str; 0]);
        passages.said(Place(1), 1, "限流器在网关里没有接上。");
        assert_eq!(texts(&passages), ["限流器在网关里没有接上。"]);
    }
}
