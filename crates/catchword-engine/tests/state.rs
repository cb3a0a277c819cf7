//! Sessions built to tempt the brief into a wrong statement about the state: the turn, jobs, failures, tasks, requests.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::choose::{Section, WorkspaceState};
use catchword_engine::ops;
use catchword_testkit::Transcript;
use serde_json::json;
use shared::{fold, guided, reference_of, section_of};

fn brief(transcript: &Transcript) -> String {
    ops::brief::brief(&fold(transcript), None, &WorkspaceState::default(), 6_000).text
}

/// The lines of one section, without its heading; empty if there is none.
fn section(transcript: &Transcript, of: Section) -> String {
    let brief = brief(transcript);
    section_of(&brief, of)
}

/// A message in the format of versions that write no stop reason.
fn says_without_reason(transcript: Transcript, text: &str) -> Transcript {
    let content = json!([{"type": "text", "text": text}]);
    let message =
        json!({"id": "msg_x", "role": "assistant", "model": "m", "stop_reason": null, "content": content});
    transcript.meta_row("assistant", json!({"message": message}))
}

fn system(transcript: Transcript, subtype: &str) -> Transcript {
    transcript.meta_row("system", json!({"subtype": subtype}))
}

fn queue(transcript: Transcript, content: &str) -> Transcript {
    transcript.meta_row("queue-operation", json!({"operation": "enqueue", "content": content}))
}

/// The agent reads `n` files.
fn reads(mut transcript: Transcript, n: usize) -> Transcript {
    for at in 0..n {
        transcript = transcript.read(&format!("/home/user/project/src/part{at}.rs"));
    }
    transcript
}

// ---- the turn

#[test]
fn turn_is_over_if_any_row_says_so() {
    let start = || Transcript::new().prompt("Make the parser strict.").bash("cargo check").ok("ok");
    let question = "Both ways work. Shall I drop the old reader as well?";
    let over = [
        start().says(question),
        system(says_without_reason(start(), question), "turn_duration"),
        system(says_without_reason(start(), question), "stop_hook_summary"),
    ];
    for session in over {
        let state = section(&session, Section::State);
        assert!(
            state.contains("had ended its turn") && state.contains("Shall I drop the old reader"),
            "{state}"
        );
    }
    let at_work = says_without_reason(start(), "The old reader is used by three callers.");
    assert_eq!(section(&at_work, Section::State), "", "nothing is known of the turn, so nothing is said");
}

#[test]
fn brief_does_not_say_that_the_agent_is_working() {
    let session =
        Transcript::new().prompt("Make the parser strict.").bash("cargo check").ok("ok").read("/p/a.rs");
    assert!(!brief(&session).contains("Mid-work"));
    assert_eq!(section(&session, Section::State), "");
    assert!(section(&session.says("It is strict now."), Section::State).contains("had ended its turn"));
}

#[test]
fn unanswered_message_is_shown_but_client_commands_do_not_count() {
    let session = Transcript::new().prompt("Make the parser strict.").says("It is strict now.");
    let asked = session.clone().prompt("And does the printer keep comments?");
    assert!(
        section(&asked, Section::State)
            .contains("latest message (\"And does the printer keep comments?\") had no answer yet"),
        "{}",
        brief(&asked)
    );
    let compacts = session.prompt("/compact");
    let state = section(&compacts, Section::State);
    assert!(state.contains("had ended its turn") && !state.contains("no answer"), "{state}");
    assert!(!brief(&compacts).contains("/compact"), "{}", brief(&compacts));
}

#[test]
fn announcement_is_shown_until_it_is_carried_out() {
    let start = |words: &str| says_without_reason(Transcript::new().prompt("Make the parser strict."), words);
    let rewrite = "The lexer is fine. Now I'll rewrite the tokenizer loop.";
    assert!(section(&start(rewrite), Section::State).contains("Announced next"));
    assert!(section(&reads(start(rewrite), 3), Section::State).contains("Announced next"));
    let begun =
        start(rewrite).edit("/home/user/project/src/lexer.rs", "a", "b").read("/home/user/project/src/a.rs");
    assert!(!section(&begun, Section::State).contains("Announced next"), "{}", brief(&begun));
    let looked = start("Let me check how the tokenizer ends a line.").read("/home/user/project/src/lexer.rs");
    assert!(!section(&looked, Section::State).contains("Announced next"), "{}", brief(&looked));
    let answered = start(rewrite).prompt("No, leave the tokenizer alone.");
    assert!(!section(&answered, Section::State).contains("Announced next"), "{}", brief(&answered));
}

#[test]
fn turn_that_ends_without_text_answers_nothing() {
    let session = says_without_reason(
        Transcript::new().prompt("Find out how the reader is meant to use two connections."),
        "Let me look that up.",
    );
    let session = session.call("WebFetch", json!({"url": "https://example.com/docs"})).ok("Contents");
    // What the client writes under the model's name.
    for text in ["(no content)", "No response requested."] {
        let silent = json!({"id": "msg_y", "role": "assistant", "model": "m", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}]});
        let session = session.clone().meta_row("assistant", json!({"message": silent}));
        let state = section(&session, Section::State);
        assert!(state.contains("latest request has no answer yet") && state.contains("L1"), "{state}");
        assert!(!state.contains("finished its turn") && !brief(&session).contains(text), "{state}");
    }
}

#[test]
fn unread_subagent_result_is_shown() {
    let launched =
        json!({"status": "async_launched", "agentId": "a77b1", "description": "Compare the readers"});
    let started = Transcript::new()
        .prompt("Compare the two readers.")
        .call("Task", json!({"description": "Compare the readers", "prompt": "Compare them."}))
        .result("Async agent launched successfully.", launched);
    let report = |more: &str| {
        format!(
            "<task-notification>\n<task-id>a77b1</task-id>\n<status>completed</status>\n{more}</task-notification>"
        )
    };
    let ended = queue(started.clone(), &report(""));
    let state = section(&ended, Section::State);
    assert!(
        state.contains("Subagent a77b1 (\"Compare the readers\") has finished; its result was not read"),
        "{state}"
    );
    let read = ended.clone().read("/tmp/tasks/a77b1.output");
    assert!(!section(&read, Section::State).contains("a77b1"), "{}", brief(&read));
    let asked = ended.call("TaskOutput", json!({"task_id": "a77b1"})).ok("The first one is faster.");
    assert!(!section(&asked, Section::State).contains("a77b1"), "{}", brief(&asked));
    let with_result = queue(started, &report("<result>The first one is faster.</result>\n"));
    assert!(!section(&with_result, Section::State).contains("a77b1"), "{}", brief(&with_result));
}

