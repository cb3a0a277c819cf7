//! A sentence as words and clauses, with every phrase of the lexicon in it. Read once; what it says is decided by
//! `reading/prose.rs`.
//!
//! The language of a sentence is the one of which it has the most function words; the phrases of others do not count.
//! A heading may have none: then the phrases of all do. Scripts without spaces cannot be mistaken for another language,
//! so theirs always do.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::lexicon::languages::{LANGUAGES, Sense};

/// Marks that end a clause.
const CLAUSE_ENDS: &[char] = &[',', ';', ':', '(', ')', '—', '–', '"', '“', '”', '，', '；', '：', '、'];

/// A sentence, read.
pub struct ReadSentence<'a> {
    pub text: &'a str,
    pub words: Vec<ReadWord<'a>>,
    pub clauses: Vec<ReadClause>,
    found: Vec<PhraseHit>,
}

/// A word without the punctuation around it.
pub struct ReadWord<'a> {
    pub raw: &'a str,
    /// In lower case, with a straight apostrophe.
    pub lower: Cow<'a, str>,
    /// The mark behind it that ends its clause.
    mark: Option<char>,
}

/// Words between two marks or joining words. Fillers before its opening do not count.
#[derive(Clone, Copy, Debug)]
pub struct ReadClause {
    pub from: usize,
    /// Its first word that is no filler.
    pub opens: usize,
    pub to: usize,
    /// The mark behind it.
    pub mark: Option<char>,
}

impl ReadClause {
    pub fn is_empty(&self) -> bool {
        self.opens >= self.to
    }
}

/// A phrase of the lexicon in a sentence.
#[derive(Clone, Copy, Debug)]
pub struct PhraseHit {
    pub sense: Sense,
    /// Its words.
    pub at: usize,
    pub to: usize,
    /// It counts only where a clause opens.
    pub is_opening: bool,
    /// Of a language with spaces between its words.
    pub spaced: bool,
}

impl<'a> ReadSentence<'a> {
    pub fn new(text: &'a str) -> ReadSentence<'a> {
        let words = words_of(text);
        let languages = languages_of(&words);
        let clauses = clauses_of(&words, &SPACED[languages[0]]);
        let mut read = ReadSentence { text, words, clauses, found: Vec::new() };
        for at in languages {
            read.match_words(&SPACED[at]);
        }
        if !text.is_ascii() {
            read.match_characters();
        }
        read
    }

    /// The phrases with this sense.
    pub fn all(&self, sense: Sense) -> impl Iterator<Item = &PhraseHit> {
        self.found.iter().filter(move |hit| hit.sense == sense)
    }

    pub fn has(&self, sense: Sense) -> bool {
        self.all(sense).next().is_some()
    }

    /// The phrase with this sense at which a clause opens.
    pub fn opening(&self, clause: &ReadClause, sense: Sense) -> Option<&PhraseHit> {
        self.all(sense).filter(|hit| hit.at == clause.opens).max_by_key(|hit| hit.to)
    }

    /// Whether the sentence opens with such a phrase.
    pub fn opens(&self, sense: Sense) -> bool {
        let first = self.clauses.iter().find(|clause| !clause.is_empty());
        first.is_some_and(|first| self.opening(first, sense).is_some())
            || self.all(sense).any(|hit| !hit.spaced && hit.is_opening)
    }

    /// Whether the word belongs to a phrase with one of these senses.
    pub fn is_part_of(&self, word: usize, senses: &[Sense]) -> bool {
        self.found.iter().any(|hit| (hit.at..hit.to).contains(&word) && senses.contains(&hit.sense))
    }

    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| &word.lower)
    }

    /// Whether a question mark or a colon ends it.
    pub fn ends_open(&self) -> bool {
        self.is_question() || self.text.trim_end_matches(MARKUP).ends_with([':', '：'])
    }

    pub fn is_question(&self) -> bool {
        self.text.trim_end_matches(MARKUP).ends_with(['?', '？'])
    }

    fn match_words(&mut self, language: &SpacedPhrases) {
        let (mut vetoes, known) = (Vec::new(), self.found.len());
        for clause in &self.clauses {
            for at in clause.from..clause.to {
                let near = language.by_start[bucket(self.word(at))].iter().chain(&language.open_ended);
                for pattern in near {
                    if let Some(to) = pattern.matches(self, clause, at, language) {
                        let is_opening = pattern.stands == PhrasePosition::AtOpening;
                        let hit = PhraseHit { sense: pattern.sense, at, to, is_opening, spaced: true };
                        if pattern.is_veto { vetoes.push(hit) } else { self.found.push(hit) }
                    }
                }
            }
        }
        let overlaps = |hit: &PhraseHit, veto: &PhraseHit| {
            hit.sense == veto.sense && hit.at < veto.to && veto.at < hit.to
        };
        let new = self.found.split_off(known);
        self.found.extend(new.into_iter().filter(|hit| !vetoes.iter().any(|veto| overlaps(hit, veto))));
    }

    fn match_characters(&mut self) {
        let bare = self.text.trim_end_matches(['。', '！', '.', '!', ' ', '~', '～', '？', '?']);
        for pattern in UNSPACED.iter().filter(|pattern| !pattern.is_veto) {
            let is_there = match pattern.stands {
                PhrasePosition::AtOpening => bare.starts_with(pattern.text),
                PhrasePosition::AtEnd => bare.ends_with(pattern.text),
                PhrasePosition::Anywhere | PhrasePosition::AsLabel => bare.contains(pattern.text),
            };
            let is_veto = |veto: &PhrasePattern| {
                veto.is_veto && veto.sense == pattern.sense && veto.text.contains(pattern.text)
            };
            if is_there && !UNSPACED.iter().any(|veto| is_veto(veto) && bare.contains(veto.text)) {
                let (sense, is_opening) = (pattern.sense, pattern.stands == PhrasePosition::AtOpening);
                self.found.push(PhraseHit { sense, at: 0, to: 0, is_opening, spaced: false });
            }
        }
    }
}

