//! How well the audit finds what was done to a summary.
//!
//! ```text
//! cargo run --release -p catchword-eval --example audit_bench -- DIR [own|dev|held [KIND]]
//! ```
//!
//! Takes every compaction of every transcript in DIR and plants one lie at a time in its real summary, the same on every
//! run: an open task called done, a check called passing, words of the agent's put into the user's mouth, a number, path,
//! id or quotation changed, an open task or the latest request left out, a wish nobody had. Each lie comes in several
//! wordings (`phrasings.rs`, `held_out.rs`), in English and other languages, in one line and in a list. Sentences that sound alike and
//! are true ("not done yet") are planted too: nothing may come of them.
//!
//! Printed per kind and wording: how many were planted and told. A told finding that is neither the planted one nor one of the untouched summary's own is false. `held` counts only the
//! wordings that were not looked at while the rules were written, `dev` only the others; `own` lists the findings of the
//! untouched summaries with their places, to be looked up in the transcript. What was missed goes to stderr, except for
//! the held-out wordings.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod blind;
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
    told: usize,
    untrue: usize,
}

impl Score {
    fn add(&mut self, other: &Score) {
        self.planted += other.planted;
        self.told += other.told;
        self.untrue += other.untrue;
    }

    fn print(&self, name: &str) {
        let share = |n: usize| 100.0 * n as f32 / self.planted.max(1) as f32;
        println!(
            "{name:<64}{:>6}{:>6}{:>6}   told {:>3.0}%",
            self.planted,
            self.told,
            self.untrue,
            share(self.told)
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), mode) = (arguments.next(), arguments.next().unwrap_or_default()) else {
        eprintln!("usage: audit_bench DIR [own|dev|held [KIND]]");
        return;
    };
    let only = arguments.next();
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
            let planted =
                lies(&session, &summary, summaries).into_iter().chain(blind::lies(&session, &summary));
            for lie in planted {
                let is_asked = only.as_ref().is_none_or(|only| lie.kind.contains(only.as_str()));
                if (mode == "held" && !lie.held) || (mode == "dev" && lie.held) || !is_asked {
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
        println!("{} files, {summaries} summaries; untouched: {} findings\n", files.len(), own.len());
        print_scores(&scores);
    }
}

fn print_own(number: usize, name: &str, f: &Finding) {
    let place = f.place.map(|place| place.to_string()).unwrap_or_default();
    let (kind, about) = (f.kind.name(), f.fact.name());
    println!(
        "{number:03} {name} {kind} {about} {place} {} || {:?} {:?}",
        f.text, f.summary_quote, f.summary_at
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
    let is_told = after.iter().any(|f| (lie.is_it)(f));
    score.told += usize::from(is_told);
    if !is_told && !lie.held && !lie.is_true {
        eprintln!("missed {} [{}] in {name}: {}", lie.kind, lie.phrasing, lie.planted);
    }
    let same = |a: &Finding, b: &Finding| a.kind == b.kind && a.fact == b.fact && a.text == b.text;
    let new = after.iter().filter(|f| !(lie.is_it)(f) && !before.iter().any(|b| same(f, b)));
    // What else a removed line spoke of is dropped, too.
    for finding in new.filter(|f| f.kind != FindingKind::Dropped) {
        score.untrue += 1;
        if lie.held {
            // Not its wording: that must not be read while rules change.
            eprintln!(
                "false, held out {}: {:?} {:?} {:?}",
                lie.kind, finding.kind, finding.fact, finding.text
            );
        } else {
            eprintln!("false after {} [{}] of {}: {finding:?}", lie.kind, lie.phrasing, lie.planted);
        }
    }
}

fn print_scores(scores: &BTreeMap<String, Score>) {
    println!("{:<64}{:>6}{:>6}{:>6}", "", "lies", "told", "false");
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
