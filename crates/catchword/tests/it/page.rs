//! The page of `catchword serve`: attacks on its server (`attack.rs`), and its views in a real browser (`views.rs`; what
//! is done there is in the scripts beside it).

mod attack;
mod export;
mod views;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use catchword_testkit::{HookPlayer, SESSION, SESSIONS, SessionStep, TestEnv, Transcript, files};
use serde_json::Value;

use crate::hook::BIN;

/// A page that is being served; it ends with the test.
struct ServedPage {
    child: Child,
    /// `http://127.0.0.1:4117`.
    origin: String,
    token: String,
}

impl ServedPage {
    fn start(env: &TestEnv, args: &[&str]) -> ServedPage {
        let mut command = env.command(BIN);
        // Its clock goes on: a live session is one of now.
        command.env_remove("CATCHWORD_NOW").args(["serve", "--no-open"]).args(args);
        ServedPage::of(command)
    }

    fn of(mut command: Command) -> ServedPage {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("our own program");
        let mut line = String::new();
        let said = child.stdout.take().expect("piped");
        BufReader::new(said).read_line(&mut line).expect("it prints its address first");
        let (origin, token) = line.trim().split_once("/#token=").unwrap_or_else(|| panic!("{line:?}"));
        ServedPage { origin: origin.to_owned(), token: token.to_owned(), child }
    }

    /// Its address for a browser, at a view.
    fn address(&self, view: &str) -> String {
        format!("{}{view}#token={}", self.origin, self.token)
    }

    fn host(&self) -> &str {
        self.origin.trim_start_matches("http://")
    }

    /// What is answered to these bytes: the status, the head and the body.
    fn send(&self, request: &str) -> HttpAnswer {
        let mut stream = TcpStream::connect(self.host()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text.as_str(), ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        HttpAnswer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Asks as the page does, with more headers.
    fn ask(&self, path: &str, headers: &[(&str, &str)]) -> HttpAnswer {
        let more =
            headers.iter().fold(String::new(), |more, (name, value)| more + name + ": " + value + "\r\n");
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nX-Catchword-Token: {}\r\n{more}Connection: close\r\n\r\n",
            self.host(),
            self.token
        ))
    }

    fn json(&self, path: &str) -> Value {
        let answer = self.ask(path, &[]);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// Ends it with a signal, as a terminal does; gives the time it took.
    fn end(&mut self, signal: &str) -> Duration {
        let begun = Instant::now();
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let ended = self.child.wait().expect("a child of ours");
        assert!(ended.success(), "{ended:?}");
        begun.elapsed()
    }
}

impl Drop for ServedPage {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
struct HttpAnswer {
    status: u16,
    head: String,
    body: String,
}

impl HttpAnswer {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn json(&self) -> Value {
        let text = self.body.find(['{', '[']).map_or("", |at| &self.body[at..]);
        let end = text.rfind(['}', ']']).map_or(0, |at| at + 1);
        serde_json::from_str(&text[..end]).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/page").join(name)
}

const RULE: &str = "Never touch vendor/legacy.txt, it belongs to another team.";

const SUBTASK: &str = "Find every use of the old table";

/// A session of a few hours, compacted twice with hooks: the second summary calls a failing command passing. The
/// brief arrives both times.
fn worked(env: &TestEnv, session: &str) -> Transcript {
    let hooks = HookPlayer::new(env, BIN, session);
    let first = format!("Port the parser to the new token table. {RULE}");
    let mut transcript = Transcript::new().session(session).cwd(env.project()).usage(20_000).prompt(&first);
    for step in 0..30 {
        transcript = transcript
            .usage(20_000 + step * 4_500)
            .says(&format!(
                "SessionStep {step}: I look at `src/part{step}.rs`.\n\n- **one** thing\n- another"
            ))
            .read(&format!("src/part{step}.rs"))
            .edit(
                &format!("src/part{step}.rs"),
                "let table = old();\nlet kept = 1;",
                "let table = new();\nlet kept = 1;",
            )
            .bash(&format!("cargo test -p part{step}"))
            .ok(&format!("test result: ok. {step} passed"));
    }
    transcript =
        transcript.todo(&[("wire the lexer to the new table", "pending"), ("port the parser", "completed")]);
    let beside = hooks.transcript_path().with_extension("").join("subagents/agent-a1b2.jsonl");
    let inside = Transcript::new().session(session).cwd(env.project()).as_subagent("a1b2");
    files::write(
        beside,
        inside
            .prompt(SUBTASK)
            .bash("grep -rn old src")
            .ok("three lines")
            .says("Three uses: all in the lexer.")
            .build(),
    );
    transcript =
        transcript.bash("cargo test -p lexer").fails("Exit code 101\nerror[E4417]: token table mismatch");
    for (summary, prompt) in [
        ("1. Port the parser: done.", "Now the lexer, please. Use port 8123 for the server."),
        (
            "1. Primary Request: port the parser, wire the lexer.\n8. Current Work: all tests pass, `cargo test -p lexer` passed.",
            "And the documentation.",
        ),
    ] {
        let played = hooks.compaction(&mut transcript, "auto", summary);
        let told = catchword_testkit::model_text(&played.session_start.stdout);
        // The agent gets it with the path that the test kit hides.
        let told = told.replace("$PROJECT", &env.project().display().to_string());
        transcript = transcript.hook_context("SessionStart", &told);
        transcript = transcript.usage(30_000).prompt(prompt);
        transcript.append_to(hooks.transcript_path());
        let _ = hooks.user_prompt(prompt);
        transcript = transcript
            .subagent("a1b2", SUBTASK, "There are three uses.")
            .bash("cargo test -p lexer")
            .fails("Exit code 101\nerror[E4417]: token table mismatch")
            .says("It fails still.");
        transcript.append_to(hooks.transcript_path());
        let _ = hooks.stop("It fails still.").success();
    }
    transcript
}

/// Commands of a session: as many rows as a working day has.
const DAY: usize = 150;

/// Sessions of every client in one home, as long as people's; hooks recorded the first.
fn every_client(env: &TestEnv) -> Vec<(&'static str, String)> {
    let runs = |part: String, exit, printed: String| SessionStep::Runs {
        command: format!("cargo test -p {part}"),
        exit,
        printed,
    };
    let mut steps = vec![
        SessionStep::Prompt("Fix the parser, please.".into()),
        SessionStep::Says("I look at it.".into()),
    ];
    steps.extend((0..DAY).map(|at| runs(format!("part{at}"), 0, format!("test result: ok. {at} passed"))));
    steps.extend([
        runs("parser".into(), 101, "error: expected `;`".into()),
        SessionStep::Compaction("The defect was looked at, and something was done about it.".into()),
        SessionStep::Says("On it.".into()),
    ]);
    let others = SESSIONS.iter().skip(1).map(|of| {
        of.write(env, &of.id(2), &steps);
        (of.client, of.id(2))
    });
    let all = [("claude-code", SESSION.to_owned())].into_iter().chain(others).collect();
    worked(env, SESSION);
    let _ = env.run(BIN, &["index"]).success();
    all
}
