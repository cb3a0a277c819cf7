//! Hashes of every number, file name, identifier and flag in the transcript.
//!
//! [`super::names`] and [`super::files`] forget what is not used; this answers whether a word occurred at all, which
//! tells a number that a summary changed from a real one. For a number the words next to it are kept as well, so that
//! "port 3000" is found when a summary says "port 3001".

use std::collections::HashSet;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use crate::model::entry::Part;
use crate::model::frame::OPENING;
use crate::text::hash::{FNV_START, fnv1a_on, folded};

/// Maximum number of hashes (a few megabytes). Once it is reached, no word can be called missing.
const MAX_HASHES: usize = 1_000_000;

/// The words seen so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vocabulary {
    hashes: HashSet<u32, RandomState>,
}

/// A word with its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom<'a> {
    /// Letters, digits and `_`, with inner dots; a flag keeps its dashes.
    pub text: &'a str,
    /// Byte offset.
    pub at: usize,
    /// The word before it on the line, or empty.
    pub before: &'a str,
    /// The word after it on the line, or empty.
    pub after: &'a str,
    /// A slash joins it to the word before.
    pub in_folder: bool,
    /// A line number in a listing, whose neighbours mean nothing.
    pub listed: bool,
}

/// Whether a word is specific enough to compare: with a digit, dot, underscore or mixed case, or a flag.
fn is_specific(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'))
        || word.bytes().skip(1).any(|b| b.is_ascii_uppercase())
}

