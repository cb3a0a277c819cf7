//! The chat completions API that Copilot CLI, OpenCode, Qwen Code and pi talk to, on loopback: a script of answers, and every request
//! remembered.

use std::time::Duration;

use serde_json::{Value, json};

use crate::loopback::{HttpRequest, Loopback, Reply};

/// In the last message of a request for a summary, in one client or the other.
const SUMMARY_MARKS: [&str; 2] = ["<overview>", "produce the <state_snapshot>"];

/// At the start of a request for a title.
const TITLE_MARK: &str = "You are a title generator";

/// What the model will say, turn by turn; a script that has run out answers "Done.".
#[derive(Clone, Debug, Default)]
pub struct ChatScript {
    turns: Vec<ChatAnswer>,
    summary: String,
}

impl ChatScript {
    pub fn new(summary: &str) -> Self {
        ChatScript { turns: Vec::new(), summary: summary.to_owned() }
    }

    /// The next answer.
    #[must_use]
    pub fn turn(mut self, answer: ChatAnswer) -> Self {
        self.turns.push(answer);
        self
    }
}

/// One answer.
#[derive(Clone, Debug)]
pub struct ChatAnswer {
    text: String,
    call: Option<(String, Value)>,
    tokens: u64,
    delay: Duration,
}

impl ChatAnswer {
    pub fn text(text: &str) -> Self {
        ChatAnswer { text: text.to_owned(), call: None, tokens: 14_000, delay: Duration::ZERO }
    }

    pub fn call(tool: &str, input: Value) -> Self {
        ChatAnswer { call: Some((tool.to_owned(), input)), ..Self::text("") }
    }

    /// Tokens of the request, as the API counts them.
    #[must_use]
    pub fn context_tokens(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
        self
    }

    /// A model takes its time: some clients write their rows only then.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

/// A request as the client sent it.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    pub is_summary: bool,
    pub body: Value,
}

impl ChatRequest {
    /// Everything but the system prompt, one text. A client that escapes the brackets of what hooks say is read as it was
    /// said.
    pub fn conversation(&self) -> String {
        let messages = self.body["messages"].as_array().into_iter().flatten();
        let said =
            messages.filter(|message| message["role"] != "system").map(|message| match &message["content"] {
                Value::String(text) => text.clone(),
                Value::Array(parts) => {
                    parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
                }
                _ => String::new(),
            });
        said.collect::<Vec<_>>().join("\n").replace("&lt;", "<").replace("&gt;", ">")
    }
}

#[derive(Default)]
struct ChatState {
    script: ChatScript,
    given: usize,
    requests: Vec<ChatRequest>,
}

/// A running API; stops when dropped.
pub struct FakeChat(Loopback<ChatState>);

impl FakeChat {
    pub fn start(script: ChatScript) -> FakeChat {
        FakeChat(Loopback::start(ChatState { script, ..ChatState::default() }, answer))
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.0.address)
    }

    /// Every request so far, in order.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.0.state().requests.clone()
    }

    /// Answers that nobody has asked for yet.
    pub fn turns_left(&self) -> usize {
        let state = self.0.state();
        state.script.turns.len().saturating_sub(state.given)
    }
}

fn answer(state: &mut ChatState, request: HttpRequest) -> Reply {
    if !request.line.starts_with("POST ") || !request.line.contains("/chat/completions") {
        return Reply::json(&json!({"data": []}));
    }
    let body = request.body;
    let last =
        body["messages"].as_array().and_then(|all| all.last()).map(ToString::to_string).unwrap_or_default();
    // Other clients ask for nothing else without tools, but for a title.
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    if !has_tools && body["messages"][0]["content"].to_string().contains(TITLE_MARK) {
        return reply(&ChatAnswer::text("A title"), state.requests.len(), body["stream"] == true);
    }
    let is_summary = SUMMARY_MARKS.iter().any(|mark| last.contains(mark)) || !has_tools;
    state.requests.push(ChatRequest { is_summary, body: body.clone() });
    let answer = if is_summary {
        // One client takes what is left to be the context less this request; for another this request is what is left.
        let is_subtracted = last.contains(SUMMARY_MARKS[1]);
        let tokens = if is_subtracted { 95_000 } else { 5_000 };
        ChatAnswer::text(&state.script.summary).context_tokens(tokens)
    } else {
        state.given += 1;
        state.script.turns.get(state.given - 1).cloned().unwrap_or_else(|| ChatAnswer::text("Done."))
    };
    std::thread::sleep(answer.delay);
    reply(&answer, state.requests.len(), body["stream"] == true)
}

fn reply(answer: &ChatAnswer, number: usize, is_stream: bool) -> Reply {
    let calls = answer.call.as_ref().map(|(tool, input)| {
        json!([{"index": 0, "id": format!("call_{number}"), "type": "function",
            "function": {"name": tool, "arguments": input.to_string()}}])
    });
    let end = if calls.is_some() { "tool_calls" } else { "stop" };
    let mut message = json!({"role": "assistant", "content": answer.text});
    if let Some(calls) = calls {
        message["tool_calls"] = calls;
    }
    let usage =
        json!({"prompt_tokens": answer.tokens, "completion_tokens": 20, "total_tokens": answer.tokens + 20});
    let frame = |object: &str| json!({"id": format!("c{number}"), "object": object, "created": 1, "model": "fake-model"});
    if !is_stream {
        let mut whole = frame("chat.completion");
        whole["choices"] = json!([{"index": 0, "message": message, "finish_reason": end}]);
        whole["usage"] = usage;
        return Reply::json(&whole);
    }
    let chunk = |choices: Value, usage: Value| {
        let mut chunk = frame("chat.completion.chunk");
        chunk["choices"] = choices;
        chunk["usage"] = usage;
        format!("data: {chunk}\n\n")
    };
    let said = chunk(json!([{"index": 0, "delta": message, "finish_reason": null}]), Value::Null);
    let ended = chunk(json!([{"index": 0, "delta": {}, "finish_reason": end}]), Value::Null);
    Reply::events(format!("{said}{ended}{}data: [DONE]\n\n", chunk(json!([]), usage)))
}
