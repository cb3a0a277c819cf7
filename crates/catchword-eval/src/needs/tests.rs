use super::*;
use catchword_engine::clients::CLIENTS;
use catchword_engine::model::entry::Place;
use catchword_engine::redact::SECRETS;
use catchword_engine::session::compactions::{CompactionCounter, CompactionRow};
use catchword_testkit::Transcript;
use serde_json::json;

fn measured(transcript: &Transcript) -> (Vec<Case>, usize) {
    let rows: Vec<ReplayRow> =
        transcript.lines().iter().map(|line| (CLIENTS[0].replay)(line.as_bytes())).collect();
    let all = cases(&rows, &points(transcript));
    let compactions = all.len();
    (all.into_iter().filter(Case::is_telling).collect(), compactions)
}

fn points(transcript: &Transcript) -> Vec<CasePoint> {
    let (mut points, mut counter): (Vec<CasePoint>, _) = (Vec::new(), CompactionCounter::default());
    for (at, line) in transcript.lines().iter().enumerate() {
        let Ok(Some(entry)) = (CLIENTS[0].entry)(Place(at as u32 + 1), line.as_bytes()) else { continue };
        match (counter.take(&entry.masked(SECRETS)), points.last_mut()) {
            (CompactionRow::Begins, _) => {
                points.push(CasePoint { at, summary: (!counter.open).then_some(at) });
            }
            (CompactionRow::Continues, Some(last)) => last.summary = Some(at),
            _ => {}
        }
    }
    points
}

fn needed(transcript: &Transcript) -> BTreeMap<NeedKind, Vec<String>> {
    let (cases, _) = measured(transcript);
    let mut needs = cases.into_iter().next().map(|case| case.needs).unwrap_or_default();
    needs.retain(|kind, _| NeedKind::NEEDED.contains(kind));
    needs
}

/// A session that uses a file, a command and a name.
fn before() -> Transcript {
    Transcript::new()
        .prompt("Please make the parser faster than it is.")
        .read("/home/user/project/src/parser.rs")
        .bash("cd sub && cargo bench -p parser 2>&1 | tail -5")
        .ok("parse_all took 3 ms")
}

#[test]
fn known_things_used_again_are_needed() {
    let transcript = before()
        .prompt("Go on then.")
        .compaction("auto", "Nothing of it.")
        .edit("/home/user/project/src/parser.rs", "a", "b")
        .edit("/home/user/project/src/unknown.rs", "a", "b")
        .bash("cargo bench -p parser")
        .ok("")
        .bash("cargo bench -p other")
        .ok("")
        .grep("parse_all|never_met");
    assert_eq!(
        needed(&transcript),
        BTreeMap::from([
            (NeedKind::File, vec!["src/parser.rs".to_owned()]),
            (NeedKind::Command, vec!["cargo bench -p parser".to_owned()]),
            (NeedKind::Name, vec!["parse_all".to_owned()]),
        ])
    );
}

#[test]
fn things_the_person_names_again_are_not_needed() {
    let transcript = before()
        .compaction("auto", "s")
        .prompt("Look at src/parser.rs and parse_all.")
        .read("/home/user/project/src/parser.rs")
        .grep("parse_all");
    assert_eq!(needed(&transcript), BTreeMap::new());
}

#[test]
fn subagents_do_not_count() {
    let known = Transcript::new()
        .prompt("x")
        .as_subagent("a1")
        .read("/home/user/project/src/parser.rs")
        .main_thread()
        .compaction("auto", "s")
        .read("/home/user/project/src/parser.rs");
    assert_eq!(needed(&known), BTreeMap::new());
    let used = before().compaction("auto", "s").as_subagent("a1").read("/home/user/project/src/parser.rs");
    assert_eq!(needed(&used), BTreeMap::new());
}

#[test]
fn only_the_next_eighty_calls_count() {
    let with = |calls: usize| {
        let transcript = before().compaction("auto", "s");
        let transcript = (0..calls).fold(transcript, |t, _| t.bash("sleep 1").ok(""));
        needed(&transcript.read("/home/user/project/src/parser.rs")).len()
    };
    assert_eq!((with(HORIZON - 1), with(HORIZON)), (1, 0));
}

#[test]
fn case_ends_at_the_next_compaction() {
    let transcript = before()
        .prompt("Go on then.")
        .compaction("auto", "first")
        .says("Nothing used.")
        .compaction("auto", "second")
        .read("/home/user/project/src/parser.rs");
    let (cases, compactions) = measured(&transcript);
    let found: Vec<(usize, bool)> = cases.iter().map(|c| (c.number, c.summary.contains("second"))).collect();
    assert_eq!((compactions, found), (2, vec![(2, true)]));
    assert_eq!(cases[0].lines as usize, transcript.line_count() - 2 - 3);
}

