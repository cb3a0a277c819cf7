//! What an audit found: a difference between a summary and the record.

use super::entry::Place;

/// Findings with at least this confidence are reported to the model.
pub const TOLD: f32 = 0.75;

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
    /// From 0 to 1.
    pub confidence: f32,
}

impl Finding {
    /// Whether it is certain enough to be reported to the model.
    pub fn is_told(&self) -> bool {
        self.confidence >= TOLD
    }
}

/// How a summary differs from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// The git branch.
    Branch,
}

impl FindingSubject {
    pub const ALL: [FindingSubject; 10] = [
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
        }
    }
}
