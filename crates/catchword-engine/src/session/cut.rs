//! Texts cut to a length, at whole characters.

/// `text` on one line, cut to `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    if text.len() <= most && is_one_line(text) {
        return text.to_owned();
    }
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
            let cut: String = line.chars().take(most.saturating_sub(1)).collect();
            return format!("{}…", cut.trim_end());
        }
    }
    line
}

/// Words with one space between them: most texts that come here are.
fn is_one_line(text: &str) -> bool {
    let mut before = b' ';
    let single = text.bytes().all(|byte| {
        let doubled = byte == b' ' && before == b' ';
        before = byte;
        (b' '..0x7f).contains(&byte) && !doubled
    });
    single && (text.is_empty() || before != b' ')
}

/// The first `most` bytes of `text`, up to a character's end.
pub(super) fn head_of(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The last `most` bytes of `text`, from a character's start.
pub(super) fn tail_of(text: &str, most: usize) -> String {
    text[ceil_char(text, text.len().saturating_sub(most))..].to_owned()
}

/// The first character boundary at or after `at`.
pub(super) fn ceil_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Both ends of `text`, `most` bytes in all.
pub(super) fn ends_of(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}\n…\n{}", head_of(text, most / 2), tail_of(text, most / 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_on_one_line_has_single_spaces_and_ends_where_it_is_cut() {
        assert_eq!(one_line(" a\n b\tc ", 80), "a b c");
        assert_eq!(one_line("one two three", 8), "one two…");
        assert_eq!(one_line("", 8), "");
    }

    proptest! {
        #[test]
        fn a_text_that_is_on_one_line_stays_as_it_is(text in "[a é\n\t]{0,12}", most in 0..14_usize) {
            let words: Vec<&str> = text.split_whitespace().collect();
            let line = words.join(" ");
            prop_assert_eq!(is_one_line(&text), text == line && text.is_ascii());
            prop_assert_eq!(one_line(&text, most) == line, line.chars().count() <= most);
        }
    }
}
