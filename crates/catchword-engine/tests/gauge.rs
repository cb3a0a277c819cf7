//! Compares the gauge with the real client's own counts: before and after each compaction, and in the input of the
//! status line.

use std::path::{Path, PathBuf};

use catchword_engine::clients::CLIENTS;
use catchword_engine::context::{Gauge, Inputs, Tally};
use catchword_engine::model::tokens::{ClientLimits, TokenSource};
use catchword_engine::ops::history;
use catchword_engine::ops::rows::RowReader;
use catchword_engine::redact::SECRETS;
use serde_json::Value;

const READER: RowReader<'static> = RowReader { client: CLIENTS[0], mask: SECRETS };

/// What the client wrote about a compaction, and the number of lines before it.
struct Boundary {
    lines: u32,
    auto: bool,
    before: u64,
    after: Option<u64>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude-code/2.1.325")
}

fn transcript(scene: &str) -> PathBuf {
    fixtures().join(scene).join("transcripts/00000000-0000-4000-8000-000000000001.jsonl")
}

fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("captures are JSON")).collect()
}

fn boundaries(path: &Path) -> Vec<Boundary> {
    let found = rows(path).into_iter().enumerate().filter(|(_, row)| row["subtype"] == "compact_boundary");
    found
        .map(|(lines, row)| {
            let reported = &row["compactMetadata"];
            Boundary {
                lines: lines as u32,
                auto: reported["trigger"] == "auto",
                before: reported["preTokens"].as_u64().expect("every boundary tells it"),
                after: reported["postTokens"].as_u64(),
            }
        })
        .collect()
}

fn tally(path: &Path, lines: u32) -> Tally {
    history::tally(READER, path, Some(lines)).unwrap()
}

#[test]
fn token_counts_around_captured_compactions_match_the_clients() {
    let mut compared = 0;
    for scene in [
        "auto-compaction",
        "two-compactions",
        "subagent-compaction",
        "manual-compaction",
        "hook-output",
        "manual-hook-output",
        "status-line",
    ] {
        let path = transcript(scene);
        for (nth, boundary) in boundaries(&path).iter().enumerate() {
            let before = tally(&path, boundary.lines);
            let (used, wanted) = (before.used.expect("an answer came before"), boundary.before);
            if boundary.auto {
                // The client adds its estimate for what came after the latest answer: a tool result here.
                assert!(used <= wanted && wanted - used < wanted / 50, "{scene}: {used} for {wanted}");
            } else {
                assert_eq!(used, wanted, "{scene}: to the token");
            }
            let after = tally(&path, boundary.lines + 1);
            assert_eq!((after.used, after.compacted), (boundary.after, true), "{scene}: to the token");
            assert_eq!(after.compactions as usize, nth + 1, "{scene}");
            let with_summary = tally(&path, boundary.lines + 8);
            assert_eq!(with_summary.used, boundary.after, "{scene}: it holds until the next answer");
            compared += 1;
        }
    }
    assert_eq!(compared, 10, "every captured compaction was looked at");
}

#[test]
fn subagent_rows_do_not_move_the_gauge() {
    let agent = "subagent-compaction/transcripts/00000000-0000-4000-8000-000000000001/subagents/agent-a0000000000000003.jsonl";
    let path = fixtures().join(agent);
    assert!(boundaries(&path).len() == 1, "the subagent was compacted itself");
    assert_eq!(history::tally(READER, &path, None).unwrap(), Tally::default());
}

#[test]
fn status_line_and_transcript_agree_on_token_counts() {
    let path = transcript("status-line");
    let lines = rows(&path).len() as u32;
    let counts: Vec<Option<u64>> = (0..=lines).map(|at| tally(&path, at).used).collect();
    let reported = rows(&fixtures().join("status-line/status-line.jsonl"));
    let (limits, none) =
        (ClientLimits { window: Some(200_000), ..ClientLimits::default() }, Tally::default());
    let mut numbers = Vec::new();
    for payload in reported {
        let status = (CLIENTS[0].status)(payload.to_string().as_bytes()).expect("a captured payload");
        assert_eq!(status.session, "00000000-0000-4000-8000-000000000001");
        let inputs = Inputs {
            client: CLIENTS[0],
            tally: &none,
            status: Some(&status.gauge),
            learned: None,
            elsewhere: None,
            chosen: None,
            limits: &limits,
        };
        let gauge = Gauge::read(&inputs);
        assert_eq!(gauge.window.map(|w| (w.tokens, w.from)), Some((200_000, TokenSource::StatusLine)));
        assert_eq!(gauge.threshold.map(|t| t.tokens), Some(167_000));
        let used = gauge.used.map(|used| used.tokens);
        assert!(used.is_none() || counts.contains(&used), "{used:?} is nowhere in the transcript");
        numbers.push(used);
    }
    let known: Vec<u64> = numbers.iter().flatten().copied().collect();
    assert_eq!(known, [60_040, 120_040, 190_040, 30_040, 40_040, 25_040]);
    assert_eq!((numbers[0], numbers[numbers.len() - 2]), (None, None), "at the start, and after /compact");
}
