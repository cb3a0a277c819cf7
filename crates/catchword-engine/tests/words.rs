//! Whose words a brief quotes, and which part: sessions with text that looks like the person's but is not.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::choose::{Section, WorkspaceState};
use catchword_engine::ops;
use catchword_testkit::Transcript;
use serde_json::json;
use shared::{fold, guided, head_of, section_of as section};

fn brief_within(transcript: &Transcript, budget: usize) -> String {
    ops::brief::brief(&fold(transcript), None, &WorkspaceState::default(), budget).text
}

fn brief(transcript: &Transcript) -> String {
    brief_within(transcript, 6_000)
}

fn asked(transcript: &Transcript) -> String {
    section(&brief(transcript), Section::Asked)
}

/// The rules that the summariser is told to keep.
fn standing(transcript: &Transcript) -> String {
    guided(&fold(transcript), "Words of the user")
}

/// All that the brief calls the person's.
fn theirs(transcript: &Transcript) -> String {
    let text = brief(transcript);
    [Section::Asked, Section::Answers, Section::Person].map(|of| section(&text, of)).join("\n")
}

fn begun() -> Transcript {
    Transcript::new().prompt("Add a cache to the resolver.").says("On it.")
}

#[test]
fn client_commands_and_notices_are_not_requests() {
    for text in
        ["/compact", "/compact keep the schema", "Continue from where you left off.", "/model opus", "/clear"]
    {
        let asked = asked(&begun().prompt(text).says("Fine."));
        assert!(asked.contains("Add a cache") && asked.lines().count() == 1, "{text}\n{asked}");
        let words = section(&brief(&begun().prompt(text).says("Fine.")), Section::Person);
        assert!(!words.contains(text), "{text}\n{words}");
    }
}

#[test]
fn hook_output_is_neither_a_request_nor_a_rule() {
    for text in [
        "Operation stopped by hook: another session is active. Never run two at once.",
        "Stop hook feedback:\nAlways run the linter before you stop.",
        "UserPromptSubmit operation blocked by hook: never mention tickets",
    ] {
        let session = begun().prompt(text).says("Fine.");
        assert!(!theirs(&session).contains("hook") && standing(&session).is_empty(), "{}", brief(&session));
        for words in ["Never run two", "Always run the linter", "never mention tickets"] {
            assert!(!theirs(&session).contains(words), "{}", brief(&session));
        }
        assert!(theirs(&session).contains("Add a cache to the resolver."), "{}", brief(&session));
    }
}

#[test]
fn unanswered_question_is_not_a_decision() {
    let away =
        "No response after 300s — the user may be away from keyboard. Proceed using your best judgment.";
    let session = begun().ask("Which store should it use?", away);
    assert_eq!(section(&brief(&session), Section::Answers), "", "{}", brief(&session));
    assert!(!theirs(&session).contains("best judgment"), "{}", brief(&session));
    let answered = begun().ask("Which store should it use?", "the disk, in one file");
    assert!(section(&brief(&answered), Section::Answers).contains("the disk, in one file"));
}

#[test]
fn scheduled_prompt_is_not_the_persons() {
    let later = "Check whether the deploy is through. Never restart it by hand.";
    let session = begun()
        .call("CronCreate", json!({"cron": "*/5 * * * *", "prompt": later}))
        .ok("Scheduled.")
        .prompt(later)
        .says("It is not.");
    assert!(!theirs(&session).contains("deploy") && standing(&session).is_empty(), "{}", brief(&session));
    assert!(!theirs(&session).contains("restart it"), "{}", brief(&session));
    let typed = begun().prompt(later).says("It is not.");
    assert!(theirs(&typed).contains("deploy"), "typed, it is theirs: {}", brief(&typed));
}

