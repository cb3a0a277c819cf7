//! Checks (tests, lint, build, types) and searches that the summary calls good, and whose last run ended otherwise; and
//! numbers of tests that the last count line has otherwise.
//!
//! A summary also tells history, including states that no longer hold ("all tests passed", before the next change). So
//! only statements about the present count.

use super::differs;
use super::summary::{Summary, Unit};
use crate::lexicon::outcomes::{COUNT_WORDS, CountRole};
use crate::lexicon::programs::Purpose;
use crate::lexicon::summaries::{
    BEFORE, CONFIRMS, Cues, IDLE, LANGUAGES, LINTERS, NARROWS, NARROWS_CHECK, SummaryWords, TYPE_CHECKS, WIDE,
};
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::reading::claims::{Cued, clauses, is_all, is_one_of, is_word_of, lower_words};
use crate::reading::command::ShellLine;
use crate::reading::report::never_ran;
use crate::record::{CommandRun, Kind, Observation};
use crate::session::{Session, one_line};
use crate::text::phrases::is_stop_word;
use crate::text::specifics::specifics;
use crate::text::speech::Speech;

/// Tool calls after which a failed run says little about the present.
const OLD: u32 = 60;
/// Larger numbers of tests are not looked up in the record.
const MOST_TESTS: u32 = 5_000;

pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let present = || summary.units().iter().filter(|unit| unit.is_present());
    let mut found = Vec::new();
    let is_check = |line: &ShellLine| CHECKS.iter().any(|check| runs(line, check.purpose));
    let runs_again = |run: &CommandRun| {
        session.record.runs().any(|later| later.place > run.place && later.line.core() == run.line.core())
    };
    let others = session.record.latest_runs().filter(|run| run.failed() && !is_check(run.line));
    let others = others.filter(|run| !runs_again(run)).map(|run| (None, run));
    let of_checks =
        CHECKS.iter().zip(last_runs(session)).filter_map(|(check, run)| Some((Some(check.words), run?)));
    for (check, run) in of_checks.chain(others).filter(|(_, run)| fails_for_sure(session, summary, *run)) {
        let claim = present().find(|unit| says_passing(unit.body, check, run.line));
        found.extend(claim.map(|unit| contradicted(run, unit)));
    }
    found.extend(present().filter_map(|unit| miscounted(session, unit)));
    found.extend(unfinished_search(session, summary));
    found
}

fn contradicted(run: CommandRun, unit: &Unit) -> Finding {
    let text = format!("`{}` failed: {}", one_line(run.line.core(), 160), one_line(run.telling(), 160));
    // "`make test` passes, all is done": two claims. Where the clause does not name the command it is the whole sentence.
    let of_it = clauses(unit.text).into_iter().find(|clause| clause.text.contains(run.line.core()));
    let claim = of_it.map_or_else(|| unit.claim(), |clause| unit.clause(clause.text));
    differs(FindingKind::Contradicted, FindingSubject::Command, &text, Some(run.place), claim)
}

/// The last run of a check failed, and neither a subagent nor the summary may know better.
fn fails_for_sure(session: &Session, summary: &Summary, run: CommandRun) -> bool {
    // Tests of which none passed were skipped.
    let skipped = run.ended.and_then(|ended| ended.counts).is_some_and(|c| c.passed == 0 && c.skipped > 0);
    let runs_several = CHECKS.iter().filter(|check| runs(run.line, check.purpose)).count() > 1;
    (run.failed() || (skipped && !run.line.is_narrow()))
        && !runs_several
        && session.saw_all_since(run.place)
        && !session.agents.worked_after(run.place)
        && session.clock.saturating_sub(run.clock) <= OLD
        && !never_ran(run.telling())
        && !is_explained(summary, run.telling())
}

/// The summary knows of this failure: it is part of the present state, or excused. An error told as history says nothing
/// about now.
pub fn is_explained(summary: &Summary, telling: &str) -> bool {
    let tells = |unit: &Unit| Speech::new(unit.text).speaks_of(telling) >= 0.5;
    let knows = |unit: &Unit| unit.is_present() || Cued::new(unit.text).any(|of| &of.excuses);
    !telling.is_empty() && summary.units().iter().any(|unit| knows(unit) && tells(unit))
}

/// A kind of check: what its commands are for, and the words of claims.
struct CheckKind {
    purpose: Purpose,
    words: CheckWords,
}

/// The words that claims use for a check.
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
            CheckWords::Spoken(of) => is_word_of(word, of),
            CheckWords::Named(cues) => is_one_of(word, cues),
        }
    }
}

