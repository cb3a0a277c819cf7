//! How a shell reads a line: which characters are quoted, where words end, and how to write a word so that it stays one.

/// How the shell takes a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// It may be an operator, a space or a pattern.
    Bare,
    /// Within `'…'`: itself.
    Single,
    /// Within `"…"`: itself, unless it begins a substitution.
    Double,
    /// Behind a backslash: itself.
    Escaped,
    /// A quotation mark or a backslash that is not part of the word.
    Mark,
}

/// The characters of a line with their places, each as the shell takes it.
pub fn characters(line: &str) -> impl Iterator<Item = (usize, char, Quoting)> {
    let mut open = None;
    let mut escaped = false;
    line.char_indices().map(move |(at, c)| {
        let quoting = match (std::mem::take(&mut escaped), open, c) {
            (true, ..) => Quoting::Escaped,
            (_, Some(mark), _) if mark == c => {
                open = None;
                Quoting::Mark
            }
            (_, Some('\''), _) => Quoting::Single,
            (_, _, '\\') => {
                escaped = true;
                Quoting::Mark
            }
            (_, Some(_), _) => Quoting::Double,
            (_, None, '"' | '\'') => {
                open = Some(c);
                Quoting::Mark
            }
            (_, None, _) => Quoting::Bare,
        };
        (at, c, quoting)
    })
}

/// Whether a line ends within a quotation, or with a backslash.
pub fn ends_open(line: &str) -> bool {
    // A space tells: it is bare again once everything is closed.
    characters(&format!("{line} ")).last().is_some_and(|(.., quoting)| quoting != Quoting::Bare)
}

/// The first word of a line as it is written, quotation marks and all, and what follows the space behind it.
pub fn first_word(line: &str) -> Option<(&str, &str)> {
    let is_space = |c: char, quoting| quoting == Quoting::Bare && c.is_whitespace();
    let (at, space, _) = characters(line).find(|(_, c, quoting)| is_space(*c, *quoting))?;
    Some((&line[..at], &line[at + space.len_utf8()..]))
}

/// The words of a line without operators; nothing where a quotation does not end.
pub fn words(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

/// `word` as a shell takes it for one word. Not `shlex`'s own way, which is another for every character: settings files
/// hold such words, and a line that was installed must be known again byte by byte.
pub fn quoted(word: &str) -> String {
    // Paths of Windows are left as they are: no shell there knows single quotes.
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:@%+".contains(c) || (cfg!(windows) && c == '\\');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quotation_marks_hide_what_a_shell_would_act_on() {
        let bare = |line| -> String {
            characters(line).filter(|(.., q)| *q == Quoting::Bare).map(|(_, c, _)| c).collect()
        };
        assert_eq!(bare(r#"a "b|c" 'd;"e' f\&g | h"#), "a   fg | h");
        assert_eq!(bare(r#"say "a \" b" now"#), "say  now");
    }

    #[test]
    fn a_line_that_ends_in_a_quotation_is_open() {
        for (line, open) in
            [("a 'b", true), ("a \"b\\\"", true), ("a\\", true), ("a 'b' \"c\"", false), ("", false)]
        {
            assert_eq!(ends_open(line), open, "{line}");
        }
    }

    #[test]
    fn the_first_word_may_have_spaces_in_quotation_marks() {
        assert_eq!(first_word("\"my folder\"/x && ls"), Some(("\"my folder\"/x", "&& ls")));
        assert_eq!(first_word("alone"), None);
    }

    #[test]
    fn plain_words_are_written_as_they_are() {
        assert_eq!(
            ["--model=x", "/usr/bin/a", "", "a b", "it's"].map(quoted),
            ["--model=x", "/usr/bin/a", "''", "'a b'", r"'it'\''s'"]
        );
    }

    #[cfg(unix)]
    proptest! {
        #[test]
        fn what_is_quoted_is_one_word_again(word in "[a-z '\"\\\\$`*\n{}:é]{0,20}") {
            prop_assert_eq!(words(&quoted(&word)), Some(vec![word.clone()]));
            prop_assert!(!ends_open(&quoted(&word)), "{}", quoted(&word));
        }
    }
}
