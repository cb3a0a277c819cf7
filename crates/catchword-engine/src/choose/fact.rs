//! A line that the model may be told: its words, where it is shown and why.

use std::borrow::Cow;

use super::{Section, Tier};
use crate::model::entry::Place;
use crate::text::numbers::count_of;
use crate::text::specifics::WordHash;

/// How a remark on what came later begins. It has places of its own.
pub const SINCE: [&str; 3] = ["; edited since: ", "; passed since: ", "; named in calls since: "];

/// Something worth carrying over.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Where it is shown.
    pub section: Section,
    /// Its place in the transcript.
    pub place: Option<Place>,
    /// The path, command or quoted text itself, for comparison with other text.
    pub key: String,
    /// The full form.
    pub text: String,
    /// The form for when space is short; `None` if it cannot be shorter.
    pub short: Option<String>,
    pub tier: Tier,
    /// How much it is worth beside other lines of the reference; infinite for what is certain.
    pub score: f32,
    /// Why it is there, for `brief --why`.
    pub why: Why,
    /// Specific things in it that the model lacks; only for lines of the reference.
    pub new: Vec<WordHash>,
}

/// Why a fact is there. There are hundreds and hardly anybody asks, so the text is formatted on demand.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// A ready text.
    Said(Cow<'static, str>),
    /// A command in use.
    Run {
        /// How often it was run.
        times: u32,
        /// Tool calls since the last time.
        age: u32,
    },
    /// A name in use.
    Met {
        /// Tool calls since it was last seen.
        age: u32,
        /// Tool calls since the agent last typed it, if it did.
        typed: Option<u32>,
    },
    /// A file in use.
    Used {
        /// Changes.
        edits: u32,
        /// Reads.
        reads: u32,
        /// Tool calls since the last of them.
        age: u32,
    },
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Said(words) => f.write_str(words),
            Why::Run { times: 1, age } => write!(f, "run once, {}", calls_ago(*age)),
            Why::Run { times, age } => write!(f, "run {times} times, last {}", calls_ago(*age)),
            Why::Met { age, typed: None } => write!(f, "met {}", calls_ago(*age)),
            Why::Met { age, typed: Some(typed) } => {
                write!(f, "met {}, typed {}", calls_ago(*age), calls_ago(*typed))
            }
            Why::Used { edits, reads, age } => {
                let counts = [(*edits, "edit"), (*reads, "read")];
                for (count, noun) in counts.into_iter().filter(|(count, _)| *count > 0) {
                    write!(f, "{}, ", count_of(count as usize, noun))?;
                }
                let used = if edits + reads > 0 { "" } else { "used " };
                write!(f, "{used}{}", calls_ago(*age))
            }
        }
    }
}

fn calls_ago(age: u32) -> String {
    format!("{} ago", count_of(age as usize, "call"))
}

impl From<&'static str> for Why {
    fn from(words: &'static str) -> Why {
        Why::Said(Cow::Borrowed(words))
    }
}

impl From<String> for Why {
    fn from(words: String) -> Why {
        Why::Said(Cow::Owned(words))
    }
}

impl Fact {
    /// A certain line of the head that is shown as `text`.
    pub fn new(section: Section, key: impl Into<String>, text: impl Into<String>) -> Fact {
        let (key, text) = (key.into(), text.into());
        Fact {
            section,
            place: None,
            key,
            text,
            short: None,
            tier: Tier::Head,
            score: f32::INFINITY,
            why: Why::from(""),
            new: Vec::new(),
        }
    }

    /// Sets its place in the transcript.
    #[must_use]
    pub fn at(self, place: Place) -> Fact {
        Fact { place: Some(place), ..self }
    }

    /// Adds a form for when space is short.
    #[must_use]
    pub fn or(self, short: impl Into<String>) -> Fact {
        Fact { short: Some(short.into()), ..self }
    }

    /// Sets why it is there.
    #[must_use]
    pub fn because(self, why: impl Into<Why>) -> Fact {
        Fact { why: why.into(), ..self }
    }

    /// Puts it beside the head, where its own limit counts and not that of the head.
    #[must_use]
    pub fn beside(self) -> Fact {
        Fact { tier: Tier::Beside, ..self }
    }

    /// A verbatim line of the reference.
    pub fn is_chosen(&self) -> bool {
        matches!(self.tier, Tier::Reference(_))
    }
}
