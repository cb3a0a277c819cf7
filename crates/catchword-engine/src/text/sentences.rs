//! Splits text into sentences.

use std::sync::LazyLock;

use super::passages::{heading, item};
use super::phrases::phrases_of;
use crate::lexicon::languages::Sense;

/// A line of at least this many columns may have been wrapped by hand. East Asian characters take two columns.
const MIN_WRAPPED: usize = 56;
/// The same if the next line starts with a capital and may be a new sentence.
const MIN_WRAPPED_BEFORE_CAPITAL: usize = 70;

/// The sentences of a text. Lines wrapped by hand are joined, so a sentence may contain a line break. Fenced blocks are
/// code and are skipped.
pub fn sentences(text: &str) -> Vec<&str> {
    sentences_in(text, |_| false)
}

/// The same without quoted lines (those that start with `>`).
pub fn own_sentences(text: &str) -> Vec<&str> {
    sentences_in(text, is_quoted)
}

fn is_quoted(line: &str) -> bool {
    line.trim_start().strip_prefix('>').is_some_and(|rest| !rest.starts_with('='))
}

fn sentences_in(text: &str, left_out: fn(&str) -> bool) -> Vec<&str> {
    let mut out = Vec::new();
    for line in lines_in(text, left_out).into_iter().filter(|line| !line.is_code) {
        split_sentences(line.text, &mut out);
    }
    out
}

/// A line of a text as its writer meant it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// With the line breaks of one that was wrapped by hand.
    pub text: &'a str,
    /// In a fenced block, or its fence.
    pub is_code: bool,
}

/// The lines of a text. Those that were wrapped by hand are one.
pub fn text_lines(text: &str) -> Vec<TextLine<'_>> {
    lines_in(text, |_| false)
}

fn lines_in(text: &str, left_out: fn(&str) -> bool) -> Vec<TextLine<'_>> {
    let mut lines: Vec<TextLine> = Vec::new();
    let (mut fenced, mut last, mut at, mut began) = (false, None::<&str>, 0, 0);
    for line in text.split_inclusive('\n') {
        let (from, bare) = (at, line.trim_end_matches(['\n', '\r']));
        at += line.len();
        let is_fence = bare.trim_start().starts_with("```");
        fenced ^= is_fence;
        let is_code = is_fence || fenced;
        if left_out(bare) && !is_code {
            last = None;
            continue;
        }
        match lines.last_mut() {
            Some(line) if last.is_some_and(|last| !is_code && goes_on(last, bare)) => {
                line.text = &text[began..from + bare.len()];
            }
            _ => {
                began = from;
                lines.push(TextLine { text: bare, is_code });
            }
        }
        last = (!is_code).then_some(bare);
    }
    lines
}

/// Whether a line was wrapped by hand: it is long, ends in mid-sentence, and the next one does not start something new.
fn goes_on(line: &str, next: &str) -> bool {
    let (end, begin) = (line.trim_end(), next.trim_start());
    let is_end =
        end.ends_with(['.', '!', '?', ':', '。', '！', '？', '：', '|', '`']) || heading(end).is_some();
    let begins = begin.is_empty()
        || item(begin).is_some()
        || heading(begin).is_some()
        || begin.starts_with(['|', '>', '#', '`', '<', '[', '*', '-']);
    let least = if begin.starts_with(char::is_uppercase) { MIN_WRAPPED_BEFORE_CAPITAL } else { MIN_WRAPPED };
    !is_end && !begins && columns(end) >= least
}

fn columns(line: &str) -> usize {
    line.chars().map(|c| if c as u32 >= 0x1100 { 2 } else { 1 }).sum()
}

fn split_sentences<'a>(line: &'a str, out: &mut Vec<&'a str>) {
    let mut start = 0;
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        let ends = match c {
            '.' | '!' | '?' => {
                let is_last = line[end..].chars().next().is_none_or(|next| matches!(next, ' ' | '\n'));
                is_last && !is_abbreviation(&line[start..end])
            }
            _ => matches!(c, '。' | '！' | '？'),
        };
        if ends {
            push_trimmed(&line[start..end], out);
            start = end;
        }
    }
    push_trimmed(&line[start..], out);
}

static ABBREVIATIONS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| phrases_of(Sense::Abbreviation).collect());

/// The final dot belongs to an abbreviation: "ours vs. theirs".
fn is_abbreviation(text: &str) -> bool {
    let word = text.rsplit([' ', '(']).next().unwrap_or_default().trim_end_matches('.');
    ABBREVIATIONS.iter().any(|short| word.eq_ignore_ascii_case(short))
}

fn push_trimmed<'a>(sentence: &'a str, out: &mut Vec<&'a str>) {
    let trimmed = sentence.trim().trim_start_matches(['-', '*', '•', '#', '>']).trim_start();
    if !trimmed.is_empty() {
        out.push(trimmed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_exclude_fenced_code() {
        let text = "Fix it. Never touch a.rs!\n- use tabs\n```\nnever();\n```\nDone?";
        assert_eq!(sentences(text), ["Fix it.", "Never touch a.rs!", "use tabs", "Done?"]);
        assert_eq!(sentences("Compare ours vs. theirs. Go"), ["Compare ours vs. theirs.", "Go"]);
        assert_eq!(sentences("消さないで。必ず確認して！"), ["消さないで。", "必ず確認して！"]);
    }

    #[test]
    fn lines_wrapped_by_hand_are_one_sentence() {
        let wrapped = "The reader takes the lock twice when the file is empty, which is\nnot what anybody expects. So wait.";
        assert_eq!(
            sentences(wrapped),
            [
                "The reader takes the lock twice when the file is empty, which is\nnot what anybody expects.",
                "So wait."
            ]
        );
        let japanese =
            "キャッシュの上限については次の版で変更するという方針を文書に明記した\nほうがよいと思います。";
        assert_eq!(sentences(japanese).len(), 1);
        for apart in [
            "use tabs\nnever push",
            "The list of what is to be done for the next release of the tool\n- first",
            "The list of what is to be done for the next release of the tool:\nfirst",
        ] {
            assert_eq!(sentences(apart).len(), 2, "{apart}");
        }
    }
}
