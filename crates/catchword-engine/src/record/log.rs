//! The log of a session's observations, and how the fold adds to it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::lines::{ends, prompt_at_ends, says_something, sentences_at_ends, shortened};
use super::rules::RULES;
use super::{CallParts, Deed, Kind, Observation, RunResult, Source, Standing, TextPart, Voice};
use crate::clients::summary_words;
use crate::model::entry::{Place, TaskStatus};
use crate::reading::command::ShellLine;
use crate::reading::outcome::{counts_in, is_error_line};
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
/// Characters of a command line or call.
const CALL_LONG: usize = 600;

/// Everything observed in a session, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    observations: Vec<Observation>,
    /// How many were dropped because the log was full.
    pub dropped: u32,
    /// The latest observation of a run, an edited file or a text, by its key.
    pub(super) latest: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// Row and number of its latest observation.
    numbered: (Place, u16),
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

    pub(super) fn get(&self, at: usize) -> &Observation {
        &self.observations[at]
    }

    /// Everything that can change, changes here.
    pub(super) fn set(&mut self, at: usize, state: Standing) {
        self.observations[at].state = state;
    }

    /// Adds the lines of a prompt. Of one that the person sent, those that they pasted are kept apart.
    pub fn asked(&mut self, place: Place, clock: u32, who: Voice, text: &str) {
        if who == Voice::Person {
            for (is_typed, part, line) in prompt_at_ends(text, TEXT_ENDS.0, TEXT_ENDS.1) {
                let who = if is_typed { Voice::Person } else { Voice::Pasted };
                self.add(place, clock, who, Kind::Asked(part), line);
            }
            return;
        }
        self.add_all(place, clock, who, sentences_at_ends(text, TEXT_ENDS.0, TEXT_ENDS.1), Kind::Asked);
    }

    /// Adds the lines of a message of the agent.
    pub fn said(&mut self, place: Place, clock: u32, text: &str) {
        self.add_all(
            place,
            clock,
            Voice::Agent,
            sentences_at_ends(text, TEXT_ENDS.0, TEXT_ENDS.1),
            Kind::Said,
        );
    }

    /// Adds the lines of a plan.
    pub fn planned(&mut self, place: Place, clock: u32, text: &str) {
        let lines = sentences_at_ends(text, TEXT_ENDS.0, TEXT_ENDS.1);
        self.add_all(place, clock, Voice::Agent, lines, Kind::Planned);
    }

    /// Adds the lines of the summary of an earlier compaction, without those that the client puts around it.
    pub fn summarised(&mut self, place: Place, clock: u32, text: &str) {
        let lines = sentences_at_ends(summary_words(text), TEXT_ENDS.0, TEXT_ENDS.1);
        self.add_all(place, clock, Voice::Client, lines, Kind::Summarised);
    }

    pub fn answered(&mut self, place: Place, clock: u32, question: &str, answer: &str) {
        let question = one_line(question, CALL_LONG);
        self.add(place, clock, Voice::Person, Kind::Answered { question }, one_line(answer, CALL_LONG));
    }

    /// Adds a refused call with the person's reason, which may be empty.
    pub fn refused(&mut self, place: Place, clock: u32, call: &str, reason: &str) {
        let call = one_line(call, CALL_LONG);
        self.add(place, clock, Voice::Person, Kind::Refused { call }, one_line(reason, CALL_LONG));
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
            *end = Some(ended);
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
    pub fn called(&mut self, place: Place, clock: u32, call: &str, ok: bool) {
        self.add(place, clock, Voice::Agent, Kind::Called { ok }, one_line(call, CALL_LONG));
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

    /// Adds an effect on a file.
    pub fn touched(&mut self, place: Place, clock: u32, path: &str, deed: Deed) {
        self.add(place, clock, Voice::Agent, Kind::Touched(deed), path.to_owned());
    }

    /// Adds the lines that an edit put into a file.
    pub fn wrote(&mut self, place: Place, clock: u32, path: &str, text: &str) {
        for (_, line) in ends(text, WRITTEN_LINES, 0).into_iter().filter(|(_, line)| says_something(line)) {
            self.add(place, clock, Voice::Agent, Kind::Wrote { path: path.to_owned() }, shortened(&line));
        }
    }

    /// Adds a task, or its new status.
    pub fn task(&mut self, place: Place, clock: u32, id: &str, status: TaskStatus, subject: &str) {
        let what = Kind::Task { id: id.to_owned(), status };
        self.add(place, clock, Voice::Agent, what, one_line(subject, CALL_LONG));
    }

    pub fn committed(&mut self, place: Place, clock: u32, hash: &str, subject: &str) {
        let what = Kind::Committed { hash: hash.to_owned() };
        self.add(place, clock, Voice::Agent, what, one_line(subject, CALL_LONG));
    }

    /// The person rewound the conversation: what was said since is withdrawn. What was done stays done.
    pub fn rewound(&mut self, to: Place, now: Place) {
        for seen in self.observations.iter_mut().rev().take_while(|seen| seen.place > to) {
            let is_said = matches!(
                seen.what,
                Kind::Asked(_)
                    | Kind::Said(_)
                    | Kind::Answered { .. }
                    | Kind::Refused { .. }
                    | Kind::Planned(_)
            );
            if is_said {
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

    fn add_all(
        &mut self,
        place: Place,
        clock: u32,
        who: Voice,
        lines: Vec<(TextPart, String)>,
        what: impl Fn(TextPart) -> Kind,
    ) {
        for (part, line) in lines {
            self.add(place, clock, who, what(part), line);
        }
    }

    fn add(&mut self, place: Place, clock: u32, who: Voice, what: Kind, words: String) {
        let part = self.next_part(place);
        self.numbered = (place, part);
        self.observations.push(Observation { place, part, who, what, words, clock, state: Standing::Holds });
        self.apply_rules(self.observations.len() - 1);
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
        for only_printed in [true, false] {
            self.observations.retain(|seen| {
                let is_printed = matches!(seen.what, Kind::Printed { .. } | Kind::Wrote { .. });
                let goes = excess > 0 && (is_printed || !only_printed);
                excess -= usize::from(goes);
                !goes
            });
        }
        self.dropped += (before - self.observations.len()) as u32;
        self.latest.clear();
        for at in 0..self.observations.len() {
            let key = self.observations[at].key_in_log();
            self.latest.extend(key.map(|key| (key, at as u32)));
        }
    }
}

impl<'a> IntoIterator for &'a Record {
    type Item = &'a Observation;
    type IntoIter = std::slice::Iter<'a, Observation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
