//! What is worth carrying over: [`Session`] → [`Fact`]s, one file per kind.
//!
//! Every extractor looks at the session alone and says for each fact how much it matters and where it
//! stands. What the summary already says is left out here, so that the budget goes to what is missing.
//! Adding a kind of fact is one file and one line in [`EXTRACTORS`].

pub mod active;
pub mod answers;
pub mod carried;
pub mod cold;
pub mod commands;
pub mod context;
pub mod contradictions;
pub mod criteria;
pub mod decisions;
pub mod failures;
pub mod files;
pub mod git;
pub mod known;
pub mod letters;
pub mod names;
pub mod notes;
pub mod project;
pub mod requests;
pub mod running;
pub mod standing;
pub mod stood;
pub mod text;
pub mod unfinished;
pub mod work;

use std::borrow::Cow;
use std::collections::HashSet;

use foldhash::fast::RandomState;

use crate::agent::entry::Place;
use crate::at_once::divided;
use crate::session::Session;
pub use git::WorkTree;
pub use known::Known;
pub use unfinished::Unfinished;

/// Something worth carrying over.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Where it is shown.
    pub section: Section,
    /// Where it stands in the transcript.
    pub place: Option<Place>,
    /// The thing itself: the path, the command, the words. What is compared with the summary.
    pub bare: String,
    /// As it is shown when there is room.
    pub text: String,
    /// As it is shown when there is little; `None` where it cannot be shorter.
    pub short: Option<String>,
    /// How much is lost without it; for files, commands and names the probability that it is needed again.
    pub weight: f32,
    /// When it is its turn.
    pub turn: Turn,
    /// Why it is there, for `explain`.
    pub why: Why,
}

/// Why a fact is there. There are hundreds, and hardly ever does anybody ask: they are worded only then.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// In these words.
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
        /// Tool calls since it was met.
        age: u32,
        /// Tool calls since it was typed, where it was.
        typed: Option<u32>,
    },
    /// A file in use.
    Used {
        /// Changes.
        edits: u32,
        /// Looks.
        reads: u32,
        /// Tool calls since the last of them.
        age: u32,
    },
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Said(words) => f.write_str(words),
            Why::Run { times, age } => write!(f, "run {times} times, last {age} calls ago"),
            Why::Met { age, typed: None } => write!(f, "met {age} calls ago"),
            Why::Met { age, typed: Some(typed) } => {
                write!(f, "met {age} calls ago, typed {typed} calls ago")
            }
            Why::Used { edits, reads, age } => {
                write!(f, "{edits} edits, {reads} reads, in use {age} calls ago")
            }
        }
    }
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
    /// A fact that is shown as `text`.
    pub fn new(section: Section, bare: impl Into<String>, text: impl Into<String>) -> Fact {
        let (bare, text) = (bare.into(), text.into());
        Fact {
            section,
            place: None,
            bare,
            text,
            short: None,
            weight: 1.0,
            turn: Turn::Weighed,
            why: Why::from(""),
        }
    }

    /// Where it stands.
    #[must_use]
    pub fn at(self, place: Place) -> Fact {
        Fact { place: Some(place), ..self }
    }

    /// A form for when there is little room.
    #[must_use]
    pub fn or(self, short: impl Into<String>) -> Fact {
        Fact { short: Some(short.into()), ..self }
    }

    /// How much it matters, and why it is there.
    #[must_use]
    pub fn worth(self, weight: f32, why: impl Into<Why>) -> Fact {
        Fact { weight, why: why.into(), ..self }
    }

    /// It goes in before anything is weighed.
    #[must_use]
    pub fn must(self) -> Fact {
        Fact { turn: Turn::Must, ..self }
    }

    /// It has a claim to the reserve.
    #[must_use]
    pub fn reserved(self) -> Fact {
        Fact { turn: Turn::Reserved, ..self }
    }
}

/// When a fact gets its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// First, whatever it costs.
    Must,
    /// Next, from a share of the budget that is kept for such facts.
    Reserved,
    /// Last, by what it is worth for its length.
    Weighed,
}

