//! Builds transcripts that read like a session: "the user asks, a file is edited, a test fails, compaction".
//!
//! Every row has the structure that the real client writes (`fixtures/claude-code/2.1.325`), with ids and times that
//! are the same on every run. [`Transcript::old_shape`] writes rows as 1.0.3 did. For captured rows see the fixtures:
//! here a test states what matters to it in one line, and nothing else varies.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::files;

/// The default session of a transcript.
pub const SESSION: &str = "11111111-1111-4111-8111-111111111111";

const SUMMARY_OPENING: &str =
    "This session is being continued from a previous conversation that ran out of context.";

/// A transcript being written, row by row.
#[derive(Clone, Debug)]
pub struct Transcript {
    lines: Vec<String>,
    /// The last line has no newline yet.
    half: bool,
    /// How many lines [`Transcript::append_to`] has written.
    flushed: usize,
    session: String,
    cwd: String,
    version: String,
    old: bool,
    agent: Option<String>,
    model: String,
    context_tokens: u64,
    rows: u64,
    messages: u64,
    calls: u64,
    tasks: u32,
    dropped_tokens: u64,
    clock_s: u64,
    parent: Value,
    /// UUIDs of the rows since the last prompt or result, which a compaction keeps verbatim.
    last_round: Vec<String>,
}

impl Default for Transcript {
    fn default() -> Self {
        Self::new()
    }
}

impl Transcript {
    /// An empty transcript in the current format.
    pub fn new() -> Self {
        Transcript {
            lines: Vec::new(),
            half: false,
            flushed: 0,
            session: SESSION.into(),
            cwd: "/home/user/project".into(),
            version: "2.1.325".into(),
            old: false,
            agent: None,
            model: "claude-sonnet-4-5".into(),
            context_tokens: 20_000,
            rows: 0,
            messages: 0,
            calls: 0,
            tasks: 0,
            dropped_tokens: 0,
            clock_s: 0,
            parent: Value::Null,
            last_round: Vec::new(),
        }
    }

    /// Rows as 1.0.3 wrote them: fewer fields, subagents in the same file, no boundary rows.
    #[must_use]
    pub fn old_shape() -> Self {
        Transcript { version: "1.0.3".into(), old: true, ..Self::new() }
    }

    /// Sets the session's id; UUIDs are derived from it, so that two sessions never share one.
    #[must_use]
    pub fn session(mut self, id: &str) -> Self {
        id.clone_into(&mut self.session);
        self
    }

    /// Sets the working directory of later rows.
    #[must_use]
    pub fn cwd(mut self, cwd: impl AsRef<Path>) -> Self {
        self.cwd = cwd.as_ref().to_string_lossy().into_owned();
        self
    }

    /// From here on rows belong to subagent `id`, as in the subagent's own file, until `main_thread`.
    #[must_use]
    pub fn as_subagent(mut self, id: &str) -> Self {
        self.agent = Some(id.to_owned());
        self
    }

    /// Back to the main thread after [`Transcript::as_subagent`].
    #[must_use]
    pub fn main_thread(mut self) -> Self {
        self.agent = None;
        self
    }

    /// Sets the context size that later assistant rows report.
    #[must_use]
    pub fn usage(mut self, context_tokens: u64) -> Self {
        self.context_tokens = context_tokens;
        self
    }

