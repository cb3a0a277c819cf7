//! A parsed transcript line, in terms that are the same for every client.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::origin::Origin;
use crate::text::hash::fnv1a;

/// A line of the transcript, counted from 1 and shown as `L812`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place(pub u32);

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "L{}", self.0)
    }
}

/// A client's own id of a row, hashed: ids are only ever compared for equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryId(pub u64);

impl EntryId {
    /// Snapshots contain this hash, so it must not change.
    pub fn of(native: &str) -> Self {
        EntryId(fnv1a(native.as_bytes()))
    }
}

/// Whose conversation a row belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Thread {
    /// The conversation with the person.
    #[default]
    Main,
    /// A subagent's conversation.
    Sub,
}

/// What a row says about those behind it, until another one says something else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lasting {
    /// Whose conversation they are.
    pub thread: Option<Thread>,
    /// Whether the client asks the person before it runs what it may not run by itself.
    pub asks_person: Option<bool>,
}

/// One row of the transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    pub place: Place,
    /// The client's id, to count a row only once if it was written twice.
    pub id: Option<EntryId>,
    /// The preceding row, if the client names it.
    pub parent: Option<EntryId>,
    /// Milliseconds since 1970.
    pub time: Option<i64>,
    pub thread: Thread,
    /// Working directory at that moment.
    pub cwd: Option<String>,
    /// Git branch at that moment.
    pub branch: Option<String>,
    /// What the client that wrote the row restores by itself after a compaction; `None` if the row does not say.
    pub keeps: Option<&'static KeptByClient>,
    /// Whether only the person can put text into the client's queue; `None` if the row does not say.
    pub queue_is_typed: Option<bool>,
    /// What it says about the rows behind it; its folder is theirs, too, then.
    pub lasting: Option<Lasting>,
    /// What the row says or does, in order.
    pub parts: Vec<Part>,
}

impl Entry {
    /// Visits every string. The patterns name each field, so a new field does not compile until it is visited, too.
    pub fn map_strings(&mut self, mut change: impl FnMut(&mut String)) {
        let Entry {
            place: _,
            id: _,
            time: _,
            parent: _,
            thread: _,
            cwd,
            branch,
            keeps: _,
            queue_is_typed: _,
            lasting: _,
            parts,
        } = self;
        cwd.iter_mut().chain(branch).for_each(&mut change);
        for part in parts {
            part.map_strings(&mut change);
        }
    }
}

impl Part {
    /// Visits every string.
    pub fn map_strings(&mut self, change: &mut impl FnMut(&mut String)) {
        match self {
            Part::Queued(text)
            | Part::Beside(text)
            | Part::Typed(text)
            | Part::Text(text)
            | Part::Summary(text)
            | Part::Model(text)
            | Part::Mode(Mode::Style(text)) => change(text),
            Part::Prompt { text, origin, queued: _ } | Part::Delivered { text, origin } => {
                change(text);
                origin.map_strings(change);
            }
            Part::Finished { id, with_result: _ } => change(id),
            Part::ScriptEnd { script, failed: _, goes_on } => {
                [script].into_iter().chain(goes_on).for_each(change);
            }
            Part::Report { id, text } => [id, text].into_iter().for_each(change),
            Part::Injected { event, text } => [event, text].into_iter().for_each(change),
            Part::Slash { name, args, kind: _ } => [name, args].into_iter().for_each(change),
            Part::Reattached(texts) | Part::Kept(texts) => texts.iter_mut().for_each(change),
            Part::Tasks { tasks, whole: _ } => {
                for TaskState { id, subject, status: _ } in tasks {
                    [id, subject].into_iter().for_each(&mut *change);
                }
            }
            Part::Call { id, tool } => {
                change(id);
                tool.map_strings(change);
            }
            Part::Result { call, ok: _, text, extra } => {
                [call, text].into_iter().for_each(&mut *change);
                extra.map_strings(change);
            }
            Part::Mode(Mode::Plan(_))
            | Part::Interrupted
            | Part::Approved
            | Part::RolledBack(_)
            | Part::Unqueued
            | Part::Steered
            | Part::Usage(_)
            | Part::Window(_)
            | Part::Message(_)
            | Part::TurnEnd
            | Part::OpaqueSummary
            | Part::Compaction { manual: _, before: _, after: _ } => {}
        }
    }
}

