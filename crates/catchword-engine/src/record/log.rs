//! The log of a session's observations, and how the fold adds to it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::index::{EventAt, FailingAt, MessageAt};
use super::lines::{CutLine, changed_lines, cut_lines, ends, remarks_of_prompt, shortened};
use super::observation::{PRINTED, SAID, text_key};
use super::read::CommandRun;
use super::remaining::RemainingWork;
use super::rules::RULES;
use super::{CallParts, Deed, Kind, Observation, RunResult, Source, Standing, Voice};
use crate::clients::summary_words;
use crate::model::entry::{Place, TaskStatus};
use crate::quote::foreign::Foreign;
use crate::reading::command::{ShellLine, Step};
use crate::reading::git::PrintedCommit;
use crate::reading::outcome::{counts_in, is_error_line};
use crate::reading::report::says_something;
use crate::reading::statements::{self, Remark};
use crate::text::cut::one_line;

/// Observations kept: three times the longest session that was counted (15,000). Beyond it, the oldest lines that tools
/// printed go first, and the log says how many.
const MOST: usize = 45_000;
/// Lines kept of a prompt, a message of the agent, a summary, from its start and its end: pastes are longer.
const TEXT_ENDS: (usize, usize) = (300, 100);
/// Lines kept of an output from its start and its end; error and count lines between them are kept, too.
const OUTPUT_ENDS: (usize, usize) = (20, 60);
/// Error and count lines kept between the ends of one output.
const MOST_TELLING: usize = 60;
/// Lines kept of a document that was read, and of a text written into a file.
const DOCUMENT_LINES: usize = 200;
const WRITTEN_LINES: usize = 40;
/// Characters from which on a line of a prompt that was shown before is a copy: shorter ones are said by anybody.
const SHORTEST_COPY: usize = 24;
/// Characters of a command line or call, and of what the person answered or gave as a reason.
const CALL_LONG: usize = 600;
const ANSWER_LONG: usize = 4_000;
/// Failed runs that later ones are compared with, latest first: so many are not left open in a row.
const MOST_FAILING: usize = 32;

/// Everything observed in a session, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    observations: Vec<Observation>,
    /// How many were dropped because the log was full, and how many of them tell what was done or decided.
    pub dropped: u32,
    pub dropped_events: u32,
    /// The latest observation of a run, an edited file or a text, by its key.
    pub(super) latest: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// Where what was done and decided stands, and when that was.
    pub(super) events: Vec<EventAt>,
    /// Where the failed runs stand that no later one has settled or overtaken.
    pub(super) failing: Vec<FailingAt>,
    /// Where the lines of each message stand that nobody took back.
    pub(super) messages: Vec<MessageAt>,
    /// What the agent's latest words on it say is not done.
    pub(super) remaining: Vec<RemainingWork>,
    /// Row and number of its latest observation.
    numbered: (Place, u16),
    /// Time and turn of the row that is being read.
    now: (Option<i64>, u32),
}

