//! `catchword man`: the help as manual pages.

use std::path::PathBuf;

use anyhow::Context;

use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Print the manual page, or write one a command into a folder
///
/// `catchword man | man -l -` reads it at once. `catchword man --dir ~/.local/share/man/man1` installs it with a page for
/// every command: `man catchword-recall`.
#[derive(clap::Args)]
pub struct Args {
    /// Write all pages into this folder instead
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn run(args: &Args, command: clap::Command, ui: &Ui) -> anyhow::Result<Exit> {
    if let Some(dir) = &args.dir {
        let written = std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
        written.with_context(|| format!("cannot write manual pages into {}", dir.display()))?;
        return Ok(Exit::Ok);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    ui.pass_on(&page, false);
    Ok(Exit::Ok)
}
