//! `catchword log`: what is known of each compaction.

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

#[test]
fn without_a_record_it_says_what_to_do() {
    let output = TestEnv::new().run(BIN, &["log"]).success();
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains("catchword try"), "{output}");
}

#[test]
fn a_compaction_is_listed_with_what_was_given_and_whether_it_arrived() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("Add a parser. Never touch the lock file.").says("On it.");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.pre_compact("manual", None).success();
    let _ = hooks.summariser_stop("A parser is wanted.").success();
    let brief = catchword_testkit::model_text(&hooks.session_start("compact").success().stdout);
    let _ = hooks.post_compact("manual", "A parser is wanted.").success();
    let listed = |env: &TestEnv| env.run(BIN, &["log", "--json"]).success().json()[0].clone();
    assert_eq!(listed(&env)["arrived_by"], serde_json::Value::Null);

    transcript = transcript.compaction("manual", "A parser is wanted.").hook_context("SessionStart", &brief);
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.post_tool_batch(&[]).success();
    let row = listed(&env);
    assert_eq!(row["arrived_by"], "SessionStart");
    assert_eq!(row["trigger"], "manual");
    assert_eq!(row["brief_characters"], brief.chars().count());
    assert!(row["tokens_before"].as_u64() > row["tokens_after"].as_u64());
    assert_eq!((&row["dropped"]["told"], &row["invented"]["all"]), (&1.into(), &0.into()), "{row}");
    assert_eq!(row["findings"][0]["text"], "Never touch the lock file.", "{row}");
    assert!(row["items_given_back"].as_u64() > Some(0) && row["micros"].as_u64() > Some(0), "{row}");
    let shown = env.run(BIN, &["log", &SESSION[..6]]).success().stdout;
    let line = shown.lines().last().unwrap_or_default();
    assert!(line.starts_with("01-01 12:00  manual   20k→3k") && line.ends_with("SessionStart"), "{shown}");
    assert!(shown.contains(" items "), "{shown}");
    assert!(line.contains("  1/0/0/0 ") && shown.lines().all(|l| l.chars().count() <= 80), "{shown}");
}

#[test]
fn a_compaction_whose_hooks_run_twice_is_one_line_with_its_findings_once() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("Add a parser.").task_create("Write the parser docs");
    transcript.append_to(hooks.transcript_path());
    let lie = "7. Pending Tasks:\n   - Write the parser docs: completed";
    let mut told = Vec::new();
    for _ in 0..2 {
        let _ = hooks.pre_compact("auto", None).success();
    }
    for _ in 0..2 {
        let _ = hooks.summariser_stop(lie).success();
    }
    for _ in 0..2 {
        let _ = hooks.session_start("compact").success();
    }
    for _ in 0..2 {
        told.push(hooks.post_compact("auto", lie).success().stdout);
    }
    assert!(told[0].contains("calls task 1 finished; given back.") && told[1].is_empty(), "{told:?}");
    let log = env.run(BIN, &["log", "--json"]).success().json();
    assert_eq!(log.as_array().map(Vec::len), Some(1), "{log}");
    assert_eq!(log[0]["contradicted"]["told"], 1, "{log}");
    assert_eq!(log[0]["findings"].as_array().map(Vec::len), Some(1), "{log}");
}

#[test]
fn installed_twice_the_summariser_is_guided_once_and_again_when_it_is_asked_again() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("Add a parser.").task_create("Write the parser docs");
    transcript.append_to(hooks.transcript_path());
    let guides = || -> usize {
        let both = std::thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(|| hooks.pre_compact("auto", None).success().stdout));
            threads.map(|thread| thread.join().unwrap())
        });
        both.iter().filter(|out| out.contains("Write the parser docs")).count()
    };
    assert_eq!(guides(), 1, "announced early");
    // Every command is a second; minutes later the client announces it again.
    for _ in 0..10 {
        let _ = hooks.post_tool_batch(&[]).success();
    }
    assert_eq!(guides(), 1, "and again");
    let _ = hooks.summariser_stop("1. A parser").success();
    let _ = hooks.session_start("compact").success();
    let _ = hooks.post_compact("auto", "1. A parser").success();
    assert_eq!(guides(), 1, "the next compaction");
}
