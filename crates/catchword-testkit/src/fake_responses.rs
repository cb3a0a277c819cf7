//! The Responses API that Codex talks to, on loopback: a script of answers, and every request remembered.
//!
//! As with [`crate::FakeApi`], what a request *is* decides about its answer: a summary, a summary that only the provider
//! can read, a turn of a subagent, or the next turn of the main thread.

use serde_json::{Value, json};

use crate::loopback::{HttpRequest, Loopback, Reply};

/// How the model calls tools; the client decides it by the model's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolMode {
    /// One tool, which runs JavaScript.
    Code,
    /// Each tool by itself.
    Direct,
}

impl ToolMode {
    /// A model with these tools.
    pub fn model(self) -> &'static str {
        match self {
            ToolMode::Code => "gpt-6.1-sol",
            ToolMode::Direct => "gpt-5.5",
        }
    }
}

/// What the model will say, turn by turn; a script that has run out answers "Done.".
#[derive(Clone, Debug, Default)]
pub struct CodexScript {
    turns: Vec<CodexAnswer>,
    subagent: Vec<CodexAnswer>,
    summary: String,
}

impl CodexScript {
    pub fn new() -> Self {
        CodexScript { summary: "Some work was done.".to_owned(), ..Self::default() }
    }

    /// The main thread's next answer.
    #[must_use]
    pub fn turn(mut self, answer: CodexAnswer) -> Self {
        self.turns.push(answer);
        self
    }

    /// The next answer of any subagent.
    #[must_use]
    pub fn subagent(mut self, answer: CodexAnswer) -> Self {
        self.subagent.push(answer);
        self
    }

    /// The turns and the summary of another script after those of this one.
    #[must_use]
    pub fn then(mut self, other: CodexScript) -> Self {
        self.turns.extend(other.turns);
        self.summary = other.summary;
        self
    }

    /// Every context is this full.
    #[must_use]
    pub fn with_tokens(mut self, tokens: u64) -> Self {
        self.turns.iter_mut().for_each(|turn| turn.context_tokens = tokens);
        self
    }

    /// What every summary says.
    #[must_use]
    pub fn summary(mut self, text: &str) -> Self {
        text.clone_into(&mut self.summary);
        self
    }
}

/// One answer of the model.
#[derive(Clone, Debug)]
pub struct CodexAnswer {
    items: Vec<CodexItem>,
    context_tokens: u64,
}

#[derive(Clone, Debug)]
enum CodexItem {
    Text(String),
    /// A tool that code mode has as a function.
    Tool(&'static str, Value),
    /// A script of the model's own, in code mode only.
    Script(String),
    /// A tool that is called by itself in both modes, with its namespace.
    Direct(Option<&'static str>, &'static str, Value),
}

impl CodexAnswer {
    fn of(item: CodexItem) -> Self {
        CodexAnswer { items: vec![item], context_tokens: 12_000 }
    }

    /// Speaks.
    pub fn text(text: &str) -> Self {
        Self::of(CodexItem::Text(text.to_owned()))
    }

    /// Runs a command.
    pub fn run(command: &str) -> Self {
        Self::of(CodexItem::Tool("exec_command", json!({"cmd": command})))
    }

    /// Runs a script, as models write them in code mode.
    pub fn script(code: &str) -> Self {
        Self::of(CodexItem::Script(code.to_owned()))
    }

    /// Changes files by a patch, without its first and last line.
    pub fn patch(body: &str) -> Self {
        Self::of(CodexItem::Tool("apply_patch", json!(format!("*** Begin Patch\n{body}\n*** End Patch"))))
    }

    /// Writes its plan down.
    pub fn plan(steps: &[(&str, &str)]) -> Self {
        let steps: Vec<Value> =
            steps.iter().map(|(step, status)| json!({"step": step, "status": status})).collect();
        Self::of(CodexItem::Tool("update_plan", json!({"plan": steps})))
    }

    /// Starts a subagent.
    pub fn spawn(name: &str, task: &str) -> Self {
        let input = json!({"task_name": name, "message": task, "fork_turns": "none"});
        Self::of(CodexItem::Direct(Some("collaboration"), "spawn_agent", input))
    }

    /// Starts a subagent as models with direct tools do: the task is a message in the person's role.
    pub fn spawn_by_message(task: &str) -> Self {
        let input = json!({"message": task});
        Self::of(CodexItem::Direct(Some(SPAWNS_BY_MESSAGE), "spawn_agent", input))
    }

