//! A piece of a transcript: one thing said or done, its kind, and the words for that kind.

use crate::archive::history::item::{HistoryItem, ItemKind};
use crate::model::entry::{Entry, Part, Place, TaskStatus, Thread, Tool};
use crate::model::note::Author;
use crate::text::numbers::grouped;

/// One thing said or done, with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecalledPiece {
    pub place: Place,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// Who said it, or what was done.
    pub kind: PieceKind,
    /// From a subagent, in the file of the main conversation.
    pub by_subagent: bool,
    /// A command or a path; empty for words.
    pub title: String,
    /// The words, the change, the order.
    pub text: String,
    /// The answer, if there is one.
    pub answer: Option<PieceAnswer>,
}

/// A tool's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceAnswer {
    pub place: Place,
    pub ok: bool,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// The user's words.
    User,
    /// The user's words, typed while the agent worked.
    Queued,
    /// A shell command that the user typed.
    UserShell,
    /// Text beside a tool's answer, of unknown origin.
    BesideAnswer,
    /// A message from another agent.
    Delivered,
    /// The agent's words.
    Agent,
    /// A command.
    Command,
    /// A command left running in the background.
    BackgroundCommand,
    /// The end of a background command or subagent.
    BackgroundEnd,
    Read,
    Edit,
    Write,
    /// A file read, changed or written: the history does not record which.
    File,
    Search,
    /// A list of tasks.
    Tasks,
    NewTask,
    Task,
    /// A question to the user.
    Question,
    /// A plan for the user to approve.
    Plan,
    /// What the user answered, approved or refused, as the history has it.
    Decision,
    /// A subagent started.
    Subagent,
    /// A skill invoked.
    Skill,
    /// A background job stopped.
    Stop,
    Tool,
    /// A context was replaced.
    Compaction,
    /// The summary that replaced it.
    Summary,
    /// Text that a hook injected.
    GivenByHook,
    /// Our brief, from the store.
    GivenBack,
    /// Our late findings, from the store.
    ToldLater,
    UserNote,
    AgentNote,
    /// A note of unknown author.
    Note,
    /// Text that the client injected.
    Context,
    /// Rows for the client's own use.
    Bookkeeping,
}

