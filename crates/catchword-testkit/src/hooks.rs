//! Plays the client's hook events against a binary, with the client's fields and in its order.
//!
//! The order matters most around a compaction: a hook gets the summary before the brief is requested, and the boundary
//! reaches the transcript only after all four hooks have run
//! (`fixtures/claude-code/2.1.325/auto-compaction/hooks.jsonl`).

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::{BRIEF_END, BRIEF_START, CommandOutput, TestEnv, Transcript};

#[derive(Clone)]
pub struct HookPlayer<'a> {
    env: &'a TestEnv,
    bin: OsString,
    args: Vec<OsString>,
    session: String,
    transcript: PathBuf,
    agent: Option<(String, String)>,
    folder: PathBuf,
    variables: Vec<(String, String)>,
}

impl<'a> HookPlayer<'a> {
    /// Plays against `bin hook claude-code` for `session`, whose transcript is where the client would have put it.
    pub fn new(env: &'a TestEnv, bin: impl Into<OsString>, session: &str) -> Self {
        HookPlayer {
            env,
            bin: bin.into(),
            args: vec!["hook".into(), "claude-code".into()],
            session: session.to_owned(),
            transcript: env.transcript_path(session),
            agent: None,
            folder: env.project().to_owned(),
            variables: Vec::new(),
        }
    }

    /// The same session in another folder.
    #[must_use]
    pub fn in_folder(&self, folder: impl Into<PathBuf>) -> Self {
        HookPlayer { folder: folder.into(), ..self.clone() }
    }

    /// The same session in the client process `id`, with or without a person.
    #[must_use]
    pub fn held_by(&self, id: u32, attended: bool) -> Self {
        let attended = u8::from(attended).to_string();
        self.with_var("CLAUDE_PID", &id.to_string()).with_var("CLAUDE_CODE_SESSION_ATTENDED", &attended)
    }

    /// One more variable for every hook.
    #[must_use]
    pub fn with_var(&self, name: &str, value: &str) -> Self {
        let mut player = self.clone();
        player.variables.push((name.to_owned(), value.to_owned()));
        player
    }

    /// The same session from inside subagent `id`: every payload has the agent's id and the parent's session.
    #[must_use]
    pub fn inside_subagent(&self, id: &str) -> Self {
        HookPlayer { agent: Some((id.to_owned(), "general-purpose".to_owned())), ..self.clone() }
    }

    /// Replaces the arguments `hook claude-code`.
    #[must_use]
    pub fn with_args(&self, args: &[&str]) -> Self {
        HookPlayer { args: args.iter().map(OsString::from).collect(), ..self.clone() }
    }

    /// The transcript's path in the payloads.
    pub fn transcript_path(&self) -> &std::path::Path {
        &self.transcript
    }

    /// Sends `payload` unchanged.
    pub fn send(&self, payload: &Value) -> CommandOutput {
        self.env.run_command(self.command(), payload.to_string())
    }

    fn command(&self) -> Command {
        let mut command = self.env.command(&self.bin);
        command.args(&self.args).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts the hook with `payload` without waiting; for tests that kill it.
    pub fn start(&self, payload: &Value) -> Child {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("start {command:?}: {e}"));
        // Payloads fit into a pipe; the test decides whether a program may exit without reading.
        let _ = child.stdin.take().expect("stdin is piped").write_all(payload.to_string().as_bytes());
        child
    }

    /// A payload of `event`: the common fields, then `fields`.
    pub fn payload(&self, event: &str, fields: Value) -> Value {
        let mut payload = json!({
            "session_id": self.session,
            "transcript_path": self.transcript,
            "cwd": self.folder,
            "prompt_id": "22222222-2222-4222-8222-222222222222",
            "hook_event_name": event,
        });
        if let Some((id, kind)) = &self.agent {
            payload["agent_id"] = json!(id);
            payload["agent_type"] = json!(kind);
        }
        if let (Value::Object(all), Value::Object(more)) = (&mut payload, fields) {
            all.extend(more);
        }
        payload
    }

    /// Sends `event` with `fields` beside the common ones.
    pub fn event(&self, event: &str, fields: Value) -> CommandOutput {
        self.send(&self.payload(event, fields))
    }

    /// `startup`, `resume`, `clear`, `compact` or `fork`.
    pub fn session_start(&self, source: &str) -> CommandOutput {
        self.event("SessionStart", json!({"source": source, "model": "claude-sonnet-4-5"}))
    }

