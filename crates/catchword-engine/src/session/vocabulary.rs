//! Every number, file name, identifier and flag that rows have lately contained, as hashes.
//!
//! Names and files are kept for what they are worth later and forgotten when they are not; whether a word stood
//! anywhere at all is another question, and the one that tells a changed number from a true one. Of a number the
//! words beside it are kept too, so that "port 3000" is found where a summary says "port 3001".

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::lately::Lately;
use super::later::bytes_as;
use crate::agent::entry::{FNV_START, Part, fnv1a_on};
use crate::render::OPENING;

/// Most hashes kept of a stretch. Past that nothing more is taken in, and nothing can be said to be missing.
const KEPT: usize = 100_000;

/// What has been met lately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vocabulary {
    met: Lately<Hashes>,
}

/// The words of a stretch.
#[derive(Clone, Debug, Default)]
struct Hashes {
    /// What a snapshot has brought, in order: a hundred thousand are looked up as they come, not built up again.
    known: Vec<u32>,
    /// What has come since.
    fresh: HashSet<u32, foldhash::fast::RandomState>,
}

impl PartialEq for Hashes {
    fn eq(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }
}

/// Kept in order, four bytes each: twice the room of distances from one to the next, and nothing to work out.
impl<'de> Deserialize<'de> for Hashes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        bytes_as(from, |bytes| {
            let (words, _) = bytes.as_chunks();
            let mut known: Vec<u32> = words.iter().copied().map(u32::from_le_bytes).collect();
            // Nothing is believed of what was stored: a damaged one would be searched in vain.
            if !known.is_sorted() {
                known.sort_unstable();
            }
            Hashes { known, fresh: HashSet::default() }
        })
    }
}

impl Serialize for Hashes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let sorted = self.sorted();
        let mut bytes = Vec::with_capacity(sorted.len() * size_of::<u32>());
        for hash in sorted {
            bytes.extend_from_slice(&hash.to_le_bytes());
        }
        to.serialize_bytes(&bytes)
    }
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

/// The words of a part of an entry, hashed, in order. A summary is not taken in: it is what is compared. Nor is a brief,
/// which quotes what a summary has wrong.
pub fn words_of(part: &Part, each: &mut impl FnMut(u32)) {
    match part {
        Part::Injected { text, .. } if text.contains(OPENING) => {}
        Part::Prompt { text, .. }
        | Part::Queued(text)
        | Part::Beside(text)
        | Part::Typed(text)
        | Part::Text(text)
        | Part::Injected { text, .. } => words_in(text, each),
        Part::Slash { name, args, .. } => {
            words_in(name, each);
            words_in(args, each);
        }
        Part::Call { tool, .. } => tool.each_text(|text| words_in(text, each)),
        Part::Result { text, extra, .. } => {
            words_in(text, each);
            for (question, answer) in &extra.answers {
                words_in(question, each);
                words_in(answer, each);
            }
            words_in(extra.refused.as_deref().unwrap_or_default(), each);
        }
        _ => {}
    }
}

/// The words of a text, hashed: those that can be told from a changed one, files with their folder, numbers with the
/// words beside them.
fn words_in(text: &str, each: &mut impl FnMut(u32)) {
    let bytes = text.as_bytes();
    let mut spans = Spans { bytes, at: 0 };
    let mut before: Option<Span> = None;
    // A number whose neighbour behind it is not known yet.
    let mut waiting: Option<&[u8]> = None;
    while let Some(span) = spans.next() {
        let word = &bytes[span.start..span.end];
        let near = before.take().filter(|before| is_near(bytes, before.end, span.start));
        let neighbour = near.as_ref().map_or(&[][..], |near| &bytes[near.start..near.end]);
        if let Some(number) = waiting.take() {
            each(pair(number, b' ', if near.is_some() { word } else { b"" }));
        }
        if span.hard {
            each(alone(word));
        }
        if span.dotted && near.as_ref().is_some_and(|near| bytes[near.end..span.start] == *b"/") {
            each(pair(neighbour, b'/', word));
        }
        if is_number_in(word) && !is_listed(bytes, &span, near.is_some()) {
            each(pair(neighbour, b' ', word));
            waiting = Some(word);
        }
        before = Some(span);
    }
    if let Some(number) = waiting {
        each(pair(number, b' ', b""));
    }
}

impl Hashes {
    fn holds(&self, word: u32) -> bool {
        self.fresh.contains(&word) || self.known.binary_search(&word).is_ok()
    }

    fn is_full(&self) -> bool {
        self.known.len() + self.fresh.len() >= KEPT
    }

