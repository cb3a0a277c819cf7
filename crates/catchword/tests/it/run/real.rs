//! `run` with the real client.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use catchword_testkit::fake_api::Request;
use catchword_testkit::{
    Asked, FakeAnswer, FakeApi, RealClient, Script, TestEnv, files, real_client_or_skip,
};
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const GOAL: &str = "Fix the bug in add and make the tests pass. Never edit anything under vendor/.";
/// Above 80 % of the client's threshold of 167,000, and below the threshold: nothing is compacted.
const NEARLY_FULL: u64 = 140_000;

/// The first request of every session, before any answer.
fn openings(api: &FakeApi) -> Vec<Request> {
    let first = |request: &Request| {
        let messages = request.body["messages"].as_array();
        messages.is_some_and(|all| all.iter().all(|message| message["role"] != "assistant"))
    };
    api.requests_for(&Asked::Turn).into_iter().filter(first).collect()
}

/// A home in which catchword is installed, too: both must get along.
fn env() -> TestEnv {
    let env = TestEnv::new();
    let hook = json!([{"hooks": [{"type": "command", "command": BIN, "args": ["hook", "claude-code"], "timeout": 10}]}]);
    let events = ["SessionStart", "UserPromptSubmit", "PostToolBatch", "PreCompact", "Stop", "SessionEnd"];
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|event| ((*event).to_owned(), hook.clone())).collect();
    files::write(env.home().join(".claude/settings.json"), json!({"hooks": hooks}).to_string());
    env.write("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n");
    env
}

fn run(client: &RealClient, env: &TestEnv, api: &FakeApi, ours: &[&str]) -> catchword_testkit::ClientOutput {
    let through: Vec<&str> = [&[BIN, "run"], ours, &["--"]].concat();
    let run = client.start(env, api).through(&through).arg("--model").arg("claude-sonnet-4-5");
    run.arg("--dangerously-skip-permissions").var("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1").prompt(GOAL)
}

fn task(subject: &str) -> Value {
    json!({"subject": subject, "description": subject, "activeForm": subject})
}

