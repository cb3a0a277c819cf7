//! Whether a sentence sets a rule for the work, withdraws one, or neither.
//!
//! Words alone do not decide: "the tests don't pass" and "don't pass secrets" share theirs. Their position does. A
//! demand opens its clause ("don't …", "please never …"), has the listener or the team as its subject ("you should
//! never …", "we don't use …"), or contains a phrase that always demands ("must stay", "off limits").

use serde::{Deserialize, Serialize};

use super::languages;

/// What a sentence withdraws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Withdrawal {
    /// A prohibition: "you can push now".
    Prohibition,
    /// A duty: "no need to run the linter".
    Duty,
    /// Whatever it names: "forget the naming rule".
    Any,
}

type ClauseWords<'a> = Vec<&'a str>;

/// Words that may precede a demand without changing it.
pub const FILLERS: [&str; 26] = [
    "please",
    "also",
    "and",
    "but",
    "so",
    "ok",
    "okay",
    "oh",
    "btw",
    "hey",
    "then",
    "just",
    "again",
    "yes",
    "yeah",
    "well",
    "actually",
    "really",
    "now",
    "alright",
    "additionally",
    "finally",
    "important",
    "note",
    "kindly",
    "anyway",
];

/// Phrases that open a demand.
const OPENINGS: [&str; 25] = [
    "don't",
    "do not",
    "dont",
    "never",
    "always",
    "avoid",
    "from now on",
    "make sure",
    "be sure to",
    "ensure",
    "remember to",
    "remember that",
    "prefer",
    "must",
    "no need to",
    "be careful",
    "refrain from",
    "keep in mind",
    "try to avoid",
    "try not to",
    "let's not",
    "under no circumstances",
    "hands off",
    "stick to",
    "stick with",
];

/// Phrases that demand anywhere in a clause.
const NORMS: [&str; 41] = [
    "should never",
    "should always",
    "should not",
    "shouldn't",
    "must not",
    "must never",
    "must always",
    "mustn't",
    "must",
    "must be",
    "must have",
    "must stay",
    "must remain",
    "must pass",
    "must work",
    "not allowed",
    "off limits",
    "off-limits",
    "under no circumstances",
    "at all times",
    "without asking",
    "unless i",
    "until i",
    "from now on",
    "going forward",
    "in the future",
    "in future",
    "i don't want",
    "i do not want",
    "i'd rather",
    "i would rather",
    "i prefer",
    "i'd prefer",
    "we prefer",
    "we never",
    "we always",
    "we only",
    "we don't",
    "we do not",
    "you don't need to",
    "you don't have to",
];

/// Phrases that make an order apply every time.
const EVERY: [&str; 16] = [
    "after every",
    "after each",
    "before every",
    "before each",
    "before any",
    "every time you",
    "each time you",
    "whenever you",
    "before you",
    "before committing",
    "before pushing",
    "before merging",
    "before deploying",
    "before releasing",
    "when you're done",
    "when you are done",
];

/// Phrases that make an order a choice or a limit.
const CHOICES: [&str; 14] = [
    "not",
    "instead",
    "instead of",
    "rather than",
    "only",
    "alone",
    "for all",
    "for every",
    "for everything",
    "everywhere",
    "throughout",
    "untouched",
    "unchanged",
    "as is",
];

/// Words that begin a statement or a question, not an order.
const SUBJECTS: [&str; 73] = [
    "the",
    "a",
    "an",
    "it",
    "it's",
    "this",
    "that",
    "that's",
    "these",
    "those",
    "i",
    "i'm",
    "i've",
    "we",
    "we're",
    "they",
    "he",
    "she",
    "there",
    "there's",
    "my",
    "our",
    "your",
    "its",
    "their",
    "some",
    "all",
    "every",
    "each",
    "no",
    "nothing",
    "why",
    "how",
    "what",
    "where",
    "who",
    "which",
    "when",
    "if",
    "because",
    "since",
    "you",
    "users",
    "people",
    "in",
    "on",
    "at",
    "for",
    "with",
    "from",
    "to",
    "of",
    "as",
    "by",
    "not",
    "maybe",
    "perhaps",
    "currently",
    "alternatively",
    "however",
    "otherwise",
    "yes",
    "hmm",
    "sorry",
    "great",
    "looks",
    "while",
    "although",
    "though",
    "once",
    "given",
    "unlike",
    "here",
];

