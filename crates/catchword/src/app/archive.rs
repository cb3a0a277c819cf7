//! The shared archive as this machine uses it: its address and password, the machine's own id, what is shared of which
//! project, and what was forgotten. Never on a hook's path.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, bail};
use catchword_engine::archive::asked::{SharedAnswer, SharedFound, SharedQuestion};
use catchword_engine::archive::history::item::HistoryItem;
use catchword_engine::archive::history::query::Query;
use catchword_engine::archive::history::shared::LocalArchive;
use catchword_engine::archive::history::{History, TranscriptOwner, TranscriptSource};
use catchword_engine::archive::{
    Archive, ForgottenThing, SharedSource, SharedWith, SourceKey, SourcePosition, Tombstone,
};
use catchword_engine::ops::forget;
use catchword_engine::redact::Mask;
use catchword_engine::redact::forgotten::Forgotten;
use catchword_engine::session::one_line;
use catchword_engine::store::{StoreError, Trace};
use catchword_engine::text::hash::{fnv1a, fnv1a_on};
use catchword_engine::text::numbers::{ago, count_of, count_of_either};
use catchword_postgres::{ArchiveAddress, PostgresArchive};
use serde::{Deserialize, Serialize};

use super::config::Config;
use super::env::Env;
use super::files::{self, Access};
use super::privacy::{self, LeaveOutRules};
use super::process::{self, RunLimits};
use super::{forgetting, sessions};

/// How long to wait for a server.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// How long a command may take to print the password: it may ask for a passphrase.
const PASSWORD_WITHIN: Duration = Duration::from_secs(60);
const LONGEST_PASSWORD: u64 = 4_096;
/// The machine's id.
const MACHINE: &str = "machine";
/// What people call the machines.
const MACHINES: &str = "machines";
/// How the latest syncs went.
const SYNCED: &str = "synced";
/// Characters of a machine's name that are kept.
const LONGEST_NAME: usize = 60;
/// What is shared of which project.
const SHARED: &str = "shared";
const SYNCING: &str = "sync.lock";
/// Items masked at once.
const BATCH: usize = 250;

/// Where this machine's side of it is.
pub fn data_folder(env: &Env) -> anyhow::Result<&Path> {
    env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")
}

/// Where the shared archive is, with the password; `None` if none is set.
pub fn address(env: &Env) -> anyhow::Result<Option<ArchiveAddress>> {
    let config = Config::load(env).archive;
    let (text, from) = match &env.archive {
        Some(text) => (text.as_str(), "CATCHWORD_ARCHIVE"),
        None => (config.address.trim(), "archive.address in config.toml"),
    };
    if text.is_empty() {
        return Ok(None);
    }
    let mut address = match &env.archive {
        Some(text) => ArchiveAddress::parse(text).map_err(|why| anyhow::anyhow!("{from}: {why}"))?,
        None => address_to_keep(text).with_context(|| from)?,
    };
    if let Some(password) = &env.archive_password {
        address = address.with_password(&password.0);
    } else if !config.password_file.as_os_str().is_empty() {
        address = address.with_password(&password_in(&env.in_home(&config.password_file))?);
    } else if !config.password_command.trim().is_empty() {
        address = address.with_password(&password_by(&config.password_command)?);
    }
    let authority = Some(config.authority).filter(|path| !path.as_os_str().is_empty());
    Ok(Some(address.with_authority(authority.map(|path| env.in_home(&path)))))
}

/// Whether a shared archive is set, reachable or not.
pub fn is_set(env: &Env, config: &Config) -> bool {
    env.archive.is_some() || !config.archive.address.trim().is_empty()
}

/// An address for the settings, which have no password.
pub fn address_to_keep(text: &str) -> anyhow::Result<ArchiveAddress> {
    let address = ArchiveAddress::parse(text).map_err(anyhow::Error::msg)?;
    if address.has_password() {
        bail!(
            "it has a password in it: put that into a file (archive.password_file) or CATCHWORD_ARCHIVE_PASSWORD"
        );
    }
    Ok(address)
}

/// [`address`]; without one an error that says what to do.
pub fn required_address(env: &Env) -> anyhow::Result<ArchiveAddress> {
    address(env)?.context(
        "no shared archive is set: `catchword config set archive.address postgresql://you@host/database`, or \
         CATCHWORD_ARCHIVE",
    )
}

