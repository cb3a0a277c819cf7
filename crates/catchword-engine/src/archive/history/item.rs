//! Entries → items: what is stored of a transcript for searching.
//!
//! An item is one thing said or done. A call and its answer are one item, so that a search finds a command by its
//! output and words may come from both. If the answer arrives in a later pass than the call, it is passed on as an
//! [`Answered`], so that any split of a transcript gives the same items.
//!
//! Left out on purpose: the content of files that were only read (the path is kept; the file is on disk, and the
//! transcript has what was seen), what hooks injected (searches would find our own briefs), usage and reminders.

use std::collections::HashMap;

use super::pack::SEPARATOR;
use crate::fixes::DeedKind;
use crate::model::entry::{Entry, Extra, Part, Place, TaskStatus, Thread, Todo, Tool};
use crate::model::note::{Author, Note, StateKey};
use crate::model::origin::Origin;
use crate::quote::foreign::Foreign;
use crate::session::compactions::{self, CompactionCounter, CompactionRow};
use crate::text::cut::{first_chars, shortened};
use crate::text::escape;
use crate::text::hash::fnv1a;

/// Longest answer, change or order stored; its middle is cut. Entries contain no longer ones; a quarter of this would
/// save a sixth of the file (docs/store.md).
pub const MAX_ITEM_BYTES: usize = 16 * 1024;
/// Longest text of a person, an agent or a summary.
const LONG_WORDS: usize = 16 * 1024;
/// Longest title of a session.
const LONG_TITLE: usize = 200;
/// Labels of ours at the start of a title.
const REFUSED: &str = "refused: ";
const SUBAGENT: &str = "subagent: ";
const SEARCHED: &str = "search ";
const SKILL: &str = "skill ";
const STOPPED: &str = "stop ";
/// Labels that are the whole title.
const QUEUED: &str = "queued";
const SCHEDULED: &str = "scheduled";
const PLAN: &str = "plan";
const SCRIPT: &str = "script";
/// The body of a file that was removed.
const DELETED: &str = "deleted";

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
    /// A question with the person's answer, a plan they approved or rejected, a call they refused.
    Decision = 7,
    /// The summary that replaced a context.
    Summary = 8,
    /// A line that somebody wrote down.
    Note = 9,
    /// A context was replaced. Its text is what hooks recorded of it ([`super::compactions`]); nothing to search.
    Boundary = 10,
}

impl ItemKind {
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

    /// Its name in output.
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

    /// The kind with this number.
    pub fn of(number: i64) -> Option<ItemKind> {
        ItemKind::ALL.into_iter().find(|kind| *kind as i64 == number)
    }
}

/// One thing said or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryItem {
    /// Its line, or that of the call.
    pub place: Place,
    /// Its index among the line's items.
    pub part: u32,
    /// The line of the answer.
    pub until: Option<Place>,
    pub kind: ItemKind,
    pub failed: bool,
    /// From a subagent, in the file of the main conversation.
    pub sub: bool,
    /// Who wrote a note, and whether a person typed a prompt, if recorded.
    pub author: Option<Author>,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// A command, a path or a question; empty for words.
    pub title: String,
    /// What was said or answered.
    pub body: String,
    /// The id of the call if its answer has not arrived.
    pub call: Option<u64>,
}

/// The bits of an item, here and in a shared archive.
pub(super) const FAILED: i64 = 1;
const SUB: i64 = 2;
const BY_PERSON: i64 = 4;
const BY_AGENT: i64 = 8;

impl HistoryItem {
    /// Failure, subagent and author as bits.
    pub fn flags(&self) -> i64 {
        let author = match self.author {
            Some(Author::Person) => BY_PERSON,
            Some(Author::Agent) => BY_AGENT,
            None => 0,
        };
        (if self.failed { FAILED } else { 0 }) | (if self.sub { SUB } else { 0 }) | author
    }

    /// The item with what its bits say.
    #[must_use]
    pub fn with_flags(self, flags: i64) -> HistoryItem {
        let author = match flags & (BY_PERSON | BY_AGENT) {
            BY_PERSON => Some(Author::Person),
            BY_AGENT => Some(Author::Agent),
            _ => None,
        };
        HistoryItem { failed: flags & FAILED != 0, sub: flags & SUB != 0, author, ..self }
    }
}

/// An answer to a call of an earlier pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub struct Answered {
    pub call: u64,
    pub place: Place,
    pub failed: bool,
    /// The person refused the call.
    pub refused: bool,
    /// Nobody has decided about the plan yet.
    pub undecided: bool,
    /// It does not say how the call ended.
    pub is_untold: bool,
    pub text: String,
}

/// What part of a transcript adds to its row in listings.
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
    /// The state of their counting at the end.
    pub counter: CompactionCounter,
    /// Unfinished tasks: the count of a new list, if there was one, and the change since.
    pub tasks: (Option<u32>, i32),
    pub turn: TranscriptEnd,
}

