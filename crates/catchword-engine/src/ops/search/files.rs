//! What was done and decided about a file: per transcript the changes, how often it was read and named in commands, the
//! requests that led to the changes, and passages that name it.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Serialize;

use super::fixes::below;
use super::{MatchTier, Options, PassageText, RANKED, address, snippet};
use crate::archive::history::item::{HistoryItem, ItemKind};
use crate::archive::history::query::{Filter, IndexColumn, Query, QueryTerm};
use crate::archive::history::{History, Match, NOTES_FROM, TranscriptSource};
use crate::model::entry::Place;
use crate::ops::recall::is_file;
use crate::reading::statements::{Tells, sentences_that};
use crate::session::paths::whole_path;
use crate::store::StoreError;

/// Requests and other passages shown per transcript.
const MAX_REQUESTS: usize = 3;
const MAX_PASSAGES: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileDocument {
    /// What each transcript has about it, the latest first.
    pub transcripts: Vec<FileWorkDocument>,
    /// How many have something.
    pub fitting: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileWorkDocument {
    pub session: String,
    pub subagent: Option<String>,
    pub project: Option<String>,
    /// The first request of the transcript.
    pub about: Option<String>,
    /// Time of the latest item about it.
    pub at: Option<i64>,
    /// Its paths as seen from the project; more than one if only the name was asked for.
    pub paths: Vec<String>,
    /// Where it was changed or written, in order: arguments of `recall`.
    pub changes: Vec<String>,
    /// Where it was deleted last.
    pub deleted: Option<String>,
    pub reads: usize,
    /// Commands that name it, and how many of those failed.
    pub commands: usize,
    pub failed_commands: usize,
    /// In order.
    pub passages: Vec<PassageDocument>,
}

/// A request that led to a change, or words that name the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassageDocument {
    /// The argument of `recall`.
    pub address: String,
    /// The same within the session.
    pub place: String,
    pub at: Option<i64>,
    pub verb: PassageVerb,
    #[serde(flatten)]
    pub passage: PassageText,
}

/// In the order in which they are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PassageVerb {
    Decided,
    Noted,
    Asked,
    Said,
}

impl PassageVerb {
    /// Its name in output.
    pub fn noun(self) -> &'static str {
        match self {
            PassageVerb::Decided => "decided",
            PassageVerb::Noted => "noted",
            PassageVerb::Asked => "asked",
            PassageVerb::Said => "said",
        }
    }
}

/// What the transcripts that `shows` accepts have about a file, given by its path or the end of it.
pub fn about_file(
    history: &History,
    path: &str,
    filter: &Filter,
    options: &Options,
    shows: &dyn Fn(&TranscriptSource) -> bool,
) -> Result<FileDocument, StoreError> {
    let folder = options.here.as_deref().filter(|_| path.starts_with(".."));
    let path = whole_path(folder, path.trim());
    let path = path.as_str();
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path);
    let of = |text: &str, column, kinds: &[ItemKind]| {
        let term = QueryTerm { text: text.to_owned(), column, prefix: false, quoted: true };
        let filter = Filter { kinds: kinds.to_vec(), ..filter.clone() };
        history.matches(&Query { terms: vec![term], filter, ..Query::default() }, RANKED)
    };
    let mut touched = of(path, Some(IndexColumn::File), &[ItemKind::File])?;
    touched.retain(|found| is_file(&found.item.title, path));
    if touched.is_empty() && name != path {
        // A client may record paths relative to its folder.
        touched = of(name, Some(IndexColumn::File), &[ItemKind::File])?;
        touched.retain(|found| is_file(&found.item.title, path));
    }
    let known: HashSet<i64> = touched.iter().map(|found| found.source).collect();
    // Where the file was touched its name is enough; elsewhere the same name may be another file.
    let is_of_it = |found: &Match| {
        known.contains(&found.source) || found.item.body.contains(path) || found.item.title.contains(path)
    };
    let words = [ItemKind::Prompt, ItemKind::Said, ItemKind::Decision, ItemKind::Note];
    let mut named = of(name, None, &words)?;
    named.retain(is_of_it);
    let mut commands = of(name, Some(IndexColumn::Command), &[ItemKind::Command])?;
    commands.retain(|found| is_of_it(found) && !found.item.is_own_lookup());

    let mut items: HashMap<i64, Vec<HistoryItem>> = HashMap::new();
    for found in touched.into_iter().chain(named).chain(commands) {
        items.entry(found.source).or_default().push(found.item);
    }
    let mut found = Vec::new();
    for source in history.sources()?.into_iter().filter(|source| shows(source)) {
        if let Some(mut items) = items.remove(&source.no) {
            items.sort_by_key(|item| (item.place, item.part));
            found.push(work(history, &source, &items, name, options)?);
        }
    }
    found.sort_by_key(|work| std::cmp::Reverse(work.at));
    let fitting = found.len();
    let transcripts = found.into_iter().skip(options.skip).take(options.limit).collect();
    Ok(FileDocument { transcripts, fitting })
}

