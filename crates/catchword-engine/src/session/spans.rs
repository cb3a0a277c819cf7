//! What was done for each task, between its start and its end, as the record tells.
//!
//! A task of the task tools spans from `in_progress` to `completed`; its id is the client's number. A task that is
//! completed without having been started gets what was done since the list last changed. To-dos work the same; their
//! id is the line and position where they first appeared. A span only says from where to where; what was done meanwhile
//! is [`Activity::of`].

use std::collections::HashSet;

use super::{Moment, one_line};
use crate::model::entry::{Place, TaskStatus};
use crate::reading::outcome::Counts;
use crate::record::{CommandRun, Deed, Event, Kind, Record};
use crate::text::numbers::count_of;

/// Finished spans that are looked at, the latest ones.
const MAX_SPANS: usize = 200;
/// Spans open at a time. A task that is never finished stays open until newer ones displace it.
const OPEN: usize = 24;
/// Files, and commands, told of one span.
const MAX_SPAN_ITEMS: usize = 24;
/// Files told that were changed between a failure and its end.
const MAX_EDITED: usize = 3;
/// Characters kept of what was to be done.
const SUBJECT: usize = 240;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// Of the task tools.
    Task,
    /// Of the to-do list.
    Todo,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TaskSpan {
    /// The client's number, or a line of the transcript if there is none.
    pub id: String,
    /// What was to be done.
    pub subject: String,
    pub kind: TaskKind,
    /// Where it began.
    pub start: Moment,
    /// `None` while it is open.
    pub end: Option<Moment>,
}

impl TaskSpan {
    fn begun(id: &str, subject: &str, kind: TaskKind, start: Moment) -> TaskSpan {
        let subject = one_line(subject, SUBJECT);
        TaskSpan { id: id.to_owned(), subject, kind, start, end: None }
    }
}

/// What was done in a span, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity<'a> {
    /// Files changed, in the order of their first change.
    pub files: Vec<&'a str>,
    /// Commands run, in the order of their first run, with their last result; without those that only read.
    pub commands: Vec<(&'a str, Option<bool>)>,
    /// Hash and message of the commits made.
    pub commits: Vec<(&'a str, &'a str)>,
    /// The latest tests.
    pub tested: Option<Tested>,
    /// Commands that failed and passed later.
    pub resolved: Vec<Resolved<'a>>,
    failing: Vec<Resolved<'a>>,
}

/// A run of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tested {
    pub place: Place,
    /// They passed.
    pub ok: bool,
    /// How many, if the runner says.
    pub counts: Option<Counts>,
}

/// A failure that was fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved<'a> {
    /// The command that failed and passes now.
    pub command: &'a str,
    /// Its last error.
    pub error: &'a str,
    /// The files that were changed in between.
    pub edited: Vec<&'a str>,
    /// Where it passed.
    pub place: Place,
}

/// All spans of a session.
#[derive(Clone, Debug, Default)]
pub struct TaskSpans<'a> {
    /// Tasks that were started and not finished.
    pub open: Vec<TaskSpan>,
    /// Spans that have ended, oldest end first.
    pub finished: Vec<TaskSpan>,
    /// Where the list last changed: a task that is completed without having been started began there.
    list_changed: Moment,
    todos: Vec<ListedTodo<'a>>,
}

/// A to-do on the list.
#[derive(Clone, Debug)]
struct ListedTodo<'a> {
    id: String,
    subject: &'a str,
    /// Before and after the list was replaced.
    was: Option<TaskStatus>,
    status: TaskStatus,
}

/// Id and status, if it is about a task.
fn task_of<'a>(event: &Event<'a>) -> Option<(&'a str, TaskStatus)> {
    let Kind::Task { id, status } = &event.seen.what else { return None };
    Some((id, *status))
}

