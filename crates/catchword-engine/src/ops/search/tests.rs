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
            .ok("marzipan recipe: nothing"),
    )];
    let history = history(folder.path(), &sessions);
    assert_eq!(sessions_for(&history, "marzipan recipe", &options()), []);
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
