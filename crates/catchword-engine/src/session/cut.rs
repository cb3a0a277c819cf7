//! Texts cut to a length, at whole characters.

/// `text` on one line, cut to `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    // Most texts are on one line, and what is cut off need not be looked at.
    let looked_at = text.as_bytes().get(..=most).unwrap_or(text.as_bytes());
    if is_on_one_line(looked_at) {
        return match text.get(..most.saturating_sub(1)) {
            Some(start) if text.len() > most => format!("{}…", start.trim_end()),
            _ => text.to_owned(),
        };
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

/// Words of ASCII with one blank between them and nothing around them.
fn is_on_one_line(bytes: &[u8]) -> bool {
    let mut was_blank = true;
    let all = bytes.iter().all(|byte| {
        let is_blank = *byte == b' ';
        let fits = matches!(byte, b' '..=b'~') && !(is_blank && was_blank);
        was_blank = is_blank;
        fits
    });
    all && !was_blank
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

    /// Word by word.
    fn slowly(text: &str, most: usize) -> String {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() <= most {
            return line;
        }
        let cut: String = line.chars().take(most.saturating_sub(1)).collect();
        format!("{}…", cut.trim_end())
    }

    proptest::proptest! {
        #[test]
        fn a_line_is_cut_where_its_words_say(text in "[ab ä\n\t]{0,24}", plain in "[a-c]{1,3}( [a-c]{1,3}){0,8}[ \n]?", most in 0..26_usize) {
            proptest::prop_assert_eq!(one_line(&text, most), slowly(&text, most));
            proptest::prop_assert_eq!(one_line(&plain, most), slowly(&plain, most));
        }
    }
}
