//! Compactions: what each summary lost or got wrong, what was given back, and whether that arrived.
//!
//! One comparison of a summary with the record, made now, is behind every answer, so that a list, a session and a
//! compaction in full cannot differ. What hooks recorded counts where the transcript is gone.

mod fetched;

use std::collections::HashMap;
use std::rc::Rc;

use serde::Serialize;

use super::lines::{self, Comparison};
pub use super::lines::{CarriedCounts, CarriedLine, Comparisons, HandedLine, LinePart};
use super::reader::{ChosenSession, ReadError, Reader, Which, unreadable};
use crate::audit::GivenBy;
use crate::model::entry::Part;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::model::frame::OPENING;
use crate::ops::history::{self, CompactionPoint};
use crate::ops::lost::{self, Checked};
use crate::ops::record::TranscriptLines;
use crate::store::{GivenBack, Recorded};

/// A compaction. In a list, `summary`, `lines` and `handed` are null.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CompactionDocument {
    /// The session's id; of a file, its name.
    pub session: String,
    /// The agent's working directory.
    pub cwd: Option<String>,
    /// Counted from 1; null while it is under way.
    pub number: Option<usize>,
    /// How many the transcript has.
    pub of: usize,
    /// Lines of the transcript before it.
    pub line: Option<u32>,
    /// When it was announced, or else recorded, in milliseconds since 1970.
    pub begun_at: Option<i64>,
    pub ended_at: Option<i64>,
    /// `auto` or `manual`.
    pub trigger: &'static str,
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    pub summary_characters: Option<usize>,
    /// What is wrong with a summary that is none; then nothing is compared, and there are no findings.
    pub summary_broken: Option<String>,
    pub dropped: Option<usize>,
    pub contradicted: Option<usize>,
    pub mutated: Option<usize>,
    pub invented: Option<usize>,
    /// What became of the lines that our own choice takes without knowing the summary; null if no summary is known.
    pub carried: Option<CarriedCounts>,
    /// Items of the brief.
    pub items_given_back: Option<usize>,
    pub brief_characters: Option<usize>,
    /// The event by which the brief reached the model, once seen in the transcript.
    pub arrived_by: Option<String>,
    /// The brief had to be sent again.
    pub resent: bool,
    /// When the agent was told what was found late.
    pub told_later_at: Option<i64>,
    /// When the person was shown the line about it.
    pub person_told_at: Option<i64>,
    /// Total time of our hooks for it, in microseconds.
    pub micros: Option<i64>,
    /// A hook saw it. If not, nothing can have been given back.
    pub seen_by_hook: bool,
    /// Where the summary differs: what the agent is told first, the costliest of it first. Null if nothing was compared.
    pub findings: Option<Vec<FindingDocument>>,
    /// How much of each kind the record has to compare a summary with.
    pub checked: Option<Checked>,
    /// What could not be judged because the session has dropped some of its record.
    pub cannot_tell: Option<String>,
    /// The summary itself; null if only the client can read it.
    pub summary: Option<String>,
    /// The place of the summary.
    pub summary_place: Option<String>,
    /// What our own choice takes without knowing the summary, and what became of each line.
    pub lines: Option<Vec<CarriedLine>>,
    /// The brief as the agent got it.
    pub handed: Option<HandedBrief>,
    /// Where the record was read, if not in the transcript.
    pub remark: Option<String>,
    /// The machine that recorded it, and whose it is; null for this one. Then only what hooks found there is known.
    pub machine: Option<String>,
    pub person: Option<String>,
}

impl CompactionDocument {
    /// How many statements of the summary the record contradicts.
    pub fn differs(&self) -> Option<usize> {
        Some(self.contradicted? + self.mutated? + self.invented?)
    }

    pub fn is_manual(&self) -> bool {
        self.trigger == MANUAL
    }
}

const MANUAL: &str = "manual";

