//! How much of what a summary lost the brief gives back, by the key facts of a corpus:
//!
//! ```text
//! cargo run --release -p catchword-eval --example keyfacts -- CORPUS [BUDGET [CASE]]
//! ```
//!
//! CORPUS is a folder with `cases.tsv`, `facts.jsonl` and transcripts. Prints the figures by kind, and a last line that
//! is the same as that of `keyfacts.py` with the hooks of this build. With CASE, the beginning of a name, it prints that
//! brief and what became of each fact.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::path::Path;

use catchword_engine::brief::DEFAULT_BUDGET;
use catchword_eval::corpus::{Corpus, CorpusPoint};
use catchword_eval::key_facts::KINDS;
use catchword_eval::score::{FactOutcome, Figures, ScoredCase};

type Done<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let corpus = Corpus::open(Path::new(arguments.first().ok_or("name the folder of a corpus")?))?;
    let budget = arguments.get(1).map_or(Ok(DEFAULT_BUDGET), |budget| budget.parse())?;
    if let Some(start) = arguments.get(2) {
        let mut points = corpus.labelled();
        let point = points.find(|point| point.name.starts_with(start.as_str())).ok_or("no such case")?;
        return show(&corpus, point, budget);
    }
    let unlisted = corpus.unlisted();
    if let Some(first) = unlisted.first() {
        eprintln!("No compaction here for {} of the cases with facts: {first} …", unlisted.len());
    }
    let mut scored = Vec::new();
    for point in corpus.labelled() {
        let case = point.load()?;
        let brief = case.brief(budget).text;
        let score = corpus.scorer(&case)?.score(&brief)?;
        scored.push(ScoredCase { project: point.project(), characters: brief.chars().count(), score });
    }
    let figures = Figures::of(&scored).ok_or("no key facts for the cases of this corpus")?;
    let (cases, projects, characters) = (figures.cases, figures.projects, figures.characters);
    println!("{cases} cases, {projects} sources, mean injected {characters:.0} chars");
    for kind in KINDS {
        let Some(known) = figures.pooled.kinds.get(kind) else { continue };
        let share = |part: u32| 100.0 * f64::from(part) / f64::from(known.all);
        let (native, with) = (share(known.kept), share(known.with));
        println!("{kind:12} weight {:4}  native {native:5.1}%  with {with:5.1}%", known.all);
    }
    println!("{figures}");
    Ok(())
}

fn show(corpus: &Corpus, point: &CorpusPoint, budget: usize) -> Done<()> {
    let case = point.load()?;
    let brief = case.brief(budget).text;
    println!("{brief}");
    for outcome in corpus.scorer(&case)?.outcomes(&brief)? {
        let fact = outcome.fact;
        let kind = fact.kind.unwrap_or("trap");
        println!("  {:12} {} {kind:12} {}  {}", fate(&outcome), fact.weight, fact.fact, fact.place);
    }
    Ok(())
}

fn fate(outcome: &FactOutcome) -> &'static str {
    match outcome {
        _ if outcome.is_trap() && outcome.alone => "TRAP SPRUNG",
        _ if outcome.is_trap() => "trap held",
        _ if outcome.native => "summary",
        _ if outcome.with => "brief",
        _ => "LOST",
    }
}
