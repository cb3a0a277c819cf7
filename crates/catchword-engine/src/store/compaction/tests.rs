use std::path::Path;
use std::time::Duration;

use super::super::{HookRun, PassProgress};
use super::*;
use crate::transcript::tail::Cursor;

const SECOND: i64 = 1_000;
const B: Given<'static> = Given { brief: "b", items: 1, audit: None, line: None };

/// A store that knows session `s`.
fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), 1, Duration::from_secs(5)).unwrap();
    store.advance(&nothing_new()).unwrap();
    (folder, store)
}

fn nothing_new() -> PassProgress<'static> {
    PassProgress {
        session: "s",
        client: "claude-code",
        transcript: Path::new("/t.jsonl"),
        cwd: None,
        now: 1,
        generation: None,
        anew: false,
        cursor: Cursor::default(),
        rows: &[],
        marks: &[],
        signs: &[],
        acts: &[],
        followed: &[],
        folded: None,
    }
}

/// Plays one step of a story and returns its result: at a start after a compaction, what the brief is made against, or
/// that there is none.
fn play(store: &mut Store, word: &str, now: &mut i64) -> Option<String> {
    *now += SECOND;
    let (verb, what) = word.split_once(':').unwrap_or((word, ""));
    match verb {
        "pre" => {
            store.compaction_begins("s", false, *now).unwrap();
        }
        "summary" => store.keep_summary("s", what, *now).unwrap(),
        "start" => {
            let summary = store.summary("s").unwrap();
            let given = store.claim_brief("s", &B, *now).unwrap();
            let against = summary.map_or("full".to_owned(), |summary| format!("against {summary}"));
            return Some(if given { against } else { "silence".to_owned() });
        }
        "post" => {
            let summary = Some(what).filter(|w| !w.is_empty());
            store.compaction_ends("s", &Ending { summary, ..Ending::default() }, *now).unwrap();
        }
        "resume" => store.compactions_are_over("s", false, *now).unwrap(),
        "sub-pre" => store.sub_compaction_begins("s", what, *now).unwrap(),
        "sub-start" | "sub-post" | "sub-stop" => store.sub_compaction_ends("s", what).unwrap(),
        "hours" => *now += 3 * 3_600 * SECOND,
        other => panic!("no such word: {other}"),
    }
    None
}

/// The steps; what each start after a compaction gives; how many compactions are over at the end.
const STORIES: &str = "
as it should be | pre summary:A start post:A | against A | 1
no summary came | pre start post | full | 1
installed twice | pre pre summary:A summary:A start start post:A post:A | against A, silence | 1
two in a row | pre summary:A start post:A pre summary:B start post:B | against A, against B | 2
two, all twice | pre pre start start post post pre pre start start post post | full, silence, full, silence | 2
announced early and again | pre summary:A hours pre start post:A | against A | 1
announced again with a new summary | pre summary:A hours pre summary:B start post:B | against B | 1
cancelled, later another | pre hours pre summary:B start post:B | against B | 1
cancelled after its summary, then resumed | pre summary:A resume pre start post | full | 1
resumed between two | pre summary:A start post:A resume pre summary:B start post:B | against A, against B | 2
hooks put in after the announcement | summary:A start post:A | full | 1
the same, and each runs twice | start start post:A post:A | full, silence | 1
hooks put in before its end | post:A pre start post | full | 1
its end was missed | pre summary:A start pre summary:B start post:B | against A, against B | 2
its end was missed, the next announcement, too | pre start hours start post | full, full | 2
its end was missed, then resumed | pre start resume start post | full, full | 2
its start was missed | pre summary:A post:A pre start post | full | 2
a late summary is not the next one's | pre start summary:A post:A pre start | full, full | 1
a subagent's alone | sub-pre:x summary:X sub-start:x sub-post:x | | 0
a subagent's before ours | sub-pre:x summary:X sub-start:x sub-post:x pre summary:A start post:A | against A | 1
a subagent's while ours is prepared | pre sub-pre:x summary:X sub-start:x summary:A start post:A | against A | 1
both at once, the subagent's first | sub-pre:x pre summary:X summary:A sub-start:x start post:A | full | 1
both at once, ours first | pre sub-pre:x summary:A summary:X start post:A sub-start:x | full | 1
ours may have been replaced meanwhile | pre summary:A sub-pre:x summary:X sub-start:x start | full | 0
two subagents, one ready | sub-pre:x sub-pre:y sub-start:x pre summary:Y start sub-start:y | full | 0
a subagent's cancelled, and the subagent ended | sub-pre:x sub-stop:x pre summary:A start | against A | 0
a subagent's cancelled for good | sub-pre:x hours pre summary:A start | against A | 0
a subagent's from before a resume | sub-pre:x resume pre summary:A start | against A | 0
";

