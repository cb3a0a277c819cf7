//! The life of each rule of the person: where it was said, and what became of it at every compaction.

use serde::Serialize;

use super::reader::{ReadError, Reader, Which, unreadable};
use crate::choose::KnownText;
use crate::ops::lost;
use crate::session::Session;
use crate::session::instructions::{in_force, withdrawn};
use crate::text::cut::squashed;

/// The rules of a session, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RulesDocument {
    pub session: String,
    /// The numbers of the compactions, in order.
    pub compactions: Vec<usize>,
    pub rules: Vec<RuleDocument>,
}

/// A rule of the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleDocument {
    /// Verbatim.
    pub text: String,
    /// Where it was said (`L812`).
    pub place: String,
    /// One for each compaction; null before it was said.
    pub fates: Vec<Option<RuleFate>>,
    /// Where the person took it back; null if it holds.
    pub withdrawn_at: Option<String>,
}

/// What became of a rule at a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleFate {
    /// The model still had it: in the summary, or in what the client keeps.
    Kept,
    /// The summary lost it, and the brief had it.
    GivenBack,
    /// Neither had it.
    Lost,
    /// It was no longer in force.
    Withdrawn,
}

/// The rules of a session and what became of them.
pub fn rules(reader: &Reader, which: Which) -> Result<RulesDocument, ReadError> {
    let chosen = reader.choose(which)?;
    let record = reader.record(&chosen)?;
    let broken = |error| unreadable(&record, error);
    let cuts = record.cuts(reader.mask).map_err(broken)?;
    let given = match reader.store.as_ref().filter(|_| !chosen.is_file) {
        Some(store) => store.given_back(&chosen.id)?,
        None => Vec::new(),
    };
    let now = reader.fold(&record, None)?;
    let mut rules = of_now(&now);
    let moments: Vec<u32> = cuts.iter().map(|cut| cut.read).collect();
    let each = |at: usize, session: &Session| {
        let known = KnownText::after(session, Some(&cuts[at].summary));
        let given = given.iter().rev().find(|one| lost::number_in(one.line, &cuts) == Some(at + 1));
        let brief = given.and_then(|given| given.brief.as_deref()).map(squashed).unwrap_or_default();
        let then = of_now(session);
        for one in &then {
            if !rules.iter().any(|rule| rule.is(one)) {
                rules.push(FollowedRule { fates: Vec::new(), ..one.clone() });
            }
        }
        for rule in &mut rules {
            let found = then.iter().find(|one| rule.is(one));
            let fate = found.map(|one| match one.withdrawn_at {
                Some(_) => RuleFate::Withdrawn,
                None if known.has(&rule.text) => RuleFate::Kept,
                None if brief.contains(&squashed(&rule.text)) => RuleFate::GivenBack,
                None => RuleFate::Lost,
            });
            rule.fates.resize(at, None);
            rule.fates.push(fate);
        }
    };
    record.moments(reader.mask, &moments, each).map_err(broken)?;
    rules.sort_by_key(|rule| rule.place);
    let rules = rules.into_iter().map(|rule| RuleDocument {
        text: rule.text,
        place: rule.place.to_string(),
        fates: rule.fates,
        withdrawn_at: rule.withdrawn_at.map(|place| place.to_string()),
    });
    Ok(RulesDocument { session: chosen.id, compactions: (1..=cuts.len()).collect(), rules: rules.collect() })
}

#[derive(Clone, Debug)]
struct FollowedRule {
    text: String,
    place: crate::model::entry::Place,
    withdrawn_at: Option<crate::model::entry::Place>,
    fates: Vec<Option<RuleFate>>,
}

impl FollowedRule {
    fn is(&self, other: &FollowedRule) -> bool {
        self.place == other.place && self.text == other.text
    }
}

/// What the person typed as a rule, in force or withdrawn.
fn of_now(session: &Session) -> Vec<FollowedRule> {
    let held = in_force(session).into_iter().filter(|rule| rule.typed).map(|rule| (rule, None));
    let taken = withdrawn(session).into_iter().map(|one| (one.rule, Some(one.by.place)));
    held.chain(taken.filter(|(rule, _)| rule.typed))
        .map(|(rule, by)| FollowedRule {
            text: rule.text,
            place: rule.place,
            withdrawn_at: by,
            fates: Vec::new(),
        })
        .collect()
}
