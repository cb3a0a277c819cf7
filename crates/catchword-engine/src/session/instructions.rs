//! The person's standing instructions: those in force, and those withdrawn.
//!
//! Taken only from the person's own sentences, so no tool output, file or other agent can plant one.

use std::collections::{BTreeSet, HashMap};

use super::{Prompt, ProposedPlan, Session};
use crate::model::entry::Place;
use crate::reading::prose::{RuleLifetime, Withdrawal};
use crate::reading::statements::{Demand, Tells, is_long};
use crate::record::{Message, Voice};
use crate::text::stems::Stem;

/// The plan the person approved, unless they withdrew it later: "forget the plan".
pub fn plan_in_force(session: &Session) -> Option<&ProposedPlan> {
    let plan = session.plan.as_ref().filter(|p| p.approved == Some(true))?;
    let taken_back = demands(session, true).any(|(prompt, demand, _)| {
        prompt.place > plan.place && demand.withdraws == Some(Withdrawal::Any) && demand.names_plan
    });
    (!taken_back).then_some(plan)
}

/// What was demanded, oldest first: by the person, or by whoever else sends prompts.
fn demands(session: &Session, by_person: bool) -> impl Iterator<Item = (Message<'_>, &Demand, &str)> {
    let prompts = session.record.messages().filter(|message| message.who != Voice::Agent);
    let prompts = prompts.filter(move |prompt| (prompt.who == Voice::Person) == by_person);
    prompts.flat_map(|prompt| {
        let says = prompt.lines.iter().flat_map(|line| line.says.iter().map(move |one| (line, one)));
        says.filter_map(move |(line, one)| match &one.tells {
            Tells::Demand(demand) => Some((prompt, &**demand, one.sentence(&line.words))),
            _ => None,
        })
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub place: Place,
    /// Verbatim.
    pub text: String,
    /// The person typed it; otherwise it is from a document they pasted.
    pub typed: bool,
    /// It says itself that it applies beyond the request.
    pub is_lasting: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    pub rule: Instruction,
    /// The sentence that withdrew it.
    pub by: Instruction,
}

/// The rules in force, oldest first, verbatim, with their place: not restated later, withdrawn, or limited to a finished
/// request.
pub fn in_force(session: &Session) -> Vec<Instruction> {
    let (mut given, _) = follow(session);
    given.retain(|given| given.term == RuleLifetime::Lasting || !is_over(given, session.asked()));
    given.into_iter().map(|given| given.rule).collect()
}

/// The instructions that were withdrawn and not given again.
pub fn withdrawn(session: &Session) -> Vec<Withdrawn> {
    follow(session).1.into_iter().map(|(given, by)| Withdrawn { rule: given.rule, by }).collect()
}

/// Whether an instruction for one request has ended: the agent has worked since, and the person asked for something
/// else.
fn is_over(given: &FollowedInstruction, prompts: &[Prompt]) -> bool {
    let later = prompts.iter().rev().take_while(|prompt| prompt.place > given.rule.place);
    later.into_iter().any(|prompt| prompt.turn > given.turn && !prompt.reads.is_reply)
}

/// The rules in force, and the withdrawn ones with the sentence that withdrew them.
type Followed<'a> = (Vec<FollowedInstruction<'a>>, Vec<(FollowedInstruction<'a>, Instruction)>);

/// Applies all demands in order.
fn follow(session: &Session) -> Followed<'_> {
    let mut rules: RuleSet<()> = RuleSet::default();
    let mut gone: RuleSet<Instruction> = RuleSet::default();
    let all = demands(session, !session.prompts.is_empty());
    for (prompt, demand, sentence) in all.filter(|(_, _, sentence)| !is_long(sentence)) {
        let said = || Instruction {
            place: prompt.place,
            text: sentence.to_owned(),
            typed: demand.typed,
            is_lasting: demand.is_lasting,
        };
        let rest = demand.withdraws.map(|what| {
            let (taken, rest) = withdraw(&mut rules, what, demand);
            for known in taken {
                gone.push(known, said());
            }
            rest
        });
        let term = match rest {
            Some(Rest::Instruction) => Some(RuleLifetime::Lasting),
            Some(Rest::Nothing) => None,
            Some(Rest::Untouched) | None => demand.rule,
        };
        if let Some(term) = term {
            let later = FollowedInstruction { rule: said(), term, turn: prompt.turn, demand };
            // Restated or changed: the later wording replaces the earlier one.
            rules.drop_overridden(&later);
            gone.drop_overridden(&later);
            rules.push(later, ());
        }
    }
    (rules.left().map(|(rule, ())| rule).collect(), gone.left().collect())
}

/// Rules in order, found by the words of their subjects: a new one is compared only with those that it may override, not
/// with thousands that have nothing to do with it.
struct RuleSet<'a, T> {
    rules: Vec<Option<(FollowedInstruction<'a>, T)>>,
    by_word: HashMap<Stem, BTreeSet<usize>>,
    /// Each rule under one word of its subject, the rarest when it was added.
    by_rarest: HashMap<Stem, BTreeSet<usize>>,
    without_subject: BTreeSet<usize>,
}

impl<T> Default for RuleSet<'_, T> {
    fn default() -> Self {
        let (by_word, by_rarest) = (HashMap::new(), HashMap::new());
        RuleSet { rules: Vec::new(), by_word, by_rarest, without_subject: BTreeSet::new() }
    }
}

impl<'a, T> RuleSet<'a, T> {
    fn push(&mut self, rule: FollowedInstruction<'a>, with: T) {
        let at = self.rules.len();
        match self.rarest(&rule.demand.subject) {
            Some(word) => _ = self.by_rarest.entry(word).or_default().insert(at),
            None => _ = self.without_subject.insert(at),
        }
        for word in &rule.demand.subject {
            self.by_word.entry(*word).or_default().insert(at);
        }
        self.rules.push(Some((rule, with)));
    }

    /// The word that the fewest rules have.
    fn rarest(&self, words: &[Stem]) -> Option<Stem> {
        let words = words.iter().copied();
        words.min_by_key(|word| self.by_word.get(word).map_or(0, BTreeSet::len))
    }

    fn with_word(&self, word: Option<Stem>) -> impl Iterator<Item = usize> {
        word.and_then(|word| self.by_word.get(&word)).into_iter().flatten().copied()
    }

    /// The rules that `later` may override ([`FollowedInstruction::overrides`]): they have all words of its subject, or of
    /// what it replaces, or only words of its subject.
    fn candidates(&self, later: &FollowedInstruction) -> BTreeSet<usize> {
        let narrower = self.with_word(self.rarest(&later.demand.subject));
        let replaced = self.with_word(self.rarest(&later.demand.replaces));
        let included = later.demand.subject.iter().filter(|_| !later.demand.forbids);
        let included = included.filter_map(|word| self.by_rarest.get(word)).flatten().copied();
        let alike = self.without_subject.iter().filter(|_| later.demand.subject.is_empty()).copied();
        narrower.chain(replaced).chain(included).chain(alike).collect()
    }

    fn drop_overridden(&mut self, later: &FollowedInstruction) {
        let overridden =
            |at: &usize| self.rules[*at].as_ref().is_some_and(|(known, _)| later.overrides(known));
        let gone: Vec<usize> = self.candidates(later).into_iter().filter(overridden).collect();
        for at in gone {
            self.take(at);
        }
    }

    /// Removes the rules for which `is_meant` holds, of those that share a word with `about`; in order.
    fn extract(
        &mut self,
        about: &[Stem],
        mut is_meant: impl FnMut(&FollowedInstruction) -> bool,
    ) -> Vec<FollowedInstruction<'a>> {
        let near: BTreeSet<usize> = about.iter().flat_map(|word| self.with_word(Some(*word))).collect();
        let meant = |at: &usize| self.rules[*at].as_ref().is_some_and(|(known, _)| is_meant(known));
        let meant: Vec<usize> = near.into_iter().filter(meant).collect();
        meant.into_iter().filter_map(|at| self.take(at)).map(|(rule, _)| rule).collect()
    }

    fn take(&mut self, at: usize) -> Option<(FollowedInstruction<'a>, T)> {
        let taken = self.rules[at].take()?;
        self.without_subject.remove(&at);
        for word in &taken.0.demand.subject {
            for words in [&mut self.by_word, &mut self.by_rarest] {
                if let Some(rules) = words.get_mut(word) {
                    rules.remove(&at);
                }
            }
        }
        Some(taken)
    }

    fn left(self) -> impl Iterator<Item = (FollowedInstruction<'a>, T)> {
        self.rules.into_iter().flatten()
    }
}

