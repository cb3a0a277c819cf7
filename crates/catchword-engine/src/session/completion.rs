//! Whether the record shows that a request was carried out.
//!
//! An answer alone is not evidence. Every part of the request must be named by something done for it: a changed file, a
//! command, a commit, or a sentence in which the agent reports something done. If the last answer says what is not done
//! or comes next, the request stays open. In doubt it is not called finished.

use std::collections::HashSet;

use super::spans::{TaskKind, TaskSpan};
use super::{AgentText, Session};
use crate::model::entry::Place;
use crate::reading::prose::{leaves_something, sentences_that};
use crate::text::passages::{Voice, passages};
use crate::text::phrases::ReadSentence;
use crate::text::sentences::own_sentences;
use crate::text::stems::{COMMON, Stem, share, stem_set};

/// Share of a part's word stems that the evidence must contain.
const ENOUGH: f32 = 0.3;

/// Whether the record shows that every part of the request or task was carried out.
pub fn is_carried_out(session: &Session, span: &TaskSpan) -> bool {
    let Some(end) = span.end.map(|end| end.place) else { return false };
    if is_contradicted(session, span, end) {
        return false;
    }
    // A task needs no more evidence: the brief attributes its status to the task list.
    span.kind != TaskKind::Request || is_answered_with_evidence(session, span, end)
}

/// The agent said later that part of it is not done.
fn is_contradicted(session: &Session, span: &TaskSpan, end: Place) -> bool {
    let subject = span.subject.to_lowercase();
    let is_of_it = |names: &[String]| names.iter().any(|name| subject.contains(name.as_str()));
    session.remaining.iter().any(|work| work.place > end && is_of_it(&work.untouched))
}

fn is_answered_with_evidence(session: &Session, span: &TaskSpan, end: Place) -> bool {
    let is_within = |place: Place| (span.start.place..=end).contains(&place);
    let said: Vec<&AgentText> = session.said.iter().filter(|said| is_within(said.place)).collect();
    if said.last().is_none_or(|answer| leaves_something(&answer.text)) {
        return false;
    }
    let mut done: HashSet<Stem> = HashSet::new();
    done.extend(span.done.files.iter().flat_map(|path| stem_set(&path.replace(['/', '.', '-'], " "))));
    done.extend(span.done.commands.iter().flat_map(|(command, _)| stem_set(command)));
    done.extend(span.done.commits.iter().flat_map(|(_, subject)| stem_set(subject)));
    let reported = said.iter().flat_map(|said| sentences_that(&said.text, ReadSentence::is_done));
    done.extend(reported.flat_map(stem_set));
    let asked = session.prompts.iter().filter(|prompt| is_within(prompt.place));
    let parts: Vec<HashSet<Stem>> = asked.flat_map(|prompt| parts(&prompt.text)).collect();
    !parts.is_empty() && parts.iter().all(|part| share(part, &done) >= ENOUGH)
}

/// The things a prompt asks for, separately: "write the parser, the exporter and the docs" asks for three.
fn parts(prompt: &str) -> Vec<HashSet<Stem>> {
    let all = passages(prompt);
    let typed: Vec<&str> = all
        .iter()
        .filter(|passage| matches!(passage.voice, Voice::Typed | Voice::Document))
        .flat_map(|passage| own_sentences(passage.text))
        .collect();
    let mut asking: Vec<&str> =
        typed.iter().copied().filter(|sentence| ReadSentence::new(sentence).is_request()).collect();
    if asking.is_empty() {
        asking = typed;
    }
    let things = asking.iter().flat_map(|sentence| {
        sentence
            .split([',', ';'])
            .flat_map(|piece| piece.split(" and "))
            .map(|thing| &stem_set(thing) - &COMMON)
    });
    things.filter(|thing| !thing.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;

    fn carried_out(asked: &str, files: &[&str], answer: &str) -> bool {
        let mut transcript = Transcript::new().prompt(asked);
        for file in files {
            transcript = transcript.write(&format!("/home/user/project/{file}"));
        }
        let session = fold(&transcript.says(answer).prompt("Now something else: name the release."));
        session.spans.finished().all(|span| is_carried_out(&session, span))
    }

    #[test]
    fn a_request_needs_evidence_for_each_of_its_parts() {
        let asked = "Write the parser, the exporter and the docs";
        let all = ["src/parser.rs", "src/exporter.rs", "docs/index.md"];
        assert!(carried_out(asked, &all, "All three are there."));
        assert!(carried_out(asked, &all[..1], "Parser, exporter and docs are written."));
        assert!(!carried_out(asked, &all[..2], "The parser and the exporter work."), "no docs");
        assert!(!carried_out(asked, &all, "The parser works; exporter and docs not started."));
        assert!(!carried_out(asked, &all, "The parser works. Remaining: the exporter and the docs."));
        assert!(!carried_out(asked, &all, "The parser works.\n\nNext: the exporter."));
        assert!(!carried_out(asked, &all[..1], "Here is the parser. Have a look."));
    }
}
