//! What the summariser is asked to keep, in a few lines.
//!
//! The summariser has the conversation, so nothing that it sees anyway is repeated: only what summaries tend to lose and
//! the record has exactly, and one sentence for everything else. A strong model that was asked with and without such a
//! guide lost 4% either way, so a longer one buys nothing by itself; whoever wants one gets what the agent said, what
//! failed and the tasks that are long over, each whole. Nothing is cut: an item is there or it is not.

use super::{seal, with_place};
use crate::brief::cold_tasks::TaskSummary;
use crate::choose::Ranking;
use crate::choose::head::active::with_registered;
use crate::choose::head::requests::{goal_of, plan_of};
use crate::choose::head::{self, standing, work};
use crate::choose::{Fact, KnownText, Section, WorkTree};
use crate::model::entry::Place;
use crate::quote::{code, harmless, name, quote_foreign};
use crate::reading::statements::LONG_RULE;
use crate::record::{CommandRun, Standing};
use crate::session::active::Registered;
use crate::session::instructions::in_force;
use crate::session::{Prompt, Session};
use crate::text::cut::{first_chars, squashed};

/// Total lines, unless the settings say otherwise.
pub const GUIDE_LINES: usize = 8;
/// Items, however long the person's instructions are.
const FEWEST_ITEMS: usize = 2;
/// Most characters of the person's own instructions that are passed on.
pub const INSTRUCTIONS_MOST: usize = 2_000;
/// Most lines of them; if there are more, they become a single line.
const MAX_INSTRUCTION_LINES: usize = 3;
/// Characters up to which a line takes more items.
const FULL: usize = 400;
/// The same where the person sees it: a row of a terminal of 120 columns.
const FULL_ROW: usize = 115;
/// Most lines of the agent, and most failed commands.
const MAX_SAID: usize = 15;
const MAX_FAILED: usize = 8;
/// Most items of one list of criteria.
const MAX_CRITERIA: usize = 12;
/// Most commits, the latest.
const MAX_COMMITS: usize = 20;

/// Introduces the person's own instructions.
const INSTRUCTIONS: &str = "The user's own instructions for this summary:\n";
const OPENING: &str =
    "Keep in the summary, verbatim (from the session's record; L12 is line 12 of its transcript):\n";
const CLOSING: &str = "Keep also, exactly: commands, values, paths and ids in use, errors with their cause, and what was \
                       tried in vain. What is open or failing is not done. The user's own focus comes first.\n";

/// What a guide is made of.
#[derive(Clone, Copy, Debug)]
pub struct GuideSource<'a> {
    pub session: &'a Session,
    pub tree: Option<&'a WorkTree>,
    /// Commands and skills that the person registered.
    pub registered: &'a [Registered],
    /// Tasks that were completed long ago.
    pub cold: &'a [TaskSummary],
    /// The person's own words, from the settings: they come first, and are passed on even if there is nothing else.
    pub instructions: Option<&'a str>,
    /// Total lines.
    pub lines: usize,
    /// Whether the person sees them.
    pub shown: bool,
}

/// The guide; empty if there is nothing to keep.
pub fn guide(source: &GuideSource) -> String {
    let own = source.instructions.and_then(own_instructions).unwrap_or_default();
    let room = source.lines.saturating_sub(own.lines().count() + 2).max(FEWEST_ITEMS);
    let full = if source.shown { FULL_ROW } else { FULL };
    let session = source.session;
    let always: Vec<GuidePart> = [
        GuidePart::new("Words of the user", items(standing::all(session))),
        GuidePart::new("Criteria of what was asked", criteria(session)),
        GuidePart::new("Open", items(work::facts(session, &KnownText::default()))),
        GuidePart::new("Failed last", session.failing().map(|run| failure(run, "")).collect()),
        GuidePart::new("Git", git(session, source.tree)),
        GuidePart::new("In force", items(with_registered(Vec::new(), session, source.registered))),
    ]
    .into();
    let mut lines = shared(&always, room, full);
    if source.lines > GUIDE_LINES {
        lines.extend(labelled("Said by the agent", said(session, room - lines.len())));
        lines.extend(labelled("Failed before", failed(session, room - lines.len())));
        lines.extend(labelled("Completed in the task list", cold(source.cold, room - lines.len())));
    }
    // A branch alone is nothing to keep.
    let has_branch_only = always.iter().map(|part| part.items.len()).sum::<usize>() <= 1;
    if has_branch_only && lines.iter().all(|line| line.starts_with("Git: branch ")) {
        return own.strip_suffix('\n').unwrap_or(&own).to_owned();
    }
    format!("{own}{OPENING}- {}\n{CLOSING}", lines.join("\n- "))
}

