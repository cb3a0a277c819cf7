//! The agent's decisions, and the attempts it abandoned.
//!
//! A decision is a sentence in which the agent itself chooses ("I chose HS256 over RS256"); narration ("let me check")
//! is not. Weaker phrases that only compare two options also need a reason. Abandoned attempts are kept so that nobody
//! repeats them.

use super::{AgentText, Session};
use crate::model::entry::Place;
use crate::text::sentences::sentences;
use crate::text::stems::{share, stem_set};

/// Maximum number of decisions, latest first.
const MAX_DECISIONS: usize = 15;
/// The same for decisions with a reason, which a summary should contain.
const MAX_REASONED: usize = 4;
/// The same for abandoned attempts.
const MAX_ABANDONED: usize = 4;
/// Characters of a sentence: longer ones are explanations, shorter ones remarks.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=320;
/// A later decision that shares this much of the words replaces an earlier one.
const REPLACES: f32 = 0.5;

/// Phrases that choose, at the start of a clause or after a speaker.
const CHOICES: [&str; 14] = [
    "decided to",
    "decided on",
    "decided against",
    "decided not to",
    "chose",
    "have chosen",
    "opted for",
    "opted to",
    "settled on",
    "went with",
    "going with",
    "go with",
    "picked",
    "decision:",
];
/// Words of choosing, which say nothing about what is chosen: "chose A over B" does not replace "chose C over D".
const CHOOSING: &str =
    "decided decision chose chosen opted settled went going go picked use over instead rather";
/// Subjects that mean the agent.
const SPEAKERS: [&str; 12] =
    ["i", "we", "i've", "we've", "i'll", "we'll", "i'm", "we're", "i have", "we have", "so i", "so we"];
/// Phrases that compare two options. They count as a choice only if the agent speaks about itself and gives a reason.
const COMPARISONS: [&str; 5] =
    ["instead of", "rather than", "better to", "the right approach", "the right fix"];
const ABOUT_ITSELF: [&str; 6] = ["i'll ", "i will ", "i kept ", "i left ", "i use", "i'm going "];
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

/// The agent's latest decisions that give a reason: a summary should contain these.
pub fn decided(session: &Session) -> Vec<(Place, &str)> {
    let latest = latest_decisions(session, |_, sentence| {
        let lower = sentence.to_lowercase();
        REASONS.iter().any(|reason| lower.contains(reason))
    });
    let from = latest.len().saturating_sub(MAX_REASONED);
    latest[from..].iter().map(|(said, sentence)| (said.place, *sentence)).collect()
}

/// The latest decisions that are `wanted`, oldest first, without those that a later decision replaces or abandons.
pub fn latest_decisions(
    session: &Session,
    wanted: impl Fn(&AgentText, &str) -> bool,
) -> Vec<(&AgentText, &str)> {
    let choosing = stem_set(CHOOSING);
    let mut later: Vec<std::collections::HashSet<_>> = Vec::new();
    let mut found = Vec::new();
    for (said, sentence) in spoken(session) {
        let is_choice = fits(sentence, is_decision);
        if !is_choice && !fits(sentence, is_abandoned) {
            continue;
        }
        let words = &stem_set(sentence) - &choosing;
        let is_replaced = later.iter().any(|later| share(&words, later) >= REPLACES);
        if is_choice && !is_replaced && found.len() < MAX_DECISIONS && wanted(said, sentence) {
            found.push((said, sentence));
        }
        later.push(words);
    }
    found.reverse();
    found
}

/// The latest abandoned attempts that are `wanted`, oldest first.
pub fn latest_abandoned(
    session: &Session,
    wanted: impl Fn(&AgentText, &str) -> bool,
) -> Vec<(&AgentText, &str)> {
    let all = spoken(session).filter(|(said, s)| fits(s, is_abandoned) && wanted(said, s));
    let mut found: Vec<_> = all.take(MAX_ABANDONED).collect();
    found.reverse();
    found
}

/// The decisions in one message of the agent.
pub fn decided_in(text: &str) -> Vec<&str> {
    sentences(text).into_iter().filter(|s| fits(s, is_decision)).collect()
}

/// The sentences of a text that decide or abandon something.
pub fn in_text(text: &str) -> Vec<&str> {
    sentences(text).into_iter().filter(|s| fits(s, is_decision) || fits(s, is_abandoned)).collect()
}

/// Every sentence of the agent, latest first.
fn spoken(session: &Session) -> impl Iterator<Item = (&AgentText, &str)> {
    let said = session.said.iter().rev();
    said.flat_map(|said| sentences(&said.text).into_iter().rev().map(move |s| (said, s)))
}

/// Whether a sentence has a plausible length and its normalised lower-case form passes `is`.
fn fits(sentence: &str, is: fn(&str) -> bool) -> bool {
    LENGTHS.contains(&sentence.chars().count())
        && is(&sentence.replace("**", "").replace('’', "'").to_lowercase())
}

