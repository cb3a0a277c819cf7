//! The gauge, and the checkpoints that hooks make on the way to a compaction.

use catchword_testkit::{CommandOutput, HookPlayer, SESSION, TestEnv, Transcript, files};
use rusqlite::Connection;
use serde_json::{Value, json};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

/// The model's window is 200,000, and 167,000 of it can be used.
fn env() -> TestEnv {
    let mut env = TestEnv::new();
    env.set_var("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000");
    env
}

/// A session that grows, with a hook after each step.
struct Growing<'a> {
    hooks: HookPlayer<'a>,
    transcript: Transcript,
}

impl<'a> Growing<'a> {
    fn new(env: &'a TestEnv) -> Self {
        let transcript = Transcript::new()
            .prompt("Add a parser. Never touch the lock file.")
            .task_create("write the lexer");
        Growing { hooks: HookPlayer::new(env, BIN, SESSION), transcript }
    }

    /// An answer with this many tokens in the context, and what the hook after its tool says.
    fn answer(&mut self, tokens: u64) -> CommandOutput {
        let grown = std::mem::take(&mut self.transcript).usage(tokens - 40).bash("ls").ok("src");
        self.transcript = grown;
        self.transcript.append_to(self.hooks.transcript_path());
        self.hooks.post_tool_batch(&[]).success()
    }
}

/// What the person is told.
fn told(output: &CommandOutput) -> Option<String> {
    if output.stdout.is_empty() {
        return None;
    }
    let value: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let model = value["hookSpecificOutput"].to_string();
    assert!(!model.contains("until compaction"), "the model is not disturbed: {value}");
    value["systemMessage"].as_str().map(str::to_owned)
}

/// The gauge of the latest session here.
fn context(env: &TestEnv, args: &[&str]) -> Value {
    let all = [&["status", "--json"], args].concat();
    env.run(BIN, &all).success().json()[0]["context"].clone()
}

