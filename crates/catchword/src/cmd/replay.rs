//! `catchword replay`: the important messages of a session, for a new one.

use std::path::PathBuf;

use anyhow::{Context, bail};
use catchword_engine::agent::claude_code;
use catchword_engine::ops::recall::Take;
use catchword_engine::ops::record::Record;
use catchword_engine::ops::replay;
use catchword_engine::render::replay::{DEFAULT_BUDGET, Named, Replay};
use serde::Serialize;

use super::target;
use crate::env::Env;
use crate::exit::Exit;
use crate::ui::{Ui, counted};

const EXAMPLES: &str = "Examples:
  catchword replay 0a1b | claude
  catchword replay 0a1b --at 2 --budget 4000";

/// Print the important messages of a session, to paste or pipe into a new one
///
/// Requests, your answers, what the agent decided and reported, and what it did in a line each with its outcome; framed
/// as a record of another session. The goal is always in, of the rest the newest stays. Secrets are masked. Where Claude
/// Code has deleted the transcript, its backup is read.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
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
            let cuts = record.cuts(&claude_code::AGENT).with_context(reading)?;
            let Some(cut) = number.checked_sub(1).and_then(|at| cuts.get(at)) else {
                match cuts.len() {
                    0 => bail!("this session was not compacted; leave out --at"),
                    all => bail!(
                        "this session has {}; --at takes a number from 1 to {all}",
                        counted(all as u64, "compaction")
                    ),
                }
            };
            Some(cut.lines)
        }
    };
    let mut from = |each: &mut Take| record.lines(each);
    let replay = replay::of_lines(&claude_code::AGENT, &mut from, lines, &session, args.budget)
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

/// The record, and what the session is called.
fn whose(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<(Record, Named)> {
    if let Some(path) = &args.transcript {
        anyhow::ensure!(path.is_file(), "there is no transcript {}", path.display());
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let named = Named::File(name.unwrap_or_default(), path.display().to_string());
        return Ok((Record::File(path.clone()), named));
    }
    let found = target::present(args.session.as_deref(), env)?;
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
    let message = |message: &'a catchword_engine::render::replay::Message| MessageView {
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
