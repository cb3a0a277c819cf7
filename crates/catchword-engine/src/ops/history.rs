//! Reads any transcript file without a store: its compactions, and the session up to a line.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use serde::Serialize;

use super::recall;
use super::rows::{RowReader, Rows};
use crate::context::{self, Tally};
use crate::model::entry::{Entry, EntryId, Part, Thread};
use crate::redact::Mask;
use crate::session::Session;
use crate::session::compactions::{CompactionCounter, CompactionRow};
use crate::transcript::LineSource;
use crate::transcript::tail::{Cursor, Line, Tail};

/// A compaction in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionPoint {
    /// Number of lines before it, which the summary replaced.
    pub lines: u32,
    /// Number of lines from which its brief is made: with its own row, if that says what the client kept.
    pub read: u32,
    /// Empty if its row never came.
    pub summary: String,
    /// The line of the summary.
    pub summary_line: Option<u32>,
    /// Requested by the person.
    pub manual: bool,
    /// Tokens in the context before: as its row says, else the last count before it.
    pub before: Option<u64>,
    /// Tokens in the context after: as its row says, else the first count after it.
    pub after: Option<u64>,
    /// When, in milliseconds since 1970, if its row says so.
    pub at: Option<i64>,
}

impl CompactionPoint {
    fn begun_by(entry: &Entry) -> CompactionPoint {
        let said = entry.parts.iter().find_map(|part| match part {
            Part::Compaction { manual, before, after, .. } => Some((*manual, *before, *after)),
            _ => None,
        });
        let (manual, before, after) = said.unwrap_or_default();
        let says_kept = entry.parts.iter().any(|part| matches!(part, Part::Kept(_)));
        let lines = entry.place.0 - 1;
        CompactionPoint {
            lines,
            read: lines + u32::from(says_kept),
            summary: String::new(),
            summary_line: None,
            manual,
            before,
            after,
            at: entry.time,
        }
    }
}

/// The session after the first `lines` lines, or after all of them.
pub fn fold(reader: RowReader, path: &Path, lines: Option<u32>) -> io::Result<Session> {
    fold_lines(reader, &mut recall::lines_of(path, reader.mask), lines)
}

/// The same from any source of lines.
pub fn fold_lines(reader: RowReader, from: &mut LineSource, lines: Option<u32>) -> io::Result<Session> {
    let mut session = Session::default();
    each_entry(reader, from, lines, |entry| session.apply(entry))?;
    Ok(session)
}

/// The session as of now. Continues from an earlier fold if it still matches the file.
pub fn fold_on(reader: RowReader, path: &Path, before: Option<(Cursor, Session)>) -> io::Result<Session> {
    let tail = Tail::open(path, reader.mask)?;
    let (from, mut session) = before.filter(|(cursor, _)| tail.holds(cursor)).unwrap_or_default();
    each_entry_after(reader, &tail, from, |entry| session.apply(entry))?;
    Ok(session)
}

/// Calls `each` with every entry behind a cursor.
fn each_entry_after(
    reader: RowReader,
    tail: &Tail,
    from: Cursor,
    mut each: impl FnMut(&Entry),
) -> io::Result<()> {
    let mut rows = Rows::after(reader, tail, from);
    let read = |line, offset, content: Line| {
        if let Ok(Some(entry)) = rows.understood(line, offset, &content) {
            each(&entry);
        }
    };
    tail.read(from, || true, read)?;
    Ok(())
}

/// The session after each of these numbers of lines, in one pass; `lines` is ascending.
pub fn moments(
    reader: RowReader,
    path: &Path,
    lines: &[u32],
    each: impl FnMut(usize, &Session),
) -> io::Result<()> {
    moments_in(reader, &mut recall::lines_of(path, reader.mask), lines, each)
}

/// The same of lines from anywhere.
pub fn moments_in(
    reader: RowReader,
    from: &mut LineSource,
    lines: &[u32],
    mut each: impl FnMut(usize, &Session),
) -> io::Result<()> {
    let mut session = Session::default();
    let mut next = 0;
    each_entry(reader, from, lines.last().copied(), |entry| {
        while lines.get(next).is_some_and(|most| entry.place.0 > *most) {
            each(next, &session);
            next += 1;
        }
        session.apply(entry);
    })?;
    (next..lines.len()).for_each(|moment| each(moment, &session));
    Ok(())
}

