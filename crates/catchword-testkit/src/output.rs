//! A command's output and exit status, as one value that a test can pin in one snapshot.

use std::fmt;
use std::process::ExitStatus;

/// The result of a command, with the test's private paths replaced by `$HOME`, `$DATA`, `$PROJECT`.
#[derive(Clone, Debug)]
#[must_use = "a command whose output nobody looks at may have failed"]
pub struct CommandOutput {
    pub stdout: String,
    pub stderr: String,
    pub status: ExitStatus,
}

impl CommandOutput {
    /// Exit code; `None` if a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Panics unless the command succeeded.
    #[track_caller]
    pub fn success(self) -> Self {
        assert!(self.status.success(), "the command failed:\n{self}");
        self
    }

    /// Stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("stdout is not JSON ({e}):\n{self}"))
    }

    /// Whether nothing was printed and the exit code is 0, as for most hooks.
    pub fn is_silent_success(&self) -> bool {
        self.status.success() && self.stdout.is_empty() && self.stderr.is_empty()
    }

    /// A hook said something to the person and nothing to the model.
    pub fn tells_only_the_person(&self) -> bool {
        let answer: serde_json::Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        let is_message = answer.as_object().is_some_and(|answer| answer.keys().eq(["systemMessage"]));
        self.status.success() && self.stderr.is_empty() && is_message
    }
}

/// Stdout as it is, then stderr under a rule if there is any, then the status if it is not success. `[EOF]` shows
/// whether the text ended with a newline, which a snapshot would otherwise hide.
impl fmt::Display for CommandOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stdout)?;
        if !self.stdout.is_empty() {
            writeln!(f, "[EOF]")?;
        }
        if !self.stderr.is_empty() {
            write!(f, "------- stderr -------\n{}[EOF]\n", self.stderr)?;
        }
        if !self.status.success() {
            writeln!(f, "[{}]", self.status)?;
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn output(stdout: &str, stderr: &str, code: i32) -> CommandOutput {
        CommandOutput {
            stdout: stdout.into(),
            stderr: stderr.into(),
            status: ExitStatus::from_raw(code << 8),
        }
    }

    #[test]
    fn display_shows_both_streams_and_a_failure() {
        assert_eq!(output("a\n", "", 0).to_string(), "a\n[EOF]\n");
        assert_eq!(
            output("a", "b\n", 3).to_string(),
            "a[EOF]\n------- stderr -------\nb\n[EOF]\n[exit status: 3]\n"
        );
        assert_eq!(output("", "", 0).to_string(), "");
    }

    #[test]
    fn text_on_stderr_is_not_silent_success() {
        assert!(output("", "", 0).is_silent_success());
        assert!(!output("", "x", 0).is_silent_success());
        assert!(!output("", "", 1).is_silent_success());
    }

    #[test]
    fn words_for_the_model_are_not_for_the_person_alone() {
        assert!(output(r#"{"systemMessage":"m"}"#, "", 0).tells_only_the_person());
        for other in ["", "m", "{}", r#"{"systemMessage":"m","hookSpecificOutput":{}}"#] {
            assert!(!output(other, "", 0).tells_only_the_person(), "{other}");
        }
    }
}