/// Compaction and threshold of every checkpoint.
fn names(env: &TestEnv) -> Vec<String> {
    let db = Connection::open(env.data().join("catchword.db")).unwrap();
    let mut statement =
        db.prepare("SELECT compaction || ': ' || threshold FROM checkpoint ORDER BY no").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[test]
fn each_point_is_recorded_once_and_the_person_told_of_the_percentages() {
    let env = env();
    let mut session = Growing::new(&env);
    assert_eq!(told(&session.answer(20_000)), None);
    assert_eq!(told(&session.answer(61_000)), None, "steps are silent");
    assert_eq!(names(&env), ["0: used 50000", "0: used 60000"]);
    assert_eq!(
        told(&session.answer(117_000)).as_deref(),
        Some(
            "catchword: about 50k tokens until compaction; state is saved. Suggested: /compact focus on write the lexer"
        )
    );
    assert_eq!(told(&session.answer(117_500)), None, "once");
    assert_eq!(told(&session.hooks.user_prompt("go on")), None);
    assert_eq!(told(&session.hooks.stop("done")), None);
    let before = names(&env).len();
    let line = told(&session.answer(166_000)).expect("a line");
    assert!(line.starts_with("catchword: about 1k tokens until compaction;"), "{line}");
    let after = names(&env);
    assert_eq!(
        after[before..],
        [
            "0: used 120000",
            "0: used 130000",
            "0: used 140000",
            "0: used 150000",
            "0: used 160000",
            "0: left 15%",
            "0: left 5%"
        ]
    );
    assert_eq!(told(&session.answer(190_000)), None, "all was said");
}

#[test]
fn a_checkpoint_has_saved_the_state_when_the_transcript_is_gone() {
    let env = env();
    let mut session = Growing::new(&env);
    let _ = session.answer(120_000);
    std::fs::remove_file(session.hooks.transcript_path()).unwrap();
    let handoff = files::read(env.data().join("handoffs").join(format!("HANDOFF-{SESSION}.md")));
    assert!(
        handoff.contains("Never touch the lock file") && handoff.contains("write the lexer"),
        "{handoff}"
    );
    let shown = env.run(BIN, &["status", SESSION]).success().stdout;
    assert!(shown.contains("used        120,000"), "the store still knows:\n{shown}");
}

#[test]
fn after_a_compaction_the_points_count_anew() {
    let env = env();
    let mut session = Growing::new(&env);
    assert!(told(&session.answer(160_000)).is_some());
    let _ = session.hooks.compaction(&mut session.transcript, "auto", "1. A parser");
    assert_eq!(told(&session.answer(30_000)), None);
    assert!(told(&session.answer(160_000)).is_some(), "armed again");
    assert_eq!(told(&session.answer(161_000)), None);
    let lefts: Vec<String> = names(&env).into_iter().filter(|name| name.contains("left")).collect();
    assert_eq!(
        lefts,
        ["0: left 30%", "0: left 15%", "0: left 5%", "1: left 30%", "1: left 15%", "1: left 5%"]
    );
}

#[test]
fn subagents_do_not_move_the_gauge() {
    let env = env();
    let mut session = Growing::new(&env);
    let _ = session.answer(30_000);
    session.transcript = std::mem::take(&mut session.transcript)
        .as_subagent("a1")
        .usage(160_000)
        .bash("ls")
        .ok("x")
        .main_thread();
    session.transcript.append_to(session.hooks.transcript_path());
    assert_eq!(told(&session.hooks.post_tool_batch(&[]).success()), None);
    assert_eq!(told(&session.hooks.inside_subagent("a1").post_tool_batch(&[]).success()), None);
    assert!(names(&env).is_empty());
    let view = context(&env, &[]);
    assert_eq!((&view["used"]["tokens"], &view["left"]["tokens"]), (&json!(30_000), &json!(137_000)));
}

#[test]
fn checkpoints_can_be_moved_and_switched_off() {
    for (config, expected) in [
        ("checkpoints.on = false", vec![]),
        ("[checkpoints]\nleft = [50]\nevery = 0", vec!["0: left 50%"]),
        ("checkpoints.left = []\ncheckpoints.from = 90000", vec!["0: used 90000", "0: used 100000"]),
    ] {
        let env = env();
        files::write(env.data().join("config.toml"), config);
        let told = told(&Growing::new(&env).answer(100_000));
        assert_eq!(names(&env), expected, "{config}");
        assert_eq!(told.is_some(), config.contains("50"), "{config}");
    }
}

#[test]
fn parallel_hooks_record_a_point_once_and_tell_it_once() {
    let env = env();
    let mut session = Growing::new(&env);
    let _ = session.answer(30_000);
    session.transcript = std::mem::take(&mut session.transcript).usage(160_000).bash("ls").ok("src");
    session.transcript.append_to(session.hooks.transcript_path());
    let hooks = &session.hooks;
    let told: usize = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..8).map(|_| scope.spawn(|| told(&hooks.post_tool_batch(&[]).success()))).collect();
        running.into_iter().filter_map(|one| one.join().unwrap()).count()
    });
    assert_eq!(told, 1);
    let mut names = names(&env);
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!((all, names.len()), (names.len(), 15), "{names:?}");
}

#[test]
fn a_secret_in_the_open_work_is_not_shown() {
    let env = env();
    let mut session = Growing::new(&env);
    let secret = "ghp_7Kd92mQxV4tZ1bNcR8sYwE5uJ3hLpA6gFo0T".to_owned();
    session.transcript = Transcript::new().prompt("go").task_create(&format!("rotate {secret} now"));
    let line = told(&session.answer(160_000)).expect("a line");
    assert!(line.contains("rotate") && !line.contains(&secret), "{line}");
}

