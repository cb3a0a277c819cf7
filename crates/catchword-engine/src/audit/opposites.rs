//! A statement of the record with one word turned into its opposite, made binding, or widened from some to all, everything
//! else equal.

use std::collections::{HashMap, HashSet};

use super::claims::lower_words;
use super::summary::{Heading, Summary};
use crate::lexicon::summaries::OPPOSITES;
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject, SURE};
use crate::session::{Session, one_line};
use crate::text::sentences::sentences;
use crate::text::stems::{Stem, share, stem_set};

/// Fewest words a sentence must have to be recognised.
const FEWEST: usize = 4;

/// Two words that mean the opposite of each other.
pub fn are_opposites(a: &str, b: &str) -> bool {
    OPPOSITES.iter().any(|(one, other)| (*one == a && *other == b) || (*one == b && *other == a))
}

/// Every statement that was reversed.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let record = Statements::new(session);
    let units = summary.units().iter().filter(|unit| unit.is_stated() && unit.under != Heading::Story);
    let found = units.filter_map(|unit| {
        let words = lower_words(unit.body);
        let stems = stem_set(unit.body);
        if stems.len() < FEWEST || words.len() > 40 {
            return None;
        }
        let mut turned =
            words.iter().flat_map(|word| opposites_of(word).map(move |other| (word.as_str(), other)));
        let statement = turned.find_map(|(word, other)| record.turned(&words, &stems, word, other))?;
        Some(Finding {
            kind: FindingKind::Contradicted,
            fact: FindingSubject::Decision,
            text: one_line(&statement.text, 300),
            place: Some(statement.place),
            summary_quote: Some(one_line(unit.text, 300)),
            confidence: SURE,
        })
    });
    found.collect()
}

fn opposites_of(word: &str) -> impl Iterator<Item = &'static str> {
    let word = word.to_owned();
    OPPOSITES.iter().filter_map(move |(a, b)| {
        if *a == word {
            Some(*b)
        } else if *b == word {
            Some(*a)
        } else {
            None
        }
    })
}

struct Statement {
    place: Place,
    text: String,
    words: Vec<String>,
    stems: HashSet<Stem>,
}

/// What the user and the agent said, sentence by sentence.
struct Statements {
    all: Vec<Statement>,
    by_word: HashMap<String, Vec<usize>>,
}

impl Statements {
    fn new(session: &Session) -> Statements {
        let asked = session.prompts.iter().map(|p| (p.place, p.text.as_str()));
        let said = session.record.spoken().flat_map(|said| said.prose().map(move |line| (said.place, line)));
        let tasks = session.tasks.open().into_iter().map(|task| (task.place, task.subject.as_str()));
        let texts = asked.chain(said).chain(tasks);
        let pieces = texts.flat_map(|(place, text)| sentences(text).into_iter().map(move |s| (place, s)));
        let (mut all, mut by_word): (Vec<Statement>, HashMap<String, Vec<usize>>) = Default::default();
        for (place, text) in pieces {
            let words = lower_words(text);
            let stems = stem_set(text);
            if stems.len() < FEWEST || words.len() > 40 {
                continue;
            }
            for word in words.iter().filter(|word| opposites_of(word).next().is_some()) {
                by_word.entry(word.clone()).or_default().push(all.len());
            }
            all.push(Statement { place, text: text.to_owned(), words, stems });
        }
        Statements { all, by_word }
    }

    /// The newest statement with `other` in place of the unit's `word`, if no statement agrees with the unit.
    fn turned(&self, words: &[String], stems: &HashSet<Stem>, word: &str, other: &str) -> Option<&Statement> {
        let of = |word: &str| self.by_word.get(word).into_iter().flatten().map(|at| &self.all[*at]);
        let rest = stems - &(&stem_set(word) | &stem_set(other));
        let is_same = |statement: &&Statement| {
            let theirs = &statement.stems - &(&stem_set(word) | &stem_set(other));
            rest.len() + 1 >= FEWEST && share(&rest, &theirs) >= 0.99 && share(&theirs, &rest) >= 0.8
        };
        let has = |statement: &Statement, word: &str| statement.words.iter().any(|w| w == word);
        if words.iter().any(|w| w == other) || of(word).any(|statement| is_same(&statement)) {
            return None;
        }
        let found =
            of(other).filter(|statement| !has(statement, word)).filter(is_same).max_by_key(|s| s.place)?;
        // The word has the same neighbours.
        let beside = |all: &[String], word: &str| {
            let at = all.iter().position(|w| w == word)?;
            Some((at.checked_sub(1).map(|at| all[at].clone()), all.get(at + 1).cloned()))
        };
        let (ours, theirs) = (beside(words, word)?, beside(&found.words, other)?);
        (ours.0 == theirs.0 || ours.1 == theirs.1).then_some(found)
    }
}
