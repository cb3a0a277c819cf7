//! Compares what the summary says about checks (tests, lint, build, type check) with their latest run.
//!
//! A summary also tells history, including states that no longer hold ("all tests passed", before the next change). So
//! only statements about the present count.

use super::claims::{Cued, clauses, is_all, is_one_of};
use super::summary::{Summary, Unit};
use crate::lexicon::programs::Purpose;
use crate::lexicon::summaries::{
    Cues, LANGUAGES, LINTERS, MENDED, NARROWS, NARROWS_CHECK, SummaryWords, TYPE_CHECKS, WIDE,
};
use crate::model::finding::{DOUBTFUL, Finding, FindingKind, FindingSubject, SURE};
use crate::reading::command::ShellLine;
use crate::reading::report::never_ran;
use crate::record::CommandRun;
use crate::session::paths::is_absolute;
use crate::session::shown::shown_path;
use crate::session::{Session, one_line};
use crate::text::speech::Speech;

/// Tool calls after which a failed run says little about the present.
const OLD: u32 = 60;

/// Every contradiction about checks.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let runs = last_runs(session);
    let mut found = Vec::new();
    for ((_, check), run) in CHECKS.into_iter().zip(runs) {
        let Some(command) = run else { continue };
        let said = |verdict| {
            summary
                .units()
                .iter()
                .filter(|unit| unit.is_present())
                .find(|unit| says(unit.body, check, command.line) == Some(verdict))
        };
        found.extend(
            said(CheckOutcome::Passes).and_then(|unit| called_passing(session, summary, unit, command)),
        );
        found.extend(said(CheckOutcome::Fails).and_then(|unit| called_failing(session, unit, command)));
    }
    found
}

fn called_passing(session: &Session, summary: &Summary, unit: &Unit, command: CommandRun) -> Option<Finding> {
    let core = command.line.core();
    let ok = command.ok()?;
    // A subagent may have fixed the code and run the check again; its commands are not in this record.
    let uncertain = checks_in(command.line) > 1 || session.agents.worked_after(command.place);
    if ok {
        let is_sure = command.surely_passed() && !uncertain && !unit.text.to_lowercase().contains("last");
        return edited_since(session, unit, command).filter(|_| is_sure);
    }
    let explained = is_explained(summary, command.telling());
    let old = session.clock.saturating_sub(command.clock) > OLD;
    let unsure = uncertain || explained || old || !command.line.is_check() || never_ran(command.telling());
    let confidence = if unsure { DOUBTFUL } else { SURE };
    let text = format!("`{}` failed: {}", one_line(core, 160), one_line(command.telling(), 160));
    Some(finding(text, unit, command, confidence))
}

/// The summary knows of this failure: it is part of the present state, or excused. An error told as history says nothing
/// about now.
fn is_explained(summary: &Summary, telling: &str) -> bool {
    let tells = |unit: &Unit| Speech::new(unit.text).speaks_of(telling) >= 0.5;
    let knows = |unit: &Unit| unit.is_present() || Cued::new(unit.text).any(|of| &of.excuses);
    !telling.is_empty() && summary.units().iter().any(|unit| knows(unit) && tells(unit))
}

/// The last run passed, but code was edited after it, so the claim is unverified.
fn edited_since(session: &Session, unit: &Unit, command: CommandRun) -> Option<Finding> {
    let is_code = |path: &str| {
        !matches!(path.rsplit('.').next(), Some("md" | "txt" | "json"))
            && !is_absolute(shown_path(session, path))
    };
    let edits = session.files.iter().filter(|(path, file)| file.is_changed() && is_code(path));
    let since = edits.filter(|(_, file)| file.changed > command.clock && file.changed_at > command.place);
    let mut since: Vec<_> = since.map(|(path, file)| (file.changed_at, shown_path(session, path))).collect();
    since.sort_unstable();
    let (place, path) = since.last()?;
    // Another check that passed after the edits would hardly have passed if they had broken this one.
    let mut later = session.record.latest_runs().filter(|run| run.place > *place);
    let is_checked = later.any(|run| checks_code(run.line) && run.surely_passed());
    let text = format!(
        "`{}` last ran at {} and passed; {path} was edited after it, at {place}",
        one_line(command.line.core(), 120),
        command.place
    );
    Some(Finding {
        place: Some(*place),
        ..finding(text, unit, command, if is_checked { DOUBTFUL } else { SURE })
    })
}

/// Whether a line runs a check that broken code may fail: not one that only looks at its format.
fn checks_code(line: &ShellLine) -> bool {
    line.checks().any(|step| step.purpose != Purpose::Format)
}

/// The summary says it fails, but the latest run passed and nothing was edited since.
fn called_failing(session: &Session, unit: &Unit, command: CommandRun) -> Option<Finding> {
    let core = command.line.core();
    command.surely_passed().then_some(())?;
    let fails_elsewhere = session.failing().any(|failure| failure.line.is_check());
    let edited = session.changed_since(command.clock) > 0 || session.agents.worked_after(command.place);
    if fails_elsewhere || edited {
        return None;
    }
    // A run of a part says nothing about the rest.
    let names_it = unit.body.contains(core)
        || session.record.runs().filter(|run| run.line.core() == core).count() > 1
            && core.split(' ').count() <= 3;
    let text = format!("`{}` passed: {}", one_line(core, 160), one_line(command.telling(), 160));
    Some(finding(text, unit, command, if names_it { SURE } else { DOUBTFUL }))
}

