//! An entry contains no secret and no forgotten text, whatever its row says and wherever it is cut.

use catchword_testkit::secrets::{Secret, secrets};
use catchword_testkit::{Rollout, Transcript};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::clients::CLIENTS;
use crate::redact::SECRETS;
use crate::redact::folders::Folders;
use crate::redact::forgotten::Forgotten;

fn entry(client: &Client, mask: &Mask, line: &str) -> Option<Entry> {
    Rows::new(RowReader { client, mask }).understood(1, 0, &Line::Whole(line.as_bytes())).ok().flatten()
}

// ---- masking comes before cutting

/// `length` bytes of harmless lines.
fn padding(length: usize) -> String {
    "a line of output that says nothing\n".chars().cycle().take(length).collect()
}

/// All places in which a client puts a long text.
const WAYS: &[fn(Transcript, &str) -> Transcript] = &[
    |rows, text| rows.prompt(text),
    |rows, text| rows.says(text),
    |rows, text| rows.bash(text).ok("done"),
    |rows, text| rows.bash("make").ok(text),
    |rows, text| rows.bash("make").fails(text),
    |rows, text| rows.call("Write", json!({"file_path": "/a", "content": text})).ok("done"),
    |rows, text| rows.call("mcp__notes__add", json!({"text": text})).ok("done"),
    |rows, text| rows.edit("/a", "", text),
    |rows, text| rows.queued(text),
];

fn rows_with(text: &str) -> Transcript {
    WAYS.iter().fold(Transcript::new(), |rows, way| way(rows, text))
}

/// A part of the secret that is still there and too long to be a coincidence.
fn remaining_part<'a>(secret: &'a Secret, shown: &str) -> Option<&'a str> {
    const TELLING: usize = 12;
    let telling = TELLING.min(secret.secret.len());
    let stretches = (0..=secret.secret.len() - telling).map(|at| at..at + telling);
    stretches.filter_map(|range| secret.secret.get(range)).find(|stretch| shown.contains(stretch))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_part_of_a_secret_survives_a_cut(
        number in any::<prop::sample::Index>(),
        way in prop::sample::select(WAYS),
        longest in prop::sample::select(vec![LONGEST_TEXT, LONGEST_PROMPT]),
        at_tail in any::<bool>(),
        shift in -200_isize..200,
        rest in 0..30_000_usize,
    ) {
        let all = secrets();
        let secret = number.get(&all);
        // One of the two cuts goes through the secret or close by it.
        let cut = if at_tail { longest / 4 } else { longest * 3 / 4 };
        let near = padding((cut - secret.text.len() / 2).saturating_add_signed(shift));
        let far = padding(longest + rest);
        let (before, after) = if at_tail { (far, near) } else { (near, far) };
        let rows = way(Transcript::new(), &format!("{before}\n{}\n{after}", secret.text));
        for entry in rows.lines().iter().filter_map(|line| entry(CLIENTS[0], SECRETS, line)) {
            prop_assert_eq!(remaining_part(secret, &format!("{entry:?}")), None, "{}", secret.kind);
        }
    }
}

/// The end of a session has little time, and the deadline is only checked between rows.
#[test]
fn masking_a_huge_row_scans_only_what_is_kept() {
    let cookies = "Set-Cookie: sid=8f3a9c1d7e; Path=/; HttpOnly\ncookie=abc123def456; ".repeat(120_000);
    assert!(cookies.len() > 7 << 20);
    for way in WAYS {
        let rows = way(Transcript::new(), &cookies);
        crate::redact::SCANNED.set(0);
        let shown: Vec<Entry> =
            rows.lines().iter().filter_map(|line| entry(CLIENTS[0], SECRETS, line)).collect();
        assert!(!format!("{shown:?}").contains("8f3a9c1d7e"));
        let scanned = crate::redact::SCANNED.get();
        assert!((20_000..3 << 20).contains(&scanned), "{scanned} bytes");
    }
}

#[test]
fn a_part_of_any_secret_would_be_seen() {
    for secret in secrets() {
        assert!(remaining_part(&secret, &secret.text).is_some(), "{}: {}", secret.kind, secret.text);
    }
}

#[test]
fn no_part_of_a_secret_survives_the_cut_of_a_huge_row() {
    for secret in secrets().iter().step_by(20) {
        for kept in [LONGEST_TEXT, LONGEST_PROMPT] {
            // It is repeated, so that most cuts go through it.
            let text = format!("{}\n{}\n", secret.text, padding(40));
            let text = text.repeat(500_000 / text.len());
            let masked = SECRETS.ends(&text, kept).expect("it is long");
            assert_eq!(remaining_part(secret, &masked), None, "{}", secret.kind);
        }
    }
}

#[test]
fn long_texts_are_cut_and_summaries_are_not() {
    let text = padding(100_000);
    let cut = |line: &str| entry(CLIENTS[0], SECRETS, line).map_or(0, |entry| format!("{entry:?}").len());
    let transcript = rows_with(&text);
    assert!(transcript.lines().iter().all(|line| cut(line) < 70_000));
    let summary = Transcript::new().compaction("auto", &text);
    assert!(summary.lines().iter().any(|line| cut(line) > 100_000));
}

// ---- every string

