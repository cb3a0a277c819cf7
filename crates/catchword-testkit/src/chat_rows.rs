//! Sessions of Copilot CLI 1.0.102, Qwen Code 0.24.4 and pi 0.87.1, row by row, without what nobody reads.

use serde_json::{Value, json};

use crate::SessionRows;

const CWD: &str = "/home/user/project";

fn time(row: usize) -> String {
    format!("2026-01-01T00:{:02}:{:02}.000Z", row / 60 % 60, row % 60)
}

fn lines(rows: &[Value]) -> String {
    rows.iter().flat_map(|row| [row.to_string(), "\n".to_owned()]).collect()
}

/// Events of Copilot CLI.
#[derive(Clone, Debug, Default)]
pub struct CopilotEvents {
    rows: Vec<Value>,
    calls: u32,
}

impl CopilotEvents {
    pub fn new() -> Self {
        let start = json!({"sessionId": "s", "copilotVersion": "1.0.102", "context": {"cwd": CWD}});
        Self::default().row("session.start", start)
    }

    /// A row of any kind.
    #[must_use]
    pub fn row(mut self, kind: &str, data: Value) -> Self {
        let n = self.rows.len();
        let parent = n.checked_sub(1).map(|before| format!("e{before}"));
        self.rows.push(
            json!({"type": kind, "data": data, "id": format!("e{n}"), "timestamp": time(n), "parentId": parent}),
        );
        self
    }

    fn call(mut self, tool: &str, input: Value, mut end: Value) -> Self {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let message = json!({"messageId": format!("m{}", self.rows.len()), "content": "",
            "toolRequests": [{"toolCallId": id, "name": tool, "arguments": input}]});
        end["toolCallId"] = json!(id);
        end["success"] = json!(true);
        self.row("assistant.message", message)
            .row("tool.execution_start", json!({"toolCallId": id, "toolName": tool, "arguments": input}))
            .row("tool.execution_complete", end)
    }
}

impl SessionRows for CopilotEvents {
    fn prompt(self, text: &str) -> Self {
        let sent = format!("<current_datetime>x</current_datetime>\n\n{text}");
        self.row("user.message", json!({"content": text, "transformedContent": sent, "delivery": "idle"}))
    }

    fn says(self, text: &str) -> Self {
        let id = format!("m{}", self.rows.len());
        let usage = json!({"inputTokens": 14_000, "outputTokens": 20, "maxPromptTokens": 100_000,
            "interactionType": "conversation-agent"});
        self.row("assistant.message", json!({"messageId": id, "content": text, "toolRequests": []}))
            .row("session.usage_record", json!({"usage": usage}))
    }

    fn runs(self, command: &str, exit: i32, printed: &str) -> Self {
        let content = format!("{printed}\n<shellId: 0 completed with exit code {exit}>");
        let end = json!({"shellExecution": {"exitCode": exit}, "result": {"content": content}});
        self.call("bash", json!({"command": command, "description": "d"}), end)
    }

    fn reads(self, path: &str, printed: &str) -> Self {
        self.call("view", json!({"path": path}), json!({"result": {"content": printed}}))
    }

    fn task(self, subject: &str) -> Self {
        let values = format!("('t{}', '{}', 'pending')", self.rows.len(), subject.replace('\'', "''"));
        let query = format!("INSERT INTO todos (id, title, status) VALUES {values}");
        self.call(
            "sql",
            json!({"description": "d", "query": query}),
            json!({"result": {"content": "1 row(s) inserted."}}),
        )
    }

    fn note(self, text: &str) -> Self {
        self.row("user.message", json!({"content": text, "source": "skill-pdf"}))
    }

    fn helper(self, text: &str) -> Self {
        self.row("user.message", json!({"content": text, "parentToolCallId": "p"}))
    }

    fn compaction(self, summary: &str) -> Self {
        let data = json!({"success": true, "outcome": "applied", "summaryContent": summary, "trigger": "threshold",
            "preCompactionTokens": 90_000, "postCompactionTokens": 10_000});
        self.row("session.compaction_complete", data)
    }

    fn build(&self) -> String {
        lines(&self.rows)
    }
}

/// A chat of Qwen Code.
#[derive(Clone, Debug, Default)]
pub struct QwenChat {
    rows: Vec<Value>,
    calls: u32,
    todos: Vec<Value>,
}

impl QwenChat {
    pub fn new() -> Self {
        Self::default()
    }

    /// A row of any kind.
    #[must_use]
    pub fn row(mut self, kind: &str, provenance: &str, more: Value) -> Self {
        let n = self.rows.len();
        let parent = n.checked_sub(1).map(|before| format!("u{before}"));
        let mut row = json!({"uuid": format!("u{n}"), "parentUuid": parent, "sessionId": "s", "timestamp": time(n),
            "type": kind, "provenance": provenance, "cwd": CWD, "version": "0.24.4"});
        let members = row.as_object_mut().expect("made above");
        members.extend(more.as_object().cloned().unwrap_or_default());
        self.rows.push(row);
        self
    }

    fn answer(self, part: Value) -> Self {
        let usage = json!({"promptTokenCount": 14_000, "candidatesTokenCount": 20});
        let more = json!({"model": "m", "message": {"role": "model", "parts": [part]}, "usageMetadata": usage,
            "contextWindowSize": 100_000});
        self.row("assistant", "assistant_output", more)
    }