impl PieceKind {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            PieceKind::User => "user",
            PieceKind::Queued => "queued, origin unknown",
            PieceKind::UserShell => "user's shell",
            PieceKind::BesideAnswer => "beside a tool's answer",
            PieceKind::Delivered => "from another agent",
            PieceKind::Agent => "agent",
            PieceKind::Command => "command",
            PieceKind::BackgroundCommand => "command, in the background",
            PieceKind::BackgroundEnd => "finished in the background",
            PieceKind::Read => "read",
            PieceKind::Edit => "edit",
            PieceKind::Write => "write",
            PieceKind::File => "file",
            PieceKind::Search => "search",
            PieceKind::Tasks => "tasks",
            PieceKind::NewTask => "new task",
            PieceKind::Task => "task",
            PieceKind::Question => "question",
            PieceKind::Plan => "plan",
            PieceKind::Decision => "decision",
            PieceKind::Subagent => "subagent",
            PieceKind::Skill => "skill",
            PieceKind::Stop => "stop",
            PieceKind::Tool => "tool",
            PieceKind::Compaction => "compaction",
            PieceKind::Summary => "summary",
            PieceKind::GivenByHook => "given by a hook",
            PieceKind::GivenBack => "given back",
            PieceKind::ToldLater => "told later",
            PieceKind::UserNote => "user's note",
            PieceKind::AgentNote => "agent's note",
            PieceKind::Note => "note",
            PieceKind::Context => "context",
            PieceKind::Bookkeeping => "bookkeeping",
        }
    }

    /// For a model: says whose words or action it is.
    fn for_model(self) -> String {
        let words = self.words();
        match self {
            PieceKind::User => "the user said".to_owned(),
            PieceKind::Queued => "in the queue, by nobody known".to_owned(),
            PieceKind::UserShell => "the user ran".to_owned(),
            PieceKind::BesideAnswer => "beside tool output, by nobody known".to_owned(),
            PieceKind::Delivered => "another agent sent".to_owned(),
            PieceKind::Agent => "the agent said".to_owned(),
            PieceKind::Command => "the agent ran".to_owned(),
            PieceKind::BackgroundCommand => "the agent ran, in the background".to_owned(),
            PieceKind::Read | PieceKind::Edit | PieceKind::Write | PieceKind::Search => {
                format!("the agent's {words}")
            }
            PieceKind::Summary => "the summary, written by a model".to_owned(),
            PieceKind::GivenByHook => "put into the context by a hook".to_owned(),
            PieceKind::GivenBack | PieceKind::ToldLater => format!("{words} by catchword"),
            PieceKind::UserNote => "a note of the user's".to_owned(),
            PieceKind::AgentNote => "a note of the agent's own".to_owned(),
            PieceKind::Note => "a note, of the user's or the agent's".to_owned(),
            PieceKind::Context | PieceKind::Bookkeeping | PieceKind::Compaction => {
                format!("the client: {words}")
            }
            _ => format!("the agent: {words}"),
        }
    }

    /// Injected at a compaction, by us or by another tool's hook.
    pub fn is_given(self) -> bool {
        matches!(self, PieceKind::GivenByHook | PieceKind::GivenBack | PieceKind::ToldLater)
    }

    /// How much a piece says about what a compaction dropped: the user's words most, then changes and commands.
    pub(super) fn rank(self) -> u8 {
        match self {
            PieceKind::User | PieceKind::Question | PieceKind::Plan => 0,
            PieceKind::Edit | PieceKind::Write | PieceKind::Task | PieceKind::NewTask => 1,
            PieceKind::Command => 2,
            PieceKind::Agent => 3,
            _ => 4,
        }
    }

    fn of_item(item: &HistoryItem) -> PieceKind {
        match (item.kind, item.author) {
            (ItemKind::Prompt, _) => PieceKind::User,
            (ItemKind::Said, _) => PieceKind::Agent,
            (ItemKind::Command, _) => PieceKind::Command,
            (ItemKind::File, _) => PieceKind::File,
            (ItemKind::Tool, _) => PieceKind::Tool,
            (ItemKind::Task, _) => PieceKind::Task,
            (ItemKind::Decision, _) => PieceKind::Decision,
            (ItemKind::Summary, _) => PieceKind::Summary,
            (ItemKind::Boundary, _) => PieceKind::Compaction,
            (ItemKind::Note, Some(Author::Person)) => PieceKind::UserNote,
            (ItemKind::Note, Some(Author::Agent)) => PieceKind::AgentNote,
            (ItemKind::Note, None) => PieceKind::Note,
        }
    }
}

impl RecalledPiece {
    /// Its kind, for people.
    pub fn label(&self) -> String {
        let sub = if self.by_subagent { "subagent's " } else { "" };
        format!("{sub}{}", self.kind.words())
    }

    /// Its kind, for a model.
    pub fn label_for_model(&self) -> String {
        if self.by_subagent { format!("a subagent: {}", self.kind.words()) } else { self.kind.for_model() }
    }

    /// A piece of the main conversation with only a text.
    pub(super) fn bare(place: Place, at: Option<i64>, kind: PieceKind, text: String) -> RecalledPiece {
        RecalledPiece { place, at, kind, by_subagent: false, title: String::new(), text, answer: None }
    }

    pub(super) fn new(entry: &Entry, kind: PieceKind, title: &str, text: &str) -> RecalledPiece {
        RecalledPiece {
            by_subagent: entry.thread == Thread::Sub,
            title: title.to_owned(),
            ..RecalledPiece::bare(entry.place, entry.time, kind, text.to_owned())
        }
    }

    /// What was said, or what the client did; not calls and their answers.
    pub(super) fn said(entry: &Entry, part: &Part) -> Option<RecalledPiece> {
        let (kind, title, text) = match part {
            // Another agent gives a subagent its orders.
            Part::Prompt { text, .. } if entry.thread == Thread::Sub => {
                (PieceKind::Delivered, "", text.as_str())
            }
            Part::Prompt { text, .. } => (PieceKind::User, "", text.as_str()),
            Part::Queued(text) => (PieceKind::Queued, "", text.as_str()),
            Part::Beside(text) => (PieceKind::BesideAnswer, "", text.as_str()),
            Part::Delivered { text, .. } => (PieceKind::Delivered, "", text.as_str()),
            // A command with arguments is a prompt, too.
            Part::Slash { .. } if entry.parts.iter().any(is_prompt) => return None,
            Part::Slash { name, args, .. } => (PieceKind::User, name.as_str(), args.as_str()),
            Part::Typed(command) => (PieceKind::UserShell, command.as_str(), ""),
            Part::Interrupted => (PieceKind::User, "stopped the agent", ""),
            Part::Text(text) => (PieceKind::Agent, "", text.as_str()),
            Part::Compaction { manual, before, after, .. } => {
                let how = if *manual { "manual" } else { "automatic" };
                let tokens = match (before, after) {
                    (Some(before), Some(after)) => {
                        format!(", {} → {} tokens", grouped(*before), grouped(*after))
                    }
                    (Some(before), None) => format!(", from {} tokens", grouped(*before)),
                    (None, _) => String::new(),
                };
                let title = format!("{how}{tokens}");
                return Some(RecalledPiece::new(entry, PieceKind::Compaction, &title, ""));
            }
            Part::Summary(text) => (PieceKind::Summary, "", text.as_str()),
            Part::Injected { event, text } => (PieceKind::GivenByHook, event.as_str(), text.as_str()),
            Part::Finished { id, .. } => (PieceKind::BackgroundEnd, id.as_str(), ""),
            _ => return None,
        };
        Some(RecalledPiece::new(entry, kind, title, text))
    }