/// One line for each item.
fn labelled(label: &str, items: Vec<String>) -> impl Iterator<Item = String> {
    items.into_iter().map(move |item| format!("{label}: {item}"))
}

/// The person's instructions with their introduction; `None` if they are empty.
fn own_instructions(text: &str) -> Option<String> {
    // The person may have them from a repository.
    let text = harmless(first_chars(text.trim(), INSTRUCTIONS_MOST));
    let is_long = text.lines().count() > MAX_INSTRUCTION_LINES;
    let text = if is_long { squashed(&text) } else { text.into_owned() };
    (!text.is_empty()).then(|| format!("{INSTRUCTIONS}{text}\n\n"))
}

/// Items under one label, the most important first.
struct GuidePart {
    label: &'static str,
    items: Vec<String>,
}

impl GuidePart {
    fn new(label: &'static str, items: Vec<String>) -> GuidePart {
        GuidePart { label, items }
    }

    /// Its items, several to a line while they fit; what does not fit into these lines is counted.
    fn lines(&self, most: usize, full: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut shown = 0;
        for item in &self.items {
            let fits = |line: &&mut String| line.chars().count() + item.chars().count() + 2 <= full;
            if let Some(line) = lines.last_mut().filter(fits) {
                *line = format!("{line}; {item}");
            } else if lines.len() < most {
                lines.push(format!("{}: {item}", self.label));
            } else {
                break;
            }
            shown += 1;
        }
        if let (Some(last), more @ 1..) = (lines.last_mut(), self.items.len() - shown) {
            *last = format!("{last} (and {more} more)");
        }
        lines
    }
}

/// One line for each part, then more for those that need them, the first ones first.
fn shared(parts: &[GuidePart], room: usize, full: usize) -> Vec<String> {
    let mut left = room;
    let mut given = vec![0; parts.len()];
    for is_first in [true, false] {
        for (part, given) in parts.iter().zip(&mut given) {
            let wanted = part.lines(if is_first { 1 } else { usize::MAX }, full).len();
            let more = (wanted - *given).min(left);
            (*given, left) = (*given + more, left - more);
        }
    }
    parts.iter().zip(given).flat_map(|(part, given)| part.lines(given, full)).collect()
}

fn items(facts: Vec<Fact>) -> Vec<String> {
    let line =
        |fact: &Fact| fact.place.map_or_else(|| fact.text.clone(), |place| with_place(&fact.text, place));
    seal::all(facts).iter().map(line).collect()
}

/// The lists in a request that the result is measured by, and what a plan leaves out, each with the line above it.
fn criteria(session: &Session) -> Vec<String> {
    let plan = plan_of(session);
    let mut prompts: Vec<&Prompt> =
        [plan, goal_of(session), session.asked().last()].into_iter().flatten().collect();
    prompts.sort_by_key(|prompt| prompt.place);
    prompts.dedup_by_key(|prompt| prompt.place);
    let messages = prompts.into_iter().filter_map(|prompt| session.message_of(prompt));
    let lists =
        messages.flat_map(|message| message.criteria().into_iter().map(move |list| (list, message.place)));
    let rules = in_force(session);
    let is_rule = |item: &str| rules.iter().any(|rule| rule.text.contains(item) || item.contains(&rule.text));
    lists
        .filter_map(|(mut list, place)| {
            list.items.retain(|item| !is_rule(item));
            let (items, more) =
                (list.items.iter().take(MAX_CRITERIA), list.items.len().saturating_sub(MAX_CRITERIA));
            let items: Vec<String> =
                items.map(|item| quote_foreign(&item.replace("**", ""), LONG_RULE)).collect();
            let under = list
                .under
                .map(|under| format!("under {}: ", quote_foreign(under, LONG_RULE)))
                .unwrap_or_default();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            (!items.is_empty()).then(|| format!("{under}{}{more} {place}", items.join(", ")))
        })
        .collect()
}

