use std::path::PathBuf;

use catchword_testkit::Transcript;

use super::*;
use crate::ops::tests::READER;
use crate::redact::SECRETS;

fn of(transcript: &Transcript, place: &str) -> Recalled {
    let file = tempfile::NamedTempFile::new().unwrap();
    transcript.write_to(file.path());
    recall(READER, &mut lines_of(file.path(), SECRETS), &RecallRequest::parse(place).unwrap(), false).unwrap()
}

fn shown(recalled: &Recalled) -> Vec<String> {
    let of = |piece: &RecalledPiece| {
        let answer = piece.answer.as_ref().map_or(String::new(), |a| {
            format!(" → {} {}{}", a.place, if a.ok { "" } else { "failed " }, a.text)
        });
        format!("{} {}: {}{}{answer}", piece.place, piece.label(), piece.title, piece.text)
    };
    recalled.pieces.iter().map(of).collect()
}

#[test]
fn places_are_parsed_as_briefs_print_and_people_type_them() {
    let cases = [
        ("L790", Some(RecallRequest::Lines(790, 790))),
        ("790", Some(RecallRequest::Lines(790, 790))),
        ("L790-L812", Some(RecallRequest::Lines(790, 812))),
        ("l812..790", Some(RecallRequest::Lines(790, 812))),
        ("(L12)", Some(RecallRequest::Lines(12, 12))),
        ("L0", None),
        ("L1-L999999", Some(RecallRequest::Lines(1, 2_000))),
        ("#3", Some(RecallRequest::Task("3".into()))),
        ("task:3", Some(RecallRequest::Task("3".into()))),
        ("compaction:2", Some(RecallRequest::Compaction(2))),
        ("note:3", Some(RecallRequest::Note(3))),
        ("note:0", None),
        ("note:three", None),
        ("compaction:0", None),
        ("compaction:x", None),
        ("compaction", None),
        ("src/a-b.rs", Some(RecallRequest::File("src/a-b.rs".into()))),
        ("file:12", Some(RecallRequest::File("12".into()))),
        ("", None),
    ];
    for (text, expected) in cases {
        assert_eq!(RecallRequest::parse(text), expected, "{text}");
    }
}

#[test]
fn call_and_answer_are_shown_together_from_either_line() {
    let transcript = Transcript::new().prompt("go").bash("cargo test").fails("Exit code 101");
    let expected = ["L2 command: cargo test → L3 failed Exit code 101"];
    for place in ["L2", "L3", "L2-L3"] {
        assert_eq!(shown(&of(&transcript, place)), expected, "{place}");
    }
    assert_eq!(shown(&of(&transcript, "L1")), ["L1 user: go"]);
}

#[test]
fn texts_are_complete_and_masked() {
    let key = ["ghp", "x7Kd92LmQp4RtVw8YbNc3FhJs6ZaGe1Uo5Ti"].join("_");
    let output = format!("{}\n{key}\nend", "x".repeat(40_000));
    let recalled = of(&Transcript::new().bash("print").ok(&output), "L1");
    let text = &recalled.pieces[0].answer.as_ref().unwrap().text;
    assert!(text.len() > 40_000 && text.ends_with("end") && text.contains("[masked: "), "{}", text.len());
    assert!(!text.contains(&key));
}

#[test]
fn edit_shows_removed_and_added_text() {
    let recalled = of(&Transcript::new().edit("/p/a.rs", "let a = 1;", "let a = 2;\nlet b = 3;"), "L1");
    assert_eq!(recalled.pieces[0].text, "- let a = 1;\n+ let a = 2;\n+ let b = 3;");
}

#[test]
fn line_beyond_the_end_gives_nothing_but_the_line_count() {
    let recalled = of(&Transcript::new().prompt("a").says("b"), "L99");
    assert_eq!((recalled.pieces.len(), recalled.lines), (0, 2));
}

