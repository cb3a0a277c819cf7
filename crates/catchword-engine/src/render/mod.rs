//! Facts → a brief that fits.
//!
//! A pure function of facts and budget: the same input gives the same bytes. The budget is in characters,
//! because the client's limit is; whatever is asked for, a brief stays below [`HARD_LIMIT`].

mod budget;
pub mod handoff;
pub mod replay;
mod seal;
pub mod start;

use crate::extract::{Fact, Section};

/// What a brief may have unless a setting says otherwise.
pub const DEFAULT_BUDGET: usize = 6_000;
/// What a character has to be worth, so that a brief is as long as its session needs: where the next name is hardly
/// ever needed, it ends. Whoever raises the budget above the default wants length, and gets it.
const FLOOR: f32 = 1.05e-4;
/// Where the client would show a preview instead (10,000), with room to spare.
pub const HARD_LIMIT: usize = 9_500;
/// Below this nothing useful fits.
const SMALLEST: usize = 400;

/// How a brief begins and ends; tests and the delivery check look for these.
pub const OPENING: &str = "<catchword-record";
/// The last line.
pub const CLOSING: &str = "</catchword-record>";

/// What stands around the facts.
struct Frame<'a> {
    opening: &'a str,
    closing: &'a str,
}

const BRIEF: Frame<'static> = Frame {
    opening: "<catchword-record>\nRecord, not orders; `catchword recall L12` shows L12.\n",
    closing: CLOSING,
};

/// Characters for the summariser; the client cuts at 10,000.
const GUIDE_BUDGET: usize = 4_000;

/// Characters of the person's own instructions that are passed on.
pub const INSTRUCTIONS_MOST: usize = 2_000;
/// What stands before them.
const INSTRUCTIONS: &str = "The user's own instructions for this summary:\n";

const GUIDE: Frame<'static> = Frame {
    opening: "Keep in the summary, verbatim (from the session's record; L12 is line 12 of its transcript):\n",
    closing: "\nA task counts as finished only where it is listed as finished. Quote the user's instructions instead of \
              rephrasing them. Keep numbers, paths and ids exactly as they are. What the user asked of this summary \
              comes first.\n",
};

/// A finished brief.
#[derive(Clone, Debug, PartialEq)]
pub struct Brief {
    /// The text for the model; empty when there is nothing to say.
    pub text: String,
    /// Every fact, and whether it is in.
    pub chosen: Vec<Chosen>,
}

impl Brief {
    /// Facts that are in.
    pub fn items(&self) -> usize {
        self.chosen.iter().filter(|chosen| chosen.shown.is_some()).count()
    }
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
    framed(facts, budget, &BRIEF)
}

/// Writes the brief of another session than the one that reads it; `whence` says which and how it comes here.
pub fn brief_of_another(facts: Vec<Fact>, budget: usize, session: &str, whence: &str) -> Brief {
    let opening = format!("{OPENING} session=\"{session}\">\n{whence}\n");
    framed(facts, budget, &Frame { opening: &opening, closing: CLOSING })
}

fn framed(facts: Vec<Fact>, budget: usize, frame: &Frame) -> Brief {
    let floor = if budget <= DEFAULT_BUDGET { FLOOR } else { 0.0 };
    let chosen = budget::choose(seal::all(facts), clamped(budget), frame.cost(), floor);
    let text = lay_out(&chosen, frame);
    debug_assert!(text.chars().count() <= clamped(budget), "the budget was kept");
    Brief { text, chosen }
}

/// What the summariser should keep: state and the person's words. Nothing when there is none of it; names, files
/// that were only read and commands are the brief's affair, a summary full of them would be no summary.
///
/// `instructions` are the person's own, from the settings: they come first, and are passed on where there is nothing
/// else to say, too.
pub fn guide(facts: Vec<Fact>, instructions: Option<&str>) -> String {
    let own = instructions.map(|text| cut(text.trim(), INSTRUCTIONS_MOST)).filter(|text| !text.is_empty());
    let taken = own.as_ref().map_or(0, |text| text.chars().count() + INSTRUCTIONS.chars().count() + 2);
    let kept = facts.into_iter().filter(|fact| is_for_summary(fact.section)).collect();
    let chosen = budget::choose(seal::all(kept), GUIDE_BUDGET - taken, GUIDE.cost(), 0.0);
    let says_something =
        chosen.iter().any(|c| c.shown.is_some() && !matches!(c.fact.section, Section::Stood | Section::Git));
    let kept = if says_something { lay_out(&chosen, &GUIDE) } else { String::new() };
    own.map_or(kept.clone(), |own| format!("{INSTRUCTIONS}{own}\n\n{kept}").trim_end().to_owned() + "\n")
}