/// Verbs that make a statement.
const FINITE: [&str; 15] = [
    "is", "are", "was", "were", "has", "have", "had", "found", "does", "did", "exists", "works", "shows",
    "runs", "appears",
];

/// Verbs of knowing and having: "(I) don't know" is not an order.
const STATES: [&str; 13] = [
    "know",
    "think",
    "see",
    "understand",
    "believe",
    "recall",
    "remember",
    "have",
    "get",
    "got",
    "seem",
    "need",
    "even",
];

/// How long a demand holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RuleLifetime {
    /// Until it is withdrawn.
    Lasting,
    /// For the request it came with: "make sure it compiles".
    Request,
}

/// What a sentence withdraws, if anything.
pub fn withdrawal(sentence: &str) -> Option<Withdrawal> {
    // The "and" of "go ahead and" does not begin a clause.
    let permission = lowered(sentence).replace("go ahead and ", "go ahead with ");
    clauses(&permission).iter().find_map(|clause| withdrawn(opened(clause)))
}

/// How long the rule in a sentence holds; `None` if it sets no rule, such as a request for a piece of work.
pub fn rule(sentence: &str) -> Option<RuleLifetime> {
    let lower = lowered(sentence);
    let clauses = clauses(&lower);
    let first = clauses.first()?;
    if lower.ends_with(['?', ':', '？', '：']) || asks(first) {
        return None;
    }
    if languages::is_rule(&lower) {
        return Some(RuleLifetime::Lasting);
    }
    is_rule(&lower, &clauses).then(|| term(&lower, &clauses))
}

/// A demand that is recognisable without context: in a long text no other counts.
pub fn is_plain_demand(sentence: &str) -> bool {
    let lower = lowered(sentence);
    let clauses = clauses(&lower);
    clauses.first().is_some_and(|first| opens_demand(opened(first)) || has_norm(first))
        || languages::is_rule(&lower)
}

/// A line of a document that is a rule for its readers: it opens with a word such as "never".
pub fn is_written_rule(sentence: &str) -> bool {
    const OPENINGS: [&str; 4] = ["never", "always", "from now on", "under no circumstances"];
    let lower = lowered(sentence);
    let clauses = clauses(&lower);
    let Some(first) = clauses.first().filter(|_| !lower.ends_with(['?', ':'])) else { return false };
    let opens = OPENINGS.iter().any(|opening| starts(opened(first), opening)) && opens_demand(opened(first));
    (opens && !is_about_it(opened(first))) || languages::is_rule(&lower)
}

fn is_rule(lower: &str, clauses: &[ClauseWords]) -> bool {
    let first = &clauses[0];
    let is_led_by_order = is_order(first) || opened(first).len() <= 2;
    let demands = clauses.iter().enumerate().any(|(at, clause)| {
        let clause = opened(clause);
        // "The new form is faster and avoids …": a clause after a statement describes, unless its opening is strong.
        let may_open = at == 0 || is_led_by_order || STRONG.iter().any(|cue| starts(clause, cue));
        (may_open && opens_demand(clause)) || ((at == 0 || !is_about_the_team(clause)) && has_norm(clause))
    });
    demands
        || limits(opened(first))
        || is_order_with_scope(clauses)
        || is_correction(clauses)
        || is_condition(clauses)
        || forbids_a_thing(first)
        || describes_environment(lower, clauses)
}

/// Openings that demand even after a statement.
const STRONG: [&str; 12] = [
    "don't",
    "do not",
    "dont",
    "never",
    "always",
    "from now on",
    "under no circumstances",
    "let's not",
    "be careful",
    "hands off",
    "no need to",
    "try not to",
];

/// "We don't diff it": in a later clause this describes how things are.
fn is_about_the_team(clause: &[&str]) -> bool {
    clause.first() == Some(&"we")
}

