//! Everything is called done, while something asked for by name has left no trace: no edit, command or answer since
//! contains any of its names.

use super::claims::{Says, says};
use super::summary::{Heading, Summary, Unit};
use super::tasks::claim_of_all;
use crate::model::finding::{Finding, FindingKind, FindingSubject, SURE};
use crate::session::untraced::{NamedRequest, untraced};
use crate::session::{Session, one_line};

/// The latest requests that are told.
const MAX_UNTRACED: usize = 3;

/// Requests without a trace, beside the claim that nothing is left.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let Some(claim) = claim_of_all(summary) else { return Vec::new() };
    // What a subagent did is not in this record.
    let requests = untraced(session).into_iter().rev().filter(|r| !session.agents.worked_after(r.place));
    let missing = requests.filter(|request| !summary.units().iter().any(|unit| accounts_for(unit, request)));
    missing.take(MAX_UNTRACED).map(|request| finding(request, claim)).collect()
}

/// The summary says itself that it is open, or what became of it. Where it only repeats the request, it says neither.
fn accounts_for(unit: &Unit, request: &NamedRequest) -> bool {
    let lower = unit.text.to_lowercase();
    let is_named = request.names.iter().any(|name| lower.contains(name.as_str()));
    let says_more =
        matches!(unit.under, Heading::Pending | Heading::Current) || says(unit.body) == Some(Says::Open);
    is_named && unit.is_stated() && says_more
}

fn finding(request: &NamedRequest, claim: &str) -> Finding {
    let names = if request.names.len() == 1 { "it" } else { "any of it" };
    Finding {
        kind: FindingKind::Contradicted,
        fact: FindingSubject::Criterion,
        text: format!(
            "asked: {}; no edit, command or answer since names {names}",
            one_line(&request.text, 240)
        ),
        place: Some(request.place),
        summary_quote: Some(one_line(claim, 300)),
        confidence: SURE,
    }
}