/// The context tally of the first `lines` lines, or of all of them. A row written twice counts once.
pub fn tally(reader: RowReader, path: &Path, lines: Option<u32>) -> io::Result<Tally> {
    let mut counted = Counted::default();
    each_entry(reader, &mut recall::lines_of(path, reader.mask), lines, |entry| counted.add(entry))?;
    Ok(counted.tally)
}

/// The same for all lines. Continues from an earlier tally if it still matches the file.
pub fn tally_on(reader: RowReader, path: &Path, before: Option<(Cursor, Tally)>) -> io::Result<Tally> {
    let tail = Tail::open(path, reader.mask)?;
    let (from, tally) = before.filter(|(cursor, _)| tail.holds(cursor)).unwrap_or_default();
    let mut counted = Counted { tally, ..Counted::default() };
    each_entry_after(reader, &tail, from, |entry| counted.add(entry))?;
    Ok(counted.tally)
}

/// A tally and the ids of the rows it includes.
#[derive(Default)]
struct Counted {
    tally: Tally,
    seen: HashSet<EntryId>,
}

impl Counted {
    fn add(&mut self, entry: &Entry) {
        let mut marks = context::marks(entry).peekable();
        if marks.peek().is_some() && entry.id.is_none_or(|id| self.seen.insert(id)) {
            marks.for_each(|mark| self.tally.apply(&mark));
        }
    }
}

/// Tokens of all answers of a conversation, as the transcript counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TokenTotals {
    /// What was sent with each request, cached or not.
    pub input: u64,
    pub output: u64,
    pub answers: u64,
}

/// How full the context was after a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FillPoint {
    pub line: u32,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    pub tokens: u64,
}

/// A conversation over time, read once.
#[derive(Clone, Debug, Default)]
pub struct ConversationSurvey {
    pub session: Session,
    /// How full the context was wherever that changed.
    pub fill: Vec<FillPoint>,
    /// The tokens of the whole conversation, without its subagents.
    pub tokens: TokenTotals,
    pub tally: Tally,
    pub cuts: Vec<CompactionPoint>,
    /// Lines read.
    pub lines: u32,
}

/// A conversation over time.
pub fn survey(reader: RowReader, from: &mut LineSource) -> io::Result<ConversationSurvey> {
    let mut survey = ConversationSurvey::default();
    let (mut sizes, mut answers, mut cuts) =
        (Counted::default(), AnswersSeen::default(), CutFinder::default());
    each_entry(reader, from, None, |entry| {
        survey.session.apply(entry);
        cuts.begin(entry, sizes.tally.used);
        sizes.add(entry);
        cuts.go_on(entry, sizes.tally.used);
        let last = survey.fill.last().map(|point| point.tokens);
        let used = sizes.tally.used.filter(|used| last != Some(*used));
        survey.fill.extend(used.map(|tokens| FillPoint { line: entry.place.0, at: entry.time, tokens }));
        answers.add(entry);
        survey.lines = entry.place.0;
    })?;
    Ok(ConversationSurvey { tokens: answers.totals(), tally: sizes.tally, cuts: cuts.cuts, ..survey })
}

/// Counts the tokens of answers. An answer may span several rows, and clients repeat rows and counts: each answer counts
/// once, with its highest count.
#[derive(Default)]
struct AnswersSeen {
    rows: HashSet<EntryId>,
    answers: Vec<(u64, u64)>,
    of_message: HashMap<EntryId, usize>,
}

impl AnswersSeen {
    fn add(&mut self, entry: &Entry) {
        let usage =
            entry.parts.iter().find_map(|p| if let Part::Usage(usage) = p { Some(*usage) } else { None });
        let message = entry.parts.iter().find_map(|p| if let Part::Message(id) = p { *id } else { None });
        let Some(usage) = usage.filter(|_| entry.thread == Thread::Main) else { return };
        if !entry.id.is_none_or(|id| self.rows.insert(id)) {
            return;
        }
        let next = self.answers.len();
        let at = message.map_or(next, |id| *self.of_message.entry(id).or_insert(next));
        match self.answers.get_mut(at) {
            Some((input, output)) => {
                (*input, *output) = ((*input).max(usage.input), (*output).max(usage.output));
            }
            None => self.answers.push((usage.input, usage.output)),
        }
    }