/// Marks of emphasis and quotation behind a sentence.
const MARKUP: &[char] = &['*', '_', '"', ')', ' ', '\n'];

/// Whether the text has a phrase with this sense.
pub fn has_sense(text: &str, sense: Sense) -> bool {
    ReadSentence::new(text).has(sense)
}

/// The phrases of a sense in all languages, as they are written in the lexicon.
pub fn phrases_of(sense: Sense) -> impl Iterator<Item = &'static str> {
    let entries = LANGUAGES.iter().flat_map(|language| language.entries);
    entries
        .filter(move |entry| entry.sense == sense)
        .flat_map(|entry| entry.phrases.split(',').map(str::trim))
}

fn words_of(text: &str) -> Vec<ReadWord<'_>> {
    let mut words: Vec<ReadWord> = Vec::new();
    let end_clause = |words: &mut Vec<ReadWord>, mark: char| {
        if let Some(last) = words.last_mut() {
            last.mark.get_or_insert(mark);
        }
    };
    for piece in text.split_inclusive(|c: char| c.is_whitespace() || "—–()\"“”;，；：、".contains(c))
    {
        let bare = piece.trim_matches(|c: char| !c.is_alphanumeric());
        if !bare.is_empty() {
            let mut lower = if bare.bytes().all(|b| b.is_ascii_lowercase()) {
                Cow::Borrowed(bare)
            } else {
                Cow::Owned(bare.to_lowercase())
            };
            if lower.contains('’') {
                lower = Cow::Owned(lower.replace('’', "'"));
            }
            words.push(ReadWord { raw: bare, lower, mark: None });
        }
        let behind = &piece[piece.trim_end_matches(|c: char| !c.is_alphanumeric()).len()..];
        if let Some(mark) = behind.chars().find(|c| CLAUSE_ENDS.contains(c)) {
            end_clause(&mut words, mark);
        } else if matches!(piece.trim(), "-") {
            end_clause(&mut words, '-');
        }
    }
    words
}

