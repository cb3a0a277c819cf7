use catchword_testkit::Transcript;

use super::*;
use crate::model::entry::Place;
use crate::reading::command::ShellLine;
use crate::reading::git::PrintedCommit;
use crate::reading::outcome::Outcome;
use crate::session::instructions;
use crate::session::tests::fold;

/// What the record has of a session, one line each: place, who, words and state.
fn seen(transcript: &Transcript) -> Vec<String> {
    let record = fold(transcript).record;
    let line = |seen: &Observation| {
        let state = match seen.state {
            Standing::Holds => String::new(),
            state => format!(" [{state:?}]"),
        };
        let kind = match &seen.what {
            Kind::Asked(_) => "asked",
            Kind::Answered { .. } => "answered",
            Kind::Refused { .. } => "refused",
            Kind::Said(_) => "said",
            Kind::Ran { .. } if seen.is_failed_run() => "failed",
            Kind::Ran { .. } => "ran",
            Kind::Called { .. } => "called",
            Kind::Printed { .. } => "printed",
            Kind::Touched(_) => "touched",
            Kind::Wrote { .. } => "wrote",
            Kind::Task { .. } => "task",
            Kind::Planned(_) => "planned",
            Kind::Approved => "approved",
            Kind::Summarised(_) => "summarised",
            Kind::Committed { .. } => "committed",
        };
        format!("{} {kind} {}{state}", seen.place, seen.words)
    };
    record.iter().map(line).collect()
}

#[test]
fn each_line_said_and_each_run_is_one_observation() {
    let transcript = Transcript::new()
        .prompt("Fix the login.\n\nNever touch the schema.")
        .says("I will run the tests first.")
        .bash("cargo test")
        .fails("error: it broke\ntest result: FAILED. 3 passed; 1 failed");
    assert_eq!(
        seen(&transcript),
        [
            "L1 asked Fix the login.",
            "L1 asked Never touch the schema.",
            "L2 said I will run the tests first. [Settled(Place(3))]",
            "L3 failed cargo test",
            "L4 printed error: it broke",
            "L4 printed test result: FAILED. 3 passed; 1 failed",
        ]
    );
    let record = fold(&transcript).record;
    let run = record.iter().find_map(Observation::ended).expect("the run has ended");
    assert_eq!(run.telling, "test result: FAILED. 3 passed; 1 failed");
}

#[test]
fn the_next_run_of_a_line_settles_or_overtakes_it() {
    let transcript = Transcript::new()
        .bash("cargo test 2>&1 | tail -3")
        .fails("test result: FAILED. 3 passed; 1 failed")
        .bash("cargo test -q")
        .ok("test result: ok. 4 passed; 0 failed");
    let runs: Vec<String> = seen(&transcript).into_iter().filter(|line| line.contains("cargo")).collect();
    assert_eq!(
        runs,
        ["L1 failed cargo test 2>&1 | tail -3 [Settled(Place(3))]", "L3 ran cargo test -q"],
        "what only shortens the output does not make it another run"
    );
}

#[test]
fn an_exact_reversal_takes_an_edit_back() {
    let edits = |last: (&str, &str)| {
        let transcript =
            Transcript::new().edit("src/a.rs", "let a = 1;", "let a = 2;").edit("src/a.rs", last.0, last.1);
        let record = fold(&transcript).record;
        let touched = record.iter().filter(|seen| matches!(seen.what, Kind::Touched(_)));
        touched.map(|seen| seen.state).collect::<Vec<_>>()
    };
    assert_eq!(edits(("let a = 2;", "let a = 1;")), [Standing::Withdrawn(Place(3)); 2]);
    assert_eq!(edits(("let a = 2;", "let a = 3;")), [Standing::Holds; 2]);
}

#[test]
fn a_refused_call_was_not_run() {
    let refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n\
                   not the data folder!";
    let transcript = Transcript::new().prompt("clean up").bash("rm -rf data").fails(refusal);
    let all = seen(&transcript);
    assert!(all.contains(&"L2 ran rm -rf data [Withdrawn(Place(2))]".to_owned()), "{all:#?}");
    assert!(all.iter().any(|line| line.starts_with("L3 refused not the data folder!")), "{all:#?}");
}

