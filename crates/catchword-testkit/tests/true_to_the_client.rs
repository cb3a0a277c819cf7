//! What the test kit builds must look like what the client really wrote: a builder that drifts away from the captures
//! would let every other test pass on rows that no client sends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::{Value, json};

type Keys = BTreeMap<String, BTreeSet<String>>;

#[test]
fn built_rows_have_only_fields_that_the_client_writes() {
    let seen = keys_of_rows(&captured("2.1.325", "transcripts"));
    let built = Transcript::new()
        .prompt("a")
        .queued("b")
        .slash("/review", "x")
        .shell_input("ls", "src")
        .says("c")
        .bash("cargo test")
        .fails("Exit code 101")
        .bash("ls")
        .ok("src")
        .read("/p/a.rs")
        .edit("/p/a.rs", "a", "b")
        .write("/p/b.rs")
        .task_create("t")
        .task_update(1, "completed")
        .ask("q", "a")
        .plan("p")
        .subagent("a1", "look", "found")
        .background_shell("b1", "sleep 9")
        .compaction("auto", "s");
    assert_known(&keys_of_rows(&[built.build()]), &seen);
    let inner = Transcript::new().as_subagent("a1").prompt("look").bash("ls").ok("src").says("found");
    assert_known(&keys_of_rows(&[inner.build()]), &seen);
}

#[test]
fn old_rows_have_only_fields_the_old_client_wrote() {
    let seen = keys_of_rows(&captured("1.0.3", "transcripts"));
    let built = Transcript::old_shape().prompt("a").says("b").bash("ls").fails("no").compaction("auto", "s");
    assert_known(&keys_of_rows(&[built.build()]), &seen);
}

#[test]
fn played_payloads_have_exactly_the_clients_fields() {
    let mut seen: BTreeMap<String, Vec<BTreeSet<String>>> = BTreeMap::new();
    for text in captured("2.1.325", "hooks.jsonl") {
        for payload in rows(&text) {
            let event = payload["hook_event_name"].as_str().expect("every payload names its event");
            seen.entry(event.to_owned()).or_default().push(keys(&payload));
        }
    }
    for payload in played() {
        let event = payload["hook_event_name"].as_str().unwrap();
        let ours = keys(&payload);
        assert!(seen[event].contains(&ours), "{event}: no capture has exactly {ours:?}");
    }
}

/// One payload of each kind that the player makes, recorded by a hook.
fn played() -> Vec<Value> {
    let env = TestEnv::new();
    let (script, log) = (env.root().join("hook.sh"), env.root().join("payloads.jsonl"));
    files::write(&script, format!("cat >> {0}\necho >> {0}\n", log.display()));
    let hooks = HookPlayer::new(&env, "/bin/sh", SESSION).with_args(&[script.to_str().unwrap()]);
    let input = json!({"command": "ls"});
    let inside = hooks.inside_subagent("a1");
    let played = [
        hooks.session_start("compact"),
        hooks.user_prompt("a"),
        hooks.pre_tool_use("toolu_1", "Bash", &input),
        hooks.post_tool_use("toolu_1", "Bash", &input, &json!({"stdout": "src"})),
        hooks.post_tool_use_failure("toolu_1", "Bash", &input, "Exit code 1"),
        hooks.post_tool_batch(&[json!({"tool_name": "Bash"})]),
        inside.pre_tool_use("toolu_2", "Bash", &input),
        inside.post_tool_use("toolu_2", "Bash", &input, &json!({"stdout": "src"})),
        inside.post_tool_batch(&[json!({"tool_name": "Bash"})]),
        hooks.pre_compact("auto", None),
        hooks.summariser_stop("s"),
        hooks.post_compact("auto", "s"),
        hooks.subagent_start("a1"),
        hooks.subagent_stop("a1", "found"),
        hooks.stop("b"),
        hooks.session_end("other"),
    ];
    assert!(played.iter().all(catchword_testkit::CommandOutput::is_silent_success));
    rows(&files::read(log))
}

/// The texts of all captured files of `version` whose path contains `part`.
fn captured(version: &str, part: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude-code").join(version);
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    let wanted = |path: &PathBuf| {
        path.extension().is_some_and(|e| e == "jsonl") && path.to_str().is_some_and(|p| p.contains(part))
    };
    found.iter().filter(|path| wanted(path)).map(files::read).collect()
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect()
}

/// The fields of each kind of row, and of each kind of message, block, attachment and tool result in it.
fn keys_of_rows(texts: &[String]) -> Keys {
    let mut found = Keys::new();
    let mut add = |name: String, value: &Value| found.entry(name).or_default().extend(keys(value));
    for row in texts.iter().flat_map(|text| rows(text)) {
        let kind = row["type"].as_str().unwrap_or_default().to_owned();
        add(kind.clone(), &row);
        add(format!("{kind} message"), &row["message"]);
        add(format!("attachment {}", row["attachment"]["type"]), &row["attachment"]);
        add("compactMetadata".into(), &row["compactMetadata"]);
        for block in row["message"]["content"].as_array().into_iter().flatten() {
            add(format!("block {}", block["type"]), block);
        }
    }
    found
}

#[track_caller]
fn assert_known(built: &Keys, seen: &Keys) {
    for (kind, fields) in built {
        let known = seen.get(kind).unwrap_or_else(|| panic!("no capture has {kind}"));
        let unknown: Vec<_> = fields.difference(known).collect();
        assert!(unknown.is_empty(), "{kind}: the client writes no {unknown:?}");
    }
}