#[test]
fn the_gauge_says_each_number_and_where_it_comes_from() {
    let env = env();
    let path = env.root().join("t.jsonl");
    let file = path.to_str().unwrap();
    let gauge = |transcript: &Transcript, args: &[&str]| {
        transcript.write_to(&path);
        let all: Vec<&str> = ["status", "--transcript", file].iter().chain(args).copied().collect();
        env.run(BIN, &all).success().stdout
    };
    let begun = || Transcript::new().prompt("a");
    let shown = [
        begun().usage(99_960).says("b"),
        begun().model("gpt-9").says("b"),
        begun().usage(190_000).says("b").compaction("auto", "s"),
        begun(),
    ]
    .map(|transcript| gauge(&transcript, &[]));
    insta::assert_snapshot!(shown.join("\n"));
    let json: Value =
        serde_json::from_str(&gauge(&Transcript::new().prompt("a").says("b"), &["--json"])).unwrap();
    let json = &json[0]["context"];
    for key in ["used", "window", "threshold"] {
        assert!(
            json[key]["tokens"].is_u64() && json[key]["source"].is_string() && json[key]["from"].is_string()
        );
    }
    assert!(json["left"]["tokens"].is_u64() && json["left"]["percent"].is_u64(), "{json}");
    assert_eq!(json["used"]["line"], 2);
}

#[test]
fn what_the_status_line_told_of_the_window_is_remembered() {
    let env = TestEnv::new();
    let mut session = Growing::new(&env);
    session.transcript = std::mem::take(&mut session.transcript).model("gpt-9");
    let _ = session.answer(100_000);
    let unknown = env.run(BIN, &["status", SESSION]).success().stdout;
    assert!(unknown.contains("window      unknown  not known for gpt-9"), "{unknown}");
    let status = json!({"session_id": SESSION, "model": {"id": "gpt-9"},
        "context_window": {"context_window_size": 300_000, "current_usage": null}});
    let _ = env.run_with_stdin(BIN, &["statusline", "claude-code"], status.to_string()).success();
    let known = env.run(BIN, &["status", SESSION]).success().stdout;
    assert!(known.contains("window      300,000  the status line"), "{known}");
    assert!(known.contains("threshold   267,000  the client's rule"), "{known}");
}

#[test]
fn with_automatic_compaction_off_no_compaction_is_promised() {
    for (automatic, all) in [("1", ""), ("0", "1"), ("", "true")] {
        let mut env = env();
        env.set_var("DISABLE_AUTO_COMPACT", automatic);
        env.set_var("DISABLE_COMPACT", all);
        let mut session = Growing::new(&env);
        let line = told(&session.answer(130_000)).expect("a line");
        let expected = "catchword: about 47k tokens until the context is full (automatic compaction is off); state is saved.";
        assert!(line.starts_with(expected), "{automatic:?} {all:?}: {line}");
        let line = told(&session.answer(177_000)).expect("a line");
        assert!(line.starts_with("catchword: the context is full (automatic compaction is off);"), "{line}");
    }
}

#[test]
fn a_file_without_a_conversation_is_an_error() {
    let env = env();
    env.write("passwd", "root:x:0:0:root:/root:/bin/sh\n");
    let output = env.run(BIN, &["status", "--transcript", "passwd"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "{output}");
    assert!(output.stderr.contains("passwd holds no conversation"), "{output}");
}

/// A person who is told that the state is saved finds all of it, git's part too.
#[test]
fn the_handoff_at_a_percentage_has_what_git_says() {
    let env = env();
    env.git(&["init", "-q", "-b", "feat/x"]);
    env.write("a.rs", "one");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "First"]);
    env.write("a.rs", "two");
    let mut session = Growing::new(&env);
    assert!(told(&session.answer(130_000)).is_some());
    let text = files::read(env.data().join("handoffs").join(format!("HANDOFF-{SESSION}.md")));
    assert!(text.contains("feat/x") && text.contains("not committed: a.rs"), "{text}");
}

/// The form in which it was found: no status line, no window set, and "about 8k tokens" with 800,000 left.
#[test]
fn a_larger_window_is_known_by_the_model_that_was_asked_for_and_warns_nobody_early() {
    let env = TestEnv::new();
    let mut session = Growing::new(&env);
    session.transcript = session.transcript.model("claude-sonnet-4-5[1m]");
    assert_eq!(told(&session.answer(192_000)), None);
    let gauge = context(&env, &[]);
    assert_eq!(
        (&gauge["window"]["tokens"], &gauge["window"]["source"]),
        (&json!(1_000_000), &json!("requested"))
    );
    assert_eq!(gauge["left"]["tokens"], 808_000);
    let line = told(&session.answer(720_000)).expect("30% are left");
    assert!(line.starts_with("catchword: about 280k tokens until compaction;"), "{line}");
}

