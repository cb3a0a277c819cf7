//! Measures how much of what an agent needs again survives a compaction, and how much a brief gives back.
//!
//! A transcript shows what its agent did after a compaction. What it then used (files, commands, names) and had seen
//! before is what it *needed*. What the model still saw of that (the summary, the messages that were kept, the files
//! shown again) is what the compaction *kept*. The same is measured with a brief added. The *best* is what [`ROOM`]
//! characters could give back to somebody who knows the future. The person's own words and the open tasks are measured
//! as well.
//!
//! It works on raw rows ([`catchword_engine::clients::replay`]), not on catchword's session: a measure that shared the recorder's
//! parser would share its blind spots. No I/O.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use catchword_engine::clients::replay::{ReplayCall, ReplayKept, ReplayMark, ReplayRow, TaskChange};
use catchword_engine::model::entry::EntryId;
use catchword_engine::session::paths::is_absolute;

use crate::listed::{SeenText, listed};
use crate::text::{has, squashed};
use crate::{scan, text};

/// Tool calls after the compaction that count. Later on, the agent has found its own way.
const HORIZON: usize = 80;
/// Characters of the best possible brief, which is what the client accepts.
pub const ROOM: usize = 9_500;
/// The client shows files again within this many rows after a summary.
const SHOWN_AGAIN: usize = 12;
/// Characters of a shell line that are searched for paths and names; the rest is a script.
const LINE_READ: usize = 2_000;
/// Shorter prompts ("yes", "go on") say nothing by themselves.
const MIN_PROMPT: usize = 15;

/// What an agent can need after a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeedKind {
    /// Files used again.
    File,
    /// Commands run again.
    Command,
    /// Names used again.
    Name,
    /// Everything the person typed.
    Prompt,
    /// Open tasks.
    Task,
}

impl NeedKind {
    /// The kinds that depend on what the agent does later. Only they have a best and a gap.
    pub const NEEDED: [NeedKind; 3] = [NeedKind::File, NeedKind::Command, NeedKind::Name];

    pub fn noun(self) -> &'static str {
        match self {
            NeedKind::File => "files",
            NeedKind::Command => "commands",
            NeedKind::Name => "names",
            NeedKind::Prompt => "prompts",
            NeedKind::Task => "tasks",
        }
    }
}

/// A compaction after which something was needed.
#[derive(Clone, Debug)]
pub struct Case {
    /// The number of the compaction in its file, from 1.
    pub number: usize,
    /// Number of lines before it.
    pub lines: u32,
    /// Empty if there is none.
    pub summary: String,
    /// There is a summary, and only the provider can read it.
    pub is_opaque: bool,
    /// Requested by the person.
    pub manual: bool,
    /// What the model saw without a brief.
    pub native: String,
    /// The input of the next tool calls.
    used: String,
    needs: BTreeMap<NeedKind, Vec<String>>,
}

/// The counts for one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct NeedCount {
    pub needed: usize,
    /// What the model saw without a brief.
    pub kept: usize,
    /// What it saw with the head of the brief.
    pub head: usize,
    /// What it saw with the whole brief.
    pub with: usize,
    /// With the best possible brief; `None` if that is undefined.
    pub best: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListedCount {
    /// Paths and names, except in quotations.
    pub items: usize,
    /// Those that the next calls used.
    pub used: usize,
}

/// The counts by kind. A kind of which nothing was needed is missing.
pub type Score = BTreeMap<NeedKind, NeedCount>;

/// The compactions of the main conversation at these points.
pub fn cases(rows: &[ReplayRow], cuts: &[CasePoint]) -> Vec<Case> {
    let known = SeenSoFar::new(rows);
    let end = |number: usize| cuts.get(number).map_or(rows.len(), |next| next.at);
    let case = |(index, cut): (usize, &CasePoint)| {
        let from = cut.summary.unwrap_or(cut.at) + 1;
        case(index + 1, cut, (&rows[..cut.at], &rows[from.min(rows.len())..end(index + 1)]), rows, &known)
    };
    cuts.iter().enumerate().map(case).collect()
}

fn case(
    number: usize,
    cut: &CasePoint,
    around: (&[ReplayRow], &[ReplayRow]),
    rows: &[ReplayRow],
    known: &SeenSoFar,
) -> Case {
    let (before, after) = around;
    // A row that stands for the whole compaction also has what the client keeps.
    let is_whole = matches!(rows[cut.at].mark, ReplayMark::Compacted(_));
    let summary = if is_whole { Some(cut.at) } else { cut.summary };
    let summary = summary.map_or(String::new(), |at| rows[at].text.clone());
    let mut needs = needs(before, after, known.before(cut.at), &roots(before));
    if !needs.is_empty() {
        let long = |row: &&ReplayRow| row.typed.chars().count() >= MIN_PROMPT;
        needs.insert(NeedKind::Prompt, before.iter().filter(long).map(|row| row.typed.clone()).collect());
        needs.insert(NeedKind::Task, open_tasks(before));
        needs.retain(|_, items| !items.is_empty());
    }
    let native = native(&summary, &rows[cut.at].mark, before, after);
    // Such a row tells itself what stays in the context: the session is read up to behind it.
    let (summary, lines, is_opaque) = match &rows[cut.at].mark {
        ReplayMark::Compacted(alone) => (alone.clone(), cut.at + 1, alone.is_empty()),
        _ => (summary, cut.at, false),
    };
    let calls = after.iter().flat_map(|row| &row.calls).take(HORIZON);
    let used = calls.map(|call| call.given.as_str()).collect::<Vec<_>>().join("\n");
    let (lines, manual) = (lines as u32, rows[cut.at].manual);
    Case { number, lines, summary, is_opaque, manual, native, used, needs }
}

