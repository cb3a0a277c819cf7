//! What people search and restore: the history of all sessions, and backups of whole transcripts.
//!
//! [`Archive`] has the few verbs by which two archives exchange observations: the history of this machine
//! (`history/shared.rs`) and one that several machines share (`catchword-postgres`). [`conformance`] says what both
//! promise. A transcript is copied by asking one archive what it has after a position and appending that to the other,
//! which accepts it only if that is the position it has reached. There are no clocks in it: repeated, reordered and
//! interrupted copies end in the same state.

pub mod asked;
pub mod backup;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod history;
pub mod project;

use thiserror::Error;

use crate::redact::Mask;
use crate::redact::forgotten::Forgotten;
use crate::store::StoreError;
use history::item::HistoryItem;
use history::query::Query;

/// What several machines can exchange.
pub trait Archive {
    /// All transcripts that may be seen, without their items.
    fn sources(&mut self) -> Result<Vec<SharedSource>, ArchiveError>;

    /// What a transcript has after a position, at most `most` items, in the order of their changes; `None` if nothing. A
    /// position of an earlier generation, or none, means from the start.
    fn since(
        &mut self,
        source: &SourceKey,
        after: Option<SourcePosition>,
        most: usize,
    ) -> Result<Option<SharedBatch>, ArchiveError>;

    /// Records a batch, if the transcript has reached the position that the batch starts from and was not forgotten. An
    /// item replaces what the same machine had at its place; a new generation replaces all of the transcript.
    fn append(&mut self, batch: &SharedBatch) -> Result<Appended, ArchiveError>;

    /// Items that have all words of a query and match its filter, newest first, at most `most`.
    fn find(&mut self, query: &Query, most: usize) -> Result<Vec<SharedMatch>, ArchiveError>;

    /// The items in a range of lines, in order; at most `most`.
    fn items(
        &mut self,
        source: &SourceKey,
        from: u32,
        to: u32,
        most: usize,
    ) -> Result<Vec<HistoryItem>, ArchiveError>;

    /// Deletes what a tombstone names, remembers it, and returns the number of items deleted. The words of a forgotten
    /// text are masked by whoever can read them.
    fn forget(&mut self, what: &Tombstone) -> Result<usize, ArchiveError>;

    /// Everything that was forgotten.
    fn tombstones(&mut self) -> Result<Vec<Tombstone>, ArchiveError>;

    fn status(&mut self) -> Result<ArchiveStatus, ArchiveError>;
}

#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The history of this machine failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The shared archive cannot be reached, or does not answer in time.
    #[error("{0}")]
    Unreachable(String),
    /// The shared archive refused something, and why.
    #[error("{0}")]
    Refused(String),
}

/// A transcript, as one machine recorded it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceKey {
    /// A random id.
    pub machine: String,
    pub client: String,
    pub session: String,
    /// The subagent's id; empty for the main conversation.
    pub thread: String,
}

/// How far a transcript is recorded: in the order of changes, not of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourcePosition {
    /// How often the transcript was replaced.
    pub generation: i64,
    /// How often its items changed.
    pub version: i64,
    /// Within the version: the last line and part, or [`SourcePosition::END`].
    pub line: u32,
    pub part: u32,
}

impl SourcePosition {
    /// All of a version.
    pub const END: u32 = u32::MAX;
}

/// Who may read the words of a transcript. Figures are visible to the team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SharedWith {
    /// Nobody: figures only.
    None,
    /// The author, on every machine.
    #[default]
    Me,
    /// Everybody in the team.
    Team,
}

impl SharedWith {
    pub const ALL: [SharedWith; 3] = [SharedWith::None, SharedWith::Me, SharedWith::Team];

    /// Its name in settings and on the server.
    pub fn name(self) -> &'static str {
        match self {
            SharedWith::None => "none",
            SharedWith::Me => "me",
            SharedWith::Team => "team",
        }
    }

    pub fn of(name: &str) -> Option<SharedWith> {
        SharedWith::ALL.into_iter().find(|share| share.name() == name)
    }
}

/// What an archive tells about a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSource {
    pub key: SourceKey,
    pub reached: SourcePosition,
    /// Whose it is; `None` if the archive knows no persons.
    pub person: Option<String>,
    pub share: SharedWith,
    /// Identifies its project on every machine ([`project`]).
    pub project_key: Option<String>,
    /// The folder it started in.
    pub project: Option<String>,
    /// The first request.
    pub title: Option<String>,
    pub figures: SourceFigures,
}

/// The figures of a transcript: no words, names or paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceFigures {
    /// Times of its first and latest row, in milliseconds since 1970.
    pub first_at: Option<i64>,
    pub last_at: Option<i64>,
    pub prompts: u64,
    pub calls: u64,
    pub compactions: u64,
    /// Tokens in its context when it was last read, if the store knows.
    pub tokens: Option<u64>,
    /// Facts that compactions lost, and those given back.
    pub lost: Option<u64>,
    pub given_back: Option<u64>,
}

/// Part of a transcript, on its way from one archive to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedBatch {
    pub source: SharedSource,
    /// What the receiving archive must have; `None` if nothing.
    pub from: Option<SourcePosition>,
    /// What it has afterwards.
    pub to: SourcePosition,
    pub items: Vec<SharedItem>,
}

