//! `catchword try`: simulates a compaction of an existing session. Needs no setup and writes nothing.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use catchword_engine::ops::history::CompactionPoint;
use catchword_engine::ops::preview::{self, LeftOutCount, Preview};
use catchword_engine::ops::record::TranscriptLines;
use serde::Serialize;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::transcripts;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// A made-up session whose summary is as careless as real ones.
const SAMPLE: &str = include_str!("sample.jsonl");

/// See what a compaction would lose and what the agent would be told
///
/// Plays a compaction on your newest session (its latest real one, where it had any), or on a
/// bundled sample when there is none. Nothing has to be set up, nothing is written, nothing leaves this machine.
#[derive(clap::Args)]
#[command(name = "try")]
pub struct Args {
    /// A transcript to play it on instead
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Use the bundled sample session
    #[arg(long, conflicts_with = "transcript")]
    sample: bool,
    /// Characters the brief may have, 400 to 9,500
    #[arg(long, value_name = "CHARACTERS")]
    budget: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let budget = args.budget.unwrap_or_else(|| Config::load(env).budget);
    let played = match pick(args, env) {
        Some(path) => play(&path, env.show(&path), budget, env)?,
        None => play_sample(budget, env)?,
    };
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&played))?);
    } else {
        print(&played, ui);
    }
    Ok(Exit::Ok)
}

/// The transcript to use; `None` for the sample.
fn pick(args: &Args, env: &Env) -> Option<PathBuf> {
    if args.sample {
        return None;
    }
    args.transcript.clone().or_else(|| transcripts::newest(env))
}

/// A simulated compaction.
struct Played {
    name: String,
    /// The number of the compaction and how many there are; `None` if the session had none and its end was used.
    cut: Option<(usize, usize, CompactionPoint)>,
    lines: u32,
    preview: Preview,
}

fn play(path: &Path, name: String, budget: usize, env: &Env) -> anyhow::Result<Played> {
    let record = TranscriptLines::of_file(path);
    let cuts = record.cuts(&env.mask).with_context(|| format!("cannot read {}", path.display()))?;
    let number = cuts.len();
    let last = cuts.into_iter().next_back();
    let mut session = record.fold(&env.mask, last.as_ref().map(|cut| cut.lines))?;
    if last.as_ref().is_some_and(|cut| cut.manual) {
        session.compacts_on_order();
    }
    anyhow::ensure!(
        session.entries > 0,
        "{} holds no conversation: give another file with --transcript, or use --sample",
        path.display()
    );
    let summary = last.as_ref().map(|cut| cut.summary.as_str()).filter(|s| !s.is_empty());
    let lines = last.as_ref().map_or(session.entries, |cut| cut.lines);
    let preview = preview::preview(&session, summary, budget);
    Ok(Played { name, cut: last.map(|cut| (number, number, cut)), lines, preview })
}

fn play_sample(budget: usize, env: &Env) -> anyhow::Result<Played> {
    let mut file = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    file.write_all(SAMPLE.as_bytes())?;
    play(file.path(), "the bundled sample session".to_owned(), budget, env)
}

fn print(played: &Played, ui: &Ui) {
    ui.line(ui.bold(&format!("A compaction of {}", played.name)));
    ui.line(ui.paragraph(&what_was_played(played)));
    let (size, left_out) = (played.preview.brief.text.chars().count(), &played.preview.left_out);
    if played.cut.is_some() {
        ui.line("");
        ui.line(ui.bold("The summary leaves out"));
        left_out.iter().filter(|l| l.missing > 0).for_each(|l| ui.line(lost(l)));
    }
    ui.line("");
    if size == 0 {
        ui.line("There is nothing to add: the summary holds everything that the record has.");
        return;
    }
    ui.line(ui.bold(&format!("The agent would be told, in {size} characters (about {} tokens)", size / 4)));
    ui.line("");
    ui.line(&played.preview.brief.text);
}

fn what_was_played(played: &Played) -> String {
    match &played.cut {
        Some((number, all, cut)) => {
            let which = if *all > 1 { format!("compaction {number} of {all}") } else { "its compaction".to_owned() };
            format!(
                "{} lines of transcript before {which}, replaced by a summary of {} characters.",
                played.lines,
                cut.summary.chars().count()
            )
        }
        None => "It has not been compacted yet; this is what the agent would be told if it were now, whatever the \
                 summary says."
            .to_owned(),
    }
}

fn lost(left_out: &LeftOutCount) -> String {
    format!("  {:>4} of {:<4} {}", left_out.missing, left_out.all, left_out.section.noun())
}

#[derive(Serialize)]
struct TryView<'a> {
    transcript: &'a str,
    lines: u32,
    summary_characters: Option<usize>,
    left_out: Vec<LeftOutView>,
    brief_characters: usize,
    brief: &'a str,
}

#[derive(Serialize)]
struct LeftOutView {
    kind: &'static str,
    all: usize,
    missing: usize,
}

fn view(played: &Played) -> TryView<'_> {
    let of = |l: &LeftOutCount| LeftOutView { kind: l.section.noun(), all: l.all, missing: l.missing };
    TryView {
        transcript: &played.name,
        lines: played.lines,
        summary_characters: played.cut.as_ref().map(|(_, _, cut)| cut.summary.chars().count()),
        left_out: played.preview.left_out.iter().map(of).collect(),
        brief_characters: played.preview.brief.text.chars().count(),
        brief: &played.preview.brief.text,
    }
}
