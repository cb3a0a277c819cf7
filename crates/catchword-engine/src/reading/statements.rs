//! What the sentences of a message say, read once, when the message is: a rule, a decision, something found, put off, not
//! done, a reason. A statement is kept with its line, so that no reader reads a sentence again.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::criteria::{heading_key, lists};
use super::prose::{RuleLifetime, RuleReading, Withdrawal};
use crate::lexicon::languages::Sense;
use crate::text::cut::squashed;
use crate::text::marks::paired_quotations;
use crate::text::passages::{self, PassageVoice, PromptPassage, between_pastes, passages, speaks_of_rules};
use crate::text::phrases::{ReadSentence, has_sense, is_stop_word};
use crate::text::reply::is_reply;
use crate::text::sentences::{TextLine, own_sentences, sentences, text_lines};
use crate::text::stems::Stem;
use crate::text::units::units;

/// Longest instruction in characters; longer sentences are descriptions.
pub const LONG_RULE: usize = 320;
/// In a longer typed passage (bytes) only plain demands count; the rest is mostly description.
const SPOKEN: usize = 1_500;
/// Shortest instruction in bytes.
const MIN_RULE: usize = 10;

/// A sentence of a line that says something a reader asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// Byte range in the line.
    from: u16,
    to: u16,
    pub tells: Tells,
}

impl Remark {
    /// `line` must be the line it was found in.
    pub fn sentence<'a>(&self, line: &'a str) -> &'a str {
        line.get(usize::from(self.from)..usize::from(self.to)).unwrap_or_default()
    }

    /// Of a sentence in this line, on one line as the line is.
    pub fn in_line(line: &str, sentence: &str, tells: Tells) -> Option<Remark> {
        let sentence = squashed(sentence);
        let from = line.find(&sentence)?;
        let (from, to) = (u16::try_from(from).ok()?, u16::try_from(from + sentence.len()).ok()?);
        Some(Remark { from, to, tells })
    }
}

/// What a sentence says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tells {
    /// Sets a rule for the work, or withdraws one.
    Demand(Box<Demand>),
    /// The speaker itself decides.
    Decision,
    /// Something is not done.
    NotDone,
    /// The label of a list of what is not done.
    OpenList,
    Reason,
    /// What the speaker does next, and the same if that is only a look.
    Announced,
    AnnouncedLook,
    /// Why something is so, or that it is not yet otherwise.
    Unsettled,
    /// What the result is measured by, or what a plan leaves out; `under` is the key of the line above it
    /// ([`super::criteria`]).
    Criterion {
        under: Option<u64>,
    },
    /// The line above such a list.
    Heads,
    /// A box of a checklist; the sentence is what stands behind it.
    Box {
        ticked: bool,
    },
}

impl Tells {
    /// What the speaker does next.
    pub fn announces(&self) -> bool {
        matches!(self, Tells::Announced | Tells::AnnouncedLook)
    }
}

/// A rule for the work, or what withdraws one, with all that decides whether a later one takes its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub struct Demand {
    /// What it withdraws, if anything.
    pub withdraws: Option<Withdrawal>,
    /// How long its rule applies, if it sets one.
    pub rule: Option<RuleLifetime>,
    /// It says itself that it applies beyond the request.
    pub is_lasting: bool,
    /// The person typed it; otherwise it is from a document they pasted.
    pub typed: bool,
    /// What it is about: stems of its content words, without those that state or withdraw the demand.
    pub subject: Vec<Stem>,
    /// What it replaces: the "npm" of "use pnpm instead of npm".
    pub replaces: Vec<Stem>,
    /// What a withdrawal frees without condition.
    pub frees: Vec<Stem>,
    pub forbids: bool,
    pub is_general: bool,
    pub is_conditional: bool,
    pub is_for_once: bool,
    /// "… unless I ask for it".
    pub is_unless_asked: bool,
    /// It names a plan.
    pub names_plan: bool,
}

