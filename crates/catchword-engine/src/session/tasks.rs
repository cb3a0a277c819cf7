//! To-dos and tasks with their current status, from every row that shows it: the calls that change them, the client's
//! own lists, and edits that add what a task names.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::lexicon::languages::Sense;
use crate::model::entry::{Place, TaskState, TaskStatus, Todo};
use crate::text::phrases::ReadSentence;
use crate::text::words::{self, Word};

/// The to-do list and the tasks of the task tools; clients have one or the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tasks {
    todos: Vec<Task>,
    /// Those of the task tools, which have numbers.
    numbered: Vec<Task>,
    #[serde(skip)]
    index: TaskIndex,
    /// The latest row that changed or showed a list.
    pub updated: Place,
}

/// Where the numbered tasks are, so that none of thousands is searched for in all others. It says nothing of its own, and
/// is built again for tasks of a snapshot.
#[derive(Clone, Debug, Default)]
struct TaskIndex {
    at: HashMap<String, usize>,
    /// Tasks that are in it.
    upto: usize,
}

impl PartialEq for TaskIndex {
    fn eq(&self, _: &TaskIndex) -> bool {
        true
    }
}

#[cfg(test)]
thread_local! {
    /// Tasks that were put into an index on this thread.
    static INDEXED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl TaskIndex {
    fn find(&mut self, tasks: &[Task], id: &str) -> Option<usize> {
        for (at, task) in tasks.iter().enumerate().skip(self.upto) {
            #[cfg(test)]
            INDEXED.set(INDEXED.get() + 1);
            if let Some(id) = &task.id {
                self.at.entry(id.clone()).or_insert(at);
            }
        }
        self.upto = tasks.len();
        self.at.get(id).copied()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The client's number; `None` for to-dos.
    pub id: Option<String>,
    /// What is to be done.
    pub subject: String,
    /// Its description, on one line; empty if it has none.
    pub detail: String,
    pub status: TaskStatus,
    /// Row of its latest change of status.
    pub place: Place,
    /// What it should add, by its subject.
    adds: Option<NamesToAdd>,
    /// The edit that added what the task names, while it was open.
    pub added: Option<Added>,
}

/// The identifier or file that a task should add, and the other names in its subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NamesToAdd {
    name: String,
    others: Vec<String>,
}

/// An edit that adds what a task names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    pub place: Place,
    /// The identifier or file.
    pub name: String,
}

impl Task {
    fn new(id: Option<String>, subject: &str, status: TaskStatus, place: Place) -> Task {
        let (subject, adds) = (subject.to_owned(), names_to_add(subject));
        Task { id, subject, detail: String::new(), status, place, adds, added: None }
    }

    fn rename(&mut self, subject: &str) {
        if self.subject != subject {
            subject.clone_into(&mut self.subject);
            self.adds = names_to_add(subject);
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.status, TaskStatus::Pending | TaskStatus::InProgress) && !self.subject.is_empty()
    }
}

impl Tasks {
    /// Replaces the to-do list. An item keeps its row while its status is the same.
    pub fn replaced(&mut self, todos: &[Todo], place: Place) {
        self.updated = place;
        let old = std::mem::take(&mut self.todos);
        self.todos = todos
            .iter()
            .map(|todo| {
                let same = old.iter().find(|t| t.subject == todo.text && t.status == todo.status);
                same.cloned().unwrap_or_else(|| Task::new(None, &todo.text, todo.status, place))
            })
            .collect();
    }

    /// Records a new task.
    pub fn created(&mut self, id: Option<String>, subject: &str, detail: &str, place: Place) {
        self.updated = place;
        let known = id.as_deref().and_then(|id| self.index.find(&self.numbered, id));
        // An update may come before the result that names the new task.
        let at = known.unwrap_or_else(|| {
            self.numbered.push(Task::new(id, subject, TaskStatus::Pending, place));
            self.numbered.len() - 1
        });
        self.numbered[at].rename(subject);
        detail.clone_into(&mut self.numbered[at].detail);
    }