fn password_in(path: &Path) -> anyhow::Result<String> {
    let meta =
        path.metadata().with_context(|| format!("cannot read the password file {}", path.display()))?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&meta) & 0o077 != 0 {
        bail!("others can read the password file {}: chmod 600 it", path.display());
    }
    if meta.len() > LONGEST_PASSWORD {
        bail!("{} is too long for a password", path.display());
    }
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the password file {}", path.display()))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

fn password_by(line: &str) -> anyhow::Result<String> {
    let limits = RunLimits { time: PASSWORD_WITHIN, output: LONGEST_PASSWORD };
    let output = process::output_of(&mut process::shell(line), limits);
    let text = output.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.context("archive.password_command printed no password")?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Connects as this machine.
pub fn connect(env: &Env) -> anyhow::Result<(PostgresArchive, ArchiveAddress)> {
    let address = required_address(env)?;
    let archive = PostgresArchive::connect(&address, PATIENCE)?;
    Ok((archive.named(env.machine.clone()), address))
}

/// Asks the shared archive something, for at most as long as the settings say: in a thread, because neither a name server
/// nor a server that does not answer can be told when to give up. The thread ends with its connection.
pub fn ask(env: &Env, question: SharedQuestion) -> SharedAnswer {
    let config = Config::load(env);
    if !is_set(env, &config) {
        return SharedAnswer::NoArchive;
    }
    if let SharedQuestion::Find { query, .. } = &question
        && is_masked(query, &env.mask)
    {
        return SharedAnswer::Silent(
            "the question contains what is masked, and stays on this machine".to_owned(),
        );
    }
    let limit = Duration::from_millis(u64::from(config.archive.wait_ms));
    let (send, receive) = mpsc::channel();
    let env = env.clone();
    std::thread::spawn(move || {
        let answer = || -> anyhow::Result<SharedFound> {
            let mut remote = PostgresArchive::connect_within(&required_address(&env)?, limit)?;
            Ok(remote.answer(&question)?)
        };
        let _ = send.send(answer());
    });
    match receive.recv_timeout(limit) {
        Ok(Ok(found)) => SharedAnswer::Found(found),
        Ok(Err(error)) => SharedAnswer::Silent(format!("{error:#}")),
        Err(_) => {
            SharedAnswer::Silent(format!("no answer within {} ms (archive.wait_ms)", limit.as_millis()))
        }
    }
}

/// Whether a question has something in it that is masked: in a word, or in several of them together.
fn is_masked(query: &Query, mask: &Mask) -> bool {
    let words: Vec<&str> =
        query.terms.iter().map(|term| term.text.as_str()).chain(query.filter.project.as_deref()).collect();
    let question = words.join(" ");
    mask.text(&question) != question.as_str()
}

/// What people call the machines that something was fetched from, by id; known since the last sync.
pub fn machine_names(data: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(data.join(MACHINES)).unwrap_or_default();
    let name = |line: &str| line.split_once(' ').map(|(id, name)| (id.to_owned(), name.to_owned()));
    text.lines().filter_map(name).collect()
}

/// Keeps what people call their machines.
pub fn keep_machine_names(data: &Path, names: &BTreeMap<String, String>) -> io::Result<()> {
    let line = |(id, name): (&String, &String)| format!("{id} {}\n", one_line(name, LONGEST_NAME));
    let text: String = names.iter().map(line).collect();
    files::replace(&data.join(MACHINES), text.as_bytes(), Access::Private)
}

/// The id of this machine: random, made once. A copy of the data folder, here or on another machine, is another machine:
/// two that pushed under one id would take each other's transcripts for their own. So the id is kept with a mark of where
/// it was made, and made anew where that does not fit.
pub fn machine(data: &Path) -> anyhow::Result<String> {
    let path = data.join(MACHINE);
    files::private_folder(data)?;
    let mark = place_mark(data);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut lines = text.lines().map(str::trim);
    match (lines.next().filter(|id| !id.is_empty()), lines.next()) {
        (Some(id), Some(made)) if made == mark => return Ok(id.to_owned()),
        // Of a version that kept no mark.
        (Some(id), None) => {
            files::replace(&path, format!("{id}\n{mark}\n").as_bytes(), Access::Private)?;
            return Ok(id.to_owned());
        }
        _ => {}
    }
    let id = format!("{:016x}{:016x}", privacy::salt(), privacy::salt());
    files::replace(&path, format!("{id}\n{mark}\n").as_bytes(), Access::Private)?;
    Ok(id)
}

/// What changes when a folder is copied: the system's own id, and the folder's on its disk.
fn place_mark(data: &Path) -> String {
    let system = std::fs::read("/etc/machine-id").unwrap_or_default();
    #[cfg(unix)]
    let folder = data.metadata().map_or(0, |meta| std::os::unix::fs::MetadataExt::ino(&meta));
    #[cfg(not(unix))]
    let folder = fnv1a(data.to_string_lossy().as_bytes());
    format!("{:016x}", fnv1a_on(fnv1a(&system), folder.to_le_bytes().into_iter()))
}

// ---- how far behind

/// How the latest syncs went, in milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncState {
    /// When everything was exchanged.
    pub done_at: Option<i64>,
    /// When it failed since then, and why.
    pub failed_at: Option<i64>,
    pub why: Option<String>,
    /// What it took up then: a mark of each transcript and how far it was recorded. Times would not do: an old transcript
    /// may be recorded late, and clocks are wrong.
    pub taken: Vec<u64>,
}

