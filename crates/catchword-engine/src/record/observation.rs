//! One thing seen in a session.

use serde::{Deserialize, Serialize};

use crate::model::entry::{Place, TaskStatus};
use crate::quote::foreign::Foreign;
use crate::reading::command::{ShellLine, Step};
use crate::reading::outcome::{Counts, Outcome, counts_in};
use crate::reading::statements::{Remark, Tells};
use crate::text::hash::fnv1a;
use crate::text::sentences::sentences;

/// Something said, done or printed. Its id is place and part: the same on every machine that reads the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The row it stands in; of a run that of the call.
    pub place: Place,
    /// Its number among the observations of the row.
    pub part: u16,
    pub who: Voice,
    pub what: Kind,
    /// Verbatim, masked, on one line.
    pub words: String,
    /// Which sentences of the words say what: read once, when the message was.
    pub says: Vec<Remark>,
    /// Tool calls before it.
    pub clock: u32,
    pub state: Standing,
}

/// The observations of one call: a row may have several calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallParts {
    pub place: Place,
    /// The numbers from the first one on, up to but without the second.
    pub parts: (u16, u16),
}

impl CallParts {
    pub fn has(&self, seen: &Observation) -> bool {
        seen.place == self.place && (self.parts.0..self.parts.1).contains(&seen.part)
    }
}

/// Who is the source of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Voice {
    Person,
    /// The person sent it, and it does not read as typed for the agent: a log, a diff, a document, somebody else's words.
    Pasted,
    Agent,
    Tool,
    Subagent,
    /// The client itself, and whatever else reaches the agent as a prompt without being the person's words.
    Client,
}

/// Where a line stands in the text it was taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPart {
    /// Counted from 0.
    pub line: u16,
    /// Lines of the whole text.
    pub of: u16,
    /// In a fenced block.
    pub is_code: bool,
    /// A blank line stands before it.
    pub is_apart: bool,
    /// Columns before its first word.
    pub indent: u8,
}

/// What kind of thing it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// A line of a prompt.
    Asked(TextPart),
    /// The person's answer to a question of the agent, or the option chosen.
    Answered { question: Foreign },
    /// The person's reason for refusing a call, which may be empty; the command line, if it was one.
    Refused { call: String, line: Option<ShellLine> },
    /// A line or sentence of the agent.
    Said(TextPart),
    /// A command line with its outcome, once that is known.
    Ran { line: ShellLine, ended: Option<Box<RunResult>> },
    /// A call of any other tool, in one line. A search only looks.
    Called { ok: bool, looks: bool },
    /// A line of what a tool answered; `of` is the row of the call.
    Printed { by: Source, of: Place, at: TextPart, failed: bool },
    /// A file that a tool read or changed; the words are its path.
    Touched(Deed),
    /// A line written into a file or taken out of it.
    Wrote { path: String, how: Written },
    /// A to-do or task.
    Task { id: String, status: TaskStatus },
    /// A line of a plan that the agent proposed.
    Planned(TextPart),
    /// The person approved a plan; the words are its title.
    Approved,
    /// A line of the summary of an earlier compaction.
    Summarised(TextPart),
    /// A commit; the words are its subject.
    Committed { hash: String, branch: Option<String> },
}

/// Which tool printed a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    Shell,
    Search,
    Subagent,
    /// A document that was read.
    Document,
    Other,
}

/// How a line came to be in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Written {
    /// It was not there before, as far as the edit shows.
    New,
    /// In the place of this one.
    Instead(String),
    /// It was there, and nothing took its place.
    TakenOut,
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deed {
    Read,
    /// `None` if it changed several places, or its text was cut.
    Edited {
        swap: Option<Swap>,
    },
    Written {
        created: bool,
    },
    Removed,
    Moved,
}

/// An edit by what it takes out and what it puts in, hashed: to notice that a later one takes it back exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swap {
    out: u64,
    put_in: u64,
}

impl Swap {
    /// `None` for an edit in several places, or one whose text was cut.
    pub fn of(change: &str, added: &str) -> Option<Self> {
        let out = taken_out(change, added)?;
        Some(Swap { out: fnv1a(out.as_bytes()), put_in: fnv1a(added.as_bytes()) })
    }

