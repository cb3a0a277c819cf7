//! The items that the fold collects in a [`Session`](super::Session): prompts, answers, commits and so on.

use serde::{Deserialize, Serialize};

use crate::model::entry::{EntryId, Place};
use crate::model::origin::Origin;
use crate::quote::{code, quote_foreign};
use crate::reading::command::ShellLine;
use crate::reading::request::RequestReading;

/// A point in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    pub place: Place,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Turns of the agent up to then ([`super::Session::turns`]).
    pub turn: u32,
}

/// Something the agent was told to work on: which message of the record it is ([`super::Session::text_of`]), and what its
/// lines do not say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    pub place: Place,
    /// The number of its first line among the observations of the row.
    pub part: u16,
    /// Of its whole text, to know it again.
    pub hash: u64,
    /// Of its whole text.
    pub characters: u32,
    /// What it says as a whole.
    pub reads: RequestReading,
    /// Who wrote it.
    pub origin: Origin,
    /// The row before it, if the client writes that: a later prompt with the same parent replaces this one.
    pub parent: Option<EntryId>,
    /// Tool calls before it.
    pub clock: u32,
    /// The agent's message it answers ([`super::Session::answered_by`]).
    pub answers: Option<Place>,
    /// When it was said, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Turns of the agent before it.
    pub turn: u32,
    /// The agent had ended its turn, so earlier requests have their answer.
    pub at_rest: bool,
}

/// The text is in the record ([`super::Session::plan_text`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedPlan {
    pub place: Place,
    /// The file it is kept in.
    pub file: Option<String>,
    /// `None` until the person decides.
    pub approved: Option<bool>,
}

/// A background job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunningJob {
    /// Where it was started.
    pub place: Place,
    /// The command, or the subagent's description.
    pub what: String,
    /// A subagent, not a shell.
    pub agent: bool,
    /// Tool calls before it.
    pub clock: u32,
}

impl RunningJob {
    /// The command as code, the description as a quotation.
    pub fn shown(&self, most: usize) -> String {
        if self.agent { quote_foreign(&self.what, most) } else { code(&self.what, most) }
    }
}

/// A subagent that has ended and whose result the agent has not read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnreadResult {
    /// The subagent's id.
    pub id: String,
    /// Its description.
    pub what: String,
    /// Where its end was reported.
    pub place: Place,
}

/// A command line in the background that commits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LateCommit {
    /// Of the job.
    pub id: String,
    pub line: ShellLine,
    pub cwd: String,
}

/// What the person said a summary should keep when they ordered a compaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Focus {
    pub place: Place,
    /// Verbatim.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compaction {
    pub place: Place,
    /// In milliseconds since 1970.
    pub time: Option<i64>,
    /// Asked for by the person.
    pub manual: bool,
    /// Tokens before.
    pub before: Option<u64>,
    /// Tokens after.
    pub after: Option<u64>,
    /// Its summary has been read.
    pub summarised: bool,
}

/// A tool call in a few words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    pub place: Place,
    /// "edited src/a.rs", "ran cargo test".
    pub what: String,
    /// Its outcome, once known.
    pub ok: Option<bool>,
    /// The person refused it.
    pub refused: bool,
}
