//! What a person types → a search query.
//!
//! Every input is a query. Words are joined by *and*; quotes make a phrase; `foo*` is a prefix; a filter is a name, a
//! colon and a value. What only looks like one of these (`std::fs`, a lone quote, a star inside a word) is a word. The
//! FTS5 expression consists of quoted strings only, so that nothing typed can be syntax there.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::archive::history::item::ItemKind;
use crate::archive::history::terms::{folded, is_asking_word, is_unspaced_script, terms, words};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// All of these must match.
    pub terms: Vec<QueryTerm>,
    pub filter: Filter,
    /// Filters that were not understood, as messages for the person.
    pub problems: Vec<String>,
}

/// A word, a phrase or a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// As typed, without quotes and star.
    pub text: String,
    /// Search only this column.
    pub column: Option<IndexColumn>,
    /// A prefix: the last word may continue.
    pub prefix: bool,
    /// Typed in quotes: a phrase.
    pub quoted: bool,
}

/// A column of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexColumn {
    /// Commands and tool inputs.
    Command,
    /// Answers of failed calls.
    Error,
    File,
}

/// Which items are searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Part of the project's path, in lower case.
    pub project: Option<String>,
    /// The session, by the start of its id or of what is shown of it.
    pub session: Option<String>,
    /// Not before, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Before.
    pub until: Option<i64>,
    /// Only these kinds; empty for all.
    pub kinds: Vec<ItemKind>,
    /// Only calls that failed.
    pub failed: bool,
}

/// Roles and the kinds of items they include.
const ROLES: &[(&[&str], &[ItemKind])] = &[
    (&["user", "human", "person", "me"], &[ItemKind::Prompt, ItemKind::Decision]),
    (&["agent", "assistant", "model"], &[ItemKind::Said, ItemKind::Task]),
    (&["tool", "tools"], &[ItemKind::Command, ItemKind::File, ItemKind::Tool]),
    (&["summary", "summaries"], &[ItemKind::Summary]),
    (&["note", "notes"], &[ItemKind::Note]),
];

impl Query {
    /// Parses what was typed; `since:2d` counts back from `now`.
    pub fn parse(typed: &str, now: i64) -> Query {
        let mut query = Query::default();
        for piece in pieces(typed) {
            query.take(&piece, now);
        }
        query
    }

    /// The same for command-line arguments. The shell has removed the quotes: an argument that contains a space was a
    /// phrase if there are others.
    pub fn of_arguments(arguments: &[String], now: i64) -> Query {
        if let [one] = arguments {
            return Query::parse(one, now);
        }
        let mut query = Query::default();
        for argument in arguments {
            let whole = argument.contains(char::is_whitespace) && !argument.contains('"');
            let pieces = if whole { vec![spaced(argument)] } else { pieces(argument) };
            for piece in &pieces {
                query.take(piece, now);
            }
        }
        query
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.filter == Filter::default()
    }

    /// The FTS5 expression; `None` if there are only filters.
    pub fn expression(&self) -> Option<String> {
        joined(self.terms.iter())
    }

    /// The same for phrases, prefixes and columns only: nobody types them by accident, so a partial match must contain
    /// them.
    pub fn required(&self) -> Option<String> {
        joined(self.terms.iter().filter(|term| !term.is_plain()))
    }

    /// The same plus any of the significant plain words, anywhere or in the answers of failed calls.
    pub fn any(&self, failed: bool) -> Option<String> {
        let telling = self.terms.iter().filter(|term| term.is_plain() && !term.only_asks());
        let any: Vec<String> = telling.map(QueryTerm::expression).collect();
        let column = if failed { "{error} : " } else { "" };
        let any = (!any.is_empty()).then(|| format!("{column}({})", any.join(" OR ")))?;
        Some(match self.required() {
            Some(required) => format!("({required}) AND ({any})"),
            None => any,
        })
    }

