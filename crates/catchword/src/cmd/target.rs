//! Which session, at which moment: the arguments `brief` and `lost` share; and how long a brief may be.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use catchword_engine::brief::{Brief, clamped};
use catchword_engine::clients::Room;
use catchword_engine::facts::cold_tasks::TaskSummary;
use catchword_engine::facts::{KnownText, WorkspaceState};
use catchword_engine::model::event::short_id;
use catchword_engine::model::note::Note;
use catchword_engine::ops;
use catchword_engine::ops::history::CompactionPoint;
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::session::Session;
use catchword_engine::store::Store;
use catchword_engine::text::numbers::count_of;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::files::{self, GIVEN_TEXT};
use crate::app::sessions::{ChosenSession, LOCK_WAIT, present, read, workspace_state};
use crate::ui::Ui;

/// A session, a moment in it, and what it is compared with.
#[derive(Clone, clap::Args)]
pub struct Target {
    /// A recorded session, by the start of its id [default: the latest of this folder]
    #[arg(value_name = "SESSION", conflicts_with = "transcript")]
    session: Option<String>,
    /// Any transcript file instead of a recorded session
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// At the session's Nth compaction, compared with its summary, or at a saved point (`P3`; `catchword status --points`
    /// lists them)
    #[arg(long, value_name = "N|POINT", conflicts_with = "line")]
    at: Option<NumberedMoment>,
    /// As it was after this line of the transcript (12 or L12)
    #[arg(long, value_name = "LINE", value_parser = line)]
    line: Option<u32>,
    /// Compare with the summary in this file
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

/// A moment of a session that has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberedMoment {
    /// A compaction.
    Compaction(usize),
    /// A saved point.
    Point(usize),
}

impl std::str::FromStr for NumberedMoment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse().ok().filter(|n| *n > 0);
        let point = text.strip_prefix(['P', 'p']).and_then(number).map(NumberedMoment::Point);
        point.or_else(|| number(text).map(NumberedMoment::Compaction)).ok_or_else(|| {
            "use the number of a compaction (2) or a saved point (P3); `catchword status --points` lists them".to_owned()
        })
    }
}

/// A line as it is written everywhere, or its bare number.
fn line(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix(['L', 'l']).unwrap_or(text).parse();
    number.map_err(|_| "takes the number of a line (12 or L12)".to_owned())
}

/// How long a brief may be.
#[derive(clap::Args)]
pub struct Size {
    /// Most characters of the brief, 400 to 9,500
    #[arg(long, value_name = "CHARACTERS", value_parser = budget)]
    budget: Option<usize>,
}

/// A budget that a brief can keep.
pub fn budget(text: &str) -> Result<usize, String> {
    let refused = || format!("takes {} to {}", clamped(0), clamped(usize::MAX));
    text.parse().ok().filter(|wanted| clamped(*wanted) == *wanted).ok_or_else(refused)
}

impl Size {
    /// In characters, from the argument or the settings.
    pub fn budget(&self, env: &Env) -> usize {
        self.budget.unwrap_or_else(|| Config::load(env).budget)
    }
}

/// What the arguments refer to.
pub struct Position {
    /// The session up to that moment.
    pub session: Session,
    /// What the model has there: the summary and what the client kept; nothing if it is not at a compaction.
    pub known: KnownText,
    /// The workspace, if the moment is now.
    pub workspace: WorkspaceState,
    /// What the client passes on.
    pub room: Room,
}

/// A session as it is now, for commands that need no moment.
pub struct Which {
    /// The start of its id; the latest of this folder if there is none.
    pub session: Option<String>,
    /// A transcript file instead.
    pub transcript: Option<PathBuf>,
}

/// A session with what the store has about it.
pub struct FoundSession {
    /// Its id; for a file, its name.
    pub id: String,
    pub session: Session,
    pub notes: Vec<Note>,
    /// Its cold tasks, with the time at which they were summarised.
    pub cold: Vec<(TaskSummary, i64)>,
}

