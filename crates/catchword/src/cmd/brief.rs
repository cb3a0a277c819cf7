//! `catchword brief`: what the agent would be told, and why.

use catchword_engine::ops::read::brief::{BriefDocument, BriefLineDocument, BriefRequest, brief};
use catchword_engine::text::numbers::{count_of, grouped};

use super::target::{Size, Target};
use crate::app::env::Env;
use crate::app::read::reader_for;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::{fit_line, padded};

/// Most left-out lines listed; the long tail says little.
const MAX_NEXT: usize = 10;

/// Columns of a reason.
const REASON: usize = 33;

/// Show the brief: what the agent would be told after a compaction
///
/// For the latest session of this folder as it is now, for any recorded session, at any of its compactions, or for any
/// transcript file.
///
/// With --why, it lists each line with its worth, its place in the transcript, how it begins and why it is there. Worth is
/// "always" for what goes in first, "words" for the user's earlier requests (which have a share of the brief), and a
/// number for everything else: its value per 1,000 characters, which compares lines of one section. Verbatim lines have
/// their score, with the features that add most to it or take most from it. Below are the lines that would come next.
///
/// The agent gets the brief as a pipe prints it; on a terminal, long lines are wrapped.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    size: Size,
    /// Explain why each line is there, and what would come next
    #[arg(long)]
    why: bool,
    /// With --why, list everything
    #[arg(long, requires = "why")]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the brief, or the reasons for it.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let which = args.target.which();
    let request = BriefRequest {
        which,
        at: args.target.moment(),
        summary: args.target.summary(env)?,
        budget: args.size.budget(env),
        with_reasons: args.why,
    };
    let brief = brief(&reader_for(which, env)?, &request)?;
    if let Some(remark) = &brief.remark {
        ui.say(ui.paragraph(remark));
    }
    match &brief.lines {
        _ if args.json => ui.line(serde_json::to_string_pretty(&brief)?),
        Some(lines) => print_why(&brief, lines, args.all, ui),
        None if brief.text.is_empty() => {
            ui.say("Nothing to add: the summary mentions everything that the record has.");
        }
        None => ui.document(&brief.text),
    }
    Ok(Exit::Ok)
}

fn print_why(brief: &BriefDocument, lines: &[BriefLineDocument], all: bool, ui: &Ui) {
    let (shown, next): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.shown);
    let characters = grouped(brief.characters as u64);
    ui.line(ui.bold(&format!("{characters} characters, {}", count_of(shown.len(), "item"))));
    ui.line(ui.dim("  worth  place    text, and why it is there (`catchword brief --help`)"));
    for section in shown.chunk_by(|a, b| a.heading == b.heading) {
        ui.line("");
        ui.line(ui.bold(section[0].heading));
        for line in section {
            ui.line(row(line, &line.why, ui));
        }
    }
    if next.is_empty() {
        return;
    }
    let adds_something = |line: &&&BriefLineDocument| line.has_claim() || line.value > 0.0;
    let listed = if all { next.len() } else { next.iter().take(MAX_NEXT).take_while(adds_something).count() };
    ui.line("");
    ui.line(ui.bold(&format!("Left out: {}, the next one first", count_of(next.len(), "item"))));
    for line in &next[..listed] {
        ui.line(row(line, if line.is_chosen() { &line.why } else { line.kind }, ui));
    }
    if listed < next.len() {
        ui.line(ui.dim(&format!("… and {} more (--all)", next.len() - listed)));
    }
}

/// Its worth, its place, its beginning, and the reason.
fn row(line: &BriefLineDocument, reason: &str, ui: &Ui) -> String {
    let number = || format!("{:.2}", if line.is_chosen() { line.value } else { line.value * 1_000.0 });
    let worth = if line.has_claim() { line.priority.to_owned() } else { number() };
    let place = line.place.as_deref().unwrap_or_default();
    let room = ui.width().saturating_sub(18);
    let words = room.saturating_sub(REASON + 2).max(room / 3);
    let start = padded(&fit_line(&line.text, words), words);
    let reason = ui.dim(&fit_line(reason, room - words - 2));
    format!("{worth:>7}  {place:<7}  {start}  {reason}")
}