    /// A call, without its answer.
    pub(super) fn called(entry: &Entry, tool: &Tool) -> RecalledPiece {
        let (kind, title, text) = match tool {
            Tool::Shell { command, background: true } => {
                (PieceKind::BackgroundCommand, command.as_str(), String::new())
            }
            Tool::Shell { command, background: false } => {
                (PieceKind::Command, command.as_str(), String::new())
            }
            Tool::Read { path } => (PieceKind::Read, path.as_str(), String::new()),
            Tool::Delete { path } => (PieceKind::Edit, path.as_str(), "deleted".to_owned()),
            Tool::Edit { path, change, .. } => (PieceKind::Edit, path.as_str(), change.clone()),
            Tool::Write { path, content } => (PieceKind::Write, path.as_str(), content.clone()),
            Tool::Search { pattern, path, .. } => {
                let folder = path.as_ref().map(|path| format!("in {path}")).unwrap_or_default();
                (PieceKind::Search, pattern.as_str(), folder)
            }
            Tool::Todos(todos) => {
                let lines = todos.iter().map(|todo| format!("[{}] {}", word(todo.status), todo.text));
                (PieceKind::Tasks, "", lines.collect::<Vec<_>>().join("\n"))
            }
            Tool::TaskCreate { subject, .. } => (PieceKind::NewTask, subject.as_str(), String::new()),
            Tool::TaskUpdate { task, status, subject } => {
                let status = status.map(word).unwrap_or_default();
                let title = format!("#{task} {status} {}", subject.as_deref().unwrap_or_default());
                return RecalledPiece::new(entry, PieceKind::Task, title.trim_end(), "");
            }
            Tool::Ask { questions } => (PieceKind::Question, "", questions.join("\n")),
            Tool::Plan { text, .. } => (PieceKind::Plan, "", text.clone()),
            Tool::Agent { description, prompt } => {
                (PieceKind::Subagent, description.as_str(), prompt.clone())
            }
            Tool::Skill { name, args } => (PieceKind::Skill, name.as_str(), args.clone()),
            Tool::Kill { id } => (PieceKind::Stop, id.as_str(), String::new()),
            Tool::Schedule { prompt } => (PieceKind::Tool, "schedule", prompt.clone()),
            Tool::Script { code } => (PieceKind::Tool, "script", code.clone()),
            Tool::Other { name, input } => (PieceKind::Tool, name.as_str(), input.clone()),
        };
        RecalledPiece::new(entry, kind, title, &text)
    }

    /// What the history stored of it.
    pub fn from_item(item: HistoryItem) -> RecalledPiece {
        let kind = PieceKind::of_item(&item);
        let answered = item.until.filter(|_| matches!(item.kind, ItemKind::Command | ItemKind::Tool));
        let (text, answer) = match answered {
            Some(place) => (String::new(), Some(PieceAnswer { place, ok: !item.failed, text: item.body })),
            // What hooks recorded of it is not its words: `lost` has it.
            None if item.kind == ItemKind::Boundary => (String::new(), None),
            None => (item.body, None),
        };
        RecalledPiece { title: item.title, answer, ..RecalledPiece::bare(item.place, item.at, kind, text) }
    }
}

fn is_prompt(part: &Part) -> bool {
    matches!(part, Part::Prompt { .. })
}

/// A task's status in words.
pub(in crate::ops) fn word(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "completed",
        TaskStatus::Deleted => "deleted",
    }
}
