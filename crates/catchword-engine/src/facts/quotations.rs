//! Sentences of the agent that contain what the summary lacks.
//!
//! What a summary loses is mostly specific: a path, a number, a flag, a name. A sentence that names it also says what it
//! means; a bare name does not. So a passage is worth the specific things in it that the summary does not name, and
//! `brief/budget.rs` chooses passages one by one, counting only what the brief does not say yet.
//!
//! Candidates are the sentences of the messages with which the agent ended its turns, for the latest requests: these are
//! its conclusions. Measured against what readers say has to be known (`docs/brief.md`), nearly every second sentence
//! chosen from them carries such a fact, but hardly one in a hundred of what the agent says between two calls, of the
//! items of its lists, of subagents' reports and of command output. Never quoted, because readers found them wrong or
//! useless:
//!
//! - announcements of the next step, and the agent's questions: an open one has its own fact;
//! - statements about a numbered line of a file, which moves with the next change;
//! - statements about a file that was changed or removed afterwards: they are outdated;
//! - what the person's next message objects to, and what asked the person to do something before they spoke again;
//! - passages that name nothing specific that the summary lacks.
//!
//! The complete scoring:
//!
//! - A specific thing is worth more the later and the more often it was used; a bare number is worth less than a name.
//! - A passage is worth its specific things, up to [`ENOUGH`], plus a little for each other new word.
//! - Age, long messages and code reduce that. All of it is divided by the length.
//!
//! The constants were chosen with one project held out, and the result is not sensitive to any of them (`docs/brief.md`).

use std::collections::{BTreeSet, HashMap};

use super::requests::objects;
use super::{CarriedTokens, Fact, KnownText, Priority, Section};
use crate::model::entry::Place;
use crate::quote::quote_foreign;
use crate::session::Session;
use crate::session::files::FileUse;
use crate::session::passages::QuotedPassage;
use crate::text::numbers::count_of;
use crate::text::reply::is_reply;
use crate::text::specifics::{WordHash, hash, is_number, ordinary_words, specifics};

/// Most passages passed on, best first.
const MAX_CANDIDATES: usize = 600;
/// Cap on the worth of a passage's specific things: a line full of them is a listing, not a sentence.
const ENOUGH: f32 = 1.5;
/// Worth of another word that neither summary nor brief contains.
const WORD: f32 = 0.1;
/// Tool calls after which a specific thing, and a passage, are worth a third.
const THING_AGES: f32 = 100.0;
const PASSAGE_AGES: f32 = 150.0;
/// Added to every length, so that short lines do not win by being short.
const LINE: f32 = 80.0;
/// Shorter ones are labels, headings or table rows.
const FEWEST_WORDS: usize = 4;
/// New words per ten that a sentence needs; with fewer it repeats the summary.
const NEW_WORDS: usize = 3;
/// Requests whose answers are quoted, and those without a summary that can be read.
const RECENT_REQUESTS: usize = 2;
const WITHOUT_SUMMARY: usize = 3;
/// Tool calls after which a sentence is not quoted: the work has overtaken it.
const OLD: u32 = 100;
/// Weight of the agent's word beside a fact with evidence.
const TRUST: f32 = 0.8;
/// Longest passage quoted.
const MAX_QUOTED: usize = 320;

/// Passages that say what the summary does not.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let candidates = candidates(session, known);
    let things = Things::of(&candidates, session.clock, known);
    let mut facts: Vec<Fact> =
        candidates.iter().filter_map(|candidate| fact(candidate, &things, session.clock)).collect();
    facts.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    facts.truncate(MAX_CANDIDATES);
    facts
}

fn worth(fact: &Fact) -> f32 {
    fact.carries.as_ref().map_or(0.0, |carried| carried.worth(&BTreeSet::new()) / cost(&fact.text))
}

/// The length of a text for the scoring.
pub fn cost(text: &str) -> f32 {
    text.chars().count() as f32 + LINE
}

fn candidates<'a>(session: &'a Session, known: &KnownText) -> Vec<&'a QuotedPassage> {
    let changes = latest_changes(session);
    let requests = if known.text().is_empty() { WITHOUT_SUMMARY } else { RECENT_REQUESTS };
    let ends = ends_of_turns(session, requests);
    let concludes = |passage: &QuotedPassage| ends.contains(&passage.place);
    let mut all = session.passages.latest_first();
    let is_rejected = |passage: &QuotedPassage| {
        session
            .prompts
            .iter()
            .find(|prompt| prompt.place > passage.place)
            .is_some_and(|next| objects(&next.text))
    };
    let is_old = |passage: &QuotedPassage| {
        !known.text().is_empty() && session.clock.saturating_sub(passage.clock) > OLD
    };
    all.retain(|passage| {
        !is_old(passage)
            && !known.keeps(passage.place)
            && concludes(passage)
            && !is_overtaken(&changes, &passage.text, passage.clock)
            && !is_rejected(passage)
            && !is_order(session, passage)
    });
    all
}