    /// Asks the person.
    pub fn ask(id: &str, question: &str, options: &[&str]) -> Self {
        let options: Vec<Value> =
            options.iter().map(|label| json!({"label": label, "description": "an option"})).collect();
        let question = json!({"id": id, "header": id, "question": question, "options": options});
        Self::of(CodexItem::Direct(None, "request_user_input", json!({"questions": [question]})))
    }

    /// Says that the goal of the thread is reached.
    pub fn reaches_goal() -> Self {
        Self::of(CodexItem::Direct(None, "update_goal", json!({"status": "complete"})))
    }

    /// Asks for a fresh window, where the client offers it.
    pub fn new_context() -> Self {
        Self::of(CodexItem::Direct(None, "new_context", json!({})))
    }

    /// Waits for a subagent.
    pub fn wait() -> Self {
        Self::of(CodexItem::Direct(Some("collaboration"), "wait_agent", json!({"timeout_ms": 10_000})))
    }

    /// Calls a tool of a server.
    pub fn server_tool(tool: &'static str, input: Value) -> Self {
        Self::of(CodexItem::Tool(tool, input))
    }

    /// How full the context is said to be.
    #[must_use]
    pub fn context_tokens(mut self, tokens: u64) -> Self {
        self.context_tokens = tokens;
        self
    }
}

/// What a request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodexAsked {
    Turn,
    /// A turn of a subagent.
    Subagent,
    Summary,
    /// A summary that only the provider can read.
    OpaqueSummary,
}

/// One request.
#[derive(Clone, Debug)]
pub struct CodexRequest {
    pub asked: CodexAsked,
    pub body: Value,
}

impl CodexRequest {
    /// The texts of all items of the conversation, in order; what the client says of itself before it is not among them.
    pub fn conversation(&self) -> String {
        let mut texts = Vec::new();
        let items = self.body["input"].as_array().into_iter().flatten();
        items.filter(|item| item["type"] != "additional_tools").for_each(|item| texts_in(item, &mut texts));
        texts.join("\n")
    }
}

fn texts_in(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts_in(item, into)),
        Value::Object(fields) => {
            for key in ["content", "text", "output", "arguments", "input", "encrypted_content"] {
                fields.get(key).into_iter().for_each(|inner| texts_in(inner, into));
            }
        }
        _ => {}
    }
}

/// The running server; stops when dropped.
pub struct FakeResponses(Loopback<ResponsesState>);

struct ResponsesState {
    mode: ToolMode,
    script: CodexScript,
    turns_given: usize,
    subagent_turns_given: usize,
    answers_given: usize,
    requests: Vec<CodexRequest>,
}

impl FakeResponses {
    /// Listens on a free port of 127.0.0.1.
    pub fn start(mode: ToolMode, script: CodexScript) -> Self {
        let (turns_given, subagent_turns_given, answers_given, requests) = (0, 0, 0, Vec::new());
        let state =
            ResponsesState { mode, script, turns_given, subagent_turns_given, answers_given, requests };
        FakeResponses(Loopback::start(state, ResponsesState::reply))
    }

    /// The base URL of a provider.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.0.address)
    }

    pub fn mode(&self) -> ToolMode {
        self.0.state().mode
    }

    /// Everything asked so far, in order of arrival.
    pub fn requests(&self) -> Vec<CodexRequest> {
        self.0.state().requests.clone()
    }

    /// The requests of one kind.
    pub fn requests_for(&self, asked: CodexAsked) -> Vec<CodexRequest> {
        self.requests().into_iter().filter(|request| request.asked == asked).collect()
    }

    /// Turns of the main thread that nobody asked for.
    pub fn turns_left(&self) -> usize {
        let state = self.0.state();
        state.script.turns.len().saturating_sub(state.turns_given)
    }
}

impl ResponsesState {
    fn reply(&mut self, request: HttpRequest) -> Reply {
        if request.line.starts_with("POST ") && request.line.contains("/responses") {
            Reply::events(self.answer(request.body))
        } else {
            Reply::not_found()
        }
    }

