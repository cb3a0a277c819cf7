//! Folds text for comparison with forgotten texts: case and normal form do not matter.
//!
//! `ZWÖLF`, `zwölf` and `zwo` + diaeresis + `lf` fold to the same bytes. The folded form is NFKD, with each character turned
//! to lower, upper and lower case again (so `ß` equals `SS`, and `ς` equals `σ`), without invisible characters. NFKD rather
//! than NFKC, because then each character folds independently of its neighbours, and every folded byte can be traced to its
//! origin. A test checks all characters.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// A folded text, and where each piece came from.
pub(super) struct FoldedText {
    pub(super) bytes: Vec<u8>,
    pieces: Vec<FoldedPiece>,
    original: usize,
}

/// A run of ASCII, which folds byte by byte, or one character with its combining marks.
struct FoldedPiece {
    folded: usize,
    original: usize,
    is_ascii: bool,
}

impl FoldedText {
    pub(super) fn of(text: &str) -> FoldedText {
        let mut folded =
            FoldedText { bytes: Vec::with_capacity(text.len()), pieces: Vec::new(), original: text.len() };
        let mut at = 0;
        while at < text.len() {
            at = folded.push(text, at);
        }
        folded
    }

    /// Folds the piece that starts at `at`. Returns where the next one starts.
    fn push(&mut self, text: &str, at: usize) -> usize {
        let run = text.as_bytes()[at..].iter().position(|byte| !byte.is_ascii()).unwrap_or(text.len() - at);
        let next = text[at + run..].chars().next();
        // A combining mark belongs to the letter before it.
        let run = if next.is_some_and(is_mark) { run.saturating_sub(1) } else { run };
        self.pieces.push(FoldedPiece { folded: self.bytes.len(), original: at, is_ascii: run > 0 });
        if run > 0 {
            self.bytes.extend(text.as_bytes()[at..at + run].iter().map(u8::to_ascii_lowercase));
            return at + run;
        }
        let marks = text[at..].char_indices().skip(1).find(|(_, c)| !is_mark(*c));
        let end = marks.map_or(text.len(), |(length, _)| at + length);
        let mut buffer = [0; 4];
        for c in text[at..end].nfkd().filter(|c| !shows_nothing(*c)) {
            let upper = c.to_lowercase().flat_map(char::to_uppercase);
            for lower in upper.flat_map(char::to_lowercase) {
                self.bytes.extend_from_slice(lower.encode_utf8(&mut buffer).as_bytes());
            }
        }
        end
    }

    /// The part of the text that folded to these bytes; never empty.
    pub(super) fn origin(&self, folded: Range<usize>) -> Range<usize> {
        let (first, last) = (self.piece_at(folded.start), self.piece_at(folded.end - 1));
        let inside = |piece: &FoldedPiece, at: usize| piece.original + (at - piece.folded);
        let start = if self.pieces[first].is_ascii {
            inside(&self.pieces[first], folded.start)
        } else {
            self.pieces[first].original
        };
        let end = if self.pieces[last].is_ascii {
            inside(&self.pieces[last], folded.end)
        } else {
            self.pieces.get(last + 1).map_or(self.original, |next| next.original)
        };
        start..end
    }

    fn piece_at(&self, folded: usize) -> usize {
        self.pieces.partition_point(|piece| piece.folded <= folded) - 1
    }
}

/// Bytes of any file, folded; what is not UTF-8 ends a text.
pub fn fold_bytes(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_ascii() {
        return bytes.to_ascii_lowercase();
    }
    let mut folded = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        folded.extend_from_slice(&FoldedText::of(chunk.valid()).bytes);
        folded.extend_from_slice(chunk.invalid());
    }
    folded
}

fn is_mark(c: char) -> bool {
    canonical_combining_class(c) != 0
}

/// Soft hyphens, zero-width characters and variation selectors.
pub(super) fn shows_nothing(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(text: &str) -> String {
        String::from_utf8(FoldedText::of(text).bytes).unwrap()
    }

    #[test]
    fn what_reads_the_same_folds_to_the_same() {
        for (one, other) in [
            ("ZWÖLF", "zwo\u{308}lf"),
            ("Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
            ("ｆｕｌｌ", "full"),
            ("ﬁle", "FILE"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            ("blue\u{ad}bird", "Blue\u{200b}bird"),
            ("ПАРОЛЬ", "пароль"),
            ("İ", "i\u{307}"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        assert_ne!(folded("zwolf"), folded("zwölf"), "an accent is part of a word");
    }

    #[test]
    fn every_character_folds_like_its_other_case_and_its_other_forms() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let text = c.to_string();
            let cases = [text.to_uppercase(), text.to_lowercase()];
            let forms = [text.nfc().collect(), text.nfd().collect(), text.nfkc().collect::<String>()];
            for form in cases.iter().chain(&forms).filter(|form| **form != text) {
                assert_eq!(folded(form), folded(&text), "U+{:04X} as {form:?}", u32::from(c));
            }
        }
    }

    #[test]
    fn a_folded_stretch_is_traced_to_whole_characters() {
        let text = "a ZWO\u{308}LF b";
        let found = FoldedText::of(text);
        let wanted = folded("zwölf");
        let at = memchr::memmem::find(&found.bytes, wanted.as_bytes()).unwrap();
        assert_eq!(&text[found.origin(at..at + wanted.len())], "ZWO\u{308}LF");
    }

    proptest! {
        #[test]
        fn each_folded_byte_comes_from_its_place(text in "\\PC{0,30}|[aé\u{308}ß한 ]{0,12}") {
            let found = FoldedText::of(&text);
            for at in 0..found.bytes.len() {
                let origin = found.origin(at..at + 1);
                let piece = text.get(origin.clone()).expect("whole characters");
                let byte = found.bytes[at];
                prop_assert!(folded(piece).as_bytes().contains(&byte), "{origin:?} of {text:?}");
            }
            prop_assert_eq!(fold_bytes(text.as_bytes()), found.bytes);
        }
    }
}
