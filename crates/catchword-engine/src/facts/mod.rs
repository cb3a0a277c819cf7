//! What is worth carrying over: [`Session`] → [`Fact`]s, one file per kind.
//!
//! Every extractor gets the session and what the model already has, and gives each fact a weight and its place in
//! the transcript. Extractors leave out what the summary already says, so that the budget goes to what is missing.
//! To add a kind of fact, add one file and one line in [`HEAD`].

pub mod active;
pub mod agents;
pub mod answers;
pub mod cold_tasks;
pub mod command_files;
pub mod contradictions;
pub mod failures;
pub mod files;
pub mod git;
pub mod notes;
pub mod project;
pub mod reference;
pub mod requests;
pub mod running;
mod section;
pub mod standing;
pub mod state;
pub mod steps;
pub mod unfinished;
pub mod work;
pub mod workspace;

use std::borrow::Cow;

pub use crate::choose::KnownText;
use crate::choose::weights::FITTED;
use crate::choose::{Model, Tier};
use crate::model::entry::Place;
use crate::session::Session;
use crate::text::numbers::count_of;
use crate::text::specifics::WordHash;
pub use git::{DiffStat, WorkTree};
pub use section::Section;
pub use unfinished::Unfinished;
pub use workspace::WorkspaceState;

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

/// One rule of the head: precise enough to stand above everything else, whatever a score says.
pub struct HeadRule {
    /// For the ablation table.
    pub name: &'static str,
    pub finds: fn(&Session, &KnownText) -> Vec<Fact>,
}

/// What the verbatim lines are called among the kinds.
pub const REFERENCE: &str = "reference";

/// Every rule, in the order in which they get the room of the head.
pub const HEAD: &[HeadRule] = &[
    rule("contradictions", contradictions::facts),
    rule("requests", requests::facts),
    rule("standing", standing::typed),
    rule("work", work::dated),
    rule("state", state::facts),
    rule("failures", failures::facts),
    rule("running", running::facts),
    rule("git", git::facts),
    rule("answers", answers::facts),
    rule("files", files::facts),
    rule("agents", agents::facts),
    rule("steps", steps::facts),
    rule("active", active::facts),
];

const fn rule(name: &'static str, finds: fn(&Session, &KnownText) -> Vec<Fact>) -> HeadRule {
    HeadRule { name, finds }
}

/// Everything worth carrying over that `known` does not already say.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    facts_by(&FITTED, session, known)
}

/// The same with other weights, for the training program.
pub fn facts_by(model: &Model, session: &Session, known: &KnownText) -> Vec<Fact> {
    let mut facts = extracted(session, known, &[]);
    facts.extend(reference::facts(model, session, known));
    facts
}

/// [`facts`] without some kinds, to measure what each contributes.
pub fn facts_without(session: &Session, known: &KnownText, left_out: &[String]) -> Vec<Fact> {
    let mut facts = extracted(session, known, left_out);
    if !left_out.iter().any(|name| name == REFERENCE) {
        facts.extend(reference::facts(&FITTED, session, known));
    }
    facts
}

fn extracted(session: &Session, known: &KnownText, left_out: &[String]) -> Vec<Fact> {
    let wanted = HEAD.iter().filter(|rule| !left_out.iter().any(|name| name == rule.name));
    said_once(wanted.flat_map(|rule| (rule.finds)(session, known)).collect())
}

/// Drops requests that another section shows with the same text and place: a request that is nothing but a rule is
/// shown among the rules.
fn said_once(facts: Vec<Fact>) -> Vec<Fact> {
    let is_asked = |fact: &Fact| fact.section == Section::Asked;
    let same = |a: &Fact, b: &Fact| a.place == b.place && a.text == b.text;
    let is_repeated =
        |fact: &Fact| is_asked(fact) && facts.iter().any(|other| !is_asked(other) && same(fact, other));
    let repeated: Vec<bool> = facts.iter().map(is_repeated).collect();
    facts.into_iter().zip(repeated).filter(|(_, repeated)| !repeated).map(|(fact, _)| fact).collect()
}