    fn call(mut self, tool: &str, input: Value, response: Value, result: Value) -> Self {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let answer = json!({"functionResponse": {"id": id, "name": tool, "response": response}});
        let more = json!({"message": {"role": "user", "parts": [answer]}, "toolCallResult": result});
        self.answer(json!({"functionCall": {"id": id, "name": tool, "args": input}})).row(
            "tool_result",
            "tool_result",
            more,
        )
    }
}

impl SessionRows for QwenChat {
    fn prompt(self, text: &str) -> Self {
        self.row("user", "real_user", json!({"message": {"role": "user", "parts": [{"text": text}]}}))
    }

    fn note(self, text: &str) -> Self {
        self.row("user", "system", json!({"message": {"role": "user", "parts": [{"text": text}]}}))
    }

    fn says(self, text: &str) -> Self {
        self.answer(json!({"text": text}))
    }

    fn runs(self, command: &str, exit: i32, printed: &str) -> Self {
        let (key, status) = if exit == 0 { ("output", "success") } else { ("error", "error") };
        let told = format!("Command: {command}\nDirectory: (root)\nOutput: {printed}\nExit Code: {exit}");
        let shown = json!({"type": "shell_result", "exitCode": exit, "output": printed});
        let input = json!({"command": command, "is_background": false});
        self.call(
            "run_shell_command",
            input,
            json!({key: told}),
            json!({"status": status, "resultDisplay": shown}),
        )
    }

    fn reads(self, path: &str, printed: &str) -> Self {
        let result = json!({"status": "success", "resultDisplay": ""});
        self.call("read_file", json!({"file_path": path}), json!({"output": printed}), result)
    }

    fn task(mut self, subject: &str) -> Self {
        self.todos.push(json!({"id": self.todos.len().to_string(), "content": subject, "status": "pending"}));
        let input = json!({"todos": self.todos});
        self.call("todo_write", input, json!({"output": "ok"}), json!({"status": "success"}))
    }

    fn compaction(self, summary: &str) -> Self {
        let text = format!("{summary}\n\nResume the prior task using the summary above.");
        let info =
            json!({"originalTokenCount": 96_000, "newTokenCount": 1_200, "triggerReason": "token_limit"});
        let payload =
            json!({"info": info, "compressedHistory": [{"role": "user", "parts": [{"text": text}]}]});
        self.row("system", "system", json!({"subtype": "chat_compression", "systemPayload": payload}))
    }

    fn build(&self) -> String {
        lines(&self.rows)
    }
}

/// A session of pi.
#[derive(Clone, Debug, Default)]
pub struct PiSession {
    rows: Vec<Value>,
    calls: u32,
}

impl PiSession {
    pub fn new() -> Self {
        let first = json!({"type": "session", "version": 3, "id": "s", "timestamp": time(0), "cwd": CWD});
        PiSession { rows: vec![first], calls: 0 }
    }

    fn row(mut self, kind: &str, more: Value) -> Self {
        let n = self.rows.len();
        let parent = (n > 1).then(|| format!("p{}", n - 1));
        let mut row = json!({"type": kind, "id": format!("p{n}"), "parentId": parent, "timestamp": time(n)});
        let members = row.as_object_mut().expect("made above");
        members.extend(more.as_object().cloned().unwrap_or_default());
        self.rows.push(row);
        self
    }

    fn answer(self, part: Value, stop: &str) -> Self {
        let usage = json!({"input": 12_000, "output": 20, "cacheRead": 0, "cacheWrite": 0});
        let message = json!({"role": "assistant", "content": [part], "model": "fake-model", "usage": usage, "stopReason": stop});
        self.row("message", json!({"message": message}))
    }

    fn call(mut self, tool: &str, input: Value, printed: &str, is_error: bool) -> Self {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let result = json!({"role": "toolResult", "toolCallId": id, "toolName": tool, "isError": is_error,
            "content": [{"type": "text", "text": printed}]});
        self.answer(json!({"type": "toolCall", "id": id, "name": tool, "arguments": input}), "toolUse")
            .row("message", json!({"message": result}))
    }
}

impl SessionRows for PiSession {
    fn prompt(self, text: &str) -> Self {
        let content = json!([{"type": "text", "text": text}]);
        self.row("message", json!({"message": {"role": "user", "content": content}}))
    }

    fn says(self, text: &str) -> Self {
        self.answer(json!({"type": "text", "text": text}), "stop")
    }

    fn runs(self, command: &str, exit: i32, printed: &str) -> Self {
        let told = if exit == 0 {
            printed.to_owned()
        } else {
            format!("{printed}\n\nCommand exited with code {exit}")
        };
        self.call("bash", json!({"command": command}), &told, exit != 0)
    }

    fn reads(self, path: &str, printed: &str) -> Self {
        self.call("read", json!({"path": path}), printed, false)
    }

    fn compaction(self, summary: &str) -> Self {
        self.row("compaction", json!({"summary": summary, "tokensBefore": 96_000}))
    }

    fn build(&self) -> String {
        lines(&self.rows)
    }
}