impl Record {
    /// Oldest first.
    pub fn iter(&self) -> std::slice::Iter<'_, Observation> {
        self.observations.iter()
    }

    pub fn len(&self) -> usize {
        self.observations.len()
    }

    pub fn is_empty(&self) -> bool {
        self.observations.is_empty()
    }

    /// The observations from one position up to but without another.
    pub(super) fn range(&self, from: u32, to: u32) -> &[Observation] {
        &self.observations[from as usize..to as usize]
    }

    pub(super) fn get(&self, at: usize) -> &Observation {
        &self.observations[at]
    }

    /// Everything that can change, changes here.
    pub(super) fn set(&mut self, at: usize, state: Standing) {
        self.observations[at].state = state;
    }

    /// Sets when what follows was seen: the time of its row, and the turns of the agent so far.
    pub fn at(&mut self, time: Option<i64>, turn: u32) {
        self.now = (time, turn);
    }

    /// Whether this is a failed run that no later one has settled or overtaken.
    pub(super) fn is_failing(&self, at: usize) -> bool {
        self.failing.iter().any(|one| one.at as usize == at)
    }

    /// Takes off the failing runs what the run at `at` shows to be over, step by step. One with no step left gets `state`.
    pub(super) fn settle(
        &mut self,
        at: usize,
        state: Standing,
        is_over: impl Fn(CommandRun, CommandRun, &Step) -> bool,
    ) {
        let Some(new) = self.observations[at].run() else { return };
        let (mut failing, mut over) = (std::mem::take(&mut self.failing), Vec::new());
        failing.retain_mut(|one| {
            let Some(failed) = self.get(one.at as usize).run() else { return false };
            let step = |number: u16| failed.line.steps().get(usize::from(number));
            one.steps.retain(|number| step(*number).is_some_and(|step| !is_over(new, failed, step)));
            over.extend(one.steps.is_empty().then_some(one.at as usize));
            !one.steps.is_empty()
        });
        self.failing = failing;
        for at in over {
            self.set(at, state);
        }
    }

    /// Adds a run to those that fail.
    pub(super) fn fails(&mut self, at: usize, steps: Vec<u16>) {
        self.failing.push(FailingAt { at: at as u32, steps });
        if self.failing.len() > MOST_FAILING {
            self.failing.remove(0);
        }
    }

    /// Something unknown ran: what failed may have passed since.
    pub fn anything_ran(&mut self, place: Place) {
        for one in std::mem::take(&mut self.failing) {
            self.set(one.at as usize, Standing::Overtaken(place));
        }
    }

    /// Adds the lines of a prompt. Of one that the person sent, those that they pasted are kept apart.
    pub fn asked(&mut self, place: Place, clock: u32, who: Voice, text: &str) {
        let lines = cut_lines(statements::of_prompt(text), TEXT_ENDS);
        self.begin_message(place, clock, who);
        for mut line in lines {
            let is_pasted = !line.is_typed || self.was_shown(&line.words);
            let who = if who == Voice::Person && is_pasted { Voice::Pasted } else { who };
            if line.is_typed && who == Voice::Pasted {
                line.says.clear();
            }
            self.add_to_message(place, clock, who, Kind::Asked(line.part), line);
        }
    }

    /// The agent said this line, or a tool printed it: a person who sends it copies it.
    fn was_shown(&self, words: &str) -> bool {
        let is_known = |kind: &str| self.latest.contains_key(&text_key(kind, words));
        words.chars().count() >= SHORTEST_COPY && (is_known(SAID) || is_known(PRINTED))
    }

    /// Adds the lines of a message of the agent.
    pub fn said(&mut self, place: Place, clock: u32, text: &str) {
        self.begin_message(place, clock, Voice::Agent);
        for line in cut_lines(statements::of_agent(text), TEXT_ENDS) {
            self.add_to_message(place, clock, Voice::Agent, Kind::Said(line.part), line);
        }
        self.find_open_work();
    }

    /// Adds the lines of a plan.
    pub fn planned(&mut self, place: Place, clock: u32, text: &str) {
        for line in cut_lines(statements::unread(text), TEXT_ENDS) {
            self.add(place, clock, Voice::Agent, Kind::Planned(line.part), line.words);
        }
    }

    /// Adds the lines of the summary of an earlier compaction, without those that the client puts around it.
    pub fn summarised(&mut self, place: Place, clock: u32, text: &str) {
        for line in cut_lines(statements::unread(summary_words(text)), TEXT_ENDS) {
            self.add(place, clock, Voice::Client, Kind::Summarised(line.part), line.words);
        }
    }

    pub fn answered(&mut self, place: Place, clock: u32, question: &str, answer: &str) {
        let question = Foreign::new(one_line(question, CALL_LONG));
        self.add(place, clock, Voice::Person, Kind::Answered { question }, one_line(answer, ANSWER_LONG));
    }

    /// Adds a refused call with the person's reason, which may be empty.
    pub fn refused(&mut self, place: Place, clock: u32, call: &str, line: Option<ShellLine>, reason: &str) {
        let (call, reason) = (one_line(call, CALL_LONG), one_line(reason, ANSWER_LONG));
        let says = remarks_of_prompt(&reason);
        self.add_read(place, clock, Voice::Person, Kind::Refused { call, line }, reason, says);
    }

    /// The person approved a plan.
    pub fn approved(&mut self, place: Place, clock: u32, title: &str) {
        self.add(place, clock, Voice::Person, Kind::Approved, one_line(title, CALL_LONG));
    }

    /// Adds a command line. Its outcome follows in [`Record::ended`].
    pub fn ran(&mut self, place: Place, clock: u32, who: Voice, line: &ShellLine) {
        let what = Kind::Ran { line: line.clone(), ended: None };
        self.add(place, clock, who, what, one_line(line.text(), CALL_LONG));
    }

    /// The command line at `call` has ended.
    pub fn ended(&mut self, call: &CallParts, ended: RunResult) {
        let is_it = |seen: &Observation| call.has(seen) && matches!(seen.what, Kind::Ran { ended: None, .. });
        let Some(at) = self.observations.iter().rposition(is_it) else { return };
        if let Kind::Ran { ended: end, .. } = &mut self.observations[at].what {
            *end = Some(Box::new(ended));
        }
        if let Ok(event) = self.events.binary_search_by_key(&(at as u32), |event| event.at) {
            (self.events[event].time, self.events[event].turn) = self.now;
        }
        self.apply_rules(at);
    }

    /// The call had no effect: it was refused or skipped, or it is an edit that failed.
    pub fn had_no_effect(&mut self, call: &CallParts) {
        for seen in self.observations.iter_mut().rev().take_while(|seen| seen.place >= call.place) {
            if call.has(seen)
                && matches!(seen.what, Kind::Ran { .. } | Kind::Called { .. } | Kind::Wrote { .. })
            {
                seen.state = Standing::Withdrawn(call.place);
            }
        }
    }

    /// The number that the next observation of this row gets.
    pub fn next_part(&self, place: Place) -> u16 {
        if self.numbered.0 == place { self.numbered.1.saturating_add(1) } else { 0 }
    }

    /// Adds a call of any other tool, in words.
    pub fn called(&mut self, place: Place, clock: u32, call: &str, ok: bool, looks: bool) {
        self.add(place, clock, Voice::Agent, Kind::Called { ok, looks }, one_line(call, CALL_LONG));
    }

    /// Adds the lines of an output that are worth keeping: its ends, and what names an error or counts.
    pub fn printed(
        &mut self,
        (of, place): (Place, Place),
        clock: u32,
        by: Source,
        failed: bool,
        output: &str,
    ) {
        let (first, last) = match by {
            Source::Document => (DOCUMENT_LINES, 0),
            Source::Subagent => TEXT_ENDS,
            _ => OUTPUT_ENDS,
        };
        let mut telling = 0;
        let who = if by == Source::Subagent { Voice::Subagent } else { Voice::Tool };
        for (part, line) in ends(output, usize::MAX, 0) {
            let at = usize::from(part.line);
            let is_end = at < first || at + last >= usize::from(part.of);
            let is_telling = || {
                by != Source::Document
                    && line.len() < 1_000
                    && (is_error_line(&line) || counts_in(&line).is_some())
            };
            if is_end || (telling < MOST_TELLING && is_telling()) {
                telling += usize::from(!is_end);
                if says_something(&line) {
                    self.add(place, clock, who, Kind::Printed { by, of, at: part, failed }, shortened(&line));
                }
            }
        }
    }

    /// Adds an effect on a file. Returns whether it takes an earlier one back exactly: then both are withdrawn.
    pub fn touched(&mut self, place: Place, clock: u32, path: &str, deed: Deed) -> bool {
        self.add(place, clock, Voice::Agent, Kind::Touched(deed), path.to_owned());
        self.observations.last().is_some_and(|seen| matches!(seen.state, Standing::Withdrawn(_)))
    }

    /// Adds the lines that an edit changed in a file, given what it took out and put in.
    pub fn wrote(&mut self, place: Place, clock: u32, path: &str, out: &str, put_in: &str) {
        let changed = changed_lines(out, put_in).into_iter().filter(|(_, line)| says_something(line));
        for (how, line) in changed.take(WRITTEN_LINES) {
            let what = Kind::Wrote { path: path.to_owned(), how };
            self.add(place, clock, Voice::Agent, what, shortened(&line));
        }
    }

    /// Adds a task, or its new status.
    pub fn task(&mut self, place: Place, clock: u32, id: &str, status: TaskStatus, subject: &str) {
        let what = Kind::Task { id: id.to_owned(), status };
        self.add(place, clock, Voice::Agent, what, one_line(subject, CALL_LONG));
    }

    pub fn committed(&mut self, place: Place, clock: u32, commit: PrintedCommit) {
        let what = Kind::Committed { hash: commit.hash.to_owned(), branch: commit.branch.map(str::to_owned) };
        self.add(place, clock, Voice::Agent, what, one_line(commit.subject, CALL_LONG));
    }

    /// The person rewound the conversation: what was said since is withdrawn. What was done stays done, but how it failed
    /// says nothing about the work that goes on.
    pub fn rewound(&mut self, to: Place, now: Place) {
        let observations = &self.observations;
        self.failing.retain(|one| observations[one.at as usize].place <= to);
        self.messages.retain(|message| message.place <= to);
        self.remaining.retain(|work| work.place <= to);
        for seen in self.observations.iter_mut().filter(|seen| seen.place > to) {
            let is_said = matches!(
                seen.what,
                Kind::Asked(_)
                    | Kind::Said(_)
                    | Kind::Answered { .. }
                    | Kind::Refused { .. }
                    | Kind::Planned(_)
            );
            if is_said && !matches!(seen.state, Standing::Withdrawn(_)) {
                seen.state = Standing::Withdrawn(now);
            }
        }
        // What was said before holds again where only its repetition was withdrawn.
        for at in 0..self.observations.len() {
            let seen = &self.observations[at];
            let is_said = matches!(seen.what, Kind::Asked(_) | Kind::Said(_));
            if is_said && seen.place <= to && matches!(seen.state, Standing::Repeated(at) if at > to) {
                self.latest.extend(seen.key_in_log().map(|key| (key, at as u32)));
                self.observations[at].state = Standing::Holds;
            }
        }
    }

    fn begin_message(&mut self, place: Place, clock: u32, who: Voice) {
        let (at, (time, turn)) = (self.observations.len() as u32, self.now);
        self.messages.push(MessageAt { place, clock, who, from: at, to: at, time, turn });
    }

    fn add_to_message(&mut self, place: Place, clock: u32, who: Voice, what: Kind, line: CutLine) {
        self.add_read(place, clock, who, what, line.words, line.says);
        if let Some(message) = self.messages.last_mut() {
            message.to = self.observations.len() as u32;
        }
    }

    fn add(&mut self, place: Place, clock: u32, who: Voice, what: Kind, words: String) {
        self.add_read(place, clock, who, what, words, Vec::new());
    }

    fn add_read(
        &mut self,
        place: Place,
        clock: u32,
        who: Voice,
        what: Kind,
        words: String,
        says: Vec<Remark>,
    ) {
        let part = self.next_part(place);
        self.numbered = (place, part);
        let (at, (time, turn)) = (self.observations.len(), self.now);
        let new = Observation { place, part, who, what, words, says, clock, state: Standing::Holds };
        if new.is_event() {
            self.events.push(EventAt { at: at as u32, time, turn });
        }
        self.observations.push(new);
        self.apply_rules(at);
        if self.observations.len() > MOST {
            self.drop_oldest();
        }
    }

    fn apply_rules(&mut self, at: usize) {
        for rule in RULES {
            (rule.apply)(self, at);
        }
    }

    /// Drops the oldest quarter, of what tools printed and files hold first.
    fn drop_oldest(&mut self) {
        let before = self.observations.len();
        let mut excess = before - MOST / 4 * 3;
        let mut stays = vec![true; before];
        for only_printed in [true, false] {
            for (seen, stays) in self.observations.iter().zip(&mut stays).filter(|(_, stays)| **stays) {
                let is_printed = matches!(seen.what, Kind::Printed { .. } | Kind::Wrote { .. });
                *stays = excess == 0 || (only_printed && !is_printed);
                excess -= usize::from(!*stays);
            }
        }
        // How many stay before each: the new position of what stays, and of the ends of a message.
        let mut before_it = Vec::with_capacity(before + 1);
        before_it.push(0);
        before_it.extend(stays.iter().scan(0, |count: &mut u32, stays| {
            *count += u32::from(*stays);
            Some(*count)
        }));
        let mut at = 0;
        self.observations.retain(|_| {
            at += 1;
            stays[at - 1]
        });
        self.dropped += (before - self.observations.len()) as u32;
        let stays_at = |at: &mut u32| {
            let stays = stays[*at as usize];
            *at = before_it[*at as usize];
            stays
        };
        self.latest.retain(|_, at| stays_at(at));
        let events = self.events.len();
        self.events.retain_mut(|event| stays_at(&mut event.at));
        self.dropped_events += (events - self.events.len()) as u32;
        self.failing.retain_mut(|one| stays_at(&mut one.at));
        self.messages.retain_mut(|message| {
            (message.from, message.to) = (before_it[message.from as usize], before_it[message.to as usize]);
            message.from < message.to
        });
    }
}

impl<'a> IntoIterator for &'a Record {
    type Item = &'a Observation;
    type IntoIter = std::slice::Iter<'a, Observation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