/// The state at the end of a transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TranscriptEnd {
    /// The agent has ended its turn.
    pub waiting: bool,
    /// The person has stopped it.
    pub interrupted: bool,
    /// Its last words came after its last call: if nothing follows, its turn is over.
    pub spoke: bool,
}

/// Turns entries into items.
#[derive(Default)]
pub struct ItemReader {
    pub items: Vec<HistoryItem>,
    /// Answers to calls of earlier passes.
    pub answers: Vec<Answered>,
    pub tally: TranscriptTotals,
    pending: HashMap<u64, usize>,
}

impl ItemReader {
    /// Continues from a state.
    pub fn from(turn: TranscriptEnd, counter: CompactionCounter) -> ItemReader {
        ItemReader {
            tally: TranscriptTotals { counter, turn, ..TranscriptTotals::default() },
            ..ItemReader::default()
        }
    }

    /// Adds one entry.
    pub fn take(&mut self, entry: &Entry) {
        let tally = &mut self.tally;
        tally.first_at = tally.first_at.or(entry.time);
        tally.last_at = tally.last_at.max(entry.time);
        if tally.project.is_none() {
            tally.project = entry.cwd.as_deref().map(str::to_owned);
        }
        let is_summary = tally.counter.is_in_place_of_summary(entry);
        let row = tally.counter.take(entry);
        tally.compactions += u32::from(row == CompactionRow::Begins);
        if row == CompactionRow::Repeated {
            return;
        }
        let mut at = At { entry, part: 0 };
        let asks = entry.parts.iter().any(|part| matches!(part, Part::Prompt { .. }));
        for part in &entry.parts {
            let in_place = is_summary.then(|| compactions::in_place_of_summary(part)).flatten();
            self.take_part(&mut at, in_place.as_ref().unwrap_or(part), asks);
        }
    }

