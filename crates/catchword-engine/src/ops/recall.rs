//! Back to the lines: what stands at a place of a transcript.
//!
//! Lines come from wherever the caller has them (the file, later a backup) and are read once. Calls are shown with
//! their answers wherever those lie; every text is masked. Where no lines are left, the history still has most of them
//! ([`from_history`]).

use std::collections::HashMap;
use std::io;
use std::path::Path;

use crate::agent::Agent;
use crate::agent::entry::{Entry, Part, Place, TaskStatus, Thread, Tool};
use crate::history::item::{Item, Kind};
use crate::history::{History, Source};
use crate::mask::mask;
use crate::notes::Author;
use crate::render;
use crate::store::{GivenBack, StoreError};
use crate::transcript::tail::{Cursor, Line, Tail};

/// How often a file is shown.
const TOUCHES: usize = 3;
/// Rows shown of what a compaction dropped, unless all are wanted.
const DROPPED: usize = 60;
/// Most lines of one range: more is a file to be read as such.
const LONGEST_RANGE: u32 = 2_000;
/// Calls before a range whose answers may lie within.
const PENDING: usize = 2_000;

/// What the client wrote for itself.
const BOOKKEEPING: &str = "bookkeeping";

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Lines, both included.
    Lines(u32, u32),
    /// A task by its number.
    Task(String),
    /// A file, by its path or the end of it.
    File(String),
    /// What was dropped at the Nth compaction, from 1.
    Compaction(usize),
    /// A note, by its number.
    Note(u32),
}

impl Wanted {
    /// Understands `L790`, `790`, `L790-L812`, `task:3`, `#3`, `compaction:2`, `note:4`; anything else is a file. `None` for what
    /// cannot be anything.
    pub fn parse(text: &str) -> Option<Wanted> {
        let text = text.trim().trim_matches(['`', '(', ')', ',']);
        let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse::<u32>().ok();
        if let Some(line) = number(text) {
            return (line > 0).then_some(Wanted::Lines(line, line));
        }
        let range = text.split_once("..").or_else(|| text.split_once(['-', '–']));
        if let Some((Some(from), Some(to))) = range.map(|(from, to)| (number(from), number(to))) {
            let (from, to) = (from.min(to).max(1), from.max(to));
            return Some(Wanted::Lines(from, to.min(from + LONGEST_RANGE - 1)));
        }
        if let Some(task) = text.strip_prefix("task:").or_else(|| text.strip_prefix('#')) {
            let task = task.trim().trim_start_matches('#');
            return (!task.is_empty()).then(|| Wanted::Task(task.to_owned()));
        }
        if let Some(number) = text.strip_prefix("compaction:") {
            return number.trim().parse().ok().filter(|n| *n > 0).map(Wanted::Compaction);
        }
        if let Some(number) = text.strip_prefix("note:") {
            return number.trim().parse().ok().filter(|n| *n > 0).map(Wanted::Note);
        }
        if matches!(text, "compaction" | "note" | "task") {
            return None;
        }
        let file = text.strip_prefix("file:").unwrap_or(text);
        (!file.is_empty()).then(|| Wanted::File(file.to_owned()))
    }
}

/// What was recalled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// In order.
    pub pieces: Vec<Piece>,
    /// Lines the source has.
    pub lines: u32,
    /// Of a compaction: the line of the one before it, and its own.
    pub between: Option<(u32, u32)>,
    /// What else is to be said: where a task stands, how many rows were left out.
    pub remarks: Vec<String>,
    /// Of a compaction: not every row is shown.
    pub shortened: bool,
}

/// One thing said or done, with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its line.
    pub place: Place,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// Who or what: `user`, `agent`, `command`, `edit`, …
    pub what: String,
    /// A command or a path; empty for words.
    pub title: String,
    /// The words, the change, the order.
    pub text: String,
    /// The answer, where it came.
    pub answer: Option<Answer>,
}

/// A tool's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its line.
    pub place: Place,
    /// False for a failure.
    pub ok: bool,
    /// As it came.
    pub text: String,
}

/// Takes a line and its number; says whether it wants more.
pub type Take<'a> = dyn FnMut(u32, &[u8]) -> bool + 'a;
/// Hands on the lines of a transcript, in order, as long as more are wanted.
pub type Lines<'a> = dyn FnMut(&mut Take) -> io::Result<()> + 'a;

