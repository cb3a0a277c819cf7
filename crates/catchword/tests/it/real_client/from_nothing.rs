//! The first day of a new user: an empty home, no Rust, our npm packages, the real client, and no trace afterwards.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use catchword_testkit::{CommandOutput, NpmRegistry};

use super::*;

/// Where the client keeps its own files. What catchword added to them is gone in the end.
const CLIENTS_OWN: [&str; 3] = [".claude.json", ".claude/", ".cache/"];

/// The client's own logs and copies, in which our name stays: transcripts quote the brief.
const CLIENTS_MEMORY: [&str; 3] = [".claude/projects/", ".claude/backups/", ".cache/claude-cli-nodejs/"];

#[test]
fn new_user_without_rust_installs_compacts_looks_and_removes() {
    let client = real_client_or_skip!();
    let mut world = World::new(&client, &Hook::Catchword);
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../npm/pack.mjs");
    let registry = match NpmRegistry::with(&pack, Path::new(env!("CARGO_BIN_EXE_catchword"))) {
        Ok(registry) => registry,
        Err(skip) => return skip.say(module_path!()),
    };
    for (name, value) in registry.variables(&world.env) {
        world.env.set_var(name, value);
    }
    let path = path_without_rust(&world.env);
    world.env.set_var("PATH", path);
    for tool in ["cargo", "rustc"] {
        let found = world.env.run("sh", &["-c", &format!("command -v {tool}")]);
        assert!(!found.status.success(), "there is no Rust here: {found}");
    }
    let before = files_below(world.env.home());

    // Without installing anything.
    let tried = world.env.run("npx", &["--yes", "catchword", "try"]).success();
    assert!(tried.stdout.contains("db/migrations"), "the rule that the sample's summary drops: {tried}");
    assert_eq!(files_below(world.env.home()), before, "`try` writes nothing");

    let _ = world.env.run("npm", &["install", "-g", "catchword"]).success();
    let catchword = |args: &[&str]| -> CommandOutput { world.env.run("catchword", args).success() };
    let again = catchword(&["try"]);
    assert_eq!(again.stdout, tried.stdout, "the installed program says the same");
    let _ = catchword(&["init", "--yes", "--agent", "claude-code"]);

    let script = work(&world).turn(FakeAnswer::bash("echo after")).turn(FakeAnswer::text("All done."));
    let api = FakeApi::start(script.summary(SUMMARY));
    let run = client.start(&world.env, &api).arg("--model").arg("claude-sonnet-4-5");
    let run = run.arg("--dangerously-skip-permissions").var("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1");
    let run = run.prompt(PROMPT).success();
    assert_work_is_in(&the_one_brief(&api, SUMMARY).unwrap());
    world.assert_no_hook_complaint(&run);

    let _ = catchword(&["doctor"]);
    let lost = catchword(&["lost", "--json"]).json();
    assert!(lost.to_string().contains(&run.session_id()), "{lost}");
    let one = catchword(&["lost", "1"]);
    assert!(one.stdout.contains(INSTRUCTION), "{one}");
    let found = catchword(&["search", "never", "touch", "--json"]).json();
    assert_eq!(found["hits"][0]["session"], run.session_id(), "{found}");

    let _ = catchword(&["remove", "--purge", "--yes"]);
    let left = files_below(world.env.home());
    let is_below = |path: &str, folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    let names_us = |path: &str| files::read(world.env.home().join(path)).contains("catchword");
    let is_clients =
        |path: &str| is_below(path, &CLIENTS_OWN) && (is_below(path, &CLIENTS_MEMORY) || !names_us(path));
    let ours: Vec<&String> = left.difference(&before).filter(|path| !is_clients(path)).collect();
    assert_eq!(ours, [] as [&str; 0], "what is left is the client's");
    let settings = world.env.home().join(".claude/settings.json");
    assert!(!settings.exists(), "there was none before: {}", files::read(&settings));
    let _ = world.env.run("npm", &["uninstall", "-g", "catchword"]).success();
    assert!(!NpmRegistry::bin(&world.env).join("catchword").exists());
}

/// The outer `PATH` without the folders that have Rust, and with what `npm install -g` puts there. Node, git and a shell
/// are linked, because they may be in a folder with Rust.
fn path_without_rust(env: &TestEnv) -> OsString {
    let tools = env.root().join("tools");
    std::fs::create_dir(&tools).expect("a folder of our own");
    for tool in ["node", "npm", "npx", "git", "sh", "bash", "env"] {
        let found = env.run("sh", &["-c", &format!("command -v {tool}")]).success().stdout;
        std::os::unix::fs::symlink(found.trim(), tools.join(tool)).expect("a link of our own");
    }
    let outer = env.run("sh", &["-c", "printf %s \"$PATH\""]).success().stdout;
    let has_rust = |folder: &PathBuf| ["cargo", "rustc"].iter().any(|tool| folder.join(tool).exists());
    let others = std::env::split_paths(&outer).filter(|folder| !has_rust(folder));
    std::env::join_paths([NpmRegistry::bin(env), tools].into_iter().chain(others)).expect("no colons")
}

/// The files and empty folders below `root`.
fn files_below(root: &Path) -> BTreeSet<String> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.unwrap().path()).collect();
        if entries.is_empty() {
            found.insert(format!("{}/", folder.strip_prefix(root).unwrap().display()));
        }
        for path in entries {
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    found
}
