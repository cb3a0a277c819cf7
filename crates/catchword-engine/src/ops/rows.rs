//! Rows of a transcript understood: one after the other, or many at once where there are megabytes of them.
//!
//! Understanding a line needs no other line, so that pieces of a transcript nobody has seen yet are read on several
//! threads; they are handed on in their order all the same, and the fold cannot tell the difference. Nor can it tell that
//! rows before the last few hundred calls were only glanced at: their words would be forgotten by now
//! ([`lately`](crate::session::lately)). A tick never gets here with more than a few rows, and starts no thread.

use std::borrow::Cow;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;

use crate::agent::Agent;
use crate::agent::entry::{Entry, Place, Unheard};
use crate::at_once::make_much_room;
use crate::desk::Desk;
use crate::mask;
use crate::problem::Problem;
use crate::session::lately::STRETCH;
use crate::session::vocabulary::words_of;
use crate::transcript::tail::{Cursor, Line, Tail};

/// Bytes from which on threads are worth starting.
const MANY: u64 = 2 * 1024 * 1024;
/// Most threads beside the one that folds: it is the slower part from here on.
const MOST_THREADS: usize = 4;
/// Pieces that are read ahead of the fold.
const AHEAD: u64 = 16;
/// Calls before the end whose rows are read word by word.
const WORD_BY_WORD: u32 = 2 * STRETCH;
/// Bytes before the end in which so many calls are sure to be, unless each takes a hundred thousand of them.
const FAR: u64 = 32 * 1024 * 1024;
/// Rows that a piece has room for at first.
const ROWS: usize = 256;
/// Room of a piece that is used again; more was needed for a long line and is given back.
const ROOM: usize = 1024 * 1024;

/// A line that is no bookkeeping.
pub struct Row {
    /// Which.
    pub place: Place,
    /// What it says.
    pub entry: Result<Entry, Problem>,
    /// The words of its parts for [`Session::vocabulary`](crate::session::Session), where they are wanted and at hand.
    pub words: Option<Vec<u32>>,
}

/// How rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// All of them whole, without their words: nobody folds them.
    Indexing,
    /// Those that are far from the end of a long transcript are glanced at.
    Folding,
    /// All of them word by word.
    WordByWord,
}

/// Hands on the rows after `from`, until `go_on` says no; with their words as long as `each` wants them. Returns where the
/// next call goes on.
pub fn read(
    agent: &Agent,
    tail: &Tail,
    from: Cursor,
    go_on: &dyn Fn() -> bool,
    look: Look,
    each: impl FnMut(&Row) -> bool,
) -> io::Result<Cursor> {
    if tail.ahead(&from) <= MANY {
        return read_in_turn(agent, tail, from, go_on, each);
    }
    let threads = std::thread::available_parallelism().map_or(0, |all| all.get() - 1).min(MOST_THREADS);
    let border = match look {
        Look::Folding => Border::behind(tail.size().saturating_sub(FAR)),
        Look::Indexing | Look::WordByWord => Border::at(0),
    };
    let reading = Reading { agent, words: look != Look::Indexing, border, threads };
    reading.read(tail, from, go_on, each)
}

fn read_in_turn(
    agent: &Agent,
    tail: &Tail,
    from: Cursor,
    go_on: &dyn Fn() -> bool,
    mut each: impl FnMut(&Row) -> bool,
) -> io::Result<Cursor> {
    tail.read(from, go_on, |line, offset, content| {
        if let Some(entry) = understood(agent, line, offset, &content).transpose() {
            each(&Row { place: Place(line), entry, words: None });
        }
    })
}

/// Where the rows begin that have to be read word by word, not before `from`.
fn last_calls(agent: &Agent, tail: &Tail, from: u64) -> io::Result<u64> {
    let (mut to, mut calls) = (tail.size(), 0);
    let mut room = Vec::new();
    while calls < WORD_BY_WORD && to > from {
        let Some(piece) = tail.piece_before(to, room)? else { return Ok(from) };
        piece.each(|_, _, line| {
            if let Line::Whole(line) = line {
                calls += (agent.calls)(line);
            }
        });
        to = piece.offset;
        room = piece.into_room(ROOM);
    }
    Ok(to.max(from))
}

