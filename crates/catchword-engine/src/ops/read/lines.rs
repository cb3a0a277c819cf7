//! What became of the lines that our own choice would have carried over a compaction, and what the agent was handed.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde::Serialize;

use crate::brief::{self, HARD_LIMIT, REFERENCE};
use crate::choose::{self, Fact, KnownText, Section};
use crate::model::frame::{CLOSING, OPENING};
use crate::ops::history::CompactionPoint;
use crate::ops::lost::{self, Compared};
use crate::session::Session;
use crate::store::GivenBack;
use crate::text::cut::squashed;

/// Comparisons by session, line and whether something was given back.
pub type Comparisons = HashMap<(String, u32, bool, bool), Rc<Comparison>>;

/// A summary beside the record.
pub struct Comparison {
    pub compared: Compared,
    /// What our own choice takes at the largest budget without knowing the summary.
    pub carried: Vec<CarriedLine>,
}

/// A line that our own choice takes without knowing the summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CarriedLine {
    /// `head` or `reference`.
    pub part: LinePart,
    /// Its heading in a brief.
    pub heading: &'static str,
    pub text: String,
    /// Where the record has it (`L812`).
    pub place: Option<String>,
    /// The model still has it: in the summary, or in what the client keeps.
    pub kept: bool,
    /// It was lost, and the brief had it.
    pub handed_back: bool,
    /// And that brief was seen in the transcript.
    pub arrived: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinePart {
    Head,
    Reference,
}

impl LinePart {
    fn of(section: Section) -> LinePart {
        if section.is_reference() { LinePart::Reference } else { LinePart::Head }
    }
}

/// What became of the lines that our own choice takes at the largest budget without knowing the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CarriedCounts {
    /// The model still has them.
    pub kept: usize,
    /// It does not.
    pub lost: usize,
    /// Of those, in the brief.
    pub handed_back: usize,
    /// Of those, seen in the transcript.
    pub arrived: usize,
}

impl CarriedCounts {
    pub fn of(lines: &[CarriedLine]) -> CarriedCounts {
        let count = |is: fn(&CarriedLine) -> bool| lines.iter().filter(|line| is(line)).count();
        CarriedCounts {
            kept: count(|line| line.kept),
            lost: count(|line| !line.kept),
            handed_back: count(|line| line.handed_back),
            arrived: count(|line| line.arrived),
        }
    }
}

/// Compares the summary of a compaction with the session it replaced.
pub fn compare(session: &Session, point: &CompactionPoint, given: Option<&GivenBack>) -> Comparison {
    let compared = lost::compare(session, &point.summary, given);
    let mut session = session.clone();
    if point.manual {
        session.compacts_on_order();
    }
    // A broken summary tells the model nothing.
    let known = KnownText::after(&session, compared.broken.is_none().then_some(point.summary.as_str()));
    Comparison { compared, carried: carried(&session, &known, given) }
}

/// The lines that our own choice takes without knowing the summary, and what became of each.
fn carried(session: &Session, known: &KnownText, given: Option<&GivenBack>) -> Vec<CarriedLine> {
    let missing = choose::facts(session, known);
    let missing: HashSet<(Section, &str)> =
        missing.iter().map(|fact| (fact.section, fact.text.as_str())).collect();
    let is_kept =
        |fact: &Fact| known.has(&fact.key) || !missing.contains(&(fact.section, fact.text.as_str()));
    let handed = given.and_then(|given| given.brief.as_deref()).map(squashed).unwrap_or_default();
    let has_arrived = given.is_some_and(|given| given.arrived_by.is_some());
    let whole = brief::brief(choose::facts(session, &KnownText::default()), HARD_LIMIT);
    let line = |fact: &Fact, shown: &str| {
        let kept = is_kept(fact);
        // The brief may have had it under the place of another row.
        let words = [squashed(&fact.key), squashed(without_place(shown))];
        let is_handed = words.iter().any(|words| !words.is_empty() && handed.contains(words.as_str()));
        let handed_back = !kept && is_handed;
        CarriedLine {
            part: LinePart::of(fact.section),
            heading: fact.section.title(),
            text: shown.to_owned(),
            place: fact.place.map(|place| place.to_string()),
            kept,
            handed_back,
            arrived: handed_back && has_arrived,
        }
    };
    whole.chosen.iter().filter_map(|one| Some(line(&one.fact, one.shown.as_deref()?))).collect()
}

/// A line of a brief as the agent got it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandedLine {
    /// `head` or `reference`.
    pub part: LinePart,
    pub heading: String,
    pub text: String,
    /// Where the record has it (`L812`), if the line says so.
    pub place: Option<String>,
    /// It was seen in the transcript.
    pub arrived: bool,
}

