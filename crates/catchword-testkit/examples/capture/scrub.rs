//! Removes from a capture what is private, random or not ours.
//!
//! Works on the text of a line, never on parsed values: the order of keys and the way of escaping are part of what a
//! fixture shows.
//!
//! - Paths of the temporary home become `/home/user/…`.
//! - Random ids become numbered ones, in order of appearance; times keep their distances around noon of 2026-01-01.
//! - The client's own long texts (system prompt, tool descriptions, listings) are cut: they are the vendor's work, they
//!   are most of the bytes, and nothing we do depends on them.

use std::collections::HashMap;
use std::ops::Range;

use catchword_testkit::{TestEnv, claude_slug};
use serde_json::Value;

/// Longer texts in the client's own rows are cut.
const OWN_TEXT: usize = 200;

pub struct Scrub {
    fixed: Vec<(String, String)>,
    ids: HashMap<String, String>,
    first_ms: Option<i64>,
}

impl Scrub {
    pub fn new(env: &TestEnv) -> Self {
        let text = |path: &std::path::Path| path.to_str().expect("temporary paths are UTF-8").to_owned();
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let mut fixed = vec![
            (claude_slug(env.project()), "-home-user-project".to_owned()),
            (text(env.home()), "/home/user".to_owned()),
            (text(&env.root()), "/tmp/capture".to_owned()),
            ("/tmp/claude-0/".to_owned(), "/tmp/claude-1000/".to_owned()),
        ];
        if !kernel.trim().is_empty() {
            fixed.push((kernel.trim().to_owned(), "6.0.0".to_owned()));
        }
        Scrub { fixed, ids: HashMap::new(), first_ms: None }
    }

    /// One line of a transcript.
    pub fn row(&mut self, line: &str) -> String {
        let row: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {line}"));
        let conversation = row["type"] == "user" || row["type"] == "assistant" || row["type"] == "system";
        let queued = row["attachment"]["type"] == "queued_command";
        let line = self.text(line);
        // Last, so that a cut never goes through a path that has to be replaced.
        if conversation || queued { line } else { shorten(&line) }
    }

    /// One line of a Codex rollout: what people, the agent and its tools say stays whole.
    pub fn rollout_row(&mut self, line: &str) -> String {
        let row: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {line}"));
        let (kind, payload) = (&row["type"], &row["payload"]);
        let is_own = match payload["type"].as_str() {
            Some("message") => {
                payload["role"] == "developer" || payload.to_string().contains("environment_context")
            }
            Some("additional_tools") => true,
            _ => kind != "response_item" && kind != "event_msg",
        };
        let line = self.text(line);
        if is_own { shorten(&line) } else { line }
    }

    /// `text` without paths, random ids and real times.
    pub fn text(&mut self, text: &str) -> String {
        let text = self.fixed.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        let mut out = String::with_capacity(text.len());
        let mut word = String::new();
        for c in text.chars() {
            if c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.') {
                word.push(c);
            } else {
                out += &self.words(&word);
                word.clear();
                out.push(c);
            }
        }
        out + &self.words(&word)
    }

    /// A run without blanks: a time, or words joined by dots and colons.
    fn words(&mut self, run: &str) -> String {
        if let Some(ms) = parse_time(run) {
            return self.shift(ms);
        }
        let mut out = String::new();
        for piece in run.split_inclusive(['.', ':']) {
            let word = piece.trim_end_matches(['.', ':']);
            out += &self.word(word);
            out += &piece[word.len()..];
        }
        out
    }

    /// Letters, digits and dashes: perhaps an id, perhaps one with words around it (`agent-<id>`, `hook-<id>-stdout`).
    fn word(&mut self, word: &str) -> String {
        // `rollout-2026-11-16T15-59-32-<id>`.
        if let Some((_, id)) = word.strip_prefix("rollout-").and_then(|rest| rest.split_at_checked(20)) {
            return format!("rollout-2026-01-01T12-00-00-{}", self.word(id));
        }
        for prefix in ["agent-", "hook-", "exec-", "subagent-completed-"] {
            if let Some(rest) = word.strip_prefix(prefix) {
                return format!("{prefix}{}", self.word(rest));
            }
        }
        if let Some(rest) = word.strip_suffix("-stdout") {
            return format!("{}-stdout", self.word(rest));
        }
        let count = self.ids.len() + 1;
        let stand_in = if is_uuid(word) {
            format!("00000000-0000-4000-8000-{count:012}")
        } else if word.len() == 17 && word.starts_with('a') && is_hex(&word[1..]) {
            format!("a{count:016}")
        } else if word.len() == 64 && is_hex(word) {
            format!("{count:064}")
        } else if is_date(word) {
            return "2026-01-01".to_owned();
        } else {
            return word.to_owned();
        };
        self.ids.entry(word.to_owned()).or_insert(stand_in).clone()
    }

    /// Rows are not sorted by time, and no scene lasts hours: counted from noon, all stay on one day.
    fn shift(&mut self, ms: i64) -> String {
        let of_day = 12 * 3_600_000 + ms - *self.first_ms.get_or_insert(ms);
        let (s, ms) = (of_day / 1000, of_day % 1000);
        format!("2026-01-01T{:02}:{:02}:{:02}.{ms:03}Z", s / 3_600, s / 60 % 60, s % 60)
    }
}

/// `line` with its long string literals cut; the rest is unchanged.
fn shorten(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut copied = 0;
    for literal in literals(line) {
        let text: String = serde_json::from_str(&line[literal.clone()]).expect("a literal of a valid line");
        // Before a summary the client puts a few sentences of its own.
        let is_summary = text.contains("Here is the summary produced by");
        if text.chars().count() > OWN_TEXT && !is_summary {
            let cut: String = text.chars().take(OWN_TEXT / 2).collect();
            out += &line[copied..literal.start];
            out += &Value::from(format!("{cut}[cut]")).to_string();
            copied = literal.end;
        }
    }
    out + &line[copied..]
}

/// The spans of the string literals of a JSON line, including quotes.
fn literals(line: &str) -> Vec<Range<usize>> {
    let (mut found, mut open, mut escaped) = (Vec::new(), None, false);
    for (at, byte) in line.bytes().enumerate() {
        match (byte, open) {
            _ if escaped => escaped = false,
            (b'\\', Some(_)) => escaped = true,
            (b'"', None) => open = Some(at),
            (b'"', Some(start)) => {
                found.push(start..at + 1);
                open = None;
            }
            _ => {}
        }
    }
    found
}

fn is_uuid(word: &str) -> bool {
    let parts: Vec<_> = word.split('-').collect();
    parts.iter().map(|p| p.len()).eq([8, 4, 4, 4, 12]) && parts.iter().all(|p| is_hex(p))
}

fn is_hex(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_date(word: &str) -> bool {
    let parts: Vec<_> = word.split('-').collect();
    parts.iter().map(|p| p.len()).eq([4, 2, 2]) && word.starts_with("20") && parts.iter().all(|p| is_hex(p))
}

/// Milliseconds of `2026-11-15T20:10:28.070Z`, counted from an arbitrary day: only differences matter.
fn parse_time(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    if text.len() != 24 || !text.ends_with('Z') || text.as_bytes()[10] != b'T' {
        return None;
    }
    let days = number(0, 4)? * 372 + number(5, 7)? * 31 + number(8, 10)?;
    Some(
        (((days * 24 + number(11, 13)?) * 60 + number(14, 16)?) * 60 + number(17, 19)?) * 1000
            + number(20, 23)?,
    )
}
