//! What the agent was asked for: the goal, the latest request, and other requests without an answer. Requests that the
//! summary has are left out, and so are those that were answered before the person moved on.
//!
//! A goal drifts over many compactions because each summary retells the one before; the record has the person's own
//! words. A goal that is finished or abandoned is not shown: then the latest request says what is wanted. "Yes" and
//! "the second" mean nothing alone and are shown with what they answered.

use std::collections::HashSet;

use super::known::Runs;
use super::{Fact, KnownText, Section};
use crate::lexicon::languages::Sense;
use crate::model::entry::Place;
use crate::model::origin::Origin;
use crate::quote::{code, quote, quote_foreign};
use crate::reading::prose::objects;
use crate::record::RemainingWork;
use crate::session::reasons::reason_for;
use crate::session::spans::TaskKind;
use crate::session::{Prompt, Session};
use crate::text::cut::first_chars;
use crate::text::gist::{gist, outline, own_words};
use crate::text::numbers::grouped;
use crate::text::passages::{PassageVoice, headings_in, passages};
use crate::text::phrases::{ReadSentence, has_sense};
use crate::text::reply::is_reply;
use crate::text::stems::{COMMON, Stem, stem_set};

/// Most characters of a request that is too long to be quoted whole.
const MAX_REQUEST: usize = 600;
/// The same when space is short.
const MAX_SHORT_REQUEST: usize = 240;

/// Earlier requests of at most this many words mattered only then: "push it", "commit this".
const PASSING: usize = 2;

/// Latest requests that a brief always has room for.
const RECENT: usize = 5;
/// How many of the earlier requests are considered, latest first: a brief has room for a few.
const MAX_EARLIER: usize = 80;

/// An earlier request is dropped after this many tool calls, unless fewer than `FEW` others came since.
const OLD: u32 = 150;
const FEW: usize = 12;
/// After more requests than this it is unknown whether the goal still applies.
const LEFT: usize = 6;
/// Words of its own that a request needs to start another topic.
const SUBSTANCE: usize = 4;
/// An answer of at most this many words may mean nothing without its question.
const ANSWER: usize = 6;

pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let asked: Vec<&Prompt> = requests(session).collect();
    let Some((last, before)) = asked.split_last() else {
        return last_reply(session, None).into_iter().chain(focus(session, known)).collect();
    };
    let is_current = |goal: &&Prompt| known.says_little() || !is_settled(session, goal);
    let goal = goal_among(session, &asked).filter(|goal| goal.place != last.place || before.is_empty());
    let goal = goal.filter(is_current);
    let mut facts = earlier(session, before, last, known);
    facts.retain(|fact| goal.is_none_or(|goal| fact.place != Some(goal.place)));
    if let Some(goal) = goal.filter(|goal| !is_told(goal, known)) {
        let at = facts.iter().position(|fact| fact.place > Some(goal.place)).unwrap_or(facts.len());
        facts.insert(at, leading(session, "Goal", goal));
    }
    // If there is only one request, it is the goal.
    let is_goal = goal.is_some_and(|goal| goal.place == last.place);
    facts.extend((!is_goal && !is_told(last, known)).then(|| leading(session, "Latest", last)));
    facts.extend(session.active.called_since(last.place).map(|(place, name, arguments)| {
        let typed = code(&format!("/{name} {arguments}"), 160);
        let fact = Fact::new(Section::Asked, name, format!("Typed after the latest request: {typed}"));
        fact.at(place).worth(1.5, "a command typed after the latest request")
    }));
    facts.extend(last_reply(session, Some(last)));
    facts.extend(reason(goal.unwrap_or(last), session, known));
    facts.extend(focus(session, known));
    facts
}

