//! The real Copilot CLI and the real Qwen Code, compacting for real, with the hooks that `catchword init` installs.
//!
//! Neither has an event after a compaction at which the model could be given something that lasts: the brief goes with the
//! first tool result or prompt after it. The tests look into the requests that the clients sent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catchword_testkit::{
    BRIEF_START, ChatAnswer, ChatRequest, ChatScript, CommandOutput, CopilotEvents, FakeChat, QwenChat,
    RealCopilot, RealPi, RealQwen, SessionRows, TestEnv, files, find_briefs, real_or_skip,
};
use serde_json::json;

pub(super) const PROMPT: &str = "Port src/parser.txt to the new token table. Never edit vendor/legacy.txt, it belongs to another \
    team. Run ./check.sh when you are done.";
pub(super) const RULE: &str = "Never edit vendor/legacy.txt";
pub(super) const STEP: &str = "wire the lexer to the new token table";
pub(super) const EDITED: &str = "src/parser.txt";
pub(super) const FAILING: &str = "sh ./check.sh";
pub(super) const ERROR: &str = "E4417: token table mismatch";
/// Above the limit for automatic compaction.
pub(super) const FULL: u64 = 96_000;
/// Copilot CLI writes its rows up to 1.5 seconds late; a model is slower than that.
pub(super) const ROWS_ARE_WRITTEN: Duration = Duration::from_millis(2_500);

pub(super) fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("src/parser.txt", "table = old\nlexer = old\nend\n");
    env.write("vendor/legacy.txt", "legacy\n");
    // On a busy machine a client may miss what a program prints right before its end.
    env.write("check.sh", "echo 'E4417: token table mismatch in src/parser.txt line 2'\nsleep 0.5\nexit 3\n");
    env
}

pub(super) fn catchword(env: &TestEnv, args: &[&str]) -> CommandOutput {
    env.run(env!("CARGO_BIN_EXE_catchword"), args).success()
}

/// The requests after the last summary.
pub(super) fn after_summary(api: &FakeChat) -> Vec<ChatRequest> {
    let mut requests = api.requests();
    let summary = requests.iter().rposition(|request| request.is_summary).expect("a compaction");
    requests.split_off(summary + 1)
}

/// The first request that has a brief, which has it once and whole, with everything that the model lacks.
#[track_caller]
fn assert_given_once(requests: &[ChatRequest]) -> String {
    let texts: Vec<String> = requests.iter().map(ChatRequest::conversation).collect();
    let first = texts
        .iter()
        .find(|text| text.contains(BRIEF_START))
        .unwrap_or_else(|| panic!("no brief: {texts:#?}"));
    let briefs = find_briefs(first);
    assert_eq!(briefs.len(), 1, "{first}");
    for wanted in [STEP, EDITED, FAILING, ERROR] {
        assert!(briefs[0].contains(wanted), "{wanted:?} is not in {}", briefs[0]);
    }
    for once in [RULE, ERROR] {
        assert_eq!(first.matches(once).count(), 1, "{once:?} is there once: {first}");
    }
    let last = texts.last().expect("a request");
    assert_eq!(find_briefs(last).len(), 1, "it stays, and is not given again: {last}");
    briefs[0].clone()
}

#[track_caller]
pub(super) fn assert_nothing_before(api: &FakeChat) {
    let requests = api.requests();
    let before = requests.iter().take_while(|request| !request.is_summary);
    assert!(before.into_iter().all(|request| !request.conversation().contains(BRIEF_START)));
}

/// The agent notes something in its shell.
pub(super) const NOTE: &str = concat!(env!("CARGO_BIN_EXE_catchword"), " note 'the clock is flaky'");

/// Such a note is not the person's.
#[track_caller]
pub(super) fn assert_noted_by_agent(env: &TestEnv) {
    let notes = catchword(env, &["note", "--json"]).stdout;
    assert!(notes.contains("the clock is flaky") && notes.contains("agent"), "{notes}");
    assert!(!notes.contains("\"user\"") && !notes.contains("\"person\""), "{notes}");
}

/// There is a handoff with what fails.
#[track_caller]
pub(super) fn assert_handed_off(env: &TestEnv) {
    let handoffs = tree(&env.data().join("handoffs"));
    assert!(handoffs.values().any(|text| text.contains(ERROR)), "{handoffs:#?}");
}