impl SyncState {
    pub fn load(data: &Path) -> SyncState {
        let text = std::fs::read(data.join(SYNCED)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    pub fn save(&self, data: &Path) -> anyhow::Result<()> {
        Ok(files::replace(&data.join(SYNCED), &serde_json::to_vec(self)?, Access::Private)?)
    }
}

/// Marks a transcript of this machine and how far it is recorded.
pub fn mark_of(source: &SharedSource) -> u64 {
    let (key, reached) = (&source.key, source.reached);
    let text = format!("{} {} {} {}", key.session, key.thread, reached.generation, reached.version);
    fnv1a(text.as_bytes())
}

/// How far this machine is behind the shared archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncLag {
    /// Transcripts with something that was not sent.
    pub transcripts: usize,
    pub state: SyncState,
}

impl SyncLag {
    /// `None` without a shared archive. Nothing is asked there.
    pub fn look(env: &Env) -> Option<SyncLag> {
        let data = env.data_dir.as_deref()?;
        if !is_set(env, &Config::load(env)) {
            return None;
        }
        let state = SyncState::load(data);
        let history = History::open_existing(data, sessions::LOCK_WAIT).ok().flatten();
        let left_out = history.as_ref().and_then(|history| left_out(history, &LeaveOutRules::load(env)).ok());
        let all =
            history.and_then(|history| LocalArchive::new(history, "").sources().ok()).unwrap_or_default();
        let is_left_out =
            |source: &SharedSource| left_out.as_ref().is_none_or(|all| all.contains(&owner_of(source)));
        let taken: HashSet<u64> = state.taken.iter().copied().collect();
        let is_new = |source: &&SharedSource| {
            source.key.machine.is_empty() && !taken.contains(&mark_of(source)) && !is_left_out(source)
        };
        let transcripts = all.iter().filter(is_new).count();
        Some(SyncLag { transcripts, state })
    }

    /// For people.
    pub fn in_words(&self, now: i64) -> String {
        let behind = match self.transcripts {
            0 => "everything was sent".to_owned(),
            n => format!("{} not sent yet", count_of(n, "transcript")),
        };
        let last = self.state.done_at.map_or_else(
            || "never synchronised".to_owned(),
            |at| format!("last synchronised {}", ago(now - at)),
        );
        let why = self.state.why.as_ref().zip(self.state.failed_at);
        let why = why
            .map(|(why, at)| format!(" The latest try failed {}: {why}.", ago(now - at)))
            .unwrap_or_default();
        format!("Shared archive: {behind}, {last}.{why}")
    }
}

/// Starts `catchword sync` in the background, where the settings say so. It is a process of its own, holds a lock, and ends by
/// itself.
pub fn start_sync(env: &Env, config: &Config) -> io::Result<()> {
    let is_wanted = config.sync.auto && is_set(env, config);
    let (true, Some(exe)) = (is_wanted, env.exe.as_deref()) else { return Ok(()) };
    let mut command = process::detached(exe);
    command.args(["sync", "--in-background"]);
    command.spawn().map(drop)
}

/// Held while a sync runs; `None` if another one does.
pub fn lock(data: &Path) -> io::Result<Option<File>> {
    files::private_folder(data)?;
    match files::lock_within(&data.join(SYNCING), Duration::ZERO) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        other => other.map(Some),
    }
}