/// An item with the version of its last change and the rules it was masked by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedItem {
    pub version: i64,
    pub rules: u32,
    pub item: HistoryItem,
}

/// An item that matches, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedMatch {
    /// Every machine that has it, as the same text at the same place.
    pub sources: Vec<SharedSource>,
    pub item: HistoryItem,
}

impl SharedMatch {
    /// Client, session, thread, line, part and a hash of the content: the same on every machine.
    pub fn id(&self) -> Option<ItemId> {
        self.sources.first().map(|source| ItemId::of(&source.key, &self.item))
    }
}

/// What identifies an item on every machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId {
    pub client: String,
    pub session: String,
    pub thread: String,
    pub line: u32,
    pub part: u32,
    pub hash: [u8; 16],
}

impl ItemId {
    pub fn of(source: &SourceKey, item: &HistoryItem) -> ItemId {
        ItemId {
            client: source.client.clone(),
            session: source.session.clone(),
            thread: source.thread.clone(),
            line: item.place.0,
            part: item.part,
            hash: content_hash(item),
        }
    }
}

/// A hash of everything that an item says; not of when it was read, or by whom.
pub fn content_hash(item: &HistoryItem) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    let until = item.until.map_or(0, |place| place.0);
    hasher.update(&[item.kind as u8, u8::from(item.failed), u8::from(item.sub)]);
    hasher.update(&until.to_le_bytes());
    hasher.update(&(item.title.len() as u64).to_le_bytes());
    hasher.update(item.title.as_bytes()).update(item.body.as_bytes());
    let mut hash = [0; 16];
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    hash
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    Recorded,
    /// The transcript has reached another position; nothing was recorded.
    Elsewhere(Option<SourcePosition>),
    /// It was forgotten; nothing was recorded.
    Forgotten,
}

/// Something that was forgotten, on every machine and for good.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tombstone {
    pub what: ForgottenThing,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ForgottenThing {
    /// A session, by its hash ([`Mask::session_hash`]).
    Session(u64),
    /// A project, by its key.
    Project(String),
    /// A text, as [`Forgotten::to_line`] writes it: a salted hash.
    Text(String),
    /// Every session whose latest row is older, in milliseconds since 1970.
    Before(i64),
}

impl ForgottenThing {
    pub fn session(id: &str) -> ForgottenThing {
        ForgottenThing::Session(Mask::session_hash(id))
    }

    pub fn text(text: &Forgotten) -> ForgottenThing {
        ForgottenThing::Text(text.to_line())
    }

    /// As two columns: a number and a text.
    pub fn to_columns(&self) -> (i16, String) {
        match self {
            ForgottenThing::Session(hash) => (1, format!("{hash:016x}")),
            ForgottenThing::Project(key) => (2, key.clone()),
            ForgottenThing::Text(line) => (3, line.clone()),
            ForgottenThing::Before(at) => (4, at.to_string()),
        }
    }

    /// `None` for what a newer version forgets.
    pub fn of_columns(kind: i16, value: &str) -> Option<ForgottenThing> {
        match kind {
            1 => u64::from_str_radix(value, 16).ok().map(ForgottenThing::Session),
            2 => Some(ForgottenThing::Project(value.to_owned())),
            3 => Forgotten::from_line(value).map(|text| ForgottenThing::text(&text)),
            4 => value.parse().ok().map(ForgottenThing::Before),
            _ => None,
        }
    }

    /// Its id: the same on every machine.
    pub fn id(&self) -> String {
        let (kind, value) = self.to_columns();
        blake3::hash(format!("{kind} {value}").as_bytes()).to_hex()[..32].to_owned()
    }

    /// Whether a transcript was forgotten by this. A text only masks.
    pub fn covers(&self, source: &SharedSource) -> bool {
        match self {
            ForgottenThing::Session(hash) => Mask::session_hash(&source.key.session) == *hash,
            ForgottenThing::Project(key) => source.project_key.as_ref() == Some(key),
            ForgottenThing::Before(at) => source.figures.last_at.is_some_and(|last| last < *at),
            ForgottenThing::Text(_) => false,
        }
    }
}

/// How much an archive has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArchiveStatus {
    /// Items, each once, on however many machines.
    pub items: u64,
    pub sessions: u64,
    pub machines: u64,
    pub tombstones: u64,
}

/// What [`copy`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    pub sources: usize,
    pub items: usize,
    /// Another process was copying the same transcript, or it was forgotten.
    pub refused: usize,
}

/// Copies one transcript from an archive to another, from the position that the latter has reached. `dressed` decides what
/// of a batch is sent, and how. Ends early, without an error, if another process copies the same transcript.
pub fn copy(
    from: &mut dyn Archive,
    to: &mut dyn Archive,
    source: &SourceKey,
    mut reached: Option<SourcePosition>,
    most: usize,
    dressed: &mut dyn FnMut(SharedBatch) -> SharedBatch,
) -> Result<Copied, ArchiveError> {
    let mut copied = Copied::default();
    while let Some(batch) = from.since(source, reached, most)? {
        let batch = dressed(batch);
        match to.append(&batch)? {
            Appended::Recorded => {
                reached = Some(batch.to);
                copied.items += batch.items.len();
                copied.sources = 1;
            }
            Appended::Elsewhere(_) | Appended::Forgotten => {
                copied.refused = 1;
                break;
            }
        }
    }
    Ok(copied)
}
