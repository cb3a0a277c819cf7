//! Which session, at which moment: the arguments `show`, `explain` and `audit` share; and how long a brief may be.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use catchword_engine::agent::claude_code;
use catchword_engine::cold::Summary;
use catchword_engine::history::{History, Thread};
use catchword_engine::mask::mask;
use catchword_engine::notes::Note;
use catchword_engine::ops::active;
use catchword_engine::ops::answer::{self, Outside};
use catchword_engine::ops::history::Cut;
use catchword_engine::ops::index;
use catchword_engine::ops::record::Record;
use catchword_engine::ops::sessions::{self, Listed};
use catchword_engine::ops::start::Project;
use catchword_engine::render::Brief;
use catchword_engine::session::Session;
use catchword_engine::session::active::Current;
use catchword_engine::store::Store;

use crate::around::commands::Finder;
use crate::around::project;
use crate::config::Config;
use crate::env::Env;
use crate::privacy::LeftOut;
use crate::ui::{Ui, counted};
use crate::{git, host};

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a search may take to bring the history up to date.
const FRESH_WITHIN: Duration = Duration::from_millis(500);

/// A session, a moment in it, and what it is compared with.
#[derive(clap::Args)]
pub struct Target {
    /// A recorded session, by the start of its id; the latest of this folder when not given
    #[arg(value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Any transcript file instead of a recorded session
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// As it was at the session's Nth compaction, against its summary
    #[arg(long, value_name = "N", conflicts_with = "line")]
    at: Option<usize>,
    /// As it was before this line of the transcript, counted from 0
    #[arg(long, value_name = "LINE")]
    line: Option<u32>,
    /// A file with the summary to compare with
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

/// How long a brief may be.
#[derive(clap::Args)]
pub struct Size {
    /// Characters the brief may have, 400 to 9,500
    #[arg(long, value_name = "CHARACTERS")]
    budget: Option<usize>,
}

impl Size {
    /// In characters, as asked for or as set.
    pub fn budget(&self, env: &Env) -> usize {
        self.budget.unwrap_or_else(|| Config::load(env).0.budget)
    }
}

/// What the arguments point at.
pub struct Moment {
    /// The session up to the moment.
    pub session: Session,
    /// The summary that replaced it, where one is known.
    pub summary: Option<String>,
    /// What lies around it, when the moment is now.
    pub outside: Outside,
}

/// A session as it is now, for commands that need no moment.
#[derive(clap::Args)]
pub struct Which {
    /// A recorded session, by the start of its id; the latest of this folder when not given
    #[arg(value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Any transcript file instead of a recorded session
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
}

/// A session with what the store has of it beside the transcript.
pub struct Found {
    /// Its id; of a file its name.
    pub id: String,
    /// The session.
    pub session: Session,
    /// What was written down for it.
    pub notes: Vec<Note>,
    /// Its cold tasks, with the time they were summarised.
    pub cold: Vec<(Summary, i64)>,
}

impl Which {
    /// Finds the session and reads it.
    pub fn resolve(&self, env: &Env, ui: &Ui) -> anyhow::Result<Found> {
        let (id, record) = if let Some(path) = &self.transcript {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            (name.unwrap_or_default(), Record::File(path.clone()))
        } else {
            let present = present(self.session.as_deref(), env)?;
            let record = present.record(env, ui)?;
            (present.id, record)
        };
        let session = read(&record, None)?;
        let store = env.data_dir.as_deref().filter(|_| self.transcript.is_none());
        let store = store.map(|folder| Store::open_existing(folder, PATIENCE)).transpose()?.flatten();
        let (notes, cold) = match &store {
            Some(store) => (store.notes(&id)?, store.cold_tasks(&id)?),
            None => Default::default(),
        };
        Ok(Found { id, session, notes, cold })
    }
}

/// A session and the summary that replaced it.
pub struct Compacted {
    /// The session up to the compaction.
    pub session: Session,
    /// What took its place.
    pub summary: String,
}

impl Moment {
    /// The brief of this moment.
    pub fn brief(&self, budget: usize) -> Brief {
        answer::brief(&self.session, self.summary.as_deref(), &self.outside, budget)
    }
}

impl Target {
    /// Finds the session and reads it up to the moment.
    pub fn resolve(&self, env: &Env, ui: &Ui) -> anyhow::Result<Moment> {
        let (record, id) = self.record(env, ui)?;
        let cut = self.cut(&record)?;
        let lines = self.line.or(cut.as_ref().map(|cut| cut.lines));
        let session = read(&record, lines)?;
        let summary = match &self.summary {
            Some(file) => Some(read_summary(file)?),
            None => cut.map(|cut| cut.summary),
        };
        let now = id.filter(|_| lines.is_none());
        let outside =
            now.map(|id| outside(&id, &session, &Config::load(env).0, env)).transpose()?.unwrap_or_default();
        Ok(Moment { session, summary: summary.filter(|s| !s.is_empty()), outside })
    }