/// Every file below a folder.
fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.insert(path.clone(), files::read(&path));
        }
    }
    found
}

#[test]
fn copilot_has_the_record_in_the_first_request_with_the_summary() {
    let client = real_or_skip!(RealCopilot);
    let env = project();
    let _ = catchword(&env, &["init", "--agent", "copilot", "--yes"]);
    let shell = |command: &str| ChatAnswer::call("bash", json!({"command": command, "description": "d"}));
    let path = env.project().join(EDITED);
    let edit = json!({"path": path, "old_str": "table = old", "new_str": "table = new"});
    let tasks = format!(
        "INSERT INTO todos (id, title, status) VALUES ('t0', 'read the old parser', 'done'), ('t1', '{STEP}', 'in_progress')"
    );
    let summary = "<overview>Some work was done and it should go on.</overview><history>h</history>\
        <checkpoint_title>Porting</checkpoint_title>";
    let api = FakeChat::start(
        ChatScript::new(summary)
            .turn(ChatAnswer::call("sql", json!({"description": "tasks", "query": tasks})))
            .turn(ChatAnswer::call("edit", edit))
            .turn(shell("sh ./check.sh"))
            .turn(shell("ls src vendor").context_tokens(FULL).after(ROWS_ARE_WRITTEN))
            .turn(shell("echo beside the compaction").after(ROWS_ARE_WRITTEN))
            .turn(shell("echo after"))
            .turn(ChatAnswer::text("All done."))
            .turn(ChatAnswer::text("Nothing more.")),
    );
    let _ = client.prompt(&env, &api, &[], PROMPT);
    assert_nothing_before(&api);
    let brief = assert_given_once(&after_summary(&api));
    assert!(!brief.contains(RULE), "the client keeps the person's messages: {brief}");
    let first = after_summary(&api)
        .into_iter()
        .find(|request| request.conversation().contains("has been summarized"));
    assert!(
        first.expect("a request with the summary").conversation().contains(BRIEF_START),
        "in the first of them"
    );
    let _ = client.prompt(&env, &api, &["--continue"], "And now?");
    assert_eq!(api.turns_left(), 0);
    assert_eq!(
        find_briefs(&api.requests().last().unwrap().conversation()).len(),
        1,
        "it is still there after a resume"
    );
    let status = catchword(&env, &["status", "--json"]).stdout;
    assert!(status.contains("copilot") && status.contains(STEP), "{status}");
    let lost = catchword(&env, &["lost", "--all"]).stdout;
    assert!(!lost.contains("not seen"), "the transcript shows that it arrived: {lost}");
}

/// A session that works through a compaction in a folder that the person trusts, and a prompt after it.
fn copilot_in_a_trusted_folder(client: &RealCopilot, env: &TestEnv) -> FakeChat {
    let _ = catchword(env, &["init", "--agent", "claude-code", "--project", "--yes"]);
    // Those entries name the program without its folder.
    let settings = env.project().join(".claude/settings.json");
    let program = format!("\"command\": \"{}\"", env!("CARGO_BIN_EXE_catchword"));
    files::write(&settings, files::read(&settings).replace("\"command\": \"catchword\"", &program));
    let trusted = json!({"trustedFolders": [env.project()]});
    files::write(env.home().join(".copilot/config.json"), trusted.to_string());
    let shell = |command: &str| ChatAnswer::call("bash", json!({"command": command, "description": "d"}));
    let path = env.project().join(EDITED);
    let edit = json!({"path": path, "old_str": "table = old", "new_str": "table = new"});
    let tasks = format!("INSERT INTO todos (id, title, status) VALUES ('t1', '{STEP}', 'in_progress')");
    let summary = "<overview>It should go on.</overview><history>h</history>";
    let api = FakeChat::start(
        ChatScript::new(summary)
            .turn(ChatAnswer::call("sql", json!({"description": "tasks", "query": tasks})))
            .turn(ChatAnswer::call("edit", edit))
            .turn(shell("sh ./check.sh"))
            .turn(shell("ls src vendor").context_tokens(FULL).after(ROWS_ARE_WRITTEN))
            .turn(shell("echo beside the compaction").after(ROWS_ARE_WRITTEN))
            .turn(ChatAnswer::text("All done."))
            .turn(ChatAnswer::text("Nothing more.")),
    );
    let _ = client.prompt(env, &api, &[], PROMPT);
    let _ = client.prompt(env, &api, &["--continue"], "And now?");
    assert_eq!(api.turns_left(), 0);
    let status = catchword(env, &["status", "--json"]).stdout;
    assert!(status.contains("\"copilot\"") && !status.contains("claude-code"), "{status}");
    assert_eq!(status.matches("\"client\"").count(), 1, "one session: {status}");
    let doctor = catchword(env, &["doctor", "--json"]).stdout;
    assert!(doctor.contains("answered as Copilot CLI"), "{doctor}");
    api
}

