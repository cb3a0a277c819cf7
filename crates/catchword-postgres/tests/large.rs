//! A year of work on both archives, side by side: pushing, searching, sizes. Named suites, run by hand and reported in
//! docs/measured.md with their date:
//!
//! ```sh
//! cargo test --release -p catchword-postgres --test large -- --ignored --nocapture suite_of_a_million_items
//! ```

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use catchword_engine::archive::asked::SharedQuestion;
use catchword_engine::archive::history::History;
use catchword_engine::archive::history::item::{HistoryItem, ItemKind};
use catchword_engine::archive::history::query::Query;
use catchword_engine::archive::history::shared::LocalArchive;
use catchword_engine::archive::{
    Appended, Archive, SharedBatch, SharedItem, SharedSource, SharedWith, SourceFigures, SourceKey,
    SourcePosition, copy,
};
use catchword_engine::model::entry::Place;
use catchword_engine::ops::search::{Options, search};
use catchword_engine::redact::RULES;
use catchword_postgres::{ArchiveAddress, PostgresArchive, setup_sql};
use catchword_testkit::postgres::Postgres;
use catchword_testkit::postgres_or_skip;
use postgres::{Client, NoTls};

const PER_SESSION: usize = 1_000;
const BATCH: usize = 250;
const START: i64 = 1_767_225_600_000;
/// How often each question is asked.
const TIMES: usize = 40;

/// A pseudo-random sequence, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// A word of 20,000, the first ones far more often than the last.
    fn word(&mut self) -> u64 {
        let share = (self.below(1_000_000) + 1) as f64 / 1_000_000.0;
        (20_000_f64.powf(share) - 1.0) as u64
    }
}

fn text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..38 {
        let word = random.word();
        let _ = write!(text, "w{word}x ");
    }
    text
}

fn batch(session: usize, random: &mut Random) -> SharedBatch {
    let reached =
        SourcePosition { generation: 0, version: 1, line: SourcePosition::END, part: SourcePosition::END };
    let first_at = START + (session * PER_SESSION) as i64 * 1_000;
    let item = |n: usize, random: &mut Random| HistoryItem {
        place: Place(n as u32 + 1),
        part: 0,
        until: None,
        kind: if n.is_multiple_of(3) { ItemKind::Said } else { ItemKind::Command },
        failed: false,
        sub: false,
        author: None,
        at: Some(first_at + n as i64 * 1_000),
        title: String::new(),
        body: text(random),
        call: None,
    };
    let items =
        (0..PER_SESSION).map(|n| SharedItem { version: 1, rules: RULES, item: item(n, random) }).collect();
    let source = SharedSource {
        key: SourceKey {
            machine: "m".to_owned(),
            client: "claude-code".to_owned(),
            session: format!("{session:08x}-0000-4000-8000-000000000000"),
            thread: String::new(),
        },
        reached,
        person: None,
        share: SharedWith::Me,
        project_key: Some(format!("r{:032x}", session % 20)),
        project: Some(format!("/home/user/project{}", session % 20)),
        title: Some("work".to_owned()),
        figures: SourceFigures {
            first_at: Some(first_at),
            last_at: Some(first_at + PER_SESSION as i64 * 1_000),
            prompts: 10,
            calls: 600,
            ..SourceFigures::default()
        },
    };
    SharedBatch { source, from: None, to: reached, items }
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1_000.0;
    format!("p50 {:.1} ms, p95 {:.1} ms", at(50), at(95))
}

fn asked(question: &mut dyn FnMut(usize)) -> String {
    let time = |n: usize| {
        let begun = Instant::now();
        question(n);
        begun.elapsed()
    };
    spread((0..TIMES).map(time).collect())
}

/// Two middling words, or a sentence of five, one of them common.
fn query(n: usize, is_sentence: bool) -> Query {
    let words = if is_sentence {
        format!("which w3x did w{}x w{}x w{}x", 300 + n, 2_000 + n, 9_000 + n)
    } else {
        format!("w{}x w{}x", 40 + n, 90 + n)
    };
    Query::parse(&words, START)
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
}

