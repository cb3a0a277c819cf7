//! The model of one session: a fold over its entries.
//!
//! [`Session::apply`] is the whole interface for writing: it takes one entry and never looks at a file, a
//! clock or another entry than the one it is given, so any split of a transcript gives the same session. What
//! grows with the length of a session is bounded; what the person said is kept whole.

pub mod active;
pub mod commands;
pub mod cues;
mod cut;
pub mod demands;
pub mod files;
pub mod heat;
pub mod kept;
pub mod lately;
pub mod later;
pub mod log;
pub mod moves;
pub mod names;
pub mod reply;
mod said;
pub mod sentences;
pub mod shell;
pub mod spans;
pub mod tasks;
pub mod vocabulary;
pub mod words;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::agent::entry::{Entry, EntryId, Extra, Mode, Part, Place, TaskStatus, Thread, Todo, Tool};
use active::{Active, By};
use commands::{Commands, Outcome};
pub use cut::one_line;
use cut::{ends_of, head_of, tail_of};
use demands::demands_in;
use files::{Files, Moved, Touch};
use kept::Kept;
use later::Later;
use log::{Happened, Log, Moment};
use moves::{Move, Word};
use names::{Met, Names};
pub use said::{Action, Answer, Commit, Compaction, Plan, Prompt, Refusal, Running, Said, SkillUse};
use spans::{Ended, Spans, Tested};
use tasks::Tasks;
use vocabulary::{Vocabulary, words_of};

/// How many of the agent's messages are kept.
const SAID_KEPT: usize = 150;
/// Longest agent message kept; decisions and next steps stand at its ends.
const SAID_LONG: usize = 4_000;
/// Bytes of a command or a tool's answer in which names and files are looked for. What stands further down is
/// hardly used again: measured, reading all of it gains nothing at the sizes a brief can have.
const LOOKED_AT: usize = 2_000;
/// The same for what a command printed, which lists files further down.
const OUTPUT_LOOKED_AT: usize = 3_000;
/// Words beside tools' answers that are kept.
const BESIDE_KEPT: usize = 200;
/// Working directories that are remembered.
const ROOTS_KEPT: usize = 64;
/// Calls without an answer that are remembered; more only pile up when a client crashes mid-call.
const PENDING_KEPT: usize = 256;

/// A session as far as it has been read.
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Working directories, in order of first use.
    pub roots: Vec<String>,
    /// Working directory of the latest row.
    pub cwd: Option<String>,
    /// Git branch of the latest row that names one.
    pub branch: Option<String>,
    /// Model of the latest answer.
    pub model: Option<String>,
    /// Rows of the main conversation, each counted once.
    pub entries: u32,
    /// Tool calls so far: the clock by which recency is measured.
    pub clock: u32,
    /// Turns of the agent so far. A turn is one message of the model, whatever it says and calls in it; in a
    /// transcript that may be several rows.
    pub turns: u32,
    /// Time of the latest row, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Everything the person said.
    pub prompts: Vec<Prompt>,
    /// Words that stood beside a tool's answer: nobody's, but a summary that quotes them has not made them up.
    pub beside: Vec<String>,
    /// What the agent said, latest last.
    pub said: Later<VecDeque<Said>>,
    /// Files touched or named.
    pub files: Files,
    /// Commands run.
    pub commands: Later<Commands>,
    /// Identifiers met lately.
    pub names: Later<Names>,
    /// Every number, file name, identifier and flag met lately outside summaries.
    #[serde(skip)]
    pub vocabulary: Later<Vocabulary>,
    /// To-dos and tasks.
    pub tasks: Tasks,
    /// Questions the person answered.
    pub answers: Vec<Answer>,
    /// Calls the person refused.
    pub refusals: Vec<Refusal>,
    /// The latest plan.
    pub plan: Option<Plan>,
    /// What runs in the background, by id.
    pub running: BTreeMap<String, Running>,
    /// Slash commands and skills used.
    pub skills: Vec<SkillUse>,
    /// Those the agent works by, and modes.
    pub active: Active,
    /// Commits made.
    pub commits: Vec<Commit>,
    /// Compactions so far.
    pub compactions: Vec<Compaction>,
    /// The summary that the transcript begins with, where what it sums up is in no row.
    pub beginning: Option<String>,
    /// The latest thing the agent did with a tool.
    pub last_action: Option<Action>,
    /// The agent has ended its turn and waits for the person.
    pub waiting: bool,
    /// The person has stopped the agent, and said nothing since.
    pub interrupted: bool,
    /// What was achieved and decided, with times.
    pub log: Later<Log>,
    /// What was done for each task.
    pub spans: Later<Spans>,
    /// What the client gives back by itself.
    pub kept: Kept,
    /// The message of the agent's latest turn.
    message: Option<EntryId>,
    /// Prompts that were queued and are not known to have reached the agent.
    queued: Vec<Place>,
    pending: Later<BTreeMap<String, Pending>>,
    #[serde(skip)]
    seen: Later<HashSet<EntryId, foldhash::fast::RandomState>>,
    /// Tool calls since which every row was read word by word; 0 where nothing is missed of what was before.
    read_since: u32,
    /// The row that is taken in was only glanced at.
    #[serde(skip)]
    glanced: bool,
    /// Read to be asked: the words or rows it has met are missing, and it cannot be folded on.
    #[serde(skip)]
    partial: bool,
}

