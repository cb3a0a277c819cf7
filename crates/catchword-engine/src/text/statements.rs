//! Splits prose into statements that make sense on their own.
//!
//! A sentence out of context often says nothing: half of a wrapped line, or "This also fails" without what "this" is.
//! So wrapped lines are joined first, and a sentence that points back is kept together with the one before it.
//! Headings, tables, code, lists and lines that only introduce something are not statements: a list item depends on the
//! line above its list, and nothing says whether it still holds.

use super::passages::item;
use super::phrases::ReadSentence;
use super::sentences::sentences;
use crate::lexicon::languages::Sense;

/// Longest statement made of two sentences, in characters.
const MAX_JOINED: usize = 280;

/// The statements of a text, in order, without `**`.
pub fn statements(text: &str) -> Vec<String> {
    paragraphs(text).iter().flat_map(|paragraph| statements_of(paragraph)).collect()
}

fn statements_of(paragraph: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for sentence in sentences(paragraph) {
        if !points_back(sentence) {
            out.push(sentence.to_owned());
        } else if let Some(last) = out.last_mut()
            && last.chars().count() + sentence.chars().count() < MAX_JOINED
        {
            last.push(' ');
            last.push_str(sentence);
        }
    }
    // Drop lines that only introduce what follows.
    out.retain(|statement| !statement.ends_with([':', '：']));
    out
}

/// The paragraphs of a text, each on one line.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let (mut is_fenced, mut continues, mut in_item) = (false, false, false);
    for line in text.lines().map(str::trim) {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_fenced ^= is_fence;
        if line.is_empty() || is_fence || is_fenced || is_not_prose(line) {
            (continues, in_item) = (false, false);
        } else if item(line).is_some() {
            (continues, in_item) = (false, true);
        } else if in_item {
            // The rest of a wrapped item.
        } else {
            let line = line.replace("**", "");
            match paragraphs.last_mut().filter(|_| continues) {
                Some(paragraph) => {
                    paragraph.push(' ');
                    paragraph.push_str(&line);
                }
                None => paragraphs.push(line),
            }
            continues = true;
        }
    }
    paragraphs
}

/// Headings, tables, rules and quoted lines.
fn is_not_prose(line: &str) -> bool {
    let has_no_word = !line.chars().any(char::is_alphanumeric);
    has_no_word || line.starts_with(['#', '|', '<', '>', '+', '{', '}', '│', '├', '└'])
}

/// A sentence that cannot be understood without the one before it.
fn points_back(sentence: &str) -> bool {
    let first = sentence.find(' ').map_or(sentence, |end| &sentence[..end]);
    ReadSentence::new(first).has(Sense::PointsBack)
        || sentence.chars().next().is_some_and(char::is_lowercase)
        || sentence.starts_with(['(', ')', ','])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_are_joined_before_splitting() {
        let text = "The port should be\nclarified before the release. Nothing else\nis open.";
        assert_eq!(
            statements(text),
            ["The port should be clarified before the release.", "Nothing else is open."]
        );
    }

    #[test]
    fn list_items_are_not_statements() {
        let text = "Two things are missing:\n\n- the limiter in `gateway.rs`\n- a test\n  for it\n1. more\n\nIt is late.\nThe end.";
        assert_eq!(statements(text), ["The end."]);
    }

    #[test]
    fn sentence_that_points_back_is_joined_to_the_previous_one() {
        let text = "The cache is never emptied. This makes `warm_up` slow. The store is fine.";
        assert_eq!(
            statements(text),
            ["The cache is never emptied. This makes `warm_up` slow.", "The store is fine."]
        );
        assert_eq!(statements("But that is another matter."), [] as [&str; 0]);
    }

    #[test]
    fn headings_tables_code_and_introductions_are_not_statements() {
        let text = "## Result\n| a | b |\n```\nlet x = 1;\n```\nThe files are:\n---\n**Root cause:** the lock is held.";
        assert_eq!(statements(text), ["Root cause: the lock is held."]);
    }

    #[test]
    fn scripts_without_spaces_are_split_too() {
        assert_eq!(statements("限流器没有接上。网关正常。"), ["限流器没有接上。", "网关正常。"]);
    }
}
