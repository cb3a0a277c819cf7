//! Open work: tasks and to-dos that are not finished, unticked boxes, the steps of the approved plan.
//!
//! The client does not give its task list back, and most models have none: then the boxes in the agent's own
//! text and the plan the person approved say what is left. A box is open as its latest list has it.

use super::text::harmless;
use super::{Fact, Known, Section};
use crate::agent::entry::{Place, TaskStatus};
use crate::session::{Session, one_line};

/// Boxes or plan steps shown.
const MOST: usize = 12;

/// Everything that is not finished: one that is missing is one called done.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let mut facts = tasks(session);
    facts.extend(boxes(session));
    if facts.is_empty() {
        facts.extend(plan_steps(session, known));
    }
    facts
}

fn tasks(session: &Session) -> Vec<Fact> {
    let open = session.tasks.open().into_iter();
    open.map(|task| {
        let status = if task.status == TaskStatus::InProgress { "in progress" } else { "pending" };
        let number = task.id.as_deref().map(|id| format!("#{id} ")).unwrap_or_default();
        let line = |most| format!("[{status}] {number}{}", one_line(&harmless(&task.subject), most));
        let weight = if task.status == TaskStatus::InProgress { 3.0 } else { 2.5 };
        let fact = Fact::new(Section::Work, &task.subject, line(400)).at(task.place).or(line(160));
        fact.worth(weight, format!("task {status}")).must()
    })
    .collect()
}

/// The unticked boxes of the agent's latest list, unless all of that work has task entries anyway.
pub fn boxes(session: &Session) -> Vec<Fact> {
    let latest = session.said.iter().rev().find_map(|said| {
        let items: Vec<(bool, &str)> = said.text.lines().filter_map(checkbox).collect();
        (!items.is_empty()).then_some((said.place, items))
    });
    let Some((place, items)) = latest else { return Vec::new() };
    let tracked: Vec<&str> = session.tasks.open().iter().map(|t| t.subject.as_str()).collect();
    let open = items.into_iter().filter(|(done, text)| !done && !tracked.contains(text));
    open.take(MOST)
        .map(|(_, text)| step("[ ] ", text, place, "unticked in the agent's latest list", 1.5).must())
        .collect()
}

/// `- [ ] text` or `- [x] text`.
fn checkbox(line: &str) -> Option<(bool, &str)> {
    let item = line
        .trim_start()
        .trim_start_matches(['-', '*', '+', '.'])
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = item.trim_start_matches(['.', ')']).trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    let text = text.trim();
    match mark {
        " " | "" if !text.is_empty() => Some((false, text)),
        "x" | "X" | "✓" | "✔" if !text.is_empty() => Some((true, text)),
        _ => None,
    }
}

/// The numbered steps of the plan in force. Whether one is done the record does not know, and does not claim.
fn plan_steps(session: &Session, known: &Known) -> Vec<Fact> {
    let Some(plan) = session.plan.as_ref().filter(|p| p.approved == Some(true)) else { return Vec::new() };
    let steps = plan.text.lines().filter_map(numbered).filter(|text| !known.has(text));
    steps
        .take(MOST)
        .map(|text| step("plan: ", text, plan.place, "a step of the approved plan", 0.5))
        .collect()
}

/// `3. text`, also as a heading.
fn numbered(line: &str) -> Option<&str> {
    let item = line.trim_start().trim_start_matches('#').trim_start();
    let item = item.strip_prefix("Step ").unwrap_or(item);
    let rest = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = rest.strip_prefix(['.', ')', ':'])?.trim();
    (rest.len() < item.len() && text.len() > 3).then_some(text)
}

fn step(mark: &str, text: &str, place: Place, why: &str, weight: f32) -> Fact {
    let line = |most| format!("{mark}{}", one_line(&harmless(text), most));
    Fact::new(Section::Work, text, line(240)).at(place).or(line(120)).worth(weight, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_read_in_every_common_form() {
        let cases = [
            ("- [ ] write docs", Some((false, "write docs"))),
            ("  * [x] add tests", Some((true, "add tests"))),
            ("1. [ ] third", Some((false, "third"))),
            ("- [link](url) text", None),
            ("- plain", None),
            ("- [ ]", None),
        ];
        for (line, expected) in cases {
            assert_eq!(checkbox(line), expected, "{line}");
        }
    }

    #[test]
    fn plan_steps_are_numbered_lines() {
        assert_eq!(numbered("2. Move the parser"), Some("Move the parser"));
        assert_eq!(numbered("### Step 3: Wire it"), Some("Wire it"));
        assert_eq!(numbered("2024 was fine"), None);
        assert_eq!(numbered("- bullet"), None);
    }
}