    fn answer(&mut self, body: Value) -> String {
        let asked = classify(&body, &self.script);
        self.requests.push(CodexRequest { asked, body });
        self.answers_given += 1;
        let done = || CodexAnswer::text("Done.");
        let answer = match asked {
            CodexAsked::Summary => CodexAnswer::text(&self.script.summary),
            CodexAsked::OpaqueSummary => {
                return self.events(&[json!({"type": "compaction", "encrypted_content": "OPAQUE"})], 12_000);
            }
            CodexAsked::Turn => {
                self.turns_given += 1;
                self.script.turns.get(self.turns_given - 1).cloned().unwrap_or_else(done)
            }
            CodexAsked::Subagent => {
                self.subagent_turns_given += 1;
                self.script.subagent.get(self.subagent_turns_given - 1).cloned().unwrap_or_else(done)
            }
        };
        let items: Vec<Value> = answer.items.iter().enumerate().map(|(n, item)| self.item(n, item)).collect();
        self.events(&items, answer.context_tokens)
    }

    fn item(&self, n: usize, item: &CodexItem) -> Value {
        let id = format!("{}_{n}", self.answers_given);
        let call = format!("call_{id}");
        match item {
            CodexItem::Text(text) => {
                json!({"type": "message", "id": format!("msg_{id}"), "role": "assistant",
                "content": [{"type": "output_text", "text": text}]})
            }
            CodexItem::Tool(name, input) if self.mode == ToolMode::Code => {
                let script = format!(
                    "const r = await tools.{name}({input});\ntext(typeof r === 'string' ? r : JSON.stringify(r));"
                );
                json!({"type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": call, "name": "exec",
                    "input": script})
            }
            CodexItem::Script(code) => json!({"type": "custom_tool_call", "id": format!("ctc_{id}"),
                "call_id": call, "name": "exec", "input": code}),
            CodexItem::Tool("apply_patch", patch) => {
                json!({"type": "custom_tool_call", "id": format!("ctc_{id}"),
                "call_id": call, "name": "apply_patch", "input": patch})
            }
            CodexItem::Tool(name, input) => json!({"type": "function_call", "id": format!("fc_{id}"),
                "call_id": call, "name": name, "arguments": input.to_string()}),
            CodexItem::Direct(space, name, input) => {
                let mut item = json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": call,
                    "name": name, "arguments": input.to_string()});
                if let Some(space) = space {
                    item["namespace"] = (*space).into();
                }
                item
            }
        }
    }

    fn events(&self, items: &[Value], tokens: u64) -> String {
        let id = format!("resp_{}", self.answers_given);
        let usage = json!({"input_tokens": tokens, "input_tokens_details": {"cached_tokens": tokens / 2},
            "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 20});
        let mut events = vec![json!({"type": "response.created", "response": {"id": id}})];
        events.extend(items.iter().map(|item| json!({"type": "response.output_item.done", "item": item})));
        events.push(json!({"type": "response.completed", "response": {"id": id, "usage": usage}}));
        let event = |event: &Value| {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
        };
        events.iter().map(event).collect::<Vec<_>>().concat()
    }
}

/// The namespace of the tools by which models with direct tools start subagents.
const SPAWNS_BY_MESSAGE: &str = "multi_agent_v1";

fn classify(body: &Value, script: &CodexScript) -> CodexAsked {
    let items: Vec<&Value> = body["input"].as_array().into_iter().flatten().collect();
    let answers = script.turns.iter().flat_map(|turn| &turn.items);
    let tasks: Vec<&Value> = answers
        .filter_map(|item| match item {
            CodexItem::Direct(Some(SPAWNS_BY_MESSAGE), _, input) => Some(&input["message"]),
            _ => None,
        })
        .collect();
    let is_for_subagent = |item: &&Value| {
        let is_delivered = item["type"] == "agent_message"
            && item["recipient"].as_str().is_some_and(|to| to.starts_with("/root/"));
        let is_task = item["role"] == "user" && tasks.contains(&&item["content"][0]["text"]);
        is_delivered || is_task
    };
    if items.iter().any(|item| item["type"] == "compaction_trigger") {
        CodexAsked::OpaqueSummary
    } else if items.last().is_some_and(|last| last.to_string().contains("CONTEXT CHECKPOINT COMPACTION")) {
        CodexAsked::Summary
    } else if items.iter().any(is_for_subagent) {
        CodexAsked::Subagent
    } else {
        CodexAsked::Turn
    }
}
