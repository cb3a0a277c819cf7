//! The gauge, and what happens on the way to a compaction.

use catchword_testkit::Terminal;

use super::*;

/// The token count at which the client compacts, with the window that every test here has.
const THRESHOLD: u64 = 167_000;

/// Compaction and threshold of the recorded percentages, and the number of steps.
fn checkpoints(world: &World) -> (Vec<(i64, String)>, usize) {
    let db = rusqlite::Connection::open(world.env.data().join("catchword.db")).unwrap();
    let mut statement = db.prepare("SELECT compaction, threshold FROM checkpoint ORDER BY no").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).unwrap();
    let all: Vec<(i64, String)> = rows.collect::<Result<_, _>>().unwrap();
    let (left, steps): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, name)| name.starts_with("left"));
    (left, steps.len())
}

/// The thousands in our line; the rest of it is always the same.
fn tokens_left(line: &str) -> u64 {
    let rest = line.strip_prefix("catchword: about ").unwrap_or_else(|| panic!("{line}"));
    let (tokens, rest) = rest.split_once("k tokens until compaction; state is saved. ").expect("the rest");
    assert_eq!(rest, format!("Suggested: /compact focus on {OPEN_TASK}"));
    tokens.parse().expect("a number")
}

/// The row of an answer reaches the transcript a moment after the answer: the tool call takes that moment.
fn step(tokens: u64) -> FakeAnswer {
    FakeAnswer::bash("sleep 1.2; echo step").context_tokens(tokens)
}

#[test]
fn each_checkpoint_is_reported_once_per_compaction() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let task = json!({"subject": OPEN_TASK, "description": "x", "activeForm": "x"});
    let script = Script::new()
        .turn(FakeAnswer::tool("TaskCreate", task))
        .turn(step(60_000))
        .turn(step(118_000))
        .turn(step(120_000))
        .turn(step(145_000))
        .turn(step(146_000))
        .turn(step(160_000))
        .turn(step(161_000))
        .turn(step(FULL))
        .turn(step(20_000))
        .turn(step(121_000))
        .turn(step(122_000))
        .turn(FakeAnswer::text("All done."));
    let api = FakeApi::start(script.summary(SUMMARY));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_eq!((api.turns_left(), api.requests_for(&Asked::Summary).len()), (0, 1));
    let point = |compaction, left: u8| (compaction, format!("left {left}%"));
    let (left, steps) = checkpoints(&world);
    assert_eq!(left, [point(0, 30), point(0, 15), point(0, 5), point(1, 30)]);
    assert_eq!(steps, 15 + 8, "every 10,000 from 50,000 to 190,000, and to 120,000 after the compaction");
    let mut lines = shown_to_the_person(&world, &run);
    lines.retain(|line| !line.starts_with("catchword: the summary"));
    let left: Vec<u64> = lines.iter().map(|line| tokens_left(line)).collect();
    // A row may be read one hook late, so there are two hooks after each threshold.
    let ranges = [46..=49, 21..=22, 6..=7, 45..=46];
    let fitting = ranges.iter().zip(&left).filter(|(range, left)| range.contains(*left)).count();
    assert_eq!((left.len(), fitting), (4, 4), "{lines:?}");
    let told = |request: &Request| request.body.to_string().contains("until compaction");
    assert!(!api.requests().iter().any(told), "the model is not told");
    world.assert_no_hook_complaint(&run);
}

/// The agent itself reads the document after each step, before anything but a threshold could have written it.
#[test]
fn threshold_writes_a_private_handoff_unless_switched_off() {
    let client = real_client_or_skip!();
    for (config, is_written) in [("", true), ("handoff.on = false\n", false)] {
        let world = World::new(&client, &Hook::Catchword);
        files::write(world.env.data().join("config.toml"), config);
        let handoffs = world.env.data().join("handoffs");
        let look = |name: &str, tokens| {
            let folder = handoffs.display();
            let command = format!(
                "sleep 1.2; stat -c %a {folder}/*.md >{name} 2>/dev/null; cat {folder}/*.md >>{name} 2>/dev/null; true"
            );
            FakeAnswer::bash(&command).context_tokens(tokens)
        };
        let task = json!({"subject": OPEN_TASK, "description": "x", "activeForm": "x"});
        let script = Script::new()
            .turn(FakeAnswer::tool("TaskCreate", task))
            .turn(step(60_000))
            .turn(look("before", 61_000))
            .turn(step(120_000))
            .turn(step(121_000))
            .turn(look("after", 122_000))
            .turn(FakeAnswer::text("All done."));
        let api = FakeApi::start(script);
        let run = world.run(&api, &[]).prompt(PROMPT).success();
        assert_eq!(shown_to_the_person(&world, &run).len(), 1, "told in any case");
        let seen = |name: &str| files::read(world.env.project().join(name));
        assert_eq!(seen("before"), "", "{config}");
        if is_written {
            let after = seen("after");
            assert!(after.starts_with("600\n<!-- catchword handoff of session "), "{after}");
            assert!(after.contains(&run.session_id()) && after.contains("before a compaction"), "{after}");
            assert!(after.contains(OPEN_TASK) && after.contains(INSTRUCTION), "{after}");
            assert!(after.ends_with("<!-- end of the handoff -->\n"), "{after}");
        } else {
            assert_eq!(seen("after"), "");
            assert!(!handoffs.exists());
        }
        world.assert_no_hook_complaint(&run);
    }
}

