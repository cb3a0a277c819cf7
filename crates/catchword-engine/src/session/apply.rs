//! Applies an entry to a session, part by part. Tool calls and their answers are in [`super::calls`].

use super::Moment;
use super::PlacedText;
use super::active::By;
use super::calls::SCHEDULED_LONG;
use super::compactions;
use super::kept::hash_of;
use super::{Compaction, Focus, Prompt, Session, UnreadResult};
use crate::model::entry::{Entry, EntryId, Part, Place, Slash, Thread};
use crate::model::origin::Origin;
use crate::reading::command::ShellLine;
use crate::reading::request::RequestReading;
use crate::record::{CallParts, Message, RunResult, Source, Voice};
use crate::text::cut::head_of;

/// Maximum number of texts beside tool results.
const BESIDE_KEPT: usize = 200;
/// Maximum number of background jobs that ended before their start was seen.
const ENDED_KEPT: usize = 32;
/// Maximum number of messages from other agents, and how many of the first ones are never dropped.
const DELIVERED_KEPT: usize = 64;
const DELIVERED_FIRST: usize = 8;
/// Queued texts that are kept.
const QUEUED_KEPT: usize = 20;
/// Unread subagent results that are remembered.
const MAX_UNREAD: usize = 16;
/// Working directories that are remembered.
const ROOTS_KEPT: usize = 64;

impl Session {
    /// Applies one entry. Entries seen before and entries of subagents change nothing.
    pub fn apply(&mut self, entry: &Entry) {
        if entry.thread == Thread::Sub || entry.id.is_some_and(|id| self.seen.contains_key(&id)) {
            return;
        }
        self.seen.extend(entry.id.map(|id| (id, entry.place)));
        self.entries += 1;
        self.note_surroundings(entry);
        self.record.at(self.time, self.turns);
        let follows = entry.parent.and_then(|parent| self.seen.get(&parent)).copied();
        let boundary = self.compactions.last().filter(|last| !last.summarised).map(|last| last.place);
        let is_summary = follows.is_some() && follows == boundary;
        for part in &entry.parts {
            let in_place = is_summary.then(|| compactions::in_place_of_summary(part)).flatten();
            let part = in_place.as_ref().unwrap_or(part);
            self.vocabulary.note_part(part);
            self.kept.note(entry.place, part);
            let is_typed = matches!(part, Part::Prompt { queued: false, .. });
            if is_typed {
                self.rewind(entry.parent);
            }
            self.apply_part(entry.place, part);
            if let Some(prompt) = self.prompts.last_mut().filter(|p| is_typed && p.place == entry.place) {
                prompt.parent = entry.parent;
            }
        }
    }

    /// Forgets what the person discarded by rewinding. A prompt whose parent is row `parent` replaces the prompts after
    /// that row. Queued prompts may be on a side branch, so they do not count as a rewind.
    fn rewind(&mut self, parent: Option<EntryId>) {
        let Some(parent) = parent else { return };
        // Clients repeat rows after a compaction, so a place before it proves nothing.
        let compacted = self.compactions.last().map(|compaction| compaction.place);
        let known = self.seen.get(&parent).filter(|place| compacted.is_none_or(|at| **place >= at));
        let sibling = || self.prompts.iter().find(|prompt| prompt.parent == Some(parent));
        let before_sibling = || sibling().map(|prompt| Place(prompt.place.0.saturating_sub(1)));
        let Some(to) = known.copied().or_else(before_sibling) else { return };
        // Prompts are in order: a session of thousands is not searched for each.
        let mut later = self.prompts.iter().rev().take_while(|prompt| prompt.place > to);
        if later.any(|prompt| prompt.parent.is_some()) {
            self.rewind_to(to);
        }
    }

    fn rewind_to(&mut self, to: Place) {
        let is_kept = |place: Place| place <= to;
        self.prompts.retain(|prompt| is_kept(prompt.place));
        self.active.rewound(to);
        self.plan.take_if(|plan| !is_kept(plan.place));
        let now = self.prompts.last().map_or(to, |prompt| prompt.place);
        self.record.rewound(to, now);
    }

    /// Forgets the latest prompts, which the person took back, and what followed them.
    fn rolled_back(&mut self, prompts: usize) {
        let first = self.prompts.len().saturating_sub(prompts);
        if let Some(prompt) = self.prompts.get(first) {
            self.rewind_to(Place(prompt.place.0.saturating_sub(1)));
        }
    }

    fn note_surroundings(&mut self, entry: &Entry) {
        if let Some(keeps) = entry.keeps {
            self.kept.by(keeps);
        }
        self.queue_is_typed = entry.queue_is_typed.unwrap_or(self.queue_is_typed);
        // Nearly every row has the same directory as the one before: avoid the allocation.
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
        if entry.branch.is_some() {
            self.branch_told = entry.place;
        }
        self.time = self.time.max(entry.time);
    }

