//! `catchword hook` when things go wrong: the client notices nothing, the log does, and the next hook continues.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use catchword_engine::clients::CLIENTS;
use catchword_testkit::{CommandOutput, HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::{Value, json};

pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_catchword");

/// Far above what any hook takes even on a busy machine: anything longer is a hang.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// Enough for a meaningful brief.
pub(crate) fn a_session() -> Transcript {
    Transcript::new()
        .prompt("Add a parser. Never touch the lock file.")
        .task_create("write the parser")
        .write("/home/user/project/src/parser.rs")
        .bash("cargo test")
        .fails("Exit code 101\nerror: expected `;`")
}

/// An environment with a session, and a hook that answers it.
pub(crate) struct Stage {
    pub(crate) env: TestEnv,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let env = TestEnv::new();
        a_session().write_to(env.transcript_path(SESSION));
        Stage { env }
    }

    pub(crate) fn hooks(&self) -> HookPlayer<'_> {
        HookPlayer::new(&self.env, BIN, SESSION)
    }

    pub(crate) fn send(&self, stdin: impl AsRef<[u8]>) -> CommandOutput {
        self.env.run_with_stdin(BIN, &["hook", "claude-code"], stdin)
    }

    pub(crate) fn log(&self) -> String {
        files::read(self.env.data().join("hook.log"))
    }

    pub(crate) fn entries(&self) -> u64 {
        let sessions = self.env.run(BIN, &["status", "--all", "--json"]).success().json();
        sessions.as_array().into_iter().flatten().filter_map(|s| s["entries"].as_u64()).sum()
    }

    /// The number of successful hooks of this event.
    fn runs(&self, event: &str) -> i64 {
        let db = rusqlite::Connection::open(self.env.data().join("catchword.db")).unwrap();
        let sql = "SELECT count(*) FROM hook_run WHERE event = ?1 AND problem IS NULL";
        db.query_row(sql, [event], |row| row.get(0)).unwrap()
    }

    /// Everything outside the data directory.
    pub(crate) fn outside(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut folders = vec![self.env.root()];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.starts_with(self.env.data()) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path.clone());
                }
                found.insert(path);
            }
        }
        // The parent folders of the data directory.
        found.into_iter().filter(|path| !self.env.data().starts_with(path)).collect()
    }
}

/// Silent, in time, and with one line in the log that contains `why`.
#[track_caller]
pub(crate) fn assert_only_logged(stage: &Stage, name: &str, why: &str, run: impl FnOnce() -> CommandOutput) {
    let (outside, log, begun) = (stage.outside(), stage.log(), Instant::now());
    let output = run();
    assert!(begun.elapsed() < SOON, "{name}: took {:?}", begun.elapsed());
    assert!(output.is_silent_success(), "{name}:\n{output}");
    let lines = stage.log();
    let line = lines.strip_prefix(&log).expect("a log only grows");
    assert!(line.contains(why) && line.lines().count() == 1, "{name}: logged {line:?}");
    assert_eq!(stage.outside(), outside, "{name}: nothing is written outside the data directory");
}

#[test]
fn invalid_payload_is_logged() {
    let deep = format!("{{\"hook_event_name\":{}", "[".repeat(1 << 20));
    let cases: [(&str, Vec<u8>, &str); 9] = [
        ("empty", Vec::new(), "empty stdin"),
        ("garbage", b"\x00\xff\xfe garbage".to_vec(), "not a hook payload"),
        ("a list", b"[]".to_vec(), "not a hook payload"),
        ("no event", b"{}".to_vec(), "not a hook payload"),
        ("an event of another type", b"{\"hook_event_name\":7}".to_vec(), "not a hook payload"),
        ("cut off", b"{\"hook_event_name\":\"Stop\",".to_vec(), "not a hook payload"),
        ("30 MB of garbage", vec![b'x'; 30 << 20], "not a hook payload (31457280 bytes)"),
        ("more than is read", vec![b' '; 65 << 20], "not a hook payload"),
        ("nested beyond reason", deep.into_bytes(), "not a hook payload"),
    ];
    for (name, stdin, why) in cases {
        let stage = Stage::new();
        assert_only_logged(&stage, name, why, || stage.send(stdin));
    }
}

