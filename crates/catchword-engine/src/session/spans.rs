//! What was done for each task, between its start and its end.
//!
//! A task of the task tools spans from `in_progress` to `completed`; its id is the client's number. A task that is
//! completed without having been started gets what was done since the list last changed. To-dos work the same; their
//! id is the line and position where they first appeared. Because most models have no such tools, every request of
//! the person is a span too: from the prompt to the last answer before they asked for something else. An action counts
//! for every span that is open at that moment. Everything is bounded.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::log::Moment;
use super::one_line;
use crate::model::entry::{Place, TaskStatus, Todo};
use crate::reading::command::ShellLine;
use crate::reading::outcome::Counts;
use crate::text::numbers::count_of;
use crate::text::reply;

/// Finished spans that are remembered.
const MAX_SPANS: usize = 200;
/// Spans open at a time. A task that is never finished stays open until newer ones displace it.
const OPEN: usize = 24;
/// Files, and commands, remembered of one span.
const MAX_SPAN_ITEMS: usize = 24;
/// Failures and commits remembered of one span.
const FEW: usize = 8;
/// Characters kept of a request.
const SUBJECT: usize = 240;
/// Characters kept of a command.
const COMMAND: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskKind {
    /// Of the task tools.
    Task,
    /// Of the to-do list.
    Todo,
    /// A request of the person.
    Request,
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
    /// What was done meanwhile.
    pub done: Activity,
    /// It has ended, and nothing was changed, run or committed for it.
    pub idle: bool,
}

impl TaskSpan {
    fn begun(id: &str, subject: &str, kind: TaskKind, start: Moment) -> TaskSpan {
        let subject = one_line(subject, SUBJECT);
        let done = Activity::default();
        TaskSpan { id: id.to_owned(), subject, kind, start, end: None, done, idle: false }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// Files changed, in the order of their first change.
    pub files: Vec<String>,
    /// Commands run, in the order of their first run, with their last result; without those that only read.
    pub commands: Vec<(String, Option<bool>)>,
    /// Commits made, with their messages.
    pub commits: Vec<(String, String)>,
    /// The latest tests.
    pub tested: Option<Tested>,
    /// Commands that failed and passed later.
    pub resolved: Vec<Resolved>,
    failing: Vec<Failing>,
}

/// A run of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    pub place: Place,
    /// They passed.
    pub ok: bool,
    /// How many, if the runner says.
    pub counts: Option<Counts>,
}

/// A failure that was fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// The command that failed and passes now.
    pub command: String,
    /// Its last error.
    pub error: String,
    /// The files that were changed in between.
    pub edited: Vec<String>,
    /// Where it passed.
    pub place: Place,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Failing {
    command: String,
    error: String,
    edited: Vec<String>,
}

/// A command that has ended.
pub struct Ended<'a> {
    pub line: &'a ShellLine,
    /// Whether it succeeded, if known.
    pub ok: Option<bool>,
    /// The most informative line of its output.
    pub telling: &'a str,
    /// The test result, if it ran tests.
    pub tested: Option<Tested>,
    pub place: Place,
}