/// What a thread makes of a piece.
struct Understood {
    /// Its rows, with lines counted from the piece's start.
    rows: Vec<Row>,
    /// How many lines it has.
    lines: u32,
    /// Where they end, if it has any.
    end: Option<u64>,
    /// Where its rows are given back to once they are folded: memory is given up at the least cost where it was taken.
    spent: Sender<Vec<Row>>,
}

/// How pieces are read on several threads.
struct Reading<'a> {
    agent: &'a Agent,
    words: bool,
    border: Border,
    threads: usize,
}

/// From which byte on rows are read word by word; those before it are glanced at.
struct Border {
    /// Not before this one, as far as anybody can tell without looking: threads need not wait for what is found.
    behind: u64,
    found: OnceLock<u64>,
}

impl Border {
    fn at(byte: u64) -> Self {
        Border { behind: byte, found: OnceLock::from(byte) }
    }

    /// Still to be found, and in all likelihood behind this byte.
    fn behind(byte: u64) -> Self {
        Border { behind: byte, found: OnceLock::new() }
    }

    fn is_behind(&self, byte: u64) -> bool {
        byte <= self.behind || byte <= self.found()
    }

    /// Waits until it is found.
    fn found(&self) -> u64 {
        *self.found.wait()
    }

    /// Finds it, where it is not known. Says whether it is where it was thought to be.
    fn find(&self, look: impl FnOnce() -> io::Result<u64>) -> io::Result<bool> {
        /// Whatever happens, nobody waits in vain.
        struct Settled<'a>(&'a OnceLock<u64>);
        impl Drop for Settled<'_> {
            fn drop(&mut self) {
                let _ = self.0.set(0);
            }
        }
        let settled = Settled(&self.found);
        if self.found.get().is_none() {
            let _ = self.found.set(look()?);
        }
        drop(settled);
        Ok(self.found() >= self.behind)
    }
}

impl Reading<'_> {
    fn read(
        self,
        tail: &Tail,
        from: Cursor,
        go_on: &dyn Fn() -> bool,
        mut each: impl FnMut(&Row) -> bool,
    ) -> io::Result<Cursor> {
        if let Some(cursor) = self.at_once(tail, from, go_on, &mut each)? {
            return Ok(cursor);
        }
        // Calls took more room than was thought, and rows were glanced at that should have been read.
        let border = Border::at(self.border.found());
        let read = Reading { border, ..self }.at_once(tail, from, go_on, each)?;
        Ok(read.unwrap_or(from))
    }

    /// Hands on the rows after `from`; `None`, and no row, where the border is not where it was thought to be.
    fn at_once(
        &self,
        tail: &Tail,
        from: Cursor,
        go_on: &dyn Fn() -> bool,
        mut each: impl FnMut(&Row) -> bool,
    ) -> io::Result<Option<Cursor>> {
        let words = AtomicBool::new(self.words);
        let desk = Desk::new(tail.pieces(from.offset), AHEAD);
        let reader = || Reader::new(self, tail, from.offset, &words);
        let mut next = from;
        make_much_room();
        let read: io::Result<bool> = std::thread::scope(|scope| {
            let _closing = desk.closing();
            for _ in 0..self.threads {
                // Where no thread is to be had this one reads all.
                let _ = Builder::new().spawn_scoped(scope, || {
                    make_much_room();
                    let mut reader = reader();
                    desk.work(|piece| reader.understand(piece));
                });
            }
            if !self.border.find(|| last_calls(self.agent, tail, from.offset))? {
                return Ok(false);
            }
            let mut reader = reader();
            while go_on()
                && let Some(piece) = desk.next(|piece| reader.understand(piece))
            {
                let mut piece = piece?;
                for row in &mut piece.rows {
                    row.stands_behind(next.line);
                    words.store(each(row) && self.words, Ordering::Relaxed);
                }
                next.line += piece.lines;
                next.offset = piece.end.unwrap_or(next.offset);
                let _ = piece.spent.send(piece.rows);
            }
            Ok(true)
        });
        if read? { tail.marked(next).map(Some) } else { Ok(None) }
    }
}

/// One of those who read.
struct Reader<'a> {
    reading: &'a Reading<'a>,
    tail: &'a Tail,
    from: u64,
    /// Somebody wants the words.
    wanted: &'a AtomicBool,
    room: Vec<u8>,
    spent: Sender<Vec<Row>>,
    given_back: Receiver<Vec<Row>>,
}

