//! A brief says about files, commands and git what the record shows, and nothing else.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::choose::{DiffStat, Section, WorkTree, WorkspaceState};
use catchword_engine::ops;
use catchword_engine::redact::SECRETS;
use catchword_testkit::Transcript;
use serde_json::json;
use shared::{fold, section_of};

/// The lines of one section after a summary, without its heading.
fn section_after(transcript: &Transcript, summary: &str, of: Section) -> String {
    let brief = ops::brief::brief(&fold(transcript), Some(summary), &WorkspaceState::default(), 6_000).text;
    section_of(&brief, of)
}

fn section(transcript: &Transcript, of: Section) -> String {
    section_after(transcript, "We worked on the project.", of)
}

fn p(name: &str) -> String {
    format!("/home/user/project/{name}")
}

#[test]
fn file_that_is_only_mentioned_or_read_is_not_called_changed() {
    let session = Transcript::new()
        .prompt("Look at planned/engine.rs some day, 次は future.py を書く, and Node.js docs.")
        .says("I would split src/guess.ts; `import x from './inner/helper.js'` is in the way.")
        .write(&p("docs/plan.md"))
        .bash("cat package.json 2>/dev/null")
        .ok("")
        .bash("cat README.md")
        .ok("See lib/example.go and <stdio.h>; ignore agents.lock")
        .call("Read", json!({"file_path": p("src/missing.rs")}))
        .fails("File does not exist.")
        .read(&p("src/real.rs"));
    // More files than the client restores by itself.
    let session = (0..6).fold(session, |session, n| session.read(&p(&format!("src/part{n}x.rs"))));
    assert_eq!(section(&session, Section::Changed), "docs/plan.md (new)");
}

#[test]
fn files_with_the_same_name_are_kept_apart() {
    let session = Transcript::new()
        .prompt("Fix the build.")
        .edit(&p("CMakeLists.txt"), "a", "b")
        .edit(&p("CMakeLists.txt"), "b", "c")
        .edit(&p("tests/CMakeLists.txt"), "a", "b")
        .read("/home/user/other-project/GUIDE.md")
        .edit(&p("GUIDE.md"), "a", "b");
    let changed = section(&session, Section::Changed);
    assert!(changed.contains("CMakeLists.txt (2 edits)"), "{changed}");
    assert!(changed.contains("tests/CMakeLists.txt (1 edit)"), "{changed}");
    assert!(changed.contains("GUIDE.md (1 edit)") && !changed.contains("other-project"), "{changed}");
    let named = section_after(&session, "Edited tests/CMakeLists.txt.", Section::Changed);
    assert!(named.contains("CMakeLists.txt (2 edits)") && !named.contains("tests/"), "{named}");
}

#[test]
fn windows_path_is_recognised_in_any_spelling() {
    let session = Transcript::new()
        .cwd(r"D:\work\site")
        .prompt("Restyle the page.")
        .edit(r"D:\work\site\src\page.css", "a", "b")
        .bash("cat src/page.css")
        .ok("b")
        .edit(r"D:\work\site\src\head.css", "a", "b")
        .prompt("Build it.")
        .bash("make site")
        .ok("built");
    let changed = section(&session, Section::Changed);
    let listed = changed.strip_prefix("src/: ").expect("one folder");
    let mut files: Vec<&str> = listed.split(", ").collect();
    files.sort_unstable();
    assert_eq!(files, ["head.css (1 edit)", "page.css (1 edit)"]);
    let known = section_after(&session, r"Edited src\page.css.", Section::Changed);
    assert_eq!(known, "src/head.css (1 edit)");
}

#[test]
fn files_changed_by_shell_commands_are_listed_and_read_or_missing_ones_are_not() {
    let session = Transcript::new()
        .prompt("Rename the option.")
        .read(&p("src/gone.py"))
        .bash("sed -i 's/old/new/' src/options.py")
        .ok("")
        .bash("python -m pytest src/gone.py")
        .fails("Exit code 4\nERROR: src/gone.py: No such file or directory");
    assert_eq!(section(&session, Section::Changed), "src/options.py (1 edit)");
}

