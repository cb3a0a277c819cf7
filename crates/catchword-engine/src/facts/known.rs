//! What the model already has after a compaction: the summary, and what the client keeps.

use std::collections::HashSet;

use crate::audit::audit;
use crate::audit::broken::what_is_broken;
use crate::model::entry::Place;
use crate::model::finding::Finding;
use crate::session::Session;
use crate::session::kept::Aftermath;
use crate::text::cut::{squashed, tail_of};
use crate::text::hash::fnv1a;
use crate::text::specifics::specifics;
use crate::text::speech::{MENTIONED, Speech};
use crate::text::words::{IDENTIFIERS, words};

/// Text that need not be repeated. Empty if the summary is unknown.
#[derive(Clone, Debug, Default)]
pub struct KnownText {
    written: String,
    squashed: String,
    /// The summary's words in lower case with a space around each, for texts too short for a run.
    spaced: String,
    runs: HashSet<u64>,
    kept: String,
    keeps_from: Option<Place>,
    attached: Vec<String>,
    /// Prompts that the client keeps verbatim.
    messages: Vec<Place>,
    findings: Vec<Finding>,
    speech: Speech,
    broken: Option<String>,
    aftermath: Aftermath,
}

/// Words in a row that are compared; long enough that chance does not match them.
const RUN: usize = 5;
/// A file name of at least this many bytes counts as unique; `mod.rs` and `index.ts` are everywhere.
const TELLING_NAME: usize = 9;
/// Bytes below which a summary cannot tell what was asked for.
const MIN_SUMMARY: usize = 500;

impl KnownText {
    pub fn new(summary: &str) -> KnownText {
        let squashed = squashed(summary);
        let runs = runs(&squashed).collect();
        let speech = Speech::new(summary);
        let spaced = spaced(summary);
        KnownText { written: summary.to_owned(), squashed, spaced, runs, speech, ..KnownText::default() }
    }

    /// What the model has once `session` was replaced by `summary`, if that is known.
    pub fn after(session: &Session, summary: Option<&str>) -> KnownText {
        let known = summary.map(KnownText::new).unwrap_or_default();
        let kept = &session.kept;
        let plan = session.plan.as_ref().filter(|_| kept.is_kept()).and_then(|plan| plan.file.clone());
        let attached = kept.files().into_iter().chain(plan).collect();
        let messages = session.prompts.iter().filter(|prompt| kept.has_message(&prompt.text));
        let messages = messages.map(|prompt| prompt.place).collect();
        let aftermath = if summary.is_some() { Aftermath::Summary } else { kept.aftermath() };
        KnownText {
            kept: squashed(kept.round()),
            keeps_from: kept.begins(),
            attached,
            messages,
            aftermath,
            ..known
        }
    }

    /// [`KnownText::after`] with the findings of an audit. A broken summary is not audited and counts as no summary.
    pub fn audited(session: &Session, summary: Option<&str>) -> KnownText {
        if let Some(broken) = summary.and_then(|summary| what_is_broken(session, summary)) {
            return KnownText { broken: Some(broken), ..KnownText::after(session, None) };
        }
        let findings = summary.map(|summary| audit(session, summary)).unwrap_or_default();
        KnownText::after(session, summary).with_findings(findings)
    }

    /// Sets the findings of an audit.
    #[must_use]
    pub fn with_findings(self, findings: Vec<Finding>) -> KnownText {
        KnownText { findings, ..self }
    }

    /// Where the summary differs from the record.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Nothing else tells the model what happened, or nothing that we could read: there is no summary, it is an error
    /// message or cut off, or only the model reads it.
    pub fn stands_alone(&self) -> bool {
        self.broken.is_some() || self.aftermath != Aftermath::Summary
    }

    /// The client kept no summary.
    pub fn has_no_summary(&self) -> bool {
        self.aftermath == Aftermath::Nothing
    }

    /// What is wrong with the summary, in a few words.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Adds text that counts as quoted, too.
    pub fn also(&mut self, text: &Runs) {
        self.runs.extend(&text.0);
    }

