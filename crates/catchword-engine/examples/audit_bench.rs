//! How well the audit finds what was done to a summary.
//!
//! ```text
//! cargo run --release -p catchword-engine --example audit_bench -- DIR
//! ```
//!
//! Takes every compaction of every transcript in DIR and corrupts its real summary in known ways, one at a time and
//! the same on every run: the lines that speak of an open task or a standing instruction are removed; an open task
//! is called completed; one digit of a number, two of them, or a letter of a path is changed; a wish the user never
//! had is added to their messages; a count of tasks or tests that is not the record's is claimed. Only what is really
//! there is corrupted: no task or instruction is made up. The true counts are claimed, too: nothing may come of it.
//! What is changed, invented or contradicted is also planted in two summaries, one after the other ("again"): the
//! second repeats what the first has wrong, and must be told of as the first was.
//!
//! Printed per kind: how many were planted, found, and found with enough confidence to be told. A finding that is
//! neither the planted one nor one of the untouched summary's own is false. What else a removed line spoke of is
//! dropped too, and counted apart. On stderr: what was missed or is not told, and every finding of the untouched
//! summaries with its place, to be looked up in the transcript.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use catchword_engine::agent::claude_code::AGENT;
use catchword_engine::agent::entry::{Entry, Part, Place, Thread};
use catchword_engine::audit::{About, Finding, Kind, audit};
use catchword_engine::extract::standing;
use catchword_engine::ops::history;
use catchword_engine::session::Session;
use catchword_engine::session::vocabulary::{Atom, atoms, is_number};

/// Corruptions of one sort planted in one summary.
const MOST: usize = 4;

/// Wishes that nobody had.
const WISHES: [&str; 4] = [
    "Also rewrite the billing importer in Haskell and delete the nightly warehouse snapshots",
    "Make the onboarding wizard purple and email the quarterly invoice spreadsheet to marketing",
    "Please switch our translation vendor to Klingon first and drop the Bluetooth pairing screen",
    "Stop supporting tablets and move the payroll scheduler onto the mainframe before Thursday",
];

/// What a task's status is replaced with.
const STATUS: [(&str, &str); 6] = [
    ("**IN PROGRESS**", "**COMPLETED**"),
    ("(IN PROGRESS", "(COMPLETED"),
    ("in_progress", "completed"),
    ("in progress", "completed"),
    ("[pending", "[completed"),
    ("pending", "completed"),
];

/// A summary with one thing wrong.
struct Corrupted {
    sort: &'static str,
    text: String,
    planted: String,
    is_it: Box<dyn Fn(&Finding) -> bool>,
}

#[derive(Default)]
struct Score {
    planted: usize,
    found: usize,
    told: usize,
    untrue: usize,
    besides: usize,
}

impl Score {
    fn add(&mut self, other: &Score) {
        self.planted += other.planted;
        self.found += other.found;
        self.told += other.told;
        self.untrue += other.untrue;
        self.besides += other.besides;
    }

    fn print(&self, name: &str) {
        let share = |n: usize| 100.0 * n as f32 / self.planted.max(1) as f32;
        println!(
            "{name:<22}{:>8}{:>8}{:>8}{:>8}{:>8}   recall {:.0}%, told {:.0}%",
            self.planted,
            self.found,
            self.told,
            self.untrue,
            self.besides,
            share(self.found),
            share(self.told)
        );
    }
}

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: audit_bench DIR");
        return;
    };
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let (mut summaries, mut with_tasks, mut own) = (0, 0, Vec::new());
    for path in &files {
        for (session, summary) in compactions(path) {
            let before = audit(&session, &summary);
            let before_again = audit(&summarised(&session, &summary), &summary);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            for finding in &before {
                eprintln!("own {name} {summaries}: {finding:?}");
            }
            summaries += 1;
            with_tasks += usize::from(!session.tasks.open().is_empty());
            for corrupted in corruptions(&session, &summary, &before, summaries) {
                judge(&session, &before, &corrupted, scores.entry(corrupted.sort).or_default());
                if let Some(again) = repeated(corrupted.sort) {
                    let session = summarised(&session, &corrupted.text);
                    let corrupted = Corrupted { sort: again, ..corrupted };
                    judge(&session, &before_again, &corrupted, scores.entry(again).or_default());
                }
            }
            own.extend(before);
        }
    }
    let told = own.iter().filter(|f| f.is_told()).count();
    println!("{} files, {summaries} summaries, {with_tasks} with open tasks", files.len());
    println!("untouched: {} findings, {told} told\n", own.len());
    print_scores(&scores);
}