/// The lines of a file.
pub fn lines_of(path: &Path) -> impl FnMut(&mut Take) -> io::Result<()> {
    move |each| {
        let go_on = std::cell::Cell::new(true);
        Tail::open(path)?.read(
            Cursor::default(),
            || go_on.get(),
            |line, _, content| {
                let bytes = match content {
                    Line::Whole(bytes) => bytes,
                    Line::TooLong => b"",
                };
                go_on.set(each(line, bytes));
            },
        )?;
        Ok(())
    }
}

/// The bytes of the lines from `from` to `to`, as they are in the file: not masked.
pub fn raw(lines: &mut Lines, from: u32, to: u32, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    lines(&mut |line, bytes| {
        if line >= from && line <= to {
            each(bytes);
        }
        line < to
    })
}

/// Recalls from the lines of a transcript. `all` gives every row that a compaction dropped.
pub fn recall(agent: &Agent, lines: &mut Lines, wanted: &Wanted, all: bool) -> io::Result<Recalled> {
    match wanted {
        Wanted::Lines(from, to) => range(agent, lines, *from, *to),
        Wanted::Task(task) => of_task(agent, lines, task),
        Wanted::File(path) => of_file(agent, lines, path),
        Wanted::Compaction(number) => compaction(agent, lines, *number, all),
        // No line of a transcript: the history has them.
        Wanted::Note(_) => Ok(Recalled::default()),
    }
}

// ---- lines

fn range(agent: &Agent, lines: &mut Lines, from: u32, to: u32) -> io::Result<Recalled> {
    let mut recalled = Recalled::default();
    let mut before = Before::default();
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut last = 0;
    lines(&mut |line, bytes| {
        last = line;
        let entry = read(agent, line, bytes);
        if line < from {
            if let Some(entry) = &entry {
                before.take(entry);
            }
            return true;
        }
        if line > to {
            // Only the answers to what was shown are still of interest.
            if let Some(entry) = &entry {
                answers(entry, &mut open, &mut recalled.pieces);
            }
            return !open.is_empty();
        }
        match &entry {
            Some(entry) => {
                let known = recalled.pieces.len();
                for part in &entry.parts {
                    take(entry, part, &mut recalled.pieces, &mut open, &mut before);
                }
                if recalled.pieces.len() == known && !has_answer(entry) {
                    add_other(&mut recalled.pieces, other(agent, line, entry.time, bytes));
                }
            }
            None => add_other(&mut recalled.pieces, other(agent, line, None, bytes)),
        }
        true
    })?;
    recalled.lines = last;
    if to - from + 1 >= LONGEST_RANGE && last > to {
        recalled.remarks.push(format!("A range has at most {LONGEST_RANGE} lines; L{} is the next.", to + 1));
    }
    Ok(recalled)
}

fn has_answer(entry: &Entry) -> bool {
    entry.parts.iter().any(|part| matches!(part, Part::Result { .. }))
}

/// A row that no part speaks for: what a model would see of it, or that it is the client's own.
fn other(agent: &Agent, line: u32, at: Option<i64>, bytes: &[u8]) -> Option<Piece> {
    let text = mask((agent.replay)(bytes).text.trim()).into_owned();
    let (what, text) = if text.is_empty() { (BOOKKEEPING, String::new()) } else { ("context", text) };
    let piece =
        Piece { place: Place(line), at, what: what.to_owned(), title: String::new(), text, answer: None };
    (!bytes.trim_ascii().is_empty()).then_some(piece)
}

/// Several rows of bookkeeping in a row are one piece.
fn add_other(pieces: &mut Vec<Piece>, other: Option<Piece>) {
    let Some(other) = other else { return };
    match pieces.last_mut() {
        Some(last) if last.what == BOOKKEEPING && other.what == BOOKKEEPING => {
            last.title = format!("to {}", other.place);
        }
        _ => pieces.push(other),
    }
}

/// Calls before the range, so that an answer within it is shown with its call.
#[derive(Default)]
struct Before {
    calls: HashMap<String, Piece>,
    order: std::collections::VecDeque<String>,
}

impl Before {
    fn take(&mut self, entry: &Entry) {
        for part in &entry.parts {
            match part {
                Part::Call { id, tool } => {
                    self.calls.insert(id.clone(), called(entry, tool));
                    self.order.push_back(id.clone());
                    if self.order.len() > PENDING
                        && let Some(oldest) = self.order.pop_front()
                    {
                        self.calls.remove(&oldest);
                    }
                }
                Part::Result { call, .. } => {
                    self.calls.remove(call);
                }
                _ => {}
            }
        }
    }
}

