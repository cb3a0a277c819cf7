//! What was said and done, one thing at a time: what the fold puts into a [`Session`](super::Session).

use serde::{Deserialize, Serialize};

use super::demands::Demand;
use crate::agent::entry::{EntryId, Place};

/// Something the person said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// Where.
    pub place: Place,
    /// Verbatim.
    pub text: String,
    /// Tool calls before it.
    pub clock: u32,
    /// The agent's words it answers, for replies that mean nothing alone.
    pub answers: Option<(Place, String)>,
    /// When it was said, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Turns of the agent before it.
    pub turn: u32,
    /// What of it lays down a way of working, or takes one back.
    pub demands: Vec<Demand>,
}

/// Something the agent said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// Where.
    pub place: Place,
    /// Verbatim, long ones cut.
    pub text: String,
    /// Tool calls before it.
    pub clock: u32,
    /// When it was said, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The turn it was said in.
    pub turn: u32,
}

/// A question of the agent and the person's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Where.
    pub place: Place,
    /// What the agent asked.
    pub question: String,
    /// What the person chose or wrote.
    pub answer: String,
    /// Tool calls before it.
    pub clock: u32,
}

/// A call the person refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Where.
    pub place: Place,
    /// What the agent wanted to do.
    pub what: String,
    /// The person's words, if they said any.
    pub reason: String,
    /// Tool calls before it.
    pub clock: u32,
}

/// A plan put before the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Where.
    pub place: Place,
    /// The plan.
    pub text: String,
    /// The file it is kept in.
    pub file: Option<String>,
    /// The person's word on it; `None` while it is awaited.
    pub approved: Option<bool>,
}

impl Plan {
    /// Its first line that says something, without the marks of a heading.
    pub fn title(&self) -> &str {
        let lines = self.text.lines().map(str::trim);
        lines
            .map(|line| line.trim_start_matches('#').trim())
            .find(|line| !line.is_empty())
            .unwrap_or_default()
    }
}

/// Something left running.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Running {
    /// Where it was started.
    pub place: Place,
    /// The command, or the subagent's order in a few words.
    pub what: String,
    /// A subagent, not a shell.
    pub agent: bool,
}

/// A slash command or skill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillUse {
    /// Where.
    pub place: Place,
    /// Its name; slash commands keep their slash.
    pub name: String,
    /// As given.
    pub args: String,
}

/// A commit the agent made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Commit {
    /// Where.
    pub place: Place,
    /// Abbreviated, as git printed it.
    pub hash: String,
    /// First line of the message.
    pub subject: String,
    /// Tool calls before it.
    pub clock: u32,
}

/// A compaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compaction {
    /// Where.
    pub place: Place,
    /// Asked for by the person.
    pub manual: bool,
    /// Tokens before.
    pub before: Option<u64>,
    /// Tokens after.
    pub after: Option<u64>,
    /// Tool calls before it.
    pub clock: u32,
    /// The summary, once its row has come.
    pub summary: Option<String>,
    /// Rows the client kept.
    pub kept: Vec<EntryId>,
}

/// A tool call in a few words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// Where.
    pub place: Place,
    /// "edited src/a.rs", "ran `cargo test`".
    pub what: String,
    /// Its outcome, once known.
    pub ok: Option<bool>,
    /// The person did not let it happen.
    pub refused: bool,
}
