//! What the person asked for last, their rules and the open tasks, where the summary does not mention them; an older
//! request in the place of the latest, or nothing at all called open.
//!
//! Compared by the words that carry meaning, in scripts without spaces by pairs of characters. Something is missing if no
//! three lines of the summary together have half of them. Across languages nobody can tell.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::differs;
use super::done::claim_of_all;
use super::summary::{Summary, Unit};
use crate::lexicon::summaries::LATEST;
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::model::origin::Origin;
use crate::reading::claims::Cued;
use crate::record::{Deed, Kind, Observation};
use crate::session::tasks::Task;
use crate::session::{Session, instructions, one_line};
use crate::text::cut::squashed;
use crate::text::marks::quotations;
use crate::text::phrases::language_of;
use crate::text::sentences::sentences;
use crate::text::specifics::{ordinary_words, specifics};
use crate::text::stems::{COMMON, share, stem_set};

/// Up to this share of its words, something is not mentioned.
const ABSENT: f32 = 0.5;
/// The same for a task, whose few words everybody paraphrases.
const ABSENT_TASK: f32 = 0.34;
/// From this share of a longer sentence on, its message is told in part.
const IN_PART: f32 = 0.75;
/// Fewest words of something that can be missed; the name of a task may be shorter.
const FEWEST: usize = 3;
const FEWEST_OF_A_TASK: usize = 2;
/// Lines that together may tell of something.
const TOGETHER: usize = 3;
/// Longer messages are documents, full of "never".
const LONG_MESSAGE: u32 = 1_500;

pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    let typed: Vec<_> = session.prompts.iter().rev().take(20).map(|p| session.text_of(p)).collect();
    let told = TellingLines::new(summary.text, language_of(&typed.join("\n")));
    let asked = requests(session);
    let mut found: Vec<Finding> = latest(session, &asked, summary, &told).into_iter().collect();
    let is_short =
        |place: Place| session.prompts.iter().any(|p| p.place == place && p.characters <= LONG_MESSAGE);
    let rules = instructions::in_force(session).into_iter();
    let rules = rules.filter(|rule| rule.typed && rule.is_lasting && is_short(rule.place));
    let is_whole = |place: Place, text: &str| {
        session.prompts.iter().filter(|p| p.place == place).all(|p| !is_torn(text, &session.text_of(p)))
    };
    let rules = rules.filter(|rule| is_whole(rule.place, &rule.text));
    let is_in_request = |text: &str| found.iter().any(|f| f.text.contains(&one_line(text, 400)));
    let rules = rules.filter(|rule| told.lacks(&rule.text, ABSENT) && !is_in_request(&rule.text));
    let rules: Vec<_> = rules.collect();
    found.extend(rules.iter().map(|rule| dropped(FindingSubject::Instruction, &rule.text, rule.place)));
    let is_lost = |task: &&Task| told.lacks_of(&task.subject, ABSENT_TASK, FEWEST_OF_A_TASK);
    let tasks = session.tasks.open().into_iter().filter(is_lost);
    found.extend(tasks.map(|task| dropped(FindingSubject::Task, &task.subject, task.place)));
    found
}

/// The message goes on in the next line, in the middle of the sentence: a rule is told whole or not at all.
fn is_torn(rule: &str, message: &str) -> bool {
    let Some((_, after)) = message.split_once(rule) else { return false };
    let after = after.trim_start_matches([' ', '\t', '\r']);
    let next = after.strip_prefix('\n').and_then(|line| line.trim_start_matches([' ', '\t']).chars().next());
    !rule.ends_with(['.', '!', '?', ':', ';']) && next.is_some_and(char::is_lowercase)
}

fn dropped(fact: FindingSubject, text: &str, place: Place) -> Finding {
    let (kind, text) = (FindingKind::Dropped, one_line(text, 400));
    Finding { kind, fact, text, place: Some(place), summary_quote: None, summary_at: None }
}

