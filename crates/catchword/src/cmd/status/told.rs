//! `catchword status --told`: what agents were told at the moments of a day, and what happened next.

use catchword_engine::ops::read::told::{ToldDocument, ToldSum, told};
use catchword_engine::store::ToldKind;
use catchword_engine::text::numbers::{ago, count_of};

use super::Args;
use crate::app::env::Env;
use crate::app::read::reader;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Shown, latest first.
const SHOWN: usize = 20;

/// Prints what was told, latest first, and the sums.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let found = told(&reader(env)?, args.session.as_deref(), &args.request(0, usize::MAX, env)?)?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&found)?);
        return Ok(Exit::Ok);
    }
    if found.told.is_empty() {
        ui.say(ui.paragraph(
            "No agent here was told anything yet. `catchword config get told` and `next_start` say what it may be told.",
        ));
        return Ok(Exit::Ok);
    }
    for one in found.told.iter().take(SHOWN) {
        ui.line(block(one, env.now(), ui));
    }
    if found.told.len() > SHOWN {
        ui.line(ui.dim(&format!("… and {} more (--json)", found.told.len() - SHOWN)));
    }
    for sum in &found.sums {
        ui.say(in_words(sum));
    }
    Ok(Exit::Ok)
}

fn block(one: &ToldDocument, now: i64, ui: &Ui) -> String {
    let head = format!("{}  {}", ui.bold(&one.address), ago(now - one.at));
    format!("{head}\n{}\n  {}\n", ui.paragraph(&one.text), ui.dim(&what_followed(one)))
}

fn what_followed(one: &ToldDocument) -> String {
    let passed = match (one.kind, one.passed) {
        (ToldKind::Start, _) => String::new(),
        (ToldKind::Failure, Some(line)) => format!("passed at L{line}; "),
        (ToldKind::Failure, None) => "has not passed; ".to_owned(),
    };
    let used = match one.used.len() {
        0 => "nothing that it names was used".to_owned(),
        n => format!("used {n} of {} named", one.names.len()),
    };
    format!("{passed}{used}, in {} of {} calls", one.calls, one.watch)
}

fn in_words(sum: &ToldSum) -> String {
    match sum.kind {
        ToldKind::Start => format!("{}: {} used something named.", count_of(sum.told, "start"), sum.used),
        ToldKind::Failure => format!(
            "{}: {} passed soon after, {} used something named.",
            count_of(sum.told, "failure"),
            sum.passed,
            sum.used
        ),
    }
}
