use catchword_testkit::Transcript;
use proptest::prelude::*;

use super::*;
use crate::model::entry::Place;
use crate::reading::command::ShellLine;
use crate::record::Voice;
use crate::session::Session;
use crate::session::tests::fold;

/// A session with a bit of everything.
fn busy() -> Transcript {
    Transcript::new()
        .prompt("Add rate limiting: 100 requests a minute on port 4010. Never touch db/migrations.")
        .says("I'll go with a token bucket instead of a fixed window because bursts must be smoothed.")
        .task_create("Write the limiter middleware")
        .task_create("Document the Retry-After header")
        .task_create("Load test the gateway")
        .task_update(1, "completed")
        .task_update(2, "in_progress")
        .edit("/home/user/project/src/limiter.rs", "a", "let timeout = 250;")
        .prompt("Always use pnpm instead of npm.")
        .bash("pnpm test --run limiter")
        .fails("Exit code 1\nFAIL limiter: expected 429, got 200")
        .says("The limiter test fails; the bucket is not emptied.")
}

const FAITHFUL: &str = r#"Summary:
1. Primary Request and Intent:
   Add rate limiting: 100 requests a minute on port 4010. Never touch db/migrations. Always use pnpm instead of npm.
2. Key Technical Concepts:
   A token bucket instead of a fixed window because bursts must be smoothed.
3. Files and Code Sections:
   - `src/limiter.rs`: the limiter middleware, timeout = 250
6. All user messages:
   - "Add rate limiting: 100 requests a minute on port 4010. Never touch db/migrations."
   - "Always use pnpm instead of npm."
7. Pending Tasks:
   - Task #2: Document the Retry-After header (in progress)
   - Task #3: Load test the gateway
8. Current Work:
   `pnpm test --run limiter` fails: expected 429, got 200.
"#;

fn told(transcript: &Transcript, summary: &str) -> Vec<(FindingKind, FindingSubject, String)> {
    let found = audit(&fold(transcript), summary).into_iter();
    found.map(|f| (f.kind, f.fact, f.text)).collect()
}

#[test]
fn a_faithful_summary_has_nothing_told_against_it() {
    assert_eq!(told(&busy(), FAITHFUL), []);
}

#[test]
fn each_lie_is_told_and_nothing_else() {
    use FindingKind as K;
    use FindingSubject as A;
    let cases: &[(&str, &str, FindingKind, FindingSubject, &str)] = &[
        (
            "Load test the gateway\n",
            "Load test the gateway — completed\n",
            K::Contradicted,
            A::Task,
            "[pending] Load test the gateway",
        ),
        (
            "header (in progress)",
            "header ✅",
            K::Contradicted,
            A::Task,
            "[in progress] Document the Retry-After header",
        ),
        (
            "`pnpm test --run limiter` fails: expected 429, got 200.",
            "All tests pass.",
            K::Contradicted,
            A::Command,
            "pnpm test --run limiter",
        ),
        ("   - Task #3: Load test the gateway\n", "", K::Dropped, A::Task, "Load test the gateway"),
        (
            "port 4010. Never touch db/migrations. Always",
            "port 4016. Never touch db/migrations. Always",
            K::Mutated,
            A::Number,
            "port 4010",
        ),
        ("src/limiter.rs", "src/limitter.rs", K::Mutated, A::File, "src/limiter.rs"),
        ("--run limiter` fails", "--rum limiter` fails", K::Mutated, A::Number, "--run"),
        (
            "   - \"Always use pnpm instead of npm.\"",
            "   - \"Always use pnpm instead of npm.\"\n   - \"Rewrite the billing importer in Haskell\"",
            K::Invented,
            A::Quote,
            "billing importer",
        ),
    ];
    for (from, to, kind, fact, text) in cases {
        assert!(FAITHFUL.contains(from), "{from}");
        let found = told(&busy(), &FAITHFUL.replace(from, to));
        assert!(found.iter().any(|f| f.0 == *kind && f.1 == *fact && f.2.contains(text)), "{to}: {found:?}");
        assert!(found.iter().all(|f| f.0 == *kind), "{to}: {found:?}");
    }
}

#[test]
fn a_task_that_the_agent_called_done_is_not_told() {
    let session = busy().says("Document the Retry-After header: done.");
    let summary = FAITHFUL.replace("header (in progress)", "header — completed");
    assert_eq!(told(&session, &summary), []);
    assert_eq!(told(&busy(), &summary).len(), 1);
}

#[test]
fn an_empty_summary_drops_everything_and_has_no_other_findings() {
    let found = audit(&fold(&busy()), "");
    assert!(!found.is_empty() && found.iter().all(|f| f.kind == FindingKind::Dropped));
    assert_eq!(audit(&Session::default(), FAITHFUL), []);
}

proptest! {
    #[test]
    fn any_summary_is_read(text in "(?s).{0,400}", cut in 0_usize..900, insert in "[ -~é✅\\n]{0,80}") {
        let session = fold(&busy());
        audit(&session, &text);
        let mut at = cut.min(FAITHFUL.len());
        while !FAITHFUL.is_char_boundary(at) {
            at += 1;
        }
        let changed = format!("{}{insert}{}", &FAITHFUL[..at], &FAITHFUL[at..]);
        let found = audit(&session, &changed);
        let is_there = |f: &Finding| f.summary_at.is_none_or(|(from, to)| changed.get(from..to).is_some());
        prop_assert!(found.iter().all(is_there));
    }
}

