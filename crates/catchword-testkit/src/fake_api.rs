//! A scripted model API on loopback that records its requests.
//!
//! The real client talks to it as if it were the model, so that a test can inspect the requests that a model would have
//! seen. Answers are streamed or whole.
//!
//! The answer depends on what the request *is*, not on when it comes: the summariser's request gets a summary, a
//! subagent's gets the turns scripted for that subagent, everything else the next turn of the main thread. So a client
//! that repeats a request or asks side questions does not shift the script.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::loopback::{HttpRequest, Loopback, Reply};

/// What the model will say, turn by turn.
#[derive(Clone, Debug, Default)]
pub struct Script {
    main: Vec<FakeAnswer>,
    subagents: Vec<(String, Vec<FakeAnswer>)>,
    summaries: Vec<String>,
}

impl Script {
    /// An empty script; one that has run out answers "Done.".
    pub fn new() -> Self {
        Self::default()
    }

    /// The main thread's next answer.
    #[must_use]
    pub fn turn(mut self, turn: FakeAnswer) -> Self {
        self.main.push(turn);
        self
    }

    /// The answers of the subagent whose prompt contains `marker`.
    #[must_use]
    pub fn subagent(mut self, marker: &str, turns: Vec<FakeAnswer>) -> Self {
        self.subagents.push((marker.to_owned(), turns));
        self
    }

    /// The same script with every context nearly empty, so that nothing compacts by itself.
    #[must_use]
    pub fn never_full(mut self) -> Self {
        self.main.iter_mut().for_each(|turn| turn.context_tokens = 20_000);
        self
    }

    /// The next summary; the last one is repeated.
    #[must_use]
    pub fn summary(mut self, text: &str) -> Self {
        self.summaries.push(text.to_owned());
        self
    }
}

/// One answer of the model.
#[derive(Clone, Debug)]
pub struct FakeAnswer {
    blocks: Vec<FakeBlock>,
    context_tokens: u64,
    output_tokens: u64,
    is_lost: bool,
}

#[derive(Clone, Debug)]
enum FakeBlock {
    Text(String),
    ToolUse { name: String, input: Value },
}

impl FakeAnswer {
    /// An answer with text.
    pub fn text(text: &str) -> Self {
        Self::silent().and_text(text)
    }

    /// An answer that calls a tool.
    pub fn tool(name: &str, input: Value) -> Self {
        Self::silent().and_tool(name, input)
    }

    fn silent() -> Self {
        FakeAnswer { blocks: Vec::new(), context_tokens: 20_000, output_tokens: 40, is_lost: false }
    }

    /// An answer that runs a shell command.
    pub fn bash(command: &str) -> Self {
        FakeAnswer::tool("Bash", json!({"command": command, "description": "Run a command"}))
    }

    /// Adds text to the same turn.
    #[must_use]
    pub fn and_text(mut self, text: &str) -> Self {
        self.blocks.push(FakeBlock::Text(text.to_owned()));
        self
    }

    /// Adds a tool call to the same turn: the client runs them as a batch.
    #[must_use]
    pub fn and_tool(mut self, name: &str, input: Value) -> Self {
        self.blocks.push(FakeBlock::ToolUse { name: name.to_owned(), input });
        self
    }

    /// Sets the reported size of the context. Above the client's threshold it compacts before its next request.
    #[must_use]
    pub fn context_tokens(mut self, tokens: u64) -> Self {
        self.context_tokens = tokens;
        self
    }

    /// The connection breaks before the first answer, so that the client has to ask again.
    #[must_use]
    pub fn lost_once(mut self) -> Self {
        self.is_lost = true;
        self
    }

    fn stop_reason(&self) -> &'static str {
        let calls = self.blocks.iter().any(|b| matches!(b, FakeBlock::ToolUse { .. }));
        if calls { "tool_use" } else { "end_turn" }
    }

    /// Almost all of a long context comes from the cache; a gauge that ignores the cache shows next to nothing.
    fn usage(&self) -> Value {
        json!({
            "input_tokens": 10,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self.context_tokens.saturating_sub(10),
            "output_tokens": self.output_tokens,
        })
    }
}

/// What a request was for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The main thread's next turn.
    Turn,
    /// A turn of the subagent with this marker.
    Subagent(String),
    /// A summary of the main thread so far.
    Summary,
    /// A summary of the subagent with this marker, whose own context was full.
    SubagentSummary(String),
    /// A token count.
    Tokens,
    /// Something the script does not cover (a title, a probe).
    Aside,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub asked: Asked,
    /// `POST /v1/messages?beta=true`.
    pub line: String,
    /// The body; null if there was none.
    pub body: Value,
}

