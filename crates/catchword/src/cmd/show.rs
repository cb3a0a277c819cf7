//! `catchword show`: the brief as it would be.

use serde::Serialize;

use super::target::{Size, Target};
use crate::env::Env;
use crate::exit::Exit;
use crate::ui::Ui;

/// Show the brief: what the agent would be told after a compaction
///
/// Of the latest session of this folder as it is now, of any recorded session, at any of its compactions, or
/// of any transcript file.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    size: Size,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the brief.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let moment = args.target.resolve(env, ui)?;
    let budget = args.size.budget(env);
    let brief = moment.brief(budget);
    if args.json {
        let view = BriefView { characters: brief.text.chars().count(), text: &brief.text };
        ui.line(serde_json::to_string_pretty(&view)?);
    } else if brief.text.is_empty() {
        ui.say("Nothing to say: the summary holds everything that the record has.");
    } else {
        ui.line(&brief.text);
    }
    Ok(Exit::Ok)
}

#[derive(Serialize)]
struct BriefView<'a> {
    characters: usize,
    text: &'a str,
}
