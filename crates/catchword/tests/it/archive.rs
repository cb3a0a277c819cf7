//! The shared archive, with a real PostgreSQL and several machines.

mod cuts;
mod lost;

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use catchword_postgres::{ArchiveAddress, PostgresArchive};
use catchword_testkit::postgres::Postgres;
use catchword_testkit::{HookPlayer, TestEnv, Transcript, files, postgres_or_skip};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

fn superuser(server: &Postgres) -> PostgresArchive {
    let address = ArchiveAddress::parse(&server.address("postgres")).unwrap();
    PostgresArchive::connect_unchecked(&address, Duration::from_secs(10)).unwrap()
}

/// Sets the archive up as the docs say, and lets these people in.
pub fn set_up(server: &Postgres, people: &[&str]) {
    let mut env = TestEnv::new();
    env.set_var("CATCHWORD_ARCHIVE", server.address("postgres"));
    let made = env.run(BIN, &["archive", "init", "--yes"]).success();
    assert!(made.stdout.contains("The archive is set up"), "{made}");
    for person in people {
        let sql = env.run(BIN, &["archive", "add", person]).success().stdout;
        let sql: String = sql.lines().filter(|line| !line.starts_with('\\')).collect::<Vec<_>>().join("\n");
        superuser(server).run(&sql).unwrap();
    }
}

/// A machine of a person, with a clone of the team's repository.
pub fn machine(server: &Postgres, person: &str) -> TestEnv {
    let mut env = TestEnv::new();
    env.set_var("CATCHWORD_ARCHIVE", server.address(person));
    let config = "[remote \"origin\"]\n\turl = git@host.example:team/app.git\n";
    files::write(env.project().join(".git/config"), config);
    env
}

/// Records a session with these words on a machine.
pub fn work(env: &TestEnv, session: &str, words: &str) {
    let path = env.transcript_path(session);
    Transcript::new()
        .session(session)
        .cwd(env.project())
        .prompt(words)
        .bash("make check")
        .ok("fine")
        .write_to(&path);
    let indexed = env.run(BIN, &["index"]).success();
    assert!(indexed.stdout.contains("item"), "{indexed}");
}

pub fn sync(env: &TestEnv, arguments: &[&str]) -> Value {
    let mut all = vec!["sync", "--json"];
    all.extend(arguments);
    env.run(BIN, &all).success().json()
}

fn hits(env: &TestEnv, words: &str) -> usize {
    let found = env.run(BIN, &["search", words, "--json"]);
    found.json()["hits"].as_array().map_or(0, Vec::len)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn status(env: &TestEnv) -> Value {
    env.run(BIN, &["archive", "status", "--json"]).success().json()
}

const ONE: &str = "11111111-1111-4111-8111-111111111111";
const TWO: &str = "22222222-2222-4222-8222-222222222222";

#[test]
fn second_machine_finds_what_the_first_recorded_and_forgets_what_it_forgets() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let (laptop, desktop) = (machine(&server, "anna"), machine(&server, "anna"));
    work(&laptop, ONE, "Weigh the marzipan.");
    work(&desktop, TWO, "Weigh the kohlrabi. The password is fine.");
    let would = sync(&laptop, &["--dry-run"]);
    assert_eq!((would["transcripts"].as_u64(), would["items"].as_u64()), (Some(1), Some(2)), "{would}");
    let told = laptop.run(BIN, &["sync", "--dry-run"]).success().stdout;
    assert!(
        one_line(&told).contains("2 items of 1 transcript") && told.contains("0 masked stretches"),
        "{told}"
    );
    let bare = machine(&server, "anna").run(BIN, &["sync"]).success();
    assert!(one_line(&bare.stderr).contains("Nothing is recorded here yet"), "{bare}");
    let sent = sync(&laptop, &[]);
    assert_eq!(sent["pushed"]["items"], 2, "{sent}");
    assert_eq!(sync(&laptop, &[])["pushed"]["items"], 0, "nothing is sent twice");
    let got = sync(&desktop, &[]);
    assert_eq!((&got["pulled"]["items"], &got["pushed"]["items"]), (&2.into(), &2.into()), "{got}");
    assert_eq!((hits(&desktop, "marzipan"), hits(&desktop, "kohlrabi")), (1, 1));
    assert_eq!(sync(&laptop, &[])["pulled"]["items"], 2);
    let all = status(&laptop);
    assert_eq!((&all["items"], &all["sessions"], &all["machines"]), (&4.into(), &2.into(), &2.into()));

    // A session is forgotten on one machine, a phrase on the other.
    let gone = laptop.run(BIN, &["forget", "--session", ONE, "--yes"]).success();
    assert!(gone.stdout.contains("In the shared archive 2 items"), "{gone}");
    let gone = laptop.run(BIN, &["forget", "--pattern", "kohlrabi", "--yes"]).success();
    assert!(gone.stdout.contains("In the shared archive 1 item was"), "{gone}");
    assert_eq!(sync(&desktop, &[])["forgotten"]["here"], 2);
    assert_eq!((hits(&desktop, "marzipan"), hits(&desktop, "kohlrabi"), hits(&desktop, "weigh")), (0, 0, 1));
    // The transcript is still there, and is read again: it does not come back.
    let _ = laptop.run(BIN, &["index", "--again"]);
    let again = sync(&laptop, &[]);
    assert_eq!(again["pushed"]["items"], 0, "{again}");
    superuser(&server).run("VACUUM FULL").unwrap();
    for word in ["marzipan", "kohlrabi"] {
        assert!(!is_on_server(&server, word), "{word}");
    }
    assert!(is_on_server(&server, "weigh"));
}

/// Whether any table or index of the cluster has a word in it.
fn is_on_server(server: &Postgres, word: &str) -> bool {
    superuser(server).run("CHECKPOINT").unwrap();
    is_in_folder(&server.data().join("base"), word)
}

fn is_in_folder(folder: &Path, word: &str) -> bool {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let bytes = std::fs::read(entry.path()).unwrap_or_default().to_ascii_lowercase();
                if bytes.windows(word.len()).any(|stretch| stretch == word.as_bytes()) {
                    return true;
                }
            }
        }
    }
    false
}

#[test]
fn words_are_shared_as_their_author_says_and_figures_with_the_team() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna", "bert"]);
    let (annas, berts) = (machine(&server, "anna"), machine(&server, "bert"));
    work(&annas, ONE, "Weigh the marzipan.");
    work(&berts, TWO, "Weigh the kohlrabi.");
    sync(&annas, &[]);
    assert_eq!(sync(&berts, &[])["pulled"]["items"], 0, "for Anna's machines only");
    assert_eq!(hits(&berts, "marzipan"), 0);
    let run_in_project = |env: &TestEnv, share: &str| {
        let mut command = env.command(BIN);
        command.args(["sync", "--json", "--share", share]).current_dir(env.project());
        env.run_command(command, "").success().json()
    };
    run_in_project(&annas, "team");
    assert_eq!(sync(&berts, &[])["pulled"]["items"], 2);
    assert_eq!(hits(&berts, "marzipan"), 1);
    // Taken back: gone from the server and, with the next sync, from Bert's machine. Figures stay.
    run_in_project(&annas, "none");
    assert_eq!((&status(&annas)["items"], &status(&berts)["items"]), (&0.into(), &2.into()));
    sync(&berts, &[]);
    assert_eq!(hits(&berts, "marzipan"), 0);
    assert_eq!(status(&berts)["sessions"], 2);
    // And again: everything is sent once more.
    assert_eq!(run_in_project(&annas, "me")["pushed"]["items"], 2);
}

