//! `catchword audit` on a transcript file.

use catchword_testkit::{TestEnv, Transcript};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

fn lied_about() -> Transcript {
    Transcript::new()
        .prompt("Add a cache on port 4010.")
        .task_create("Document the cache headers")
        .bash("cargo test cache")
        .ok("ok")
        .compaction("auto", "7. Pending Tasks:\n   - Document the cache headers ✅\n\n8. Current Work:\n   Listening on port 4016.")
        .prompt("Go on.")
}

#[test]
fn both_sides_of_the_latest_compaction_are_shown() {
    let env = TestEnv::new();
    let file = env.home().join("t.jsonl");
    lied_about().write_to(&file);
    let path = file.to_str().unwrap();
    let shown = env.run(BIN, &["audit", "--transcript", path]).success().stdout;
    for words in
        ["Contradicted by the record: 1", "[pending] Document the cache headers", "Listening on port 4016"]
    {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn findings_as_json_have_these_fields() {
    let env = TestEnv::new();
    let file = env.home().join("t.jsonl");
    lied_about().write_to(&file);
    let json =
        env.run(BIN, &["audit", "--transcript", file.to_str().unwrap(), "--at", "1", "--json"]).success();
    let view: Value = serde_json::from_str(&json.stdout).unwrap();
    let first = &view["findings"][0];
    assert_eq!(
        (&first["kind"], &first["fact"], &first["told"]),
        (&"contradicted".into(), &"task".into(), &true.into())
    );
    let mut names: Vec<&String> = first.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["confidence", "fact", "kind", "place", "summary_quote", "text", "told"]);
}

#[test]
fn a_session_without_a_compaction_is_refused_with_what_to_do() {
    let env = TestEnv::new();
    let file = env.home().join("t.jsonl");
    Transcript::new().prompt("a").write_to(&file);
    let refused = env.run(BIN, &["audit", "--transcript", file.to_str().unwrap()]);
    assert!(!refused.status.success() && refused.stderr.contains("--summary"), "{}", refused.stderr);
}

#[test]
fn the_length_of_a_brief_is_no_question_of_the_audit() {
    let refused = TestEnv::new().run(BIN, &["audit", "--budget", "900"]);
    assert!(!refused.status.success() && refused.stderr.contains("--budget"), "{}", refused.stderr);
}

#[test]
fn a_changed_port_is_found_behind_five_thousand_calls() {
    let env = TestEnv::new();
    let file = env.home().join("t.jsonl");
    let mut transcript =
        Transcript::new().prompt("Build it.").bash("serve").ok("the server listens on port 3000");
    for n in 0..5_000 {
        transcript = transcript.bash(&format!("make part_{n}")).ok(&format!("built target_{n} in {n} ms"));
    }
    transcript.compaction("auto", "8. Current Work:\n   The server listens on port 3001.").write_to(&file);
    let json = env.run(BIN, &["audit", "--transcript", file.to_str().unwrap(), "--json"]).success().json();
    let quotes = json["findings"].as_array().unwrap().iter().map(|found| found["summary_quote"].to_string());
    assert!(quotes.into_iter().any(|quote| quote.contains("port 3001")), "{json}");
    assert!(!json["cannot_tell"].to_string().contains("numbers"), "{json}");
}
