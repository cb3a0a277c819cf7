//! Code that the agent left unfinished on purpose: stubs, disabled lines, "for now".
//!
//! With such a line the agent itself says that something is not done, and a summary that calls the work complete seldom
//! mentions it. A line is dropped when a later edit removes it, or the file is rewritten without it.

use serde::{Deserialize, Serialize};

use super::paths::is_prose;
use crate::model::entry::Place;
use crate::quote::foreign::Foreign;
use crate::text::cut::one_line;

/// Maximum number of lines; the oldest are dropped.
const MAX_LEFTOVERS: usize = 64;
/// Characters kept of a line.
const MAX_LEFTOVER_LINE: usize = 160;

/// A line that marks something as not done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leftover {
    pub path: String,
    pub line: Foreign,
    /// Number of occurrences in the edited text.
    pub times: u16,
    pub place: Place,
}

/// The leftovers of a session, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leftovers(Vec<Leftover>);

impl Leftovers {
    /// Records an edit: `change` is the removed and the added text, `added` the added text.
    pub fn edited(&mut self, path: &str, change: &str, added: &str, place: Place) {
        let is_gone = |left: &Leftover| {
            let line = left.line.to_compare();
            left.path == path && contains(change, line) && !contains(added, line)
        };
        self.0.retain(|left| !is_gone(left));
        // Unchanged lines around an edit are not new.
        self.note(path, added, place, |line| contains_times(change, line) == contains_times(added, line));
    }

    /// Records a file that is written as a whole.
    pub fn written(&mut self, path: &str, content: &str, place: Place) {
        self.0.retain(|left| left.path != path || contains(content, left.line.to_compare()));
        self.note(path, content, place, |_| true);
    }

    /// Takes back the change of this row: it failed or was refused.
    pub fn not_made(&mut self, place: Place) {
        self.0.retain(|left| left.place != place);
    }

    fn note(&mut self, path: &str, text: &str, place: Place, is_new: impl Fn(&str) -> bool) {
        if is_document(path) {
            return;
        }
        let mut seen: Vec<&str> = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| is_leftover(line) && is_new(line)) {
            if seen.contains(&line) {
                continue;
            }
            seen.push(line);
            let times = u16::try_from(contains_times(text, line)).unwrap_or(u16::MAX);
            let line = Foreign::new(one_line(line, MAX_LEFTOVER_LINE));
            self.0.retain(|left| left.path != path || left.line != line);
            self.0.push(Leftover { path: path.to_owned(), line, times, place });
        }
        let excess = self.0.len().saturating_sub(MAX_LEFTOVERS);
        self.0.drain(..excess);
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Leftover> {
        self.0.iter()
    }
}

fn contains(text: &str, line: &str) -> bool {
    contains_times(text, line) > 0
}

fn contains_times(text: &str, line: &str) -> usize {
    text.lines()
        .filter(|other| one_line(other, MAX_LEFTOVER_LINE) == one_line(line, MAX_LEFTOVER_LINE))
        .count()
}

/// Plans and to-do lists are expected to name open work.
fn is_document(path: &str) -> bool {
    is_prose(path) || [".json", ".lock", ".csv", ".svg"].iter().any(|end| path.ends_with(end))
}

/// Whether a line marks something as not done.
fn is_leftover(line: &str) -> bool {
    const MARKS: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];
    const WORDS: [&str; 12] = [
        "not implemented",
        "not_implemented",
        "unimplemented!",
        "notimplementederror",
        "notimplementedexception",
        "temporarily",
        "for now",
        "placeholder for",
        "is a stub",
        "stub implementation",
        "not yet supported",
        "commented out",
    ];
    // An expectation in a test is not a leftover.
    let is_expectation = ["assert", "expect(", "t.Error", "t.Fatal"].iter().any(|call| line.contains(call));
    if is_expectation || line.len() > 2 * MAX_LEFTOVER_LINE {
        return false;
    }
    let is_whole = |at: usize, mark: &str| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        !line[..at].ends_with(is_part) && !line[at + mark.len()..].starts_with(is_part)
    };
    let marked = MARKS.iter().any(|mark| line.match_indices(mark).any(|(at, mark)| is_whole(at, mark)));
    let lower = line.to_lowercase();
    // An initial value, `status = NOT_IMPLEMENTED`, is not a stub.
    let is_initial_value = |lower: &str| {
        lower.contains("not_implemented")
            && !["return", "throw", "raise", "//", "/*", "#"].iter().any(|mark| lower.contains(mark))
    };
    if is_initial_value(&lower) {
        return marked;
    }
    // A message to the program's user ("not implemented: …") counts, too.
    marked || WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(leftovers: &Leftovers) -> Vec<&str> {
        leftovers.iter().map(|left| left.line.to_compare()).collect()
    }

    #[test]
    fn stub_is_kept_until_an_edit_removes_it() {
        let mut leftovers = Leftovers::default();
        leftovers.written("src/op.c", "int add();\n  return ERR_NOT_IMPLEMENTED;\n// for now\n", Place(3));
        assert_eq!(lines(&leftovers), ["return ERR_NOT_IMPLEMENTED;", "// for now"]);
        leftovers.edited(
            "src/op.c",
            "return ERR_NOT_IMPLEMENTED;\nreturn mul(a, b);",
            "return mul(a, b);",
            Place(5),
        );
        assert_eq!(lines(&leftovers), ["// for now"]);
        leftovers.written("src/op.c", "int add();", Place(7));
        assert_eq!(lines(&leftovers), [] as [&str; 0]);
    }

    #[test]
    fn unchanged_lines_around_an_edit_are_not_leftovers() {
        let mut leftovers = Leftovers::default();
        leftovers.edited("a.rs", "// TODO: old\nx\n// TODO: old\ny", "// TODO: old\ny", Place(3));
        assert_eq!(lines(&leftovers), [] as [&str; 0]);
    }

    #[test]
    fn ordinary_code_and_documents_have_no_leftovers() {
        let mut leftovers = Leftovers::default();
        leftovers.written("a.rs", "let todo_list = load();\nlet mastodon = 1;\n// implemented", Place(1));
        leftovers.written("PLAN.md", "TODO: everything", Place(2));
        assert_eq!(lines(&leftovers), [] as [&str; 0]);
    }
}
