//! Open work that the summary calls done, and finished work that it calls open.
//!
//! A task is called done by a sentence or list item about it, with its verb in any form, or by a claim that everything is
//! done. If the summary also lists the task as open, nothing is told.

use std::collections::HashSet;

use super::claims::{
    Says, clauses, is_all_done, is_exception, is_nothing, is_one_of, is_turn, lower_words, says,
};
use super::summary::{Heading, Summary, Unit};
use crate::lexicon::summaries::{LANGUAGES, MAKING, PAST, RECURRING, STATUS};
use crate::model::entry::TaskStatus;
use crate::model::finding::{DOUBTFUL, Finding, FindingKind, FindingSubject, SURE};
use crate::session::tasks::Task;
use crate::session::{Session, one_line};
use crate::text::stems::{Stem, share, stem_set};

/// The share of a task's words that a unit must have to be about it.
const SPOKEN_OF: f32 = 0.75;
/// Longer units cover several subjects.
const MAX_UNIT: usize = 360;

/// Every contradiction about tasks.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let mut found = called_done(session, summary);
    found.extend(called_open(session, summary));
    found
}

fn called_done(session: &Session, summary: &Summary) -> Vec<Finding> {
    let open = session.tasks.open();
    let subjects: Vec<TaskWords> = open.iter().map(|task| TaskWords::new(task)).collect();
    let is_listed = |task: &TaskWords| summary.units().iter().any(|unit| leaves_open(unit, task));
    let mut found: Vec<Finding> = Vec::new();
    for task in &subjects {
        let claims = summary.units().iter().filter_map(|unit| {
            let claim = claim(unit, task)?;
            is_meant(unit, task, session).then_some((unit, claim))
        });
        let Some((unit, claim)) = claims.min_by_key(|(_, claim)| *claim) else { continue };
        // An abbreviated name may mean a part that was done.
        let words = if claim == Claim::Status { trace_of_part(unit, task) } else { 1 };
        let is_doubted =
            has_trace(session, task, words) || is_doubtful(session, task.task) || is_listed(task);
        let confidence = if is_doubted { DOUBTFUL } else { SURE };
        found.push(differs(open_words(task.task), unit.text, confidence, task.task));
    }
    let rest = subjects.iter().filter(|task| !found.iter().any(|f| f.text == open_words(task.task)));
    let missing = rest.filter(|task| !is_listed(task) && !is_doubtful(session, task.task));
    if let (Some(claim), Some(task)) = (claim_of_all(summary), missing.into_iter().next()) {
        found.push(differs(open_words(task.task), claim, SURE, task.task));
    }
    found
}

/// Where the summary says that everything is done, or lists nothing as pending.
pub fn claim_of_all<'a>(summary: &Summary<'a>) -> Option<&'a str> {
    let mut claims = summary.units().iter().filter(|unit| claims_all(unit)).peekable();
    let first = claims.peek().map(|unit| unit.text);
    // The section of pending work speaks for everything; elsewhere "all tasks" may be those of a list.
    let pending = claims.find(|unit| unit.under == Heading::Pending).map(|unit| unit.text);
    pending.or(first).or(summary.empty_pending())
}

/// The unit says that all is done, or that nothing is pending.
fn claims_all(unit: &Unit) -> bool {
    let is_empty_list = unit.under == Heading::Pending && is_nothing(unit.body);
    unit.is_stated()
        && unit.under != Heading::Story
        && (is_empty_list
            || is_all_done(unit.body)
            || (unit.under == Heading::Pending && says_none(unit.body)))
}

/// "None: all tasks are completed": the first clause of a list of pending work.
fn says_none(text: &str) -> bool {
    let first = text.split([',', ';', ':', '—', '-', '，']).next().unwrap_or(text);
    is_nothing(first) && !clauses(text).iter().any(|clause| clause.says == Some(Says::Open))
}

/// A task with its words.
struct TaskWords<'a> {
    task: &'a Task,
    words: HashSet<Stem>,
    /// Its words without the verb, if the rest is enough: a limiter that is "hooked up" has been wired.
    matter: Option<HashSet<Stem>>,
    verb: Option<String>,
}