/// `` `make check` → "error: …" L12 ``
fn failure(run: CommandRun, then: &str) -> String {
    let error = Some(run.error()).filter(|error| !error.is_empty());
    let error = error.map(|error| format!(" → {}", quote_foreign(error, LONG_RULE)));
    let error = error.unwrap_or_else(|| " failed".to_owned());
    format!("{}{error} {}{then}", code(run.line.core(), LONG_RULE), run.place)
}

/// Branch, commits, and what is not committed.
fn git(session: &Session, tree: Option<&WorkTree>) -> Vec<String> {
    let known = KnownText::default();
    let facts = head::git::facts(session, &known);
    let facts = match tree {
        Some(tree) if session.entries > 0 => head::git::with_work_tree(facts, tree, &known),
        _ => facts,
    };
    // The commits are listed below, all of them.
    let is_commit = |fact: &Fact| session.record.commits().any(|commit| fact.place == Some(commit.place));
    let facts = facts.into_iter().filter(|fact| !is_commit(fact)).collect();
    let commits: Vec<String> = session
        .record
        .commits()
        .map(|commit| {
            format!("{} {} {}", name(commit.hash, 40), quote_foreign(commit.subject, 200), commit.place)
        })
        .collect();
    let from = commits.len().saturating_sub(MAX_COMMITS);
    commits[from..].iter().cloned().chain(items(facts)).collect()
}

/// The best of what the agent said.
fn said(session: &Session, most: usize) -> Vec<String> {
    let said = Ranking::of(session).said(.., most.min(MAX_SAID));
    said.iter().map(|seen| format!("{} {}", quote_foreign(&seen.words, 1_000), seen.place)).collect()
}

/// The latest commands that failed before, whatever became of them, latest first.
fn failed(session: &Session, most: usize) -> Vec<String> {
    let told: Vec<Place> = session.failing().map(|run| run.place).collect();
    let failed = session.record.runs().rev().filter(|run| run.failed() && !told.contains(&run.place));
    let then = |run: &CommandRun| match run.state {
        Standing::Settled(place) => format!(", passed at {place}"),
        _ => String::new(),
    };
    failed.take(most.min(MAX_FAILED)).map(|run| failure(run, &then(&run))).collect()
}

