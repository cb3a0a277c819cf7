//! Sessions: how each stands, how full its context is, and its timeline.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::compaction::{self, CompactionDepth, CompactionDocument};
use super::reader::{ChosenSession, ReadError, Reader, Which, unreadable};
use super::shared::machine_name;
use crate::archive::history::TranscriptSource;
use crate::choose::KnownText;
use crate::choose::head::work;
use crate::clients::{self, strangers};
use crate::context::{Gauge, Tally, Threshold};
use crate::model::tokens::TokenCount;
use crate::ops::checkpoint::{self, GaugeSettings};
use crate::ops::history::{self, ConversationSurvey, FillPoint, TokenTotals};
use crate::ops::record::TranscriptLines;
use crate::ops::rows::RowReader;
use crate::ops::sessions::{ListedSession, Presence, SessionState, is_unfinished, state};
use crate::session::{Prompt, Session};
use crate::store::{Checkpoint, Gauged, Store};
use crate::text::cut::one_line;
use crate::text::numbers::rounded;
use crate::transcript::Take;

/// Characters of a prompt in the table of contents.
const CONTENTS: usize = 200;

/// Which sessions are listed.
pub struct SessionsRequest {
    pub scope: SessionScope,
    /// Those that did something since then, in milliseconds since 1970.
    pub since: Option<i64>,
    /// How many are looked into: the latest. Each costs a look into its transcript.
    pub detailed: usize,
    /// How many are listed at most, those included.
    pub most: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionScope {
    /// Those of this project.
    Here,
    Everywhere,
    /// Those whose folder has this in its path.
    Folder(String),
}

/// How much of a session is wanted. Each reads more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionDepth {
    /// As in a list: nothing is read.
    Listed,
    /// How it stands, without its compactions.
    Standing,
    /// With its timeline. No summary is compared: the compactions have no numbers and no findings.
    Timeline,
    /// With all.
    Whole,
}

/// Sessions, latest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionsDocument {
    pub sessions: Vec<SessionDocument>,
    /// Further ones that fit.
    pub hidden: usize,
    /// Those that do not.
    pub others: usize,
    /// Programs that called and are not supported, each with its calls.
    pub strangers: Vec<(&'static str, u64)>,
}

/// A session. Times are in milliseconds since 1970; null means not known. What is in `detail` is null for sessions that
/// were only listed, `timeline` unless one session was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionDocument {
    pub id: String,
    /// The name of its client.
    pub client: String,
    /// The agent's working directory.
    pub cwd: Option<PathBuf>,
    /// The root of its work tree, or its first folder, if hooks were told.
    pub project: Option<PathBuf>,
    pub transcript: PathBuf,
    pub transcript_exists: bool,
    /// The first request.
    pub title: Option<String>,
    /// `working`, `silent`, `waiting`, `interrupted`, `stopped` or `ended`.
    pub state: SessionState,
    /// Its client no longer runs and never reported an end.
    pub client_exited: bool,
    /// Its last turn has not ended, or tasks are open.
    pub unfinished: bool,
    pub first_at: Option<i64>,
    /// Its last sign of life.
    pub active_at: i64,
    /// Recorded lines of the transcript.
    pub lines: u64,
    /// Entries that hooks recorded.
    pub entries: u64,
    pub prompts: u64,
    pub calls: u64,
    pub compactions: u64,
    /// Subagents whose transcripts are in the history.
    pub subagents: u64,
    /// The machine that recorded it, and whose it is; null for this one.
    pub machine: Option<String>,
    pub person: Option<String>,
    #[serde(flatten)]
    pub detail: SessionDetail,
    pub timeline: Option<TimelineDocument>,
}

/// What a look into the transcript adds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionDetail {
    /// The git branch that its latest rows name.
    pub branch: Option<String>,
    pub context: Option<ContextDocument>,
    /// The first request and the latest.
    pub asked: Option<Vec<String>>,
    /// Unfinished work.
    pub open: Option<Vec<String>>,
    /// Commands that fail.
    pub failing: Option<Vec<String>>,
    pub last_checkpoint: Option<CheckpointDocument>,
    /// The path of its handoff.
    pub handoff: Option<String>,
    /// As in a list of compactions.
    pub last_compaction: Option<CompactionDocument>,
}