/// The lines of a brief; `seen` is what the transcript has of it, if it can be read, else whether it arrived is
/// what was recorded.
pub fn handed(brief: &str, seen: Option<&str>, has_arrived: bool) -> Vec<HandedLine> {
    let seen = seen.map(squashed);
    let is_there = |text: &str| seen.as_ref().map_or(has_arrived, |seen| seen.contains(&squashed(text)));
    let mut lines: Vec<HandedLine> = Vec::new();
    let mut heading: Option<(&str, LinePart)> = None;
    let is_frame = |line: &&str| line.starts_with(OPENING) || [CLOSING, REFERENCE.trim()].contains(line);
    for line in brief.lines().filter(|line| !is_frame(line)) {
        if let Some(title) = line.strip_prefix("## ") {
            let section = Section::all().find(|section| section.title() == title);
            heading = Some((title, section.map_or(LinePart::Head, LinePart::of)));
            continue;
        }
        let Some((title, part)) = heading.filter(|_| !line.trim().is_empty()) else { continue };
        let text = line.strip_prefix("- ").unwrap_or(line).to_owned();
        let is_continued = line.starts_with(' ') && lines.last().is_some_and(|last| last.heading == title);
        match lines.last_mut().filter(|_| is_continued) {
            Some(last) => {
                last.text.push('\n');
                last.text.push_str(line.trim_start());
            }
            None => lines.push(HandedLine {
                part,
                heading: title.to_owned(),
                place: place_in(&text),
                arrived: is_there(&text),
                text,
            }),
        }
    }
    lines
}

/// A line without the place at its end.
fn without_place(line: &str) -> &str {
    let line = line.trim_end();
    let cut = line.rfind([' ', '\n']).map_or(line, |at| {
        if is_place(line[at..].trim().trim_matches(['(', ')'])) { &line[..at] } else { line }
    });
    cut.trim_end()
}

fn is_place(word: &str) -> bool {
    word.strip_prefix('L')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The place that a line names: at its start, or else the last one in it.
fn place_in(line: &str) -> Option<String> {
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
    let first = words.next().filter(|word| is_place(word));
    first.or_else(|| words.rfind(|word| is_place(word))).map(str::to_owned)
}

/// A range of bytes in characters.
pub fn characters(text: &str, bytes: std::ops::Range<usize>) -> Option<(usize, usize)> {
    let before = text.get(..bytes.start)?.chars().count();
    Some((before, before + text.get(bytes)?.chars().count()))
}

/// Where a text contains a quotation, in characters: spaces may differ, and the quotation may be cut.
pub fn span_of(text: &str, quotation: &str) -> Option<(usize, usize)> {
    let is_ink = |c: &char| !c.is_whitespace();
    let wanted: Vec<char> =
        quotation.trim().trim_matches(['…', '"', '“', '”']).chars().filter(is_ink).collect();
    let ink: Vec<(usize, char)> = text.chars().enumerate().filter(|(_, c)| is_ink(c)).collect();
    if wanted.is_empty() {
        return None;
    }
    let at = ink.windows(wanted.len()).position(|window| window.iter().map(|(_, c)| c).eq(&wanted))?;
    Some((ink[at].0, ink[at + wanted.len() - 1].0 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_found_whatever_its_spaces() {
        let summary = "7. Pending:\n   - Größe:  completed\n";
        let span = span_of(summary, "- Größe: completed …").expect("it is there");
        let found: String = summary.chars().skip(span.0).take(span.1 - span.0).collect();
        assert_eq!(found, "- Größe:  completed");
        assert_eq!(span_of(summary, "Grösse"), None);
        assert_eq!(span_of(summary, "…"), None);
    }

    #[test]
    fn the_place_at_the_end_of_a_line_is_no_part_of_it() {
        for (line, expected) in [
            ("Last call: ran `make`, which failed L704", "Last call: ran `make`, which failed"),
            ("Add a cache. (L3)", "Add a cache."),
            ("Keep L2", "Keep"),
            ("The shell is in build", "The shell is in build"),
            ("L704", "L704"),
        ] {
            assert_eq!(without_place(line), expected);
        }
    }

    #[test]
    fn a_brief_is_read_line_by_line() {
        let brief = "<catchword-record>\nThe context was compacted.\n\n## Asked by the user\n- Add a cache. (L3)\n  On port 4010.\n\n\
                     Below: lines of the record, each true when it was written; quotations are verbatim (with ' for quotation marks inside).\n\n## Commands and their outcome\n- L7 $ make → ok\n</catchword-record>";
        let lines = handed(brief, Some("- L7 $ make → ok"), true);
        let told: Vec<(LinePart, &str, Option<&str>, bool)> = lines
            .iter()
            .map(|line| (line.part, line.text.as_str(), line.place.as_deref(), line.arrived))
            .collect();
        let asked = "Add a cache. (L3)\nOn port 4010.";
        assert_eq!(told[0], (LinePart::Head, asked, Some("L3"), false), "{told:?}");
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told.last(), Some(&(LinePart::Reference, "L7 $ make → ok", Some("L7"), true)), "{told:?}");
    }
}