/// The words of a text that carry meaning: stems, and in scripts without spaces pairs of characters.
fn matter(text: &str) -> HashSet<u64> {
    let spaced: String = text.chars().map(|c| if is_wide(c) { ' ' } else { c }).collect();
    let wide: String = text.chars().map(|c| if is_wide(c) { c } else { ' ' }).collect();
    stem_set(&spaced).into_iter().map(u64::from).chain(ordinary_words(&wide)).collect()
}

fn is_wide(c: char) -> bool {
    !c.is_ascii() && language_of(c.encode_utf8(&mut [0; 4])).is_some()
}

fn part_of(wanted: &HashSet<u64>, there: &HashSet<u64>) -> f32 {
    wanted.intersection(there).count() as f32 / wanted.len().max(1) as f32
}

/// A word that names something counts as much as this many others.
const NAME: u32 = 2;

static COMMON_WORDS: LazyLock<HashSet<u64>> =
    LazyLock::new(|| COMMON.iter().copied().map(u64::from).collect());

/// What of a text can be looked for elsewhere: its words, and those of them that do not occur in any request.
struct SoughtWords {
    words: HashSet<u64>,
    own: HashSet<u64>,
    names: HashSet<u64>,
}

impl SoughtWords {
    fn new(text: &str) -> SoughtWords {
        let names: HashSet<u64> = specifics(text).filter(|name| name.len() > 3).flat_map(matter).collect();
        let words = matter(text);
        let is_own = |word: &&u64| !COMMON_WORDS.contains(*word) || names.contains(*word);
        let own = words.iter().filter(is_own).copied().collect();
        SoughtWords { words, own, names }
    }

    /// The share that is there, of all words or of its own, whichever is larger.
    fn share_in(&self, there: &HashSet<u64>) -> f32 {
        let weight = |word: &u64| if self.names.contains(word) { NAME } else { 1 };
        let share = |wanted: &HashSet<u64>| {
            let found: u32 = wanted.intersection(there).map(weight).sum();
            found as f32 / wanted.iter().map(weight).sum::<u32>().max(1) as f32
        };
        if self.own.len() < FEWEST { share(&self.words) } else { share(&self.words).max(share(&self.own)) }
    }
}

/// The lines of a text, and its language.
struct TellingLines {
    language: Option<&'static str>,
    /// That of the person's messages: a short one may have no word that tells it.
    spoken: Option<&'static str>,
    /// Of every few lines in a row.
    windows: Vec<HashSet<u64>>,
}

impl TellingLines {
    fn new(text: &str, spoken: Option<&'static str>) -> TellingLines {
        let lines: Vec<HashSet<u64>> =
            text.lines().filter(|line| !line.trim().is_empty()).map(matter).collect();
        let windows =
            (0..lines.len()).map(|at| lines[at..].iter().take(TOGETHER).flatten().copied().collect());
        TellingLines { language: language_of(text), spoken, windows: windows.collect() }
    }

    /// Both are in one language.
    fn is_comparable(&self, text: &str) -> bool {
        self.language.is_some() && language_of(text).or(self.spoken) == self.language
    }

    /// The largest share of these words that a few lines have.
    fn share_of(&self, sought: &SoughtWords) -> f32 {
        self.windows.iter().map(|there| sought.share_in(there)).fold(0.0, f32::max)
    }

    /// No more than `least` of a text is there, and none of its longer sentences.
    fn lacks(&self, text: &str, least: f32) -> bool {
        self.lacks_of(text, least, FEWEST)
    }

    fn lacks_of(&self, text: &str, least: f32, fewest: usize) -> bool {
        let whole = SoughtWords::new(text);
        let is_part =
            |part: &SoughtWords| part.words.len() >= FEWEST && part.words.len() * 4 >= whole.words.len();
        let parts = sentences(text).into_iter().map(SoughtWords::new).filter(is_part);
        (self.is_comparable(text) || self.windows.is_empty())
            && whole.words.len() >= fewest
            && self.share_of(&whole) <= least
            && parts.into_iter().all(|part| self.share_of(&part) < IN_PART)
    }
}

