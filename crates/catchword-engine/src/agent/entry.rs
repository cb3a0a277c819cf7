//! A transcript line understood, in words that are the same for every client.

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A line of the transcript, counted from 1 and shown as `L812`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place(pub u32);

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "L{}", self.0)
    }
}

/// A client's own id of a row, hashed: all we ever ask is whether two are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryId(pub u64);

impl EntryId {
    /// FNV-1a of the native id. Written down here because snapshots keep these numbers across versions.
    pub fn of(native: &str) -> Self {
        EntryId(fnv1a(native.as_bytes()))
    }
}

/// 64-bit FNV-1a.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    fnv1a_on(FNV_START, bytes.iter().copied())
}

/// The hash of nothing, from which one of something begins.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of more bytes, after those that gave `hash`.
pub fn fnv1a_on(hash: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A text that nearly every row has in common with the one before it.
pub type Shared = Arc<str>;

/// Whose conversation a row belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Thread {
    /// The conversation with the person.
    #[default]
    Main,
    /// A subagent's.
    Sub,
}

/// One row of the transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Where it stands.
    pub place: Place,
    /// The client's id, to count a row once that was written twice.
    pub id: Option<EntryId>,
    /// Milliseconds since 1970.
    pub time: Option<i64>,
    /// Main conversation or subagent.
    pub thread: Thread,
    /// Working directory at that moment.
    pub cwd: Option<Shared>,
    /// Git branch at that moment.
    pub branch: Option<Shared>,
    /// The client that wrote the row keeps the latest round in a compaction; `None` where the row does not tell.
    pub keeps: Option<bool>,
    /// What the row says or does, in order.
    pub parts: Vec<Part>,
    /// Read for what lasts only: texts that matter for their words alone are left out.
    pub glanced: bool,
}

impl Entry {
    /// Changes every text that came out of the transcript; ids and places stay.
    pub fn map_texts(&mut self, mut change: impl FnMut(&mut String)) {
        for part in &mut self.parts {
            match part {
                Part::Prompt { text, .. }
                | Part::Queued(text)
                | Part::Beside(text)
                | Part::Typed(text)
                | Part::Text(text)
                | Part::Summary(text)
                | Part::Injected { text, .. } => {
                    change(text);
                }
                Part::Slash { args, .. } => change(args),
                Part::Call { tool, .. } => tool.map_texts(&mut change),
                Part::Result { text, extra, .. } => {
                    change(text);
                    extra
                        .answers
                        .iter_mut()
                        .flat_map(|(question, answer)| [question, answer])
                        .for_each(&mut change);
                    extra.refused.iter_mut().for_each(&mut change);
                }
                Part::Interrupted
                | Part::Unqueued
                | Part::Mode(_)
                | Part::Reattached(_)
                | Part::Finished { .. }
                | Part::Usage(_)
                | Part::Model(_)
                | Part::Message(_)
                | Part::TurnEnd
                | Part::Compaction { .. } => {}
            }
        }
    }
}

/// Calls whose answers say nothing that lasts: whoever only glances at rows steps over those.
#[derive(Debug, Default)]
pub struct Unheard(HashSet<u64, foldhash::fast::RandomState>);

impl Unheard {
    /// Takes in the calls of a row.
    pub fn note(&mut self, entry: &Entry) {
        for part in &entry.parts {
            if let Part::Call { id, tool } = part
                && tool.is_answered_for_now()
            {
                self.0.insert(fnv1a(id.as_bytes()));
            }
        }
    }

    /// Whether the answer to this call may be stepped over, if it is no failure.
    pub fn has(&self, call: &str) -> bool {
        self.0.contains(&fnv1a(call.as_bytes()))
    }
}

impl Tool {
    /// Whether nothing of its answer is kept for good, where it is no failure.
    fn is_answered_for_now(&self) -> bool {
        match self {
            Tool::Read { .. }
            | Tool::Edit { .. }
            | Tool::Search { .. }
            | Tool::Todos(_)
            | Tool::TaskUpdate { .. }
            | Tool::Plan { .. }
            | Tool::Skill { .. }
            | Tool::Kill { .. }
            | Tool::Other { .. } => true,
            // Of a file that was written it is kept whether it is new.
            Tool::Shell { .. }
            | Tool::Write { .. }
            | Tool::TaskCreate { .. }
            | Tool::Ask { .. }
            | Tool::Agent { .. } => false,
        }
    }

    /// Hands on every text that was given to the tool.
    pub fn each_text(&self, mut take: impl FnMut(&str)) {
        match self {
            Tool::Shell { command: text, .. }
            | Tool::Read { path: text }
            | Tool::TaskCreate { subject: text }
            | Tool::Plan { text, .. }
            | Tool::Skill { args: text, .. }
            | Tool::Kill { id: text }
            | Tool::Other { input: text, .. } => take(text),
            Tool::Edit { path, change: text } | Tool::Write { path, content: text } => {
                take(path);
                take(text);
            }
            Tool::Search { pattern, path } => {
                take(pattern);
                path.as_deref().into_iter().for_each(take);
            }
            Tool::Agent { description, prompt } => {
                take(description);
                take(prompt);
            }
            Tool::TaskUpdate { subject, .. } => subject.as_deref().into_iter().for_each(take),
            Tool::Todos(todos) => todos.iter().for_each(|todo| take(&todo.text)),
            Tool::Ask { questions } => questions.iter().for_each(|question| take(question)),
        }
    }