#[test]
fn any_order_of_events_gives_each_compaction_its_brief_once() {
    for line in STORIES.trim().lines() {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, words, expected, over] = columns[..] else { panic!("four columns: {line}") };
        let (_folder, mut store) = store();
        let mut now = 0;
        let given: Vec<_> = words.split(' ').filter_map(|word| play(&mut store, word, &mut now)).collect();
        assert_eq!(given.join(", "), expected, "{line}");
        assert_eq!(store.sessions().unwrap()[0].compactions.to_string(), over, "{line}");
    }
}

#[test]
fn one_of_many_parallel_claims_gets_the_brief() {
    let (folder, mut store) = store();
    for round in 1..=10 {
        // Every second round without an announcement.
        if round % 2 == 0 {
            store.compaction_begins("s", false, round).unwrap();
        }
        let claim = || {
            let mut store = Store::open(folder.path(), 1, Duration::from_secs(5)).unwrap();
            store.claim_brief("s", &B, round).unwrap()
        };
        let given = std::thread::scope(|scope| {
            let claims: Vec<_> = (0..4).map(|_| scope.spawn(claim)).collect();
            claims.into_iter().map(|c| c.join().unwrap()).filter(|given| *given).count()
        });
        assert_eq!(given, 1, "round {round}");
        store.compaction_ends("s", &Ending::default(), round).unwrap();
    }
}

#[test]
fn unknown_session_has_no_compactions() {
    let (_folder, mut store) = store();
    store.compaction_begins("other", false, 1).unwrap();
    store.keep_summary("other", "A", 1).unwrap();
    assert_eq!(store.summary("other").unwrap(), None);
    assert!(store.claim_brief("other", &B, 2).unwrap());
    assert!(!store.compaction_ends("other", &Ending::default(), 3).unwrap());
    store.compactions_are_over("other", false, 4).unwrap();
}

/// Seconds between announcements, whether a summary came in between, and which announcements get the guide.
#[test]
fn only_a_duplicate_announcement_gets_no_guide() {
    let cases: &[(&str, &str)] = &[
        ("pre:0", "guide"),
        ("pre:0 pre:0", "guide -"),
        ("pre:0 pre:4", "guide -"),
        // Announced early, and again when the summary is made.
        ("pre:0 pre:0 pre:240 pre:240", "guide - guide -"),
        // Prepared in the background, and announced again at once.
        ("pre:0 summary pre:1", "guide guide"),
        // A person cancels the automatic compaction and requests one.
        ("pre:0 manual:1", "guide guide"),
        ("pre:0 pre:0 start post pre:2 pre:2", "guide - guide -"),
        ("pre:0 start pre:1", "guide guide"),
        // After the clock was set back, a later announcement is not a duplicate.
        ("pre:500 pre:0", "guide guide"),
    ];
    for (words, expected) in cases {
        let (_folder, mut store) = store();
        let mut given = Vec::new();
        for word in words.split(' ') {
            let (verb, at) = word.split_once(':').unwrap_or((word, "0"));
            let now = 1_000 * SECOND + at.parse::<i64>().unwrap() * SECOND;
            match verb {
                "pre" | "manual" => {
                    let guide = store.compaction_begins("s", verb == "manual", now).unwrap();
                    given.push(if guide { "guide" } else { "-" });
                }
                "summary" => store.keep_summary("s", "A", now).unwrap(),
                "start" => assert!(store.claim_brief("s", &B, now).unwrap()),
                _ => assert!(store.compaction_ends("s", &Ending::default(), now).unwrap()),
            }
        }
        assert_eq!(given.join(" "), *expected, "{words}");
    }
}

