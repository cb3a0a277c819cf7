//! A finding in one sentence, both sides quoted: what the agent is told.
//!
//! Both sides may be anybody's words, so neither can end its quotation or the line.

use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::quote::quote_foreign;

/// Characters of one side where there is room.
pub const LONG: usize = 200;
/// Characters of one side where there is little.
pub const SHORT: usize = 100;

/// At most `most` characters of either side.
pub fn sentence(finding: &Finding, most: usize) -> String {
    let record = quote_foreign(&finding.text, most);
    let said = quote_foreign(finding.summary_quote.as_deref().unwrap_or_default(), most);
    match (finding.kind, finding.fact) {
        (FindingKind::Invented, _) if finding.place.is_some() => {
            format!(
                "the summary has the user say {record}; no message of theirs does, only the agent said so"
            )
        }
        (FindingKind::Invented, _) => {
            format!("the summary quotes the user: {record}; no message of this session says so")
        }
        (FindingKind::Contradicted, FindingSubject::Request) => {
            format!("the summary says {said}; the user's latest request is {record}")
        }
        _ => format!("the summary says {said}; the record: {record}"),
    }
}

/// Whether this text tells of a finding.
pub fn stands_in(finding: &Finding, text: &str) -> bool {
    [LONG, SHORT].iter().any(|most| text.contains(&sentence(finding, *most)))
}