    /// The plain words as the index `said` has them, each once, without words that only ask; with those if there are no
    /// others.
    pub fn content(&self) -> Vec<String> {
        let found: Vec<(bool, String)> = self
            .plain()
            .flat_map(|typed| {
                let whole = asks(typed);
                // The parts of "signed-in" and "it's" may only ask, too.
                terms(typed).map(move |(start, end, term)| (whole || asks(&typed[start..end]), term))
            })
            .filter(|(_, term)| term.len() > 1 || term.bytes().all(|b| b.is_ascii_digit()))
            .collect();
        let only_asks = found.iter().all(|(asks, _)| *asks);
        let mut seen = HashSet::new();
        let telling = found.into_iter().filter(|(asks, _)| only_asks || !asks).map(|(_, term)| term);
        telling.filter(|term| seen.insert(term.clone())).collect()
    }

    /// Phrased as a sentence: some of its words only ask, and some do not.
    pub fn is_sentence(&self) -> bool {
        let asking = self.plain().filter(|word| asks(word)).count();
        asking > 0 && self.plain().count() >= asking + 2
    }

    /// A word that starts with one of `starts` was typed.
    pub fn mentions(&self, starts: &[&str]) -> bool {
        self.plain().any(|word| starts.iter().any(|start| word.to_lowercase().starts_with(start)))
    }

    fn plain(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter(|term| term.is_plain()).map(|term| term.text.as_str())
    }

    fn take(&mut self, piece: &QueryPart, now: i64) {
        if piece.name.is_none() && !piece.quoted {
            self.problems.extend(misspelt(&piece.value, now));
        }
        let column = match piece.name.as_deref() {
            None => None,
            Some("file") => Some(IndexColumn::File),
            Some("command") => Some(IndexColumn::Command),
            Some("error") => Some(IndexColumn::Error),
            Some(name) => return self.filter(name, piece.value.trim(), now),
        };
        match term(piece, column) {
            Some(term) => self.terms.push(term),
            None => match column {
                Some(IndexColumn::Error) => self.filter.failed = true,
                Some(IndexColumn::File) => self.filter.kinds.push(ItemKind::File),
                Some(IndexColumn::Command) => self.filter.kinds.push(ItemKind::Command),
                None => {}
            },
        }
    }

    fn filter(&mut self, name: &str, value: &str, now: i64) {
        let filter = &mut self.filter;
        match name {
            _ if value.is_empty() => {}
            "project" => filter.project = Some(value.trim_end_matches('/').to_lowercase()),
            "session" => filter.session = Some(value.to_owned()),
            "role" => match kinds_of(value) {
                Some(kinds) => filter.kinds.extend_from_slice(kinds),
                None => self
                    .problems
                    .push(format!("`{value}` isn't a role: use user, agent, tool, summary or note")),
            },
            _ => match moment(value, now) {
                Some(moment) if name == "since" => filter.since = Some(moment),
                Some(moment) => filter.until = Some(moment),
                None => self.problems.push(not_a_time(value)),
            },
        }
    }
}

/// The message for a text that is no point in time.
pub fn not_a_time(text: &str) -> String {
    format!("`{text}` isn't a valid time: use 2d, 3h, 2026-11-01 or yesterday")
}

/// A word that is a filter with one wrong letter, not the first: `roll:user`. Others with a colon are plain words:
/// `version:2`, and `rule:strict`, because no role is strict.
fn misspelt(word: &str, now: i64) -> Option<String> {
    let (name, value) = word.split_once(':')?;
    if value.is_empty()
        || value.starts_with([':', '/', '\\'])
        || name.is_empty()
        || !name.bytes().all(|b| b.is_ascii_alphabetic())
    {
        return None;
    }
    let lower = name.to_lowercase();
    let is_near =
        |known: &str| lower.as_bytes()[0] == known.as_bytes()[0] && strsim::osa_distance(&lower, known) == 1;
    let takes = |known: &str| match known {
        "role" => kinds_of(value).is_some(),
        "since" | "until" => moment(value, now).is_some(),
        _ => true,
    };
    let known = NAMES.iter().find(|known| is_near(known) && takes(known))?;
    Some(format!(
        "`{name}:` isn't a filter; did you mean `{known}:`? With a space instead of the colon, it is searched for"
    ))
}