    fn totals(&self) -> TokenTotals {
        TokenTotals {
            input: self.answers.iter().map(|(input, _)| input).sum(),
            output: self.answers.iter().map(|(_, output)| output).sum(),
            answers: self.answers.len() as u64,
        }
    }
}

/// The number of whole lines in a file.
pub fn lines(path: &Path, mask: &Mask) -> io::Result<u32> {
    Ok(Tail::open(path, mask)?.read(Cursor::default(), || true, |_, _, _| {})?.line)
}

/// Every compaction of the main conversation, in order.
pub fn cuts(reader: RowReader, path: &Path) -> io::Result<Vec<CompactionPoint>> {
    cuts_in(reader, &mut recall::lines_of(path, reader.mask))
}

/// The same from any source of lines.
pub fn cuts_in(reader: RowReader, from: &mut LineSource) -> io::Result<Vec<CompactionPoint>> {
    let (mut sizes, mut cuts) = (Counted::default(), CutFinder::default());
    each_entry(reader, from, None, |entry| {
        cuts.begin(entry, sizes.tally.used);
        sizes.add(entry);
        cuts.go_on(entry, sizes.tally.used);
    })?;
    Ok(cuts.cuts)
}

/// Finds compactions while rows go by.
#[derive(Default)]
struct CutFinder {
    cuts: Vec<CompactionPoint>,
    counter: CompactionCounter,
    is_counted: bool,
}

impl CutFinder {
    /// Before the tokens of a row are counted; `used` is what the context had.
    fn begin(&mut self, entry: &Entry, used: Option<u64>) {
        let row = self.counter.take(entry);
        if row == CompactionRow::Begins {
            let point = CompactionPoint::begun_by(entry);
            self.cuts.push(CompactionPoint { before: point.before.or(used), ..point });
        }
        self.is_counted = matches!(row, CompactionRow::Begins | CompactionRow::Continues);
    }

    /// After that; `used` is what the context has now.
    fn go_on(&mut self, entry: &Entry, used: Option<u64>) {
        let Some(cut) = self.cuts.last_mut() else { return };
        cut.after = cut.after.or(used);
        let summary =
            entry.parts.iter().find_map(|p| if let Part::Summary(text) = p { Some(text) } else { None });
        if let Some(text) = summary.filter(|_| self.is_counted) {
            cut.summary.clone_from(text);
            cut.summary_line = Some(entry.place.0);
        }
    }
}

