//! Texts cut to a length, at whole characters.

/// `text` on one line, cut to `most` characters.
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
            let cut: String = line.chars().take(most.saturating_sub(1)).collect();
            return format!("{}…", cut.trim_end());
        }
    }
    line
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
