use super::*;
use crate::redact::{Mask, SECRETS};
use catchword_testkit::Rollout;
use serde_json::json;

fn parts_of(line: &str) -> Vec<Part> {
    entry(Place(1), line.as_bytes()).unwrap().map(|entry| entry.masked(SECRETS).parts).unwrap_or_default()
}

/// All parts of a rollout, without what every row of the client's own has.
fn parts(rollout: &Rollout) -> Vec<Part> {
    rollout.lines().iter().skip(2).flat_map(|line| parts_of(line)).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "tests hand over `json!` literals")]
fn row(kind: &str, payload: Value) -> String {
    json!({"timestamp": "2026-11-16T16:00:00.000Z", "ordinal": 7, "type": kind, "payload": payload})
        .to_string()
}

#[expect(clippy::needless_pass_by_value, reason = "tests hand over `json!` literals")]
fn item(item: Value) -> Vec<Part> {
    parts_of(&row("event_msg", json!({"type": "item_completed", "item": item})))
}

fn prompt(text: &str) -> Part {
    Part::Prompt { text: text.into(), origin: Origin::Typed, queued: false }
}

#[test]
fn both_kinds_of_rollouts_say_each_thing_once() {
    for rollout in [Rollout::new(), Rollout::old()] {
        let parts = parts(&rollout.prompt("go").says("on it").runs("make", 2, "boom\n"));
        let exit_code = Some(2);
        assert_eq!(parts[..2], [prompt("go"), Part::Text("on it".into())]);
        let shell = Tool::Shell { command: "make".into(), background: false };
        assert_eq!(parts[2], Part::Call { id: "call_1".into(), tool: shell });
        let Part::Result { call, ok, text, extra } = &parts[3] else { panic!("{parts:?}") };
        assert_eq!((call.as_str(), *ok, extra.exit_code), ("call_1", false, exit_code));
        assert_eq!(extra.output(text), "boom\n");
        assert_eq!(parts.len(), 4, "{parts:?}");
    }
}

/// The exit code, if it is known, and the output.
type CommandEnd = (Option<i32>, String);

/// The commands in the parts, with what is told of each.
fn ends_of_commands(parts: &[Part]) -> Vec<(String, Option<CommandEnd>)> {
    let mut found: Vec<(String, String, Option<CommandEnd>)> = Vec::new();
    for part in parts {
        match part {
            Part::Call { id, tool: Tool::Shell { command, .. } } => {
                found.push((id.clone(), command.clone(), None));
            }
            Part::Result { call, text, extra, .. } => {
                if let Some(known) = found.iter_mut().find(|(id, _, end)| id == call && end.is_none()) {
                    known.2 = Some((extra.exit_code, extra.output(text).to_owned()));
                }
            }
            _ => {}
        }
    }
    found.into_iter().map(|(_, command, end)| (command, end)).collect()
}

/// The scripts and outputs are those of a public session of 0.144.2, shortened.
#[test]
fn commands_of_a_script_have_the_outputs_that_are_theirs() {
    let run = "const r = await tools.exec_command({cmd:\"git status\",\"workdir\":\"/w\",\"yield_time_ms\":10000}); text(r.output);";
    let asks = format!("{run} if(r.session_id) text(`SESSION_ID=${{r.session_id}}`);");
    let code = format!("{run} text(`exit:${{r.exit_code}}`);");
    let two = "const results = await Promise.all([\n  tools.exec_command({cmd:\"make\"}),\n  tools.exec_command({cmd:\"ls\"})\n]); \
               results.forEach((r,i)=>{text(`---RESULT ${i+1}---`); text(r.output); if(r.session_id) text(`SESSION_ID=${r.session_id}`)});";
    let git = |end: Option<(Option<i32>, &str)>| {
        vec![("git status".to_owned(), end.map(|(code, text)| (code, text.to_owned())))]
    };
    let pair = |a: Option<&str>, b: Option<&str>| {
        let end = |text: Option<&str>| text.map(|text| (None, text.to_owned()));
        vec![("make".to_owned(), end(a)), ("ls".to_owned(), end(b))]
    };
    let cases: [(&str, &[&str], Vec<_>); 8] = [
        (run, &["clean"], git(Some((None, "clean")))),
        (&asks, &["clean"], git(Some((None, "clean")))),
        (&asks, &["cle", "SESSION_ID=84530"], git(Some((None, "cle")))),
        (&code, &["clean", "exit:0"], git(Some((Some(0), "clean")))),
        (&code, &["fatal", "exit:128"], git(Some((Some(128), "fatal")))),
        (&code, &["cle", "exit:undefined"], git(None)),
        (two, &["---RESULT 1---", "built", "---RESULT 2---", "a b"], pair(Some("built"), Some("a b"))),
        (two, &["---RESULT 1---", "bui", "SESSION_ID=84530", "---RESULT 2---", "a b"], pair(None, None)),
    ];
    for (script, printed, expected) in cases {
        let parts = parts(&Rollout::old().scripts(script, printed));
        assert_eq!(ends_of_commands(&parts), expected, "{script} {printed:?}");
        assert_eq!(
            parts.last(),
            Some(&Part::ScriptEnd { script: "call_1".into(), failed: false, goes_on: None })
        );
    }
    let line = &Rollout::old().scripts(run, &[]).lines()[2];
    assert_eq!(entry(Place(1), line.as_bytes()).unwrap().unwrap().masked(SECRETS).cwd.as_deref(), Some("/w"));
}

