//! Requests by name that left no trace: no later edit, command or answer contains any of the names.
//!
//! Taken from the person's requests and the plans they approved, item by item. A single name found later counts as a
//! trace: better to miss one than to report a false one. An item has to ask for something; a mention is not enough.

use serde::{Deserialize, Serialize};

use super::{AgentText, Session, one_line};
use crate::lexicon::code::KEYWORDS;
use crate::model::entry::Place;
use crate::text::passages::{Voice, passages};
use crate::text::phrases::ReadSentence;
use crate::text::sentences::{own_sentences, sentences};
use crate::text::words::{self, Word};

/// Maximum number of items; the oldest are dropped.
const MAX_UNTRACED_ITEMS: usize = 48;
/// Maximum number of items from one request; a text with more is not a list of requests.
const OF_ONE: usize = 16;
/// Characters kept of an item.
const MAX_ITEM_TEXT: usize = 240;
/// Tool calls before an item counts as missing.
const SOON: u32 = 10;
/// Latest messages of the agent that are searched for deferrals.
const LATELY: usize = 40;

/// A request that names something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedRequest {
    pub place: Place,
    /// Verbatim.
    pub text: String,
    /// In lower case.
    pub names: Vec<String>,
    clock: u32,
}

/// Requests without a trace so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Untraced {
    open: Vec<NamedRequest>,
}

impl Untraced {
    /// Records a prompt or an approved plan. Pasted output and quotes are not requests.
    pub fn asked(&mut self, place: Place, clock: u32, text: &str) {
        let own = passages(text).into_iter().filter(|p| matches!(p.voice, Voice::Typed | Voice::Document));
        let asks = own
            .flat_map(|passage| own_sentences(passage.text))
            .filter(|sentence| ReadSentence::new(sentence).is_request());
        let named = asks.filter_map(|sentence| {
            let names = names_in(sentence);
            (!names.is_empty()).then(|| NamedRequest {
                place,
                text: one_line(sentence, MAX_ITEM_TEXT),
                names,
                clock,
            })
        });
        let named: Vec<NamedRequest> = named.take(OF_ONE).collect();
        self.open.retain(|old| !named.iter().any(|new| new.text == old.text));
        self.open.extend(named);
        let excess = self.open.len().saturating_sub(MAX_UNTRACED_ITEMS);
        self.open.drain(..excess);
    }

    /// Drops requests after `to`: the person rewound the conversation.
    pub fn rewound(&mut self, to: Place) {
        self.open.retain(|request| request.place <= to);
    }

    /// Records something the agent did or said.
    pub fn trace(&mut self, text: &str) {
        if self.open.is_empty() {
            return;
        }
        let lower = text.to_lowercase();
        self.open.retain(|request| !request.names.iter().any(|name| lower.contains(name.as_str())));
    }
}

/// Requests without a trace, oldest first, except for those that an open task covers.
pub fn untraced(session: &Session) -> Vec<&NamedRequest> {
    let tasks: Vec<String> = session.tasks.open().iter().map(|task| task.subject.to_lowercase()).collect();
    let is_task = |request: &NamedRequest| {
        request.names.iter().any(|name| tasks.iter().any(|task| task.contains(name.as_str())))
    };
    let is_due = |request: &&NamedRequest| {
        session.clock >= request.clock + SOON && !is_task(request) && session.saw_all_since(request.place)
    };
    session.untraced.open.iter().filter(is_due).collect()
}

/// The agent's latest sentences that defer something and are `wanted`, oldest first.
pub fn deferred(
    session: &Session,
    most: usize,
    wanted: impl Fn(&AgentText, &str) -> bool,
) -> Vec<(&AgentText, &str)> {
    let said = session.said.iter().rev().take(LATELY);
    let all =
        said.flat_map(|said| sentences(&said.text).into_iter().rev().map(move |sentence| (said, sentence)));
    let mut found: Vec<_> =
        all.filter(|(said, s)| ReadSentence::new(s).is_put_off() && wanted(said, s)).take(most).collect();
    found.reverse();
    found
}

/// The names in a sentence, in lower case: file names, code in backticks, and identifiers that cannot be product names.
fn names_in(sentence: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    words::scan(sentence, |word| match word {
        Word::Path(path) => names.push(path.rsplit('/').next().unwrap_or(path).to_lowercase()),
        Word::Name(name) if is_code(name) => names.push(name.to_lowercase()),
        Word::Name(_) | Word::Number(_) => {}
    });
    for code in sentence.split('`').skip(1).step_by(2) {
        names.extend(names_of_code(code));
    }
    names.retain(|name| name.len() >= 4);
    names.sort_unstable();
    names.dedup();
    names
}

/// Code with spaces is one name; anything else is split into identifiers, because `state.Load()` is defined as `Load`.
fn names_of_code(code: &str) -> Vec<String> {
    if code.contains(' ') {
        return vec![code.to_lowercase()];
    }
    let parts = code.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
    parts.map(str::to_lowercase).filter(|part| !KEYWORDS.contains(&part.as_str())).collect()
}

/// `snake_case` or `camelCase`.
fn is_code(name: &str) -> bool {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain && (name.contains('_') || name.starts_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(untraced: &Untraced) -> Vec<&str> {
        untraced.open.iter().map(|request| request.text.as_str()).collect()
    }

    #[test]
    fn one_later_name_is_a_trace() {
        let mut untraced = Untraced::default();
        untraced.asked(
            Place(1),
            0,
            "Two things:\n1. Add `retry_count` to src/client.rs\n2. Rename `old_name` to `newName`.\n\
             I saw `other_thing` in the log. Why does `third_thing` fail?",
        );
        assert_eq!(
            open(&untraced),
            ["Add `retry_count` to src/client.rs", "Rename `old_name` to `newName`."]
        );
        untraced.trace("cat CLIENT.rs");
        assert_eq!(open(&untraced), ["Rename `old_name` to `newName`."]);
        untraced.trace("let new_name = 1; let newname = 2;");
        assert_eq!(open(&untraced), [""; 0]);
    }

    #[test]
    fn requests_without_a_name_and_quotes_are_ignored() {
        let mut untraced = Untraced::default();
        untraced.asked(Place(1), 0, "Use ImageMagick or OpenAI for the icons of it.\ncreate mode 100644 docs/a_b.md\n\
            159 + document.addEventListener('a_b', e => {\nFix the tests.\n> Add `retry_count`.\n```\nUse `code_block`\n```");
        assert_eq!(open(&untraced), [""; 0]);
    }

    #[test]
    fn explicit_deferral_is_recognised() {
        let defers = |text| ReadSentence::new(text).is_put_off();
        assert!(defers("The retry logic of the importer is out of scope for this change."));
        assert!(!defers("Is the retry logic of the importer out of scope for this change?"));
        assert!(!defers("I'll do that later."));
        assert!(!defers("I am adding notes to the tracker so that future workers know the boundary."));
    }
}