/// A call whose answer has not come yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pending {
    place: Place,
    action: String,
    what: Awaited,
}

/// What an answer will be needed for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Awaited {
    Shell { command: String, core: String, cwd: Option<String> },
    TaskCreate { subject: String },
    Ask { questions: Vec<String> },
    Plan,
    Agent { description: String },
    Skill { name: String, args: String },
    Read { path: String },
    Write { path: String },
    Edit { path: String },
    Other,
}

impl Session {
    /// Takes in one entry. An entry that was seen before, or that belongs to a subagent, changes nothing.
    pub fn apply(&mut self, entry: &Entry) {
        self.apply_with(entry, None);
    }

    /// The same, with the words of the entry's parts where somebody has hashed them already.
    pub fn apply_with(&mut self, entry: &Entry, words: Option<&[u32]>) {
        debug_assert!(!self.partial, "a session is read whole to be folded on");
        if entry.thread == Thread::Sub || entry.id.is_some_and(|id| !self.seen.insert(id)) {
            return;
        }
        self.entries += 1;
        self.note_surroundings(entry);
        self.glanced = entry.glanced;
        if let Some(words) = words {
            for word in words {
                self.vocabulary.take(*word);
            }
        } else if !self.glanced && !self.vocabulary.takes_no_more() {
            entry.parts.iter().for_each(|part| words_of(part, &mut |word| self.vocabulary.take(word)));
        }
        for part in &entry.parts {
            self.kept.note(entry.place, part);
            self.apply_part(entry.place, part);
        }
        if std::mem::take(&mut self.glanced) {
            self.read_since = self.clock + 1;
        } else if self.is_whole() {
            self.read_since = 0;
        }
    }

    /// What stands behind the rest in a snapshot, packed: the words that were met and the rows that were seen.
    pub(crate) fn behind(&self) -> Option<[Cow<'_, [u8]>; 2]> {
        Some([self.vocabulary.packed()?, self.seen.packed()?]).filter(|_| !self.partial)
    }

    /// Puts back what stood behind the rest, where it `is_whole`.
    pub(crate) fn put_behind(&mut self, [words, rows]: [&[u8]; 2], is_whole: bool) {
        (self.vocabulary, self.seen) = (Later::of_packed(words), Later::of_packed(rows));
        self.partial = !is_whole;
    }

    /// Every row of which the words are remembered was read word by word: nothing is missing that would be there had
    /// none been glanced at.
    pub fn is_whole(&self) -> bool {
        self.read_since <= lately::since(self.clock)
    }

    /// Tool calls since which the words of every row are remembered.
    pub fn remembers_since(&self) -> u32 {
        lately::since(self.clock)
    }

    /// The folder that files are shown relative to: the outermost working directory around the present one.
    pub fn root(&self) -> Option<&str> {
        let cwd = self.cwd.as_deref()?;
        let around = self.roots.iter().filter(|root| is_inside(cwd, root));
        around.min_by_key(|root| root.len()).map(String::as_str)
    }