/// The kinds of items of a role.
fn kinds_of(role: &str) -> Option<&'static [ItemKind]> {
    let role = role.to_lowercase();
    ROLES.iter().find(|(names, _)| names.contains(&role.as_str())).map(|(_, kinds)| *kinds)
}

fn joined<'a>(terms: impl Iterator<Item = &'a QueryTerm>) -> Option<String> {
    let terms: Vec<String> = terms.map(QueryTerm::expression).collect();
    (!terms.is_empty()).then(|| terms.join(" AND "))
}

/// A word as typed, with its punctuation, that says nothing about what is searched for.
fn asks(typed: &str) -> bool {
    let word = typed.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
    is_asking_word(&word)
        || word.split('\'').next().is_some_and(|start| word.contains('\'') && is_asking_word(start))
}

impl QueryTerm {
    /// Neither phrase nor prefix nor limited to a column.
    fn is_plain(&self) -> bool {
        self.column.is_none() && !self.prefix && !self.quoted
    }

    /// A plain word that says nothing about what is searched for.
    pub fn only_asks(&self) -> bool {
        self.is_plain() && asks(&self.text)
    }

    fn expression(&self) -> String {
        let column = match self.column {
            None => "",
            Some(IndexColumn::Command) => "{command} : ",
            Some(IndexColumn::Error) => "{error} : ",
            Some(IndexColumn::File) => "{file} : ",
        };
        let star = if self.prefix { "*" } else { "" };
        format!("{column}\"{}\"{star}", spread(&self.text).replace('"', " "))
    }

    /// Whether an item has this term, by the texts that are searched of it ([`super::indexed_columns`]): for an index that
    /// only knows which words an item has.
    pub fn is_in(&self, columns: &[Cow<'_, str>; 4]) -> bool {
        let wanted: Vec<String> = words(&self.text).map(|(_, word)| folded(word)).collect();
        let searched = match self.column {
            None => &columns[..],
            Some(IndexColumn::Command) => &columns[1..2],
            Some(IndexColumn::Error) => &columns[2..3],
            Some(IndexColumn::File) => &columns[3..4],
        };
        searched.iter().any(|text| {
            let there: Vec<String> = words(text).map(|(_, word)| folded(word)).collect();
            there.windows(wanted.len().max(1)).any(|stretch| {
                let last = stretch.len() - 1;
                let fits = |(at, (word, wanted)): (usize, (&String, &String))| {
                    word == wanted || (self.prefix && at == last && word.starts_with(wanted.as_str()))
                };
                stretch.iter().zip(&wanted).enumerate().all(fits)
            })
        })
    }

    /// Its words as the index has them.
    pub fn words(&self) -> Vec<String> {
        words(&self.text).map(|(_, word)| word.to_lowercase()).collect()
    }
}

/// `text` with spaces around such characters, as it is indexed.
pub fn spread(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_unspaced_script) {
        return text.into();
    }
    let mut spread = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        spread.push(c);
        if is_unspaced_script(c) {
            spread.push(' ');
        }
    }
    spread.into()
}

/// A word, phrase or filter as typed.
struct QueryPart {
    name: Option<String>,
    value: String,
    quoted: bool,
}

const NAMES: [&str; 8] = ["file", "command", "error", "project", "session", "since", "until", "role"];

fn spaced(argument: &str) -> QueryPart {
    let (name, value) = named(argument);
    QueryPart { name, value: value.to_owned(), quoted: true }
}