    /// The same for what needs a summary: without a moment the latest compaction is meant, and a line without a
    /// summary means the one whose compaction stands there.
    pub fn resolve_compaction(&self, env: &Env, ui: &Ui) -> anyhow::Result<Compacted> {
        let (record, _) = self.record(env, ui)?;
        let given = self.summary.as_deref().map(read_summary).transpose()?;
        let cut = match (self.at, self.line) {
            (Some(_), _) => self.cut(&record)?,
            (None, Some(line)) if given.is_none() => cuts(&record)?.into_iter().find(|cut| cut.lines == line),
            (None, Some(_)) => None,
            (None, None) => cuts(&record)?.pop(),
        };
        let lines = self.line.or(cut.as_ref().map(|cut| cut.lines));
        let Some(summary) = given.or(cut.map(|cut| cut.summary)).filter(|text| !text.trim().is_empty())
        else {
            bail!(
                "{} has no compaction with a summary there: give another moment (--at, --line) or the text (--summary)",
                path_of(&record).display()
            );
        };
        Ok(Compacted { session: read(&record, lines)?, summary })
    }

    /// The transcript, and whose it is where that is recorded.
    fn record(&self, env: &Env, ui: &Ui) -> anyhow::Result<(Record, Option<String>)> {
        if let Some(path) = &self.transcript {
            return Ok((Record::File(path.clone()), None));
        }
        let present = present(self.session.as_deref(), env)?;
        Ok((present.record(env, ui)?, Some(present.id)))
    }

