//! `catchword restore`: a backed-up transcript as a file again.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use catchword_engine::agent::claude_code::setup::{SUBAGENTS, resume};
use catchword_engine::backup::{Backups, Kept};

use crate::env::Env;
use crate::exit::Exit;
use crate::files::{self, Access};
use crate::ui::Ui;

/// Write a backed-up transcript out again
///
/// To where it was, so that Claude Code can resume the session, or with --to to any other file; those of its subagents
/// go into the folder beside it. A file that is there is not touched without --force.
///
/// Secrets are masked in it, as in the backup; every line has the number it had.
#[derive(clap::Args)]
pub struct Args {
    /// A backed-up session, by the start of its id
    #[arg(value_name = "SESSION")]
    session: String,
    /// The file to write
    #[arg(long, value_name = "PATH")]
    to: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

/// Writes the files.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let data = env.data_dir.as_deref().context("no data directory: set HOME or CATCHWORD_HOME")?;
    let backups = Backups::at(data);
    let kept = find(&backups, &args.session)?;
    let mut refused = 0;
    for (one, path) in places(args, env, &kept) {
        match write(&backups, one, &path, args.force) {
            Ok(()) => ui.line(format!("{}  {} lines", env.show(&path), one.lines())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                refused += 1;
                ui.say(ui.paragraph(&format!(
                    "{} is there already and stays as it is; --force writes over it, --to names another file.",
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
        ui.say(ui.paragraph(&format!("To go on with it: {}", resume(&main.session))));
    }
    Ok(Exit::Ok)
}

/// All that is kept of the one session that begins so.
fn find(backups: &Backups, start: &str) -> anyhow::Result<Vec<Kept>> {
    let mut kept = backups.all()?;
    kept.retain(|one| one.session.starts_with(start));
    let mut sessions: Vec<&str> = kept.iter().map(|one| one.session.as_str()).collect();
    sessions.dedup();
    match sessions.len() {
        0 => bail!("no backed-up session begins with {start}; `catchword backup --list` lists them"),
        1 => Ok(kept),
        n => bail!("{n} backed-up sessions begin with {start}; give more of the id"),
    }
}

/// What is written where.
fn places<'a>(args: &Args, env: &Env, kept: &'a [Kept]) -> Vec<(&'a Kept, PathBuf)> {
    let Some(to) = &args.to else { return kept.iter().map(|one| (one, one.path.clone())).collect() };
    let to = env.cwd.join(to);
    let beside =
        |one: &Kept| to.with_extension("").join(SUBAGENTS).join(one.path.file_name().unwrap_or_default());
    kept.iter().map(|one| (one, if one.subagent.is_empty() { to.clone() } else { beside(one) })).collect()
}

fn write(backups: &Backups, kept: &Kept, path: &Path, force: bool) -> io::Result<()> {
    if !force && path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    if let Some(folder) = path.parent() {
        files::private_folder(folder)?;
    }
    files::put(path, Access::Private, force, |file| backups.write(kept, file))
}