#[test]
fn rewound_prompts_do_not_count() {
    let start = begun();
    let branch = start.line_count() + 1;
    let session = start
        .prompt("Put it behind a proxy. Never cache on disk.")
        .says("Done.")
        .ask("Which proxy?", "the squid one")
        .prompt("can you undo that proxy please?")
        .says("Undone.")
        .rewind(branch)
        .prompt("Use one shared session instead.")
        .says("Good.");
    let text = brief(&session);
    assert!(text.contains("one shared session") && text.contains("Add a cache"), "{text}");
    for gone in ["behind a proxy", "Never cache on disk", "undo that", "squid"] {
        assert!(!text.contains(gone), "{gone}\n{text}");
    }
}

#[test]
fn compaction_does_not_rewind_prompts() {
    let session = begun()
        .prompt("Never cache on disk.")
        .says("Fine.")
        .compaction("auto", "A summary that forgets.")
        .prompt("Go on with the eviction of old entries.");
    assert!(standing(&session).contains("Never cache on disk."), "{}", brief(&session));
    let asked = "\"Never cache on disk.\"; then the agent's words: \"Fine.\" (L4) L3";
    assert!(brief(&session).contains(asked), "{}", brief(&session));
}

#[test]
fn pasted_lines_are_neither_rules_nor_the_persons_words() {
    for (pasted, typed, foreign) in [
        (
            "the log says\n2026-01-05 09:00:08 WARN never connect twice\n2026-01-05 09:00:09 WARN always use UTC",
            "the log says",
            "never connect twice",
        ),
        (
            "what does this mean?\n```\nNever call this twice.\n```",
            "what does this mean?",
            "Never call this twice",
        ),
        ("diff --git a/x b/x\n@@ -1 +1 @@\n-Always use tabs.\n+Never use tabs.", "", "Never use tabs"),
        (
            "can you look at this comment:\n\nThe reader takes the lock twice when the file is empty, which nobody \
             expects. Never take it without a timeout, and avoid the global one at all times.",
            "can you look at this comment:",
            "Never take it without",
        ),
        (
            "Implement the following plan:\n\n# Eviction\n\n## Changes\n\nDon't fire the event.\n\n## Tests\n\nIt must \
             always stay in sync.",
            "",
            "always stay in sync",
        ),
        (
            "the page shows:\n\nProfile\nYou must provide a valid key.\nNever share it.\nSave\nCancel",
            "the page shows:",
            "provide a valid key",
        ),
    ] {
        let session =
            begun().prompt(pasted).says("I see.").prompt("Now evict the oldest entry.").says("Done.");
        assert_eq!(standing(&session), "", "{pasted}\n{}", brief(&session));
        assert!(theirs(&session).contains(typed), "{pasted}\n{}", brief(&session));
        let told = brief_after(&session, "");
        assert!(!section(&told, Section::Person).contains(foreign), "{pasted}\n{told}");
        let beside = section(&told, Section::Delivered);
        assert!(beside.contains(foreign), "it is quoted, but not as theirs: {pasted}\n{told}");
    }
}

#[test]
fn order_for_one_step_ends_with_the_step() {
    let session = begun()
        .prompt("Write the page about it. Make sure it has a table. Never use emojis in docs.")
        .says("Written.")
        .prompt("Now add the eviction of old entries.")
        .says("Added.");
    let rules = standing(&session);
    assert!(rules.contains("Never use emojis in docs.") && !rules.contains("table"), "{rules}");
}

#[test]
fn narrower_permission_follows_the_prohibition() {
    let session = begun()
        .prompt("Don't run migrations against production.")
        .says("Understood.")
        .prompt("You can run the migrations on staging.")
        .says("Good.");
    let rules = standing(&session);
    let forbidden = rules.find("Don't run migrations against production.").expect("the prohibition");
    let allowed = rules.find("You can run the migrations on staging.").expect("the permission");
    assert!(forbidden < allowed, "{rules}");
}

