//! A private environment for one test: its own home, data directory, project and clock.
//!
//! Commands get an empty environment plus the few variables named here, so that nothing of the machine that runs the
//! tests leaks in. `CATCHWORD_NOW` advances by one second per command, so that a test prints the same times on every
//! run.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use crate::{CommandOutput, files};

/// 2026-01-01T12:00:00Z: half a day after the first row of a built transcript.
const CLOCK_START_MS: i64 = 1_767_268_800_000;
const CLOCK_STEP_MS: i64 = 1_000;

/// Home, data directory and project of one test; deleted on drop.
pub struct TestEnv {
    root: tempfile::TempDir,
    home: PathBuf,
    data: PathBuf,
    project: PathBuf,
    now_ms: AtomicI64,
    variables: Vec<(OsString, OsString)>,
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl TestEnv {
    /// An empty home with an empty project in it. The data directory is not created: that is the binary's job.
    pub fn new() -> Self {
        Self::at(named().tempdir())
    }

    /// The same in `folder`, for tests that need the file system of the binary.
    pub fn within(folder: impl AsRef<Path>) -> Self {
        Self::at(named().tempdir_in(folder))
    }

    fn at(root: std::io::Result<tempfile::TempDir>) -> Self {
        let root = root.expect("a temporary directory");
        // macOS returns a symlink. The client resolves it, and slugs and normalised paths must match.
        let base = root.path().canonicalize().expect("the directory was just made");
        let home = base.join("home");
        let (data, project) = (home.join(".local/share/catchword"), home.join("project"));
        std::fs::create_dir_all(&project).expect("a folder in our own temporary directory");
        let now_ms = AtomicI64::new(CLOCK_START_MS);
        TestEnv { root, home, data, project, now_ms, variables: Vec::new() }
    }

    /// The private home.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// `CATCHWORD_HOME` of every command.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The working directory of commands.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// A folder of this test outside the home.
    pub fn root(&self) -> PathBuf {
        self.home.parent().expect("home lies in the root").to_owned()
    }

    /// One more variable for every later command.
    pub fn set_var(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.variables.push((name.into(), value.into()));
    }

    /// Where Claude Code keeps the transcript of `session` for this project.
    pub fn transcript_path(&self, session: &str) -> PathBuf {
        let slug = claude_slug(&self.project);
        self.home.join(".claude/projects").join(slug).join(format!("{session}.jsonl"))
    }

    /// Dates a file: last written this many days before the first command.
    ///
    /// # Panics
    /// If there is no such file.
    pub fn written_days_ago(&self, path: impl AsRef<Path>, days: u64) {
        let path = path.as_ref();
        let start = UNIX_EPOCH + Duration::from_millis(CLOCK_START_MS as u64);
        let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("open {}: {e}", path.display()));
        file.set_modified(start - Duration::from_secs(days * 86_400)).expect("a date");
    }

    /// Writes a file of the project.
    pub fn write(&self, path: &str, text: &str) {
        files::write(self.project.join(path), text);
    }

    /// Runs git in the project, without anybody's own settings.
    ///
    /// # Panics
    /// If it fails.
    pub fn git(&self, arguments: &[&str]) {
        let fixed = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
        let mut git = Command::new("git");
        git.current_dir(&self.project).env("GIT_CONFIG_GLOBAL", "/dev/null").args(fixed).args(arguments);
        let done = git.output().expect("git is there");
        assert!(done.status.success(), "git {arguments:?}: {done:?}");
    }

    /// Runs `bin` with nothing on stdin.
    pub fn run<A: AsRef<OsStr>>(&self, bin: impl AsRef<OsStr>, args: &[A]) -> CommandOutput {
        self.run_with_stdin(bin, args, "")
    }

    /// Runs `bin` with `stdin`, to the end.
    pub fn run_with_stdin<A: AsRef<OsStr>>(
        &self,
        bin: impl AsRef<OsStr>,
        args: &[A],
        stdin: impl AsRef<[u8]>,
    ) -> CommandOutput {
        let mut command = self.command(bin);
        command.args(args);
        self.run_command(command, stdin)
    }