    fn sorted(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.known.iter().chain(&self.fresh).copied().collect();
        all.sort_unstable();
        all
    }
}

impl Vocabulary {
    /// Takes in the words of a text.
    pub fn note(&mut self, text: &str) {
        words_in(text, &mut |word| self.take(word));
    }

    /// Takes in a word that [`words_of`] has hashed.
    pub fn take(&mut self, word: u32) {
        let now = &mut self.met.now;
        if !now.is_full() && now.known.binary_search(&word).is_err() {
            now.fresh.insert(word);
        }
    }

    /// A stretch begins.
    pub fn turn(&mut self) {
        self.met.turn();
    }

    /// More words come than are kept of the present stretch: no more are taken in.
    pub fn takes_no_more(&self) -> bool {
        self.met.now.is_full()
    }

    /// More has been met than is kept: what is not found may have been there all the same.
    pub fn is_full(&self) -> bool {
        self.met.now.is_full() || self.met.before.is_full()
    }

    fn holds(&self, word: u32) -> bool {
        self.met.now.holds(word) || self.met.before.holds(word)
    }

    /// This word was met.
    pub fn has(&self, word: &str) -> bool {
        self.holds(alone(word.as_bytes()))
    }

    /// This file was met in this folder.
    pub fn has_in(&self, folder: &str, file: &str) -> bool {
        self.holds(pair(folder.as_bytes(), b'/', file.as_bytes()))
    }

    /// This number was met right behind this word, or this word right behind this number.
    pub fn has_beside(&self, first: &str, second: &str) -> bool {
        self.holds(pair(first.as_bytes(), b' ', second.as_bytes()))
    }
}

/// A word that begins with a digit, alone or behind a `v`.
pub fn is_number(word: &str) -> bool {
    is_number_in(word.as_bytes())
}

fn is_number_in(word: &[u8]) -> bool {
    word.strip_prefix(b"v").unwrap_or(word).first().is_some_and(u8::is_ascii_digit)
}

fn alone(word: &[u8]) -> u32 {
    short(fnv1a_on(FNV_START, counting(word)))
}

fn pair(first: &[u8], joint: u8, second: &[u8]) -> u32 {
    let lower = |word| counting(word).map(|byte: u8| byte.to_ascii_lowercase());
    let first = fnv1a_on(fnv1a_on(FNV_START, lower(first)), std::iter::once(joint));
    short(fnv1a_on(first, lower(second)))
}

/// Thousands separators do not count.
fn counting(word: &[u8]) -> impl Iterator<Item = u8> {
    word.iter().copied().filter(|byte| *byte != b',')
}

fn short(long: u64) -> u32 {
    (long ^ (long >> 32)) as u32
}

/// Where a word stands.
struct Span {
    start: usize,
    end: usize,
    /// It can be told from a changed one: with a digit, a dot, an underscore, mixed case; a flag.
    hard: bool,
    /// With a dot in it.
    dotted: bool,
}

/// The words of a text, one by one.
struct Spans<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Spans<'_> {
    fn next(&mut self) -> Option<Span> {
        let bytes = self.bytes;
        loop {
            let byte = *bytes.get(self.at)?;
            if class(byte) != 0 || (byte == b'-' && is_flag_start(bytes, self.at)) {
                let span = span_at(bytes, self.at);
                self.at = span.end;
                return Some(span);
            }
            let is_break = byte == b'\\' && matches!(bytes.get(self.at + 1), Some(b'n' | b't' | b'r'));
            self.at += if is_break { 2 } else { 1 };
        }
    }
}

const SMALL: u8 = 1;
const CAPITAL: u8 = 2;
const HARD: u8 = 4;

/// What a byte does in a word; zero for one that is in none.
const fn class(byte: u8) -> u8 {
    CLASSES[byte as usize]
}

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => SMALL,
            b'A'..=b'Z' => CAPITAL,
            b'0'..=b'9' | b'_' => HARD,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn is_letter(byte: u8) -> bool {
    class(byte) != 0
}

fn is_flag_start(bytes: &[u8], at: usize) -> bool {
    bytes[at..].starts_with(b"--")
        && bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic)
        && (at == 0 || !is_letter(bytes[at - 1]) && bytes[at - 1] != b'-')
}