#[test]
fn lines_of_a_failed_edit_were_not_written() {
    let edit =
        serde_json::json!({"file_path": "/p/a.rs", "old_string": "x", "new_string": "let limit = 512;"});
    let failed = Transcript::new().call("Edit", edit.clone()).fails("String to replace not found in file.");
    assert_eq!(seen(&failed), ["L1 wrote let limit = 512; [Withdrawn(Place(1))]"]);
    let done = seen(&Transcript::new().edit("/p/a.rs", "x", "let limit = 512;"));
    assert!(done.contains(&"L1 wrote let limit = 512;".to_owned()), "{done:#?}");
}

#[test]
fn what_the_person_pasted_is_kept_apart_from_what_they_typed() {
    let prompt = "What does this mean?\n```\nNever call this twice.\n```\nIt came up at noon.";
    let record = fold(&Transcript::new().prompt(prompt)).record;
    let of = |who| record.iter().filter(move |seen| seen.who == who).map(|seen| seen.words.as_str());
    assert_eq!(of(Voice::Person).collect::<Vec<_>>(), ["What does this mean?", "It came up at noon."]);
    assert_eq!(of(Voice::Pasted).collect::<Vec<_>>(), ["```", "Never call this twice.", "```"]);
    let lines: Vec<_> = record.iter().map(|seen| seen.what.clone()).collect();
    assert_eq!(
        lines[2],
        Kind::Asked(TextPart { line: 2, of: 5, is_code: true, ..TextPart::default() }),
        "its position in the whole prompt"
    );
}

#[test]
fn what_the_person_copied_from_the_agent_is_not_theirs() {
    let told = "Always run the migration before the tests, or they hang.";
    let said = Transcript::new().prompt("Why does it hang?").says(told);
    let session = fold(&said.prompt(&format!("You wrote:\n{told}\nIs that so? Never skip the linter.")));
    let last = session.prompts.last().expect("the second prompt");
    assert_eq!(session.typed_of(last), "You wrote:\nIs that so? Never skip the linter.");
    let rules: Vec<String> = instructions::in_force(&session).into_iter().map(|rule| rule.text).collect();
    assert_eq!(rules, ["Never skip the linter."]);
}

#[test]
fn a_prompt_is_kept_once_and_can_be_read_whole() {
    let long = "One sentence of a long line. ".repeat(20);
    let prompt = format!("Fix it:\n\n1. the parser\n   - its comments\n2. ???\n\n{}", long.trim());
    let session = fold(&Transcript::new().prompt(&prompt).says("On it.").prompt("👍"));
    let read: Vec<String> = session.prompts.iter().map(|prompt| session.text_of(prompt)).collect();
    assert_eq!(read, [prompt.as_str(), "👍"]);
    assert_eq!(session.prompts[0].characters as usize, prompt.chars().count());
}

#[test]
fn of_a_long_paste_the_ends_are_kept() {
    let paste: Vec<String> =
        (0..900).map(|n| format!("    at Object.<anonymous> (/p/a{n}.js:1:2)")).collect();
    let session = fold(&Transcript::new().prompt(&format!("Why?\n\n{}", paste.join("\n"))));
    let lines = session.text_of(&session.prompts[0]).lines().filter(|line| !line.is_empty()).count();
    assert_eq!((lines, session.prompts[0].characters > 30_000), (400, true));
}

#[test]
fn what_only_a_rewound_prompt_repeated_holds_again() {
    let start = Transcript::new().prompt("Count the rows.").says("There are 512 rows.");
    let branch = start.line_count() + 1;
    let all = seen(
        &start.prompt("And again?").says("There are 512 rows.").rewind(branch).prompt("Now the columns."),
    );
    assert_eq!(all[..2], ["L1 asked Count the rows.", "L2 said There are 512 rows."], "{all:#?}");
    assert!(all.contains(&"L4 said There are 512 rows. [Withdrawn(Place(1))]".to_owned()), "{all:#?}");
}

#[test]
fn sentences_of_the_client_around_a_summary_are_not_the_summarys() {
    let all = seen(&Transcript::new().prompt("Go.").compaction("auto", "The rows are counted."));
    assert!(!all.iter().any(|line| line.contains("being continued")), "{all:#?}");
    assert!(all.last().is_some_and(|line| line.ends_with("summarised The rows are counted.")), "{all:#?}");
}