#[test]
fn text_next_to_a_tool_result_is_not_called_invented() {
    let said = "sorry, this recent error comes from the second worktree and from its commit hook";
    let beside = serde_json::json!({"type": "user", "uuid": "b", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t", "content": "done"}, {"type": "text", "text": said}]}});
    let session = Transcript::new().prompt("Find out why the status is broken.").raw(&beside.to_string());
    let summary =
        format!("6. All user messages:\n   - \"Find out why the status is broken.\"\n   - \"{said}\"");
    let told = |transcript: &Transcript| {
        audit(&fold(transcript), &summary).into_iter().filter(|f| f.kind == FindingKind::Invented).count()
    };
    assert_eq!(told(&session), 0);
    assert_eq!(told(&Transcript::new().prompt("Find out why the status is broken.")), 1);
    assert_eq!(fold(&session).prompts.len(), 1, "nor are they the person's");
}

#[test]
fn a_number_of_tests_is_compared_with_the_latest_run() {
    let passing = |more: &str| {
        let run = Transcript::new().prompt("Add a cache.").bash("pnpm test").ok("Tests: 10 passed, 10 total");
        run.says(more)
    };
    let summary = |claim: &str| format!("1. Primary Request:\n   Add a cache.\n8. Current Work:\n   {claim}");
    let wrong = told(&passing("Good."), &summary("All 12 tests pass."));
    assert!(
        matches!(&wrong[..], [(FindingKind::Contradicted, FindingSubject::Number, text)] if text.contains("10 passed")),
        "{wrong:?}"
    );
    assert_eq!(told(&passing("Good."), &summary("All 10 tests pass.")), []);
    // The number occurs elsewhere, or there were several runs.
    assert_eq!(told(&passing("With the others 12 tests pass."), &summary("All 12 tests pass.")), []);
    let several = passing("Good.").bash("pnpm test api").ok("Tests: 2 passed, 2 total");
    assert_eq!(told(&several, &summary("All 12 tests pass.")), []);
}

#[test]
fn a_number_with_a_changed_digit_is_told_between_the_same_words() {
    let asked = "Keep the 5ms timeout, limit 1500 entries, retry after 250 seconds.";
    let session = Transcript::new().prompt(asked);
    let summary = |text: &str| format!("1. Primary Request:\n   {text}");
    assert_eq!(told(&session, &summary(asked)), []);
    for (from, to) in [("5ms", "50ms"), ("1500", "2500"), ("250", "258")] {
        let found = told(&session, &summary(&asked.replace(from, to)));
        let is_it =
            |f: &(FindingKind, FindingSubject, String)| f.0 == FindingKind::Mutated && f.2.contains(from);
        assert!(found.len() == 1 && found.iter().all(is_it), "{from} → {to}: {found:?}");
    }
    // One word only.
    let vague = summary("Retry after 258 whole seconds.");
    assert_eq!(told(&session, &vague).iter().filter(|f| f.0 == FindingKind::Mutated).count(), 0);
}

#[test]
fn the_clients_own_message_after_a_compaction_is_not_called_invented() {
    let session = Transcript::new().prompt("Find out why the status is broken.");
    let summary = "6. All user messages:\n   - \"Find out why the status is broken.\"\n   - (This session) \"continue the \
        conversation from where we left off without asking the user any further questions\"";
    assert_eq!(told(&session, summary), []);
}

/// What is told about `second` after a compaction with the summary `first`.
fn told_twice(
    transcript: &Transcript,
    first: &str,
    second: &str,
) -> Vec<(FindingKind, FindingSubject, String)> {
    told(&transcript.clone().compaction("auto", first).says("Going on."), second)
}

#[test]
fn a_lie_is_told_again_when_the_next_summary_repeats_it() {
    let session = Transcript::new()
        .prompt("Keep the 5ms timeout in src/limiter.rs. Never push.")
        .read("src/limiter.rs");
    let lies = "1. Primary Request:\n   Keep the 50ms timeout in src/limitter.rs.\n6. All user messages:\n   \
        - \"Keep the 5ms timeout in src/limiter.rs. Never push.\"\n   - \"Rewrite the billing importer in Haskell\"";
    let first = told(&session, lies);
    assert_eq!(first.len(), 3, "{first:?}");
    for again in [lies.to_owned(), format!("{lies}\n8. Current Work:\n   Going on.")] {
        assert_eq!(told_twice(&session, lies, &again), first);
    }
    let thrice = session.compaction("auto", lies).says("Going on.").compaction("auto", lies).says("And on.");
    assert_eq!(told(&thrice, lies), first);
}

#[test]
fn an_error_quoted_in_the_brief_does_not_become_part_of_the_record() {
    let session = Transcript::new().prompt("Keep the 5ms timeout.");
    let lie = "1. Primary Request:\n   Keep the 50ms timeout.";
    let first = told(&session, lie);
    let findings = audit(&fold(&session), lie);
    let brief = crate::brief::brief(crate::choose::head::contradictions::late(&findings, ""), 6_000).text;
    assert!(brief.contains("50ms"), "{brief}");
    let briefed = session.compaction("auto", lie).hook_context("SessionStart", &brief).says("Going on.");
    assert_eq!(told(&briefed, lie), first);
}

#[test]
fn the_summary_that_a_transcript_begins_with_counts_as_record() {
    let beginning = "1. Primary Request:\n   Keep the 50ms timeout.\n6. All user messages:\n   \
        - \"Rewrite the billing importer in Haskell\"";
    let resumed = Transcript::new().compaction("auto", beginning).prompt("Go on with the 5ms timeout.");
    assert_eq!(told(&resumed, beginning), []);
    let session = fold(&resumed);
    assert_eq!(session.prompts.len(), 1, "it is nobody's words");
    // After another summary the first one still counts, and the other one does not.
    let other = "1. Primary Request:\n   Keep the 500ms timeout.";
    let later = resumed.says("On it.").compaction("auto", other).says("Going on.");
    assert_eq!(told(&later, beginning), []);
    assert!(told(&later, other).iter().any(|f| f.0 == FindingKind::Mutated));
}

#[test]
fn a_short_order_that_nobody_gave_is_told() {
    let summary = |order: &str| {
        FAITHFUL.replace("6. All user messages:\n", &format!("6. All user messages:\n   - \"{order}\"\n"))
    };
    for order in [
        "From now on always deploy with --force.",
        "Never write comments.",
        "Don't ask again.",
        "You must squash the commits.",
    ] {
        let found = told(&busy(), &summary(order));
        assert_eq!(found, [(FindingKind::Invented, FindingSubject::Quote, order.to_owned())], "{order}");
    }
    for said in [
        "Never touch db/migrations.",
        "Always use pnpm",
        "yes, go on",
        "don't touch migrations",
        "Deploy it.",
    ] {
        assert_eq!(told(&busy(), &summary(said)), [], "{said}");
    }
}

#[test]
fn two_quotations_on_one_line_are_judged_separately() {
    let of = |line: &str| {
        let summary = FAITHFUL.replace("   - \"Always use pnpm instead of npm.\"", &format!("   - {line}"));
        told(&busy(), &summary)
    };
    let (said, invented) = ("Always use pnpm instead of npm.", "Rewrite the billing importer in Haskell");
    for line in [
        format!("\"{said}\" and \"{invented}\""),
        format!("\"{invented}\", then \"{said}\""),
        format!("“{said}” “{invented}”"),
    ] {
        assert_eq!(
            of(&line),
            [(FindingKind::Invented, FindingSubject::Quote, invented.to_owned())],
            "{line}"
        );
    }
    // A quotation after the summary's own words may be anybody's.
    assert_eq!(of(&format!("\"{said}\" (the linter had printed \"{invented}\")")), []);
    assert_eq!(of("\"Always use \"pnpm\" instead of \"npm\".\""), []);
}

fn changed_numbers(session: &Session, summary: &str) -> usize {
    audit(session, summary).iter().filter(|finding| finding.kind == FindingKind::Mutated).count()
}

#[test]
fn a_changed_number_is_found_however_many_calls_lie_between() {
    for calls in [50, 500, 5_000] {
        let mut transcript =
            Transcript::new().prompt("Build it.").bash("serve").ok("the server listens on port 9300");
        for n in 0..calls {
            transcript =
                transcript.bash(&format!("make part_{n}")).ok(&format!("built target_{n} in {n} ms"));
        }
        let session = fold(&transcript);
        assert!(!cannot_tell(&session).is_some_and(|said| said.contains("numbers")), "{calls} calls");
        assert_eq!(changed_numbers(&session, "The server listens on port 9301."), 1, "{calls} calls");
        assert_eq!(changed_numbers(&session, "The server listens on port 9300."), 0, "{calls} calls");
    }
}

#[test]
fn a_session_with_more_words_than_are_remembered_tells_nothing_and_says_so() {
    let mut session = fold(&Transcript::new().bash("serve").ok("the server listens on port 9300"));
    for thousand in 0..1_100 {
        let words: Vec<String> = (0..1_000).map(|n| format!("w{thousand}_{n}")).collect();
        session.vocabulary.note(&words.join("\n"));
    }
    let said = cannot_tell(&session).unwrap();
    assert!(said.starts_with("Cannot tell whether numbers, paths, hashes or flags were changed"), "{said}");
    assert_eq!(changed_numbers(&session, "The server listens on port 9301."), 0);
}

#[test]
fn what_was_evicted_from_the_record_is_reported_as_unknown() {
    let mut transcript = Transcript::new().bash("deploy --max-retries 3").ok("done");
    let changed = "It was deployed with `deploy --max-retrie 3`.";
    assert_eq!(changed_numbers(&fold(&transcript), changed), 1);
    for n in 0..2_500 {
        transcript = transcript.bash(&format!("make part_{n}")).ok("done");
    }
    let mut session = fold(&transcript);
    assert_eq!((changed_numbers(&session, changed), cannot_tell(&session)), (1, None));
    for n in 0..60_000 {
        let line = ShellLine::parse(&format!("make other_{n}"));
        session.record.ran(Place(9_000 + n), 9_000, Voice::Agent, &line);
    }
    assert!(cannot_tell(&session).is_some_and(|said| said.contains("flags")));
    assert_eq!(changed_numbers(&session, changed), 0, "the flag is forgotten");
}

/// A gateway whose limiter is not wired, tests that fail, and a user who has said three things.
fn gateway() -> Transcript {
    Transcript::new()
        .prompt("Please add a rate limiter to the gateway. Keep the old parser, do not remove the 30 fixtures in tests/data.")
        .says("I'll look at the gateway first.")
        .task_create("Wire the limiter into the gateway")
        .task_create("Write the migration guide for operators")
        .edit("/home/user/project/src/limiter.rs", "a", "b")
        .says("The nightly warehouse snapshots are rotated by a cron entry on the staging host.")
        .edit("/home/user/project/src/limiter.rs", "b", "c")
        .bash("cargo test")
        .fails("Exit code 101\ntest result: FAILED. 3 passed; 1 failed")
        .says("One test fails.")
        .prompt("Then also log every rejected request with its client address.")
        .says("On it.")
}

const GATEWAY: &str = r#"1. Primary Request and Intent:
   Add a rate limiter to the gateway; log every rejected request with its client address.
3. Files and Code Sections:
   - `src/limiter.rs`: the limiter
6. All user messages:
   - "Please add a rate limiter to the gateway. Keep the old parser, do not remove the 30 fixtures in tests/data."
   - "Then also log every rejected request with its client address."
7. Pending Tasks:
   - Wire the limiter into the gateway
   - Write the migration guide for operators
8. Current Work:
   One test of `cargo test` fails.
"#;

fn lied(from: &str, to: &str) -> Vec<(FindingKind, FindingSubject, String)> {
    assert!(GATEWAY.contains(from), "{from}");
    told(&gateway(), &GATEWAY.replace(from, to))
}

#[test]
fn open_work_called_done_is_told_in_any_wording() {
    assert_eq!(told(&gateway(), GATEWAY), []);
    let pending = "   - Wire the limiter into the gateway\n   - Write the migration guide for operators\n";
    let list = format!("7. Pending Tasks:\n{pending}");
    for claim in [
        "7. Pending Tasks: none, all tasks are completed, including wiring the limiter into the gateway\n",
        "7. Pending Tasks:\n   - None\n",
        "7. Pending Tasks:\n",
        "7. Pending Tasks:\n   - [x] Wire the limiter into the gateway\n   - Write the migration guide for operators\n",
        "7. Pending Tasks:\n   - Nothing is left to do.\n",
        "7. Status: everything is implemented, ready to merge.\n",
        "7. Status: Wiring the limiter into the gateway is done. Migration guide for operators: pending.\n",
        "7. Tarefas pendentes: nenhuma\n",
        "7. Estado: todas as tarefas foram concluídas.\n",
        "7. Offene Aufgaben:\n   - Keine\n",
        "7. Aktueller Stand: alle Aufgaben sind erledigt.\n",
        "7. 待办事项：\n   - 无\n",
        "7. 未完了のタスク: なし\n",
        "7. 남은 작업:\n   - 없음\n",
    ] {
        let found = lied(&list, claim);
        let is_it = |f: &(FindingKind, FindingSubject, String)| {
            f.0 == FindingKind::Contradicted && f.2 == "[pending] Wire the limiter into the gateway"
        };
        assert!(found.iter().any(is_it), "{claim}: {found:?}");
    }
}

#[test]
fn what_is_not_called_done_is_not_told() {
    let pending = "   - Wire the limiter into the gateway\n";
    for line in [
        "   - Wiring the limiter into the gateway is not done yet\n",
        "   - All tasks are completed except wiring the limiter into the gateway\n",
        "   - Once wiring the limiter into the gateway is finished, push\n",
        "   - [ ] Wire the limiter into the gateway\n",
        "   - Wire the limiter into the gateway: ainda não concluído\n",
        "   - Wire the limiter into the gateway — noch nicht erledigt\n",
        "   - Wire the limiter into the gateway：未完成\n",
        "   - Wire the limiter into the gateway: 미완료\n",
        "   - Not all tasks are completed: wiring the limiter into the gateway is left\n",
    ] {
        assert_eq!(lied(pending, line), [], "{line}");
    }
}

#[test]
fn a_condition_holds_for_every_clause_of_its_sentence() {
    let session = Transcript::new().prompt("Tidy up.").task_create("Run fmt, lint, and the full test suite");
    let of = |claim: &str| {
        let found =
            told(&session, &format!("1. Primary Request:\n   Tidy up.\n8. Current Work:\n   {claim}"));
        found.into_iter().filter(|f| f.0 == FindingKind::Contradicted).count()
    };
    assert_eq!(of("Once running fmt, lint, and the full test suite is finished, push."), 0);
    assert_eq!(of("Running fmt, lint, and the full test suite is finished."), 1);
}

#[test]
fn failing_tests_called_passing_are_told_in_any_wording() {
    for claim in [
        "All tests pass.",
        "The test suite is green.",
        "Todos os testes passam.",
        "Alle Tests sind grün.",
        "所有测试通过。",
    ] {
        let found = lied("One test of `cargo test` fails.", claim);
        assert!(
            found.iter().any(|f| f.1 == FindingSubject::Command && f.0 == FindingKind::Contradicted),
            "{claim}: {found:?}"
        );
    }
    for fine in ["Next, make sure all tests pass.", "Not all tests pass.", "The parser tests pass."] {
        let found = lied("One test of `cargo test` fails.", fine);
        assert!(!found.iter().any(|f| f.0 == FindingKind::Contradicted), "{fine}: {found:?}");
    }
}

/// A check that failed and passed after an edit.
fn fixed(command: &str) -> Transcript {
    Transcript::new()
        .prompt("Fix the parser of dates.")
        .bash(command)
        .fails("Exit code 1\nerror: expected a month")
        .edit("/home/user/project/src/dates.rs", "a", "b")
        .bash(command)
        .ok("ok")
}

/// What is told about commands when the summary says this of the present.
fn told_of_checks(transcript: &Transcript, claim: &str) -> Vec<String> {
    let summary = format!(
        "1. Primary Request:\n   Fix the parser of dates in `src/dates.rs`.\n8. Current Work:\n   {claim}"
    );
    let found = told(transcript, &summary).into_iter().filter(|f| f.0 == FindingKind::Contradicted);
    found.filter(|f| f.1 == FindingSubject::Command).map(|f| f.2).collect()
}

#[test]
fn a_check_that_fails_now_and_is_called_passing_is_told() {
    for (command, claim) in [
        ("cargo test", "All tests pass."),
        ("cargo test", "`cargo test` passes."),
        ("cargo build", "The build succeeds."),
        ("cargo clippy", "Clippy is clean."),
        ("npx tsc", "The type check passes."),
        ("cargo test", "Zero failures in the test suite."),
        ("cargo test", "Every test is passing."),
        ("cargo test", "Tous les tests passent."),
        ("cargo test", "Todas las pruebas pasan."),
        ("cargo test", "Все тесты проходят."),
        ("cargo test", "All tests pass (`cargo test`)."),
        ("./deploy.sh staging", "The failure of `./deploy.sh staging` is fixed."),
        ("./deploy.sh staging", "`./deploy.sh staging` läuft wieder fehlerfrei."),
    ] {
        assert_eq!(told_of_checks(&fixed(command), claim), [] as [&str; 0], "{claim}");
        let broken = fixed(command)
            .edit("/home/user/project/src/dates.rs", "b", "c")
            .bash(command)
            .fails("Exit code 1\nerror: expected a day");
        let found = told_of_checks(&broken, claim);
        let is_it = |text: &String| text.starts_with(&format!("`{command}` failed"));
        assert!(found.len() == 1 && found.iter().all(is_it), "{claim}: {found:?}");
        let delegated = broken.subagent("a1", "Fix the day", "Fixed, everything passes.");
        assert_eq!(
            told_of_checks(&delegated, claim),
            [] as [&str; 0],
            "{claim}: a subagent may have fixed it"
        );
    }
}

#[test]
fn a_missing_latest_request_is_told_and_so_is_an_older_one_in_its_place() {
    let gone = GATEWAY
        .replace("; log every rejected request with its client address", "")
        .replace("   - \"Then also log every rejected request with its client address.\"\n", "");
    let found = told(&gateway(), &gone);
    assert!(found.iter().any(|f| f.0 == FindingKind::Dropped && f.1 == FindingSubject::Request), "{found:?}");
    let behind = lied(
        "One test of `cargo test` fails.",
        "The user's latest request: \"Please add a rate limiter to the gateway. Keep the old parser\"",
    );
    assert!(
        behind.iter().any(|f| f.0 == FindingKind::Contradicted && f.1 == FindingSubject::Request),
        "{behind:?}"
    );
}

#[test]
fn a_latest_request_without_an_answer_is_told_where_the_summary_calls_nothing_open() {
    let asked = Transcript::new()
        .prompt("Speed up the importer with connection pooling.")
        .edit("/home/user/project/src/importer.py", "a", "b")
        .says("Done: the importer pools its connections over HTTP/2.")
        .prompt("Could you search how the importer should negotiate HTTP/2 with aiohttp?")
        .says("Let me look that up.")
        .call("mcp__fetch__fetch", serde_json::json!({ "url": "https://docs.aiohttp.org/client.html" }))
        .ok("ClientSession is the heart of the client.");
    let of = |transcript: &Transcript, pending: &str, current: &str| {
        let summary = format!(
            "1. Primary Request:\n   Speed up the importer with connection pooling.\n7. Pending Tasks:\n   - {pending}\n\
             8. Current Work:\n   {current}"
        );
        told(transcript, &summary)
    };
    let (nothing, older) = (
        "No explicit pending tasks remain - all requested changes have been implemented",
        "The importer was given HTTP/2, the final optimization that the user asked for.",
    );
    let request = "Could you search how the importer should negotiate HTTP/2 with aiohttp?".to_owned();
    let expected = [(FindingKind::Contradicted, FindingSubject::Request, request)];
    assert_eq!(of(&asked, nothing, older), expected);
    let retold = "I was searching how the importer should negotiate HTTP/2 with aiohttp.";
    assert_eq!(of(&asked, nothing, retold), [], "the summary has it");
    assert_eq!(of(&asked, "Add the new setting to the docs", older), [], "nothing is called finished");
    let answered = asked.clone().says("aiohttp has no HTTP/2 yet; httpx does.");
    assert_eq!(of(&answered, nothing, older), []);
    let changed = asked.edit("/home/user/project/src/importer.py", "b", "c");
    assert_eq!(of(&changed, nothing, older), [], "it may be done");
}

#[test]
fn the_agents_words_attributed_to_the_user_are_told() {
    for claim in [
        "The user noted that the nightly warehouse snapshots are rotated by a cron entry on the staging host.",
        "The user wants the warehouse snapshots rotated nightly by a cron entry on the staging host.",
        "O usuário quer que the nightly warehouse snapshots are rotated by a cron entry on the staging host.",
    ] {
        let found = lied("One test of `cargo test` fails.", claim);
        assert!(found.iter().any(|f| f.0 == FindingKind::Invented), "{claim}: {found:?}");
    }
    for fine in [
        "The user wants every rejected request logged with its client address.",
        "The user asked to keep the old parser and all fixtures in tests/data.",
    ] {
        assert_eq!(
            lied("One test of `cargo test` fails.", &format!("One test of `cargo test` fails. {fine}")),
            [],
            "{fine}"
        );
    }
}

#[test]
fn a_quotation_with_a_changed_word_is_told() {
    for (from, to) in [
        ("do not remove", "remove"),
        ("the old parser, do", "the new parser, do"),
        ("the 30 fixtures in tests/data.\"", "the 40 fixtures in tests/data.\""),
    ] {
        let found = lied(from, to);
        assert!(
            found.iter().any(|f| f.0 == FindingKind::Mutated && f.1 == FindingSubject::Quote),
            "{to}: {found:?}"
        );
    }
}

#[test]
fn paths_are_compared_with_their_hyphens_and_not_by_case() {
    let session = Transcript::new()
        .prompt("Tidy up.")
        .edit("/home/user/project/src/rate-limit.ts", "a", "b")
        .edit("/home/user/project/src/token.py", "a", "b");
    let of = |path: &str| {
        told(
            &session,
            &format!(
                "1. Primary Request:\n   Tidy up.\n3. Files:\n   - `{path}`: edited\n8. Current Work:\n   Nothing else."
            ),
        )
    };
    assert_eq!(of("src/rate-limit.ts"), []);
    assert_eq!(of("Token.py"), []);
    assert_eq!(of("src/rate-limits.ts").len(), 1);
    assert_eq!(of("src/rate-timer.ts").len(), 1, "it was edited, so a row would name it");
}

#[test]
fn a_reminder_without_content_is_not_an_instruction() {
    let session = Transcript::new().prompt("Fix the parser. Don't forget this.");
    assert_eq!(told(&session, "1. Primary Request:\n   Fix the parser.\n"), []);
}

#[test]
fn messages_missing_from_the_list_are_told() {
    let session = gateway()
        .prompt("Why is the staging certificate renewed by hand?")
        .says("Because nobody automated it.");
    let found = told(&session, GATEWAY);
    assert!(
        found.iter().any(|f| f.1 == FindingSubject::Request && f.2.contains("staging certificate")),
        "{found:?}"
    );
}

/// Whether a message containing `part` is told as missing.
fn is_missing(transcript: &Transcript, part: &str) -> bool {
    let found = told(transcript, GATEWAY).into_iter();
    let mut missing = found.filter(|f| f.0 == FindingKind::Dropped && f.1 == FindingSubject::Request);
    missing.any(|f| f.2.contains(part))
}

/// Of seven older messages that real summaries left out of their lists readers called one or two dropped: the others were
/// answered, and told in other words.
#[test]
fn only_the_latest_message_is_told_as_missing() {
    let (older, last) = (
        "surely the staging certificate suffices here?",
        "Then translate the landing page into Portuguese, please.",
    );
    let session = gateway().prompt(older).edit("/home/user/project/src/limiter.rs", "d", "e").says("Done.");
    assert!(!is_missing(&session.clone().prompt(last), "certificate"));
    assert!(is_missing(&session.prompt(last), "Portuguese"));
    assert!(is_missing(&gateway().prompt("Why is the staging certificate renewed by hand?"), "certificate"));
}

#[test]
fn a_step_of_any_work_may_be_paraphrased() {
    let session = Transcript::new()
        .prompt("Compare the libraries.")
        .task_create("Analyze results and create final summary");
    let found = |pending: &str| {
        let summary =
            format!("1. Primary Request:\n   Compare the libraries.\n7. Pending Tasks:\n   - {pending}\n");
        told_about(&session, &summary, FindingSubject::Task)
    };
    assert_eq!(found("Create the final report of the comparison"), []);
    assert_eq!(found("Install the other libraries"), [FindingKind::Dropped]);
}

#[test]
fn the_short_name_of_a_task_may_mean_the_part_that_was_done() {
    let start = || {
        Transcript::new()
            .prompt("Rebuild the page.")
            .todo(&[("Update HTML - single header card, remove footer card", "in_progress")])
    };
    let summary = "1. Primary Request:\n   Rebuild the page.\n8. Current Work:\n   1. ✅ Update HTML - single header card (DONE)";
    assert_eq!(told_about(&start(), summary, FindingSubject::Task), [FindingKind::Contradicted]);
    let worked = start().edit("/home/user/project/index.html", "a", "b");
    assert_eq!(told_about(&worked, summary, FindingSubject::Task), []);
    let whole = "1. Primary Request:\n   Rebuild the page.\n8. Current Work:\n   1. ✅ Update HTML - single header card, remove footer card";
    assert_eq!(told_about(&worked, whole, FindingSubject::Task), [FindingKind::Contradicted]);
}

/// The kinds of findings told about a subject.
fn told_about(transcript: &Transcript, summary: &str, fact: FindingSubject) -> Vec<FindingKind> {
    told(transcript, summary).into_iter().filter(|f| f.1 == fact).map(|f| f.0).collect()
}

#[test]
fn where_the_record_lacks_messages_only_a_quotation_foreign_to_the_session_is_told() {
    let session = Transcript::new()
        .prompt("Start with the importer.")
        .says("The importer reads each ledger twice; I will cache the ledger and skip duplicate rows.")
        .says("The export now keeps the currency column, and the report prints a total for every branch.");
    // Neither is in the record, but the agent worked on both.
    let lacking = [
        "the importer is slow, cache the ledger rows and skip what is duplicate please",
        "keep the currency column in the export and print a total in the branch report",
    ];
    let list = |more: &str| {
        let quoted: Vec<String> = lacking.iter().map(|text| format!("   - \"{text}\"")).collect();
        format!("6. All user messages:\n   - \"Start with the importer.\"\n{}\n{more}", quoted.join("\n"))
    };
    assert_eq!(told(&session, &list("")), []);
    for foreign in [
        "   - \"paint the lighthouse purple and hire seven musicians for Saturday evening\"",
        "Der Nutzer schrieb: „streicht bitte den Leuchtturm lila und bestellt sieben Musiker für Samstag“",
        "O usuário disse: «pinte o farol de roxo e contrate sete músicos para sábado à noite»",
    ] {
        assert_eq!(
            told_about(&session, &list(foreign), FindingSubject::Quote),
            [FindingKind::Invented],
            "{foreign}"
        );
    }
}

#[test]
fn a_single_quotation_in_the_words_of_the_session_may_be_a_message_that_was_not_recorded() {
    let session = Transcript::new()
        .prompt("Clean up.")
        .says("I moved the scripts to the bench folder.")
        .says("The root folder is clean now.")
        .says("The existing ones are unused, so I will delete them.");
    let quoting = |text: &str| format!("6. All user messages:\n   - \"Clean up.\"\n   - \"{text}\"");
    let echoed = "clean the root folder, move scripts to bench and delete existing unused ones";
    assert_eq!(told_about(&session, &quoting(echoed), FindingSubject::Quote), []);
    let foreign = "rewrite the billing importer in Haskell and delete the nightly warehouse snapshots";
    assert_eq!(told_about(&session, &quoting(foreign), FindingSubject::Quote), [FindingKind::Invented]);
}

#[test]
fn a_message_from_the_queue_is_not_called_invented() {
    let said = "maybe use the other connector instead? These permissions are annoying";
    let row = |operation: &str| {
        serde_json::json!({"type": "queue-operation", "operation": operation, "content": said}).to_string()
    };
    let session = Transcript::new().prompt("Open a pull request.").raw(&row("enqueue")).raw(&row("remove"));
    let summary = format!("6. All user messages:\n   - \"Open a pull request.\"\n   - \"{said}\"");
    assert_eq!(told(&session, &summary), []);
    assert_eq!(fold(&session).prompts.len(), 1, "whose words they are is not certain");
    assert_eq!(told(&Transcript::new().prompt("Open a pull request."), &summary).len(), 1);
}

#[test]
fn a_remark_inside_a_quotation_is_the_summarys() {
    let session =
        Transcript::new().prompt("this one is still failing to checkpoint: {\"time\": 1, \"level\": 2}");
    let summary = "6. All user messages:\n   - \"this one is still failing to checkpoint: [extensive session logs of the \
        other agent and the whole terminal output] /var/folders/.../repo\"";
    assert_eq!(told(&session, summary), []);
}

#[test]
fn a_reference_is_compared_with_references_only() {
    let session = Transcript::new()
        .prompt("Merge the fix.")
        .bash("gh pr view 174")
        .ok("Fix the parser (#174)\nchanged 177 files in 190 ms")
        .says("PR #174 is green, issue 88 is its parent.");
    let of = |claim: &str| {
        let summary = format!("1. Primary Request:\n   Merge the fix.\n8. Current Work:\n   {claim}");
        told(&session, &summary)
            .into_iter()
            .filter(|f| f.0 == FindingKind::Mutated)
            .map(|f| f.2)
            .collect::<Vec<_>>()
    };
    for (wrong, right) in [
        ("Merging PR #177.", "PR #174"),
        ("O PR #177 está pronto.", "PR #174"),
        ("Der Fix ist in #177.", "#174"),
    ] {
        assert_eq!(of(wrong), [right], "{wrong}");
    }
    for fine in [
        "Merging PR #174.",
        "The change touches 177 files.",
        "PR 174 took 190 ms.",
        "See issue #88.",
        "PR #500",
    ] {
        assert_eq!(of(fine), [] as [&str; 0], "{fine}");
    }
    // What a plan numbers is compared with its other parts.
    let planned = |more: &str| {
        let session =
            session.clone().says(&format!("Phase 14 is next, phase_15 is cut.\n17 files remain.{more}"));
        move |claim: &str| {
            let summary = format!("1. Primary Request:\n   Merge the fix.\n8. Current Work:\n   {claim}");
            told(&session, &summary).into_iter().map(|f| f.2).collect::<Vec<_>>()
        }
    };
    assert_eq!(planned("")("Starting phase 17 now."), ["phase 14"]);
    for fine in ["Starting phase 14 now.", "Then comes phase 15.", "Phase 88 is far away."] {
        assert_eq!(planned("")(fine), [] as [&str; 0], "{fine}");
    }
    assert_eq!(planned(" Phases 12 to 18 are planned.")("Starting phase 17 now."), [] as [&str; 0]);
    // A list prints numbers without a mark.
    let listed = session.bash("gh pr list").ok("177\tFix the lexer\tlexer\tOPEN");
    assert_eq!(
        told(&listed, "1. Primary Request:\n   Merge the fix.\n8. Current Work:\n   PR #177 is next."),
        []
    );
}

#[test]
fn a_long_id_and_a_setting_with_a_changed_digit_are_told() {
    let session = Transcript::new().prompt("Check the sums.").bash("md5sum *").ok(
        "48f554e407de50ea53be22030173682f  a.bin\nClientTimeout(total=300, connect=30)\nretries 303 of 9",
    );
    let of = |claim: &str| {
        let summary = format!("1. Primary Request:\n   Check the sums.\n8. Current Work:\n   {claim}");
        told_about(&session, &summary, FindingSubject::Number)
    };
    assert_eq!(of("a.bin has 48f554e407de50ea53be22030173685f."), [FindingKind::Mutated]);
    assert_eq!(of("a.bin has 48f554e407de50ea53be22030173682f."), []);
    assert_eq!(of("ClientTimeout(total=306, connect=30)"), [FindingKind::Mutated]);
    assert_eq!(of("ClientTimeout(total=300, connect=30)"), []);
    assert_eq!(of("In total 306 bytes."), [], "a sum of the summary's own");
}

#[test]
fn numbers_in_quoted_markup_belong_to_their_own_element() {
    let session = Transcript::new()
        .prompt("Draw the chart.")
        .bash("cat chart.html")
        .ok("<svg style=\"width:100%;height:14px;display:block\">\n<rect x=\"3\" rx=\"2\" opacity=\".95\"/>");
    let of = |claim: &str| {
        let summary = format!("1. Primary Request:\n   Draw the chart.\n8. Current Work:\n   {claim}");
        told_about(&session, &summary, FindingSubject::Number)
    };
    assert_eq!(of("<svg viewBox=\"0 0 460 72\" style=\"width:100%;height:64px;display:block\">"), []);
    assert_eq!(of("<rect x=\"138\" y=\"5\" rx=\"2\" opacity=\".85\"/>"), []);
    assert_eq!(
        of("It has height:64px;display:block"),
        [FindingKind::Mutated],
        "outside of markup it is a claim"
    );
}

#[test]
fn a_task_is_missing_if_neither_its_words_nor_its_names_are_there() {
    let session = Transcript::new()
        .prompt("Compare the libraries.")
        .task_create("Install and test CuPy library")
        .task_create("Load the GuidedPlacement widget");
    let pending =
        |lines: &str| format!("1. Primary Request:\n   Compare the libraries.\n7. Pending Tasks:\n{lines}");
    let placed = "   - Load the guided placement widget\n";
    let missing = |lines: &str| {
        let found = told(&session, &pending(lines)).into_iter();
        found.filter(|f| f.0 == FindingKind::Dropped).map(|f| f.2).collect::<Vec<_>>()
    };
    assert_eq!(missing(placed), ["Install and test CuPy library"]);
    for there in
        ["   - CuPy is not installed or tested yet\n", "   - Testen und installieren: CuPy library\n"]
    {
        assert_eq!(missing(&format!("{there}{placed}")), [] as [&str; 0], "{there}");
    }
    let cupy = "   - Install CuPy and test the library\n";
    let spelled = "   - Load the widget of the guided placement\n";
    assert_eq!(missing(&format!("{cupy}{spelled}")), [] as [&str; 0], "a name may be spelled out");
    assert_eq!(missing(cupy), ["Load the GuidedPlacement widget"]);
}

#[test]
fn an_error_told_as_history_does_not_excuse_a_claim_about_now() {
    let session = Transcript::new()
        .prompt("Fix the sharing workflow.")
        .bash("npx playwright test")
        .fails("Exit code 1\nError: locator.click: Target page, context or browser has been closed");
    let error = "locator.click: Target page, context or browser has been closed";
    let of = |history: &str, claim: &str| {
        let summary = format!(
            "1. Primary Request:\n   Fix the sharing workflow.\n4. Errors and fixes:\n   - {history}\n8. Current Work:\n   {claim}"
        );
        told_about(&session, &summary, FindingSubject::Command)
    };
    for claim in ["All tests pass.", "Alle Tests sind grün.", "Todos os testes passam."] {
        assert_eq!(
            of(&format!("{error}: waited for the page"), claim),
            [FindingKind::Contradicted],
            "{claim}"
        );
        assert_eq!(of(&format!("{error}: flaky, unrelated to this"), claim), [], "{claim}");
    }
    assert_eq!(of("None.", &format!("All tests pass. {error} is still there.")), []);
}

#[test]
fn a_suggestion_told_as_a_rule_is_told() {
    let suggested = Transcript::new()
        .prompt("maybe use the github connector instead? These permissions are annoying")
        .prompt("Vielleicht nimmst du besser die lokale Datenbank.");
    let of = |session: &Transcript, claim: &str| {
        let summary = format!(
            "1. Primary Request:\n   - {claim}\n6. All user messages:\n   - \"maybe use the github connector instead? These permissions are annoying\"\n   - \"Vielleicht nimmst du besser die lokale Datenbank.\""
        );
        told_about(session, &summary, FindingSubject::Quote)
    };
    for wrong in [
        "User preference: **ALWAYS use the GitHub connector instead** of the command line",
        "User preference: **ALWAYS use GitHub connector tools** (not `gh`) for GitHub operations",
        "Der Nutzer will, dass du immer besser die lokale Datenbank nimmst",
    ] {
        assert_eq!(of(&suggested, wrong), [FindingKind::Mutated], "{wrong}");
    }
    for fine in [
        "User preference: perhaps use the GitHub connector instead",
        "The user suggested to use the GitHub connector instead",
        "The user always annotates releases",
        "Always use the GitHub connector instead of the command line",
        "Der Nutzer schlägt vor, besser die lokale Datenbank zu nehmen",
    ] {
        assert_eq!(of(&suggested, fine), [], "{fine}");
    }
    let firm = suggested.prompt("From now on use the github connector.");
    assert_eq!(of(&firm, "User preference: ALWAYS use the GitHub connector instead of the command line"), []);
}

#[test]
fn a_number_that_occurs_elsewhere_is_told_if_the_newest_statement_in_the_same_words_has_another() {
    let session = Transcript::new()
        .prompt("Tune the pool.")
        .says("The worker pool opens 40 connections per shard at startup.")
        .says("Der Pool hält höchstens 25 Sitzungen je Knoten offen.")
        .bash("wc -c notes")
        .ok("read 48 bytes, wrote 29 bytes, 77 connections refused");
    let of = |claim: &str| {
        let summary = format!("1. Primary Request:\n   Tune the pool.\n5. Problem Solving:\n   - {claim}");
        told(&session, &summary).into_iter().map(|f| f.2).collect::<Vec<_>>()
    };
    assert_eq!(
        of("The worker pool opens 48 connections per shard."),
        ["The worker pool opens 40 connections per shard at startup."]
    );
    assert_eq!(
        of("Der Pool hält höchstens 29 Sitzungen je Knoten offen."),
        ["Der Pool hält höchstens 25 Sitzungen je Knoten offen."]
    );
    for fine in [
        "The worker pool opens 40 connections per shard.",
        "The reader opens 48 files per shard.",
        "The worker pool opens 77 connections per shard.",
        "The gateway allows 48 sessions.",
    ] {
        assert_eq!(of(fine), [] as [&str; 0], "{fine}");
    }
    let edited = session.clone().edit("/home/user/project/src/pool.rs", "40", "48");
    let changed = "1. Primary Request:\n   Tune the pool.\n5. Problem Solving:\n   - The worker pool opens 48 connections per shard.";
    assert_eq!(told(&edited, changed), [], "the edit may have changed it");
    let newer = session.says("The worker pool opens 48 connections per shard now.");
    let summary = "1. Primary Request:\n   Tune the pool.\n5. Problem Solving:\n   - The worker pool opens 48 connections per shard.";
    assert_eq!(told(&newer, summary), []);
}

/// What is told as contradicted, by the record's words.
fn contradicted(transcript: &Transcript, claim: &str) -> Vec<String> {
    let summary = format!("1. Primary Request:\n   The user asked for it.\n8. Current Work:\n   {claim}\n");
    let found = told(transcript, &summary).into_iter();
    found.filter(|f| f.0 == FindingKind::Contradicted).map(|f| f.2).collect()
}

/// A summary said that a search had found nothing left of four names; the search for the last of them had timed out.
#[test]
fn a_search_that_timed_out_found_nothing_of_nothing() {
    let search = |t: Transcript, pattern: &str| t.call("Grep", serde_json::json!({"pattern": pattern}));
    let none = "No matches found";
    let start = Transcript::new().prompt("Remove the old observers.");
    let first = || search(start.clone(), "oldObserver|legacyLogin").ok(none);
    let timed_out =
        search(first(), "legacyResult|oldObserver").fails("Ripgrep search timed out after 20 seconds.");
    let claim = "Grep confirmed 0 occurrences of `oldObserver`, `legacyLogin`, `legacyResult`.";
    let found = contradicted(&timed_out, claim);
    assert!(matches!(&found[..], [one] if one.contains("timed out")), "{found:?}");
    let ended = search(first(), "legacyResult|oldObserver").ok(none);
    assert_eq!(contradicted(&ended, claim), [""; 0]);
    let again = search(timed_out.clone(), "legacyResult|oldObserver").ok(none);
    assert_eq!(contradicted(&again, claim), [""; 0], "it was repeated");
    assert_eq!(
        contradicted(&timed_out, "The search for `oldObserver` and `legacyResult` timed out."),
        [""; 0]
    );
}

/// "Just completed implementing …", with a plan approved and not a line of it written.
#[test]
fn an_approved_plan_of_which_nothing_was_written_is_not_implemented() {
    let planned = Transcript::new()
        .prompt("Add an export.")
        .plan("# Add the CSV export\n1. Write src/export.rs")
        .read("/home/user/project/src/main.rs");
    let claim = "Just completed implementing the CSV export.";
    let found = contradicted(&planned, claim);
    assert!(matches!(&found[..], [one] if one.contains("Add the CSV export")), "{found:?}");
    let built = planned.clone().edit("/home/user/project/src/export.rs", "a", "b");
    let scripted = planned.clone().bash("python3 tools/generate.py").ok("done");
    for (session, claim) in [
        (&built, claim),
        (&scripted, claim),
        (&planned, "The implementation plan is complete."),
        (&planned, "About to start implementing the CSV export."),
    ] {
        assert_eq!(contradicted(session, claim), [""; 0], "{claim}");
    }
}

/// "Fixed in a.rs", where the edit was taken back because it did not help.
#[test]
fn an_edit_that_was_taken_back_exactly_fixed_nothing() {
    let file = "/home/user/project/src/retry.rs";
    let back = Transcript::new().prompt("Fix the retry.").edit(file, "attempts = 3", "attempts = 5").edit(
        file,
        "attempts = 5",
        "attempts = 3",
    );
    let claim = "Fixed the retry in `src/retry.rs`.";
    let found = contradicted(&back, claim);
    assert!(matches!(&found[..], [one] if one.starts_with("src/retry.rs: edited at L")), "{found:?}");
    let kept = back.clone().edit(file, "delay = 1", "delay = 2");
    assert_eq!(contradicted(&kept, claim), [""; 0], "another edit stands");
    assert_eq!(contradicted(&back, "The edit of `src/retry.rs` was reverted."), [""; 0]);
}

/// A file called created that was only spoken of.
#[test]
fn a_file_that_no_tool_wrote_was_not_created() {
    let spoken = Transcript::new()
        .prompt("Describe the format.")
        .says("I will put the description into FORMAT.md next.")
        .edit("/home/user/project/README.md", "a", "b");
    let claim = "Created `docs/FORMAT.md` with the description.";
    for claim in [claim, "`docs/FORMAT.md` is incomplete."] {
        let found = contradicted(&spoken, claim);
        assert!(matches!(&found[..], [one] if one.contains("no tool wrote FORMAT.md")), "{claim}: {found:?}");
    }
    for session in [
        spoken.clone().subagent("a1", "Describe the format.", "Done."),
        spoken.clone().bash("echo 'a").ok(""),
        spoken.clone().bash("git status").unanswered(),
        spoken.clone().write("/home/user/project/docs/FORMAT.md"),
        spoken.clone().bash("make docs").ok("ok"),
        spoken.clone().bash("cp a.md docs/FORMAT.md").ok(""),
    ] {
        assert_eq!(contradicted(&session, claim), [""; 0]);
    }
}

/// "Tests 1–2 pass", where one of them had been skipped.
#[test]
fn skipped_tests_do_not_pass() {
    let run = |output: &str| Transcript::new().prompt("Test it.").bash("npx vitest run").ok(output);
    let skipped = run("Tests  9 passed | 1 skipped (10)");
    let found = contradicted(&skipped, "All 10 tests pass.");
    assert!(matches!(&found[..], [one] if one.contains("9 passed")), "{found:?}");
    assert_eq!(contradicted(&skipped, "9 tests pass."), [""; 0]);
    assert_eq!(contradicted(&run("Tests  10 passed (10)"), "All 10 tests pass."), [""; 0]);
}

#[test]
fn what_the_agent_said_is_not_done_and_unticked_boxes_are_open_work() {
    let said = Transcript::new()
        .prompt("Write the exporter and the importer.")
        .says("The importer is written. The exporter and its documentation are not started.");
    let found = contradicted(&said, "The exporter and its documentation are done.");
    assert!(matches!(&found[..], [one] if one.contains("not started")), "{found:?}");
    assert_eq!(contradicted(&said, "The exporter and its documentation are not started."), [""; 0]);
    assert_eq!(contradicted(&said, "The importer is done."), [""; 0]);
    let boxes = Transcript::new()
        .prompt("Go on.")
        .says("- [x] Write the parser\n- [ ] Wire the parser into the gateway");
    let found = contradicted(&boxes, "Wire the parser into the gateway: done");
    assert_eq!(found, ["[ ] Wire the parser into the gateway"]);
    assert_eq!(contradicted(&boxes, "Write the parser: done"), [""; 0]);
}

#[test]
fn a_request_is_missed_in_its_own_language_and_across_languages_nobody_can_tell() {
    let missed = |request: &str, summary: &str| {
        let session = Transcript::new().prompt(request);
        told(&session, summary).iter().any(|f| f.0 == FindingKind::Dropped && f.1 == FindingSubject::Request)
    };
    let chinese = "请把登录页面的按钮改成蓝色并加上验证码";
    assert!(missed(chinese, "1. 主要请求：\n   用户想知道数据库为什么这么慢。\n   我们查看了索引。"));
    assert!(!missed(chinese, "1. 主要请求：\n   用户要求把登录页面的按钮改成蓝色，并加上验证码。"));
    assert!(!missed(chinese, "1. Primary Request:\n   The user asked why the database is slow."));
    let german = "Baue bitte den Export für die Rechnungen und schreibe Tests dafür.";
    assert!(missed(german, "1. Auftrag:\n   Der Nutzer will wissen, warum die Datenbank so langsam ist."));
    assert!(!missed(german, "1. Auftrag:\n   Export für die Rechnungen bauen, mit Tests."));
    assert!(!missed(german, "1. Primary Request:\n   The user wants to know why the database is slow."));
}

#[test]
fn a_message_listed_with_a_remark_is_listed() {
    let start = Transcript::new()
        .prompt("Fix the login form on the start page.")
        .prompt("Then translate the menu bar.");
    let session =
        start.prompt("I think the importer is failing due to this trailer\n* commit c8deac79 docs: add red");
    let summary = |third: &str| {
        format!(
            "6. All user messages:\n   - \"Fix the login form on the start page.\"\n   - \"Then translate the menu bar.\"\n{third}\n8. Current Work:\n   The menu bar.\n"
        )
    };
    let listed =
        "   - \"I think the importer is failing due to this trailer [showed a commit without a blank line]\"";
    assert_eq!(told_about(&session, &summary(listed), FindingSubject::Request), []);
    assert_eq!(told_about(&session, &summary(""), FindingSubject::Request), [FindingKind::Dropped]);
}

#[test]
fn half_a_rule_is_not_missed() {
    let of = |message: &str| {
        let session = Transcript::new().prompt(message).prompt("Why was the site down, and is it up again?");
        told_about(
            &session,
            "1. Primary Request:\n   The site was down; it is up again.\n",
            FindingSubject::Instruction,
        )
    };
    assert_eq!(
        of("Bring the site up.\nThe helper must always capture and translate\nwhatever the page shows."),
        []
    );
    assert_eq!(
        of("Bring the site up.\nThe helper must always capture and translate the page."),
        [FindingKind::Dropped]
    );
}

#[test]
fn a_value_that_is_denied_is_not_claimed() {
    let session = Transcript::new().prompt("Fix the limiter.").edit("src/limiter.rs", "a", "b");
    let of =
        |text: &str| told_about(&session, &format!("8. Current Work:\n   {text}\n"), FindingSubject::File);
    assert_eq!(of("The change is in src/limter.rs."), [FindingKind::Mutated]);
    assert_eq!(of("The change is in src/limiter.rs, not in src/limter.rs."), []);
}

#[test]
fn a_text_of_ours_in_a_summary_is_not_its_claim() {
    let lie = FAITHFUL.replace("header (in progress)", "header ✅");
    let findings = audit(&fold(&busy()), &lie);
    let ours = crate::brief::brief(crate::choose::head::contradictions::late(&findings, ""), 6_000).text;
    assert!(ours.contains("header ✅"), "{ours}");
    let sentence = ours.lines().find(|line| line.contains("header ✅")).expect("told");
    for copied in [ours.as_str(), sentence] {
        assert_eq!(told(&busy(), &format!("{FAITHFUL}\n{copied}\n")), [], "{copied}");
    }
}

#[test]
fn one_lie_is_one_finding() {
    let lie = FAITHFUL.replace(
        "7. Pending Tasks:\n   - Task #2: Document the Retry-After header (in progress)\n   - Task #3: Load test the gateway\n",
        "7. Pending Tasks:\n   - None, all tasks are completed.\n",
    );
    let found = told(&busy(), &lie);
    assert_eq!(found.iter().filter(|f| f.0 == FindingKind::Contradicted).count(), 1, "{found:?}");
}

/// "tmux=OK", where the probe of it had printed nothing.
#[test]
fn a_program_that_the_last_probe_did_not_find_is_not_there() {
    let probed = |command: &str, output: &str| Transcript::new().prompt("Check.").bash(command).ok(output);
    let probe = "command -v tmux && tmux -V; echo \"TMUX=$TMUX\"; command -v gemini";
    let missing = probed(probe, "TMUX=\n/usr/local/bin/gemini");
    let claim = "Prerequisites verified: tmux=OK, gemini=OK";
    let found = contradicted(&missing, claim);
    assert!(matches!(&found[..], [one] if one.contains("`command -v tmux` printed nothing")), "{found:?}");
    let named = probed("which ripgrep", "which: ripgrep: not found");
    let found = contradicted(&named, "ripgrep is installed.");
    assert!(matches!(&found[..], [one] if one.contains("ripgrep: not found")), "{found:?}");
    let quiet = probed("which tmux 2>/dev/null; echo done", "done");
    assert_eq!(contradicted(&quiet, "tmux=OK").len(), 1);
    for (session, claim) in [
        (&probed(probe, "/usr/bin/tmux\ntmux 3.4\nTMUX=\n/usr/bin/gemini"), claim),
        (&probed("command -v tmux >/dev/null; echo done", "done"), "tmux=OK"),
        (&probed("make x && which tmux", "x"), claim),
        (&probed("which tmux | wc -l", "0"), claim),
        (&probed("ssh build.example.org which tmux", ""), claim),
        (&missing.clone().bash("brew install tmux").ok("tmux 3.4 is installed"), claim),
        (&missing.clone().bash("tmux -V").ok("tmux 3.4"), claim),
        (&missing, "tmux is not installed, gemini is available."),
        (&missing, "Once tmux is installed, start the workers."),
    ] {
        assert_eq!(contradicted(session, claim), [""; 0], "{claim}");
    }
}

/// A benchmark called successful, half of whose operations had failed, though it ended with 0.
#[test]
fn a_program_whose_output_names_failed_parts_did_not_succeed() {
    let ran = |output: &str| {
        Transcript::new().prompt("Run it.").bash("LD=. ./build/matrix_bench --n 50").ok(output)
    };
    let half = ran("add    0.000   ❌ FAIL\nscale  0.003   5.75x\nsub    0.000   ❌ FAIL\nMean speedup 3.3x");
    let claim = "The new suite (`matrix_bench.c`) successfully demonstrates the speedup.";
    let found = contradicted(&half, claim);
    let both = "add 0.000 ❌ FAIL and 1 more such lines, by `LD=. ./build/matrix_bench --n 50`";
    assert!(matches!(&found[..], [one] if one.starts_with(both)), "{found:?}");
    for (session, claim) in [
        (&ran("add 0.002 4x\n0 FAILED"), claim),
        (&half.clone().bash("./build/matrix_bench").ok("add 0.002 4x"), claim),
        (&half, "`matrix_bench` runs, but add and sub fail."),
        (&half, "Two operations of `matrix_bench` did not pass."),
        (&half, "The other suite (`vector_bench.c`) runs successfully."),
    ] {
        assert_eq!(contradicted(session, claim), [""; 0], "{claim}");
    }
}

/// "Existing files kept as they are", where one was edited.
#[test]
fn a_file_that_was_changed_was_not_left_alone() {
    let path = "/home/user/project/src/page.rs";
    let edited =
        Transcript::new().prompt("Add a page.").read("/home/user/project/src/menu.rs").edit(path, "a", "b");
    for wrong in
        ["`src/page.rs` was left untouched.", "`src/page.rs` (unchanged)", "`src/page.rs` — not modified"]
    {
        let found = contradicted(&edited, wrong);
        assert!(
            matches!(&found[..], [one] if one.starts_with("src/page.rs: changed at L")),
            "{wrong}: {found:?}"
        );
    }
    let back = edited.clone().edit(path, "b", "a");
    let later = edited.clone().prompt("Now describe it.");
    for (session, claim) in [
        (&edited, "`src/menu.rs` was left untouched."),
        (&edited, "`src/page.rs`: its interface is unchanged."),
        (&edited, "`src/page.rs` was changed."),
        (&back, "`src/page.rs` was left untouched."),
        (&later, "`src/page.rs` was left untouched."),
    ] {
        assert_eq!(contradicted(session, claim), [""; 0], "{claim}");
    }
}

/// The number of lines of one file given to another.
#[test]
fn a_number_of_lines_is_compared_with_what_was_written() {
    let path = "/home/user/project/GUIDE.md";
    let written = |content: &str| {
        let call = Transcript::new()
            .prompt("Write the guide.")
            .call("Write", serde_json::json!({"file_path": path, "content": content}));
        call.ok(&format!("File created successfully at: {path}"))
    };
    let guide = written(&"line\n".repeat(508));
    let of = |session: &Transcript, claim: &str| {
        told(session, &format!("3. Files:\n   - {claim}\n")).into_iter().map(|f| f.2).collect::<Vec<_>>()
    };
    assert_eq!(of(&guide, "`GUIDE.md` (305 lines)"), ["508 lines were written into GUIDE.md"]);
    for (session, claim) in [
        (&guide, "`GUIDE.md` (508 lines)"),
        (&guide, "`GUIDE.md` (500 lines)"),
        (&guide, "`GUIDE.md` (~305 lines)"),
        (&guide, "`GUIDE.md`: added 305 lines"),
        (&guide.clone().edit(path, "line", "a\nb"), "`GUIDE.md` (305 lines)"),
        (&guide.clone().bash("prettier --write .").ok("done"), "`GUIDE.md` (305 lines)"),
        (&written(&format!("{0}\n…\n{0}", "line\n".repeat(900))), "`GUIDE.md` (305 lines)"),
    ] {
        assert_eq!(of(session, claim), [""; 0], "{claim}");
    }
}