/// It runs the hooks of a project's `.claude/settings.json`, without their arguments.
#[test]
fn copilot_that_runs_the_hooks_of_another_client_is_answered_as_itself() {
    let client = real_or_skip!(RealCopilot);
    let env = project();
    let api = copilot_in_a_trusted_folder(&client, &env);
    let requests = after_summary(&api);
    let _ = assert_given_once(&requests);
    let with_brief = requests.iter().filter(|request| request.conversation().contains(BRIEF_START));
    assert!(with_brief.into_iter().all(|request| request.conversation().contains("And now?")));
}

#[test]
fn copilot_with_two_kinds_of_hooks_is_told_once() {
    let client = real_or_skip!(RealCopilot);
    let env = project();
    let _ = catchword(&env, &["init", "--agent", "copilot", "--yes"]);
    let api = copilot_in_a_trusted_folder(&client, &env);
    let _ = assert_given_once(&after_summary(&api));
    let handoffs =
        tree(env.data()).into_keys().filter(|path| path.components().any(|c| c.as_os_str() == "handoffs"));
    assert!(handoffs.count() <= 1);
}

#[test]
fn copilot_gets_the_record_with_the_prompt_after_a_manual_compaction() {
    let client = real_or_skip!(RealCopilot);
    let env = project();
    let _ = catchword(&env, &["init", "--agent", "copilot", "--yes"]);
    let shell = |command: &str| ChatAnswer::call("bash", json!({"command": command, "description": "d"}));
    let edit =
        json!({"path": env.project().join(EDITED), "old_str": "table = old", "new_str": "table = new"});
    let tasks = format!("INSERT INTO todos (id, title, status) VALUES ('t1', '{STEP}', 'in_progress')");
    let summary = "<overview>Some work was done.</overview><checkpoint_title>Porting</checkpoint_title>";
    let api = FakeChat::start(
        ChatScript::new(summary)
            .turn(ChatAnswer::call("sql", json!({"description": "tasks", "query": tasks})))
            .turn(ChatAnswer::call("edit", edit))
            .turn(shell("sh ./check.sh"))
            .turn(ChatAnswer::text("It fails.").after(ROWS_ARE_WRITTEN))
            .turn(ChatAnswer::text("On it.")),
    );
    let _ = client.prompt(&env, &api, &[], PROMPT);
    let _ = client.prompt(&env, &api, &["--continue"], "/compact");
    assert_nothing_before(&api);
    let _ = client.prompt(&env, &api, &["--continue"], "Go on.");
    let _ = assert_given_once(&after_summary(&api));
}

