//! `lost` over both: a compaction that another machine recorded, as its hooks found it there.

use super::*;

/// A session whose summary calls open work done.
fn compacted_work(env: &TestEnv, session: &str) {
    let hooks = HookPlayer::new(env, BIN, session);
    let mut transcript = Transcript::new()
        .session(session)
        .cwd(env.project())
        .prompt("Weigh the marzipan. Never round a weight.")
        .task_create("Write the kohlrabi table")
        .bash("cargo test")
        .fails("Exit code 101\nerror: x");
    transcript.append_to(hooks.transcript_path());
    let _ = hooks.session_start("startup").success();
    let summary =
        "1. Primary Request:\n   Weigh it.\n7. Pending Tasks:\n   - Write the kohlrabi table: completed";
    let _ = hooks.compaction(&mut transcript, "auto", summary);
    let _ = hooks.stop("Going on.").success();
}

fn lost(env: &TestEnv, arguments: &[&str]) -> Value {
    env.run(BIN, &[&["lost", "--json"], arguments].concat()).success().json()
}

/// What a finding says, without what only the recording machine can tell.
fn said(document: &Value) -> Vec<[Value; 4]> {
    let findings = document["findings"].as_array().expect("findings");
    let fields = ["kind", "text", "place", "summary_quote"];
    findings.iter().map(|one| fields.map(|field| one[field].clone())).collect()
}

#[test]
fn compaction_of_another_machine_is_shown_as_its_hooks_found_it() {
    let mut server = postgres_or_skip!(18);
    set_up(&server, &["anna", "bert"]);
    let laptop = elsewhere(&server, "anna", "laptop");
    compacted_work(&laptop, ONE);
    let own = lost(&laptop, &[ONE, "1"])[0].clone();
    assert!(own["machine"].is_null() && own["contradicted"].as_u64() > Some(0), "{own}");
    sync(&laptop, &[]);
    assert_eq!(sync(&laptop, &[])["pushed"]["items"], 0, "what hooks found is sent once");

    // Another project: the server is asked.
    let desktop = elsewhere(&server, "anna", "desktop");
    work(&desktop, TWO, "Weigh the celery.");
    let shared = lost(&desktop, &[ONE, "1"])[0].clone();
    assert_eq!((&shared["machine"], &shared["person"]), (&"laptop".into(), &"anna".into()), "{shared}");
    assert_eq!(said(&shared), said(&own), "{shared}");
    assert_eq!((&shared["line"], &shared["summary"]), (&own["line"], &own["summary"]));
    assert_eq!(lost(&desktop, &[ONE]).as_array().map(Vec::len), Some(1));
    let told = desktop.run(BIN, &["lost", ONE, "1"]).success();
    assert!(one_line(&told.stderr).contains("From the shared archive, recorded on laptop by anna"), "{told}");
    assert!(told.stdout.contains("Write the kohlrabi table"), "{told}");
    // No search finds it: they are not words of the session.
    assert_eq!(hits(&desktop, "contradicted"), 0);
    let recalled = desktop.run(BIN, &["recall", &format!("{ONE}:L1-L60")]);
    assert!(recalled.stdout.contains("marzipan") && !recalled.stdout.contains("contradicted"), "{recalled}");

    // Not Bert's to see, and not an agent's where the project is left out.
    let berts = elsewhere(&server, "bert", "tower");
    work(&berts, TWO, "Weigh the celery.");
    assert!(!berts.run(BIN, &["lost", ONE, "1"]).status.success());
    let pattern = format!("privacy.leave_out = [\"{}\"]\n", laptop.project().display());
    files::write(desktop.data().join("config.toml"), pattern);
    let as_agent = |agent: bool| {
        let mut command = desktop.command(BIN);
        command.args(["lost", ONE, "1", "--json"]);
        if agent {
            command.env("CLAUDECODE", "1");
        }
        desktop.run_command(command, "").status.success()
    };
    assert_eq!((as_agent(true), as_agent(false)), (false, true));

    // The same project: fetched with the session, and there without the server.
    let config = "[remote \"origin\"]\n\turl = git@host.example:team/laptop.git\n";
    let clone = elsewhere(&server, "anna", "clone");
    files::write(clone.project().join(".git/config"), config);
    work(&clone, TWO, "Weigh the leek.");
    assert!(sync(&clone, &[])["pulled"]["items"].as_u64() > Some(2));
    server.kill();
    let mut here = clone.command(BIN);
    here.args(["lost", "--json"]).current_dir(clone.project());
    let listed = clone.run_command(here, "").success().json();
    assert_eq!((&listed[0]["machine"], said(&listed[0])), (&"laptop".into(), said(&own)), "{listed}");
    let in_lines = clone.run(BIN, &["lost", "--all"]).success();
    assert!(in_lines.stdout.contains("on laptop by anna"), "{in_lines}");
    let sessions = clone.run(BIN, &["status", "--all"]).success().stdout;
    assert!(sessions.contains("(on laptop) Weigh") && !sessions.contains("transcript gone"), "{sessions}");
    let gone = desktop.run(BIN, &["lost", ONE, "1"]);
    assert!(one_line(&gone.stderr).contains("shared archive was not asked"), "{gone}");
}

#[test]
fn forgotten_text_is_gone_from_what_hooks_found_everywhere() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let (laptop, desktop) = (machine(&server, "anna"), machine(&server, "anna"));
    compacted_work(&laptop, ONE);
    work(&desktop, TWO, "Weigh the leek.");
    sync(&laptop, &[]);
    sync(&desktop, &[]);
    let before = lost(&desktop, &[ONE, "1"])[0].clone();
    assert!(before["findings"].to_string().contains("kohlrabi table"), "{before}");
    let _ = desktop.run(BIN, &["forget", "--pattern", "kohlrabi table", "--yes"]).success();
    for env in [&laptop, &desktop, &laptop] {
        sync(env, &[]);
    }
    for env in [&laptop, &desktop] {
        let after = lost(env, &[ONE, "1"])[0].clone();
        assert!(!after.to_string().contains("kohlrabi table"), "{after}");
    }
    superuser(&server).run("VACUUM FULL").unwrap();
    assert!(!is_on_server(&server, "kohlrabi table"));
    assert!(is_on_server(&server, "marzipan"));
}

#[test]
fn machine_can_be_named_and_renamed_later() {
    let server = postgres_or_skip!(18);
    set_up(&server, &["anna"]);
    let mut laptop = machine(&server, "anna");
    let desktop = elsewhere(&server, "anna", "desktop");
    work(&laptop, ONE, "Weigh the marzipan.");
    work(&desktop, TWO, "Weigh the celery.");
    let name = |env: &TestEnv| found(env, "marzipan")["hits"][0]["machine"].clone();
    sync(&laptop, &[]);
    let id = std::fs::read_to_string(laptop.data().join("machine")).unwrap();
    assert_eq!(name(&desktop), id[..8], "without a name, the start of its id");
    for called in ["laptop", "study"] {
        laptop.set_var("CATCHWORD_MACHINE", called);
        sync(&laptop, &[]);
        assert_eq!(name(&desktop), called);
    }
}
