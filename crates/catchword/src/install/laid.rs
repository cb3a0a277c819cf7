//! Our files in the client's folder: the skill and the command that go with the hooks.
//!
//! A missing file is created, an unchanged one is updated or removed. A file that somebody changed, or created under
//! that name, stays, and the user is told.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use catchword_engine::clients::Client;
use catchword_engine::clients::setup::{OwnFile, Scope};

use super::record::InstallRecord;
use super::{missing_folders, project_root, refuse_outside, root_folder};
use crate::app::env::Env;
use crate::app::files::{self, Access};

/// One of our files.
pub struct Laid {
    path: PathBuf,
    /// Its path as shown to people.
    pub shown: String,
    text: &'static str,
    /// The root of the project whose file it is.
    project: Option<PathBuf>,
}

pub struct LaidPlan<'a> {
    laid: &'a Laid,
    before: Option<String>,
    after: Option<String>,
    /// Somebody else's file: it stays as it is.
    pub kept: bool,
    folders: Vec<PathBuf>,
}

/// The files that belong to an installation of this scope.
pub fn files_of(client: &Client, scope: Scope, env: &Env) -> Result<Vec<Laid>> {
    let Some(below) = client.setup.files_folder(scope) else { return Ok(Vec::new()) };
    let root = root_folder(client, scope.root(), &env.cwd, env)?;
    let file = |laid: &OwnFile| {
        let path = root.join(below).join(laid.path);
        Laid { shown: env.show(&path), path, text: laid.text, project: project_root(scope, env) }
    };
    Ok(client.setup.files.iter().map(file).collect())
}

impl Laid {
    /// Plans its creation.
    pub fn install(&self, data_dir: &Path) -> Result<LaidPlan<'_>> {
        refuse_outside(&self.path, &self.shown, self.project.as_deref())?;
        let (before, ours, old) = self.look(data_dir)?;
        let made = old.map(|old| old.created_folders).filter(|_| before.is_some());
        let folders = made.unwrap_or_else(|| missing_folders(&self.path));
        let kept = before.is_some() && !ours;
        let after = if kept { before.clone() } else { Some(self.text.to_owned()) };
        Ok(LaidPlan { laid: self, before, after, kept, folders })
    }

    /// Plans its removal.
    pub fn uninstall(&self, data_dir: &Path) -> Result<LaidPlan<'_>> {
        let (before, ours, old) = self.look(data_dir)?;
        let kept = before.is_some() && !ours && old.is_some();
        let after = if ours { None } else { before.clone() };
        let folders = old.map(|old| old.created_folders).unwrap_or_default();
        Ok(LaidPlan { laid: self, before, after, kept, folders })
    }

    /// Its content, whether that is unchanged since we wrote it, and our record of it.
    fn look(&self, data_dir: &Path) -> Result<(Option<String>, bool, Option<InstallRecord>)> {
        let old = InstallRecord::load(data_dir, &self.path);
        let before = self.read()?;
        let is_link = fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_symlink());
        let as_left =
            |text: &String| text == self.text || old.as_ref().is_some_and(|old| old.installed == *text);
        let ours = !is_link && before.as_ref().is_some_and(as_left);
        Ok((before, ours, old))
    }

    fn read(&self) -> Result<Option<String>> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(e) => Err(e).with_context(|| format!("cannot read {}", self.shown)),
        }
    }
}

impl LaidPlan<'_> {
    /// Nothing has to change.
    pub fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    /// Its path as shown to people.
    pub fn shown(&self) -> &str {
        &self.laid.shown
    }

    /// Its path, its present text and the planned text.
    pub fn change(&self) -> (&Path, Option<&str>, Option<&str>) {
        (&self.laid.path, self.before.as_deref(), self.after.as_deref())
    }

    /// Whether the file is still what the plan was made from.
    pub fn still_holds(&self) -> Result<bool> {
        Ok(self.laid.read()? == self.before)
    }

    /// Applies the change and records it.
    pub fn apply(&self, data_dir: &Path) -> Result<()> {
        let path = &self.laid.path;
        let context = || format!("cannot write {}", self.laid.shown);
        if self.kept {
            return Ok(());
        }
        let Some(text) = &self.after else {
            if self.before.is_some() {
                fs::remove_file(path).with_context(context)?;
            }
            for folder in self.folders.iter().rev() {
                // Removes only empty folders.
                let _ = fs::remove_dir(folder);
            }
            let _ = InstallRecord::forget(data_dir, path);
            return Ok(());
        };
        let record = InstallRecord {
            original: None,
            installed: text.clone(),
            created_folders: self.folders.clone(),
            status_line: None,
        };
        record.save(data_dir, path).with_context(context)?;
        if !self.is_nothing() {
            fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).with_context(context)?;
            files::replace(path, text.as_bytes(), Access::Usual).with_context(context)?;
        }
        Ok(())
    }
}
