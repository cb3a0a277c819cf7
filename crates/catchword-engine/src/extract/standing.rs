//! Standing instructions and corrections from the whole session, verbatim, without the withdrawn ones.
//!
//! Conventions and prohibitions are what a summary drops first and what hurts most when it does. They are
//! found sentence by sentence in the person's own words and nowhere else: no tool output, file or other
//! agent can plant one.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

use super::text::quote;
use super::{Fact, Known, Section};
use crate::agent::entry::Place;
use crate::session::cues::{self, Withdrawal};
use crate::session::demands::{LONG, is_long};
use crate::session::{Plan, Prompt, Session};

/// Most instructions shown that the summary does not quote. Past that every prompt keeps its first ones, the latest
/// prompts before the others: a page of rules that was pasted in does not push out what was said by itself.
const MOST: usize = 16;

/// The instructions that still hold.
pub fn facts(session: &Session, known: &Known) -> Vec<Fact> {
    let mut standing = holding(&session.prompts);
    standing.retain(|rule| !known.quotes(&rule.text));
    most_telling(standing)
        .iter()
        .map(|rule| {
            Fact::new(Section::Standing, &rule.text, quote(&rule.text, LONG))
                .at(rule.place)
                .or(quote(&rule.text, 120))
                .worth(3.0, "said as a rule, not withdrawn")
                .must()
        })
        .collect()
}

/// At most [`MOST`] of them, oldest first.
fn most_telling(standing: Vec<Rule>) -> Vec<Rule> {
    if standing.len() <= MOST {
        return standing;
    }
    let mut ranked: Vec<(usize, Rule)> = Vec::new();
    for rule in standing {
        let rank = ranked.last().filter(|(_, last)| last.place == rule.place).map_or(0, |(rank, _)| rank + 1);
        ranked.push((rank, rule));
    }
    ranked.sort_by_key(|(rank, rule)| (*rank, std::cmp::Reverse(rule.place)));
    ranked.truncate(MOST);
    ranked.sort_by_key(|(rank, rule)| (rule.place, *rank));
    ranked.into_iter().map(|(_, rule)| rule).collect()
}

/// The plan the person approved, unless they have taken it back since: "forget the plan".
pub fn plan_in_force(session: &Session) -> Option<&Plan> {
    let plan = session.plan.as_ref().filter(|p| p.approved == Some(true))?;
    let since = session.prompts.iter().filter(|p| p.place > plan.place);
    let mut said = since.flat_map(|p| p.demands.iter().map(|demand| (demand, demand.sentence(&p.text))));
    let taken_back = said.any(|(demand, sentence)| {
        demand.withdraws == Some(Withdrawal::Any)
            && cues::words(&cues::lowered(sentence)).any(|word| word == "plan")
    });
    (!taken_back).then_some(plan)
}

/// An instruction and where it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where.
    pub place: Place,
    /// Verbatim.
    pub text: String,
}

/// An instruction that was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    /// The instruction.
    pub rule: Rule,
    /// What took it back.
    pub by: Rule,
}

/// All instructions that were given and neither repeated later nor withdrawn, oldest first.
pub fn holding(prompts: &[Prompt]) -> Vec<Rule> {
    followed(prompts).0.iter().map(|known| known.rule.clone()).collect()
}

/// The instructions that were taken back and not given again.
pub fn withdrawn(prompts: &[Prompt]) -> Vec<Withdrawn> {
    let withdrawn = |(known, by): &(Given, Rule)| Withdrawn { rule: known.rule.clone(), by: by.clone() };
    followed(prompts).1.iter().map(withdrawn).collect()
}

/// A sentence that takes something back.
pub fn withdraws(sentence: &str) -> bool {
    cues::withdrawal(sentence).is_some()
}

/// An instruction that says by itself that it holds on, not only for the request it stands in.
pub fn is_lasting(sentence: &str) -> bool {
    const FIRST: [&str; 7] = ["never", "always", "don't", "dont", "do not", "from now on", "avoid"];
    const ANYWHERE: [&str; 9] = [
        "from now on",
        "going forward",
        "in the future",
        "at all times",
        "under no circumstances",
        "should never",
        "should always",
        "must never",
        "must not",
    ];
    let lower = cues::lowered(sentence);
    let mut said = lower.trim();
    for polite in ["oh, ", "and ", "but ", "also ", "also, ", "so ", "ok ", "please "] {
        said = said.strip_prefix(polite).unwrap_or(said);
    }
    FIRST.iter().any(|cue| said.starts_with(&format!("{cue} ")))
        || ANYWHERE.iter().any(|cue| format!(" {said} ").contains(&format!(" {cue} ")))
}

