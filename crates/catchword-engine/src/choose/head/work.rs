//! Open work: unfinished tasks and to-dos, unticked boxes, the steps of the approved plan.
//!
//! The client does not restore its task list, and most models use none: then the boxes in the agent's own text and the
//! approved plan say what is left. A box has the state that its latest list gives it.

use super::files::named_files;
use crate::choose::{Fact, KnownText, Section};
use crate::model::entry::{Place, TaskStatus};
use crate::quote::{code, name, names, quote_foreign};
use crate::record::RemainingWork;
use crate::session::checklists;
use crate::session::files::FileUse;
use crate::session::instructions::plan_in_force;
use crate::session::tasks::Task;
use crate::session::{Prompt, ProposedPlan, Session};
use crate::text::numbers::count_of;

/// Key of the fact about how old the task list is.
const LIST_AGE: &str = "age of the task list";
/// Requests after which the agent's statements on what is not done are dropped.
const MAX_REQUESTS_SINCE: usize = 3;
/// Characters of a task's description.
const MAX_DETAIL: usize = 300;
/// Boxes or plan steps shown.
const MAX_STEPS: usize = 12;

/// Everything unfinished, with a line below the task list on how old it is.
pub fn dated(session: &Session, known: &KnownText) -> Vec<Fact> {
    let (tasks, mut all) = (tasks(session, known).len(), facts(session, known));
    all.splice(tasks..tasks, stale_list(session).filter(|_| tasks > 0));
    all
}

/// Everything unfinished: a task missing here would count as done.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let mut facts = tasks(session, known);
    let list = checklists::latest(session);
    facts.extend(list.iter().flat_map(|list| boxes(session, list)));
    // If there are tasks or ticked boxes, they show the progress; the plan's steps would add nothing.
    let tracked = !session.tasks.done().is_empty() || list.is_some();
    if facts.is_empty() && !tracked {
        facts.extend(plan_steps(session, known));
    }
    // A task list is more reliable than the agent's statements.
    if !tracked && session.tasks.open().is_empty() {
        facts.extend(remaining(session, known));
    }
    facts
}

/// What the agent itself says is not done, and what was worked on since. Statements from several requests ago are dropped.
fn remaining(session: &Session, known: &KnownText) -> Vec<Fact> {
    let since = session.asked().iter().rev().nth(MAX_REQUESTS_SINCE).map_or(Place(0), |prompt| prompt.place);
    let is_new =
        |work: &&RemainingWork| work.place >= since && !known.keeps(work.place) && !known.has(&work.text);
    let fact = |work: &RemainingWork| {
        let since = match work.touched.as_slice() {
            [] => String::new(),
            touched => format!("; named in calls since: {}", names(touched.iter().map(String::as_str), 80).0),
        };
        let words =
            |most| format!("not done, in the agent's words: {}{since}", quote_foreign(&work.text, most));
        Fact::new(Section::Work, &work.text, words(300)).at(work.place).or(words(160))
    };
    let found = session.record.remaining().iter().filter(is_new);
    found.map(|work| fact(work).because("the agent says that it is not done")).collect()
}

/// Tasks, unless the summary lists them as open in the same words. A task whose text an edit has added is listed as well.
fn tasks(session: &Session, known: &KnownText) -> Vec<Fact> {
    let open = known.left_open();
    let is_told = |task: &&Task| task.added.is_some() || has_more(task, known) || !open.has(&task.subject);
    session.tasks.open().into_iter().filter(is_told).map(|open| task(session, open, known)).collect()
}

/// The description of a task says more than the summary does.
fn has_more(task: &Task, known: &KnownText) -> bool {
    !task.subject.contains(&task.detail) && !known.has_all(&task.detail)
}

/// Requests since the task list was last touched.
pub fn requests_since_list(session: &Session) -> usize {
    let is_later = |prompt: &&Prompt| prompt.place > session.tasks.updated && !prompt.reads.is_reply;
    session.asked().iter().filter(is_later).count()
}

/// Says that the list was not touched for the latest requests, which may have overtaken it.
fn stale_list(session: &Session) -> Option<Fact> {
    let since = requests_since_list(session);
    let text = format!("The agent last touched this task list {} ago, at", count_of(since, "request"));
    let fact = Fact::new(Section::Work, LIST_AGE, text).at(session.tasks.updated);
    (since > 0).then(|| fact.because("requests after the last change of the list"))
}

