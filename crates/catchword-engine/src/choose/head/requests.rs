//! What the agent was asked for: the goal and the latest request, whole, unless the model has them. Lines of other requests
//! are in the reference.
//!
//! A goal drifts over many compactions because each summary retells the one before; the record has the person's own
//! words. A goal that is finished or abandoned is not shown: then the latest request says what is wanted. "Yes" and
//! "the second" mean nothing alone and are shown with what they answered.

use std::collections::HashSet;

use crate::choose::{Fact, KnownText, Section};
use crate::model::entry::Place;
use crate::model::origin::Origin;
use crate::quote::{code, quote, quote_foreign};
use crate::reading::report::says_something;
use crate::record::{Kind, Message, Observation, RemainingWork, Standing};
use crate::session::reasons::reason_for;
use crate::session::spans::TaskSpans;
use crate::session::{Prompt, Session};
use crate::text::cut::squashed;
use crate::text::gist::{gist, outline, paste};
use crate::text::passages::headings_in;
use crate::text::phrases::ReadSentence;
use crate::text::sentences::sentences;
use crate::text::stems::{COMMON, Stem, StemSet, stem_set};

/// Characters of the latest request; of a longer one whole paragraphs.
const MAX_LATEST: usize = 2_500;
/// The same of the goal, and of whatever else is shown with it.
const MAX_GOAL: usize = 1_000;
/// Most characters of a plan's outline, or of a prompt that another agent sent.
const MAX_REQUEST: usize = 600;

/// Latest requests that are shown as such, and characters of one before the last.
const RECENT: usize = 5;
const MAX_EARLIER: usize = 600;
/// Characters of all requests together.
const WORDS: usize = 3_000;

/// Characters of what the agent said after a request.
const MAX_AFTER: usize = 300;

/// Requests of at most this many words mattered only then: "push it", "commit this".
const PASSING: usize = 2;

/// After more requests than this it is unknown whether the goal still applies.
const LEFT: usize = 6;
/// Tool calls that count as the latest work, and requests that are compared with it.
const RECENT_WORK: u32 = 150;
const MAX_COMPARED: usize = 80;
/// Words of its own that a request needs to start another topic.
const SUBSTANCE: usize = 4;
/// An answer of at most this many words may mean nothing without its question.
const ANSWER: usize = 6;

pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    let asked: Vec<&Prompt> = requests(session).collect();
    let Some((last, before)) = asked.split_last() else {
        return last_reply(session, None).into_iter().chain(focus(session, known)).collect();
    };
    let goal = goal_among(session, &asked).filter(|goal| goal.place != last.place || before.is_empty());
    // What was answered before the person moved on is one of the earlier requests.
    let goal = goal.filter(|goal| known.is_empty() || !is_settled(session, goal));
    // If there is only one request, it is the goal.
    let is_goal = goal.is_some_and(|goal| goal.place == last.place);
    let mut facts = Vec::new();
    if let Some(goal) = goal.filter(|goal| !is_told(session, goal, known)) {
        facts.push(leading(session, "Goal", goal, known, if is_goal { MAX_LATEST } else { MAX_GOAL }));
    }
    facts.extend(
        (!is_goal && !is_told(session, last, known))
            .then(|| leading(session, "Latest", last, known, MAX_LATEST)),
    );
    let others: Vec<&Prompt> =
        before.iter().copied().filter(|prompt| goal.is_none_or(|goal| goal.place != prompt.place)).collect();
    facts.extend(earlier(session, &others, last, known, WORDS.saturating_sub(shown(&facts))));
    facts.extend(session.active.called_since(last.place).map(|(place, name, arguments)| {
        let typed = code(&format!("/{name} {arguments}"), 160);
        let fact = Fact::new(Section::Asked, name, format!("Typed after the latest request: {typed}"));
        fact.at(place).because("a command typed after the latest request")
    }));
    facts.extend(last_reply(session, Some(last)));
    facts.extend(reason(goal.unwrap_or(last), session, known));
    facts.extend(focus(session, known));
    facts
}