// ---- jobs

#[test]
fn job_is_over_whichever_row_reports_its_end() {
    let start = || Transcript::new().prompt("Serve it.").background_shell("b7", "npm run dev");
    assert!(section(&start(), Section::Running).contains("b7"));
    let task =
        |status: &str| json!({"retrieval_status": "success", "task": {"task_id": "b7", "status": status}});
    let ended = [
        start().task_notification("b7", "failed", ""),
        queue(
            start(),
            "<task-notification>\n<task-id>b7</task-id>\n<status>killed</status>\n</task-notification>",
        ),
        queue(
            start(),
            "<bash-notification>\n<shell-id>b7</shell-id>\n<status>completed</status>\n</bash-notification>",
        ),
        start()
            .call("TaskOutput", json!({"task_id": "b7"}))
            .result("<status>completed</status>", task("completed")),
        start()
            .call("BashOutput", json!({"bash_id": "b7"}))
            .result("done", json!({"shellId": "b7", "status": "failed"})),
        start().call("KillShell", json!({"shell_id": "b7"})).ok("Successfully killed shell: b7"),
        start().meta_row(
            "attachment",
            json!({"attachment": {"type": "task_status", "taskId": "b7", "status": "killed"}}),
        ),
        start().prompt_blocks(&["<command-name>/exit</command-name>"]),
    ];
    for session in ended {
        assert_eq!(section(&session, Section::Running), "", "{}", session.lines().last().unwrap());
    }
    let asked = start().call("TaskOutput", json!({"task_id": "b7"})).result("not yet", task("running"));
    assert!(section(&asked, Section::Running).contains("b7"));
}

#[test]
fn job_that_ends_before_its_call_returns_is_not_running() {
    let report =
        "<task-notification>\n<task-id>b9</task-id>\n<status>completed</status>\n</task-notification>";
    let session = queue(Transcript::new().prompt("Build it."), report).background_shell("b9", "make -j8");
    assert_eq!(section(&session, Section::Running), "");
    let still = Transcript::new().prompt("Build it.").background_shell("b9", "make -j8");
    assert!(section(&still, Section::Running).contains("make -j8"), "{}", brief(&still));
}

#[test]
fn old_job_is_shown_only_if_it_would_still_run() {
    let start = |command: &str| reads(Transcript::new().prompt("Go.").background_shell("b3", command), 70);
    assert_eq!(section(&start("curl -s https://example.com/status"), Section::Running), "");
    assert!(section(&start("npm run dev"), Section::Running).contains("npm run dev"));
}

// ---- failures

#[test]
fn failure_is_over_once_each_part_passes_in_any_spelling() {
    let failed =
        || Transcript::new().prompt("Go.").bash("npm run lint && npm test").fails("Exit code 1\nerror: a.ts");
    assert!(section(&failed(), Section::Failing).contains("npm run lint && npm test"));
    let over = [
        failed().bash("npm run lint").ok("clean").bash("npm test").ok("Tests: 4 passed"),
        failed().bash("cd web && pnpm run lint:fix && pnpm test 2>&1 | tail -3").ok("Tests: 4 passed"),
        failed().bash("npm run lint; npm test").ok("clean").bash("npm run lint").ok("clean"),
    ];
    for session in over {
        assert_eq!(section(&session, Section::Failing), "", "{}", session.lines().last().unwrap());
    }
    let half = failed().bash("npm run lint").ok("clean");
    assert!(section(&half, Section::Failing).contains("npm test"));
}

#[test]
fn exit_1_of_grep_diff_or_test_is_not_a_failure() {
    for command in [
        "git check-ignore -v build/",
        "diff a.lock b.lock",
        "test -f build/out",
        "[ -d build ]",
        "git log --oneline | /usr/bin/grep fixup",
    ] {
        let session = Transcript::new().prompt("Go.").bash(command).fails("Exit code 1");
        assert_eq!(section(&session, Section::Failing), "", "{command}");
    }
    let found = |first: &str, output: &str| {
        let chained = Transcript::new().prompt("Go.").bash(&format!("{first} && rg parse src"));
        section(&chained.fails(output), Section::Failing)
    };
    assert_eq!(found("nl src/a.rs", "Exit code 1\n     1\tfn main() {}"), "");
    assert_eq!(found("nl src/a.rs", "Exit code 1\nnl: src/a.rs: cannot open"), "", "it only looks");
    assert!(found("make", "Exit code 2\nsrc/a.c:1: error: x").contains("rg parse"), "the first one failed");
}

#[test]
fn skipped_call_does_not_count_as_a_run() {
    let skipped = "<tool_use_error>Sibling tool call errored</tool_use_error>";
    let session = Transcript::new().prompt("Go.").bash("cargo test -p lexer").fails(skipped);
    assert_eq!(section(&session, Section::Failing), "");
    let failed = Transcript::new().prompt("Go.").bash("cargo test").fails("Exit code 101\nerror: x");
    let session = failed.bash("cargo test").fails(skipped);
    assert!(section(&session, Section::Failing).contains("cargo test"), "the run before it still counts");
}

#[test]
fn output_decides_for_piped_commands() {
    let failed = Transcript::new()
        .prompt("Go.")
        .bash("cargo test 2>&1 | tail -3")
        .ok("test result: FAILED. 2 passed; 1 failed");
    assert!(section(&failed, Section::Failing).contains("cargo test"));
    let silent = failed.clone().bash("cargo test 2>&1 | tail -1").ok("note: run with RUST_BACKTRACE=1");
    assert!(section(&silent, Section::Failing).contains("cargo test"), "no sign of a pass");
    let passed = failed.bash("cargo test 2>&1 | tail -3").ok("test result: ok. 3 passed; 0 failed");
    assert_eq!(section(&passed, Section::Failing), "");
}

