//! Standing instructions and corrections from the whole session, verbatim, without the withdrawn ones.
//!
//! Conventions and prohibitions are what a summary drops first and what hurts most when it does. They are
//! found sentence by sentence in the person's own words and nowhere else: no tool output, file or other
//! agent can plant one.

use std::collections::HashSet;

use super::requests::is_reply;
use super::text::{quote, sentences};
use super::{Fact, Known, Section};
use crate::agent::entry::Place;
use crate::session::{Prompt, Session};

/// Most instructions shown; past that the oldest ordinary ones go first.
const MOST: usize = 16;
/// Longest sentence taken for an instruction; longer ones are descriptions.
const LONG: usize = 320;

/// The instructions that still hold.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let standing = holding(&session.prompts);
    let from = standing.len().saturating_sub(MOST);
    standing[from..]
        .iter()
        .filter(|rule| !known.quotes(&rule.text))
        .map(|rule| {
            Fact::new(Section::Standing, &rule.text, quote(&rule.text, LONG))
                .at(rule.place)
                .or(quote(&rule.text, 120))
                .worth(3.0, "said as a rule, not withdrawn")
                .must()
        })
        .collect()
}

/// An instruction and where it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where.
    pub place: Place,
    /// Verbatim.
    pub text: String,
}

/// An instruction that was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// The instruction.
    pub rule: Rule,
    /// What took it back.
    pub by: Rule,
}

/// All instructions that were given and neither repeated later nor withdrawn, oldest first.
pub fn holding(prompts: &[Prompt]) -> Vec<Rule> {
    followed(prompts).0
}

/// The instructions that were taken back and not given again.
pub fn withdrawn(prompts: &[Prompt]) -> Vec<Withdrawn> {
    followed(prompts).1
}

fn followed(prompts: &[Prompt]) -> (Vec<Rule>, Vec<Withdrawn>) {
    let (mut rules, mut gone): (Vec<Rule>, Vec<Withdrawn>) = (Vec::new(), Vec::new());
    for prompt in prompts.iter().filter(|p| !is_reply(&p.text)) {
        for sentence in sentences(&prompt.text) {
            if withdraws(sentence) {
                let by = Rule { place: prompt.place, text: sentence.to_owned() };
                let taken = rules.extract_if(.., |rule| same_matter(&rule.text, sentence));
                gone.extend(taken.map(|rule| Withdrawn { rule, by: by.clone() }));
            } else if is_rule(sentence) {
                // Said again or changed: the later wording counts.
                rules.retain(|rule| !overrides(sentence, &rule.text));
                gone.retain(|withdrawn| !overrides(sentence, &withdrawn.rule.text));
                rules.push(Rule { place: prompt.place, text: sentence.to_owned() });
            }
        }
    }
    (rules, gone)
}

/// An instruction that says by itself that it holds on, not only for the request it stands in.
pub fn is_lasting(sentence: &str) -> bool {
    const FIRST: [&str; 7] = ["never", "always", "don't", "dont", "do not", "from now on", "avoid"];
    const ANYWHERE: [&str; 9] = [
        "from now on",
        "going forward",
        "in the future",
        "at all times",
        "under no circumstances",
        "should never",
        "should always",
        "must never",
        "must not",
    ];
    let mut s = plain(sentence);
    for polite in ["oh, ", "and ", "but ", "also ", "also, ", "so ", "ok ", "please "] {
        s = s.strip_prefix(polite).map(str::to_owned).unwrap_or(s);
    }
    FIRST.iter().any(|cue| s.starts_with(&format!("{cue} ")))
        || ANYWHERE.iter().any(|cue| format!(" {s}").contains(&format!(" {cue} ")))
}

/// A sentence that asks for a way of working, not for a piece of work.
fn is_rule(sentence: &str) -> bool {
    if sentence.ends_with('?') || sentence.chars().count() > LONG || sentence.len() < 10 {
        return false;
    }
    let s = plain(sentence);
    let starts = |cues: &[&str]| cues.iter().any(|cue| s.starts_with(&format!("{cue} ")));
    let holds = |cues: &[&str]| cues.iter().any(|cue| s.contains(&format!(" {cue} ")));
    let statement = [
        "i don't",
        "i do not",
        "we don't have",
        "it doesn't",
        "i never",
        "they don't",
        "it does not",
        "i can't",
    ];
    if starts(&statement)
        || holds(&["don't know", "don't think", "don't see", "don't understand", "don't have"])
    {
        return false;
    }
    starts(&[
        "don't",
        "do not",
        "dont",
        "never",
        "always",
        "avoid",
        "only",
        "from now on",
        "make sure",
        "ensure",
        "remember",
        "prefer",
        "stop",
        "must",
        "please don't",
        "please do not",
        "please never",
        "please always",
        "please make sure",
        "please avoid",
        "please only",
        "please use",
        "no need to",
        "and don't",
        "but don't",
        "also don't",
        "be careful",
        "no,",
        "use only",
    ]) || holds(&[
        "never",
        "always",
        "from now on",
        "going forward",
        "in the future",
        "must not",
        "must be",
        "must never",
        "should never",
        "should always",
        "should not",
        "shouldn't",
        "do not",
        "don't",
        "make sure",
        "not allowed",
        "under no circumstances",
        "without asking",
        "unless i",
        "at all times",
        "is off limits",
        "hands off",
    ]) || (starts(&["use", "keep", "leave", "no"])
        && holds(&["not", "instead", "only", "alone", "for all", "everywhere"]))
}

