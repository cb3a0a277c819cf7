//! What is measured of a line: only what any project and any language has.
//!
//! A *specific* is a path, number, identifier, flag, hash or abbreviation. It is *new* if the model does not have it.

use std::collections::{HashMap, HashSet};

use memchr::memchr;

use super::{Candidate, Join, KnownText, Pool};
use crate::reading::outcome::{counts_in, is_error_line};
use crate::record::{Kind, TextPart};
use crate::text::cut::tail_of;
use crate::text::specifics::{TextToken, WordHash, hash, ordinary_words, tokens};

type Map<V> = HashMap<u64, V, foldhash::fast::RandomState>;
type WordSet = HashSet<u64, foldhash::fast::RandomState>;

/// Characters at the end of a summary: what it says of the present work.
const ENDING: usize = 3_000;

macro_rules! features {
    ($($name:ident: $words:literal,)*) => {
        /// Every feature, in words.
        pub const FEATURES: &[&str] = &[$($words),*];

        /// The features of one line, in the order of [`FEATURES`].
        #[derive(Clone, Copy, Debug, Default)]
        struct Measured { $($name: f32),* }

        impl Measured {
            fn list(self) -> Features {
                vec![$(self.$name),*]
            }
        }
    };
}

/// One value per feature.
pub type Features = Vec<f32>;

/// What is measured of one line.
#[derive(Clone, Debug)]
pub struct MeasuredLine {
    pub features: Features,
    /// Its specific things that the model lacks, hashed.
    pub new: Vec<WordHash>,
}

features! {
    kind: "kind of line",
    age: "rows since",
    relative_age: "share of the session since",
    length: "length",
    things: "specific things",
    new_things: "specific things the model lacks",
    new_share: "share of its specific things the model lacks",
    used: "how often its new things were used",
    most_used: "how often its most used new thing was used",
    last_used: "how lately a new thing was used",
    in_kinds: "new things that stand in several kinds of lines",
    in_agent: "new things that the agent said",
    in_person: "new things that the person said",
    in_runs: "new things in commands",
    words: "words",
    new_words: "words the model lacks",
    new_weight: "rare words the model lacks",
    new_words_share: "share of its words the model lacks",
    near_ending: "closeness to the end of the summary",
    near_request: "closeness to the latest request",
    failed: "from a failed call",
    line: "lines before it in its text",
    lines_after: "lines after it in its text",
    lines: "lines of its text",
    position: "position in its text",
    error: "names an error",
    counts: "counts results",
    bullet: "list item",
    numbered: "numbered item",
    heading: "heading",
    table: "table row",
    bold: "emphasis",
    code: "code span",
    colon: "colon",
    introduces: "ends with a colon",
    digits: "digits",
    punctuation: "share of punctuation",
    runs: "runs of the same line",
    address: "web address",
    not_ascii: "letters beyond ASCII",
    stale: "overtaken by a later run",
    first_prompt: "in the first prompt",
    prompts_since: "requests since",
    latest_prompt: "in the latest request",
    ends_turn: "ends a turn",
    question: "question",
    has_outcome: "run with an outcome",
    run_failed: "failed run",
    alone_in_row: "lines of the same row",
    used_later: "its new things were used again later",
    joined: "says what several rows say",
}

/// What is known of a specific over the whole record.
struct Thing {
    hash: WordHash,
    rows: u32,
    last_row: u32,
    pools: u16,
    is_known: bool,
}

/// The same of an ordinary word.
struct Word {
    rows: u32,
    last_row: u32,
    /// How rare it is among the rows.
    rarity: f32,
    is_new: bool,
    /// It stands at the end of the summary, in the latest request.
    is_in_ending: bool,
    is_in_request: bool,
}

/// The words of all lines, each once: a line has their numbers.
struct Words<'a> {
    known: &'a KnownText,
    had: WordSet,
    ending: WordSet,
    request: WordSet,
    things: Vec<Thing>,
    things_at: Map<u32>,
    words: Vec<Word>,
    words_at: Map<u32>,
    /// The words of the line that is read.
    line: Vec<WordHash>,
}

/// The words of one line, each once.
struct LineWords {
    /// In the order in which they stand.
    named: Vec<u32>,
    /// In the order of their hashes: sums of their weights are the same on every machine.
    words: Vec<u32>,
}

