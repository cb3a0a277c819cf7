//! Measures text in terminal columns and fits it: East Asian characters take two columns, accents none.
//!
//! Neither characters nor bytes are the right measure here. Budgets of a brief are in characters and use `text::cut`.

use std::ops::Range;

use catchword_engine::text::cut::squashed;
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Maximum line width: `COLUMNS`, else the terminal's width, else 80.
pub fn line_width(columns: Option<usize>) -> usize {
    let terminal =
        || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    columns.or_else(terminal).unwrap_or(80).clamp(40, 120)
}

pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `columns`, ending in `…` if it was longer.
pub fn fit(text: &str, columns: usize) -> String {
    match columns.checked_sub(1) {
        _ if width(text) <= columns => text.to_owned(),
        Some(room) => format!("{}…", start_in(text, room)),
        None => String::new(),
    }
}

/// The same for text that may contain line breaks.
pub fn fit_line(text: &str, columns: usize) -> String {
    fit(&squashed(text), columns)
}

/// The end of `text` in at most `columns`, starting with `…` if it was longer.
pub fn fit_end(text: &str, columns: usize) -> String {
    let backwards = text.char_indices().rev().map(|(at, c)| (text.len() - at - c.len_utf8(), c));
    match columns.checked_sub(1) {
        _ if width(text) <= columns => text.to_owned(),
        Some(room) => format!("…{}", &text[text.len() - end_of(backwards, room)..]),
        None => String::new(),
    }
}

/// As much of the start of `text` as fits, without a `…`.
pub fn start_in(text: &str, columns: usize) -> &str {
    &text[..end_of(text.char_indices(), columns)]
}

/// How many bytes of these characters fit.
fn end_of(characters: impl Iterator<Item = (usize, char)>, columns: usize) -> usize {
    let mut used = 0;
    let fitting = characters.take_while(|(_, c)| {
        used += c.width().unwrap_or(0);
        used <= columns
    });
    fitting.last().map_or(0, |(at, c)| at + c.len_utf8())
}

/// `text` padded with spaces to `columns`; `{:<20}` would count characters.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{:1$}", "", columns.saturating_sub(width(text)))
}

/// `text` in lines of at most `columns`, broken at spaces and between characters of scripts without spaces. A longer
/// word gets its own line, because paths and commands are there to be copied.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    textwrap::wrap(text, options(columns)).into_iter().map(String::from).collect()
}

/// The same for a document: lines of a list and quotations are continued where their text begins. Below a heading other
/// lines are items as well (files, commands, numbered steps), and continued with an indent.
pub fn wrap_document(text: &str, columns: usize) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut is_below_heading = false;
    for line in text.lines() {
        is_below_heading |= line.starts_with("## ");
        let body = line.trim_start_matches([' ', '-', '>', '*']);
        let lead = &line[..line.len() - body.len()];
        let is_item = lead.is_empty() && is_below_heading && !line.starts_with('#');
        let later = if is_item { "  ".to_owned() } else { lead.replace(['-', '*'], " ") };
        let lines = wrap(body, columns.saturating_sub(width(&later)));
        out.extend(
            lines.iter().enumerate().map(|(at, one)| format!("{}{one}", if at == 0 { lead } else { &later })),
        );
    }
    out.join("\n")
}

/// The byte ranges of such lines in `text`; here a longer word is broken.
pub fn lines_in(text: &str, columns: usize) -> Vec<Range<usize>> {
    let mut end = 0;
    let lines = textwrap::wrap(text, options(columns).break_words(true));
    let place = |line: std::borrow::Cow<str>| {
        let start = end + text[end..].find(&*line).unwrap_or(0);
        end = start + line.len();
        start..end
    };
    lines.into_iter().map(place).collect()
}

fn options(columns: usize) -> Options<'static> {
    Options::new(columns)
        .break_words(false)
        .word_separator(WordSeparator::Custom(words))
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
}

/// Unbreakable units: runs without spaces, and each wide character.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut rest = line;
    Box::new(std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_end = |(at, c): &(usize, char)| *at > 0 && (is_wide(first) || *c == ' ' || is_wide(*c));
        let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
        let spaces = rest[end..].len() - rest[end..].trim_start_matches(' ').len();
        let (word, after) = rest.split_at(end + spaces);
        rest = after;
        Some(Word::from(word))
    }))
}

fn is_wide(c: char) -> bool {
    c.width() == Some(2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!((width("日本語"), width("Größe"), width("e\u{301}")), (6, 5, 1));
        assert_eq!(fit("日本語のテスト", 7), "日本語…");
        assert_eq!(fit("日本語のテスト", 8), "日本語…", "no half characters");
        assert_eq!(
            (fit_end("~/仕事/計画", 6).as_str(), fit_end("~/work/élan", 6).as_str()),
            ("…/計画", "…/élan")
        );
        assert_eq!(fit_line("日本\n語", 80), "日本 語");
    }

    #[test]
    fn items_without_a_bullet_are_continued_with_an_indent() {
        let text =
            "A first line of prose.\n\n## Commands\nmake all --with-everything\n1. Run make all.\n- a list";
        let wrapped = "A first line\nof prose.\n\n## Commands\nmake all\n  --with-everything\n1. Run\n  make all.\n- a list";
        assert_eq!(wrap_document(text, 12), wrapped);
    }

    #[test]
    fn padded_columns_align_with_wide_characters() {
        let row = |name: &str, size: &str| format!("{} {size}", padded(name, 10));
        assert_eq!(row("notes", "2 kB"), "notes      2 kB");
        assert_eq!(row("日本語", "2 kB"), "日本語     2 kB");
        assert_eq!(width(&row("notes", "2 kB")), width(&row("日本語", "2 kB")));
        assert_eq!(padded("longer than this", 4), "longer than this");
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_get_their_own_line() {
        assert_eq!(wrap("ab cd /a/very/long/path e", 5), ["ab cd", "/a/very/long/path", "e"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn lists_and_quotations_are_continued_below_their_text() {
        assert_eq!(wrap_document("- ab cd ef\n\n> gh ij kl\nm", 7), "- ab cd\n  ef\n\n> gh ij\n> kl\nm");
    }

    #[test]
    fn scripts_without_spaces_break_between_characters() {
        assert_eq!(wrap("設定ファイルを読む", 8), ["設定ファ", "イルを読", "む"]);
        assert_eq!(wrap("read 設定ファイル.toml now", 12), ["read 設定フ", "ァイル.toml", "now"]);
    }

    #[test]
    fn columns_variable_sets_the_width_within_limits() {
        assert_eq!([Some(100), Some(7), Some(999)].map(line_width), [100, 40, 120]);
    }

    proptest! {
        #[test]
        fn lines_keep_everything_but_spaces(text in "[a-c日本 ]{0,60}", columns in 4..20_usize) {
            let lines = lines_in(&text, columns);
            prop_assert!(lines.iter().all(|line| width(&text[line.clone()]) <= columns), "{:?}", lines);
            let shown: String = lines.iter().map(|line| &text[line.clone()]).collect();
            prop_assert_eq!(shown.replace(' ', ""), text.replace(' ', ""));
        }

        #[test]
        fn fitted_text_fits(text in any::<String>(), columns in 0..30_usize) {
            prop_assert!(width(&fit_line(&text, columns)) <= columns);
        }
    }
}