/// What somebody else's sessions ran and solved in this repository is told; what they typed is nobody's word here.
#[test]
fn a_shared_repository_teaches_what_others_did_and_not_what_they_said() {
    const ERROR: &str = "Exit code 1\nError: Cannot resolve plugin '@scales/grams'";
    const RULE: &str = "Never commit without the linter.";
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna", "bert"]);
    let (annas, berts) = (machine(&server, "anna"), machine(&server, "bert"));
    files::write(berts.project().join("scales.config.ts"), "[]\n");
    files::write(berts.project().join("check.sh"), "exit 0\n");
    for session in [ONE, TWO] {
        let config = annas.project().join("scales.config.ts");
        let t = Transcript::new().session(session).cwd(annas.project()).prompt(&format!("Build it. {RULE}"));
        let t = t.bash("npm run build").fails(ERROR).edit(&config.to_string_lossy(), "[]", "[grams]");
        let t = t.bash("npm run build").ok("built in 2s").bash("sh check.sh").ok("fine").says("Done.");
        t.write_to(annas.transcript_path(session));
    }
    let _ = annas.run(BIN, &["index"]).success();
    let mut share = annas.command(BIN);
    share.args(["sync", "--share", "team"]).current_dir(annas.project());
    let _ = annas.run_command(share, "").success();
    let third = "33333333-3333-4333-8333-333333333333";
    // A machine fetches what belongs to repositories that it knows.
    work(&berts, "44444444-4444-4444-8444-444444444444", "Look around.");
    // 4_000_000_101 is never assigned: the client is gone.
    let hooks = || HookPlayer::new(&berts, BIN, third).held_by(4_000_000_101, true);
    let start = || catchword_testkit::model_text(&hooks().session_start("startup").success().stdout);
    assert_eq!(start(), "", "nothing was fetched yet");
    sync(&berts, &[]);
    let told = start();
    for needed in ["`sh check.sh` (2, 22222222:L", "scales.config.ts"] {
        assert!(told.contains(needed), "{needed} is missing in\n{told}");
    }
    assert!(!told.contains("linter"), "{told}");
    let shown = berts.run(BIN, &["project", "--json"]).success().json();
    let sections = shown["sections"].as_array().expect("sections");
    let of = |kind: &str| sections.iter().find(|section| section["kind"] == kind);
    let by = |kind: &str| of(kind).map(|section| section["lines"][0]["person"].clone());
    assert_eq!(
        (by("commands"), by("fixes"), by("files")),
        (Some("anna".into()), Some("anna".into()), Some("anna".into()))
    );
    assert!(of("rules").is_none() && !shown.to_string().contains("linter"), "{shown:#}");
    let t = Transcript::new().session(third).cwd(berts.project()).prompt("Build it.");
    t.bash("npm run build").fails(ERROR).write_to(hooks().transcript_path());
    let line = catchword_testkit::model_text(&hooks().post_tool_batch(&[]).success().stdout);
    assert!(line.contains("(anna, 22222222:L2); it passed at L6 after: edit of scales.config.ts"), "{line}");
    // On her own machine it is her rule.
    assert!(annas.run(BIN, &["project"]).success().stdout.contains(RULE));
}

#[test]
fn left_out_project_and_secrets_never_reach_the_server() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let laptop = machine(&server, "anna");
    let secret = concat!("ghp_", "Zq7xW2mK9pL4vB8nR3tY6uC1dF5gH0jS2aE4");
    work(&laptop, ONE, &format!("The token is {secret}, weigh the marzipan."));
    sync(&laptop, &[]);
    assert!(is_on_server(&server, "marzipan") && !is_on_server(&server, &secret.to_lowercase()));
    work(&laptop, TWO, "Weigh the kohlrabi.");
    // One whose rows name no folder: it lies among the transcripts of the project.
    let bare = laptop.transcript_path("33333333-3333-4333-8333-333333333333");
    let rows = files::read(laptop.transcript_path(TWO)).replace(TWO, "33333333-3333-4333-8333-333333333333");
    let folder = format!("\"cwd\":{:?},", laptop.project().display().to_string());
    assert!(rows.contains(&folder), "{rows}");
    files::write(&bare, rows.replace(&folder, "").replace("kohlrabi", "celery"));
    let _ = laptop.run(BIN, &["index"]).success();
    assert_eq!(hits(&laptop, "celery"), 1);
    let pattern = format!("privacy.leave_out = [\"{}\"]\n", laptop.project().display());
    files::write(laptop.data().join("config.toml"), pattern);
    let sent = sync(&laptop, &[]);
    assert_eq!((&sent["pushed"]["items"], &sent["left_out"]), (&0.into(), &3.into()), "{sent}");
    for word in ["kohlrabi", "celery"] {
        assert!(!is_on_server(&server, word), "{word}");
    }
}

#[test]
fn unreachable_archive_is_said_without_the_password() {
    let mut env = TestEnv::new();
    env.set_var("CATCHWORD_ARCHIVE", "postgresql://anna:s3cret@127.0.0.1:1/db");
    env.set_var("CATCHWORD_ARCHIVE_PASSWORD", "s3cret-too");
    for arguments in [["sync", "--dry-run"], ["archive", "status"]] {
        let output = env.run(BIN, &arguments);
        assert!(!output.status.success() && output.stderr.contains("cannot reach"), "{output}");
        assert!(!output.stderr.contains("s3cret") && !output.stdout.contains("s3cret"), "{output}");
    }
    let open = env.run(BIN, &["archive", "init", "--print"]).success();
    assert!(open.stdout.contains("CREATE SCHEMA catchword"), "{open}");
}

/// A machine of a person with another repository than [`machine`] has.
pub fn elsewhere(server: &Postgres, person: &str, name: &str) -> TestEnv {
    let mut env = TestEnv::new();
    env.set_var("CATCHWORD_ARCHIVE", server.address(person));
    env.set_var("CATCHWORD_MACHINE", name);
    let config = format!("[remote \"origin\"]\n\turl = git@host.example:team/{name}.git\n");
    files::write(env.project().join(".git/config"), config);
    env
}

fn found(env: &TestEnv, words: &str) -> Value {
    env.run(BIN, &["search", words, "--json"]).json()
}

