//! What the model already has after a compaction: the summary, and what the client keeps.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::agent::entry::{FNV_START, Place, fnv1a, fnv1a_on};
use crate::audit::speech::{MENTIONED, Speech};
use crate::audit::{self, Finding};
use crate::find;
use crate::session::Session;

use super::context::Context;
use super::letters::Letters;

/// Text that needs no repeating. Empty when the summary is not known.
#[derive(Clone, Debug, Default)]
pub struct Known {
    written: String,
    squashed: String,
    runs: HashSet<u64, foldhash::fast::RandomState>,
    kept: String,
    keeps_from: Option<Place>,
    attached: Vec<String>,
    findings: OnceLock<Vec<Finding>>,
    speech: OnceLock<Speech>,
    context: OnceLock<Context>,
    letters: Letters,
}

/// Words in a row that are compared; long enough that chance does not match them.
const RUN: usize = 5;
/// Words of a quoted part that stay: its beginning, so that a reader knows which request it is, and on either side
/// of a cut, so that the summary's part can be found.
const STAYS: usize = RUN - 1;
/// Words that a cut has to save.
const SAVES: usize = 6;

impl Known {
    /// Takes in a summary.
    pub fn new(summary: &str) -> Known {
        let squashed = squash(summary);
        let runs = runs(&squashed).collect();
        let mut letters = Letters::default();
        letters.note(squashed.as_bytes());
        Known { written: summary.to_owned(), squashed, runs, letters, ..Known::default() }
    }

    /// What the model has once `session` was replaced by `summary`, where that is known.
    pub fn after(session: &Session, summary: Option<&str>) -> Known {
        let known = summary.map(Known::new).unwrap_or_default();
        let kept = &session.kept;
        let plan = session.plan.as_ref().filter(|_| kept.is_kept).and_then(|plan| plan.file.clone());
        let attached = kept.files().iter().cloned().chain(plan).collect();
        let mut known = Known { kept: squash(kept.round()), keeps_from: kept.begins(), attached, ..known };
        known.letters.note(known.kept.as_bytes());
        known
    }

    /// What the work of `session`, the one whose summary this is, is about right now.
    pub fn context(&self, session: &Session) -> &Context {
        self.context.get_or_init(|| Context::new(session, self))
    }

    /// An audit has found this in the summary already.
    pub fn note_findings(&self, findings: &[Finding]) {
        self.findings.get_or_init(|| findings.to_vec());
    }

    /// Where the summary differs from the record.
    pub fn findings(&self, session: &Session) -> Vec<Finding> {
        match self.findings.get() {
            Some(found) => found.clone(),
            None if self.is_empty() => Vec::new(),
            None => audit::audit(session, &self.written),
        }
    }

    /// Takes in words that count as quoted, too.
    pub fn also(&mut self, text: &Runs) {
        self.runs.extend(&text.0);
    }

    /// No summary is known.
    pub fn is_empty(&self) -> bool {
        self.squashed.is_empty()
    }

    /// The summary or the kept round contains this very text, line breaks aside.
    pub fn has(&self, text: &str) -> bool {
        if is_squashed(text) {
            return self.has_word(text);
        }
        let needle = squash(text);
        !needle.is_empty() && self.has_word(&needle)
    }

    /// The summary or the kept round contains this word; for words that hold no line breaks.
    pub fn has_word(&self, word: &str) -> bool {
        if !self.letters.may_hold(word.as_bytes()) {
            return false;
        }
        [&self.squashed, &self.kept].iter().any(|text| find::has(text, word))
    }

    /// The client keeps this row word for word.
    pub fn keeps(&self, place: Place) -> bool {
        self.keeps_from.is_some_and(|from| place >= from)
    }

    /// The client attaches this file, or the plan in it, again; `path` may be a part of the whole path, from a folder on.
    pub fn attaches(&self, path: &str) -> bool {
        let ends = |file: &str| {
            file.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
        };
        self.attached.iter().any(|file| ends(file))
    }

