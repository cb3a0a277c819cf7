use std::path::Path;
use std::time::Duration;

use super::*;
use crate::model::entry::EntryId;
use crate::store::{IndexRow, PassProgress, RowKind};
use crate::transcript::tail::Cursor;

const PATIENCE: Duration = Duration::from_millis(500);

/// One row with this id, and what it reports.
fn pass(store: &mut Store, line: u32, id: &str, mark: Mark) -> Option<Gauged> {
    let row = IndexRow { place: Place(line), id: Some(EntryId::of(id)), kind: RowKind::Text };
    pass_with(store, line, &[row], mark)
}

/// A pass up to a line, with these rows indexed.
fn pass_with(store: &mut Store, line: u32, rows: &[IndexRow], mark: Mark) -> Option<Gauged> {
    let progress = PassProgress {
        session: "s",
        client: "claude-code",
        transcript: Path::new("/t.jsonl"),
        cwd: None,
        now: 1,
        generation: store.known("s").unwrap().map(|known| known.generation),
        anew: false,
        cursor: Cursor { offset: u64::from(line) * 10, line, head_len: 0, head_hash: 0 },
        rows,
        marks: &[mark],
        signs: &[],
        acts: &[],
        followed: &[],
        folded: None,
    };
    store.advance(&progress).unwrap()
}

fn answer(line: u32, tokens: u64) -> Mark {
    Mark::Answer { place: Place(line), tokens, model: Some("m".into()), window: None }
}

fn checkpoint(compaction: u32) -> Checkpoint {
    Checkpoint { compaction, threshold: String::new(), at: 5, used: Some(7), left: None, line: 0 }
}

#[test]
fn row_written_or_read_again_does_not_move_the_gauge() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    assert_eq!(pass(&mut store, 1, "a", answer(1, 160_000)).unwrap().tally.used, Some(160_000));
    let compaction = Mark::Compaction { place: Place(2), at: Some(167_000), after: Some(3_000) };
    assert_eq!(pass(&mut store, 2, "b", compaction.clone()).unwrap().tally.compactions, 1);
    // The client writes the kept row once more, after the compaction; another process reads the compaction.
    assert_eq!(pass(&mut store, 3, "a", answer(3, 160_000)), None);
    assert_eq!(pass(&mut store, 2, "b", compaction), None);
    let tally = store.gauged("s").unwrap().unwrap().tally;
    assert_eq!((tally.used, tally.compactions, tally.compacted_at), (Some(3_000), 1, Some(167_000)));
}

#[test]
fn unindexed_row_counts_once_even_if_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let compaction = Mark::Compaction { place: Place(2), at: Some(167_000), after: Some(3_000) };
    assert_eq!(pass_with(&mut store, 9, &[], compaction.clone()).unwrap().tally.compactions, 1);
    assert_eq!(pass_with(&mut store, 9, &[], compaction), None);
}

#[test]
fn thresholds_are_recorded_and_reported_once_per_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let _ = pass(&mut store, 1, "a", answer(1, 160_000));
    let points = [Threshold::Used(160_000), Threshold::Left(30), Threshold::Left(15)];
    for _ in 0..2 {
        store.reach("s", &points, &checkpoint(0)).unwrap();
    }
    let found = store.checkpoints("s").unwrap();
    let thresholds: Vec<_> = found.iter().map(|c| c.threshold.as_str()).collect();
    assert_eq!(thresholds, ["used 160000", "left 30%", "left 15%"]);
    let told = [(0, 15, true), (0, 15, false), (0, 30, false), (0, 5, true), (1, 30, false)];
    for (compaction, percent, first) in told {
        assert_eq!(store.claim_telling("s", compaction, percent).unwrap(), first, "{compaction} {percent}");
    }
    let compaction = Mark::Compaction { place: Place(2), at: None, after: None };
    let now = pass(&mut store, 2, "b", compaction).unwrap();
    assert_eq!((now.reached, now.tally.used), (Reached::default(), None));
    store.reach("s", &points, &checkpoint(0)).unwrap();
    assert_eq!(
        store.gauged("s").unwrap().unwrap().reached,
        Reached::default(),
        "too late for the former one"
    );
    assert!(store.claim_telling("s", 1, 30).unwrap());
}

#[test]
fn window_is_stored_by_session_and_by_model() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, PATIENCE).unwrap();
    let learned = Learned { window: 300_000, model: "m".to_owned() };
    store.learn_window("s", &learned, 1).unwrap();
    assert_eq!(store.gauged("s").unwrap(), None, "nobody has heard of the session");
    let _ = pass(&mut store, 1, "a", answer(1, 10));
    store.learn_window("s", &learned, 1).unwrap();
    let _ = pass(&mut store, 2, "b", answer(2, 20));
    let now = store.gauged("s").unwrap().unwrap();
    assert_eq!((now.learned, now.tally.used), (Some(learned), Some(20)));
    assert_eq!((store.window_of("m").unwrap(), store.window_of("n").unwrap()), (Some(300_000), None));
}
