//! What must not be stored anywhere: secrets, forgotten texts, excluded projects.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use catchword_engine::ops::forget::{Traces, traces};
use catchword_testkit::secrets::{Secret, secrets};
use catchword_testkit::{CommandOutput, HookPlayer, SESSION, TestEnv, Transcript, files};
use serde_json::json;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");
const OTHER: &str = "2a2a2a2a-2222-4333-8444-555555555555";

/// The files of the data directory that contain these texts, including compressed ones.
fn left(env: &TestEnv, texts: &[&str]) -> Traces {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    traces(env.data(), &texts, &["config.toml"]).unwrap()
}

pub fn is_nowhere(env: &TestEnv, texts: &[&str]) -> bool {
    left(env, texts).left.is_empty()
}

/// A session that contains a secret in every possible place.
fn meeting(transcript: Transcript, number: usize, secret: &Secret) -> Transcript {
    let text = &secret.text;
    let file = format!("/home/user/project/file{number}.txt");
    match number % 6 {
        0 => transcript.prompt(&format!("Please remember:\n{text}")).says(&format!("You gave me:\n{text}")),
        1 => transcript.bash(&format!("echo start\n{text}")).ok(&format!("out\n{text}\ndone")),
        2 => transcript.bash("make deploy").fails(&format!("Exit code 1\nerror: {text}")),
        3 => transcript.edit(&file, "old line", &format!("new\n{text}")),
        4 => transcript.call("Write", json!({"file_path": file, "content": text})).ok("written"),
        _ => transcript
            .ask(&format!("Is this right?\n{text}"), &format!("No, it is\n{text}"))
            .call("mcp__vault__put", json!({"note": text, "lines": text.lines().collect::<Vec<_>>()}))
            .ok(&json!({"result": text, "password": secret.secret}).to_string()),
    }
}

/// The output of every command that shows or stores something, and of failing hooks.
fn everything_printed(env: &TestEnv, hooks: &HookPlayer, secrets: &[Secret]) -> Vec<CommandOutput> {
    let mut said = Vec::new();
    for secret in secrets {
        // No id contains a space.
        let text = format!("no id: {}", secret.text);
        said.push(hooks.send(&json!({"hook_event_name": text, "session_id": text})));
    }
    let noted = secrets.iter().map(|secret| format!("remember {}", secret.text));
    for text in noted {
        said.push(env.run(BIN, &["note", "--session", SESSION, &text]));
    }
    said.push(env.run(BIN, &["commands", "add", "deploy", &secrets[0].text, "--session", SESSION]));
    said.push(hooks.stop("x"));
    for args in [
        &["index"][..],
        &["backup", "--all"],
        &["backup", "--list"],
        &["status", "--all"],
        &["status"],
        &["lost", "--json"],
        &["brief", SESSION],
        &["brief", "--why", SESSION],
        &["lost", SESSION, "1"],
        &["handoff", SESSION],
        &["note", "--session", SESSION],
        &["note", "--session", SESSION, "--json"],
        &["note", "--session", SESSION],
        &["commands", SESSION],
        &["status", "--json"],
        &["status", "--all", "--json"],
        &["search", "remember", "role:note", "--limit", "200"],
        &["recall", "note:7", "--session", SESSION],
        &["search", "error", "--json"],
        &["search", "deploy"],
        &["recall", "L1-L400", "--session", SESSION, "--full"],
        &["recall", "compaction:1", "--session", SESSION, "--full"],
        &["restore", SESSION, "--to", "restored.jsonl"],
    ] {
        said.push(env.run(BIN, args));
    }
    assert!(
        files::read(env.data().join("hook.log")).lines().count() >= secrets.len(),
        "the log has its share"
    );
    said
}

