//! Lines that say what no single row says: a call with its answer, what many runs begin with.
//!
//! A quarter of what summaries of projects outside development lost stands in several rows. A join is a candidate like
//! any other line: the same features, the same score.

use std::collections::{HashMap, HashSet};

use super::{Candidate, Pool};
use crate::model::entry::Place;
use crate::record::{CommandRun, Kind, Observation, Record, Source, Standing};
use crate::text::cut::first_chars;

/// What is shown beside the words of the observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Join {
    /// A call and what it answered.
    Answer(String),
    /// What this many runs begin with; the observation is the latest of them.
    Often { prefix: String, times: usize },
}

/// Runs that begin alike, and characters that they share: fewer say nothing about how things are run here.
const OFTEN: usize = 5;
const LONG_PREFIX: usize = 24;
/// Characters shown of such a beginning.
const MOST_PREFIX: usize = 200;

/// What several runs say together.
pub fn joins(record: &Record) -> Vec<Candidate<'_>> {
    let runs: Vec<CommandRun> = record.runs().filter(|run| !is_gone(run.seen)).collect();
    often(&runs)
}

fn is_gone(seen: &Observation) -> bool {
    matches!(seen.state, Standing::Withdrawn(_))
}

fn joined(seen: &Observation, text: String, join: Join) -> Candidate<'_> {
    Candidate {
        pool: Pool::Run,
        seen,
        text: text.into(),
        is_stale: false,
        is_done_at_once: false,
        join: Some(join),
    }
}

/// What stands beside a call, by its row: the error of one that failed, or an answer of one line. Of a longer answer no line
/// is the answer; of several calls in one row nobody knows which one it answers.
pub fn answers(record: &Record) -> HashMap<Place, &str> {
    let mut answers = HashMap::new();
    let (mut called, mut often_called) = (HashSet::new(), HashSet::new());
    for seen in record {
        match seen.what {
            Kind::Called { .. } if !called.insert(seen.place) => {
                often_called.insert(seen.place);
            }
            Kind::Printed { by: Source::Search | Source::Other, of, at, failed } if failed || at.of == 1 => {
                answers.entry(of).or_insert(seen.words.as_str());
            }
            _ => {}
        }
    }
    answers.retain(|place, _| !often_called.contains(place));
    answers
}

/// What five runs or more begin with; each run counts once.
fn often<'a>(runs: &[CommandRun<'a>]) -> Vec<Candidate<'a>> {
    let mut sorted: Vec<(&str, &CommandRun<'a>)> = runs.iter().map(|run| (run.line.core(), run)).collect();
    sorted.sort_by_key(|(core, run)| (*core, run.place));
    let mut found = Vec::new();
    let mut at = 0;
    while at + OFTEN <= sorted.len() {
        let prefix = shared(sorted[at].0, sorted[at + OFTEN - 1].0);
        if prefix.chars().count() < LONG_PREFIX {
            at += 1;
            continue;
        }
        let group = sorted[at..].iter().take_while(|(core, _)| core.starts_with(prefix));
        let group: Vec<&CommandRun<'a>> = group.map(|(_, run)| *run).collect();
        at += group.len();
        let is_one = group.iter().all(|run| run.line.core() == group[0].line.core());
        if let Some(last) = group.iter().max_by_key(|run| run.place).filter(|_| !is_one) {
            let prefix = first_chars(prefix, MOST_PREFIX).to_owned();
            let join = Join::Often { prefix: prefix.clone(), times: group.len() };
            found.push(joined(last.seen, format!("$ {prefix}"), join));
        }
    }
    found
}

/// The whole words that two lines begin with.
fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.char_indices().zip(other.chars()).take_while(|((_, a), b)| a == b);
    let end = same.last().map_or(0, |((at, c), _)| at + c.len_utf8());
    let is_word = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    if is_word(one[end..].chars().next()) || is_word(other[end..].chars().next()) {
        return one[..end].rfind(char::is_whitespace).map_or("", |space| one[..space].trim_end());
    }
    one[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;
    use serde_json::json;

    use super::*;
    use crate::session::tests::fold;

    fn found(transcript: &Transcript) -> Vec<(String, Join)> {
        let session = fold(transcript);
        let all = joins(&session.record).into_iter();
        all.filter_map(|candidate| Some((candidate.text.into_owned(), candidate.join?))).collect()
    }

    #[test]
    fn runs_that_begin_alike_are_one_line() {
        let mut transcript = Transcript::new().prompt("Look into the shop.");
        for table in ["users", "orders", "items", "carts", "taxes"] {
            let query = format!("psql -U app -d shop -h db.local -c 'select * from {table}'");
            transcript = transcript.bash(&query).ok("1 row");
        }
        let four = found(&transcript.clone().bash("ls").ok("a"));
        let prefix = "psql -U app -d shop -h db.local -c 'select * from".to_owned();
        assert_eq!(four, [(format!("$ {prefix}"), Join::Often { prefix, times: 5 })]);
    }

    #[test]
    fn four_runs_or_the_same_run_five_times_are_no_habit() {
        let mut four = Transcript::new().prompt("Look into the shop.");
        let mut same = four.clone();
        for table in ["users", "orders", "items", "carts"] {
            four = four.bash(&format!("psql -U app -d shop -h db.local -c {table}")).ok("1 row");
        }
        for _ in 0..5 {
            same = same.bash("psql -U app -d shop -h db.local -c users").ok("1 row");
        }
        assert_eq!((found(&four), found(&same)), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_call_stands_with_its_error_or_its_answer_of_one_line() {
        let of = |transcript: &Transcript| -> Vec<String> {
            answers(&fold(transcript).record).into_values().map(str::to_owned).collect()
        };
        let start = || Transcript::new().prompt("Find the port.");
        let read = start().call("Read", json!({"file_path": "/home/user/project/big.ts"}));
        assert_eq!(of(&read.fails("too large: 40 MB")), ["too large: 40 MB"]);
        let search = |answer: &str| of(&start().call("Grep", json!({"pattern": "port"})).ok(answer));
        assert_eq!(search("No matches found"), ["No matches found"]);
        assert_eq!(search("Found 2 files\nsrc/a.rs\nsrc/b.rs"), [""; 0]);
    }
}
