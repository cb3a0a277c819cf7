//! Finds paths, commands and names in what an agent typed.
//!
//! Implements the benchmark's rules, which are regular expressions with look-around; each function quotes its
//! expression. Written by hand because two of them need look-around, which the `regex` crate does not support, and its
//! Unicode tables would add a third to a binary that starts at every tool use.

use super::text::{is_space, is_word, squashed};

/// `(?<![\w.])(?:[~.]{0,2}/)?(?:[\w@+.-]+/)+[\w@+.-]+\.\w{1,8}\b`, or a bare file name with an extension of
/// [`ENDINGS`]: `(?<![\w/.-])[\w-]+\.(?:rs|…)\b`.
pub fn paths(text: &str) -> Vec<String> {
    all(text, |text, at| nested(text, at).or_else(|| bare(text, at)))
}

/// Extensions that make a word without a folder a file.
const ENDINGS: [&str; 25] = [
    "rs", "go", "py", "ts", "tsx", "js", "jsx", "md", "sh", "json", "yml", "yaml", "toml", "sql", "css",
    "html", "java", "kt", "rb", "c", "h", "cpp", "proto", "lua", "swift",
];

/// Identifiers, tickets, hashes and slugs. The first rule that matches at a position wins.
///
/// `\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z]+_[A-Za-z0-9_]{3,}|[a-z]+[A-Z][A-Za-z0-9]{4,}|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z]{2,8}-\d{1,6}
/// |(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}|[a-z0-9]+(?:-[a-z0-9]+){2,})\b`
pub fn names(text: &str) -> Vec<String> {
    const RULES: [Rule; 7] = [uuid, snake, camel, pascal, ticket, hash, slug];
    all(text, |text, at| {
        let starts = !at.checked_sub(1).is_some_and(|before| is_word(text[before]));
        RULES.iter().filter(|_| starts).find_map(|rule| rule(text, at))
    })
}

/// Returns the end of a match that starts at a position.
type Rule = fn(&[char], usize) -> Option<usize>;