/// How full the context is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContextDocument {
    pub model: Option<String>,
    /// Tokens in the context.
    pub used: Option<TokensDocument>,
    /// Size of the model's context window.
    pub window: Option<TokensDocument>,
    /// Tokens at which the client compacts.
    pub threshold: Option<TokensDocument>,
    pub left: Option<TokensLeft>,
    /// It was compacted, and no answer since says how much is used.
    pub compacted: bool,
    /// A larger window than that of the model may be in use.
    pub may_be_larger: bool,
}

/// A number of tokens, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokensDocument {
    pub tokens: u64,
    /// For programs.
    pub source: &'static str,
    /// For people.
    pub from: String,
    pub line: Option<u32>,
}

/// What is left until the compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TokensLeft {
    pub tokens: u64,
    /// Of the threshold.
    pub percent: u64,
}

/// A point at which the state was saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckpointDocument {
    /// What `brief --at` takes: `P3`.
    pub name: String,
    pub at: i64,
    /// The setting that it comes from (`left 15%`).
    pub threshold: String,
    /// The same in words.
    pub reason: String,
    pub used: Option<u64>,
    pub left: Option<u64>,
    /// Lines of the transcript then.
    pub line: u32,
    /// Compactions before it.
    pub compaction: u32,
}

/// A session over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineDocument {
    /// Tokens of all answers: `input` with what was cached.
    pub tokens: TokenTotals,
    /// How full the context was, wherever that changed.
    pub fill: Vec<FillPoint>,
    /// The cuts, oldest first, as in a list of compactions.
    pub compactions: Vec<CompactionDocument>,
    /// What the person asked, as a table of contents.
    pub prompts: Vec<PromptDocument>,
    /// Its subagents, oldest first.
    pub subagents: Vec<SubagentDocument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptDocument {
    pub place: String,
    pub at: Option<i64>,
    /// Its beginning, in one line.
    pub line: String,
    pub characters: usize,
}

/// A subagent of a session, with a transcript of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SubagentDocument {
    pub id: String,
    /// Its order.
    pub title: Option<String>,
    pub first_at: Option<i64>,
    pub last_at: Option<i64>,
    pub lines: u32,
}

/// Sessions, latest first.
pub fn sessions(reader: &Reader, request: &SessionsRequest) -> Result<SessionsDocument, ReadError> {
    let (fitting, others) = fitting(reader, request)?;
    let hidden = fitting.len().saturating_sub(request.most);
    let mut sessions = Vec::new();
    for (at, listed) in fitting.into_iter().take(request.most).enumerate() {
        let chosen = ChosenSession::of(&listed);
        sessions.push(if at < request.detailed {
            let latest = latest_compaction(reader, &chosen);
            detailed(reader, &chosen, listed, None, latest)?
        } else {
            in_short(reader, listed)
        });
    }
    let callers = reader.store.as_ref().map_or_else(|| Ok(Vec::new()), Store::strangers)?;
    let strangers = callers.into_iter().filter(|(caller, ..)| strangers::client_of(caller).is_none());
    let strangers = strangers.map(|(caller, calls, _)| (caller, calls)).collect();
    Ok(SessionsDocument { sessions, hidden, others, strangers })
}

/// The sessions that are meant, and how many are not.
pub(super) fn fitting(
    reader: &Reader,
    request: &SessionsRequest,
) -> Result<(Vec<ListedSession>, usize), ReadError> {
    let (fitting, others): (Vec<_>, Vec<_>) = reader.sessions()?.into_iter().partition(|session| {
        let is_meant = match &request.scope {
            SessionScope::Everywhere => true,
            SessionScope::Here => reader.is_here_or_below(session),
            SessionScope::Folder(part) => is_below(session, part),
        };
        is_meant && request.since.is_none_or(|since| session.last_at >= since)
    });
    Ok((fitting, others.len()))
}

