//! Fits the weights of `choose/` to a labelled corpus, and says what they give back on projects left out:
//!
//! ```text
//! cargo run --release -p catchword-eval --example train -- CORPUS [--newer CASE] [--sealed A,B] [--write FILE]
//! ```
//!
//! CORPUS is a folder with `cases.tsv`, `facts.jsonl` and transcripts (`docs/measured.md` has the form). `--newer` names
//! the first case of those that nothing was tuned to, for a column of its own. `--sealed` leaves projects out of
//! everything; with `--open-seal` they are measured once, with the weights fitted to all others. `--write` writes the
//! weights fitted to all cases that are not sealed.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::path::Path;

use catchword_engine::choose::weights::SHARES;
use catchword_eval::corpus::Corpus;
use catchword_eval::fit::Tables;
use catchword_eval::score::{Figures, ScoredCase};
use catchword_eval::train::{figures, fit_all, folds, load, scored, source};

type Done<T> = Result<T, Box<dyn std::error::Error>>;

/// Budgets that are measured, in characters.
const BUDGETS: [usize; 6] = [2_000, 3_000, 4_500, 6_000, 8_000, 9_500];

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let corpus = Corpus::open(Path::new(arguments.first().ok_or("name the folder of a corpus")?))?;
    let sealed: Vec<String> = value("--sealed")
        .unwrap_or_default()
        .split(',')
        .filter(|p| !p.is_empty())
        .map(str::to_owned)
        .collect();
    let is_sealed = |project: &str| sealed.iter().any(|own| own == project);
    let newer = newer(&corpus, value("--newer").as_deref());
    let is_newer = |project: &str| newer.iter().any(|own| own == project);

    let cases = load(&corpus, |project| !is_sealed(project))?;
    let lines: usize = cases.iter().map(|case| case.lines.hits.len()).sum();
    let hits = cases.iter().flat_map(|case| &case.lines.hits).filter(|hit| **hit > 0.0).count();
    let (reached, lost) =
        cases.iter().fold((0, 0), |sum, case| (sum.0 + case.reachable.0, sum.1 + case.reachable.1));
    eprintln!(
        "{} cases, {lines} lines, {hits} of them say a fact; {reached} of {lost} by weight stand in one line",
        cases.len()
    );

    let folds: BTreeMap<String, Tables> = folds(&cases).into_iter().collect();
    println!(
        "each project left out            older          newer          all            traps   characters"
    );
    for budget in BUDGETS {
        let all = scored(&corpus, &cases, budget, |project| &folds[project])?;
        print_row(&format!("{budget} characters"), &all, &is_newer);
    }
    let tables = fit_all(&cases);
    let fitted = scored(&corpus, &cases, 6_000, |_| &tables)?;
    print_row("6000, the fit", &fitted, &is_newer);
    if arguments.iter().any(|argument| argument == "--open-seal") {
        let cases = load(&corpus, is_sealed)?;
        for budget in [6_000, 9_500] {
            print_row(
                &format!("{budget}, sealed"),
                &scored(&corpus, &cases, budget, |_| &tables)?,
                &is_newer,
            );
        }
    }
    if let Some(file) = value("--write") {
        let about = format!(
            "//! Fitted to {lines} lines of {} compactions, of which {hits} say a fact that the summary lost.\n",
            cases.len()
        );
        #[expect(clippy::disallowed_methods, reason = "a source file of ours, not a user's data")]
        std::fs::write(file, source(&tables, &SHARES, &about))?;
    }
    Ok(())
}

/// The projects of the cases from this one on.
fn newer(corpus: &Corpus, first: Option<&str>) -> Vec<String> {
    let Some(first) = first else { return Vec::new() };
    let points = corpus.labelled().skip_while(|point| !point.name.starts_with(first));
    points.map(|point| point.project().to_owned()).collect()
}

fn print_row(name: &str, cases: &[ScoredCase], is_newer: &impl Fn(&str) -> bool) {
    let share = |figures: Option<Figures>| {
        figures
            .map_or_else(|| "–".to_owned(), |figures| format!("{:.1}%", 100.0 * figures.share.given_back()))
    };
    let all = figures(cases, |_| true);
    let (traps, characters) = all.as_ref().map_or((String::new(), 0.0), |figures| {
        (format!("{} of {}", figures.pooled.sprung, figures.pooled.traps), figures.characters)
    });
    let (older, newer) =
        (share(figures(cases, |project| !is_newer(project))), share(figures(cases, is_newer)));
    println!("{name:32} {older:14} {newer:14} {:14} {traps:9} {characters:.0}", share(all));
}