/// Why it was asked, if the summary has the request but not the reason. A quoted request includes its reason.
fn reason(asked: &Prompt, session: &Session, known: &KnownText) -> Option<Fact> {
    let reason = reason_for(session, asked)?;
    let is_quoted = reason.is_askers && !is_told(asked, known);
    let is_known = known.mentions(reason.text) || known.retells(reason.text) || known.keeps(reason.place);
    let text = if reason.is_askers {
        format!("Why: {}", quote(reason.text, 320))
    } else {
        format!("Why, as the agent put it: {}", quote_foreign(reason.text, 320))
    };
    let fact = Fact::new(Section::Asked, reason.text, text).at(reason.place);
    (!is_quoted && !is_known).then(|| fact.worth(0.4, "the reason that was given"))
}

/// What the person said when they ordered the compaction, as long as they have said nothing since.
fn focus(session: &Session, known: &KnownText) -> Option<Fact> {
    let focus = session.focus.as_ref()?;
    let is_latest = session.asked().last().is_none_or(|prompt| prompt.place < focus.place);
    let text = format!("Said with the order to compact: {}", quote(&focus.text, 320));
    let fact = Fact::new(Section::Asked, &focus.text, text).at(focus.place);
    (is_latest && !known.mentions(&focus.text))
        .then(|| fact.worth(1.5, "the user's words for this compaction").must())
}

/// The agent answered, without saying that something of it is not done, and the person moved on without objecting.
pub fn is_settled(session: &Session, prompt: &Prompt) -> bool {
    is_answered(session, prompt) && !is_left_open(session, prompt)
}

/// The agent's answer says what is not done, and that is still true.
fn is_left_open(session: &Session, prompt: &Prompt) -> bool {
    if session.record.remaining().is_empty() {
        return false;
    }
    let next = requests(session).find(|later| later.place > prompt.place).map(|later| later.place);
    let is_in_answer = |place: Place| place > prompt.place && next.is_none_or(|next| place < next);
    let asked = prompt.text.to_lowercase();
    let is_of_it = |work: &RemainingWork| work.untouched.iter().any(|name| asked.contains(name.as_str()));
    session.record.remaining().iter().any(|work| is_in_answer(work.place) && is_of_it(work))
}

fn is_answered(session: &Session, prompt: &Prompt) -> bool {
    let mut later = session.asked().iter().rev().take_while(|later| later.place > prompt.place).peekable();
    let has_later = later.peek().is_some();
    (has_later && has_answered(session, prompt))
        || later.any(|later| later.at_rest && !is_reply(&later.text) && !objects(&later.text))
}

/// The agent has ended its turn with a message after `prompt` and after its last tool call.
fn has_answered(session: &Session, prompt: &Prompt) -> bool {
    let acted = session.last_action.as_ref().map(|action| action.place);
    let spoke = session.last_said().map(|said| said.place);
    session.waiting && !session.interrupted && spoke > acted && spoke > Some(prompt.place)
}

/// All requests, without replies that only agree.
fn requests(session: &Session) -> impl DoubleEndedIterator<Item = &Prompt> {
    session.asked().iter().filter(|prompt| !is_reply(&prompt.text))
}

/// The purpose of the current work: the goal, or the latest request if the goal is finished or abandoned.
pub fn goal_of(session: &Session) -> Option<&Prompt> {
    let asked: Vec<&Prompt> = requests(session).collect();
    goal_among(session, &asked).or(asked.last().copied())
}

/// The latest plan that was handed over as a request.
pub fn plan_of(session: &Session) -> Option<&Prompt> {
    requests(session).rfind(|prompt| hands_over_a_plan(&prompt.text))
}

/// The last request that announces a new topic, or the first request.
fn beginning_of(session: &Session) -> Option<&Prompt> {
    let mut asked = requests(session);
    requests(session).rfind(|prompt| starts_new_topic(&prompt.text)).or_else(|| asked.next())
}

/// When the current topic replaced an earlier one; of the session's first topic everything is part.
pub fn topic_began(session: &Session) -> i64 {
    let began = beginning_of(session).filter(|prompt| requests(session).next() != Some(*prompt));
    began.and_then(|prompt| prompt.time).unwrap_or(i64::MIN)
}