fn is_below(session: &ListedSession, part: &str) -> bool {
    let part = part.trim_end_matches('/').to_lowercase();
    session.cwd.as_ref().is_some_and(|cwd| cwd.to_string_lossy().to_lowercase().contains(&part))
}

/// One session, with its timeline.
pub fn session(reader: &Reader, which: Which) -> Result<SessionDocument, ReadError> {
    session_to(reader, which, SessionDepth::Whole)
}

/// One session, as far as it is wanted.
pub fn session_to(reader: &Reader, which: Which, depth: SessionDepth) -> Result<SessionDocument, ReadError> {
    let chosen = reader.choose(which)?;
    let listed = if let Which::File(path) = which {
        of_file(reader, path)?
    } else {
        let known = reader.sessions()?.into_iter().find(|session| session.id == chosen.id);
        known.ok_or_else(|| ReadError::NoSuchSession(chosen.id.clone()))?
    };
    match depth {
        SessionDepth::Listed => return Ok(in_short(reader, listed)),
        SessionDepth::Standing => return detailed(reader, &chosen, listed, None, None),
        SessionDepth::Timeline | SessionDepth::Whole => {}
    }
    let survey = survey(reader, &chosen)?;
    let is_whole = depth == SessionDepth::Whole;
    let compactions = match &survey {
        Some(_) if is_whole => {
            let mut newest_first = compaction::of_session(reader, &chosen, CompactionDepth::All)?;
            newest_first.reverse();
            newest_first
        }
        Some(survey) => compaction::uncompared(reader, &chosen, &survey.cuts)?,
        None => Vec::new(),
    };
    let latest = match (&survey, is_whole) {
        (_, false) => None,
        (Some(_), true) => compactions.last().cloned(),
        (None, true) => latest_compaction(reader, &chosen),
    };
    let timeline =
        survey.as_ref().map(|survey| timeline(reader, &chosen, survey, compactions)).transpose()?;
    Ok(SessionDocument { timeline, ..detailed(reader, &chosen, listed, survey, latest)? })
}

/// The latest compaction. A transcript that cannot be read hides nothing else.
fn latest_compaction(reader: &Reader, chosen: &ChosenSession) -> Option<CompactionDocument> {
    compaction::of_session(reader, chosen, CompactionDepth::Latest).ok()?.into_iter().next()
}

/// A session of which only the file is known.
fn of_file(reader: &Reader, path: &Path) -> Result<ListedSession, ReadError> {
    let record = TranscriptLines::of_file(path);
    let session = reader.fold(&record, None)?;
    Ok(ListedSession {
        id: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        client: record.client.name.to_owned(),
        title: session.asked().first().map(|prompt| session.text_of(prompt)),
        transcript: path.to_owned(),
        there: true,
        lines: history::lines(path, reader.mask).unwrap_or(0).into(),
        prompts: session.asked().len() as u64,
        cwd: session.cwd.as_deref().map(PathBuf::from),
        last_at: session.time.unwrap_or_default(),
        unfinished: is_unfinished(&session),
        ..ListedSession::default()
    })
}

fn in_short(reader: &Reader, listed: ListedSession) -> SessionDocument {
    let machine = Some(&listed.machine).filter(|machine| !machine.is_empty());
    SessionDocument {
        machine: machine.map(|id| machine_name(id, &reader.machine.machines)),
        person: listed.person,
        id: listed.id,
        client: listed.client,
        cwd: listed.cwd,
        project: listed.project,
        transcript: listed.transcript,
        transcript_exists: listed.there,
        title: listed.title,
        state: listed.state,
        client_exited: listed.presence == Presence::Gone,
        unfinished: listed.unfinished,
        first_at: listed.first_at,
        active_at: listed.last_at,
        lines: listed.lines,
        entries: listed.entries,
        prompts: listed.prompts,
        calls: listed.calls,
        compactions: listed.compactions,
        subagents: listed.subagents,
        detail: SessionDetail::default(),
        timeline: None,
    }
}

