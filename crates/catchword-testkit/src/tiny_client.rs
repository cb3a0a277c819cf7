//! A made-up client: as small as possible, and different from real ones wherever it can be.
//!
//! It proves that the product knows clients only by its table. Its rows, payloads and tools have names of their own, an
//! exit code is a separate number, and the limit of a hook's text is in bytes.

use std::path::Path;

use serde_json::{Value, json};

use crate::SessionRows;

/// The tag with which the tiny client marks its own text in a prompt.
pub const TINY_TAG: &str = "tiny-note";
/// Bytes of a hook's text that it passes on.
pub const TINY_ROOM: usize = 2_000;

/// A transcript of the tiny client, row by row.
#[derive(Clone, Debug, Default)]
pub struct TinyTranscript {
    lines: Vec<String>,
    calls: u32,
    tasks: u32,
}

impl TinyTranscript {
    pub fn new() -> Self {
        Self::default()
    }

    fn call(mut self, call: Value, mut answer: Value) -> Self {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        answer["who"] = json!("tool");
        answer["of"] = json!(id);
        self.row(json!({"who": "bot", "does": call, "as": id})).row(answer)
    }

    fn row(mut self, mut row: Value) -> Self {
        row["tiny"] = json!(self.lines.len() + 1);
        self.lines.push(row.to_string());
        self
    }
}

impl SessionRows for TinyTranscript {
    fn reads(self, path: &str, printed: &str) -> Self {
        self.call(json!({"tool": "peek", "file": path}), json!({"printed": printed}))
    }

    fn compaction(self, summary: &str) -> Self {
        self.row(json!({"who": "tiny", "shrunk": summary}))
    }

    fn prompt(self, text: &str) -> Self {
        self.row(json!({"who": "person", "says": text}))
    }

    fn says(self, text: &str) -> Self {
        self.row(json!({"who": "bot", "says": text}))
    }

    fn runs(self, command: &str, exit: i32, printed: &str) -> Self {
        self.call(json!({"tool": "term", "line": command}), json!({"exit": exit, "printed": printed}))
    }

    fn task(mut self, subject: &str) -> Self {
        self.tasks += 1;
        let answer = json!({"made": self.tasks.to_string(), "printed": "ok"});
        self.call(json!({"tool": "plan", "item": subject}), answer)
    }

    fn note(self, text: &str) -> Self {
        self.row(json!({"who": "person", "says": format!("<{TINY_TAG}>{text}</{TINY_TAG}>")}))
    }

    fn helper(self, text: &str) -> Self {
        self.row(json!({"who": "person", "says": text, "helper": "h1"}))
    }

    fn build(&self) -> String {
        self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }
}

/// A hook's stdin: `shrinking` before a compaction, `shrunk` after it, `idle` at the end of a turn.
pub fn tiny_payload(moment: &str, chat: &str, file: &Path) -> Vec<u8> {
    json!({"moment": moment, "chat": chat, "file": file, "in": "/home/user/project"}).to_string().into_bytes()
}