impl<'a> TaskWords<'a> {
    fn new(task: &'a Task) -> TaskWords<'a> {
        let words = stem_set(&task.subject);
        let verb = lower_words(&task.subject).into_iter().next();
        let makes = verb.as_deref().is_some_and(|verb| is_one_of(verb, &MAKING));
        let matter = makes.then(|| &words - &stem_set(verb.as_deref().unwrap_or_default()));
        TaskWords { task, matter: matter.filter(|m| m.len() > 1), words, verb }
    }

    /// The share of its words in `there`.
    fn share_in(&self, there: &HashSet<Stem>) -> f32 {
        let whole = share(&self.words, there);
        // Without the verb, all other words are required.
        let made = self.matter.as_ref().is_some_and(|matter| share(matter, there) >= 0.99);
        if made { whole.max(SPOKEN_OF) } else { whole }
    }

    fn is_spoken_of(&self, text: &str) -> bool {
        let named = self.task.id.as_deref().is_some_and(|id| names_task(text, id));
        let there = stem_set(text);
        let share = self.share_in(&there);
        // Hardly any word that is not the task's: its name, abbreviated.
        let is_short_form =
            share >= 0.6 && self::share(&(&there - &stem_set(STATUS.words)), &self.words) >= 0.8;
        contains(text, &self.task.subject)
            || (text.len() <= MAX_UNIT && self.words.len() > 1 && (share >= SPOKEN_OF || is_short_form))
            || (named && share >= 0.3)
    }
}

/// How a unit says that a task is done, the most explicit first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// By a status word or mark.
    Status,
    /// In the past tense: "wired the limiter into the gateway".
    Told,
}

fn claim(unit: &Unit, task: &TaskWords) -> Option<Claim> {
    if !unit.is_stated() || is_heading(unit.body) || !task.is_spoken_of(unit.body) {
        return None;
    }
    match status(unit, task) {
        Some(Says::Done) => Some(Claim::Status),
        Some(Says::Open) => None,
        None => is_past(unit, task).then_some(Claim::Told),
    }
}

/// The status that the clause about the task gives it. A clause without a status takes that of its neighbours.
fn status(unit: &Unit, task: &TaskWords) -> Option<Says> {
    let parts = clauses(unit.body);
    let fit = |text: &str| share(&task.words, &stem_set(text));
    let at =
        (0..parts.len()).max_by(|a, b| fit(parts[*a].text).total_cmp(&fit(parts[*b].text)).then(b.cmp(a)))?;
    let own = if is_exception(parts[at].text) {
        Some(Says::Open)
    } else {
        says_besides(parts[at].text, &task.task.subject)
    };
    let neighbours = || {
        let before = parts[..at].iter().rev().find_map(|part| part.says);
        let after = parts[at + 1..].iter().find_map(|part| part.says);
        match (before, after) {
            // The neighbours disagree, so the status is unknown.
            (Some(a), Some(b)) if a != b => Some(Says::Open),
            (before, after) => before.or(after),
        }
    };
    // A later "but" may take the claim back.
    let is_turned = parts[at + 1..].iter().any(|part| part.says == Some(Says::Open) && is_turn(part.text));
    let under = match unit.under {
        Heading::Done => Some(Says::Done),
        Heading::Pending => Some(Says::Open),
        _ => None,
    };
    let found = own.or_else(neighbours).or(under);
    if (is_turned || is_condition(unit.body)) && found == Some(Says::Done) { Some(Says::Open) } else { found }
}

/// The sentence opens with a condition, which holds for all of its clauses: "Once lint, build and tests are done, push".
fn is_condition(text: &str) -> bool {
    lower_words(text).first().is_some_and(|word| LANGUAGES.iter().any(|of| is_one_of(word, &of.conditions)))
}

/// What a text says apart from the words of the task: in "Check what may not be cleaned up: done" the "not" is no status.
fn says_besides(text: &str, task: &str) -> Option<Says> {
    let own = lower_words(task);
    let is_own = |word: &str| {
        let parts = lower_words(word);
        !parts.is_empty() && parts.iter().all(|part| own.contains(part))
    };
    let kept: Vec<&str> = text.split(' ').filter(|word| !is_own(word) || !word.is_ascii()).collect();
    says(&kept.join(" "))
}

/// The unit has the task's verb in the past tense.
fn is_past(unit: &Unit, task: &TaskWords) -> bool {
    let Some(verb) = task.verb.as_deref().filter(|verb| verb.len() > 2) else { return false };
    let base = stem_set(verb);
    lower_words(unit.body).iter().any(|word| {
        let past = word.ends_with("ed") || is_one_of(word, &PAST);
        past && !base.is_empty() && stem_set(word) == base
    })
}

/// The summary lists the task as not done.
fn leaves_open(unit: &Unit, task: &TaskWords) -> bool {
    unit.is_stated() && task.is_spoken_of(unit.body) && status(unit, task) == Some(Says::Open)
}

