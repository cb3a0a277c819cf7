//! Why a brief contains what it does: the worth of each line, and the lines that would come next.

use std::collections::BTreeSet;

use super::{Brief, BriefLine, piece};
use crate::facts::quotations::cost as quotation_cost;
use crate::facts::{CarriedTokens, Priority};
use crate::text::specifics::WordHash;

impl Brief {
    /// The lines included, each with its worth per character.
    pub fn valued(&self) -> Vec<(&BriefLine, f32)> {
        let shown = self.chosen.iter().filter(|line| line.shown.is_some());
        let mut shown: Vec<(&BriefLine, f32)> =
            shown.map(|line| (line, line.value(&BTreeSet::new()))).collect();
        shown.sort_by_key(|(line, _)| line.fact.section);
        shown
    }

    /// The lines left out, each with what a character of it would add to this brief; best first.
    pub fn next(&self) -> Vec<(&BriefLine, f32)> {
        let said: BTreeSet<WordHash> = CarriedTokens::said_in(&self.text).collect();
        let left = self.chosen.iter().filter(|line| line.shown.is_none());
        let added =
            |line: &BriefLine| if self.text.contains(&line.fact.key) { 0.0 } else { line.value(&said) };
        let mut left: Vec<(&BriefLine, f32)> = left.map(|line| (line, added(line))).collect();
        left.sort_by(|(a, a_value), (b, b_value)| a.turn().cmp(&b.turn()).then(b_value.total_cmp(a_value)));
        left
    }
}

impl BriefLine {
    /// Worth per character to a reader who knows `said`.
    fn value(&self, said: &BTreeSet<WordHash>) -> f32 {
        let (fact, form) = (&self.fact, self.form());
        match &fact.carries {
            Some(carried) => carried.worth(said) / quotation_cost(form),
            None => fact.weight / piece(fact, form).chars().count() as f32,
        }
    }

    /// The form it is shown in, or would be.
    pub fn form(&self) -> &str {
        let shortest = self.fact.short.as_deref().unwrap_or(&self.fact.text);
        self.shown.as_deref().unwrap_or(shortest)
    }

    /// Sort key: mandatory and reserved lines come before weighed ones.
    fn turn(&self) -> u8 {
        match self.fact.priority {
            Priority::Must => 0,
            Priority::Reserved => 1,
            Priority::ByValue | Priority::ByCoverage => 2,
        }
    }
}