#[test]
fn of_a_long_output_the_ends_and_what_tells_are_kept() {
    let mut output: Vec<String> = (0..500).map(|n| format!("line number {n} of many")).collect();
    output[250] = "src/a.rs:3: error: cannot find it".to_owned();
    let all = seen(&Transcript::new().bash("make").ok(&output.join("\n")));
    let has = |n: usize| all.iter().any(|line| line.ends_with(&format!("line number {n} of many")));
    assert!(has(0) && has(19) && !has(20) && !has(439) && has(440) && has(499));
    assert!(all.iter().any(|line| line.ends_with("cannot find it")), "an error line in the middle");
    assert_eq!(all.len(), 1 + 20 + 60 + 1);
}

#[test]
fn a_full_log_drops_printed_lines_first_and_says_so() {
    let mut record = Record::default();
    record.asked(Place(1), 0, Voice::Person, "Keep the old format readable.");
    for n in 0..60_000 {
        record.printed((Place(n), Place(n)), n, Source::Shell, false, &format!("output number {n}"));
    }
    assert!(record.len() <= 45_000 && record.dropped > 0);
    assert_eq!(record.len() + record.dropped as usize, 60_001);
    assert_eq!(record.iter().next().map(|seen| seen.words.as_str()), Some("Keep the old format readable."));
}

#[test]
fn two_calls_of_one_row_keep_their_own_outcomes() {
    let (one, two) = (ShellLine::parse("make one"), ShellLine::parse("make two"));
    let mut record = Record::default();
    let mut call = |line: &ShellLine| {
        let first = record.next_part(Place(3));
        record.ran(Place(3), 1, Voice::Agent, line);
        CallParts { place: Place(3), parts: (first, record.next_part(Place(3))) }
    };
    let (first, second) = (call(&one), call(&two));
    record.ended(&first, RunResult { ok: Some(false), telling: "one broke".into(), ..RunResult::default() });
    record.had_no_effect(&second);
    let runs: Vec<(Option<&str>, bool)> = record
        .iter()
        .map(|seen| (seen.ended().map(|end| end.telling.as_str()), seen.state.holds()))
        .collect();
    assert_eq!(runs, [(Some("one broke"), true), (None, false)]);
}

/// What fails after these runs: command, whether it passed, and what it printed.
fn left(runs: &[(&str, Option<bool>, &str)]) -> Vec<String> {
    let mut record = Record::default();
    for (n, (command, ok, output)) in (1..).zip(runs) {
        let line = ShellLine::parse(command);
        let outcome = Outcome::read(*ok != Some(false), None, output);
        record.ran(Place(n), n, Voice::Agent, &line);
        let ended = if ok.is_some() { RunResult::of(&line, &outcome) } else { RunResult::unended(&outcome) };
        record.ended(&CallParts { place: Place(n), parts: (0, 1) }, ended);
    }
    let mut failing: Vec<String> = record.failing(0).map(|run| run.line.core().to_owned()).collect();
    failing.reverse();
    failing
}

#[test]
fn failure_is_resolved_once_each_command_has_passed() {
    let failed = ("make lint && make test", Some(false), "error: x");
    assert_eq!(left(&[failed]), ["make lint && make test"]);
    assert_eq!(left(&[failed, ("make lint", Some(true), "")]), ["make lint && make test"]);
    assert_eq!(left(&[failed, ("make lint", Some(true), ""), ("make test", Some(true), "ok ")]), [""; 0]);
    assert_eq!(
        left(&[("make test", Some(false), "error: x"), ("make fmt && make test", Some(true), "")]),
        [""; 0]
    );
}

