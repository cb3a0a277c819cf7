//! Words in quotation marks that the summary gives to the user: a message has them otherwise, or no message has them; and a
//! suggestion of the user's that the summary retells as a rule.
//!
//! Compared with all the user can have said: prompts, answers, refusals, arguments of slash commands, and the summary that
//! a transcript begins with, which may quote older messages. Other summaries do not count: repeating an error does not make
//! it true.

use std::cell::LazyCell;

use strsim::osa_distance;

use super::differs;
use super::owner::UserWords;
use super::summary::{Heading, Summary, Unit};
use crate::clients::has_summary_frame;
use crate::lexicon::summaries::{INSTEAD, LANGUAGES, LINKS, OPPOSITES, ORDERS, PASSIVE, SPEAKERS, TOLD_TO};
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::reading::claims::{Cued, is_one_of, is_word_of, lower_words};
use crate::record::Message;
use crate::session::{Prompt, Session};
use crate::text::marks::quotations;
use crate::text::sentences::sentences;
use crate::text::stems::{Stem, StemSet, share, stem_set};

pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let said = UserWords::new(session);
    let mut found = misquoted(session, summary, &said);
    found.extend(invented(session, summary, &said));
    found.extend(hardened(session, summary));
    found
}

// ---- what they said otherwise

/// The share of a quotation's words that a message must have to be the one it quotes.
const QUOTED: f32 = 0.7;
/// Longer quotations are pastes; of a longer message the beginning is compared.
const MAX_WORDS: usize = 120;
const MAX_MESSAGE: usize = 800;

/// Quotations of the user's with another number, name, negation or opposite than the message.
fn misquoted(session: &Session, summary: &Summary, said: &UserWords) -> Vec<Finding> {
    let quoted = summary.units().iter().filter(|unit| !unit.fenced).flat_map(|unit| {
        let is_list = unit.under == Heading::UserMessages;
        let is_theirs = move |at: usize| is_list || unit.text[..at].to_lowercase().contains("user");
        quotations(unit.text).into_iter().filter(move |q| is_theirs(q.at)).map(move |q| (unit, q.words))
    });
    let messages = session.prompts.iter().map(|prompt| (prompt, session.text_of(prompt)));
    let messages: Vec<(&Prompt, StemSet, String)> =
        messages.map(|(prompt, text)| (prompt, stem_set(&text), text)).collect();
    let mut found: Vec<Finding> = Vec::new();
    for (unit, words) in quoted {
        let wanted = stem_set(words);
        if wanted.len() < 3 || lower_words(words).len() > MAX_WORDS {
            continue;
        }
        let near = messages.iter().filter(|(_, has, _)| share(&wanted, has) >= QUOTED);
        let differing: Vec<(&Prompt, Option<Difference>)> =
            near.map(|(prompt, _, text)| (*prompt, changed(words, text))).collect();
        if differing.iter().any(|(_, changed)| changed.is_none()) {
            continue;
        }
        let Some((prompt, Some(changed))) = differing.into_iter().next_back() else { continue };
        // The name occurs in another message of the user.
        if !(changed.written.contains(['_', '/', '.']) && said.says(&changed.written)) {
            let (kind, fact) = (FindingKind::Mutated, FindingSubject::Quote);
            found.push(differs(kind, fact, &changed.read, Some(prompt.place), unit.claim()));
        }
    }
    found
}

struct Difference {
    /// The message's words around the difference.
    read: String,
    /// The quotation's word.
    written: String,
}

/// How a quotation differs from a message where it matters. Omissions and corrected typos do not.
fn changed(quotation: &str, message: &str) -> Option<Difference> {
    let whole: Vec<String> = tokens(message).into_iter().take(MAX_MESSAGE).collect();
    let pieces = quotation.split("...").flat_map(|part| part.split('…'));
    // Brackets enclose the summary's own remarks.
    let pieces = pieces.flat_map(|part| part.split('[')).map(|part| part.rsplit(']').next().unwrap_or(part));
    pieces.map(tokens).filter(|piece| piece.len() > 3).find_map(|piece| changed_piece(&piece, &whole))
}

fn tokens(text: &str) -> Vec<String> {
    let pieces = text.split(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '“' | '”' | '`' | '(' | ')' | '*' | ',' | '→' | '…')
    });
    let pieces = pieces.flat_map(|piece| piece.split("..."));
    let bare = pieces
        .map(|piece| piece.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'"));
    bare.filter(|piece| !piece.is_empty()).collect()
}