#[test]
fn typed_rules_come_before_rules_from_documents() {
    let document =
        "Work by this:\n\n# Guide\n\n## Rules\n\n- Never edit a release branch.\n\n## More\n\nText.";
    let session = begun().prompt(document).says("Fine.").prompt("Always squash the commits.").says("Fine.");
    let rules = standing(&session);
    assert!(rules.find("Always squash") < rules.find("Never edit a release branch"), "{rules}");
    assert!(rules.contains("Never edit a release branch"), "{rules}");
}

#[test]
fn rules_among_forty_long_prompts_reach_the_summariser() {
    let rules = [
        "Never push to main, whatever the reason may be and whoever asks for it in a message of theirs.",
        "Always run the whole test suite before you say that something is finished, also for small changes.",
        "Don't add dependencies.",
        "Use pnpm, not npm.",
        "From now on write the commit messages in English, with a body that says why the change was made.",
        "Never touch the generated files below src/gen.",
    ];
    let mut session = begun();
    for rule in rules {
        session = session.prompt(rule).says("Understood.");
    }
    for n in 0..40 {
        session = session
            .prompt(&format!("Look at part {n} of the importer and tell me. {}", "It is long. ".repeat(40)));
        session = session.bash(&format!("make part{n} VERBOSE=1")).ok("done").says("Looked.");
    }
    let shown = standing(&session);
    for rule in rules {
        assert!(shown.contains(&rule[..40.min(rule.len())]), "{rule}\n{shown}");
    }
}

#[test]
fn end_of_a_long_prompt_is_quoted() {
    let long = format!(
        "Here is how it went. {} So please make the importer skip empty rows.",
        "I tried it. ".repeat(90)
    );
    assert!(asked(&Transcript::new().prompt(&long)).contains("So please make the importer skip empty rows."));
}

#[test]
fn items_of_a_plan_are_quoted() {
    let plan = format!(
        "Implement the following plan:\n\n# Plan: a cache\n\n## Context\n\n{}\n\n### 1. Add a map\n\nText.\n\n\
         ### 2. Evict the oldest entry\n\nText.\n\n### 3. Count the hits\n\nText.\n\n\n\
         If you need specific details from before exiting plan mode (like code), read the full transcript at: /x.jsonl",
        "Reads are slow because of the disk. ".repeat(40)
    );
    let asked = asked(&Transcript::new().prompt(&plan));
    assert!(asked.contains("1. Add a map; 2. Evict the oldest entry; 3. Count the hits"), "{asked}");
    assert!(!asked.contains("specific details"), "{asked}");
}

#[test]
fn short_answer_is_shown_with_its_question() {
    let session = begun()
        .says("Two ways:\n\nA) in memory\nB) on disk\n\nWhich approach would you prefer?")
        .prompt("Option B for sure, please")
        .bash("make disk")
        .ok("done")
        .says("Done.")
        .prompt("Now add the eviction of old entries to the resolver.");
    let asked = asked(&session);
    assert!(
        asked.contains("\"Option B for sure, please\" to the agent's \"Which approach would you prefer?\""),
        "{asked}"
    );
}

#[test]
fn finished_goal_is_not_shown() {
    let committed = begun()
        .bash("git commit -m 'Add a cache'")
        .ok("[main 1234567] Add a cache\n 1 file changed")
        .says("Done.")
        .prompt("The login page shows a blank header on mobile screens.")
        .says("Looking.");
    let listed = Transcript::new()
        .prompt("Add a cache to the resolver.")
        .task_create("add the map")
        .task_update(1, "completed")
        .says("All done.")
        .prompt("Please explain the eviction of the resolver.");
    let left = begun()
        .says("Done.")
        .prompt("The login page shows a blank header on mobile screens.")
        .says("Looking.");
    for session in [committed, listed, left] {
        let asked = asked(&session);
        assert!(!asked.contains("Goal:") && asked.contains("Latest:"), "{asked}");
    }
}

