//! Searches the history.
//!
//! In tiers, because people and agents ask in sentences and seldom use the words of the answer:
//! 1. items with all of the words, as typed;
//! 2. if there are none, or few for a sentence: items with any significant word, in any form, among what was said,
//!    decided or noted, ranked by FTS5's BM25; for a question about failures also answers of failed calls;
//! 3. if there are still none: the same in everything else, such as output.
//!
//! The match counts most; recent items and those of this project get a bonus. Hits are grouped by session, best
//! passages first. In the second tier a session is ranked by its best three passages together and by how much of the
//! question they cover, because one passage with a rare word may be chance. Identical texts are one hit. docs/search.md
//! has the figures. [`files`] and [`fixes`] answer two questions of their own: what was done about a file, and what
//! fixed an error.

pub mod files;
pub mod fixes;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde::Serialize;

use crate::archive::asked::SharedFound;
use crate::archive::history::NOTES_FROM;
use crate::archive::history::item::{HistoryItem, ItemKind};
use crate::archive::history::query::{Filter, Query, QueryTerm};
use crate::archive::history::terms::terms;
use crate::archive::history::terms::words;
use crate::archive::history::{History, Match, TranscriptSource};
use crate::archive::{SharedMatch, SharedSource};
use crate::model::entry::Place;
use crate::model::event::short_id;
use crate::model::note::Author;
use crate::store::StoreError;
use crate::text::cut::head_of;
use crate::text::hash::{fnv1a, fnv1a_on};

/// Most items ranked: the newest matches.
const RANKED: usize = 1_000;
/// Items per word are counted up to this number: rarer words weigh more, all common ones the same.
pub const COUNTED: usize = 1_000;
/// Bytes of a text in which words are counted.
const MAX_BYTES_COUNTED: usize = 4_096;
/// BM25 parameters: saturation of repeated words, discount for longer texts, and the average length in words.
const SATURATION: f64 = 1.2;
const DISCOUNT: f64 = 0.6;
const USUAL: f64 = 60.0;
/// Weight of a word in a title relative to the body.
const IN_TITLE: f64 = 2.5;
/// Days after which the recency bonus is halved.
const HALF_LIFE: f64 = 30.0;
/// Factor for items of this project.
const HERE: f64 = 1.6;
/// Default length of a snippet, in characters.
pub const SNIPPET: usize = 240;
/// Passages shown per session if others match, too; a session's rank is based on them.
const PASSAGES: usize = 3;
/// A sentence whose words all occur in this many sessions needs no partial matches.
const ENOUGH: usize = 3;
/// Most partial matches considered.
const PARTIAL: usize = 300;
/// A text of at least this many bytes in two sessions was copied from one to the other.
const COPIED: usize = 80;
/// Last rows of the asking session in which its agent may announce the search.
const ASKING_ROWS: u32 = 3;
/// Largest recency bonus of a partial match: people often ask about old things.
const RECENT: f64 = 0.2;
/// Factor for items of the kind that a question asks for.
const ASKED_FOR: f64 = 1.3;
/// Bonus for a session whose best passages contain every word of a question.
const COVERED: f64 = 0.5;
/// Weight of a session's best failure, for questions about failures.
const FAILED: f64 = 0.5;
/// Prefixes of words that ask for decisions, or express one.
const DECIDING: &[&str] =
    &["decid", "decis", "chose", "choose", "choice", "agree", "settle", "entschied", "entscheid", "décid"];
/// Prefixes of words that ask what went wrong.
const FAILING: &[&str] = &[
    "fail",
    "error",
    "crash",
    "broke",
    "break",
    "exception",
    "panic",
    "bug",
    "wrong",
    "fehler",
    "erreur",
    "échou",
    "fallo",
    "erro",
];
/// Most words highlighted in a text.
const MAX_FOUND: usize = 500;
/// Words of the index compared with a word that was not found.
const COMPARED: usize = 20_000;
/// Suggestions for a word that was not found.
const OFFERED: usize = 4;

#[derive(Clone, Debug)]
pub struct Options {
    /// Most hits.
    pub limit: usize,
    /// Hits to skip, for the next page.
    pub skip: usize,
    /// Milliseconds since 1970.
    pub now: i64,
    /// Sessions of this folder get a bonus.
    pub here: Option<String>,
    /// The session that asks: what it just said is the question, not an answer.
    pub asking: Option<String>,
    /// Longest snippet, in characters.
    pub snippet: usize,
    /// Which tiers are used; to measure what each contributes.
    pub tiers: [bool; 3],
}

