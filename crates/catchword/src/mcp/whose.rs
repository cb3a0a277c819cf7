//! Which session a call is about.
//!
//! A client starts a server once and keeps it while the person clears the context or resumes another session. So a call
//! that names no session determines it anew each time: the session that this client process has, according to its
//! hooks; else the one the client named when it started us; else the latest of this folder.

use catchword_engine::model::event::{is_named, short_id};

use super::Fault;
use crate::app::env::Env;
use crate::app::host;
use crate::app::privacy::LeaveOutRules;
use crate::app::sessions::{self, ChosenSession, Databases};

/// A session, and whether it is the caller's own.
pub struct Whose {
    pub found: ChosenSession,
    /// A subagent of it; empty for the main conversation.
    pub subagent: String,
    /// Whether the client works in it.
    pub own: bool,
}

impl Whose {
    /// What is shown of its id.
    pub fn short(&self) -> &str {
        short_id(&self.found.id)
    }

    /// "This session" or "Session 0a1b2c3d".
    pub fn in_words(&self) -> String {
        let sub = if self.subagent.is_empty() { "" } else { ", a subagent's part" };
        if self.own { format!("This session{sub}") } else { format!("Session {}{sub}", self.short()) }
    }
}

/// The session that `asked` names by the start of its id (`0a1b2c3d`, a subagent's as `0a1b2c3d/SUBAGENT`), or the
/// client's own.
pub fn session(asked: Option<&str>, known: &Databases, env: &Env) -> Result<Whose, Fault> {
    let left_out = LeaveOutRules::load(env);
    let own = own(known, env)?;
    let Some(asked) = asked else {
        let env = Env { session: own, ..env.clone() };
        let found = sessions::present(None, &env).map_err(|_| unrecorded())?;
        // A session that is not recorded yet works in the folder in which the client started us.
        if left_out.holds(&found.id, found.cwd.as_deref().or(Some(&env.cwd)), Some(&found.transcript)) {
            return Err(nothing_kept());
        }
        return Ok(Whose { found, subagent: String::new(), own: true });
    };
    let (start, subagent) = asked.split_once('/').unwrap_or((asked, ""));
    let mut fitting = known.sessions(env)?;
    fitting
        .retain(|s| is_named(&s.id, start) && !left_out.holds(&s.id, s.cwd.as_deref(), Some(&s.transcript)));
    match fitting.len() {
        1 => {
            let found = ChosenSession::from(fitting.remove(0));
            Ok(Whose { own: own.as_deref() == Some(&found.id), found, subagent: subagent.to_owned() })
        }
        0 => {
            let message = format!("No recorded session begins with {start:?}.");
            let todo = "Take an id out of a search, or leave `session` out for this one.";
            Err(Fault::new("no_session", message, todo))
        }
        n => {
            let message = format!("{n} sessions begin with {start:?}.");
            Err(Fault::new("ambiguous_session", message, "Give more of the id."))
        }
    }
}

fn unrecorded() -> Fault {
    let todo = "Its hooks are set up by `catchword init`; `search` and a `session` still work without them.";
    Fault::new("no_session", "Nothing of this session is recorded.", todo)
}

fn nothing_kept() -> Fault {
    let message = "Nothing of this session is kept: it was forgotten, or the user leaves this project out.";
    Fault::new("left_out", message, "Go on without the record; `search` knows other projects.")
}

/// The id of the session that this client works in, if known.
fn own(known: &Databases, env: &Env) -> Result<Option<String>, Fault> {
    let held = match (&known.store, host::parent()) {
        (Some(store), Some(client)) => store.held_by(&client).map_err(anyhow::Error::from)?,
        _ => None,
    };
    Ok(held.or_else(|| env.session.clone()))
}