/// A payload as Codex sends it: similar enough to Claude Code's to be mistaken for one.
#[test]
fn unknown_client_records_nothing_and_is_logged_once() {
    let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
    let cases: [(&[&str], &str); 3] = [
        (&["hook"], "`catchword hook` does not name the client"),
        (&["hook", "nobody"], "`catchword hook` names an unknown client: \"nobody\""),
        (
            &["hook", "Claude-Code"],
            &format!("unknown client: \"Claude-Code\" (known: {}); run `catchword init`", names.join(", ")),
        ),
    ];
    for (args, why) in cases {
        let stage = Stage::new();
        let payload = json!({"session_id": SESSION, "transcript_path": stage.env.transcript_path(SESSION),
            "cwd": stage.env.project(), "hook_event_name": "SessionStart", "model": "gpt-5-codex",
            "permission_mode": "default", "source": "startup"});
        let send = || stage.env.run_with_stdin(BIN, args, payload.to_string());
        assert_only_logged(&stage, why, why, send);
        let log = stage.log();
        assert!(send().is_silent_success());
        assert_eq!(stage.log(), log, "not once more at every event");
        let left: Vec<_> =
            std::fs::read_dir(stage.env.data()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["hook.log"], "no store, no history, no backup");
    }
}

#[test]
fn payload_of_30_mb_is_answered() {
    let stage = Stage::new();
    let response = json!({"stdout": "x".repeat(30 << 20)});
    let output = stage.hooks().post_tool_use("toolu_1", "Bash", &json!({"command": "cat"}), &response);
    assert!(output.is_silent_success());
    assert_eq!((stage.runs("PostToolUse"), stage.log()), (1, String::new()), "understood, and all went well");
    // On a busy machine this may exceed a tick's deadline; then the next hook reads the rows.
    assert!(stage.hooks().stop("done").is_silent_success());
    assert!(stage.entries() > 5);
}

#[test]
fn invalid_session_id_is_ignored() {
    let long = "x".repeat(10_000);
    for id in ["", "../../x", "/tmp/x", "~/x", "a\u{0}b", "a\nb", "a/../b", "..", long.as_str()] {
        let stage = Stage::new();
        let payload =
            HookPlayer::new(&stage.env, BIN, SESSION).payload("SessionStart", json!({"source": "compact"}));
        let payload = Value::Object(with(payload, "session_id", json!(id)));
        assert_only_logged(&stage, id, "not a session id", || stage.send(payload.to_string()));
        assert!(stage.log().len() < 4_000, "a line of the log stays one: {id:?}");
        assert_eq!(stage.entries(), 0, "{id:?}");
    }
}

pub(crate) fn with(payload: Value, field: &str, value: Value) -> serde_json::Map<String, Value> {
    let Value::Object(mut fields) = payload else { panic!("a payload is an object") };
    fields.insert(field.to_owned(), value);
    fields
}

#[test]
fn transcript_that_is_not_a_file_does_not_block() {
    let stage = Stage::new();
    let fifo = stage.env.root().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    files::write(stage.env.project().join("here.jsonl"), a_session().build());
    files::write(stage.env.home().join("here.jsonl"), a_session().build());
    let cases = [
        (stage.env.project().to_owned(), "not a regular file"),
        (fifo, "not a regular file"),
        (PathBuf::from("/dev/zero"), "not a regular file"),
        (PathBuf::from("/dev/stdin"), "not a regular file"),
        (stage.env.transcript_path(SESSION).join("below-a-file"), "cannot read the transcript"),
        (stage.env.root().join("x".repeat(5_000)), "cannot read the transcript"),
        (PathBuf::from("here.jsonl"), "not an absolute path"),
        (PathBuf::from("../here.jsonl"), "not an absolute path"),
        (PathBuf::from("~/here.jsonl"), "not an absolute path"),
    ];
    for (path, why) in cases {
        for (event, fields) in [
            ("PostToolBatch", json!({"tool_calls": []})),
            ("PreCompact", json!({"trigger": "auto"})),
            ("SessionStart", json!({"source": "compact"})),
        ] {
            let payload = with(stage.hooks().payload(event, fields), "transcript_path", json!(path));
            let name = format!("{event} {}", path.display());
            assert_only_logged(&stage, &name, why, || stage.send(Value::Object(payload).to_string()));
        }
    }
    assert_eq!(stage.entries(), 0);
}

