//! A line of Claude Code's transcript → [`ReplayRow`], for measuring.

use serde::Serialize;
use serde_json::{Map, Value};

use super::machine_text::is_machine_text;
use super::transcript::{CONTINUED, is_interruption};
use super::wire;
use crate::clients::replay::{ReplayCall, ReplayKept, ReplayMark, ReplayRow, TaskChange};
use crate::model::entry::EntryId;

/// Attachments by which the client gives something back after a compaction.
const GIVEN_BACK: [&str; 6] =
    ["file", "plan_file_reference", "todo", "task_status", "invoked_skills", "compact_file_reference"];
/// Fields of a tool's input that hold a path, and those that hold a name or a pattern.
const PATHS: [&str; 3] = ["file_path", "path", "notebook_path"];
const WORDS: [&str; 5] = ["pattern", "query", "skill", "subagent_type", "taskId"];

/// Reads one line.
pub fn row(line: &[u8]) -> ReplayRow {
    let line = String::from_utf8_lossy(line);
    wire::read(&line).map_or_else(ReplayRow::default, |row: Value| understood(&row))
}

fn understood(row: &Value) -> ReplayRow {
    let blocks = blocks(&row["message"]["content"]);
    let sub = is(row, "isSidechain");
    ReplayRow {
        id: row["uuid"].as_str().map(EntryId::of),
        sub,
        text: shown(row, &blocks),
        typed: typed(row, &blocks),
        calls: if row["type"] == "assistant" && !sub { calls(&blocks) } else { Vec::new() },
        made: blocks.iter().filter_map(made).collect(),
        cwd: row["cwd"].as_str().filter(|cwd| !cwd.is_empty()).map(str::to_owned),
        mark: if sub { ReplayMark::None } else { mark(row, &blocks) },
        manual: row["compactMetadata"]["trigger"] == "manual",
    }
}

fn is(row: &Value, field: &str) -> bool {
    row[field].as_bool() == Some(true)
}

/// The blocks of a message; a plain string is one text block.
fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![serde_json::json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.iter().filter(|block| block.is_object()).cloned().collect(),
        _ => Vec::new(),
    }
}

fn shown(row: &Value, blocks: &[Value]) -> String {
    let of = |block: &Value| match block["type"].as_str()? {
        "text" => block["text"].as_str().map(str::to_owned),
        "tool_use" => Some(block.get("input").map_or_else(|| "{}".to_owned(), dumped)),
        "tool_result" => Some(result(block)),
        _ => None,
    };
    let attachment = row["attachment"].is_object().then(|| dumped(&row["attachment"]));
    let texts: Vec<String> = blocks.iter().filter_map(of).chain(attachment).collect();
    texts.join("\n")
}