fn take(
    entry: &Entry,
    part: &Part,
    pieces: &mut Vec<Piece>,
    open: &mut HashMap<String, usize>,
    before: &mut Before,
) {
    match part {
        Part::Call { id, tool } => {
            open.insert(id.clone(), pieces.len());
            pieces.push(called(entry, tool));
        }
        Part::Result { call, ok, text, .. } => {
            let answer = Answer { place: entry.place, ok: *ok, text: text.clone() };
            match (open.remove(call), before.calls.remove(call)) {
                (Some(at), _) => pieces[at].answer = Some(answer),
                (None, Some(piece)) => pieces.push(Piece { answer: Some(answer), ..piece }),
                (None, None) => {
                    pieces.push(Piece { answer: Some(answer), ..piece(entry, "tool", "", "") });
                }
            }
        }
        part => pieces.extend(said(entry, part)),
    }
}

fn answers(entry: &Entry, open: &mut HashMap<String, usize>, pieces: &mut [Piece]) {
    for part in &entry.parts {
        if let Part::Result { call, ok, text, .. } = part
            && let Some(at) = open.remove(call)
        {
            pieces[at].answer = Some(Answer { place: entry.place, ok: *ok, text: text.clone() });
        }
    }
}

fn piece(entry: &Entry, what: &str, title: &str, text: &str) -> Piece {
    let sub = if entry.thread == Thread::Sub { "subagent's " } else { "" };
    Piece {
        place: entry.place,
        at: entry.time,
        what: format!("{sub}{what}"),
        title: title.to_owned(),
        text: text.to_owned(),
        answer: None,
    }
}

fn said(entry: &Entry, part: &Part) -> Option<Piece> {
    let (what, title, text) = match part {
        Part::Prompt { text, .. } => ("user", "", text.as_str()),
        Part::Queued(text) => ("user, queued", "", text.as_str()),
        Part::Beside(text) => ("beside a tool's answer", "", text.as_str()),
        // A command with arguments is a prompt, too.
        Part::Slash { .. } if entry.parts.iter().any(is_prompt) => return None,
        Part::Slash { name, args, .. } => ("user", name.as_str(), args.as_str()),
        Part::Typed(command) => ("user's shell", command.as_str(), ""),
        Part::Interrupted => ("user", "stopped the agent", ""),
        Part::Text(text) => ("agent", "", text.as_str()),
        Part::Compaction { manual, before, after, .. } => {
            let tokens = |n: Option<u64>| n.map_or("?".to_owned(), |n| n.to_string());
            let how = if *manual { "asked for" } else { "automatic" };
            let title = format!("{how}, {} → {} tokens", tokens(*before), tokens(*after));
            return Some(piece(entry, "compaction", &title, ""));
        }
        Part::Summary(text) => ("summary", "", text.as_str()),
        Part::Injected { event, text } => ("given by a hook", event.as_str(), text.as_str()),
        Part::Finished { id } => ("finished in the background", id.as_str(), ""),
        _ => return None,
    };
    Some(piece(entry, what, title, text))
}

fn is_prompt(part: &Part) -> bool {
    matches!(part, Part::Prompt { .. })
}

fn called(entry: &Entry, tool: &Tool) -> Piece {
    let (what, title, text) = match tool {
        Tool::Shell { command, background } => (
            if *background { "command, in the background" } else { "command" },
            command.as_str(),
            String::new(),
        ),
        Tool::Read { path } => ("read", path.as_str(), String::new()),
        Tool::Edit { path, change } => ("edit", path.as_str(), change.clone()),
        Tool::Write { path, content } => ("write", path.as_str(), content.clone()),
        Tool::Search { pattern, path } => {
            ("search", pattern.as_str(), path.as_ref().map(|path| format!("in {path}")).unwrap_or_default())
        }
        Tool::Todos(todos) => {
            let lines = todos.iter().map(|todo| format!("[{}] {}", word(todo.status), todo.text));
            ("tasks", "", lines.collect::<Vec<_>>().join("\n"))
        }
        Tool::TaskCreate { subject } => ("new task", subject.as_str(), String::new()),
        Tool::TaskUpdate { task, status, subject } => {
            let status = status.map(word).unwrap_or_default();
            let title = format!("#{task} {status} {}", subject.as_deref().unwrap_or_default());
            return piece(entry, "task", title.trim_end(), "");
        }
        Tool::Ask { questions } => ("question", "", questions.join("\n")),
        Tool::Plan { text, .. } => ("plan", "", text.clone()),
        Tool::Agent { description, prompt } => ("subagent", description.as_str(), prompt.clone()),
        Tool::Skill { name, args } => ("skill", name.as_str(), args.clone()),
        Tool::Kill { id } => ("stop", id.as_str(), String::new()),
        Tool::Other { name, input } => ("tool", name.as_str(), input.clone()),
    };
    piece(entry, what, title, &text)
}

