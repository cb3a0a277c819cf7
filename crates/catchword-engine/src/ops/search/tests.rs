use std::path::Path;
use std::time::Duration;

use catchword_testkit::Transcript;
use proptest::prelude::*;

use super::*;
use crate::archive::history::TranscriptOwner;
use crate::ops::index;
use crate::ops::tests::READER;

const NOW: i64 = 1_767_268_800_000;

/// A history with these sessions.
fn history(folder: &Path, sessions: &[(&str, Transcript)]) -> History {
    let mut history = History::open(folder, NOW, Duration::from_secs(5)).unwrap();
    for (session, transcript) in sessions {
        let path = folder.join(format!("{session}.jsonl"));
        transcript.clone().session(session).write_to(&path);
        let thread = TranscriptOwner { session: (*session).to_owned(), subagent: String::new() };
        index::transcript(&mut history, READER, &thread, &path, &|| true).unwrap();
    }
    history
}

/// Sessions in the order of their hits, and how they were found.
fn sessions_for(history: &History, question: &str, options: &Options) -> Vec<(String, MatchTier)> {
    let found = search(history, &Query::parse(question, NOW), options).unwrap();
    let mut sessions: Vec<(String, MatchTier)> =
        found.hits.iter().map(|hit| (hit.session.clone(), hit.tier)).collect();
    sessions.dedup();
    sessions
}

fn options() -> Options {
    Options { now: NOW, ..Options::default() }
}

fn project() -> Vec<(&'static str, Transcript)> {
    vec![
        (
            "telemetry",
            Transcript::new()
                .prompt("Should the app phone home? I do not like it much.")
                .says("Decision: usage reporting stays opt-in, and nothing is sent before the user agrees.")
                .prompt("Good. Go on with the settings page."),
        ),
        (
            "download",
            Transcript::new()
                .prompt("Fetching the model takes forever, please look into it.")
                .bash("curl -O https://example.com/model.bin")
                .fails("curl: (56) connection reset by proxy after 310 seconds")
                .says(
                    "The downloads were slow because every chunk went through the proxy with no keep-alive.",
                ),
        ),
        (
            "cache",
            Transcript::new()
                .prompt("キャッシュの有効期限はどうする？")
                .says("キャッシュは十五分で無効にすることに決めました。理由はトークンの寿命です。"),
        ),
        (
            "database",
            Transcript::new()
                .prompt("数据库连接为什么会超时？")
                .says("连接池只有五个连接，迁移任务占用了全部，所以数据库请求超时。"),
        ),
        (
            "login",
            Transcript::new()
                .prompt("로그인 토큰은 어디에 저장할까?")
                .says("로그인 토큰은 쿠키에 저장하기로 결정했습니다. 로컬 저장소는 쓰지 않습니다."),
        ),
        (
            "druck",
            Transcript::new()
                .prompt("Der Ausdruck ist leer.")
                .says("Die leeren Seiten kamen vom falschen Papierformat; jetzt druckt er mit A4."),
        ),
        ("thai", Transcript::new().prompt("ปัญหาการเชื่อมต่อ").says("การเชื่อมต่อฐานข้อมูลล้มเหลวเพราะรหัสผ่านหมดอายุ")),
    ]
}

#[test]
fn questions_find_the_session_that_answers_them_in_any_language() {
    let folder = tempfile::tempdir().unwrap();
    let history = history(folder.path(), &project());
    for (question, session) in [
        ("What did we decide about reporting usage?", "telemetry"),
        ("why was the download so slow", "download"),
        ("Which decisions did the user agree to before anything gets sent?", "telemetry"),
        ("キャッシュはいつ無効になるの？", "cache"),
        ("数据库请求为什么超时了", "database"),
        ("토큰을 어디에 저장하기로 했지?", "login"),
        ("Warum waren die Seiten beim Drucken leer?", "druck"),
        ("ทำไมฐานข้อมูลถึงเชื่อมต่อไม่ได้", "thai"),
    ] {
        let found = sessions_for(&history, question, &options());
        assert_eq!(found.first(), Some(&(session.to_owned(), MatchTier::Partial)), "{question}: {found:?}");
    }
}