impl Extra {
    fn map_strings(&mut self, change: &mut impl FnMut(&mut String)) {
        let Extra {
            task,
            background,
            agent,
            answers,
            created: _,
            refused,
            skipped: _,
            timed_out: _,
            exit_code: _,
            is_untold: _,
            heading_lines: _,
            put_back,
            is_cut: _,
            number_mark: _,
            unended: _,
            undecided: _,
        } = self;
        task.iter_mut().chain(background).chain(agent).chain(refused).chain(put_back).for_each(&mut *change);
        answers.iter_mut().flat_map(|(question, answer)| [question, answer]).for_each(change);
    }
}

impl Tool {
    /// Calls `take` with every text passed to the tool.
    pub fn each_text(&self, mut take: impl FnMut(&str)) {
        match self {
            Tool::Shell { command: text, .. }
            | Tool::Read { path: text }
            | Tool::Delete { path: text }
            | Tool::Plan { text, .. }
            | Tool::Skill { args: text, .. }
            | Tool::Kill { id: text }
            | Tool::Schedule { prompt: text }
            | Tool::Script { code: text }
            | Tool::Other { input: text, .. } => take(text),
            Tool::Edit { path, change: text, .. } | Tool::Write { path, content: text } => {
                take(path);
                take(text);
            }
            Tool::Search { pattern, path, .. } => {
                take(pattern);
                path.as_deref().into_iter().for_each(take);
            }
            Tool::Agent { description: text, prompt: more }
            | Tool::TaskCreate { subject: text, detail: more } => {
                take(text);
                take(more);
            }
            Tool::TaskUpdate { subject, .. } => subject.as_deref().into_iter().for_each(take),
            Tool::Todos(todos) => todos.iter().for_each(|todo| take(&todo.text)),
            Tool::Ask { questions } => questions.iter().for_each(|question| take(question)),
        }
    }

    fn map_strings(&mut self, change: &mut impl FnMut(&mut String)) {
        match self {
            Tool::Shell { command: text, background: _ }
            | Tool::Read { path: text }
            | Tool::Delete { path: text }
            | Tool::Schedule { prompt: text }
            | Tool::Script { code: text }
            | Tool::Kill { id: text } => change(text),
            Tool::Edit { path, change: text, added } => [path, text, added].into_iter().for_each(change),
            Tool::Write { path, content } => [path, content].into_iter().for_each(change),
            Tool::Search { pattern, path, .. } => [pattern].into_iter().chain(path).for_each(change),
            Tool::Plan { text, file } => [text].into_iter().chain(file).for_each(change),
            Tool::Agent { description, prompt } => [description, prompt].into_iter().for_each(change),
            Tool::TaskCreate { subject, detail } => [subject, detail].into_iter().for_each(change),
            Tool::Skill { name, args } => [name, args].into_iter().for_each(change),
            Tool::Other { name, input } => [name, input].into_iter().for_each(change),
            Tool::TaskUpdate { task, status: _, subject } => {
                [task].into_iter().chain(subject).for_each(change);
            }
            Tool::Todos(todos) => {
                for Todo { text, status: _ } in todos {
                    change(text);
                }
            }
            Tool::Ask { questions } => questions.iter_mut().for_each(change),
        }
    }
}

