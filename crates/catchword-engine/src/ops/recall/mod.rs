//! Shows what is at a place of a transcript.
//!
//! The caller supplies the lines (from the file or a backup), and they are read once. Calls are shown with their
//! answers, wherever those are; every text is masked. If no lines are left, the history still has most of it
//! ([`from_history`]).

mod piece;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use super::rows::{RowReader, Rows};
use crate::archive::history::item::{HistoryItem, ItemKind};
use crate::archive::history::{History, TranscriptSource};
use crate::model::entry::{Entry, Part, Place, TaskStatus, Thread, Tool};
use crate::model::frame::OPENING;
use crate::redact::Mask;
use crate::session::compactions::{CompactionCounter, CompactionRow};
use crate::store::{GivenBack, StoreError};
use crate::transcript::tail::{Cursor, Line, Tail};
use crate::transcript::{LineSource, Take};
pub(in crate::ops) use piece::word;
pub use piece::{PieceAnswer, PieceKind, RecalledPiece};

/// Most recent touches of a file that are shown.
const TOUCHES: usize = 3;
/// Rows shown of what a compaction dropped, unless all are requested.
const DROPPED: usize = 60;
/// Most lines of a range; for more, people should read the file.
const LONGEST_RANGE: u32 = 2_000;
/// Calls before a range whose answers may be inside it.
const PENDING: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecallRequest {
    /// Lines, both included.
    Lines(u32, u32),
    /// A task, by number.
    Task(String),
    /// A file, by its path or the end of it.
    File(String),
    /// What was dropped at the Nth compaction, from 1.
    Compaction(usize),
    Note(u32),
}

impl RecallRequest {
    /// Parses `L790`, `790`, `L790-L812`, `task:3`, `#3`, `compaction:2`, `note:4`; anything else is a file. `None` if
    /// it can be none of these.
    pub fn parse(text: &str) -> Option<RecallRequest> {
        let text = text.trim().trim_matches(['`', '(', ')', ',']);
        let number = |text: &str| text.trim().trim_start_matches(['L', 'l']).parse::<u32>().ok();
        if let Some(line) = number(text) {
            return (line > 0).then_some(RecallRequest::Lines(line, line));
        }
        let range = text.split_once("..").or_else(|| text.split_once(['-', '–']));
        if let Some((Some(from), Some(to))) = range.map(|(from, to)| (number(from), number(to))) {
            let (from, to) = (from.min(to).max(1), from.max(to));
            return Some(RecallRequest::Lines(from, to.min(from + LONGEST_RANGE - 1)));
        }
        if let Some(task) = text.strip_prefix("task:").or_else(|| text.strip_prefix('#')) {
            let task = task.trim().trim_start_matches('#');
            return (!task.is_empty()).then(|| RecallRequest::Task(task.to_owned()));
        }
        if let Some(number) = text.strip_prefix("compaction:") {
            return number.trim().parse().ok().filter(|n| *n > 0).map(RecallRequest::Compaction);
        }
        if let Some(number) = text.strip_prefix("note:") {
            return number.trim().parse().ok().filter(|n| *n > 0).map(RecallRequest::Note);
        }
        if matches!(text, "compaction" | "note" | "task") {
            return None;
        }
        let file = text.strip_prefix("file:").unwrap_or(text);
        (!file.is_empty()).then(|| RecallRequest::File(file.to_owned()))
    }
}

/// A place, and the session it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallAddress {
    /// The start of a session's id, if given.
    pub session: Option<String>,
    /// A subagent of that session; empty for the main conversation.
    pub subagent: String,
    pub wanted: RecallRequest,
}

impl RecallAddress {
    /// Parses a place ([`RecallRequest::parse`]), optionally after a session's id or `ID/SUBAGENT` and a colon:
    /// `db68d083:L812`. A bare number after a colon is a line of a file (`src/a.rs:12`), not of a session.
    pub fn parse(text: &str) -> Option<RecallAddress> {
        let text = text.trim().trim_matches(['`', '(', ')', ',']);
        let whose = text.split_once(':').filter(|(whose, place)| is_owner(whose) && is_marked(place));
        let Some((whose, place)) = whose else {
            let wanted = RecallRequest::parse(text)?;
            return Some(RecallAddress { session: None, subagent: String::new(), wanted });
        };
        let (session, subagent) = whose.split_once('/').unwrap_or((whose, ""));
        let wanted = RecallRequest::parse(place)?;
        Some(RecallAddress { session: Some(session.to_owned()), subagent: subagent.to_owned(), wanted })
    }
}

