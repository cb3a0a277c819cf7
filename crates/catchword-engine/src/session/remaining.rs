//! What the agent says is not done: "exporter and docs not started", "What remains: the changelog".
//!
//! Only its latest statements count. They hold until later calls name most of what they name; what those calls named is
//! kept, so that the brief can say both.

use serde::{Deserialize, Serialize};

use super::one_line;
use crate::model::entry::Place;
use crate::reading::prose;
use crate::text::cut::cut;
use crate::text::passages::item;
use crate::text::phrases::is_stop_word;
use crate::text::stems::{COMMON, stem_set};
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

/// The agent's latest statements about what is not done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remaining {
    open: Vec<RemainingWork>,
}

impl Remaining {
    /// Records a message of the agent. Newer statements replace older ones.
    pub fn said(&mut self, place: Place, text: &str) {
        let new = statements(text);
        if !new.is_empty() {
            self.open = new.into_iter().filter_map(|text| statement(place, text)).collect();
        }
    }

    /// Records the text of a tool call.
    pub fn acted(&mut self, text: &str) {
        if self.open.is_empty() {
            return;
        }
        let lower = text.to_lowercase();
        for work in &mut self.open {
            let is_named = |name: &mut String| lower.contains(stem(name));
            work.touched.extend(work.untouched.extract_if(.., is_named));
        }
        self.open.retain(|work| {
            let (left, all) = (work.untouched.len(), work.untouched.len() + work.touched.len());
            left * LEFT_PART >= all && left > 0
        });
    }

    /// Drops statements after `to`: the person rewound the conversation.
    pub fn rewound(&mut self, to: Place) {
        self.open.retain(|work| work.place <= to);
    }

    pub fn iter(&self) -> impl Iterator<Item = &RemainingWork> {
        self.open.iter()
    }
}

/// The sentences that say that something is not done. A label is joined with the list below it.
pub fn statements(text: &str) -> Vec<String> {
    let plain = text.replace("**", "");
    let mut out: Vec<String> = Vec::new();
    for read in prose::read(&plain) {
        if read.is_label_of_open_work() && read.ends_open() {
            out.extend(with_items(&plain, read.text));
        } else if read.is_not_done() {
            out.push(one_line(bare(read.text), MAX_REMAINING_TEXT));
        }
    }
    out.retain(|statement| !names_in(statement).is_empty());
    out.truncate(OF_ONE);
    out
}

/// The label and the items of the list below it, on one line.
fn with_items(text: &str, label: &str) -> Option<String> {
    let below = text.split_once(label)?.1;
    let lines = below.lines().map(str::trim).skip_while(|line| line.trim_matches(['*', '_']).is_empty());
    let items: Vec<&str> = lines.map_while(item).collect();
    let listed = items.join("; ");
    (!items.is_empty())
        .then(|| cut(&one_line(&format!("{} {listed}", bare(label)), usize::MAX), MAX_REMAINING_TEXT))
}

fn bare(sentence: &str) -> &str {
    sentence.trim_start_matches(['*', '_', '#', '-', ' ', '✗', '❌', '⏳', '☐'])
}

fn statement(place: Place, text: String) -> Option<RemainingWork> {
    let untouched = names_in(&text);
    (!untouched.is_empty()).then_some(RemainingWork { place, text, untouched, touched: Vec::new() })
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

/// `exporters` is also named by `exporter.rs`.
fn stem(name: &str) -> &str {
    name.strip_suffix('s').filter(|one| one.len() >= SHORT - 1).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_found_by_phrase_or_label() {
        for text in [
            "The parser is written; exporter and docs not started.",
            "What remains: the changelog entry.",
            "**Remaining work:**\n- the exporter\n- the docs",
            "The exporter still needs to be wired up.",
        ] {
            assert_eq!(statements(text).len(), 1, "{text}");
        }
        for text in [
            "Nothing remains to be done.",
            "What remains: nothing.",
            "Remaining rows are skipped by the reader.",
            "Is the exporter still to be written?",
            "If the server is not started, the tests hang.",
            "The exporter and the docs are done.",
        ] {
            assert_eq!(statements(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn label_is_joined_with_its_list() {
        assert_eq!(
            statements("What remains:\n\n- the exporter\n- the docs\n\nShall I go on?"),
            ["What remains: the exporter; the docs"]
        );
    }

    #[test]
    fn statement_holds_until_later_calls_name_everything_in_it() {
        let mut remaining = Remaining::default();
        remaining.said(Place(4), "Exporters and docs not started.");
        remaining.acted("/p/src/exporter.rs");
        let left: Vec<_> = remaining.iter().map(|work| (&work.untouched, &work.touched)).collect();
        assert_eq!(left, [(&vec!["docs".to_owned()], &vec!["exporters".to_owned()])]);
        remaining.acted("git add docs/index.md");
        assert_eq!(remaining.iter().count(), 0);
    }

    #[test]
    fn newer_statements_replace_older_ones() {
        let mut remaining = Remaining::default();
        remaining.said(Place(4), "What remains: the exporter and the docs.");
        remaining.said(Place(9), "The exporter works.");
        remaining.said(Place(12), "What remains: the docs.");
        assert_eq!(remaining.iter().map(|work| work.place).collect::<Vec<_>>(), [Place(12)]);
    }
}
