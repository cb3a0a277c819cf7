//! Parses a summary for the audit into units (list items and sentences) with the kind of heading above them.

use super::sentence::is_ours;
use crate::clients::{has_summary_frame, heading_of_section};
pub use crate::lexicon::summaries::Heading;
use crate::lexicon::summaries::{Cues, LANGUAGES, SENTENCE, STORY_TITLE, SummaryWords};
use crate::model::frame::FRAMED;
use crate::reading::claims::{is_one_of, mentions};

/// A parsed summary.
pub struct Summary<'a> {
    /// As written.
    pub text: &'a str,
    units: Vec<Unit<'a>>,
    /// The heading of a list of pending work with nothing below it.
    empty_pending: Option<&'a str>,
}

/// A list item or a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// Without its bullet.
    pub text: &'a str,
    /// Without a label such as "Pending Tasks:" before it.
    pub body: &'a str,
    /// The kind of heading above it.
    pub under: Heading,
    /// In a block of code.
    pub fenced: bool,
    /// Where the summary has it, in bytes.
    pub at: usize,
}

/// What the summary says, and where.
#[derive(Clone, Copy)]
pub struct SummaryClaim<'a> {
    /// The list item or sentence.
    pub quote: &'a str,
    /// Where the part of it stands that claims something, in bytes.
    pub from: usize,
    pub to: usize,
}

impl<'a> Unit<'a> {
    /// All of it.
    pub fn claim(&self) -> SummaryClaim<'a> {
        SummaryClaim { quote: self.text, from: self.at, to: self.at + self.text.len() }
    }

    /// A part of its text.
    pub fn clause(&self, part: &'a str) -> SummaryClaim<'a> {
        let from = self.at + (part.as_ptr() as usize - self.text.as_ptr() as usize);
        SummaryClaim { quote: self.text, from, to: from + part.len() }
    }

    /// It describes the present state, not the history.
    pub fn is_present(&self) -> bool {
        matches!(self.under, Heading::Current | Heading::Pending | Heading::Done) && !self.fenced
    }

    /// The summary's own statement: neither code nor a message of the user's.
    pub fn is_stated(&self) -> bool {
        !self.fenced && self.under != Heading::UserMessages
    }

    /// Stated, and not in the analysis before the summary, which tells what was true on the way.
    pub fn is_told(&self) -> bool {
        self.is_stated() && self.under != Heading::Story
    }
}

impl<'a> Summary<'a> {
    /// Parses a summary.
    pub fn new(text: &'a str) -> Summary<'a> {
        let mut units = units(text, false);
        // Headings in an unknown language are recognised by their numbers.
        let is_known = |unit: &Unit| !matches!(unit.under, Heading::Other | Heading::Story);
        if !units.iter().any(is_known) && sections(text) >= NUMBERED {
            units = self::units(text, true);
        }
        let is_plain = !units.iter().any(is_known);
        if is_plain {
            // Without headings: a summary of a few sentences describes the present.
            units
                .iter_mut()
                .filter(|unit| unit.under == Heading::Other)
                .for_each(|u| u.under = Heading::Current);
        }
        Summary { text, units, empty_pending: empty_pending(text) }
    }

    /// List items and sentences, in order.
    pub fn units(&self) -> &[Unit<'a>] {
        &self.units
    }

    /// The heading of a list of pending work with nothing below it.
    pub fn empty_pending(&self) -> Option<SummaryClaim<'a>> {
        let quote = self.empty_pending?;
        let from = quote.as_ptr() as usize - self.text.as_ptr() as usize;
        Some(SummaryClaim { quote, from, to: from + quote.len() })
    }
}

/// With at least this many numbered sections, the numbers identify them, as the client has its summariser write them.
const NUMBERED: u32 = 7;

fn units(text: &str, by_number: bool) -> Vec<Unit<'_>> {
    let mut under = Heading::Other;
    let (mut fenced, mut ours) = (false, false);
    let at_of = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let mut out = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        // A text of ours that the summary copies says what the record says.
        let opens = FRAMED.iter().any(|(opening, _)| trimmed.contains(opening));
        let is_framed = ours || opens;
        ours = is_framed && !FRAMED.iter().any(|(_, closing)| trimmed.contains(closing));
        if is_framed || is_ours(trimmed) {
            continue;
        }
        if trimmed.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if trimmed.is_empty() || has_summary_frame(trimmed) {
            continue;
        }
        if by_number && !fenced {
            under = section_number(line)
                .map_or(under, |number| heading_of_section(number).unwrap_or(Heading::Other));
        } else if let Some(found) = (!fenced).then(|| heading(line).or_else(|| section(line))).flatten() {
            under = found;
        }
        under = split(trimmed, under, fenced, &at_of, &mut out);
    }
    out
}