/// Why it was asked, if the summary has the request but not the reason. A quoted request includes its reason.
fn reason(asked: &Prompt, session: &Session, known: &KnownText) -> Option<Fact> {
    let reason = reason_for(session, asked)?;
    let is_quoted = reason.is_askers && !is_told(session, asked, known);
    let is_known = known.has(reason.text) || known.keeps(reason.place);
    let text = if reason.is_askers {
        format!("Why: {}", quote(reason.text, 320))
    } else {
        format!("Why, as the agent put it: {}", quote_foreign(reason.text, 320))
    };
    let fact = Fact::new(Section::Asked, reason.text, text).at(reason.place);
    (!is_quoted && !is_known).then(|| fact.because("the reason that was given"))
}

/// What the person said when they ordered the compaction, as long as they have said nothing since.
fn focus(session: &Session, known: &KnownText) -> Option<Fact> {
    let focus = session.focus.as_ref()?;
    let is_latest = session.asked().last().is_none_or(|prompt| prompt.place < focus.place);
    let text = format!("Said with the order to compact: {}", quote(&focus.text, 320));
    let fact = Fact::new(Section::Asked, &focus.text, text).at(focus.place);
    (is_latest && !known.has(&focus.text)).then(|| fact.because("the user's words for this compaction"))
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
    let asked = session.text_of(prompt).to_lowercase();
    let is_of_it = |work: &RemainingWork| work.untouched.iter().any(|name| asked.contains(name.as_str()));
    session.record.remaining().iter().any(|work| is_in_answer(work.place) && is_of_it(work))
}

fn is_answered(session: &Session, prompt: &Prompt) -> bool {
    let mut later = session.asked().iter().rev().take_while(|later| later.place > prompt.place).peekable();
    let has_later = later.peek().is_some();
    (has_later && has_answered(session, prompt))
        || later.any(|later| later.at_rest && !later.reads.is_reply && !later.reads.objects)
}

/// The agent has ended its turn with a message after `prompt` and after its last tool call.
fn has_answered(session: &Session, prompt: &Prompt) -> bool {
    let acted = session.last_action.as_ref().map(|action| action.place);
    let spoke = session.last_said().map(|said| said.place);
    session.waiting && !session.interrupted && spoke > acted && spoke > Some(prompt.place)
}

/// All requests, without replies that only agree.
fn requests(session: &Session) -> impl DoubleEndedIterator<Item = &Prompt> {
    session.asked().iter().filter(|prompt| !prompt.reads.is_reply)
}

/// The request that carries the work: the goal, or else the request that the latest work is closest to.
pub fn goal_of(session: &Session) -> Option<&Prompt> {
    let asked: Vec<&Prompt> = requests(session).collect();
    goal_among(session, &asked).or_else(|| carrying(session, &asked))
}

/// The request whose words the work since it names most: the cosine of its words and theirs, over the latest calls. Words
/// of assent name nothing that is worked on, in whatever language and however many there are. Of equals the later one; a
/// request that nothing has followed yet counts by itself if it has any substance.
fn carrying<'a>(session: &Session, asked: &[&'a Prompt]) -> Option<&'a Prompt> {
    let (latest, _) = asked.split_last()?;
    let since = Place(session.prompts.last().map_or(0, |prompt| prompt.place.0));
    let is_work = |seen: &&Observation| {
        matches!(
            seen.what,
            Kind::Said(_) | Kind::Ran { .. } | Kind::Called { .. } | Kind::Touched(_) | Kind::Task { .. }
        )
    };
    let recent = session.record.iter().filter(is_work);
    let recent = recent.filter(|seen| session.clock.saturating_sub(seen.clock) <= RECENT_WORK);
    let work: Vec<(Place, StemSet)> =
        recent.map(|seen| (seen.place, &stem_set(&seen.words) - &COMMON)).collect();
    if work.last().is_none_or(|(place, _)| *place < since) && typed_words(session, latest).len() >= SUBSTANCE
    {
        return Some(*latest);
    }
    let closeness = |prompt: &Prompt| {
        let own = typed_words(session, prompt);
        let after = work.iter().filter(|(place, _)| *place > prompt.place).flat_map(|(_, stems)| stems);
        let named: HashSet<&Stem> = after.filter(|stem| own.contains(stem)).collect();
        named.len() as f32 / (own.len().max(1) as f32).sqrt()
    };
    let considered = asked.iter().skip(asked.len().saturating_sub(MAX_COMPARED)).chain(asked.first());
    let scored = considered.map(|prompt| (closeness(prompt), prompt.place, *prompt));
    scored.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(.., prompt)| prompt)
}

