//! The list of commands and their dispatch; each command's arguments and help are in its file in `cmd/`.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::app::env::Env;
use crate::app::sessions;
use crate::ui::exit::Exit;
use crate::ui::{Ui, printable};
use crate::{cmd, hook, mcp, statusline, web};

/// The groups of `--help`, in the order in which people need them. Hidden commands are in none.
const GROUPS: cmd::man::Groups = &[
    ("Set up", &["try", "init", "remove", "doctor", "config"]),
    ("Now", &["status", "brief", "lost"]),
    ("Past", &["search", "recall", "project", "handoff"]),
    ("Keep", &["note"]),
    ("See", &["serve", "export"]),
    ("Data", &["index", "backup", "restore", "forget", "sync", "archive"]),
    ("More", &["eval", "run"]),
];

/// Below the options of `--help`.
const AFTER_HELP: &str = "\
Exit status:
  0  it worked
  1  it failed, `search` found nothing, or a check of `doctor` failed
  `run` exits like the client; `hook` and `statusline` always with 0.

Environment:
  CATCHWORD_HOME          where the data is kept
  CATCHWORD_BUDGET        overrides the setting `budget`
  CATCHWORD_ARCHIVE       the address of the shared archive
  NO_COLOR, CLICOLOR=0    no colour
  CLICOLOR_FORCE=1        colour even in a pipe

Bare `catchword` shows the status of this project.
`catchword help COMMAND` explains a command.";

/// Gives a coding agent back what a context compaction lost.
///
/// catchword records what the agent does from its own transcript. After a compaction it hands back what the summary left
/// out: short, verbatim, and with its place in the transcript.
#[derive(Parser)]
#[command(name = "catchword", version = env!("CATCHWORD_VERSION"), propagate_version = true)]
#[command(after_long_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// The command tree, with its commands in groups.
pub fn tree() -> clap::Command {
    let tree = Cli::command();
    let mut groups = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(groups, "{title}:");
        for name in *names {
            let about = tree.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(groups, "  {name:<9}{about}");
        }
        groups.push('\n');
    }
    tree.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

#[derive(Subcommand)]
enum Command {
    Init(cmd::init::Args),
    Remove(cmd::remove::Args),
    Doctor(cmd::doctor::Args),
    Config(cmd::config::Args),
    Status(cmd::status::Args),
    Brief(cmd::brief::Args),
    Lost(cmd::lost::Args),
    Search(cmd::search::Args),
    Recall(cmd::recall::Args),
    Project(cmd::project::Args),
    Handoff(cmd::handoff::Args),
    Note(cmd::note::Args),
    Serve(web::Args),
    Export(web::export::Args),
    Index(cmd::index::Args),
    Backup(cmd::backup::Args),
    Restore(cmd::restore::Args),
    Forget(cmd::forget::Args),
    Sync(cmd::sync::Args),
    Archive(cmd::archive::Args),
    Try(cmd::try_out::Args),
    Eval(cmd::eval::Args),
    Run(cmd::run::Args),
    #[command(hide = true)]
    Commands(cmd::commands::Args),
    #[command(hide = true)]
    Mcp(mcp::Args),
    #[command(hide = true)]
    Completions(cmd::completions::Args),
    #[command(hide = true)]
    Man(cmd::man::Args),
    /// Answer one hook event (called by the client)
    ///
    /// Reads one JSON object from stdin and prints what the client should get. Always exits with 0.
    #[command(hide = true)]
    Hook {
        /// The client that calls it: claude-code or codex
        client: Option<String>,
    },
    /// Print one line for the client's status line (called by the client)
    ///
    /// Reads one JSON object from stdin. Shows the model, a bar of the context up to the next compaction, the tokens left
    /// until then, compactions so far, open tasks, what the latest summary lost, and the git branch. `catchword init
    /// --statusline` installs it; `statusline.segments` and `statusline.colour` in the settings change it. Always exits with 0.
    #[command(hide = true)]
    Statusline {
        /// The client that calls it: claude-code or codex
        client: Option<String>,
        /// The record of the status line to show above this one, as `init` kept it
        #[arg(long, value_name = "KEY", hide = true)]
        with: Option<String>,
        /// That status line itself, in case the record is lost
        #[arg(long, value_name = "JSON", hide = true)]
        kept: Option<String>,
    },
}

/// Parses the command line, runs the command and maps its result to an exit code.
pub fn run(env: &Env) -> ExitCode {
    let parsed = tree().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let name = env.args.first().map(|name| name.to_string_lossy().into_owned());
            return usage(&with_useful_tips(error, &name.unwrap_or_default()));
        }
    };
    let ui = Ui::new(env.colour, env.columns);
    let command = cli.command.as_ref();
    let done = dispatch(command, env, &ui).or_else(|error| mended(error, command, env, &ui));
    match done {
        Ok(exit) => exit.into(),
        Err(error) => {
            ui.say(ui.paragraph(&format!("catchword: {error:#}")));
            if sessions::is_failed_write(&error) {
                ui.say(ui.paragraph(
                    "The disk may be full, or a quota or a limit reached. Free some space and run this again.",
                ));
            }
            Exit::Failed.into()
        }
    }
}

/// The history turned out to be damaged: set it aside, read the transcripts again, and run the command once more.
fn mended(error: anyhow::Error, command: Option<&Command>, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if !uses_store(command) || !sessions::is_damage(&error) || !sessions::set_history_aside(env)? {
        return Err(error);
    }
    ui.say(ui.paragraph(&format!(
        "history.db is damaged ({error}). It was set aside and is rebuilt from the transcripts."
    )));
    cmd::index::rebuild(env, ui)?;
    dispatch(command, env, ui)
}

