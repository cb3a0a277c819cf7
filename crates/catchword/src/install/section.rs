//! Adds, removes and finds our section in an instruction file.
//!
//! Pure functions from text to text. Everything outside the two markers stays as it is, byte for byte, and the section
//! uses the file's line ends.

use std::ops::Range;

use catchword_engine::text::cut::line_end;

/// The line before the section.
pub const BEGIN: &str = "<!-- catchword:begin, written by `catchword init --instructions` -->";
/// The line after the section.
pub const END: &str = "<!-- catchword:end -->";

/// Prefixes of both markers; later versions may say something else after them.
const BEGINS: &str = "<!-- catchword:begin";
const ENDS: &str = "<!-- catchword:end";

/// Why a file is left as it is.
#[derive(Debug, PartialEq, Eq)]
pub enum Marks {
    /// A begin marker in this line without an end marker.
    Unended(usize),
    /// An end marker in this line without a begin marker.
    Unbegun(usize),
    /// A second section in this line.
    Twice(usize),
}

impl std::fmt::Display for Marks {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Marks::Unended(line) => write!(f, "the section that begins in line {line} has no `{END}`"),
            Marks::Unbegun(line) => write!(f, "the mark in line {line} ends a section that never began"),
            Marks::Twice(line) => write!(f, "a second section of ours begins in line {line}"),
        }
    }
}

/// The text with the section `body`: in place of the present one, else at the end.
pub fn with_section(text: &str, body: &str) -> Result<String, Marks> {
    let eol = line_end(text);
    let section = format!("{BEGIN}\n{}\n{END}\n", body.trim_end()).replace('\n', eol);
    if let Some(span) = find(text)? {
        let last = !text[span.clone()].ends_with('\n');
        let section = if last { section.trim_end_matches(['\r', '\n']) } else { &section };
        return Ok(format!("{}{section}{}", &text[..span.start], &text[span.end..]));
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => eol,
        _ => return Ok(format!("{text}{eol}{eol}{section}")),
    };
    Ok(format!("{text}{gap}{section}"))
}

/// The text without our section, and without the empty line before it.
pub fn without_section(text: &str) -> Result<String, Marks> {
    let Some(span) = find(text)? else { return Ok(text.to_owned()) };
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let eol = line_end(text);
    let gap = before.strip_suffix(eol).filter(|rest| rest.ends_with('\n'));
    Ok(format!("{}{after}", gap.unwrap_or(before)))
}

/// The span of our section, including its last line end.
pub fn find(text: &str) -> Result<Option<Range<usize>>, Marks> {
    let mut found: Option<Range<usize>> = None;
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let words = line.trim_start_matches('\u{feff}').trim_start();
        if words.starts_with(BEGINS) {
            if let Some((_, begun)) = open {
                return Err(Marks::Unended(begun));
            }
            if found.is_some() {
                return Err(Marks::Twice(number + 1));
            }
            open = Some((at, number + 1));
        } else if words.starts_with(ENDS) {
            let (start, _) = open.take().ok_or(Marks::Unbegun(number + 1))?;
            found = Some(start..at + line.len());
        }
        at += line.len();
    }
    match open {
        Some((_, begun)) => Err(Marks::Unended(begun)),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BODY: &str = "## Compact Instructions\n\n- keep it\n";

    #[test]
    fn section_is_appended_with_the_files_line_ends() {
        let section = format!("{BEGIN}\n## Compact Instructions\n\n- keep it\n{END}\n");
        assert_eq!(with_section("", BODY).unwrap(), section);
        assert_eq!(with_section("# A\n", BODY).unwrap(), format!("# A\n\n{section}"));
        assert_eq!(with_section("# A", BODY).unwrap(), format!("# A\n\n{section}"));
        let windows = with_section("# A\r\n", BODY).unwrap();
        assert_eq!(windows, format!("# A\r\n\r\n{}", section.replace('\n', "\r\n")));
    }

    #[test]
    fn older_section_is_replaced_in_place() {
        let old = with_section("# A\n", "old").unwrap() + "# B\n";
        let new = with_section(&old, BODY).unwrap();
        assert_eq!(new, with_section("# A\n", BODY).unwrap() + "# B\n");
        assert_eq!(without_section(&new).unwrap(), "# A\n# B\n");
        let unended_file = old.trim_end_matches("# B\n").trim_end().to_owned();
        assert!(with_section(&unended_file, BODY).unwrap().ends_with(END), "no line end is added");
    }

    #[test]
    fn unbalanced_markers_are_rejected() {
        assert_eq!(with_section(&format!("a\n{BEGIN}\nb\n"), BODY), Err(Marks::Unended(2)));
        assert_eq!(without_section(&format!("a\n{END}\nb\n")), Err(Marks::Unbegun(2)));
        let once = with_section("", BODY).unwrap();
        assert_eq!(find(&format!("{once}{once}")), Err(Marks::Twice(6)));
        assert_eq!(find(&format!("{BEGIN}\n{BEGIN}\n{END}\n")), Err(Marks::Unended(1)));
    }

    proptest! {
        #[test]
        fn adding_the_section_is_idempotent_and_reversible(text in "[a-z# \r\n-]{0,200}") {
            let once = with_section(&text, BODY).unwrap();
            prop_assert!(once.starts_with(&text));
            prop_assert_eq!(&with_section(&once, BODY).unwrap(), &once);
            let back = without_section(&once).unwrap();
            // If the last line had no line end, it has one now; the installation record restores that.
            prop_assert!(back == text || back == format!("{text}\n") || back == format!("{text}\r\n"), "{:?} {:?}", text, back);
        }
    }
}