#[test]
fn qwen_has_the_record_with_the_first_tool_result_after_a_compaction() {
    let client = real_or_skip!(RealQwen);
    let env = project();
    client.configure(&env);
    let _ = catchword(&env, &["init", "--agent", "qwen", "--yes"]);
    let shell = |command: &str| {
        ChatAnswer::call(
            "run_shell_command",
            json!({"command": command, "description": "d", "is_background": false}),
        )
    };
    let path = env.project().join(EDITED);
    let edit = json!({"file_path": path, "old_string": "table = old", "new_string": "table = new"});
    let todos = json!([{"id": "0", "content": "read the old parser", "status": "completed"},
        {"id": "1", "content": STEP, "status": "in_progress"}]);
    let summary = "<state_snapshot><overall_goal>Some work was done and it should go on.</overall_goal></state_snapshot>";
    let api = FakeChat::start(
        ChatScript::new(summary)
            .turn(ChatAnswer::call("todo_write", json!({"todos": todos})))
            .turn(ChatAnswer::call("read_file", json!({"file_path": path})))
            .turn(ChatAnswer::call("edit", edit))
            .turn(shell("sh ./check.sh"))
            .turn(shell("ls src vendor").context_tokens(FULL))
            .turn(shell("echo after"))
            .turn(shell("echo later"))
            .turn(ChatAnswer::text("All done."))
            .turn(ChatAnswer::text("Nothing more.")),
    );
    let _ = client.prompt(&env, &api, &[], PROMPT);
    assert_nothing_before(&api);
    let summary = api.requests().into_iter().find(|request| request.is_summary).expect("a compaction");
    assert!(summary.body.to_string().matches(RULE).count() > 1, "the summariser is told what to keep");
    let brief = assert_given_once(&after_summary(&api));
    assert!(brief.contains(RULE), "the client keeps none of the person's messages: {brief}");
    let second = &after_summary(&api)[1].conversation();
    assert!(second.contains(BRIEF_START), "the first request after it is sent before any hook: {second}");
    let _ = client.prompt(&env, &api, &["--continue"], "And now?");
    let resumed = api.requests().into_iter().rfind(|request| request.conversation().contains("And now?"));
    assert_eq!(
        find_briefs(&resumed.expect("a request").conversation()).len(),
        1,
        "it is still there after a resume"
    );
    let status = catchword(&env, &["status", "--json"]).stdout;
    assert!(status.contains("qwen") && status.contains(STEP), "{status}");
    let lost = catchword(&env, &["lost", "--all"]).stdout;
    assert!(!lost.contains("not seen"), "the transcript shows that it arrived: {lost}");
}

#[test]
fn qwen_gets_the_record_with_the_prompt_after_a_manual_compaction() {
    let client = real_or_skip!(RealQwen);
    let env = project();
    client.configure(&env);
    let _ = catchword(&env, &["init", "--agent", "qwen", "--yes"]);
    let check = json!({"command": "sh ./check.sh", "description": "d", "is_background": false});
    let path = env.project().join(EDITED);
    let edit = json!({"file_path": path, "old_string": "table = old", "new_string": "table = new"});
    let todos = json!([{"id": "1", "content": STEP, "status": "in_progress"}]);
    let api = FakeChat::start(
        ChatScript::new("<state_snapshot><overall_goal>Some work was done.</overall_goal></state_snapshot>")
            .turn(ChatAnswer::call("todo_write", json!({"todos": todos})))
            .turn(ChatAnswer::call("read_file", json!({"file_path": path})))
            .turn(ChatAnswer::call("edit", edit))
            .turn(ChatAnswer::call("run_shell_command", check))
            .turn(ChatAnswer::text("It fails.").context_tokens(60_000))
            .turn(ChatAnswer::text("On it.")),
    );
    let _ = client.prompt(&env, &api, &[], PROMPT);
    let _ = client.prompt(&env, &api, &["--continue"], "/compress");
    assert_nothing_before(&api);
    let _ = client.prompt(&env, &api, &["--continue"], "Go on.");
    let asked = api.requests().into_iter().rfind(|request| request.conversation().contains("Go on."));
    let asked = asked.expect("a request").conversation();
    let briefs = find_briefs(&asked);
    assert_eq!(briefs.len(), 1, "{asked}");
    for wanted in [RULE, STEP, EDITED, FAILING, ERROR] {
        assert!(briefs[0].contains(wanted), "{wanted:?} is not in {}", briefs[0]);
    }
}

/// Whatever a client sends, and wherever its transcript leads, a hook says nothing and ends well.
#[test]
fn hooks_of_every_client_survive_any_input() {
    let env = TestEnv::new();
    let lines = env.home().join("rows.jsonl");
    files::write(
        &lines,
        "{}\nnull\n[1]\n\u{0}\u{0}{\"type\":\"message\"}\n{\"type\":\"user\",\"message\":7}\nhalf",
    );
    let names = catchword_engine::clients::CLIENTS.iter().map(|client| client.name);
    for client in names {
        for event in [
            "SessionStart",
            "UserPromptSubmit",
            "PostToolUse",
            "PreCompact",
            "PostCompact",
            "Stop",
            "SessionEnd",
        ] {
            for path in
                [lines.as_path(), env.home(), Path::new("/nonexistent/x.jsonl"), Path::new("relative")]
            {
                let payload = json!({"hook_event_name": event, "session_id": "a-1", "transcript_path": path,
                    "cwd": env.project(), "prompt": 7, "trigger": null, "delivered": "x"});
                let bin = env!("CARGO_BIN_EXE_catchword");
                let output = env.run_with_stdin(bin, &["hook", client], payload.to_string()).success();
                assert_eq!(output.stdout, "", "{client} {event} {}", path.display());
            }
        }
        let garbage =
            env.run_with_stdin(env!("CARGO_BIN_EXE_catchword"), &["hook", client], "{\"a\":").success();
        assert_eq!(garbage.stdout, "", "{client}");
    }
}