#[test]
fn search_and_recall_ask_the_server_about_other_projects_and_say_when_it_is_silent() {
    let mut server = postgres_or_skip!(18);
    set_up(&server, &["anna", "bert"]);
    let (laptop, desktop) = (elsewhere(&server, "anna", "laptop"), elsewhere(&server, "anna", "desktop"));
    work(&laptop, ONE, "Weigh the marzipan before the storm.");
    work(&desktop, TWO, "Weigh the kohlrabi.");
    sync(&laptop, &[]);
    let got = sync(&desktop, &[]);
    assert_eq!(got["pulled"]["items"], 0, "another project is not fetched: {got}");
    // Found there, marked with its machine and person, and recalled from there.
    let there = found(&desktop, "marzipan");
    let hit = &there["hits"][0];
    assert_eq!((&hit["machine"], &hit["person"]), (&"laptop".into(), &"anna".into()), "{there}");
    assert_eq!(there["shared"]["answered"], true, "{there}");
    let address = hit["address"].as_str().expect("an address");
    let recalled = desktop.run(BIN, &["recall", address]).success();
    assert!(recalled.stdout.contains("Weigh the marzipan before the storm."), "{recalled}");
    assert!(one_line(&recalled.stderr).contains("recorded on laptop by anna"), "{recalled}");
    // Both in one list; a question with some of the words is ranked there, too.
    assert_eq!(found(&desktop, "weigh")["hits"].as_array().map_or(0, Vec::len), 2);
    let some = found(&desktop, "which storms hit the marzipan factory");
    assert_eq!(
        (&some["hits"][0]["machine"], &some["hits"][0]["tier"]),
        (&"laptop".into(), &"partial".into()),
        "{some}"
    );
    // Not Bert's to see, and not for an agent where the project is left out.
    let berts = elsewhere(&server, "bert", "tower");
    work(&berts, "33333333-3333-4333-8333-333333333333", "Weigh the celery.");
    assert_eq!(found(&berts, "marzipan")["hits"].as_array().map_or(0, Vec::len), 0);
    let pattern = format!("privacy.leave_out = [\"{}\"]\n", laptop.project().display());
    files::write(desktop.data().join("config.toml"), pattern);
    let mut agents = desktop.command(BIN);
    agents.args(["search", "marzipan", "--json"]).env("CLAUDECODE", "1");
    assert_eq!(desktop.run_command(agents, "").json()["hits"].as_array().map_or(0, Vec::len), 0);
    assert_eq!(hits(&desktop, "marzipan"), 1, "the person still finds it");
    // A question with a secret in it is not sent.
    let kept = found(&desktop, "ghp_Zq7xW2mK9pL4vB8nR3tY6uC1dF5gH0jS2aE4");
    assert_eq!(kept["shared"]["answered"], false, "{kept}");
    // Nor one with a text that was forgotten here, of however many words.
    assert_eq!(found(&desktop, "storm marzipan")["shared"]["answered"], true);
    let _ = desktop.run(BIN, &["forget", "--pattern", "storm marzipan", "--yes"]).success();
    let kept = found(&desktop, "storm marzipan");
    assert_eq!(kept["shared"]["answered"], false, "{kept}");
    // Gone: the local answer comes, with what is missing.
    server.kill();
    let alone = found(&desktop, "weigh");
    assert_eq!(alone["hits"].as_array().map_or(0, Vec::len), 1, "{alone}");
    assert_eq!(alone["shared"]["answered"], false, "{alone}");
    let told = desktop.run(BIN, &["search", "weigh"]).success();
    assert!(one_line(&told.stderr).contains("were not searched"), "{told}");
    let lost = desktop.run(BIN, &["recall", address]);
    assert!(
        !lost.status.success() && one_line(&lost.stderr).contains("shared archive was not asked"),
        "{lost}"
    );
}

/// A server that accepts and says nothing.
#[test]
fn search_does_not_wait_for_a_server_that_does_not_answer() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut env = TestEnv::new();
    work(&env, ONE, "Weigh the marzipan.");
    let port = silent.local_addr().unwrap().port();
    env.set_var("CATCHWORD_ARCHIVE", format!("postgresql://anna@127.0.0.1:{port}/db"));
    let answer = found(&env, "marzipan");
    assert_eq!(answer["hits"].as_array().map_or(0, Vec::len), 1, "{answer}");
    assert_eq!(answer["shared"]["why"], "no answer within 300 ms (archive.wait_ms)", "{answer}");
    // A sync waits longer, but not without end; and it lets go of its lock.
    for arguments in [&["sync"][..], &["sync", "--in-background"]] {
        let begun = std::time::Instant::now();
        let output = env.run(BIN, arguments);
        assert!(!output.status.success() && begun.elapsed() < Duration::from_secs(50), "{output}");
        let told = one_line(&env.run(BIN, &["status", "--all"]).success().stderr);
        assert!(told.contains("no answer within 10000 ms"), "{arguments:?}: {told}");
    }
}

#[test]
fn status_and_doctor_say_how_far_behind_it_is_and_why() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let mut laptop = machine(&server, "anna");
    work(&laptop, ONE, "Weigh the marzipan.");
    let said = |env: &TestEnv| one_line(&env.run(BIN, &["status", "--all"]).success().stderr);
    assert!(said(&laptop).contains("1 transcript not sent yet, never synchronised"), "{}", said(&laptop));
    sync(&laptop, &[]);
    assert!(said(&laptop).contains("everything was sent, last synchronised"), "{}", said(&laptop));
    // However old what is recorded now.
    work(&laptop, TWO, "Weigh the celery.");
    assert!(said(&laptop).contains("1 transcript not sent yet"), "{}", said(&laptop));
    sync(&laptop, &[]);
    assert!(said(&laptop).contains("everything was sent"), "{}", said(&laptop));
    laptop.set_var("CATCHWORD_ARCHIVE", "postgresql://anna:s3cret@127.0.0.1:1/db");
    let failed = laptop.run(BIN, &["sync"]);
    assert!(!failed.status.success(), "{failed}");
    assert!(
        said(&laptop).contains("The latest try failed") && said(&laptop).contains("cannot reach"),
        "{}",
        said(&laptop)
    );
    let doctor = laptop.run(BIN, &["doctor", "--json"]).json();
    let check = doctor["checks"].as_array().unwrap().iter().find(|check| check["id"] == "archive").unwrap();
    assert_eq!(check["state"], "warning", "{check}");
    assert!(
        check["says"].as_str().unwrap().contains("cannot reach") && !doctor.to_string().contains("s3cret")
    );
    let without = TestEnv::new();
    work(&without, ONE, "Weigh the marzipan.");
    assert!(!said(&without).contains("Shared archive"), "without one nothing is said");
}

