//! `catchword explain`: why each item is in the brief, and what was left out.

use catchword_engine::extract::Turn;
use catchword_engine::render::Chosen;
use serde::Serialize;

use super::target::{Size, Target};
use crate::env::Env;
use crate::exit::Exit;
use crate::ui::Ui;

/// Left-out facts that are listed; the tail is long and says little.
const LEFT_OUT: usize = 30;

/// Explain the brief: why each item is there, what it weighs and costs, what was left out
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    size: Size,
    /// List everything that was left out
    #[arg(long)]
    all: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Prints every fact with its reason.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let moment = args.target.resolve(env, ui)?;
    let budget = args.size.budget(env);
    let brief = moment.brief(budget);
    if args.json {
        let views: Vec<FactView> = brief.chosen.iter().map(view).collect();
        ui.line(serde_json::to_string_pretty(&views)?);
        return Ok(Exit::Ok);
    }
    let (shown, mut left): (Vec<&Chosen>, Vec<&Chosen>) =
        brief.chosen.iter().partition(|c| c.shown.is_some());
    ui.line(ui.bold(&format!("{} characters of {}", brief.text.chars().count(), budget)));
    for chosen in shown {
        ui.line(line(chosen, ui));
    }
    left.sort_by(|a, b| b.fact.weight.total_cmp(&a.fact.weight));
    let hidden = if args.all { 0 } else { left.len().saturating_sub(LEFT_OUT) };
    ui.line("");
    ui.line(ui.bold(&format!("Left out: {} facts with less weight for their length", left.len())));
    for chosen in left.iter().take(left.len() - hidden) {
        ui.line(line(chosen, ui));
    }
    if hidden > 0 {
        ui.line(ui.dim(&format!("… and {hidden} more (--all)")));
    }
    Ok(Exit::Ok)
}

fn line(chosen: &Chosen, ui: &Ui) -> String {
    let fact = &chosen.fact;
    let form = chosen.shown.as_deref().unwrap_or(fact.short.as_deref().unwrap_or(&fact.text));
    let room = ui.width().saturating_sub(30);
    let short: String = form.chars().take(room).collect();
    let place = fact.place.map(|p| p.to_string()).unwrap_or_default();
    let weight = match fact.turn {
        Turn::Must => "must".to_owned(),
        Turn::Reserved => "kept".to_owned(),
        Turn::Weighed => format!("{:.3}", fact.weight),
    };
    format!(
        "{weight:>6} {:>5}  {place:<7} {short}\n{}",
        form.chars().count(),
        ui.dim(&format!("{:22}{}: {}", "", fact.section.noun(), fact.why))
    )
}

#[derive(Serialize)]
struct FactView<'a> {
    kind: &'static str,
    item: &'a str,
    shown: Option<&'a str>,
    turn: &'static str,
    weight: f32,
    characters: usize,
    place: Option<String>,
    why: String,
}

fn view(chosen: &Chosen) -> FactView<'_> {
    let fact = &chosen.fact;
    FactView {
        kind: fact.section.noun(),
        item: &fact.bare,
        shown: chosen.shown.as_deref(),
        turn: match fact.turn {
            Turn::Must => "must",
            Turn::Reserved => "reserved",
            Turn::Weighed => "weighed",
        },
        weight: fact.weight,
        characters: chosen.shown.as_deref().unwrap_or(&fact.text).chars().count(),
        place: fact.place.map(|p| p.to_string()),
        why: fact.why.to_string(),
    }
}
