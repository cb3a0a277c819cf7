//! `note`: notes and tasks, and what of them reaches the agent.

use std::path::Path;

use catchword_testkit::{
    Asked, CommandOutput, FakeAnswer, FakeApi, HookPlayer, RealClient, Script, TestEnv, Transcript, files,
    find_briefs, real_client_or_skip,
};
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const SESSION: &str = "11111111-1111-4111-8111-111111111111";

fn transcript(env: &TestEnv) -> Transcript {
    Transcript::new().session(SESSION).cwd(env.project())
}

fn play<'a>(env: &'a TestEnv, transcript: &mut Transcript) -> HookPlayer<'a> {
    let hooks = HookPlayer::new(env, BIN, SESSION);
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.stop("").success();
    hooks
}

fn run(env: &TestEnv, arguments: &[&str]) -> CommandOutput {
    env.run(BIN, arguments)
}

/// As the agent runs it.
fn run_as_agent(env: &TestEnv, arguments: &[&str]) {
    let mut command = env.command(BIN);
    command.args(arguments).env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", SESSION);
    assert!(command.output().unwrap().status.success());
}

fn turns(transcript: Transcript, n: u32) -> Transcript {
    (0..n).fold(transcript, |t, n| t.bash(&format!("make step{n}")).ok("fine"))
}

/// A teammate's plan goes to the lead, and a subagent's to nobody: the client answers both as if all was well.
#[test]
fn a_plan_that_no_person_has_seen_is_not_approved() {
    for (result, is_approved) in [
        (json!({"plan": "# Drop the quagga table", "isAgent": true}), false),
        (json!({"plan": "# Drop the quagga table", "awaitingLeaderApproval": true, "requestId": "r"}), false),
        (json!({"plan": "# Drop the quagga table", "isAgent": false}), true),
    ] {
        let env = TestEnv::new();
        let plan = json!({"plan": "# Drop the quagga table"});
        let transcript = transcript(&env).prompt("Plan the cleanup.").call("ExitPlanMode", plan);
        let mut transcript = transcript.result("Your plan has been submitted.", result).says("On it.");
        let hooks = play(&env, &mut transcript);
        let notes = run(&env, &["note"]).success().stdout;
        let brief = hooks.compaction(&mut transcript, "auto", "1. The cleanup").brief().unwrap_or_default();
        for text in [&notes, &brief] {
            assert_eq!(text.contains("approved the plan \"Drop the quagga table\""), is_approved, "{text}");
        }
        let found = run(&env, &["search", "quagga", "role:user", "--json"]).json();
        assert_eq!(found["hits"].as_array().unwrap().len(), usize::from(is_approved), "{found}");
        let found = run(&env, &["search", "quagga", "--json"]).json();
        assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{found}");
    }
}

#[test]
fn notes_in_the_brief_name_their_author() {
    let env = TestEnv::new();
    let mut transcript = transcript(&env).prompt("Write the importer.").says("Now I'll read the schema.");
    let hooks = play(&env, &mut transcript);
    let noted = run(&env, &["note", "ask Ann before dropping the table"]).success();
    assert!(noted.stderr.contains("Noted for session 11111111, as the user's"), "{noted:?}");
    run_as_agent(&env, &["note", "the cache is not the cause"]);
    run_as_agent(&env, &["note", "--state", "next=rerun the load test"]);
    let brief = hooks.compaction(&mut transcript, "auto", "1. The importer").brief().unwrap();
    for line in [
        "- user: \"ask Ann before dropping the table\"",
        "- agent: \"the cache is not the cause\"",
        "- Next, by the agent: \"rerun the load test\"",
    ] {
        assert!(brief.contains(line), "{line} is missing in\n{brief}");
    }
    assert!(!brief.contains("Announced next"), "what was set replaces what was guessed:\n{brief}");
}

