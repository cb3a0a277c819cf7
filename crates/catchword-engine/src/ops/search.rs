//! Looking for something in the history.
//!
//! The history gives the newest items that hold the words; here they are ranked. How well an item fits (BM25, with
//! what it is about above what it says) counts most; what is recent, of this project, or said by the person counts more
//! than the rest. The same text in one session is one hit, at its latest place.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::archive::history::NOTES_FROM;
use crate::archive::history::item::{HistoryItem, ItemKind};
use crate::archive::history::query::{Filter, Query, QueryTerm, words};
use crate::archive::history::{History, Match, TranscriptSource};
use crate::model::entry::Place;
use crate::model::note::Author;
use crate::store::StoreError;
use crate::text::cut::head_of;

/// Items that are ranked: the newest of those that fit.
const RANKED: usize = 1_000;
/// Up to this number it is counted how many items hold a word: rarer words weigh more, and all common ones the same.
const COUNTED: usize = 1_000;
/// Bytes of a text in which words are counted.
const MAX_BYTES_COUNTED: usize = 4_096;
/// BM25's own numbers: how fast another occurrence stops to matter, how much longer texts are discounted, and the length
/// of a usual one, in words.
const SATURATION: f64 = 1.2;
const DISCOUNT: f64 = 0.6;
const USUAL: f64 = 60.0;
/// What a word in a title counts more than in a body.
const IN_TITLE: f64 = 2.5;
/// After this many days recency counts half.
const HALF_LIFE: f64 = 30.0;
/// What an item of this project counts more.
const HERE: f64 = 1.6;
/// Longest snippet, in characters.
const SNIPPET: usize = 240;
/// Words of the index that are compared with one that was not found.
const COMPARED: usize = 20_000;
/// Words that are offered for one that was not found.
const OFFERED: usize = 4;

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Most hits.
    pub limit: usize,
    /// Hits that are passed over, for the next page.
    pub skip: usize,
    /// The time, in milliseconds since 1970.
    pub now: i64,
    /// The folder whose sessions count more.
    pub here: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Hits there are in all.
    pub fitting: usize,
    /// There may be more: counting ended.
    pub more: bool,
    /// What may help, where nothing was found.
    pub advice: Option<Advice>,
}

impl SearchResult {
    /// How many there are, in words.
    pub fn count(&self) -> String {
        format!("{}{}", if self.more { "more than " } else { "" }, self.fitting)
    }
}

/// One hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The session.
    pub session: String,
    /// The subagent, where it is one's.
    pub subagent: Option<String>,
    /// The folder it began in.
    pub project: Option<String>,
    /// Its transcript.
    pub transcript: PathBuf,
    /// The line, the call's where it is one.
    pub place: Place,
    /// The number of a note.
    pub note: Option<u32>,
    /// The line of the answer.
    pub until: Option<Place>,
    /// When.
    pub at: Option<i64>,
    /// What it is.
    pub kind: ItemKind,
    /// The call failed.
    pub failed: bool,
    /// Who wrote a note.
    pub author: Option<Author>,
    /// What it is about: a command, a path; empty for words.
    pub title: String,
    /// The text around the match.
    pub snippet: Snippet,
    /// The request it belongs to.
    pub asked: Option<(Place, String)>,
    /// What came next, in a line.
    pub next: Option<(Place, String)>,
    /// How good a hit it is.
    pub score: f64,
}

impl Hit {
    /// What `recall` takes to show it.
    pub fn handle(&self) -> String {
        self.note.map_or_else(|| self.place.to_string(), |number| format!("note:{number}"))
    }
}

/// A piece of text with what matched in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// One line; `…` where it was cut.
    pub text: String,
    /// Where the matches are, in bytes of `text`.
    pub matches: Vec<(usize, usize)>,
}

/// What may help where nothing was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// Each word by itself: in how many items it is, and which words are near it.
    pub words: Vec<WordAdvice>,
    /// What the words find without the filters.
    pub without_filters: usize,
}

/// What is known of one word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordAdvice {
    /// The word as typed.
    pub word: String,
    /// Items that hold it.
    pub items: usize,
    /// Words that look like it.
    pub near: Vec<String>,
}

/// Searches in everything.
pub fn search(history: &History, query: &Query, options: &Options) -> Result<SearchResult, StoreError> {
    search_in(history, query, options, &|_| true)
}

