//! The words of a text: all of them ([`words`]), the identifiers and paths among them ([`scan`], one pass over the
//! bytes), and the words inside an identifier ([`subwords`]).
//!
//! For [`scan`] a word is a run of letters, digits and `_-./@+~`. A path ends in a file name with a lower-case
//! extension. A name is something that a programmer or a tool made up: `snake_case`, `camelCase`, `PascalCase`,
//! `kebab-case-of-three`, `TICKET-12`, a commit hash. Ordinary words are neither. The rules reject what only looks like
//! a path (`HTTP/1.1`, `os/exec.Command`): in our measurements, clean candidates gained as much as any ranking feature.

/// A path, name or number found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// A file's path or bare file name.
    Path(&'a str),
    /// An identifier.
    Name(&'a str),
    /// A version or a measurement.
    Number(&'a str),
}

/// Extensions that make a bare word a file name.
const EXTENSIONS: &[&str] = &[
    "rs", "go", "py", "ts", "tsx", "js", "jsx", "mjs", "md", "sh", "json", "yml", "yaml", "toml", "sql",
    "css", "scss", "html", "java", "kt", "rb", "c", "h", "cc", "cpp", "hpp", "cs", "php", "proto", "lua",
    "swift", "tex", "vue", "svelte", "xml", "txt", "lock", "ipynb", "zig", "ex", "exs", "hs", "ml", "r",
    "scala", "tf",
];

/// Calls `each` with every path, name and number in `text`.
pub fn scan<'a>(text: &'a str, mut each: impl FnMut(Word<'a>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            // `\n` and `\t` in quoted code are breaks, not the start of a word.
            at += if bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b't' | b'r')) {
                2
            } else {
                1
            };
            continue;
        }
        let start = at;
        at += bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
        // Words are ASCII, so both ends are character boundaries.
        if bytes.get(at) == Some(&b':')
            && let Some(end) = address_end(bytes, start, at)
        {
            at = end;
            let address = text[start..at].trim_end_matches(['.', ',', ';', ':', '/']);
            if (8..=30).contains(&address.len()) {
                each(Word::Name(address));
            }
            continue;
        }
        let word = &text[start..at];
        if !is_ordinary(word) {
            let before = start.checked_sub(1).map_or(b' ', |b| bytes[b]);
            run(word, before, &mut each);
        }
    }
}

/// All lower case, all upper case, or capitalised: neither a path nor a name. Most words are ordinary.
fn is_ordinary(word: &str) -> bool {
    let rest = &word[1..];
    word.bytes().all(|b| b.is_ascii_alphabetic())
        && (rest.bytes().all(|b| b.is_ascii_lowercase()) || word.bytes().all(|b| b.is_ascii_uppercase()))
}

const fn is_word(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'/' | b'@' | b'+' | b'~')
}

/// Where a URL or `host:port` ends whose first word is `bytes[start..end]`. Its parts are not paths of the project.
fn address_end(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let stops = |b: &u8| {
        !b.is_ascii_graphic() || matches!(b, b'"' | b'\'' | b'`' | b')' | b'>' | b'<' | b']' | b'\\')
    };
    if bytes[end..].starts_with(b"://") {
        return Some(end + bytes[end..].iter().position(stops).unwrap_or(bytes.len() - end));
    }
    let host = &bytes[start..end];
    let is_host = host == b"localhost"
        || (host.iter().all(|b| b.is_ascii_digit() || *b == b'.') && host.contains(&b'.'));
    let digits = bytes.get(end + 1..)?.iter().take_while(|b| b.is_ascii_digit()).count();
    (bytes.get(end) == Some(&b':') && is_host && (2..=5).contains(&digits)).then_some(end + 1 + digits)
}

fn run<'a>(word: &'a str, before: u8, each: &mut impl FnMut(Word<'a>)) {
    if word.len() < 4 || word.len() > 400 {
        return;
    }
    let cut = word.bytes().rev().take_while(|b| matches!(b, b'.' | b'-' | b'/' | b'+' | b'@' | b'~')).count();
    let trimmed = &word[..word.len() - cut];
    if is_path(trimmed) {
        let path = cleaned(trimmed, before);
        if path.len() > 4 && is_path(path) {
            each(Word::Path(path));
        }
        return;
    }
    if is_version(trimmed) || is_measurement(trimmed) {
        each(Word::Number(trimmed));
        return;
    }
    let mut from = 0;
    for (at, byte) in trimmed.bytes().enumerate() {
        if matches!(byte, b'.' | b'/' | b'@' | b'+' | b'~') {
            names(&trimmed[from..at], each);
            from = at + 1;
        }
    }
    names(&trimmed[from..], each);
}