/// The number of a section that begins with this line: `7. …`, `## 7. …`, `**7. …`, not indented.
fn section_number(line: &str) -> Option<u32> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let bare = line.trim_start_matches(['#', '*', ' ']);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let rest = bare[digits..].strip_prefix(['.', ')', '、', '．'])?;
    let number = bare[..digits].parse().ok().filter(|n| (1..=12).contains(n))?;
    rest.trim_end_matches(['*', ' ']).contains([':', '：']).then_some(number)
}

/// The last section number of an unbroken count from one.
fn sections(text: &str) -> u32 {
    text.lines()
        .filter_map(section_number)
        .fold(0, |last, number| if number == last + 1 { number } else { last })
}

/// The kind of heading this line is, if it is one.
fn heading(line: &str) -> Option<Heading> {
    let trimmed = line.trim();
    let bare = trimmed.trim_start_matches(['#', '*', ' ']);
    let numbered = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let title = numbered.trim_start_matches(['.', ')', '*', ' ']).trim_end_matches(['*', ' ']);
    let ends = title.ends_with([':', '：']);
    let is_title = trimmed.starts_with('#')
        || (ends && (numbered.len() < bare.len() || !line.starts_with(' ')))
        || (trimmed.starts_with("**") && trimmed.ends_with("**"));
    let words = title.split_whitespace().count();
    if !is_title || words > 9 || trimmed.starts_with(['-', '•']) || trimmed.starts_with("* ") {
        return None;
    }
    Some(matter(title))
}

/// The kind of a section whose heading has text on the same line: `7. Pending Tasks: none`.
fn section(line: &str) -> Option<Heading> {
    section_number(line).and(label(line)).map(|label| label.about)
}

/// A heading of pending work directly followed by another heading or the end.
fn empty_pending(text: &str) -> Option<&str> {
    let mut lines =
        text.lines().filter(|line| !line.trim().is_empty() && !has_summary_frame(line.trim())).peekable();
    while let Some(line) = lines.next() {
        let is_empty = heading(line) == Some(Heading::Pending)
            && line.trim().trim_end_matches(['*', ' ']).ends_with([':', '：'])
            && lines.peek().is_none_or(|next| section_number(next).is_some() || next.starts_with('#'));
        if is_empty {
            return Some(line.trim());
        }
    }
    None
}

/// The kind of heading with this title, in the languages we know.
fn matter(title: &str) -> Heading {
    let title = title.to_lowercase();
    let has =
        |of: fn(&SummaryWords) -> &Cues| LANGUAGES.iter().any(|language| mentions(&title, of(language)));
    if has(|of| &of.messages_title) {
        Heading::UserMessages
    } else if mentions(&title, &STORY_TITLE) {
        Heading::Story
    } else if has(|of| &of.pending_title) {
        Heading::Pending
    } else if has(|of| &of.done_title) {
        Heading::Done
    } else if has(|of| &of.current_title) {
        Heading::Current
    } else {
        Heading::Other
    }
}

/// Splits a line into units and returns the heading that holds for the next line. A summary on one line contains its
/// headings.
fn split<'a>(
    line: &'a str,
    mut under: Heading,
    fenced: bool,
    at_of: &dyn Fn(&str) -> usize,
    out: &mut Vec<Unit<'a>>,
) -> Heading {
    let item = line.trim_start_matches(['-', '*', '•', '#', '>', ' ']);
    let is_item = item.len() < line.len() || item.starts_with(|c: char| c.is_ascii_digit());
    // Quoted messages are not split.
    if fenced || (is_item && under == Heading::UserMessages) {
        if !item.trim().is_empty() {
            let text = item.trim();
            out.push(Unit { text, body: text, under, fenced, at: at_of(text) });
        }
        return under;
    }
    let mut start = 0;
    for (at, c) in item.char_indices().chain([(item.len(), '\n')]) {
        let end = (at + c.len_utf8()).min(item.len());
        let ends = match c {
            '\n' => at == item.len(),
            '.' | '!' | '?' | ';' => item[end..].starts_with(' ') && at - start > 4,
            _ => matches!(c, '。' | '！' | '？' | '；'),
        };
        // Neither "e.g. text" nor the end of a quoted sentence ends the unit.
        let is_quoted = item[start..at].matches('"').count() % 2 == 1 && item[end..].contains('"');
        if !ends || is_quoted || item[..at].ends_with("e.g") || item[..at].ends_with("i.e") {
            continue;
        }
        let text = item[start..end].trim();
        start = end;
        if text.is_empty() {
            continue;
        }
        // Labels inside the analysis describe the past.
        let label = label(text)
            .filter(|label| under != Heading::Story || label.lasts && label.about != Heading::Current);
        if let Some(label) = label.filter(|label| label.lasts || !is_item) {
            under = label.about;
        }
        let (under, body) = label.map_or((under, text), |label| (label.about, label.rest));
        out.push(Unit { text, body, under, fenced, at: at_of(text) });
    }
    under
}