/// All spans of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskSpans {
    open: Vec<TaskSpan>,
    finished: VecDeque<TaskSpan>,
    /// What was done since the list last changed, for a task that is completed without having been started.
    loose: Activity,
    loose_from: Moment,
    /// Subject and id of the to-dos on the list.
    todos: Vec<(String, String)>,
    request: Option<TaskSpan>,
    /// Where the agent ended its turn on the current request: a row says so, or no call followed its last message (older
    /// clients do not write the end of a turn).
    answered: Option<Moment>,
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

    /// The person's current request.
    pub fn request(&self) -> Option<&TaskSpan> {
        self.request.as_ref()
    }

    /// A task was created: earlier work does not count for it.
    pub fn task_created(&mut self, now: Moment) {
        self.begin_loose(now);
    }

    /// A task of the task tools has a new status. Returns the span that this finishes.
    pub fn task_changed(
        &mut self,
        id: &str,
        subject: &str,
        status: TaskStatus,
        now: Moment,
    ) -> Option<&TaskSpan> {
        self.changed_status(id, subject, TaskKind::Task, status, now)
    }

    /// The to-do list was replaced. Returns how many spans this finished: the last ones of [`TaskSpans::finished`].
    pub fn todos_replaced(&mut self, before: &[(String, TaskStatus)], todos: &[Todo], now: Moment) -> usize {
        let known = std::mem::take(&mut self.todos);
        let id_of = |n: usize, text: &str| {
            let known = known.iter().find(|(subject, _)| subject == text).map(|(_, id)| id.clone());
            known.unwrap_or_else(|| format!("{}.{}", now.place, n + 1))
        };
        self.todos =
            todos.iter().enumerate().map(|(n, todo)| (todo.text.clone(), id_of(n, &todo.text))).collect();
        let still: Vec<String> = self.todos.iter().map(|(_, id)| id.clone()).collect();
        self.open.retain(|span| span.kind != TaskKind::Todo || still.contains(&span.id));
        let mut ended = 0;
        // Ends before starts: one task ended before the next began.
        for wanted in [TaskStatus::Completed, TaskStatus::InProgress, TaskStatus::Pending] {
            for (todo, id) in todos.iter().zip(&still).filter(|(todo, _)| todo.status == wanted) {
                let was = before.iter().find(|(subject, _)| *subject == todo.text).map(|(_, status)| *status);
                // A to-do that first appears as completed has no known end; often it is an old one reworded.
                if was == Some(wanted) || (was.is_none() && wanted == TaskStatus::Completed) {
                    continue;
                }
                let done = self.changed_status(id, &todo.text, TaskKind::Todo, wanted, now).is_some();
                ended += usize::from(done);
            }
        }
        ended
    }

    fn changed_status(
        &mut self,
        id: &str,
        subject: &str,
        kind: TaskKind,
        status: TaskStatus,
        now: Moment,
    ) -> Option<&TaskSpan> {
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
                self.begin_loose(now);
                None
            }
            TaskStatus::Completed if at.is_some() || !self.finished.iter().any(is_it) => {
                let mut span = if let Some(at) = at {
                    self.open.remove(at)
                } else {
                    let done = std::mem::take(&mut self.loose);
                    TaskSpan { done, ..TaskSpan::begun(id, subject, kind, self.loose_from) }
                };
                span.end = Some(now);
                self.begin_loose(now);
                self.finish(span);
                self.finished.back()
            }
            TaskStatus::Pending | TaskStatus::Deleted => {
                at.map(|at| self.open.remove(at));
                None
            }
            _ => None,
        }
    }

    /// The person sent a prompt. Replies without a request ("yes", "go on") and prompts sent while the agent is working
    /// belong to the request before.
    pub fn prompted(&mut self, text: &str, now: Moment, interrupted: bool) {
        let answered = self.answered.take();
        if reply::is_reply(text) {
            return;
        }
        match (self.request.take(), answered) {
            (Some(request), Some(end)) => self.finish(TaskSpan { end: Some(end), ..request }),
            (Some(request), None) if !interrupted => {
                self.request = Some(request);
                return;
            }
            _ => {}
        }
        self.request = Some(TaskSpan::begun(&now.place.to_string(), text, TaskKind::Request, now));
    }

    /// The agent wrote a message or ended its turn: that is the answer, unless it continues.
    pub fn answered(&mut self, now: Moment) {
        self.answered = Some(now);
    }

    /// The agent continues or was interrupted: the request has no answer yet.
    pub fn unanswered(&mut self) {
        self.answered = None;
    }

    pub fn changed(&mut self, path: &str) {
        self.each(|done| done.changed(path));
    }

    /// A command has ended.
    pub fn ran(&mut self, ended: &Ended) {
        self.each(|done| done.ran(ended));
    }

    pub fn committed(&mut self, hash: &str, subject: &str) {
        self.each(|done| done.commits.push((hash.to_owned(), one_line(subject, COMMAND))));
        self.each(|done| keep_latest(&mut done.commits, FEW));
    }

    fn each(&mut self, mut note: impl FnMut(&mut Activity)) {
        self.open.iter_mut().for_each(|span| note(&mut span.done));
        self.request.iter_mut().for_each(|span| note(&mut span.done));
        note(&mut self.loose);
    }

    fn begin_loose(&mut self, now: Moment) {
        (self.loose, self.loose_from) = (Activity::default(), now);
    }

    fn finish(&mut self, mut span: TaskSpan) {
        span.idle = span.done.is_empty();
        self.finished.push_back(span);
        if self.finished.len() > MAX_SPANS {
            self.finished.pop_front();
        }
    }
}