/// The latest plan that was handed over as a request.
pub fn plan_of(session: &Session) -> Option<&Prompt> {
    requests(session).rfind(|prompt| prompt.reads.has_plan)
}

/// The last request that announces a new topic, or the first request.
fn beginning_of(session: &Session) -> Option<&Prompt> {
    let mut asked = requests(session);
    requests(session).rfind(|prompt| prompt.reads.begins_topic).or_else(|| asked.next())
}

/// When the current topic replaced an earlier one; of the session's first topic everything is part.
pub fn topic_began(session: &Session) -> i64 {
    let began = beginning_of(session).filter(|prompt| requests(session).next() != Some(*prompt));
    began.and_then(|prompt| prompt.time).unwrap_or(i64::MIN)
}

/// The request that began the current topic, unless it is finished or abandoned: many others came since, or an
/// unrelated one. If in doubt there is no goal, because a goal that is over would mislead.
fn goal_among<'a>(session: &Session, asked: &[&'a Prompt]) -> Option<&'a Prompt> {
    let begins = |prompt: &&Prompt| prompt.reads.begins_topic || prompt.reads.has_plan;
    let begin = asked.iter().rposition(begins).unwrap_or(0);
    let (goal, since) = asked[begin..].split_first()?;
    let since: Vec<&Prompt> = since.iter().copied().filter(|prompt| !is_passing(session, prompt)).collect();
    let is_over = since.len() > LEFT
        || (!since.is_empty() && !is_aim(session, goal))
        || leaves(session, goal, &since)
        || since.last().is_some_and(|latest| is_done_before(session, goal, latest));
    (!is_over).then_some(*goal)
}

/// Something to work towards: neither a remark nor a question, which is over once answered.
fn is_aim(session: &Session, prompt: &Prompt) -> bool {
    typed_words(session, prompt).len() >= 2 && (!prompt.reads.is_question || prompt.reads.asks)
}

/// One of these requests is unrelated to everything asked before it and to the message it answers.
fn leaves(session: &Session, goal: &Prompt, since: &[&Prompt]) -> bool {
    let mut topic = typed_words(session, goal);
    since.iter().any(|prompt| {
        let words = typed_words(session, prompt);
        let answers = session.answered_by(prompt).map(|(_, text)| stem_set(&text)).unwrap_or_default();
        let is_foreign = words.len() >= SUBSTANCE
            && !(prompt.reads.is_question || prompt.reads.adds)
            && words.is_disjoint(&topic)
            && words.is_disjoint(&answers);
        topic.extend(words);
        is_foreign
    })
}

/// Stems of the words the person typed, without pastes and common words.
fn typed_words(session: &Session, prompt: &Prompt) -> StemSet {
    &stem_set(&session.typed_of(prompt)) - &COMMON
}

/// Between `goal` and `latest` a task was finished and no task is open now; or a commit was made and `latest` is about
/// something else.
fn is_done_before(session: &Session, goal: &Prompt, latest: &Prompt) -> bool {
    let is_between = |place: Place| place > goal.place && place < latest.place;
    let finished = TaskSpans::of(&session.record).finished;
    let is_listed = finished.iter().filter_map(|span| span.end).any(|end| is_between(end.place));
    let committed = session.record.commits().any(|commit| is_between(commit.place));
    let is_other = typed_words(session, latest).is_disjoint(&typed_words(session, goal));
    (is_listed && session.tasks.open().is_empty()) || (committed && is_other)
}

/// Of the latest requests before the last one those that the model lacks and no later one repeats, the latest first, as
/// many as fit. Whether they were answered is not for us to say.
fn earlier(
    session: &Session,
    prompts: &[&Prompt],
    last: &Prompt,
    known: &KnownText,
    room: usize,
) -> Vec<Fact> {
    let mut later = session.typed_of(last);
    let mut left = room;
    let mut facts: Vec<(&Prompt, String)> = Vec::new();
    for prompt in prompts.iter().rev().take(RECENT - 1) {
        let text = format!("Earlier: {}", worded(session, prompt, known, MAX_EARLIER));
        let is_repeated = KnownText::of_page(&later).says(&session.typed_of(prompt));
        let length = text.chars().count();
        if length <= left
            && !is_replaced(session, prompt)
            && !is_passing(session, prompt)
            && !is_told(session, prompt, known)
            && !is_repeated
        {
            left -= length;
            facts.push((prompt, text));
        }
        later = format!("{later}\n{}", session.typed_of(prompt));
    }
    // A request that fits comes before what was said after another.
    let beside = |(prompt, text): (&Prompt, String)| {
        let after = words_after(session, prompt, known);
        let after = Some(after).filter(|after| after.chars().count() <= left).unwrap_or_default();
        left -= after.chars().count();
        let fact =
            Fact::new(Section::Asked, session.text_of(prompt), format!("{text}{after}")).at(prompt.place);
        fact.because("one of the latest requests").beside()
    };
    facts.into_iter().map(beside).collect()
}

