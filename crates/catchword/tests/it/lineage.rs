//! One session through many compactions: what was said in the first hour is still there after the last, and the brief
//! neither grows nor repeats itself.

use std::collections::HashSet;

use catchword_testkit::{
    CommandOutput, HookPlayer, SESSION, TestEnv, Transcript, find_briefs, head_of, model_text,
};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

const GOAL: &str = "Add rate limiting to the gateway";
const CONSTRAINTS: [&str; 2] = ["Never touch db/migrations.", "Always use pnpm instead of npm."];
const ROUNDS: usize = 10;

/// Hardly anything, half of it, nothing of the person's words, or a false statement: typical summaries.
fn summary(round: usize) -> String {
    // Long enough to count as a summary.
    let files = "3. Files and Code Sections:\n   The limiter, its buckets and the clock they are emptied by; the gateway \
                 that asks it for every request; the answer with its headers; the settings of both, with their defaults.";
    format!("{}\n{files}", told(round))
}

fn told(round: usize) -> String {
    match round % 4 {
        0 => "1. Primary Request and Intent:\n   The gateway is worked on.".to_owned(),
        1 => format!("1. Primary Request and Intent:\n   {GOAL}. {}\n", CONSTRAINTS[0]),
        2 => format!("7. Pending Tasks:\n   - Write part {round}\n8. Current Work:\n   Writing it."),
        _ => format!(
            "7. Pending Tasks:\n   - Write part {round}: completed\n8. Current Work:\n   All tests pass."
        ),
    }
}

/// The work of one round: a new task, a finished one, a changed file, failing tests.
fn work(transcript: Transcript, round: usize) -> Transcript {
    let transcript = transcript.prompt("Go on.").task_create(&format!("Write part {round}"));
    let transcript =
        if round > 1 { transcript.task_update(round as u32 - 1, "completed") } else { transcript };
    transcript
        .edit("/home/user/project/src/limiter.rs", "a", &format!("fn part_{round}() {{}}"))
        .bash("pnpm test --run limiter")
        .fails("Exit code 1\nFAIL limiter: expected 429, got 200")
        .says(&format!("Part {round} is not done yet: the bucket is not emptied."))
}

#[test]
fn ten_compactions_lose_and_repeat_nothing_and_do_not_grow_the_brief() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let opening = format!("{GOAL}. {}", CONSTRAINTS[0]);
    let mut transcript =
        Transcript::new().prompt(&opening).says("On it.").prompt(CONSTRAINTS[1]).says("Noted.");
    let (mut sizes, mut heads) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        transcript = work(transcript, round);
        let summary = summary(round);
        transcript.append_to(hooks.transcript_path());
        // Installed twice, every hook runs twice.
        let twice = |hook: &dyn Fn() -> CommandOutput| [hook().success().stdout, hook().success().stdout];
        let guides = twice(&|| hooks.pre_compact("auto", None));
        let _ = twice(&|| hooks.summariser_stop(&summary));
        let starts = twice(&|| hooks.session_start("compact"));
        let lines = twice(&|| hooks.post_compact("auto", &summary));
        for [_, again] in [&guides, &starts, &lines] {
            assert_eq!(again, "", "round {round}: said twice");
        }
        let brief =
            find_briefs(&model_text(&starts[0])).pop().unwrap_or_else(|| panic!("round {round}: no brief"));
        for kept in [GOAL].iter().chain(&CONSTRAINTS) {
            let kept = kept.trim_end_matches('.');
            assert!(
                brief.contains(kept) || summary.contains(kept),
                "round {round}: {kept} is lost:\n{brief}"
            );
        }
        let open = format!("Write part {round}");
        let kept = round % 4 == 2;
        assert!(brief.contains(&open) || kept, "round {round}: {open}:\n{brief}");
        assert_each_line_stands_once(&brief, round);
        sizes.push(brief.chars().count());
        heads.push(head_of(&brief).chars().count());

        // Nothing of it comes a second time, by whatever event; the person hears once what was lost.
        transcript =
            transcript.compaction("auto", &summary).hook_context("SessionStart", &brief).bash("ls").ok("src");
        transcript.append_to(hooks.transcript_path());
        assert!(hooks.post_tool_batch(&[]).is_silent_success(), "round {round}");
        let prompt = hooks.user_prompt("Go on.");
        let is_well = lines[0].is_empty();
        let expected = if is_well { prompt.is_silent_success() } else { prompt.tells_only_the_person() };
        assert!(expected, "round {round}:\n{prompt}");
        for again in [hooks.user_prompt("Go on."), hooks.stop("Done.")] {
            assert!(again.is_silent_success(), "round {round}:\n{again}");
        }
    }
    // Rounds four apart have the same kind of summary. The reference has room to fill, the head does not grow.
    for (first, last) in (ROUNDS - 4..ROUNDS).map(|at| (heads[at % 4], heads[at])) {
        assert!(last <= first + first / 4, "the head grows: {heads:?}");
    }
    assert!(sizes.iter().all(|size| *size <= 6_000), "{sizes:?}");
    let log = env.run(BIN, &["lost", "--json"]).success().json();
    let arrived = log.as_array().into_iter().flatten().filter(|c| c["arrived_by"] == "SessionStart").count();
    assert_eq!(arrived, ROUNDS, "{log}");
}

#[track_caller]
fn assert_each_line_stands_once(brief: &str, round: usize) {
    let mut seen = HashSet::new();
    for line in brief.lines().filter(|line| !line.trim().is_empty()) {
        assert!(seen.insert(line), "round {round}: twice in one brief: {line}\n{brief}");
    }
}