    fn note_surroundings(&mut self, entry: &Entry) {
        if let Some(keeps) = entry.keeps {
            self.kept.is_kept = keeps;
        }
        // Nearly every row is where the one before it was.
        if let Some(cwd) = entry.cwd.as_deref().filter(|cwd| self.cwd.as_deref() != Some(cwd)) {
            if !self.roots.iter().any(|root| root == cwd) && self.roots.len() < ROOTS_KEPT {
                self.roots.push(cwd.to_owned());
            }
            self.cwd = Some(cwd.to_owned());
        }
        if let Some(branch) = entry.branch.as_deref().filter(|branch| self.branch.as_deref() != Some(branch))
        {
            self.branch = Some(branch.to_owned());
        }
        self.time = self.time.max(entry.time);
    }

    fn apply_part(&mut self, place: Place, part: &Part) {
        match part {
            Part::Prompt { text, .. } => {
                let now = self.moment(place);
                self.spans.prompted(text, now, self.interrupted);
                self.prompted(place, text);
            }
            Part::Beside(text) => self.stood_beside(text),
            // Said while the agent is at work: part of what it is at, until it is handed over.
            Part::Queued(text) => {
                self.prompted(place, text);
                self.queued.push(place);
            }
            Part::Unqueued => {
                let taken_back = std::mem::take(&mut self.queued);
                self.prompts.retain(|prompt| !taken_back.contains(&prompt.place));
            }
            Part::Slash { name, args, own } => self.slashed(place, name, args, *own),
            Part::Mode(mode) => self.active.switched(place, mode),
            Part::Reattached(names) => self.active.reattached(names),
            Part::Typed(command) => self.heard(place, command),
            Part::Text(text) => self.spoke(place, text),
            Part::Call { id, tool } => self.called(place, id, tool),
            Part::Result { call, ok, text, extra } => self.answered(place, call, *ok, text, extra),
            Part::Finished { id } => _ = self.running.remove(id),
            Part::Model(model) if self.model.as_deref() == Some(model) => {}
            Part::Model(model) => self.model = Some((**model).to_owned()),
            Part::Message(id) => {
                self.turns += u32::from(id.is_none() || self.message != *id);
                self.message = *id;
            }
            Part::TurnEnd => {
                self.waiting = true;
                let now = self.moment(place);
                self.spans.answered(now);
            }
            Part::Interrupted => {
                (self.waiting, self.interrupted) = (true, true);
                self.spans.unanswered();
            }
            Part::Compaction { manual, before, after, kept } => {
                self.compacted(place, *manual, (*before, *after), kept.clone());
            }
            Part::Summary(text) => self.summarised(place, text),
            // The gauge counts them, rows of every session alike.
            Part::Usage(_) | Part::Injected { .. } => {}
        }
    }

    fn stood_beside(&mut self, text: &str) {
        self.beside.push(text.to_owned());
        let excess = self.beside.len().saturating_sub(BESIDE_KEPT);
        self.beside.drain(..excess);
    }

    fn prompted(&mut self, place: Place, text: &str) {
        // Queued before, and now handed to the agent: said once, here.
        let same = |at: &Place| self.prompts.iter().any(|p| p.place == *at && p.text == text);
        if let Some(queued) = self.queued.iter().position(same).map(|at| self.queued.remove(at)) {
            self.prompts.retain(|prompt| prompt.place != queued);
        }
        self.heard(place, text);
        self.active.heard(place, text);
        let answers = self.said.back().map(|s| (s.place, tail_of(&s.text, 600)));
        let Moment { time, turn, .. } = self.moment(place);
        let clock = self.clock;
        let (text, demands) = (text.to_owned(), demands_in(text));
        self.prompts.push(Prompt { place, text, clock, answers, time, turn, demands });
        (self.waiting, self.interrupted) = (false, false);
    }

    fn slashed(&mut self, place: Place, name: &str, args: &str, own: bool) {
        match name {
            "/clear" | "/new" | "/reset" if own => self.active.clear(place),
            _ if own => {}
            _ => self.active.used(place, name, args, By::Person),
        }
        self.skills.push(SkillUse { place, name: name.to_owned(), args: args.to_owned() });
        self.heard(place, args);
    }