#[cfg(test)]
thread_local! {
    /// Comparisons of two rules on this thread.
    static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A rule with what it demands.
struct FollowedInstruction<'a> {
    rule: Instruction,
    term: RuleLifetime,
    /// Number of the agent's turns before it.
    turn: u32,
    demand: &'a Demand,
}

impl FollowedInstruction<'_> {
    /// Whether this rule replaces an earlier one: it has the same subject, is wider, or names the earlier one as
    /// replaced. A narrower rule does not replace a wider one.
    fn overrides(&self, earlier: &FollowedInstruction) -> bool {
        #[cfg(test)]
        COMPARED.set(COMPARED.get() + 1);
        let (own, earlier) = (self.demand, earlier.demand);
        let in_its_place =
            !earlier.forbids && !own.replaces.is_empty() && is_within(&own.replaces, &earlier.subject);
        let is_wider = match (own.forbids, earlier.forbids) {
            // "Don't push" includes "don't push to main".
            (true, true) => !own.subject.is_empty() && is_within(&own.subject, &earlier.subject),
            // "Run the tests and the linter" includes "run the tests".
            (false, false) => earlier.subject.len() >= 2 && is_within(&earlier.subject, &own.subject),
            _ => false,
        };
        in_its_place || is_wider || own.subject == earlier.subject
    }
}

