//! The user's messages: whether the summary has the latest one, which ones its list leaves out, and whether what it
//! quotes is what they wrote.

use std::collections::HashSet;

use strsim::osa_distance;

use super::claims::{Cued, is_one_of, lower_words};
use super::invented::UserWords;
use super::opposites::are_opposites;
use super::summary::{Heading, Summary, Unit};
use crate::lexicon::summaries::{LANGUAGES, LATEST, MESSAGE};
use crate::model::entry::Place;
use crate::model::finding::{DOUBTFUL, Finding, FindingKind, FindingSubject, SURE};
use crate::model::origin::Origin;
use crate::session::{Prompt, Session, one_line};
use crate::text::gist::own_words;
use crate::text::marks::quotations;
use crate::text::phrases::is_stop_word;
use crate::text::sentences::sentences;
use crate::text::speech::Speech;
use crate::text::stems::{Stem, share, stem_set};

/// Below this share of its words, a message is missing.
const ABSENT: f32 = 0.5;
/// Below this share of its words, a message is not even paraphrased.
const UNSPOKEN: f32 = 0.34;
/// Below this share of its words, a message is not even paraphrased in the list.
const LOST: f32 = 0.4;
/// The share of a quotation's words that the message it quotes has.
const QUOTED: f32 = 0.7;
/// Most words of a quotation and of a message that are compared one by one.
const MAX_WORDS: usize = 120;
const MAX_MESSAGE: usize = 800;
/// Most missing messages that are reported.
const MAX_MISSING: usize = 12;

/// Everything about the user's messages.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let asked = requests(session);
    let mut found = Vec::new();
    found.extend(latest(&asked, summary));
    found.extend(missing(session, &asked, summary));
    found.extend(misquoted(session, summary));
    found
}

/// A message in the user's own words that asks for something.
struct UserRequest {
    place: Place,
    typed: String,
    words: HashSet<Stem>,
    /// It came while the agent worked: queued, after an interruption, or with a refusal.
    steers: bool,
}

/// The requests that can be compared: without pastes, and without those that a later request repeats.
fn requests(session: &Session) -> Vec<UserRequest> {
    let typed = session.prompts.iter().filter(|prompt| prompt.origin == Origin::Typed && !prompt.is_reply);
    let typed = typed.filter_map(|prompt| {
        let own = own_words(&prompt.text);
        (own.len() * 2 > prompt.text.len()).then_some((prompt.place, own, !prompt.at_rest))
    });
    let refused = session.record.refusals().map(|refusal| (refusal.place, refusal.reason.to_owned(), true));
    let mut all: Vec<UserRequest> = typed
        .chain(refused)
        .map(|(place, typed, steers)| UserRequest { place, words: stem_set(&typed), typed, steers })
        .filter(|request| request.words.len() > 1 && is_comparable(&request.typed))
        .collect();
    all.sort_by_key(|request| request.place);
    let is_repeated = |at: usize| {
        let one: &UserRequest = &all[at];
        all[at + 1..].iter().take(2).any(|later| share(&one.words, &later.words) >= 0.8)
    };
    let kept: Vec<bool> = (0..all.len()).map(|at| !is_repeated(at)).collect();
    all.into_iter().zip(kept).filter_map(|(request, kept)| kept.then_some(request)).collect()
}

/// The text looks like English, so an English summary would repeat its words.
fn is_comparable(text: &str) -> bool {
    let words = lower_words(text);
    let foreign = text.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let usual = words.iter().filter(|word| word.as_str() == "i" || is_stop_word(word)).count();
    foreign * 10 < letters && (words.len() < 5 || usual * 8 >= words.len())
}

/// The share of a request's words that a text has, by its best sentence of at least this many words.
fn spoken_of(request: &UserRequest, text: &Speech, fewest: usize) -> f32 {
    let whole = text.speaks_of(&request.typed);
    let parts = sentences(&request.typed).into_iter().filter(|sentence| stem_set(sentence).len() >= fewest);
    parts.map(|sentence| text.speaks_of(sentence)).fold(whole, f32::max)
}

// ---- the latest request