/// Calls `each` with every entry of the first `lines` lines, or of all of them; rows that cannot be parsed are skipped.
pub(in crate::ops) fn each_entry(
    reader: RowReader,
    from: &mut LineSource,
    lines: Option<u32>,
    mut each: impl FnMut(&Entry),
) -> io::Result<()> {
    let most = lines.unwrap_or(u32::MAX);
    let mut rows = Rows::new(reader);
    from(&mut |line, bytes| {
        if line <= most
            && let Ok(Some(entry)) = rows.understood(line, 0, &Line::Whole(bytes))
        {
            each(&entry);
        }
        line < most
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::tests::READER;
    use catchword_testkit::Transcript;

    #[test]
    fn compaction_point_is_before_the_boundary_and_has_its_summary() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let first = Transcript::new().prompt("a").says("b");
        let lines = first.line_count() as u32;
        first
            .compaction("manual", "first summary")
            .prompt("c")
            .compaction("auto", "second")
            .write_to(file.path());
        let cuts = cuts(READER, file.path()).unwrap();
        assert_eq!((cuts.len(), cuts[0].lines, cuts[0].manual), (2, lines, true));
        assert!(cuts[0].summary.contains("first summary") && cuts[1].summary.contains("second"));
        let before = fold(READER, file.path(), Some(cuts[0].lines)).unwrap();
        assert_eq!((before.prompts.len(), before.compactions.len()), (1, 0));
    }

    #[test]
    fn tokens_are_those_of_the_answers_in_both_clients() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let codex = RowReader { client: crate::clients::named("codex").unwrap(), mask: READER.mask };
        // The estimate after the compaction repeats the sum of all answers.
        let estimate = serde_json::json!({"type": "token_count", "info": {
            "total_token_usage": {"total_tokens": 160_000},
            "last_token_usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 12_000}}});
        let rollout = catchword_testkit::Rollout::old().prompt("a").tokens(60_000).tokens(100_000);
        let rollout = rollout.compaction("s").row("event_msg", estimate.clone()).row("event_msg", estimate);
        catchword_testkit::files::write(file.path(), rollout.prompt("b").tokens(15_000).build());
        let cuts = cuts(codex, file.path()).unwrap();
        assert_eq!((cuts.len(), cuts[0].before, cuts[0].after), (1, Some(100_000), Some(12_000)));
        let total = |input, output, answers| TokenTotals { input, output, answers };
        let filled = |reader: RowReader| {
            let read = survey(reader, &mut recall::lines_of(file.path(), reader.mask)).unwrap();
            assert_eq!(read.cuts, super::cuts(reader, file.path()).unwrap());
            assert_eq!(read.session, fold(reader, file.path(), None).unwrap());
            assert_eq!(read.tally, tally(reader, file.path(), None).unwrap());
            (read.fill, read.tokens)
        };
        let sizes = |points: Vec<FillPoint>| points.iter().map(|point| point.tokens).collect::<Vec<_>>();
        let (points, totals) = filled(codex);
        assert_eq!(totals, total(175_000 - 60, 60, 3));
        assert_eq!(sizes(points), [60_000, 100_000, 12_000, 15_000]);
        let transcript = Transcript::new().prompt("a").usage(50_000).says("b").bash("make").ok("fine");
        let transcript = transcript.usage(90_000).says("c");
        // A row written twice counts once.
        let last = transcript.line_count();
        let transcript = transcript.duplicate_row(last).old_style_compaction("s");
        transcript.usage(8_000).says("d").write_to(file.path());
        let cuts = super::cuts(READER, file.path()).unwrap();
        assert_eq!((cuts.len(), cuts[0].before, cuts[0].after), (1, Some(90_040), Some(8_040)));
        let (points, totals) = filled(READER);
        assert_eq!(totals, total(198_000, 160, 4));
        assert_eq!(sizes(points), [50_040, 90_040, 8_040]);
    }

    #[test]
    fn moments_in_one_pass_equal_separate_folds() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let transcript = Transcript::new()
            .prompt("a")
            .says("b")
            .raw("no row")
            .bash("cargo test")
            .ok("fine")
            .compaction("auto", "s")
            .prompt("c");
        transcript.write_to(file.path());
        let lines: Vec<u32> = (0..=transcript.line_count() as u32).collect();
        let mut passed = Vec::new();
        moments(READER, file.path(), &lines, |at, session| passed.push((at, session.clone()))).unwrap();
        assert_eq!(passed.len(), lines.len());
        for (at, session) in passed {
            assert_eq!(session, fold(READER, file.path(), Some(lines[at])).unwrap(), "after {at} lines");
        }
    }

    #[test]
    fn continuing_from_a_snapshot_gives_the_same_session() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut transcript = Transcript::new().prompt("go").says("one");
        transcript.write_to(file.path());
        let mut half = Session::default();
        let tail = crate::transcript::tail::Tail::open(file.path(), crate::redact::SECRETS).unwrap();
        let mut rows = crate::ops::rows::Rows::new(READER);
        let cursor = tail
            .read(
                crate::transcript::tail::Cursor::default(),
                || true,
                |line, offset, content| {
                    if let Ok(Some(entry)) = rows.understood(line, offset, &content) {
                        half.apply(&entry);
                    }
                },
            )
            .unwrap();
        transcript = transcript.bash("make").ok("fine");
        transcript.write_to(file.path());
        let whole = fold(READER, file.path(), None).unwrap();
        assert_eq!(fold_on(READER, file.path(), Some((cursor, half.clone()))).unwrap(), whole);
        let all = tally(READER, file.path(), None).unwrap();
        let first = tally(READER, file.path(), Some(cursor.line)).unwrap();
        assert_ne!(first, all);
        assert_eq!(tally_on(READER, file.path(), Some((cursor, first))).unwrap(), all);
        // A different file with the same name is read from its beginning.
        Transcript::new().prompt("something else").write_to(file.path());
        let anew = fold(READER, file.path(), None).unwrap();
        assert_eq!(fold_on(READER, file.path(), Some((cursor, half))).unwrap(), anew);
    }
}