    pub(super) fn takes_back(self, earlier: Swap) -> bool {
        self.out == earlier.put_in && self.put_in == earlier.out && self.out != self.put_in
    }
}

/// What an edit takes out, given all its text and what it puts in; `None` for one in several places, or cut.
pub fn taken_out<'a>(change: &'a str, added: &str) -> Option<&'a str> {
    change.strip_suffix(added)?.strip_suffix('\n')
}

impl Deed {
    /// In a word of the past.
    pub fn word(self) -> &'static str {
        match self {
            Deed::Read => "read",
            Deed::Edited { .. } => "edited",
            Deed::Written { created: true } => "created",
            Deed::Written { created: false } => "wrote",
            Deed::Removed => "removed",
            Deed::Moved => "moved",
        }
    }
}

/// How a run ended. What a rule or a reader needs of the output is here: the rest of it is not kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a remark of its own")]
pub struct RunResult {
    /// `None` if neither exit code nor output say.
    pub ok: Option<bool>,
    /// It passed, and nothing in the output contradicts it.
    pub sure: bool,
    /// How its tests ended, if it ran any and the output says.
    pub tests: Option<bool>,
    /// What a test runner counted, and in how many lines.
    pub counts: Option<Counts>,
    pub reports: u16,
    /// The line of the output that tells how it went: [`Outcome::telling`].
    pub telling: String,
    /// The line that names the error, where that is another one.
    pub named: Option<String>,
    /// Tests that the output lists as failed.
    pub failed_tests: Vec<String>,
    /// The client cut the output, so more may have failed.
    pub cut: bool,
    /// The program said that it was called wrongly or cannot run here.
    pub wrong_call: bool,
    /// Lines printed.
    pub lines: u16,
    /// The command goes on in the background, or its end was not seen.
    pub goes_on: bool,
    /// The steps of the line that have passed, by number.
    pub passed: Vec<u16>,
    /// The commands that a task runner printed and that have passed with it.
    pub echoed: Vec<ShellLine>,
}

/// Commands kept that a task runner printed.
const MOST_ECHOED: usize = 16;

impl RunResult {
    /// Of a line that has ended.
    pub fn of(line: &ShellLine, outcome: &Outcome) -> RunResult {
        let ok = outcome.of_line(line).passed();
        let passed = if ok == Some(true) { outcome.passed_steps(line) } else { Vec::new() };
        let echoed =
            if passed.is_empty() { Vec::new() } else { outcome.echoed().take(MOST_ECHOED).collect() };
        let failed = ok == Some(false);
        let so_far = RunResult::so_far(outcome, ok);
        // What a look shows is no outcome: the last line of a file or a list tells nothing about the rest.
        let shows = line.work().all(|step| step.only_looks() || step.is_silent())
            && line.work().any(Step::only_looks);
        let only_shows =
            (line.only_looks() || shows) && !failed && so_far.lines > 1 && outcome.counts.is_none();
        let said = outcome.said_by(line).filter(|_| outcome.counts.is_none());
        let telling = said.unwrap_or(if only_shows { String::new() } else { so_far.telling });
        RunResult {
            telling,
            lines: so_far.lines,
            ok,
            sure: ok == Some(true) && outcome.surely_passed(line),
            tests: line.runs_tests().then(|| outcome.of_tests(line).passed()).flatten(),
            counts: outcome.counts,
            reports: outcome.reports,
            named: outcome.error().filter(|_| failed),
            failed_tests: if failed { outcome.failed_tests() } else { Vec::new() },
            cut: outcome.is_cut,
            wrong_call: failed && outcome.wrong_call().is_some(),
            passed,
            echoed,
            goes_on: false,
        }
    }

    /// Of a line whose end is not known: what it has printed so far.
    pub fn unended(outcome: &Outcome) -> RunResult {
        RunResult { goes_on: true, ..RunResult::so_far(outcome, None) }
    }

    fn so_far(outcome: &Outcome, ok: Option<bool>) -> RunResult {
        let lines = outcome.saying_lines().count().min(usize::from(u16::MAX)) as u16;
        RunResult { telling: outcome.telling(ok), lines, ..RunResult::default() }
    }

