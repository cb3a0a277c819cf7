use std::path::Path;
use std::time::Duration;

use catchword_testkit::{Transcript, files};
use proptest::prelude::*;

use super::shared::LocalArchive;
use super::*;
use crate::archive::conformance;
use crate::ops::index;
use crate::ops::tests::READER;

const NOW: i64 = 1_767_268_800_000;

fn open(folder: &Path) -> History {
    History::open(folder, NOW, Duration::from_secs(5)).unwrap()
}

fn main_thread(session: &str) -> TranscriptOwner {
    TranscriptOwner { session: session.to_owned(), subagent: String::new() }
}

/// Everything the history has of a session.
fn recorded(history: &History, session: &str) -> (TranscriptSource, Vec<HistoryItem>) {
    let mut source = history.source(&main_thread(session)).unwrap().expect("it is recorded");
    let items = history.items(source.no, 0, u32::MAX, usize::MAX >> 1).unwrap();
    // Row numbers differ between two histories; what was recorded must not.
    source.no = 0;
    (source, items)
}

fn take_in(history: &mut History, session: &str, path: &Path) -> index::Indexed {
    index::transcript(history, READER, &main_thread(session), path, &|| true).unwrap()
}

fn a_session() -> Transcript {
    Transcript::new()
        .prompt("Add a parser for the config files.")
        .says("I'll begin with the lexer.")
        .task_create("write the lexer")
        .edit("/home/user/project/src/lexer.rs", "fn old()", "fn fresh()")
        .bash("cargo test --test lexer")
        .fails("Exit code 101\nerror[E0308]: mismatched types")
        .ask("Which format?", "TOML only")
        .read("/home/user/project/README.md")
        .compaction("auto", "The lexer is under way.")
        .bash("cargo test --test lexer")
        .ok("test result: ok. 3 passed")
        .task_update(1, "completed")
        .says("Done.")
}

fn found(history: &History, typed: &str) -> Vec<(ItemKind, u32)> {
    let query = Query::parse(typed, NOW);
    let mut found: Vec<(ItemKind, u32)> = history
        .matches(&query, 100)
        .unwrap()
        .iter()
        .map(|found| (found.item.kind, found.item.place.0))
        .collect();
    found.sort_by_key(|(_, line)| *line);
    found
}

#[test]
fn a_call_and_its_answer_are_found_by_words_of_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    a_session().write_to(&path);
    let mut history = open(folder.path());
    take_in(&mut history, "s", &path);
    let kinds = |typed: &str| found(&history, typed).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    assert_eq!(kinds("lexer E0308"), [ItemKind::Command]);
    assert_eq!(kinds("command:cargo"), [ItemKind::Command, ItemKind::Command]);
    assert_eq!(kinds("command:cargo error:"), [ItemKind::Command]);
    assert_eq!(kinds("error:mismatched"), [ItemKind::Command]);
    assert_eq!(kinds("file:src/lexer.rs"), [ItemKind::File]);
    assert_eq!(kinds("file:README.md"), [ItemKind::File]);
    assert_eq!(kinds("\"fn fresh\""), [ItemKind::File]);
    assert_eq!(kinds("toml format"), [ItemKind::Decision]);
    assert_eq!(kinds("role:user"), [ItemKind::Prompt, ItemKind::Decision]);
    assert_eq!(kinds("role:summary way"), [ItemKind::Summary]);
    assert_eq!(kinds("pars* config"), [ItemKind::Prompt]);
    assert_eq!(kinds("parser lexer nowhere"), []);
}

#[test]
fn filters_narrow_by_time_project_and_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = open(folder.path());
    for (session, cwd) in [("one", "/home/user/App"), ("two", "/home/user/lib")] {
        let path = folder.path().join(format!("{session}.jsonl"));
        Transcript::new().cwd(cwd).prompt("needle").write_to(&path);
        take_in(&mut history, session, &path);
    }
    assert_eq!(found(&history, "needle").len(), 2);
    assert_eq!(found(&history, "needle project:app").len(), 1);
    assert_eq!(found(&history, "needle session:tw").len(), 1);
    assert_eq!(found(&history, "needle since:2d").len(), 2);
    assert_eq!(found(&history, "needle since:2026-01-02").len(), 0);
    assert_eq!(found(&history, "needle until:2020-01-01").len(), 0);
    assert_eq!(found(&history, "project:lib since:1w").len(), 1);
}

#[test]
fn reading_twice_records_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    a_session().write_to(&path);
    let mut history = open(folder.path());
    take_in(&mut history, "s", &path);
    let once = recorded(&history, "s");
    assert_eq!(take_in(&mut history, "s", &path).bytes, 0);
    assert_eq!(recorded(&history, "s"), once);
    assert_eq!((once.0.prompts, once.0.compactions, once.0.open_tasks), (1, 1, 0));
    assert_eq!(once.0.title.as_deref(), Some("Add a parser for the config files."));
}

#[test]
fn compactions_repeated_in_a_later_pass_are_recorded_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let transcript = Transcript::new().prompt("a").compaction("auto", "The first summary.").prompt("b");
    transcript.write_to(&path);
    let mut history = open(folder.path());
    take_in(&mut history, "s", &path);
    let lines = transcript.line_count();
    let copied = (1..=lines).fold(transcript, Transcript::duplicate_row);
    copied.compaction("auto", "The second summary.").write_to(&path);
    take_in(&mut history, "s", &path);
    assert_eq!(recorded(&history, "s").0.compactions, 2);
    assert_eq!(found(&history, "first summary").len(), 1);
}

