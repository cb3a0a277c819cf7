//! What the agent left unfinished in the code on purpose: stubs, lines it switched off, "for now".
//!
//! Such lines are the agent's own word that something is not done, and a summary that calls the work complete seldom
//! mentions them. A line is forgotten when a later edit takes it out, or the file is written anew without it.

use serde::{Deserialize, Serialize};

use crate::model::entry::Place;
use crate::text::cut::one_line;
use crate::text::foreign::Foreign;

/// Lines that are remembered, the latest ones.
const MAX_LEFTOVERS: usize = 64;
/// Longest line that is remembered.
const MAX_LEFTOVER_LINE: usize = 160;

/// A line that says that something is not done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leftover {
    pub path: String,
    pub line: Foreign,
    /// How often the file has it, as far as was seen.
    pub times: u16,
    pub place: Place,
}

/// The leftovers of a session, in the order they were written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leftovers(Vec<Leftover>);

impl Leftovers {
    /// Takes in an edit: `change` has the text taken out and put in, `added` the text put in.
    pub fn edited(&mut self, path: &str, change: &str, added: &str, place: Place) {
        let is_gone = |left: &Leftover| {
            let line = left.line.to_compare();
            left.path == path && contains(change, line) && !contains(added, line)
        };
        self.0.retain(|left| !is_gone(left));
        // The text around an edit is not new.
        self.note(path, added, place, |line| contains_times(change, line) == contains_times(added, line));
    }

    /// Takes in a file that is written whole.
    pub fn written(&mut self, path: &str, content: &str, place: Place) {
        self.0.retain(|left| left.path != path || contains(content, left.line.to_compare()));
        self.note(path, content, place, |_| true);
    }

    /// The change made at this row failed or was refused.
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

/// A plan or a list of things to do says what is open by itself.
fn is_document(path: &str) -> bool {
    [".md", ".txt", ".rst", ".adoc", ".json", ".lock", ".csv", ".svg"].iter().any(|end| path.ends_with(end))
}

/// Words by which people mark what is not done.
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
    // What a test expects of a program is no leftover of the test.
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
    // A value that is only set, `status = NOT_IMPLEMENTED`, is a start and not a stub.
    let is_set = |lower: &str| {
        lower.contains("not_implemented")
            && !["return", "throw", "raise", "//", "/*", "#"].iter().any(|mark| lower.contains(mark))
    };
    if is_set(&lower) {
        return marked;
    }
    // A message for the person who runs the program ("not implemented: …") is a leftover as well.
    marked || WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(leftovers: &Leftovers) -> Vec<&str> {
        leftovers.iter().map(|left| left.line.to_compare()).collect()
    }

    #[test]
    fn a_stub_is_remembered_until_it_is_taken_out() {
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
    fn a_line_that_only_stands_beside_the_edit_is_not_the_agents() {
        let mut leftovers = Leftovers::default();
        leftovers.edited("a.rs", "// TODO: old\nx\n// TODO: old\ny", "// TODO: old\ny", Place(3));
        assert_eq!(lines(&leftovers), [] as [&str; 0]);
    }

    #[test]
    fn ordinary_lines_and_documents_leave_nothing() {
        let mut leftovers = Leftovers::default();
        leftovers.written("a.rs", "let todo_list = load();\nlet mastodon = 1;\n// implemented", Place(1));
        leftovers.written("PLAN.md", "TODO: everything", Place(2));
        assert_eq!(lines(&leftovers), [] as [&str; 0]);
    }
}