/// Whether the second list, which is in order, has all of the first.
fn is_within(some: &[Stem], all: &[Stem]) -> bool {
    some.iter().all(|word| all.binary_search(word).is_ok())
}

/// What a withdrawal leads to.
#[derive(PartialEq)]
enum Rest {
    /// It matches no rule.
    Untouched,
    /// It withdraws a rule and says nothing else.
    Nothing,
    /// It matches a rule and is itself a rule, in addition or instead.
    Instruction,
}

/// Removes the rules that a sentence withdraws. A permission lifts prohibitions, a release lifts duties: "you can push"
/// does not lift "always test before you push". It may name nothing outside the rule's subject: "you can run it on
/// staging" does not lift "don't run it in production". In doubt both stay.
fn withdraw<'a>(
    rules: &mut RuleSet<'a, ()>,
    what: Withdrawal,
    said: &Demand,
) -> (Vec<FollowedInstruction<'a>>, Rest) {
    let mut rest = Rest::Untouched;
    let taken = rules.extract(&said.subject, |known| {
        let is_kind = match what {
            Withdrawal::Prohibition => known.demand.forbids,
            Withdrawal::Duty => !known.demand.forbids,
            Withdrawal::Any => true,
        };
        if !is_kind {
            return false;
        }
        let is_lifted = lifts(what, said, known.demand);
        let says_more = what != Withdrawal::Any && (!is_lifted || said.is_conditional);
        if says_more {
            rest = Rest::Instruction;
        } else if is_lifted && rest == Rest::Untouched {
            rest = Rest::Nothing;
        }
        is_lifted
    });
    (taken, rest)
}

/// Whether a withdrawal lifts the whole rule.
fn lifts(what: Withdrawal, said: &Demand, rule: &Demand) -> bool {
    // Any other word makes it narrower, or about something else.
    let covers = !said.frees.is_empty() && is_within(&said.frees, &rule.subject);
    match what {
        Withdrawal::Any => covers,
        Withdrawal::Duty => covers && !said.is_for_once,
        Withdrawal::Prohibition => {
            let is_exact = said.frees.len() == rule.subject.len();
            covers && !said.is_for_once && !rule.is_unless_asked && (is_exact || !rule.is_general)
        }
    }
}

#[cfg(test)]
mod tests {
    use catchword_testkit::Transcript;
    use proptest::prelude::*;

    use super::*;
    use crate::model::entry::{Entry, Part};
    use crate::model::origin::Origin;
    use crate::session::tests::fold;

