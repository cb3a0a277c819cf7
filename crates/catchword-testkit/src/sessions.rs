//! One session, written as each client writes it: what a test does for every client is written once.

use std::path::PathBuf;

use serde_json::json;

use crate::{CopilotEvents, OpenCodeLog, PiSession, QwenChat, Rollout, THREAD, TestEnv, Transcript, files};

/// A step of a session, the same for every client.
#[derive(Clone, Debug)]
pub enum SessionStep {
    Prompt(String),
    Says(String),
    Runs {
        command: String,
        exit: i32,
        printed: String,
    },
    Reads {
        path: String,
        printed: String,
    },
    Task(String),
    /// The client writes something in the user's role.
    Note(String),
    /// A subagent gets a prompt.
    Helper(String),
    Compaction(String),
}

/// A client's rows. What a client does not have is something the agent says, or a note.
pub trait SessionRows: Sized {
    /// The person asks.
    #[must_use]
    fn prompt(self, text: &str) -> Self;
    /// The agent speaks.
    #[must_use]
    fn says(self, text: &str) -> Self;
    /// The agent runs a command.
    #[must_use]
    fn runs(self, command: &str, exit: i32, printed: &str) -> Self;
    /// The agent opens a file.
    #[must_use]
    fn reads(self, path: &str, printed: &str) -> Self;
    /// The context is replaced by a summary.
    #[must_use]
    fn compaction(self, summary: &str) -> Self;
    /// The file's text.
    fn build(&self) -> String;

    /// The agent adds a task.
    #[must_use]
    fn task(self, subject: &str) -> Self {
        self.says(subject)
    }

    /// The client writes something in the user's role.
    #[must_use]
    fn note(self, text: &str) -> Self {
        self.says(text)
    }

    /// A subagent is asked for something.
    #[must_use]
    fn helper(self, text: &str) -> Self {
        self.note(text)
    }

    /// These steps, too.
    #[must_use]
    fn steps(self, steps: &[SessionStep]) -> Self {
        steps.iter().fold(self, |rows, step| match step {
            SessionStep::Prompt(text) => rows.prompt(text),
            SessionStep::Says(text) => rows.says(text),
            SessionStep::Runs { command, exit, printed } => rows.runs(command, *exit, printed),
            SessionStep::Reads { path, printed } => rows.reads(path, printed),
            SessionStep::Task(subject) => rows.task(subject),
            SessionStep::Note(text) => rows.note(text),
            SessionStep::Helper(text) => rows.helper(text),
            SessionStep::Compaction(summary) => rows.compaction(summary),
        })
    }
}

impl SessionRows for Transcript {
    fn prompt(self, text: &str) -> Self {
        Transcript::prompt(self, text)
    }

    fn says(self, text: &str) -> Self {
        Transcript::says(self, text)
    }

    fn runs(self, command: &str, exit: i32, printed: &str) -> Self {
        let call = self.bash(command);
        if exit == 0 { call.ok(printed) } else { call.fails(&format!("Exit code {exit}\n{printed}")) }
    }

    fn reads(self, path: &str, printed: &str) -> Self {
        self.call("Read", json!({"file_path": path})).ok(printed)
    }

    fn task(self, subject: &str) -> Self {
        self.task_create(subject)
    }

    fn note(self, text: &str) -> Self {
        Transcript::prompt(self, &format!("<system-reminder>{text}</system-reminder>"))
    }

    fn helper(self, text: &str) -> Self {
        Transcript::prompt(self.as_subagent("a1"), text).main_thread()
    }

    fn compaction(self, summary: &str) -> Self {
        Transcript::compaction(self, "auto", summary)
    }

    fn build(&self) -> String {
        Transcript::build(self)
    }
}

impl SessionRows for Rollout {
    fn prompt(self, text: &str) -> Self {
        Rollout::prompt(self, text)
    }

    fn says(self, text: &str) -> Self {
        Rollout::says(self, text).tokens(20_000)
    }

    fn runs(self, command: &str, exit: i32, printed: &str) -> Self {
        Rollout::runs(self, command, exit, printed)
    }

    fn reads(self, path: &str, printed: &str) -> Self {
        Rollout::runs(self, &format!("cat {path}"), 0, printed)
    }

    fn task(self, subject: &str) -> Self {
        self.plans(subject, "pending")
    }

    fn note(self, text: &str) -> Self {
        Rollout::note(self, text)
    }

    fn helper(self, text: &str) -> Self {
        Rollout::helper(self, text)
    }

    fn compaction(self, summary: &str) -> Self {
        Rollout::compaction(self, summary)
    }

    fn build(&self) -> String {
        Rollout::build(self)
    }
}