impl Request {
    /// Everything the model would have read as conversation: the texts of all messages in order, including tool
    /// results, without the system prompt and the tools.
    pub fn conversation(&self) -> String {
        let mut texts = Vec::new();
        for message in self.body["messages"].as_array().into_iter().flatten() {
            collect_texts(&message["content"], &mut texts);
        }
        texts.join("\n")
    }

    /// The text of the last message.
    pub fn last_message(&self) -> String {
        let mut texts = Vec::new();
        if let Some(last) = self.body["messages"].as_array().and_then(|all| all.last()) {
            collect_texts(&last["content"], &mut texts);
        }
        texts.join("\n")
    }
}

fn collect_texts(content: &Value, into: &mut Vec<String>) {
    match content {
        Value::String(text) => into.push(text.clone()),
        Value::Array(blocks) => blocks.iter().for_each(|block| collect_texts(block, into)),
        Value::Object(block) => {
            for key in ["text", "content"] {
                block.get(key).into_iter().for_each(|inner| collect_texts(inner, into));
            }
            if let Some(input) = block.get("input") {
                into.push(input.to_string());
            }
        }
        _ => {}
    }
}

/// The running server; stops when dropped.
pub struct FakeApi(Loopback<ApiState>);

#[derive(Default)]
struct ApiState {
    script: Script,
    turns_given: usize,
    subagent_turns_given: Vec<usize>,
    /// The subagent that a tool call belongs to, by the call's id.
    subagent_calls: HashMap<String, usize>,
    summaries_given: usize,
    messages_given: usize,
    tool_calls_given: usize,
    requests: Vec<Request>,
}

impl FakeApi {
    /// Listens on a free port of 127.0.0.1.
    pub fn start(script: Script) -> Self {
        let state =
            ApiState { subagent_turns_given: vec![0; script.subagents.len()], script, ..ApiState::default() };
        FakeApi(Loopback::start(state, ApiState::answer))
    }

    /// The value for `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// All requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.0.state().requests.clone()
    }

    /// The requests of one kind.
    pub fn requests_for(&self, asked: &Asked) -> Vec<Request> {
        self.requests().into_iter().filter(|r| &r.asked == asked).collect()
    }

    /// Scripted turns of the main thread that were not requested: not 0 means that the client stopped early.
    pub fn turns_left(&self) -> usize {
        let state = self.0.state();
        state.script.main.len().saturating_sub(state.turns_given)
    }
}

impl ApiState {
    fn answer(&mut self, HttpRequest { line, body, .. }: HttpRequest) -> Reply {
        let thread = self.thread_of(&body);
        let asked = self.classify(&line, &body, thread);
        let wants_stream = body["stream"] == true;
        let model = body["model"].as_str().unwrap_or("claude-sonnet-4-5").to_owned();
        self.requests.push(Request { asked: asked.clone(), line: line.clone(), body });
        let turn = match asked {
            Asked::Tokens => return Reply::json(&json!({"input_tokens": 1_000})),
            Asked::Aside if !line.contains("/v1/messages") => return Self::elsewhere(&line),
            Asked::Aside => FakeAnswer::text("Aside"),
            Asked::Summary => FakeAnswer::text(&self.next_summary()),
            Asked::SubagentSummary(_) => FakeAnswer::text(&summary_message("The subagent's work so far.")),
            Asked::Turn => {
                self.turns_given += 1;
                self.script
                    .main
                    .get(self.turns_given - 1)
                    .cloned()
                    .unwrap_or_else(|| FakeAnswer::text("Done."))
            }
            Asked::Subagent(marker) => self.next_subagent_turn(&marker),
        };
        let message = self.message(&turn, &model);
        if let Some(at) = thread {
            self.remember_calls(&message, at);
        }
        let reply = if wants_stream { Reply::events(events(&message)) } else { Reply::json(&message) };
        reply.lost_if(turn.is_lost)
    }

    fn elsewhere(line: &str) -> Reply {
        if line.starts_with("GET ") {
            return Reply::not_found();
        }
        Reply::json(&json!({}))
    }

