//! What the person asked for: the goal, the latest request, and what else the summary does not quote.
//!
//! A goal drifts over many compactions because each summary retells the one before; the record goes back to
//! the person's own words. "Yes" and "go on" mean nothing alone and are shown with what they answered.

use super::known::Runs;
use super::text::{quote, quote_foreign};
use super::{Fact, Known, Section};
pub use crate::session::reply::is_reply;
use crate::session::{Prompt, Session};

/// Most characters of one request: nearly all are whole, and no paste pushes out the others.
const LONG: usize = 520;
/// Most characters of one when space is short.
const SHORT: usize = 240;

/// Most characters of one that the summary quotes: enough to know which one is meant.
const HINT: usize = 60;
/// Words up to which an earlier request is of its moment: "push it", "commit this".
const PASSING: usize = 2;

/// Earlier requests that are looked at, the latest ones: a brief has room for a few of them.
const LOOKED_AT: usize = 80;

/// The person's requests.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let asked: Vec<&Prompt> = session.prompts.iter().filter(|p| !is_reply(&p.text)).collect();
    // Where a new matter was begun in so many words, that is the goal; what was asked before it is history.
    let begin = asked.iter().rposition(|p| begins_anew(&p.text)).unwrap_or(0);
    let (before, asked) = asked.split_at(begin);
    let Some((first, rest)) = asked.split_first() else {
        return last_reply(session, None).into_iter().collect();
    };
    let mut facts = earlier(before, rest, known);
    facts.push(goal(first, known));
    if let Some((last, between)) = rest.split_last() {
        facts.extend(earlier(between, std::slice::from_ref(last), known));
        facts.push(latest(last, known));
    }
    facts.extend(last_reply(session, asked.last()));
    facts
}

/// The request that everything after it serves: the first, or the first after the person began anew.
pub fn goal_of(session: &Session) -> Option<&Prompt> {
    let asked = || session.prompts.iter().filter(|p| !is_reply(&p.text));
    asked().rfind(|p| begins_anew(&p.text)).or_else(|| asked().next())
}

/// The goal: always there, so that it does not drift from one summary to the next; a hint where the summary
/// quotes it.
fn goal(prompt: &Prompt, known: &Known) -> Fact {
    if is_quoted(prompt, known) {
        return leading("Goal", prompt, &prompt.text, HINT, HINT).must();
    }
    leading("Goal", prompt, &rest_of(prompt, known), LONG, SHORT).must()
}

/// The latest request; where the summary quotes it, only when there is room.
fn latest(prompt: &Prompt, known: &Known) -> Fact {
    if is_quoted(prompt, known) {
        let fact = leading("Latest", prompt, &prompt.text, SHORT, HINT);
        return fact.worth(0.005, "the latest request, quoted by the summary");
    }
    leading("Latest", prompt, &rest_of(prompt, known), LONG, SHORT).must()
}

fn leading(role: &str, prompt: &Prompt, words: &str, long: usize, short: usize) -> Fact {
    let form = |most| format!("{role}: {}", quote(words, most));
    let fact = Fact::new(Section::Asked, &prompt.text, form(long)).at(prompt.place).or(form(short));
    fact.worth(3.0, format!("{} request of the session", role.to_lowercase()))
}

fn is_quoted(prompt: &Prompt, known: &Known) -> bool {
    known.quotes(head(&prompt.text))
}

/// Requests that neither the summary quotes nor a later one repeats; those of two words are of their moment.
fn earlier(prompts: &[&Prompt], later: &[&Prompt], known: &Known) -> Vec<Fact> {
    let mut said = Known::default();
    for prompt in later.iter().rev().take(LOOKED_AT) {
        said.also(&Runs::of(head(&prompt.text)));
    }
    let mut facts = Vec::new();
    for prompt in prompts.iter().rev().take(LOOKED_AT) {
        let passing = prompt.text.split_whitespace().nth(PASSING).is_none();
        let runs = Runs::of(head(&prompt.text));
        if !passing && !known.quotes_all(&runs) && !said.quotes_all(&runs) {
            let text = quote(&rest_of(prompt, known), LONG);
            let weight = 1.0 + prompt.place.0 as f32 * 1e-6;
            let fact = Fact::new(Section::Asked, &prompt.text, text).at(prompt.place);
            facts.push(fact.worth(weight, "the summary does not quote it").reserved());
        }
        said.also(&runs);
    }
    facts.reverse();
    facts
}

