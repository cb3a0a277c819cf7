//! The state of the work: whose turn it is, the last call, the next step the agent announced.
//!
//! Each line says what a row shows. "The agent was working" tells nothing, so there is no such line.

use super::agents::worked_since;
use super::work::requests_since_list;
use crate::choose::{Fact, KnownText, Section};
use crate::model::entry::{Place, TaskStatus};
use crate::quote::{code, name, quote, quote_foreign};
use crate::record::{CommandRun, Message, Observation, RunResult};
use crate::session::paths::{is_absolute, is_prose};
use crate::session::shown::{shown_action, shown_path};
use crate::session::{Action, Prompt, Session, UnreadResult};
use crate::text::gist::gist;
use crate::text::passages::item;
use crate::text::sentences::sentences;

/// How an edit is worded.
const EDITED: [&str; 2] = ["edited ", "wrote "];

/// Keys of the fact about the latest edit and what ran, which belongs to no single row.
pub const RAN_SINCE: &str = "ran since the latest edit";
const EDITED_AFTER: &str = "edited after the last run";
/// Runs after the latest edit that are named.
const MAX_RUNS_SINCE: usize = 2;

/// Key of the fact about the shell's folder.
const SHELL_FOLDER: &str = "the shell's folder";

/// Key of the fact that asks the agent to mention the compaction.
const ANNOUNCEMENT: &str = "announcement of the compaction";

/// A longer message without an answer is not quoted: it stands among the requests.
const MAX_UNANSWERED: usize = 80;

/// A shorter question needs the line before it.
const MIN_QUESTION: usize = 24;

/// The turn, the last action and the next step, as far as recorded.
pub fn facts(session: &Session, known: &KnownText) -> Vec<Fact> {
    if session.entries == 0 {
        return Vec::new();
    }
    let turn = turn(session, known);
    let unread = session.unread.iter().map(unread);
    let edited = edited_and_ran(session, known);
    // That line names the last edit.
    let has_result = session.last_action.as_ref().is_some_and(|action| action.ok == Some(true));
    let is_told = |action: &Fact| {
        edited.is_some() && has_result && EDITED.iter().any(|verb| action.key.starts_with(verb))
    };
    let action = last_call(session, known).filter(|action| turn.is_none() && !is_told(action));
    let next = next_step(session)
        .filter(|step| !known.has(&step.key) && !step.place.is_some_and(|place| known.keeps(place)));
    turn.into_iter()
        .chain(unread)
        .chain(action)
        .chain(next)
        .chain(edited)
        .chain(shell_folder(session))
        .collect()
}

/// The shell is not in the session's folder, so the next relative path or `cd` may fail.
fn shell_folder(session: &Session) -> Option<Fact> {
    let (cwd, root) = (session.cwd.as_deref()?, session.root()?);
    let folder = shown_path(session, cwd);
    let text = format!("The shell is in {}, not in the session's folder", name(folder, 160));
    (cwd != root)
        .then(|| Fact::new(Section::State, SHELL_FOLDER, text).because("the folder of the latest row"))
}

/// Edits after the last run: what whoever goes on may want to check first.
pub fn edits_after_the_last_run(session: &Session, known: &KnownText) -> Vec<Fact> {
    edited_and_ran(session, known).filter(|fact| fact.key == EDITED_AFTER).into_iter().collect()
}

