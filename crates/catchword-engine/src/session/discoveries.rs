//! What the agent says it found: a cause, something it checked and ruled out, a fix.
//!
//! Only explicit sentences count, not guesses, questions or announcements.

use super::{AgentText, Session};
use crate::text::cut::first_chars;
use crate::text::sentences::sentences;
use crate::text::specifics::specifics;
use crate::text::stems::{share, stem_set};
use crate::text::words;

/// Longest sentence in characters; longer ones are explanations.
const LONGEST: usize = 320;
/// Shortest sentence, and shortest one with a label ("Root cause: …").
const SHORTEST: usize = 40;
const SHORTEST_LABELLED: usize = 20;
/// What a finding may begin with. They say nothing about what was found.
const LABELS: [&str; 6] = ["root cause:", "cause:", "fixed:", "finding:", "found:", "confirmed:"];

/// The agent's latest findings that are `wanted`, oldest first. Of several about the same thing only the latest is
/// returned.
pub fn latest_discoveries(
    session: &Session,
    most: usize,
    wanted: impl Fn(&AgentText, &str) -> bool,
) -> Vec<(&AgentText, &str)> {
    let said = session.said.iter().rev();
    let all =
        said.flat_map(|said| in_text(&said.text).into_iter().rev().map(move |sentence| (said, sentence)));
    let labels = stem_set(&LABELS.join(" "));
    let about = |sentence: &str| &stem_set(sentence) - &labels;
    let mut found: Vec<(&AgentText, &str)> = Vec::new();
    let mut seen = Vec::new();
    for (said, sentence) in all {
        let words = about(sentence);
        // A later one that is not wanted still replaces this one.
        let is_repeated = seen.iter().any(|later| share(&words, later) >= 0.3);
        if !is_repeated && wanted(said, sentence) {
            found.push((said, sentence));
        }
        seen.push(words);
        if found.len() == most {
            break;
        }
    }
    found.reverse();
    found
}

/// The findings in a text.
pub fn in_text(text: &str) -> Vec<&str> {
    sentences(text).into_iter().filter(|sentence| is_discovery(sentence)).collect()
}

fn is_discovery(sentence: &str) -> bool {
    let sentence = sentence.trim_matches(['*', '_', ' ']);
    let length = sentence.chars().count();
    if !(SHORTEST_LABELLED..=LONGEST).contains(&length)
        || sentence.trim_end_matches(['*', '_', '"']).ends_with(['?', ':'])
    {
        return false;
    }
    let lower = sentence.replace("**", "").replace('’', "'").to_lowercase();
    if is_doubtful(&lower) {
        return false;
    }
    is_labelled(&lower)
        || is_ruled_out(&lower)
        || names_an_absence(sentence, &lower)
        || (length >= SHORTEST && names_a_cause(sentence, &lower))
}

/// "Root cause: …", "Fixed: …".
fn is_labelled(lower: &str) -> bool {
    LABELS.iter().any(|label| lower.starts_with(label) && lower.len() > label.len() + 8)
}

/// "The importer is not affected; I checked": checked and ruled out.
fn is_ruled_out(lower: &str) -> bool {
    const RULED_OUT: [&str; 5] =
        ["not affected", "unaffected", "not the cause", "not the culprit", "not involved"];
    const CHECKED: [&str; 5] = ["i checked", "checked", "verified", "confirmed", "i tested"];
    let has = |cues: &[&str]| cues.iter().any(|cue| lower.contains(cue));
    has(&RULED_OUT) && has(&CHECKED) && !lower.contains("not checked")
}

/// "`CuPy` isn't installed": something specific that is missing or not supported.
pub fn names_an_absence(sentence: &str, lower: &str) -> bool {
    const ABSENCES: [&str; 10] = [
        "isn't installed",
        "is not installed",
        "aren't installed",
        "isn't available",
        "is not available",
        "isn't supported",
        "is not supported",
        "doesn't support",
        "does not support",
        "no longer exists",
    ];
    // "The feature is not supported" names nothing.
    let names_it = sentence.starts_with(|c: char| c.is_uppercase() || c == '`')
        && !["the ", "this ", "that ", "it ", "a "].iter().any(|start| lower.starts_with(start));
    ABSENCES.iter().any(|words| lower.contains(words)) && (names_it || specifics(sentence).next().is_some())
}

fn is_doubtful(lower: &str) -> bool {
    const DOUBTS: [&str; 14] = [
        "let me",
        "i'll ",
        "i need to",
        "might",
        "maybe",
        "perhaps",
        "possibl",
        "probabl",
        "likely",
        "could be",
        "to find",
        "find the",
        "if the",
        "should be",
    ];
    DOUBTS.iter().any(|doubt| lower.contains(doubt))
}

/// A sentence that names the cause of something specific, instead of searching for it.
fn names_a_cause(sentence: &str, lower: &str) -> bool {
    const CAUSES: [&str; 10] = [
        "root cause is",
        "root cause was",
        "root cause:",
        "turns out",
        "turned out",
        "the problem was",
        "the issue was",
        "the culprit",
        "the bug was",
        "caused by",
    ];
    const REPORTS: [&str; 4] = ["fixed ", "also fixed ", "i fixed ", "this fixes "];
    let mut specific = sentence.contains('`');
    words::scan(sentence, |_| specific = true);
    let reports = REPORTS.iter().any(|report| first_chars(lower, 16).starts_with(report));
    specific && !reports && CAUSES.iter().any(|cue| lower.contains(cue))
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;

    #[test]
    fn only_explicit_sentences_are_findings() {
        for text in [
            "Root cause: the session cookie is dropped on redirect.",
            "**Root cause:** the session cookie is dropped on redirect.",
            "The root cause is that `flush_rows` runs before the header is written.",
            "The importer is not affected; I checked.",
            "Fixed: the retry loop no longer swallows the first error.",
            "CuPy isn't installed.",
            "The installed aiohttp 3.9 does not support HTTP/2.",
        ] {
            assert_eq!(in_text(text).len(), 1, "{text}");
        }
        for text in [
            "Root cause: maybe the session cookie is dropped.",
            "Is the importer not affected? I checked only the reader.",
            "The importer is probably not affected; I checked the reader.",
            "Fixed:",
            "Let me find the root cause: the session cookie is dropped on redirect.",
            "Fixed the retry loop.",
            "It might be that CuPy isn't installed.",
            "The feature is not supported.",
        ] {
            assert_eq!(in_text(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_finding_replaces_only_those_about_the_same_thing() {
        let said = [
            "Root cause: a stale lock file.",
            "Root cause: wrong port numbers.",
            "Root cause: a stale lock file of a run that crashed.",
        ];
        let session = fold(&said.iter().fold(Transcript::new().prompt("Go."), |t, words| t.says(words)));
        let found = latest_discoveries(&session, 8, |_, _| true).into_iter().map(|(_, sentence)| sentence);
        assert_eq!(found.collect::<Vec<_>>(), said[1..]);
    }

    #[test]
    fn naming_a_cause_differs_from_searching_for_one() {
        for cause in [
            "The root cause is that `parse_line` drops the last field of every row.",
            "It turns out CACHE_DIR is read before the settings are loaded.",
        ] {
            assert_eq!(in_text(cause), [cause]);
        }
        for other in [
            "Let me find the root cause of the failing `parse_line` test in here.",
            "The root cause might be that `parse_line` drops the last field.",
            "It turns out that everything is fine after all, so we can go on.",
        ] {
            assert_eq!(in_text(other), [""; 0]);
        }
    }
}
