//! What fixed an error: the calls between one that failed with it and the next time the same call passed.
//!
//! A command has passed if the session itself would no longer count it as failing ([`Record::failing`]): alone, in a longer line
//! or in another spelling. In the same turn it has also passed without its first word, or with one more (`rtk bun test`,
//! then `bun test`). Any other call has passed if the same tool, or the same file, answered without a failure.
//! Without such a call nothing is claimed: the error is shown with what the record has, and `passed` is empty.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{MatchTier, Options, RANKED, Ranked, Searched, Snippet, address, snippet};
use crate::archive::history::item::{HistoryItem, ItemKind};
use crate::archive::history::query::Query;
use crate::archive::history::terms::terms;
use crate::archive::history::{History, Match, TranscriptSource};
use crate::model::entry::Place;
use crate::reading::command::ShellLine;
use crate::reading::effects::first_folder;
use crate::reading::outcome::Outcome;
use crate::record::{CallParts, Record, RunResult, Voice};
use crate::store::StoreError;
use crate::text::cut::one_line;

/// Items looked at after a failure, and how many are read at a time.
const MAX_LATER: usize = 3_000;
const READ_AT_ONCE: usize = 100;
/// Transcripts looked at beyond those shown, because what passed comes first.
const MORE_TRANSCRIPTS: usize = 10;
/// Steps shown: the latest ones, because what was done last fixed it.
const MAX_STEPS: usize = 6;
/// Errors shown of one transcript.
const MAX_PER_TRANSCRIPT: usize = 3;
/// Partial matches shown.
const MAX_PARTIAL: usize = 3;
/// Characters of a step.
const MAX_STEP: usize = 200;

/// Errors that fit, those that passed later first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fixes {
    pub fixes: Vec<Fix>,
    /// Their total number, counted up to a few per transcript.
    pub fitting: usize,
}

/// A failed call, and what happened until the same call passed.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    pub tier: MatchTier,
    pub session: String,
    pub subagent: Option<String>,
    pub project: Option<String>,
    /// The first request of its transcript.
    pub about: Option<String>,
    /// The first call that failed with it.
    pub failed: FixStep,
    /// The part of its answer that fits.
    pub error: Snippet,
    /// How often such a call failed until it passed.
    pub times: usize,
    /// What happened in between, in order.
    pub steps: Vec<FixStep>,
    /// Earlier steps that are not shown.
    pub left_out: usize,
    /// The call that passed; `None` if none is recorded.
    pub passed: Option<FixStep>,
    /// What the agent said right after it.
    pub explained: Option<FixStep>,
}

impl Fix {
    /// Everything that a reader would see of it: a resumed session repeats the fixes of the one before.
    fn what_is_told(&self) -> (String, String, Option<String>) {
        (
            self.failed.text.clone(),
            self.error.text.clone(),
            self.passed.as_ref().map(|step| step.text.clone()),
        )
    }

    /// The argument with which `recall` shows everything from the failure on.
    pub fn range(&self) -> String {
        let from = self.address(&self.failed);
        self.passed.as_ref().map_or_else(|| from.clone(), |passed| format!("{from}-{}", passed.place))
    }

    /// The argument with which `recall` shows a step.
    pub fn address(&self, step: &FixStep) -> String {
        address(&self.session, self.subagent.as_deref(), &step.place.to_string())
    }
}

/// One thing said or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixStep {
    pub place: Place,
    pub at: Option<i64>,
    pub verb: StepVerb,
    /// One line.
    pub text: String,
    /// How often in a row.
    pub times: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepVerb {
    Failed,
    /// The call that had failed.
    Passed,
    /// Any other call that did not fail.
    Ran,
    Changed,
    Said,
    Asked,
    Decided,
    Noted,
}

impl StepVerb {
    /// Its name in output.
    pub fn noun(self) -> &'static str {
        match self {
            StepVerb::Failed => "failed",
            StepVerb::Passed => "passed",
            StepVerb::Ran => "ran",
            StepVerb::Changed => "changed",
            StepVerb::Said => "said",
            StepVerb::Asked => "asked",
            StepVerb::Decided => "decided",
            StepVerb::Noted => "noted",
        }
    }
}