#[test]
fn end_of_a_session_starts_a_sync_where_the_settings_say_so() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let items = |env: &TestEnv| status(env)["items"].as_u64().unwrap();
    for (auto, sent) in [(false, false), (true, true)] {
        let env = machine(&server, "anna");
        files::write(env.data().join("config.toml"), format!("sync.auto = {auto}\n"));
        let before = items(&env);
        let session = if auto { TWO } else { ONE };
        let hooks = HookPlayer::new(&env, BIN, session);
        Transcript::new()
            .session(session)
            .cwd(env.project())
            .prompt("Weigh it.")
            .says("Done.")
            .append_to(hooks.transcript_path());
        assert!(hooks.session_end("other").is_silent_success());
        let begun = std::time::Instant::now();
        let limit = Duration::from_secs(if sent { 60 } else { 2 });
        while items(&env) == before && begun.elapsed() < limit {
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(items(&env) > before, sent, "sync.auto = {auto}");
        // It ends by itself, and says how it went.
        while sent
            && !files::read(env.data().join("synced")).contains("done_at\":1")
            && begun.elapsed() < limit
        {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(env.data().join("synced").exists(), sent);
    }
}

#[test]
fn copied_data_folder_is_another_machine() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let (laptop, copy) = (machine(&server, "anna"), machine(&server, "anna"));
    work(&laptop, ONE, "Weigh the marzipan.");
    sync(&laptop, &[]);
    std::fs::create_dir_all(copy.data()).unwrap();
    for entry in std::fs::read_dir(laptop.data()).unwrap().flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), copy.data().join(entry.file_name())).unwrap();
        }
    }
    let id = |env: &TestEnv| files::read(env.data().join("machine"));
    work(&copy, TWO, "Weigh the kohlrabi.");
    sync(&copy, &[]);
    assert_ne!(id(&laptop), id(&copy));
    sync(&laptop, &[]);
    let all = status(&laptop);
    // Both recorded the first session: each item is there once.
    assert_eq!((&all["items"], &all["machines"]), (&4.into(), &2.into()), "{all}");
    let figures = &all["figures"][0];
    assert_eq!((&figures["prompts"], &figures["machines"]), (&2.into(), &2.into()), "{figures}");
    assert_eq!((hits(&laptop, "marzipan"), hits(&laptop, "kohlrabi")), (1, 1));
}

#[test]
fn password_comes_from_a_private_file_or_a_command_and_is_in_no_message() {
    let mut server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    superuser(&server).run("ALTER ROLE anna PASSWORD 's3cret-one'").unwrap();
    server.require_passwords();
    let env = machine(&server, "anna");
    work(&env, ONE, "Weigh the marzipan.");
    let file = env.root().join("password");
    let with = |setting: &str| {
        files::write(env.data().join("config.toml"), setting);
        env.run(BIN, &["sync"])
    };
    let refused = with("");
    let told = one_line(&refused.stderr);
    assert!(!refused.status.success() && told.contains("give it by CATCHWORD_ARCHIVE_PASSWORD"), "{refused}");
    files::write(&file, "s3cret-one\n");
    let by_file = format!("archive.password_file = \"{}\"\n", file.display());
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let open = with(&by_file);
    assert!(!open.status.success() && one_line(&open.stderr).contains("chmod 600"), "{open}");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let sent = with(&by_file).success();
    assert!(sent.stdout.contains("Sent 2 items"), "{sent}");
    let by_command = format!("archive.password_command = \"cat {}\"\n", file.display());
    let again = with(&by_command).success();
    assert!(again.stdout.contains("Nothing new"), "{again}");
    files::write(&file, "s3cret-wrong");
    let wrong = with(&by_command);
    assert!(
        !wrong.status.success() && one_line(&wrong.stderr).contains("password authentication failed"),
        "{wrong}"
    );
    let in_address = with(&format!("archive.address = \"{}\"\n", server.address("anna:s3cret-one")));
    // Neither does it come there by a command.
    let address = server.address("anna:s3cret-one");
    let refused_by_set = env.run(BIN, &["config", "set", "archive.address", &address]);
    assert!(
        !refused_by_set.status.success() && one_line(&refused_by_set.stderr).contains("has a password in it")
    );
    let kept = env.run(BIN, &["config", "set", "archive.address", &server.address("anna")]).success();
    assert!(!files::read(env.data().join("config.toml")).contains("s3cret-one@"), "{kept}");
    for output in [refused, open, sent, again, wrong, in_address, refused_by_set] {
        assert!(!output.to_string().contains("s3cret"), "{output}");
    }
}

#[test]
fn a_secret_in_twenty_places_of_a_session_never_reaches_the_server() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let env = machine(&server, "anna");
    let secret = |n: usize| format!("ghp_Zq7xW2mK9pL4vB8nR3tY6uC1dF5gH0jS2a{n:02}");
    let s = |n: usize| secret(n);
    Transcript::new()
        .session(ONE)
        .cwd(env.project())
        .prompt(&format!("Weigh the marzipan with {}.", s(0)))
        .says(&format!("The token is {}.", s(1)))
        .task_create(&format!("rotate {}", s(2)))
        .bash(&format!("curl -H 'Authorization: Bearer {}' https://x", s(3)))
        .ok(&format!("token={}", s(4)))
        .bash(&format!("export GITHUB_TOKEN={}", s(5)))
        .fails(&format!("Exit code 1\nrefused: {}", s(6)))
        .edit("/home/user/project/.env", &format!("TOKEN={}", s(7)), &format!("TOKEN={}", s(8)))
        .write(&format!("/home/user/project/{}.txt", s(9)))
        .call("mcp__api__send", serde_json::json!({"api_key": s(10), "body": s(11)}))
        .ok(&format!("{{\"secret\": \"{}\"}}", s(12)))
        .call("WebFetch", serde_json::json!({"url": format!("https://x.example/?token={}", s(13))}))
        .ok(&s(14))
        .compaction("auto", &format!("1. Primary Request:\n   Use {}.", s(15)))
        .prompt(&format!("And again: {} {}", s(16), s(17)))
        .says(&format!("`{}` and \"{}\"", s(18), s(19)))
        .write_to(env.transcript_path(ONE));
    let _ = env.run(BIN, &["index"]).success();
    let would = sync(&env, &["--dry-run"]);
    let at_least = |name: &str, least: u64| would[name].as_u64().is_some_and(|count| count >= least);
    assert!(at_least("masked", 15) && at_least("bytes", 400), "{would}");
    assert_eq!(would["folders"], serde_json::json!(["$PROJECT"]), "{would}");
    assert_eq!(sync(&env, &[])["pushed"]["items"], would["items"], "no more and no less than it said");
    assert!(is_on_server(&server, "marzipan"));
    for n in 0..20 {
        assert!(!is_on_server(&server, &secret(n).to_lowercase()), "the secret at {n}");
    }
}