#[test]
fn active_goal_survives_ten_compactions() {
    let mut session = begun();
    for n in 0..10 {
        session = session.says("Going on.").bash(&format!("make step{n}")).ok("done");
        session = session.compaction("auto", "A summary that forgets.");
    }
    session = session.prompt("Is the cache of the resolver bounded already?").says("Yes.");
    let asked = asked(&session);
    assert_eq!(asked.matches("Add a cache to the resolver.").count(), 1, "{asked}");
    assert!(asked.contains("Goal: \"Add a cache to the resolver.\""), "{asked}");
}

#[test]
fn no_old_goal_remains_after_ten_topics() {
    let words =
        ["parser", "printer", "lexer", "linker", "loader", "cache", "router", "logger", "mailer", "worker"];
    let mut session = Transcript::new();
    for word in words {
        session =
            session.prompt(&format!("Rename the settings of our {word} everywhere in the {word} module."));
        session = session
            .bash(&format!("git commit -m '{word}'"))
            .ok(&format!("[main 1234567] {word}\n 1 file changed"));
        session = session.says("Done.").compaction("auto", "A summary that forgets.");
    }
    let asked = asked(&session);
    assert!(!asked.contains("Goal:"), "{asked}");
    assert!(asked.contains("Latest: \"Rename the settings of our worker"), "{asked}");
}

#[test]
fn last_five_of_six_long_prompts_are_quoted_whole() {
    let prompt = |n: usize| {
        let text = format!(
            "Request {n}: make part{n} of the importer {} and end with word{n}.",
            "keep every row it reads ".repeat(20)
        );
        let cut: String = text.chars().take(468).collect();
        format!("{cut} finish{n}.")
    };
    let mut session = Transcript::new();
    for n in 0..6 {
        session = session.prompt(&prompt(n)).bash(&format!("ls src/part{n}.py")).ok("src").says("Done.");
    }
    let text = brief(&session);
    for n in 1..6 {
        assert!(
            text.contains(&format!("Request {n}:")) && text.contains(&format!("finish{n}.")),
            "{n}\n{text}"
        );
    }
}

#[test]
fn delivered_text_is_the_assignment_if_there_is_no_person() {
    let session = Transcript::new()
        .teammate("team-lead", "Port the lexer to the new reader. Never touch the old reader.")
        .says("On it.")
        .teammate("team-lead", "{\"type\":\"idle_notification\",\"from\":\"qa\"}")
        .bash("cargo test -p lexer")
        .ok("ok");
    let text = brief(&session);
    assert!(section(&text, Section::Asked).contains("from \"team-lead\": \"Port the lexer"), "{text}");
    let rules = standing(&session);
    assert!(rules.contains("\"Never touch the old reader.\" from \"team-lead\""), "{rules}");
    assert_eq!(section(&text, Section::Person), "", "{text}");
    assert!(!text.contains("idle_notification"), "{text}");
}

#[test]
fn delivered_text_is_not_the_request_if_a_person_typed() {
    let session = begun().teammate("qa", "Never run the tests again.").says("Noted.");
    assert!(standing(&session).is_empty() && !theirs(&session).contains("qa"), "{}", brief(&session));
    assert!(!theirs(&session).contains("Never run the tests"), "{}", brief(&session));
    let beside = section(&brief(&session), Section::Delivered);
    assert!(beside.contains("Never run the tests again."), "{}", brief(&session));
}

/// A summary that is long enough but says nothing about the session.
fn other_summary(more: &str) -> String {
    format!(
        "{}\n{more}",
        "The work went on as planned, with nothing that was out of the ordinary. ".repeat(10)
    )
}

fn asked_after(transcript: &Transcript, summary: &str) -> String {
    section(&brief_after(transcript, summary), Section::Asked)
}

fn brief_after(transcript: &Transcript, summary: &str) -> String {
    let summary = other_summary(summary);
    ops::brief::brief(&fold(transcript), Some(&summary), &WorkspaceState::default(), 6_000).text
}

