//! `catchword brief`: what the agent would be told, and why.

use catchword_engine::brief::{Brief, BriefLine};
use catchword_engine::choose::Tier;
use catchword_engine::text::numbers::{count_of, grouped};
use serde::Serialize;

use super::target::{Size, Target};
use crate::app::env::Env;
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
/// "head" for what is certain, "beside" for what stands beside it (requests, notes, commands in force), and a number for
/// verbatim lines: their score, with the features that add most to it or take most from it. Below are the lines that
/// would come next.
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
    let moment = args.target.resolve(env, ui)?;
    let budget = args.size.budget(env);
    let brief = moment.brief(budget);
    match (args.why, args.json) {
        (_, true) => ui.line(serde_json::to_string_pretty(&view(&brief, args.why))?),
        (true, false) => print_why(&brief, args.all, ui),
        _ if brief.text.is_empty() => {
            ui.say("Nothing to add: the summary mentions everything that the record has.");
        }
        _ => ui.document(&brief.text),
    }
    Ok(Exit::Ok)
}

fn print_why(brief: &Brief, all: bool, ui: &Ui) {
    let (mut shown, next) = (brief.valued(), brief.next());
    shown.sort_by(|(a, score), (b, other)| a.fact.section.cmp(&b.fact.section).then(other.total_cmp(score)));
    let characters = grouped(brief.text.chars().count() as u64);
    ui.line(ui.bold(&format!("{characters} characters, {}", count_of(shown.len(), "item"))));
    ui.line(ui.dim("  worth  place    text, and why it is there (`catchword brief --help`)"));
    for section in shown.chunk_by(|a, b| a.0.fact.section == b.0.fact.section) {
        ui.line("");
        ui.line(ui.bold(section[0].0.fact.section.title()));
        for (line, value) in section {
            ui.line(row(line, *value, &line.reason(), ui));
        }
    }
    if next.is_empty() {
        return;
    }
    let listed = if all { next.len() } else { next.len().min(MAX_NEXT) };
    ui.line("");
    ui.line(ui.bold(&format!("Left out: {}, the next one first", count_of(next.len(), "item"))));
    for (line, value) in &next[..listed] {
        let is_quotation = line.fact.is_chosen();
        let what = if is_quotation { line.reason() } else { line.fact.section.noun().to_owned() };
        ui.line(row(line, *value, &what, ui));
    }
    if listed < next.len() {
        ui.line(ui.dim(&format!("… and {} more (--all)", next.len() - listed)));
    }
}

/// Its worth, its place, its beginning, and the reason.
fn row(line: &BriefLine, value: f32, reason: &str, ui: &Ui) -> String {
    let worth = if line.fact.is_chosen() { format!("{value:.2}") } else { tier(line.fact.tier).to_owned() };
    let place = line.fact.place.map(|place| place.to_string()).unwrap_or_default();
    let room = ui.width().saturating_sub(18);
    let words = room.saturating_sub(REASON + 2).max(room / 3);
    let start = padded(&fit_line(line.form(), words), words);
    let reason = ui.dim(&fit_line(reason, room - words - 2));
    format!("{worth:>7}  {place:<7}  {start}  {reason}")
}

/// The name of a tier.
fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Head => "head",
        Tier::Beside => "beside",
        Tier::Reference(_) => "score",
    }
}

#[derive(Serialize)]
struct BriefView<'a> {
    characters: usize,
    text: &'a str,
    /// Every candidate, those in the brief first; with --why.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<LineView<'a>>>,
}

#[derive(Serialize)]
struct LineView<'a> {
    kind: &'static str,
    text: &'a str,
    shown: bool,
    tier: &'static str,
    /// Of a line of the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    place: Option<String>,
    why: String,
}

fn view(brief: &Brief, why: bool) -> BriefView<'_> {
    let all = || brief.valued().into_iter().chain(brief.next());
    let lines = || all().map(line_view).collect();
    BriefView { characters: brief.text.chars().count(), text: &brief.text, lines: why.then(lines) }
}

fn line_view((line, value): (&BriefLine, f32)) -> LineView<'_> {
    let fact = &line.fact;
    LineView {
        kind: fact.section.noun(),
        text: line.form(),
        shown: line.shown.is_some(),
        tier: tier(fact.tier),
        score: value.is_finite().then_some(value),
        place: fact.place.map(|place| place.to_string()),
        why: line.reason(),
    }
}
