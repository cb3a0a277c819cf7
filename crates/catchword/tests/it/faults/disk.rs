//! A data directory that cannot be written, or not any more: the client notices nothing, the agent still gets its brief
//! after a compaction, and once there is room again the next hook catches up.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use catchword_testkit::{CommandOutput, SESSION, TestEnv, files};
use serde_json::json;

use super::{BIN, index, limited};
use crate::hook::{Stage, a_session};

/// Simulates a full disk, to the byte: writes beyond `blocks` of 512 bytes fail, and the process continues. A quota
/// looks the same from inside.
fn full_at(blocks: u64) -> String {
    format!("trap '' XFSZ; ulimit -f {blocks}")
}

fn hook(stage: &Stage, limit: &str, event: &str, fields: serde_json::Value) -> CommandOutput {
    stage.env.run_command(limited(&stage.env, limit), stage.hooks().payload(event, fields).to_string())
}

#[test]
fn disk_that_fills_up_at_any_write_loses_nothing() {
    for blocks in (0..120).step_by(5) {
        for known in [false, true] {
            let stage = Stage::new();
            let name = format!("full at {blocks}, known before: {known}");
            if known {
                super::assert_silent(&name, &stage.hooks().stop("Done."));
                a_session().says("more").says("and more").write_to(stage.env.transcript_path(SESSION));
            }
            let limit = full_at(blocks);
            for (event, fields) in [
                ("PostToolBatch", json!({"tool_calls": []})),
                ("UserPromptSubmit", json!({"prompt": "go on"})),
                ("Stop", json!({"last_assistant_message": "Done."})),
                ("SessionEnd", json!({"reason": "other"})),
            ] {
                super::assert_silent(&format!("{name}, {event}"), &hook(&stage, &limit, event, fields));
            }
            let _ = hook(&stage, &limit, "PreCompact", json!({"trigger": "auto"})).success();
            let brief = hook(&stage, &limit, "SessionStart", json!({"source": "compact"})).success().stdout;
            assert!(brief.contains("write the parser"), "{name}: the record is given all the same:\n{brief}");

            // Room again.
            let rows = if known { a_session().line_count() + 2 } else { a_session().line_count() };
            super::assert_silent(&name, &stage.hooks().stop("Done."));
            let recorded = index(&stage.env);
            assert_eq!(recorded.len(), rows, "{name}");
            assert!(recorded.iter().all(|(_, times)| *times == 1), "{name}");
            assert_eq!(super::set_aside(stage.env.data()), 0, "{name}: a full disk is not damage");
        }
    }
}