    /// The person sent a prompt.
    pub fn user_prompt(&self, prompt: &str) -> CommandOutput {
        self.event("UserPromptSubmit", json!({"permission_mode": "default", "prompt": prompt}))
    }

    /// A tool is about to run.
    pub fn pre_tool_use(&self, id: &str, tool: &str, input: &Value) -> CommandOutput {
        let fields =
            json!({"permission_mode": "default", "tool_name": tool, "tool_input": input, "tool_use_id": id});
        self.event("PreToolUse", fields)
    }

    /// A tool succeeded.
    pub fn post_tool_use(&self, id: &str, tool: &str, input: &Value, response: &Value) -> CommandOutput {
        let fields = json!({"permission_mode": "default", "tool_name": tool, "tool_input": input,
            "tool_response": response, "tool_use_id": id, "duration_ms": 12});
        self.event("PostToolUse", fields)
    }

    /// A tool failed.
    pub fn post_tool_use_failure(&self, id: &str, tool: &str, input: &Value, error: &str) -> CommandOutput {
        let fields = json!({"permission_mode": "default", "tool_name": tool, "tool_input": input,
            "tool_use_id": id, "error": error, "is_interrupt": false, "duration_ms": 12});
        self.event("PostToolUseFailure", fields)
    }

    /// All tools of one turn have run.
    pub fn post_tool_batch(&self, calls: &[Value]) -> CommandOutput {
        self.event("PostToolBatch", json!({"permission_mode": "default", "tool_calls": calls}))
    }

    /// A compaction is about to start; `instructions` come from `/compact …`.
    pub fn pre_compact(&self, trigger: &str, instructions: Option<&str>) -> CommandOutput {
        self.event("PreCompact", json!({"trigger": trigger, "custom_instructions": instructions}))
    }

    /// The summariser finished: a subagent without a type, whose last message is the summary.
    pub fn summariser_stop(&self, summary: &str) -> CommandOutput {
        let fields = json!({"permission_mode": "default", "agent_id": "a492fbb42ade0d622", "agent_type": "",
            "stop_hook_active": false,
            "agent_transcript_path": self.agent_transcript("a492fbb42ade0d622"),
            "last_assistant_message": summary_message(summary), "background_tasks": [], "session_crons": []});
        self.event("SubagentStop", fields)
    }

    /// The compaction is done.
    pub fn post_compact(&self, trigger: &str, summary: &str) -> CommandOutput {
        let fields = json!({"trigger": trigger, "compact_summary": summary_message(summary)});
        self.event("PostCompact", fields)
    }

    /// A subagent starts.
    pub fn subagent_start(&self, id: &str) -> CommandOutput {
        self.event("SubagentStart", json!({"agent_id": id, "agent_type": "general-purpose"}))
    }

    /// A subagent ends.
    pub fn subagent_stop(&self, id: &str, last_message: &str) -> CommandOutput {
        let fields = json!({"permission_mode": "default", "agent_id": id, "agent_type": "general-purpose",
            "stop_hook_active": false, "agent_transcript_path": self.agent_transcript(id),
            "last_assistant_message": last_message, "background_tasks": [], "session_crons": []});
        self.event("SubagentStop", fields)
    }

    /// The agent ended its turn.
    pub fn stop(&self, last_message: &str) -> CommandOutput {
        let fields = json!({"permission_mode": "default", "stop_hook_active": false,
            "last_assistant_message": last_message, "background_tasks": [], "session_crons": []});
        self.event("Stop", fields)
    }

    /// `clear`, `resume`, `logout`, `prompt_input_exit` or `other`.
    pub fn session_end(&self, reason: &str) -> CommandOutput {
        self.event("SessionEnd", json!({"reason": reason}))
    }

    /// A whole compaction: new rows of `transcript` are written before it starts, its own rows after the last of its
    /// hooks.
    pub fn compaction(&self, transcript: &mut Transcript, trigger: &str, summary: &str) -> CompactionHooks {
        transcript.append_to(&self.transcript);
        let pre_compact = self.pre_compact(trigger, None);
        let summariser_stop = self.summariser_stop(summary);
        let session_start = self.session_start("compact");
        let post_compact = self.post_compact(trigger, summary);
        *transcript = std::mem::take(transcript).compaction(trigger, summary);
        transcript.append_to(&self.transcript);
        CompactionHooks { pre_compact, summariser_stop, session_start, post_compact }
    }