    /// Runs a command made by [`TestEnv::command`] with `stdin`, to the end.
    pub fn run_command(&self, mut command: Command, stdin: impl AsRef<[u8]>) -> CommandOutput {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("start {command:?}: {e}"));
        let mut pipe = child.stdin.take().expect("stdin is piped");
        let stdin = stdin.as_ref();
        // From a thread: with both pipes full, writing here first would block forever.
        let output = std::thread::scope(|scope| {
            scope.spawn(move || match pipe.write_all(stdin) {
                // A program may exit without reading; whether it should is for the test to decide.
                Err(e) if e.kind() != ErrorKind::BrokenPipe => panic!("write stdin: {e}"),
                _ => drop(pipe),
            });
            child.wait_with_output().expect("a child we started")
        });
        CommandOutput {
            stdout: self.normalise(&String::from_utf8_lossy(&output.stdout)),
            stderr: self.normalise(&String::from_utf8_lossy(&output.stderr)),
            status: output.status,
        }
    }

    /// A command in this environment; advances the clock by one step.
    pub fn command(&self, bin: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(bin);
        command.env_clear().current_dir(&self.project);
        command.env("PATH", outer_path()).env("HOME", &self.home).env("CATCHWORD_HOME", &self.data);
        command.env("CATCHWORD_NOW", self.tick().to_string());
        // Git's answer must not depend on how busy the machine is.
        command.env("CATCHWORD_GIT_MS", "20000");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// `text` with this test's private paths replaced by their names.
    pub fn normalise(&self, text: &str) -> String {
        let names = [
            (&self.data, "$DATA"),
            (&self.project, "$PROJECT"),
            (&self.home, "$HOME"),
            (&self.root(), "$TMP"),
            (&self.root.path().to_owned(), "$TMP"),
        ];
        let slug = claude_slug(&self.project);
        let text = names.iter().fold(text.to_owned(), |text, (path, name)| {
            text.replace(path.to_str().expect("temporary paths are UTF-8"), name)
        });
        text.replace(&slug, "$SLUG")
    }

    /// Advances the clock.
    pub fn wait(&self, time: std::time::Duration) {
        self.now_ms.fetch_add(time.as_millis() as i64, Ordering::Relaxed);
    }

    fn tick(&self) -> i64 {
        self.now_ms.fetch_add(CLOCK_STEP_MS, Ordering::Relaxed)
    }
}

fn named() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("catchword-");
    builder
}

/// The folder name that Claude Code derives from a working directory.
pub fn claude_slug(cwd: &Path) -> String {
    cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// The only variable that a test's programs need from outside: where `sh`, `git` and `npm` are.
#[expect(clippy::disallowed_methods, reason = "the only place in the test kit that reads the environment")]
fn outer_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn commands_see_only_the_variables_of_the_environment() {
        let env = TestEnv::new();
        let seen = env.run("/usr/bin/env", &[] as &[&str]).success().stdout;
        let mut names: Vec<_> = seen.lines().filter_map(|l| l.split_once('=')).map(|(n, _)| n).collect();
        names.sort_unstable();
        assert_eq!(names, ["CATCHWORD_GIT_MS", "CATCHWORD_HOME", "CATCHWORD_NOW", "HOME", "PATH"]);
        assert!(seen.contains("CATCHWORD_HOME=$DATA\n"), "{seen}");
        assert!(seen.contains("HOME=$HOME\n"), "{seen}");
    }

    #[test]
    fn clock_steps_once_per_command() {
        let env = TestEnv::new();
        let now = || env.run("sh", &["-c", "echo $CATCHWORD_NOW"]).stdout.trim().parse::<i64>().unwrap();
        assert_eq!([now(), now()], [CLOCK_START_MS, CLOCK_START_MS + 1_000]);
    }

    #[test]
    fn stdin_larger_than_a_pipe_does_not_block() {
        let env = TestEnv::new();
        let big = "x".repeat(1 << 20);
        assert_eq!(env.run_with_stdin("cat", &[] as &[&str], &big).success().stdout.len(), big.len());
    }

    #[test]
    fn program_that_does_not_read_stdin_is_accepted() {
        let env = TestEnv::new();
        let output = env.run_with_stdin("true", &[] as &[&str], "x".repeat(1 << 20));
        assert!(output.is_silent_success(), "{output}");
    }
}
