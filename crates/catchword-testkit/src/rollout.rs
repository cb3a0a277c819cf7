//! Codex rollouts, row by row, as 0.166 writes them or as 0.142 and, in code mode, 0.144 did.

use serde_json::{Value, json};

/// The session that built rollouts belong to.
pub const THREAD: &str = "01a1e518-2509-73d1-86af-374d380e29ea";

/// A rollout. The rows are those of the real client (`fixtures/codex/`), without what nobody reads.
#[derive(Clone, Debug)]
pub struct Rollout {
    rows: Vec<Value>,
    is_current: bool,
    is_code_mode: bool,
    cwd: String,
    calls: u32,
    total: u64,
    typed: Vec<String>,
    plan: Vec<(String, String)>,
}

impl Rollout {
    /// As current versions write it.
    pub fn new() -> Self {
        Self::begin(true)
    }

    /// As 0.142 and older ones wrote it: no numbers, no items, no kinds.
    pub fn old() -> Self {
        Self::begin(false)
    }

    /// As 0.144 wrote it in code mode: the same, and commands only in scripts.
    pub fn old_code_mode() -> Self {
        Rollout { is_code_mode: true, ..Self::begin(false) }
    }

    fn begin(is_current: bool) -> Self {
        let cwd = "/home/user/project".to_owned();
        let (typed, plan) = (Vec::new(), Vec::new());
        let is_code_mode = false;
        let rollout =
            Rollout { rows: Vec::new(), is_current, is_code_mode, cwd, calls: 0, total: 0, typed, plan };
        let version = if is_current { "0.166.0" } else { "0.142.0" };
        let meta = json!({"id": THREAD, "session_id": THREAD, "cwd": rollout.cwd, "cli_version": version,
            "source": "cli", "thread_source": "user"});
        let context = json!({"cwd": rollout.cwd, "model": "gpt-5.5"});
        rollout.row("session_meta", meta).row("turn_context", context)
    }

    /// A row of any kind.
    #[must_use]
    pub fn row(mut self, kind: &str, payload: Value) -> Self {
        let n = self.rows.len() as u64;
        let timestamp = format!("2026-01-01T00:{:02}:{:02}.000Z", n / 60 % 60, n % 60);
        let mut row = json!({"timestamp": timestamp, "type": kind, "payload": payload});
        if self.is_current {
            row["ordinal"] = n.into();
        }
        self.rows.push(row);
        self
    }

    fn item(self, item: Value) -> Self {
        self.row("event_msg", json!({"type": "item_completed", "thread_id": THREAD, "item": item}))
    }

    fn message(self, role: &str, kind: &str, text: &str) -> Self {
        let content = if role == "assistant" { "output_text" } else { "input_text" };
        let mut message =
            json!({"type": "message", "role": role, "content": [{"type": content, "text": text}]});
        if self.is_current {
            message["internal_chat_message_metadata_passthrough"] = json!({"content_item_kinds": [kind]});
        }
        self.row("response_item", message)
    }

    fn next_call(&mut self) -> String {
        self.calls += 1;
        format!("call_{}", self.calls)
    }

    /// The person asks.
    #[must_use]
    pub fn prompt(mut self, text: &str) -> Self {
        self.typed.push(text.to_owned());
        let is_current = self.is_current;
        let asked = self.message("user", "user.text", text);
        if is_current {
            let content = json!([{"type": "text", "text": text}]);
            asked.item(json!({"type": "UserMessage", "id": "u", "content": content}))
        } else {
            asked.row("event_msg", json!({"type": "user_message", "message": text}))
        }
    }

    /// The client speaks in the person's role.
    #[must_use]
    pub fn note(self, text: &str) -> Self {
        self.message("user", "environments.environment_context", &format!("<environment_context>{text}"))
    }

    /// A hook's text reaches the model.
    #[must_use]
    pub fn injected(self, text: &str) -> Self {
        self.message("developer", "hooks.additional_context", text)
    }

    /// The agent speaks.
    #[must_use]
    pub fn says(self, text: &str) -> Self {
        let said = if self.is_current {
            let content = json!([{"type": "Text", "text": text}]);
            self.item(json!({"type": "AgentMessage", "id": "m", "content": content}))
        } else {
            self.row("event_msg", json!({"type": "agent_message", "message": text}))
        };
        said.message("assistant", "unknown", text)
    }

