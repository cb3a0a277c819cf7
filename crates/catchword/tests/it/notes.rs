//! `note`: notes and tasks, and what of them reaches the agent.

use std::path::Path;

use catchword_testkit::{
    Asked, CommandOutput, FakeAnswer, FakeApi, HookPlayer, RealClient, Script, TestEnv, Transcript, files,
    find_briefs, real_client_or_skip,
};
use serde_json::Value;

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
fn secret_in_a_note_is_masked_before_it_is_stored() {
    let env = TestEnv::new();
    play(&env, &mut transcript(&env).prompt("Write it."));
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let _ = run(&env, &["note", &format!("the token is {secret}")]).success();
    assert!(!run(&env, &["note"]).success().stdout.contains(secret));
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
    let guide = hooks.pre_compact("manual", None).success().stdout;
    assert!(
        guide.contains("#1 \"Write the reader\": changed"),
        "before a compaction it is the last chance: {guide}"
    );
    let _ = hooks.post_compact("manual", "1. The importer").success();
    assert_eq!(count(), 1, "the summaries for the summariser are stored after the compaction");
}

#[test]
fn summariser_gets_cold_tasks_verbatim() {
    let env = TestEnv::new();
    let mut transcript = with_a_cold_task(&env);
    let hooks = play(&env, &mut transcript);
    let played = hooks.compaction(&mut transcript, "auto", "1. The importer");
    let guide = &played.pre_compact.stdout;
    let line = "#1 \"Write the reader\": changed src/reader.rs; tests passed: 4 passed";
    assert!(guide.contains(line), "{guide}");
    assert!(!guide.contains("[finished, by the task list] \"Write the reader\""), "said once:\n{guide}");
    assert!(guide.chars().count() <= 4_000);
    assert!(!played.brief().unwrap().contains(line), "the brief leaves what is finished to the summary");
}

#[test]
fn settings_say_when_a_task_is_cold_and_how_many_are_told() {
    let told = |settings: &str| {
        let env = TestEnv::new();
        files::write(env.data().join("config.toml"), settings);
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
    let lines = |settings: &str| {
        let env = TestEnv::new();
        files::write(env.data().join("config.toml"), settings);
        let many = (0..40)
            .fold(transcript(&env).prompt("Write all of it."), |t, n| t.task_create(&format!("part {n}")));
        let mut many = many;
        let hooks = play(&env, &mut many);
        hooks.compaction(&mut many, "auto", "1. It").pre_compact.stdout.lines().count()
    };
    // One of them is for what the person is told when a manual compaction is over.
    assert_eq!([lines(""), lines("guide.lines = 10\n"), lines("guide.lines = 30\n")], [14, 9, 29]);
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
            .turn(FakeAnswer::bash("catchword note \"the cache is not the cause\""))
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
    fn slash_command_makes_the_agent_store_the_persons_note() {
        let client = real_client_or_skip!();
        let words = "ask Ann before dropping the table";
        let script = Script::new()
            .turn(FakeAnswer::bash(&format!("catchword note \"{words}\"")))
            .turn(FakeAnswer::text("Noted."))
            .never_full();
        let (env, api, _) = play(&client, script, &format!("/catchword:note {words}"));
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
