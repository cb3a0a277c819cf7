//! Verbatim lines of the record that the model does not have: every observation is a candidate, and `choose/` scores it.
//!
//! A line is a quotation with its place and judges nothing. Which of them are shown is decided when the page is filled
//! (`brief/budget.rs`).

use std::collections::HashSet;

use super::shown::{MAX_COMMAND, MAX_LINE, shown};
use super::{Fact, KnownText, Section};
use crate::choose::{Candidate, Join, MeasuredLine, Model, Pool, Tier, candidates, features};
use crate::model::entry::Place;
use crate::quote::{code, quote_foreign};
use crate::record::{Deed, Kind, Voice};
use crate::session::Session;

/// Lines of a pool that are passed on: more than the largest page holds.
const MAX_PER_POOL: usize = 150;
/// Features that are named as the reason of a line.
const MAX_REASONS: usize = 3;

/// The best lines of each pool by these weights.
pub fn facts(model: &Model, session: &Session, known: &KnownText) -> Vec<Fact> {
    let mut all = candidates(&session.record);
    let attached = attached(session, known);
    all.retain(|candidate| {
        let of = if let Kind::Printed { of, .. } = candidate.seen.what { of } else { candidate.place() };
        !known.keeps(candidate.place()) && !attached.contains(&of)
    });
    let request = session.prompts.last().map(|prompt| session.text_of(prompt)).unwrap_or_default();
    let measured = features(&all, known, &request);
    let scores: Vec<f32> = measured.iter().map(|line| model.score(&line.features)).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*a].pool.cmp(&all[*b].pool).then(scores[*b].total_cmp(&scores[*a])));
    // Whether the model has a line is asked of the best only: it takes longer than to score it.
    let is_missing = |at: &&usize| !is_told(&all[**at], known) && !known.has(&all[**at].text);
    let pools = order.chunk_by(|a, b| all[*a].pool == all[*b].pool);
    let best = pools.flat_map(|pool| pool.iter().filter(is_missing).take(MAX_PER_POOL));
    best.map(|at| {
        let (candidate, MeasuredLine { features, new }) = (&all[*at], &measured[*at]);
        let reasons = model.reasons(features, MAX_REASONS).into_iter();
        let reasons: Vec<String> = reasons.map(|(name, share)| format!("{name} {share:+.1}")).collect();
        let fact = Fact::new(section(candidate), candidate.text.clone(), shown_with(session, candidate));
        let fact = fact.at(candidate.place()).because(reasons.join(", "));
        Fact { tier: Tier::Reference(candidate.pool), score: scores[*at], new: new.clone(), ..fact }
    })
    .collect()
}

/// Where the agent read or proposed what the client attaches again: files and the plan.
fn attached(session: &Session, known: &KnownText) -> HashSet<Place> {
    let reads = session.record.iter().filter(|seen| seen.what == Kind::Touched(Deed::Read));
    let plan = session.plan.as_ref().and_then(|plan| Some((plan.file.as_deref()?, plan.place)));
    let files = reads.map(|seen| (seen.words.as_str(), seen.place)).chain(plan);
    files.filter(|(path, _)| known.attaches(path)).map(|(_, place)| place).collect()
}

/// The model has the words that the person answered, in whatever words the question; the command and what it printed; the
/// name of the file. Of an answer one or two words prove nothing.
fn is_told(candidate: &Candidate, known: &KnownText) -> bool {
    let words = &candidate.seen.words;
    match &candidate.seen.what {
        Kind::Answered { .. } | Kind::Refused { .. } => {
            words.split_whitespace().nth(2).is_some() && known.has(words)
        }
        Kind::Ran { line, ended } if candidate.join.is_none() => {
            let telling = ended.as_ref().map(|end| end.telling.as_str()).unwrap_or_default();
            known.has_run(line, telling)
        }
        Kind::Touched(_) => known.has(words),
        _ => false,
    }
}

fn section(candidate: &Candidate) -> Section {
    match candidate.pool {
        Pool::Person if candidate.seen.who != Voice::Person => Section::Delivered,
        Pool::Briefing | Pool::Person => Section::Person,
        Pool::Delivered => Section::Delivered,
        Pool::Run => Section::Runs,
        Pool::Answer if candidate.seen.who == Voice::Subagent => Section::Reported,
        Pool::Output | Pool::Answer => Section::Printed,
        Pool::Concluded | Pool::Agent => Section::Said,
        Pool::Summary => Section::Earlier,
        Pool::Document => Section::Documents,
        Pool::File => Section::Written,
    }
}

