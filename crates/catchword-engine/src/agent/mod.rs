//! The clients catchword understands: a folder each, and one table.
//!
//! Only a client's own folder knows its field names. It turns a hook's payload into a [`event::HookEvent`], a
//! transcript line into an [`entry::Entry`], and a finished brief into what that client wants on stdout.
//! Nothing here reads files or fails: what is not understood is skipped or reported as a problem.

pub mod claude_code;
pub mod commands;
pub mod entry;
pub mod event;
pub mod replay;
pub mod status;

use std::path::Path;

use commands::Commands;
use entry::{Entry, Place, Unheard};
use event::HookEvent;
use status::StatusLine;

use crate::gauge::{Limits, Measured};

/// Everything catchword needs to know of one client.
pub struct Agent {
    /// As it is named in the store and on the command line.
    pub name: &'static str,
    /// A hook's stdin. `None` when it is no payload of this client.
    pub event: fn(&[u8]) -> Option<HookEvent>,
    /// A transcript line.
    pub entry: fn(Place, &[u8]) -> Understood,
    /// The same line for what lasts of it: without texts that matter for their words alone, and without answers to calls
    /// that are [`Unheard`], to which those of this line are added.
    pub glance: fn(Place, &[u8], &mut Unheard) -> Understood,
    /// How many calls of the main conversation a line has.
    pub calls: fn(&[u8]) -> u32,
    /// The same line with nothing cut, for people to read.
    pub whole: fn(Place, &[u8]) -> Understood,
    /// Whose a transcript is, by its path and one of its lines; `None` where that line does not tell.
    pub owner: fn(&Path, &[u8]) -> Option<Owner>,
    /// The same line with everything it shows, for measuring.
    pub replay: fn(&[u8]) -> replay::Row,
    /// A brief as this client takes it on a hook's stdout.
    pub inject: fn(&HookEvent, &str) -> String,
    /// The same with a line for the person, whom the model does not overhear; either may be empty.
    pub say: fn(&HookEvent, &str, &str) -> String,
    /// A status line's stdin. `None` when it is no payload of this client.
    pub status: fn(&[u8]) -> Option<StatusLine>,
    /// Tokens a model can take, by its id.
    pub window: fn(&str) -> Option<u64>,
    /// Tokens at which the client compacts a context of this window, for this model.
    pub threshold: fn(u64, &str, &Limits) -> Measured,
    /// The command by which a person goes on with a session.
    pub resume: fn(&str) -> String,
    /// Its commands and skills.
    pub commands: Commands,
}

/// A line as an entry. Skipped rows give `Ok(None)`, damaged ones what is wrong with them.
pub type Understood = Result<Option<Entry>, String>;

/// Whose a transcript is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The session's id.
    pub session: String,
    /// The subagent's, where it is one's.
    pub subagent: Option<String>,
}

/// All clients; the first one that recognises a payload takes it.
pub const AGENTS: &[Agent] = &[claude_code::AGENT];

/// The client that sent this payload, and what it says.
pub fn recognise(payload: &[u8]) -> Option<(&'static Agent, HookEvent)> {
    AGENTS.iter().find_map(|agent| Some((agent, (agent.event)(payload)?)))
}
