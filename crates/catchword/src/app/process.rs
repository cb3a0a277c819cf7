//! Finds another program and runs it with a deadline, a limit on its output, and nothing left behind.
//!
//! The program leads its own process group. If it misses its deadline the whole group is killed, so that neither a
//! hanging git nor anything a user's own command starts can outlive a hook.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

/// A process without a console.
#[cfg(windows)]
const DETACHED_PROCESS: u32 = 0x0000_0008;

#[derive(Clone, Copy)]
pub struct RunLimits {
    pub time: Duration,
    /// Bytes of output that are kept.
    pub output: u64,
}

/// The first program of this name on `path`, leaving out those in the work tree `outside`: `PATH` may name a folder of the
/// repository (`node_modules/.bin`), and a stranger's program must not run.
pub fn on_path(name: &str, path: &OsStr, outside: Option<&Path>) -> Option<PathBuf> {
    let outside = outside.map(|root| root.canonicalize().unwrap_or_else(|_| root.to_owned()));
    let is_inside = |path: &Path| {
        outside.as_deref().is_some_and(|root| path.canonicalize().is_ok_and(|real| real.starts_with(root)))
    };
    let names = if cfg!(windows) {
        vec![format!("{name}.exe"), format!("{name}.cmd")]
    } else {
        vec![name.to_owned()]
    };
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute() && !is_inside(folder));
    let mut candidates =
        folders.flat_map(|folder| names.iter().map(move |n| folder.join(n)).collect::<Vec<_>>());
    candidates.find(|file| is_program(file) && !is_inside(file))
}

/// Whether a file is executable.
pub fn is_program(file: &Path) -> bool {
    let Ok(found) = file.metadata() else { return false };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    found.is_file() && runs
}

/// A command line, run by the user's shell.
pub fn shell(line: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut shell = Command::new(program);
    shell.arg(flag).arg(line);
    shell
}

/// A program that outlives this one: in a process group of its own, without our streams.
pub fn detached(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, DETACHED_PROCESS);
    command
}

/// The program's stdout. `None` if it cannot be started, fails, or misses its deadline.
pub fn output_of(command: &mut Command, limits: RunLimits) -> Option<Vec<u8>> {
    RunningProcess::start(command, None, limits)?.output()
}

pub struct RunningProcess {
    child: Child,
    output: Receiver<Vec<u8>>,
    until: Instant,
}

impl RunningProcess {
    /// Starts it, with `input` on stdin if given. The deadline counts from now.
    pub fn start(command: &mut Command, input: Option<Vec<u8>>, limits: RunLimits) -> Option<RunningProcess> {
        let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn().ok()?;
        let until = Instant::now() + limits.time;
        // Threads, because a program may neither read its input nor close its output. Nobody joins them: a process it
        // leaves behind may hold the pipes forever.
        if let Some((mut pipe, input)) = child.stdin.take().zip(input) {
            std::thread::spawn(move || pipe.write_all(&input));
        }
        let mut pipe = child.stdout.take()?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            let read = pipe.by_ref().take(limits.output).read_to_end(&mut kept);
            // Excess output is read and dropped, so that the program does not block.
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
            let _ = read.map(|_| sender.send(kept));
        });
        Some(RunningProcess { child, output, until })
    }

    /// Waits for its end.
    pub fn output(mut self) -> Option<Vec<u8>> {
        let output = self.output.recv_timeout(self.left()).ok();
        let left = self.left();
        if let Some((output, Ok(Some(status)))) = output.map(|output| (output, self.child.wait_timeout(left)))
        {
            status.success().then_some(output)
        } else {
            self.kill();
            None
        }
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    fn kill(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn run(line: &str) -> Option<String> {
        let output = output_of(&mut shell(line), RunLimits { time: LONG, output: 10 });
        output.map(|output| String::from_utf8(output).unwrap())
    }

    #[test]
    fn output_is_truncated_and_a_failure_yields_none() {
        assert_eq!(run("echo three open").as_deref(), Some("three open"));
        assert_eq!(run("yes | head -c 1000000").map(|output| output.len()), Some(10));
        assert_eq!(run("echo x; exit 1"), None);
        assert_eq!(run("no-such-program-anywhere"), None);
    }

    #[test]
    fn program_that_ignores_its_input_does_not_block() {
        let limits = RunLimits { time: LONG, output: 10 };
        let start =
            |line: &str| RunningProcess::start(&mut shell(line), Some(vec![b'x'; 1 << 20]), limits).unwrap();
        assert_eq!(start("wc -c | tr -d ' '").output().as_deref(), Some(&b"1048576\n"[..]));
        assert_eq!(start("echo deaf").output().as_deref(), Some(&b"deaf\n"[..]));
    }

    #[test]
    fn program_past_its_deadline_is_killed_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let begun = Instant::now();
        let mut line = shell("sh -c 'echo $$ > child; exec sleep 60' & echo early; wait");
        let limits = RunLimits { time: Duration::from_millis(500), output: 100 };
        assert_eq!(output_of(line.current_dir(folder.path()), limits), None);
        assert!(begun.elapsed() < LONG, "nobody waited for it");
        let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
        let still_there = || Command::new("kill").args(["-0", child.trim()]).status().unwrap().success();
        let gone = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            !still_there() || is_zombie(child.trim())
        });
        assert!(gone, "its child is killed, too");
    }

    fn is_zombie(pid: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
    }
}
