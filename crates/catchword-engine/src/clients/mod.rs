//! The supported clients: one folder each, and one table.
//!
//! Only a client's own folder knows its names. It turns a hook's payload into a [`HookEvent`], a transcript line into an
//! [`UnmaskedEntry`], and a finished brief into what that client expects on stdout; everything else that differs
//! between clients is data or a pure function in its [`Client`]. Nothing here reads files or fails: unknown input is
//! skipped or reported as a problem.

mod claude_code;
mod codex;
pub mod commands;
mod copilot;
pub mod environment;
pub mod headless;
pub mod hook_protocol;
mod inputs;
mod kilo;
mod lenient;
mod opencode;
mod payload;
mod pi;
mod qwen;
pub mod replay;
mod rows;
pub mod setup;
pub mod status;
pub mod strangers;

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::lexicon::summaries::Heading;
use crate::model::entry::Place;
use crate::model::event::HookEvent;
use crate::model::frame::{CLOSING, OPENING};
use crate::model::tokens::{ClientLimits, TokenCount, TokenSource};
use crate::redact::UnmaskedEntry;
use commands::CommandFiles;
use environment::Environment;
use headless::Headless;
use setup::Setup;
use status::StatusInput;

/// All clients. The installed command names the one that calls us: `catchword hook claude-code`.
pub const CLIENTS: &[&Client] = &[
    &claude_code::CLIENT,
    &codex::CLIENT,
    &copilot::CLIENT,
    &qwen::CLIENT,
    &pi::CLIENT,
    &opencode::CLIENT,
    &kilo::CLIENT,
];

/// Everything that differs between clients. A client says what is its own; the rest is [`Client::PLAIN`].
pub struct Client {
    /// Its name in the store and on the command line.
    pub name: &'static str,
    pub phrases: Phrases,
    /// Its name among the [`strangers`], if it also runs the hooks in another client's settings.
    pub caller: Option<&'static str>,
    /// Parses a hook's stdin. `None` if this client did not write it; one of the [`strangers`] may have.
    pub event: fn(&[u8]) -> Option<HookEvent>,
    /// Parses a transcript line; long texts are cut in the middle.
    pub entry: fn(Place, &[u8]) -> Understood,
    /// The same for people to read, with file changes marked by `-` and `+`; `None` if it is no different.
    pub marked_entry: Option<fn(Place, &[u8]) -> Understood>,
    /// The same with everything the line contains, for measuring.
    pub replay: fn(&[u8]) -> replay::ReplayRow,
    /// Whether a transcript line is this client's. False for rows that several clients might write.
    pub is_row: fn(&[u8]) -> bool,
    /// The session and subagent that a transcript belongs to, by its path and one of its lines; `None` if the line does not tell.
    pub owner: fn(&Path, &[u8]) -> Option<Owner>,
    pub transcripts: Transcripts,
    /// Formats text for the model and a line for the person, which the model does not see, as this client expects them on a
    /// hook's stdout; either may be empty, and nothing is printed if both are.
    pub say: fn(&HookEvent, &str, &str) -> String,
    /// Whether the person sees that line at an event. What they do not see was not told.
    pub shows_line: fn(&HookEvent) -> bool,
    pub room: Room,
    /// When the model can be given the brief.
    pub delivery: Delivery,
    /// `None` if the summariser does not read what a hook prints before a compaction.
    pub guide: Option<Guide>,
    /// Parses a status line's stdin. `None` if it is not a payload of this client.
    pub status: fn(&[u8]) -> Option<StatusInput>,
    /// A model's usual context window in tokens, by its id.
    pub window: fn(&str) -> Option<u64>,
    /// Whether a larger window of that model may have been chosen, which its id in a transcript does not tell.
    pub has_larger: fn(&str) -> bool,
    /// The window of a model (the second), where it was chosen by that name (the first).
    pub chosen: fn(&str, &str) -> Option<u64>,
    /// Tokens at which the client compacts a context of this window, for this model.
    pub threshold: fn(u64, &str, &ClientLimits) -> TokenCount,
    /// Where the user sets an earlier compaction; `None` if only the environment can.
    pub compaction_limit: Option<CompactionLimit>,
    /// Normalises a model's id, which is spelled differently in different places.
    pub model_key: fn(&str) -> String,
    pub environment: Environment,
    pub commands: CommandFiles,
    pub setup: Setup,
    /// How to run it without a terminal; `None` if `catchword run` cannot supervise it.
    pub headless: Option<Headless>,
    pub summaries: Summaries,
    pub words: Words,
}

