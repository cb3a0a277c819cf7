//! What somebody who takes over has to know and summaries lose: each line with its evidence.

#[allow(dead_code, reason = "each test file uses its part")]
mod shared;

use catchword_engine::choose::{Section, WorkspaceState};
use catchword_engine::ops;
use catchword_testkit::Transcript;
use serde_json::json;
use shared::{fold, guided, section_of};

/// A summary without any details, long enough to count as one.
const SUMMARY: &str = "1. Primary Request: the gateway is to get a rate limiter.\n2. Work so far: the limiter was begun, \
    its settings were discussed and the first tests were written. 3. Next: go on with the work on the limiter.";

fn section(transcript: &Transcript, section: Section) -> String {
    section_after(transcript, SUMMARY, section)
}

/// The same once the agent went on: the client keeps its latest message, and the files it opened last.
fn section_later(transcript: &Transcript, part: Section) -> String {
    let reads =
        (0..6).fold(transcript.clone(), |session, n| session.read(&format!("{ROOT}/docs/page{n}.md")));
    section(&reads.says("Going on."), part)
}

fn section_after(transcript: &Transcript, summary: &str, section: Section) -> String {
    let brief = ops::brief::brief(&fold(transcript), Some(summary), &WorkspaceState::default(), 6_000).text;
    section_of(&brief, section)
}

fn work() -> Transcript {
    Transcript::new().prompt("Add a rate limiter to the gateway.")
}

const ROOT: &str = "/home/user/project";

#[test]
fn open_task_is_shown_with_its_description_unless_the_summary_has_it() {
    let detail = "Run make deploy, then commit and push the two changed files only.";
    let task = |status: &str| {
        let call = work().call("TaskCreate", json!({"subject": "Deploy and push", "description": detail}));
        let made = call.result(
            "Task #1 created successfully",
            json!({"task": {"id": "1", "subject": "Deploy and push"}}),
        );
        made.task_update(1, status)
    };
    let shown = format!("#1 \"Deploy and push\": \"{detail}\"");
    assert!(section(&task("in_progress"), Section::Work).contains(&shown));
    assert!(!section(&task("completed"), Section::Work).contains(detail));
    let quoted = format!("{SUMMARY} Pending: Deploy and push. {detail}");
    assert_eq!(section_after(&task("in_progress"), &quoted, Section::Work), "");
}

#[test]
fn shells_folder_is_told_where_it_is_not_the_sessions() {
    let session = work().bash("cd build && make").ok("ok");
    assert!(!section(&session, Section::State).contains("The shell is in"));
    let session = session.cwd(format!("{ROOT}/build")).bash("make").ok("ok");
    assert!(section(&session, Section::State).contains("The shell is in build, not in the session's folder"));
}

#[test]
fn file_that_vanished_is_told_by_the_command_that_missed_it() {
    let path = format!("{ROOT}/src/server.py");
    let gone = work()
        .read(&path)
        .bash("grep -n app src/server.py")
        .fails("grep: src/server.py: No such file or directory");
    let told = section_later(&gone, Section::Runs);
    let run = "`grep -n app src/server.py` → \"grep: src/server.py: No such file or directory\" L4";
    assert!(told.contains(run), "{told}");
}

#[test]
fn moved_file_is_told_with_its_former_path() {
    let session =
        work().read(&format!("{ROOT}/src/gpu.c")).bash("git mv src/gpu.c src/cuda/context.c").ok("");
    assert_eq!(section_later(&session, Section::Changed), "src/cuda/context.c (moved from src/gpu.c)");
}

#[test]
fn how_work_was_published_is_told_if_it_is_more_than_a_push() {
    let plain = work().bash("git commit -am x").ok("[main 1a2b3c4] x").bash("git push origin main").ok("");
    assert!(!section_later(&plain, Section::Git).contains("how work was recorded"));
    let release = plain
        .bash("jj describe -m \"feat: limiter\"")
        .ok("")
        .bash("git tag v0.4.5 && git push origin v0.4.5")
        .ok("");
    let told = section_later(&release, Section::Git);
    assert!(
        told.contains(
            "how work was recorded here: `jj describe -m …` L6, `git tag v0.4.5 && git push origin v0.4.5` L8"
        ),
        "{told}"
    );
    let failed = work().bash("git tag v1").fails("Exit code 128\nfatal: tag 'v1' already exists");
    assert!(!section_later(&failed, Section::Git).contains("how work was recorded"));
}

#[test]
fn limits_of_a_plan_are_told() {
    let plan = "Implement the following plan:\n\n# Limiter\n\n## Steps\n\n1. Write the limiter in the gateway\n2. Wire \
                it into the server\n\n- Input: the key, NOT the whole request\n\n## Out of scope\n\n- retries of the client";
    let told = guided(&fold(&Transcript::new().prompt(plan).says("Done.")), "Criteria of what was asked");
    assert!(told.contains("\"Input: the key, NOT the whole request\" L1"), "{told}");
    assert!(told.contains("under \"Out of scope\": \"retries of the client\" L1"), "{told}");
}

#[test]
fn links_of_the_user_and_of_a_deployment_are_told() {
    let session = Transcript::new()
        .prompt("Port it from https://git.example.com/tools/limiter please.")
        .bash("fly deploy")
        .ok("Visit https://limiter.example.dev/logs")
        .bash("npm run build")
        .ok("see https://docs.example.com/why");
    let given = section_later(&session, Section::Asked);
    assert!(given.contains("https://git.example.com/tools/limiter please.\" L1"), "{given}");
    let runs = section_later(&session, Section::Runs);
    assert!(runs.contains("`fly deploy` → \"Visit https://limiter.example.dev/logs\" L2"), "{runs}");
}

#[test]
fn what_a_subagent_could_not_do_is_told_as_its_words() {
    let report = "The notes are written. They could not be committed: the signing agent fails.";
    let told = section_later(&work().subagent("a7c41f9", "Write the notes", report), Section::Running);
    assert!(told.contains("reports: \"They could not be committed: the signing agent fails.\""), "{told}");
}

#[test]
fn what_the_client_adds_behind_an_output_is_no_outcome() {
    let session = work()
        .bash("cd ../api && railway logs")
        .ok("No linked project\nShell cwd was reset to /home/user/project");
    let told = section_later(&session, Section::Runs);
    assert!(told.contains("railway logs` → \"No linked project\" L2"), "{told}");
}

#[test]
fn temporary_edit_is_told_in_the_agents_words() {
    let path = format!("{ROOT}/build.txt");
    let session = work().says("It fails. Let me disable the old modules temporarily:");
    let session = session.edit(&path, "src/io.c", "sources = src/core.c");
    let told = section_later(&session, Section::Said);
    assert!(told.contains("Let me disable the old modules temporarily:\" L2"), "{told}");
    assert!(
        section_later(&session, Section::Written)
            .contains("build.txt: \"src/io.c\" → \"sources = src/core.c\" L3")
    );
}
