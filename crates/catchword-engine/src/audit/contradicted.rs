//! Where the summary says the opposite of the record: open work called done, finished work called open, a failing
//! check called passing, an instruction that was taken back, another branch.
//!
//! A summary tells a story too, and stories pass through states that no longer hold ("all tests passed", before
//! the next change). So claims about checks count only where the summary speaks of the present, and a task is
//! called done only by the sentence or list item that speaks of it, when nothing in there says otherwise.

use std::collections::HashSet;

use super::summary::{Heading, Summary, Unit};
use crate::model::entry::TaskStatus;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::session::commands::CommandUse;
use crate::session::tasks::Task;
use crate::session::{Session, instructions, one_line, shell};
use crate::text::cut::first_chars;
use crate::text::stems::{Stem, share, stem_set};
use crate::text::words::{MIXED, words};

/// The share of a task's words that a unit must have to speak of it.
const SPOKEN_OF: f32 = 0.75;
/// A unit longer than this tells of many things.
const MAX_UNIT: usize = 320;
/// Characters of a command in which what it runs is named.
const COMMAND_HEAD: usize = 120;

/// Every contradiction.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let mut found = called_done(session, summary);
    found.extend(called_open(session, summary));
    found.extend(called_passing(session, summary));
    found.extend(restated(session, summary));
    found.extend(branch(session, summary));
    found
}

// ---- tasks

fn called_done(session: &Session, summary: &Summary) -> Vec<Finding> {
    let open = session.tasks.open();
    let mut found: Vec<Finding> = open
        .iter()
        .filter_map(|task| {
            let unit =
                summary.units().iter().find(|unit| says_done(unit, task) && is_meant(unit, task, session))?;
            // The agent's own list lags behind its words: where it said so too, the summary only repeats it.
            let confidence = if agent_said_done(session, task) { 0.5 } else { 0.85 };
            Some(differs(FindingSubject::Task, open_words(task), unit.text, confidence, task))
        })
        .collect();
    if let (true, Some(task)) = (found.is_empty(), open.first()) {
        let all = summary.units().iter().find(|unit| says_all_done(unit.text) && is_present(unit));
        found.extend(all.map(|unit| {
            let confidence = if agent_said_done(session, task) { 0.5 } else { 0.8 };
            differs(FindingSubject::Task, open_words(task), unit.text, confidence, task)
        }));
    }
    found
}

fn open_words(task: &Task) -> String {
    let status = if task.status == TaskStatus::InProgress { "in progress" } else { "pending" };
    format!("[{status}] {}", one_line(&task.subject, 300))
}

fn differs(fact: FindingSubject, text: String, quote: &str, confidence: f32, task: &Task) -> Finding {
    let summary_quote = Some(one_line(quote, 300));
    Finding {
        kind: FindingKind::Contradicted,
        fact,
        text,
        place: Some(task.place),
        summary_quote,
        confidence,
    }
}

fn says_done(unit: &Unit, task: &Task) -> bool {
    if unit.fenced || unit.under == Heading::UserMessages || !speaks_of(unit, task) {
        return false;
    }
    let claimed = is_done(unit.text) || (unit.under == Heading::Done && !is_heading(unit.text));
    let rest = without(unit.text, &task.subject);
    claimed && if ends_done(unit.text) { !is_open_status(&rest) } else { !is_pending(&rest) }
}

/// The status stands by itself: at the end, in brackets, behind a dash.
fn ends_done(text: &str) -> bool {
    let last = text.trim_end_matches(|c: char| !c.is_alphanumeric() && !"✅✓✔☑".contains(c)).to_lowercase();
    let apart = [
        "(completed",
        "(done",
        "[completed",
        "[done",
        "— completed",
        "- completed",
        "**completed",
        "✅",
        "✓",
        "✔",
        "[x]",
    ];
    last.ends_with("completed")
        || last.ends_with("done")
        || last.ends_with("finished")
        || apart.iter().any(|mark| text.to_lowercase().contains(mark))
}

