//! The patterns in a file of key facts: regular expressions as Python writes them, with look-around.
//!
//! Matched without regard to case, in text with runs of spaces collapsed.

use fancy_regex::{Regex, RegexBuilder};

use super::text::squashed;

/// Most backtracking of a search. No real file needs a hundredth of it.
const MAX_BACKTRACKS: usize = 10_000_000;

/// A compiled, case-insensitive pattern.
#[derive(Clone, Debug)]
pub struct FactPattern(Regex);

/// A text prepared for matching: runs of spaces collapsed.
#[derive(Clone, Debug, Default)]
pub struct PatternText(String);

impl PatternText {
    pub fn new(text: &str) -> PatternText {
        PatternText(squashed(text))
    }
}

impl FactPattern {
    /// Whether the pattern matches anywhere in the text.
    ///
    /// # Errors
    /// If the search backtracks too often.
    pub fn is_in(&self, text: &PatternText) -> Result<bool, String> {
        self.0.is_match(text.0.as_str()).map_err(|_| format!("a pattern takes too long: {}", self.0.as_str()))
    }
}

impl std::str::FromStr for FactPattern {
    type Err = String;

    fn from_str(pattern: &str) -> Result<FactPattern, String> {
        let regex = RegexBuilder::new(&translated(pattern)?)
            .case_insensitive(true)
            .backtrack_limit(MAX_BACKTRACKS)
            .build()
            .map_err(|error| format!("{error}, in {pattern}"))?;
        Ok(FactPattern(regex))
    }
}

/// The pattern as fancy-regex writes it: there a `[`, `&` or `~` in a set of characters has a meaning, which it does not
/// have in Python, and counts may be in any order.
fn translated(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    let mut is_in_set = false;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '\\' => length += rest[length..].chars().next().map_or(0, char::len_utf8),
            '[' | '&' | '~' if is_in_set => out.push('\\'),
            // A `]` that comes first is a character.
            '[' => {
                is_in_set = true;
                length += usize::from(rest[length..].starts_with('^'));
                length += usize::from(rest[length..].starts_with(']'));
            }
            ']' => is_in_set = false,
            '{' if !is_in_set && has_no_count(rest) => {
                return Err(format!("the least count is above the most, in {pattern}"));
            }
            _ => {}
        }
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Ok(out)
}

/// `{5,2}`
fn has_no_count(repeated: &str) -> bool {
    let inner = repeated[1..].split_once('}').and_then(|(inner, _)| inner.split_once(','));
    let counts =
        inner.and_then(|(least, most)| Some((least.parse::<u64>().ok()?, most.parse::<u64>().ok()?)));
    counts.is_some_and(|(least, most)| least > most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(pattern: &str, text: &str) -> bool {
        pattern.parse::<FactPattern>().unwrap().is_in(&PatternText::new(text)).unwrap()
    }

    #[test]
    fn patterns_match_like_pythons() {
        let cases = [
            ("port 40\\d\\d", "The gateway listens on Port 4010."),
            ("colou?r|farbe", "Die Farbe ist rot"),
            ("^the .* end$", "the very END"),
            ("a{2,3}b", "caab"),
            ("x{,2}y", "y"),
            ("{a}", "a set {a} of one"),
            ("(?:ab)+c", "xababc"),
            ("\\bcat\\b", "a cat."),
            ("[^#]*(late|early)", "too late"),
            ("[a-f0-9]{7}", "commit 1A2B3C4"),
            ("\\[(pending|in[ _]progress)\\]", "- [in progress] #1"),
            ("failing(?:(?! ## ).){0,80}build", "Failing - the BUILD ## done"),
            ("retries(?= 3)", "retries 3 times"),
            ("(?<!not )done", "it is DONE"),
            ("two words", "two\n   words"),
            ("[]x]-\\W", "]-."),
            ("[^[]x\\\"", "ax\""),
            ("[[&&a]+ [~]", "[&a ~"),
            ("ü|[à-ÿ]", "Ü"),
            ("a.*?b", "a b"),
        ];
        for (pattern, text) in cases {
            assert!(is_in(pattern, text), "{pattern} in {text}");
        }
        let others = [
            ("\\bcat\\b", "concatenate"),
            ("failing(?:(?! ## ).){0,80}build", "failing tests ## build"),
            ("retries(?! 3)", "retries 3"),
            ("(?<!not )done", "not done"),
            ("a{2}", "a a"),
            ("[^a]", "AAA"),
            ("^b", "ab"),
            ("\\S\\s\\S", "word"),
        ];
        for (pattern, text) in others {
            assert!(!is_in(pattern, text), "{pattern} in {text}");
        }
    }

    #[test]
    fn long_texts_do_not_overflow_the_stack() {
        assert!(is_in("start(?:(?!stop).)*end", &format!("start {}end", "word ".repeat(100_000))));
    }

    #[test]
    fn invalid_pattern_is_rejected_with_its_position() {
        let cases = [
            ("(a", "at position 2"),
            ("a)", "at position 1"),
            ("[a", "at position 2"),
            ("*a", "at position 0"),
            ("a\\", "at position 1"),
            ("\\1", "group 1"),
            ("a{5,2}", "the least count is above the most"),
            ("(?:a{9000}){9000}", "error building"),
        ];
        for (pattern, expected) in cases {
            let error = pattern.parse::<FactPattern>().unwrap_err();
            assert!(error.contains(expected) && error.ends_with(&format!(", in {pattern}")), "{error}");
        }
    }

    #[test]
    fn endless_match_is_aborted() {
        assert!(!is_in("(?:a?)*b", "aaaa"));
        let pattern: FactPattern = "(?:(?!x)a|a)*b".parse().unwrap();
        assert!(pattern.is_in(&PatternText::new(&"a".repeat(60))).is_err());
    }
}
