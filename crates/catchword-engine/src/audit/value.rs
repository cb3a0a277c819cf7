//! A number, path, id or flag that the record never contained, where the record has a similar one in the same context.
//!
//! Both conditions are needed. A word missing from the record may be the summary's own ("12 files in all"), and a word
//! in the record may come from anywhere. A finding differs by one digit, letter or folder from something that the
//! record has next to the same words; or the newest statement in the same words has another number.

use strsim::osa_distance;

use super::differs;
use super::summary::{Heading, Summary, Unit};
use crate::lexicon::summaries::{CHANGED, DERIVED, INSTEAD, LABELS, NUMBERED, NUMBERED_IN_RECORD};
use crate::model::entry::Place;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::reading::claims::{Cued, is_one_of, lower_words, mentions};
use crate::reading::command::Step;
use crate::session::files::FileUse;
use crate::session::shown::shown_path;
use crate::session::vocabulary::{Atom, Vocabulary, atoms, is_number, is_reference};
use crate::session::{Session, one_line};
use crate::text::phrases::is_stop_word;
use crate::text::words::{self, Word, is_hash};

/// Everything that was changed.
pub fn findings(session: &Session, summary: &Summary) -> Vec<Finding> {
    if session.vocabulary.is_full() || session.unread_script.is_some() {
        return Vec::new();
    }
    let record = WordRecord::new(session);
    summary.units().iter().flat_map(|unit| in_unit(&record, unit)).collect()
}

/// The parts of the record in which words are looked up.
struct WordRecord<'a> {
    session: &'a Session,
    /// Words from the folders, the branch and the summary that the transcript begins with.
    besides: Vocabulary,
    flags: Vec<(&'a str, Place)>,
    hashes: Vec<(&'a str, Place)>,
    /// What is kept verbatim, latest first.
    statements: Vec<RecordText<'a>>,
}

/// A text of the record.
struct RecordText<'a> {
    place: Place,
    /// Tool calls before it.
    clock: u32,
    text: &'a str,
}