fn compactions(path: &Path) -> Vec<(Session, String)> {
    let cuts = history::cuts(&AGENT, path).unwrap_or_default();
    let known = cuts.into_iter().filter(|cut| cut.summary.len() > 500);
    known.filter_map(|cut| Some((history::fold(&AGENT, path, Some(cut.lines)).ok()?, cut.summary))).collect()
}

/// What a sort of corruption is called when the next summary repeats it; nothing where it is not there to repeat.
fn repeated(sort: &str) -> Option<&'static str> {
    match sort.split(' ').next()? {
        "contradicted" => Some("contradicted again"),
        "invented" => Some("invented again"),
        "mutated" => Some("mutated again"),
        _ => None,
    }
}

/// The session behind a compaction with this summary, and a second one with nearly the same.
fn summarised(session: &Session, summary: &str) -> Session {
    let mut session = session.clone();
    for text in [format!("{summary}\n\nThe first."), format!("{summary}\n\nThe second.")] {
        session.apply(&Entry {
            place: Place(session.entries + 1),
            id: None,
            time: None,
            thread: Thread::Main,
            cwd: None,
            branch: None,
            keeps: None,
            parts: vec![Part::Summary(text)],
            ..Entry::default()
        });
    }
    session
}

fn judge(session: &Session, before: &[Finding], corrupted: &Corrupted, score: &mut Score) {
    let after = audit(session, &corrupted.text);
    score.planted += 1;
    let planted: Vec<&Finding> = after.iter().filter(|f| (corrupted.is_it)(f)).collect();
    score.found += usize::from(!planted.is_empty());
    score.told += usize::from(planted.iter().any(|f| f.is_told()));
    if planted.is_empty() {
        eprintln!("missed {}: {}", corrupted.sort, corrupted.planted);
    } else if let Some(best) = planted.iter().find(|_| !planted.iter().any(|f| f.is_told())) {
        eprintln!("untold {} ({}): {}", corrupted.sort, best.confidence, corrupted.planted);
    }
    let same = |a: &Finding, b: &Finding| a.kind == b.kind && a.fact == b.fact && a.text == b.text;
    let new = after.iter().filter(|f| !(corrupted.is_it)(f) && !before.iter().any(|b| same(f, b)));
    for finding in new {
        if corrupted.sort.starts_with("dropped") && finding.kind == Kind::Dropped {
            score.besides += 1;
        } else {
            score.untrue += 1;
            eprintln!("false after {} of {}: {finding:?}", corrupted.sort, corrupted.planted);
        }
    }
}

fn corruptions(session: &Session, summary: &str, before: &[Finding], salt: usize) -> Vec<Corrupted> {
    let mut all = Vec::new();
    let is_dropped = |text: &str| before.iter().any(|f| f.kind == Kind::Dropped && f.text == text);
    for task in session.tasks.open() {
        let subject = squashed(&task.subject);
        if !is_dropped(&subject) {
            all.push(removed("dropped task", summary, &subject, task.id.as_deref()));
        }
        if !before.iter().any(|f| f.kind == Kind::Contradicted && f.text.contains(&subject)) {
            all.extend(called_done(summary, &subject));
        }
    }
    let rules = standing::holding(&session.prompts).into_iter().map(|rule| squashed(&rule.text));
    let known: Vec<String> = rules.filter(|rule| !is_dropped(rule)).take(MOST).collect();
    all.extend(known.iter().map(|rule| removed("dropped instruction", summary, rule, None)));
    all.extend(changed_numbers(session, summary));
    all.extend(counted_wrong(session, summary));
    all.extend(changed_paths(session, summary));
    all.push(with_wish(summary, WISHES[salt % WISHES.len()]));
    all
}

fn squashed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words of four letters and more, cut short: the bench has its own, simpler idea of what a line speaks of.
fn words(text: &str) -> HashSet<String> {
    let long = |w: &&str| w.len() > 3 || w.chars().any(|c| c.is_ascii_digit());
    let all = text.split(|c: char| !c.is_alphanumeric()).filter(long);
    all.map(|w| w.to_lowercase().chars().take(5).collect()).collect()
}

/// Every line taken out that has the number or two in five of the words of `what`.
fn removed(sort: &'static str, summary: &str, what: &str, id: Option<&str>) -> Corrupted {
    let wanted = words(what);
    let speaks = |line: &str| {
        let shared = wanted.intersection(&words(line)).count();
        let lower = line.to_lowercase();
        let numbered =
            id.is_some_and(|id| lower.contains(&format!("task #{id}")) || lower.contains(&format!("#{id}:")));
        numbered || (shared > 0 && shared * 5 >= wanted.len() * 2)
    };
    let text = summary.lines().filter(|line| !speaks(line)).collect::<Vec<_>>().join("\n");
    let planted = what.to_owned();
    let is_it = move |f: &Finding| f.kind == Kind::Dropped && f.text == planted;
    Corrupted { sort, text, planted: what.to_owned(), is_it: Box::new(is_it) }
}