fn work(
    history: &History,
    source: &TranscriptSource,
    items: &[HistoryItem],
    name: &str,
    options: &Options,
) -> Result<FileWorkDocument, StoreError> {
    let files = || items.iter().filter(|item| item.kind == ItemKind::File);
    let mut paths: Vec<String> =
        files().map(|item| below(source.project.as_deref(), &item.title).to_owned()).collect();
    paths.sort();
    paths.dedup();
    let was_deleted = |item: &&HistoryItem| !item.failed && item.body == "deleted";
    let was_changed = |item: &&HistoryItem| !item.failed && !item.body.is_empty() && !was_deleted(item);
    let changes: Vec<Place> = files().filter(was_changed).map(|item| item.place).collect();
    let commands = || items.iter().filter(|item| item.kind == ItemKind::Command);
    let address = |place: Place| address_in(source, &place.to_string());
    Ok(FileWorkDocument {
        session: source.thread.session.clone(),
        subagent: subagent(source),
        project: source.project.clone(),
        about: source.title.clone(),
        at: items.iter().filter_map(|item| item.at).max(),
        paths,
        deleted: files().filter(was_deleted).map(|item| address(item.place)).next_back(),
        reads: files().filter(|item| !item.failed && item.body.is_empty()).count(),
        commands: commands().count(),
        failed_commands: commands().filter(|item| item.failed).count(),
        passages: passages(history, source, items, &changes, name, options)?,
        changes: changes.into_iter().map(address).collect(),
    })
}

fn subagent(source: &TranscriptSource) -> Option<String> {
    Some(source.thread.subagent.clone()).filter(|id| !id.is_empty())
}

/// The argument with which `recall` shows a place.
fn address_in(source: &TranscriptSource, handle: &str) -> String {
    address(&source.thread.session, subagent(source).as_deref(), handle)
}

/// The latest requests that led to changes, and the best passages that name the file, in order.
fn passages(
    history: &History,
    source: &TranscriptSource,
    items: &[HistoryItem],
    changes: &[Place],
    name: &str,
    options: &Options,
) -> Result<Vec<PassageDocument>, StoreError> {
    let query = Query {
        terms: vec![QueryTerm { text: name.to_owned(), column: None, prefix: false, quoted: true }],
        ..Query::default()
    };
    let mut shown: Vec<HistoryItem> = Vec::new();
    for change in changes.iter().rev() {
        let request = history.neighbour(source.no, *change, false, &[ItemKind::Prompt])?;
        shown.extend(request.filter(|request| shown.iter().all(|one| one.place != request.place)));
        if shown.len() == MAX_REQUESTS {
            break;
        }
    }
    let words = items.iter().filter(|item| !matches!(item.kind, ItemKind::File | ItemKind::Command));
    let new = words.filter(|item| shown.iter().all(|one| one.place != item.place));
    let mut named: Vec<HistoryItem> = new.cloned().collect();
    named.sort_by_cached_key(|item| (verb(item, name).0, std::cmp::Reverse(item.place)));
    shown.extend(named.into_iter().take(MAX_PASSAGES));
    shown.sort_by_key(|item| item.place);
    let passage = |item: &HistoryItem| {
        let (verb, text) = verb(item, name);
        let handle = match item.kind {
            ItemKind::Note => format!("note:{}", item.part.saturating_sub(NOTES_FROM)),
            _ => item.place.to_string(),
        };
        PassageDocument {
            address: address_in(source, &handle),
            place: handle,
            at: item.at,
            verb,
            passage: PassageText::of(&snippet(text, &query, MatchTier::All, options.snippet)),
        }
    };
    Ok(shown.iter().map(passage).collect())
}

/// What an item does about a file, and the words in which it does.
fn verb<'a>(item: &'a HistoryItem, name: &str) -> (PassageVerb, &'a str) {
    let whole = if item.body.is_empty() { &item.title } else { &item.body };
    let decided = || {
        let all = sentences_that(&item.body, &[Tells::Decision]);
        all.into_iter().find(|sentence| sentence.contains(name))
    };
    match item.kind {
        ItemKind::Prompt => (PassageVerb::Asked, whole),
        ItemKind::Note => (PassageVerb::Noted, whole),
        ItemKind::Decision => (PassageVerb::Decided, whole),
        _ => decided().map_or((PassageVerb::Said, whole), |sentence| (PassageVerb::Decided, sentence)),
    }
}