impl Default for Options {
    fn default() -> Options {
        Options { limit: 10, skip: 0, now: 0, here: None, asking: None, snippet: SNIPPET, tiers: [true; 3] }
    }
}

/// How an item was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchTier {
    /// It has all of the words.
    All,
    /// It has some of the words, in any form.
    Partial,
}

impl MatchTier {
    /// Its name in output.
    pub fn noun(self) -> &'static str {
        match self {
            MatchTier::All => "all",
            MatchTier::Partial => "partial",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    /// Best session first, and within one the best hit first.
    pub hits: Vec<Hit>,
    /// Total number of hits.
    pub fitting: usize,
    /// There may be more: counting stopped.
    pub more: bool,
    /// Suggestions if nothing was found.
    pub advice: Option<Advice>,
    /// Words that the history does not have, each with the nearest that it has; only if no hit has all of the words.
    pub misspelt: Vec<(String, String)>,
}

impl SearchResult {
    /// What was typed, with the words that the history has; `None` if nothing was misspelt.
    pub fn meant(&self, typed: &str) -> Option<String> {
        let mut meant = typed.to_owned();
        let all: Vec<(usize, &str)> = words(typed).collect();
        for (start, word) in all.into_iter().rev() {
            let lower = word.to_lowercase();
            if let Some((_, near)) = self.misspelt.iter().find(|(wrong, _)| *wrong == lower) {
                meant.replace_range(start..start + word.len(), near);
            }
        }
        (meant != typed).then_some(meant)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number among all hits, from 1.
    pub number: usize,
    pub tier: MatchTier,
    /// It has every word that tells something, in any form.
    pub has_all: bool,
    /// The first request of its transcript.
    pub about: Option<String>,
    /// Other sessions with the same text.
    pub copies: Vec<String>,
    pub session: String,
    /// The subagent's id, if it is from one.
    pub subagent: Option<String>,
    /// The folder it started in.
    pub project: Option<String>,
    pub transcript: PathBuf,
    /// The machine that recorded it, if it was another one, and whose it is there.
    pub machine: Option<String>,
    pub person: Option<String>,
    /// The line, or that of the call.
    pub place: Place,
    /// The number, if it is a note.
    pub note: Option<u32>,
    /// The line of the answer.
    pub until: Option<Place>,
    pub at: Option<i64>,
    pub kind: ItemKind,
    /// The call failed.
    pub failed: bool,
    /// Who wrote a note.
    pub author: Option<Author>,
    /// A command or a path; empty for words.
    pub title: String,
    /// The text around the match.
    pub snippet: Snippet,
    /// The request it belongs to.
    pub asked: Option<(Place, String)>,
    /// What came next, in one line.
    pub next: Option<(Place, String)>,
    pub score: f64,
}

impl Hit {
    /// The argument with which `recall` shows it.
    pub fn handle(&self) -> String {
        self.note.map_or_else(|| self.place.to_string(), |number| format!("note:{number}"))
    }

    /// The same with its session, for `recall` from anywhere.
    pub fn address(&self) -> String {
        address(&self.session, self.subagent.as_deref(), &self.handle())
    }
}

/// What `recall` takes from anywhere: session, subagent if any, and the place or note.
pub fn address(session: &str, subagent: Option<&str>, handle: &str) -> String {
    let subagent = subagent.map(|id| format!("/{id}")).unwrap_or_default();
    format!("{}{subagent}:{handle}", short_id(session))
}

/// An excerpt with its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// One line; `…` marks cuts.
    pub text: String,
    /// Where the matches are, in bytes of `text`.
    pub matches: Vec<(usize, usize)>,
}

/// A passage, and what in it fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassageText {
    #[serde(rename = "snippet")]
    pub text: String,
    /// The words that fit.
    pub matches: Vec<String>,
    /// Where they are, in characters: the first, and the one after the last.
    pub spans: Vec<(usize, usize)>,
}

impl PassageText {
    pub(crate) fn of(snippet: &Snippet) -> PassageText {
        let characters = |byte: usize| snippet.text[..byte].chars().count();
        PassageText {
            matches: snippet.matches.iter().map(|(from, to)| snippet.text[*from..*to].to_owned()).collect(),
            spans: snippet.matches.iter().map(|(from, to)| (characters(*from), characters(*to))).collect(),
            text: snippet.text.clone(),
        }
    }
}

