//! What a hook's payload contains, and the files it refers to. (Invalid payloads are in `hook.rs`.)

use std::os::unix::fs::{PermissionsExt, symlink};

use catchword_testkit::{SESSION, Transcript, files};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{BIN, index};
use crate::hook::{Stage, assert_only_logged, with};

#[test]
fn payload_of_100_megabytes_is_read_and_dropped() {
    let stage = Stage::new();
    let mut payload = stage.hooks().payload("Stop", json!({})).to_string();
    payload.truncate(payload.len() - 1);
    payload.push_str(",\"last_assistant_message\":\"");
    payload.push_str(&"x".repeat(100 << 20));
    payload.push_str("\"}");
    // Cut at the read limit, it is no longer JSON.
    assert_only_logged(&stage, "100 MB", "not a hook payload", || stage.send(payload));
    super::assert_silent("next", &stage.hooks().stop("Done."));
}

/// The agent of one project must not be told about another's, however the path to it is written.
#[test]
fn transcript_path_is_recorded_under_its_own_session_only() {
    let stage = Stage::new();
    let other = stage.env.root().join("other.jsonl");
    Transcript::new().session("other").prompt("A secret of another project.").write_to(&other);
    let dotted = stage.env.project().join("../../home/../other.jsonl");
    let link = stage.env.root().join("link.jsonl");
    symlink(&other, &link).expect("a link");
    for path in [dotted, link] {
        let payload = with(stage.hooks().payload("Stop", json!({})), "transcript_path", json!(path));
        super::assert_silent("other", &stage.send(Value::Object(payload).to_string()));
    }
    // It is the user's own file, and the client says that it belongs to this session. What was recorded from another
    // file is dropped.
    let rows = index(&stage.env);
    assert!(rows.len() == 1 && rows[0].0.starts_with(SESSION), "{rows:?}");
    super::assert_silent("back", &stage.hooks().stop("Done."));
    assert!(!super::brief(&stage).contains("A secret of another project"));
}

#[test]
fn unreadable_transcript_is_logged() {
    let stage = Stage::new();
    let secret = stage.env.root().join("secret.jsonl");
    Transcript::new().prompt("Somebody's secret.").write_to(&secret);
    std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o000)).expect("our own file");
    let link = stage.env.project().join("link.jsonl");
    symlink(&secret, &link).expect("a link");
    let is_root = stage.env.run("id", &["-u"]).stdout.trim() == "0";
    let mut command = if is_root {
        // Root can read every file, so the hook runs as nobody, with everything but the secret readable.
        for folder in [stage.env.root(), stage.env.home().to_owned(), stage.env.project().to_owned()] {
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("our own folder");
        }
        let mut command = stage.env.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--", BIN]);
        command
    } else {
        stage.env.command(BIN)
    };
    let data = stage.env.root().join("data");
    std::fs::create_dir(&data).expect("our own folder");
    std::fs::set_permissions(&data, PermissionsExt::from_mode(0o777)).expect("our own folder");
    command.args(["hook", "claude-code"]).env("CATCHWORD_HOME", &data);
    let payload = with(
        stage.hooks().payload("SessionStart", json!({"source": "compact"})),
        "transcript_path",
        json!(link),
    );
    let output = stage.env.run_command(command, Value::Object(payload).to_string());
    super::assert_silent("a link to a secret", &output);
    let log = files::read(data.join("hook.log"));
    assert!(log.contains("cannot read the transcript") && log.contains("ermission denied"), "{log}");
}

