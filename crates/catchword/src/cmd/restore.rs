//! `catchword restore`: writes a backed-up transcript to a file again.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use catchword_engine::archive::backup::{BackupList, Backups};
use catchword_engine::clients::Client;
use catchword_engine::model::event::is_named;
use catchword_engine::ops::record::TranscriptLines;
use catchword_engine::transcript;

use super::backup::seen_backups;
use crate::app::env::Env;
use crate::app::files::{self, Access};
use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Write a backed-up transcript back to disk
///
/// It goes where it was, so that the client can resume the session, or to the file given with --to; transcripts of its
/// subagents go into the folder beside it. An existing file is not touched without --force.
///
/// Secrets stay masked, as in the backup; every line keeps its number.
#[derive(clap::Args)]
pub struct Args {
    /// A backed-up session, by the start of its id
    #[arg(value_name = "SESSION")]
    session: String,
    /// The file to write
    #[arg(long, value_name = "PATH")]
    to: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let data = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let backups = Backups::at(data);
    let kept = find(&backups, &args.session, env)?;
    let client = TranscriptLines::of_backup(Backups::at(data), kept[0].clone()).client;
    if args.to.is_none() && client.transcripts.database.is_some() {
        bail!(
            "{} keeps its sessions in a database, which catchword never writes: name a file with --to",
            client.phrases.name
        );
    }
    let (mut refused, mut damaged) = (0, false);
    for (one, path) in places(args, client, env, &kept) {
        match write(&backups, one, &path, args.force) {
            Ok(missing) => {
                ui.line(format!("{}  {} lines", env.show(&path), one.lines()));
                damaged |= !missing.is_empty();
                say_missing(&missing, one, ui);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                refused += 1;
                ui.say(ui.paragraph(&format!(
                    "{} already exists and was left alone; --force overwrites it, --to names another file.",
                    env.show(&path)
                )));
            }
            Err(error) => return Err(error).with_context(|| format!("cannot write {}", path.display())),
        }
    }
    if refused > 0 {
        return Ok(Exit::Failed);
    }
    if args.to.is_none()
        && let Some(main) = kept.iter().find(|one| one.subagent.is_empty())
    {
        let resume = client.phrases.resume;
        ui.say(ui.paragraph(&format!("To resume it: {}", resume(&main.session))));
    }
    Ok(if damaged { Exit::Attention } else { Exit::Ok })
}

fn say_missing(missing: &[(u32, u32)], kept: &BackupList, ui: &Ui) {
    if missing.is_empty() {
        return;
    }
    let lines: Vec<String> = missing.iter().map(|(from, to)| format!("L{from}-L{to}")).collect();
    let todo = if transcript::is_there(&kept.path) {
        " Its transcript is there: `catchword backup` renews them."
    } else {
        ""
    };
    ui.say(ui.paragraph(&format!(
        "Pieces of the backup are damaged or gone; these lines are missing: {}.{todo}",
        lines.join(", ")
    )));
}

/// All backups of the one session whose id starts like this.
fn find(backups: &Backups, start: &str, env: &Env) -> anyhow::Result<Vec<BackupList>> {
    let mut kept = seen_backups(backups, env)?;
    kept.retain(|one| is_named(&one.session, start));
    let mut sessions: Vec<&str> = kept.iter().map(|one| one.session.as_str()).collect();
    sessions.dedup();
    match sessions.len() {
        0 => bail!("no backed-up session begins with {start}; `catchword backup --list` lists them"),
        1 => Ok(kept),
        n => bail!("{n} backed-up sessions begin with {start}; give more of the id"),
    }
}

/// Which backup is written to which path.
fn places<'a>(
    args: &Args,
    client: &Client,
    env: &Env,
    kept: &'a [BackupList],
) -> Vec<(&'a BackupList, PathBuf)> {
    let Some(to) = &args.to else { return kept.iter().map(|one| (one, one.path.clone())).collect() };
    let to = env.cwd.join(to);
    let subagents = client.transcripts.subagents_of(&to);
    // If the client has no folder for them, they go beside the transcript.
    let folder = subagents.or_else(|| Some(to.parent()?.to_owned())).unwrap_or_default();
    let beside = |one: &BackupList| folder.join(one.path.file_name().unwrap_or_default());
    kept.iter().map(|one| (one, if one.subagent.is_empty() { to.clone() } else { beside(one) })).collect()
}

fn write(backups: &Backups, kept: &BackupList, path: &Path, force: bool) -> io::Result<Vec<(u32, u32)>> {
    if !force && path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    if let Some(folder) = path.parent() {
        files::private_folder(folder)?;
    }
    let mut missing = Vec::new();
    files::put(path, Access::Private, force, |file| {
        missing = backups.write(kept, file)?;
        Ok(())
    })?;
    Ok(missing)
}