#[test]
fn client_compacts_at_the_threshold_of_the_gauge() {
    // What the client adds for its own output and for a tool result.
    const BESIDES: u64 = 63;
    let client = real_client_or_skip!();
    let cases: [(&str, &str, Option<&str>, u64); 4] = [
        ("claude-sonnet-4-5", "200000", None, THRESHOLD),
        ("claude-sonnet-4-5", "100k", None, 67_000),
        ("claude-sonnet-4-5", "200000", Some("50"), 90_000),
        ("claude-opus-4-7", "1M", None, 967_000),
    ];
    for (model, window, percent, threshold) in cases {
        for (tokens, compacts) in [(threshold - BESIDES - 50, false), (threshold - BESIDES + 50, true)] {
            let world = World::new(&client, &Hook::Catchword);
            let script = Script::new()
                .turn(FakeAnswer::bash("echo one"))
                .turn(FakeAnswer::bash("echo two").context_tokens(tokens));
            let api = FakeApi::start(script.turn(FakeAnswer::text("All done.")).summary(SUMMARY));
            let run = client.start(&world.env, &api).settings(&world.settings).arg("--model").arg(model);
            let run =
                run.arg("--dangerously-skip-permissions").var("CLAUDE_CODE_AUTO_COMPACT_WINDOW", window);
            let run = percent.into_iter().fold(run, |run, p| run.var("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", p));
            let _ = run.prompt("Count to two.").success();
            let asked = api.requests_for(&Asked::Summary).len();
            assert_eq!(asked, usize::from(compacts), "{model} {window} {percent:?} at {tokens}");
        }
        let client = CLIENTS[0];
        let limits = (client.environment.limits)(&|name| match name {
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW" => Some(window.to_owned()),
            "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE" => percent.map(str::to_owned),
            _ => None,
        });
        let size = (client.window)(model).expect("a known model");
        assert_eq!((client.threshold)(size, model, &limits).tokens, threshold);
    }
}

#[test]
fn full_subagent_does_not_move_the_gauge() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let agent = json!({"description": "Look around", "subagent_type": "general-purpose",
        "prompt": "SUBAGENT-ONE: look around."});
    let inner = vec![step(150_000), step(160_000), FakeAnswer::text("Seen.").context_tokens(160_000)];
    let script = Script::new()
        .turn(FakeAnswer::tool("Agent", agent))
        .turn(FakeAnswer::bash("sleep 3"))
        .turn(step(30_000))
        .turn(FakeAnswer::text("All done."))
        .subagent("SUBAGENT-ONE", inner);
    let api = FakeApi::start(script);
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_eq!(api.requests_for(&Asked::Subagent("SUBAGENT-ONE".to_owned())).len(), 3, "it ran");
    assert_eq!(checkpoints(&world), (vec![], 0));
    assert!(shown_to_the_person(&world, &run).is_empty());
}

/// What `init --statusline` puts into the settings, beside the hooks.
fn with_status_line(world: &World) {
    let mut settings: Value = serde_json::from_str(&files::read(&world.settings)).expect("JSON");
    let command = format!("'{}' statusline claude-code", env!("CARGO_BIN_EXE_catchword"));
    settings["statusLine"] = json!({"type": "command", "command": command, "padding": 0});
    files::write(&world.settings, settings.to_string());
}

/// The status line hears of a count before the transcript has it. Whoever comes first records the point, the hook tells it.
#[test]
fn with_the_status_line_every_percentage_is_told_once_and_leaves_a_handoff() {
    const SESSION: &str = "00000000-0000-4000-8000-000000000020";
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    with_status_line(&world);
    let task = json!({"subject": OPEN_TASK, "description": "x", "activeForm": "x"});
    let script = Script::new()
        .turn(FakeAnswer::tool("TaskCreate", task))
        .turn(step(60_000))
        .turn(step(118_000))
        .turn(step(145_000))
        .turn(step(160_000))
        .turn(FakeAnswer::text("All done.").context_tokens(161_000));
    let api = FakeApi::start(script);
    let opened = Terminal::open(world.run(&api, &["--session-id", SESSION]));
    let Ok(mut terminal) = opened.inspect_err(|skip| skip.say(module_path!())) else { return };
    terminal.wait_for_prompt();
    terminal.ask(&api, PROMPT);
    let transcript = world.env.transcript_path(SESSION);
    terminal.wait("the last answer", || files::read(&transcript).contains("All done."));
    terminal.leave();
    let lines = told_in(&transcript);
    assert_eq!(lines.iter().map(|line| tokens_left(line)).collect::<Vec<_>>(), [49, 22, 7], "{lines:?}");
    let (left, _) = checkpoints(&world);
    assert_eq!(left.len(), 3, "recorded once: {left:?}");
    assert!(world.env.data().join("handoffs").join(format!("HANDOFF-{SESSION}.md")).exists());
}