mod what_was_found {
    use super::*;
    use crate::model::entry::Place;
    use crate::model::finding::{Finding, FindingKind, FindingSubject};

    fn audit(of: u64, texts: &[&str]) -> Audit {
        let finding = |text: &&str| Finding {
            kind: FindingKind::Contradicted,
            fact: FindingSubject::Task,
            text: (*text).to_owned(),
            place: Some(Place(7)),
            summary_quote: Some(format!("{text}: done")),
            summary_at: None,
        };
        Audit { of, findings: texts.iter().map(finding).collect() }
    }

    fn listed(store: &Store) -> super::super::super::Recorded {
        store.compactions(None).unwrap().remove(0)
    }

    #[test]
    fn findings_are_stored_with_the_brief_and_read_back() {
        let (_folder, mut store) = store();
        let found = audit(u64::MAX, &["a", "b"]);
        store.compaction_begins("s", false, 1).unwrap();
        let begun = store.under_way("s").unwrap().unwrap();
        assert_eq!((begun.audited, begun.line.as_ref()), (None, None));
        assert_eq!(store.given(&begun).unwrap(), (None, None));
        let line = PersonLine { text: "lost 1".into(), lost: 2, given: 1 };
        let given = Given { brief: "bb", items: 3, audit: Some(&found), line: Some(&line) };
        // The second of a pair changes nothing.
        assert!(store.claim_brief("s", &given, 2).unwrap());
        assert!(!store.claim_brief("s", &B, 2).unwrap());
        let now = store.under_way("s").unwrap().unwrap();
        assert_eq!(store.given(&now).unwrap(), (Some("bb".to_owned()), Some(found.clone())));
        assert_eq!((now.audited, now.line.as_deref()), (Some(u64::MAX), Some("lost 1")));
        let row = listed(&store);
        assert_eq!((row.items, row.findings), (Some(3), Some(found.findings)));
    }

    #[test]
    fn only_a_different_final_summary_replaces_the_findings() {
        for (ending, expected) in [(Some(audit(2, &["c"])), vec!["c"]), (None, vec!["a", "b"])] {
            let (_folder, mut store) = store();
            let first = audit(1, &["a", "b"]);
            store.compaction_begins("s", false, 1).unwrap();
            store.claim_brief("s", &Given { audit: Some(&first), ..B }, 2).unwrap();
            let ending =
                Ending { summary: Some("x"), audit: ending.as_ref(), late: Some("late"), line: None };
            assert!(store.compaction_ends("s", &ending, 3).unwrap());
            assert!(!store.compaction_ends("s", &ending, 3).unwrap(), "the second of a pair");
            let found = listed(&store).findings.unwrap();
            assert_eq!(found.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(), expected);
            assert_eq!(store.under_way("s").unwrap(), None, "it is over");
        }
    }

    #[test]
    fn late_findings_are_delivered_once_and_only_for_the_latest_compaction() {
        let (_folder, mut store) = store();
        store.compaction_begins("s", false, 1).unwrap();
        store.compaction_ends("s", &Ending { late: Some("differs"), ..Ending::default() }, 2).unwrap();
        let late = store.late("s").unwrap().unwrap();
        assert_eq!(late.text, "differs");
        assert!(store.claim_late(&late, 3).unwrap() && !store.claim_late(&late, 3).unwrap());
        assert_eq!(store.late("s").unwrap(), None);
        store.compaction_begins("s", false, 4).unwrap();
        store.compaction_ends("s", &Ending { late: Some("of old"), ..Ending::default() }, 5).unwrap();
        store.compaction_begins("s", false, 6).unwrap();
        assert_eq!(store.late("s").unwrap(), None, "there is a newer summary");
    }

