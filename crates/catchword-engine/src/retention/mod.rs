//! How much of what an agent needs again survives a compaction, and how much a brief gives back.
//!
//! A transcript tells what its agent did after a compaction. What it then used (files, commands, names) and had
//! met before is what it *needed*. What the model still saw of that (the summary, the messages that were kept, the
//! files shown again) is what the compaction *kept*; with a brief beside it, it is what catchword makes of it; and
//! the *best* is what could be given back in [`ROOM`] characters by somebody who knows the future. Besides: the
//! person's own words, and the open tasks.
//!
//! It takes rows as they were ([`crate::agent::replay`]), not what catchword made of them: a measure that shared
//! the recorder's eyes would be blind where it is. Pure, like everything it is made of.

mod scan;
mod text;
pub mod total;

use std::collections::{BTreeMap, HashSet};

use memchr::memmem;

use crate::agent::entry::EntryId;
use crate::agent::replay::{Call, Kept, Mark, Row, TaskChange};
use text::squashed;
pub use total::{Total, total};

/// Tool calls after the compaction that are looked at: beyond, the agent has found its own way.
const HORIZON: usize = 80;
/// Characters of the best possible brief: as much as the client takes.
pub const ROOM: usize = 9_500;
/// Rows after a summary among which the client shows files again.
const SHOWN_AGAIN: usize = 12;
/// Characters of a shell line that are searched for paths and names; what follows is a script.
const LINE_READ: usize = 2_000;
/// A shorter prompt ("yes", "go on") says nothing by itself.
const SHORTEST_PROMPT: usize = 15;

/// What can be needed after a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Files that were used again.
    File,
    /// Commands that were run again.
    Command,
    /// Names that were used again.
    Name,
    /// What the person typed, all of it.
    Prompt,
    /// Tasks that were open.
    Task,
}

impl Kind {
    /// Those that the future decides on: only they have a best and a gap.
    pub const NEEDED: [Kind; 3] = [Kind::File, Kind::Command, Kind::Name];

    /// What they are called.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::File => "files",
            Kind::Command => "commands",
            Kind::Name => "names",
            Kind::Prompt => "prompts",
            Kind::Task => "tasks",
        }
    }
}

/// A compaction after which something was needed.
#[derive(Clone, Debug)]
pub struct Case {
    /// Which of the file's compactions it is, from 1.
    pub number: usize,
    /// Lines before it.
    pub lines: u32,
    /// The summary; empty when there is none.
    pub summary: String,
    /// What the model saw without us, spaces squashed.
    native: String,
    needs: BTreeMap<Kind, Vec<String>>,
}

/// What is there of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// What was needed.
    pub needed: usize,
    /// How much of it the model saw without a brief.
    pub kept: usize,
    /// How much with it.
    pub with: usize,
    /// How much with the best possible one; `None` where nobody knows.
    pub best: Option<usize>,
}

/// What is there by kind; kinds of which nothing was needed are missing.
pub type Score = BTreeMap<Kind, Tally>;

/// Every compaction of the main conversation after which something was needed; and how many there were at all.
pub fn cases(rows: &[Row]) -> (Vec<Case>, usize) {
    let cuts = cuts(rows);
    let known = Known::new(rows);
    let end = |number: usize| cuts.get(number).map_or(rows.len(), |next| next.at);
    let cases = cuts.iter().enumerate().filter_map(|(index, cut)| {
        let from = cut.summary.unwrap_or(cut.at) + 1;
        case(index + 1, cut, (&rows[..cut.at], &rows[from.min(rows.len())..end(index + 1)]), rows, &known)
    });
    (cases.collect(), cuts.len())
}

fn case(number: usize, cut: &Cut, around: (&[Row], &[Row]), rows: &[Row], known: &Known) -> Option<Case> {
    let (before, after) = around;
    let summary = cut.summary.map_or(String::new(), |at| rows[at].text.clone());
    let mut needs = needs(before, after, known.before(cut.at));
    if needs.is_empty() {
        return None;
    }
    let long = |row: &&Row| row.typed.chars().count() >= SHORTEST_PROMPT;
    needs.insert(Kind::Prompt, before.iter().filter(long).map(|row| row.typed.clone()).collect());
    needs.insert(Kind::Task, open_tasks(before));
    needs.retain(|_, items| !items.is_empty());
    let native = squashed(&native(&summary, &rows[cut.at].mark, before, after));
    Some(Case { number, lines: cut.at as u32, summary, native, needs })
}