#[test]
fn secrets_of_sixty_kinds_are_in_no_file_and_no_output() {
    let secrets = secrets();
    let kinds: BTreeSet<&str> = secrets.iter().map(|secret| secret.kind).collect();
    assert!(kinds.len() >= 60 && kinds.len() == secrets.len(), "{} kinds", kinds.len());
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript =
        Transcript::new().cwd(env.project()).prompt("Set up the deployment. Never push to main.");
    files::write(
        env.data().join("config.toml"),
        "[notes]\nmirror = \"NOTES.md\"\n[handoff]\ndir = \"handed\"\n",
    );
    let mut said: Vec<CommandOutput> = vec![hooks.session_start("startup")];
    let mut summary = String::from("We set things up.\n");
    let beside = hooks.transcript_path().with_extension("").join("subagents/agent-a1b2.jsonl");
    let mut subagent = Transcript::new().as_subagent("a1b2").prompt("Look into it.");
    // Every secret in every place, in as many rounds as there are places.
    for way in 0..6 {
        for (n, secret) in secrets.iter().enumerate() {
            transcript = meeting(transcript, n + way, secret);
            if way == 0 {
                subagent = meeting(subagent, n, secret);
                let _ = writeln!(summary, "{}", secret.text);
            }
        }
        transcript = transcript
            .queued(&format!("and do not forget\n{}", secrets[way].text))
            .task_create(&format!("rotate {}", secrets[way].text))
            .usage(60_000 + 12_000 * way as u64)
            .says("Going on.");
        transcript.append_to(hooks.transcript_path());
        let text = &secrets[way * 7].text;
        said.push(hooks.user_prompt(text));
        said.push(hooks.post_tool_use("t1", "Bash", &json!({"command": text}), &json!({"stdout": text})));
        said.push(hooks.post_tool_use_failure("t2", "Bash", &json!({"command": text}), text));
        said.push(hooks.post_tool_batch(&[json!({"tool_input": {"command": text}})]));
        said.push(hooks.stop(text));
    }
    subagent.write_to(&beside);
    said.push(hooks.subagent_stop("a1b2", &secrets[3].text));
    let compaction = hooks.compaction(&mut transcript, "auto", &summary);
    assert!(compaction.brief().is_some(), "there is something to leak");
    said.extend([
        compaction.pre_compact,
        compaction.summariser_stop,
        compaction.session_start,
        compaction.post_compact,
    ]);
    said.push(hooks.user_prompt("Go on."));
    said.push(hooks.session_end("other"));
    said.push(HookPlayer::new(&env, BIN, OTHER).session_start("startup"));
    said.extend(everything_printed(&env, &hooks, &secrets));
    for name in ["catchword.db", "history.db", "backups/pieces"] {
        assert!(env.data().join(name).exists(), "{name}");
    }
    let documents = [format!("handed/HANDOFF-{SESSION}.md"), "NOTES.md".to_owned()]
        .map(|name| files::read(env.project().join(name)));
    assert!(documents.iter().all(|text| text.contains("[masked: ")), "{documents:?}");
    let mut leaks = Vec::new();
    let restored = files::read(env.project().join("restored.jsonl"));
    assert_eq!(restored.lines().count(), transcript.line_count(), "every line is there");
    for secret in &secrets {
        let texts: Vec<&str> = vec![&secret.secret];
        let word = secret.longest_word();
        let looked = left(&env, &texts.into_iter().chain(word.as_deref()).collect::<Vec<_>>());
        assert!(looked.files > 4);
        leaks.extend(looked.left.iter().map(|path| format!("{} in {}", secret.kind, path.display())));
        let printed = said
            .iter()
            .any(|said| said.stdout.contains(&secret.secret) || said.stderr.contains(&secret.secret));
        leaks.extend(printed.then(|| format!("{} was printed", secret.kind)));
        let written = documents.iter().any(|text| text.contains(&secret.secret));
        leaks.extend(written.then(|| format!("{} in a document of the project", secret.kind)));
        leaks.extend(restored.contains(&secret.secret).then(|| format!("{} was restored", secret.kind)));
    }
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    assert!(
        files::read(hooks.transcript_path()).contains(&secrets[0].secret),
        "the transcript itself is not ours"
    );
}

/// Two sessions with a compaction, an end and a handoff each, in two projects.
fn two_sessions(env: &TestEnv) -> [Transcript; 2] {
    let elsewhere = env.root().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    [(SESSION, env.project(), "marzipan"), (OTHER, elsewhere.as_path(), "kohlrabi")].map(
        |(id, folder, word)| {
            let hooks = HookPlayer::new(env, BIN, id).in_folder(folder);
            let mut transcript = Transcript::new()
                .session(id)
                .cwd(folder)
                .prompt(&format!("Weigh the {word}. Never touch the {word} file."))
                .task_create(&format!("find the {word}"))
                .bash(&format!("grep {word} list"))
                .fails(&format!("no {word} here"));
            let _ = hooks.session_start("startup");
            let _ = hooks.compaction(&mut transcript, "auto", &format!("About {word}."));
            assert!(hooks.session_end("other").is_silent_success());
            // Something for the log.
            let _ =
                hooks.send(&json!({"hook_event_name": "Stop", "session_id": id, "transcript_path": folder}));
            transcript
        },
    )
}

