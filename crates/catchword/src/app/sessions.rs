//! Resolves which session is meant, what is recorded about it, and the state of its workspace.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use catchword_engine::archive::history::{History, TranscriptOwner};
use catchword_engine::clients::{self, Client};
use catchword_engine::facts::WorkspaceState;
use catchword_engine::model::event::is_named;
use catchword_engine::ops::active;
use catchword_engine::ops::hook::ProjectFolder;
use catchword_engine::ops::index::{self, IndexError};
use catchword_engine::ops::record::{RecordLines, TranscriptLines};
use catchword_engine::ops::sessions::{self, ListedSession};
use catchword_engine::session::Session;
use catchword_engine::session::active::Current;
use catchword_engine::store::{self, Store, StoreError};

use super::config::Config;
use super::env::Env;
use super::privacy::LeaveOutRules;
use super::workspace::commands::Finder;
use super::workspace::project;
use super::{git, host, log, transcripts};
use crate::ui::Ui;

/// How long to wait for another process that writes.
pub const LOCK_WAIT: Duration = Duration::from_secs(2);
/// How long a search may spend on bringing the history up to date.
const FRESH_WITHIN: Duration = Duration::from_millis(500);

/// The session a command or tool is about.
pub struct ChosenSession {
    pub id: String,
    pub client: &'static Client,
    pub transcript: PathBuf,
    /// Its working directory, if recorded.
    pub cwd: Option<PathBuf>,
}

impl From<ListedSession> for ChosenSession {
    fn from(listed: ListedSession) -> ChosenSession {
        let client = clients::recorded(&listed.client);
        ChosenSession { id: listed.id, client, transcript: listed.transcript, cwd: listed.cwd }
    }
}

impl ChosenSession {
    /// Its transcript, or its backup once the client has deleted the transcript; `None` if there is neither.
    pub fn find(&self, env: &Env) -> anyhow::Result<Option<TranscriptLines>> {
        let thread = TranscriptOwner { session: self.id.clone(), subagent: String::new() };
        Ok(TranscriptLines::find(Some(self.client), &self.transcript, &thread, env.data_dir.as_deref())?)
    }

    /// The same, but an error if there is neither; tells the person if it is the backup.
    pub fn record(&self, env: &Env, ui: &Ui) -> anyhow::Result<TranscriptLines> {
        let Some(record) = self.find(env)? else {
            bail!(
                "the transcript {} is gone and was not backed up; `catchword recall` and `catchword search` still \
                 have what the history kept of it",
                env.show(&self.transcript)
            );
        };
        say_where_from(&record, env, ui);
        Ok(record)
    }
}

/// Tells the person that this is a backup and not the transcript itself.
pub fn say_where_from(record: &TranscriptLines, env: &Env, ui: &Ui) {
    if let Some(remark) = where_from(record, env) {
        ui.say(ui.paragraph(&remark));
    }
}

/// A remark about where the lines come from, if they are not from the transcript.
pub fn where_from(record: &TranscriptLines, env: &Env) -> Option<String> {
    let RecordLines::Backup(_, kept) = &record.lines else { return None };
    Some(format!(
        "The transcript {} is gone. This is from its backup: {} lines, secrets masked.",
        env.show(&kept.path),
        kept.lines()
    ))
}

/// The session that is meant if none is named: the one in whose shell this runs, else the latest of this folder.
pub fn present(start: Option<&str>, env: &Env) -> anyhow::Result<ChosenSession> {
    let own = env.session.as_deref().filter(|_| start.is_none());
    let found =
        listed(start.or(own), "; commands with --transcript read any file", env).map(ChosenSession::from);
    // A new session may not be recorded by a hook yet, but the client already writes its transcript.
    found.or_else(|error| own.and_then(|id| unrecorded(id, env)).ok_or(error))
}

/// Finds a session in its client's transcript folder.
pub fn unrecorded(id: &str, env: &Env) -> Option<ChosenSession> {
    let (client, transcript) = transcripts::of_session(id, env)?;
    Some(ChosenSession { id: id.to_owned(), client, transcript, cwd: None })
}

