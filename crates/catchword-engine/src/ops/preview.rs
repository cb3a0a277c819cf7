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
    let left_out = counted(session, &missing, &known, budget);
    Preview { brief: brief::brief(missing, budget_for(&known, budget)), left_out }
}

/// How many things worth carrying over the summary leaves out, and how many there are.
pub fn left_out(session: &Session, summary: &str, budget: usize) -> (usize, usize) {
    let known = KnownText::audited(session, Some(summary));
    let counts = counted(session, &facts::facts(session, &known), &known, budget);
    (counts.iter().map(|count| count.missing).sum(), counts.iter().map(|count| count.all).sum())
}

/// The things worth carrying over that the summary leaves out, one line each.
pub fn left_out_lines(session: &Session, summary: &str, budget: usize) -> Vec<String> {
    let known = KnownText::audited(session, Some(summary));
    let missing = facts::facts(session, &known);
    let whole = brief::brief(facts::facts(session, &KnownText::default()), budget);
    let line = |fact: &Fact| {
        let place =
            fact.place.map(|place| place.to_string()).filter(|place| !fact.text.contains(place.as_str()));
        format!("{}: {} {}", fact.section.title(), fact.text, place.unwrap_or_default()).trim_end().to_owned()
    };
    shown(&whole).into_iter().filter(|fact| is_missing(fact, &missing, &known)).map(line).collect()
}

fn shown(whole: &Brief) -> Vec<&Fact> {
    whole.chosen.iter().filter(|c| c.shown.is_some()).map(|c| &c.fact).collect()
}

fn is_missing(fact: &Fact, missing: &[Fact], known: &KnownText) -> bool {
    missing.iter().any(|m| m.section == fact.section && m.place == fact.place && m.text == fact.text)
        && !known.has(&fact.key)
}

fn counted(session: &Session, missing: &[Fact], known: &KnownText, budget: usize) -> Vec<LeftOutCount> {
    let whole = brief::brief(facts::facts(session, &KnownText::default()), budget);
    let shown = shown(&whole);
    let mut sections: Vec<Section> = shown.iter().map(|f| f.section).collect();
    sections.sort_unstable();
    sections.dedup();
    let count = |section| {
        let of = || shown.iter().filter(move |f| f.section == section);
        LeftOutCount {
            section,
            all: of().count(),
            missing: of().filter(|f| is_missing(f, missing, known)).count(),
        }
    };
    sections.into_iter().map(count).collect()
}
