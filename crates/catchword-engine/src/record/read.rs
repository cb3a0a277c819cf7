//! What readers ask the record: what was run, committed, answered and refused, in order, with what became of it.

use std::ops::Deref;

use super::index::MessageAt;
use super::remaining::RemainingWork;
use super::{Kind, Observation, Record, RunResult, Standing, TextPart, Voice};
use crate::model::entry::Place;
use crate::quote::foreign::Foreign;
use crate::reading::command::ShellLine;
use crate::reading::criteria::{Criteria, heading_key};
use crate::reading::statements::{Remark, Tells};
use crate::text::sentences::sentences;
use crate::text::words::{Word, is_hash, scan};

/// Longer command lines are scripts: nobody runs them again as they are.
pub(super) const LONGEST_COMMAND: usize = 2_000;
/// Tool calls after which a failed test or build that was not rerun is stale.
const STALE: u32 = 60;
/// The same for other commands: a wrong call is soon corrected or given up.
const STALE_OTHER: u32 = 15;
/// Failing runs shown, latest first.
const MOST_FAILING: usize = 8;

/// Something done or decided, and when: of a run, when it ended.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// In milliseconds since 1970.
    pub time: Option<i64>,
    /// Turns of the agent up to then.
    pub turn: u32,
    pub seen: &'a Observation,
}

/// A command line that was run.
#[derive(Clone, Copy, Debug)]
pub struct CommandRun<'a> {
    pub seen: &'a Observation,
    pub line: &'a ShellLine,
    pub ended: Option<&'a RunResult>,
}

impl Deref for CommandRun<'_> {
    type Target = Observation;

    fn deref(&self) -> &Observation {
        self.seen
    }
}

impl<'a> CommandRun<'a> {
    /// Whether it passed, if that is known.
    pub fn ok(self) -> Option<bool> {
        self.ended.and_then(|ended| ended.ok)
    }

    pub fn failed(self) -> bool {
        self.ok() == Some(false)
    }

    /// It passed, and nothing in its output contradicts it.
    pub fn surely_passed(self) -> bool {
        self.ended.is_some_and(|ended| ended.sure)
    }

    /// The line of the output that tells how it went, or empty.
    pub fn telling(self) -> &'a str {
        self.ended.map(|ended| ended.telling.as_str()).unwrap_or_default()
    }

    /// The line of the output that names the error, or empty.
    pub fn error(self) -> &'a str {
        self.ended.map(RunResult::error).unwrap_or_default()
    }

    /// Tests that the output lists as failed.
    pub fn failed_tests(self) -> &'a [String] {
        self.ended.map(|ended| ended.failed_tests.as_slice()).unwrap_or_default()
    }

    /// Its failure says something about the work. A command that handles its own failure (`curl x || echo down`), a wrong
    /// call and a one-off script do not, unless they test or build: nobody reruns them unchanged.
    pub(super) fn is_about_the_work(self) -> bool {
        let (line, is_wrong) = (self.line, self.ended.is_some_and(|ended| ended.wrong_call));
        let is_script = line.text().contains('\n') && !line.commits();
        line.is_check() || !(line.expects_failure() || is_script || (!line.merges() && is_wrong))
    }
}

/// A commit the agent made.
#[derive(Clone, Copy, Debug)]
pub struct Commit<'a> {
    pub place: Place,
    /// Tool calls before it.
    pub clock: u32,
    /// As git printed it.
    pub branch: Option<&'a str>,
    /// Abbreviated, as git printed it.
    pub hash: &'a str,
    /// First line of the message.
    pub subject: &'a str,
}

/// A question of the agent and the person's answer.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    pub place: Place,
    /// Tool calls before it.
    pub clock: u32,
    pub question: &'a Foreign,
    /// What the person chose or wrote.
    pub answer: &'a str,
}

/// A call the person refused.
#[derive(Clone, Copy, Debug)]
pub struct Refusal<'a> {
    pub place: Place,
    /// Tool calls before it.
    pub clock: u32,
    /// What the agent wanted to do.
    pub what: &'a str,
    /// The command, if it was one.
    pub line: Option<&'a ShellLine>,
    /// The person's reason, or empty.
    pub reason: &'a str,
    /// The reason is a rule that says itself that it applies beyond the request.
    pub is_lasting: bool,
}

/// What somebody said in one go: a prompt, or a message of the agent.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    pub place: Place,
    /// Whose it is, even if they pasted some of it.
    pub who: Voice,
    /// Tool calls before it.
    pub clock: u32,
    /// In milliseconds since 1970.
    pub time: Option<i64>,
    /// Turns of the agent up to then.
    pub turn: u32,
    /// Its lines.
    pub lines: &'a [Observation],
}