/// Aligns a piece of a quotation with the message, word by word: a word of the message left out costs least.
fn changed_piece(piece: &[String], whole: &[String]) -> Option<Difference> {
    let (rows, columns) = (piece.len() + 1, whole.len() + 1);
    let mut cost = vec![0_u32; rows * columns];
    for row in 1..rows {
        cost[row * columns] = row as u32 * 3;
        for column in 1..columns {
            let same = piece[row - 1] == whole[column - 1];
            let diagonal = cost[(row - 1) * columns + column - 1] + if same { 0 } else { 2 };
            let left = cost[row * columns + column - 1] + 1;
            let up = cost[(row - 1) * columns + column] + 3;
            cost[row * columns + column] = diagonal.min(left).min(up);
        }
    }
    let last = (rows - 1) * columns;
    let mut column = (0..columns).min_by_key(|column| cost[last + column])?;
    let (end, mut row) = (column, rows - 1);
    // Too little of it matches.
    if cost[last + column] as usize > piece.len() {
        return None;
    }
    let mut differences: Vec<(&str, &str)> = Vec::new();
    while row > 0 && column > 0 {
        let here = cost[row * columns + column];
        let (said, meant) = (&piece[row - 1], &whole[column - 1]);
        if here == cost[(row - 1) * columns + column - 1] + if said == meant { 0 } else { 2 } {
            if said != meant {
                differences.push((said, meant));
            }
            (row, column) = (row - 1, column - 1);
        } else if here == cost[row * columns + column - 1] + 1 {
            if is_negation(meant) {
                differences.push(("", meant));
            }
            column -= 1;
        } else {
            if is_negation(said) {
                differences.push((said, ""));
            }
            row -= 1;
        }
    }
    let (said, _) = differences.into_iter().find(|(said, meant)| matters(said, meant))?;
    Some(Difference { read: whole[column..end].join(" "), written: said.to_owned() })
}

fn is_negation(word: &str) -> bool {
    matches!(word, "no" | "without" | "only") || LANGUAGES.iter().any(|of| is_one_of(word, &of.negations))
}

/// Two words whose difference changes the meaning.
fn matters(said: &str, meant: &str) -> bool {
    let is_name =
        |word: &str| word.contains(['_', '/', '.', '-']) || word.bytes().any(|b| b.is_ascii_digit());
    let is_slip = !said.is_empty()
        && !meant.is_empty()
        && osa_distance(said, meant) <= 2
        && !is_name(said)
        && !is_name(meant);
    let plain = |word: &str| word.replace(['-', '_', '.'], "");
    let are_opposites =
        || OPPOSITES.iter().any(|(a, b)| (*a == said && *b == meant) || (*a == meant && *b == said));
    (is_negation(said) != is_negation(meant) && !is_slip)
        || are_opposites()
        || (is_name(said)
            && is_name(meant)
            && plain(said) != plain(meant)
            && !meant.contains(said)
            && !said.contains(meant))
}

// ---- what nobody said

/// The share of a quotation's words that one message must have for it to be a loose quotation, and below which it is none.
const LOOSE: f32 = 0.5;
const UNLIKE: f32 = 0.34;
/// Fewest words a quotation must have to be judged; an order needs fewer: "always deploy with --force".
const FEW: usize = 4;
const FEW_OF_AN_ORDER: usize = 2;
/// Fewest words a quotation must have for comparing it with the words of the whole session.
const FEW_HEARD: usize = 6;
/// Below this share of its words in the whole session, a quotation is foreign to it; from this share on, it may be of a
/// message that the record lacks.
const FOREIGN: f32 = 0.25;
const AT_HOME: f32 = 0.75;