/// What is shared of which project, by its key. Others: [`SharedWith::Me`].
#[derive(Default)]
pub struct ProjectShares(BTreeMap<String, SharedWith>);

fn owner_of(source: &SharedSource) -> TranscriptOwner {
    TranscriptOwner { session: source.key.session.clone(), subagent: source.key.thread.clone() }
}

/// The transcripts of this machine that are left out.
pub fn left_out(history: &History, rules: &LeaveOutRules) -> Result<HashSet<TranscriptOwner>, StoreError> {
    let is_out = |source: &TranscriptSource| {
        let folder = source.project.as_deref().map(Path::new);
        rules.holds(&source.thread.session, folder, Some(&source.path))
    };
    let all = history.sources()?.into_iter().filter(TranscriptSource::is_own);
    Ok(all.filter(is_out).map(|source| source.thread).collect())
}

impl ProjectShares {
    pub fn load(data: &Path) -> ProjectShares {
        let text = std::fs::read_to_string(data.join(SHARED)).unwrap_or_default();
        let line = |line: &str| {
            let (key, share) = line.split_once(' ')?;
            Some((key.to_owned(), SharedWith::of(share)?))
        };
        ProjectShares(text.lines().filter_map(line).collect())
    }

    /// Nothing was ever decided or said about sharing here.
    pub fn is_new(data: &Path) -> bool {
        !data.join(SHARED).exists()
    }

    pub fn set(&mut self, key: &str, share: SharedWith) {
        self.0.insert(key.to_owned(), share);
    }

    pub fn save(&self, data: &Path) -> io::Result<()> {
        let lines: Vec<String> =
            self.0.iter().map(|(key, share)| format!("{key} {}\n", share.name())).collect();
        files::replace(&data.join(SHARED), lines.concat().as_bytes(), Access::Private)
    }

    /// Who may read the words of a transcript; `None` for one that never leaves this machine.
    pub fn of(&self, source: &SharedSource, left_out: &HashSet<TranscriptOwner>) -> Option<SharedWith> {
        if left_out.contains(&owner_of(source)) {
            return None;
        }
        let set = source.project_key.as_ref().and_then(|key| self.0.get(key));
        Some(set.copied().unwrap_or_default())
    }
}

/// What became of tombstones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForgottenOnBothSides {
    /// Items deleted or masked in the shared archive.
    pub there: usize,
    /// Things that this machine forgot because another did.
    pub here: usize,
}

/// Makes both sides forget what one of them forgot.
pub fn exchange_tombstones(
    env: &Env,
    data: &Path,
    history: &mut History,
    machine: &str,
    remote: &mut PostgresArchive,
) -> anyhow::Result<ForgottenOnBothSides> {
    let mut done = ForgottenOnBothSides::default();
    let known = LocalArchive::new(&mut *history, machine).tombstones()?;
    let theirs = remote.tombstones()?;
    let is_in = |stones: &[Tombstone], stone: &Tombstone| stones.iter().any(|known| known.what == stone.what);
    for stone in theirs.iter().filter(|stone| !is_in(&known, stone)) {
        forget_here(env, data, history, machine, stone)?;
        LocalArchive::new(&mut *history, machine).forget(stone)?;
        done.here += 1;
    }
    let mut ours = LocalArchive::new(&mut *history, machine).tombstones()?;
    ours.retain(|stone| !is_in(&theirs, stone));
    // First: once the tombstone is there, nobody looks for the text again.
    if ours.iter().any(|stone| matches!(stone.what, ForgottenThing::Text(_))) {
        let mut here = LocalArchive::new(&mut *history, machine).sources()?;
        here.retain(|source| source.key.machine == machine);
        let recorded = here.into_iter().map(|source| (source.key, source.reached)).collect();
        done.there += mask_there(remote, &LeaveOutRules::load(env).mask(), &recorded)?;
    }
    for stone in &ours {
        done.there += remote.forget(stone)?;
    }
    Ok(done)
}