/// The folder of a command, and the sessions that belong to it: those of the same work tree, so that two work trees of
/// a repository are separate even if one is inside the other. Outside of work trees, those of the folder.
pub struct Here<'a> {
    env: &'a Env,
    project: ProjectFolder,
}

impl<'a> Here<'a> {
    pub fn new(env: &'a Env) -> Self {
        Here { env, project: host::project(env, &env.cwd) }
    }

    /// Whether a session belongs here, by its recorded project or else by its folder: started in this project or,
    /// outside of work trees, in a parent folder.
    pub fn has(&self, project: Option<&Path>, cwd: Option<&Path>) -> bool {
        self.root_of(project, cwd).is_some_and(|root| {
            root == self.project.root || (!self.project.is_work_tree && self.project.root.starts_with(root))
        })
    }

    /// The same, including subfolders outside of work trees.
    pub fn has_or_holds(&self, project: Option<&Path>, cwd: Option<&Path>) -> bool {
        let is_below = |root: PathBuf| !self.project.is_work_tree && root.starts_with(&self.project.root);
        self.has(project, cwd) || self.root_of(project, cwd).is_some_and(is_below)
    }

    fn root_of(&self, project: Option<&Path>, cwd: Option<&Path>) -> Option<PathBuf> {
        project.map(Path::to_owned).or_else(|| cwd.map(|cwd| host::project(self.env, cwd).root))
    }
}

/// The session that is meant, from hooks or from the history.
pub fn recorded(start: Option<&str>, env: &Env) -> anyhow::Result<ListedSession> {
    listed(start, "", env)
}

/// The same; `otherwise` is what else helps if there is none here.
fn listed(start: Option<&str>, otherwise: &str, env: &Env) -> anyhow::Result<ListedSession> {
    let sessions = Databases::open(env)?.sessions(env)?;
    let here = Here::new(env);
    let is_here = |session: &ListedSession| here.has(session.project.as_deref(), session.cwd.as_deref());
    let is_any = !sessions.is_empty();
    let mut fitting: Vec<ListedSession> = match start {
        Some(start) => sessions.into_iter().filter(|s| is_named(&s.id, start)).collect(),
        None => sessions.into_iter().find(is_here).into_iter().collect(),
    };
    match (fitting.len(), start) {
        (1, _) => Ok(fitting.remove(0)),
        (0, Some(start)) => {
            bail!("no recorded session begins with {start}: `catchword status --all` lists them")
        }
        (0, None) => {
            anyhow::ensure!(
                is_any,
                "nothing is recorded yet: `catchword index` takes in existing sessions{otherwise}"
            );
            bail!(
                "no recorded session in this folder: name one by its id, as SESSION or --session (`catchword status --all` lists them){otherwise}"
            )
        }
        (n, _) => bail!("{n} sessions begin with {}; give more of the id", start.unwrap_or_default()),
    }
}

/// Sets a store of an older version aside, as the next hook would, and says so: nothing in it can be shown.
pub fn renew_store(env: &Env, ui: &Ui) -> anyhow::Result<()> {
    let Some(folder) = env.data_dir.as_deref() else { return Ok(()) };
    if let Err(StoreError::Outdated { .. }) = Store::open_existing(folder, LOCK_WAIT)
        && let Some(why) = Store::open(folder, env.now(), LOCK_WAIT)?.replaced()
    {
        log::problem(env, why);
        ui.say(ui.paragraph(&format!("catchword: {why}. Notes stay in the old file.")));
    }
    Ok(())
}

/// Whether a command failed because a database is damaged.
pub fn is_damage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let found = cause.downcast_ref::<StoreError>().or_else(|| match cause.downcast_ref::<IndexError>() {
            Some(IndexError::Store(error)) => Some(error),
            _ => None,
        });
        found.is_some_and(StoreError::is_damage)
    })
}

/// Whether a command failed because something could not be written, as on a full disk.
pub fn is_failed_write(error: &anyhow::Error) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    error.chain().any(|cause| {
        let file = cause.downcast_ref::<std::io::Error>();
        file.is_some_and(|error| matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge))
            || store::is_failed_write(cause)
    })
}