    fn spoke(&mut self, place: Place, text: &str) {
        self.heard(place, text);
        let Moment { time, turn, .. } = self.moment(place);
        self.said.push_back(Said { place, text: ends_of(text, SAID_LONG), clock: self.clock, time, turn });
        if self.said.len() > SAID_KEPT {
            self.said.pop_front();
        }
        (self.waiting, self.interrupted) = (false, false);
        let now = self.moment(place);
        self.spans.answered(now);
    }

    fn called(&mut self, place: Place, id: &str, tool: &Tool) {
        self.clock += 1;
        if lately::begins(self.clock) {
            self.names.turn();
            self.files.turn();
            self.vocabulary.turn();
        }
        (self.waiting, self.interrupted) = (false, false);
        self.spans.unanswered();
        let what = awaited(tool, self.cwd.as_deref());
        self.note_call(place, tool, &what);
        let action = action(tool);
        self.last_action = Some(Action { place, what: action.clone(), ok: None, refused: false });
        self.pending.insert(id.to_owned(), Pending { place, action, what });
        if self.pending.len() > PENDING_KEPT {
            let oldest =
                self.pending.iter().min_by_key(|(id, p)| (p.place, (*id).clone())).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.pending.remove(&id));
        }
    }

    /// Takes in the names and files of a text.
    fn note_words(&mut self, place: Place, text: &str, met: Met, touch: Touch) {
        if self.glanced {
            return;
        }
        let clock = self.clock;
        words::scan(text, |word| match word {
            words::Word::Path(path) => self.files.name(path, touch, clock, place),
            words::Word::Name(name) => self.names.note(name, met, clock, place),
            words::Word::Number(number) if met != Met::Seen => self.names.note(number, met, clock, place),
            words::Word::Number(_) => {}
        });
        self.names.settle(clock);
    }

    /// A tool is pointed at a file.
    fn pointed_at(&mut self, place: Place, path: &str, touch: Touch) {
        if touch != Touch::Called {
            self.files.open(path, touch, self.clock, place);
        }
        if !self.glanced {
            self.files.name(path, touch, self.clock, place);
        }
    }

    /// Takes in the names and files of anybody's words.
    fn heard(&mut self, place: Place, text: &str) {
        self.note_words(place, text, Met::Read, Touch::Said);
    }

    /// Takes in the names and files of what the agent gave to a tool.
    fn typed(&mut self, place: Place, text: &str) {
        let text = head_of(text, LOOKED_AT);
        self.note_words(place, text, Met::Called, Touch::Called);
    }

    fn note_call(&mut self, place: Place, tool: &Tool, what: &Awaited) {
        if let Awaited::Shell { command, core, .. } = what {
            self.commands.ran(core, command, self.clock, place);
        }
        match tool {
            Tool::Shell { command, .. } => self.typed(place, command),
            Tool::Read { path } => self.pointed_at(place, path, Touch::Read),
            Tool::Edit { path, change } => {
                self.pointed_at(place, path, Touch::Edit);
                self.heard(place, change);
            }
            Tool::Write { path, content } => {
                self.pointed_at(place, path, Touch::Write);
                self.heard(place, content);
            }
            Tool::Search { pattern, path } => {
                self.typed(place, pattern);
                if let Some(path) = path.as_deref().filter(|p| words::is_path(p)) {
                    self.pointed_at(place, path, Touch::Called);
                }
            }
            Tool::Todos(todos) => self.todos_replaced(place, todos),
            Tool::TaskUpdate { task, status, subject } => {
                self.tasks.updated(task, *status, subject.as_deref(), place);
                if let Some(status) = status {
                    self.task_changed(place, task, *status);
                }
            }
            Tool::Plan { text, file } => {
                self.heard(place, text);
                self.plan = Some(Plan { place, text: text.clone(), file: file.clone(), approved: None });
            }
            Tool::Agent { prompt, .. } => self.heard(place, prompt),
            Tool::Skill { name, args } => {
                self.skills.push(SkillUse { place, name: name.clone(), args: args.clone() });
            }
            Tool::Kill { id } => _ = self.running.remove(id),
            Tool::Other { input, .. } => self.heard(place, input),
            Tool::TaskCreate { .. } | Tool::Ask { .. } => {}
        }
    }

    fn answered(&mut self, place: Place, call: &str, ok: bool, text: &str, extra: &Extra) {
        let Some(pending) = self.pending.remove(call) else { return };
        self.saw(place, &pending.what, text);
        if !ok || extra.refused.is_some() {
            self.did_not_change(&pending.what);
        }
        if let Some(action) = self.last_action.as_mut().filter(|a| a.place == pending.place) {
            action.ok = Some(ok);
            action.refused = extra.refused.is_some();
        }
        if let Some(reason) = &extra.refused {
            self.refused(place, pending, reason);
            return;
        }
        match pending.what {
            Awaited::Shell { command, core, cwd } => {
                self.shell_answered(pending.place, (&command, &core), ok, text, extra);
                if ok && extra.background.is_none() && !shell::says_failure(text) {
                    self.moved(pending.place, &command, cwd.as_deref(), text);
                }
            }
            Awaited::TaskCreate { subject } if ok => {
                let id = extra.task.clone().or_else(|| tasks::id_in(text));
                self.tasks.created(id, &subject, pending.place);
                let now = self.moment(place);
                self.spans.task_created(now);
            }
            Awaited::Ask { questions } if ok => self.person_answered(place, &questions, text, extra),
            Awaited::Plan => {
                if let Some(plan) = &mut self.plan {
                    plan.approved = Some(ok);
                }
                if ok {
                    self.active.switched(place, &Mode::Plan(false));
                }
                if let Some(plan) = self.plan.as_ref().filter(|_| ok) {
                    let plan = Log::short(plan.title());
                    self.happened(place, Happened::Approved { plan });
                }
            }
            Awaited::Skill { name, args } if ok => {
                self.active.used(pending.place, &name, &args, By::Agent);
            }
            Awaited::Agent { description } => self.started(extra, pending.place, description, true),
            Awaited::Write { path } if ok => {
                self.kept.opened(&path);
                self.spans.changed(&path);
                let was_gone = self.files.there(&path);
                if extra.created && !was_gone {
                    self.files.created(&path);
                    self.happened(place, Happened::Created { path });
                }
            }
            Awaited::Edit { path } if ok => {
                self.kept.opened(&path);
                self.spans.changed(&path);
                self.files.there(&path);
            }
            Awaited::Read { path } if ok => {
                self.kept.opened(&path);
                self.files.there(&path);
            }
            _ => {}
        }
    }

    /// A question or a plan that the person has before them, in a few words.
    pub fn unanswered(&self) -> Option<(Place, String)> {
        let asked =
            self.pending.values().filter(|call| matches!(call.what, Awaited::Ask { .. } | Awaited::Plan));
        asked.max_by_key(|call| call.place).map(|call| (call.place, format!("the agent {}", call.action)))
    }

    fn happened(&mut self, place: Place, what: Happened) {
        let now = self.moment(place);
        self.log.push(now, what);
    }

    /// Now, at this row.
    fn moment(&self, place: Place) -> Moment {
        Moment { place, time: self.time, turn: self.turns }
    }

    fn task_changed(&mut self, place: Place, id: &str, status: TaskStatus) {
        let now = self.moment(place);
        let subject = self.tasks.subject(id).unwrap_or_default();
        if let Some(span) = self.spans.task_changed(id, subject, status, now) {
            self.log.push(now, finished(span));
        }
    }

    fn todos_replaced(&mut self, place: Place, todos: &[Todo]) {
        let now = self.moment(place);
        let ended = self.spans.todos_replaced(&self.tasks.todos(), todos, now);
        let ended: Vec<Happened> = self.spans.finished().rev().take(ended).map(finished).collect();
        ended.into_iter().rev().for_each(|event| self.log.push(now, event));
        self.tasks.replaced(todos, place);
    }

    fn did_not_change(&mut self, what: &Awaited) {
        match what {
            Awaited::Edit { path } => self.files.unchanged(path, Touch::Edit),
            Awaited::Write { path } => self.files.unchanged(path, Touch::Write),
            _ => {}
        }
    }

    /// Takes in the names and files of a tool's answer. The answer to an edit repeats the edit.
    fn saw(&mut self, place: Place, what: &Awaited, text: &str) {
        let most = match what {
            Awaited::Edit { .. } | Awaited::Write { .. } => return,
            Awaited::Shell { .. } => OUTPUT_LOOKED_AT,
            _ => LOOKED_AT,
        };
        let text = head_of(text, most);
        self.note_words(place, text, Met::Seen, Touch::Seen);
    }

    /// What the person would not have done, and, for a plan, would not have followed.
    fn refused(&mut self, place: Place, pending: Pending, reason: &str) {
        if let (Awaited::Plan, Some(plan)) = (&pending.what, &mut self.plan) {
            plan.approved = Some(false);
        }
        // A tool that somebody else wrote words its own failures: nothing in them is taken for the person's, though it
        // may be theirs.
        let is_foreign = matches!(pending.what, Awaited::Other);
        if is_foreign && !reason.is_empty() {
            self.stood_beside(reason);
        }
        let reason = if is_foreign { "" } else { reason };
        self.heard(place, reason);
        let event = Happened::Refused { what: Log::short(&pending.action), reason: Log::short(reason) };
        self.happened(place, event);
        self.refusals.push(Refusal {
            place,
            what: pending.action,
            reason: reason.to_owned(),
            clock: self.clock,
        });
    }

    fn shell_answered(
        &mut self,
        place: Place,
        (command, core): (&str, &str),
        ok: bool,
        text: &str,
        extra: &Extra,
    ) {
        // What was left running has not ended yet, well or otherwise.
        if extra.background.is_none() {
            let ended = self.commands.answered(core, command, ok, text);
            self.ran(place, (command, core), ended.as_ref(), text);
        }
        self.started(extra, place, command.to_owned(), false);
        // Git has printed it, so it is made, whatever failed after it.
        if let Some((hash, subject)) = shell::commit_in(command, text) {
            self.spans.committed(&hash, &subject);
            let event = Happened::Committed { hash: hash.clone(), subject: Log::short(&subject) };
            self.happened(place, event);
            self.commits.push(Commit { place, hash, subject, clock: self.clock });
        }
    }

    /// Takes in how a command ended, for the tasks it was run for and, where it ran tests, for the log.
    fn ran(&mut self, place: Place, (command, core): (&str, &str), outcome: Option<&Outcome>, output: &str) {
        let ok = outcome.map(|o| o.ok);
        let tested = if shell::runs_tests(core) {
            let counts = shell::counted(output);
            let passed = shell::tests_passed(command, ok, counts, output);
            passed.map(|ok| Tested { place, ok, counts })
        } else {
            None
        };
        let telling = outcome.map(|o| o.telling.as_str()).unwrap_or_default();
        self.spans.ran(&Ended { core, ok, telling, tested, place });
        if let Some(Tested { ok, counts, .. }) = tested {
            let event = Happened::Tested { command: Log::short(core), ok, counts, times: 1 };
            self.happened(place, event);
        }
    }

    /// Follows what a command did to the files that are known.
    fn moved(&mut self, place: Place, command: &str, cwd: Option<&str>, output: &str) {
        let whole = |word: &Word| {
            let folder = moves::joined(cwd.unwrap_or_default(), &word.folder);
            moves::joined(&folder, &word.text)
        };
        for done in moves::moves(command, output) {
            match done {
                Move::Removed { path, whole: all } => {
                    self.files.removed(&whole(&path), all, path.plain, self.clock);
                }
                Move::Moved { from, to, several } if to.plain => {
                    let moved = Moved { into: several || to.text.ends_with(['/', '.']), sure: from.plain };
                    self.files.moved(&whole(&from), &whole(&to), moved, self.clock, place);
                }
                Move::There(path) => _ = self.files.there(&whole(&path)),
                Move::Anything => self.files.all_there(),
                Move::Moved { .. } => {}
            }
        }
    }

    fn started(&mut self, extra: &Extra, place: Place, what: String, agent: bool) {
        if let Some(id) = &extra.background {
            self.running.insert(id.clone(), Running { place, what, agent });
        }
    }

    fn person_answered(&mut self, place: Place, questions: &[String], text: &str, extra: &Extra) {
        if extra.answers.is_empty() {
            let question = questions.join(" / ");
            self.answers.push(Answer { place, question, answer: ends_of(text, 600), clock: self.clock });
        }
        for (question, answer) in &extra.answers {
            self.heard(place, answer);
            let event = Happened::Answered { question: Log::short(question), answer: Log::short(answer) };
            self.happened(place, event);
            self.answers.push(Answer {
                place,
                question: question.clone(),
                answer: answer.clone(),
                clock: self.clock,
            });
        }
    }

    fn compacted(
        &mut self,
        place: Place,
        manual: bool,
        tokens: (Option<u64>, Option<u64>),
        kept: Vec<EntryId>,
    ) {
        let (before, after) = tokens;
        self.happened(place, Happened::Compacted { manual, before, after });
        self.compactions.push(Compaction {
            place,
            manual,
            before,
            after,
            clock: self.clock,
            summary: None,
            kept,
        });
    }

    /// Nothing was said or done yet: what a summary here is of is in another file, or gone.
    fn is_at_its_beginning(&self) -> bool {
        self.clock == 0
            && self.prompts.is_empty()
            && self.said.is_empty()
            && self.compactions.iter().all(|c| c.summary.is_none())
    }

    /// The summary of the boundary before it; older clients write no boundary, there it is the compaction.
    fn summarised(&mut self, place: Place, text: &str) {
        if self.is_at_its_beginning() {
            self.beginning = Some(text.to_owned());
        }
        if self.compactions.last().is_none_or(|c| c.summary.is_some()) {
            self.compacted(place, false, (None, None), Vec::new());
        }
        if let Some(last) = self.compactions.last_mut() {
            last.summary = Some(text.to_owned());
        }
        // It keeps in use what it repeats; what it says besides is no record of anything.
        self.names.repeated(text, self.clock);
        self.files.repeated(text, self.clock);
        // The latest is compared with, and the one before it tells what its writer knew; fifty old ones would be carried
        // in every snapshot.
        if let Some(older) = self.compactions.len().checked_sub(3) {
            self.compactions[older].summary = Some(String::new());
        }
    }
}

