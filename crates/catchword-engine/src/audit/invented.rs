//! Quotations of the user that no message in the record resembles.
//!
//! Only text in quotation marks counts, under "All user messages" or after "the user said". It is compared with all the
//! user can have said: prompts, answers, refusals, arguments of slash commands, and the summary that a transcript begins
//! with, which may quote older messages. Other summaries do not count: repeating an error does not make it true.

use std::collections::HashSet;

use super::claims::{Cued, is_one_of, lower_words};
use super::summary::{Heading, Summary, Unit};
use crate::clients::has_summary_frame;
use crate::lexicon::summaries::{LANGUAGES, LINKS, ORDERS, SAID, WROTE};
use crate::model::finding::{DOUBTFUL, Finding, FindingKind, FindingSubject, SURE, TOLD};
use crate::record::Message;
use crate::session::{Session, one_line};
use crate::text::marks::quotations;
use crate::text::stems::{Stem, share, stem_set};

/// The share of a quotation's words that one message must have for it to be a loose quotation.
const LOOSE: f32 = 0.5;
/// Fewest words a quotation must have to be judged.
const FEW: usize = 4;
/// The same for an order, which needs fewer: "always deploy with --force".
const FEW_OF_AN_ORDER: usize = 2;
/// Fewest words a quotation must have for comparing it with the words of the whole session.
const FEW_HEARD: usize = 6;
/// Below this share of its words in the whole session, a quotation is foreign to it.
const FOREIGN: f32 = 0.25;
/// From this share of its words in the whole session on, a quotation may be of a message that the record lacks.
const AT_HOME: f32 = 0.75;

/// Every quotation that nobody said.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let said = UserWords::new(session);
    let heard = HeardWords::new(session, &said, summary);
    let (mut found, mut judged, mut strange) = (Vec::new(), 0, 0);
    for (unit, claim) in
        summary.units().iter().flat_map(|unit| claims(unit).into_iter().map(move |c| (unit, c)))
    {
        let QuotedClaim { words, sure } = claim;
        let counted = usize::from(unit.under == Heading::UserMessages && sure >= SURE);
        // The client's own message after a compaction, written as the user, is not part of the record.
        if has_summary_frame(words) || words.contains("continuation prompt") {
            continue;
        }
        let Some(share) = said.best_share(&without_remarks(words)) else { continue };
        judged += counted;
        if share >= LOOSE {
            continue;
        }
        // Instructions given with the compaction are recorded after it.
        let is_order_to_compact = words.to_lowercase().contains("compact");
        strange += if is_order_to_compact { 0 } else { counted };
        let heard = heard.share_of(words);
        let unsure = share >= 0.34 || is_order_to_compact || heard.is_some_and(|heard| heard >= AT_HOME);
        let is_foreign = heard.is_some_and(|heard| heard < FOREIGN);
        let finding = Finding {
            kind: FindingKind::Invented,
            fact: FindingSubject::Quote,
            text: one_line(words, 300),
            place: None,
            summary_quote: Some(one_line(unit.text, 300)),
            confidence: if unsure { DOUBTFUL } else { sure },
        };
        found.push((finding, is_foreign));
    }
    // If many quotations are missing from the record, the record is incomplete: old clients do not store queued messages,
    // and a resumed session may begin in another file. A real message still leaves words in what the agent said and in
    // the rest of the summary.
    let is_incomplete = strange > 1 && strange * 8 > judged;
    let judged = found.into_iter().map(|(mut finding, is_foreign)| {
        if is_incomplete && !is_foreign {
            finding.confidence = DOUBTFUL;
        }
        finding
    });
    judged.collect()
}

/// Every word of the session: what the user and the agent said, and the units of the summary.
struct HeardWords {
    said: HashSet<Stem>,
    agents: Vec<HashSet<Stem>>,
    units: Vec<HashSet<Stem>>,
}

impl HeardWords {
    fn new(session: &Session, theirs: &UserWords, summary: &Summary) -> HeardWords {
        let sentences = session.record.spoken().flat_map(Message::sentences);
        let agents: Vec<HashSet<Stem>> = sentences.map(stem_set).collect();
        let said = agents.iter().flatten().chain(&theirs.all).copied().collect();
        let units = summary.units().iter().map(|unit| stem_set(unit.text)).collect();
        HeardWords { said, agents, units }
    }

    /// The share of a quotation's words that occur anywhere else. `None` if there are too few, or if a sentence of the
    /// agent has them: then we know whose they are.
    fn share_of(&self, words: &str) -> Option<f32> {
        let wanted = stem_set(words);
        let is_agents = self.agents.iter().any(|sentence| share(&wanted, sentence) >= 0.7);
        if wanted.len() < FEW_HEARD || is_agents {
            return None;
        }
        // The quotation itself, and its repetitions, prove nothing.
        let others = self.units.iter().filter(|unit| share(&wanted, unit) < 0.8);
        let all: HashSet<Stem> = others.flatten().chain(&self.said).copied().collect();
        Some(share(&wanted, &all))
    }
}

