//! Why a brief contains what it does: the worth of each line, and the lines that would come next.

use std::collections::BTreeSet;

use super::budget::{FILLED, LISTS};
use super::{Brief, BriefLine, DEFAULT_BUDGET, piece};
use crate::facts::quotations::cost as quotation_cost;
use crate::facts::{CarriedTokens, Priority, Section, Why};
use crate::text::numbers::{count_of, grouped};
use crate::text::specifics::WordHash;

/// Why something worth more than a line above may be left out; `None` if only the budget counts.
pub fn limits(budget: usize) -> Option<String> {
    if budget > DEFAULT_BUDGET {
        return None;
    }
    let most =
        |section: Section| LISTS.iter().find(|(list, _)| *list == section).map_or(0, |(_, most)| *most);
    Some(format!(
        "Worth compares lines of one section. Quotations fill a brief up to {} characters, and it lists at most {} \
         commands, {} changed and {} other files; a --budget above {} has no such limits.",
        grouped(FILLED.min(budget) as u64),
        most(Section::Commands),
        most(Section::Changed),
        most(Section::Files),
        grouped(DEFAULT_BUDGET as u64),
    ))
}

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

    /// Why it is a candidate. Without a summary nothing can be missing in it; and the changes of a new file include its
    /// first version, which its own line does not call an edit.
    pub fn reason(&self, has_summary: bool) -> String {
        match (&self.fact.carries, &self.fact.why) {
            (Some(carried), _) if !has_summary => {
                format!("names {}", count_of(carried.things.len(), "specific thing"))
            }
            (_, why @ Why::Used { .. }) => why.to_string().replacen("edit", "change", 1),
            (_, why) => why.to_string(),
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
