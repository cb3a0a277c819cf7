//! `catchword handoff --replay`.

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

fn a_session(env: &TestEnv) -> Transcript {
    Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser. Never touch the lock file.")
        .bash("cargo test")
        .fails("error: no parser")
        .says("There is none yet.")
        .compaction("auto", "A parser is wanted.")
        .prompt("Now write it.")
        .write("/p/src/parser.rs")
        .says("Written.")
}

#[test]
fn recorded_session_is_replayed_whole_or_up_to_a_compaction() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    a_session(&env).append_to(hooks.transcript_path());
    assert!(hooks.stop("Written.").is_silent_success());
    let whole = env.run(BIN, &["handoff", "--replay"]).success().stdout;
    for line in [
        "L1 user: Add a parser.",
        "L2 did: ran `cargo test` → failed: \"error: no parser\"",
        "agent: Written.",
    ] {
        assert!(whole.contains(line), "{line:?} is missing in\n{whole}");
    }
    assert!(
        whole.starts_with("<catchword-replay session=") && whole.ends_with("</catchword-replay>\n"),
        "{whole}"
    );
    let before = env.run(BIN, &["handoff", "--replay", &SESSION[..8], "--at", "1"]).success().stdout;
    assert!(before.contains("There is none yet.") && !before.contains("Now write it."), "{before}");
    let other = env.run(BIN, &["handoff", "--replay", "--at", "2"]);
    assert!(!other.status.success() && other.stderr.contains("has 1 compaction, not 2: use 1"), "{other}");
}

#[test]
fn any_file_is_replayed_within_its_budget() {
    let env = TestEnv::new();
    let long = (0..300).fold(a_session(&env), |t, n| t.bash(&format!("make step-{n}")).ok("fine"));
    let file = env.root().join("some.jsonl");
    long.write_to(&file);
    let file = file.to_str().unwrap();
    let replay = env
        .run(BIN, &["handoff", "--replay", "--transcript", file, "--budget", "2000", "--json"])
        .success()
        .json();
    let text = replay["text"].as_str().unwrap();
    // The file's path is shorter here.
    let characters = replay["characters"].as_u64().unwrap();
    assert!(characters <= 2_000 && text.chars().count() as u64 <= characters, "{replay}");
    assert!(
        text.contains("Add a parser.") && text.contains("step-299") && !text.contains("step-0`"),
        "{text}"
    );
    assert!(replay["left_out"].as_u64().unwrap() > 100, "{replay}");
    let gone = env.run(BIN, &["handoff", "--replay", "--transcript", "nowhere.jsonl"]);
    assert!(!gone.status.success() && gone.stderr.contains("there is no transcript nowhere.jsonl"), "{gone}");
}