impl Case {
    /// What `brief` gives back.
    pub fn score(&self, brief: &str) -> Score {
        let with = squashed(&format!("{}\n{brief}", self.native));
        let best = self.best();
        let tally = |kind: Kind, items: &[String]| {
            let kept = there(kind, &self.native, items);
            let best = best.get(&kind).map(|more| kept + more);
            Tally { needed: items.len(), kept, with: there(kind, &with, items), best }
        };
        self.needs.iter().map(|(kind, items)| (*kind, tally(*kind, items))).collect()
    }

    /// How many of each kind fit, the shortest first, into the room there is.
    fn best(&self) -> BTreeMap<Kind, usize> {
        let mut best: BTreeMap<Kind, usize> = Kind::NEEDED.iter().map(|kind| (*kind, 0)).collect();
        let missing = |kind: Kind| {
            let items = self.needs.get(&kind).into_iter().flatten();
            items.filter(|item| !has(&self.native, item)).map(move |item| (item.chars().count() + 2, kind))
        };
        // Of items of one length commands go first, as in the benchmark.
        let mut costs: Vec<(usize, Kind)> =
            [Kind::Command, Kind::File, Kind::Name].into_iter().flat_map(missing).collect();
        costs.sort_by_key(|(cost, _)| *cost);
        let mut left = ROOM;
        for (cost, kind) in costs {
            if cost <= left {
                left -= cost;
                *best.entry(kind).or_default() += 1;
            }
        }
        best
    }
}

fn there(kind: Kind, text: &str, items: &[String]) -> usize {
    if kind == Kind::Prompt {
        return text::verbatim(text, items);
    }
    items.iter().filter(|item| has(text, item)).count()
}

fn has(text: &str, item: &str) -> bool {
    memmem::find(text.as_bytes(), item.as_bytes()).is_some()
}

// ---- where the compactions are

struct Cut {
    /// The row that ends the conversation before: the boundary, or the summary where there is none.
    at: usize,
    summary: Option<usize>,
}

/// A row that was written twice counts once: a resumed session begins with copies.
fn cuts(rows: &[Row]) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    let mut seen: HashSet<EntryId> = HashSet::new();
    for (at, row) in rows.iter().enumerate() {
        let is_mark = matches!(row.mark, Mark::Boundary(_) | Mark::Summary);
        if !is_mark || row.id.is_some_and(|id| !seen.insert(id)) {
            continue;
        }
        match (&row.mark, cuts.last_mut()) {
            (Mark::Summary, Some(last)) if last.summary.is_none() => last.summary = Some(at),
            (Mark::Summary, _) => cuts.push(Cut { at, summary: Some(at) }),
            _ => cuts.push(Cut { at, summary: None }),
        }
    }
    cuts
}

/// What the model saw without us: the summary, the rows that were kept, the files shown again.
fn native(summary: &str, mark: &Mark, before: &[Row], after: &[Row]) -> String {
    let kept = kept_rows(mark, before);
    let kept = before.iter().filter(|row| row.id.is_some_and(|id| kept.contains(&id)));
    let again = after.iter().take(SHOWN_AGAIN).filter(|row| row.mark == Mark::Attached);
    let texts: Vec<&str> =
        std::iter::once(summary).chain(kept.chain(again).map(|row| row.text.as_str())).collect();
    texts.join("\n")
}

fn kept_rows(mark: &Mark, before: &[Row]) -> HashSet<EntryId> {
    match mark {
        Mark::Boundary(Kept::Rows(rows)) => rows.iter().copied().collect(),
        Mark::Boundary(Kept::Stretch(head, tail)) => {
            let ids: Vec<EntryId> =
                before.iter().filter_map(|row| row.id).skip_while(|id| id != head).collect();
            let last = ids.iter().position(|id| Some(*id) == *tail);
            ids.into_iter().take(last.map_or(usize::MAX, |last| last + 1)).collect()
        }
        _ => HashSet::new(),
    }
}

// ---- what was needed

/// All that the main conversation showed, and how far it reached at each row.
struct Known {
    text: String,
    ends: Vec<usize>,
}

impl Known {
    fn new(rows: &[Row]) -> Known {
        let mut known = Known { text: String::new(), ends: vec![0] };
        for row in rows {
            if !row.sub {
                known.text.push_str(&row.text);
                known.text.push('\n');
            }
            known.ends.push(known.text.len());
        }
        known
    }

    fn before(&self, row: usize) -> &str {
        &self.text[..self.ends[row]]
    }
}