#[test]
fn script_that_may_have_called_anything_is_told_as_such() {
    let unread = "for (const cmd of list) { await tools.exec_command({cmd}) }";
    let half = "await tools.exec_command({cmd:'ls'}); await tools.exec_command({cmd: `git ${verb}`})";
    for (script, commands) in [(unread, 0), (half, 1), ("await tools.exec_command({cmd:", 0)] {
        let parts = parts(&Rollout::old().scripts(script, &["out"]));
        let tool = Tool::Script { code: script.to_owned() };
        assert_eq!(parts[0], Part::Call { id: "call_1/1of1".into(), tool });
        assert_eq!(ends_of_commands(&parts).len(), commands, "{script}");
        assert!(parts.iter().any(
            |part| matches!(part, Part::Result { call, text, .. } if call == "call_1/1of1" && text == "out")
        ));
    }
    let current = parts(&Rollout::new().scripts(unread, &["out"]));
    assert_eq!(current, [], "items tell it there");
}

/// A script that goes on, or failed: what it printed is nobody's.
#[test]
fn script_that_did_not_complete_tells_no_outcome() {
    let run = "const r = await tools.exec_command({cmd:\"make\"}); text(r.output);";
    let cell = || Some("cell_id: 18".to_owned());
    for (ended, failed, goes_on) in
        [("failed", true, None), ("running with cell ID 18", false, cell()), ("terminated", true, None)]
    {
        let parts = parts(&Rollout::old().script_that(ended, run, &["Script error:\nboom"]));
        assert_eq!(ends_of_commands(&parts), [("make".to_owned(), None)], "{ended}");
        assert_eq!(parts.last(), Some(&Part::ScriptEnd { script: "call_1".into(), failed, goes_on }));
    }
}

#[test]
fn a_patch_is_a_change_per_file() {
    for rollout in [Rollout::new(), Rollout::old()] {
        let change = json!({"type": "update", "unified_diff": "@@\n-a\n+b\n", "move_path": null});
        let parts = parts(&rollout.patches("/w/a.txt", change));
        let edit = Tool::Edit { path: "/w/a.txt".into(), change: "a\nb".into(), added: "b".into() };
        assert_eq!(parts[0], Part::Call { id: "call_1#0".into(), tool: edit });
        assert!(matches!(&parts[1], Part::Result { ok: true, .. }) && parts.len() == 2, "{parts:?}");
    }
}

#[test]
fn a_plan_is_read_from_a_call_and_from_a_script() {
    let todos = Tool::Todos(vec![Todo { text: "wire the lexer".into(), status: TaskStatus::InProgress }]);
    let script = r#"const r = await tools.update_plan({"plan": [{"step": "wire the lexer", "status": "in_progress"}]});"#;
    let in_code_mode = row(
        "response_item",
        json!({"type": "custom_tool_call", "call_id": "call_1", "name": "exec", "input": script}),
    );
    let called = parts(&Rollout::new().plans("wire the lexer", "in_progress"));
    for parts in
        [called, parts(&Rollout::old().plans("wire the lexer", "in_progress")), parts_of(&in_code_mode)]
    {
        assert_eq!(parts[0], Part::Call { id: "call_1".into(), tool: todos.clone() });
    }
}

