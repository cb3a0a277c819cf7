//! The state of a session, and queries on it. [`super::apply`] updates it entry by entry.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::active::Active;
use super::agents::Subagents;
use super::files::{FileUse, Files};
use super::git::GitRecord;
use super::kept::RecentRound;
use super::paths::{is_inside, is_prose};
use super::said::LateCommit;
use super::tasks::Tasks;
use super::vocabulary::Vocabulary;
use super::{Action, Compaction, Focus, Moment, Prompt, ProposedPlan, RunningJob, UnreadResult};
use crate::model::entry::{EntryId, Place};
use crate::reading::command::ShellLine;
use crate::record::{CallParts, CommandRun, Message, Record, Swap};
use crate::text::cut::tail_of;

/// Bytes shown of a message that a prompt answers.
const ANSWERED_LONG: usize = 600;

/// A session as far as it has been read. What was observed is in [`Session::record`]; every other field is an index over
/// it, or says why no observation has what it holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Working directories, in order of first use: rows name them beside what they say.
    pub roots: Vec<String>,
    /// The same of the latest row.
    pub cwd: Option<String>,
    /// Git branch of the latest row that names one, beside what it says.
    pub branch: Option<String>,
    /// The latest row that names it.
    pub(super) branch_told: Place,
    /// Model of the latest answer: of the row, not of its words.
    pub model: Option<String>,
    /// Rows of the main conversation, each counted once; most become several observations, some none.
    pub entries: u32,
    /// Tool calls so far: the clock by which recency is measured.
    pub clock: u32,
    /// Turns of the agent so far. A turn is one message of the model, whatever it says and calls in it; in a
    /// transcript that may be several rows.
    pub turns: u32,
    /// Time of the latest row, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Index: which messages of the record the person sent, without what they rewound.
    pub prompts: Vec<Prompt>,
    /// Index: the same of other agents, the assignment if no person said anything.
    pub delivered: Vec<Prompt>,
    /// Text that came beside a tool result, out of the queue or with a slash command. Its author is unknown, so it is no
    /// observation, but a summary that quotes it did not invent it.
    pub beside: Vec<PlacedText>,
    /// By path what holds now. The record has what was done to a file; listings, mentions, moves of whole folders and files
    /// that were found missing are no observations.
    pub files: Files,
    /// Every number, file name, identifier and flag seen outside summaries, in hashes: most stand in lines of outputs and files
    /// that the record does not keep.
    pub vocabulary: Vocabulary,
    /// The lists as they are now. The record has the changes that the agent made; what the client lists by itself, descriptions
    /// and edits that add what a task names are no observations.
    pub tasks: Tasks,
    /// Command lines in the background that commit, until a result shows the commit.
    pub(super) committing: Vec<LateCommit>,
    /// Index: the row of the latest plan, its file, and whether it was approved.
    pub plan: Option<ProposedPlan>,
    /// Subagents that can be resumed, by the ids that their results have beside the words.
    pub agents: Subagents,
    /// Background jobs that have not ended, by the ids that their results have beside the words.
    pub running: BTreeMap<String, RunningJob>,
    /// Subagents that have ended and whose results the agent has not read, oldest first.
    pub unread: Vec<UnreadResult>,
    /// The skills and modes in effect: a client reports them, nobody says them.
    pub active: Active,
    /// The work tree as git printed it, less what was committed since: rows of a status, also those that the record does not
    /// keep.
    pub git: GitRecord,
    /// The person's text with the latest manual compaction that had any.
    pub focus: Option<Focus>,
    /// Index: the rows of the compactions so far, and what the client says about each.
    pub compactions: Vec<Compaction>,
    /// Index: row of the summary at the start of the transcript, if the conversation it summarises is not in the file.
    pub beginning: Option<Place>,
    /// The latest tool call, from the moment it is made: most get into the record once they are answered.
    pub last_action: Option<Action>,
    /// The latest script that may have called any tool. Before it, what was not seen may still have happened.
    pub unread_script: Option<Place>,
    /// Clock of the latest call that did more than read, search or update the task list.
    pub acted: u32,
    /// The agent has ended its turn and is waiting for the person.
    pub waiting: bool,
    /// The person has interrupted the agent and said nothing since.
    pub interrupted: bool,
    /// Everything observed, and what became of it.
    pub record: Record,
    /// What the client itself restores after a compaction: the latest round word by word, which the record has in lines.
    pub kept: RecentRound,
    /// The message of the agent's latest turn.
    pub(super) message: Option<EntryId>,
    /// Background jobs whose end was reported before their start.
    pub(super) ended: Vec<String>,
    /// Text in the client's queue that has not reached the agent: typed by the person, or a prompt the model scheduled.
    /// It is attributed to nobody until the agent gets it.
    pub queued: Vec<String>,
    /// Only the person can put text into that queue.
    pub(super) queue_is_typed: bool,
    pub(super) pending: BTreeMap<String, Pending>,
    /// Prompts that the agent has scheduled for itself.
    pub(super) scheduled: Vec<String>,
    /// The rows so far, and their places.
    pub(super) seen: HashMap<EntryId, Place, foldhash::fast::RandomState>,
}

/// A call whose answer has not come yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) place: Place,
    /// What the record has of it.
    pub(super) seen: CallParts,
    pub(super) action: String,
    pub(super) what: Awaited,
}

