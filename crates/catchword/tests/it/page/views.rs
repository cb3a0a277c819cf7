//! The views, as a browser shows them: whole, accessible, narrow and wide, fast to scroll, alive, and inert to whatever a
//! transcript says.

use std::fmt::Write as _;
use std::io::Write as _;

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, browser_or_skip, files, postgres_or_skip};
use serde_json::json;

use super::{BIN, RULE, ServedPage, every_client, script, worked};
use crate::archive;
use crate::hostile::CARRIERS;

#[test]
fn every_view_shows_every_client_and_anybody_can_use_it() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    let sessions: Vec<_> =
        every_client(&env).into_iter().map(|(client, id)| json!({"client": client, "id": id})).collect();
    let page = ServedPage::start(&env, &[]);
    let given =
        json!({"address": page.address("/"), "sessions": sessions, "rule": RULE, "folder": env.project()});
    let seen = browser.run(&env, &script("views.mjs"), given).quiet();
    assert_eq!(seen["clients"], catchword_testkit::SESSIONS.len(), "{seen}");
    assert_eq!(seen["violations"], json!([]), "what people could not use");
    assert_eq!(seen["wide"], json!([]), "views that scroll sideways");
    assert!(seen["four"].as_array().is_some_and(|four| four.iter().all(|n| n.as_u64() > Some(0))), "{seen}");
    assert!(seen["claims"].as_u64() > Some(0), "a statement that the record contradicts is marked: {seen}");
    assert_eq!(seen["labels"], seen["cuts"], "each cut has its numbers in the drawing: {seen}");
    assert_eq!(seen["here"], true, "the address of a place opens there: {seen}");
    assert_eq!(seen["inside"], true, "what a subagent did is inside its call: {seen}");
    assert_eq!(seen["source"], true, "its source is one click away");
    assert_eq!(seen["taught"], true, "the project's rule, with its place: {seen}");
    assert_eq!(seen["german"], true, "dates as the reader writes them: {seen}");
    assert_eq!(seen["both"], json!([]), "what came back is not missing");
    assert_eq!(seen["shift"], json!([]), "nothing moves once it is shown");
}

#[test]
fn sessions_are_filtered_and_live_ones_stand_on_top() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    every_client(&env);
    // One of now, in another folder and on another branch, whose client runs.
    let now = std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_millis().to_string();
    let folder = env.home().join("bakery");
    std::fs::create_dir_all(&folder).unwrap();
    let player = HookPlayer::new(&env, BIN, LIVE).in_folder(&folder).held_by(std::process::id(), true);
    let player = player.with_var("CATCHWORD_NOW", &now);
    let begun = Transcript::new()
        .session(LIVE)
        .cwd(&folder)
        .usage(40_000)
        .prompt("Weigh the marzipan.")
        .says("On it.");
    let on_branch = |text: String| text.replace("\"gitBranch\":\"main\"", "\"gitBranch\":\"weighing\"");
    files::write(player.transcript_path(), on_branch(begun.build()));
    let _ = player.session_start("startup").success();
    let _ = player.user_prompt("Weigh the marzipan.").success();
    let lines = begun.line_count();
    let more =
        on_branch(begun.usage(150_000).bash("make weigh").fails("Exit code 2\nno scales").text_from(lines));
    let page = ServedPage::start(&env, &[]);
    let later = json!({"CATCHWORD_NOW": now.parse::<u64>().unwrap() + 60_000, "HOME": env.home(), "CATCHWORD_HOME": env.data(),
        "PATH": "/usr/bin:/bin", "CLAUDE_PID": std::process::id().to_string()});
    let call = player.payload(
        "PostToolUseFailure",
        json!({"tool_name": "Bash", "tool_input": {"command": "make weigh"},
        "tool_use_id": "t", "error": "no scales", "is_interrupt": false}),
    );
    let given = json!({"address": page.address("/"), "all": 8, "transcript": player.transcript_path(), "more": more, "bin": BIN,
        "environment": later, "call": call});
    let seen = browser.run(&env, &script("filters.mjs"), given).quiet();
    let fitting = json!({"project": 1, "client": 1, "branch": 1, "time": 1, "live": 1, "compacted": 7, "failing": 7, "text": 1});
    assert_eq!(seen["fitting"], fitting, "{seen}");
    assert_eq!(seen["first"], "Weigh the marzipan.", "{seen}");
    let gauge =
        |name: &str| seen[name].as_str().and_then(|text| text.split('%').next()?.trim().parse::<u32>().ok());
    assert!(gauge("before") > gauge("after") && gauge("after").is_some(), "the gauge is refreshed: {seen}");
}