#[test]
fn note_older_than_the_goal_is_not_in_the_brief() {
    let env = TestEnv::new();
    let mut transcript = transcript(&env).prompt("Write the importer.").says("Done.");
    let hooks = play(&env, &mut transcript);
    let _ = run(&env, &["note", "about the importer"]).success();
    // Half a day after the note, by the clock of built transcripts and commands.
    transcript =
        transcript.pause(86_400).prompt("New task: build the exporter for the archive.").says("On it.");
    transcript.append_to(hooks.transcript_path());
    let brief = hooks.compaction(&mut transcript, "auto", "1. The exporter").brief().unwrap();
    assert!(!brief.contains("about the importer"), "{brief}");
    assert!(run(&env, &["note"]).success().stdout.contains("about the importer"), "the notes keep it");
}

#[test]
fn note_older_than_the_first_prompt_is_in_the_brief() {
    let env = TestEnv::new();
    let hooks = play(&env, &mut transcript(&env));
    let _ = hooks.user_prompt("/catchword:note ask Ann before dropping the table").success();
    let mut transcript = transcript(&env).pause(86_400).prompt("Write the importer.").says("On it.");
    let brief = hooks.compaction(&mut transcript, "auto", "1. The importer").brief().unwrap();
    assert!(brief.contains("- user: \"ask Ann before dropping the table\""), "{brief}");
}

#[test]
fn secret_in_a_note_is_masked_before_it_is_stored() {
    let env = TestEnv::new();
    play(&env, &mut transcript(&env).prompt("Write it."));
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let _ = run(&env, &["note", &format!("the token is {secret}")]).success();
    let listed = run(&env, &["note"]).success().stdout;
    assert!(listed.contains("the token is [masked") && !listed.contains(secret), "{listed}");
    for name in ["catchword.db", "catchword.db-wal"] {
        let bytes = std::fs::read(env.data().join(name)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{name}");
    }
}

#[test]
fn invalid_notes_are_rejected_with_a_reason() {
    let env = TestEnv::new();
    let said = |arguments: &[&str]| {
        let output = run(&env, arguments);
        assert!(!output.status.success(), "{output:?}");
        output.stderr
    };
    let nothing = said(&["note", "x"]);
    assert!(nothing.contains("nothing is recorded yet") && !nothing.contains("--transcript"), "{nothing}");
    play(&env, &mut transcript(&env).prompt("Write it."));
    let mut elsewhere = env.command(BIN);
    elsewhere.args(["note", "x"]).current_dir(env.root());
    let output = env.run_command(elsewhere, "");
    assert!(!output.status.success() && output.stderr.contains("--session"), "{output}");
    assert!(!output.stderr.contains("--transcript"), "it doesn't go with a text: {output}");
    assert!(said(&["note", " "]).contains("nothing to write down"));
    assert!(said(&["note", "--state", "nxt=x"]).contains("active=, step=, blocking= or next="));
    assert!(said(&["note", &"x".repeat(2_001)]).contains("at most 2000 characters"));
}

#[test]
fn notes_as_json_have_state_and_progress() {
    let env = TestEnv::new();
    let mut transcript = transcript(&env)
        .prompt("Write the importer.")
        .write(env.project().join("a.rs").to_str().unwrap())
        .bash("cargo test")
        .ok("test result: ok. 4 passed; 0 failed");
    play(&env, &mut transcript);
    let _ = run(&env, &["note", "--state", "blocking=the key"]).success();
    let json: Value = serde_json::from_str(&run(&env, &["note", "--json"]).success().stdout).unwrap();
    assert_eq!(json["session"], SESSION);
    assert_eq!(json["current_state"]["active"]["text"], "\"Write the importer.\"");
    assert_eq!(json["current_state"]["blocking"]["by"], "user");
    let kinds: Vec<&str> =
        json["progress"].as_array().unwrap().iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["file", "tests", "note"]);
    let path = env.transcript_path(SESSION);
    let of_file = run(&env, &["note", "--transcript", path.to_str().unwrap()]).success();
    assert!(of_file.stdout.contains("tests passed (4 passed)"), "{}", of_file.stdout);
}