/// The rules in force, and those that were taken back, each with what took it back.
type Followed = (Vec<Given>, Vec<(Given, Rule)>);

/// The brief, the audit and the line about it all ask, and every demand is compared with those before it for the answer:
/// it is found once for the same prompts.
fn followed(prompts: &[Prompt]) -> Rc<Followed> {
    thread_local!(static LATEST: RefCell<Option<(u64, Rc<Followed>)>> = const { RefCell::new(None) });
    let mut hasher = foldhash::quality::FixedState::default().build_hasher();
    for prompt in prompts.iter().filter(|prompt| !prompt.demands.is_empty()) {
        (prompt.place, &prompt.text).hash(&mut hasher);
    }
    let same = hasher.finish();
    if let Some((_, found)) = LATEST.with_borrow(Clone::clone).filter(|(of, _)| *of == same) {
        return found;
    }
    let found = Rc::new(follow(prompts));
    LATEST.set(Some((same, Rc::clone(&found))));
    found
}

fn follow(prompts: &[Prompt]) -> Followed {
    let mut rules: Vec<Given> = Vec::new();
    let mut gone: Vec<(Given, Rule)> = Vec::new();
    for prompt in prompts {
        let demands = prompt.demands.iter().map(|demand| (demand, demand.sentence(&prompt.text)));
        for (demand, sentence) in demands.filter(|(_, sentence)| !is_long(sentence)) {
            let said = || Rule { place: prompt.place, text: sentence.to_owned() };
            let rest = demand.withdraws.map(|what| {
                let (taken, rest) = withdraw(&mut rules, what, sentence, &matter(sentence));
                gone.extend(taken.into_iter().map(|known| (known, said())));
                rest
            });
            let is_rule = demand.is_rule;
            if rest.map_or(is_rule, |rest| rest == Rest::Rule || (rest == Rest::Untouched && is_rule)) {
                // Said again or changed: the later wording counts.
                let matter = matter(sentence);
                let replaced = cues::replaced(sentence).map(|words| self::matter(&words)).unwrap_or_default();
                rules.retain(|known| !overrides(&matter, &replaced, known));
                gone.retain(|(known, _)| !overrides(&matter, &replaced, known));
                rules.push(Given { forbids: cues::is_prohibition(sentence), matter, rule: said() });
            }
        }
    }
    (rules, gone)
}

/// A rule and what it is about.
struct Given {
    rule: Rule,
    matter: HashSet<String>,
    forbids: bool,
}

/// What a withdrawal leaves.
#[derive(PartialEq)]
enum Rest {
    /// It met no rule.
    Untouched,
    /// It met one, and says no more than that.
    Nothing,
    /// It met one and goes on to say what holds now.
    Rule,
}

/// Drops the rules that a withdrawal speaks of. A permission lifts prohibitions, a release lifts duties: "you
/// can push" does not lift "always test before you push".
fn withdraw(
    rules: &mut Vec<Given>,
    what: Withdrawal,
    sentence: &str,
    matter: &HashSet<String>,
) -> (Vec<Given>, Rest) {
    let mut rest = Rest::Untouched;
    let freed = self::matter(&cues::unconditional(sentence));
    let taken = rules.extract_if(.., |known| {
        let kind = match what {
            Withdrawal::Prohibition => known.forbids,
            Withdrawal::Duty => !known.forbids,
            Withdrawal::Any => true,
        };
        let shared = known.matter.intersection(matter).count();
        let all = shared == matter.len();
        let meant = match what {
            Withdrawal::Any => all,
            // "You can touch the importer" leaves "never touch the migrations" as it is.
            _ => {
                shared * 2 > matter.len().min(known.matter.len())
                    || (!freed.is_empty() && freed.is_subset(&known.matter))
            }
        };
        let met = kind && shared > 0 && meant;
        if met && rest != Rest::Rule {
            let more = what != Withdrawal::Any && (!all || cues::is_conditional(sentence));
            rest = if more { Rest::Rule } else { Rest::Nothing };
        }
        met
    });
    (taken.collect(), rest)
}