pub(super) fn word(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "completed",
        TaskStatus::Deleted => "deleted",
    }
}

/// A whole line, masked.
fn read(agent: &Agent, line: u32, bytes: &[u8]) -> Option<Entry> {
    let mut entry = (agent.whole)(Place(line), bytes).ok().flatten()?;
    entry.map_texts(|text| {
        if let std::borrow::Cow::Owned(masked) = mask(text) {
            *text = masked;
        }
    });
    Some(entry)
}

// ---- tasks and files

/// Everything that was done to a task. Where the client keeps a list, the number counts its items.
fn of_task(agent: &Agent, lines: &mut Lines, task: &str) -> io::Result<Recalled> {
    let mut recalled = Recalled::default();
    let mut made: HashMap<String, Piece> = HashMap::new();
    let mut status = None;
    let mut item = String::new();
    lines(&mut |line, bytes| {
        recalled.lines = line;
        let Some(entry) = read(agent, line, bytes).filter(|entry| entry.thread == Thread::Main) else {
            return true;
        };
        for part in &entry.parts {
            match part {
                Part::Call { id, tool: tool @ Tool::TaskCreate { .. } } => {
                    made.insert(id.clone(), called(&entry, tool));
                }
                Part::Result { call, extra, .. } => {
                    let making = made.remove(call).filter(|_| extra.task.as_deref() == Some(task));
                    if let Some(making) = making {
                        status = Some(TaskStatus::Pending);
                        recalled.pieces.push(making);
                    }
                }
                Part::Call { tool: tool @ Tool::TaskUpdate { task: which, status: new, .. }, .. }
                    if which == task =>
                {
                    status = new.or(status);
                    recalled.pieces.push(called(&entry, tool));
                }
                Part::Call { tool: Tool::Todos(todos), .. } => {
                    let at = task.parse::<usize>().ok().and_then(|n| todos.get(n.checked_sub(1)?));
                    // Written again unchanged with every other item that changes.
                    if let Some(todo) = at.filter(|todo| todo.text != item || Some(todo.status) != status) {
                        item.clone_from(&todo.text);
                        status = Some(todo.status);
                        let title = format!("#{task} {} {}", word(todo.status), todo.text);
                        recalled.pieces.push(piece(&entry, "tasks", &title, ""));
                    }
                }
                _ => {}
            }
        }
        true
    })?;
    if let Some(status) = status {
        recalled.remarks.push(format!("Task {task} is {} at the end of the record.", word(status)));
    }
    Ok(recalled)
}

/// The last times a file was touched, oldest of them first.
fn of_file(agent: &Agent, lines: &mut Lines, path: &str) -> io::Result<Recalled> {
    let mut found: Vec<Piece> = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut last = 0;
    lines(&mut |line, bytes| {
        last = line;
        let Some(entry) = read(agent, line, bytes).filter(|entry| entry.thread == Thread::Main) else {
            return true;
        };
        answers(&entry, &mut open, &mut found);
        for part in &entry.parts {
            if let Part::Call { id, tool } = part
                && touched(tool).is_some_and(|touched| is_file(touched, path))
            {
                open.insert(id.clone(), found.len());
                found.push(called(&entry, tool));
            }
        }
        true
    })?;
    let times = found.len();
    let mut recalled = Recalled {
        pieces: found.split_off(times.saturating_sub(TOUCHES)),
        lines: last,
        ..Recalled::default()
    };
    if times > TOUCHES {
        recalled.remarks.push(format!("{path} was touched {times} times; these are the last {TOUCHES}."));
    }
    Ok(recalled)
}

fn touched(tool: &Tool) -> Option<&str> {
    match tool {
        Tool::Read { path } | Tool::Edit { path, .. } | Tool::Write { path, .. } => Some(path),
        _ => None,
    }
}

/// The same path, or one that ends in it.
fn is_file(path: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_start_matches("./");
    Path::new(path).ends_with(wanted) || Path::new(wanted).ends_with(path)
}

