//! The record by worth, beside no summary: for the summariser, handoff, notes and replay.

use std::collections::HashSet;
use std::ops::RangeBounds;

use super::features::features_where;
use super::weights::FITTED;
use super::{Candidate, KnownText, candidates};
use crate::model::entry::Place;
use crate::record::{Kind, Observation, Refusal};
use crate::session::Session;

/// What the agent said and ran, the highest score first.
pub struct Ranking<'a> {
    session: &'a Session,
    best: Vec<&'a Observation>,
}

impl<'a> Ranking<'a> {
    pub fn of(session: &'a Session) -> Ranking<'a> {
        let all = candidates(&session.record);
        let request = session.prompts.last().map(|prompt| session.text_of(prompt)).unwrap_or_default();
        let is_wanted =
            |candidate: &Candidate| matches!(candidate.seen.what, Kind::Said(_) | Kind::Ran { .. });
        let measured = features_where(&all, &KnownText::default(), &request, is_wanted);
        let mut scored: Vec<(f32, &Observation)> =
            measured.iter().map(|(at, line)| (FITTED.score(&line.features), all[*at].seen)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        // What several runs say together has the latest of them, which is a line of its own.
        let mut ids = HashSet::new();
        scored.retain(|(_, seen)| ids.insert((seen.place, seen.part)));
        Ranking { session, best: scored.into_iter().map(|(_, seen)| seen).collect() }
    }

    /// The best of a kind, in the order of the record.
    pub fn best(&self, is_wanted: impl Fn(&Observation) -> bool, most: usize) -> Vec<&'a Observation> {
        let wanted = self.best.iter().copied().filter(|seen| is_wanted(seen));
        let mut best: Vec<&Observation> = wanted.take(most).collect();
        best.sort_by_key(|seen| (seen.place, seen.part));
        best
    }

    /// The best of what the agent said there: what it decided and found, in any words and language. What the person
    /// objected to right away is neither.
    pub fn said(&self, within: impl RangeBounds<Place>, most: usize) -> Vec<&'a Observation> {
        let is_said = |seen: &Observation| matches!(seen.what, Kind::Said(_)) && within.contains(&seen.place);
        self.best(|seen| is_said(seen) && !is_rejected(self.session, seen.place), most)
    }
}

/// The person objected to what was said there, or refused a call right after it.
fn is_rejected(session: &Session, place: Place) -> bool {
    let next = session.prompts.iter().find(|prompt| prompt.place > place);
    let refused = session.record.refusals().find(|refusal| refusal.place > place);
    let is_before_next = |refusal: &Refusal| next.is_none_or(|next| refusal.place < next.place);
    next.is_some_and(|next| next.reads.objects) || refused.is_some_and(|refusal| is_before_next(&refusal))
}