impl<'a> Reader<'a> {
    fn new(reading: &'a Reading, tail: &'a Tail, from: u64, wanted: &'a AtomicBool) -> Self {
        let (spent, given_back) = channel();
        Reader { reading, tail, from, wanted, room: Vec::new(), spent, given_back }
    }

    fn understand(&mut self, piece: u64) -> io::Result<Understood> {
        self.given_back.try_iter().for_each(drop);
        let piece = self.tail.piece(self.from, piece, std::mem::take(&mut self.room))?;
        let Reading { agent, border, .. } = self.reading;
        let mut rows = Vec::with_capacity(ROWS);
        let mut lines = 0;
        // Calls of other pieces count as heard: their answers are read and not used.
        let is_glanced = piece.end.is_none_or(|end| border.is_behind(end));
        let mut unheard = is_glanced.then(Unheard::default);
        piece.each(|line, offset, content| {
            lines = line;
            let entry = match &mut unheard {
                Some(unheard) => glanced(agent, line, offset, &content, unheard),
                None => understood(agent, line, offset, &content),
            };
            let Some(entry) = entry.transpose() else { return };
            let hashed = !is_glanced && self.wanted.load(Ordering::Relaxed);
            let words = entry.as_ref().ok().filter(|_| hashed).map(words);
            rows.push(Row { place: Place(line), entry, words });
        });
        let end = piece.end;
        self.room = piece.into_room(ROOM);
        Ok(Understood { rows, lines, end, spent: self.spent.clone() })
    }
}

fn words(entry: &Entry) -> Vec<u32> {
    let mut words = Vec::new();
    entry.parts.iter().for_each(|part| words_of(part, &mut |word| words.push(word)));
    words
}

impl Row {
    /// Counts its line from the transcript's start, where so many are before its piece.
    fn stands_behind(&mut self, lines: u32) {
        self.place.0 += lines;
        match &mut self.entry {
            Ok(entry) => entry.place = self.place,
            Err(problem) => problem.place = self.place,
        }
    }
}

/// A line as an entry, its secrets masked.
pub fn understood(agent: &Agent, line: u32, offset: u64, content: &Line) -> Result<Option<Entry>, Problem> {
    masked(line, offset, content, |place, bytes| (agent.entry)(place, bytes))
}

/// The same for what lasts of it.
fn glanced(
    agent: &Agent,
    line: u32,
    offset: u64,
    content: &Line,
    unheard: &mut Unheard,
) -> Result<Option<Entry>, Problem> {
    masked(line, offset, content, |place, bytes| (agent.glance)(place, bytes, unheard))
}