    /// The lines of the summary that contain this text.
    pub fn lines_with<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        self.written.lines().filter(move |line| !text.is_empty() && line.contains(text))
    }

    /// All of it, as it was written.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// All of it, on one line.
    pub fn text(&self) -> &str {
        &self.squashed
    }

    /// Its last third, where a summary tells what was going on.
    pub fn ending(&self) -> &str {
        let mut from = self.squashed.len() * 7 / 10;
        while !self.squashed.is_char_boundary(from) {
            from += 1;
        }
        &self.squashed[from..]
    }

    /// The summary quotes these words: nearly every run of five words of them stands in it.
    pub fn quotes(&self, text: &str) -> bool {
        !self.runs.is_empty() && self.quotes_all(&Runs::of(text))
    }

    /// The same of words that were taken apart before.
    pub fn quotes_all(&self, text: &Runs) -> bool {
        let there = text.0.iter().filter(|run| self.runs.contains(run)).count();
        !text.0.is_empty() && there * 10 >= text.0.len() * 8
    }

    /// The summary says this in its own words: most of them stand close together in it.
    pub fn mentions(&self, text: &str) -> bool {
        let speech = self.speech.get_or_init(|| Speech::new(&self.written));
        !self.is_empty() && speech.speaks_of(text) >= MENTIONED
    }

    /// `text` without the long passages that the summary quotes; `…` stands for each.
    pub fn rest_of(&self, text: &str) -> String {
        if self.runs.is_empty() {
            return text.trim_end().to_owned();
        }
        let words = hashed_words(text);
        let mut quoted = vec![false; words.len()];
        let runs = runs_of(words.iter().map(|(_, hash)| *hash).collect());
        for (at, run) in runs.enumerate().filter(|_| words.len() >= RUN) {
            if self.runs.contains(&run) {
                quoted[at..at + RUN].fill(true);
            }
        }
        let (mut out, mut from, mut at) = (String::new(), 0, 0);
        for passage in quoted.chunk_by(|a, b| a == b) {
            let end = at + passage.len();
            let first = at + STAYS;
            let last = if end == words.len() { end } else { end.saturating_sub(STAYS) };
            if passage[0] && last >= first + SAVES {
                out.push_str(text[from..words[first].0].trim_end());
                out.push_str(" … ");
                from = words.get(last).map_or(text.len(), |word| word.0);
            }
            at = end;
        }
        out.push_str(&text[from..]);
        out.trim_end().to_owned()
    }
}

/// Words with one blank between them and nothing around them.
fn is_squashed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_blank = |byte: &u8| *byte == b' ';
    text.is_ascii()
        && !bytes.is_empty()
        && !bytes.first().is_some_and(is_blank)
        && !bytes.last().is_some_and(is_blank)
        && bytes.iter().all(|byte| matches!(byte, b' '..=b'~'))
        && !find::has(text, "  ")
}

/// On one line.
fn squash(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of `text` and where each begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let between = |c: char| !c.is_alphanumeric() && c != '_';
    let mut end = 0;
    let pieces = text.split_inclusive(between).map(move |piece| {
        end += piece.len();
        (end - piece.len(), piece.trim_end_matches(between))
    });
    pieces.filter(|(_, word)| !word.is_empty())
}

/// The runs of words of a text, for more than one question.
pub struct Runs(Vec<u64>);

impl Runs {
    /// Takes a text apart.
    pub fn of(text: &str) -> Runs {
        Runs(runs(text).collect())
    }
}

/// Every run of words in `text`, hashed; a shorter text is one run.
fn runs(text: &str) -> impl Iterator<Item = u64> + use<> {
    runs_of(hashed_words(text).into_iter().map(|(_, hash)| hash).collect())
}

