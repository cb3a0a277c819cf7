//! Text written by strangers: tool output, files, web pages, other agents. Each test contains the attack.
//!
//! Whatever the text says, it cannot pass for the user's words, break out of its line in a brief, displace the user's
//! own words, control the terminal, or be anything but text to SQL, the index, a shell or a path.

mod clients;
mod flood;
mod frame;
mod moments;
mod names;
mod past;
mod reach;
mod repositories;
mod terminal;
mod tools;
mod words;

use std::path::Path;

use catchword_engine::audit;
use catchword_engine::brief::cold_tasks::ColdPlan;
use catchword_engine::brief::handoff::{self, HandoffContext, HandoffTime};
use catchword_engine::brief::{self, heading, notes};
use catchword_engine::choose::WorkspaceState;
use catchword_engine::choose::{KnownText, Section, facts};
use catchword_engine::clients::CLIENTS;
use catchword_engine::ops::brief::GuideLimits;
use catchword_engine::ops::history;
use catchword_engine::ops::rows::RowReader;
use catchword_engine::redact::SECRETS;
use catchword_testkit::{CommandOutput, HookPlayer, SESSION, TestEnv, Transcript};
use serde_json::{Value, json};

use crate::hook::BIN;

/// Reads the client's rows, with nothing forgotten.
const READER: RowReader<'static> = RowReader { client: CLIENTS[0], mask: SECRETS };

/// A way in which somebody else's text gets into a transcript.
pub(crate) struct Carrier {
    name: &'static str,
    pub(crate) carry: fn(Transcript, &str) -> Transcript,
}