#[test]
fn passages_with_all_words_come_first_and_a_sentence_also_gets_partial_ones() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = [
        ("some", Transcript::new().prompt("The parser, the parser, the parser is slow.")),
        ("all", Transcript::new().prompt("Why is the parser of the lexer here?")),
    ];
    let history = history(folder.path(), &sessions);
    let words = sessions_for(&history, "parser lexer", &options());
    assert_eq!(words, [("all".to_owned(), MatchTier::All)], "all words are there: no noise");
    let sentence = sessions_for(&history, "why is the parser of the lexer", &options());
    assert_eq!(sentence, [("all".to_owned(), MatchTier::All), ("some".to_owned(), MatchTier::Partial)]);
}

#[test]
fn phrases_prefixes_and_filters_are_always_required() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = [
        ("one", Transcript::new().prompt("The red fox jumps.")),
        ("two", Transcript::new().prompt("A fox, and something red.")),
    ];
    let history = history(folder.path(), &sessions);
    let of = |typed: &str| {
        let found = sessions_for(&history, typed, &options());
        found.into_iter().map(|(session, _)| session).collect::<Vec<_>>()
    };
    assert_eq!(of("\"red fox\" climbs jumping"), ["one"]);
    assert_eq!(of("\"red hen\" fox"), [""; 0]);
    assert_eq!(of("jum* foxes"), ["one"]);
    assert_eq!(of("climbing foxes session:two"), ["two"]);
    assert_eq!(of("climbing foxes role:agent"), [""; 0]);
}

#[test]
fn output_is_searched_if_nothing_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let sessions =
        [("only", Transcript::new().prompt("Build it.").bash("make").ok("gizmo linked, widget skipped"))];
    let history = history(folder.path(), &sessions);
    assert_eq!(
        sessions_for(&history, "why did the gizmo vanish", &options()),
        [("only".to_owned(), MatchTier::Partial)]
    );
}

#[test]
fn questions_about_failures_or_decisions_prefer_them() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = [
        ("talk", Transcript::new().prompt("The uploader could use a rename some day.")),
        (
            "failure",
            Transcript::new().prompt("Go.").bash("./uploader").fails("uploader: quota exceeded for today"),
        ),
        (
            "decision",
            Transcript::new().prompt("Go.").ask("Which one for the uploader?", "keep the old queue"),
        ),
    ];
    let history = history(folder.path(), &sessions);
    let first = |question: &str| sessions_for(&history, question, &options()).remove(0).0;
    assert_eq!(first("why did the uploader fail last week"), "failure");
    assert_eq!(first("what was decided for the uploader"), "decision");
}

#[test]
fn a_session_shows_its_best_three_passages_unless_it_is_the_only_one() {
    let many = (0..9).fold(Transcript::new(), |t, n| t.prompt(&format!("Needle number {n}.")));
    let mut sessions = vec![("many", many)];
    let count = |sessions: &[(&str, Transcript)]| {
        let folder = tempfile::tempdir().unwrap();
        let history = history(folder.path(), sessions);
        search(&history, &Query::parse("needle", NOW), &options()).unwrap().hits.len()
    };
    assert_eq!(count(&sessions), 9);
    sessions.push(("other", Transcript::new().prompt("Another needle.")));
    assert_eq!(count(&sessions), 3 + 1);
}

#[test]
fn a_copied_passage_is_one_hit_that_names_both_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let text = "The importer drops the last row when the file does not end in a newline, so we pad it.";
    let sessions = [
        ("old", Transcript::new().says(text)),
        ("fork", Transcript::new().says(text)),
        ("else", Transcript::new()),
    ];
    let history = history(folder.path(), &sessions);
    let found = search(&history, &Query::parse("importer newline", NOW), &options()).unwrap();
    assert_eq!(found.hits.len(), 1);
    assert_eq!(
        (found.hits[0].session.as_str(), &found.hits[0].copies[..]),
        ("fork", &["old".to_owned()][..])
    );
}

