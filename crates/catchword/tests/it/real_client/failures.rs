//! A command fails as it failed in an earlier session, or earlier in this one: the next request says how it passed then.

use super::*;
use crate::moments::BEGINS;

const CHECK: &str = "sh check.sh";

fn with_check(client: &RealClient) -> World {
    let world = World::new(client, &Hook::Catchword);
    // As `init` registers them: a hook that is called before the batch is complete would read the rows of the failure.
    let mut settings: Value = serde_json::from_str(&files::read(&world.settings)).unwrap();
    let hooks = settings["hooks"].as_object_mut().unwrap();
    hooks.retain(|event, _| !["PreToolUse", "PostToolUse", "PostToolUseFailure"].contains(&event.as_str()));
    files::write(&world.settings, settings.to_string());
    world.env.write(
        "check.sh",
        "test -f scales.ini && echo 'All checks passed' && exit 0\necho \"Error: Cannot resolve plugin 'weigh_grams'\"\nexit 1\n",
    );
    world
}

/// Fails, and passes once a file is written.
fn solved(script: Script, world: &World) -> Script {
    let config = world.env.project().join("scales.ini");
    script
        .turn(FakeAnswer::bash(CHECK))
        .turn(FakeAnswer::tool("Write", json!({"file_path": config, "content": "plugin = weigh_grams\n"})))
        .turn(FakeAnswer::bash(CHECK))
}

/// How often each request of the model's turn has such a line.
fn lines_in(api: &FakeApi) -> Vec<usize> {
    let requests = api.requests_for(&Asked::Turn);
    requests.iter().map(|request| request.conversation().matches(BEGINS).count()).collect()
}

#[test]
fn next_request_after_a_known_failure_says_once_how_it_passed_before() {
    let client = real_client_or_skip!();
    let world = with_check(&client);
    let api = FakeApi::start(solved(Script::new(), &world).turn(FakeAnswer::text("Done.")).never_full());
    let first = world.run(&api, &[]).prompt("Make the check pass.").success();
    world.assert_no_hook_complaint(&first);
    assert_eq!(lines_in(&api).iter().sum::<usize>(), 0, "nothing had failed before");
    std::fs::remove_file(world.env.project().join("scales.ini")).unwrap();
    let script = Script::new()
        .turn(FakeAnswer::bash(CHECK))
        .turn(FakeAnswer::bash(CHECK))
        .turn(FakeAnswer::text("It fails."));
    let api = FakeApi::start(script.never_full());
    let second = world.run(&api, &[]).prompt("Run the check.").success();
    world.assert_no_hook_complaint(&second);
    assert_eq!(lines_in(&api), [0, 1, 1], "in the request after the failure, and not again");
    let told = api.requests_for(&Asked::Turn)[1].conversation();
    let told = &told[told.find(BEGINS).expect("the line")..];
    let line = told.split("not what to do now").nth(1).unwrap_or_default();
    for part in ["sh check.sh", "failed like this", &first.session_id()[..8], "scales.ini"] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn second_failure_in_a_turn_says_how_the_first_passed() {
    let client = real_client_or_skip!();
    let world = with_check(&client);
    let script = solved(Script::new(), &world)
        .turn(FakeAnswer::bash("rm scales.ini"))
        .turn(FakeAnswer::bash(CHECK))
        .turn(FakeAnswer::text("It fails again."));
    let api = FakeApi::start(script.never_full());
    let run = world.run(&api, &[]).prompt("Try the check.").success();
    world.assert_no_hook_complaint(&run);
    assert_eq!(lines_in(&api), [0, 0, 0, 0, 0, 1]);
    let told = api.requests_for(&Asked::Turn)[5].conversation();
    assert!(told.contains("for the second time in this session"), "{told}");
}