fn named(text: &str) -> (Option<String>, &str) {
    let split = text.split_once(':').map(|(name, value)| (name.to_lowercase(), value));
    match split {
        // `error::Kind` and `file://x` are not filters.
        Some((name, value))
            if NAMES.contains(&name.as_str()) && !value.starts_with([':']) && !value.starts_with("//") =>
        {
            (Some(name), value)
        }
        _ => (None, text),
    }
}

/// Splits at spaces outside quotes. An unclosed quote ends at the end of the input.
fn pieces(typed: &str) -> Vec<QueryPart> {
    let mut pieces = Vec::new();
    let mut rest = typed.trim_start();
    while !rest.is_empty() {
        let (name, after) = named(rest);
        let name = name.filter(|name| !name.contains(char::is_whitespace));
        let value = if name.is_some() { after } else { rest };
        let (value, left, quoted) = if let Some(open) = value.strip_prefix('"') {
            let (inside, left) = open.split_once('"').unwrap_or((open, ""));
            (inside, left, true)
        } else {
            let end = value.find(char::is_whitespace).unwrap_or(value.len());
            (&value[..end], &value[end..], false)
        };
        // `"some phra"*`: the star belongs to the phrase.
        let (star, left) = match left.strip_prefix('*') {
            Some(left) if quoted => ("*", left),
            _ => ("", left),
        };
        pieces.push(QueryPart { name, value: format!("{value}{star}"), quoted });
        rest = left.trim_start();
    }
    pieces
}

/// The term in a piece, if it contains a word.
fn term(piece: &QueryPart, column: Option<IndexColumn>) -> Option<QueryTerm> {
    let value: String = piece.value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let bare = value.trim_end_matches('*');
    let prefix = bare.len() < value.len() && bare.ends_with(char::is_alphanumeric);
    let text = if piece.quoted { bare.trim() } else { bare }.to_owned();
    words(&text).next()?;
    Some(QueryTerm { text, column, prefix, quoted: piece.quoted })
}

