//! Open work that the summary calls done: tasks, unticked boxes, and what the agent itself said is not done.
//!
//! Work is called done by a sentence or list item about it, with its verb in any form, or by a claim that everything is
//! done. Nothing is told if the summary also lists it as open, or if the list may lag behind the work: the agent called it
//! done, or a later edit or command names its matter.

use super::differs;
use super::summary::{Heading, Summary, SummaryClaim, Unit};
use crate::lexicon::summaries::{LANGUAGES, MAKING, PAST, STATUS};
use crate::model::entry::{Place, TaskStatus};
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::reading::claims::{
    Clause, Says, clauses, is_all_done, is_exception, is_nothing, is_one_of, is_turn, lower_words, says,
};
use crate::session::{Session, checklists, one_line};
use crate::text::stems::{StemSet, share, stem_set};
use std::borrow::Cow;

/// The share of its words that a unit must have to be about some work.
const SPOKEN_OF: f32 = 0.75;
/// Longer units cover several subjects.
const MAX_UNIT: usize = 360;

/// Stands for a letter of a name.
const BLANK: &str = "#";

pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let open = open_work(session);
    let is_listed = |work: &OpenWork| summary.units().iter().any(|unit| leaves_open(unit, work));
    let told = |work: &OpenWork, claim: SummaryClaim| {
        differs(FindingKind::Contradicted, FindingSubject::Task, &work.shown, Some(work.place), claim)
    };
    let mut found: Vec<Finding> = Vec::new();
    for work in &open {
        let claims = summary.units().iter().filter_map(|unit| {
            let claim = claim(unit, work)?;
            is_meant(unit, work, &open, session).then_some((unit, claim))
        });
        let Some((unit, (claim, clause))) = claims.min_by_key(|(_, (claim, _))| *claim) else { continue };
        // An abbreviated name may mean a part that was done.
        let words = if claim == Claim::Status { trace_of_part(unit, work) } else { 1 };
        if !has_trace(session, work, words) && !work.may_lag && !is_listed(work) {
            found.push(told(work, unit.clause(clause)));
        }
    }
    let is_told = |work: &OpenWork| found.iter().any(|f| f.text == one_line(&work.shown, 300));
    let mut missing = open.iter().filter(|work| !is_told(work) && !work.may_lag && !is_listed(work));
    if let (Some(claim), Some(work)) = (claim_of_all(summary), missing.find(|work| work.is_tracked)) {
        found.push(told(work, claim));
    }
    found
}

/// Work that the record has as open.
struct OpenWork<'a> {
    subject: Cow<'a, str>,
    id: Option<&'a str>,
    place: Place,
    /// As the record has it.
    shown: String,
    /// It is on a list: a claim that everything is done covers it.
    is_tracked: bool,
    /// The list seems to lag behind: the agent said that it is done, or an edit added what it names.
    may_lag: bool,
    words: StemSet,
    /// Its words without the verb, if the rest is enough: a limiter that is "hooked up" has been wired.
    matter: Option<StemSet>,
    verb: Option<String>,
}

impl<'a> OpenWork<'a> {
    fn new(subject: Cow<'a, str>, id: Option<&'a str>, place: Place, shown: String) -> Self {
        let words = stem_set(&subject);
        let verb = lower_words(&subject).into_iter().next();
        let makes = verb.as_deref().is_some_and(|verb| is_one_of(verb, &MAKING));
        let matter = makes.then(|| &words - &stem_set(verb.as_deref().unwrap_or_default()));
        let matter = matter.filter(|matter| matter.len() > 1);
        OpenWork { subject, id, place, shown, is_tracked: true, may_lag: false, words, matter, verb }
    }

    /// The share of its words in `there`.
    fn share_in(&self, there: &StemSet) -> f32 {
        let whole = share(&self.words, there);
        // Without the verb, all other words are required.
        let made = self.matter.as_ref().is_some_and(|matter| share(matter, there) >= 0.99);
        if made { whole.max(SPOKEN_OF) } else { whole }
    }

    fn is_named_in(&self, text: &str) -> bool {
        self.id.is_some_and(|id| {
            let lower = text.to_lowercase();
            ["task #", "task ", "#"].iter().any(|mark| {
                let named = format!("{mark}{id}");
                let ends = |at: usize| !lower[at + named.len()..].starts_with(|c: char| c.is_ascii_digit());
                lower.match_indices(&named).any(|(at, _)| ends(at))
            })
        })
    }

    /// A text with its name blanked out: the words of a name claim nothing.
    fn blanked_in(&self, text: &str) -> String {
        let name = self.subject.trim().trim_end_matches('.').to_ascii_lowercase();
        let found = text.to_ascii_lowercase().find(&name).filter(|_| name.len() > 3);
        let Some(at) = found else { return text.to_owned() };
        format!("{}{}{}", &text[..at], BLANK.repeat(name.len()), &text[at + name.len()..])
    }