#[test]
fn commands_are_quoted_with_their_last_result() {
    let session = Transcript::new()
        .prompt("Make it green.")
        .bash("uv run pytest -q --no-header tests")
        .ok("....\n12 passed in 0.2s")
        .bash("uv run pytest --no-header -q tests | tail -5")
        .ok("12 passed in 0.2s")
        .edit(&p("src/a.py"), "a", "b")
        .bash("docker compose up -d api && docker compose ps")
        .ok("api  Restarting (1) 2 seconds ago")
        .bash("make 2>&1 | head -50")
        .ok("cc -c a.c")
        .bash("rg -n 'CREATE TABLE' db")
        .ok("")
        .bash("git log --oneline -5")
        .ok("1a2b3c4 x")
        .bash("cargo fmt --check && cargo clippy | tail -3 && cargo test | head -1")
        .ok("test result: ok. 7 passed; 0 failed")
        .bash("npm run lint")
        .fails("Exit code 1\nerror: unused");
    let session = session.read(&p("Makefile")).says("One of them fails.");
    let commands = section(&session, Section::Runs);
    for line in [
        "docker compose ps` → \"api Restarting (1) 2 seconds ago\" L8",
        "`make 2>&1 | head -50` → \"cc -c a.c\" L10",
    ] {
        assert!(commands.contains(line), "{line}\n{commands}");
    }
    let stands = section(&session, Section::State);
    for line in [
        "cargo test` → \"test result: ok. 7 passed; 0 failed\" L16",
        "`npm run lint` → failed: \"error: unused\" L18",
    ] {
        assert!(stands.contains(line) && !commands.contains(line), "the head has it: {stands}");
    }
    for word in ["✓", "✗", "worth repeating"] {
        assert!(!commands.contains(word), "{word}: {commands}");
    }
}

#[test]
fn git_section_separates_our_changes_from_others() {
    let session = Transcript::new()
        .prompt("Fix the player.")
        .edit(&p("src/player.ts"), "a", "b")
        .bash("git status --short")
        .ok(" M src/player.ts\n M config/live.yml\n?? take.wav\n?? notes/");
    let git = section(&session, Section::Git);
    assert!(
        git.contains("not edited by the agent: config/live.yml, take.wav (untracked), notes (untracked)"),
        "{git}"
    );
    let named = session.clone().bash("git add src/player.ts && git commit -m fix").ok("[main 1a2b3c4] fix");
    let git = section(&named, Section::Git);
    assert!(!git.contains("edited in this session") && git.contains("take.wav"), "{git}");
    let all = session
        .bash("git add -A && git commit -m fix")
        .ok("[main 1a2b3c4] fix\n 4 files changed\n create mode 100644 take.wav");
    let git = section(&all, Section::Git);
    assert!(git.contains("commit 1a2b3c4 took take.wav, untracked before"), "{git}");
    assert!(!git.contains("not edited by the agent"), "{git}");
}

#[test]
fn file_names_in_tool_output_are_not_called_changed() {
    let session = Transcript::new()
        .prompt("Build it.")
        .bash("npm run build")
        .ok("dist/assets/index-4f2a.js 12 kB\nnode_modules/left-pad/index.js\nhttps://example.com/guide.html\nreact-dom.min.js")
        .bash("cat src/app.ts")
        .ok("import { x } from './inner/helper.js';\nimport y from 'lodash.debounce';\n// see docs.example.com/api.html")
        .bash("cargo build --release")
        .ok("target/release/app built");
    let session = session.edit(&p("src/app.ts"), "a", "b").says("Built.");
    assert_eq!(section(&session, Section::Changed), "src/app.ts (1 edit)");
}

#[test]
fn latest_run_stands_beside_the_file_that_was_moved() {
    let mut session = Transcript::new().prompt("Tidy up.");
    for command in [
        "mv a.rs b.rs",
        "cargo test -p lexer --all-features 2>&1 | tail -3",
        "cargo test -p lexer --all-features 2>&1 | tail -20",
        "cargo test -p lexer --all-features 2>&1 | tail -50",
        "ls src/part0.py",
        "mkdir -p build/out",
        "cargo --help",
        "git add -A",
    ] {
        session = session.bash(command).ok("test result: ok. 3 passed; 0 failed");
    }
    let state = section(&session, Section::State);
    assert_eq!(state.matches("ran since: `cargo test").count(), 1, "{state}");
}

#[test]
fn git_line_separates_staged_and_untracked_files_and_has_the_diff_size() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let stat = DiffStat { files: 2, insertions: 40, deletions: 2 };
    let tree = WorkTree::new(Some("feat/limit"), None, &names(&["src/a.rs", "src/b.rs"]), SECRETS)
        .with_details(&names(&["src/a.rs"]), &names(&["notes.md"]), Some(stat), SECRETS);
    let session = fold(&Transcript::new().prompt("Limit it.").edit(&p("src/a.rs"), "a", "b"));
    let limits = ops::brief::GuideLimits::default();
    let guide = ops::brief::guide(&session, &[], Some(&tree), None, limits);
    let workspace = WorkspaceState { tree: Some(tree), ..WorkspaceState::default() };
    let brief = ops::brief::brief(&session, None, &workspace, 6_000).text;
    for told in [&guide, &brief] {
        assert!(told.contains("not committed: src/a.rs (staged), src/b.rs; 2 files, +40 −2 lines"), "{told}");
    }
    assert!(brief.contains("- untracked: notes.md"), "{brief}");
}
