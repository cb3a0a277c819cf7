//! The real OpenCode, and Kilo, which is built on it, compacting for real, with the plugin that `catchword init` installs.
//!
//! Nothing but the summary stays in the context, so the brief has everything. The tests look into the requests that the
//! client sent.

use catchword_testkit::{
    ChatAnswer, ChatRequest, ChatScript, FakeChat, RealOpenCode, Skip, TestEnv, find_briefs, real_or_skip,
};
use serde_json::{Value, json};

use super::real_chat::{
    EDITED, ERROR, FAILING, FULL, PROMPT, RULE, STEP, after_summary, assert_nothing_before, catchword, project, tree,
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
    let look = json!({"description": "look", "prompt": "Look at what the helper sees", "subagent_type": "general"});
    let api = FakeChat::start(
        begun()
            .turn(ChatAnswer::call("task", look))
            .turn(shell("ls vendor"))
            .turn(ChatAnswer::text("The helper saw one file."))
            .turn(shell("seq 1 3").context_tokens(FULL))
            .turn(shell("echo after"))
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
    let lost = catchword(&env, &["lost", "--all"]).stdout;
    assert!(!lost.contains("not seen"), "the plugin reports that it arrived: {lost}");
    let all: Value = serde_json::from_str(&catchword(&env, &["status", "--all", "--json"]).stdout).unwrap();
    assert_eq!(all.as_array().map(Vec::len), Some(1), "a subagent's is no session of its own: {all}");
    let found = catchword(&env, &["search", "helper sees"]).stdout;
    assert!(found.contains("Look at what the helper sees"), "{found}");
}
