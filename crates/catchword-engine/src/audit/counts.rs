//! Counts in the summary that differ from the record: "4 of 5 tasks are done", "all 12 tests pass".
//!
//! A summary counts many things, most of them lists that the record does not keep. So counts are compared
//! only where both are clearly about the same thing: a total equal to the length of the task list, and a number of
//! tests where the record has only one such number.

use super::checks::last_test_run;
use super::claims::{Cued, Says, is_one_of, lower_words, says};
use super::summary::{Heading, Summary, Unit};
use crate::lexicon::outcomes::{COUNT_WORDS, CountRole};
use crate::lexicon::summaries::{LANGUAGES, NARROWS, NARROWS_CHECK, NUMBERS};
use crate::model::finding::{DOUBTFUL, Finding, FindingKind, FindingSubject, SURE};
use crate::session::{Session, one_line};

/// Larger numbers of tests are not looked up in the record.
const MOST_TESTS: usize = 5_000;

/// Every wrong count.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let present = || summary.units().iter().filter(|unit| unit.is_present() && unit.text.len() < 240);
    let mut found: Vec<Finding> = present().filter_map(|unit| tasks(session, unit)).collect();
    found.extend(present().filter_map(|unit| tests(session, unit)));
    found
}

// ---- tasks

/// What a unit says about the task list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CountClaim {
    done: usize,
    all: usize,
}

fn tasks(session: &Session, unit: &Unit) -> Option<Finding> {
    let (open, done) = (session.tasks.open(), session.tasks.done());
    let claim = claim(unit.text, unit.under)?;
    let all = open.len() + done.len();
    if claim.all != all || claim.done == done.len() {
        return None;
    }
    // The agent's task list lags behind what it says.
    let said = session.record.spoken().flat_map(|said| said.lines).map(|line| line.words.as_str());
    let repeated = said.filter_map(|line| self::claim(line, Heading::Other)).any(|other| other == claim);
    Some(Finding {
        kind: FindingKind::Contradicted,
        fact: FindingSubject::Number,
        text: format!("{} of {all} tasks completed, {} open", done.len(), open.len()),
        place: open.iter().chain(&done).map(|task| task.place).max(),
        summary_quote: Some(one_line(unit.text, 300)),
        confidence: if repeated { DOUBTFUL } else { SURE },
    })
}

/// "3 of 5 tasks are done", "3/5 tasks completed", "2 of 5 tasks remain".
fn claim(text: &str, under: Heading) -> Option<CountClaim> {
    let words = lower_words(text);
    let at = words.iter().position(|w| matches!(w.as_str(), "tasks" | "todos" | "items" | "task"))?;
    // "3 of 5", "3 of the 5", "3 of 5 planned"; nothing else may come between the numbers.
    let counts = words[..at].iter().enumerate().rev().take(3).find_map(|(last, word)| {
        let all = number(word)?;
        let before: Vec<&str> = words[..last]
            .iter()
            .rev()
            .map(String::as_str)
            .filter(|w| !matches!(*w, "of" | "the" | "out"))
            .collect();
        let part = number(before.first()?)?;
        let joined =
            text.contains(&format!("{}/{word}", before[0])) || words[..last].iter().any(|w| w == "of");
        (joined && part <= all).then_some((part, all))
    });
    let (part, all) = counts?;
    let is_left = |word: &String| LANGUAGES.iter().any(|of| is_one_of(word, &of.left));
    if words[at..].iter().take(8).any(is_left) {
        return Some(CountClaim { done: all - part, all });
    }
    let is_claim = match says(text) {
        Some(says) => says == Says::Done,
        None => under == Heading::Done,
    };
    is_claim.then_some(CountClaim { done: part, all })
}

fn number(word: &str) -> Option<usize> {
    NUMBERS.words.split(' ').position(|w| w == word).or_else(|| word.parse().ok())
}

// ---- tests

fn tests(session: &Session, unit: &Unit) -> Option<Finding> {
    let said = said_to_pass(unit.text)?;
    let run = last_test_run(session)?;
    let core = run.line.core();
    (run.ok() == Some(true)).then_some(())?;
    let counted = passed_in(run.telling())?;
    if said == counted || said > MOST_TESTS || session.vocabulary.is_full() || is_met(session, said) {
        return None;
    }
    // The record may have several numbers, of packages or filtered runs, and the summary their sum.
    let others = (1..=said.max(counted)).filter(|n| *n != counted && is_passed(session, *n)).count();
    Some(Finding {
        kind: FindingKind::Contradicted,
        fact: FindingSubject::Number,
        text: format!("`{}`: {}", one_line(core, 120), one_line(run.telling(), 160)),
        place: Some(run.place),
        summary_quote: Some(one_line(unit.text, 300)),
        confidence: if others == 0 { SURE } else { DOUBTFUL },
    })
}

fn is_met(session: &Session, count: usize) -> bool {
    is_passed(session, count) || is_counted(session, count, CountRole::Total)
}

fn is_passed(session: &Session, count: usize) -> bool {
    is_counted(session, count, CountRole::Passed)
}

fn is_counted(session: &Session, count: usize, role: CountRole) -> bool {
    let words = COUNT_WORDS.iter().filter(|word| word.counts == role).flat_map(|word| word.words.split(' '));
    words.into_iter().any(|word| session.vocabulary.has_beside(&count.to_string(), word))
}

/// "all 12 tests pass", "12 unit tests are passing", "12/12 tests pass".
fn said_to_pass(text: &str) -> Option<usize> {
    let words = lower_words(text);
    let at = words.iter().position(|w| w == "tests")?;
    let count = words[..at].iter().rev().take(3).find_map(|word| word.parse().ok())?;
    let passes =
        words[at + 1..].iter().take(4).any(|w| matches!(w.as_str(), "pass" | "passed" | "passing" | "green"));
    let cued = Cued::new(text);
    let is_unclear = cued.is_unsure() || cued.has(&NARROWS) || cued.has(&NARROWS_CHECK);
    (passes && !is_unclear).then_some(count)
}

/// The number before "passed" or "passing".
fn passed_in(line: &str) -> Option<usize> {
    let words = lower_words(line);
    let at = words.iter().position(|w| matches!(w.as_str(), "passed" | "passing"))?;
    words.get(at.checked_sub(1)?)?.parse().ok().filter(|n| *n > 0)
}

#[cfg(test)]
mod tests_of_counts {
    use super::*;

    #[test]
    fn claims_about_the_list_are_read() {
        let claimed = |text| claim(text, Heading::Current).map(|c| (c.done, c.all));
        for (text, expected) in [
            ("3 of 5 tasks are done", Some((3, 5))),
            ("3 of the 5 tasks completed", Some((3, 5))),
            ("Progress: 3/5 tasks completed", Some((3, 5))),
            ("Three of five planned tasks are finished.", Some((3, 5))),
            ("2 of 5 tasks remain", Some((3, 5))),
            ("Created a list with 7 tasks", None),
            ("Task 3 of 5 is next", None),
            ("3 of 5 tasks will be done", None),
            ("step 3, then 5 tasks are done", None),
            ("5 of 3 tasks done", None),
        ] {
            assert_eq!(claimed(text), expected, "{text}");
        }
    }

    #[test]
    fn claims_about_tests_are_read() {
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
        assert_eq!(passed_in("test result: ok. 10 passed; 0 failed"), Some(10));
        assert_eq!(passed_in("Tests:  10 passed, 10 total"), Some(10));
        assert_eq!(passed_in("ok  pkg 0.3s"), None);
    }
}