    fn apply_part(&mut self, place: Place, part: &Part) {
        match part {
            Part::Prompt { text, .. } | Part::Queued(text) if self.is_scheduled(text) => {
                self.heard(text);
            }
            Part::Prompt { text, queued: true, .. } if self.is_steered(place, text) => {}
            Part::Prompt { text, origin, .. } => {
                self.prompted(place, text, origin.clone());
            }
            Part::Delivered { text, origin } => self.delivered(place, text, origin),
            Part::Beside(text) => self.note_beside(place, text),
            Part::Queued(text) => self.enqueued(text),
            Part::Unqueued => self.queued.clear(),
            Part::Steered => self.steered(place),
            Part::Slash { name, args, kind } => self.slashed(place, name, args, *kind),
            Part::Mode(mode) => self.active.switched(place, mode),
            Part::Reattached(names) => self.active.reattached(names),
            Part::Typed(command) => {
                self.heard(command);
                let first = self.record.next_part(place);
                self.record.ran(place, self.clock, Voice::Person, &ShellLine::parse(command));
                let seen = CallParts { place, parts: (first, self.record.next_part(place)) };
                self.record.ended(&seen, RunResult::default());
            }
            Part::Text(text) => self.spoke(place, text),
            Part::Call { id, tool } => self.called(place, id, tool),
            Part::Result { call, ok, text, extra } => self.answered(place, call, *ok, text, extra),
            Part::ScriptEnd { script, failed, goes_on } => {
                self.script_ended(place, script, *failed, goes_on.as_deref());
            }
            Part::Report { id, text } => {
                if let Some(job) = self.running.get(id).filter(|job| job.agent) {
                    self.record.printed((job.place, place), self.clock, Source::Subagent, false, text);
                }
            }
            Part::Finished { id, with_result } => self.job_ended(place, id, *with_result),
            Part::Tasks { tasks, whole } => self.tasks.listed(tasks, *whole, place),
            Part::Model(model) if self.model.as_deref() == Some(model) => {}
            Part::Model(model) => self.model = Some((**model).to_owned()),
            Part::Message(id) => {
                self.turns += u32::from(id.is_none() || self.message != *id);
                self.message = *id;
                self.record.at(self.time, self.turns);
            }
            Part::TurnEnd => self.waiting = true,
            Part::Approved => {
                if self.plan.as_ref().is_some_and(|plan| plan.approved.is_none()) {
                    self.plan_answered(place, true);
                }
            }
            Part::RolledBack(prompts) => self.rolled_back(*prompts),
            Part::Interrupted => (self.waiting, self.interrupted) = (true, true),
            Part::Compaction { manual, before, after } => self.compacted(place, *manual, *before, *after),
            Part::Summary(text) => self.summarised(place, part, text),
            // The context gauge and what the client keeps read these themselves.
            Part::Usage(_)
            | Part::Window(_)
            | Part::Injected { .. }
            | Part::Kept(_)
            | Part::OpaqueSummary => {}
        }
    }

    fn job_ended(&mut self, place: Place, id: &str, with_result: bool) {
        self.unread.retain(|result| result.id != id);
        let job = self.running.remove(id);
        if job.as_ref().is_some_and(|job| job.agent) {
            self.agents.worked(place);
        }
        if let Some(agent) = job.as_ref().filter(|job| job.agent && !with_result) {
            self.unread.push(UnreadResult { id: id.to_owned(), what: agent.what.clone(), place });
            let excess = self.unread.len().saturating_sub(MAX_UNREAD);
            self.unread.drain(..excess);
        }
        if job.is_none() && !self.ended.iter().any(|ended| ended == id) {
            self.ended.push(id.to_owned());
            let excess = self.ended.len().saturating_sub(ENDED_KEPT);
            self.ended.drain(..excess);
        }
    }

    pub(super) fn note_beside(&mut self, place: Place, text: &str) {
        self.beside.push(PlacedText { place, text: text.to_owned() });
        let excess = self.beside.len().saturating_sub(BESIDE_KEPT);
        self.beside.drain(..excess);
    }

    fn delivered(&mut self, place: Place, text: &str, origin: &Origin) {
        self.heard(text);
        let who = if matches!(origin, Origin::Agent(_)) { Voice::Subagent } else { Voice::Client };
        let prompt = self.prompt(place, text, origin.clone());
        self.record.asked(place, self.clock, who, text);
        self.delivered.push(prompt);
        if self.delivered.len() > DELIVERED_KEPT {
            // The first messages are the assignment, the latest its current state.
            self.delivered.remove(DELIVERED_FIRST);
        }
        (self.waiting, self.interrupted) = (false, false);
    }

    /// The agent scheduled this prompt itself.
    fn is_scheduled(&self, text: &str) -> bool {
        let text = head_of(text.trim(), SCHEDULED_LONG);
        !text.is_empty() && self.scheduled.iter().any(|scheduled| scheduled == text)
    }