    /// Sets the client's version of later rows.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    /// Sets the model of later assistant rows; `<synthetic>` for what the client makes up itself.
    #[must_use]
    pub fn model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.model);
        self
    }

    /// Advances the clock.
    #[must_use]
    pub fn pause(mut self, seconds: u64) -> Self {
        self.clock_s += seconds;
        self
    }

    // ---- what a person does ----

    /// The person asks.
    #[must_use]
    pub fn prompt(self, text: &str) -> Self {
        self.user_text(text, json!({"permissionMode": "default", "promptSource": "typed"}))
    }

    /// The person asks with several blocks, some of which the client may have put there.
    #[must_use]
    pub fn prompt_blocks(self, texts: &[&str]) -> Self {
        let blocks: Vec<Value> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        self.user(json!(blocks), json!({"permissionMode": "default", "promptSource": "typed"}))
    }

    /// The person types while the agent works.
    #[must_use]
    pub fn queued(self, text: &str) -> Self {
        self.attachment(json!({"type": "queued_command", "prompt": text, "commandMode": "prompt"}))
    }

    /// The person runs a slash command: its name and arguments, then the expanded text the model reads.
    #[must_use]
    pub fn slash(self, name: &str, args: &str) -> Self {
        let plain = name.trim_start_matches('/');
        let command = format!(
            "<command-message>{plain}</command-message>\n<command-name>/{plain}</command-name>\n<command-args>{args}</command-args>"
        );
        self.user_text(&command, json!({})).meta_user(&format!("Instructions of the {plain} command: {args}"))
    }

    /// The person runs a shell command with `!`, and sees its output.
    #[must_use]
    pub fn shell_input(self, command: &str, stdout: &str) -> Self {
        self.user_text(&format!("<bash-input>{command}</bash-input>"), json!({}))
            .user_text(&format!("<bash-stdout>{stdout}</bash-stdout><bash-stderr></bash-stderr>"), json!({}))
    }

    /// The person presses Escape.
    #[must_use]
    pub fn interrupt(self) -> Self {
        self.user(json!([{"type": "text", "text": "[Request interrupted by user]"}]), json!({}))
    }

    /// The person rewinds to before line `n` (from 1): the next row has the same parent as that line.
    #[must_use]
    pub fn rewind(mut self, n: usize) -> Self {
        let row: Value = serde_json::from_str(&self.lines[n - 1]).expect("a row of the conversation");
        self.parent = row["parentUuid"].clone();
        self
    }

    /// Another agent of the team sends a message.
    #[must_use]
    pub fn teammate(self, sender: &str, text: &str) -> Self {
        let message = format!(
            "<teammate-message teammate_id=\"{sender}\" color=\"blue\">\n{text}\n</teammate-message>"
        );
        self.user_text(&message, json!({}))
    }

    /// A user row that the client made (`isMeta`).
    #[must_use]
    pub fn meta_user(self, text: &str) -> Self {
        self.user_text(text, json!({"isMeta": true}))
    }

    // ---- what the agent does ----

    /// The agent says something.
    #[must_use]
    pub fn says(mut self, text: &str) -> Self {
        self.messages += 1;
        self.assistant(&json!({"type": "text", "text": text}), "end_turn")
    }

    /// The agent thinks.
    #[must_use]
    pub fn thinks(mut self, text: &str) -> Self {
        self.messages += 1;
        self.assistant(&json!({"type": "thinking", "thinking": text, "signature": "c2ln"}), "end_turn")
    }

    /// The agent calls any tool; the [`Call`] says how it ended.
    pub fn call(mut self, tool: &str, input: Value) -> Call {
        self.messages += 1;
        self.calls += 1;
        let id = format!("toolu_{:024}", self.calls);
        let block = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        let transcript = self.assistant(&block, "tool_use");
        let assistant = transcript.parent.clone();
        Call { transcript, id, assistant, shell: tool == "Bash" }
    }

    /// The agent runs a shell command.
    pub fn bash(self, command: &str) -> Call {
        self.call("Bash", json!({"command": command, "description": "Run a command"}))
    }

    /// The agent reads a file.
    #[must_use]
    pub fn read(self, path: &str) -> Self {
        let file =
            json!({"filePath": path, "content": "text\n", "numLines": 1, "startLine": 1, "totalLines": 1});
        self.call("Read", json!({"file_path": path})).result("1\ttext", json!({"type": "text", "file": file}))
    }

    /// The agent replaces `old` by `new` in a file.
    #[must_use]
    pub fn edit(self, path: &str, old: &str, new: &str) -> Self {
        let input = json!({"replace_all": false, "file_path": path, "old_string": old, "new_string": new});
        let minus = old.lines().map(|line| format!("-{line}"));
        let lines: Vec<String> = minus.chain(new.lines().map(|line| format!("+{line}"))).collect();
        let hunk = json!({"oldStart": 1, "oldLines": old.lines().count(), "newStart": 1,
            "newLines": new.lines().count(), "lines": lines});
        let result = json!({"filePath": path, "oldString": old, "newString": new, "originalFile": old,
            "structuredPatch": [hunk], "userModified": false, "replaceAll": false});
        self.call("Edit", input).result(&format!("The file {path} has been updated successfully."), result)
    }

    /// The agent writes a new file.
    #[must_use]
    pub fn write(self, path: &str) -> Self {
        let result = json!({"type": "create", "filePath": path, "content": "text\n", "structuredPatch": [],
            "originalFile": null, "userModified": false});
        self.call("Write", json!({"file_path": path, "content": "text\n"}))
            .result(&format!("File created successfully at: {path}"), result)
    }

    /// The agent searches.
    #[must_use]
    pub fn grep(self, pattern: &str) -> Self {
        let result = json!({"mode": "files_with_matches", "filenames": ["src/lib.rs"], "numFiles": 1});
        self.call("Grep", json!({"pattern": pattern})).result("Found 1 file\nsrc/lib.rs", result)
    }

    /// The agent writes its whole to-do list: pairs of text and status.
    #[must_use]
    pub fn todo(self, items: &[(&str, &str)]) -> Self {
        let todos: Vec<Value> = items
            .iter()
            .map(|(text, status)| json!({"content": text, "status": status, "activeForm": text}))
            .collect();
        let result = json!({"oldTodos": [], "newTodos": todos});
        self.call("TodoWrite", json!({"todos": todos}))
            .result("Todos have been modified successfully.", result)
    }

    /// The agent makes a task; tasks are numbered from 1.
    #[must_use]
    pub fn task_create(mut self, subject: &str) -> Self {
        self.tasks += 1;
        let id = self.tasks;
        let input = json!({"subject": subject, "description": subject, "activeForm": subject});
        let task = json!({"id": id.to_string(), "subject": subject, "description": subject});
        self.call("TaskCreate", input)
            .result(&format!("Task #{id} created successfully: {subject}"), json!({"task": task}))
    }

    /// The agent moves a task to `status`.
    #[must_use]
    pub fn task_update(self, id: u32, status: &str) -> Self {
        let change = json!({"from": "pending", "to": status});
        let result = json!({"success": true, "taskId": id.to_string(), "updatedFields": ["status"],
            "statusChange": change});
        self.call("TaskUpdate", json!({"taskId": id.to_string(), "status": status}))
            .result(&format!("Updated task #{id} status"), result)
    }

    /// The agent asks, the person answers.
    #[must_use]
    pub fn ask(self, question: &str, answer: &str) -> Self {
        let option = json!({"label": answer, "description": answer});
        let other = json!({"label": "Something else", "description": "Something else"});
        let questions = json!([{"question": question, "header": "Choice", "multiSelect": false,
            "options": [option, other]}]);
        let text = format!(
            "Your questions have been answered: \"{question}\"=\"{answer}\". You can now continue with these answers in mind."
        );
        let mut answers = Map::new();
        answers.insert(question.to_owned(), json!(answer));
        self.call("AskUserQuestion", json!({"questions": questions}))
            .result(&text, json!({"questions": questions, "answers": answers}))
    }

    /// The agent proposes a plan, the person approves.
    #[must_use]
    pub fn plan(self, plan: &str) -> Self {
        let text =
            format!("User has approved your plan. You can now start coding.\n\n## Approved Plan:\n{plan}");
        self.call("ExitPlanMode", json!({"plan": plan}))
            .result(&text, json!({"plan": plan, "isAgent": false}))
    }

    /// The agent starts a subagent. The current client keeps the subagent's rows in a separate file and reports its end
    /// later ([`Transcript::task_notification`]); old ones wrote them between call and result.
    #[must_use]
    pub fn subagent(self, id: &str, prompt: &str, answer: &str) -> Self {
        let input =
            json!({"description": "Look around", "prompt": prompt, "subagent_type": "general-purpose"});
        if self.old {
            let mut call = self.call("Task", input);
            let inner = call.transcript.as_subagent(id).user_text(prompt, json!({}));
            call.transcript = inner.bash("ls").ok("src").says(answer).main_thread();
            return call.result(answer, json!({"content": [{"type": "text", "text": answer}]}));
        }
        let result = json!({"isAsync": true, "status": "async_launched", "agentId": id,
            "description": "Look around", "prompt": prompt});
        self.call("Agent", input)
            .result(&format!("Async agent launched successfully.\nagentId: {id}"), result)
            .task_notification(id, "completed", answer)
    }

    /// The agent starts a shell that goes on running.
    #[must_use]
    pub fn background_shell(self, id: &str, command: &str) -> Self {
        let input = json!({"command": command, "description": "Run", "run_in_background": true});
        let result = json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false,
            "noOutputExpected": false, "backgroundTaskId": id});
        self.call("Bash", input).result(&format!("Command running in background with ID: {id}."), result)
    }

    /// The client tells the agent that a background shell or subagent has ended.
    #[must_use]
    pub fn task_notification(self, id: &str, status: &str, result: &str) -> Self {
        let text = format!(
            "<task-notification>\n<task-id>{id}</task-id>\n<status>{status}</status>\n<result>{result}</result>\n</task-notification>"
        );
        let origin = json!({"kind": "task-notification", "producer": "session-task"});
        self.attachment(
            json!({"type": "queued_command", "prompt": text, "commandMode": "task-notification", "origin": origin}),
        )
    }

    // ---- what the client writes ----

    /// Text that a hook gave to the model.
    #[must_use]
    pub fn hook_context(self, event: &str, text: &str) -> Self {
        self.attachment(json!({"type": "hook_additional_context", "content": [text], "hookName": event,
            "toolUseID": event, "hookEvent": event}))
    }

    /// A row that is not part of the conversation: `fields` and the session's id.
    #[must_use]
    pub fn meta_row(self, kind: &str, fields: Value) -> Self {
        let mut row = json!({"type": kind, "sessionId": self.session});
        merge(&mut row, fields);
        self.line(&row)
    }

    /// A compaction: the boundary, what the client puts before the summary, the summary.
    #[must_use]
    pub fn compaction(mut self, trigger: &str, summary: &str) -> Self {
        if self.old {
            return self.old_style_compaction(summary);
        }
        let (before, after) = (self.context_tokens + 100, 3_000);
        self.dropped_tokens += before - after.min(before);
        let boundary = json!({
            "logicalParentUuid": self.parent,
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "level": "info",
            "compactMetadata": {
                "trigger": trigger,
                "preTokens": before,
                "postTokens": after,
                "cumulativeDroppedTokens": self.dropped_tokens,
                "durationMs": 43,
                "preservedMessages": {"uuids": self.last_round, "allUuids": self.last_round},
            },
        });
        self.parent = Value::Null;
        let text = format!(
            "{SUMMARY_OPENING} The summary below covers the earlier portion of the conversation.\n\nSummary:\n{summary}"
        );
        self.conversation_row(boundary)
            .attachment(json!({"type": "session_context", "context": {}}))
            .user_text(&text, json!({"isCompactSummary": true, "isVisibleInTranscriptOnly": true}))
    }

    /// A compaction as old clients wrote it: a user row that looks like a prompt.
    #[must_use]
    pub fn old_style_compaction(mut self, summary: &str) -> Self {
        self.parent = Value::Null;
        let text = format!(
            "{SUMMARY_OPENING} The conversation is summarized below:\n{summary}.\nPlease continue the conversation from where we left it off without asking the user any further questions."
        );
        self.user_text(&text, json!({}))
    }

    /// Repeats line `n` (from 1), byte for byte, as clients do with the rows that a compaction keeps.
    #[must_use]
    pub fn duplicate_row(self, n: usize) -> Self {
        let line = self.lines[n - 1].clone();
        self.raw(&line)
    }

    #[must_use]
    pub fn raw(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// The start of a line that is still being written. The next row continues it.
    #[must_use]
    pub fn half_line(mut self, text: &str) -> Self {
        self.lines.push(text.to_owned());
        self.half = true;
        self
    }

    // ---- output ----

    /// The whole file.
    pub fn build(&self) -> String {
        self.text_from(0)
    }

    /// The file from line `n` (from 0) on.
    pub fn text_from(&self, n: usize) -> String {
        let mut text: String = self.lines[n..].iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        if self.half && !text.is_empty() {
            text.pop();
        }
        text
    }

    /// The lines, without their ends.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The number of lines, including an incomplete one.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Writes the whole file.
    pub fn write_to(&self, path: impl AsRef<Path>) {
        files::write(path, self.build());
    }

    /// Appends the lines that are new since the last call to `path`.
    pub fn append_to(&mut self, path: impl AsRef<Path>) {
        let path = path.as_ref();
        if self.flushed == 0 {
            files::write(path, "");
        }
        files::append(path, self.text_from(self.flushed));
        self.flushed = self.lines.len();
    }

    // ---- rows ----

    fn user_text(self, text: &str, extra: Value) -> Self {
        self.user(json!(text), extra)
    }

    fn user(mut self, content: Value, extra: Value) -> Self {
        self.last_round.clear();
        let mut row = json!({"type": "user", "message": {"role": "user", "content": content}});
        if !self.old {
            row["promptId"] = json!(self.uuid(0));
        }
        // Old rows have isMeta, but none of the newer marks.
        let keep = |name: &String| !self.old || name == "isMeta";
        let extra: Map<String, Value> = extra
            .as_object()
            .cloned()
            .unwrap_or_default()
            .into_iter()
            .filter(|(name, _)| keep(name))
            .collect();
        merge(&mut row, Value::Object(extra));
        self.conversation_row(row)
    }

    fn assistant(self, block: &Value, stop_reason: &str) -> Self {
        let usage = json!({"input_tokens": 10, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self.context_tokens.saturating_sub(10), "output_tokens": 40});
        let mut row = json!({
            "type": "assistant",
            "message": {
                "content": [block],
                "id": format!("msg_{:024}", self.messages),
                // The API's name, without the mark of a larger window.
                "model": self.model.trim_end_matches("[1m]"),
                "role": "assistant",
                "stop_reason": stop_reason,
                "stop_sequence": null,
                "type": "message",
                "usage": usage,
            },
        });
        if !self.old {
            row["requestedModel"] = json!(self.model);
        }
        self.conversation_row(row)
    }

    fn attachment(self, attachment: Value) -> Self {
        self.conversation_row(json!({"type": "attachment", "attachment": attachment}))
    }

    /// Adds the fields that every row of the conversation has, and advances the chain.
    fn conversation_row(mut self, row: Value) -> Self {
        self.rows += 1;
        let uuid = self.uuid(self.rows);
        let mut whole = json!({"parentUuid": self.parent, "isSidechain": self.agent.is_some()});
        if let Some(agent) = self.agent.as_ref().filter(|_| !self.old) {
            whole["agentId"] = json!(agent);
        }
        merge(&mut whole, row);
        merge(
            &mut whole,
            json!({"uuid": uuid, "timestamp": self.timestamp(), "userType": "external", "cwd": self.cwd,
                "sessionId": self.session, "version": self.version}),
        );
        if !self.old {
            merge(&mut whole, json!({"gitBranch": "main", "entrypoint": "cli"}));
        }
        self.clock_s += 1;
        self.last_round.push(uuid.clone());
        self.parent = json!(uuid);
        self.line(&whole)
    }

    fn line(self, row: &Value) -> Self {
        self.raw(&in_client_order(row))
    }

    fn uuid(&self, n: u64) -> String {
        // FNV-1a, so that ids of different sessions differ and nothing is random.
        let seed = self
            .session
            .bytes()
            .chain(self.agent.iter().flat_map(|a| a.bytes()))
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        format!("{seed:08x}-0000-4000-8000-{n:012x}")
    }

    /// From 2026-01-01 on; a session must not exceed the month.
    fn timestamp(&self) -> String {
        let (days, rest) = (self.clock_s / 86_400, self.clock_s % 86_400);
        format!("2026-01-{:02}T{:02}:{:02}:{:02}.000Z", days + 1, rest / 3_600, rest / 60 % 60, rest % 60)
    }
}

