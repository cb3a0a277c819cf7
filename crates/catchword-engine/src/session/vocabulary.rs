//! Every number, file name, identifier and flag the record has ever contained, as hashes.
//!
//! Names and files are kept for what they are worth later and forgotten when they are not; whether a word stood
//! anywhere at all is another question, and the one that tells a changed number from a true one. Of a number the
//! words beside it are kept too, so that "port 3000" is found where a summary says "port 3001".

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::agent::entry::{Part, fnv1a};
use crate::render::OPENING;

/// Most hashes kept. Past that nothing more is taken in, and nothing can be said to be missing.
const KEPT: usize = 100_000;

/// What has been met.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vocabulary {
    seen: HashSet<u32>,
}

/// A word in its surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom<'a> {
    /// Letters, digits and `_`, with dots between them; a flag keeps its dashes.
    pub text: &'a str,
    /// Where it begins.
    pub at: usize,
    /// The word before it on the line; empty at its start.
    pub before: &'a str,
    /// The word after it on the line; empty at its end.
    pub after: &'a str,
    /// A slash joins it to the word before.
    pub in_folder: bool,
    /// A slash joins it to the word after.
    pub is_folder: bool,
    /// The number of a line in a listing: its neighbours say nothing.
    pub listed: bool,
}

impl Vocabulary {
    /// Takes in the words of a part of an entry. A summary is not taken in: it is what is compared. Nor is a brief,
    /// which quotes what a summary has wrong.
    pub fn note_part(&mut self, part: &Part) {
        match part {
            Part::Injected { text, .. } if text.contains(OPENING) => {}
            Part::Prompt { text, .. }
            | Part::Queued(text)
            | Part::Beside(text)
            | Part::Typed(text)
            | Part::Text(text)
            | Part::Injected { text, .. } => {
                self.note(text);
            }
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

    /// Takes in the words of a text.
    pub fn note(&mut self, text: &str) {
        for atom in atoms(text) {
            if self.is_full() {
                return;
            }
            if is_hard(atom.text) {
                self.seen.insert(alone(atom.text));
            }
            if atom.in_folder && atom.text.contains('.') {
                self.seen.insert(pair(atom.before, "/", atom.text));
            }
            if is_number(atom.text) && !atom.listed {
                self.seen.insert(pair(atom.before, " ", atom.text));
                self.seen.insert(pair(atom.text, " ", atom.after));
            }
        }
    }

    /// More has been met than is kept: what is not found may have been there all the same.
    pub fn is_full(&self) -> bool {
        self.seen.len() >= KEPT
    }

    /// This word was met.
    pub fn has(&self, word: &str) -> bool {
        self.seen.contains(&alone(word))
    }

    /// This file was met in this folder.
    pub fn has_in(&self, folder: &str, file: &str) -> bool {
        self.seen.contains(&pair(folder, "/", file))
    }

    /// This number was met right behind this word, or this word right behind this number.
    pub fn has_beside(&self, first: &str, second: &str) -> bool {
        self.seen.contains(&pair(first, " ", second))
    }
}

/// Words that can be told from a changed one: with a digit, a dot, an underscore, mixed case; flags.
fn is_hard(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.iter().any(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'))
        || bytes[1..].iter().any(u8::is_ascii_uppercase)
}

/// A word that begins with a digit, alone or behind a `v`.
pub fn is_number(word: &str) -> bool {
    word.strip_prefix('v').unwrap_or(word).starts_with(|c: char| c.is_ascii_digit())
}

fn alone(word: &str) -> u32 {
    short(&hashed(word))
}

fn pair(first: &str, joint: &str, second: &str) -> u32 {
    short(&format!("{}{joint}{}", hashed(first).to_ascii_lowercase(), hashed(second).to_ascii_lowercase()))
}

/// Thousands separators do not count.
fn hashed(word: &str) -> String {
    word.replace(',', "")
}

fn short(text: &str) -> u32 {
    let long = fnv1a(text.as_bytes());
    (long ^ (long >> 32)) as u32
}

/// The words of a text, in order.
pub fn atoms(text: &str) -> impl Iterator<Item = Atom<'_>> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b't' | b'r')) {
            at += 2;
        } else if is_letter(bytes[at]) || is_flag_start(bytes, at) {
            let end = end_of(bytes, at);
            spans.push((at, end));
            at = end;
        } else {
            at += 1;
        }
    }
    (0..spans.len()).map(move |n| {
        let (start, end) = spans[n];
        let near = |from: usize, to: usize| {
            let gap = &text[from..to];
            gap.len() <= 4 && !gap.contains('\n')
        };
        let before = n.checked_sub(1).map(|p| spans[p]).filter(|(_, e)| near(*e, start));
        let after = spans.get(n + 1).copied().filter(|(s, _)| near(end, *s));
        let alone_on_line = before.is_none() && text[..start].trim_end_matches(' ').ends_with(['\n']);
        let first = start == 0 || alone_on_line;
        Atom {
            text: &text[start..end],
            at: start,
            before: before.map_or("", |(s, e)| &text[s..e]),
            after: after.map_or("", |(s, e)| &text[s..e]),
            in_folder: before.is_some_and(|(_, e)| &text[e..start] == "/"),
            is_folder: after.is_some_and(|(s, _)| &text[end..s] == "/"),
            listed: first && (text[end..].starts_with('\t') || text[end..].starts_with('→')),
        }
    })
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_flag_start(bytes: &[u8], at: usize) -> bool {
    bytes[at..].starts_with(b"--")
        && bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic)
        && (at == 0 || !is_letter(bytes[at - 1]) && bytes[at - 1] != b'-')
}

fn end_of(bytes: &[u8], start: usize) -> usize {
    let flag = bytes[start] == b'-';
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = if flag { start + 2 } else { start };
    while at < bytes.len() {
        let inner = bytes.get(at + 1).copied().is_some_and(is_letter);
        let thousands = bytes[at] == b','
            && at > start
            && digit(at - 1)
            && digit(at + 1)
            && digit(at + 2)
            && digit(at + 3)
            && !bytes.get(at + 4).copied().is_some_and(is_letter);
        let joins = (bytes[at] == b'.' && at > start && inner) || (flag && bytes[at] == b'-' && inner);
        if !is_letter(bytes[at]) && !joins && !thousands {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        atoms(text).map(|a| a.text).collect()
    }

    #[test]
    fn words_are_split_where_a_summary_and_a_record_differ_in_dress() {
        assert_eq!(words("`src/parser.rs`, v1.2.3 (5ms)."), ["src", "parser.rs", "v1.2.3", "5ms"]);
        assert_eq!(
            words("12,345 items, 5,6 --no-verify ENT-221"),
            ["12,345", "items", "5", "6", "--no-verify", "ENT", "221"]
        );
        assert_eq!(words("Größe→a_b\\nnext"), ["Gr", "e", "a_b", "next"]);
    }

    #[test]
    fn what_was_met_is_known_with_its_neighbours() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.note("listen on port 3000 for src/parser.rs");
        assert!(vocabulary.has("3000") && vocabulary.has("parser.rs") && !vocabulary.has("3001"));
        assert!(vocabulary.has_beside("port", "3000") && vocabulary.has_beside("3000", "for"));
        assert!(vocabulary.has_in("src", "parser.rs") && !vocabulary.has_in("lib", "parser.rs"));
    }

    #[test]
    fn the_numbers_of_listed_lines_have_no_neighbours() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.note("1\tfn main\n  27→let x");
        assert!(vocabulary.has("27") && !vocabulary.has_beside("27", "let"));
    }
}