fn finding(text: String, unit: &Unit, command: CommandRun, confidence: f32) -> Finding {
    Finding {
        kind: FindingKind::Contradicted,
        fact: FindingSubject::Command,
        text,
        place: Some(command.place),
        summary_quote: Some(one_line(unit.text, 300)),
        confidence,
    }
}

/// What the summary says about a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CheckOutcome {
    Passes,
    Fails,
}

/// A kind of check, by the words that claims use for it.
#[derive(Clone, Copy)]
enum CheckWords {
    /// In every language.
    Spoken(fn(&SummaryWords) -> &Cues),
    /// The same everywhere.
    Named(&'static Cues),
}

impl CheckWords {
    fn are_in(self, text: &Cued) -> bool {
        match self {
            CheckWords::Spoken(of) => text.any(of),
            CheckWords::Named(cues) => text.has(cues),
        }
    }

    fn has_word(self, word: &str) -> bool {
        match self {
            CheckWords::Spoken(of) => LANGUAGES.iter().any(|language| is_one_of(word, of(language))),
            CheckWords::Named(cues) => is_one_of(word, cues),
        }
    }
}

/// Index into [`CHECKS`].
const TESTS: usize = 0;

/// Every kind of check: what its commands are for, and the words of claims.
const CHECKS: [(Purpose, CheckWords); 4] = [
    (Purpose::Test, CheckWords::Spoken(|of| &of.tests)),
    (Purpose::Lint, CheckWords::Named(&LINTERS)),
    (Purpose::Build, CheckWords::Spoken(|of| &of.build)),
    (Purpose::Types, CheckWords::Named(&TYPE_CHECKS)),
];

/// What a text says about a check as a whole: "7 new tests pass" says nothing about the rest.
fn says(text: &str, check: CheckWords, line: &ShellLine) -> Option<CheckOutcome> {
    let command = format!("`{}`", line.core());
    clauses(text).iter().find_map(|clause| {
        // What follows the command and a colon is its output.
        let after =
            clause.text.split_once(&command).map(|(_, after)| after.split(':').next().unwrap_or(after));
        // Apart from "type check", the word asks for something.
        let cued = Cued::new(&after.unwrap_or(clause.text).to_lowercase().replace("type check", "typecheck"));
        let is_named = after.is_some() || check.are_in(&cued);
        let unsure = cued.is_unsure() || cued.has(&NARROWS) || cued.has(&NARROWS_CHECK);
        if !is_named || unsure || !speaks_of_all(clause.text, check, line) {
            return None;
        }
        let fails = cued.any(|of| &of.fails) && !cued.has(&MENDED) && !cued.any(|of| &of.none);
        match (cued.any(|of| &of.passes) || says_no_error(&cued), fails) {
            (true, false) => Some(CheckOutcome::Passes),
            (false, true) => Some(CheckOutcome::Fails),
            _ => None,
        }
    })
}

/// "no lint errors", "builds without errors".
fn says_no_error(cued: &Cued) -> bool {
    cued.any(|of| &of.none) && cued.any(|of| &of.trouble)
}

/// The words before the name of the check do not narrow it down, unless the command has them too.
fn speaks_of_all(clause: &str, check: CheckWords, line: &ShellLine) -> bool {
    let lower: Vec<String> = super::claims::lower_words(clause);
    let Some(at) = lower.iter().position(|word| check.has_word(word)) else { return true };
    let start = at.saturating_sub(2);
    lower[start..at].iter().all(|word| {
        is_one_of(word, &WIDE)
            || is_all(word)
            || !word.is_ascii()
            || word.bytes().all(|b| b.is_ascii_digit())
            || line.core().to_lowercase().contains(word.as_str())
    })
}

/// The latest run of each check, whatever the command.
fn last_runs(session: &Session) -> [Option<CommandRun<'_>>; CHECKS.len()] {
    let ended = || session.record.latest_runs().filter(|run| run.ok().is_some());
    CHECKS.map(|(purpose, _)| ended().rfind(|run| runs(run.line, purpose)))
}

/// The latest run of the tests, whatever the command.
pub fn last_test_run(session: &Session) -> Option<CommandRun<'_>> {
    last_runs(session)[TESTS]
}

fn runs(line: &ShellLine, purpose: Purpose) -> bool {
    line.checks().any(|step| step.purpose == purpose)
}

/// How many kinds of checks a line runs.
fn checks_in(line: &ShellLine) -> usize {
    CHECKS.iter().filter(|(purpose, _)| runs(line, *purpose)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_about_checks_are_read_in_many_wordings() {
        let of = |text| says(text, CHECKS[TESTS].1, &ShellLine::parse("cargo test"));
        for text in [
            "All tests pass.",
            "all tests are now passing",
            "The full test suite is green",
            "unit and integration tests passed",
            "Todos os testes passam",
            "Alle Tests sind grün",
            "所有测试通过",
            "すべてのテストが通過",
            "모든 테스트 통과",
            "tests run without failures",
        ] {
            assert_eq!(of(text), Some(CheckOutcome::Passes), "{text}");
        }
        for text in [
            "7 new tests pass",
            "Verify that all tests pass",
            "the parser tests pass",
            "not all tests pass",
            "once the tests pass, push",
            "Nem todos os testes passam",
            "Tests are in tests/limiter.rs",
            "All tests pass in the parser crate",
            "The tests fail on Windows",
            "Fixed the failing tests",
            "There are no failing tests",
            "The tests were broken",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
        for text in
            ["The tests fail", "The test suite is broken", "`cargo test` fails: expected 429, got 200"]
        {
            assert_eq!(of(text), Some(CheckOutcome::Fails), "{text}");
        }
    }
}
