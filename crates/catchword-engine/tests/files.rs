//! A brief says about files, commands and git what the record shows, and nothing else.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::facts::{DiffStat, Section, WorkTree, WorkspaceState};
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
fn file_that_is_only_mentioned_is_not_listed() {
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
    // A large budget, so that all of them are listed.
    let large =
        ops::brief::brief(&fold(&session), Some("We worked."), &WorkspaceState::default(), 9_500).text;
    let opened = section_of(&large, Section::Files);
    let changed = section(&session, Section::Changed);
    assert!(opened.contains("real.rs") && opened.contains("README.md"), "{opened}");
    for word in
        ["engine", "future", "Node", "guess", "helper", "package", "example", "stdio", "agents", "missing"]
    {
        assert!(!opened.contains(word) && !changed.contains(word), "{word}: {opened}\n{changed}");
    }
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
    assert_eq!(changed, "src/: page.css (1 edit), head.css (1 edit)");
    let known = section_after(&session, r"Edited src\page.css.", Section::Changed);
    assert_eq!(known, "src/head.css (1 edit)");
}

#[test]
fn files_changed_by_shell_commands_are_listed_and_missing_ones_are_not() {
    let session = Transcript::new()
        .prompt("Rename the option.")
        .read(&p("src/gone.py"))
        .bash("sed -i 's/old/new/' src/options.py")
        .ok("")
        .bash("python -m pytest src/gone.py")
        .fails("Exit code 4\nERROR: src/gone.py: No such file or directory");
    let (opened, changed) = (section(&session, Section::Files), section(&session, Section::Changed));
    assert!(changed.contains("src/options.py (1 edit)"), "{changed}");
    assert!(!opened.contains("gone.py"), "{opened}");
}

#[test]
fn search_is_open_work_only_if_its_hits_are_edited_one_by_one() {
    let found = "src/a.rs\nsrc/b.rs\nsrc/c.rs\nsrc/d.rs\nsrc/e.rs";
    let looked = |tool: &str| {
        let start = Transcript::new().prompt("Rename old_call everywhere.");
        start.call(tool, json!({"pattern": "old_call"})).ok(found)
    };
    let edits = |mut session: Transcript, old: &str| {
        for name in ["a", "b", "c"] {
            session = session.edit(&p(&format!("src/{name}.rs")), old, "new_call()");
        }
        session
    };
    let work = section(&edits(looked("Grep"), "old_call()"), Section::Work);
    assert!(
        work.contains("`old_call` was found in 5 files and edited in 3") && work.contains("src/d.rs"),
        "{work}"
    );
    for other in [
        edits(looked("Glob"), "old_call()"),
        edits(looked("Grep"), "something else"),
        edits(looked("Grep"), "old_call()").prompt("Now write the release notes."),
        looked("Grep").read(&p("src/a.rs")).read(&p("src/b.rs")).read(&p("src/c.rs")),
    ] {
        assert_eq!(section(&other, Section::Work), "");
    }
}

#[test]
fn commands_are_listed_with_their_last_result() {
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
    let commands = section(&session, Section::Commands);
    assert_eq!(commands.matches("pytest").count(), 1, "{commands}");
    assert!(commands.contains("tests` (12 passed at L4; 1 file edited since)"), "{commands}");
    assert!(commands.contains("docker compose ps` (ran at L8)"), "{commands}");
    assert!(commands.contains("`make` (ran at L10)"), "{commands}");
    let whole = "cargo fmt --check && cargo clippy | tail -3 && cargo test";
    assert!(commands.contains(whole) || !commands.contains("cargo"), "{commands}");
    for word in ["rg ", "git log", "npm run lint", "✓", "✗"] {
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
    assert!(git.contains("1 file of the project edited in this session, no commit seen"), "{git}");
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
fn commands_on_removed_files_or_their_binaries_are_not_listed() {
    let session = Transcript::new()
        .prompt("Measure it.")
        .write(&p("bench.c"))
        .write(&p("check.py"))
        .bash("cc -O2 bench.c -o bench && ./bench")
        .ok("12 ms")
        .bash("./bench --rows 10")
        .ok("12 ms")
        .bash("cd build && ./bench --rows 20")
        .ok("12 ms")
        .bash("python check.py --strict")
        .ok("fine")
        .bash("make test")
        .ok("ok");
    assert!(
        section(&session, Section::Commands).contains("check.py"),
        "{}",
        section(&session, Section::Commands)
    );
    let removed = session.bash("rm bench.c check.py").ok("");
    let commands = section(&removed, Section::Commands);
    assert!(commands.contains("make test"), "{commands}");
    assert!(!commands.contains("bench") && !commands.contains("check.py"), "{commands}");
}

#[test]
fn file_names_in_tool_output_are_not_listed() {
    let session = Transcript::new()
        .prompt("Build it.")
        .bash("npm run build")
        .ok("dist/assets/index-4f2a.js 12 kB\nnode_modules/left-pad/index.js\nhttps://example.com/guide.html\nreact-dom.min.js")
        .bash("cat src/app.ts")
        .ok("import { x } from './inner/helper.js';\nimport y from 'lodash.debounce';\n// see docs.example.com/api.html")
        .bash("cargo build --release")
        .ok("target/release/app built");
    let session = (0..6).fold(session, |session, n| session.read(&p(&format!("src/part{n}x.rs"))));
    let listed = format!("{}\n{}", section(&session, Section::Files), section(&session, Section::Changed));
    for word in
        ["index-4f2a", "left-pad", "guide.html", "react-dom", "helper", "lodash", "api.html", "release/app"]
    {
        assert!(!listed.contains(word), "{word}: {listed}");
    }
}

#[test]
fn only_commands_worth_repeating_are_listed() {
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
    let commands = section(&session, Section::Commands);
    assert_eq!(commands.matches("cargo test").count(), 1, "{commands}");
    for word in ["ls ", "mkdir", "mv ", "--help", "git add", "tail"] {
        assert!(!commands.contains(word), "{word}: {commands}");
    }
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