#[test]
fn forgotten_session_is_in_no_file_and_does_not_come_back() {
    let env = TestEnv::new();
    let [_, transcript] = two_sessions(&env);
    let _ = env.run(BIN, &["index"]).success();
    assert!(files::read(env.data().join("hook.log")).contains(OTHER), "the log speaks of it");
    let found = left(&env, &[OTHER]).left;
    assert!(found.len() >= 4, "store, history, backup, handoff, log: {found:?}");
    let dry = env.run(BIN, &["forget", "--session", &OTHER[..8], "--dry-run"]).success();
    assert!(dry.stdout.contains("1 session:") && !is_nowhere(&env, &[OTHER]), "{dry}");
    let unasked = env.run(BIN, &["forget", "--session", OTHER]);
    assert!(!unasked.status.success() && unasked.stderr.contains("--yes"), "{unasked}");
    let forgotten = env.run(BIN, &["forget", "--session", OTHER, "--yes"]).success();
    assert!(forgotten.stdout.contains("\n0 traces in "), "{forgotten}");
    assert!(forgotten.stderr.contains("The client still has it"), "{forgotten}");
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
    let kept = env.run(BIN, &["search", "marzipan", "--json"]).success().json();
    assert!(kept["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "the other one stays: {kept}");

    let elsewhere = env.root().join("elsewhere");
    let hooks = HookPlayer::new(&env, BIN, OTHER).in_folder(&elsewhere);
    let mut more = transcript.says("More kohlrabi.");
    more.append_to(hooks.transcript_path());
    for output in [
        hooks.session_start("resume"),
        hooks.post_tool_batch(&[]),
        hooks.stop("x"),
        hooks.session_end("other"),
    ] {
        assert!(output.is_silent_success(), "{output}");
    }
    let indexed = env.run(BIN, &["index"]).success();
    assert!(indexed.stderr.contains("1 transcript."), "{indexed}");
    let _ = env.run(BIN, &["backup", "--all"]).success();
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
    let _ = env.run(BIN, &["index", "--again"]).success();
    let again = env.run(BIN, &["search", "kohlrabi", "--json"]).success().json();
    assert!(
        again["hits"].as_array().is_some_and(|hits| !hits.is_empty()),
        "asked for, it comes back: {again}"
    );
}

/// Adds a row for one session to every table of a database, with `word` in every column that accepts text;
/// returns the number of columns. Uses the schema, so that later tables are covered.
fn plant(
    env: &TestEnv,
    name: &str,
    session: &str,
    number: i64,
    word: &str,
    is_left: &dyn Fn(&str) -> bool,
) -> usize {
    let database = rusqlite::Connection::open(env.data().join(name)).unwrap();
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables: Vec<String> =
        database.prepare(sql).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() > 1, "{tables:?}");
    let mut places = 0;
    database.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    // A tombstone has nothing but hashes and keys.
    for table in tables.into_iter().filter(|table| table != "tombstone") {
        let mut statement = database.prepare("SELECT name, type FROM pragma_table_info(?1)").unwrap();
        let columns: Vec<(String, String)> = statement
            .query_map([&table], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let values: Vec<rusqlite::types::Value> = columns
            .iter()
            .map(|(column, kind)| match (column.as_str(), kind.as_str()) {
                ("session", "TEXT") => session.to_owned().into(),
                ("id", "TEXT") if table == "session" => session.to_owned().into(),
                (_, "INTEGER") => number.into(),
                (_, "REAL") => 0.5.into(),
                (column, _) if is_left(column) => "x".to_owned().into(),
                (column, "BLOB") => {
                    places += 1;
                    format!("{word} in {table} {column}").into_bytes().into()
                }
                (column, _) => {
                    places += 1;
                    format!("{word} in {table} {column}").into()
                }
            })
            .collect();
        let marks = vec!["?"; values.len()].join(", ");
        let sql = format!("INSERT OR REPLACE INTO {table} VALUES ({marks})");
        database.execute(&sql, rusqlite::params_from_iter(values)).unwrap();
    }
    places
}

/// Every file below a folder that contains a word, ignoring case.
fn grep(folder: &Path, word: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(grep(&path, word));
        } else {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).to_lowercase();
            found.extend(text.contains(word).then_some(path));
        }
    }
    found
}

