//! What the agent says is not done: "exporter and docs not started", "What remains: the changelog".
//!
//! Only its latest statements count. They hold until later calls name most of what they name; what those calls named is
//! kept, so that the brief can say both.

use serde::{Deserialize, Serialize};

use super::{Observation, Record};
use crate::model::entry::Place;
use crate::reading::statements::Tells;
use crate::text::cut::one_line;
use crate::text::passages::item;
use crate::text::phrases::is_stop_word;
use crate::text::stems::{COMMON, stem_set, without_ending};
use crate::text::words::{IDENTIFIERS, words};

/// Statements kept of one message.
const OF_ONE: usize = 4;
/// Characters kept of a statement.
const MAX_REMAINING_TEXT: usize = 300;
/// Maximum number of names in a statement.
const MAX_NAMES: usize = 12;
/// Minimum characters of a name.
const SHORT: usize = 4;

/// A statement holds while at least one in this many of its names is untouched.
const LEFT_PART: usize = 3;

/// A statement by the agent that something is not done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemainingWork {
    pub place: Place,
    /// Verbatim, on one line.
    pub text: String,
    /// Names in it, in lower case, that no later call contains.
    pub untouched: Vec<String>,
    /// Names in it that a later call contains.
    pub touched: Vec<String>,
}

impl Record {
    /// Looks for statements in the message that was just added. They replace older ones.
    pub(super) fn find_open_work(&mut self) {
        let Some(message) = self.spoken().next_back() else { return };
        let statements = statements(message.lines).into_iter();
        let new: Vec<RemainingWork> =
            statements.map(|(text, names)| statement(message.place, text, names)).collect();
        if !new.is_empty() {
            self.remaining = new;
        }
    }

    /// The agent did something: `text` is part of its call.
    pub fn worked_on(&mut self, text: &str) {
        if self.remaining.is_empty() {
            return;
        }
        let lower = text.to_lowercase();
        for work in &mut self.remaining {
            let is_named = |name: &mut String| lower.contains(without_ending(name));
            work.touched.extend(work.untouched.extract_if(.., is_named));
        }
        self.remaining.retain(|work| {
            let (left, all) = (work.untouched.len(), work.untouched.len() + work.touched.len());
            left * LEFT_PART >= all && left > 0
        });
    }
}

/// The sentences that say that something is not done, with the names in them. A label is joined with the list below it.
fn statements(lines: &[Observation]) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for said in &line.says {
            let sentence = said.sentence(&line.words);
            match said.tells {
                Tells::OpenList => out.extend(with_items(sentence, &lines[at + 1..])),
                Tells::NotDone => out.push(bare(sentence)),
                _ => {}
            }
        }
    }
    let named = out.into_iter().map(|text| (one_line(&text, MAX_REMAINING_TEXT), names_in(&text)));
    named.filter(|(_, names)| !names.is_empty()).take(OF_ONE).collect()
}

/// The label and the items of the list below it.
fn with_items(label: &str, below: &[Observation]) -> Option<String> {
    let items: Vec<&str> = below.iter().map_while(|line| item(&line.words)).collect();
    (!items.is_empty()).then(|| format!("{} {}", bare(label), items.join("; ").replace("**", "")))
}

fn bare(sentence: &str) -> String {
    sentence.replace("**", "").trim_start_matches(['*', '_', '#', '-', ' ', '✗', '❌', '⏳', '☐']).to_owned()
}

fn statement(place: Place, text: String, untouched: Vec<String>) -> RemainingWork {
    RemainingWork { place, text, untouched, touched: Vec::new() }
}

/// The words that identify a later call as work on it.
fn names_in(statement: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (_, word) in words(statement, IDENTIFIERS) {
        let word = word.to_lowercase();
        let is_common = is_stop_word(&word) || stem_set(&word).is_subset(&COMMON);
        if word.chars().count() >= SHORT && !is_common && !names.contains(&word) {
            names.push(word);
        }
    }
    names.truncate(MAX_NAMES);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(record: &mut Record, place: u32, text: &str) {
        record.said(Place(place), 0, text);
    }

    fn found(text: &str) -> Vec<String> {
        let mut record = Record::default();
        said(&mut record, 4, text);
        record.remaining().iter().map(|work| work.text.clone()).collect()
    }

    #[test]
    fn statements_are_found_by_phrase_or_label() {
        for text in [
            "The parser is written; exporter and docs not started.",
            "What remains: the changelog entry.",
            "**Remaining work:**\n- the exporter\n- the docs",
            "The exporter still needs to be wired up.",
        ] {
            assert_eq!(found(text).len(), 1, "{text}");
        }
        for text in [
            "Nothing remains to be done.",
            "What remains: nothing.",
            "Remaining rows are skipped by the reader.",
            "Is the exporter still to be written?",
            "If the server is not started, the tests hang.",
            "The exporter and the docs are done.",
            "```\nThe exporter still needs to be wired up.\n```",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn label_is_joined_with_its_list() {
        assert_eq!(
            found("What remains:\n\n- the exporter\n- the docs\n\nShall I go on?"),
            ["What remains: the exporter; the docs"]
        );
    }

    #[test]
    fn statement_holds_until_later_calls_name_everything_in_it() {
        let mut record = Record::default();
        said(&mut record, 4, "Exporters and docs not started.");
        record.worked_on("/p/src/exporter.rs");
        let left: Vec<_> = record.remaining().iter().map(|work| (&work.untouched, &work.touched)).collect();
        assert_eq!(left, [(&vec!["docs".to_owned()], &vec!["exporters".to_owned()])]);
        record.worked_on("git add docs/index.md");
        assert_eq!(record.remaining(), []);
    }

    #[test]
    fn newer_statements_replace_older_ones() {
        let mut record = Record::default();
        said(&mut record, 4, "What remains: the exporter and the docs.");
        said(&mut record, 9, "The exporter works.");
        said(&mut record, 12, "What remains: the docs.");
        assert_eq!(record.remaining().iter().map(|work| work.place).collect::<Vec<_>>(), [Place(12)]);
    }
}
