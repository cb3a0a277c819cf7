//! How a shell reads a line: what is quoted, where words end, and how to quote a word.

/// How the shell interprets a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    /// May be an operator, a space or a pattern.
    Bare,
    /// Inside `'…'`: literal.
    Single,
    /// Inside `"…"`: literal, unless it starts a substitution.
    Double,
    /// After a backslash: literal.
    Escaped,
    /// A quotation mark or backslash that is not part of the word.
    Mark,
}

/// The characters of a line with their offsets and quoting.
fn characters(line: &str) -> impl Iterator<Item = (usize, char, Quoting)> {
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

/// The first word of a line as written, including quotation marks, and what follows the space after it.
pub fn first_word(line: &str) -> Option<(&str, &str)> {
    let is_space = |c: char, quoting| quoting == Quoting::Bare && c.is_whitespace();
    let (at, space, _) = characters(line).find(|(_, c, quoting)| is_space(*c, *quoting))?;
    Some((&line[..at], &line[at + space.len_utf8()..]))
}

/// The words of a line. Operators are not recognised. `None` if a quotation does not end.
pub fn words(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

/// `word`, quoted so that a shell reads it as one word. `shlex` chooses its quoting by the characters in the word;
/// settings files contain these words, and an installed line must be recognised byte by byte.
pub fn quoted(word: &str) -> String {
    // Windows paths stay unquoted: shells there do not know single quotes.
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
    fn quoted_operators_are_not_bare() {
        let bare = |line| -> String {
            characters(line).filter(|(.., q)| *q == Quoting::Bare).map(|(_, c, _)| c).collect()
        };
        assert_eq!(bare(r#"a "b|c" 'd;"e' f\&g | h"#), "a   fg | h");
        assert_eq!(bare(r#"say "a \" b" now"#), "say  now");
    }

    #[test]
    fn first_word_may_contain_quoted_spaces() {
        assert_eq!(first_word("\"my folder\"/x && ls"), Some(("\"my folder\"/x", "&& ls")));
        assert_eq!(first_word("alone"), None);
    }

    #[test]
    fn only_special_characters_cause_quoting() {
        assert_eq!(
            ["--model=x", "/usr/bin/a", "", "a b", "it's"].map(quoted),
            ["--model=x", "/usr/bin/a", "''", "'a b'", r"'it'\''s'"]
        );
    }

    #[cfg(unix)]
    proptest! {
        #[test]
        fn quoted_word_splits_back_into_one_word(word in "[a-z '\"\\\\$`*\n{}:é]{0,20}") {
            prop_assert_eq!(words(&quoted(&word)), Some(vec![word.clone()]));
        }
    }
}