#[test]
fn administrator_keeps_the_archive_small_and_machines_keep_theirs() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let laptop = machine(&server, "anna");
    work(&laptop, ONE, "Weigh the marzipan.");
    sync(&laptop, &[]);
    // The administrator works, too.
    let admin = machine(&server, "postgres");
    work(&admin, TWO, "Weigh the kohlrabi.");
    sync(&admin, &[]);
    let settings = "archive.keep_days = 36500\n";
    files::write(admin.data().join("config.toml"), settings);
    // Whatever the time is on this machine: the server's counts.
    admin.wait(Duration::from_secs(200 * 365 * 86_400));
    let kept = admin.run(BIN, &["archive", "migrate", "--yes"]).success();
    assert!(kept.stdout.contains("Deleted 0 items"), "{kept}");
    // The sessions of tests are from the first of January 2026.
    files::write(admin.data().join("config.toml"), "archive.keep_days = 1\n");
    let gone = admin.run(BIN, &["archive", "migrate", "--vacuum", "--yes"]).success();
    assert!(gone.stdout.contains("Deleted 4 items") && gone.stdout.contains("rewritten"), "{gone}");
    assert!(!is_on_server(&server, "marzipan") && !is_on_server(&server, "kohlrabi"));
    // Neither comes it back, nor is it lost on a machine.
    for (env, word) in [(&laptop, "marzipan"), (&admin, "kohlrabi")] {
        let again = sync(env, &[]);
        let counts = [&again["pushed"]["items"], &again["refused"], &again["forgotten"]["here"]];
        assert_eq!(counts, [&Value::from(0), &Value::from(1), &Value::from(0)], "{again}");
        assert_eq!(hits(env, word), 1);
    }
    let refused = laptop.run(BIN, &["archive", "migrate", "--keep-days", "1", "--yes"]);
    assert!(
        !refused.status.success() && one_line(&refused.stderr).contains("only an administrator"),
        "{refused}"
    );
    // An administrator who does not own the tables cannot rewrite them, and is told so.
    superuser(&server).run("GRANT catchword_admin TO anna").unwrap();
    let refused = laptop.run(BIN, &["archive", "migrate", "--vacuum", "--yes"]);
    assert!(
        !refused.status.success() && one_line(&refused.stderr).contains("belong to catchword_owner"),
        "{refused}"
    );
}

#[test]
fn administrator_forgets_a_session_of_anybody() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna", "bert"]);
    let (annas, berts) = (machine(&server, "anna"), machine(&server, "bert"));
    work(&annas, ONE, "Weigh the marzipan.");
    work(&berts, TWO, "Weigh the celery.");
    let mut command = annas.command(BIN);
    command.args(["sync", "--share", "team"]).current_dir(annas.project());
    let _ = annas.run_command(command, "").success();
    sync(&berts, &[]);
    assert_eq!((hits(&annas, "marzipan"), hits(&berts, "marzipan")), (1, 1));
    let forget = ["archive", "forget", &ONE[..8], "--yes"];
    let refused = berts.run(BIN, &forget);
    assert!(
        !refused.status.success() && one_line(&refused.stderr).contains("only an administrator"),
        "{refused}"
    );
    let mut admin = TestEnv::new();
    admin.set_var("CATCHWORD_ARCHIVE", server.address("postgres"));
    let unknown = admin.run(BIN, &["archive", "forget", "9999", "--yes"]);
    assert!(!unknown.status.success() && unknown.stderr.contains("begins with 9999"), "{unknown}");
    let gone = admin.run(BIN, &forget).success();
    assert!(one_line(&gone.stdout).contains("Deleted 2 items of session 1111"), "{gone}");
    for env in [&annas, &berts] {
        assert_eq!(sync(env, &[])["forgotten"]["here"], 1);
        assert_eq!(hits(env, "marzipan"), 0);
        assert!(!is_in_folder(env.data(), "marzipan"));
    }
    superuser(&server).run("VACUUM FULL").unwrap();
    assert!(!is_on_server(&server, "marzipan") && is_on_server(&server, "celery"));
}

/// A text is in a title, in the name of a folder and in words, on a machine that never syncs again, and with somebody else.
#[test]
fn forgotten_text_is_gone_from_what_other_machines_pushed_and_from_those_who_fetched_it() {
    let server = postgres_or_skip!(18);
    let me = std::process::Command::new("id").arg("-un").output().unwrap().stdout;
    let me = String::from_utf8(me).unwrap().trim().to_owned();
    set_up(&server, &[&me, "bert"]);
    // An address may name nobody: then it is the system's user.
    let desktop = machine(&server, &me);
    let mut laptop = machine(&server, &me);
    laptop.set_var("CATCHWORD_ARCHIVE", server.address(&me).replace(&format!("{me}@"), ""));
    let berts = machine(&server, "bert");
    let folder = desktop.project().join("kohlrabi-shop");
    std::fs::create_dir_all(&folder).unwrap();
    let path = desktop.transcript_path(ONE);
    Transcript::new()
        .session(ONE)
        .cwd(&folder)
        .prompt("Weigh the kohlrabi and the marzipan.")
        .bash("make check")
        .ok("fine")
        .write_to(&path);
    let _ = desktop.run(BIN, &["index"]).success();
    let mut command = desktop.command(BIN);
    command.args(["sync", "--share", "team"]).current_dir(desktop.project());
    let _ = desktop.run_command(command, "").success();
    work(&laptop, TWO, "Weigh the leek.");
    work(&berts, "33333333-3333-4333-8333-333333333333", "Weigh the celery.");
    for env in [&laptop, &berts] {
        assert_eq!(sync(env, &[])["pulled"]["items"], 2);
        assert!(is_in_folder(env.data(), "kohlrabi") && hits(env, "kohlrabi") == 1);
    }
    let gone = laptop.run(BIN, &["forget", "--pattern", "kohlrabi", "--yes"]).success();
    assert!(gone.stdout.contains("In the shared archive 1 item was"), "{gone}");
    superuser(&server).run("VACUUM FULL").unwrap();
    assert!(!is_on_server(&server, "kohlrabi") && is_on_server(&server, "marzipan"));
    sync(&berts, &[]);
    assert_eq!((hits(&berts, "kohlrabi"), hits(&berts, "marzipan")), (0, 1));
    // The machine it is from was away: it masks and sends its own again.
    sync(&desktop, &[]);
    for env in [&laptop, &berts, &desktop, &laptop] {
        sync(env, &[]);
        assert_eq!((hits(env, "kohlrabi"), hits(env, "marzipan")), (0, 1));
    }
    superuser(&server).run("VACUUM FULL").unwrap();
    assert!(!is_on_server(&server, "kohlrabi") && is_on_server(&server, "marzipan"));
    assert_eq!(status(&desktop)["items"], 4, "each once, without Bert's");
}

/// Before any sync, though this machine pushed it; what it recorded since stays here.
#[test]
fn forgotten_text_is_gone_at_once_from_what_this_machine_pushed() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let laptop = machine(&server, "anna");
    work(&laptop, ONE, "Weigh the kohlrabi and the marzipan.");
    work(&laptop, TWO, "Weigh the leek.");
    sync(&laptop, &[]);
    assert!(is_on_server(&server, "kohlrabi"));
    work(&laptop, "33333333-3333-4333-8333-333333333333", "Weigh the kohlrabi and the celery.");
    let gone = laptop.run(BIN, &["forget", "--pattern", "kohlrabi", "--yes"]).success();
    assert!(gone.stdout.contains("In the shared archive 1 item was"), "{gone}");
    superuser(&server).run("VACUUM FULL").unwrap();
    assert!(!is_on_server(&server, "kohlrabi") && !is_on_server(&server, "celery"));
    assert!(is_on_server(&server, "marzipan"));
    // What is there is what the machine would send: each item once.
    sync(&laptop, &[]);
    assert_eq!(sync(&laptop, &[])["pushed"]["items"], 0);
    assert_eq!((&status(&laptop)["items"], hits(&laptop, "marzipan")), (&6.into(), 1));
    assert!(!is_on_server(&server, "kohlrabi") && is_on_server(&server, "celery"));
}

