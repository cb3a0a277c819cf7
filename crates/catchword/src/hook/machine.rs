//! The machine that a hook runs on: git, the disk, the client's process.

use std::cell::OnceCell;
use std::path::Path;
use std::time::Duration;

use catchword_engine::archive::history::History;
use catchword_engine::choose::WorkTree;
use catchword_engine::choose::head::active::CommandFile;
use catchword_engine::choose::head::command_files::carried;
use catchword_engine::choose::head::project::Project;
use catchword_engine::clients::Client;
use catchword_engine::ops::hook::{FileStamp, ForeignCommit, Machine, ProjectFolder, Since};
use catchword_engine::project::Tree;
use catchword_engine::session::Session;
use catchword_engine::session::active::Current;
use catchword_engine::store::StoreError;

use crate::app::config::Config;
use crate::app::env::{ClientEnv, Env};
use crate::app::privacy::LeaveOutRules;
use crate::app::tree::DiskTree;
use crate::app::workspace::commands::Finder;
use crate::app::workspace::project;
use crate::app::{git, host, limits, log, models};

/// How long a hook waits for another process that changes the history: it only reads, which such a process hardly hinders.
const HISTORY_PATIENCE: Duration = Duration::from_millis(20);

pub struct ThisMachine<'a> {
    env: &'a Env,
    config: &'a Config,
    finder: Finder<'a>,
    client: ClientEnv,
    kind: &'a Client,
    left_out: OnceCell<LeaveOutRules>,
}

impl<'a> ThisMachine<'a> {
    pub fn new(env: &'a Env, config: &'a Config, client: &'a Client) -> Self {
        let finder = Finder::new(client, config, env);
        ThisMachine { env, config, finder, client: env.of(client), kind: client, left_out: OnceCell::new() }
    }
}

impl Machine for ThisMachine<'_> {
    fn client_process(&self) -> Option<String> {
        host::client(self.client.process)
    }

    fn is_alive(&self, process: &str) -> Option<bool> {
        host::is_alive(process)
    }

    fn is_attended(&self) -> Option<bool> {
        self.client.attended
    }

    fn thread(&self) -> Option<&str> {
        self.env.thread.as_deref()
    }

    fn project_folder(&self, folder: &Path) -> ProjectFolder {
        host::project(self.env, folder)
    }

    fn work_tree(&self, folder: &Path) -> Option<WorkTree> {
        git::look(folder, self.env)
    }

    fn commits(&self, folder: &Path, since: &Since) -> Vec<ForeignCommit> {
        git::commits(folder, since, self.env)
    }

    fn file_stamp(&self, path: &Path) -> FileStamp {
        host::stamp(path)
    }

    /// Logs problems with the markers in the file.
    fn command_file(&self, folder: &Path, command: &Current) -> Option<CommandFile> {
        let file = self.finder.look(folder, command)?;
        for problem in carried(&file.text).problems {
            log::problem(self.env, &format!("{}: {problem}", file.shown));
        }
        Some(file)
    }

    fn chosen_models(&self, folder: Option<&Path>) -> Vec<String> {
        models::chosen(self.env, self.kind, folder)
    }

    fn compaction_limit(&self, folder: Option<&Path>) -> Option<u64> {
        limits::compaction(self.env, self.kind, folder)
    }

    /// What is wrong with the repository's file, and what waits for the user's consent, goes to the log, once.
    fn project(&self, folder: &Path, session: &Session) -> Project {
        let problems = project::repository_file(folder, &self.env.mask).problems;
        let waiting = project::waiting(self.config, folder, self.env).map(|waiting| waiting.to_string());
        problems.iter().chain(&waiting).for_each(|problem| log::once(self.env, problem));
        project::look(self.config, folder, session, self.env)
    }

    fn history(&self) -> Result<Option<History>, StoreError> {
        let folder = self.env.data_dir.as_deref();
        folder.map_or(Ok(None), |folder| History::open_current(folder, HISTORY_PATIENCE))
    }

    fn is_left_out(&self, session: &str, folder: Option<&Path>, transcript: Option<&Path>) -> bool {
        // What came from a shared archive has no transcript here.
        let transcript = transcript.filter(|path| path.is_absolute());
        self.left_out.get_or_init(|| LeaveOutRules::load(self.env)).holds(session, folder, transcript)
    }

    fn tree(&self, root: &Path) -> Box<dyn Tree + '_> {
        Box::new(DiskTree::new(root, self.env))
    }
}