#[test]
fn failure_lists_files_edited_since() {
    let session = Transcript::new()
        .prompt("Go.")
        .bash("make check")
        .fails("Exit code 2\nerror: a.c")
        .edit("/home/user/project/src/a.c", "x", "y")
        .edit("/home/user/project/src/b.c", "x", "y");
    assert!(
        section(&session, Section::Failing).contains("edited since: src/b.c L6, src/a.c L4"),
        "{}",
        brief(&session)
    );
}

#[test]
fn failed_tests_are_named_and_truncated_output_is_marked() {
    let output = "Exit code 1\n=== RUN TestRead\n--- FAIL: TestRead (0.01s)\n[813 characters truncated]\n--- FAIL: TestWrite \
                  (0.00s)\nFAIL\n[test] ERROR task failed";
    let session = Transcript::new().prompt("Go.").bash("make test").fails(output);
    let failing = section(&session, Section::Failing);
    assert!(failing.contains("TestRead, TestWrite (the output is cut: others may have failed)"), "{failing}");
    let python = Transcript::new()
        .prompt("Go.")
        .bash("pytest -q")
        .fails("Exit code 1\nFAILED tests/test_a.py::test_rows - AssertionError\n1 failed, 3 passed");
    assert!(section(&python, Section::Failing).contains("tests/test_a.py::test_rows"));
    let browser = "Exit code 1\n  ✘  3 [chromium] › login.spec.ts:4:1 › Login › keeps the session (2s)\n  -  4 [chromium] › \
                   login.spec.ts:9:1 › Login › shows an error\n  1 failed\n  1 skipped";
    let browser = section(
        &Transcript::new().prompt("Go.").bash("npx playwright test").fails(browser),
        Section::Failing,
    );
    assert!(browser.contains("keeps the session") && !browser.contains("shows an error"), "{browser}");
}

#[test]
fn merge_conflict_is_not_a_failing_command() {
    let session = Transcript::new()
        .prompt("Merge the parent.")
        .bash("git merge parent")
        .fails("Exit code 1\nCONFLICT (content): Merge conflict in a.rs\nAutomatic merge failed");
    let failing = section(&session, Section::Failing);
    assert!(failing.contains("`git merge parent` stopped and was not completed since"), "{failing}");
}

#[test]
fn failure_in_rewound_work_is_not_shown() {
    let start = Transcript::new().prompt("Speed the reader up.").says("How?");
    let branch = start.line_count() + 1;
    let session = start
        .prompt("With a proxy.")
        .bash("cargo test -p proxy")
        .fails("Exit code 101\nerror: x")
        .says("It fails.")
        .rewind(branch)
        .prompt("With one shared connection.")
        .says("Good.");
    assert_eq!(section(&session, Section::Failing), "", "{}", brief(&session));
    let kept = Transcript::new()
        .prompt("With a proxy.")
        .bash("cargo test -p proxy")
        .fails("Exit code 101\nerror: x");
    assert!(section(&kept, Section::Failing).contains("cargo test -p proxy"), "{}", brief(&kept));
}

// ---- tasks

#[test]
fn tasks_have_the_clients_latest_status() {
    let start =
        || Transcript::new().prompt("Go.").task_create("Write the lexer").task_create("Write the printer");
    let tasks = json!([
        {"id": "1", "subject": "Write the lexer", "status": "completed", "blockedBy": []},
        {"id": "2", "subject": "Write the printer", "status": "in_progress", "blockedBy": []},
    ]);
    let got = json!({"task": {"id": "1", "subject": "Write the lexer", "status": "completed"}});
    let told = [
        start().call("TaskList", json!({})).result("#1 [completed] Write the lexer", json!({"tasks": tasks})),
        start().call("TaskGet", json!({"taskId": "1"})).result("Task #1", got),
        start().meta_row(
            "attachment",
            json!({"attachment": {"type": "task_reminder", "content": tasks, "itemCount": 2}}),
        ),
    ];
    for session in told {
        let open = section(&session, Section::Work);
        assert!(!open.contains("lexer") && open.contains("printer"), "{open}");
    }
}

#[test]
fn open_task_mentions_an_edit_that_adds_its_identifier() {
    let session = Transcript::new().prompt("Go.").task_create("Add retry_limit to the client").edit(
        "/home/user/project/src/client.rs",
        "struct Client {",
        "struct Client {\n    retry_limit: u32,",
    );
    let open = section(&session, Section::Work);
    assert!(open.contains("the list says pending") && open.contains("adds `retry_limit`"), "{open}");
}

// ---- quoted, not judged

#[test]
fn failed_run_and_the_one_that_worked_are_quoted_with_their_outcome() {
    let session = Transcript::new()
        .prompt("Go.")
        .bash("make -j8 all")
        .fails("Exit code 2\nmake: *** No rule to make target 'all'")
        .bash("ninja -C out")
        .ok("done");
    let told = brief(&session.read("/home/user/project/Makefile").says("Built."));
    let line = |of: &str| told.lines().find(|line| line.contains(of)).unwrap_or_default();
    let failed = line("`make -j8 all`");
    assert!(failed.contains("\"make: *** No rule to make target 'all'\" L2"), "{told}");
    assert_eq!(line("`ninja -C out`"), "- `ninja -C out` → \"done\" L4", "{told}");
}

#[test]
fn checks_of_a_plan_are_shown_below_their_heading() {
    let plan = format!(
        "Implement the following plan:\n\n# Cache\n\n## Context\n\n{}\n\n## Verification\n\n1. `make test`\n2. Manual test: \
         start it twice\n   - the second start is fast\n   - the counter shows one hit",
        "Reads are slow. ".repeat(60)
    );
    let session = Transcript::new().prompt(&plan).bash("make test").ok("ok");
    let asked = guided(&fold(&session), "Criteria of what was asked");
    assert!(
        asked.contains("under \"2. Manual test: start it twice\": \"the second start is fast\""),
        "{asked}"
    );
    let told = brief(&session.says("It passes.").prompt("Now name the release.").says("Named."));
    for check in ["the second start is fast", "the counter shows one hit"] {
        let beside = section_of(&told, Section::Delivered);
        assert!(beside.lines().any(|line| line.contains(check) && line.ends_with(" L1")), "{told}");
        assert!(!section_of(&told, Section::Person).contains(check), "a plan is not typed: {told}");
    }
}

