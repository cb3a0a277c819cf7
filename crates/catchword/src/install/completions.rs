//! The file from which a shell loads our completions.
//!
//! Its name says that it is ours, so we overwrite and remove it without keeping a record.

use std::io;
use std::path::{Path, PathBuf};

use clap_complete::Shell;

use crate::app::env::Env;
use crate::app::files::{self, Access};

/// Where a shell looks for completions by itself, or as most people set it up.
pub struct CompletionFile {
    pub shell: Shell,
    pub path: PathBuf,
    /// What the person still has to do.
    pub todo: Option<&'static str>,
}

/// The file for the person's shell, if it is one that loads completions from a folder.
pub fn of_shell(env: &Env) -> Option<CompletionFile> {
    let name = env.shell.as_deref().and_then(Path::file_name)?;
    all(env).into_iter().find(|file| *name == *file.shell.to_string())
}

fn all(env: &Env) -> Vec<CompletionFile> {
    let Some(home) = &env.home else { return Vec::new() };
    let file = |shell, path: &str, todo| CompletionFile { shell, path: home.join(path), todo };
    let zsh = "`fpath+=~/.zfunc` must be in ~/.zshrc, before `compinit`.";
    vec![
        file(Shell::Bash, ".local/share/bash-completion/completions/catchword", None),
        file(Shell::Fish, ".config/fish/completions/catchword.fish", None),
        file(Shell::Zsh, ".zfunc/_catchword", Some(zsh)),
    ]
}

impl CompletionFile {
    pub fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// Writes the shell's script.
    pub fn write(&self, command: &mut clap::Command) -> io::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "catchword", &mut script);
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        files::replace(&self.path, &script, Access::Usual)
    }
}

/// Removes the files of all shells; returns those that were there.
pub fn remove(env: &Env) -> Vec<PathBuf> {
    let there = all(env).into_iter().map(|file| file.path).filter(|path| path.is_file());
    there.filter(|path| std::fs::remove_file(path).is_ok()).collect()
}
