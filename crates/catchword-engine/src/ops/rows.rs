//! Rows of a transcript understood: one after the other, or many at once where there are megabytes of them.
//!
//! Understanding a line needs no other line, so that pieces of a transcript nobody has seen yet are read on several
//! threads; they are handed on in their order all the same, and the fold cannot tell the difference. A tick never gets
//! here with more than a few rows, and starts no thread.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

use crate::agent::Agent;
use crate::agent::entry::{Entry, Place};
use crate::mask;
use crate::problem::Problem;
use crate::session::vocabulary::words_of;
use crate::transcript::tail::{Cursor, Line, Piece, Tail};

/// Bytes from which on threads are worth starting.
const MANY: u64 = 2 * 1024 * 1024;
/// Most threads: the fold, which is one, is the slower part from here on.
const MOST_THREADS: usize = 4;
/// Bytes that are read ahead of the fold, one piece at least.
const AHEAD: usize = 4 * 1024 * 1024;

/// A line that is no bookkeeping.
pub struct Row {
    /// Which.
    pub place: Place,
    /// What it says.
    pub entry: Result<Entry, Problem>,
    /// The words of its parts for [`Session::vocabulary`](crate::session::Session), where they are wanted and at hand.
    pub words: Option<Vec<u32>>,
}

/// Hands on the rows after `from`, until `go_on` says no; with their words as long as `each` wants them. Returns where the
/// next call goes on.
pub fn read(
    agent: &Agent,
    tail: &mut Tail,
    from: Cursor,
    go_on: &dyn Fn() -> bool,
    words: bool,
    each: impl FnMut(Row) -> bool,
) -> io::Result<Cursor> {
    if tail.ahead(&from) > MANY {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        if threads > 1 {
            return read_at_once(agent, tail, from, go_on, words, threads, each);
        }
    }
    read_in_turn(agent, tail, from, go_on, each)
}

fn read_in_turn(
    agent: &Agent,
    tail: &mut Tail,
    from: Cursor,
    go_on: &dyn Fn() -> bool,
    mut each: impl FnMut(Row) -> bool,
) -> io::Result<Cursor> {
    tail.read(from, go_on, |line, offset, content| {
        if let Some(entry) = understood(agent, line, offset, &content).transpose() {
            each(Row { place: Place(line), entry, words: None });
        }
    })
}

/// What a thread makes of a piece: its rows, with lines counted from the piece's start, and how many lines it has.
struct Understood {
    rows: Vec<Row>,
    lines: u32,
}

/// A piece and where to send what it says.
type Job = (Piece, SyncSender<Understood>);

fn read_at_once(
    agent: &Agent,
    tail: &mut Tail,
    from: Cursor,
    go_on: &dyn Fn() -> bool,
    words: bool,
    threads: usize,
    mut each: impl FnMut(Row) -> bool,
) -> io::Result<Cursor> {
    let words = AtomicBool::new(words);
    let (jobs, queue) = channel::<Job>();
    let queue = Mutex::new(queue);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(agent, &queue, &words));
        }
        // Owned here, so that the threads end with this block, however it ends.
        let jobs = jobs;
        let mut next = from;
        let mut begun = VecDeque::new();
        let (mut read_to, mut ahead) = (from.offset, 0);
        loop {
            while (ahead < AHEAD || begun.is_empty())
                && go_on()
                && let Some(piece) = tail.piece(read_to)?
            {
                read_to = piece.end;
                let size = piece.bytes.len();
                ahead += size;
                let (answer, understood) = sync_channel(1);
                begun.push_back((piece.end, size, understood));
                // It is only refused where every thread has panicked, and then there is no answer either.
                let _ = jobs.send((piece, answer));
            }
            let Some((end, size, understood)) = begun.pop_front() else { break };
            let Ok(piece) = understood.recv() else { break };
            ahead -= size;
            for row in piece.rows {
                if !each(row.behind(next.line)) {
                    words.store(false, Ordering::Relaxed);
                }
            }
            next.line += piece.lines;
            next.offset = end;
        }
        tail.marked(next)
    })
}

/// Understands pieces until there are no more.
fn work(agent: &Agent, queue: &Mutex<Receiver<Job>>, wanted: &AtomicBool) {
    loop {
        let job = queue.lock().map(|queue| queue.recv());
        let Ok(Ok((piece, answer))) = job else { return };
        let mut understood = Understood { rows: Vec::new(), lines: 0 };
        piece.each(|line, offset, content| {
            understood.lines = line;
            let Some(entry) = self::understood(agent, line, offset, &content).transpose() else { return };
            let words = entry.as_ref().ok().filter(|_| wanted.load(Ordering::Relaxed)).map(words);
            understood.rows.push(Row { place: Place(line), entry, words });
        });
        // Before the fold hears of it, which reads the next one.
        drop(piece);
        let _ = answer.send(understood);
    }
}

