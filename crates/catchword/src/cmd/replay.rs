//! `catchword replay`: the important messages of a session, for a new one.

use std::io;
use std::path::PathBuf;

use anyhow::{Context, bail};
use catchword_engine::agent::claude_code;
use catchword_engine::ops::recall::{Lines, lines_of};
use catchword_engine::ops::{history, replay};
use catchword_engine::render::replay::{DEFAULT_BUDGET, Replay};
use serde::Serialize;

use super::recall;
use super::target::{self, Present};
use crate::env::Env;
use crate::exit::Exit;
use crate::ui::Ui;

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
    let whose = Whose::of(args, env)?;
    let session = whose.session();
    let lines = match args.at {
        None => None,
        Some(number) => {
            let cuts = whose.read(env, ui, |from| history::cuts_of_lines(&claude_code::AGENT, from))?;
            let Some(cut) = number.checked_sub(1).and_then(|at| cuts.get(at)) else {
                match cuts.len() {
                    0 => bail!("this session was not compacted; leave out --at"),
                    all => bail!("this session has {all} compactions; --at takes a number from 1 to {all}"),
                }
            };
            Some(cut.lines)
        }
    };
    let replay = whose
        .read(env, ui, |from| replay::of_lines(&claude_code::AGENT, from, lines, &session, args.budget))?;
    if replay.messages.is_empty() {
        bail!("session {session} holds no conversation before that point");
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&replay, &session))?);
    } else {
        ui.line(replay.text.trim_end());
    }
    Ok(Exit::Ok)
}

/// What is replayed.
enum Whose {
    Recorded(Present),
    File(PathBuf),
}

impl Whose {
    fn of(args: &Args, env: &Env) -> anyhow::Result<Whose> {
        match &args.transcript {
            Some(path) => Ok(Whose::File(path.clone())),
            None => Ok(Whose::Recorded(target::present(args.session.as_deref(), env)?)),
        }
    }

    /// The session's id, or what stands for it.
    fn session(&self) -> String {
        match self {
            Whose::Recorded(found) => found.id.clone(),
            Whose::File(path) => {
                path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            }
        }
    }

    fn read<T>(
        &self,
        env: &Env,
        ui: &Ui,
        read: impl FnOnce(&mut Lines) -> io::Result<T>,
    ) -> anyhow::Result<T> {
        match self {
            Whose::File(path) => {
                read(&mut lines_of(path)).with_context(|| format!("cannot read {}", env.show(path)))
            }
            Whose::Recorded(found) => {
                let (value, remark) = recall::read(found, env, read)?;
                if let Some(remark) = remark {
                    ui.say(ui.paragraph(&remark));
                }
                Ok(value)
            }
        }
    }
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