#[test]
fn what_the_agent_said_is_quoted_with_its_place_and_not_called_found() {
    for words in [
        "The root cause is that `flush_rows` runs before the header is written.",
        "The root cause might be that `flush_rows` runs before the header is written.",
        "Streaming is out of scope here and goes into a follow-up.",
    ] {
        let session = Transcript::new().prompt("Look at it.").says(words).prompt("Now write the notes.");
        let told = brief(&session.says("They are written."));
        let line = format!("- Earlier: \"Look at it.\"; then the agent's words: \"{words}\" (L2) L1");
        assert_eq!(section_of(&told, Section::Asked).lines().next(), Some(line.as_str()), "{told}");
    }
}

#[test]
fn an_announcement_or_a_lone_sign_is_not_quoted_as_what_the_agent_said() {
    for words in ["Let me check what it's doing.", "⚡", "🎉"] {
        let session = Transcript::new().prompt("Look at it.").says(words).prompt("Now write the notes.");
        let told = brief(&session.says("They are written."));
        let asked = section_of(&told, Section::Asked);
        assert_eq!(asked.lines().next(), Some("- Earlier: \"Look at it.\" L1"), "{told}");
    }
}

// ---- a broken summary

#[test]
fn broken_summary_is_reported_and_replaced_by_the_record() {
    let mut session = Transcript::new().prompt("Make the parser strict. Never touch the lock file.");
    for at in 0..60 {
        session = session.bash(&format!("cargo run --bin check_part_{at} -- --verbose")).ok("ok");
        session = session.edit(&format!("/home/user/project/src/module_{at}/parser_rules.rs"), "a", "b");
    }
    let session = fold(&session);
    let told =
        |summary: Option<&str>| ops::brief::brief(&session, summary, &WorkspaceState::default(), 800).text;
    for summary in [
        "API Error: 500 {\"type\":\"error\"}",
        "Claude AI usage limit reached|1754010000",
        "<summary></summary>",
    ] {
        let text = told(Some(summary));
        assert!(text.contains("There is no usable summary"), "{text}");
        assert!(text.contains("Never touch the lock file."), "{text}");
        assert!(text.chars().count() > 800, "more than was set: {}", text.chars().count());
    }
    assert!(!told(None).contains("no usable summary"));
}

#[test]
fn latest_edit_is_shown_with_what_ran_since_or_last_before() {
    let tested = || {
        Transcript::new()
            .prompt("Fix the parser.")
            .bash("cargo test")
            .ok("test result: ok. 7 passed; 0 failed")
    };
    let edited =
        tested().edit("/home/user/project/src/parser.rs", "a", "b").read("/home/user/project/src/lib.rs");
    let state = section(&edited, Section::State);
    let before = "src/parser.rs was edited at L4; ran before: `cargo test` → \"test result: ok. 7 passed; \
        0 failed\" L2";
    assert!(state.contains(before), "{state}");
    assert!(!state.contains("Last call"), "the same in other words: {state}");
    let again = edited.bash("cargo test").ok("test result: ok. 8 passed; 0 failed");
    let state = section(&again, Section::State);
    let since = "edited at L4; ran since: `cargo test` → \"test result: ok. 8 passed; 0 failed\" L8";
    assert!(state.contains(since), "{state}");
    let notes = Transcript::new().prompt("Go.").edit("/home/user/project/notes.txt", "a", "b");
    assert!(!section(&notes, Section::State).contains("was edited"), "nobody expects a check here");
}

#[test]
fn a_commit_ends_what_was_edited_and_checked_before_it() {
    let edit = |transcript: Transcript| transcript.edit("/home/user/project/src/parser.rs", "a", "b");
    let tested =
        |transcript: Transcript| transcript.bash("cargo test").ok("test result: ok. 7 passed; 0 failed");
    let commit = |transcript: Transcript| transcript.bash("git commit -am x").ok("[main 1a2b3c4] x");
    let worked = || tested(edit(Transcript::new().prompt("Fix the parser.")));
    assert!(section(&worked(), Section::State).contains("src/parser.rs was edited"));
    assert!(!section(&commit(worked()), Section::State).contains("was edited"), "it is in the commit");
    let again = section(&edit(commit(worked())), Section::State);
    assert!(!again.contains("ran before"), "that was another state: {again}");
    let checked = section(&tested(edit(commit(worked()))), Section::State);
    assert!(checked.contains("ran since: `cargo test`"), "{checked}");
}

#[test]
fn a_task_in_progress_says_what_was_edited_since() {
    let listed = Transcript::new().prompt("Port the screens.").task_create("Port all screens");
    let begun = listed.edit("/home/user/project/src/a.kt", "a", "b").task_update(1, "in_progress");
    let work = |transcript: &Transcript| section(transcript, Section::Work);
    assert!(work(&begun).contains("[in progress]") && !work(&begun).contains("edited since"));
    let ported = begun.edit("/home/user/project/src/b.kt", "a", "b");
    assert!(work(&ported).contains("; edited since: src/b.kt L"), "{}", work(&ported));
}

#[test]
fn a_commit_on_another_branch_is_told_beside_the_branch() {
    let work = |branch: &str| {
        Transcript::new()
            .prompt("Fix the parser.")
            .bash("git commit -am x")
            .ok(&format!("[{branch} 1a2b3c4] Fix it"))
    };
    let told = |branch: &str| section(&work(branch), Section::Git);
    assert!(told("main").contains("- branch main\n"), "{}", told("main"));
    let other = "- branch main in the session's folder; the last commit went to feat/x L2.\n";
    assert!(told("feat/x").contains(other), "{}", told("feat/x"));
}

