//! What follows a compaction, done by a process of its own: the hook has answered and is gone by then.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const SUMMARY: &str = "1. Primary Request and Intent:\n   A parser is wanted.";

fn a_session(env: &TestEnv) -> Transcript {
    Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser for kohlrabi. Never touch the lock file.")
        .task_create("write the parser")
        .bash("cargo test")
        .fails("Exit code 101\nerror: expected `;`")
}

/// Hooks that let another process do what follows.
fn detaching(env: &TestEnv) -> HookPlayer<'_> {
    HookPlayer::new(env, BIN, SESSION).with_var("CATCHWORD_IN_PLACE", "")
}

pub fn document(env: &TestEnv, session: &str) -> PathBuf {
    env.data().join("handoffs").join(format!("HANDOFF-{session}.md"))
}

/// Waits for what another process does; far longer than it takes anywhere.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The last things that are done: all else was done before.
#[track_caller]
pub fn until_settled(env: &TestEnv, session: &str) {
    until("a backup appears", || backed_up(env) > 0);
    assert!(files::read(document(env, session)).contains("at a compaction"));
}

/// Lines of transcripts that are backed up.
fn backed_up(env: &TestEnv) -> u64 {
    let list = env.run(BIN, &["backup", "--list", "--json"]).success().json();
    list.as_array().into_iter().flatten().filter_map(|kept| kept["lines"].as_u64()).sum()
}

fn items(env: &TestEnv) -> i64 {
    let db = rusqlite::Connection::open(env.data().join("history.db")).unwrap();
    db.query_row("SELECT count(*) FROM item", [], |row| row.get(0)).unwrap()
}

fn log(env: &TestEnv) -> String {
    std::fs::read_to_string(env.data().join("hook.log")).unwrap_or_default()
}

#[test]
fn the_hook_answers_and_handoff_history_and_backup_follow() {
    let env = TestEnv::new();
    let played = detaching(&env).compaction(&mut a_session(&env), "auto", SUMMARY);
    assert!(played.post_compact.success().stdout.contains("catchword: the summary dropped"));
    until_settled(&env, SESSION);
    assert!(items(&env) >= 4, "prompt, task, command and its error");
    assert_eq!(log(&env), "");
}

/// Git, as the settling process asks it, stops that process and tells who it is. Whoever else asks gets no answer.
#[cfg(target_os = "linux")]
fn stopping_git(env: &mut TestEnv) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let (folder, told) = (env.root().join("bin"), env.root().join("stopped"));
    let script = format!(
        "#!/bin/sh\ngrep -q settle /proc/$PPID/cmdline || exit 1\necho $PPID > '{0}.new'\n\
         mv '{0}.new' '{0}'\nkill -STOP $PPID\nexit 1\n",
        told.display()
    );
    files::write(folder.join("git"), &script);
    std::fs::set_permissions(folder.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    env.set_var("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    told
}

/// A process that was stopped; killed in the end, whatever the test thinks of it.
#[cfg(target_os = "linux")]
struct Stopped(String);

#[cfg(target_os = "linux")]
impl Stopped {
    fn signal(&self, name: &str) {
        let _ = Command::new("kill").args([name, &self.0]).stderr(Stdio::null()).status();
    }

    /// State, parent and process group; nothing once it is gone.
    fn stat(&self) -> Option<[String; 3]> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0)).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned);
        Some([fields.next()?, fields.next()?, fields.next()?])
    }
}

#[cfg(target_os = "linux")]
impl Drop for Stopped {
    fn drop(&mut self) {
        self.signal("-KILL");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_client_reads_the_hook_to_its_end_while_the_other_process_is_still_at_work() {
    let mut env = TestEnv::new();
    env.write(".git/HEAD", "ref: refs/heads/main\n");
    let told = stopping_git(&mut env);
    // Comes back once both pipes are at their end, which they are not as long as anybody holds them.
    let played = detaching(&env).compaction(&mut a_session(&env), "auto", SUMMARY);
    assert!(played.post_compact.success().stdout.contains("catchword: the summary dropped"));
    until("git is asked", || told.exists());
    let process = Stopped(files::read(&told).trim().to_owned());
    until("it is stopped", || process.stat().is_some_and(|[state, ..]| state == "T"));
    assert!(!document(&env, SESSION).exists() && !env.data().join("backups").exists());
    let [_, parent, group] = process.stat().unwrap();
    assert_eq!(group, process.0, "what ends the hook's group does not end it");
    assert_ne!(parent, std::process::id().to_string());
    for stream in 0..3 {
        let open = std::fs::read_link(format!("/proc/{}/fd/{stream}", process.0)).unwrap();
        assert_eq!(open.to_str(), Some("/dev/null"), "{stream}");
    }
    process.signal("-CONT");
    until_settled(&env, SESSION);
    // Buried or about to be: that is the affair of whoever takes in orphans, and not the client's.
    until("it ends", || process.stat().is_none_or(|[state, ..]| state == "Z"));
    assert_eq!(log(&env), "");
}

#[test]
fn two_at_once_and_once_more_leave_what_one_leaves() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let _ = hooks.compaction(&mut a_session(&env), "auto", SUMMARY);
    let path = hooks.transcript_path().to_str().unwrap();
    let folder = env.project().to_str().unwrap();
    let settle = || env.run(BIN, &["settle", "claude-code", SESSION, "PostCompact", path, folder]);
    assert!(settle().is_silent_success());
    let (text, lines, before) = (files::read(document(&env, SESSION)), backed_up(&env), items(&env));
    std::thread::scope(|scope| {
        let both: Vec<_> = (0..8).map(|_| scope.spawn(settle)).collect();
        assert!(both.into_iter().all(|one| one.join().unwrap().is_silent_success()));
    });
    let times = |text: &str| text.lines().filter(|line| !line.contains("12:")).collect::<Vec<_>>().join("\n");
    assert_eq!(times(&files::read(document(&env, SESSION))), times(&text));
    assert_eq!((backed_up(&env), items(&env), log(&env).as_str()), (lines, before, ""));
}

#[test]
fn a_session_that_is_over_keeps_the_handoff_of_its_end() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let _ = hooks.compaction(&mut a_session(&env), "auto", SUMMARY);
    let _ = hooks.session_end("other").success();
    let path = hooks.transcript_path().to_str().unwrap();
    let late = env.run(BIN, &["settle", "claude-code", SESSION, "PostCompact", path, ""]);
    assert!(late.is_silent_success());
    assert!(files::read(document(&env, SESSION)).contains("at the end of the session"));
}

/// An update may take the binary away from under a hook.
#[test]
fn where_no_process_can_be_started_the_hook_does_it_itself() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    a_session(&env).append_to(hooks.transcript_path());
    let _ = hooks.pre_compact("auto", None).success();
    let copy = env.root().join("catchword-copy");
    std::fs::copy(BIN, &copy).unwrap();
    let mut command = env.command(&copy);
    command.arg("hook").env("CATCHWORD_IN_PLACE", "").stdin(Stdio::piped());
    let mut hook = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::fs::remove_file(&copy).unwrap();
    let payload =
        hooks.payload("PostCompact", serde_json::json!({"trigger": "auto", "compact_summary": SUMMARY}));
    hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    assert!(hook.wait().unwrap().success());
    assert!(files::read(document(&env, SESSION)).contains("at a compaction"));
    assert!(backed_up(&env) > 0 && items(&env) > 0);
}
