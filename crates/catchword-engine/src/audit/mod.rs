//! Where a summary differs from the record: [`Session`] × summary → [`Finding`]s, one file per kind.
//!
//! The summary is written by a model. It drops things, calls open work finished, changes numbers, and has been
//! seen inventing what the user said. Every finding quotes both sides and has a confidence. Findings below
//! [`TOLD`](crate::model::finding::TOLD) are only for the person; the others also go to the agent, where a false alarm
//! costs more than a miss: a reader wrongly told that a summary is false stops trusting both.
//!
//! `docs/audit.md` lists what is found, what is not, and how often it is right.

mod attributed;
pub mod broken;
mod checks;
mod claims;
mod contradicted;
mod counts;
mod dropped;
mod hardened;
mod invented;
mod line;
mod mutated;
mod opposites;
mod requests;
pub mod sentence;
mod summary;
mod tasks;

use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::session::Session;
use crate::text::hash::fnv1a;
pub use line::{AgentReceived, GivenBy, PersonLine, Received, line};
use summary::Summary;

/// The findings on one summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Hash of the summary they are about.
    pub of: u64,
    /// By kind, highest confidence first.
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
type Auditor = fn(&Session, &Summary) -> Vec<Finding>;

const AUDITORS: &[Auditor] = &[
    tasks::findings,
    checks::findings,
    contradicted::findings,
    counts::findings,
    opposites::findings,
    hardened::findings,
    requests::findings,
    mutated::findings,
    invented::findings,
    attributed::findings,
    dropped::findings,
];

/// Every difference, by kind, highest confidence first.
pub fn audit(session: &Session, summary: &str) -> Vec<Finding> {
    let summary = Summary::new(summary);
    let mut findings: Vec<Finding> = Vec::new();
    for finding in AUDITORS.iter().flat_map(|auditor| auditor(session, &summary)) {
        let same = |f: &Finding| f.kind == finding.kind && f.fact == finding.fact && f.text == finding.text;
        match findings.iter_mut().find(|f| same(f)) {
            Some(known) if known.confidence < finding.confidence => *known = finding,
            Some(_) => {}
            None => findings.push(finding),
        }
    }
    // The model still has a message that the client kept: nothing of it is lost.
    let is_kept = |f: &Finding| {
        let prompts = session.prompts.iter().filter(|prompt| f.place == Some(prompt.place));
        prompts.into_iter().any(|prompt| session.kept.has_message(&prompt.text))
    };
    findings.retain(|f| f.kind != FindingKind::Dropped || !is_kept(f));
    // A mutated path is also missing; report it once.
    let changed: Vec<String> = findings
        .iter()
        .filter(|f| f.kind == FindingKind::Mutated && f.fact == FindingSubject::File)
        .map(|f| f.text.clone())
        .collect();
    findings.retain(|f| {
        f.kind != FindingKind::Dropped
            || f.fact != FindingSubject::File
            || !changed.iter().any(|c| file_name(c) == file_name(&f.text))
    });
    // A message that is nothing but an instruction is reported once, as the instruction.
    let instructions: Vec<String> = findings
        .iter()
        .filter(|f| f.kind == FindingKind::Dropped && f.fact == FindingSubject::Instruction)
        .map(|f| f.text.clone())
        .collect();
    findings.retain(|f| f.fact != FindingSubject::Request || !instructions.contains(&f.text));
    findings.sort_by(|a, b| a.kind.cmp(&b.kind).then_with(|| b.confidence.total_cmp(&a.confidence)));
    findings
}

/// What an audit of this session cannot judge, because the session has dropped some of its record.
pub fn cannot_tell(session: &Session) -> Option<String> {
    let words = session.vocabulary.is_full();
    let forgotten = [
        (words, "numbers"),
        (words || session.files.forgot, "paths"),
        (words || session.hashes.forgot, "hashes"),
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

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
