//! Entries → items: what is kept of a transcript for searching.
//!
//! An item is one thing said or done. A call is one with its answer, so that a search finds the command by what it
//! printed, and both by words of either. Where the answer comes in a later pass than the call, it is handed on as an
//! [`Answered`], so that any split of a transcript gives the same items.
//!
//! Left out on purpose: the content of files that were only read (the path is kept; the file is on disk, and the
//! transcript has what was seen of it), what hooks put in (our own briefs would find themselves), usage and reminders.

use std::collections::HashMap;

use super::pack::SEPARATOR;
use crate::model::entry::{Entry, Extra, Part, Place, TaskStatus, Thread, Todo, Tool};
use crate::model::note::{Author, Note, StateKey};
use crate::text::cut::{first_chars, shortened};
use crate::text::escape;
use crate::text::foreign::Foreign;
use crate::text::hash::fnv1a;

/// Longest answer, change or order that is kept; its middle goes. An entry has no more of one; a quarter of it would
/// save a sixth of the file (docs/store.md).
const MAX_ITEM_BYTES: usize = 16 * 1024;
/// Longest text of a person, an agent or a summary.
const LONG_WORDS: usize = 16 * 1024;
/// Longest title of a session.
const LONG_TITLE: usize = 200;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// The person's words.
    Prompt = 1,
    /// The agent's words.
    Said = 2,
    /// A command, with what it printed.
    Command = 3,
    /// A file read, changed or written.
    File = 4,
    /// Any other tool, with its answer.
    Tool = 5,
    /// Tasks made or changed.
    Task = 6,
    /// A question with the person's answer, a plan, a call they refused.
    Decision = 7,
    /// The summary that replaced a context.
    Summary = 8,
    /// A line that somebody wrote down.
    Note = 9,
    /// A context was replaced; has no words.
    Boundary = 10,
}

impl ItemKind {
    /// All of them.
    pub const ALL: [ItemKind; 10] = [
        ItemKind::Prompt,
        ItemKind::Said,
        ItemKind::Command,
        ItemKind::File,
        ItemKind::Tool,
        ItemKind::Task,
        ItemKind::Decision,
        ItemKind::Summary,
        ItemKind::Note,
        ItemKind::Boundary,
    ];

    /// As it is called in output.
    pub fn noun(self) -> &'static str {
        match self {
            ItemKind::Prompt => "prompt",
            ItemKind::Said => "agent",
            ItemKind::Command => "command",
            ItemKind::File => "file",
            ItemKind::Tool => "tool",
            ItemKind::Task => "task",
            ItemKind::Decision => "decision",
            ItemKind::Summary => "summary",
            ItemKind::Note => "note",
            ItemKind::Boundary => "compaction",
        }
    }

    /// The kind of that number.
    pub fn of(number: i64) -> Option<ItemKind> {
        ItemKind::ALL.into_iter().find(|kind| *kind as i64 == number)
    }
}

/// One thing said or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryItem {
    /// Its line, the call's where it is one.
    pub place: Place,
    /// Which of the line's items.
    pub part: u32,
    /// The line of the answer.
    pub until: Option<Place>,
    /// What it is.
    pub kind: ItemKind,
    /// The call failed.
    pub failed: bool,
    /// A subagent's, in the file of the main conversation.
    pub sub: bool,
    /// Who wrote a note, where that was recorded.
    pub author: Option<Author>,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// What it is about: a command, a path, a question; empty for words.
    pub title: String,
    /// What was said or answered.
    pub body: String,
    /// The call whose answer has not come.
    pub call: Option<u64>,
}

/// An answer to a call of an earlier pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The call.
    pub call: u64,
    /// The line of the answer.
    pub place: Place,
    /// It failed.
    pub failed: bool,
    /// The person refused it.
    pub refused: bool,
    /// What was answered.
    pub text: String,
}