/// All non-overlapping matches from left to right.
pub fn all(text: &str, rule: impl Fn(&[char], usize) -> Option<usize>) -> Vec<String> {
    let text: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        match rule(&text, at) {
            Some(end) => {
                found.push(text[at..end].iter().collect());
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The end of the run of matching characters that starts at `at`.
fn run(text: &[char], at: usize, of: impl Fn(char) -> bool) -> usize {
    text[at..].iter().position(|c| !of(*c)).map_or(text.len(), |length| at + length)
}

/// `end` if no word character follows.
fn word_end(text: &[char], end: usize) -> Option<usize> {
    (!text.get(end).is_some_and(|c| is_word(*c))).then_some(end)
}

// ---- paths

fn nested(text: &[char], at: usize) -> Option<usize> {
    if at.checked_sub(1).is_some_and(|before| is_word(text[before]) || text[before] == '.') {
        return None;
    }
    let of = |from: usize| deepest(text, from, 1);
    rooted(text, at).and_then(of).or_else(|| of(at))
}

/// Skips `[~.]{0,2}/`.
fn rooted(text: &[char], at: usize) -> Option<usize> {
    let lead = run(text, at, |c| c == '~' || c == '.');
    (lead - at <= 2 && text.get(lead) == Some(&'/')).then_some(lead + 1)
}

/// `[\w@+.-]`
pub fn is_in_name(c: char) -> bool {
    is_word(c) || "@+.-".contains(c)
}

/// The start and end of each name in a chain of folders; the last has no slash after it and may be empty.
fn chain(text: &[char], from: usize) -> Vec<(usize, usize)> {
    let mut names = Vec::new();
    let mut at = from;
    loop {
        let end = run(text, at, is_in_name);
        names.push((at, end));
        if end == at || text.get(end) != Some(&'/') {
            return names;
        }
        at = end + 1;
    }
}

/// The end of the deepest file in a chain that has at least `folders` folders before it.
fn deepest(text: &[char], from: usize, folders: usize) -> Option<usize> {
    chain(text, from).into_iter().skip(folders).rev().find_map(|(start, end)| file_name(text, start, end))
}

/// The end of a file name, with or without folders.
pub fn named_below(text: &[char], at: usize) -> Option<usize> {
    deepest(text, at, 0)
}

/// The end of a chain of at least one folder, after its last slash.
pub fn folders_end(text: &[char], at: usize) -> Option<usize> {
    let of = |from: usize| chain(text, from).into_iter().skip(1).next_back().map(|(start, _)| start);
    rooted(text, at).and_then(of).or_else(|| of(at))
}

/// The end of the last extension of one to eight letters in a name, after at least one other character.
fn file_name(text: &[char], start: usize, end: usize) -> Option<usize> {
    let dots = (start + 1..end).rev().filter(|at| text[*at] == '.');
    dots.map(|dot| (dot + 1, run(text, dot + 1, is_word)))
        .find(|(from, to)| (1..=8).contains(&(to - from)))
        .map(|(_, to)| to)
}

fn bare(text: &[char], at: usize) -> Option<usize> {
    if at.checked_sub(1).is_some_and(|before| is_word(text[before]) || "/.-".contains(text[before])) {
        return None;
    }
    let dot = run(text, at, |c| is_word(c) || c == '-');
    if dot == at || text.get(dot) != Some(&'.') {
        return None;
    }
    let end = run(text, dot + 1, is_word);
    let ending: String = text[dot + 1..end].iter().collect();
    ENDINGS.contains(&ending.as_str()).then_some(end)
}

// ---- names

fn uuid(text: &[char], at: usize) -> Option<usize> {
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let mut end = at;
    for (n, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        let from = if n == 0 { end } else { (text.get(end) == Some(&'-')).then_some(end + 1)? };
        end = run(text, from, is_hex);
        if end - from != length {
            return None;
        }
    }
    word_end(text, end)
}

fn snake(text: &[char], at: usize) -> Option<usize> {
    let first = run(text, at, |c| c.is_ascii_alphabetic());
    if first == at || text.get(first) != Some(&'_') {
        return None;
    }
    let end = run(text, first + 1, |c| c.is_ascii_alphanumeric() || c == '_');
    word_end(text, end).filter(|end| end - first > 3)
}

fn camel(text: &[char], at: usize) -> Option<usize> {
    let hump = run(text, at, |c| c.is_ascii_lowercase());
    if hump == at || !text.get(hump)?.is_ascii_uppercase() {
        return None;
    }
    let end = run(text, hump + 1, |c| c.is_ascii_alphanumeric());
    word_end(text, end).filter(|end| end - hump > 4)
}

fn pascal(text: &[char], at: usize) -> Option<usize> {
    let (mut end, mut humps) = (at, 0);
    while text.get(end).is_some_and(char::is_ascii_uppercase) {
        let next = run(text, end + 1, is_lower_or_digit);
        if next == end + 1 {
            break;
        }
        (end, humps) = (next, humps + 1);
    }
    word_end(text, end).filter(|_| humps >= 2)
}

fn ticket(text: &[char], at: usize) -> Option<usize> {
    let dash = run(text, at, |c| c.is_ascii_uppercase());
    if !(2..=8).contains(&(dash - at)) || text.get(dash) != Some(&'-') {
        return None;
    }
    let end = run(text, dash + 1, |c| c.is_ascii_digit());
    word_end(text, end).filter(|end| (2..=7).contains(&(end - dash)))
}

fn hash(text: &[char], at: usize) -> Option<usize> {
    let end = run(text, at, |c| c.is_ascii_digit() || ('a'..='f').contains(&c));
    let digits = text[at..end].iter().filter(|c| c.is_ascii_digit()).count();
    let mixed = digits > 0 && digits < end - at;
    word_end(text, end).filter(|end| mixed && (7..=40).contains(&(end - at)))
}

fn slug(text: &[char], at: usize) -> Option<usize> {
    let mut ends = vec![run(text, at, is_lower_or_digit)];
    while let Some(dash) = ends.last().filter(|end| text.get(**end) == Some(&'-')) {
        let end = run(text, dash + 1, is_lower_or_digit);
        if end == dash + 1 {
            break;
        }
        ends.push(end);
    }
    // If the last part continues as another word, the name ends before it.
    let whole = ends.len() - usize::from(ends.last().is_some_and(|end| word_end(text, *end).is_none()));
    (ends[0] > at && whole > 2).then(|| ends[whole - 1])
}

fn is_lower_or_digit(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

// ---- commands

/// A command without what changes from call to call: its `cd` and its output filters.
pub fn normal_command(command: &str) -> String {
    let mut command = squashed(command.trim_matches(is_space));
    while let Some(rest) = without_cd(&command) {
        command = rest.to_owned();
    }
    let end = command.match_indices(' ').map(|(at, _)| at).find(|at| is_about_output(&command[*at..]));
    command.truncate(end.unwrap_or(command.len()));
    command.trim_matches(is_space).to_owned()
}

/// `^cd \S+ (&&|;) `
fn without_cd(command: &str) -> Option<&str> {
    let (folder, rest) = command.strip_prefix("cd ")?.split_once(' ')?;
    let rest = rest.strip_prefix("&& ").or_else(|| rest.strip_prefix("; "))?;
    (!folder.is_empty()).then_some(rest)
}

/// `^( 2>&1| 2>/dev/null)*( \| (tail|head|grep)\b[^|]*)*( 2>&1)?$`
fn is_about_output(mut rest: &str) -> bool {
    while let Some(next) = rest.strip_prefix(" 2>&1").or_else(|| rest.strip_prefix(" 2>/dev/null")) {
        rest = next;
    }
    while !rest.is_empty() {
        let readers = ["tail", "head", "grep"].iter();
        let reader = rest.strip_prefix(" | ").and_then(|r| readers.clone().find_map(|w| r.strip_prefix(w)));
        let Some(arguments) = reader.filter(|r| !r.starts_with(is_word)) else { return false };
        let Some(pipe) = arguments.find('|') else { return true };
        let Some(space) = pipe.checked_sub(1).filter(|at| arguments.as_bytes()[*at] == b' ') else {
            return false;
        };
        rest = &arguments[space..];
    }
    true
}

/// Commands that need no memory.
///
/// `^(git (status|diff|log|branch|add|show|stash|fetch|pull|push)\b.{0,20}|ls\b.{0,12}|pwd|cd .*|cat|echo.*|sleep .*
/// |true|wc.*|date)$`
pub fn is_trivial(command: &str) -> bool {
    const GIT: [&str; 10] =
        ["status", "diff", "log", "branch", "add", "show", "stash", "fetch", "pull", "push"];
    let few = |rest: &str, most: usize| !rest.starts_with(is_word) && rest.chars().count() <= most;
    let git = command
        .strip_prefix("git ")
        .is_some_and(|rest| GIT.iter().any(|verb| rest.strip_prefix(verb).is_some_and(|rest| few(rest, 20))));
    git || command.strip_prefix("ls").is_some_and(|rest| few(rest, 12))
        || ["pwd", "cat", "true", "date"].contains(&command)
        || ["cd ", "echo", "sleep ", "wc"].iter().any(|start| command.starts_with(start))
}

#[cfg(test)]
mod tests;