    fn prompt(&self, place: Place, text: &str, origin: Origin) -> Prompt {
        // A message that already has a reply, typed or chosen, is not answered again.
        let is_open = |said: &Message| {
            self.prompts.last().is_none_or(|prompt| prompt.place < said.place)
                && !self.record.answered_since(said.place)
        };
        let answers = self.last_said().filter(is_open).map(|said| said.place);
        let Moment { time, turn, .. } = self.moment(place);
        Prompt {
            place,
            part: self.record.next_part(place),
            hash: hash_of(text),
            characters: text.chars().count() as u32,
            reads: RequestReading::of(text),
            origin,
            parent: None,
            clock: self.clock,
            answers,
            time,
            turn,
            at_rest: self.is_at_rest(),
        }
    }

    /// The agent has finished its turn: a row says so, or its last message came after its last tool call.
    fn is_at_rest(&self) -> bool {
        !self.interrupted && (self.waiting || (self.spoke_last() && self.pending.is_empty()))
    }

    /// Its last words came after its last tool call: if nothing follows, its turn is over.
    pub fn spoke_last(&self) -> bool {
        let acted = self.last_action.as_ref().map(|action| action.place);
        let spoke = self.last_said().map(|said| said.place);
        spoke > acted
    }

    /// The agent gets the oldest queued text. That makes it a prompt only where nobody else could have queued it: if the
    /// model can schedule prompts, the person's words are confirmed by a row of their own, in clients that write one.
    fn steered(&mut self, place: Place) {
        if self.queued.is_empty() {
            return;
        }
        let text = self.queued.remove(0);
        if self.queue_is_typed && !self.is_scheduled(&text) {
            self.prompted(place, &text, Origin::Typed);
            if let Some(prompt) = self.prompts.last_mut() {
                prompt.at_rest = false;
            }
        } else if !self.is_scheduled(&text) {
            self.note_beside(place, &text);
        }
    }

    /// The agent got this text from the queue just before.
    fn is_steered(&self, place: Place, text: &str) -> bool {
        const JUST_BEFORE: u32 = 20;
        let hash = hash_of(text);
        let is_recent = |prompt: &&Prompt| place.0.saturating_sub(prompt.place.0) <= JUST_BEFORE;
        self.prompts.iter().rev().take_while(is_recent).any(|prompt| prompt.hash == hash)
    }

    fn enqueued(&mut self, text: &str) {
        self.queued.push(text.to_owned());
        let excess = self.queued.len().saturating_sub(QUEUED_KEPT);
        self.queued.drain(..excess);
    }

    fn prompted(&mut self, place: Place, text: &str, origin: Origin) {
        if let Some(at) = self.queued.iter().position(|queued| queued == text) {
            self.queued.remove(at);
        }
        self.heard(text);
        self.active.heard(place, text, &origin);
        let who = if origin == Origin::Typed { Voice::Person } else { Voice::Client };
        let prompt = self.prompt(place, text, origin);
        self.record.asked(place, self.clock, who, text);
        self.prompts.push(prompt);
        (self.waiting, self.interrupted) = (false, false);
    }

    fn slashed(&mut self, place: Place, name: &str, args: &str, kind: Slash) {
        match kind {
            Slash::Clears => self.active.clear(place),
            Slash::Ends => self.running.clear(),
            // The order is recorded when it is queued, and again after the summary.
            Slash::Compacts if self.focus.as_ref().is_some_and(|focus| focus.text == args) => return,
            Slash::Compacts if !args.is_empty() => {
                self.focus = Some(Focus { place, text: args.to_owned() });
            }
            Slash::Own | Slash::Compacts => {}
            Slash::Prompt => self.active.used(place, name, args, By::Person),
        }
        self.note_beside(place, format!("{name} {args}").trim_end());
        self.heard(args);
    }

    fn spoke(&mut self, place: Place, text: &str) {
        self.heard(text);
        self.record.said(place, self.clock, text);
        (self.waiting, self.interrupted) = (false, false);
    }

    fn compacted(&mut self, place: Place, manual: bool, before: Option<u64>, after: Option<u64>) {
        let time = self.time;
        self.compactions.push(Compaction { place, time, manual, before, after, summarised: false });
    }

    fn summarised(&mut self, place: Place, part: &Part, text: &str) {
        if self.is_at_its_beginning() {
            self.beginning = Some(place);
        }
        if compactions::begins(part, self.compactions.last().is_some_and(|c| !c.summarised)) {
            self.compacted(place, false, None, None);
        }
        if let Some(last) = self.compactions.last_mut() {
            last.summarised = true;
        }
        self.record.summarised(place, self.clock, text);
        // Files that the summary repeats stay in use; nothing else in it is evidence.
        self.heard(text);
    }

    /// Records the files that a text names, which somebody said or a call or its result contains.
    pub(super) fn heard(&mut self, text: &str) {
        self.files.mentioned_in(text, self.clock);
    }
}
