//! Sentences of a prompt that set a rule for the work, or withdraw one.
//!
//! Found once, when the prompt is folded, and stored with it: a session has thousands of sentences, hardly any is a
//! demand, and every hook of a compaction needs all of them.

use serde::{Deserialize, Serialize};

use super::cues::{self, RuleLifetime, Withdrawal};
use crate::text::passages::{self, PromptPassage, Voice, passages};
use crate::text::reply::is_reply;
use crate::text::sentences::own_sentences;

/// Longest instruction in characters; longer sentences are descriptions.
pub const LONG: usize = 320;
/// In a longer typed passage (bytes) only plain demands count; the rest is mostly description.
const SPOKEN: usize = 1_500;
/// Shortest instruction in bytes.
const MIN_RULE: usize = 10;

/// A sentence of a prompt that sets or withdraws a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// Byte range in the prompt.
    from: u32,
    to: u32,
    /// What it withdraws, if anything.
    pub withdraws: Option<Withdrawal>,
    /// How long its rule applies, if it sets one.
    pub rule: Option<RuleLifetime>,
    /// The person typed it; otherwise it is from a document they pasted.
    pub typed: bool,
}

impl Demand {
    /// The sentence; `prompt` must be the text it was found in.
    pub fn sentence<'a>(&self, prompt: &'a str) -> &'a str {
        prompt.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

/// The demands of a prompt, in order. Replies have none, and from pasted text only the rules of a document count.
pub fn demands_in(prompt: &str) -> Vec<Demand> {
    if is_reply(prompt) {
        return Vec::new();
    }
    let demand = |(sentence, withdraws, rule, typed): Judged| {
        let from = sentence.as_ptr() as usize - prompt.as_ptr() as usize;
        let (from, to) = (u32::try_from(from).ok()?, u32::try_from(from + sentence.len()).ok()?);
        (rule.is_some() || withdraws.is_some()).then_some(Demand { from, to, withdraws, rule, typed })
    };
    let found = passages(prompt).into_iter().flat_map(|passage| match passage.voice {
        Voice::Typed => own_sentences(passage.text)
            .into_iter()
            .map(|sentence| (sentence, cues::withdrawal(sentence), typed_rule(sentence, passage.text), true))
            .collect(),
        Voice::Document => written_rules(&passage),
        Voice::Quoted | Voice::Output => Vec::new(),
    });
    found.filter_map(demand).collect()
}

fn typed_rule(sentence: &str, typed: &str) -> Option<RuleLifetime> {
    let is_spoken = typed.len() <= SPOKEN;
    cues::rule(sentence)
        .filter(|_| has_rule_length(sentence) && (is_spoken || cues::is_plain_demand(sentence)))
}

fn has_rule_length(sentence: &str) -> bool {
    sentence.len() >= MIN_RULE && !is_long(sentence)
}

/// A sentence, what it withdraws, how long it applies, and whether it was typed.
type Judged<'a> = (&'a str, Option<Withdrawal>, Option<RuleLifetime>, bool);

/// The rules of a document: items under a heading for rules or, if it has no headings, lines that open with a word such
/// as "never".
fn written_rules<'a>(document: &PromptPassage<'a>) -> Vec<Judged<'a>> {
    let has_headings = !passages::headings_in(document.text).is_empty();
    let (mut under_rules, mut fenced) = (false, false);
    let mut rules = Vec::new();
    for line in document.text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        if let Some(label) = label(line) {
            under_rules = is_for_rules(label);
            continue;
        }
        let is_rule = |sentence: &str| {
            if under_rules {
                cues::rule(sentence).is_some()
            } else {
                !has_headings && cues::is_written_rule(sentence)
            }
        };
        let found =
            own_sentences(line).into_iter().filter(|sentence| has_rule_length(sentence) && is_rule(sentence));
        rules.extend(found.map(|sentence| (sentence, None, Some(RuleLifetime::Lasting), false)));
    }
    rules
}

/// A heading, or a short line that introduces a list.
fn label(line: &str) -> Option<&str> {
    let bare = line.trim().trim_matches('*');
    let introduces = bare.ends_with(':') && bare.chars().count() <= 40 && passages::item(line).is_none();
    passages::heading(line).or_else(|| introduces.then_some(bare))
}

fn is_for_rules(label: &str) -> bool {
    const WORDS: [&str; 16] = [
        "rule",
        "rules",
        "constraint",
        "constraints",
        "convention",
        "conventions",
        "guideline",
        "guidelines",
        "important",
        "gotchas",
        "don'ts",
        "must",
        "never",
        "always",
        "preferences",
        "key",
    ];
    label.to_lowercase().split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| WORDS.contains(&word))
}

/// A description rather than a demand.
pub fn is_long(sentence: &str) -> bool {
    sentence.chars().count() > LONG
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_found_with_their_text_and_effect() {
        let said = "Fix the login.\nDon't push to main. You can edit the schema now!\nthanks";
        let found = demands_in(said);
        let sentences: Vec<_> = found.iter().map(|demand| demand.sentence(said)).collect();
        assert_eq!(sentences, ["Don't push to main.", "You can edit the schema now!"]);
        assert_eq!((found[0].withdraws, found[0].rule), (None, Some(RuleLifetime::Lasting)));
        assert_eq!(found[1].withdraws, Some(Withdrawal::Prohibition));
        assert_eq!(demands_in("yes, go ahead"), []);
    }

    proptest::proptest! {
        #[test]
        fn every_rule_and_withdrawal_is_found_and_nothing_else(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "never", "don't", "push", "you", "can", "the", "schema.", "forget", "plan", "no", "longer", "use",
                    "tabs,", "not", "spaces;", "go", "ahead", "and", "please", "when", "every", "\n", "must", "be", "ok",
                    "Ähm", "’s", "branch", "runs", "on", "main-2", "only", "keep", "> ", "```\n",
                ]),
                0..40,
            ),
        ) {
            let said = words.join(" ");
            let found = demands_in(&said);
            let kept: Vec<&str> = found.iter().map(|demand| demand.sentence(&said)).collect();
            let (mut left, reply) = (kept.iter(), is_reply(&said));
            for sentence in own_sentences(&said) {
                let rule = sentence.len() >= MIN_RULE && cues::rule(sentence).is_some();
                if !reply && (cues::withdrawal(sentence).is_some() || rule) {
                    proptest::prop_assert_eq!(left.next(), Some(&sentence));
                }
            }
            proptest::prop_assert_eq!(left.next(), None);
        }
    }
}