/// Suggestions if nothing was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// Per word: how many items contain it, and similar words.
    pub words: Vec<WordAdvice>,
    /// Number of hits without the filters.
    pub without_filters: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WordAdvice {
    pub word: String,
    /// Number of items that contain it.
    pub items: usize,
    /// Similar words.
    pub near: Vec<String>,
}

/// Searches all transcripts.
pub fn search(history: &History, query: &Query, options: &Options) -> Result<SearchResult, StoreError> {
    search_in(history, query, options, &|_| true)
}

/// Searches the transcripts that `shows` accepts: others are neither shown nor counted.
pub fn search_in(
    history: &History,
    query: &Query,
    options: &Options,
    shows: &dyn Fn(&TranscriptSource) -> bool,
) -> Result<SearchResult, StoreError> {
    let sources: HashMap<i64, TranscriptSource> =
        history.sources()?.into_iter().map(|source| (source.no, source)).collect();
    let question = Question::of(history, &sources, options.asking.as_deref())?;
    let fits = |found: &Match| {
        sources.get(&found.source).is_some_and(shows)
            && question.as_ref().is_none_or(|question| !question.has(found, query.is_sentence()))
    };
    let searched = Searched { history, query, sources: &sources, options };
    let [all, said, anywhere] = options.tiers;
    let mut matches = if all { history.matches(query, RANKED)? } else { Vec::new() };
    let more = matches.len() >= RANKED;
    matches.retain(fits);
    let mut groups = searched.grouped(searched.ranked(matches, true)?, MatchTier::All);
    let words = query.content();
    if !words.is_empty() && (groups.is_empty() || (query.is_sentence() && groups.len() < ENOUGH)) {
        let mut partial = if said { searched.answering(&words, &fits)? } else { Vec::new() };
        if anywhere && partial.is_empty() && groups.is_empty() {
            let mut found = history.matches_any(query, false, RANKED)?;
            found.retain(fits);
            partial = searched.grouped(searched.ranked(found, false)?, MatchTier::Partial);
        }
        let known: HashSet<String> = groups.iter().map(|group| group.session.clone()).collect();
        groups.extend(partial.into_iter().filter(|group| !known.contains(&group.session)));
    }
    // If some transcripts are hidden, neither a count nor a word of them may show.
    let shows_all = sources.values().all(shows);
    if groups.is_empty() {
        let advice = if shows_all { advice(history, query)? } else { Advice::default() };
        let misspelt = if shows_all { misspelt(history, query)? } else { Vec::new() };
        return Ok(SearchResult { advice: Some(advice), misspelt, ..SearchResult::default() });
    }
    let listed = listed(groups);
    let fitting = listed.len();
    let page = listed.into_iter().enumerate().skip(options.skip).take(options.limit);
    let hits: Vec<Hit> = page.map(|(at, one)| searched.hit(at + 1, one)).collect::<Result<_, _>>()?;
    let is_weak = shows_all && !hits.iter().any(|hit| hit.has_all);
    let misspelt = if is_weak { misspelt(history, query)? } else { Vec::new() };
    Ok(SearchResult { hits, fitting, more, advice: None, misspelt })
}

/// The question itself, in the session that asks: it contains all the words and answers nothing.
struct Question {
    source: i64,
    prompt: Option<Place>,
    /// From here on the agent announces the search.
    latest: Place,
}

impl Question {
    fn of(
        history: &History,
        sources: &HashMap<i64, TranscriptSource>,
        asking: Option<&str>,
    ) -> Result<Option<Question>, StoreError> {
        let own = |source: &&TranscriptSource| {
            source.thread.subagent.is_empty() && Some(source.thread.session.as_str()) == asking
        };
        let Some(own) = sources.values().find(own) else { return Ok(None) };
        let prompt = history.latest(own.no, &[ItemKind::Prompt], 1, |_| true)?;
        let prompt = prompt.first().map(|prompt| prompt.place);
        let latest = Place(own.cursor.line.saturating_sub(ASKING_ROWS - 1));
        Ok(Some(Question { source: own.no, prompt, latest }))
    }