#[test]
fn forget_clears_every_column_of_a_session() {
    let env = TestEnv::new();
    let _ = two_sessions(&env);
    let planted =
        |name| plant(&env, name, "3a3a3a3a-2222-4333-8444-555555555555", 90_001, "zanzibar", &|_| false);
    let places = planted("catchword.db") + planted("history.db");
    assert!(places >= 40, "{places}");
    assert!(grep(env.data(), "zanzibar").len() >= 2);
    let gone = env.run(BIN, &["forget", "--session", "3a3a3a3a", "--yes"]).success();
    assert!(gone.stdout.contains("\n0 traces in "), "{gone}");
    assert_eq!(grep(env.data(), "zanzibar"), Vec::<std::path::PathBuf>::new());
    assert_eq!(grep(env.data(), "3a3a3a3a-"), Vec::<std::path::PathBuf>::new());
    let kept = env.run(BIN, &["search", "marzipan", "--json"]).success().json();
    assert!(kept["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "{kept}");
}

#[test]
fn forgotten_text_is_masked_in_every_text_column() {
    let env = TestEnv::new();
    let _ = two_sessions(&env);
    // Paths and owners stay: without them nothing could be found again. `compacted` has hashes only.
    let is_left = |column: &str| {
        [
            "transcript",
            "cwd",
            "path",
            "project",
            "handoff",
            "thread",
            "agent",
            "handed_to",
            "client",
            "compacted",
            "machine",
            "person",
            "project_key",
        ]
        .contains(&column)
    };
    let planted =
        |name| plant(&env, name, "3a3a3a3a-2222-4333-8444-555555555555", 90_001, "zanzibar", &is_left);
    let places = planted("catchword.db") + planted("history.db");
    assert!(places > 25, "{places}");
    let gone = env.run(BIN, &["forget", "--pattern", "zanzibar", "--yes"]).success();
    assert!(gone.stdout.contains("\n0 traces in "), "{gone}");
    assert_eq!(grep(env.data(), "zanzibar"), Vec::<std::path::PathBuf>::new());
}

/// Files in projects, logs and compressed files are covered, and `forget` leaves what others wrote.
#[test]
fn forget_covers_project_documents_notes_commands_and_subagents() {
    let env = TestEnv::new();
    let config = "[notes]\nmirror = \"NOTES-{session}.md\"\n[handoff]\ndir = \"handed\"\n";
    files::write(env.data().join("config.toml"), config);
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let word = "zanzibar";
    let mut transcript = Transcript::new()
        .cwd(env.project())
        .prompt(&format!("Weigh {word}. Never touch {word}."))
        .slash(&format!("/{word}"), word)
        .task_create(&format!("find {word}"))
        .edit(&format!("/home/user/{word}.rs"), "a", word)
        .bash(&format!("grep {word} list"))
        .fails(&format!("no {word} here"))
        .ask(&format!("Really {word}?"), &format!("Yes, {word}"))
        .usage(150_000)
        .says(&format!("I go on with {word}."));
    let _ = hooks.session_start("startup");
    transcript.append_to(hooks.transcript_path());
    let beside = hooks.transcript_path().with_extension("").join("subagents/agent-a1b2.jsonl");
    Transcript::new().as_subagent("a1b2").prompt(&format!("Look into {word}.")).write_to(&beside);
    assert!(
        hooks.post_tool_batch(&[]).status.success() && hooks.subagent_stop("a1b2", word).is_silent_success()
    );
    let _ = env.run(BIN, &["note", &format!("about {word}"), "--session", SESSION]).success();
    let _ = env.run(BIN, &["note", "--state", &format!("next={word}"), "--session", SESSION]).success();
    let _ = env.run(BIN, &["commands", "add", word, word, "--session", SESSION]).success();
    assert!(hooks.stop(word).status.success());
    let _ = hooks.compaction(&mut transcript, "auto", &format!("About {word}."));
    assert!(hooks.session_end("other").status.success());
    let project = grep(env.project(), word);
    assert_eq!(project.len(), 2, "a handoff and the notes: {project:?}");
    files::write(env.project().join("mine.md"), format!("My own words on {word}."));
    // Two files that look like ours and are not.
    files::write(env.project().join("handed/HANDOFF-other.md"), word);

    let pattern = env.run(BIN, &["forget", "--pattern", word, "--dry-run"]).success();
    assert!(pattern.stdout.contains("The text is in"), "{pattern}");
    let gone = env.run(BIN, &["forget", "--session", SESSION, "--yes"]).success();
    assert!(gone.stdout.contains("\n0 traces in ") && gone.stdout.contains("2 documents"), "{gone}");
    assert!(is_nowhere(&env, &[word, SESSION]), "{:?}", left(&env, &[word, SESSION]));
    assert_eq!(grep(env.data(), word), Vec::<std::path::PathBuf>::new());
    assert_eq!(grep(env.project(), word).len(), 2, "what somebody else wrote stays");
}

#[test]
fn forgotten_text_is_masked_in_project_documents() {
    let env = TestEnv::new();
    files::write(
        env.data().join("config.toml"),
        "[notes]\nmirror = \"NOTES.md\"\n[handoff]\ndir = \"handed\"\n",
    );
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript =
        Transcript::new().cwd(env.project()).prompt("Weigh the zanzibar. Never rest.").says("Yes.");
    transcript.append_to(hooks.transcript_path());
    let _ = env.run(BIN, &["index"]).success();
    let _ = env.run(BIN, &["note", "zanzibar it is", "--session", SESSION]).success();
    assert!(hooks.stop("x").status.success() && hooks.session_end("other").status.success());
    assert_eq!(grep(env.project(), "zanzibar").len(), 2);
    let gone = env.run(BIN, &["forget", "--pattern", "zanzibar", "--yes"]).success();
    assert!(gone.stdout.contains("\n0 traces in "), "{gone}");
    assert!(grep(env.project(), "zanzibar").is_empty() && grep(env.data(), "zanzibar").is_empty());
    assert!(files::read(env.project().join("NOTES.md")).contains("[masked: forgotten]"));
}

#[test]
fn forget_by_project_or_age_removes_nothing_else() {
    let env = TestEnv::new();
    two_sessions(&env);
    let none = env.run(BIN, &["forget", "--before", "30d", "--yes"]).success();
    assert!(none.stdout.contains("No such session is recorded"), "{none}");
    let elsewhere = env.root().join("elsewhere");
    let gone = env.run(BIN, &["forget", "--project", elsewhere.to_str().unwrap(), "--yes"]).success();
    assert!(gone.stdout.contains("1 session:") && gone.stdout.contains("\n0 traces in "), "{gone}");
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]) && !is_nowhere(&env, &["marzipan"]));
    env.wait(std::time::Duration::from_secs(40 * 86_400));
    let old = env.run(BIN, &["forget", "--before", "30d", "--yes"]).success();
    assert!(old.stdout.contains("1 session:"), "{old}");
    assert!(is_nowhere(&env, &[SESSION, "marzipan"]), "{:?}", left(&env, &[SESSION, "marzipan"]));
    let wrong = env.run(BIN, &["forget", "--before", "whenever", "--yes"]);
    assert!(!wrong.status.success() && wrong.stderr.contains("valid date"), "{wrong}");
    assert!(!env.run(BIN, &["forget"]).status.success(), "something must be named");
}