#[test]
fn name_of_a_folder_is_masked_on_the_server_when_it_is_forgotten() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let laptop = machine(&server, "anna");
    Transcript::new()
        .session(ONE)
        .cwd(laptop.project().join("kohlrabi-shop"))
        .prompt("Weigh the marzipan.")
        .write_to(laptop.transcript_path(ONE));
    let _ = laptop.run(BIN, &["index"]).success();
    sync(&laptop, &[]);
    assert!(is_on_server(&server, "kohlrabi"));
    let _ = laptop.run(BIN, &["forget", "--pattern", "kohlrabi", "--yes"]).success();
    sync(&laptop, &[]);
    superuser(&server).run("VACUUM FULL").unwrap();
    assert!(!is_on_server(&server, "kohlrabi") && is_on_server(&server, "marzipan"));
}

/// What somebody forgot on their machine does not come there with another's words.
#[test]
fn what_is_fetched_is_masked_by_what_was_forgotten_here() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna", "bert"]);
    let (annas, berts) = (machine(&server, "anna"), machine(&server, "bert"));
    work(&berts, TWO, "Weigh the celery and the kohlrabi.");
    let _ = berts.run(BIN, &["forget", "--pattern", "kohlrabi", "--yes"]).success();
    work(&annas, ONE, "Weigh the marzipan and the kohlrabi.");
    let mut command = annas.command(BIN);
    command.args(["sync", "--share", "team"]).current_dir(annas.project());
    let _ = annas.run_command(command, "").success();
    assert_eq!(sync(&berts, &[])["pulled"]["items"], 2);
    assert_eq!((hits(&berts, "marzipan"), hits(&berts, "kohlrabi")), (1, 0));
    assert!(!is_in_folder(berts.data(), "kohlrabi"));
    assert_eq!(hits(&annas, "kohlrabi"), 1, "Anna's is hers");
}

#[test]
fn project_that_is_left_out_here_is_not_fetched() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let (laptop, desktop) = (machine(&server, "anna"), machine(&server, "anna"));
    work(&laptop, ONE, "Weigh the marzipan.");
    work(&desktop, TWO, "Weigh the celery.");
    sync(&laptop, &[]);
    assert_eq!(sync(&desktop, &[])["pulled"]["items"], 2);
    assert_eq!(hits(&desktop, "marzipan"), 1);
    let pattern = format!("privacy.leave_out = [\"{}\"]\n", desktop.project().display());
    files::write(desktop.data().join("config.toml"), pattern);
    sync(&desktop, &[]);
    assert_eq!(hits(&desktop, "marzipan"), 0, "it lies in another folder there");
}

/// Beside a repository and inside it: only what was named is forgotten. What is not here any more is forgotten, too.
#[test]
fn another_folder_is_forgotten_and_not_the_repository_around_the_command() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let (laptop, desktop) = (machine(&server, "anna"), machine(&server, "anna"));
    work(&laptop, ONE, "Weigh the marzipan.");
    let beside = laptop.project().with_file_name("beside");
    std::fs::create_dir_all(&beside).unwrap();
    let kohlrabi = Transcript::new().session(TWO).cwd(&beside).prompt("Weigh the kohlrabi.");
    kohlrabi.write_to(laptop.transcript_path(TWO));
    let _ = laptop.run(BIN, &["index"]).success();
    work(&desktop, "44444444-4444-4444-8444-444444444444", "Weigh the celery.");
    let items = |env: &TestEnv| {
        sync(env, &[]);
        status(env)["items"].clone()
    };
    assert_eq!((items(&laptop), items(&desktop)), (3.into(), 5.into()));
    let forget = |env: &TestEnv, folder: &str| {
        let mut command = env.command(BIN);
        command.args(["forget", "--yes", "--project", folder]).current_dir(env.project());
        one_line(&env.run_command(command, "").success().stdout)
    };
    let gone = forget(&laptop, "../beside");
    assert!(gone.contains("1 session:") && gone.contains("In the shared archive 1 item was"), "{gone}");
    // A folder inside it is not the project.
    std::fs::create_dir_all(laptop.project().join("inside")).unwrap();
    assert_eq!(forget(&laptop, "inside"), "No such session is recorded.");
    assert_eq!((items(&laptop), items(&desktop)), (4.into(), 4.into()));
    assert_eq!((hits(&desktop, "marzipan"), hits(&laptop, "celery")), (1, 1));
    // A machine that was lost: its sessions are only there, in a folder that this one has not worked in.
    let third = machine(&server, "anna");
    work(&third, "33333333-3333-4333-8333-333333333333", "Weigh the leek.");
    let _ = third.run(BIN, &["forget", "--session", "3333", "--yes"]).success();
    let alone = forget(&third, ".");
    let is_said = alone.contains("No such session") && alone.contains("In the shared archive 4 items were");
    assert!(is_said, "{alone}");
    assert_eq!(status(&third)["items"], 0);
}

/// What is sent is said once, when something is about to be; and what came of it, in words.
#[test]
fn sync_says_who_may_read_it_once_and_what_it_did() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let mut laptop = TestEnv::new();
    let said = |env: &TestEnv, arguments: &[&str]| {
        let output = env.run(BIN, &[&["sync"], arguments].concat());
        one_line(&format!("{} {}", output.stdout, output.stderr))
    };
    let none = said(&laptop, &[]);
    assert!(none.contains("no shared archive is set") && !none.contains("administers"), "{none}");
    laptop.set_var("CATCHWORD_ARCHIVE", server.address("anna"));
    assert!(said(&laptop, &["--dry-run"]).contains("There is nothing new to send."));
    work(&laptop, ONE, "Weigh the marzipan.");
    let first = said(&laptop, &[]);
    assert!(
        first.contains("administers the server") && first.contains("Sent 2 items of 1 transcript."),
        "{first}"
    );
    let again = said(&laptop, &[]);
    assert!(again.contains("Nothing new here or there.") && !again.contains("administers"), "{again}");
    assert!(said(&laptop, &["--share", "none"]).contains("what was sent of its words is deleted there"));
    let listed = |env: &TestEnv| env.run(BIN, &["status", "--all"]).success().stdout;
    assert!(listed(&laptop).contains("Weigh the marzipan") && !listed(&laptop).contains("(on "));
}

