//! What the agent found out, in its words: causes, what it ruled out, what it fixed.
//!
//! A summary says what was done and omits what was ruled out, so the next agent checks it again.

use super::decisions::is_rejected;
use super::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::session::discoveries::latest_discoveries;
use crate::session::{AgentText, Session};
use crate::text::quote::quote_foreign;
use crate::text::reply::is_reply;

/// Latest findings shown.
const MAX_DISCOVERIES: usize = 8;
/// Findings older than this many requests may be outdated.
const MAX_REQUESTS: usize = 2;

/// Findings that the summary lacks.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let requests = session.asked().iter().filter(|prompt| !is_reply(&prompt.text));
    let since = requests.rev().nth(MAX_REQUESTS).map_or(Place(0), |prompt| prompt.place);
    let is_new = |said: &AgentText, sentence: &str| {
        said.place >= since
            && !known.keeps(said.place)
            && !known.mentions(sentence)
            && !known.names_all_of(sentence)
            && !session.was_said_by_person(sentence, said.place)
            && !is_rejected(session, said)
    };
    let found = latest_discoveries(session, MAX_DISCOVERIES, is_new).into_iter();
    found
        .map(|(said, sentence)| {
            let text = quote_foreign(&sentence.replace("**", ""), 320);
            Fact::new(Section::Discoveries, sentence, text)
                .at(said.place)
                .worth(0.1, "the agent says what it found")
        })
        .collect()
}