/// Quotations that no message resembles.
fn invented(session: &Session, summary: &Summary, said: &UserWords) -> Vec<Finding> {
    let heard = LazyCell::new(|| HeardWords::new(session, said, summary));
    let (mut found, mut judged, mut strange) = (Vec::new(), 0, 0);
    for (unit, words) in
        summary.units().iter().flat_map(|unit| claims(unit).into_iter().map(move |c| (unit, c)))
    {
        let counted = usize::from(unit.under == Heading::UserMessages);
        // The client's own message after a compaction, written as the user, is not part of the record. Instructions given
        // with the compaction are recorded after it.
        let is_clients = has_summary_frame(words) || words.contains("continuation prompt");
        if is_clients || words.to_lowercase().contains("compact") {
            continue;
        }
        let Some(share) = best_share(said, &without_remarks(words)) else { continue };
        judged += counted;
        strange += if share < LOOSE { counted } else { 0 };
        if share >= UNLIKE {
            continue;
        }
        let heard = heard.share_of(words);
        if heard.is_none_or(|heard| heard < AT_HOME) {
            let (kind, fact) = (FindingKind::Invented, FindingSubject::Quote);
            let finding = differs(kind, fact, words, None, unit.clause(words));
            found.push((finding, heard.is_some_and(|heard| heard < FOREIGN)));
        }
    }
    // If many quotations are missing from the record, the record is incomplete: old clients do not store queued messages,
    // and a resumed session may begin in another file. A real message still leaves words in what the agent said and in
    // the rest of the summary.
    let is_incomplete = strange > 1 && strange * 8 > judged;
    found.retain(|(_, is_foreign)| !is_incomplete || *is_foreign);
    found.into_iter().map(|(finding, _)| finding).collect()
}

/// The largest share of these words that one message has; `None` for too few words.
fn best_share(said: &UserWords, words: &str) -> Option<f32> {
    let wanted = stem_set(words);
    let few = if Cued::new(words).has(&ORDERS) { FEW_OF_AN_ORDER } else { FEW };
    if wanted.len() < few || said.is_empty() {
        return None;
    }
    let best = said.share_of(&wanted);
    // Two messages may be quoted as one, or the summary inserted words of its own. All messages of a long session together
    // contain almost any few words.
    Some(if wanted.len() < FEW { best } else { best.max(said.share_of_all(&wanted) * 0.6) })
}

/// Every word of the session: what the user and the agent said, and the units of the summary.
struct HeardWords {
    said: StemSet,
    agents: Vec<StemSet>,
    units: Vec<StemSet>,
}

impl HeardWords {
    fn new(session: &Session, theirs: &UserWords, summary: &Summary) -> HeardWords {
        let sentences = session.record.spoken().flat_map(Message::sentences);
        let agents: Vec<StemSet> = sentences.map(stem_set).collect();
        let said = agents.iter().flatten().chain(theirs.all()).copied().collect();
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
        let others: Vec<_> = self.units.iter().filter(|unit| share(&wanted, unit) < 0.8).collect();
        let occurs =
            |stem: &&Stem| others.iter().any(|unit| unit.contains(*stem)) || self.said.contains(*stem);
        Some(wanted.iter().filter(occurs).count() as f32 / wanted.len() as f32)
    }
}

/// A quotation without the summary's remarks in brackets and without what it left out.
pub fn without_remarks(words: &str) -> String {
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

/// The quotations that a unit gives to the user. A further one counts only if hardly a word separates it from the one
/// before; otherwise it may be anybody's.
fn claims<'a>(unit: &Unit<'a>) -> Vec<&'a str> {
    let listed = unit.under == Heading::UserMessages;
    let quotes = quotations(unit.text);
    let is_theirs = |at: usize| if listed { at < 80 } else { is_attributed(unit.text, at) };
    let Some(first) = quotes.first().filter(|first| !unit.fenced && is_theirs(first.at)) else {
        return Vec::new();
    };
    let mut end = first.at;
    let linked = quotes.iter().take_while(|quote| {
        let between = &unit.text[std::mem::replace(&mut end, quote.end)..quote.at];
        lower_words(between).iter().all(|word| is_one_of(word, &LINKS)) && !between.contains(['(', '['])
    });
    linked.filter(|quote| quote.words.len() > 12).map(|quote| quote.words).collect()
}

/// Preceded by "the user said", or by the user and a colon. What is shown or told to the user is not theirs.
fn is_attributed(unit: &str, at: usize) -> bool {
    let lead = unit[..at].to_lowercase();
    let near: String = lead.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
    let (cued, words) = (Cued::new(&near), lower_words(&near));
    let is_said =
        cued.any(|of| &of.said) || cued.any(|of| &of.messages) || near.trim_end().ends_with([':', '：']);
    let user = words.iter().rposition(|word| is_word_of(word, |of| &of.user));
    user.is_some_and(|user| {
        let before = &words[user.saturating_sub(3)..user];
        let is_to = before.iter().any(|word| is_one_of(word, &TOLD_TO) || is_one_of(word, &SPEAKERS));
        let is_passive = words.get(user + 1).is_some_and(|word| is_one_of(word, &PASSIVE));
        is_said && !is_to && !is_passive
    })
}