/// Only figures are shared, so the server does not know the project: its sessions are forgotten by the machine.
#[test]
fn figures_of_a_forgotten_project_are_forgotten() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let (laptop, desktop) = (machine(&server, "anna"), machine(&server, "anna"));
    work(&laptop, ONE, "Weigh the marzipan.");
    work(&desktop, TWO, "Weigh the celery.");
    for env in [&laptop, &desktop] {
        let mut command = env.command(BIN);
        command.args(["sync", "--share", "none"]).current_dir(env.project());
        let _ = env.run_command(command, "").success();
    }
    assert_eq!(status(&laptop)["sessions"], 2);
    let project = laptop.project().display().to_string();
    let _ = laptop.run(BIN, &["forget", "--project", &project, "--yes"]).success();
    sync(&desktop, &[]);
    assert_eq!(status(&laptop)["sessions"], 0);
    assert_eq!(hits(&desktop, "celery"), 0);
}

#[test]
fn older_archive_is_named_until_an_administrator_migrates_it() {
    let server = postgres_or_skip!(18);
    let first = format!(
        "{} INSERT INTO catchword.schema_version VALUES ('team', 1); INSERT INTO catchword.person VALUES ('team', 'postgres');
         GRANT catchword_admin TO postgres;",
        catchword_postgres::SCHEMAS[0]
    );
    superuser(&server).run(&first).unwrap();
    superuser(&server).run("CREATE ROLE anna LOGIN; GRANT catchword_writer TO anna; INSERT INTO catchword.person VALUES ('team', 'anna')").unwrap();
    let laptop = machine(&server, "anna");
    work(&laptop, ONE, "Weigh the marzipan.");
    let refused = laptop.run(BIN, &["sync"]);
    assert!(!refused.status.success() && one_line(&refused.stderr).contains("archive migrate"), "{refused}");
    let mut admin = TestEnv::new();
    admin.set_var("CATCHWORD_ARCHIVE", server.address("postgres"));
    let migrated = admin.run(BIN, &["archive", "migrate", "--yes"]).success();
    assert!(migrated.stdout.contains("has schema 4"), "{migrated}");
    assert_eq!(sync(&laptop, &[])["pushed"]["items"], 2, "nothing was lost meanwhile");
    superuser(&server).run("UPDATE catchword.schema_version SET version = 99 WHERE team = 'team'").unwrap();
    let newer = laptop.run(BIN, &["sync"]);
    assert!(!newer.status.success() && one_line(&newer.stderr).contains("upgrade catchword"), "{newer}");
}

/// A session with this many requests.
fn long_work(env: &TestEnv, session: &str, words: &str, requests: usize) {
    let start = Transcript::new().session(session).cwd(env.project());
    let all = (0..requests).fold(start, |all, n| all.prompt(&format!("{words} {n}")));
    all.write_to(env.transcript_path(session));
    let _ = env.run(BIN, &["index"]).success();
}

/// Three machines of one person push at once and are killed again and again, and so are the server and its connections:
/// every item is there once, cursors are right, nothing is lost.
fn survives(server: &mut Postgres, kills: u64) {
    const THREE: &str = "33333333-3333-4333-8333-333333333333";
    const REQUESTS: usize = 600;
    set_up(server, &["anna"]);
    let machines = [(); 3].map(|()| machine(server, "anna"));
    // One clock is ten years ahead.
    machines[2].wait(Duration::from_secs(10 * 365 * 86_400));
    // The first two have the same session, the third one of the same id that went another way.
    long_work(&machines[0], ONE, "Weigh the marzipan", REQUESTS);
    long_work(&machines[1], ONE, "Weigh the marzipan", REQUESTS);
    long_work(&machines[2], ONE, "Weigh the kohlrabi", REQUESTS);
    long_work(&machines[1], TWO, "Weigh the celery", REQUESTS);
    long_work(&machines[2], THREE, "Weigh the leek", REQUESTS);
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % below
    };
    let mut killed = 0;
    while killed < kills {
        let mut running: Vec<_> = machines
            .iter()
            .map(|env| {
                let mut command = env.command(BIN);
                command.args(["sync"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                command.spawn().expect("the program starts")
            })
            .collect();
        for process in &mut running {
            std::thread::sleep(Duration::from_millis(next(60)));
            process.kill().expect("it is killed");
            process.wait().expect("it ends");
            killed += 1;
        }
        match next(12) {
            0 => server.restart(),
            1..4 => {
                let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'anna'";
                superuser(server).run(cut).unwrap();
            }
            _ => {}
        }
    }
    for _ in 0..2 {
        for env in &machines {
            sync(env, &[]);
        }
    }
    for env in &machines {
        let again = sync(env, &[]);
        let counts = [&again["pushed"]["items"], &again["pulled"]["items"], &again["refused"]];
        assert_eq!(counts, [&Value::from(0); 3], "{again}");
        let all = status(env);
        assert_eq!(all["items"], REQUESTS * 4, "{all}");
        assert_eq!((&all["sessions"], &all["machines"]), (&3.into(), &3.into()), "{all}");
        for word in ["marzipan", "kohlrabi", "celery", "leek"] {
            for n in [0, REQUESTS / 2, REQUESTS - 1] {
                let exact = format!("\"{word} {n}\"");
                assert_eq!(hits(env, &exact), 1, "{exact}");
            }
        }
    }
}

#[test]
fn three_machines_that_are_killed_while_they_push_lose_and_double_nothing() {
    survives(&mut postgres_or_skip!(18), 12);
}

/// Named in docs/measured.md with its date.
#[test]
#[ignore = "takes minutes: cargo test -p catchword --test it -- --ignored archive::suite"]
fn suite_of_two_hundred_kills() {
    for version in [15, 18] {
        survives(&mut postgres_or_skip!(version), 200);
    }
}

/// The server lets everybody in and then waits: a sync in the background ends by itself, and the next one goes on.
#[test]
#[ignore = "waits a minute: cargo test -p catchword --test it -- --ignored archive::suite"]
fn suite_of_a_sync_that_is_never_answered() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let laptop = machine(&server, "anna");
    work(&laptop, ONE, "Weigh the marzipan.");
    let mut holder = postgres::Client::connect(&server.address("postgres"), postgres::NoTls).unwrap();
    let mut held = holder.transaction().unwrap();
    held.batch_execute("LOCK TABLE catchword.item").unwrap();
    let begun = std::time::Instant::now();
    let stopped = laptop.run(BIN, &["sync", "--in-background"]);
    let took = begun.elapsed().as_secs();
    assert!(!stopped.status.success() && (50..70).contains(&took), "{took} s: {stopped}");
    let told = one_line(&laptop.run(BIN, &["status", "--all"]).success().stderr);
    assert!(told.contains("it was not finished after 60 s"), "{told}");
    held.rollback().unwrap();
    sync(&laptop, &[]);
    assert_eq!(status(&laptop)["items"], 2);
}