#[test]
fn a_compaction_tells_the_summary_and_the_messages_that_stay() {
    for rollout in [Rollout::new(), Rollout::old()] {
        let readable = parts(&rollout.clone().prompt("go").compaction("did things"));
        assert!(readable.contains(&Part::Summary("did things".into())), "{readable:?}");
        assert!(matches!(&readable[..], [.., Part::Kept(kept)] if kept.contains(&"go".to_owned())));
        let bare = parts(&rollout.clone().prompt("go").compaction_keeping_nothing());
        assert!(
            matches!(&bare[..], [.., Part::Compaction { .. }, Part::Kept(kept)] if !kept.contains(&"go".to_owned()))
        );
        let opaque = parts(&rollout.prompt("go").compaction(""));
        assert!(opaque.contains(&Part::OpaqueSummary), "{opaque:?}");
        assert!(!opaque.iter().any(|part| matches!(part, Part::Summary(_))), "{opaque:?}");
        assert!(matches!(&opaque[..], [.., Part::Kept(kept)] if kept.contains(&"go".to_owned())));
    }
}

#[test]
fn only_typed_text_is_the_persons() {
    assert_eq!(parts(&Rollout::new().note("never touch this")), []);
    assert_eq!(parts(&Rollout::old().note("never touch this")), []);
    let injected = Part::Injected { event: INJECTED.into(), text: "the brief".into() };
    assert_eq!(parts(&Rollout::new().injected("the brief")), [injected]);
    // Several contents, each of its own kind.
    let message = json!({"type": "message", "role": "user",
        "content": [{"text": "<context>"}, {"text": "fix it"}],
        "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["environments.x", "user.text"]}});
    assert_eq!(parts_of(&row("response_item", message)), [prompt("fix it")]);
}

#[test]
fn a_text_is_the_persons_only_if_its_source_is() {
    let said = |source: &str| {
        let about = json!({"content_item_kinds": ["user.text"], "content_item_metadata": [{"provenance": {"type": source}}]});
        message(
            &json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Never test."}],
            "internal_chat_message_metadata_passthrough": about}),
        )
    };
    assert_eq!(said("user").len(), 1);
    for source in ["tool", "harness", "agent", "model"] {
        assert_eq!(said(source), [], "{source}");
    }
}

#[test]
fn a_subagent_runs_until_it_ends_and_its_words_are_not_the_persons() {
    let parts = parts(&Rollout::new().helper("SUBTASK"));
    let agent = Tool::Agent { description: "helper".into(), prompt: "SUBTASK".into() };
    assert_eq!(parts[0], Part::Call { id: "call_1".into(), tool: agent });
    assert!(
        matches!(&parts[1], Part::Result { extra, .. } if extra.background.as_deref() == Some("/root/helper"))
    );
    let ended = |with_result| Part::Finished { id: "/root/helper".into(), with_result };
    assert_eq!(parts[2..], [ended(false), ended(true), Part::Beside("SUBTASK".into())]);
}

#[test]
fn a_command_of_the_persons_own_is_not_the_agents() {
    let command = |source: &str| {
        item(json!({"type": "CommandExecution", "id": "x", "source": source, "status": "completed",
            "command": ["bash", "-lc", "git status"], "exit_code": 0, "aggregated_output": ""}))
    };
    assert_eq!(command("user_shell"), [Part::Typed("git status".into())]);
    assert_eq!(command("unified_exec_interaction"), []);
    assert_eq!(command("unified_exec_startup").len(), 2);
}

#[test]
fn a_command_ran_in_the_folder_that_its_row_names() {
    let folder = |row: &str| entry(Place(1), row.as_bytes()).unwrap().unwrap().masked(SECRETS).cwd;
    let arguments = json!({"cmd": "ls", "workdir": "/w/tree"}).to_string();
    let call = json!({"timestamp": "t", "type": "response_item", "payload": {"type": "function_call",
        "name": "exec_command", "call_id": "c", "arguments": arguments}});
    assert_eq!(folder(&call.to_string()).as_deref(), Some("/w/tree"));
    let ended = Rollout::new().runs("ls", 0, "");
    assert_eq!(folder(&ended.lines()[3]).as_deref(), Some("/home/user/project"));
    for (url, path) in [
        ("file:///w/my%20proj%20%C3%BC", Some("/w/my proj ü")),
        ("file:///w/100%25", Some("/w/100%")),
        ("file:///w/5%zz%", Some("/w/5%zz%")),
        ("file:///w/%FF", None),
        ("/w/plain%20", Some("/w/plain%20")),
    ] {
        let ran = json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "x", "cwd": url,
            "command": ["ls"], "status": "completed"}});
        assert_eq!(folder(&row("event_msg", ran)).as_deref(), path, "{url}");
    }
}