/// The files that were edited since a task is in progress: lists lag behind the work.
fn edited_since(session: &Session, task: &Task) -> String {
    let is_later = |(_, file): &(&str, FileUse)| file.is_changed() && file.changed_at > task.place;
    let mut edited: Vec<(&str, FileUse)> = session.files.iter().filter(is_later).collect();
    edited.sort_by_key(|(path, file)| (std::cmp::Reverse(file.changed_at), *path));
    if task.status != TaskStatus::InProgress || edited.is_empty() {
        return String::new();
    }
    format!("; edited since: {}", named_files(session, edited.into_iter()))
}

fn task(session: &Session, task: &Task, known: &KnownText) -> Fact {
    let status = word(task.status);
    let number = task.id.as_deref().map(|id| format!("#{} ", name(id, 40))).unwrap_or_default();
    // The list and the edits may disagree: show both.
    let added = task.added.as_ref();
    let added = added
        .map(|added| format!(" (the list says {status}; {} adds {})", added.place, code(&added.name, 120)));
    let added = added.unwrap_or_default();
    let line = |most| format!("[{status}] {number}{}{added}", quote_foreign(&task.subject, most));
    let detail = if has_more(task, known) {
        format!(": {}", quote_foreign(&task.detail, MAX_DETAIL))
    } else {
        String::new()
    };
    let since = edited_since(session, task);
    let fact = Fact::new(Section::Work, &task.subject, format!("{}{detail}{since}", line(400)))
        .at(task.place)
        .or(line(160));
    fact.because(format!("task {status}"))
}

fn word(status: TaskStatus) -> &'static str {
    if status == TaskStatus::InProgress { "in progress" } else { "pending" }
}

/// The latest tasks that the task list has as completed.
pub fn finished(session: &Session) -> Vec<Fact> {
    let done = session.tasks.done();
    let latest = done[done.len().saturating_sub(MAX_STEPS)..].iter();
    latest
        .map(|task| {
            step("[completed in the task list] ", &task.subject, task.place, "completed in the task list")
        })
        .collect()
}

/// The numbered steps of the plan in force, unless the model has the plan. The record does not show which steps are done,
/// so the lines do not claim it.
fn plan_steps(session: &Session, known: &KnownText) -> Vec<Fact> {
    let is_missing = |plan: &&ProposedPlan| !plan.file.as_deref().is_some_and(|file| known.attaches(file));
    let Some(plan) = plan_in_force(session).filter(is_missing) else { return Vec::new() };
    let text = session.record.plan_at(plan.place);
    let steps = text.lines().filter_map(numbered).filter(|text| !known.has(text));
    steps
        .take(MAX_STEPS)
        .map(|text| step("plan: ", text, plan.place, "a step of the approved plan"))
        .collect()
}

/// `3. text`, also as a heading.
fn numbered(line: &str) -> Option<&str> {
    let item = line.trim_start().trim_start_matches('#').trim_start();
    let item = item.strip_prefix("Step ").unwrap_or(item);
    let rest = item.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = rest.strip_prefix(['.', ')', ':'])?.trim();
    (rest.len() < item.len() && text.len() > 3).then_some(text)
}

fn step(mark: &str, text: &str, place: Place, why: &'static str) -> Fact {
    let line = |most| format!("{mark}{}", quote_foreign(text, most));
    Fact::new(Section::Work, text, line(240)).at(place).or(line(120)).because(why)
}

fn boxes(session: &Session, list: &checklists::Checklist) -> Vec<Fact> {
    let open = checklists::open_in(session, list).into_iter();
    open.map(|(place, text)| step("[ ] ", text, place, "unticked in the agent's latest list")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_steps_are_numbered_lines() {
        assert_eq!(numbered("2. Move the parser"), Some("Move the parser"));
        assert_eq!(numbered("### Step 3: Wire it"), Some("Wire it"));
        assert_eq!(numbered("2024 was fine"), None);
        assert_eq!(numbered("- bullet"), None);
    }
}
