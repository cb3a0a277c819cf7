//! What a hook handler works with: one context, its settings, and the machine it may query.

use std::path::{Path, PathBuf};

use crate::archive::history::History;
use crate::brief;
use crate::brief::cold_tasks::ColdPlan;
use crate::brief::start::ForeignCommit;
use crate::choose::WorkTree;
use crate::choose::head::active::CommandFile;
use crate::choose::head::project::Project;
use crate::clients::Client;
use crate::context::{CheckpointPlan, Gauge};
use crate::model::event::HookEvent;
use crate::model::tokens::ClientLimits;
use crate::ops::catch_up::{CatchUp, CatchUpError, CaughtUp, Depth};
use crate::ops::checkpoint::{self, GaugeSettings};
use crate::ops::start::START_CHARACTERS;
use crate::project::{NoTree, Tree};
use crate::redact::Mask;
use crate::session::Session;
use crate::session::active::Current;
use crate::store::{Gauged, Holder, PresenceStep, Store, StoreError};

/// One event of one session, and everything needed to answer it.
pub struct HookContext<'a> {
    /// Replaced during the event if it turns out to be damaged.
    pub store: &'a mut Store,
    pub client: &'a Client,
    pub event: &'a HookEvent,
    /// Applied to every text.
    pub mask: &'a Mask,
    /// Read once, by the front end.
    pub settings: &'a HookSettings,
    /// Queried as rarely as possible.
    pub machine: &'a dyn Machine,
    /// Milliseconds since 1970.
    pub now: i64,
    /// False once the deadline has passed.
    pub in_time: &'a dyn Fn() -> bool,
}

/// The settings that a hook depends on.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct HookSettings {
    /// Characters a brief may have.
    pub budget: usize,
    /// Tell the summariser what to keep.
    pub guide: bool,
    /// Most lines of it.
    pub guide_lines: usize,
    /// The user's own instructions for the summariser.
    pub instructions: Option<String>,
    /// The agent should tell the user about a compaction.
    pub announce: bool,
    /// Write the notes out as a document.
    pub notes: bool,
    /// Write handoffs: at thresholds the user is warned of, after a compaction and at the end.
    pub handoffs: bool,
    /// Offer a new session one that was active this recently, in milliseconds; `None`: never.
    pub offer_within: Option<i64>,
    /// Most characters that it is told then.
    pub start_characters: usize,
    /// At which gauge readings to make a checkpoint.
    pub plan: CheckpointPlan,
    /// The client's limits as set in the environment.
    pub limits: ClientLimits,
    /// What a session without a person is told at its start.
    pub headless: HeadlessStart,
    /// When finished tasks are summarised.
    pub cold: ColdPlan,
    /// Tell the agent how a failure was solved before.
    pub failures: bool,
}

/// What a session without a person is told at its start about the last one that worked there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeadlessStart {
    /// Nothing, and people are not told about such sessions.
    #[default]
    Off,
    /// The short offer that a person's session gets.
    Offer,
    /// The whole brief: nobody is there to ask for more.
    Brief,
}

impl Default for HookSettings {
    /// Only records and restores; everything else is off.
    fn default() -> Self {
        HookSettings {
            budget: brief::DEFAULT_BUDGET,
            guide: false,
            guide_lines: brief::GUIDE_LINES,
            instructions: None,
            announce: false,
            notes: false,
            handoffs: false,
            offer_within: None,
            start_characters: START_CHARACTERS,
            plan: CheckpointPlan::default(),
            limits: ClientLimits::default(),
            headless: HeadlessStart::default(),
            cold: ColdPlan::default(),
            failures: false,
        }
    }
}

/// What a hook queries about its machine. The program implements it; [`UnknownMachine`] knows nothing.
pub trait Machine {
    /// The calling client process, by a name that is never reused.
    fn client_process(&self) -> Option<String>;
    /// Whether that process still runs; `None` if unknown.
    fn is_alive(&self, process: &str) -> Option<bool>;
    /// Whether a person uses the client interactively; `None` if it does not say.
    fn is_attended(&self) -> Option<bool>;
    /// The thread of a conversation that this session belongs to, if whoever starts the client names one.
    fn thread(&self) -> Option<&str>;
    /// The project that a folder belongs to.
    fn project_folder(&self, folder: &Path) -> ProjectFolder;
    /// What git reports for a folder.
    fn work_tree(&self, folder: &Path) -> Option<WorkTree>;
    /// Commits since then, latest first.
    fn commits(&self, folder: &Path, since: &Since) -> Vec<ForeignCommit>;
    fn file_stamp(&self, path: &Path) -> FileStamp;
    /// The models that environment and settings choose for a session in this folder, highest precedence first.
    fn chosen_models(&self, folder: Option<&Path>) -> Vec<String>;
    /// Tokens at which the client compacts in this folder, if the user's files say so.
    fn compaction_limit(&self, folder: Option<&Path>) -> Option<u64>;
    /// The file that defines a command used in a folder.
    fn command_file(&self, folder: &Path, command: &Current) -> Option<CommandFile>;
    /// Name, key files and status of the project around a folder.
    fn project(&self, folder: &Path, session: &Session) -> Project;
    /// What can be searched, as it is: never brought up to date. `None` if there is nothing yet.
    fn history(&self) -> Result<Option<History>, StoreError>;
    /// Whether the person keeps a session out of everything, by its id, its folder and its transcript.
    fn is_left_out(&self, session: &str, folder: Option<&Path>, transcript: Option<&Path>) -> bool;
    /// The tree at the root of a project.
    fn tree(&self, root: &Path) -> Box<dyn Tree + '_>;
}