/// "Make sure it compiles" ends with the request; "never push" does not.
fn term(lower: &str, clauses: &[ClauseWords]) -> RuleLifetime {
    const OF_A_REQUEST: [&str; 6] = ["make sure", "be sure to", "ensure", "remember to", "must", "try to"];
    let is_general = has_general_word(lower) || EVERY.iter().any(|cue| lower.contains(cue));
    let is_passing = |clause: &ClauseWords| {
        let clause = opened(clause);
        !opens_demand(clause) || OF_A_REQUEST.iter().any(|cue| starts(clause, cue)) || is_about_it(clause)
    };
    let opens = clauses.iter().any(|clause| opens_demand(opened(clause)));
    if opens && !is_general && clauses.iter().all(is_passing) {
        RuleLifetime::Request
    } else {
        RuleLifetime::Lasting
    }
}

/// Words that make a demand apply beyond the current request.
fn has_general_word(lower: &str) -> bool {
    const WORDS: [&str; 9] =
        ["never", "always", "ever", "every", "each", "whenever", "anymore", "again", "throughout"];
    const PHRASES: [&str; 7] = [
        "from now on",
        "going forward",
        "in the future",
        "in future",
        "at all times",
        "under no circumstances",
        "any more",
    ];
    words(lower).any(|word| WORDS.contains(&word)) || PHRASES.iter().any(|phrase| lower.contains(phrase))
}

/// "Don't give it a number": about one thing, not a rule.
fn is_about_it(clause: &[&str]) -> bool {
    let Some(opening) = OPENINGS.iter().find(|opening| starts(clause, opening)) else { return false };
    let object = clause.get(opening.split(' ').count() + 1);
    object.is_some_and(|word| matches!(*word, "it" | "this" | "that" | "them" | "these" | "those"))
}

/// Whether a permission has a condition, which makes it a rule itself.
pub fn is_conditional(sentence: &str) -> bool {
    unconditional(sentence).len() < without_after_all(sentence).len()
}

/// The sentence up to its condition, in lower case.
pub fn unconditional(sentence: &str) -> String {
    const CONDITIONS: [&str; 9] = ["once", "after", "if", "when", "only", "unless", "until", "but", "except"];
    let lower = without_after_all(sentence);
    let mut from = 0;
    for word in lower.split_inclusive(char::is_whitespace) {
        if words(word).any(|word| CONDITIONS.contains(&word)) {
            return lower[..from].to_owned();
        }
        from += word.len();
    }
    lower
}

/// Whether a permission or release applies only this time.
pub fn is_for_once(sentence: &str) -> bool {
    const ONCE: [&str; 12] = [
        "this time",
        "this once",
        "just this",
        "for now",
        "for this",
        "for today",
        "just once",
        "only once",
        "this one",
        "in this case",
        "right now",
        "temporarily",
    ];
    let lower = lowered(sentence);
    ONCE.iter().any(|cue| lower.contains(cue))
}

/// Whether a prohibition names its own exception. A later permission is then that exception and does not withdraw the
/// rule.
pub fn allows_asking(rule: &str) -> bool {
    const UNLESS: [&str; 8] = [
        "without asking",
        "without my",
        "without permission",
        "without approval",
        "unless i",
        "ask me first",
        "ask first",
        "before asking",
    ];
    let lower = lowered(rule);
    UNLESS.iter().any(|cue| lower.contains(cue))
}

/// Whether the rule says "never".
pub fn says_never(rule: &str) -> bool {
    has_any(rule, &["never", "ever"]) || lowered(rule).contains("under no circumstances")
}

/// "After all" is not a condition.
fn without_after_all(sentence: &str) -> String {
    lowered(sentence).replace("after all", "")
}

/// Whether a sentence forbids or limits something.
pub fn is_prohibition(sentence: &str) -> bool {
    has_any(
        sentence,
        &[
            "don't",
            "dont",
            "not",
            "never",
            "avoid",
            "no",
            "stop",
            "only",
            "without",
            "unless",
            "until",
            "shouldn't",
            "mustn't",
            "refrain",
            "off",
        ],
    ) || languages::forbids(&lowered(sentence))
}

/// What a sentence replaces: the "npm" of "use pnpm instead of npm".
pub fn replaced(sentence: &str) -> Option<String> {
    let lower = lowered(sentence);
    let (_, behind) =
        [" instead of ", " rather than ", ", not "].iter().find_map(|cue| lower.split_once(cue))?;
    Some(behind.split([',', ';', '(']).next().unwrap_or(behind).to_owned())
}

