//! What the model and the person hear of a summary that gets it wrong.

use catchword_testkit::Terminal;

use super::*;

const TASK: &str = "Wire the limiter into the gateway";
/// A summary that calls the open task done.
const ALL_DONE: &str =
    "7. Pending Tasks: none, all tasks are completed, including wiring the limiter into the gateway";

/// A finished task and an open one, then a full context and this summary.
fn script(summary: &str) -> Script {
    let task = |subject: &str| json!({"subject": subject, "description": subject, "activeForm": subject});
    Script::new()
        .turn(FakeAnswer::tool("TaskCreate", task("Fix add")).and_tool("TaskCreate", task(TASK)))
        .turn(FakeAnswer::tool("TaskUpdate", json!({"taskId": "1", "status": "completed"})))
        .turn(FakeAnswer::bash("cat src/lib.rs"))
        .turn(FakeAnswer::bash("echo full").context_tokens(FULL))
        .turn(FakeAnswer::bash("echo after"))
        .turn(FakeAnswer::text("All done."))
        .summary(&format!("1. Primary Request and Intent:\n   The user wants add to add.\n{summary}"))
}

/// Others say how far the compaction is.
fn lines_about_the_summary(world: &World, run: &ClientOutput) -> Vec<String> {
    let lines = shown_to_the_person(world, run).into_iter();
    lines.filter(|line| line.starts_with("catchword: the summary")).collect()
}

#[test]
fn a_claim_that_everything_is_done_is_contradicted_in_the_next_request() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let api = FakeApi::start(script(ALL_DONE));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    let brief = the_one_brief(&api, "The user wants add to add.").unwrap();
    let told = brief.lines().find(|line| line.starts_with("- the summary says") && line.contains(TASK));
    let told = told.unwrap_or_else(|| panic!("no contradiction names the task in\n{brief}"));
    assert!(told.contains("completed") && told.contains("the record: "), "both sides are quoted: {told}");
    world.assert_no_hook_complaint(&run);
}

#[test]
fn after_an_automatic_compaction_the_person_is_shown_one_line_even_if_installed_twice() {
    let client = real_client_or_skip!();
    for hook in [Hook::Catchword, Hook::CatchwordTwice] {
        let world = World::new(&client, &hook);
        let api = FakeApi::start(script("7. Pending Tasks:\n   - none"));
        let run = world.run(&api, &[]).prompt(PROMPT).success();
        assert_eq!(api.requests_for(&Asked::Summary).len(), 1, "it compacts by itself");
        let lines = lines_about_the_summary(&world, &run);
        let [line] = lines.as_slice() else { panic!("not one line: {lines:#?}") };
        assert!(line.starts_with("catchword: the summary ") && line.contains("given back. "), "{line}");
        let told = |request: &Request| request.body.to_string().contains("shows both sides");
        assert!(!api.requests().iter().any(told), "the model is not told");
        // The command that the line names.
        let command = line.split('`').nth(1).and_then(|c| c.strip_prefix("catchword ")).expect("a command");
        let args: Vec<&str> = command.split(' ').collect();
        let shown = world.env.run(env!("CARGO_BIN_EXE_catchword"), &args).success().stdout;
        assert!(shown.contains(TASK) && shown.contains("given back"), "{shown}");
        world.assert_no_hook_complaint(&run);
    }
}

#[test]
fn after_a_good_summary_the_person_is_shown_nothing() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let faithful = format!(
        "6. All user messages:\n   - \"{PROMPT}\"\n7. Pending Tasks:\n   - {TASK} (pending)\n8. Current Work:\n   \
         `cat src/lib.rs` was run."
    );
    let api = FakeApi::start(script(&faithful));
    let run = world.run(&api, &[]).prompt(PROMPT).success();
    assert_eq!(api.requests_for(&Asked::Summary).len(), 1, "it compacts by itself");
    assert_eq!(lines_about_the_summary(&world, &run), [] as [&str; 0]);
}

/// At a terminal, on the screen itself.
#[test]
fn after_an_automatic_compaction_the_line_is_on_the_screen() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let api = FakeApi::start(script("7. Pending Tasks:\n   - none"));
    let opened = Terminal::open(world.run(&api, &[]));
    let Ok(mut terminal) = opened.inspect_err(|skip| skip.say(module_path!())) else { return };
    terminal.wait_for_prompt();
    terminal.ask(&api, PROMPT);
    let screen = world.env.root().join("screen.txt");
    let wanted = letters("catchword: the summary dropped");
    terminal.wait("the line", || letters(&files::read(&screen)).contains(&wanted));
    terminal.leave();
}

/// Letters alone: where others write a space, the client moves the cursor.
fn letters(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).get(1..));
    let shown = std::iter::once(Some(first)).chain(rest).flatten();
    shown.flat_map(str::chars).filter(|c| c.is_alphabetic()).collect()
}