    /// Plays one compaction with the line `text` for the person.
    fn over(store: &mut Store, manual: bool, text: &str, now: i64) {
        let line = PersonLine { text: text.into(), lost: 2, given: 1 };
        store.compaction_begins("s", manual, now).unwrap();
        store.claim_brief("s", &Given { line: Some(&line), ..B }, now).unwrap();
        store.compaction_ends("s", &Ending::default(), now).unwrap();
    }

    #[test]
    fn line_of_an_automatic_compaction_stays_pending_and_of_a_manual_one_does_not() {
        let (_folder, mut store) = store();
        over(&mut store, true, "shown at once", 1);
        over(&mut store, false, "", 2);
        assert_eq!(store.untold("s").unwrap(), None, "all was well");
        over(&mut store, false, "first", 3);
        over(&mut store, false, "second", 4);
        let untold = store.untold("s").unwrap().unwrap();
        assert_eq!((untold.line.as_str(), untold.earlier), ("second", 1));
        assert!(store.claim_untold(&untold, 5).unwrap() && !store.claim_untold(&untold, 5).unwrap());
        assert_eq!(store.untold("s").unwrap(), None);
        let shown: Vec<_> = store.compactions(None).unwrap().iter().map(|one| one.person_at).collect();
        assert_eq!(shown, [Some(5), Some(5), None, Some(1)]);
    }

    #[test]
    fn line_of_an_unfinished_compaction_is_still_shown_once() {
        let (_folder, mut store) = store();
        let line = PersonLine { text: "lost".into(), lost: 1, given: 1 };
        store.compaction_begins("s", false, 1).unwrap();
        store.claim_brief("s", &Given { line: Some(&line), ..B }, 2).unwrap();
        let untold = store.untold("s").unwrap().unwrap();
        assert!(store.claim_untold(&untold, 3).unwrap());
        store.compaction_ends("s", &Ending::default(), 4).unwrap();
        assert_eq!(store.untold("s").unwrap(), None);
    }

    #[test]
    fn gauge_shows_losses_until_the_turn_ends_or_the_next_compaction_begins() {
        let (_folder, mut store) = store();
        let lost = |store: &Store| store.gauged("s").unwrap().map(|gauged| (gauged.lost, gauged.given_back));
        over(&mut store, false, "lost", 1);
        assert_eq!(lost(&store), Some((Some(2), None)), "the brief is not known to have arrived");
        let arrived =
            [(Place(1), super::super::super::Sign::Injected { event: "E".into(), text: "b".into() })];
        store.advance(&PassProgress { generation: Some(0), signs: &arrived, ..nothing_new() }).unwrap();
        assert_eq!(lost(&store), Some((Some(2), Some(1))));
        store.lost_was_shown("s").unwrap();
        assert_eq!(lost(&store), Some((None, None)));
        over(&mut store, false, "lost", 2);
        assert_eq!(lost(&store), Some((Some(2), None)), "nothing of the one before");
        store.compaction_begins("s", false, 3).unwrap();
        assert_eq!(lost(&store), Some((None, None)));
    }

    #[test]
    fn time_of_a_compactions_hooks_is_summed() {
        let (_folder, mut store) = store();
        let took = |store: &mut Store, micros, at| {
            let run = HookRun { at, event: "E".into(), session: "s".into(), micros, problem: None };
            store.ran_in_compaction(&run).unwrap();
        };
        took(&mut store, 9, 1);
        store.compaction_begins("s", false, 1).unwrap();
        took(&mut store, 100, 1);
        store.compaction_ends("s", &Ending::default(), 2).unwrap();
        took(&mut store, 20, 2);
        took(&mut store, 5_000, 2 + PAIR + 1);
        assert_eq!(listed(&store).micros, Some(120));
        assert_eq!(store.runs(9).unwrap().len(), 4, "each is noted for itself");
    }
}