#[test]
fn the_question_itself_is_not_a_hit() {
    let folder = tempfile::tempdir().unwrap();
    let question = "What did we decide about the retry limit?";
    let sessions = [
        ("before", Transcript::new().says("We settled on a limit of four retries.")),
        (
            "asking",
            Transcript::new().prompt(question).says("I search for what we decided about the retry limit."),
        ),
    ];
    let history = history(folder.path(), &sessions);
    let of = |asking: Option<&str>| {
        let options = Options { asking: asking.map(str::to_owned), ..options() };
        sessions_for(&history, question, &options).into_iter().map(|(session, _)| session).collect::<Vec<_>>()
    };
    assert_eq!(of(Some("asking")), ["before"]);
    assert_eq!(of(None), ["asking", "before"]);
}

#[test]
fn earlier_searches_are_not_hits() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = [(
        "searched",
        Transcript::new()
            .prompt("Look.")
            .bash("catchword search marzipan recipe")
            .ok("marzipan recipe: nothing")
            .bash("cat almonds.txt")
            .ok("almonds: two pounds"),
    )];
    let history = history(folder.path(), &sessions);
    assert_eq!(sessions_for(&history, "marzipan recipe", &options()), []);
    assert_eq!(sessions_for(&history, "almonds pounds", &options())[0].0, "searched", "other commands are");
}

#[test]
fn our_own_labels_are_not_searched() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let transcript = Transcript::new()
        .prompt("Ship it.")
        .bash("terraform destroy")
        .fails(refusal)
        .call("Task", serde_json::json!({"description": "look around", "prompt": "Find the parser."}))
        .ok("Done.");
    let history = history(folder.path(), &[("s", transcript)]);
    for label in ["refused", "subagent"] {
        assert_eq!(sessions_for(&history, label, &options()), [], "{label}");
    }
    let found = search(&history, &Query::parse("terraform destroy", NOW), &options()).unwrap();
    assert_eq!(found.hits[0].title, "refused: terraform destroy");
    assert!(!sessions_for(&history, "look around", &options()).is_empty());
}

#[test]
fn spelling_is_corrected_beside_weak_matches_and_where_there_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let database = Transcript::new()
        .prompt("The postgres connection is refused at night, and the decisions are in notes.md.")
        .says("The postgres pool was too small.");
    let other = Transcript::new().prompt("Why was my request refused?").says("It had no token.");
    let history = history(folder.path(), &[("database", database), ("other", other)]);
    let meant = |typed: &str| search(&history, &Query::parse(typed, NOW), &options()).unwrap().meant(typed);
    assert_eq!(meant("postgress conection").as_deref(), Some("postgres connection"));
    assert_eq!(meant("postgress conection refused").as_deref(), Some("postgres connection refused"));
    assert_eq!(meant("why is the postgress refused").as_deref(), Some("why is the postgres refused"));
    assert_eq!(meant("role:user postgress").as_deref(), Some("role:user postgres"));
    for right in ["postgres connection", "zzyzzx", "decision token", "\"postgress\" pool", "postgress*"] {
        assert_eq!(meant(right), None, "{right}");
    }
}

#[test]
fn snippet_shows_the_part_with_most_matches() {
    let text = format!("needle alone {} the needle\nin a   haystack {}", "x ".repeat(400), "y ".repeat(400));
    let snippet = snippet(&text, &Query::parse("needle haystack", 0), MatchTier::All, SNIPPET);
    assert!(snippet.text.starts_with("… ") && snippet.text.ends_with('…'), "{}", snippet.text);
    let matched: Vec<&str> = snippet.matches.iter().map(|(from, to)| &snippet.text[*from..*to]).collect();
    assert_eq!(matched, ["needle", "haystack"]);
}

