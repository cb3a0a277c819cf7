//! `catchword lost`: what compactions lost, and what was given back.
//!
//! Without an argument that picks one it lists compactions, otherwise it compares that summary with the record.
//! [`view`] formats the result.

mod view;

use anyhow::bail;
use catchword_engine::model::event::short_id;
use catchword_engine::ops::read::compaction::{
    CompactionRequest, CompactionsDocument, CompactionsRequest, compaction, compactions,
};
use catchword_engine::text::numbers::count_of;

use super::target::Target;
use crate::app::env::Env;
use crate::app::read::{fresh_reader, reader_for};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Compactions listed.
const LISTED: usize = 20;
/// Points programs to the documented fields.
const JSON: &str =
    "--json prints a list of compactions, or with a number a list of one; docs/audit.md has its fields.";

/// List what compactions lost; with a number, show one in full
///
/// Bare, it lists the compactions of this project, newest first. `catchword lost 2` shows the second compaction of this
/// folder's latest session, `catchword lost 1f2e` lists those of a session, `catchword lost 1f2e 2` shows one of them: both
/// sides of each difference, where it is in the transcript, whether it was given back to the agent, and what was
/// checked.
#[derive(clap::Args)]
#[command(after_help = JSON)]
pub struct Args {
    #[command(flatten)]
    target: Target,
    /// The same as --at N; SESSION may be left out
    #[arg(value_name = "N", conflicts_with_all = ["at", "line"])]
    number: Option<usize>,
    /// Include other projects
    #[arg(long)]
    all: bool,
    /// Open it on the page of `catchword serve`, which is started if it does not run
    #[arg(long, conflicts_with_all = ["json", "transcript", "line", "summary"])]
    web: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The address on the page of what `--web` opens; `None` without it.
pub fn view(args: &Args, env: &Env) -> anyhow::Result<Option<String>> {
    if !args.web {
        return Ok(None);
    }
    let target = args.target.at_number(args.number);
    if !target.has_moment() && !target.is_named() {
        return Ok(Some("/?state=compacted".to_owned()));
    }
    let reader = reader_for(target.which(), env)?;
    if !target.has_moment() {
        return Ok(Some(format!("/session/{}", reader.choose(target.which())?.id)));
    }
    let request = CompactionRequest { which: target.which(), at: target.compaction()?, summary: None };
    let one = compaction(&reader, &request)?;
    Ok(one.number.map(|number| ["/session", &one.session, "compaction", &number.to_string()].join("/")))
}

/// Prints a list, or one in detail.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let target = args.target.at_number(args.number);
    if target.has_moment() {
        return one(&target, args, env, ui);
    }
    let listed = if target.is_named() {
        of_session(&target, env)?
    } else {
        let most = if args.json { usize::MAX } else { LISTED };
        compactions(&fresh_reader(env)?, &CompactionsRequest::Latest { everywhere: args.all, most })?
    };
    if args.json {
        ui.line(serde_json::to_string_pretty(&listed.compactions)?);
    } else if listed.compactions.is_empty() {
        ui.say(ui.paragraph(&nothing(listed.elsewhere)));
    } else {
        let one = if target.is_file() { "--at N" } else { "catchword lost SESSION N" };
        view::list(&listed.compactions, one, env.now(), ui);
        if listed.hidden > 0 {
            let hidden = count_of(listed.hidden, "earlier compaction");
            ui.say(ui.dim(&format!("… and {hidden}: `catchword lost SESSION` lists one session's.")));
        }
    }
    Ok(Exit::Ok)
}

/// Every compaction in a session's transcript or in a file, newest first.
fn of_session(target: &Target, env: &Env) -> anyhow::Result<CompactionsDocument> {
    let reader = reader_for(target.which(), env)?;
    let all = compactions(&reader, &CompactionsRequest::Of(target.which()))?;
    if all.compactions.is_empty() {
        let name = reader.choose(target.which())?.id;
        bail!("{name} was not compacted; to compare it with a summary of yours, give --summary FILE");
    }
    Ok(all)
}

/// The chosen compaction, in full.
fn one(target: &Target, args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let (which, at, summary) = (target.which(), target.compaction()?, target.summary(env)?);
    let one = compaction(&reader_for(which, env)?, &CompactionRequest { which, at, summary })?;
    if let Some(remark) = &one.remark {
        ui.say(ui.paragraph(remark));
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&[one])?);
        return Ok(Exit::Ok);
    }
    view::detail(&one, ui);
    if let (Some(number), false) = (one.number, target.is_file() || one.machine.is_some()) {
        let brief = format!("catchword brief {} --at {number}", short_id(&one.session));
        ui.say(ui.dim(&format!("`{brief}` prints what it left out.")));
    }
    Ok(Exit::Ok)
}

fn nothing(elsewhere: usize) -> String {
    match elsewhere {
        0 => "No compaction recorded yet. `catchword try` shows what one would lose, `catchword index` takes in \
              existing sessions, `catchword doctor` checks whether hooks are called."
            .to_owned(),
        _ => format!("No compactions in this project; {elsewhere} in others (`catchword lost --all`)."),
    }
}
