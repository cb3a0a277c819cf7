//! A program that the summary calls good or present, while its last output names parts that failed, or the last probe for it
//! found nothing.

use std::collections::HashSet;

use super::checks::is_explained;
use super::differs;
use super::summary::{Summary, Unit};
use crate::lexicon::outcomes::PART_FAILED;
use crate::lexicon::programs::{PROBES, Purpose};
use crate::lexicon::summaries::PRESENT;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::reading::claims::{Clause, Cued, clauses};
use crate::reading::command::{Joint, Step, has};
use crate::record::{CommandRun, Kind, Observation};
use crate::session::{Session, one_line};

/// Shorter names are words of every text.
const SHORTEST: usize = 4;

pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let mut found = Vec::new();
    // Only the newest run of a program says how it is now.
    let mut known: HashSet<&str> = HashSet::new();
    for run in session.record.runs().rev() {
        let steps = run.line.steps();
        for (at, step) in steps.iter().enumerate() {
            let probed = probed(step);
            let name = probed.unwrap_or(&step.program);
            if !known.insert(name) || name.len() < SHORTEST || !is_last_word(session, run) {
                continue;
            }
            // What goes into a pipe or a file is not printed. Error messages may go anywhere.
            let is_hidden = steps.get(at + 1).is_some_and(|next| next.joint == Joint::Pipe)
                || run.line.text().replace("2>", "").contains('>');
            let told = if probed.is_none() {
                parts_failed(session, run, step)
            } else if is_hidden {
                None
            } else {
                found_nothing(session, run, step, name)
            };
            let is_claim = |unit: &&Unit| {
                let is_about = |clause: &Clause| names(clause.text, name);
                let is_good = |clause: &Clause| {
                    let cued = Cued::new(clause.text);
                    let good = if probed.is_some() { cued.has(&PRESENT) } else { cued.any(|of| &of.passes) };
                    good && !cued.is_unsure() && !cued.any(|of| &of.none) && !cued.any(|of| &of.fails)
                };
                unit.is_present() && clauses(unit.text).iter().any(|c| is_about(c) && is_good(c))
            };
            let Some(told) = told else { continue };
            let claim = summary.units().iter().find(is_claim);
            let claim = claim.filter(|_| probed.is_some() || !is_explained(summary, &told));
            found.extend(claim.map(|unit| {
                let text = format!("{told}, by `{}`", one_line(run.line.core(), 120));
                let (kind, fact) = (FindingKind::Contradicted, FindingSubject::Command);
                differs(kind, fact, &text, Some(run.place), unit.claim())
            }));
        }
    }
    found
}

/// Nothing since may have changed the program: no subagent, no script that nobody can read, no installation.
fn is_last_word(session: &Session, run: CommandRun) -> bool {
    let installs = |later: CommandRun| later.line.steps().iter().any(|step| step.purpose == Purpose::Install);
    session.saw_all_since(run.place)
        && !session.agents.worked_after(run.place)
        && !session.record.runs().rev().take_while(|later| later.place > run.place).any(installs)
}

/// The program that `which x` or `command -v x` looks for, if it prints what it finds.
fn probed(step: &Step) -> Option<&str> {
    let is_plain = step.joint == Joint::Then && !step.is_conditional && !step.is_elsewhere;
    let asks = step.wrappers.iter().any(|wrapper| wrapper.starts_with("command -"));
    let target = if asks { Some(step.program.as_str()) } else { None };
    let only = || {
        let mut words = step.arguments().filter(|word| !word.starts_with('-'));
        words.next().filter(|_| words.next().is_none())
    };
    target.or_else(|| only().filter(|_| has(PROBES, &step.program))).filter(|_| is_plain)
}

/// What a run printed, line by line; `None` if not all of it is known.
fn printed<'a>(session: &'a Session, run: CommandRun) -> Option<Vec<&'a str>> {
    let ended = run.ended.filter(|ended| !ended.goes_on && !ended.cut)?;
    let is_its = |seen: &&Observation| matches!(seen.what, Kind::Printed { of, .. } if of == run.place);
    let lines: Vec<&str> = session.record.iter().filter(is_its).map(|seen| seen.words.as_str()).collect();
    (lines.len() >= usize::from(ended.lines)).then_some(lines)
}

/// The probe printed nothing with the name, or a line that says that there is none.
fn found_nothing(session: &Session, run: CommandRun, step: &Step, name: &str) -> Option<String> {
    let lines = printed(session, run)?;
    let mut about = lines.iter().filter(|line| line.contains(name));
    match about.next() {
        Some(line) => line.ends_with("not found").then(|| (*line).to_owned()),
        None => Some(format!("`{}` printed nothing", one_line(&step.text, 60))),
    }
}

/// The lines of the output in which a program of the project says that a part failed, though it ended well.
fn parts_failed(session: &Session, run: CommandRun, step: &Step) -> Option<String> {
    let is_own = matches!(step.purpose, Purpose::Run | Purpose::Unknown) && step.program.contains(['_', '-']);
    let lines = if is_own && run.ok() == Some(true) { printed(session, run)? } else { return None };
    let failed: Vec<&str> = lines.into_iter().filter(|line| says_failed(line)).collect();
    let (first, more) = failed.split_first()?;
    let more = if more.is_empty() { String::new() } else { format!(" and {} more such lines", more.len()) };
    Some(format!("{}{more}", one_line(first, 100)))
}

/// A word in capitals that stands for the outcome of a part, and does not count none.
fn says_failed(line: &str) -> bool {
    let words: Vec<&str> =
        line.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let none = |at: Option<usize>| at.and_then(|at| words.get(at)).is_some_and(|word| *word == "0");
    (0..words.len()).any(|at| has(PART_FAILED, words[at]) && !none(at.checked_sub(1)) && !none(Some(at + 1)))
}

/// The name stands there as a word of its own, or with an extension.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}
