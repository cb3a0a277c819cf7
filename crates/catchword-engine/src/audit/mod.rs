//! Where a summary differs from the record: [`Session`] × summary → [`Finding`]s, one file per comparer.
//!
//! A model writes the summary. It calls open work finished, changes numbers, puts words into the user's mouth and drops
//! what was asked. A finding is a claim of the summary beside evidence of the record. It is made only where the record
//! shows otherwise: what the record merely does not have proves nothing, unless the record is closed ([`closed`]). A reader
//! who is wrongly told that a summary is false stops trusting both.
//!
//! `docs/audit.md` lists what is found, what is not, and how often it is right.

pub mod broken;
mod checks;
mod closed;
mod done;
mod line;
mod missing;
mod owner;
mod program;
mod quoted;
pub mod sentence;
mod summary;
mod undone;
mod value;

use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::session::{Session, one_line};
use crate::text::hash::fnv1a;
pub use line::{AgentReceived, GivenBy, PersonLine, Received, line};
use summary::{Summary, SummaryClaim};

/// The findings on one summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Hash of the summary they are about.
    pub of: u64,
    /// By kind.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Compares a summary with the record.
    pub fn new(session: &Session, summary: &str) -> Audit {
        Audit { of: hash_of(summary), findings: audit(session, summary) }
    }
}

/// Identifies a summary.
pub fn hash_of(summary: &str) -> u64 {
    fnv1a(summary.as_bytes())
}

/// Looks for one kind of difference.
type Comparer = fn(&Session, &Summary) -> Vec<Finding>;

/// What costs the agent most to believe comes first: one lie is one finding, of the first comparer that sees it.
const COMPARERS: &[Comparer] = &[
    checks::findings,
    program::findings,
    done::findings,
    undone::findings,
    quoted::findings,
    owner::findings,
    value::findings,
    missing::findings,
];

/// Every difference, by kind.
pub fn audit(session: &Session, summary: &str) -> Vec<Finding> {
    let summary = Summary::new(summary);
    let mut findings: Vec<Finding> = Vec::new();
    for compare in COMPARERS {
        let others = findings.len();
        for finding in compare(session, &summary) {
            let has_claim = |known: &Finding| match (known.summary_at, finding.summary_at) {
                (Some((from, to)), Some(other)) => from < other.1 && other.0 < to,
                _ => false,
            };
            let is_known = findings[..others].iter().any(has_claim)
                || findings.iter().any(|known| known.text == finding.text);
            if !is_known {
                findings.push(finding);
            }
        }
    }
    // The model still has a message that the client kept: nothing of it is lost.
    let is_kept = |f: &Finding| {
        let mut prompts = session.prompts.iter().filter(|prompt| f.place == Some(prompt.place));
        prompts.any(|prompt| session.kept.has_message(prompt.hash))
    };
    findings.retain(|f| f.kind != FindingKind::Dropped || !is_kept(f));
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// A claim of the summary beside the words of the record.
fn differs(
    kind: FindingKind,
    fact: FindingSubject,
    record: &str,
    place: Option<Place>,
    claim: SummaryClaim,
) -> Finding {
    let (text, summary_quote) = (one_line(record, 300), Some(one_line(claim.quote, 300)));
    Finding { kind, fact, text, place, summary_quote, summary_at: Some((claim.from, claim.to)) }
}

/// What an audit of this session cannot judge, because the session has dropped some of its record.
pub fn cannot_tell(session: &Session) -> Option<String> {
    let words = session.vocabulary.is_full();
    let forgotten = [
        (words, "numbers"),
        (words || session.files.forgot, "paths"),
        (words || session.record.dropped > 0, "hashes"),
        (words || session.record.dropped_events > 0, "flags"),
    ];
    let kinds: Vec<&str> = forgotten.iter().filter(|(forgot, _)| *forgot).map(|(_, kind)| *kind).collect();
    let kinds = match kinds.as_slice() {
        [] => return None,
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    };
    Some(format!(
        "Cannot tell whether {kinds} were changed: this session has more of them than catchword remembers."
    ))
}

#[cfg(test)]
mod tests;
