//! A summary that is none: an error message in its place, nothing at all, or one that breaks off.
//!
//! The client stores what it got as the summary. Then the brief is all that the model has of the session.

use crate::clients::{is_summary_error, summary_words};
use crate::lexicon::summaries::WANTING;
use crate::quote::quote_foreign;
use crate::reading::claims::is_one_of;
use crate::session::Session;
use crate::text::cut::first_chars;

/// Characters up to which an error message may be all of a summary; a real one may speak of errors.
const MESSAGE: usize = 600;
/// Tool calls that make a session long. A summary of one with fewer characters than calls says nothing.
const MANY: u32 = 40;

/// What is wrong with a summary, in a few words; `None` where it is one.
pub fn what_is_broken(session: &Session, summary: &str) -> Option<String> {
    let words = summary_words(summary).trim_start_matches("Summary:").trim();
    let long = words.chars().count();
    if long == 0 {
        return Some("it is empty".to_owned());
    }
    if long <= MESSAGE && is_error(words) {
        return Some(format!("it is an error message, {}", quote_foreign(words, 120)));
    }
    if session.clock >= MANY && long < session.clock as usize {
        return Some(format!("it has {long} characters for {} tool calls", session.clock));
    }
    breaks_off(words).then(|| "it breaks off".to_owned())
}

fn is_error(words: &str) -> bool {
    let lower = words.to_lowercase();
    let head = first_chars(&lower, 60);
    // A summary begins with a number, a heading or a list.
    let is_listed = head.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '#' | '-' | '*'));
    !is_listed && (is_summary_error(head) || head.starts_with("error:"))
}

/// The last line stops in the middle of a sentence: behind a comma or a word that wants another one, or inside a block
/// of code. A last line without a full stop is common in lists and says nothing.
fn breaks_off(words: &str) -> bool {
    let fences = words.lines().filter(|line| line.trim_start().starts_with("```")).count();
    let last = words.lines().next_back().unwrap_or_default().trim();
    let word = last.rsplit(' ').next().unwrap_or_default();
    fences % 2 == 1 || last.ends_with([',', '(']) || is_one_of(word, &WANTING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(summary: &str, calls: u32) -> bool {
        let mut session = Session::default();
        session.clock = calls;
        what_is_broken(&session, summary).is_some()
    }

    #[test]
    fn errors_and_fragments_are_no_summaries() {
        let around = "This session is being continued from a previous conversation that ran out of context. The \
                      conversation is summarized below:\n";
        for summary in [
            "",
            "<analysis>thinking</analysis><summary>\n</summary>",
            "API Error: 529 {\"type\":\"error\"}",
            "Claude AI usage limit reached|1754010000",
            &format!("{around}Claude AI usage limit reached|1754010000"),
            "<summary>Prompt is too long</summary>",
            "1. Goal: fix the parser\n2. Files: src/a.rs and the",
            "1. Goal: fix it\n```rust\nfn a() {",
        ] {
            assert!(broken(summary, 3), "{summary}");
        }
        assert!(broken("The parser was fixed.", 60));
    }

    #[test]
    fn short_and_error_handling_summaries_are_whole() {
        for summary in [
            "The parser was fixed.",
            "1. Goal: retry on \"API Error: 529\"\n2. Done: the client waits.\n```\na\n```\n- tests pass",
            &format!("1. Goal: show a message when the usage limit is reached. {}", "It works. ".repeat(80)),
        ] {
            assert!(!broken(summary, 3), "{summary}");
        }
    }
}