/// What a stretch of a transcript adds to what is listed of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranscriptTotals {
    /// The folder it began in.
    pub project: Option<String>,
    /// The first request.
    pub title: Option<String>,
    /// Time of its first row.
    pub first_at: Option<i64>,
    /// Time of its latest row.
    pub last_at: Option<i64>,
    /// Prompts.
    pub prompts: u32,
    /// Tool calls.
    pub calls: u32,
    /// Compactions.
    pub compactions: u32,
    /// Tasks that are not done: a new list, where there was one, and what changed since.
    pub tasks: (Option<u32>, i32),
    /// How it stands at its end.
    pub turn: TranscriptEnd,
}

/// How a transcript stands at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TranscriptEnd {
    /// The agent has ended its turn.
    pub waiting: bool,
    /// The person has stopped it.
    pub interrupted: bool,
    /// A boundary stands without its summary.
    pub boundary: bool,
}

/// Makes items of entries.
#[derive(Default)]
pub struct Reader {
    /// What was made.
    pub items: Vec<HistoryItem>,
    /// Answers to calls that are not among them.
    pub answers: Vec<Answered>,
    /// What is listed.
    pub tally: TranscriptTotals,
    pending: HashMap<u64, usize>,
}

impl Reader {
    /// Goes on from a state.
    pub fn from(turn: TranscriptEnd) -> Reader {
        Reader { tally: TranscriptTotals { turn, ..TranscriptTotals::default() }, ..Reader::default() }
    }

    /// Takes in one entry.
    pub fn take(&mut self, entry: &Entry) {
        let tally = &mut self.tally;
        tally.first_at = tally.first_at.or(entry.time);
        tally.last_at = tally.last_at.max(entry.time);
        if tally.project.is_none() {
            tally.project = entry.cwd.as_deref().map(str::to_owned);
        }
        let mut at = At { entry, part: 0 };
        let asks = entry.parts.iter().any(|part| matches!(part, Part::Prompt { .. }));
        for part in &entry.parts {
            self.take_part(&mut at, part, asks);
        }
    }

    fn take_part(&mut self, at: &mut At, part: &Part, asks: bool) {
        match part {
            Part::Prompt { text, .. } => {
                self.asked(text);
                self.items.push(at.item(at.prompt(), "", &shortened(text, LONG_WORDS)));
            }
            // The person's or the model's; if the person's, it comes again as a prompt.
            Part::Queued(text) => {
                self.items.push(at.item(ItemKind::Tool, "queued", &shortened(text, LONG_WORDS)));
            }
            Part::Slash { name, args, .. } if !asks => {
                self.items.push(at.item(at.prompt(), "", format!("{name} {args}").trim_end()));
            }
            Part::Typed(command) => self.items.push(at.item(ItemKind::Command, command, "")),
            Part::Beside(text) | Part::Delivered { text, .. } => {
                self.items.push(at.item(ItemKind::Tool, "", &shortened(text, MAX_ITEM_BYTES)));
            }
            Part::Text(text) => self.items.push(at.item(ItemKind::Said, "", &shortened(text, LONG_WORDS))),
            Part::Call { id, tool } => self.called(at, id, tool),
            Part::Result { call, ok, text, extra } => self.answered(at, call, *ok, text, extra),
            Part::Compaction { .. } => {
                self.tally.compactions += 1;
                self.tally.turn.boundary = true;
                self.items.push(at.item(ItemKind::Boundary, "", ""));
            }
            Part::Summary(text) => {
                // Older versions write no boundary.
                self.tally.compactions += u32::from(!self.tally.turn.boundary);
                self.tally.turn.boundary = false;
                self.items.push(at.item(ItemKind::Summary, "", &shortened(text, LONG_WORDS)));
            }
            Part::TurnEnd => self.tally.turn.waiting = true,
            Part::Interrupted => (self.tally.turn.waiting, self.tally.turn.interrupted) = (true, true),
            Part::Slash { .. }
            | Part::Unqueued
            | Part::Steered
            | Part::Finished { .. }
            | Part::Report { .. }
            | Part::Tasks { .. }
            | Part::Usage(_)
            | Part::Window(_)
            | Part::Model(_)
            | Part::Message(_)
            | Part::Mode(_)
            | Part::Reattached(_)
            | Part::Kept(_)
            | Part::Injected { .. } => {}
        }
    }

