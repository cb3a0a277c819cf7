//! The specific things a text names (paths, numbers, identifiers, flags) and its ordinary words.
//!
//! Used to find what one text says that another does not.

use super::hash::{FNV_START, fnv1a_on};
use super::words::subwords;

/// The hash of a lower-case word.
pub type WordHash = u64;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextToken<'a> {
    /// A path, number, identifier, flag or abbreviation: `src/a.rs`, `3000`, `--fast`, `parse_line`, `C17`, `TLS`.
    Specific(&'a str),
    /// Any other word of three letters or more; in scripts without spaces, every pair of adjacent characters.
    Ordinary(WordHash),
}

/// The words of a text, in one pass: it is asked of every line of a record.
pub fn tokens(text: &str) -> impl Iterator<Item = TextToken<'_>> {
    text.split(is_break).flat_map(tokens_of).chain(pairs(text).map(TextToken::Ordinary))
}

/// The specific words among them.
pub fn specifics(text: &str) -> impl Iterator<Item = &str> {
    tokens(text).filter_map(|token| if let TextToken::Specific(word) = token { Some(word) } else { None })
}

/// All others.
pub fn ordinary_words(text: &str) -> impl Iterator<Item = WordHash> {
    tokens(text).filter_map(|token| if let TextToken::Ordinary(word) = token { Some(word) } else { None })
}

/// The words of what stands between two breaks. With letters beyond ASCII it may be a word, and its parts specific.
fn tokens_of(piece: &str) -> impl Iterator<Item = TextToken<'_>> {
    let word = trimmed(piece);
    let (whole, mixed) = if piece.is_ascii() { (ascii_token(word), "") } else { (ordinary(word), piece) };
    let parts = mixed.split(|c| !is_specific_char(c)).map(trimmed).filter(|part| is_specific(part));
    whole.into_iter().chain(parts.map(TextToken::Specific))
}

fn ascii_token(word: &str) -> Option<TextToken<'_>> {
    // Most words are these, and nothing makes them specific.
    let is_plain = word.bytes().skip(1).all(|b| b.is_ascii_lowercase());
    if is_plain && word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return (word.len() > 2).then(|| TextToken::Ordinary(hash(word)));
    }
    if is_specific(word) { Some(TextToken::Specific(word)) } else { ordinary(word) }
}

fn ordinary(word: &str) -> Option<TextToken<'_>> {
    let is_word =
        word.chars().all(char::is_alphabetic) && word.chars().nth(2).is_some() && !is_specific(word);
    is_word
        .then(|| TextToken::Ordinary(if word.is_ascii() { hash(word) } else { hash(&word.to_lowercase()) }))
}

/// The pairs of adjacent characters in scripts without spaces.
fn pairs(text: &str) -> impl Iterator<Item = WordHash> {
    let text = if text.is_ascii() { "" } else { text };
    let wide = text.chars().zip(text.chars().skip(1)).filter(|(a, b)| is_wide(*a) && is_wide(*b));
    wide.map(|(a, b)| fnv1a_on(FNV_START, [a as u32, b as u32].into_iter().flat_map(u32::to_le_bytes)))
}

/// The hash of a word, ignoring ASCII case.
pub fn hash(word: &str) -> WordHash {
    fnv1a_on(FNV_START, word.bytes().map(|b| b.to_ascii_lowercase()))
}

/// A number, version or time: only digits and separators.
pub fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b':' | b'%' | b'-'))
}

fn is_break(c: char) -> bool {
    !is_specific_char(c) && (!c.is_alphabetic() || is_wide(c))
}

fn is_specific_char(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '@' | '.' | '/' | '~' | '#' | '$' | '%' | ':' | '=' | '+' | '-')
}

fn trimmed(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ':', ',', ';', '-', '=', '+', '#', '$', '@', '~']);
    word.trim_start_matches(['.', ':', '=', '+'])
}

fn is_specific(word: &str) -> bool {
    let bytes = word.as_bytes();
    let has = |wanted: fn(&u8) -> bool| bytes.iter().any(wanted);
    let is_flag = bytes.len() > 2 && bytes[0] == b'-' && has(u8::is_ascii_alphabetic);
    let inner_dot = word.split('.').filter(|part| !part.is_empty()).count() > 1 && bytes.len() > 3;
    let is_abbreviation = bytes.len() >= 3 && bytes.iter().all(u8::is_ascii_uppercase);
    bytes.len() >= 2
        && has(u8::is_ascii_alphanumeric)
        && (has(u8::is_ascii_digit)
            || has(|b| matches!(b, b'_' | b'/'))
            || is_flag
            || inner_dot
            || is_abbreviation
            || is_mixed(word))
}

/// `parseLine`, `TestPyPI`: several words joined.
fn is_mixed(word: &str) -> bool {
    word.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase())
        && subwords(word).next().is_some()
}

/// A letter of a script that is written without spaces.
pub fn is_wide(c: char) -> bool {
    matches!(c as u32, 0x0E00..=0x0E7F | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7A3 | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifics_are_separated_from_ordinary_words() {
        let text = "Run `pnpm test --run` in src/auth/: parse_line of C17 needs port 3000, TLS and v1.2.3 (not Node).";
        let found: Vec<&str> = specifics(text).collect();
        assert_eq!(found, ["--run", "src/auth/", "parse_line", "C17", "3000", "TLS", "v1.2.3"]);
        let ordinary: Vec<u64> = ordinary_words("the Parser needs 3000 ports").collect();
        assert_eq!(ordinary, ["the", "parser", "needs", "ports"].map(hash));
    }

    #[test]
    fn scripts_without_spaces_yield_character_pairs() {
        let all: Vec<u64> = ordinary_words("网关没有接上").collect();
        assert_eq!(all.len(), 5);
        assert!(ordinary_words("限流器和网关").any(|word| all.contains(&word)));
        assert!(!ordinary_words("数据库").any(|word| all.contains(&word)));
        assert_eq!(ordinary_words("größere Änderung").count(), 2);
    }
}