/// The failed calls that match a query in the transcripts that `shows` accepts, and how each was fixed.
pub fn fixes(
    history: &History,
    query: &Query,
    options: &Options,
    shows: &dyn Fn(&TranscriptSource) -> bool,
) -> Result<Fixes, StoreError> {
    let mut query = query.clone();
    if query.filter.kinds.is_empty() {
        query.filter.kinds = vec![ItemKind::Command, ItemKind::Tool, ItemKind::File];
    }
    let sources: HashMap<i64, TranscriptSource> =
        history.sources()?.into_iter().map(|source| (source.no, source)).collect();
    let searched = Searched { history, query: &query, sources: &sources, options };
    let mut tier = MatchTier::All;
    let has_failed = |found: &Match| {
        sources.get(&found.source).is_some_and(shows) && outcome(&found.item) == Some(false)
    };
    let mut matches = history.matches(&query, RANKED)?;
    matches.retain(has_failed);
    if matches.is_empty() {
        tier = MatchTier::Partial;
        matches = history.matches_any(&query, true, RANKED)?;
        let words = query.content();
        // A single word of several says little.
        let fewest = query.terms.len().min(2);
        matches.retain(|found| has_failed(found) && is_near(&found.item, &words, fewest));
    }
    let ranked = searched.ranked(matches, tier == MatchTier::All)?;
    let mut found = Vec::new();
    let most = options.skip.saturating_add(options.limit).saturating_add(MORE_TRANSCRIPTS);
    for (source, failures) in by_transcript(ranked).into_iter().take(most) {
        if let Some(source) = sources.get(&source) {
            found.extend(searched.fixed(source, &failures, tier)?);
        }
    }
    // Stable: within both groups the best match stays first.
    found.sort_by_key(|fix| fix.passed.is_none());
    let mut seen = HashSet::new();
    found.retain(|fix| seen.insert(fix.what_is_told()));
    if tier == MatchTier::Partial {
        found.truncate(MAX_PARTIAL);
    }
    let fitting = found.len();
    let fixes = found.into_iter().skip(options.skip).take(options.limit).collect();
    Ok(Fixes { fixes, fitting })
}

/// Whether a line of the call or its answer has most of the words, and every one that looks like a code (`ts2339`): single
/// words of an error are in every other error, too.
fn is_near(item: &HistoryItem, words: &[String], fewest: usize) -> bool {
    let is_code = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic())
    };
    let mut lines = item.title.lines().chain(item.body.lines());
    lines.any(|line| {
        let found: HashSet<String> = terms(line).map(|(.., term)| term).collect();
        let (has, misses): (Vec<&String>, Vec<&String>) =
            words.iter().partition(|word| found.contains(*word));
        has.len() >= fewest
            && has.len() * 3 >= words.len() * 2
            && !misses.into_iter().any(|word| is_code(word))
    })
}

/// The failures of each transcript in order, the transcript with the best match first.
fn by_transcript(ranked: Vec<Ranked>) -> Vec<(i64, Vec<HistoryItem>)> {
    let mut groups: Vec<(i64, Vec<HistoryItem>)> = Vec::new();
    for (found, _) in ranked {
        match groups.iter_mut().find(|(source, _)| *source == found.source) {
            Some((_, items)) => items.push(found.item),
            None => groups.push((found.source, vec![found.item])),
        }
    }
    for (_, items) in &mut groups {
        items.sort_by_key(|item| (item.place, item.part));
    }
    groups
}

