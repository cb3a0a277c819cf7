//! Runs another program with a deadline, a limit on its output, and nothing left behind.
//!
//! The program leads a process group of its own. One that is not done in time is killed with its whole group, so that
//! neither a hanging git nor whatever a user's own command starts can outlive a hook.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

/// How long a program may take, and how much it may say.
#[derive(Clone, Copy)]
pub struct RunLimits {
    pub time: Duration,
    /// Bytes of output that are kept.
    pub output: u64,
}

/// A command line as the user's shell runs it.
pub fn shell(line: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut shell = Command::new(program);
    shell.arg(flag).arg(line);
    shell
}

/// What the program prints to stdout. Nothing when it cannot be started, fails, or is not done in time.
pub fn output_of(command: &mut Command, limits: RunLimits) -> Option<Vec<u8>> {
    RunningProcess::start(command, None, limits)?.output()
}

/// A program that was started.
pub struct RunningProcess {
    child: Child,
    output: Receiver<Vec<u8>>,
    until: Instant,
}

impl RunningProcess {
    /// Starts it, with `input` on stdin where there is some. Its time runs from now on.
    pub fn start(command: &mut Command, input: Option<Vec<u8>>, limits: RunLimits) -> Option<RunningProcess> {
        let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn().ok()?;
        let until = Instant::now() + limits.time;
        // Threads, because a program may neither read its input nor close its output, and nobody waits for them: what it
        // leaves behind may hold the pipes for as long as it likes.
        if let Some((mut pipe, input)) = child.stdin.take().zip(input) {
            std::thread::spawn(move || pipe.write_all(&input));
        }
        let mut pipe = child.stdout.take()?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            let read = pipe.by_ref().take(limits.output).read_to_end(&mut kept);
            // What is too much is read and dropped, so that the program does not wait for a reader.
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
    fn output_is_cut_and_a_failure_gives_none() {
        assert_eq!(run("echo three open").as_deref(), Some("three open"));
        assert_eq!(run("yes | head -c 1000000").map(|output| output.len()), Some(10));
        assert_eq!(run("echo x; exit 1"), None);
        assert_eq!(run("no-such-program-anywhere"), None);
    }

    #[test]
    fn a_program_that_ignores_its_input_does_not_block() {
        let limits = RunLimits { time: LONG, output: 10 };
        let start =
            |line: &str| RunningProcess::start(&mut shell(line), Some(vec![b'x'; 1 << 20]), limits).unwrap();
        assert_eq!(start("wc -c | tr -d ' '").output().as_deref(), Some(&b"1048576\n"[..]));
        assert_eq!(start("echo deaf").output().as_deref(), Some(&b"deaf\n"[..]));
    }

    #[test]
    fn a_program_past_its_deadline_is_killed_with_all_it_has_started() {
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
