//! What the agent found out, in its words: causes, what it ruled out, what it fixed.
//!
//! A summary says what was done and omits what was ruled out, so the next agent checks it again.

use super::decisions::is_rejected;
use super::failures::changed_since;
use super::quotations::{is_overtaken, latest_changes};
use super::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::quote::quote_foreign;
use crate::session::discoveries::{latest_discoveries, names_an_absence};
use crate::session::{AgentText, Session};
use crate::text::reply::is_reply;
use crate::text::specifics::specifics;

/// Latest findings shown.
const MAX_DISCOVERIES: usize = 8;
/// Findings older than this many requests may be outdated.
const MAX_REQUESTS: usize = 2;

/// The sentence says that something is missing, and a later command installs it.
fn was_installed(session: &Session, said: &AgentText, sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let installs = |core: &str| core.contains("install") || core.contains(" add ");
    let later = session.commands.iter().filter(|(core, run)| run.place > said.place && installs(core));
    names_an_absence(sentence, &lower)
        && later.into_iter().any(|(core, _)| {
            let core = core.to_lowercase();
            specifics(sentence).any(|thing| core.contains(&thing.to_lowercase()))
        })
}

/// Findings that the summary lacks.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let requests = session.asked().iter().filter(|prompt| !is_reply(&prompt.text));
    let since = requests.rev().nth(MAX_REQUESTS).map_or(Place(0), |prompt| prompt.place);
    let changes = latest_changes(session);
    let is_new = |said: &AgentText, sentence: &str| {
        said.place >= since
            && !known.keeps(said.place)
            && !known.mentions(sentence)
            && !known.names_all_of(sentence)
            && !session.was_said_by_person(sentence, said.place)
            && !is_rejected(session, said)
            && !was_installed(session, said, sentence)
            && !is_overtaken(&changes, sentence, said.clock)
    };
    let found = latest_discoveries(session, MAX_DISCOVERIES, is_new).into_iter();
    found
        .map(|(said, sentence)| {
            let said_of = quote_foreign(&sentence.replace("**", ""), 320);
            // What is installed on the machine does not change with the files.
            let is_about_files = !names_an_absence(sentence, &sentence.to_lowercase());
            let since = if is_about_files { changed_since(session, said.clock) } else { String::new() };
            let text = format!("{said_of}{since}");
            Fact::new(Section::Discoveries, sentence, text)
                .at(said.place)
                .worth(0.1, "the agent says what it found")
        })
        .collect()
}