fn measure(server: &Postgres, items: usize) {
    let sessions = items / PER_SESSION;
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path(), START, Duration::from_secs(5)).unwrap();
    let begun = Instant::now();
    let mut random = Random(1);
    let mut local = LocalArchive::new(&mut history, "m2");
    for session in 0..sessions {
        assert_eq!(local.append(&batch(session, &mut random)).unwrap(), Appended::Recorded);
    }
    println!("SQLite: {items} items recorded in {:.1} s", begun.elapsed().as_secs_f64());
    let mut owner = Client::connect(&server.address("postgres"), NoTls).unwrap();
    owner.batch_execute(&setup_sql("team")).unwrap();
    owner
        .batch_execute("CREATE ROLE anna LOGIN; GRANT catchword_writer TO anna; INSERT INTO catchword.person VALUES ('team', 'anna')")
        .unwrap();
    let address = ArchiveAddress::parse(&server.address("anna")).unwrap();
    let mut remote = PostgresArchive::connect(&address, Duration::from_secs(10)).unwrap();
    for (what, expected) in [("first push", items), ("again", 0)] {
        let begun = Instant::now();
        let mut sent = 0;
        let there: Vec<SharedSource> = remote.sources().unwrap();
        for source in local.sources().unwrap() {
            let reached = there.iter().find(|known| known.key == source.key).map(|known| known.reached);
            sent +=
                copy(&mut local, &mut remote, &source.key, reached, BATCH, &mut |batch| batch).unwrap().items;
        }
        assert_eq!(sent, expected);
        println!(
            "PostgreSQL, {what}: {:.1} s, this process has used {}",
            begun.elapsed().as_secs_f64(),
            memory()
        );
    }
    owner.batch_execute("ANALYZE").unwrap();
    let sizes = owner
        .query_one("SELECT pg_size_pretty(pg_table_size('catchword.item')), pg_size_pretty(pg_relation_size('catchword.item_words')), pg_size_pretty(pg_total_relation_size('catchword.item'))", &[])
        .unwrap();
    let size = |at: usize| sizes.get::<_, String>(at);
    println!("PostgreSQL: table with texts {}, index of words {}, in all {}", size(0), size(1), size(2));
    println!("SQLite: history.db {} MB", folder_size(folder.path()) >> 20);
    drop(local);
    let options = Options { now: START, ..Options::default() };
    for (what, is_sentence) in [("two words (AND)", false), ("a sentence (OR)", true)] {
        let here = asked(&mut |n| {
            search(&history, &query(n, is_sentence), &options).unwrap();
        });
        let there = asked(&mut |n| {
            let question =
                SharedQuestion::Find { query: query(n, is_sentence), without: Vec::new(), most: 10 };
            let found = remote.answer(&question).unwrap();
            assert!(!is_sentence || !found.matches.is_empty());
        });
        println!("{what}: SQLite {here}; PostgreSQL {there}");
    }
    // What the functions save: the same under the policies, which need a right that nobody has.
    owner.batch_execute("GRANT SELECT ON catchword.item TO anna").unwrap();
    let mut anna = Client::connect(&server.address("anna"), NoTls).unwrap();
    for (what, sign) in [("AND", "&"), ("OR", "|")] {
        let policies = asked(&mut |n| {
            let terms = format!("'w{}x' {sign} 'w{}x'", 40 + n, 90 + n);
            let sql = "SELECT i.source, i.line FROM catchword.item i WHERE i.team = 'team' AND i.words @@ to_tsquery('simple', $1)
                ORDER BY i.at DESC LIMIT 10";
            anna.query(sql, &[&terms]).unwrap();
        });
        println!("two words ({what}) straight from the table, under the policies: {policies}");
    }
}

fn folder_size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|meta| meta.len()).sum()
}

#[test]
#[ignore = "takes a minute"]
fn suite_of_a_hundred_thousand_items() {
    measure(&postgres_or_skip!(18), 100_000);
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn suite_of_a_million_items() {
    measure(&postgres_or_skip!(18), 1_000_000);
}
