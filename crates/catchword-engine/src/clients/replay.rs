//! A transcript row as a measurement needs it, in terms that fit every client.
//!
//! An [`Entry`](super::entry::Entry) is what catchword makes of a row: shortened, masked, sorted by meaning. Measured by
//! that, catchword would not notice what it misses. So this second reader keeps everything that the model saw. Only
//! `eval` uses it, no hook does.

use crate::model::entry::EntryId;

/// One row. Other lines are read as the default, so that rows are numbered like lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayRow {
    /// The client's id.
    pub id: Option<EntryId>,
    /// It belongs to a subagent.
    pub sub: bool,
    /// Everything it shows to a model: words, the inputs of tools as JSON, their output, attachments as JSON.
    pub text: String,
    /// What a person typed, or nothing.
    pub typed: String,
    /// The tools that were called in the main conversation.
    pub calls: Vec<ReplayCall>,
    /// Tasks that the client confirmed: the call and the number.
    pub made: Vec<(String, String)>,
    /// Working directory at that moment.
    pub cwd: Option<String>,
    /// Its role in a compaction.
    pub mark: ReplayMark,
    /// It begins a compaction that the person asked for.
    pub manual: bool,
}

/// The role of a row in a compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReplayMark {
    /// None.
    #[default]
    None,
    /// The conversation before it is gone, but for some rows.
    Boundary(ReplayKept),
    /// What replaced the conversation.
    Summary,
    /// Both in one row, whose text is all that stays in the context. The summary by itself, empty if only the provider can
    /// read it.
    Compacted(String),
    /// A file, a plan or tasks that the client shows again after a compaction.
    Attached,
}

/// The rows that stay in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayKept {
    /// These.
    Rows(Vec<EntryId>),
    /// All from one row to another.
    Stretch(EntryId, Option<EntryId>),
}

/// A tool call, by what it may need again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayCall {
    /// Its id.
    pub id: String,
    /// What it names as a file or folder.
    pub paths: Vec<String>,
    /// A line for the shell.
    pub command: Option<String>,
    /// What it searches for or refers to by name.
    pub words: Vec<String>,
    /// Everything it was given, each value on lines of its own.
    pub given: String,
    /// What it does to the list of tasks.
    pub tasks: Option<TaskChange>,
}

/// What a call does to the list of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskChange {
    /// The whole list: each item, and whether it is still to be done.
    List(Vec<(String, bool)>),
    /// A new task with this subject; its number comes with the answer.
    Make(String),
    /// A task by its number.
    Change {
        /// The number.
        task: String,
        /// Whether it is still to be done.
        open: Option<bool>,
        /// A new subject.
        subject: Option<String>,
    },
}
