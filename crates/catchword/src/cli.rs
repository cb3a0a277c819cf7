//! The list of commands and their dispatch; each command's arguments and help are in its file in `cmd/`.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::app::env::Env;
use crate::app::sessions;
use crate::ui::exit::Exit;
use crate::ui::{Ui, printable};
use crate::{cmd, hook, mcp, statusline};

/// Gives a coding agent back what a context compaction lost.
///
/// catchword records what the agent does from its own transcript and, after a compaction, hands back what
/// the summary left out: small, verbatim and with its place in the transcript.
#[derive(Parser)]
#[command(name = "catchword", version = env!("CATCHWORD_VERSION"), propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(cmd::init::Args),
    Remove(cmd::remove::Args),
    Doctor(cmd::doctor::Args),
    Try(cmd::try_out::Args),
    Brief(cmd::brief::Args),
    Gauge(cmd::gauge::Args),
    Lost(cmd::lost::Args),
    Sessions(cmd::sessions::Args),
    Handoff(cmd::handoff::Args),
    Status(cmd::status::Args),
    Commands(cmd::commands::Args),
    Activate(cmd::activate::Activate),
    Deactivate(cmd::activate::Deactivate),
    Note(cmd::note::Args),
    Notes(cmd::notes::Args),
    Tasks(cmd::tasks::Args),
    Search(cmd::search::Args),
    Recall(cmd::recall::Args),
    Replay(cmd::replay::Args),
    Index(cmd::index::Args),
    Backup(cmd::backup::Args),
    Restore(cmd::restore::Args),
    Forget(cmd::forget::Args),
    Eval(cmd::eval::Args),
    Run(cmd::run::Args),
    Mcp(mcp::Args),
    Completions(cmd::completions::Args),
    Man(cmd::man::Args),
    /// Answer one hook event of the client (called by the client, not by people)
    ///
    /// Reads one JSON object from stdin and prints what the client should get. Always ends with 0.
    Hook {
        /// The client that calls it: claude-code
        client: Option<String>,
    },
    /// Print one line for the client's status line (called by the client, not by people)
    ///
    /// Reads one JSON object from stdin. Shows the model, a bar of the context up to the next compaction, the tokens left
    /// until then, compactions so far, open tasks, what the latest summary lost, and the git branch. `catchword init
    /// --statusline` puts it into the settings. In config.toml, `statusline.segments = ["context", "left"]` chooses and
    /// orders (model, context, left, compactions, work, lost, branch), `statusline.colour = false` takes the colours
    /// out, as `NO_COLOR` does. Always ends with 0.
    Statusline {
        /// The client that calls it: claude-code
        client: Option<String>,
        /// The record of the status line to show above this one, as `init` has kept it
        #[arg(long, value_name = "KEY", hide = true)]
        with: Option<String>,
        /// That status line itself, for the day on which the record is gone
        #[arg(long, value_name = "JSON", hide = true)]
        kept: Option<String>,
    },
}

/// Parses the command line, runs the command and maps its result to an exit code.
pub fn run(env: &Env) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let ui = Ui::new(env.no_color, env.columns);
    let done = dispatch(&cli.command, env, &ui).or_else(|error| mended(error, &cli.command, env, &ui));
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            ui.say(ui.paragraph(&format!("catchword: {error:#}")));
            Exit::Failed.into()
        }
    }
}

/// The history turned out to be damaged: set it aside, read the transcripts again, and run the command once more.
fn mended(error: anyhow::Error, command: &Command, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if !uses_store(command) || !sessions::is_damage(&error) || !sessions::set_history_aside(env)? {
        return Err(error);
    }
    ui.say(ui.paragraph(&format!(
        "history.db is damaged ({error}). It was set aside and is rebuilt from the transcripts."
    )));
    cmd::index::rebuild(env, ui)?;
    dispatch(command, env, ui)
}

/// Prints help or a usage error. Never exits with 2, clap's usual code: to the client that means "block", and a client
/// that drops a hook's arguments would then cancel prompts and compactions.
fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if printable(&text) == text {
        // A closed pipe is not an error.
        let _ = error.print();
    } else {
        // It repeats an argument, which may have been copied from anywhere.
        Ui::new(true, None).say(text);
    }
    if error.use_stderr() { Exit::Failed.into() } else { Exit::Ok.into() }
}

/// Whether a command may read the store.
fn uses_store(command: &Command) -> bool {
    use Command::{Completions, Doctor, Eval, Hook, Init, Man, Remove, Restore, Statusline, Try};
    !matches!(
        command,
        Init(_)
            | Remove(_)
            | Doctor(_)
            | Try(_)
            | Restore(_)
            | Eval(_)
            | Completions(_)
            | Man(_)
            | Hook { .. }
            | Statusline { .. }
    )
}

fn dispatch(command: &Command, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if uses_store(command) {
        sessions::renew_store(env, ui)?;
    }
    let unframed = ui.without_frames();
    match command {
        Command::Init(args) => cmd::init::run(args, env, ui),
        Command::Remove(args) => cmd::remove::run(args, env, ui),
        Command::Doctor(args) => cmd::doctor::run(args, env, ui),
        Command::Try(args) => cmd::try_out::run(args, env, ui),
        Command::Brief(args) => cmd::brief::run(args, env, ui),
        Command::Gauge(args) => cmd::gauge::run(args, env, ui),
        Command::Lost(args) => cmd::lost::run(args, env, &unframed),
        Command::Sessions(args) => cmd::sessions::run(args, env, ui),
        Command::Handoff(args) => cmd::handoff::run(args, env, ui),
        Command::Status(args) => cmd::status::run(args, env, &unframed),
        Command::Commands(args) => cmd::commands::run(args, env, ui),
        Command::Activate(args) => cmd::activate::activate(args, env, ui),
        Command::Deactivate(args) => cmd::activate::deactivate(args, env, ui),
        Command::Note(args) => cmd::note::run(args, env, ui),
        Command::Notes(args) => cmd::notes::run(args, env, ui),
        Command::Tasks(args) => cmd::tasks::run(args, env, &unframed),
        Command::Search(args) => cmd::search::run(args, env, &unframed),
        Command::Recall(args) => cmd::recall::run(args, env, &unframed),
        Command::Replay(args) => cmd::replay::run(args, env, ui),
        Command::Index(args) => cmd::index::run(args, env, ui),
        Command::Backup(args) => cmd::backup::run(args, env, ui),
        Command::Restore(args) => cmd::restore::run(args, env, ui),
        Command::Forget(args) => cmd::forget::run(args, env, ui),
        Command::Eval(args) => cmd::eval::run(args, env, ui),
        Command::Run(args) => cmd::run::run(args, env, ui),
        Command::Mcp(_) => mcp::run(env, ui),
        Command::Completions(args) => Ok(cmd::completions::run(args, &mut Cli::command(), ui)),
        Command::Man(args) => cmd::man::run(args, Cli::command(), ui),
        Command::Hook { .. } => {
            hook::run(env);
            Ok(Exit::Ok)
        }
        Command::Statusline { .. } => {
            statusline::run(env);
            Ok(Exit::Ok)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn command_tree_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
