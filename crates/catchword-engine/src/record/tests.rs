use catchword_testkit::Transcript;

use super::*;
use crate::model::entry::Place;
use crate::session::tests::fold;

/// What the record has of a session, one line each: place, who, words and state.
fn seen(transcript: &Transcript) -> Vec<String> {
    let record = fold(transcript).record;
    let line = |seen: &Observation| {
        let state = match seen.state {
            Standing::Holds => String::new(),
            state => format!(" [{state:?}]"),
        };
        let kind = match &seen.what {
            Kind::Asked(_) => "asked",
            Kind::Answered { .. } => "answered",
            Kind::Refused { .. } => "refused",
            Kind::Said(_) => "said",
            Kind::Ran { ended: Some(RunResult { ok: Some(false), .. }), .. } => "failed",
            Kind::Ran { .. } => "ran",
            Kind::Called { .. } => "called",
            Kind::Printed { .. } => "printed",
            Kind::Touched(_) => "touched",
            Kind::Wrote { .. } => "wrote",
            Kind::Task { .. } => "task",
            Kind::Planned(_) => "planned",
            Kind::Summarised(_) => "summarised",
            Kind::Committed { .. } => "committed",
        };
        format!("{} {kind} {}{state}", seen.place, seen.words)
    };
    record.iter().map(line).collect()
}

#[test]
fn each_line_said_and_each_run_is_one_observation() {
    let transcript = Transcript::new()
        .prompt("Fix the login.\n\nNever touch the schema.")
        .says("I will run the tests first.")
        .bash("cargo test")
        .fails("error: it broke\ntest result: FAILED. 3 passed; 1 failed");
    assert_eq!(
        seen(&transcript),
        [
            "L1 asked Fix the login.",
            "L1 asked Never touch the schema.",
            "L2 said I will run the tests first.",
            "L3 failed cargo test",
            "L4 printed error: it broke",
            "L4 printed test result: FAILED. 3 passed; 1 failed",
        ]
    );
    let record = fold(&transcript).record;
    let run = record.iter().find_map(Observation::ended).expect("the run has ended");
    assert_eq!(run.telling, "test result: FAILED. 3 passed; 1 failed");
}

#[test]
fn the_next_run_of_a_line_overtakes_it() {
    let transcript = Transcript::new()
        .bash("cargo test 2>&1 | tail -3")
        .fails("test result: FAILED. 3 passed; 1 failed")
        .bash("cargo test -q")
        .ok("test result: ok. 4 passed; 0 failed");
    let runs: Vec<String> = seen(&transcript).into_iter().filter(|line| line.contains("cargo")).collect();
    assert_eq!(
        runs,
        ["L1 failed cargo test 2>&1 | tail -3 [Overtaken(Place(3))]", "L3 ran cargo test -q"],
        "what only shortens the output does not make it another run"
    );
}

#[test]
fn an_exact_reversal_takes_an_edit_back() {
    let edits = |last: (&str, &str)| {
        let transcript =
            Transcript::new().edit("src/a.rs", "let a = 1;", "let a = 2;").edit("src/a.rs", last.0, last.1);
        let states = fold(&transcript)
            .record
            .iter()
            .filter(|seen| matches!(seen.what, Kind::Touched(_)))
            .map(|seen| seen.state)
            .collect::<Vec<_>>();
        states
    };
    assert_eq!(edits(("let a = 2;", "let a = 1;")), [Standing::Withdrawn(Place(3)); 2]);
    assert_eq!(edits(("let a = 2;", "let a = 3;")), [Standing::Holds; 2]);
}

#[test]
fn a_refused_call_was_not_run() {
    let refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n\
                   not the data folder!";
    let transcript = Transcript::new().prompt("clean up").bash("rm -rf data").fails(refusal);
    let all = seen(&transcript);
    assert!(all.contains(&"L2 ran rm -rf data [Withdrawn(Place(2))]".to_owned()), "{all:#?}");
    assert!(all.iter().any(|line| line.starts_with("L3 refused not the data folder!")), "{all:#?}");
}

#[test]
fn of_a_long_output_the_ends_and_what_tells_are_kept() {
    let mut output: Vec<String> = (0..500).map(|n| format!("line number {n} of many")).collect();
    output[250] = "src/a.rs:3: error: cannot find it".to_owned();
    let all = seen(&Transcript::new().bash("make").ok(&output.join("\n")));
    let has = |n: usize| all.iter().any(|line| line.ends_with(&format!("line number {n} of many")));
    assert!(has(0) && has(19) && !has(20) && !has(439) && has(440) && has(499));
    assert!(all.iter().any(|line| line.ends_with("cannot find it")), "an error line in the middle");
    assert_eq!(all.len(), 1 + 20 + 60 + 1);
}

#[test]
fn a_full_log_drops_printed_lines_first_and_says_so() {
    let mut record = Record::default();
    record.asked(Place(1), 0, Voice::Person, "Keep the old format readable.");
    for n in 0..60_000 {
        record.printed((Place(n), Place(n)), n, Source::Shell, false, &format!("output number {n}"));
    }
    assert!(record.len() <= 45_000 && record.dropped > 0);
    assert_eq!(record.len() + record.dropped as usize, 60_001);
    assert_eq!(record.iter().next().map(|seen| seen.words.as_str()), Some("Keep the old format readable."));
}