#[test]
fn command_with_arguments_and_consecutive_bookkeeping_are_one_piece_each() {
    let transcript = Transcript::new()
        .slash("/review", "the parser")
        .meta_row("mode", serde_json::json!({}))
        .meta_row("mode", serde_json::json!({}))
        .says("Yes.");
    let end = transcript.line_count();
    let all = shown(&of(&transcript, &format!("L1-L{end}")));
    assert_eq!(all.iter().filter(|piece| piece.contains("/review")).count(), 1, "{all:?}");
    assert_eq!(all.iter().filter(|piece| piece.contains("bookkeeping")).count(), 1, "{all:?}");
    let rows = format!("L{} bookkeeping: to L{}", end - 2, end - 1);
    assert!(all.contains(&rows), "{rows}: {all:?}");
}

#[test]
fn range_that_is_too_long_says_where_to_continue() {
    let long = (0..2_100).fold(Transcript::new(), |transcript, _| transcript.says("x"));
    assert_eq!(of(&long, "L1-L2100").remarks, ["A range has at most 2000 lines; L2001 is the next."]);
    assert!(of(&long, "L1900-L2100").remarks.is_empty());
}

#[test]
fn a_file_is_shown_the_last_three_times_it_was_touched() {
    let mut transcript = Transcript::new().prompt("go");
    for n in 0..5 {
        transcript = transcript.edit("/home/user/project/src/a.rs", &format!("v{n}"), &format!("v{}", n + 1));
    }
    transcript = transcript.read("/home/user/project/src/b.rs");
    for path in ["src/a.rs", "a.rs", "/home/user/project/src/a.rs", "./src/a.rs"] {
        let recalled = of(&transcript, path);
        let texts: Vec<&str> = recalled.pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(texts, ["- v2\n+ v3", "- v3\n+ v4", "- v4\n+ v5"], "{path}");
        assert!(recalled.remarks[0].contains("5 times"));
    }
    assert_eq!(of(&transcript, "c.rs").pieces, []);
}

#[test]
fn task_is_shown_from_creation_to_end() {
    let transcript = Transcript::new()
        .task_create("first")
        .task_create("second")
        .task_update(2, "in_progress")
        .task_update(1, "completed")
        .task_update(2, "completed");
    let recalled = of(&transcript, "#2");
    let titles: Vec<&str> = recalled.pieces.iter().map(|piece| piece.title.as_str()).collect();
    assert_eq!(titles, ["second", "#2 in progress", "#2 completed"]);
    assert_eq!(recalled.remarks, ["Task 2 is completed at the end of the record."]);
    let list = Transcript::new()
        .todo(&[("a", "pending"), ("b", "pending")])
        .todo(&[("a", "completed"), ("b", "pending")])
        .todo(&[("a", "completed"), ("b", "completed")]);
    assert_eq!(shown(&of(&list, "task:2")), ["L1 tasks: #2 pending b", "L5 tasks: #2 completed b"]);
}

#[test]
fn a_compaction_shows_what_it_dropped_its_summary_and_what_was_given_back() {
    let brief = "<catchword-record>\nkept\n</catchword-record>";
    let transcript = Transcript::new()
        .prompt("the first request")
        .compaction("auto", "first summary")
        .prompt("the second request\nwith more")
        .bash("# build it\n\nmake")
        .ok("fine")
        .compaction("manual", "second summary")
        .hook_context("SessionStart", brief)
        .hook_context("SessionStart", "of another tool")
        .prompt("the third request");
    let recalled = of(&transcript, "compaction:2");
    let all = shown(&recalled).join("\n");
    assert!(all.contains("user: the second request") && all.contains("command: make"), "{all}");
    assert!(all.contains("second summary") && all.contains("kept"), "{all}");
    assert!(all.contains("compaction: manual, 20,100 → 3,000 tokens"), "{all}");
    for not in ["first", "third", "of another tool", "with more", "# build it"] {
        assert!(!all.contains(not), "{not}: {all}");
    }
    assert_eq!(of(&transcript, "compaction:3").remarks, ["this session has 2 compactions, not 3"]);
}

#[test]
fn raw_gives_the_bytes_of_the_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let transcript = Transcript::new().prompt("a").raw("{ not: json").says("b");
    transcript.write_to(file.path());
    let mut bytes = Vec::new();
    raw(&mut lines_of(file.path(), SECRETS), 2, 3, |line| bytes.push(line.to_owned())).unwrap();
    assert_eq!(bytes, [transcript.lines()[1].as_bytes(), transcript.lines()[2].as_bytes()]);
}

