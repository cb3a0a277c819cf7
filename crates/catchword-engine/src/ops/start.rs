//! What a new session is told at its start: what the last session here left, and what the repository's past says.
//!
//! One screen. Every line can be looked up at the place it names, and says only what was checked now: nothing that a model
//! concluded. Worded as a record of other sessions, so that nobody takes it for an instruction. Silence if nothing applies.

use crate::choose::head::failures;
use crate::choose::head::state::last_words;
use crate::choose::{Fact, KnownText, Unfinished};
use crate::model::entry::Place;
use crate::model::event::short_id;
use crate::model::frame::{CLOSING, OPENING};
use crate::project::notice::{self, NoticeRequest};
use crate::project::{Past, PastCommand, Tree};
use crate::quote::{name, names, quote, quote_foreign};
use crate::reading::command::ShellLine;
use crate::record::CommandRun;
use crate::session::tasks::Task;
use crate::session::{Session, checklists};
use crate::text::numbers::ago;

/// Characters of what a session is told, by default.
pub const START_CHARACTERS: usize = 1_500;
/// Most open tasks and failing commands told of the last session.
const MOST_TASKS: usize = 4;
const MOST_FAILING: usize = 2;
/// Requests after which a list of tasks that nobody touched is old.
const LATER_REQUESTS: usize = 2;
/// Characters of its request, of a task, and of the names in a list.
const LONGEST_REQUEST: usize = 300;
const LONGEST_TASK: usize = 120;
const LONGEST_LIST: usize = 240;
/// The share of the room that the last session may take where the past has something to say, too.
const SHARE_OF_LAST: f64 = 0.6;

/// What is known at a start.
pub struct StartFacts<'a> {
    /// The last session that worked here, unless somebody else goes on with it.
    pub last: Option<LastSession<'a>>,
    pub past: &'a Past,
    pub tree: &'a dyn Tree,
    /// Milliseconds since 1970.
    pub now: i64,
    /// Most characters.
    pub characters: usize,
    /// Most files.
    pub files: usize,
}

/// The last session in this work tree.
pub struct LastSession<'a> {
    pub id: &'a str,
    pub session: &'a Session,
    /// Milliseconds since it was last active.
    pub age: i64,
    /// The path of its handoff.
    pub handoff: Option<&'a str>,
    /// What it is known to have left undone.
    pub left: Unfinished,
    /// Uncommitted files that it changed and nobody since.
    pub uncommitted: Vec<String>,
    /// Uncommitted files that it changed, and that were changed after it.
    pub changed_since: Vec<String>,
    /// Its thread is continued, whatever it left.
    pub is_thread: bool,
}

/// What the agent is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartText {
    pub text: String,
    /// Files and commands that it names.
    pub names: Vec<String>,
    /// It tells of unfinished work of the last session, which the person is told, too.
    pub is_offer: bool,
}

/// The text; `None` if there is nothing to tell.
pub fn start_text(facts: &StartFacts) -> Option<StartText> {
    let last = facts.last.as_ref().filter(|last| last.is_offer() || last.has_news(facts));
    let head = match last {
        Some(last) if last.is_offer() => last.head(),
        _ => "From earlier sessions in this repository: a record, not orders. The user may want something else."
            .to_owned(),
    };
    let end = last.filter(|last| last.is_offer()).and_then(LastSession::end);
    let frame = match last {
        Some(last) => format!("{OPENING} session=\"{}\">", last.id),
        None => format!("{OPENING}>"),
    };
    let fixed = [&frame, &head, end.as_deref().unwrap_or_default(), CLOSING];
    let mut room = facts.characters.checked_sub(fixed.iter().map(|text| text.chars().count() + 1).sum())?;
    let mut lines: Vec<String> = Vec::new();
    let mut of_last = (room as f64 * if facts.past.is_empty() { 1.0 } else { SHARE_OF_LAST }) as usize;
    for line in last.map(|last| last.lines(facts)).unwrap_or_default() {
        let length = line.chars().count() + 1;
        if length <= of_last {
            (of_last, room) = (of_last - length, room - length);
            lines.push(line);
        }
    }
    let request = NoticeRequest {
        past: facts.past,
        tree: facts.tree,
        now: facts.now,
        room,
        files: facts.files,
        told_of: last.map(|last| last.id),
    };
    let told = notice::lines(&request);
    lines.extend(told.lines);
    if lines.is_empty() && end.is_none() && !last.is_some_and(LastSession::is_offer) {
        return None;
    }
    let text = [frame, head].into_iter().chain(lines).chain(end).chain([CLOSING.to_owned()]);
    let text = text.collect::<Vec<_>>().join("\n");
    Some(StartText { text, names: told.names, is_offer: last.is_some_and(LastSession::is_offer) })
}

/// One line instead of all this: silence would look like a repository without a past.
pub fn unread(why: &str) -> String {
    let why = quote_foreign(why, 120);
    format!(
        "{OPENING}>\nThe record of earlier sessions here could not be read ({why}): nothing is told of them.\n{CLOSING}"
    )
}

/// What a session is known to have left. Some clients do not write down that a turn ended: words behind the last call end it.
pub fn left_by(session: &Session) -> Unfinished {
    let left = Unfinished::of(session, None);
    let spoke = session.last_said().is_some_and(|said| {
        let is_last = |place: Place| place <= said.place;
        session.last_action.as_ref().is_none_or(|action| is_last(action.place))
            && session.asked().last().is_none_or(|prompt| is_last(prompt.place))
    });
    let broken_off = left.broken_off && (session.interrupted || !spoke);
    let failing = session.failing().filter(|run| run.line.is_check() && surely_failed(run));
    let failing = failing.map(|run| run.line.core().to_owned()).collect();
    Unfinished { broken_off, failing, asks: false, ..left }
}

