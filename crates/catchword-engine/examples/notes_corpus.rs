//! Notes and cold tasks of many sessions in one run.
//!
//! ```text
//! cargo run --release -p catchword-engine --example notes_corpus -- DIR [FILE-START LINE]
//! ```
//!
//! DIR holds transcripts and `cases.tsv`: a transcript and a line a row, the moment right before a compaction. Printed
//! is a row a case: turns, tasks, cold tasks, lines of the progress log by kind, and the size of the document. With the
//! start of a file's name and a line, that case's notes and cold tasks are printed instead.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::path::Path;

use catchword_engine::agent::claude_code::AGENT;
use catchword_engine::ops::history;
use catchword_engine::session::spans::Kind;
use catchword_engine::{cold, notes};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(arguments.first().expect("a folder with transcripts and cases.tsv"));
    let table = std::fs::read_to_string(folder.join("cases.tsv")).expect("cases.tsv");
    let cases = table.lines().skip(1).filter_map(|row| row.split_once('\t'));
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    let mut add = |name, n| *sums.entry(name).or_default() += n;
    println!("turns tasks todos reqs open cold log chars  kinds");
    for (file, line) in cases {
        let lines: u32 = line.trim().parse().expect("a line number");
        let session = history::fold(&AGENT, &folder.join(file), Some(lines)).expect("a transcript");
        let (written, cold) = (notes::of(&session, &[]), cold::cold(&session));
        let document = notes::markdown(&written, file);
        if let [_, start, at] = arguments.as_slice() {
            if file.starts_with(start.as_str()) && at == line.trim() {
                println!("{document}\n{cold:#?}");
            }
            continue;
        }
        let count = |kind| cold::finished(&session).iter().filter(|span| span.kind == kind).count();
        let finished = [count(Kind::Task), count(Kind::Todo), count(Kind::Request)];
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for line in &written.progress {
            *kinds.entry(line.kind).or_default() += 1;
            add(line.kind, 1);
        }
        let [tasks, todos, requests] = finished;
        println!(
            "{:>5} {tasks:>5} {todos:>5} {requests:>4} {:>4} {:>4} {:>3} {:>5}  {kinds:?} {file} {line}",
            session.turns,
            session.tasks.open().len(),
            cold.len(),
            written.progress.len(),
            document.chars().count(),
        );
        add("cases", 1);
        add("cases with a state", usize::from(written.state.active.is_some()));
        add("cases with finished tasks", usize::from(tasks + todos + requests > 0));
        add("cases with cold tasks", usize::from(!cold.is_empty()));
        add("finished", tasks + todos + requests);
        add("cold", cold.len());
        add("cold with files", cold.iter().filter(|task| !task.files_modified.is_empty()).count());
        add("cold with resolved errors", cold.iter().filter(|task| !task.errors_resolved.is_empty()).count());
    }
    println!("{sums:#?}");
}
