//! The agent's decisions with their reasons, and what it tried and gave up.
//!
//! A decision is a sentence of the agent's own that both chooses and gives a reason; ordinary narration ("let me
//! check") is neither. What was abandoned is said where it failed, so that nobody walks into it again.

use super::{AgentText, Session};
use crate::model::entry::Place;
use crate::text::sentences::sentences;

/// Latest ones of each kind that count.
const MAX_DECISIONS: usize = 4;
/// A sentence longer than this is an explanation, shorter than that a remark.
const LENGTHS: std::ops::RangeInclusive<usize> = 30..=320;

const CHOICES: [&str; 9] = [
    "decided to",
    "decided on",
    "decision:",
    "i'll go with",
    "going with",
    "i chose",
    "we chose",
    "chose to",
    "opted",
];
/// Words that weigh two ways; a choice only where the agent speaks of itself.
const WEIGHS: [&str; 5] = ["instead of", "rather than", "better to", "the right approach", "the right fix"];
const SPEAKER: [&str; 6] = ["i'll ", "i will ", "i kept ", "i left ", "i use", "i'm going "];
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

/// The agent's latest decisions, whatever the summary says.
pub fn decided(session: &Session) -> Vec<(Place, &str)> {
    let latest = latest_decisions(session, |_, _| true);
    latest.into_iter().map(|(said, sentence)| (said.place, sentence)).collect()
}

/// The latest decisions that are `wanted`, oldest first.
pub fn latest_decisions(
    session: &Session,
    wanted: impl Fn(&AgentText, &str) -> bool,
) -> Vec<(&AgentText, &str)> {
    latest(session, is_decision, wanted)
}

/// The latest attempts that were given up and are `wanted`, oldest first.
pub fn latest_abandoned(
    session: &Session,
    wanted: impl Fn(&AgentText, &str) -> bool,
) -> Vec<(&AgentText, &str)> {
    latest(session, is_abandoned, wanted)
}

/// The decisions in one text of the agent's.
pub fn decided_in(text: &str) -> Vec<&str> {
    sentences(text).into_iter().filter(|s| fits(s, is_decision)).collect()
}

/// The sentences of a text that decide something or give something up.
pub fn in_text(text: &str) -> Vec<&str> {
    sentences(text).into_iter().filter(|s| fits(s, is_decision) || fits(s, is_abandoned)).collect()
}

fn latest(
    session: &Session,
    is: fn(&str) -> bool,
    wanted: impl Fn(&AgentText, &str) -> bool,
) -> Vec<(&AgentText, &str)> {
    let all =
        session.said.iter().rev().flat_map(|said| sentences(&said.text).into_iter().map(move |s| (said, s)));
    let mut found: Vec<_> =
        all.filter(|(said, s)| fits(s, is) && wanted(said, s)).take(MAX_DECISIONS).collect();
    found.reverse();
    found
}

/// A sentence of a plausible length that is such in lower case.
fn fits(sentence: &str, is: fn(&str) -> bool) -> bool {
    LENGTHS.contains(&sentence.chars().count()) && is(&sentence.to_lowercase())
}

fn is_decision(sentence: &str) -> bool {
    let has = |cues: &[&str]| cues.iter().any(|cue| sentence.contains(cue));
    let chooses = has(&CHOICES) || (has(&WEIGHS) && has(&SPEAKER));
    chooses && has(&REASONS) && !sentence.ends_with('?')
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
