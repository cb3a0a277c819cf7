//! Open work: tasks and to-dos that are not finished, unticked boxes, the steps of the approved plan.
//!
//! The client does not give its task list back, and most models have none: then the boxes in the agent's own
//! text and the plan the person approved say what is left. A box is open as its latest list has it.

use super::requests::is_reply;
use super::standing::plan_in_force;
use super::text::{harmless, quote_foreign};
use super::{Fact, Known, Section};
use crate::agent::entry::{Place, TaskStatus};
use crate::find;
use crate::session::tasks::Task;
use crate::session::{Plan, Session, one_line};

/// Boxes or plan steps shown.
const MOST: usize = 12;

/// Most characters of a task that the summary has: enough to know which one is meant.
const HINT: usize = 32;

/// Tool calls after which a list is old, once something else has been asked for.
const OLD: u32 = 40;

/// Everything that is not finished: one that is missing is one called done.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let mut facts = tasks(session, known);
    let list = latest_list(session);
    facts.extend(list.iter().flat_map(|list| boxes(session, list)));
    // Tasks and ticked boxes say how far the plan is; its steps then say less than they do.
    let tracked = !session.tasks.done().is_empty() || list.is_some();
    if facts.is_empty() && !tracked {
        facts.extend(plan_steps(session, known));
    }
    facts
}

/// Tasks that the summary does not have, a line each, and those it has, a line for all of them: what they are it
/// says, that they are open is said here.
fn tasks(session: &Session, known: &Known) -> Vec<Fact> {
    let (there, missing): (Vec<&Task>, Vec<&Task>) =
        session.tasks.open().into_iter().partition(|task| leaves_open(known, &task.subject));
    let mut facts: Vec<Fact> = missing.into_iter().map(task).collect();
    for status in [TaskStatus::InProgress, TaskStatus::Pending] {
        let same: Vec<&Task> = there.iter().copied().filter(|task| task.status == status).collect();
        facts.extend(as_summarised(status, &same));
    }
    facts
}

fn task(task: &Task) -> Fact {
    let status = word(task.status);
    let number = task.id.as_deref().map(|id| format!("#{id} ")).unwrap_or_default();
    let line = |most| format!("[{status}] {number}{}", one_line(&harmless(&task.subject), most));
    let weight = if task.status == TaskStatus::InProgress { 3.0 } else { 2.5 };
    let fact = Fact::new(Section::Work, &task.subject, line(400)).at(task.place).or(line(160));
    fact.worth(weight, format!("task {status}")).must()
}

fn as_summarised(status: TaskStatus, tasks: &[&Task]) -> Option<Fact> {
    let name = |task: &Task| match &task.id {
        Some(id) => format!("#{id}"),
        None => quote_foreign(&task.subject, HINT),
    };
    let names: Vec<String> = tasks.iter().take(MOST).map(|task| name(task)).collect();
    let first = tasks.first()?;
    let more = if tasks.len() > MOST { format!(" and {} more", tasks.len() - MOST) } else { String::new() };
    let text = format!("[{}] as in the summary: {}{more}", word(status), names.join(", "));
    let fact = Fact::new(Section::Work, &first.subject, text).at(first.place);
    Some(fact.worth(2.5, "open, and the summary has it").must())
}

fn word(status: TaskStatus) -> &'static str {
    if status == TaskStatus::InProgress { "in progress" } else { "pending" }
}

/// The summary has a task word for word, and no line with it speaks of an end.
fn leaves_open(known: &Known, subject: &str) -> bool {
    const ENDS: [&str; 9] =
        ["done", "complete", "finish", "✓", "✅", "[x]", "fixed", "implemented", "passed"];
    let mut lines = known.lines_with(subject).peekable();
    let rest = |line: &str| line.replace(subject, "").to_lowercase();
    lines.peek().is_some() && !lines.any(|line| ENDS.iter().any(|end| rest(line).contains(end)))
}

/// What the task list says is finished, for the summariser: the latest ones.
pub fn finished(session: &Session) -> Vec<Fact> {
    let done = session.tasks.done();
    let latest = done[done.len().saturating_sub(MOST)..].iter();
    latest
        .map(|task| step("[finished] ", &task.subject, task.place, "finished by the task list", 1.0))
        .collect()
}

/// A list of boxes in the agent's text.
struct List<'a> {
    place: Place,
    items: Vec<(bool, &'a str)>,
}

/// The agent's latest list of its own work, unless that is long over: other things have been asked for since,
/// and much was done.
fn latest_list(session: &Session) -> Option<List<'_>> {
    let asked = session.prompts.iter().rev().find(|p| !is_reply(&p.text)).map_or(Place(0), |p| p.place);
    session
        .said
        .iter()
        .rev()
        .take_while(|said| said.place > asked || session.clock.saturating_sub(said.clock) <= OLD)
        .map(|said| List { place: said.place, items: items(&said.text) })
        .find(|list| !list.items.is_empty())
}

