//! What the history costs: `cargo run --release -p catchword-engine --example history_bench -- FOLDER [ITEMS [KEPT]]`.
//!
//! Takes the transcripts of a folder in (time as a ratio to `wc -l` and to a Python loop over `json.loads`, size of the
//! file against theirs), then makes a history of a million items out of them, each cut to about the length of a line
//! or two and with a word of its own, and searches it for pairs of words that stand in one item (p50 and p95, and as a
//! ratio to `grep -r` over the same texts). docs/history.md has the figures.

use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use catchword_engine::agent::claude_code::AGENT;
use catchword_engine::agent::entry::Place;
use catchword_engine::history::item::{Item, Kind, Tally};
use catchword_engine::history::query::{Query, words};
use catchword_engine::history::{Batch, History, Thread};
use catchword_engine::ops::index::{self, Found, IndexError, Watch};
use catchword_engine::ops::search::{Options, search};
use catchword_engine::transcript::tail::Cursor;

/// Characters of an item's text in the large history: what a line or two has.
const SHORT: usize = 240;
const BATCH: usize = 4_000;
const QUERIES: usize = 300;
const NOW: i64 = 1_800_000_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name a folder with transcripts")?);
    let wanted = arguments.next().map_or(Ok(1_000_000), |n| n.parse::<usize>())?;
    let tmp = tempfile::tempdir()?;
    // Where the large history is kept for the next time; making it takes most of the time.
    let kept = arguments.next().map_or_else(|| tmp.path().to_owned(), PathBuf::from);
    let items = taken_in(&folder, tmp.path())?;
    searched(&items, wanted, &kept)
}

struct Quiet;

impl Watch for Quiet {
    fn bytes(&self, _more: u64) {}
    fn problem(&self, problem: IndexError) {
        say(&format!("left out: {problem}"));
    }
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// The shortest of three.
fn timed(mut work: impl FnMut()) -> Duration {
    let once = |work: &mut dyn FnMut()| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    (0..3).map(|_| once(&mut work)).min().unwrap_or_default()
}

fn taken_in(folder: &Path, tmp: &Path) -> Result<Vec<Item>, Box<dyn std::error::Error>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            let thread = index::thread_of(&AGENT, &path)?;
            found.push(Found { bytes: entry.metadata()?.len(), thread, path });
        }
    }
    let bytes: u64 = found.iter().map(|one| one.bytes).sum();
    let readers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let count = Cell::new(0);
    let time = timed(|| {
        count.set(count.get() + 1);
        let mut history = open(&tmp.join(format!("small-{}", count.get())));
        index::transcripts(&mut history, &AGENT, &found, readers, &|| true, &Quiet).expect("they are sound");
    });
    let lines = timed(|| run("sh", &["-c", &format!("cat '{0}'/*.jsonl | wc -l", folder.display())]));
    let python = "import json,glob,sys\nfor f in glob.glob(sys.argv[1]+'/*.jsonl'):\n for l in open(f,'rb'):\n  json.loads(l)";
    let json = timed(|| run("python3", &["-c", python, &folder.display().to_string()]));
    let small = tmp.join("small-1");
    let size = std::fs::metadata(History::path(&small))?.len();
    let history = open(&small);
    say(&format!(
        "{} transcripts, {:.1} MB: {} items in {:.2} s ({:.0} MB/s, {readers} readers)",
        found.len(),
        bytes as f64 / 1e6,
        history.size()?,
        time.as_secs_f64(),
        bytes as f64 / 1e6 / time.as_secs_f64()
    ));
    let ratio = |other: Duration| time.as_secs_f64() / other.as_secs_f64();
    say(&format!("  wc -l {:.3} s, ratio {:.1}", lines.as_secs_f64(), ratio(lines)));
    say(&format!("  Python json.loads {:.2} s, ratio {:.2}", json.as_secs_f64(), ratio(json)));
    say(&format!(
        "  history.db {:.1} MB, {:.1}% of the transcripts",
        size as f64 / 1e6,
        size as f64 * 100.0 / bytes as f64
    ));
    let mut items = Vec::new();
    for source in history.sources()? {
        items.extend(history.items(source.no, 0, u32::MAX, 1_000_000)?);
    }
    Ok(items)
}

fn open(folder: &Path) -> History {
    History::open(folder, NOW, Duration::from_secs(10)).expect("a folder of our own")
}

