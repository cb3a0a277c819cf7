//! Follows the size of the context through a transcript, row by row.
//!
//! The latest count applies; rows are never summed. The usage of an answer is the whole context at that moment, cached
//! tokens included, and the answer itself is part of the next count. After a compaction the client's own count applies
//! until the next answer. Rows of subagents have their own context and are ignored.

use crate::model::entry::{Entry, Part, Place, Thread};

use crate::model::tokens::{TokenCount, TokenSource};

/// No configurable window makes a client compact below this. It had another reason, such as one huge tool result, and
/// says nothing about the threshold.
const LEAST_THRESHOLD: u64 = 60_000;

/// The state after some row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tokens in the context; `None` before the first answer, and after a compaction of unrecorded size.
    pub used: Option<u64>,
    /// Row of that count.
    pub place: Place,
    /// That row is a compaction; no answer has come since.
    pub compacted: bool,
    /// The model of the latest answer.
    pub model: Option<String>,
    /// That model's window, if the row of the answer has it.
    pub window: Option<u64>,
    /// Number of compactions.
    pub compactions: u32,
    /// Highest usage of this model.
    pub most: u64,
    /// Tokens at which the client last compacted automatically; forgotten once usage exceeds it.
    pub compacted_at: Option<u64>,
}

/// What one row says about the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// An answer of the model.
    Answer {
        place: Place,
        /// Tokens in the context, including the answer.
        tokens: u64,
        model: Option<String>,
        /// The model's window, if the row has it.
        window: Option<u64>,
    },
    /// The context was replaced by a summary.
    Compaction {
        place: Place,
        /// Tokens before, if it was automatic.
        at: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
    },
    /// A summary; older clients write only this for a compaction.
    Summary(Place),
    /// The model that will answer, where the answers do not name it.
    Model { place: Place, model: String },
    /// Tokens that model can take.
    Window { place: Place, tokens: u64 },
}

impl Mark {
    pub fn place(&self) -> Place {
        match self {
            Mark::Answer { place, .. }
            | Mark::Compaction { place, .. }
            | Mark::Model { place, .. }
            | Mark::Window { place, .. }
            | Mark::Summary(place) => *place,
        }
    }
}

/// The marks of an entry.
pub fn marks(entry: &Entry) -> impl Iterator<Item = Mark> + '_ {
    let main = entry.thread == Thread::Main;
    let place = entry.place;
    let answers = entry.parts.iter().any(|part| matches!(part, Part::Usage(_)));
    let model =
        || entry.parts.iter().find_map(|p| if let Part::Model(m) = p { Some(m.clone()) } else { None });
    entry.parts.iter().filter(move |_| main).filter_map(move |part| match part {
        Part::Usage(usage) => {
            let tokens = usage.input.saturating_add(usage.output);
            Some(Mark::Answer { place, tokens, model: model(), window: usage.window })
        }
        Part::Compaction { manual, before, after, .. } => {
            Some(Mark::Compaction { place, at: before.filter(|_| !manual), after: *after })
        }
        Part::Summary(_) => Some(Mark::Summary(place)),
        Part::Model(model) if !answers => Some(Mark::Model { place, model: model.clone() }),
        Part::Window(tokens) => Some(Mark::Window { place, tokens: *tokens }),
        _ => None,
    })
}

impl Tally {
    /// Applies a mark.
    pub fn apply(&mut self, mark: &Mark) {
        match mark {
            Mark::Answer { place, tokens, model, window } => {
                self.answered(*place, *tokens, model.as_deref());
                self.window = *window;
            }
            Mark::Compaction { place, at, after } => {
                self.replaced(*place, *after);
                self.compacted_at = at.filter(|at| *at >= LEAST_THRESHOLD).or(self.compacted_at);
            }
            // It belongs to the compaction in the row before.
            Mark::Summary(_) if self.compacted => {}
            Mark::Summary(place) => self.replaced(*place, None),
            Mark::Model { model, .. } => self.answers_with(Some(model)),
            // Kept beside the tally.
            Mark::Window { .. } => {}
        }
    }

    fn answered(&mut self, place: Place, tokens: u64, model: Option<&str>) {
        self.answers_with(model);
        (self.used, self.place, self.compacted) = (Some(tokens), place, false);
        self.most = self.most.max(tokens);
        self.compacted_at = self.compacted_at.filter(|at| tokens <= *at);
    }

    fn answers_with(&mut self, model: Option<&str>) {
        if model.is_some() && model != self.model.as_deref() {
            // Another model may have another window, so what we know of the former one does not apply.
            (self.most, self.compacted_at) = (0, None);
            self.model = model.map(str::to_owned);
        }
    }

    fn replaced(&mut self, place: Place, after: Option<u64>) {
        (self.used, self.place, self.compacted) = (after, place, true);
        self.compactions = self.compactions.saturating_add(1);
    }

    /// Tokens in the context, with their source.
    pub fn measured(&self) -> Option<TokenCount> {
        let from =
            if self.compacted { TokenSource::Compaction(self.place) } else { TokenSource::Usage(self.place) };
        self.used.map(|tokens| TokenCount { tokens, from })
    }
}
