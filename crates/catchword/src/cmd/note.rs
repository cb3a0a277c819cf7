//! `catchword note`: stores a line that a person or the agent writes for a session.

use anyhow::bail;
use catchword_engine::model::event::HookEvent;
use catchword_engine::model::event::short_id;
use catchword_engine::model::note::{Author, StateKey};

use crate::app::env::Env;
use crate::app::notes::{LONGEST, keep};
use crate::app::sessions;
use crate::ui::Ui;
use crate::ui::exit::Exit;

const EXAMPLES: &str = "Examples:
  catchword note \"the staging key is in the vault, ask before using it\"
  catchword note --state next=\"rerun the load test\"";

/// Write down a line for a session: it stands in its notes, and in the brief after a compaction
///
/// Of the session whose shell this is, else of the latest one of this folder. Run by the agent it is the agent's note,
/// run by you it is yours; the brief says whose it is. --state sets a line of the current state instead, which holds
/// until something else is asked for; nothing behind the = takes it back.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to write down
    #[arg(value_name = "TEXT", required_unless_present = "state")]
    text: Vec<String>,
    /// Set a line of the current state: active=, step=, blocking= or next=
    #[arg(long, value_name = "LINE=TEXT", value_parser = state)]
    state: Vec<(StateKey, String)>,
    /// Another session, by the start of its id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let session = session(args.session.as_deref(), env)?;
    let author = if env.in_agent { Author::Agent } else { Author::Person };
    let words = args.text.join(" ");
    let state = args.state.iter().map(|(key, text)| (Some(*key), text.as_str()));
    let notes: Vec<(Option<StateKey>, &str)> =
        state.chain((!words.trim().is_empty()).then_some((None, words.as_str()))).collect();
    if notes.is_empty() {
        bail!("nothing to write down: give the words, as in `catchword note \"ask before pushing\"`");
    }
    if let Some((_, long)) = notes.iter().find(|(_, text)| text.chars().count() > LONGEST) {
        let characters = long.chars().count();
        bail!(
            "a note has at most {LONGEST} characters, this one {characters}: put it into a file and name that"
        );
    }
    keep(&session, &notes, author, env)?;
    let id = short_id(&session);
    ui.say(format!("Noted for session {id}, as the {}'s. `catchword notes` shows it.", author.name()));
    Ok(Exit::Ok)
}

/// The session that is meant: the one named, the one whose shell this is, or the latest of this folder.
fn session(start: Option<&str>, env: &Env) -> anyhow::Result<String> {
    match (start, &env.session) {
        (None, Some(id)) => {
            let event = HookEvent { session: id.clone(), ..HookEvent::default() };
            anyhow::ensure!(
                event.names_a_session(),
                "the environment names a session whose id is none: {id:?}"
            );
            Ok(id.clone())
        }
        (start, _) => Ok(sessions::recorded(start, env)?.id),
    }
}

fn state(text: &str) -> Result<(StateKey, String), String> {
    let names = "active=, step=, blocking= or next=";
    let (key, words) =
        text.split_once('=').ok_or(format!("write it as {names}, with the words behind it"))?;
    let key = StateKey::named(key.trim()).ok_or(format!("there is no such line; it is {names}"))?;
    Ok((key, words.to_owned()))
}
