//! Facts → a brief that fits.
//!
//! A pure function of facts and budget: the same input gives the same bytes. The budget is in characters,
//! because the client's limit is; no brief exceeds [`HARD_LIMIT`].

mod budget;
pub mod cold_tasks;
pub mod failure;
mod guide;
pub mod handoff;
pub mod notes;
pub mod replay;
mod seal;
pub mod start;
pub mod why;

use crate::choose::{Fact, Left, SINCE, Section};
use crate::clients::Room;
use crate::model::event::short_id;
use crate::model::frame::{CLOSING, OPENING};
pub use guide::{GUIDE_LINES, GuideSource, INSTRUCTIONS_MOST, guide};

/// Characters of a brief unless a setting says otherwise.
pub const DEFAULT_BUDGET: usize = 6_000;
/// No brief is longer, whatever the settings say; a client's own limit may be lower ([`fit_room`]).
pub const HARD_LIMIT: usize = 9_500;
/// What stands above the verbatim lines.
pub const REFERENCE: &str = "\nBelow: lines of the record, each true when it was written; quotations are verbatim (with ' for quotation marks inside).\n";
/// Below this nothing useful fits.
const MIN_BUDGET: usize = 400;

/// The text around the facts.
struct Frame<'a> {
    opening: &'a str,
    closing: &'a str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Brief {
    /// The text for the model; empty when there is nothing to say.
    pub text: String,
    /// Every fact, included or not.
    pub chosen: Vec<BriefLine>,
}

impl Brief {
    /// How many facts are included.
    pub fn items(&self) -> usize {
        self.chosen.iter().filter(|chosen| chosen.shown.is_some()).count()
    }

    /// What is certain and what stands beside it, without the lines of the reference.
    pub fn head(&self) -> String {
        let certain = self.chosen.iter().filter(|line| !line.fact.is_chosen()).cloned().collect::<Vec<_>>();
        lay_out(&certain, &Frame { opening: "", closing: "" })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct BriefLine {
    pub fact: Fact,
    /// The form it is shown in; `None` if it was left out.
    pub shown: Option<String>,
}

/// `budget` within the usable range.
pub fn clamped(budget: usize) -> usize {
    budget.clamp(MIN_BUDGET, HARD_LIMIT)
}

/// Writes the brief of a session whose id is not known.
pub fn brief(facts: Vec<Fact>, budget: usize) -> Brief {
    brief_of(facts, budget, Compacted::default())
}

/// What a brief is told of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compacted<'a> {
    /// Its id, if known.
    pub session: Option<&'a str>,
    pub left: Left,
}

/// Writes the brief of a session. Its first line tells the model what happened, to which session, how the brief relates
/// to the summary, if there is one, and how to see more.
pub fn brief_of(facts: Vec<Fact>, budget: usize, compacted: Compacted) -> Brief {
    let session = compacted
        .session
        .map_or_else(|| "this session".to_owned(), |id| format!("this session ({})", short_id(id)));
    let (what, beside) = match compacted.left {
        Left::Summary => (
            "compacted",
            ", and leaves out what the context has. Where a summary says otherwise, this is the record; ",
        ),
        Left::Broken => ("compacted", ". "),
        Left::Nothing => ("cut and nothing of it kept", ". "),
    };
    let opening = format!(
        "{OPENING}>\nThe context was {what}; this is the record of {session}. It quotes and gives no \
         orders{beside}`catchword recall L12` shows line 12.\n"
    );
    framed(facts, budget, &Frame { opening: &opening, closing: CLOSING })
}

/// Writes a brief for a reader in another session; `whence` says which session it is from and why it is here.
pub fn brief_of_another(facts: Vec<Fact>, budget: usize, session: &str, whence: &str) -> Brief {
    let opening = format!("{OPENING} session=\"{session}\">\n{whence}\n");
    framed(facts, budget, &Frame { opening: &opening, closing: CLOSING })
}

/// Calls `write` with smaller and smaller budgets until the brief fits what the client passes on to the model.
pub fn fit_room(room: Room, budget: usize, write: impl Fn(usize) -> Brief) -> Brief {
    let (mut budget, bytes) = match room {
        Room::Characters(characters) => return write(budget.min(characters)),
        Room::Bytes(bytes) => (budget, bytes),
    };
    loop {
        let brief = write(budget);
        if brief.text.len() <= bytes || budget <= MIN_BUDGET {
            return brief;
        }
        budget = (budget * bytes / brief.text.len()).min(budget - 1);
    }
}

fn framed(facts: Vec<Fact>, budget: usize, frame: &Frame) -> Brief {
    let chosen = budget::choose(seal::all(facts), clamped(budget), frame.cost());
    let text = lay_out(&chosen, frame);
    debug_assert!(text.chars().count() <= clamped(budget), "the budget was kept");
    Brief { text, chosen }
}

impl Frame<'_> {
    fn cost(&self) -> usize {
        self.opening.chars().count() + self.closing.chars().count()
    }
}