/// The request that began the current topic, unless it is finished or abandoned: many others came since, or an
/// unrelated one. If in doubt there is no goal, because a goal that is over would mislead.
fn goal_among<'a>(session: &Session, asked: &[&'a Prompt]) -> Option<&'a Prompt> {
    let begins = |prompt: &&Prompt| starts_new_topic(&prompt.text) || hands_over_a_plan(&prompt.text);
    let begin = asked.iter().rposition(begins).unwrap_or(0);
    let (goal, since) = asked[begin..].split_first()?;
    let since: Vec<&Prompt> = since.iter().copied().filter(|prompt| !is_passing(prompt)).collect();
    let is_over = since.len() > LEFT
        || (!since.is_empty() && !is_aim(goal))
        || leaves(session, goal, &since)
        || since.last().is_some_and(|latest| is_done_before(session, goal, latest));
    (!is_over).then_some(*goal)
}

/// Something to work towards: neither a remark nor a question, which is over once answered.
fn is_aim(prompt: &Prompt) -> bool {
    let text = prompt.text.trim_end();
    let asks_for = || has_sense(text, Sense::Asks);
    typed_words(prompt).len() >= 2 && (!text.ends_with(['?', '？']) || asks_for())
}

/// One of these requests is unrelated to everything asked before it and to the message it answers.
fn leaves(session: &Session, goal: &Prompt, since: &[&Prompt]) -> bool {
    let mut topic = typed_words(goal);
    since.iter().any(|prompt| {
        let words = typed_words(prompt);
        let answers = session.answered_by(prompt).map(|(_, text)| stem_set(&text)).unwrap_or_default();
        let is_foreign = words.len() >= SUBSTANCE
            && !goes_on(&prompt.text)
            && words.is_disjoint(&topic)
            && words.is_disjoint(&answers);
        topic.extend(words);
        is_foreign
    })
}

/// A question, or an addition to the current request.
fn goes_on(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let adds = ReadSentence::new(first).all(Sense::Adds).any(|hit| hit.at == 0);
    adds || text.trim_end().ends_with(['?', '？'])
}

/// Stems of the words the person typed, without pastes and common words.
fn typed_words(prompt: &Prompt) -> HashSet<Stem> {
    let all = passages(&prompt.text);
    let typed = all.iter().filter(|passage| passage.voice == PassageVoice::Typed);
    let words: HashSet<Stem> = typed.flat_map(|passage| stem_set(passage.text)).collect();
    &words - &COMMON
}

fn hands_over_a_plan(text: &str) -> bool {
    headings_in(text).len() >= 3
        && passages(text).iter().any(|passage| passage.voice == PassageVoice::Document)
}

/// Between `goal` and `latest` a task was finished and no task is open now; or a commit was made and `latest` is about
/// something else.
fn is_done_before(session: &Session, goal: &Prompt, latest: &Prompt) -> bool {
    let is_between = |place: Place| place > goal.place && place < latest.place;
    let finished = session.spans.finished().filter(|span| span.kind != TaskKind::Request);
    let listed = finished.filter_map(|span| span.end).filter(|end| is_between(end.place)).count();
    let committed = session.record.commits().any(|commit| is_between(commit.place));
    let is_other = typed_words(latest).is_disjoint(&typed_words(goal));
    (listed > 0 && session.tasks.open().is_empty()) || (committed && is_other)
}

/// A request that is always shown: the goal, or the latest one.
fn leading(session: &Session, role: &str, prompt: &Prompt) -> Fact {
    let fact = quoted(session, &format!("{role}: "), prompt);
    fact.worth(3.0, if role == "Goal" { "goal of the session" } else { "latest request" }).must()
}

/// A request as a line, with a shorter form if it is long.
fn quoted(session: &Session, role: &str, prompt: &Prompt) -> Fact {
    let form = |most| format!("{role}{}", worded(session, prompt, most));
    let (long, short) = (form(MAX_REQUEST), form(MAX_SHORT_REQUEST));
    let fact = Fact::new(Section::Asked, &prompt.text, long).at(prompt.place);
    if short == fact.text { fact } else { fact.or(short) }
}

