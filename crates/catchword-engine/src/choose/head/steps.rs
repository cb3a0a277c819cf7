//! The last steps before the cut, where the client keeps nothing of the conversation: nobody else can tell the agent what
//! it was doing. With a summary they are lines of the reference like any other.

use std::collections::HashSet;

use crate::choose::shown::shown;
use crate::choose::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::record::{Kind, Observation, Standing};
use crate::session::Session;

/// Calls that are told. Ten is about one round of looking, changing and checking.
const STEPS: usize = 10;

pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    if !known.has_no_summary() {
        return Vec::new();
    }
    let is_call = |seen: &&Observation| {
        let is_one = matches!(seen.what, Kind::Ran { .. } | Kind::Called { .. } | Kind::Touched(_));
        is_one && !matches!(seen.state, Standing::Withdrawn(_))
    };
    let calls: Vec<&Observation> = session.record.iter().filter(is_call).collect();
    let runs: HashSet<Place> =
        calls.iter().filter(|seen| matches!(seen.what, Kind::Ran { .. })).map(|seen| seen.place).collect();
    let mut places: Vec<Place> = calls.iter().map(|seen| seen.place).collect();
    places.dedup();
    let from = places.len().saturating_sub(STEPS);
    let Some(first) = places.get(from) else { return Vec::new() };
    // What a command did to files, its line says.
    let is_told = |seen: &&&Observation| {
        seen.place >= *first && (matches!(seen.what, Kind::Ran { .. }) || !runs.contains(&seen.place))
    };
    calls.iter().filter(is_told).map(|seen| fact(session, seen)).collect()
}

fn fact(session: &Session, seen: &Observation) -> Fact {
    let fact = Fact::new(Section::Steps, &seen.words, shown(session, seen)).at(seen.place);
    fact.because("one of the last steps, and nothing else of them is kept").beside()
}
