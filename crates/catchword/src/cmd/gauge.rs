//! `catchword gauge`: how full the context is, and how far off the next compaction.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use catchword_engine::clients::Client;
use catchword_engine::context::Gauge;
use catchword_engine::model::tokens::TokenCount;
use catchword_engine::ops::checkpoint::{self, GaugeSettings};
use catchword_engine::ops::history;
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::store::{Gauged, Store};
use catchword_engine::text::numbers::grouped;
use serde::Serialize;

use crate::app::env::Env;
use crate::app::models;
use crate::app::sessions::present;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Show how full the context is and how many tokens are left before the next compaction
///
/// Each number with where it comes from. Tokens are those of the latest answer, the cached ones included, as the
/// client counts them. The window is told by the transcript or the status line, else by the model that environment and
/// settings choose, else it is the usual one of the model; where none of them decides, it is unknown. The threshold is where this client compacts with the settings of this shell: run it where the client
/// was started, or variables that move its threshold do not count.
#[derive(clap::Args)]
pub struct Args {
    /// A recorded session, by the start of its id; the latest of this folder when not given
    #[arg(value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Any transcript file instead of a recorded session
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the gauge.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let (client, session, path) = if let Some(path) = &args.transcript {
        (must_be_a_transcript(path, env)?, None, path.clone())
    } else {
        let chosen = present(args.session.as_deref(), env)?;
        (chosen.client, Some(chosen.id), chosen.transcript)
    };
    let (gauge, gauged) = read(client, session.as_deref(), &path, env)?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(session, &path, &gauge, &gauged))?);
    } else {
        print(client, &gauge, &gauged, ui);
    }
    Ok(Exit::Ok)
}

/// Fails for a file without any recognised row; returns the client that wrote it.
fn must_be_a_transcript(path: &Path, env: &Env) -> anyhow::Result<&'static Client> {
    let record = TranscriptLines::of_file(path);
    let session = record.fold(&env.mask, None).with_context(|| format!("cannot read {}", path.display()))?;
    anyhow::ensure!(session.entries > 0, "{} holds no conversation; is it a transcript?", path.display());
    Ok(record.client)
}

/// Reads the transcript itself, which may be ahead of the hooks; if it is gone, the store.
fn read(client: &Client, session: Option<&str>, path: &Path, env: &Env) -> anyhow::Result<(Gauge, Gauged)> {
    let folder = env.data_dir.as_deref();
    let store =
        folder.map(|folder| Store::open_existing(folder, Duration::from_secs(2))).transpose()?.flatten();
    let stored = match (session, &store) {
        (Some(session), Some(store)) => store.gauged(session)?,
        _ => None,
    };
    let tally = match (history::tally(env.reader(client), path, None), &stored) {
        (Ok(tally), _) => tally,
        (Err(_), Some(stored)) => stored.tally.clone(),
        (Err(error), None) => {
            return Err(error).with_context(|| format!("cannot read {}", path.display()));
        }
    };
    let gauged = Gauged { tally, ..stored.unwrap_or_default() };
    let limits = env.of(client).limits;
    let chosen = || models::chosen(env, client, Some(&env.cwd));
    let settings = GaugeSettings { limits: &limits, chosen: &chosen };
    let gauge = checkpoint::read(store.as_ref(), client, &gauged, None, &settings)?;
    Ok((gauge, gauged))
}

fn print(client: &Client, gauge: &Gauge, gauged: &Gauged, ui: &Ui) {
    let row = |name: &str, number: Option<u64>, from: &str| {
        let number = number.map_or_else(|| "unknown".to_owned(), grouped);
        ui.line(format!("{name:<10} {number:>9}  {}", ui.dim(from)));
    };
    let measured = |name, measured: Option<TokenCount>, unknown: &str| {
        let from = measured.map_or_else(|| unknown.to_owned(), |m| m.from.to_string());
        row(name, measured.map(|m| m.tokens), &from);
    };
    let no_answer = if gauged.tally.compacted {
        "compacted, and no answer since"
    } else {
        "no answer with a token count yet"
    };
    measured("used", gauge.used, no_answer);
    let model = gauged.tally.model.as_deref();
    let no_window = model.map(|model| {
        let larger = if (client.has_larger)(model) { " (a larger one may be in use)" } else { "" };
        format!("not known for {model}{larger}; the status line would tell")
    });
    measured("window", gauge.window, no_window.as_deref().unwrap_or("no model seen yet"));
    measured("threshold", gauge.threshold, "the window is not known");
    let left =
        gauge.percent_left().map_or_else(String::new, |percent| format!("{percent}% of the threshold"));
    row("left", gauge.left(), &left);
}

#[derive(Serialize)]
struct GaugeView {
    session: Option<String>,
    transcript: String,
    model: Option<String>,
    compactions: u32,
    used: Option<NumberView>,
    window: Option<NumberView>,
    threshold: Option<NumberView>,
    left: Option<LeftView>,
}

#[derive(Serialize)]
struct NumberView {
    tokens: u64,
    source: &'static str,
    from: String,
    line: Option<u32>,
}

#[derive(Serialize)]
struct LeftView {
    tokens: u64,
    percent: u64,
    source: &'static str,
    from: &'static str,
}

fn view(session: Option<String>, path: &Path, gauge: &Gauge, gauged: &Gauged) -> GaugeView {
    let number = |measured: TokenCount| NumberView {
        tokens: measured.tokens,
        source: measured.from.name(),
        from: measured.from.to_string(),
        line: measured.from.place().map(|place| place.0),
    };
    let left = gauge.left().zip(gauge.percent_left()).map(|(tokens, percent)| LeftView {
        tokens,
        percent,
        source: "difference",
        from: "threshold less used",
    });
    GaugeView {
        session,
        transcript: path.display().to_string(),
        model: gauged.tally.model.clone(),
        compactions: gauged.tally.compactions,
        used: gauge.used.map(number),
        window: gauge.window.map(number),
        threshold: gauge.threshold.map(number),
        left,
    }
}