impl Activity {
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

    /// Nothing was changed, run or committed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.commands.is_empty() && self.commits.is_empty()
    }

    fn changed(&mut self, path: &str) {
        note_once(&mut self.files, path, MAX_SPAN_ITEMS);
        for failing in &mut self.failing {
            note_once(&mut failing.edited, path, 3);
        }
    }

    fn ran(&mut self, ended: &Ended) {
        if ended.tested.is_some() {
            self.tested = ended.tested;
        }
        if ended.line.only_looks() {
            return;
        }
        let command = one_line(ended.line.core(), COMMAND);
        self.resolve(ended);
        if let Some((_, ok)) = self.commands.iter_mut().find(|(known, _)| *known == command) {
            *ok = ended.ok;
        } else if self.commands.len() < MAX_SPAN_ITEMS {
            self.commands.push((command, ended.ok));
        }
    }

    fn resolve(&mut self, ended: &Ended) {
        let command = one_line(ended.line.core(), COMMAND);
        let at = self.failing.iter().position(|failing| failing.command == command);
        match (ended.ok, at) {
            (Some(true), Some(at)) => {
                let Failing { command, error, edited } = self.failing.remove(at);
                self.resolved.push(Resolved { command, error, edited, place: ended.place });
                keep_latest(&mut self.resolved, FEW);
            }
            (Some(false), None) => {
                let error = ended.telling.to_owned();
                self.failing.push(Failing { command, error, edited: Vec::new() });
                keep_latest(&mut self.failing, FEW);
            }
            (Some(false), Some(at)) => ended.telling.clone_into(&mut self.failing[at].error),
            _ => {}
        }
    }
}

