//! What a compaction leaves decides what is said of it: the first line of the brief and the parts below it, for every
//! kind of aftermath of a client with summaries. `codex.rs` has those that keep nothing, or what only the model reads.

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript};

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const RULE: &str = "Never edit vendor/legacy.txt, it belongs to another team.";
const TASK: &str = "Teach nested comments to the scanner";
const ERROR: &str = "error[E4417]: token table mismatch";
const READABLE: &str = "The parser is being ported to the new token table. The old one was read, the work went without \
    trouble so far, and what comes next is the lexer and then the check of the whole.";
/// What the brief calls the summary, where there is one to believe.
const BESIDE: &str = "Where a summary says otherwise, this is the record";

fn started(request: &str) -> Transcript {
    Transcript::new().cwd("/home/user/project").prompt(request)
}

fn worked(transcript: Transcript) -> Transcript {
    let path = "/home/user/project/src/parser.rs";
    transcript.edit(path, "old", "new").bash("cargo test -p parser").fails(&format!("Exit code 101\n{ERROR}"))
}

fn with_task(transcript: Transcript) -> Transcript {
    transcript.task_create(TASK).task_update(1, "in_progress")
}

fn request() -> String {
    format!("Port the parser to the new token table. {RULE}")
}

/// A session at its compaction.
struct Aftermath {
    name: &'static str,
    before: Transcript,
    summary: &'static str,
    /// The first line speaks of a summary.
    speaks_of_a_summary: bool,
    there: Vec<&'static str>,
    absent: Vec<&'static str>,
}

const WORK: &str = "## Open work";
const FAILED: &str = "## Failed when last run";
const DIFFERS: &str = "There is no usable summary";
const EVERYTHING: [&str; 5] = [RULE, WORK, TASK, FAILED, ERROR];

fn all() -> Vec<Aftermath> {
    let plain = || worked(with_task(started(&request())));
    let case = |name, before, summary| Aftermath {
        name,
        before,
        summary,
        speaks_of_a_summary: true,
        there: EVERYTHING.to_vec(),
        absent: vec![DIFFERS, "## Last steps before the cut"],
    };
    let broken = |name, summary, why| Aftermath {
        there: [&EVERYTHING[..], &[DIFFERS, why]].concat(),
        absent: vec![BESIDE],
        speaks_of_a_summary: false,
        ..case(name, plain(), summary)
    };
    let without = |parts: &[&'static str]| -> Vec<&'static str> {
        EVERYTHING.iter().copied().filter(|part| !parts.contains(part)).collect()
    };
    vec![
        case("readable", plain(), READABLE),
        broken("an error in its place", "API Error: 529 Overloaded", "it is an error message"),
        broken("broken off", "The parser is being ported to the new token table, and the", "it breaks off"),
        case(
            "a second compaction",
            worked(plain().compaction("auto", READABLE).prompt("Go on with the lexer, please.")),
            READABLE,
        ),
        case("resumed, its rows written again", resumed(plain()), READABLE),
        Aftermath {
            there: [&EVERYTHING[..], &["## Reported by subagents\n- \"The tables were counted.\""]].concat(),
            absent: vec![DIFFERS, "Printed by commands and tools"],
            ..case(
                "a subagent worked",
                worked(with_task(started(&request())).subagent(
                    "a81d",
                    "Count the tables.",
                    "The tables were counted.",
                )),
                READABLE,
            )
        },
        Aftermath {
            there: without(&[WORK, TASK]),
            absent: vec![DIFFERS, WORK],
            ..case("no tasks", worked(started(&request())), READABLE)
        },
        Aftermath {
            there: vec!["ファイルを変更しないでください", WORK, "字句解析器", FAILED, ERROR],
            ..case(
                "another language",
                worked(
                    started("パーサーを新しいトークン表に移植してください。vendor/legacy.txt のファイルを変更しないでください。")
                        .task_create("字句解析器を新しい表につなぐ"),
                ),
                "パーサーの移植が進んでいます。古い表は読み終わり、次は全体の確認です。",
            )
        },
    ]
}

/// As a resume writes them: the same calls in rows with other ids.
fn resumed(transcript: Transcript) -> Transcript {
    let rows = transcript.line_count();
    (1..=rows).fold(transcript, Transcript::duplicate_row).prompt("Where were we?").says("At the lexer.")
}

#[test]
fn every_aftermath_has_its_first_line_and_its_parts() {
    for Aftermath { name, before, summary, speaks_of_a_summary, there, absent } in all() {
        let env = TestEnv::new();
        let hooks = HookPlayer::new(&env, BIN, SESSION);
        let mut transcript = before;
        let played = hooks.compaction(&mut transcript, "auto", summary);
        let brief = played.brief().unwrap_or_else(|| panic!("{name}: no brief"));
        let opening = brief.lines().nth(1).unwrap();
        assert!(opening.starts_with("The context was compacted; this is the record of"), "{name}: {opening}");
        assert_eq!(opening.contains(BESIDE), speaks_of_a_summary, "{name}: {opening}");
        for wanted in there {
            assert!(brief.contains(wanted), "{name}: {wanted:?} is not in\n{brief}");
        }
        for unwanted in absent {
            assert!(!brief.contains(unwanted), "{name}: {unwanted:?} is in\n{brief}");
        }
        assert!(brief.matches(TASK).count() <= 1, "what was repeated counts once: {name}:\n{brief}");
        assert!(brief.contains("## Git\n- branch main"), "{name}:\n{brief}");
        assert!(brief.chars().count() <= 9_500, "{name}");
    }
}

/// A subagent that compacts has lost its own conversation, not the person's.
#[test]
fn a_compaction_inside_a_subagent_gets_nothing() {
    let env = TestEnv::new();
    worked(with_task(started(&request()))).write_to(env.transcript_path(SESSION));
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    assert!(hooks.inside_subagent("a81d").session_start("compact").is_silent_success());
    assert!(!hooks.session_start("compact").success().stdout.is_empty(), "the session's own does");
}