impl Client {
    /// A client with the common hook protocol and nothing optional.
    pub const PLAIN: Client = Client {
        name: "",
        phrases: Phrases { name: "", compact: "", clear: None, resume: str::to_owned, tags: &[] },
        caller: None,
        event: |payload| hook_protocol::event(payload, |_, _| None),
        entry: |_, _| Ok(None),
        marked_entry: None,
        replay: |_| replay::ReplayRow::default(),
        is_row: |_| false,
        owner: |_, _| None,
        transcripts: Transcripts::PLAIN,
        say: hook_protocol::say,
        shows_line: |_| true,
        room: Room::Characters(9_500),
        delivery: Delivery::AtStart,
        guide: None,
        status: |_| None,
        window: |_| None,
        has_larger: |_| false,
        chosen: |_, _| None,
        threshold: |window, _, _| TokenCount { tokens: window, from: TokenSource::Rule },
        compaction_limit: None,
        model_key: str::to_owned,
        environment: Environment::PLAIN,
        commands: CommandFiles::PLAIN,
        setup: Setup::PLAIN,
        headless: None,
        summaries: Summaries::PLAIN,
        words: Words { anywhere: &[], alone: &[] },
    };

    /// Parses a transcript line for people to read.
    pub fn entry_to_show(&self, place: Place, line: &[u8]) -> Understood {
        self.marked_entry.unwrap_or(self.entry)(place, line)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The files (TOML) in which the user sets the tokens at which to compact.
pub struct CompactionLimit {
    /// In the client's own folder.
    pub file: &'static str,
    /// In a project, which overrides it.
    pub project_file: &'static str,
    /// The tokens set in a file.
    pub tokens: fn(&Value) -> Option<u64>,
    /// Whether the client's own file trusts a folder; otherwise its project file is not read.
    pub trusts: fn(&Value, &str) -> bool,
}

/// What people call the client and its commands.
pub struct Phrases {
    /// The client's name for people.
    pub name: &'static str,
    /// The command with which a person compacts the context.
    pub compact: &'static str,
    /// The command with which a person starts over in the same window; the brief of the session comes along.
    pub clear: Option<&'static str>,
    /// The shell command with which a person resumes a session.
    pub resume: fn(&str) -> String,
    /// Prefixes of the tags that mark the client's own text in the user's role, of at most 24 characters. No quotation may
    /// contain one.
    pub tags: &'static [&'static str],
}

/// What a client adds to the model's summary.
pub struct Summaries {
    /// Starts of the client's sentences before and after a summary, or in the user's role after it.
    pub around: &'static [&'static str],
    /// The tag around the summariser's thoughts before the summary, and the one around the summary.
    pub tags: Option<(&'static str, &'static str)>,
    /// The topics of the numbered sections in its prompt for the summariser.
    pub sections: &'static [(u32, Heading)],
    /// What the client stores instead of a summary if the summariser failed, in lower case.
    pub errors: &'static [&'static str],
}

impl Summaries {
    /// Adds nothing.
    pub const PLAIN: Summaries = Summaries { around: &[], tags: None, sections: &[], errors: &[] };
}

/// Where a client's transcripts are.
pub struct Transcripts {
    /// The folder with all of them, below the client's own folder.
    pub folder: &'static str,
    /// `None` if those of subagents are among the others.
    pub subagents: Option<SubagentFolder>,
    /// Whether a file is the transcript of the session with this id.
    pub is_of: fn(&Path, &str) -> bool,
    /// Where the transcript of the session with this id is, below the client's own folder, if payloads may not say it.
    pub path: Option<fn(&str) -> PathBuf>,
    /// The name of the folder below [`Transcripts::folder`] for sessions that began in a folder; `*` and `?` are kept.
    /// `None` if transcripts are not sorted by folder.
    pub project: Option<fn(&str) -> String>,
    /// `None` if they are files.
    pub database: Option<Database>,
    /// `None` if a fork contains a copy of the original.
    pub forks: Option<Forks>,
    /// Marks rows that apply to all later ones ([`Lasting`](crate::model::entry::Lasting)), as the first row does; `None` if
    /// there are none.
    pub lasting_mark: Option<&'static str>,
}

/// Where the transcripts of a session's subagents are.
pub struct SubagentFolder {
    /// The name of a folder that has nothing else.
    pub name: &'static str,
    /// The folder with those of a session, by the session's transcript.
    pub of: fn(&Path) -> Option<PathBuf>,
}

/// Where all sessions are in one `SQLite` database, and how to ask for them. It is opened for reading only.
pub struct Database {
    /// Its path in the person's folder of data, which the XDG convention lets them move.
    pub file: &'static str,
    /// The ids of all sessions, and whether each is a subagent's.
    pub sessions: &'static str,
    /// The number of rows of the session `?1`, and when it was last changed, in milliseconds since 1970; no row if there is
    /// no such session.
    pub extent: &'static str,
    /// Number and line of at most `?3` rows of the session `?1`, from the number `?2` on. The first is 0.
    pub rows: &'static str,
}

/// Transcripts that continue another one without containing it.
pub struct Forks {
    /// A string in the first bytes of such a transcript.
    pub mark: &'static str,
    /// The original, by the fork's path and first line.
    pub base: fn(&Path, &[u8]) -> Option<ForkBase>,
}

/// The part of another transcript that a fork continues.
#[derive(Clone, Debug)]
pub struct ForkBase {
    pub session: String,
    /// Folders where its transcript may be.
    pub folders: Vec<PathBuf>,
    /// [`Transcripts::is_of`] of the client.
    pub is_it: fn(&Path, &str) -> bool,
    /// Bytes up to the fork.
    pub end: u64,
}