    /// Whether an item is part of the question. For a query of a few words the prompt may well be the answer: a long
    /// session may have only one.
    fn has(&self, found: &Match, is_sentence: bool) -> bool {
        let is_prompt = is_sentence && self.prompt == Some(found.item.place);
        let is_announced = found.item.kind == ItemKind::Said && found.item.place >= self.latest;
        found.source == self.source && (is_prompt || is_announced)
    }
}

/// An item and its score.
type Ranked = (Match, f64);

/// The hits of one session, best first.
struct SessionHits {
    session: String,
    tier: MatchTier,
    hits: Vec<Ranked>,
    /// Combined score of its best passages.
    fit: f64,
}

/// A hit before its context is looked up.
struct ListedHit {
    tier: MatchTier,
    found: Match,
    score: f64,
    copies: Vec<String>,
}

/// One search in progress.
struct Searched<'a> {
    history: &'a History,
    query: &'a Query,
    sources: &'a HashMap<i64, TranscriptSource>,
    options: &'a Options,
}

impl Searched<'_> {
    /// Scores items with all words, or (without `all`) with any.
    fn ranked(&self, matches: Vec<Match>, all: bool) -> Result<Vec<Ranked>, StoreError> {
        if matches.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = wanted(self.history, self.query, all)?;
        let score = |found: &Match| {
            let recent = 0.5 + 0.5 * self.recency(found);
            fit(&found.item, &wanted, all) * recent * self.here(found) * worth(found.item.kind)
        };
        Ok(sorted(matches.into_iter().map(|found| (score(&found), found))))
    }

    /// The sessions that answer a question with these words.
    fn answering(
        &self,
        words: &[String],
        fits: &dyn Fn(&Match) -> bool,
    ) -> Result<Vec<SessionHits>, StoreError> {
        let decided = self.query.mentions(DECIDING);
        let found = self.history.partial(self.query, words, PARTIAL)?;
        let fitting = found.matches.into_iter().filter(|(found, _)| fits(found));
        let ranked = sorted(fitting.map(|(found, score)| {
            let recent = 1.0 - RECENT + RECENT * self.recency(&found);
            let asked_for = if decided && decides(&found.item) { ASKED_FOR } else { 1.0 };
            (score * recent * self.here(&found) * asked_for, found)
        }));
        let mut groups = self.grouped(ranked, MatchTier::Partial);
        for group in &mut groups {
            group.fit *= 1.0 + COVERED * covered(&group.hits, &found.weights);
        }
        if self.query.mentions(FAILING) {
            self.add_failures(&mut groups, fits)?;
        }
        groups.sort_by(|one, other| other.fit.total_cmp(&one.fit));
        Ok(groups)
    }

    /// Adds each session's best failure to its hits and its score, for questions about why something failed.
    fn add_failures(
        &self,
        groups: &mut Vec<SessionHits>,
        fits: &dyn Fn(&Match) -> bool,
    ) -> Result<(), StoreError> {
        let mut failed = self.history.matches_any(self.query, true, PARTIAL)?;
        failed.retain(fits);
        for mut failures in self.grouped(self.ranked(failed, false)?, MatchTier::Partial) {
            failures.hits.truncate(1);
            failures.fit = FAILED * failures.hits.iter().map(|(_, score)| score).sum::<f64>();
            match groups.iter_mut().find(|group| group.session == failures.session) {
                Some(group) => {
                    group.fit += failures.fit;
                    let last = group.hits.len().min(PASSAGES - 1);
                    group.hits.splice(last..last, failures.hits);
                }
                None => groups.push(failures),
            }
        }
        Ok(())
    }

    fn recency(&self, found: &Match) -> f64 {
        recency(&found.item, self.options.now)
    }

    fn here(&self, found: &Match) -> f64 {
        let project = self.sources.get(&found.source).and_then(|source| source.project.as_deref());
        if is_within(project, self.options.here.as_deref()) { HERE } else { 1.0 }
    }

    /// Groups by session, in the order of their best hits. Identical texts count once per session.
    fn grouped(&self, ranked: Vec<Ranked>, tier: MatchTier) -> Vec<SessionHits> {
        let mut groups: Vec<SessionHits> = Vec::new();
        let mut at: HashMap<&str, usize> = HashMap::new();
        let mut seen = HashSet::new();
        for (found, score) in ranked {
            let Some(source) = self.sources.get(&found.source) else { continue };
            let session = source.thread.session.as_str();
            if !seen.insert((session, text_of(&found.item))) {
                continue;
            }
            let group = *at.entry(session).or_insert(groups.len());
            if group == groups.len() {
                groups.push(SessionHits { session: session.to_owned(), tier, hits: Vec::new(), fit: 0.0 });
            }
            groups[group].hits.push((found, score));
        }
        for group in &mut groups {
            group.fit = group.hits.iter().take(PASSAGES).map(|(_, score)| score).sum();
        }
        groups
    }

    fn hit(&self, number: usize, listed: ListedHit) -> Result<Hit, StoreError> {
        let ListedHit { tier, found, score, copies } = listed;
        let (source, item) = (&self.sources[&found.source], found.item);
        let asked = match item.kind {
            ItemKind::Prompt => None,
            _ => self.history.neighbour(source.no, item.place, false, &[ItemKind::Prompt])?,
        };
        let next = self.history.neighbour(source.no, item.until.unwrap_or(item.place), true, &[])?;
        let in_a_line = |item: HistoryItem| (item.place, item.line().to_owned());
        let text = if item.body.is_empty() { &item.title } else { &item.body };
        Ok(Hit {
            number,
            tier,
            has_all: tier == MatchTier::All || has_all(&item, &self.query.content()),
            about: source.title.clone(),
            copies,
            session: source.thread.session.clone(),
            subagent: Some(source.thread.subagent.clone()).filter(|id| !id.is_empty()),
            project: source.project.clone(),
            transcript: source.path.clone(),
            machine: (!source.is_own()).then(|| source.machine.clone()),
            person: source.person.clone().filter(|_| !source.is_own()),
            place: item.place,
            note: (item.kind == ItemKind::Note).then(|| item.part.saturating_sub(NOTES_FROM)),
            until: item.until,
            at: item.at,
            kind: item.kind,
            failed: item.failed,
            author: item.author,
            snippet: snippet(text, self.query, tier, self.options.snippet),
            asked: asked.map(in_a_line),
            next: next.map(in_a_line),
            score,
            title: item.title,
        })
    }
}