fn latest(asked: &[UserRequest], summary: &Summary) -> Vec<Finding> {
    let Some((last, earlier)) = asked.split_last() else { return Vec::new() };
    if let Some(unit) = summary.units().iter().find(|unit| puts_before(unit, last, earlier)) {
        let is_plain = last.words.len() > 2;
        return vec![Finding {
            kind: FindingKind::Contradicted,
            fact: FindingSubject::Request,
            text: one_line(&last.typed, 300),
            place: Some(last.place),
            summary_quote: Some(one_line(unit.text, 300)),
            confidence: if is_plain { SURE } else { DOUBTFUL },
        }];
    }
    // "What else is left to do?" is spoken of anywhere.
    let fewest = (last.words.len() / 4).max(2);
    let there = spoken_of(last, &Speech::new(summary.text), fewest);
    if there >= ABSENT || last.words.len() < 3 {
        return Vec::new();
    }
    vec![dropped(&last.typed, last.place, if there < UNSPOKEN { SURE } else { DOUBTFUL })]
}

fn dropped(text: &str, place: Place, confidence: f32) -> Finding {
    Finding {
        kind: FindingKind::Dropped,
        fact: FindingSubject::Request,
        text: one_line(text, 400),
        place: Some(place),
        summary_quote: None,
        confidence,
    }
}

/// The unit calls an older message the latest.
fn puts_before(unit: &Unit, last: &UserRequest, earlier: &[UserRequest]) -> bool {
    let quotes = quotations(unit.text);
    let Some(quote) = quotes.first().filter(|_| unit.is_stated()) else { return false };
    let lead = unit.text[..quote.at].to_lowercase();
    let near: String = lead.chars().rev().take(70).collect::<Vec<_>>().into_iter().rev().collect();
    let cued = Cued::new(&near);
    let is_called = cued.has(&LATEST) && cued.has(&MESSAGE) && near.contains("user");
    let words = stem_set(quote.words);
    if !is_called || words.len() < 3 || share(&words, &last.words) >= 0.5 {
        return false;
    }
    let is_of = |request: &UserRequest| share(&words, &request.words) >= 0.85;
    earlier.iter().any(is_of) && share(&last.words, &stem_set(unit.text)) < ABSENT
}

// ---- the list of messages

/// Messages that a list of all messages does not have.
fn missing(session: &Session, asked: &[UserRequest], summary: &Summary) -> Vec<Finding> {
    let Some((last, _)) = asked.split_last() else { return Vec::new() };
    let listed: Vec<&str> = summary
        .units()
        .iter()
        .filter(|unit| unit.under == Heading::UserMessages)
        .map(|unit| unit.text)
        .collect();
    // Messages before the last compaction are in its summary.
    let earlier = session.earlier_compactions().iter();
    let since = earlier.map(|c| c.place).filter(|place| *place < last.place).max();
    let asked: Vec<&UserRequest> =
        asked.iter().filter(|r| since.is_none_or(|since| r.place > since)).collect();
    if listed.len() < 2 || asked.len() < 2 {
        return Vec::new();
    }
    let (in_list, anywhere) = (Speech::new(&listed.join("\n")), Speech::new(summary.text));
    // An item of the list may quote a message in part; then nearly all words of the item are the message's.
    let items: Vec<HashSet<Stem>> =
        listed.iter().map(|item| stem_set(item)).filter(|item| item.len() > 2).collect();
    let is_in = |request: &&&UserRequest, text: &Speech| {
        spoken_of(request, text, 2) >= ABSENT || items.iter().any(|item| share(item, &request.words) >= 0.7)
    };
    let missing: Vec<&&UserRequest> = asked.iter().filter(|r| !is_in(r, &in_list)).collect();
    // A list with fewer than half of the messages is not meant to be complete.
    if missing.len() * 2 > asked.len() {
        return Vec::new();
    }
    // Its matter may stand elsewhere in other words: only what is hardly spoken of at all is lost.
    let is_unspoken = |r: &UserRequest| {
        let is_paraphrased = spoken_of(r, &anywhere, 2) >= UNSPOKEN || is_in(&&r, &anywhere);
        r.words.len() > 2 && !is_paraphrased && spoken_of(r, &in_list, 2) < LOST
    };
    // A message between turns opened a turn, which the summary tells in its own words even where it leaves out the
    // message. One that came while the agent worked has no turn of its own.
    let newest = session.asked().last().map_or(last.place, |prompt| prompt.place.min(last.place));
    // The user saw a commit after it and went on to something else: it is settled.
    let is_settled = |r: &UserRequest| {
        let committed = session.record.commits().map(|commit| commit.place).find(|place| *place > r.place);
        committed
            .is_some_and(|place| session.prompts.iter().any(|later| later.at_rest && later.place > place))
    };
    let is_lost = |r: &UserRequest| {
        (r.place >= newest || (r.steers && !is_settled(r))) && !is_aside(&r.typed) && is_unspoken(r)
    };
    let of = |r: &&&UserRequest| dropped(&r.typed, r.place, if is_lost(r) { SURE } else { DOUBTFUL });
    missing.iter().take(MAX_MISSING).map(of).collect()
}