impl Demand {
    /// What a sentence demands that sets or withdraws a rule.
    fn of(sentence: &str) -> Demand {
        let read = &ReadSentence::new(sentence);
        Demand {
            withdraws: None,
            rule: None,
            is_lasting: read.is_lasting(),
            typed: false,
            subject: subject(read, 0..read.words.len()),
            replaces: subject(read, read.replaced()),
            frees: subject(read, 0..read.unconditional()),
            forbids: read.has(Sense::Forbids),
            is_general: read.has(Sense::General),
            is_conditional: read.has(Sense::Condition),
            is_for_once: read.is_for_once(),
            is_unless_asked: read.has(Sense::UnlessAsked),
            names_plan: read.words.iter().any(|word| word.lower == "plan"),
        }
    }
}

/// A line of a message, and which of its sentences say what.
pub struct MessageLine<'a> {
    pub line: TextLine<'a>,
    /// Its author typed it; `false` if it was pasted.
    pub is_typed: bool,
    pub says: Vec<(&'a str, Tells)>,
}

/// The lines of a text of which nobody asks what its sentences say.
pub fn unread(text: &str) -> Vec<MessageLine<'_>> {
    lines_saying(text, true, Vec::new()).collect()
}

/// The lines of a text; `says` are sentences of it, in order.
fn lines_saying<'a>(
    text: &'a str,
    is_typed: bool,
    mut says: Vec<(&'a str, Tells)>,
) -> impl Iterator<Item = MessageLine<'a>> {
    text_lines(text).into_iter().map(move |line| {
        let end = line.text.as_bytes().as_ptr_range().end;
        let own = says.extract_if(.., |(sentence, _)| sentence.as_ptr() < end).collect();
        MessageLine { line, is_typed, says: own }
    })
}

/// The lines of a message of the agent.
pub fn of_agent(text: &str) -> Vec<MessageLine<'_>> {
    let mut says = checkboxes(text);
    for sentence in sentences(text) {
        let plain = without_marks(sentence);
        let read = ReadSentence::new(&plain);
        let is_label = read.is_label_of_open_work() && read.ends_open();
        let is_next = read.is_announcement();
        let tells = [
            (Tells::Decision, read.is_decision()),
            (Tells::OpenList, is_label),
            (Tells::NotDone, !is_label && read.is_not_done()),
            (Tells::Reason, read.is_reason()),
            (Tells::Unsettled, read.is_unsettled()),
            (Tells::Announced, is_next && !read.is_look()),
            (Tells::AnnouncedLook, is_next && read.is_look()),
        ];
        says.extend(tells.into_iter().filter(|(_, is)| *is).map(|(tells, _)| (sentence, tells)));
    }
    lines_saying(text, true, says).collect()
}

/// The sentences of a message of the agent that say one of these.
pub fn sentences_that<'a>(text: &'a str, tell: &[Tells]) -> Vec<&'a str> {
    let all = of_agent(text).into_iter().flat_map(|line| line.says);
    let mut found: Vec<&str> =
        all.filter(|(_, tells)| tell.contains(tells)).map(|(sentence, _)| sentence).collect();
    found.dedup();
    found
}

/// The agent's own checkboxes: not those in a code block, nor those the person is asked to tick.
fn checkboxes(text: &str) -> Vec<(&str, Tells)> {
    let (mut fenced, mut theirs, mut in_list) = (false, false, false);
    let mut boxes = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        fenced ^= line.trim_start().starts_with("```");
        match checkbox(line) {
            Some((ticked, item)) if !fenced && !theirs => boxes.push((item, Tells::Box { ticked })),
            None if !(in_list && line.starts_with(' ')) => theirs = has_sense(line, Sense::ByHand),
            _ => {}
        }
        in_list = checkbox(line).is_some();
    }
    boxes
}

/// `- [ ] text` or `- [x] text`.
fn checkbox(line: &str) -> Option<(bool, &str)> {
    let item = line
        .trim_start()
        .trim_start_matches(['-', '*', '+', '.'])
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = item.trim_start_matches(['.', ')']).trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    let text = text.trim();
    match mark {
        " " | "" if !text.is_empty() => Some((false, text)),
        "x" | "X" | "✓" | "✔" if !text.is_empty() => Some((true, text)),
        _ => None,
    }
}