    fn classify(&self, line: &str, body: &Value, thread: Option<usize>) -> Asked {
        if line.contains("/count_tokens") {
            return Asked::Tokens;
        }
        let request = Request { asked: Asked::Aside, line: line.to_owned(), body: body.clone() };
        // The agent's own requests always offer tools; titles and probes never do.
        let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let summary = is_summary_request(&request.last_message());
        let marker = thread.map(|at| self.script.subagents[at].0.clone());
        match (marker, summary) {
            _ if !line.contains("/v1/messages") => Asked::Aside,
            (Some(marker), true) => Asked::SubagentSummary(marker),
            (None, true) => Asked::Summary,
            (Some(marker), false) => Asked::Subagent(marker),
            (None, false) if has_tools => Asked::Turn,
            (None, false) => Asked::Aside,
        }
    }

    /// The subagent that sent a request: its prompt starts the conversation. Its own compaction replaces the prompt by
    /// a summary, but a call of its last round is still there.
    fn thread_of(&self, body: &Value) -> Option<usize> {
        let mut opening = Vec::new();
        collect_texts(&body["messages"][0]["content"], &mut opening);
        let opening = opening.join("\n");
        let by_prompt = self.script.subagents.iter().position(|(marker, _)| opening.contains(marker));
        by_prompt.or_else(|| {
            let messages = body["messages"].as_array()?;
            let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
            let ids = blocks.filter_map(|block| block["id"].as_str());
            ids.filter_map(|id| self.subagent_calls.get(id)).copied().next()
        })
    }

    fn remember_calls(&mut self, message: &Value, subagent: usize) {
        for block in message["content"].as_array().into_iter().flatten() {
            if let Some(id) = block["id"].as_str() {
                self.subagent_calls.insert(id.to_owned(), subagent);
            }
        }
    }

    fn next_summary(&mut self) -> String {
        let last = self.script.summaries.len().saturating_sub(1);
        let text = self.script.summaries.get(self.summaries_given.min(last)).cloned().unwrap_or_default();
        self.summaries_given += 1;
        summary_message(&text)
    }

    fn next_subagent_turn(&mut self, marker: &str) -> FakeAnswer {
        let at =
            self.script.subagents.iter().position(|(m, _)| m == marker).expect("classified by this list");
        let turn = self.script.subagents[at].1.get(self.subagent_turns_given[at]).cloned();
        self.subagent_turns_given[at] += 1;
        turn.unwrap_or_else(|| FakeAnswer::text("Subagent done."))
    }

    fn message(&mut self, turn: &FakeAnswer, model: &str) -> Value {
        self.messages_given += 1;
        let content: Vec<Value> = turn.blocks.iter().map(|block| self.block(block)).collect();
        json!({
            "id": format!("msg_{:024}", self.messages_given),
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": content,
            "stop_reason": turn.stop_reason(),
            "stop_sequence": null,
            "usage": turn.usage(),
        })
    }

