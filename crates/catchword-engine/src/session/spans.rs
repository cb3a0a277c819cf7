//! What was done for each task, between its start and its end.
//!
//! A task of the task tools spans from `in_progress` to `completed`; its id is the client's number. A task that is
//! completed without having been started gets what was done since the list last changed. To-dos work the same; their
//! id is the line and position where they first appeared. A span only says from where to where; what was done meanwhile
//! is in the record ([`Activity::of`]).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Moment, one_line};
use crate::model::entry::{Place, TaskStatus, Todo};
use crate::reading::outcome::Counts;
use crate::record::{CommandRun, Deed, Kind, Record};
use crate::text::numbers::count_of;

/// Finished spans that are remembered.
const MAX_SPANS: usize = 200;
/// Spans open at a time. A task that is never finished stays open until newer ones displace it.
const OPEN: usize = 24;
/// Files, and commands, told of one span.
const MAX_SPAN_ITEMS: usize = 24;
/// Files told that were changed between a failure and its end.
const MAX_EDITED: usize = 3;
/// Characters kept of what was to be done.
const SUBJECT: usize = 240;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskKind {
    /// Of the task tools.
    Task,
    /// Of the to-do list.
    Todo,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskSpans {
    open: Vec<TaskSpan>,
    finished: VecDeque<TaskSpan>,
    /// Where the list last changed: a task that is completed without having been started began there.
    list_changed: Moment,
    /// Subject and id of the to-dos on the list.
    todos: Vec<(String, String)>,
}

impl TaskSpans {
    /// Spans that have ended, oldest end first.
    pub fn finished(&self) -> impl DoubleEndedIterator<Item = &TaskSpan> {
        self.finished.iter()
    }

    /// Tasks that were started and not finished.
    pub fn open(&self) -> impl Iterator<Item = &TaskSpan> {
        self.open.iter()
    }

    /// A task was created: earlier work does not count for it.
    pub fn task_created(&mut self, now: Moment) {
        self.list_changed = now;
    }

    /// A task of the task tools has a new status.
    pub fn task_changed(&mut self, id: &str, subject: &str, status: TaskStatus, now: Moment) {
        self.changed_status(id, subject, TaskKind::Task, status, now);
    }

    /// The to-do list was replaced.
    pub fn todos_replaced(&mut self, before: &[(String, TaskStatus)], todos: &[Todo], now: Moment) {
        let known = std::mem::take(&mut self.todos);
        let id_of = |n: usize, text: &str| {
            let known = known.iter().find(|(subject, _)| subject == text).map(|(_, id)| id.clone());
            known.unwrap_or_else(|| format!("{}.{}", now.place, n + 1))
        };
        self.todos =
            todos.iter().enumerate().map(|(n, todo)| (todo.text.clone(), id_of(n, &todo.text))).collect();
        let still: Vec<String> = self.todos.iter().map(|(_, id)| id.clone()).collect();
        self.open.retain(|span| span.kind != TaskKind::Todo || still.contains(&span.id));
        // Ends before starts: one task ended before the next began.
        for wanted in [TaskStatus::Completed, TaskStatus::InProgress, TaskStatus::Pending] {
            for (todo, id) in todos.iter().zip(&still).filter(|(todo, _)| todo.status == wanted) {
                let was = before.iter().find(|(subject, _)| *subject == todo.text).map(|(_, status)| *status);
                // A to-do that first appears as completed has no known end; often it is an old one reworded.
                if was == Some(wanted) || (was.is_none() && wanted == TaskStatus::Completed) {
                    continue;
                }
                self.changed_status(id, &todo.text, TaskKind::Todo, wanted, now);
            }
        }
    }

    fn changed_status(&mut self, id: &str, subject: &str, kind: TaskKind, status: TaskStatus, now: Moment) {
        let is_it = |span: &TaskSpan| span.kind == kind && span.id == id;
        let at = self.open.iter().position(is_it);
        match status {
            TaskStatus::InProgress if at.is_none() => {
                let again = self.finished.iter().position(is_it).and_then(|at| self.finished.remove(at));
                let span = TaskSpan {
                    end: None,
                    ..again.unwrap_or_else(|| TaskSpan::begun(id, subject, kind, now))
                };
                self.open.push(span);
                if self.open.len() > OPEN {
                    self.open.remove(0);
                }
                self.list_changed = now;
            }
            TaskStatus::Completed if at.is_some() || !self.finished.iter().any(is_it) => {
                let loose = || TaskSpan::begun(id, subject, kind, self.list_changed);
                let span = at.map_or_else(loose, |at| self.open.remove(at));
                self.list_changed = now;
                self.finish(TaskSpan { end: Some(now), ..span });
            }
            TaskStatus::Pending | TaskStatus::Deleted => _ = at.map(|at| self.open.remove(at)),
            _ => {}
        }
    }

    fn finish(&mut self, span: TaskSpan) {
        self.finished.push_back(span);
        if self.finished.len() > MAX_SPANS {
            self.finished.pop_front();
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
                Kind::Committed { hash } => done.commits.push((hash, &event.seen.words)),
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

    fn at(turn: u32) -> Moment {
        Moment { place: Place(turn * 10), time: Some(i64::from(turn)), turn }
    }

    /// Id, start and end of the spans that have ended.
    fn finished(spans: &TaskSpans) -> Vec<(&str, u32, u32)> {
        spans.finished().map(|s| (s.id.as_str(), s.start.turn, s.end.unwrap().turn)).collect()
    }

    #[test]
    fn a_task_spans_from_its_start_to_its_end() {
        let mut spans = TaskSpans::default();
        spans.task_created(at(1));
        spans.task_changed("1", "a", TaskStatus::InProgress, at(2));
        spans.task_changed("1", "a", TaskStatus::Completed, at(3));
        spans.task_changed("2", "b", TaskStatus::InProgress, at(3));
        spans.task_changed("2", "b", TaskStatus::Completed, at(5));
        spans.task_changed("2", "b", TaskStatus::Completed, at(9));
        assert_eq!(finished(&spans), [("1", 2, 3), ("2", 3, 5)]);
    }

    #[test]
    fn task_completed_without_a_start_begins_where_the_list_changed() {
        let mut spans = TaskSpans::default();
        spans.task_created(at(1));
        spans.task_changed("1", "a", TaskStatus::Completed, at(4));
        spans.task_changed("2", "b", TaskStatus::Completed, at(4));
        assert_eq!(finished(&spans), [("1", 1, 4), ("2", 4, 4)]);
    }

    #[test]
    fn reopened_task_ends_once() {
        let mut spans = TaskSpans::default();
        spans.task_changed("1", "a", TaskStatus::InProgress, at(1));
        spans.task_changed("1", "a", TaskStatus::Completed, at(2));
        spans.task_changed("1", "a", TaskStatus::InProgress, at(7));
        spans.task_changed("1", "a", TaskStatus::Completed, at(8));
        assert_eq!(finished(&spans), [("1", 1, 8)]);
    }

    #[test]
    fn todos_are_identified_by_where_they_first_appeared() {
        use TaskStatus::{Completed, InProgress, Pending};
        let list = |statuses: &[TaskStatus]| -> Vec<Todo> {
            let texts = ["read", "write"].iter().zip(statuses);
            texts.map(|(text, status)| Todo { text: (*text).to_owned(), status: *status }).collect()
        };
        let steps = [[InProgress, Pending], [Completed, InProgress], [Completed, Completed]];
        let mut spans = TaskSpans::default();
        let mut before = Vec::new();
        for (n, step) in steps.iter().enumerate() {
            let todos = list(step);
            spans.todos_replaced(&before, &todos, at(n as u32 + 1));
            before = todos.into_iter().map(|todo| (todo.text, todo.status)).collect();
        }
        assert_eq!(finished(&spans), [("L10.1", 1, 2), ("L10.2", 2, 3)]);
        let reworded = [Todo { text: "read it".into(), status: Completed }];
        spans.todos_replaced(&before, &reworded, at(9));
        assert_eq!(finished(&spans).len(), 2, "it may be an old one");
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
        let span = session.spans.finished().next().expect("a finished task");
        let done = Activity::of(&session.record, span);
        assert_eq!(done.files, ["/p/a.rs"]);
        assert_eq!(done.commands, [("cargo test", Some(true))]);
        let [resolved] = done.resolved.as_slice() else { panic!("{done:?}") };
        assert_eq!((resolved.error, resolved.edited.as_slice()), ("error: two", &["/p/a.rs"][..]));
        assert!(done.evidence().starts_with("tests: 3 passed L"), "{}", done.evidence());
    }
}
