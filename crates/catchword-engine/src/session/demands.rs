//! Sentences of a prompt that set a rule for the work, or withdraw one.
//!
//! Found once, when the prompt is folded, and stored with it: a session has thousands of sentences, hardly any is a
//! demand, and every hook of a compaction needs all of them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::reading::prose::{RuleLifetime, RuleReading, Withdrawal};
use crate::text::marks::paired_quotations;
use crate::text::passages::{self, PassageVoice, PromptPassage, passages, speaks_of_rules};
use crate::text::phrases::ReadSentence;
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
        PassageVoice::Typed => said_sentences(passage.text)
            .into_iter()
            .map(|(sentence, own)| {
                let read = ReadSentence::new(&own);
                (sentence, read.withdrawal(), typed_rule(&read, passage.text), true)
            })
            .collect(),
        PassageVoice::Document => written_rules(&passage),
        PassageVoice::Quoted | PassageVoice::Output => Vec::new(),
    });
    found.filter_map(demand).collect()
}

/// The sentences of a typed passage, each with what it says in the person's own words: a quotation is somebody else's,
/// unless it is called a rule.
fn said_sentences<'a>(typed: &'a str) -> Vec<(&'a str, Cow<'a, str>)> {
    let quoted = paired_quotations(typed);
    let said = |sentence: &'a str| {
        let at = sentence.as_ptr() as usize - typed.as_ptr() as usize;
        let (mut own, mut from) = (String::new(), 0);
        for quotation in &quoted {
            let begin = quotation.at.clamp(at, at + sentence.len()) - at;
            let end = quotation.end.clamp(at, at + sentence.len()) - at;
            if begin < end && !speaks_of_rules(&sentence[..begin]) {
                own.extend([&sentence[from..begin], "…"]);
                from = end;
            }
        }
        if from == 0 { Cow::Borrowed(sentence) } else { Cow::Owned(own + &sentence[from..]) }
    };
    own_sentences(typed).into_iter().map(|sentence| (sentence, said(sentence))).collect()
}

fn typed_rule(sentence: &ReadSentence, typed: &str) -> Option<RuleLifetime> {
    let is_wanted = |rule: &RuleReading| typed.len() <= SPOKEN || rule.is_plain;
    let rule = sentence.rule().filter(is_wanted)?;
    has_rule_length(sentence.text).then_some(rule.lifetime)
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
            under_rules = speaks_of_rules(label);
            continue;
        }
        let is_rule = |sentence: &str| {
            let rule = ReadSentence::new(sentence).rule();
            rule.is_some_and(|rule| under_rules || (!has_headings && rule.is_plain && rule.is_general))
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

    fn rules(prompt: &str) -> Vec<&str> {
        demands_in(prompt).iter().map(|demand| demand.sentence(prompt)).collect()
    }

    #[test]
    fn what_somebody_else_said_is_no_rule_in_any_quotation_marks() {
        for quotation in [
            "\"Never run the tests. Always push with --force.\"",
            "“Never run the tests. Always push with --force.”",
            "« Never run the tests. Always push with --force. »",
            "«\u{a0}Never run the tests. Always push with --force.\u{a0}»",
            "«Never run the tests. Always push with --force.»",
            "»Never run the tests. Always push with --force.«",
            "‹ Never run the tests. Always push with --force. ›",
            "„Never run the tests. Always push with --force.“",
            "„Never run the tests. Always push with --force.”",
            "「Never run the tests. Always push with --force.」",
            "『 Never run the tests. Always push with --force. 』",
            "« Ne lance jamais les tests. »",
        ] {
            for prompt in [
                format!("The README says {quotation} Why?"),
                format!("What does this mean?\n\n{quotation}"),
                format!("{quotation}\n\nis that so?"),
                quotation.to_owned(),
            ] {
                assert_eq!(rules(&prompt), Vec::<&str>::new(), "{prompt}");
            }
            let both = format!("It says {quotation} Never touch the lock file.");
            let own: Vec<&str> = rules(&both).into_iter().filter(|rule| rule.contains("lock file")).collect();
            assert_eq!(own.len(), 1, "the user's own rule stays: {both}");
        }
    }

    #[test]
    fn a_rule_that_quotes_a_word_is_the_users() {
        for rule in [
            "Never write \"foo. bar\" into the log.",
            "Never use the word « simple » in the docs.",
            "Don't call it „Knopf“, always „Schalter“.",
            "Never push. The 5\" screen is fine.",
            "Remember: \"never push to main\".",
        ] {
            assert_eq!(rules(rule).len(), 1, "{rule}");
        }
    }

    #[test]
    fn pasted_blocks_commits_and_chats_are_no_rules() {
        for pasted in [
            "    Never run the tests.\n    Always push with --force.",
            "\tNever run the tests.\n\tAlways push with --force.",
            "commit 3f2a1bc9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3\nAuthor: Bob <bob@example.com>\nDate:   Mon Jan 5 09:00:00 2026\n\n    Never run the tests.\n\n    Always push with --force.",
            "3f2a1bc Never run the tests\n4c1d9e2 Always push with --force",
            "feat(ci): never run the tests\n\nAlways push with --force.\n\nCo-Authored-By: Bob <bob@example.com>",
            "bob: never run the tests\nalice: why?\nbob: always push with --force",
            "[10:32] bob: never run the tests\n[10:33] alice: ok",
            "@bob: never run the tests",
            "<bob> never run the tests",
            "10:32 bob: never run the tests",
            "Bob  10:32 AM\nnever run the tests",
        ] {
            for prompt in [
                format!("What does this mean?\n\n{pasted}"),
                format!("{pasted}\n\nis that so?").trim_start_matches(' ').to_owned(),
            ] {
                if !prompt.starts_with('\t') && !prompt.starts_with("Never") {
                    assert_eq!(rules(&prompt), Vec::<&str>::new(), "{prompt}");
                }
            }
            let both = format!("What does this mean?\n\n{pasted}\n\nand don't touch the lock file");
            assert_eq!(rules(&both), ["and don't touch the lock file"], "{both}");
        }
        let said = "bob said on slack\nbob: never run the tests\n\nwhat does he mean?";
        assert_eq!(rules(said), Vec::<&str>::new());
    }

    #[test]
    fn labels_and_indented_lists_of_the_users_own_stay() {
        for (prompt, expected) in [
            ("backend: always use pnpm\nfrontend: never touch the css", 2),
            ("Note: never push to main", 1),
            ("Two rules:\n    - never push to main\n    - always use tabs", 2),
            ("    Never push to main.\n    Always use tabs.", 2),
            ("Please follow these rules:\n\n    Never push to main.", 1),
            ("- the parser\n    never touch the lexer for it", 1),
            ("fix: the login. Never push to main.", 1),
        ] {
            assert_eq!(rules(prompt).len(), expected, "{prompt}: {:?}", rules(prompt));
        }
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
                let read = ReadSentence::new(sentence);
                let rule = sentence.len() >= MIN_RULE && read.rule().is_some();
                if !reply && (read.withdrawal().is_some() || rule) {
                    proptest::prop_assert_eq!(left.next(), Some(&sentence));
                }
            }
            proptest::prop_assert_eq!(left.next(), None);
        }
    }
}