// ---- what they only suggested

/// The share of a suggestion's words that a rule must have to be about it, and the fewest words.
const ABOUT: f32 = 0.75;
const FEWEST: usize = 3;
/// Longer units cover several subjects.
const MAX_UNIT: usize = 240;

/// "maybe use X" retold as "the user wants: always use X".
fn hardened(session: &Session, summary: &Summary) -> Vec<Finding> {
    let said = SaidSentence::all(session);
    let of_suggestions = LANGUAGES.iter().map(|of| &of.suggests).chain([&INSTEAD]);
    let own: StemSet = of_suggestions.flat_map(|cues| stem_set(&cues.words.replace('_', " "))).collect();
    let is_rule = |unit: &&Unit| {
        let cued = Cued::new(unit.text);
        unit.is_told()
            && unit.text.len() <= MAX_UNIT
            && !unit.text.contains(['"', '“'])
            && cued.any(|of| &of.user)
            && cued.any(|of| &of.demands)
            && !cued.any(|of| &of.suggests)
    };
    let found = summary.units().iter().filter(is_rule).filter_map(|unit| {
        let rule = stem_set(unit.text);
        let is_about = |said: &&SaidSentence| {
            let matter = &said.words - &own;
            said.suggests
                && matter.len() <= 8
                && matter.intersection(&rule).count() >= FEWEST.min(matter.len()).max(2)
                && share(&matter, &rule) >= ABOUT
        };
        let suggestion = said.iter().rev().find(is_about)?;
        let matter: StemSet = (&suggestion.words - &own).intersection(&rule).copied().collect();
        // Something firmer was said about the same.
        let is_firm = |said: &SaidSentence| !said.suggests && share(&matter, &said.words) > 0.5;
        let (kind, fact) = (FindingKind::Mutated, FindingSubject::Quote);
        (!said.iter().any(is_firm))
            .then(|| differs(kind, fact, suggestion.text, Some(suggestion.place), unit.claim()))
    });
    found.collect()
}

/// What the user said, or may have said.
struct SaidSentence<'a> {
    place: Place,
    text: &'a str,
    words: StemSet,
    suggests: bool,
}

impl<'a> SaidSentence<'a> {
    fn all(session: &'a Session) -> Vec<SaidSentence<'a>> {
        let prompts = session.prompts.iter().filter_map(|prompt| session.message_of(prompt));
        let prompts = prompts.flat_map(|one| one.lines).map(|line| (line.place, line.words.as_str()));
        let answers = session.record.answers().map(|a| (a.place, a.answer));
        let refusals = session.record.refusals().map(|r| (r.place, r.reason));
        let beside = session.beside.iter().map(|one| (one.place, &**one));
        let beginning = session.beginning_lines().map(|text| (Place(0), text));
        let texts = prompts.chain(answers).chain(refusals).chain(beside).chain(beginning);
        let pieces = texts.flat_map(|(place, text)| sentences(text).into_iter().map(move |s| (place, s)));
        let all = pieces.map(|(place, text)| {
            let suggests = Cued::new(text).any(|of| &of.suggests);
            SaidSentence { place, text, words: stem_set(text), suggests }
        });
        all.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_may_omit_words_and_fix_typos_but_not_change_the_meaning() {
        let message = "Keep the old parser but do not remove the 30 fixtures in tests/data, becuase the importer needs them.";
        for fine in [
            message,
            "keep the old parser... do not remove the 30 fixtures",
            "Keep the old parser but do not remove the 30 fixtures in tests/data, because the importer needs them.",
            "do not remove the 30 fixtures in tests/data",
        ] {
            assert!(changed(fine, message).is_none(), "{fine}");
        }
        for wrong in [
            "Keep the new parser but do not remove the 30 fixtures",
            "Keep the old parser but remove the 30 fixtures in tests/data",
            "do not remove the 40 fixtures in tests/data",
            "do not remove the 30 fixtures in tests/golden",
        ] {
            assert!(changed(wrong, message).is_some(), "{wrong}");
        }
    }
}
