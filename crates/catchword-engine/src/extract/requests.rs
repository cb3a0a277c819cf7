//! What the person asked for: the goal, the latest request, and what else the summary does not quote.
//!
//! A goal drifts over many compactions because each summary retells the one before; the record goes back to
//! the person's own words. "Yes" and "go on" mean nothing alone and are shown with what they answered.

use super::text::{harmless, quote};
use super::{Fact, Known, Section};
use crate::session::{Prompt, Session, one_line};

/// Most characters of one request.
const LONG: usize = 900;
/// Most characters of one when space is short.
const SHORT: usize = 240;

/// The person's requests.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let asked: Vec<&Prompt> = session.prompts.iter().filter(|p| !is_reply(&p.text)).collect();
    let Some((goal, rest)) = asked.split_first() else { return Vec::new() };
    let mut facts = vec![leading("Goal", goal, known)];
    if let Some((latest, between)) = rest.split_last() {
        facts.extend(between.iter().filter_map(|prompt| earlier(prompt, session, known)));
        facts.push(leading("Latest", latest, known));
    }
    facts.extend(last_reply(session, asked.last()));
    facts
}

/// The goal or the latest request: always there, short where the summary quotes it.
fn leading(role: &str, prompt: &Prompt, known: &Known) -> Fact {
    let most = if known.quotes(&prompt.text) { SHORT } else { LONG };
    Fact::new(Section::Asked, &prompt.text, format!("{role}: {}", quote(&prompt.text, most)))
        .at(prompt.place)
        .or(format!("{role}: {}", quote(&prompt.text, SHORT)))
        .worth(3.0, format!("{} request of the session", role.to_lowercase()))
        .must()
}

/// A request between the two, where the summary does not quote it.
fn earlier(prompt: &Prompt, session: &Session, known: &Known) -> Option<Fact> {
    if known.quotes(&head(&prompt.text)) {
        return None;
    }
    let age = session.clock.saturating_sub(prompt.clock);
    let weight = 1.5 + 1.5 * 0.5_f32.powf(age as f32 / 80.0);
    let fact = Fact::new(Section::Asked, &prompt.text, quote(&prompt.text, 620));
    Some(fact.at(prompt.place).worth(weight, "the summary does not quote it"))
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

/// Words that agree or wave on and ask for nothing.
pub fn is_reply(text: &str) -> bool {
    const REPLIES: &[&str] = &[
        "yes", "y", "yep", "yeah", "yup", "ok", "okay", "sure", "no", "nope", "go", "on", "ahead",
        "continue", "please", "proceed", "next", "done", "thanks", "thank", "you", "great", "good",
        "perfect", "nice", "cool", "lgtm", "do", "it", "sounds", "looks", "keep", "going", "carry", "resume",
        "right", "correct", "exactly", "agreed", "approved", "try", "again", "retry", "hi", "hello", "that",
        "works", "awesome", "fine",
    ];
    let plain: String =
        text.to_lowercase().chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    let words = plain.split_whitespace().collect::<Vec<_>>();
    if words.len() > 6 {
        return false;
    }
    let joined = words.join(" ");
    words.is_empty()
        || REPLIES.contains(&joined.as_str())
        || words.iter().all(|w| REPLIES.contains(w))
        || is_choice(&words)
}

/// "1", "b", "option 2".
fn is_choice(words: &[&str]) -> bool {
    match words {
        [one] => one.len() <= 2,
        ["option" | "choice", one] => one.len() <= 2,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waving_on_is_no_request() {
        for reply in [
            "yes",
            "Yes!",
            "ok, go ahead",
            "continue",
            "1",
            "Option b",
            "  ",
            "👍",
            "yes please",
            "thanks, looks good",
        ] {
            assert!(is_reply(reply), "{reply}");
        }
        for request in
            ["fix it", "yes, but use tabs", "continue with the parser", "run the tests", "no, use postgres"]
        {
            assert!(!is_reply(request), "{request}");
        }
    }
}