/// A point in time as people write it; dates are in UTC.
pub fn moment(text: &str, now: i64) -> Option<i64> {
    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;
    let text = text.trim().to_lowercase();
    let midnight = now - now.rem_euclid(DAY);
    match text.as_str() {
        "today" => return Some(midnight),
        "yesterday" => return Some(midnight - DAY),
        _ => {}
    }
    if let Ok(date) = text.parse::<jiff::civil::Date>() {
        let days = jiff::civil::date(1970, 1, 1).until((jiff::Unit::Day, date)).ok()?.get_days();
        return Some(i64::from(days) * DAY);
    }
    if let Ok(moment) = text.to_uppercase().parse::<jiff::Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: i64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "min" | "minutes" | "m" => 60_000,
        "h" | "hour" | "hours" => HOUR,
        "d" | "day" | "days" => DAY,
        "w" | "week" | "weeks" => 7 * DAY,
        "month" | "months" => 30 * DAY,
        "y" | "year" | "years" => 365 * DAY,
        _ => return None,
    };
    now.checked_sub(number.checked_mul(unit)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: i64 = 1_767_268_800_000;

    fn expression(typed: &str) -> String {
        Query::parse(typed, NOW).expression().unwrap_or_default()
    }

    #[test]
    fn words_phrases_prefixes_and_columns_are_parsed() {
        let cases = [
            ("cargo test", r#""cargo" AND "test""#),
            (r#""exact phrase" more"#, r#""exact phrase" AND "more""#),
            ("pars*", r#""pars"*"#),
            (r#""two wor"* x"#, r#""two wor"* AND "x""#),
            ("file:src/a.rs", r#"{file} : "src/a.rs""#),
            (r#"error:"not found""#, r#"{error} : "not found""#),
            ("Command:cargo", r#"{command} : "cargo""#),
            ("error::Kind", r#""error::Kind""#),
            ("file://x/y", r#""file://x/y""#),
            ("http://x AND OR NOT NEAR(a)", r#""http://x" AND "AND" AND "OR" AND "NOT" AND "NEAR(a)""#),
            (r#"open "quote never closes"#, r#""open" AND "quote never closes""#),
            (r#"in"side"#, r#""in side""#),
            ("&& -- *", ""),
            ("日本語", r#""日 本 語 ""#),
        ];
        for (typed, expected) in cases {
            assert_eq!(expression(typed), expected, "{typed}");
        }
    }

    #[test]
    fn an_argument_with_spaces_beside_others_is_a_phrase() {
        let of = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
            Query::of_arguments(&arguments, NOW).expression().unwrap_or_default()
        };
        assert_eq!(of(&["two words", "third"]), r#""two words" AND "third""#);
        assert_eq!(of(&["two words"]), r#""two" AND "words""#);
        assert_eq!(of(&["file:my file.rs", "x"]), r#"{file} : "my file.rs" AND "x""#);
    }

    #[test]
    fn words_that_only_ask_are_left_out_unless_there_are_no_others() {
        let content = |typed: &str| Query::parse(typed, NOW).content().join(" ");
        assert_eq!(content("Why didn't the signed-in user's download work?"), "sign user download work");
        assert_eq!(content("what did we do"), "what did we do");
        assert_eq!(content("\"a phrase\" pars* file:x"), "");
        assert!(Query::parse("why did the download fail", NOW).is_sentence());
        assert!(!Query::parse("download fail", NOW).is_sentence());
    }

    #[test]
    fn unknown_filters_are_reported() {
        let query = Query::parse("role:user since:2d project:App/ session:0a error: until:2026-01-01", NOW);
        assert_eq!(query.terms, []);
        assert_eq!(
            query.filter,
            Filter {
                project: Some("app".into()),
                session: Some("0a".into()),
                since: Some(NOW - 2 * 86_400_000),
                until: Some(1_767_225_600_000),
                kinds: vec![ItemKind::Prompt, ItemKind::Decision],
                failed: true,
            }
        );
        let query = Query::parse("role:boss since:soon roll:user x", NOW);
        insta::assert_snapshot!(query.problems.join("\n"), @r"
        `boss` isn't a role: use user, agent, tool, summary or note
        `soon` isn't a valid time: use 2d, 3h, 2026-11-01 or yesterday
        `roll:` isn't a filter; did you mean `role:`? With a space instead of the colon, it is searched for
        ");
        for wrong in ["files:a.rs", "Comand:make", "sinc:2d", "untill:yesterday", "projct:app"] {
            assert_eq!(Query::parse(wrong, NOW).problems.len(), 1, "{wrong}");
        }
        for fine in ["\"roll:user\"", "rule:", "std::fs", "core::x", "http://x", "localhost:3000", "a:b"] {
            assert_eq!(Query::parse(fine, NOW).problems, [""; 0], "{fine}");
        }
        for words in
            ["version:2", "product:42", "mission:x", "rule:strict", "mile:5", "sine:wave", "roll user"]
        {
            let query = Query::parse(words, NOW);
            assert_eq!(query.problems, [""; 0], "{words}");
            assert_eq!(query.expression().unwrap().matches('{').count(), 0, "{words}");
        }
    }

    #[test]
    fn times_are_parsed_as_people_write_them() {
        let day = 86_400_000;
        let cases = [
            ("3h", Some(NOW - 3 * 3_600_000)),
            ("2w", Some(NOW - 14 * day)),
            ("today", Some(NOW - NOW.rem_euclid(day))),
            ("2026-01-01T12:00:00Z", Some(NOW)),
            ("99999999999999999y", None),
            ("2026-13-77", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(moment(text, NOW), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_input_is_a_query_of_quoted_strings(typed in any::<String>()) {
            let expression = expression(&typed);
            prop_assert_eq!(expression.matches('"').count() % 2, 0);
            let outside: String = expression.split('"').step_by(2).collect();
            prop_assert!(!outside.contains(|c: char| c.is_alphanumeric() && !"ANDcommandfileerror".contains(c)));
        }
    }
}