#[test]
fn what_was_forgotten_stays_forgotten_on_a_machine_that_was_away_and_has_old_backups() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let (laptop, away) = (machine(&server, "anna"), machine(&server, "anna"));
    work(&laptop, ONE, "Weigh the marzipan.");
    sync(&laptop, &[]);
    // The other machine has it, too: fetched, and as a session of its own with the project's words.
    sync(&away, &[]);
    work(&away, TWO, "Weigh the kohlrabi and the marzipan.");
    sync(&away, &[]);
    for word in ["marzipan", "kohlrabi"] {
        assert!(hits(&away, word) > 0 && is_on_server(&server, word), "{word} is everywhere before");
    }
    // Old copies of its databases and transcripts, from before anything was forgotten.
    let old = away.root().join("old");
    copy_folder(away.data(), &old);
    let project = laptop.project().display().to_string();
    for arguments in [&["--pattern", "kohlrabi"][..], &["--project", &project]] {
        let _ = laptop.run(BIN, &[&["forget", "--yes"], arguments].concat()).success();
    }
    // It comes back with what it had then, and pushes.
    std::fs::remove_dir_all(away.data()).unwrap();
    copy_folder(&old, away.data());
    let _ = away.run(BIN, &["index", "--again"]);
    sync(&away, &[]);
    sync(&away, &[]);
    sync(&laptop, &[]);
    superuser(&server).run("VACUUM FULL").unwrap();
    for word in ["marzipan", "kohlrabi"] {
        assert!(!is_on_server(&server, word), "{word} is on the server");
        for env in [&laptop, &away] {
            assert_eq!(hits(env, word), 0, "{word}");
            assert!(!is_in_folder(env.data(), word), "{word} in {}", env.data().display());
        }
    }
}

/// A new version of the rules masks what an older one left, and sends it again.
#[test]
fn what_older_rules_left_is_masked_and_sent_again() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let laptop = machine(&server, "anna");
    work(&laptop, ONE, "Weigh the kohlrabi and the marzipan.");
    sync(&laptop, &[]);
    // In the place of a new rule: a text that is masked from now on, in a history that did not hear of it.
    let rule = catchword_engine::redact::forgotten::Forgotten::of("kohlrabi", 7).unwrap().to_line();
    files::write(laptop.data().join("left-out"), format!("text {rule}\n"));
    assert_eq!(sync(&laptop, &[])["pushed"]["items"], 0, "by the same version of the rules");
    let history = rusqlite::Connection::open(laptop.data().join("history.db")).unwrap();
    history.execute("UPDATE source SET rules = 0", []).unwrap();
    assert_eq!(sync(&laptop, &[])["pushed"]["items"], 1);
    superuser(&server).run("VACUUM FULL").unwrap();
    assert!(!is_on_server(&server, "kohlrabi") && is_on_server(&server, "marzipan"));
}

/// A rebuilt history counts anew, and may reach the very position that the archive knows.
#[test]
fn rebuilt_history_is_sent_whole_wherever_its_count_is() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let laptop = machine(&server, "anna");
    let of = |env: &TestEnv, requests: usize| long_work(env, ONE, "Weigh the marzipan", requests);
    of(&laptop, 3);
    sync(&laptop, &[]);
    for entry in std::fs::read_dir(laptop.data()).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("history.db") {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    of(&laptop, 5);
    sync(&laptop, &[]);
    assert_eq!(status(&laptop)["items"], 5);
    // Its other machine gets them, too.
    let desktop = machine(&server, "anna");
    work(&desktop, TWO, "Weigh the celery.");
    assert_eq!(sync(&desktop, &[])["pulled"]["items"], 5);
}

/// The same session, of two clones with addresses of their own: it is here, so the archive's is not shown.
#[test]
fn hit_that_is_here_and_in_the_archive_is_shown_once() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let (laptop, desktop) = (elsewhere(&server, "anna", "laptop"), elsewhere(&server, "anna", "desktop"));
    work(&laptop, ONE, "Weigh the marzipan.");
    sync(&laptop, &[]);
    let of = |env: &TestEnv| found(env, "marzipan")["hits"].as_array().cloned().unwrap_or_default();
    work(&desktop, TWO, "Weigh the celery.");
    assert_eq!((of(&desktop).len(), &of(&desktop)[0]["machine"]), (1, &"laptop".into()));
    work(&desktop, ONE, "Weigh the marzipan.");
    assert_eq!((of(&desktop).len(), &of(&desktop)[0]["machine"]), (1, &Value::Null));
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// TLS is required off this machine and the certificate checked: with the authority of the test's own certificate it is
/// accepted, without it refused.
#[test]
fn encrypted_connection_needs_a_certificate_that_is_known() {
    let mut server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let authority = server.encrypt();
    let mut env = machine(&server, "anna");
    work(&env, ONE, "Weigh the marzipan.");
    env.set_var(
        "CATCHWORD_ARCHIVE",
        format!("{}?sslmode=require", server.address("anna").replace("127.0.0.1", "localhost")),
    );
    let refused = env.run(BIN, &["sync"]);
    assert!(!refused.status.success() && refused.stderr.contains("certificate"), "{refused}");
    files::write(
        env.data().join("config.toml"),
        format!("archive.authority = \"{}\"\n", authority.display()),
    );
    let sent = env.run(BIN, &["sync"]).success();
    assert!(sent.stdout.contains("Sent 2 items"), "{sent}");
    assert_eq!(status(&env)["encrypted"], true);
}

/// Figures are the team's, whatever becomes of the words: also what was lost at compactions and given back.
#[test]
fn figures_of_a_compaction_are_visible_to_the_team_without_a_word() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna", "bert"]);
    let env = machine(&server, "anna");
    let hooks = HookPlayer::new(&env, BIN, ONE);
    let mut transcript = Transcript::new()
        .session(ONE)
        .cwd(env.project())
        .prompt("Weigh the marzipan. Never round a weight.")
        .task_create("Write the table")
        .bash("cargo test")
        .fails("Exit code 101\nerror: x");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("startup").success();
    let _ = hooks.compaction(&mut transcript, "auto", "7. Pending Tasks:\n   - Write the table: completed");
    let _ = hooks.stop("Going on.").success();
    let mut command = env.command(BIN);
    command.args(["sync", "--json", "--share", "none"]).current_dir(env.project());
    let _ = env.run_command(command, "").success();
    assert!(
        !is_on_server(&server, "marzipan") && !is_on_server(&server, &env.project().display().to_string())
    );
    let mut bert: postgres::Client =
        postgres::Client::connect(&server.address("bert"), postgres::NoTls).unwrap();
    let row = bert.query_one("SELECT compactions, lost, given_back FROM catchword.source", &[]).unwrap();
    let figures: [Option<i64>; 3] = [row.get(0), row.get(1), row.get(2)];
    assert_eq!(figures[0], Some(1));
    assert!(figures[1].is_some() && figures[2] > Some(0), "{figures:?}");
    let berts = machine(&server, "bert");
    let seen = &status(&berts)["figures"][0];
    let counts = ["sessions", "machines", "prompts", "compactions"].map(|name| seen[name].as_u64());
    assert_eq!((&seen["person"], counts), (&"anna".into(), [Some(1); 4]), "{seen}");
    assert_eq!(seen["given_back"].as_i64(), figures[2], "{seen}");
    let shown = berts.run(BIN, &["archive", "status"]).success().stdout;
    assert!(shown.lines().any(|line| line.starts_with("anna ") && line.contains("ago")), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}