/// A session as the store and the newer rows of its transcript have it, or a survey of it. If the transcript cannot be
/// read, what store and history know.
fn detailed(
    reader: &Reader,
    chosen: &ChosenSession,
    mut listed: ListedSession,
    survey: Option<ConversationSurvey>,
    last_compaction: Option<CompactionDocument>,
) -> Result<SessionDocument, ReadError> {
    let store = reader.store.as_ref().filter(|_| !chosen.is_file);
    let (session, tally) = if let Some(survey) = survey {
        listed.lines = listed.lines.max(survey.lines.into());
        (Some(survey.session), Some(survey.tally))
    } else {
        let rows = RowReader { client: chosen.client, mask: reader.mask };
        let snapshot = store.map(|store| store.snapshot(&listed.id)).transpose()?.flatten();
        let known = snapshot.as_ref().map(|(_, session)| session.clone());
        (history::fold_on(rows, &listed.transcript, snapshot).ok().or(known), None)
    };
    if let Some(session) = &session {
        listed.last_at = listed.last_at.max(session.time.unwrap_or(0));
        let silence = reader.now - listed.last_at;
        let at_rest = session.waiting || session.spoke_last();
        listed.state = state(session.waiting, at_rest, session.interrupted, listed.presence, silence);
        listed.unfinished = is_unfinished(session);
        listed.compactions = session.compactions.len() as u64;
    }
    let checkpoints = store.map(|store| store.checkpoints(&listed.id)).transpose()?.unwrap_or_default();
    let held = store.map(|store| store.held(&listed.id)).transpose()?.flatten();
    let detail = SessionDetail {
        context: Some(context(reader, &listed, tally)?),
        last_checkpoint: points(&checkpoints).pop(),
        handoff: held.and_then(|held| held.handoff),
        last_compaction,
        ..of_record(&session.unwrap_or_default())
    };
    Ok(SessionDocument { detail, ..in_short(reader, listed) })
}

fn of_record(session: &Session) -> SessionDetail {
    let first = session.asked().first();
    let last = session.asked().last().filter(|last| first.is_some_and(|first| first.place != last.place));
    let open = work::facts(session, &KnownText::default());
    SessionDetail {
        branch: session.branch.clone(),
        asked: Some(first.into_iter().chain(last).map(|prompt| session.text_of(prompt)).collect()),
        open: Some(open.into_iter().map(|fact| fact.text).collect()),
        failing: Some(session.failing().map(|failure| failure.line.core().to_owned()).collect()),
        ..SessionDetail::default()
    }
}

/// How full the context of a session is.
fn context(
    reader: &Reader,
    listed: &ListedSession,
    tally: Option<Tally>,
) -> Result<ContextDocument, ReadError> {
    let (gauge, tally) = gauge(reader, listed, tally)?;
    let number = |count: TokenCount| TokensDocument {
        tokens: count.tokens,
        source: count.from.name(),
        from: count.from.to_string(),
        line: count.from.place().map(|place| place.0),
    };
    let left = gauge.left().zip(gauge.percent_left());
    let client = clients::recorded(&listed.client);
    Ok(ContextDocument {
        used: gauge.used.map(number),
        window: gauge.window.map(number),
        threshold: gauge.threshold.map(number),
        left: left.map(|(tokens, percent)| TokensLeft { tokens, percent }),
        compacted: tally.compacted,
        may_be_larger: tally.model.as_deref().is_some_and(|model| (client.has_larger)(model)),
        model: tally.model,
    })
}

/// The gauge, and the tally it is read from: the one given, or that in the store, brought up to date with newer rows of
/// the transcript.
fn gauge(reader: &Reader, listed: &ListedSession, tally: Option<Tally>) -> Result<(Gauge, Tally), ReadError> {
    let store = reader.store.as_ref();
    let client = clients::recorded(&listed.client);
    let stored = store.map(|store| store.gauged(&listed.id)).transpose()?.flatten();
    let before = match (store, &stored) {
        (Some(store), Some(stored)) => {
            store.known(&listed.id)?.map(|known| (known.cursor, stored.tally.clone()))
        }
        _ => None,
    };
    let stored = stored.unwrap_or_default();
    let rows = RowReader { client, mask: reader.mask };
    let read = || history::tally_on(rows, &listed.transcript, before).ok();
    let tally = tally.or_else(read).unwrap_or_else(|| stored.tally.clone());
    let gauged = Gauged { tally, ..stored };
    let limits = (reader.machine.limits)(client, listed.cwd.as_deref());
    let chosen = || (reader.machine.models)(client, listed.cwd.as_deref());
    let settings = GaugeSettings { limits: &limits, chosen: &chosen };
    let gauge = checkpoint::read(store, client, &gauged, None, &settings)?;
    Ok((gauge, gauged.tally))
}