/// `db68d083`, or with a subagent `db68d083/a1b2`.
fn is_owner(text: &str) -> bool {
    let is_id =
        |id: &str| id.len() >= 4 && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let (session, subagent) =
        text.split_once('/').map_or((text, None), |(session, sub)| (session, Some(sub)));
    is_id(session) && subagent.is_none_or(is_id) && !matches!(text, "task" | "file" | "note" | "compaction")
}

/// A place with an explicit kind: `L812`, `#3`, `note:3`.
fn is_marked(place: &str) -> bool {
    let is_line =
        place.strip_prefix(['L', 'l']).is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    is_line || ["#", "task:", "file:", "note:", "compaction:"].iter().any(|mark| place.starts_with(mark))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// In order.
    pub pieces: Vec<RecalledPiece>,
    /// Number of lines in the source.
    pub lines: u32,
    /// For a compaction: the line of the previous one, and its own.
    pub between: Option<(u32, u32)>,
    /// Messages, such as the status of a task or how many rows were left out.
    pub remarks: Vec<String>,
    /// For a compaction: not every row is shown.
    pub shortened: bool,
}

/// The lines of a file.
pub fn lines_of<'a>(path: &'a Path, mask: &'a Mask) -> impl FnMut(&mut Take) -> io::Result<()> + use<'a> {
    move |each| {
        let in_time = std::cell::Cell::new(true);
        Tail::open(path, mask)?.read(
            Cursor::default(),
            || in_time.get(),
            |line, _, content| {
                let bytes = match content {
                    Line::Whole(bytes) => bytes,
                    Line::TooLong => b"",
                };
                in_time.set(each(line, bytes));
            },
        )?;
        Ok(())
    }
}

/// The bytes of the lines `from` to `to` as in the file, not masked.
pub fn raw(lines: &mut LineSource, from: u32, to: u32, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    lines(&mut |line, bytes| {
        if line >= from && line <= to {
            each(bytes);
        }
        line < to
    })
}

/// Recalls from the lines of a transcript. With `all`, every row that a compaction dropped.
pub fn recall(
    reader: RowReader,
    lines: &mut LineSource,
    wanted: &RecallRequest,
    all: bool,
) -> io::Result<Recalled> {
    match wanted {
        RecallRequest::Lines(from, to) => range(reader, lines, *from, *to),
        RecallRequest::Task(task) => of_task(reader, lines, task),
        RecallRequest::File(path) => of_file(reader, lines, path),
        RecallRequest::Compaction(number) => compaction(reader, lines, *number, all),
        // Notes are not in the transcript but in the history.
        RecallRequest::Note(_) => Ok(Recalled::default()),
    }
}

// ---- lines

fn range(reader: RowReader, lines: &mut LineSource, from: u32, to: u32) -> io::Result<Recalled> {
    let mut rows = Rows::new(reader);
    let mut recalled = Recalled::default();
    let mut before = EarlierCalls::default();
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut last = 0;
    lines(&mut |line, bytes| {
        last = line;
        let entry = rows.whole(line, bytes);
        if line < from {
            if let Some(entry) = &entry {
                before.take(entry);
            }
            return true;
        }
        if line > to {
            // After the range, look only for answers to the calls shown.
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
                drop_repeats(&mut recalled.pieces, entry.place);
                if recalled.pieces.len() == known && !has_answer(entry) {
                    add_other(&mut recalled.pieces, other(reader, line, entry.time, bytes));
                }
            }
            None => add_other(&mut recalled.pieces, other(reader, line, None, bytes)),
        }
        true
    })?;
    recalled.lines = last;
    if to - from + 1 >= LONGEST_RANGE && last > to {
        recalled.remarks.push(format!("A range has at most {LONGEST_RANGE} lines; L{} is the next.", to + 1));
    }
    Ok(recalled)
}