/// The messages with which the agent ended its turns, for the latest requests: what it said for an earlier one is mostly
/// done, dropped or refuted since.
fn ends_of_turns(session: &Session, most: usize) -> Vec<Place> {
    let requests = session.prompts.iter().rev().filter(|prompt| !is_reply(&prompt.text));
    let since = requests.take(most).last().map_or_else(Place::default, |prompt| prompt.place);
    let last_before = |place: Place| session.said.iter().rev().find(|said| said.place < place);
    let later = session.prompts.iter().filter(|prompt| prompt.place > since);
    let answers = later.filter_map(|prompt| last_before(prompt.place));
    let last = session.said.back().filter(|_| session.waiting);
    answers.chain(last).map(|said| said.place).filter(|place| *place >= since).collect()
}

/// A file that the text names was changed or removed after `clock`.
pub(super) fn is_overtaken(changes: &HashMap<&str, u32>, text: &str, clock: u32) -> bool {
    file_names(text).any(|name| changes.get(name).is_some_and(|changed| *changed > clock))
}

/// It asks the person to do something, and the person has answered since.
fn is_order(session: &Session, passage: &QuotedPassage) -> bool {
    const ORDERS: [&str; 12] = [
        "refresh ", "restart ", "reload ", "try ", "test ", "place ", "open ", "run ", "click ", "visit ",
        "go to ", "please ",
    ];
    let lower = passage.text.to_lowercase();
    let is_answered = session.asked().last().is_some_and(|prompt| prompt.place > passage.place);
    is_answered && ORDERS.iter().any(|order| lower.starts_with(order))
}

/// The names of changed and removed files, and when that was.
pub(super) fn latest_changes(session: &Session) -> HashMap<&str, u32> {
    let mut changes: HashMap<&str, u32> = HashMap::new();
    let is_other = |file: &FileUse| file.was_changed() || file.removed.is_some();
    for (path, file) in session.files.iter().filter(|(_, file)| is_other(file)) {
        let clock = changes.entry(path.rsplit(['/', '\\']).next().unwrap_or(path)).or_default();
        *clock = file.changed.max(file.removed.unwrap_or_default()).max(*clock);
    }
    changes
}

/// Words of a text that may be file names, without their folders.
fn file_names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.split(move |c: char| !is_part(c)).map(|word| word.trim_end_matches('.'))
}

/// Specific things that the summary does not name, and what each is worth.
struct Things {
    worth: HashMap<WordHash, f32>,
    known_words: BTreeSet<WordHash>,
}

impl Things {
    fn of(candidates: &[&QuotedPassage], now: u32, known: &KnownText) -> Things {
        let summary = known.text().to_lowercase();
        let mut uses: HashMap<WordHash, (u32, u32, bool)> = HashMap::new();
        for candidate in candidates {
            let own: BTreeSet<&str> = specifics(&candidate.text).collect();
            for thing in own {
                let entry = uses
                    .entry(hash(thing))
                    .or_insert_with(|| (0, 0, summary.contains(&thing.to_lowercase()) || known.has(thing)));
                entry.0 += 1;
                entry.1 = entry.1.max(candidate.clock);
            }
        }
        let worth =
            uses.into_iter().filter(|(_, (_, _, is_known))| !is_known).map(|(thing, (times, last, _))| {
                let fresh = (-((now.saturating_sub(last)) as f32) / THING_AGES).exp();
                (thing, (0.2 + fresh) * (1.0 + 0.3 * (times as f32).ln()))
            });
        Things { worth: worth.collect(), known_words: ordinary_words(known.text()).collect() }
    }
}

fn fact(candidate: &QuotedPassage, things: &Things, now: u32) -> Option<Fact> {
    // A line without end punctuation is a label, an item or a piece of a table.
    let is_sentence = candidate.text.ends_with(['.', '!', '。', '！', ')', '"', '…']);
    if !is_sentence || says_nothing_lasting(&candidate.text) {
        return None;
    }
    let mut carries = CarriedTokens { factor: factor(candidate, now), ..CarriedTokens::default() };
    for thing in specifics(&candidate.text) {
        let of_number = if is_number(thing) { 0.7 } else { 1.0 };
        if let Some(worth) = things.worth.get(&hash(thing)) {
            carries.things.insert(hash(thing), worth * of_number);
        }
    }
    carries.words =
        ordinary_words(&candidate.text).filter(|word| !things.known_words.contains(word)).collect();
    let all_words = ordinary_words(&candidate.text).count();
    let retells = carries.words.len() * 10 < all_words * NEW_WORDS;
    if carries.things.is_empty() || retells || letter_runs(&candidate.text) < FEWEST_WORDS {
        return None;
    }
    let fact = Fact::new(Section::Quoted, &candidate.text, words(candidate)).at(candidate.place);
    let why = format!("{} not in the summary", count_of(carries.things.len(), "name"));
    Some(Fact { priority: Priority::ByCoverage, carries: Some(carries), why: why.into(), ..fact })
}