/// How many words a trace of the work must have if the unit may mean only a part of the task: fewer if more than the verb
/// is missing from the name.
fn trace_of_part(unit: &Unit, task: &TaskWords) -> usize {
    let there = stem_set(unit.body);
    match &task.matter {
        _ if share(&task.words, &there) >= 0.99 => usize::MAX,
        Some(matter) if share(matter, &there) >= 0.99 => 2,
        _ => 1,
    }
}

/// A later command or edited file has this many of the task's words. The task list may lag behind the work.
fn has_trace(session: &Session, task: &TaskWords, words: usize) -> bool {
    let matter = task.matter.as_ref().unwrap_or(&task.words);
    let names_it =
        |text: &str| stem_set(&text.replace(['/', '.', '-', '_'], " ")).intersection(matter).count() >= words;
    let since = |place| place > task.task.place;
    session.record.latest_runs().any(|run| since(run.place) && names_it(run.line.core()))
        || session.files.iter().any(|(path, file)| {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            file.was_changed() && since(file.changed_at) && names_it(name)
        })
}

/// The task list seems to lag behind: the agent said that it is done, or an edit added what the task names.
fn is_doubtful(session: &Session, task: &Task) -> bool {
    task.added.is_some() || agent_said_done(session, task)
}

fn agent_said_done(session: &Session, task: &Task) -> bool {
    let words = TaskWords::new(task);
    let later = session.record.spoken().filter(|said| said.place >= task.place);
    later.flat_map(|said| said.lines).map(|line| line.words.as_str()).any(|line| {
        let unit = Unit { text: line, body: line, under: Heading::Other, fenced: false };
        share(&words.words, &stem_set(line)) >= SPOKEN_OF && claim(&unit, &words).is_some()
    })
}

fn open_words(task: &Task) -> String {
    let status = if task.status == TaskStatus::InProgress { "in progress" } else { "pending" };
    format!("[{status}] {}", one_line(&task.subject, 300))
}

fn differs(text: String, quote: &str, confidence: f32, task: &Task) -> Finding {
    Finding {
        kind: FindingKind::Contradicted,
        fact: FindingSubject::Task,
        text,
        place: Some(task.place),
        summary_quote: Some(one_line(quote, 300)),
        confidence,
    }
}

/// No other task fits this unit better: "Wire A into B" and "Wire A into C" share most of their words.
fn is_meant(unit: &Unit, task: &TaskWords, session: &Session) -> bool {
    let there = stem_set(unit.body);
    let fit = |t: &TaskWords| {
        let named = t.task.id.as_deref().is_some_and(|id| names_task(unit.body, id));
        t.share_in(&there) + if named { 1.0 } else { 0.0 }
    };
    let own = fit(task);
    let others = session.tasks.open().into_iter().chain(session.tasks.done());
    others.filter(|other| other.subject != task.task.subject).all(|other| fit(&TaskWords::new(other)) < own)
}

fn contains(text: &str, part: &str) -> bool {
    !part.is_empty() && text.to_lowercase().contains(&part.to_lowercase())
}

fn names_task(text: &str, id: &str) -> bool {
    let lower = text.to_lowercase();
    ["task #", "task ", "#"].iter().any(|mark| {
        lower
            .match_indices(&format!("{mark}{id}"))
            .any(|(at, found)| !lower[at + found.len()..].starts_with(|c: char| c.is_ascii_digit()))
    })
}

fn is_heading(text: &str) -> bool {
    text.trim_end_matches('*').ends_with([':', '：'])
}

/// Tasks finished in the record and listed as pending, except recurring ones such as checks.
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
                let there = stem_set(unit.body);
                let claimed_otherwise =
                    says(unit.body) == Some(Says::Done) || unit.body.to_lowercase().contains("none");
                words.len() > 2
                    && unit.body.len() <= MAX_UNIT
                    && share(&words, &there) >= 0.9
                    && share(&there, &words) >= 0.5
                    && !claimed_otherwise
                    && !open.iter().any(|other| share(other, &there) >= SPOKEN_OF)
            })?;
            let text = format!("[completed] {}", one_line(&task.subject, 300));
            Some(differs(text, unit.text, SURE, task))
        })
        .collect()
}

/// Steps of any work, such as running the tests or looking at the results: they recur, and everybody words them otherwise.
pub fn is_recurring(subject: &str) -> bool {
    lower_words(subject).first().is_some_and(|word| is_one_of(word, &RECURRING))
}