    fn is_spoken_of(&self, text: &str) -> bool {
        let there = stem_set(text);
        let share = self.share_in(&there);
        // Hardly any word that is not its own: its name, abbreviated.
        let is_short_form =
            share >= 0.6 && self::share(&(&there - &stem_set(STATUS.words)), &self.words) >= 0.8;
        let is_quoted =
            !self.subject.is_empty() && text.to_lowercase().contains(&self.subject.to_lowercase());
        is_quoted
            || (text.len() <= MAX_UNIT && self.words.len() > 1 && (share >= SPOKEN_OF || is_short_form))
            || (share >= 0.3 && self.is_named_in(text))
    }
}

fn open_work(session: &Session) -> Vec<OpenWork<'_>> {
    let tasks = session.tasks.open().into_iter().map(|task| {
        let status = if task.status == TaskStatus::InProgress { "in progress" } else { "pending" };
        let shown = format!("[{status}] {}", task.subject);
        let work = OpenWork::new(Cow::from(&task.subject), task.id.as_deref(), task.place, shown);
        OpenWork { may_lag: task.added.is_some(), ..work }
    });
    let boxes = checklists::open_boxes(session).into_iter();
    let boxes = boxes.map(|(place, text)| OpenWork::new(Cow::from(text), None, place, format!("[ ] {text}")));
    let remaining = session.record.remaining().iter().map(|work| {
        let shown = format!("the agent said: {}", work.text);
        let names = Cow::from(work.untouched.join(" "));
        OpenWork { is_tracked: false, ..OpenWork::new(names, None, work.place, shown) }
    });
    let all: Vec<OpenWork> = tasks.chain(boxes).chain(remaining).collect();
    let spoken = if all.is_empty() { Vec::new() } else { SpokenLine::all(session) };
    let all = all.into_iter();
    all.map(|work| OpenWork { may_lag: work.may_lag || is_said_done(&spoken, &work), ..work }).collect()
}

/// Where the summary says that everything is done, or lists nothing as pending.
pub fn claim_of_all<'a>(summary: &Summary<'a>) -> Option<SummaryClaim<'a>> {
    let part = |unit: &Unit<'a>| {
        let of_all = clauses(unit.text).into_iter().find(|clause| is_all_done(clause.text));
        of_all.map_or_else(|| unit.claim(), |clause| unit.clause(clause.text))
    };
    let mut claims = summary.units().iter().filter(|unit| claims_all(unit)).peekable();
    let first = claims.peek().map(|unit| part(unit));
    // The section of pending work speaks for everything; elsewhere "all tasks" may be those of a list.
    let pending = claims.find(|unit| unit.under == Heading::Pending).map(part);
    pending.or(first).or(summary.empty_pending())
}

/// The unit says that all is done, or that nothing is pending.
fn claims_all(unit: &Unit) -> bool {
    let lists_nothing = unit.under == Heading::Pending && (is_nothing(unit.body) || says_none(unit.body));
    unit.is_told() && (lists_nothing || is_all_done(unit.body))
}

/// "None: all tasks are completed": the first clause of a list of pending work.
fn says_none(text: &str) -> bool {
    let first = text.split([',', ';', ':', '—', '-', '，']).next().unwrap_or(text);
    is_nothing(first) && !clauses(text).iter().any(|clause| clause.says == Some(Says::Open))
}

/// How a unit says that work is done, the most explicit first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// By a status word or mark.
    Status,
    /// In the past tense: "wired the limiter into the gateway".
    Told,
}

/// How the unit calls the work done, and the clause that does.
fn claim<'a>(unit: &Unit<'a>, work: &OpenWork) -> Option<(Claim, &'a str)> {
    let is_heading = unit.body.trim_end_matches('*').ends_with([':', '：']);
    if !unit.is_stated() || is_heading || !work.is_spoken_of(unit.body) {
        return None;
    }
    let (says, clause) = status(unit, work);
    match says {
        Some(Says::Done) => Some((Claim::Status, clause)),
        Some(Says::Open) => None,
        None => is_past(unit, work).then_some((Claim::Told, clause)),
    }
}

