//! Who asks, what may be seen, and which session is meant.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::lines::Comparisons;
use crate::archive::asked::{SharedAnswer, SharedQuestion};
use crate::archive::backup::BackupError;
use crate::archive::history::{History, TranscriptOwner, TranscriptSource};
use crate::archive::project::{self, is_repository};
use crate::choose::{WorkTree, WorkspaceState};
use crate::clients::{self, Client};
use crate::model::event::{is_named, short_id};
use crate::model::note::Note;
use crate::model::tokens::ClientLimits;
use crate::ops::history;
use crate::ops::hook::ProjectFolder;
use crate::ops::record::{RecordLines, TranscriptLines};
use crate::ops::sessions::{self, ListedSession};
use crate::project::Tree;
use crate::redact::Mask;
use crate::session::Session;
use crate::store::{Store, StoreError};
use crate::text::numbers::count_of;
use crate::transcript;

/// What a question is answered from, and for whom.
pub struct Reader<'a> {
    /// What hooks recorded; `None` until one ran.
    pub store: Option<Store>,
    /// What can be searched; `None` until something was indexed.
    pub history: Option<History>,
    /// The data directory, with the backups.
    pub data: Option<PathBuf>,
    pub mask: &'a Mask,
    /// Milliseconds since 1970.
    pub now: i64,
    pub viewer: Viewer<'a>,
    pub machine: Surroundings<'a>,
    /// The session whose shell or client asks, if known.
    pub own: Option<String>,
    /// Comparisons that were made, for whoever asks again and again.
    pub compared: RefCell<Comparisons>,
    here: OnceCell<ProjectFolder>,
}

/// Who asks, and what they may see.
pub struct Viewer<'a> {
    /// An agent: by its tools, or in its shell.
    pub is_agent: bool,
    /// Whether a session is hidden, by its id, its folder and its transcript.
    hides: Option<Box<Hides<'a>>>,
}

/// Whether a session is hidden, by its id, its folder and its transcript.
pub type Hides<'a> = dyn Fn(&str, Option<&Path>, Option<&Path>) -> bool + 'a;