#[test]
fn prompts_of_ordinary_length_are_never_cut() {
    for message in [
        "I've merged the other branch, but now we have conflicts here.\n\nmerge with parent kim/better-state-tracking",
        "I think this was just fixed, right: the counter of the reader is not copied when a session is saved, so the \
         numbers are lost and everything is counted twice. Add it to both conversions, or tell me where that happens.",
        "리더가 빈 파일에서 잠금을 두 번 잡는 문제가 이미 고쳐졌는지 먼저 확인해 주세요. 아직이면 고쳐 주세요.",
    ] {
        // The summary has half of it, which is no reason to omit that half.
        let half: String = message.chars().take(message.chars().count() / 2).collect();
        let asked = asked_after(&Transcript::new().prompt(message), &half);
        let whole = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(asked.contains(&whole) && !asked.contains('…'), "{asked}");
    }
}

#[test]
fn requests_that_the_summary_has_are_not_listed() {
    let session = begun()
        .prompt("Could you write a decision record for the eviction as well?")
        .write("/home/user/project/docs/eviction.md")
        .says("Written.")
        .prompt("The printer loses comments behind the last line, find out why.")
        .bash("cargo test")
        .ok("ok");
    let asked = asked_after(&session, "");
    assert!(
        asked.contains("Earlier: \"Could you write a decision record") && !asked.contains("Goal"),
        "{asked}"
    );
    assert!(asked.contains("Latest: \"The printer loses comments"), "{asked}");
    let told = asked_after(
        &session,
        "A decision record for the eviction was written. A cache was added to the resolver.",
    );
    assert!(!told.contains("decision record") && !told.contains("Add a cache"), "{told}");
    let objected = begun()
        .prompt("Could you write a decision record for the eviction as well?")
        .says("Written.")
        .prompt("no, that is a changelog entry")
        .bash("ls docs")
        .ok("");
    assert!(asked_after(&objected, "").contains("decision record"), "{}", asked_after(&objected, ""));
    let interrupted = begun()
        .prompt("Could you write a decision record for the eviction as well?")
        .bash("ls docs")
        .ok("")
        .interrupt()
        .prompt("look at the tests of the printer first")
        .bash("ls tests")
        .ok("");
    assert!(asked_after(&interrupted, "").contains("decision record"), "{}", asked_after(&interrupted, ""));
}

#[test]
fn answered_request_is_shown_without_a_verdict_if_there_is_no_summary() {
    let session = begun()
        .prompt("Rename the settings page of the printer.")
        .says("Renamed.")
        .prompt("The loader drops the last row of every file, why?");
    let asked = asked(&session);
    assert!(asked.contains("Earlier: \"Rename the settings page of the printer.\"; then the agent's words: \"Renamed.\" (L4) L3"), "{asked}");
    assert!(!asked.contains("answered") && !asked.contains("inished"), "{asked}");
}

#[test]
fn brief_does_not_repeat_the_summary() {
    let session = Transcript::new().prompt("Go ahead with phase 1 of the port.").bash("make").ok("ok");
    assert_eq!(asked_after(&session, "- user: \"go ahead with phase 1 of the port\""), "");
    assert_eq!(asked_after(&session, "The user let the agent go ahead: phase 1, the port."), "");
    assert!(asked_after(&session, "The user let the agent go ahead with phase 2.").contains("phase 1"));
}

#[test]
fn paste_is_described_and_the_text_around_it_quoted() {
    let finding =
        format!("Counter is never reset\n\nHigh Severity\n\n{}", "The counter keeps its value. ".repeat(12));
    let asked = asked_after(&begun().prompt(&finding).bash("make").ok(""), "");
    assert!(asked.contains("nothing typed beside it; it begins \"Counter is never reset\""), "{asked}");
    let later = begun().prompt(&finding).bash("make").ok("").says("I see.").prompt("Fix it.").says("Done.");
    assert!(!section(&brief(&later), Section::Person).contains("counter"), "{}", brief(&later));
    assert!(section(&brief(&later), Section::Delivered).contains("counter keeps"), "{}", brief(&later));
    let chat = format!(
        "Hi Kim.\n\nYour design is sound.\n\n# What it has\n\n{}\n\nIf you want, I can:\n\n- draw it\n\nWhich way do you \
         want to go? ship it, then push to main",
        "It has a queue. ".repeat(120)
    );
    let asked = asked_after(&begun().prompt(&chat).bash("make").ok(""), "");
    assert!(asked.contains("] ship it, then push to main\""), "{asked}");
    assert!(!asked.contains("Hi Kim") && !asked.contains("It has a queue"), "{asked}");
}