impl<'a> Message<'a> {
    /// Its text, as far as it is kept.
    pub fn text(self) -> String {
        text_of(self.lines.iter())
    }

    /// What its author typed, without what they pasted.
    pub fn typed(self) -> String {
        text_of(self.lines.iter().filter(|line| line.who != Voice::Pasted))
    }

    /// Its paragraphs, and whether its author typed them; what they pasted in one go is one.
    pub fn paragraphs(self) -> Vec<(bool, String)> {
        let is_typed = |line: &Observation| line.who != Voice::Pasted;
        let goes_on = |one: &Observation, next: &Observation| {
            let is_apart = next.text_part().is_some_and(|part| part.is_apart);
            is_typed(one) == is_typed(next) && !(is_typed(next) && is_apart)
        };
        self.lines.chunk_by(goes_on).map(|lines| (is_typed(&lines[0]), text_of(lines.iter()))).collect()
    }

    /// Its lines outside of fenced blocks.
    pub fn prose(self) -> impl DoubleEndedIterator<Item = &'a str> {
        self.lines.iter().filter(|line| !line.is_code()).map(|line| line.words.as_str())
    }

    /// Its sentences, without code.
    pub fn sentences(self) -> impl DoubleEndedIterator<Item = &'a str> {
        self.prose().flat_map(sentences)
    }

    /// What the result is measured by, grouped by the line above it.
    pub fn criteria(self) -> Vec<Criteria<'a>> {
        let all = || self.lines.iter().flat_map(|line| line.says.iter().map(move |one| (one, line)));
        let headings: Vec<&str> = self.sentences_that(Tells::Heads).collect();
        let heading = |key: u64| headings.iter().copied().find(|heading| heading_key(heading) == key);
        let mut lists: Vec<Criteria> = Vec::new();
        for (one, line) in all() {
            let Tells::Criterion { under } = one.tells else { continue };
            let (under, item) = (under.and_then(heading), one.sentence(&line.words));
            match lists.iter_mut().find(|list| list.under == under) {
                Some(list) => list.items.push(item),
                None => lists.push(Criteria { under, items: vec![item] }),
            }
        }
        lists
    }

    /// The sentences that say this.
    pub fn sentences_that(self, tell: Tells) -> impl DoubleEndedIterator<Item = &'a str> {
        self.lines.iter().flat_map(move |line| line.sentences_that(tell.clone()))
    }
}

/// The text that these lines were cut from: indented and set apart as they were, runs of blanks aside.
fn text_of<'a>(lines: impl Iterator<Item = &'a Observation>) -> String {
    let mut text = String::new();
    let mut before: Option<(TextPart, &str)> = None;
    for line in lines {
        let part = line.text_part().unwrap_or_default();
        match before {
            // A sentence of a long line.
            Some((last, words)) if last.line == part.line => {
                text.push_str(if words.ends_with(['。', '！', '？']) { "" } else { " " });
            }
            _ => {
                let is_apart = part.is_apart && before.is_some();
                text.push_str(if is_apart {
                    "\n\n"
                } else if before.is_some() {
                    "\n"
                } else {
                    ""
                });
                text.extend(std::iter::repeat_n(' ', part.indent.into()));
            }
        }
        text.push_str(&line.words);
        before = Some((part, &line.words));
    }
    text
}

impl Observation {
    /// Where it stands in the message, plan or summary it is a line of.
    pub fn text_part(&self) -> Option<TextPart> {
        match self.what {
            Kind::Asked(part) | Kind::Said(part) | Kind::Planned(part) | Kind::Summarised(part) => Some(part),
            _ => None,
        }
    }

    /// As a run, if it is one.
    pub fn run(&self) -> Option<CommandRun<'_>> {
        match &self.what {
            Kind::Ran { line, ended } => Some(CommandRun { seen: self, line, ended: ended.as_deref() }),
            _ => None,
        }
    }

    fn commit(&self) -> Option<Commit<'_>> {
        let Kind::Committed { hash, branch } = &self.what else { return None };
        let (place, clock, subject) = (self.place, self.clock, self.words.as_str());
        Some(Commit { place, clock, branch: branch.as_deref(), hash, subject })
    }

    fn answer(&self) -> Option<Answer<'_>> {
        let Kind::Answered { question } = &self.what else { return None };
        Some(Answer { place: self.place, clock: self.clock, question, answer: &self.words })
    }

    fn refusal(&self) -> Option<Refusal<'_>> {
        let Kind::Refused { call, line } = &self.what else { return None };
        let (place, clock) = (self.place, self.clock);
        let lasts = |one: &Remark| matches!(&one.tells, Tells::Demand(demand) if demand.is_lasting);
        let is_lasting = self.says.iter().any(lasts);
        Some(Refusal { place, clock, what: call, line: line.as_ref(), reason: &self.words, is_lasting })
    }
}

