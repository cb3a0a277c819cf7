//! What the brief said falsely because a command, an output or an effect was read from words: each in the form in which
//! it was found.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::audit::audit;
use catchword_engine::choose::{Section, WorkspaceState};
use catchword_engine::model::finding::FindingKind;
use catchword_engine::ops;
use catchword_testkit::Transcript;
use shared::{fold, head_of, section_of};

fn brief(transcript: &Transcript) -> String {
    ops::brief::brief(&fold(transcript), None, &WorkspaceState::default(), 6_000).text
}

fn section(transcript: &Transcript, of: Section) -> String {
    section_of(&brief(transcript), of)
}

fn project(path: &str) -> String {
    format!("/home/user/project/{path}")
}

#[test]
fn git_that_exits_with_an_error_is_no_failing_check() {
    let pathspec = "Exit code 1\nerror: pathspec 'dev' did not match any file(s) known to git";
    let nothing = "Exit code 1\nOn branch main\nnothing to commit, working tree clean";
    for (command, output) in [
        ("git checkout dev", pathspec),
        ("git checkout feature-x", pathspec),
        ("git commit -m \"fix the build\"", nothing),
    ] {
        let session = Transcript::new().prompt("Go.").bash(command).fails(output);
        assert_eq!(section(&session, Section::Failing), "", "{command}");
    }
    let check = Transcript::new().prompt("Go.").bash("cargo build").fails("Exit code 101\nerror: no");
    assert!(section(&check, Section::Failing).contains("cargo build"));
}

#[test]
fn a_condition_of_the_shell_is_no_test_run() {
    let failed = Transcript::new()
        .prompt("Go.")
        .bash("cargo test")
        .fails("Exit code 101\ntest result: FAILED. 3 passed; 1 failed")
        .bash("test -f Cargo.toml")
        .ok("");
    assert!(section(&failed, Section::Failing).contains("cargo test"));
}

#[test]
fn a_condition_of_the_shell_does_not_confirm_that_all_tests_pass() {
    let failed = Transcript::new()
        .prompt("Go.")
        .bash("cargo test")
        .fails("Exit code 101\ntest result: FAILED. 3 passed; 1 failed");
    let found = |session: Transcript| {
        let findings =
            audit(&fold(&session), "1. Primary Request:\n   Go.\n8. Current Work:\n   All tests pass.");
        findings.into_iter().filter(|found| found.kind == FindingKind::Contradicted).count()
    };
    assert_eq!(found(failed.clone().bash("test -f Cargo.toml").ok("")), 1);
    assert_eq!(found(failed.bash("cargo test").ok("test result: ok. 4 passed; 0 failed")), 0);
}

#[test]
fn the_result_of_a_streamed_run_is_its_last_count_line() {
    let output = "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 0 ]\n[ FAIL 1 | WARN 0 | SKIP 0 | PASS 9 ]\n\
        [ FAIL 4 | WARN 0 | SKIP 1 | PASS 21 ]";
    let session = Transcript::new()
        .prompt("Run the tests.")
        .edit(&project("R/a.R"), "a", "b")
        .bash("Rscript tests/testthat.R 2>&1 | tail -20")
        .ok(output)
        .bash("Rscript tests/testthat.R 2>&1 | tail -20")
        .ok(output);
    let told = brief(&session);
    assert!(!head_of(&told).contains("FAIL 0"), "{told}");
    let runs = section(&session, Section::Runs);
    assert!(
        runs.contains("→ \"[ FAIL 4 | WARN 0 | SKIP 1 | PASS 21 ]\"") && !runs.contains("FAIL 0"),
        "{told}"
    );
}

#[test]
fn a_word_in_the_output_of_a_command_that_succeeded_is_no_failure() {
    let session = Transcript::new()
        .prompt("Commit it.")
        .bash("git add -A && git commit -m 'deps' 2>&1 | tail -3 && git push")
        .ok("npm WARN deprecated: They WILL FAIL in v10.0.0\n[main 1a2b3c4] deps\n 1 file changed");
    let told = brief(&session);
    assert_eq!(section(&session, Section::Failing), "", "{told}");
    assert!(told.contains("1a2b3c4"), "{told}");
}

#[test]
fn a_test_run_after_the_edit_is_named() {
    let edited = |tests: &str| {
        Transcript::new()
            .prompt("Make the parser strict.")
            .edit(&project("src/parser.ts"), "a", "b")
            .bash(tests)
            .ok(" 426 pass\n 0 fail\nRan 426 tests across 31 files. [4.20s]")
    };
    for tests in ["bun test", "docker compose exec -T web bun test", "bash -c 'cd web && bun test' | tail -3"]
    {
        let told = brief(&edited(tests));
        assert!(told.contains("ran since: `"), "{told}");
        assert!(told.contains("426 pass"), "{told}");
    }
}

#[test]
fn files_are_listed_by_what_happened_to_them() {
    let session = Transcript::new()
        .prompt("Tidy up.")
        .write(&project("src/old.rs"))
        .bash("rm src/old.rs 2>/dev/null || true")
        .ok("")
        .read(&project("notes.md"))
        .bash("echo done >> notes.md")
        .ok("")
        .bash("cargo tree | tee tree.txt")
        .ok("x");
    let changed = section(&session, Section::Changed);
    assert!(!changed.contains("old.rs"), "{changed}");
    assert!(changed.contains("notes.md") && changed.contains("tree.txt"), "{changed}");
}

