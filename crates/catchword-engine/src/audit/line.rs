//! Findings in one line, for the person: what the summary dropped or got wrong, and whether it was given back. Its total
//! matches what `catchword lost` marks as told.

use serde::Serialize;

use super::sentence::stands_in;
use crate::model::finding::{Finding, FindingKind, FindingSubject};
use crate::session::{Session, instructions, one_line};
use crate::text::cut::first_chars;
use crate::text::numbers::count_of_either;
use crate::text::speech::Speech;

/// What the agent got besides the summary.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentReceived<'a> {
    /// The brief.
    pub brief: &'a str,
    /// What follows it with the next prompt or tool call.
    pub late: &'a str,
}

/// What the person is told of a compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonLine {
    /// The line; empty when all is well.
    pub text: String,
    /// Findings it counts.
    pub lost: usize,
    /// How many of them the agent gets back.
    pub given: usize,
}

/// How a finding reached the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum GivenBy {
    /// With the brief, or kept by the client.
    #[serde(rename = "brief")]
    Brief,
    /// With what followed the brief.
    #[serde(rename = "later")]
    Late,
    /// Not at all.
    #[serde(rename = "no")]
    Nothing,
}

/// What the agent got, to be searched for findings.
pub struct Received<'a> {
    brief: ReceivedText<'a>,
    late: ReceivedText<'a>,
    kept: ReceivedText<'a>,
}

impl<'a> Received<'a> {
    /// `kept` is what the client itself keeps.
    pub fn new(said: AgentReceived<'a>, kept: &'a str) -> Received<'a> {
        Received {
            brief: ReceivedText::new(said.brief),
            late: ReceivedText::new(said.late),
            kept: ReceivedText::new(kept),
        }
    }

    pub fn given_by(&self, finding: &Finding) -> GivenBy {
        let is_kept = || finding.kind == FindingKind::Dropped && is_in(finding, &self.kept);
        if is_in(finding, &self.brief) || is_kept() {
            GivenBy::Brief
        } else if is_in(finding, &self.late) {
            GivenBy::Late
        } else {
            GivenBy::Nothing
        }
    }
}

/// The line; nothing when all is well.
pub fn line(session: &Session, findings: &[Finding], said: AgentReceived) -> Option<PersonLine> {
    let told: Vec<&Finding> = findings.iter().collect();
    if told.is_empty() {
        return None;
    }
    let mut clauses = Vec::new();
    clauses.extend(dropped(session, &told));
    clauses.extend(wrong(session, &told));
    let received = Received::new(said, session.kept.round());
    let by = |wanted: GivenBy| told.iter().filter(|finding| received.given_by(finding) == wanted).count();
    let (lost, back, later) = (told.len(), by(GivenBy::Brief), by(GivenBy::Late));
    let text = format!("catchword: the summary {}; {}.", listed(&clauses), given_back(lost, back, later));
    Some(PersonLine { text, lost, given: back + later })
}