/// The boxes of a text that are the agent's own: neither part of a file it shows, nor a list of what the person
/// is to do.
fn items(text: &str) -> Vec<(bool, &str)> {
    // Most texts have no box.
    if find::byte(b'[', text.as_bytes()).is_none() {
        return Vec::new();
    }
    let (mut fenced, mut theirs, mut in_list) = (false, false, false);
    let mut items = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        fenced ^= line.trim_start().starts_with("```");
        match checkbox(line) {
            Some(item) if !fenced && !theirs => items.push(item),
            None if !(in_list && line.starts_with(' ')) => theirs = speaks_to_the_person(line),
            _ => {}
        }
        in_list = checkbox(line).is_some();
    }
    items
}

/// A line that introduces a list of what somebody else is to do or to check.
fn speaks_to_the_person(line: &str) -> bool {
    const MARKS: [&str; 9] =
        ["you", "your", "you'll", "you'd", "yourself", "manually", "manual", "reviewer", "reviewers"];
    let lower = line.to_lowercase();
    lower.contains("test plan")
        || lower.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| MARKS.contains(&word))
}

/// The unticked boxes of the agent's latest list.
pub fn open_boxes(session: &Session) -> Vec<Fact> {
    latest_list(session).map(|list| boxes(session, &list)).unwrap_or_default()
}

/// The unticked boxes of a list, without those that have a task entry.
fn boxes(session: &Session, list: &List) -> Vec<Fact> {
    let (open, done) = (session.tasks.open(), session.tasks.done());
    let tracked: Vec<String> = open.iter().chain(&done).map(|t| t.subject.to_lowercase()).collect();
    let open = list.items.iter().filter(|(done, text)| !done && !tracked.contains(&text.to_lowercase()));
    open.take(MOST)
        .map(|(_, text)| step("[ ] ", text, list.place, "unticked in the agent's latest list", 1.5).must())
        .collect()
}

/// `- [ ] text` or `- [x] text`.
fn checkbox(line: &str) -> Option<(bool, &str)> {
    let item = line
        .trim_start()
        .trim_start_matches(['-', '*', '+', '.'])
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = item.trim_start_matches(['.', ')']).trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    let text = text.trim();
    match mark {
        " " | "" if !text.is_empty() => Some((false, text)),
        "x" | "X" | "✓" | "✔" if !text.is_empty() => Some((true, text)),
        _ => None,
    }
}

/// The numbered steps of the plan in force, unless the model has the plan. Whether one is done the record does not know,
/// and does not claim.
fn plan_steps(session: &Session, known: &Known) -> Vec<Fact> {
    let is_missing = |plan: &&Plan| !plan.file.as_deref().is_some_and(|file| known.attaches(file));
    let Some(plan) = plan_in_force(session).filter(is_missing) else { return Vec::new() };
    let steps = plan.text.lines().filter_map(numbered).filter(|text| !known.has(text));
    steps
        .take(MOST)
        .map(|text| step("plan: ", text, plan.place, "a step of the approved plan", 0.5))
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

fn step(mark: &str, text: &str, place: Place, why: &'static str, weight: f32) -> Fact {
    let line = |most| format!("{mark}{}", one_line(&harmless(text), most));
    Fact::new(Section::Work, text, line(240)).at(place).or(line(120)).worth(weight, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_read_in_every_common_form() {
        let cases = [
            ("- [ ] write docs", Some((false, "write docs"))),
            ("  * [x] add tests", Some((true, "add tests"))),
            ("1. [ ] third", Some((false, "third"))),
            ("- [link](url) text", None),
            ("- plain", None),
            ("- [ ]", None),
        ];
        for (line, expected) in cases {
            assert_eq!(checkbox(line), expected, "{line}");
        }
    }

    #[test]
    fn boxes_of_files_and_of_the_person_are_not_the_agents() {
        let text = "Done:\n- [x] lexer\n- [ ] parser\n\n```md\n- [ ] from a template\n```\n\
                    Before you merge:\n\n- [ ] rotate the key\n  in the vault\n- [ ] tell the team\n\
                    ## Test plan\n- [ ] open the page\n## Left\n- [ ] printer";
        assert_eq!(items(text), [(true, "lexer"), (false, "parser"), (false, "printer")]);
    }

    #[test]
    fn plan_steps_are_numbered_lines() {
        assert_eq!(numbered("2. Move the parser"), Some("Move the parser"));
        assert_eq!(numbered("### Step 3: Wire it"), Some("Wire it"));
        assert_eq!(numbered("2024 was fine"), None);
        assert_eq!(numbered("- bullet"), None);
    }
}