    fn map_texts(&mut self, change: &mut impl FnMut(&mut String)) {
        match self {
            Tool::Shell { command: text, .. }
            | Tool::Edit { change: text, .. }
            | Tool::Write { content: text, .. }
            | Tool::Search { pattern: text, .. }
            | Tool::TaskCreate { subject: text }
            | Tool::Plan { text, .. }
            | Tool::Skill { args: text, .. }
            | Tool::Other { input: text, .. } => change(text),
            Tool::Agent { description, prompt } => {
                change(description);
                change(prompt);
            }
            Tool::TaskUpdate { subject, .. } => subject.iter_mut().for_each(change),
            Tool::Todos(todos) => todos.iter_mut().for_each(|todo| change(&mut todo.text)),
            Tool::Ask { questions } => questions.iter_mut().for_each(change),
            Tool::Read { .. } | Tool::Kill { .. } => {}
        }
    }
}

/// One thing said or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A person's own words.
    Prompt {
        /// Verbatim.
        text: String,
        /// Typed while the agent was working.
        queued: bool,
    },
    /// A person's own words, put into the queue while the agent works. Most versions write them once more when the
    /// agent gets them.
    Queued(String),
    /// Words beside a tool's answer. Often the person's, but nothing near tool output counts as theirs.
    Beside(String),
    /// The person took back what was queued, to edit it.
    Unqueued,
    /// A slash command a person ran.
    Slash {
        /// With its leading slash.
        name: String,
        /// As typed.
        args: String,
        /// The client carries it out itself: it gives the agent nothing to work by.
        own: bool,
    },
    /// A way of working was switched on or off.
    Mode(Mode),
    /// Commands and skills whose text the client has put back into the context after a compaction, by name.
    Reattached(Vec<String>),
    /// A shell command a person ran from the prompt (`!cmd`).
    Typed(String),
    /// A person stopped the agent.
    Interrupted,
    /// The agent's words.
    Text(String),
    /// The agent uses a tool.
    Call {
        /// Joins it with its result.
        id: String,
        /// What it does.
        tool: Tool,
    },
    /// What a tool answered. Never the user's words, whatever they look like.
    Result {
        /// The call it answers.
        call: String,
        /// False for a failure or a refusal.
        ok: bool,
        /// The answer, long ones cut in the middle.
        text: String,
        /// What the client adds in structured form.
        extra: Extra,
    },
    /// Something that ran in the background has ended.
    Finished {
        /// Its id.
        id: String,
    },
    /// Tokens in the context after this message.
    Usage(Usage),
    /// The model that answers.
    Model(Shared),
    /// The message of the model that this row is a piece of; several rows may be pieces of one.
    Message(Option<EntryId>),
    /// The agent has ended its turn: it waits for the person.
    TurnEnd,
    /// The context was replaced by a summary.
    Compaction {
        /// Asked for by the person or not.
        manual: bool,
        /// Tokens before.
        before: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
        /// Rows the client kept verbatim.
        kept: Vec<EntryId>,
    },
    /// The summary that replaced it.
    Summary(String),
    /// Text that a hook put into the context.
    Injected {
        /// The client's name of the event that was answered.
        event: String,
        /// What the model got.
        text: String,
    },
}

/// A way of working that holds until it is switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Planning, not doing.
    Plan(bool),
    /// How the agent words its answers, by the style's name.
    Style(String),
}

/// The parts of a tool's answer that the client gives in structured form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extra {
    /// Id of the task that was created.
    pub task: Option<String>,
    /// Id of the shell or agent that goes on in the background.
    pub background: Option<String>,
    /// The person's answers to the agent's questions, as (question, answer).
    pub answers: Vec<(String, String)>,
    /// The file did not exist before.
    pub created: bool,
    /// The person refused the call; their reason, where they gave one.
    pub refused: Option<String>,
}

/// What a tool call does, the same for every client.
#[derive(Clone, Debug, PartialEq)]
pub enum Tool {
    /// Runs a command.
    Shell {
        /// As typed.
        command: String,
        /// Left running.
        background: bool,
    },
    /// Reads a file.
    Read {
        /// As given.
        path: String,
    },
    /// Changes a file.
    Edit {
        /// As given.
        path: String,
        /// Text taken out and put in.
        change: String,
    },
    /// Writes a whole file.
    Write {
        /// As given.
        path: String,
        /// Its new content.
        content: String,
    },
    /// Looks for text or files.
    Search {
        /// What for.
        pattern: String,
        /// Where.
        path: Option<String>,
    },
    /// Replaces the to-do list.
    Todos(Vec<Todo>),
    /// Adds a task.
    TaskCreate {
        /// Its title.
        subject: String,
    },
    /// Changes a task.
    TaskUpdate {
        /// Which.
        task: String,
        /// New status, if it changes.
        status: Option<TaskStatus>,
        /// New title, if it changes.
        subject: Option<String>,
    },
    /// Asks the person.
    Ask {
        /// The questions.
        questions: Vec<String>,
    },
    /// Proposes a plan for approval.
    Plan {
        /// The plan.
        text: String,
        /// The file it is kept in.
        file: Option<String>,
    },
    /// Starts a subagent.
    Agent {
        /// What for, in a few words.
        description: String,
        /// The whole order.
        prompt: String,
    },
    /// Invokes a skill.
    Skill {
        /// Its name.
        name: String,
        /// As given.
        args: String,
    },
    /// Ends something that runs in the background.
    Kill {
        /// Its id.
        id: String,
    },
    /// Any other tool.
    Other {
        /// Its name.
        name: String,
        /// Its input, flattened.
        input: String,
    },
}

/// An item of a to-do list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub status: TaskStatus,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskStatus {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress,
    /// Said to be finished.
    Completed,
    /// Dropped.
    Deleted,
}

/// Tokens as the API counted them for one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Everything that was sent: fresh, written to the cache and read from it.
    pub input: u64,
    /// What came back, and will be sent with the next request.
    pub output: u64,
}