/// A tool call without a result yet.
#[must_use = "say how the call ended: ok, fails, result or unanswered"]
pub struct Call {
    transcript: Transcript,
    id: String,
    assistant: Value,
    shell: bool,
}

impl Call {
    /// It worked and printed `text`.
    pub fn ok(self, text: &str) -> Transcript {
        let result = if self.shell {
            json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false})
        } else {
            json!(text)
        };
        self.answer(text, false, result)
    }

    /// It failed with `text`; for a shell that starts with "Exit code N".
    pub fn fails(self, text: &str) -> Transcript {
        self.answer(text, true, json!(format!("Error: {text}")))
    }

    /// It worked; `result` is the client's own record of it.
    pub fn result(self, text: &str, result: Value) -> Transcript {
        self.answer(text, false, result)
    }

    /// It has no result yet.
    pub fn unanswered(self) -> Transcript {
        self.transcript
    }

    /// The call's id, for hooks that refer to it.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn answer(self, text: &str, failed: bool, result: Value) -> Transcript {
        let mut block = json!({"type": "tool_result", "content": text, "tool_use_id": self.id});
        if failed || self.shell {
            block["is_error"] = json!(failed);
        }
        let mut row =
            json!({"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": result});
        if !self.transcript.old {
            row["sourceToolAssistantUUID"] = self.assistant;
        }
        self.transcript.conversation_row(row)
    }
}