fn words(entry: &Entry) -> Vec<u32> {
    let mut words = Vec::new();
    entry.parts.iter().for_each(|part| words_of(part, &mut |word| words.push(word)));
    words
}

impl Row {
    /// The row with its line counted from the transcript's start, where so many are before its piece.
    fn behind(mut self, lines: u32) -> Self {
        self.place.0 += lines;
        match &mut self.entry {
            Ok(entry) => entry.place = self.place,
            Err(problem) => problem.place = self.place,
        }
        self
    }
}

/// A line as an entry, its secrets masked.
pub fn understood(agent: &Agent, line: u32, offset: u64, content: &Line) -> Result<Option<Entry>, Problem> {
    let place = Place(line);
    let understood = match content {
        Line::Whole(bytes) => (agent.entry)(place, bytes),
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
    use std::io::Write;

    fn folded(
        path: &std::path::Path,
        from: Cursor,
        threads: Option<usize>,
    ) -> (Session, Cursor, Vec<String>) {
        let mut tail = Tail::open(path).unwrap();
        let mut session = Session::default();
        let mut problems = Vec::new();
        let each = |row: Row| {
            match row.entry {
                Ok(entry) => session.apply_with(&entry, row.words.as_deref()),
                Err(problem) => problems.push(problem.to_string()),
            }
            !session.vocabulary.takes_no_more()
        };
        let cursor = match threads {
            Some(threads) => read_at_once(&AGENT, &mut tail, from, &|| true, true, threads, each),
            None => read_in_turn(&AGENT, &mut tail, from, &|| true, each),
        };
        (session, cursor.unwrap(), problems)
    }

    #[test]
    fn rows_read_at_once_are_folded_as_if_they_were_read_in_turn() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let filler = "port 3000 in src/parser.rs, parse_line ".repeat(100);
        let mut transcript = catchword_testkit::Transcript::new().prompt("go");
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
        let in_turn = folded(file.path(), Cursor::default(), None);
        assert_eq!(in_turn.2.len(), 16, "{:?}", in_turn.2);
        for threads in [1, 3] {
            let at_once = folded(file.path(), Cursor::default(), Some(threads));
            assert!(in_turn.0 == at_once.0, "the session");
            assert_eq!((&in_turn.1, &in_turn.2), (&at_once.1, &at_once.2));
        }
        // From somewhere on, too.
        let middle =
            Tail::open(file.path()).unwrap().marked(Cursor { offset: 0, line: 0, ..Cursor::default() });
        assert!(folded(file.path(), middle.unwrap(), Some(2)).0 == in_turn.0);
    }

    #[test]
    fn a_line_too_long_is_stepped_over_on_either_way() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let row = r#"{"type":"user","message":{"content":"go on"}}"#;
        let long = "x".repeat(crate::transcript::tail::LONGEST_LINE + 1_000);
        writeln!(file, "{row}\n{long}\n{row}").unwrap();
        let in_turn = folded(file.path(), Cursor::default(), None);
        let at_once = folded(file.path(), Cursor::default(), Some(2));
        assert!(in_turn.0 == at_once.0, "the session");
        assert_eq!((in_turn.1, &in_turn.2), (at_once.1, &at_once.2));
        assert_eq!((in_turn.2.len(), in_turn.0.prompts.len()), (1, 2));
        // Its end is not written yet: it waits.
        write!(file, "{long}").unwrap();
        assert_eq!(folded(file.path(), Cursor::default(), Some(2)).1, at_once.1);
    }

    #[test]
    fn reading_stops_between_pieces_when_the_time_is_up() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let row = serde_json::json!({"type": "user", "message": {"content": "x".repeat(60_000)}});
        for _ in 0..400 {
            writeln!(file, "{row}").unwrap();
        }
        let mut tail = Tail::open(file.path()).unwrap();
        let asked = std::cell::Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            asked.get() <= 2
        };
        let mut rows = 0;
        let each = |_| {
            rows += 1;
            true
        };
        let cursor = read_at_once(&AGENT, &mut tail, Cursor::default(), &go_on, true, 2, each).unwrap();
        assert!(0 < rows && rows < 400, "{rows}");
        assert_eq!(cursor.line, rows);
        assert!(tail.holds(&cursor) && tail.ahead(&cursor) > 0);
    }
}
