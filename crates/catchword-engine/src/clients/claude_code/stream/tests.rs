use super::*;

/// Rows as 2.1.325 prints them, shortened to what matters.
#[test]
fn relevant_rows_are_parsed() {
    let used = r#"{"type":"assistant","message":{"id":"m","usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":100,"output_tokens":40}},"parent_tool_use_id":null}"#;
    let callback = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"hook_callback","callback_id":"catchword-boundary","input":{"session_id":"s","transcript_path":"/t.jsonl","hook_event_name":"PostToolBatch"}}}"#;
    let at = |sub| Boundary { request: "r1".into(), sub, session: "s".into(), transcript: "/t.jsonl".into() };
    let tasks = r#"{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"a","task_type":"local_agent","description":"look"},{"task_id":"b","task_type":"local_bash","description":"serve"}]}"#;
    let context = r#"{"type":"control_response","response":{"subtype":"success","request_id":"catchword-context","response":{"rawMaxTokens":200000,"autoCompactThreshold":167000,"isAutoCompactEnabled":true}}}"#;
    let ours = "ca7c4e0d-0000-4000-8000-000000000001";
    let cases = [
        (r#"{"type":"system","subtype":"init","session_id":"s"}"#.to_owned(), Row::Begun { session: "s".into(), model: None }),
        (used.to_owned(), Row::Used { tokens: 155, model: None }),
        (
            used.replace("\"id\":\"m\"", "\"model\":\"claude-x\""),
            Row::Used { tokens: 155, model: Some("claude-x".into()) },
        ),
        (used.replace("null", "\"toolu_1\""), Row::Other),
        (used.replace("100", "0").replace("10,", "0,").replace(":5", ":0"), Row::Other),
        (callback.to_owned(), Row::Boundary(at(false))),
        (callback.replace("\"session_id\"", "\"agent_id\":\"a\",\"session_id\""), Row::Boundary(at(true))),
        (callback.replace("catchword-boundary", "catchword-prompt"), Row::Prompted(at(false))),
        (callback.replace("catchword-boundary", "hook_0"), Row::Other),
        (tasks.to_owned(), Row::Background(Background { agents: 1, shells: vec!["serve".into()] })),
        (context.to_owned(), Row::Context(ToldContext { window: Some(200_000), threshold: Some(167_000) })),
        (context.replace("true", "false"), Row::Context(ToldContext { window: Some(200_000), threshold: None })),
        (r#"{"type":"control_response","response":{"subtype":"error","request_id":"catchword-context","error":"no"}}"#.to_owned(), Row::Context(ToldContext::default())),
        (r#"{"type":"control_response","response":{"subtype":"success","request_id":"catchword-hello","response":{"commands":[]}}}"#.to_owned(), Row::Ours),
        (r#"{"type":"control_response","response":{"subtype":"success","request_id":"x"}}"#.to_owned(), Row::Answered("x".into())),
        (format!(r#"{{"type":"user","uuid":"{ours}","isReplay":true}}"#), Row::Taken { id: ours.into(), ours: true, replay: true }),
        (r#"{"type":"user","uuid":"u","isReplay":true}"#.to_owned(), Row::Taken { id: "u".into(), ours: false, replay: true }),
        (format!(r#"{{"type":"command_lifecycle","command_uuid":"{ours}","state":"queued"}}"#), Row::Ours),
        (format!(r#"{{"type":"command_lifecycle","command_uuid":"{ours}","state":"started"}}"#), Row::Taken { id: ours.into(), ours: true, replay: false }),
        (r#"{"type":"system","subtype":"compact_boundary"}"#.to_owned(), Row::Compacted),
        (r#"{"type":"user","message":{"content":[]}}"#.to_owned(), Row::Other),
        (r#"{"type":"future"}"#.to_owned(), Row::Other),
        ("no json".to_owned(), Row::Other),
        (r#"{"type":7,"tasks":"x"}"#.to_owned(), Row::Other),
    ];
    for (line, expected) in cases {
        assert_eq!(row(line.as_bytes()), expected, "{line}");
    }
}

fn result(json: &str) -> EndedTurn {
    match row(json.as_bytes()) {
        Row::Ended(ended) => ended,
        other => panic!("{other:?}"),
    }
}

#[test]
fn result_row_says_how_the_turn_ended() {
    let fine = result(
        r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s","num_turns":3,"total_cost_usd":0.5,"terminal_reason":"completed","modelUsage":{"m":{"contextWindow":200000}}}"#,
    );
    assert_eq!((fine.text.as_str(), fine.failed, fine.stopped), ("Done.", false, false));
    assert_eq!((fine.turns, fine.cost, fine.window), (3, 0.5, Some(200_000)));
    let stopped =
        result(r#"{"type":"result","subtype":"success","result":"","terminal_reason":"hook_stopped"}"#);
    assert!(stopped.stopped && !stopped.failed);
    let limit = result(
        r#"{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (1)"]}"#,
    );
    assert_eq!((limit.text.as_str(), limit.failed), ("Error: Reached max turns (1)", true));
    let api = result(r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500"}"#);
    assert_eq!((api.text.as_str(), api.failed), ("API Error: 500", true));
}

#[test]
fn initialisation_adds_our_hooks_to_another_programs() {
    let parse = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let alone = parse(hello(None));
    assert_eq!(alone["request"]["hooks"]["PostToolBatch"][0]["hookCallbackIds"][0], "catchword-boundary");
    assert_eq!(alone["request"]["hooks"]["UserPromptSubmit"][0]["hookCallbackIds"][0], "catchword-prompt");
    let theirs = json!({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize",
        "hooks": {"Stop": [{"hookCallbackIds": ["a"]}], "PostToolBatch": [{"hookCallbackIds": ["b"]}]}}});
    assert!(is_hello(&theirs));
    let both = parse(hello(Some(&theirs)));
    assert_eq!(both["request_id"], "1");
    assert_eq!(both["request"]["hooks"]["Stop"], theirs["request"]["hooks"]["Stop"]);
    assert_eq!(both["request"]["hooks"]["PostToolBatch"].as_array().unwrap().len(), 2);
    let again = parse(hello_again(Some(&theirs)));
    assert_eq!(
        (again["request_id"].as_str(), &again["request"]),
        (Some("catchword-hello"), &both["request"])
    );
}

#[test]
fn prompt_keeps_its_content_and_id() {
    let one = prompt(&["/compact now".into()], 7);
    assert!(one.is_slash() && one.line().contains(r#""content":"/compact now""#), "{}", one.line());
    let theirs = r#"{"type":"user","uuid":"mine","message":{"role":"user","content":[{"type":"image"},{"type":"text","text":"look"}]}}"#;
    let joined = put_before(prompt_of_row(theirs, 8).unwrap(), &["before".into()]);
    assert_eq!((joined.id.as_str(), joined.texts.join(" ").as_str()), ("mine", "before look"));
    assert!(joined.line().contains(r#"{"type":"image"}"#), "{}", joined.line());
    assert_eq!(prompt_of_row(r#"{"type":"control_request"}"#, 9), None);
    assert_eq!(prompt_of_row(r#"{"type":"user","message":"text"}"#, 9), None);
    let odd = prompt_of_row(r#"{"type":"user","message":{"content":7}}"#, 9).unwrap();
    assert!(odd.texts.is_empty() && !odd.is_slash());
    let after = put_before(prompt(&["a".into()], u64::MAX), &["b".into()]);
    assert_eq!((after.texts.join(" ").as_str(), after.id.len()), ("b a", 36));
}

proptest::proptest! {
    #[test]
    fn any_bytes_never_panic(bytes: Vec<u8>) {
        row(&bytes);
        let _ = prompt_of_row(&String::from_utf8_lossy(&bytes), 1);
    }

    #[test]
    fn any_value_in_any_field_never_panics(
        kind in proptest::sample::select(vec![
            "system", "assistant", "user", "command_lifecycle", "control_request", "control_response", "result",
        ]),
        field in proptest::sample::select(vec![
            "subtype", "message", "tasks", "request", "response", "errors", "modelUsage", "uuid", "result",
        ]),
        value in proptest::sample::select(vec!["null", "7", "\"x\"", "[]", "[1,null]", "{}", "{\"response\":3}"]),
    ) {
        row(format!(r#"{{"type":"{kind}","isReplay":true,"{field}":{value}}}"#).as_bytes());
    }
}
