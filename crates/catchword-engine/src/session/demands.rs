//! Sentences of a prompt that lay down a way of working, or take one back.
//!
//! They are found when the prompt is taken in, and remembered with it: a session has thousands of sentences, hardly any
//! is a demand, and every hook of a compaction asks for all of them.

use serde::{Deserialize, Serialize};

use super::cues::{self, Manner, Withdrawal};
use super::reply::is_reply;
use super::sentences::own_sentences;

/// Longest sentence taken for an instruction, in characters; longer ones are descriptions.
pub const LONG: usize = 320;
/// A longer prompt, in bytes, is a document: a plan, a specification, a log.
const SPOKEN: usize = 1_500;
/// Bytes below which a sentence is too short to be an instruction.
const SHORT: usize = 10;

/// A sentence of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// The byte of the prompt with which it begins.
    from: u32,
    /// The byte behind it.
    to: u32,
    /// What it takes back, if anything.
    pub withdraws: Option<Withdrawal>,
    /// It asks for a way of working.
    pub is_rule: bool,
}

impl Demand {
    /// The sentence, in the prompt that it was found in.
    pub fn sentence<'a>(&self, prompt: &'a str) -> &'a str {
        prompt.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

/// The demands of a prompt, in their order. Words that only wave on hold none.
pub fn demands_in(prompt: &str) -> Vec<Demand> {
    if is_reply(prompt) {
        return Vec::new();
    }
    let manner = if prompt.len() > SPOKEN { Manner::Written } else { Manner::Spoken };
    let demand = |sentence: &str| {
        let may_rule = sentence.len() >= SHORT && !is_long(sentence);
        let (withdraws, is_rule) = cues::judged(sentence, manner, may_rule);
        let from = sentence.as_ptr() as usize - prompt.as_ptr() as usize;
        let to = from + sentence.len();
        let (from, to) = (u32::try_from(from).ok()?, u32::try_from(to).ok()?);
        (is_rule || withdraws.is_some()).then_some(Demand { from, to, withdraws, is_rule })
    };
    own_sentences(prompt).into_iter().filter_map(demand).collect()
}

/// A description rather than a demand.
pub fn is_long(sentence: &str) -> bool {
    sentence.len() > LONG && sentence.chars().count() > LONG
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demand_is_found_with_what_it_does_and_where_it_stands() {
        let said = "Fix the login.\nDon't push to main. You can edit the schema now!\nthanks";
        let found = demands_in(said);
        let sentences: Vec<_> = found.iter().map(|demand| demand.sentence(said)).collect();
        assert_eq!(sentences, ["Don't push to main.", "You can edit the schema now!"]);
        assert_eq!((found[0].withdraws, found[0].is_rule), (None, true));
        assert_eq!(found[1].withdraws, Some(Withdrawal::Prohibition));
        assert_eq!(demands_in("yes, go ahead"), []);
    }

    proptest::proptest! {
        #[test]
        fn a_sentence_that_is_left_out_neither_rules_nor_takes_back(
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
                let rule = cues::judged(sentence, Manner::Spoken, sentence.len() >= SHORT).1;
                if !reply && (cues::withdrawal(sentence).is_some() || rule) {
                    proptest::prop_assert_eq!(left.next(), Some(&sentence));
                }
            }
            proptest::prop_assert_eq!(left.next(), None);
        }
    }
}
