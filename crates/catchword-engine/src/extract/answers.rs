//! What the person answered to the agent's questions, and the plan they approved.

use super::text::{quote, shown_path};
use super::{Fact, Known, Section};
use crate::session::Session;

/// Latest answers shown.
const MOST: usize = 8;

/// Answers and the approved plan.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let from = session.answers.len().saturating_sub(MOST);
    let answers = session.answers[from..]
        .iter()
        .filter(|a| !known.has(&a.answer) || !known.has(&a.question))
        .map(|a| Fact {
            section: Section::Answers,
            place: Some(a.place),
            text: format!("asked {} the user answered {}", quote(&a.question, 160), quote(&a.answer, 300)),
            short: None,
            weight: 1.2,
            must: false,
            why: "the user decided it".to_owned(),
        });
    let plan = session.plan.iter().filter(|p| p.approved == Some(true)).map(|plan| {
        let title = plan
            .text
            .lines()
            .map(str::trim)
            .find(|l| !l.is_empty())
            .unwrap_or_default()
            .trim_start_matches('#');
        let file =
            plan.file.as_deref().map(|f| format!(", kept in {}", shown_path(session, f))).unwrap_or_default();
        Fact {
            section: Section::Answers,
            place: Some(plan.place),
            text: format!("the user approved the plan {}{file}", quote(title, 160)),
            short: None,
            weight: 1.5,
            must: false,
            why: "the approved plan".to_owned(),
        }
    });
    answers.chain(plan).collect()
}