/// A sentence that takes something back.
pub fn withdraws(sentence: &str) -> bool {
    let s = format!(" {} ", plain(sentence));
    [
        " you can now ",
        " you may now ",
        " you can ",
        " you may ",
        " it's ok to ",
        " it's okay to ",
        " it is ok to ",
        " it's fine to ",
        " forget ",
        " never mind ",
        " nevermind ",
        " scratch that ",
        " ignore what i said ",
        " ignore the ",
        " no longer ",
        " doesn't matter anymore ",
        " drop the ",
        " feel free to ",
        " i changed my mind ",
        " disregard ",
        " is fine now ",
        " not needed anymore ",
        " go ahead and ",
    ]
    .iter()
    .any(|cue| s.contains(cue))
}

/// The words of a sentence, lower case, without punctuation but with its apostrophes.
fn plain(sentence: &str) -> String {
    let mapped: String = sentence
        .to_lowercase()
        .replace('’', "'")
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '\'' | '_' | '/' | '.' | '-' | ',') { c } else { ' ' })
        .collect();
    let mut out = mapped.split_whitespace().collect::<Vec<_>>().join(" ");
    out.push(' ');
    out
}

/// The words that carry a sentence's matter, cut to their stem's length.
fn matter(sentence: &str) -> HashSet<String> {
    const EMPTY: &[&str] = &[
        "don't",
        "dont",
        "not",
        "never",
        "always",
        "please",
        "make",
        "sure",
        "you",
        "can",
        "now",
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "any",
        "all",
        "from",
        "use",
        "should",
        "must",
        "may",
        "will",
        "when",
        "what",
        "about",
        "said",
        "into",
        "it's",
        "okay",
        "fine",
        "forget",
        "ignore",
        "mind",
        "only",
        "also",
        "but",
        "just",
        "anymore",
        "longer",
        "feel",
        "free",
        "ahead",
        "then",
        "are",
        "was",
        "were",
        "your",
        "our",
        "its",
        "have",
        "has",
        "had",
        "them",
        "they",
        "there",
        "rule",
        "instead",
        "without",
        "before",
        "after",
        "unless",
        "ever",
        "again",
        "drop",
        "instruction",
        "earlier",
        "going",
        "forward",
    ];
    plain(sentence)
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|w| w.len() > 2 && !EMPTY.contains(w))
        .map(|w| w.chars().take(6).collect())
        .collect()
}

/// A withdrawal speaks of this rule: half of what it speaks of is in the rule.
fn same_matter(rule: &str, withdrawal: &str) -> bool {
    let (rule, withdrawal) = (matter(rule), matter(withdrawal));
    let shared = rule.intersection(&withdrawal).count();
    shared > 0 && shared * 2 >= withdrawal.len().min(rule.len())
}

/// A later rule says the same or the opposite about nearly the same matter, or about all of it and more.
fn overrides(later: &str, earlier: &str) -> bool {
    let (a, b) = (matter(later), matter(earlier));
    let shared = a.intersection(&b).count();
    let covers = shared == b.len() && shared >= 2;
    covers || (shared > 0 && shared * 4 >= a.len().max(b.len()) * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding_after(prompts: &[&str]) -> Vec<String> {
        let prompts: Vec<Prompt> = prompts
            .iter()
            .enumerate()
            .map(|(n, text)| Prompt {
                place: Place(n as u32 + 1),
                text: (*text).to_owned(),
                clock: 0,
                answers: None,
            })
            .collect();
        holding(&prompts).into_iter().map(|r| r.text).collect()
    }

    #[test]
    fn prohibitions_and_preferences_are_kept_verbatim() {
        for rule in [
            "Don't push to main.",
            "Never run the migrations against production!",
            "Always use pnpm instead of npm.",
            "From now on write commit messages in English.",
            "Please make sure the tests pass before each commit.",
            "No, use postgres instead of sqlite.",
            "You should never touch the generated files.",
        ] {
            assert_eq!(holding_after(&[rule]), [rule], "{rule}");
        }
    }

    #[test]
    fn statements_and_questions_are_no_rules() {
        for text in [
            "I don't know why it fails.",
            "Why don't we use tabs?",
            "The test does pass now.",
            "I don't think that is it.",
            "Fix the login bug.",
            "we don't have time",
        ] {
            assert_eq!(holding_after(&[text]), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_withdrawn_rule_is_dropped_and_others_stay() {
        let rules = ["Don't push to the remote.", "Never edit the schema."];
        assert_eq!(holding_after(&[rules[0], rules[1], "You can push to the remote now."]), [rules[1]]);
        assert_eq!(holding_after(&[rules[0], rules[1], "forget the schema rule"]), [rules[0]]);
    }

    #[test]
    fn a_rule_said_again_counts_once_in_its_later_wording() {
        let said = holding_after(&[
            "Always use tabs for indentation.",
            "ok",
            "always use tabs for the indentation!",
        ]);
        assert_eq!(said, ["always use tabs for the indentation!"]);
    }
}