#[test]
fn summary_kept_rows_and_files_shown_again_count_as_kept() {
    let kept = |transcript: Transcript| {
        let after = transcript.read("/home/user/project/src/parser.rs");
        measured(&after).0[0].score("", "")[&NeedKind::File].kept
    };
    let gone = || before().prompt("Go on then.");
    assert_eq!(kept(gone().compaction("auto", "Worked on things.")), 0);
    assert_eq!(kept(gone().compaction("auto", "Worked on src/parser.rs.")), 1);
    // The rows of the last round are kept.
    assert_eq!(kept(before().read("/home/user/project/src/parser.rs").compaction("auto", "s")), 1);
    let again = json!({"type": "attachment", "attachment": {"type": "file", "filename": "src/parser.rs"}});
    assert_eq!(kept(gone().compaction("auto", "s").raw(&again.to_string())), 1);
    let other = json!({"type": "attachment", "attachment": {"type": "hook", "filename": "src/parser.rs"}});
    assert_eq!(kept(gone().compaction("auto", "s").raw(&other.to_string())), 0);
}

#[test]
fn brief_gives_back_what_it_names() {
    let transcript = before()
        .prompt("Go on then.")
        .task_create("Measure twice")
        .task_create("Cut once")
        .task_update(1, "completed")
        .prompt("Go on then, please.")
        .compaction("auto", "The parser.")
        .read("/home/user/project/src/parser.rs")
        .grep("parse_all");
    let case = &measured(&transcript).0[0];
    let head = "Changed: src/parser.rs";
    let brief = format!("{head}\nAsked: \"Please make the\n  parser faster than it is\"\nOpen: Cut   once");
    let score = case.score(head, &brief);
    let tally = |needed, kept, head, with, best| NeedCount { needed, kept, head, with, best };
    assert_eq!(
        score,
        Score::from([
            (NeedKind::File, tally(1, 0, 1, 1, Some(1))),
            (NeedKind::Name, tally(1, 0, 0, 0, Some(1))),
            (NeedKind::Prompt, tally(2, 0, 0, 1, None)),
            (NeedKind::Task, tally(1, 0, 0, 1, None)),
        ])
    );
}

#[test]
fn best_brief_has_no_more_room_than_a_real_one() {
    let long = |n: usize| format!("echo{n}{}", " very_long_argument".repeat(15));
    let commands: Vec<String> = (0..40).map(|n| format!("run{}", long(n))).collect();
    let run = |t: Transcript| commands.iter().fold(t, |t, command| t.bash(command).ok(""));
    let transcript = run(run(before()).prompt("Go on then.").compaction("auto", "s"));
    let tally = measured(&transcript).0[0].score("", "")[&NeedKind::Command];
    let cost = commands[10].chars().count() + 2;
    assert_eq!((tally.needed, tally.best), (40, Some(ROOM / cost)));
}

#[test]
fn paths_are_relative_to_the_innermost_folder() {
    let roots = ["/a/b/", "/a"];
    let cases = [
        ("/a/b/c.rs", "c.rs"),
        ("/a/d/c.rs", "d/c.rs"),
        ("/ab/c.rs", "/ab/c.rs"),
        ("./x/c.rs", "x/c.rs"),
        ("../c.rs", "c.rs"),
        ("c.rs", "c.rs"),
    ];
    for (path, below) in cases {
        assert_eq!(relative(path, &roots), below, "{path}");
    }
}

#[test]
fn compaction_row_written_twice_counts_once() {
    let transcript = before().prompt("Go on then.").compaction("auto", "s");
    let lines = transcript.line_count();
    let copied = (1..=lines).fold(transcript, Transcript::duplicate_row);
    let (cases, compactions) = measured(&copied.read("/home/user/project/src/parser.rs"));
    assert_eq!((compactions, cases.len()), (1, 1));
}

#[test]
fn file_listed_below_its_folder_counts_as_given_back() {
    let transcript =
        before().prompt("Go on then.").compaction("auto", "s").read("/home/user/project/src/parser.rs");
    let case = &measured(&transcript).0[0];
    let file = |brief: &str| case.score("", brief)[&NeedKind::File].with;
    assert_eq!(
        (file("src/: lexer.rs, parser.rs"), file("src/: lexer.rs"), file("lib/: parser.rs")),
        (1, 0, 0)
    );
}

#[test]
fn listed_items_are_counted_and_those_used() {
    let transcript = before()
        .prompt("Go on then.")
        .compaction("manual", "s")
        .read("/home/user/project/src/parser.rs")
        .grep("parse_all");
    let case = &measured(&transcript).0[0];
    assert!(case.manual);
    let brief = "src/parser.rs\nsrc/other.rs\nparse_all, never_met\n- \"quoted_name in a/b.rs\"";
    assert_eq!(case.listed(brief), ListedCount { items: 4, used: 2 });
}
