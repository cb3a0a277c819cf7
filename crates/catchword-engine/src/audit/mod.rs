//! Where a summary differs from the record: [`Session`] × summary → [`Finding`]s, one file per kind.
//!
//! The summary is written by a model. It drops things, calls open work finished, changes numbers, and has been
//! seen inventing what the user said. Every finding quotes both sides and has a confidence. Below [`TOLD`] it is
//! for the person to look at; above, it is worth an agent's attention, where a false alarm costs more than a miss:
//! whoever is wrongly told that a summary lies stops believing either.
//!
//! `docs/audit.md` has what is found, what is not, and how often it is right.

mod contradicted;
mod counts;
mod dropped;
mod invented;
mod line;
mod memory;
mod mutated;
pub mod speech;
mod stems;
mod summary;

use crate::agent::entry::{Place, fnv1a};
use crate::session::Session;
pub use line::{Said, line};
use summary::Summary;

/// The confidence from which a finding is told to the model.
pub const TOLD: f32 = 0.75;

/// The findings on one summary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Hash of the summary they are about.
    pub of: u64,
    /// By kind, the surest first.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Compares a summary with the record.
    pub fn new(session: &Session, summary: &str) -> Audit {
        Audit { of: hash_of(summary), findings: audit(session, summary) }
    }
}

/// By which a summary is known again.
pub fn hash_of(summary: &str) -> u64 {
    fnv1a(summary.as_bytes())
}

/// A difference between summary and record.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How they differ.
    pub kind: Kind,
    /// What they differ about.
    pub fact: About,
    /// The record's words; for an invention, the summary's, as the record has none.
    pub text: String,
    /// Where the record has them.
    pub place: Option<Place>,
    /// The summary's words; none where it says nothing.
    pub summary_quote: Option<String>,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
}

impl Finding {
    /// Sure enough to be told to the model.
    pub fn is_told(&self) -> bool {
        self.confidence >= TOLD
    }
}

/// How a summary differs from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It says the opposite.
    Contradicted,
    /// It has another number, path, id or flag.
    Mutated,
    /// It has the user say what they never said.
    Invented,
    /// It does not mention it.
    Dropped,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Contradicted, Kind::Mutated, Kind::Invented, Kind::Dropped];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Contradicted => "contradicted",
            Kind::Mutated => "mutated",
            Kind::Invented => "invented",
            Kind::Dropped => "dropped",
        }
    }
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum About {
    /// A task or to-do.
    Task,
    /// A standing instruction of the user's.
    Instruction,
    /// An acceptance criterion of a request.
    Criterion,
    /// A file.
    File,
    /// A command and how it ended.
    Command,
    /// A decision of the agent's.
    Decision,
    /// Something that runs in the background.
    Job,
    /// A number, id or flag.
    Number,
    /// The user's words.
    Quote,
    /// The git branch.
    Branch,
}

impl About {
    /// All of them.
    pub const ALL: [About; 10] = [
        About::Task,
        About::Instruction,
        About::Criterion,
        About::File,
        About::Command,
        About::Decision,
        About::Job,
        About::Number,
        About::Quote,
        About::Branch,
    ];

    /// The one of this name.
    pub fn named(name: &str) -> Option<About> {
        About::ALL.into_iter().find(|about| about.name() == name)
    }

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            About::Task => "task",
            About::Instruction => "instruction",
            About::Criterion => "criterion",
            About::File => "file",
            About::Command => "command",
            About::Decision => "decision",
            About::Job => "job",
            About::Number => "number",
            About::Quote => "quote",
            About::Branch => "branch",
        }
    }
}

/// Looks for one kind of difference.
type Auditor = fn(&Session, &Summary) -> Vec<Finding>;

/// All of them.
const AUDITORS: &[Auditor] =
    &[contradicted::findings, counts::findings, mutated::findings, invented::findings, dropped::findings];

/// Every difference, by kind and the surest first.
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
    // A path that was changed is not there either, and that is said already.
    let changed: Vec<String> = findings
        .iter()
        .filter(|f| f.kind == Kind::Mutated && f.fact == About::File)
        .map(|f| f.text.clone())
        .collect();
    findings.retain(|f| {
        f.kind != Kind::Dropped
            || f.fact != About::File
            || !changed.iter().any(|c| file_name(c) == file_name(&f.text))
    });
    findings.sort_by(|a, b| a.kind.cmp(&b.kind).then_with(|| b.confidence.total_cmp(&a.confidence)));
    findings
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