/// A line as it is shown, with what other rows add to it.
fn shown_with(session: &Session, candidate: &Candidate) -> String {
    let seen = candidate.seen;
    match &candidate.join {
        None if candidate.is_done_at_once => {
            format!("task, added as completed: {}", quote_foreign(&seen.words, MAX_LINE))
        }
        None => shown(session, seen),
        Some(Join::Answer(said)) => format!("{} → {}", shown(session, seen), quote_foreign(said, MAX_LINE)),
        Some(Join::Often { prefix, times }) => {
            format!("{times} runs begin with {}, the last", code(prefix, MAX_COMMAND))
        }
    }
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::session::tests::fold;

    fn shown_of(transcript: &Transcript, summary: &str) -> Vec<String> {
        let session = fold(transcript);
        facts(&crate::choose::weights::FITTED, &session, &KnownText::after(&session, Some(summary)))
            .into_iter()
            .map(|fact| fact.text)
            .collect()
    }

    fn worked() -> Transcript {
        let listed =
            Transcript::new().prompt("Count the rows.").task_create("Count the rows of the first table");
        listed.task_update(1, "in_progress").task_update(1, "completed").says("There are 512 rows.")
    }

    #[test]
    fn task_has_its_latest_status() {
        let shown = shown_of(&worked().prompt("Now the columns.").says("There are 12."), "We counted.");
        let tasks: Vec<&String> = shown.iter().filter(|line| line.contains("first table")).collect();
        assert_eq!(tasks, ["task, completed: \"Count the rows of the first table\""]);
        assert!(!shown.iter().any(|line| line.contains("updated the task list")), "our words: {shown:#?}");
    }

    #[test]
    fn summary_that_the_model_has_is_not_an_earlier_one() {
        let earlier = "The first table has 512 rows.";
        let session = worked().compaction("auto", earlier).prompt("Now the columns.").says("There are 12.");
        let has_it = |summary: &str| shown_of(&session, summary).contains(&format!("\"{earlier}\""));
        assert!(has_it("The columns were counted, too."));
        assert!(!has_it(&format!("Summary:\n{earlier}\nThe columns were counted, too.")));
    }

    #[test]
    fn what_stands_beside_its_call_has_no_line_of_its_own() {
        let session = worked()
            .grep("cart_total")
            .bash("git status --short")
            .ok(" M src/carts.rs\n M src/users.rs")
            .call("Grep", serde_json::json!({"pattern": "cart_tax"}))
            .ok("No matches found")
            .bash("sh count.sh")
            .ok("512 rows in the table of carts")
            .call("LS", serde_json::json!({"path": "/home/user/project/src"}))
            .ok("- /home/user/project/\n  - src/carts.rs\n  - src/users.rs")
            .todo(&[("Invent a plan for the carts", "completed")])
            .says("Counted.");
        let shown = shown_of(&session, "We counted.");
        let times = |words: &str| shown.iter().filter(|line| line.contains(words)).count();
        assert_eq!(times("512 rows in the table"), 1, "{shown:#?}");
        assert_eq!(times("searched for `cart_tax` → \"No matches found\""), 1, "{shown:#?}");
        assert_eq!(times("No matches found"), 1, "{shown:#?}");
        let is_listing = |seen: &crate::record::Observation| seen.words == "listed /home/user/project/src";
        assert!(fold(&session).record.iter().any(is_listing), "a listing is no search");
        // A look that shows nothing of what it found says at least where the agent looked.
        for look in ["git status --short", "cart_total", "listed src"] {
            assert_eq!(times(look), 1, "{look}: {shown:#?}");
        }
        assert_eq!(times("task, added as completed: \"Invent a plan"), 1, "it was never open: {shown:#?}");
    }

    #[test]
    fn step_that_was_begun_since_it_was_announced_is_not_quoted() {
        let said = |words: &str| worked().prompt("Now the columns.").says(words);
        let quoted = |session: Transcript, step: &str| {
            // The client keeps the last round.
            let session = session.prompt("Hold on for a moment.").says("All right.");
            shown_of(&session, "We counted.").iter().any(|line| line.contains(step))
        };
        for (step, looks) in [
            ("Let me write the counter of columns.", false),
            ("Now add the counter of columns.", false),
            ("Als nächstes schreibe ich den Zähler der Spalten.", false),
            ("Let me check the counter of columns.", true),
            ("Je vais vérifier le compteur des colonnes.", true),
        ] {
            assert!(quoted(said(step), step), "nothing was done since: {step}");
            assert_eq!(quoted(said(step).read("/home/user/project/src/a.rs"), step), !looks, "{step}");
            assert!(!quoted(said(step).edit("/home/user/project/src/a.rs", "a", "b"), step), "{step}");
            let found = format!("The counter of rows skips 17 empty ones. {step}");
            assert!(quoted(said(&found).edit("/home/user/project/src/a.rs", "a", "b"), "17 empty"), "{step}");
        }
    }

    #[test]
    fn what_nobody_can_read_is_not_quoted() {
        let session = worked()
            .bash("type log.txt")
            .ok("port 5433 is open\n\u{fffd}\u{fffd}\u{0669}\u{fffd} abc \u{fffd} port 5434");
        let shown = shown_of(&session.says("Read."), "We counted.");
        assert!(shown.iter().any(|line| line.contains("port 5433")), "{shown:#?}");
        assert!(!shown.iter().any(|line| line.contains('\u{fffd}')), "{shown:#?}");
    }

    #[test]
    fn run_answer_and_file_that_the_summary_has_are_not_quoted() {
        let session = worked()
            .ask("Which database is it?", "the one on port 5433")
            .bash("make count")
            .ok("512 rows counted")
            .write("/home/user/project/src/count.rs")
            .prompt("Now the columns.")
            .bash("ls")
            .ok("a b")
            .says("There are 12.");
        let things = ["port 5433", "make count", "created "];
        let found = |summary: &str| {
            let shown = shown_of(&session, summary);
            things.map(|thing| shown.iter().any(|line| line.contains(thing)))
        };
        assert_eq!(found("We counted."), [true, true, true]);
        let told = "In the one on port 5433: `make count` says 512 rows counted; src/count.rs is new.";
        assert_eq!(found(told), [false, false, false]);
        let other = "In the one on port 5434: `make count` says 511 rows counted; src/main.rs is new.";
        assert_eq!(found(other), [true, true, true]);
    }
}