impl Searched<'_> {
    /// The errors of one transcript: failures until the same call passes are one.
    fn fixed(
        &self,
        source: &TranscriptSource,
        failures: &[HistoryItem],
        tier: MatchTier,
    ) -> Result<Vec<Fix>, StoreError> {
        let mut found: Vec<Fix> = Vec::new();
        let mut until = Place(0);
        for failure in failures {
            if failure.place <= until || found.len() == MAX_PER_TRANSCRIPT {
                continue;
            }
            let fix = self.fix(source, failure, tier)?;
            // Never seen to pass: a later failure tells the same.
            until = fix.passed.as_ref().map_or(Place(u32::MAX), |passed| passed.place);
            found.push(fix);
        }
        Ok(found)
    }

    fn fix(
        &self,
        source: &TranscriptSource,
        failure: &HistoryItem,
        tier: MatchTier,
    ) -> Result<Fix, StoreError> {
        let mut watched = WatchedCall::of(failure);
        let (later, end) = self.until_passed(source, failure.place, &mut watched)?;
        let passed = end.map(|end| named(source, &later[end], StepVerb::Passed));
        let after = end.map(|end| &later[end + 1..]).unwrap_or_default();
        let before = &later[..end.unwrap_or(0)];
        let times = 1 + before.iter().filter(|item| watched.is_again(item)).count();
        let mut steps = Vec::<FixStep>::new();
        for next in before.iter().filter_map(|item| step(source, item)) {
            match steps.last_mut() {
                Some(last) if (last.verb, &last.text) == (next.verb, &next.text) => last.times += 1,
                _ => steps.push(next),
            }
        }
        let left_out = steps.len().saturating_sub(MAX_STEPS);
        let text = if failure.body.is_empty() { &failure.title } else { &failure.body };
        Ok(Fix {
            tier,
            session: source.thread.session.clone(),
            subagent: Some(source.thread.subagent.clone()).filter(|id| !id.is_empty()),
            project: source.project.clone(),
            about: source.title.clone(),
            failed: named(source, failure, StepVerb::Failed),
            error: snippet(text, self.query, tier, self.options.snippet),
            times,
            steps: steps.split_off(left_out),
            left_out,
            passed,
            explained: explained(after).and_then(|item| step(source, item)),
        })
    }
}

impl Searched<'_> {
    /// What comes after a failure, and which of it is the call that passed. A little more than that is read, because the
    /// agent may explain it.
    fn until_passed(
        &self,
        source: &TranscriptSource,
        failed: Place,
        watched: &mut WatchedCall,
    ) -> Result<(Vec<HistoryItem>, Option<usize>), StoreError> {
        let mut later: Vec<HistoryItem> = Vec::new();
        let (mut last, mut end) = ((failed, u32::MAX), None);
        while later.len() < MAX_LATER {
            let mut next = self.history.items(source.no, last.0.0, u32::MAX, READ_AT_ONCE)?;
            next.retain(|item| (item.place, item.part) > last);
            let was_passed = end.is_some();
            end =
                end.or_else(|| next.iter().position(|item| watched.passes(item)).map(|at| later.len() + at));
            last = next.last().map_or(last, |item| (item.place, item.part));
            let is_last = next.is_empty();
            later.extend(next);
            if is_last || was_passed {
                break;
            }
        }
        Ok((later, end))
    }
}

/// The agent's words right after the call that passed.
fn explained(after: &[HistoryItem]) -> Option<&HistoryItem> {
    let next = after.iter().find(|item| matches!(item.kind, ItemKind::Said | ItemKind::Prompt));
    next.filter(|item| item.kind == ItemKind::Said)
}

/// Whether a call passed; `None` if there is no answer or it does not say.
fn outcome(item: &HistoryItem) -> Option<bool> {
    match item.kind {
        ItemKind::Command => {
            item.until?;
            output_of(item).of_line(&ShellLine::parse(&item.title)).passed()
        }
        ItemKind::Tool | ItemKind::File => item.until.map(|_| !item.failed),
        _ => None,
    }
}

fn output_of(item: &HistoryItem) -> Outcome<'_> {
    Outcome::read(!item.failed, None, &item.body)
}

/// A failed call that may pass later.
struct WatchedCall<'a> {
    failed: &'a HistoryItem,
    line: ShellLine,
    /// What the session would count as failing; `None` if it would not count this call.
    open: Option<Record>,
    /// The person has not said anything since.
    same_turn: bool,
}

impl<'a> WatchedCall<'a> {
    fn of(failed: &'a HistoryItem) -> Self {
        let line = ShellLine::parse(&failed.title);
        let mut open = Record::default();
        let fails = ended(&mut open, failed, &line);
        let open = Some(open).filter(|_| failed.kind == ItemKind::Command && fails);
        WatchedCall { failed, line, open, same_turn: true }
    }