/// The parts of a brief, in the order they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Where the summary says something else than the record.
    Differs,
    /// What the person asked for.
    Asked,
    /// What holds for the whole session.
    Standing,
    /// What the person answered and approved.
    Answers,
    /// Mid-work or waiting, last action, next step.
    Stood,
    /// What is not finished.
    Work,
    /// What a person or the agent wrote down.
    Notes,
    /// What does not work.
    Failing,
    /// Files that were changed.
    Changed,
    /// Files that were read or named.
    Files,
    /// Commands that matter.
    Commands,
    /// Why it was done so.
    Decisions,
    /// Identifiers of code.
    Names,
    /// Tests by name.
    Tests,
    /// Hashes, tickets, branches, addresses, versions, measurements.
    Ids,
    /// Shells and subagents in the background.
    Running,
    /// Branch and commits.
    Git,
    /// Commands and skills the agent works by.
    Active,
    /// The project's name, key files and status.
    Project,
    /// What was finished long ago.
    Cold,
}

impl Section {
    /// All of them, in the order they are shown.
    pub const ALL: [Section; 20] = [
        Section::Differs,
        Section::Asked,
        Section::Standing,
        Section::Answers,
        Section::Stood,
        Section::Work,
        Section::Notes,
        Section::Failing,
        Section::Changed,
        Section::Files,
        Section::Commands,
        Section::Decisions,
        Section::Names,
        Section::Tests,
        Section::Ids,
        Section::Running,
        Section::Git,
        Section::Active,
        Section::Project,
        Section::Cold,
    ];

    /// What its facts are called.
    pub fn noun(self) -> &'static str {
        match self {
            Section::Differs => "differences from the summary",
            Section::Asked => "requests",
            Section::Standing => "standing instructions",
            Section::Answers => "answers and approvals",
            Section::Stood => "where it stood",
            Section::Work => "open tasks",
            Section::Notes => "notes",
            Section::Failing => "failing commands",
            Section::Changed => "changed files",
            Section::Files => "other files in use",
            Section::Commands => "commands that matter",
            Section::Decisions => "decisions of the agent",
            Section::Names => "symbols in use",
            Section::Tests => "tests by name",
            Section::Ids => "ids and numbers",
            Section::Running => "running jobs",
            Section::Git => "branch and commits",
            Section::Active => "active commands",
            Section::Project => "project",
            Section::Cold => "tasks finished earlier",
        }
    }
}

/// One kind of fact.
pub struct Extractor {
    /// For `explain` and the ablation table.
    pub name: &'static str,
    /// Finds its facts.
    pub facts: fn(&Session, &Known) -> Vec<Fact>,
    /// Finds those of them that the summariser may be told of, where there are such.
    guide: Option<fn(&Session, &Known) -> Vec<Fact>>,
    /// Who begins with it where two threads look for facts.
    share: Share,
}

/// Which thread begins with a kind of fact. Files and names have hundreds of candidates, which take longer than all the
/// other kinds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    /// The other one.
    Aside,
    /// Whichever has time.
    Either,
    /// The present one.
    Here,
    /// The present one before all others, as it asks for what was found first.
    AfterFirst,
}

use Share::{AfterFirst, Aside, Either, Here};

