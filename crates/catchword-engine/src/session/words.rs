//! Finds identifiers and paths in any text, in one pass over its bytes.
//!
//! A word is a run of letters, digits and `_-./@+~`. Inside it a path is what ends in a file name with an
//! extension; a name is what a programmer or a tool made up: `snake_case`, `camelCase`, `PascalCase`,
//! `kebab-case-of-three`, `TICKET-12`, a commit hash. Ordinary words are neither.

/// Something worth remembering in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// A file's path or bare file name.
    Path(&'a str),
    /// An identifier.
    Name(&'a str),
}

/// Extensions that make a bare word a file name.
const EXTENSIONS: &[&str] = &[
    "rs", "go", "py", "ts", "tsx", "js", "jsx", "mjs", "md", "sh", "json", "yml", "yaml", "toml", "sql",
    "css", "scss", "html", "java", "kt", "rb", "c", "h", "cc", "cpp", "hpp", "cs", "php", "proto", "lua",
    "swift", "tex", "vue", "svelte", "xml", "txt", "lock", "ipynb", "zig", "ex", "exs", "hs", "ml", "r",
    "scala", "tf",
];

/// Hands on every path and name in `text`.
pub fn scan<'a>(text: &'a str, mut each: impl FnMut(Word<'a>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        // Words are ASCII, so both ends are character boundaries.
        run(&text[start..at], &mut each);
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'@' | b'+' | b'~')
}

fn run<'a>(word: &'a str, each: &mut impl FnMut(Word<'a>)) {
    if word.len() < 4 || word.len() > 400 {
        return;
    }
    let trimmed = word.trim_end_matches(['.', '-', '/', '+', '@']);
    if is_path(trimmed) {
        each(Word::Path(trimmed));
    }
    for piece in trimmed.split(['.', '/', '@', '+', '~']) {
        names(piece, each);
    }
}

/// A file name with an extension, alone or behind folders.
pub fn is_path(word: &str) -> bool {
    let (folder, file) = word.rsplit_once('/').unwrap_or(("", word));
    let Some((stem, extension)) = file.rsplit_once('.') else { return false };
    let plausible =
        (1..=8).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    if word.contains('/') {
        let versions = extension.bytes().all(|b| b.is_ascii_digit());
        return plausible && !versions && !folder.contains("//");
    }
    plausible && !stem.is_empty() && EXTENSIONS.contains(&extension)
}

fn names<'a>(piece: &'a str, each: &mut impl FnMut(Word<'a>)) {
    let piece = piece.trim_matches('-');
    if piece.contains('-') && (is_kebab(piece) || is_ticket(piece)) {
        if (6..=80).contains(&piece.len()) {
            each(Word::Name(piece));
        }
        return;
    }
    for part in piece.split('-') {
        if (6..=80).contains(&part.len()) && is_name(part) {
            each(Word::Name(part));
        }
    }
}

fn is_name(word: &str) -> bool {
    is_snake(word) || is_camel(word) || is_hash(word)
}

fn is_snake(word: &str) -> bool {
    let Some((first, rest)) = word.split_once('_') else { return false };
    !first.is_empty() && first.bytes().all(|b| b.is_ascii_alphabetic()) && rest.len() >= 3
}

/// `camelCase`, `PascalCase`, `HTTPServer`: lower case, and an upper-case letter after the first one.
fn is_camel(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes[0].is_ascii_alphabetic()
        && !word.contains('_')
        && bytes.iter().any(u8::is_ascii_lowercase)
        && bytes[1..].iter().any(u8::is_ascii_uppercase)
}

fn is_hash(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_lowercase())
}

fn is_ticket(word: &str) -> bool {
    let Some((key, number)) = word.split_once('-') else { return false };
    (2..=8).contains(&key.len())
        && key.bytes().all(|b| b.is_ascii_uppercase())
        && (1..=6).contains(&number.len())
        && number.bytes().all(|b| b.is_ascii_digit())
}

fn is_kebab(word: &str) -> bool {
    let lower =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    word.split('-').count() >= 3 && word.split('-').all(lower) && word.bytes().any(|b| b.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word<'_>> {
        let mut found = Vec::new();
        scan(text, |w| found.push(w));
        found
    }

    #[test]
    fn identifiers_of_all_styles_are_names() {
        for name in
            ["parse_line", "parseLine", "SessionStart", "my-long-branch", "ENT-221", "3f2a9bc", "HTTPServer"]
        {
            if name == "ENT-221" || name.len() >= 6 {
                assert_eq!(words(name), [Word::Name(name)], "{name}");
            }
        }
    }

    #[test]
    fn ordinary_words_and_numbers_are_not() {
        for text in
            ["hello world", "well-known", "1234567", "UPPER", "2024-01-02", "e.g.", "--no-verify", "a_b"]
        {
            assert_eq!(words(text), [], "{text}");
        }
    }

    #[test]
    fn paths_are_found_among_punctuation() {
        assert_eq!(
            words("see `src/main.rs`, (docs/a.md)."),
            [Word::Path("src/main.rs"), Word::Path("docs/a.md")]
        );
        assert_eq!(words("Cargo.toml:3"), [Word::Path("Cargo.toml")]);
        assert_eq!(words("v1.2/3.4"), []);
    }

    #[test]
    fn text_in_other_scripts_is_stepped_over() {
        assert_eq!(words("Größe→parse_line、日本語"), [Word::Name("parse_line")]);
    }
}
