//! What the summariser is asked to keep, in a few lines.
//!
//! At a manual compaction the client shows them to the person, so they are few and short there: the summariser has the
//! conversation and finds the rest of a quotation in it. What would do most harm if lost comes first, one item per line. Names, files that were only read and commands are
//! left to the brief, as a summary full of them would be useless; so is everything that gets no line here.

use std::fmt::Write as _;

use super::{seal, tree};
use crate::facts::{Fact, Section};
use crate::quote::harmless;
use crate::text::cut::{first_chars, one_line, squashed};

/// Total lines that the person sees at a manual compaction, unless the settings say otherwise.
pub const GUIDE_LINES: usize = 8;
/// Total lines at an automatic one, which shows nothing to anybody, unless the settings allow more.
pub const UNSEEN_GUIDE_LINES: usize = 15;
/// Items, however long the instructions are.
const FEWEST_ITEMS: usize = 2;
/// Most characters of the person's own instructions that are passed on.
pub const INSTRUCTIONS_MOST: usize = 2_000;
/// Most lines of them; if there are more, they become a single line.
const MAX_INSTRUCTION_LINES: usize = 3;

/// Introduces the person's own instructions.
const INSTRUCTIONS: &str = "The user's own instructions for this summary:\n";

/// How wordy a guide is.
struct GuideForm {
    opening: &'static str,
    closing: &'static str,
    /// Characters of an item.
    item: usize,
}

const UNSEEN: GuideForm = GuideForm {
    opening: "Keep in the summary, verbatim (from the session's record; L12 is line 12 of its transcript):\n",
    closing: "What is listed as open or failing is not done. Quote the user's instructions instead of rephrasing \
              them. Keep numbers, paths and ids exactly as they are. What the user asked of this summary comes \
              first.\n",
    item: 200,
};
/// Each line fits into a row of a terminal of 120 columns, with a section's name before an item and its place behind it.
const SHOWN: GuideForm = GuideForm {
    opening: "Keep in the summary, verbatim:\n",
    closing: "What is open or failing is not done. Quote the user; keep numbers, paths, ids. The user's own focus comes first.\n",
    item: 70,
};

/// The sections in the order of the guide, and the lines each gets before any gets more. A guide with less room than the
/// first four take together shrinks the shares alike.
const SHARES: [(Section, usize); 13] = [
    (Section::Work, 3),
    (Section::Standing, 3),
    (Section::Asked, 2),
    (Section::Failing, 2),
    (Section::Answers, 1),
    (Section::Running, 1),
    (Section::State, 1),
    (Section::Differs, 1),
    (Section::Decisions, 1),
    (Section::Changed, 1),
    (Section::Active, 1),
    (Section::Cold, 1),
    (Section::Git, 1),
];

/// The guide; empty if there is nothing to keep.
///
/// `instructions` are the person's own, from the settings: they come first, and are passed on even if there is nothing
/// else to say.
pub fn guide(facts: Vec<Fact>, instructions: Option<&str>) -> String {
    guide_within(facts, instructions, UNSEEN_GUIDE_LINES, false)
}

/// The same with this many lines; `shown` if the person sees them.
pub fn guide_within(facts: Vec<Fact>, instructions: Option<&str>, lines: usize, shown: bool) -> String {
    let form = if shown { SHOWN } else { UNSEEN };
    let own = instructions.and_then(own_instructions).unwrap_or_default();
    let frame = own.lines().count() + form.opening.lines().count() + form.closing.lines().count();
    let items = items(&seal::all(facts), lines.saturating_sub(frame).max(FEWEST_ITEMS), form.item);
    if items.is_empty() {
        return own.strip_suffix('\n').unwrap_or(&own).to_owned();
    }
    format!("{own}{}{items}{}", form.opening, form.closing)
}

/// The person's instructions with their introduction; `None` if they are empty.
fn own_instructions(text: &str) -> Option<String> {
    // The person may have them from a repository.
    let text = harmless(first_chars(text.trim(), INSTRUCTIONS_MOST));
    let is_long = text.lines().count() > MAX_INSTRUCTION_LINES;
    let text = if is_long { squashed(&text) } else { text.into_owned() };
    (!text.is_empty()).then(|| format!("{INSTRUCTIONS}{text}\n\n"))
}

/// At most `room` lines of `most` characters; empty if all of them would only describe the state.
fn items(facts: &[Fact], room: usize, most: usize) -> String {
    let usual: usize = SHARES.iter().take(4).map(|(_, share)| share).sum();
    let shrunk = |share: usize| (share * room.min(usual) / usual).max(1);
    let sections: Vec<(Section, usize, Vec<String>)> = SHARES
        .iter()
        .map(|(section, share)| (*section, shrunk(*share), lines(*section, facts, most)))
        .collect();
    let says_something = |(section, _, lines): &(Section, usize, Vec<String>)| {
        !lines.is_empty() && !matches!(section, Section::State | Section::Git)
    };
    if !sections.iter().any(says_something) {
        return String::new();
    }
    let mut taken = vec![0; sections.len()];
    let mut left = room;
    for is_share in [true, false] {
        for ((_, share, lines), taken) in sections.iter().zip(&mut taken) {
            let most = if is_share { lines.len().min(*share) } else { lines.len() };
            let more = (most - *taken).min(left);
            (*taken, left) = (*taken + more, left - more);
        }
    }
    sections.iter().zip(taken).map(|((section, _, lines), taken)| listed(*section, lines, taken)).collect()
}

fn listed(section: Section, lines: &[String], taken: usize) -> String {
    let mut out: Vec<String> =
        lines[..taken].iter().map(|line| format!("- {}: {line}", section.title())).collect();
    if let (Some(last), more @ 1..) = (out.last_mut(), lines.len() - taken) {
        let _ = write!(last, " (and {more} more)");
    }
    out.into_iter().map(|line| line + "\n").collect()
}

/// The facts of a section, the most important first; files share one line.
fn lines(section: Section, facts: &[Fact], most: usize) -> Vec<String> {
    let of_section: Vec<&Fact> = facts.iter().filter(|fact| fact.section == section).collect();
    if section == Section::Changed {
        let files: Vec<(&Fact, &str)> = of_section.iter().map(|fact| (*fact, fact.text.as_str())).collect();
        let tree = tree(&files).trim_end().replace('\n', "; ");
        return if tree.is_empty() { Vec::new() } else { vec![shortened(&tree, most)] };
    }
    of_section.into_iter().map(|fact| line(fact, most)).collect()
}

fn line(fact: &Fact, most: usize) -> String {
    let fits = fact.text.chars().count() <= most;
    let form = fact.short.as_deref().filter(|_| !fits).unwrap_or(&fact.text);
    let place = fact.place.map(|place| format!(" {place}")).unwrap_or_default();
    shortened(form, most) + &place
}

/// One line, with its closing quotation mark.
fn shortened(text: &str, most: usize) -> String {
    let mut line = one_line(text, most);
    if line.matches('"').count() % 2 == 1 {
        line.push('"');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_either_in_the_guide_or_only_in_the_brief() {
        let of_brief = [Section::Notes, Section::Project];
        let is_told = |section: &Section| SHARES.iter().any(|(told, _)| told == section);
        assert!(
            Section::all()
                .all(|section| is_told(&section) != (of_brief.contains(&section) || section.is_reference()))
        );
    }
}
