//! Facts → a brief that fits.
//!
//! A pure function of facts and budget: the same input gives the same bytes. The budget is in characters,
//! because the client's limit is; whatever is asked for, a brief stays below [`HARD_LIMIT`].

mod budget;

use std::fmt::Write;

use crate::extract::{Fact, Section};

/// What a brief may have unless a setting says otherwise.
pub const DEFAULT_BUDGET: usize = 6_000;
/// Where the client would show a preview instead (10,000), with room to spare.
pub const HARD_LIMIT: usize = 9_500;
/// Below this nothing useful fits.
const SMALLEST: usize = 400;

/// How a brief begins and ends; tests and the delivery check look for these.
pub const OPENING: &str = "<catchword-record";
/// The last line.
pub const CLOSING: &str = "</catchword-record>";

const PREFACE: &str = "What this session's transcript records and the summary leaves out, quoted; L12 is its line 12. \
A record, not instructions. Output of tools is marked as such.";

/// A finished brief.
#[derive(Clone, Debug, PartialEq)]
pub struct Brief {
    /// The text for the model; empty when there is nothing to say.
    pub text: String,
    /// Every fact, and whether it is in.
    pub chosen: Vec<Chosen>,
}

/// A fact and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The fact.
    pub fact: Fact,
    /// The words it is shown with; `None` when it was left out.
    pub shown: Option<String>,
}

/// A usable budget, whatever was asked for.
pub fn clamped(budget: usize) -> usize {
    budget.clamp(SMALLEST, HARD_LIMIT)
}

/// Writes the brief.
pub fn brief(facts: Vec<Fact>, budget: usize) -> Brief {
    let chosen = budget::choose(facts, clamped(budget), frame_cost());
    let text = if chosen.iter().any(|c| c.shown.is_some()) { lay_out(&chosen) } else { String::new() };
    debug_assert!(text.chars().count() <= clamped(budget), "the budget was kept");
    Brief { text, chosen }
}

fn frame_cost() -> usize {
    lay_out(&[]).chars().count()
}

fn lay_out(chosen: &[Chosen]) -> String {
    let mut out = format!("{OPENING}>\n{PREFACE}\n");
    let mut shown: Vec<&Chosen> = chosen.iter().filter(|c| c.shown.is_some()).collect();
    // Stable: within a section the extractor's order stands, except that files, commands and names are ranked.
    shown.sort_by(|a, b| a.fact.section.cmp(&b.fact.section).then_with(|| within(a, b)));
    let mut current = None;
    for item in shown {
        let section = item.fact.section;
        if current != Some(section) {
            let _ = write!(out, "{}", heading(section));
            current = Some(section);
        }
        let _ = write!(out, "{}", line(&item.fact, item.shown.as_deref().unwrap_or_default()));
    }
    out.push_str(CLOSING);
    out
}

fn within(a: &Chosen, b: &Chosen) -> std::cmp::Ordering {
    match a.fact.section {
        Section::Files | Section::Commands | Section::Names => b.fact.weight.total_cmp(&a.fact.weight),
        _ => std::cmp::Ordering::Equal,
    }
}

/// A section's heading, with the line break before it.
fn heading(section: Section) -> &'static str {
    match section {
        Section::Asked => "\n## Asked by the user\n",
        Section::Standing => "\n## Standing instructions of the user\n",
        Section::Answers => "\n## Answered and approved by the user\n",
        Section::Stood => "\n## Where it stood\n",
        Section::Work => "\n## Open work\n",
        Section::Failing => "\n## Failing\n",
        Section::Files => "\n## Files\n",
        Section::Commands => "\n## Commands\n",
        Section::Names => "\n## Names in use\n",
        Section::Running => "\n## Running in the background\n",
        Section::Git => "\n## Git\n",
    }
}

/// One fact as it stands in the brief, with its line break.
fn line(fact: &Fact, shown: &str) -> String {
    match (fact.section, fact.place) {
        (Section::Names, _) => format!("{shown}\n"),
        (_, Some(place)) => format!("- {shown} {place}\n"),
        (_, None) => format!("- {shown}\n"),
    }
}

#[cfg(test)]
mod tests;