// ---- compactions

/// What the Nth compaction dropped, in short, then its summary and what was given back.
fn compaction(agent: &Agent, lines: &mut Lines, number: usize, all: bool) -> io::Result<Recalled> {
    let mut dropped: Vec<Piece> = Vec::new();
    let mut after: Vec<Piece> = Vec::new();
    let (mut seen, mut last, mut boundary) = (0, 0, false);
    let (mut before, mut own) = (0, 0);
    lines(&mut |line, bytes| {
        last = line;
        let Some(entry) = read(agent, line, bytes).filter(|entry| entry.thread == Thread::Main) else {
            return true;
        };
        let begins = entry.parts.iter().any(|part| match part {
            Part::Compaction { .. } => true,
            // Older versions write no boundary.
            Part::Summary(_) => !boundary,
            _ => false,
        });
        if begins {
            seen += 1;
            (before, own) = if seen <= number { (own, line) } else { (before, own) };
            boundary = entry.parts.iter().any(|part| matches!(part, Part::Compaction { .. }));
        } else if entry.parts.iter().any(|part| matches!(part, Part::Summary(_))) {
            boundary = false;
        }
        if seen > number {
            return false;
        }
        if seen == number {
            let told = entry.parts.iter().filter(|part| {
                matches!(part, Part::Compaction { .. } | Part::Summary(_) | Part::Injected { .. })
            });
            after.extend(told.filter_map(|part| said(&entry, part)).filter(is_of_compaction));
            return true;
        }
        if begins {
            dropped.clear();
        } else if seen + 1 == number {
            dropped.extend(entry.parts.iter().filter_map(|part| match part {
                Part::Call { tool, .. } => Some(called(&entry, tool)),
                Part::Injected { .. } | Part::Summary(_) => None,
                part => said(&entry, part),
            }));
        }
        true
    })?;
    let mut recalled = Recalled { lines: last, ..Recalled::default() };
    if after.is_empty() {
        recalled.remarks.push(match seen {
            0 => "this session was not compacted".to_owned(),
            1 => format!("this session has 1 compaction, not {number}"),
            n => format!("this session has {n} compactions, not {number}"),
        });
        return Ok(recalled);
    }
    recalled.between = Some((before, own));
    let rows = dropped.len();
    let mut kept = if all { dropped } else { telling(dropped) };
    kept.iter_mut().for_each(in_short);
    if kept.len() < rows {
        recalled.remarks.push(format!(
            "{rows} things were said and done before it; these are the {} that tell most.",
            kept.len()
        ));
        recalled.shortened = true;
    }
    recalled.pieces = kept;
    recalled.pieces.extend(after);
    Ok(recalled)
}

/// What hooks of other tools put in is not of the compaction.
fn is_of_compaction(piece: &Piece) -> bool {
    !piece.what.ends_with("given by a hook") || piece.text.contains(render::OPENING)
}

/// The person's words first, then changes and commands, latest first; in order again.
fn telling(pieces: Vec<Piece>) -> Vec<Piece> {
    let rank = |piece: &Piece| match piece.what.as_str() {
        "user" | "user, queued" | "question" | "plan" => 0,
        "edit" | "write" | "task" | "new task" => 1,
        "command" => 2,
        "agent" => 3,
        _ => 4,
    };
    let mut ranked: Vec<(usize, Piece)> = pieces.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, piece)| (rank(piece), std::cmp::Reverse(*at)));
    ranked.truncate(DROPPED);
    ranked.sort_by_key(|(at, _)| *at);
    ranked.into_iter().map(|(_, piece)| piece).collect()
}

/// One line of it.
fn in_short(piece: &mut Piece) {
    let text = if piece.title.is_empty() { &piece.text } else { &piece.title };
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    piece.title = line.to_owned();
    piece.text.clear();
}

