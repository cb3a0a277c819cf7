//! Text that a search found in several files and that is edited in one after the other: which files are left.
//!
//! A search result alone is not work. The rest counts as left to do only if the text was edited in at least a third of
//! the files, and for the current request.

use serde::{Deserialize, Serialize};

use crate::model::entry::Place;

/// Maximum number of searches per request, and of files per search.
const MAX_SEARCHES: usize = 24;
const MAX_SEARCHED_FILES: usize = 200;
/// Minimum number of files found.
const MIN_SEARCHED_FILES: usize = 4;
/// Minimum number of files edited since.
const MIN_EDITED: usize = 3;

/// The result of one search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SearchAnswer {
    place: Place,
    sought: String,
    /// Each file, and whether the text was edited in it since.
    files: Vec<(String, bool)>,
}

/// The searches since the latest request that found text in several files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkLists {
    lists: Vec<SearchAnswer>,
}

/// A list that the agent is working through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkList<'a> {
    /// Row of the search.
    pub place: Place,
    /// The text it searched for.
    pub sought: &'a str,
    /// Number of files found.
    pub all: usize,
    /// Files in which the text was not edited since.
    pub left: Vec<&'a str>,
}

impl WorkLists {
    /// Drops the lists: the person asked for something else.
    pub fn new_request(&mut self) {
        self.lists.clear();
    }

    /// Records the absolute paths of the files that match `pattern`.
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

    /// Records an edit; `change` is the removed and the added text.
    pub fn edited(&mut self, path: &str, change: &str) {
        for list in self.lists.iter_mut().filter(|list| change.contains(&list.sought)) {
            list.files.iter_mut().filter(|(known, _)| known == path).for_each(|(_, edited)| *edited = true);
        }
    }

    /// The latest list that is being worked through and not finished.
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

/// The longest name in a pattern, which an edit of a match will contain.
fn literal(pattern: &str) -> Option<&str> {
    // A letter after a backslash is regex syntax.
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
    fn text_edited_file_by_file_leaves_the_other_files() {
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
    fn few_edits_in_a_long_result_are_not_a_work_list() {
        let mut lists = WorkLists::default();
        lists.found(Place(9), "old_name", files("abcdefghijkl"));
        for path in files("abc") {
            lists.edited(&path, "old_name");
        }
        assert_eq!(lists.current(), None);
    }
}