#[test]
fn pi_has_the_record_in_every_request_after_a_compaction() {
    let client = real_or_skip!(RealPi);
    let env = project();
    let shell = |command: &str| ChatAnswer::call("bash", json!({"command": command}));
    let edit = json!({"path": EDITED, "edits": [{"oldText": "table = old", "newText": "table = new"}]});
    let api = FakeChat::start(
        ChatScript::new("Some work was done and it should go on.")
            .turn(shell("cat src/parser.txt"))
            .turn(ChatAnswer::call("edit", edit))
            .turn(shell("sh ./check.sh"))
            // The client keeps the latest messages.
            .turn(shell("seq 1 300").context_tokens(FULL))
            .turn(shell(NOTE))
            .turn(ChatAnswer::text("All done."))
            .turn(ChatAnswer::text("Nothing more.")),
    );
    client.configure(&env, &api);
    let _ = catchword(&env, &["init", "--agent", "pi", "--yes"]);
    let _ = client.prompt(&env, &[], PROMPT);
    assert_nothing_before(&api);
    let _ = client.prompt(&env, &["--continue"], "And now?");
    assert_eq!(api.turns_left(), 0);
    let briefs: Vec<String> = after_summary(&api)
        .iter()
        .flat_map(|request| {
            let text = request.conversation();
            let briefs = find_briefs(&text);
            assert_eq!(briefs.len(), 1, "each request has one: {text}");
            for once in [RULE, ERROR] {
                assert_eq!(text.matches(once).count(), 1, "{once:?} is there once: {text}");
            }
            briefs
        })
        .collect();
    assert!(
        briefs.len() > 2 && briefs.iter().all(|brief| *brief == briefs[0]),
        "the same in each: {briefs:#?}"
    );
    for wanted in [RULE, EDITED, FAILING, ERROR] {
        assert!(briefs[0].contains(wanted), "{wanted:?} is not in {}", briefs[0]);
    }
    assert_noted_by_agent(&env);
    assert_handed_off(&env);
    let status = catchword(&env, &["status", "--json"]).stdout;
    assert!(status.contains("100000"), "the extension reports the window: {status}");
    let lost = catchword(&env, &["lost", "--all"]).stdout;
    assert!(!lost.contains("not seen"), "the extension reports that it arrived: {lost}");
}

#[test]
fn pi_gets_the_record_after_a_manual_compaction_and_after_the_next_one() {
    let client = real_or_skip!(RealPi);
    let env = project();
    let shell = |command: &str| ChatAnswer::call("bash", json!({"command": command}));
    let edit = json!({"path": EDITED, "edits": [{"oldText": "table = old", "newText": "table = new"}]});
    let api = FakeChat::start(
        ChatScript::new("Some work was done and it should go on.")
            .turn(ChatAnswer::call("edit", edit))
            .turn(shell("sh ./check.sh"))
            .turn(shell("seq 1 300"))
            .turn(ChatAnswer::text("It fails."))
            .turn(ChatAnswer::text("On it."))
            .turn(shell("seq 301 600").context_tokens(FULL))
            .turn(ChatAnswer::text("Still failing.")),
    );
    client.configure(&env, &api);
    let _ = catchword(&env, &["init", "--agent", "pi", "--yes"]);
    let _ = client.prompt(&env, &[], PROMPT);
    client.compact(&env);
    assert_nothing_before(&api);
    let _ = client.prompt(&env, &["--continue"], "Go on.");
    let first = find_briefs(&after_summary(&api)[0].conversation());
    let _ = client.prompt(&env, &["--continue"], "And once more.");
    assert_eq!(api.turns_left(), 0);
    let second = find_briefs(&after_summary(&api).last().expect("a request").conversation());
    assert_eq!((first.len(), second.len()), (1, 1), "{first:#?}\n{second:#?}");
    assert_ne!(first, second, "made for the second summary");
    for wanted in [RULE, EDITED, FAILING, ERROR] {
        assert!(
            first[0].contains(wanted) && second[0].contains(wanted),
            "{wanted:?}: {first:#?}\n{second:#?}"
        );
    }
}