fn searched(items: &[Item], wanted: usize, tmp: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let (large, texts) = (tmp.join("large"), tmp.join("texts"));
    std::fs::create_dir_all(&texts)?;
    let mut history = open(&large);
    history.expect_many()?;
    let begun = Instant::now();
    let mut bytes = 0;
    let known = history.size()? as usize;
    for first in (known..wanted).step_by(BATCH) {
        let batch = batch(items, first, BATCH.min(wanted - first));
        let mut text = std::io::BufWriter::new(std::fs::File::create(texts.join(format!("{first}.txt")))?);
        for item in &batch.items {
            bytes += item.title.len() + item.body.len() + 2;
            writeln!(text, "{} {}", item.title.replace('\n', " "), item.body.replace('\n', " "))?;
        }
        history.advance(&batch)?;
    }
    history.tidy()?;
    let size = std::fs::metadata(History::path(&large))?.len();
    say(&format!(
        "{} items, {:.0} MB of text, in {:.0} s; history.db {:.0} MB",
        history.size()?,
        bytes as f64 / 1e6,
        begun.elapsed().as_secs_f64(),
        size as f64 / 1e6
    ));
    let queries = queries(items);
    let options = Options { limit: 10, now: NOW, ..Options::default() };
    let (mut times, mut processor, mut empty) = (Vec::new(), Vec::new(), 0);
    for typed in &queries {
        let (begun, used) = (Instant::now(), processor_time());
        let found = search(&history, &Query::parse(typed, NOW), &options)?;
        times.push(begun.elapsed());
        processor.push(processor_time().saturating_sub(used));
        empty += usize::from(found.fitting == 0);
    }
    times.sort_unstable();
    processor.sort_unstable();
    let share = |times: &[Duration], share: f64| times[(times.len() as f64 * share) as usize];
    let at = |part: f64| share(&times, part);
    say(&format!(
        "  two words: p50 {:.1} ms, p95 {:.1} ms, worst {:.1} ms ({} queries, {empty} without a hit)",
        millis(at(0.5)),
        millis(at(0.95)),
        millis(times[times.len() - 1]),
        times.len()
    ));
    let (half, most) = (millis(share(&processor, 0.5)), millis(share(&processor, 0.95)));
    say(&format!("  of which on a processor: p50 {half:.1} ms, p95 {most:.1} ms"));
    let grep = timed(|| {
        let (one, other) = queries[0].split_once(' ').expect("two words");
        let command = format!("grep -rihw -- '{one}' '{}' | grep -iw -- '{other}'", texts.display());
        run("sh", &["-c", &command]);
    });
    say(&format!("  grep -r {:.0} ms, p95 is 1/{:.0} of it", millis(grep), millis(grep) / millis(at(0.95))));
    for common in ["the", "error", "the error", "if not"] {
        let begun = Instant::now();
        let found = search(&history, &Query::parse(common, NOW), &options)?;
        say(&format!("  `{common}`: {:.1} ms, {} ranked", millis(begun.elapsed()), found.fitting));
    }
    Ok(())
}

/// Time this thread has had a processor, which on a busy machine says more than the clock; zero where Linux is not.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(told.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Items of one made-up session: those of the corpus in turn, each with a word of its own.
fn batch(items: &[Item], first: usize, count: usize) -> Batch {
    let cut = |text: &str| text.chars().take(SHORT).collect::<String>();
    let made = (first..first + count).map(|n| {
        let of = &items[n % items.len()];
        Item {
            place: Place(n as u32 + 1),
            at: Some(NOW - 3_000_000_000 + n as i64 * 1_000),
            title: cut(&of.title),
            body: format!("{} own{n}", cut(&of.body)),
            call: None,
            ..of.clone()
        }
    });
    Batch {
        thread: Thread { session: format!("made-{first}"), subagent: String::new() },
        agent: "bench",
        path: PathBuf::from("/nowhere"),
        from: None,
        anew: false,
        cursor: Cursor::default(),
        items: made.collect(),
        answers: Vec::new(),
        tally: Tally { project: Some("/home/user/project".into()), ..Tally::default() },
    }
}

/// Pairs of words that stand in one item, the same on every run.
fn queries(items: &[Item]) -> Vec<String> {
    let mut seed = 7_u64;
    let mut next = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut queries = Vec::new();
    while queries.len() < QUERIES {
        let item = &items[next(items.len())];
        let text: String = item.body.chars().take(SHORT).collect();
        let found: Vec<&str> =
            words(&text).map(|(_, word)| word).filter(|word| word.is_ascii() && word.len() > 2).collect();
        if item.kind != Kind::Boundary && found.len() > 4 {
            queries.push(format!("{} {}", found[next(found.len() - 1)], found[next(found.len() - 1)]));
        }
    }
    queries
}

fn run(program: &str, arguments: &[&str]) {
    let done = Command::new(program).args(arguments).stdout(Stdio::null()).status();
    if !done.is_ok_and(|status| status.success()) {
        say(&format!("{program} did not end well"));
    }
}
