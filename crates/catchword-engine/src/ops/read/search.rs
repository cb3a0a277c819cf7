//! Searches what was said and done, what was done about a file, and what fixed an error.

use std::path::PathBuf;

use serde::Serialize;

use super::reader::{ReadError, Reader};
use super::shared::{SharedState, add_shared, machine_name};
use crate::archive::history::History;
use crate::archive::history::item::ItemKind;
use crate::archive::history::query::Query;
use crate::model::entry::Place;
use crate::model::note::Author;
pub use crate::ops::search::PassageText;
pub use crate::ops::search::files::{FileDocument, FileWorkDocument, PassageDocument};
use crate::ops::search::fixes::{Fix, FixStep, StepVerb};
use crate::ops::search::{self, Advice, Hit, MatchTier, Options};

/// A question, and which part of the answer.
pub struct SearchRequest<'a> {
    pub query: &'a Query,
    /// As it was typed, for messages.
    pub typed: &'a str,
    /// Most hits.
    pub limit: usize,
    /// Hits to skip, for the next page.
    pub skip: usize,
    /// Longest passage, in characters.
    pub passage: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchDocument {
    /// By session, best first.
    pub hits: Vec<HitDocument>,
    /// The total number of hits.
    pub fitting: usize,
    /// Only the newest were ranked, so there are more.
    pub more: bool,
    /// What else could be tried; only if nothing was found.
    pub advice: Option<Advice>,
    /// Words that the history does not have, and the nearest that it has.
    pub misspelt: Vec<MisspeltWord>,
    /// What was probably meant; null if nothing was misspelt.
    pub meant: Option<String>,
    /// Whether the shared archive was asked about other projects; null if there is none.
    pub shared: Option<SharedState>,
}