impl Transcripts {
    /// A file named after its session, in any folder, with everything in it.
    pub const PLAIN: Transcripts = Transcripts {
        folder: "",
        subagents: None,
        is_of: |path, session| path.file_stem().is_some_and(|name| name == session),
        path: None,
        project: None,
        database: None,
        forks: None,
        lasting_mark: None,
    };

    /// The folder below [`Transcripts::folder`] that contains a transcript.
    pub fn project_of<'a>(&self, transcript: &'a Path) -> Option<&'a str> {
        let names: Vec<Option<&str>> = transcript.iter().map(|name| name.to_str()).collect();
        let at = names.iter().rposition(|name| *name == Some(self.folder))?;
        names.get(at + 1).copied().flatten().filter(|_| names.len() > at + 2)
    }

    /// The folder with the transcripts of a session's subagents, given the session's transcript.
    pub fn subagents_of(&self, transcript: &Path) -> Option<PathBuf> {
        (self.subagents.as_ref()?.of)(transcript)
    }
}

/// How much of a hook's text reaches the model uncut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    Characters(usize),
    Bytes(usize),
}

/// When the model can be given the brief of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// At the start that the client reports after it.
    AtStart,
    /// With the first prompt or tool result after the compaction was announced: the client sends no event after a
    /// compaction, or the model gets its answer too late or loses it.
    WithNextEvent,
    /// In every request, by an extension of ours: it asks once in each process, at a start after a compaction, and reports
    /// that the text was in a request.
    InEveryRequest,
}

/// How the summariser is told what to keep.
#[derive(Clone, Copy)]
pub struct Guide {
    /// The text as the client expects it on a hook's stdout.
    pub say: fn(&HookEvent, &str) -> String,
    /// What is longer is cut off.
    pub characters: usize,
}

/// Words that only the client's own folder may use. A test searches all other code for them.
pub struct Words {
    /// Anywhere in a string.
    pub anywhere: &'static [&'static str],
    /// As a whole string: names that are also English words.
    pub alone: &'static [&'static str],
}

/// A line as an entry: `Ok(None)` for skipped rows, a description of the damage for damaged ones.
pub type Understood = Result<Option<UnmaskedEntry>, String>;

/// Whose transcript it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub session: String,
    /// The subagent's id, if it is a subagent's.
    pub subagent: Option<String>,
}

pub fn named(name: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.name == name).copied()
}

/// The client of a recorded session. If this version does not know it, any client will do: none parses its rows.
pub fn recorded(name: &str) -> &'static Client {
    named(name).unwrap_or(CLIENTS[0])
}

/// The client among `clients` that writes such lines. The last match counts: some clients in the table write rows like
/// an earlier one's, with members of their own.
pub fn of_line(clients: &[&'static Client], line: &[u8]) -> Option<&'static Client> {
    clients.iter().rev().find(|client| (client.is_row)(line)).copied()
}

/// Whether a text has a sentence that a client puts around a summary.
pub fn has_summary_frame(text: &str) -> bool {
    let lower = text.to_lowercase();
    let around = CLIENTS.iter().flat_map(|client| client.summaries.around);
    around.into_iter().any(|start| lower.contains(&start.to_lowercase()))
}

/// A summary without the client's sentences before it, and without the tags and thoughts of the summariser.
pub fn summary_words(summary: &str) -> &str {
    let tags = CLIENTS.iter().filter_map(|client| client.summaries.tags);
    let inside = tags.fold(summary, |text, (thoughts, tag)| {
        let body = text.rsplit_once(&format!("</{thoughts}>")).map_or(text, |(_, rest)| rest);
        let opened = body.rsplit_once(&format!("<{tag}>")).map_or(body, |(_, rest)| rest);
        opened.split_once(&format!("</{tag}>")).map_or(opened, |(words, _)| words)
    });
    // The client's sentences end with a line of their own.
    let (first, rest) = inside.trim().split_once('\n').unwrap_or((inside.trim(), ""));
    if has_summary_frame(first) { rest.trim() } else { inside.trim() }
}

/// What the section with this number is about.
pub fn heading_of_section(number: u32) -> Option<Heading> {
    let sections = CLIENTS.iter().flat_map(|client| client.summaries.sections);
    sections.into_iter().find(|(of, _)| *of == number).map(|(_, heading)| *heading)
}

/// Whether these words begin like an error message of a client's in the place of a summary.
pub fn is_summary_error(start: &str) -> bool {
    let errors = CLIENTS.iter().flat_map(|client| client.summaries.errors);
    errors.into_iter().any(|error| start.contains(error))
}

/// The brief that our hook put into this text, if all of it is there.
fn own_frame(text: &str) -> Option<&str> {
    let start = text.find(OPENING)?;
    let end = text[start..].find(CLOSING)? + CLOSING.len();
    Some(&text[start..start + end])
}

/// All clients' names for people.
pub fn names_for_people() -> String {
    let names: Vec<&str> = CLIENTS.iter().map(|client| client.phrases.name).collect();
    names.join(" or ")
}
