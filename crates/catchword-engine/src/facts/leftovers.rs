//! What the agent left unfinished in the code: stubs, disabled lines, "for now", one line per file; and edits that it
//! called temporary.

use super::{Fact, KnownText, Section};
use crate::quote::name;
use crate::session::Session;
use crate::session::leftovers::Leftover;
use crate::session::shown::shown_path;
use crate::session::stopgaps::Stopgap;
use crate::text::numbers::count_of;

/// Files named, the latest ones.
const MAX_LEFTOVER_FILES: usize = 4;
/// Temporary edits shown, the latest ones, and characters of a line that one took out.
const MAX_STOPGAPS: usize = 3;
const MAX_TAKEN_OUT: usize = 60;

/// Files with such lines, unless the summary quotes them.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let mut files: Vec<(&str, Vec<&Leftover>)> = Vec::new();
    let is_there = |path: &str| session.files.iter().any(|(known, file)| known == path && file.is_changed());
    for left in session.leftovers.iter().rev().filter(|left| is_there(&left.path)) {
        if known.has(left.line.to_compare()) || known.keeps(left.place) {
            continue;
        }
        match files.iter_mut().find(|(path, _)| *path == left.path) {
            Some((_, lines)) => lines.push(left),
            None => files.push((&left.path, vec![left])),
        }
    }
    files.truncate(MAX_LEFTOVER_FILES);
    let left = files.iter().map(|(path, lines)| fact(session, path, lines));
    left.chain(stopgaps(session, known)).collect()
}

/// Edits for the latest request that the agent called temporary and that nothing has undone.
fn stopgaps(session: &Session, known: &KnownText) -> Vec<Fact> {
    // What the person has said since may be about it.
    let asked = session.asked().last().map(|prompt| prompt.place);
    let is_new = |stopgap: &&Stopgap| {
        Some(stopgap.place) > asked
            && !known.keeps(stopgap.place)
            && !stopgap.taken_out.iter().all(|line| known.has(line.to_compare()))
    };
    let latest = session.stopgaps.iter().rev().filter(is_new).take(MAX_STOPGAPS);
    latest
        .map(|stopgap| {
            let path = name(shown_path(session, &stopgap.path), 200);
            let lines: Vec<String> =
                stopgap.taken_out.iter().map(|line| line.quoted(MAX_TAKEN_OUT)).collect();
            let text = format!(
                "for the time being, in the agent's words {}; its edit of {path} took out {}",
                stopgap.sentence.quoted(240),
                lines.join(", ")
            );
            let fact = Fact::new(Section::Work, stopgap.sentence.to_compare(), text).at(stopgap.place);
            fact.worth(0.5, "the agent called the change temporary")
        })
        .collect()
}

fn fact(session: &Session, path: &str, lines: &[&Leftover]) -> Fact {
    let shown = name(shown_path(session, path), 200);
    let all: usize = lines.iter().map(|left| usize::from(left.times)).sum();
    // The plainest mark, or the first one written: the others usually follow from it.
    let is_plain = |left: &&&Leftover| {
        let lower = left.line.to_compare().to_lowercase();
        ["todo", "fixme", "placeholder", "stub"].iter().any(|mark| lower.contains(mark))
    };
    let first = lines.iter().rev().find(is_plain).unwrap_or(&lines[lines.len() - 1]);
    // The mark that stands most often says what the others are.
    let others = lines.iter().filter(|left| left.line != first.line);
    let most = others.max_by_key(|left| left.times).filter(|left| left.times > 2);
    let named = usize::from(first.times) + most.map_or(0, |left| usize::from(left.times));
    let often = |left: &Leftover| match left.times {
        0 | 1 => left.line.quoted(140),
        times => format!("{} ({times} times)", left.line.quoted(140)),
    };
    let most = most.map(|left| format!(", {}", often(left))).unwrap_or_default();
    let more = match all - named {
        0 => String::new(),
        more => format!(" and {} of the kind", count_of(more, "other line")),
    };
    let text = format!("left in {shown}: {}{most}{more}", often(first));
    Fact::new(Section::Work, first.line.to_compare(), text)
        .at(first.place)
        .worth(0.5, "the agent's own mark that it is not done")
}
