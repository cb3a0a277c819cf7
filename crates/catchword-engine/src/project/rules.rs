//! The person's rules and decisions. Only what a person typed counts, and only what this machine recorded: nobody else's
//! words may look like the user's.

use super::{PastPlace, PastTranscript};
use crate::archive::history::item::{HistoryItem, ItemKind};
use crate::model::entry::{Entry, Part, Place};
use crate::model::note::Author;
use crate::model::origin::Origin;

use crate::reading::prose::{RuleLifetime, RuleReading};
use crate::session::Session;
use crate::session::instructions::{Instruction, in_force, withdrawn};
use crate::text::phrases::ReadSentence;

/// Decisions kept, the latest.
const MOST_DECISIONS: usize = 30;

/// A rule that says itself that it holds beyond the request it came with.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRule {
    /// Verbatim.
    pub text: String,
    pub said: PastPlace,
    /// Where the person took it back; such a rule is only shown to a person.
    pub withdrawn: Option<PastPlace>,
}

/// A question that the person answered, or a call they refused.
#[derive(Clone, Debug, PartialEq)]
pub struct PastDecision {
    /// The call that was refused: the agent's words.
    pub about: String,
    /// The person's reason, or their answer behind the question, which is quoted.
    pub answer: String,
    pub seen: PastPlace,
}

/// Rules in force, the latest first, then those withdrawn. All prompts are read as one conversation, so that a later
/// session withdraws or repeats what an earlier one said.
pub(super) fn rules(transcripts: &[PastTranscript]) -> Vec<PastRule> {
    let is_theirs = |item: &&HistoryItem| {
        item.kind == ItemKind::Prompt && item.author == Some(Author::Person) && !item.sub
    };
    let own = transcripts.iter().filter(|one| one.source.is_own() && one.source.thread.subagent.is_empty());
    let mut said: Vec<(PastPlace, &HistoryItem)> = own
        .flat_map(|one| one.items.iter().filter(is_theirs).map(move |item| (PastPlace::of(one, item), item)))
        .collect();
    said.sort_by_key(|(seen, _)| seen.time());
    let mut session = Session::default();
    for (number, (_, item)) in said.iter().enumerate() {
        let part = Part::Prompt { text: item.body.clone(), origin: Origin::Typed, queued: false };
        // The number stands for the place: places of several sessions would be mixed up.
        session.apply(&Entry { place: Place(number as u32 + 1), parts: vec![part], ..Entry::default() });
    }
    let seen = |place: Place| said.get(place.0 as usize - 1).map(|(seen, _)| seen.clone());
    let held = in_force(&session).into_iter().filter(is_general);
    let held =
        held.filter_map(|rule| Some(PastRule { said: seen(rule.place)?, text: rule.text, withdrawn: None }));
    let taken = withdrawn(&session).into_iter().filter(|one| is_general(&one.rule));
    let taken = taken.filter_map(|one| {
        let (said, by) = (seen(one.rule.place)?, seen(one.by.place));
        Some(PastRule { text: one.rule.text, said, withdrawn: by })
    });
    let mut rules: Vec<PastRule> = held.chain(taken).collect();
    rules.sort_by_key(|rule| (rule.withdrawn.is_some(), std::cmp::Reverse(rule.said.time())));
    rules
}

/// Typed by the person, and it says itself that it holds at any time: what holds for a request may look like a rule, and
/// another session would take it for one.
fn is_general(rule: &Instruction) -> bool {
    let says_so =
        |rule: RuleReading| rule.lifetime == RuleLifetime::Lasting && rule.is_general && rule.is_plain;
    rule.typed && ReadSentence::new(&rule.text).rule().is_some_and(says_so)
}

/// The latest decisions.
pub(super) fn decisions(transcripts: &[PastTranscript]) -> Vec<PastDecision> {
    let own = transcripts.iter().filter(|one| one.source.is_own() && one.source.thread.subagent.is_empty());
    let mut found: Vec<PastDecision> = own
        .flat_map(|one| {
            let decided = one.items.iter().filter(|item| {
                // A plan is the agent's words, whoever approved it.
                let is_plan = item.searched_title().is_empty();
                item.kind == ItemKind::Decision
                    && !item.sub
                    && !is_plan
                    && item.until.is_some()
                    && !item.body.is_empty()
            });
            decided.map(move |item| PastDecision {
                // An answer has its question with it.
                about: if item.body.contains('→') { String::new() } else { item.title.clone() },
                answer: item.body.clone(),
                seen: PastPlace::of(one, item),
            })
        })
        .collect();
    found.sort_by_key(|decision| std::cmp::Reverse(decision.seen.time()));
    found.truncate(MOST_DECISIONS);
    found
}