/// "dropped 2 of 5 open tasks and 1 message of yours".
fn dropped(session: &Session, told: &[&Finding]) -> Option<String> {
    let count = |about| told.iter().filter(|f| f.kind == FindingKind::Dropped && f.fact == about).count();
    let messages = count(FindingSubject::Request);
    let rules = instructions::in_force(session).len();
    let parts = [
        part_of(count(FindingSubject::Task), session.tasks.open().len(), "open task"),
        part_of(count(FindingSubject::Instruction), rules, "standing instruction"),
        (messages > 0).then(|| count_of_either(messages, "message of yours", "messages of yours")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("dropped {}", listed(&parts)))
}

fn part_of(count: usize, all: usize, what: &str) -> Option<String> {
    match count {
        0 => None,
        1 if all <= 1 => Some(format!("the one {what}")),
        2 if all == 2 => Some(format!("both {what}s")),
        n if n >= all => Some(format!("all {n} {what}s")),
        n => Some(format!("{n} of {all} {what}s")),
    }
}

/// A sort of mistake: its findings, and the words for one and for several of them.
type Mistake = (FindingKind, FindingSubject, &'static str, &'static str);

const MISTAKES: &[Mistake] = {
    use FindingKind::{Contradicted, Mutated};
    use FindingSubject::{Command, File, Number, Quote, Request};
    &[
        (
            Contradicted,
            File,
            "tells of work that left nothing behind",
            "tells # times of work that left nothing behind",
        ),
        (Contradicted, Command, "calls a failing command passing", "calls # failing commands passing"),
        (Contradicted, Request, "passes over your latest request", "passes over your latest requests"),
        (Contradicted, Number, "has a wrong count", "has # wrong counts"),
        (Mutated, File, "changes a path", "changes # paths"),
        (Mutated, Number, "changes a number or id", "changes # numbers or ids"),
        (Mutated, Quote, "misquotes you", "misquotes you # times"),
    ]
};

/// "calls task 3 finished", a clause for each sort of mistake.
fn wrong(session: &Session, told: &[&Finding]) -> Vec<String> {
    let of = |kind, about| -> Vec<&Finding> {
        told.iter().copied().filter(|f| f.kind == kind && f.fact == about).collect()
    };
    let clause = |found: &[&Finding], one: &str, many: &str| match found.len() {
        0 => None,
        1 => Some(one.to_owned()),
        n => Some(many.replace('#', &n.to_string())),
    };
    let finished = of(FindingKind::Contradicted, FindingSubject::Task);
    let one = finished.first().map(|one| format!("calls {} finished", task_name(session, one)));
    let finished = clause(&finished, &one.unwrap_or_default(), "calls # open tasks finished");
    let listed = MISTAKES.iter().filter_map(|(kind, about, one, many)| clause(&of(*kind, *about), one, many));
    let invented = of(FindingKind::Invented, FindingSubject::Quote);
    let (agents, quoted): (Vec<_>, Vec<_>) = invented.into_iter().partition(|f| f.place.is_some());
    let invented = [
        clause(&quoted, "quotes words the user never said", "has # quotations the user never said"),
        clause(&agents, "has you say what the agent said", "has you say # things that the agent said"),
    ];
    finished.into_iter().chain(listed).chain(invented.into_iter().flatten()).collect()
}

/// "task 3" where the client numbers them.
fn task_name(session: &Session, finding: &Finding) -> String {
    let open = session.tasks.open();
    let meant = open.iter().find(|task| finding.text.ends_with(&one_line(&task.subject, 300)));
    meant.and_then(|task| task.id.as_deref()).map_or("an open task".to_owned(), |id| format!("task {id}"))
}

/// "a", "a and b", "a, b and c".
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// How much of it the agent has got, from us or from the client, or is about to get; never more than stands there.
fn given_back(lost: usize, back: usize, later: usize) -> String {
    let now = match (back, lost) {
        (1, 1) => "given back".to_owned(),
        (2, 2) => "both given back".to_owned(),
        (n, all) if n == all => format!("all {n} given back"),
        (0, _) if later > 0 => String::new(),
        (0, _) => "not given back".to_owned(),
        (n, all) => format!("{n} of {all} given back"),
    };
    let then = match later {
        0 => String::new(),
        _ if later == lost => "the agent is told with the next prompt or tool call".to_owned(),
        n => format!("{n} told with the next prompt or tool call"),
    };
    let parts: Vec<&str> = [now.as_str(), then.as_str()].into_iter().filter(|p| !p.is_empty()).collect();
    parts.join(", ")
}

/// Whether a text gives back what the summary lost, or tells what it has wrong. A long one may be cut short there.
fn is_in(finding: &Finding, there: &ReceivedText) -> bool {
    if finding.kind != FindingKind::Dropped {
        return stands_in(finding, there.text);
    }
    let head = first_chars(&finding.text, 90);
    there.text.contains(head) || there.speech.says(head) || there.speech.speaks_of(&finding.text) >= 0.9
}

struct ReceivedText<'a> {
    text: &'a str,
    speech: Speech,
}

