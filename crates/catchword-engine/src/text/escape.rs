//! Terminal control sequences (`ESC [ … m` and the like), which programs use to colour their output.
//!
//! A tokeniser sees them as part of a word: `ESC [31merror` is not the word `error`.

use std::borrow::Cow;

const ESC: u8 = 0x1b;

/// The length of the sequence at the start of `bytes`, if there is one.
pub fn length(bytes: &[u8]) -> Option<usize> {
    let within = bytes.strip_prefix(&[ESC, b'['])?;
    let end = within.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
    (0x40..=0x7e).contains(&within[end]).then_some(end + 3)
}

/// The parts of `text` between sequences, each with its offset; the whole text if there are no sequences.
pub fn between(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let mut at = from;
        while let Some(found) = memchr::memchr(ESC, &text[at..]) {
            let escape = at + found;
            if let Some(length) = length(&text[escape..]) {
                start = Some(escape + length);
                return Some((from, &text[from..escape]));
            }
            at = escape + 1;
        }
        start = None;
        Some((from, &text[from..]))
    })
}

/// `text` without sequences; borrowed if there are none.
pub fn without(text: &str) -> Cow<'_, str> {
    if !text.contains(char::from(ESC)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(between(text.as_bytes()).map(|(at, plain)| &text[at..at + plain.len()]).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_control_sequences_are_removed() {
        let painted = "\u{1b}[1m\u{1b}[31merror\u{1b}[0m[E0308]: \u{1b}[38;5;12mno\u{1b}[K";
        assert_eq!(without(painted), "error[E0308]: no");
        assert_eq!(without("array[1m] of [31m"), "array[1m] of [31m");
        assert_eq!(without("cut \u{1b}[3"), "cut \u{1b}[3", "an incomplete sequence stays");
        assert_eq!(without("\u{1b}]0;title\u{7}"), "\u{1b}]0;title\u{7}", "so does a window title");
    }

    proptest! {
        #[test]
        fn any_text_is_accepted(text in "(\u{1b}|\\[|[0-9;]|m|é|x){0,40}") {
            prop_assert!(without(&text).len() <= text.len());
        }
    }
}