#[test]
fn nothing_is_claimed_about_runs_that_nobody_saw() {
    let edited = |transcript: Transcript| transcript.edit("/home/user/project/src/parser.rs", "a", "b");
    let served = edited(Transcript::new().prompt("Go.").bash("npm run dev").ok("ready"));
    assert!(!section(&served, Section::State).contains("was edited"));
    // Tests in a container check, and whatever names the file is about it; other programs say nothing about the edit.
    let told = |command: &str| {
        let ran = Transcript::new().prompt("Go.").bash(command).ok("fine");
        section(&edited(ran), Section::State).contains(&format!("ran before: `{command}`"))
    };
    for command in ["docker compose exec api pytest", "./try.sh src/parser.rs", "python3 parser.rs.py"] {
        assert!(told(command), "{command}");
    }
    for command in
        ["docker compose stop api", "winget install psmux", "cat src/parser.rs", "git add src/parser.rs"]
    {
        assert!(!told(command), "{command}");
    }
    let tested = Transcript::new().prompt("Go.").bash("npm test").ok("12 passed");
    let looked = tested.bash("for f in *.json; do cat $f; done").ok("{}");
    let state = section(&edited(looked), Section::State);
    assert!(state.contains("ran before: `npm test` → \"12 passed\" L2"), "{state}");
}

#[test]
fn whatever_may_have_checked_an_edit_is_shown_with_its_outcome() {
    let tested = || Transcript::new().prompt("Go.").bash("npm test").ok("12 passed");
    let edited = |transcript: Transcript| transcript.edit("/home/user/project/src/parser.ts", "a", "b");
    for command in [
        "pnpm tsc --noEmit -p tsconfig.build.json",
        "yarn eslint src",
        "docker compose exec api pytest",
        "./try.sh src/parser.ts",
    ] {
        let failed = edited(tested()).bash(command).fails("Exit code 2\nerror: no");
        // What failed last has a line of its own, once.
        let told = brief(&failed);
        let (state, failing) = (section(&failed, Section::State), section(&failed, Section::Failing));
        assert!(failing.contains(&format!("`{command}` failed: \"error: no\"")), "{command}: {told}");
        assert!(!state.contains("ran since"), "{command}: {told}");
        let again = section(&edited(edited(tested()).bash(command).ok("fine")), Section::State);
        assert!(again.contains(&format!("was edited at L8; ran before: `{command}`")), "{command}: {again}");
    }
    let installed = edited(tested()).bash("npm install eslint").ok("added 1 package");
    let state = section(&installed, Section::State);
    assert!(state.contains("ran before: `npm test` → \"12 passed\" L2"), "{state}");
}

#[test]
fn commit_in_a_repository_made_for_a_trial_is_not_the_projects() {
    let edited = Transcript::new().prompt("Go.").edit("/home/user/project/src/a.rs", "a", "b");
    let trial = "\\\n# Try it\nR=/tmp/trial\ncd \"$R\"\ngit add -A && git commit -m init";
    let chained = "cd /tmp && mkdir trial && cd trial && git init && git commit --allow-empty -m init";
    for trial in [trial, chained, "git -C /tmp/trial commit -m init"] {
        let session = edited.clone().bash(trial).ok("[main 1a2b3c4] init\n 1 file changed");
        let git = section(&session, Section::Git);
        assert!(!git.contains("1a2b3c4") && !git.contains("push"), "{trial}: {git}");
    }
    let own = "HUSKY=0 git commit -am x && cd /tmp/demo && ls";
    let git = section(&edited.bash(own).ok("[main 5d6e7f8] x\n 1 file changed"), Section::Git);
    assert!(git.contains("1 commit in this record"), "{git}");
}

#[test]
fn commit_in_the_background_is_shown_once_its_output_was_read() {
    let started = Transcript::new()
        .prompt("Ship it.")
        .edit("/home/user/project/src/a.rs", "a", "b")
        .background_shell("b7", "git add -A && git commit -m x");
    assert!(!section(&started, Section::Git).contains("commit"));
    let read = started
        .task_notification("b7", "completed", "")
        .call("TaskOutput", json!({"task_id": "b7"}))
        .ok("<output>\n[main 1a2b3c4] Ship it\n 1 file changed\n</output>")
        .bash("git push")
        .ok("main -> main");
    let git = section(&read, Section::Git);
    assert!(
        git.contains("commit 1a2b3c4") && !git.contains("no commit") && !git.contains("no push"),
        "{git}"
    );
}

#[test]
fn refused_run_does_not_undo_an_earlier_one() {
    let tested = Transcript::new().prompt("Go.").bash("cargo test").ok("test result: ok. 7 passed; 0 failed");
    let edited = tested.edit("/home/user/project/src/a.rs", "a", "b");
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let state = section(&edited.bash("cargo test").fails(refused), Section::State);
    let before = "ran before: `cargo test` → \"test result: ok. 7 passed; 0 failed\" L2";
    assert!(state.contains(before), "{state}");
}

#[test]
fn run_of_another_test_is_not_named_beside_a_failure() {
    let failed = Transcript::new()
        .prompt("Go.")
        .bash("npx playwright test tests/login.spec.ts")
        .fails("Exit code 1\nresults/login/test-failed-1.png\nError: locator not found");
    let failing = section(&failed, Section::Failing);
    assert!(failing.contains("Error: locator not found") && !failing.contains(".png"), "{failing}");
    let other = failed.bash("npx playwright test tests/share.spec.ts").ok("20 passed");
    assert!(!section(&other, Section::Failing).contains("passed at"));
}

#[test]
fn rejected_push_is_no_push() {
    let committed =
        Transcript::new().prompt("Ship it.").bash("git commit -am x").ok("[main 1a2b3c4] Ship it");
    let git =
        section(&committed.bash("git push").fails("Exit code 1\n ! [rejected] main -> main"), Section::Git);
    assert!(git.contains("commit"), "{git}");
}

#[test]
fn commit_printed_by_another_tool_is_not_that_of_a_job() {
    let started = Transcript::new().prompt("Ship it.").background_shell("b7", "git commit -am x");
    let other = started.call("WebSearch", json!({"query": "git"})).ok("[main deadbee] Not ours");
    assert!(!section(&other, Section::Git).contains("deadbee"));
    let own = Transcript::new().prompt("Ship it.").bash("git commit -am x").ok("[main deadbee] Ours");
    assert!(section(&own, Section::Git).contains("deadbee"), "{}", section(&own, Section::Git));
}

