//! The agent's decisions, and the attempts it abandoned.
//!
//! A decision is a sentence in which the agent itself chooses ("I chose HS256 over RS256"); narration ("let me check")
//! is not. Weaker phrases that only compare two options also need a reason. Abandoned attempts are kept so that nobody
//! repeats them.

use super::Session;
use crate::model::entry::Place;
use crate::reading::statements::Tells;
use crate::record::Message;
use crate::text::stems::{COMMON, share, stem_set};

/// Maximum number of decisions, latest first.
const MAX_DECISIONS: usize = 15;
/// The same for decisions with a reason, which a summary should contain.
const MAX_REASONED: usize = 4;
/// The same for abandoned attempts.
const MAX_ABANDONED: usize = 4;
/// A later decision that shares this much of the words replaces an earlier one.
const REPLACES: f32 = 0.5;

/// The agent's latest decisions that give a reason: a summary should contain these.
pub fn decided(session: &Session) -> Vec<(Place, &str)> {
    let gives_reason =
        |said: Message, sentence: &str| said.sentences_that(Tells::Reason).any(|reason| reason == sentence);
    let latest = latest_decisions(session, gives_reason);
    let from = latest.len().saturating_sub(MAX_REASONED);
    latest[from..].iter().map(|(said, sentence)| (said.place, *sentence)).collect()
}

/// The latest decisions that are `wanted`, oldest first, without those that a later decision replaces or abandons.
pub fn latest_decisions(
    session: &Session,
    wanted: impl Fn(Message, &str) -> bool,
) -> Vec<(Message<'_>, &str)> {
    let mut later: Vec<std::collections::HashSet<_>> = Vec::new();
    let mut found = Vec::new();
    for (said, tells, sentence) in told(session) {
        // "Chose A over B" does not replace "chose C over D".
        let words = &stem_set(sentence) - &COMMON;
        let is_replaced = later.iter().any(|later| share(&words, later) >= REPLACES);
        let is_choice = *tells == Tells::Decision;
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
    wanted: impl Fn(Message, &str) -> bool,
) -> Vec<(Message<'_>, &str)> {
    let all = told(session).filter(|(_, tells, _)| **tells == Tells::GivenUp);
    let all = all.map(|(said, _, sentence)| (said, sentence)).filter(|(said, s)| wanted(*said, s));
    let mut found: Vec<_> = all.take(MAX_ABANDONED).collect();
    found.reverse();
    found
}

/// Every sentence in which the agent decides or gives up, latest first.
fn told(session: &Session) -> impl Iterator<Item = (Message<'_>, &Tells, &str)> {
    let all = session.record.spoken().rev().flat_map(|said| {
        let says =
            said.lines.iter().rev().flat_map(|line| line.says.iter().rev().map(move |one| (line, one)));
        says.map(move |(line, one)| (said, &one.tells, one.sentence(&line.words)))
    });
    all.filter(|(_, tells, _)| matches!(tells, Tells::Decision | Tells::GivenUp))
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;
    use crate::text::phrases::ReadSentence;

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
            assert!(ReadSentence::new(text).is_decision(), "{text}");
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
            assert!(!ReadSentence::new(text).is_decision(), "{text}");
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
        let is_abandoned = |text| ReadSentence::new(text).is_abandoned();
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