/// Searches in the transcripts that `shows` lets through: the others are neither hits nor counted.
pub fn search_in(
    history: &History,
    query: &Query,
    options: &Options,
    shows: &dyn Fn(&TranscriptSource) -> bool,
) -> Result<SearchResult, StoreError> {
    let sources: HashMap<i64, TranscriptSource> =
        history.sources()?.into_iter().map(|source| (source.no, source)).collect();
    let matches = history.matches(query, RANKED)?;
    if matches.is_empty() {
        return Ok(SearchResult { advice: Some(advice(history, query)?), ..SearchResult::default() });
    }
    let more = matches.len() >= RANKED;
    let ranked = ranked(history, query, matches, &sources, options)?;
    let open: HashSet<i64> =
        sources.values().filter(|source| shows(source)).map(|source| source.no).collect();
    let mut seen = HashSet::new();
    let fitting: Vec<&(Match, f64)> = ranked
        .iter()
        .filter(|(one, _)| open.contains(&one.source))
        .filter(|(one, _)| seen.insert((one.source, &one.item.title, &one.item.body)))
        .collect();
    let page = fitting.iter().skip(options.skip).take(options.limit);
    let hits = page
        .map(|(one, score)| hit(history, query, &sources[&one.source], one.item.clone(), *score))
        .collect::<Result<_, _>>()?;
    let advice = fitting.is_empty().then(Advice::default);
    Ok(SearchResult { hits, fitting: fitting.len(), more, advice })
}

fn ranked(
    history: &History,
    query: &Query,
    matches: Vec<Match>,
    sources: &HashMap<i64, TranscriptSource>,
    options: &Options,
) -> Result<Vec<(Match, f64)>, StoreError> {
    let wanted = wanted(history, query)?;
    let score = |found: &Match| {
        let days = found.item.at.map_or(365.0, |at| (options.now - at).max(0) as f64 / 86_400_000.0);
        let recent = 0.5 + 0.5 * 0.5_f64.powf(days / HALF_LIFE);
        let project = sources.get(&found.source).and_then(|source| source.project.as_deref());
        let here = if is_within(project, options.here.as_deref()) { HERE } else { 1.0 };
        fit(&found.item, &wanted) * recent * here * worth(found.item.kind)
    };
    let mut ranked: Vec<(Match, f64)> = matches
        .into_iter()
        .map(|found| {
            let score = score(&found);
            (found, score)
        })
        .collect();
    ranked.sort_by(|(one, a), (other, b)| b.total_cmp(a).then_with(|| other.no.cmp(&one.no)));
    Ok(ranked)
}

/// A term as it is counted in texts.
struct CountedTerm {
    words: Vec<String>,
    prefix: bool,
    /// How much it weighs: rare ones more.
    weight: f64,
}

fn wanted(history: &History, query: &Query) -> Result<Vec<CountedTerm>, StoreError> {
    let of = |term: &QueryTerm| {
        let alone = Query { terms: vec![term.clone()], ..Query::default() };
        let items = history.count(&alone, COUNTED)?;
        let weight = (2.0 * COUNTED as f64 / (items as f64 + 1.0)).ln();
        Ok(CountedTerm { words: term.words(), prefix: term.prefix, weight })
    };
    query.terms.iter().map(of).collect()
}

