//! `catchword eval`: what past compactions lost, and what catchword would have given back.

mod moments;
mod report;

use std::collections::BTreeSet;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;
use catchword_engine::brief;
use catchword_engine::choose::{HEAD, REFERENCE};
use catchword_engine::ops::record::TranscriptLines;
use catchword_eval::measure::{Briefs, MeasuredFile, measure};
use clap::builder::PossibleValuesParser;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::read::viewer;
use crate::app::transcripts::{self, FoundTranscripts};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Measure what compactions lost, and how much a brief brings back
///
/// Replays every compaction in the transcripts, and compares what the agent would have seen with what it went on to use:
/// files, commands and names that it had met before. It needs no setup, writes nothing, and nothing leaves this machine.
///
/// In the list, # is the compaction's number, Lines the length of the transcript and Needed how many things were used again. Summary and With are the
/// shares of them that the agent saw without and with a brief. Closed is how far the brief got towards the best
/// possible one (9,500 characters, written knowing the future), Chars its length. The second table counts the same things
/// by kind, with the head of the brief (what is certain) and with the reference (quoted lines) below it. By project, N is the number of compactions; Files, Commands and Names are how
/// far it got with each; Listed is how many paths and names a brief lists, Used how many of them the next 80 calls used.
/// In JSON, `total` has means over projects instead of counts.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Args {
    /// Transcripts, or folders with transcripts [default: those of all clients]
    #[arg(value_name = "PATHS")]
    paths: Vec<PathBuf>,
    /// Most characters of each brief
    #[arg(long, value_name = "CHARACTERS", value_parser = super::target::budget)]
    budget: Option<usize>,
    /// Leave out what this extractor finds, to see what it contributes (may be repeated)
    #[arg(long, value_name = "EXTRACTOR")]
    #[arg(value_parser = PossibleValuesParser::new(HEAD.iter().map(|rule| rule.name).chain([REFERENCE])))]
    without: Vec<String>,
    /// Make the briefs without knowing the summary, to see what knowing it saves
    #[arg(long)]
    blind: bool,
    /// Replay what agents would have been told at failures, project by project, and what happened next
    #[arg(long, conflicts_with_all = ["budget", "without", "blind"])]
    moments: bool,
    /// List every compaction; with --moments, every line
    #[arg(long)]
    all: bool,
    /// Print every figure as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let paths = if args.paths.is_empty() { transcripts::folders(env)? } else { args.paths.clone() };
    let mut found = FoundTranscripts::conversations();
    // Before the first session the default folder does not exist, which is not an error.
    paths
        .iter()
        .filter(|path| !args.paths.is_empty() || path.exists())
        .for_each(|path| found.look(path, true));
    let viewer = viewer(env);
    let session = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    found.transcripts.retain(|path| viewer.sees(&session(path), None, Some(path)));
    if args.moments {
        return moments::run(args, found, env, ui);
    }
    let budget = args.budget.unwrap_or_else(|| Config::load(env).budget);
    let briefs = Briefs { budget: brief::clamped(budget), without: &args.without, blind: args.blind };
    let mut measured = Vec::new();
    for (path, result) in measure_all(found.transcripts, &briefs, env, ui) {
        match result {
            Ok(outcome) => measured.push((path, outcome)),
            Err(error) => found.problems.push((path, error)),
        }
    }
    for (path, error) in &found.problems {
        ui.say(format!("Cannot read {}: {error}", env.show(path)));
    }
    let report = report::Report { measured: &measured, briefs: &briefs, env, ui };
    if args.json {
        ui.line(serde_json::to_string_pretty(&report.view()).context("figures are always JSON")?);
    } else if measured.is_empty() {
        let places: Vec<String> = paths.iter().map(|path| env.show(path)).collect();
        ui.say(ui.paragraph(&format!(
            "No transcripts in {} (files that end in .jsonl). Name one, or a folder with some: catchword eval PATH",
            places.join(", ")
        )));
    } else {
        report.print(args.all);
    }
    Ok(if found.problems.is_empty() { Exit::Ok } else { Exit::Attention })
}

/// Measures every file, one worker per CPU; results are in the order of the files.
fn measure_all(
    transcripts: BTreeSet<PathBuf>,
    briefs: &Briefs,
    env: &Env,
    ui: &Ui,
) -> Vec<(PathBuf, io::Result<MeasuredFile>)> {
    let paths: Vec<PathBuf> = transcripts.into_iter().collect();
    let bar = ui.progress(paths.len(), "transcripts");
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((
                path.clone(),
                measure(TranscriptLines::of_file(path).reader(&env.mask), path, briefs),
            ));
            bar.inc(1);
        }
        done
    };
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get).min(paths.len());
    let mut all: Vec<(PathBuf, io::Result<MeasuredFile>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("measuring does not panic")).collect()
    });
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    bar.finish_and_clear();
    all
}