impl<'a> Viewer<'a> {
    /// A person, who may see everything on their machine.
    pub fn person() -> Viewer<'a> {
        Viewer { is_agent: false, hides: None }
    }

    /// A person who does not want to see what they left out: a page may be seen by others.
    pub fn discreet_person(hides: Box<Hides<'a>>) -> Viewer<'a> {
        Viewer { is_agent: false, hides: Some(hides) }
    }

    /// An agent: what the person leaves out does not exist for it.
    pub fn agent(hides: Box<Hides<'a>>) -> Viewer<'a> {
        Viewer { is_agent: true, hides: Some(hides) }
    }

    /// Whether a session may be seen.
    pub fn sees(&self, session: &str, folder: Option<&Path>, transcript: Option<&Path>) -> bool {
        !self.hides.as_ref().is_some_and(|hides| hides(session, folder, transcript))
    }

    /// The same of a transcript in the history.
    pub fn sees_source(&self, source: &TranscriptSource) -> bool {
        self.sees(&source.thread.session, source.project.as_deref().map(Path::new), Some(&source.path))
    }
}

/// What only a program on this machine knows: the engine neither asks the system nor reads settings.
#[expect(clippy::type_complexity, reason = "each says what it is asked and what it answers")]
pub struct Surroundings<'a> {
    /// The folder in which somebody asks.
    pub folder: PathBuf,
    /// Most characters of a brief.
    pub budget: usize,
    /// Turns after which a finished task is cold.
    pub cold_after: u32,
    /// Whether the process of a client still runs.
    pub is_alive: Box<dyn Fn(&str) -> Option<bool> + 'a>,
    /// The project of a folder.
    pub project: Box<dyn Fn(&Path) -> ProjectFolder + 'a>,
    /// The client's limits for a session in a folder.
    pub limits: Box<dyn Fn(&Client, Option<&Path>) -> ClientLimits + 'a>,
    /// The models that environment and settings choose for a session in a folder.
    pub models: Box<dyn Fn(&Client, Option<&Path>) -> Vec<String> + 'a>,
    /// The state of the workspace of a recorded session.
    pub workspace: Box<FindWorkspace<'a>>,
    /// The state of the work tree around a folder.
    pub tree: Box<dyn Fn(&Path) -> Option<WorkTree> + 'a>,
    /// The tree at the root of a repository, for what its past says.
    pub repository: Box<dyn Fn(&Path) -> Box<dyn Tree + 'a> + 'a>,
    /// The transcript of a session that nothing recorded yet, in its client's folder.
    pub unrecorded: Box<dyn Fn(&str) -> Option<(&'static Client, PathBuf)> + 'a>,
    /// A path for people.
    pub shown: Box<dyn Fn(&Path) -> String + 'a>,
    /// Asks the shared archive, within a deadline.
    pub shared: Box<dyn Fn(SharedQuestion) -> SharedAnswer + 'a>,
    /// What people call the machines that something was fetched from, by id.
    pub machines: BTreeMap<String, String>,
}

/// The state of the workspace of a recorded session.
pub type FindWorkspace<'a> =
    dyn Fn(Option<&Store>, &Client, &str, &Session) -> Result<WorkspaceState, StoreError> + 'a;

/// Which session is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// The asking session, or else the latest of this folder.
    Own,
    /// A recorded one, by the start of its id.
    Named(&'a str),
    /// Any transcript file.
    File(&'a Path),
}

impl<'a> Which<'a> {
    /// From optional arguments.
    pub fn of(session: Option<&'a str>, transcript: Option<&'a Path>) -> Which<'a> {
        match (session, transcript) {
            (_, Some(path)) => Which::File(path),
            (Some(start), None) => Which::Named(start),
            (None, None) => Which::Own,
        }
    }
}

/// The session that a question is about.
#[derive(Clone, Debug)]
pub struct ChosenSession {
    /// Of a file, its name.
    pub id: String,
    pub client: &'static Client,
    pub transcript: PathBuf,
    /// Its working directory, if recorded.
    pub cwd: Option<PathBuf>,
    /// It was named as a file, and nothing recorded is known of it.
    pub is_file: bool,
    /// It is the one that asks, or what is taken for it.
    pub is_own: bool,
}

impl ChosenSession {
    /// A recorded one.
    pub fn of(listed: &ListedSession) -> ChosenSession {
        ChosenSession {
            id: listed.id.clone(),
            client: clients::recorded(&listed.client),
            transcript: listed.transcript.clone(),
            cwd: listed.cwd.clone(),
            is_file: false,
            is_own: false,
        }
    }

    /// As messages name it.
    pub fn in_words(&self) -> String {
        if self.is_file {
            self.transcript.display().to_string()
        } else {
            format!("session {}", short_id(&self.id))
        }
    }
}

/// What helps whoever asks about a session where none is recorded.
const ANY_FILE: &str = "; commands with --transcript read any file";

/// Why a question has no answer. The words are for a person; a server has its own for an agent.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("no recorded session begins with {0}: `catchword status --all` lists them")]
    NoSuchSession(String),
    /// Nothing here, and the shared archive did not answer.
    #[error("no session on this machine begins with {0}, and the shared archive was not asked: {1}")]
    NotHere(String, String),
    #[error("{1} sessions begin with {0}; give more of the id")]
    ManySessions(String, usize),
    /// Ends with what else helps.
    #[error("nothing is recorded yet: `catchword index` takes in existing sessions{0}")]
    NothingRecorded(&'static str),
    #[error(
        "no recorded session in this folder: name one by its id, as SESSION or --session (`catchword status --all` lists them){0}"
    )]
    NothingHere(&'static str),
    /// The asking session itself is hidden from its agent.
    #[error("nothing of this session is kept: it was forgotten, or its project is left out")]
    LeftOut,
    #[error("there is no transcript {0}")]
    NoFile(PathBuf),
    #[error(
        "the transcript {0} is gone and was not backed up; `catchword recall` and `catchword search` still have what the history kept of it"
    )]
    TranscriptGone(String),
    #[error("cannot read {path}: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{0} holds no conversation before that point")]
    NoConversation(PathBuf),
    /// It has this many compactions, and another one was asked for.
    #[error("{}", no_compaction(.whose, *.all, *.asked))]
    NoCompaction { whose: String, all: usize, asked: Option<usize> },
    #[error(
        "{0} has no compaction with a summary there: give another moment (--at, --line) or the text (--summary)"
    )]
    NoSummary(PathBuf),
    #[error("a saved point has no summary: use the number of a compaction")]
    PointWithoutSummary,
    #[error("only a recorded session has saved points; leave out --transcript")]
    PointOfFile,
    /// It has this many points.
    #[error("{}", no_point(*.0))]
    NoPoint(usize),
    #[error(
        "no subagent {0} of this session is in the history; `catchword index` takes their transcripts in"
    )]
    NoSubagent(String),
    #[error("nothing of this session is in the history; `catchword note` shows its notes")]
    NoNotes,
    #[error("The transcript {0} is gone and was not backed up; nothing of it is in the history either")]
    NothingLeft(String),
    #[error("--raw takes a line or a range: L790, L790-L812")]
    RawNeedsLines,
    #[error("the transcript {0} is gone and was not backed up; leave out --raw to see what the history kept")]
    RawIsGone(PathBuf),
    #[error("the history is empty: `catchword index` takes in existing transcripts")]
    NoHistory,
    /// What is wrong with a question.
    #[error("{0}")]
    BadQuery(String),
    /// There is no word in the question.
    #[error("`{0}` has no word to look for: give one, or a filter (--help lists them)")]
    EmptyQuery(String),
    #[error("{0}")]
    NoTerm(&'static str),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Backup(#[from] BackupError),
}