#[test]
fn suggestions_differ_by_one_or_two_letters() {
    let of = |one: &str, other: &str| distance(one, other, 2);
    assert_eq!(of("compaction", "compaction"), Some(0));
    assert_eq!(of("comapction", "compaction"), Some(1));
    assert_eq!(of("compacton", "compaction"), Some(1));
    assert_eq!(of("compaction", "compression"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_input_is_searched_without_error(typed in "\\PC*|([\"*:(){}^+\\-a-z ]|NEAR|OR|字|why |the ){0,30}") {
        let folder = tempfile::tempdir().unwrap();
        let history = history(folder.path(), &[("one", Transcript::new().prompt("why the a b c 字字"))]);
        prop_assert!(search(&history, &Query::parse(&typed, NOW), &options()).is_ok());
    }
}

proptest! {
    #[test]
    fn snippet_of_any_text_is_one_short_line_with_valid_matches(text in any::<String>(), typed in any::<String>(), partial in any::<bool>()) {
        let tier = if partial { MatchTier::Partial } else { MatchTier::All };
        let snippet = snippet(&text, &Query::parse(&typed, 0), tier, SNIPPET);
        prop_assert!(snippet.text.chars().count() <= SNIPPET + 3);
        prop_assert!(!snippet.text.contains(|c: char| c.is_control()));
        for (from, to) in snippet.matches {
            prop_assert!(snippet.text.get(from..to).is_some_and(|m| !m.is_empty()));
        }
    }
}

fn fixes_for(history: &History, error: &str) -> Vec<fixes::Fix> {
    fixes::fixes(history, &Query::parse(error, NOW), &options(), &|_| true).unwrap().fixes
}

fn verbs(fix: &fixes::Fix) -> Vec<(&'static str, &str, usize)> {
    fix.steps.iter().map(|step| (step.verb.noun(), step.text.as_str(), step.times)).collect()
}

#[test]
fn a_fix_is_what_ran_between_the_failing_and_the_passing() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = Transcript::new()
        .cwd("/home/user/app")
        .prompt("Make it compile.")
        .bash("cargo test --test lexer")
        .fails("error[E0308]: mismatched types")
        .bash("ls src")
        .ok("lexer.rs")
        .edit("/home/user/app/src/lexer.rs", "u32", "usize")
        .edit("/home/user/app/src/lexer.rs", "1", "2")
        .bash("cargo test --test lexer | tail -5")
        .fails("error[E0308]: mismatched types")
        .bash("cargo fmt --check")
        .fails("Diff in src/lexer.rs")
        .prompt("Look at the caller.")
        .edit("/home/user/app/src/main.rs", "as u32", "")
        .bash("cd /home/user/app && cargo test --test lexer")
        .ok("test result: ok. 3 passed; 0 failed")
        .says("The caller cast it to u32.")
        .bash("cargo build")
        .ok("Finished");
    let open = Transcript::new().bash("make deploy").fails("error[E0308]: it broke");
    let history = history(folder.path(), &[("open", open), ("fixed", fixed)]);
    let found = fixes_for(&history, "E0308");
    let sessions: Vec<&str> = found.iter().map(|fix| fix.session.as_str()).collect();
    assert_eq!(sessions, ["fixed", "open"], "what passed comes first, and one error is one fix: {found:#?}");
    let fix = &found[0];
    assert_eq!((fix.failed.place, fix.times, fix.tier), (Place(2), 2, MatchTier::All), "{fix:#?}");
    assert_eq!(
        verbs(fix),
        [
            ("changed", "src/lexer.rs", 2),
            ("failed", "cargo test --test lexer", 1),
            ("failed", "cargo fmt --check", 1),
            ("asked", "Look at the caller.", 1),
            ("changed", "src/main.rs", 1),
        ]
    );
    let passed = fix.passed.as_ref().unwrap();
    assert_eq!(passed.verb.noun(), "passed");
    assert!(passed.text.contains("cargo test --test lexer"), "{passed:?}");
    assert_eq!(fix.explained.as_ref().unwrap().text, "The caller cast it to u32.");
    assert!(found[1].passed.is_none() && found[1].steps.is_empty(), "nothing is claimed: {:#?}", found[1]);
}

#[test]
fn an_error_of_a_command_that_did_not_fail_or_of_another_command_is_no_fix() {
    let folder = tempfile::tempdir().unwrap();
    let session = Transcript::new()
        .bash("cat notes.txt")
        .ok("error[E0308] is what we saw last week")
        .bash("cargo build")
        .fails("error[E0499]: borrowed twice")
        .bash("cargo clippy")
        .ok("Finished")
        .bash("cd /home/user/app && make all")
        .fails("error: E0777 in the header")
        .bash("cd /home/user/app/docs && make all")
        .ok("done");
    let history = history(folder.path(), &[("one", session)]);
    assert!(fixes_for(&history, "E0308").is_empty());
    let found = fixes_for(&history, "E0499");
    assert!(found.len() == 1 && found[0].passed.is_none(), "clippy is not the build: {found:#?}");
    let found = fixes_for(&history, "E0777");
    assert!(found.len() == 1 && found[0].passed.is_none(), "another folder is another run: {found:#?}");
}

#[test]
fn a_command_that_passes_without_its_wrapper_ends_the_story() {
    let failed = || Transcript::new().bash("rtk zap site docs").fails("error: E0777 in the wrapper");
    let fix = |session: Transcript| {
        let folder = tempfile::tempdir().unwrap();
        fixes_for(&history(folder.path(), &[("one", session)]), "E0777").remove(0)
    };
    let cured = failed().bash("zap site docs").ok("built").says("All pass.").prompt("Now a bug.");
    let cured = fix(cured.edit("/home/user/app/git.ts", "a", "b").bash("rtk zap site docs").ok("ok"));
    assert_eq!(cured.passed.as_ref().map(|step| step.text.as_str()), Some("zap site docs"), "{cured:#?}");
    assert!(cured.steps.is_empty() && cured.explained.as_ref().unwrap().text == "All pass.", "{cured:#?}");
    let later = fix(failed().prompt("Something else.").bash("zap site docs").ok("built"));
    assert!(later.passed.is_none(), "another turn: {later:#?}");
    let other = fix(failed().bash("zap site lint").ok("fine").bash("site docs").ok(""));
    assert!(other.passed.is_none(), "other commands: {other:#?}");
}

#[test]
fn a_fix_after_hundreds_of_rows_shows_its_last_steps() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Transcript::new().bash("make all").fails("error: E0777 in the header");
    let worked = (0..250).fold(begun, |session, n| session.bash(&format!("sh step{n}.sh")).ok("fine"));
    let history = history(folder.path(), &[("long", worked.bash("make all").ok("done").says("It links."))]);
    let found = fixes_for(&history, "E0777");
    let [fix] = &found[..] else { panic!("{found:#?}") };
    assert!(fix.passed.is_some() && fix.explained.is_some(), "{fix:#?}");
    assert_eq!((fix.steps.len(), fix.left_out), (6, 244));
    assert_eq!(fix.steps.last().unwrap().text, "sh step249.sh");
}