    fn prompted(session: &mut Session, place: u32, text: &str) {
        let part = Part::Prompt { text: text.to_owned(), origin: Origin::Typed, queued: false };
        session.apply(&Entry { place: Place(place), parts: vec![part], ..Entry::default() });
    }

    fn texts(session: &Session) -> Vec<String> {
        in_force(session).into_iter().map(|rule| rule.text).collect()
    }

    fn holding_after(prompts: &[&str]) -> Vec<String> {
        let mut session = Session::default();
        for (n, text) in prompts.iter().enumerate() {
            prompted(&mut session, n as u32 + 1, text);
        }
        texts(&session)
    }

    /// A session of thousands of rules must not cost the square of their number at each hook.
    #[test]
    fn a_rule_is_compared_only_with_those_that_it_may_override() {
        let compared = |count: usize| {
            // Words are compared by their first letters.
            let word = |n: usize| -> String {
                (0..5).map(|digit| char::from(b'b' + (n / 7usize.pow(digit) % 7) as u8)).collect()
            };
            let prompts: Vec<String> = (0..count)
                .map(|n| match n % 2 {
                    0 => format!("Never touch the file {}.", word(n)),
                    _ => format!("Always run the linter for {}.", word(n)),
                })
                .collect();
            COMPARED.set(0);
            let texts: Vec<&str> = prompts.iter().map(String::as_str).collect();
            assert_eq!(holding_after(&texts).len(), count);
            COMPARED.get()
        };
        let (few, many) = (compared(150), compared(1_500));
        assert!(many <= few * 10 + 150 * 10, "{few} comparisons of 150 rules, {many} of 1,500");
    }

