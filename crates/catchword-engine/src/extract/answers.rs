//! What the person answered to the agent's questions, and the plan they approved.

use super::text::{quote, shown_path};
use super::{Fact, Known, Section};
use crate::session::{Answer, Plan, Session};

/// Latest answers shown.
const MOST: usize = 8;

/// Answers and the approved plan.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let from = session.answers.len().saturating_sub(MOST);
    let missing = |a: &&Answer| !known.has(&a.answer) || !known.has(&a.question);
    let answers = session.answers[from..].iter().filter(missing).map(answer);
    let approved = session.plan.iter().filter(|p| p.approved == Some(true));
    answers.chain(approved.map(|p| plan(session, p))).collect()
}

fn answer(answer: &Answer) -> Fact {
    let text =
        format!("asked {} the user answered {}", quote(&answer.question, 120), quote(&answer.answer, 240));
    Fact::new(Section::Answers, &answer.answer, text).at(answer.place).worth(1.2, "the user decided it")
}

fn plan(session: &Session, plan: &Plan) -> Fact {
    let title =
        plan.text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default().trim_start_matches('#');
    let file =
        plan.file.as_deref().map(|f| format!(", kept in {}", shown_path(session, f))).unwrap_or_default();
    let text = format!("the user approved the plan {}{file}", quote(title, 160));
    Fact::new(Section::Answers, title.trim(), text).at(plan.place).worth(1.5, "the approved plan")
}