impl<'a> ReceivedText<'a> {
    fn new(text: &'a str) -> ReceivedText<'a> {
        ReceivedText { text, speech: Speech::new(text) }
    }
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;

    use super::*;
    use crate::audit::audit;
    use crate::choose::WorkspaceState;
    use crate::choose::head::contradictions;
    use crate::clients::CLIENTS;
    use crate::model::entry::Place;
    use crate::ops::brief::brief;
    use crate::redact::SECRETS;

    /// Five tasks open, of which the third has number 3.
    fn session() -> Session {
        let subjects =
            ["Write the limiter", "Load test the gateway", "Document the header", "Ship it", "Tidy up"];
        let start = Transcript::new().prompt("Never touch db/migrations.");
        let all = subjects.iter().fold(start, |t, subject| t.task_create(subject));
        let mut session = Session::default();
        for (n, line) in all.lines().iter().enumerate() {
            if let Ok(Some(entry)) = (CLIENTS[0].entry)(Place(n as u32 + 1), line.as_bytes()) {
                session.apply(&entry.masked(SECRETS));
            }
        }
        session
    }

    fn dropped(fact: FindingSubject, text: &str) -> Finding {
        let (text, place) = (text.to_owned(), Some(Place(2)));
        Finding { kind: FindingKind::Dropped, fact, text, place, summary_quote: None, summary_at: None }
    }

    fn contradicted() -> Finding {
        let summary_quote = Some("Document the header: done".to_owned());
        Finding {
            kind: FindingKind::Contradicted,
            summary_quote,
            ..dropped(FindingSubject::Task, "[pending] Document the header")
        }
    }

    fn told(findings: &[Finding], brief: &str, late: &str) -> String {
        line(&session(), findings, AgentReceived { brief, late }).expect("something to say").text
    }

    #[test]
    fn nothing_is_said_when_all_is_well() {
        assert_eq!(line(&session(), &[], AgentReceived::default()), None);
    }

    #[test]
    fn it_counts_what_was_dropped_and_names_what_was_called_finished() {
        let findings = [
            dropped(FindingSubject::Task, "Write the limiter"),
            dropped(FindingSubject::Task, "Load test the gateway"),
            dropped(FindingSubject::Request, "Why is it slow?"),
            contradicted(),
        ];
        let text = told(&findings, "", "");
        let expected = "catchword: the summary dropped 2 of 5 open tasks and 1 message of yours and calls task 3 finished; \
                        not given back.";
        assert_eq!(text, expected);
    }

    #[test]
    fn given_back_is_said_of_what_stands_in_the_brief_and_of_nothing_else() {
        let two = [
            dropped(FindingSubject::Task, "Write the limiter"),
            dropped(FindingSubject::Task, "Load test the gateway"),
        ];
        let text = |brief: &str| told(&two, brief, "");
        assert!(
            text("- [pending] #1 Write the limiter L2\n- Load test the gateway L3")
                .contains("; both given back.")
        );
        assert!(text("- [pending] #1 Write the limiter L2").contains("; 1 of 2 given back."));
        assert!(text("- something else").contains("; not given back."));
        let long = format!("Write {}", "a very long task of many words ".repeat(9));
        let cut = one_line(&long, 160);
        assert!(
            told(&[dropped(FindingSubject::Task, &long)], &cut, "").contains("; given back."),
            "also when shortened"
        );
    }

    #[test]
    fn what_follows_later_is_not_called_given() {
        let late = crate::brief::brief(contradictions::late(&[contradicted()], ""), 6_000).text;
        let text = told(&[contradicted()], "", &late);
        assert!(text.contains("; the agent is told with the next prompt or tool call."), "{text}");
        let both = [dropped(FindingSubject::Task, "Ship it"), contradicted()];
        let text = told(&both, "- Ship it", &late);
        assert!(text.contains("; 1 of 2 given back, 1 told with the next prompt or tool call."), "{text}");
    }

    /// The claim of the line against the brief that is really given, in every size.
    #[test]
    fn the_line_never_claims_more_than_the_brief_holds() {
        let session = session();
        let summary = "7. Pending Tasks:\n   - Document the header: done\n   - Tidy up";
        let findings = audit(&session, summary);
        let given = |text: &str| {
            let line = line(&session, &findings, AgentReceived { brief: text, late: "" }).expect("it lies");
            line.text.split("; ").nth(1).unwrap_or_default().split('.').next().unwrap_or_default().to_owned()
        };
        assert_eq!(given(""), "not given back");
        let text = brief(&session, Some(summary), &WorkspaceState::default(), 6_000).text;
        for lost in ["Write the limiter", "Load test the gateway", "Ship it", "the summary says"] {
            assert!(text.contains(lost), "{text}");
        }
        assert_eq!((given(&text).as_str(), findings.len()), ("all 3 given back", 3));
        let less = text.replace("Load test the gateway", "…");
        assert!(given(&less).contains(" of "), "{}", given(&less));
    }

    #[test]
    fn every_sort_of_mistake_has_its_words() {
        let of = |kind, fact, text: &str| Finding { kind, ..dropped(fact, text) };
        let cases = [
            (
                of(FindingKind::Contradicted, FindingSubject::Task, "[pending] unnumbered"),
                "calls an open task finished",
            ),
            (of(FindingKind::Contradicted, FindingSubject::Command, "x"), "calls a failing command passing"),
            (
                of(FindingKind::Contradicted, FindingSubject::File, "x"),
                "tells of work that left nothing behind",
            ),
            (of(FindingKind::Contradicted, FindingSubject::Number, "x"), "has a wrong count"),
            (of(FindingKind::Mutated, FindingSubject::File, "x"), "changes a path"),
            (of(FindingKind::Mutated, FindingSubject::Number, "x"), "changes a number or id"),
            (
                Finding { place: None, ..of(FindingKind::Invented, FindingSubject::Quote, "x") },
                "quotes words the user never said",
            ),
            (of(FindingKind::Invented, FindingSubject::Quote, "x"), "has you say what the agent said"),
            (of(FindingKind::Contradicted, FindingSubject::Request, "x"), "passes over your latest request"),
            (of(FindingKind::Mutated, FindingSubject::Quote, "x"), "misquotes you"),
            (dropped(FindingSubject::Request, "x"), "dropped 1 message of yours"),
            (dropped(FindingSubject::Instruction, "x"), "dropped the one standing instruction"),
        ];
        for (finding, words) in cases {
            let text = told(&[finding], "", "");
            assert!(text.starts_with(&format!("catchword: the summary {words};")), "{text}");
        }
    }
}