pub(crate) const CARRIERS: &[Carrier] = &[
    Carrier { name: "output of a command", carry: |t, text| t.bash("cat page").ok(text) },
    Carrier {
        name: "output of a failing command",
        carry: |t, text| t.bash("make all").fails(&format!("Exit code 1\n{text}")),
    },
    Carrier {
        name: "a failure in the tool's own words",
        carry: |t, text| t.call("mcp__web__fetch", json!({"url": "x"})).fails(text),
    },
    Carrier { name: "a command itself", carry: |t, text| t.bash(text).ok("ok") },
    Carrier {
        name: "a file that was read",
        carry: |t, text| {
            let file = json!({"filePath": "/p/a.md", "content": text, "numLines": 1, "startLine": 1, "totalLines": 1});
            t.call("Read", json!({"file_path": "/p/a.md"}))
                .result(text, json!({"type": "text", "file": file}))
        },
    },
    Carrier {
        name: "a file that was written",
        carry: |t, text| t.call("Write", json!({"file_path": "/p/a.md", "content": text})).ok("done"),
    },
    Carrier { name: "an edit", carry: |t, text| t.edit("/p/a.md", text, text) },
    Carrier { name: "the name of a file", carry: |t, text| t.write(&format!("/home/user/project/{text}")) },
    Carrier {
        name: "the name of a file that was read",
        carry: |t, text| t.read(&format!("/home/user/project/{text}")).read(text),
    },
    Carrier {
        name: "a web page",
        carry: |t, text| t.call("WebFetch", json!({"url": "https://example.com", "prompt": text})).ok(text),
    },
    Carrier { name: "a search", carry: |t, text| t.grep(text) },
    Carrier { name: "an unknown tool", carry: |t, text| t.call(text, json!({ text: text })).ok(text) },
    Carrier { name: "the answer of a subagent", carry: |t, text| t.subagent("a1", "look", text) },
    Carrier { name: "the order for a subagent", carry: |t, text| t.subagent("a1", text, "done") },
    Carrier {
        name: "rows of a subagent",
        carry: |t, text| t.as_subagent("a1").prompt(text).says(text).main_thread(),
    },
    Carrier {
        name: "a message of another agent",
        carry: |t, text| t.prompt(&format!("<teammate-message teammate_id=\"x\">{text}</teammate-message>")),
    },
    Carrier { name: "a notification", carry: |t, text| t.task_notification("b1", "completed", text) },
    Carrier {
        name: "a notification in the person's place",
        carry: |t, text| {
            t.prompt(&format!(
                "<task-notification>\n<task-id>b1</task-id>\n<result>{text}</result>\n</task-notification>"
            ))
        },
    },
    Carrier { name: "a row of the client's", carry: Transcript::meta_user },
    Carrier { name: "output of a command of the person's", carry: |t, text| t.shell_input("cat page", text) },
    Carrier {
        name: "output of a command of the client's",
        carry: |t, text| t.prompt(&format!("<local-command-stdout>{text}</local-command-stdout>")),
    },
    Carrier {
        name: "a reminder beside the person's words",
        carry: |t, text| {
            t.prompt_blocks(&[&format!("<system-reminder>{text}</system-reminder>"), "Fix the parser."])
        },
    },
    Carrier { name: "what another hook said", carry: |t, text| t.hook_context("SessionStart", text) },
    Carrier {
        name: "text beside a tool's answer",
        carry: |t, text| {
            let row = json!({"type": "user", "uuid": "beside", "sessionId": SESSION, "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_x", "content": "x"}, {"type": "text", "text": text}]}});
            t.raw(&row.to_string())
        },
    },
    Carrier {
        name: "a row from a channel",
        carry: |t, text| {
            let row = json!({"type": "user", "uuid": "channel", "sessionId": SESSION, "origin": {"kind": "channel"},
            "message": {"role": "user", "content": text}});
            t.raw(&row.to_string())
        },
    },
    Carrier {
        name: "a queued notification",
        carry: |t, text| {
            let row = json!({"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION,
            "content": format!("<task-notification>{text}</task-notification>")});
            t.raw(&row.to_string())
        },
    },
    Carrier {
        name: "a prompt that the model scheduled",
        carry: |t, text| {
            let row = json!({"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": text});
            t.raw(&row.to_string()).meta_user(text)
        },
    },
    Carrier {
        name: "a scheduled prompt that waits in the queue",
        carry: |t, text| {
            let row = json!({"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": text});
            t.raw(&row.to_string())
        },
    },
    Carrier {
        name: "a scheduled prompt that the agent got while it worked",
        carry: |t, text| {
            let row = json!({"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": text});
            let got = json!({"type": "queue-operation", "operation": "remove", "sessionId": SESSION});
            t.raw(&row.to_string()).raw(&got.to_string())
        },
    },
    Carrier {
        name: "a scheduled prompt in an attachment",
        carry: |t, text| {
            let queued = json!({"type": "queued_command", "prompt": text, "commandMode": "prompt"});
            t.meta_row("attachment", json!({"attachment": queued, "isMeta": true}))
        },
    },
    Carrier { name: "the agent's words", carry: Transcript::says },
    Carrier { name: "the agent's thoughts", carry: Transcript::thinks },
    Carrier { name: "a task", carry: |t, text| t.task_create(text) },
    Carrier { name: "a to-do list", carry: |t, text| t.todo(&[(text, "pending"), ("x", "in_progress")]) },
    Carrier {
        name: "a commit",
        carry: |t, text| {
            let subject = text.lines().next().unwrap_or_default();
            t.bash(&format!("git commit -m '{text}'"))
                .ok(&format!("[main 4c1d9e2] {subject}\n 1 file changed"))
        },
    },
    Carrier {
        name: "a branch",
        carry: |t, text| {
            let row = json!({"type": "assistant", "uuid": "branch", "sessionId": SESSION, "gitBranch": text, "cwd": text,
            "message": {"content": [{"type": "text", "text": "On it."}]}});
            t.raw(&row.to_string())
        },
    },
    Carrier {
        name: "a skill",
        carry: |t, text| t.call("Skill", json!({"skill": text, "args": text})).ok(text),
    },
    Carrier { name: "a background shell", carry: |t, text| t.background_shell(text, text) },
    Carrier {
        name: "the agent's question",
        carry: |t, text| t.call("AskUserQuestion", json!({"questions": [{"question": text}]})).unanswered(),
    },
    Carrier {
        name: "a plan that nobody approved",
        carry: |t, text| t.call("ExitPlanMode", json!({"plan": text, "planFilePath": text})).unanswered(),
    },
    Carrier {
        name: "a model's name",
        carry: |t, text| t.model(text).says("On it.").model("claude-sonnet-4-5"),
    },
];

/// Processes a session in this process: there are hundreds of attacks.
struct Made {
    brief: String,
    guide: String,
    handoff: String,
    notes: String,
    lines: usize,
}

/// Everything that a summariser may be told.
const GUIDE: GuideLimits = GuideLimits { lines: 60, shown: false, cold: COLD };
const COLD: ColdPlan = ColdPlan { turns: 20, every: 10, from: 70, lines: 40 };

fn opening(folder: &Path) -> Transcript {
    Transcript::new().cwd(folder).prompt("Add a parser. Never touch the lock file.").says("On it.")
}