/// A quotation without the summary's remarks in brackets and without what it left out.
fn without_remarks(words: &str) -> String {
    let mut depth = 0_usize;
    let kept = words.chars().filter(|c| {
        depth += usize::from(*c == '[');
        let is_kept = depth == 0;
        depth = depth.saturating_sub(usize::from(*c == ']'));
        is_kept
    });
    // A path with a gap is no longer a path.
    let kept: String = kept.collect();
    kept.split_whitespace().filter(|word| !word.contains("/...")).collect::<Vec<_>>().join(" ")
}

/// Words that the summary attributes to the user.
struct QuotedClaim<'a> {
    words: &'a str,
    /// Confidence that the summary does attribute them.
    sure: f32,
}

/// The quotations that a unit attributes to the user. A further quotation counts only if hardly a word separates it from
/// the one before; otherwise it may be anybody's.
fn claims<'a>(unit: &Unit<'a>) -> Vec<QuotedClaim<'a>> {
    let listed = unit.under == Heading::UserMessages;
    let quotes = quotations(unit.text);
    let first = quotes
        .first()
        .filter(|first| if listed { first.at < 80 } else { is_attributed(unit.text, first.at) });
    let (Some(_), false) = (first, unit.fenced) else {
        let whole = QuotedClaim { words: unit.text, sure: DOUBTFUL };
        return if listed && !unit.fenced { vec![whole] } else { Vec::new() };
    };
    let (mut sure, mut end) = (SURE, quotes[0].at);
    let mut claims = Vec::new();
    for quote in &quotes {
        if !is_link(&unit.text[end..quote.at]) {
            sure = DOUBTFUL;
        }
        end = quote.end;
        if quote.words.len() > 12 {
            claims.push(QuotedClaim { words: quote.words, sure });
        }
        if !listed && sure < TOLD {
            break;
        }
    }
    claims
}

/// Words that may separate two quotations of the same person.
fn is_link(between: &str) -> bool {
    lower_words(between).iter().all(|word| is_one_of(word, &LINKS)) && !between.contains(['(', '['])
}

/// What the user said, message by message, and what they answered or agreed to.
pub struct UserWords {
    messages: Vec<HashSet<Stem>>,
    all: HashSet<Stem>,
}

impl UserWords {
    pub fn new(session: &Session) -> UserWords {
        // Older clients record text typed while the agent works only in the queue.
        let said = session.prompts.iter().map(|p| &p.text).chain(&session.queued);
        let prompts = said.map(|text| stem_set(text));
        let answers =
            session.record.answers().map(|a| stem_set(&format!("{} {}", a.question.to_compare(), a.answer)));
        let refusals = session.record.refusals().map(|r| stem_set(&format!("{} {}", r.what, r.reason)));
        let skills = session.skills.iter().map(|s| stem_set(&format!("{} {}", s.name, s.args)));
        // A reply that means nothing by itself is quoted together with what it answers.
        let replies = session.prompts.iter().filter_map(|p| Some(stem_set(&session.answered_by(p)?.1)));
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
        UserWords { messages, all }
    }

    /// A message has all of these words.
    pub fn says(&self, words: &str) -> bool {
        let wanted = stem_set(words);
        !wanted.is_empty() && self.messages.iter().any(|message| share(&wanted, message) >= 0.99)
    }

    /// The largest share of these words that one message has.
    pub fn share_of(&self, words: &HashSet<Stem>) -> f32 {
        self.messages.iter().map(|message| share(words, message)).fold(0.0, f32::max)
    }

    /// The share of these words that all messages together have.
    pub fn share_of_all(&self, words: &HashSet<Stem>) -> f32 {
        share(words, &self.all)
    }

    /// Whether the user said nothing.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The largest share of these words that one message has; `None` for too few words.
    fn best_share(&self, words: &str) -> Option<f32> {
        let wanted = stem_set(words);
        let few = if is_order(words) { FEW_OF_AN_ORDER } else { FEW };
        if wanted.len() < few || self.messages.is_empty() {
            return None;
        }
        let best = self.share_of(&wanted);
        // All messages of a long session together contain almost any few words.
        if wanted.len() < FEW {
            return Some(best);
        }
        // Two messages may be quoted as one, or the summary inserted words of its own.
        let spread = share(&wanted, &self.all) * 0.6;
        Some(best.max(spread))
    }
}

/// Words that give a lasting order.
fn is_order(words: &str) -> bool {
    Cued::new(words).has(&ORDERS)
}

/// Preceded by "the user said".
fn is_attributed(unit: &str, at: usize) -> bool {
    let lead = unit[..at].to_lowercase();
    let near: String = lead.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
    let cued = Cued::new(&near);
    let is_said = near.contains("user") && (cued.has(&SAID) || cued.has(&WROTE));
    is_said || LANGUAGES[1..].iter().any(|of| cued.has(&of.user))
}