#[test]
fn earlier_commit_is_not_shown_without_the_latest() {
    let commit = |transcript: Transcript, hash: &str| {
        transcript
            .bash(&format!("git commit -m {hash}"))
            .ok(&format!("[main {hash}] Rewrite the lexer of {hash}"))
    };
    let session = commit(commit(Transcript::new().prompt("Go."), "1a2b3c4"), "5d6e7f8");
    // The client keeps the last round.
    let session = session.read("/home/user/project/a.rs").says("Going on.");
    let told = |summary| {
        let brief = ops::brief::brief(&fold(&session), Some(summary), &WorkspaceState::default(), 6_000).text;
        section_of(&brief, Section::Git)
    };
    let both = told("Nothing about commits.");
    assert!(both.contains("1a2b3c4"), "{both}");
    let latest = told("The latest commit is 5d6e7f8.");
    assert!(!latest.contains("1a2b3c4"), "{latest}");
}

#[test]
fn stopped_command_is_no_decision_once_it_runs() {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are \
                   doing and wait for the user to tell you how to proceed.";
    let stopped =
        Transcript::new().prompt("Compare them.").bash("echo == && ./compare_all --size 9").fails(refused);
    assert!(section(&stopped, Section::Answers).contains("did not let the agent run"));
    assert_eq!(section(&stopped, Section::Runs), "", "it never ran");
    let other = stopped.clone().prompt("Smaller.").bash("./compare_all --size 1").ok("1 ms");
    assert!(section(&other, Section::Answers).contains("did not let the agent run"), "not what was stopped");
    let ran = stopped.prompt("Now do it.").bash("./compare_all --size 9").ok("1 ms").says("It took 1 ms.");
    assert!(section(&ran, Section::Runs).contains("compare_all --size 9` → \"1 ms\" L5"), "{}", brief(&ran));
    assert!(!section(&ran, Section::Answers).contains("did not let the agent run"));
}

#[test]
fn age_of_the_task_list_is_told_once() {
    let listed =
        Transcript::new().prompt("Go.").task_create("write it").task_create("test it").says("Planned.");
    assert!(!section(&listed, Section::Work).contains("ago"));
    let work = section(&listed.prompt("First rename the module, please.").says("Renamed."), Section::Work);
    assert_eq!(work.matches("The agent last touched this task list 1 request ago").count(), 1, "{work}");
}

#[test]
fn unpushed_commits_are_shown() {
    let commit = |transcript: Transcript| {
        transcript.bash("git commit -am x").ok("[main 1a2b3c4] Fix the parser\n 1 file changed")
    };
    let committed = commit(Transcript::new().prompt("Go."));
    let git = section(&committed, Section::Git);
    assert!(git.contains("1 commit in this record"), "{git}");
    let pushed = committed.bash("git push origin main").ok("To example.com:a/b.git");
    assert!(!section(&pushed, Section::Git).contains("in this record"));
    assert!(section(&commit(pushed), Section::Git).contains("1 commit after the last push"));
}

#[test]
fn unfinished_code_is_quoted_where_it_was_written() {
    let path = "/home/user/project/src/ops.c";
    let stub = Transcript::new().prompt("Write the operations.").edit(
        path,
        "int mul();",
        "int mul() {\n  return ERR_NOT_IMPLEMENTED;\n}",
    );
    let later = |transcript: Transcript| {
        transcript.prompt("And the docs.").read("/home/user/project/a.md").says("Read.")
    };
    let written = section(&later(stub), Section::Written);
    assert!(written.contains("ops.c: \"return ERR_NOT_IMPLEMENTED;\" L2"), "{written}");
    let other = "/home/user/project/src/other.c";
    let input = json!({"file_path": other, "old_string": "x", "new_string": "/* TODO: divide */"});
    let edited = Transcript::new().prompt("Go.").edit(other, "a", "b");
    let failed = later(edited.call("Edit", input).fails("String to replace not found in file."));
    assert!(
        !brief(&failed).contains("TODO: divide"),
        "an edit that failed leaves nothing: {}",
        brief(&failed)
    );
}

// ---- finished, or only answered

const COMPLETED: &str = "Completed in the task list";
const THREE_PARTS: &str = "Write the parser, the exporter and the docs";

/// The person asks for something else, and the agent works on it for a long time.
fn long_after(mut transcript: Transcript) -> Transcript {
    transcript = transcript.prompt("Now name the release.");
    for at in 0..30 {
        transcript = transcript.bash(&format!("make step{at}")).ok("fine");
    }
    transcript
}

/// With everything that a summariser may be told.
fn guide(transcript: &Transcript) -> String {
    let limits = ops::brief::GuideLimits { lines: 60, ..ops::brief::GuideLimits::default() };
    ops::brief::guide(&fold(transcript), &[], None, None, limits)
}

#[test]
fn request_answered_with_not_started_is_not_called_finished() {
    let asked = Transcript::new().prompt(THREE_PARTS).write("/home/user/project/src/parser.rs");
    let half = asked.clone().says("The parser works. Exporter and docs not started.");
    let told = guide(&long_after(half.clone()));
    assert!(!told.to_lowercase().contains("finished") && !told.contains(COMPLETED), "{told}");
    assert!(told.contains("not done, in the agent's words: \"Exporter and docs not started.\""), "{told}");
    let next = half.prompt("Now name the release.").says("It is named.");
    assert!(section(&next, Section::Asked).contains(THREE_PARTS), "{}", brief(&next));
    assert!(section(&next, Section::Work).contains("Exporter and docs not started"), "{}", brief(&next));
    let silent = asked.clone().says("Here is the parser.");
    assert!(!guide(&long_after(silent)).contains(COMPLETED), "no evidence for two of three parts");
    let whole = asked
        .write("/home/user/project/src/exporter.rs")
        .write("/home/user/project/docs/index.md")
        .says("All of it is written.");
    assert!(!guide(&long_after(whole.clone())).contains(COMPLETED), "only the task list says so");
    let listed = whole.task_create("Write the parser").task_update(1, "completed");
    assert!(guide(&long_after(listed)).contains(&format!("{COMPLETED}: #1 \"Write the parser\"")));
}