#[test]
fn replaced_transcript_is_indexed_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let mut history = open(folder.path());
    Transcript::new().prompt("the old request").write_to(&path);
    take_in(&mut history, "s", &path);
    Transcript::new().session("other").prompt("a new request altogether").write_to(&path);
    take_in(&mut history, "s", &path);
    assert_eq!(found(&history, "old"), []);
    assert_eq!(found(&history, "altogether").len(), 1);
    assert_eq!(recorded(&history, "s").0.title.as_deref(), Some("a new request altogether"));
}

#[test]
fn a_copy_of_a_recorded_transcript_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = open(folder.path());
    let (path, copy) = (folder.path().join("t.jsonl"), folder.path().join("copy.jsonl"));
    a_session().write_to(&path);
    Transcript::new().prompt("an older state").write_to(&copy);
    take_in(&mut history, "s", &path);
    let before = recorded(&history, "s");
    take_in(&mut history, "s", &copy);
    assert_eq!(recorded(&history, "s"), before);
    std::fs::remove_file(&path).unwrap();
    take_in(&mut history, "s", &copy);
    assert_eq!(recorded(&history, "s").0.path, copy, "the only one left");
}

#[test]
fn batch_with_an_outdated_cursor_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = open(folder.path());
    let batch = |from, offset| Batch {
        thread: main_thread("s"),
        client: "test",
        path: "/t".into(),
        from,
        anew: false,
        generation: 0,
        cursor: Cursor { offset, line: 1, ..Cursor::default() },
        items: Vec::new(),
        answers: Vec::new(),
        tally: TranscriptTotals { prompts: 1, ..TranscriptTotals::default() },
        project_key: None,
    };
    assert!(history.advance(&batch(None, 10)).unwrap());
    assert!(!history.advance(&batch(None, 10)).unwrap(), "the same again");
    assert!(!history.advance(&batch(Some((5, 0)), 20)).unwrap(), "from another place");
    assert!(!history.advance(&batch(Some((10, 1)), 20)).unwrap(), "of another generation");
    assert!(history.advance(&batch(Some((10, 0)), 20)).unwrap());
    assert_eq!(recorded(&history, "s").0.prompts, 2);
}

#[test]
fn words_are_found_in_any_script() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    Transcript::new().prompt("日本語のテスト naïve Größe foo_bar").write_to(&path);
    let mut history = open(folder.path());
    take_in(&mut history, "s", &path);
    for typed in ["日本", "テスト", "naive", "grösse*", "größe", "GRÖßE", "foo_bar", "bar"] {
        let expected = usize::from(typed != "grösse*");
        assert_eq!(found(&history, typed).len(), expected, "{typed}");
    }
}

#[test]
fn words_in_coloured_output_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let painted = "\u{1b}[1m\u{1b}[31merror\u{1b}[0m: \u{1b}[33mmismatched\u{1b}[0m types";
    Transcript::new().prompt("Build.").bash("make").fails(painted).write_to(&path);
    let mut history = open(folder.path());
    take_in(&mut history, "s", &path);
    for typed in ["mismatched", "error:error", "\"error mismatched types\""] {
        assert_eq!(found(&history, typed), [(ItemKind::Command, 2)], "{typed}");
    }
}

#[test]
fn damaged_history_is_set_aside_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    files::write(History::path(folder.path()), b"not a database ".repeat(100));
    assert_eq!(open(folder.path()).size().unwrap(), 0);
    let aside = std::fs::read_dir(folder.path()).unwrap().flatten();
    assert!(aside.into_iter().any(|e| e.file_name().to_string_lossy().contains("set-aside")));
}

#[test]
fn history_conforms_to_what_every_archive_promises() {
    conformance::all(|_, promise| {
        let folder = tempfile::tempdir().unwrap();
        promise(&|| Box::new(LocalArchive::new(open(folder.path()), "here")));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// SQLite accepts whatever is typed.
    #[test]
    fn every_input_is_a_valid_query(typed in "\\PC*|[\"*:(){}^+\\-a-z ]{0,40}|(AND|OR|NOT|NEAR|file:|error:|\"|\\*| |a){0,12}") {
        let folder = tempfile::tempdir().unwrap();
        let history = open(folder.path());
        prop_assert!(history.matches(&Query::parse(&typed, NOW), 10).is_ok());
    }

    /// Any split of a transcript gives the same history.
    #[test]
    fn any_split_gives_the_same_items(cuts in proptest::collection::vec(0_usize..4_000, 0..6)) {
        let transcript = a_session().build();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at * transcript.len() / 4_000).collect();
        cuts.push(transcript.len());
        cuts.sort_unstable();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let mut history = open(folder.path());
        for cut in cuts {
            files::write(&path, &transcript.as_bytes()[..cut]);
            take_in(&mut history, "split", &path);
        }
        take_in(&mut history, "whole", &path);
        let (mut split, split_items) = recorded(&history, "split");
        let (whole, whole_items) = recorded(&history, "whole");
        split.thread.session = "whole".into();
        // Drawn for each transcript that is recorded anew.
        prop_assert!(split.generation != whole.generation);
        split.generation = whole.generation;
        prop_assert_eq!(split, whole);
        prop_assert_eq!(split_items, whole_items);
        for typed in ["E0308", "lexer", "passed", "command:cargo error:"] {
            let of = |session: &str| found(&history, &format!("{typed} session:{session}"));
            prop_assert_eq!(of("split"), of("whole"));
        }
    }
}
