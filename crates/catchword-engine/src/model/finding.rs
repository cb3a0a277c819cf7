//! What an audit found: a difference between a summary and the record.

use serde::Serialize;

use super::entry::Place;

/// A difference between summary and record.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub kind: FindingKind,
    pub fact: FindingSubject,
    /// The record's words; for an invention the summary's, because the record has none.
    pub text: String,
    /// Where the record has them.
    pub place: Option<Place>,
    /// The summary's words; `None` if it says nothing.
    pub summary_quote: Option<String>,
    /// Where the summary claims it, in bytes from its start; `None` if it says nothing, or if the finding was read back.
    pub summary_at: Option<(usize, usize)>,
}

impl Finding {
    /// What it costs the agent to believe the summary, 0 the most. An agent that believes open work to be done skips it;
    /// one that believes an invented wish does what nobody asked for; a wrong detail fails when it is used, and what is
    /// merely missing can be found again.
    pub fn cost_rank(&self) -> u8 {
        use FindingSubject::{Branch, Command, Criterion, Instruction, Job, Task};
        match (self.kind, self.fact) {
            (FindingKind::Contradicted, Task | Criterion) => 0,
            (FindingKind::Contradicted, Command | Job) => 1,
            (FindingKind::Invented, _) => 2,
            (FindingKind::Contradicted, Instruction | Branch) => 3,
            (FindingKind::Contradicted, _) => 4,
            (FindingKind::Mutated, _) => 5,
            (FindingKind::Dropped, Task | Instruction | Criterion) => 6,
            (FindingKind::Dropped, _) => 7,
        }
    }
}

/// How a summary differs from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// It says the opposite.
    Contradicted,
    /// It has another number, path, id or flag.
    Mutated,
    /// It attributes words to the user that they never said.
    Invented,
    /// It does not mention it.
    Dropped,
}

impl FindingKind {
    pub const ALL: [FindingKind; 4] =
        [FindingKind::Contradicted, FindingKind::Mutated, FindingKind::Invented, FindingKind::Dropped];

    pub fn named(name: &str) -> Option<FindingKind> {
        FindingKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Contradicted => "contradicted",
            FindingKind::Mutated => "mutated",
            FindingKind::Invented => "invented",
            FindingKind::Dropped => "dropped",
        }
    }
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSubject {
    /// A task or to-do.
    Task,
    /// A standing instruction of the user.
    Instruction,
    /// An acceptance criterion of a request.
    Criterion,
    /// A file.
    File,
    /// A command and how it ended.
    Command,
    /// A decision of the agent.
    Decision,
    /// Something that runs in the background.
    Job,
    /// A number, id or flag.
    Number,
    /// The user's words.
    Quote,
    /// The git branch; earlier versions found wrong ones.
    Branch,
    /// A message of the user's.
    Request,
}

impl FindingSubject {
    pub const ALL: [FindingSubject; 11] = [
        FindingSubject::Task,
        FindingSubject::Instruction,
        FindingSubject::Criterion,
        FindingSubject::File,
        FindingSubject::Command,
        FindingSubject::Decision,
        FindingSubject::Job,
        FindingSubject::Number,
        FindingSubject::Quote,
        FindingSubject::Branch,
        FindingSubject::Request,
    ];

    pub fn named(name: &str) -> Option<FindingSubject> {
        FindingSubject::ALL.into_iter().find(|about| about.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            FindingSubject::Task => "task",
            FindingSubject::Instruction => "instruction",
            FindingSubject::Criterion => "criterion",
            FindingSubject::File => "file",
            FindingSubject::Command => "command",
            FindingSubject::Decision => "decision",
            FindingSubject::Job => "job",
            FindingSubject::Number => "number",
            FindingSubject::Quote => "quote",
            FindingSubject::Branch => "branch",
            FindingSubject::Request => "request",
        }
    }
}