/// The chosen facts by section, within the frame; empty if none was chosen.
fn lay_out(chosen: &[BriefLine], frame: &Frame) -> String {
    if chosen.iter().all(|c| c.shown.is_none()) {
        return String::new();
    }
    let mut out = frame.opening.to_owned();
    let mut shown: Vec<(&Fact, &str)> =
        chosen.iter().filter_map(|c| Some((&c.fact, c.shown.as_deref()?))).collect();
    // Stable sort: a section keeps the order of its rule, those of the reference that of the record.
    shown.sort_by(|a, b| a.0.section.cmp(&b.0.section).then_with(|| within(a.0, b.0)));
    let mut refers = false;
    for section in shown.chunk_by(|a, b| a.0.section == b.0.section) {
        if !refers && section[0].0.section.is_reference() {
            out.push_str(REFERENCE);
            refers = true;
        }
        out.push_str(&heading(section[0].0.section));
        if is_tree(section[0].0.section) {
            out.push_str(&tree(section));
            continue;
        }
        for (fact, form) in section {
            out.push_str(&piece(fact, form));
        }
    }
    out.push_str(frame.closing);
    out
}

fn within(a: &Fact, b: &Fact) -> std::cmp::Ordering {
    match a.section {
        section if section.is_reference() || section == Section::Asked => a.place.cmp(&b.place),
        _ => std::cmp::Ordering::Equal,
    }
}

/// A section's heading, with the line break before it: nothing else in a brief may look like one.
pub fn heading(section: Section) -> String {
    format!("\n## {}\n", section.title())
}

/// Sections that group files by folder.
fn is_tree(section: Section) -> bool {
    matches!(section, Section::Changed)
}

/// Files grouped by folder, folders in the order of their first file: `src/auth/: login.rs (3 edits), token.rs`.
fn tree(files: &[(&Fact, &str)]) -> String {
    let mut folders: Vec<(&str, Vec<&str>)> = Vec::new();
    for (_, form) in files {
        // A quoted path is one name.
        let path = form.split(" (").next().filter(|path| !path.starts_with('"')).unwrap_or_default();
        let (folder, name) = form.split_at(path.rfind(['/', '\\']).map_or(0, |at| at + 1));
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, names)) => names.push(name),
            None => folders.push((folder, vec![name])),
        }
    }
    let line = |(folder, names): &(&str, Vec<&str>)| match (folder.is_empty(), names.as_slice()) {
        (false, [name]) => format!("{folder}{name}\n"),
        (false, names) => format!("{folder}: {}\n", names.join(", ")),
        (true, names) => format!("{}\n", names.join(", ")),
    };
    folders.iter().map(line).collect()
}

/// One fact as a line of the brief. Files and commands have no place: they can be searched for by name, and places
/// would take a tenth of the brief.
fn piece(fact: &Fact, form: &str) -> String {
    match (fact.section, fact.place) {
        (Section::Changed, _) => format!("{form}\n"),
        (_, Some(place)) => format!("- {}\n", with_place(form, place)),
        (_, None) => format!("- {form}\n"),
    }
}

/// A text with its place. What is remarked behind it is not from there: `"…" L7; edited since: a.rs L9`.
pub fn with_place(text: &str, place: impl std::fmt::Display) -> String {
    let (own, remark) = text.split_at(remark_in(text).unwrap_or(text.len()));
    format!("{own} {place}{remark}")
}

/// Where a remark begins, outside of quotations and code.
fn remark_in(text: &str) -> Option<usize> {
    let mut open = None;
    text.char_indices().find_map(|(at, c)| {
        match (open, c) {
            (None, '"' | '`') => open = Some(c),
            (Some(mark), _) if c == mark => open = None,
            (None, ';') if SINCE.iter().any(|since| text[at..].starts_with(since)) => return Some(at),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests;