fn clauses_of(words: &[ReadWord], language: &SpacedPhrases) -> Vec<ReadClause> {
    let is = |word: &ReadWord, kind: &[&str]| kind.contains(&&*word.lower);
    let mut clauses = Vec::new();
    let mut from = 0;
    for (at, word) in words.iter().enumerate() {
        // At the beginning of a clause it is a filler.
        let joins = from < at && is(word, &language.joins);
        if !joins && word.mark.is_none() && at + 1 < words.len() {
            continue;
        }
        let to = if joins { at } else { at + 1 };
        if from < to {
            let fillers = words[from..to].iter().take_while(|word| is(word, &language.fillers)).count();
            let mark = word.mark.filter(|_| !joins);
            clauses.push(ReadClause { from, opens: from + fillers, to, mark });
        }
        from = at + 1;
    }
    clauses
}

/// Of the languages with spaces, those that have most of these words as function words: all if there are no such words, as
/// in headings, but the first one alone if it is as good as others.
fn languages_of(words: &[ReadWord]) -> Vec<usize> {
    let mut counts = [0_u16; 16];
    for word in words {
        let languages = FUNCTION_WORDS.exact.get(&*word.lower).copied().unwrap_or_default();
        let elided = FUNCTION_WORDS.elided.iter().filter(|(start, _)| word.lower.starts_with(start));
        let languages = elided.fold(languages, |all, (_, language)| all | language);
        for (at, count) in counts.iter_mut().enumerate().take(SPACED.len()) {
            *count += languages >> at & 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or_default();
    let best = (0..SPACED.len()).filter(|at| counts[*at] == most);
    if most > 0 && counts[0] == most { vec![0] } else { best.collect() }
}

/// The language of a text: by its script, or the one with most of its function words. `None` if it has none of them.
pub fn language_of(text: &str) -> Option<&'static str> {
    let (mut letters, mut kana, mut hangul, mut han) = (0_usize, 0, 0, 0);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        match c as u32 {
            0x3040..=0x30FF => kana += 1,
            0xAC00..=0xD7A3 => hangul += 1,
            0x3400..=0x9FFF | 0x20000..=0x3FFFF => han += 1,
            _ => {}
        }
    }
    // A character of these scripts says as much as a short word.
    if (kana + hangul + han) * 4 > letters {
        let scripts = [(kana * 4 > han, "Japanese"), (hangul > kana + han, "Korean"), (true, "Chinese")];
        let is_written = |(fits, name): &(bool, &'static str)| fits.then_some(*name);
        return scripts.iter().filter(|(_, name)| *name != "Japanese" || kana > 0).find_map(is_written);
    }
    let words = words_of(text);
    let is_function = |word: &ReadWord| FUNCTION_WORDS.exact.contains_key(&*word.lower);
    let spaced = LANGUAGES.iter().filter(|language| language.spaced);
    let best = languages_of(&words).first().copied().filter(|_| words.iter().any(is_function))?;
    spaced.map(|language| language.name).nth(best)
}

/// Whether a lower-case word carries no topic, in any language.
pub fn is_stop_word(word: &str) -> bool {
    FUNCTION_WORDS.exact.contains_key(word)
}

/// Function words, each with the languages that have it, one bit per language.
struct FunctionWords {
    exact: HashMap<&'static str, u16, foldhash::fast::RandomState>,
    elided: Vec<(&'static str, u16)>,
}

static FUNCTION_WORDS: LazyLock<FunctionWords> = LazyLock::new(|| {
    let mut known = FunctionWords { exact: HashMap::default(), elided: Vec::new() };
    let spaced = LANGUAGES.iter().filter(|language| language.spaced);
    for (at, language) in spaced.enumerate() {
        let entries = language.entries.iter().filter(|entry| entry.sense == Sense::Function);
        for word in entries.flat_map(|entry| entry.phrases.split(',').map(str::trim)) {
            match word.strip_suffix('*') {
                Some(start) => known.elided.push((start, 1 << at)),
                None => *known.exact.entry(word).or_default() |= 1 << at,
            }
        }
    }
    known
});

/// The phrases of a language with spaces.
struct SpacedPhrases {
    /// By the first letters of their first word.
    by_start: Vec<Vec<PhrasePattern>>,
    /// Phrases that begin with an ending or with any word.
    open_ended: Vec<PhrasePattern>,
    fillers: Vec<&'static str>,
    joins: Vec<&'static str>,
    subjects: Vec<&'static str>,
}

static SPACED: LazyLock<Vec<SpacedPhrases>> = LazyLock::new(|| {
    let of = |language: &&&'static crate::lexicon::languages::Language| {
        let patterns = language.entries.iter().filter(|entry| entry.sense != Sense::Function);
        let patterns = patterns.flat_map(|entry| {
            entry.phrases.split(',').map(|text| PhrasePattern::new(entry.sense, text.trim()))
        });
        let words = |sense: Sense| {
            let entries = language.entries.iter().filter(move |entry| entry.sense == sense);
            entries.flat_map(|entry| entry.phrases.split(',').map(str::trim)).collect()
        };
        let (fillers, joins, subjects) = (words(Sense::Filler), words(Sense::Join), words(Sense::Subject));
        let mut by_start: Vec<Vec<PhrasePattern>> = Vec::new();
        by_start.resize_with(256, Vec::new);
        let mut open_ended = Vec::new();
        for pattern in patterns {
            match pattern.words[0] {
                WordPattern::Exact(word) | WordPattern::Start(word) => by_start[bucket(word)].push(pattern),
                WordPattern::End(_) | WordPattern::Any => open_ended.push(pattern),
            }
        }
        SpacedPhrases { by_start, open_ended, fillers, joins, subjects }
    };
    let spaced: Vec<&&crate::lexicon::languages::Language> =
        LANGUAGES.iter().filter(|language| language.spaced).collect();
    spaced.iter().map(of).collect()
});

static UNSPACED: LazyLock<Vec<PhrasePattern>> = LazyLock::new(|| {
    let entries = LANGUAGES.iter().filter(|language| !language.spaced).flat_map(|language| language.entries);
    let phrases = entries.flat_map(|entry| entry.phrases.split(',').map(|text| (entry.sense, text.trim())));
    phrases.map(|(sense, text)| PhrasePattern::new(sense, text)).collect()
});

/// The first two letters decide; a shorter word is alone with its kind.
fn bucket(word: &str) -> usize {
    let mut bytes = word.bytes();
    let (one, two) = (bytes.next().unwrap_or_default(), bytes.next().unwrap_or_default());
    usize::from(one.wrapping_mul(31).wrapping_add(two))
}

/// A phrase as the lexicon writes it.
struct PhrasePattern {
    sense: Sense,
    text: &'static str,
    words: Vec<WordPattern>,
    stands: PhrasePosition,
    is_veto: bool,
}

/// Where a phrase has to stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PhrasePosition {
    Anywhere,
    AtOpening,
    AtEnd,
    AsLabel,
}