impl<'a> Words<'a> {
    fn new(known: &'a KnownText, request: &str) -> Words<'a> {
        // Words as they are: with stems, which leave common words out, the left-out figures are 2 points lower.
        Words {
            known,
            had: ordinary_words(known.text()).collect(),
            ending: ordinary_words(tail_of(known.text(), ENDING)).collect(),
            request: ordinary_words(request).collect(),
            things: Vec::new(),
            things_at: Map::default(),
            words: Vec::new(),
            words_at: Map::default(),
            line: Vec::new(),
        }
    }

    /// Counts the words of a line in this row.
    fn add(&mut self, text: &str, pool: Pool, row: u32) -> LineWords {
        let mut named = Vec::new();
        self.line.clear();
        for token in tokens(text) {
            match token {
                TextToken::Ordinary(word) => self.line.push(word),
                TextToken::Specific(word) => {
                    let at = self.thing_at(word);
                    let thing = &mut self.things[at as usize];
                    thing.rows += u32::from(thing.last_row != row);
                    thing.last_row = row;
                    thing.pools |= 1 << pool as u16;
                    if !named.contains(&at) {
                        named.push(at);
                    }
                }
            }
        }
        self.line.sort_unstable();
        self.line.dedup();
        let words = std::mem::take(&mut self.line);
        let line = LineWords { named, words: words.iter().map(|word| self.word_at(*word, row)).collect() };
        self.line = words;
        line
    }

    fn thing_at(&mut self, word: &str) -> u32 {
        let hash = hash(word);
        *self.things_at.entry(hash).or_insert_with(|| {
            let is_known = self.known.names(word);
            self.things.push(Thing { hash, rows: 0, last_row: 0, pools: 0, is_known });
            (self.things.len() - 1) as u32
        })
    }

    fn word_at(&mut self, hash: WordHash, row: u32) -> u32 {
        let at = *self.words_at.entry(hash).or_insert_with(|| {
            self.words.push(Word {
                rows: 0,
                last_row: 0,
                rarity: 0.0,
                is_new: !self.had.contains(&hash),
                is_in_ending: self.ending.contains(&hash),
                is_in_request: self.request.contains(&hash),
            });
            (self.words.len() - 1) as u32
        });
        let word = &mut self.words[at as usize];
        word.rows += u32::from(word.last_row != row || word.rows == 0);
        word.last_row = row;
        at
    }

    /// All lines have been added: what is rare is known now.
    fn weigh(&mut self, rows: u32) {
        for word in &mut self.words {
            word.rarity = (1.0 + rows as f32 / (1.0 + word.rows as f32)).ln();
        }
    }
}

/// The features of every line. `known` is what the model has, `request` the person's latest request.
pub fn features(candidates: &[Candidate], known: &KnownText, request: &str) -> Vec<MeasuredLine> {
    features_where(candidates, known, request, |_| true).into_iter().map(|(_, line)| line).collect()
}

/// The features of the wanted lines, each with its number. All others count for how often things were used.
pub fn features_where(
    candidates: &[Candidate],
    known: &KnownText,
    request: &str,
    is_wanted: impl Fn(&Candidate) -> bool,
) -> Vec<(usize, MeasuredLine)> {
    let mut words = Words::new(known, request);
    let (mut rows, mut last) = (0_u32, 0_u32);
    let mut in_row: Map<u32> = Map::default();
    let mut runs: Map<u32> = Map::default();
    let mut wanted = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let place = candidate.place().0;
        rows += u32::from(place != last);
        last = place;
        *in_row.entry(u64::from(place)).or_default() += 1;
        if let Kind::Ran { line, .. } = &candidate.seen.what {
            *runs.entry(hash(&line.key())).or_default() += 1;
        }
        let line = words.add(&candidate.text, candidate.pool, rows);
        if is_wanted(candidate) {
            wanted.push((at, rows, line));
        }
    }
    words.weigh(rows);
    let prompts = prompts(candidates);
    wanted
        .into_iter()
        .map(|(at, row, line)| {
            let candidate = &candidates[at];
            let mut measured = words.measure(candidate, &line, row, rows);
            let place = candidate.place().0;
            let since = prompts.len() - prompts.partition_point(|prompt| *prompt <= place);
            measured.prompts_since = (since as f32).ln_1p();
            measured.first_prompt = flag(prompts.first() == Some(&place));
            measured.latest_prompt = flag(prompts.last() == Some(&place));
            measured.alone_in_row = (in_row[&u64::from(place)] as f32).ln_1p();
            if let Kind::Ran { line, .. } = &candidate.seen.what {
                measured.runs = (runs[&hash(&line.key())] as f32).ln_1p();
            }
            let ends = matches!(candidate.pool, Pool::Concluded | Pool::Agent)
                && candidates[at..]
                    .iter()
                    .find(|next| next.place() != candidate.place())
                    .is_none_or(|next| matches!(next.pool, Pool::Briefing | Pool::Person | Pool::Delivered));
            measured.ends_turn = flag(ends);
            let new = words.new_things(&line).map(|thing| thing.hash).collect();
            (at, MeasuredLine { features: measured.list(), new })
        })
        .collect()
}

/// The rows with prompts of the person, in order.
fn prompts(candidates: &[Candidate]) -> Vec<u32> {
    let mut rows: Vec<u32> = candidates
        .iter()
        .filter(|candidate| {
            let is_person = matches!(candidate.pool, Pool::Briefing | Pool::Person);
            is_person && matches!(candidate.seen.what, Kind::Asked(_))
        })
        .map(|candidate| candidate.place().0)
        .collect();
    rows.dedup();
    rows
}