/// Words of a status that leave it open whatever else is said.
fn is_open_status(text: &str) -> bool {
    const CUES: &[&str] = &[
        "pending",
        "progress",
        "in_progress",
        "todo",
        "remaining",
        "remains",
        "not",
        "still",
        "need",
        "needs",
        "partially",
        "partly",
        "almost",
        "nearly",
        "mostly",
        "half",
        "but",
        "except",
        "started",
        "ongoing",
        "wip",
        "incomplete",
        "partial",
        "until",
        "once",
        "hasn't",
        "isn't",
        "aren't",
        "haven't",
        "will",
        "should",
        "must",
    ];
    lower_words(text).iter().any(|word| CUES.contains(&word.as_str()))
}

/// No other task fits this unit better: "Wire A into B" and "Wire A into C" share most of their words.
fn is_meant(unit: &Unit, task: &Task, session: &Session) -> bool {
    let there = stem_set(unit.text);
    let fit = |t: &Task| {
        let named = t.id.as_deref().is_some_and(|id| names_task(unit.text, id));
        share(&stem_set(&t.subject), &there) + if named { 1.0 } else { 0.0 }
    };
    let others = session.tasks.open().into_iter().chain(session.tasks.done());
    others.filter(|other| other.subject != task.subject).all(|other| fit(other) < fit(task))
}

fn agent_said_done(session: &Session, task: &Task) -> bool {
    let words = stem_set(&task.subject);
    let later = session.said.iter().filter(|said| said.place >= task.place);
    later.flat_map(|said| said.text.lines()).any(|line| {
        share(&words, &stem_set(line)) >= SPOKEN_OF
            && is_done(line)
            && !is_pending(&without(line, &task.subject))
    })
}

fn speaks_of(unit: &Unit, task: &Task) -> bool {
    let words = stem_set(&task.subject);
    let there = stem_set(unit.text);
    let whole = contains(unit.text, &task.subject);
    let named = task.id.as_deref().is_some_and(|id| names_task(unit.text, id));
    let share = share(&words, &there);
    whole || (unit.text.len() <= MAX_UNIT && words.len() > 1 && share >= SPOKEN_OF) || (named && share >= 0.4)
}

fn contains(text: &str, part: &str) -> bool {
    !part.is_empty() && text.to_lowercase().contains(&part.to_lowercase())
}

/// `text` without the words of a task: "Check what may not be cleaned up" does not say that it is not done.
fn without(text: &str, task: &str) -> String {
    let own = lower_words(task);
    lower_words(text).into_iter().filter(|word| !own.contains(word)).collect::<Vec<_>>().join(" ")
}