/// BM25 with what is at hand.
fn fit(item: &HistoryItem, wanted: &[CountedTerm]) -> f64 {
    let title: Vec<&str> = words(head_of(&item.title, MAX_BYTES_COUNTED)).map(|(_, word)| word).collect();
    let body: Vec<&str> = words(head_of(&item.body, MAX_BYTES_COUNTED)).map(|(_, word)| word).collect();
    let length = 1.0 - DISCOUNT + DISCOUNT * (title.len() + body.len()) as f64 / USUAL;
    let of = |term: &CountedTerm| {
        let often = IN_TITLE * count(&title, term) as f64 + count(&body, term) as f64;
        // It is in there, be it further down or with an accent.
        let often = often.max(1.0);
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
    if word.is_ascii() { word.eq_ignore_ascii_case(wanted) } else { word.to_lowercase() == wanted }
}

fn begins_with(word: &str, wanted: &str) -> bool {
    match word.get(..wanted.len()) {
        Some(start) if word.is_ascii() => start.eq_ignore_ascii_case(wanted),
        _ => word.to_lowercase().starts_with(wanted),
    }
}

/// One of the two folders holds the other.
fn is_within(project: Option<&str>, here: Option<&str>) -> bool {
    let (Some(project), Some(here)) = (project, here) else { return false };
    let (project, here) = (std::path::Path::new(project), std::path::Path::new(here));
    here.starts_with(project) || project.starts_with(here)
}

/// The person's words are what they remember; a summary repeats what stands elsewhere.
fn worth(kind: ItemKind) -> f64 {
    match kind {
        ItemKind::Prompt | ItemKind::Decision | ItemKind::Note => 1.5,
        ItemKind::Summary => 0.7,
        _ => 1.0,
    }
}

fn hit(
    history: &History,
    query: &Query,
    source: &TranscriptSource,
    item: HistoryItem,
    score: f64,
) -> Result<Hit, StoreError> {
    let asked = match item.kind {
        ItemKind::Prompt => None,
        _ => history.neighbour(source.no, item.place, false, &[ItemKind::Prompt])?,
    };
    let next = history.neighbour(source.no, item.until.unwrap_or(item.place), true, &[])?;
    let in_a_line = |item: HistoryItem| (item.place, item.line().to_owned());
    let text = if item.body.is_empty() { &item.title } else { &item.body };
    Ok(Hit {
        session: source.thread.session.clone(),
        subagent: Some(source.thread.subagent.clone()).filter(|id| !id.is_empty()),
        project: source.project.clone(),
        transcript: source.path.clone(),
        place: item.place,
        note: (item.kind == ItemKind::Note).then(|| item.part.saturating_sub(NOTES_FROM)),
        until: item.until,
        at: item.at,
        kind: item.kind,
        failed: item.failed,
        author: item.author,
        snippet: snippet(text, query),
        asked: asked.map(in_a_line),
        next: next.map(in_a_line),
        score,
        title: item.title,
    })
}

/// The stretch of a text with the most of the words that were looked for; its start where there are none.
pub fn snippet(text: &str, query: &Query) -> Snippet {
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
    let found: Vec<(usize, usize, usize)> = words(text)
        .filter_map(|(start, word)| fits(word).map(|which| (start, start + word.len(), which)))
        .take(500)
        .collect();
    let best = found
        .iter()
        .max_by_key(|(start, ..)| {
            let within = found.iter().filter(|(s, ..)| s >= start && *s < start + SNIPPET * 3 / 4);
            let distinct: HashSet<usize> = within.map(|(.., which)| *which).collect();
            (distinct.len(), std::cmp::Reverse(*start))
        })
        .map_or(0, |(start, ..)| *start);
    cut_out(text, best, &found)
}

fn cut_out(text: &str, best: usize, found: &[(usize, usize, usize)]) -> Snippet {
    let start = head_of(text, best.saturating_sub(SNIPPET / 4)).len();
    // From the start of a line or word.
    let start = if start == 0 {
        0
    } else {
        let before_match = &text[start..best];
        let line = before_match.rfind('\n').filter(|at| before_match.len() - at > SNIPPET / 8);
        start + line.or_else(|| before_match.find(char::is_whitespace)).map_or(0, |at| at + 1)
    };
    let mut snippet = Snippet::default();
    if start > 0 {
        snippet.text.push_str("… ");
    }
    let mut characters = 0;
    let mut space = true;
    for (at, c) in text[start..].char_indices().map(|(at, c)| (at + start, c)) {
        if characters >= SNIPPET {
            snippet.text.push('…');
            break;
        }
        if let Some((_, end, _)) = found.iter().find(|(from, ..)| *from == at) {
            let here = snippet.text.len();
            snippet.matches.push((here, here + end - at));
        }
        // One line: any white space is a space, several are one.
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

/// Words of the index that are one or two letters away, or that go on where this one ends.
fn nearest(history: &History, word: &str) -> Result<Vec<String>, StoreError> {
    let letters: Vec<char> = word.chars().collect();
    let most = if letters.len() <= 4 { 1 } else { 2 };
    let start: String = letters.iter().take(if letters.len() > 4 { 2 } else { 1 }).collect();
    let mut candidates = history.words(&start, COMPARED)?;
    if let Some(second) = letters.get(1) {
        // Its first two letters may be the wrong way round, or the first one missing.
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

/// Letters to change, add, take away or swap with their neighbour; `None` above `most`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    Some(strsim::osa_distance(one, other)).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_snippet_shows_where_most_of_the_words_are() {
        let text =
            format!("needle alone {} the needle\nin a   haystack {}", "x ".repeat(400), "y ".repeat(400));
        let snippet = snippet(&text, &Query::parse("needle haystack", 0));
        assert!(snippet.text.starts_with("… ") && snippet.text.ends_with('…'), "{}", snippet.text);
        let matched: Vec<&str> = snippet.matches.iter().map(|(from, to)| &snippet.text[*from..*to]).collect();
        assert_eq!(matched, ["needle", "haystack"]);
    }

    #[test]
    fn near_words_are_a_letter_or_two_away() {
        let of = |one: &str, other: &str| distance(one, other, 2);
        assert_eq!(of("compaction", "compaction"), Some(0));
        assert_eq!(of("comapction", "compaction"), Some(1));
        assert_eq!(of("compacton", "compaction"), Some(1));
        assert_eq!(of("compaction", "compression"), None);
    }

    proptest! {
        #[test]
        fn a_snippet_of_any_text_is_one_short_line_with_sound_matches(text in any::<String>(), typed in any::<String>()) {
            let snippet = snippet(&text, &Query::parse(&typed, 0));
            prop_assert!(snippet.text.chars().count() <= SNIPPET + 3);
            prop_assert!(!snippet.text.contains(|c: char| c.is_control()));
            for (from, to) in snippet.matches {
                prop_assert!(snippet.text.get(from..to).is_some_and(|m| !m.is_empty()));
            }
        }
    }
}
