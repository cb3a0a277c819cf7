//! What an audit found: a difference between a summary and the record.

use super::entry::Place;

/// The confidence from which a finding is told to the model.
pub const TOLD: f32 = 0.75;

/// A difference between summary and record.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How they differ.
    pub kind: FindingKind,
    /// What they differ about.
    pub fact: FindingSubject,
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
pub enum FindingKind {
    /// It says the opposite.
    Contradicted,
    /// It has another number, path, id or flag.
    Mutated,
    /// It has the user say what they never said.
    Invented,
    /// It does not mention it.
    Dropped,
}

impl FindingKind {
    /// All of them.
    pub const ALL: [FindingKind; 4] =
        [FindingKind::Contradicted, FindingKind::Mutated, FindingKind::Invented, FindingKind::Dropped];

    /// The one of this name.
    pub fn named(name: &str) -> Option<FindingKind> {
        FindingKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// In one word.
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
    /// A message of the user's.
    Request,
}

impl FindingSubject {
    /// All of them.
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

    /// The one of this name.
    pub fn named(name: &str) -> Option<FindingSubject> {
        FindingSubject::ALL.into_iter().find(|about| about.name() == name)
    }

    /// In one word.
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