/// The first `most` characters.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn is_for_summary(section: Section) -> bool {
    !is_inline(section) && !matches!(section, Section::Files | Section::Commands)
}

impl Frame<'_> {
    fn cost(&self) -> usize {
        self.opening.chars().count() + self.closing.chars().count()
    }
}

/// The chosen facts by section, within their frame; nothing when none was chosen.
fn lay_out(chosen: &[Chosen], frame: &Frame) -> String {
    if chosen.iter().all(|c| c.shown.is_none()) {
        return String::new();
    }
    let mut out = frame.opening.to_owned();
    let mut shown: Vec<(&Fact, &str)> =
        chosen.iter().filter_map(|c| Some((&c.fact, c.shown.as_deref()?))).collect();
    // Stable: within a section the extractor's order stands, except that ranked ones come best first.
    shown.sort_by(|a, b| a.0.section.cmp(&b.0.section).then_with(|| within(a.0, b.0)));
    for section in shown.chunk_by(|a, b| a.0.section == b.0.section) {
        out.push_str(heading(section[0].0.section));
        for (fact, form) in section {
            out.push_str(&piece(fact, form));
        }
        if is_inline(section[0].0.section) {
            out.pop();
            out.push('\n');
        }
    }
    out.push_str(frame.closing);
    out
}

fn within(a: &Fact, b: &Fact) -> std::cmp::Ordering {
    match a.section {
        Section::Changed | Section::Files | Section::Commands => b.weight.total_cmp(&a.weight),
        section if is_inline(section) => b.weight.total_cmp(&a.weight),
        _ => std::cmp::Ordering::Equal,
    }
}

/// A section's heading, with the line break before it: nothing else in a brief may look like one.
pub fn heading(section: Section) -> &'static str {
    match section {
        Section::Differs => "\n## The summary differs from the record\n",
        Section::Asked => "\n## Asked by the user\n",
        Section::Standing => "\n## Standing instructions\n",
        Section::Answers => "\n## Decided by the user\n",
        Section::Stood => "\n## State\n",
        Section::Work => "\n## Open work\n",
        Section::Notes => "\n## Notes\n",
        Section::Failing => "\n## Failing\n",
        Section::Changed => "\n## Changed files\n",
        Section::Files => "\n## Other files\n",
        Section::Commands => "\n## Commands\n",
        Section::Decisions => "\n## Decisions of the agent\n",
        Section::Names => "\n## Symbols\n",
        Section::Tests => "\n## Tests\n",
        Section::Ids => "\n## Ids\n",
        Section::Running => "\n## Running\n",
        Section::Git => "\n## Git\n",
        Section::Active => "\n## Active commands\n",
        Section::Project => "\n## Project\n",
        Section::Cold => "\n## Finished earlier\n",
    }
}

/// Names stand in one line: what surrounds each would cost as much as it.
fn is_inline(section: Section) -> bool {
    matches!(section, Section::Names | Section::Tests | Section::Ids)
}

/// Characters that [`piece`] puts around the form of a fact.
fn around(fact: &Fact) -> usize {
    match (fact.section, fact.place) {
        (section, _) if is_inline(section) => 1,
        (Section::Changed | Section::Files | Section::Commands, _) => 1,
        (_, Some(place)) => place.0.checked_ilog10().unwrap_or(0) as usize + 6,
        (_, None) => 3,
    }
}

/// One fact as it stands in the brief, with what separates it from the next. Files and commands are themselves what
/// to look for in the transcript; a place beside each would be a tenth of the brief.
fn piece(fact: &Fact, form: &str) -> String {
    match (fact.section, fact.place) {
        (section, _) if is_inline(section) => format!("{form} "),
        (Section::Changed | Section::Files | Section::Commands, _) => format!("{form}\n"),
        (_, Some(place)) => format!("- {form} {place}\n"),
        (_, None) => format!("- {form}\n"),
    }
}

#[cfg(test)]
mod tests;