/// A row that cannot tell whose answers it has says them under several names; those without a call repeat the others.
fn drop_repeats(pieces: &mut Vec<RecalledPiece>, place: Place) {
    let has_call = |piece: &RecalledPiece| !piece.title.is_empty() || !piece.text.is_empty();
    let answer = |piece: &RecalledPiece| {
        piece.answer.as_ref().filter(|answer| answer.place == place).map(|answer| answer.text.clone())
    };
    let mut told: HashSet<String> =
        pieces.iter().filter(|piece| has_call(piece)).filter_map(answer).collect();
    pieces.retain(|piece| has_call(piece) || answer(piece).is_none_or(|text| told.insert(text)));
}

fn has_answer(entry: &Entry) -> bool {
    entry.parts.iter().any(|part| matches!(part, Part::Result { .. }))
}

/// A row without a recognised part: what a model would see of it, or that it is the client's bookkeeping.
fn other(reader: RowReader, line: u32, at: Option<i64>, bytes: &[u8]) -> Option<RecalledPiece> {
    let text = reader.mask.text((reader.client.replay)(bytes).text.trim()).into_owned();
    let kind = if text.is_empty() { PieceKind::Bookkeeping } else { PieceKind::Context };
    let piece = RecalledPiece::bare(Place(line), at, kind, text);
    (!bytes.trim_ascii().is_empty()).then_some(piece)
}

/// Consecutive rows of bookkeeping become one piece.
fn add_other(pieces: &mut Vec<RecalledPiece>, other: Option<RecalledPiece>) {
    let Some(other) = other else { return };
    match pieces.last_mut() {
        Some(last) if [last.kind, other.kind] == [PieceKind::Bookkeeping; 2] => {
            last.title = format!("to {}", other.place);
        }
        _ => pieces.push(other),
    }
}

/// Calls before the range, so that an answer within it is shown with its call.
#[derive(Default)]
struct EarlierCalls {
    calls: HashMap<String, RecalledPiece>,
    order: std::collections::VecDeque<String>,
}