impl Which {
    /// Finds the session and reads it.
    pub fn resolve(&self, env: &Env, ui: &Ui) -> anyhow::Result<FoundSession> {
        let (id, record) = if let Some(path) = &self.transcript {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            (name.unwrap_or_default(), TranscriptLines::of_file(path))
        } else {
            let present = present(self.session.as_deref(), env)?;
            let record = present.record(env, ui)?;
            (present.id, record)
        };
        let session = read(&record, None, env)?;
        let store = env.data_dir.as_deref().filter(|_| self.transcript.is_none());
        let store = store.map(|folder| Store::open_existing(folder, LOCK_WAIT)).transpose()?.flatten();
        let (notes, cold) = match &store {
            Some(store) => (store.notes(&id)?, store.cold_tasks(&id)?),
            None => Default::default(),
        };
        Ok(FoundSession { id, session, notes, cold })
    }
}

/// A session and the summary that replaced it.
pub struct CompactedSession {
    /// Its id, if it is recorded.
    pub id: Option<String>,
    /// The name of its transcript.
    pub name: String,
    /// The session up to the compaction.
    pub session: Session,
    pub summary: String,
    /// Every compaction of the transcript.
    pub cuts: Vec<CompactionPoint>,
    /// Which of them it is, counted from 1; `None` if it is none of them.
    pub number: Option<usize>,
}

impl Position {
    /// The brief at this moment.
    pub fn brief(&self, budget: usize) -> Brief {
        ops::brief::brief_beside(&self.known, &self.session, &self.workspace, budget, self.room)
    }
}

impl Target {
    /// Finds the session and reads it up to the moment.
    pub fn resolve(&self, env: &Env, ui: &Ui) -> anyhow::Result<Position> {
        let (record, id) = self.record(env, ui)?;
        let cut = self.cut(&record, id.as_deref(), env)?;
        let point = self.point(id.as_deref(), env)?;
        let lines = self.line.or(point).or(cut.as_ref().map(|cut| cut.read));
        let mut session = read(&record, lines, env)?;
        if cut.as_ref().is_some_and(|cut| cut.manual) {
            session.compacts_on_order();
        }
        let is_compacted = cut.is_some() || self.summary.is_some();
        let summary = match &self.summary {
            Some(file) => Some(read_summary(file, env)?),
            None => cut.map(|cut| cut.summary),
        };
        let summary = summary.filter(|text| !text.is_empty());
        let known = is_compacted.then(|| KnownText::audited(&session, summary.as_deref()));
        let now = id.filter(|_| lines.is_none());
        let workspace = now
            .map(|id| workspace_state(record.client, &id, &session, &Config::load(env), env))
            .transpose()?
            .unwrap_or_default();
        Ok(Position { session, known: known.unwrap_or_default(), workspace, room: record.client.room })
    }

    /// With a moment: `number`, or a number in place of a session. Session ids are longer than three digits.
    #[must_use]
    pub fn at_number(&self, number: Option<usize>) -> Target {
        let is_number = |text: &&String| text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        let typed = self.session.as_ref().filter(is_number).and_then(|text| text.parse().ok());
        match (number, typed) {
            (None, Some(typed)) if self.at.is_none() && self.line.is_none() => {
                Target { session: None, at: Some(NumberedMoment::Compaction(typed)), ..self.clone() }
            }
            _ => Target { at: number.map(NumberedMoment::Compaction).or(self.at), ..self.clone() },
        }
    }

    /// Whether it names a moment, or a summary to compare with.
    pub fn has_moment(&self) -> bool {
        self.at.is_some() || self.line.is_some() || self.summary.is_some()
    }

    /// Whether it names a file.
    pub fn is_file(&self) -> bool {
        self.transcript.is_some()
    }

    /// Whether it names a session or a file.
    pub fn is_named(&self) -> bool {
        self.session.is_some() || self.transcript.is_some()
    }

    /// The recorded session that is meant; `None` for a file.
    pub fn chosen(&self, env: &Env) -> anyhow::Result<Option<ChosenSession>> {
        let recorded = self.transcript.is_none().then(|| present(self.session.as_deref(), env));
        recorded.transpose()
    }