/// Every session starts without a transcript, so that is not reported.
#[test]
fn missing_transcript_is_not_a_problem() {
    let stage = Stage::new();
    std::fs::remove_file(stage.env.transcript_path(SESSION)).unwrap();
    let hooks = stage.hooks();
    for output in
        [hooks.session_start("startup"), hooks.pre_compact("auto", None), hooks.session_start("compact")]
    {
        assert!(output.is_silent_success(), "{output}");
    }
    assert_eq!(stage.log(), "");
}

#[test]
fn missing_data_directory_is_silent() {
    let stage = Stage::new();
    let file = stage.env.root().join("a-file");
    files::write(&file, "");
    let outside = stage.outside();
    for (name, home) in
        [("nothing set", None), ("a file", Some(file.clone())), ("below a file", Some(file.join("x")))]
    {
        let mut command = stage.env.command(BIN);
        command.args(["hook", "claude-code"]).env_remove("HOME").env_remove("CATCHWORD_HOME");
        command.envs(home.map(|home| ("CATCHWORD_HOME", home)));
        for stdin in ["garbage".to_owned(), stage.hooks().payload("Stop", json!({})).to_string()] {
            let output = run(&mut command, stdin.as_bytes());
            assert_eq!(output, (Some(0), String::new(), String::new()), "{name}");
        }
    }
    assert_eq!(stage.outside(), outside);
    assert_eq!(files::read(&file), "");
}