/// What the agent said last before the next request: whether that answers it, and what it leaves open, is for the reader
/// to say. An announcement ("Let me check …") or a lone sign says nothing of it: 9 of 44 in 80 real briefs.
fn words_after(session: &Session, prompt: &Prompt, known: &KnownText) -> String {
    let next = session.asked().iter().find(|later| later.place > prompt.place).map(|later| later.place);
    let is_after = |place: Place| place > prompt.place && next.is_none_or(|next| place < next);
    let Some(said) = session.record.spoken().rfind(|said| is_after(said.place)) else { return String::new() };
    let all = said.text();
    let words = if all.chars().count() <= MAX_AFTER { all.as_str() } else { last_words(&all) };
    let announces = |sentence: &str| ReadSentence::new(sentence).is_announcement();
    let says_nothing = sentences(words).into_iter().all(announces) || !says_something(words);
    if says_nothing || known.keeps(said.place) || known.has(words) {
        return String::new();
    }
    format!("; then the agent's words: {} ({})", quote_foreign(words, MAX_AFTER), said.place)
}

/// The last sentence of a text.
fn last_words(text: &str) -> &str {
    sentences(text).into_iter().rev().map(str::trim).find(|sentence| !sentence.is_empty()).unwrap_or(text)
}

/// A later word of the person took the place of every line of it.
fn is_replaced(session: &Session, prompt: &Prompt) -> bool {
    let mut lines = session.record.iter().filter(|seen| seen.place == prompt.place).peekable();
    lines.peek().is_some() && lines.all(|seen| matches!(seen.state, Standing::Withdrawn(_)))
}

/// Characters of these facts.
fn shown(facts: &[Fact]) -> usize {
    facts.iter().map(|fact| fact.text.chars().count()).sum()
}

/// The goal or the latest request, beside the head.
fn leading(session: &Session, role: &str, prompt: &Prompt, known: &KnownText, most: usize) -> Fact {
    let form = |most| format!("{role}: {}", worded(session, prompt, known, most));
    let fact =
        Fact::new(Section::Asked, session.text_of(prompt), form(most)).at(prompt.place).or(form(most / 4));
    fact.because(if role == "Goal" { "goal of the session" } else { "latest request" }).beside()
}

/// The model has what the person typed; of a plan or a paste, its topic.
fn is_told(session: &Session, prompt: &Prompt, known: &KnownText) -> bool {
    if known.keeps_message(prompt.place) {
        return true;
    }
    let text = session.text_of(prompt);
    if prompt.origin == Origin::Plan {
        return known.has_all(&outline(&text, MAX_REQUEST)) || known.has(title(&text));
    }
    let typed = session.typed_of(prompt);
    known.has_all(if typed.is_empty() { &text } else { &typed })
}

fn title(plan: &str) -> &str {
    headings_in(plan).first().copied().unwrap_or(plan)
}