/// A remark in brackets that belongs to the message before it.
fn is_aside(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('(') && text.ends_with(')')
}

// ---- quotations

/// Quotations that differ from the message they quote in a number, a name, a negation or an opposite. Corrected
/// typos and omissions are fine.
fn misquoted(session: &Session, summary: &Summary) -> Vec<Finding> {
    let said = UserWords::new(session);
    let quoted = summary.units().iter().filter(|unit| !unit.fenced).flat_map(|unit| {
        let is_list = unit.under == Heading::UserMessages;
        let is_theirs = move |at: usize| is_list || unit.text[..at].to_lowercase().contains("user");
        quotations(unit.text).into_iter().filter(move |q| is_theirs(q.at)).map(move |q| (unit, q.words))
    });
    let mut found: Vec<Finding> = Vec::new();
    for (unit, words) in quoted {
        let wanted = stem_set(words);
        if wanted.len() < 3 || lower_words(words).len() > MAX_WORDS {
            continue;
        }
        let near = session.prompts.iter().filter(|p| share(&wanted, &stem_set(&p.text)) >= QUOTED);
        let differing: Vec<(&Prompt, Changed)> =
            near.map(|prompt| (prompt, changed(words, &prompt.text))).collect();
        if differing.is_empty() || differing.iter().any(|(_, changed)| changed.is_none()) {
            continue;
        }
        let Some((prompt, Some(changed))) = differing.into_iter().next_back() else { continue };
        // The name occurs in another message of the user.
        if changed.written.contains(['_', '/', '.']) && said.says(&changed.written) {
            continue;
        }
        found.push(Finding {
            kind: FindingKind::Mutated,
            fact: FindingSubject::Quote,
            text: one_line(&changed.read, 300),
            place: Some(prompt.place),
            summary_quote: Some(one_line(unit.text, 300)),
            confidence: SURE,
        });
    }
    found
}

/// Where a quotation differs: the passage of the message, and the quotation's word.
struct Difference {
    read: String,
    written: String,
}

type Changed = Option<Difference>;

/// The first difference that matters between a quotation and a message.
fn changed(quotation: &str, message: &str) -> Changed {
    let whole: Vec<String> = tokens(message).into_iter().take(MAX_MESSAGE).collect();
    let pieces = quotation.split("...").flat_map(|part| part.split('…'));
    // Brackets enclose the summary's own remarks.
    let pieces = pieces.flat_map(|part| part.split('[')).map(|part| part.rsplit(']').next().unwrap_or(part));
    pieces.map(tokens).filter(|piece| piece.len() > 3).find_map(|piece| changed_piece(&piece, &whole))
}

/// Words and numbers in lower case, without punctuation.
fn tokens(text: &str) -> Vec<String> {
    let pieces = text.split(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '“' | '”' | '`' | '(' | ')' | '*' | ',' | '→' | '…')
    });
    let pieces = pieces.flat_map(|piece| piece.split("..."));
    let bare = pieces
        .map(|piece| piece.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'"));
    bare.filter(|piece| !piece.is_empty()).collect()
}

/// Aligns `piece` with the best matching passage of `whole`, word by word, and returns the first difference that matters.
fn changed_piece(piece: &[String], whole: &[String]) -> Changed {
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

fn matters(said: &str, meant: &str) -> bool {
    let is_name =
        |word: &str| word.contains(['_', '/', '.', '-']) || word.bytes().any(|b| b.is_ascii_digit());
    let is_slip = !said.is_empty()
        && !meant.is_empty()
        && osa_distance(said, meant) <= 2
        && !is_name(said)
        && !is_name(meant);
    let plain = |word: &str| word.replace(['-', '_', '.'], "");
    (is_negation(said) != is_negation(meant) && !is_slip)
        || are_opposites(said, meant)
        || (is_name(said)
            && is_name(meant)
            && plain(said) != plain(meant)
            && !meant.contains(said)
            && !said.contains(meant))
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