/// Every run of these words.
fn runs_of(words: Vec<u64>) -> impl Iterator<Item = u64> {
    let count = if words.is_empty() { 0 } else { words.len().saturating_sub(RUN - 1).max(1) };
    (0..count).map(move |at| {
        let run = words[at..].iter().take(RUN);
        run.fold(0, |hash: u64, word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    })
}

/// The words of `text`, hashed, and where each begins.
fn hashed_words(text: &str) -> Vec<(usize, u64)> {
    if !text.is_ascii() {
        return words(text).map(|(at, word)| (at, lower_hash(word))).collect();
    }
    // Most texts, and there are hundreds: in one pass.
    let mut words = Vec::with_capacity(text.len() / 6);
    let (mut start, mut hash) = (None, FNV_START);
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            start.get_or_insert(at);
            hash = fnv1a_on(hash, std::iter::once(byte.to_ascii_lowercase()));
        } else if let Some(start) = start.take() {
            words.push((start, std::mem::replace(&mut hash, FNV_START)));
        }
    }
    words.extend(start.map(|start| (start, hash)));
    words
}

/// The same for a word in any case.
fn lower_hash(word: &str) -> u64 {
    if word.is_ascii() {
        return fnv1a_on(FNV_START, word.bytes().map(|byte| byte.to_ascii_lowercase()));
    }
    fnv1a(word.to_lowercase().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_ignores_case_punctuation_and_line_breaks() {
        let known =
            Known::new("The user said: \"Fix the login bug,\n but DON'T touch the schema of users\".");
        assert!(known.quotes("fix the login bug but don't touch the schema of users"));
        assert!(!known.quotes("fix the login bug but do touch the schema of orders today"));
    }

    #[test]
    fn what_the_summary_quotes_is_cut_out_of_a_request() {
        let said = "keep every comment of the file it reads, in order, and the blank lines between them";
        let known = Known::new(&format!("The user wants the parser to {said}; see below."));
        let request = format!("Look at the logs first. Then {said}. Print “ähm” sorted.");
        assert_eq!(
            known.rest_of(&request),
            "Look at the logs first. Then keep every comment of … blank lines between them. Print “ähm” sorted."
        );
        assert_eq!(known.rest_of("keep every comment of the file"), "keep every comment of the file");
        assert_eq!(Known::default().rest_of(&request), request);
    }

    #[test]
    fn what_the_summary_says_in_its_own_words_is_mentioned() {
        let known = Known::new("Decisions:\n- a mutex was chosen over a channel, because the queue is short");
        assert!(known.mentions("I chose a mutex, because the queue is short, not a channel"));
        assert!(!known.mentions("I chose sqlite because it needs no server"));
        assert!(!Known::default().mentions(""));
    }

    #[test]
    fn a_file_is_attached_under_its_whole_path_or_from_a_folder_on() {
        let known = Known { attached: vec!["/w/src/lib.rs".to_owned()], ..Known::default() };
        assert!(known.attaches("/w/src/lib.rs") && known.attaches("src/lib.rs") && known.attaches("lib.rs"));
        assert!(!known.attaches("b.rs") && !known.attaches("/v/src/lib.rs"));
    }

    proptest::proptest! {
        #[test]
        fn words_are_the_same_in_a_text_of_one_alphabet_and_of_two(text in "[a-zA-Z0-9_ .,'/\n-]{0,60}") {
            let one_by_one: Vec<_> = words(&text).map(|(at, word)| (at, lower_hash(word))).collect();
            proptest::prop_assert_eq!(hashed_words(&text), one_by_one.clone());
            let other = hashed_words(&format!("{text} ä"));
            proptest::prop_assert_eq!(&other[..other.len() - 1], one_by_one);
        }

        #[test]
        fn a_word_is_had_where_it_stands(text in "[a-c ]{0,40}", from in 0..30_usize, length in 0..6_usize) {
            let known = Known::new(&text);
            let has = |word: &str| known.text().contains(word) && !known.text().is_empty();
            let squashed = known.text().to_owned();
            let there: String = squashed.chars().skip(from).take(length).collect();
            proptest::prop_assert_eq!(known.has_word(&there), has(&there));
            let other = format!("{there}c");
            proptest::prop_assert_eq!(known.has_word(&other), has(&other));
            let needle = squash(&other);
            proptest::prop_assert_eq!(known.has(&other), has(&needle));
        }
    }

    #[test]
    fn nothing_is_known_of_an_empty_summary() {
        let known = Known::default();
        assert!(known.is_empty() && !known.has("a") && !known.has("") && !known.quotes("fix it"));
    }
}