#[test]
fn remaining_work_is_dropped_once_it_was_worked_on() {
    let said = Transcript::new()
        .prompt(THREE_PARTS)
        .write("/home/user/project/src/parser.rs")
        .says("What remains:\n- the exporter\n- the docs")
        .prompt("Go on.");
    assert!(
        section(&said, Section::Work).contains("What remains: the exporter; the docs"),
        "{}",
        brief(&said)
    );
    let half = said.write("/home/user/project/src/exporter.rs");
    let work = section(&half, Section::Work);
    assert!(work.contains("named in calls since: exporter"), "{work}");
    let done = half.write("/home/user/project/docs/index.md");
    assert_eq!(section(&done, Section::Work), "", "{}", brief(&done));
}

#[test]
fn remaining_work_is_not_shown_with_a_task_list_and_does_not_reopen_other_requests() {
    let remaining = "Done.\n\nRemaining items:\n- #2 integration tests\n- #4 summaries of several sessions";
    let listed =
        Transcript::new().prompt("Fix the import cycle.").task_create("integration tests").says(remaining);
    assert!(!section(&listed, Section::Work).contains("in the agent's words"), "{}", brief(&listed));
    let other = Transcript::new()
        .prompt("Fix the import cycle.")
        .edit("/home/user/project/src/a.rs", "a", "b")
        .says(remaining)
        .prompt("Now name the release.")
        .says("It is named.");
    let summary = "The work went on. ".repeat(40);
    let told = ops::brief::brief(&fold(&other), Some(&summary), &WorkspaceState::default(), 6_000).text;
    assert!(
        section_of(&told, Section::Asked)
            .contains("Earlier: \"Fix the import cycle.\"; then the agent's words: \"Done. Remaining items:"),
        "no goal: {told}"
    );
    let lacks = Transcript::new().prompt("Start it.").says("Still missing `CLIENT_ID`, which is a secret.");
    assert_eq!(section(&lacks, Section::Work), "", "a state of things is no open work");
}

// ---- said and decided

#[test]
fn findings_and_decisions_of_the_agent_are_shown() {
    let said = [
        "Root cause: the session cookie is dropped on redirect.",
        "The importer is not affected; I checked.",
        "Fixed: the retry loop no longer swallows the first error.",
        "What remains: the changelog entry.",
        "I decided to use PKCE flow for public clients.",
        "I chose HS256 over RS256.",
    ];
    let session = said.iter().fold(Transcript::new().prompt("Fix the login."), |session, words| {
        says_without_reason(session, words).read("/home/user/project/src/login.rs")
    });
    let later = session.prompt("And the logout?").bash("cargo check").ok("fine");
    let told = brief(&later);
    for words in said {
        assert!(told.contains(words), "{words}\n{told}");
    }
}

#[test]
fn decisions_are_quoted_and_reach_a_summariser_that_gets_more_lines() {
    let decided = [
        "I chose HS256 over RS256 for the signed tokens.",
        "I went with a ring buffer for the server's log.",
        "I settled on one table per tenant, and one view.",
        "I decided to use PKCE flow for public clients.",
        "I opted for soft deletion with a nightly sweep.",
    ];
    let said = decided.iter().fold(Transcript::new().prompt("Go."), |said, words| said.says(words));
    let session = fold(&said.prompt("And now?").bash("make").ok("fine"));
    let guide = |lines| {
        let limits = ops::brief::GuideLimits { lines, ..ops::brief::GuideLimits::default() };
        ops::brief::guide(&session, &[], None, None, limits)
    };
    assert!(decided.iter().all(|words| guide(60).contains(words)), "{}", guide(60));
    assert!(!decided.iter().any(|words| guide(8).contains(words)), "{}", guide(8));
    let told = ops::brief::brief(&session, None, &WorkspaceState::default(), 6_000).text;
    assert!(decided.iter().all(|words| reference_of(&told).contains(words)), "{told}");
}

#[test]
fn up_to_eight_failures_are_shown_with_their_error() {
    let session = (0..10).fold(Transcript::new().prompt("Go."), |session, n| {
        session
            .bash(&format!("cargo test -p part{n}"))
            .fails(&format!("Exit code 101\nerror: missing piece {n}"))
    });
    let failing = section(&session, Section::Failing);
    assert_eq!(failing.lines().count(), 8, "{failing}");
    assert!(failing.lines().all(|line| line.contains("missing piece")), "{failing}");
}

#[test]
fn reason_is_shown_if_the_summary_has_only_the_request() {
    let session = fold(
        &Transcript::new()
            .prompt("Split the logger because billing needs separate logs.")
            .edit("/home/user/project/src/log.rs", "a", "b")
            .says("Split."),
    );
    let summary =
        format!("1. Request: the user asked to split the logger. {}", "The work went on. ".repeat(40));
    let told = ops::brief::brief(&session, Some(&summary), &WorkspaceState::default(), 6_000).text;
    assert!(told.contains("because billing needs separate logs"), "{told}");
    let knows = format!("{summary} Split the logger because billing needs separate logs.");
    let told = ops::brief::brief(&session, Some(&knows), &WorkspaceState::default(), 6_000).text;
    assert!(!told.contains("because billing"), "{told}");
    // The agent gave the reason, and the summary has the request word for word.
    let asked = "Split the logger into one file per service, each with its own rotation and its own format.";
    let session = Transcript::new()
        .prompt(asked)
        .says("I split the logger into one file per service because billing needs separate logs.")
        .edit("/home/user/project/src/log.rs", "a", "b")
        .says("Split.");
    let summary = format!("1. Request: \"{asked}\" {}", "The work went on. ".repeat(40));
    let told = ops::brief::brief(&fold(&session), Some(&summary), &WorkspaceState::default(), 6_000).text;
    let line = told.lines().find(|line| line.contains("Why, as the agent put it: ")).unwrap_or_default();
    assert!(line.contains("because billing needs separate logs"), "{told}");
}

// ---- the first line, and the announcement