impl SearchDocument {
    /// The total, as text.
    pub fn count(&self) -> String {
        format!("{}{}", if self.more { "more than " } else { "" }, self.fitting)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MisspeltWord {
    pub word: String,
    pub nearest: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HitDocument {
    /// Its number among all hits, from 1: the argument of `--open`.
    pub number: usize,
    /// `all` or `partial`.
    pub tier: MatchTier,
    /// It has every word that tells something, in any form.
    pub has_all: bool,
    /// The argument of `recall`.
    pub address: String,
    pub session: String,
    pub subagent: Option<String>,
    pub project: Option<String>,
    pub transcript: PathBuf,
    /// The machine that recorded it, if it was another one: its name, or the start of its id.
    pub machine: Option<String>,
    /// Whose it is, if it came from the shared archive.
    pub person: Option<String>,
    /// The first request of its transcript.
    pub about: Option<String>,
    /// `L812`, or `note:3`.
    pub place: String,
    pub until: Option<String>,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// What it is, in a word.
    pub kind: &'static str,
    /// The same for the code that words it.
    #[serde(skip)]
    pub item: ItemKind,
    pub failed: bool,
    /// For a note: `user` or `agent`.
    pub author: Option<&'static str>,
    #[serde(skip)]
    pub by: Option<Author>,
    /// A command or a path; empty for words.
    pub title: String,
    #[serde(flatten)]
    pub passage: PassageText,
    /// The request that it answers.
    pub asked: Option<HitLine>,
    /// What came next.
    pub next: Option<HitLine>,
    /// Other sessions with the same text.
    pub copies: Vec<String>,
    pub score: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HitLine {
    pub place: String,
    pub text: String,
}

impl HitLine {
    fn of((place, text): &(Place, String)) -> HitLine {
        HitLine { place: place.to_string(), text: text.clone() }
    }
}

/// Searches everything that may be seen.
pub fn search(reader: &Reader, request: &SearchRequest) -> Result<SearchDocument, ReadError> {
    let history = asked(reader, request)?;
    let shows = |source: &_| reader.viewer.sees_source(source);
    // Both lists are merged before a page is cut out of them.
    let asked = options(reader, request);
    let from_start = Options { skip: 0, limit: asked.skip + asked.limit, ..asked.clone() };
    let mut found = search::search_in(history, request.query, &from_start, &shows)?;
    let shared = add_shared(reader, request.query, &from_start, &mut found)?;
    let meant = found.meant(request.typed);
    let page = found.hits.iter().skip(asked.skip).take(asked.limit);
    let misspelt = found.misspelt.into_iter().map(|(word, nearest)| MisspeltWord { word, nearest });
    Ok(SearchDocument {
        hits: page.map(|one| hit(reader, one)).collect(),
        fitting: found.fitting,
        more: found.more,
        advice: found.advice,
        misspelt: misspelt.collect(),
        meant,
        shared,
    })
}

/// The history, if the question can be asked.
fn asked<'a>(reader: &'a Reader, request: &SearchRequest) -> Result<&'a History, ReadError> {
    let history = reader.history.as_ref().ok_or(ReadError::NoHistory)?;
    match request.query.problems.as_slice() {
        [] if request.query.is_empty() => Err(ReadError::EmptyQuery(request.typed.to_owned())),
        [] => Ok(history),
        problems => Err(ReadError::BadQuery(problems.join("; "))),
    }
}

fn options(reader: &Reader, request: &SearchRequest) -> Options {
    Options {
        limit: request.limit,
        skip: request.skip,
        now: reader.now,
        here: reader.machine.folder.to_str().map(str::to_owned),
        asking: reader.own.clone(),
        snippet: request.passage,
        ..Options::default()
    }
}

fn hit(reader: &Reader, hit: &Hit) -> HitDocument {
    HitDocument {
        number: hit.number,
        tier: hit.tier,
        has_all: hit.has_all,
        address: hit.address(),
        session: hit.session.clone(),
        subagent: hit.subagent.clone(),
        project: hit.project.clone(),
        transcript: hit.transcript.clone(),
        machine: hit.machine.as_deref().map(|id| machine_name(id, &reader.machine.machines)),
        person: hit.person.clone(),
        about: hit.about.clone(),
        place: hit.handle(),
        until: hit.until.map(|place| place.to_string()),
        at: hit.at,
        kind: hit.kind.noun(),
        item: hit.kind,
        failed: hit.failed,
        author: hit.author.filter(|_| hit.kind == ItemKind::Note).map(Author::name),
        by: hit.author,
        title: hit.title.clone(),
        passage: PassageText::of(&hit.snippet),
        asked: hit.asked.as_ref().map(HitLine::of),
        next: hit.next.as_ref().map(HitLine::of),
        copies: hit.copies.clone(),
        score: hit.score,
    }
}

// ---- about a file

/// What was done and decided about a file.
pub fn about_file(reader: &Reader, request: &SearchRequest) -> Result<FileDocument, ReadError> {
    let history = asked(reader, request)?;
    let path: Vec<&str> = request.query.terms.iter().map(|term| term.text.as_str()).collect();
    if path.is_empty() {
        return Err(ReadError::NoTerm("name the file: `catchword search --file src/main.rs`"));
    }
    let shows = |source: &_| reader.viewer.sees_source(source);
    let options = options(reader, request);
    Ok(search::files::about_file(history, &path.join(" "), &request.query.filter, &options, &shows)?)
}

// ---- what fixed an error

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FixesDocument {
    /// Those that passed later first.
    pub fixes: Vec<FixDocument>,
    pub fitting: usize,
}

/// A failed call, and what happened until the same call passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FixDocument {
    /// `all` or `partial`.
    pub tier: MatchTier,
    pub session: String,
    pub subagent: Option<String>,
    pub project: Option<String>,
    /// The first request of its transcript.
    pub about: Option<String>,
    /// The argument with which `recall` shows everything from the failure on.
    pub range: String,
    pub failed: FixStepDocument,
    #[serde(flatten)]
    pub error: PassageText,
    /// How often it failed until it passed.
    pub times: usize,
    pub steps: Vec<FixStepDocument>,
    /// Earlier steps that are left out.
    pub left_out: usize,
    /// Null if no later run is known to have passed.
    pub passed: Option<FixStepDocument>,
    /// What the agent said right after it.
    pub explained: Option<FixStepDocument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FixStepDocument {
    /// The argument of `recall`.
    pub address: String,
    pub place: String,
    pub at: Option<i64>,
    pub verb: StepVerb,
    pub text: String,
    /// How often in a row.
    pub times: usize,
}

/// What was done between a failed run and the next one that passed.
pub fn fixes(reader: &Reader, request: &SearchRequest) -> Result<FixesDocument, ReadError> {
    let history = asked(reader, request)?;
    if request.query.terms.is_empty() {
        return Err(ReadError::NoTerm("name the error: `catchword search --fix E0308`"));
    }
    let shows = |source: &_| reader.viewer.sees_source(source);
    let found = search::fixes::fixes(history, request.query, &options(reader, request), &shows)?;
    Ok(FixesDocument { fixes: found.fixes.iter().map(fix).collect(), fitting: found.fitting })
}

fn fix(fix: &Fix) -> FixDocument {
    let step = |step: &FixStep| FixStepDocument {
        address: fix.address(step),
        place: step.place.to_string(),
        at: step.at,
        verb: step.verb,
        text: step.text.clone(),
        times: step.times,
    };
    FixDocument {
        tier: fix.tier,
        session: fix.session.clone(),
        subagent: fix.subagent.clone(),
        project: fix.project.clone(),
        about: fix.about.clone(),
        range: fix.range(),
        failed: step(&fix.failed),
        error: PassageText::of(&fix.error),
        times: fix.times,
        steps: fix.steps.iter().map(step).collect(),
        left_out: fix.left_out,
        passed: fix.passed.as_ref().map(step),
        explained: fix.explained.as_ref().map(step),
    }
}