/// Bold marks may stand anywhere in a sentence.
fn without_marks(sentence: &str) -> Cow<'_, str> {
    if sentence.contains("**") { Cow::Owned(sentence.replace("**", "")) } else { Cow::Borrowed(sentence) }
}

/// The lines of a prompt. Replies demand nothing, and from pasted text only the rules of a document count.
pub fn of_prompt(prompt: &str) -> Vec<MessageLine<'_>> {
    let demands = !is_reply(prompt);
    let mut criteria = criteria(prompt);
    let passages = passages(prompt);
    let pastes = between_pastes(&passages);
    let lines = passages.into_iter().enumerate().flat_map(|(at, passage)| {
        let mut says = match passage.voice {
            PassageVoice::Typed if demands => typed_statements(passage.text),
            PassageVoice::Document if demands => written_rules(&passage),
            _ => Vec::new(),
        };
        let end = passage.text.as_bytes().as_ptr_range().end;
        says.extend(criteria.extract_if(.., |(item, _)| item.as_ptr() < end));
        let is_between = pastes.is_some_and(|(first, last)| first < at && at < last);
        lines_saying(passage.text, passage.voice == PassageVoice::Typed && !is_between, says)
    });
    lines.collect()
}

/// The criteria of a prompt, and the lines above them.
fn criteria(prompt: &str) -> Vec<(&str, Tells)> {
    let said = lists(prompt).into_iter().flat_map(|list| {
        let heading = list.under.map(|under| (under, Tells::Heads));
        let under = list.under.map(heading_key);
        heading.into_iter().chain(list.items.into_iter().map(move |item| (item, Tells::Criterion { under })))
    });
    said.collect()
}

/// What the sentences of a typed passage say.
fn typed_statements(typed: &str) -> Vec<(&str, Tells)> {
    let mut found = Vec::new();
    for (sentence, own) in said_sentences(typed) {
        let read = ReadSentence::new(&own);
        let is_plain_enough = |is_plain: bool| typed.len() <= SPOKEN || is_plain;
        let rule = read.rule().filter(|rule| is_plain_enough(rule.is_plain) && has_rule_length(sentence));
        let (withdraws, rule) = (read.withdrawal(), rule.map(|rule| rule.lifetime));
        if withdraws.is_some() || rule.is_some() {
            let demand = Demand { withdraws, rule, typed: true, ..Demand::of(sentence) };
            found.push((sentence, Tells::Demand(Box::new(demand))));
        }
        found.extend(read.is_reason().then_some((sentence, Tells::Reason)));
    }
    found
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

fn has_rule_length(sentence: &str) -> bool {
    sentence.len() >= MIN_RULE && !is_long(sentence)
}

/// A description rather than a demand.
pub fn is_long(sentence: &str) -> bool {
    sentence.chars().count() > LONG_RULE
}

/// The rules of a document: items under a heading for rules or, if it has no headings, lines that open with a word such
/// as "never".
fn written_rules<'a>(document: &PromptPassage<'a>) -> Vec<(&'a str, Tells)> {
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
        for sentence in own_sentences(line).into_iter().filter(|sentence| has_rule_length(sentence)) {
            let rule = ReadSentence::new(sentence).rule();
            let counts =
                |rule: RuleReading| under_rules || (!has_headings && rule.is_plain && rule.is_general);
            if rule.is_some_and(counts) {
                let demand = Demand { rule: Some(RuleLifetime::Lasting), ..Demand::of(sentence) };
                rules.push((sentence, Tells::Demand(Box::new(demand))));
            }
        }
    }
    rules
}

/// A heading, or a short line that introduces a list.
fn label(line: &str) -> Option<&str> {
    let bare = line.trim().trim_matches('*');
    let introduces = bare.ends_with(':') && bare.chars().count() <= 40 && passages::item(line).is_none();
    passages::heading(line).or_else(|| introduces.then_some(bare))
}

