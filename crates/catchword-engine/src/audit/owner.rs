//! Wishes, remarks and decisions that the summary gives to the user without quoting, where only the agent said so.
//!
//! Summaries paraphrase, so a finding requires that the user's messages share few of the words and one sentence of the
//! agent nearly all. The agent's last text before a user message counts as the user's, because they may have agreed to it.

use std::cell::LazyCell;

use super::differs;
use super::summary::Summary;
use crate::lexicon::summaries::ADDRESSED;
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::reading::claims::{Cued, attributed};
use crate::session::Session;
use crate::text::specifics::specifics;
use crate::text::stems::{StemSet, share, stem_set};

/// Fewest words a claim must have to be judged.
const FEWEST: usize = 4;
/// Largest share of them that a single user message may have, and that all together may have.
const THEIRS: f32 = 0.45;
const ALL_THEIRS: f32 = 0.6;
/// The same for a message that has a name of the claim.
const NAMED: f32 = 0.3;
/// Smallest share of them that one sentence of the agent must have.
const AGENTS: f32 = 0.7;
/// From this share of a claim's words on, the agent proposed it.
const PROPOSED: f32 = 0.6;

pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let theirs = UserWords::new(session);
    if theirs.is_empty() || session.beginning.is_some() {
        return Vec::new();
    }
    let agents = LazyCell::new(|| agents_sentences(session));
    let agreed = LazyCell::new(|| agreed_words(session));
    let told = summary.units().iter().filter(|unit| unit.is_stated());
    let found = told.filter_map(|unit| {
        let claim = attributed(unit.body).filter(|claim| !claim.contains(['"', '“']))?;
        let words = stem_set(claim);
        let is_agreed = agreed.iter().any(|said| share(&words, said) >= PROPOSED);
        let is_foreign = theirs.share_of(&words) < THEIRS && theirs.share_of_all(&words) < ALL_THEIRS;
        let is_named = specifics(claim).any(|name| theirs.says_of(name, &words));
        if words.len() < FEWEST || is_agreed || is_named || !is_foreign {
            return None;
        }
        let fit = |said: &AgentSentence| share(&words, &said.words);
        let said =
            agents.iter().max_by(|a, b| fit(a).total_cmp(&fit(b))).filter(|said| fit(said) >= AGENTS)?;
        let (kind, fact) = (FindingKind::Invented, FindingSubject::Quote);
        Some(differs(kind, fact, said.text, Some(said.place), unit.claim()))
    });
    found.collect()
}

/// A sentence of the agent that does not itself report what the user wants.
struct AgentSentence<'a> {
    place: Place,
    text: &'a str,
    words: StemSet,
}

fn agents_sentences(session: &Session) -> Vec<AgentSentence<'_>> {
    let all = session.record.spoken().flat_map(|said| said.sentences().map(move |s| (said.place, s)));
    let own = all.filter(|(_, text)| {
        let cued = Cued::new(text);
        !cued.any(|of| &of.user) && !cued.has(&ADDRESSED)
    });
    let words = own.map(|(place, text)| AgentSentence { place, text, words: stem_set(text) });
    words.filter(|sentence| sentence.words.len() >= FEWEST).collect()
}

/// The agent's last text before each user message.
fn agreed_words(session: &Session) -> Vec<StemSet> {
    let places = session.prompts.iter().map(|p| p.place).chain(session.record.answers().map(|a| a.place));
    let before = places.filter_map(|place| session.record.spoken().rfind(|said| said.place < place));
    before.flat_map(|said| said.sentences().map(stem_set)).collect()
}

/// What the user said, message by message, and what they answered or agreed to.
pub struct UserWords {
    messages: Vec<StemSet>,
    all: StemSet,
}

impl UserWords {
    pub fn new(session: &Session) -> UserWords {
        // Older clients record text typed while the agent works only in the queue.
        let prompts = session.prompts.iter().map(|prompt| stem_set(&session.text_of(prompt)));
        let others = session
            .queued
            .iter()
            .map(String::as_str)
            .chain(session.beside.iter().map(|one| &**one))
            .map(stem_set);
        let answers = session.record.answers();
        let answers = answers.map(|a| stem_set(&format!("{} {}", a.question.to_compare(), a.answer)));
        let refusals = session.record.refusals().map(|r| stem_set(&format!("{} {}", r.what, r.reason)));
        // A reply that means nothing by itself is quoted together with what it answers.
        let replies = session.prompts.iter().filter_map(|p| Some(stem_set(&session.answered_by(p)?.1)));
        let plan = session.plan.iter().map(|plan| stem_set(&session.record.plan_at(plan.place)));
        let beginning = session.beginning_lines().map(stem_set);
        let messages: Vec<StemSet> = prompts
            .chain(others)
            .chain(answers)
            .chain(refusals)
            .chain(replies)
            .chain(plan)
            .chain(beginning)
            .collect();
        let all = messages.iter().flatten().copied().collect();
        UserWords { messages, all }
    }

    /// A message has all of these words.
    pub fn says(&self, words: &str) -> bool {
        let wanted = stem_set(words);
        !wanted.is_empty() && self.messages.iter().any(|message| share(&wanted, message) >= 0.99)
    }

    /// A message has this name and enough of these words to be what a summary tells in its own.
    fn says_of(&self, name: &str, words: &StemSet) -> bool {
        let name = stem_set(name);
        let has = |message: &&StemSet| !name.is_empty() && share(&name, message) >= 0.99;
        self.messages.iter().filter(has).any(|message| share(words, message) >= NAMED)
    }

    /// The largest share of these words that one message has.
    pub fn share_of(&self, words: &StemSet) -> f32 {
        self.messages.iter().map(|message| share(words, message)).fold(0.0, f32::max)
    }

    /// The share of these words that all messages together have.
    pub fn share_of_all(&self, words: &StemSet) -> f32 {
        share(words, &self.all)
    }

    pub fn all(&self) -> &StemSet {
        &self.all
    }

    /// Whether the user said nothing.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}
