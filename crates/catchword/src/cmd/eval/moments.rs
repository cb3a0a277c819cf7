//! `catchword eval --moments`: what agents would have been told at the failures of past sessions.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use catchword_engine::archive::project;
use catchword_eval::moments::{
    MomentFigures, MomentLine, MomentsDocument, ReplayedSession, ToldLine, WATCHED, read, replay, sum,
};

use super::Args;
use crate::app::env::Env;
use crate::app::transcripts::FoundTranscripts;
use crate::ui::Ui;
use crate::ui::exit::Exit;

pub(super) fn run(args: &Args, mut found: FoundTranscripts, env: &Env, ui: &Ui) -> anyhow::Result<Exit> {
    let mut projects: BTreeMap<String, (String, Vec<ReplayedSession>)> = BTreeMap::new();
    let bar = ui.progress(found.transcripts.len(), "transcripts");
    for path in std::mem::take(&mut found.transcripts) {
        match read(&path, &env.mask) {
            Ok(session) => {
                let folder = session.folder.clone().unwrap_or_default();
                let of_project = projects.entry(project::key(Path::new(&folder))).or_default();
                of_project.0 = env.show(Path::new(&folder));
                of_project.1.push(session);
            }
            Err(error) => found.problems.push((path, error)),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut view = MomentsDocument::default();
    for (_, (folder, mut sessions)) in projects {
        sessions.sort_by_key(|session| session.first_at);
        let (figures, lines) = replay(&sessions);
        view.lines.extend(lines.iter().map(line));
        view.projects.insert(folder, figures);
    }
    view.total = sum(&view.projects);
    for (path, error) in &found.problems {
        ui.say(format!("Cannot read {}: {error}", env.show(path)));
    }
    if args.json {
        ui.line(serde_json::to_string_pretty(&view).context("figures are always JSON")?);
    } else {
        print(args, &view, ui);
    }
    Ok(if found.problems.is_empty() { Exit::Ok } else { Exit::Attention })
}

fn line(told: &ToldLine) -> MomentLine {
    MomentLine {
        session: told.session.clone(),
        line: told.failed.place.0,
        text: told.line.text.clone(),
        passed: told.passed,
        used: told.used,
    }
}

fn print(args: &Args, view: &MomentsDocument, ui: &Ui) {
    for (folder, one) in view.projects.iter().filter(|(_, one)| one.signed > 0) {
        ui.line(format!("{folder}: {}", in_words(one)));
    }
    ui.line(format!("All: {}", in_words(&view.total)));
    let all = if args.all { view.lines.len() } else { 0 };
    for line in view.lines.iter().take(all) {
        ui.line(format!("\n{} L{}\n{}", line.session, line.line, ui.paragraph(&line.text)));
    }
    ui.say(ui.paragraph(&format!(
        "Failures that say what went wrong, of these seen before, and lines told; of the lines, how often the command \
         passed and something named was used within {WATCHED} calls. The files of the work tree are not looked at."
    )));
}

fn in_words(one: &MomentFigures) -> String {
    format!(
        "{} sessions, {} failures, {} before, {} pairs; {} told, {} passed, {} used; of {} silent {} passed",
        one.sessions,
        one.signed,
        one.again,
        one.pairs,
        one.told,
        one.passed,
        one.used,
        one.silent,
        one.silent_passed,
    )
}