impl Vocabulary {
    /// Records the words of a part. Summaries are skipped because they are what we compare; so are briefs, which quote
    /// a summary's mistakes.
    pub fn note_part(&mut self, part: &Part) {
        match part {
            Part::Injected { text, .. } if text.contains(OPENING) => {}
            Part::Prompt { text, .. }
            | Part::Queued(text)
            | Part::Beside(text)
            | Part::Delivered { text, .. }
            | Part::Typed(text)
            | Part::Text(text)
            | Part::Report { text, .. }
            | Part::Injected { text, .. } => self.note(text),
            Part::Slash { name, args, .. } => {
                self.note(name);
                self.note(args);
            }
            Part::Call { tool, .. } => tool.each_text(|text| self.note(text)),
            Part::Result { text, extra, .. } => {
                self.note(text);
                for (question, answer) in &extra.answers {
                    self.note(question);
                    self.note(answer);
                }
                self.note(extra.refused.as_deref().unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Records the specific words of a text, files with their folder, and numbers with their neighbours.
    pub fn note(&mut self, text: &str) {
        for atom in atoms(text) {
            if is_specific(atom.text) {
                self.insert(word_hash(atom.text));
            }
            if let Some(name) = hyphenated(text, &atom) {
                self.insert(word_hash(name));
            }
            if atom.in_folder && atom.text.contains('.') {
                self.insert(pair_hash(atom.before, b'/', atom.text));
            }
            if is_reference(text, &atom) {
                self.insert(pair_hash("", b'#', atom.text));
            }
            if is_number(atom.text) && !atom.listed {
                self.insert(pair_hash(atom.before, b' ', atom.text));
                self.insert(pair_hash(atom.text, b' ', atom.after));
            }
        }
    }

    fn insert(&mut self, word: u32) {
        if !self.is_full() {
            self.hashes.insert(word);
        }
    }

    /// Whether the limit is reached, so that a word not found may still have occurred.
    pub fn is_full(&self) -> bool {
        self.hashes.len() >= MAX_HASHES
    }

    fn holds(&self, word: u32) -> bool {
        self.hashes.contains(&word)
    }

    /// Whether this word occurred.
    pub fn has(&self, word: &str) -> bool {
        self.holds(word_hash(word))
    }

    /// Whether this file occurred in this folder.
    pub fn has_in(&self, folder: &str, file: &str) -> bool {
        self.holds(pair_hash(folder, b'/', file))
    }

    /// Whether this number occurred as a reference, such as `#12`.
    pub fn has_reference(&self, number: &str) -> bool {
        self.holds(pair_hash("", b'#', number))
    }

    /// Whether these two occurred next to each other; one must be a number.
    pub fn has_beside(&self, first: &str, second: &str) -> bool {
        self.holds(pair_hash(first, b' ', second))
    }
}

/// The full hyphenated file name that ends with this word: `stop-hook-timing.md` for `timing.md`.
fn hyphenated<'a>(text: &'a str, atom: &Atom) -> Option<&'a str> {
    let bytes = text.as_bytes();
    if !atom.text.contains('.') || atom.at == 0 || bytes[atom.at - 1] != b'-' {
        return None;
    }
    let is_name = |byte: &u8| is_letter(*byte) || matches!(byte, b'-' | b'.');
    let start = atom.at - bytes[..atom.at].iter().rev().take_while(|byte| is_name(byte)).count();
    Some(&text[start..atom.at + atom.text.len()])
}

/// Whether a number refers to something, such as a pull request: `#12`.
pub fn is_reference(text: &str, atom: &Atom) -> bool {
    text[..atom.at].ends_with('#') && atom.text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word begins with a digit, optionally after a `v`.
pub fn is_number(word: &str) -> bool {
    word.strip_prefix('v').unwrap_or(word).starts_with(|c: char| c.is_ascii_digit())
}

fn word_hash(word: &str) -> u32 {
    folded(fnv1a_on(FNV_START, without_separators(word)))
}

fn pair_hash(first: &str, joint: u8, second: &str) -> u32 {
    let lower = |word| without_separators(word).map(|byte: u8| byte.to_ascii_lowercase());
    let first = fnv1a_on(fnv1a_on(FNV_START, lower(first)), std::iter::once(joint));
    folded(fnv1a_on(first, lower(second)))
}

/// Bytes without thousands separators.
fn without_separators(word: &str) -> impl Iterator<Item = u8> {
    word.bytes().filter(|byte| *byte != b',')
}

/// Byte range of a word.
#[derive(Clone, Copy)]
struct WordSpan {
    start: usize,
    end: usize,
}

/// Iterator over the words of a text.
struct WordSpans<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for WordSpans<'_> {
    type Item = WordSpan;

    fn next(&mut self) -> Option<WordSpan> {
        let bytes = self.bytes;
        loop {
            let byte = *bytes.get(self.at)?;
            if is_letter(byte) || (byte == b'-' && is_flag_start(bytes, self.at)) {
                let span = span_at(bytes, self.at);
                self.at = span.end;
                return Some(span);
            }
            let is_break = byte == b'\\' && matches!(bytes.get(self.at + 1), Some(b'n' | b't' | b'r'));
            self.at += if is_break { 2 } else { 1 };
        }
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_flag_start(bytes: &[u8], at: usize) -> bool {
    bytes[at..].starts_with(b"--")
        && bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic)
        && (at == 0 || !is_letter(bytes[at - 1]) && bytes[at - 1] != b'-')
}

/// The word that begins at `start`: letters, digits and `_`, with inner dots, in a flag dashes, in a number thousands
/// separators.
fn span_at(bytes: &[u8], start: usize) -> WordSpan {
    let flag = bytes[start] == b'-';
    let letter = |at: usize| bytes.get(at).copied().is_some_and(is_letter);
    let mut end = if flag { start + 2 } else { start };
    loop {
        let run = end;
        end += bytes[end..].iter().take_while(|byte| is_letter(**byte)).count();
        let joins = match bytes.get(end) {
            Some(b'.') => end > start && letter(end + 1),
            Some(b'-') => flag && letter(end + 1),
            Some(b',') => end > run.max(start) && is_thousands(bytes, end),
            _ => false,
        };
        if !joins {
            return WordSpan { start, end };
        }
        end += 1;
    }
}

/// Whether a comma separates thousands.
fn is_thousands(bytes: &[u8], comma: usize) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    digit(comma - 1)
        && digit(comma + 1)
        && digit(comma + 2)
        && digit(comma + 3)
        && !bytes.get(comma + 4).copied().is_some_and(is_letter)
}

/// Whether two words are on the same line with at most four bytes between them.
fn is_near(bytes: &[u8], from: usize, to: usize) -> bool {
    to - from <= 4 && !bytes[from..to].contains(&b'\n')
}

/// Whether a word is a line number in a listing.
fn is_listed(bytes: &[u8], span: &WordSpan, has_neighbour: bool) -> bool {
    let rest = &bytes[span.end..];
    if !rest.starts_with(b"\t") && !rest.starts_with("→".as_bytes()) {
        return false;
    }
    let indented = bytes[..span.start].iter().rev().find(|byte| **byte != b' ');
    span.start == 0 || (!has_neighbour && indented == Some(&b'\n'))
}

/// The words of a text, in order.
pub fn atoms(text: &str) -> impl Iterator<Item = Atom<'_>> {
    let bytes = text.as_bytes();
    let mut spans = WordSpans { bytes, at: 0 }.peekable();
    let mut last: Option<WordSpan> = None;
    std::iter::from_fn(move || {
        let span = spans.next()?;
        let before = last.replace(span).filter(|b| is_near(bytes, b.end, span.start));
        let after = spans.peek().filter(|a| is_near(bytes, span.end, a.start));
        Some(Atom {
            text: &text[span.start..span.end],
            at: span.start,
            before: before.map_or("", |b| &text[b.start..b.end]),
            after: after.map_or("", |a| &text[a.start..a.end]),
            in_folder: before.is_some_and(|b| &text[b.end..span.start] == "/"),
            listed: is_listed(bytes, &span, before.is_some()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        atoms(text).map(|a| a.text).collect()
    }

    #[test]
    fn words_are_split_regardless_of_quoting_and_paths() {
        assert_eq!(words("`src/parser.rs`, v1.2.3 (5ms)."), ["src", "parser.rs", "v1.2.3", "5ms"]);
        assert_eq!(
            words("12,345 items, 5,6 --no-verify ENT-221"),
            ["12,345", "items", "5", "6", "--no-verify", "ENT", "221"]
        );
        assert_eq!(words("Größe→a_b\\nnext"), ["Gr", "e", "a_b", "next"]);
    }

    #[test]
    fn words_and_their_neighbours_are_found() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.note("listen on port 3000 for src/parser.rs");
        assert!(vocabulary.has("3000") && vocabulary.has("parser.rs") && !vocabulary.has("3001"));
        assert!(vocabulary.has_beside("port", "3000") && vocabulary.has_beside("3000", "for"));
        assert!(vocabulary.has_in("src", "parser.rs") && !vocabulary.has_in("lib", "parser.rs"));
        vocabulary.note("merged (#177), 162 ms");
        assert!(vocabulary.has_reference("177") && !vocabulary.has_reference("162"));
        vocabulary.note("see docs/plans/2026-02-stop-hook.md");
        assert!(vocabulary.has("2026-02-stop-hook.md") && !vocabulary.has("2026-02-start-hook.md"));
    }

    #[test]
    fn line_numbers_of_listings_have_no_neighbours() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.note("1\tfn main\n  27→let x");
        assert!(vocabulary.has("27") && !vocabulary.has_beside("27", "let"));
    }
}