fn result(block: &Value) -> String {
    match &block["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

// ---- what a person typed

fn typed(row: &Value, blocks: &[Value]) -> String {
    let by_client = ["isMeta", "isCompactSummary", "isSidechain"].iter().any(|mark| is(row, mark));
    if row["type"] != "user" || by_client || blocks.iter().any(|block| block["type"] == "tool_result") {
        return String::new();
    }
    let texts = blocks.iter().filter(|block| block["type"] == "text").filter_map(|b| b["text"].as_str());
    let typed: Vec<&str> = texts.map(str::trim).filter(|text| !is_clients(text)).collect();
    typed.join("\n").trim().to_owned()
}

fn is_clients(text: &str) -> bool {
    is_machine_text(text) || is_interruption(text) || text.starts_with("This session is being continued")
}

// ---- what was called

fn calls(blocks: &[Value]) -> Vec<ReplayCall> {
    let of = |block: &Value| {
        let input = block["input"].as_object().filter(|_| block["type"] == "tool_use")?;
        let name = block["name"].as_str().unwrap_or_default();
        Some(ReplayCall {
            id: block["id"].as_str().unwrap_or_default().to_owned(),
            paths: strings(input, &PATHS),
            command: text(input, "command").filter(|_| name == "Bash"),
            words: strings(input, &WORDS),
            given: given(input),
            tasks: tasks(name, input),
        })
    };
    blocks.iter().filter_map(of).collect()
}

fn strings(input: &Map<String, Value>, fields: &[&str]) -> Vec<String> {
    fields.iter().filter_map(|field| text(input, field)).collect()
}

fn given(input: &Map<String, Value>) -> String {
    let said = |value: &Value| value.as_str().map_or_else(|| dumped(value), str::to_owned);
    input.values().map(said).collect::<Vec<_>>().join("\n")
}

fn text(input: &Map<String, Value>, field: &str) -> Option<String> {
    input.get(field)?.as_str().map(str::to_owned)
}

fn tasks(name: &str, input: &Map<String, Value>) -> Option<TaskChange> {
    match name {
        "TodoWrite" => {
            let items = input.get("todos")?.as_array()?.iter().filter(|item| item.is_object());
            let of = |item: &Value| {
                (item["content"].as_str().unwrap_or_default().to_owned(), is_open(item["status"].as_str()))
            };
            Some(TaskChange::List(items.map(of).collect()))
        }
        "TaskCreate" => Some(TaskChange::Make(text(input, "subject").unwrap_or_default())),
        "TaskUpdate" => {
            let status = text(input, "status").filter(|status| !status.is_empty());
            Some(TaskChange::Change {
                task: number(input.get("taskId")?)?,
                open: status.map(|status| is_open(Some(&status))),
                subject: text(input, "subject").filter(|subject| !subject.is_empty()),
            })
        }
        _ => None,
    }
}

fn is_open(status: Option<&str>) -> bool {
    matches!(status, Some("pending" | "in_progress"))
}

/// Task numbers come as strings and as numbers.
fn number(id: &Value) -> Option<String> {
    match id {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// "Task #3 created successfully".
fn made(block: &Value) -> Option<(String, String)> {
    if block["type"] != "tool_result" {
        return None;
    }
    let (call, answer) = (block["tool_use_id"].as_str()?, result(block));
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    let number = answer.split("Task #").skip(1).map(digits).find(|digits| !digits.is_empty())?;
    Some((call.to_owned(), number))
}

// ---- compactions

fn mark(row: &Value, blocks: &[Value]) -> ReplayMark {
    let kind = row["type"].as_str().unwrap_or_default();
    let continues = || blocks[..].first().and_then(|b| b["text"].as_str()).is_some_and(opens_a_summary);
    if row["subtype"] == "compact_boundary" {
        ReplayMark::Boundary(kept(&row["compactMetadata"]))
    } else if is(row, "isCompactSummary") || (kind == "user" && continues()) {
        ReplayMark::Summary
    } else if kind == "attachment" && GIVEN_BACK.iter().any(|given| row["attachment"]["type"] == *given) {
        ReplayMark::Attached
    } else {
        ReplayMark::None
    }
}

fn opens_a_summary(text: &str) -> bool {
    text.trim_start().starts_with(CONTINUED)
}

/// Versions differ in whether they list the rows or name the first and the last.
fn kept(metadata: &Value) -> ReplayKept {
    let id = |value: &Value| value.as_str().map(EntryId::of);
    let listed = metadata["preservedMessages"]["uuids"].as_array();
    let rows: Vec<EntryId> = listed.into_iter().flatten().filter_map(id).collect();
    let stretch = &metadata["preservedSegment"];
    match id(&stretch["headUuid"]) {
        Some(head) if rows.is_empty() => ReplayKept::Stretch(head, id(&stretch["tailUuid"])),
        _ => ReplayKept::Rows(rows),
    }
}

// ---- JSON as text

/// `value` on one line, with a space after each comma and colon. Fields may change their order, which does not matter:
/// no path, command or name spans two fields.
fn dumped(value: &Value) -> String {
    let mut out = Vec::new();
    let written = value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, SpacedJson));
    written.ok().and_then(|()| String::from_utf8(out).ok()).unwrap_or_default()
}

struct SpacedJson;

impl serde_json::ser::Formatter for SpacedJson {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchword_testkit::Transcript;
    use serde_json::json;

    fn rows(transcript: &Transcript) -> Vec<ReplayRow> {
        transcript.lines().iter().map(|line| row(line.as_bytes())).collect()
    }

    #[test]
    fn a_row_shows_its_words_inputs_and_answers() {
        let rows = rows(&Transcript::new().says("Running it.").bash("cargo test \"a b\"").ok("2 passed"));
        let shown: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(
            shown,
            [
                "Running it.",
                r#"{"command": "cargo test \"a b\"", "description": "Run a command"}"#,
                "2 passed"
            ]
        );
        assert_eq!(rows[1].calls[0].command.as_deref(), Some("cargo test \"a b\""));
    }

    #[test]
    fn json_is_spaced_and_keeps_its_letters() {
        assert_eq!(
            dumped(&json!({"a": [1, {"b": "é\n"}], "c": [], "d": {}})),
            r#"{"a": [1, {"b": "é\n"}], "c": [], "d": {}}"#
        );
    }

    #[test]
    fn only_a_persons_words_are_typed() {
        let transcript = Transcript::new()
            .prompt("Fix it.")
            .prompt_blocks(&["<system-reminder>no</system-reminder>", " and this "])
            .meta_user("a skill")
            .interrupt()
            .bash("ls")
            .ok("src")
            .compaction("auto", "s");
        let typed: Vec<String> = rows(&transcript).into_iter().map(|row| row.typed).collect();
        let typed: Vec<&str> = typed.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        assert_eq!(typed, ["Fix it.", "and this"]);
    }

    #[test]
    fn compactions_of_both_shapes_are_marked() {
        let new = rows(&Transcript::new().prompt("a").says("b").compaction("auto", "s"));
        assert!(matches!(&new[2].mark, ReplayMark::Boundary(ReplayKept::Rows(kept)) if !kept.is_empty()));
        assert_eq!((&new[3].mark, &new[4].mark), (&ReplayMark::None, &ReplayMark::Summary));
        let old = rows(&Transcript::old_shape().prompt("a").old_style_compaction("s"));
        assert_eq!(old[1].mark, ReplayMark::Summary);
        let sub = rows(&Transcript::new().as_subagent("a1").compaction("auto", "s"));
        assert!(sub.iter().all(|row| row.mark == ReplayMark::None));
    }

    #[test]
    fn kept_rows_may_be_a_stretch() {
        let (head, tail) = (EntryId::of("h"), EntryId::of("t"));
        let stretch = json!({"preservedSegment": {"headUuid": "h", "tailUuid": "t"}});
        assert_eq!(kept(&stretch), ReplayKept::Stretch(head, Some(tail)));
        assert_eq!(kept(&json!({"preservedMessages": {"uuids": ["h"]}})), ReplayKept::Rows(vec![head]));
        assert_eq!(kept(&Value::Null), ReplayKept::Rows(Vec::new()));
    }

    #[test]
    fn tasks_are_followed_by_their_number() {
        let transcript = Transcript::new()
            .task_create("Write the docs")
            .task_update(1, "completed")
            .todo(&[("One", "pending"), ("Two", "completed")]);
        let rows = rows(&transcript);
        let changes: Vec<TaskChange> =
            rows.iter().flat_map(|row| row.calls.clone()).filter_map(|call| call.tasks).collect();
        assert_eq!(
            changes,
            [
                TaskChange::Make("Write the docs".into()),
                TaskChange::Change { task: "1".into(), open: Some(false), subject: None },
                TaskChange::List(vec![("One".into(), true), ("Two".into(), false)]),
            ]
        );
        assert_eq!(rows[1].made, [(rows[0].calls[0].id.clone(), "1".to_owned())]);
    }

    #[test]
    fn what_is_no_row_is_an_empty_one() {
        for line in ["", "{", "7", "null", "[1]", "\u{0}\u{0}"] {
            assert_eq!(row(line.as_bytes()), ReplayRow::default(), "{line:?}");
        }
        let half_an_emoji = r#"{"type":"user","message":{"content":"cut \ud83d here and \\ud83d there"}}"#;
        assert_eq!(row(half_an_emoji.as_bytes()).typed, "cut \u{fffd} here and \\ud83d there");
    }
}