/// A path without a diff's `a/`, leading `./` and `../`, and the slash after a variable.
fn cleaned(path: &str, before: u8) -> &str {
    let mut path = path;
    if matches!(before, b' ' | b'\n') {
        path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    }
    while let Some(rest) =
        path.strip_prefix("./").or_else(|| path.strip_prefix("../")).or_else(|| path.strip_prefix(".../"))
    {
        path = rest;
    }
    let glued = matches!(before, b'}' | b'>' | b')' | b'*' | b'$' | b'%' | b'<' | b']');
    let alone = path.starts_with('/') && !path[1..].contains('/');
    let path = if glued || alone { path.trim_start_matches('/') } else { path };
    path.trim_start_matches('@')
}

/// A file name with an extension, with or without folders.
pub fn is_path(word: &str) -> bool {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let Some((stem, extension)) = file.rsplit_once('.') else { return false };
    let plausible = (1..=8).contains(&extension.len())
        && extension.as_bytes()[0].is_ascii_lowercase()
        && extension.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if !plausible || word.starts_with('-') {
        return false;
    }
    if file.len() == word.len() {
        !stem.is_empty() && EXTENSIONS.contains(&extension)
    } else {
        !word.contains("//")
    }
}

fn names<'a>(piece: &'a str, each: &mut impl FnMut(Word<'a>)) {
    let piece = piece.trim_matches('-');
    if piece.len() < 6 {
        return;
    }
    if piece.contains('-') && (is_kebab(piece) || is_ticket(piece)) {
        if piece.len() <= 80 {
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

/// `camelCase`, `PascalCase`, `HTTPServer`: lower case, with an upper-case letter after the first.
fn is_camel(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes[0].is_ascii_alphabetic()
        && !word.contains('_')
        && bytes.iter().any(u8::is_ascii_lowercase)
        && bytes[1..].iter().any(u8::is_ascii_uppercase)
}

/// A commit hash or another hexadecimal id.
pub fn is_hash(word: &str) -> bool {
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

/// `v1.2.3` or `1.2.3`, but not an IP address.
fn is_version(word: &str) -> bool {
    let numbers = word.strip_prefix('v').unwrap_or(word);
    numbers.split('.').count() == 3
        && numbers.split('.').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// `850ms`, `3.2GB`: a number with its unit.
fn is_measurement(word: &str) -> bool {
    const UNITS: [&str; 14] =
        ["ms", "us", "ns", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "px", "rps", "fps"];
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < word.len() && !word.starts_with('.') && UNITS.contains(&unit)
}

/// The words of `text` with their offsets: letters and digits of any script, and the characters in `joins`.
/// [`IDENTIFIERS`] keeps `snake_case` together, [`PROSE`] keeps `don't`.
pub fn words<'a>(text: &'a str, joins: &'static [char]) -> impl Iterator<Item = (usize, &'a str)> {
    let is_between = move |c: char| !c.is_alphanumeric() && !joins.contains(&c);
    let mut end = 0;
    let pieces = text.split_inclusive(is_between).map(move |piece| {
        end += piece.len();
        (end - piece.len(), piece.trim_end_matches(is_between))
    });
    pieces.filter(|(_, word)| !word.is_empty())
}

/// Keeps identifiers together.
pub const IDENTIFIERS: &[char] = &['_'];
/// Keeps contractions together.
pub const PROSE: &[char] = &['\''];
/// Both, with the typographic apostrophe.
pub const MIXED: &[char] = &['_', '\'', '’'];

/// The words inside an identifier: `parseHTTPLine` → parse, HTTP, Line. Words of one or two characters are skipped.
pub fn subwords(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
                at += 1;
            }
            if at >= bytes.len() {
                return None;
            }
            let start = at;
            at = subword_end(bytes, at);
            if at - start > 2 {
                return Some(&text[start..at]);
            }
        }
    })
}