/// One thing said or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A person's own words, or a plan that the client hands over once they have approved it.
    Prompt {
        text: String,
        /// [`Origin::Typed`], or [`Origin::Plan`].
        origin: Origin,
        /// Typed while the agent was working.
        queued: bool,
    },
    /// Text in the user's role that somebody else wrote for the agent to work on.
    Delivered { text: String, origin: Origin },
    /// Text put into the client's queue while the agent works: typed by the person, or a prompt that the model has
    /// scheduled. The person's text comes again as a [`Part::Prompt`] when the agent gets it; until then it has no
    /// author.
    Queued(String),
    /// Text beside a tool result: often the person's, but nothing near tool output counts as theirs. Or a record of
    /// another session that was piped or pasted into a prompt.
    Beside(String),
    /// The person took back what was queued, to edit it.
    Unqueued,
    /// The agent got the oldest queued text while it worked. Clients whose model can schedule prompts write the text down
    /// again, as a separate [`Part::Prompt`], if the person typed it.
    Steered,
    /// A slash command a person ran.
    Slash {
        /// With its leading slash.
        name: String,
        /// As typed.
        args: String,
        kind: Slash,
    },
    /// A way of working was switched on or off.
    Mode(Mode),
    /// Commands and skills whose text the client has put back into the context after a compaction, by name.
    Reattached(Vec<String>),
    /// A shell command a person ran from the prompt (`!cmd`).
    Typed(String),
    /// A person stopped the agent.
    Interrupted,
    /// A person told the agent to carry out the plan that it proposed.
    Approved,
    /// A person took back this many of their latest prompts, and all that followed.
    RolledBack(usize),
    /// The agent's words.
    Text(String),
    /// The agent uses a tool.
    Call {
        /// Links it to its result.
        id: String,
        tool: Tool,
    },
    /// A tool's result. Never the user's words, even if it looks like them.
    Result {
        call: String,
        /// False for a failure or a refusal.
        ok: bool,
        /// Long results are cut in the middle.
        text: String,
        /// What the client adds in structured form.
        extra: Extra,
    },
    /// A script whose calls were told before has ended: those of its calls that have no result get none.
    ScriptEnd {
        /// What the ids of its calls begin with, before a slash.
        script: String,
        /// It failed, so it may not have made all of them.
        failed: bool,
        /// It goes on, and a call that waits for it has this in its input.
        goes_on: Option<String>,
    },
    /// Something that ran in the background has ended.
    Finished {
        id: String,
        /// The agent has the result in its context; otherwise it only knows that the thing ended.
        with_result: bool,
    },
    /// What something that ran in the background said at its end.
    Report { id: String, text: String },
    /// Tasks as the client has them.
    Tasks {
        tasks: Vec<TaskState>,
        /// `tasks` is the complete list.
        whole: bool,
    },
    /// Tokens in the context after this message.
    Usage(Usage),
    /// Tokens the model can take, if the client writes that down.
    Window(u64),
    /// The model that wrote the answer.
    Model(String),
    /// The model's message that this row belongs to; a message may span several rows.
    Message(Option<EntryId>),
    /// The agent ended its turn and waits for the person.
    TurnEnd,
    /// The context was replaced by a summary.
    Compaction {
        /// Requested by the person.
        manual: bool,
        /// Tokens in the context before.
        before: Option<u64>,
        /// Tokens in the context after.
        after: Option<u64>,
    },
    /// The summary that replaced it.
    Summary(String),
    /// A summary replaced it that only the model reads.
    OpaqueSummary,
    /// The person's messages that the client kept verbatim in a compaction.
    Kept(Vec<String>),
    /// Text that a hook put into the context.
    Injected {
        /// The client's name of the hook event.
        event: String,
        /// What the model got.
        text: String,
    },
}

/// What a slash command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slash {
    /// Gives the agent a prompt.
    Prompt,
    /// The client handles it itself.
    Own,
    /// The client handles it itself and clears the context.
    Clears,
    /// The client handles it itself and ends, and background jobs with it.
    Ends,
    /// The same, and the context is compacted; the arguments say what to keep.
    Compacts,
}

/// What a client restores to the model by itself after a compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptByClient {
    /// The latest message of the model, and everything since.
    pub round: bool,
    /// Every message of the person's.
    #[serde(default)]
    pub messages: bool,
    /// How many opened files. If there are more, those changed last on disk, which the transcript does not record.
    pub files: usize,
    /// File names that are never restored.
    pub not_files: Cow<'static, [Cow<'static, str>]>,
}

/// A way of working that stays on until it is switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Whether plan mode is on.
    Plan(bool),
    /// The output style, by name.
    Style(String),
}