fn note_once(list: &mut Vec<String>, item: &str, most: usize) {
    if list.len() < most && !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

fn keep_latest<T>(list: &mut Vec<T>, most: usize) {
    let excess = list.len().saturating_sub(most);
    list.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(turn: u32) -> Moment {
        Moment { place: Place(turn * 10), time: Some(i64::from(turn)), turn }
    }

    fn finished(spans: &TaskSpans) -> Vec<(&str, u32, u32, usize)> {
        spans
            .finished()
            .map(|s| (s.id.as_str(), s.start.turn, s.end.unwrap().turn, s.done.files.len()))
            .collect()
    }

    #[test]
    fn work_counts_for_the_open_task() {
        let mut spans = TaskSpans::default();
        spans.task_created(at(1));
        spans.task_changed("1", "a", TaskStatus::InProgress, at(2));
        spans.changed("a.rs");
        spans.task_changed("1", "a", TaskStatus::Completed, at(3));
        spans.task_changed("2", "b", TaskStatus::InProgress, at(3));
        spans.changed("b.rs");
        spans.changed("c.rs");
        spans.changed("b.rs");
        spans.task_changed("2", "b", TaskStatus::Completed, at(5));
        spans.task_changed("2", "b", TaskStatus::Completed, at(9));
        assert_eq!(finished(&spans), [("1", 2, 3, 1), ("2", 3, 5, 2)]);
    }

    #[test]
    fn task_completed_without_a_start_gets_the_work_since_the_list_changed() {
        let mut spans = TaskSpans::default();
        spans.changed("before.rs");
        spans.task_created(at(1));
        spans.changed("a.rs");
        assert!(spans.task_changed("1", "a", TaskStatus::Completed, at(4)).is_some());
        assert!(spans.task_changed("2", "b", TaskStatus::Completed, at(4)).is_some());
        assert_eq!(finished(&spans), [("1", 1, 4, 1), ("2", 4, 4, 0)]);
    }

    #[test]
    fn reopened_task_ends_once_and_keeps_its_work() {
        let mut spans = TaskSpans::default();
        spans.task_changed("1", "a", TaskStatus::InProgress, at(1));
        spans.changed("a.rs");
        spans.task_changed("1", "a", TaskStatus::Completed, at(2));
        spans.task_changed("1", "a", TaskStatus::InProgress, at(7));
        spans.changed("b.rs");
        spans.task_changed("1", "a", TaskStatus::Completed, at(8));
        assert_eq!(finished(&spans), [("1", 1, 8, 2)]);
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
            spans.changed(&format!("{n}.rs"));
        }
        assert_eq!(finished(&spans), [("L10.1", 1, 2, 1), ("L10.2", 2, 3, 1)]);
        let reworded = [Todo { text: "read it".into(), status: Completed }];
        assert_eq!(spans.todos_replaced(&before, &reworded, at(9)), 0, "it may be an old one");
    }

    #[test]
    fn request_ends_with_its_last_answer_before_the_next_request() {
        let mut spans = TaskSpans::default();
        spans.prompted("fix the parser", at(0), false);
        spans.changed("a.rs");
        spans.prompted("and use tabs", at(1), false);
        spans.answered(at(2));
        spans.prompted("yes", at(2), false);
        spans.changed("b.rs");
        spans.answered(at(4));
        assert_eq!(finished(&spans).len(), 0, "nothing else was asked for");
        spans.prompted("now the docs", at(4), false);
        assert_eq!(finished(&spans), [("L0", 0, 4, 2)]);
        spans.unanswered();
        spans.prompted("leave that, do the tests", at(5), true);
        assert_eq!(finished(&spans).len(), 1, "what was stopped is not answered");
        assert_eq!(spans.request().unwrap().subject, "leave that, do the tests");
    }

    #[test]
    fn passing_run_resolves_a_failure() {
        let mut spans = TaskSpans::default();
        spans.task_changed("1", "a", TaskStatus::InProgress, at(1));
        let line = ShellLine::parse("cargo test");
        let run = |ok, telling| Ended {
            line: &line,
            ok: Some(ok),
            telling,
            tested: Some(Tested { place: Place(7), ok, counts: None }),
            place: Place(7),
        };
        spans.ran(&run(false, "error: one"));
        spans.ran(&run(false, "error: two"));
        spans.changed("a.rs");
        spans.ran(&run(true, "ok"));
        let done = spans.task_changed("1", "a", TaskStatus::Completed, at(2)).unwrap().done.clone();
        assert_eq!(done.commands, [("cargo test".to_owned(), Some(true))]);
        let resolved = &done.resolved[0];
        assert_eq!(
            (resolved.error.as_str(), resolved.edited.as_slice()),
            ("error: two", &["a.rs".to_owned()][..])
        );
        assert_eq!(done.evidence(), "tests passed L7");
    }

    #[test]
    fn span_is_bounded() {
        let mut spans = TaskSpans::default();
        spans.task_changed("1", "a", TaskStatus::InProgress, at(1));
        for n in 0..500 {
            spans.changed(&format!("{n}.rs"));
            spans.committed(&n.to_string(), "x");
            let line = ShellLine::parse(&format!("make {n}"));
            spans.ran(&Ended { line: &line, ok: Some(false), telling: "x", tested: None, place: Place(n) });
        }
        let done = &spans.open().next().unwrap().done;
        let sizes = (done.files.len(), done.commands.len(), done.commits.len(), done.failing.len());
        assert_eq!(sizes, (MAX_SPAN_ITEMS, MAX_SPAN_ITEMS, FEW, FEW));
    }
}