impl Case {
    /// The start of a session: what its first calls used that a call of an earlier session used, too, unless the person
    /// named it. `before` are the rows of the earlier ones, and `after` its own.
    pub fn of_start(before: &[ReplayRow], after: &[ReplayRow]) -> Case {
        let mut roots = roots(before);
        roots.extend(self::roots(after));
        roots.sort_by_key(|root| std::cmp::Reverse(root.chars().count()));
        let calls = before.iter().flat_map(|row| &row.calls);
        let known: BTreeSet<(NeedKind, String)> = calls.flat_map(|call| used(call, &roots)).collect();
        let known: Vec<String> = known.into_iter().map(|(_, item)| item).collect();
        let mut needs = needs(before, after, &known.join("\n"), &roots);
        // What lies outside the repository is none of its past.
        needs.entry(NeedKind::File).or_default().retain(|file| !is_absolute(file));
        needs.retain(|_, items| !items.is_empty());
        let calls = after.iter().flat_map(|row| &row.calls).take(HORIZON);
        let used = calls.map(|call| call.given.as_str()).collect::<Vec<_>>().join("\n");
        Case {
            number: 0,
            lines: 0,
            summary: String::new(),
            is_opaque: false,
            manual: false,
            native: String::new(),
            used,
            needs,
        }
    }