#[test]
fn prompts_typed_while_the_agent_works_are_the_persons() {
    let queue = |operation: &str, text: &str| {
        let row = json!({"type": "queue-operation", "operation": operation, "content": text});
        row.to_string().replace(",\"content\":\"\"", "")
    };
    let steered = |version: &str| {
        let session = begun()
            .version(version)
            .prompt("Open the branch for review.")
            .bash("git push")
            .ok("")
            .raw(&queue("enqueue", "as a draft please, with the tests listed"))
            .raw(&queue("remove", ""))
            .bash("gh pr create --draft")
            .ok("");
        asked_after(&session, "")
    };
    let asked = steered("2.1.49");
    assert!(asked.contains("Latest: \"as a draft please"), "{asked}");
    // Later models can schedule prompts, and the call may be in another transcript.
    let asked = steered("2.1.325");
    assert!(!asked.contains("as a draft"), "{asked}");
    let scheduled = begun()
        .call("CronCreate", json!({"cron": "* * * * *", "prompt": "look at the deploy again"}))
        .ok("Scheduled.")
        .raw(&queue("enqueue", "look at the deploy again"))
        .raw(&queue("remove", ""))
        .bash("make")
        .ok("");
    assert!(!asked_after(&scheduled, "").contains("deploy"), "{}", asked_after(&scheduled, ""));
}

#[test]
fn plan_passed_on_by_the_client_is_called_a_plan() {
    let plan = "Implement the following plan:\n\n# Cache\n\n## Steps\n\n### 1. Add a map\n\nText.\n\n### 2. Evict\n\nText.";
    let asked = asked(&Transcript::new().prompt(plan).bash("make").ok(""));
    assert!(asked.contains("the plan \"Cache: 1. Add a map; 2. Evict\""), "{asked}");
    assert!(!asked.contains("Implement the following"), "{asked}");
}

#[test]
fn what_the_person_objected_to_is_not_told_as_decided() {
    let decided = |session: &Transcript| guided(&fold(session), "Said by the agent");
    let own = begun().says("I decided to keep the map in memory, since the disk is slow on this machine.");
    assert!(decided(&own).contains("keep the map in memory"), "{}", brief(&own));
    let objected = own.prompt("No, put it on the disk.").bash("make").ok("");
    assert!(!decided(&objected).contains("keep the map"), "{}", brief(&objected));
    assert!(!head_of(&brief(&objected)).contains("keep the map"), "{}", brief(&objected));
}

#[test]
fn slash_command_ends_with_the_next_request() {
    let called = Transcript::new().slash("review-pr", "12").says("Reviewed.");
    let active = |session: &Transcript| section(&brief(session), Section::Active);
    assert!(active(&called).contains("/review-pr"), "{}", brief(&called));
    assert!(active(&called.clone().prompt("ok, go on").bash("make").ok("")).contains("/review-pr"));
    let left = called.prompt("Now merge the parent branch into this one.").bash("git merge parent").ok("");
    assert_eq!(active(&left), "", "{}", brief(&left));
}

