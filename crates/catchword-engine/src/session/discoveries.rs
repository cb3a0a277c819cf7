//! What the agent says it found: a cause, something it checked and ruled out, a fix.
//!
//! Only explicit sentences count, not guesses, questions or announcements.

use std::collections::HashSet;

use super::{AgentText, Session};
use crate::reading::prose::sentences_that;
use crate::text::phrases::ReadSentence;
use crate::text::stems::{Stem, share, stem_set};

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
    // "Root cause" says nothing about what was found.
    let about = |sentence: &str| {
        let said = sentence.split_once(':').filter(|_| !in_text(sentence).is_empty());
        stem_set(said.map_or(sentence, |(_, said)| said))
    };
    let mut found: Vec<(&AgentText, &str)> = Vec::new();
    let mut seen = Vec::new();
    for (said, sentence) in all {
        let words = about(sentence);
        // A later one that is not wanted still replaces this one.
        let is_same =
            |later: &HashSet<Stem>| share(&words, later) >= 0.3 && words.intersection(later).nth(1).is_some();
        let is_repeated = seen.iter().any(is_same);
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
    sentences_that(text, ReadSentence::is_finding)
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