enum WordPattern {
    Exact(&'static str),
    Start(&'static str),
    End(&'static str),
    Any,
}

impl PhrasePattern {
    fn new(sense: Sense, phrase: &'static str) -> PhrasePattern {
        let text = phrase.trim_start_matches(['!', '^']).trim_end_matches(['$', ':']);
        let words = text.split(' ').map(|word| match (word.strip_prefix('*'), word.strip_suffix('*')) {
            (Some(""), _) => WordPattern::Any,
            (Some(end), _) => WordPattern::End(end),
            (_, Some(start)) => WordPattern::Start(start),
            _ => WordPattern::Exact(word),
        });
        PhrasePattern {
            sense,
            text,
            words: words.collect(),
            stands: match phrase {
                _ if phrase.starts_with('^') => PhrasePosition::AtOpening,
                _ if phrase.ends_with('$') => PhrasePosition::AtEnd,
                _ if phrase.ends_with(':') => PhrasePosition::AsLabel,
                _ => PhrasePosition::Anywhere,
            },
            is_veto: phrase.starts_with('!'),
        }
    }

    /// Where the phrase ends that begins at this word.
    fn matches(
        &self,
        read: &ReadSentence,
        clause: &ReadClause,
        at: usize,
        language: &SpacedPhrases,
    ) -> Option<usize> {
        let to = at + self.words.len();
        // A filler may also be the opening itself: "again", "now".
        let opens = at == clause.opens || at == clause.from;
        let is_label = || {
            let is_first = read.clauses.first().is_some_and(|first| first.from == clause.from);
            is_first && opens && to == clause.to && matches!(clause.mark, Some(':' | '：' | '—' | '–' | '-'))
        };
        let fits = to <= clause.to
            && self.words.iter().enumerate().all(|(n, word)| word.is(read.word(at + n), language))
            && match self.stands {
                PhrasePosition::Anywhere => true,
                PhrasePosition::AtOpening => opens,
                PhrasePosition::AtEnd => to == clause.to,
                PhrasePosition::AsLabel => is_label(),
            };
        fits.then_some(to)
    }
}

impl WordPattern {
    fn is(&self, word: &str, language: &SpacedPhrases) -> bool {
        match self {
            WordPattern::Exact(exact) => *exact == word,
            WordPattern::Start(start) => word.starts_with(start),
            WordPattern::End("s") if word.ends_with("ss") => false,
            WordPattern::End(end) => {
                word.ends_with(end) && word.chars().nth(3).is_some() && !language.subjects.contains(&word)
            }
            WordPattern::Any => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_the_lexicon_has_its_sense() {
        let mut missed = Vec::new();
        for language in LANGUAGES {
            for entry in language.entries.iter().filter(|entry| entry.sense != Sense::Function) {
                let has = match entry.sense {
                    Sense::Join => ReadSentence::new(entry.example).clauses.len() > 1,
                    sense => has_sense(entry.example, sense),
                };
                missed.extend((!has).then_some((language.name, entry.sense, entry.example)));
            }
        }
        assert_eq!(missed, []);
    }

    #[test]
    fn a_sentence_is_read_in_its_own_language() {
        let of = |text| {
            let spaced: Vec<_> = LANGUAGES.iter().filter(|language| language.spaced).collect();
            languages_of(&words_of(text)).into_iter().map(|at| spaced[at].name).collect::<Vec<_>>()
        };
        for language in LANGUAGES.iter().filter(|language| language.spaced) {
            let function = language.entries.iter().find(|entry| entry.sense == Sense::Function);
            assert_eq!(of(function.expect("its function words").example), [language.name]);
        }
        assert_eq!(of("No issues found"), ["English"]);
        let spaced = LANGUAGES.iter().filter(|language| language.spaced).count();
        assert_eq!(of("cargo test").len(), spaced, "it may be any");
    }

    #[test]
    fn every_phrase_is_in_lower_case_and_stands_once() {
        for language in LANGUAGES {
            for entry in language.entries {
                let mut phrases: Vec<&str> = entry.phrases.split(',').map(str::trim).collect();
                assert!(phrases.iter().all(|phrase| !phrase.is_empty() && phrase.to_lowercase() == **phrase));
                phrases.sort_unstable();
                let count = phrases.len();
                phrases.dedup();
                assert_eq!(phrases.len(), count, "{} {:?} repeats a phrase", language.name, entry.sense);
            }
        }
    }

    #[test]
    fn every_language_has_the_same_senses_of_prose() {
        let senses = |at: usize| LANGUAGES[at].entries.iter().map(|entry| entry.sense);
        // Korean has the fewest: everything that it has, every language has.
        let korean = LANGUAGES.iter().position(|language| language.name == "Korean").expect("Korean");
        for sense in senses(korean) {
            for (at, language) in LANGUAGES.iter().enumerate() {
                assert!(senses(at).any(|known| known == sense), "{} has no {sense:?}", language.name);
            }
        }
    }

    #[test]
    fn clauses_open_after_fillers_and_end_at_marks() {
        let read = ReadSentence::new("Ok, please run it; (now) stop and wait — done");
        let clauses: Vec<&str> =
            read.clauses.iter().map(|clause| read.word(clause.opens.min(clause.to - 1))).collect();
        assert_eq!(clauses, ["ok", "run", "now", "stop", "wait", "done"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,120}") {
            let read = ReadSentence::new(&text);
            proptest::prop_assert!(read.clauses.iter().all(|clause| clause.from < clause.to && clause.to <= read.words.len()));
        }
    }
}
