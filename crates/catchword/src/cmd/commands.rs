//! `catchword commands`: the commands in force, and what would be carried over of them.

mod registered;

use catchword_engine::ops::read::Which;
use catchword_engine::ops::read::commands::{CommandDocument, CommandsDocument, ProjectDocument, commands};
use catchword_engine::quote::{code, name};
use catchword_engine::text::numbers::count_of;

use crate::app::env::Env;
use crate::app::read::reader;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::wrap;

/// List active slash commands and skills, and what survives a compaction
///
/// A command is active from its call until the user asks for something else. If its file says that it holds for the
/// session, or has marked text, it stays active until the user ends it: `/name stop`, words like "stop using /name", or
/// `catchword commands remove`. A compaction ends none. What the file has between <!-- COMPACT_SUMMARY_START --> and
/// <!-- COMPACT_SUMMARY_END --> is carried over word for word, or else its description and first rules, unless the client
/// restores the whole text itself.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Change>,
    /// A recorded session, by the start of its id [default: this shell's, or the latest of this folder]
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Change {
    Add(registered::Add),
    Remove(registered::Remove),
}

/// Prints the active commands, or changes them.
pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    match &args.action {
        Some(Change::Add(args)) => return registered::add(args, env, ui),
        Some(Change::Remove(args)) => return registered::remove(args, env, ui),
        None => {}
    }
    let found = commands(&reader(env)?, Which::of(args.session.as_deref(), None))?;
    if let Some(remark) = &found.remark {
        ui.say(ui.paragraph(remark));
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&found)?);
        return Ok(Exit::Ok);
    }
    print_commands(&found, ui);
    print_modes(&found, ui);
    print_project(&found.project, ui);
    Ok(Exit::Ok)
}

fn print_commands(found: &CommandsDocument, ui: &Ui) {
    if found.commands.is_empty() {
        ui.line("No command or skill is active.");
    }
    for used in &found.commands {
        let place = used.place.as_ref().map(|place| format!("  {place}")).unwrap_or_default();
        let head = format!("{} {}", used.called, used.args.trim());
        ui.line(format!("{}{}", ui.bold(head.trim_end()), ui.dim(&format!("{place}  {}", by(used.by)))));
        indented(&at_compaction(used), ui);
        if let Some(carried) = &used.carried {
            carried.lines().for_each(|line| ui.line(format!("  > {line}")));
        }
        for problem in &used.problems {
            indented(&format!("problem: {problem}"), ui);
        }
    }
    for ended in &found.ended {
        let place = ended.place.as_ref().map(|place| format!("  {place}")).unwrap_or_default();
        ui.line(format!("/{}{}", name(&ended.name, 80), ui.dim(&format!("{place}  ended by the user"))));
    }
}

/// Prints `text` with all its lines indented.
fn indented(text: &str, ui: &Ui) {
    for line in wrap(text, ui.width() - 2) {
        ui.line(format!("  {line}"));
    }
}

fn by(by: &str) -> &'static str {
    match by {
        "user" => "called by the user",
        "agent" => "invoked by the agent",
        _ => "registered",
    }
}

/// What happens to a command's text at a compaction.
fn at_compaction(used: &CommandDocument) -> String {
    let Some(file) = &used.file else {
        return "no file of that name was found: name and arguments are carried over".to_owned();
    };
    let path = name(file, 200);
    if used.given_back_by_client {
        format!("{path}: the client gives it back itself; name and arguments are carried over")
    } else if used.forked {
        format!("{path}: it runs in a subagent; name and arguments are carried over")
    } else if used.marked {
        format!("{path}: carried over, as marked:")
    } else if used.carried.is_none() {
        format!("{path}: nothing in it to carry over")
    } else {
        format!("{path}: no marks in it; carried over are its description and first rules:")
    }
}

fn print_modes(found: &CommandsDocument, ui: &Ui) {
    if let Some(place) = &found.plan_mode_place {
        ui.line(format!("plan mode{}", ui.dim(&format!("  {place}  the client restores it"))));
    }
    if let Some(style) = &found.output_style {
        ui.line(format!("output style {}{}", name(style, 80), ui.dim("  the client restores it")));
    }
}

fn print_project(project: &ProjectDocument, ui: &Ui) {
    let facts: Vec<String> = [
        project.name.clone(),
        project.branch.as_ref().map(|branch| format!("branch {}", name(branch, 120))),
        (project.not_committed > 0).then(|| format!("{} not committed", project.not_committed)),
        (project.open_tasks > 0).then(|| count_of(project.open_tasks, "open task")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !facts.is_empty() {
        ui.line(ui.paragraph(&format!("Project: {}", facts.join(", "))));
    }
    if !project.key_files.is_empty() {
        let named: Vec<String> = project.key_files.iter().map(|file| name(file, 120)).collect();
        indented(&format!("look first at: {}", named.join(", ")), ui);
    }
    if let (Some(command), Some(output)) = (&project.status_command, &project.status) {
        ui.line(format!("  {} says:", code(command, 200)));
        output.trim_end().lines().take(10).for_each(|line| ui.line(format!("  > {line}")));
    }
}