/// Lower case, with one kind of apostrophe.
pub fn lowered(sentence: &str) -> String {
    sentence.to_lowercase().replace('’', "'")
}

/// The words of a lower-case text, without the punctuation around them.
pub fn words(lower: &str) -> impl Iterator<Item = &str> {
    let bare = lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|w| !w.is_empty())
}

fn has_any(sentence: &str, marks: &[&str]) -> bool {
    words(&lowered(sentence)).any(|word| marks.contains(&word))
}

/// The clauses of a sentence as words. File names and numbers keep their inner punctuation.
fn clauses(lower: &str) -> Vec<ClauseWords<'_>> {
    let pieces = lower.split([';', '(', ')', '—', '–', '"']).flat_map(|p| p.split(", "));
    let pieces = pieces.flat_map(|p| p.split(": ")).flat_map(|p| p.split(" - "));
    let pieces = pieces.flat_map(|p| p.split(" and ")).flat_map(|p| p.split(" but "));
    pieces.map(|p| words(p).collect::<ClauseWords>()).filter(|c| !c.is_empty()).collect()
}

/// A clause without its fillers.
fn opened<'a, 'b>(clause: &'b [&'a str]) -> &'b [&'a str] {
    let fillers = clause.iter().take_while(|w| FILLERS.contains(w)).count();
    &clause[fillers..]
}

fn starts(clause: &[&str], phrase: &str) -> bool {
    let mut words = clause.iter();
    phrase.split(' ').all(|expected| words.next() == Some(&expected))
}

fn find(clause: &[&str], phrase: &str) -> Option<usize> {
    (0..clause.len()).find(|at| starts(&clause[*at..], phrase))
}

fn asks(clause: &[&str]) -> bool {
    const QUESTIONS: [&str; 14] = [
        "why", "how", "what", "where", "who", "which", "can", "could", "should", "is", "are", "does", "did",
        "would",
    ];
    opened(clause).first().is_some_and(|word| QUESTIONS.contains(word))
}

/// "Don't …", "always …", "stop adding …".
fn opens_demand(clause: &[&str]) -> bool {
    let Some(opening) = OPENINGS.iter().find(|o| starts(clause, o)) else {
        return starts(clause, "stop") && clause.get(1).is_some_and(|verb| verb.ends_with("ing"));
    };
    let Some(next) = clause.get(opening.split(' ').count()) else { return false };
    match *opening {
        "don't" | "dont" | "do not" => is_order_not_to(next, clause),
        // "Always fails", "never returns": descriptions, not demands.
        "always" | "never" => *next != "mind" && (!next.ends_with('s') || next.ends_with("ss")),
        _ => true,
    }
}

/// "Only edit the tests", "keep the diff small". These words also open many statements.
fn limits(clause: &[&str]) -> bool {
    let [first, next, rest @ ..] = clause else { return false };
    match *first {
        "only" => !is_amount(next) && !rest.iter().any(|w| FINITE.contains(w)),
        "keep" => !next.ends_with("ing"),
        _ => false,
    }
}

fn is_order_not_to(verb: &str, clause: &[&str]) -> bool {
    const HAPPENS: [&str; 12] = [
        "work", "pass", "show", "exist", "appear", "match", "load", "render", "compile", "happen", "fail",
        "start",
    ];
    let duty = matches!(verb, "have" | "need") && find(clause, &format!("{verb} to")).is_some();
    // "The old ones, after the upgrade, don't work."
    let happens = HAPPENS.contains(&verb) && clause.last() == Some(&verb);
    duty || !(happens || STATES.contains(&verb) || matches!(verb, "we" | "you" | "i"))
}

fn is_amount(word: &str) -> bool {
    const AMOUNTS: [&str; 11] =
        ["a", "an", "one", "two", "three", "four", "five", "some", "few", "half", "part"];
    AMOUNTS.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit())
}

/// "You should never …", "… must stay …", "we don't use …".
fn has_norm(clause: &[&str]) -> bool {
    NORMS.iter().any(|norm| find(clause, norm).is_some_and(|at| is_norm_there(clause, norm, at)))
        || is_order_to_listener(clause)
}

