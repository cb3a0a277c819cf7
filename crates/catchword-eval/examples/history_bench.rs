//! What the history costs: `cargo run --release -p catchword-eval --example history_bench -- FOLDER [ITEMS [KEPT
//! [QUESTIONS]]]`.
//!
//! Indexes the transcripts of a folder (time, size, memory). Then makes a history of a million items out of them, each cut
//! to a line or two and with a word of its own, and searches it: for two words of one item, and for questions whose words
//! no item has all of. `QUESTIONS` is a file with a kind, a question and the start of a session's id per line, parted by
//! tabs: how often that session is first or among the first five, with all tiers and with each switched off.
//! docs/search.md has the figures.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catchword_engine::archive::history::item::{HistoryItem, ItemKind, TranscriptTotals};
use catchword_engine::archive::history::query::Query;
use catchword_engine::archive::history::terms::words;
use catchword_engine::archive::history::{Batch, History, TranscriptOwner};
use catchword_engine::model::entry::Place;
use catchword_engine::ops::index::{self, FoundTranscript};
use catchword_engine::ops::search::{Options, search};
use catchword_engine::redact::Mask;
use catchword_engine::transcript::tail::Cursor;

/// Characters of an item's text in the large history.
const SHORT: usize = 240;
const BATCH: usize = 4_000;
const QUERIES: usize = 300;
const NOW: i64 = 1_800_000_000_000;
const TIERS: [(&str, [bool; 3]); 5] = [
    ("all tiers", [true; 3]),
    ("without tier 1", [false, true, true]),
    ("without tier 2", [true, false, true]),
    ("without tier 3", [true, true, false]),
    ("tier 1 alone", [true, false, false]),
];

type Done<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name a folder with transcripts")?);
    let wanted = arguments.next().map_or(Ok(1_000_000), |n| n.parse::<usize>())?;
    let tmp = tempfile::tempdir()?;
    // Where the large history is kept for the next time; making it takes most of the time.
    let kept = arguments.next().map_or_else(|| tmp.path().to_owned(), PathBuf::from);
    let items = indexed(&folder, tmp.path())?;
    if let Some(questions) = arguments.next() {
        asked(&open(&tmp.path().join("small"))?, &std::fs::read_to_string(questions)?)?;
    }
    let history = large(&items, wanted, &kept.join("large"))?;
    let mut random = Random(7);
    let pairs: Vec<String> = (0..QUERIES).map(|_| some_words(&items, 2, &mut random)).collect();
    let questions: Vec<String> = (0..QUERIES)
        .map(|_| {
            let (one, other) = (some_words(&items, 3, &mut random), some_words(&items, 3, &mut random));
            format!("why did we {one} {other} nowhere")
        })
        .collect();
    searched(&history, "two words", &pairs)?;
    searched(&history, "questions", &questions)?;
    for common in ["the", "error", "why did the test fail", "what did we change in the code and the tests"] {
        searched(&history, common, &[common.to_owned()])?;
    }
    Ok(())
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

fn open(folder: &Path) -> Done<History> {
    Ok(History::open(folder, NOW, Duration::from_secs(10))?)
}

fn indexed(folder: &Path, tmp: &Path) -> Done<Vec<HistoryItem>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)?.flatten() {
        if entry.path().extension().is_some_and(|end| end == "jsonl") {
            found.push(FoundTranscript::at(&entry.path(), entry.metadata()?.len())?);
        }
    }
    let bytes: u64 = found.iter().map(|one| one.bytes).sum();
    let readers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let small = tmp.join("small");
    let mut history = open(&small)?;
    let begun = Instant::now();
    index::transcripts(&mut history, &Mask::default(), &found, readers, &|| true, &|_| ())?;
    let time = begun.elapsed().as_secs_f64();
    let size = std::fs::metadata(History::path(&small))?.len();
    say(&format!(
        "{} transcripts, {:.1} MB: {} items in {time:.2} s ({:.0} MB/s, {readers} readers), {} of memory",
        found.len(),
        bytes as f64 / 1e6,
        history.size()?,
        bytes as f64 / 1e6 / time,
        most_memory()
    ));
    say(&format!("  history.db {:.1} MB", size as f64 / 1e6));
    let mut items = Vec::new();
    for source in history.sources()? {
        items.extend(history.items(source.no, 0, u32::MAX, 1_000_000)?);
    }
    items.retain(|item| item.kind != ItemKind::Boundary);
    Ok(items)
}