/// The parts of a tool result that the client gives in structured form.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub struct Extra {
    /// Id of the task that was created.
    pub task: Option<String>,
    /// Id of the shell or agent that keeps running in the background.
    pub background: Option<String>,
    /// Id by which the subagent can be called again.
    pub agent: Option<String>,
    /// The person's answers to the agent's questions, as (question, answer).
    pub answers: Vec<(String, String)>,
    /// The file did not exist before.
    pub created: bool,
    /// The person refused the call; their reason, if they gave one.
    pub refused: Option<String>,
    /// The client did not run the call, because another one of the same message failed or the person stopped it.
    pub skipped: bool,
    /// Nobody answered the agent's question in time.
    pub timed_out: bool,
    /// The command outlived the call, and no row tells how it ended.
    pub unended: bool,
    /// The plan was only proposed: the person has not approved it yet, or is not the one who does.
    pub undecided: bool,
    pub exit_code: Option<i32>,
    /// Only what a command printed is known, not how it ended.
    pub is_untold: bool,
    /// Lines that the client put before the tool's own output.
    pub heading_lines: usize,
    /// The client left out a part of the output.
    pub is_cut: bool,
    /// The client's line that it put the shell back into another folder after the command.
    pub put_back: Option<String>,
    /// What the client writes between the number and the text of each line of a file.
    pub number_mark: Option<char>,
}

impl Extra {
    /// The lines of a file as they stand in it, without the numbers that the client put before them.
    pub fn without_numbers<'a>(&self, output: &'a str) -> Cow<'a, str> {
        let Some(mark) = self.number_mark else { return Cow::Borrowed(output) };
        let own = |line: &'a str| {
            let behind = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
            behind.strip_prefix(mark).unwrap_or(line)
        };
        Cow::Owned(output.lines().map(own).collect::<Vec<_>>().join("\n"))
    }

    /// The tool's own output: the answer without the lines that the client put before and behind it.
    pub fn output<'a>(&self, answer: &'a str) -> &'a str {
        let output = (0..self.heading_lines)
            .fold(answer, |rest, _| rest.split_once('\n').map_or("", |(_, rest)| rest));
        let own = self.put_back.as_deref().and_then(|line| output.trim_end().strip_suffix(line));
        own.unwrap_or(output)
    }
}

/// What a tool call does, the same for every client.
#[derive(Clone, Debug, PartialEq)]
pub enum Tool {
    /// Runs a command.
    Shell { command: String, background: bool },
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
        /// Text put in, alone.
        added: String,
    },
    /// Writes a whole file.
    Write {
        /// As given.
        path: String,
        /// Its new content.
        content: String,
    },
    /// Removes a file.
    Delete {
        /// As given.
        path: String,
    },
    /// Looks for text or files.
    Search {
        pattern: String,
        path: Option<String>,
        /// Searches file contents, not file names.
        in_text: bool,
    },
    /// Replaces the to-do list.
    Todos(Vec<Todo>),
    /// Adds a task.
    TaskCreate {
        /// Its title.
        subject: String,
        /// Its description.
        detail: String,
    },
    /// Changes a task.
    TaskUpdate {
        task: String,
        /// New status, if it changes.
        status: Option<TaskStatus>,
        /// New title, if it changes.
        subject: Option<String>,
    },
    /// Asks the person.
    Ask { questions: Vec<String> },
    /// Proposes a plan for approval.
    Plan {
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
        name: String,
        /// As given.
        args: String,
    },
    /// Ends something that runs in the background.
    Kill { id: String },
    /// Schedules a prompt that the agent will get later.
    Schedule { prompt: String },
    /// Runs a script that may have called any tool: what it did is not known.
    Script { code: String },
    /// Any other tool.
    Other {
        name: String,
        /// Its input, flattened.
        input: String,
    },
}

/// An item of a to-do list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    pub text: String,
    pub status: TaskStatus,
}

/// A task as the client lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskState {
    pub id: String,
    pub subject: String,
    pub status: TaskStatus,
}

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskStatus {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// The agent says it is finished.
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
    /// Tokens that the model can take, where the row tells which model was asked.
    pub window: Option<u64>,
}