fn names_task(text: &str, id: &str) -> bool {
    let lower = text.to_lowercase();
    ["task #", "task ", "#"].iter().any(|mark| {
        lower
            .match_indices(&format!("{mark}{id}"))
            .any(|(at, found)| !lower[at + found.len()..].starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// A unit that says of something that it is done.
pub fn is_done(text: &str) -> bool {
    const MARKS: [&str; 6] = ["✅", "✓", "✔", "☑", "[x]", "[X]"];
    if MARKS.iter().any(|mark| text.contains(mark)) {
        return true;
    }
    let words = lower_words(text);
    let last = words.len().saturating_sub(1);
    words.iter().enumerate().any(|(at, word)| match word.as_str() {
        "completed" | "done" | "finished" => true,
        // "Complete the merge" asks for it, "merge: complete" says so.
        "complete" => {
            at > 0 && (at == last || matches!(words[at - 1].as_str(), "is" | "are" | "now" | "fully" | "100"))
        }
        _ => false,
    })
}

/// Words that leave it open, or that speak of something to come.
fn is_pending(text: &str) -> bool {
    const MORE: &[&str] = &[
        "remain",
        "next",
        "needed",
        "before",
        "after",
        "if",
        "blocked",
        "continue",
        "continuing",
        "begin",
        "began",
        "unless",
        "when",
        "verify",
        "ready",
        "yet",
        "without",
        "no",
        "never",
        "was",
        "were",
        "while",
        "to",
        "then",
        "asked",
        "wants",
        "wasn't",
        "doesn't",
        "didn't",
        "first",
        "only",
        "working",
        "let's",
        "say",
    ];
    is_open_status(text) || lower_words(text).iter().any(|word| MORE.contains(&word.as_str()))
}

/// The words of a text in lower case.
pub fn lower_words(text: &str) -> Vec<String> {
    words(text, MIXED).map(|(_, word)| word.to_lowercase().replace('’', "'")).collect()
}

fn is_heading(text: &str) -> bool {
    text.trim_end_matches('*').ends_with(':')
}

/// "All tasks are completed."
fn says_all_done(text: &str) -> bool {
    let words = lower_words(text);
    let things = ["tasks", "todos", "items", "steps", "work", "to-dos"];
    let all = words.iter().position(|w| matches!(w.as_str(), "all" | "every" | "everything"));
    let near = all.is_some_and(|at| words[at..].iter().take(5).any(|w| things.contains(&w.as_str())));
    near && is_done(text) && !is_pending(text) && words.len() <= 14
}

/// It speaks of how things are, not of how they came to be.
pub fn is_present(unit: &Unit) -> bool {
    matches!(unit.under, Heading::Current | Heading::Pending | Heading::Done) && !unit.fenced
}

/// Finished in the record, listed as pending. Checks are run again and again and are left out.
fn called_open(session: &Session, summary: &Summary) -> Vec<Finding> {
    let open: Vec<HashSet<Stem>> = session.tasks.open().iter().map(|t| stem_set(&t.subject)).collect();
    let pending = || summary.units().iter().filter(|unit| unit.under == Heading::Pending && !unit.fenced);
    session
        .tasks
        .done()
        .into_iter()
        .filter(|task| !is_recurring(&task.subject))
        .filter_map(|task| {
            let words = stem_set(&task.subject);
            let unit = pending().find(|unit| {
                let there = stem_set(unit.text);
                let claimed_otherwise = is_done(unit.text) || unit.text.to_lowercase().contains("none");
                words.len() > 2
                    && unit.text.len() <= MAX_UNIT
                    && share(&words, &there) >= 0.9
                    && share(&there, &words) >= 0.5
                    && !claimed_otherwise
                    && !open.iter().any(|other| share(other, &there) >= SPOKEN_OF)
            })?;
            let text = format!("[completed] {}", one_line(&task.subject, 300));
            Some(differs(FindingSubject::Task, text, unit.text, 0.78, task))
        })
        .collect()
}

/// Work that is done again and again: that it is done once says little.
pub fn is_recurring(subject: &str) -> bool {
    const FIRST: [&str; 16] = [
        "run",
        "verify",
        "test",
        "lint",
        "commit",
        "push",
        "review",
        "build",
        "check",
        "format",
        "rebuild",
        "validate",
        "deploy",
        "recompile",
        "final",
        "ensure",
    ];
    lower_words(subject).first().is_some_and(|word| FIRST.contains(&word.as_str()))
}

// ---- checks

/// A kind of check: what the claims about it are known by; its commands are known by [`check_named`].
struct CheckCommand {
    claims: &'static [&'static str],
}

/// Where each stands in [`CHECKS`].
const TESTS: usize = 0;
const LINT: usize = 1;
const BUILD: usize = 2;
const TYPES: usize = 3;

const CHECKS: [CheckCommand; 4] = [
    CheckCommand {
        claims: &[
            "tests pass",
            "tests are passing",
            "tests passing",
            "tests now pass",
            "tests are green",
            "test suite passes",
            "tests all pass",
            "tests passed",
            "tests are all passing",
            "tests green",
        ],
    },
    CheckCommand {
        claims: &[
            "lint passes",
            "lint clean",
            "lint is clean",
            "linting passes",
            "lint passed",
            "no lint",
            "clippy is clean",
            "clippy passes",
            "clippy clean",
            "linter passes",
            "lint is green",
        ],
    },
    CheckCommand {
        claims: &[
            "build passes",
            "build succeeds",
            "builds successfully",
            "build is green",
            "build passed",
            "build is clean",
            "compiles cleanly",
            "build succeeded",
            "compiles without errors",
            "builds cleanly",
            "builds without errors",
        ],
    },
    CheckCommand {
        claims: &[
            "type check passes",
            "typecheck passes",
            "types check",
            "type-check passes",
            "no type errors",
            "tsc passes",
            "typecheck is clean",
            "type checking passes",
            "typecheck clean",
        ],
    },
];

fn called_passing(session: &Session, summary: &Summary) -> Vec<Finding> {
    CHECKS
        .iter()
        .zip(last_runs(session))
        .filter_map(|(check, last)| {
            let (core, command) = last?;
            let outcome = command.outcome.as_ref().filter(|o| !o.ok)?;
            let unit = summary.units().iter().find(|unit| claims(unit, check))?;
            let several = checks_in(core).len() > 1;
            let explained = !outcome.telling.is_empty() && summary.speaks_of(&outcome.telling) >= 0.5;
            let confidence = if several || explained || !shell::is_check(core) { 0.6 } else { 0.82 };
            Some(Finding {
                kind: FindingKind::Contradicted,
                fact: FindingSubject::Command,
                text: format!("`{}` failed: {}", one_line(core, 160), one_line(&outcome.telling, 160)),
                place: Some(command.place),
                summary_quote: Some(one_line(unit.text, 300)),
                confidence,
            })
        })
        .collect()
}

fn claims(unit: &Unit, check: &CheckCommand) -> bool {
    let lower = unit.text.to_lowercase();
    is_present(unit)
        && check.claims.iter().any(|claim| lower.contains(claim))
        && !lower_words(unit.text).iter().any(|word| {
            [
                "not", "until", "once", "if", "should", "must", "verify", "ensure", "when", "before",
                "after", "to", "make", "but", "except", "confirm", "check", "was", "were", "that", "new",
            ]
            .contains(&word.as_str())
        })
}

/// The latest run of each check, whatever the command.
fn last_runs(session: &Session) -> [Option<(&str, &CommandUse)>; CHECKS.len()] {
    let mut last: [Option<(&str, &CommandUse)>; CHECKS.len()] = [None; CHECKS.len()];
    for (core, c) in session.commands.iter().filter(|(_, c)| c.outcome.is_some()) {
        for check in checks_in(core) {
            if last[check].is_none_or(|(_, last)| c.place >= last.place) {
                last[check] = Some((core, c));
            }
        }
    }
    last
}

/// The latest run of the tests, whatever the command.
pub fn last_test_run(session: &Session) -> Option<(&str, &CommandUse)> {
    last_runs(session)[TESTS]
}

/// The checks that a command runs.
fn checks_in(core: &str) -> HashSet<usize> {
    if !runs_something(core) {
        return HashSet::new();
    }
    words(first_chars(core, COMMAND_HEAD), &[]).filter_map(|(_, word)| check_named(word)).collect()
}

/// Which of the checks is run by a command with this word.
fn check_named(word: &str) -> Option<usize> {
    match word {
        "test" | "tests" | "pytest" | "jest" | "vitest" | "nextest" | "e2e" => Some(TESTS),
        "lint" | "eslint" | "clippy" | "golangci" | "ruff" | "vet" => Some(LINT),
        "build" | "compile" | "make" => Some(BUILD),
        "tsc" | "typecheck" | "mypy" | "pyright" => Some(TYPES),
        _ => None,
    }
}

/// It does not only look.
fn runs_something(core: &str) -> bool {
    !core.starts_with("git ") && !shell::looks_around(core) && !shell::is_look(core)
}

// ---- instructions and branch

/// Taken back, and told as if it held.
fn restated(session: &Session, summary: &Summary) -> Vec<Finding> {
    const GONE: [&str; 10] = [
        "no longer",
        "withdr",
        "lifted",
        "earlier",
        "initially",
        "originally",
        "previously",
        "later",
        "then",
        "changed",
    ];
    instructions::withdrawn(session.asked())
        .into_iter()
        .filter_map(|withdrawn| {
            let words = stem_set(&withdrawn.rule.text);
            let unit = summary.units().iter().find(|unit| {
                let lower = unit.text.to_lowercase();
                !matches!(unit.under, Heading::UserMessages | Heading::Story)
                    && !unit.fenced
                    && words.len() > 1
                    && unit.text.len() <= MAX_UNIT
                    && share(&words, &stem_set(unit.text)) >= 0.85
                    && !GONE.iter().any(|cue| lower.contains(cue))
            })?;
            let taken_back = stem_set(&withdrawn.by.text);
            let told = summary.units().iter().any(|unit| {
                instructions::withdraws(unit.text) && share(&taken_back, &stem_set(unit.text)) >= 0.7
            });
            let shared = words.intersection(&stem_set(&withdrawn.by.text)).count();
            let confidence = if told {
                0.4
            } else if shared > 1 || names_the_same(&withdrawn.rule.text, &withdrawn.by.text) {
                0.8
            } else {
                0.55
            };
            let (rule, by) = (&withdrawn.rule, &withdrawn.by);
            Some(Finding {
                kind: FindingKind::Contradicted,
                fact: FindingSubject::Instruction,
                text: format!(
                    "\"{}\" ({}) taken back: \"{}\"",
                    one_line(&rule.text, 160),
                    rule.place,
                    one_line(&by.text, 160)
                ),
                place: Some(by.place),
                summary_quote: Some(one_line(unit.text, 300)),
                confidence,
            })
        })
        .collect()
}

/// Both name the same path or identifier: then one word is enough to know what is meant.
fn names_the_same(a: &str, b: &str) -> bool {
    let names = |text: &str| -> HashSet<String> {
        let bare = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        bare.filter(|word| word.len() > 4 && word.contains(['/', '_', '.'])).map(str::to_lowercase).collect()
    };
    !names(a).is_disjoint(&names(b))
}

/// Another branch than that of the latest row, said to be the one in use.
fn branch(session: &Session, summary: &Summary) -> Option<Finding> {
    let branch = session.branch.as_deref().filter(|b| !b.is_empty() && *b != "HEAD" && !summary.says(b))?;
    summary.units().iter().filter(|unit| !unit.fenced && unit.under != Heading::UserMessages).find_map(
        |unit| {
            let named = named_branch(unit.text)?;
            let other = !branch.contains(named) && !named.contains(branch);
            // A branch that the record knows may be one that was merged or compared with.
            let strange = !session.names.iter().any(|(name, _)| named.contains(name))
                && !session.roots.iter().any(|r| r.contains(named));
            other.then(|| Finding {
                kind: FindingKind::Contradicted,
                fact: FindingSubject::Branch,
                text: format!("branch {branch}"),
                place: None,
                summary_quote: Some(one_line(unit.text, 300)),
                confidence: if strange && unit.under == Heading::Current { 0.78 } else { 0.5 },
            })
        },
    )
}

/// The branch that a unit says is the one in use.
fn named_branch(text: &str) -> Option<&str> {
    const LEADS: [&str; 6] = [
        "current branch:",
        "current branch is",
        "currently on branch",
        "working on branch",
        "on branch",
        "branch:",
    ];
    let lower = text.to_ascii_lowercase();
    let at = LEADS.iter().find_map(|lead| {
        let at = lower.find(lead)?;
        // "action branch" is another word.
        (!lower[..at].ends_with(|c: char| c.is_alphanumeric())).then_some(at + lead.len())
    })?;
    let rest = text[at..].trim_start_matches([' ', '`', '*', '\'', '"', ':']);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "/-_.".contains(c))).unwrap_or(rest.len());
    let name = rest[..end].trim_end_matches('.');
    let plausible =
        name.len() > 2 && (name.contains(['/', '-', '_']) || matches!(name, "main" | "master" | "develop"));
    plausible.then_some(name)
}
