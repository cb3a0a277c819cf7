//! `catchword export`: the views of the page in one file.

use catchword_testkit::{SESSION, TestEnv, browser_or_skip, files};
use serde_json::json;

use super::{BIN, script, worked};

#[test]
fn exported_session_has_every_view_and_asks_nobody() {
    let env = TestEnv::new();
    worked(&env, SESSION);
    let file = env.root().join("session.html");
    let said = env.run(BIN, &["export", SESSION, "--html", file.to_str().unwrap()]).success();
    assert!(said.stderr.contains("Secrets are"), "{said}");
    let text = files::read(&file);
    let transcript = env.transcript_path(SESSION);
    assert!(
        !text.contains(transcript.to_str().unwrap()),
        "where it lies on this machine is nobody's business"
    );
    let browser = browser_or_skip!();
    let address = format!("file://{}", file.display());
    let seen =
        browser.run(&env, &script("export.mjs"), json!({"address": address, "session": SESSION})).quiet();
    assert_eq!(seen["cuts"], 2, "{seen}");
    assert_eq!(seen["arrived"], true, "{seen}");
    assert_eq!(seen["opened"], true, "{seen}");
    assert_eq!(seen["rules"], true, "{seen}");
}

#[test]
fn a_file_can_be_exported_and_a_mistake_is_explained() {
    let env = TestEnv::new();
    let transcript = env.root().join(format!("{SESSION}.jsonl"));
    catchword_testkit::Transcript::new().prompt("Port the parser.").says("Done.").write_to(&transcript);
    let out = env.root().join("out.html");
    let _ = env
        .run(BIN, &["export", "--transcript", transcript.to_str().unwrap(), "--html", out.to_str().unwrap()])
        .success();
    assert!(files::read(&out).contains("Port the parser."));
    let refused = env.run(BIN, &["export", "nobody", "--html", "x.html"]);
    assert!(!refused.status.success() && refused.stderr.contains("nobody"), "{refused}");
    let nowhere = env
        .run(BIN, &["export", "--transcript", transcript.to_str().unwrap(), "--html", "no/such/folder.html"]);
    assert!(!nowhere.status.success() && nowhere.stderr.contains("cannot write"), "{nowhere}");
}