/// All kinds.
pub const EXTRACTORS: &[Extractor] = &[
    Extractor {
        name: "contradictions",
        facts: contradictions::facts,
        guide: Some(contradictions::facts),
        share: AfterFirst,
    },
    Extractor { name: "requests", facts: requests::facts, guide: Some(requests::facts), share: Either },
    Extractor { name: "criteria", facts: criteria::facts, guide: Some(criteria::facts), share: Either },
    Extractor { name: "standing", facts: standing::facts, guide: Some(standing::facts), share: Either },
    Extractor { name: "answers", facts: answers::facts, guide: Some(answers::facts), share: Either },
    Extractor { name: "stood", facts: stood::facts, guide: Some(stood::facts), share: Either },
    Extractor { name: "work", facts: work::facts, guide: Some(work::facts), share: Either },
    Extractor { name: "failures", facts: failures::facts, guide: Some(failures::facts), share: Either },
    Extractor { name: "files", facts: files::facts, guide: Some(files::changed), share: Aside },
    Extractor { name: "commands", facts: commands::facts, guide: None, share: Either },
    Extractor { name: "decisions", facts: decisions::facts, guide: Some(decisions::facts), share: Either },
    Extractor { name: "names", facts: names::facts, guide: None, share: Here },
    Extractor { name: "running", facts: running::facts, guide: Some(running::facts), share: Either },
    Extractor { name: "git", facts: git::facts, guide: Some(git::facts), share: Either },
    Extractor { name: "active", facts: active::facts, guide: Some(active::facts), share: Either },
    Extractor { name: "cold", facts: cold::facts, guide: None, share: Either },
];

/// Everything worth carrying over that `known` does not already say.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    facts_without(session, known, &[])
}

/// The same where somebody waits: on two threads, once `first` is done on this one.
pub fn facts_after<T>(session: &Session, known: &Known, first: impl FnOnce() -> T) -> (T, Vec<Fact>) {
    let mut order: Vec<usize> = (0..EXTRACTORS.len()).collect();
    order.sort_by_key(|at| EXTRACTORS[*at].share);
    let found = |at: usize| (EXTRACTORS[order[at]].facts)(session, known);
    let share = |at: &&usize| EXTRACTORS[**at].share != AfterFirst;
    let either = order.iter().take_while(share).count();
    let here = || (first(), (either..order.len()).map(found).collect::<Vec<_>>());
    let ((first, behind), mut all) = divided(either, found, here);
    all.extend(behind);
    let mut all: Vec<(usize, Vec<Fact>)> = order.iter().copied().zip(all).collect();
    all.sort_by_key(|(at, _)| *at);
    (first, said_once(all.into_iter().flat_map(|(_, facts)| facts).collect()))
}

/// What the summariser may be told of all that: names, commands, files that were only read and what is cold are not
/// looked for.
pub fn for_summary(session: &Session) -> Vec<Fact> {
    let known = Known::default();
    let wanted = EXTRACTORS.iter().filter_map(|extractor| extractor.guide);
    said_once(wanted.flat_map(|facts| facts(session, &known)).collect())
}

/// The same without some kinds, to measure what each contributes.
pub fn facts_without(session: &Session, known: &Known, left_out: &[String]) -> Vec<Fact> {
    let wanted = EXTRACTORS.iter().filter(|extractor| !left_out.iter().any(|name| name == extractor.name));
    said_once(wanted.flat_map(|extractor| (extractor.facts)(session, known)).collect())
}

/// Without requests that another fact gives in the same words from the same place: one that is a rule and nothing
/// else stands among the rules.
fn said_once(facts: Vec<Fact>) -> Vec<Fact> {
    let is_asked = |fact: &Fact| fact.section == Section::Asked;
    let same = |a: &Fact, b: &Fact| a.place == b.place && a.text == b.text;
    // Of hundreds of facts hardly one stands where a request stands.
    let asked: HashSet<Option<Place>, RandomState> =
        facts.iter().filter(|fact| is_asked(fact)).map(|fact| fact.place).collect();
    let others: Vec<&Fact> =
        facts.iter().filter(|fact| !is_asked(fact) && asked.contains(&fact.place)).collect();
    let repeats: Vec<bool> =
        facts.iter().map(|fact| is_asked(fact) && others.iter().any(|other| same(fact, other))).collect();
    facts.into_iter().zip(repeats).filter(|(_, repeats)| !repeats).map(|(fact, _)| fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_sections_has_every_one_once_and_in_order() {
        assert!(Section::ALL.windows(2).all(|two| two[0] < two[1]));
        assert_eq!(Section::ALL.len(), Section::Cold as usize + 1, "Cold is the last one");
    }
}