/// A disk that is really full, in a mount of our own. If the system does not allow users to mount, the test says so,
/// and the one above covers it.
#[test]
#[cfg(target_os = "linux")]
fn full_file_system_loses_nothing() {
    let mount = "mount -t tmpfs -o size=64k catchword-test \"$CATCHWORD_HOME\"";
    let probe = Command::new("unshare").args(["-Urm", "sh", "-c", "mount -t tmpfs none /mnt"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
        {
            eprintln!("skipped: no mounts in a namespace of our own; `ulimit` stands for the full disk");
        }
        return;
    }
    let stage = Stage::new();
    std::fs::create_dir_all(stage.env.data()).expect("our own folder");
    let payload = |event: &str, fields| stage.hooks().payload(event, fields).to_string();
    let payloads = [
        payload("PostToolBatch", json!({"tool_calls": []})),
        payload("Stop", json!({"last_assistant_message": "Done."})),
        payload("PreCompact", json!({"trigger": "auto"})),
        payload("SessionStart", json!({"source": "compact"})),
    ];
    for (n, payload) in payloads.iter().enumerate() {
        files::write(stage.env.root().join(format!("{n}.json")), payload);
    }
    for filled in [0, 20, 40, 60, 64] {
        let root = stage.env.root().display().to_string();
        let script = format!(
            "{mount} && head -c {filled}k /dev/zero > \"$CATCHWORD_HOME/ballast\" 2>/dev/null
            for n in 0 1 2; do \"$0\" hook claude-code < {root}/$n.json > {root}/out.$n 2> {root}/err.$n || exit 1; done
            \"$0\" hook claude-code < {root}/3.json 2> {root}/err.3"
        );
        let mut command = stage.env.command("unshare");
        command.args(["-Urm", "sh", "-c"]).arg(script).arg(BIN);
        let output = stage.env.run_command(command, "").success();
        assert!(output.stdout.contains("write the parser"), "{filled} of 64 kB in use:\n{output}");
        for n in 0..4 {
            assert_eq!(
                files::read(stage.env.root().join(format!("err.{n}"))),
                "",
                "{filled} of 64 kB in use"
            );
        }
        assert_eq!(files::read(stage.env.root().join("out.0")), "");
        assert_eq!(files::read(stage.env.root().join("out.1")), "");
    }
}

#[test]
fn forget_on_a_full_disk_says_what_to_do() {
    let mut failed = 0;
    for blocks in [0, 8, 20, 60] {
        let stage = Stage::new();
        super::assert_silent("recorded", &stage.hooks().stop("Done."));
        let mut command = stage.env.command("sh");
        let line = format!("{}; exec \"$0\" forget --session {SESSION} --yes", full_at(blocks));
        command.args(["-c", &line, BIN]);
        let output = stage.env.run_command(command, "");
        if !output.status.success() {
            failed += 1;
            assert!(output.stderr.contains("Free some space"), "{blocks}: {output}");
        }
        let _ = stage.env.run(BIN, &["forget", "--session", SESSION, "--yes"]).success();
    }
    assert!(failed > 0, "a disk that is full at some write");
}

/// Root may write anywhere, so as root the hook runs as nobody.
fn as_somebody_without_rights(stage: &Stage, event: &str, fields: serde_json::Value) -> CommandOutput {
    let is_root = stage.env.run("id", &["-u"]).stdout.trim() == "0";
    let payload = stage.hooks().payload(event, fields).to_string();
    let mut command = if is_root {
        let mut command = stage.env.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--", BIN]);
        command
    } else {
        stage.env.command(BIN)
    };
    command.args(["hook", "claude-code"]);
    stage.env.run_command(command, payload)
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("our own file");
}

/// Makes the test's environment readable by everybody.
fn open_to_all(env: &TestEnv) {
    let mut folders = vec![env.root()];
    while let Some(folder) = folders.pop() {
        set_mode(&folder, 0o755);
        for path in std::fs::read_dir(&folder).expect("our own").map(|entry| entry.expect("our own").path()) {
            if path.is_dir() { folders.push(path) } else { set_mode(&path, 0o644) }
        }
    }
}

#[test]
fn unwritable_data_directory_only_prevents_recording() {
    // A data directory with a store, one without, and one that cannot be created.
    for prepared in [Some(true), Some(false), None] {
        let stage = Stage::new();
        match prepared {
            Some(true) => super::assert_silent("first", &stage.hooks().stop("Done.")),
            Some(false) => std::fs::create_dir_all(stage.env.data()).expect("our own folder"),
            None => {}
        }
        open_to_all(&stage.env);
        let folder = if prepared.is_some() { stage.env.data() } else { stage.env.home() };
        set_mode(folder, 0o555);
        let before = listing(folder);
        for (event, fields) in [
            ("SessionStart", json!({"source": "startup"})),
            ("PostToolBatch", json!({"tool_calls": []})),
            ("Stop", json!({"last_assistant_message": "Done."})),
            ("SessionEnd", json!({"reason": "other"})),
        ] {
            let output = as_somebody_without_rights(&stage, event, fields);
            super::assert_silent(&format!("{prepared:?} {event}"), &output);
        }
        let _ = as_somebody_without_rights(&stage, "PreCompact", json!({"trigger": "auto"})).success();
        let brief =
            as_somebody_without_rights(&stage, "SessionStart", json!({"source": "compact"})).success();
        assert!(brief.stdout.contains("write the parser"), "{prepared:?}:\n{brief}");
        assert_eq!(listing(folder), before, "{prepared:?}");
        set_mode(folder, 0o755);
        super::assert_silent("again", &stage.hooks().stop("Done."));
        assert_eq!(index(&stage.env).len(), a_session().line_count(), "{prepared:?}");
    }
}

/// Names and sizes.
fn listing(folder: &Path) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(folder).expect("our own folder").map(|entry| entry.expect("an entry"));
    let mut all: Vec<(String, u64)> = entries
        .map(|e| (e.file_name().to_string_lossy().into_owned(), e.metadata().map_or(0, |m| m.len())))
        .collect();
    all.sort();
    all
}