impl<'a> TaskSpans<'a> {
    pub fn of(record: &'a Record) -> TaskSpans<'a> {
        let changes: Vec<(&str, TaskStatus, Event)> = record
            .events()
            .filter_map(|event| task_of(&event).map(|(id, status)| (id, status, event)))
            .collect();
        let (mut spans, mut known) = (TaskSpans::default(), HashSet::new());
        // To-dos have no ids: those of one call are the whole list.
        let is_same_list = |a: &(&str, TaskStatus, Event), b: &(&str, TaskStatus, Event)| {
            a.0.is_empty() && b.0.is_empty() && a.2.seen.clock == b.2.seen.clock
        };
        for call in changes.chunk_by(is_same_list) {
            let (id, status, Event { time, turn, seen }) = call[0];
            let now = Moment { place: seen.place, time, turn };
            if id.is_empty() {
                spans.todos_replaced(call, now);
            } else if known.insert(id) && status == TaskStatus::Pending {
                // It is new: earlier work does not count for it.
                spans.list_changed = now;
            } else {
                spans.changed_status(id, &seen.words, TaskKind::Task, status, now);
            }
        }
        spans
    }

    fn todos_replaced(&mut self, list: &[(&str, TaskStatus, Event<'a>)], now: Moment) {
        let before = std::mem::take(&mut self.todos);
        let todo = |(n, (_, status, event)): (usize, &(&str, TaskStatus, Event<'a>))| {
            let subject = event.seen.words.as_str();
            let known = before.iter().find(|known| known.subject == subject);
            let id = known.map_or_else(|| format!("{}.{}", now.place, n + 1), |known| known.id.clone());
            ListedTodo { id, subject, was: known.map(|known| known.status), status: *status }
        };
        let todos: Vec<ListedTodo> = list.iter().enumerate().map(todo).collect();
        let is_listed = |span: &TaskSpan| todos.iter().any(|todo| todo.id == span.id);
        self.open.retain(|span| span.kind != TaskKind::Todo || is_listed(span));
        // Ends before starts: one task ended before the next began.
        for wanted in [TaskStatus::Completed, TaskStatus::InProgress, TaskStatus::Pending] {
            for todo in todos.iter().filter(|todo| todo.status == wanted) {
                // A to-do that first appears as completed has no known end; often it is an old one reworded.
                if todo.was.is_some_and(|was| was != wanted)
                    || (todo.was.is_none() && wanted != TaskStatus::Completed)
                {
                    self.changed_status(&todo.id, todo.subject, TaskKind::Todo, wanted, now);
                }
            }
        }
        self.todos = todos;
    }

    fn changed_status(&mut self, id: &str, subject: &str, kind: TaskKind, status: TaskStatus, now: Moment) {
        let is_it = |span: &TaskSpan| span.kind == kind && span.id == id;
        let at = self.open.iter().position(is_it);
        match status {
            TaskStatus::InProgress if at.is_none() => {
                let again = self.finished.iter().position(is_it).map(|at| self.finished.remove(at));
                let begun = again.unwrap_or_else(|| TaskSpan::begun(id, subject, kind, now));
                self.open.push(TaskSpan { end: None, ..begun });
                self.open.drain(..self.open.len().saturating_sub(OPEN));
                self.list_changed = now;
            }
            TaskStatus::Completed if at.is_some() || !self.finished.iter().any(is_it) => {
                let loose = || TaskSpan::begun(id, subject, kind, self.list_changed);
                let span = at.map_or_else(loose, |at| self.open.remove(at));
                self.list_changed = now;
                self.finished.push(TaskSpan { end: Some(now), ..span });
                self.finished.drain(..self.finished.len().saturating_sub(MAX_SPANS));
            }
            TaskStatus::Pending | TaskStatus::Deleted => _ = at.map(|at| self.open.remove(at)),
            _ => {}
        }
    }
}

impl<'a> Activity<'a> {
    /// What the record has between the start and the end of a span.
    pub fn of(record: &'a Record, span: &TaskSpan) -> Activity<'a> {
        let end = span.end.map_or(Place(u32::MAX), |end| end.place);
        let mut done = Activity::default();
        for event in record.events().filter(|event| (span.start.place..=end).contains(&event.seen.place)) {
            match &event.seen.what {
                Kind::Touched(Deed::Edited { .. } | Deed::Written { .. }) => done.changed(&event.seen.words),
                Kind::Committed { hash, .. } => done.commits.push((hash, &event.seen.words)),
                _ => event.seen.run().into_iter().for_each(|run| done.ran(run)),
            }
        }
        done
    }

    /// Evidence, besides the agent's claim, that a task is finished: passing tests, a commit, changed files.
    pub fn evidence(&self) -> String {
        let mut found = Vec::new();
        if let Some(tests) = self.tested.filter(|t| t.ok) {
            let passed = tests.counts.map_or("tests passed".to_owned(), |counts| format!("tests: {counts}"));
            found.push(format!("{passed} {}", tests.place));
        }
        found.extend(self.commits.last().map(|(hash, _)| format!("commit {hash}")));
        if found.is_empty() && !self.files.is_empty() {
            found.push(format!("{} changed", count_of(self.files.len(), "file")));
        }
        found.join(", ")
    }

    fn changed(&mut self, path: &'a str) {
        note_once(&mut self.files, path, MAX_SPAN_ITEMS);
        self.failing.iter_mut().for_each(|failing| note_once(&mut failing.edited, path, MAX_EDITED));
    }

    fn ran(&mut self, run: CommandRun<'a>) {
        let Some(ended) = run.ended.filter(|ended| !ended.goes_on) else { return };
        let tested = ended.tests.map(|ok| Tested { place: run.place, ok, counts: ended.counts });
        self.tested = tested.or(self.tested);
        if run.line.only_looks() {
            return;
        }
        let command = run.line.core();
        let failing = self.failing.iter().position(|failing| failing.command == command);
        match (ended.ok, failing) {
            (Some(true), Some(at)) => {
                self.resolved.push(Resolved { place: run.place, ..self.failing.remove(at) });
            }
            (Some(false), Some(at)) => self.failing[at].error = &ended.telling,
            (Some(false), None) => {
                let (error, edited) = (ended.telling.as_str(), Vec::new());
                self.failing.push(Resolved { command, error, edited, place: run.place });
            }
            _ => {}
        }
        if let Some((_, ok)) = self.commands.iter_mut().find(|(known, _)| *known == command) {
            *ok = ended.ok;
        } else if self.commands.len() < MAX_SPAN_ITEMS {
            self.commands.push((command, ended.ok));
        }
    }
}

fn note_once<'a>(list: &mut Vec<&'a str>, item: &'a str, most: usize) {
    if list.len() < most && !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;

    use TaskStatus::{Completed, InProgress, Pending};

    /// Id, start and end of the spans that have ended; of each change its turn, the task and its status.
    fn finished(changes: &[(u32, &str, &str, TaskStatus)]) -> Vec<(String, u32, u32)> {
        let mut record = Record::default();
        for (turn, id, subject, status) in changes {
            record.at(Some(i64::from(*turn)), *turn);
            record.task(Place(turn * 10), *turn, id, *status, subject);
        }
        let spans = TaskSpans::of(&record);
        spans.finished.into_iter().map(|s| (s.id, s.start.turn, s.end.unwrap().turn)).collect()
    }

    fn spans(expected: &[(&str, u32, u32)]) -> Vec<(String, u32, u32)> {
        expected.iter().map(|(id, start, end)| ((*id).to_owned(), *start, *end)).collect()
    }

    #[test]
    fn a_task_spans_from_its_start_to_its_end() {
        let changes = [
            (1, "1", "a", Pending),
            (2, "1", "a", InProgress),
            (3, "1", "a", Completed),
            (3, "2", "b", InProgress),
            (5, "2", "b", Completed),
            (9, "2", "b", Completed),
        ];
        assert_eq!(finished(&changes), spans(&[("1", 2, 3), ("2", 3, 5)]));
    }

    #[test]
    fn task_completed_without_a_start_begins_where_the_list_changed() {
        let changes = [(1, "1", "a", Pending), (4, "1", "a", Completed), (4, "2", "b", Completed)];
        assert_eq!(finished(&changes), spans(&[("1", 1, 4), ("2", 4, 4)]));
    }

    #[test]
    fn reopened_task_ends_once() {
        let changes = [
            (1, "1", "a", InProgress),
            (2, "1", "a", Completed),
            (7, "1", "a", InProgress),
            (8, "1", "a", Completed),
        ];
        assert_eq!(finished(&changes), spans(&[("1", 1, 8)]));
    }

    /// Each change of a task looks through the spans: of thousands that would take the square of their number.
    #[test]
    fn of_thousands_of_tasks_the_latest_have_spans() {
        let ids: Vec<String> = (0..300).map(|n| n.to_string()).collect();
        let of = |status| ids.iter().map(move |id| (1, id.as_str(), "a", status));
        let ended = finished(&of(InProgress).chain(of(Completed)).collect::<Vec<_>>());
        assert_eq!((ended.len(), ended[0].0.as_str(), ended[199].0.as_str()), (200, "100", "299"));
    }

    #[test]
    fn todos_are_identified_by_where_they_first_appeared() {
        let mut changes = Vec::new();
        let steps = [[InProgress, Pending], [Completed, InProgress], [Completed, Completed]];
        for (turn, [read, write]) in (1..).zip(steps) {
            changes.extend([(turn, "", "read", read), (turn, "", "write", write)]);
        }
        assert_eq!(finished(&changes), spans(&[("L10.1", 1, 2), ("L10.2", 2, 3)]));
        changes.push((9, "", "read it", Completed));
        assert_eq!(finished(&changes).len(), 2, "it may be an old one");
    }

    #[test]
    fn what_was_done_for_a_task_is_what_the_record_has_in_between() {
        let session = fold(
            &Transcript::new()
                .edit("/p/before.rs", "x", "y")
                .task_create("a")
                .task_update(1, "in_progress")
                .bash("cargo test")
                .fails("error: one")
                .bash("cargo test")
                .fails("error: two")
                .edit("/p/a.rs", "x", "y")
                .bash("cat a.rs")
                .ok("y")
                .bash("cargo test")
                .ok("test result: ok. 3 passed; 0 failed")
                .task_update(1, "completed")
                .edit("/p/after.rs", "x", "y"),
        );
        let all = TaskSpans::of(&session.record);
        let done = Activity::of(&session.record, &all.finished[0]);
        assert_eq!(done.files, ["/p/a.rs"]);
        assert_eq!(done.commands, [("cargo test", Some(true))]);
        let [resolved] = done.resolved.as_slice() else { panic!("{done:?}") };
        assert_eq!((resolved.error, resolved.edited.as_slice()), ("error: two", &["/p/a.rs"][..]));
        assert!(done.evidence().starts_with("tests: 3 passed L"), "{}", done.evidence());
    }
}