/// Where a client keeps its sessions, and how it writes them.
#[derive(Clone, Copy, Debug)]
pub struct ClientSessions {
    /// The client's name.
    pub client: &'static str,
    /// The id of a session, by the client's name and a number.
    id: fn(&str, u8) -> String,
    /// The path of a session's transcript, as the client's payloads say it: in a database, behind its path.
    pub path: fn(&TestEnv, &str) -> PathBuf,
    /// The rows of a session that is called `s`, in the folder of built sessions.
    pub rows: fn(&[SessionStep]) -> String,
    /// The same for a session with this id in the client's database, if it has one.
    pub log: Option<fn(&str) -> OpenCodeLog>,
    /// Its agent has a list of tasks.
    pub has_tasks: bool,
    /// The first event after a compaction with which the model can be given something, and what its payload has.
    pub brings: (&'static str, &'static str),
}

/// The folder of built sessions.
const CWD: &str = "/home/user/project";

const AFTER_A_COMPACTION: (&str, &str) = ("SessionStart", r#"{"source":"compact"}"#);
const WITH_THE_NEXT_TOOL: (&str, &str) = ("PostToolUse", r#"{"tool_name":"x"}"#);

/// The name's first letters in hexadecimal, so that no two clients share an id, and the number.
fn begins(client: &str, number: u8) -> String {
    let letters = client.bytes().take(3).map(|letter| format!("{letter:02x}"));
    letters.chain([format!("{number:02x}")]).collect()
}

fn uuid(client: &str, number: u8) -> String {
    format!("{}-0000-4000-8000-000000000000", begins(client, number))
}

fn log_id(client: &str, number: u8) -> String {
    format!("ses_{}6ffe7HOBt0m7a1fkNf", begins(client, number))
}

/// Every client. What tests do for each of them, they do for those in here.
pub const SESSIONS: [ClientSessions; 7] = [
    ClientSessions {
        client: "claude-code",
        path: TestEnv::transcript_path,
        rows: |steps| Transcript::new().session("s").steps(steps).build(),
        ..ClientSessions::PLAIN
    },
    ClientSessions {
        client: "codex",
        path: |env, id| {
            let file = format!(".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{id}.jsonl");
            env.home().join(file)
        },
        rows: |steps| Rollout::new().steps(steps).build(),
        ..ClientSessions::PLAIN
    },
    ClientSessions {
        client: "copilot",
        path: |env, id| env.home().join(format!(".copilot/session-state/{id}/events.jsonl")),
        rows: |steps| CopilotEvents::new().steps(steps).build(),
        brings: WITH_THE_NEXT_TOOL,
        ..ClientSessions::PLAIN
    },
    ClientSessions {
        client: "qwen",
        path: |env, id| env.home().join(format!(".qwen/projects/-home-user-project/chats/{id}.jsonl")),
        rows: |steps| QwenChat::new().steps(steps).build(),
        brings: WITH_THE_NEXT_TOOL,
        ..ClientSessions::PLAIN
    },
    ClientSessions {
        client: "pi",
        path: |env, id| {
            env.home().join(format!(".pi/agent/sessions/--home-user-project--/2026-01-01_{id}.jsonl"))
        },
        rows: |steps| PiSession::new().steps(steps).build(),
        has_tasks: false,
        ..ClientSessions::PLAIN
    },
    ClientSessions {
        client: "opencode",
        id: log_id,
        path: |env, id| env.home().join(".local/share/opencode/opencode.db").join(id),
        rows: |steps| OpenCodeLog::new("s").steps(steps).build(),
        log: Some(OpenCodeLog::new),
        ..ClientSessions::PLAIN
    },
    ClientSessions {
        client: "kilo",
        id: log_id,
        path: |env, id| env.home().join(".local/share/kilo/kilo.db").join(id),
        rows: |steps| OpenCodeLog::new("s").of_kilo().steps(steps).build(),
        log: Some(|id| OpenCodeLog::new(id).of_kilo()),
        ..ClientSessions::PLAIN
    },
];

impl ClientSessions {
    /// A client that reports a compaction, with tasks, its sessions in files.
    const PLAIN: ClientSessions = ClientSessions {
        client: "",
        id: uuid,
        path: |env, _| env.home().to_owned(),
        rows: |_| String::new(),
        log: None,
        has_tasks: true,
        brings: AFTER_A_COMPACTION,
    };

    /// The id of the session with this number.
    pub fn id(&self, number: u8) -> String {
        (self.id)(self.client, number)
    }

    /// The file that a session is in.
    pub fn file(&self, env: &TestEnv, id: &str) -> PathBuf {
        let path = (self.path)(env, id);
        if self.log.is_some() { path.parent().expect("the database").to_owned() } else { path }
    }

    /// Writes a session of the test's project, in place of what is there of it.
    pub fn write(&self, env: &TestEnv, id: &str, steps: &[SessionStep]) {
        let file = self.file(env, id);
        match self.log {
            Some(log) => log(id).cwd(env.project()).steps(steps).store(&file),
            None => files::write(file, named(&(self.rows)(steps), env, id)),
        }
    }
}

/// The rows with the session's id and the test's own folder.
fn named(rows: &str, env: &TestEnv, id: &str) -> String {
    let folder = env.project().to_string_lossy();
    rows.replace(":\"s\"", &format!(":\"{id}\"")).replace(THREAD, id).replace(CWD, &folder)
}
