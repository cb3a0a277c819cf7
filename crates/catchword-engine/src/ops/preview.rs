//! The brief for a given summary, and what that summary leaves out.

use super::brief::budget_for;
use crate::brief::{self, Brief};
use crate::facts::{self, Fact, KnownText, Section};
use crate::session::Session;

pub struct Preview {
    pub brief: Brief,
    /// Per section, how much the summary leaves out.
    pub left_out: Vec<LeftOutCount>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOutCount {
    pub section: Section,
    /// Facts that a brief without a summary would show.
    pub all: usize,
    /// Those that the summary lacks.
    pub missing: usize,
}

/// Simulates a compaction that replaces `session` by `summary`.
pub fn preview(session: &Session, summary: Option<&str>, budget: usize) -> Preview {
    let known = KnownText::audited(session, summary);
    let missing = facts::facts(session, &known);
    let whole = brief::brief(facts::facts(session, &KnownText::default()), budget);
    let left_out = counted(&whole, &missing, &known);
    Preview { brief: brief::brief(missing, budget_for(&known, budget)), left_out }
}

fn counted(whole: &Brief, missing: &[Fact], known: &KnownText) -> Vec<LeftOutCount> {
    let shown: Vec<&Fact> = whole.chosen.iter().filter(|c| c.shown.is_some()).map(|c| &c.fact).collect();
    let mut sections: Vec<Section> = shown.iter().map(|f| f.section).collect();
    sections.sort_unstable();
    sections.dedup();
    let is_missing = |fact: &Fact| {
        missing.iter().any(|m| m.section == fact.section && m.place == fact.place && m.text == fact.text)
            && !known.has(&fact.key)
    };
    let count = |section| {
        let of = || shown.iter().filter(move |f| f.section == section);
        LeftOutCount { section, all: of().count(), missing: of().filter(|f| is_missing(f)).count() }
    };
    sections.into_iter().map(count).collect()
}