fn masked(
    line: u32,
    offset: u64,
    content: &Line,
    understand: impl FnOnce(Place, &[u8]) -> Result<Option<Entry>, String>,
) -> Result<Option<Entry>, Problem> {
    let place = Place(line);
    let understood = match content {
        Line::Whole(bytes) => understand(place, bytes),
        Line::TooLong => Err("a line too long to be a row".to_owned()),
    };
    let mut entry = understood.map_err(|what| Problem { place, offset, what })?;
    if let Some(entry) = &mut entry {
        entry.map_texts(|text| {
            if let Cow::Owned(masked) = mask::mask(text) {
                *text = masked;
            }
        });
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::claude_code::AGENT;
    use crate::session::Session;
    use catchword_testkit::Transcript;
    use proptest::prelude::*;
    use serde_json::json;
    use std::io::Write;

    fn folded(
        path: &std::path::Path,
        from: Cursor,
        threads: Option<usize>,
        glances: bool,
    ) -> (Session, Cursor, Vec<String>) {
        let tail = Tail::open(path).unwrap();
        let border = if glances { last_calls(&AGENT, &tail, from.offset).unwrap() } else { 0 };
        folded_by(path, from, threads.map(|threads| reading(Border::at(border), threads)))
    }

    fn reading(border: Border, threads: usize) -> Reading<'static> {
        Reading { agent: &AGENT, words: true, border, threads }
    }

    /// One row after the other where nothing is said of threads.
    fn folded_by(
        path: &std::path::Path,
        from: Cursor,
        reading: Option<Reading>,
    ) -> (Session, Cursor, Vec<String>) {
        let tail = Tail::open(path).unwrap();
        let mut session = Session::default();
        let mut problems = Vec::new();
        let each = |row: &Row| {
            match &row.entry {
                Ok(entry) => session.apply_with(entry, row.words.as_deref()),
                Err(problem) => problems.push(problem.to_string()),
            }
            !session.vocabulary.takes_no_more()
        };
        let cursor = match reading {
            None => read_in_turn(&AGENT, &tail, from, &|| true, each),
            Some(reading) => reading.read(&tail, from, &|| true, each),
        };
        (session, cursor.unwrap(), problems)
    }

    #[test]
    fn rows_read_at_once_are_folded_as_if_they_were_read_in_turn() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let filler = "port 3000 in src/parser.rs, parse_line ".repeat(100);
        let mut transcript = Transcript::new().prompt("go");
        for n in 0..1_500 {
            transcript = transcript.bash(&format!("cargo test --test case_{n}")).ok(&format!("{n} {filler}"));
        }
        for (n, line) in transcript.lines().iter().enumerate() {
            writeln!(file, "{line}").unwrap();
            if n % 400 == 7 {
                writeln!(file, "no row\n{{\"type\":\"user\"").unwrap();
            }
            if n == 1_000 {
                writeln!(file, "{{\"type\":\"user\",\"x\":\"{}\"}}", "x".repeat(3 * 1024 * 1024)).unwrap();
            }
        }
        write!(file, "half a line").unwrap();
        let in_turn = folded(file.path(), Cursor::default(), None, false);
        assert_eq!(in_turn.2.len(), 16, "{:?}", in_turn.2);
        for (threads, glances) in [(0, false), (0, true), (1, false), (1, true), (3, false), (3, true)] {
            let at_once = folded(file.path(), Cursor::default(), Some(threads), glances);
            assert!(in_turn.0 == at_once.0, "the session");
            assert!(at_once.0.is_whole() && at_once.0.remembers_since() > 0);
            assert_eq!((&in_turn.1, &in_turn.2), (&at_once.1, &at_once.2));
        }
        // From somewhere on, too.
        let middle =
            Tail::open(file.path()).unwrap().marked(Cursor { offset: 0, line: 0, ..Cursor::default() });
        assert!(folded(file.path(), middle.unwrap(), Some(2), true).0 == in_turn.0);
    }

    #[test]
    fn a_line_too_long_is_stepped_over_on_either_way() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let row = r#"{"type":"user","message":{"content":"go on"}}"#;
        let long = "x".repeat(crate::transcript::tail::LONGEST_LINE + 1_000);
        writeln!(file, "{row}\n{long}\n{row}").unwrap();
        let in_turn = folded(file.path(), Cursor::default(), None, false);
        let at_once = folded(file.path(), Cursor::default(), Some(2), false);
        assert!(in_turn.0 == at_once.0, "the session");
        assert_eq!((in_turn.1, &in_turn.2), (at_once.1, &at_once.2));
        assert_eq!((in_turn.2.len(), in_turn.0.prompts.len()), (1, 2));
        // Its end is not written yet: it waits.
        write!(file, "{long}").unwrap();
        assert_eq!(folded(file.path(), Cursor::default(), Some(2), false).1, at_once.1);
    }

    #[test]
    fn reading_stops_between_pieces_when_the_time_is_up() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let row = serde_json::json!({"type": "user", "message": {"content": "x".repeat(60_000)}});
        for _ in 0..400 {
            writeln!(file, "{row}").unwrap();
        }
        let tail = Tail::open(file.path()).unwrap();
        let asked = std::cell::Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            asked.get() <= 2
        };
        let reading = reading(Border::at(0), 2);
        let mut rows = 0;
        let each = |_: &Row| {
            rows += 1;
            true
        };
        let cursor = reading.at_once(&tail, Cursor::default(), &go_on, each).unwrap().unwrap();
        assert!(0 < rows && rows < 400, "{rows}");
        assert_eq!(cursor.line, rows);
        assert!(tail.holds(&cursor) && tail.ahead(&cursor) > 0);
    }

    /// One of the things that happen in a session.
    fn something(session: Transcript, what: u8, n: usize) -> Transcript {
        let path = format!("/home/user/project/src/part_{}.rs", n % 23);
        match what {
            0 => session.prompt(&format!("Never touch src/old_{n}.rs. Port part {n}.")),
            1 => session.says(&format!("Part {n} is done; next comes parse_item_{n} in src/next_{n}.rs.")),
            2 => session.queued(&format!("also look at src/queued_{n}.rs")),
            3 => session.task_create(&format!("port part {n}")),
            4 => session.task_update(n as u32 / 9 + 1, "completed"),
            5 => session.todo(&[("first", "completed"), (&format!("port {n}"), "pending")]),
            6 => session.ask("Which one?", &format!("take src/answer_{n}.rs")),
            7 => session.plan(&format!("1. move src/a_{n}.rs\n2. test it")),
            8 => session.compaction("auto", &format!("Parts up to {n} are done, parse_item_{n} is next.")),
            9 => session.write(&path),
            10 => session
                .bash(&format!("rm src/seen_{}.rs && git mv {path} src/moved_{n}.rs", n - n % 5))
                .ok(""),
            11 => session.bash("git commit -am x").ok(&format!("[main {n:07x}] part {n}")),
            12 => {
                session.bash("cargo test").fails(&format!("error: {n} failed in src/seen_{}.rs", n - n % 5))
            }
            13 => session.background_shell(&format!("b{n}"), "sleep 100"),
            14 => session.task_notification(&format!("b{}", n.saturating_sub(9)), "completed", "done"),
            15 => session.subagent(&format!("a{n}"), "look around", &format!("src/found_{n}.rs")),
            16 => session.as_subagent("a1").bash("ls").ok("src/of_the_subagent.rs").main_thread(),
            17 => {
                let earlier = n % session.line_count() + 1;
                session.duplicate_row(earlier)
            }
            18 => session.slash("/review", &format!("src/slash_{n}.rs")),
            19 => session.interrupt(),
            20 => session
                .call("Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"}))
                .fails("not found"),
            21 => {
                session.call("mcp__x__look", json!({"what": format!("src/mcp_{n}.rs")})).ok("found nothing")
            }
            22 => session.grep(&format!("parse_item_{n}")),
            23 => session.read(&path),
            24 => session.edit(&path, &format!("let old_{n} = 1;"), &format!("let new_{n} = {n};")),
            _ => session
                .bash(&format!("cargo test case_{}", n % 40))
                .ok(&format!("{n} passed, see src/seen_{n}.rs")),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn glancing_at_old_rows_gives_the_same_session(
            happened in prop::collection::vec(0..34_u8, 700..2_000),
            earlier in 0.0..1.0_f64,
        ) {
            let mut transcript = Transcript::new().prompt("Port all parts.");
            for (n, what) in happened.iter().enumerate() {
                transcript = something(transcript, *what, n + 1);
            }
            let mut file = tempfile::NamedTempFile::new().unwrap();
            write!(file, "{}", transcript.build()).unwrap();
            let path = file.path();
            let (expected, ..) = folded(path, Cursor::default(), None, false);
            let whole_from = last_calls(&AGENT, &Tail::open(path).unwrap(), 0).unwrap();
            let by = |border| folded_by(path, Cursor::default(), Some(reading(border, 2))).0;
            let glanced = by(Border::at(whole_from));
            prop_assert!(glanced.is_whole());
            prop_assert!(glanced == expected, "from {whole_from}");
            // Whoever reads more word by word than they must has the same.
            let sooner = (whole_from as f64 * earlier) as u64;
            prop_assert!(by(Border::at(sooner)) == expected);
            // So has who begins before it is known where to stop glancing, and who begins with too much.
            prop_assert!(by(Border::behind(sooner)) == expected);
            prop_assert!(by(Border::behind(u64::MAX)) == expected);
        }
    }

    #[test]
    fn a_session_knows_when_too_little_was_read_word_by_word() {
        let mut transcript = Transcript::new().prompt("go");
        for n in 0..700 {
            transcript = something(transcript, 33, n);
        }
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "{}", transcript.build()).unwrap();
        let all = std::fs::metadata(file.path()).unwrap().len();
        assert!(!folded_by(file.path(), Cursor::default(), Some(reading(Border::at(all), 1))).0.is_whole());
    }
}