/// What was used after and known before, unless the person has named it since.
fn needs(before: &[Row], after: &[Row], known: &str) -> BTreeMap<Kind, Vec<String>> {
    let commands = before.iter().flat_map(|row| &row.calls).filter_map(|call| call.command.as_deref());
    let ran: HashSet<String> = commands.map(scan::normal_command).collect();
    let roots = roots(before);
    let mut needs: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
    let mut said = String::new();
    let mut seen = 0;
    for row in after {
        said.push('\n');
        said.push_str(&row.typed);
        for call in &row.calls {
            seen += 1;
            if seen > HORIZON {
                return needs;
            }
            for (kind, item) in used(call, &roots) {
                let was_known = match kind {
                    Kind::Command => ran.contains(&item),
                    Kind::File => item.chars().count() > 4 && has(known, &item),
                    _ => has(known, &item) && !is_part_of_a_file(&item, &needs),
                };
                if was_known && !has(&said, &item) {
                    let items = needs.entry(kind).or_default();
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
            }
        }
    }
    needs
}

fn is_part_of_a_file(name: &str, needs: &BTreeMap<Kind, Vec<String>>) -> bool {
    needs.get(&Kind::File).into_iter().flatten().any(|file| file.contains(name))
}

/// What one call used: its files, its command, its names.
fn used(call: &Call, roots: &[&str]) -> Vec<(Kind, String)> {
    let line: String = call.command.iter().flat_map(|line| line.chars()).take(LINE_READ).collect();
    let given = call.paths.iter().filter(|path| has_ending(path)).cloned();
    let files = given.chain(scan::paths(&line)).map(|path| relative(&path, roots));
    let command = call.command.as_deref().map(scan::normal_command);
    let telling =
        |command: &String| (8..=300).contains(&command.chars().count()) && !scan::is_trivial(command);
    let names = scan::names(&line).into_iter().chain(call.words.iter().flat_map(|word| scan::names(word)));
    let names = names.filter(|name| (6..=80).contains(&name.len()));
    let files = files.map(|file| (Kind::File, file));
    let command = command.filter(telling).map(|command| (Kind::Command, command));
    files.chain(command).chain(names.map(|name| (Kind::Name, name))).collect()
}

/// `\.\w{1,8}$`
fn has_ending(path: &str) -> bool {
    let ending = path.strip_suffix('\n').unwrap_or(path).rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|e| (1..=8).contains(&e.chars().count()) && e.chars().all(text::is_word))
}

/// Every working directory so far, the longest first.
fn roots(before: &[Row]) -> Vec<&str> {
    let mut roots: Vec<&str> = Vec::new();
    for cwd in before.iter().filter_map(|row| row.cwd.as_deref()) {
        if !roots.contains(&cwd) {
            roots.push(cwd);
        }
    }
    roots.sort_by_key(|root| std::cmp::Reverse(root.chars().count()));
    roots
}

/// Below the innermost of `roots`; as it is where it lies outside.
fn relative(path: &str, roots: &[&str]) -> String {
    let below =
        roots.iter().find_map(|root| path.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/'));
    match below {
        Some(below) => below.to_owned(),
        None if path.starts_with('/') => path.to_owned(),
        None => path.trim_start_matches(['.', '/']).to_owned(),
    }
}

/// Tasks not finished at the end of `rows`: those of the last to-do list, then those of the task tools.
fn open_tasks(rows: &[Row]) -> Vec<String> {
    let mut list: &[(String, bool)] = &[];
    let mut asked: Vec<(&str, &str)> = Vec::new();
    let mut subjects: Vec<(&str, &str)> = Vec::new();
    let mut closed: BTreeMap<&str, bool> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.sub) {
        for call in &row.calls {
            match &call.tasks {
                Some(TaskChange::List(items)) => list = items,
                Some(TaskChange::Make(subject)) => asked.push((&call.id, subject)),
                Some(TaskChange::Change { task, open, subject }) => {
                    closed.extend(open.map(|open| (task.as_str(), !open)));
                    if let Some(subject) = subject {
                        name_task(&mut subjects, task, subject);
                    }
                }
                None => {}
            }
        }
        for (call, task) in &row.made {
            if let Some(at) = asked.iter().position(|(id, _)| id == call) {
                name_task(&mut subjects, task, asked.remove(at).1);
            }
        }
    }
    let listed = list.iter().filter(|(_, open)| *open).map(|(text, _)| text.as_str());
    let made = subjects.iter().filter(|(task, _)| closed.get(task) != Some(&true)).map(|(_, s)| *s);
    listed.chain(made).filter(|task| !task.is_empty()).map(squashed).collect()
}

fn name_task<'a>(subjects: &mut Vec<(&'a str, &'a str)>, task: &'a str, subject: &'a str) {
    match subjects.iter_mut().find(|(number, _)| *number == task) {
        Some(known) => known.1 = subject,
        None => subjects.push((task, subject)),
    }
}

#[cfg(test)]
mod tests;