/// "Pending Tasks: …" at the start of a sentence.
#[derive(Clone, Copy)]
struct Label<'a> {
    about: Heading,
    rest: &'a str,
    /// It is numbered, so it also applies to what follows.
    lasts: bool,
}

fn label(text: &str) -> Option<Label<'_>> {
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let lasts = bare.len() < text.len() && bare.starts_with(['.', ')']);
    let title = bare.trim_start_matches(['.', ')', '*', ' ']);
    let (name, rest) = title.split_once([':', '：'])?;
    let about = matter(name);
    // "Not all tasks are completed: …" is a sentence.
    let is_said = |word: &str| is_one_of(&word.to_lowercase(), &SENTENCE);
    let is_name =
        name.split_whitespace().count() <= 5 && name.chars().count() <= 40 && !name.split(' ').any(is_said);
    let rest = rest.trim_start_matches(['*', ' ']);
    (is_name && about != Heading::Other && !rest.is_empty()).then_some(Label { about, rest, lasts })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Analysis:\n1. We began.\n\nSummary:\n6. All user messages:\n   - \"Fix it. Now.\"\n\n7. Pending Tasks:\n   - Write docs; later\n   - **Ship**\n\n8. Current Work:\n   All tests pass. Lint fails.\n```\ncode. x\n```";

    #[test]
    fn units_know_their_heading() {
        let found: Vec<(&str, Heading)> =
            Summary::new(TEXT).units().iter().filter(|u| !u.fenced).map(|u| (u.text, u.under)).collect();
        for expected in [
            ("1. We began.", Heading::Story),
            ("\"Fix it. Now.\"", Heading::UserMessages),
            ("Write docs;", Heading::Pending),
            ("All tests pass.", Heading::Current),
            ("Lint fails.", Heading::Current),
        ] {
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
    }

    #[test]
    fn headings_are_found_in_a_summary_on_one_line() {
        let text =
            "1. Goal: add a limiter. 7. Pending Tasks: none. 8. Current Work: the docs. They are long.";
        let summary = Summary::new(text);
        let found: Vec<(&str, Heading)> = summary.units().iter().map(|u| (u.body, u.under)).collect();
        assert!(found.contains(&("none.", Heading::Pending)), "{found:?}");
        assert!(found.contains(&("They are long.", Heading::Current)), "{found:?}");
    }

    #[test]
    fn sections_in_an_unknown_language_are_recognised_by_number() {
        let lines = ["Cél", "Fogalmak", "Fájlok", "Hibák", "Megoldás", "Üzenetek", "Teendők", "Most"];
        let sections =
            lines.iter().enumerate().map(|(n, line)| format!("{}. {line}:\n   - szöveg {n}", n + 1));
        let text = sections.collect::<Vec<_>>().join("\n");
        let summary = Summary::new(&text);
        let under = |body: &str| summary.units().iter().find(|u| u.body == body).map(|u| u.under);
        assert_eq!(under("szöveg 5"), Some(Heading::UserMessages));
        assert_eq!(under("szöveg 6"), Some(Heading::Pending));
        assert_eq!(under("szöveg 0"), Some(Heading::Other));
    }

    #[test]
    fn an_empty_list_of_pending_work_is_recognised() {
        for (text, expected) in [
            ("7. Pending Tasks:\n\n8. Current Work:\n   x", true),
            ("7. Tarefas pendentes:\n8. Trabalho atual:\n   x", true),
            ("## 7. 待办事项：\n## 8. 当前工作：\n   x", true),
            ("7. Pending Tasks:\n   - Write docs\n8. Current Work:\n   x", false),
            ("7. Pending Tasks: none\n8. Current Work:\n   x", false),
        ] {
            assert_eq!(Summary::new(text).empty_pending().is_some(), expected, "{text}");
        }
    }
}