fn no_compaction(whose: &str, all: usize, asked: Option<usize>) -> String {
    let number = asked.unwrap_or_default();
    match all {
        0 => format!("{whose} was not compacted: leave out the number"),
        1 => format!("{whose} has 1 compaction, not {number}: use 1"),
        2 => format!("{whose} has 2 compactions, not {number}: use 1 or 2"),
        all => format!("{whose} has {all} compactions, not {number}: use 1 to {all}"),
    }
}

fn no_point(all: usize) -> String {
    match all {
        0 => "no point of this session was saved yet".to_owned(),
        all => format!("this session has {}, P1 to P{all}", count_of(all, "saved point")),
    }
}

impl<'a> Reader<'a> {
    /// A reader of nothing yet: the databases are added by whoever opens them.
    pub fn new(mask: &'a Mask, now: i64, viewer: Viewer<'a>, machine: Surroundings<'a>) -> Reader<'a> {
        Reader {
            store: None,
            history: None,
            data: None,
            mask,
            now,
            viewer,
            machine,
            own: None,
            compared: RefCell::default(),
            here: OnceCell::new(),
        }
    }

    /// All sessions that may be seen, latest first.
    pub fn sessions(&self) -> Result<Vec<ListedSession>, ReadError> {
        let (store, history) = (self.store.as_ref(), self.history.as_ref());
        let mut all = sessions::list(store, history, self.now, &*self.machine.is_alive)?;
        all.retain(|session| self.may_see(session));
        Ok(all)
    }

    fn may_see(&self, session: &ListedSession) -> bool {
        self.viewer.sees(&session.id, session.cwd.as_deref(), Some(&session.transcript))
    }

    /// The session that is meant.
    pub fn choose(&self, which: Which) -> Result<ChosenSession, ReadError> {
        match which {
            Which::File(path) => self.file(path),
            Which::Named(start) => self.named(start),
            Which::Own => self.own_or_latest(),
        }
    }

    /// Any transcript file.
    fn file(&self, path: &Path) -> Result<ChosenSession, ReadError> {
        let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if !transcript::is_there(path) || !self.viewer.sees(&id, None, Some(path)) {
            return Err(ReadError::NoFile(path.to_owned()));
        }
        let client = TranscriptLines::of_file(path).client;
        let transcript = path.to_owned();
        Ok(ChosenSession { id, client, transcript, cwd: None, is_file: true, is_own: false })
    }

    fn named(&self, start: &str) -> Result<ChosenSession, ReadError> {
        let chosen = ChosenSession::of(&self.listed(start)?);
        Ok(ChosenSession { is_own: self.own.as_ref() == Some(&chosen.id), ..chosen })
    }

    /// The recorded session whose id begins so.
    pub fn listed(&self, start: &str) -> Result<ListedSession, ReadError> {
        let mut fitting: Vec<ListedSession> =
            self.sessions()?.into_iter().filter(|session| is_named(&session.id, start)).collect();
        match fitting.len() {
            1 => Ok(fitting.remove(0)),
            0 => Err(ReadError::NoSuchSession(start.to_owned())),
            n => Err(ReadError::ManySessions(start.to_owned(), n)),
        }
    }

    fn own_or_latest(&self) -> Result<ChosenSession, ReadError> {
        let Some(own) = self.own.as_deref() else {
            if !self.viewer.sees("", Some(&self.machine.folder), None) {
                return Err(ReadError::LeftOut);
            }
            let latest = self.latest_here().map_err(|error| match error {
                ReadError::NothingRecorded(_) => ReadError::NothingRecorded(ANY_FILE),
                ReadError::NothingHere(_) => ReadError::NothingHere(ANY_FILE),
                other => other,
            })?;
            return Ok(ChosenSession { is_own: true, ..ChosenSession::of(&latest) });
        };
        // What is listed of it, even if it may not be seen: then nothing else is meant instead.
        let (store, history) = (self.store.as_ref(), self.history.as_ref());
        let all = sessions::list(store, history, self.now, &*self.machine.is_alive)?;
        let chosen = if let Some(listed) = all.iter().find(|session| session.id == own) {
            ChosenSession { is_own: true, ..ChosenSession::of(listed) }
        } else {
            // A new session may not be recorded by a hook yet, but the client already writes its transcript.
            let (client, transcript) =
                (self.machine.unrecorded)(own).ok_or_else(|| ReadError::NoSuchSession(own.to_owned()))?;
            let id = own.to_owned();
            ChosenSession { id, client, transcript, cwd: None, is_file: false, is_own: true }
        };
        // A session that is not recorded yet works in the folder in which the client started us.
        let folder = chosen.cwd.as_deref().unwrap_or(&self.machine.folder);
        if self.viewer.sees(&chosen.id, Some(folder), Some(&chosen.transcript)) {
            Ok(chosen)
        } else {
            Err(ReadError::LeftOut)
        }
    }

    /// The latest session of this folder.
    pub fn latest_here(&self) -> Result<ListedSession, ReadError> {
        let sessions = self.sessions()?;
        let is_any = !sessions.is_empty();
        let found = sessions.into_iter().find(|session| self.is_here(session));
        found.ok_or(if is_any { ReadError::NothingHere("") } else { ReadError::NothingRecorded("") })
    }

    /// The project in which somebody asks.
    pub fn here(&self) -> &ProjectFolder {
        self.here.get_or_init(|| (self.machine.project)(&self.machine.folder))
    }

    /// Whether a session belongs to the project in which somebody asks, by its recorded project or else by its folder:
    /// started in this work tree, so that two work trees of a repository are separate even if one is inside the other;
    /// outside of work trees, in this folder or one above it.
    pub fn is_here(&self, session: &ListedSession) -> bool {
        let here = self.here();
        self.root_of(session)
            .is_some_and(|root| root == here.root || (!here.is_work_tree && here.root.starts_with(root)))
    }

    /// The same, including folders below this one, outside of work trees.
    pub fn is_here_or_below(&self, session: &ListedSession) -> bool {
        let here = self.here();
        let is_below = |root: PathBuf| !here.is_work_tree && root.starts_with(&here.root);
        self.is_here(session) || self.root_of(session).is_some_and(is_below)
    }

    /// Whether a session that another machine recorded belongs to the repository in which somebody asks.
    pub fn is_same_project(&self, session: &ListedSession) -> Result<bool, ReadError> {
        let thread = TranscriptOwner { session: session.id.clone(), subagent: String::new() };
        let history = self.history.as_ref();
        let source = history.map(|history| history.source_anywhere(&thread)).transpose()?.flatten();
        let key = source.filter(|source| !source.is_own()).and_then(|source| source.project_key);
        Ok(key.is_some_and(|key| is_repository(&key) && key == project::key(&self.here().root)))
    }

    fn root_of(&self, session: &ListedSession) -> Option<PathBuf> {
        let by_folder = || session.cwd.as_deref().map(|cwd| (self.machine.project)(cwd).root);
        session.project.clone().or_else(by_folder)
    }

    /// Its transcript, or its backup once the client has deleted the transcript; `None` if there is neither.
    pub fn find_record(&self, session: &ChosenSession) -> Result<Option<TranscriptLines>, ReadError> {
        if session.is_file {
            return Ok(Some(TranscriptLines {
                client: session.client,
                lines: RecordLines::File(session.transcript.clone()),
            }));
        }
        let thread = TranscriptOwner { session: session.id.clone(), subagent: String::new() };
        let data = self.data.as_deref();
        Ok(TranscriptLines::find(Some(session.client), &session.transcript, &thread, data)?)
    }

    /// The same, but an error if there is neither.
    pub fn record(&self, session: &ChosenSession) -> Result<TranscriptLines, ReadError> {
        let gone = || ReadError::TranscriptGone((self.machine.shown)(&session.transcript));
        self.find_record(session)?.ok_or_else(gone)
    }

    /// A remark about where a record was read, if not in the transcript.
    pub fn remark(&self, record: &TranscriptLines) -> Option<String> {
        let RecordLines::Backup(_, kept) = &record.lines else { return None };
        Some(format!(
            "The transcript {} is gone. This is from its backup: {} lines, secrets masked.",
            (self.machine.shown)(&kept.path),
            kept.lines()
        ))
    }

    /// What was written down for a session.
    pub fn notes(&self, session: &ChosenSession) -> Result<Vec<Note>, ReadError> {
        let store = self.store.as_ref().filter(|_| !session.is_file);
        Ok(store.map(|store| store.notes(&session.id)).transpose()?.unwrap_or_default())
    }

    /// A session as it stands, from the latest snapshot on, and where it was read.
    pub fn fold_on(&self, session: &ChosenSession) -> Result<(Session, TranscriptLines), ReadError> {
        let record = self.record(session)?;
        let folded = match &record.lines {
            RecordLines::File(path) => {
                let store = self.store.as_ref().filter(|_| !session.is_file);
                let before = store.map(|store| store.snapshot(&session.id)).transpose()?.flatten();
                history::fold_on(record.reader(self.mask), path, before)
            }
            RecordLines::Backup(..) => record.fold(self.mask, None),
        };
        let folded = folded.map_err(|error| unreadable(&record, error))?;
        Ok((folded, record))
    }

    /// The session in a transcript, up to a line or to its end.
    pub fn fold(&self, record: &TranscriptLines, lines: Option<u32>) -> Result<Session, ReadError> {
        let session = record.fold(self.mask, lines).map_err(|source| unreadable(record, source))?;
        if session.entries == 0 {
            return Err(ReadError::NoConversation(record.lines.path().to_owned()));
        }
        Ok(session)
    }
}

/// The transcript cannot be read.
pub fn unreadable(record: &TranscriptLines, source: std::io::Error) -> ReadError {
    ReadError::Unreadable { path: record.lines.path().to_owned(), source }
}