/// Exit code, stdout and stderr.
fn run(command: &mut Command, stdin: &[u8]) -> (Option<i32>, String, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn full_log_is_rotated_and_an_unwritable_one_ignored() {
    let stage = Stage::new();
    let (log, old) = (stage.env.data().join("hook.log"), stage.env.data().join("hook.log.old"));
    files::write(&log, "x".repeat(600 << 10));
    assert!(stage.send("garbage").is_silent_success());
    assert_eq!(stage.log().lines().count(), 1);
    assert_eq!(old.metadata().unwrap().len(), 600 << 10);
    std::fs::remove_file(&log).unwrap();
    #[cfg(target_os = "linux")]
    {
        std::os::unix::fs::symlink("/dev/full", &log).unwrap();
        assert!(stage.send("garbage").is_silent_success(), "no space left");
        std::fs::remove_file(&log).unwrap();
    }
    std::fs::create_dir(&log).unwrap();
    assert!(stage.send("garbage").is_silent_success(), "a folder");
}

#[test]
fn closed_stdout_is_not_a_failure() {
    let stage = Stage::new();
    let payload = stage.hooks().payload("SessionStart", json!({"source": "compact"}));
    let mut command = stage.env.command(BIN);
    let (reader, writer) = std::io::pipe().unwrap();
    command.args(["hook", "claude-code"]).stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The command keeps a copy of the pipe's write end, which nobody reads from now on.
    drop((command, reader));
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    assert_eq!(stage.log(), "");
}

#[test]
fn backtraces_do_not_reach_the_client() {
    let mut stage = Stage::new();
    stage.env.set_var("RUST_BACKTRACE", "full");
    assert_only_logged(&stage, "garbage", "not a hook payload (7 bytes)", || stage.send("garbage"));
}

#[test]
fn hook_gives_up_on_a_locked_store_and_the_next_one_catches_up() {
    let stage = Stage::new();
    let hooks = stage.hooks();
    assert!(hooks.session_start("startup").is_silent_success());
    a_session().says("more").says("and more").write_to(stage.env.transcript_path(SESSION));
    let before = stage.entries();
    let lock = Lock::take(&stage.env.data().join("catchword.db"));
    for (name, hook) in [
        ("PostToolBatch", &(|| hooks.post_tool_batch(&[])) as &dyn Fn() -> CommandOutput),
        ("Stop", &|| hooks.stop("Done.")),
    ] {
        assert_only_logged(&stage, name, "database is locked", hook);
    }
    let brief = hooks.session_start("compact");
    assert!(brief.stdout.contains("write the parser"), "the record is given all the same:\n{brief}");
    assert_eq!(stage.entries(), before);
    drop(lock);
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    assert_eq!(stage.entries(), before + 2, "the next hook catches up");
}

/// Another process that holds the write lock.
pub(crate) struct Lock {
    _store: rusqlite::Connection,
}

impl Lock {
    fn take(path: &Path) -> Self {
        let store = rusqlite::Connection::open(path).unwrap();
        store.execute_batch("BEGIN IMMEDIATE").unwrap();
        Lock { _store: store }
    }
}

#[test]
fn damaged_store_is_rebuilt_from_the_transcript_by_the_next_hook() {
    type Damage = fn(&Path);
    fn overwrite(path: &Path, from: usize, byte: u8) {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[from..].fill(byte);
        files::write(path, bytes);
    }
    let damages: [(&str, Damage); 5] = [
        ("garbage", |path| overwrite(path, 0, b'x')),
        ("zeroes", |path| overwrite(path, 0, 0)),
        ("pages behind the first", |path| overwrite(path, 4096, 0x5a)),
        ("cut in the middle", |path| {
            let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(file.metadata().unwrap().len() / 2).unwrap();
        }),
        ("gone with its folder", |path| std::fs::remove_dir_all(path.parent().unwrap()).unwrap()),
    ];
    for (name, damage) in damages {
        let stage = Stage::new();
        let hooks = stage.hooks();
        assert!(hooks.stop("Done.").is_silent_success());
        let expected = stage.entries();
        // The WAL is in the file by now; otherwise it would repair the damage.
        assert!(expected > 5 && !stage.env.data().join("catchword.db-wal").exists(), "{name}");
        damage(&stage.env.data().join("catchword.db"));
        assert!(hooks.post_tool_batch(&[]).is_silent_success(), "{name}");
        assert!(hooks.post_tool_batch(&[]).is_silent_success(), "{name}");
        assert_eq!(stage.entries(), expected, "{name}");
        let brief = hooks.session_start("compact");
        assert!(brief.stdout.contains("write the parser"), "{name}:\n{brief}");
    }
}

#[test]
fn wal_of_killed_processes_is_recovered() {
    let stage = Stage::new();
    let hooks = stage.hooks();
    // Ticks leave SQLite's WAL beside the file, as a kill would.
    assert!(hooks.post_tool_batch(&[]).is_silent_success());
    let wal = stage.env.data().join("catchword.db-wal");
    assert!(wal.metadata().unwrap().len() > 0);
    // An incomplete commit, as after a power cut.
    files::append(&wal, [0x5a; 3_000]);
    let expected = a_session().line_count() as u64;
    assert_eq!(stage.entries(), expected);
    assert!(hooks.stop("Done.").is_silent_success());
    assert_eq!((stage.entries(), stage.log()), (expected, String::new()));
}

#[test]
fn first_hooks_may_run_in_parallel() {
    let stage = Stage::new();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let hooks = stage.hooks();
            scope.spawn(move || {
                let output = if n % 2 == 0 { hooks.post_tool_batch(&[]) } else { hooks.stop("Done.") };
                assert!(output.is_silent_success(), "{output}");
            });
        }
    });
    assert_eq!(stage.log(), "");
    assert_eq!(stage.entries(), a_session().line_count() as u64);
}

