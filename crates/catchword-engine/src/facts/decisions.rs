//! The agent's decisions, and what it tried and gave up.
//!
//! Summaries keep what was done and lose why.

use super::{Fact, KnownText, Section};
use crate::quote::quote_foreign;
use crate::reading::prose::objects;
use crate::record::{Message, Refusal};
use crate::session::Session;
use crate::session::decisions::{latest_abandoned, latest_decisions};

/// Weight of the latest decision, and what is left of it for each one before: where space is short, the latest are shown.
const LATEST: f32 = 0.06;
const AGEING: f32 = 0.9;

/// Decisions and abandoned attempts that the summary does not mention.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let lost = |said: Message, sentence: &str| {
        !known.keeps(said.place)
            && !known.mentions(sentence)
            && !session.was_said_by_person(sentence, said.place)
            && !is_rejected(session, said)
    };
    let decided = latest_decisions(session, lost);
    let later = (0..decided.len()).rev();
    let decided = later.zip(decided).map(|(later, (said, sentence))| {
        let fact = Fact::new(Section::Decisions, sentence, quote_foreign(&sentence.replace("**", ""), 320));
        fact.at(said.place).worth(LATEST * AGEING.powi(later as i32), "the agent chose")
    });
    let abandoned = latest_abandoned(session, lost).into_iter().map(|(said, sentence)| {
        let fact = Fact::new(
            Section::Decisions,
            sentence,
            format!("given up: {}", quote_foreign(&sentence.replace("**", ""), 240)),
        );
        fact.at(said.place).worth(0.05, "the agent gave it up")
    });
    decided.chain(abandoned).collect()
}

/// The person objected or refused a call right after it.
pub fn is_rejected(session: &Session, said: Message) -> bool {
    let next = session.prompts.iter().find(|prompt| prompt.place > said.place);
    let refused = session.record.refusals().find(|refusal| refusal.place > said.place);
    let is_before_next = |refusal: &Refusal| next.is_none_or(|next| refusal.place < next.place);
    next.is_some_and(|next| objects(&next.text)) || refused.is_some_and(|refusal| is_before_next(&refusal))
}