/// Forgets here what another machine forgot.
fn forget_here(
    env: &Env,
    data: &Path,
    history: &mut History,
    machine: &str,
    stone: &Tombstone,
) -> anyhow::Result<()> {
    if let ForgottenThing::Text(line) = &stone.what {
        let text = Forgotten::from_line(line).context("a forgotten text that this version cannot read")?;
        forgetting::text(env, data, &text)?;
        return Ok(());
    }
    let mut local = LocalArchive::new(&mut *history, machine);
    let mut covered = Vec::new();
    for source in local.sources()?.into_iter().filter(|source| stone.what.covers(source)) {
        // Of one that shares only figures the archive does not know the project.
        if source.key.machine == machine && matches!(stone.what, ForgottenThing::Project(_)) {
            local.forget(&Tombstone { what: ForgottenThing::session(&source.key.session), at: stone.at })?;
        }
        covered.push(source.key.session);
    }
    let is_it = |session: &str| {
        covered.iter().any(|known| known == session)
            || matches!(stone.what, ForgottenThing::Session(hash) if Mask::session_hash(session) == hash)
    };
    let known = forget::known(data)?;
    let chosen: Vec<Trace> = known.iter().filter(|trace| is_it(&trace.session)).cloned().collect();
    if let ForgottenThing::Session(hash) = stone.what {
        LeaveOutRules::forget_session_hashes(env, &[hash])?;
    }
    if chosen.is_empty() {
        return Ok(());
    }
    let forks = forgetting::forks_of(&chosen, &known);
    let is_project = matches!(stone.what, ForgottenThing::Project(_));
    forgetting::sessions(env, data, &chosen, &forks, is_project)?;
    Ok(())
}

/// Masks the person's own items, whichever machine pushed them; the number of items. A transcript that this machine
/// `recorded` as far as it is there needs nothing: masking it here would have moved it.
fn mask_there(
    remote: &mut PostgresArchive,
    mask: &Mask,
    recorded: &HashMap<SourceKey, SourcePosition>,
) -> anyhow::Result<usize> {
    let (mut masked, person) = (0, Some(remote.person()?));
    for source in remote.sources()? {
        if source.person != person || recorded.get(&source.key) == Some(&source.reached) {
            continue;
        }
        let again = |text: &Option<String>| text.as_deref().map(|text| mask.text(text).into_owned());
        let told =
            SharedSource { project: again(&source.project), title: again(&source.title), ..source.clone() };
        let mut is_told = told == source;
        let mut reached: Option<SourcePosition> = None;
        while reached != Some(source.reached) {
            let Some(batch) = remote.since(&source.key, reached, BATCH)? else { break };
            reached = Some(batch.to);
            let changed: Vec<HistoryItem> =
                batch.items.iter().filter_map(|shared| masked_again(&shared.item, mask)).collect();
            if !changed.is_empty() || !is_told {
                remote.mask(&told, &changed)?;
                is_told = true;
                masked += changed.len();
            }
        }
    }
    Ok(masked)
}

/// An item with its texts masked; `None` if nothing changes.
fn masked_again(item: &HistoryItem, mask: &Mask) -> Option<HistoryItem> {
    let (title, body) = (mask.text(&item.title).into_owned(), mask.text(&item.body).into_owned());
    let again = HistoryItem { title, body, ..item.clone() };
    (again != *item).then_some(again)
}

/// Remembers what was forgotten, for the shared archive and the other machines, and forgets it there if that can be done
/// now. What to tell the person, if there is a shared archive.
pub fn forget_everywhere(
    env: &Env,
    data: &Path,
    what: Vec<ForgottenThing>,
) -> anyhow::Result<Option<String>> {
    let Some(mut history) = History::open_existing(data, sessions::LOCK_WAIT)? else { return Ok(None) };
    let at = env.now();
    for what in what {
        LocalArchive::new(&mut history, "").forget(&Tombstone { what, at })?;
    }
    // Without an archive it is remembered for the day there is one.
    let Some(address) = address(env)? else { return Ok(None) };
    let machine = machine(data)?;
    let forgotten = PostgresArchive::connect(&address, PATIENCE)
        .map_err(anyhow::Error::from)
        .and_then(|mut remote| exchange_tombstones(env, data, &mut history, &machine, &mut remote));
    Ok(Some(match forgotten {
        Ok(done) => format!(
            "In the shared archive {} deleted or masked; the other machines forget it at their next `catchword sync`.",
            count_of_either(done.there, "item was", "items were")
        ),
        Err(error) => {
            format!("The shared archive does not know yet: {error:#}. The next `catchword sync` tells it.")
        }
    }))
}