    fn asked(&mut self, text: &str) {
        self.tally.prompts += 1;
        self.goes_on();
        if self.tally.title.is_none() {
            let words: Vec<&str> = text.split_whitespace().take(LONG_TITLE).collect();
            self.tally.title = Some(first_chars(&words.join(" "), LONG_TITLE).to_owned());
        }
    }

    fn goes_on(&mut self) {
        (self.tally.turn.waiting, self.tally.turn.interrupted) = (false, false);
    }

    fn called(&mut self, at: &mut At, id: &str, tool: &Tool) {
        self.tally.calls += 1;
        self.goes_on();
        note_tasks(&mut self.tally.tasks, tool);
        let (kind, title, body) = described(tool);
        let call = fnv1a(id.as_bytes());
        self.pending.insert(call, self.items.len());
        self.items.push(HistoryItem { call: Some(call), ..at.item(kind, &title, &body) });
    }

    fn answered(&mut self, at: &mut At, call: &str, ok: bool, text: &str, extra: &Extra) {
        let refused = extra.refused.is_some();
        let text = match (&extra.refused, &extra.answers[..]) {
            (Some(reason), _) => reason.clone(),
            (None, []) => shortened(escape::without(text), MAX_ITEM_BYTES),
            (None, answers) => {
                let lines = answers.iter().map(|(question, answer)| {
                    format!("{}\n→ {answer}", Foreign::new(question.as_str()).quoted(MAX_ITEM_BYTES))
                });
                lines.collect::<Vec<_>>().join("\n")
            }
        };
        let call = fnv1a(call.as_bytes());
        let answer = Answered { call, place: at.entry.place, failed: !ok && !refused, refused, text };
        match self.pending.remove(&call) {
            Some(at) => self.items[at].answer(&answer),
            None => self.answers.push(answer),
        }
    }
}

impl HistoryItem {
    /// Takes in the answer to the call.
    pub fn answer(&mut self, answer: &Answered) {
        self.call = None;
        self.until = Some(answer.place);
        self.failed = answer.failed;
        if answer.refused {
            // A tool that somebody else wrote words its own failures: they are not the person's.
            if self.kind != ItemKind::Tool {
                self.kind = ItemKind::Decision;
            }
            self.title = format!("refused: {}", self.title);
        }
        let told = match self.kind {
            // What a file holds, and that a change or a list was taken, is not worth its space.
            ItemKind::File | ItemKind::Task => answer.failed,
            _ => true,
        };
        if told && !answer.text.trim().is_empty() {
            if !self.body.is_empty() {
                self.body.push('\n');
            }
            self.body.push_str(answer.text.trim_end());
        }
    }

    /// A call of our own search or recall, by tool or by command.
    pub fn is_own_lookup(&self) -> bool {
        let names = |text: &str| ["search", "recall"].iter().any(|verb| text.starts_with(verb));
        match self.kind {
            ItemKind::Tool => self.title.rsplit_once("catchword__").is_some_and(|(_, tool)| names(tool)),
            ItemKind::Command => self.title.trim_start().strip_prefix("catchword ").is_some_and(names),
            _ => false,
        }
    }

    /// What it says in one line.
    pub fn line(&self) -> &str {
        let text = if self.title.is_empty() { &self.body } else { &self.title };
        text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim()
    }
}

/// A note as an item, at the place where the conversation was when it was written.
pub(super) fn of_note(place: Place, part: u32, note: &Note) -> HistoryItem {
    HistoryItem {
        place,
        part,
        until: None,
        kind: ItemKind::Note,
        failed: false,
        sub: false,
        author: Some(note.author),
        at: Some(note.at),
        title: note.state.map(StateKey::name).unwrap_or_default().to_owned(),
        body: note.text.replace(SEPARATOR, " "),
        call: None,
    }
}