#[test]
fn corrected_answer_is_not_a_decision() {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how \
                   to proceed, the user said:\nit should run by itself after all";
    let session = begun()
        .ask("Should the eviction run by itself?", "only when somebody calls it")
        .write("/home/user/project/src/evict.rs")
        .bash("make")
        .fails(refused);
    let decided = section(&brief(&session), Section::Answers);
    assert!(decided.contains("it should run by itself after all"), "{decided}");
    assert!(!decided.contains("only when somebody calls it"), "{decided}");
}
/// A prompt of 480 characters about one part of a program, which cannot be shortened.
fn long_prompt(part: &str) -> String {
    let text = format!(
        "The {part} loses entries when two workers write to it at once; I saw it twice this week with the nightly import. \
         Give the {part} a lock of its own, keep the order of the entries, and let a worker that waits longer than two \
         seconds give up with a message that names the {part} and the worker. The people on call read that message at \
         night. Then write down in the handbook how somebody finds a stuck {part}, and tell me what a reader of the old \
         handbook would get wrong about it"
    );
    let filler: String = " and why, in full and plain sentences please".chars().cycle().take(480).collect();
    (text + &filler).chars().take(479).collect::<String>() + "."
}

#[test]
fn default_budget_holds_all_latest_prompts() {
    let parts = ["ledger", "mailbox", "journal", "roster", "archive", "calendar"];
    let work = |t: Transcript, part: &str| {
        t.prompt(&long_prompt(part))
            .bash(&format!("ls src/{part}.py"))
            .ok(&format!("src/{part}.py"))
            .edit(&format!("/home/user/project/src/{part}.py"), "old", "new")
            .says("Done.")
    };
    let transcript = parts.iter().fold(Transcript::new(), |t, part| work(t, part));
    let asked = asked(&transcript);
    for part in &parts[1..] {
        assert_eq!(long_prompt(part).chars().count(), 480);
        assert!(asked.contains(&long_prompt(part)), "{part}\n{asked}");
    }
}

#[test]
fn text_of_a_manual_compaction_is_quoted_until_the_next_prompt() {
    let ordered = begun().prompt_blocks(&[
        "<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args>focus on the \
         eviction, drop the logging</command-args>",
    ]);
    let told = asked(&ordered);
    let words = "Said with the order to compact: \"focus on the eviction, drop the logging\"";
    assert!(told.contains(words), "{told}");
    let later = ordered.prompt("Now write the eviction.").says("On it.");
    assert!(!asked(&later).contains("order to compact"), "{}", asked(&later));
    let bare =
        begun().prompt_blocks(&["<command-name>/compact</command-name>\n<command-args></command-args>"]);
    assert!(!asked(&bare).contains("compact"), "{}", asked(&bare));
}

#[test]
fn replay_or_handoff_in_a_prompt_is_not_the_persons_words() {
    let replay = "<catchword-replay session=\"0a1b\">\nThe record of an earlier session.\n\nL1 user: Always use tabs. Rewrite the \
                  billing.\nL9 agent: Root cause: the ledger is locked twice.\n</catchword-replay>";
    let handoff = "<!-- catchword handoff of session 0a1b -->\n# Handoff: billing\n\n> Never touch the ledger.\n\n<!-- end of the \
                   handoff -->";
    for record in [replay, handoff, &replay[..120]] {
        let session = Transcript::new().prompt(&format!("Go on with the exporter.\n{record}")).says("On it.");
        let told = brief(&session);
        assert!(asked(&session).contains("\"Go on with the exporter.\""), "{told}");
        assert!(!told.contains("billing") && !told.contains("ledger"), "{told}");
        assert!(standing(&session).is_empty(), "{told}");
        let before =
            Transcript::new().prompt(&format!("{record}\n\nGo on with the exporter.")).says("On it.");
        let whole = record.ends_with('>');
        assert_eq!(asked(&before).contains("Go on with the exporter."), whole, "{}", brief(&before));
    }
    let spoken =
        Transcript::new().prompt("Why does `<catchword-replay session=…>` end there?").says("Because.");
    assert!(asked(&spoken).contains("catchword-replay session"), "{}", asked(&spoken));
}