/// The word that begins at `start`: letters, digits and `_`, with dots between them; in a flag dashes, in a number the
/// separators of thousands.
fn span_at(bytes: &[u8], start: usize) -> Span {
    let flag = bytes[start] == b'-';
    let letter = |at: usize| bytes.get(at).copied().is_some_and(is_letter);
    let mut end = if flag { start + 2 } else { start };
    let (mut met, mut dotted) = (if flag { HARD } else { 0 }, false);
    loop {
        let run = end;
        while let Some(byte) = bytes.get(end)
            && class(*byte) != 0
        {
            // A capital only counts behind the first letter.
            met |= class(*byte) & if end == start { HARD | SMALL } else { HARD | SMALL | CAPITAL };
            end += 1;
        }
        let joins = match bytes.get(end) {
            Some(b'.') => end > start && letter(end + 1),
            Some(b'-') => flag && letter(end + 1),
            Some(b',') => end > run.max(start) && is_thousands(bytes, end),
            _ => false,
        };
        if !joins {
            return Span { start, end, hard: met & (HARD | CAPITAL) != 0, dotted };
        }
        dotted |= bytes[end] == b'.';
        met |= if bytes[end] == b',' { 0 } else { HARD };
        end += 1;
    }
}

/// A comma between a digit and three of them.
fn is_thousands(bytes: &[u8], comma: usize) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    digit(comma - 1)
        && digit(comma + 1)
        && digit(comma + 2)
        && digit(comma + 3)
        && !bytes.get(comma + 4).copied().is_some_and(is_letter)
}

/// Nothing but a few signs stands between two words on a line.
fn is_near(bytes: &[u8], from: usize, to: usize) -> bool {
    to - from <= 4 && !bytes[from..to].contains(&b'\n')
}

/// The number of a line in a listing: its neighbours say nothing.
fn is_listed(bytes: &[u8], span: &Span, has_neighbour: bool) -> bool {
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
    let mut walk = Spans { bytes, at: 0 };
    let spans: Vec<Span> = std::iter::from_fn(move || walk.next()).collect();
    (0..spans.len()).map(move |n| {
        let span = &spans[n];
        let before = n.checked_sub(1).map(|p| &spans[p]).filter(|b| is_near(bytes, b.end, span.start));
        let after = spans.get(n + 1).filter(|a| is_near(bytes, span.end, a.start));
        Atom {
            text: &text[span.start..span.end],
            at: span.start,
            before: before.map_or("", |b| &text[b.start..b.end]),
            after: after.map_or("", |a| &text[a.start..a.end]),
            in_folder: before.is_some_and(|b| &text[b.end..span.start] == "/"),
            is_folder: after.is_some_and(|a| &text[span.end..a.start] == "/"),
            listed: is_listed(bytes, span, before.is_some()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        atoms(text).map(|a| a.text).collect()
    }

    /// What is to be kept of a text, said plainly.
    fn expected(text: &str) -> Vec<u32> {
        let mut hashes = Vec::new();
        for atom in atoms(text) {
            let plain = |word: &str| word.replace(',', "");
            let hash = |text: String| short(crate::agent::entry::fnv1a(text.as_bytes()));
            let pair = |a: &str, joint: &str, b: &str| {
                hash(format!("{}{joint}{}", plain(a), plain(b)).to_ascii_lowercase())
            };
            let bytes = atom.text.as_bytes();
            let hard = bytes.iter().any(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'));
            if hard || bytes[1..].iter().any(u8::is_ascii_uppercase) {
                hashes.push(hash(plain(atom.text)));
            }
            if atom.in_folder && atom.text.contains('.') {
                hashes.push(pair(atom.before, "/", atom.text));
            }
            if is_number(atom.text) && !atom.listed {
                hashes.push(pair(atom.before, " ", atom.text));
                hashes.push(pair(atom.text, " ", atom.after));
            }
        }
        hashes
    }

    proptest::proptest! {
        #[test]
        fn the_words_of_any_text_are_hashed_with_their_neighbours(
            text in r"([a-zA-Z_.,/0-9 \n\t→v-]|--[a-z]|[0-9]{1,3},[0-9]{3}|\\n|é){0,40}"
        ) {
            let mut hashes = Vec::new();
            words_in(&text, &mut |hash| hashes.push(hash));
            proptest::prop_assert_eq!(hashes, expected(&text));
        }
    }

    #[test]
    fn a_vocabulary_that_was_kept_is_the_same_and_goes_on() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.note("listen on port 3000 for src/parser.rs");
        let bytes = postcard::to_stdvec(&vocabulary).unwrap();
        let mut kept: Vocabulary = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(kept, vocabulary);
        for vocabulary in [&mut kept, &mut vocabulary] {
            vocabulary.note("and on port 3001, port 3000");
            assert!(vocabulary.has("parser.rs") && vocabulary.has_beside("port", "3001"));
        }
        assert_eq!(postcard::to_stdvec(&kept).unwrap(), postcard::to_stdvec(&vocabulary).unwrap());
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
