//! Acceptance criteria of a long request, under their heading.
//!
//! A brief shows the beginning of a request or its items; the criteria often come later, in a list. They are carried over
//! so that "done" is measured by what was asked. Whether they are met is unknown, and the line says so.

use super::requests::{goal_of, plan_of};
use super::{Fact, KnownText, Section};
use crate::lexicon::languages::Sense;
use crate::model::origin::Origin;
use crate::quote::quote_foreign;
use crate::session::criteria::{Criteria, criteria_behind, limits};
use crate::session::spans::TaskKind;
use crate::session::{Prompt, Session};
use crate::text::phrases::has_sense;

/// The first characters of a request are shown anyway.
const ALREADY_SHOWN: usize = 400;
/// A plan of an older request than this many sets no limits any more.
const RECENT: usize = 4;
/// Most characters of one list.
const MAX_LIST: usize = 600;

/// Criteria of the goal, the latest plan and the latest request beyond what is shown of them. For a plan whose tasks are
/// all done, only manual checks.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let leading = [plan_of(session), goal_of(session), session.asked().last()];
    let mut prompts: Vec<&Prompt> = leading.into_iter().flatten().collect();
    prompts.sort_by_key(|prompt| prompt.place);
    prompts.dedup_by_key(|prompt| prompt.place);
    prompts.retain(|prompt| !known.keeps_message(prompt.place));
    let wanted = |prompt: &'_ Prompt, list: &Criteria| !has_finished(session, prompt) || is_by_hand(list);
    let lists = prompts.into_iter().flat_map(|prompt| {
        criteria_behind(&prompt.text, ALREADY_SHOWN).into_iter().map(move |list| (prompt, list))
    });
    let criteria = lists
        .filter(|(prompt, list)| wanted(prompt, list))
        .filter_map(|(prompt, list)| fact_of(prompt, list, known));
    criteria.chain(limits_of_plan(session, known)).collect()
}

/// The limits of a plan that came with one of the latest requests.
fn limits_of_plan(session: &Session, known: &KnownText) -> Vec<Fact> {
    let recent = session.asked().iter().rev().nth(RECENT).map(|prompt| prompt.place);
    let Some(plan) = plan_of(session).filter(|plan| Some(plan.place) > recent) else { return Vec::new() };
    limits(&plan.text)
        .into_iter()
        .filter_map(|mut list| {
            let items = missing_items(&mut list, known)?;
            let text = match list.under {
                Some(under) => format!("The plan leaves out, under {}: {items}", quote_foreign(under, 120)),
                None => format!("The plan stresses: {items}"),
            };
            let fact = Fact::new(Section::Asked, list.items[0], text).at(plan.place);
            Some(fact.because("a limit that the plan sets"))
        })
        .collect()
}

/// It came with a list of tasks, and all of them are done.
fn has_finished(session: &Session, prompt: &Prompt) -> bool {
    let finished = session
        .spans
        .finished()
        .any(|span| span.start.place > prompt.place && span.kind != TaskKind::Request);
    finished && session.tasks.open().is_empty()
}

/// No command of the agent can check it: a person has to try it.
fn is_by_hand(list: &Criteria) -> bool {
    list.under.is_some_and(|under| has_sense(under, Sense::ByHand))
}

fn fact_of(prompt: &Prompt, mut list: Criteria, known: &KnownText) -> Option<Fact> {
    let items = missing_items(&mut list, known)?;
    let whose = if prompt.origin == Origin::Plan { "the plan" } else { "the request" };
    let under = list.under.map(|under| format!(" under {}", quote_foreign(under, 120))).unwrap_or_default();
    let text =
        format!("Checks that {whose} lists{under}; nothing here tells whether they were made: {items}");
    let fact = Fact::new(Section::Asked, list.items[0], text).at(prompt.place);
    Some(fact.because("criteria beyond what is shown of the request"))
}

/// The items that the summary does not retell, quoted, as many as fit.
fn missing_items(list: &mut Criteria, known: &KnownText) -> Option<String> {
    list.items.retain(|item| !known.has(item));
    let mut left = MAX_LIST;
    let fits = |item: &&str| {
        let length = item.chars().count() + 4;
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    };
    let items: Vec<String> = list
        .items
        .iter()
        .copied()
        .take_while(fits)
        .map(|item| quote_foreign(&item.replace("**", ""), MAX_LIST))
        .collect();
    let more = match list.items.len() - items.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!items.is_empty()).then(|| format!("{}{more}", items.join("; ")))
}
