//! A suggestion of the user's that the summary retells as a rule: "maybe use X" as "the user wants: always use X".

use std::collections::HashSet;

use super::claims::Cued;
use super::summary::{Heading, Summary, Unit};
use crate::lexicon::summaries::LANGUAGES;
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject, SURE};
use crate::session::{Session, one_line};
use crate::text::sentences::sentences;
use crate::text::stems::{Stem, share, stem_set};

/// The share of a suggestion's words that a rule must have to be about it.
const ABOUT: f32 = 0.75;
/// Fewest words of a suggestion that a rule must have.
const FEWEST: usize = 3;
/// Longer units cover several subjects.
const MAX_UNIT: usize = 240;

/// Every suggestion told as a rule.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let said = Sentences::new(session);
    let is_rule = |unit: &&Unit| {
        let cued = Cued::new(unit.text);
        unit.is_stated()
            && unit.under != Heading::Story
            && unit.text.len() <= MAX_UNIT
            && !unit.text.contains(['"', '“'])
            && cued.any(|of| &of.user)
            && cued.any(|of| &of.demands)
            && !cued.any(|of| &of.suggests)
    };
    let found = summary.units().iter().filter(is_rule).filter_map(|unit| {
        let suggestion = said.only_suggested(&stem_set(unit.text))?;
        Some(Finding {
            kind: FindingKind::Mutated,
            fact: FindingSubject::Quote,
            text: one_line(&suggestion.text, 300),
            place: suggestion.place,
            summary_quote: Some(one_line(unit.text, 300)),
            confidence: SURE,
        })
    });
    found.collect()
}

struct Said {
    place: Option<Place>,
    text: String,
    words: HashSet<Stem>,
    suggests: bool,
}

/// What the user said, or may have said, sentence by sentence.
struct Sentences {
    all: Vec<Said>,
}

impl Sentences {
    fn new(session: &Session) -> Sentences {
        let prompts = session.prompts.iter().map(|p| (Some(p.place), p.text.as_str()));
        let answers = session.record.answers().map(|a| (Some(a.place), a.answer));
        let refusals = session.record.refusals().map(|r| (Some(r.place), r.reason));
        let unplaced = session.beside.iter().chain(&session.beginning).map(|text| (None, text.as_str()));
        let texts = prompts.chain(answers).chain(refusals).chain(unplaced);
        let pieces = texts.flat_map(|(place, text)| sentences(text).into_iter().map(move |s| (place, s)));
        let all = pieces.map(|(place, text)| {
            let suggests = Cued::new(text).any(|of| &of.suggests);
            Said { place, text: text.to_owned(), words: stem_set(text), suggests }
        });
        Sentences { all: all.collect() }
    }

    /// The suggestion that a rule is about, if nothing firmer was said about the same.
    fn only_suggested(&self, rule: &HashSet<Stem>) -> Option<&Said> {
        let own: HashSet<Stem> =
            LANGUAGES.iter().flat_map(|of| stem_set(&of.suggests.words.replace('_', " "))).collect();
        let is_about = |said: &&Said| {
            let matter = &said.words - &own;
            said.suggests
                && matter.len() <= 8
                && matter.intersection(rule).count() >= FEWEST
                && share(&matter, rule) >= ABOUT
        };
        let suggestion = self.all.iter().rev().find(is_about)?;
        let matter: HashSet<Stem> = (&suggestion.words - &own).intersection(rule).copied().collect();
        let is_firm = |said: &Said| !said.suggests && share(&matter, &said.words) > 0.5;
        (!self.all.iter().any(is_firm)).then_some(suggestion)
    }
}