/// The points at which the state of a session was saved, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PointsDocument {
    pub id: String,
    pub points: Vec<CheckpointDocument>,
}

/// The saved points of the sessions that are meant and have some, latest session first; or of one.
pub fn saved_points(
    reader: &Reader,
    one: Option<&str>,
    request: &SessionsRequest,
) -> Result<Vec<PointsDocument>, ReadError> {
    let sessions = match one {
        Some(start) => vec![reader.listed(start)?],
        None => fitting(reader, request)?.0,
    };
    let Some(store) = &reader.store else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for session in sessions.into_iter().take(request.most) {
        let points = points(&store.checkpoints(&session.id)?);
        if !points.is_empty() {
            all.push(PointsDocument { id: session.id, points });
        }
    }
    Ok(all)
}

fn points(checkpoints: &[Checkpoint]) -> Vec<CheckpointDocument> {
    let point = |(at, point): (usize, &Checkpoint)| CheckpointDocument {
        name: format!("P{}", at + 1),
        at: point.at,
        threshold: point.threshold.clone(),
        reason: reason(point),
        used: point.used,
        left: point.left,
        line: point.line,
        compaction: point.compaction,
    };
    checkpoints.iter().enumerate().map(point).collect()
}

/// Why a checkpoint was made, in words.
fn reason(point: &Checkpoint) -> String {
    match Threshold::parse(&point.threshold) {
        Some(Threshold::Left(percent)) => format!("{percent}% left before a compaction"),
        Some(Threshold::Used(tokens)) => format!("{} tokens in the context", rounded(tokens)),
        None => point.threshold.clone(),
    }
}

/// The whole conversation, read once; `None` if there is neither the transcript nor a backup of it.
fn survey(reader: &Reader, chosen: &ChosenSession) -> Result<Option<ConversationSurvey>, ReadError> {
    let Some(record) = reader.find_record(chosen)? else { return Ok(None) };
    let mut lines = |each: &mut Take| record.lines(reader.mask, each);
    let read = history::survey(record.reader(reader.mask), &mut lines);
    read.map(Some).map_err(|error| unreadable(&record, error))
}

fn timeline(
    reader: &Reader,
    chosen: &ChosenSession,
    survey: &ConversationSurvey,
    compactions: Vec<CompactionDocument>,
) -> Result<TimelineDocument, ReadError> {
    let session = &survey.session;
    let prompt = |prompt: &Prompt| PromptDocument {
        place: prompt.place.to_string(),
        at: prompt.time,
        line: one_line(&session.text_of(prompt), CONTENTS),
        characters: prompt.characters as usize,
    };
    Ok(TimelineDocument {
        tokens: survey.tokens,
        fill: survey.fill.clone(),
        compactions,
        prompts: session.asked().iter().map(prompt).collect(),
        subagents: subagents(reader, chosen)?,
    })
}

fn subagents(reader: &Reader, chosen: &ChosenSession) -> Result<Vec<SubagentDocument>, ReadError> {
    let Some(history) = reader.history.as_ref().filter(|_| !chosen.is_file) else { return Ok(Vec::new()) };
    let is_its =
        |source: &TranscriptSource| source.thread.session == chosen.id && !source.thread.subagent.is_empty();
    let sources = history.sources()?.into_iter().filter(is_its);
    let mut all: Vec<SubagentDocument> = sources
        .map(|source| SubagentDocument {
            id: source.thread.subagent,
            title: source.title,
            first_at: source.first_at,
            last_at: source.last_at,
            lines: source.cursor.line,
        })
        .collect();
    all.sort_by_key(|subagent| subagent.first_at);
    Ok(all)
}
