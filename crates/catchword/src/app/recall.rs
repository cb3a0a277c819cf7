//! Finds and reads the lines at a place. Shared by `catchword recall` and the server.

use std::path::PathBuf;

use anyhow::{Context, bail};
use catchword_engine::archive::backup::Backups;
use catchword_engine::archive::history::{TranscriptOwner, TranscriptSource};
use catchword_engine::clients::Client;
use catchword_engine::ops::recall::{self, RecallRequest, Recalled};
use catchword_engine::ops::record::{RecordLines, TranscriptLines};

use super::env::Env;
use super::sessions::{self, ChosenSession, Databases};

/// What is at a place of a recorded session or of one of its subagents, and a remark about where it was read from.
pub fn of_session(
    session: &ChosenSession,
    subagent: &str,
    wanted: &RecallRequest,
    all: bool,
    env: &Env,
) -> anyhow::Result<(Recalled, Option<String>)> {
    let target = RecallTarget::recorded(session, subagent, wanted, env)?;
    target.recall(&ReadFrom::of(&target, wanted, env)?, wanted, all, env)
}

/// Why nothing was recalled.
pub fn explain_nothing(recalled: &Recalled, wanted: &RecallRequest) -> String {
    if let Some(remark) = recalled.remarks.first() {
        return remark.clone();
    }
    match wanted {
        RecallRequest::Lines(from, _) if *from > recalled.lines => {
            format!("there is no L{from}: the transcript ends at L{}", recalled.lines)
        }
        RecallRequest::Lines(..) => "there is nothing of the conversation there".to_owned(),
        RecallRequest::Task(task) => format!("no task {task} in this session"),
        RecallRequest::File(path) => format!("no tool touched {path} in this session"),
        RecallRequest::Compaction(number) => format!("no compaction {number} in this session"),
        RecallRequest::Note(number) => format!("no note {number} of this session"),
    }
}

/// A transcript, and what the history has of it.
pub struct RecallTarget {
    pub path: PathBuf,
    /// `None` for a file named by the user; its rows say which client wrote it.
    pub client: Option<&'static Client>,
    pub known: Option<(Databases, TranscriptSource)>,
    pub thread: Option<TranscriptOwner>,
}

/// Where the lines come from.
pub enum ReadFrom {
    Record(TranscriptLines),
    /// The client has deleted the transcript, and it has no backup.
    History,
}

impl ReadFrom {
    pub fn of(found: &RecallTarget, wanted: &RecallRequest, env: &Env) -> anyhow::Result<ReadFrom> {
        if matches!(wanted, RecallRequest::Note(_)) {
            return Ok(ReadFrom::History);
        }
        let Some(thread) = &found.thread else {
            return Ok(ReadFrom::Record(TranscriptLines::of_file(&found.path)));
        };
        let record = TranscriptLines::find(found.client, &found.path, thread, env.data_dir.as_deref())?;
        Ok(record.map_or(ReadFrom::History, ReadFrom::Record))
    }

    pub fn word(&self) -> &'static str {
        match self {
            ReadFrom::Record(TranscriptLines { lines: RecordLines::File(_), .. }) => "transcript",
            ReadFrom::Record(TranscriptLines { lines: RecordLines::Backup(..), .. }) => "backup",
            ReadFrom::History => "history",
        }
    }
}

impl RecallTarget {
    /// Any transcript file.
    pub fn file(path: PathBuf) -> RecallTarget {
        RecallTarget { path, client: None, known: None, thread: None }
    }

    /// The transcript of a recorded session or of one of its subagents.
    pub fn recorded(
        found: &ChosenSession,
        subagent: &str,
        wanted: &RecallRequest,
        env: &Env,
    ) -> anyhow::Result<RecallTarget> {
        // Everything but notes is read from the transcript itself.
        let known = match wanted {
            RecallRequest::Note(_) => Databases::open_fresh(env)?,
            _ => Databases::open(env)?,
        };
        let thread = TranscriptOwner { session: found.id.clone(), subagent: subagent.to_owned() };
        let source = known.history.as_ref().map(|history| history.source(&thread)).transpose()?.flatten();
        let path = match (&source, subagent.is_empty()) {
            (_, true) => found.transcript.clone(),
            (Some(source), false) => source.path.clone(),
            (None, false) if is_backed_up(env, &thread)? => PathBuf::new(),
            (None, false) => bail!(
                "no subagent {subagent} of this session is in the history; `catchword index` takes their transcripts in"
            ),
        };
        let known = source.map(|source| (known, source));
        Ok(RecallTarget { path, client: Some(found.client), known, thread: Some(thread) })
    }

    /// What is at the place, and a remark about where it was read from.
    pub fn recall(
        &self,
        from: &ReadFrom,
        wanted: &RecallRequest,
        all: bool,
        env: &Env,
    ) -> anyhow::Result<(Recalled, Option<String>)> {
        let (mut recalled, remark) = match from {
            ReadFrom::Record(record) => {
                let recalled = recall::recall(
                    record.reader(&env.mask),
                    &mut |each| record.lines(&env.mask, each),
                    wanted,
                    all,
                )
                .with_context(|| format!("cannot read {}", self.path.display()))?;
                (recalled, sessions::where_from(record, env))
            }
            ReadFrom::History => self.out_of_history(wanted, env)?,
        };
        add_given(&mut recalled, self, env)?;
        Ok((recalled, remark))
    }

    /// Reads from the history: there is neither transcript nor backup, or a note is wanted, which only the history has.
    fn out_of_history(
        &self,
        wanted: &RecallRequest,
        env: &Env,
    ) -> anyhow::Result<(Recalled, Option<String>)> {
        let gone = format!("The transcript {} is gone and was not backed up", env.show(&self.path));
        let is_note = matches!(wanted, RecallRequest::Note(_));
        let Some((Databases { history: Some(history), .. }, source)) = &self.known else {
            anyhow::ensure!(
                !is_note,
                "nothing of this session is in the history; `catchword note` shows its notes"
            );
            bail!("{gone}; nothing of it is in the history either");
        };
        let kept =
            "This is what the history kept of it: long texts cut, nothing of files that were only read.";
        let remark = (!is_note).then(|| format!("{gone}. {kept}"));
        Ok((recall::from_history(history, source, wanted)?, remark))
    }
}

fn is_backed_up(env: &Env, thread: &TranscriptOwner) -> anyhow::Result<bool> {
    let Some(data) = &env.data_dir else { return Ok(false) };
    Ok(Backups::at(data).find(thread)?.is_some())
}

/// Adds what hooks recorded about a compaction.
fn add_given(recalled: &mut Recalled, found: &RecallTarget, env: &Env) -> anyhow::Result<()> {
    let main = found.thread.as_ref().filter(|thread| thread.subagent.is_empty());
    let (Some(thread), true) = (main, recalled.between.is_some()) else { return Ok(()) };
    let given = Databases::open(env)?.store.map(|store| store.given_back(&thread.session)).transpose()?;
    recall::add_given(recalled, &given.unwrap_or_default(), &env.mask);
    Ok(())
}