#[test]
fn edits_that_were_taken_back_exactly_are_no_changes() {
    let path = project("src/a.rs");
    let taken_back = Transcript::new()
        .prompt("Try it.")
        .edit(&path, "let a = 1;", "let a = 2;")
        .edit(&path, "let b = 1;", "let b = 2;")
        .edit(&path, "let b = 2;", "let b = 1;")
        .edit(&path, "let a = 2;", "let a = 1;");
    assert!(!fold(&taken_back).files.get(&path).expect("a file").is_changed());
    let half = Transcript::new()
        .prompt("Try it.")
        .edit(&path, "let a = 1;", "let a = 2;")
        .edit(&path, "let b = 1;", "let b = 2;")
        .edit(&path, "let b = 2;", "let b = 1;");
    assert_eq!(fold(&half).files.get(&path).expect("a file").edits, 1);
}

#[test]
fn calls_that_a_resumed_session_repeats_count_once() {
    let path = project("src/a.rs");
    let session = Transcript::new().prompt("Go.").edit(&path, "a", "b");
    let mut resumed = session.clone();
    // A resumed session has copies of the rows, each with a new id.
    for line in session.lines().to_vec() {
        let mut row: serde_json::Value = serde_json::from_str(&line).expect("a row");
        if let Some(id) = row.get("uuid").and_then(|id| id.as_str()).map(|id| format!("copy-{id}")) {
            row["uuid"] = id.into();
        }
        resumed = resumed.raw(&row.to_string());
    }
    assert_eq!(fold(&resumed).files.get(&path).expect("a file").edits, 1);
    assert_eq!(fold(&session).files.get(&path).expect("a file").edits, 1);
}

#[test]
fn a_suite_without_tests_and_a_commit_elsewhere_are_not_told() {
    let suites = "test result: ok. 632 passed; 0 failed\n\nDoc-tests\ntest result: ok. 0 passed; 0 failed";
    let session =
        Transcript::new().prompt("Go.").edit(&project("src/a.rs"), "a", "b").bash("cargo test").ok(suites);
    assert!(brief(&session).contains("→ \"test result: ok. 632 passed; 0 failed\""), "{}", brief(&session));
    let commit = |line: &str| Transcript::new().prompt("Go.").bash(line).ok("[main 672b1de] Fix it");
    assert!(!section(&commit("ssh web 'cd /srv && git commit -am fix'"), Section::Git).contains("672b1de"));
    assert!(section(&commit("git commit -am fix"), Section::Git).contains("672b1de"));
}

#[test]
fn commits_in_another_folder_are_no_sign_that_nothing_was_committed() {
    let edited = || Transcript::new().prompt("Go.").edit(&project("src/a.rs"), "a", "b");
    let elsewhere = (1..=5).fold(edited(), |session, n| {
        session
            .bash(&format!("cd ../web && git commit -am 'part {n}'"))
            .ok(&format!("[main 672b1d{n}] part {n}"))
    });
    let told = brief(&elsewhere).to_lowercase();
    assert!(told.contains("a.rs") && told.contains("part 5"), "{told}");
    for absence in ["no commit", "not committed", "uncommitted", "no check", "not run"] {
        assert!(!told.contains(absence), "{absence}: {told}");
    }
    assert!(
        section(&edited().bash("git commit -am x").ok("[main 672b1de] x"), Section::Git).contains("672b1de")
    );
}

/// The halves were seen to pass one by one, each behind a pipe that has an exit code of its own.
#[test]
fn a_failed_line_is_over_once_its_halves_have_passed_behind_a_pipe() {
    let failed = || {
        Transcript::new()
            .prompt("Go.")
            .bash("cargo fmt --check && cargo test")
            .fails("Exit code 101\ntest result: FAILED. 3 passed; 1 failed")
            .edit(&project("src/a.rs"), "a", "b")
    };
    let format = |session: Transcript| session.bash("cargo fmt --check 2>&1 | tail -3").ok("");
    let tests = |session: Transcript, output: &str| session.bash("cargo test 2>&1 | tail -3").ok(output);
    let passed = tests(format(failed()), "test result: ok. 4 passed; 0 failed");
    assert_eq!(section(&passed, Section::Failing), "", "{}", brief(&passed));
    let half = format(failed());
    assert!(section(&half, Section::Failing).contains("cargo test"), "{}", brief(&half));
    let silent = tests(format(failed()), "finished in 3 s");
    assert!(section(&silent, Section::Failing).contains("cargo test"), "the exit code is that of tail");
}

/// Code in the line behind a pipe shows what it is given: it neither runs nor checks the work.
#[test]
fn a_look_through_a_pipe_into_an_interpreter_is_no_run() {
    let looks = [
        "cat report.json | python3 -c 'import json, sys; print(json.load(sys.stdin)[\"total\"])'",
        "curl -s localhost:3000/health | python3 -m json.tool",
        "git show HEAD:package.json | node -e 'process.stdin.pipe(process.stdout)'",
    ];
    for look in looks {
        let session = Transcript::new().prompt("Go.").bash("make check").ok("fine").bash(look).ok("42").edit(
            &project("src/a.rs"),
            "a",
            "b",
        );
        let state = section(&session, Section::State);
        assert!(state.contains("ran before: `make check`"), "{look}: {state}");
        let since = session.bash(look).ok("42");
        assert!(!section(&since, Section::State).contains("ran since"), "{look}");
        let broken = Transcript::new().prompt("Go.").bash(look).fails("Exit code 1\nKeyError: 'total'");
        assert_eq!(section(&broken, Section::Failing), "", "{look}");
    }
    let tests = Transcript::new()
        .prompt("Go.")
        .edit(&project("src/a.rs"), "a", "b")
        .bash("pytest -q | python3 -c 'import sys; print(sys.stdin.read()[-200:])'")
        .ok("1 failed, 3 passed");
    assert!(
        section(&tests, Section::Failing).contains("pytest"),
        "a test run behind which code stands is one"
    );
}
