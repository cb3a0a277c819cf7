//! `catchword handoff --replay`: the important messages of a session, for a new one.

use anyhow::{Context, bail};
use catchword_engine::brief::replay::{DEFAULT_BUDGET, Named, Replay};
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::ops::replay;
use catchword_engine::text::numbers::count_of;
use catchword_engine::transcript::Take;
use serde::Serialize;

use super::Args;
use crate::app::env::Env;
use crate::app::sessions;
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Prints the replay.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let (record, session) = whose(args, env, ui)?;
    let budget = args.budget.unwrap_or(DEFAULT_BUDGET);
    let reading = || format!("cannot read session {}", session.name());
    let lines = match args.at {
        None => None,
        Some(number) => {
            let cuts = record.cuts(&env.mask).with_context(reading)?;
            let Some(cut) = number.checked_sub(1).and_then(|at| cuts.get(at)) else {
                match cuts.len() {
                    0 => bail!("this session was not compacted: leave out --at"),
                    all => bail!(
                        "this session has {}; --at takes a number from 1 to {all}",
                        count_of(all, "compaction")
                    ),
                }
            };
            Some(cut.lines)
        }
    };
    let mut from = |each: &mut Take| record.lines(&env.mask, each);
    let replay = replay::of_lines(record.reader(&env.mask), &mut from, lines, &session, budget)
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