#[test]
fn rerun_replaces_the_earlier_result() {
    let again = [("go test ./a -run X", Some(false), "FAIL"), ("go test ./a -run X -v", Some(false), "FAIL")];
    assert_eq!(left(&again), ["go test ./a -run X -v"]);
    assert_eq!(left(&[again[0], ("go test ./a/... | grep FAIL", None, "")]), [""; 0]);
    assert_eq!(left(&[again[0], ("go test ./a | tail -3", Some(true), "a trace")]), ["go test ./a -run X"]);
    assert_eq!(left(&[again[0], ("go test ./a | tail -3", Some(true), "ok  \ta\t0.1s")]), [""; 0]);
    let parts =
        [("make && ./run_a", Some(false), "x"), ("make", Some(false), "y"), ("./run_a", Some(false), "z")];
    assert_eq!(left(&parts), ["make", "./run_a"]);
    let by_task = ("mise run ci", Some(true), "[ci] $ go test -race ./...\nok  \ta\t0.1s");
    assert_eq!(left(&[again[0], by_task]), [""; 0]);
}

#[test]
fn a_run_without_the_work_is_no_failure_of_the_work() {
    let failed = ("make test", Some(false), "FAILED a.py::one");
    assert_eq!(left(&[("git stash && make test", Some(false), "FAILED a.py::one")]), [""; 0]);
    assert_eq!(left(&[failed, ("git stash && make test", Some(false), "FAILED a.py::one")]), [""; 0]);
    let others = ("git stash push -u; make test; git stash pop", Some(false), "FAILED a.py::two");
    assert_eq!(left(&[failed, others]), ["make test"], "it fails differently without the work");
    assert_eq!(left(&[failed, ("git stash && make test", Some(true), "2 passed")]), ["make test"]);
    assert_eq!(left(&[failed, ("git stash pop && make test", Some(true), "2 passed")]), [""; 0]);
    let broken = ("make build", Some(false), "a.c:3: error: undefined symbol parse");
    let baseline = |output| left(&[broken, ("git stash && make build", Some(false), output)]);
    assert_eq!(baseline("make: cc: No such file or directory"), ["make build"], "another error");
    let same = "Saved working directory\n  a.c:3: error: undefined symbol parse";
    assert_eq!(baseline(same), [""; 0], "the same error");
    for report in ["make: *** [Makefile:2: build] Error 1", "collect2: error: ld returned 1 exit status", ""]
    {
        let runs = [("make build", Some(false), report), ("git stash && make build", Some(false), report)];
        assert_eq!(left(&runs), ["make build"], "{report:?} names no error");
    }
    let pulled = ("git stash; git pull; git stash pop && make test", Some(false), "FAILED a.py::two");
    assert_eq!(left(&[pulled]).len(), 1, "it ran with the work");
}

#[test]
fn corrected_call_resolves_a_slip_and_a_commit_resolves_a_merge() {
    let slip = ("cd build && make -j8", Some(false), "cd: build: No such file or directory");
    assert_eq!(left(&[slip, ("make -j4", Some(false), "a.c: error")]), ["make -j4"]);
    let merge = ("git merge topic", Some(false), "Automatic merge failed; fix conflicts");
    assert_eq!(left(&[merge, ("git status", Some(true), "")]), ["git merge topic"]);
    assert_eq!(left(&[merge, ("git commit --no-edit", Some(true), "")]), [""; 0]);
}

#[test]
fn reads_probes_and_wrong_calls_are_not_failures() {
    assert_eq!(left(&[("gh pr diff 3 -- a", Some(false), "accepts at most 1 arg(s), received 2")]), [""; 0]);
    assert_eq!(
        left(&[("cat missing.txt", Some(false), "No such file"), ("curl x || echo down", Some(false), "")]),
        [""; 0]
    );
}

#[test]
fn what_only_looks_whether_something_is_there_is_no_failure() {
    for (command, output) in [
        ("ls nothere", "ls: cannot access 'nothere': No such file or directory"),
        ("ls -la /p/dist && cat /p/dist/x", "ls: cannot access '/p/dist': No such file or directory"),
        ("which rg", ""),
        ("command -v rg", ""),
        ("stat x.txt", "stat: cannot statx 'x.txt': No such file or directory"),
        ("sed -n 1,5p nothere", "sed: can't read nothere: No such file or directory"),
        ("git show HEAD:src/a.rs", "fatal: path 'src/a.rs' does not exist in 'HEAD'"),
        ("git log --oneline nothere", "fatal: ambiguous argument 'nothere': unknown revision"),
        ("gh pr view 3", "no pull requests found for branch"),
        ("pip show foo", "WARNING: Package(s) not found: foo"),
        ("npm ls foo", "app@1.0.0\n`-- (empty)"),
        ("cargo tree -i foo", "error: package ID specification `foo` did not match any packages"),
        ("docker ps", "Cannot connect to the Docker daemon"),
        ("curl -s http://localhost:3000/health", ""),
        ("node --version", "bash: node: command not found"),
        ("kubectl get pods", "error: the server doesn't have a resource type"),
        ("jq .x y.json", "jq: error: Could not open file y.json"),
        ("pgrep -f server", ""),
        ("lsof -i :3000", ""),
        ("gti status", "gti: command not found"),
    ] {
        assert_eq!(left(&[(command, Some(false), output)]), [""; 0], "{command}");
        assert!(!ShellLine::parse(command).may_check(), "{command}: no last run");
    }
}