#[test]
fn id_of_a_forgotten_session_is_masked_in_other_sessions() {
    let env = TestEnv::new();
    let _ = two_sessions(&env);
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let more = Transcript::new().cwd(env.project()).prompt(&format!("Compare with {OTHER}, please."));
    let text = files::read(hooks.transcript_path()) + &more.build();
    files::write(hooks.transcript_path(), text);
    let _ = hooks.session_end("other");
    let gone = env.run(BIN, &["forget", "--session", OTHER, "--yes"]).success();
    assert!(gone.stdout.contains("\n0 traces in "), "{gone}");
    assert!(is_nowhere(&env, &[OTHER]));
    let found = env.run(BIN, &["search", "compare", "--json"]).success();
    assert!(found.stdout.contains("[masked: forgotten]"), "{found}");
}

#[test]
fn forgotten_text_stays_masked_when_the_transcript_is_read_again() {
    let env = TestEnv::new();
    let [transcript, _] = two_sessions(&env);
    let _ = env.run(BIN, &["index"]).success();
    let text = "Weigh the Marzipan";
    let dry = env.run(BIN, &["forget", "--pattern", text, "--dry-run"]).success();
    assert!(dry.stdout.replace('\n', " ").contains("in 1 of the clients' 2 transcripts"), "{dry}");
    assert!(!is_nowhere(&env, &[text]));
    let gone = env.run(BIN, &["forget", "--pattern", text, "--yes"]).success();
    assert!(
        gone.stdout.contains("\n0 traces in ") && gone.stderr.contains("The client still has it"),
        "{gone}"
    );
    assert!(is_nowhere(&env, &[text]), "{:?}", left(&env, &[text]));
    assert!(!is_nowhere(&env, &["marzipan"]), "the text around it stays");

    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut more = transcript.prompt("Again: weigh the marzipan!").says("I weigh the marzipan.");
    more.append_to(hooks.transcript_path());
    let _ = hooks.post_tool_batch(&[]);
    let compaction = hooks.compaction(&mut more, "auto", "They weigh the marzipan.");
    let brief = compaction.brief().expect("a brief").to_lowercase();
    assert!(!brief.contains("weigh the marzipan") && brief.contains("[masked: forgotten]"), "{brief}");
    assert!(hooks.session_end("other").is_silent_success());
    let _ = env.run(BIN, &["index"]).success();
    let _ = env.run(BIN, &["backup", "--all"]).success();
    assert!(is_nowhere(&env, &[text]), "{:?}", left(&env, &[text]));
    let recalled = env.run(BIN, &["recall", "L1", "--session", SESSION]).success();
    assert!(recalled.stdout.contains("[masked: forgotten]"), "{recalled}");
    let short = env.run(BIN, &["forget", "--pattern", "abc", "--yes"]);
    assert!(!short.status.success() && short.stderr.contains("too short"), "{short}");
}

/// A session that has a word in every kind of name: folder, branch, file, skill, tool, shell, plan, style, model.
fn naming(transcript: Transcript, word: &str) -> Transcript {
    let file = format!("/home/user/{word}/src/{word}.rs");
    let attachment = json!({"attachment": {"type": "output_style", "style": format!("{word} style")}});
    transcript
        .cwd(format!("/home/user/{word}"))
        .model(&format!("model-{word}"))
        .prompt("Go on with it. Never touch the database.")
        .edit(&file, "a", "b")
        .read(&file)
        .grep(word)
        .call("Skill", json!({"skill": format!("deploy-{word}"), "args": "now"}))
        .ok("done")
        .call(&format!("mcp__{word}__run"), json!({"x": "y"}))
        .ok("done")
        .call("ExitPlanMode", json!({"plan": "a plan", "planFilePath": format!("/plans/{word}.md")}))
        .ok("approved")
        .background_shell(&format!("shell-{word}"), "make")
        .task_notification(&format!("shell-{word}"), "completed", "x")
        .slash(&format!("/{word}"), "now")
        .meta_row("attachment", attachment)
        .bash(&format!("git checkout feature/{word} && make {word}"))
        .fails(&format!("no rule to make {word}"))
}

