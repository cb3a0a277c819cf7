//! Subagents: their ids, for resuming them, and the changes they report.
//!
//! A subagent's work is in its own transcript; here we see only its report. So its work never counts as the agent's,
//! and where it matters a brief says that a subagent was working at the time.

use serde::{Deserialize, Serialize};

use crate::model::entry::Place;
use crate::session::shell;
use crate::text::foreign::Foreign;
use crate::text::passages::item;
use crate::text::words::{self, Word};

/// Maximum number of subagents; the oldest are dropped.
const MAX_SUBAGENTS: usize = 24;
/// Maximum number of reports, of which the oldest are dropped, and of files per report.
const MAX_REPORTS: usize = 8;
const MAX_REPORTED_FILES: usize = 12;

/// Verbs that begin a line about a change.
const CHANGES: [&str; 11] = [
    "created", "modified", "edited", "updated", "added", "changed", "wrote", "renamed", "deleted", "removed",
    "rewrote",
];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subagent {
    pub id: Foreign,
    /// Short description of its task.
    pub what: Foreign,
    pub place: Place,
}

/// Changes that a subagent reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedChanges {
    /// Row of the report.
    pub place: Place,
    /// Short description of its task.
    pub what: Foreign,
    /// As spelled in the report.
    pub files: Vec<Foreign>,
    /// Hashes.
    pub commits: Vec<String>,
}

/// The subagents of a session, in order of their latest call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subagents {
    called: Vec<Subagent>,
    reported: Vec<ReportedChanges>,
    /// The latest row that shows a subagent starting, replying or ending.
    worked: Option<Place>,
}

impl Subagents {
    pub fn called(&mut self, id: &str, what: &str, place: Place) {
        let id = Foreign::new(id);
        self.called.retain(|known| known.id != id);
        self.called.push(Subagent { id, what: Foreign::new(what), place });
        let excess = self.called.len().saturating_sub(MAX_SUBAGENTS);
        self.called.drain(..excess);
    }

    /// Records a row that shows a subagent starting, replying or ending.
    pub fn worked(&mut self, place: Place) {
        self.worked = self.worked.max(Some(place));
    }

    /// Records the changes in a subagent's report.
    pub fn reported(&mut self, what: &str, place: Place, report: &str) {
        let (files, commits) = (changed_files(report), commits(report));
        if !files.is_empty() || !commits.is_empty() {
            self.reported.push(ReportedChanges { place, what: Foreign::new(what), files, commits });
            let excess = self.reported.len().saturating_sub(MAX_REPORTS);
            self.reported.drain(..excess);
        }
    }

    pub fn latest_first(&self) -> impl Iterator<Item = &Subagent> {
        self.called.iter().rev()
    }

    /// Reported changes, oldest first.
    pub fn reports(&self) -> impl DoubleEndedIterator<Item = &ReportedChanges> {
        self.reported.iter()
    }

    /// Whether any subagent ran.
    pub fn have_worked(&self) -> bool {
        self.worked.is_some()
    }

    /// Whether a subagent ran after this row.
    pub fn worked_after(&self, place: Place) -> bool {
        self.worked > Some(place)
    }

    /// Whether a report lists this file as changed.
    pub fn report_change_of(&self, path: &str) -> bool {
        let is_it = |file: &Foreign| {
            let name = file.to_compare().trim_start_matches("./");
            path == name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
        };
        self.reported.iter().flat_map(|report| &report.files).any(is_it)
    }
}

/// The files in lines that begin with a change verb, and in lists below such a heading.
fn changed_files(report: &str) -> Vec<Foreign> {
    let mut found: Vec<Foreign> = Vec::new();
    let mut is_list = false;
    for line in report.lines() {
        let bare = item(line).unwrap_or(line).trim_start_matches(['*', '_', '#', '`', ' ']);
        let lower = bare.to_lowercase();
        let tells = CHANGES.iter().any(|change| lower.strip_prefix(change).is_some_and(is_end_of_word))
            || CHANGES.iter().any(|change| lower.starts_with(&format!("i {change} ")))
            || CHANGES.iter().any(|change| lower.starts_with(&format!("files {change}")));
        let is_heading = bare.trim_end_matches(['*', '_', ' ']).ends_with(':') || line.starts_with('#');
        is_list = (tells && is_heading) || (is_list && (item(line).is_some() || line.trim().is_empty()));
        if tells || (is_list && item(line).is_some()) {
            // The first path in a line is the changed file; the others explain.
            let mut first = None;
            words::scan(bare, |word| {
                if let Word::Path(path) = word {
                    first.get_or_insert_with(|| Foreign::new(path));
                }
            });
            found.extend(first.filter(|file| !found.contains(file)));
        }
    }
    found.truncate(MAX_REPORTED_FILES);
    found
}

fn is_end_of_word(rest: &str) -> bool {
    !rest.starts_with(char::is_alphanumeric)
}

/// The commits in git output that the report repeats.
fn commits(report: &str) -> Vec<String> {
    report
        .lines()
        .filter_map(|line| shell::commit_in("git commit", line.trim().trim_matches('`')))
        .map(|(hash, _)| hash)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_a_report_only_mentions_are_not_changes() {
        let report = "I looked at src/lexer.rs and src/main.rs.\n\n## Files changed:\n- `src/token.rs`: new tokens, see src/lexer.rs\n\
                      - src/parser.rs\n\nUpdated docs/tokens.md.\n[main 4c1d9e2] Split the tokens\nAdded by others: nothing.";
        let named: Vec<_> = changed_files(report).iter().map(|file| file.to_compare().to_owned()).collect();
        assert_eq!(named, ["src/token.rs", "src/parser.rs", "docs/tokens.md"]);
        assert_eq!(commits(report), ["4c1d9e2"]);
    }
}