/// From 1 for now down to 0.
fn recency(item: &HistoryItem, now: i64) -> f64 {
    let days = item.at.map_or(365.0, |at| (now - at).max(0) as f64 / 86_400_000.0);
    0.5_f64.powf(days / HALF_LIFE)
}

/// What the shared archive found, ranked as here by what it counted, by session; at most three passages of each.
pub fn shared_hits(found: &SharedFound, query: &Query, options: &Options) -> Vec<Hit> {
    let count = |term: &QueryTerm| {
        let mut stems = terms(&term.text).filter_map(|(.., stem)| found.counts.get(&stem));
        found.counts.get(&term.text).or_else(|| stems.next()).copied().unwrap_or(COUNTED)
    };
    let counted = query.terms.iter().filter(|term| found.has_all || !term.only_asks());
    let wanted: Vec<CountedTerm> = counted.map(|term| CountedTerm::of(term, count(term))).collect();
    let score = |item: &HistoryItem| {
        fit(item, &wanted, found.has_all) * (0.5 + 0.5 * recency(item, options.now)) * worth(item.kind)
    };
    let mut ranked: Vec<(&SharedMatch, f64)> =
        found.matches.iter().map(|one| (one, score(&one.item))).collect();
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let mut sessions: Vec<(&str, Vec<Hit>)> = Vec::new();
    for (one, score) in ranked {
        let Some(source) = one.sources.first() else { continue };
        let hit = shared_hit(one, source, score, found, query, options);
        let session = source.key.session.as_str();
        match sessions.iter_mut().find(|(known, _)| *known == session) {
            Some((_, hits)) if hits.len() >= PASSAGES => {}
            Some((_, hits)) => hits.push(hit),
            None => sessions.push((session, vec![hit])),
        }
    }
    sessions.into_iter().flat_map(|(_, hits)| hits).collect()
}

fn shared_hit(
    one: &SharedMatch,
    source: &SharedSource,
    score: f64,
    found: &SharedFound,
    query: &Query,
    options: &Options,
) -> Hit {
    let item = &one.item;
    let tier = if found.has_all { MatchTier::All } else { MatchTier::Partial };
    let text = if item.body.is_empty() { &item.title } else { &item.body };
    Hit {
        number: 0,
        tier,
        has_all: found.has_all || has_all(item, &query.content()),
        about: source.title.clone(),
        copies: Vec::new(),
        session: source.key.session.clone(),
        subagent: Some(source.key.thread.clone()).filter(|id| !id.is_empty()),
        project: source.project.clone(),
        transcript: PathBuf::new(),
        machine: Some(source.key.machine.clone()),
        person: source.person.clone(),
        place: item.place,
        note: (item.kind == ItemKind::Note).then(|| item.part.saturating_sub(NOTES_FROM)),
        until: item.until,
        at: item.at,
        kind: item.kind,
        failed: item.failed,
        author: item.author,
        snippet: snippet(text, query, tier, options.snippet),
        asked: None,
        next: None,
        score,
        title: item.title.clone(),
    }
}