#[test]
fn notes_are_mirrored_at_the_end_of_a_turn_and_never_on_a_tick() {
    let env = TestEnv::new();
    files::write(env.data().join("config.toml"), "[notes]\nmirror = \"docs/NOTES.md\"\n");
    let mirror = env.project().join("docs/NOTES.md");
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = transcript(&env).prompt("Write the importer.").says("Done.");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.post_tool_batch(&[]).success();
    assert!(!mirror.exists());
    let _ = hooks.stop("Done.").success();
    let first = files::read(&mirror);
    assert!(first.contains("- Active work: \"Write the importer.\" L1"), "{first}");
    let _ = run(&env, &["note", "kept"]).success();
    let _ = hooks.session_end("other").success();
    assert!(files::read(&mirror).contains("user: \"kept\""));
    files::write(&mirror, "my own file\n");
    let _ = hooks.stop("").success();
    assert_eq!(files::read(&mirror), "my own file\n");
    let log = files::read(env.data().join("hook.log"));
    assert!(log.contains("docs/NOTES.md: a file that catchword did not write is there"), "{log}");
}

/// A repository can have links: to a device that never ends, to a pipe, or to a folder of the user's.
#[cfg(unix)]
#[test]
fn notes_are_not_mirrored_through_a_link_of_the_repository() {
    use std::os::unix::fs::symlink;
    type Make<'a> = &'a dyn Fn(&TestEnv);
    let pipe = |path: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let kinds: [(&str, &str, Make); 4] = [
        ("NOTES.md", "is not a regular file", &|env| {
            symlink("/dev/zero", env.project().join("NOTES.md")).unwrap();
        }),
        ("NOTES.md", "is not a regular file", &|env| pipe(&env.project().join("NOTES.md"))),
        ("NOTES.md", "is not a regular file", &|env| {
            symlink(env.home().join("other.md"), env.project().join("NOTES.md")).unwrap();
        }),
        ("docs/NOTES.md", "leads out of the project", &|env| {
            std::fs::create_dir(env.home().join("private")).unwrap();
            symlink(env.home().join("private"), env.project().join("docs")).unwrap();
        }),
    ];
    for (number, (place, why, make)) in kinds.into_iter().enumerate() {
        let env = TestEnv::new();
        files::write(env.data().join("config.toml"), format!("[notes]\nmirror = \"{place}\"\n"));
        make(&env);
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        transcript(&env).prompt("Write the importer.").says("Done.").append_to(hooks.transcript_path());
        let payload = hooks.payload("Stop", serde_json::json!({})).to_string();
        let mut limited = env.command("sh");
        // Bounded here, so that a failure takes neither the machine's memory nor its time.
        limited.args(["-c", "ulimit -v 2000000; exec timeout 20 \"$0\" hook claude-code", BIN]);
        let output = env.run_command(limited, payload);
        assert!(output.is_silent_success(), "{number}: {output}");
        let log = files::read(env.data().join("hook.log"));
        assert!(log.contains("notes are not written to") && log.contains(why), "{number}: {log}");
        assert!(!env.home().join("other.md").exists() && !env.home().join("private/NOTES.md").exists());
    }
}

#[test]
fn agent_announces_a_compaction_only_if_set() {
    for (config, wanted) in [("", false), ("announce = true\n", true)] {
        let env = TestEnv::new();
        files::write(env.data().join("config.toml"), config);
        let mut transcript = transcript(&env).prompt("Write the importer.").says("On it.");
        let hooks = play(&env, &mut transcript);
        let brief = hooks.compaction(&mut transcript, "auto", "1. x").brief().unwrap();
        let line = "the next answer begins with one line that says: context compacted, and going on with \"Write the importer.\"";
        assert_eq!(brief.contains(line), wanted, "{brief}");
    }
}

/// A task that is finished and no longer mentioned, and one that is not finished.
fn with_a_cold_task(env: &TestEnv) -> Transcript {
    let file = env.project().join("src/reader.rs");
    let begun = transcript(env)
        .usage(150_000)
        .prompt("Build the importer.")
        .task_create("Write the reader")
        .task_create("Write the writer")
        .task_update(1, "in_progress")
        .write(file.to_str().unwrap())
        .bash("cargo test")
        .ok("test result: ok. 4 passed; 0 failed")
        .task_update(1, "completed")
        .task_update(2, "in_progress");
    turns(begun, 25)
}