#[test]
fn where_nobody_says_which_window_was_chosen_it_is_unknown_and_nobody_is_warned() {
    let transcript = || Transcript::old_shape().prompt("Add a parser.").model("claude-sonnet-4-5");
    let answered = |env: &TestEnv| {
        let hooks = HookPlayer::new(env, BIN, SESSION);
        transcript().usage(191_960).bash("ls").ok("src").append_to(hooks.transcript_path());
        let said = told(&hooks.post_tool_batch(&[]).success());
        (said, context(env, &[]))
    };
    let env = TestEnv::new();
    let (said, gauge) = answered(&env);
    assert_eq!((said, &gauge["window"], &gauge["left"]), (None, &Value::Null, &Value::Null));
    let shown = env.run(BIN, &["status", SESSION]).success().stdout;
    assert!(shown.contains("unknown  not known for claude-sonnet-4-5 (a larger one may be in"), "{shown}");
    // The environment, the client's settings, and switching larger windows off decide.
    let set = |name, value| Some((name, value));
    let cases = [
        (set("ANTHROPIC_MODEL", "sonnet[1m]"), "", 1_000_000),
        (set("ANTHROPIC_MODEL", "claude-sonnet-4-5"), "", 200_000),
        (set("CLAUDE_CODE_DISABLE_1M_CONTEXT", "1"), "", 200_000),
        (None, r#"{"model": "sonnet[1m]"}"#, 1_000_000),
        (set("ANTHROPIC_MODEL", "opus"), r#"{"model": "claude-sonnet-4-5"}"#, 200_000),
    ];
    for (variable, settings, window) in cases {
        let mut env = TestEnv::new();
        if let Some((name, value)) = variable {
            env.set_var(name, value);
        }
        files::write(env.home().join(".claude/settings.json"), settings);
        let (said, gauge) = answered(&env);
        assert_eq!(
            (&gauge["window"]["tokens"], &gauge["window"]["source"]),
            (&json!(window), &json!("chosen"))
        );
        assert_eq!(said.is_some(), window == 200_000, "{variable:?} {settings}: {said:?}");
    }
}

#[test]
fn a_fresh_start_is_suggested_where_nothing_is_open_or_all_is_a_summary_of_summaries() {
    let env = env();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut done = Transcript::new().prompt("What does add do?").usage(120_000).says("It adds.");
    done.append_to(hooks.transcript_path());
    let line = told(&hooks.stop("It adds.").success()).expect("a line");
    assert!(line.ends_with("state is saved. Suggested: /clear (nothing is open)"), "{line}");
    // As the client does it: the last answer is in the event, its row comes later.
    for (last, suggested) in [
        ("It adds.", "/clear (nothing is open)"),
        ("It adds. Shall I rename it?", "/compact focus on What does add do?"),
        ("It adds. The docs are not started.", "/compact focus on The docs are not started."),
    ] {
        let env = self::env();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut looked = Transcript::new().prompt("What does add do?").usage(120_000).bash("ls").ok("src");
        looked.append_to(hooks.transcript_path());
        let line = told(&hooks.stop(last).success()).expect("a line");
        assert!(line.ends_with(&format!("state is saved. Suggested: {suggested}")), "{last}: {line}");
    }
    let env = self::env();
    let mut session = Growing::new(&env);
    for _ in 0..2 {
        let _ = session.hooks.compaction(&mut session.transcript, "auto", "1. A parser");
    }
    let line = told(&session.answer(120_000)).expect("a line");
    assert!(line.ends_with("Suggested: /clear (compacted 2 times; the brief comes along)"), "{line}");
    files::write(env.data().join("config.toml"), "next_start.on = false\n");
    let line = told(&session.answer(150_000)).expect("a line");
    assert!(line.ends_with("Suggested: /compact focus on write the lexer"), "{line}");
}