    fn block(&mut self, block: &FakeBlock) -> Value {
        match block {
            FakeBlock::Text(text) => json!({"type": "text", "text": text}),
            FakeBlock::ToolUse { name, input } => {
                self.tool_calls_given += 1;
                let id = format!("toolu_{:024}", self.tool_calls_given);
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
        }
    }
}

fn summary_message(text: &str) -> String {
    format!("<analysis>Looking back.</analysis>\n<summary>\n{text}\n</summary>")
}

/// The summariser's request says so in its last message; both phrases have been stable across versions.
fn is_summary_request(last_message: &str) -> bool {
    last_message.contains("create a detailed summary") || last_message.contains("Respond with TEXT ONLY")
}

/// The message as the events of a stream.
fn events(message: &Value) -> String {
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    let mut out = event(&json!({"type": "message_start", "message": start}));
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let (empty, delta) = if block["type"] == "text" {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
        } else {
            let mut empty = block.clone();
            empty["input"] = json!({});
            let partial = block["input"].to_string();
            (empty, json!({"type": "input_json_delta", "partial_json": partial}))
        };
        out += &event(&json!({"type": "content_block_start", "index": index, "content_block": empty}));
        out += &event(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
        out += &event(&json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    out += &event(&json!({"type": "message_delta", "delta": delta, "usage": message["usage"]}));
    out += &event(&json!({"type": "message_stop"}));
    out
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    fn ask(api: &FakeApi, path: &str, body: &Value) -> String {
        raw(api, path, body).split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    fn raw(api: &FakeApi, path: &str, body: &Value) -> String {
        let mut stream = TcpStream::connect(api.0.address).unwrap();
        let body = body.to_string();
        write!(stream, "POST {path} HTTP/1.1\r\nhost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn turn(text: &str) -> Value {
        json!({"model": "m", "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": text}]})
    }

    fn said(answer: &str) -> String {
        serde_json::from_str::<Value>(answer).unwrap()["content"][0]["text"].as_str().unwrap().to_owned()
    }

    #[test]
    fn side_questions_and_summaries_do_not_shift_the_script() {
        let script =
            Script::new().turn(FakeAnswer::text("one")).turn(FakeAnswer::text("two")).summary("short");
        let api = FakeApi::start(script.subagent("SUB", vec![FakeAnswer::text("inner")]));
        let messages = "/v1/messages?beta=true";
        assert_eq!(said(&ask(&api, messages, &turn("hello"))), "one");
        ask(&api, "/v1/messages/count_tokens", &turn("hello"));
        let title = json!({"messages": [{"role": "user", "content": "title?"}]});
        ask(&api, messages, &title);
        assert!(said(&ask(&api, messages, &turn("Please create a detailed summary"))).contains("\nshort\n"));
        assert_eq!(said(&ask(&api, messages, &turn("SUB look"))), "inner");
        assert_eq!(api.turns_left(), 1);
        assert_eq!(said(&ask(&api, messages, &turn("and now"))), "two");
        assert_eq!(said(&ask(&api, messages, &turn("and then"))), "Done.");
        let asked: Vec<_> = api.requests().into_iter().map(|r| r.asked).collect();
        let sub = Asked::Subagent("SUB".into());
        assert_eq!(
            asked,
            [Asked::Turn, Asked::Tokens, Asked::Aside, Asked::Summary, sub, Asked::Turn, Asked::Turn]
        );
    }

    /// As a client does whose connection broke, or that waited too long on a busy machine.
    #[test]
    fn a_repeated_request_gets_the_same_answer() {
        let script = Script::new().turn(FakeAnswer::text("one").lost_once()).turn(FakeAnswer::text("two"));
        let api = FakeApi::start(script);
        let lost = raw(&api, "/v1/messages", &turn("hello"));
        assert_eq!(lost, "");
        assert_eq!(said(&ask(&api, "/v1/messages", &turn("hello"))), "one");
        assert_eq!(said(&ask(&api, "/v1/messages", &turn("hello"))), "one");
        assert_eq!((api.requests().len(), api.turns_left()), (1, 1));
    }

    #[test]
    fn subagent_is_recognised_after_its_own_compaction() {
        let inner = vec![FakeAnswer::bash("ls"), FakeAnswer::text("inner")];
        let api = FakeApi::start(Script::new().turn(FakeAnswer::text("outer")).subagent("SUB", inner));
        let call: Value = serde_json::from_str(&ask(&api, "/v1/messages", &turn("SUB look"))).unwrap();
        let mut compacted = turn("This session is being continued");
        let messages = compacted["messages"].as_array_mut().unwrap();
        messages.push(json!({"role": "assistant", "content": call["content"]}));
        assert_eq!(said(&ask(&api, "/v1/messages", &compacted)), "inner");
        assert_eq!(api.turns_left(), 1);
    }

    #[test]
    fn stream_has_the_same_blocks_as_a_whole_answer() {
        let api = FakeApi::start(
            Script::new().turn(FakeAnswer::text("hi").and_tool("Bash", json!({"command": "ls"}))),
        );
        let mut body = turn("hello");
        body["stream"] = json!(true);
        let stream = ask(&api, "/v1/messages", &body);
        let events: Vec<Value> = stream
            .lines()
            .filter_map(|l| l.strip_prefix("data: "))
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        assert_eq!(events[0]["message"]["usage"]["cache_read_input_tokens"], 19_990);
        assert_eq!(events[2]["delta"]["text"], "hi");
        assert_eq!(events[5]["delta"]["partial_json"], r#"{"command":"ls"}"#);
        assert_eq!(events[7]["delta"]["stop_reason"], "tool_use");
        assert_eq!(events.last().unwrap()["type"], "message_stop");
    }

    #[test]
    fn dropped_server_stops_listening() {
        let api = FakeApi::start(Script::new());
        let address = api.0.address;
        assert!(TcpStream::connect(address).is_ok());
        drop(api);
        assert!(TcpStream::connect(address).is_err());
    }

    #[test]
    fn conversation_has_prompts_results_and_inputs_but_no_tools() {
        let body = json!({"tools": [{"name": "secret"}], "messages": [
            {"role": "user", "content": [{"type": "text", "text": "ask"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]},
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "out"}]}]},
        ]});
        let request = Request { asked: Asked::Turn, line: String::new(), body };
        assert_eq!(request.conversation(), "ask\n{\"command\":\"ls\"}\nout");
        assert_eq!(request.last_message(), "out");
    }
}