/// The client asks for the line right after a compaction and then not again until the next answer.
#[test]
fn after_a_compact_command_the_status_line_shows_the_new_context_at_once() {
    const SESSION: &str = "00000000-0000-4000-8000-000000000021";
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let drawn = world.env.root().join("drawn.txt");
    let mut settings: Value = serde_json::from_str(&files::read(&world.settings)).expect("JSON");
    let program = env!("CARGO_BIN_EXE_catchword");
    let command = format!("NO_COLOR=1 '{program}' statusline claude-code | tee -a '{}'", drawn.display());
    settings["statusLine"] = json!({"type": "command", "command": command});
    files::write(&world.settings, settings.to_string());
    let answer = |text: &str| FakeAnswer::text(text).context_tokens(120_000);
    let api = FakeApi::start(Script::new().turn(answer("One.")).turn(answer("Two.")).summary(SUMMARY));
    let opened = Terminal::open(world.run(&api, &["--session-id", SESSION]));
    let Ok(mut terminal) = opened.inspect_err(|skip| skip.say(module_path!())) else { return };
    terminal.wait_for_prompt();
    terminal.line(PROMPT);
    terminal.wait("the first answer", || api.turns_left() == 1);
    terminal.ask(&api, "And the second?");
    let last = || files::read(&drawn).lines().last().unwrap_or_default().to_owned();
    terminal.wait("the count before", || last().contains("% · 47k left"));
    let before = last();
    terminal.line("/compact");
    let transcript = world.env.transcript_path(SESSION);
    terminal.wait("the compaction", || files::read(&transcript).contains("compact_boundary"));
    terminal.wait("the line after it", || last() != before);
    let after = last();
    terminal.leave();
    assert!(after.contains("1 compaction") && after.contains("% · 16"), "{before}\n{after}");
}

/// Where nothing is open, a fresh start serves better than a summary. At the end of a turn the transcript lacks the last
/// answer, so the event itself says that the turn is over.
#[test]
fn with_nothing_open_the_person_is_advised_to_clear() {
    let client = real_client_or_skip!();
    for (last, suggested) in [
        ("It subtracts.", "/clear (nothing is open)"),
        ("Shall I make it add?", "/compact focus on What does add do?"),
    ] {
        let world = World::new(&client, &Hook::Catchword);
        let mut settings: Value = serde_json::from_str(&files::read(&world.settings)).expect("JSON");
        // A call that is over before its row is written is seen at the end of the turn; here no hook sees it earlier.
        settings["hooks"].as_object_mut().expect("hooks").retain(|event, _| !event.starts_with("PostTool"));
        files::write(&world.settings, settings.to_string());
        let api = FakeApi::start(Script::new().turn(step(118_000)).turn(FakeAnswer::text(last)));
        let run = world.run(&api, &[]).prompt("What does add do?").success();
        let lines = shown_to_the_person(&world, &run);
        let [line] = lines.as_slice() else { panic!("not one line: {lines:#?}") };
        assert!(line.ends_with(&format!("state is saved. Suggested: {suggested}")), "{line}");
    }
}

/// By option, by variable and by the client's settings. The name of the model in the answers says nothing of it.
#[test]
fn a_million_tokens_without_a_status_line_warn_nobody_early() {
    let client = real_client_or_skip!();
    for way in ["option", "variable", "settings"] {
        let world = World::new(&client, &Hook::Catchword);
        let script = Script::new().turn(step(192_000)).turn(step(193_000)).turn(FakeAnswer::text("Done."));
        let api = FakeApi::start(script);
        let run =
            client.start(&world.env, &api).settings(&world.settings).arg("--dangerously-skip-permissions");
        // As it is where nobody sets a window.
        let run = run.var("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "");
        let model = "claude-sonnet-4-5[1m]";
        let run = match way {
            "option" => run.arg("--model").arg(model),
            "variable" => run.var("ANTHROPIC_MODEL", model),
            _ => {
                let settings = json!({"model": model}).to_string();
                files::write(world.env.home().join(".claude/settings.json"), settings);
                run
            }
        };
        let run = run.prompt(PROMPT).success();
        assert_eq!((api.turns_left(), api.requests_for(&Asked::Summary).len()), (0, 0), "{way}");
        assert_eq!(shown_to_the_person(&world, &run), [] as [&str; 0], "{way}");
        let gauge =
            world.env.run(env!("CARGO_BIN_EXE_catchword"), &["status", &run.session_id(), "--json"]).json();
        let gauge = &gauge[0]["context"];
        assert_eq!(
            (&gauge["window"]["tokens"], &gauge["window"]["source"]),
            (&json!(1_000_000), &json!("requested")),
            "{way}"
        );
    }
}