#[test]
fn a_call_that_was_corrected_is_no_failure() {
    for (slip, output, right) in [
        ("cargo tset", "error: no such command: `tset`", "cargo test"),
        (
            "pytest --cvo",
            "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --cvo",
            "pytest --cov",
        ),
        ("npm run tset", "npm error Missing script: \"tset\"", "npm run test"),
        ("make tset", "make: *** No rule to make target 'tset'.  Stop.", "make test"),
        ("go test ./nope", "no such file or directory: ./nope", "go test ./yes"),
    ] {
        let runs = [(slip, Some(false), output), (right, Some(false), "error: it broke")];
        assert_eq!(left(&runs), [right], "{slip}");
    }
}

#[test]
fn halves_that_passed_behind_a_pipe_settle_a_failed_line() {
    let failed = ("npm run lint && npm test", Some(false), "2 failed, 3 passed");
    let lint = ("npm run lint 2>&1 | tail -3", Some(true), "Done in 2s");
    let tests = |output| ("cd web && npm test 2>&1 | tail -5", Some(true), output);
    assert_eq!(left(&[failed, lint]), ["npm run lint && npm test"]);
    assert_eq!(left(&[failed, lint, tests("5 passed")]), [""; 0]);
    assert_eq!(left(&[failed, lint, tests("a trace")]).len(), 1, "the exit code is that of tail");
    assert_eq!(left(&[failed, lint, tests(" 0 fail\n 2760 expect() calls\nRan 1274 tests")]), [""; 0]);
    assert_eq!(left(&[failed, lint, tests("1 failed, 4 passed")]).len(), 1);
    let transcript = Transcript::new()
        .bash(failed.0)
        .fails(failed.2)
        .bash(lint.0)
        .ok(lint.2)
        .bash(tests("").0)
        .ok("5 passed");
    let states: Vec<_> = fold(&transcript).record.runs().map(|run| run.state).collect();
    assert_eq!(states, [Standing::Settled(Place(5)), Standing::Holds, Standing::Holds]);
}

/// In the form in which readers of briefs found them.
#[test]
fn a_run_is_told_by_what_it_says_of_itself() {
    let told = |command: &str, ok: bool, output: &str| {
        let line = ShellLine::parse(command);
        RunResult::of(&line, &Outcome::read(ok, Some(i32::from(!ok)), output)).telling
    };
    let log = "server listening at http://127.0.0.1:3001\n{\"status\":\"ok\"} MOCK OK\nincoming request\nresponseTime: 2.95";
    let started =
        "node mock.js &\nsleep 1\ncurl -s localhost:3001/health && echo \" MOCK OK\" || echo \"MOCK FAILED\"";
    assert_eq!(told(started, true, log), "{\"status\":\"ok\"} MOCK OK");
    let staged = "M  README.md\nA  src/a.rs\nM  themes/main.php";
    assert_eq!(told("git add -A && git status --short | head -30", true, staged), "");
    assert_eq!(told("git add -A", true, "warning: LF will be replaced\nby CRLF"), "by CRLF");
    let made = "[main 672b1de] Add it\n 20 files changed, 966 insertions(+)\n create mode 100644 src/a.rs";
    assert_eq!(told("git commit -m 'Add it'", true, made), "20 files changed, 966 insertions(+)");
    let pulled = "Command timed out after 2m 0s From example.com:a/b\nUpdating files:  75% (9/12)\rUpdating files:  76% (10/12)";
    assert_eq!(told("git pull", false, pulled), "Command timed out after 2m 0s From example.com:a/b");
}

