//! Timestamped events in order: the material of the progress log.
//!
//! Separate from the rest of the session, most of which has no times: keeping the time of everything would grow with
//! the transcript. Bounded; the oldest events are dropped first.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::one_line;
use crate::model::entry::Place;
use crate::quote::foreign::Foreign;
use crate::reading::outcome::Counts;

/// Events kept: a day's work has a few hundred.
const MAX_EVENTS: usize = 500;
/// Characters kept of one text.
const MAX_EVENT_TEXT: usize = 240;

/// A point in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    pub place: Place,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Turns of the agent up to then ([`super::Session::turns`]).
    pub turn: u32,
}

/// Something that was achieved or decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogEvent {
    pub at: Moment,
    pub what: Happened,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Happened {
    /// The task list says that a task is finished.
    Finished {
        task: String,
        /// What was to be done.
        subject: String,
        /// What else in the record supports it, or empty.
        evidence: String,
    },
    /// A commit was made.
    Committed {
        /// Abbreviated.
        hash: String,
        /// First line of its message.
        subject: Foreign,
    },
    /// Tests were run.
    Tested {
        /// The command's core.
        command: String,
        /// They passed.
        ok: bool,
        /// How many, if the runner says.
        counts: Option<Counts>,
        /// Runs in a row with the same result.
        times: u16,
    },
    /// The person answered a question.
    Answered {
        /// What was asked.
        question: Foreign,
        /// What they chose or wrote.
        answer: String,
    },
    /// The person refused a call.
    Refused {
        /// What the agent wanted to do.
        what: String,
        /// Their reason, or empty.
        reason: String,
    },
    /// The person approved a plan.
    Approved {
        /// Its title.
        plan: Foreign,
    },
    /// A file was created.
    Created {
        /// Its path.
        path: Foreign,
    },
    /// The context was replaced by a summary.
    Compacted {
        /// Asked for by the person.
        manual: bool,
        /// Tokens before.
        before: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
    },
}

/// The latest events, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Log {
    events: VecDeque<LogEvent>,
}

impl Log {
    /// Adds an event. Test runs with the same result and no event in between are merged into one.
    pub fn push(&mut self, at: Moment, what: Happened) {
        if let (Some(last), Happened::Tested { command, ok, counts, .. }) = (self.events.back_mut(), &what)
            && let Happened::Tested { command: c, ok: o, counts: n, times } = &mut last.what
            && (&*c, &*o, &*n) == (command, ok, counts)
        {
            *times = times.saturating_add(1);
            last.at = at;
            return;
        }
        self.events.push_back(LogEvent { at, what });
        if self.events.len() > MAX_EVENTS {
            self.events.pop_front();
        }
    }

    /// Oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &LogEvent> {
        self.events.iter()
    }

    /// `text` on one line, cut to the length kept here.
    pub fn short(text: &str) -> String {
        one_line(text, MAX_EVENT_TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(ok: bool) -> Happened {
        Happened::Tested { command: "cargo test".into(), ok, counts: None, times: 1 }
    }

    #[test]
    fn equal_test_results_in_a_row_are_merged() {
        let mut log = Log::default();
        for ok in [false, false, false, true, false] {
            log.push(Moment::default(), tested(ok));
        }
        let runs: Vec<_> = log
            .iter()
            .map(|e| if let Happened::Tested { ok, times, .. } = e.what { (ok, times) } else { (false, 0) })
            .collect();
        assert_eq!(runs, [(false, 3), (true, 1), (false, 1)]);
    }

    #[test]
    fn log_is_bounded_and_drops_the_oldest_first() {
        let mut log = Log::default();
        for n in 0..2 * MAX_EVENTS {
            log.push(Moment::default(), Happened::Created { path: n.to_string().into() });
        }
        assert_eq!(log.iter().count(), MAX_EVENTS);
        assert_eq!(
            log.iter().next().map(|e| &e.what),
            Some(&Happened::Created { path: MAX_EVENTS.to_string().into() })
        );
    }
}
