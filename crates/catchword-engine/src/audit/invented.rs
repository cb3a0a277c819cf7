//! Words that the summary puts into the user's mouth and that the record does not have, not even loosely.
//!
//! Only quotations are told: what stands in quotation marks under "All user messages", or behind "the user said".
//! Everything a person can have said is looked at: prompts, answers, refusals, arguments of slash commands, and
//! the summary that a transcript begins with, which may quote what is older. No other summary counts: a lie does not
//! become true by being repeated.

use std::collections::HashSet;

use super::stems::{Stem, share, stem_set};
use super::summary::{Heading, Summary};
use super::{About, Finding, Kind};
use crate::session::{Session, one_line};

/// The share of a quotation's words that one message must have for it to be a loose quotation.
const LOOSE: f32 = 0.5;
/// Fewer words than this are too few to judge by.
const FEW: usize = 4;

/// Every quotation of nobody.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let said = Heard::new(session);
    let (mut found, mut judged, mut strange) = (Vec::new(), 0, 0);
    for unit in summary.units.iter().filter(|unit| !unit.fenced) {
        let listed = unit.under == Heading::UserMessages;
        let quote = if listed { listed_quote(unit.text) } else { attributed(unit.text) };
        let (words, sure): (&str, f32) = match quote {
            Some(quote) => (quote, if listed { 0.85 } else { 0.78 }),
            None if listed => (unit.text, 0.4),
            None => continue,
        };
        if is_the_clients(words) {
            continue;
        }
        let Some(share) = said.best_share(words) else { continue };
        judged += usize::from(quote.is_some() && listed);
        if share >= LOOSE {
            continue;
        }
        strange += usize::from(quote.is_some() && listed);
        // Words given with the compaction itself come into the transcript behind it.
        let unsure = share >= 0.34 || words.to_lowercase().contains("compact");
        found.push(Finding {
            kind: Kind::Invented,
            fact: About::Quote,
            text: one_line(words, 300),
            place: None,
            summary_quote: Some(one_line(unit.text, 300)),
            confidence: if unsure { sure.min(0.6) } else { sure },
        });
    }
    // A summary that quotes much that the record has not was made from more than this record: old clients keep no
    // queued messages, and a resumed session may begin in another file.
    if strange > 1 && strange * 5 > judged {
        for finding in &mut found {
            finding.confidence = finding.confidence.min(0.6);
        }
    }
    found
}

/// What was said, message by message.
struct Heard {
    messages: Vec<HashSet<Stem>>,
    all: HashSet<Stem>,
}

impl Heard {
    fn new(session: &Session) -> Heard {
        let prompts = session.prompts.iter().map(|p| stem_set(&p.text));
        let answers = session.answers.iter().map(|a| stem_set(&format!("{} {}", a.question, a.answer)));
        let refusals = session.refusals.iter().map(|r| stem_set(&format!("{} {}", r.what, r.reason)));
        let skills = session.skills.iter().map(|s| stem_set(&format!("{} {}", s.name, s.args)));
        // A reply that means nothing alone is quoted with what it answers.
        let replies = session.prompts.iter().filter_map(|p| Some(stem_set(&p.answers.as_ref()?.1)));
        let plan = session.plan.iter().map(|p| stem_set(&p.text));
        let beginning = session.beginning.iter().flat_map(|text| text.lines().map(stem_set));
        let beside = session.beside.iter().map(|text| stem_set(text));
        let messages: Vec<HashSet<Stem>> = prompts
            .chain(beside)
            .chain(answers)
            .chain(refusals)
            .chain(skills)
            .chain(replies)
            .chain(plan)
            .chain(beginning)
            .collect();
        let all = messages.iter().flatten().copied().collect();
        Heard { messages, all }
    }

    /// The largest share of these words that one message has; nothing where they are too few.
    fn best_share(&self, words: &str) -> Option<f32> {
        let wanted = stem_set(words);
        if wanted.len() < FEW || self.messages.is_empty() {
            return None;
        }
        let best = self.messages.iter().map(|m| share(&wanted, m)).fold(0.0, f32::max);
        // Two messages quoted as one, or a quotation with an insertion of the summary's own.
        let spread = share(&wanted, &self.all) * 0.6;
        Some(best.max(spread))
    }
}

/// What the client says after a compaction, in the user's place; no part of the record.
fn is_the_clients(words: &str) -> bool {
    let lower = words.to_lowercase();
    [
        "continue the conversation from where",
        "is being continued from a previous conversation",
        "continuation prompt",
    ]
    .iter()
    .any(|mark| lower.contains(mark))
}

/// The quotation in a list item: from its first mark to its last, when it is most of the item.
fn listed_quote(item: &str) -> Option<&str> {
    let quote = between_marks(item)?;
    let before = item.split(['"', '“']).next().unwrap_or_default();
    (before.len() < 80 && quote.len() > 12).then_some(quote)
}

/// The quotation behind "the user said".
fn attributed(unit: &str) -> Option<&str> {
    const VERBS: [&str; 9] =
        ["said", "asked", "requested", "stated", "wrote", "instructed", "insisted", "explicit", "told"];
    let at = unit.find(['"', '“'])?;
    let lead = unit[..at].to_lowercase();
    let near: String = lead.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
    let user = near.contains("user");
    let verb = VERBS.iter().any(|verb| near.contains(verb));
    (user && verb).then(|| between_first_marks(&unit[at..])).flatten().filter(|q| q.len() > 12)
}

fn between_marks(text: &str) -> Option<&str> {
    let start = text.find(['"', '“'])?;
    let from = start + text[start..].chars().next()?.len_utf8();
    let end = text.rfind(['"', '”'])?;
    (end > from).then(|| &text[from..end])
}

fn between_first_marks(text: &str) -> Option<&str> {
    let from = text.chars().next()?.len_utf8();
    let end = from + text[from..].find(['"', '”'])?;
    (end > from).then(|| &text[from..end])
}