/// The list item that speaks of this task most, saying that it is completed.
fn called_done(summary: &str, task: &str) -> Option<Corrupted> {
    let wanted = words(task);
    let mut lines: Vec<String> = summary.lines().map(str::to_owned).collect();
    let is_item = |line: &str| {
        line.trim_start().starts_with(['-', '*'])
            || line.trim_start().starts_with(|c: char| c.is_ascii_digit())
    };
    let items = lines.iter().enumerate().filter(|(_, line)| is_item(line));
    let shares = items.map(|(at, line)| (at, wanted.intersection(&words(line)).count()));
    let (at, best) = shares.max_by_key(|(at, shared)| (*shared, *at))?;
    if best * 10 < wanted.len() * 8 {
        return None;
    }
    let line = &lines[at];
    lines[at] = match STATUS.iter().find(|(from, _)| line.contains(from)) {
        Some((from, to)) => line.replace(from, to),
        None => format!("{line} ✅ completed"),
    };
    let planted = lines[at].clone();
    let subject = task.to_owned();
    let is_it = move |f: &Finding| f.kind == Kind::Contradicted && f.text.contains(&subject);
    Some(Corrupted { sort: "contradicted task", text: lines.join("\n"), planted, is_it: Box::new(is_it) })
}

/// One digit of numbers that the record has beside the same word. Left out: the numbers of a list, of lines of a file,
/// and those inside a longer name (`2026-02-03-plan.md`), which are parts of something else.
fn changed_numbers(session: &Session, summary: &str) -> Vec<Corrupted> {
    let known = &session.vocabulary;
    let mut seen = HashSet::new();
    let fits = |atom: &Atom| {
        let beside = known.has_beside(atom.before, atom.text) || known.has_beside(atom.text, atom.after);
        let in_name =
            |at: usize| summary.as_bytes().get(at).is_some_and(|b| matches!(b, b'-' | b'/' | b'.' | b'_'));
        let ticket = atom.before.len() > 1 && atom.before.bytes().all(|b| b.is_ascii_uppercase());
        let part = (!ticket && in_name(atom.at.wrapping_sub(1))) || in_name(atom.at + atom.text.len());
        let line = atom.before.to_lowercase().starts_with("line") || atom.after.eq_ignore_ascii_case("lines");
        let word = |w: &str| w.len() > 1 && w.bytes().all(|b| b.is_ascii_alphabetic());
        !part
            && !line
            && word(atom.before)
            && is_number(atom.text)
            && atom.text.len() > 1
            && !atom.text.contains(',')
            && known.has(atom.text)
            && beside
    };
    let fitting: Vec<Atom> = atoms(summary).filter(|a| fits(a) && seen.insert(a.text)).collect();
    let last = |atom: &Atom| {
        let at = atom.text.rfind(|c: char| c.is_ascii_digit())?;
        let digit = (atom.text.as_bytes()[at] - b'0' + 3) % 10;
        Some(format!("{}{digit}{}", &atom.text[..at], &atom.text[at + 1..]))
    };
    // The first two digits, as in 1500 → 2700; shorter ones get a zero more, as in 5ms → 50ms.
    let two = |atom: &Atom| {
        let digits: Vec<usize> =
            atom.text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(at, _)| at).collect();
        // A zero more behind a point would change nothing.
        if digits.len() < 3 && !atom.text.contains('.') {
            let end = digits.last()? + 1;
            return Some(format!("{}0{}", &atom.text[..end], &atom.text[end..]));
        }
        let mut bytes = atom.text.as_bytes().to_vec();
        for (at, more) in [(*digits.first()?, 1), (*digits.get(1)?, 2)] {
            bytes[at] = b'1' + (bytes[at] - b'0' + more) % 9;
        }
        String::from_utf8(bytes).ok()
    };
    let changed = |sort, atom: &Atom, new: String| {
        let planted = format!("{} {} → {new} {}", atom.before, atom.text, atom.after);
        let text = replaced(summary, atom, &new);
        let is_it = move |f: &Finding| {
            f.kind == Kind::Mutated && f.summary_quote.as_deref().is_some_and(|quote| quote.contains(&new))
        };
        Corrupted { sort, text, planted, is_it: Box::new(is_it) }
    };
    let ones = spread(fitting.clone()).filter_map(|a| Some(changed("mutated number", &a, last(&a)?)));
    let more = spread(fitting).filter_map(|a| Some(changed("mutated digits", &a, two(&a)?)));
    ones.chain(more).collect()
}

