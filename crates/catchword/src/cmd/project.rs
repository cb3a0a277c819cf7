//! `catchword project`: what the repository of this folder taught.

use catchword_engine::ops::read::project::{ProjectLine, ProjectRequest, RepositoryDocument, project};
use catchword_engine::text::cut::one_line;
use catchword_engine::text::numbers::{ago, count_of};

use crate::app::env::Env;
use crate::app::read::fresh_reader;
use crate::ui::Ui;
use crate::ui::exit::Exit;
use crate::ui::width::fit;

/// Characters of an answer or a question.
const LONGEST: usize = 300;

/// Show what this repository taught: commands, rules, decisions, files
///
/// From all sessions of all clients in this repository and its work trees, and from machines and people that share an archive
/// with this one: commands that passed, your rules and decisions, files that sessions worked on and that change together,
/// and what was looked for in vain. Each line has the place that `catchword recall` shows, and was checked against the
/// tree as it is now; what no longer holds comes last and says why, and agents are not told of it.
#[derive(clap::Args)]
pub struct Args {
    /// Only what is about this file
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Say how each line was found, and what was checked
    #[arg(long)]
    why: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let reader = fresh_reader(env)?;
    let request = ProjectRequest { file: args.file.as_deref(), why: args.why };
    let found = project(&reader, &request)?;
    if args.json {
        ui.line(serde_json::to_string_pretty(&found)?);
    } else {
        print(&found, env, ui);
    }
    Ok(Exit::Ok)
}

fn print(found: &RepositoryDocument, env: &Env, ui: &Ui) {
    if found.sections.is_empty() {
        ui.say(ui.paragraph(&format!(
            "Nothing is known of {} yet: `catchword index` takes in existing sessions.",
            found.project
        )));
        return;
    }
    ui.line(ui.bold(&format!("{}, {}", found.project, count_of(found.sessions, "session"))));
    for section in &found.sections {
        ui.line("");
        ui.line(ui.bold(section.kind.heading()));
        for line in &section.lines {
            for text in lines_of(line, env, ui) {
                ui.line(text);
            }
        }
    }
}

fn lines_of(line: &ProjectLine, env: &Env, ui: &Ui) -> Vec<String> {
    let text = one_line(&line.text, LONGEST);
    let said =
        if line.about.is_empty() { text } else { format!("{}: {text}", one_line(&line.about, LONGEST)) };
    let age = line.at.map(|at| ago(env.now() - at));
    let by = line.person.as_ref().map(|person| format!("by {person}"));
    let often = Some(line.often.clone()).filter(|often| !often.is_empty());
    let remarks =
        [Some(line.place.clone()), age, often, by].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let stale = line.stale.as_ref().map(|why| format!("    stale: {why}"));
    let why = line.why.as_ref().map(|why| format!("    why: {why}"));
    let first = fit(&format!("  {said}"), ui.width());
    let below = std::iter::once(format!("    {remarks}")).chain(stale).chain(why);
    std::iter::once(first).chain(below.map(|text| ui.dim(&fit(&text, ui.width())))).collect()
}