const LIVE: &str = "77777777-0000-4000-8000-000000000007";

/// Anna's laptop recorded one session of a repository that Bert has, too, and one of a repository that he has not.
#[test]
fn machines_and_people_of_a_shared_archive_are_listed_and_their_places_open() {
    let browser = browser_or_skip!();
    let server = postgres_or_skip!(18);
    archive::set_up(&server, &["anna", "bert"]);
    let (annas, hers, berts) = (
        archive::machine(&server, "anna"),
        archive::elsewhere(&server, "anna", "laptop"),
        archive::machine(&server, "bert"),
    );
    archive::work(&annas, SESSION, "Weigh the marzipan.");
    archive::work(&hers, LIVE, "Weigh the kohlrabi before the storm.");
    archive::work(&berts, "88888888-0000-4000-8000-000000000008", "Weigh the celery.");
    for env in [&annas, &hers] {
        let mut shares = env.command(BIN);
        shares.args(["sync", "--share", "team"]).current_dir(env.project());
        let _ = env.run_command(shares, "").success();
    }
    archive::sync(&berts, &[]);
    let page = ServedPage::start(&berts, &[]);
    let seen = browser.run(&berts, &script("shared.mjs"), json!({"address": page.address("/")})).quiet();
    assert_eq!(seen["people"], json!(["All people", "anna", "you"]), "{seen}");
    assert_eq!(seen["hers"], json!(["Weigh the marzipan."]), "{seen}");
    assert_eq!(seen["machines"], 3, "all machines, this one and hers: {seen}");
    assert!(seen["opened"].as_str().is_some_and(|text| text.contains("Weigh the marzipan.")), "{seen}");
    let there = seen["there"].as_str().unwrap_or_default();
    assert!(
        there.contains("Weigh the kohlrabi before the storm.") && there.contains("laptop by anna"),
        "{seen}"
    );
}

