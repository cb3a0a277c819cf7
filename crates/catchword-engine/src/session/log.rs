//! What was achieved, in order and with its time: the material of the progress log.
//!
//! Kept apart from the rest of the session because that has no times: a fold that kept the time of everything would
//! grow with the transcript. Bounded; the oldest go first.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::one_line;
use super::shell::Counts;
use crate::agent::entry::Place;

/// Events kept: a day's work has some hundred.
const KEPT: usize = 500;
/// Characters kept of one text.
const LONG: usize = 240;

/// A point in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Where.
    pub place: Place,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Turns of the agent up to then ([`super::Session::turns`]).
    pub turn: u32,
}

/// Something that was achieved or decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When and where.
    pub at: Moment,
    /// What.
    pub what: Happened,
}

/// What can be achieved or decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Happened {
    /// The task list says that a task is finished.
    Finished {
        /// Its id.
        task: String,
        /// What was to be done.
        subject: String,
        /// What else in the record speaks for it; empty where nothing does.
        evidence: String,
    },
    /// A commit was made.
    Committed {
        /// Abbreviated.
        hash: String,
        /// First line of its message.
        subject: String,
    },
    /// Tests were run.
    Tested {
        /// The command's core.
        command: String,
        /// They passed.
        ok: bool,
        /// How many, where the runner says.
        counts: Option<Counts>,
        /// Runs in a row with this very result.
        times: u16,
    },
    /// The person answered a question.
    Answered {
        /// What was asked.
        question: String,
        /// What they chose or wrote.
        answer: String,
    },
    /// The person refused a call.
    Refused {
        /// What the agent wanted to do.
        what: String,
        /// Their words, if any.
        reason: String,
    },
    /// The person approved a plan.
    Approved {
        /// Its title.
        plan: String,
    },
    /// A file was made.
    Created {
        /// Its path.
        path: String,
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
    events: VecDeque<Event>,
}

impl Log {
    /// Takes in an event. The same tests with the same result, run again with nothing achieved between, are one.
    pub fn push(&mut self, at: Moment, what: Happened) {
        if let (Some(last), Happened::Tested { command, ok, counts, .. }) = (self.events.back_mut(), &what)
            && let Happened::Tested { command: c, ok: o, counts: n, times } = &mut last.what
            && (&*c, &*o, &*n) == (command, ok, counts)
        {
            *times = times.saturating_add(1);
            last.at = at;
            return;
        }
        self.events.push_back(Event { at, what });
        if self.events.len() > KEPT {
            self.events.pop_front();
        }
    }

    /// All events, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.iter()
    }

    /// Text as it is kept here.
    pub fn short(text: &str) -> String {
        one_line(text, LONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(ok: bool) -> Happened {
        Happened::Tested { command: "cargo test".into(), ok, counts: None, times: 1 }
    }

    #[test]
    fn the_same_result_in_a_row_is_one_event() {
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
    fn the_log_does_not_grow_without_end() {
        let mut log = Log::default();
        for n in 0..2 * KEPT {
            log.push(Moment::default(), Happened::Created { path: n.to_string() });
        }
        assert_eq!(log.iter().count(), KEPT);
        assert_eq!(log.iter().next().map(|e| &e.what), Some(&Happened::Created { path: KEPT.to_string() }));
    }
}