#[test]
fn an_error_can_be_asked_for_with_some_of_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let session = Transcript::new()
        .bash("npm run build")
        .fails("Module not found: can't resolve './header'")
        .write("/home/user/app/header.js")
        .bash("npm run build")
        .ok("done");
    let history = history(folder.path(), &[("one", session)]);
    let found = fixes_for(&history, "cannot resolve the header of the page");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].tier, MatchTier::Partial);
    assert!(found[0].passed.is_some(), "{found:#?}");
}

#[test]
fn a_partial_fix_has_most_words_of_the_error_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = |command: &str, error: &str| {
        Transcript::new().bash(command).fails(error).says("Aha.").bash(command).ok("done")
    };
    let near = (0..5).map(|n| {
        let command = format!("node run{n}.js");
        (format!("near{n}"), fixed(&command, "SyntaxError: Unexpected end of JSON"))
    });
    let far = [
        ("far1".to_owned(), fixed("make latex", "on input line 85\n\\end{proof}\nunexpected")),
        ("far2".to_owned(), fixed("make web", "JSON.stringify is not a function")),
    ];
    let all: Vec<(String, Transcript)> = near.chain(far).collect();
    let all: Vec<(&str, Transcript)> =
        all.iter().map(|(id, session)| (id.as_str(), session.clone())).collect();
    let history = history(folder.path(), &all);
    let found = fixes_for(&history, "Unexpected end of JSON input");
    assert!(found.len() == 3 && found.iter().all(|fix| fix.session.starts_with("near")), "{found:#?}");
    assert!(fixes_for(&history, "Unexpected end of JSON input E1234").is_empty(), "a code must be there");
}