#[test]
fn forgotten_text_does_not_come_back_in_names_case_or_normal_form() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let forms = ["Zwölfbrunn", "ZWÖLFBRUNN", "zwo\u{308}lfbrunn"];
    let mut transcript = naming(Transcript::new(), forms[0]);
    let _ = hooks.session_start("startup");
    assert!(hooks.compaction(&mut transcript, "auto", "About it.").brief().is_some());
    let _ = hooks.session_end("other");
    let _ = env.run(BIN, &["index"]).success();
    let _ = env.run(BIN, &["backup", "--all"]).success();
    assert!(!is_nowhere(&env, &forms[1..2]), "the proof looks for every case");
    let gone = env.run(BIN, &["forget", "--pattern", forms[1], "--yes"]).success();
    assert!(gone.stdout.contains("\n0 traces in "), "{gone}");
    for form in forms {
        transcript = naming(transcript, form);
    }
    transcript.append_to(hooks.transcript_path());
    let mut said = vec![hooks.post_tool_batch(&[]), hooks.stop("x")];
    let compaction = hooks.compaction(&mut transcript, "auto", "About it, again.");
    said.extend([compaction.pre_compact, compaction.session_start, compaction.post_compact]);
    said.push(hooks.session_end("other"));
    for args in [
        &["index"][..],
        &["backup", "--all"],
        &["handoff", SESSION],
        &["recall", "L1-L99", "--session", SESSION],
    ] {
        said.push(env.run(BIN, args).success());
    }
    assert!(is_nowhere(&env, &forms), "{:?}", left(&env, &forms));
    let printed = said.iter().find(|said| forms.iter().any(|form| said.to_string().contains(form)));
    assert!(printed.is_none(), "{}", printed.unwrap());
}

#[test]
fn excluded_project_leaves_no_trace() {
    let env = TestEnv::new();
    let secret = env.root().join("client-7/app");
    std::fs::create_dir_all(&secret).unwrap();
    files::write(env.data().join("config.toml"), "[privacy]\nleave_out = [\"client-*\"]\n");
    let hooks = HookPlayer::new(&env, BIN, OTHER).in_folder(&secret);
    let mut transcript =
        Transcript::new().session(OTHER).cwd(&secret).prompt("Weigh the kohlrabi. Never rest.");
    transcript.append_to(hooks.transcript_path());
    for output in [
        hooks.session_start("startup"),
        hooks.user_prompt("Weigh the kohlrabi."),
        hooks.post_tool_batch(&[]),
        hooks.stop("done"),
    ] {
        assert!(output.is_silent_success(), "{output}");
    }
    let compaction = hooks.compaction(&mut transcript, "auto", "About kohlrabi.");
    assert_eq!(compaction.brief(), None);
    assert!(hooks.session_end("other").is_silent_success());
    let status = json!({"session_id": OTHER, "transcript_path": hooks.transcript_path(), "cwd": secret,
        "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"},
        "context_window": {"context_window_size": 200_000}});
    let _ = env.run_with_stdin(BIN, &["statusline", "claude-code"], status.to_string()).success();
    for args in [&["index"][..], &["backup", "--all"], &["status", "--all"]] {
        let _ = env.run(BIN, args);
    }
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
    let own = |path: &Path| files::read(path);
    assert!(own(&env.data().join("hook.log")).is_empty());

    // Another project is still recorded, and this one again once it is no longer excluded.
    let other = HookPlayer::new(&env, BIN, SESSION);
    Transcript::new().cwd(env.project()).prompt("Weigh the marzipan.").write_to(other.transcript_path());
    assert!(other.stop("x").is_silent_success());
    assert!(!is_nowhere(&env, &[SESSION]));
    files::write(env.data().join("config.toml"), "");
    assert!(hooks.stop("x").is_silent_success());
    assert!(!is_nowhere(&env, &[OTHER]));
}

#[test]
fn parallel_forgets_lose_nothing() {
    let env = TestEnv::new();
    let _ = two_sessions(&env);
    let id = |n: usize| format!("{n:08}-2222-4333-8444-555555555555");
    let text = |n: usize| format!("turnip number {n}");
    let (sessions, texts) = (12, 6);
    std::thread::scope(|scope| {
        for n in 0..sessions {
            let env = &env;
            scope.spawn(move || env.run(BIN, &["forget", "--session", &id(n), "--yes"]));
        }
        for n in 0..texts {
            let env = &env;
            scope.spawn(move || env.run(BIN, &["forget", "--pattern", &text(n), "--yes"]));
        }
    });
    let known = files::read(env.data().join("left-out"));
    let count = |kind: &str| known.lines().filter(|line| line.starts_with(kind)).count();
    assert_eq!((count("session "), count("text ")), (sessions, texts), "{known}");
}

/// Runs everything that records, for a session whose hooks run in `folder`.
fn record_everything(env: &TestEnv, hooks: &HookPlayer, transcript: &mut Transcript) {
    transcript.append_to(hooks.transcript_path());
    let _ = (hooks.session_start("startup"), hooks.user_prompt("x"), hooks.post_tool_batch(&[]));
    let _ =
        (hooks.stop("done"), hooks.compaction(transcript, "auto", "About it."), hooks.session_end("other"));
    for args in [&["index"][..], &["backup", "--all"], &["search", "kohlrabi"], &["handoff"]] {
        let _ = env.run(BIN, args);
    }
}