#[test]
fn what_init_adds_remove_takes_out_byte_for_byte() {
    let settings = "settings.json";
    for (agent, folder, settings) in [
        ("copilot", ".copilot", settings),
        ("qwen", ".qwen", settings),
        ("pi", ".pi/agent", settings),
        ("opencode", ".config/opencode", "opencode.json"),
        ("kilo", ".config/kilo", "kilo.json"),
    ] {
        let env = TestEnv::new();
        files::write(env.home().join(folder).join(settings), "{\n  \"theme\": \"dark\" \n}\n");
        let home = env.home().join(folder);
        let before = tree(&home);
        let _ = catchword(&env, &["init", "--agent", agent, "--yes"]);
        let installed = tree(&home);
        assert!(
            installed.values().any(|text| text.contains("catchword") && text.contains("hook")),
            "{agent}: {installed:#?}"
        );
        assert!(installed.keys().any(|path| path.ends_with("skills/catchword/SKILL.md")), "{agent}");
        let again = catchword(&env, &["init", "--agent", agent, "--yes"]);
        assert_eq!(tree(&home), installed, "{agent}: {again}");
        let _ = catchword(&env, &["remove", "--agent", agent, "--yes"]);
        assert_eq!(tree(&home), before, "{agent}");
    }
}

/// What a client is given to show the person after a compaction that lost something, event by event, and whether the store
/// says that they were told.
fn told_to_person(agent: &str, path: &Path, rows: &[String; 2], tools: &str) -> (Vec<String>, bool) {
    let env = TestEnv::new();
    let path = env.home().join(path);
    files::write(&path, &rows[0]);
    let shown = |event: &str| {
        let payload = json!({"hook_event_name": event, "session_id": "s", "transcript_path": path, "timestamp": "t",
            "cwd": env.project(), "prompt": "Go on.", "trigger": "auto"});
        let bin = env!("CARGO_BIN_EXE_catchword");
        let output = env.run_with_stdin(bin, &["hook", agent], payload.to_string()).success().stdout;
        let answer: serde_json::Value = serde_json::from_str(&output).unwrap_or_default();
        answer["systemMessage"].as_str().map(|line| format!("{event}: {line}"))
    };
    let before = shown("PreCompact");
    files::write(&path, &rows[1]);
    let events = [tools, "UserPromptSubmit", "Stop", "UserPromptSubmit"];
    let lines = before.into_iter().chain(events.into_iter().filter_map(shown)).collect();
    let lost = catchword(&env, &["lost", "--all", "--json"]).stdout;
    let lost: serde_json::Value = serde_json::from_str(&lost).expect("JSON");
    (lines, lost[0]["person_told_at"].is_i64())
}

#[test]
fn a_line_that_the_client_does_not_show_does_not_count_as_told() {
    let (rule, error) = ("Never edit vendor/legacy.txt. Port the parser.", "error: expected `;`");
    let summary =
        "All tests pass and nothing is left to do in this project, everything was finished as asked.";
    let qwen = QwenChat::new().prompt(rule).runs("cargo test", 101, error);
    let rows = [qwen.build(), qwen.compaction(summary).says("On it.").build()];
    let chat = Path::new(".qwen/projects/-home-user-project/chats/s.jsonl");
    let (lines, is_told) = told_to_person("qwen", chat, &rows, "PostToolBatch");
    assert!(lines.len() == 1 && lines[0].starts_with("Stop: "), "only there the client shows it: {lines:?}");
    assert!(is_told);

    let copilot = CopilotEvents::new().prompt(rule).runs("cargo test", 101, error);
    let rows = [copilot.build(), copilot.compaction(summary).says("On it.").build()];
    let events = Path::new(".copilot/session-state/s/events.jsonl");
    assert_eq!(told_to_person("copilot", events, &rows, "PostToolUse"), (Vec::new(), false));
}