#[test]
fn the_same_fix_in_a_resumed_session_is_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let session =
        || Transcript::new().bash("make all").fails("error E0777").says("Aha.").bash("make all").ok("done");
    let history = history(folder.path(), &[("first", session()), ("resumed", session())]);
    assert_eq!(fixes_for(&history, "E0777").len(), 1);
}

fn file_work(history: &History, path: &str) -> Vec<files::FileWorkDocument> {
    files::about_file(history, path, &Filter::default(), &options(), &|_| true).unwrap().transcripts
}

#[test]
fn a_file_has_its_changes_requests_and_decisions() {
    let folder = tempfile::tempdir().unwrap();
    let work = Transcript::new()
        .cwd("/home/user/app")
        .prompt("Rewrite the tokens.")
        .read("/home/user/app/src/lexer.rs")
        .edit("/home/user/app/src/lexer.rs", "fn old()", "fn fresh()")
        .says("Decided to keep src/lexer.rs free of serde because the parser must build without it. More later.")
        .bash("rustfmt src/lexer.rs")
        .fails("error: expected item")
        .prompt("Now the numbers.")
        .edit("/home/user/app/src/lexer.rs", "1", "2")
        .edit("/home/user/app/tests/lexer.rs", "1", "2");
    let elsewhere = Transcript::new()
        .cwd("/home/user/other")
        .prompt("The lexer.rs here is another one.")
        .edit("/home/user/other/lib/lexer.rs", "a", "b");
    let asked = Transcript::new().prompt("Why is src/lexer.rs so long?").says("It has tables.");
    let history = history(folder.path(), &[("work", work), ("elsewhere", elsewhere), ("asked", asked)]);
    let mut found = file_work(&history, "./src/lexer.rs");
    found.sort_by(|one, other| one.session.cmp(&other.session));
    let sessions: Vec<&str> = found.iter().map(|work| work.session.as_str()).collect();
    assert_eq!(sessions, ["asked", "work"], "another file of the same name is not it");
    let work = &found[1];
    assert_eq!(work.paths, ["src/lexer.rs"]);
    assert_eq!((work.changes.len(), work.reads, work.commands, work.failed_commands), (2, 1, 1, 1));
    let told: Vec<(&str, &str)> =
        work.passages.iter().map(|passage| (passage.verb.noun(), passage.passage.text.as_str())).collect();
    assert_eq!(
        told,
        [
            ("asked", "Rewrite the tokens."),
            (
                "decided",
                "Decided to keep src/lexer.rs free of serde because the parser must build without it."
            ),
            ("asked", "Now the numbers."),
        ]
    );
    assert_eq!(found[0].passages.len(), 1, "{found:#?}");
    // By its name alone it is every file of that name; an absolute path is one.
    assert_eq!(file_work(&history, "lexer.rs").len(), 3);
    assert_eq!(file_work(&history, "/home/user/other/lib/lexer.rs").len(), 1);
    assert!(file_work(&history, "src/parser.rs").is_empty());
}
