//! A number, path, id or flag that the record never contained, where it has a near twin in the same surroundings.
//!
//! Both halves are needed. A word that the record never had may be the summary's own ("12 files in all"), and a
//! word that it had may stand anywhere. A finding is one digit, letter or folder away from something that the
//! record says beside the same words; or, for a number, another one of as many digits between the same two words.

use strsim::osa_distance;

use super::summary::{Summary, Unit};
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::session::shown::shown_path;
use crate::session::vocabulary::{Atom, Vocabulary, atoms, is_number};
use crate::session::{Session, one_line};
use crate::text::stop_words::is_stop_word;
use crate::text::words::is_path;

/// Everything that was changed.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    if session.vocabulary.is_full() {
        return Vec::new();
    }
    let record = WordRecord::new(session);
    summary.units().iter().flat_map(|unit| in_unit(&record, unit)).collect()
}

/// The record as far as words are looked up in it.
struct WordRecord<'a> {
    session: &'a Session,
    /// Words of what the rows say besides: the folders, the branch, the summary that the transcript begins with.
    besides: Vocabulary,
    flags: Vec<(&'a str, Place)>,
    hashes: Vec<(&'a str, Place)>,
}

impl<'a> WordRecord<'a> {
    fn new(session: &'a Session) -> WordRecord<'a> {
        let mut besides = Vocabulary::default();
        let texts = session.roots.iter().chain(&session.branch).chain(&session.beginning);
        texts.for_each(|text| besides.note(text));
        let flags = session.commands.iter().flat_map(|(_, c)| {
            atoms(&c.text).filter(|a| a.text.starts_with("--")).map(|a| (a.text, c.place))
        });
        let hashes = session.names.iter().filter(|(name, _)| is_hash(name)).map(|(name, n)| (name, n.place));
        let commits = session.commits.iter().map(|c| (c.hash.as_str(), c.place));
        WordRecord { session, besides, flags: flags.collect(), hashes: hashes.chain(commits).collect() }
    }

    fn has(&self, word: &str) -> bool {
        self.session.vocabulary.has(word) || self.besides.has(word)
    }

    fn has_in(&self, folder: &str, file: &str) -> bool {
        self.session.vocabulary.has_in(folder, file) || self.besides.has_in(folder, file)
    }

    fn has_beside(&self, first: &str, second: &str) -> bool {
        self.session.vocabulary.has_beside(first, second) || self.besides.has_beside(first, second)
    }
}

fn in_unit(record: &WordRecord, unit: &Unit) -> Vec<Finding> {
    let mut found = Vec::new();
    for atom in atoms(unit.text) {
        let twin = if atom.text.starts_with("--") {
            flag(record, &atom)
        } else if is_file(atom.text) {
            path(record, &atom)
        } else if is_hash(atom.text) {
            hash(record, &atom)
        } else if is_number(atom.text) {
            number(record, unit, &atom)
        } else {
            None
        };
        found.extend(twin.map(|twin| twin.finding(unit)));
    }
    found
}

/// What the record has instead.
struct Twin {
    fact: FindingSubject,
    text: String,
    place: Option<Place>,
    confidence: f32,
}

impl Twin {
    fn finding(self, unit: &Unit) -> Finding {
        let Twin { fact, text, place, confidence } = self;
        let summary_quote = Some(one_line(unit.text, 300));
        Finding { kind: FindingKind::Mutated, fact, text, place, summary_quote, confidence }
    }
}

// ---- paths

/// A file name, with an extension of any sort: a twin among the session's files is needed anyway.
fn is_file(word: &str) -> bool {
    let extension = word.rsplit_once('.').map_or("", |(_, extension)| extension);
    let letters = (1..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_lowercase());
    word.len() > 4 && (is_path(word) || letters)
}

/// A file name the record never had, or a file in a folder it was never in.
fn path(record: &WordRecord, atom: &Atom) -> Option<Twin> {
    let file = atom.text;
    if record.has(file) {
        if !atom.in_folder || record.has_in(atom.before, file) {
            return None;
        }
        return nearest_path(record, |folder, name| {
            (name == file)
                .then(|| osa_distance(folder, atom.before))
                .filter(|d| *d <= most_edits(atom.before))
        });
    }
    nearest_path(record, |folder, name| {
        let same_folder = !atom.in_folder || folder == atom.before;
        let same_kind = name.rsplit('.').next() == file.rsplit('.').next();
        (same_folder && same_kind).then(|| osa_distance(name, file)).filter(|d| *d <= most_edits(file))
    })
}

/// Longer words may differ in more letters and still be the same word.
fn most_edits(word: &str) -> usize {
    match word.len() {
        0..=3 => 0,
        4..=7 => 1,
        8..=13 => 2,
        _ => 3,
    }
}

fn nearest_path(record: &WordRecord, far: impl Fn(&str, &str) -> Option<usize>) -> Option<Twin> {
    let session = record.session;
    let scored = session.files.iter().filter_map(|(path, file)| {
        let mut parts = path.rsplit(['/', '\\']);
        let (name, folder) = (parts.next()?, parts.next().unwrap_or_default());
        Some((far(folder, name)?, path, file))
    });
    let (_, path, file) = scored
        .filter(|(d, ..)| *d > 0)
        .min_by_key(|(d, path, file)| (*d, std::cmp::Reverse(file.heat.clock), *path))?;
    let confidence = if file.called || file.said { 0.85 } else { 0.78 };
    Some(Twin {
        fact: FindingSubject::File,
        text: shown_path(session, path).to_owned(),
        place: Some(file.place),
        confidence,
    })
}

// ---- ids and flags

fn flag(record: &WordRecord, atom: &Atom) -> Option<Twin> {
    if record.has(atom.text) {
        return None;
    }
    let near = record.flags.iter().map(|(flag, place)| (osa_distance(flag, atom.text), flag, place));
    let (_, flag, place) = near
        .filter(|(d, flag, _)| *d <= if flag.len() > 7 { 2 } else { 1 })
        .min_by_key(|(d, flag, _)| (*d, **flag))?;
    Some(Twin {
        fact: FindingSubject::Number,
        text: (*flag).to_owned(),
        place: Some(*place),
        confidence: 0.8,
    })
}

fn hash(record: &WordRecord, atom: &Atom) -> Option<Twin> {
    let known = |hash: &str| hash.starts_with(atom.text) || atom.text.starts_with(hash);
    if record.has(atom.text) || record.hashes.iter().any(|(hash, _)| known(hash)) {
        return None;
    }
    let length = atom.text.len();
    let near = record
        .hashes
        .iter()
        .filter(|(hash, _)| hash.len() >= length)
        .map(|(hash, place)| (osa_distance(&hash[..length], atom.text), &hash[..length], place));
    let (_, hash, place) = near.filter(|(d, ..)| *d <= 2).min_by_key(|(d, hash, _)| (*d, *hash))?;
    Some(Twin { fact: FindingSubject::Number, text: hash.to_owned(), place: Some(*place), confidence: 0.85 })
}

fn is_hash(word: &str) -> bool {
    crate::text::words::is_hash(word)
}

// ---- numbers

/// A number that the record has nowhere, or never beside these words, with one in its place that differs in a digit.
fn number(record: &WordRecord, unit: &Unit, atom: &Atom) -> Option<Twin> {
    let plain = atom.text.replace(',', "");
    if plain.len() < 2 || is_derived(unit, atom) || is_written_otherwise(record, &plain) {
        return None;
    }
    let (named, counted) = (is_word(atom.before), is_word(atom.after));
    let known = record.has(atom.text);
    let fits = |number: &str| {
        (named && record.has_beside(atom.before, number), counted && record.has_beside(number, atom.after))
    };
    if known && fits(&plain) != (false, false) {
        return None;
    }
    let candidates = variants(&plain).into_iter().filter(|c| record.has(c));
    let nearest = candidates.map(|c| (fits(&c), c)).max_by_key(|(f, _)| *f).map(|(f, c)| (c, f));
    let scored = nearest.and_then(|(candidate, (before, after))| {
        let confidence = match (known, before, after) {
            // Long enough to be nothing else.
            (false, false, false) if plain.len() > 6 => 0.8,
            (false, false, false) if carries_unit(&plain) => 0.5,
            // A number that stands elsewhere may have been said of something else.
            (true, true, true) => 0.76,
            (true, true, false) if !counted || is_joined(unit, atom) => 0.6,
            (true, true, false) => 0.5,
            (true, ..) | (false, false, false) => return None,
            (false, true, true) => 0.85,
            (false, ..) if carries_unit(&plain) => 0.85,
            (false, ..) => 0.78,
        };
        Some((candidate, (before, after), confidence))
    });
    let further = || if known && !is_joined(unit, atom) { None } else { far(&plain, &fits) };
    let (candidate, (before, after), confidence) = scored.or_else(further)?;
    // The number of something may be known as the number of something else.
    let confidence = if known && !(before && after) { confidence.min(0.6) } else { confidence };
    let words = [if before { atom.before } else { "" }, &candidate, if after { atom.after } else { "" }];
    let text = words.join(" ").trim().to_owned();
    Some(Twin { fact: FindingSubject::Number, text, place: place_of(record.session, &candidate), confidence })
}

/// Another number altogether in the same surroundings. It is told where both words are the same and the record has
/// just one number between them; a word on one side has many numbers beside it.
fn far(plain: &str, fits: &dyn Fn(&str) -> (bool, bool)) -> Option<(String, (bool, bool), f32)> {
    let fitting: Vec<(String, (bool, bool))> =
        replacements(plain).into_iter().map(|other| (fits(&other), other)).map(|(f, o)| (o, f)).collect();
    let between: Vec<_> = fitting.iter().filter(|(_, fit)| *fit == (true, true)).collect();
    let confidence = if between.len() == 1 { 0.76 } else { 0.5 };
    let differing = |other: &str| plain.bytes().zip(other.bytes()).filter(|(a, b)| a != b).count();
    let best = between.first().copied().or_else(|| {
        let beside = fitting.iter().filter(|(_, fit)| *fit != (false, false));
        beside.min_by_key(|(other, (before, _))| (!before, differing(other)))
    });
    best.map(|(other, fit)| (other.clone(), *fit, confidence))
}

/// Numbers of as many digits, where those are few; of longer ones those that differ in two.
fn replacements(number: &str) -> Vec<String> {
    let digits: Vec<usize> =
        number.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(at, _)| at).collect();
    let with = |changes: &[(usize, u8)]| {
        let mut bytes = number.as_bytes().to_vec();
        for (at, digit) in changes {
            bytes[*at] = *digit;
        }
        String::from_utf8(bytes).expect("digits for digits")
    };
    let mut out = Vec::new();
    match digits.as_slice() {
        [a, b, c] => {
            let all = (0..1_000_u16).map(|n| [(*a, n / 100), (*b, n / 10 % 10), (*c, n % 10)]);
            out.extend(all.map(|d| with(&d.map(|(at, digit)| (at, b'0' + digit as u8)))));
        }
        [_, ..] if digits.len() <= 12 => {
            for (n, a) in digits.iter().enumerate() {
                for b in &digits[n + 1..] {
                    out.extend((0..100_u8).map(|d| with(&[(*a, b'0' + d / 10), (*b, b'0' + d % 10)])));
                }
            }
        }
        _ => {}
    }
    out.retain(|other| other != number);
    out.sort();
    out.dedup();
    out
}

/// `ENT-12`, `#12`: the number of something, not a count.
fn is_joined(unit: &Unit, atom: &Atom) -> bool {
    unit.text[..atom.at].ends_with(['-', '#'])
}

/// Counts, ranges of lines, sums and rounded values are the summary's own.
fn is_derived(unit: &Unit, atom: &Atom) -> bool {
    let text = unit.text;
    let end = atom.at + atom.text.len();
    let (head, tail) = (text[..atom.at].trim_end(), text[end..].trim_start());
    let range = head.ends_with('-') && !is_word(atom.before);
    let about = range
        || head.ends_with(['~', '≈', '+', '–', '>', '<', '≥', '≤'])
        || tail.starts_with(['-', '–', '+']);
    let words = ["about", "around", "roughly", "approximately", "over", "line", "lines", "total"];
    about
        || words.contains(&atom.before.to_ascii_lowercase().as_str())
        || atom.after.eq_ignore_ascii_case("lines")
}

/// The record has it in another form: `0.4` for `0.40`, `2` and `hours` for `2h`.
fn is_written_otherwise(record: &WordRecord, number: &str) -> bool {
    let ordinal = ["st", "nd", "rd", "th"].iter().any(|end| number.ends_with(end));
    let short =
        number.contains('.') && number.ends_with('0') && record.has(number.trim_end_matches(['0', '.']));
    ordinal || short
}

/// A word that says what a number is of.
fn is_word(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word.len() > 1 && word.bytes().any(|b| b.is_ascii_alphabetic()) && !is_stop_word(&lower) && lower != "new"
}

fn carries_unit(number: &str) -> bool {
    number.contains('.') || number.bytes().any(|b| b.is_ascii_alphabetic())
}

/// What a number may have been before one digit was changed, added, dropped or swapped.
fn variants(number: &str) -> Vec<String> {
    let bytes = number.as_bytes();
    let digits = || (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit());
    let mut out: Vec<String> = Vec::new();
    for at in digits() {
        let (head, tail) = (&number[..at], &number[at + 1..]);
        out.push(format!("{head}{tail}"));
        for digit in b'0'..=b'9' {
            let digit = char::from(digit);
            out.push(format!("{head}{digit}{tail}"));
            out.push(format!("{head}{digit}{}", &number[at..]));
            out.push(format!("{}{digit}{tail}", &number[..=at]));
        }
        if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            let (a, b) = (char::from(bytes[at]), char::from(bytes[at + 1]));
            out.push(format!("{head}{b}{a}{}", &number[at + 2..]));
        }
    }
    out.retain(|other| {
        other != number
            && other.starts_with(|c: char| c.is_ascii_alphanumeric())
            && other.bytes().any(|b| b.is_ascii_digit())
    });
    out.sort();
    out.dedup();
    out
}

/// Where the record has this word, in what is kept verbatim; the latest first.
fn place_of(session: &Session, word: &str) -> Option<Place> {
    let has = |text: &str| atoms(text).any(|atom| atom.text.replace(',', "") == word);
    let prompts = session.prompts.iter().rev().find(|p| has(&p.text)).map(|p| p.place);
    prompts
        .or_else(|| session.said.iter().rev().find(|s| has(&s.text)).map(|s| s.place))
        .or_else(|| session.commands.iter().filter(|(_, c)| has(&c.text)).map(|(_, c)| c.place).max())
}
