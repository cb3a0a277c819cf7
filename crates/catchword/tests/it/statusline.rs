//! `catchword statusline`: one line, whatever the client sends, and somebody's own status line kept.

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};
use rusqlite::Connection;
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const SETTINGS: &str = ".claude/settings.json";

fn env() -> TestEnv {
    let mut env = TestEnv::new();
    env.set_var("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
    env.set_var("NO_COLOR", "1");
    env
}

fn payload(env: &TestEnv, tokens: u64) -> Value {
    json!({"session_id": SESSION, "transcript_path": env.transcript_path(SESSION), "cwd": env.project(),
        "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"},
        "workspace": {"current_dir": env.project(), "project_dir": env.project()},
        "context_window": {"context_window_size": 200_000, "used_percentage": 50, "remaining_percentage": 50,
            "current_usage": {"input_tokens": 10, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": tokens - 50, "output_tokens": 40}}})
}

/// The line for this stdin; nothing else may be printed, and the exit is 0.
fn line(env: &TestEnv, stdin: impl AsRef<[u8]>) -> String {
    let output = env.run_with_stdin(BIN, &["statusline", "claude-code"], stdin).success();
    assert_eq!(output.stderr, "");
    assert_eq!(output.stdout.matches('\n').count(), 1, "{output}");
    output.stdout.trim_end_matches('\n').to_owned()
}

#[test]
fn the_line_shows_the_way_to_the_compaction_and_what_is_held() {
    let env = env();
    assert_eq!(line(&env, payload(&env, 100_200).to_string()), "Sonnet 4.5 · ██████░░░░ 60% · 67k left");
    env.write(".git/HEAD", "ref: refs/heads/feat/x\n");
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new()
        .prompt("go")
        .task_create("write the lexer")
        .task_create("write the grammar")
        .says("c");
    let _ = hooks.compaction(&mut transcript, "auto", "a summary");
    transcript = transcript.says("d");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.stop("d").success();
    let shown = line(&env, payload(&env, 100_200).to_string());
    assert_eq!(shown, "Sonnet 4.5 · ██████░░░░ 60% · 67k left · 1 compaction · 2 open · 2 lost · feat/x");
}

#[test]
fn between_a_compaction_and_the_next_answer_the_transcript_is_asked() {
    let env = env();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    Transcript::new()
        .prompt("go")
        .usage(160_000)
        .says("c")
        .compaction("manual", "s")
        .append_to(hooks.transcript_path());
    let _ = hooks.stop("c").success();
    let mut after = payload(&env, 50);
    for nothing in [json!(null), json!({"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0})]
    {
        after["context_window"]["current_usage"] = nothing;
        assert!(line(&env, after.to_string()).starts_with("Sonnet 4.5 · ░░░░░░░░░░ 2% · 164k left"));
    }
}

/// The client writes the rows of a compaction after its last hook and then asks for the line, with its counts at zero
/// or, after an automatic one, with those of the next answer. No hook comes in between.
#[test]
fn after_a_compaction_the_line_is_right_before_any_other_hook() {
    // An automatic one shows where the client compacts.
    for (trigger, at_once, later) in
        [("manual", "2% · 164k left", "6% · 157k left"), ("auto", "2% · 157k left", "7% · 150k left")]
    {
        let env = env();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut transcript = Transcript::new().prompt("go").usage(160_000).says("c");
        transcript.append_to(hooks.transcript_path());
        let _ = hooks.stop("c").success();
        assert_eq!(line(&env, payload(&env, 160_000).to_string()), "Sonnet 4.5 · █████████░ 96% · 7k left");
        let _ = hooks.compaction(&mut transcript, trigger, "The user said go.");
        let mut after = payload(&env, 50);
        after["context_window"]["current_usage"] =
            json!({"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0});
        let shown = line(&env, after.to_string());
        assert_eq!(shown, format!("Sonnet 4.5 · ░░░░░░░░░░ {at_once} · 1 compaction"), "{trigger}");
        let shown = line(&env, payload(&env, 10_000).to_string());
        assert_eq!(shown, format!("Sonnet 4.5 · ░░░░░░░░░░ {later} · 1 compaction"), "{trigger}");
    }
}

/// Nothing of a folder that is left out is read, whoever asks.
#[test]
fn after_a_compaction_in_a_folder_left_out_nothing_is_read() {
    let env = env();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("go").usage(160_000).says("c");
    let _ = hooks.compaction(&mut transcript, "manual", "The user said go.");
    let read = || {
        let db = Connection::open(env.data().join("catchword.db")).unwrap();
        db.query_row("SELECT line FROM session", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let before = read();
    files::write(env.data().join("config.toml"), format!("privacy.leave_out = [{:?}]\n", env.project()));
    let _ = line(&env, payload(&env, 10_000).to_string());
    assert_eq!(read(), before);
    files::write(env.data().join("config.toml"), "");
    let _ = line(&env, payload(&env, 10_000).to_string());
    assert!(read() > before);
}

#[test]
fn nulls_missing_fields_and_garbage_give_a_shorter_line_and_never_an_error() {
    let env = env();
    let cases: [(&[u8], &str); 12] = [
        (b"", ""),
        (b"garbage", ""),
        (b"null", ""),
        (b"[1,2]", ""),
        (b"{", ""),
        (b"\xff\xfe{}", ""),
        (b"{}", ""),
        (br#"{"model":null,"context_window":null,"workspace":null,"session_id":null}"#, ""),
        (br#"{"model":"x","context_window":[],"session_id":7,"cwd":{}}"#, ""),
        (br#"{"model":{"display_name":"Opus"},"context_window":{"context_window_size":null,"current_usage":null}}"#, "Opus"),
        (br#"{"model":{"id":"gpt-9"},"context_window":{"current_usage":{"input_tokens":5000}}}"#, "gpt-9 · ░░░░░░░░░░ 3% · 162k left"),
        (br#"{"session_id":"../../x","model":{"display_name":"a\u001b]0;b\u0007\n"},"context_window":{"current_usage":{"input_tokens":-1}}}"#, "a]0;b"),
    ];
    for (stdin, expected) in cases {
        assert_eq!(line(&env, stdin), expected, "{}", String::from_utf8_lossy(stdin));
    }
}

#[test]
fn colours_columns_and_segments_are_a_matter_of_taste() {
    let mut env = TestEnv::new();
    let asked = payload(&env, 199_000).to_string();
    assert!(line(&env, &asked).contains("\u{1b}[31m"), "nearly full is red");
    files::write(
        env.data().join("config.toml"),
        "statusline = { colour = false, segments = [\"left\", \"nonsense\", \"model\"] }",
    );
    assert_eq!(line(&env, &asked), "1k left · Sonnet 4.5");
    let doctor = env.run(BIN, &["doctor", "--json"]).stdout;
    assert!(
        doctor.contains("takes model, context, left, compactions, work, lost, branch, not `nonsense`"),
        "{doctor}"
    );
    env.set_var("COLUMNS", "10");
    assert_eq!(line(&env, &asked), "1k left");
}

#[test]
fn a_busy_damaged_or_missing_store_is_nobodys_concern() {
    let env = env();
    let asked = payload(&env, 100_200).to_string();
    let plain = "Sonnet 4.5 · ██████░░░░ 60% · 67k left";
    assert_eq!(line(&env, &asked), plain);
    assert!(!env.data().exists(), "a status line makes no store");
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    Transcript::new().prompt("go").says("c").append_to(hooks.transcript_path());
    let _ = hooks.stop("c").success();
    let db = Connection::open(env.data().join("catchword.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(line(&env, &asked), plain);
    drop(db);
    files::write(
        env.data().join("catchword.db"),
        "not a database, but long enough to be looked at".repeat(100),
    );
    for beside in ["catchword.db-wal", "catchword.db-shm"] {
        let _ = std::fs::remove_file(env.data().join(beside));
    }
    assert_eq!(line(&env, &asked), plain);
}

#[test]
fn a_point_the_status_line_sees_first_is_recorded_there_and_told_by_the_next_hook() {
    let env = env();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("go").says("c");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.stop("c").success();
    let count = || -> i64 {
        let db = Connection::open(env.data().join("catchword.db")).unwrap();
        db.query_row("SELECT count(*) FROM checkpoint WHERE threshold LIKE 'left%'", [], |row| row.get(0))
            .unwrap()
    };
    let _ = line(&env, payload(&env, 150_000).to_string());
    assert_eq!(count(), 2, "30 and 15 percent");
    let _ = line(&env, payload(&env, 150_000).to_string());
    transcript.usage(150_000).says("d").append_to(hooks.transcript_path());
    let told = hooks.user_prompt("go on").success().stdout;
    assert!(told.contains("systemMessage") && told.contains("about 17k tokens"), "{told}");
    assert_eq!((count(), hooks.user_prompt("go on").stdout.as_str()), (2, ""));
}

/// The row of an answer reaches the transcript after the hook of its tools, and the status line hears of it before.
#[test]
fn a_point_of_the_status_line_is_told_by_the_next_hook_though_the_transcript_lags_behind() {
    let env = env();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("go").task_create("write the lexer").usage(60_000);
    transcript = transcript.bash("ls").ok("src");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    let mut told = Vec::new();
    for tokens in [118_000, 145_000, 160_000] {
        let _ = line(&env, payload(&env, tokens).to_string());
        let said = hooks.post_tool_batch(&[]).success().stdout;
        assert!(said.contains("state is saved"), "{tokens}: {said}");
        assert!(hooks.post_tool_batch(&[]).is_silent_success(), "once");
        let handoff = env.data().join("handoffs").join(format!("HANDOFF-{SESSION}.md"));
        assert!(handoff.exists(), "{tokens}");
        std::fs::remove_file(handoff).unwrap();
        told.push(said);
    }
    for (said, left) in told.iter().zip(["about 49k", "about 22k", "about 7k"]) {
        assert!(said.contains(left), "{said}");
    }
    transcript.usage(160_000).says("d").append_to(hooks.transcript_path());
    assert!(!hooks.stop("d").success().stdout.contains("state is saved"), "the row itself is no news");
}

#[test]
fn a_status_line_that_names_no_client_is_empty_and_logged_and_init_mends_it() {
    let env = env();
    let asked = payload(&env, 100_200).to_string();
    for args in [&["statusline"][..], &["statusline", "nobody"], &["statusline", "--with", "0a"]] {
        let output = env.run_with_stdin(BIN, args, &asked).success();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("\n", ""), "{args:?}");
    }
    let log = files::read(env.data().join("hook.log"));
    assert!(log.contains("`catchword statusline` does not name the client"), "{log}");
    let _ = env.run(BIN, &["init", "--statusline", "--yes"]).success();
    let settings = files::read(env.home().join(SETTINGS));
    files::write(env.home().join(SETTINGS), settings.replace("statusline claude-code", "statusline"));
    let doctor = env.run(BIN, &["doctor"]).stdout;
    assert!(doctor.contains("the status line does not name"), "{doctor}");
    let _ = env.run(BIN, &["init", "--yes"]).success();
    assert_eq!(files::read(env.home().join(SETTINGS)), settings);
}

/// Runs what the settings name, as the client does.
fn as_the_client(env: &TestEnv, stdin: &str) -> String {
    let settings: Value = serde_json::from_str(&files::read(env.home().join(SETTINGS))).unwrap();
    let command = settings["statusLine"]["command"].as_str().expect("a status line").to_owned();
    let output = env.run_with_stdin("sh", &["-c", &command], stdin).success();
    assert_eq!(output.stderr, "");
    output.stdout
}

#[test]
fn somebodys_own_status_line_is_kept_above_ours_and_given_back() {
    let env = env();
    let mine = "{\n  \"statusLine\": {\"type\": \"command\",  \"command\": \"cut -c2-13; echo two\", \"padding\": 0},\n  \"model\": \"opus\"\n}\n";
    files::write(env.home().join(SETTINGS), mine);
    let installed = env.run(BIN, &["init", "--statusline", "--yes"]).success().stdout;
    assert!(installed.replace('\n', " ").contains("and the status line is"), "{installed}");
    let settings: Value = serde_json::from_str(&files::read(env.home().join(SETTINGS))).unwrap();
    assert_eq!(settings["statusLine"]["padding"], 0, "what else it had stays");
    let asked = payload(&env, 100_200).to_string();
    let shown = as_the_client(&env, &asked);
    assert_eq!(
        shown,
        "\"session_id\"\ntwo\nSonnet 4.5 · ██████░░░░ 60% · 67k left\n"
            .replace("\"session_id\"", &asked[1..13])
    );
    let doctor = env.run(BIN, &["doctor"]).stdout;
    assert!(doctor.contains("statusline  In ~/.claude/settings.json."), "{doctor}");
    let again = env.run(BIN, &["init", "--statusline", "--yes"]).success().stdout;
    assert!(again.contains("Already installed"), "{again}");
    let _ = env.run(BIN, &["remove", "--yes"]).success();
    assert_eq!(files::read(env.home().join(SETTINGS)), mine);
}

#[test]
fn a_status_line_that_fails_or_hangs_is_not_shown_and_does_not_hold_ours_up() {
    for command in ["echo broken; echo oops >&2; exit 3", "/not/there", "sleep 60"] {
        let env = env();
        files::write(
            env.home().join(SETTINGS),
            json!({"statusLine": {"type": "command", "command": command}}).to_string(),
        );
        let _ = env.run(BIN, &["init", "--statusline", "--yes"]).success();
        let shown = as_the_client(&env, &payload(&env, 100_200).to_string());
        assert_eq!(shown, "Sonnet 4.5 · ██████░░░░ 60% · 67k left\n", "{command}");
    }
}

#[test]
fn where_there_was_none_remove_leaves_none() {
    let env = env();
    files::write(env.home().join(SETTINGS), "{}\n");
    let _ = env.run(BIN, &["init", "--statusline", "--yes"]).success();
    assert!(!as_the_client(&env, &payload(&env, 100_200).to_string()).is_empty());
    assert!(!files::read(env.home().join(SETTINGS)).contains("--with"));
    let _ = env.run(BIN, &["remove", "--yes"]).success();
    assert_eq!(files::read(env.home().join(SETTINGS)), "{}\n");
}

#[test]
fn where_the_plugin_calls_the_hooks_only_the_status_line_is_put_in() {
    let env = env();
    files::write(env.home().join(SETTINGS), "{\"enabledPlugins\": {\"catchword@x\": true}}");
    assert!(!env.run(BIN, &["init", "--yes"]).status.success());
    let _ = env.run(BIN, &["init", "--statusline", "--yes"]).success();
    let settings: Value = serde_json::from_str(&files::read(env.home().join(SETTINGS))).unwrap();
    assert!(settings.get("hooks").is_none() && settings.get("statusLine").is_some(), "{settings}");
}

#[test]
fn what_was_lost_is_shown_until_the_turn_ends_and_forgotten_at_the_next_compaction() {
    let env = env();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let shown = || line(&env, payload(&env, 100_200).to_string());
    let mut transcript =
        Transcript::new().prompt("Never touch the lock file.").task_create("write the lexer");
    let brief = hooks.compaction(&mut transcript, "auto", "a summary").brief().expect("a brief");
    assert!(shown().ends_with(" · 2 lost"), "the agent does not have it yet: {}", shown());
    let mut arrived = transcript.clone().hook_context("SessionStart", &brief).says("d");
    arrived.append_to(hooks.transcript_path());
    let _ = hooks.post_tool_batch(&[]).success();
    assert!(shown().ends_with(" · 2 lost, given back"), "{}", shown());
    let _ = hooks.stop("d").success();
    assert!(!shown().contains("lost"), "{}", shown());
    // The next brief is lost on its way, and so is the one after it: that one's count is its own.
    let _ = hooks.compaction(&mut arrived, "auto", "and another summary of the session");
    arrived = arrived.says("e");
    arrived.append_to(hooks.transcript_path());
    let _ = hooks.stop("e").success();
    assert!(shown().ends_with(" · 2 lost"), "the turn ended without it: {}", shown());
    let _ = hooks.pre_compact("auto", None).success();
    assert!(!shown().contains("lost"), "{}", shown());
}

#[test]
fn where_nothing_is_compacted_none_is_due() {
    let mut env = env();
    env.set_var("DISABLE_AUTO_COMPACT", "1");
    assert!(line(&env, payload(&env, 190_000).to_string()).ends_with("100% · context full"));
}

/// The settings file itself has what it takes, so that nobody depends on our data.
#[test]
fn somebodys_own_status_line_comes_back_though_the_data_is_gone() {
    let command = r#"printf '%s' "it's mine"; echo; echo 'two'"#;
    let mine = json!({"model": "opus", "statusLine": {"type": "command", "command": command, "padding": 1}});
    let env = env();
    files::write(env.home().join(SETTINGS), mine.to_string());
    let _ = env.run(BIN, &["init", "--statusline", "--yes"]).success();
    std::fs::remove_dir_all(env.data()).unwrap();
    let asked = payload(&env, 100_200).to_string();
    assert!(as_the_client(&env, &asked).starts_with("it's mine\ntwo\nSonnet 4.5"), "still above ours");
    // Put in again it is still known.
    let _ = env.run(BIN, &["init", "--statusline", "--yes"]).success();
    assert!(as_the_client(&env, &asked).starts_with("it's mine\ntwo\nSonnet 4.5"));
    let _ = env.run(BIN, &["remove", "--yes"]).success();
    let after: Value = serde_json::from_str(&files::read(env.home().join(SETTINGS))).unwrap();
    assert_eq!(after, mine);
}
