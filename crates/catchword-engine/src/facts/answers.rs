//! What the person decided: answers to the agent's questions, refusals, the plan they approved.
//!
//! These are the person's own words, and no prompt row contains them. Old ones weigh less: the work they decided about is
//! done.

use super::{Fact, KnownText, Section};
use crate::lexicon::languages::Sense;
use crate::model::entry::Place;
use crate::quote::{name, quote, quote_foreign};
use crate::reading::command::Step;
use crate::record::{Answer, Refusal};
use crate::session::heat::freshness;
use crate::session::instructions::plan_in_force;
use crate::session::shown::{shown_action, shown_path};
use crate::session::{ProposedPlan, Session};
use crate::text::phrases::{ReadSentence, has_sense};
use crate::text::reply::is_reply;
use crate::text::stems::{share, stem_set};

/// How the record words a plan as an action of the agent.
const PROPOSED: &str = "proposed a plan";
/// Latest answers shown.
const MAX_ANSWERS: usize = 6;
/// Latest refusals shown.
const REFUSALS: usize = 3;
/// Tool calls after which a refusal without a reason is dropped: it was an interruption rather than a decision.
const STOPPED: u32 = 30;
/// Tool calls after which a decision weighs a third.
const COOLING: f32 = 60.0;

/// Answers, refusals and the approved plan.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let answers = session.record.answers().rev().filter(|a| {
        let asked = format!("{} {}", a.question.to_compare(), a.answer);
        let is_known = known.mentions(&asked) || is_told(known, a.answer) || is_chosen(known, a.answer);
        says_something(a.answer) && !is_known
    });
    let refused = session
        .record
        .refusals()
        .rev()
        .filter(|r| !r.reason.is_empty() || session.clock.saturating_sub(r.clock) <= STOPPED)
        .filter(|r| !r.reason.is_empty() || !ran_later(session, r))
        .filter(|r| known.says_little() || r.is_lasting || !is_past(session, r.place))
        .filter(|r| !known.mentions(if r.reason.is_empty() { r.what } else { r.reason }))
        .filter(|r| !is_told(known, r.reason));
    let answers = answers.filter(|a| !is_corrected(session, a));
    let approved = plan_in_force(session).into_iter().filter(|p| !known.mentions(title(p)));
    let answers = answers.take(MAX_ANSWERS).map(|a| answer(session, &a));
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

/// The summary contains these words. A match of one or two words proves nothing.
fn is_told(known: &KnownText, words: &str) -> bool {
    words.split_whitespace().nth(2).is_some() && known.retells(words)
}

/// A line of the summary says that the person chose this.
fn is_chosen(known: &KnownText, answer: &str) -> bool {
    let answer = answer.to_lowercase();
    known.text().to_lowercase().lines().any(|line| {
        let is_part = |c: char| c.is_alphanumeric() || c == '-';
        let is_word =
            |at: usize| !line[..at].ends_with(is_part) && !line[at + answer.len()..].starts_with(is_part);
        line.match_indices(&answer).any(|(at, _)| is_word(at)) && has_sense(line, Sense::Chosen)
    })
}

/// The agent has answered since, and the person has asked for something else.
fn is_past(session: &Session, place: Place) -> bool {
    session.prompts.iter().rev().take_while(|later| later.place > place).any(|later| later.at_rest)
}

/// "Yes", "You decide" and "Next area" decide nothing worth carrying over.
pub fn says_something(answer: &str) -> bool {
    let read = ReadSentence::new(answer);
    let goes_on = read.words.len() <= 3 && read.opens(Sense::GoesOn);
    !is_reply(answer) && !goes_on
}

fn answer(session: &Session, answer: &Answer) -> Fact {
    let line =
        |question, most| format!("{} → {}", answer.question.quoted(question), quote(answer.answer, most));
    let weight = 0.1 + 0.5 * freshness(answer.clock, session.clock, COOLING);
    let fact = Fact::new(Section::Answers, answer.answer, line(100, 300)).at(answer.place).or(line(60, 160));
    fact.worth(weight, "the user's answer")
}

fn refusal(session: &Session, refusal: &Refusal) -> Fact {
    let reason =
        if refusal.reason.is_empty() { String::new() } else { format!(": {}", quote(refusal.reason, 200)) };
    // The arguments of other tools are long, and the line is short.
    let is_tool = |action: &&str| action.starts_with("used ");
    let what = Some(refusal.what).filter(is_tool).and_then(|action| action.split(" (").next());
    let what = undone(&shown_action(session, what.unwrap_or(refusal.what), 60));
    let weight = 0.05 + 0.4 * freshness(refusal.clock, session.clock, COOLING);
    let fact = Fact::new(Section::Answers, refusal.what, format!("did not let the agent {what}{reason}"));
    fact.at(refusal.place).worth(weight, "the user refused it")
}

/// Rewords an action as one that was not done: "ran …" → "run …".
pub(super) fn undone(action: &str) -> String {
    const VERBS: [(&str, &str); 11] = [
        ("ran ", "run "),
        ("edited ", "edit "),
        ("wrote ", "write "),
        ("searched ", "search "),
        ("updated ", "update "),
        ("asked the user", "ask"),
        (PROPOSED, "follow the plan it proposed"),
        ("started ", "start "),
        ("invoked ", "invoke "),
        ("stopped ", "stop "),
        ("used ", "use "),
    ];
    let found = VERBS.iter().find_map(|(done, verb)| Some(format!("{verb}{}", action.strip_prefix(done)?)));
    found.unwrap_or_else(|| action.to_owned())
}

fn plan(session: &Session, plan: &ProposedPlan, known: &KnownText) -> Fact {
    let title = title(plan);
    let file = plan.file.as_deref().filter(|file| !known.attaches(file));
    let file = file.map(|f| format!(", kept in {}", name(shown_path(session, f), 200))).unwrap_or_default();
    let text = format!("approved the plan {}{file}", quote_foreign(title, 160));
    Fact::new(Section::Answers, title, text).at(plan.place).worth(0.5, "the approved plan")
}

fn title(plan: &ProposedPlan) -> &str {
    let first = plan.text.lines().map(str::trim).find(|line| !line.is_empty());
    first.unwrap_or_default().trim_start_matches('#').trim_start()
}
