//! `catchword replay`: the important messages of a session, for a new one.

use std::path::PathBuf;

use anyhow::{Context, bail};
use catchword_engine::brief::replay::{DEFAULT_BUDGET, Named, Replay};
use catchword_engine::clients::CLIENTS;
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::ops::replay;
use catchword_engine::text::numbers::count_of;
use catchword_engine::transcript::Take;
use serde::Serialize;

use crate::app::env::Env;
use crate::app::sessions;
use crate::ui::Ui;
use crate::ui::exit::Exit;

fn examples() -> String {
    let pipes = CLIENTS.iter().map(|client| format!("\n  catchword replay 0a1b | {}", client.setup.program));
    let pipes: String = pipes.collect();
    format!("Examples:{pipes}\n  catchword replay 0a1b --at 2 --budget 4000")
}

/// Print the important messages of a session, to paste or pipe into a new one
///
/// Requests, your answers, what the agent decided and reported, and what it did in a line each with its outcome; framed
/// as a record of another session. The goal is always in, of the rest the newest stays. Secrets are masked. Where Claude
/// Code has deleted the transcript, its backup is read.
#[derive(clap::Args)]
#[command(after_help = examples())]
pub struct Args {
    /// A recorded session, by the start of its id; the latest of this folder when not given
    #[arg(value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Any transcript file instead
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// Only what came before the session's Nth compaction
    #[arg(long, value_name = "N")]
    at: Option<usize>,
    /// Characters it may have, from 1,000
    #[arg(long, value_name = "CHARACTERS", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the replay.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let (record, session) = whose(args, env, ui)?;
    let reading = || format!("cannot read session {}", session.name());
    let lines = match args.at {
        None => None,
        Some(number) => {
            let cuts = record.cuts(&env.mask).with_context(reading)?;
            let Some(cut) = number.checked_sub(1).and_then(|at| cuts.get(at)) else {
                match cuts.len() {
                    0 => bail!("this session was not compacted; leave out --at"),
                    all => bail!(
                        "this session has {}; --at takes a number from 1 to {all}",
                        count_of(all, "compaction")
                    ),
                }
            };
            Some(cut.lines)
        }
    };
    let mut from = |each: &mut Take| record.lines(each);
    let replay = replay::of_lines(record.reader(&env.mask), &mut from, lines, &session, args.budget)
        .with_context(reading)?;
    if replay.messages.is_empty() {
        bail!("session {} holds no conversation before that point", session.name());
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&replay, session.name()))?);
    } else {
        ui.line(replay.text.trim_end());
    }
    Ok(Exit::Ok)
}

/// The record, and the session's name.
fn whose(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<(TranscriptLines, Named)> {
    if let Some(path) = &args.transcript {
        anyhow::ensure!(path.is_file(), "there is no transcript {}", path.display());
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let named = Named::File(name.unwrap_or_default(), path.display().to_string());
        return Ok((TranscriptLines::of_file(path), named));
    }
    let found = sessions::present(args.session.as_deref(), env)?;
    Ok((found.record(env, ui)?, Named::Session(found.id)))
}

#[derive(Serialize)]
struct ReplayView<'a> {
    session: &'a str,
    characters: usize,
    left_out: usize,
    messages: Vec<MessageView<'a>>,
    text: &'a str,
}

#[derive(Serialize)]
struct MessageView<'a> {
    place: String,
    who: &'static str,
    text: &'a str,
}

fn view<'a>(replay: &'a Replay, session: &'a str) -> ReplayView<'a> {
    let message = |message: &'a catchword_engine::brief::replay::ReplayMessage| MessageView {
        place: message.place.to_string(),
        who: message.who.word(),
        text: &message.text,
    };
    ReplayView {
        session,
        characters: replay.text.chars().count(),
        left_out: replay.left_out,
        messages: replay.messages.iter().map(message).collect(),
        text: &replay.text,
    }
}