/// What it printed does not count everything as passed.
fn surely_failed(run: &CommandRun) -> bool {
    run.ended.is_none_or(|ended| ended.counts.is_none_or(|counts| counts.failed > 0 || counts.passed == 0))
}

impl LastSession<'_> {
    /// It left work, or is continued whatever it left.
    fn is_offer(&self) -> bool {
        self.left.is_left() || self.is_thread
    }

    /// It left nothing undone, and still something is to be said about it.
    fn has_news(&self, facts: &StartFacts) -> bool {
        !self.lines(facts).is_empty()
    }

    fn head(&self) -> String {
        // Its last line: what that means is for the reader to see.
        let places = [
            self.session.last_action.as_ref().map(|action| action.place),
            self.session.last_said().map(|said| said.place),
            self.session.prompts.last().map(|prompt| prompt.place),
        ];
        let end = places.into_iter().flatten().max().map(|place| format!(" ended at {place}"));
        format!(
            "The last session here ({}, {}){}. This is a record of it and of earlier sessions, not orders: the user may want \
             something else now.",
            ago(self.age),
            short_id(self.id),
            end.unwrap_or_default(),
        )
    }

    fn end(&self) -> Option<String> {
        let handoff = self.handoff.filter(|path| path.chars().count() <= 200)?;
        Some(format!("- its handoff: {}", name(handoff, 200)))
    }

    /// What it left, most certain first.
    fn lines(&self, facts: &StartFacts) -> Vec<String> {
        let session = self.session;
        let mut lines = Vec::new();
        lines.extend(self.branch(facts));
        for (what, files) in [
            ("left uncommitted", &self.uncommitted),
            ("left uncommitted, changed since", &self.changed_since),
        ] {
            let (shown, more) = names(files.iter().map(String::as_str), LONGEST_LIST);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            if !files.is_empty() {
                let whose = if lines.is_empty() { "the last session" } else { "it" };
                lines.push(format!("- {whose} ({}) {what}: {shown}{more}", short_id(self.id)));
            }
        }
        if !self.is_offer() {
            return lines;
        }
        let known = KnownText::default();
        let placed = |fact: &Fact, text: &str| match fact.place {
            Some(place) => format!("{text} {}:{place}", short_id(self.id)),
            None => text.to_owned(),
        };
        // A test or a build: how another command ended, the next session would find out by itself.
        let is_check = |fact: &Fact| ShellLine::parse(&fact.key).is_check();
        let failing = failures::facts(session, &known).into_iter().filter(is_check);
        let failing = failing.filter(|fact| {
            self.left.failing.contains(&fact.key)
                && !passed_since(&ShellLine::parse(&fact.key), session, facts)
        });
        lines.extend(failing.take(MOST_FAILING).map(|fact| format!("- {}", placed(&fact, &fact.text))));
        let of_list = self.open_tasks().into_iter().map(|task| (task.place, task.subject.as_str()));
        let open: Vec<(Place, &str)> = of_list.chain(checklists::open_boxes(session)).collect();
        lines.extend(open.into_iter().take(MOST_TASKS).map(|(place, text)| {
            let task = quote_foreign(text, LONGEST_TASK);
            format!("- open in its list of tasks: {task} {}:{place}", short_id(self.id))
        }));
        if let Some(said) = session.last_said().filter(|_| self.is_thread && !self.left.is_left()) {
            let words = quote_foreign(&last_words(said), LONGEST_REQUEST);
            lines.push(format!("- it ended with the words {words} {}:{}", short_id(self.id), said.place));
        }
        // The latest one, whole or not at all: an older one may be done.
        let asked = session.prompts.last().filter(|prompt| !prompt.reads.is_reply);
        let asked = asked.map(|prompt| (prompt, session.text_of(prompt)));
        if let Some((prompt, words)) = asked.filter(|(_, words)| words.chars().count() <= LONGEST_REQUEST) {
            let words = quote(&words, LONGEST_REQUEST);
            lines.push(format!(
                "- the user's last request there: {words} {}:{}",
                short_id(self.id),
                prompt.place
            ));
        }
        lines
    }

    /// The tasks that its list has open. A list that two requests left as it was says nothing of them.
    fn open_tasks(&self) -> Vec<&Task> {
        let (open, done) = (self.session.tasks.open(), self.session.tasks.done());
        let touched = open.iter().chain(&done).map(|task| task.place).max();
        let later = self.session.prompts.iter().filter(|prompt| Some(prompt.place) > touched).count();
        if later < LATER_REQUESTS { open } else { Vec::new() }
    }

    /// Another branch is checked out than it worked on.
    fn branch(&self, facts: &StartFacts) -> Option<String> {
        let (was, is) = (self.session.branch_now()?, facts.tree.branch()?);
        let gone = facts.tree.fate_of(was).in_words();
        let of_it = || format!("- branch {}; the last session was on {}{gone}", name(&is, 80), name(was, 80));
        (was != is && was != "HEAD").then(of_it)
    }
}

/// Whether a later session has run it to its end: then it no longer fails.
fn passed_since(failed: &ShellLine, session: &Session, facts: &StartFacts) -> bool {
    let key = failed.key();
    let is_it = |command: &&PastCommand| ShellLine::parse(&command.line).key() == key;
    let last = session.time.unwrap_or(i64::MIN);
    facts.past.commands.iter().filter(is_it).any(|command| command.passed.at.is_some_and(|at| at > last))
}
