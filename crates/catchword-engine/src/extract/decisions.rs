//! The agent's decisions with their reasons, and what it tried and gave up.
//!
//! Summaries keep what was done and lose why. A decision is a sentence of the agent's own that both chooses and
//! gives a reason; ordinary narration ("let me check") is neither. What was abandoned is said where it failed,
//! so that nobody walks into it again.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::text::{quote_foreign, sentences};
use super::{Fact, Known, Section};
use crate::agent::entry::Place;
use crate::session::{Said, Session};

/// Latest ones of each kind shown.
const MOST: usize = 4;
/// A sentence longer than this is an explanation, shorter than that a remark.
const LENGTHS: std::ops::RangeInclusive<usize> = 30..=320;

const CHOICES: [&str; 14] = [
    "decided to",
    "decided on",
    "decision:",
    "i'll go with",
    "going with",
    "i chose",
    "we chose",
    "chose to",
    "opted",
    "instead of",
    "rather than",
    "better to",
    "the right approach",
    "the right fix",
];
const REASONS: [&str; 9] =
    ["because", "since", "so that", "otherwise", "to avoid", "reason", "which would", "as it", "due to"];
const ABANDONED: [&str; 5] =
    ["different approach", "i'm reverting", "i am reverting", "i'm abandoning", "dead end"];
const DOES_NOT_WORK: [&str; 8] = [
    "didn't work",
    "did not work",
    "doesn't work",
    "won't work",
    "does not work",
    "reverted",
    "reverting",
    "abandon",
];

/// One of these is in every one of [`CHOICES`].
const CHOOSING: [&str; 9] = [
    "deci",
    "chose",
    "instead of",
    "rather than",
    "go with",
    "going with",
    "opted",
    "better to",
    "the right ",
];

/// Decisions and abandoned attempts that the summary does not mention.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let decided = latest(session, known, may_decide, is_decision).into_iter().map(|(said, sentence)| {
        let fact = Fact::new(Section::Decisions, sentence, quote_foreign(sentence, 320));
        fact.at(said.place).worth(0.06, "the agent chose and gave a reason")
    });
    let abandoned = latest(session, known, may_abandon, is_abandoned).into_iter().map(|(said, sentence)| {
        let fact =
            Fact::new(Section::Decisions, sentence, format!("given up: {}", quote_foreign(sentence, 240)));
        fact.at(said.place).worth(0.05, "the agent gave it up")
    });
    decided.chain(abandoned).collect()
}

/// The agent's latest decisions, whatever the summary says.
pub fn decided(session: &Session) -> Vec<(Place, &str)> {
    let latest = latest(session, &Known::default(), may_decide, is_decision);
    latest.into_iter().map(|(said, sentence)| (said.place, sentence)).collect()
}

/// The decisions in one text of the agent's.
pub fn decided_in(text: &str) -> Vec<&str> {
    if !may_decide(text) {
        return Vec::new();
    }
    let fits = |s: &&str| LENGTHS.contains(&s.chars().count()) && is_decision(&s.to_lowercase());
    sentences(text).into_iter().filter(fits).collect()
}

/// The sentences of a text that decide something or give something up.
pub fn in_text(text: &str) -> Vec<&str> {
    let all = sentences(text).into_iter().filter(|s| LENGTHS.contains(&s.chars().count()));
    all.filter(|s| is_decision(&s.to_lowercase()) || is_abandoned(&s.to_lowercase())).collect()
}

/// `may_be` looks at a whole text, `is` at a sentence in lower case.
fn latest<'a>(
    session: &'a Session,
    known: &Known,
    may_be: fn(&str) -> bool,
    is: fn(&str) -> bool,
) -> Vec<(&'a Said, &'a str)> {
    let said = session.said.iter().rev().filter(|said| may_be(&said.text));
    let lost = said.filter(|said| !known.keeps(said.place));
    let all = lost.flat_map(|said| sentences(&said.text).into_iter().map(move |s| (said, s)));
    let mut found: Vec<_> = all
        .filter(|(_, s)| LENGTHS.contains(&s.chars().count()) && is(&s.to_lowercase()) && !known.mentions(s))
        .take(MOST)
        .collect();
    found.reverse();
    found
}

/// Whether a text has any of these cues, in whatever case. Few have, and none of the others need be taken apart.
fn has_any(text: &[u8], cues: &[Finder]) -> bool {
    cues.iter().any(|cue| cue.find(text).is_some())
}

fn finders(cues: &[&str]) -> Vec<Finder<'static>> {
    cues.iter().map(|cue| Finder::new(cue).into_owned()).collect()
}

fn may_decide(text: &str) -> bool {
    static FINDERS: LazyLock<[Vec<Finder<'static>>; 2]> =
        LazyLock::new(|| [finders(&CHOOSING), finders(&REASONS)]);
    let lower = text.to_ascii_lowercase();
    FINDERS.iter().all(|cues| has_any(lower.as_bytes(), cues))
}

fn may_abandon(text: &str) -> bool {
    static FINDERS: LazyLock<[Vec<Finder<'static>>; 2]> =
        LazyLock::new(|| [finders(&ABANDONED), finders(&DOES_NOT_WORK)]);
    let lower = text.to_ascii_lowercase();
    FINDERS.iter().any(|cues| has_any(lower.as_bytes(), cues))
}

fn is_decision(sentence: &str) -> bool {
    let has = |cues: &[&str]| cues.iter().any(|cue| sentence.contains(cue));
    has(&CHOICES) && has(&REASONS) && !sentence.ends_with('?')
}

/// What is said not to work is given up only where the words speak of a way of doing it: a bug does not work
/// either.
fn is_abandoned(sentence: &str) -> bool {
    const WAYS: [&str; 8] =
        ["approach", "attempt", "instead", "workaround", "this way", "that way", "tried", "idea"];
    let has = |cues: &[&str]| cues.iter().any(|cue| sentence.contains(cue));
    let looks_for = ["let me", "check", "if ", "why ", "when "].iter().any(|cue| sentence.starts_with(cue));
    !sentence.ends_with('?') && !looks_for && (has(&ABANDONED) || (has(&DOES_NOT_WORK) && has(&WAYS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_chooses_and_gives_a_reason() {
        assert!(is_decision("i'll go with a mutex instead of a channel because the queue is short."));
        for text in [
            "let me check the tests because they fail.",
            "i chose red.",
            "should we use x rather than y because of z?",
        ] {
            assert!(!is_decision(text), "{text}");
        }
    }

    #[test]
    fn what_may_decide_is_told_by_fewer_cues() {
        for choice in CHOICES {
            assert!(CHOOSING.iter().any(|cue| choice.contains(cue)), "{choice}");
            assert!(may_decide(&format!("{} BECAUSE of it", choice.to_uppercase())));
        }
        assert!(!may_decide("because of it") && !may_decide("it was chosen instead of that"));
        assert!(may_abandon("That didn't work") && !may_abandon("That works"));
    }

    #[test]
    fn what_failed_is_known_as_abandoned() {
        assert!(is_abandoned("the regex approach didn't work for nested quotes."));
        for text in [
            "this works.",
            "the login button doesn't work on mobile.",
            "something in your environment is auto-reverting.",
            "no cost is wasted on abandoned checkpoints.",
            "let me check why it didn't work that way.",
        ] {
            assert!(!is_abandoned(text), "{text}");
        }
    }
}
