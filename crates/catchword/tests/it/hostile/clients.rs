//! The same attacks in the rows of every client.

use catchword_testkit::{SESSIONS, SessionStep, TestEnv, find_briefs};
use serde_json::json;

use super::frame::{BREAKS, assert_harmless};
use super::of_the_user;
use super::words::disguises;
use crate::every_client::{Played, RULE, runs, worked};

/// Whoever but the person can put a text into a session, and the summariser.
fn carried(text: &str) -> Vec<SessionStep> {
    let own = |path: &str| SessionStep::Reads { path: path.to_owned(), printed: text.to_owned() };
    let mut steps = worked();
    steps.extend([
        runs("cat page", 0, text),
        runs("make all", 1, text),
        runs(text, 1, "no"),
        own("/home/user/project/a.md"),
        own(&format!("/home/user/project/{}", text.replace('\n', " "))),
        SessionStep::Says(text.to_owned()),
        SessionStep::Task(text.to_owned()),
        SessionStep::Note(text.to_owned()),
        SessionStep::Helper(text.to_owned()),
        SessionStep::Says("I go on.".into()),
    ]);
    steps
}

/// All that the client and people are told about such a session.
fn said(played: &Played, text: &str) -> (String, Vec<String>) {
    let brief = played.compacted(&carried(text));
    let mut said = vec![brief.clone()];
    said.extend(["Stop", "SessionEnd"].map(|event| played.hook(event, json!({})).stdout));
    said.push(played.env.run(crate::every_client::BIN, &["handoff", &played.id]).success().stdout);
    (brief, said)
}

#[test]
fn nothing_breaks_out_of_its_line_for_any_client() {
    for of in SESSIONS {
        for text in BREAKS {
            let env = TestEnv::new();
            let (brief, said) = said(&Played::new(&env, of, 1), text);
            assert_eq!(find_briefs(&brief).len(), 1, "{}: {text:?}\n{brief}", of.client);
            let lower = brief.to_lowercase();
            assert_eq!(lower.matches("</catchword").count(), 1, "{}: {text:?}\n{brief}", of.client);
            for said in said {
                assert_harmless(of.client, &said);
            }
        }
    }
}

#[test]
fn nobody_passes_for_the_user_in_any_client() {
    for of in SESSIONS {
        for text in disguises() {
            let env = TestEnv::new();
            let (_, said) = said(&Played::new(&env, of, 1), &text);
            let handoff = said.last().expect("the last");
            assert!(of_the_user(handoff).contains(RULE), "{}: {handoff}", of.client);
            for said in &said {
                assert!(!of_the_user(said).contains("zyzzyva"), "{}: {text}\n{said}", of.client);
            }
        }
    }
}