impl Record {
    /// Prompts and messages of the agent, oldest first; without what was taken back.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = Message<'_>> {
        self.messages.iter().map(|at| self.message_at(at))
    }

    fn message_at(&self, at: &MessageAt) -> Message<'_> {
        let lines = self.range(at.from, at.to);
        Message { place: at.place, who: at.who, clock: at.clock, time: at.time, turn: at.turn, lines }
    }

    /// What the agent said, oldest first.
    pub fn spoken(&self) -> impl DoubleEndedIterator<Item = Message<'_>> {
        self.messages().filter(|message| message.who == Voice::Agent)
    }

    /// The message that begins with this observation.
    pub fn message(&self, place: Place, part: u16) -> Option<Message<'_>> {
        let from = self.messages.partition_point(|message| message.place < place);
        let here = self.messages[from..].iter().take_while(|message| message.place == place);
        let begins = |message: &Message| message.lines.first().is_some_and(|line| line.part == part);
        here.map(|at| self.message_at(at)).find(begins)
    }

    /// The text of the plan that stands in this row.
    pub fn plan_at(&self, place: Place) -> String {
        text_of(self.iter().filter(|seen| seen.place == place && matches!(seen.what, Kind::Planned(_))))
    }

    /// The lines of the summary that stands in this row.
    pub fn summary_at(&self, place: Place) -> impl Iterator<Item = &str> {
        let is_line =
            move |seen: &&Observation| seen.place == place && matches!(seen.what, Kind::Summarised(_));
        self.iter().filter(is_line).map(|seen| seen.words.as_str())
    }

    /// What the agent says is not done, as far as nothing was done about it since.
    pub fn remaining(&self) -> &[RemainingWork] {
        &self.remaining
    }

    /// What was done and decided, oldest first; without what was taken back.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = Event<'_>> {
        let all = self.events.iter().map(|event| Event {
            time: event.time,
            turn: event.turn,
            seen: self.get(event.at as usize),
        });
        all.filter(|event| !matches!(event.seen.state, Standing::Withdrawn(_)))
    }

    fn events_of<'a, T: 'a>(
        &'a self,
        of: impl Fn(&'a Observation) -> Option<T> + 'a,
    ) -> impl DoubleEndedIterator<Item = T> + 'a {
        self.events().filter_map(move |event| of(event.seen))
    }

    /// Every run, oldest first.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = CommandRun<'_>> {
        self.events_of(Observation::run)
    }

    /// Of each command line its latest run, oldest first, without scripts.
    pub fn latest_runs(&self) -> impl DoubleEndedIterator<Item = CommandRun<'_>> {
        let is_latest = |run: &CommandRun| !matches!(run.state, Standing::Overtaken(_));
        self.runs().filter(move |run| is_latest(run) && run.line.text().len() <= LONGEST_COMMAND)
    }

    /// Commands that failed and have not been seen to pass since, latest first. `now` are the tool calls so far: what
    /// failed long ago and was not run again says little.
    pub fn failing(&self, now: u32) -> impl Iterator<Item = CommandRun<'_>> {
        let is_recent = move |run: &CommandRun| {
            let age = now.saturating_sub(run.clock);
            age <= STALE_OTHER || (age <= STALE && run.line.is_check())
        };
        let all = self.failing.iter().rev().filter_map(|one| self.get(one.at as usize).run());
        all.filter(move |run| run.is_about_the_work() && is_recent(run)).take(MOST_FAILING)
    }

    /// Every hash that a line outside summaries has, and where.
    pub fn hashes(&self) -> impl Iterator<Item = (&str, Place)> {
        let lines = self.iter().filter(|seen| !matches!(seen.what, Kind::Summarised(_)));
        lines.flat_map(|seen| {
            let mut found = Vec::new();
            scan(&seen.words, |word| match word {
                Word::Name(name) | Word::Number(name) if is_hash(name) => found.push((name, seen.place)),
                _ => {}
            });
            found
        })
    }

    pub fn commits(&self) -> impl DoubleEndedIterator<Item = Commit<'_>> {
        self.events_of(Observation::commit)
    }

    /// Questions the person answered.
    pub fn answers(&self) -> impl DoubleEndedIterator<Item = Answer<'_>> {
        self.events_of(Observation::answer)
    }

    /// The person has answered a question since this row.
    pub fn answered_since(&self, place: Place) -> bool {
        let later = self.events().rev().take_while(|event| event.seen.place >= place);
        later.into_iter().any(|event| event.seen.answer().is_some())
    }

    /// Calls the person refused.
    pub fn refusals(&self) -> impl DoubleEndedIterator<Item = Refusal<'_>> {
        self.events_of(Observation::refusal)
    }
}
