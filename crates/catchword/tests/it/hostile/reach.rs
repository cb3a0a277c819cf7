//! Text stays text: for SQL, for the full-text index, for a shell, for a path.
//!
//! There is no HTML page yet; its test belongs here.

use std::collections::BTreeSet;
use std::path::PathBuf;

use catchword_testkit::{BRIEF_START, HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::json;

use super::{BIN, CARRIERS, told};

/// Syntax of each of them.
const SYNTAX: [&str; 12] = [
    "'; DROP TABLE session; --",
    "\" OR 1=1; DELETE FROM entry; --",
    "x') UNION SELECT sql FROM sqlite_schema; --",
    "\" OR prompt MATCH \"*",
    "NEAR(a b, 5) AND NOT {command} : ^x* + - ( \"",
    "$(touch bait) `touch bait` ; touch bait | touch bait && touch bait",
    "--upload-pack=touch bait",
    "../../../../bait",
    "/etc/passwd\u{0}.md",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "%s%n%x {} {0} \\x41 \\u0041",
    "💥\u{0}\u{d7ff}\u{10ffff}",
];

fn everything_below(folder: &std::path::Path) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("our own").map(|entry| entry.expect("our own").path()) {
            if path.is_dir() {
                folders.push(path.clone());
            }
            all.insert(path);
        }
    }
    all
}

#[test]
fn text_with_syntax_is_stored_searched_and_shown_as_text() {
    for text in SYNTAX {
        let told =
            told(|t| CARRIERS.iter().fold(t, |t, carrier| (carrier.carry)(t, text)).prompt(text), text);
        let env = &told.env;
        let before = everything_below(&env.root());
        let _ = env.run(BIN, &["note", "--session", SESSION, "--", &text.replace('\0', "")]);
        for args in [
            &["search", "--", text][..],
            &["search", "--json", "--", text],
            &["recall", "--session", SESSION, "--", text],
            &["brief", "--", text],
            &["recall", "L1", "--session", text],
            &["status", "--all"],
            &["status", "--all"],
            &["note", "--session", SESSION],
            &["handoff", SESSION],
        ] {
            let output = env.run(BIN, &args.iter().map(|arg| arg.replace('\0', "")).collect::<Vec<_>>());
            assert!(output.status.code().is_some_and(|code| code < 2), "{text:?} {args:?}\n{output}");
            for word in ["panicked", "syntax error", "no such column", "fts5", "SQL logic"] {
                assert!(!output.stderr.contains(word), "{text:?} {args:?}\n{output}");
            }
        }
        let db = rusqlite::Connection::open(env.data().join("catchword.db")).expect("a store");
        let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("sound");
        let sessions: i64 =
            db.query_row("SELECT count(*) FROM session", [], |row| row.get(0)).expect("a count");
        assert_eq!((check.as_str(), sessions), ("ok", 1), "{text:?}");
        let new: Vec<PathBuf> = everything_below(&env.root()).difference(&before).cloned().collect();
        let ours = |path: &&PathBuf| !path.starts_with(env.data());
        assert_eq!(new.iter().filter(ours).count(), 0, "{text:?}: {new:?}");
        assert!(!everything_below(&env.root()).iter().any(|path| path.ends_with("bait")), "{text:?}");
    }
}

/// Handoffs, notes and set-aside files are named after a session.
#[test]
fn session_id_that_is_a_path_writes_nothing() {
    for id in ["../evil", "..", "a/b", "/tmp/evil", "a\\b", "C:evil/x", ".hidden", "a\u{0}b", "x\ny", "", " "]
    {
        let env = TestEnv::new();
        Transcript::new().prompt("Add a parser.").task_create("x").write_to(env.transcript_path(SESSION));
        let before = everything_below(&env.root());
        for (event, fields) in [
            ("PreCompact", json!({"trigger": "auto"})),
            ("SessionStart", json!({"source": "compact"})),
            ("SessionEnd", json!({"reason": "other"})),
        ] {
            let mut payload = HookPlayer::new(&env, BIN, SESSION).payload(event, fields);
            payload["session_id"] = json!(id);
            assert!(
                env.run_with_stdin(BIN, &["hook", "claude-code"], payload.to_string()).is_silent_success(),
                "{id:?}"
            );
        }
        let outside = everything_below(&env.root()).into_iter().filter(|path| !path.starts_with(env.data()));
        let new: Vec<PathBuf> =
            outside.filter(|path| !before.contains(path) && !env.data().starts_with(path)).collect();
        assert!(new.is_empty(), "{id:?}: {new:?}");
        let names = everything_below(env.data())
            .into_iter()
            .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()));
        let names: BTreeSet<String> = names.collect();
        assert!(names.iter().all(|name| name == "hook.log"), "{id:?}: {names:?}");
    }
}

/// A subagent's id and a command's name become parts of paths.
#[test]
fn names_that_are_paths_do_not_escape_their_folder() {
    let told = told(|t| t.says("x"), "nothing");
    let env = &told.env;
    files::write(
        env.root().join("secret.md"),
        "<!-- COMPACT_SUMMARY_START -->zyzzyva<!-- COMPACT_SUMMARY_END -->",
    );
    files::write(
        env.root().join("secret.jsonl"),
        "{\"type\":\"user\",\"message\":{\"content\":\"zyzzyva\"}}\n",
    );
    for name in ["../../../secret", "../../secret", "..:..:secret", "/../../secret", "secret.md"] {
        let outputs = [
            env.run(BIN, &["recall", "L1", "--session", SESSION, "--subagent", name]),
            env.run(
                BIN,
                &["recall", "L1", "--session", SESSION, "--subagent", &format!("x/../../../../{name}")],
            ),
            env.run(BIN, &["commands", "add", name, "--session", SESSION]),
            env.run(BIN, &["commands", SESSION]),
        ];
        for output in outputs {
            assert!(!output.stdout.contains("zyzzyva"), "{name}\n{output}");
        }
    }
    let recalled = env.run(BIN, &["recall", "L1", "--session", SESSION]).success();
    assert!(!recalled.stdout.is_empty(), "without a path it recalls: {recalled}");
    let hooks = HookPlayer::new(env, BIN, SESSION);
    let _ = hooks.pre_compact("auto", None).success();
    let brief = hooks.session_start("compact").success().stdout;
    assert!(!brief.contains("zyzzyva") && brief.contains(BRIEF_START), "{brief}");
}
