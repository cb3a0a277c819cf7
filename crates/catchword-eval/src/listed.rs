//! Finds paths that are listed below their folder, and what a brief lists. Implements the benchmark's rules by hand,
//! like [`scan`].

use std::collections::BTreeSet;

use super::scan::{self, all, folders_end, is_in_name, named_below};
use super::text::{has, is_space, squashed};

/// A text to search in.
pub struct SeenText {
    squashed: String,
    below: BTreeSet<String>,
}

impl SeenText {
    pub fn new(text: &str) -> SeenText {
        SeenText { squashed: squashed(text), below: below_folders(text) }
    }

    /// This text with another one appended.
    pub fn and(&self, more: &str) -> SeenText {
        let mut both = SeenText::new(more);
        both.below.extend(self.below.iter().cloned());
        both.squashed = squashed(&format!("{}\n{}", self.squashed, both.squashed));
        both
    }

    pub fn has(&self, item: &str) -> bool {
        has(&self.squashed, item)
    }

    /// Whether the text names a file, directly or below its folder.
    pub fn has_file(&self, file: &str) -> bool {
        let is_end = |path: &String| path.strip_suffix(file).is_some_and(|rest| rest.ends_with('/'));
        self.has(file) || self.below.contains(file) || self.below.iter().any(is_end)
    }

    pub fn squashed(&self) -> &str {
        &self.squashed
    }
}

/// Paths listed below their folder: `src/auth/: login.rs token.rs`, names on the lines below `src/auth/` up to the next
/// empty line or heading, and `src/auth/{login,token}.rs`.
fn below_folders(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folder: Option<String> = None;
    for line in text.split('\n') {
        if line.starts_with('#') || line.chars().all(is_space) {
            folder = None;
            continue;
        }
        braces(line, &mut found);
        folder = all(line, folder_at).pop().or(folder);
        if let Some(folder) = &folder {
            found.extend(all(line, name_at).into_iter().map(|name| format!("{folder}{name}")));
        }
    }
    found
}

/// `(?<![\w@+.-])((?:[~.]{0,2}/)?(?:[\w@+.-]+/)+)(?![\w@+.-])`
fn folder_at(text: &[char], at: usize) -> Option<usize> {
    if at.checked_sub(1).is_some_and(|before| is_in_name(text[before])) {
        return None;
    }
    let end = folders_end(text, at)?;
    (!text.get(end).is_some_and(|c| is_in_name(*c))).then_some(end)
}

/// `(?<![\w/@+-])[\w@+.-]+(?:/[\w@+.-]+)*\.\w{1,8}\b`
fn name_at(text: &[char], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).map(|before| text[before]);
    let may_begin = !before.is_some_and(|c| c == '/' || (is_in_name(c) && c != '.'));
    if may_begin { named_below(text, at) } else { None }
}

/// `((?:[\w@+.-]+/)+)\{([^{}]+)\}([\w.]*)`
fn braces(line: &str, found: &mut BTreeSet<String>) {
    for (open, _) in line.match_indices('{') {
        let Some(inner) = line[open + 1..].split_once(['}', '{']).map(|(inner, _)| inner) else { continue };
        let close = open + 1 + inner.len();
        let before = line[..open]
            .rfind(|c: char| !is_in_name(c) && c != '/')
            .map_or(0, |at| at + first_len(&line[at..]));
        let folder = line[before..open].trim_start_matches('/');
        if inner.is_empty() || !line[close..].starts_with('}') || !folder.ends_with('/') {
            continue;
        }
        let ending: String =
            line[close + 1..].chars().take_while(|c| super::text::is_word(*c) || *c == '.').collect();
        found.extend(inner.split(',').map(|part| format!("{folder}{}{ending}", part.trim_matches(is_space))));
    }
}

fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Paths and names that a brief lists. Quotations are sentences, not lists, and do not count.
pub fn listed(brief: &str) -> BTreeSet<String> {
    let bare = without_quotations(brief);
    let names = scan::names(&bare).into_iter().filter(|name| (6..=80).contains(&name.len()));
    scan::paths(&bare).into_iter().chain(names).chain(below_folders(&bare)).collect()
}

/// Replaces each `\\?"[^"\n]*"|“[^”\n]*”` with a space.
fn without_quotations(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '“']) {
        let (open, close) = if rest[at..].starts_with('"') { ('"', '"') } else { ('“', '”') };
        let inner = &rest[at + open.len_utf8()..];
        let end = inner.find([close, '\n']).filter(|end| inner[*end..].starts_with(close));
        if let Some(end) = end {
            let before = &rest[..at];
            bare.push_str(before.strip_suffix('\\').filter(|_| open == '"').unwrap_or(before));
            bare.push(' ');
            rest = &inner[end + close.len_utf8()..];
        } else {
            bare.push_str(&rest[..at + open.len_utf8()]);
            rest = inner;
        }
    }
    bare + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_listed_below_its_folder_is_found() {
        let cases: &[(&str, &[&str])] = &[
            ("src/auth/: login.rs (3 edits), token.rs", &["src/auth/login.rs", "src/auth/token.rs"]),
            (
                "src/auth/\nlogin.rs\n- sub/token.rs\n\nother.rs",
                &["src/auth/login.rs", "src/auth/sub/token.rs"],
            ),
            ("./a/b/ c.py\n# heading\nd.py", &["./a/b/c.py"]),
            ("/abs/dir/: x.ts", &["/abs/dir/x.ts"]),
            ("src/{lexer, parser}.rs and b/{c}", &["b/c", "src/lexer.rs", "src/parser.rs"]),
            ("src/a.rs b.rs", &[]),
            ("a/{} a/{b x/", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = below_folders(text).into_iter().collect();
            assert_eq!(found, *expected, "{text:?}");
        }
        let seen = SeenText::new("/home/user/src/auth/: login.rs");
        assert!(seen.has_file("auth/login.rs") && seen.has_file("login.rs") && !seen.has_file("gin.rs.x"));
        assert!(!seen.has_file("uth/login.rs"), "a folder's name is whole");
        assert!(seen.and("b/: c.md").has_file("b/c.md") && seen.and("").has_file("auth/login.rs"));
    }

    #[test]
    fn quotations_do_not_count_as_listed() {
        let brief = "- \"see src/quoted.rs\" L1\nsrc/a.rs, parse_all\n“b/c.md”\nopen \" quote d/e.py";
        assert_eq!(listed(brief).into_iter().collect::<Vec<_>>(), ["d/e.py", "parse_all", "src/a.rs"]);
    }
}