    proptest! {
        #[test]
        fn what_a_rule_overrides_is_found_by_its_words(
            rules in prop::collection::vec((prop::bool::ANY, prop::collection::btree_set(0..4_u32, 0..4), prop::collection::btree_set(0..4_u32, 0..2)), 1..12),
        ) {
            let demands: Vec<Demand> = rules.into_iter().map(|(forbids, subject, replaces)| Demand {
                forbids, subject: subject.into_iter().collect(), replaces: replaces.into_iter().collect(),
                ..Demand::default()
            }).collect();
            let rules = demands.iter().map(|demand| FollowedInstruction {
                rule: Instruction { place: Place(1), text: String::new(), typed: true, is_lasting: true },
                term: RuleLifetime::Lasting, turn: 0, demand,
            });
            let mut set: RuleSet<()> = RuleSet::default();
            for later in rules {
                let known = set.rules.iter().enumerate().filter_map(|(at, rule)| Some((at, &rule.as_ref()?.0)));
                let expected: Vec<usize> = known.filter(|(_, known)| later.overrides(known)).map(|(at, _)| at).collect();
                let near = set.candidates(&later);
                prop_assert!(expected.iter().all(|at| near.contains(at)), "{expected:?} of {near:?}");
                set.drop_overridden(&later);
                set.push(later, ());
            }
        }
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
    fn statements_and_questions_are_not_rules() {
        for text in [
            "I don't know why it fails.",
            "Why don't we use tabs?",
            "The test does pass now.",
            "I don't think that is it.",
            "Fix the login bug.",
            "we don't have time",
            "When you commit code of an agent, Acme captures the full session alongside the commit.",
            "Edge case про “modal should not prevent critical system functions” не учтён.",
        ] {
            assert_eq!(holding_after(&[text]), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn rules_are_found_in_any_wording() {
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
    fn reports_guesses_and_tasks_are_not_rules() {
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
    fn only_plain_demands_of_a_long_text_are_rules() {
        let filler = "The writer takes one page after the other and hands it on.\n".repeat(40);
        let plan = format!("{filler}No infinite loop\nKeep: the old name\nNever write to the index.\n");
        assert_eq!(holding_after(&[&plan]), ["Never write to the index."]);
    }

    #[test]
    fn withdrawal_affects_only_the_rule_it_names() {
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

    /// A prohibition, and a permission narrower than it.
    const NARROWER: [(&str, &str); 16] = [
        ("Don't run migrations against production.", "You can run the migrations on staging."),
        ("Don't push.", "You can push to the feature branch."),
        ("Never delete files.", "You may delete the temporary files in build/."),
        ("Do not deploy anything.", "It's fine to deploy the docs."),
        ("Don't touch the database.", "You can read the database."),
        ("Never push to main.", "ok, you can push now"),
        ("Don't add dependencies.", "Feel free to add dev dependencies."),
        ("Please don't edit the tests.", "You're allowed to edit the tests of the parser."),
        ("You must not change the public API.", "It's ok to change the private API."),
        ("Never commit without asking me.", "You can commit now."),
        ("No new files in src/.", "You can create new files in tests/."),
        ("Don't restart the server.", "Go ahead and restart the server on the test machine."),
        ("Avoid network access.", "You may use the network for the download script."),
        ("Don't use mocks.", "You can use mocks this time."),
        ("Under no circumstances drop a table.", "You can drop the temporary table of the importer."),
        ("Don't rename public functions.", "Renaming the helpers is fine now."),
    ];

    #[test]
    fn narrower_permission_does_not_lift_a_prohibition() {
        for (rule, permission) in NARROWER {
            let both = holding_after(&[rule, permission]);
            assert_eq!(both.first().map(String::as_str), Some(rule), "{permission}: {both:?}");
            // In the other order the prohibition is the later one and stays, too.
            assert!(holding_after(&[permission, rule]).contains(&rule.to_owned()), "{permission}");
        }
    }

    #[test]
    fn narrower_permission_is_listed_after_the_prohibition() {
        for (rule, permission) in NARROWER {
            let mut session = Session::default();
            prompted(&mut session, 1, rule);
            prompted(&mut session, 2, permission);
            let said: Vec<&Demand> = demands(&session, true).map(|(_, demand, _)| demand).collect();
            let [given, allowed] = said[..] else { panic!("{rule} {permission}") };
            if given.subject.iter().any(|word| allowed.subject.contains(word)) {
                assert_eq!(texts(&session), [rule, permission]);
            }
        }
    }

    #[test]
    fn full_permission_lifts_a_prohibition() {
        for (rule, permission) in [
            ("Don't run migrations against production.", "You can run migrations against production now."),
            ("Don't run migrations against production.", "ok, you can run the migrations"),
            ("Don't push to the remote.", "You may push now."),
            ("Never delete files.", "It's fine to delete files."),
            ("Don't touch the database.", "You're allowed to touch the database again."),
            ("Do not deploy until I say so.", "You can deploy now."),
            ("Never use mocks.", "Using mocks is fine after all."),
        ] {
            assert_eq!(holding_after(&[rule, permission]), Vec::<String>::new(), "{rule} / {permission}");
        }
    }

    #[test]
    fn narrower_release_does_not_lift_a_duty() {
        for (rule, release) in [
            ("Always run the tests before you commit.", "You don't need to run the tests for the docs."),
            ("Run the linter after every change.", "No need to run the linter this time."),
            ("Always update the changelog.", "You don't have to update the changelog for typos."),
        ] {
            assert_eq!(holding_after(&[rule, release])[0], rule, "{release}");
        }
    }

    #[test]
    fn wider_rule_replaces_a_narrower_one_but_not_vice_versa() {
        for (first, second) in [
            ("Don't run migrations against production.", "Don't run migrations against staging."),
            ("Don't push.", "Don't push to main."),
            ("Always use tabs in Makefiles.", "Always use spaces in YAML files."),
            ("Never edit the schema.", "Never edit the schema tests."),
        ] {
            assert_eq!(holding_after(&[first, second]), [first, second]);
        }
        assert_eq!(holding_after(&["Don't push to main.", "Don't push."]), ["Don't push."]);
        let both = "Always run the tests and the linter before a commit.";
        assert_eq!(holding_after(&["Always run the tests before a commit.", both]), [both]);
    }

    #[test]
    fn rules_in_scripts_without_spaces_are_kept_apart() {
        let rules = ["不要修改数据库迁移文件。", "不要修改数据库连接设置。"];
        assert_eq!(holding_after(&rules), rules);
        assert_eq!(holding_after(&[rules[0], rules[0]]), [rules[0]]);
    }

    #[test]
    fn rule_for_one_request_ends_with_it() {
        let asked = "Write the page. Make sure it has no date. Also don't give it a number. Never use tabs.";
        let all = ["Make sure it has no date.", "Also don't give it a number.", "Never use tabs."];
        let asked = || Transcript::new().prompt(asked);
        assert_eq!(texts(&fold(&asked())), all);
        assert_eq!(texts(&fold(&asked().says("Done.").prompt("thanks"))), all, "a reply asks for nothing");
        assert_eq!(texts(&fold(&asked().says("Done.").prompt("Now write the index."))), [all[2]]);
    }

    #[test]
    fn pasted_text_sets_no_rules() {
        for pasted in [
            "the build says:\n```\nNever call this twice.\n```",
            "it fails with\nTypeError: x\n    at load (app.js:3:9)\nNever retry\n    at main (app.js:9:1)",
            "2026-01-05 09:00:08 WARN always use UTC\n2026-01-05 09:00:09 WARN never use local time",
            "> Never use tabs.\n> Always ask Bob.",
            "diff --git a/x b/x\n@@ -1 +1 @@\n-Always use tabs.\n+Never use tabs.",
            "can you fix this comment:\n\nThe reader takes the lock twice when the file is empty, which nobody \
             expects of a reader of empty files. Never take it without a timeout.",
            "here is the settings page:\n\nProfile\nDefault\nYou must provide a valid key.\nDon't show again\nSave",
            "Implement the following plan:\n\n# Cache\n\n## Changes\n\nDon't fire the event. It must stay in sync.",
            "Before It Works:\nDependencies Must Be Built First:",
        ] {
            assert_eq!(holding_after(&[pasted]), Vec::<String>::new(), "{pasted}");
            let with_rule = format!("{pasted}\n\nand never push to main, please");
            assert_eq!(holding_after(&[&with_rule]), ["and never push to main, please"]);
        }
    }

    #[test]
    fn only_the_rules_section_of_a_document_sets_rules() {
        let plan = "Implement this:\n\n# Cache\n\n## Context\n\nNever fast enough.\n\n## Rules\n\n- Never evict \
                    a pinned entry.\n- Use pnpm, not npm.\n\n## Steps\n\n1. Don't fire the event.";
        assert_eq!(holding_after(&[plan]), ["Never evict a pinned entry.", "Use pnpm, not npm."]);
    }

    #[test]
    fn clauses_of_statements_and_questions_are_not_rules() {
        for text in [
            "Can you run the benchmarks of ours vs. the others and make sure it uses the GPU",
            "While this is consistent with the old field, using UTC would be safer and avoid surprises.",
            "I'm also challenging the fact that the file is unchanged, we don't diff it, we only go by events.",
            "no bugs, bottlenecks, broken logic, etc",
            "The old ones, after the upgrade, don't work.",
            "But you do not yet:",
        ] {
            assert_eq!(holding_after(&[text]), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn conditional_permission_replaces_the_rule() {
        let later = "You can push once the tests pass.";
        assert_eq!(holding_after(&["Don't push.", later]), [later]);
        assert_eq!(holding_after(&["Don't push to main.", later]), [later]);
    }

    #[test]
    fn withdrawing_one_rule_keeps_the_others() {
        let rules = ["Don't push to the remote.", "Never edit the schema."];
        assert_eq!(holding_after(&[rules[0], rules[1], "You can push to the remote now."]), [rules[1]]);
        assert_eq!(holding_after(&[rules[0], rules[1], "forget the schema rule"]), [rules[0]]);
    }

    #[test]
    fn quoted_text_sets_no_rules() {
        let said =
            "> Never use tabs.\n>> Always ask Bob.\nBob wrote that. Don't push to main.\n  > No emojis.";
        assert_eq!(holding_after(&[said]), ["Don't push to main."]);
        assert_eq!(holding_after(&[">= 3 spaces must stay"]), ["= 3 spaces must stay"]);
    }

    #[test]
    fn restated_rule_is_kept_once_in_its_later_wording() {
        let said = holding_after(&[
            "Always use tabs for indentation.",
            "ok",
            "always use tabs for the indentation!",
        ]);
        assert_eq!(said, ["always use tabs for the indentation!"]);
    }
}
