//! One thing seen in a session.

use serde::{Deserialize, Serialize};

use super::lines::says_something;
use crate::model::entry::{Place, TaskStatus};
use crate::reading::command::ShellLine;
use crate::reading::outcome::{Outcome, is_error_line};
use crate::text::cut::one_line;
use crate::text::hash::fnv1a;

/// Something said, done or printed. Its id is place and part: the same on every machine that reads the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The row it stands in; of a run that of the call.
    pub place: Place,
    /// Its number among the observations of the row.
    pub part: u16,
    pub who: Voice,
    pub what: Kind,
    /// Verbatim, masked, on one line.
    pub words: String,
    /// Tool calls before it.
    pub clock: u32,
    pub state: Standing,
}

/// The observations of one call: a row may have several calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallParts {
    pub place: Place,
    /// The numbers from the first one on, up to but without the second.
    pub parts: (u16, u16),
}

impl CallParts {
    pub fn has(&self, seen: &Observation) -> bool {
        seen.place == self.place && (self.parts.0..self.parts.1).contains(&seen.part)
    }
}

/// Who is the source of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Voice {
    Person,
    /// The person sent it, and it does not read as typed for the agent: a log, a diff, a document, somebody else's words.
    Pasted,
    Agent,
    Tool,
    Subagent,
    /// The client itself, and whatever else reaches the agent as a prompt without being the person's words.
    Client,
}

/// Where a line stands in the text it was taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPart {
    /// Counted from 0.
    pub line: u16,
    /// Lines of the whole text.
    pub of: u16,
}

/// What kind of thing it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// A line of a prompt.
    Asked(TextPart),
    /// The person's answer to a question of the agent, or the option chosen.
    Answered { question: String },
    /// The person's reason for refusing a call, or the call alone if there is none.
    Refused { call: String },
    /// A line or sentence of the agent.
    Said(TextPart),
    /// A command line with its outcome, once that is known.
    Ran { line: ShellLine, ended: Option<RunResult> },
    /// A call of any other tool, in one line.
    Called { ok: bool },
    /// A line of what a tool answered; `of` is the row of the call.
    Printed { by: Source, of: Place, at: TextPart, failed: bool },
    /// A file that a tool read or changed; the words are its path.
    Touched(Deed),
    /// A line written into a file.
    Wrote { path: String },
    /// A to-do or task.
    Task { id: String, status: TaskStatus },
    /// A line of a plan that the agent proposed.
    Planned(TextPart),
    /// A line of the summary of an earlier compaction.
    Summarised(TextPart),
    /// A commit: hash and subject.
    Committed { hash: String },
}

/// Which tool printed a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    Shell,
    Search,
    Subagent,
    /// A document that was read.
    Document,
    Other,
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deed {
    Read,
    /// By what it took out and put in, hashed, to notice that a later one takes it back.
    Edited {
        swap: Option<(u64, u64)>,
    },
    Written {
        created: bool,
    },
    Removed,
    Moved,
}

impl Deed {
    /// In a word of the past.
    pub fn word(self) -> &'static str {
        match self {
            Deed::Read => "read",
            Deed::Edited { .. } => "edited",
            Deed::Written { created: true } => "created",
            Deed::Written { created: false } => "wrote",
            Deed::Removed => "removed",
            Deed::Moved => "moved",
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// `None` if neither exit code nor output say.
    pub ok: Option<bool>,
    /// The line of the output that tells it: the last count line, else the last error line, else the last line.
    pub telling: String,
    /// Lines printed.
    pub lines: u16,
    /// The command goes on in the background, or its end was not seen.
    pub goes_on: bool,
}

/// Characters of the line that tells how a run ended.
const TELLING_LONG: usize = 240;

impl RunResult {
    pub fn of(outcome: &Outcome, ok: Option<bool>, goes_on: bool) -> RunResult {
        // What a task runner echoes before it runs it is no outcome.
        let says = |line: &&str| says_something(line) && !line.starts_with("$ ") && !line.contains("] $ ");
        let lines: Vec<&str> = outcome.output.lines().map(str::trim).filter(says).collect();
        let error = || lines.iter().rev().find(|line| is_error_line(line)).filter(|_| ok == Some(false));
        let telling = outcome.count_line.or_else(|| error().copied()).or_else(|| lines.last().copied());
        let telling = telling.map_or_else(String::new, |line| one_line(line, TELLING_LONG));
        RunResult { ok, telling, lines: lines.len().min(usize::from(u16::MAX)) as u16, goes_on }
    }
}

/// What became of an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    #[default]
    Holds,
    /// A failure that was over there, a task that was done.
    Settled(Place),
    /// Something newer of the same kind took its place.
    Overtaken(Place),
    /// Taken back: rewound, reversed, withdrawn.
    Withdrawn(Place),
    /// The same words stand there again.
    Repeated(Place),
}

impl Standing {
    pub fn holds(self) -> bool {
        self == Standing::Holds
    }
}

impl Observation {
    /// What a newer observation has to share to be about the same thing.
    pub(super) fn key_in_log(&self) -> Option<u64> {
        let of = |kind: &str, words: &str| Some(fnv1a(format!("{kind}\n{words}").as_bytes()));
        match &self.what {
            Kind::Ran { line, .. } => of("ran", &line.key()),
            Kind::Asked(_) => of("asked", &self.words),
            Kind::Said(_) => of("said", &self.words),
            Kind::Printed { .. } => of("printed", &self.words),
            Kind::Touched(Deed::Read) => of("read", &self.words),
            Kind::Task { id, .. } => of("task", if id.is_empty() { &self.words } else { id }),
            Kind::Summarised(_) => of("summarised", &self.words),
            _ => None,
        }
    }

    /// The outcome of a run, if this is one that has ended.
    pub fn ended(&self) -> Option<&RunResult> {
        match &self.what {
            Kind::Ran { ended, .. } => ended.as_ref(),
            _ => None,
        }
    }

    /// A run that failed.
    pub fn is_failed_run(&self) -> bool {
        self.ended().is_some_and(|ended| ended.ok == Some(false))
    }
}