#[test]
fn first_line_names_the_compaction_the_session_and_how_to_recall_more() {
    let session = fold(&Transcript::new().prompt("Make the parser strict.").read("/home/user/project/a.rs"));
    let workspace = |announce| WorkspaceState {
        id: Some("0a1b2c3d-0000-4000-8000-000000000001".to_owned()),
        announce,
        ..WorkspaceState::default()
    };
    let told = ops::brief::brief(&session, None, &workspace(false), 6_000).text;
    let first = told.lines().nth(1).unwrap();
    let relation = "Where a summary says otherwise, this is the record";
    for part in ["compacted", "(0a1b2c3d)", "gives no orders", relation, "`catchword recall L12`"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert_eq!(first.matches(". ").count(), 2, "three short sentences: {first}");
    let announced = ops::brief::brief(&session, None, &workspace(true), 6_000).text;
    let line = announced.lines().find(|line| line.contains("The user's setting")).unwrap();
    assert!(
        line.contains("begins with one line") && line.contains("\"Make the parser strict.\" (L1)"),
        "{line}"
    );
}

// ---- subagents

fn agent(transcript: Transcript, id: &str, report: &str) -> Transcript {
    let launched = json!({"status": "async_launched", "agentId": id, "description": "Split the tokens"});
    transcript
        .call("Agent", json!({"description": "Split the tokens", "prompt": "Split them."}))
        .result(&format!("Async agent launched successfully.\nagentId: {id}"), launched)
        .task_notification(id, "completed", report)
}

#[test]
fn subagent_changes_are_attributed_to_its_report_not_to_the_agent() {
    let start = Transcript::new()
        .prompt("Split the tokens.")
        .bash("cargo test")
        .ok("test result: ok. 7 passed; 0 failed");
    let session = agent(start, "a77b1", "Files changed:\n- src/token.rs\n\n[main 4c1d9e2] Split the tokens")
        .bash("git status --short")
        .ok(" M src/token.rs\n M src/other.rs");
    let told = brief(&session);
    assert!(told.contains("\"[main 4c1d9e2] Split the tokens\" L6"), "quoted, not told as a commit: {told}");
    assert_eq!(section(&session, Section::Changed), "", "{told}");
    let git = section(&session, Section::Git);
    assert!(git.contains("not edited by the agent itself (subagents worked, too): src/other.rs"), "{git}");
    assert!(!git.contains("token.rs") && !git.contains("commit 4c1d9e2 "), "{git}");
}

#[test]
fn brief_says_that_checks_and_commits_by_a_subagent_are_unknown() {
    let start = Transcript::new()
        .prompt("Split the tokens.")
        .bash("cargo test")
        .ok("test result: ok. 7 passed; 0 failed")
        .edit("/home/user/project/src/token.rs", "a", "b");
    assert!(!brief(&start).contains("a subagent worked since"));
    let told = brief(&agent(start, "a77b1", "The tests pass."));
    let unknown = "(a subagent worked since; its calls are not in this record)";
    assert_eq!(told.matches(unknown).count(), 1, "edits and runs:\n{told}");
}

// ---- other rules

#[test]
fn manual_compaction_implies_that_the_turn_is_over() {
    let at_work = says_without_reason(
        Transcript::new().prompt("Make the parser strict.").bash("cargo check").ok("ok"),
        "The old reader is used by three callers.",
    );
    let mut session = fold(&at_work);
    session.compacts_on_order();
    let told = ops::brief::brief(&session, None, &WorkspaceState::default(), 6_000).text;
    assert!(section_of(&told, Section::State).contains("had ended its turn"), "{told}");
}

#[test]
fn todos_have_the_status_of_their_latest_list() {
    let session = Transcript::new()
        .prompt("Go.")
        .todo(&[
            ("write the lexer", "in_progress"),
            ("write the printer", "pending"),
            ("rename it", "pending"),
        ])
        .todo(&[("write the lexer", "completed"), ("write the printer", "in_progress")]);
    let open = section(&session, Section::Work);
    assert!(open.contains("[in progress] \"write the printer\""), "{open}");
    assert!(!open.contains("lexer") && !open.contains("rename it"), "{open}");
}

#[test]
fn steps_of_a_plan_are_quoted() {
    let plan = "# Cache\n\n1. Add `evict_rows` to the store.\n2. Rename `fetchAll` to `fetchPages`.";
    let session = Transcript::new().prompt("Plan it.").plan(plan).edit(
        "/home/user/project/src/api.rs",
        "fetchAll",
        "fetchPages",
    );
    let told = brief(&reads(session, 12).says("Half of it is done."));
    assert!(told.contains("\"Add `evict_rows` to the store.\""), "{told}");
}

#[test]
fn tool_refusal_is_shown_with_its_message() {
    let refused = Transcript::new()
        .prompt("Go.")
        .call("mcp__db__query", json!({"sql": "DROP TABLE rows"}))
        .fails("Error: access denied for DROP");
    let refused = refused.read("/home/user/project/src/rows.rs").says("It is not allowed.");
    let runs = section(&refused, Section::Runs);
    let told = "- used mcp__db__query (\"sql: DROP TABLE rows\") → \"Error: access denied for DROP\" L2";
    assert_eq!(runs, told, "{}", brief(&refused));
}

#[test]
fn brief_has_no_codes_or_truncated_stubs() {
    let long = "Rework the importer so that every row keeps the name of the file it came from, even if that is empty.";
    let session = (0..25).fold(
        Transcript::new()
            .prompt(long)
            .task_create("Rework the importer")
            .task_update(1, "in_progress")
            .write("/home/user/project/src/importer.rs")
            .edit("/home/user/project/src/importer.rs", "a", "b")
            .task_update(1, "completed")
            .says("The importer keeps the names."),
        |session, n| session.bash(&format!("make step{n}")).ok("fine"),
    );
    for told in [brief(&session), guide(&session)] {
        assert!(told.contains("importer"), "{told}");
        for code in ["×", "(turns ", "as in the summary"] {
            assert!(!told.contains(code), "{code}: {told}");
        }
        let is_stub = |line: &&str| line.trim_end().ends_with('…') && line.chars().count() < 70;
        assert_eq!(told.lines().find(is_stub), None, "{told}");
    }
}
