//! Wishes, remarks and decisions that the summary attributes to the user without quoting, where only the agent said so.
//! No message of the user mentions them.
//!
//! Summaries paraphrase, so a finding requires that the user's messages share few of the words and the agent's text
//! nearly all. The agent's last text before a user message counts as the user's, because they may have agreed to it.

use std::collections::HashSet;

use super::claims::{is_one_of, lower_words};
use super::invented::UserWords;
use super::summary::{Summary, Unit};
use crate::lexicon::summaries::{LANGUAGES, SAID};
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject, SURE};
use crate::session::{Session, one_line};
use crate::text::specifics::specifics;
use crate::text::stems::{Stem, share, stem_set};

/// Fewest words a claim must have to be judged.
const FEWEST: usize = 4;
/// Largest share of them that a single user message may have.
const THEIRS: f32 = 0.45;
/// Largest share of them that all user messages together may have.
const ALL_THEIRS: f32 = 0.6;
/// Smallest share of them that one sentence of the agent must have.
const AGENTS: f32 = 0.7;

/// Every wish attributed to the user that only the agent expressed.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let theirs = UserWords::new(session);
    if theirs.is_empty() || session.beginning.is_some() {
        return Vec::new();
    }
    let agents = agents_words(session);
    let agreed = agreed_words(session);
    let claims =
        summary.units().iter().filter(|unit| unit.is_stated()).filter_map(|unit| Some((unit, claim(unit)?)));
    claims.filter_map(|(unit, claim)| judged(&theirs, &agreed, &agents, unit, claim)).collect()
}

fn judged(
    theirs: &UserWords,
    agreed: &[HashSet<Stem>],
    agents: &[AgentSentence],
    unit: &Unit,
    claim: &str,
) -> Option<Finding> {
    let words = stem_set(claim);
    let agreed_to = agreed.iter().any(|said| share(&words, said) >= PROPOSED);
    let is_foreign = theirs.share_of(&words) < THEIRS && theirs.share_of_all(&words) < ALL_THEIRS;
    let is_named = specifics(claim).any(|name| theirs.says(name));
    if words.len() < FEWEST || claim.contains(['"', '“']) || agreed_to || is_named || !is_foreign {
        return None;
    }
    let best =
        agents.iter().map(|said| (share(&words, &said.words), said)).max_by(|a, b| a.0.total_cmp(&b.0));
    let (_, said) = best.filter(|(share, _)| *share >= AGENTS)?;
    Some(Finding {
        kind: FindingKind::Invented,
        fact: FindingSubject::Quote,
        text: one_line(claim, 300),
        place: Some(said.place),
        summary_quote: Some(one_line(unit.text, 300)),
        confidence: SURE,
    })
}

/// From this share of a claim's words on, the agent proposed it.
const PROPOSED: f32 = 0.6;

struct AgentSentence {
    place: Place,
    words: HashSet<Stem>,
}

fn agents_words(session: &Session) -> Vec<AgentSentence> {
    let all = session.record.spoken().flat_map(|said| said.sentences().map(move |s| (said.place, s)));
    let words = all.map(|(place, sentence)| AgentSentence { place, words: stem_set(sentence) });
    words.filter(|sentence| sentence.words.len() >= FEWEST).collect()
}

/// The agent's last text before each user message.
fn agreed_words(session: &Session) -> Vec<HashSet<Stem>> {
    let places = session.prompts.iter().map(|p| p.place).chain(session.record.answers().map(|a| a.place));
    let before = places.filter_map(|place| session.record.spoken().rfind(|said| said.place < place));
    before.flat_map(|said| said.sentences().map(stem_set)).collect()
}

/// What a unit says the user wants: the words after "the user wants".
fn claim<'a>(unit: &Unit<'a>) -> Option<&'a str> {
    let lower = unit.body.to_lowercase();
    // Lowercasing can change the length in bytes, and then the offsets no longer match.
    if lower.len() != unit.body.len() {
        return None;
    }
    let elsewhere =
        LANGUAGES[1..].iter().flat_map(|of| of.user.words.split(' ')).filter(|user| !user.is_empty());
    let mut users = elsewhere.map(|user| user.trim_end_matches('*'));
    if let Some((at, user)) = users.find_map(|user| Some((lower.find(user)?, user))) {
        return unit.body.get(at + user.len()..).filter(|_| at < 20);
    }
    let at = lower.find("user ").filter(|at| *at < 20)?;
    let rest = unit.body.get(at + "user ".len()..)?;
    let verb = lower_words(rest).into_iter().take(3).find(|word| is_one_of(word, &SAID))?;
    let from = rest.to_lowercase().find(&verb)? + verb.len();
    rest.get(from..)
}
