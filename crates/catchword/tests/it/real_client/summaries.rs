//! What the model gets after summaries of every kind: faithful, wrong, broken, and in another language.

use super::*;

/// The same for automatic and manual compactions.
fn brief_after(client: &RealClient, manual: bool, summary: &str, mark: &str) -> String {
    let world = World::new(client, &Hook::Catchword);
    let script = work(&world).turn(FakeAnswer::text("Waiting.")).turn(FakeAnswer::text("Going on."));
    let script = if manual { script.never_full() } else { script };
    let api = FakeApi::start(script.summary(summary));
    let session = world.run(&api, &[]).prompt(PROMPT).success().session_id();
    if manual {
        let _ = world.run(&api, &["--resume", &session]).prompt("/compact").success();
        let _ = world.run(&api, &["--resume", &session]).prompt("Go on.").success();
    }
    the_one_brief(&api, mark).unwrap()
}

#[track_caller]
fn each_way(summary: &str, mark: &str, check: impl Fn(&str)) {
    let client = real_client_or_skip!();
    for manual in [false, true] {
        check(&brief_after(&client, manual, summary, mark));
    }
}

#[test]
fn faithful_summary_is_not_repeated() {
    let faithful = format!(
        "1. Primary Request and Intent:\n   The user said: \"{PROMPT}\"\n3. Files and Code Sections:\n   - `{EDITED}` was \
         edited: add now adds.\n4. Errors and fixes:\n   - `{FAILING}` fails: test add_adds ... FAILED\n7. Pending \
         Tasks:\n   - Task #2 (pending): {OPEN_TASK}\n8. Current Work:\n   The tests were run."
    );
    each_way(&faithful, "The user said:", |brief| {
        assert!(!brief.contains("## The summary differs"), "{brief}");
        assert!(!brief.contains(PROMPT), "{brief}");
    });
}

#[test]
fn wrong_summary_is_contradicted_with_both_sides() {
    let lie = format!(
        "1. Primary Request and Intent:\n   The user wants add to add.\n7. Pending Tasks:\n   - {OPEN_TASK}: \
         completed\n8. Current Work:\n   All tests pass now."
    );
    each_way(&lie, "The user wants add to add.", |brief| {
        assert_work_is_in(brief);
        assert!(brief.contains("the summary says"), "{brief}");
    });
}

#[test]
fn broken_summary_is_reported_and_the_brief_replaces_it() {
    let broken = "API Error: 529 Overloaded. The service is overloaded, please try again later.";
    each_way(broken, "529 Overloaded", |brief| {
        assert_work_is_in(brief);
        assert!(brief.contains("error message"), "{brief}");
        assert!(brief.contains(PROMPT), "the request is there word for word:\n{brief}");
    });
}

#[test]
fn korean_summary_is_compared_by_numbers_and_names() {
    let korean = format!(
        "1. 주요 요청과 의도:\n   사용자는 `{EDITED}`의 add 함수가 더하기를 하도록 고쳐 달라고 했습니다.\n3. 파일과 코드:\n   - \
         `{EDITED}`를 수정했습니다.\n7. 남은 작업:\n   - 없음. 모든 작업이 완료되었습니다.\n8. 현재 작업:\n   테스트를 \
         실행하고 있었습니다."
    );
    each_way(&korean, "주요 요청과 의도", |brief| {
        for needed in [INSTRUCTION, OPEN_TASK, FAILING] {
            assert!(brief.contains(needed), "{needed:?} is missing in\n{brief}");
        }
    });
}

/// A mod runs in the client's own process and may return messages of its own in the place of the summary.
#[test]
fn words_of_a_mod_in_the_place_of_a_summary_are_not_the_persons() {
    let client = real_client_or_skip!();
    let world = World::new(&client, &Hook::Catchword);
    let plugin = world.env.root().join("plugin");
    files::write(plugin.join(".claude-plugin/plugin.json"), r#"{"name": "words", "version": "0.0.1"}"#);
    files::write(plugin.join("hooks/hooks.json"), r#"{"modules": ["./register.js"]}"#);
    let register = "export function register(on) {\n  on('session.compact', async ($, e, next) => \
        ({ messages: [{ role: 'user', text: 'Words of the mod.', toolUses: [] }] }))\n}\n";
    files::write(plugin.join("hooks/register.js"), register);
    let api = FakeApi::start(
        work(&world)
            .turn(FakeAnswer::bash("echo after"))
            .turn(FakeAnswer::text("All done."))
            .summary(SUMMARY),
    );
    let run = world.run(&api, &["--plugin-dir", plugin.to_str().unwrap()]).prompt(PROMPT).success();
    assert!(api.requests_for(&Asked::Summary).is_empty(), "the mod made the summary superfluous");
    let briefs: Vec<String> =
        api.requests().iter().flat_map(|request| find_briefs(&request.conversation())).collect();
    assert!(!briefs.is_empty() && briefs.iter().all(|brief| *brief == briefs[0]), "{briefs:#?}");
    assert_work_is_in(&briefs[0]);
    let catchword = |args: &[&str]| world.env.run(env!("CARGO_BIN_EXE_catchword"), args).success().stdout;
    let now = catchword(&["brief", &run.session_id()]);
    let (before, words) = now.split_once("## In an earlier summary").expect("a summary");
    assert!(before.contains(INSTRUCTION) && !before.contains("Words of the mod"), "{now}");
    assert!(words.contains("Words of the mod"), "{now}");
    let found: Value = serde_json::from_str(&catchword(&["search", "--json", "words of the mod"])).unwrap();
    assert!(found.to_string().contains("summary") && !found.to_string().contains("\"prompt\""), "{found}");
    world.assert_no_hook_complaint(&run);
}