/// A difference between summary and record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingDocument {
    /// `contradicted`, `mutated`, `invented` or `dropped`.
    pub kind: FindingKind,
    /// What it is about.
    pub fact: FindingSubject,
    /// The difference in a few words.
    pub verdict: String,
    /// The record's words; for an invention the summary's, because the record has none.
    pub text: String,
    /// Where the record has them.
    pub place: Option<String>,
    /// The summary's words; null if it says nothing.
    pub summary_quote: Option<String>,
    /// Where the summary has them, in characters from its start: the first, and the one after the last.
    pub summary_span: Option<(usize, usize)>,
    /// How it reached the agent: `brief`, `later` or `no`; null if no hook saw the compaction.
    pub given_back: Option<GivenBy>,
}

/// What a hook of ours put into the context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandedBrief {
    /// Word for word.
    pub text: String,
    pub lines: Vec<HandedLine>,
    /// What was told later, word for word.
    pub told_later: Option<String>,
}

/// Which compaction is asked for.
pub struct CompactionRequest<'a> {
    pub which: Which<'a>,
    pub at: CompactionAt,
    /// Another summary to compare the session with.
    pub summary: Option<String>,
}

/// Which of a session's compactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionAt {
    Latest,
    /// Counted from 1.
    Number(usize),
    /// The one after this many lines; with another summary, the session as it was there.
    Line(u32),
}

/// Which compactions are listed.
pub enum CompactionsRequest<'a> {
    /// Those of a session.
    Of(Which<'a>),
    /// The latest of this project, or of all.
    Latest { everywhere: bool, most: usize },
}

/// Compactions, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CompactionsDocument {
    pub compactions: Vec<CompactionDocument>,
    /// Earlier ones that are not listed.
    pub hidden: usize,
    /// Those of other projects.
    pub elsewhere: usize,
}

/// One compaction, in full.
pub fn compaction(reader: &Reader, request: &CompactionRequest) -> Result<CompactionDocument, ReadError> {
    let chosen = match reader.choose(request.which) {
        Err(ReadError::NoSuchSession(start)) => return fetched::from_shared(reader, start)?.one(request),
        chosen => chosen?,
    };
    if let Some(fetched) = fetched::fetched(reader, &chosen)? {
        return fetched.one(request);
    }
    let record = reader.record(&chosen)?;
    let cuts = record.cuts(reader.mask).map_err(|error| unreadable(&record, error))?;
    let number = match request.at {
        CompactionAt::Number(number) if (1..=cuts.len()).contains(&number) => Some(number),
        CompactionAt::Number(number) => {
            let (whose, all) = (chosen.in_words(), cuts.len());
            return Err(ReadError::NoCompaction { whose, all, asked: Some(number) });
        }
        CompactionAt::Line(line) => cuts.iter().position(|cut| cut.lines == line).map(|at| at + 1),
        CompactionAt::Latest => Some(cuts.len()).filter(|all| *all > 0),
    };
    let cut = number.and_then(|number| cuts.get(number - 1));
    let line = match request.at {
        CompactionAt::Line(line) => Some(line),
        _ => cut.map(|cut| cut.read),
    };
    let summary = request.summary.clone().or_else(|| cut.map(|cut| cut.summary.clone()));
    let summary = summary.filter(|text| !text.trim().is_empty());
    if number.is_none() && summary.is_none() {
        let is_any = request.at != CompactionAt::Latest || !cuts.is_empty();
        let whose = chosen.in_words();
        return Err(if is_any {
            ReadError::NoSummary(record.lines.path().to_owned())
        } else {
            ReadError::NoCompaction { whose, all: 0, asked: None }
        });
    }
    let session = reader.fold(&record, line)?;
    let (recorded, given) = hooks_of(reader, &chosen)?;
    let is_it = |line: u32| number.is_some() && lost::number_in(line, &cuts) == number;
    let recorded = recorded.into_iter().find(|one| is_it(one.line));
    let given = given.into_iter().rev().find(|one| is_it(one.line));
    let is_readable = summary.is_some();
    let point = cut.cloned().unwrap_or_else(|| bare_point(&session, line));
    let point = CompactionPoint { summary: summary.unwrap_or_default(), ..point };
    let comparison = is_readable.then(|| Rc::new(lines::compare(&session, &point, given.as_ref())));
    let seen = seen_brief(reader, &record, number, &cuts)?;
    let draft =
        Draft { session: chosen.id, number, of: cuts.len(), point: Some(point), recorded, comparison };
    let remark = reader.remark(&record);
    Ok(CompactionDocument { remark, ..draft.in_full(given.as_ref(), seen.as_deref()) })
}