#[test]
fn brief_is_given_without_a_home() {
    let stage = Stage::new();
    for (event, fields, told) in [
        ("PostToolBatch", json!({"tool_calls": []}), false),
        ("Stop", json!({"last_assistant_message": "Done."}), false),
        ("SessionStart", json!({"source": "startup"}), false),
        ("SessionStart", json!({"source": "compact"}), true),
    ] {
        let mut command = stage.env.command(BIN);
        command.args(["hook", "claude-code"]).env_remove("HOME").env_remove("CATCHWORD_HOME");
        let output =
            stage.env.run_command(command, stage.hooks().payload(event, fields).to_string()).success();
        assert_eq!(output.stdout.contains("write the parser"), told, "{event}:\n{output}");
        assert!(told || output.is_silent_success(), "{event}:\n{output}");
    }
}

/// Network file systems and some containers have neither shared memory nor working locks. These stand-ins fail in the
/// same way: the WAL's index cannot be mapped, or the WAL cannot be opened.
#[test]
fn file_system_without_wal_only_prevents_recording() {
    for broken in ["catchword.db-shm", "catchword.db-wal", "catchword.db-journal", "catchword.db"] {
        for known in [false, true] {
            let stage = Stage::new();
            let name = format!("{broken} is a folder, known before: {known}");
            if known {
                super::assert_silent(&name, &stage.hooks().stop("Done."));
            }
            let path = stage.env.data().join(broken);
            let _ = std::fs::remove_file(&path);
            std::fs::create_dir_all(&path).expect("our own folder");
            let hooks = stage.hooks();
            super::assert_silent(&name, &hooks.post_tool_batch(&[]));
            super::assert_silent(&name, &hooks.stop("Done."));
            let _ = hooks.pre_compact("auto", None).success();
            let brief = hooks.session_start("compact").success();
            assert!(brief.stdout.contains("write the parser"), "{name}:\n{brief}");
            std::fs::remove_dir(&path).expect("it is empty: nothing was written into it");
            super::assert_silent(&name, &hooks.stop("Done."));
            assert_eq!(index(&stage.env).len(), a_session().line_count(), "{name}");
        }
    }
}

/// A database that was created without a WAL (or by hand) is used as it is.
#[test]
fn store_with_another_journal_mode_is_used() {
    for mode in ["DELETE", "TRUNCATE", "PERSIST"] {
        let stage = Stage::new();
        super::assert_silent(mode, &stage.hooks().stop("Done."));
        let db = rusqlite::Connection::open(stage.env.data().join("catchword.db")).expect("a store");
        let now: String =
            db.query_row(&format!("PRAGMA journal_mode = {mode}"), [], |row| row.get(0)).expect("a mode");
        assert_eq!(now.to_uppercase(), mode);
        drop(db);
        a_session().says("more").write_to(stage.env.transcript_path(SESSION));
        super::assert_silent(mode, &stage.hooks().post_tool_batch(&[]));
        super::assert_silent(mode, &stage.hooks().stop("Done."));
        assert_eq!(index(&stage.env).len(), a_session().line_count() + 1, "{mode}");
        assert_eq!(stage.log(), "", "{mode}");
    }
}