/// A process that sees the agent's answer in the index also sees that the brief arrived before it.
#[test]
fn delivery_is_seen_before_the_agent_continues() {
    use super::super::{IndexRow, RowKind, Sign};
    use crate::model::entry::Place;
    let (folder, mut store) = store();
    store.compaction_begins("s", false, 1).unwrap();
    store.claim_brief("s", &B, 2).unwrap();
    store.compaction_ends("s", &Ending::default(), 3).unwrap();
    let row = |line, kind| IndexRow { place: Place(line), id: None, kind };
    let rows = [row(1, RowKind::Compaction), row(2, RowKind::Other), row(3, RowKind::Text)];
    let signs = |text: &str| {
        let arrived = Sign::Injected { event: "SessionStart".into(), text: text.into() };
        [(Place(1), Sign::Compacted { before: Some(9), after: Some(1) }), (Place(2), arrived)]
    };
    let watching = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let store = Store::open(folder.path(), 1, Duration::from_secs(5)).unwrap();
            let seen = || store.sessions().unwrap()[0].entries;
            while seen() == 0 {
                assert_eq!(store.missing("s").unwrap(), None);
            }
            store.missing("s").unwrap()
        });
        let whole = signs("a b c");
        let progress = PassProgress { generation: Some(0), rows: &rows, signs: &whole, ..nothing_new() };
        store.advance(&progress).unwrap();
        watcher.join().unwrap()
    });
    assert_eq!(watching, None);
    // Rows that another process has already recorded say nothing about the next compaction.
    store.compaction_begins("s", false, 4).unwrap();
    store.claim_brief("s", &B, 5).unwrap();
    let again = signs("b");
    let progress = PassProgress { generation: Some(0), rows: &rows, signs: &again, ..nothing_new() };
    store.advance(&progress).unwrap();
    let latest = store.compactions(None).unwrap().remove(0);
    assert_eq!((latest.before, latest.arrived_by), (None, None));
}

/// A brief that goes with the next event waits for it across processes, if the compaction took place.
#[test]
fn a_brief_is_due_until_it_is_given_and_is_given_again_to_a_new_process() {
    use super::super::{IndexRow, RowKind};
    use crate::model::entry::Place;
    let (_folder, mut store) = store();
    assert!(!store.brief_is_due("s").unwrap());
    store.compaction_begins("s", false, 1).unwrap();
    assert!(store.brief_is_due("s").unwrap());
    store.compactions_are_over("s", true, 2).unwrap();
    assert!(!store.brief_is_due("s").unwrap(), "no row says that it took place");
    store.compaction_begins("s", false, 3).unwrap();
    let compacted = |line| [IndexRow { place: Place(line), id: None, kind: RowKind::Compaction }];
    store.advance(&PassProgress { generation: Some(0), rows: &compacted(1), ..nothing_new() }).unwrap();
    store.compactions_are_over("s", true, 4).unwrap();
    assert!(store.brief_is_due("s").unwrap());
    assert_eq!(store.brief_given("s").unwrap(), None);
    assert!(store.claim_brief("s", &B, 5).unwrap());
    assert!(!store.brief_is_due("s").unwrap());
    assert_eq!(store.brief_given("s").unwrap().as_deref(), Some("b"));
    store.brief_arrived("s", "Stop").unwrap();
    assert_eq!(store.given_back("s").unwrap()[0].arrived_by.as_deref(), Some("Stop"));
    let generation = store.known("s").unwrap().map(|known| known.generation);
    store.advance(&PassProgress { generation, rows: &compacted(2), ..nothing_new() }).unwrap();
    assert_eq!(store.brief_given("s").unwrap(), None, "there was another compaction");
}