/// The latest edit of a file of the project with the checks, and runs that name the file, after it, or else with the latest
/// one before it. What was not seen is not claimed: a check may have run elsewhere, or under a name that nobody knows. Nor
/// are files counted, which change in ways that no row shows. A commit ends the matter: what was edited and checked before
/// it is where the work stood then. (Of 120 lines of heads that were read, five had a wrong number, and five named a run
/// that says nothing about the edit, such as a stopped container; of 129 more, seven told of an edit that was committed since
/// or of a run of another branch.)
fn edited_and_ran(session: &Session, known: &KnownText) -> Option<Fact> {
    let is_code = |path: &str| !is_prose(path) && !is_absolute(shown_path(session, path));
    let edits = session.files.iter().filter(|(path, file)| file.is_changed() && is_code(path));
    let (path, latest) = edits.max_by_key(|(_, file)| file.changed_at)?;
    let committed = session.record.commits().next_back().map(|commit| commit.clock);
    if committed >= Some(latest.changed) {
        return None;
    }
    let edited = format!("{} was edited at {}", name(shown_path(session, path), 160), latest.changed_at);
    let worked = worked_since(session, latest.changed_at);
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let names_it = |run: &CommandRun| run.line.may_check() && run.line.core().contains(file);
    let is_about = |run: &CommandRun| {
        let is_earlier = run.clock <= latest.changed;
        let is_over = is_earlier && (Some(run.clock) < committed || run.failed());
        !is_over && (run.line.is_check() || names_it(run))
    };
    let runs: Vec<CommandRun> = session.record.latest_runs().filter(is_about).collect();
    let (before, since) = runs.split_at(runs.partition_point(|run| run.clock <= latest.changed));
    let (key, shown) = if since.is_empty() {
        (EDITED_AFTER, &before[before.len().saturating_sub(1)..])
    } else {
        (RAN_SINCE, &since[since.len().saturating_sub(MAX_RUNS_SINCE)..])
    };
    let is_told = |run: &CommandRun| known.has_run(run.line, run.telling());
    if known.has(shown_path(session, path)) && shown.iter().all(is_told) {
        return None;
    }
    // What failed last has a line of its own, with what was changed since.
    let failing: Vec<Place> = session.failing().map(|run| run.place).collect();
    if shown.iter().all(|run| failing.contains(&run.place)) {
        return None;
    }
    let (last, earlier) = shown.split_last()?;
    let ran = match key {
        EDITED_AFTER => "ran before: ",
        _ if since.len() > shown.len() => "ran since, among others: ",
        _ => "ran since: ",
    };
    let earlier = earlier.iter().map(|run| format!("{} {}", run_with_outcome(*run), run.place));
    let shown: Vec<String> = earlier.chain([run_with_outcome(*last)]).collect();
    let text = format!("{edited}{worked}; {ran}{}", shown.join(", "));
    Some(Fact::new(Section::State, key, text).at(last.place).because("the latest edit, and what ran"))
}

/// `` `bun test` → "426 pass" ``
fn run_with_outcome(run: CommandRun) -> String {
    let failed = if run.failed() { "failed: " } else { "" };
    let telling = Some(run.telling()).filter(|telling| run.ok().is_some() && !telling.is_empty());
    let all = run.ended.and_then(RunResult::in_all).map(|all| format!(" ({all})")).unwrap_or_default();
    let said = telling.map(|telling| format!(" → {failed}{}{all}", quote_foreign(telling, 120)));
    let ended =
        said.unwrap_or_else(|| if failed.is_empty() { String::new() } else { " → failed".to_owned() });
    format!("{}{ended}", code(run.line.core(), 120))
}

/// For users who want to hear of the compaction, which the client tells the agent not to mention: it should say so, and
/// which task it continues with.
pub fn compaction_announcement(session: &Session) -> Fact {
    let task = task_at_hand(session).map(|(place, task)| format!(", and going on with {task} ({place})"));
    let text = format!(
        "The user's setting: the next answer begins with one line that says: context compacted{}",
        task.unwrap_or_default()
    );
    Fact::new(Section::State, ANNOUNCEMENT, text).because("`announce` is set")
}

/// The task in progress, or else the latest request, in a few words.
fn task_at_hand(session: &Session) -> Option<(Place, String)> {
    let task = session.tasks.open().into_iter().find(|task| task.status == TaskStatus::InProgress);
    if let Some(task) = task {
        return Some((task.place, quote_foreign(&task.subject, 120)));
    }
    let asked = session.asked().iter().rfind(|prompt| !prompt.reads.is_reply)?;
    Some((asked.place, quote(&gist(&session.text_of(asked), 120), 160)))
}