    /// The same as [`Target::resolve`] for what needs a summary: without a moment the latest compaction is meant, and a
    /// line without a summary means the compaction at that line.
    pub fn resolve_compaction(&self, env: &Env, ui: &Ui) -> anyhow::Result<CompactedSession> {
        let (record, id) = self.record(env, ui)?;
        let given = self.summary.as_deref().map(|file| read_summary(file, env)).transpose()?;
        let cuts = cuts(&record, env)?;
        let number = match (self.at, self.line) {
            (Some(NumberedMoment::Point(_)), _) => {
                bail!("a saved point has no summary: use the number of a compaction")
            }
            (Some(NumberedMoment::Compaction(number)), _) => {
                Some(Self::checked_number(number, cuts.len(), &record, id.as_deref())?)
            }
            (None, Some(line)) => cuts.iter().position(|cut| cut.lines == line).map(|at| at + 1),
            (None, None) => Some(cuts.len()).filter(|all| *all > 0),
        };
        let cut = number.and_then(|number| cuts.get(number - 1));
        let lines = self.line.or(cut.map(|cut| cut.read));
        let summary = given.or(cut.map(|cut| cut.summary.clone())).filter(|text| !text.trim().is_empty());
        let path = record.lines.path();
        let Some(summary) = summary else {
            bail!(
                "{} has no compaction with a summary there: give another moment (--at, --line) or the text (--summary)",
                path.display()
            );
        };
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(CompactedSession { id, name, session: read(&record, lines, env)?, summary, number, cuts })
    }

    /// The transcript, and whose it is where that is recorded.
    pub fn record(&self, env: &Env, ui: &Ui) -> anyhow::Result<(TranscriptLines, Option<String>)> {
        if let Some(path) = &self.transcript {
            return Ok((TranscriptLines::of_file(path), None));
        }
        let present = present(self.session.as_deref(), env)?;
        Ok((present.record(env, ui)?, Some(present.id)))
    }

    fn cut(
        &self,
        record: &TranscriptLines,
        id: Option<&str>,
        env: &Env,
    ) -> anyhow::Result<Option<CompactionPoint>> {
        let Some(NumberedMoment::Compaction(number)) = self.at else { return Ok(None) };
        let mut cuts = cuts(record, env)?;
        let number = Self::checked_number(number, cuts.len(), record, id)?;
        Ok(Some(cuts.swap_remove(number - 1)))
    }

    /// The number if there are as many compactions.
    fn checked_number(
        number: usize,
        all: usize,
        record: &TranscriptLines,
        id: Option<&str>,
    ) -> anyhow::Result<usize> {
        let whose = match id {
            Some(id) => format!("session {}", short_id(id)),
            None => record.lines.path().display().to_string(),
        };
        match all {
            0 => bail!("{whose} was not compacted: leave out the number"),
            all if (1..=all).contains(&number) => Ok(number),
            1 => bail!("{whose} has 1 compaction, not {number}: use 1"),
            2 => bail!("{whose} has 2 compactions, not {number}: use 1 or 2"),
            all => bail!("{whose} has {all} compactions, not {number}: use 1 to {all}"),
        }
    }
}

impl Target {
    /// Lines of the transcript at the saved point that is meant.
    fn point(&self, id: Option<&str>, env: &Env) -> anyhow::Result<Option<u32>> {
        let Some(NumberedMoment::Point(number)) = self.at else { return Ok(None) };
        let Some(id) = id else { bail!("only a recorded session has saved points; leave out --transcript") };
        let folder = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
        let store = Store::open_existing(folder, LOCK_WAIT)?;
        let points = store.map(|store| store.checkpoints(id)).transpose()?.unwrap_or_default();
        match points.get(number - 1) {
            Some(point) => Ok(Some(point.line)),
            None if points.is_empty() => bail!("no point of this session was saved yet"),
            None => {
                bail!("this session has {}, P1 to P{}", count_of(points.len(), "saved point"), points.len())
            }
        }
    }
}

fn cuts(record: &TranscriptLines, env: &Env) -> anyhow::Result<Vec<CompactionPoint>> {
    record.cuts(&env.mask).with_context(|| format!("cannot read {}", record.lines.path().display()))
}

/// Masked like the record, so that a secret in both becomes the same text.
fn read_summary(file: &Path, env: &Env) -> anyhow::Result<String> {
    let text =
        files::read_within(file, GIVEN_TEXT).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(env.mask.text(&text).into_owned())
}
