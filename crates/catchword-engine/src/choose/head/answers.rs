//! What the person decided: answers to the agent's questions, refusals, the plan they approved.
//!
//! These are the person's own words, and no prompt row contains them. Old ones weigh less: the work they decided about is
//! done.

use crate::choose::shown::{PROPOSED, undone};
use crate::choose::{Fact, KnownText, Section};
use crate::lexicon::languages::Sense;
use crate::quote::{name, quote, quote_foreign};
use crate::reading::command::Step;
use crate::record::{Answer, Refusal};
use crate::session::instructions::plan_in_force;
use crate::session::shown::{shown_action, shown_path};
use crate::session::{ProposedPlan, Session};
use crate::text::phrases::ReadSentence;
use crate::text::reply::is_reply;
use crate::text::stems::{share, stem_set};

/// Latest answers shown.
const MAX_ANSWERS: usize = 6;
/// Latest refusals shown.
const REFUSALS: usize = 3;
/// Tool calls after which a refusal without a reason is dropped: it was an interruption rather than a decision.
const STOPPED: u32 = 30;

/// Answers, refusals and the approved plan.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let answers =
        session.record.answers().rev().filter(|a| says_something(a.answer) && !has_answer(known, a));
    let refused = session
        .record
        .refusals()
        .rev()
        .filter(|r| !r.reason.is_empty() || session.clock.saturating_sub(r.clock) <= STOPPED)
        .filter(|r| !r.reason.is_empty() || !ran_later(session, r))
        .filter(|r| !known.has(if r.reason.is_empty() { r.what } else { r.reason }));
    let answers = answers.filter(|a| !is_corrected(session, a));
    let is_named = |plan: &&ProposedPlan| {
        let title = session.plan_title(plan);
        !title.is_empty() && !known.has(&title)
    };
    let approved = plan_in_force(session).into_iter().filter(is_named);
    let answers = answers.take(MAX_ANSWERS).map(|a| answer(&a));
    let refused = refused.take(REFUSALS).map(|r| refusal(session, &r));
    let mut facts: Vec<Fact> =
        answers.chain(refused).chain(approved.map(|p| plan(session, p, known))).collect();
    facts.sort_by_key(|fact| fact.place);
    facts
}

/// Before the next request the person refused, in words, what the agent did with the answer: the plan, or something that
/// the answer is about.
fn is_corrected(session: &Session, answer: &Answer) -> bool {
    let next = session.prompts.iter().find(|prompt| prompt.place > answer.place).map(|prompt| prompt.place);
    let asked = stem_set(&format!("{} {}", answer.question.to_compare(), answer.answer));
    session.record.refusals().any(|refusal| {
        let is_between = refusal.place > answer.place && next.is_none_or(|next| refusal.place < next);
        let is_about = || share(&stem_set(refusal.reason), &asked) >= 0.3;
        is_between && !refusal.reason.is_empty() && (refusal.what == PROPOSED || is_about())
    })
}

/// The person stopped a command, and let all of it run later.
fn ran_later(session: &Session, refusal: &Refusal) -> bool {
    let Some(line) = refusal.line else { return false };
    let later = session.record.runs().filter(|run| run.place > refusal.place);
    let later: Vec<String> = later.flat_map(|run| run.line.work()).map(Step::key).collect();
    line.work().all(|step| later.contains(&step.key()))
}

/// The model has the answer, or question and answer together: one or two words alone prove nothing.
fn has_answer(known: &KnownText, answer: &Answer) -> bool {
    let asked = || format!("{} {}", answer.question.to_compare(), answer.answer);
    (answer.answer.split_whitespace().nth(2).is_some() && known.has(answer.answer)) || known.has(&asked())
}

/// "Yes", "You decide" and "Next area" decide nothing worth carrying over.
pub fn says_something(answer: &str) -> bool {
    let read = ReadSentence::new(answer);
    let goes_on = read.words.len() <= 3 && read.opens(Sense::GoesOn);
    !is_reply(answer) && !goes_on
}

fn answer(answer: &Answer) -> Fact {
    let line =
        |question, most| format!("{} → {}", answer.question.quoted(question), quote(answer.answer, most));
    let fact = Fact::new(Section::Answers, answer.answer, line(100, 300)).at(answer.place).or(line(60, 160));
    fact.because("the user's answer")
}

fn refusal(session: &Session, refusal: &Refusal) -> Fact {
    let reason =
        if refusal.reason.is_empty() { String::new() } else { format!(": {}", quote(refusal.reason, 200)) };
    // The arguments of other tools are long, and the line is short.
    let is_tool = |action: &&str| action.starts_with("used ");
    let what = Some(refusal.what).filter(is_tool).and_then(|action| action.split(" (").next());
    let what = undone(&shown_action(session, what.unwrap_or(refusal.what), 60));
    let fact = Fact::new(Section::Answers, refusal.what, format!("did not let the agent {what}{reason}"));
    fact.at(refusal.place).because("the user refused it")
}

fn plan(session: &Session, plan: &ProposedPlan, known: &KnownText) -> Fact {
    let title = &session.plan_title(plan);
    let file = plan.file.as_deref().filter(|file| !known.attaches(file));
    let file = file.map(|f| format!(", kept in {}", name(shown_path(session, f), 200))).unwrap_or_default();
    let text = format!("approved the plan {}{file}", quote_foreign(title, 160));
    Fact::new(Section::Answers, title, text).at(plan.place).because("the approved plan")
}