#[test]
fn session_started_in_an_excluded_folder_stays_excluded() {
    let env = TestEnv::new();
    let secret = env.root().join("acme");
    std::fs::create_dir_all(&secret).unwrap();
    files::write(env.data().join("config.toml"), "[privacy]\nleave_out = [\"acme\"]\n");
    let hooks = HookPlayer::new(&env, BIN, OTHER);
    let mut transcript = Transcript::new()
        .session(OTHER)
        .cwd(&secret)
        .prompt("Weigh the kohlrabi. Never rest.")
        .bash("cd ../user/project")
        .ok("")
        .cwd(env.project())
        .prompt("Now peel the kohlrabi.")
        .says("It is peeled.");
    record_everything(&env, &hooks, &mut transcript);
    let noted = env.run(BIN, &["note", "the kohlrabi", "--session", OTHER]);
    assert!(!noted.status.success(), "{noted}");
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
}

/// If no row says where it was written, the transcript's folder decides.
#[test]
fn transcript_in_the_folder_of_an_excluded_project_is_excluded() {
    let env = TestEnv::new();
    files::write(env.data().join("config.toml"), "[privacy]\nleave_out = [\"/srv/*/acme\"]\n");
    let path = env.home().join(".claude/projects/-srv-eu-acme").join(format!("{OTHER}.jsonl"));
    let row = json!({"type": "user", "uuid": "u1", "sessionId": OTHER, "timestamp": "2026-01-01T00:00:00Z",
        "message": {"role": "user", "content": "Weigh the kohlrabi. Never rest."}});
    files::write(&path, format!("{row}\n"));
    let hooks = HookPlayer::new(&env, BIN, OTHER);
    for event in ["UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"] {
        let mut payload = hooks.payload(event, json!({"trigger": "auto", "reason": "other"}));
        payload["transcript_path"] = json!(path);
        let _ = hooks.send(&payload);
    }
    for args in [&["index"][..], &["backup", "--all"]] {
        let _ = env.run(BIN, args);
    }
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
}

