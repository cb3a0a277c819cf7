//! Text that a search found in several files and that is being changed in one after the other: the files that are left.
//!
//! A list of files alone is no work: only where the text that was sought has been edited in a good part of what the
//! search found, and for the present request, the rest is taken for what is left to do.

use serde::{Deserialize, Serialize};

use crate::model::entry::Place;

/// Searches of a request that are remembered, and files of each.
const MAX_SEARCHES: usize = 24;
const MAX_SEARCHED_FILES: usize = 200;
/// Files that make a list.
const MIN_SEARCHED_FILES: usize = 4;
/// Files of it in which the text was edited since.
const MIN_EDITED: usize = 3;

/// What one search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SearchAnswer {
    place: Place,
    sought: String,
    /// The files, each with whether the text was edited in it since.
    files: Vec<(String, bool)>,
}

/// The searches since the latest request that found text in several files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkLists {
    lists: Vec<SearchAnswer>,
}

/// A list that the agent works through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkList<'a> {
    /// The search.
    pub place: Place,
    /// The text it looked for.
    pub sought: &'a str,
    /// All files it found.
    pub all: usize,
    /// Those in which the text was not edited since.
    pub left: Vec<&'a str>,
}

impl WorkLists {
    /// The person wants something else now.
    pub fn new_request(&mut self) {
        self.lists.clear();
    }

    /// Takes in the files, by their whole paths, in which a search for `pattern` found something.
    pub fn found(&mut self, place: Place, pattern: &str, paths: impl Iterator<Item = String>) {
        let Some(sought) = literal(pattern) else { return };
        let mut files: Vec<(String, bool)> = Vec::new();
        for path in paths {
            if files.len() < MAX_SEARCHED_FILES && !files.iter().any(|(known, _)| *known == path) {
                files.push((path, false));
            }
        }
        if files.len() >= MIN_SEARCHED_FILES && self.lists.len() < MAX_SEARCHES {
            self.lists.push(SearchAnswer { place, sought: sought.to_owned(), files });
        }
    }

    /// A file was edited; `change` is what was taken out and put in.
    pub fn edited(&mut self, path: &str, change: &str) {
        for list in self.lists.iter_mut().filter(|list| change.contains(&list.sought)) {
            list.files.iter_mut().filter(|(known, _)| known == path).for_each(|(_, edited)| *edited = true);
        }
    }

    /// The latest list that is being worked through and not at its end.
    pub fn current(&self) -> Option<WorkList<'_>> {
        self.lists.iter().rev().find_map(|list| {
            let all = list.files.len();
            let left: Vec<&str> =
                list.files.iter().filter(|(_, edited)| !edited).map(|(path, _)| path.as_str()).collect();
            let edited = all - left.len();
            (edited >= MIN_EDITED && 3 * edited >= all && !left.is_empty()).then_some(WorkList {
                place: list.place,
                sought: &list.sought,
                all,
                left,
            })
        })
    }
}

/// The longest name in a pattern: what an edit of the place that it found has in it.
fn literal(pattern: &str) -> Option<&str> {
    // What follows a backslash belongs to the pattern's own language.
    let plain = pattern.split('\\').enumerate().map(|(n, part)| {
        let own = part.chars().next().filter(|c| n > 0 && c.is_alphabetic()).map_or(0, char::len_utf8);
        &part[own..]
    });
    let names = plain.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    names.filter(|name| name.chars().count() >= 3).max_by_key(|name| name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &str) -> impl Iterator<Item = String> {
        names.chars().map(|name| format!("/w/{name}.rs"))
    }

    #[test]
    fn a_text_that_is_edited_file_by_file_has_its_rest() {
        let mut lists = WorkLists::default();
        lists.found(Place(9), r"\bold_name\(", files("abcdeab"));
        for path in ["/w/a.rs", "/w/b.rs"] {
            lists.edited(path, "old_name(1)\nnew_name(1)");
        }
        lists.edited("/w/c.rs", "another change");
        assert_eq!(lists.current(), None, "it was edited in two");
        lists.edited("/w/d.rs", "old_name(1)\nnew_name(1)");
        let current = lists.current().unwrap();
        assert_eq!((current.place, current.sought, current.all), (Place(9), "old_name", 5));
        assert_eq!(current.left, ["/w/c.rs", "/w/e.rs"]);
        lists.new_request();
        assert_eq!(lists.current(), None);
    }

    #[test]
    fn a_few_edits_in_a_long_answer_are_no_work_list() {
        let mut lists = WorkLists::default();
        lists.found(Place(9), "old_name", files("abcdefghijkl"));
        for path in files("abc") {
            lists.edited(&path, "old_name");
        }
        assert_eq!(lists.current(), None);
    }
}
