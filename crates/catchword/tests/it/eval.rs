//! `eval`: past compactions, measured by what the agent used afterwards.

use catchword_engine::clients::CLIENTS;
use catchword_testkit::{CommandOutput, TestEnv, Transcript, files};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const ROOT: &str = "/home/user/project";

fn eval(env: &TestEnv, arguments: &[&str]) -> CommandOutput {
    env.run(BIN, &[&["eval"], arguments].concat())
}

/// Two compactions: the first summary lacks everything that is used afterwards, the second one nothing.
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

/// The output with `#` for the length of a brief, which changes with every change of its wording.
fn without_lengths(output: &CommandOutput) -> String {
    let hidden = |line: &str| {
        if let Some(row) = line.rsplit_once(' ').filter(|_| line.starts_with(ROOT)) {
            return format!("{} #", row.0.trim_end());
        }
        let number = line.split_once("brief of ").and_then(|(_, rest)| rest.split(' ').next());
        number.map_or(line.to_owned(), |number| line.replacen(number, "#", 1))
    };
    output.to_string().lines().map(hidden).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_compaction_is_listed_and_totalled() {
    let env = TestEnv::new();
    twice_compacted().write_to(env.transcript_path("11111111-1111"));
    Transcript::new().cwd("/home/user/other").prompt("x").write_to(env.transcript_path("22222222-2222"));
    // A subagent's own file is not a session.
    let subagents = env.transcript_path("11111111-1111").with_extension("").join("subagents");
    twice_compacted().write_to(subagents.join("agent-a1.jsonl"));
    insta::assert_snapshot!(without_lengths(&eval(&env, &[])), @r"
    Project              Session    #   Lines  Needed  Summary  With  Closed   Chars
    /home/user/project   11111111   1      10       3       0%  100%    100% #
    /home/user/project   11111111   2      20       2     100%  100%       – #

              needed  summary  with head  and reference  best possible  gap closed
    files          2      50%       100%           100%           100%        100%
    commands       2      50%       100%           100%           100%        100%
    names          1       0%       100%           100%           100%        100%
    together       5      40%       100%           100%           100%        100%
    prompts        5      20%        80%            80%              –           –
    tasks          2       0%       100%           100%              –           –

    2 compactions in 1 session of 1 project. A brief of # characters on average
    closes 100% of the gap between what the summary kept and the best possible (100%
    with its head alone). A brief lists 2.0 paths and names on average; 75% of them
    were used.
    [EOF]
    ------- stderr -------

    Needed: files, commands and names used again after the compaction. Summary,
    With: how many of them the agent saw without and with a brief; the head of a
    brief is what is certain, the reference the quoted lines below it. Closed: how
    far a brief gets from Summary to the best possible; – if there is no gap.
    `catchword eval --help` explains the rest.
    [EOF]
    ");
}

#[test]
fn each_project_has_its_own_figures() {
    let env = TestEnv::new();
    twice_compacted().write_to(env.project().join("team-a__app__1.jsonl"));
    twice_compacted().write_to(env.project().join("team-b__app__2.jsonl"));
    let figures = eval(&env, &["--json", "."]).success().json();
    let projects = figures["projects"].as_array().unwrap();
    let names: Vec<&str> = projects.iter().map(|project| project["project"].as_str().unwrap()).collect();
    assert_eq!(names, ["team-a", "team-b"]);
    let total = &projects[0]["total"];
    assert_eq!(
        (&total["kinds"]["files"]["gap_closed"], &projects[0]["compactions"]),
        (&1.0.into(), &2.into())
    );
    assert!(
        total["listed"]["items"].as_f64() > Some(0.0) && total["listed"]["used"].as_f64() > Some(0.0),
        "{total}"
    );
    let text = eval(&env, &["."]).success().stdout;
    assert!(text.contains("team-b") && text.contains("Commands") && text.contains("Used"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn tables_count_the_same_things_and_no_gap_is_a_dash() {
    let env = TestEnv::new();
    twice_compacted().write_to(env.project().join("team-a__app__1.jsonl"));
    let kept = Transcript::new()
        .cwd("/home/user/other")
        .prompt("Tidy up.")
        .read("/home/user/other/src/kept.rs")
        .compaction("auto", "Tidying src/kept.rs.")
        .read("/home/user/other/src/kept.rs");
    kept.write_to(env.project().join("team-b__app__2.jsonl"));
    let text = eval(&env, &["."]).success().stdout;
    // Without the lengths of the briefs, which are last in the lists.
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |name: &str, at: usize| rows.iter().filter(|row| row.first() == Some(&name)).nth(at).unwrap();
    assert_eq!(row("team-b", 0)[3..7], ["3", "1", "100%", "100%"], "{text}");
    // 3 + 2 + 1 needed, 0 + 2 + 1 kept.
    assert_eq!(row("files", 0)[1..], ["3", "67%", "100%", "100%", "100%", "100%"], "{text}");
    assert_eq!(row("together", 0)[1..], ["6", "50%", "100%", "100%", "100%", "100%"], "{text}");
    assert_eq!(row("team-b", 1)[1..7], ["1", "–", "–", "–", "0", "–"], "{text}");
    assert!(text.contains("closes 100% of the gap") && !text.contains("Facts"), "{text}");
}

/// The reference adds a value that stands only in what a command printed; the head alone has the edited file.
#[test]
fn head_and_reference_are_reported_apart() {
    let env = TestEnv::new();
    let at = |file: &str| format!("{ROOT}/{file}");
    let worked = Transcript::new()
        .prompt("Find out why the nightly import is slow.")
        .bash("./slowest.sh")
        .ok("slowest part: rebuild_price_index 41 s\nread the dump: 4 s")
        .edit(&at("src/import.rs"), "a", "b")
        .bash("./dump.sh")
        .ok("the dump was read")
        .prompt("Go on, please.")
        .compaction("auto", "The user wants a faster import.")
        .edit(&at("src/import.rs"), "b", "c")
        .grep("rebuild_price_index");
    worked.write_to(env.transcript_path("s"));
    let figures = eval(&env, &["--json"]).success().json();
    let first = &figures["measured"][0];
    let count = |kind: &str, of: &str| first["kinds"][kind][of].as_u64();
    let apart = |kind: &str| ["kept", "head", "with"].map(|of| count(kind, of).unwrap());
    assert_eq!((apart("files"), apart("names")), ([0, 1, 1], [0, 0, 1]), "{first}");
    assert!(first["head_characters"].as_u64() < first["characters"].as_u64(), "{first}");
    let total = &figures["total"];
    assert_eq!((&total["head_closed"], &total["gap_closed"]), (&0.5.into(), &1.0.into()), "{total}");
    let text = eval(&env, &[]).success().stdout;
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let names = rows.iter().find(|row| row.first() == Some(&"names")).unwrap();
    assert_eq!(names[1..], ["1", "0%", "0%", "100%", "100%", "100%"], "{text}");
    assert!(text.contains("with head") && text.contains("and reference"), "{text}");
}

#[test]
fn budget_and_without_change_the_measured_brief() {
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
    let left_out = ["files", "work", "state", "reference"];
    let (without, fewer) = files(&left_out.map(|name| ["--without", name]).concat());
    assert_eq!((all, without), (1.into(), 0.into()));
    assert!(fewer.as_u64() < characters.as_u64(), "{fewer} < {characters}");
    assert!(files(&["--budget", "400"]).1.as_u64() <= Some(400));
}

#[test]
fn unknown_extractor_error_lists_the_known_ones() {
    let output = eval(&TestEnv::new(), &["--without", "magic"]);
    assert_eq!(output.code(), Some(1));
    for word in ["magic", "requests", "reference", "git"] {
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
    insta::assert_snapshot!(serde_json::to_string(&first["kinds"]).unwrap(), @r#"{"commands":{"best":1,"head":1,"kept":0,"needed":1,"with":1},"files":{"best":1,"head":1,"kept":0,"needed":1,"with":1},"names":{"best":1,"head":1,"kept":0,"needed":1,"with":1},"prompts":{"best":null,"head":2,"kept":1,"needed":2,"with":2},"tasks":{"best":null,"head":1,"kept":0,"needed":1,"with":1}}"#);
    insta::assert_snapshot!(serde_json::to_string(&figures["total"]["kinds"]["files"]).unwrap(), @r#"{"best":1.0,"gap_closed":1.0,"head":1.0,"head_closed":1.0,"kept":0.5,"needed":2,"with":1.0}"#);
}

#[test]
fn nothing_to_measure_says_what_to_do() {
    let env = TestEnv::new();
    let said = eval(&env, &[]).stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.starts_with("No transcripts in ~/.claude/projects, ~/.codex/sessions, "), "{said}");
    assert!(
        said.ends_with("(files that end in .jsonl). Name one, or a folder with some: catchword eval PATH"),
        "{said}"
    );
    for client in CLIENTS {
        let database = client.transcripts.database.as_ref().map(|database| database.file);
        assert!(said.contains(database.unwrap_or(client.transcripts.folder)), "{client:?}: {said}");
    }
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
fn unreadable_files_do_not_stop_the_measurement() {
    let env = TestEnv::new();
    twice_compacted().write_to(env.project().join("s.jsonl"));
    files::write(env.project().join("damaged.jsonl"), "{\"type\":\n\u{0}\u{0}\n[]\n");
    let output = eval(&env, &["missing.jsonl", "damaged.jsonl", "s.jsonl"]);
    insta::assert_snapshot!(output.stderr.lines().next().unwrap_or_default(), @"Cannot read missing.jsonl: No such file or directory (os error 2)");
    assert_eq!(output.code(), Some(1));
    assert!(output.stdout.contains("2 compactions in 1 session of 1 project"), "{output}");
}