fn is_norm_there(clause: &[&str], norm: &str, at: usize) -> bool {
    let subject = at.checked_sub(1).map(|before| clause[before]);
    let next = clause.get(at + norm.split(' ').count()).copied().unwrap_or_default();
    let vague = matches!(subject, Some("it" | "this" | "that" | "there" | "something" | "which"));
    match norm {
        "must" => !vague && at > 0 && !matches!(next, "be" | "have" | ""),
        "must be" => !vague,
        // "Must have had a reason" guesses, "must have a test" demands.
        "must have" => !vague && !next.ends_with("ed") && !matches!(next, "been" | "had" | "gone" | "done"),
        "should not" | "shouldn't" => {
            !matches!(next, "happen" | "fail" | "crash" | "occur" | "matter" | "take")
        }
        "in the future" | "in future" => {
            !clause.iter().any(|w| matches!(*w, "may" | "might" | "could" | "will" | "would"))
        }
        "we don't" | "we do not" | "we never" | "we always" | "we only" => {
            let first = at == 0 || FILLERS.contains(&clause[at - 1]);
            first && !STATES.contains(&next) && !next.is_empty()
        }
        _ => true,
    }
}

/// "You never …", "and please don't …": an opening right after "you" or "please".
fn is_order_to_listener(clause: &[&str]) -> bool {
    let Some(at) = clause.iter().position(|w| matches!(*w, "you" | "please")) else { return false };
    let condition = clause[..at].iter().any(|w| matches!(*w, "if" | "when" | "because" | "that" | "as"));
    !condition && opens_demand(opened(&clause[at + 1..]))
}

fn is_order(clause: &[&str]) -> bool {
    let first = opened(clause).first();
    first.is_some_and(|word| !SUBJECTS.contains(word) && !word.ends_with("ing") && !is_amount(word))
}

/// "Use pnpm, not npm", "leave it alone", "run the tests after every change".
fn is_order_with_scope(clauses: &[ClauseWords]) -> bool {
    const VERBS: [&str; 9] = ["use", "keep", "leave", "stick", "write", "put", "name", "work", "prefer"];
    let Some(first) = clauses.iter().map(|c| opened(c)).find(|c| !c.is_empty()) else { return false };
    let has = |cues: &[&str]| clauses.iter().any(|c| cues.iter().any(|cue| find(c, cue).is_some()));
    let polite = clauses[0].contains(&"please") && starts(first, "use");
    polite || (VERBS.contains(&first[0]) && has(&CHOICES)) || (is_order(first) && has(&EVERY))
}

/// "No, use X", "wait, I meant Y", "no, it should be Z".
fn is_correction(clauses: &[ClauseWords]) -> bool {
    const CORRECTIONS: [&str; 12] = [
        "use",
        "keep",
        "put",
        "make it",
        "do it",
        "i meant",
        "i want",
        "it should",
        "that should",
        "it has to",
        "it's called",
        "leave",
    ];
    let [first, second, ..] = clauses else { return false };
    let objects = first.len() <= 2 && matches!(first[0], "no" | "nope" | "wait" | "not");
    objects && CORRECTIONS.iter().any(|correction| starts(opened(second), correction))
}

/// "When you change X, update Y".
fn is_condition(clauses: &[ClauseWords]) -> bool {
    const CONDITIONS: [&str; 6] =
        ["when you", "whenever you", "if you", "every time you", "each time you", "before you"];
    let [first, rest @ ..] = clauses else { return false };
    let wishes = opened(first).get(2).is_some_and(|verb| matches!(*verb, "need" | "want" | "like"));
    let conditional = !wishes && CONDITIONS.iter().any(|c| starts(opened(first), c));
    conditional && rest.first().is_some_and(|clause| is_order(clause) && !tells_what_happens(clause))
}

/// "When you push, Acme captures the session": a page says what its product does.
fn tells_what_happens(clause: &[&str]) -> bool {
    const DETERMINERS: [&str; 10] = ["the", "a", "an", "your", "its", "this", "that", "all", "each", "every"];
    let [_, verb, object, ..] = opened(clause) else { return false };
    verb.ends_with('s') && !verb.ends_with("ss") && DETERMINERS.contains(object)
}