/// How often the session that a question is about comes first or among the first five.
fn asked(history: &History, questions: &str) -> Done<()> {
    for (what, tiers) in TIERS {
        let options = Options { now: NOW, limit: 30, tiers, ..Options::default() };
        let mut counts: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
        for line in questions.lines() {
            let [kind, question, wanted] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
            // As the words of a command line.
            let words: Vec<String> = question.split_whitespace().map(str::to_owned).collect();
            let found = search(history, &Query::of_arguments(&words, NOW), &options)?;
            let mut sessions: Vec<&str> = Vec::new();
            for hit in &found.hits {
                if !sessions.contains(&hit.session.as_str()) {
                    sessions.push(&hit.session);
                }
            }
            let at = sessions.iter().position(|session| session.starts_with(wanted));
            let count = counts.entry(kind).or_default();
            count.0 += usize::from(at == Some(0));
            count.1 += usize::from(at.is_some_and(|at| at < 5));
            count.2 += 1;
        }
        let counts: Vec<String> = counts
            .into_iter()
            .map(|(kind, (first, five, all))| format!("{kind} {first} first, {five} in five of {all}"))
            .collect();
        say(&format!("  {what}: {}", counts.join("; ")));
    }
    Ok(())
}

fn large(items: &[HistoryItem], wanted: usize, folder: &Path) -> Done<History> {
    let mut history = open(folder)?;
    history.prepare_bulk()?;
    let begun = Instant::now();
    let known = history.size()? as usize;
    for first in (known..wanted).step_by(BATCH) {
        history.advance(&batch(items, first, BATCH.min(wanted - first)))?;
    }
    history.tidy()?;
    let size = std::fs::metadata(History::path(folder))?.len();
    let time = begun.elapsed().as_secs_f64();
    say(&format!("{} items in {time:.0} s; history.db {:.0} MB", history.size()?, size as f64 / 1e6));
    Ok(history)
}

fn searched(history: &History, what: &str, queries: &[String]) -> Done<()> {
    let options = Options { now: NOW, ..Options::default() };
    let (mut times, mut processor, mut empty) = (Vec::new(), Vec::new(), 0);
    for typed in queries {
        let (begun, used) = (Instant::now(), processor_time());
        let found = search(history, &Query::parse(typed, NOW), &options)?;
        times.push(begun.elapsed());
        processor.push(processor_time().saturating_sub(used));
        empty += usize::from(found.hits.is_empty());
    }
    let at = |times: &mut Vec<Duration>, share: f64| {
        times.sort_unstable();
        times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e3
    };
    say(&format!(
        "  {what}: p50 {:.1} ms, p95 {:.1} ms; on a processor {:.1} and {:.1} ms ({} queries, {empty} without a hit)",
        at(&mut times, 0.5),
        at(&mut times, 0.95),
        at(&mut processor, 0.5),
        at(&mut processor, 0.95),
        queries.len()
    ));
    Ok(())
}

/// Time this thread has had a processor, which on a busy machine says more than the clock; zero where Linux is not.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(told.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// The most memory this process has had, as Linux tells it.
fn most_memory() -> String {
    let told = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "?".to_owned(), |line| line.trim().to_owned())
}

/// Items of one made-up session: those of the corpus in turn, each with a word of its own.
fn batch(items: &[HistoryItem], first: usize, count: usize) -> Batch {
    let cut = |text: &str| text.chars().take(SHORT).collect::<String>();
    let made = (first..first + count).map(|n| {
        let of = &items[n % items.len()];
        HistoryItem {
            place: Place(n as u32 + 1),
            part: 0,
            at: Some(NOW - 3_000_000_000 + n as i64 * 1_000),
            title: cut(&of.title),
            body: format!("{} own{n}", cut(&of.body)),
            call: None,
            ..of.clone()
        }
    });
    Batch {
        thread: TranscriptOwner { session: format!("made-{first}"), subagent: String::new() },
        client: "bench",
        path: PathBuf::from("/nowhere"),
        from: None,
        anew: false,
        generation: 0,
        cursor: Cursor::default(),
        items: made.collect(),
        answers: Vec::new(),
        tally: TranscriptTotals { project: Some("/home/user/project".into()), ..TranscriptTotals::default() },
        project_key: None,
    }
}

/// The same numbers on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// So many words of one item.
fn some_words(items: &[HistoryItem], count: usize, random: &mut Random) -> String {
    loop {
        let item = &items[random.below(items.len())];
        let text: String = item.body.chars().take(SHORT).collect();
        let plain = |word: &&str| word.is_ascii() && word.len() > 2;
        let found: Vec<&str> = words(&text).map(|(_, word)| word).filter(plain).collect();
        if found.len() > 4 {
            let chosen: Vec<&str> = (0..count).map(|_| found[random.below(found.len())]).collect();
            return chosen.join(" ");
        }
    }
}
