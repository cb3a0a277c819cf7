//! What a transcript tells of the context, row by row: the latest count and what to make of it.
//!
//! The latest count stands, rows are never summed: each answer's usage is the whole context at that moment, what
//! came from the cache included, and its own words are part of the next. At a compaction the client's count after
//! it holds until the next answer. Rows of subagents have contexts of their own and never count here.

use crate::model::entry::{Entry, Part, Place, Thread};

use crate::model::tokens::{TokenCount, TokenSource};

/// Below this no window that can be set makes a client compact: it had another reason, such as one huge answer of a
/// tool, and says nothing of the threshold.
const LEAST_THRESHOLD: u64 = 60_000;

/// What the transcript tells up to some row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tokens in the context; unknown before the first answer, and after a compaction whose size nobody wrote down.
    pub used: Option<u64>,
    /// The row that says so.
    pub place: Place,
    /// That row is a compaction: no answer has come since.
    pub compacted: bool,
    /// The model of the latest answer.
    pub model: Option<String>,
    /// Tokens that model can take, where the row of that answer says so.
    pub window: Option<u64>,
    /// Compactions so far.
    pub compactions: u32,
    /// Most tokens an answer of this model has had.
    pub most: u64,
    /// Tokens at which the client last compacted by itself; forgotten once more are used than that.
    pub compacted_at: Option<u64>,
}

/// What one row says of the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// An answer came.
    Answer {
        /// Its row.
        place: Place,
        /// The context with it.
        tokens: u64,
        /// The model that gave it.
        model: Option<String>,
        /// Tokens that model can take, where the row says so.
        window: Option<u64>,
    },
    /// The context was replaced by a summary.
    Compaction {
        /// Its row.
        place: Place,
        /// Tokens before, where the client did it by itself.
        at: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
    },
    /// A summary; older clients write nothing else of a compaction.
    Summary(Place),
    /// The model that will answer, where the answers do not name it.
    Model { place: Place, model: String },
    /// Tokens that model can take.
    Window { place: Place, tokens: u64 },
}

impl Mark {
    /// The row it was found in.
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

/// What an entry says of the context.
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
    /// Takes in what a row says.
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
            // It belongs to the compaction whose row came before it.
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
            // Another model has another window: what the former one could take says nothing of it.
            (self.most, self.compacted_at) = (0, None);
            self.model = model.map(str::to_owned);
        }
    }

    fn replaced(&mut self, place: Place, after: Option<u64>) {
        (self.used, self.place, self.compacted) = (after, place, true);
        self.compactions = self.compactions.saturating_add(1);
    }

    /// Tokens in the context, with the row that says so.
    pub fn measured(&self) -> Option<TokenCount> {
        let from =
            if self.compacted { TokenSource::Compaction(self.place) } else { TokenSource::Usage(self.place) };
        self.used.map(|tokens| TokenCount { tokens, from })
    }
}
