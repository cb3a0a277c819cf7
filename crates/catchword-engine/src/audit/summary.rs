//! A summary as it is read for the audit: its units (list items and sentences) with the heading above them.

use crate::text::speech::Speech;

/// A summary, taken apart.
pub struct Summary<'a> {
    /// As written.
    pub text: &'a str,
    units: Vec<Unit<'a>>,
    speech: Speech,
}

/// A list item or a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// Without its bullet.
    pub text: &'a str,
    /// What it stands under.
    pub under: Heading,
    /// In a block of code.
    pub fenced: bool,
}

/// What a part of a summary is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// What is not done.
    Pending,
    /// What is done.
    Done,
    /// What was being done at the end.
    Current,
    /// What the user said.
    UserMessages,
    /// The model's thoughts before the summary, told as a story.
    Story,
    /// Anything else.
    Other,
}

impl<'a> Summary<'a> {
    /// Takes a summary apart.
    pub fn new(text: &'a str) -> Summary<'a> {
        Summary { text, units: units(text), speech: Speech::new(text) }
    }

    /// List items and sentences, in order.
    pub fn units(&self) -> &[Unit<'a>] {
        &self.units
    }

    /// Contains these very words, case and line breaks aside.
    pub fn says(&self, words: &str) -> bool {
        self.speech.says(words)
    }

    /// The largest share of these words that stands close together somewhere, from 0 to 1.
    pub fn speaks_of(&self, words: &str) -> f32 {
        self.speech.speaks_of(words)
    }
}

fn units(text: &str) -> Vec<Unit<'_>> {
    let mut under = Heading::Other;
    let mut fenced = false;
    let mut out = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if trimmed.is_empty() || is_closing_words(trimmed) {
            continue;
        }
        if let Some(found) = (!fenced).then(|| heading(line)).flatten() {
            under = found;
        }
        under = split(trimmed, under, fenced, &mut out);
    }
    out
}

/// What the client appends to every summary is none of the model's words.
fn is_closing_words(line: &str) -> bool {
    line.starts_with("If you need specific details from before compaction")
        || line.starts_with("Please continue the conversation from where")
        || line.starts_with("This session is being continued from a previous conversation")
}

/// What the lines below this one are about, where it is a heading.
fn heading(line: &str) -> Option<Heading> {
    let trimmed = line.trim();
    let bare = trimmed.trim_start_matches(['#', '*', ' ']);
    let numbered = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let title = numbered.trim_start_matches(['.', ')', '*', ' ']).trim_end_matches(['*', ' ']);
    let is_title = trimmed.starts_with('#')
        || (title.trim_end_matches(['*', ' ']).ends_with(':')
            && (numbered.len() < bare.len() || !line.starts_with(' ')))
        || (trimmed.starts_with("**") && trimmed.ends_with("**"))
        || (title.contains(':')
            && title.len() < 60
            && numbered.len() < bare.len()
            && !line.starts_with(' ')
            && is_known(title));
    let words = title.split_whitespace().count();
    if !is_title || words > 9 || trimmed.starts_with(['-', '•']) || trimmed.starts_with("* ") {
        return None;
    }
    Some(matter(title))
}

fn is_known(title: &str) -> bool {
    title.split_once(':').is_some_and(|(name, _)| matter(name) != Heading::Other)
}

fn matter(title: &str) -> Heading {
    let title = title.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| title.contains(word));
    if has(&["user message", "messages from the user", "user's messages", "user request history"]) {
        Heading::UserMessages
    } else if has(&["analysis", "chronological"]) {
        Heading::Story
    } else if has(&[
        "pending",
        "remaining",
        "todo",
        "to do",
        "to-do",
        "open task",
        "outstanding",
        "not yet",
        "still need",
    ]) {
        Heading::Pending
    } else if has(&["completed", "done", "finished", "accomplished"]) {
        Heading::Done
    } else if has(&["current work", "current state", "current status", "next step", "status"]) {
        Heading::Current
    } else {
        Heading::Other
    }
}

/// Splits a line; what its last part stands under holds for the next. A summary on one line has its headings in it.
fn split<'a>(line: &'a str, mut under: Heading, fenced: bool, out: &mut Vec<Unit<'a>>) -> Heading {
    let item = line.trim_start_matches(['-', '*', '•', '#', '>', ' ']);
    let is_item = item.len() < line.len() || item.starts_with(|c: char| c.is_ascii_digit());
    // A quotation stands whole: where it ends is looked for by who needs it.
    if fenced || (is_item && under == Heading::UserMessages) {
        if !item.trim().is_empty() {
            out.push(Unit { text: item.trim(), under, fenced });
        }
        return under;
    }
    let bytes = item.as_bytes();
    let mut start = 0;
    for at in 0..=bytes.len() {
        let ends = at == bytes.len()
            || (matches!(bytes[at], b'.' | b'!' | b'?' | b';')
                && bytes.get(at + 1) == Some(&b' ')
                && at - start > 4);
        // "e.g. text" is no end.
        if !ends || item[..at].ends_with("e.g") || item[..at].ends_with("i.e") {
            continue;
        }
        let text = item[start..(at + 1).min(item.len())].trim();
        start = (at + 1).min(item.len());
        if !text.is_empty() {
            under = inline_heading(text).unwrap_or(under);
            out.push(Unit { text, under, fenced });
        }
    }
    under
}

/// `7. Pending Tasks: …` in the middle of a line.
fn inline_heading(text: &str) -> Option<Heading> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let (title, _) = rest.strip_prefix(". ")?.split_once(':')?;
    let is_title =
        rest.len() < text.len() && title.split(' ').count() <= 5 && title.starts_with(char::is_uppercase);
    is_title.then(|| matter(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Analysis:\n1. We began.\n\nSummary:\n6. All user messages:\n   - \"Fix it. Now.\"\n\n7. Pending Tasks:\n   - Write docs; later\n   - **Ship**\n\n8. Current Work:\n   All tests pass. Lint fails.\n```\ncode. x\n```";

    #[test]
    fn units_know_what_they_stand_under() {
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
}
