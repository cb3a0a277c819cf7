//! What the person asked for: the goal, the latest request, and what else the summary does not quote.
//!
//! A goal drifts over many compactions because each summary retells the one before; the record goes back to
//! the person's own words. "Yes" and "go on" mean nothing alone and are shown with what they answered.

use super::text::{harmless, quote};
use super::{Fact, Known, Section};
pub use crate::session::reply::is_reply;
use crate::session::{Prompt, Session, one_line};

/// Most characters of one request.
const LONG: usize = 640;
/// Most characters of one when space is short.
const SHORT: usize = 240;

/// Most characters of one that the summary quotes: enough to know which one is meant.
const HINT: usize = 60;
/// Most characters of one between the two: whole in nearly all cases, and no paste pushes out the others.
const EARLIER: usize = 620;

/// The person's requests.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let asked: Vec<&Prompt> = session.prompts.iter().filter(|p| !is_reply(&p.text)).collect();
    // Where a new matter was begun in so many words, that is the goal; what was asked before it is history.
    let begin = asked.iter().rposition(|p| begins_anew(&p.text)).unwrap_or(0);
    let (before, asked) = asked.split_at(begin);
    let Some((first, rest)) = asked.split_first() else {
        return last_reply(session, None).into_iter().collect();
    };
    let mut facts: Vec<Fact> = before.iter().filter_map(|prompt| earlier(prompt, known)).collect();
    facts.push(goal_fact(first, known));
    if let Some((last, between)) = rest.split_last() {
        facts.extend(between.iter().filter_map(|prompt| earlier(prompt, known)));
        facts.push(latest(last, known));
    }
    facts.extend(last_reply(session, asked.last()));
    facts
}

/// The request that the session is about: the first, or the latest that began something new.
pub fn goal(session: &Session) -> Option<&Prompt> {
    let asked: Vec<&Prompt> = session.prompts.iter().filter(|p| !is_reply(&p.text)).collect();
    let begin = asked.iter().rposition(|p| begins_anew(&p.text)).unwrap_or(0);
    asked.get(begin).copied()
}

/// The goal: always there, so that it does not drift from one summary to the next; a hint where the summary
/// quotes it.
fn goal_fact(prompt: &Prompt, known: &Known) -> Fact {
    let (long, short) = if is_quoted(prompt, known) { (HINT, HINT) } else { (LONG, SHORT) };
    leading("Goal", prompt, long, short).must()
}

/// The latest request; where the summary quotes it, only when there is room.
fn latest(prompt: &Prompt, known: &Known) -> Fact {
    if is_quoted(prompt, known) {
        let fact = leading("Latest", prompt, SHORT, HINT);
        return fact.worth(0.05, "the latest request, quoted by the summary");
    }
    leading("Latest", prompt, LONG, SHORT).must()
}

fn leading(role: &str, prompt: &Prompt, long: usize, short: usize) -> Fact {
    let form = |most| format!("{role}: {}", quote(&prompt.text, most));
    let fact = Fact::new(Section::Asked, &prompt.text, form(long)).at(prompt.place).or(form(short));
    fact.worth(3.0, format!("{} request of the session", role.to_lowercase()))
}

fn is_quoted(prompt: &Prompt, known: &Known) -> bool {
    known.quotes(&head(&prompt.text))
}

/// A request between the two, where the summary does not quote it; the newest first.
fn earlier(prompt: &Prompt, known: &Known) -> Option<Fact> {
    if is_quoted(prompt, known) {
        return None;
    }
    let fact = Fact::new(Section::Asked, &prompt.text, quote(&prompt.text, EARLIER)).at(prompt.place);
    Some(fact.worth(1.0 + prompt.place.0 as f32 * 1e-6, "the summary does not quote it").reserved())
}

fn head(text: &str) -> String {
    text.chars().take(600).collect()
}

/// A reply after the latest request, with what it answered.
fn last_reply(session: &Session, latest: Option<&&Prompt>) -> Option<Fact> {
    let reply =
        session.prompts.last().filter(|p| is_reply(&p.text) && latest.is_none_or(|l| l.place < p.place))?;
    let (at, question) = reply.answers.as_ref()?;
    let asked = question.lines().rev().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let tail: String = one_line(&harmless(asked), 300);
    let text = format!("Reply: {} to the agent's \"{tail}\" ({at})", quote(&reply.text, 100));
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
    let plain = text.trim_start().to_lowercase().replace('’', "'");
    let plain = ["ok ", "ok, ", "okay, ", "great, ", "thanks, ", "alright, "]
        .iter()
        .find_map(|filler| plain.strip_prefix(filler))
        .unwrap_or(&plain);
    text.len() > 30 && OPENINGS.iter().any(|opening| plain.starts_with(opening))
}