/// The root of a work tree, or a folder outside any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectFolder {
    pub root: PathBuf,
    /// False for a folder outside any work tree.
    pub is_work_tree: bool,
}

/// When a file was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStamp {
    /// In milliseconds since 1970.
    Changed(i64),
    /// It does not exist.
    Gone,
    /// The file system does not say.
    Unknown,
}

/// A moment in the history of a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// The commit that was checked out, if known.
    pub head: Option<String>,
    /// The time, in milliseconds since 1970.
    pub time: i64,
}

/// Knows nothing: for tests and for sessions from other machines.
pub struct UnknownMachine;

impl Machine for UnknownMachine {
    fn client_process(&self) -> Option<String> {
        None
    }

    fn is_alive(&self, _: &str) -> Option<bool> {
        None
    }

    fn is_attended(&self) -> Option<bool> {
        None
    }

    fn thread(&self) -> Option<&str> {
        None
    }

    fn project_folder(&self, folder: &Path) -> ProjectFolder {
        ProjectFolder { root: folder.to_owned(), is_work_tree: false }
    }

    fn work_tree(&self, _: &Path) -> Option<WorkTree> {
        None
    }

    fn commits(&self, _: &Path, _: &Since) -> Vec<ForeignCommit> {
        Vec::new()
    }

    fn file_stamp(&self, _: &Path) -> FileStamp {
        FileStamp::Unknown
    }

    fn chosen_models(&self, _: Option<&Path>) -> Vec<String> {
        Vec::new()
    }

    fn compaction_limit(&self, _: Option<&Path>) -> Option<u64> {
        None
    }

    fn command_file(&self, _: &Path, _: &Current) -> Option<CommandFile> {
        None
    }

    fn project(&self, _: &Path, _: &Session) -> Project {
        Project::default()
    }

    fn history(&self) -> Result<Option<History>, StoreError> {
        Ok(None)
    }

    fn is_left_out(&self, _: &str, _: Option<&Path>, _: Option<&Path>) -> bool {
        false
    }

    fn tree(&self, _: &Path) -> Box<dyn Tree + '_> {
        Box::new(NoTree)
    }
}

impl<'a> HookContext<'a> {
    /// Reads what is new in the session's transcript.
    pub(super) fn catch_up(&mut self, depth: Depth) -> Result<CaughtUp, CatchUpError> {
        let event = self.event;
        self.catch_up_with(event, self.now, depth)
    }

    /// The same for the session of `event`, at the given time.
    pub(super) fn catch_up_with(
        &mut self,
        event: &HookEvent,
        now: i64,
        depth: Depth,
    ) -> Result<CaughtUp, CatchUpError> {
        let pass = CatchUp { client: self.client, mask: self.mask, event, now, in_time: self.in_time };
        pass.run(self.store, depth)
    }

    /// What git reports for the event's folder.
    pub(super) fn work_tree(&self) -> Option<WorkTree> {
        self.event.cwd.as_deref().and_then(|folder| self.machine.work_tree(folder))
    }

    /// The gauge, from the store and the machine.
    pub(super) fn gauge(&self, gauged: &Gauged) -> Result<Gauge, StoreError> {
        let folder = self.event.cwd.as_deref();
        let chosen = || self.machine.chosen_models(folder);
        let compaction = self.machine.compaction_limit(folder);
        let limits = ClientLimits { compaction, ..self.settings.limits };
        let settings = GaugeSettings { limits: &limits, chosen: &chosen };
        checkpoint::read(Some(self.store), self.client, gauged, None, &settings)
    }

    /// The project of the event's folder.
    pub(super) fn project_folder(&self) -> Option<ProjectFolder> {
        self.event.cwd.as_deref().map(|folder| self.machine.project_folder(folder))
    }

    /// Records that the session begins, goes on or ends, and returns its project.
    pub(super) fn note_presence(
        &mut self,
        step: PresenceStep,
    ) -> Result<Option<ProjectFolder>, CatchUpError> {
        let (process, project) = (self.machine.client_process(), self.project_folder());
        let holder = self.holder(process.as_deref(), project.as_ref());
        self.store.presence(&self.event.session, &holder, step, self.now)?;
        Ok(project)
    }

    /// Who holds the session, and where.
    pub(super) fn holder<'b>(
        &self,
        process: Option<&'b str>,
        project: Option<&'b ProjectFolder>,
    ) -> Holder<'b>
    where
        'a: 'b,
    {
        let machine: &'a dyn Machine = self.machine;
        Holder {
            client: process,
            attended: self.machine.is_attended(),
            thread: machine.thread(),
            project: project.map(|project| project.root.as_path()),
            is_work_tree: project.is_some_and(|project| project.is_work_tree),
        }
    }
}