#[test]
fn brief_is_given_once_per_compaction_even_if_installed_twice() {
    let stage = Stage::new();
    let hooks = stage.hooks();
    let twice = |hook: &(dyn Fn() -> CommandOutput + Sync)| -> Vec<CommandOutput> {
        std::thread::scope(|scope| {
            let both = [scope.spawn(hook), scope.spawn(hook)];
            both.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    };
    for round in 0..3 {
        twice(&|| hooks.pre_compact("auto", None));
        twice(&|| hooks.summariser_stop("The user wants a parser."));
        let starts = twice(&|| hooks.session_start("compact"));
        let given = starts.iter().filter(|start| start.stdout.contains("write the parser")).count();
        let silent = starts.iter().filter(|start| start.is_silent_success()).count();
        assert_eq!((given, silent), (1, 1), "round {round}");
        twice(&|| hooks.post_compact("auto", "The user wants a parser."));
    }
    assert_eq!(stage.log(), "");
}

#[test]
fn subagent_compaction_does_not_shorten_the_main_brief() {
    let stage = Stage::new();
    let (hooks, inside) = (stage.hooks(), stage.hooks().inside_subagent("a1"));
    let summary = "Never touch the lock file. write the parser. src/parser.rs. cargo test";
    let _ = hooks.pre_compact("auto", None).success();
    let silent = [
        inside.pre_compact("auto", None),
        hooks.summariser_stop(summary),
        inside.session_start("compact"),
        inside.post_compact("auto", summary),
    ];
    assert!(silent.iter().all(CommandOutput::is_silent_success));
    let brief = hooks.session_start("compact");
    for told in ["Never touch the lock file", "write the parser", "src/parser.rs"] {
        assert!(brief.stdout.contains(told), "{told}:\n{brief}");
    }
}

/// A token in the name of a branch, of a file and of a commit: git prints what people have written.
#[test]
fn secrets_in_git_output_are_masked() {
    let env = TestEnv::new();
    let token = format!("ghp_{}", "A1b2C3d4E5".repeat(4)[..36].to_owned());
    env.git(&["init", "-q"]);
    env.write(&format!("{token}.txt"), "one");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "First"]);
    env.git(&["checkout", "-q", "-b", &format!("fix/{token}")]);
    env.write(&format!("{token}.txt"), "two");
    let hooks = HookPlayer::new(&env, BIN, SESSION).held_by(4_000_000_001, true);
    let mut transcript =
        Transcript::new().cwd(env.project()).prompt("Add a parser.").task_create("the lexer");
    let brief = hooks.compaction(&mut transcript, "auto", "nothing").brief().expect("a brief");
    assert!(brief.contains("branch \"fix/[masked") && brief.contains("not committed: \"[masked"), "{brief}");
    let _ = hooks.stop("ok").success();
    let _ = hooks.session_end("clear").success();
    let next =
        HookPlayer::new(&env, BIN, "00000009-0000-4000-8000-000000000000").held_by(4_000_000_001, true);
    let mut said = vec![brief, next.session_start("clear").success().stdout];
    assert!(said[1].contains("fix/[masked"), "{}", said[1]);
    env.git(&["commit", "-q", "-a", "-m", &format!("Use {token}")]);
    env.wait(std::time::Duration::from_secs(3_600));
    said.push(hooks.session_start("resume").success().stdout);
    for args in [&["brief", SESSION][..], &["brief", SESSION, "--why"], &["handoff", SESSION]] {
        said.push(env.run(BIN, args).success().stdout);
    }
    let asked = json!({"session_id": SESSION, "cwd": env.project()}).to_string();
    said.push(env.run_with_stdin(BIN, &["statusline", "claude-code"], asked).success().stdout);
    assert!(said.iter().all(|text| !text.contains(&token)), "{said:?}");
    let mut folders = vec![env.data().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let bytes = std::fs::read(&entry).unwrap();
                assert!(!String::from_utf8_lossy(&bytes).contains(&token), "{}", entry.display());
            }
        }
    }
}

#[test]
fn malformed_session_id_is_logged_short_and_masked() {
    let env = TestEnv::new();
    let token = format!("ghp_{}", "A1b2C3d4E5".repeat(4)[..36].to_owned());
    let id = format!("../{token} {}", "x".repeat(5_000));
    let payload = json!({"hook_event_name": "Stop", "session_id": id, "transcript_path": "/t.jsonl"});
    assert!(env.run_with_stdin(BIN, &["hook", "claude-code"], payload.to_string()).is_silent_success());
    let log = files::read(env.data().join("hook.log"));
    assert!(log.contains("not a session id") && !log.contains(&token) && log.len() < 400, "{log}");
}