#[test]
fn search_and_keyboard_lead_to_the_place() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    worked(&env, SESSION);
    let page = ServedPage::start(&env, &[]);
    let given = json!({"address": page.address("/"), "session": SESSION});
    let seen = browser.run(&env, &script("keyboard.mjs"), given).quiet();
    assert!(seen["opened"].as_str().is_some_and(|path| path.contains("/L")), "{seen}");
    assert_eq!(seen["shown"], true, "the place is in the window: {seen}");
    assert_eq!(seen["meant"], "lexer", "{seen}");
    assert_eq!(seen["refused"], json!([]), "filters that the page offers and the search does not know");
    let places = |answer: &serde_json::Value| {
        let hits = answer["hits"].as_array().cloned().unwrap_or_default();
        hits.iter().map(|hit| hit["place"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let command = places(&env.run(BIN, &["search", "old table", "--json", "--limit", "40"]).json());
    assert!(command.len() > 1, "{command:?}");
    assert_eq!(places(&page.json("/api/search?q=old%20table")), command, "as the command ranks them");
}

#[test]
fn a_failure_that_a_pipe_hides_looks_failed() {
    let env = TestEnv::new();
    let printed = "error: token table mismatch\ntest result: FAILED. 3 passed; 1 failed; 0 ignored";
    let mut transcript = Transcript::new().session(SESSION).cwd(env.project()).prompt("Fix the lexer.");
    for command in ["cargo test -p lexer 2>&1 | tail -3", "cat old.log | tail -3"] {
        transcript = transcript.bash(command).ok(printed);
    }
    files::write(env.transcript_path(SESSION), transcript.says("Done.").build());
    let _ = env.run(BIN, &["index"]).success();
    let page = ServedPage::start(&env, &[]);
    let document = page.json(&format!("/api/session/{SESSION}/rows"));
    let rows = document["rows"].as_array().expect("rows");
    let failed: Vec<_> =
        rows.iter().filter(|row| row["answer"]["ok"] == false).map(|row| &row["line"]).collect();
    assert_eq!(failed, ["cargo test -p lexer 2>&1 | tail -3"], "a log that is read did not fail: {document}");
}

#[test]
fn empty_home_says_what_to_do_first() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    let page = ServedPage::start(&env, &[]);
    let seen = browser.run(&env, &script("empty.mjs"), json!({"address": page.address("/")}));
    assert!(seen.foreign.is_empty());
    let text = seen.answer["text"].as_str().expect("a text");
    assert!(text.contains("catchword init") && text.contains("catchword index"), "{text}");
    // Without the token, and for a session that is not there, the page says what to do.
    let told = |name: &str| seen.answer[name].as_str().map(str::to_owned).unwrap_or_default();
    assert!(told("untold").contains("catchword serve"), "{:?}", seen.answer);
    assert!(told("nobody").contains("no recorded session begins with nobody"), "{:?}", seen.answer);
    assert!(told("nowhere").contains("no such page"), "{:?}", seen.answer);
}

/// As long as the longest sessions that people have.
const LONG: u32 = 20_000;

fn long_session(env: &TestEnv, rows: u32) {
    let mut text = String::new();
    let row = |line: u32, kind: &str, content: serde_json::Value| {
        let message = json!({"role": kind, "content": content});
        json!({"parentUuid": null, "isSidechain": false, "type": kind, "message": message, "sessionId": SESSION,
            "uuid": format!("{line:08x}-0000-4000-8000-000000000000"), "cwd": env.project(), "version": "2.1.325",
            "timestamp": format!("2026-01-{:02}T{:02}:{:02}:00.000Z", 1 + line / 1440 % 28, line / 60 % 24, line % 60)})
    };
    for line in 1..=rows {
        let made = match line % 8 {
            1 if line % 400 == 1 => {
                row(line, "user", json!(format!("Request {line}: port the next part of the parser.")))
            }
            2 | 4 | 6 => row(
                line,
                "assistant",
                json!([{"type": "tool_use", "id": format!("t{line}"), "name": "Bash",
                "input": {"command": format!("cargo test -p part{line}")}}]),
            ),
            3 | 5 | 7 => row(
                line,
                "user",
                json!([{"type": "tool_result", "tool_use_id": format!("t{}", line - 1),
                "content": format!("running 3 tests\n{}\ntest result: ok. {line}", "x".repeat(300))}]),
            ),
            _ => row(
                line,
                "assistant",
                json!([{"type": "text", "text": format!("Row {line}. {}", "The parser takes its table from the token file. ".repeat((line % 9) as usize))}]),
            ),
        };
        let _ = writeln!(text, "{made}");
    }
    files::write(env.transcript_path(SESSION), text);
    let _ = env.run(BIN, &["index"]).success();
}

#[test]
fn a_long_session_scrolls_without_blank_screens_and_opens_at_a_place() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    long_session(&env, LONG);
    let page = ServedPage::start(&env, &[]);
    let given = json!({"address": page.address("/"), "session": SESSION, "rows": LONG});
    let seen = browser.run(&env, &script("long.mjs"), given).quiet();
    assert_eq!(seen["blank"], 0, "{seen}");
    assert_eq!(seen["place"], "L15000", "{seen}");
    assert!(seen["elements"].as_u64().is_some_and(|n| n < 20_000), "rows that are far go: {seen}");
    let _ =
        writeln!(std::io::stderr(), "first rows after {} ms, all after {} ms", seen["first"], seen["all"]);
}

#[test]
fn a_live_session_grows_where_it_is_shown() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    let transcript = worked(&env, SESSION);
    let lines = transcript.line_count();
    let more = transcript.prompt("And now the weather forecast.").says("Sunny.").text_from(lines);
    let page = ServedPage::start(&env, &[]);
    let given = json!({"address": page.address(&format!("/session/{SESSION}")), "transcript": env.transcript_path(SESSION),
        "more": more});
    let seen = browser.run(&env, &script("live.mjs"), given).quiet();
    assert_eq!(seen["grown"], true, "{seen}");
    assert_eq!(seen["moved"], 0, "what is read stays where it is: {seen}");
}

