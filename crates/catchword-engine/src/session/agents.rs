//! Subagents: when they worked, and the changes they report.
//!
//! A subagent's work is in its own transcript; here we see only its report. So its work never counts as the agent's,
//! and where it matters a brief says that a subagent was working at the time.

use serde::{Deserialize, Serialize};

use crate::lexicon::languages::Sense;
use crate::model::entry::Place;
use crate::quote::foreign::Foreign;
use crate::reading::prose::sentences_that;
use crate::record::{Kind, Observation, Record, Source};
use crate::text::cut::one_line;
use crate::text::passages::item;
use crate::text::phrases::ReadSentence;
use crate::text::words::{self, Word};

/// A call of a subagent, in words.
pub(super) const STARTED: &str = "started a subagent: ";
/// Maximum number of reports, the latest ones, and of files per report.
const MAX_REPORTS: usize = 16;
const MAX_REPORTED_FILES: usize = 12;

/// Problems kept of a report, and characters of each.
const MAX_PROBLEMS: usize = 2;
const MAX_PROBLEM: usize = 300;

/// What a subagent reports to have changed, and what it could not do.
#[derive(Clone, Debug, PartialEq)]
pub struct SubagentReport {
    /// Row of the report.
    pub place: Place,
    /// Short description of its task.
    pub what: Foreign,
    /// As spelled in the report.
    pub files: Vec<Foreign>,
    /// Sentences that say that something could not be done.
    pub problems: Vec<Foreign>,
}

/// Whether and when subagents worked for a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subagents {
    /// The latest row that shows a subagent starting, replying or ending.
    worked: Option<Place>,
}

impl Subagents {
    /// Records a row that shows a subagent starting, replying or ending.
    pub fn worked(&mut self, place: Place) {
        self.worked = self.worked.max(Some(place));
    }

    /// Whether any subagent ran.
    pub fn have_worked(&self) -> bool {
        self.worked.is_some()
    }

    /// Whether a subagent ran after this row.
    pub fn worked_after(&self, place: Place) -> bool {
        self.worked > Some(place)
    }
}

/// The latest reports from this row on that name a change or a problem, oldest first.
pub fn reports(record: &Record, since: Place) -> Vec<SubagentReport> {
    let is_reported = |seen: &&Observation| {
        matches!(seen.what, Kind::Printed { by: Source::Subagent, .. }) && seen.place >= since
    };
    let lines: Vec<&Observation> = record.iter().filter(is_reported).collect();
    let mut found = Vec::new();
    let reports = lines.chunk_by(|one, next| one.place == next.place && call_of(one) == call_of(next));
    for lines in reports.rev().take(MAX_REPORTS) {
        let text = lines.iter().map(|line| line.words.as_str()).collect::<Vec<_>>().join("\n");
        let (files, problems) = (changed_files(&text), problems(&text));
        if !(files.is_empty() && problems.is_empty()) {
            let what = Foreign::new(description(record, call_of(lines[0])));
            found.push(SubagentReport { place: lines[0].place, what, files, problems });
        }
    }
    found.reverse();
    found
}

/// Whether one of these lists this file as changed.
pub fn report_change_of(reports: &[SubagentReport], path: &str) -> bool {
    let is_it = |file: &Foreign| {
        let name = file.to_compare().trim_start_matches("./");
        path == name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
    };
    reports.iter().flat_map(|report| &report.files).any(is_it)
}

/// Row of the call that a line answers.
fn call_of(line: &Observation) -> Place {
    if let Kind::Printed { of, .. } = line.what { of } else { line.place }
}

/// What a subagent was started for.
fn description(record: &Record, call: Place) -> &str {
    let mut calls =
        record.iter().filter(|seen| seen.place == call && matches!(seen.what, Kind::Called { .. }));
    calls.find_map(|seen| seen.words.strip_prefix(STARTED)).unwrap_or_default()
}

/// The files in lines that begin with a change verb, and in lists below such a heading.
fn changed_files(report: &str) -> Vec<Foreign> {
    let mut found: Vec<Foreign> = Vec::new();
    let mut is_list = false;
    for line in report.lines() {
        let bare = item(line).unwrap_or(line).trim_start_matches(['*', '_', '#', '`', ' ']);
        let is_heading = bare.trim_end_matches(['*', '_', ' ']).ends_with(':') || line.starts_with('#');
        // The first path in a line is the changed file; the others explain.
        let mut first = None;
        words::scan(bare, |word| {
            if let Word::Path(path) = word {
                first.get_or_insert(path);
            }
        });
        // Of any other line nobody asks what it says.
        let tells = (is_heading || first.is_some()) && ReadSentence::new(bare).opens(Sense::Changed);
        is_list = (tells && is_heading) || (is_list && (item(line).is_some() || line.trim().is_empty()));
        if tells || (is_list && item(line).is_some()) {
            found.extend(first.map(Foreign::new).filter(|file| !found.contains(file)));
        }
    }
    found.truncate(MAX_REPORTED_FILES);
    found
}

/// The sentences that say that something could not be done. What may happen, or what a program does, is no problem.
fn problems(report: &str) -> Vec<Foreign> {
    let plain = report.replace("**", "");
    let tells = |read: &ReadSentence| read.has(Sense::Failed) && !read.has(Sense::Supposes);
    let found = sentences_that(&plain, tells).into_iter().take(MAX_PROBLEMS);
    found.map(|sentence| Foreign::new(one_line(sentence, MAX_PROBLEM))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_could_not_be_done_is_a_problem() {
        let report = "**Note:** the file is staged and could not be committed: the signing agent fails.\n\
                      If a row could not be parsed, it is skipped. I couldn't run the e2e tests here.\n\
                      The folder could not be loaded, which is the bug. All done.";
        let found: Vec<_> = problems(report).iter().map(|text| text.to_compare().to_owned()).collect();
        assert_eq!(
            found,
            [
                "Note: the file is staged and could not be committed: the signing agent fails.",
                "I couldn't run the e2e tests here."
            ]
        );
    }

    #[test]
    fn files_a_report_only_mentions_are_not_changes() {
        let report = "I looked at src/lexer.rs and src/main.rs.\n\n## Files changed:\n- `src/token.rs`: new tokens, see src/lexer.rs\n\
                      - src/parser.rs\n\nUpdated docs/tokens.md.\nAdded by others: nothing.";
        let named: Vec<_> = changed_files(report).iter().map(|file| file.to_compare().to_owned()).collect();
        assert_eq!(named, ["src/token.rs", "src/parser.rs", "docs/tokens.md"]);
    }
}