fn is_decision(sentence: &str) -> bool {
    let has = |cues: &[&str]| cues.iter().any(|cue| sentence.contains(cue));
    let compares = has(&COMPARISONS) && has(&ABOUT_ITSELF) && has(&REASONS);
    !is_doubtful(sentence) && (compares || CHOICES.iter().any(|choice| chooses(sentence, choice)))
}

/// "If we decided to …", "shall we go with …": nothing is decided yet.
fn is_doubtful(sentence: &str) -> bool {
    const DOUBTS: [&str; 9] =
        ["if ", "should we", "could ", "would ", "might ", "whether ", "unless ", "let me know", "you "];
    sentence.trim_end_matches(['*', '_', '"', ')']).ends_with(['?', ':'])
        || DOUBTS.iter().any(|d| sentence.contains(d))
}

/// Whether the agent itself makes this choice: the phrase opens the clause, or the agent is its subject. What a
/// library, an author or the user chose is only a report.
fn chooses(sentence: &str, choice: &str) -> bool {
    let is_word = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    sentence.match_indices(choice).any(|(at, _)| {
        let (before, behind) = (sentence[..at].trim_end(), &sentence[at + choice.len()..]);
        let opens = before.is_empty() || before.ends_with([':', '—', '–', ';']);
        let is_own = SPEAKERS.iter().any(|speaker| {
            before
                .strip_suffix(speaker)
                .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '\''))
        });
        // Without a subject these are an order or a report.
        let is_unambiguous = !matches!(choice, "go with" | "picked" | "went with") || is_own;
        is_word(behind) && is_unambiguous && (opens || is_own) && behind.split_whitespace().nth(1).is_some()
    })
}

/// "Doesn't work" abandons something only if the sentence is about an approach; it may also describe a bug.
fn is_abandoned(sentence: &str) -> bool {
    const WAYS: [&str; 8] =
        ["approach", "attempt", "instead", "workaround", "this way", "that way", "tried", "idea"];
    let has = |cues: &[&str]| cues.iter().any(|cue| sentence.contains(cue));
    let is_searching =
        ["let me", "check", "if ", "why ", "when "].iter().any(|cue| sentence.starts_with(cue));
    sentence.chars().count() >= 30
        && !sentence.ends_with('?')
        && !is_searching
        && (has(&ABANDONED) || (has(&DOES_NOT_WORK) && has(&WAYS)))
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;

    #[test]
    fn only_the_agents_own_choice_is_a_decision() {
        for text in [
            "i'll go with a mutex instead of a channel because the queue is short.",
            "i decided to use pkce flow for public clients.",
            "decided to use pkce flow for public clients",
            "auth: chose hs256 over rs256",
            "we settled on one table per tenant.",
            "i left the old reader in place rather than rewrite it because two tools use it.",
        ] {
            assert!(is_decision(text), "{text}");
        }
        for text in [
            "let me check the tests because they fail.",
            "should we use x rather than y because of z?",
            "the authors decided to drop the old format.",
            "you chose the second option above.",
            "if we decided to use pkce, the clients would change.",
            "the reader picked the wrong branch twice.",
            "nothing is decided on that yet.",
        ] {
            assert!(!is_decision(text), "{text}");
        }
    }

    #[test]
    fn later_decision_replaces_the_earlier_one() {
        let session = fold(
            &Transcript::new()
                .prompt("Add tokens.")
                .says("I decided to use PKCE flow for public clients.")
                .says("I chose HS256 over RS256 for the token signature.")
                .says("I decided to use RS256 for the token signature instead."),
        );
        let kept: Vec<&str> =
            latest_decisions(&session, |_, _| true).into_iter().map(|(_, sentence)| sentence).collect();
        assert_eq!(kept.len(), 2, "{kept:?}");
        assert!(kept[0].contains("PKCE") && kept[1].contains("instead"), "{kept:?}");
    }

    #[test]
    fn the_latest_fifteen_decisions_are_kept() {
        let decided = [
            "I decided to use PKCE flow for public clients.",
            "I chose HS256 over RS256.",
            "I settled on one table per tenant.",
            "I went with a ring buffer.",
            "I opted for lazy loading.",
            "I picked the blue theme.",
            "I decided against nightly builds.",
            "I chose markdown over asciidoc.",
            "I settled on four worker threads.",
            "I went with numeric ids.",
            "I opted for soft deletion.",
            "I picked jemalloc for servers.",
            "I decided to vendor zlib.",
            "I chose sqlite over files.",
            "I settled on weekly snapshots.",
            "I went with signed cookies.",
            "I opted for plain sockets.",
        ];
        let session = fold(&decided.iter().fold(Transcript::new().prompt("Go."), |t, words| t.says(words)));
        let kept: Vec<&str> = latest_decisions(&session, |_, _| true).into_iter().map(|(_, s)| s).collect();
        assert_eq!(kept, decided[2..]);
    }

    #[test]
    fn failed_approach_is_abandoned_but_a_bug_is_not() {
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