    /// The agent runs a command.
    #[must_use]
    pub fn runs(mut self, command: &str, exit: i32, printed: &str) -> Self {
        if self.is_code_mode {
            let code = format!(
                "const r = await tools.exec_command({{cmd:{},workdir:{}}});\ntext(r.output); text(`exit:${{r.exit_code}}`);",
                json!(command),
                json!(self.cwd)
            );
            return self.scripts(&code, &[printed, &format!("exit:{exit}")]);
        }
        let (id, cwd) = (self.next_call(), format!("file://{}", self.cwd));
        let is_current = self.is_current;
        let arguments = json!({"cmd": command}).to_string();
        let call =
            json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id});
        let mut rollout = self.row("response_item", call);
        if is_current {
            let status = if exit == 0 { "completed" } else { "failed" };
            rollout =
                rollout.item(json!({"type": "CommandExecution", "id": id, "cwd": cwd, "status": status,
                "command": ["/bin/bash", "-lc", command], "aggregated_output": printed, "exit_code": exit,
                "source": "unified_exec_startup"}));
        }
        let head = format!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {exit}\nOutput:\n");
        let output =
            json!({"type": "function_call_output", "call_id": id, "output": format!("{head}{printed}")});
        rollout.row("response_item", output)
    }

    /// The agent runs a script, which prints these texts.
    #[must_use]
    pub fn scripts(self, code: &str, printed: &[&str]) -> Self {
        self.script_that("completed", code, printed)
    }

    /// The same, and this is how it ended.
    #[must_use]
    pub fn script_that(mut self, ended: &str, code: &str, printed: &[&str]) -> Self {
        let id = self.next_call();
        let call = json!({"type": "custom_tool_call", "name": "exec", "status": "completed", "call_id": id, "input": code});
        let head = format!("Script {ended}\nWall time 0.1 seconds\nOutput:\n");
        let items: Vec<Value> = std::iter::once(head.as_str())
            .chain(printed.iter().copied())
            .map(|text| json!({"type": "input_text", "text": text}))
            .collect();
        let output = json!({"type": "custom_tool_call_output", "call_id": id, "output": items});
        self.row("response_item", call).row("response_item", output)
    }

    /// The agent changes a file; `change` as a patch has it.
    #[must_use]
    pub fn patches(mut self, path: &str, change: Value) -> Self {
        let id = self.next_call();
        let is_current = self.is_current;
        let call = json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": id, "input": "*** Begin Patch"});
        let changes = json!({path: change});
        let called = self.row("response_item", call);
        if is_current {
            called.item(json!({"type": "FileChange", "id": id, "changes": changes, "status": "completed"}))
        } else {
            let end = json!({"type": "patch_apply_end", "call_id": id, "success": true, "changes": changes});
            called.row("event_msg", end)
        }
    }

    /// The agent adds a step to its plan.
    #[must_use]
    pub fn plans(mut self, step: &str, status: &str) -> Self {
        self.plan.retain(|(known, _)| known != step);
        self.plan.push((step.to_owned(), status.to_owned()));
        let id = self.next_call();
        let steps: Vec<Value> =
            self.plan.iter().map(|(step, status)| json!({"step": step, "status": status})).collect();
        let arguments = json!({"plan": steps}).to_string();
        let call =
            json!({"type": "function_call", "name": "update_plan", "arguments": arguments, "call_id": id});
        let output = json!({"type": "function_call_output", "call_id": id, "output": "Plan updated"});
        self.row("response_item", call).row("response_item", output)
    }

    /// A subagent is started, works and ends.
    #[must_use]
    pub fn helper(mut self, task: &str) -> Self {
        let id = self.next_call();
        let arguments = json!({"task_name": "helper", "message": task}).to_string();
        let call = json!({"type": "function_call", "name": "spawn_agent", "namespace": "collaboration",
            "arguments": arguments, "call_id": id});
        let activity = |kind: &str| json!({"type": "SubAgentActivity", "id": id, "kind": kind, "agent_path": "/root/helper"});
        let (started, completed) = (activity("started"), activity("completed"));
        let started = self.row("response_item", call).item(started).item(completed);
        let text = format!("Message Type: FINAL_ANSWER\nSender: /root/helper\nPayload:\n{task}");
        let message = json!({"type": "agent_message", "author": "/root/helper", "recipient": "/root",
            "content": [{"type": "input_text", "text": text}]});
        started.row("response_item", message)
    }

    /// The model has answered, with this many tokens in the context.
    #[must_use]
    pub fn tokens(mut self, used: u64) -> Self {
        self.total += used;
        let usage =
            |total: u64| json!({"input_tokens": total - 20, "output_tokens": 20, "total_tokens": total});
        let info = json!({"total_token_usage": usage(self.total), "last_token_usage": usage(used),
            "model_context_window": 258_400});
        self.row("event_msg", json!({"type": "token_count", "info": info}))
    }

    /// The turn is over.
    #[must_use]
    pub fn ends(self) -> Self {
        self.row("event_msg", json!({"type": "task_complete"}))
    }

    /// The context is replaced by the person's messages and a summary; an empty one is only the provider's to read.
    #[must_use]
    pub fn compaction(self, summary: &str) -> Self {
        let kept = self.typed.clone();
        self.compaction_keeping(summary, &kept)
    }

    /// The same with only these messages kept.
    #[must_use]
    pub fn compaction_keeping(self, summary: &str, kept: &[String]) -> Self {
        self.compacted(Some(summary), kept)
    }

    /// The context is replaced by nothing: neither a summary nor the person's messages.
    #[must_use]
    pub fn compaction_keeping_nothing(self) -> Self {
        self.compacted(None, &[])
    }

    fn compacted(self, summary: Option<&str>, kept: &[String]) -> Self {
        let message = |kind: &str, text: &str| {
            let mut message =
                json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
            if self.is_current {
                message["internal_chat_message_metadata_passthrough"] = json!({"content_item_kinds": [kind]});
            }
            message
        };
        let preface = "Another language model started to solve this problem. Here is the summary produced by it, \
            use the information in this summary to assist with your own analysis:\n";
        let told = match summary {
            None | Some("") => String::new(),
            Some(summary) => format!("{preface}{summary}"),
        };
        let mut history = vec![message("environments.environment_context", "<environment_context>")];
        history.extend(kept.iter().map(|text| message("user.text", text)));
        history.extend(summary.map(|summary| {
            if summary.is_empty() {
                json!({"type": "compaction", "encrypted_content": "x"})
            } else {
                message("compaction.summary", &told)
            }
        }));
        let usage = json!({"usage": {"input_tokens": 180_000}});
        let record = if self.is_current { usage } else { Value::Null };
        let compacted =
            json!({"message": told, "replacement_history": history, "latest_token_usage_record": record});
        self.row("compacted", compacted)
    }

    /// The rows as lines.
    pub fn lines(&self) -> Vec<String> {
        self.rows.iter().map(ToString::to_string).collect()
    }

    /// The whole file.
    pub fn build(&self) -> String {
        self.lines().into_iter().map(|line| line + "\n").collect()
    }
}

impl Default for Rollout {
    fn default() -> Self {
        Self::new()
    }
}