/// Every kind of check, tests first.
const CHECKS: [CheckKind; 4] = [
    CheckKind { purpose: Purpose::Test, words: CheckWords::Spoken(|of| &of.tests) },
    CheckKind { purpose: Purpose::Lint, words: CheckWords::Named(&LINTERS) },
    CheckKind { purpose: Purpose::Build, words: CheckWords::Spoken(|of| &of.build) },
    CheckKind { purpose: Purpose::Types, words: CheckWords::Named(&TYPE_CHECKS) },
];

/// A text says that a check passes as a whole, or that the command it names does: "7 new tests pass" says nothing about the
/// rest. Without a check, only the command counts.
fn says_passing(text: &str, check: Option<CheckWords>, line: &ShellLine) -> bool {
    let command = format!("`{}`", line.core());
    if check.is_none() && !text.contains(&command) {
        return false;
    }
    let parts = clauses(text);
    let is_history = |at: usize| {
        let next = parts.get(at + 1).and_then(|next| lower_words(next.text).into_iter().next());
        next.is_some_and(|word| is_one_of(&word, &BEFORE))
    };
    parts.iter().enumerate().any(|(at, clause)| {
        // What follows the command and a colon is its output.
        let around = clause.text.split_once(&command);
        let after = around.map(|(_, after)| after.split(':').next().unwrap_or(after));
        let named = around.zip(after).map(|((before, _), after)| format!("{before} {after}"));
        let said = named.as_deref().unwrap_or(clause.text);
        // Apart from "type check", the word asks for something.
        let cued = Cued::new(&said.to_lowercase().replace("type check", "typecheck"));
        let is_meant = check.is_some_and(|check| check.are_in(&cued));
        // What stands before the command leads to it: "the failure of `make`".
        let bare = match (after, check) {
            (Some(after), _) => after.to_owned(),
            (None, Some(check)) => without_prepositions(said, check),
            (None, None) => said.to_owned(),
        };
        let bare = Cued::new(&bare.to_lowercase().replace("type check", "typecheck"));
        let unsure = cued.is_unsure() || bare.has(&NARROWS) || bare.has(&NARROWS_CHECK);
        let (none, mended) = (cued.any(|of| &of.none), cued.any(|of| &of.mended));
        let fails = cued.any(|of| &of.fails);
        // "no lint errors", "not one test fails", "builds without errors"
        let no_error = none && (fails || cued.any(|of| &of.trouble));
        // "the failure of `make` is gone"
        let is_gone = named.is_some() && mended && (fails || cued.any(|of| &of.trouble));
        (named.is_some() || is_meant)
            && !unsure
            && !is_history(at)
            && (no_error || is_gone || (cued.any(|of| &of.passes) && (!fails || mended)))
            && (named.is_some() || check.is_none_or(|check| speaks_of_all(said, check, line)))
    })
}

/// Without the prepositions that lead to the check itself: "no failures in the test suite" is about all of it.
fn without_prepositions(text: &str, check: CheckWords) -> String {
    let words: Vec<String> = lower_words(text);
    let leads = |at: usize| {
        let next = words[at + 1..].iter().take(3).find(|word| !is_stop_word(word) && !is_all(word));
        is_one_of(&words[at], &IDLE)
            && next.is_some_and(|word| check.has_word(word) || is_one_of(word, &WIDE))
    };
    let kept = (0..words.len()).filter(|at| !leads(*at)).map(|at| words[at].as_str());
    kept.collect::<Vec<_>>().join(" ")
}

/// The words before the name of the check do not narrow it down, unless the command has them too.
fn speaks_of_all(clause: &str, check: CheckWords, line: &ShellLine) -> bool {
    let lower = lower_words(clause);
    let Some(at) = lower.iter().position(|word| check.has_word(word)) else { return true };
    lower[at.saturating_sub(2)..at].iter().all(|word| {
        is_one_of(word, &WIDE)
            || is_all(word)
            || is_stop_word(word)
            || !word.is_ascii()
            || word.bytes().all(|b| b.is_ascii_digit())
            || LANGUAGES.iter().any(|of| is_one_of(word, &of.none) || is_one_of(word, &of.passes))
            || line.core().to_lowercase().contains(word.as_str())
    })
}

/// The latest run of each check, whatever the command.
fn last_runs(session: &Session) -> [Option<CommandRun<'_>>; CHECKS.len()] {
    let ended = || session.record.latest_runs().filter(|run| run.ok().is_some());
    CHECKS.map(|check| ended().rfind(|run| runs(run.line, check.purpose)))
}

fn runs(line: &ShellLine, purpose: Purpose) -> bool {
    line.checks().any(|step| step.purpose == purpose)
}

// ---- numbers of tests