impl Words<'_> {
    /// The specific things of a line that the model lacks.
    fn new_things(&self, line: &LineWords) -> impl Iterator<Item = &Thing> {
        line.named.iter().map(|at| &self.things[*at as usize]).filter(|thing| !thing.is_known)
    }

    fn measure(&self, candidate: &Candidate, line_words: &LineWords, row: u32, rows: u32) -> Measured {
        let text = candidate.text.as_ref();
        let LineWords { named, words } = line_words;
        let age = (rows - row) as f32;
        let new: Vec<&Thing> = self.new_things(line_words).collect();
        let used = |thing: &&Thing| (thing.rows as f32).ln_1p();
        let in_pool =
            |pool: Pool| new.iter().filter(|thing| thing.pools & (1 << pool as u16) != 0).count() as f32;
        let words: Vec<&Word> = words.iter().map(|at| &self.words[*at as usize]).collect();
        let weight = |is_counted: fn(&Word) -> bool| {
            words.iter().filter(|word| is_counted(word)).map(|word| word.rarity).sum::<f32>()
        };
        let all = weight(|_| true).max(0.01);
        let new_weight = weight(|word| word.is_new);
        let part = part(&candidate.seen.what);
        let (line, of) = (f32::from(part.line), f32::from(part.of));
        let characters = text.chars().count().max(1) as f32;
        let marks = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count() as f32;
        let has = |mark: u8| memchr(mark, text.as_bytes()).is_some();
        let digits_first = text.bytes().take_while(u8::is_ascii_digit).count();
        let ended = candidate.seen.ended();
        Measured {
            kind: f32::from(candidate.pool as u8),
            age: age.ln_1p(),
            relative_age: age / rows.max(1) as f32,
            length: characters,
            things: named.len() as f32,
            new_things: new.len() as f32,
            new_share: new.len() as f32 / (1.0 + named.len() as f32),
            used: new.iter().map(used).sum(),
            most_used: new.iter().map(used).fold(0.0, f32::max),
            last_used: new.iter().map(|thing| ((rows - thing.last_row) as f32).ln_1p()).fold(9.0, f32::min),
            in_kinds: new.iter().filter(|thing| thing.pools.count_ones() > 1).count() as f32,
            in_agent: in_pool(Pool::Agent).max(in_pool(Pool::Concluded)),
            in_person: in_pool(Pool::Person).max(in_pool(Pool::Briefing)),
            in_runs: in_pool(Pool::Run),
            words: words.len() as f32,
            new_words: words.iter().filter(|word| word.is_new).count() as f32,
            new_weight,
            new_words_share: new_weight / all,
            near_ending: weight(|word| word.is_in_ending) / all,
            near_request: weight(|word| word.is_in_request) / all,
            failed: flag(matches!(candidate.seen.what, Kind::Printed { failed: true, .. })),
            line,
            lines_after: (of - line - 1.0).max(0.0),
            lines: of.ln_1p(),
            position: line / of.max(1.0),
            error: flag(is_error_line(text)),
            counts: flag(counts_in(text).is_some()),
            bullet: flag(text.starts_with(['-', '*', '•'])),
            numbered: flag(digits_first > 0 && text[digits_first..].starts_with(['.', ')'])),
            heading: flag(text.starts_with('#')),
            table: flag(has(b'|')),
            bold: flag(has(b'*') && text.contains("**")),
            code: flag(has(b'`')),
            colon: flag(has(b':')),
            introduces: flag(text.ends_with(':')),
            digits: text.bytes().filter(u8::is_ascii_digit).count() as f32,
            punctuation: marks / characters,
            address: flag(has(b':') && text.contains("://")),
            not_ascii: flag(!text.is_ascii() && text.chars().any(|c| c.is_alphabetic() && !c.is_ascii())),
            stale: flag(candidate.is_stale),
            question: flag(text.trim_end().ends_with(['?', '？'])),
            has_outcome: flag(ended.is_some_and(|end| !end.telling.is_empty())),
            run_failed: flag(candidate.seen.is_failed_run()),
            used_later: new.iter().filter(|thing| thing.last_row > row).count() as f32,
            joined: candidate.join.as_ref().map_or(0.0, joined),
            ..Measured::default()
        }
    }
}

/// The kind of join.
fn joined(join: &Join) -> f32 {
    match join {
        Join::Answer(_) => 1.0,
        Join::Often { .. } => 2.0,
    }
}

fn part(what: &Kind) -> TextPart {
    match what {
        Kind::Asked(part) | Kind::Said(part) | Kind::Planned(part) | Kind::Summarised(part) => *part,
        Kind::Printed { at, .. } => *at,
        _ => TextPart { of: 1, ..TextPart::default() },
    }
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}