#[test]
fn final_answer_arrives_after_two_resets() {
    let client = real_client_or_skip!();
    let env = env();
    let lib = env.project().join("src/lib.rs");
    let edit = json!({"file_path": lib, "old_string": "a - b", "new_string": "a + b"});
    let script = Script::new()
        .turn(FakeAnswer::tool("TaskCreate", task("Measure the result")))
        .turn(FakeAnswer::tool("Read", json!({"file_path": lib})))
        .turn(FakeAnswer::tool("Edit", edit).context_tokens(NEARLY_FULL))
        .turn(FakeAnswer::bash("echo second session"))
        .turn(FakeAnswer::tool("TaskCreate", task("Write the changelog")))
        .turn(FakeAnswer::bash("echo nearly full").context_tokens(NEARLY_FULL))
        .turn(FakeAnswer::bash("echo third session"))
        .turn(FakeAnswer::text("The tests pass now."));
    let api = FakeApi::start(script);
    let output = run(&client, &env, &api, &[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.result()["result"], "The tests pass now.", "{output:?}");
    assert_eq!(api.turns_left(), 0);
    assert_eq!(
        output.stderr.lines().filter(|line| line.starts_with("catchword: fresh session")).count(),
        2,
        "{output:?}"
    );
    assert!(api.requests_for(&Asked::Summary).is_empty(), "nothing was compacted");

    let openings = openings(&api);
    assert_eq!(openings.len(), 3, "three sessions");
    for (opening, part) in
        [(1, "Measure the result"), (1, "src/lib.rs"), (2, "Measure the result"), (2, "Write the changelog")]
    {
        let text = openings[opening].conversation();
        assert!(text.contains(part), "{part:?} is missing in session {}:\n{text}", opening + 1);
    }
    for opening in &openings {
        let text = opening.conversation();
        assert!(text.contains(GOAL), "the goal, word for word:\n{text}");
        assert!(text.matches("Never edit anything under vendor/.").count() > 0, "the constraint:\n{text}");
    }
    let quoted = openings[1].conversation().matches("Never edit anything under vendor/.").count();
    assert!(quoted >= 2, "in the record, too");
    let recorded = env.run(BIN, &["status", "--all", "--json"]).success().json();
    assert_eq!(recorded.as_array().map(Vec::len), Some(3), "the hooks have recorded each: {recorded:#}");
    assert_eq!(files::read(lib).matches("a + b").count(), 1, "what was under way is finished");
}

/// The person's words in the new transcript are only the goal: a record that quoted a record would grow from session to
/// session.
#[test]
fn handoff_does_not_count_as_the_persons_words() {
    let client = real_client_or_skip!();
    let env = env();
    let script = Script::new()
        .turn(FakeAnswer::bash("echo one").context_tokens(NEARLY_FULL))
        .turn(FakeAnswer::bash("echo two"))
        .turn(FakeAnswer::text("Done."));
    let api = FakeApi::start(script);
    let output = run(&client, &env, &api, &[]);
    let path = env.transcript_path(&output.session_id());
    let shown = env.run(BIN, &["brief", "--transcript", path.to_str().expect("UTF-8")]).success().stdout;
    assert!(shown.contains("Goal: \"Fix the bug in add"), "{shown}");
    for ours in ["catchword-run", "catchword-handoff", "catchword handoff", "CONTINUE BY", "Please go on"] {
        assert!(!shown.contains(ours), "{ours:?} in\n{shown}");
    }
    let next = env.run(BIN, &["handoff", "--transcript", path.to_str().expect("UTF-8")]).success().stdout;
    assert_eq!(next.matches("catchword handoff of session").count(), 1, "no handoff in a handoff:\n{next}");
    assert!(!next.contains("catchword-"), "{next}");
}

#[test]
fn slash_command_is_expanded_again_in_the_next_session() {
    let client = real_client_or_skip!();
    let env = env();
    env.write(".claude/commands/fix.md", "Fix the function $ARGUMENTS, and leave vendor/ alone.");
    let script = Script::new()
        .turn(FakeAnswer::bash("echo one").context_tokens(NEARLY_FULL))
        .turn(FakeAnswer::text("Done."));
    let api = FakeApi::start(script);
    let run = client.start(&env, &api).through(&[BIN, "run", "--"]).arg("--model").arg("claude-sonnet-4-5");
    let output = run.arg("--dangerously-skip-permissions").prompt("/fix add");
    assert_eq!(output.result()["result"], "Done.", "{output:?}");
    let openings = openings(&api);
    assert_eq!(openings.len(), 2);
    for opening in &openings {
        let text = opening.conversation();
        assert!(text.contains("Fix the function add, and leave vendor/ alone."), "{text}");
    }
    assert!(openings[1].conversation().contains("<catchword-handoff>"));
}

#[test]
fn switched_off_hooks_do_not_matter() {
    let client = real_client_or_skip!();
    let env = env();
    files::write(env.home().join(".claude/settings.json"), r#"{"disableAllHooks": true}"#);
    let script = Script::new()
        .turn(FakeAnswer::bash("echo one").context_tokens(NEARLY_FULL))
        .turn(FakeAnswer::text("Done."));
    let api = FakeApi::start(script);
    let output = run(&client, &env, &api, &[]);
    assert_eq!((output.result()["result"].as_str(), openings(&api).len()), (Some("Done."), 2), "{output:?}");
}

#[test]
fn run_waits_for_a_subagent_and_ignores_its_context() {
    let client = real_client_or_skip!();
    let env = env();
    let agent = json!({"description": "Look around", "subagent_type": "general-purpose", "prompt": "SUBAGENT-ONE: look around."});
    let inner = vec![
        FakeAnswer::bash("sleep 1; echo inside").context_tokens(NEARLY_FULL),
        FakeAnswer::bash("echo inside again").context_tokens(NEARLY_FULL),
        FakeAnswer::text("Nothing found."),
    ];
    let script = Script::new()
        .turn(FakeAnswer::tool("Agent", agent))
        // Full, but the subagent is working.
        .turn(FakeAnswer::bash("sleep 4").context_tokens(NEARLY_FULL))
        .turn(FakeAnswer::bash("echo nobody works any more").context_tokens(NEARLY_FULL))
        .turn(FakeAnswer::text("Done."))
        .subagent("SUBAGENT-ONE", inner);
    let api = FakeApi::start(script);
    let output = run(&client, &env, &api, &[]);
    assert_eq!(output.result()["result"], "Done.", "{output:?}");
    assert_eq!(api.requests_for(&Asked::Subagent("SUBAGENT-ONE".into())).len(), 3, "it came to its end");
    assert_eq!(openings(&api).len(), 2, "{output:?}");
}

#[test]
fn run_asks_the_client_for_its_window() {
    let client = real_client_or_skip!();
    let env = env();
    // 80 % of 67,000.
    let script = Script::new()
        .turn(FakeAnswer::bash("echo one").context_tokens(54_000))
        .turn(FakeAnswer::text("Done."));
    let api = FakeApi::start(script);
    let through = [BIN, "run", "--"];
    let run = client.start(&env, &api).through(&through).arg("--model").arg("claude-sonnet-4-5");
    let run = run.arg("--dangerously-skip-permissions").var("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000");
    let output = run.prompt(GOAL);
    assert!(output.stderr.contains("54k of 67k"), "{output:?}");
    assert_eq!((output.result()["result"].as_str(), openings(&api).len()), (Some("Done."), 2), "{output:?}");
}

#[test]
fn prompt_during_the_last_step_is_answered_by_the_next_session() {
    let client = real_client_or_skip!();
    let env = env();
    let script = Script::new()
        .turn(
            FakeAnswer::bash("while [ ! -e asked ]; do sleep 0.1; done; sleep 1").context_tokens(NEARLY_FULL),
        )
        .turn(FakeAnswer::bash("echo second session"))
        .turn(FakeAnswer::text("Fixed, with tabs."));
    let api = FakeApi::start(script);
    let run = client.start(&env, &api).through(&[BIN, "run", "--"]).arg("--model").arg("claude-sonnet-4-5");
    let mut command = run.arg("--dangerously-skip-permissions").command();
    command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("our own binary");
    let mut stdin = child.stdin.take().expect("piped");
    let mut say = |text: &str| {
        let row = json!({"type": "user", "message": {"role": "user", "content": text}});
        writeln!(stdin, "{row}").expect("the run listens");
    };
    say(GOAL);
    let mut rows = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    assert!(rows.any(|row| row.contains("\"tool_use\"")), "the agent works");
    say("Indent with tabs, please.");
    env.write("asked", "");
    drop(stdin);
    let last = rows.last().expect("a result");
    assert!(child.wait().expect("our child").success() && last.contains("Fixed, with tabs."), "{last}");
    let openings = openings(&api);
    assert_eq!(openings.len(), 2);
    let asked = |request: &Request| request.conversation().matches("Indent with tabs, please.").count();
    assert_eq!(asked(&openings[0]), 0);
    let last = api.requests_for(&Asked::Turn).pop().expect("requests");
    assert_eq!(asked(&last), 1, "once:\n{}", last.conversation());
}

/// No tool was called, so only the prompt's own hook names the transcript.
#[test]
fn full_idle_session_is_reset_at_the_next_prompt() {
    let client = real_client_or_skip!();
    let env = env();
    let script = Script::new()
        .turn(FakeAnswer::text("I decided to use serde because it is simple.").context_tokens(NEARLY_FULL))
        .turn(FakeAnswer::text("Documented."));
    let api = FakeApi::start(script);
    let run = client.start(&env, &api).through(&[BIN, "run", "--"]).arg("--model").arg("claude-sonnet-4-5");
    let mut command = run.command();
    command.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json"]);
    let rows = [GOAL, "Now the docs."]
        .map(|text| json!({"type": "user", "message": {"role": "user", "content": text}}).to_string() + "\n");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("our own binary");
    child.stdin.take().expect("piped").write_all(rows.concat().as_bytes()).expect("the run listens");
    let output = child.wait_with_output().expect("our child");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("Documented."), "{stdout}");
    let openings = openings(&api);
    assert_eq!(openings.len(), 2, "{stdout}");
    let second = openings[1].conversation();
    for part in [GOAL, "I decided to use serde because it is simple.", "Now the docs."] {
        assert!(second.contains(part), "{part:?} is missing in\n{second}");
    }
}
