//! The shared archive, with a real PostgreSQL and several machines.

use std::time::Duration;

use catchword_postgres::{ArchiveAddress, PostgresArchive};
use catchword_testkit::postgres::Postgres;
use catchword_testkit::{TestEnv, Transcript, files, postgres_or_skip};
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_catchword");

fn superuser(server: &Postgres) -> PostgresArchive {
    let address = ArchiveAddress::parse(&server.address("postgres")).unwrap();
    PostgresArchive::connect_unchecked(&address, Duration::from_secs(10)).unwrap()
}

/// Sets the archive up as the docs say, and lets these people in.
fn set_up(server: &Postgres, people: &[&str]) {
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
fn machine(server: &Postgres, person: &str) -> TestEnv {
    let mut env = TestEnv::new();
    env.set_var("CATCHWORD_ARCHIVE", server.address(person));
    let config = "[remote \"origin\"]\n\turl = git@host.example:team/app.git\n";
    files::write(env.project().join(".git/config"), config);
    env
}

/// Records a session with these words on a machine.
fn work(env: &TestEnv, session: &str, words: &str) {
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

fn sync(env: &TestEnv, arguments: &[&str]) -> Value {
    let mut all = vec!["sync", "--json"];
    all.extend(arguments);
    env.run(BIN, &all).success().json()
}

fn hits(env: &TestEnv, words: &str) -> usize {
    let found = env.run(BIN, &["search", words, "--json"]);
    found.json()["hits"].as_array().map_or(0, Vec::len)
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
    assert!(gone.stdout.contains("In the shared archive 1 items"), "{gone}");
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
    let mut folders = vec![server.data().join("base")];
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
    let pattern = format!("privacy.leave_out = [\"{}\"]\n", laptop.project().display());
    files::write(laptop.data().join("config.toml"), pattern);
    let sent = sync(&laptop, &[]);
    assert_eq!((&sent["pushed"]["items"], &sent["left_out"]), (&0.into(), &2.into()), "{sent}");
    assert!(!is_on_server(&server, "kohlrabi"));
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
