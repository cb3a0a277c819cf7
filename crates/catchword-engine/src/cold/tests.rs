use catchword_testkit::Transcript;

use super::*;
use crate::agent::claude_code::AGENT;
use crate::agent::entry::Usage;

fn fold(transcript: &Transcript) -> Session {
    let mut session = Session::default();
    for (n, line) in transcript.lines().iter().enumerate() {
        if let Ok(Some(entry)) = (AGENT.entry)(Place(n as u32 + 1), line.as_bytes()) {
            session.apply(&entry);
        }
    }
    session
}

fn turns(transcript: Transcript, n: u32) -> Transcript {
    (0..n).fold(transcript, |t, n| t.bash(&format!("make step{n}")).ok("fine"))
}

fn worked() -> Transcript {
    Transcript::new()
        .prompt("Build the importer.")
        .task_create("Write the reader")
        .task_create("Write the writer")
        .task_update(1, "in_progress")
        .write("/home/user/project/src/reader.rs")
        .bash("cargo test reader")
        .fails("Exit code 101\nerror[E0308]: mismatched types")
        .edit("/home/user/project/src/reader.rs", "a", "b")
        .bash("cargo test reader")
        .ok("test result: ok. 4 passed; 0 failed")
        .says("I chose a streaming reader instead of a buffer because files are large.")
        .bash("git commit -am x")
        .ok("[main 1a2b3c4] Add the reader")
        .task_update(1, "completed")
        .task_update(2, "in_progress")
}

fn ids(session: &Session) -> Vec<String> {
    cold(session).into_iter().map(|task| task.task).collect()
}

#[test]
fn a_task_is_cold_after_twenty_turns_and_not_before() {
    let before = fold(&turns(worked(), 19));
    let end = before.spans.finished().next().unwrap().end.unwrap().turn;
    assert_eq!((before.turns - end, ids(&before)), (20, vec![]));
    assert_eq!(ids(&fold(&turns(worked(), 20))), ["1"]);
}

#[test]
fn a_task_that_is_spoken_of_stays_warm() {
    for words in ["Back to #1 for a moment.", "As task 1 showed, this works.", "I write the reader anew."] {
        let spoken = turns(turns(worked(), 15).says(words), 10);
        assert_eq!(ids(&fold(&spoken)), [] as [&str; 0], "{words}");
        assert_eq!(ids(&fold(&turns(spoken, 15))), ["1"], "{words}: and is cold again later");
    }
    let other = turns(turns(worked(), 15).says("Now #12 and the rest."), 10);
    assert_eq!(ids(&fold(&other)), ["1"]);
}

#[test]
fn a_summary_has_what_was_done_and_nothing_of_the_next_task() {
    let session = fold(&turns(worked(), 25));
    insta::assert_debug_snapshot!(cold(&session));
    insta::assert_snapshot!(cold(&session)[0].line(400));
}

#[test]
fn a_request_that_was_answered_and_left_behind_is_a_task() {
    let asked = Transcript::new()
        .prompt("Rename the parser module to reader please")
        .edit("/home/user/project/src/lib.rs", "a", "b")
        .says("Renamed the module and its two callers.")
        .prompt("Now write the changelog for the release");
    let session = fold(&turns(asked, 25));
    let tasks = cold(&session);
    assert_eq!(tasks.len(), 1);
    assert_eq!(
        (tasks[0].task.as_str(), tasks[0].files_modified.as_slice()),
        ("L1", &["src/lib.rs".to_owned()][..])
    );
    let said = "the agent's answer: \"Renamed the module and its two callers.\"";
    assert!(tasks[0].key_outcomes.iter().any(|o| o.starts_with(said)), "{tasks:?}");
}

#[test]
fn a_request_with_tasks_of_its_own_is_told_by_them() {
    let next =
        worked().task_update(2, "completed").says("Both are there.").prompt("Now the docs of the tool");
    assert_eq!(ids(&fold(&turns(next, 25))), ["1", "2"]);
}

#[test]
fn it_is_time_every_ten_turns_near_a_compaction() {
    let at = |turns: u32, tokens: u64, model: Option<&str>| {
        let mut session = Session::default();
        (session.turns, session.model) = (turns, model.map(str::to_owned));
        session.usage = Some(Usage { input: tokens, output: 0 });
        session
    };
    let model = Some("claude-sonnet-4-5");
    assert!(is_time(9, &at(10, 117_000, model)));
    assert!(!is_time(10, &at(19, 160_000, model)), "looked at in turn 10");
    assert!(!is_time(9, &at(10, 116_000, model)), "too early");
    assert!(!is_time(9, &at(10, 400_000, model)), "the window is larger than we thought");
    assert!(is_time(9, &at(10, 700_000, model)));
    assert!(is_time(9, &at(10, 5_000, Some("local-model"))), "nobody knows its window");
}
