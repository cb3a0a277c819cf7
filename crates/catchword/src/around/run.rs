//! Runs the status command of the settings: with a deadline, a limit on its output, and nothing left behind.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What `command` prints in `folder`, up to `most` bytes. Nothing when it fails or is not done by the deadline; then it
/// is ended with everything it has started. The line is the user's own and nothing is put into it.
pub fn shell(command: &str, folder: &Path, deadline: Duration, most: usize) -> Option<Vec<u8>> {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut line = Command::new(program);
    line.arg(flag).arg(command).current_dir(folder);
    line.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A group of its own, so that it can be ended as a whole.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut line, 0);
    let mut child = line.spawn().ok()?;
    let until = Instant::now() + deadline;
    let output = read(&mut child, until, most);
    let ended = output.is_some() && wait(&mut child, until);
    if !ended {
        end(&mut child);
    }
    output.filter(|_| ended)
}

/// All it prints; what is too much is read and dropped, so that it does not wait for a reader.
fn read(child: &mut Child, until: Instant, most: usize) -> Option<Vec<u8>> {
    let mut pipe = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    // Not waited for: what the command left behind may hold the pipe for as long as it likes.
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let read = pipe.by_ref().take(most as u64).read_to_end(&mut output);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        let _ = sender.send(read.map(|_| output));
    });
    receiver.recv_timeout(until.saturating_duration_since(Instant::now())).ok()?.ok()
}

fn wait(child: &mut Child, until: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
            _ => return false,
        }
    }
}

/// Ends the command and its group; what is over already does not mind.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn run(command: &str, deadline: Duration) -> Option<String> {
        let tmp = tempfile::tempdir().unwrap();
        shell(command, tmp.path(), deadline, 10).map(|output| String::from_utf8(output).unwrap())
    }

    #[test]
    fn what_it_prints_is_cut_and_what_fails_says_nothing() {
        assert_eq!(run("echo three open", LONG).as_deref(), Some("three open"));
        assert_eq!(run("yes | head -c 1000000", LONG).map(|output| output.len()), Some(10));
        assert_eq!(run("echo x; exit 1", LONG), None);
        assert_eq!(run("no-such-program-anywhere", LONG), None);
    }

    #[test]
    fn what_takes_too_long_is_ended_with_all_it_has_started() {
        let tmp = tempfile::tempdir().unwrap();
        let begun = Instant::now();
        let line = "sh -c 'echo $$ > child; exec sleep 60' & echo early; wait";
        assert_eq!(shell(line, tmp.path(), Duration::from_millis(500), 100), None);
        assert!(begun.elapsed() < LONG, "it was not waited for");
        let child = std::fs::read_to_string(tmp.path().join("child")).unwrap();
        let still_there = || Command::new("kill").args(["-0", child.trim()]).status().unwrap().success();
        let gone = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            !still_there() || is_zombie(child.trim())
        });
        assert!(gone, "the group is ended, too");
    }

    fn is_zombie(pid: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
    }
}