/// A count that is not the record's, said of the present; and the record's own, of which nothing may come.
fn counted_wrong(session: &Session, summary: &str) -> Vec<Corrupted> {
    let (open, done) = (session.tasks.open().len(), session.tasks.done().len());
    let mut all = Vec::new();
    let claim = |sort, words: String, wrong: bool| {
        let text = format!("{summary}\n\n8. Current Work:\n   {words}");
        let planted = words.clone();
        let is_it = move |f: &Finding| {
            wrong
                && f.kind == Kind::Contradicted
                && f.summary_quote.as_deref().is_some_and(|q| q.contains(&words))
        };
        Corrupted { sort, text, planted, is_it: Box::new(is_it) }
    };
    if open > 0 && open + done > 1 {
        let all_of = open + done;
        all.push(claim("contradicted count", format!("{} of {all_of} tasks are completed", done + 1), true));
        all.push(claim("true count", format!("{done} of {all_of} tasks are completed"), false));
    }
    let runs = session.commands.iter().filter(|(core, c)| core.contains("test") && c.outcome.is_some());
    let last = runs.max_by_key(|(_, c)| c.place).and_then(|(_, c)| c.outcome.as_ref()).filter(|o| o.ok);
    let passed = last.and_then(|outcome| {
        let words: Vec<&str> = outcome.telling.split_whitespace().collect();
        let at = words.iter().position(|w| w.starts_with("passed") || w.starts_with("passing"))?;
        words.get(at.checked_sub(1)?)?.parse::<usize>().ok().filter(|n| *n > 0)
    });
    if let Some(passed) = passed {
        all.push(claim("contradicted tests", format!("All {} tests pass", passed + 7), true));
        all.push(claim("true count", format!("All {passed} tests pass"), false));
    }
    all
}

/// One letter taken out of file names that the record has.
fn changed_paths(session: &Session, summary: &str) -> Vec<Corrupted> {
    let names: HashSet<&str> = session.files.iter().filter_map(|(path, _)| path.rsplit('/').next()).collect();
    let mut seen = HashSet::new();
    let fits = |atom: &Atom| atom.text.contains('.') && names.contains(atom.text);
    let fitting: Vec<Atom> = atoms(summary).filter(|a| fits(a) && seen.insert(a.text)).collect();
    spread(fitting)
        .filter_map(|atom| {
            let at = atom.text.find('.')? / 2;
            let new = format!("{}{}", &atom.text[..at], &atom.text[at + 1..]);
            let right = atom.text.to_owned();
            let is_it = move |f: &Finding| {
                f.kind == Kind::Mutated && f.fact == About::File && f.text.ends_with(&right)
            };
            let planted = format!("{} → {new}", atom.text);
            let text = replaced(summary, &atom, &new);
            Some(Corrupted { sort: "mutated path", text, planted, is_it: Box::new(is_it) })
        })
        .collect()
}

fn spread<T>(all: Vec<T>) -> impl Iterator<Item = T> {
    let step = (all.len() / MOST).max(1);
    all.into_iter().step_by(step).take(MOST)
}

fn replaced(summary: &str, atom: &Atom, new: &str) -> String {
    format!("{}{new}{}", &summary[..atom.at], &summary[atom.at + atom.text.len()..])
}

/// A wish as the first of the user's messages; where the summary does not list them, as what the user said.
fn with_wish(summary: &str, wish: &'static str) -> Corrupted {
    let mut lines: Vec<String> = summary.lines().map(str::to_owned).collect();
    let list = |line: &String| line.to_lowercase().contains("all user messages") && line.len() < 60;
    match lines.iter().position(list) {
        Some(at) => lines.insert(at + 1, format!("   - \"{wish}\"")),
        None => lines.push(format!("The user said: \"{wish}\"")),
    }
    let is_it = move |f: &Finding| f.kind == Kind::Invented && f.text.contains(wish);
    Corrupted {
        sort: "invented wish",
        text: lines.join("\n"),
        planted: wish.to_owned(),
        is_it: Box::new(is_it),
    }
}

fn print_scores(scores: &BTreeMap<&str, Score>) {
    println!("{:<22}{:>8}{:>8}{:>8}{:>8}{:>8}", "", "planted", "found", "told", "false", "besides");
    let (mut kinds, mut all): (BTreeMap<&str, Score>, Score) = (BTreeMap::new(), Score::default());
    for (sort, score) in scores {
        score.print(sort);
        if sort.starts_with("true") {
            all.untrue += score.untrue;
            continue;
        }
        kinds.entry(sort.split(' ').next().unwrap_or_default()).or_default().add(score);
        all.add(score);
    }
    println!();
    for (kind, score) in &kinds {
        score.print(kind);
    }
    println!("\nprecision {:.1}%", 100.0 * all.found as f32 / (all.found + all.untrue).max(1) as f32);
}