    fn passes(&mut self, item: &HistoryItem) -> bool {
        self.same_turn &= item.kind != ItemKind::Prompt;
        let line = ShellLine::parse(&item.title);
        if item.kind != self.failed.kind || outcome(item) != Some(true) || self.ran_elsewhere(&line) {
            return false;
        }
        if self.same_turn && item.kind == ItemKind::Command && self.is_without_wrapper(&line) {
            return true;
        }
        match (&mut self.open, item.kind) {
            (Some(open), _) => !ended(open, item, &line),
            // Reading a file does not show that a failed change of it has passed.
            (None, ItemKind::File) => item.title == self.failed.title && !item.body.is_empty(),
            (None, ItemKind::Command) => line.core() == self.line.core(),
            (None, _) => item.title == self.failed.title,
        }
    }

    /// The same command with or without a word in front. A single word is too little to be the same.
    fn is_without_wrapper(&self, line: &ShellLine) -> bool {
        let is_rest = |short: &str, long: &str| {
            short.contains(' ') && long.split_once(' ').is_some_and(|(_, rest)| rest == short)
        };
        is_rest(line.core(), self.line.core()) || is_rest(self.line.core(), line.core())
    }

    /// Both lines say where they ran, and differ.
    fn ran_elsewhere(&self, line: &ShellLine) -> bool {
        let (folder, own) = (first_folder(line), first_folder(&self.line));
        !folder.is_empty() && !own.is_empty() && folder != own
    }

    /// The same call failed again.
    fn is_again(&self, item: &HistoryItem) -> bool {
        item.kind == self.failed.kind
            && outcome(item) == Some(false)
            && (item.title == self.failed.title || ShellLine::parse(&item.title).core() == self.line.core())
    }
}

/// Tells `open` how a command ended. Returns whether anything fails now.
fn ended(open: &mut Record, item: &HistoryItem, line: &ShellLine) -> bool {
    let first = open.next_part(item.place);
    open.ran(item.place, 0, Voice::Agent, line);
    let call = CallParts { place: item.place, parts: (first, open.next_part(item.place)) };
    open.ended(&call, RunResult::of(line, &output_of(item)));
    open.failing(0).next().is_some()
}

/// An item as a step; `None` for what changes nothing and says nothing: looking around, task lists, summaries.
fn step(source: &TranscriptSource, item: &HistoryItem) -> Option<FixStep> {
    let verb = match item.kind {
        _ if item.is_own_lookup() => return None,
        ItemKind::Prompt => StepVerb::Asked,
        ItemKind::Said => StepVerb::Said,
        ItemKind::Decision => StepVerb::Decided,
        ItemKind::Note => StepVerb::Noted,
        ItemKind::File if item.failed || item.body.is_empty() => return None,
        ItemKind::File => StepVerb::Changed,
        ItemKind::Command if ShellLine::parse(&item.title).only_looks() => return None,
        ItemKind::Command => match outcome(item) {
            Some(false) => StepVerb::Failed,
            _ => StepVerb::Ran,
        },
        ItemKind::Tool if item.title.is_empty() || item.title.starts_with("search ") => return None,
        ItemKind::Tool => StepVerb::Ran,
        ItemKind::Task | ItemKind::Summary | ItemKind::Boundary => return None,
    };
    Some(named(source, item, verb)).filter(|step| !step.text.is_empty())
}

fn named(source: &TranscriptSource, item: &HistoryItem, verb: StepVerb) -> FixStep {
    let text = match item.kind {
        ItemKind::File => below(source.project.as_deref(), &item.title).to_owned(),
        ItemKind::Command => ShellLine::parse(&item.title).plain().to_owned(),
        ItemKind::Tool => format!("{} {}", item.title, item.body.lines().next().unwrap_or_default()),
        _ => item.line().to_owned(),
    };
    FixStep { place: item.place, at: item.at, verb, text: one_line(text.trim(), MAX_STEP), times: 1 }
}

/// A path as seen from the project's folder.
pub(super) fn below<'a>(project: Option<&str>, path: &'a str) -> &'a str {
    let rest = project.and_then(|project| path.strip_prefix(project.trim_end_matches(['/', '\\'])));
    rest.and_then(|rest| rest.strip_prefix(['/', '\\'])).unwrap_or(path)
}