#[test]
fn the_same_line_that_passes_is_over_whatever_joins_its_steps() {
    let failed = ("make lint; make test", Some(false), "error: x");
    assert_eq!(left(&[failed, ("make lint; make test", Some(true), "4 passed")]), [""; 0]);
    assert_eq!(left(&[failed, ("make lint; make test | tail", Some(true), "a trace")]).len(), 1);
}

#[test]
fn a_script_that_nobody_can_read_may_have_mended_anything() {
    let mut record = Record::default();
    let line = ShellLine::parse("make test");
    record.ran(Place(1), 1, Voice::Agent, &line);
    let ended = RunResult::of(&line, &Outcome::read(false, None, "error: x"));
    record.ended(&CallParts { place: Place(1), parts: (0, 1) }, ended);
    assert_eq!(record.failing(1).count(), 1);
    record.anything_ran(Place(2));
    assert_eq!((record.failing(2).count(), record.latest_runs().count()), (0, 0));
}

#[test]
fn indexes_stay_true_when_the_log_drops_its_oldest_lines() {
    let mut record = Record::default();
    let line = ShellLine::parse("make test");
    record.printed((Place(1), Place(1)), 0, Source::Shell, false, "before it");
    record.ran(Place(2), 1, Voice::Agent, &line);
    let ended = RunResult::of(&line, &Outcome::read(false, None, "error: x"));
    record.ended(&CallParts { place: Place(2), parts: (0, 1) }, ended);
    record.committed(
        Place(2),
        1,
        PrintedCommit { branch: Some("main"), hash: "1a2b3c4", subject: "a commit" },
    );
    for n in 3..60_000 {
        record.printed((Place(n), Place(n)), n, Source::Shell, false, &format!("output number {n}"));
    }
    assert!(record.dropped > 0);
    assert_eq!(record.failing(1).map(|run| run.place).collect::<Vec<_>>(), [Place(2)]);
    assert_eq!(record.commits().map(|commit| commit.hash).collect::<Vec<_>>(), ["1a2b3c4"]);
}

#[test]
fn lines_of_a_file_have_no_numbers_of_the_client() {
    for read in ["1\t# Rules\n2\t\n3\tUse 4 spaces.", "     1→# Rules\n     2→\n     3→Use 4 spaces."] {
        let input = serde_json::json!({"file_path": "/p/CLAUDE.md"});
        let all = seen(&Transcript::new().call("Read", input).ok(read));
        assert_eq!(all[0..2], ["L2 printed # Rules", "L2 printed Use 4 spaces."], "{all:#?}");
    }
}

#[test]
fn of_an_edit_only_what_changed_is_kept() {
    let wrote = |out: &str, put_in: &str| -> Vec<String> {
        let session = fold(&Transcript::new().edit("/w/db.toml", out, put_in));
        let line = |seen: &Observation| match &seen.what {
            Kind::Wrote { how: Written::New, .. } => Some(format!("+ {}", seen.words)),
            Kind::Wrote { how: Written::Instead(old), .. } => Some(format!("{old} > {}", seen.words)),
            Kind::Wrote { how: Written::TakenOut, .. } => Some(format!("- {}", seen.words)),
            _ => None,
        };
        session.record.iter().filter_map(line).collect()
    };
    let around = |line: &str| format!("[server]\n{line}\nname = \"orders\"");
    assert_eq!(
        wrote(&around("port = 5432"), &around("port = 5433")),
        ["port = 5432 > port = 5433"],
        "one line took the place of one line"
    );
    assert_eq!(
        wrote(&around("port = 5432"), &around("port = 5432\nhost = \"db\"")),
        ["+ host = \"db\""],
        "a line was added"
    );
    assert_eq!(
        wrote(&around("port = 5432\nhost = \"db\""), &around("port = 5432")),
        ["- host = \"db\""],
        "a line was taken out"
    );
    assert_eq!(
        wrote("user = \"me\"\nport = 5432\nhost = \"a\"", "port = 5432\nhost = \"b\"\nname = \"c\""),
        ["+ host = \"b\"", "+ name = \"c\""],
        "several lines: those that were not there"
    );
}
