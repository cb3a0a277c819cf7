//! `catchword commands`: the commands in force, and what would be carried over of them.

mod registered;

use catchword_engine::facts::WorkspaceState;
use catchword_engine::facts::active::{InUse, called};
use catchword_engine::facts::project::Project;
use catchword_engine::ops::active::ActiveNow;
use catchword_engine::quote::{code, name};
use catchword_engine::session::Session;
use catchword_engine::session::active::By;
use catchword_engine::text::numbers::count_of;
use serde::Serialize;

use crate::app::config::Config;
use crate::app::env::Env;
use crate::app::sessions;
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
    let found = sessions::present(args.session.as_deref(), env)?;
    let session = sessions::read(&found.record(env, ui)?, None, env)?;
    let workspace = sessions::workspace_state(found.client, &found.id, &session, &Config::load(env), env)?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&view(&found.id, &session, &workspace))?);
        return Ok(Exit::Ok);
    }
    let active = workspace.active.clone().unwrap_or_default();
    print_commands(&active, ui);
    print_modes(&session, ui);
    print_project(&session, &workspace, ui);
    Ok(Exit::Ok)
}

fn print_commands(active: &ActiveNow, ui: &Ui) {
    if active.uses.is_empty() {
        ui.line("No command or skill is active.");
    }
    for used in &active.uses {
        let current = &used.current;
        let place = current.place.map(|place| format!("  {place}")).unwrap_or_default();
        let head = format!("{} {}", called(current), current.args.trim());
        ui.line(format!("{}{}", ui.bold(head.trim_end()), ui.dim(&format!("{place}  {}", by(current.by)))));
        indented(&at_compaction(used), ui);
        if !used.given_back {
            used.carried().text.lines().for_each(|line| ui.line(format!("  > {line}")));
        }
        for problem in used.carried().problems {
            indented(&format!("problem: {problem}"), ui);
        }
    }
    for (command, place) in &active.over {
        let place = place.map(|place| format!("  {place}")).unwrap_or_default();
        ui.line(format!("/{}{}", name(command, 80), ui.dim(&format!("{place}  ended by the user"))));
    }
}

/// Prints `text` with all its lines indented.
fn indented(text: &str, ui: &Ui) {
    for line in wrap(text, ui.width() - 2) {
        ui.line(format!("  {line}"));
    }
}

fn by(by: By) -> &'static str {
    match by {
        By::Person => "called by the user",
        By::Agent => "invoked by the agent",
        By::Registration => "registered",
    }
}

/// What happens to a command's text at a compaction.
fn at_compaction(used: &InUse) -> String {
    let Some(source) = &used.source else {
        return "no file of that name was found: name and arguments are carried over".to_owned();
    };
    let carried = used.carried();
    let path = name(&source.shown, 200);
    if used.given_back {
        format!("{path}: the client gives it back itself; name and arguments are carried over")
    } else if carried.forked {
        format!("{path}: it runs in a subagent; name and arguments are carried over")
    } else if carried.marked {
        format!("{path}: carried over, as marked:")
    } else if carried.text.is_empty() {
        format!("{path}: nothing in it to carry over")
    } else {
        format!("{path}: no marks in it; carried over are its description and first rules:")
    }
}

fn print_modes(session: &Session, ui: &Ui) {
    if let Some(place) = session.active.planning {
        ui.line(format!("plan mode{}", ui.dim(&format!("  {place}  the client restores it"))));
    }
    if let Some(style) = &session.active.style {
        ui.line(format!("output style {}{}", name(style, 80), ui.dim("  the client restores it")));
    }
}

fn print_project(session: &Session, workspace: &WorkspaceState, ui: &Ui) {
    let Project { status, key_files, .. } = &workspace.project;
    let branch = workspace.tree.as_ref().and_then(|tree| tree.branch.as_ref()).or(session.branch.as_ref());
    let changed = workspace.tree.as_ref().map_or(0, |tree| tree.changed.len());
    let open = session.tasks.open().len();
    let facts: Vec<String> = [
        workspace.project.title(),
        branch.map(|branch| format!("branch {}", name(branch, 120))),
        (changed > 0).then(|| format!("{changed} not committed")),
        (open > 0).then(|| count_of(open, "open task")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !facts.is_empty() {
        ui.line(ui.paragraph(&format!("Project: {}", facts.join(", "))));
    }
    if !key_files.is_empty() {
        let named: Vec<String> = key_files.iter().map(|file| name(file, 120)).collect();
        indented(&format!("look first at: {}", named.join(", ")), ui);
    }
    if let Some((command, output)) = status {
        ui.line(format!("  {} says:", code(command, 200)));
        output.trim_end().lines().take(10).for_each(|line| ui.line(format!("  > {line}")));
    }
}

#[derive(Serialize)]
struct CommandsView<'a> {
    session: &'a str,
    commands: Vec<CommandView<'a>>,
    ended: Vec<&'a str>,
    plan_mode: bool,
    output_style: Option<&'a str>,
    project: ProjectView<'a>,
}

#[derive(Serialize)]
struct CommandView<'a> {
    name: &'a str,
    args: &'a str,
    by: &'static str,
    place: Option<String>,
    file: Option<&'a str>,
    given_back_by_client: bool,
    marked: bool,
    carried: Option<String>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct ProjectView<'a> {
    name: Option<String>,
    branch: Option<&'a str>,
    not_committed: usize,
    open_tasks: usize,
    key_files: &'a [String],
    status: Option<&'a str>,
}

fn view<'a>(id: &'a str, session: &'a Session, workspace: &'a WorkspaceState) -> CommandsView<'a> {
    let uses = workspace.active.iter().flat_map(|active| &active.uses);
    let over = workspace.active.iter().flat_map(|active| &active.over);
    let tree = workspace.tree.as_ref();
    CommandsView {
        session: id,
        commands: uses.map(command_view).collect(),
        ended: over.map(|(name, _)| name.as_str()).collect(),
        plan_mode: session.active.planning.is_some(),
        output_style: session.active.style.as_deref(),
        project: ProjectView {
            name: workspace.project.title(),
            branch: tree.and_then(|tree| tree.branch.as_deref()).or(session.branch.as_deref()),
            not_committed: tree.map_or(0, |tree| tree.changed.len()),
            open_tasks: session.tasks.open().len(),
            key_files: &workspace.project.key_files,
            status: workspace.project.status.as_ref().map(|(_, output)| output.as_str()),
        },
    }
}

fn command_view(used: &InUse) -> CommandView<'_> {
    let carried = used.carried();
    let said = !used.given_back && !carried.forked && !carried.text.is_empty();
    CommandView {
        name: &used.current.name,
        args: &used.current.args,
        by: match used.current.by {
            By::Person => "user",
            By::Agent => "agent",
            By::Registration => "registration",
        },
        place: used.current.place.map(|place| place.to_string()),
        file: used.source.as_ref().map(|source| source.shown.as_str()),
        given_back_by_client: used.given_back,
        marked: carried.marked,
        carried: said.then_some(carried.text),
        problems: carried.problems,
    }
}