fn sorted(scored: impl Iterator<Item = (f64, Match)>) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = scored.map(|(score, found)| (found, score)).collect();
    ranked.sort_by(|(one, a), (other, b)| b.total_cmp(a).then_with(|| other.no.cmp(&one.no)));
    ranked
}

fn text_of(item: &HistoryItem) -> u64 {
    fnv1a_on(fnv1a(item.title.as_bytes()), std::iter::once(0x1f).chain(item.body.bytes()))
}

/// The passages shown, in order. A long text that an earlier session has is not repeated: the session was resumed or
/// forked.
fn listed(groups: Vec<SessionHits>) -> Vec<ListedHit> {
    let most = if groups.len() > 1 { PASSAGES } else { usize::MAX };
    let mut listed: Vec<ListedHit> = Vec::new();
    let mut shown: HashMap<u64, usize> = HashMap::new();
    for SessionHits { session, tier, hits, .. } in groups {
        let mut left = most;
        for (found, score) in hits {
            let text = text_of(&found.item);
            let is_long = found.item.title.len() + found.item.body.len() >= COPIED;
            if let (Some(first), true) = (shown.get(&text), is_long) {
                listed[*first].copies.push(session.clone());
            } else if left > 0 {
                left -= 1;
                shown.insert(text, listed.len());
                listed.push(ListedHit { tier, found, score, copies: Vec::new() });
            }
        }
    }
    listed
}

fn has_all(item: &HistoryItem, words: &[String]) -> bool {
    let found: HashSet<String> =
        terms(item.searched_title()).chain(terms(&item.body)).map(|(.., term)| term).collect();
    words.iter().all(|word| found.contains(word))
}

/// Somebody decides something in this item.
fn decides(item: &HistoryItem) -> bool {
    let in_words = || {
        words(head_of(&item.body, MAX_BYTES_COUNTED))
            .any(|(_, word)| DECIDING.iter().any(|start| begins_with(word, start)))
    };
    match item.kind {
        ItemKind::Decision => true,
        ItemKind::Prompt | ItemKind::Said | ItemKind::Note => in_words(),
        _ => false,
    }
}

/// How much of the question the best passages cover together, from 0 to 1.
fn covered(hits: &[Ranked], weights: &[(String, f64)]) -> f64 {
    let best = hits.iter().take(PASSAGES).map(|(found, _)| &found.item);
    let texts = best.flat_map(|item| [item.searched_title(), item.body.as_str()]);
    let mut missing: Vec<&(String, f64)> = weights.iter().collect();
    for (.., term) in texts.flat_map(terms) {
        missing.retain(|(wanted, _)| *wanted != term);
    }
    let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let has = all - missing.iter().map(|(_, weight)| weight).sum::<f64>();
    has / all.max(f64::EPSILON)
}

/// A term, prepared for counting.
struct CountedTerm {
    words: Vec<String>,
    prefix: bool,
    /// Higher for rarer terms.
    weight: f64,
}

impl CountedTerm {
    fn of(term: &QueryTerm, items: usize) -> CountedTerm {
        let weight = (2.0 * COUNTED as f64 / (items.min(COUNTED) as f64 + 1.0)).ln();
        CountedTerm { words: term.words(), prefix: term.prefix, weight }
    }
}

/// The terms that count: all of them, or (without `all`) those that tell something.
fn wanted(history: &History, query: &Query, all: bool) -> Result<Vec<CountedTerm>, StoreError> {
    let of = |term: &QueryTerm| {
        let alone = Query { terms: vec![term.clone()], ..Query::default() };
        Ok(CountedTerm::of(term, history.count(&alone, COUNTED)?))
    };
    query.terms.iter().filter(|term| all || !term.only_asks()).map(of).collect()
}

