//! A finding in one sentence, both sides quoted: what the agent is told.
//!
//! Both sides may be anybody's words, so neither can end its quotation or the line.

use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::quote::quote_foreign;

/// Characters of one side where there is room.
pub const LONG: usize = 200;
/// Characters of one side where there is little.
pub const SHORT: usize = 100;

const RECORD: &str = "; the record: ";
const LATEST: &str = "; the user's latest request is ";
const AGENTS: &str = "; no message of the user's says so, only the agent said ";
const NOBODY: &str = "; no message of this session says so";

/// Whether a text is such a sentence: a summary that copies one does not claim what it quotes.
pub fn is_ours(text: &str) -> bool {
    text.contains("the summary ") && [RECORD, LATEST, AGENTS, NOBODY].iter().any(|turn| text.contains(turn))
}

/// At most `most` characters of either side.
pub fn sentence(finding: &Finding, most: usize) -> String {
    let record = quote_foreign(&finding.text, most);
    let said = quote_foreign(finding.summary_quote.as_deref().unwrap_or_default(), most);
    match (finding.kind, finding.fact) {
        (FindingKind::Invented, _) if finding.place.is_some() => {
            format!("the summary says {said}{AGENTS}{record}")
        }
        (FindingKind::Invented, _) => {
            format!("the summary quotes the user: {record}{NOBODY}")
        }
        (FindingKind::Contradicted, FindingSubject::Request) => {
            format!("the summary says {said}{LATEST}{record}")
        }
        _ => format!("the summary says {said}{RECORD}{record}"),
    }
}

/// Whether this text tells of a finding.
pub fn stands_in(finding: &Finding, text: &str) -> bool {
    [LONG, SHORT].iter().any(|most| text.contains(&sentence(finding, *most)))
}
