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