/// Sets a damaged history aside; returns whether it was the history. A damaged store is left to the next hook, which
/// fills a new one.
pub fn set_history_aside(env: &Env) -> anyhow::Result<bool> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let store = Store::open_existing(folder, LOCK_WAIT);
    let words = store.and_then(|store| store.as_ref().map(Store::check).transpose());
    if !words.is_ok_and(|words| words.is_none_or(|words| words == "ok")) {
        return Ok(false);
    }
    History::set_aside(folder, env.now())?;
    log::problem(env, "history.db is damaged; it was set aside and is rebuilt from the transcripts");
    Ok(true)
}

/// What hooks and `index` recorded; each is `None` until something was.
pub struct Databases {
    pub store: Option<Store>,
    pub history: Option<History>,
}

impl Databases {
    pub fn open(env: &Env) -> anyhow::Result<Databases> {
        let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
        let store = Store::open_existing(folder, LOCK_WAIT)?;
        let history = History::open_existing(folder, LOCK_WAIT)?;
        Ok(Databases { store, history })
    }

    /// Opens both and indexes what is new since the last turn ended, within a short time limit. If that fails (another
    /// process is writing, the disk is full), what is there can still be searched.
    pub fn open_fresh(env: &Env) -> anyhow::Result<Databases> {
        let mut known = Databases::open(env)?;
        let mut sessions = known.store.as_ref().map(Store::sessions).transpose()?.unwrap_or_default();
        let left_out = LeaveOutRules::load(env);
        sessions.retain(|session| {
            !left_out.holds(&session.id, session.cwd.as_deref(), Some(&session.transcript))
        });
        if let (None, false, Some(folder)) = (&known.history, sessions.is_empty(), &env.data_dir) {
            known.history = History::open(folder, env.now(), LOCK_WAIT).ok();
        }
        if let Some(history) = &mut known.history {
            // A hook that found a damaged history had no time for it.
            let _ = env.data_dir.as_deref().map(|folder| history.salvage(folder));
            let deadline = Instant::now() + FRESH_WITHIN;
            let in_time = || Instant::now() < deadline;
            let fresh = index::refresh(history, &env.mask, &sessions, &in_time);
            if let (Ok(()), Some(store)) = (fresh, &known.store) {
                let _ = index::notes(history, store);
            }
        }
        Ok(known)
    }

    /// All sessions, latest first.
    pub fn sessions(&self, env: &Env) -> anyhow::Result<Vec<ListedSession>> {
        Ok(sessions::list(self.store.as_ref(), self.history.as_ref(), env.now(), &host::is_alive)?)
    }
}

/// The current state of a recorded session's workspace.
pub fn workspace_state(
    client: &Client,
    id: &str,
    session: &Session,
    config: &Config,
    env: &Env,
) -> anyhow::Result<WorkspaceState> {
    let folder = session.cwd.as_deref().map(Path::new);
    let finder = Finder::new(client, config, env);
    let look = |folder: &Path, current: &Current| finder.look(folder, current);
    let (active, notes) = match opened(env)? {
        Some(store) => (active::now(&store, &client.commands, id, session, &look)?, store.notes(id)?),
        None => (active::joined(&client.commands, session, &[], None, &look), Vec::new()),
    };
    Ok(WorkspaceState {
        id: Some(id.to_owned()),
        tree: folder.and_then(|folder| git::look(folder, env)),
        active: Some(active),
        project: folder.map(|folder| project::look(config, folder, session, env)).unwrap_or_default(),
        notes,
        announce: config.announce,
    })
}

/// The store, if there is one.
fn opened(env: &Env) -> anyhow::Result<Option<Store>> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    Ok(Store::open_existing(folder, LOCK_WAIT)?)
}

/// The session in a transcript, up to a line or to its end.
pub fn read(record: &TranscriptLines, lines: Option<u32>, env: &Env) -> anyhow::Result<Session> {
    let path = record.lines.path();
    let session = record.fold(&env.mask, lines).with_context(|| format!("cannot read {}", path.display()))?;
    anyhow::ensure!(session.entries > 0, "{} holds no conversation before that point", path.display());
    Ok(session)
}

/// The message for a store whose schema `found` is newer than `known`.
pub fn newer_schema(found: u32, known: u32) -> String {
    format!("the store's schema {found} is newer than this version's ({known}); left unchanged")
}