    /// No summary is known.
    pub fn is_empty(&self) -> bool {
        self.squashed.is_empty()
    }

    /// The summary or the kept round contains this text verbatim, apart from whitespace.
    pub fn has(&self, text: &str) -> bool {
        let needle = squashed(text);
        !needle.is_empty() && (self.squashed.contains(&needle) || self.kept.contains(&needle))
    }

    /// The summary or the kept round names this file, by the path it is shown with or a longer one that ends in it.
    pub fn names_file(&self, path: &str) -> bool {
        let typed = path.replace('/', "\\");
        // The last two components identify a file; so does a long name.
        let parts: Vec<&str> = path.rsplitn(3, '/').collect();
        let end = parts.get(1).map_or_else(|| path.to_owned(), |folder| format!("{folder}/{}", parts[0]));
        let name = if parts[0].len() >= TELLING_NAME { parts[0] } else { path };
        [path, &typed, &end, name].iter().any(|path| {
            [&self.squashed, &self.kept]
                .iter()
                .any(|text| text.match_indices(path).any(|(at, _)| is_whole_path(text, at, at + path.len())))
        })
    }

    /// The client keeps this row verbatim.
    pub fn keeps(&self, place: Place) -> bool {
        self.keeps_from.is_some_and(|from| place >= from) || self.messages.contains(&place)
    }

    /// The client keeps this prompt verbatim through the compaction.
    pub fn keeps_message(&self, place: Place) -> bool {
        self.messages.contains(&place)
    }

    /// The client reattaches this file, or the plan in it. `path` may be a suffix of the full path, from a folder on.
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

    /// All that the model has, as far as its words are known.
    pub fn everything(&self) -> String {
        format!("{}\n{}", self.written, self.kept)
    }

    /// The summary on one line.
    pub fn text(&self) -> &str {
        &self.squashed
    }

    /// The last 30% of the summary, which describes the current work.
    pub fn ending(&self) -> &str {
        tail_of(&self.squashed, self.squashed.len() - self.squashed.len() * 7 / 10)
    }

    /// The summary quotes this text: it has at least 80% of its runs of five words.
    pub fn quotes(&self, text: &str) -> bool {
        !self.runs.is_empty() && self.quotes_all(&Runs::of(text))
    }

    /// The same for text already split into runs.
    pub fn quotes_all(&self, text: &Runs) -> bool {
        let there = text.0.iter().filter(|run| self.runs.contains(run)).count();
        !text.0.is_empty() && there * 10 >= text.0.len() * 8
    }

    /// The summary has these words of a person: in a row, or nearly all significant ones in one line.
    pub fn retells(&self, words: &str) -> bool {
        self.quotes(words) || self.names(words) || self.speech.retells(words)
    }

    /// The summary has these words in a row, ignoring case and punctuation.
    pub fn names(&self, words: &str) -> bool {
        let wanted = spaced(words);
        wanted.len() > 1 && self.spaced.contains(&wanted)
    }

    /// One line of the summary has every specific name and number in `words`.
    pub fn names_all_of(&self, words: &str) -> bool {
        let wanted: Vec<String> = specifics(words).map(str::to_lowercase).collect();
        let has_all = |line: &str| {
            let lower = line.to_lowercase();
            wanted.iter().all(|word| lower.contains(word))
        };
        !wanted.is_empty() && self.written.lines().any(has_all)
    }

    /// There is no summary, or one too short to describe a session.
    pub fn says_little(&self) -> bool {
        self.squashed.len() < MIN_SUMMARY
    }

    /// The summary paraphrases this: most of the words are close together in it.
    pub fn mentions(&self, text: &str) -> bool {
        !self.is_empty() && self.speech.speaks_of(text) >= MENTIONED
    }
}

/// Whether the match is a whole path, not part of another: `a.rs` in `data.rs` or `lib/a.rs`.
fn is_whole_path(text: &str, from: usize, to: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let before = text[..from].chars().next_back();
    let begins = match before {
        Some('/' | '\\') => text[from..to].contains(['/', '\\']) || text[..from].ends_with("./"),
        Some(c) => !is_part(c) && c != '.',
        None => true,
    };
    let mut after = text[to..].chars();
    let next = after.next();
    let goes_on = next.is_some_and(is_part) || (next == Some('.') && after.next().is_some_and(is_part));
    begins && !goes_on
}

