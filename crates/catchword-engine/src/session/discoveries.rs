//! What the agent says it found: a cause, something it checked and ruled out, a fix.
//!
//! Only explicit sentences count, not guesses, questions or announcements.

use crate::reading::prose::sentences_that;
use crate::text::phrases::ReadSentence;

/// The findings in a text.
pub fn in_text(text: &str) -> Vec<&str> {
    sentences_that(text, ReadSentence::is_finding)
}

#[cfg(test)]
mod tests {
    use super::*;

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