    /// Records a changed task. One that was never seen created is kept without a subject.
    pub fn updated(&mut self, id: &str, status: Option<TaskStatus>, subject: Option<&str>, place: Place) {
        self.updated = place;
        let at = self.index.find(&self.numbered, id).unwrap_or_else(|| {
            self.numbered.push(Task::new(Some(id.to_owned()), "", TaskStatus::Pending, place));
            self.numbered.len() - 1
        });
        let task = &mut self.numbered[at];
        if let Some(status) = status {
            (task.status, task.place) = (status, place);
        }
        if let Some(subject) = subject {
            task.rename(subject);
        }
    }

    /// Records a task list of the client. Open tasks that a `whole` list lacks were deleted.
    pub fn listed(&mut self, tasks: &[TaskState], whole: bool, place: Place) {
        self.updated = place;
        for task in tasks {
            let known = self.index.find(&self.numbered, &task.id);
            let changed = known.is_none_or(|at| self.numbered[at].status != task.status);
            self.updated(&task.id, changed.then_some(task.status), Some(&task.subject), place);
        }
        let listed: HashSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        let is_listed = |t: &Task| t.id.as_deref().is_some_and(|id| listed.contains(id));
        for gone in self.numbered.iter_mut().filter(|t| whole && t.is_open() && !is_listed(t)) {
            (gone.status, gone.place) = (TaskStatus::Deleted, place);
        }
    }

    /// Records an edit: `change` is the removed and the added text, `added` the added text.
    pub fn edited(&mut self, path: &str, change: &str, added: &str, place: Place) {
        let open =
            self.todos.iter_mut().chain(&mut self.numbered).filter(|t| t.is_open() && t.added.is_none());
        for task in open {
            let Some(NamesToAdd { name, others }) = &task.adds else { continue };
            let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
            let is_there = |other: &String| change.contains(other) || path.contains(other);
            let is_new = file == name
                || (added.contains(name) && change.matches(name).count() == added.matches(name).count());
            let name = (is_new && others.iter().all(is_there)).then_some(name);
            task.added = name.map(|name| Added { place, name: name.clone() });
        }
    }

    /// Unfinished tasks: those in progress first, then in order.
    pub fn open(&self) -> Vec<&Task> {
        let open = |status| self.all().filter(move |t| t.status == status && !t.subject.is_empty());
        open(TaskStatus::InProgress).chain(open(TaskStatus::Pending)).collect()
    }

    /// Completed tasks.
    pub fn done(&self) -> Vec<&Task> {
        self.all().filter(|t| t.status == TaskStatus::Completed && !t.subject.is_empty()).collect()
    }

    /// The subject of the task with this id.
    pub fn subject(&self, id: &str) -> Option<&str> {
        self.numbered.iter().find(|t| t.id.as_deref() == Some(id)).map(|t| t.subject.as_str())
    }

    fn all(&self) -> impl Iterator<Item = &Task> {
        self.todos.iter().chain(&self.numbered)
    }
}

/// "Add `WorktreeID` to the state" adds one, "Fix `parse_line`" names something that exists already.
fn names_to_add(subject: &str) -> Option<NamesToAdd> {
    let read = ReadSentence::new(subject);
    let adds = read.all(Sense::Creates).any(|hit| hit.at < 4);
    let mut names = Vec::new();
    words::scan(subject, |word| match word {
        Word::Path(name) | Word::Name(name) => names.push(name.rsplit('/').next().unwrap_or(name)),
        Word::Number(_) => {}
    });
    let mut names = names.into_iter().map(str::to_owned);
    let name = names.next().filter(|name| adds && name.len() > 4)?;
    Some(NamesToAdd { name, others: names.collect() })
}