/// The runs of words of a text, for repeated comparison.
pub struct Runs(Vec<u64>);

impl Runs {
    pub fn of(text: &str) -> Runs {
        Runs(runs(text).collect())
    }
}

/// The words of a text in lower case, with a space around each.
fn spaced(text: &str) -> String {
    let mut out = String::from(" ");
    for (_, word) in words(text, IDENTIFIERS) {
        out.push_str(&word.to_lowercase());
        out.push(' ');
    }
    out
}

/// Every run of words in `text`, hashed; a shorter text is one run.
fn runs(text: &str) -> impl Iterator<Item = u64> + use<> {
    runs_of(hashed_words(text).into_iter().map(|(_, hash)| hash).collect())
}

fn runs_of(words: Vec<u64>) -> impl Iterator<Item = u64> {
    let count = if words.is_empty() { 0 } else { words.len().saturating_sub(RUN - 1).max(1) };
    (0..count).map(move |at| {
        let run = words[at..].iter().take(RUN);
        run.fold(0, |hash: u64, word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    })
}

/// The words of `text`, hashed in lower case, and where each begins.
fn hashed_words(text: &str) -> Vec<(usize, u64)> {
    words(text, IDENTIFIERS).map(|(at, word)| (at, fnv1a(word.to_lowercase().as_bytes()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_ignores_case_punctuation_and_line_breaks() {
        let known =
            KnownText::new("The user said: \"Fix the login bug,\n but DON'T touch the schema of users\".");
        assert!(known.quotes("fix the login bug but don't touch the schema of users"));
        assert!(!known.quotes("fix the login bug but do touch the schema of orders today"));
    }

    #[test]
    fn short_text_matches_by_words_and_longer_text_by_topic() {
        let known = KnownText::new(
            "Pending:\n- The user said: \"Go ahead with phase 1\"\n- port the lexer of v2 to the new reader",
        );
        assert!(known.retells("go ahead, with phase 1!") && !known.retells("go ahead with phase 2"));
        assert!(known.retells("please port the v2 lexer to the new reader"));
        assert!(!known.retells("please port the v3 lexer to the new reader"));
        assert!(!KnownText::default().retells("go ahead") && !known.retells(""));
    }

    #[test]
    fn paraphrase_counts_as_mentioned() {
        let known =
            KnownText::new("Decisions:\n- a mutex was chosen over a channel, because the queue is short");
        assert!(known.mentions("I chose a mutex, because the queue is short, not a channel"));
        assert!(!known.mentions("I chose sqlite because it needs no server"));
        assert!(!KnownText::default().mentions(""));
    }

    #[test]
    fn attached_file_matches_by_full_path_or_path_suffix() {
        let known = KnownText { attached: vec!["/w/src/lib.rs".to_owned()], ..KnownText::default() };
        assert!(known.attaches("/w/src/lib.rs") && known.attaches("src/lib.rs") && known.attaches("lib.rs"));
        assert!(!known.attaches("b.rs") && !known.attaches("/v/src/lib.rs"));
    }

    #[test]
    fn file_name_inside_another_path_does_not_match() {
        let known = KnownText::new("Edited `lib/CMakeLists.txt`, /w/app/src/a.rs, web\\page.js and data.rs.");
        for named in ["lib/CMakeLists.txt", "src/a.rs", "web/page.js", "data.rs"] {
            assert!(known.names_file(named), "{named}");
        }
        for other in ["CMakeLists.txt", "a.rs", "rc/a.rs", "src/a", "ta.rs"] {
            assert!(!known.names_file(other), "{other}");
        }
    }

    #[test]
    fn empty_summary_contains_nothing() {
        let known = KnownText::default();
        assert!(known.is_empty() && !known.has("a") && !known.has("") && !known.quotes("fix it"));
    }
}