/// A moment that is no compaction.
fn bare_point(session: &crate::session::Session, line: Option<u32>) -> CompactionPoint {
    let lines = line.unwrap_or(session.entries);
    CompactionPoint { lines, read: lines, ..CompactionPoint::default() }
}

/// Compactions, newest first.
pub fn compactions(reader: &Reader, request: &CompactionsRequest) -> Result<CompactionsDocument, ReadError> {
    match request {
        CompactionsRequest::Of(which) => {
            let chosen = match reader.choose(*which) {
                Err(ReadError::NoSuchSession(start)) => {
                    return Ok(listed(fetched::from_shared(reader, start)?.in_short()));
                }
                chosen => chosen?,
            };
            if let Some(fetched) = fetched::fetched(reader, &chosen)? {
                return Ok(listed(fetched.in_short()));
            }
            let (recorded, _) = hooks_of(reader, &chosen)?;
            // What hooks recorded is available without the transcript.
            let record = match recorded.as_slice() {
                [] => Some(reader.record(&chosen)?),
                _ => reader.find_record(&chosen)?,
            };
            let drafts = drafts(reader, &chosen, record.as_ref(), CompactionDepth::All)?;
            Ok(listed(drafts.iter().map(Draft::in_short).collect()))
        }
        CompactionsRequest::Latest { everywhere, most } => latest(reader, *everywhere, *most),
    }
}

fn listed(compactions: Vec<CompactionDocument>) -> CompactionsDocument {
    CompactionsDocument { compactions, ..CompactionsDocument::default() }
}

/// Those that hooks saw and those in the history.
fn latest(reader: &Reader, everywhere: bool, most: usize) -> Result<CompactionsDocument, ReadError> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let recorded = reader.store.as_ref().map(|store| store.compactions(None)).transpose()?;
    for one in recorded.unwrap_or_default() {
        *seen.entry(one.session).or_default() += 1;
    }
    let mut list = CompactionsDocument::default();
    for session in reader.sessions()? {
        let count = (session.compactions as usize).max(seen.remove(&session.id).unwrap_or_default());
        if !(everywhere || reader.is_here_or_below(&session) || reader.is_same_project(&session)?) {
            list.elsewhere += count;
        } else if list.compactions.len() >= most {
            list.hidden += count;
        } else if count > 0 {
            let chosen = reader.choose(Which::Named(&session.id))?;
            if let Some(fetched) = fetched::fetched(reader, &chosen)? {
                list.compactions.extend(fetched.in_short());
                continue;
            }
            let record = reader.find_record(&chosen)?;
            let drafts = drafts(reader, &chosen, record.as_ref(), CompactionDepth::All)?;
            // The history knows how many there were.
            let missing = if record.is_none() { count.saturating_sub(drafts.len()) } else { 0 };
            list.compactions.extend(drafts.iter().map(Draft::in_short));
            list.compactions.extend((0..missing).map(|_| Draft::unknown(&chosen.id).in_short()));
        }
    }
    list.compactions.sort_by_key(|one| std::cmp::Reverse(one.begun_at));
    list.hidden += list.compactions.len().saturating_sub(most);
    list.compactions.truncate(most);
    Ok(list)
}

/// The compactions of a session, newest first, without their texts: all of them, or the latest only.
pub fn of_session(
    reader: &Reader,
    chosen: &ChosenSession,
    depth: CompactionDepth,
) -> Result<Vec<CompactionDocument>, ReadError> {
    let record = reader.find_record(chosen)?;
    Ok(drafts(reader, chosen, record.as_ref(), depth)?.iter().map(Draft::in_short).collect())
}