/// The number in "Task #3 created successfully".
pub fn id_in(text: &str) -> Option<String> {
    let rest = &text[text.find("Task #")? + "Task #".len()..];
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo(text: &str, status: TaskStatus) -> Todo {
        Todo { text: text.into(), status }
    }

    #[test]
    fn todo_keeps_its_row_while_its_status_is_unchanged() {
        let mut tasks = Tasks::default();
        tasks.replaced(&[todo("a", TaskStatus::Pending), todo("b", TaskStatus::Pending)], Place(1));
        tasks.replaced(&[todo("a", TaskStatus::InProgress), todo("b", TaskStatus::Pending)], Place(9));
        let open: Vec<_> = tasks.open().iter().map(|t| (t.subject.clone(), t.place.0)).collect();
        assert_eq!(open, [("a".to_owned(), 9), ("b".to_owned(), 1)]);
    }

    /// A session of thousands of tasks must not cost the square of their number.
    #[test]
    fn a_task_is_found_without_looking_at_all_others_also_after_a_snapshot() {
        INDEXED.set(0);
        let mut tasks = Tasks::default();
        let subject = |n: usize| format!("task {n}");
        (0..500).for_each(|n| tasks.created(Some(n.to_string()), &subject(n), "", Place(1)));
        (0..500).for_each(|n| tasks.updated(&n.to_string(), Some(TaskStatus::Completed), None, Place(2)));
        assert!(INDEXED.get() <= 500, "{} steps for 500 tasks", INDEXED.get());
        let bytes = postcard::to_allocvec(&tasks).unwrap();
        let mut read: Tasks = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read, tasks);
        read.updated("7", Some(TaskStatus::Pending), Some("again"), Place(3));
        assert_eq!(read.open().iter().map(|task| task.subject.as_str()).collect::<Vec<_>>(), ["again"]);
        assert_eq!(read.done().len(), 499);
    }

    #[test]
    fn completed_and_deleted_tasks_are_not_open() {
        let mut tasks = Tasks::default();
        for (id, status) in
            [("1", TaskStatus::Completed), ("2", TaskStatus::Deleted), ("3", TaskStatus::InProgress)]
        {
            tasks.created(Some(id.into()), &format!("task {id}"), "", Place(1));
            tasks.updated(id, Some(status), None, Place(2));
        }
        assert_eq!(tasks.open().iter().map(|t| t.subject.as_str()).collect::<Vec<_>>(), ["task 3"]);
        assert_eq!(tasks.done().iter().map(|t| t.subject.as_str()).collect::<Vec<_>>(), ["task 1"]);
    }

    #[test]
    fn update_before_the_creation_is_kept() {
        let mut tasks = Tasks::default();
        tasks.updated("4", Some(TaskStatus::InProgress), None, Place(3));
        assert!(tasks.open().is_empty(), "nothing to show without a subject");
        tasks.created(Some("4".into()), "late", "", Place(2));
        assert_eq!(tasks.open()[0].status, TaskStatus::InProgress);
    }

    #[test]
    fn client_list_overrides_the_recorded_status() {
        let listed = |id: &str, status| TaskState { id: id.into(), subject: format!("task {id}"), status };
        let mut tasks = Tasks::default();
        tasks.created(Some("1".into()), "task 1", "", Place(1));
        tasks.created(Some("2".into()), "task 2", "", Place(2));
        tasks.listed(&[listed("1", TaskStatus::Completed)], false, Place(5));
        assert_eq!(tasks.open().iter().map(|t| t.subject.as_str()).collect::<Vec<_>>(), ["task 2"]);
        let all = [listed("1", TaskStatus::Completed), listed("3", TaskStatus::InProgress)];
        tasks.listed(&all, true, Place(9));
        assert_eq!(tasks.open().iter().map(|t| t.subject.as_str()).collect::<Vec<_>>(), ["task 3"]);
    }

    #[test]
    fn edit_that_adds_a_tasks_identifier_is_recorded() {
        let mut tasks = Tasks::default();
        tasks.created(Some("1".into()), "Add WorktreeID to SessionState", "", Place(1));
        tasks.created(Some("2".into()), "Fix parse_line for tabs", "", Place(2));
        tasks.created(Some("3".into()), "Write bench_all.sh", "", Place(3));
        tasks.edited(
            "src/a.rs",
            "SessionState::new()\nlet parse_line = WorktreeID;",
            "let parse_line = WorktreeID;",
            Place(6),
        );
        tasks.edited("src/b.rs", "WorktreeID\nWorktreeID::new()", "WorktreeID::new()", Place(7));
        tasks.edited("scripts/bench_all.sh", "", "", Place(8));
        let added: Vec<_> = tasks.open().iter().map(|t| t.added.as_ref().map(|a| a.place.0)).collect();
        assert_eq!(added, [Some(6), None, Some(8)]);
    }

    #[test]
    fn task_number_is_parsed_from_the_result() {
        assert_eq!(id_in("Task #12 created successfully: x"), Some("12".into()));
        assert_eq!(id_in("no number"), None);
    }
}