/// A number of tests said to pass that the last count line does not have: the record has no other number of tests, or
/// those that it counted as skipped are among them.
fn miscounted(session: &Session, unit: &Unit) -> Option<Finding> {
    let said = said_to_pass(unit.text).filter(|said| *said <= MOST_TESTS)?;
    let run = last_runs(session)[0]?;
    let counts = run.ended?.counts.filter(|counts| counts.passed > 0)?;
    if said == counts.passed || session.vocabulary.is_full() || !session.saw_all_since(run.place) {
        return None;
    }
    let counted = |count: u32, role: CountRole| {
        let words =
            COUNT_WORDS.iter().filter(|word| word.counts == role).flat_map(|word| word.words.split(' '));
        words.into_iter().any(|word| session.vocabulary.has_beside(&count.to_string(), word))
    };
    let with_skipped =
        counts.skipped > 0 && said == counts.passed + counts.skipped && !counted(said, CountRole::Passed);
    let is_met = || counted(said, CountRole::Passed) || counted(said, CountRole::Total);
    // The record may have several numbers, of packages or filtered runs, and the summary their sum.
    let others =
        || (1..=said.max(counts.passed)).any(|n| n != counts.passed && counted(n, CountRole::Passed));
    if !with_skipped && (run.ok() != Some(true) || is_met() || others()) {
        return None;
    }
    let text = format!("`{}`: {}", one_line(run.line.core(), 120), one_line(run.telling(), 160));
    Some(differs(FindingKind::Contradicted, FindingSubject::Number, &text, Some(run.place), unit.claim()))
}

/// "all 12 tests pass", "12 unit tests are passing", "12/12 tests pass".
fn said_to_pass(text: &str) -> Option<u32> {
    let words = lower_words(text);
    let at = words.iter().position(|word| CHECKS[0].words.has_word(word))?;
    let count = words[..at].iter().rev().take(3).find_map(|word| word.parse().ok())?;
    let cued = Cued::new(text);
    let passes = LANGUAGES.iter().any(|of| words[at + 1..].iter().take(4).any(|w| is_one_of(w, &of.passes)));
    let is_unclear = cued.is_unsure() || cued.has(&NARROWS) || cued.has(&NARROWS_CHECK);
    (passes && !is_unclear).then_some(count)
}

// ---- searches

/// The summary says that a search found nothing, and the last search for one of the names did not end.
fn unfinished_search(session: &Session, summary: &Summary) -> Option<Finding> {
    let calls = || session.record.iter().rev().filter(|seen| matches!(seen.what, Kind::Called { .. }));
    let failed = calls().filter(|seen| matches!(seen.what, Kind::Called { ok: false, .. }));
    for seen in failed {
        let error = session
            .record
            .iter()
            .find(|line| matches!(line.what, Kind::Printed { of, failed: true, .. } if of == seen.place));
        let names: Vec<&str> = specifics(&seen.words).filter(|name| name.len() > 5).collect();
        let is_repeated = |later: &&Observation| later.place > seen.place && later.words == seen.words;
        let (Some(error), false) = (error, calls().any(|later| is_repeated(&later))) else { continue };
        let is_claim = |unit: &&Unit| {
            let cued = Cued::new(unit.text);
            unit.is_told()
                && cued.has(&CONFIRMS)
                && cued.any(|of| &of.none)
                && names.iter().filter(|name| unit.text.contains(**name)).count() > 1
        };
        if let Some(unit) = summary.units().iter().find(is_claim) {
            let text = format!("{} failed: {}", one_line(&seen.words, 140), one_line(&error.words, 140));
            return Some(differs(
                FindingKind::Contradicted,
                FindingSubject::Command,
                &text,
                Some(seen.place),
                unit.claim(),
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_about_checks_are_read_in_many_wordings() {
        let passes = |text| says_passing(text, Some(CHECKS[0].words), &ShellLine::parse("cargo test"));
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
            assert!(passes(text), "{text}");
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
            "The tests were broken",
            "`cargo test` fails: expected 429, got 200",
        ] {
            assert!(!passes(text), "{text}");
        }
    }

    #[test]
    fn numbers_of_passing_tests_are_read() {
        for (text, expected) in [
            ("All 12 tests pass.", Some(12)),
            ("all 12 unit tests are now passing", Some(12)),
            ("12/12 tests passed", Some(12)),
            ("Tests 1-9 passed", None),
            ("7 new tests pass", None),
            ("All tests pass", None),
            ("12 of 14 tests pass", None),
            ("12 tests should pass", None),
        ] {
            assert_eq!(said_to_pass(text), expected, "{text}");
        }
    }
}
