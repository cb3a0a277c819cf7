//! `catchword completions`: what a shell needs to complete our command line.

use clap_complete::Shell;

use crate::ui::Ui;
use crate::ui::exit::Exit;

/// Print a shell's completions
///
/// For bash: catchword completions bash > ~/.local/share/bash-completion/completions/catchword
/// For zsh:  catchword completions zsh > _catchword, in a folder of your $fpath
/// For fish: catchword completions fish > ~/.config/fish/completions/catchword.fish
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args, command: &mut clap::Command, ui: &Ui) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "catchword", &mut script);
    ui.pass_on(&script, false);
    Exit::Ok
}