/// The event that a task's end is.
fn finished(span: &spans::Span) -> Happened {
    Happened::Finished {
        task: span.id.clone(),
        subject: span.subject.clone(),
        evidence: span.done.evidence(),
    }
}

fn awaited(tool: &Tool, cwd: Option<&str>) -> Awaited {
    match tool {
        Tool::Shell { command, .. } => {
            let core = shell::core(command);
            Awaited::Shell { command: command.clone(), core, cwd: cwd.map(str::to_owned) }
        }
        Tool::Read { path } => Awaited::Read { path: path.clone() },
        Tool::TaskCreate { subject } => Awaited::TaskCreate { subject: subject.clone() },
        Tool::Ask { questions } => Awaited::Ask { questions: questions.clone() },
        Tool::Plan { .. } => Awaited::Plan,
        Tool::Agent { description, .. } => Awaited::Agent { description: description.clone() },
        Tool::Skill { name, args } => Awaited::Skill { name: name.clone(), args: args.clone() },
        Tool::Write { path, .. } => Awaited::Write { path: path.clone() },
        Tool::Edit { path, .. } => Awaited::Edit { path: path.clone() },
        _ => Awaited::Other,
    }
}

/// A call in a few words: "edited src/a.rs".
pub(crate) fn action(tool: &Tool) -> String {
    match tool {
        Tool::Shell { command, .. } => format!("ran `{}`", one_line(command, 200)),
        Tool::Read { path } => format!("read {path}"),
        Tool::Edit { path, .. } => format!("edited {path}"),
        Tool::Write { path, .. } => format!("wrote {path}"),
        Tool::Search { pattern, .. } => format!("searched for `{}`", one_line(pattern, 120)),
        Tool::Todos(_) | Tool::TaskCreate { .. } | Tool::TaskUpdate { .. } => {
            "updated the task list".to_owned()
        }
        Tool::Ask { questions } => format!("asked the user: {}", one_line(&questions.join(" / "), 200)),
        Tool::Plan { .. } => "proposed a plan".to_owned(),
        Tool::Agent { description, .. } => format!("started a subagent: {}", one_line(description, 120)),
        Tool::Skill { name, .. } => format!("invoked skill {name}"),
        Tool::Kill { id } => format!("stopped background task {id}"),
        Tool::Other { name, .. } => format!("used {name}"),
    }
}

/// Whether `path` is `folder` or lies in it.
pub fn is_inside(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches(['/', '\\']);
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

#[cfg(test)]
pub(crate) mod tests;