    fn take_part(&mut self, at: &mut At, part: &Part, asks: bool) {
        match part {
            Part::Prompt { text, origin, .. } => {
                self.asked(text);
                let is_theirs = *origin == Origin::Typed && at.entry.thread == Thread::Main;
                let author = is_theirs.then_some(Author::Person);
                let said = at.item(at.prompt(), "", &shortened(text, LONG_WORDS));
                self.items.push(HistoryItem { author, ..said });
            }
            // The person's or the model's; the person's comes again as a prompt.
            Part::Queued(text) => {
                self.items.push(at.item(ItemKind::Tool, QUEUED, &shortened(text, LONG_WORDS)));
            }
            Part::Slash { name, args, .. } if !asks => {
                self.items.push(at.item(at.prompt(), "", format!("{name} {args}").trim_end()));
            }
            Part::Typed(command) => self.items.push(at.item(ItemKind::Command, command, "")),
            Part::Beside(text) | Part::Delivered { text, .. } => {
                self.items.push(at.item(ItemKind::Tool, "", &shortened(text, MAX_ITEM_BYTES)));
            }
            Part::Text(text) => {
                self.tally.turn.spoke = true;
                self.items.push(at.item(ItemKind::Said, "", &shortened(text, LONG_WORDS)));
            }
            Part::Call { id, tool } => self.called(at, id, tool),
            Part::Result { call, ok, text, extra } => self.answered(at, call, *ok, text, extra),
            Part::Compaction { .. } => self.items.push(at.item(ItemKind::Boundary, "", "")),
            Part::Summary(text) => {
                self.items.push(at.item(ItemKind::Summary, "", &shortened(text, LONG_WORDS)));
            }
            Part::TurnEnd => self.tally.turn.waiting = true,
            Part::Interrupted => (self.tally.turn.waiting, self.tally.turn.interrupted) = (true, true),
            Part::Slash { .. }
            | Part::Approved
            | Part::RolledBack(_)
            | Part::Unqueued
            | Part::Steered
            | Part::Finished { .. }
            | Part::Report { .. }
            | Part::ScriptEnd { .. }
            | Part::Tasks { .. }
            | Part::Usage(_)
            | Part::Window(_)
            | Part::Model(_)
            | Part::Message(_)
            | Part::Mode(_)
            | Part::Reattached(_)
            | Part::Kept(_)
            | Part::OpaqueSummary
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
        self.tally.turn = TranscriptEnd::default();
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
        let (failed, undecided) = (!ok && !refused, extra.undecided);
        let (place, is_untold) = (at.entry.place, extra.is_untold || extra.unended);
        let answer = Answered { call, place, failed, refused, undecided, is_untold, text };
        match self.pending.remove(&call) {
            Some(at) => self.items[at].answer(&answer),
            None => self.answers.push(answer),
        }
    }
}

impl HistoryItem {
    /// Adds the answer to the call.
    pub fn answer(&mut self, answer: &Answered) {
        self.call = None;
        self.until = Some(answer.place).filter(|_| !answer.is_untold);
        self.failed = answer.failed;
        if answer.refused {
            // Other tools word their own failures: those are not refusals by the person.
            if self.kind != ItemKind::Tool {
                // What a file would have become is not the person's text.
                if self.kind == ItemKind::File {
                    self.body.clear();
                }
                self.kind = ItemKind::Decision;
            }
            self.title = format!("{REFUSED}{}", self.title);
        } else if self.kind == ItemKind::Said && !answer.failed && !answer.undecided {
            // Of what the agent says, only a plan has an answer.
            self.kind = ItemKind::Decision;
        }
        let told = match self.kind {
            // File contents, and confirmations of a change or a list, are not worth their space.
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

    /// The title without a label of ours: nobody said it, so nobody looks for it.
    pub fn searched_title(&self) -> &str {
        let (labels, whole): (&[&str], &[&str]) = match self.kind {
            ItemKind::Tool => (&[REFUSED, SUBAGENT, SEARCHED, SKILL, STOPPED], &[QUEUED, SCHEDULED]),
            ItemKind::Decision | ItemKind::Said => (&[REFUSED], &[PLAN]),
            _ => return &self.title,
        };
        let title = labels.iter().find_map(|label| self.title.strip_prefix(label)).unwrap_or(&self.title);
        if whole.contains(&title) { "" } else { title }
    }

    /// A call of our own search or recall, as a tool or a command.
    pub fn is_own_lookup(&self) -> bool {
        let names = |text: &str| ["search", "recall"].iter().any(|verb| text.starts_with(verb));
        match self.kind {
            ItemKind::Tool => self.title.rsplit_once("catchword__").is_some_and(|(_, tool)| names(tool)),
            ItemKind::Command => self.title.trim_start().strip_prefix("catchword ").is_some_and(names),
            _ => false,
        }
    }

    /// A call whose work nobody sees here: that of a subagent, or of a script that cannot be read.
    pub fn is_unseen_work(&self) -> bool {
        self.kind == ItemKind::Tool && (self.title.starts_with(SUBAGENT) || self.title == SCRIPT)
    }

    /// What a call did to a file, if it changed one.
    pub fn change(&self) -> DeedKind {
        if self.body == DELETED { DeedKind::Deleted } else { DeedKind::Edited }
    }

    /// Its text in one line.
    pub fn line(&self) -> &str {
        let text = if self.title.is_empty() { &self.body } else { &self.title };
        text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim()
    }
}

/// A note as an item, at the place the conversation had reached when it was written.
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
    /// The kind of a request: an order for a subagent is the agent's words.
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
        Tool::Delete { path } => (ItemKind::File, path.clone(), DELETED.to_owned()),
        Tool::Edit { path, change, .. } => (ItemKind::File, path.clone(), shortened(change, MAX_ITEM_BYTES)),
        Tool::Write { path, content } => (ItemKind::File, path.clone(), shortened(content, MAX_ITEM_BYTES)),
        Tool::Search { pattern, path, .. } => {
            (ItemKind::Tool, format!("{SEARCHED}{pattern} {}", path.as_deref().unwrap_or_default()), none())
        }
        Tool::Todos(todos) => (ItemKind::Task, none(), listed(todos)),
        Tool::TaskCreate { subject, .. } => (ItemKind::Task, subject.clone(), none()),
        Tool::TaskUpdate { task, status, subject } => {
            let status = status.map(word).unwrap_or_default();
            let subject = subject.as_deref().unwrap_or_default();
            (ItemKind::Task, format!("#{task} {status} {subject}").trim_end().to_owned(), none())
        }
        Tool::Ask { questions } => (ItemKind::Decision, questions.join("\n"), none()),
        Tool::Plan { text, .. } => (ItemKind::Said, PLAN.to_owned(), shortened(text, LONG_WORDS)),
        Tool::Agent { description, prompt } => {
            (ItemKind::Tool, format!("{SUBAGENT}{description}"), shortened(prompt, MAX_ITEM_BYTES))
        }
        Tool::Skill { name, args } => (ItemKind::Tool, format!("{SKILL}{name} {args}"), none()),
        Tool::Kill { id } => (ItemKind::Tool, format!("{STOPPED}{id}"), none()),
        Tool::Schedule { prompt } => {
            (ItemKind::Tool, SCHEDULED.to_owned(), shortened(prompt, MAX_ITEM_BYTES))
        }
        Tool::Script { code } => (ItemKind::Tool, SCRIPT.to_owned(), shortened(code, MAX_ITEM_BYTES)),
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

/// Counts how this call changes the number of open tasks.
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