/// If the next process did not know about a checkpoint, the WAL would grow as long as a turn lasts.
#[test]
fn wal_does_not_grow_during_a_long_turn() {
    let env = TestEnv::new();
    let mut transcript = a_session();
    transcript.append_to(env.transcript_path(SESSION));
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let _ = hooks.stop("warm").success();
    let mut longest = 0;
    for n in 0..250 {
        transcript = transcript.says(&format!("step {n}"));
        transcript.append_to(env.transcript_path(SESSION));
        let _ = hooks.post_tool_batch(&[]).success();
        let log = std::fs::metadata(env.data().join("catchword.db-wal")).map_or(0, |file| file.len());
        longest = longest.max(log);
    }
    assert!(longest > 0, "it is kept between hooks");
    assert!(longest < 2 * 1024 * 1024, "{longest} bytes");
    // The file's content without its WAL.
    let indexed = || -> i64 {
        let copy = env.root().join("copy.db");
        std::fs::copy(env.data().join("catchword.db"), &copy).unwrap();
        let db = rusqlite::Connection::open(copy).unwrap();
        db.query_row("SELECT line FROM session", [], |row| row.get(0)).unwrap()
    };
    assert!(indexed() < transcript.line_count() as i64, "a tick leaves its rows in the log");
    let _ = hooks.stop("Done.").success();
    assert_eq!(indexed(), transcript.line_count() as i64, "the end of a turn moves them into the file");
}

/// A client that never closes the pipe, or that dies while a child keeps it open.
#[test]
fn stdin_that_is_never_closed_does_not_block() {
    let stage = Stage::new();
    let payload = stage.hooks().payload("PostToolUse", json!({})).to_string();
    for sent in [payload.as_str(), "", "{\"hook_event_name\":"] {
        let mut command = stage.env.command(BIN);
        command.args(["hook", "claude-code"]).stdin(Stdio::piped()).stdout(Stdio::null());
        let (mut child, begun) = (command.spawn().unwrap(), Instant::now());
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(sent.as_bytes()).unwrap();
        while child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < SOON, "it waits for the end of {sent:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(pipe);
    }
    assert_eq!(stage.runs("PostToolUse"), 1, "what came whole is answered");
}

#[test]
fn data_folder_is_made_private() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new();
    std::fs::create_dir_all(stage.env.data()).unwrap();
    std::fs::set_permissions(stage.env.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(stage.hooks().session_start("startup").status.success());
    let mode = std::fs::metadata(stage.env.data()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700, "{mode:o}");
}

#[test]
fn manual_compaction_means_that_the_turn_is_over() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("Make the parser strict.").bash("cargo check").ok("ok");
    let brief = |trigger: &str, transcript: &mut Transcript| {
        hooks.compaction(transcript, trigger, "The parser is being made strict.").brief().expect("a brief")
    };
    transcript = transcript.call("Read", json!({"file_path": "/p/a.rs"})).ok("fn a() {}");
    let automatic = brief("auto", &mut transcript);
    assert!(!automatic.contains("finished its turn"), "{automatic}");
    transcript = transcript.prompt("Now the printer.").says("The printer keeps comments.");
    let manual = brief("manual", &mut transcript);
    assert!(manual.contains("The agent had ended its turn"), "{manual}");
}

#[test]
fn broken_summary_is_reported_to_agent_and_person() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new().prompt("Make the parser strict.").bash("cargo check").ok("ok");
    let played = hooks.compaction(&mut transcript, "auto", "API Error: 529 overloaded_error");
    let brief = played.brief().expect("a brief");
    assert!(
        brief.contains("There is no usable summary") && brief.contains("Make the parser strict."),
        "{brief}"
    );
    assert!(played.post_compact.stdout.contains("the summary is broken"), "{}", played.post_compact);
}
