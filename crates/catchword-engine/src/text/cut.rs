//! Cuts text to a length at character boundaries and marks the cut with `…`. Each function says whether it counts
//! characters or bytes; terminal columns are handled by the program.

use std::borrow::Cow;

/// `text` on one line, with runs of whitespace collapsed to one space.
pub fn squashed(text: &str) -> String {
    one_line(text, usize::MAX)
}

/// `text` on one line, truncated to `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word.chars().count();
        if length > most {
            return cut(&line, most);
        }
    }
    line
}

/// `text` with its line breaks, truncated to `most` characters.
pub fn cut(text: &str, most: usize) -> String {
    if first_chars(text, most).len() == text.len() {
        return text.to_owned();
    }
    format!("{}…", first_chars(text, most.saturating_sub(1)).trim_end())
}

/// The first `most` characters of `text`.
pub fn first_chars(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| &text[..at])
}

/// The longest prefix of `text` that has at most `most` bytes and ends at a character boundary.
pub fn head_of(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The longest suffix of `text` that has at most `most` bytes and starts at a character boundary.
pub fn tail_of(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// In the place of what was cut out of a text.
pub const MIDDLE: &str = "\n…\n";

/// Cuts the middle out of a text longer than `most` bytes: the start says what it is, the end how it ended.
pub fn cut_middle(text: &mut String, most: usize) {
    if text.len() > most {
        let tail = tail_of(text, most / 4);
        *text = format!("{}{MIDDLE}{tail}", head_of(text, most * 3 / 4));
    }
}

/// The first and last `most / 2` bytes of `text`.
pub fn ends_of(text: &str, most: usize) -> String {
    without_middle(text, most, most / 2)
}

/// Like [`cut_middle`], but returns the text.
pub fn shortened<'a>(text: impl Into<Cow<'a, str>>, most: usize) -> String {
    without_middle(text, most, most - most / 4)
}

fn without_middle<'a>(text: impl Into<Cow<'a, str>>, most: usize, head: usize) -> String {
    let text = text.into();
    if text.len() <= most {
        return text.into_owned();
    }
    format!("{}{MIDDLE}{}", head_of(&text, head), tail_of(&text, most - head))
}

/// The line end that this text uses.
pub fn line_end(text: &str) -> &'static str {
    let windows = text.matches("\r\n").count();
    if windows > 0 && windows * 2 >= text.matches('\n').count() { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obvious implementation.
    fn obvious(text: &str, most: usize) -> String {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() <= most {
            return line;
        }
        let cut: String = line.chars().take(most.saturating_sub(1)).collect();
        format!("{}…", cut.trim_end())
    }

    #[test]
    fn cutting_the_middle_keeps_start_and_end() {
        let mut text = format!("start{}end", "é".repeat(400));
        cut_middle(&mut text, 400);
        assert!(text.len() <= 400 + "\n…\n".len() && text.starts_with("start") && text.ends_with("end"));
        let mut short = "short".to_owned();
        cut_middle(&mut short, 5);
        assert_eq!(short, "short");
    }

    proptest::proptest! {
        #[test]
        fn one_line_agrees_with_the_obvious_implementation(text in "[ab ä\n\t]{0,24}", most in 0..26_usize) {
            proptest::prop_assert_eq!(one_line(&text, most), obvious(&text, most));
        }
    }

    #[test]
    fn cuts_respect_character_boundaries() {
        assert_eq!((head_of("aä", 2), tail_of("äa", 2)), ("a", "a"));
        assert_eq!(first_chars("äöü", 2), "äö");
        assert_eq!((cut("äöü", 3).as_str(), cut("äöü", 2).as_str()), ("äöü", "ä…"));
    }

    #[test]
    fn shortened_text_keeps_both_ends() {
        assert_eq!(shortened("0123456789", 10), "0123456789");
        assert_eq!(shortened("0123456789", 8), "012345\n…\n89");
        assert_eq!(ends_of("0123456789", 8), "0123\n…\n6789");
    }
}