/// What the summary does not quote of a request's beginning.
fn rest_of(prompt: &Prompt, known: &Known) -> String {
    let head = head(&prompt.text);
    let rest = known.rest_of(head);
    if head.len() < prompt.text.len() && !rest.ends_with('…') { rest + "…" } else { rest }
}

fn head(text: &str) -> &str {
    let end = text.char_indices().nth(600).filter(|_| text.len() > 600);
    end.map_or(text, |(at, _)| &text[..at])
}

/// A reply after the latest request, with what it answered.
fn last_reply(session: &Session, latest: Option<&&Prompt>) -> Option<Fact> {
    let reply =
        session.prompts.last().filter(|p| is_reply(&p.text) && latest.is_none_or(|l| l.place < p.place))?;
    let (at, question) = reply.answers.as_ref()?;
    let asked = question.lines().rev().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let text =
        format!("Reply: {} to the agent's {} ({at})", quote(&reply.text, 100), quote_foreign(asked, 300));
    let fact = Fact::new(Section::Asked, &reply.text, text);
    Some(fact.at(reply.place).worth(1.5, "the last reply, with what it answered"))
}

/// "New task: …", "let's move on to …": the person says that something else begins.
fn begins_anew(text: &str) -> bool {
    const OPENINGS: [&str; 12] = [
        "new task",
        "next task",
        "new topic",
        "different topic",
        "different task",
        "let's move on to",
        "let's switch to",
        "moving on to",
        "now for something",
        "now something else",
        "now something different",
        "change of plan",
    ];
    let begins =
        |c: char| !c.is_ascii() || matches!(c.to_ascii_lowercase(), 'a' | 'c' | 'd' | 'g' | 'l'..='o' | 't');
    if text.len() <= 30 || !text.trim_start().starts_with(begins) {
        return false;
    }
    // Longer than any opening with what may stand before it.
    let head: String = text.trim_start().chars().take(48).collect();
    let plain = head.to_lowercase().replace('’', "'");
    let plain = ["ok ", "ok, ", "okay, ", "great, ", "thanks, ", "alright, "]
        .iter()
        .find_map(|filler| plain.strip_prefix(filler))
        .unwrap_or(&plain);
    OPENINGS.iter().any(|opening| plain.starts_with(opening))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_matter_is_known_by_how_it_is_opened() {
        for text in [
            "New task: make the parser keep comments",
            "OK, let’s move on to the importer of the other files",
            "  Great, change of plan, we write a lexer first",
            "now something else: the docs of the parser",
            "Thanks, moving on to the docs of the parser",
            "different topic, how do we name the releases",
        ] {
            assert!(begins_anew(text), "{text}");
        }
        for text in
            ["new task", "The new task is to make the parser keep comments", "Ärger: new task for the parser"]
        {
            assert!(!begins_anew(text), "{text}");
        }
    }

    #[test]
    fn a_request_said_again_is_shown_once_and_a_passing_one_not_at_all() {
        let at = |line, text: &str| Prompt {
            place: crate::agent::entry::Place(line),
            text: text.to_owned(),
            clock: 0,
            answers: None,
            time: None,
            turn: 0,
            demands: Vec::new(),
        };
        let prompts = [
            at(1, "check the open comments for fixes"),
            at(2, "push it"),
            at(3, "check the open comments for fixes, and reply to each"),
            at(4, "make the parser keep comments"),
        ];
        let all: Vec<&Prompt> = prompts.iter().collect();
        let places: Vec<_> = earlier(&all, &[], &Known::default()).iter().filter_map(|f| f.place).collect();
        assert_eq!(places, [prompts[2].place, prompts[3].place]);
    }
}