#[test]
fn session_is_not_recorded_while_in_an_excluded_folder() {
    let env = TestEnv::new();
    let secret = env.root().join("acme");
    std::fs::create_dir_all(&secret).unwrap();
    files::write(env.data().join("config.toml"), "[privacy]\nleave_out = [\"acme\"]\n");
    let hooks = HookPlayer::new(&env, BIN, OTHER);
    let mut transcript =
        Transcript::new().session(OTHER).cwd(env.project()).prompt("Weigh the marzipan. Never rest.");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.stop("x").is_silent_success());
    let queued = json!({"type": "queue-operation", "operation": "enqueue", "sessionId": OTHER,
        "timestamp": "2026-01-01T00:00:00Z", "content": "Always cook the kohlrabi."});
    transcript = transcript
        .cwd(&secret)
        .prompt("Peel the kohlrabi. Never burn the kohlrabi.")
        .raw(&queued.to_string())
        .bash("peel kohlrabi")
        .fails("kohlrabi: command not found")
        .says("The kohlrabi is peeled.");
    transcript.append_to(hooks.transcript_path());
    assert!(hooks.in_folder(&secret).stop("x").is_silent_success());
    transcript =
        transcript.cwd(env.project()).prompt("Back to the marzipan, and to the almonds.").says("Yes.");
    record_everything(&env, &hooks, &mut transcript);
    assert!(is_nowhere(&env, &["kohlrabi"]), "{:?}", left(&env, &["kohlrabi"]));
    let found = env.run(BIN, &["search", "almonds", "--json"]).success().json();
    assert!(found["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "{found}");
    let restored = env.run(BIN, &["restore", OTHER, "--to", "back.jsonl"]).success();
    let back = files::read(env.project().join("back.jsonl"));
    assert!(back.contains("almonds") && !back.contains("kohlrabi"), "{restored}");
    assert_eq!(back.lines().count(), transcript.line_count(), "places stay");
}

#[cfg(unix)]
#[test]
fn rows_written_behind_a_link_to_a_left_out_folder_are_not_recorded() {
    let env = TestEnv::new();
    let (secret, link) = (env.root().join("acme"), env.root().join("link"));
    std::fs::create_dir_all(&secret).unwrap();
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    files::write(env.data().join("config.toml"), format!("[privacy]\nleave_out = [{secret:?}]\n"));
    let hooks = HookPlayer::new(&env, BIN, OTHER);
    let mut transcript = Transcript::new()
        .session(OTHER)
        .cwd(env.project())
        .prompt("Weigh the marzipan.")
        .cwd(link.join("not/there"))
        .prompt("Peel the kohlrabi. Never burn the kohlrabi.")
        .cwd(env.project())
        .prompt("Back to the almonds.");
    record_everything(&env, &hooks, &mut transcript);
    assert!(is_nowhere(&env, &["kohlrabi"]), "{:?}", left(&env, &["kohlrabi"]));
    assert!(!is_nowhere(&env, &["almonds"]));
}

#[cfg(unix)]
#[test]
fn links_and_dots_do_not_hide_an_excluded_folder() {
    let cases: [(&str, &str); 5] = [
        ("real/acme", "link"),
        ("link", "real/acme"),
        ("real/acme", "real/other/../acme/deep"),
        ("real/other/../acme", "real/acme"),
        ("link/d*", "real/acme/deep"),
    ];
    for (pattern, cwd) in cases {
        let env = TestEnv::new();
        let root = env.root();
        files::write(
            env.data().join("config.toml"),
            format!("[privacy]\nleave_out = [{:?}]\n", root.join(pattern)),
        );
        // After the settings are loaded: a link may be created later.
        assert!(HookPlayer::new(&env, BIN, SESSION).stop("x").is_silent_success());
        std::fs::create_dir_all(root.join("real/acme/deep")).unwrap();
        std::fs::create_dir_all(root.join("real/other")).unwrap();
        std::os::unix::fs::symlink(root.join("real/acme"), root.join("link")).unwrap();
        let hooks = HookPlayer::new(&env, BIN, OTHER).in_folder(root.join(cwd));
        let mut transcript =
            Transcript::new().session(OTHER).cwd(root.join(cwd)).prompt("Weigh the kohlrabi. Never rest.");
        record_everything(&env, &hooks, &mut transcript);
        let left = left(&env, &[OTHER, "kohlrabi"]);
        assert!(left.left.is_empty(), "{pattern} {cwd}: {left:?}");
    }
}

/// The hook checked whether it may record before the session was forgotten, and writes afterwards.
#[cfg(unix)]
#[test]
fn running_hook_does_not_bring_a_forgotten_session_back() {
    let env = TestEnv::new();
    let begun = env.root().join("begun");
    let status = format!("touch {}; sleep 0.7; echo kohlrabi", begun.display());
    files::write(env.data().join("config.toml"), format!("[project]\nstatus = {status:?}\n"));
    let hooks = HookPlayer::new(&env, BIN, OTHER);
    let transcript =
        Transcript::new().session(OTHER).cwd(env.project()).prompt("Weigh the kohlrabi. Never rest.");
    transcript.write_to(hooks.transcript_path());
    let _ = hooks.session_start("startup");
    assert!(hooks.stop("x").is_silent_success());
    let _ = hooks.pre_compact("auto", None);
    let mut child = hooks.start(&hooks.payload("SessionStart", json!({"source": "compact"})));
    while !begun.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the status command did not run");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let gone = env.run(BIN, &["forget", "--session", OTHER, "--yes"]).success();
    assert!(child.wait().unwrap().success(), "{gone}");
    assert!(is_nowhere(&env, &[OTHER, "kohlrabi"]), "{:?}", left(&env, &[OTHER, "kohlrabi"]));
}

#[test]
fn what_was_computed_can_be_forgotten_and_is_computed_again_while_recording_goes_on() {
    let env = TestEnv::new();
    let hooks = HookPlayer::new(&env, BIN, SESSION);
    let mut transcript = Transcript::new()
        .cwd(env.project())
        .prompt("Add a parser.")
        .task_create("write the lexer")
        .says("ok");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.stop("ok").success();
    let _ = hooks.compaction(&mut transcript, "auto", "1. A parser. The lexer is written.");
    let _ = env.run(BIN, &["note", "--session", SESSION, "ask before pushing"]).success();
    let count = |table: &str| -> i64 {
        let db = rusqlite::Connection::open(env.data().join("catchword.db")).unwrap();
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    let before = env.run(BIN, &["brief", SESSION]).success().stdout;
    let kept = ["session", "entry", "compaction", "note"].map(count);
    assert_eq!(count("snapshot"), 1);
    let unasked = env.run(BIN, &["forget", "--session", SESSION, "--computed"]);
    assert!(!unasked.status.success() && count("snapshot") == 1, "{unasked}");
    let gone = env.run(BIN, &["forget", "--session", SESSION, "--computed", "--yes"]).success();
    assert!(gone.stdout.contains("recording goes on"), "{gone}");
    assert_eq!((count("snapshot"), count("finding")), (0, 0));
    assert_eq!(["session", "entry", "compaction", "note"].map(count), kept);
    assert_eq!(env.run(BIN, &["brief", SESSION]).success().stdout, before);
    transcript.says("more").append_to(hooks.transcript_path());
    let _ = hooks.stop("more").success();
    assert_eq!(count("snapshot"), 1, "recorded and folded again");
    let project = env.project().to_str().unwrap();
    let elsewhere = env.home().to_str().unwrap().to_owned() + "/elsewhere";
    let _ = env.run(BIN, &["forget", "--project", &elsewhere, "--computed", "--yes"]).success();
    assert_eq!(count("snapshot"), 1, "of another project");
    let _ = env.run(BIN, &["forget", "--project", project, "--computed", "--yes"]).success();
    assert_eq!((count("snapshot"), count("session")), (0, 1));
}