impl EarlierCalls {
    fn take(&mut self, entry: &Entry) {
        for part in &entry.parts {
            match part {
                Part::Call { id, tool } => {
                    self.calls.insert(id.clone(), RecalledPiece::called(entry, tool));
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
    pieces: &mut Vec<RecalledPiece>,
    open: &mut HashMap<String, usize>,
    before: &mut EarlierCalls,
) {
    match part {
        Part::Call { id, tool } => {
            open.insert(id.clone(), pieces.len());
            pieces.push(RecalledPiece::called(entry, tool));
        }
        Part::Result { call, ok, text, .. } => {
            let answer = PieceAnswer { place: entry.place, ok: *ok, text: text.clone() };
            match (open.remove(call), before.calls.remove(call)) {
                (Some(at), _) => pieces[at].answer = Some(answer),
                (None, Some(piece)) => pieces.push(RecalledPiece { answer: Some(answer), ..piece }),
                (None, None) => {
                    pieces.push(RecalledPiece {
                        answer: Some(answer),
                        ..RecalledPiece::new(entry, PieceKind::Tool, "", "")
                    });
                }
            }
        }
        part => pieces.extend(RecalledPiece::said(entry, part)),
    }
}

fn answers(entry: &Entry, open: &mut HashMap<String, usize>, pieces: &mut [RecalledPiece]) {
    for part in &entry.parts {
        if let Part::Result { call, ok, text, .. } = part
            && let Some(at) = open.remove(call)
        {
            pieces[at].answer = Some(PieceAnswer { place: entry.place, ok: *ok, text: text.clone() });
        }
    }
}

// ---- tasks and files

/// Everything that happened to a task. If the client keeps a list, the number is the position in it.
fn of_task(reader: RowReader, lines: &mut LineSource, task: &str) -> io::Result<Recalled> {
    let mut rows = Rows::new(reader);
    let mut recalled = Recalled::default();
    let mut made: HashMap<String, RecalledPiece> = HashMap::new();
    let mut status = None;
    let mut item = String::new();
    lines(&mut |line, bytes| {
        recalled.lines = line;
        let Some(entry) = rows.whole(line, bytes).filter(|entry| entry.thread == Thread::Main) else {
            return true;
        };
        for part in &entry.parts {
            match part {
                Part::Call { id, tool: tool @ Tool::TaskCreate { .. } } => {
                    made.insert(id.clone(), RecalledPiece::called(&entry, tool));
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
                    recalled.pieces.push(RecalledPiece::called(&entry, tool));
                }
                Part::Call { tool: Tool::Todos(todos), .. } => {
                    let at = task.parse::<usize>().ok().and_then(|n| todos.get(n.checked_sub(1)?));
                    // The client writes it again, unchanged, whenever another item changes.
                    if let Some(todo) = at.filter(|todo| todo.text != item || Some(todo.status) != status) {
                        item.clone_from(&todo.text);
                        status = Some(todo.status);
                        let title = format!("#{task} {} {}", word(todo.status), todo.text);
                        recalled.pieces.push(RecalledPiece::new(&entry, PieceKind::Tasks, &title, ""));
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

/// The last times a file was touched, oldest first.
fn of_file(reader: RowReader, lines: &mut LineSource, path: &str) -> io::Result<Recalled> {
    let mut rows = Rows::new(reader);
    let mut found: Vec<RecalledPiece> = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut last = 0;
    lines(&mut |line, bytes| {
        last = line;
        let Some(entry) = rows.whole(line, bytes).filter(|entry| entry.thread == Thread::Main) else {
            return true;
        };
        answers(&entry, &mut open, &mut found);
        for part in &entry.parts {
            if let Part::Call { id, tool } = part
                && touched(tool).is_some_and(|touched| is_file(touched, path))
            {
                open.insert(id.clone(), found.len());
                found.push(RecalledPiece::called(&entry, tool));
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
pub(super) fn is_file(path: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_start_matches("./");
    Path::new(path).ends_with(wanted) || Path::new(wanted).ends_with(path)
}

// ---- compactions

/// What the Nth compaction dropped, shortened, then its summary and what was given back.
fn compaction(reader: RowReader, lines: &mut LineSource, number: usize, all: bool) -> io::Result<Recalled> {
    let mut rows = Rows::new(reader);
    let mut dropped: Vec<RecalledPiece> = Vec::new();
    let mut after: Vec<RecalledPiece> = Vec::new();
    let (mut seen, mut last, mut counter) = (0, 0, CompactionCounter::default());
    let (mut before, mut own) = (0, 0);
    lines(&mut |line, bytes| {
        last = line;
        let Some(entry) = rows.whole(line, bytes).filter(|entry| entry.thread == Thread::Main) else {
            return true;
        };
        let begins = match counter.take(&entry) {
            CompactionRow::Repeated => return true,
            row => row == CompactionRow::Begins,
        };
        if begins {
            seen += 1;
            (before, own) = if seen <= number { (own, line) } else { (before, own) };
        }
        if seen > number {
            return false;
        }
        if seen == number {
            let told = entry.parts.iter().filter(|part| {
                matches!(part, Part::Compaction { .. } | Part::Summary(_) | Part::Injected { .. })
            });
            after.extend(told.filter_map(|part| RecalledPiece::said(&entry, part)).filter(is_of_compaction));
            return true;
        }
        if begins {
            dropped.clear();
        } else if seen + 1 == number {
            dropped.extend(entry.parts.iter().filter_map(|part| match part {
                Part::Call { tool, .. } => Some(RecalledPiece::called(&entry, tool)),
                Part::Injected { .. } | Part::Summary(_) => None,
                part => RecalledPiece::said(&entry, part),
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
    let mut kept = if all { dropped } else { most_relevant(dropped) };
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

/// Output of other tools' hooks is not part of the compaction.
fn is_of_compaction(piece: &RecalledPiece) -> bool {
    piece.kind != PieceKind::GivenByHook || piece.text.contains(OPENING)
}

/// Chooses the person's words first, then changes and commands, latest first; returns them in their original order.
fn most_relevant(pieces: Vec<RecalledPiece>) -> Vec<RecalledPiece> {
    let mut ranked: Vec<(usize, RecalledPiece)> = pieces.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, piece)| (piece.kind.rank(), std::cmp::Reverse(*at)));
    ranked.truncate(DROPPED);
    ranked.sort_by_key(|(at, _)| *at);
    ranked.into_iter().map(|(_, piece)| piece).collect()
}

/// Shortens a piece to one line.
fn in_short(piece: &mut RecalledPiece) {
    let text = if piece.title.is_empty() { &piece.text } else { &piece.title };
    // A script may begin with comments.
    let is_command =
        matches!(piece.kind, PieceKind::Command | PieceKind::BackgroundCommand | PieceKind::UserShell);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = lines().find(|line| !is_command || !line.starts_with('#'));
    piece.title = telling.or_else(|| lines().next()).unwrap_or_default().to_owned();
    piece.text.clear();
}

/// Adds what the store knows about the brief of a recalled compaction: that it reached the agent, or its text if the
/// record does not contain it.
pub fn add_given(recalled: &mut Recalled, given: &[GivenBack], mask: &Mask) {
    let Some((before, own)) = recalled.between else { return };
    // Hooks may have been installed in between, so match by line rather than by number.
    let Some(of_it) = given.iter().rev().find(|one| one.line >= before && one.line < own) else {
        recalled.remarks.push("No hook saw it, so nothing was given back.".to_owned());
        return;
    };
    let shown = recalled.pieces.iter().any(|piece| piece.text.contains(OPENING));
    let mut add = |kind, at: Option<i64>, text: &str| {
        recalled.pieces.push(RecalledPiece::bare(Place(own), at, kind, mask.text(text).into_owned()));
    };
    let arrived = match (&of_it.brief, &of_it.arrived_by) {
        (None, _) => "Nothing was given back: the summary had it all.".to_owned(),
        (Some(_), Some(event)) => format!("The brief reached the agent by {event}."),
        (Some(_), None) if of_it.resent => "The brief had not arrived and was sent again.".to_owned(),
        (Some(_), None) => "The brief was given; whether it arrived is not recorded.".to_owned(),
    };
    if let Some(brief) = of_it.brief.as_deref().filter(|_| !shown) {
        add(PieceKind::GivenBack, of_it.briefed_at, brief);
    }
    if let (Some(late), Some(at)) = (&of_it.late, of_it.late_at) {
        add(PieceKind::ToldLater, Some(at), late);
    }
    recalled.remarks.push(arrived);
}

// ---- without lines

/// What the history has, if the transcript is gone: masked, long texts cut, without files that were only read.
pub fn from_history(
    history: &History,
    source: &TranscriptSource,
    wanted: &RecallRequest,
) -> Result<Recalled, StoreError> {
    let mut items = match wanted {
        RecallRequest::Lines(from, to) => history.items(source.no, *from, *to, LONGEST_RANGE as usize)?,
        RecallRequest::File(path) => {
            let mut items =
                history.latest(source.no, &[ItemKind::File], TOUCHES, |item| is_file(&item.title, path))?;
            items.reverse();
            items
        }
        RecallRequest::Task(task) => {
            let mut items = history.latest(source.no, &[ItemKind::Task], usize::MAX, |item| {
                item.title.starts_with(&format!("#{task} "))
            })?;
            items.reverse();
            items
        }
        RecallRequest::Compaction(number) => {
            let (items, between) = dropped_items(history, source, *number)?;
            let pieces = items.into_iter().filter(|item| !item.sub).map(RecalledPiece::from_item).collect();
            return Ok(Recalled { pieces, lines: source.cursor.line, between, ..Recalled::default() });
        }
        RecallRequest::Note(number) => history.note(source.no, *number)?.into_iter().collect(),
    };
    items.retain(|item| !item.sub || matches!(wanted, RecallRequest::Lines(..)));
    let pieces = items.into_iter().map(RecalledPiece::from_item).collect();
    Ok(Recalled { pieces, lines: source.cursor.line, ..Recalled::default() })
}

/// The items, and the lines of the previous compaction and of this one.
type Dropped = (Vec<HistoryItem>, Option<(u32, u32)>);

fn dropped_items(history: &History, source: &TranscriptSource, number: usize) -> Result<Dropped, StoreError> {
    let cuts = history.cuts(source.no)?;
    let at = |n: usize| number.checked_sub(n).and_then(|at| cuts.get(at));
    let Some(own) = at(1) else { return Ok((Vec::new(), None)) };
    let start = at(2).map_or(1, |cut| cut.end.0 + 1);
    let items = history.items(source.no, start, own.end.0, LONGEST_RANGE as usize)?;
    Ok((items, Some((at(2).map_or(0, |cut| cut.place.0), own.place.0))))
}

#[cfg(test)]
mod tests;