/// A real request and a real rule, then whatever `attack` adds, with this summary.
fn made(attack: impl FnOnce(Transcript) -> Transcript, summary: &str) -> Made {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let transcript = attack(opening(Path::new("/home/user/project")));
    transcript.write_to(file.path());
    let session = history::fold(READER, file.path(), None).expect("our own file");
    let known = KnownText::new(summary).with_findings(audit::audit(&session, summary));
    let about = HandoffContext {
        session: SESSION,
        transcript: None,
        resume: "claude --resume x",
        moment: HandoffTime::End,
        now: 0,
    };
    Made {
        brief: brief::brief(facts(&session, &known), brief::DEFAULT_BUDGET).text,
        guide: catchword_engine::ops::brief::guide(&session, &[], None, None, GUIDE),
        handoff: handoff::document(&session, &about, &WorkspaceState::default(), handoff::DEFAULT_BUDGET),
        notes: notes::markdown(&notes::of(&session, &[]), SESSION),
        lines: transcript.line_count(),
    }
}

/// What people and agents are told about a session, by the program itself.
struct Told {
    env: TestEnv,
    /// For the summariser.
    guide: String,
    /// After the compaction.
    brief: String,
    /// The decoded strings of all answers to the client.
    said: Vec<String>,
    lines: usize,
}

/// A real request and a real rule, then whatever `attack` adds, then a compaction with this summary.
fn told(attack: impl FnOnce(Transcript) -> Transcript, summary: &str) -> Told {
    told_within(attack, summary, None)
}

fn told_within(attack: impl FnOnce(Transcript) -> Transcript, summary: &str, budget: Option<usize>) -> Told {
    let mut env = TestEnv::new();
    if let Some(budget) = budget {
        env.set_var("CATCHWORD_BUDGET", budget.to_string());
    }
    let mut transcript = attack(opening(env.project()));
    let lines = transcript.line_count();
    let (guide, brief, said) = {
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        transcript.append_to(hooks.transcript_path());
        let mut all = vec![hooks.post_tool_batch(&[])];
        let played = hooks.compaction(&mut transcript, "auto", summary);
        let brief = played.brief().unwrap_or_default();
        let guide = played.pre_compact.stdout.clone();
        all.extend([played.pre_compact, played.summariser_stop, played.session_start, played.post_compact]);
        all.extend([hooks.user_prompt("go on"), hooks.stop("Done."), hooks.session_end("other")]);
        let next = HookPlayer::new(&env, BIN, "00000009-0000-4000-8000-000000000000");
        all.push(next.session_start("startup"));
        (
            guide,
            brief,
            all.into_iter().map(CommandOutput::success).flat_map(|output| strings(&output.stdout)).collect(),
        )
    };
    Told { env, guide, brief, said, lines }
}

/// Every string in an answer to the client; plain text is one string.
fn strings(stdout: &str) -> Vec<String> {
    fn collect(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Array(list) => list.iter().for_each(|value| collect(value, into)),
            Value::Object(map) => map.values().for_each(|value| collect(value, into)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    match serde_json::from_str::<Value>(stdout) {
        Ok(value) => collect(&value, &mut all),
        Err(_) => all.push(stdout.to_owned()),
    }
    all
}

/// The lines below a heading.
fn section(text: &str, section: Section) -> Vec<&str> {
    let title = heading(section);
    let title = title.trim();
    let below = text.lines().skip_while(|line| *line != title).skip(1);
    below
        .take_while(|line| !line.starts_with("## ") && !line.starts_with("</"))
        .filter(|l| !l.is_empty())
        .collect()
}

/// What a brief, a guide to the summariser or a handoff shows as the user's own.
fn of_the_user(text: &str) -> String {
    const OWN: [Section; 3] = [Section::Asked, Section::Answers, Section::Person];
    let in_guide = |line: &&str| OWN.iter().any(|own| line.starts_with(&format!("- {}: ", own.title())));
    let below = |heading: &str| {
        let rest = text.split_once(&format!("\n{heading}\n")).map(|(_, rest)| rest).unwrap_or_default();
        rest.split("\n#").next().unwrap_or_default().to_owned()
    };
    let of_brief = OWN.iter().map(|own| section(text, *own).join("\n"));
    let of_handoff = ["### Goal", "### What else was asked", "### Words of the user"].map(below);
    let of_guide = text.lines().filter(in_guide).map(str::to_owned);
    of_brief.chain(of_handoff).chain(of_guide).collect::<Vec<_>>().join("\n")
}