/// Adds to a recalled compaction what the store knows of the brief: that it reached the agent, or its text where the
/// record does not show it.
pub fn add_given(recalled: &mut Recalled, given: &[GivenBack]) {
    let Some((before, own)) = recalled.between else { return };
    // Hooks may have been installed in the middle, so it is the place that counts and not the number.
    let Some(of_it) = given.iter().rev().find(|one| one.line >= before && one.line < own) else {
        recalled.remarks.push("No hook of ours saw it: nothing was given back.".to_owned());
        return;
    };
    let shown = recalled.pieces.iter().any(|piece| piece.text.contains(render::OPENING));
    let mut add = |what: &str, at: Option<i64>, text: &str| {
        let (what, text) = (what.to_owned(), mask(text).into_owned());
        recalled.pieces.push(Piece { place: Place(own), at, what, title: String::new(), text, answer: None });
    };
    let arrived = match (&of_it.brief, &of_it.arrived_by) {
        (None, _) => "Nothing was given back: the summary had it all.".to_owned(),
        (Some(_), Some(event)) => format!("The brief reached the agent by {event}."),
        (Some(_), None) if of_it.resent => "The brief had not arrived and was sent again.".to_owned(),
        (Some(_), None) => "The brief was given; whether it arrived is not recorded.".to_owned(),
    };
    if let Some(brief) = of_it.brief.as_deref().filter(|_| !shown) {
        add("given back", of_it.briefed_at, brief);
    }
    if let (Some(late), Some(at)) = (&of_it.late, of_it.late_at) {
        add("told later", Some(at), late);
    }
    recalled.remarks.push(arrived);
}

// ---- without lines

/// What the history has of it, where the transcript is gone: masked, long texts cut, nothing of what was only read.
pub fn from_history(history: &History, source: &Source, wanted: &Wanted) -> Result<Recalled, StoreError> {
    let mut items = match wanted {
        Wanted::Lines(from, to) => history.items(source.no, *from, *to, LONGEST_RANGE as usize)?,
        Wanted::File(path) => {
            let mut items =
                history.latest(source.no, &[Kind::File], TOUCHES, |item| is_file(&item.title, path))?;
            items.reverse();
            items
        }
        Wanted::Task(task) => {
            let mut items = history.latest(source.no, &[Kind::Task], usize::MAX, |item| {
                item.title.starts_with(&format!("#{task} "))
            })?;
            items.reverse();
            items
        }
        Wanted::Compaction(number) => {
            let (items, between) = dropped_items(history, source, *number)?;
            let pieces = items.into_iter().filter(|item| !item.sub).map(from_item).collect();
            return Ok(Recalled { pieces, lines: source.cursor.line, between, ..Recalled::default() });
        }
        Wanted::Note(number) => history.note(source.no, *number)?.into_iter().collect(),
    };
    items.retain(|item| !item.sub || matches!(wanted, Wanted::Lines(..)));
    let pieces = items.into_iter().map(from_item).collect();
    Ok(Recalled { pieces, lines: source.cursor.line, ..Recalled::default() })
}

/// The items, and the lines of the compaction before and of this one.
type Dropped = (Vec<Item>, Option<(u32, u32)>);

fn dropped_items(history: &History, source: &Source, number: usize) -> Result<Dropped, StoreError> {
    let mut cuts = history.latest(source.no, &[Kind::Boundary, Kind::Summary], usize::MAX, |_| true)?;
    cuts.reverse();
    // A summary right behind its boundary is the same compaction.
    let mut places: Vec<(Place, Place)> = Vec::new();
    let mut boundary = false;
    for cut in cuts {
        match (cut.kind, places.last_mut()) {
            (Kind::Summary, Some(last)) if boundary => last.1 = cut.place,
            _ => places.push((cut.place, cut.place)),
        }
        boundary = cut.kind == Kind::Boundary;
    }
    let at = |n: usize| number.checked_sub(n).and_then(|at| places.get(at));
    let Some((own, end)) = at(1) else { return Ok((Vec::new(), None)) };
    let start = at(2).map_or(1, |(_, end)| end.0 + 1);
    let items = history.items(source.no, start, end.0, LONGEST_RANGE as usize)?;
    Ok((items, Some((at(2).map_or(0, |(place, _)| place.0), own.0))))
}

fn from_item(item: Item) -> Piece {
    let answered = item.until.filter(|_| matches!(item.kind, Kind::Command | Kind::Tool));
    let what = match (item.kind, item.author) {
        (Kind::Prompt, _) => "user",
        (Kind::Note, Some(Author::Person)) => "user's note",
        (Kind::Note, Some(Author::Agent)) => "agent's note",
        (kind, _) => kind.noun(),
    };
    let (text, answer) = match answered {
        Some(place) => (String::new(), Some(Answer { place, ok: !item.failed, text: item.body })),
        None => (item.body, None),
    };
    Piece { place: item.place, at: item.at, what: what.to_owned(), title: item.title, text, answer }
}

#[cfg(test)]
mod tests;
