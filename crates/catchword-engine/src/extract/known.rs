//! What the model already has after a compaction: the summary.

use std::collections::HashSet;

use crate::agent::entry::fnv1a;
use crate::audit::{self, Finding};
use crate::session::Session;

/// Text that needs no repeating. Empty when the summary is not known.
#[derive(Clone, Debug, Default)]
pub struct Known {
    written: String,
    squashed: String,
    runs: HashSet<u64>,
    findings: Option<Vec<Finding>>,
}

/// Words in a row that are compared; long enough that chance does not match them.
const RUN: usize = 5;

impl Known {
    /// Takes in a summary.
    pub fn new(summary: &str) -> Known {
        let squashed = summary.split_whitespace().collect::<Vec<_>>().join(" ");
        let runs = runs(&squashed).collect();
        Known { written: summary.to_owned(), squashed, runs, findings: None }
    }

    /// With what an audit has found in the summary already.
    #[must_use]
    pub fn with_findings(self, findings: &[Finding]) -> Known {
        Known { findings: Some(findings.to_vec()), ..self }
    }

    /// Where the summary differs from the record.
    pub fn findings(&self, session: &Session) -> Vec<Finding> {
        match &self.findings {
            Some(found) => found.clone(),
            None if self.is_empty() => Vec::new(),
            None => audit::audit(session, &self.written),
        }
    }

    /// No summary is known.
    pub fn is_empty(&self) -> bool {
        self.squashed.is_empty()
    }

    /// The summary contains this very text, line breaks aside.
    pub fn has(&self, text: &str) -> bool {
        let needle = text.split_whitespace().collect::<Vec<_>>().join(" ");
        !needle.is_empty() && memchr::memmem::find(self.squashed.as_bytes(), needle.as_bytes()).is_some()
    }

    /// The summary contains this word; for words that hold no line breaks.
    pub fn has_word(&self, word: &str) -> bool {
        memchr::memmem::find(self.squashed.as_bytes(), word.as_bytes()).is_some()
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
        let (mut all, mut there) = (0_usize, 0_usize);
        for run in runs(text) {
            all += 1;
            there += usize::from(self.runs.contains(&run));
        }
        all > 0 && there * 10 >= all * 8
    }
}

/// Every run of words in `text`, hashed; a shorter text is one run.
fn runs(text: &str) -> impl Iterator<Item = u64> + use<> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    let count = if words.is_empty() { 0 } else { words.len().saturating_sub(RUN - 1).max(1) };
    (0..count).map(move |at| fnv1a(words[at..words.len().min(at + RUN)].join(" ").as_bytes()))
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
    fn nothing_is_known_of_an_empty_summary() {
        let known = Known::default();
        assert!(known.is_empty() && !known.has("a") && !known.has("") && !known.quotes("fix it"));
    }
}