/// Every line of every captured session gives a piece or nothing, and nothing panics.
#[test]
fn every_line_of_the_captured_sessions_can_be_recalled() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude-code");
    let mut files = vec![fixtures];
    let mut transcripts = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).unwrap().flatten().map(|entry| entry.path()));
        } else if path.extension().is_some_and(|end| end == "jsonl")
            && path.to_string_lossy().contains("/transcripts/")
        {
            transcripts += 1;
            let recalled =
                recall(READER, &mut lines_of(&path, SECRETS), &RecallRequest::Lines(1, 2_000), false)
                    .unwrap();
            assert!(recalled.pieces.len() > 5, "{}", path.display());
            let unanswered =
                recalled.pieces.iter().filter(|p| p.kind == PieceKind::Command && p.answer.is_none());
            assert_eq!(unanswered.count(), 0, "{}", path.display());
        }
    }
    assert!(transcripts > 10);
}

#[test]
fn brief_is_matched_to_its_compaction_by_line_not_by_number() {
    let transcript = Transcript::new()
        .prompt("go")
        .compaction("auto", "the first")
        .prompt("on")
        .compaction("auto", "the second")
        .says("fine");
    let given = |line: u32, brief: &str| GivenBack {
        line,
        brief: Some(brief.to_owned()),
        briefed_at: Some(1),
        arrived_by: None,
        resent: true,
        late: Some("found later".to_owned()),
        late_at: Some(2),
    };
    let [_, second] = ["compaction:1", "compaction:2"].map(|place| of(&transcript, place).between.unwrap());
    assert!(second.0 > 1 && second.1 > second.0, "{second:?}");
    // Hooks were installed after the first compaction.
    let recorded = [given(second.1 - 1, "a brief")];
    let mut first = of(&transcript, "compaction:1");
    add_given(&mut first, &recorded, crate::redact::SECRETS);
    assert!(first.remarks.iter().any(|remark| remark.contains("No hook")), "{:?}", first.remarks);
    let mut later = of(&transcript, "compaction:2");
    add_given(&mut later, &recorded, crate::redact::SECRETS);
    let texts: Vec<&str> = later.pieces.iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(texts[texts.len() - 2..], ["a brief", "found later"]);
    assert!(later.remarks.iter().any(|remark| remark.contains("sent again")), "{:?}", later.remarks);
    let mut lines = of(&transcript, "L1");
    add_given(&mut lines, &recorded, crate::redact::SECRETS);
    assert_eq!(lines, of(&transcript, "L1"), "only a compaction has a brief");
}

#[test]
fn place_may_include_its_session() {
    let of = |text: &str| {
        let address = RecallAddress::parse(text).expect(text);
        (address.session.unwrap_or_default(), address.subagent, address.wanted)
    };
    let lines = RecallRequest::Lines(812, 812);
    let cases = [
        ("L812", ("", "", lines.clone())),
        ("db68d083:L812", ("db68d083", "", lines.clone())),
        ("`db68d083:l812`", ("db68d083", "", lines.clone())),
        ("db68d083/a6c1f2:L812", ("db68d083", "a6c1f2", lines)),
        ("db68d083:L8-L9", ("db68d083", "", RecallRequest::Lines(8, 9))),
        ("db68d083:note:3", ("db68d083", "", RecallRequest::Note(3))),
        ("db68d083:#3", ("db68d083", "", RecallRequest::Task("3".into()))),
        ("db68d083:compaction:2", ("db68d083", "", RecallRequest::Compaction(2))),
        ("db68d083:file:src/a.rs", ("db68d083", "", RecallRequest::File("src/a.rs".into()))),
        ("compaction:2", ("", "", RecallRequest::Compaction(2))),
        ("src/main:L12", ("", "", RecallRequest::File("src/main:L12".into()))),
        ("src/a.rs:12", ("", "", RecallRequest::File("src/a.rs:12".into()))),
        ("task:L12", ("", "", RecallRequest::Task("L12".into()))),
    ];
    for (text, (session, subagent, wanted)) in cases {
        assert_eq!(of(text), (session.to_owned(), subagent.to_owned(), wanted), "{text}");
    }
}
