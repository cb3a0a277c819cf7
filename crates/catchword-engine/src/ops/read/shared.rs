//! What the shared archive knows of what is not on this machine: other projects, of one's other machines and the team.
//!
//! The engine does not use a network: the program asks, within a deadline ([`Surroundings::shared`]). What does not answer
//! in time is said, not waited for.
//!
//! [`Surroundings::shared`]: super::reader::Surroundings::shared

use std::collections::BTreeMap;

use serde::Serialize;

use super::reader::{ReadError, Reader};
use crate::archive::asked::{SharedAnswer, SharedFound, SharedQuestion};
use crate::archive::history::History;
use crate::archive::history::query::Query;
use crate::archive::{SharedMatch, SharedSource};
use crate::ops::search::{Hit, Options, SearchResult, shared_hits};

/// Whether the shared archive was asked; null if there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SharedState {
    pub answered: bool,
    /// Why not.
    pub why: Option<String>,
}

/// Adds what the shared archive finds to what was found here.
pub fn add_shared(
    reader: &Reader,
    query: &Query,
    options: &Options,
    found: &mut SearchResult,
) -> Result<Option<SharedState>, ReadError> {
    let sources = reader.history.as_ref().map(History::sources).transpose()?.unwrap_or_default();
    let mut without: Vec<String> = sources.iter().filter_map(|source| source.project_key.clone()).collect();
    without.sort_unstable();
    without.dedup();
    let question = SharedQuestion::Find { query: query.clone(), without, most: options.limit };
    let mut answer = match (reader.machine.shared)(question) {
        SharedAnswer::NoArchive => return Ok(None),
        SharedAnswer::Silent(why) => return Ok(Some(SharedState { answered: false, why: Some(why) })),
        SharedAnswer::Found(answer) => answer,
    };
    answer.matches.retain(|one| {
        let is_here =
            |source: &SharedSource| sources.iter().any(|own| own.thread.session == source.key.session);
        one.sources.iter().all(|source| !is_here(source) && may_see(reader, source))
    });
    for one in &mut answer.matches {
        mask(reader, one);
    }
    let mut hits = shared_hits(&answer, query, options);
    for machine in hits.iter_mut().filter_map(|hit| hit.machine.as_mut()) {
        *machine = machine_name(machine, &answer.machines);
    }
    if !hits.is_empty() {
        found.advice = None;
        found.fitting += hits.len();
        found.hits = merged(std::mem::take(&mut found.hits), hits);
    }
    Ok(Some(SharedState { answered: true, why: None }))
}

/// Two lists, each by session and best first, as one: whoever has all of the words first, then the better best passage.
fn merged(here: Vec<Hit>, there: Vec<Hit>) -> Vec<Hit> {
    let grouped = |hits: Vec<Hit>| {
        let mut groups: Vec<Vec<Hit>> = Vec::new();
        for hit in hits {
            match groups.last_mut().filter(|group| group[0].session == hit.session) {
                Some(group) => group.push(hit),
                None => groups.push(vec![hit]),
            }
        }
        groups.into_iter().peekable()
    };
    let (mut here, mut there) = (grouped(here), grouped(there));
    let rank = |group: &Vec<Hit>| (group[0].has_all, group[0].score);
    let mut all = Vec::new();
    loop {
        let takes_here = match (here.peek().map(rank), there.peek().map(rank)) {
            (None, None) => break,
            (Some(here), Some(there)) => here >= there,
            (here, None) => here.is_some(),
            (None, _) => false,
        };
        all.extend(if takes_here { here.next() } else { there.next() }.into_iter().flatten());
    }
    for (at, hit) in all.iter_mut().enumerate() {
        hit.number = at + 1;
    }
    all
}

/// What the shared archive has of a session that is not here; empty if it has none of it.
pub fn asked(
    reader: &Reader,
    question: SharedQuestion,
) -> (Vec<SharedMatch>, SharedFound, Option<SharedState>) {
    match (reader.machine.shared)(question) {
        SharedAnswer::NoArchive => (Vec::new(), SharedFound::default(), None),
        SharedAnswer::Silent(why) => {
            let state = SharedState { answered: false, why: Some(why) };
            (Vec::new(), SharedFound::default(), Some(state))
        }
        SharedAnswer::Found(mut found) => {
            let mut matches = std::mem::take(&mut found.matches);
            matches.retain(|one| one.sources.iter().all(|source| may_see(reader, source)));
            for one in &mut matches {
                mask(reader, one);
            }
            (matches, found, Some(SharedState { answered: true, why: None }))
        }
    }
}

fn may_see(reader: &Reader, source: &SharedSource) -> bool {
    let folder = source.project.as_deref().map(std::path::Path::new);
    reader.viewer.sees(&source.key.session, folder, None)
}

/// It was masked where it was recorded; what was forgotten on this machine is masked here.
fn mask(reader: &Reader, one: &mut SharedMatch) {
    for text in [&mut one.item.title, &mut one.item.body] {
        *text = reader.mask.text(text).into_owned();
    }
    for source in &mut one.sources {
        source.title = source.title.as_deref().map(|title| reader.mask.text(title).into_owned());
    }
}

/// Where and by whom something was recorded.
pub fn recorded_by(machine: &str, person: Option<&str>) -> String {
    person.map_or_else(|| machine.to_owned(), |person| format!("{machine} by {person}"))
}

/// What a machine is called: its name, or the start of its id.
pub fn machine_name(machine: &str, names: &BTreeMap<String, String>) -> String {
    names.get(machine).cloned().unwrap_or_else(|| machine.chars().take(8).collect())
}
