//! Lines that say what no single row says: a call with its answer, what many runs have in common, a program that never
//! worked.
//!
//! A quarter of what summaries of projects outside development lost stands in several rows. A join is a candidate like
//! any other line: the same features, the same score.

use std::collections::{BTreeMap, HashMap, HashSet};

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
    /// A program that failed every time; the observation is the latest run of it.
    NeverWorked { program: String, times: usize },
}

/// Lines that an answer has at most to stand beside its call: a short one is the result, a long one a text of its own.
const SHORT_ANSWER: u16 = 3;
/// Runs that begin alike, and characters that they share: fewer say nothing about how things are run here.
const OFTEN: usize = 5;
const LONG_PREFIX: usize = 24;
/// Characters shown of such a beginning.
const MOST_PREFIX: usize = 200;
/// Failures without a success that tell that a program does not work here.
const NEVER: usize = 3;

/// What several runs say together.
pub fn joins(record: &Record) -> Vec<Candidate<'_>> {
    let runs: Vec<CommandRun> = record.runs().filter(|run| !is_gone(run.seen)).collect();
    often(&runs).into_iter().chain(never_worked(&runs)).collect()
}

fn is_gone(seen: &Observation) -> bool {
    matches!(seen.state, Standing::Withdrawn(_))
}

fn joined(seen: &Observation, text: String, join: Join) -> Candidate<'_> {
    Candidate { pool: Pool::Run, seen, text, is_stale: false, join: Some(join) }
}

/// What stands beside a call, by its row: the error of one that failed, or a short answer.
pub fn answers(record: &Record) -> HashMap<Place, &str> {
    let mut answers = HashMap::new();
    for seen in record {
        if let Kind::Printed { by: Source::Search | Source::Other, of, at, failed } = seen.what
            && (failed || at.of <= SHORT_ANSWER)
        {
            answers.entry(of).or_insert(seen.words.as_str());
        }
    }
    answers
}

/// What five runs or more begin with, the longest first; each run counts once.
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

/// Programs that failed three times or more and never passed, with the latest failure. Of a failed line of several commands
/// it is not known which one failed.
fn never_worked<'a>(runs: &[CommandRun<'a>]) -> Vec<Candidate<'a>> {
    let mut failures: BTreeMap<&str, Vec<&CommandRun<'a>>> = BTreeMap::new();
    let mut passed: HashSet<&str> = HashSet::new();
    for run in runs {
        let programs: Vec<&str> = run.line.work().map(|step| step.program.as_str()).collect();
        match (run.ok(), programs.as_slice()) {
            (Some(false), [program]) => failures.entry(program).or_default().push(run),
            (Some(false), _) => {}
            _ => passed.extend(programs),
        }
    }
    let never =
        failures.into_iter().filter(|(program, runs)| runs.len() >= NEVER && !passed.contains(program));
    never
        .filter_map(|(program, runs)| {
            let last = runs.last()?;
            let join = Join::NeverWorked { program: program.to_owned(), times: runs.len() };
            Some(joined(last.seen, format!("{program} → {}", last.error()), join))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;

    fn found(transcript: &Transcript) -> Vec<(String, Join)> {
        let session = fold(transcript);
        let all = joins(&session.record).into_iter();
        all.filter_map(|candidate| Some((candidate.text, candidate.join?))).collect()
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
    fn program_that_always_failed_is_named_and_one_that_passed_once_is_not() {
        let mut transcript = Transcript::new().prompt("Start the team.");
        for command in ["tmux new -d", "tmux ls", "tmux -V"] {
            transcript = transcript.bash(command).fails("Exit code 127\nbash: tmux: command not found");
        }
        let join = Join::NeverWorked { program: "tmux".to_owned(), times: 3 };
        assert_eq!(found(&transcript), [("tmux → bash: tmux: command not found".to_owned(), join)]);
        assert_eq!(found(&transcript.bash("tmux -V").ok("tmux 3.4")), []);
    }
}
