//! The real OpenCode, and Kilo, which is built on it, compacting for real, with the plugin that `catchword init` installs.
//!
//! Nothing but the summary stays in the context, so the brief has everything. The tests look into the requests that the
//! client sent.

use catchword_testkit::{
    ChatAnswer, ChatRequest, ChatScript, FakeChat, RealOpenCode, Skip, TestEnv, files, find_briefs,
    real_or_skip,
};
use serde_json::{Value, json};

use super::real_chat::{
    EDITED, ERROR, FAILING, FULL, NOTE, PROMPT, RULE, STEP, after_summary, assert_handed_off,
    assert_noted_by_agent, assert_nothing_before, catchword, project,
};

const SUMMARY: &str = "Some work was done and it should go on.";

fn shell(command: &str) -> ChatAnswer {
    ChatAnswer::call("bash", json!({"command": command, "description": "d"}))
}

/// The agent plans, edits, and runs what fails.
fn begun() -> ChatScript {
    let todos = json!([{"content": "read the old parser", "status": "completed", "priority": "high"},
        {"content": STEP, "status": "in_progress", "priority": "high"}]);
    let edit = json!({"filePath": EDITED, "oldString": "table = old", "newString": "table = new"});
    ChatScript::new(SUMMARY)
        .turn(ChatAnswer::call("todowrite", json!({"todos": todos})))
        .turn(ChatAnswer::call("read", json!({"filePath": EDITED})))
        .turn(ChatAnswer::call("edit", edit))
        .turn(shell("sh ./check.sh"))
}

/// Each request has the same brief, once, with everything that the model lacks.
#[track_caller]
fn assert_in_each(requests: &[ChatRequest]) -> String {
    assert!(!requests.is_empty());
    let briefs: Vec<String> = requests
        .iter()
        .map(|request| {
            let text = request.conversation();
            let mut briefs = find_briefs(&text);
            assert_eq!(briefs.len(), 1, "each request has one: {text}");
            for once in [RULE, ERROR] {
                assert_eq!(text.matches(once).count(), 1, "{once:?} is there once: {text}");
            }
            briefs.remove(0)
        })
        .collect();
    assert!(briefs.iter().all(|brief| *brief == briefs[0]), "the same in each: {briefs:#?}");
    for wanted in [RULE, STEP, EDITED, FAILING, ERROR] {
        assert!(briefs[0].contains(wanted), "{wanted:?} is not in {}", briefs[0]);
    }
    briefs[0].clone()
}

fn session(env: &TestEnv) -> String {
    let listed: Value = serde_json::from_str(&catchword(env, &["status", "--json"]).stdout).expect("JSON");
    listed[0]["id"].as_str().expect("a session").to_owned()
}

#[test]
fn opencode_has_the_record_in_every_request_after_a_compaction() {
    compacts_in_a_tool_loop(&real_or_skip!(RealOpenCode));
}

#[test]
fn kilo_has_the_record_in_every_request_after_a_compaction() {
    match RealOpenCode::kilo() {
        Ok(client) => compacts_in_a_tool_loop(&client),
        Err(skip) => Skip::say(&skip, module_path!()),
    }
}

fn compacts_in_a_tool_loop(client: &RealOpenCode) {
    let env = project();
    let look =
        json!({"description": "look", "prompt": "Look at what the helper sees", "subagent_type": "general"});
    let api = FakeChat::start(
        begun()
            .turn(ChatAnswer::call("task", look))
            .turn(shell("ls vendor"))
            .turn(ChatAnswer::text("The helper saw one file."))
            .turn(shell("seq 1 3").context_tokens(FULL))
            .turn(shell(NOTE))
            .turn(ChatAnswer::text("All done."))
            .turn(ChatAnswer::text("Nothing more.")),
    );
    client.configure(&env, &api);
    let _ = catchword(&env, &["init", "--agent", client.name, "--yes"]);
    let _ = client.prompt(&env, &[], PROMPT);
    assert_nothing_before(&api);
    let summary = api.requests().into_iter().find(|request| request.is_summary).expect("a compaction");
    assert!(summary.body.to_string().matches(RULE).count() > 1, "the summariser is told what to keep");
    let first = assert_in_each(&after_summary(&api));
    let _ = client.prompt(&env, &["--continue"], "And now?");
    assert_eq!(api.turns_left(), 0);
    assert_eq!(assert_in_each(&after_summary(&api)), first, "in a new process, too");

    let status = catchword(&env, &["status", "--json"]).stdout;
    assert!(status.contains(client.name) && status.contains(STEP), "{status}");
    assert!(status.contains("100000"), "the plugin reports the window: {status}");
    let lost = catchword(&env, &["lost", "--all"]).stdout;
    assert!(!lost.contains("not seen"), "the plugin reports that it arrived: {lost}");
    let all: Value = serde_json::from_str(&catchword(&env, &["status", "--all", "--json"]).stdout).unwrap();
    assert_eq!(all.as_array().map(Vec::len), Some(1), "a subagent's is no session of its own: {all}");
    assert_noted_by_agent(&env);
    assert_handed_off(&env);
    let found = catchword(&env, &["search", "helper sees"]).stdout;
    assert!(found.contains("Look at what the helper sees"), "{found}");
}