/// A row with its keys in the client's order: its kind before its content, or after a message. Our own maps are sorted
/// alphabetically.
fn in_client_order(row: &Value) -> String {
    const FIRST: [&str; 4] = ["parentUuid", "isSidechain", "agentId", "promptId"];
    const LAST: [&str; 9] = [
        "toolUseResult",
        "sourceToolAssistantUUID",
        "userType",
        "entrypoint",
        "cwd",
        "sessionId",
        "version",
        "gitBranch",
        "slug",
    ];
    const BEFORE_THE_KIND: [&str; 2] = ["message", "attachment"];
    let Value::Object(fields) = row else { return row.to_string() };
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_behind = |key: &str| kind != "user" && BEFORE_THE_KIND.contains(&key);
    let rank = |key: &str| {
        let first = FIRST.iter().position(|first| *first == key);
        let last = LAST.iter().position(|last| *last == key).map(|at| 100 + at);
        let between = match key {
            key if is_behind(key) => 10,
            "type" => 11,
            "subtype" => 12,
            "message" => 13,
            "uuid" => 21,
            "timestamp" => 22,
            _ => 14,
        };
        first.or(last).unwrap_or(between)
    };
    let mut ordered: Vec<(&String, &Value)> = fields.iter().collect();
    ordered.sort_by_key(|(key, _)| rank(key));
    let written: Vec<String> =
        ordered.into_iter().map(|(key, value)| format!("{}:{value}", Value::from(key.as_str()))).collect();
    format!("{{{}}}", written.join(","))
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_clients_order() {
        let transcript = Transcript::new()
            .call("Read", json!({"file_path": "a.rs"}))
            .result("text", json!({"type": "text"}))
            .meta_row("progress", json!({"data": {"output": "text"}}));
        let is_ordered = |line: usize, keys: &[&str]| {
            let places: Vec<Option<usize>> =
                keys.iter().map(|key| transcript.lines()[line].find(key)).collect();
            assert!(places.is_sorted() && places[0].is_some(), "{}", transcript.lines()[line]);
        };
        is_ordered(0, &["\"isSidechain\"", "\"message\"", "\"type\":\"assistant\"", "\"uuid\"", "\"cwd\""]);
        is_ordered(1, &["\"type\":\"user\"", "\"message\"", "\"uuid\"", "\"toolUseResult\"", "\"cwd\""]);
        is_ordered(2, &["\"type\":\"progress\"", "\"data\"", "\"sessionId\""]);
    }

    fn busy() -> Transcript {
        Transcript::new()
            .prompt("Fix add.")
            .says("Looking.")
            .bash("cargo test")
            .fails("Exit code 101\nboom")
            .edit("/p/a.rs", "a", "b")
            .subagent("a1", "look", "found")
            .compaction("auto", "1. Fix add")
            .prompt("Go on.")
    }

    fn rows(transcript: &Transcript) -> Vec<Value> {
        transcript
            .lines()
            .iter()
            .map(|line| serde_json::from_str(line).expect("every line is JSON"))
            .collect()
    }

    #[test]
    fn rows_form_one_chain_that_a_compaction_breaks() {
        let rows = rows(&busy());
        for pair in rows.windows(2) {
            let broken = pair[1]["subtype"] == "compact_boundary";
            assert_eq!(pair[1]["parentUuid"] == Value::Null, broken, "{}", pair[1]);
            let parent = if broken { &pair[1]["logicalParentUuid"] } else { &pair[1]["parentUuid"] };
            assert_eq!(*parent, pair[0]["uuid"]);
        }
    }

    #[test]
    fn same_calls_build_the_same_bytes() {
        assert_eq!(busy().build(), busy().build());
    }

    #[test]
    fn two_sessions_share_no_uuid() {
        let uuids = |t: Transcript| rows(&t).iter().map(|r| r["uuid"].to_string()).collect::<Vec<_>>();
        let (one, two) = (uuids(busy()), uuids(Transcript::new().session("other").prompt("x").says("y")));
        assert!(two.iter().all(|uuid| !one.contains(uuid)));
    }

    #[test]
    fn results_answer_their_calls() {
        let rows = rows(&busy());
        let block = |row: &Value| row["message"]["content"][0].clone();
        let calls: Vec<_> = rows.iter().map(block).filter(|b| b["type"] == "tool_use").collect();
        let results: Vec<_> = rows.iter().map(block).filter(|b| b["type"] == "tool_result").collect();
        let ids = |blocks: &[Value], key| blocks.iter().map(|b| b[key].clone()).collect::<Vec<_>>();
        assert_eq!(ids(&calls, "id"), ids(&results, "tool_use_id"));
    }

    #[test]
    fn appending_in_steps_writes_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let mut transcript = Transcript::new().prompt("one");
        transcript.append_to(&path);
        let mut transcript = transcript.says("two").half_line("{\"type\":");
        transcript.append_to(&path);
        assert_eq!(files::read(&path), transcript.build());
        assert!(files::read(&path).ends_with("{\"type\":"));
    }

    #[test]
    fn old_rows_have_no_new_marks() {
        let old = Transcript::old_shape().prompt("x").subagent("a1", "look", "found").compaction("auto", "s");
        let text = old.build();
        for mark in ["promptId", "agentId", "compact_boundary", "isCompactSummary", "sourceToolAssistantUUID"]
        {
            assert!(!text.contains(mark), "{mark}");
        }
        assert_eq!(rows(&old).iter().filter(|row| row["isSidechain"] == true).count(), 4);
    }
}
