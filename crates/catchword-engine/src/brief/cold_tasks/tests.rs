use catchword_testkit::Transcript;

use super::*;
use crate::model::tokens::{TokenCount, TokenSource};
use crate::session::tests::fold;

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

const COLD: u32 = 20;

fn ids(session: &Session) -> Vec<String> {
    cold(session, COLD, &[]).into_iter().map(|task| task.task).collect()
}

#[test]
fn task_is_cold_after_twenty_turns() {
    let before = fold(&turns(worked(), 19));
    let end = crate::session::spans::TaskSpans::of(&before.record).finished[0].end.unwrap().turn;
    assert_eq!((before.turns - end, ids(&before)), (20, vec![]));
    assert_eq!(ids(&fold(&turns(worked(), 20))), ["1"]);
}

#[test]
fn plan_says_after_how_many_turns_and_how_many_tasks_are_told() {
    let two = worked().task_update(2, "completed");
    let told = |n, plan: ColdPlan| latest(&fold(&turns(two.clone(), n)), plan.turns, plan.lines).len();
    let usual = ColdPlan::default();
    assert_eq!((told(8, usual), told(8, ColdPlan { turns: 5, ..usual })), (0, 2));
    assert_eq!((told(25, usual), told(25, ColdPlan { lines: 1, ..usual })), (2, 1));
    assert_eq!(told(25, ColdPlan { turns: 40, ..usual }), 0);
}

#[test]
fn mentioned_task_stays_warm() {
    for words in ["Back to #1 for a moment.", "As task 1 showed, this works.", "I write the reader anew."] {
        let spoken = turns(turns(worked(), 15).says(words), 10);
        assert_eq!(ids(&fold(&spoken)), [] as [&str; 0], "{words}");
        assert_eq!(ids(&fold(&turns(spoken, 15))), ["1"], "{words}: and is cold again later");
    }
    let other = turns(turns(worked(), 15).says("Now #12 and the rest."), 10);
    assert_eq!(ids(&fold(&other)), ["1"]);
}

#[test]
fn summary_covers_its_task_and_not_the_next_one() {
    let session = fold(&turns(worked(), 25));
    insta::assert_debug_snapshot!(cold(&session, COLD, &[]));
    insta::assert_snapshot!(cold(&session, COLD, &[])[0].all());
}

#[test]
fn a_task_is_summarised_once_unless_it_ended_again() {
    let session = fold(&turns(worked(), 25));
    let first = cold(&session, COLD, &[]);
    assert_eq!((first.len(), cold(&session, COLD, &first)), (1, Vec::new()));
    let again = turns(turns(worked(), 25).task_update(1, "in_progress").task_update(1, "completed"), 25);
    assert_eq!(cold(&fold(&again), COLD, &first).len(), 1);
}

#[test]
fn answered_request_is_never_called_finished() {
    let asked = Transcript::new()
        .prompt("Rename the parser module to reader please")
        .edit("/home/user/project/src/lib.rs", "a", "b")
        .says("Renamed the module and its two callers.")
        .prompt("Now write the changelog for the release");
    assert_eq!(ids(&fold(&turns(asked.clone(), 25))), [] as [&str; 0]);
    let listed = asked.task_create("Rename the parser module").task_update(1, "completed");
    assert_eq!(ids(&fold(&turns(listed, 25))), ["1"], "the task list says so");
}

#[test]
fn task_that_the_agent_calls_unfinished_is_never_cold() {
    assert_eq!(ids(&fold(&turns(worked().says("The reader reads."), 25))), ["1"]);
    let reopened = worked().says("The reader is not finished yet.");
    assert_eq!(ids(&fold(&turns(reopened, 25))), [] as [&str; 0], "by the list it is completed");
}

#[test]
fn request_with_its_own_tasks_is_covered_by_them() {
    let next =
        worked().task_update(2, "completed").says("Both are there.").prompt("Now the docs of the tool");
    assert_eq!(ids(&fold(&turns(next, 25))), ["1", "2"]);
}

#[test]
fn cold_tasks_are_checked_every_ten_turns() {
    let at = |turns| {
        let mut session = Session::default();
        session.turns = turns;
        session
    };
    assert!(is_due(9, &at(10), 10) && is_due(9, &at(40), 10));
    assert!(!is_due(10, &at(19), 10), "looked at in turn 10");
}

#[test]
fn compaction_is_near_from_seventy_percent_on() {
    let near = |used, threshold: Option<u64>| {
        let measured = |tokens| TokenCount { tokens, from: TokenSource::StatusLine };
        let gauge = Gauge { used: Some(measured(used)), threshold: threshold.map(measured), window: None };
        is_near(&gauge, 70)
    };
    assert!(near(117_000, Some(167_000)) && near(677_000, Some(967_000)));
    assert!(!near(116_000, Some(167_000)) && !near(400_000, Some(967_000)), "too early");
    assert!(near(5_000, None), "nobody knows how far it is");
}