    fn agent_transcript(&self, id: &str) -> PathBuf {
        self.transcript.with_extension("").join("subagents").join(format!("agent-{id}.jsonl"))
    }
}

fn summary_message(summary: &str) -> String {
    format!("<analysis>Looking back.</analysis>\n<summary>\n{summary}\n</summary>")
}

/// The answer of each hook of a compaction.
#[derive(Clone, Debug)]
#[must_use = "a compaction is played to see what the hooks answer"]
pub struct CompactionHooks {
    /// Additional instructions for the summariser.
    pub pre_compact: CommandOutput,
    /// Should be empty.
    pub summariser_stop: CommandOutput,
    /// What the model gets.
    pub session_start: CommandOutput,
    /// What the person gets.
    pub post_compact: CommandOutput,
}

impl CompactionHooks {
    /// The brief in the answer to `SessionStart`, if there is one.
    pub fn brief(&self) -> Option<String> {
        find_briefs(&model_text(&self.session_start.stdout)).into_iter().next()
    }
}

/// The text that reaches the model from a `SessionStart` hook's stdout: plain text as it is, or the additional context
/// in JSON.
pub fn model_text(stdout: &str) -> String {
    match serde_json::from_str::<Value>(stdout) {
        Ok(answer) if answer.is_object() => {
            answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
        }
        _ => stdout.to_owned(),
    }
}

/// Every whole brief in `text`, from its opening tag to its closing one.
pub fn find_briefs(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(BRIEF_START) {
        let Some(length) = rest[start..].find(BRIEF_END) else { break };
        let end = start + length + BRIEF_END.len();
        found.push(rest[start..end].to_owned());
        rest = &rest[end..];
    }
    found
}

/// What a brief says on its own authority: everything above the verbatim lines of the record.
pub fn head_of(brief: &str) -> &str {
    brief.split("\nBelow: lines of the record").next().unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::files;
    use crate::transcript::SESSION;

    #[test]
    fn compaction_follows_the_clients_order_with_its_rows_last() {
        let env = TestEnv::new();
        // Prints for each event how many lines the transcript has at that moment.
        let script = env.root().join("hook.sh");
        let transcript_path = env.transcript_path(SESSION);
        let count = format!("wc -l < {}", transcript_path.display());
        files::write(
            &script,
            format!("cat >> {0}.log\necho >> {0}.log\n{count} >> {0}.n\n", script.display()),
        );
        let hooks = HookPlayer::new(&env, "/bin/sh", SESSION).with_args(&[script.to_str().unwrap()]);
        let mut transcript = Transcript::new().prompt("Fix add.").says("Yes.");
        let played = hooks.compaction(&mut transcript, "auto", "1. Fix add");
        let _ = [played.pre_compact, played.summariser_stop, played.session_start, played.post_compact]
            .map(CommandOutput::success);

        let log = files::read(script.with_extension("sh.log"));
        let payloads: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names: Vec<_> = payloads.iter().map(|p| p["hook_event_name"].as_str().unwrap()).collect();
        assert_eq!(names, ["PreCompact", "SubagentStop", "SessionStart", "PostCompact"]);
        let counts = files::read(script.with_extension("sh.n"));
        assert_eq!(counts.split_whitespace().collect::<Vec<_>>(), ["2"; 4]);
        assert_eq!(files::read(&transcript_path), transcript.build());
        assert!(transcript.build().contains("compact_boundary"));
    }

    #[test]
    fn only_whole_briefs_are_found() {
        let text =
            format!("a {BRIEF_START} v=1>\nx\n{BRIEF_END} b {BRIEF_START}>y{BRIEF_END} c {BRIEF_START}>cut");
        let found = find_briefs(&text);
        assert_eq!(found.len(), 2);
        assert!(found[0].contains("\nx\n") && found[1].ends_with(BRIEF_END));
    }

    #[test]
    fn additional_context_and_plain_text_both_reach_the_model() {
        let json = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}});
        assert_eq!(model_text(&json.to_string()), "x");
        assert_eq!(model_text("x\n"), "x\n");
        assert_eq!(model_text(r#"{"systemMessage":"for the user"}"#), "");
    }
}
