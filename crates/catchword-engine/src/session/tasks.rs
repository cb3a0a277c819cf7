//! To-dos and tasks with their true status.

use serde::{Deserialize, Serialize};

use crate::agent::entry::{Place, TaskStatus, Todo};

/// The to-do list and the tasks of the task tools; clients have one or the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tasks {
    todos: Vec<Task>,
    tasks: Vec<Task>,
}

/// One task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The client's number; to-dos have none.
    pub id: Option<String>,
    /// What is to be done.
    pub subject: String,
    /// How far it is.
    pub status: TaskStatus,
    /// Where it last changed.
    pub place: Place,
}

impl Tasks {
    /// The to-do list was written anew. An item keeps its place while its status stays.
    pub fn replaced(&mut self, todos: &[Todo], place: Place) {
        let old = std::mem::take(&mut self.todos);
        self.todos = todos
            .iter()
            .map(|todo| {
                let same = old.iter().find(|t| t.subject == todo.text && t.status == todo.status);
                let place = same.map_or(place, |t| t.place);
                Task { id: None, subject: todo.text.clone(), status: todo.status, place }
            })
            .collect();
    }

    /// A task was created.
    pub fn created(&mut self, id: Option<String>, subject: &str, place: Place) {
        let known = self.tasks.iter_mut().find(|t| id.is_some() && t.id == id);
        match known {
            // An update can be read before the answer that names the new task.
            Some(task) => subject.clone_into(&mut task.subject),
            None => {
                self.tasks.push(Task { id, subject: subject.to_owned(), status: TaskStatus::Pending, place });
            }
        }
    }

    /// A task was changed. One we never saw created is kept without a subject.
    pub fn updated(&mut self, id: &str, status: Option<TaskStatus>, subject: Option<&str>, place: Place) {
        let at = self.tasks.iter().position(|t| t.id.as_deref() == Some(id)).unwrap_or_else(|| {
            let task =
                Task { id: Some(id.to_owned()), subject: String::new(), status: TaskStatus::Pending, place };
            self.tasks.push(task);
            self.tasks.len() - 1
        });
        let task = &mut self.tasks[at];
        if let Some(status) = status {
            (task.status, task.place) = (status, place);
        }
        if let Some(subject) = subject {
            subject.clone_into(&mut task.subject);
        }
    }

    /// What is not finished: under way first, then in order.
    pub fn open(&self) -> Vec<&Task> {
        let open = |status| self.all().filter(move |t| t.status == status && !t.subject.is_empty());
        open(TaskStatus::InProgress).chain(open(TaskStatus::Pending)).collect()
    }

    /// What was finished.
    pub fn done(&self) -> Vec<&Task> {
        self.all().filter(|t| t.status == TaskStatus::Completed && !t.subject.is_empty()).collect()
    }

    /// The subject of a task of the task tools.
    pub fn subject(&self, id: &str) -> Option<&str> {
        self.tasks.iter().find(|t| t.id.as_deref() == Some(id)).map(|t| t.subject.as_str())
    }

    /// The to-do list as it stands: subject and status.
    pub fn todos(&self) -> Vec<(String, TaskStatus)> {
        self.todos.iter().map(|t| (t.subject.clone(), t.status)).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Task> {
        self.todos.iter().chain(&self.tasks)
    }
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
    fn a_todo_keeps_its_place_while_its_status_stays() {
        let mut tasks = Tasks::default();
        tasks.replaced(&[todo("a", TaskStatus::Pending), todo("b", TaskStatus::Pending)], Place(1));
        tasks.replaced(&[todo("a", TaskStatus::InProgress), todo("b", TaskStatus::Pending)], Place(9));
        let open: Vec<_> = tasks.open().iter().map(|t| (t.subject.clone(), t.place.0)).collect();
        assert_eq!(open, [("a".to_owned(), 9), ("b".to_owned(), 1)]);
    }

    #[test]
    fn completed_and_deleted_tasks_are_not_open() {
        let mut tasks = Tasks::default();
        for (id, status) in
            [("1", TaskStatus::Completed), ("2", TaskStatus::Deleted), ("3", TaskStatus::InProgress)]
        {
            tasks.created(Some(id.into()), &format!("task {id}"), Place(1));
            tasks.updated(id, Some(status), None, Place(2));
        }
        assert_eq!(tasks.open().iter().map(|t| t.subject.as_str()).collect::<Vec<_>>(), ["task 3"]);
        assert_eq!(tasks.done().iter().map(|t| t.subject.as_str()).collect::<Vec<_>>(), ["task 1"]);
    }

    #[test]
    fn an_update_before_its_creation_is_known_is_kept() {
        let mut tasks = Tasks::default();
        tasks.updated("4", Some(TaskStatus::InProgress), None, Place(3));
        assert!(tasks.open().is_empty(), "nothing to show without a subject");
        tasks.created(Some("4".into()), "late", Place(2));
        assert_eq!(tasks.open()[0].status, TaskStatus::InProgress);
    }

    #[test]
    fn the_task_number_is_read_from_the_answer() {
        assert_eq!(id_in("Task #12 created successfully: x"), Some("12".into()));
        assert_eq!(id_in("no number"), None);
    }
}