    fn cut(&self, record: &Record) -> anyhow::Result<Option<Cut>> {
        let Some(number) = self.at else { return Ok(None) };
        let cuts = cuts(record)?;
        let path = path_of(record);
        let all = cuts.len();
        match number.checked_sub(1).and_then(|n| cuts.into_iter().nth(n)) {
            Some(cut) => Ok(Some(cut)),
            None if all == 0 => bail!("{} has no compaction; leave out --at", path.display()),
            None => {
                let has = counted(all as u64, "compaction");
                bail!("{} has {has}; --at takes a number from 1 to {all}", path.display())
            }
        }
    }
}

/// What lies around a recorded session right now.
pub fn outside(id: &str, session: &Session, config: &Config, env: &Env) -> anyhow::Result<Outside> {
    let agent = &claude_code::AGENT;
    let folder = session.cwd.as_deref().map(Path::new);
    let finder = Finder::new(&agent.commands, config, env);
    let look = |folder: &Path, current: &Current| finder.look(folder, current);
    let (active, notes) = match opened(env)? {
        Some(store) => (active::now(&store, &agent.commands, id, session, &look)?, store.notes(id)?),
        None => (active::joined(&agent.commands, session, &[], None, &look), Vec::new()),
    };
    Ok(Outside {
        tree: folder.and_then(git::look),
        active: Some(active),
        project: folder.map(|folder| project::look(config, folder, session)).unwrap_or_default(),
        notes,
        announce: config.announce,
    })
}

/// The store, where there is one.
fn opened(env: &Env) -> anyhow::Result<Option<Store>> {
    let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    Ok(Store::open_existing(folder, PATIENCE)?)
}

fn cuts(record: &Record) -> anyhow::Result<Vec<Cut>> {
    record.cuts(&claude_code::AGENT).with_context(|| format!("cannot read {}", path_of(record).display()))
}

/// Where a transcript lies, or lay.
fn path_of(record: &Record) -> &Path {
    match record {
        Record::File(path) => path,
        Record::Backup(_, kept) => &kept.path,
    }
}

/// Masked as the record is, so that a secret in both is the same word.
fn read_summary(file: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(mask(&text).into_owned())
}

/// The session in a transcript, up to a line or to its end.
pub fn read(record: &Record, lines: Option<u32>) -> anyhow::Result<Session> {
    let path = path_of(record);
    let session =
        record.fold(&claude_code::AGENT, lines).with_context(|| format!("cannot read {}", path.display()))?;
    anyhow::ensure!(session.entries > 0, "{} holds no conversation before that point", path.display());
    Ok(session)
}

/// A session that is meant.
pub struct Present {
    /// Its id.
    pub id: String,
    /// Its transcript.
    pub transcript: PathBuf,
    /// Where it worked, where that is recorded.
    pub cwd: Option<PathBuf>,
}

impl From<Listed> for Present {
    fn from(listed: Listed) -> Present {
        Present { id: listed.id, transcript: listed.transcript, cwd: listed.cwd }
    }
}

impl Present {
    /// Its transcript, or once the client has deleted that its backup; `None` when there is neither.
    pub fn find(&self, env: &Env) -> anyhow::Result<Option<Record>> {
        let thread = Thread { session: self.id.clone(), subagent: String::new() };
        Ok(Record::find(&self.transcript, &thread, env.data_dir.as_deref())?)
    }

    /// The same where one is needed; the person is told which.
    pub fn record(&self, env: &Env, ui: &Ui) -> anyhow::Result<Record> {
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

/// A backup is not the transcript itself, and whoever reads it is told so.
pub fn say_where_from(record: &Record, env: &Env, ui: &Ui) {
    if let Some(remark) = where_from(record, env) {
        ui.say(ui.paragraph(&remark));
    }
}

/// What is to be known of where the lines are from.
pub fn where_from(record: &Record, env: &Env) -> Option<String> {
    let Record::Backup(_, kept) = record else { return None };
    Some(format!(
        "The transcript {} is gone. This is from its backup: {} lines, secrets masked.",
        env.show(&kept.path),
        kept.lines()
    ))
}

/// The session that is meant where none is named: the one in whose shell this runs, else the latest of this folder.
pub fn present(start: Option<&str>, env: &Env) -> anyhow::Result<Present> {
    let own = env.session.as_deref().filter(|_| start.is_none());
    let found = recorded(start.or(own), env).map(Present::from);
    // In the first moments of a session no hook has recorded it yet, but the client writes it down already.
    found.or_else(|error| own.and_then(|id| unrecorded(id, env)).ok_or(error))
}

fn unrecorded(id: &str, env: &Env) -> Option<Present> {
    let projects = std::fs::read_dir(env.claude_dir.as_ref()?.join("projects")).ok()?;
    let file = format!("{id}.jsonl");
    let transcript =
        projects.flatten().map(|project| project.path().join(&file)).find(|path| path.is_file())?;
    Some(Present { id: id.to_owned(), transcript, cwd: None })
}

/// Where a command was started, and which sessions belong there: those of the same work tree, so that two of one
/// repository are two places even where one lies within the other; outside of work trees those of the folder.
pub struct Here<'a> {
    env: &'a Env,
    project: Project,
}

impl<'a> Here<'a> {
    /// This place.
    pub fn new(env: &'a Env) -> Self {
        Here { env, project: host::project(env, &env.cwd) }
    }