impl<'a> WordRecord<'a> {
    fn new(session: &'a Session) -> WordRecord<'a> {
        let mut besides = Vocabulary::default();
        let texts = session.roots.iter().chain(&session.branch).map(String::as_str);
        texts.chain(session.beginning_lines()).for_each(|text| besides.note(text));
        let flags = session.record.latest_runs().flat_map(|run| {
            let flags = atoms(run.line.text()).filter(|a| a.text.starts_with("--"));
            flags.map(move |a| (a.text, run.place))
        });
        let said = session
            .record
            .messages()
            .flat_map(|said| said.lines)
            .map(|line| (line.place, line.clock, line.words.as_str()));
        let runs = session
            .record
            .latest_runs()
            .flat_map(|run| [run.telling(), run.line.text()].map(|text| (run.place, run.clock, text)));
        let all = said.chain(runs);
        let mut statements: Vec<_> =
            all.map(|(place, clock, text)| RecordText { place, clock, text }).collect();
        statements.sort_by_key(|statement| std::cmp::Reverse(statement.place));
        let hashes = session.record.hashes().chain(session.record.commits().map(|c| (c.hash, c.place)));
        let (flags, hashes) = (flags.collect(), hashes.collect());
        WordRecord { session, besides, flags, hashes, statements }
    }

    fn has(&self, word: &str) -> bool {
        self.session.vocabulary.has(word) || self.besides.has(word)
    }

    /// A row has this path, ignoring case, or one that ends with it.
    fn has_path(&self, path: &str) -> bool {
        let (folder, name) = split_path(path);
        let is_file = |known: &str| ends_in(known, path);
        let is_met = self.has(name) && {
            let last = atoms(path).last();
            last.is_none_or(|atom| {
                folder.is_empty() || !atom.in_folder || self.has_in(atom.before, atom.text)
            })
        };
        let in_other_case = |known: &str| {
            last_part(known).eq_ignore_ascii_case(name) && (folder.is_empty() || last_part(known) != name)
        };
        is_met || self.session.files.iter().any(|(known, _)| is_file(known) || in_other_case(known))
    }

    fn has_in(&self, folder: &str, file: &str) -> bool {
        self.session.vocabulary.has_in(folder, file) || self.besides.has_in(folder, file)
    }

    fn has_beside(&self, first: &str, second: &str) -> bool {
        self.session.vocabulary.has_beside(first, second) || self.besides.has_beside(first, second)
    }
}

fn in_unit(record: &WordRecord, unit: &Unit) -> Vec<Finding> {
    let mut paths: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    words::scan(unit.text, |word| match word {
        Word::Path(path) => paths.push(path),
        Word::Name(name) => names.push(name),
        Word::Number(_) => {}
    });
    let start = |part: &str| part.as_ptr() as usize - unit.text.as_ptr() as usize;
    let is_part = |atom: &Atom, whole: &&str| {
        let from = start(whole);
        atom.at >= from && atom.at < from + whole.len()
    };
    let is_denied = |part: &str| is_denied(unit.text, start(part), part.len());
    let mut found: Vec<Finding> = paths
        .iter()
        .filter(|path| !is_denied(path))
        .filter_map(|path| self::path(record, unit, path))
        .map(|twin| twin.finding(unit))
        .collect();
    // Every element has numbers of its own: a quoted one says nothing about another.
    let is_markup = unit.text.trim_start().starts_with('<') && unit.text.contains("=\"");
    for atom in atoms(unit.text) {
        // Part of a longer name, not a number.
        if paths.iter().any(|path| is_part(&atom, path))
            || names.iter().any(|n| is_part(&atom, n) && !is_ticket(n) && *n != atom.text)
        {
            continue;
        }
        if is_denied(atom.text) {
            continue;
        }
        let twin = if atom.text.starts_with("--") {
            flag(record, &atom)
        } else if is_hash(atom.text) {
            hash(record, &atom).or_else(|| long_id(record, &atom))
        } else if is_number(atom.text) && !is_markup {
            sized(record, unit, &atom).or_else(|| number(record, unit, &atom))
        } else {
            None
        };
        found.extend(twin.map(|twin| twin.finding(unit)));
    }
    found
}

/// Words before a value, and characters after it, that may deny it.
const DENYING: usize = 3;
const DENYING_AFTER: usize = 8;

/// "in `a.rs`, not in `b.rs`": what is denied is not claimed.
fn is_denied(text: &str, at: usize, length: usize) -> bool {
    let denies = |text: &str| {
        let cued = Cued::new(text);
        cued.has(&INSTEAD) || cued.any(|of| &of.negations)
    };
    let clause = text[..at].rsplit([',', ';', '.', ':', '，', '、']).next().unwrap_or_default();
    let before = lower_words(clause);
    let after: String =
        text[at + length..].chars().take_while(|c| !",;.，、".contains(*c)).take(DENYING_AFTER).collect();
    denies(&before[before.len().saturating_sub(DENYING)..].join(" ")) || (!after.is_ascii() && denies(&after))
}

/// `ENT-221`: the number identifies it.
fn is_ticket(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(key, number)| {
        key.bytes().all(|b| b.is_ascii_uppercase()) && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// What the record has instead.
struct Twin {
    fact: FindingSubject,
    text: String,
    place: Option<Place>,
}

impl Twin {
    fn of_file(record: &WordRecord, path: &str, file: &FileUse) -> Twin {
        Twin {
            fact: FindingSubject::File,
            text: shown_path(record.session, path).to_owned(),
            place: Some(file.place),
        }
    }

    fn finding(self, unit: &Unit) -> Finding {
        let Twin { fact, text, place } = self;
        differs(FindingKind::Mutated, fact, &text, place, unit.claim())
    }
}

// ---- paths

/// A file that the record never had and that resembles a known one, or lies in a folder whose files it knows; or a known
/// file in a folder where it never was.
fn path(record: &WordRecord, unit: &Unit, path: &str) -> Option<Twin> {
    let (folder, name) = split_path(path);
    if record.session.files.forgot || record.has_path(path) {
        return None;
    }
    let files = || record.session.files.iter().map(|(path, file)| (split_path(path), path, file));
    if record.has(name) {
        let there: Vec<_> = files().filter(|((_, other), _, file)| *other == name && file.called).collect();
        let [(_, path, file)] = there.as_slice() else { return None };
        let is_known = files().any(|((other, _), ..)| ends_in(other, folder));
        let near =
            osa_distance(last_part(split_path(path).0), last_part(folder)) <= most_edits(last_part(folder));
        return (near || is_known).then(|| Twin::of_file(record, path, file));
    }
    let twin = files().filter_map(|((other, twin), path, file)| {
        let same_folder = folder.is_empty() || ends_in(other, folder);
        let same_kind = twin.rsplit('.').next() == name.rsplit('.').next();
        let far = (same_folder && same_kind).then(|| osa_distance(twin, name))?;
        (far <= most_edits(name)).then_some((far, std::cmp::Reverse(file.used), path, file))
    });
    if let Some((_, _, path, file)) = twin.min_by_key(|(far, used, path, _)| (*far, *used, *path)) {
        return Some(Twin::of_file(record, path, &file));
    }
    // However different: changing a file leaves a row. A file yet to be created has none.
    let is_told = unit.under == Heading::Other && speaks_of_change(unit.text);
    let beside =
        files().filter(|((other, _), _, file)| file.called && ends_in(other, folder) && !folder.is_empty());
    let same_kind = beside.filter(|((_, other), ..)| other.rsplit('.').next() == name.rsplit('.').next());
    let (_, path, file) = same_kind.min_by_key(|((_, other), path, _)| (osa_distance(other, name), *path))?;
    let twin = Twin::of_file(record, path, &file);
    let text = format!("no such file in the record; beside it would be {}", twin.text);
    is_told.then_some(Twin { text, ..twin })
}

/// The summary says that a file was changed or read.
fn speaks_of_change(text: &str) -> bool {
    let lower = text.to_lowercase();
    mentions(&lower, &CHANGED) && !lower.contains("to be ") && !lower.contains("need")
}

fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once(['/', '\\']).unwrap_or(("", path))
}

fn last_part(path: &str) -> &str {
    split_path(path).1
}

/// `path` ends with `folder`, comparing whole components and ignoring case.
fn ends_in(path: &str, folder: &str) -> bool {
    let folder = folder
        .trim_start_matches("./")
        .trim_start_matches("../")
        .trim_start_matches("~/")
        .trim_start_matches('/');
    let Some(at) = path.len().checked_sub(folder.len()).filter(|at| path.is_char_boundary(*at)) else {
        return false;
    };
    path[at..].eq_ignore_ascii_case(folder) && (at == 0 || path[..at].ends_with(['/', '\\']))
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

// ---- ids and flags

fn flag(record: &WordRecord, atom: &Atom) -> Option<Twin> {
    if record.has(atom.text) {
        return None;
    }
    nearest(record.flags.iter().copied(), atom.text, if atom.text.len() > 7 { 2 } else { 1 })
}

fn hash(record: &WordRecord, atom: &Atom) -> Option<Twin> {
    let known = |hash: &str| hash.starts_with(atom.text) || atom.text.starts_with(hash);
    if record.has(atom.text) || record.hashes.iter().any(|(hash, _)| known(hash)) {
        return None;
    }
    let heads = record.hashes.iter().filter_map(|(hash, place)| Some((hash.get(..atom.text.len())?, *place)));
    nearest(heads, atom.text, 2)
}

/// What resembles a word most, if no more than `most` letters differ.
fn nearest<'a>(known: impl Iterator<Item = (&'a str, Place)>, word: &str, most: usize) -> Option<Twin> {
    let near = known.map(|(other, place)| (osa_distance(other, word), other, place));
    let (_, text, place) =
        near.filter(|(far, ..)| *far <= most).min_by_key(|(far, other, _)| (*far, *other))?;
    Some(Twin { fact: FindingSubject::Number, text: text.to_owned(), place: Some(place) })
}

/// A checksum or another id that is too long to occur by chance, with one digit changed.
fn long_id(record: &WordRecord, atom: &Atom) -> Option<Twin> {
    if atom.text.len() < LONG_ID || record.has(atom.text) {
        return None;
    }
    let twin = variants(atom.text).into_iter().find(|other| record.has(other))?;
    let place = place_of(record.session, &twin);
    Some(Twin { fact: FindingSubject::Number, text: twin, place })
}

/// Characters from which on two ids that differ in one digit are the same id.
const LONG_ID: usize = 12;

/// `#12`, `PR 12`, `phase 12`: the number of something. If the record has the number elsewhere, but never as one of these,
/// the summary cannot have it from there.
fn reference(record: &WordRecord, unit: &Unit, atom: &Atom) -> Option<Twin> {
    let noun = atom.before.to_ascii_lowercase();
    let (is_called, is_label) = (is_one_of(&noun, &NUMBERED), is_one_of(&noun, &LABELS));
    let is_plain = atom.text.len() > 1 && atom.text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain || !(is_called || is_label || is_reference(unit.text, atom)) {
        return None;
    }
    if !is_label && lists_references(record.session) {
        return None;
    }
    let vocabularies = [&record.session.vocabulary, &record.besides];
    let stands_after = |words: &str, number: &str| {
        vocabularies.iter().any(|v| words.split(' ').any(|word| v.has_beside(word, number)))
    };
    let has_mark = |number: &str| !is_label && vocabularies.iter().any(|v| v.has_reference(number));
    let (marks, in_record) = if is_label {
        (noun.as_str(), noun.clone())
    } else {
        (NUMBERED.words, format!("{} ", NUMBERED_IN_RECORD.words))
    };
    if has_mark(atom.text) || stands_after(&in_record, atom.text) {
        return None;
    }
    let is_marked = |number: &String| has_mark(number) || stands_after(marks, number);
    let twins: Vec<String> = variants(atom.text).into_iter().filter(is_marked).collect();
    let twin = twins.iter().find(|other| other.len() == atom.text.len())?;
    let mark = if is_label { "" } else { "#" };
    let text =
        if is_called || is_label { format!("{} {mark}{twin}", atom.before) } else { format!("#{twin}") };
    let place = place_of(record.session, twin);
    Some(Twin { fact: FindingSubject::Number, text, place })
}

/// Plans have fewer parts.
const MOST_PARTS: u32 = 100;

/// The record has the number of a part in another form: `phase_12`, or among "phases 10 to 14".
fn is_part_otherwise(record: &WordRecord, atom: &Atom) -> bool {
    let noun = atom.before.to_ascii_lowercase();
    let is_joined = |by: &&str| record.has(&[&noun, *by, atom.text].concat());
    let plural = format!("{noun}s");
    let is_in_range = || (0..MOST_PARTS).any(|part| record.has_beside(&plural, &part.to_string()));
    is_one_of(&noun, &LABELS) && (["_", ""].iter().any(is_joined) || is_in_range())
}

/// A command printed a list of them, in columns that carry no mark.
fn lists_references(session: &Session) -> bool {
    let lists = |step: &Step| step.has("list") && ["pr", "issue", "mr"].iter().any(|what| step.has(what));
    session.record.latest_runs().any(|run| run.line.steps().iter().any(lists))
}

// ---- numbers

/// A number that the record never has, or never next to these words, where it has another: the one in the newest
/// statement about the same subject, or one that differs by a digit.
fn number(record: &WordRecord, unit: &Unit, atom: &Atom) -> Option<Twin> {
    if is_part_otherwise(record, atom) {
        return None;
    }
    if let Some(twin) = reference(record, unit, atom) {
        return Some(twin);
    }
    let plain = atom.text.replace(',', "");
    if plain.len() < 2 || is_derived(unit, atom) || is_written_otherwise(record, &plain) {
        return None;
    }
    let (named, counted) = (is_word(atom.before), is_word(atom.after));
    let fits = |number: &str| {
        (named && record.has_beside(atom.before, number), counted && record.has_beside(number, atom.after))
    };
    if record.has(atom.text) {
        let is_elsewhere = fits(&plain) == (false, false);
        return is_elsewhere.then(|| stated_otherwise(record, unit, atom)).flatten();
    }
    let candidates = variants(&plain).into_iter().filter(|c| record.has(c)).map(|c| (fits(&c), c));
    let nearest =
        candidates.max_by_key(|(fit, _)| *fit).filter(|((before, after), _)| match (before, after) {
            (true, true) => true,
            // Long enough to be unambiguous.
            (false, false) => plain.len() > 6,
            _ => carries_unit(&plain) || is_joined(unit, atom) || (*before && !counted),
        });
    let ((before, after), candidate) = nearest?;
    let words = [if before { atom.before } else { "" }, &candidate, if after { atom.after } else { "" }];
    let text = words.join(" ").trim().to_owned();
    let place = place_of(record.session, &candidate);
    Some(Twin { fact: FindingSubject::Number, text, place })
}

/// From this share of the real number on, a number of lines is another one.
const OTHER_SIZE: f32 = 0.1;

/// `src/a.rs` (305 lines): the last tool that changed it wrote another number of lines.
fn sized(record: &WordRecord, unit: &Unit, atom: &Atom) -> Option<Twin> {
    let said: u32 = atom.text.replace(',', "").parse().ok()?;
    let before = unit.text[..atom.at].strip_suffix('(').filter(|_| atom.after == "lines")?;
    let mut path = None;
    words::scan(before, |word| {
        if let Word::Path(one) = word {
            path = Some(one);
        }
    });
    let name = path?;
    let mut fits = record.session.files.iter().filter(|(known, _)| ends_in(known, name));
    let (path, file) = fits.next().filter(|_| fits.next().is_none())?;
    let lines = file.lines.filter(|lines| lines.abs_diff(said) as f32 > *lines as f32 * OTHER_SIZE)?;
    let later = record.session.record.runs().rev().take_while(|run| run.place > file.changed_at);
    let is_as_written = record.session.saw_all_since(file.changed_at)
        && !record.session.agents.worked_after(file.changed_at)
        && later.into_iter().all(|run| run.line.only_looks());
    let text = format!("{lines} lines were written into {}", shown_path(record.session, path));
    is_as_written.then_some(Twin { fact: FindingSubject::Number, text, place: Some(file.changed_at) })
}

/// Words on either side of a number that are compared.
const AROUND: usize = 3;

/// The newest statement of the record in the same words has another number, and the record never has this one beside any
/// of them. Three words must be the same, on both sides.
fn stated_otherwise(record: &WordRecord, unit: &Unit, atom: &Atom) -> Option<Twin> {
    let around: Vec<Atom> = atoms(unit.text).collect();
    let at = around.iter().position(|other| other.at == atom.at)?;
    let near = around[at.saturating_sub(AROUND)..].iter().take(2 * AROUND + 1).filter(|w| is_word(w.text));
    let is_beside = |w: &Atom| record.has_beside(w.text, atom.text) || record.has_beside(atom.text, w.text);
    if near.clone().any(is_beside) || near.filter(|w| !is_number(w.text)).count() < 2 {
        return None;
    }
    let lines = record.statements.iter().flat_map(|one| one.text.lines().map(move |line| (one, line)));
    let with_it = lines.filter(|(_, line)| line.contains(atom.before) && line.contains(atom.after));
    for (statement, line) in with_it {
        let words: Vec<Atom> = atoms(line).collect();
        let same = |a: Option<&Atom>, b: Option<&Atom>| match (a, b) {
            (Some(a), Some(b)) => a.text.eq_ignore_ascii_case(b.text),
            _ => false,
        };
        let is_same = |other: &usize| {
            let before = |n: &usize| {
                same(at.checked_sub(*n).map(|i| &around[i]), other.checked_sub(*n).map(|i| &words[i]))
            };
            let after = |n: &usize| same(around.get(at + n), words.get(other + n));
            let left = (1..=AROUND).take_while(before).count();
            let right = (1..=AROUND).take_while(after).count();
            left > 0 && right > 0 && left + right >= AROUND
        };
        let mut numbers =
            (0..words.len()).filter(|n| is_number(words[*n].text) && words[*n].text != atom.text);
        if numbers.any(|n| is_same(&n)) {
            // An edit may have changed the value since, under another name.
            let is_old = !record.session.changed_since(statement.clock).is_empty();
            let (text, place) = (one_line(line, 200), Some(statement.place));
            return (!is_old).then_some(Twin { fact: FindingSubject::Number, text, place });
        }
    }
    None
}

/// `ENT-12`, `#12`: the number of something, not a count.
fn is_joined(unit: &Unit, atom: &Atom) -> bool {
    unit.text[..atom.at].ends_with(['-', '#'])
}

/// Counts, line ranges, sums and rounded values, which summaries compute themselves.
fn is_derived(unit: &Unit, atom: &Atom) -> bool {
    let text = unit.text;
    let end = atom.at + atom.text.len();
    let (head, tail) = (text[..atom.at].trim_end(), text[end..].trim_start());
    // `total=300` is a setting.
    if head.ends_with('=') {
        return false;
    }
    let range = head.ends_with('-') && !is_word(atom.before);
    let about = range
        || head.ends_with(['~', '≈', '+', '–', '>', '<', '≥', '≤'])
        || tail.starts_with(['-', '–', '+']);
    about
        || is_one_of(&atom.before.to_ascii_lowercase(), &DERIVED)
        || atom.after.eq_ignore_ascii_case("lines")
}

/// The record has it in another form: `0.4` for `0.40`, `2` and `hours` for `2h`.
fn is_written_otherwise(record: &WordRecord, number: &str) -> bool {
    let ordinal = ["st", "nd", "rd", "th"].iter().any(|end| number.ends_with(end));
    let short =
        number.contains('.') && number.ends_with('0') && record.has(number.trim_end_matches(['0', '.']));
    ordinal || short
}

/// A word that says what a number counts.
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
    let prompts = session.prompts.iter().rev().find(|prompt| has(&session.text_of(prompt))).map(|p| p.place);
    prompts
        .or_else(|| session.record.spoken().rfind(|said| has(&said.text())).map(|said| said.place))
        .or_else(|| session.record.latest_runs().rfind(|run| has(run.line.text())).map(|run| run.place))
}