#[test]
fn link_loops_dangling_links_and_devices_do_not_block() {
    let stage = Stage::new();
    let at = |name: &str| stage.env.root().join(name);
    symlink(at("b"), at("a")).expect("a link");
    symlink(at("a"), at("b")).expect("a link");
    symlink("/dev/zero", at("device")).expect("a link");
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().expect("mkfifo").success());
    symlink(at("pipe"), at("to-pipe")).expect("a link");
    for (name, why) in [
        ("a", "cannot read the transcript"),
        ("device", "not a regular file"),
        ("to-pipe", "not a regular file"),
    ] {
        for event in ["PostToolBatch", "Stop", "SessionEnd"] {
            let payload = with(stage.hooks().payload(event, json!({})), "transcript_path", json!(at(name)));
            assert_only_logged(&stage, name, why, || stage.send(Value::Object(payload).to_string()));
        }
    }
    symlink(at("nowhere"), at("lost")).expect("a link");
    let payload = with(stage.hooks().payload("Stop", json!({})), "transcript_path", json!(at("lost")));
    super::assert_silent("lost", &stage.send(Value::Object(payload).to_string()));
}

/// It is a regular file to the system, of no length, and reading it waits for the next message of the kernel.
#[test]
#[cfg(target_os = "linux")]
fn a_file_of_the_kernel_without_a_length_is_not_read() {
    let stage = Stage::new();
    for name in ["/proc/kmsg", "/proc/self/environ"] {
        let payload = with(stage.hooks().payload("Stop", json!({})), "transcript_path", json!(name));
        let mut timed = stage.env.command("timeout");
        timed.args(["20", BIN, "hook", "claude-code"]);
        let output = stage.env.run_command(timed, Value::Object(payload).to_string());
        super::assert_silent(name, &output);
    }
}

/// A folder's name reaches git as one argument and never a shell.
#[test]
fn working_directory_names_are_never_executed() {
    let stage = Stage::new();
    let bait = stage.env.root().join("bait");
    for cwd in [
        format!("$(touch {})", bait.display()),
        format!("`touch {}`", bait.display()),
        format!("; touch {} #", bait.display()),
        "--upload-pack=touch bait".to_owned(),
        "-c core.fsmonitor=touch bait".to_owned(),
        "../../../../etc".to_owned(),
        "/dev/zero".to_owned(),
        "/proc/self/mem".to_owned(),
        "\u{0}".to_owned(),
        "x".repeat(100_000),
    ] {
        let hooks = stage.hooks().in_folder(&cwd);
        for output in [
            hooks.session_start("startup"),
            hooks.post_tool_batch(&[]),
            hooks.pre_compact("auto", None),
            hooks.session_start("compact"),
            hooks.session_end("other"),
        ] {
            let output = output.success();
            assert_eq!(output.stderr, "", "{cwd:.80}");
        }
        assert!(!bait.exists(), "{cwd:.80} was carried out");
    }
    // A shell would have carried it out.
    let line = format!("$(touch {})", bait.display());
    let _ = std::process::Command::new("sh").args(["-c", &line]).status();
    assert!(bait.exists());
}

/// Any JSON in any field of any event.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        Just(json!("../../../../etc/passwd")),
        Just(json!("/dev/zero")),
        Just(json!("/proc/self/environ")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-z_]{1,8}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 50, ..ProptestConfig::default() })]

    /// Through the whole program: exit 0, nothing on stderr, nothing outside the data directory.
    #[test]
    fn any_json_in_any_field_is_survived(
        event in "SessionStart|UserPromptSubmit|PostToolBatch|PreCompact|SubagentStop|PostCompact|Stop|SessionEnd|Other",
        field in "session_id|transcript_path|cwd|source|prompt|trigger|agent_id|agent_type|last_assistant_message|reason|tool_calls|compact_summary|hook_event_name|custom_instructions",
        value in any_value(),
    ) {
        let stage = Stage::new();
        let outside = stage.outside();
        let payload = with(stage.hooks().payload(&event, json!({"source": "compact"})), &field, value);
        let output = stage.send(Value::Object(payload).to_string());
        prop_assert!(output.status.success() && output.stderr.is_empty(), "{output}");
        prop_assert!(!stage.log().contains("panicked"), "{}", stage.log());
        prop_assert_eq!(stage.outside(), outside);
    }
}
