//! `eval`: past compactions measured by what the agent went on to use.

use catchword_testkit::{Output, TestEnv, Transcript, files};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const ROOT: &str = "/home/user/project";

fn eval(env: &TestEnv, arguments: &[&str]) -> Output {
    env.run(BIN, &[&["eval"], arguments].concat())
}

/// Two compactions: the first summary forgets everything that is used afterwards, the second one nothing.
fn twice_compacted() -> Transcript {
    let at = |file: &str| format!("{ROOT}/{file}");
    Transcript::new()
        .prompt("Make the parser skip comments, and keep it as fast as it is now.")
        .read(&at("src/parser.rs"))
        .edit(&at("src/lexer.rs"), "a", "b")
        .bash("cargo test -p parser --quiet")
        .fails("Exit code 101\nskip_comments failed")
        .task_create("Skip nested comments")
        .prompt("Yes, go on with it.")
        .compaction("auto", "The user wants a better parser.")
        .edit(&at("src/lexer.rs"), "b", "c")
        .grep("skip_comments")
        .bash("cargo test -p parser --quiet 2>&1 | tail -3")
        .ok("fine")
        .prompt("And now the benchmarks.")
        .compaction("manual", "Working on src/lexer.rs; run cargo test -p parser --quiet.")
        .read(&at("src/lexer.rs"))
        .bash("cargo test -p parser --quiet")
        .ok("fine")
}

/// The output with `###` for how long a brief was: every change of its wording would change that.
fn without_lengths(output: &Output) -> String {
    let hidden = |line: &str| {
        let masked = |number: &str| line.replacen(number, &"#".repeat(number.len()), 1);
        let number = match line.strip_prefix(ROOT) {
            Some(rest) => rest.rsplit(' ').next(),
            None => line.split_once("brief of ").and_then(|(_, rest)| rest.split(' ').next()),
        };
        number.map_or(line.to_owned(), masked)
    };
    output.to_string().lines().map(hidden).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_compaction_of_the_projects_is_listed_and_summed_up() {
    let env = TestEnv::new();
    twice_compacted().write_to(env.transcript_path("11111111-1111"));
    Transcript::new().cwd("/home/user/other").prompt("x").write_to(env.transcript_path("22222222-2222"));
    // A subagent's own file is not a session.
    let subagents = env.transcript_path("11111111-1111").with_extension("").join("subagents");
    twice_compacted().write_to(subagents.join("agent-a1.jsonl"));
    insta::assert_snapshot!(without_lengths(&eval(&env, &[])), @r"
    Project              Session   No   Lines  Needed  Summary  With  Closed   Chars
    /home/user/project   11111111   1      10       3       0%  100%    100%     ###
    /home/user/project   11111111   2      20       2     100%  100%       –     ###

               needed  summary alone  with catchword  best possible  gap closed
    files           2            50%            100%           100%        100%
    commands        2            50%            100%           100%        100%
    names           1             0%            100%           100%        100%
    prompts         5            25%             83%              –           –
    tasks           2             0%            100%              –           –

    2 compactions in 1 session of 1 project. A brief of ### characters on average
    closes 100% of the gap between what the summary kept and the best possible.
    [EOF]
    ");
}

#[test]
fn a_smaller_brief_is_smaller_and_one_without_files_gives_none_back() {
    let env = TestEnv::new();
    twice_compacted().write_to(env.transcript_path("s"));
    let files = |arguments: &[&str]| {
        let figures = eval(&env, &[&["--json"], arguments].concat()).success().json();
        (
            figures["measured"][0]["kinds"]["files"]["with"].clone(),
            figures["measured"][0]["characters"].clone(),
        )
    };
    let (all, characters) = files(&[]);
    let (without, fewer) = files(&["--without", "files", "--without", "work"]);
    assert_eq!((all, without), (1.into(), 0.into()));
    assert!(fewer.as_u64() < characters.as_u64(), "{fewer} < {characters}");
    assert!(files(&["--budget", "400"]).1.as_u64() <= Some(400));
}

#[test]
fn an_extractor_that_is_none_is_named_with_those_there_are() {
    let output = eval(&TestEnv::new(), &["--without", "magic"]);
    assert_eq!(output.code(), Some(1));
    for word in ["magic", "requests", "names", "git"] {
        assert!(output.stderr.contains(word), "{output}");
    }
}

#[test]
fn json_has_every_figure() {
    let env = TestEnv::new();
    let path = env.transcript_path("s");
    twice_compacted().write_to(&path);
    let figures = eval(&env, &["--json", path.to_str().unwrap()]).success().json();
    let first = &figures["measured"][0];
    assert_eq!((&figures["transcripts"], &figures["compactions"]), (&1.into(), &2.into()));
    assert_eq!((&figures["budget"], &figures["without"]), (&6_000.into(), &serde_json::json!([])));
    assert_eq!((&first["session"], &first["project"]), (&"s".into(), &ROOT.into()));
    assert_eq!((&first["compaction"], &first["lines"]), (&1.into(), &10.into()));
    insta::assert_snapshot!(serde_json::to_string(&first["kinds"]).unwrap(), @r#"{"commands":{"best":1,"kept":0,"needed":1,"with":1},"files":{"best":1,"kept":0,"needed":1,"with":1},"names":{"best":1,"kept":0,"needed":1,"with":1},"prompts":{"best":null,"kept":1,"needed":2,"with":2},"tasks":{"best":null,"kept":0,"needed":1,"with":1}}"#);
    insta::assert_snapshot!(serde_json::to_string(&figures["total"]["kinds"]["files"]).unwrap(), @r#"{"best":1.0,"gap_closed":1.0,"kept":0.5,"needed":2,"with":1.0}"#);
}

#[test]
fn where_there_is_nothing_to_measure_it_says_what_to_do() {
    let env = TestEnv::new();
    insta::assert_snapshot!(eval(&env, &[]), @r"
    ------- stderr -------
    No transcripts in ~/.claude/projects (files that end in .jsonl). Name one, or a
    folder with some: catchword eval PATH
    [EOF]
    ");
    insta::assert_snapshot!(eval(&env, &["."]), @r"
    ------- stderr -------
    No transcripts in . (files that end in .jsonl). Name one, or a folder with some:
    catchword eval PATH
    [EOF]
    ");
    Transcript::new().prompt("x").write_to(env.project().join("deep/down/s.jsonl"));
    insta::assert_snapshot!(eval(&env, &["deep"]), @r"
    ------- stderr -------
    No compaction in 1 transcript: nothing to measure yet. `catchword try` shows
    what an agent would be told if there were one now.
    [EOF]
    ");
    twice_compacted().prompt("y").compaction("auto", "s").write_to(env.project().join("deep/t.jsonl"));
    assert!(eval(&env, &["deep"]).success().stdout.contains("after which nothing was needed"));
    let figures = eval(&env, &["--json", "deep/down"]).success().json();
    assert_eq!(figures["measured"], serde_json::json!([]));
}

#[test]
fn what_cannot_be_read_does_not_keep_the_others_from_being_measured() {
    let env = TestEnv::new();
    twice_compacted().write_to(env.project().join("s.jsonl"));
    files::write(env.project().join("damaged.jsonl"), "{\"type\":\n\u{0}\u{0}\n[]\n");
    let output = eval(&env, &["missing.jsonl", "damaged.jsonl", "s.jsonl"]);
    insta::assert_snapshot!(output.stderr, @"Cannot read missing.jsonl: No such file or directory (os error 2)");
    assert_eq!(output.code(), Some(1));
    assert!(output.stdout.contains("2 compactions in 1 session of 1 project"), "{output}");
}
