//! Asked for, without a trace so far: what a request or an approved plan names and nothing since contains, and what the
//! agent itself has put off.
//!
//! Not a verdict: the line says what was looked for and not found. Summaries tend to call everything done.

use super::{Fact, KnownText, Section};
use crate::quote::{quote, quote_foreign};
use crate::session::Session;
use crate::session::untraced::{deferred, untraced};

/// Latest ones shown per kind.
const MAX_UNTRACED: usize = 4;

/// Requests without a trace, and what was put off.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let requests = untraced(session);
    let latest = &requests[requests.len().saturating_sub(MAX_UNTRACED)..];
    let asked = latest.iter().map(|request| {
        let text = format!(
            "{}: no edit, command or answer since names {}",
            quote(&request.text.replace("**", ""), 240),
            names(&request.names)
        );
        let fact = Fact::new(Section::Untraced, &request.text, text).at(request.place);
        fact.worth(0.15, "asked for by name, and nothing since has the name")
    });
    let put_off = deferred(session, MAX_UNTRACED, |said, sentence| {
        !known.keeps(said.place) && !known.mentions(sentence)
    });
    let put_off = put_off.into_iter().map(|(said, sentence)| {
        let text = format!("put off by the agent: {}", quote_foreign(&sentence.replace("**", ""), 320));
        let fact = Fact::new(Section::Untraced, sentence, text).at(said.place);
        fact.worth(0.08, "the agent left it for later")
    });
    asked.chain(put_off).collect()
}

fn names(names: &[String]) -> &'static str {
    if names.len() == 1 { "it" } else { "any of it" }
}