/// Ways in which a text could run: elements, attributes, addresses, styles, ends of quotations and of elements.
fn payloads() -> Vec<String> {
    let run = "window.__ran=(window.__ran||0)+1";
    let elements = [
        "<script>{}</script>",
        "<img src=x onerror={}>",
        "<svg onload={}>",
        "<svg><script>{}</script></svg>",
        "<iframe srcdoc='<script>parent.{}</script>'>",
        "<body onload={}>",
        "<details open ontoggle={}>",
        "<input autofocus onfocus={}>",
        "<video><source onerror={}></video>",
        "<math><mtext><script>{}</script>",
        "<style>@import 'http://evil.example/a.css';</style>",
        "<link rel=stylesheet href=http://evil.example/a.css>",
        "<base href=http://evil.example/>",
        "<meta http-equiv=refresh content='0;url=http://evil.example/'>",
        "<object data=http://evil.example/>",
        "<embed src=http://evil.example/>",
        "<a href=\"javascript:{}\">click</a>",
        "[click](javascript:{})",
        "![x](http://evil.example/pixel.png)",
        "![x](x\" onerror=\"{})",
        "<form action=http://evil.example/><button>go</button></form>",
        "<xss onpointerenter={} style=position:fixed;inset:0>x</xss>",
        "<template><script>{}</script></template>",
        "<img src=http://evil.example/pixel.png>",
        "{{constructor.constructor('{}')()}}",
    ];
    let around = [
        ("", ""),
        ("\"><", ">"),
        ("'>", ""),
        ("</script>", "<!--"),
        ("```html\n", "\n```"),
        ("**", "**"),
        ("`", "`"),
        ("\u{202e}", "\u{202c}"),
    ];
    let all = elements.iter().flat_map(|element| {
        around.iter().map(move |(before, after)| format!("{before}{}{after}", element.replace("{}", run)))
    });
    all.collect()
}

#[test]
fn no_text_of_a_transcript_runs() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    let payloads = payloads();
    assert_eq!(payloads.len(), 200);
    let mut sessions = Vec::new();
    for (at, some) in payloads.chunks(50).enumerate() {
        let id = format!("{at:08}-0000-4000-8000-000000000000");
        let hooks = HookPlayer::new(&env, BIN, &id);
        let mut transcript =
            Transcript::new().session(&id).cwd(env.project()).usage(50_000).prompt(&some.join(" "));
        for (carrier, payload) in CARRIERS.iter().cycle().zip(some.iter().cycle()).take(CARRIERS.len() * 6) {
            transcript = (carrier.carry)(transcript, payload);
        }
        for payload in some {
            transcript = transcript
                .prompt(&format!("Never {payload}, please."))
                .says(payload)
                .bash(payload)
                .fails(payload);
            transcript =
                transcript.edit(payload, payload, &format!("{payload} new")).todo(&[(payload, "pending")]);
        }
        let played = hooks.compaction(
            &mut transcript,
            "auto",
            &format!("1. {}\n\n| a |\n|---|\n| {} |", some.join("\n- "), some[0]),
        );
        if let Some(brief) = played.brief() {
            transcript = transcript.hook_context("SessionStart", &brief);
        }
        transcript = transcript.prompt(&some[0]).says(&some[1]);
        transcript.append_to(hooks.transcript_path());
        let _ = hooks.stop(&some[0]).success();
        sessions.push(id);
    }
    let _ = env.run(BIN, &["note", "--session", &sessions[0], &payloads[1]]);
    let file = env.root().join("hostile.html");
    let _ = env.run(BIN, &["export", &sessions[0], "--html", file.to_str().unwrap()]).success();
    let page = ServedPage::start(&env, &[]);
    let exported = format!("file://{}", file.display());
    let given = json!({"address": page.address("/"), "sessions": sessions, "exported": exported, "words": "window evil onerror"});
    let seen = browser.run(&env, &script("hostile.mjs"), given);
    assert_eq!(seen.answer["ran"], 0, "{:?}", seen.reported);
    assert!(seen.answer["shown"].as_u64() > Some(500), "the texts are shown: {:?}", seen.answer);
    assert_eq!(seen.answer["elements"], json!([]), "texts became elements");
    assert!(seen.foreign.is_empty(), "{:?}", seen.foreign);
    // A session with such a name is asked for, and not there.
    assert!(seen.reported.iter().all(|one| one.contains("404")), "{:?}", seen.reported);
}

