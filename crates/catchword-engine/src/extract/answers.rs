//! What the person decided: answers to the agent's questions, refusals, the plan they approved.
//!
//! These are the person's own words, said where no prompt row keeps them. Old ones count less: the work they
//! decided about is done.

use super::requests::is_reply;
use super::standing::plan_in_force;
use super::text::{harmless, quote, quote_foreign, shown_action, shown_path};
use super::{Fact, Known, Section};
use crate::session::heat::freshness;
use crate::session::{Answer, Plan, Refusal, Session, one_line};

/// Latest answers shown.
const MOST: usize = 6;
/// Latest refusals shown.
const REFUSALS: usize = 3;
/// Tool calls after which a refusal without a word of why is history: it was stopped rather than decided.
const STOPPED: u32 = 30;
/// Tool calls after which a decision counts a third.
const COOLING: f32 = 60.0;

/// Answers, refusals and the approved plan.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let answers =
        session.answers.iter().rev().filter(|a| {
            says_something(&a.answer) && !known.mentions(&format!("{} {}", a.question, a.answer))
        });
    let refused = session
        .refusals
        .iter()
        .rev()
        .filter(|r| !r.reason.is_empty() || session.clock.saturating_sub(r.clock) <= STOPPED)
        .filter(|r| !known.mentions(if r.reason.is_empty() { &r.what } else { &r.reason }));
    let approved = plan_in_force(session).into_iter().filter(|p| !known.mentions(title(p)));
    let answers = answers.take(MOST).map(|a| answer(session, a));
    let refused = refused.take(REFUSALS).map(|r| refusal(session, r));
    let mut facts: Vec<Fact> =
        answers.chain(refused).chain(approved.map(|p| plan(session, p, known))).collect();
    facts.sort_by_key(|fact| fact.place);
    facts
}

/// "Yes" and "You decide" decide nothing that is worth carrying.
pub fn says_something(answer: &str) -> bool {
    !is_reply(answer) && !answer.eq_ignore_ascii_case("you decide")
}

fn answer(session: &Session, answer: &Answer) -> Fact {
    let line = |question, most| {
        format!("{} → {}", quote_foreign(&answer.question, question), quote(&answer.answer, most))
    };
    let weight = 0.1 + 0.5 * freshness(answer.clock, session.clock, COOLING);
    let fact = Fact::new(Section::Answers, &answer.answer, line(100, 300)).at(answer.place).or(line(60, 160));
    fact.worth(weight, "the user's answer")
}

fn refusal(session: &Session, refusal: &Refusal) -> Fact {
    let reason =
        if refusal.reason.is_empty() { String::new() } else { format!(": {}", quote(&refusal.reason, 200)) };
    let what = one_line(&harmless(&undone(&shown_action(session, &refusal.what))), 60);
    let weight = 0.05 + 0.4 * freshness(refusal.clock, session.clock, COOLING);
    let fact = Fact::new(Section::Answers, &refusal.what, format!("did not let the agent {what}{reason}"));
    fact.at(refusal.place).worth(weight, "the user refused it")
}

/// An action as one that was not done: "ran …" → "run …".
fn undone(action: &str) -> String {
    const VERBS: [(&str, &str); 11] = [
        ("ran ", "run "),
        ("edited ", "edit "),
        ("wrote ", "write "),
        ("searched ", "search "),
        ("updated ", "update "),
        ("asked the user", "ask"),
        ("proposed a plan", "follow the plan it proposed"),
        ("started ", "start "),
        ("invoked ", "invoke "),
        ("stopped ", "stop "),
        ("used ", "use "),
    ];
    let found = VERBS.iter().find_map(|(done, verb)| Some(format!("{verb}{}", action.strip_prefix(done)?)));
    found.unwrap_or_else(|| action.to_owned())
}

fn plan(session: &Session, plan: &Plan, known: &Known) -> Fact {
    let title = title(plan);
    let file = plan.file.as_deref().filter(|file| !known.attaches(file));
    let file = file.map(|f| format!(", kept in {}", shown_path(session, f))).unwrap_or_default();
    let text = format!("approved the plan {}{file}", quote_foreign(title, 160));
    Fact::new(Section::Answers, title, text).at(plan.place).worth(0.5, "the approved plan")
}

fn title(plan: &Plan) -> &str {
    let first = plan.text.lines().map(str::trim).find(|line| !line.is_empty());
    first.unwrap_or_default().trim_start_matches('#').trim_start()
}
