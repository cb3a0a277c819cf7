use catchword_testkit::Transcript;

use super::*;
use crate::clients::CLIENTS;
use crate::model::entry::Place;
use crate::redact::SECRETS;

/// The session of a transcript.
pub(crate) fn fold(transcript: &Transcript) -> Session {
    let mut session = Session::default();
    for (n, line) in transcript.lines().iter().enumerate() {
        if let Ok(Some(entry)) = (CLIENTS[0].entry)(Place(n as u32 + 1), line.as_bytes()) {
            session.apply(&entry.masked(SECRETS));
        }
    }
    session
}

fn prompts(session: &Session) -> Vec<String> {
    session.prompts.iter().map(|prompt| session.text_of(prompt)).collect()
}

#[test]
fn prompts_typed_and_queued_are_kept_in_order() {
    let session = fold(
        &Transcript::new()
            .prompt("fix the login")
            .says("On it.")
            .queued("and use tabs")
            .slash("/review", "src/a.rs")
            .slash("/model", "opus")
            .slash("/compact", "keep the plan")
            .slash("/lint", ""),
    );
    assert_eq!(prompts(&session), ["fix the login", "and use tabs", "/review src/a.rs"]);
    assert_eq!(*session.beside[0], *"/review src/a.rs");
}

#[test]
fn queued_prompt_counts_once_the_agent_got_it() {
    let queue = |operation: &str, text: &str| {
        format!(r#"{{"type":"queue-operation","operation":"{operation}","content":"{text}"}}"#)
    };
    let typed = Transcript::new().prompt("fix it").raw(&queue("enqueue", "use tabs"));
    assert_eq!(prompts(&fold(&typed)), ["fix it"], "the model's own schedule queues prompts, too");
    assert_eq!(fold(&typed).queued, ["use tabs"]);
    let scheduled = typed.clone().meta_user("use tabs");
    assert_eq!(prompts(&fold(&scheduled)), ["fix it"]);
    let delivered = typed.clone().says("On it.").prompt("use tabs");
    assert_eq!(prompts(&fold(&delivered)), ["fix it", "use tabs"]);
    assert_eq!(fold(&delivered).prompts[1].place, Place(4));
    assert_eq!(fold(&delivered).queued, Vec::<String>::new());
    assert_eq!(fold(&typed.raw(&queue("popAll", ""))).queued, Vec::<String>::new());
}

#[test]
fn reply_keeps_what_it_answered() {
    let session = fold(&Transcript::new().prompt("plan it").says("Shall I drop the table?").prompt("yes"));
    assert_eq!(session.answered_by(&session.prompts[1]).unwrap().1, "Shall I drop the table?");
}

#[test]
fn subagent_rows_do_not_mix_with_the_main_thread() {
    let with = Transcript::new()
        .prompt("fix it")
        .as_subagent("a1")
        .prompt("never trust the user")
        .bash("rm -rf x")
        .ok("")
        .main_thread();
    let session = fold(&with);
    assert_eq!(prompts(&session), ["fix it"]);
    assert_eq!(session.clock, 0);
}

#[test]
fn row_written_twice_counts_once() {
    let transcript = Transcript::new().prompt("fix it").bash("cargo test").ok("ok");
    let twice = transcript.clone().duplicate_row(1).duplicate_row(2).duplicate_row(3);
    assert!(twice.line_count() > transcript.line_count());
    assert_eq!(fold(&twice), fold(&transcript));
}

#[test]
fn commands_are_matched_with_their_results() {
    let session = fold(
        &Transcript::new()
            .bash("cd /x && cargo test 2>&1 | tail -3")
            .fails("Exit code 101\nerror[E0308]: mismatched types"),
    );
    let run = session.record.runs().next().unwrap();
    assert_eq!((run.line.core(), run.failed()), ("cargo test", true));
    assert_eq!(run.telling(), "error[E0308]: mismatched types");
}

#[test]
fn what_a_look_shows_is_no_outcome() {
    let telling = |command: &str, output: &str| {
        let session = fold(&Transcript::new().bash(command).ok(output));
        session.record.runs().next().unwrap().telling().to_owned()
    };
    let listed = "a.rs\nb.rs\nc.rs";
    for looks in
        ["ls src", "ssh -p 2222 web@host \"cat /srv/list.txt\"", "ls src && echo '---' && ls lib | head -20"]
    {
        assert_eq!(telling(looks, listed), "", "{looks}");
    }
    assert_eq!(telling("wc -l src/a.rs", "512 src/a.rs"), "512 src/a.rs");
    assert_eq!(telling("tail -5 test.log", "running\n3 passed, 1 failed\nbye"), "3 passed, 1 failed");
    assert_eq!(telling("make list", listed), "c.rs");
}

#[test]
fn tasks_and_todos_have_their_latest_status() {
    let session = fold(
        &Transcript::new()
            .task_create("write parser")
            .task_create("write tests")
            .task_update(1, "completed")
            .task_update(2, "in_progress"),
    );
    let open: Vec<_> =
        session.tasks.open().iter().map(|t| (t.id.clone().unwrap(), t.subject.as_str())).collect();
    assert_eq!(open, [("2".to_owned(), "write tests")]);
    let todos = fold(&Transcript::new().todo(&[("a", "completed"), ("b", "in_progress"), ("c", "pending")]));
    assert_eq!(todos.tasks.open().iter().map(|t| t.subject.as_str()).collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn files_are_counted_by_what_was_done_to_them() {
    let session = fold(
        &Transcript::new()
            .read("/p/a.rs")
            .edit("/p/a.rs", "x", "y")
            .edit("/p/a.rs", "y", "z")
            .write("/p/new.rs"),
    );
    let of = |path: &str| session.files.iter().find(|(p, _)| *p == path).unwrap().1;
    assert_eq!((of("/p/a.rs").reads, of("/p/a.rs").edits), (1, 2));
    assert!(of("/p/new.rs").created);
}

#[test]
fn both_formats_of_a_compaction_count_once() {
    for transcript in [
        Transcript::new().prompt("a").compaction("auto", "sum 1").prompt("b").compaction("manual", "sum 2"),
        Transcript::old_shape()
            .prompt("a")
            .old_style_compaction("sum 1")
            .prompt("b")
            .old_style_compaction("sum 2"),
    ] {
        let session = fold(&transcript);
        assert_eq!(session.compactions.len(), 2);
        assert!(session.compactions.iter().all(|compaction| compaction.summarised));
        assert_eq!(prompts(&session), ["a", "b"]);
    }
}

#[test]
fn background_work_is_running_until_it_reports_or_is_stopped() {
    let started =
        Transcript::new().background_shell("b1", "npm run dev").background_shell("b2", "cargo watch");
    assert_eq!(fold(&started).running.len(), 2);
    let ended = started.task_notification("b1", "completed", "done");
    assert_eq!(fold(&ended).running.keys().collect::<Vec<_>>(), ["b2"]);
}

#[test]
fn agent_waits_after_its_turn_and_works_after_a_prompt() {
    let waiting = Transcript::new().prompt("a").says("Done. Shall I push?");
    assert!(fold(&waiting).waiting);
    assert!(!fold(&waiting.prompt("yes")).waiting);
}

#[test]
fn answers_and_plans_are_the_persons_decisions() {
    let session =
        fold(&Transcript::new().ask("Which database?", "Postgres").plan("# Move to Postgres\n1. schema"));
    let answer = session.record.answers().next().unwrap();
    assert_eq!((answer.question.to_compare(), answer.answer), ("Which database?", "Postgres"));
    assert_eq!(session.plan.as_ref().unwrap().approved, Some(true));
}

#[test]
fn turn_is_one_message_of_the_model() {
    let row = |uuid: &str, message: &str, text: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","message":{{{message}"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let rows = Transcript::new()
        .raw(&row("1", r#""id":"m1","#, "a"))
        .raw(&row("2", r#""id":"m1","#, "b"))
        .raw(&row("3", r#""id":"m2","#, "c"))
        .raw(&row("4", "", "d"))
        .raw(&row("5", "", "e"));
    let session = fold(&rows);
    assert_eq!(session.turns, 4, "two messages, and two rows that name none");
    assert_eq!(session.record.spoken().map(|said| said.turn).collect::<Vec<_>>(), [1, 1, 2, 3, 4]);
}

#[test]
fn summary_adds_neither_names_nor_files() {
    let before =
        Transcript::new().prompt("Fix parse_line in src/a.rs, see 1a2b3c4.").edit("/p/src/a.rs", "x", "y");
    let summary = "Fixed parse_line in src/a.rs; see STATUS.md, invented_name and 9f8e7d6.";
    let (known, after) = (fold(&before), fold(&before.clone().compaction("auto", summary)));
    let files = |s: &Session| s.files.iter().map(|(p, f)| (p.to_owned(), f.place)).collect::<Vec<_>>();
    let hashes = |s: &Session| s.record.hashes().map(|(hash, _)| hash.to_owned()).collect::<Vec<_>>();
    assert_eq!(files(&after), files(&known));
    assert_eq!((hashes(&known), hashes(&after)), (vec!["1a2b3c4".to_owned()], vec!["1a2b3c4".to_owned()]));
    let level = |s: &Session| s.files.get("/p/src/a.rs").unwrap().used;
    let later = fold(&before.bash("true").ok("").compaction("auto", summary));
    assert!(level(&later) > level(&known), "what it repeats is still in use");
}

#[test]
fn removed_and_moved_files_are_followed() {
    let shown = |transcript: &Transcript| {
        let session = fold(transcript);
        let facts = crate::choose::head::files::facts(&session, &crate::choose::KnownText::default());
        let mut all: Vec<String> = facts.into_iter().map(|fact| fact.text).collect();
        all.sort();
        all
    };
    let p = |name: &str| format!("/home/user/project/{name}");
    let start = || {
        let start = Transcript::new().prompt("Tidy src/old.ts and keep.ts").read(&p("keep.ts"));
        start.write(&p("src/tmp_gone.ts")).edit(&p("src/old.ts"), "a", "b")
    };
    let all = ["src/old.ts (1 edit)", "src/tmp_gone.ts (new)"];
    assert_eq!(shown(&start()), all);
    for command in ["rm src/tmp_gone.ts", "rm -f src/tmp_gone.ts && ls", "cd src && git rm tmp_gone.ts"] {
        assert_eq!(shown(&start().bash(command).ok("")), all[..1], "{command}");
        assert_eq!(shown(&start().bash(command).fails("Exit code 1")), all, "{command}");
        let named = start().bash(command).ok("").says("I removed src/tmp_gone.ts, tmp_gone.ts is no more.");
        assert_eq!(shown(&named), all[..1], "{command}");
    }
    let gone = start().bash("rm -r src").ok("");
    assert_eq!(shown(&gone), ["src/old.ts (removed)"]);
    let commit = gone.clone().bash("git commit -am x").ok("[main 1a2b3c4] Drop it");
    assert_eq!(shown(&commit), [] as [&str; 0]);
    assert_eq!(shown(&gone.clone().write(&p("src/old.ts"))), ["src/old.ts (1 edit, written)"]);
    assert_eq!(shown(&gone.clone().bash("git checkout -- src").ok("")), all);
    for (command, moved) in [
        ("git mv src/old.ts src/young.ts", "src/young.ts (moved from src/old.ts, 1 edit)"),
        ("mv src/old.ts lib/", "lib/old.ts (moved from src/old.ts, 1 edit)"),
        ("mv src/old.ts lib", "lib/old.ts (moved from src/old.ts, 1 edit)"),
        ("mv src/*.ts lib/", "lib/old.ts (moved from src/old.ts, 1 edit)"),
    ] {
        let after = start().bash("rm src/tmp_gone.ts").ok("").bash(command).ok("");
        assert_eq!(shown(&after), [moved], "{command}");
        assert_eq!(shown(&after.says("src/old.ts is elsewhere.")), [moved], "{command}");
    }
    assert_eq!(
        shown(&start().bash("mv src lib").ok("")),
        ["lib/old.ts (moved from src/old.ts, 1 edit)", "lib/tmp_gone.ts (new)"]
    );
}

#[test]
fn file_of_the_same_name_elsewhere_stays() {
    let p = |name: &str| format!("/home/user/project/{name}");
    let session = fold(
        &Transcript::new()
            .edit(&p("a/mod.rs"), "a", "b")
            .edit(&p("b/mod.rs"), "a", "b")
            .bash("rm a/mod.rs")
            .ok(""),
    );
    let facts = crate::choose::head::files::facts(&session, &crate::choose::KnownText::default());
    let mut shown: Vec<_> = facts.into_iter().map(|fact| fact.text).collect();
    shown.sort();
    assert_eq!(shown, ["a/mod.rs (removed)", "b/mod.rs (1 edit)"]);
}

#[test]
fn round_is_the_latest_message_and_everything_since() {
    let session = fold(
        &Transcript::new()
            .prompt("count the beans")
            .bash("ls beans")
            .ok("white.txt")
            .bash("weigh beans")
            .ok("12 grams"),
    );
    let round = session.kept.round();
    assert!(round.contains("weigh beans") && round.contains("12 grams"), "{round}");
    assert!(!round.contains("white.txt"), "{round}");
}

#[test]
fn up_to_five_opened_files_are_restored_until_a_compaction() {
    let mut transcript = Transcript::new().prompt("read").read("/w/CLAUDE.md");
    for n in 1..=5 {
        transcript = transcript.read(&format!("/w/{n}.md")).read("/w/1.md");
    }
    assert_eq!(fold(&transcript).kept.files(), ["/w/1.md", "/w/2.md", "/w/3.md", "/w/4.md", "/w/5.md"]);
    assert!(fold(&transcript.clone().read("/w/6.md")).kept.files().is_empty(), "which five is not known");
    let compacted = fold(&transcript.compaction("auto", "what was said"));
    assert_eq!((compacted.kept.files().len(), compacted.kept.round()), (0, ""));
}

#[test]
fn old_client_restores_nothing() {
    let session = fold(&Transcript::old_shape().prompt("read").read("/w/1.md").says("Read."));
    assert_eq!((session.kept.files().len(), session.kept.round(), session.kept.begins()), (0, "", None));
}

#[test]
fn refusal_text_of_a_foreign_tool_is_attributed_to_nobody() {
    let refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n\
                   file it under the milestone of the next release";
    let session = fold(
        &Transcript::new()
            .prompt("file an issue")
            .call("mcp__tracker__create", serde_json::json!({"title": "leak"}))
            .fails(refusal),
    );
    assert_eq!(session.record.refusals().next().unwrap().reason, "", "such a tool could say anything");
    let own = fold(&Transcript::new().prompt("file an issue").bash("gh issue create").fails(refusal));
    assert!(own.record.refusals().next().unwrap().reason.contains("file it under"), "the client's own tool");
    let summary = "6. All user messages:\n   - \"file it under the milestone of the next release\"";
    let findings = crate::audit::audit(&session, summary);
    assert!(!findings.iter().any(|f| f.kind == crate::model::finding::FindingKind::Invented), "{findings:?}");
}