    /// What of a kind was needed.
    pub fn needed(&self, kind: NeedKind) -> &[String] {
        self.needs.get(&kind).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether something was needed after it.
    pub fn is_telling(&self) -> bool {
        !self.needs.is_empty()
    }

    /// The counts with the head of a brief and with all of it; empty if nothing was needed.
    pub fn score(&self, head: &str, brief: &str) -> Score {
        let native = SeenText::new(&self.native);
        let (head, with) = (native.and(head), native.and(brief));
        let best = self.best(&native);
        let tally = |kind: NeedKind, items: &[String]| {
            let kept = there(kind, &native, items);
            let best = best.get(&kind).map(|more| kept + more);
            let (head, with) = (there(kind, &head, items), there(kind, &with, items));
            NeedCount { needed: items.len(), kept, head, with, best }
        };
        self.needs.iter().map(|(kind, items)| (*kind, tally(*kind, items))).collect()
    }

    /// The paths and names that `brief` lists, and how many of them the next calls used.
    pub fn listed(&self, brief: &str) -> ListedCount {
        let listed = listed(brief);
        let used = listed.iter().filter(|item| has(&self.used, item)).count();
        ListedCount { items: listed.len(), used }
    }

    /// How many items of each kind fit into [`ROOM`], shortest first.
    fn best(&self, native: &SeenText) -> BTreeMap<NeedKind, usize> {
        let mut best: BTreeMap<NeedKind, usize> = NeedKind::NEEDED.iter().map(|kind| (*kind, 0)).collect();
        let missing = |kind: NeedKind| {
            let items = self.needs.get(&kind).into_iter().flatten();
            items
                .filter(move |item| !is_there(kind, native, item))
                .map(move |item| (item.chars().count() + 2, kind))
        };
        // Among items of the same length commands come first, as in the benchmark.
        let mut costs: Vec<(usize, NeedKind)> =
            [NeedKind::Command, NeedKind::File, NeedKind::Name].into_iter().flat_map(missing).collect();
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

fn there(kind: NeedKind, text: &SeenText, items: &[String]) -> usize {
    if kind == NeedKind::Prompt {
        return text::verbatim(text.squashed(), items);
    }
    items.iter().filter(|item| is_there(kind, text, item)).count()
}

fn is_there(kind: NeedKind, text: &SeenText, item: &str) -> bool {
    if kind == NeedKind::File { text.has_file(item) } else { text.has(item) }
}

// ---- locating compactions

/// Where a compaction is; rows are counted from 0.
#[derive(Clone, Copy, Debug)]
pub struct CasePoint {
    /// The last row of the conversation before: the boundary, or the summary if there is no boundary.
    pub at: usize,
    pub summary: Option<usize>,
}

/// What the model saw without a brief: the summary, the rows that were kept, the files shown again.
fn native(summary: &str, mark: &ReplayMark, before: &[ReplayRow], after: &[ReplayRow]) -> String {
    let kept = kept_rows(mark, before);
    let kept = before.iter().filter(|row| row.id.is_some_and(|id| kept.contains(&id)));
    let again = after.iter().take(SHOWN_AGAIN).filter(|row| row.mark == ReplayMark::Attached);
    let texts: Vec<&str> =
        std::iter::once(summary).chain(kept.chain(again).map(|row| row.text.as_str())).collect();
    texts.join("\n")
}

fn kept_rows(mark: &ReplayMark, before: &[ReplayRow]) -> HashSet<EntryId> {
    match mark {
        ReplayMark::Boundary(ReplayKept::Rows(rows)) => rows.iter().copied().collect(),
        ReplayMark::Boundary(ReplayKept::Stretch(head, tail)) => {
            let ids: Vec<EntryId> =
                before.iter().filter_map(|row| row.id).skip_while(|id| id != head).collect();
            let last = ids.iter().position(|id| Some(*id) == *tail);
            ids.into_iter().take(last.map_or(usize::MAX, |last| last + 1)).collect()
        }
        _ => HashSet::new(),
    }
}

// ---- what was needed

/// The text of the main conversation, and its length after each row.
struct SeenSoFar {
    text: String,
    ends: Vec<usize>,
}

impl SeenSoFar {
    fn new(rows: &[ReplayRow]) -> SeenSoFar {
        let mut known = SeenSoFar { text: String::new(), ends: vec![0] };
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

/// What was known before and used after, unless the person named it again.
fn needs(
    before: &[ReplayRow],
    after: &[ReplayRow],
    known: &str,
    roots: &[&str],
) -> BTreeMap<NeedKind, Vec<String>> {
    let commands = before.iter().flat_map(|row| &row.calls).filter_map(|call| call.command.as_deref());
    let ran: HashSet<String> = commands.map(scan::normal_command).collect();
    let mut needs: BTreeMap<NeedKind, Vec<String>> = BTreeMap::new();
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
            for (kind, item) in used(call, roots) {
                let was_known = match kind {
                    NeedKind::Command => ran.contains(&item),
                    NeedKind::File => item.chars().count() > 4 && has(known, &item),
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

fn is_part_of_a_file(name: &str, needs: &BTreeMap<NeedKind, Vec<String>>) -> bool {
    needs.get(&NeedKind::File).into_iter().flatten().any(|file| file.contains(name))
}

/// The files, command and names of one call.
fn used(call: &ReplayCall, roots: &[&str]) -> Vec<(NeedKind, String)> {
    let line: String = call.command.iter().flat_map(|line| line.chars()).take(LINE_READ).collect();
    let given = call.paths.iter().filter(|path| has_ending(path)).cloned();
    let files = given.chain(scan::paths(&line)).map(|path| relative(&path, roots));
    let command = call.command.as_deref().map(scan::normal_command);
    let telling =
        |command: &String| (8..=300).contains(&command.chars().count()) && !scan::is_trivial(command);
    let names = scan::names(&line).into_iter().chain(call.words.iter().flat_map(|word| scan::names(word)));
    let names = names.filter(|name| (6..=80).contains(&name.len()) && is_telling_name(name));
    let files = files.map(|file| (NeedKind::File, file));
    let command = command.filter(telling).map(|command| (NeedKind::Command, command));
    files.chain(command).chain(names.map(|name| (NeedKind::Name, name))).collect()
}

/// `[A-Za-z]{2}|\d[a-f]|[a-f]\d`
fn is_telling_name(name: &str) -> bool {
    let is_hex = |c: u8| (b'a'..=b'f').contains(&c);
    name.as_bytes().windows(2).any(|two| {
        let (one, other) = (two[0], two[1]);
        (one.is_ascii_alphabetic() && other.is_ascii_alphabetic())
            || (one.is_ascii_digit() && is_hex(other))
            || (is_hex(one) && other.is_ascii_digit())
    })
}

/// `\.\w{1,8}$`
fn has_ending(path: &str) -> bool {
    let ending = path.strip_suffix('\n').unwrap_or(path).rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|e| (1..=8).contains(&e.chars().count()) && e.chars().all(text::is_word))
}

/// Every working directory so far, the longest first.
fn roots(before: &[ReplayRow]) -> Vec<&str> {
    let mut roots: Vec<&str> = Vec::new();
    for cwd in before.iter().filter_map(|row| row.cwd.as_deref()) {
        if !roots.contains(&cwd) {
            roots.push(cwd);
        }
    }
    roots.sort_by_key(|root| std::cmp::Reverse(root.chars().count()));
    roots
}

/// Relative to the innermost of `roots`; unchanged if it is outside all of them.
fn relative(path: &str, roots: &[&str]) -> String {
    let below =
        roots.iter().find_map(|root| path.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/'));
    match below {
        Some(below) => below.to_owned(),
        None if path.starts_with('/') => path.to_owned(),
        None => path.trim_start_matches(['.', '/']).to_owned(),
    }
}

/// The tasks not finished at the end of `rows`: those of the last to-do list, then those of the task tools.
fn open_tasks(rows: &[ReplayRow]) -> Vec<String> {
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