/// BM25 with our own term weights.
fn fit(item: &HistoryItem, wanted: &[CountedTerm], all: bool) -> f64 {
    let title: Vec<&str> =
        words(head_of(item.searched_title(), MAX_BYTES_COUNTED)).map(|(_, word)| word).collect();
    let body: Vec<&str> = words(head_of(&item.body, MAX_BYTES_COUNTED)).map(|(_, word)| word).collect();
    let length = 1.0 - DISCOUNT + DISCOUNT * (title.len() + body.len()) as f64 / USUAL;
    let of = |term: &CountedTerm| {
        let often = IN_TITLE * count(&title, term) as f64 + count(&body, term) as f64;
        // With `all` every term occurs, even if further down in the text or with an accent.
        let often = if all { often.max(1.0) } else { often };
        term.weight * often * (SATURATION + 1.0) / (often + SATURATION * length)
    };
    if wanted.is_empty() { 1.0 } else { wanted.iter().map(of).sum() }
}

fn count(text: &[&str], term: &CountedTerm) -> usize {
    let Some((last, before)) = term.words.split_last() else { return 0 };
    let ends = |word: &str| if term.prefix { begins_with(word, last) } else { is_word(word, last) };
    text.windows(term.words.len())
        .filter(|window| {
            ends(window[before.len()]) && before.iter().zip(*window).all(|(w, word)| is_word(word, w))
        })
        .count()
}

fn is_word(word: &str, wanted: &str) -> bool {
    word.eq_ignore_ascii_case(wanted) || (!word.is_ascii() && word.to_lowercase() == wanted)
}

fn begins_with(word: &str, wanted: &str) -> bool {
    match word.get(..wanted.len()) {
        Some(start) if word.is_ascii() => start.eq_ignore_ascii_case(wanted),
        _ => word.to_lowercase().starts_with(wanted),
    }
}

/// One of the two folders contains the other.
fn is_within(project: Option<&str>, here: Option<&str>) -> bool {
    let (Some(project), Some(here)) = (project, here) else { return false };
    let (project, here) = (std::path::Path::new(project), std::path::Path::new(here));
    here.starts_with(project) || project.starts_with(here)
}

/// The person's words are what people remember; a summary repeats other items.
fn worth(kind: ItemKind) -> f64 {
    match kind {
        ItemKind::Prompt | ItemKind::Decision | ItemKind::Note => 1.5,
        ItemKind::Summary => 0.7,
        _ => 1.0,
    }
}

/// The part of a text with most of the words searched for, or else its start.
pub fn snippet(text: &str, query: &Query, tier: MatchTier, most: usize) -> Snippet {
    let found = match tier {
        MatchTier::All => typed_words(text, query),
        MatchTier::Partial => forms_of_words(text, query),
    };
    let best = found
        .iter()
        .max_by_key(|(start, ..)| {
            let within = found.iter().filter(|(s, ..)| s >= start && *s < start + most * 3 / 4);
            let distinct: HashSet<usize> = within.map(|(.., which)| *which).collect();
            (distinct.len(), std::cmp::Reverse(*start))
        })
        .map_or(0, |(start, ..)| *start);
    cut_out(text, best, &found, most)
}

/// Start, end and term of a match in a text.
type FoundWord = (usize, usize, usize);

fn typed_words(text: &str, query: &Query) -> Vec<FoundWord> {
    let wanted: Vec<(String, bool)> = query
        .terms
        .iter()
        .flat_map(|term| {
            let words = term.words();
            let last = words.len();
            words.into_iter().enumerate().map(move |(at, word)| (word, term.prefix && at + 1 == last))
        })
        .collect();
    let fits = |word: &str| {
        wanted.iter().position(|(w, prefix)| if *prefix { begins_with(word, w) } else { is_word(word, w) })
    };
    let found =
        words(text).filter_map(|(start, word)| fits(word).map(|which| (start, start + word.len(), which)));
    found.take(MAX_FOUND).collect()
}

fn forms_of_words(text: &str, query: &Query) -> Vec<FoundWord> {
    let wanted = query.content();
    let found = terms(text).filter_map(|(start, end, term)| {
        wanted.iter().position(|wanted| *wanted == term).map(|which| (start, end, which))
    });
    found.take(MAX_FOUND).collect()
}