/// What a sentence is about: stems of its content words, without those that state or withdraw the demand.
fn subject(sentence: &ReadSentence, within: std::ops::Range<usize>) -> Vec<Stem> {
    const DEMAND: [Sense; 11] = [
        Sense::Care,
        Sense::General,
        Sense::Lasting,
        Sense::Forbids,
        Sense::Permits,
        Sense::Releases,
        Sense::TakesBack,
        Sense::Condition,
        Sense::InsteadOf,
        Sense::AboutRules,
        Sense::Filler,
    ];
    let is_content = |at: &usize| {
        let word = sentence.word(*at);
        word.len() > 2 && !is_stop_word(word) && (!word.is_ascii() || !sentence.is_part_of(*at, &DEMAND))
    };
    let words = within.filter(is_content).map(|at| sentence.word(at));
    let mut stems: Vec<Stem> = words.flat_map(units).map(|unit| unit.stem).collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_checkbox_forms_are_parsed() {
        let cases = [
            ("- [ ] write docs", Some((false, "write docs"))),
            ("  * [x] add tests", Some((true, "add tests"))),
            ("1. [ ] third", Some((false, "third"))),
            ("- [link](url) text", None),
            ("- plain", None),
            ("- [ ]", None),
        ];
        for (line, expected) in cases {
            assert_eq!(checkbox(line), expected, "{line}");
        }
    }

    #[test]
    fn checkboxes_in_code_or_for_the_person_are_skipped() {
        let text = "Done:\n- [x] lexer\n- [ ] parser\n\n```md\n- [ ] from a template\n```\n\
                    Before you merge:\n\n- [ ] rotate the key\n  in the vault\n- [ ] tell the team\n\
                    ## Test plan\n- [ ] open the page\n## Left\n- [ ] printer";
        let ticked = |ticked| Tells::Box { ticked };
        assert_eq!(
            checkboxes(text),
            [("lexer", ticked(true)), ("parser", ticked(false)), ("printer", ticked(false))]
        );
    }

    /// The sentences of a prompt that demand something.
    fn demands_in(prompt: &str) -> Vec<(&str, Demand)> {
        let says = of_prompt(prompt).into_iter().flat_map(|line| line.says);
        let demands = says.filter_map(|(sentence, tells)| match tells {
            Tells::Demand(demand) => Some((sentence, *demand)),
            _ => None,
        });
        demands.collect()
    }

    #[test]
    fn demands_are_found_with_their_text_and_effect() {
        let said = "Fix the login.\nDon't push to main. You can edit the schema now!\nthanks";
        let found = demands_in(said);
        let sentences: Vec<_> = found.iter().map(|(sentence, _)| *sentence).collect();
        assert_eq!(sentences, ["Don't push to main.", "You can edit the schema now!"]);
        assert_eq!((found[0].1.withdraws, found[0].1.rule), (None, Some(RuleLifetime::Lasting)));
        assert_eq!(found[1].1.withdraws, Some(Withdrawal::Prohibition));
        assert_eq!(demands_in("yes, go ahead"), []);
    }

    fn rules(prompt: &str) -> Vec<&str> {
        demands_in(prompt).into_iter().map(|(sentence, _)| sentence).collect()
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

    // Without fences: a line between two of them belongs to the paste, which the passages decide.
    proptest::proptest! {
        #[test]
        fn every_rule_and_withdrawal_is_found_and_nothing_else(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "never", "don't", "push", "you", "can", "the", "schema.", "forget", "plan", "no", "longer", "use",
                    "tabs,", "not", "spaces;", "go", "ahead", "and", "please", "when", "every", "\n", "must", "be", "ok",
                    "Ähm", "’s", "branch", "runs", "on", "main-2", "only", "keep", "> ",
                ]),
                0..40,
            ),
        ) {
            let said = words.join(" ");
            let found = demands_in(&said);
            let kept: Vec<&str> = found.iter().map(|(sentence, _)| *sentence).collect();
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