/// A request whole; of a longer one the whole paragraphs that fit, those that the model lacks first.
fn whole(paragraphs: Vec<(bool, String)>, known: &KnownText, most: usize) -> String {
    let length = |text: &str| text.chars().count() + 1;
    let long = |text: &String| length(text) > most / 2;
    let shown = |(typed, text): (bool, String)| (typed, if typed { squashed(&text) } else { paste(&text) });
    let all: Vec<(bool, String)> = paragraphs.into_iter().map(shown).collect();
    if all.iter().map(|(_, text)| length(text)).sum::<usize>() <= most {
        return all.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ");
    }
    // Of a paragraph that would take most of the room the sentences count.
    let pieces: Vec<(bool, String)> = all
        .into_iter()
        .flat_map(|(typed, text)| {
            if typed && long(&text) {
                sentences(&text).into_iter().map(|sentence| (true, sentence.trim().to_owned())).collect()
            } else {
                vec![(typed, text)]
            }
        })
        .collect();
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|at| (!pieces[*at].0, known.has(&pieces[*at].1)));
    let mut left = most;
    let mut taken = vec![false; pieces.len()];
    for at in order {
        taken[at] = length(&pieces[at].1) <= left;
        left -= if taken[at] { length(&pieces[at].1) } else { 0 };
    }
    let runs = pieces.iter().zip(&taken).collect::<Vec<_>>();
    let shown = runs.chunk_by(|a, b| a.1 == b.1).map(|run| {
        let texts = run.iter().map(|((_, text), _)| text.as_str());
        if *run[0].1 { texts.collect::<Vec<_>>().join(" ") } else { "[…]".to_owned() }
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn is_passing(session: &Session, prompt: &Prompt) -> bool {
    prompt.characters < MAX_EARLIER as u32
        && session.text_of(prompt).split_whitespace().nth(PASSING).is_none()
}

/// A request as it is quoted: with its sender and with the question it answers. A plan is named as one.
fn worded(session: &Session, prompt: &Prompt, known: &KnownText, most: usize) -> String {
    let text = session.text_of(prompt);
    match &prompt.origin {
        Origin::Plan => {
            return format!("the plan {}", quote_foreign(&outline(&text, MAX_REQUEST.min(most)), 2 * most));
        }
        Origin::Agent(sender) => {
            let from = quote_foreign(sender, 40);
            return format!(
                "from {from}: {}",
                quote_foreign(&gist(&text, MAX_REQUEST.min(most)), 3 * MAX_REQUEST)
            );
        }
        _ => {}
    }
    if session.typed_of(prompt).is_empty() {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        return format!("a pasted text, nothing typed beside it; it begins {}", quote(first, 120));
    }
    let paragraphs = session.message_of(prompt).map(Message::paragraphs).unwrap_or_default();
    let text = quote(&whole(paragraphs, known, most), 2 * most);
    let answers = question_before(session, prompt);
    let answers = answers.map(|(at, asked)| format!(" to the agent's {} ({at})", quote_foreign(&asked, 200)));
    format!("{text}{}", answers.unwrap_or_default())
}

/// What a short answer replies to: the question at the end of the agent's message.
fn question_before(session: &Session, prompt: &Prompt) -> Option<(Place, String)> {
    let text = session.text_of(prompt);
    let is_short = text.split_whitespace().nth(ANSWER).is_none() && prompt.characters <= 100;
    let (at, said) = session.answered_by(prompt).filter(|_| is_short && !text.contains('?'))?;
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
    let reply = prompts.last().filter(|p| p.reads.is_reply && latest.is_none_or(|l| l.place < p.place))?;
    let (at, question) = session.answered_by(reply).filter(|_| session.clock <= reply.clock + CARRIED_OUT)?;
    let asked = question.lines().rev().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let option =
        chosen(&session.text_of(reply), &question).map(|option| format!(": {}", quote_foreign(option, 200)));
    let text = format!(
        "Reply: {} to the agent's {} ({at}){}",
        quote(&session.text_of(reply), 100),
        quote_foreign(asked, 300),
        option.unwrap_or_default()
    );
    let fact = Fact::new(Section::Asked, session.text_of(reply), text);
    Some(fact.at(reply.place).because("the last reply, with what it answered"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_quoted_whole_and_a_longer_one_by_whole_paragraphs() {
        let whole = |prompt: &str, known: &KnownText, most| {
            let paragraphs = prompt.split("\n\n").map(|text| (true, text.to_owned()));
            whole(paragraphs.collect(), known, most)
        };
        let known =
            KnownText::new("The first part: rename the parser module to reader everywhere in the tree.");
        let short = "Rename the parser.\n\nThen run the tests.";
        assert_eq!(whole(short, &known, 200), "Rename the parser. Then run the tests.");
        let told = "Rename the parser module to reader everywhere in the tree.";
        let (one, two) = ("x".repeat(60) + " one.", "y".repeat(60) + " two.");
        let long = format!("{told}\n\n{one}\n\n{two}");
        assert_eq!(whole(&long, &known, 140), format!("[…] {one} {two}"));
        assert_eq!(whole(&long, &known, 70), format!("[…] {one} […]"));
    }
}