/// The summary has what the person typed; for a plan or a paste, its topic.
fn is_told(prompt: &Prompt, known: &KnownText) -> bool {
    if known.keeps_message(prompt.place) {
        return true;
    }
    if prompt.origin == Origin::Plan {
        return known.retells(&outline(&prompt.text, MAX_REQUEST)) || known.mentions(title(&prompt.text));
    }
    let typed = own_words(&prompt.text);
    if typed.is_empty() { known.mentions(&prompt.text) } else { known.retells(&typed) }
}

fn title(plan: &str) -> &str {
    headings_in(plan).first().copied().unwrap_or(plan)
}

/// Unanswered requests that are neither in the summary nor repeated by a later one nor as short as `PASSING`. Without
/// a useful summary answered requests are included; whether the answer was all of it is not for us to say.
fn earlier(session: &Session, prompts: &[&Prompt], last: &Prompt, known: &KnownText) -> Vec<Fact> {
    let mut said = Later::default();
    said.take(&own_words(&last.text));
    let mut facts: Vec<Fact> = Vec::new();
    for (age, prompt) in prompts.iter().rev().take(MAX_EARLIER).enumerate() {
        if age >= FEW && last.clock.saturating_sub(prompt.clock) > OLD {
            break;
        }
        let words = own_words(&prompt.text);
        let settled = is_settled(session, prompt);
        let is_wanted = !is_passing(prompt) && !is_told(prompt, known) && !said.repeats(&words);
        if is_wanted && (!settled || known.says_little()) {
            let fact = quoted(session, "Earlier: ", prompt);
            let weight = prompt.place.0 as f32 * 1e-6;
            facts.push(if age + 1 < RECENT {
                fact.worth(2.0 + weight, "one of the latest requests").must()
            } else {
                fact.worth(1.0 + weight, "the summary does not have it").reserved()
            });
        }
        said.take(&words);
    }
    facts.reverse();
    facts
}

/// Later requests, to detect earlier ones that they repeat.
#[derive(Default)]
struct Later {
    known: KnownText,
    words: Vec<HashSet<String>>,
}

impl Later {
    fn take(&mut self, text: &str) {
        self.known.also(&Runs::of(text));
        self.words.push(words_of(text));
    }

    /// Nearly the same phrases and no word of its own: "make part 3" does not repeat "make part 2".
    fn repeats(&self, text: &str) -> bool {
        let words = words_of(text);
        !words.is_empty()
            && self.words.iter().any(|later| words.is_subset(later))
            && self.known.quotes_all(&Runs::of(text))
    }
}