/// The error without tips that mislead (`--version` for `--session`, hidden commands), and with the tip that helps. `name`
/// is the command's.
fn with_useful_tips(mut error: clap::Error, name: &str) -> clap::Error {
    if let Some(ContextValue::Strings(names)) = error.remove(ContextKind::SuggestedSubcommand) {
        let visible: Vec<String> = names
            .into_iter()
            .filter(|name| GROUPS.iter().any(|(_, names)| names.contains(&name.as_str())))
            .collect();
        if !visible.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(visible));
        }
    }
    let typed = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(typed))) => typed.clone(),
        _ => return error,
    };
    error.remove(ContextKind::Suggested);
    let is_general = |option: &str| matches!(option, "--version" | "--help");
    let mut tree = tree();
    let command = tree.find_subcommand_mut(name);
    let takes_session = command
        .as_ref()
        .is_some_and(|command| command.get_positionals().any(|argument| argument.get_id() == "session"));
    if let Some(ContextValue::String(suggested)) = error.get(ContextKind::SuggestedArg)
        && (is_general(suggested) || (typed == "--session" && takes_session))
    {
        error.remove(ContextKind::SuggestedArg);
        // The usage was written for the option that was suggested.
        if let Some(command) = command {
            let usage = command.clone().bin_name(format!("catchword {name}")).render_usage();
            error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
        }
    }
    let tip = match (name, typed.as_str()) {
        ("search", "--since" | "--until" | "--role" | "--project" | "--session") => {
            Some(format!("write it as a filter: catchword search {}:… WORDS", typed.trim_start_matches('-')))
        }
        (_, "--session") if takes_session => {
            Some(format!("a session is named without an option: catchword {name} SESSION"))
        }
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
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
        Ui::new(Some(false), None).say(text);
    }
    if error.use_stderr() { Exit::Failed.into() } else { Exit::Ok.into() }
}

/// Whether a command may read the store.
fn uses_store(command: Option<&Command>) -> bool {
    use Command::{Completions, Config, Doctor, Eval, Hook, Init, Man, Remove, Restore, Statusline, Try};
    !matches!(
        command,
        None | Some(
            Init(_)
                | Remove(_)
                | Doctor(_)
                | Config(_)
                | Try(_)
                | Restore(_)
                | Eval(_)
                | Completions(_)
                | Man(_)
                | Hook { .. }
                | Statusline { .. }
        )
    )
}

fn dispatch(command: Option<&Command>, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    if uses_store(command) {
        sessions::renew_store(env, ui)?;
    }
    let unframed = ui.without_frames();
    let Some(command) = command else { return cmd::overview::run(env, &unframed) };
    match command {
        Command::Init(args) => cmd::init::run(args, &mut tree(), env, ui),
        Command::Remove(args) => cmd::remove::run(args, env, ui),
        Command::Doctor(args) => cmd::doctor::run(args, env, ui),
        Command::Config(args) => cmd::config::run(args, env, ui),
        Command::Status(args) => cmd::status::run(args, env, &unframed),
        Command::Brief(args) => cmd::brief::run(args, env, ui),
        Command::Lost(args) => match cmd::lost::view(args, env)? {
            Some(view) => web::show(&view, env, ui),
            None => cmd::lost::run(args, env, &unframed),
        },
        Command::Search(args) => cmd::search::run(args, env, &unframed),
        Command::Recall(args) => cmd::recall::run(args, env, &unframed),
        Command::Project(args) => cmd::project::run(args, env, &unframed),
        Command::Handoff(args) => cmd::handoff::run(args, env, ui),
        Command::Note(args) => cmd::note::run(args, env, &unframed),
        Command::Serve(args) => web::run(args, env, ui),
        Command::Export(args) => web::export::run(args, env, ui),
        Command::Index(args) => cmd::index::run(args, env, ui),
        Command::Backup(args) => cmd::backup::run(args, env, ui),
        Command::Restore(args) => cmd::restore::run(args, env, ui),
        Command::Forget(args) => cmd::forget::run(args, env, ui),
        Command::Sync(args) => cmd::sync::run(args, env, ui),
        Command::Archive(args) => cmd::archive::run(args, env, ui),
        Command::Try(args) => cmd::try_out::run(args, env, ui),
        Command::Eval(args) => cmd::eval::run(args, env, ui),
        Command::Run(args) => cmd::run::run(args, env, ui),
        Command::Commands(args) => cmd::commands::run(args, env, ui),
        Command::Mcp(_) => mcp::run(env, ui),
        Command::Completions(args) => Ok(cmd::completions::run(args, &mut tree(), ui)),
        Command::Man(args) => cmd::man::run(args, tree(), GROUPS, ui),
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
    use super::*;

    #[test]
    fn command_tree_is_consistent() {
        tree().debug_assert();
    }

    #[test]
    fn every_visible_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let tree = Cli::command();
        let mut visible: Vec<&str> =
            tree.get_subcommands().filter(|c| !c.is_hide_set()).map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        visible.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn a_command_is_summed_up_in_a_line_of_80_columns() {
        for command in Cli::command().get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!((10..=69).contains(&about.chars().count()), "{}: {about}", command.get_name());
        }
    }
}