/// Numbers the items of a row.
struct At<'a> {
    entry: &'a Entry,
    part: u32,
}

impl At<'_> {
    /// What a request is: an order for a subagent is the agent's words.
    fn prompt(&self) -> ItemKind {
        if self.entry.thread == Thread::Sub { ItemKind::Said } else { ItemKind::Prompt }
    }

    fn item(&mut self, kind: ItemKind, title: &str, body: &str) -> HistoryItem {
        let part = self.part;
        self.part += 1;
        HistoryItem {
            place: self.entry.place,
            part,
            until: None,
            kind,
            failed: false,
            sub: self.entry.thread == Thread::Sub,
            author: None,
            at: self.entry.time,
            title: shortened(escape::without(title), MAX_ITEM_BYTES).replace(SEPARATOR, " "),
            body: escape::without(body).into_owned(),
            call: None,
        }
    }
}

/// Kind, title and body of a call.
fn described(tool: &Tool) -> (ItemKind, String, String) {
    let none = String::new;
    match tool {
        Tool::Shell { command, .. } => (ItemKind::Command, command.clone(), none()),
        Tool::Read { path } => (ItemKind::File, path.clone(), none()),
        Tool::Delete { path } => (ItemKind::File, path.clone(), "deleted".to_owned()),
        Tool::Edit { path, change, .. } => (ItemKind::File, path.clone(), shortened(change, MAX_ITEM_BYTES)),
        Tool::Write { path, content } => (ItemKind::File, path.clone(), shortened(content, MAX_ITEM_BYTES)),
        Tool::Search { pattern, path, .. } => {
            (ItemKind::Tool, format!("search {pattern} {}", path.as_deref().unwrap_or_default()), none())
        }
        Tool::Todos(todos) => (ItemKind::Task, none(), listed(todos)),
        Tool::TaskCreate { subject } => (ItemKind::Task, subject.clone(), none()),
        Tool::TaskUpdate { task, status, subject } => {
            let status = status.map(word).unwrap_or_default();
            let subject = subject.as_deref().unwrap_or_default();
            (ItemKind::Task, format!("#{task} {status} {subject}").trim_end().to_owned(), none())
        }
        Tool::Ask { questions } => (ItemKind::Decision, questions.join("\n"), none()),
        Tool::Plan { text, .. } => (ItemKind::Decision, "plan".to_owned(), shortened(text, LONG_WORDS)),
        Tool::Agent { description, prompt } => {
            (ItemKind::Tool, format!("subagent: {description}"), shortened(prompt, MAX_ITEM_BYTES))
        }
        Tool::Skill { name, args } => (ItemKind::Tool, format!("skill {name} {args}"), none()),
        Tool::Kill { id } => (ItemKind::Tool, format!("stop {id}"), none()),
        Tool::Schedule { prompt } => {
            (ItemKind::Tool, "scheduled".to_owned(), shortened(prompt, MAX_ITEM_BYTES))
        }
        Tool::Other { name, input } => (ItemKind::Tool, name.clone(), shortened(input, MAX_ITEM_BYTES)),
    }
}

fn listed(todos: &[Todo]) -> String {
    let lines = todos.iter().map(|todo| format!("[{}] {}", word(todo.status), todo.text));
    lines.collect::<Vec<_>>().join("\n")
}

fn word(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "completed",
        TaskStatus::Deleted => "deleted",
    }
}

/// How many tasks are open after this call.
fn note_tasks(tasks: &mut (Option<u32>, i32), tool: &Tool) {
    let is_done = |status: TaskStatus| matches!(status, TaskStatus::Completed | TaskStatus::Deleted);
    match tool {
        Tool::Todos(todos) => {
            *tasks = (Some(todos.iter().filter(|todo| !is_done(todo.status)).count() as u32), 0);
        }
        Tool::TaskCreate { .. } => tasks.1 += 1,
        Tool::TaskUpdate { status: Some(status), .. } if is_done(*status) => tasks.1 -= 1,
        _ => {}
    }
}