/// What to remember of a call until its answer comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Awaited {
    Shell { line: ShellLine, cwd: Option<String> },
    TaskCreate { subject: String, detail: String },
    Ask { questions: Vec<String> },
    Plan,
    Agent { description: String },
    Skill { name: String, args: String },
    Read { path: String },
    Write { path: String, lines: Option<u32> },
    Edit { path: String, change: String, swap: Option<Swap> },
    Delete { path: String },
    Fetch { address: String },
    Search { pattern: String, path: Option<String>, in_text: bool },
    Other,
}

/// A text and the row that has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedText {
    pub place: Place,
    pub text: String,
}

impl Deref for PlacedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Session {
    /// The folder that files are shown relative to: the outermost working directory around the present one.
    pub fn root(&self) -> Option<&str> {
        let cwd = self.cwd.as_deref()?;
        let around = self.roots.iter().filter(|root| is_inside(cwd, root));
        around.min_by_key(|root| root.len()).map(String::as_str)
    }

    /// The agent's assignment: the person's prompts, or the messages of other agents if there are none.
    pub fn asked(&self) -> &[Prompt] {
        if self.prompts.is_empty() { &self.delivered } else { &self.prompts }
    }

    /// What a prompt says, as far as the record has it.
    pub fn text_of(&self, prompt: &Prompt) -> String {
        self.message_of(prompt).map(Message::text).unwrap_or_default()
    }

    /// The same without what its author pasted.
    pub fn typed_of(&self, prompt: &Prompt) -> String {
        self.message_of(prompt).map(Message::typed).unwrap_or_default()
    }

    /// The message of the record that a prompt is.
    pub fn message_of(&self, prompt: &Prompt) -> Option<Message<'_>> {
        self.record.message(prompt.place, prompt.part)
    }

    /// The first line of a plan, without heading marks.
    pub fn plan_title(&self, plan: &ProposedPlan) -> String {
        let text = self.record.plan_at(plan.place);
        text.lines().next().unwrap_or_default().trim_start_matches('#').trim().to_owned()
    }

    /// The lines of the summary that the transcript begins with.
    pub fn beginning_lines(&self) -> impl Iterator<Item = &str> {
        self.beginning.into_iter().flat_map(|place| self.record.summary_at(place))
    }

    /// The agent's latest message.
    pub fn last_said(&self) -> Option<Message<'_>> {
        self.record.spoken().next_back()
    }

    /// The end of the agent's message that a prompt answers, for replies that mean nothing alone.
    pub fn answered_by(&self, prompt: &Prompt) -> Option<(Place, String)> {
        let said = self.record.spoken().rfind(|said| Some(said.place) == prompt.answers)?;
        Some((said.place, tail_of(&said.text(), ANSWERED_LONG).to_owned()))
    }

    /// Commands that failed and have not been seen to pass since, latest first.
    pub fn failing(&self) -> impl Iterator<Item = CommandRun<'_>> {
        self.record.failing(self.clock)
    }

    /// The question or plan that the person has not answered yet, in a few words.
    pub fn unanswered(&self) -> Option<(Place, &str)> {
        let asked =
            self.pending.values().filter(|call| matches!(call.what, Awaited::Ask { .. } | Awaited::Plan));
        asked.max_by_key(|call| call.place).map(|call| (call.place, call.action.as_str()))
    }

    /// Every call since is in the record: what it does not have did not happen.
    pub fn saw_all_since(&self, place: Place) -> bool {
        self.unread_script.is_none_or(|script| script < place)
    }

    /// Called for a manual compaction: the client accepts one only when the agent has ended its turn.
    pub fn compacts_on_order(&mut self) {
        self.waiting = true;
    }

    /// The branch, if nothing was done since a row named it: some clients name it once, at the start.
    pub fn branch_now(&self) -> Option<&str> {
        let is_sure = self.last_action.as_ref().is_none_or(|action| action.place <= self.branch_told);
        self.branch.as_deref().filter(|_| is_sure)
    }

    /// The compactions before the one whose summary and brief are looked at. Some clients write its row before the start
    /// that follows; then the session has it already.
    pub fn earlier_compactions(&self) -> &[Compaction] {
        let at_hand = usize::from(self.kept.is_just_compacted());
        &self.compactions[..self.compactions.len().saturating_sub(at_hand)]
    }

    /// The files of the project that tools have changed since `clock` and that still exist, without prose, the latest change
    /// first.
    pub fn changed_since(&self, clock: u32) -> Vec<(&str, FileUse)> {
        let is_code = |path: &str| !is_prose(path) && self.root().is_none_or(|root| is_inside(path, root));
        let changed = self.files.iter().filter(|(_, file)| file.is_changed() && file.changed > clock);
        let mut changed: Vec<_> = changed.filter(|(path, _)| is_code(path)).collect();
        changed.sort_by_key(|(path, file)| (std::cmp::Reverse(file.changed), *path));
        changed
    }

    pub(super) fn moment(&self, place: Place) -> Moment {
        Moment { place, time: self.time, turn: self.turns }
    }

    /// Nothing was said or done yet, so a summary here is of a conversation in another file, or a lost one.
    pub(super) fn is_at_its_beginning(&self) -> bool {
        self.clock == 0
            && self.prompts.is_empty()
            && self.last_said().is_none()
            && !self.compactions.iter().any(|c| c.summarised)
    }
}