    /// A session of this place, by what was noted as its project, or else by its folder: begun here, or outside of work
    /// trees, above it.
    pub fn has(&self, project: Option<&Path>, cwd: Option<&Path>) -> bool {
        self.root_of(project, cwd).is_some_and(|root| {
            root == self.project.root || (!self.project.is_work_tree && self.project.root.starts_with(root))
        })
    }

    /// The same, and outside of work trees those below it.
    pub fn has_or_holds(&self, project: Option<&Path>, cwd: Option<&Path>) -> bool {
        let is_below = |root: PathBuf| !self.project.is_work_tree && root.starts_with(&self.project.root);
        self.has(project, cwd) || self.root_of(project, cwd).is_some_and(is_below)
    }

    fn root_of(&self, project: Option<&Path>, cwd: Option<&Path>) -> Option<PathBuf> {
        project.map(Path::to_owned).or_else(|| cwd.map(|cwd| host::project(self.env, cwd).root))
    }
}

/// The session that is meant, recorded by hooks or in the history.
pub fn recorded(start: Option<&str>, env: &Env) -> anyhow::Result<Listed> {
    let sessions = Known::open(env)?.sessions(env)?;
    let here = Here::new(env);
    let is_here = |session: &Listed| here.has(session.project.as_deref(), session.cwd.as_deref());
    let mut fitting: Vec<Listed> = match start {
        Some(start) => sessions.into_iter().filter(|s| s.id.starts_with(start)).collect(),
        None => sessions.into_iter().find(is_here).into_iter().collect(),
    };
    match (fitting.len(), start) {
        (1, _) => Ok(fitting.remove(0)),
        (0, Some(start)) => bail!("no recorded session begins with {start}; `catchword sessions` lists them"),
        (0, None) => {
            bail!(
                "no session of this folder is recorded yet: name one (`catchword sessions` lists them) or, where it is taken, a file with --transcript"
            )
        }
        (n, _) => bail!("{n} sessions begin with {}; give more of the id", start.unwrap_or_default()),
    }
}

/// What was recorded, as far as there is something.
pub struct Known {
    /// By hooks.
    pub store: Option<Store>,
    /// By hooks and `index`.
    pub history: Option<History>,
}

impl Known {
    /// Opens both.
    pub fn open(env: &Env) -> anyhow::Result<Known> {
        let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
        let store = Store::open_existing(folder, PATIENCE)?;
        let history = History::open_existing(folder, PATIENCE).map_err(|error| {
            let todo = "`catchword index` sets history.db aside and makes it anew";
            if error.is_damage() { anyhow::anyhow!("{error}; {todo}") } else { error.into() }
        })?;
        Ok(Known { store, history })
    }

    /// Opens both and takes in what came since the last turn ended, as far as that is done in no time. Somebody else
    /// may be at it, or the disk full: what is there already can be searched all the same.
    pub fn open_fresh(env: &Env) -> anyhow::Result<Known> {
        let mut known = Known::open(env)?;
        let mut sessions = known.store.as_ref().map(Store::sessions).transpose()?.unwrap_or_default();
        let left_out = LeftOut::load(env);
        sessions.retain(|session| !left_out.holds(&session.id, session.cwd.as_deref()));
        if let (None, false, Some(folder)) = (&known.history, sessions.is_empty(), &env.data_dir) {
            known.history = History::open(folder, env.now(), PATIENCE).ok();
        }
        if let Some(history) = &mut known.history {
            let deadline = Instant::now() + FRESH_WITHIN;
            let _ = index::refresh(history, &claude_code::AGENT, &sessions, &|| Instant::now() < deadline);
            if let Some(store) = &known.store {
                let _ = index::notes(history, store);
            }
        }
        Ok(known)
    }

    /// All sessions, latest first.
    pub fn sessions(&self, env: &Env) -> anyhow::Result<Vec<Listed>> {
        Ok(sessions::list(self.store.as_ref(), self.history.as_ref(), env.now(), &host::is_alive)?)
    }
}