/// Every view in both themes at three widths, for people to look at: written into the folder `page-shots` of the target
/// folder. `cargo test -p catchword --test it -- --ignored page::views::pictures`.
#[test]
#[ignore = "for people to look at"]
fn pictures() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    let sessions: Vec<_> =
        every_client(&env).into_iter().map(|(client, id)| json!({"client": client, "id": id})).collect();
    let page = ServedPage::start(&env, &[]);
    let folder = std::path::Path::new(BIN).ancestors().nth(2).unwrap().join("page-shots");
    std::fs::create_dir_all(&folder).unwrap();
    let given = json!({"address": page.address("/"), "sessions": sessions, "folder": folder});
    let seen = browser.run(&env, &script("pictures.mjs"), given).quiet();
    assert!(seen["pictures"].as_u64() > Some(30), "{seen}");
}

/// The picture in the README: the bundled sample, played with hooks, as the page shows it. `cargo test -p catchword --test
/// it -- --ignored page::views::picture_for_the_readme` draws it anew.
#[test]
#[ignore = "writes docs/page.png"]
fn picture_for_the_readme() {
    let browser = browser_or_skip!();
    let env = TestEnv::new();
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sample = files::read(repository.join("crates/catchword/src/cmd/sample.jsonl"));
    let rows: Vec<serde_json::Value> = sample.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let session =
        rows.iter().find_map(|row| row["sessionId"].as_str()).expect("rows name their session").to_owned();
    let cut = rows.iter().position(|row| row["subtype"] == "compact_boundary").expect("it was compacted");
    let at = rows.iter().position(|row| row["isCompactSummary"] == true).expect("it has a summary");
    let summary = rows[at]["message"]["content"]
        .as_str()
        .unwrap_or_default()
        .split("Summary:\n")
        .last()
        .unwrap_or_default();
    let hooks = HookPlayer::new(&env, BIN, &session);
    let lines: Vec<&str> = sample.lines().collect();
    let write = |lines: &[String]| files::write(hooks.transcript_path(), lines.join("\n") + "\n");
    let mut written: Vec<String> = lines[..cut].iter().map(ToString::to_string).collect();
    write(&written);
    let _ = hooks.pre_compact("auto", None).success();
    let _ = hooks.summariser_stop(summary).success();
    let told = catchword_testkit::model_text(&hooks.session_start("compact").success().stdout);
    let _ = hooks.post_compact("auto", summary);
    written.extend(lines[cut..=at].iter().map(ToString::to_string));
    let attachment = json!({"type": "hook_additional_context", "content": [told], "hookName": "SessionStart",
        "toolUseID": "SessionStart", "hookEvent": "SessionStart"});
    written.push(
        json!({"parentUuid": rows[at]["uuid"], "isSidechain": false, "type": "attachment", "attachment": attachment,
            "uuid": "aaaaaaaa-0000-4000-8000-000000000001", "timestamp": rows[at]["timestamp"], "sessionId": session,
            "cwd": rows[at]["cwd"], "version": rows[at]["version"]})
        .to_string(),
    );
    written.extend(lines[at + 1..].iter().map(ToString::to_string));
    write(&written);
    let _ = hooks.user_prompt("Go on.");
    let _ = hooks.stop("Done.").success();
    let page = ServedPage::start(&env, &[]);
    let picture = repository.join("docs/page.png");
    let given = json!({"address": page.address(&format!("/session/{session}")), "picture": picture});
    let seen = browser.run(&env, &script("picture.mjs"), given).quiet();
    assert_eq!(seen["arrived"], true, "{seen}");
}