/// The words that carry a sentence's matter, cut to their stem's length.
fn matter(sentence: &str) -> HashSet<String> {
    const EMPTY: &[&str] = &[
        "don't",
        "dont",
        "not",
        "never",
        "always",
        "please",
        "make",
        "sure",
        "you",
        "can",
        "now",
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "any",
        "all",
        "from",
        "use",
        "should",
        "must",
        "may",
        "will",
        "when",
        "what",
        "about",
        "said",
        "into",
        "it's",
        "okay",
        "fine",
        "forget",
        "ignore",
        "mind",
        "only",
        "also",
        "but",
        "just",
        "anymore",
        "longer",
        "feel",
        "free",
        "ahead",
        "then",
        "are",
        "was",
        "were",
        "your",
        "our",
        "its",
        "have",
        "has",
        "had",
        "them",
        "they",
        "there",
        "rule",
        "instead",
        "without",
        "before",
        "after",
        "unless",
        "ever",
        "again",
        "drop",
        "instruction",
        "earlier",
        "going",
        "forward",
        "said",
        "told",
        "about",
        "what",
        "need",
        "changed",
        "take",
        "back",
        "you're",
        "off",
        "limits",
        "applies",
        "holds",
    ];
    cues::words(&cues::lowered(sentence))
        .filter(|w| w.len() > 2 && !EMPTY.contains(w) && !cues::FILLERS.contains(w))
        .map(|w| w.strip_suffix("ing").filter(|verb| verb.len() > 3).unwrap_or(w))
        .map(|w| w.chars().take(6).collect())
        .collect()
}

