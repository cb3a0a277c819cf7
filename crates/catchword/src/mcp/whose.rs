//! Which session a call is about, and what to say if there is none.
//!
//! A client starts a server once and keeps it while the person clears the context or resumes another session. So a call
//! that names no session determines it anew each time: the session that this client process has, according to its
//! hooks; else the one the client named when it started us; else the latest of this folder.

use catchword_engine::model::event::short_id;
use catchword_engine::ops::read::{ReadError, Reader, Which};

use super::Fault;
use super::arguments::Arguments;
use crate::app::env::Env;
use crate::app::host;
use crate::app::read::{fresh_reader, reader};

/// What a call is answered from: its databases, and the session that the client works in, if known.
pub fn opened(fresh: bool, env: &Env) -> Result<Reader<'_>, Fault> {
    let mut reader = if fresh { fresh_reader(env)? } else { reader(env)? };
    if let (Some(store), Some(client)) = (&reader.store, host::parent()) {
        let held = store.held_by(&client).map_err(anyhow::Error::from)?;
        reader.own = held.or(reader.own.take());
    }
    Ok(reader)
}

/// The session that a call names by the start of its id (`0a1b2c3d`, a subagent's as `0a1b2c3d/SUBAGENT`), or the client's
/// own.
#[derive(Default)]
pub struct AskedSession {
    pub start: Option<String>,
    /// Empty for the main conversation.
    pub subagent: String,
}

impl AskedSession {
    pub fn of(arguments: &Arguments) -> AskedSession {
        let Some(asked) = arguments.text("session") else { return AskedSession::default() };
        let (start, subagent) = asked.split_once('/').unwrap_or((&asked, ""));
        AskedSession { start: Some(start.to_owned()), subagent: subagent.to_owned() }
    }

    pub fn which(&self) -> Which<'_> {
        self.start.as_deref().map_or(Which::Own, Which::Named)
    }

    /// Whether the session that was found is the client's own.
    pub fn is_own(&self, reader: &Reader, session: &str) -> bool {
        self.start.is_none() || reader.own.as_deref() == Some(session)
    }

    /// The same in words for an agent.
    pub fn fault(&self, error: ReadError) -> Fault {
        match (error, &self.start) {
            (
                ReadError::NoSuchSession(_) | ReadError::NothingHere(_) | ReadError::NothingRecorded(_),
                None,
            ) => {
                let todo = "Its hooks are set up by `catchword init`; `search` and a `session` still work without them.";
                Fault::new("no_session", "Nothing of this session is recorded.", todo)
            }
            (ReadError::NoSuchSession(start), _) => {
                let message = format!("No recorded session begins with {start:?}.");
                let todo = "Take an id out of a search, or leave `session` out for this one.";
                Fault::new("no_session", message, todo)
            }
            (ReadError::NotHere(start, why), _) => {
                let message =
                    format!("No recorded session begins with {start:?} here; the shared archive: {why}.");
                Fault::new("no_session", message, "Try again later, or take an id out of a search.")
            }
            (ReadError::ManySessions(start, n), _) => {
                let message = format!("{n} sessions begin with {start:?}.");
                Fault::new("ambiguous_session", message, "Give more of the id.")
            }
            (ReadError::LeftOut, _) => {
                let message =
                    "Nothing of this session is kept: it was forgotten, or the user leaves this project out.";
                Fault::new("left_out", message, "Go on without the record; `search` knows other projects.")
            }
            (ReadError::TranscriptGone(path), _) => {
                let message = format!("The transcript {path} is gone and was not backed up.");
                let todo = "`search` and `recall` still find what the history kept of it.";
                Fault::new("transcript_gone", message, todo)
            }
            (error @ ReadError::NoCompaction { .. }, _) => {
                Fault::new("no_compaction", format!("{error}."), "`brief` gives the session as it is now.")
            }
            (ReadError::NoHistory, _) => {
                let todo = "`catchword index` takes in the transcripts that are there; hooks add what comes.";
                Fault::new("no_history", "Nothing is in the history yet.", todo)
            }
            (ReadError::BadQuery(problems), _) => {
                let todo = "Fix the filter, or put the word in quotes to search for it.";
                Fault::new("bad_query", format!("{problems}."), todo)
            }
            (ReadError::EmptyQuery(words), _) => {
                let message = format!("There is no word in {words:?}.");
                Fault::new("bad_query", message, "Give a word, or a filter such as file:src/a.rs.")
            }
            (error, _) => Fault::from(anyhow::Error::from(error)),
        }
    }
}

/// "This session" or "Session 0a1b2c3d".
pub fn in_words(own: bool, session: &str, subagent: &str) -> String {
    let sub = if subagent.is_empty() { "" } else { ", a subagent's part" };
    if own { format!("This session{sub}") } else { format!("Session {}{sub}", short_id(session)) }
}