/// Every captured row of every client version, and those of the builder.
fn captured_rows() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let mut rows = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|found| found.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                rows.extend(std::fs::read_to_string(path).unwrap().lines().map(str::to_owned));
            }
        }
    }
    let attachment = |fields: Value| Transcript::new().meta_row("attachment", json!({"attachment": fields}));
    let call = |tool: &str, input: Value| Transcript::new().call(tool, input).ok("done");
    let built = [
        rows_with("text"),
        Transcript::new()
            .slash("/deploy", "now")
            .shell_input("ls", "out")
            .task_create("a")
            .todo(&[("a", "pending")]),
        Transcript::new()
            .subagent("a1", "go", "done")
            .background_shell("b1", "make")
            .task_notification("b1", "ok", "x"),
        Transcript::new()
            .ask("which?", "this")
            .plan("a plan")
            .hook_context("Stop", "x")
            .compaction("auto", "s"),
        attachment(json!({"type": "output_style", "style": "terse"})),
        attachment(json!({"type": "invoked_skills", "skills": [{"name": "deploy"}]})),
        attachment(json!({"type": "queued_command", "prompt": "and this", "commandMode": "prompt"})),
        call("Skill", json!({"skill": "deploy", "args": "now"})),
        call("ExitPlanMode", json!({"plan": "p", "planFilePath": "/plans/p.md"})),
        call("KillShell", json!({"shell_id": "b1"})),
        call("TaskUpdate", json!({"taskId": "1", "status": "completed", "subject": "s"})),
        call("Grep", json!({"pattern": "x", "path": "src"})),
        call("Read", json!({"file_path": "/a/b.rs"})),
        call("mcp__x__y", json!({"deep": [{"a": "b"}]})),
    ];
    rows.extend(built.iter().flat_map(Transcript::lines).cloned());
    rows
}

/// Visits every string of a row, including object keys.
fn each_string(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_string(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|value| each_string(value, change)),
        _ => {}
    }
}

/// The row with `word` added to string number `number`; `None` past the last.
fn planted(row: &Value, number: usize, word: &str) -> Option<String> {
    let (mut row, mut count) = (row.clone(), 0);
    each_string(&mut row, &mut |text| {
        if count == number {
            text.push(' ');
            text.push_str(word);
        }
        count += 1;
    });
    (number < count).then(|| row.to_string())
}

#[test]
fn forgotten_text_in_any_string_of_a_row_is_masked() {
    const WORD: &str = "quillwort";
    let mask = Mask::new(vec![Forgotten::of(WORD, 7).unwrap()]);
    let (mut tried, mut reached) = (0, 0);
    for row in captured_rows().iter().filter_map(|row| serde_json::from_str::<Value>(row).ok()) {
        for line in (0..).map_while(|number| planted(&row, number, WORD)) {
            for client in CLIENTS {
                tried += 1;
                let shown = |mask: &Mask| entry(client, mask, &line).map(|entry| format!("{entry:?}"));
                reached += usize::from(shown(SECRETS).is_some_and(|entry| entry.contains(WORD)));
                assert!(!shown(&mask).is_some_and(|entry| entry.contains(WORD)), "{line}");
            }
        }
    }
    assert!(tried > 5_000 && reached > 500, "{tried} strings, {reached} of them reach an entry");
}

/// Passes begin anywhere: what the rows before say is looked up, however far back it is.
#[test]
fn rows_read_from_any_line_are_those_of_the_whole_transcript() {
    let codex = clients::named("codex").unwrap();
    let declined = json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "x",
        "command": ["ls"], "status": "declined"}});
    let turn = |folder: &str, policy: &str| json!({"cwd": folder, "approval_policy": policy});
    // Rows that only mention what is looked for, and more of them than are read at once.
    let long = format!("{}{}", r#"{"type":"turn_context"} "#, "x".repeat(300_000));
    for meta in [json!({"cwd": "/w"}), json!({"cwd": "/w", "source": {"subagent": "review"}})] {
        let mut rollout = Rollout::new().row("session_meta", meta);
        for (folder, policy) in [("/w", "never"), ("/secret", "on-request"), ("/w", "on-request")] {
            rollout = rollout.row("turn_context", turn(folder, policy)).prompt("go").says(&long);
            rollout =
                rollout.row("other", json!({"type": "turn_context"})).row("event_msg", declined.clone());
        }
        // The first row of a transcript is the one that names its thread.
        let text = rollout.lines()[2..].join("\n") + "\n";
        let file = tempfile::NamedTempFile::new().unwrap();
        catchword_testkit::files::write(file.path(), &text);
        let mask = Mask::default().leaving_out(Folders::new(&["/secret"]));
        let reader = RowReader { client: codex, mask: &mask };
        let tail = Tail::open(file.path(), reader.mask).unwrap();
        let after = |from: Cursor| {
            let mut entries = Vec::new();
            read(reader, &tail, from, &|| true, |_, entry| entries.push(entry.unwrap())).unwrap();
            entries
        };
        let whole = after(Cursor::default());
        let refused = |entry: &&Entry| format!("{entry:?}").contains("refused: Some");
        assert_eq!(whole.iter().filter(refused).count(), 1, "of the turn that asks, outside of /secret");
        let mut from = Cursor::default();
        for line in text.lines() {
            from = Cursor { offset: from.offset + line.len() as u64 + 1, line: from.line + 1, ..from };
            let rest: Vec<&Entry> = whole.iter().filter(|entry| entry.place.0 > from.line).collect();
            assert_eq!(after(from).iter().collect::<Vec<_>>(), rest, "after {}", from.line);
        }
    }
}