fn words_of(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn is_passing(prompt: &Prompt) -> bool {
    prompt.text.split_whitespace().nth(PASSING).is_none()
}

/// A request as it is quoted: with its sender and with the question it answers. A plan is named as one.
fn worded(session: &Session, prompt: &Prompt, most: usize) -> String {
    match &prompt.origin {
        Origin::Plan => return format!("the plan {}", quote_foreign(&outline(&prompt.text, most), 2 * most)),
        Origin::Agent(sender) => {
            let from = quote_foreign(sender, 40);
            return format!("from {from}: {}", quote_foreign(&gist(&prompt.text, most), 3 * MAX_REQUEST));
        }
        _ => {}
    }
    if own_words(&prompt.text).is_empty() {
        let first = prompt.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let (count, begins) = (prompt.text.chars().count() as u64, quote(first, 120));
        return format!(
            "a pasted text of {} characters, nothing typed beside it; it begins {begins}",
            grouped(count)
        );
    }
    let text = quote(&gist(&prompt.text, most), 3 * MAX_REQUEST);
    let answers = question_before(session, prompt);
    let answers = answers.map(|(at, asked)| format!(" to the agent's {} ({at})", quote_foreign(&asked, 200)));
    format!("{text}{}", answers.unwrap_or_default())
}

/// What a short answer replies to: the question at the end of the agent's message.
fn question_before(session: &Session, prompt: &Prompt) -> Option<(Place, String)> {
    let is_short = prompt.text.split_whitespace().nth(ANSWER).is_none() && prompt.text.chars().count() <= 100;
    let (at, said) = session.answered_by(prompt).filter(|_| is_short && !prompt.text.contains('?'))?;
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let asked = lines.rev().take(3).find(|line| line.ends_with(['?', '？']))?;
    let sentence = asked.rsplit_once(['.', '!']).map_or(asked, |(_, last)| last.trim());
    Some((at, if sentence.chars().count() > 8 { sentence } else { asked }.to_owned()))
}

/// Tool calls after which a reply is carried out.
const CARRIED_OUT: u32 = 60;

/// A reply after the latest request, with what it answered.
fn last_reply(session: &Session, latest: Option<&Prompt>) -> Option<Fact> {
    let prompts = session.asked();
    let reply = prompts.last().filter(|p| is_reply(&p.text) && latest.is_none_or(|l| l.place < p.place))?;
    let (at, question) = session.answered_by(reply).filter(|_| session.clock <= reply.clock + CARRIED_OUT)?;
    let asked = question.lines().rev().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let option = chosen(&reply.text, &question).map(|option| format!(": {}", quote_foreign(option, 200)));
    let text = format!(
        "Reply: {} to the agent's {} ({at}){}",
        quote(&reply.text, 100),
        quote_foreign(asked, 300),
        option.unwrap_or_default()
    );
    let fact = Fact::new(Section::Asked, &reply.text, text);
    Some(fact.at(reply.place).worth(1.5, "the last reply, with what it answered"))
}

/// The option that a reply names: "2", "b", "option 2".
fn chosen<'a>(reply: &str, question: &'a str) -> Option<&'a str> {
    let word = reply.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty())?;
    let names_it = |line: &&str| {
        let plain = line.trim_start_matches(['*', '-', '#', '(', ' ']);
        let plain = plain.strip_prefix("Option ").unwrap_or(plain);
        let rest = plain.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
        rest.is_some_and(|_| plain[word.len()..].starts_with(['.', ')', ':']))
    };
    let is_choice = word.chars().count() == 1 && word.chars().all(|c| c.is_ascii_alphanumeric());
    question.lines().map(str::trim).filter(|_| is_choice).rfind(names_it)
}

/// "New task: …", "let's move on to …": the person announces a new topic.
fn starts_new_topic(text: &str) -> bool {
    // Longer than any opening with a filler before it.
    let head = first_chars(text.trim_start(), 48);
    text.len() > 30 && ReadSentence::new(head).opens(Sense::NewTopic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_topic_is_recognised_by_its_opening_words() {
        for text in [
            "New task: make the parser keep comments",
            "OK, let’s move on to the importer of the other files",
            "  Great, change of plan, we write a lexer first",
            "now something else: the docs of the parser",
            "Thanks, moving on to the docs of the parser",
            "different topic, how do we name the releases",
        ] {
            assert!(starts_new_topic(text), "{text}");
        }
        for text in
            ["new task", "The new task is to make the parser keep comments", "Ärger: new task for the parser"]
        {
            assert!(!starts_new_topic(text), "{text}");
        }
    }

    #[test]
    fn repeated_request_is_shown_once_and_a_passing_one_never() {
        let at = |line, text: &str| Prompt { place: Place(line), text: text.to_owned(), ..Prompt::default() };
        let prompts = [
            at(1, "check the open comments for fixes"),
            at(2, "push it"),
            at(3, "check the open comments for fixes, and reply to each"),
            at(4, "make the parser keep comments"),
        ];
        let all: Vec<&Prompt> = prompts.iter().collect();
        let last = at(5, "and run it once");
        let places: Vec<_> = earlier(&Session::default(), &all, &last, &KnownText::default())
            .iter()
            .filter_map(|f| f.place)
            .collect();
        assert_eq!(places, [prompts[2].place, prompts[3].place]);
    }
}
