//! What people and agents type into a search: always a valid query, never syntax of the index.

#![no_main]

use std::cell::OnceCell;
use std::time::Duration;

use catchword_engine::archive::history::History;
use catchword_engine::archive::history::query::Query;
use libfuzzer_sys::fuzz_target;

const NOW: i64 = 1_767_268_800_000;

thread_local! {
    /// One empty history for all runs: the index parses the expression even if it is empty.
    static HISTORY: OnceCell<(tempfile::TempDir, History)> = const { OnceCell::new() };
}

fuzz_target!(|text: &str| {
    let arguments: Vec<String> = text.split('\u{1f}').map(str::to_owned).collect();
    for query in [Query::parse(text, NOW), Query::of_arguments(&arguments, NOW)] {
        HISTORY.with(|cell| {
            let (_, history) = cell.get_or_init(|| {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let history =
                    History::open(folder.path(), NOW, Duration::from_secs(5)).expect("a new history");
                (folder, history)
            });
            history.matches(&query, 10).expect("every query is one for the index");
            history.count(&query, 10).expect("every query is one for the index");
        });
    }
});
