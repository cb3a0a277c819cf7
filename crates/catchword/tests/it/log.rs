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
    let line = env.run(BIN, &["log", &SESSION[..6]]).success().stdout;
    assert!(line.contains("/compact") && line.contains("by SessionStart"), "{line}");
}