/// A message of the person's that asks for something.
struct UserRequest {
    place: Place,
    typed: String,
}

/// What the person typed, and reasons for refusing; without replies and pastes, and without what they said again.
fn requests(session: &Session) -> Vec<UserRequest> {
    let typed = session.prompts.iter().filter(|p| p.origin == Origin::Typed && !p.reads.is_reply);
    let typed = typed.filter_map(|prompt| {
        let own = squashed(&session.typed_of(prompt));
        (own.chars().count() * 2 > prompt.characters as usize).then_some((prompt.place, own))
    });
    let refused = session.record.refusals().map(|refusal| (refusal.place, refusal.reason.to_owned()));
    let mut all: Vec<UserRequest> =
        typed.chain(refused).map(|(place, typed)| UserRequest { place, typed }).collect();
    all.retain(|request| matter(&request.typed).len() > 1);
    all.sort_by_key(|request| request.place);
    let is_repeated = |at: usize| {
        let words = matter(&all[at].typed);
        all[at + 1..].iter().take(2).any(|later| part_of(&words, &matter(&later.typed)) >= 0.8)
    };
    let kept: Vec<bool> = (0..all.len()).map(|at| !is_repeated(at)).collect();
    all.into_iter().zip(kept).filter_map(|(request, kept)| kept.then_some(request)).collect()
}

// ---- the latest request

fn latest(
    session: &Session,
    asked: &[UserRequest],
    summary: &Summary,
    told: &TellingLines,
) -> Option<Finding> {
    let (last, earlier) = asked.split_last()?;
    let older = summary.units().iter().find(|unit| puts_before(unit, last, earlier)).map(Unit::claim);
    let is_open = told.is_comparable(&last.typed)
        && told.share_of(&SoughtWords::new(&last.typed)) < IN_PART
        && is_unanswered(session, last.place);
    if let Some(claim) = older.or_else(|| claim_of_all(summary).filter(|_| is_open)) {
        let (kind, fact) = (FindingKind::Contradicted, FindingSubject::Request);
        return Some(differs(kind, fact, &last.typed, Some(last.place), claim));
    }
    told.lacks(&last.typed, ABSENT).then(|| dropped(FindingSubject::Request, &last.typed, last.place))
}

/// The agent has begun to look into it: it changed nothing since, and said nothing after its last call.
fn is_unanswered(session: &Session, place: Place) -> bool {
    let changes = |seen: &&Observation| matches!(seen.what, Kind::Touched(deed) if deed != Deed::Read);
    let has_begun = session.last_action.as_ref().is_some_and(|action| action.place > place);
    let mut since = session.record.iter().rev().take_while(|seen| seen.place > place);
    let mut runs = session.record.runs().rev().take_while(|run| run.place > place);
    has_begun
        && !session.spoke_last()
        && session.saw_all_since(place)
        && !session.agents.worked_after(place)
        && !since.any(|seen| changes(&seen))
        && runs.all(|run| run.line.only_looks())
}

/// The unit calls an older request the latest.
fn puts_before(unit: &Unit, last: &UserRequest, earlier: &[UserRequest]) -> bool {
    let quotes = quotations(unit.text);
    let Some(quote) = quotes.first().filter(|_| unit.is_stated()) else { return false };
    let lead = unit.text[..quote.at].to_lowercase();
    let near: String = lead.chars().rev().take(70).collect::<Vec<_>>().into_iter().rev().collect();
    let cued = Cued::new(&near);
    let is_called = cued.has(&LATEST) && cued.any(|of| &of.messages) && cued.any(|of| &of.user);
    let (words, latest) = (stem_set(quote.words), stem_set(&last.typed));
    if !is_called || words.len() < FEWEST || latest.len() < FEWEST || share(&words, &latest) >= ABSENT {
        return false;
    }
    let is_of = |request: &UserRequest| share(&words, &stem_set(&request.typed)) >= 0.85;
    earlier.iter().any(is_of) && share(&latest, &stem_set(unit.text)) < ABSENT
}