/// The compactions of a session, oldest first, without their texts and without a comparison, which takes longest.
pub fn uncompared(
    reader: &Reader,
    chosen: &ChosenSession,
    cuts: &[CompactionPoint],
) -> Result<Vec<CompactionDocument>, ReadError> {
    let (recorded, _) = hooks_of(reader, chosen)?;
    Ok(uncompared_drafts(&chosen.id, recorded, cuts).iter().rev().map(Draft::in_short).collect())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionDepth {
    All,
    Latest,
}

/// What hooks recorded of a session's compactions, newest first, and what they gave back, oldest first.
fn hooks_of(reader: &Reader, chosen: &ChosenSession) -> Result<(Vec<Recorded>, Vec<GivenBack>), ReadError> {
    match reader.store.as_ref().filter(|_| !chosen.is_file) {
        Some(store) => {
            let mut given = store.given_back(&chosen.id)?;
            // What was forgotten since is masked from now on.
            for text in given.iter_mut().flat_map(|one| [&mut one.brief, &mut one.late]).flatten() {
                *text = reader.mask.text(text).into_owned();
            }
            Ok((store.compactions(Some(&chosen.id))?, given))
        }
        None => Ok(Default::default()),
    }
}

/// A compaction as the transcript and the hooks have it.
struct Draft {
    session: String,
    number: Option<usize>,
    of: usize,
    /// According to the transcript.
    point: Option<CompactionPoint>,
    /// According to hooks.
    recorded: Option<Recorded>,
    comparison: Option<Rc<Comparison>>,
}

fn drafts(
    reader: &Reader,
    chosen: &ChosenSession,
    record: Option<&TranscriptLines>,
    depth: CompactionDepth,
) -> Result<Vec<Draft>, ReadError> {
    let (recorded, given) = hooks_of(reader, chosen)?;
    let cuts = match record {
        Some(record) => record.cuts(reader.mask).map_err(|error| unreadable(record, error))?,
        None => Vec::new(),
    };
    let mut all = uncompared_drafts(&chosen.id, recorded, &cuts);
    if depth == CompactionDepth::Latest {
        all.truncate(1);
    }
    if let Some(record) = record {
        compare_all(reader, chosen, &mut all, record, &cuts, &given)?;
    }
    Ok(all)
}

/// The compactions of a transcript and those that hooks saw, newest first. No summary is compared.
fn uncompared_drafts(session: &str, recorded: Vec<Recorded>, cuts: &[CompactionPoint]) -> Vec<Draft> {
    let mut all: Vec<Draft> = Vec::new();
    for one in recorded.into_iter().rev() {
        let number = lost::number_in(one.line, cuts);
        // A cancelled compaction that was announced again is the same one.
        all.retain(|earlier| number.is_none() || earlier.number != number);
        let point = number.and_then(|number| cuts.get(number - 1)).cloned();
        all.push(Draft { number, of: cuts.len(), point, recorded: Some(one), ..Draft::unknown(session) });
    }
    for (at, point) in cuts.iter().enumerate() {
        let number = Some(at + 1);
        if !all.iter().any(|one| one.number == number) {
            all.push(Draft { number, of: cuts.len(), point: Some(point.clone()), ..Draft::unknown(session) });
        }
    }
    // One without a number is in progress.
    all.sort_by_key(|one| std::cmp::Reverse(one.number.unwrap_or(usize::MAX)));
    all
}

/// Compares every summary with the record, in one pass over it.
fn compare_all(
    reader: &Reader,
    chosen: &ChosenSession,
    all: &mut [Draft],
    record: &TranscriptLines,
    cuts: &[CompactionPoint],
    given: &[GivenBack],
) -> Result<(), ReadError> {
    let given_at = |number| given.iter().rev().find(|one| lost::number_in(one.line, cuts) == number);
    let mut known = reader.compared.borrow_mut();
    let mut wanted: Vec<(&mut Draft, CompactionPoint)> = Vec::new();
    let key = |number, point: &CompactionPoint| {
        let given = given_at(number);
        let arrived = given.is_some_and(|given| given.arrived_by.is_some() || given.late.is_some());
        (chosen.id.clone(), point.lines, given.is_some(), arrived)
    };
    for draft in all.iter_mut().rev() {
        let Some(point) = draft.point.clone().filter(|point| !point.summary.trim().is_empty()) else {
            continue;
        };
        match known.get(&key(draft.number, &point)) {
            Some(comparison) => draft.comparison = Some(Rc::clone(comparison)),
            None => wanted.push((draft, point)),
        }
    }
    let moments: Vec<u32> = wanted.iter().map(|(_, point)| point.read).collect();
    if moments.is_empty() {
        return Ok(());
    }
    let compare = |at: usize, session: &crate::session::Session| {
        let (draft, point) = &mut wanted[at];
        let comparison = Rc::new(lines::compare(session, point, given_at(draft.number)));
        known.insert(key(draft.number, point), Rc::clone(&comparison));
        draft.comparison = Some(comparison);
    };
    record.moments(reader.mask, &moments, compare).map_err(|error| unreadable(record, error))
}

/// What the transcript has of our brief after a compaction and before the next one; `None` if it is not there to look.
fn seen_brief(
    reader: &Reader,
    record: &TranscriptLines,
    number: Option<usize>,
    cuts: &[CompactionPoint],
) -> Result<Option<String>, ReadError> {
    let Some(number) = number else { return Ok(None) };
    let from = cuts[number - 1].lines;
    let to = cuts.get(number).map(|next| next.lines);
    let mut seen = String::new();
    history::each_entry(
        record.reader(reader.mask),
        &mut |each| record.lines(reader.mask, each),
        to,
        |entry| {
            if entry.place.0 <= from {
                return;
            }
            for part in &entry.parts {
                if let Part::Injected { text, .. } = part
                    && text.contains(OPENING)
                {
                    seen.push_str(text);
                }
            }
        },
    )
    .map_err(|error| unreadable(record, error))?;
    Ok((!seen.is_empty()).then_some(seen))
}

impl Draft {
    fn unknown(session: &str) -> Draft {
        Draft {
            session: session.to_owned(),
            number: None,
            of: 0,
            point: None,
            recorded: None,
            comparison: None,
        }
    }

    /// For a list.
    fn in_short(&self) -> CompactionDocument {
        let (point, recorded) = (self.point.as_ref(), self.recorded.as_ref());
        let compared = self.comparison.as_ref().map(|comparison| &comparison.compared);
        let broken = compared.and_then(|compared| compared.broken.clone());
        let findings = self.findings();
        let counted = |kind| findings.as_ref().map(|found| count(found, kind));
        let is_manual = point.map(|point| point.manual).or(recorded.map(|one| one.manual));
        let written = point.map(|point| point.summary.chars().count()).filter(|characters| *characters > 0);
        CompactionDocument {
            session: self.session.clone(),
            cwd: recorded.and_then(|one| one.cwd.clone()),
            number: self.number,
            of: self.of,
            line: point.map(|point| point.lines).or(recorded.map(|one| one.line)),
            begun_at: recorded.map(|one| one.begun_at).or(point.and_then(|point| point.at)),
            ended_at: recorded.and_then(|one| one.ended_at),
            trigger: if is_manual == Some(true) { MANUAL } else { "auto" },
            tokens_before: recorded.and_then(|one| one.before).or(point.and_then(|point| point.before)),
            tokens_after: recorded.and_then(|one| one.after).or(point.and_then(|point| point.after)),
            summary_characters: recorded.and_then(|one| one.summary).or(written),
            summary_broken: broken,
            dropped: counted(FindingKind::Dropped),
            contradicted: counted(FindingKind::Contradicted),
            mutated: counted(FindingKind::Mutated),
            invented: counted(FindingKind::Invented),
            carried: self.comparison.as_ref().map(|one| CarriedCounts::of(&one.carried)),
            items_given_back: recorded.and_then(|one| one.items),
            brief_characters: recorded.and_then(|one| one.brief),
            arrived_by: recorded.and_then(|one| one.arrived_by.clone()),
            resent: recorded.is_some_and(|one| one.resent),
            told_later_at: recorded.and_then(|one| one.late_at),
            person_told_at: recorded.and_then(|one| one.person_at),
            micros: recorded.and_then(|one| one.micros),
            seen_by_hook: recorded.is_some(),
            findings,
            checked: compared.map(|compared| compared.checked),
            cannot_tell: compared.and_then(|compared| compared.cannot_tell.clone()),
            summary: None,
            summary_place: point.and_then(|point| point.summary_line).map(|line| format!("L{line}")),
            lines: None,
            handed: None,
            remark: None,
            machine: None,
            person: None,
        }
    }

    fn in_full(&self, given: Option<&GivenBack>, seen: Option<&str>) -> CompactionDocument {
        // A hook may have run without its store being kept.
        let text = given.and_then(|given| given.brief.clone()).or_else(|| seen.map(str::to_owned));
        let handed = text.map(|text| HandedBrief {
            lines: lines::handed(&text, seen, given.is_some_and(|given| given.arrived_by.is_some())),
            text,
            told_later: given.and_then(|given| given.late.clone().filter(|_| given.late_at.is_some())),
        });
        let summary = self.point.as_ref().map(|point| point.summary.clone());
        CompactionDocument {
            summary: summary.filter(|text| !text.is_empty()),
            lines: self.comparison.as_ref().map(|comparison| comparison.carried.clone()),
            handed,
            ..self.in_short()
        }
    }

    /// As compared now, or as recorded.
    fn findings(&self) -> Option<Vec<FindingDocument>> {
        let summary = self.point.as_ref().map(|point| point.summary.as_str()).unwrap_or_default();
        match &self.comparison {
            Some(comparison) if comparison.compared.broken.is_some() => None,
            Some(comparison) => {
                let found = comparison.compared.findings.iter();
                Some(found.map(|one| finding(&one.finding, summary, one.given_by)).collect())
            }
            None => {
                let mut found = self.recorded.as_ref()?.findings.clone()?;
                lost::costliest_first(&mut found);
                Some(found.iter().map(|one| finding(one, summary, None)).collect())
            }
        }
    }
}

fn count(findings: &[FindingDocument], kind: FindingKind) -> usize {
    findings.iter().filter(|finding| finding.kind == kind).count()
}

fn finding(finding: &Finding, summary: &str, given_back: Option<GivenBy>) -> FindingDocument {
    let claimed = finding.summary_at.and_then(|(from, to)| lines::characters(summary, from..to));
    let quoted = || lines::span_of(summary, finding.summary_quote.as_deref()?);
    FindingDocument {
        kind: finding.kind,
        fact: finding.fact,
        verdict: verdict(finding),
        text: finding.text.clone(),
        place: finding.place.map(|place| place.to_string()),
        summary_quote: finding.summary_quote.clone(),
        summary_span: claimed.or_else(quoted),
        given_back,
    }
}

/// A difference in a few words.
fn verdict(finding: &Finding) -> String {
    use FindingSubject::{
        Branch, Command, Criterion, Decision, File, Instruction, Job, Number, Quote, Request, Task,
    };
    let text = finding.text.as_str();
    let words = match (finding.kind, finding.fact) {
        (FindingKind::Contradicted, Task) if text.starts_with("[completed]") => "called open, but done",
        (FindingKind::Contradicted, Task) => "called done, but open",
        (FindingKind::Contradicted, Criterion) => "called done, but asked for and without a trace",
        (FindingKind::Contradicted, Command) if text.contains("was edited after it") => {
            "called passing, but edited since the last run"
        }
        (FindingKind::Contradicted, Command) if text.contains("` passed: ") => "called failing, but passed",
        (FindingKind::Contradicted, Command) => "called passing, but failed",
        (FindingKind::Contradicted, Instruction) => "an instruction that was taken back",
        (FindingKind::Contradicted, Decision) => "statement reversed",
        (FindingKind::Contradicted, Request) => "not the latest request",
        (FindingKind::Contradicted, Branch) => "branch differs",
        (_, Number) => "number differs",
        (FindingKind::Mutated, File) => "path differs",
        (FindingKind::Mutated, Quote) => "not what the user said",
        (FindingKind::Invented, _) => "never said by the user",
        (FindingKind::Dropped, Task) => "open task not mentioned",
        (FindingKind::Dropped, Instruction) => "standing instruction not mentioned",
        (FindingKind::Dropped, Command) => "failed command not mentioned",
        (FindingKind::Dropped, File) => "changed file not mentioned",
        (FindingKind::Dropped, Job) => "running job not mentioned",
        (FindingKind::Dropped, Request) => "message not mentioned",
        (FindingKind::Dropped, fact) => return format!("{} not mentioned", fact.name()),
        (FindingKind::Contradicted | FindingKind::Mutated, fact) => {
            return format!("{} differs", fact.name());
        }
    };
    words.to_owned()
}