#[test]
fn opencode_gets_the_record_after_a_manual_compaction_and_after_the_next_one() {
    let client = real_or_skip!(RealOpenCode);
    let env = project();
    let api = FakeChat::start(
        begun()
            .turn(ChatAnswer::text("It fails."))
            .turn(ChatAnswer::text("On it."))
            .turn(shell("echo second").context_tokens(FULL))
            .turn(ChatAnswer::text("Still failing.")),
    );
    client.configure(&env, &api);
    let _ = catchword(&env, &["init", "--agent", client.name, "--yes"]);
    let _ = client.prompt(&env, &[], PROMPT);
    client.compact(&env, &session(&env));
    assert_nothing_before(&api);
    let _ = client.prompt(&env, &["--continue"], "Go on.");
    let first = assert_in_each(&after_summary(&api));
    let status = catchword(&env, &["lost", "--all", "--json"]).stdout;
    assert!(status.contains("manual"), "{status}");
    let _ = client.prompt(&env, &["--continue"], "And once more.");
    assert_eq!(api.turns_left(), 0);
    let summaries = api.requests().iter().filter(|request| request.is_summary).count();
    assert_eq!(summaries, 2);
    let second = api.requests().into_iter().rfind(|request| request.is_summary).expect("two");
    assert_eq!(find_briefs(&second.conversation()).len(), 0, "a brief is not summarised: {}", second.body);
    let again = assert_in_each(&after_summary(&api));
    assert_ne!(first, again, "made for the second summary");
}

#[test]
fn a_store_that_cannot_be_written_harms_nobody_in_opencode() {
    let client = real_or_skip!(RealOpenCode);
    let mut env = project();
    let api = FakeChat::start(
        begun()
            .turn(shell("seq 1 3").context_tokens(FULL))
            .turn(shell("echo after"))
            .turn(ChatAnswer::text("All done.")),
    );
    client.configure(&env, &api);
    let _ = catchword(&env, &["init", "--agent", client.name, "--yes"]);
    // A file where the directory should be: that stops even root.
    let blocked = env.root().join("blocked");
    files::write(&blocked, "");
    env.set_var("CATCHWORD_HOME", &blocked);
    let printed = client.prompt(&env, &[], PROMPT);
    assert!(printed.contains("All done."), "{printed}");
    assert_eq!(api.turns_left(), 0);
    let briefs: Vec<usize> =
        after_summary(&api).iter().map(|request| find_briefs(&request.conversation()).len()).collect();
    assert!(briefs.iter().all(|count| *count <= 1), "{briefs:?}");
    assert_eq!(briefs.first(), Some(&1), "the database has what was done: {briefs:?}");
}

#[test]
fn the_text_of_a_command_is_not_taken_for_the_persons_words() {
    let client = real_or_skip!(RealOpenCode);
    let env = project();
    let api = FakeChat::start(ChatScript::new(SUMMARY).turn(ChatAnswer::text("Reviewed.")));
    client.configure(&env, &api);
    let _ = catchword(&env, &["init", "--agent", client.name, "--yes"]);
    let command = "---\ndescription: d\n---\nReview $ARGUMENTS and never touch the walrus.\n";
    files::write(client.folder(&env).join("command/review.md"), command);
    let _ = client.prompt(&env, &["--command", "review"], "src/parser.txt");
    let asked = api.requests().last().expect("a request").conversation();
    assert!(asked.contains("never touch the walrus"), "{asked}");
    let _ = catchword(&env, &["index"]);
    let brief = catchword(&env, &["brief", &session(&env)]).stdout;
    let (before, behind) = brief.split_once("## Commands and skills").expect("the command is named");
    assert!(!before.contains("walrus") && behind.contains("/review"), "{brief}");
    let found = catchword(&env, &["search", "review"]).stdout;
    assert!(found.contains("/review"), "{found}");
}
