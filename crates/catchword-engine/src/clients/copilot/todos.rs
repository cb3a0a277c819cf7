//! The agent's tasks: rows of a table `todos`, which it changes with statements in SQL.
//!
//! Only statements that name their tasks are understood; after any other change we say nothing about the list.

use crate::model::entry::{Part, TaskState, TaskStatus, Tool};

/// A call of the tool: what it does to the tasks, or an ordinary call.
pub fn parts(call: &str, query: &str) -> Vec<Part> {
    let tool = Tool::Other { name: "sql".to_owned(), input: query.to_owned() };
    let mut parts = vec![Part::Call { id: call.to_owned(), tool }];
    for statement in statements(query) {
        parts.extend(changes(&statement));
    }
    parts
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SqlToken {
    /// A word in lower case, or a sign.
    Plain(String),
    Quoted(String),
}

/// The tokens of each statement.
fn statements(query: &str) -> Vec<Vec<SqlToken>> {
    let mut all = vec![Vec::new()];
    let mut rest = query.chars().peekable();
    while let Some(c) = rest.next() {
        let statement = all.last_mut().expect("begun above");
        if c == '\'' || c == '"' {
            let mut text = String::new();
            while let Some(inner) = rest.next() {
                // A quote inside is written twice.
                if inner == c && rest.next_if_eq(&c).is_none() {
                    break;
                }
                text.push(inner);
            }
            statement.push(if c == '\'' {
                SqlToken::Quoted(text)
            } else {
                SqlToken::Plain(text.to_lowercase())
            });
        } else if c.is_alphanumeric() || c == '_' {
            let mut word = c.to_lowercase().to_string();
            while let Some(next) = rest.next_if(|next| next.is_alphanumeric() || *next == '_') {
                word.extend(next.to_lowercase());
            }
            statement.push(SqlToken::Plain(word));
        } else if c == ';' {
            all.push(Vec::new());
        } else if !c.is_whitespace() {
            statement.push(SqlToken::Plain(c.to_string()));
        }
    }
    all
}

fn changes(statement: &[SqlToken]) -> Vec<Part> {
    let words: Vec<&str> = statement.iter().map(SqlToken::plain).collect();
    let changes_todos = ["insert", "replace", "update", "delete", "drop", "alter"]
        .contains(words.first().unwrap_or(&""))
        && words.contains(&"todos");
    if !changes_todos {
        return Vec::new();
    }
    let read = match words[0] {
        "insert" | "replace" => inserted(statement).map(|tasks| vec![Part::Tasks { tasks, whole: false }]),
        "update" => updated(statement),
        "delete" => ids_after_where(statement)
            .map(|ids| ids.into_iter().map(|id| change(id, Some(TaskStatus::Deleted), None)).collect()),
        _ => None,
    };
    read.unwrap_or_else(|| vec![Part::Tasks { tasks: Vec::new(), whole: true }])
}

impl SqlToken {
    fn plain(&self) -> &str {
        match self {
            SqlToken::Plain(word) => word,
            SqlToken::Quoted(_) => "",
        }
    }

    fn value(&self) -> &str {
        match self {
            SqlToken::Plain(word) => word,
            SqlToken::Quoted(text) => text,
        }
    }
}

/// `INSERT INTO todos (id, title) VALUES ('a', 'A'), ('b', 'B')`.
fn inserted(statement: &[SqlToken]) -> Option<Vec<TaskState>> {
    let values = statement.iter().position(|token| token.plain() == "values")?;
    let table = statement.iter().position(|token| token.plain() == "todos")?;
    let (columns, rest) = group(statement.get(table + 1..values)?)?;
    if !rest.is_empty() {
        return None;
    }
    let columns: Vec<&str> =
        columns.iter().map(|column| column.first().map_or("", SqlToken::plain)).collect();
    let mut rest = &statement[values + 1..];
    let mut tasks = Vec::new();
    while let Some((row, after)) = group(rest) {
        let of = |name: &str| {
            let at = columns.iter().position(|column| *column == name)?;
            row.get(at).filter(|value| value.len() == 1).map(|value| value[0].value().to_owned())
        };
        let status = of("status").map_or(Some(TaskStatus::Pending), |status| self::status(&status))?;
        tasks.push(TaskState { id: of("id")?, subject: of("title")?, status });
        rest = after.strip_prefix(&[SqlToken::Plain(",".to_owned())][..]).unwrap_or(after);
    }
    Some(tasks).filter(|tasks| !tasks.is_empty())
}

/// The members of a list in brackets, and what follows it.
fn group(tokens: &[SqlToken]) -> Option<(Vec<&[SqlToken]>, &[SqlToken])> {
    if tokens.first()?.plain() != "(" {
        return None;
    }
    let end = tokens.iter().position(|token| token.plain() == ")")?;
    Some((tokens[1..end].split(|token| token.plain() == ",").collect(), &tokens[end + 1..]))
}

/// `UPDATE todos SET status = 'done' WHERE id = 'a'`.
fn updated(statement: &[SqlToken]) -> Option<Vec<Part>> {
    let set = statement.iter().position(|token| token.plain() == "set")?;
    let condition = statement.iter().position(|token| token.plain() == "where")?;
    let (mut status, mut subject) = (None, None);
    for assignment in statement.get(set + 1..condition)?.split(|token| token.plain() == ",") {
        match assignment {
            [SqlToken::Plain(column), _, SqlToken::Quoted(value)] if column == "status" => {
                status = Some(self::status(value)?);
            }
            [SqlToken::Plain(column), _, SqlToken::Quoted(value)] if column == "title" => {
                subject = Some(value.clone());
            }
            [SqlToken::Plain(column), ..] if column == "status" || column == "title" => return None,
            _ => {}
        }
    }
    let ids = ids_after_where(statement)?;
    Some(ids.into_iter().map(|id| change(id, status, subject.clone())).collect())
}

/// The tasks that a condition names: `id = 'a'`, `id IN ('a', 'b')`.
fn ids_after_where(statement: &[SqlToken]) -> Option<Vec<&str>> {
    let condition = statement.iter().position(|token| token.plain() == "where")?;
    match &statement[condition + 1..] {
        [id, is, SqlToken::Quoted(name)] if id.plain() == "id" && is.plain() == "=" => Some(vec![name]),
        [id, is, list @ ..] if id.plain() == "id" && is.plain() == "in" => {
            let (members, rest) = group(list)?;
            let named = members.iter().map(|member| match member {
                [SqlToken::Quoted(name)] => Some(name.as_str()),
                _ => None,
            });
            named.collect::<Option<Vec<_>>>().filter(|_| rest.is_empty())
        }
        _ => None,
    }
}

fn change(id: &str, status: Option<TaskStatus>, subject: Option<String>) -> Part {
    let tool = Tool::TaskUpdate { task: id.to_owned(), status, subject };
    Part::Call { id: String::new(), tool }
}

fn status(name: &str) -> Option<TaskStatus> {
    match name {
        "pending" | "blocked" => Some(TaskStatus::Pending),
        "in_progress" => Some(TaskStatus::InProgress),
        "done" => Some(TaskStatus::Completed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Vec<Part> {
        parts("c", query).split_off(1)
    }

    #[test]
    fn statements_that_name_their_tasks_are_read() {
        let made = read(
            "INSERT INTO todos (id, title, description, status) VALUES ('a', 'it''s; odd', '', 'done'), ('b', 'B', 'x, y', 'pending')",
        );
        let state =
            |id: &str, subject: &str, status| TaskState { id: id.into(), subject: subject.into(), status };
        let tasks =
            vec![state("a", "it's; odd", TaskStatus::Completed), state("b", "B", TaskStatus::Pending)];
        assert_eq!(made, [Part::Tasks { tasks, whole: false }]);
        let done = |id: &str| change(id, Some(TaskStatus::Completed), None);
        assert_eq!(
            read("update todos set status='done', updated_at=datetime('now') where id='a';"),
            [done("a")]
        );
        assert_eq!(read("UPDATE todos SET status = 'done' WHERE id IN ('a', 'b')"), [done("a"), done("b")]);
        assert_eq!(read("DELETE FROM todos WHERE id = 'a'"), [change("a", Some(TaskStatus::Deleted), None)]);
        assert_eq!(read("SELECT * FROM todos; CREATE TABLE notes (id)"), []);
    }

    #[test]
    fn after_another_change_nothing_is_claimed_of_the_list() {
        for query in [
            "UPDATE todos SET status = 'done'",
            "UPDATE todos SET status = 'done' WHERE id LIKE 'a%'",
            "UPDATE todos SET status = CASE id WHEN 'a' THEN 'done' END WHERE id = 'a'",
            "DELETE FROM todos",
            "INSERT INTO todos SELECT * FROM old",
            "INSERT INTO todos (id, title) VALUES (lower('A'), 'x')",
            "DROP TABLE todos",
        ] {
            assert_eq!(read(query), [Part::Tasks { tasks: Vec::new(), whole: true }], "{query}");
        }
    }
}