/// Runs of letters, also inside a path or name; in scripts without spaces every letter counts as one.
fn letter_runs(text: &str) -> usize {
    let wide = text.chars().filter(|c| *c as u32 >= 0x2E80).count();
    text.split(|c: char| !c.is_alphabetic()).filter(|run| run.chars().nth(2).is_some()).count() + wide / 2
}

fn factor(candidate: &QuotedPassage, now: u32) -> f32 {
    let fresh = (-((now.saturating_sub(candidate.clock)) as f32) / PASSAGE_AGES).exp();
    let text = &candidate.text;
    let code = if is_code(text) { 0.3 } else { 1.0 };
    TRUST * (0.3 + fresh) * code / f32::from(candidate.siblings).powf(0.25)
}

/// A line of code, which means little alone.
fn is_code(text: &str) -> bool {
    const STARTS: [&str; 16] = [
        "import ", "from ", "const ", "let ", "def ", "func ", "fn ", "return ", "if (", "for (", "pub ",
        "use ", "export ", "class ", "type ", "#include",
    ];
    text.ends_with(['{', '}', ';', '(']) || STARTS.iter().any(|start| text.starts_with(start))
}

/// A question, an announcement, a test result, or a numbered line of a file, which moves with the next change.
fn says_nothing_lasting(text: &str) -> bool {
    text.contains(['?', '？']) || announces(text) || cites_a_line(text) || counts_tests(text)
}

/// "All 12 tests pass": the command's own line has the counts.
fn counts_tests(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.contains("test") && lower.contains("pass") && lower.contains(|c: char| c.is_ascii_digit())
}

/// `line 118`, `Lines 40-52`, `parser.rs:88`.
fn cites_a_line(text: &str) -> bool {
    let is_digit_at = |at: usize| text[at..].starts_with(|c: char| c.is_ascii_digit());
    let words = ["line ", "lines ", "Line ", "Lines ", "line ~", "lines ~"];
    let spoken =
        words.iter().any(|word| text.match_indices(word).any(|(at, _)| is_digit_at(at + word.len())));
    let is_name_before = |at: usize| text[..at].ends_with(|c: char| c.is_ascii_alphabetic());
    let has_extension =
        |at: usize| text[..at].rsplit([' ', '`', '(']).next().is_some_and(|word| word.contains('.'));
    spoken
        || text
            .match_indices(':')
            .any(|(at, _)| is_digit_at(at + 1) && is_name_before(at) && has_extension(at))
}

/// Only says what comes next, what is under way, or that something was done.
fn announces(text: &str) -> bool {
    const STARTS: [&str; 24] = [
        "i can see",
        "i've ",
        "i have ",
        "✅",
        "✓",
        "let me",
        "now ",
        "i'll ",
        "i will ",
        "i need",
        "i should",
        "let's ",
        "perfect",
        "great",
        "good",
        "excellent",
        "ok",
        "yeah",
        "yes",
        "sounds like",
        "if you want",
        "if you'd like",
        "i can ",
        "sources:",
    ];
    const UNDER_WAY: [&str; 9] = [
        "still running",
        "still passing",
        "still green",
        "running now",
        "in progress",
        "is progressing",
        "underway",
        "under way",
        "is finishing",
    ];
    let lower = text.to_lowercase().replace('’', "'");
    STARTS.iter().any(|start| lower.starts_with(start))
        || is_doing(&lower)
        || UNDER_WAY.iter().any(|words| lower.contains(words))
}

/// "I'm rebuilding it", "I'm also adding a test", "Rebuilding it now".
fn is_doing(lower: &str) -> bool {
    let is_verb = |word: &str| word.len() > 4 && word.ends_with("ing");
    let rest = ["i'm ", "i am "].iter().find_map(|start| lower.strip_prefix(start));
    let names_now = lower.split([' ', '.']).any(|word| word == "now");
    rest.is_some_and(|rest| rest.split(' ').take(2).any(is_verb))
        || names_now && lower.split(' ').next().is_some_and(is_verb)
}

fn words(candidate: &QuotedPassage) -> String {
    format!("agent: {}", quote_foreign(&candidate.text, MAX_QUOTED))
}

impl CarriedTokens {
    /// What a passage adds to a brief that already says `said`.
    pub fn worth(&self, said: &BTreeSet<WordHash>) -> f32 {
        let things: f32 =
            self.things.iter().filter(|(thing, _)| !said.contains(thing)).map(|(_, worth)| worth).sum();
        let words = self.words.iter().filter(|word| !said.contains(word)).count() as f32;
        self.factor * (things.min(ENOUGH) + WORD * words)
    }

    /// All words and specific things of a text, hashed.
    pub fn said_in(text: &str) -> impl Iterator<Item = WordHash> {
        specifics(text).map(hash).chain(ordinary_words(text))
    }
}