fn subword_end(bytes: &[u8], start: usize) -> usize {
    let run = |from: usize, is: fn(&u8) -> bool| from + bytes[from..].iter().take_while(|b| is(b)).count();
    if bytes[start].is_ascii_digit() {
        return run(start, u8::is_ascii_digit);
    }
    let upper = run(start, u8::is_ascii_uppercase);
    let lower = run(upper, u8::is_ascii_lowercase);
    // In `HTTPLine` the last capital begins the next word.
    if upper - start > 1 && lower > upper { upper - 1 } else { lower }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<Word<'_>> {
        let mut found = Vec::new();
        scan(text, |w| found.push(w));
        found
    }

    proptest::proptest! {
        #[test]
        fn ordinary_word_is_neither_path_nor_name(word in "[A-Za-z][A-Za-z0-9_.-]{0,12}") {
            if is_ordinary(&word) {
                let mut found = Vec::new();
                run(&word, b' ', &mut |word| found.push(word));
                proptest::prop_assert_eq!(found, []);
            }
        }
    }

    #[test]
    fn identifiers_of_all_styles_are_names() {
        for name in
            ["parse_line", "parseLine", "SessionStart", "my-long-branch", "ENT-221", "3f2a9bc", "HTTPServer"]
        {
            assert_eq!(named(name), [Word::Name(name)], "{name}");
        }
    }

    #[test]
    fn ordinary_words_and_numbers_are_not_names() {
        for text in
            ["hello world", "well-known", "1234567", "UPPER", "2024-01-02", "e.g.", "--no-verify", "a_b"]
        {
            assert_eq!(named(text), [], "{text}");
        }
    }

    #[test]
    fn paths_are_found_among_punctuation() {
        assert_eq!(
            named("see `src/main.rs`, (docs/a.md)."),
            [Word::Path("src/main.rs"), Word::Path("docs/a.md")]
        );
        assert_eq!(named("Cargo.toml:3"), [Word::Path("Cargo.toml")]);
        assert_eq!(named("--- a/src/x.go\n+++ b/src/y.go"), [Word::Path("src/x.go"), Word::Path("src/y.go")]);
        assert_eq!(named("../lib/z.rs ${ROOT}/lib/w.rs"), [Word::Path("lib/z.rs"), Word::Path("lib/w.rs")]);
    }

    #[test]
    fn lookalikes_are_not_paths() {
        for text in ["HTTP/1.1", "v1.2/3.4", "os/exec.Command", "https://a.example/b/c.html"] {
            assert!(!named(text).iter().any(|w| matches!(w, Word::Path(_))), "{text}: {:?}", named(text));
        }
    }

    #[test]
    fn addresses_are_names() {
        assert_eq!(named("see http://localhost:4010/health."), [Word::Name("http://localhost:4010/health")]);
        assert_eq!(
            named("on localhost:6380, not 127.0.0.1:6379"),
            [Word::Name("localhost:6380"), Word::Name("127.0.0.1:6379")]
        );
        assert_eq!(named("src/a.rs:120 at 10:30"), [Word::Path("src/a.rs")]);
    }

    #[test]
    fn versions_and_measurements_are_numbers() {
        assert_eq!(
            named("took 850ms, 3.2GB on v1.2.30 and 2.1.325"),
            ["850ms", "3.2GB", "v1.2.30", "2.1.325"].map(Word::Number)
        );
        assert_eq!(named("in 2024, 3.14 of 10.0.0.1, 12 items"), []);
    }

    #[test]
    fn text_in_other_scripts_is_skipped() {
        assert_eq!(named("Größe→parse_line、日本語"), [Word::Name("parse_line")]);
    }

    #[test]
    fn joining_characters_keep_words_together() {
        let of =
            |joins| words("don't parse_line: größe, 日本", joins).map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(of(IDENTIFIERS), ["don", "t", "parse_line", "größe", "日本"]);
        assert_eq!(of(PROSE), ["don't", "parse", "line", "größe", "日本"]);
        assert_eq!(of(MIXED), ["don't", "parse_line", "größe", "日本"]);
        assert_eq!(words("  a", PROSE).collect::<Vec<_>>(), [(2, "a")]);
    }

    #[test]
    fn identifiers_split_into_subwords() {
        let of = |text| subwords(text).collect::<Vec<_>>();
        assert_eq!(of("parseHTTPLine_v2"), ["parse", "HTTP", "Line"]);
        assert_eq!(of("SESSION_START-timeout404"), ["SESSION", "START", "timeout", "404"]);
    }
}