/// Whose turn it is, if the record shows it: interrupted, an unanswered question or message, ended.
fn turn(session: &Session, known: &KnownText) -> Option<Fact> {
    if session.interrupted {
        return Some(stopped(session));
    }
    if let Some((place, asked)) = session.unanswered() {
        let text = format!("No answer yet: the agent {}", shown_action(session, asked, 300));
        return Some(told(asked, text, place, "a question of the agent is open"));
    }
    let latest = session.asked().last();
    if let Some(prompt) = latest.filter(|prompt| has_no_answer(session, prompt)) {
        let words = session.text_of(prompt);
        let is_short = |words: &&str| words.chars().count() <= MAX_UNANSWERED;
        let short = Some(words.trim()).filter(is_short).filter(|_| !known.keeps(prompt.place));
        let quoted = short.map(|words| format!(" ({})", quote(words, MAX_UNANSWERED))).unwrap_or_default();
        let text = format!("The user's latest message{quoted} had no answer yet");
        return Some(told(&session.text_of(prompt), text, prompt.place, "nothing was said or done after it"));
    }
    if !session.waiting {
        return None;
    }
    match latest.filter(|_| ended_without_words(session)) {
        Some(prompt) => Some(without_words(session, prompt)),
        None => {
            session.last_said().map(|last| in_progress(session, last).unwrap_or_else(|| ended(last, known)))
        }
    }
}

/// The turn ended after a tool call, without a word on its result.
fn ended_without_words(session: &Session) -> bool {
    let spoke = session.last_said().map(|said| said.place);
    // Text in the row of a call comes before the call.
    session.last_action.as_ref().is_some_and(|action| Some(action.place) >= spoke)
}

fn without_words(session: &Session, prompt: &Prompt) -> Fact {
    let acted = session.last_action.as_ref().map(|action| format!(" after its last call ({})", action.place));
    let text = format!(
        "The user's latest request has no answer yet: the agent's turn ended without a word{}",
        acted.unwrap_or_default()
    );
    told(&session.text_of(prompt), text, prompt.place, "the turn ended without an answer")
}

/// A subagent has finished, and the agent has not read its result.
fn unread(result: &UnreadResult) -> Fact {
    let text = format!(
        "Subagent {} ({}) has finished; its result was not read since",
        name(&result.id, 60),
        quote_foreign(&result.what, 120)
    );
    let fact = Fact::new(Section::State, &result.id, text).at(result.place);
    fact.because("its end was told, and no call has named it since")
}

fn told(key: &str, text: String, place: Place, why: &'static str) -> Fact {
    Fact::new(Section::State, key, text).at(place).because(why)
}

fn stopped(session: &Session) -> Fact {
    let action = session.last_action.as_ref().map(|a| format!("; last action: {}", happened(session, a)));
    let text = format!("Stopped by the user{}", action.unwrap_or_default());
    let fact = Fact::new(Section::State, "interrupted", text);
    fact.or("Stopped by the user").because("the user interrupted it")
}

/// A turn that ended in the middle of a task, for example to compact.
fn in_progress(session: &Session, last: Message) -> Option<Fact> {
    let task = session.tasks.open().into_iter().find(|task| task.status == TaskStatus::InProgress)?;
    // A list that the latest requests did not touch says nothing about them.
    (requests_since_list(session) < 2).then_some(())?;
    // Open work has its name.
    let task =
        task.id.as_ref().map_or_else(|| "a task of its list".to_owned(), |id| format!("#{}", name(id, 40)));
    let text = format!("The agent ended its turn with {task} in progress");
    question(last).is_none().then(|| told("turn over", text, last.place, "it had ended its turn"))
}

/// The agent has ended its turn: the question or words it ended with, unless the model has them.
fn ended(last: Message, known: &KnownText) -> Fact {
    const OVER: &str = "The agent had ended its turn";
    let why = "it had ended its turn";
    let question = question(last);
    let words = last_words(last);
    let is_known = |text: &str| known.keeps(last.place) || known.has(text);
    let Some(question) = question else {
        let over = format!("{OVER} and was waiting for the user");
        if is_known(&words) {
            return told("turn over", over, last.place, why);
        }
        let text = format!("{over}; its last words: {}", quote_foreign(&words, 300));
        return told(&words, text, last.place, why).or(over);
    };
    if is_known(question) {
        let text = format!("{OVER} with a question, which has no answer yet");
        return told("turn over", text, last.place, why);
    }
    // A short question means nothing without the text before it.
    let question = if question.chars().count() < MIN_QUESTION { words.as_str() } else { question };
    told(question, format!("{OVER}; no answer yet to its {}", quote_foreign(question, 300)), last.place, why)
}