fn cut_out(text: &str, best: usize, found: &[FoundWord], most: usize) -> Snippet {
    let start = head_of(text, best.saturating_sub(most / 4)).len();
    // Start at a line or word.
    let start = if start == 0 {
        0
    } else {
        let before_match = &text[start..best];
        let line = before_match.rfind('\n').filter(|at| before_match.len() - at > most / 8);
        start + line.or_else(|| before_match.find(char::is_whitespace)).map_or(0, |at| at + 1)
    };
    let mut snippet = Snippet::default();
    if start > 0 {
        snippet.text.push_str("… ");
    }
    let mut characters = 0;
    let mut space = true;
    for (at, c) in text[start..].char_indices().map(|(at, c)| (at + start, c)) {
        if characters >= most {
            snippet.text.push('…');
            break;
        }
        if let Some((_, end, _)) = found.iter().find(|(from, ..)| *from == at) {
            let here = snippet.text.len();
            let end = here + end - at;
            match snippet.matches.last_mut() {
                // Pairs of characters overlap.
                Some((_, last)) if *last > here => *last = end,
                _ => snippet.matches.push((here, end)),
            }
        }
        // One line: any run of white space becomes one space.
        let blank = c.is_whitespace() || c.is_control();
        if !(blank && space) {
            snippet.text.push(if blank { ' ' } else { c });
            characters += 1;
        }
        space = blank;
    }
    let length = snippet.text.len();
    snippet.matches.retain(|(_, end)| *end <= length && snippet.text.is_char_boundary(*end));
    snippet
}

// ---- nothing found

fn advice(history: &History, query: &Query) -> Result<Advice, StoreError> {
    let mut advice = Advice::default();
    for term in &query.terms {
        let alone = Query { terms: vec![term.clone()], ..Query::default() };
        let items = history.count(&alone, RANKED)?;
        let mut near = Vec::new();
        if items == 0 {
            for word in term.words() {
                near.extend(nearest(history, &word)?);
            }
        }
        advice.words.push(WordAdvice { word: term.text.clone(), items, near });
    }
    if query.filter != Filter::default() && !query.terms.is_empty() {
        let without = Query { filter: Filter::default(), ..query.clone() };
        advice.without_filters = history.count(&without, RANKED)?;
    }
    Ok(advice)
}

/// The words of a query that nobody wrote in any form, each with the nearest word of the history. Phrases and prefixes are
/// meant as they are; a word with digits is a name.
fn misspelt(history: &History, query: &Query) -> Result<Vec<(String, String)>, StoreError> {
    let mut found = Vec::new();
    let loose = query.terms.iter().filter(|t| !t.quoted && !t.prefix && t.column.is_none() && !t.only_asks());
    for term in loose {
        let [word] = &term.words()[..] else { continue };
        let alone = Query { terms: vec![term.clone()], ..Query::default() };
        let is_said = || terms(word).map(|(.., term)| history.says(&term)).next().unwrap_or(Ok(true));
        if word.chars().all(char::is_alphabetic) && history.count(&alone, 1)? == 0 && !is_said()? {
            found.extend(nearest(history, word)?.into_iter().next().map(|near| (word.clone(), near)));
        }
    }
    Ok(found)
}

/// Words of the index within an edit distance of one or two, or that start with this one.
fn nearest(history: &History, word: &str) -> Result<Vec<String>, StoreError> {
    let letters: Vec<char> = word.chars().collect();
    let most = if letters.len() <= 4 { 1 } else { 2 };
    let start: String = letters.iter().take(if letters.len() > 4 { 2 } else { 1 }).collect();
    let mut candidates = history.words(&start, COMPARED)?;
    if let Some(second) = letters.get(1) {
        // The first two letters may be swapped, or the first one missing.
        let swapped: String = [*second, letters[0]].iter().collect();
        candidates.extend(history.words(&swapped, COMPARED / 4)?);
    }
    let mut near: Vec<(usize, u64, String)> = candidates
        .into_iter()
        .filter(|(candidate, _)| candidate != word)
        .filter_map(|(candidate, items)| {
            let goes_on = letters.len() >= 3 && candidate.starts_with(word);
            let distance = if goes_on { 1 } else { distance(word, &candidate, most)? };
            Some((distance, items, candidate))
        })
        .collect();
    near.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)).then_with(|| a.2.cmp(&b.2)));
    near.dedup_by(|a, b| a.2 == b.2);
    Ok(near.into_iter().take(OFFERED).map(|(.., word)| word).collect())
}

/// Edit distance with transpositions; `None` above `most`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    Some(strsim::osa_distance(one, other)).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests;
