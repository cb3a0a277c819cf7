//! How well the audit finds what was done to a summary.
//!
//! ```text
//! cargo run --release -p catchword-eval --example audit_bench -- DIR [own|dev|held]
//! ```
//!
//! Takes every compaction of every transcript in DIR and plants one lie at a time in its real summary, the same on every
//! run: an open task called done, a check called passing, words of the agent's put into the user's mouth, a number, path,
//! id or quotation changed, an open task or the latest request left out, a wish nobody had. Each lie comes in several
//! wordings (`phrasings.rs`, `held_out.rs`), in English and other languages, in one line and in a list. Sentences that sound alike and
//! are true ("not done yet") are planted too: nothing may come of them.
//!
//! Printed per kind and wording: how many were planted, found, and found with enough confidence to be told. A told
//! finding that is neither the planted one nor one of the untouched summary's own is false. `held` counts only the
//! wordings that were not looked at while the rules were written, `dev` only the others; `own` lists the findings of the
//! untouched summaries with their places, to be looked up in the transcript. What was missed goes to stderr, except for
//! the held-out wordings.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod held_out;
mod lies;
mod phrasings;

use std::collections::BTreeMap;
use std::path::Path;

use catchword_engine::audit::audit;
use catchword_engine::clients::CLIENTS;
use catchword_engine::model::finding::{Finding, FindingKind};
use catchword_engine::ops::history;
use catchword_engine::ops::rows::RowReader;
use catchword_engine::redact::SECRETS;
use catchword_engine::session::Session;

use lies::{Lie, lies};

#[derive(Default)]
struct Score {
    planted: usize,
    found: usize,
    told: usize,
    untrue: usize,
}

impl Score {
    fn add(&mut self, other: &Score) {
        self.planted += other.planted;
        self.found += other.found;
        self.told += other.told;
        self.untrue += other.untrue;
    }

    fn print(&self, name: &str) {
        let share = |n: usize| 100.0 * n as f32 / self.planted.max(1) as f32;
        println!(
            "{name:<64}{:>6}{:>6}{:>6}{:>6}   found {:>3.0}%  told {:>3.0}%",
            self.planted,
            self.found,
            self.told,
            self.untrue,
            share(self.found),
            share(self.told)
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), mode) = (arguments.next(), arguments.next().unwrap_or_default()) else {
        eprintln!("usage: audit_bench DIR [own|dev|held]");
        return;
    };
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let (mut summaries, mut own) = (0, Vec::new());
    for path in &files {
        for (lines, session, summary) in compactions(path) {
            summaries += 1;
            let before = audit(&session, &summary);
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            if mode == "own" {
                let name = format!("{name}@{lines}");
                for finding in &before {
                    print_own(summaries, &name, finding);
                }
                continue;
            }
            for lie in lies(&session, &summary, summaries) {
                if (mode == "held" && !lie.held) || (mode == "dev" && lie.held) {
                    continue;
                }
                let score = scores
                    .entry(format!(
                        "{}{}: {}",
                        lie.kind,
                        if lie.held { " (held out)" } else { "" },
                        lie.phrasing
                    ))
                    .or_default();
                judge(&name, &session, &before, &lie, score);
            }
            own.extend(before);
        }
    }
    if mode != "own" {
        let told = own.iter().filter(|f| f.is_told()).count();
        println!(
            "{} files, {summaries} summaries; untouched: {} findings, {told} told\n",
            files.len(),
            own.len()
        );
        print_scores(&scores);
    }
}

fn print_own(number: usize, name: &str, f: &Finding) {
    let place = f.place.map(|place| place.to_string()).unwrap_or_default();
    let (kind, about) = (f.kind.name(), f.fact.name());
    println!(
        "{number:03} {name} {kind} {about} {:.2} {place} {} || {:?}",
        f.confidence, f.text, f.summary_quote
    );
}

/// Every compaction: the lines before it, the session, the summary.
fn compactions(path: &Path) -> Vec<(u32, Session, String)> {
    let readers = CLIENTS.iter().map(|client| RowReader { client, mask: SECRETS });
    let known = readers.flat_map(|reader| {
        let cuts = history::cuts(reader, path).unwrap_or_default().into_iter();
        let cuts = cuts.filter(|cut| cut.summary.len() > 500);
        cuts.filter_map(move |cut| {
            Some((cut.lines, history::fold(reader, path, Some(cut.lines)).ok()?, cut.summary))
        })
    });
    known.collect()
}

fn judge(name: &str, session: &Session, before: &[Finding], lie: &Lie, score: &mut Score) {
    let after = audit(session, &lie.text);
    score.planted += 1;
    let planted: Vec<&Finding> = after.iter().filter(|f| (lie.is_it)(f)).collect();
    let is_told = planted.iter().any(|f| f.is_told());
    score.found += usize::from(!planted.is_empty());
    score.told += usize::from(is_told);
    if !is_told && !lie.held && !lie.is_true {
        let best = planted.iter().map(|f| f.confidence).fold(0.0, f32::max);
        eprintln!("missed {} [{}] ({best}) in {name}: {}", lie.kind, lie.phrasing, lie.planted);
    }
    let same = |a: &Finding, b: &Finding| a.kind == b.kind && a.fact == b.fact && a.text == b.text;
    let new = after
        .iter()
        .filter(|f| f.is_told() && !(lie.is_it)(f) && !before.iter().any(|b| same(f, b) && b.is_told()));
    // What else a removed line spoke of is dropped, too.
    for finding in new.filter(|f| f.kind != FindingKind::Dropped) {
        score.untrue += 1;
        if !lie.held {
            eprintln!("false after {} [{}] of {}: {finding:?}", lie.kind, lie.phrasing, lie.planted);
        }
    }
}

fn print_scores(scores: &BTreeMap<String, Score>) {
    println!("{:<64}{:>6}{:>6}{:>6}{:>6}", "", "lies", "found", "told", "false");
    let mut kinds: BTreeMap<String, Score> = BTreeMap::new();
    for (name, score) in scores {
        score.print(name);
        kinds.entry(name.split(':').next().unwrap_or_default().to_owned()).or_default().add(score);
    }
    println!();
    let mut all = Score::default();
    for (kind, score) in &kinds {
        score.print(kind);
        all.untrue += score.untrue;
        all.told += if kind.starts_with("true") { 0 } else { score.told };
    }
    println!(
        "\nprecision of what is told: {:.1}%",
        100.0 * all.told as f32 / (all.told + all.untrue).max(1) as f32
    );
}