/// "No new dependencies."
fn forbids_a_thing(clause: &[&str]) -> bool {
    const PHRASES: [&str; 24] = [
        "idea",
        "problem",
        "worries",
        "way",
        "one",
        "longer",
        "luck",
        "matter",
        "need",
        "wait",
        "thanks",
        "that",
        "it",
        "i", // The rest are wishes for the result, not prohibitions.
        "bug",
        "bugs",
        "error",
        "errors",
        "issue",
        "issues",
        "problems",
        "failures",
        "bottlenecks",
        "regressions",
    ];
    if clause[0] == "but" {
        return false;
    }
    let [no, thing, rest @ ..] = opened(clause) else { return false };
    *no == "no"
        && !SUBJECTS.contains(thing)
        && rest.len() < 10
        && !PHRASES.contains(thing)
        && !rest.iter().any(|w| FINITE.contains(w))
}

/// A fact about the environment: "the test database runs on port 5433".
fn describes_environment(lower: &str, clauses: &[ClauseWords]) -> bool {
    const THINGS: [&str; 12] = [
        "database",
        "db",
        "branch",
        "port",
        "staging",
        "production",
        "server",
        "cluster",
        "environment",
        "registry",
        "worktree",
        "instance",
    ];
    const LINKS: [&str; 16] = [
        "we use",
        "we're on",
        "we are on",
        "we work on",
        "we deploy to",
        "is on",
        "are on",
        "runs on",
        "runs at",
        "is at",
        "lives in",
        "lives on",
        "is called",
        "is named",
        "listens on",
        "points to",
    ];
    const TROUBLE: [&str; 9] =
        ["error", "fail", "crash", "broken", "bug", "wrong", "exception", "timeout", "n't "];
    let specific =
        |word: &&str| word.contains(['/', '_', '-', '.', ':']) || word.bytes().any(|b| b.is_ascii_digit());
    !TROUBLE.iter().any(|t| lower.contains(t))
        && clauses.iter().any(|clause| {
            clause.iter().any(|w| THINGS.contains(w))
                && clause.iter().any(specific)
                && LINKS.iter().any(|link| find(clause, link).is_some())
        })
}

fn withdrawn(clause: &[&str]) -> Option<Withdrawal> {
    const PERMITS: [&str; 16] = [
        "you can",
        "you may",
        "you're allowed to",
        "you are allowed to",
        "it's ok to",
        "it is ok to",
        "it's okay to",
        "it is okay to",
        "it's fine to",
        "it is fine to",
        "ok to",
        "feel free to",
        "you're free to",
        "you are free to",
        "you can now",
        "go ahead with",
    ];
    const RELEASES: [&str; 5] =
        ["you don't need to", "you don't have to", "you do not need to", "you needn't", "no need to"];
    const TAKES_BACK: [&str; 13] = [
        "forget",
        "never mind",
        "nevermind",
        "scratch",
        "ignore what",
        "ignore the",
        "ignore my",
        "disregard",
        "drop the",
        "drop that",
        "i changed my mind",
        "i take that back",
        "i take it back",
    ];
    if let Some(permit) = PERMITS.iter().find(|cue| starts(clause, cue)) {
        let verb = clause.get(permit.split(' ').count()).copied().unwrap_or_default();
        let shows = matches!(verb, "see" | "find" | "tell" | "imagine" | "look" | "ask");
        return (!shows).then_some(Withdrawal::Prohibition);
    }
    let over = [
        "is fine now",
        "are fine now",
        "is ok now",
        "is okay now",
        "is allowed now",
        "is fine after all",
        "is allowed after all",
    ];
    if over.iter().any(|cue| find(clause, cue).is_some()) {
        return Some(Withdrawal::Prohibition);
    }
    let needless = ["longer needed", "longer necessary", "longer required", "needed anymore"];
    if RELEASES.iter().any(|cue| starts(clause, cue))
        || needless.iter().any(|cue| find(clause, cue).is_some())
    {
        return Some(Withdrawal::Duty);
    }
    let void = [
        "no longer applies",
        "no longer holds",
        "no longer off limits",
        "no longer off-limits",
        "no longer forbidden",
        "not off limits anymore",
        "we no longer",
        "doesn't matter anymore",
    ];
    let taken_back = TAKES_BACK.iter().any(|cue| starts(clause, cue)) && !starts(clause, "forget to");
    (taken_back || void.iter().any(|cue| find(clause, cue).is_some())).then_some(Withdrawal::Any)
}