#[test]
fn a_command_that_outlives_its_call_in_an_old_rollout_has_an_unknown_end() {
    let output = |text: &str| {
        let row = json!({"timestamp": "t", "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "c", "output": text}});
        parts_of(&row.to_string())
    };
    let goes_on = output("Chunk ID: 1\nWall time: 10\nProcess running with session ID 7\nOutput:\n1 passed");
    let [Part::Result { text, extra, .. }] = &goes_on[..] else { panic!("{goes_on:?}") };
    assert!(extra.unended && text.is_empty(), "{goes_on:?}");
    assert!(matches!(&output("Plan updated")[..], [Part::Result { ok: true, .. }]));
}

#[test]
fn tokens_are_those_of_the_latest_answer() {
    let parts = parts(&Rollout::new().tokens(12_020));
    assert!(parts.contains(&Part::Usage(Usage { input: 12_000, output: 20, window: None })), "{parts:?}");
    assert!(parts.contains(&Part::Window(272_000)), "{parts:?}");
    // After a compaction the client only estimates the whole.
    let estimate = json!({"type": "token_count", "info": {"last_token_usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 13_535}}});
    let parts = parts_of(&row("event_msg", estimate));
    assert!(parts.contains(&Part::Usage(Usage { input: 13_535, output: 0, window: None })), "{parts:?}");
    assert_eq!(parts_of(&row("event_msg", json!({"type": "token_count", "info": null}))), []);
}

#[test]
fn unknown_rows_are_skipped_and_damaged_ones_located() {
    for skipped in [
        row("world_state", json!({"state": {}})),
        row("new_of_tomorrow", json!({})),
        row("event_msg", json!({"type": "new_of_tomorrow"})),
        row("response_item", json!({"type": "reasoning"})),
        String::new(),
        "  ".to_owned(),
    ] {
        assert!(entry(Place(1), skipped.as_bytes()).unwrap().is_none(), "{skipped}");
    }
    assert!(item(json!({"type": "NewOfTomorrow"})).is_empty());
    let damaged = entry(Place(1), br#"{"timestamp":"t","type":"event_msg","payl"#).unwrap_err();
    assert!(damaged.contains("byte 41"), "{damaged}");
    assert_eq!(entry(Place(1), b"[1]").unwrap_err(), "not a JSON object");
    let torn = br#"{"timestamp":"t","ordinal":1,"type":"world_state","payload":{"st"#;
    assert!(entry(Place(1), torn).is_err(), "half a row is damage, whatever its type");
}

#[test]
fn whose_a_rollout_is_stands_in_its_first_row_and_its_name() {
    let path = Path::new("/s/rollout-2026-11-16T15-59-33-01a1e515-caee-7651-98ed-aef0ee3c03a6.jsonl");
    let own = |id: &str| Some(Owner { session: id.into(), subagent: None });
    let meta = |payload: Value| owner(path, row("session_meta", payload).as_bytes());
    let id = "01a1e515-caee-7651-98ed-aef0ee3c03a6";
    assert_eq!(meta(json!({"id": id, "session_id": id, "thread_source": "user"})), own(id));
    let of_sub = json!({"id": id, "session_id": "p", "parent_thread_id": "p", "thread_source": "subagent"});
    assert_eq!(meta(of_sub), Some(Owner { session: "p".into(), subagent: Some(id.into()) }));
    // Threads that the client starts by itself name no parent.
    for source in [json!({"subagent": "review"}), json!({"subagent": {"other": "guardian"}})] {
        let of_client = meta(json!({"id": id, "source": source})).unwrap();
        assert_eq!(of_client.subagent.as_deref(), Some(id), "{source}");
    }
    // The copy of a fork begins with the first row of what it goes on from.
    assert_eq!(meta(json!({"id": "its base", "session_id": "its base"})), own(id));
    assert_eq!(owner(path, row("turn_context", json!({})).as_bytes()), own(id));
    assert!(is_of(path, id) && !is_of(path, "7651-98ed-aef0ee3c03a6"));
    assert!(!is_of(Path::new("/s/notes.jsonl"), "notes"));
}

/// A thread of 16 November 2026 and a fork of it on the next day, in the client's folders.
#[test]
fn a_fork_is_read_behind_what_it_goes_on_from() {
    use crate::transcript::tail::{self, Cursor, Line, Tail};
    let base_id = "01a1e515-c764-7341-8803-5bc92f285156";
    let folder = tempfile::tempdir().unwrap();
    let file = |day: &str, id: &str| {
        let day = folder.path().join("sessions/2026/11").join(day);
        std::fs::create_dir_all(&day).unwrap();
        day.join(format!("rollout-2026-11-16T15-59-32-{id}.jsonl"))
    };
    let (base, fork) = (file("16", base_id), file("17", "01a1e515-d687-7442-8407-6a527ca9a350"));
    let base_rows = Rollout::new().prompt("before the fork").build();
    let later = Rollout::new().prompt("only in the base").build();
    catchword_testkit::files::write(&base, format!("{base_rows}{later}"));
    // With the client's order of members.
    let meta = format!(
        r#"{{"timestamp":"t","ordinal":4,"type":"session_meta","payload":{{"id":"f","forked_from_id":"{base_id}","base_instructions":"{}","history_base":{{"thread_id":"{base_id}","end_byte_offset":{}}}}}}}"#,
        "x".repeat(30_000),
        base_rows.len()
    );
    catchword_testkit::files::write(&fork, format!("{meta}\nlast\n"));
    let read = |mask: &Mask| {
        let mut lines = Vec::new();
        let tail = Tail::open(&fork, mask).unwrap();
        let each = |_, _, line: Line| {
            if let Line::Whole(line) = line {
                lines.push(line.to_vec());
            }
        };
        let cursor = tail.read(Cursor::default(), || true, each).unwrap();
        assert!(tail.holds(&cursor));
        lines
    };
    assert_eq!(tail::bases(&fork), [base_id]);
    assert!(tail::bases(&base).is_empty());
    // Nor does a forgotten session come back.
    assert_eq!(read(&Mask::default().forgetting_sessions(vec![Mask::session_hash(base_id)])).len(), 2);
    let lines = read(SECRETS);
    let in_base = base_rows.lines().count();
    assert_eq!(lines.len(), in_base + 2);
    assert_eq!(lines[in_base - 1], base_rows.lines().last().unwrap().as_bytes());
    assert_eq!(lines.last().unwrap(), b"last");
    // Without the base there is the fork alone.
    std::fs::remove_file(&base).unwrap();
    assert_eq!(read(SECRETS).len(), 2);
}

#[test]
fn the_persons_answers_are_read_with_their_questions() {
    let arguments = json!({"questions": [{"id": "db", "question": "Which database?"}]}).to_string();
    let call = json!({"type": "function_call", "name": "request_user_input", "call_id": "c", "arguments": arguments});
    let asked = Part::Call { id: "c".into(), tool: Tool::Ask { questions: vec!["Which database?".into()] } };
    assert_eq!(parts_of(&row("response_item", call)), [asked]);
    let answers = |line: &str| match &parts_of(line)[..] {
        [Part::Result { call, ok: true, extra, .. }] if call == "c" => extra.answers.clone(),
        other => panic!("{other:?}"),
    };
    let answer = "Postgres\nWith pgvector";
    let kept = json!({"type": "verified_answer", "call_id": "c", "questions":
        [{"question": "Which database?\nPostgres: the big one", "answer": "Postgres\nuser_note: With pgvector"}]});
    assert_eq!(answers(&row("retained_context", kept)), [("Which database?".into(), answer.into())]);
    let output =
        json!({"answers": {"db": {"answers": ["Postgres", "user_note: With pgvector"]}}}).to_string();
    let output = json!({"type": "function_call_output", "call_id": "c", "output": output});
    assert_eq!(answers(&row("response_item", output)), [("db".into(), answer.into())]);
    let nothing = json!({"type": "function_call_output", "call_id": "c", "output": r#"{"answers":{}}"#});
    let nothing = parts_of(&row("response_item", nothing));
    assert!(matches!(&nothing[..], [Part::Result { extra, .. }] if extra.timed_out), "{nothing:?}");
}

#[test]
fn a_goal_is_the_persons_where_they_set_it() {
    let goal = |status: &str| {
        let goal = json!({"objective": "Ship the importer.", "status": status});
        parts_of(&row("event_msg", json!({"type": "thread_goal_updated", "goal": goal})))
    };
    assert_eq!(goal("active"), [prompt("Ship the importer.")]);
    assert_eq!(goal("paused"), []);
    let message = json!({"type": "message", "role": "user", "content": [{"text": "Ship it."}],
        "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["user.goal"]}});
    assert_eq!(parts_of(&row("response_item", message)), [prompt("Ship it.")]);
}

#[test]
fn a_plan_is_approved_by_what_the_person_says() {
    let plan = item(json!({"type": "Plan", "id": "p", "text": "# Drop it"}));
    assert!(matches!(&plan[1], Part::Result { extra, .. } if extra.undecided), "{plan:?}");
    assert_eq!(parts(&Rollout::new().prompt("Implement the plan."))[1], Part::Approved);
    assert_eq!(parts(&Rollout::new().prompt("Implement the plan, but without the last step.")).len(), 1);
    let handed_over = parts(&Rollout::new().prompt(&format!("{PLAN_HANDED_OVER} Go on.\n# Drop it")));
    assert!(matches!(&handed_over[..], [Part::Prompt { origin: Origin::Plan, .. }]), "{handed_over:?}");
}
