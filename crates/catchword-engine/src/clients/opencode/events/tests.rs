use std::path::PathBuf;

use catchword_testkit::SessionRows;
use serde_json::json;

use super::*;
use crate::clients::opencode::CLIENT;
use crate::model::origin::Origin;
use crate::redact::SECRETS;
use crate::transcript::tail::{Cursor, Line, Tail};

fn parts(row: &Value) -> Vec<Part> {
    row_entry(Place(1), row).map(|entry| entry.parts).unwrap_or_default()
}

fn of_user(part: &Value) -> Vec<Part> {
    parts(&json!({"client": "opencode", "event": "message.part.updated.1", "session": "s", "role": "user",
        "data": {"part": part}}))
}

fn of_agent(mode: &str, part: &Value) -> Vec<Part> {
    parts(
        &json!({"client": "opencode", "event": "message.part.updated.1", "session": "s", "role": "assistant",
        "mode": mode, "auto": 0, "failed": 0, "data": {"part": part}}),
    )
}

#[test]
fn only_the_persons_words_are_a_prompt() {
    let typed = json!({"type": "text", "text": "Fix it.\n"});
    assert_eq!(
        of_user(&typed),
        [Part::Prompt { text: "Fix it.".into(), origin: Origin::Typed, queued: false }]
    );
    let command = json!({"type": "text", "text": "Review a.rs and never change it.",
        "metadata": {"catchword_command": {"name": "review", "arguments": "a.rs\n"}}});
    let slash = Part::Slash { name: "/review".into(), args: "a.rs".into(), kind: Slash::Prompt };
    assert_eq!(of_user(&command), [slash]);
    for not_theirs in [
        json!({"type": "text", "text": "Continue if you have next steps", "synthetic": true}),
        json!({"type": "text", "text": "x", "ignored": true}),
        json!({"type": "text", "text": "  "}),
        json!({"type": "file", "url": "file:///a"}),
    ] {
        assert_eq!(of_user(&not_theirs), [], "{not_theirs}");
    }
    let no_author = json!({"event": "message.part.updated.1", "role": null, "data": {"part": {"type": "text", "text": "x"}}});
    assert_eq!(parts(&no_author), []);
}

#[test]
fn a_command_has_its_exit_code_although_the_client_calls_it_completed() {
    let state = json!({"status": "completed", "input": {"command": "sh check.sh"},
        "output": "E1: no\n\n<bash_metadata>\ntimed out\n</bash_metadata>", "metadata": {"exit": 3, "truncated": false}});
    let row = of_agent("build", &json!({"type": "tool", "tool": "bash", "callID": "c", "state": state}));
    let [Part::Message(_), Part::Call { tool, .. }, Part::Result { ok, text, extra, .. }] = &row[..] else {
        panic!("{row:?}")
    };
    assert_eq!(*tool, Tool::Shell { command: "sh check.sh".into(), background: false });
    assert_eq!((*ok, text.as_str(), extra.exit_code), (false, "E1: no", Some(3)));
    let failed = json!({"status": "error", "input": {"filePath": "a", "oldString": "x", "newString": "y"}, "error": "not found"});
    let row = of_agent("build", &json!({"type": "tool", "tool": "edit", "callID": "c", "state": failed}));
    assert!(matches!(&row[2], Part::Result { ok: false, text, .. } if text == "not found"), "{row:?}");
}

#[test]
fn a_summary_is_a_compaction_once_it_is_written() {
    let text = |end: Value| json!({"type": "text", "text": "We did this.", "time": {"start": 1, "end": end}});
    assert_eq!(of_agent("compaction", &text(Value::Null)), []);
    let compaction = Part::Compaction { manual: true, before: None, after: None };
    let summary = Part::Summary("We did this.".into());
    assert_eq!(of_agent("compaction", &text(json!(2))), [compaction, summary, Part::Kept(Vec::new())]);
    let said = of_agent("build", &text(json!(2)));
    assert!(matches!(&said[..], [Part::Message(_), Part::Text(_)]), "{said:?}");
}

#[test]
fn tokens_are_of_the_conversation() {
    let message = |summary: bool| {
        parts(
            &json!({"event": "message.updated.1", "data": {"info": {"id": "m", "role": "assistant", "modelID": "x",
            "summary": summary, "finish": "stop", "time": {"completed": 2},
            "tokens": {"input": 7, "output": 3, "reasoning": 1, "cache": {"read": 100, "write": 20}}}}}),
        )
    };
    let usage = Part::Usage(Usage { input: 127, output: 4, window: None });
    assert_eq!(message(false), [Part::Model("x".into()), usage, Part::TurnEnd]);
    assert_eq!(message(true), []);
}

fn lines(path: &Path, from: Cursor) -> (Vec<String>, Cursor) {
    let mut read = Vec::new();
    let tail = Tail::open(path, SECRETS).unwrap();
    assert!(tail.holds(&from));
    let next = tail.read(
        from,
        || true,
        |line, _, content| {
            if let Line::Whole(bytes) = content {
                assert_eq!(read.len() as u32 + from.line + 1, line);
                read.push(String::from_utf8(bytes.to_vec()).unwrap());
            }
        },
    );
    (read, next.unwrap())
}

fn path_of(folder: &tempfile::TempDir, session: &str) -> PathBuf {
    folder.path().join("opencode/opencode.db").join(session)
}

#[test]
fn a_session_in_the_database_is_read_row_by_row_and_on_from_a_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("opencode/opencode.db");
    let begun =
        catchword_testkit::OpenCodeLog::new("ses_1").prompt("Fix it.").task("look").runs("make", 2, "E1");
    begun.store(&database);
    catchword_testkit::OpenCodeLog::new("ses_2").started_by("ses_1").prompt("Look around.").store(&database);
    let path = path_of(&folder, "ses_1");
    let same = |read: &[String], built: &str| {
        let value = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        let (read, built): (Vec<Value>, Vec<Value>) =
            (read.iter().map(|line| value(line)).collect(), built.lines().map(value).collect());
        assert_eq!(read, built);
    };
    let (first, cursor) = lines(&path, Cursor::default());
    same(&first, &begun.build());
    let more = begun.compaction("We did.").says("On it.").prompt("No.").takes_back_last_prompt();
    more.store(&database);
    let (second, end) = lines(&path, cursor);
    same(&[first, second].concat(), &more.build());
    assert_eq!(lines(&path, end).0, [] as [&str; 0]);
    let other = path_of(&folder, "ses_2");
    assert!(!Tail::open(&other, SECRETS).unwrap().holds(&cursor), "another session");
    let line = lines(&other, Cursor::default()).0.remove(0);
    let owner = (CLIENT.owner)(&other, line.as_bytes()).unwrap();
    assert_eq!(owner, Owner { session: "ses_1".into(), subagent: Some("ses_2".into()) });
    assert!(Tail::open(&path_of(&folder, "ses_3"), SECRETS).is_err(), "no such session");
}

#[test]
fn what_the_person_took_back_is_rolled_back() {
    let log = catchword_testkit::OpenCodeLog::new("s").prompt("Wrong.").takes_back_last_prompt();
    let last = log.build().lines().last().map(|line| serde_json::from_str::<Value>(line).unwrap()).unwrap();
    assert_eq!(parts(&last), [Part::RolledBack(1)]);
}