/// The latest first.
fn cold(tasks: &[TaskSummary], most: usize) -> Vec<String> {
    let fact = |task: &TaskSummary| Fact::new(Section::Cold, &task.subject, task.all());
    items(tasks.iter().rev().take(most).map(fact).collect())
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;
    use proptest::prelude::*;

    use super::*;
    use crate::session::tests::fold;

    fn of(transcript: &Transcript, lines: usize) -> String {
        of_session(&fold(transcript), lines, None)
    }

    fn of_session(session: &Session, lines: usize, instructions: Option<&str>) -> String {
        guide(&GuideSource {
            session,
            tree: None,
            registered: &[],
            cold: &[],
            instructions,
            lines,
            shown: false,
        })
    }

    fn busy() -> Transcript {
        let rules = [
            "Keep your hands off the payment tables.",
            "Never push on a Friday.",
            "Always run the linter before a commit.",
        ];
        let session = rules.iter().fold(Transcript::new(), |session, rule| session.prompt(rule).says("Yes."));
        let asked =
            "Write the exporter.\n\nAcceptance criteria:\n- it writes a header\n- it must stop at 5 MB";
        let session = session.prompt(asked).task_create("Write the header").task_create("Stop at 5 MB");
        let session = session.bash("git commit -am x").ok("[main 1a2b3c4] Begin the exporter");
        let session = session.says("The limit has to count bytes, since umlauts take two of them.");
        session.bash("make check").fails("Exit code 2\nexport.c:12: error: size is not declared")
    }

    #[test]
    fn eight_lines_have_rules_criteria_open_work_the_last_failure_and_the_commits() {
        let text = of(&busy(), GUIDE_LINES);
        assert!(text.lines().count() <= GUIDE_LINES, "{text}");
        for part in [
            "- Words of the user: \"Keep your hands off the payment tables.\" L1; \"Never push on a Friday.\" L3; ",
            "- Criteria of what was asked: under \"Acceptance criteria\": \"it writes a header\", \"it must stop at 5 MB\" L7",
            "- Open: [pending] #1 \"Write the header\" L",
            "- Failed last: `make check` → \"export.c:12: error: size is not declared\" L",
            "- Git: 1a2b3c4 \"Begin the exporter\" L",
            "errors with their cause, and what was tried in vain",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        assert!(!text.contains("Write the exporter."), "the summariser has the prompts: {text}");
    }

    #[test]
    fn more_lines_add_what_the_agent_said_then_failures_then_cold_tasks_whole() {
        let session = busy().bash("make check").ok("fine");
        let session = fold(&session.bash("./deploy.sh staging").fails("Exit code 1\nno route to host"));
        let long = format!("chose {} in the end", "one of the many ways ".repeat(40));
        let cold = TaskSummary {
            subject: "Old work".into(),
            key_outcomes: vec![String::new(), long.clone()],
            ..TaskSummary::default()
        };
        let more = |lines| {
            guide(&GuideSource {
                session: &session,
                tree: None,
                registered: &[],
                cold: std::slice::from_ref(&cold),
                instructions: None,
                lines,
                shown: false,
            })
        };
        let (few, some, all) = (more(8), more(9), more(60));
        assert!(!few.contains("Said by the agent") && few.lines().count() < 8, "{few}");
        assert!(some.contains("- Said by the agent: ") && !some.contains(&long), "{some}");
        let at = |part: &str| all.find(part).unwrap_or_else(|| panic!("{part} is missing in\n{all}"));
        let order = [
            at("- Failed last: `./deploy.sh staging` → \"no route to host\""),
            at("\"The limit has to count bytes, since umlauts take two of them.\""),
            at("- Failed before: `make check` → \"export.c:12: error: size is not declared\" L"),
            at(&long),
        ];
        assert!(order.is_sorted(), "{all}");
        assert!(all.contains(", passed at L"), "what became of a failure stands beside it: {all}");
    }

    #[test]
    fn what_does_not_fit_is_counted_and_nothing_is_cut() {
        let tables = ["parser", "lexer", "printer", "linker", "loader", "cache", "index", "queue", "router"];
        let long = |n: usize| {
            let why = "the team of the other floor ".repeat(8);
            format!("Never touch the {} table, because {why}owns it.", tables[n])
        };
        let session = (0..9).fold(Transcript::new(), |session, n| session.prompt(&long(n)).says("Yes."));
        let text = of(&session, 4);
        assert_eq!((text.lines().count(), text.contains(" more)")), (4, true), "{text}");
        assert!(!text.contains('…'), "{text}");
        let text = of(&session, 12);
        assert!((0..9).all(|n| text.contains(&long(n))), "{text}");
    }

    #[test]
    fn nothing_to_keep_gives_no_guide_and_the_persons_words_come_first() {
        let idle = fold(&Transcript::new().prompt("Hello.").says("Hello."));
        assert_eq!(of_session(&idle, GUIDE_LINES, None), "");
        let alone = of_session(&idle, GUIDE_LINES, Some("  Keep all SQL.\n"));
        assert_eq!(alone, "The user's own instructions for this summary:\nKeep all SQL.\n");
        assert_eq!(of_session(&idle, GUIDE_LINES, Some(" \n")), "");
        let both = of_session(&fold(&busy()), GUIDE_LINES, Some("Keep all SQL."));
        assert!(both.starts_with(&alone) && both.contains("Stop at 5 MB"), "{both}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn guide_keeps_its_number_of_lines(
            words in proptest::collection::vec(".{0,300}", 1..20),
            own in proptest::option::of("(.{0,40}\n?){0,8}"),
            lines in 4_usize..60,
        ) {
            let mut session = Transcript::new();
            for words in &words {
                session = session.prompt(&format!("Never {words}.")).task_create(words).says(words).bash(words).fails(words);
            }
            let text = of_session(&fold(&session), lines, own.as_deref());
            let fewest = FEWEST_ITEMS + 2 + own.as_deref().and_then(own_instructions).unwrap_or_default().lines().count();
            prop_assert!(text.lines().count() <= lines.max(fewest), "{text}");
            prop_assert!(!text.starts_with(crate::model::frame::OPENING));
        }
    }
}
