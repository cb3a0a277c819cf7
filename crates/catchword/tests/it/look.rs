//! `show`, `explain`, `try` and `sessions`: what people look at.

use catchword_testkit::{TestEnv, Transcript};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

/// A file with one compaction, and how many lines stand before it.
fn compacted(env: &TestEnv) -> (String, String) {
    let before = Transcript::new().prompt("Add a parser. Never touch the lock file.").says("On it.");
    let lines = before.line_count().to_string();
    let file = env.root().join("one.jsonl");
    before.compaction("auto", "A summary that forgets.").prompt("Now the printer.").write_to(&file);
    (file.display().to_string(), lines)
}

#[test]
fn show_cuts_where_it_is_told_to() {
    let env = TestEnv::new();
    let (file, lines) = compacted(&env);
    let now = env.run(BIN, &["show", "--transcript", &file]).success().stdout;
    assert!(now.contains("Now the printer.") && now.contains("Never touch the lock file."), "{now}");
    let at = env.run(BIN, &["show", "--transcript", &file, "--at", "1"]).success().stdout;
    let cut = env.run(BIN, &["show", "--transcript", &file, "--line", &lines]).success().stdout;
    assert!(at.contains("Add a parser") && !at.contains("printer"), "{at}");
    assert_eq!(at, cut, "the compaction lies before that line, counted from 0");
    let first = env.run(BIN, &["show", "--transcript", &file, "--line", "0"]);
    assert_eq!(first.code(), Some(1), "nothing stands before the first line: {first}");
}

#[test]
fn show_compares_with_the_summary_it_is_given() {
    let env = TestEnv::new();
    let (file, lines) = compacted(&env);
    env.write("summary.txt", "The user said: Never touch the lock file.");
    let args = ["show", "--transcript", &file, "--line", &lines, "--summary", "summary.txt"];
    let text = env.run(BIN, &args).success().stdout;
    assert!(!text.contains("## Standing"), "{text}");
}

#[test]
fn a_compaction_that_is_not_there_is_said_so() {
    let env = TestEnv::new();
    let (file, _) = compacted(&env);
    let beyond = env.run(BIN, &["show", "--transcript", &file, "--at", "2"]);
    assert!(beyond.code() == Some(1) && beyond.stderr.contains("1 to 1"), "{beyond}");
    let none = env.root().join("none.jsonl");
    Transcript::new().prompt("Add a parser.").write_to(&none);
    let none = env.run(BIN, &["explain", "--transcript", &none.display().to_string(), "--at", "1"]);
    assert!(none.code() == Some(1) && none.stderr.contains("no compaction"), "{none}");
}

#[test]
fn everything_has_a_form_for_programs() {
    let env = TestEnv::new();
    let (file, _) = compacted(&env);
    for args in [
        &["show", "--json", "--transcript", &file][..],
        &["explain", "--json", "--transcript", &file],
        &["try", "--json", "--sample"],
        &["sessions", "--json"],
    ] {
        env.run(BIN, args).success().json();
    }
}

#[test]
fn looking_writes_nothing() {
    let env = TestEnv::new();
    let (file, _) = compacted(&env);
    for args in
        [&["try", "--sample"][..], &["try", "--transcript", &file], &["explain", "--transcript", &file]]
    {
        assert!(!env.run(BIN, args).success().stdout.is_empty());
    }
    assert!(!env.data().exists(), "no data directory was made");
}