/// Nothing was said or done since.
fn has_no_answer(session: &Session, prompt: &Prompt) -> bool {
    let is_before = |place: Option<Place>| place.is_none_or(|place| place < prompt.place);
    is_before(session.last_said().map(|said| said.place))
        && is_before(session.last_action.as_ref().map(|action| action.place))
}

/// The question that a message ends with: its last line, or the one before a list of choices.
fn question(said: Message<'_>) -> Option<&str> {
    let lines: Vec<&str> = said.lines.iter().map(|line| line.words.as_str()).collect();
    let last = lines.iter().rposition(|line| line.trim_end_matches(['*', '_', ')', '"']).ends_with('?'))?;
    let is_choice = |line: &&str| {
        let behind = line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '(' | '•'));
        behind.len() < line.len() && behind.starts_with([' ', '.', ')'])
    };
    let asks = lines[last + 1..].iter().all(is_choice) && lines[last].split_whitespace().nth(1).is_some();
    asks.then_some(lines[last])
}

/// The last call, unless it only looked at something or the model has it.
fn last_call(session: &Session, known: &KnownText) -> Option<Fact> {
    let acted = session.acted == session.clock;
    let action = session.last_action.as_ref().filter(|action| acted && !known.keeps(action.place))?;
    // A change as the last call shows that nothing was run on it; passed commands are listed with the commands.
    let changed = EDITED.iter().any(|verb| action.what.starts_with(verb));
    if action.ok == Some(true) && !changed {
        return None;
    }
    let text = format!("Last call: {}", happened(session, action));
    let fact = Fact::new(Section::State, &action.what, text).at(action.place);
    Some(fact.because("last tool call"))
}

/// An action and its outcome, as far as recorded.
fn happened(session: &Session, action: &Action) -> String {
    let outcome = match action.ok {
        _ if action.refused => ", which the user refused",
        Some(true) => "",
        Some(false) => ", which failed",
        None => ", result not recorded yet",
    };
    format!("{}{outcome}", shown_action(session, &action.what, 160))
}

/// Starts the line with the next step.
pub const ANNOUNCED: &str = "Announced next: ";

/// The step that the agent announced last, if it has not begun it: its turn goes on, and nobody has spoken since.
pub fn announced(session: &Session) -> Option<(Message<'_>, &str)> {
    let asked = session.asked().last().map(|prompt| prompt.place);
    let said = session.last_said().filter(|said| asked.is_none_or(|asked| asked < said.place))?;
    let lines = said.lines.iter().filter(|line| !session.waiting && line.state.holds());
    let step = lines.flat_map(Observation::announced).next_back()?;
    Some((said, step))
}

fn next_step(session: &Session) -> Option<Fact> {
    let (said, step) = announced(session)?;
    let fact = Fact::new(Section::State, step, format!("{ANNOUNCED}{}", quote_foreign(step, 160)));
    Some(fact.at(said.place).because("its last announced step"))
}

/// The last words of a message: its last sentence, with the one before it if it is short. Lists and tables are skipped if
/// there is anything else.
pub fn last_words(said: Message) -> String {
    const SHORT: usize = 80;
    let is_prose = |line: &&str| item(line).is_none() && !line.starts_with(['|', '#', '─', '━']);
    let lines: Vec<&str> = said.prose().collect();
    let prose: Vec<&str> = lines.iter().copied().filter(is_prose).collect();
    let text = if prose.is_empty() { lines.join("\n") } else { prose.join("\n") };
    let found = sentences(&text);
    let short = found.last().is_some_and(|last| last.chars().count() < SHORT);
    found[found.len().saturating_sub(1 + usize::from(short))..].join(" ").replace("**", "")
}