#[test]
fn cold_task_is_stored_once_with_every_field() {
    let env = TestEnv::new();
    let mut transcript = with_a_cold_task(&env);
    let hooks = play(&env, &mut transcript);
    let tasks = || run(&env, &["note", "--json"]).success().json()["cold_tasks"].as_array().unwrap().clone();
    let kept = tasks();
    let mut fields: Vec<&String> = kept[0].as_object().unwrap().keys().collect();
    fields.sort();
    let expected = [
        "commands_run",
        "compressed_at",
        "end_turn",
        "errors_resolved",
        "files_modified",
        "key_outcomes",
        "session_id",
        "start_turn",
        "subject",
        "task_id",
    ];
    assert_eq!(fields, expected);
    assert_eq!(
        (kept.len(), &kept[0]["task_id"], &kept[0]["subject"]),
        (1, &"1".into(), &"Write the reader".into())
    );
    assert_eq!(kept[0]["files_modified"], serde_json::json!(["src/reader.rs"]));
    transcript = turns(transcript, 12);
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.stop("").success();
    assert_eq!(tasks(), kept, "summarised once");
    let shown = run(&env, &["note"]).success().stdout;
    for line in [
        "## Open tasks: 1",
        "- [in progress] #2 \"Write the writer\"",
        "## Cold tasks: 1",
        "- #1 \"Write the reader\" (turns",
    ] {
        assert!(shown.contains(line), "{line} is missing in\n{shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

/// So that the summariser is told of what is long over.
const MORE_LINES: &str = "guide.lines = 60\n";

#[test]
fn nothing_is_summarised_far_from_a_compaction() {
    let env = TestEnv::new();
    let mut early = with_a_cold_task(&env).usage(20_000).says("Go on?");
    play(&env, &mut early);
    let count = || {
        let store = rusqlite::Connection::open(env.data().join("catchword.db")).unwrap();
        store.query_row("SELECT count(*) FROM cold_task", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count(), 0);
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    files::write(env.data().join("config.toml"), MORE_LINES);
    let guide = hooks.pre_compact("auto", None).success().stdout;
    assert!(
        guide.contains("#1 \"Write the reader\": changed"),
        "before a compaction it is the last chance: {guide}"
    );
    let _ = hooks.post_compact("auto", "1. The importer").success();
    assert_eq!(count(), 1, "the summaries for the summariser are stored after the compaction");
}

#[test]
fn summariser_gets_cold_tasks_verbatim_if_it_gets_more_lines() {
    let env = TestEnv::new();
    files::write(env.data().join("config.toml"), MORE_LINES);
    let mut transcript = with_a_cold_task(&env);
    let hooks = play(&env, &mut transcript);
    let played = hooks.compaction(&mut transcript, "auto", "1. The importer");
    let guide = &played.pre_compact.stdout;
    let line = "#1 \"Write the reader\": changed src/reader.rs; last test run: 4 passed";
    assert!(guide.contains(line), "{guide}");
    assert_eq!(guide.matches("Write the reader").count(), 1, "said once:\n{guide}");
    assert!(!played.brief().unwrap().contains(line), "the brief leaves what is finished to the summary");
}

#[test]
fn settings_say_when_a_task_is_cold_and_how_many_are_told() {
    let told = |settings: &str| {
        let env = TestEnv::new();
        files::write(env.data().join("config.toml"), format!("{MORE_LINES}{settings}"));
        let mut transcript = with_a_cold_task(&env);
        let hooks = play(&env, &mut transcript);
        let guide = hooks.compaction(&mut transcript, "auto", "1. The importer").pre_compact.stdout;
        guide.contains("#1 \"Write the reader\": changed")
    };
    assert!(told("[cold]\nturns = 24\n"), "25 turns ago");
    assert!(!told("[cold]\nturns = 40\n"), "not cold yet");
    assert!(!told("[cold]\nlines = 0\n"), "none is told");
}

#[test]
fn settings_say_from_where_on_and_how_often_cold_tasks_are_summarised() {
    let kept = |settings: &str, tokens: u64| {
        let env = TestEnv::new();
        files::write(env.data().join("config.toml"), settings);
        // Turn by turn, as a session grows, up to the end of the 29th.
        let mut transcript = with_a_cold_task(&env).usage(tokens).says("Go on?");
        play(&env, &mut transcript);
        let store = rusqlite::Connection::open(env.data().join("catchword.db")).unwrap();
        store.query_row("SELECT count(*) FROM cold_task", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!([kept("", 20_000), kept("", 150_000)], [0, 1], "from 70% on");
    assert_eq!(kept("cold.from = 5\n", 20_000), 1);
    assert_eq!(kept("cold.from = 95\n", 150_000), 0);
    assert_eq!(kept("cold.every = 1000\n", 150_000), 0, "not yet looked for");
}

#[test]
fn the_summariser_gets_as_many_lines_as_are_set() {
    let lines = |trigger: &str, settings: &str| {
        let env = TestEnv::new();
        files::write(env.data().join("config.toml"), settings);
        let long = "and all that belongs to it, with its tests and a page of the manual ".repeat(3);
        let mut many = transcript(&env).prompt("Write all of it.");
        for n in 0..40 {
            many = many.task_create(&format!("part {n}, {long}"));
        }
        let hooks = play(&env, &mut many);
        hooks.compaction(&mut many, trigger, "1. It").pre_compact.stdout.lines().count()
    };
    // Two of them are for what the person is told when a manual compaction is over.
    let settings = ["guide.lines = 4\n", "", "guide.lines = 12\n", "guide.lines = 30\n"];
    assert_eq!(settings.map(|settings| lines("manual", settings)), [4, 6, 10, 28]);
    assert_eq!(settings.map(|settings| lines("auto", settings)), [4, 8, 12, 30]);
}

/// What the client shows after a manual compaction: both hooks' output. Of each kind the most important comes first, whole.
#[test]
fn person_sees_at_most_eight_lines_at_a_manual_compaction() {
    let env = TestEnv::new();
    let rules = ["Never touch the production tables", "Always run make check", "Ask before you delete data"];
    let mut session = transcript(&env);
    for (n, rule) in rules.iter().enumerate() {
        let more = "because they belong to the finance team and nobody else may change them this year";
        session = session.prompt(&format!("{rule}, {more}. Then write part {n}.")).says("Yes.");
    }
    for n in 0..9 {
        session = session.task_create(&format!("write the part of the importer that reads table {n}"));
    }
    session =
        session.bash("cargo test -p importer").fails("Exit code 101\nerror: the reader is closed twice");
    let hooks = play(&env, &mut session);
    let played = hooks.compaction(&mut session, "manual", "1. The importer. All tests pass.");
    let (guide, end) = (played.pre_compact.stdout, played.post_compact.stdout);
    assert!(guide.lines().count() + end.lines().count() <= 8, "{guide}{end}");
    assert!(guide.lines().all(|line| line.chars().count() <= 200) && !guide.contains('…'), "{guide}");
    for wanted in ["Open: ", "Words of the user: ", "Failed last: ", "cargo test"] {
        assert!(guide.contains(wanted), "{wanted}: {guide}");
    }
    assert_eq!(end.lines().count(), 1, "{end}");
}

/// What the person reads, and that the model gets nothing: the client shows the reason and drops the prompt.
fn blocked(answer: CommandOutput) -> String {
    let answer = answer.success().json();
    let members: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(members, ["decision", "reason"], "{answer}");
    assert_eq!(answer["decision"], "block");
    answer["reason"].as_str().unwrap().to_owned()
}

#[test]
fn note_typed_in_the_session_is_stored_without_a_turn() {
    let words = "ask Ann before dropping the table";
    for (typed, event) in [
        (format!("/catchword:note {words}"), "UserPromptSubmit"),
        (format!("  catchword:note\n{words}\n"), "UserPromptSubmit"),
        (format!("/catchword:note {words}"), "UserPromptExpansion"),
    ] {
        let env = TestEnv::new();
        let mut transcript = transcript(&env).prompt("Write the importer.").says("Reading the schema.");
        let hooks = play(&env, &mut transcript);
        // Installed twice: both calls answer, and the note is stored once.
        for _ in 0..2 {
            let shown = blocked(hooks.event(event, serde_json::json!({"prompt": typed})));
            assert!(shown.starts_with("catchword: noted"), "{shown}");
        }
        let found = run(&env, &["search", "Ann", "table"]).success();
        assert!(found.stdout.contains(words), "searchable at once: {found}");
        let brief = hooks.compaction(&mut transcript, "auto", "1. The importer").brief().unwrap();
        assert_eq!(brief.matches(&format!("- user: \"{words}\"")).count(), 1, "{typed}\n{brief}");
    }
}

#[test]
fn note_without_text_or_too_long_is_refused_with_a_reason() {
    let env = TestEnv::new();
    let hooks = play(&env, &mut transcript(&env).prompt("Write the importer."));
    let empty = blocked(hooks.user_prompt("/catchword:note "));
    assert!(empty.contains("nothing to note") && empty.contains("/catchword:note ask"), "{empty}");
    let long = blocked(hooks.user_prompt(&format!("/catchword:note {}", "x".repeat(2_001))));
    assert!(long.contains("not noted") && long.contains("at most 2000 characters"), "{long}");
    let notes = run(&env, &["note", "--json"]).success().json();
    assert_eq!(notes["progress"], serde_json::json!([]), "{notes}");
}

#[test]
fn prompt_that_only_mentions_the_command_is_a_prompt() {
    let env = TestEnv::new();
    let hooks = play(&env, &mut transcript(&env).prompt("Write the importer."));
    for prompt in
        ["what does /catchword:note do?", "/catchword:notes x", "catchword:noted x", "catchword note x"]
    {
        assert_eq!(hooks.user_prompt(prompt).success().stdout, "", "{prompt}");
    }
    assert_ne!(hooks.user_prompt("/catchword:note x").success().stdout, "");
}

/// The prompt goes on to the model, which calls the tool.
#[test]
fn note_that_cannot_be_stored_is_left_to_the_agent() {
    let env = TestEnv::new();
    files::write(env.data(), "not a folder");
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    assert_eq!(hooks.user_prompt("/catchword:note ask Ann").success().stdout, "");
    let env = TestEnv::new();
    files::write(env.data().join("config.toml"), format!("privacy.leave_out = [{:?}]\n", env.project()));
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    assert_eq!(hooks.user_prompt("/catchword:note ask Ann").success().stdout, "");
}

/// A prompt that is stopped takes nothing to the agent, so nothing may be given along with it.
#[test]
fn note_does_not_use_up_a_brief_that_had_not_arrived() {
    let env = TestEnv::new();
    let mut transcript =
        transcript(&env).prompt("Write the importer. Never drop the table.").says("Reading.");
    let hooks = play(&env, &mut transcript);
    assert!(hooks.compaction(&mut transcript, "auto", "1. The importer").brief().is_some());
    let mut transcript = transcript.prompt("Go on.").says("Going on.");
    transcript.append_to(hooks.transcript_path());
    let _ = blocked(hooks.user_prompt("/catchword:note ask Ann"));
    let next = hooks.user_prompt("And on.").success().stdout;
    assert_eq!(find_briefs(&catchword_testkit::model_text(&next)).len(), 1, "{next}");
}

mod with_the_real_client {
    use super::*;

    /// Above the threshold of a 200,000-token window: the client compacts before its next request.
    const FULL: u64 = 190_000;

    /// A home in which `init` has run, with `catchword` on `PATH`.
    fn installed() -> (TestEnv, String) {
        let env = TestEnv::within(env!("CARGO_TARGET_TMPDIR"));
        let bin = env.home().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::fs::hard_link(BIN, bin.join("catchword")).unwrap();
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let mut init = env.command(bin.join("catchword"));
        assert!(init.args(["init", "--yes"]).env("PATH", &path).output().unwrap().status.success());
        (env, path)
    }

    fn play(client: &RealClient, script: Script, prompt: &str) -> (TestEnv, FakeApi, String) {
        let (env, path) = installed();
        let api = FakeApi::start(script);
        let run = client.start(&env, &api).var("PATH", path).arg("--model").arg("claude-sonnet-4-5");
        let session = run.arg("--dangerously-skip-permissions").prompt(prompt).success().session_id();
        (env, api, session)
    }

    #[test]
    fn agents_own_note_is_in_the_brief() {
        let client = real_client_or_skip!();
        let script = Script::new()
            .turn(FakeAnswer::bash("echo CLAUDECODE=$CLAUDECODE ID=$CLAUDE_CODE_SESSION_ID"))
            // On a busy machine the client asks twice: the note is written all the same.
            .turn(FakeAnswer::bash("catchword note \"the cache is not the cause\"").lost_once())
            .turn(FakeAnswer::bash("echo full").context_tokens(FULL))
            .turn(FakeAnswer::bash("echo after"))
            .turn(FakeAnswer::text("All done."))
            .summary("1. Primary Request and Intent:\n   Find the cause.");
        let (_env, api, session) = play(&client, script, "Find the cause of the slow start.");
        let requests = api.requests_for(&Asked::Turn);
        let offered = requests[0].body.to_string();
        assert!(offered.contains("What the catchword record in the context is"), "the skill is offered");
        let told = requests[1].conversation();
        assert!(told.contains(&format!("CLAUDECODE=1 ID={session}")), "{told}");
        let briefs = find_briefs(&requests.last().unwrap().conversation());
        assert_eq!(briefs.len(), 1);
        assert!(briefs[0].contains("- agent: \"the cache is not the cause\""), "{}", briefs[0]);
    }

    #[test]
    fn slash_command_stores_the_persons_note_without_a_turn() {
        let client = real_client_or_skip!();
        let words = "ask Ann before dropping the table";
        let (env, path) = installed();
        let api = FakeApi::start(Script::new().turn(FakeAnswer::text("The importer is next.")).never_full());
        let run = client.start(&env, &api).var("PATH", path).arg("--dangerously-skip-permissions");
        let results = run.conversation(&[&format!("/catchword:note {words}"), "What is next?"]);
        let shown = results[0]["result"].as_str().unwrap_or_default();
        assert!(shown.contains("catchword: noted") && shown.contains(words), "{shown}");
        assert_eq!(results[0]["num_turns"], 0, "{results:?}");
        assert_eq!(results[1]["result"], "The importer is next.");
        for request in api.requests() {
            assert!(!request.body.to_string().contains(words), "the model is not asked");
        }
        let shown = env.run(BIN, &["note"]).success().stdout;
        assert!(shown.contains(&format!("user: \"{words}\"")), "{shown}");
    }

    /// The same command where the hooks do not run.
    #[test]
    fn slash_command_without_hooks_makes_the_agent_store_the_persons_note() {
        let client = real_client_or_skip!();
        let words = "ask Ann before dropping the table";
        let script = Script::new()
            .turn(FakeAnswer::bash(&format!("catchword note \"{words}\"")))
            .turn(FakeAnswer::text("Noted."))
            .never_full();
        let (env, path) = installed();
        let api = FakeApi::start(script);
        let own = env.home().join(".claude/settings.json");
        let mut hooks: Value = serde_json::from_str(&files::read(&own)).unwrap();
        hooks["hooks"].as_object_mut().unwrap().retain(|event, _| !event.starts_with("UserPrompt"));
        files::write(&own, hooks.to_string());
        let run = client.start(&env, &api).var("PATH", path).arg("--dangerously-skip-permissions");
        let _ = run.prompt(&format!("/catchword:note {words}")).success();
        let asked = api.requests_for(&Asked::Turn)[0].conversation();
        assert!(
            asked.contains("Call catchword's tool `note` with the user's words") && asked.contains(words),
            "{asked}"
        );
        let mut notes = env.command(Path::new(BIN));
        let shown = notes.arg("note").output().unwrap();
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains(&format!("user: \"{words}\"")), "{shown}");
    }
}