/// A later rule says the same or the opposite about nearly the same matter, about all of it and more, or puts
/// something else in its place.
fn overrides(later: &HashSet<String>, replaced: &HashSet<String>, earlier: &Given) -> bool {
    let shared = later.intersection(&earlier.matter).count();
    let covers = shared == earlier.matter.len() && shared >= 2;
    let in_its_place = !earlier.forbids && !replaced.is_empty() && replaced.is_subset(&earlier.matter);
    in_its_place || covers || (shared > 0 && shared * 4 >= later.len().max(earlier.matter.len()) * 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::demands::demands_in;

    fn holding_after(prompts: &[&str]) -> Vec<String> {
        let prompts: Vec<Prompt> = prompts
            .iter()
            .enumerate()
            .map(|(n, text)| Prompt {
                place: Place(n as u32 + 1),
                text: (*text).to_owned(),
                clock: 0,
                answers: None,
                time: None,
                turn: 0,
                demands: demands_in(text),
            })
            .collect();
        holding(&prompts).into_iter().map(|r| r.text).collect()
    }

    #[test]
    fn prohibitions_and_preferences_are_kept_verbatim() {
        for rule in [
            "Don't push to main.",
            "Never run the migrations against production!",
            "Always use pnpm instead of npm.",
            "From now on write commit messages in English.",
            "Please make sure the tests pass before each commit.",
            "No, use postgres instead of sqlite.",
            "You should never touch the generated files.",
        ] {
            assert_eq!(holding_after(&[rule]), [rule], "{rule}");
        }
    }

    #[test]
    fn statements_and_questions_are_no_rules() {
        for text in [
            "I don't know why it fails.",
            "Why don't we use tabs?",
            "The test does pass now.",
            "I don't think that is it.",
            "Fix the login bug.",
            "we don't have time",
        ] {
            assert_eq!(holding_after(&[text]), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn ways_of_working_are_rules_however_they_are_put() {
        let rules = [
            "Don't drop the users table.",
            "Never ignore the linter warnings.",
            "Don't forget to run the formatter before each commit.",
            "Do not push until you can show me a green build.",
            "Avoid mocks wherever you can.",
            "Use pnpm, not npm.",
            "We don't use default exports in this repo.",
            "I don't want any new dependencies.",
            "No new dependencies please.",
            "Run the tests after every change.",
            "Whenever you change the schema, update docs/schema.md too.",
            "When you touch the API, bump the version in openapi.yaml.",
            "You're not allowed to modify anything in vendor/.",
            "The public API must stay backwards compatible.",
            "Please keep the old endpoints untouched.",
            "Stop adding comments to every line.",
            "Commit messages should always start with the ticket id.",
            "i'd rather have one big file than ten small ones",
            "Don't commit anything without asking me first.",
            "From now on reply in German.",
            "You don't need to update the changelog.",
            "Actually, use the staging database instead of the local one.",
            "The test database runs on port 5433.",
            "We work on the branch release/2.x, main is frozen.",
            "Leave the CI config alone.",
            "Only edit files under src/parser.",
            "Try not to use any.",
            "Everything in legacy/ is off limits.",
            "and please don't rename the tables",
            "Be careful with the migrations, they run in production.",
            "No, put it in the utils module instead.",
            "Keep functions under 40 lines, always.",
            "Ask me before you delete anything.",
            "Let's not add any abstraction here.",
            "We only support Python 3.11 and newer.",
            "No emojis in the output.",
            "Each PR must reference a ticket.",
            "Keep the diff small.",
            "Stick to the existing naming scheme.",
        ];
        let missed: Vec<_> = rules.iter().filter(|r| holding_after(&[**r]) != [**r]).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn reports_guesses_and_tasks_are_no_rules() {
        let others = [
            "The tests don't pass on CI.",
            "These buttons don't work on mobile.",
            "It always crashes on startup.",
            "The request never returns.",
            "I always get this error after login.",
            "This should not happen.",
            "There must be a bug in the parser.",
            "It must be the cache.",
            "As you can see the header is broken.",
            "You can find the logs in /var/log/app.",
            "I don't know why it fails.",
            "Only two tests fail now.",
            "Stop the dev server and start it again.",
            "No idea why this breaks.",
            "Add a retry when the upload fails.",
            "Fix the flaky test in auth_spec.",
            "The API does not return the user id.",
            "why do we always need two requests for this",
            "Every time I save the file it reloads twice.",
            "It never worked before the upgrade.",
            "No tests were run.",
            "Can you explain what make sure_exists does?",
            "Implement the login page with a remember me box.",
            "We could add caching in the future.",
            "The users table has a column that we never read.",
            "I think the problem is in the retry logic, it shouldn't take 10 seconds.",
            "Look at the failing build and tell me what is wrong.",
            "Rename the helper and update all callers.",
            "The old code must have had a reason for this.",
            "Users don't see the banner after logging in.",
            "When I click save, nothing happens.",
            "The docs say it must be called with two arguments.",
            "There is no validation on the email field.",
            "Nothing happens after I press enter, no error either.",
            "Keep working on the parser.",
            "No we need to fix the parser and remove what is left of the old one.",
            "Only index.html was included — the other changes were left unstaged.",
            "The hook runs after it and only touches the disk.",
            "If you need specific details (like error messages), read the transcript.",
            "Alternatively, we could create a new writer instead.",
            "but no checkpoint was written",
            "My colleague always runs it with docker.",
        ];
        let taken: Vec<_> = others.iter().filter(|o| !holding_after(&[**o]).is_empty()).collect();
        assert!(taken.is_empty(), "{taken:#?}");
    }

    #[test]
    fn a_document_describes_more_than_it_demands() {
        let filler = "The writer takes one page after the other and hands it on.\n".repeat(40);
        let plan = format!("{filler}No infinite loop\nKeep: the old name\nNever write to the index.\n");
        assert_eq!(holding_after(&[&plan]), ["Never write to the index."]);
    }

    #[test]
    fn only_what_is_meant_is_withdrawn() {
        let stays = [
            ("Always update the docs.", "You can find the docs in /docs."),
            ("Always run the tests before you push.", "You can push now."),
            ("Make sure the tests pass.", "The tests no longer pass."),
            ("Never touch the users table.", "Drop the index on users."),
            ("Don't push to the remote.", "As you can see the remote is empty."),
        ];
        for (rule, later) in stays {
            assert_eq!(holding_after(&[rule, later])[0], rule, "{later}");
        }
        let goes = [
            ("Don't push to the remote.", "ok, you can push now"),
            ("Always use tabs.", "No, use spaces instead of tabs."),
            ("Run the linter after every change.", "You don't need to run the linter anymore."),
            ("Don't edit the schema.", "Actually it's fine to edit the schema."),
            ("Always squash the commits.", "Forget what I said about squashing."),
        ];
        for (rule, later) in goes {
            assert!(!holding_after(&[rule, later]).contains(&rule.to_owned()), "{later}");
        }
    }

    #[test]
    fn a_permission_with_a_condition_takes_the_place_of_the_rule() {
        let later = "You can push once the tests pass.";
        assert_eq!(holding_after(&["Don't push.", later]), [later]);
        assert_eq!(holding_after(&["Don't push to main.", later]), [later]);
    }

    #[test]
    fn a_withdrawn_rule_is_dropped_and_others_stay() {
        let rules = ["Don't push to the remote.", "Never edit the schema."];
        assert_eq!(holding_after(&[rules[0], rules[1], "You can push to the remote now."]), [rules[1]]);
        assert_eq!(holding_after(&[rules[0], rules[1], "forget the schema rule"]), [rules[0]]);
    }

    #[test]
    fn what_somebody_else_is_quoted_with_is_no_rule() {
        let said =
            "> Never use tabs.\n>> Always ask Bob.\nBob wrote that. Don't push to main.\n  > No emojis.";
        assert_eq!(holding_after(&[said]), ["Don't push to main."]);
        assert_eq!(holding_after(&[">= 3 spaces must stay"]), ["= 3 spaces must stay"]);
    }

    #[test]
    fn a_rule_said_again_counts_once_in_its_later_wording() {
        let said = holding_after(&[
            "Always use tabs for indentation.",
            "ok",
            "always use tabs for the indentation!",
        ]);
        assert_eq!(said, ["always use tabs for the indentation!"]);
    }
}