    /// What [`RunResult::telling`] leaves out: the sum, if it is one of several lines that count.
    pub fn in_all(&self) -> Option<String> {
        let counts = self.counts.filter(|_| self.reports > 1 && counts_in(&self.telling).is_some())?;
        Some(format!("{counts} in all, in {} such lines", self.reports))
    }

    /// The line that names what went wrong.
    pub fn error(&self) -> &str {
        let error = self.named.as_deref().unwrap_or(&self.telling);
        // Runners list skipped tests with "- ".
        if error.starts_with("- ") { "" } else { error }
    }
}

/// The kinds of text that a person can copy.
pub(super) const SAID: &str = "said";
pub(super) const PRINTED: &str = "printed";

/// By which the same words of the same kind are known again.
pub(super) fn text_key(kind: &str, words: &str) -> u64 {
    fnv1a(format!("{kind}\n{words}").as_bytes())
}

/// What became of an observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    #[default]
    Holds,
    /// A failure that was over there, a task that was done.
    Settled(Place),
    /// Something newer of the same kind took its place.
    Overtaken(Place),
    /// Taken back: rewound, reversed, withdrawn.
    Withdrawn(Place),
    /// The same words stand there again.
    Repeated(Place),
}

impl Standing {
    pub fn holds(self) -> bool {
        self == Standing::Holds
    }
}

impl Observation {
    /// What a newer observation has to share to be about the same thing.
    pub(super) fn key_in_log(&self) -> Option<u64> {
        let of = |kind: &str, words: &str| Some(text_key(kind, words));
        match &self.what {
            Kind::Ran { line, .. } => match line.key() {
                key if key.is_empty() => of("ran", line.core()),
                key => of("ran", &key),
            },
            Kind::Asked(_) => of("asked", &self.words),
            Kind::Said(_) => of(SAID, &self.words),
            Kind::Printed { .. } => of(PRINTED, &self.words),
            Kind::Touched(Deed::Read) => of("read", &self.words),
            Kind::Task { id, .. } => of("task", if id.is_empty() { &self.words } else { id }),
            Kind::Summarised(_) => of("summarised", &self.words),
            _ => None,
        }
    }

    /// The sentences that say this.
    pub fn sentences_that(&self, tell: Tells) -> impl DoubleEndedIterator<Item = &str> {
        self.says.iter().filter(move |one| one.tells == tell).map(|one| one.sentence(&self.words))
    }

    /// The sentences that say what the agent does next.
    pub fn announced(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.says.iter().filter(|one| one.tells.announces()).map(|one| one.sentence(&self.words))
    }

    /// It says nothing else: "I'll take the queue because it is short" gives a reason, too.
    pub fn only_announces(&self) -> bool {
        let is_next = |sentence: &&str| self.announced().any(|announced| announced == *sentence);
        self.says.iter().all(|one| one.tells.announces()) && sentences(&self.words).iter().all(is_next)
    }

    /// In a fenced block of a message.
    pub fn is_code(&self) -> bool {
        matches!(self.what, Kind::Asked(part) | Kind::Said(part) | Kind::Planned(part) if part.is_code)
    }

    /// The outcome of a run, if this is one that has ended.
    pub fn ended(&self) -> Option<&RunResult> {
        match &self.what {
            Kind::Ran { ended, .. } => ended.as_deref(),
            _ => None,
        }
    }

    /// A run that failed.
    pub fn is_failed_run(&self) -> bool {
        self.ended().is_some_and(|ended| ended.ok == Some(false))
    }

    /// Something done or decided, in contrast to what was said, read or printed.
    pub(super) fn is_event(&self) -> bool {
        match self.what {
            Kind::Ran { .. }
            | Kind::Answered { .. }
            | Kind::Refused { .. }
            | Kind::Approved
            | Kind::Task { .. }
            | Kind::Committed { .. } => true,
            Kind::Touched(deed) => deed != Deed::Read,
            Kind::Asked(_)
            | Kind::Said(_)
            | Kind::Called { .. }
            | Kind::Printed { .. }
            | Kind::Wrote { .. }
            | Kind::Planned(_)
            | Kind::Summarised(_) => false,
        }
    }
}