/// The status that the clause about the work gives it, and the clause. A clause without a status takes that of its
/// neighbours.
fn status<'a>(unit: &Unit<'a>, work: &OpenWork) -> (Option<Says>, &'a str) {
    let blanked = work.blanked_in(unit.body);
    let parts = clauses(&blanked);
    let at = clause_of(&parts, &blanked, work);
    let Some(part) = parts.get(at) else { return (None, unit.body) };
    let own = if is_exception(part.text) { Some(Says::Open) } else { says_besides(part.text, &work.subject) };
    let is_label = |part: &Clause| part.text.contains([':', '：']);
    let neighbours = || {
        let before = parts[..at].iter().rev().find(|part| part.says.is_some());
        let mut after = parts[at + 1..].iter().filter_map(|part| part.says);
        let next = parts.get(at + 1).and_then(|next| next.says);
        match (before.and_then(|part| part.says), after.clone().next()) {
            // "The remaining step, X, was carried out": what follows an inserted name is said of it.
            (Some(Says::Open), Some(Says::Done))
                if next == Some(Says::Done)
                    && !before.is_some_and(is_label)
                    && after.all(|s| s == Says::Done) =>
            {
                Some(Says::Done)
            }
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
    let from = part.text.as_ptr() as usize - blanked.as_ptr() as usize;
    let clause = &unit.body[from..from + part.text.len()];
    let found = own.or_else(neighbours).or(under);
    let is_taken_back = is_turned || is_condition(&blanked);
    (found.map(|says| if is_taken_back { Says::Open } else { says }), clause)
}

/// The clause that is about the work: the one with its name, or with most of its words.
fn clause_of(parts: &[Clause], blanked: &str, work: &OpenWork) -> usize {
    if blanked.contains(BLANK) {
        return parts.iter().position(|part| part.text.contains(BLANK)).unwrap_or(0);
    }
    let fit = |at: usize| share(&work.words, &stem_set(parts[at].text));
    (0..parts.len()).max_by(|a, b| fit(*a).total_cmp(&fit(*b)).then(b.cmp(a))).unwrap_or(0)
}

/// The sentence opens with a condition, which holds for all of its clauses: "Once lint, build and tests are done, push".
fn is_condition(text: &str) -> bool {
    lower_words(text).first().is_some_and(|word| LANGUAGES.iter().any(|of| is_one_of(word, &of.conditions)))
}

/// What a text says apart from the words of the work: in "Check what may not be cleaned up: done" the "not" is no status.
fn says_besides(text: &str, work: &str) -> Option<Says> {
    let own = lower_words(work);
    let is_own = |word: &str| {
        let parts = lower_words(word);
        !parts.is_empty() && parts.iter().all(|part| own.contains(part))
    };
    let kept: Vec<&str> = text.split(' ').filter(|word| !is_own(word) || !word.is_ascii()).collect();
    says(&kept.join(" "))
}

/// The unit has the verb of the work in the past tense.
fn is_past(unit: &Unit, work: &OpenWork) -> bool {
    let Some(verb) = work.verb.as_deref().filter(|verb| verb.len() > 2) else { return false };
    let base = stem_set(verb);
    lower_words(unit.body).iter().any(|word| {
        let past = word.ends_with("ed") || is_one_of(word, &PAST);
        past && !base.is_empty() && stem_set(word) == base
    })
}

/// The summary lists the work as not done.
fn leaves_open(unit: &Unit, work: &OpenWork) -> bool {
    unit.is_stated() && work.is_spoken_of(unit.body) && status(unit, work).0 == Some(Says::Open)
}

/// How many words a trace of the work must have if the unit may mean only a part of it: fewer if more than the verb is
/// missing from the name.
fn trace_of_part(unit: &Unit, work: &OpenWork) -> usize {
    let there = stem_set(unit.body);
    match &work.matter {
        _ if share(&work.words, &there) >= 0.99 => usize::MAX,
        Some(matter) if share(matter, &there) >= 0.99 => 2,
        _ => 1,
    }
}

/// A later command or edited file has this many of its words.
fn has_trace(session: &Session, work: &OpenWork, words: usize) -> bool {
    let matter = work.matter.as_ref().unwrap_or(&work.words);
    let names_it =
        |text: &str| stem_set(&text.replace(['/', '.', '-', '_'], " ")).intersection(matter).count() >= words;
    let since = |place| place > work.place;
    session.record.latest_runs().any(|run| since(run.place) && names_it(run.line.core()))
        || session.files.iter().any(|(path, file)| {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            file.was_changed() && since(file.changed_at) && names_it(name)
        })
}

/// What the agent said.
struct SpokenLine<'a> {
    place: Place,
    text: &'a str,
    words: StemSet,
}

impl<'a> SpokenLine<'a> {
    fn all(session: &'a Session) -> Vec<SpokenLine<'a>> {
        let lines =
            session.record.spoken().flat_map(|said| said.lines.iter().map(move |line| (said.place, line)));
        let all = lines.map(|(place, line)| (place, line.words.as_str()));
        all.map(|(place, text)| SpokenLine { place, text, words: stem_set(text) }).collect()
    }
}

fn is_said_done(spoken: &[SpokenLine], work: &OpenWork) -> bool {
    let later = spoken.iter().filter(|said| said.place >= work.place);
    later.filter(|said| share(&work.words, &said.words) >= SPOKEN_OF).any(|said| {
        let text = said.text;
        claim(&Unit { text, body: text, under: Heading::Other, fenced: false, at: 0 }, work).is_some()
    })
}

/// No other task fits this unit better: "Wire A into B" and "Wire A into C" share most of their words.
fn is_meant(unit: &Unit, work: &OpenWork, open: &[OpenWork], session: &Session) -> bool {
    let there = stem_set(unit.body);
    let fit = |w: &OpenWork| w.share_in(&there) + if w.is_named_in(unit.body) { 1.0 } else { 0.0 };
    let own = fit(work);
    let done = session.tasks.done().into_iter();
    let done = done.map(|t| OpenWork::new(Cow::from(&t.subject), t.id.as_deref(), t.place, String::new()));
    let fits_better = |other: &OpenWork| other.subject != work.subject && fit(other) >= own;
    !open.iter().any(fits_better) && !done.into_iter().any(|other| fits_better(&other))
}
